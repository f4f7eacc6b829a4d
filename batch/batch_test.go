package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"slipstick/tools/catalog"
)

// newPlan returns the plan of a valid request.
func newPlan(t *testing.T, request string) *Plan {
	t.Helper()
	r, err := Parse([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(all, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// execute runs a whole batch.
func execute(t *testing.T, request string) (*Plan, []Run) {
	t.Helper()
	p := newPlan(t, request)
	runs, err := p.Execute(t.Context(), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, runs
}

// columnOf returns a collected column.
func columnOf(t *testing.T, p *Plan, runs []Run, name string) []float64 {
	t.Helper()
	k := p.collectedIndex(name)
	if k < 0 {
		t.Fatalf("%s is not collected: %v", name, p.Collected())
	}
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = r.Collected[k]
	}
	return out
}

// TestContractExample compares the results of a logarithmic range with the equation FSPL = 20 lg d
// + 20 lg f + 32.45, with d in km and f in MHz.
func TestContractExample(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}]}`)
	loss := columnOf(t, p, runs, "fspl_db")
	for i, want := range []float64{91.676, 111.676, 131.676} {
		if math.Abs(loss[i]-want) > 1e-3 {
			t.Errorf("run %d: %g dB, want %g", i, loss[i], want)
		}
		if got, want := string(runs[i].Values[0]), []string{"1", "10", "100"}[i]; got != want {
			t.Errorf("run %d is at %s km", i, got)
		}
	}
	var b bytes.Buffer
	if err := p.WriteCSV(&b, Rows{Runs: runs}, true); err != nil ||
		!strings.HasPrefix(b.String(), "index,/dist_km,") {
		t.Errorf("%v\n%s", err, b.String())
	}
	text, err := json.Marshal(p.Columns(Rows{Runs: runs}, 3))
	if err != nil || !strings.Contains(string(text), `"/dist_km":[1,10,100]`) ||
		!strings.Contains(string(text), `"error":[null,null,null]`) {
		t.Errorf("%v %s", err, text)
	}
	b.Reset()
	if err := p.WriteNDJSON(&b, Rows{From: 1, Runs: runs[1:]}); err != nil ||
		!strings.HasPrefix(b.String(), `{"index":1,"/dist_km":10,`) {
		t.Errorf("%v %s", err, b.String())
	}
	for line := range strings.Lines(b.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s is not JSON", line)
		}
	}
}

// TestEqualsSingleCalls verifies that the values of every run equal the result of a single call
// with the same input.
func TestEqualsSingleCalls(t *testing.T) {
	p, runs := execute(t, `{"tool": "link_budget", "input": {"tx_dbm": 20, "freq_mhz": 915, "dist_km": 1, "rx_sensitivity_dbm": -120},
		"vary": [{"field": "/dist_km", "values": [1, 5.5, 20]}, {"field": "/tx_dbm", "from": 10, "to": 30, "points": 5}]}`)
	if len(runs) != 15 {
		t.Fatalf("%d runs", len(runs))
	}
	for i, r := range runs {
		raw, err := p.Tool.Run(t.Context(), p.Input(i))
		if err != nil {
			t.Fatal(err)
		}
		var result map[string]any
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		for k, name := range p.Collected() {
			if x, ok := result[name].(float64); ok && x != r.Collected[k] {
				t.Errorf("run %d: %s = %g, want %g", i, name, r.Collected[k], x)
			}
		}
	}
}

// TestSolveContract compares the solution with the example of docs/batches.md, a margin of 10 dB at
// 427.8 km.
func TestSolveContract(t *testing.T) {
	p, runs := execute(t, `{"tool": "link_budget", "input": {"tx_dbm": 20, "freq_mhz": 915, "rx_sensitivity_dbm": -130}, "mode": "solve",
		"vary": [{"field": "/dist_km", "from": 1, "to": 5000}], "target": {"name": "margin_db", "value": 10}}`)
	roots := *p.Summarize(runs).Roots
	if len(roots) != 1 {
		t.Fatalf("%d roots: %v", len(roots), roots)
	}
	if x := scalar(json.RawMessage(roots[0].Input["/dist_km"])); math.Abs(x-427.8) > 0.1 {
		t.Errorf("root at %g km", x)
	}
	if len(runs) > 60 {
		t.Errorf("%d runs", len(runs))
	}
}

// evaluateWith returns an Evaluate that applies a function to the values of each point.
func evaluateWith(f func(x []float64) float64) Evaluate {
	return func(_ context.Context, points [][]Value) ([]Run, error) {
		runs := make([]Run, len(points))
		for i, p := range points {
			x := make([]float64, len(p))
			for e := range p {
				x[e] = scalar(json.RawMessage(p[e]))
			}
			runs[i] = Run{Values: p, Collected: []float64{f(x)}}
		}
		return runs, nil
	}
}

// searchPlan returns the plan of a search over one or two fields (entries), each in the range from
// low to high.
func searchPlan(t *testing.T, mode string, low, high float64, entries, n int, extra string) *Plan {
	t.Helper()
	vary := []string{}
	for _, f := range []string{"/freq_mhz", "/dist_km"}[:entries] {
		vary = append(vary, fmt.Sprintf(`{"field": %q, "from": %g, "to": %g}`, f, low, high))
	}
	request := fmt.Sprintf(`{"tool": "fspl", "mode": %q, "vary": [%s], "collect": ["fspl_db"]%s`,
		mode, strings.Join(vary, ","), extra)
	if mode == Solve {
		request += `, "target": {"name": "fspl_db", "value": 0}`
	} else {
		request += `, "objective": "fspl_db"`
	}
	if n > 0 {
		request += fmt.Sprintf(`, "n": %d`, n)
	}
	request += "}"
	return newPlan(t, request)
}

// TestSolveRoots verifies that all roots are found, and that poles and jumps are not reported as
// roots.
func TestSolveRoots(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x float64) float64
		want []float64
	}{
		"line": {func(x float64) float64 {
			return x - 0.123456789
		}, []float64{0.123456789}},
		"end": {func(x float64) float64 { return x }, []float64{0}},
		"sine": {func(x float64) float64 {
			return math.Sin(10 * x)
		}, []float64{0, math.Pi / 10, math.Pi / 5, 3 * math.Pi / 10}},
		"steep": {func(x float64) float64 {
			return math.Expm1(80 * (x - 0.3))
		}, []float64{0.3}},
		"flat": {func(x float64) float64 {
			return math.Pow(x-0.41, 9)
		}, []float64{0.41}},
		"touch": {func(x float64) float64 {
			return (x - 0.37) * (x - 0.37)
		}, []float64{0.37}},
		"narrow pair": {func(x float64) float64 {
			return (x - 0.370) * (x - 0.371)
		}, []float64{0.370, 0.371}},
		"pole": {func(x float64) float64 { return 1 / (x - 0.37) }, nil},
		"tangent": {func(x float64) float64 {
			return math.Tan(4 * x)
		}, []float64{0, math.Pi / 4}},
		"jump": {func(x float64) float64 { return math.Copysign(1, x-0.37) }, nil},
		"rounded": {func(x float64) float64 {
			return math.Round(1000*(x-0.37005)) / 1000
		}, []float64{0.37005}},
		"none": {func(x float64) float64 { return 1 + x }, nil},
		"beside no result": {func(x float64) float64 {
			return math.Log(x-0.2) + 1
		}, []float64{0.2 + 1/math.E}},
	} {
		t.Run(name, func(t *testing.T) {
			p := searchPlan(t, Solve, 0, 1, 1, 0, "")
			var runs []Run
			evaluate := evaluateWith(func(x []float64) float64 { return c.f(x[0]) })
			found, err := p.Search(t.Context(),
				func(ctx context.Context, points [][]Value) ([]Run, error) {
					round, err := evaluate(ctx, points)
					runs = append(runs, round...)
					return round, err
				})
			if err != nil {
				t.Fatal(err)
			}
			var got []float64
			for _, i := range found {
				got = append(got, scalar(json.RawMessage(runs[i].Values[0])))
			}
			tolerance := 1e-8
			switch name {
			case "touch", "flat":
				tolerance = 1e-4 // the value is 0 within rounding in this range
			case "rounded":
				tolerance = 1e-3
			}
			ok := len(got) == len(c.want)
			for i := range got {
				ok = ok && math.Abs(got[i]-c.want[i]) <= tolerance
			}
			if !ok {
				t.Errorf("roots %v, want %v", got, c.want)
			}
			if len(runs) > p.Runs() {
				t.Errorf("%d runs, said %d", len(runs), p.Runs())
			}
			if again, _ := p.answers(runs); !slices.Equal(again, found) {
				t.Errorf("repeated from the stored runs: %v, want %v", again, found)
			}
		})
	}
}

// TestSolveRunLimit verifies that n ends a search of 16 roots, 1/32 to 31/32, after at most n runs.
// The roots found until then are exact, and the summary states that others are missing. The default
// does not exceed the 200 daily calls without a key.
func TestSolveRunLimit(t *testing.T) {
	wave := func(x []float64) float64 { return math.Cos(16 * math.Pi * x[0]) }
	for n, want := range map[int]int{0: 10, 34: 0, 60: 2, 90: 5, 400: 16} {
		p := searchPlan(t, Solve, 0, 1.01, 1, n, "")
		if p.Runs() > 200 && n == 0 || n > 0 && p.Runs() != n {
			t.Errorf("n %d: at most %d runs", n, p.Runs())
		}
		var runs []Run
		evaluate := evaluateWith(wave)
		found, err := p.Search(t.Context(),
			func(ctx context.Context, points [][]Value) ([]Run, error) {
				round, err := evaluate(ctx, points)
				runs = append(runs, round...)
				return round, err
			})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range found {
			x := scalar(json.RawMessage(runs[i].Values[0]))*16 - 0.5
			if math.Abs(x-math.Round(x)) > 1e-6 {
				t.Errorf("n %d: %g is no root", n, (x+0.5)/16)
			}
		}
		s := p.Summarize(runs)
		if len(found) < want || len(runs) > p.Runs() || len(*s.Roots) != len(found) ||
			(s.Incomplete == "") != (len(found) == 16) {
			t.Errorf("n %d: %d roots after %d of %d runs, incomplete: %q", n, len(found), len(runs),
				p.Runs(), s.Incomplete)
		}
	}
}

// TestSolveWholeNumbers compares the roots over a field of whole numbers with an evaluation at all
// numbers: a root is the number next to a change of sign with the smaller distance.
func TestSolveWholeNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		from, to float64
		points   int
		scale    string
		target   float64
	}{
		"three points": {0, 250, 3, "", 200},
		"few numbers":  {100, 120, 33, "", 200},
		"downwards":    {250, 0, 5, "", 100},
		"exact":        {0, 250, 4, "", 210.176}, // the airtime of 125 bytes
		"logarithmic":  {1, 255, 4, "log", 200},
		"decades":      {1, 255, 2, "", 60},
		"outside":      {0, 100, 5, "", 300},
	} {
		scale := ""
		if c.scale != "" {
			scale = `, "scale": "` + c.scale + `"`
		}
		const base = `{"tool": "lora_airtime", "input": {"sf": 7, "bw_khz": 125},
			"collect": ["airtime_ms"], "vary": [{"field": "/payload_bytes", "from": %g, "to": %g, `
		p, runs := execute(t, fmt.Sprintf(base+`"points": %d%s}], "mode": "solve",
			"target": {"name": "airtime_ms", "value": %g}}`, c.from, c.to, c.points, scale,
			c.target))
		_, all := execute(t, fmt.Sprintf(base+`"points": %g}]}`, c.from, c.to,
			math.Abs(c.to-c.from)+1))
		distance := func(i int) float64 { return all[i].Collected[0] - c.target }
		var want, got []string
		for i := range all {
			nearer := i
			if i > 0 && math.Abs(distance(i-1)) < math.Abs(distance(i)) {
				nearer = i - 1
			}
			if distance(i) == 0 || i > 0 && distance(i-1)*distance(i) < 0 {
				want = append(want, string(all[nearer].Values[0]))
			}
		}
		s := p.Summarize(runs)
		for _, r := range *s.Roots {
			got = append(got, string(r.Input["/payload_bytes"]))
		}
		if name != "exact" && !slices.Equal(got, want) || name == "exact" && !subset(got, want) ||
			s.FirstError != nil || s.Incomplete != "" || (s.Note == "") != (len(got) == 0) {
			t.Errorf("%s: roots %v, want %v; %+v %q %q", name, got, want, s.FirstError,
				s.Incomplete, s.Note)
		}
	}
}

// subset reports whether part has entries, all of which are in whole.
func subset(part, whole []string) bool {
	for _, x := range part {
		if !slices.Contains(whole, x) {
			return false
		}
	}
	return len(part) > 0
}

// TestSolveBesideFailures verifies that a root is found although runs in its interval fail. A root
// that such runs may hide is reported as missing.
func TestSolveBesideFailures(t *testing.T) {
	without := func(from, to float64, f func(x float64) float64) func(x float64) float64 {
		return func(x float64) float64 {
			if x >= from && x <= to {
				return math.NaN()
			}
			return f(x)
		}
	}
	line := func(x float64) float64 { return x - 0.377 }
	for name, c := range map[string]struct {
		f          func(x float64) float64
		want       []float64
		incomplete bool
	}{
		"a scan point fails":     {without(0.375, 0.375, line), []float64{0.377}, false},
		"a third of an interval": {without(0.379, 0.389, line), []float64{0.377}, false},
		"first refinement":       {without(0.3765, 0.37699, line), []float64{0.377}, false},
		"the root itself":        {without(0.3, 0.4, line), nil, true},
		"beside the root":        {without(0.376, 0.3769, line), []float64{0.377}, false},
		"a pole at a scan point": {without(0.375, 0.375, func(x float64) float64 {
			return 1 / (x - 0.375)
		}), nil, false},
		"a minimum": {without(0.3, 0.3651, func(x float64) float64 {
			return (x - 0.45) * (x - 0.45)
		}), []float64{0.45}, false},
	} {
		p := searchPlan(t, Solve, 0, 1, 1, 0, "")
		var runs []Run
		evaluate := evaluateWith(func(x []float64) float64 { return c.f(x[0]) })
		found, err := p.Search(t.Context(),
			func(ctx context.Context, points [][]Value) ([]Run, error) {
				round, err := evaluate(ctx, points)
				runs = append(runs, round...)
				return round, err
			})
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, i := range found {
			got = append(got, scalar(json.RawMessage(runs[i].Values[0])))
		}
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && math.Abs(got[i]-c.want[i]) < 1e-4
		}
		if s := p.Summarize(runs); !ok || (s.Incomplete != "") != c.incomplete ||
			len(*s.Roots) != len(found) {
			t.Errorf("%s: roots %v, want %v; incomplete %q", name, got, c.want, s.Incomplete)
		}
	}
}

// TestSolveScansDecades verifies that solve finds two roots that lie within the first interval of a
// linear scan over six decades. Both must be exact to 1e-9 of the range. It also verifies that a
// given scale, or a range that contains 0, prevents the logarithmic scan.
func TestSolveScansDecades(t *testing.T) {
	const a, b = 2.51188643150958, 7.943282347242815 // 10^0.4 and 10^0.9
	pair := func(x float64) float64 {
		return (math.Log10(math.Abs(x)) - 0.4) * (math.Log10(math.Abs(x)) - 0.9)
	}
	high := func(x float64) float64 { return math.Log10(math.Abs(x)) - 5.9 }
	for name, c := range map[string]struct {
		f         func(x float64) float64
		low, high float64
		scale     string
		want      []float64
	}{
		"six decades":       {pair, 1, 1e6, "", []float64{a, b}},
		"downwards":         {pair, 1e6, 1, "", []float64{b, a}},
		"negative":          {pair, -1, -1e6, "", []float64{-a, -b}},
		"root at the end":   {high, 1, 1e6, "", []float64{math.Pow(10, 5.9)}},
		"on request":        {pair, 1, 99, "log", []float64{a, b}},
		"even on request":   {pair, 1, 1e6, "lin", nil},
		"two decades, even": {pair, 1, 100, "", []float64{a, b}},
		"with 0":            {pair, -1, 1e6, "", nil},
	} {
		p := searchPlan(t, Solve, c.low, c.high, 1, 0, "")
		if c.scale != "" {
			p.Request.Vary[0].Scale = &c.scale
		}
		var runs []Run
		evaluate := evaluateWith(func(x []float64) float64 { return c.f(x[0]) })
		found, err := p.Search(t.Context(),
			func(ctx context.Context, points [][]Value) ([]Run, error) {
				round, err := evaluate(ctx, points)
				runs = append(runs, round...)
				return round, err
			})
		if err != nil {
			t.Fatal(err)
		}
		ok := len(found) == len(c.want)
		for i := range min(len(found), len(c.want)) {
			x := scalar(json.RawMessage(runs[found[i]].Values[0]))
			ok = ok && math.Abs(x-c.want[i]) <= 1e-9*math.Abs(c.high-c.low)
		}
		if !ok || len(runs) > p.Runs() {
			t.Errorf("%s: %d roots after %d runs, want %v", name, len(found), len(runs), c.want)
		}
	}
}

// TestOptimize verifies that known minima, with and without a constraint, are found within the
// number of runs. Source: Rosenbrock, Comput. J. 3 (1960): minimum at (1, 1).
func TestOptimize(t *testing.T) {
	rosenbrock := func(x []float64) float64 {
		return 100*math.Pow(x[1]-x[0]*x[0], 2) + math.Pow(1-x[0], 2)
	}
	for name, c := range map[string]struct {
		f         func(x []float64) float64
		mode      string
		low, high float64
		entries   int
		extra     string
		want      []float64
		tolerance float64
	}{
		"rosenbrock": {rosenbrock, Minimize, 0.1, 3, 2, "", []float64{1, 1}, 0.02},
		"one field": {func(x []float64) float64 {
			return -math.Pow(x[0]-1.7, 2)
		}, Maximize, 0.1, 3, 1, "", []float64{1.7}, 1e-3},
		"at a bound": {func(x []float64) float64 {
			return x[0] + x[1]
		}, Minimize, 1, 3, 2, "", []float64{1, 1}, 1e-3},
		"limited": {func(x []float64) float64 {
			return x[0] + x[1]
		}, Minimize, 1, 3, 2, `, "limits": {"fspl_db": {"min": 4}}`, nil, 1e-3},
	} {
		t.Run(name, func(t *testing.T) {
			p := searchPlan(t, c.mode, c.low, c.high, c.entries, 400, c.extra)
			var runs []Run
			evaluate := evaluateWith(c.f)
			found, err := p.Search(t.Context(),
				func(ctx context.Context, points [][]Value) ([]Run, error) {
					round, err := evaluate(ctx, points)
					runs = append(runs, round...)
					return round, err
				})
			if err != nil || len(found) != 1 || len(runs) > 400 {
				t.Fatalf("%v, best %v of %d runs", err, found, len(runs))
			}
			best := runs[found[0]]
			for e, want := range c.want {
				if got := scalar(json.RawMessage(best.Values[e])); math.Abs(got-want) >
					c.tolerance {
					t.Errorf("field %d at %g, want %g (%d runs)", e, got, want, len(runs))
				}
			}
			if name == "limited" && math.Abs(best.Collected[0]-4) > c.tolerance {
				t.Errorf("best %g, want 4", best.Collected[0])
			}
			if again, _ := p.answers(runs); !slices.Equal(again, found) {
				t.Errorf("repeated from the stored runs: %v, want %v", again, found)
			}
		})
	}
	p := searchPlan(t, Minimize, 1, 3, 2, 100, `, "limits": {"fspl_db": {"max": -1}}`)
	found, err := p.Search(t.Context(), evaluateWith(func(x []float64) float64 { return x[0] }))
	if err != nil || len(found) != 0 {
		t.Errorf("%v: %v, want none within the limits", err, found)
	}
}

// TestOptimizeOverValues verifies that a field with listed values takes only the listed values.
func TestOptimizeOverValues(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "mode": "minimize", "n": 150, "objective": "fspl_db",
		"vary": [{"field": "/dist_km", "values": [3, 1, 2]}, {"field": "/freq_mhz", "from": 100, "to": 1000, "scale": "log"}]}`)
	best := p.Summarize(runs).Best.run
	if best == nil || string(best.Input["/dist_km"]) != "1" ||
		scalar(json.RawMessage(best.Input["/freq_mhz"])) > 101 {
		t.Errorf("best %+v", best)
	}
}

