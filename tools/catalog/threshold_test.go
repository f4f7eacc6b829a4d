package catalog

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// TestThresholds searches the inputs at which a warning begins, from every example. It verifies
// that the warning does not state that a number is above or below an equal one.
func TestThresholds(t *testing.T) {
	for _, e := range mustCatalog(t).All() {
		if solvers[e.Name] != "" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			search := thresholds{t, e.Tool, map[string]bool{}}
			for _, x := range e.Examples {
				in := parse(t, x.In)
				for _, f := range e.Input.Fields {
					if f.Kind == schema.Number || f.Kind == schema.Integer {
						search.scan(in, f)
					}
				}
			}
		})
	}
}

var (
	number = regexp.MustCompile(`\b\d+(\.\d+)?(e[-+]?\d+)?`)
	// comparison matches two numbers that a warning compares.
	comparison = regexp.MustCompile(`(` + number.String() +
		`)( [^ ]+)?(,| is)? (above|below|more than|less than|longer than|exceeds|outside)\b` +
		`[^\d]*?(` + number.String() + `)`)
)

// thresholds searches the thresholds of the warnings of a tool.
type thresholds struct {
	t    *testing.T
	tool *tools.Tool
	seen map[string]bool // warnings without their numbers
}

// scan replaces a field of an input with values from 1e-4 to 1e4 times its value.
func (s thresholds) scan(in map[string]any, f *schema.Field) {
	base, ok := in[f.Name].(float64)
	for _, raw := range []json.RawMessage{f.Default, f.Example} {
		if !ok && raw != nil {
			ok = json.Unmarshal(raw, &base) == nil
		}
	}
	if base == 0 {
		base = 1
	}
	var last map[string]string
	var before float64
	for k := -12; k <= 12; k++ {
		x := base * math.Pow(10, float64(k)/3)
		if f.Kind == schema.Integer {
			x = math.Round(x)
		}
		found := s.warnings(in, f.Name, x)
		if found != nil && last != nil {
			for w := range found {
				if last[w] == "" {
					s.verify(in, f, w, before, x)
				}
			}
			for w := range last {
				if found[w] == "" {
					s.verify(in, f, w, x, before)
				}
			}
		}
		last, before = found, x
	}
}

// warnings returns the warnings of an input with one value replaced, by their text without numbers.
// It returns nil for an invalid input.
func (s thresholds) warnings(in map[string]any, field string, x float64) map[string]string {
	changed := maps.Clone(in)
	changed[field] = x
	body, err := json.Marshal(changed)
	if err != nil {
		s.t.Fatal(err)
	}
	result, err := s.tool.Run(context.Background(), body)
	if err != nil {
		return nil
	}
	var out tools.Warnings
	if err := json.Unmarshal(result, &out); err != nil {
		s.t.Fatal(err)
	}
	found := map[string]string{}
	for _, w := range out.Warnings {
		found[number.ReplaceAllString(w, "#")] = w
	}
	return found
}

// verify checks a warning at the value next to its threshold, which lies between two values of a
// field without and with the warning.
func (s thresholds) verify(
	in map[string]any, f *schema.Field, warning string, without, with float64,
) {
	if s.seen[warning] {
		return
	}
	s.seen[warning] = true
	text := ""
	for range 100 {
		x := without + (with-without)/2
		if f.Kind == schema.Integer {
			x = math.Trunc(x)
		}
		if x == without || x == with {
			break
		}
		if w := s.warnings(in, f.Name, x)[warning]; w != "" {
			with, text = x, w
		} else {
			without = x
		}
	}
	for _, m := range comparison.FindAllStringSubmatch(text, -1) {
		if m[1] == m[7] {
			s.t.Errorf("%s %v: %s", f.Name, with, text)
		}
	}
}
