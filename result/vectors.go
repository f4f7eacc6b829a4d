package result

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/internal/rawjson"
)

// sweeps are the names of sweep variables. The slower variable of a nested sweep is last.
var sweeps = []string{"time", "frequency", "sweep", "sweep2"}

// Sweeps returns the names of sweep variables.
func Sweeps() []string { return slices.Clone(sweeps) }

// vectorSet contains the vectors of an analysis.
type vectorSet struct {
	names  []string
	values map[string][][]byte
}

func newVectorSet(raw json.RawMessage) *vectorSet {
	s := &vectorSet{values: map[string][][]byte{}}
	rawjson.Members(raw, func(name, value []byte) {
		if value[0] == '[' {
			s.names = append(s.names, string(name))
			s.values[string(name)] = rawjson.Elements(value)
		}
	})
	return s
}

// sweep returns the name of the sweep variable, or "".
func (s *vectorSet) sweep() string {
	for _, name := range sweeps[:3] {
		if len(s.values[name]) > 0 {
			return name
		}
	}
	return ""
}

// isSelected reports whether a query selects a vector. The name of a complex value selects both of
// its vectors. Sweep variables are always selected.
func (q *Query) isSelected(name string) bool {
	if len(q.Vectors) == 0 || slices.Contains(sweeps, name) {
		return true
	}
	return slices.ContainsFunc(q.Vectors, func(s string) bool {
		return name == s || name == s+"_mag" || name == s+"_phase_deg"
	})
}

// selection contains the vectors that a query selects.
type selection struct {
	Card    string                     `json:"card,omitempty"`
	Type    string                     `json:"analysis_type,omitempty"`
	Sweep   string                     `json:"sweep,omitempty"`
	Points  int                        `json:"points"`
	Of      int                        `json:"of"` // points within the range
	Remark  string                     `json:"remark,omitempty"`
	Vectors map[string]json.RawMessage `json:"vectors"`

	Analyses []*selection `json:"analyses,omitempty"`

	known []string    // names of all vectors
	span  *[2]float64 // first and last value of the sweep; nil without a sweep
}

// selectVectors applies a query to a result or an analysis or, if named is set, to a map of
// vectors.
func selectVectors(part json.RawMessage, named bool, q Query) (json.RawMessage, error) {
	root := &selection{}
	if named {
		part = json.RawMessage(`{"vectors":` + string(part) + `}`)
	}
	all := analyses(part)
	if len(all) == 0 {
		return nil,
			&QueryError{"vectors", "this part has no vectors; vectors, from, to and points " +
				"select points of a result, of vectors, and of an entry of analyses"}
	}
	points, counted := q.Points, false
	for {
		var taken []*selection
		for _, a := range all {
			s := &selection{
				Card: rawjson.Unquote(child(a, "card")),
				Type: rawjson.Unquote(child(a, "analysis_type")),
			}
			s.take(newVectorSet(child(a, "vectors")), &q, points)
			taken = append(taken, s)
		}
		if !counted {
			if err := q.check(taken); err != nil {
				return nil, err
			}
			counted = true
		}
		*root = *taken[0]
		for _, other := range taken[1:] {
			if len(other.Vectors) > 0 {
				root.Analyses = append(root.Analyses, other)
			}
		}
		body, err := rawjson.Marshal(root)
		if err != nil || len(body) <= MaxBytes || q.Whole || points == 2 {
			return body, err
		}
		most := 0
		for _, s := range taken {
			most = max(most, s.Points)
		}
		points = max(2, min(most*9/10, int(float64(most)*MaxBytes/float64(len(body)))))
	}
}

// analyses returns the objects that contain vectors: the result itself and entries of its list
// named analyses.
func analyses(part json.RawMessage) (all []json.RawMessage) {
	if part[0] != '{' {
		return nil
	}
	if v := child(part, "vectors"); v != nil && v[0] == '{' {
		all = append(all, part)
	}
	if list := child(part, "analyses"); list != nil && list[0] == '[' {
		for _, entry := range rawjson.Elements(list) {
			if v := child(entry, "vectors"); v != nil && v[0] == '{' {
				all = append(all, entry)
			}
		}
	}
	return all
}