// TestOptimizeWholeNumbers verifies that no run of an optimization fails over a field of whole
// numbers. The airtime grows with the payload.
func TestOptimizeWholeNumbers(t *testing.T) {
	p, runs := execute(t, `{"tool": "lora_airtime", "mode": "maximize", "n": 60, "input": {"sf": 7, "bw_khz": 125},
		"vary": [{"field": "/payload_bytes", "from": 1, "to": 100}], "objective": "airtime_ms",
		"collect": ["airtime_ms"], "limits": {"airtime_ms": {"max": 130}}}`)
	s := p.Summarize(runs)
	best, ok := s.Best.Run()
	if !ok || s.FirstError != nil {
		t.Fatalf("best %+v, %+v", best, s.FirstError)
	}
	_, all := execute(t, `{"tool": "lora_airtime", "input": {"sf": 7, "bw_khz": 125}, "collect": ["airtime_ms"],
		"vary": [{"field": "/payload_bytes", "from": 1, "to": 100, "points": 100}]}`)
	want := 0.0
	for _, r := range all {
		if x := r.Collected[0]; x <= 130 {
			want = max(want, x)
		}
	}
	if got := *best.Values["airtime_ms"]; got != want {
		t.Errorf("best %g ms, want %g", got, want)
	}
}

// TestModes compares the values of each mode with values derived by hand.
func TestModes(t *testing.T) {
	show := func(p *Plan) (out []string) {
		for i := range p.Runs() {
			out = append(out, string(p.Input(i)))
		}
		return out
	}
	p := newPlan(t, `{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [1, 2]}, {"field": "/freq_mhz", "from": 3, "to": 1, "points": 2}]}`)
	want := []string{`{"dist_km":1,"freq_mhz":3}`, `{"dist_km":1,"freq_mhz":1}`,
		`{"dist_km":2,"freq_mhz":3}`, `{"dist_km":2,"freq_mhz":1}`}
	if got := show(p); !slices.Equal(got, want) {
		t.Errorf("grid %q", got)
	}
	p = newPlan(t, `{"tool": "fspl", "mode": "zip", "vary": [{"field": "/dist_km", "values": [1, 2]}, {"field": "/freq_mhz", "from": 3, "to": 1, "points": 2}]}`)
	if got := show(p); !slices.Equal(got, []string{want[0], want[3]}) {
		t.Errorf("zip %q", got)
	}
	p = newPlan(t, `{"tool": "fspl", "mode": "list", "input": {"dist_km": 1, "freq_mhz": 2}, "inputs": [{}, {"freq_mhz": 5}]}`)
	if got := show(p); !slices.Equal(got, []string{`{"dist_km":1,"freq_mhz":2}`,
		`{"dist_km":1,"freq_mhz":5}`}) {
		t.Errorf("list %q", got)
	}
	dry, err := p.Check(t.Context())
	if err != nil || dry.RunsTotal != 2 || dry.RunsInvalid != 0 || len(dry.First) != 2 {
		t.Errorf("%v %+v", err, dry)
	}
	dry, err = newPlan(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "vary": [{"field": "/dist_km", "from": -2, "to": 2, "points": 5}]}`).Check(t.Context())
	if err != nil || dry.RunsInvalid != 3 {
		t.Errorf("%v %+v", err, dry)
	}
}

// TestDistributions compares moments and bounds of each distribution in each random mode with their
// formulas, within five standard errors.
func TestDistributions(t *testing.T) {
	const n = 4096
	for name, c := range map[string]struct {
		source      string
		mean, sigma float64
		low, high   float64
	}{
		"normal": {`"distribution": "normal", "mean": 100, "sigma": 2`, 100,
			2, -1e9, 1e9},
		"truncated": {
			`"distribution": "normal", "mean": 100, "sigma": 2, "truncate_sigma": 2`, 100,
			2 * 0.87962566, 96, 104},
		"uniform": {`"distribution": "uniform", "min": 10, "max": 20`, 15,
			10 / math.Sqrt(12), 10, 20},
		"lognormal": {`"distribution": "lognormal", "median": 50, "sigma_ln": 0.2`,
			50 * math.Exp(0.02), 50 * math.Exp(0.02) * math.Sqrt(math.Expm1(0.04)), 0, 1e9},
		"triangular": {`"distribution": "triangular", "min": 1, "mode": 2, "max": 6`, 3,
			math.Sqrt((1 + 4 + 36 - 2 - 6 - 12) / 18.0), 1, 6},
		"tolerance": {`"tolerance_pct": 10`, 200, 20 / math.Sqrt(3), 180, 220},
		"tolerance, normal": {`"tolerance_pct": 10, "distribution": "normal"`, 200,
			20.0 / 3 * 0.98658, 180, 220},
	} {
		for _, mode := range []string{Random, LHS, Sobol} {
			t.Run(name+" "+mode, func(t *testing.T) {
				request := fmt.Sprintf(`{"tool": "fspl", "mode": %q, "n": %d, "seed": 3, "input": {"freq_mhz": 200, "dist_km": 1}, "vary": [{"field": "/freq_mhz", %s}]}`, mode, n, c.source)
				p := newPlan(t, request)
				var x []float64
				for i := range n {
					x = append(x, scalar(json.RawMessage(p.Values(i)[0])))
				}
				mean, sigma := stat.MeanStdDev(x, nil)
				if math.Abs(mean-c.mean) > 5*c.sigma/math.Sqrt(n) ||
					math.Abs(sigma/c.sigma-1) > 5/math.Sqrt(n) {
					t.Errorf("mean %g, want %g; sigma %g, want %g", mean, c.mean, sigma, c.sigma)
				}
				if slices.Min(x) < c.low || slices.Max(x) > c.high {
					t.Errorf("%g to %g", slices.Min(x), slices.Max(x))
				}
			})
		}
	}
}

// TestStratified verifies that a Latin hypercube has one draw in each of n strata of every field.
// It verifies that a scrambled Sobol sequence of 2^k points has one point in each elementary
// interval of two fields. It also verifies that the first points of random and sobol do not depend
// on n.
func TestStratified(t *testing.T) {
	const n = 256
	for _, mode := range []string{LHS, Sobol} {
		u := newUniforms(mode, 7, n, MaxVariations)
		for e := range MaxVariations {
			seen := map[int]bool{}
			for i := range n {
				x := u(i, e)
				if x <= 0 || x >= 1 {
					t.Fatalf("%s: %g", mode, x)
				}
				seen[int(x*n)] = true
			}
			if len(seen) != n {
				t.Errorf("%s, field %d: %d of %d strata", mode, e, len(seen), n)
			}
		}
	}
	u := newUniforms(Sobol, 7, n, 2)
	for k := 0; k <= 8; k++ {
		seen := map[[2]int]bool{}
		for i := range n {
			seen[[2]int{int(u(i, 0) * float64(int(1)<<k)), int(u(i, 1) * float64(int(1)<<(8-k)))}] =
				true
		}
		if len(seen) != n {
			t.Errorf("%d intervals of 2^-%d by 2^-%d", len(seen), k, 8-k)
		}
	}
	for _, mode := range []string{Sobol, Random} {
		a, b := newUniforms(mode, 7, 10, 3), newUniforms(mode, 7, 1000, 3)
		if a(9, 2) != b(9, 2) || a(9, 2) == newUniforms(mode, 8, 10, 3)(9, 2) {
			t.Errorf("%s depends on n, or not on the seed", mode)
		}
	}
}

// TestSobolSequence compares points of the unscrambled sequence with the output of Joe and Kuo's
// program sobol.cc for new-joe-kuo-6.21201, sorted from Gray-code order into natural order. It also
// verifies that the second point is 0.5 in every dimension.
func TestSobolSequence(t *testing.T) {
	for d := range MaxVariations {
		if sobol(1, d) != 1<<31 {
			t.Errorf("dimension %d starts with %g", d, float64(sobol(1, d))/(1<<32))
		}
	}
	want := [][]float64{{0, 0, 0}, {0.5, 0.5, 0.5}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.25},
		{0.125, 0.625, 0.375}}
	for i, point := range want {
		for d, x := range point {
			if got := float64(sobol(uint32(i), d)) / (1 << 32); got != x {
				t.Errorf("point %d, dimension %d: %g, want %g", i, d, got, x)
			}
		}
	}
}

// TestSummary compares the statistics of a column with values computed by hand.
func TestSummary(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "vary": [{"field": "/dist_km", "values": [-1, 4, 1, 3, 2]}],
		"collect": [{"name": "wavelength", "pointer": "/wavelength_m"}, "fspl_db"], "limits": {"fspl_db": {"max": 40}}}`)
	for i := range runs {
		if runs[i].Err == "" {
			runs[i].Collected[1] = scalar(json.RawMessage(runs[i].Values[0])) * 10
		}
	}
	s := p.Summarize(runs)
	c := s.Columns["fspl_db"]
	if c.Count != 4 || *c.Mean != 25 || math.Abs(*c.Sigma-12.909944487358056) > 1e-12 ||
		*c.Min != 10 || *c.Argmin != 2 || *c.Max != 40 || *c.Argmax != 1 {
		t.Errorf("%+v", c)
	}
	// The reference is numpy.percentile([10, 20, 30, 40], [1, 25, 50, 95]).
	for got, want := range map[*float64]float64{c.P01: 10.3, c.P25: 17.5, c.P50: 25, c.P95: 38.5} {
		if math.Abs(*got-want) > 1e-9 {
			t.Errorf("percentile %g, want %g", *got, want)
		}
	}
	total := 0
	for _, k := range c.Histogram.Counts {
		total += k
	}
	if total != 4 || len(c.Histogram.Edges) != len(c.Histogram.Counts)+1 {
		t.Errorf("%+v", c.Histogram)
	}
	// Wilson's interval for 4 of 5 is 37.6 % to 96.4 % (Brown, Cai, DasGupta 2001, equation 4).
	if y := s.Yield; y.Passed != 4 || y.Of != 5 || math.Abs(y.LowPct-37.553) > 1e-2 ||
		math.Abs(y.HighPct-96.379) > 1e-2 {
		t.Errorf("%+v", y)
	}
	if runs[0].Err == "" || !math.IsNaN(runs[0].Collected[0]) {
		t.Errorf("the invalid run: %+v", runs[0])
	}
}

