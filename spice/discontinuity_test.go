package spice

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestExpressionJumps simulates comparators that are expressions. The relaxation oscillator has the
// period 2·R·C·ln((1+β)/(1-β)) for the feedback β = 1/2, which is 2.197e-4 s. The pulse-width
// modulator compares a sawtooth with 0.42 V, so that its mean output is 4.2 V. The staircase
// int(8·t/T) has the mean 3.5. The switch conducts during a third of the period. Steps that
// search the jumps by their errors exceed the limits of the iterations.
func TestExpressionJumps(t *testing.T) {
	for _, c := range []struct {
		name, text      string
		want, tolerance float64
		iterations      int
	}{
		{"comparator with hysteresis", `B1 out 0 V=(v(p)>v(n))?5:-5
R1 out p 10k
R2 p 0 10k
R3 out n 10k
C1 n 0 10n
.ic v(n)=0
.tran 1u 5m
.meas tran m trig v(n) val=0 rise=3 targ v(n) val=0 rise=4`, 2.19722e-4, 1e-3, 4000},
		{"hysteresis inside the expression", `B1 out 0 V=if(v(n)<if(v(out)>0,2.5,-2.5),5,-5)
R3 out n 10k
C1 n 0 10n
.ic v(n)=0
.tran 1u 5m
.meas tran m trig v(n) val=0 rise=3 targ v(n) val=0 rise=4`, 2.19722e-4, 1e-3, 4000},
		{"pulse-width modulator", `V1 ramp 0 PULSE(0 1 0 9.999u 0.5n 0.5n 10u)
B1 g 0 V=10*(0.42>v(ramp))
R1 g f 1k
C1 f 0 1u
.tran 1u 10m
.meas tran m avg v(g) from=1m to=9m`, 4.2, 2e-4, 105000},
		{"staircase of time", `B1 s 0 V=int(8*(time*1k-floor(time*1k)))
R1 s f 1k
C1 f 0 10n
.tran 1u 10m
.meas tran m avg v(s) from=0 to=10m`, 3.5, 1e-3, 5500},
		{"gated switch", `V1 a 0 SIN(0 1 1k)
B1 c 0 V=u(v(a)-0.5)
V2 s 0 10
S1 s o c 0 sw
R1 o 0 1k
C1 o 0 10p
.model sw SW(VT=0.5 VH=0 RON=1 ROFF=1G)
.tran 1u 10m
.meas tran m avg v(o) from=0 to=10m`, 3.33, 2e-4, 7000},
		{"largest integer", `V1 in 0 SIN(1 2 1k)
R1 in out 1k
C1 out 0 100n
B1 b 0 V=nint(v(in))
.tran 10u 1m
.meas tran m max v(b)`, 3, 1e-12, 750},
	} {
		r := wantMeasure(t, c.name, c.text, c.want, c.tolerance)
		if r == nil {
			continue
		}
		if n := r.Statistics.NewtonIterations; n > c.iterations {
			t.Errorf("%s: %d iterations, limit %d", c.name, n, c.iterations)
		} else {
			t.Logf("%s: %d iterations", c.name, n)
		}
	}
}

// TestComparatorWithoutHysteresis verifies that the error of a feedback loop without a solution
// names the comparator and the remedy, and that the remedy helps.
func TestComparatorWithoutHysteresis(t *testing.T) {
	const loop = "t\nB1 g 0 V=%s\nR1 g c 1k\nC1 c 0 1u\nR2 c 0 10k\n.tran 10u 10m\n" +
		".meas tran m avg v(c) from=5m to=10m\n.end"
	_, err := Simulate(context.Background(),
		Request{Netlist: fmt.Sprintf(loop, "(v(c)<2.5)?5:0")})
	if err == nil || !strings.Contains(err.Error(),
		"at b1 (line 2), whose expression jumps: a comparator in a feedback loop may need hysteresis") {
		t.Errorf("error %v", err)
	}
	r, err := Simulate(context.Background(),
		Request{Netlist: fmt.Sprintf(loop, "(v(c)<2.475+0.01*v(g))?5:0")})
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "mean", *r.Measures[0].Value, 2.5, 4e-3)
}
