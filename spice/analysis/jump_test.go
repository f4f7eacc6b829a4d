package analysis

import (
	"math"
	"testing"
)

// TestJumpControl verifies when the LTE no longer limits the steps of a jump, and which longer step
// follows a divergence.
func TestJumpControl(t *testing.T) {
	const short, jump, long = noiseStep / 2, skippingStep / 2, 2 * jumpStep
	c := jumpControl{stop: 1}
	for range maxNoiseSteps - 1 {
		c.count(0.5, short, true, false)
	}
	c.count(0.5, jump, true, false)
	c.count(0.5, short, true, false)
	if c.skips(jump) || c.first != 0 {
		t.Error("a jump is skipped after attempts that are not successive")
	}
	for range maxNoiseSteps - 1 {
		c.count(0.5, short, false, false)
	}
	if !c.skips(jump) || c.skips(jumpStep/2) || c.first != 0.5 {
		t.Errorf("after %d attempts: skips %v, a longer step %v, first jump %g", maxNoiseSteps,
			c.skips(jump), c.skips(jumpStep/2), c.first)
	}
	for range skippingSteps {
		c.count(0.6, jump, true, false)
	}
	if c.skips(jump) {
		t.Errorf("the LTE is without effect after %d attempts", skippingSteps)
	}

	c = jumpControl{stop: 1}
	if h := c.longer(0.5, false); h != 0 {
		t.Errorf("a longer step of %g s after the first divergence", h)
	}
	c.count(0.5, jump, false, true)
	for k := range maxRepeats {
		if h, want := c.longer(0.5, false), jumpStep/float64(k+2); h != want {
			t.Errorf("longer step %d: %g s, want %g s", k, h, want)
		}
	}
	if h := c.longer(0.5, true); h != 0 {
		t.Errorf("more than %d longer steps in a jump", maxRepeats)
	}
	c.count(0.5, long, true, false)
	if h := c.longer(0.6, true); h != jumpStep/2 || c.first != 0.5 {
		t.Errorf("in the next jump: a longer step of %g s, first jump %g", h, c.first)
	}

	c = jumpControl{}
	c.count(0.5, 0, false, true)
	if c.skips(0) || c.longer(0.5, true) != 0 {
		t.Error("a jump is skipped in a circuit without inductors")
	}
}

// TestInductorsWithoutCurrent simulates rectifiers whose inductors have almost no current and no
// capacitance at their nodes while the diodes block. In the half bridge a switch charges 29 pF
// through 33 milliohms in 1 ps. The averages are those of ngspice 39 with reltol=1e-3 (half
// bridge; with 1e-4 it stops) and 1e-4. The limits of the nodes are 10 % above those of ngspice.
func TestInductorsWithoutCurrent(t *testing.T) {
	for _, c := range []struct {
		name, netlist, plus, minus, node string
		average, low, high               float64 // [V]
		iterations                       int
	}{
		{"half bridge", `Vin in 0 145
VG1 g1 0 PULSE(0 10 0 121n 121n 5.42u 12.1u)
VG2 g2 0 PULSE(0 10 6.03u 121n 121n 5.42u 12.1u)
S1 in x g1 0 swm
S2 x 0 g2 0 swm
D1 x in dm
D2 0 x dm
CX x 0 29.4p
LR x y 48.7u
CR y p 83.4n
LP p 0 244u
LS s 0 97.4u
K1 LP LS 0.996
D3 s o dm
D4 n s dm
C3 o 0 62.4u
C4 0 n 145u
RL o n 108
.model swm SW(VT=5 VH=0.5 RON=33.4m ROFF=1meg)
.model dm D(IS=1.34e-14 N=1.09 RS=6.5m)
.tran 121n 84.4u`, "v(o)", "v(n)", "v(p)", 10.896, -64, 77, 100_000},
		{"three phases", `V0 s0 0 SIN(0 325 457 0 0 0)
L0 s0 t0 32.3u
DP0 t0 p dm
DN0 n t0 dm
V1 s1 0 SIN(0 325 457 0 0 120)
L1 s1 t1 21.5u
DP1 t1 p dm
DN1 n t1 dm
RS1 t1 u1 4.28
CS1 u1 0 33.4n
V2 s2 0 SIN(0 325 457 0 0 240)
L2 s2 t2 169u
DP2 t2 p dm
DN2 n t2 dm
RS2 t2 u2 24.7
CS2 u2 0 1.11n
L9 p q 31.8m
C9 q n 35.4u
R9 q n 20.4
RN n 0 100k
.model dm D(IS=6.45e-13 N=1.54 RS=11.3m)
.tran 10.9u 4.38m`, "v(q)", "v(n)", "v(p)", 540.91, 102, 383, 100_000},
	} {
		out := run(t, c.netlist)
		time, plus, minus := values(t, out, "time"), values(t, out, c.plus), values(t, out, c.minus)
		integral := 0.0
		for k := 1; k < len(time); k++ {
			integral += (time[k] - time[k-1]) * (plus[k] + plus[k-1] - minus[k] - minus[k-1]) / 2
		}
		if got := integral / time[len(time)-1]; math.Abs(got/c.average-1) > 3e-3 {
			t.Errorf("%s: average %.3f V, want %.3f V", c.name, got, c.average)
		}
		for k, v := range values(t, out, c.node) {
			if v < c.low || v > c.high {
				t.Errorf("%s: %s is %.4g V at %.6g s, want %g to %g V", c.name, c.node, v, time[k],
					c.low, c.high)
				break
			}
		}
		if n := out.Statistics.NewtonIterations; n > c.iterations {
			t.Errorf("%s: %d iterations, want at most %d", c.name, n, c.iterations)
		}
	}
}
