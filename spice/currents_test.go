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
	r = run(t, "t\nV1 in 0 ac 1\nR1 in out 1k\nC1 out 0 1u\n.save p(*) v(out)\n.ac dec 3 10 1k\n.end",
		"ac")
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "have no powers") {
		t.Errorf("warnings %q, want one about all powers in .ac", r.Warnings)
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

	// The result of a decimated transient also contains the element currents.
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

// TestSavedVectors verifies the vectors that .save selects by all, by * and ? of LTspice, and by
// .options savecurrents of ngspice. Expected are all nodes, or elements with two terminals.
func TestSavedVectors(t *testing.T) {
	const deck = "t\nV1 a 0 5\nR1 a b 1k\nD1 b 0 1n4148\nX1 a s\n.subckt s p\nR2 p q 1k\n" +
		"C1 q 0 1n\nR3 q 0 1k\n.ends\n.op\n"
	const all = "v(a) v(b) v(x1.q) i(v1)"
	const currents = " i(r1) i(d1) i(r.x1.r2) i(c.x1.c1) i(r.x1.r3)"
	for card, want := range map[string]string{
		".save all":                           all,
		".save i(d1) all":                     all + " i(d1)",
		".save all i(d1)":                     all + " i(d1)",
		".save V(a) V(*)":                     "v(a) v(b) v(x1.q)",
		".save v(x1:*) v(?)":                  "v(a) v(b) v(x1.q)",
		".save I(x1:r*)":                      "i(r.x1.r2) i(r.x1.r3)",
		".save I(*) i(d1)":                    "i(v1)" + currents,
		".options savecurrents":               all + currents,
		".options savecurrents\n.save v(b)":   "v(b) i(v1)" + currents,
		".options savecurrents=0":             all,
		".options savecurrents\n.save all b*": all + currents,
		".save v(x?.*q) v(*b*) v(**)":         "v(a) v(b) v(x1.q)",
		".save v(a*b) v(x1?) v(b)":            "v(b)",
	} {
		r := run(t, deck+card+"\n.end", "op")
		got := map[string]bool{}
		for _, v := range r.Vectors {
			got[v.Name] = true
		}
		for name := range strings.FieldsSeq(want) {
			if !got[name] {
				t.Errorf("%s: no %s; %q", card, name, r.Warnings)
			}
		}
		if n := len(strings.Fields(want)); len(r.Vectors) != n {
			t.Errorf("%s: %d vectors %v, want %d", card, len(r.Vectors), got, n)
		}
	}
	r := run(t, deck+".save v(b) i(nothing*) i(nothing*)\n.end", "op")
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0],
		".save: nothing matches i(nothing*)") {
		t.Errorf("warnings %q", r.Warnings)
	}
	r = run(t, deck+".options savecurrents\n.end", "op")
	i := column(t, r, "i(d1)")[0]
	wantNear(t, "i(d1)", i, column(t, r, "i(r1)")[0], 1e-9)
}
