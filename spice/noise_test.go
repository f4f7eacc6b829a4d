package spice

import (
	"math"
	"strings"
	"testing"

	"slipstick/spice/analysis"
)

// TestNoise compares .noise with closed forms, using k and q of CODATA 2014 at 27 °C.
func TestNoise(t *testing.T) {
	const k, q, temp = 1.38064852e-23, 1.6021766208e-19, 300.15
	detail := func(body, card string) (*Result, *analysis.Noise) {
		r := run(t, "t\n"+body+"\n.noise "+card+"\n.end", "noise")
		n, ok := r.Detail.(*analysis.Noise)
		if !ok {
			t.Fatalf("detail is %T", r.Detail)
		}
		return r, n
	}

	// The output noise density is sqrt(4kTR) of the parallel resistance (Nyquist). The
	// input-referred noise is the output noise divided by the gain of 3/4.
	r, n := detail("V1 in 0 1\nR1 in out 1k\nR2 out 0 3k", "v(out) V1 dec 10 1 100k")
	want := math.Sqrt(4 * k * temp * 750)
	wantNear(t, "noise of a divider", column(t, r, "onoise_spectrum")[7], want, 1e-9)
	wantNear(t, "input noise of a divider", column(t, r, "inoise_spectrum")[7], want/0.75, 1e-9)
	wantNear(t, "integrated", n.OutputRMS, want*math.Sqrt(99999), 1e-9)
	wantNear(t, "input integrated", *n.InputRMS, want/0.75*math.Sqrt(99999), 1e-9)
	if len(n.Contributions) != 2 || n.Contributions[0].Device != "r1" || n.InputUnit != "V" {
		t.Errorf("contributions %+v, unit %s", n.Contributions, n.InputUnit)
	}
	wantNear(t, "share of R1", n.Contributions[0].Share, 0.75, 1e-9)

	// The integral is kT/C for any R. The frequency range omits about 0.1 % of it.
	_, n = detail("V1 in 0 1\nR1 in out 1k\nC1 out 0 1n", "v(out) V1 dec 100 1 100meg")
	wantNear(t, "kT/C", n.OutputRMS, math.Sqrt(k*temp/1e-9), 1e-3)

	// This case has a noiseless resistor and a circuit temperature of 127 °C.
	r, _ = detail("V1 in 0 1\nR1 in out 1k noisy=0\nR2 out 0 3k\n.temp 127", "v(out) V1 lin 2 1 2")
	wantNear(t, "noisy=0 at 127 °C", column(t, r, "onoise_spectrum")[0],
		math.Sqrt(4*k*400.15/3e3)*750, 1e-9)

	// The shot noise current density sqrt(2qI) of a current-driven diode flows through its
	// small-signal resistance n·Vt/I.
	r, _ = detail("I1 0 a 1m\nD1 a 0 d\n.model d d(is=1e-14)\n.options gmin=0",
		"v(a) I1 dec 1 1 10 1")
	vt := k * temp / q
	wantNear(t, "shot noise", column(t, r, "onoise_d1_id")[0], math.Sqrt(2*q*1e-3)*vt/1e-3, 1e-6)
	wantNear(t, "input shot noise", column(t, r, "inoise_spectrum")[0], math.Sqrt(2*q*1e-3), 1e-6)

	// The flicker noise density is sqrt(KF·I^AF/f), which decreases with the square root of the
	// frequency. The integral of its square is a logarithm.
	r, n = detail("I1 0 a 1m\nD1 a 0 d\n.model d d(is=1e-14 kf=1e-12 af=1.2)\n.options gmin=0",
		"v(a) I1 dec 1 1 1000 1")
	f := math.Sqrt(1e-12*math.Pow(1e-3, 1.2)) * vt / 1e-3
	wantNear(t, "flicker at 1 Hz", column(t, r, "onoise_d1_1overf")[0], f, 1e-6)
	wantNear(t, "flicker at 100 Hz", column(t, r, "onoise_d1_1overf")[2], f/10, 1e-6)
	wantNear(t, "flicker integrated", n.Contributions[0].OutputRMS, f*math.Sqrt(math.Log(1000)),
		1e-6)

	// Four resistors of 4 kΩ in parallel, by m= of a subcircuit or of a resistor, are equivalent to
	// one of 1 kΩ.
	for _, body := range []string{
		"V1 in 0 1\nX1 in out s m=4\nC1 out 0 1n\n.subckt s a b\nR1 a b 4k\n.ends",
		"V1 in 0 1\nR1 in out 4k m=4\nC1 out 0 1n",
	} {
		r, _ = detail(body, "v(out) V1 lin 2 1 2")
		wantNear(t, "m=4", column(t, r, "onoise_spectrum")[0], math.Sqrt(4*k*temp*1e3), 1e-6)
	}

	// A diode of area 2 is equivalent to two diodes in parallel, so its series resistance is
	// halved. ngspice 39 divides it by four.
	const two = "I1 0 a 1m\nD1 a 0 d 2\n.model d d(is=1e-14 rs=50 kf=1e-12)"
	const twice = "I1 0 a 1m\nD1 a 0 d\nD2 a 0 d\n.model d d(is=1e-14 rs=50 kf=1e-12)"
	r, _ = detail(two, "v(a) I1 lin 2 1 2 1")
	both, _ := detail(twice, "v(a) I1 lin 2 1 2 1")
	wantNear(t, "area=2", column(t, r, "onoise_spectrum")[1], column(t, both, "onoise_spectrum")[1],
		1e-9)
	wantNear(t, "rs of area=2", column(t, r, "onoise_d1_rs")[0], math.Sqrt(4*k*temp*25), 1e-9)

	// The current noise density through a source is sqrt(4kT/R).
	r, _ = detail("V1 in 0 1\nR1 in out 1k\nV2 out 0 0", "i(V2) V1 lin 2 1 2")
	wantNear(t, "current noise", column(t, r, "onoise_spectrum")[0], math.Sqrt(4*k*temp/1e3), 1e-9)
	if u := r.Vectors[1].Unit; u != "A/√Hz" {
		t.Errorf("unit of the current noise is %s", u)
	}
	if u := r.Vectors[2].Unit; u != "V/√Hz" {
		t.Errorf("unit of the noise at the input is %s", u)
	}

	// A source that does not affect the output has no input-referred noise.
	r, n = detail("V1 in 0 1\nR1 in 0 1k\nR2 out 0 3k", "v(out) V1 lin 2 1 2")
	if n.InputRMS != nil || !strings.Contains(strings.Join(r.Warnings, "|"),
		"v1 does not reach v(out)") {
		t.Errorf("input noise %v, warnings %q", n.InputRMS, r.Warnings)
	}
}

