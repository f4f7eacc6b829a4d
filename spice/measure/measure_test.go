package measure_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"slipstick/spice"
	"slipstick/spice/analysis"
)

func simulate(t *testing.T, text string) *spice.Result {
	t.Helper()
	r, err := spice.Simulate(context.Background(), spice.Request{Netlist: text})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// values returns the values of the measures by name, with NaN for a failed measure.
func values(r *spice.Result) map[string]float64 {
	out := map[string]float64{}
	for _, m := range r.Measures {
		out[m.Name] = math.NaN()
		if m.Value != nil {
			out[m.Name] = *m.Value
		}
	}
	return out
}

const (
	rcStep  = "t\nV1 in 0 PWL(0 0 1n 1)\nR1 in out 1k\nC1 out 0 1u\n.tran 20u 10m\n"
	sine    = "t\nV1 a 0 SIN(0 1 1k)\nR1 a 0 1\n.tran 10u 3m\n"
	ramp    = "t\nV1 a 0 PWL(0 0 1m 2)\nR1 a 0 1k\n.tran 10u 1m\n"
	rcAC    = "t\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 100 1 1meg\n"
	line    = "t\nV1 a 0 0\nR1 a b 1k\nR2 b 0 1k\n"
	rcNoise = "t\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.noise v(out) V1 dec 20 1 1meg\n"
	halved  = "t\nV1 a 0 6\nR1 a b 1k\nR2 b 0 1k\n.op\n"
)

// density is the noise of the resistor of rcNoise, sqrt(4kTR) at 27 °C [V/√Hz].
var density = math.Sqrt(4 * 1.38064852e-23 * 300.15 * 1e3)

// corner is the corner frequency 1/(2πRC) of rcAC [Hz].
const corner = 1591.5494309189535

// TestClosedForms compares the result of one .measure card per row with the closed form. The chord
// error of a transient is at most 0.3 %. Ramps and sweeps are exact.
func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		name, text, card string
		want             float64
		tol              float64 // largest relative error, or absolute error if want is 0
	}{
		{"rise time of an RC is RC·ln 9", rcStep,
			"tran x trig v(out) val=0.1 rise=1 targ v(out) val=0.9 rise=1",
			1e-3 * math.Log(9), 3e-3},
		{"half charged after RC·ln 2", rcStep, "tran x when v(out)=0.5", 1e-3 * math.Ln2, 3e-3},
		{"delay from an instant", rcStep, "tran x trig at=0.1m targ v(out)=0.5 cross=1",
			1e-3*math.Ln2 - 1e-4, 5e-3},
		{"charge that went through the resistor", rcStep, "tran x integ i(v1)",
			-1e-6 * (1 - math.Exp(-10)), 3e-3},
		{"value at an instant", rcStep, "tran x find v(out) at=1m", 1 - math.Exp(-1), 3e-3},
		{"value at a crossing of another node", rcStep, "tran x find v(in,out) when v(out)=0.25",
			0.75, 3e-3},
		{"two curves meet",
			"t\nV1 a 0 PWL(0 0 1m 1)\nV2 b 0 PWL(0 1 1m 0.5)\nR1 a 0 1\nR2 b 0 1\n.tran 10u 1m\n", "tran x when v(a)=v(b)", 2e-3 / 3, 1e-6},
		{"slope at the start of the charge", rcStep, "tran x deriv v(out) at=0.5m",
			1e3 * math.Exp(-0.5), 3e-3},
		{"slope where a level is passed", rcStep, "tran x deriv v(out) when v(out)=0.5", 500, 3e-3},
		{"rms of a sine", sine, "tran x rms v(a) from=0 to=2m", math.Sqrt2 / 2, 3e-3},
		{"rms of a quarter", sine, "tran x rms v(a) from=0 to=0.25m", math.Sqrt2 / 2, 3e-3},
		{"mean of half a sine is 2/π", sine, "tran x avg v(a) from=0 to=0.5m", 2 / math.Pi, 3e-3},
		{"mean of a whole one is 0", sine, "tran x avg v(a) from=1m to=2m", 0, 3e-3},
		{"edges between time points", sine, "tran x integ v(a) from=0.1234567m to=0.3141592m",
			(math.Cos(2*math.Pi*0.1234567) - math.Cos(2*math.Pi*0.3141592)) / (2 * math.Pi * 1e3),
			3e-3},
		{"peak to peak", sine, "tran x pp v(a)", 2, 3e-3},
		{"greatest up to an edge", sine, "tran x max v(a) from=0 to=0.1m", math.Sin(0.2 * math.Pi),
			3e-3},
		{"least", sine, "tran x min v(a)", -1, 3e-3},
		{"where it is greatest", sine, "tran x max_at v(a) from=1m to=2m", 1.25e-3, 2e-2},
		{"where it is least", sine, "tran x min_at v(a) from=1m to=2m", 1.75e-3, 2e-2},
		{"third crossing", sine, "tran x when v(a)=0.5 cross=3", (1 + 1.0/12) * 1e-3, 3e-3},
		{"second fall", sine, "tran x when v(a)=0.5 fall=2", (1 + 5.0/12) * 1e-3, 3e-3},
		{"last rise", sine, "tran x when v(a)=0.5 rise=last", (2 + 1.0/12) * 1e-3, 3e-3},
		{"crossings before td are not counted", sine, "tran x when v(a)=0.5 td=0.2m rise=1",
			(1 + 1.0/12) * 1e-3, 3e-3},
		{"crossings before from are not counted", sine,
			"tran x when v(a)=0.5 from=0.2m to=2m fall=2", (1 + 5.0/12) * 1e-3, 3e-3},
		{"a negative delay", sine, "tran x trig v(a) val=0.5 rise=2 targ v(a) val=0.5 rise=1",
			-1e-3, 3e-3},
		{"a sine rises through its start value", sine, "tran x when v(a)=0 rise=1", 0, 1e-12},
		{"and again after a period", sine, "tran x when v(a)=0 rise=2", 1e-3, 3e-3},
		{"delay from the start of a sine", sine,
			"tran x trig v(a) val=0 rise=1 targ v(a) val=0.5 rise=1", 1e-3 / 12, 3e-3},
		{"a falling sine", "t\nV1 a 0 SIN(2 -1 1k)\nR1 a b 1k\nR2 b 0 3k\n.tran 10u 3m\n",
			"tran x trig v(b) val=1.5 fall=1 targ v(b) val=1.5 fall=2", 1e-3, 3e-3},
		{"a smooth start", "t\nV1 in 0 SIN(0 1 1k)\nR1 in a 1k\nC1 a 0 1u\n.tran 10u 3m\n",
			"tran x when v(a)=0 rise=1", 0, 1e-12},
		{"resting on the level before is no crossing",
			"t\nV1 a 0 PWL(0 0 1m 0 1.1m 1 2m 1 2.1m -1 3m -1 3.2m 1)\nR1 a 0 1\n.tran 10u 4m\n",
			"tran x when v(a)=0 rise=1", 3.1e-3, 1e-6},
		{"a sweep that starts on the level", line + ".dc V1 0 5 0.3\n", "dc x when v(b)=0 rise=1",
			0, 1e-12},
		{"integral of a ramp", ramp, "tran x integ v(a)", 1e-3, 1e-9},
		{"mean of a stretch of a ramp", ramp, "tran x avg v(a) from=0.25m to=0.75m", 1, 1e-9},
		{"rms of a ramp is top/√3", ramp, "tran x rms v(a)", 2 / math.Sqrt(3), 1e-9},
		{"slope of a ramp", ramp, "tran x deriv v(a) at=0.37m", 2000, 1e-9},
		{"parameters count", ".", "tran x find v(a) at='half*1m'", 1, 1e-9},
		{"corner of a low-pass", rcAC, "ac x when vdb(out)=-3.0103", corner, 1e-3},
		{"45 degrees there", rcAC, "ac x find vp(out) when vm(out)=0.70710678", -45, 1e-3},
		{"magnitude at a frequency", rcAC, "ac x find vm(out) at=1591.5494309189535",
			math.Sqrt2 / 2, 1e-4},
		{"real part", rcAC, "ac x find vr(out) at=1591.5494309189535", 0.5, 1e-3},
		{"imaginary part", rcAC, "ac x find vi(out) at=1591.5494309189535", -0.5, 1e-3},
		{"high-pass across the resistor", rcAC, "ac x find vdb(in,out) at=1591.5494309189535",
			-3.0103, 1e-3},
		{"current of the source", rcAC, "ac x find im(v1) at=1591.5494309189535",
			1e-3 * math.Sqrt2 / 2, 1e-3},
		{"bandwidth from 10 Hz", rcAC, "ac x trig at=10 targ vm(out) val='1/sqrt(2)' fall=1",
			corner - 10, 1e-3},
		{"divider reaches 1 V at 2 V", line + ".dc V1 0 5 0.3\n", "dc x when v(b)=1", 2, 1e-12},
		{"at a sweep value between points", line + ".dc V1 0 5 0.3\n", "dc x find v(b) at=1.7",
			0.85, 1e-12},
		{"gain", line + ".dc V1 0 5 0.3\n", "dc x deriv v(b) at=2", 0.5, 1e-12},
		{"a sweep downwards", line + ".dc V1 5 0 -0.3\n", "dc x when v(b)=1 fall=1", 2, 1e-12},
		{"mean of a sweep downwards", line + ".dc V1 4 0 -1\n", "dc x avg v(b) from=1 to=3", 1,
			1e-12},
		{"first run of a nested sweep", line + "V2 c 0 0\nR3 c b 1k\n.dc V1 0 3 1 V2 3 6 3\n",
			"dc x max v(b)", 2, 1e-12},

		{"window between crossings", sine,
			"tran x avg v(a) trig v(a) val=0 rise=2 targ v(a)=0 fall=2", 2 / math.Pi, 3e-3},
		{"window from an instant", sine, "tran x max v(a) trig at=0.6m targ at 0.9m",
			math.Sin(1.2 * math.Pi), 7e-3},
		{"window to a crossing", sine, "tran x integ v(a) targ v(a)=0 fall=1",
			1e-3 / math.Pi, 3e-3},
		{"window from a crossing", sine, "tran x rms v(a) trig v(a)=0 fall=last", math.Sqrt2 / 2,
			3e-3},
		{"window with td", sine,
			"tran x integ v(a) trig v(a)=0 td=0.9m rise=1 targ v(a)=0 td=0.9m fall=1",
			1e-3 / math.Pi, 3e-3},
		{"window of a sweep", line + ".dc V1 0 5 0.3\n", "dc x avg v(b) trig v(b)=1 targ v(b)=2",
			1.5, 1e-12},
		{"window of a sweep downwards", line + ".dc V1 5 0 -0.3\n",
			"dc x min v(b) trig v(b)=2 targ v(b)=1", 1, 1e-12},
		{"window of a sweep downwards to a crossing", line + ".dc V1 5 0 -0.3\n",
			"dc x min v(b) targ v(b)=1.5", 1.5, 1e-12},
		{"window of frequencies", rcAC, "ac x max vm(out) trig vm(out)=0.5 fall=1 targ at=1meg", 0.5,
			1e-9},
		{"last crossing over frequency", rcAC,
			"ac x trig at=10 targ vdb(out)=-3.0103 td=100 fall=last", corner - 10, 1e-3},
		{"last crossing of a sweep", line + ".dc V1 0 5 0.3\n",
			"dc x trig v(b)=0.5 cross=1 targ v(a)=3 td=2 rise=last", 2, 1e-12},

		{"level of another voltage", ramp, "tran x when v(a)={2-v(a)}", 0.5e-3, 1e-9},
		{"voltage at the end", ramp, "tran x param v(a)*3", 6, 1e-9},
		{"result of an earlier measure", ramp + ".meas tran top max v(a)\n",
			"tran x find v(a)/top at=0.25m", 0.25, 1e-9},

		{"operating point", halved, "op x find v(b)", 3, 1e-12},
		{"expression of .op", halved, "op x param v(b)*2+1", 7, 1e-12},
		{"power of .op", halved, "op x find -i(v1)*v(a)", 18e-3, 1e-12},
		{"result of .op", halved + ".meas op y find v(a)\n", "op x param y/3", 2, 1e-12},

		{"phase margin", rcAC, "ac x find 180+ph(v(out)/v(in)) at=1591.5494309189535", 135, 1e-4},
		{"magnitude of a difference", rcAC, "ac x find mag(v(in)-v(out)) at=1591.5494309189535",
			math.Sqrt2 / 2, 1e-4},
		{"decibels of a product", rcAC, "ac x find db(2*v(out)) at=1591.5494309189535",
			10 * math.Log10(2), 1e-3},
		{"level of an expression", rcAC, "ac x when mag(v(out)*2)=1", corner * math.Sqrt(3), 1e-3},
		// At the corner V(out) is 0.5-0.5j, and its square -0.5j.
		{"imaginary part of a square", rcAC, "ac x find im(v(out)*v(out)) at=1591.5494309189535",
			-0.5, 1e-3},
		{"magnitude of a square", rcAC, "ac x find v(out)**2 at=1591.5494309189535", 0.5, 1e-3},
		{"difference of decibels", rcAC, "ac x find vdb(out)-vdb(in) at=1591.5494309189535",
			-3.0103, 1e-3},
		{"magnitude of a current", rcAC, "ac x find 2*im(v1) at=1591.5494309189535",
			1e-3 * math.Sqrt2, 1e-3},
		{"condition over frequency", rcAC,
			"ac x find if(mag(v(out))>0.9,7,ph(v(out))) at=1591.5494309189535", -45, 1e-3},
		{"expression at the last frequency", rcAC, "ac x param mag(v(out))/2", corner / 2e6, 1e-5},
		{"negative frequency", rcAC, "ac x find 0*vr(out)-frequency at=1k", -1e3, 1e-9},
		{"frequency", rcAC, "ac x find frequency when vdb(out)=-3.0103", corner, 1e-3},

		{"output noise", rcNoise, "noise x find v(onoise) at=1", density, 1e-5},
		{"name of ngspice", rcNoise, "noise x find onoise_spectrum at=1", density, 1e-5},
		{"in decibels", rcNoise, "noise x find vdb(onoise) at=1", 20 * math.Log10(density), 1e-5},
		{"input noise", rcNoise, "noise x find v(inoise) at=100k", density, 1e-9},
		{"gain", rcNoise, "noise x min gain to=1591.5494309189535", math.Sqrt2 / 2, 1e-3},
		{"quotient of noise", rcNoise, "noise x find V(onoise)/gain at=1k", density, 1e-3},
		{"part of a device", rcNoise, "noise x max v(r1)", density, 1e-5},
		{"part of a noise source", rcNoise, "noise x max onoise_r1_thermal", density, 1e-5},
		{"corner of the noise", rcNoise + ".meas noise top max v(onoise)\n",
			"noise x when v(onoise)=top/sqrt(2)", corner, 1e-3},
		{"bandwidth of the noise", rcNoise,
			"noise x trig at=10 targ v(onoise)*sqrt(2)=v(inoise) fall=last", corner - 10, 2e-3},
		// The total is the root of kT/C and of the part 2/π·(atan(f2/fc) - atan(f1/fc)).
		{"total noise", rcNoise, "noise x integ v(onoise)", density * math.Sqrt(corner*
			(math.Atan(1e6/corner)-math.Atan(1/corner))), 2e-3},
		{"total noise of a band", rcNoise, "noise x integ v(inoise) from=100 to=10k",
			density * math.Sqrt(9900), 1e-9},
		{"list of frequencies", strings.Replace(rcNoise, "dec 20 1 1meg", "list 10 100", 1),
			"noise x integ inoise", density * math.Sqrt(90), 1e-9},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text
			if text == "." {
				text = ramp + ".param half=0.5\n"
			}
			r := simulate(t, text+".measure "+c.card+"\n.end")
			v, ok := values(r)["x"]
			if d := math.Abs(v - c.want); !ok || !(d <= c.tol*math.Max(math.Abs(c.want), 0) ||
				c.want == 0 && d <= c.tol) {
				t.Errorf("%s = %.9g, want %.9g within %g; %q", c.card, v, c.want, c.tol, r.Warnings)
			}
		})
	}
}

