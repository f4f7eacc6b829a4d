package analysis

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// offModels are models with series resistances and without capacitances, except for d3.
const offModels = `
.model nm NMOS(VTO=1 KP=100u)
.model pm PMOS(VTO=-1 KP=50u RD=10 RS=10)
.model qn NPN(IS=1e-15 BF=100 RB=10 RC=10 RE=1)
.model d1 D(IS=1e-14 RS=1)
.model d2 D(IS=1e-14 RS=10 BV=5)
.model d3 D(IS=1e-16 RS=10m CJO=1f)
.model d0 D(IS=1e-14)
.model dc D(IS=1e-16 CJO=1f)
`

// offTransistors is a circuit whose node b is connected only by transistors that are off.
const offTransistors = `V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
M0 a in 0 0 nm W=10u L=1u
Q1 b b vdd qn
M4 a 0 b 0 nm W=10u L=1u
RB1 a 0 1meg` + offModels

// roundoffWarning returns the warning of warnRoundoff, or "".
func roundoffWarning(out *Output) string {
	for _, w := range out.Warnings {
		if strings.Contains(w, "roundoff of double precision") {
			return w
		}
	}
	return ""
}

// TestRoundoffOfNodes simulates nodes that only devices in their off state connect. The roundoff of
// base resistances and of resistors in series is up to 0.5 V. Without conditioning, each transient
// takes 400,000 iterations or more. Other series resistances of devices have no such roundoff. The
// voltages are those of ngspice 39 at reltol 1e-6, and that of the charged nodes is the supply
// voltage.
func TestRoundoffOfNodes(t *testing.T) {
	for _, c := range []struct {
		name, text, node string
		want, within     float64
		roundoff         bool
	}{
		{"transistors", offTransistors, "b", 1.663661, 1e-4, true},
		{"four transistors", `V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
M0 a in 0 0 nm W=10u L=1u
Q1 b b vdd qn
Q5 vdd b b qn
M4 b 0 a 0 nm W=10u L=1u
RB1 a 0 1meg` + offModels, "b", 2.49798, 1e-3, true},
		{"a gate and a diode", `V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
V3 p 0 PULSE(0 5 0.1m 10u 10u 0.4m 1m)
D0 a c d1
M1 c 0 b b nm W=10u L=1u
Q2 c vdd d qn
M3 d a p 0 pm W=10u L=1u
R4 0 b 10` + offModels, "a", 2.559214, 1e-3, false},
		{"femtofarads", `V2 vdd 0 12
M3 e 0 vdd vdd pm W=10u L=1u
D5 e d d3
D6 d b d3` + offModels, "b", 12, 0.6, false},
		{"femtofarads and resistors", `V2 vdd 0 12
M3 e1 0 vdd vdd pm W=10u L=1u
R3 e1 e 10m
D5 e d1 dc
R5 d1 d 10m
D6 d b dc` + offModels, "b", 12, 0.6, true},
	} {
		out := run(t, c.text+".tran 1u 4m")
		if n := out.Statistics.NewtonIterations; n > 6000 {
			t.Errorf("%s: %d iterations", c.name, n)
		}
		if e := out.Statistics.ErrorEstimatePct; e == nil || *e > 1 {
			t.Errorf("%s: no error estimate below 1 %%", c.name)
		}
		for _, v := range values(t, out, "v("+c.node+")") {
			if !(math.Abs(v-c.want) <= c.within) {
				t.Errorf("%s: v(%s) = %g V, want %g V", c.name, c.node, v, c.want)
				break
			}
		}
		if strings.Contains(roundoffWarning(out), "v("+c.node+") (") != c.roundoff {
			t.Errorf("%s: warnings %q", c.name, out.Warnings)
		}
	}
}

