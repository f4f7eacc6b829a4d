// Package result selects the part of a result that a client requests. This may be a member, vectors
// within a range and decimated to a number of points, a table, a picture or a short summary. MCP
// and REST use it for results of jobs.
package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/tools/schema"
)

// caps lists the limits for shortened results. Shorten tries them in order until the result fits.
var caps = []struct {
	points  int // per vector
	items   int // per other list
	text    int // bytes per string
	members int // per map, such as the vectors of a simulation
}{
	{20_000, 4000, 8000, 4000}, {5000, 1000, 4000, 4000}, {1000, 300, 2000, 4000},
	{200, 100, 1000, 1000},
	{200, 50, 1000, 1000}, {200, 25, 300, 1000}, {100, 12, 300, 1000}, {60, 8, 300, 1000},
	{30, 5, 300, 1000}, {15, 3, 200, 1000}, {8, 2, 200, 1000}, {4, 1, 120, 1000}, {2, 1, 120, 1000},
	{8, 2, 120, 12}, {4, 1, 120, 12}, {2, 0, 60, 8}, {2, 0, 60, 3}, {2, 0, 60, 1}, {2, 0, 60, 0},
}

// notes collects remarks about shortened parts.
type notes struct {
	list []string
	seen map[string]bool
}

// add adds a remark about a path. Paths that differ only in an index share one remark.
func (l *notes) add(path, format string, args ...any) {
	generic := indexed(path)
	if l.seen[generic] {
		return
	}
	l.seen[generic] = true
	where := strings.ReplaceAll(generic, "/", ".")
	if where == "" {
		where = "the result"
	}
	note := where + ": " + fmt.Sprintf(format, args...)
	if len(note) > maxNote {
		note = strings.ToValidUTF8(note[:maxNote], "") + "…"
	}
	l.list = append(l.list, note)
}

// indexed replaces the numbers in a path by [], so that all rows share one remark.
func indexed(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "[]"
		}
	}
	return strings.Join(parts, "/")
}

// Limits of the remarks.
const (
	maxNotes = 15
	maxNote  = 300 // bytes
)

func (l *notes) lines() []string {
	if len(l.list) > maxNotes {
		return append(slices.Clone(l.list[:maxNotes]),
			fmt.Sprintf("and %d more", len(l.list)-maxNotes))
	}
	return l.list
}

// Shorten shortens a result to limit bytes; the result still conforms to its schema. Vectors lose
// points, lists lose their middle, maps lose members, and strings are replaced by their size. node
// is the schema of the result; if it is nil, maps keep their members. uri is the address of the
// complete result, "" for none; the replacement of a string refers to it. Shorten returns remarks
// about the omitted parts. A result whose fixed members exceed the limit remains larger.
func Shorten(
	node *schema.Node, raw json.RawMessage, limit int, uri string,
) (short json.RawMessage, remarks []string) {
	if len(raw) <= limit {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var whole any
	if err := d.Decode(&whole); err != nil {
		return raw, nil
	}
	for _, c := range caps {
		left := &notes{seen: map[string]bool{}}
		s := shortener{
			points: c.points, items: c.items, text: c.text, members: c.members,
			uri: uri, left: left,
		}
		if s.numberBytes(whole) > limit {
			continue // decimating vectors takes time
		}
		body, err := rawjson.Marshal(s.value(node, "", whole))
		if err != nil {
			return raw, nil
		}
		if short, remarks = body, left.lines(); len(short) <= limit {
			break
		}
	}
	return short, remarks
}

type shortener struct {
	points, items, text, members int
	uri                          string
	left                         *notes
}

// numberBytes returns a lower bound for the size in bytes of the vectors in a shortened value,
// assuming a digit and a comma per number.
func (s *shortener) numberBytes(v any) (size int) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) <= s.members {
			for _, inner := range x {
				size += s.numberBytes(inner)
			}
		}
	case []any:
		if isNumeric(x) {
			return 2 * min(len(x), s.points/2)
		}
		for _, inner := range x[:min(len(x), max(0, s.items-1))] {
			size += s.numberBytes(inner)
		}
	}
	return size
}

