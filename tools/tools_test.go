package tools

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

type ratioIn struct {
	Num   float64   `json:"numerator" unit:"V" doc:"above"`
	Den   float64   `json:"denominator" unit:"V" default:"2" doc:"below"`
	Times *int      `json:"times" unit:"1" min:"1" doc:"repeat"`
	Extra []float64 `json:"extra" unit:"V" default:"[]" doc:"more"`
}

type ratioOut struct {
	Ratio float64   `json:"ratio" unit:"1" doc:"quotient"`
	Volts float64   `json:"volts" unit:"V" doc:"sum"`
	Label *string   `json:"label" doc:"text or null"`
	Steps []float64 `json:"steps" unit:"1" doc:"steps"`
	Warnings
}

func ratio(ctx context.Context, in ratioIn) (ratioOut, error) {
	var out ratioOut
	if in.Num < 0 && in.Den < 0 {
		var f FieldErrors
		f.Add("numerator", "must not be negative with the denominator")
		f.AddValue("denominator", in.Den, "must not be negative with the numerator")
		return out, f.Err()
	}
	out.Ratio, out.Volts = in.Num/in.Den, in.Num+in.Den
	if in.Num > 1e6 {
		out.Warn("%g V is a lot <here>", in.Num)
	}
	return out, ctx.Err()
}

func ratioSpec(name string) Spec {
	return Spec{
		Name: name, Title: "Ratio", Summary: "One over the other", Method: "a / b",
		Sources: []string{"arithmetic"}, Aliases: []string{"Quotient of two"},
		Examples: []Example{{Title: "a half", In: `{"numerator": 1}`, Want: `{"ratio": 0.5}`}},
	}
}

func TestRun(t *testing.T) {
	tool := Define(ratioSpec("ratio"), ratio)
	if tool.Version != "1.0.0" || tool.Description() != "One over the other. Method: a / b" {
		t.Errorf("version %q, description %q", tool.Version, tool.Description())
	}
	for _, c := range []struct{ name, in, want string }{
		{"every field present, nil lists empty", `{"numerator": 1}`,
			`{"ratio":0.5,"volts":3,"label":null,"steps":[],"warnings":[]}`},
		{"null is absent", `{"numerator": 1, "denominator": null}`,
			`{"ratio":0.5,"volts":3,"label":null,"steps":[],"warnings":[]}`},
		{"no HTML escapes; unknown fields after the tool's warnings",
			`{"numerator": 2e6, "denominatr": 1}`,
			`{"ratio":1000000,"volts":2000002,"label":null,"steps":[],"warnings":["2000000 V is a lot <here>","unknown field \"denominatr\" was ignored; did you mean denominator?"]}`},
	} {
		got, err := tool.Run(context.Background(), []byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, in, say string }{
		{"not JSON", `{"numerator": }`, "invalid JSON at byte 14"},
		{"missing", `{}`, "numerator: is required"},
		{"misspelt", `{"nummerator": 1}`, `"nummerator" is unknown; was numerator meant?`},
		{"two faults", `{"numerator": "1", "times": 0}`, "numerator: must be a number (a string was given), got \"1\"; times: must be at least 1, got 0"},
		{"the tool's own rule", `{"numerator": -1, "denominator": -1}`,
			"denominator: must not be negative with the numerator, got -1"},
		{"division by zero", `{"numerator": 1, "denominator": 0}`, "denominator: is too small: " +
			"it leads to a result that is not a finite number (ratio), got 0"},
		{"overflow", `{"numerator": 1e300, "denominator": 1e-300, "extra": [0, 1e-20]}`,
			"numerator: is too large: it leads to a result that is not a finite number (ratio), " +
				"got 1e+300; denominator: is too small: " +
				"it leads to a result that is not a finite number (ratio), got 1e-300; extra[1]: "},
		{"one extreme value", `{"numerator": -1e302, "denominator": 1e-9}`,
			"numerator: is too large in magnitude: "},
		{"zero before ordinary values", `{"numerator": 1e3, "denominator": 0, "extra": [1e5]}`,
			"denominator: is too small: "},
	} {
		_, err := tool.Run(context.Background(), []byte(c.in))
		if AsInputError(err) == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v does not say %q", c.name, err, c.say)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tool.Run(ctx, []byte(`{"numerator": 1}`)); !errors.Is(err, context.Canceled) ||
		AsInputError(err) != nil {
		t.Errorf("a cancelled run ends with %v", err)
	}
}

func TestCanonical(t *testing.T) {
	tool := Define(ratioSpec("ratio"), ratio)
	want := `{"numerator":1,"denominator":2,"times":null,"extra":[]}`
	for _, in := range []string{
		`{"numerator": 1}`,
		`{"numerator": 1.0, "times": null}`,
		"{\"denominator\": 2e0,\n \"numerator\": 10e-1, \"unknown\": [1]}",
		`{"extra": [], "\u006eumerator": 1}`,
	} {
		got, err := tool.Canonical([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v", in, got, err)
		}
	}
	again, err := tool.Canonical([]byte(want))
	if err != nil || string(again) != want {
		t.Errorf("the canonical form becomes %s, %v", again, err)
	}
	if other, _ := tool.Canonical([]byte(`{"numerator": 1, "times": 1}`)); string(other) == want {
		t.Error("two inputs that differ have the same form")
	}
	if _, err := tool.Canonical([]byte(`{}`)); AsInputError(err) == nil {
		t.Errorf("got %v", err)
	}
}

func TestDefinePanics(t *testing.T) {
	for name, spoil := range map[string]func(*Spec){
		"no name":     func(s *Spec) { s.Name = "" },
		"no title":    func(s *Spec) { s.Title = "" },
		"no summary":  func(s *Spec) { s.Summary = "" },
		"no method":   func(s *Spec) { s.Method = "" },
		"no source":   func(s *Spec) { s.Sources = nil },
		"no examples": func(s *Spec) { s.Examples = nil },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("defined")
				}
			}()
			s := ratioSpec("ratio")
			spoil(&s)
			Define(s, ratio)
		})
	}
}