// TestStatisticsOverflow verifies that sums beyond the largest number are omitted, and that the
// summary can be encoded as JSON.
func TestStatisticsOverflow(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "collect": ["fspl_db"],
		"vary": [{"field": "/dist_km", "values": [1, 2, 3]}]}`)
	var runs []Run
	for i, x := range []float64{-1e308, 0, 1.5e308} {
		runs = append(runs, Run{Values: p.Values(i), Collected: []float64{x}})
	}
	s := p.Summarize(runs)
	c := s.Columns["fspl_db"]
	if c.Sigma != nil || c.Histogram != nil || *c.Max != 1.5e308 || *c.P50 != 0 {
		t.Errorf("%+v", c)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

// TestValuesAreNumbers verifies that the values of a very wide range are exact, and that uniform
// numbers lie between 0 and 1, exclusive.
func TestValuesAreNumbers(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "vary": [
		{"field": "/dist_km", "from": 1e-300, "to": 1e300, "points": 5, "scale": "log"}]}`)
	for i, want := range []string{"1e-300", "1e-150", "1", "1e+150", "1e+300"} {
		if got := string(p.Values(i)[0]); got != want {
			t.Errorf("value %d is %s, want %s", i, got, want)
		}
	}
	for _, mode := range []string{Random, LHS} {
		for seed := range int64(50) {
			u := newUniforms(mode, seed, 100, 1)
			for i := range 100 {
				if x := u(i, 0); x <= 0 || x >= 1 {
					t.Fatalf("%s: %g", mode, x)
				}
			}
		}
	}
}

