package spice

import (
	"context"
	"strings"
	"testing"
	"time"

	"slipstick/spice/analysis"
)

// TestDampedRinging simulates a three-phase bridge whose diodes ring with the inductors of the
// lines at 1 MHz, which would take 10 million Newton iterations. The references are from ngspice 39
// (largest step 2 us) for the same bridge without the junction capacitances. It has 100 kΩ from
// each phase to ground, so nothing rings. The first milliseconds, which the resolving run must
// cover, take 30,000 to 200,000 iterations. The noise of Newton's method keeps the steps short, and
// roundoff decides how long.
func TestDampedRinging(t *testing.T) {
	budget := analysis.Budget{Newton: 300_000, Numbers: 5_000_000, Wall: time.Minute}
	r, err := Simulate(context.Background(), Request{Budget: &budget, Netlist: `three-phase bridge
Va a 0 SIN(0 170 50)
La a xa 1m
D1 xa p dd
D2 n xa dd
Vb b 0 SIN(0 170 50 0 0 120)
Lb b xb 1m
D3 xb p dd
D4 n xb dd
Vc c 0 SIN(0 170 50 0 0 240)
Lc c xc 1m
D5 xc p dd
D6 n xc dd
.model dd d(is=1e-12 rs=10m cjo=20p)
C1 p n 300u
RL p n 15
Rn n 0 1meg
E1 dc 0 p n 1
.tran 200u 100m
.meas tran mean avg v(dc) from=60m
.meas tran current rms i(la) from=60m
.meas tran ripple pp v(dc) from=60m
.end`})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []struct{ value, tolerance float64 }{
		{273.4964, 3e-4}, {16.4484, 1e-3}, {42.3236, 5e-3},
	} {
		m := r.Measures[k]
		wantNear(t, m.Name, *m.Value, want.value, want.tolerance)
	}
	times := r.Vectors[0].Values
	if end := times[len(times)-1]; end != 0.1 {
		t.Errorf("the result ends at %g s, want 0.1 s", end)
	}
	if e := r.Statistics.ErrorEstimatePct; e == nil || *e < 5 {
		t.Errorf("the estimated error is %v, want that of the ringing", e)
	}
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "damped numerically") {
		t.Errorf("no warning about damping: %s", all)
	}
}

// TestNotDamped verifies that the result ends where the budget ended the run, with one warning
// about it. A damped run would not resolve the sine or the largest step of the card, or does not
// complete.
func TestNotDamped(t *testing.T) {
	const clamp = `100,000 periods
V1 in 0 SIN(0 1 100k)
R1 in a 50
L1 a out 10u
C1 out 0 10n
RL out 0 1k
D1 out p d
VP p 0 5
.model d d(cjo=10p)
`
	const converter = `10,000 periods
V1 in 0 12
S1 in sw g 0 s
VG g 0 PULSE(0 5 0 5n 5n 0.5u 1u)
D1 0 sw d
L1 sw out 10u
C1 out 0 10u
R1 out 0 5
.model s sw(vt=2.5 ron=10m roff=1meg)
.model d d(cjo=10p)
`
	// An oscillator that is still growing, beside a source that has nothing to do with it.
	const oscillator = `Pierce oscillator
VDD vdd 0 PWL(0 0 10u 3.3)
VX x 0 PULSE(0 1 0.2m 1u 1u 0.1m 0.2m)
RX x 0 1k
M1 d g 0 0 n W=40u L=1u
M2 d g vdd vdd p W=100u L=1u
RF d g 1meg
C1 g 0 20p
C2 d2 0 20p
RS d d2 1k
LM g m1 3m
CM m1 m2 33.0f
RM m2 d2 20
C0 g d2 5p
.model n NMOS(VTO=0.7 KP=100u LAMBDA=0.05 CGSO=1e-10 CGDO=1e-10)
.model p PMOS(VTO=-0.7 KP=40u LAMBDA=0.05 CGSO=1e-10 CGDO=1e-10)
`
	for _, netlist := range []string{
		clamp + ".tran 1u 1\n.end", converter + ".tran 0.1u 10m\n.end",
		converter + ".tran 0.1u 10m 1u 10n\n.end", oscillator + ".tran 0.1u 0.6m\n.end",
	} {
		budget := analysis.Budget{Newton: 20_000, Numbers: 5_000_000, Wall: time.Minute}
		r, err := Simulate(context.Background(), Request{Budget: &budget, Netlist: netlist})
		if err != nil {
			t.Fatal(err)
		}
		stopped := 0
		for _, w := range r.Warnings {
			if strings.HasPrefix(w, "stopped at") {
				stopped++
			}
		}
		all := strings.Join(r.Warnings, "\n")
		if stopped != 1 || strings.Contains(all, "damped") {
			t.Errorf("%s: the warnings are %s", netlist, all)
		}
	}
}

