package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// structuredLimit is the size in bytes of a structured result that fits the context of an agent.
const structuredLimit = 50_000

// caps are the limits of a shortened result; each row is tried until the result fits.
var caps = []struct {
	points int // of a vector
	items  int // of any other list
	text   int // bytes of a text
}{{200, 100, 1000}, {200, 50, 1000}, {200, 25, 300}, {100, 12, 300}, {60, 8, 300}, {30, 5, 300}, {15, 3, 200}, {8, 2, 200}, {4, 1, 120}, {2, 1, 120}}

// truncationNotes collects remarks on the shortened parts.
type truncationNotes struct {
	notes []string
	seen  map[string]bool
	first string
}

// add adds a remark on a path once for all paths that differ in an index only.
func (l *truncationNotes) add(path, format string, args ...any) {
	l.setExample(path)
	generic := indexed(path)
	if l.seen[generic] {
		return
	}
	l.seen[generic] = true
	where := strings.ReplaceAll(generic, "/", ".")
	if where == "" {
		where = "the result"
	}
	l.notes = append(l.notes, truncate(where+": "+fmt.Sprintf(format, args...), 300))
}

// setExample keeps the first path as the example.
func (l *truncationNotes) setExample(path string) {
	if l.first == "" {
		l.first = path
	}
}

// indexed replaces the numbers in a path by [], so that a remark is made once for all rows.
func indexed(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "[]"
		}
	}
	return strings.Join(parts, "/")
}

// maxNotes is the largest number of remarks in the text.
const maxNotes = 15

func (l *truncationNotes) lines() []string {
	if len(l.notes) > maxNotes {
		return append(slices.Clone(l.notes[:maxNotes]), fmt.Sprintf("and %d more", len(l.notes)-maxNotes))
	}
	return l.notes
}

func (l *truncationNotes) firstPath() string { return l.first }

// shortenResult shortens a result to structuredLimit bytes so that it still fits its schema:
// vectors lose points, lists their middle, texts all but their size. uri is where the whole is, ""
// for nowhere; a text that is left out says so.
func shortenResult(raw json.RawMessage, uri string) (json.RawMessage, *truncationNotes) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var whole any
	if err := d.Decode(&whole); err != nil {
		return raw, &truncationNotes{}
	}
	var short json.RawMessage
	var left *truncationNotes
	for _, c := range caps {
		left = &truncationNotes{seen: map[string]bool{}}
		s := shortener{points: c.points, items: c.items, text: c.text, uri: uri, left: left}
		body, err := marshal(s.value("", whole))
		if err != nil {
			return raw, &truncationNotes{}
		}
		if short = body; len(short) <= structuredLimit {
			break
		}
	}
	return short, left
}

type shortener struct {
	points, items, text int
	uri                 string
	left                *truncationNotes
}

// value gives a shortened copy. path has slashes.
func (s *shortener) value(path string, v any) any {
	switch x := v.(type) {
	case map[string]any:
		return s.object(path, x)
	case []any:
		return s.list(path, x)
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

// object shortens its members. Vectors of equal length belong together, as time and voltages do,
// and lose the same points.
func (s *shortener) object(path string, object map[string]any) any {
	out := make(map[string]any, len(object))
	together := map[int][]string{}
	ordered := slices.Sorted(maps.Keys(object))
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
		s.left.setExample(join(path, names[0]))
		s.left.add(path, "%d of %d points of %s; first, last and extremes are kept", len(kept), n, strings.Join(names, ", "))
	}
	for _, name := range ordered {
		if _, done := out[name]; !done {
			out[name] = s.value(join(path, name), object[name])
		}
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

func (s *shortener) list(path string, list []any) any {
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
	out := make([]any, 0, min(len(list), s.items))
	for i, v := range list {
		// Keep the first items and the last one.
		if len(list) > s.items && i >= s.items-1 && (i < len(list)-1 || s.items == 1 && i > 0) {
			continue
		}
		out = append(out, s.value(fmt.Sprintf("%s/%d", path, i), v))
	}
	if len(out) < len(list) {
		s.left.add(path, "%d of %d entries", len(out), len(list))
	}
	return out
}

// rows thins a matrix or a line of points evenly, and long rows likewise, so that a field keeps
// its shape.
func (s *shortener) rows(path string, list []any) any {
	some := sampleEvenly(list, s.items)
	if len(some) < len(list) {
		s.left.add(path, "%d of %d rows, evenly spread", len(some), len(list))
	}
	out := make([]any, len(some))
	for i, v := range some {
		at := fmt.Sprintf("%s/%d", path, i)
		row, ok := v.([]any)
		if !ok || len(row) == 0 || !isNumeric(row) {
			out[i] = s.value(at, v)
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

// sampleEvenly takes at most limit entries at equal distances, the first and the last among them.
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

// isNumeric reports whether a list contains only numbers and null.
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

// selectPoints chooses at most limit of the positions of equally long vectors: the first and the
// last, where each vector is greatest and least, and in equal stretches between them where some
// vector, measured by its own range, is farthest above and below the stretch's mean. limit is at
// least 2; the extremes of all vectors are kept as long as they take half of it at most.
func selectPoints(vectors [][]float64, limit int) []int {
	n := len(vectors[0])
	chosen := map[int]bool{0: true, n - 1: true}
	ranges := make([]float64, len(vectors))
	for k, v := range vectors {
		least, greatest := extremes(v, 0, n)
		ranges[k] = v[greatest] - v[least]
		if len(chosen)+2 <= max(2, limit/2) {
			chosen[least], chosen[greatest] = true, true
		}
	}
	stretches := (limit - len(chosen)) / 2
	for i := range stretches {
		from, to := i*n/stretches, (i+1)*n/stretches
		below, above, worst, best := from, from, 0.0, 0.0
		for k, v := range vectors {
			if !(ranges[k] > 0) {
				continue
			}
			mean := meanOf(v[from:to])
			least, greatest := extremes(v, from, to)
			if d := (mean - v[least]) / ranges[k]; d > worst {
				below, worst = least, d
			}
			if d := (v[greatest] - mean) / ranges[k]; d > best {
				above, best = greatest, d
			}
		}
		chosen[below], chosen[above] = true, true
	}
	kept := make([]int, 0, len(chosen))
	for at := range chosen {
		kept = append(kept, at)
	}
	slices.Sort(kept)
	return kept
}

// extremes are the positions of the least and the greatest number in v[from:to].
func extremes(v []float64, from, to int) (least, greatest int) {
	least, greatest = from, from
	for i := from; i < to; i++ {
		if v[i] < v[least] || math.IsNaN(v[least]) {
			least = i
		}
		if v[i] > v[greatest] || math.IsNaN(v[greatest]) {
			greatest = i
		}
	}
	return least, greatest
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