// TestListKeepsNoCopies verifies that a plan of many inputs holds the base input once.
func TestListKeepsNoCopies(t *testing.T) {
	const inputs, base = 1000, 100_000
	request := fmt.Sprintf(`{"tool": "fspl", "mode": "list",
		"input": {"x": %q, "freq_mhz": 1}, "inputs": [%s{"dist_km": 2}]}`,
		strings.Repeat("x", base), strings.Repeat(`{"dist_km": 1},`, inputs-1))
	r, err := Parse([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := NewPlan(all, r); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	perPlan := after.TotalAlloc - before.TotalAlloc
	if perPlan > inputs*base/10 {
		t.Errorf("a plan allocates %d bytes", perPlan)
	}
}

// TestCostOfLimits verifies that the cost of a run that violates many limits is the same at every
// call, because a search repeated from stored runs must take the same path.
func TestCostOfLimits(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "mode": "minimize", "objective": "a",
		"vary": [{"field": "/dist_km", "from": 1, "to": 2}, {"field": "/freq_mhz", "from": 1, "to": 2}],
		"collect": [{"name": "a", "pointer": "fspl_db"}, {"name": "b", "pointer": "fspl_db"},
			{"name": "c", "pointer": "fspl_db"}, {"name": "d", "pointer": "fspl_db"}],
		"limits": {"a": {"min": 3}, "b": {"min": 0.7}, "c": {"min": 11}, "d": {"min": 0.013}}}`)
	r := Run{Collected: []float64{0.1, 0.01, 0.7, 0.0003}}
	scales := p.largestViolations([]Run{{Collected: []float64{0.3, 0.02, 0.1, 0}}})
	first := p.cost(r, scales)
	for range 200 {
		if cost := p.cost(r, scales); cost != first {
			t.Fatalf("cost %v, then %v", first, cost)
		}
	}
}

// TestCostOrder verifies the order of costs by the rules of Deb (2000): feasible runs by their
// objective, then the others by their violation, then runs without a value. It holds for objectives
// near the largest number.
func TestCostOrder(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "mode": "minimize", "objective": "a",
		"vary": [{"field": "/dist_km", "from": 1, "to": 2}, {"field": "/freq_mhz", "from": 1, "to": 2}],
		"collect": [{"name": "a", "pointer": "fspl_db"}, {"name": "b", "pointer": "fspl_db"}],
		"limits": {"b": {"min": 0}}}`)
	ascending := []Run{
		{Collected: []float64{-math.MaxFloat64, 0}}, {Collected: []float64{0, 5}},
		{Collected: []float64{1e100, 5}}, {Collected: []float64{math.MaxFloat64, 5}},
		{Collected: []float64{0, -0.001}}, {Collected: []float64{0, -1}},
		{Collected: []float64{-5, -80}}, {Collected: []float64{-5, -81}},
		{Collected: []float64{math.NaN(), -1}},
	}
	scales := p.largestViolations(ascending)
	for i, r := range ascending[1:] {
		if before := ascending[i]; !(p.cost(before, scales) < p.cost(r, scales)) {
			t.Errorf("cost of %v is %g, of %v %g", before.Collected, p.cost(before, scales),
				r.Collected, p.cost(r, scales))
		}
	}
}