func TestNearest(t *testing.T) {
	names := []string{"fspl", "link_budget", "dipole", "vswr", "voltage_drop",
		"voltage_divider", "freq_mhz"}
	for _, c := range []struct {
		word string
		want []string
	}{
		{"fpsl", []string{"fspl"}},                               // adjacent letters swapped
		{"FSPL", []string{"fspl"}},                               // different case
		{"linkbudget", []string{"link_budget"}},                  // underscore left out
		{"budget", []string{"link_budget"}},                      // part of a name
		{"dipole_antenna", []string{"dipole"}},                   // a text that contains a name
		{"voltage", []string{"voltage_drop", "voltage_divider"}}, // in the order of names
		{"frequency_mhz", nil},                                   // five letters too many
		{"xyzzy", nil},                                           // nothing like it
		{"", nil},                                                // no text
		{strings.Repeat("voltage_drop", 6), nil},                 // a text longer than any name
		// The text is too short to be a part of a name, and two edits away from one.
		{"vs", nil},
	} {
		if got := Nearest(c.word, names, 3); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
	if got := Nearest("voltage", names, 1); len(got) != 1 {
		t.Errorf("asked for one, got %q", got)
	}
}

func TestCatalog(t *testing.T) {
	a, b := Define(ratioSpec("ratio_a"), ratio), Define(ratioSpec("ratio_b"), ratio)
	edges := []ChainLink{
		{From: "ratio_a", To: "ratio_b", Fields: []FieldLink{{Out: "volts", In: "numerator"},
			SameName("denominator")}},
		{From: "ratio_a", To: "ratio_b", Fields: []FieldLink{{Out: "volts", In: "denominator"}}},
	}
	c, err := NewCatalog([]Category{{"one", "One", []*Tool{a}}, {"two", "Two", []*Tool{b}}}, edges)
	if err != nil {
		t.Fatal(err)
	}
	all := c.All()
	if len(all) != 2 || all[0].Name != "ratio_a" || all[1].Category != "two" {
		t.Errorf("the order is lost: %v", all)
	}
	e, err := c.Find("ratio_a")
	if err != nil ||
		!reflect.DeepEqual(e.Chain, Chain{Feeds: []string{"ratio_b"}, AcceptsFrom: []string{}}) {
		t.Errorf("chain %+v, %v", e.Chain, err)
	}
	if m := c.Metadata(all[1]); len(m.ChainFields) != 2 || m.InputSchema["$schema"] != Dialect ||
		len(m.Examples) != 1 || m.Limits == nil {
		t.Errorf("metadata %+v", m)
	}
	at := time.Date(2025, 1, 2, 3, 4, 5, 678_901_234, time.FixedZone("", 3600))
	raw, err := json.Marshal(e.Envelope(json.RawMessage(`{"ratio":1}`), at))
	if want := `{"result":{"ratio":1},"tool":"ratio_a","version":"1.0.0","computed_at":"2025-01-02T02:04:05.678Z","chain":{"feeds":["ratio_b"],"accepts_from":[]}}`; err != nil || string(raw) != want {
		t.Errorf("envelope %s, %v", raw, err)
	}

	var missing *NotFoundError
	if _, err := c.Find("ratio_c"); !errors.As(err, &missing) || !reflect.DeepEqual(missing.Nearest,
		[]string{"ratio_a", "ratio_b"}) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Find("quotient_of_two"); !errors.As(err, &missing) || len(missing.Nearest) != 2 {
		t.Errorf("an alias leads to %v", err)
	}
	if _, err := c.Find(strings.Repeat("ä", 5000)); !errors.As(err, &missing) ||
		len(err.Error()) > 300 {
		t.Errorf("a long name is echoed in %d bytes", len(err.Error()))
	}
}

func TestNewCatalogErrors(t *testing.T) {
	a, b := Define(ratioSpec("a"), ratio), Define(ratioSpec("b"), ratio)
	for _, c := range []struct {
		name  string
		tools []*Tool
		edge  ChainLink
		say   string
	}{
		{"a name twice", []*Tool{a, b, a},
			ChainLink{From: "a", To: "b", Fields: []FieldLink{{"volts", "numerator"}}},
			"a is defined twice"},
		{"no such tool", []*Tool{a, b},
			ChainLink{From: "a", To: "c", Fields: []FieldLink{{"volts", "numerator"}}},
			"no such tool"},
		{"nothing passed", []*Tool{a, b}, ChainLink{From: "a", To: "b"}, "passes no field"},
		{"no such field", []*Tool{a, b},
			ChainLink{From: "a", To: "b", Fields: []FieldLink{{"amperes", "numerator"}}},
			"a has no field amperes"},
		{"no such input", []*Tool{a, b},
			ChainLink{From: "a", To: "b", Fields: []FieldLink{{"volts", "ratio"}}},
			"b has no input ratio"},
		{"unit", []*Tool{a, b},
			ChainLink{From: "a", To: "b", Fields: []FieldLink{{"ratio", "numerator"}}},
			`unit "1" does not fit "V"`},
		{"kind", []*Tool{a, b},
			ChainLink{From: "a", To: "b", Fields: []FieldLink{{"label", "numerator"}}},
			"a string does not fit a number"},
		{"a number for a whole number", []*Tool{a, b},
			ChainLink{From: "a", To: "b", Fields: []FieldLink{{"ratio", "times"}}},
			"a number does not fit a integer"},
	} {
		if _, err := NewCatalog([]Category{{"x", "X", c.tools}}, []ChainLink{c.edge}); err == nil ||
			!strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v does not say %q", c.name, err, c.say)
		}
	}
	if _, err := NewCatalog([]Category{{"x", "X", []*Tool{a, b}}},
		[]ChainLink{{From: "a", To: "b", Fields: []FieldLink{{"times", "numerator"}}}}); err ==
		nil {
		t.Error("a dimensionless count fits volts")
	}
}