// value returns a shortened copy. path is separated by slashes; node may be nil.
func (s *shortener) value(node *schema.Node, path string, v any) any {
	switch x := v.(type) {
	case map[string]any:
		return s.object(node, path, x)
	case []any:
		return s.list(node, path, x)
	case string:
		if len(x) > s.text {
			s.left.add(path, "the text is left out, here is its size")
			if s.uri == "" {
				return fmt.Sprintf("%d bytes, left out", len(x))
			}
			return fmt.Sprintf("%d bytes, left out; read %s/%s", len(x), s.uri, path)
		}
	}
	return v
}

// object shortens the members of an object. Vectors of equal length, such as time and voltages,
// belong together and lose the same points.
func (s *shortener) object(node *schema.Node, path string, object map[string]any) any {
	out := make(map[string]any, len(object))
	together := map[int][]string{}
	ordered := slices.Sorted(maps.Keys(object))
	if node != nil && node.Kind == schema.Map && len(ordered) > s.members {
		slices.SortStableFunc(ordered, func(a, b string) int { return order(a) - order(b) })
		s.left.add(path, "%d of %d members", s.members, len(ordered))
		ordered = ordered[:s.members]
	}
	for _, name := range ordered {
		if list, ok := object[name].([]any); ok && len(list) > s.points && isNumeric(list) {
			together[len(list)] = append(together[len(list)], name)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(together)) {
		names := together[n]
		vectors := make([][]float64, len(names))
		for i, name := range names {
			vectors[i] = floats(object[name].([]any))
		}
		kept := selectPoints(vectors, s.points)
		for _, name := range names {
			list := object[name].([]any)
			some := make([]any, len(kept))
			for i, at := range kept {
				some[i] = list[at]
			}
			out[name] = some
		}
		s.left.add(path, "%d of %d points of %s; first, last and extremes are kept", len(kept), n,
			strings.Join(names, ", "))
	}
	for _, name := range ordered {
		if _, done := out[name]; !done {
			out[name] = s.value(member(node, name), join(path, name), object[name])
		}
	}
	return out
}

// order returns the sort order of a member: 0 for a sweep variable, on which the other vectors
// depend, otherwise 1.
func order(name string) int {
	if slices.Contains(sweeps, name) {
		return 0
	}
	return 1
}

// member returns the schema of a member of an object or map, or nil.
func member(node *schema.Node, name string) *schema.Node {
	switch {
	case node == nil:
	case node.Kind == schema.Map:
		return node.Elem
	case node.Kind == schema.Object:
		if f := node.Field(name); f != nil {
			return &f.Node
		}
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

func (s *shortener) list(node *schema.Node, path string, list []any) any {
	if len(list) > s.points && isNumeric(list) {
		kept := selectPoints([][]float64{floats(list)}, s.points)
		some := make([]any, len(kept))
		for i, at := range kept {
			some[i] = list[at]
		}
		s.left.add(path, "%d of %d points; first, last and extremes are kept", len(kept), len(list))
		return some
	}
	if len(list) == 0 || isNumeric(list) {
		return list
	}
	if _, rows := list[0].([]any); rows {
		return s.rows(path, list)
	}
	var elem *schema.Node
	if node != nil {
		elem = node.Elem
	}
	out := make([]any, 0, min(len(list), s.items))
	for i, v := range list {
		if s.items == 0 {
			break
		}
		// Keep the first items and the last item, or the first alone.
		last := i == len(list)-1 && s.items > 1
		if len(list) > s.items && i >= max(1, s.items-1) && !last {
			continue
		}
		out = append(out, s.value(elem, fmt.Sprintf("%s/%d", path, i), v))
	}
	if len(out) < len(list) {
		s.left.add(path, "%d of %d entries", len(out), len(list))
	}
	return out
}

// rows decimates a matrix evenly by rows and by columns, so that a field keeps its shape.
func (s *shortener) rows(path string, list []any) any {
	if s.items == 0 {
		s.left.add(path, "0 of %d rows", len(list))
		return []any{}
	}
	some := sampleEvenly(list, s.items)
	if len(some) < len(list) {
		s.left.add(path, "%d of %d rows, evenly spread", len(some), len(list))
	}
	out := make([]any, len(some))
	for i, v := range some {
		at := fmt.Sprintf("%s/%d", path, i)
		row, ok := v.([]any)
		if !ok || len(row) == 0 || !isNumeric(row) {
			out[i] = s.value(nil, at, v)
			continue
		}
		thin := sampleEvenly(row, s.items)
		if len(thin) < len(row) {
			s.left.add(at, "%d of %d entries, evenly spread", len(thin), len(row))
		}
		out[i] = thin
	}
	return out
}

// sampleEvenly selects evenly spaced entries, including the first and the last: at most limit, but
// at least two.
func sampleEvenly(list []any, limit int) []any {
	if limit = max(limit, 2); len(list) <= limit {
		return list
	}
	out := make([]any, limit)
	for i := range out {
		out[i] = list[i*(len(list)-1)/(limit-1)]
	}
	return out
}

// isNumeric reports whether a list is not empty and contains only numbers and null.
func isNumeric(list []any) bool {
	for _, v := range list {
		if _, ok := v.(json.Number); !ok && v != nil {
			return false
		}
	}
	return len(list) > 0
}

func floats(list []any) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = math.NaN()
		if n, ok := v.(json.Number); ok {
			out[i], _ = n.Float64()
		}
	}
	return out
}

// selectPoints selects at most limit indices of equally long vectors. It selects the first and the
// last index and the extremes of each vector. It divides the range into equal segments. In each
// segment, it selects the two indices at which a vector deviates most from its segment mean,
// upwards and downwards. Deviations are relative to the range of the vector. Evenly spaced indices
// fill the rest. The limit must be at least 2. The extremes of all vectors are kept if they need at
// most half of it.
func selectPoints(vectors [][]float64, limit int) []int {
	n := len(vectors[0])
	chosen := map[int]bool{0: true, n - 1: true}
	ranges := make([]float64, len(vectors))
	for k, v := range vectors {
		lowest, highest := extremes(v, 0, n)
		ranges[k] = v[highest] - v[lowest]
		if len(chosen)+2 <= max(2, limit/2) {
			chosen[lowest], chosen[highest] = true, true
		}
	}
	stretches := (limit - len(chosen)) / 2
	for i := range stretches {
		from, to := i*n/stretches, (i+1)*n/stretches
		below, above, maxBelow, maxAbove := from, from, 0.0, 0.0
		for k, v := range vectors {
			if !(ranges[k] > 0) {
				continue
			}
			mean := meanOf(v[from:to])
			lowest, highest := extremes(v, from, to)
			if d := (mean - v[lowest]) / ranges[k]; d > maxBelow {
				below, maxBelow = lowest, d
			}
			if d := (v[highest] - mean) / ranges[k]; d > maxAbove {
				above, maxAbove = highest, d
			}
		}
		chosen[below], chosen[above] = true, true
	}
	// Indices that coincide, as in a segment with a constant value, leave part of the limit unused.
	for i, missing := 0, limit-len(chosen); i < missing; i++ {
		chosen[(2*i+1)*n/(2*missing)] = true
	}
	kept := make([]int, 0, len(chosen))
	for at := range chosen {
		kept = append(kept, at)
	}
	slices.Sort(kept)
	return kept
}

// extremes returns the indices of the minimum and maximum in v[from:to].
func extremes(v []float64, from, to int) (lowest, highest int) {
	lowest, highest = from, from
	for i := from; i < to; i++ {
		if v[i] < v[lowest] || math.IsNaN(v[lowest]) {
			lowest = i
		}
		if v[i] > v[highest] || math.IsNaN(v[highest]) {
			highest = i
		}
	}
	return lowest, highest
}

func meanOf(v []float64) float64 {
	sum, n := 0.0, 0
	for _, x := range v {
		if !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	return sum / float64(n)
}