// TestOptimizeAtLimit compares the best runs with closed forms. The margin is 0 at c/(4 pi f)
// 10^(94.3/20) with two dipoles of 2.15 dBi, below 1e-4 of the range. The minimum of 10^x is at the
// lower end of the range.
func TestOptimizeAtLimit(t *testing.T) {
	p, runs := execute(t, `{"tool": "link_budget", "mode": "maximize", "n": 500,
		"input": {"tx_dbm": 0, "freq_mhz": 915, "rx_sensitivity_dbm": -90},
		"vary": [{"field": "/dist_km", "from": 0.001, "to": 20000}], "objective": "fspl_db",
		"collect": ["margin_db", "fspl_db"], "limits": {"margin_db": {"min": 0}}}`)
	want := 299792458 / (4 * math.Pi * 915e6) * math.Pow(10, (90+2*2.15)/20) / 1000
	if best, ok := p.Summarize(runs).Best.Run(); !ok {
		t.Error("no run is within the limits")
	} else if x := scalar(json.RawMessage(best.Input["/dist_km"])); math.Abs(x-want) > 1e-3*want {
		t.Errorf("best at %g km, want %g", x, want)
	}
	p, runs = execute(t, `{"tool": "exponent_calc", "mode": "minimize", "n": 60, "input": {"base": 10},
		"vary": [{"field": "/exponent", "from": 101, "to": 150}], "objective": "result", "collect": ["result"]}`)
	if best, ok := p.Summarize(runs).Best.Run(); !ok {
		t.Error("no run is within the limits")
	} else if x := scalar(json.RawMessage(best.Input["/exponent"])); x > 101.2 {
		t.Errorf("best at the exponent %g, want 101", x)
	}
}

