package spice

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
)

// TestDelay compares delay() with the delayed function in .op, .ac and .tran.
func TestDelay(t *testing.T) {
	const source = "t\nV1 in 0 dc 0.25 ac 2 sin(0.25 1 100k)\nR1 in 0 1k\n"
	const delayed = "B1 out 0 V=3*delay(v(in)**2,{td})+v(in)\nR2 out 0 1k\n.param td=2.7u\n"
	r := run(t, source+delayed+".op\n.end", "op")
	wantNear(t, ".op", column(t, r, "v(out)")[0], 3*0.0625+0.25, 1e-9)
	r = run(t, source+delayed+".ac lin 1 40k 40k\n.end", "ac")
	angle := -2 * math.Pi * 40e3 * 2.7e-6
	re, im := 2*(3*2*0.25*math.Cos(angle)+1), 2*3*2*0.25*math.Sin(angle)
	wantNear(t, ".ac magnitude", column(t, r, "v(out)_mag")[0], math.Hypot(re, im), 1e-9)
	wantNear(t, ".ac phase", column(t, r, "v(out)_phase_deg")[0], math.Atan2(im, re)*180/math.Pi,
		1e-9)
	r = run(t, source+delayed+".tran 0.1u 100u\n.end", "tran")
	in := func(t float64) float64 { return 0.25 + math.Sin(2*math.Pi*1e5*max(t, 0)) }
	for k, at := range column(t, r, "time") {
		want := 3*math.Pow(in(at-2.7e-6), 2) + in(at)
		if got := column(t, r, "v(out)")[k]; math.Abs(got-want) > 5e-3*6 {
			t.Fatalf(".tran: %g V at %g s, want %g V", got, at, want)
		}
	}
	// The cases are a delay of 0, a maximum delay, absdelay, nested delays, a delayed current, and
	// a delayed time. With uic the signal is 0 before the start.
	for expression, want := range map[string]float64{
		"V=delay(v(in)+1,0)": in(50e-6) + 1, "V=delay(v(in),1u,2u)": in(49e-6),
		"V=absdelay(delay(v(in),1u),{1u+1u})": in(47e-6), "V=delay(-1k*i(v1),1u)": in(49e-6),
		"V=delay(time,10u)*1meg": 40, "I=-delay(v(in),3u)/1k": in(47e-6),
	} {
		r = run(t, source+"B1 out 0 "+expression+
			"\nR2 out 0 1k\n.meas tran m find v(out) at=50u\n.tran 0.1u 60u\n.end", "tran")
		if got := *r.Measures[0].Value; math.Abs(got-want) > 3e-3*math.Max(1, want) {
			t.Errorf("%s: %g V, want %g V", expression, got, want)
		}
	}
	r = run(t, "t\nV1 a 0 2\nR1 a 0 1k\nB1 b 0 V=delay(v(a),1m)\nR2 b 0 1k\n"+
		".meas tran early find v(b) at=0.9m\n.meas tran late find v(b) at=1.1m\n.tran 10u 2m uic\n.end",
		"tran")
	wantNear(t, "uic, late", *r.Measures[1].Value, 2, 1e-6)
	if v := *r.Measures[0].Value; math.Abs(v) > 1e-6 {
		t.Errorf("uic, early: %g V, want 0", v)
	}
}

// TestDelayedEdge verifies that the edge of a comparator inside delay() arrives one delay after the
// crossing. No vector of the result jumps at the crossing itself.
func TestDelayedEdge(t *testing.T) {
	r := run(t, `t
V1 in 0 sin(0 1 1k)
R1 in 0 1k
B1 out 0 V=delay(u(v(in)-0.5),300u)
R2 out 0 1k
.meas tran up when v(out)=0.5 rise=1
.meas tran down when v(out)=0.5 fall=1
.meas tran top max v(out)
.meas tran least min v(out)
.tran 10u 10m
.save v(out)
.end`, "tran")
	rise := math.Asin(0.5) / (2 * math.Pi * 1e3)
	wantNear(t, "rise", *r.Measures[0].Value, rise+300e-6, 1e-4)
	wantNear(t, "fall", *r.Measures[1].Value, 0.5e-3-rise+300e-6, 1e-4)
	if *r.Measures[2].Value > 1.11 || *r.Measures[3].Value < -0.11 {
		t.Errorf("from %g to %g V, want 0 to 1", *r.Measures[3].Value, *r.Measures[2].Value)
	}
}

// TestDelayAgainstNgspice compares the response of a first-order feedback loop with a delay with
// that of ngspice. ngspice has no delay(), so its netlist has a matched lossless line between two
// controlled sources.
func TestDelayAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	const loop = "delayed feedback\nV1 in 0 pulse(0 1 1m 10u 10u 1 2)\nR1 x 0 1k\nC1 x 0 1u\n"
	const measures = `.meas tran a find v(x) at=4m
.meas tran b find v(x) at=9m
.meas tran c find v(x) at=17m
.meas tran top max v(x)
.meas tran twice when v(x)=0.8 rise=2
`
	printed, err := ngspice.Print(ng, loop+`B1 0 x I=1m*(v(in)*2-1.5*tanh(v(e)))
E1 d 0 x 0 1
T1 d 0 e 0 z0=50 td=3m
R2 e 0 50
.tran 10u 20m 0 5u
`+measures+".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-16 trtol=1\n.save all\n.end\n")
	if err != nil {
		t.Fatal(err)
	}
	want := ngspice.Measures(printed)
	r := run(t, loop+"B1 0 x I=1m*(v(in)*2-1.5*tanh(delay(v(x),3m)))\n.tran 10u 20m\n"+measures+".end",
		"tran")
	for _, m := range r.Measures {
		if w, found := want[m.Name]; !found || math.Abs(*m.Value-w) > 2e-3*math.Abs(w) {
			t.Errorf("%s = %g, ngspice %g", m.Name, *m.Value, w)
		}
	}
	if n := len(regexp.MustCompile(`\.meas`).FindAllString(measures, -1)); len(want) != n {
		t.Errorf("ngspice made %d of %d measures: %s", len(want), n, strings.TrimSpace(printed))
	}
}
