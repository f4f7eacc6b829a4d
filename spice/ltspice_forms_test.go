package spice

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestElementOptions verifies the options that add elements or sizes: rshunt, gshunt, cshunt, defw,
// defl and defad. A divider of 1 Mohm and a shunt of 1 µS halves the voltage, and 1 kohm and 100 nF
// form a low-pass.
func TestElementOptions(t *testing.T) {
	const high = "t\nV1 in 0 10\nR1 in out 1meg\nC1 out x 1n\n.op\n"
	const lowPass = "t\nV1 in 0 AC 1\nR1 in out 1k\nR2 out 0 1t\n" +
		".ac lin 1 1591.5494309189535 1591.5494309189535\n"
	const mosfet = "t\nV1 v 0 5\nR1 v out 1k\nV2 g 0 2\n.op\n"
	const inner = "t\nV1 in 0 10\nX1 in s\n.subckt s a\nR1 a b 1meg\nC1 b 0 1p\n.ends\n.op\n"
	for _, c := range []struct {
		name, text, vector string
		options            map[string]any
		want               float64
	}{
		{"gshunt", high + ".options gshunt=1u\n.end", "v(out)", nil, 5},
		{"rshunt", high + ".options rshunt=1meg\n.end", "v(out)", nil, 5},
		{"no shunts", "t\nV1 in 0 10\nR1 in out 1meg\nR2 out 0 1meg\n.op\n" +
			".options rshunt=0 gshunt=1e-31 cshunt=1e-31\n.end", "v(out)", nil, 5},
		{"both", high + ".options rshunt=1meg gshunt=2u\n.end", "v(out)", nil, 2.5},
		{"node behind a capacitor", high + ".options gshunt=1u\n.end", "v(x)", nil, 0},
		{"of the request", high + ".options gshunt=1m\n.end", "v(out)",
			map[string]any{"gshunt": 1e-6}, 5},
		{"inside a subcircuit", inner + ".options gshunt=1u\n.end", "v(x1.b)", nil, 5},
		{"cshunt", lowPass + ".options cshunt=100n\n.end", "v(out)_mag", nil, math.Sqrt(0.5)},
		// 1 V/s of a ddt() has no shunt, which would add 1 µA to its 1 A.
		{"ddt", "t\nV1 a 0 PWL(0 0 1 1)\nB1 b 0 V=ddt(v(a))\nR1 b 0 1k\n.tran 0.1 1\n" +
			".options gshunt=0.1\n.end", "v(b)", nil, 1},
		// The drain current is 50u/2·W/L·(1 V)², and 1 kohm is at the drain.
		{"defw and defl", mosfet + "M1 out g 0 0 m\n.model m nmos(vto=1 kp=50u)\n.options defw=20u " +
			"defl=2u\n.end", "v(out)", nil, 4.75},
		{"defl of the request, w of the element", mosfet + "M1 out g 0 0 m w=40u\n.model m nmos(vto=1 " +
			"kp=50u)\n.options defw=20u\n.end", "v(out)", map[string]any{"defl": 2e-6}, 4.5},
		{"defl and l of the model", mosfet + "M1 out g 0 0 m w=20u\n.model m nmos(vto=1 kp=50u " +
			"l=4u)\n.options defl=2u\n.end", "v(out)", nil, 4.875},
		// At 2 V the junction has cj·ad/(1 + 2/0.8)^0.5, which is 1 nF, behind 1 kohm.
		{"defad", "t\nV1 d 0 2 ac 1\nR1 d out 1k\nM1 out 0 0 0 m\n.model m nmos(vto=1 cj=1 mj=.5 " +
			"pb=.8)\n.options defad={1n*sqrt(3.5)}\n.ac lin 1 159.154943k 159.154943k\n.end",
			"v(out)_mag", nil, math.Sqrt(0.5)},
	} {
		r, err := Simulate(context.Background(), Request{Netlist: c.text, Options: c.options})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %q", c.name, r.Warnings)
		}
		for _, v := range r.Vectors {
			if v.Name == c.vector {
				if x := v.Values[len(v.Values)-1]; math.Abs(x-c.want) > 1e-4*math.Max(1, c.want) {
					t.Errorf("%s: %s = %g, want %g", c.name, c.vector, x, c.want)
				}
			}
		}
		if vectorValues(r, c.vector) == nil {
			t.Errorf("%s: no vector %s", c.name, c.vector)
		}
	}
	for _, bad := range []string{"gshunt=-1", "rshunt=1u", "cshunt=2e3", "gshunt=much"} {
		_, err := Simulate(context.Background(),
			Request{Netlist: high + ".options " + bad + "\n.end"})
		if err == nil || !strings.Contains(err.Error(), "must be a number from") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, flag := range []string{"gshunt", "rshunt", "cshunt", "maxstep", "defas"} {
		_, err := Simulate(context.Background(),
			Request{Netlist: high + ".options " + flag + "\n.end"})
		if err == nil || !strings.Contains(err.Error(), ".options "+flag+" needs a value") {
			t.Errorf("%s without a value: %v", flag, err)
		}
		_, err = Simulate(context.Background(),
			Request{Netlist: high + ".end", Options: map[string]any{flag: true}})
		if err == nil || !strings.Contains(err.Error(), "options."+flag+" must be a number") {
			t.Errorf("%s as true: %v", flag, err)
		}
	}
	_, err := Simulate(context.Background(), Request{Netlist: "t\nV1 a 0 1\nR1 a 0 1k\n" +
		".options maxstep=1n\n.tran 1u 20m\n.end"})
	if err == nil || !strings.Contains(err.Error(), "stop over .options maxstep of line 4") {
		t.Errorf("small maxstep: %v", err)
	}
}

