package spice

import (
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"slipstick/spice/analysis"
)

// sensitivityTo returns the sensitivity to a parameter of an element. The parameter "" is the value
// of the element.
func sensitivityTo(t *testing.T, r *Result, element, parameter string) *analysis.Sensitivity {
	t.Helper()
	for i, e := range r.Detail.(*analysis.Sensitivities).Entries {
		if e.Element == element && e.Parameter == parameter {
			return &r.Detail.(*analysis.Sensitivities).Entries[i]
		}
	}
	t.Fatalf("no sensitivity to %s %s in %+v", element, parameter, r.Detail)
	return nil
}

// TestSensitivity compares .sens with derivatives computed by hand.
func TestSensitivity(t *testing.T) {
	// The derivatives of v = V·R2/(R1+R2) are -V·R2/(R1+R2)² with respect to R1, V·R1/(R1+R2)² with
	// respect to R2, and the gain with respect to V.
	r := run(t,
		"t\nV1 in 0 8\nR1 in out 1k tc1=1m\nR2 out 0 3k\nC1 out 0 1u\n.temp 37\n.sens v(out)\n.end", "sens")
	factor := 1.01 // relative resistance of R1 at 10 K above its nominal temperature
	sum := 3e3 + 1e3*factor
	wantNear(t, "by R1", sensitivityTo(t, r, "r1", "").Absolute, -8*3e3/sum/sum*factor, 1e-6)
	wantNear(t, "by R2", sensitivityTo(t, r, "r2", "").Absolute, 8*1e3*factor/sum/sum, 1e-6)
	wantNear(t, "by tc1 of R1", sensitivityTo(t, r, "r1", "tc1").Absolute, -8*3e3/sum/sum*1e3*10,
		1e-6)
	wantNear(t, "by V1", sensitivityTo(t, r, "v1", "").Absolute, 3e3/sum, 1e-6)
	wantNear(t, "by one percent of V1", sensitivityTo(t, r, "v1", "").PerPercent,
		3e3/sum*8/100, 1e-6)
	if c := sensitivityTo(t, r, "c1", ""); math.Abs(c.Absolute) > 1e-9 {
		t.Errorf("a capacitor changes a DC voltage by %g V/F", c.Absolute)
	}
	if first := r.Detail.(*analysis.Sensitivities).Entries[0]; first.Element != "v1" {
		t.Errorf("the largest effect is that of %s", first.Element)
	}

	// The current of 2 mA through V1 controls F1, H1 and W1. W1 with 4 Ω and R5 divide the 3 V of
	// V2. X1 consists of three resistors R7 in parallel, so v(f) is V2·R6/(R6 + R7/3).
	r = run(t, `t
V1 a 0 1
R1 a 0 500
F1 0 b V1 -3
R2 b 0 100
H1 c 0 V1 -40
R3 c 0 1
W1 d e V1 sw
V2 d 0 3
R5 e 0 2
X1 d f s m=3
R6 f 0 2
B1 0 g I=v(b)+v(c)+v(e)+v(f)
R8 g 0 1
.subckt s p q
R7 p q 6
.ends
.model sw csw(it=-10m ron=4 roff=1meg)
.sens v(g)
.end`, "sens")
	for _, c := range []struct {
		element, parameter string
		want               float64
	}{{"f1", "", -0.2}, {"h1", "", -2e-3}, {"w1", "ron", -3 * 2. / 36},
		{"r.x1.r7", "", -3 * 2. / 3 / 16}, {"r1", "", -1.36 / 1000}, {"v2", "", 1./3 + 0.5}} {
		wantNear(t, "by "+c.element, sensitivityTo(t, r, c.element, c.parameter).Absolute,
			c.want, 1e-6)
	}

	// At the corner frequency the derivatives of the low-pass H = 1/(1 + jωRC) are -jωC·H² with
	// respect to R and -jωR·H² with respect to C.
	r = run(t, "t\nV1 in 0 ac 1\nR1 in out 1k\nC1 out 0 1u\n.sens v(out) ac lin 1 159.15494309 159.15494309\n.end", "sens")
	h := 1 / (1 + 1i)
	for name, want := range map[string]complex128{"r1": -1i * 1e-3 * h * h,
		"c1": -1i * 1e6 * h * h} {
		got := cmplx.Rect(column(t, r, name+"_mag")[0],
			column(t, r, name+"_phase_deg")[0]*math.Pi/180)
		if cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
			t.Errorf("by %s: %.9g, want %.9g", name, got, want)
		}
	}
	wantNear(t, "by one percent of C", sensitivityTo(t, r, "c1", "").PerPercent, 0.5/100, 1e-6)
}