// TestRankCorrelation verifies that Spearman's rho of monotonic columns is 1 or -1.
func TestRankCorrelation(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "mode": "random", "n": 50, "input": {"dist_km": 1},
		"vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 1, "max": 9}, {"field": "/dist_km", "distribution": "uniform", "min": 1, "max": 1.0000001}]}`)
	rho := p.Summarize(runs).RankCorrelation["/freq_mhz"]
	if math.Abs(*rho["fspl_db"]-1) > 1e-3 || math.Abs(*rho["wavelength_m"]+1) > 1e-12 {
		t.Errorf("%g %g", *rho["fspl_db"], *rho["wavelength_m"])
	}
	// The reference is 1 - 6Σd²/(n³-n). Of the 10 runs with both values, only two neighbours have
	// different ranks in x and y, with d = 1 and -1.
	x, y := make([]float64, 12), make([]float64, 12)
	for i := range x {
		x[i], y[i] = float64(i), float64(i)*float64(i)
	}
	x[3], y[7], y[10], y[11] = math.NaN(), math.NaN(), y[11], y[10]
	at := func(values []float64) series {
		return newSeries(len(values), func(i int) float64 { return values[i] })
	}
	if got, want := spearman(at(x), at(y)), 1-6*2./(1000-10); math.Abs(got-want) > 1e-12 {
		t.Errorf("rho %g of series with absent values, want %g", got, want)
	}
	x[5] = math.NaN()
	if got := spearman(at(x), at(y)); !math.IsNaN(got) {
		t.Errorf("rho %g of 9 runs", got)
	}
	if got := ranks([]float64{5, 1, 5, 3}); !slices.Equal(got, []float64{2.5, 0, 2.5, 1}) {
		t.Errorf("ranks %v", got)
	}
}