// check returns a *QueryError for a name or range that no analysis contains.
func (q *Query) check(taken []*selection) error {
	var known []string
	var spans []string
	points := 0
	for _, s := range taken {
		known = append(known, s.known...)
		points += s.Points
		if s.span != nil {
			spans = append(spans, fmt.Sprintf("%s from %g to %g", s.Sweep, s.span[0], s.span[1]))
		}
	}
	for _, name := range q.Vectors {
		one := Query{Vectors: []string{name}}
		if !slices.ContainsFunc(known, one.isSelected) {
			slices.Sort(known)
			return &QueryError{"vectors", fmt.Sprintf("unknown %q; the vectors are %s",
				cut(name), strings.Join(slices.Compact(known[:min(len(known), maxListed)]), ", "))}
		}
	}
	if points == 0 && (q.From != nil || q.To != nil) {
		name, value := "from", q.From
		if value == nil {
			name, value = "to", q.To
		}
		return &QueryError{name, fmt.Sprintf("no point is in the range at %g; the result has %s",
			*value, strings.Join(spans, ", "))}
	}
	return nil
}

// maxListed is the maximum number of vectors that an error names.
const maxListed = 60

// take selects the vectors of an analysis that match the query. It keeps the points within the
// query's range, decimated to the given number; 0 keeps all of them.
func (s *selection) take(set *vectorSet, q *Query, points int) {
	s.Vectors = map[string]json.RawMessage{}
	s.Sweep = set.sweep()
	var chosen []string
	for _, name := range set.names {
		if !slices.Contains(sweeps, name) {
			s.known = append(s.known, name)
		}
		if q.isSelected(name) {
			chosen = append(chosen, name)
		}
	}
	if !slices.ContainsFunc(chosen, func(n string) bool { return !slices.Contains(sweeps, n) }) {
		return // the query selects vectors of another analysis
	}
	length := len(set.values[chosen[0]])
	if s.Sweep != "" {
		length = len(set.values[s.Sweep])
	}
	within := s.pointsWithin(set, q, length)
	if len(within) == 0 {
		return
	}
	s.Of = len(within)
	if points > 0 && points < len(within) {
		kept := selectPoints(set.curves(chosen, length, within), points)
		for k, at := range kept {
			kept[k] = within[at]
		}
		within = kept
		s.Remark = fmt.Sprintf("%d of %d points; the first, the last and the extremes are kept",
			len(within), s.Of)
	}
	s.Points = len(within)
	for _, name := range chosen {
		s.Vectors[name] = pick(set.values[name], within)
	}
}

// pointsWithin returns the indices of the points within the query's range, of the given number of
// points. It sets s.span.
func (s *selection) pointsWithin(set *vectorSet, q *Query, length int) []int {
	var sweep []float64
	if s.Sweep != "" {
		sweep = numbers(set.values[s.Sweep])
		s.span = &[2]float64{slices.Min(sweep), slices.Max(sweep)}
	} else if q.From != nil || q.To != nil {
		return nil // an operating point has no sweep
	}
	within := make([]int, 0, length)
	for i := range length {
		if sweep == nil || (q.From == nil || sweep[i] >= *q.From) &&
			(q.To == nil || sweep[i] <= *q.To) {
			within = append(within, i)
		}
	}
	return within
}

// curves returns the values of the named vectors at the given points, without the sweep and without
// vectors of another length. If no vector is left, it returns one constant curve.
func (s *vectorSet) curves(names []string, length int, within []int) [][]float64 {
	var out [][]float64
	for _, name := range names {
		values := s.values[name]
		if slices.Contains(sweeps, name) || len(values) != length {
			continue
		}
		curve := make([]float64, len(within))
		for k, i := range within {
			curve[k] = number(values[i])
		}
		out = append(out, curve)
	}
	if len(out) == 0 {
		return [][]float64{make([]float64, len(within))}
	}
	return out
}

// pick returns the values with the given indices as a JSON list. The indices rise; those beyond the
// last value are omitted.
func pick(values [][]byte, indices []int) json.RawMessage {
	list := []byte{'['}
	for k, i := range indices {
		if i >= len(values) {
			break
		}
		if k > 0 {
			list = append(list, ',')
		}
		list = append(list, values[i]...)
	}
	return append(list, ']')
}

func numbers(values [][]byte) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = number(v)
	}
	return out
}

// number returns a JSON number, or NaN for null.
func number(raw []byte) float64 {
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
