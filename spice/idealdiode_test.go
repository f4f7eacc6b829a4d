package spice

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestIdealDiode compares the piecewise linear diode of LTspice with values computed by hand.
func TestIdealDiode(t *testing.T) {
	for _, c := range []struct {
		name, model, area string
		v, want           float64
	}{
		{"on", "Ron=0.1 Roff=1Meg Vfwd=0.7", "", 1, 0.7/1e6 + 0.3/0.1},
		{"off", "Ron=0.1 Roff=1Meg Vfwd=0.7", "", 0.5, 0.5e-6},
		{"reverse", "Ron=0.1 Roff=1Meg Vfwd=0.7 Vrev=5 Rrev=2", "", -6, -5e-6 - 0.5},
		{"reverse without vrev", "Ron=0.1 Roff=1Meg", "", -6, -6e-6},
		{"in the parabola", "Ron=1 Roff=1G Vfwd=1 epsilon=0.5", "", 1.25, 0.25 * 0.25 / 2 / 0.5},
		{"above the parabola", "Ron=1 Roff=1G Vfwd=1 epsilon=0.5", "", 3, 2 - 0.25},
		{"two in parallel", "Ron=1 Roff=1G Vfwd=1", "2", 3, 4},
		{"m=3", "Ron=1 Roff=1G Vfwd=1", "m=3", 3, 6},
		{"m=2 and an area", "Ron=1 Roff=1G Vfwd=1", "2 m=2", 3, 8},
		{"the defaults", "Ron=1 Vfwd=0", "", 2, 2},
		{"current limit", "Ron=1 Roff=1G Vfwd=1 Ilimit=2", "", 3, 2 * math.Tanh(1)},
		{"far above the limit", "Ron=1m Roff=1k Vfwd=1 Ilimit=2", "", 30, 2},
		{"limits of two diodes", "Ron=1 Roff=1G Vfwd=1 Ilimit=2", "m=2", 3, 4 * math.Tanh(1)},
		{"reverse with a forward limit", "Roff=1k Vrev=5 Rrev=2 Ilimit=1", "", -6, -0.505},
		{"reverse limit", "Roff=1k Vrev=5 Rrev=2 Revilimit=1", "", -6, -math.Tanh(0.505)},
		{"forward with a reverse limit", "Ron=1 Roff=1G Revilimit=1", "", 3, 3},
		{"limits at 0 V", "Ron=1 Roff=1G Ilimit=1 Revilimit=1", "", 0, 0},
	} {
		r := run(t, "t\nV1 a 0 "+strconv.FormatFloat(c.v, 'g', -1,
			64)+"\nD1 a 0 x "+c.area+"\n.model x D("+c.model+")\n.op\n.end", "op")
		if i := -value(t, r, "i(v1)"); math.Abs(i-c.want) > 1e-6*math.Abs(c.want)+1e-8 {
			t.Errorf("%s: %g A, want %g", c.name, i, c.want)
		}
	}
	// At 0 V the conductance is 1/Roff with and without limits.
	for _, limits := range []string{"", "Ilimit=1", "Revilimit=1", "Ilimit=1 Revilimit=2"} {
		r := run(t, "t\nI1 0 a 0 AC 1\nD1 a 0 x\n.model x D(Ron=1 Roff=1k Vfwd=0.5 "+limits+
			")\n.ac lin 1 1k 1k\n.end", "ac")
		wantNear(t, limits, value(t, r, "v(a)_mag"), 1000, 1e-9)
	}
	for _, c := range []struct{ model, instance, want string }{
		{"Ron=1 Ilimit=-1", "", "needs ilimit above 0 A, not -1"},
		{"Ron=1 epsilon=-1", "", "needs epsilon from 0 to 1e6 V, not -1"},
		{"Ron=1 revepsilon=2meg", "", "needs revepsilon from 0 to 1e6 V, not 2e+06"},
		{"Ron=0", "", "needs ron from 1e-12 to 1e30 ohm, not 0"},
		{"Ron=1", "n=2meg", "must be above 0 and at most 1e6, not 2e+06"},
		{"Ron=1", "2g", "the area factor times m= must be above 0 and at most 1e9, not 2e+09"},
		{"Ron=1", "1g m=2", "the area factor times m= must be above 0 and at most 1e9, not 2e+09"},
	} {
		_, err := Simulate(t.Context(), Request{Netlist: "t\nV1 a 0 1\nD1 a 0 x " + c.instance +
			"\n.model x D(" + c.model + ")\n.op\n.end"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %q", c.model, c.instance, err, c.want)
		}
	}
	r := run(t, "t\nV1 a 0 SIN(0 10 50)\nD1 a b x\nR1 b 0 100\nC1 b 0 1m\n.model x D(Ron=0.01 Roff=10Meg Vfwd=0.6)\n.tran 10u 100m\n.end", "tran")
	if peak := slices.Max(column(t, r, "v(b)")); math.Abs(peak-9.39) > 0.03 {
		t.Errorf("a rectifier gives %g V", peak)
	}
}

// TestStorageExpression verifies that a capacitance or inductance given as an expression of circuit
// quantities yields the current C(v)·dv/dt or the voltage L(i)·di/dt.
func TestStorageExpression(t *testing.T) {
	r := run(t, "t\nV1 a 0 SIN(2 1 1k)\nC1 a 0 C={1u*v(a)}\nC2 a 0 {1u*v(a)}\n.tran 1u 2m\n.end",
		"tran")
	for k, s := range column(t, r, "time") {
		w := 2 * math.Pi * 1e3
		want := -2 * 1e-6 * (2 + math.Sin(w*s)) * w * math.Cos(w*s)
		if got := column(t, r, "i(v1)")[k]; s > 1e-5 && math.Abs(got-want) > 0.01*0.0377 {
			t.Fatalf("i(v1) = %g at %g s, want %g", got, s, want)
		}
	}
	r = run(t, "t\nI1 0 a 2 ac 1\nL1 a 0 {1m*i(L1)}\nR1 a 0 1e6\n.ac lin 1 1k 1k\n.end", "ac")
	if got, want := value(t, r, "v(a)_mag"), 2*math.Pi*1e3*2e-3; math.Abs(got-want) > 1e-3*want {
		t.Errorf("an inductance of 2 mH at 2 A: %g V, want %g", got, want)
	}
}