// TestParam verifies that param= and all numbers of a measure can use the results of earlier
// measures.
func TestParam(t *testing.T) {
	r := simulate(t, rcStep+".param part=0.9\n.meas tran top max v(out)\n.meas tran t1 when v(out)='0.1*top'\n.meas tran t2 when v(out)={part*top}\n"+
		".meas tran rise param='t2-t1'\n.meas tran twice param='2*rise + min(1,0)'\n.end")
	v := values(r)
	if want := 1e-3 * math.Log(9); math.Abs(v["rise"]-want) > 2e-3*want ||
		math.Abs(v["twice"]-2*v["rise"]) > 1e-15 {
		t.Errorf("%v", v)
	}
}

// TestFailures verifies that a failed measure has no value and that a warning states the reason.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ text, cards, want string }{
		{sine, "tran x when v(a)=2",
			"line 5: measure x failed: v(a) never passes 2; it stays between -"},
		{sine, "tran x when v(a)=0.5 rise=9", "v(a) never passes 0.5 rising 9 times, only 3"},
		{sine, "tran x when v(a)=0.5 from=0.1m to=0.2m",
			"never passes 0.5 in the time or range given"},
		{sine, "tran x trig v(a) val=0.5 rise=1 targ v(a) val=3 rise=1",
			"measure x failed: targ: v(a) never passes 3 rising"},
		{sine, "tran x max v(nowhere)", "node nowhere is not in the circuit"},
		{sine, "tran x max i(x1)", "i(x1) is not among the currents and powers of the circuit"},
		{sine, "tran x max v(0)", "v(0) is always 0"},
		{sine, "tran x find v(a) at=9m",
			"0.009 lies outside the analysis, which covers 0 to 0.003"},
		{sine, "tran x avg v(a) from=5m to=6m",
			"the window from 0.005 to 0.006 lies outside the analysis"},
		{sine, "tran x avg v(a) from=2m to=1m", "from 0.002 is after to 0.001"},
		{sine, "tran x avg v(a) from=1m to=1m", "the window has no length"},
		{sine, "tran x max v(a) to=9m",
			"the window of measure x reaches beyond the analysis and is cut to 0 to 0.003"},
		{sine, "tran y max v(b)\n.meas tran x param='y+1'",
			"measure x failed: it needs measure y, which failed"},
		{sine, "tran y min v(a) from=0 to=0\n.meas tran x param='1/y'", "divides by zero"},
		{sine, "ac y max v(a)\n.meas tran x param='y+1'", "measure y is not one of .tran"},
		{sine, "ac x max v(a)", "1 .measure cards belong to analyses that were not run"},
		{rcAC, "ac x find vp(out) at=1k",
			"vp() and ip() of .measure are in degrees (ngspice: radians)"},
		{rcAC, "ac x find v(out) at=1k", "v() and i() of .measure ac are magnitudes"},
		{line + ".dc V1 2 2 1\n", "dc x when v(a)=1", "a crossing needs at least two points"},
		{line + ".dc V1 2 2 1\n", "dc x deriv v(a) at=2", "a derivative needs two points"},
		{rcNoise, "noise x max v(out)", "v(out) is not a vector of .noise; those are v(onoise)"},
		{rcAC, "ac x find v(in)/(v(in)-v(in)) at=1k", "is not finite at 1 Hz"},
		{sine, "tran x avg v(a) trig at=2m targ at=1m", "trig at 0.002 is after targ at 0.001"},
		{sine, "tran x avg v(a) trig v(a)=3 rise=1", "trig: v(a) never passes 3 rising"},
		{line + "V2 c 0 0\nR3 c b 1k\n.dc V1 0 3 1 V2 3 6 3\n", "dc x max v(b)",
			"the measures of .dc with two sources use the first sweep of the first source alone"},
		{line + ".dc V1 2 0 -1\n", "dc x when v(a)=1 td=1",
			"td= has no meaning in a sweep that runs downwards"},
	} {
		r := simulate(t, c.text+".meas "+c.cards+"\n.end")
		if !strings.Contains(strings.Join(r.Warnings, "|"), c.want) {
			t.Errorf("%s: warnings %q, want %q", c.cards, r.Warnings, c.want)
		}
		if strings.Contains(c.want, "failed") && !math.IsNaN(values(r)["x"]) {
			t.Errorf("%s: %v", c.cards, values(r))
		}
	}
}