// TestJFETNoiseEquation compares the channel noise of NLEV=3 with that of ngspice 39. Without
// voltage and with GDSNOI=2 it is the Nyquist noise of the channel.
func TestJFETNoiseEquation(t *testing.T) {
	deck := func(gate, supply, model string) float64 {
		r := run(t, "t\nV1 g 0 "+gate+" ac 1\nVD s 0 "+supply+"\nRD s d 1k\nJ1 d g 0 j\n"+
			".model j njf(vto=-2 beta=1m is=1e-20 "+model+")\n.noise v(d) V1 lin 2 1k 2k\n"+
			".options gmin=1e-18\n.end", "noise")
		return column(t, r, "onoise_spectrum")[0]
	}
	wantNear(t, "linear region", deck("-.5", "3", "nlev=3 gdsnoi=1.5"), 3.298188e-9, 1e-5)
	wantNear(t, "saturation", deck("-1.5", "3", "nlev=3 gdsnoi=1.5"), 4.986391e-9, 1e-5)
	wantNear(t, "nlev=2", deck("-1.5", "3", "nlev=2 gdsnoi=1.5"), deck("-1.5", "3", ""), 0)
	// The channel has the conductance 2·BETA·1.5 V beside the resistance of 1 kΩ.
	const conductance = 2*1e-3*1.5 + 1e-3
	wantNear(t, "no voltage", deck("-.5", "0", "nlev=3 gdsnoi=2"),
		math.Sqrt(4*1.38064852e-23*300.15/conductance), 1e-6)
}

// TestInputNoiseIsIntegral compares the input-referred noise with the integral of its spectrum. The
// gain of the filter falls by a factor of 100 within the frequency range.
func TestInputNoiseIsIntegral(t *testing.T) {
	r := run(t, "t\nV1 in 0 1\nR1 in out 1k\nR2 out 0 3k\nC1 out 0 100n\nR3 out b 10\nC2 b 0 1u\n.noise v(out) V1 dec 200 10 100k\n.end", "noise")
	f, s, sum := column(t, r, "frequency"), column(t, r, "inoise_spectrum"), 0.0
	for i := 1; i < len(f); i++ {
		sum += (s[i]*s[i] + s[i-1]*s[i-1]) / 2 * (f[i] - f[i-1])
	}
	wantNear(t, "input-referred noise", *r.Detail.(*analysis.Noise).InputRMS, math.Sqrt(sum), 1e-4)
}

// TestNoiseAtOneFrequency verifies that a .noise card with a single frequency causes a warning that
// the noise cannot be integrated.
func TestNoiseAtOneFrequency(t *testing.T) {
	r := run(t, "t\nV1 in 0 1\nR1 in 0 1k\n.noise v(in) V1 lin 1 1k 1k\n.end", "noise")
	if w := strings.Join(r.Warnings, "|"); !strings.Contains(w, "one frequency has no bandwidth") {
		t.Errorf("warnings %q", w)
	}
}

// TestSwitchNoise verifies that a closed or open switch has the noise of a resistor.
func TestSwitchNoise(t *testing.T) {
	const divider = "t\nV1 in 0 1\nVC c 0 5\nR1 in out 1k\n"
	const card = "\n.noise v(out) V1 lin 2 1 2\n.end"
	a := run(t, divider+"S1 out 0 c 0 s\n.model s sw(vt=2 ron=500 roff=1g)"+card, "noise")
	b := run(t, divider+"S1 out 0 0 c s\n.model s sw(vt=2 ron=500 roff=1g)"+card, "noise")
	wantNear(t, "closed", column(t, a, "onoise_spectrum")[0],
		column(t, run(t, divider+"R2 out 0 500"+card, "noise"), "onoise_spectrum")[0], 1e-9)
	wantNear(t, "open", column(t, b, "onoise_spectrum")[0],
		column(t, run(t, divider+"R2 out 0 1g"+card, "noise"), "onoise_spectrum")[0], 1e-9)
}
