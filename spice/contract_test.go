package spice

import (
	"math"
	"strings"
	"testing"
)

// TestTransientStart verifies that a transient begins with the values of .op. This
// includes the nodes whose voltage only leakage currents determine.
func TestTransientStart(t *testing.T) {
	const leaks = `leakage through open transistors
V1 s 0 100
R1 s a 10
Q1 a b b qp
Q2 d b e qn
.model qn npn(is=1e-13 bf=60 br=4 vaf=50 ikf=0.1 ise=1e-12 ne=2 rb=100 re=0.5 rc=5)
.model qp pnp(is=1e-13 bf=40 br=2 vaf=30 ikf=0.05 rb=50 re=1 rc=3)
.op
.tran 1u 10u
.end`
	at, from := run(t, leaks, "op"), run(t, leaks, "tran")
	for _, node := range []string{"v(a)", "v(b)", "v(d)", "v(e)"} {
		if v, w := column(t, from, node)[0], column(t, at, node)[0]; math.Abs(v-w) > 1e-6 {
			t.Errorf("%s begins at %.9g V; the operating point is %.9g V", node, v, w)
		}
	}
}

// TestOctaveSpacing verifies that the ratio of adjacent frequencies is the n-th root of 2 for n
// points per octave. The last frequency need not be the end of the range (SPICE3 manual, .ac).
func TestOctaveSpacing(t *testing.T) {
	for _, c := range []struct {
		card string
		want []float64
	}{
		{"oct 1 3 100", []float64{3, 6, 12, 24, 48, 96}},
		{"oct 2 1 4", []float64{1, math.Sqrt2, 2, 2 * math.Sqrt2, 4}},
		{"oct 3 1 1.2", []float64{1}},
	} {
		f := column(t, run(t, "t\nV1 a 0 AC 1\nR1 a 0 1\n.ac "+c.card+"\n.end", "ac"), "frequency")
		if len(f) != len(c.want) {
			t.Errorf("%s: frequencies %v, want %v", c.card, f, c.want)
			continue
		}
		for i, w := range c.want {
			if math.Abs(f[i]-w) > 1e-12*w {
				t.Errorf("%s: frequency %d is %g, want %g", c.card, i, f[i], w)
			}
		}
	}
}

// TestSurfaceStates verifies that surface charge shifts the threshold voltage by q·Nss/Cox (Sze,
// Physics of Semiconductor Devices, section 6.2). With lambda = 0 and in saturation the threshold
// voltage is vgs - sqrt(2·id/(kp·W/L)).
func TestSurfaceStates(t *testing.T) {
	threshold := func(nss string) float64 {
		r := run(t, "t\nVD d 0 5\nVG g 0 4\nM1 d g 0 0 m w=10u l=1u\n.model m nmos(kp=50u tox=25n nsub=1e16 "+nss+")\n.op\n.end", "op")
		return 4 - math.Sqrt(2*-column(t, r, "i(vd)")[0]/(50e-6*10))
	}
	// q is the elementary charge [C], and cox is the oxide capacitance [F/m²].
	const q, cox = 1.602177e-19, 3.9 * 8.854188e-12 / 25e-9
	shift := threshold("") - threshold("nss=2e11")
	if want := q * 2e15 / cox; math.Abs(shift-want) > 1e-4*want {
		t.Errorf("2e11 states/cm² lower the threshold by %.6g V, want %.6g V", shift, want)
	}
}

// TestWarnsOfWhatIsRun verifies that warnings concern the analysis that is run, and that they name
// cards that have no effect.
func TestWarnsOfWhatIsRun(t *testing.T) {
	const pulse = "t\nV1 a 0 PULSE(0 1 0 0 0 4u 12u)\nR1 a 0 1k\n.op\n.tran 1u 40u\n.end"
	for _, kind := range []string{"op", "tran"} {
		// Rise and fall have the default of 1 us, the time step of .tran. The pulse therefore lasts
		// 6 us of the period of 12 us.
		if all := strings.Join(run(t, pulse, kind).Warnings, "|"); strings.Contains(all, "period") {
			t.Errorf("%s: warnings %q about a pulse that fits its period", kind, all)
		}
	}
	const short = "t\nV1 a 0 PULSE(0 1 0 5u 5u 4u 12u)\nR1 a 0 1k\n.tran 1u 40u\n.end"
	if all := strings.Join(run(t, short, "tran").Warnings, "|"); !strings.Contains(all,
		"the period 1.2e-05 s") {
		t.Errorf("warnings %q, none about a pulse of 14 us every 12 us", all)
	}
	const level = "t\nI1 0 a 1m\nD1 a 0 x\n.model x d(level=3 is=1e-14)\n.op\n.end"
	if all := strings.Join(run(t, level, "op").Warnings, "|"); !strings.Contains(all,
		"line 4: model x: the diode of level 3 is computed as level 1") {
		t.Errorf("warnings %q, none about the level", all)
	}
}

// TestRelaxationOscillator simulates a switch with hysteresis that discharges its own control
// capacitor. The circuit has no operating point, because both states move the control voltage
// across the other threshold. The period is computed by hand. The switch may change its state late
// by up to a millionth of the duration, which is 3 us of 3 s. The voltage falls by 0.5 V/us
// meanwhile. The period must not contain this delay.
func TestRelaxationOscillator(t *testing.T) {
	const text = `neon lamp
V1 a 0 100
R1 a b 1meg
C1 b 0 100n
S1 b c b 0 lamp
RC c 0 100
.model lamp SW(VT=65 VH=15 RON=1k ROFF=1g)
.tran 1m 3
.measure tran first trig at=0 targ v(b) val=65 fall=1
.measure tran five trig v(b) val=65 fall=1 targ v(b) val=65 fall=6
.end`
	r := run(t, text, "tran")
	if all := strings.Join(r.Warnings, "|"); !strings.Contains(all,
		"no operating point was found") || !strings.Contains(all, "starts as with uic") {
		t.Errorf("warnings %q", r.Warnings)
	}
	// behind returns the Thevenin voltage [V] and resistance [Ω] at the capacitor for a resistance
	// of the switch branch [Ω].
	behind := func(lamp float64) (v, r float64) {
		return 100 * lamp / (1e6 + lamp), 1e6 * lamp / (1e6 + lamp)
	}
	takes := func(lamp, from, to float64) float64 {
		v, r := behind(lamp)
		return r * 100e-9 * math.Log((v-from)/(v-to))
	}
	const on, off = 1e3 + 100, 1e9 + 100
	for _, m := range r.Measures {
		want := map[string]float64{
			"first": takes(off, 0, 80) + takes(on, 80, 65),
			"five":  5 * (takes(on, 80, 50) + takes(off, 50, 80)),
		}[m.Name]
		if m.Value == nil {
			t.Errorf("%s was not measured: %q", m.Name, r.Warnings)
		} else if math.Abs(*m.Value-want) > 3e-3*want {
			t.Errorf("%s is %g s, want %g s", m.Name, *m.Value, want)
		}
	}
	if len(r.Measures) != 2 {
		t.Errorf("%d measures", len(r.Measures))
	}
}