func TestFaults(t *testing.T) {
	var f FieldErrors
	if f.Err() != nil {
		t.Error("no faults are an error")
	}
	f.AddValue("x", math.NaN(), "cannot be shown")
	f.AddValue("y", strings.Repeat("long", 100), "is long")
	f.AddValue("z", 3, "is three")
	if got := f.Err().Error(); got != "x: cannot be shown; y: is long; z: is three, got 3" {
		t.Errorf("got %q", got)
	}
	if AsInputError(errors.New("x")) != nil || AsInputError(nil) != nil {
		t.Error("another error is an input error")
	}
}

func TestProgress(t *testing.T) {
	Report(context.Background(), Progress{"unheard", 1})
	var got []Progress
	ctx := WithProgress(context.Background(), func(p Progress) { got = append(got, p) })
	Report(ctx, Progress{"routing", 50})
	Report(ctx, Progress{"routing", 100 * 0.58}) // 57.99999999999999 in binary
	if len(got) != 2 || got[0].Percent != 50 || got[1].Percent != 58 {
		t.Errorf("got %v", got)
	}
}

// TestResultsThatAreNamed verifies that Define rejects names of results or inputs that do not
// exist.
func TestResultsThatAreNamed(t *testing.T) {
	type in struct {
		Volts  *float64 `json:"volts" unit:"V" doc:"voltage"`
		Amps   *float64 `json:"amps" unit:"A" doc:"current"`
		Ohms   float64  `json:"ohms" unit:"Ω" doc:"resistance"`
		Metres *float64 `json:"metres" unit:"mm" doc:"length"`
	}
	type out struct {
		Volts  float64 `json:"volts" unit:"V" doc:"voltage"`
		Amps   float64 `json:"amps" unit:"A" doc:"current"`
		Ohms   float64 `json:"ohms" unit:"Ω" doc:"resistance"`
		Metres float64 `json:"metres" unit:"m" doc:"length"`
		Warnings
	}
	for _, c := range []struct {
		name    string
		primary []string
		solves  Solves
		refused bool
	}{
		{"nothing named", nil, Solves{}, false},
		{"as it should be", []string{"amps", "volts"}, Solves{[]string{"volts", "amps"}, 1}, false},
		{"no such result", []string{"watts"}, Solves{}, true},
		{"an input that is required", nil, Solves{[]string{"volts", "ohms"}, 1}, true},
		{"another unit", nil, Solves{[]string{"volts", "metres"}, 1}, true},
		{"no such input", nil, Solves{[]string{"volts", "watts"}, 1}, true},
		{"all are given", nil, Solves{[]string{"volts", "amps"}, 2}, true},
		{"none is given", nil, Solves{[]string{"volts", "amps"}, 0}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if r := recover(); (r != nil) != c.refused {
					t.Errorf("refused: %v", r)
				}
			}()
			spec := ratioSpec("named")
			spec.Primary, spec.Solves = c.primary, c.solves
			Define(spec, func(context.Context, in) (out, error) { return out{}, nil })
		})
	}
}

