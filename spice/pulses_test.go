package spice

import (
	"math"
	"strings"
	"testing"
)

// TestPulsesInsideSteps simulates pulses of expressions that are shorter than a step. The detector
// of zero crossings is on while the sine of 325 V is below 10 V: 2·asin(10/325)/100π s per half
// period. The latch of a triac must turn off below 50 mA, so that it conducts from 3 ms after each
// zero crossing to the next. Its voltage is 229.81 V·sqrt(1 - 0.3 + sin(108°)/2π) without the
// losses of 0.1 ohm.
func TestPulsesInsideSteps(t *testing.T) {
	const sine = "V1 l 0 SIN(0 325 50)\n"
	const average = "\nR2 zc f 1k\nC2 f 0 100n\n.tran 10u 200m\n" +
		".meas tran v avg v(f) from=100m to=200m"
	for _, c := range []struct {
		name, text      string
		want, tolerance float64
	}{
		{"step", sine + "B1 zc 0 V=5*u(10-abs(v(l)))" + average, 0.09796, 2e-3},
		{"narrow", sine + "B1 zc 0 V=5*u(1-abs(v(l)))" + average, 0.009794, 5e-3},
		{"LTspice card", sine + "B1 zc 0 V=5*u(10-abs(v(l)))" +
			strings.Replace(average, ".tran 10u", ".tran", 1), 0.09796, 2e-3},
		{"coarse card", sine + "B1 zc 0 V=5*u(10-abs(v(l)))" +
			strings.Replace(average, ".tran 10u", ".tran 1m", 1), 0.09796, 2e-3},
		{"condition", sine + "B1 zc 0 V=if(abs(v(l))<10,5,0)" + average, 0.09796, 2e-3},
		{"tanh", sine + "B1 zc 0 V=2.5+2.5*tanh(10*(10-abs(v(l))))" + average, 0.09796, 2e-3},
		{"table", sine + "E1 zc 0 table {v(l)} = (-11,0) (-9,5) (9,5) (11,0)" + average, 0.09796,
			2e-3},
		{"function of time", "B1 zc 0 V=if(abs(sin(314.159265*time))<10/325,5,0)" + average,
			0.09796, 2e-3},
		{"triac", sine + `RL l t 100
S1 t x c 0 sw
VS x 0 0
B1 c 0 V=(abs(i(VS))>50m)+(v(g)>1?1:0)
VG g 0 PULSE(0 2 3m 1u 1u 100u 10m)
.model sw SW(VT=0.5 VH=0.1 RON=0.1 ROFF=1Meg)
.tran 10u 60m
.meas tran v rms v(l,t) from=20m to=60m`, 211.8, 2e-3},
	} {
		wantMeasure(t, c.name, c.text, c.want, c.tolerance)
	}
}

// wantMeasure simulates a netlist without title and .end, and compares its first measure with the
// expected value. It returns the result, or nil if there is none.
func wantMeasure(t *testing.T, name, text string, want, tolerance float64) *Result {
	t.Helper()
	r, err := Simulate(t.Context(), Request{Netlist: "t\n" + text + "\n.end"})
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
		return nil
	case r.Measures[0].Value == nil:
		t.Errorf("%s: %v", name, r.Warnings)
	default:
		wantNear(t, name, *r.Measures[0].Value, want, tolerance)
	}
	return r
}

// TestModulationDefaults verifies am and sffm without all of their values. As in ngspice 39, the
// missing frequencies are those of one period in the run.
func TestModulationDefaults(t *testing.T) {
	const at, once = 0.37, 0.5 // time [ms] and default frequency [kHz]
	wave := func(kHz float64) float64 { return math.Sin(2 * math.Pi * kHz * at) }
	for text, want := range map[string]float64{
		"sffm(0 1)":          wave(once),
		"sffm(0 1 2k)":       wave(2),
		"sffm(.5 1 2k 3)":    0.5 + math.Sin(2*math.Pi*2*at+3*wave(once)),
		"sffm(.5 1 0 3 0)":   0.5 + math.Sin(2*math.Pi*once*at+3*wave(once)),
		"sffm(.5 1 2k 3 1k)": 0.5 + math.Sin(2*math.Pi*2*at+3*wave(1)),
		"am(1 .5 0 3k)":      (0.5 + wave(once)) * wave(3),
		"am(1 1)":            0,
		"am(1 0 1k)":         0,
	} {
		r := run(t, "t\nV1 a 0 "+text+"\nR1 a 0 1\n.tran 1u 2m 0 2u\n"+
			".meas tran x find v(a) at=.37m\n.end", "tran")
		if got := *r.Measures[0].Value; !(math.Abs(got-want) < 1e-4) {
			t.Errorf("%s: %.6f, want %.6f", text, got, want)
		}
		if warned := len(r.Warnings) > 0; warned != (want == 0) {
			t.Errorf("%s: warnings %q", text, r.Warnings)
		}
	}
}
