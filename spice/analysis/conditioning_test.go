package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// offModels are models with series resistances and without capacitances.
const offModels = `
.model nm NMOS(VTO=1 KP=100u)
.model pm PMOS(VTO=-1 KP=50u RD=10 RS=10)
.model qn NPN(IS=1e-15 BF=100 RB=10 RC=10 RE=1)
.model d1 D(IS=1e-14 RS=1)
.model d2 D(IS=1e-14 RS=10 BV=5)
`

// TestRoundoffOfNodes simulates nodes that only devices in their off state connect. The roundoff of
// their series resistances is up to 0.5 mV. Without conditioning, each transient takes 800,000
// iterations or more. The voltages are those of ngspice 39 at reltol 1e-6.
func TestRoundoffOfNodes(t *testing.T) {
	for _, c := range []struct {
		name, text, node string
		want             float64
	}{
		{"transistors", `V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
M0 a in 0 0 nm W=10u L=1u
Q1 b b vdd qn
M4 a 0 b 0 nm W=10u L=1u
RB1 a 0 1meg` + offModels, "b", 1.663661},
		{"four transistors", `V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
M0 a in 0 0 nm W=10u L=1u
Q1 b b vdd qn
Q5 vdd b b qn
M4 b 0 a 0 nm W=10u L=1u
RB1 a 0 1meg` + offModels, "b", 2.49798},
		{"a gate and a diode", `V1 in 0 SIN(2.5 2.5 1k)
V2 vdd 0 5
V3 p 0 PULSE(0 5 0.1m 10u 10u 0.4m 1m)
D0 a c d1
M1 c 0 b b nm W=10u L=1u
Q2 c vdd d qn
M3 d a p 0 pm W=10u L=1u
R4 0 b 10` + offModels, "c", 2.559214},
	} {
		out := run(t, c.text+".tran 1u 4m")
		if n := out.Statistics.NewtonIterations; n > 10_000 {
			t.Errorf("%s: %d iterations", c.name, n)
		}
		if e := out.Statistics.ErrorEstimatePct; e == nil || *e > 1 {
			t.Errorf("%s: no error estimate below 1 %%", c.name)
		}
		for _, v := range values(t, out, "v("+c.node+")") {
			if math.Abs(v-c.want) > 1e-3 {
				t.Errorf("%s: v(%s) = %g V, want %g V", c.name, c.node, v, c.want)
				break
			}
		}
		if !strings.Contains(fmt.Sprint(out.Warnings), "double precision causes a roundoff in v(") {
			t.Errorf("%s: warnings %q", c.name, out.Warnings)
		}
	}
}

// TestSmallJumpsAreNoRoundoff verifies that a square wave of 1 mV on 5 V, whose jumps take more
// short steps than shortSteps, does not count as roundoff.
func TestSmallJumpsAreNoRoundoff(t *testing.T) {
	out := run(t, `B1 s 0 V=5+0.001*u(sin(6.2832e5*time))+0.0003*abs(sin(3e5*time))
R1 s a 1k
D1 a b d1
R2 b 0 10k`+offModels+".tran 1u 2m")
	if strings.Contains(fmt.Sprint(out.Warnings), "roundoff") {
		t.Errorf("warnings %q", out.Warnings)
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

// TestConvergenceAtRoundoff verifies that currents and residuals at the roundoff level do not
// prevent convergence at a small tolerance: all source currents are about 1e-16 A, and node c or a
// is connected to a source only by a diode without current.
func TestConvergenceAtRoundoff(t *testing.T) {
	op := run(t, `V1 in 0 2.5
V2 vdd 0 5
R0 b vdd 10
D1 a in d1
C2 b a 1n
M3 b vdd b b pm W=10u L=1u
D4 c in d1`+offModels+".options reltol=1e-6\n.op")
	for _, node := range []string{"a", "c"} {
		if v := values(t, op, "v("+node+")"); math.Abs(v[0]-2.5) > 1e-3 {
			t.Errorf("v(%s) = %g V", node, v[0])
		}
	}
	tran := run(t, `V1 in 0 SIN(2.5 2.5 1k)
V3 p 0 PULSE(0 5 0.1m 10u 10u 0.4m 1m)
D0 a e d2
D1 e c d1
R2 d in 1k
D3 c p d2`+offModels+".options reltol=1e-6\n.tran 1u 4m")
	if n := tran.Statistics.NewtonIterations; n > 5000 {
		t.Errorf("%d iterations", n)
	}
}
