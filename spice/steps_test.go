package spice

import (
	"context"
	"math"
	"strings"
	"testing"
)

// lastOf returns the last value of the vector with this name.
func lastOf(t *testing.T, r *AnalysisResult, name string) float64 {
	t.Helper()
	for _, v := range r.Vectors {
		if v.Name == name {
			return v.Values[len(v.Values)-1]
		}
	}
	t.Fatalf("%s: no vector %s", r.Card, name)
	return 0
}

// runsOf returns the results of all runs and all cards in order.
func runsOf(r *Result) []*AnalysisResult {
	all := []*AnalysisResult{&r.AnalysisResult}
	for k := range r.Others {
		all = append(all, &r.Others[k])
	}
	return all
}

// TestSteps compares the voltage of a divider with v(out) = 10 V·r/(1 kΩ + r).
func TestSteps(t *testing.T) {
	const divider = "t\nV1 in 0 10\nR1 in out 1k\nR2 out 0 {r}\n.param r=5\n.op\n"
	for _, c := range []struct {
		name, cards string
		want        []float64 // v(out)
	}{
		{"list", ".step param r list 1k 3k", []float64{5, 7.5}},
		{"linear", ".step param r 1k 3k 1k", []float64{5, 20.0 / 3, 7.5}},
		{"two values", ".step param r 1k 4k", []float64{5, 8}},
		{"linear, descending", ".step param r 3k 1k -2k", []float64{7.5, 5}},
		{"decades", ".step dec param r 10 1k 1", []float64{10 * 10.0 / 1010, 10 * 100.0 / 1100, 5}},
		{"octaves", ".step oct param r 1k 4k 1", []float64{5, 20.0 / 3, 8}},
		{"nested, the first fastest",
			".step param r list 1k 3k\n.param k=1\nR3 out 0 {2k*k}\n.step param k list 1 2",
			[]float64{10 * (2.0 / 3) / (1 + 2.0/3), 10 * 1.2 / 2.2, 10 * 0.8 / 1.8,
				10 * (12.0 / 7) / (1 + 12.0/7)}},
	} {
		r, err := Simulate(context.Background(), Request{Netlist: divider + c.cards + "\n.end"})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		runs := runsOf(r)
		if len(runs) != len(c.want) {
			t.Fatalf("%s: %d runs, want %d; %v", c.name, len(runs), len(c.want), r.Warnings)
		}
		for k, want := range c.want {
			if got := lastOf(t, runs[k], "v(out)"); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s, run %d (%s): %g V, want %g", c.name, k, runs[k].Card, got, want)
			}
		}
	}
}

// TestStepTemperatureAndModel compares steps of the temperature with the effect of tc1, computed by
// hand. It also verifies that the diode current i = is·(exp(v/vt) - 1) is proportional to the model
// parameter is.
func TestStepTemperatureAndModel(t *testing.T) {
	for name, text := range map[string]string{
		"step":   "t\nI1 0 a 1m\nR1 a 0 1k tc1=0.01\n.step temp 27 127 50\n.op\n.end",
		"list":   "t\nI1 0 a 1m\nR1 a 0 1k tc1=0.01\n.temp 27 77 127\n.op\n.end",
		"temper": "t\nI1 0 a 1m\nR1 a 0 {1k*(1+0.01*(temper-27))}\n.temp 27 77 127\n.op\n.end",
	} {
		r, err := Simulate(context.Background(), Request{Netlist: text})
		if err != nil {
			t.Fatal(err)
		}
		for k, run := range runsOf(r) {
			if got, want := lastOf(t, run, "v(a)"), 1+0.5*float64(k); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s, run %d: %g V, want %g", name, k, got, want)
			}
		}
	}
	r, err := Simulate(context.Background(),
		Request{
			Netlist: "t\nV1 a 0 0.5\nD1 a 0 dm\n.model dm d(is=1f)\n.step d dm(is) 1f 3f 2f\n.op\n.end"})
	if err != nil {
		t.Fatal(err)
	}
	runs := runsOf(r)
	if len(runs) != 2 || runs[1].Step[0].Name != "dm(is)" ||
		math.Abs(runs[1].Step[0].Value/3e-15-1) > 1e-12 {
		t.Fatalf("%d runs, step %v", len(runs), runs[len(runs)-1].Step)
	}
	if ratio := lastOf(t, runs[1], "i(v1)") / lastOf(t, runs[0],
		"i(v1)"); math.Abs(ratio-3) > 1e-3 {
		t.Errorf("three times the saturation current: %g times the current", ratio)
	}
}