// TestPhaseWraps verifies that the phase of an RC ladder passes both -180° and 180°, but never
// crosses 0 at the wrap.
func TestPhaseWraps(t *testing.T) {
	ladder := "t\nV1 in 0 AC 1\nR1 in a 1k\nC1 a 0 100n\nR2 a b 1k\nC2 b 0 100n\nR3 b c 1k\nC3 c 0 100n\nR4 d 0 1\nG1 0 d c 0 -1\n.ac dec 20 10 1meg\n"
	// Three equal RC sections reach -180° at √6/(2πRC). The sign of G1 adds 180°.
	const at = 2.449489742783178 * corner
	r := simulate(t, ladder+".meas ac n when vp(c)=-180\n.meas ac p when vp(c)=180\n.meas ac z when vp(d)=0\n.meas ac none when vp(c)=0\n.end")
	v := values(r)
	for _, k := range []string{"n", "p", "z"} {
		if math.Abs(v[k]-at) > 5e-3*at {
			t.Errorf("%s = %g, want %g", k, v[k], at)
		}
	}
	if !math.IsNaN(v["none"]) {
		t.Errorf("vp(c) passes 0 at %g", v["none"])
	}
}

// TestMeasuresSeeEverything verifies that neither the option points_max nor the selection of
// vectors affects a measure.
func TestMeasuresSeeEverything(t *testing.T) {
	text := sine + ".save v(none)\n.meas tran x rms v(a) from=0.1m to=2.3m\n.meas tran y min i(v1)\n.four 1k v(a) i(v1)\n.end"
	full := simulate(t, text)
	few, err := spice.Simulate(context.Background(),
		spice.Request{Netlist: text, Options: map[string]any{"points_max": 10.0,
			"vectors": []any{"i(v1)"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(few.Vectors) != 2 || len(few.Vectors[0].Values) > 10 {
		t.Fatalf("%d vectors of %d", len(few.Vectors), len(few.Vectors[0].Values))
	}
	a, b := values(full), values(few)
	for k := range a {
		// The time steps differ slightly, because they depend on the recorded vectors.
		if math.Abs(a[k]-b[k]) > 1e-5 {
			t.Errorf("%s: %g and %g", k, a[k], b[k])
		}
	}
	if len(few.Fourier) != 2 || *few.Fourier[0].THDPct > 0.01 {
		t.Errorf("%+v", few.Fourier)
	}
}

// TestSmoothTransient verifies that measures between the points of a smooth transient are far more
// accurate than straight lines. Corners must stay corners.
func TestSmoothTransient(t *testing.T) {
	const (
		rc      = "t\nV1 in 0 PULSE(0 5 0 1p 1p 1 2)\nR1 in out 10k\nC1 out 0 100n\n.tran 1u 5m\n"
		damped  = "t\nV1 in 0 PULSE(0 1 0 1p 1p 1 2)\nR1 in a 20\nL1 a out 100u\nC1 out 0 100n\n.tran 1u 40u\n"
		corners = "t\nV1 a 0 PWL(0 0 1m 2 3m 2 4m 0)\nR1 a 0 1k\n.tran 10u 5m\n"
	)
	decay := 20 / (2 * 100e-6) // of the RLC circuit [1/s]
	ringing := math.Sqrt(1/(100e-6*100e-9) - decay*decay)
	for _, c := range []struct {
		name, text, card string
		want, tol        float64
	}{
		{"crossing of an RC", rc, "tran x when v(out)=2.5", 1e-3 * math.Ln2, 2e-5},
		{"rise time of an RC", rc, "tran x trig v(out) val=0.5 rise=1 targ v(out) val=4.5 rise=1",
			1e-3 * math.Log(9), 2e-5},
		{"mean of an RC", rc, "tran x avg v(out) to=1m", 5 / math.E, 5e-5},
		{"RMS of an RC", rc, "tran x rms v(out) to=1m",
			5 * math.Sqrt(1-2*(1-1/math.E)+(1-math.Exp(-2))/2), 5e-5},
		{"value of an RC", rc, "tran x find v(out) at=1m", 5 * (1 - 1/math.E), 2e-5},
		{"peak of an RLC", damped, "tran x max v(out)",
			1 + math.Exp(-decay*math.Pi/ringing), 2e-5},
		{"time of this peak", damped, "tran x max_at v(out)", math.Pi / ringing, 1e-3},
		{"crossing of this peak", damped, "tran m max v(out)\n.meas tran x when v(out)=m",
			math.Pi / ringing, 1e-3},
		{"second crossing just below it", damped,
			"tran m max v(out)\n.meas tran x when v(out)='m-1e-6' fall=1",
			math.Pi / ringing, 2e-3},
		{"no third crossing just below it", damped,
			"tran m max v(out)\n.meas tran x when v(out)='m-1e-6' cross=3", math.NaN(), 0},
		{"mean of straight lines", corners, "tran x avg v(a)", 6e-3 / 5e-3, 1e-9},
		{"crossing of a straight line", corners, "tran x when v(a)=1 fall=1", 3.5e-3, 1e-9},
		{"maximum of straight lines", corners, "tran x max v(a)", 2, 1e-12},
	} {
		got := values(simulate(t, c.text+".meas "+c.card+"\n.end"))["x"]
		e := math.Abs(got/c.want - 1)
		if !(e <= c.tol) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %.9g, want %.9g (difference %.2g)", c.name, got, c.want, e)
		}
	}
}

// TestDecimatedTransient verifies that measures of a run whose points were removed follow the
// straight lines between the others. Equal corners at the remaining points are not a smooth curve.
func TestDecimatedTransient(t *testing.T) {
	budget := analysis.DefaultBudget()
	budget.Numbers = 200
	r, err := spice.Simulate(context.Background(), spice.Request{Budget: &budget,
		Netlist: "t\nV1 a 0 PWL(0 0 1m 1 2m 4 3m 9 4m 16 5m 25 6m 36)\nR1 a 0 1k\n.tran 1u 6m\n" +
			".meas tran x integ v(a) from=1m to=2m\n.meas tran y find v(a) at=3.5m\n.end"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Vectors[0].Values) > 100 {
		t.Fatalf("%d points were not decimated", len(r.Vectors[0].Values))
	}
	for name, want := range map[string]float64{"x": 2.5e-3, "y": 12.5} {
		if got := values(r)[name]; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s = %g, want %g", name, got, want)
		}
	}
}
