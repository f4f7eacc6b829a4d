package spice

import (
	"math"
	"strings"
	"testing"
)

// TestTerminalCurrents verifies the currents of elements that measures, .four and .save name, by
// Kirchhoff's and Ohm's laws. The other vectors are those of the circuit without the measures.
func TestTerminalCurrents(t *testing.T) {
	const circuit = `t
V1 vcc 0 10
V2 in 0 DC 0.7 AC 1m SIN(0.7 10m 1k)
RB in b 1k
RC vcc c 1k
Q1 c b e 2N3904
RE e 0 100
D1 c d 1N4148
RD d 0 10k
C1 d 0 100n
I1 0 d 1u
M1 x b 0 0 nm
RM vcc x 1k
.model nm nmos(vto=0.5 kp=1m)
`
	plain := run(t, circuit+".tran 10u 3m\n.end", "tran")
	r := run(t, circuit+`.tran 10u 3m
.meas tran ic avg Ic(Q1)
.meas tran rc avg i(RC)
.meas tran ie avg Ie(Q1)
.meas tran re avg i(RE)
.meas tran ib avg Ib(Q1)
.meas tran rb avg i(RB)
.meas tran d1 avg I(D1)
.meas tran c1 avg I(C1) from=1m to=2m
.meas tran rd avg I(D1)-i(rd)-i(c1) from=1m to=2m
.meas tran i1 avg i(i1)
.meas tran id avg Id(M1)
.meas tran rm avg i(RM)
.meas tran is avg -Is(M1)
.meas tran ig max abs(Ig(M1))
.meas tran pm avg V(x)*Id(M1)
.meas tran pd avg p(d1)
.meas tran pd2 avg V(c,d)*I(D1)
.meas tran at max @q1[ic]
.meas tran atd avg @d1[id]
.meas tran top max Ic(Q1)
.meas tran when find time when v(in)=0.7 fall=1
.save v(c) ic(q1) i(d1)
.four 1k ic(q1)
.end`, "tran")
	m := map[string]float64{}
	for _, x := range r.Measures {
		if x.Value == nil {
			t.Fatalf("%s was not measured: %q", x.Name, r.Warnings)
		}
		m[x.Name] = *x.Value
	}
	wantNear(t, "ic + id", m["ic"]+m["d1"], m["rc"], 1e-6)
	wantNear(t, "ie", -m["ie"], m["re"], 1e-6)
	wantNear(t, "id", m["id"], m["rm"], 1e-6)
	wantNear(t, "is", m["is"], m["id"], 1e-6)
	wantNear(t, "i1", m["i1"], 1e-6, 1e-9)
	wantNear(t, "p(d1)", m["pd"], m["pd2"], 1e-3)
	wantNear(t, "ib", m["ic"]+m["ib"]+m["ie"]+1, 1, 1e-9)
	wantNear(t, "kcl at d", m["rd"]+1e-6+1, 1, 1e-9)
	wantNear(t, "@q1[ic]", m["at"], m["top"], 1e-12)
	wantNear(t, "@d1[id]", m["atd"], m["d1"], 1e-12)
	wantNear(t, "time", m["when"], 0.5e-3, 1e-4)
	if math.Abs(m["ig"]) > 1e-9 || !(m["pm"] > 0) {
		t.Errorf("ig %g, pm %g", m["ig"], m["pm"])
	}
	if len(r.Vectors) != 4 || r.ComponentCount != plain.ComponentCount ||
		len(r.OperatingPoint) != len(plain.OperatingPoint) || len(r.Fourier) != 1 {
		t.Errorf("%d vectors, %d components, %d devices, %d spectra", len(r.Vectors),
			r.ComponentCount, len(r.OperatingPoint), len(r.Fourier))
	}
	wantNear(t, "ic(q1)", column(t, r, "ic(q1)")[0], (10-column(t, r, "v(c)")[0])/1e3-
		column(t, r, "i(d1)")[0], 1e-6)

	r = run(t, circuit+".ac lin 1 1k 1k\n.meas ac c1 find I(C1) at=1k\n"+
		".meas ac vd find v(d) at=1k\n.end", "ac")
	wantNear(t, ".ac", *r.Measures[0].Value, *r.Measures[1].Value*2*math.Pi*1e-4, 1e-6)
	for _, v := range r.Vectors {
		if strings.Contains(v.Name, "#") {
			t.Errorf("vector %s", v.Name)
		}
	}
	// p(r1) is the power of the element, although a node has the same name.
	r = run(t, "t\nV1 r1 0 2\nR1 r1 0 4\n.save p(r1)\n.op\n.end", "op")
	wantNear(t, "p(r1)", column(t, r, "p(r1)")[0], 1, 1e-9)
}