const divider = "divider\nV1 in 0 DC 10\nR1 in out 1k\nR2 out 0 {r}\nC1 out 0 1u\n.param r=1k\n.op\n.tran 10u 1m\n.measure tran top MAX v(out)\n.end"

// TestNetlistFields verifies that parameters and elements of a netlist are varied, and that
// measures and vectors are collected.
func TestNetlistFields(t *testing.T) {
	text, err := json.Marshal(map[string]any{"netlist": divider, "analysis": "op"})
	if err != nil {
		t.Fatal(err)
	}
	p, runs := execute(t, fmt.Sprintf(`{"tool": "spice_simulate", "input": %s, "vary": [{"field": "param:R", "values": [1000, 3000]}, {"field": "element:r1", "values": [1000, 3000]}],
		"collect": [{"name": "out", "pointer": "/vectors/v(out)/0"}]}`, text))
	for i, want := range []float64{5, 2.5, 7.5, 5} {
		if got := columnOf(t, p, runs, "out")[i]; math.Abs(got-want) > 1e-6 {
			t.Errorf("run %d: %g V, want %g", i, got, want)
		}
	}
	text, err = json.Marshal(map[string]any{"netlist": strings.Replace(divider, ".op\n", "", 1)})
	if err != nil {
		t.Fatal(err)
	}
	p, runs = execute(t, fmt.Sprintf(`{"tool": "spice_simulate", "input": %s, "mode": "random", "n": 3, "vary": [{"field": "element:V1", "tolerance_pct": 10}],
		"collect": [{"name": "top", "measure": "TOP"}, {"name": "max", "vector": "v(out)", "reduce": "max"}, {"name": "mean", "vector": "v(in)", "reduce": "mean"}, {"name": "half", "vector": "v(out)", "at": 0.0005}]}`, text))
	for i, r := range runs {
		v := scalar(json.RawMessage(r.Values[0]))
		for k, want := range []float64{v / 2, v / 2, v, v / 2} {
			if math.Abs(r.Collected[k]-want) > 1e-5*v {
				t.Errorf("run %d, %s: %g, want %g (%s)", i, p.Collected()[k], r.Collected[k],
					want, r.Err)
			}
		}
	}
}

// TestReductions verifies reductions and interpolation of a piecewise linear vector with unequal
// steps against values computed by hand.
func TestReductions(t *testing.T) {
	x, y := []float64{0, 1, 3}, []float64{0, 2, -2}
	for name, want := range map[string]float64{"max": 2, "min": -2, "pp": 4, "mean": 1.0 / 3,
		"rms": math.Sqrt((4.0/3 + 2*4.0/3) / 3), "last": -2, "argmax": 1, "argmin": 3} {
		if got := reductions[name](x, y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %g, want %g", name, got, want)
		}
	}
	if got := reductions["mean"](nil, y); got != 0 {
		t.Errorf("mean without x %g", got)
	}
	if a, b := interpolate(x, y, 2), interpolate([]float64{3, 1, 0}, []float64{-2, 2, 0},
		0.5); a != 0 || b != 1 {
		t.Errorf("%g %g", a, b)
	}
	if got := interpolate(x, y, 4); !math.IsNaN(got) {
		t.Errorf("outside: %g", got)
	}
}