// TestFailedRunIsDamped simulates a transformer with a bridge rectifier whose diodes have no
// capacitance. While all are off, the leakage inductance has no current, and the resolving run
// fails. ngspice 39 fails too at its default settings. The mean values are those of ngspice with
// method=gear and gmin=1e-9.
func TestFailedRunIsDamped(t *testing.T) {
	for _, c := range []struct {
		model, start string
		mean         float64 // [V] of the last two periods
	}{{"RS=0.05 N=1.5", "", 12.5895}, {"RS=0", "", 13.6313}, {"RS=0", " 100m", 13.6313}} {
		r, err := Simulate(context.Background(), Request{Netlist: `mains transformer and bridge
V1 p 0 SIN(0 325 50)
Rp p p1 20
L1 p1 0 10
L2 s1 s2 30m
K1 L1 L2 0.995
Rs s1 a 0.4
D1 a q dd
D2 s2 q dd
D3 0 a dd
D4 0 s2 dd
C1 q 0 4700u
RL q 0 12
.model dd d(` + c.model + `)
.tran 20u 200m` + c.start + `
.meas tran mean avg v(q) from=160m to=200m
.end`})
		if err != nil {
			t.Errorf("%s: %v", c.model, err)
			continue
		}
		wantNear(t, c.model, *r.Measures[0].Value, c.mean, 1e-3)
		if r.Statistics.ErrorEstimatePct == nil {
			t.Errorf("%s: no estimated error", c.model)
		}
		// Roundoff decides whether the resolving run fails, which gives gmin=1e-09, or is too slow.
		all := strings.Join(r.Warnings, "\n")
		if !strings.Contains(all, "damped numerically") && !strings.Contains(all, "gmin=1e-09") {
			t.Errorf("%s: warnings %s", c.model, all)
		}
	}
}

// TestEstimateByDamping verifies that a run for which the budget allows no finer run has an
// estimated error, which is the difference from a damped run. The leakage inductance of the flyback
// converter and the capacitance of its diode ring at 60 MHz.
func TestEstimateByDamping(t *testing.T) {
	budget := analysis.DefaultBudget()
	budget.Newton, budget.Wall = 220_000, time.Minute
	r, err := Simulate(context.Background(), Request{Budget: &budget, Netlist: `flyback converter
VIN in 0 24
L1 in sw 50u
L2 0 s 12.5u
K1 L1 L2 0.995
S1 sw 0 g 0 sm
VG g 0 PULSE(0 5 0 20n 20n 3u 10u)
Csn sw 0 200p
Rsn sw sn 1k
Dsn sn cl ds
Rcl cl 0 5k
Ccl cl 0 10n
D1 s out ds
C1 out 0 100u IC=10
RL out 0 10
.model sm sw(vt=2.5 ron=50m roff=10meg)
.model ds d(is=1e-9 n=1.1 rs=30m cjo=100p)
.tran 20n 40u 0 20n uic
.end`})
	if err != nil {
		t.Fatal(err)
	}
	if r.Statistics.ErrorEstimatePct == nil {
		t.Error("no estimated error")
	}
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "the budget did not allow a run") {
		t.Errorf("warnings %s", all)
	}
}

// TestDampedConverter simulates a resonant converter (LLC) whose rectifiers ring with the leakage
// inductance for microseconds, which would take 10 million Newton iterations. The progress of the
// first run shows this, so that the damped run starts early. The references are from ngspice 39
// (largest step 20 ns) without the junction capacitances of the rectifiers, where nothing rings.
func TestDampedConverter(t *testing.T) {
	for _, start := range []string{"", " 0.5m"} {
		budget := analysis.DefaultBudget()
		budget.Wall = time.Minute
		r, err := Simulate(context.Background(), Request{Budget: &budget,
			Netlist: `half bridge, 400 V to 12 V
VIN in0 0 400
RIN in0 in 50m
VH gh sw PULSE(0 12 0.2u 20n 20n 4.7u 10u)
VL gl 0 PULSE(0 12 5.2u 20n 20n 4.7u 10u)
RGH gh g1 5
RGL gl g2 5
M1 in g1 sw fet
M2 sw g2 0 fet
CR sw r 33n
LR r p 60u
LP p 0 300u
LS1 s1 0 1.1u
LS2 0 s2 1.1u
K1 LP LS1 LS2 0.998
D1 s1 out rectifier
D2 s2 out rectifier
COUT out 0 200u
RL out 0 3
.model fet VDMOS(VTO=4 KP=20 RD=0.1 RS=0.01 RG=2 CGDMAX=1n CGDMIN=20p CGS=1.5n CJO=500p
+ IS=1e-12 RB=0.05)
.model rectifier D(IS=1e-8 RS=5m CJO=1n N=1.05)
.tran 100n 1m` + start + `
.meas tran out avg v(out) from=0.9m
.meas tran current rms i(lr) from=0.9m
.end`})
		if err != nil {
			t.Fatal(err)
		}
		wantNear(t, "v(out)", *r.Measures[0].Value, 12.40433, 5e-3)
		wantNear(t, "i(lr)", *r.Measures[1].Value, 1.16194, 5e-3)
		times := r.Vectors[0].Values
		if end := times[len(times)-1]; end != 1e-3 || start != "" && times[0] < 0.5e-3 {
			t.Errorf("the result covers %g to %g s", times[0], end)
		}
		if n := r.Statistics.NewtonIterations; n > 600_000 {
			t.Errorf("%d Newton iterations", n)
		}
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "damped numerically") {
			t.Errorf("no warning about damping: %s", all)
		}
	}
}