// TestRoundoffOfDiodes verifies the estimated roundoff at a node between two diodes that are off.
// Its conductance is twice gmin. The largest term of its rows is that of a resistor, or the current
// of a series resistance.
func TestRoundoffOfDiodes(t *testing.T) {
	for _, c := range []struct {
		text string
		term float64 // largest term [A] of a row of node a at 2.5 V
	}{
		{"D1 0 a1 d0\nR1 a1 a 1\nD2 a s d0", 2.5},
		{"D1 0 a d1\nD2 a s d1", 1e-11},
	} {
		s, err := newSim(context.Background(), job(t, "V1 s 0 5\n"+c.text+offModels+".op"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.operatingPoint(); err != nil {
			t.Fatal(err)
		}
		var r conditioning
		node := []int{s.setup.Node("a"), s.setup.Node("s")}
		roundoff := make([]float64, 2)
		r.measure(s, node, roundoff)
		largest := residualRoundoff * c.term / (2 * s.opt.Gmin)
		if e := roundoff[0]; e < largest/10 || e > 3*largest {
			t.Errorf("%s: the roundoff is %g V, want about %g V", c.text, e, largest)
		}
		if roundoff[1] > 1e-14 {
			t.Errorf("%s: the roundoff of a source is %g V", c.text, roundoff[1])
		}
	}
}

// TestRoundoffIsNamed verifies that the warning names the vectors of the result, including
// vectors derived from an affected node. It does not name constant nodes whose roundoff is below
// 1e-5 of the voltage.
func TestRoundoffIsNamed(t *testing.T) {
	const electrometer = offTransistors + `D7 s7y s7 d0
RS7 s7x s7y 1
R7 s7x 0 1e12
B7 s7 0 V=5+0.02*sin(6283.2*time)
`
	const chain = `V2 vdd 0 12
M3 e1 0 vdd vdd pm W=10u L=1u
R3 e1 e 10m
D5 e d1 dc
R5 d1 d 10m
D6 d b dc` + offModels
	const divider = `V1 vdd 0 24
R1 vdd a 1meg
R2 a 0 1meg
D1 a vdd d3
D2 0 a d3
M1 vdd a o o nm
RO o 0 10k
V2 s 0 SIN(0 1 1k)
R3 s b 1k
D3 b 0 d3` + offModels
	for _, c := range []struct{ text, want, not string }{
		{electrometer + ".tran 1u 4m", "v(b) (", "v(a)"},
		{electrometer + ".save p(d7) v(s7)\n.tran 1u 4m", "p(d7): the terms", "s7"},
		{electrometer + ".tran 1u 4m", "affects v(s7x) (", "v(a)"},
		{chain + ".op", "v(b) (", "v(e)"},
		{electrometer + ".op", "v(s7x) (", "v(a)"},
		{divider + ".op", "", "roundoff"},
		{divider + ".tran 10u 4m", "", "roundoff"},
	} {
		out := run(t, c.text)
		w := roundoffWarning(out)
		if !strings.Contains(w, c.want) || strings.Contains(w, c.not) {
			t.Errorf("%s: warnings %q", c.text[strings.LastIndex(c.text, ")"):], out.Warnings)
		}
	}
}

// TestRoundoffOfOtherRuns verifies that the least range of an error estimate contains the roundoff
// of both runs.
func TestRoundoffOfOtherRuns(t *testing.T) {
	c := newChordControl([]int{1, 2, 3}, 3, 4, 1, []float64{1e-4, 1e-4, 1e-4})
	c.includeRoundoff([]float64{1e-3, 0, 0})
	c.includeRoundoff([]float64{1e-4, 2e-3, 0})
	want := []float64{roundoffRange * 1e-3, roundoffRange * 2e-3, 1e-4}
	if got := c.smallestRanges(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSmallJumpsAreNoRoundoff verifies that a square wave of 1 mV on 5 V does not count as
// roundoff. Its jumps take more short steps than shortSteps.
func TestSmallJumpsAreNoRoundoff(t *testing.T) {
	out := run(t, `B1 s 0 V=5+0.001*u(sin(6.2832e5*time))+0.0003*abs(sin(3e5*time))
R1 s a 1k
D1 a b d1
R2 b 0 10k`+offModels+".tran 1u 2m")
	if w := roundoffWarning(out); w != "" {
		t.Error(w)
	}
	v := values(t, out, "v(s)")
	for k, at := range values(t, out, "time") {
		sine := math.Sin(6.2832e5 * at)
		if math.Abs(sine) < 0.01 {
			continue
		}
		want := 5 + 0.0003*math.Abs(math.Sin(3e5*at))
		if sine > 0 {
			want += 0.001
		}
		if math.Abs(v[k]-want) > 1e-6 {
			t.Fatalf("v(s) = %.9g V at %g s, want %.9g V", v[k], at, want)
		}
	}
}

// TestConvergenceOfFloatingDiodes verifies that residuals at the roundoff level do not prevent
// convergence at a small tolerance. Nodes a and c are connected to a source only by a diode without
// current, and all source currents are about 1e-16 A.
func TestConvergenceOfFloatingDiodes(t *testing.T) {
	out := run(t, `V1 in 0 2.5
V2 vdd 0 5
R0 b vdd 10
D1 a in d1
C2 b a 1n
M3 b vdd b b pm W=10u L=1u
D4 c in d1`+offModels+".options reltol=1e-6\n.op")
	for _, node := range []string{"a", "c"} {
		if v := values(t, out, "v("+node+")"); math.Abs(v[0]-2.5) > 1e-3 {
			t.Errorf("v(%s) = %g V", node, v[0])
		}
	}
}

// TestRoundoffEndsWithConduction verifies that the roundoff of a node that is off for 2 ms does not
// affect its curve afterwards. A transistor then connects the node to a sine of 10 kHz. The range
// of the curve is so far above the roundoff of 1 mV that there is no warning.
func TestRoundoffEndsWithConduction(t *testing.T) {
	out := run(t, `V2 vdd 0 5
V4 g 0 PULSE(0 10 2m 1u 1u 10 20)
B1 y 0 V=2.5+1.5*sin(62832*time)
M1 x g y 0 nm W=100u L=1u
D1 0 x dr
D2 x vdd dr
.model dr D(IS=1e-14 RS=0.2)`+offModels+".save v(x)\n.tran 1u 4m")
	if n := out.Statistics.NewtonIterations; n > 20_000 {
		t.Errorf("%d iterations", n)
	}
	if w := roundoffWarning(out); w != "" {
		t.Error(w)
	}
	time, v, row := values(t, out, "time"), values(t, out, "v(x)"), 0
	for n := 21_000; n < 40_000; n++ {
		at := float64(n) * 1e-7
		for time[row+1] < at {
			row++
		}
		part := (at - time[row]) / (time[row+1] - time[row])
		got := v[row] + part*(v[row+1]-v[row])
		if want := 2.5 + 1.5*math.Sin(62832*at); math.Abs(got-want) > 8.5e-3 {
			t.Fatalf("v(x) = %g V at %g s, want %g V", got, at, want)
		}
	}
}

// TestResidualsBesideResistors simulates two JFET switches that are off for most of the time. The
// terms of the resistors in series are 0.7 A. Residuals within reltol of them moved the output by
// 32 mV, and the transient took 1,700,000 iterations. With series resistances of the devices
// instead of resistors, the terms are the currents.
func TestResidualsBesideResistors(t *testing.T) {
	const sources = `V1 a 0 SIN(1 1 1k)
V2 b 0 SIN(-1 1 2k)
VC1 g1 0 PULSE(-10 0 0.5m 1u 1u 0.4m 2m)
VC2 g2 0 PULSE(-10 0 1.5m 1u 1u 0.4m 2m)
`
	for _, switches := range []string{`DG1 k1 g3 dd
RG1 g3 g1 5
RD1 a a1 10
J1 a1 k1 s1 nj
RS1 s1 o 10
DG2 k2 g4 dd
RG2 g4 g2 5
RD2 b b1 10
J2 b1 k2 s2 nj
RS2 s2 o 10
.model nj NJF(VTO=-3 BETA=1m IS=1e-14)
.model dd D(IS=1e-14)`, `DG1 k1 g1 dd
J1 a k1 o nj
DG2 k2 g2 dd
J2 b k2 o nj
.model nj NJF(VTO=-3 BETA=1m RD=10 RS=10 IS=1e-14)
.model dd D(IS=1e-14 RS=5)`} {
		out := run(t, sources+switches+"\n.tran 5u 8m")
		if n := out.Statistics.NewtonIterations; n > 40_000 {
			t.Errorf("%d iterations", n)
		}
		if e := out.Statistics.ErrorEstimatePct; e == nil || *e > 1 {
			t.Error("no error estimate below 1 %")
		}
	}
}
