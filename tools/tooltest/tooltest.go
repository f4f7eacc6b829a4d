// Package tooltest contains checks for every tool. Examples must be reproduced to the written
// digits, and invalid inputs must be rejected at the correct field. Only tests use it.
package tooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools"
)

// Case is an input and fields of the expected result. Case and InvalidCase are aliases of unnamed
// struct types because go vet accepts composite literals of these without field names.
type Case = struct {
	Name string // includes the source of the numbers
	In   string // JSON
	// Want is JSON with some of the result's fields. Numbers must agree to half a unit of the last
	// written digit.
	Want string
}

// InvalidCase is an input that must be rejected.
type InvalidCase = struct {
	Name  string
	In    string
	Paths []string // every field that must be named, and no others; "" is the whole body
	Say   string   // part of the message
}

// minGood and minBad are the minimum numbers of cases in the test of a tool.
const (
	minGood = 5
	minBad  = 3
)

// Examples runs the examples of the tool. They are published unchanged, so texts must match
// completely: the "~" of Case would be published as part of the result.
func Examples(t *testing.T, tool *tools.Tool) {
	t.Helper()
	for _, x := range tool.Examples {
		t.Run(tool.Name+"/"+x.Title, func(t *testing.T) {
			if x.Want == "" {
				t.Fatal("the example says nothing about the result")
			}
			want, err := parse([]byte(x.Want))
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range partial(want) {
				t.Errorf("the example publishes %q, a notation of tests", part)
			}
			check(t, tool, x.In, x.Want)
		})
	}
}

// partial returns the strings in an expectation that begin with a tilde. Such strings match a part
// of a text.
func partial(want any) (found []string) {
	switch w := want.(type) {
	case map[string]any:
		for _, v := range w {
			found = append(found, partial(v)...)
		}
	case []any:
		for _, v := range w {
			found = append(found, partial(v)...)
		}
	case string:
		if strings.HasPrefix(w, "~") {
			found = append(found, w)
		}
	}
	return found
}

// Cases compares the results of valid inputs with the expected fields. It fails for fewer than five
// cases.
func Cases(t *testing.T, tool *tools.Tool, cases []Case) {
	t.Helper()
	if len(cases) < minGood {
		t.Errorf("%s has %d sourced cases, at least %d are wanted", tool.Name, len(cases), minGood)
	}
	for _, c := range cases {
		t.Run(tool.Name+"/"+c.Name, func(t *testing.T) { check(t, tool, c.In, c.Want) })
	}
}

func check(t *testing.T, tool *tools.Tool, in, want string) {
	t.Helper()
	got, err := tool.Run(context.Background(), []byte(in))
	if err != nil {
		t.Fatalf("%s: %v", in, err)
	}
	for _, d := range Differences(got, []byte(want)) {
		t.Errorf("%s: %s", in, d)
	}
}

// InvalidCases verifies that inputs are rejected at the expected fields. It fails for fewer than
// three cases.
func InvalidCases(t *testing.T, tool *tools.Tool, cases []InvalidCase) {
	t.Helper()
	if len(cases) < minBad {
		t.Errorf("%s has %d bad inputs, at least %d are wanted", tool.Name, len(cases), minBad)
	}
	for _, c := range cases {
		t.Run(tool.Name+"/"+c.Name, func(t *testing.T) {
			got, err := tool.Run(context.Background(), []byte(c.In))
			bad := tools.AsInputError(err)
			if bad == nil {
				t.Fatalf("%s: want a refusal, got %s, %v", c.In, got, err)
			}
			named := map[string]bool{}
			for _, f := range bad.Fields {
				named[f.Path] = true
			}
			for _, p := range c.Paths {
				if !named[p] {
					t.Errorf("%s: field %q is not named in %q", c.In, p, err)
				}
				delete(named, p)
			}
			if len(c.Paths) > 0 && len(named) > 0 {
				t.Errorf("%s: also names %v in %q", c.In, named, err)
			}
			if !strings.Contains(err.Error(), c.Say) {
				t.Errorf("%s: %q does not say %q", c.In, err, c.Say)
			}
		})
	}
}

// Differences returns the differences between got and want. Objects in want may have fewer fields;
// arrays must have the same length. Numbers must agree to half a unit of the last digit written in
// want, plus a hundredth of it for binary rounding. A string in want that begins with "~" matches
// every text that contains the rest of the string.
func Differences(got, want []byte) []string {
	g, err := parse(got)
	if err != nil {
		return []string{"result: " + err.Error()}
	}
	w, err := parse(want)
	if err != nil {
		return []string{"expectation: " + err.Error()}
	}
	return differ("", g, w)
}

func parse(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

func differ(path string, got, want any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: got %v, want an object", path, got)}
		}
		var out []string
		for k, v := range w {
			gv, ok := g[k]
			if !ok {
				out = append(out, fmt.Sprintf("%s.%s is missing", path, k))
				continue
			}
			out = append(out, differ(path+"."+k, gv, v)...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: got %v, want %d entries %v", path, got, len(w), want)}
		}
		var out []string
		for i, v := range w {
			out = append(out, differ(fmt.Sprintf("%s[%d]", path, i), g[i], v)...)
		}
		return out
	case json.Number:
		g, ok := got.(json.Number)
		if !ok {
			return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
		}
		gf, _ := g.Float64()
		wf, _ := w.Float64()
		if tolerance := 0.505 * lastDigit(w.String()); !(math.Abs(gf-wf) <=
			tolerance+1e-15*math.Abs(wf)) {
			return []string{fmt.Sprintf("%s: got %v, want %v", path, g, w)}
		}
		return nil
	case string:
		if part, ok := strings.CutPrefix(w, "~"); ok {
			if g, ok := got.(string); ok && strings.Contains(g, part) {
				return nil
			}
			return []string{fmt.Sprintf("%s: got %v, want a text with %q", path, got, part)}
		}
	}
	if got != want {
		return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
	}
	return nil
}

// lastDigit returns the value of one unit of the last written digit. It returns 0 for a number
// without point or exponent, which is exact.
func lastDigit(s string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	e, _ := strconv.Atoi(exponent)
	_, decimals, ok := strings.Cut(mantissa, ".")
	if !ok && exponent == "" {
		return 0
	}
	return math.Pow(10, float64(e-len(decimals)))
}
