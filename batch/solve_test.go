package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
)

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
			other := slices.Clone(runs)
			other[len(runs)-1].Values = []Value{Value("-1")}
			if again, _ := p.solutions(other); again != nil {
				t.Errorf("repeated from runs of another search: %v", again)
			}
			if again, _ := p.solutions(runs); !slices.Equal(again, found) {
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
// numbers. A root is the number next to a change of sign with the smaller distance.
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

// TestSolveBetweenWholeNumbers verifies that a search over whole numbers ignores the fractions of
// the ends of its range. By Semtech AN1200.13, the airtime at SF10 and 125 kHz is 8.192 ms (20.25 +
// 5 ceil((8 n + 4) / 40)). It is 698.368 ms at 60 to 64 bytes and 739.328 ms at 65.
func TestSolveBetweenWholeNumbers(t *testing.T) {
	const request = `{"tool": "lora_airtime", "input": {"sf": 10, "bw_khz": 125}, "mode": %q,
		"vary": [{"field": "/payload_bytes", "from": %g, "to": %g}], "collect": ["airtime_ms"], %s}`
	const target = `"target": {"name": "airtime_ms", "value": 700}`
	for _, ends := range [][2]float64{{0.5, 255}, {255, 0.5}, {-0.5, 254.7}} {
		p, runs := execute(t, fmt.Sprintf(request, Solve, ends[0], ends[1], target))
		s := p.Summarize(runs)
		if len(*s.Roots) != 1 || s.FirstError != nil ||
			string((*s.Roots)[0].Input["/payload_bytes"]) != "64" {
			t.Errorf("%v: roots %+v, %+v", ends, *s.Roots, s.FirstError)
		}
	}
	p, runs := execute(t, fmt.Sprintf(request, Maximize, 0.5, 62.5, `"objective": "airtime_ms"`))
	s := p.Summarize(runs)
	if best, ok := s.Best.Run(); !ok || s.FirstError != nil ||
		*best.Values["airtime_ms"] != 698.368 {
		t.Errorf("best %+v, %+v", best, s.FirstError)
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
