package spice

import (
	"context"
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

// TestControllingCurrents verifies expressions and sources that use the current of an element
// without a branch equation, by Ohm's and Kirchhoff's laws.
func TestControllingCurrents(t *testing.T) {
	const circuit = `t
V1 vcc 0 10
R1 vcc a 1k
D1 a d 1N4148
R2 d 0 1k
RB vcc b 1meg
RC vcc c 2k
Q1 c b 0 2N3904
C1 a 0 1n
X1 vcc a s m=2
XU2 a pair
BD o1 0 V=I(D1)*1k
BR o2 0 V=2k*I(R1)
BQ o3 0 V=Ib(Q1)*1meg+ic(q1)*2k
BX o4 0 V=Ix(X1:p)*1k-Ix(U2:a)+Ix(U2:X1:p)-Ix(XU2:X1:p)
BN o5 0 V=V(u2:mid)+I(x1:r1)*1k
F1 0 o6 D1 3
H1 o7 0 R1 1k
R6 o6 0 1k
.subckt s p q
R1 p q 4k
BS o 0 V=I(R1)*1k
RS o 0 1k
.ends
.subckt pair a
R1 a mid 1meg
X1 mid 0 low
.ends
.subckt low p q
R1 p q 1meg
.ends
`
	r := run(t, circuit+".op\n.end", "op")
	bias := r
	v := func(name string) float64 { return column(t, bias, name)[0] }
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"I(D1) is that of R2", v("v(o1)"), v("v(d)")},
		{"I(R1)", v("v(o2)"), 2 * (10 - v("v(a)"))},
		{"Ib(Q1) and Ic(Q1)", v("v(o3)"), 20 - v("v(b)") - v("v(c)")},
		{"Ix(X1:p) of two instances", v("v(o4)"), (10-v("v(a)"))/2 - v("v(a)")/2e6},
		{"voltage and current inside", v("v(o5)"), v("v(a)")/2 + (10-v("v(a)"))/4},
		{"inside an instance", v("v(x1.o)"), (10 - v("v(a)")) / 4},
		{"F of a diode", v("v(o6)"), 3 * v("v(d)")},
		{"H of a resistor", v("v(o7)"), 10 - v("v(a)")},
	} {
		wantNear(t, c.name, c.got, c.want, 1e-6)
	}

	// The option vectors selects currents that nothing else uses.
	wanted := []any{"I(D1)", "i(c1)", "Ic(Q1)", "@q1[ib]", "Ix(X1:p)", "i(x1:r1)", "v(xu2:mid)"}
	r, err := Simulate(context.Background(), Request{Netlist: circuit + ".tran 1u 10u\n.end",
		Options: map[string]any{"vectors": wanted}})
	if err != nil || len(r.Warnings) > 0 || len(r.Vectors) != len(wanted)+1 {
		t.Fatalf("%v: %q, %d vectors", err, r.Warnings, len(r.Vectors))
	}
	for name, want := range map[string]float64{"i(d1)": v("v(d)") / 1e3, "i(c1)": 0,
		"ic(q1)": (10 - v("v(c)")) / 2e3, "@q1[ib]": (10 - v("v(b)")) / 1e6,
		"ix(x1:p)": (10 - v("v(a)")) / 2e3, "i(x1:r1)": (10 - v("v(a)")) / 4e3,
		"v(xu2:mid)": v("v(a)") / 2} {
		got := column(t, r, name)
		if d := math.Abs(got[len(got)-1] - want); d > 1e-5*math.Abs(want)+1e-12 {
			t.Errorf("%s = %g, want %g", name, got[len(got)-1], want)
		}
	}
}