// TestStepTemperaturePrecedence verifies that a stepped temperature replaces every other
// setting with a warning. These are a .temp card before or after it, temperature_c and the option
// temp.
func TestStepTemperaturePrecedence(t *testing.T) {
	const circuit = "I1 0 a 1m\nR1 a 0 1k tc1=0.01\n"
	const temper = "I1 0 a 1m\nR1 a 0 {1k*(1+0.01*(temper-27))}\n"
	other := 50.0
	for _, c := range []struct {
		name, netlist, warning string
		request                Request
	}{
		{".temp before", circuit + ".temp 50\n.step temp list 27 77", "line 4: .temp 50",
			Request{}},
		{".temp after", circuit + ".step temp list 27 77\n.temp 50", "line 5: .temp 50",
			Request{}},
		{".temp and a list", circuit + ".temp 50\n.temp 27 77", "line 4: .temp 50", Request{}},
		{"temper", temper + ".temp 50\n.step temp list 27 77", "line 4: .temp 50", Request{}},
		{"temperature_c", circuit + ".step temp list 27 77", "50 °C of the request",
			Request{TemperatureC: &other}},
		{"temperature_c and temper", temper + ".step temp list 27 77", "50 °C of the request",
			Request{TemperatureC: &other}},
		{".options", circuit + ".options temp=50\n.step temp list 27 77", "line 4: .options temp=50",
			Request{}},
		{"option", circuit + ".step temp list 27 77", "50 °C of the request",
			Request{Options: map[string]any{"temp": other}}},
	} {
		c.request.Netlist = "t\n" + c.netlist + "\n.op\n.end"
		r, err := Simulate(context.Background(), c.request)
		if err != nil {
			t.Fatal(c.name, err)
		}
		for k, run := range runsOf(r) {
			if got, want := lastOf(t, run, "v(a)"), 1+0.5*float64(k); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s, run %d: %g V, want %g V", c.name, k, got, want)
			}
		}
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, c.warning) {
			t.Errorf("%s: warnings %q", c.name, r.Warnings)
		}
	}
}

// TestStepTwice verifies that a second card for the same quantity is an error. Its runs would have
// the values of one card and the labels of both.
func TestStepTwice(t *testing.T) {
	for _, cards := range []string{".step temp list 27 77\n.temp 0 50",
		".step param r list 1k 2k\n.step param r 3k 4k 1k", ".step I1 1m 2m 1m\n.step i1 list 3m"} {
		_, err := Simulate(context.Background(), Request{
			Netlist: "t\n.param r=1k\nI1 0 a 1m\nR1 a 0 {r}\n" + cards + "\n.op\n.end"})
		if err == nil || !strings.Contains(err.Error(), "stepped twice, first in line 5") {
			t.Errorf("%s: %v", cards, err)
		}
	}
}

