package batch

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

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
			if again, _ := p.solutions(runs); !slices.Equal(again, found) {
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

// TestCostOfLimits verifies that the cost of a run that violates many limits is the same at every
// call. A search repeated from stored runs must take the same path.
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

// TestCostOrder verifies the order of costs by the rules of Deb (2000). Feasible runs are ordered
// by their objective; the others follow by their violation, then runs without a value. It holds for
// objectives near the largest number.
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

// TestOptimizeSmallViolations compares the best run with the tenth root of 2. The first round has
// violations up to 1e30, and the limits hold for 1e-4 of the range.
func TestOptimizeSmallViolations(t *testing.T) {
	p, runs := execute(t, `{"tool": "exponent_calc", "mode": "minimize", "input": {"exponent": 10},
		"vary": [{"field": "/base", "from": 0.01, "to": 1000}], "objective": "result",
		"collect": ["result"], "limits": {"result": {"min": 2, "max": 4}}}`)
	best, ok := p.Summarize(runs).Best.Run()
	if !ok {
		t.Fatal("no run is within the limits")
	}
	want := math.Pow(2, 0.1)
	if x := scalar(json.RawMessage(best.Input["/base"])); math.Abs(x-want) > 1e-5*want {
		t.Errorf("best at the base %.8g, want %.8g", x, want)
	}
}

// TestCostOfExtremes verifies that costs order the smallest and the largest violations. None is NaN
// although a violation exceeds its scale by more than the largest number.
func TestCostOfExtremes(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "mode": "minimize", "objective": "a",
		"vary": [{"field": "/dist_km", "from": 1, "to": 2}],
		"collect": [{"name": "a", "pointer": "fspl_db"}], "limits": {"a": {"min": 0}}}`)
	last := 0.0
	for _, x := range []float64{5e-324, 1e-300, 1, 1 + 1e-8, math.MaxFloat64} {
		cost := p.cost(Run{Collected: []float64{-x}}, map[string]float64{"a": 1e-10})
		if !(cost > last) || cost >= failedCost {
			t.Errorf("cost of the violation %g is %g, before %g", x, cost, last)
		}
		last = cost
	}
}
