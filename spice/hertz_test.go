package spice

import (
	"math"
	"strings"
	"testing"
)

// TestHertz verifies the frequency in expressions: the gain f/(1 kHz) of a source and the
// resistance sqrt(f) of skin effect. It is 0 outside of small-signal analyses.
func TestHertz(t *testing.T) {
	const source = "t\nV1 in 0 dc 1 ac 2\nR1 in 0 1k\nB1 out 0 V=v(in)*(hertz/1k)+hertz\n" +
		"E1 e 0 value={v(in)*sqrt(HERTZ)}\nB2 in s I=v(in,s)/(1+sqrt(hertz))\nR2 s 0 1\n"
	r := run(t, source+".ac lin 3 100 2500\n.end", "ac")
	for k, f := range column(t, r, "frequency") {
		for name, want := range map[string]float64{"v(out)_mag": 2 * f / 1e3,
			"v(e)_mag": 2 * math.Sqrt(f), "v(s)_mag": 2 / (2 + math.Sqrt(f))} {
			if got := column(t, r, name)[k]; math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s at %g Hz is %g, want %g", name, f, got, want)
			}
		}
	}
	r = run(t, source+".op\n.end", "op")
	if v, s := value(t, r, "v(out)"), value(t, r, "v(s)"); v != 0 || !near(s, 0.5) {
		t.Errorf(".op: %g V and %g V, want 0 V and 0.5 V", v, s)
	}
	// freq is the frequency with a warning, unless it is a parameter.
	r = run(t, "t\nV1 in 0 ac 1\nB1 out 0 V=v(in)*freq\nR1 out in 1\n.ac lin 1 50 50\n.end", "ac")
	if v := value(t, r, "v(out)_mag"); !near(v, 50) || !strings.Contains(
		strings.Join(r.Warnings, "\n"), "freq is read as hertz") {
		t.Errorf("freq: %g V; %v", v, r.Warnings)
	}
	r = run(t, "t\nV1 in 0 ac 1\nB1 out 0 V=v(in)*freq\nR1 out in 1\n.param freq=3\n"+
		".ac lin 1 50 50\n.end", "ac")
	if v := value(t, r, "v(out)_mag"); !near(v, 3) || len(r.Warnings) > 0 {
		t.Errorf("freq=3: %g V; %v", v, r.Warnings)
	}
}