// TestStepSource verifies that .step sets the DC value of a source and keeps its phasor and its
// waveform. By hand, v(a) = (V1 + 1 kΩ·I1)/2 with 1 kΩ from V1 and 1 kΩ to ground.
func TestStepSource(t *testing.T) {
	for _, c := range []struct {
		name, sources, cards string
		want                 []float64 // v(a) at the end of each run [V]
		warns                bool
	}{
		{"list", "V1 s 0 7\nI1 0 a 0", ".step V1 list 1 2 4\n.op", []float64{0.5, 1, 2}, false},
		{"dc and ac", "V1 s 0 dc 7 ac 1 90\nI1 0 a 0", ".step v1 1 3 1\n.op",
			[]float64{0.5, 1, 1.5}, false},
		{"ac before dc", "V1 s 0 ac 2 45 dc 7\nI1 0 a 0", ".step v1 1 3 1\n.op",
			[]float64{0.5, 1, 1.5}, false},
		{"no value", "V1 s 0\nI1 0 a 0", ".step dec V1 1 100 1\n.op", []float64{0.5, 5, 50}, false},
		{"current", "V1 s 0 0\nI1 0 a 7", ".step I1 1m 3m 1m\n.op", []float64{0.5, 1, 1.5}, false},
		{"two sources", "V1 s 0 0\nI1 0 a 0", ".step V1 list 1 2\n.step I1 list 1m 2m\n.op",
			[]float64{1, 1.5, 1.5, 2}, false},
		{"a waveform stays in .tran", "V1 s 0 sin(0 1 1k 0 0 90)\nI1 0 a 0",
			".step V1 list 5 6\n.tran 1m",
			[]float64{0.5, 0.5}, true},
		{"a waveform, .op", "V1 s 0 sin(0 1 1k)\nI1 0 a 0", ".step V1 list 5 6\n.op",
			[]float64{2.5, 3}, true},
	} {
		r, err := Simulate(context.Background(), Request{
			Netlist: "t\n" + c.sources + "\nR1 s a 1k\nR2 a 0 1k\n" + c.cards + "\n.end"})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		runs := runsOf(r)
		if len(runs) != len(c.want) {
			t.Fatalf("%s: %d runs, want %d", c.name, len(runs), len(c.want))
		}
		for k, want := range c.want {
			if got := lastOf(t, runs[k], "v(a)"); math.Abs(got-want) > 1e-4 {
				t.Errorf("%s, run %d: %g V, want %g", c.name, k, got, want)
			}
		}
		if warns := strings.Contains(strings.Join(r.Warnings, " "),
			"its waveform"); warns != c.warns {
			t.Errorf("%s: warnings %v", c.name, r.Warnings)
		}
	}
	// The phasor of V1 remains 2 V at 45°, which the divider halves.
	r, err := Simulate(context.Background(),
		Request{Netlist: "t\nV1 s 0 ac 2 45 dc 7\nR1 s a 1k\nR2 a 0 1k\n" +
			".step V1 list 1 2\n.ac lin 1 1k 1k\n.end"})
	if err != nil {
		t.Fatal(err)
	}
	if got := lastOf(t, &r.AnalysisResult, "v(a)_mag"); math.Abs(got-1) > 1e-9 {
		t.Errorf("magnitude %g V, want 1", got)
	}
}

// TestStepCorners verifies a worst-case analysis in the style of LTspice. The bits of the run
// number select the corner of every tolerance, and the last run is nominal. By hand, v = 10
// V·R2/(R1 + R2).
func TestStepCorners(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: `t
.func binary(run,index) {floor(run/(2**index))-2*floor(run/(2**(index+1)))}
.func wc(nom,tol,index) {if(run==numruns,nom,if(binary(run,index),nom*(1+tol),nom*(1-tol)))}
.param numruns=4 run=0
.step param run 0 4 1
V1 in 0 10
R1 in out {wc(1k,0.1,0)}
R2 out 0 {wc(1k,0.05,1)}
.op
.end`})
	if err != nil {
		t.Fatal(err)
	}
	runs := runsOf(r)
	if len(runs) != 5 {
		t.Fatalf("%d runs, want 5", len(runs))
	}
	for k, corner := range [][2]float64{{900, 950}, {1100, 950}, {900, 1050}, {1100, 1050},
		{1000, 1000}} {
		if got, want := lastOf(t, runs[k], "v(out)"),
			10*corner[1]/(corner[0]+corner[1]); math.Abs(got-want) > 1e-6 {
			t.Errorf("run %d: %g V, want %g", k, got, want)
		}
	}
}