// vectorValues returns the values of a vector of the first analysis, or nil without this vector.
func vectorValues(r *Result, name string) []float64 {
	for _, v := range r.Vectors {
		if v.Name == name {
			return v.Values
		}
	}
	return nil
}

// TestShuntsOfMultipliedInstances verifies that the pin of an instance with m=2 has one shunt.
func TestShuntsOfMultipliedInstances(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: "t\nI1 0 a 1\nX1 a s m=2\n" +
		".subckt s a\nR1 a 0 1\n.ends\n.op\n.options gshunt=2\n.end"})
	if err != nil {
		t.Fatal(err)
	}
	if v := vectorValues(r, "v(a)"); len(v) == 0 || math.Abs(v[0]-0.25) > 1e-6 {
		t.Errorf("v(a) = %v, want 0.25: 2 S of the instances and 2 S of the shunt", v)
	}
}

// TestMeasureEvents verifies the forms of .measure of LTspice and ngspice on straight lines. v(a)
// rises from 0 V to 1 V and falls again in 2 ms, twice. v(b) is 0.25 V, and v(c) rises by 1 V/ms.
func TestMeasureEvents(t *testing.T) {
	const circuit = "t\nV1 a 0 PWL(0 0 1m 1 2m 0 3m 1 4m 0)\nV2 b 0 0.25\nV3 c 0 PWL(0 0 4m 4)\n" +
		"R1 a b 1k\nR2 c 0 1k\n.tran 10u 4m\n.meas tran x "
	for card, want := range map[string]float64{
		"trig time val=1m targ time val=3m":                                    2e-3,
		"trig at=1m targ v(a) val=0.5 rise=last":                               1.5e-3,
		"trig at 1m targ at 3m":                                                2e-3,
		"trig v(a) val=0.5 td=1.2m rise=1 targ v(a) val=0.5 td=1.2m fall=1":    -1e-3,
		"trig v(a)=2*v(b) fall=1 targ v(a)=2*v(b) cross=last":                  2e-3,
		"trig v(a)=0.5 rise=1":                                                 3.5e-3,
		"targ v(a)=0.5 fall=1":                                                 1.5e-3,
		"targ v(a)=0.5 fall=1 trig v(a)=0.5 rise=1":                            1e-3,
		"when v(a)=0.5 fall=last":                                              3.5e-3,
		"when v(a)=v(b) cross=last":                                            3.75e-3,
		"when v(a)=0.5 td=1m":                                                  1.5e-3,
		"when v(a)=0.5 cross=1 from=2m to=4m":                                  2.5e-3,
		"find v(c) when v(a)=3*v(b) cross=3 td=1m":                             3.25,
		"find v(c)*v(b) at=2m":                                                 0.5,
		"find v(c) at 2m":                                                      2,
		"find time when v(a)=0.5 cross=3":                                      2.5e-3,
		"integ v(a) from=1m to=3m":                                             1e-3,
		"avg v(c) trig v(a) val=.5 td=1u rise=1 targ v(a) val=.5 td=1u fall=1": 1,
		"max v(a) from 1.25m to {2*1m}":                                        0.75,
		"min_at v(a) from=1m to=3m":                                            2e-3,
		"deriv v(a) at=1.5m":                                                   -1e3,
		"deriv v(a) when v(c)=2.5":                                             1e3,
		"param 2*3":                                                            6,
		"param='sqrt(16)'":                                                     4,
		"rms v(b)":                                                             0.25,
		"pp v(a)":                                                              1,
	} {
		r, err := Simulate(context.Background(), Request{Netlist: circuit + card + "\n.end"})
		switch {
		case err != nil:
			t.Errorf("%s: %v", card, err)
		case len(r.Measures) != 1 || r.Measures[0].Value == nil:
			t.Errorf("%s: no result, %q", card, r.Warnings)
		case math.Abs(*r.Measures[0].Value-want) > 1e-4*math.Abs(want):
			t.Errorf("%s: %g, want %g", card, *r.Measures[0].Value, want)
		}
	}
	for card, want := range map[string]string{
		"trig v(a)=0.5 rise=1 trig v(a)=1": "trig is given twice",
		"targ v(a)":                        "targ needs",
		"trig":                             "a voltage or current such as v(out) or i(v1) is missing",
	} {
		_, err := Simulate(context.Background(), Request{Netlist: circuit + card + "\n.end"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", card, err, want)
		}
	}
}
