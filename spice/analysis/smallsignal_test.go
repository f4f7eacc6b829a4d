package analysis

import (
	"context"
	"math"
	"math/cmplx"
	"testing"
)

// TestFillEqualsStamps compares the small-signal matrix with the sum of the stamps of all devices
// at the same frequency.
func TestFillEqualsStamps(t *testing.T) {
	s, err := newSim(context.Background(), job(t, `V1 in 0 dc 1 ac 1
R1 in a 1k ac=2k
C1 a b 1n
L1 b c 1m
L2 d 0 2m
K1 L1 L2 0.9
R2 d 0 50
D1 c 0 dd
Q1 vc b e qn
Q2 vc b e qt
R3 e 0 1k
V2 vc 0 5
J1 vc a 0 jj
Z1 vc a 0 zz
M1 vc b e 0 mm
M2 vc b e vd
S1 vc 0 in 0 sw
T1 c 0 f 0 z0=50 td=1n
R4 f 0 50
E1 g 0 a b 2
R5 g 0 1k
G1 g 0 c 0 1m
.model dd d(cjo=1p tt=1n rs=1)
.model qn npn(cje=1p cjc=1p tf=1n rb=10 rc=1 re=1 cjs=1p xcjc=0.5)
.model qt npn(cje=1p cjc=1p tf=1n ptf=30)
.model jj njf(cgs=1p cgd=1p rd=1)
.model zz nmf(cgs=1p cgd=1p)
.model mm nmos(tox=10n cbd=1p cgso=1n)
.model vd vdmos(vto=1 kp=1 cjo=1n cgdmax=1n cgdmin=0.1n cgs=1n)
.model sw sw(vt=0.5)
.ac dec 1 1 1g`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.operatingPoint(); err != nil {
		t.Fatal(err)
	}
	fast, direct := s.smallSignal(), s.smallSignal()
	direct.conductance = make([]float64, len(direct.load.A))
	direct.capacitance, direct.variable = direct.conductance, direct.devices
	if fast.fill(0); len(fast.variable) >= len(fast.devices)/2 {
		t.Errorf("%d of %d devices are loaded at every frequency", len(fast.variable),
			len(fast.devices))
	}
	for _, hz := range [...]float64{0, 1, 1e3, 1e6, 1e9} {
		fast.fill(hz)
		direct.fill(hz)
		for _, n := range s.acShunts {
			direct.load.A[s.nodeDiag[n]] += shuntConductance
		}
		for k, want := range direct.load.A {
			// A sum of currents of several devices rounds relative to its largest term.
			if got := fast.load.A[k]; cmplx.Abs(got-want) > 1e-13*cmplx.Abs(want) {
				row, col := s.setup.Pattern.Position(k)
				t.Errorf("%g Hz, row %d, column %d: %v, want %v", hz, row, col, got, want)
			}
		}
		for k, want := range direct.load.B {
			if got := fast.load.B[k]; got != want {
				t.Errorf("%g Hz, right-hand side %d: %v, want %v", hz, k, got, want)
			}
		}
	}
}

// TestPowerLaw compares the integral of c·x^p with its closed form, also near p = -1.
func TestPowerLaw(t *testing.T) {
	for _, p := range [...]float64{-3, -2, -1.9, -1.01, -1 - 1e-7, -1, -1 + 1e-12, -0.95, 0, 2} {
		for _, ratio := range [...]float64{1.0001, 1.12, 2, 1e3} {
			x0, y0 := 20.0, 3e-18
			x1, y1 := x0*ratio, y0*math.Pow(ratio, p)
			want := y0 * x0 * math.Log(ratio)
			if p != -1 {
				want = y0 * x0 * math.Expm1((p+1)*math.Log(ratio)) / (p + 1)
			}
			if got := PowerLaw(x0, x1, y0, y1); !(math.Abs(got-want) < 1e-12*want) {
				t.Errorf("exponent %g, ratio %g: %g, want %g", p, ratio, got, want)
			}
		}
	}
	if got := PowerLaw(1, 3, 0, 2); got != 2 {
		t.Errorf("from 0 to 2: %g, want 2", got)
	}
}