// TestMonteCarlo verifies that random functions return nominal values without a seed. With a seed,
// the mean and the standard deviation of 900 runs must match the distribution within four standard
// errors. The values differ between runs, and equal seeds return equal values.
func TestMonteCarlo(t *testing.T) {
	run := func(function, options string) []float64 {
		text := "t\nI1 0 a 1\nR1 a 0 {" + function + "}\n.param n=0\n.step param n 1 900 1\n.op\n" +
			options + "\n.end"
		r, err := Simulate(context.Background(), Request{Netlist: text})
		if err != nil {
			t.Fatal(err)
		}
		var out []float64
		for _, one := range runsOf(r) {
			out = append(out, lastOf(t, one, "v(a)"))
		}
		return out
	}
	for _, c := range []struct {
		function        string
		mean, deviation float64
	}{
		{"mc(100,0.1)", 100, 10 / math.Sqrt(3)}, {"unif(100,0.1)", 100, 10 / math.Sqrt(3)},
		{"aunif(100,10)", 100, 10 / math.Sqrt(3)}, {"gauss(100,0.1,2)", 100, 5},
		{"agauss(100,9,3)", 100, 3}, {"100+flat(10)", 100, 10 / math.Sqrt(3)},
		{"100+gauss(5)", 100, 5},
	} {
		if got := run(c.function, ""); got[0] != 100 || got[899] != 100 {
			t.Errorf("%s without a seed: %g and %g", c.function, got[0], got[899])
		}
		got := run(c.function, ".options seed=7")
		var sum, squares float64
		for _, v := range got {
			sum += v
			squares += (v - c.mean) * (v - c.mean)
		}
		n := float64(len(got))
		if n != 900 || math.Abs(sum/n-c.mean) > 4*c.deviation/math.Sqrt(n) {
			t.Errorf("%s: mean %g of %g runs", c.function, sum/n, n)
		}
		if s := math.Sqrt(squares / n); math.Abs(s/c.deviation-1) > 4/math.Sqrt(2*n) {
			t.Errorf("%s: standard deviation %g, want %g", c.function, s, c.deviation)
		}
	}
	one, again, other := run("mc(1,0.5)", ".options seed=1"), run("mc(1,0.5)", ".options seed=1"),
		run("mc(1,0.5)", ".options seed=2")
	if one[5] != again[5] || one[5] == other[5] || one[5] == one[6] {
		t.Errorf("seed 1: %g and %g, seed 2: %g; next run %g", one[5], again[5], other[5], one[6])
	}
}

// TestStepLimits verifies that the runs share the budget and that their number is limited.
func TestStepLimits(t *testing.T) {
	many := "t\nV1 a 0 1\nR1 a 0 {r}\n.param r=1\n.step param r 1 5000 1\n.op\n.end"
	r, err := Simulate(context.Background(), Request{Netlist: many})
	if err != nil || len(runsOf(r)) != MaxRuns || !strings.Contains(strings.Join(r.Warnings, " "),
		"more than 1000 runs") {
		t.Errorf("%d runs, %v, %v", len(runsOf(r)), r.Warnings, err)
	}
	r, err = Simulate(context.Background(),
		Request{Netlist: many, Budget: &Budget{Newton: 100, Numbers: 1e6, Wall: 1e10}})
	if err != nil || len(runsOf(r)) > 101 || !strings.Contains(strings.Join(r.Warnings, " "),
		"runs of .step were made") {
		t.Errorf("%d runs, %v, %v", len(runsOf(r)), r.Warnings, err)
	}
	// The iterations of runs without an operating point count against the budget. Nothing limits
	// the current of D1.
	failing := "t\nV1 a 0 {v}\nD1 a 0 dm\n.model dm d\n.param v=0\n.step param v list 0" +
		strings.Repeat(" 500", 50) + "\n.op\n.end"
	r, err = Simulate(context.Background(),
		Request{Netlist: failing, Budget: &Budget{Newton: 2000, Numbers: 1e6, Wall: 1e10}})
	if err != nil || len(runsOf(r)) > 49 || !strings.Contains(strings.Join(r.Warnings, " "),
		"runs of .step were made") {
		t.Errorf("failing runs: %d runs, %v, %v", len(runsOf(r)), r.Warnings, err)
	}
	// A failing run does not affect the other runs.
	r, err = Simulate(context.Background(),
		Request{Netlist: "t\nV1 a 0 1\nR1 a 0 1\nC1 a 0 1 m={m}\n.param m=1\n.step param m list 1 -1 2\n.op\n.end"})
	if err != nil || len(r.Others) != 2 || len(r.Others[0].Warnings) == 0 ||
		len(r.Others[1].Vectors) == 0 {
		t.Errorf("a run that fails: %+v, %v", r, err)
	}
}

// TestStepNames verifies that runs have the names of their .step cards as written.
func TestStepNames(t *testing.T) {
	for card, want := range map[string]string{
		".step param Rload 1 2 1": "Rload", ".step Rload list 1 2": "Rload", ".step V1 1 2 1": "V1",
		".step d Dm(Is) 1f 2f 1f": "Dm(Is)", ".step TEMP 0 50 50": "temp",
	} {
		r := run(t, "t\nV1 a 0 1\nR1 a 0 {rload}\nD1 a 0 dm\n.model dm d\n.param rload=1\n"+card+
			"\n.op\n.end", "op")
		if step := r.Step; len(step) != 1 || step[0].Name != want {
			t.Errorf("%s: %v", card, step)
		}
	}
}
