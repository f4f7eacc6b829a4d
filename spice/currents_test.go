package spice

import (
	"math"
	"strings"
	"testing"
)

// TestElementCurrentsAndPowers verifies the currents and powers of resistors and sources by Ohm's
// and Joule's laws. The card .save, measures and expressions can use them.
func TestElementCurrentsAndPowers(t *testing.T) {
	const divider = "t\nV1 in 0 8\nR1 in out 1k tc1=1m\nR2 out 0 3k m=3\nV2 out 0 2\n.temp 37\n"
	r := run(t, divider+".save i(r1) p(r1) @r2[i] @r2[p] p(v1) v(out)\n.op\n.end", "op")
	i1 := 6 / 1010.0
	for name, want := range map[string]float64{"i(r1)": i1, "p(r1)": 6 * i1, "i(r2)": 2 / 1e3,
		"p(r2)": 4 / 1e3, "p(v1)": -8 * i1, "v(out)": 2} {
		wantNear(t, name, column(t, r, name)[0], want, 1e-9)
	}
	if len(r.Vectors) != 6 || len(r.Warnings) != 0 {
		t.Errorf("%d vectors, warnings %q", len(r.Vectors), r.Warnings)
	}
	units := map[string]string{}
	for _, v := range r.Vectors {
		units[v.Name] = v.Unit
	}
	if units["i(r1)"] != "A" || units["p(r1)"] != "W" || units["p(v1)"] != "W" {
		t.Errorf("units %v", units)
	}

	// Sweep the value of a resistor, and the temperature.
	r = run(t, divider+".save i(r1)\n.dc R1 1k 3k 1k\n.end", "dc")
	for k, ohms := range []float64{1e3, 2e3, 3e3} {
		wantNear(t, "swept R1", column(t, r, "i(r1)")[k], 6/(1.01*ohms), 1e-9)
	}
	r = run(t, divider+".save i(r1)\n.dc temp 27 127 100\n.end", "dc")
	wantNear(t, "at 127 °C", column(t, r, "i(r1)")[1], 6/1100.0, 1e-9)

	// The current phasor of R1 is the negative of that of V1.
	r = run(t,
		"t\nV1 in 0 ac 1\nR1 in out 1k ac=2k\nC1 out 0 1u\n.save i(r1) i(v1)\n.ac dec 3 10 1k\n.end", "ac")
	for k, m := range column(t, r, "i(v1)_mag") {
		wantNear(t, "phasor", column(t, r, "i(r1)_mag")[k], m, 1e-9)
	}
	r = run(t,
		"t\nV1 in 0 ac 1\nR1 in out 1k\nC1 out 0 1u\n.save p(r1) v(out)\n.ac dec 3 10 1k\n.end",
		"ac")
	if all := strings.Join(r.Warnings, "|"); !strings.Contains(all,
		`"p(r1)" is not in the circuit`) {
		t.Errorf("warnings %q, none about a power in .ac", r.Warnings)
	}

	// The powers of source, resistor and inductor add up to 0 at every time point. The energy that
	// the resistor dissipates is the energy from the source minus that of the inductor.
	r = run(t, "t\nV1 in 0 PULSE(0 5 1u 1n 1n 1)\nR1 in a 100\nL1 a 0 10m\n.tran 1u 300u\n.save p(v1) p(r1) p(l1) i(r1) i(l1)\n"+
		".meas tran e integ p(r1)\n.meas tran twice max par('2*p(r1)')\n.meas tran peak max @r1[p]\n.meas tran top max @r1[i]\n.end", "tran")
	v, w, l := column(t, r, "p(v1)"), column(t, r, "p(r1)"), column(t, r, "p(l1)")
	for k := range v {
		if math.Abs(v[k]+w[k]+l[k]) > 1e-6 {
			t.Fatalf("the powers at point %d add up to %g W", k, v[k]+w[k]+l[k])
		}
	}
	m := map[string]float64{}
	for _, x := range r.Measures {
		if x.Value == nil {
			t.Fatalf("%s was not measured: %q", x.Name, r.Warnings)
		}
		m[x.Name] = *x.Value
	}
	end := 1 - math.Exp(-299e-6*100/10e-3)
	wantNear(t, "top", m["top"], 0.05*end, 1e-3)
	wantNear(t, "peak", m["peak"], 0.25*end*end, 2e-3)
	wantNear(t, "twice", m["twice"], 0.5*end*end, 2e-3)
	tau := 1e-4
	wantNear(t, "energy", m["e"], 0.25*(299e-6-2*tau*end+tau/2*(1-math.Exp(-2*299e-6/tau))), 3e-3)

	// The result of a thinned transient also contains the element currents.
	r = run(t, "t\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n.options points_max=50\n.save v(in) v(out) i(r1)\n.tran 1u 5m\n.end", "tran")
	if n := len(column(t, r, "i(r1)")); n > 50 {
		t.Errorf("%d points", n)
	}
	in, out, i := column(t, r, "v(in)"), column(t, r, "v(out)"), column(t, r, "i(r1)")
	for k := range i {
		if want := (in[k] - out[k]) / 1e3; math.Abs(i[k]-want) > 1e-12 {
			t.Fatalf("point %d: %g A, want %g A", k, i[k], want)
		}
	}
}