type partIn struct {
	Ref   string             `json:"ref" doc:"Name"`
	Sizes map[string]sizeIn  `json:"sizes" default:"{}" doc:"Sizes"`
	Grid  [][]sizeIn         `json:"grid" default:"[]" doc:"Rows"`
	Notes map[string]float64 `json:"notes" unit:"1" default:"{}" doc:"Anything"`
}

type sizeIn struct {
	WidthMM float64 `json:"width_mm" unit:"mm" default:"1" doc:"Width"`
}

type layoutIn struct {
	Layers int      `json:"layers" unit:"1" default:"2" doc:"Layers"`
	Parts  []partIn `json:"parts" default:"[]" doc:"Parts"`
}

func layout(_ context.Context, in layoutIn) (ratioOut, error) {
	out := ratioOut{Ratio: float64(in.Layers)}
	if in.Layers > 8 {
		out.Warn("%d layers cost [a lot]", in.Layers)
	}
	return out, nil
}

// TestUnknown verifies that the result of the canonical body with the warnings of Unknown equals
// the result of the body itself. The unknown fields are at different depths.
func TestUnknown(t *testing.T) {
	spec := ratioSpec("layout")
	spec.Unsupported = map[string]string{"holes": "the layout has none"}
	tool := Define(spec, layout)
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"none", `{"layers":4}`, nil},
		{"misspelt", `{"layer":4}`,
			[]string{`unknown field "layer" was ignored; did you mean layers?`}},
		{"like no other", `{"layer_count":4}`, []string{`unknown field "layer_count" was ignored`}},
		{"of no use here", `{"holes":[1]}`,
			[]string{`unknown field "holes" was ignored: the layout has none`}},
		{"behind a warning of the tool", `{"layers":9,"zz":1}`,
			[]string{`unknown field "zz" was ignored`}},
		{"in a list", `{"parts":[{"ref":"a"},{"ref":"b","reff":1}]}`,
			[]string{`unknown field "parts[1].reff" was ignored; did you mean parts[1].ref?`}},
		{"in a map in a list", `{"parts":[{"ref":"a","sizes":{"x":{"width_m":1}}}]}`,
			[]string{`unknown field "parts[0].sizes.x.width_m" was ignored; did you mean parts[0].sizes.x.width_mm?`}},
		{"in a list of lists", `{"parts":[{"ref":"a","grid":[[{"with_mm":1}]]}]}`,
			[]string{`unknown field "parts[0].grid[0][0].with_mm" was ignored; did you mean parts[0].grid[0][0].width_mm?`}},
		{"with a dot", `{"parts.ref":1}`, []string{`unknown field "parts.ref" was ignored`}},
		{"with dots and brackets", `{"a[0].b":1,"layers[0].c":2,".":3,"":4}`, []string{
			`unknown field "a[0].b" was ignored`, `unknown field "layers[0].c" was ignored`,
			`unknown field "." was ignored`, `unknown field "" was ignored`}},
		{"markup and quotes", `{"<b>\"]}":1}`, []string{`unknown field "<b>\"]}" was ignored`}},
		{"a long name", `{"` + strings.Repeat("ä", 1000) + `":1}`,
			[]string{`unknown field "` + strings.Repeat("ä", 48) + `…" was ignored`}},
	} {
		got := tool.Unknown([]byte(c.in))
		if len(got) != len(c.want) {
			t.Fatalf("%s: %q", c.name, got)
		}
		for i, w := range c.want {
			if got[i] != w {
				t.Errorf("%s: %q, want %q", c.name, got[i], w)
			}
		}
		direct, err := tool.Run(t.Context(), []byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := tool.Canonical([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		run, err := tool.Run(t.Context(), canonical)
		if err != nil {
			t.Fatal(err)
		}
		before := string(run)
		added := AppendWarnings(run, got)
		var a, b any
		if err := json.Unmarshal(added, &a); err != nil {
			t.Fatalf("%s: %v in %s", c.name, err, added)
		}
		if err := json.Unmarshal(direct, &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\ncanonical %s\ndirect    %s", c.name, added, direct)
		}
		if string(run) != before {
			t.Errorf("%s: the result was changed", c.name)
		}
	}
	if got := tool.Unknown([]byte(`{"layers":`)); got != nil {
		t.Errorf("of a body that is refused: %q", got)
	}
	var many strings.Builder
	for i := range 30 {
		many.WriteString(`,"zz` + strings.Repeat("z", i) + `":1`)
	}
	if got := tool.Unknown([]byte(`{"layers":2` + many.String() + `}`)); len(got) != 21 ||
		got[20] != "10 more unknown fields were ignored" {
		t.Errorf("of many: %q", got)
	}
}

// TestWarningsComeLast verifies that the warnings are the last field of a result, as AppendWarnings
// requires.
func TestWarningsComeLast(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a result behind the warnings is allowed")
		}
	}()
	type out struct {
		Warnings
		Ratio float64 `json:"ratio" unit:"1" doc:"quotient"`
	}
	Define(ratioSpec("behind"), func(context.Context, ratioIn) (out, error) { return out{}, nil })
}
