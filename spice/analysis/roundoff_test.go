package analysis

import (
	"fmt"
	"math"
	"testing"
)

// TestStepsKeepDigits runs linear circuits in which very short steps leave no significant digits.
// The large C/h of capacitors hides the small h/L of the inductors, which alone connect the
// capacitors to the other elements. All circuits are symmetric, so the sum of two voltages is
// always 1 V. In the loop with uic, two equal inductances form a divider at 0 s.
func TestStepsKeepDigits(t *testing.T) {
	for _, c := range []struct {
		name, text, a, b string
		from, within     float64
	}{
		{"lines", `V1 1 0 1
V2 1 6 PWL(0 0 1n 1)
V3 8 0 PWL(0 0 1n 1)
R1 6 2 10
R2 8 9 10
L1 2 3 193n
L2 9 10 193n
K1 L1 L2 0.85
C1 3 4 100p
C2 10 4 100p
C3 3 5 100p
C4 10 5 100p
L3 1 5 193n
L4 7 4 193n
R3 0 7 10u
C5 2 9 4.6p
.tran 10p 10n`, "v(3)", "v(10)", 1e-11, 1e-2},
		{"decoupling", `V1 1 0 1
R1 1 2 50m
L1 2 3 10u
I1 3 4 PWL(0 0 50p 20 100p 0 1n 0) r=0
L2 4 5 10u
R2 5 0 50m
C1 3 4 99n
.ic v(3)=1 v(4)=0
.tran 0.05n 100n uic`, "v(3)", "v(4)", 0, 1e-2},
		{"loop with uic", `V1 p 0 1
L1 p r 0.1n
L2 0 s 0.1n
C1 a b 100n
R1 r a 0.5m
R2 s b 0.5m
.tran 1p 100n uic`, "v(r)", "v(s)", 0, 1e-2},
	} {
		out := run(t, c.text)
		var time, a, b []float64
		for _, v := range out.Vectors {
			switch v.Name {
			case "time":
				time = v.Values
			case c.a:
				a = v.Values
			case c.b:
				b = v.Values
			}
		}
		worst, at := 0.0, 0.0
		for i := range time {
			if d := math.Abs(a[i] + b[i] - 1); time[i] >= c.from && d > worst {
				worst, at = d, time[i]
			}
		}
		if len(time) < 10 || !(worst <= c.within) {
			t.Errorf("%s: %s and %s add up to 1 V but for %g V at %g s", c.name, c.a,
				c.b, worst, at)
		}
	}
}

// TestCurrentOfLargeCapacitor runs a converter whose source feeds a large capacitor. In the short
// steps at its edges, C/h leaves the source current fewer digits than reltol requires.
func TestCurrentOfLargeCapacitor(t *testing.T) {
	out := run(t, `V1 in 0 5
C1 in 0 100u
L1 in sw 100u
M1 sw g 0 0 n
VG g 0 PULSE(0 5 0 10n 10n 5.833u 10u)
D1 sw out d
C2 out 0 220u
R2 out 0 24
.model n NMOS(Vto=4 Kp=20 Rd=44m Rs=1m Cgso=3n Cgdo=1n Cbd=2n Cbs=2n)
.model d D(Is=1u Rs=10m Cjo=500p Vj=0.4 Tt=10n)
.options reltol=1e-9
.tran 1u 50u 0 1u`)
	if time := out.Vectors[0].Values; time[len(time)-1] != 50e-6 {
		t.Errorf("the run ends at %g s", time[len(time)-1])
	}
	if e := out.Statistics.ErrorEstimatePct; e == nil || *e > 1 {
		t.Errorf("estimate %v, warnings %q", e, out.Warnings)
	}
}

// TestCurrentBesideLargeCapacitor verifies the current of a source that feeds 1 uF and a load of 1
// nA for some nanoseconds. The roundoff of the capacitor's charge must not hide the load.
func TestCurrentBesideLargeCapacitor(t *testing.T) {
	for _, middle := range []float64{0.23, 0.37, 0.41, 0.55, 0.68, 0.81} {
		out := run(t, fmt.Sprintf(`V1 vdd 0 5
C1 vdd 0 1u
VG g 0 PWL(0 0 1u 1)
B1 vdd 0 I=1n*exp(-((v(g)-%g)/0.01)^2)
.tran 1n 1u`, middle))
		time := out.Vectors[0].Values
		current, row := values(t, out, "i(v1)"), 0
		for n := 20; n < 2000; n++ {
			at := float64(n) / 2000 * 1e-6
			for time[row+1] < at {
				row++
			}
			part := (at - time[row]) / (time[row+1] - time[row])
			i := current[row] + part*(current[row+1]-current[row])
			x := (at/1e-6 - middle) / 0.01
			if want := -1e-9 * math.Exp(-x*x); math.Abs(i-want) > 2.5e-11 {
				t.Fatalf("i(v1) is %g A at %g s, want %g A", i, at, want)
			}
		}
	}
}

// TestOperatingPointAtRoundoff verifies that a node that only leakage currents reach does not
// prevent the operating point at a small reltol. The output of the TTL gate is high without a load.
// The series resistance of its diode makes terms of 1,250 A, whose roundoff moves the output by
// 1 mV. The reference is ngspice 39: 4.7113 V.
func TestOperatingPointAtRoundoff(t *testing.T) {
	const gate = `VCC c 0 5
VI i 0 0.2
RB c b1 9.1k
Q1 k1 b1 i qn
Q2 c2 k1 e2 qn
R2 c c2 1.7k
R3 e2 0 698
Q3 o e2 0 qn
Q4 c4 c2 x qn
R4 c c4 75.8
D1 x o dm
.model qn NPN(BF=56.3 IS=7.27e-14 VAF=76.4 RB=43.8)
.model dm D(IS=5.8e-14 N=1.24 RS=3.9m)
.options reltol=%g
.op`
	for _, reltol := range []float64{1e-3, 1e-6, 1e-9} {
		out := run(t, fmt.Sprintf(gate, reltol))
		if v := values(t, out, "v(o)")[0]; math.Abs(v-4.7113) > 5e-3 {
			t.Errorf("reltol %g: %.4f V, want 4.7113 V", reltol, v)
		}
		if aid := out.Statistics.ConvergenceAid; aid != "none" {
			t.Errorf("reltol %g: %s was necessary", reltol, aid)
		}
	}
}