// TestInvalid verifies that every invalid request names its field.
func TestInvalid(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	vary := `"vary": [{"field": "/dist_km", "values": [1]}]`
	for request, want := range map[string]string{
		`{}`:               "tool",
		`{"tool": "fspl"}`: "vary: is required",
		`{"tool": "fspl", "runs": 3, ` + vary +
			`}`: "runs: is not a field",
		`{"tool": "fspl", "n": 3, ` + vary +
			`}`: "n: belongs to",
		`{"tool": "fspl", "target": {"name": "fspl_db", "value": 1}, ` + vary +
			`}`: "target: belongs to solve",
		`{"tool": "fspl", "mode": "solve", "n": 32, "target": {"name": "fspl_db", "value": 1},
			"vary": [{"field": "/dist_km", "from": 1, "to": 2}]}`: "n: must be at least 33",
		`{"tool": "fspl", "collect": ["/fspl_dbm"], ` + vary +
			`}`: "nearest: fspl_db",
		`{"tool": "fspl", "collect": ["/warnings"], ` + vary +
			`}`: "leads to a array",
		`{"tool": "fspl", "collect": [{"name": "x", "vector": "v(a)", "reduce": "max"}], ` + vary +
			`}`: "fspl has none",
		`{"tool": "fspl", "collect": ["fspl_db", "fspl_db"], ` + vary +
			`}`: "collect[1]",
		`{"tool": "fspl", "limits": {"x": {"min": 1}}, ` + vary +
			`}`: "limits.x",
		`{"tool": "fspl", "limits": {"fspl_db": {"min": 2, "max": 1}}, ` + vary +
			`}`: "must not exceed max",
		`{"tool": "fspl", "vary": [{"field": "/dist_kn", "values": [1]}]` +
			`}`: "nearest: dist_km",
		`{"tool": "fspl", "vary": [{"field": "dist_km", "values": [1]}]` +
			`}`: "must be a JSON pointer",
		`{"tool": "fspl", "vary": [{"field": "param:x", "values": [1]}]` +
			`}`: "names a part of a netlist, which fspl has not",
		`{"tool": "spice_simulate", "vary": [{"field": "element:R1", "values": [1]}]` +
			`}`: "needs the netlist as a string in input.netlist",
		`{"tool": "fspl", "vary": [{"field": "/dist_km"}]` +
			`}`: "no source",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [1], "from": 1, "to": 2, "points": 2}]}`: "two sources",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 2}]` +
			`}`: "points",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 0, "to": 2, "points": 2, "scale": "log"}]}`: "above 0",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "distribution": "uniform", "min": 1, "max": 2}]}`:   "belongs to random",
		`{"tool": "fspl", "mode": "random", "n": 3, ` + vary +
			`}`: "needs a distribution",
		`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km", "tolerance_pct": 1}]}`:                                                       "needs a base value",
		`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km", "distribution": "normal", "mean": 1}]}`:                                      "sigma: is required",
		`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km", "distribution": "normal", "mean": 1, "sigma": 1, "min": 0}]}`:                "min: does not belong",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "values": [1]}, {"field": "/dist_km", "values": [2]}]}`:                                                "is varied by entry 0 too",
		`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 2, "points": 100001}, {"field": "/freq_mhz", "from": 1, "to": 2, "points": 100001}]}`: "more than 100000 runs",
		`{"tool": "fspl", "mode": "zip", "vary": [{"field": "/dist_km", "values": [1]}, {"field": "/freq_mhz", "values": [2, 3]}]}`:                             "equal numbers",
		`{"tool": "fspl", "mode": "solve", "target": {"name": "fspl_db", "value": 1}, ` + vary +
			`}`: "needs from and to",
		`{"tool": "fspl", "mode": "minimize", "vary": [{"field": "/dist_km", "from": 1, "to": 2}]}`: "objective: is required",
	} {
		r, err := Parse([]byte(request))
		if err == nil {
			_, err = NewPlan(all, r)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", request, err, want)
		}
	}
}

// TestInvalidFields verifies that overlapping fields, text within a netlist, and draws beyond the
// largest number are rejected.
func TestInvalidFields(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	simulate := func(vary string) string {
		return `{"tool": "spice_simulate", "vary": [` + vary + `],
			"input": {"netlist": "t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end"}}`
	}
	for _, c := range []struct{ name, request, want string }{
		{"netlist and element", simulate(`{"field": "element:r1", "values": [1]},
			{"field": "/netlist", "values": ["t"]}`), "another entry varies"},
		{"member before its object", `{"tool": "spice_template", "vary": [
			{"field": "/params/r1", "values": [1]}, {"field": "/params", "values": [{}]}]}`,
			"vary[0].field: lies inside"},
		{"text in a netlist", simulate(`{"field": "element:r1", "values": [1, "2k"]}`),
			"vary[0].values[1]: must be a number"},
		{"lognormal overflow",
			`{"tool": "fspl", "mode": "random", "n": 3, "vary": [{"field": "/dist_km",
			"distribution": "lognormal", "median": 1, "sigma_ln": 500}]}`,
			"beyond the largest number"},
	} {
		r, err := Parse([]byte(c.request))
		if err == nil {
			_, err = NewPlan(all, r)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestAnyNumberOfWorkers verifies that the rows do not depend on the number of workers, and that a
// cancelled batch keeps the complete runs.
func TestAnyNumberOfWorkers(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "mode": "lhs", "n": 500, "input": {"dist_km": 1}, "vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 1, "max": 9}]}`)
	var texts []string
	for _, workers := range []int{1, 7} {
		last := 0
		runs, err := p.Execute(t.Context(), workers, func(done int) { last = done })
		if err != nil || last != 500 {
			t.Fatalf("%v, progress %d", err, last)
		}
		var b bytes.Buffer
		if err := p.WriteCSV(&b, Rows{Runs: runs}, true); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
	}
	if texts[0] != texts[1] {
		t.Error("the rows differ")
	}
	ctx, cancel := context.WithCancel(t.Context())
	runs, err := p.Execute(ctx, 2, func(done int) {
		if done == 100 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(runs) == 500 {
		t.Errorf("%v after %d runs", err, len(runs))
	}
	for i, r := range runs {
		if r.Values == nil {
			t.Fatalf("run %d is not complete", i)
		}
	}
}

// FuzzPlan verifies that no request makes a plan panic, and that every input of a plan is JSON.
func FuzzPlan(f *testing.F) {
	f.Add(
		[]byte(
			`{"tool": "fspl", "vary": [{"field": "/dist_km", "from": 1, "to": 2, "points": 2}]}`))
	f.Add([]byte(`{"tool": "friis_cascade", "mode": "random", "n": 2, "input": {"stages": [{"gain_db": 1}]}, "vary": [{"field": "/stages/0/gain_db", "tolerance_pct": 5}]}`))
	f.Add([]byte(`{"tool": "spice_simulate", "input": {"netlist": "t\nR1 a 0 1k\n.param x=2"}, "vary": [{"field": "param:x", "values": [1]}, {"field": "element:R1", "values": [1]}]}`))
	f.Add([]byte(`{"tool": "fspl", "mode": "solve", "target": {"name": "fspl_db", "value": 3}, "vary": [{"field": "/dist_km", "from": 1, "to": 2}]}`))
	all, err := catalog.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Parse(body)
		if err != nil {
			return
		}
		p, err := NewPlan(all, r)
		if err != nil || p.Searches() {
			return
		}
		for i := range min(p.Runs(), 20) {
			if input := p.Input(i); !json.Valid(input) {
				t.Fatalf("run %d: %s", i, input)
			}
		}
	})
}

// BenchmarkExecute measures the cost of a run of a synchronous tool in a batch.
func BenchmarkExecute(b *testing.B) {
	r, err := Parse([]byte(`{"tool": "fspl", "mode": "random", "n": 10000, "input": {"dist_km": 1}, "vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 1, "max": 9}]}`))
	if err != nil {
		b.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(all, r)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Execute(b.Context(), 2, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10000, "us/run")
}