// TestSensitivityIsSlope compares every sensitivity of a circuit with the difference quotient of
// two runs with modified netlists. The bias point depends on the parameter, which also affects AC
// sensitivities.
func TestSensitivityIsSlope(t *testing.T) {
	const text = `t
VIN in 0 {dc} ac 1
VCC vcc 0 {vcc}
I1 0 b {i}
R1 in b {r1}
Q1 c b e q
RC vcc c {rc}
RE e 0 {re}
C1 e 0 {c}
L1 c d {l}
RL d 0 {rl}
D1 d out dd {area}
M1 out g 0 0 m w={w} l=2u
RG d g 1k
G1 out 0 b 0 {gm}
K1 L1 L2 {k}
L2 x 0 {l2}
RX x 0 50
R9 out 0 {r9}
.param dc=1.2 vcc=9 i=2u r1=4.7k rc=2.2k re=470 c=100n l=1m rl=10k area=1.5 w=20u gm=10u k=0.4 l2=4m r9=3.3k
.param is=2f bf=150 cje=5p tf=1n n=1.05 kp=40u vto=1.1 qre=40 qrc=200 drs=90 mrs=70
.model q npn(is={is} bf={bf} rb=50 cje={cje} tf={tf} vaf=70 re={qre} rc={qrc})
.model dd d(is=1p n={n} rs={drs})
.model m nmos(kp={kp} vto={vto} lambda=0.01 rs={mrs})
.op
.ac lin 2 20k 60k
.sens v(out) CARD
.end`
	with := func(name string, factor float64) string {
		out := text
		for _, f := range strings.Fields(text[strings.Index(text, ".param"):strings.Index(text, ".model")]) {
			if n, v, ok := strings.Cut(f, "="); ok && n == name {
				out = strings.Replace(out, " "+f, fmt.Sprintf(" %s={%s*%.17g}", n, v, factor), 1)
			}
		}
		return out
	}
	const h = 1e-4
	dc := run(t, strings.Replace(text, "CARD", "dc", 1), "sens")
	ac := run(t, strings.Replace(text, "CARD", "ac lin 2 20k 60k", 1), "sens")
	names := map[string][2]string{"dc": {"vin"}, "vcc": {"vcc"}, "i": {"i1"}, "r1": {"r1"},
		"rc": {"rc"}, "re": {"re"}, "c": {"c1"}, "l": {"l1"},
		"rl": {"rl"}, "w": {"m1", "w"}, "gm": {"g1"}, "k": {"k1"}, "l2": {"l2"}, "r9": {"r9"},
		"is": {"q1", "is"}, "bf": {"q1", "bf"},
		"cje": {"q1", "cje"}, "tf": {"q1", "tf"}, "n": {"d1", "n"}, "kp": {"m1", "kp"},
		"vto": {"m1", "vto"}, "qre": {"q1", "re"}, "qrc": {"q1", "rc"}, "drs": {"d1", "rs"},
		"mrs": {"m1", "rs"}}
	size, sizeAC := 0.0, 0.0
	for _, e := range dc.Detail.(*analysis.Sensitivities).Entries {
		size = math.Max(size, math.Abs(e.PerPercent))
	}
	for _, e := range ac.Detail.(*analysis.Sensitivities).Entries {
		sizeAC = math.Max(sizeAC, math.Abs(e.PerPercent))
	}
	phasors := func(name string, factor float64) [2]complex128 {
		r := run(t, strings.Replace(with(name, factor), "CARD", "", 1), "ac")
		m, p := column(t, r, "v(out)_mag"), column(t, r, "v(out)_phase_deg")
		return [2]complex128{cmplx.Rect(m[0], p[0]*math.Pi/180), cmplx.Rect(m[1], p[1]*math.Pi/180)}
	}
	for name, at := range names {
		e := sensitivityTo(t, dc, at[0], at[1])
		up := column(t, run(t, strings.Replace(with(name, 1+h), "CARD", "", 1), "op"), "v(out)")[0]
		down := column(t, run(t, strings.Replace(with(name, 1-h), "CARD", "", 1), "op"),
			"v(out)")[0]
		if want := (up - down) / (2 * h) / 100; math.Abs(e.PerPercent-want) >
			1e-5*math.Abs(want)+1e-7*size {
			t.Errorf("%s: %.9g V/%%, want %.9g", name, e.PerPercent, want)
		}
		a, b := phasors(name, 1+h), phasors(name, 1-h)
		f := sensitivityTo(t, ac, at[0], at[1])
		vector := at[0]
		if f.Model {
			vector += ":" + at[1]
		} else if at[1] != "" {
			vector += "_" + at[1]
		}
		m, p := column(t, ac, vector+"_mag"), column(t, ac, vector+"_phase_deg")
		for k := range a {
			want := (a[k] - b[k]) / (2 * h) / 100
			got := cmplx.Rect(m[k], p[k]*math.Pi/180) * complex(f.Value/100, 0)
			if cmplx.Abs(got-want) > 1e-4*cmplx.Abs(want)+1e-6*sizeAC {
				t.Errorf("%s in .ac: %.9g V/%%, want %.9g", name, got, want)
			}
		}
	}
}
