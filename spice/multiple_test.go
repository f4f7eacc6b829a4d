package spice

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestSubcircuitMultiplier verifies that X with m= is equivalent to m instances in parallel. The
// subcircuit contains all kinds of elements.
func TestSubcircuitMultiplier(t *testing.T) {
	const subs = `
.global vdd
.subckt all a b
V1 a i 0.1
R1 i b 1k
C1 i b 1n
L1 i j 1m
R2 j b 3k
H1 h 0 V1 500
R3 h b 2k
F1 b 0 V1 0.2
E1 e 0 a b 0.3
R4 e b 5k
B1 b 0 I=1u*v(a,b)^2+0.1*i(V1)
S1 b 0 a 0 sw
W1 b 0 V1 wm
R5 vdd b 20k
D1 b 0 d
X1 b vdd inner m=2
.ends
.subckt inner p q
R1 p 0 30k
R2 p vdd 90k
I1 0 q 1u
.ends
.model sw sw(vt=9 ron=10 roff=100k)
.model wm csw(it=9 ron=10 roff=200k)
.model d d
Vdd vdd 0 3
RD vdd dd 100
Vin in 0 dc 2 ac 1 sin(2 1 20k)
RS in a 700
RL b 0 900
.op
.ac dec 3 1k 1meg
.tran 1u 100u
.end`
	one := "t\nX1 a b all m=3" + subs
	three := "t\nX1 a b all\nX2 a b all\nX3 a b all" + subs
	for _, kind := range []string{"op", "ac"} {
		got, want := run(t, one, kind), run(t, three, kind)
		for _, v := range want.Vectors {
			if strings.Contains(v.Name, "x2") || strings.Contains(v.Name, "x3") {
				continue
			}
			for i, w := range v.Values {
				if g := column(t, got, v.Name)[i]; math.Abs(g-w) > 1e-8*math.Abs(w)+1e-12 {
					t.Fatalf("%s: %s = %g, three instances give %g", kind, v.Name, g, w)
				}
			}
		}
	}
	got, want := run(t, one, "tran"), run(t, three, "tran")
	for _, name := range []string{"v(a)", "v(b)", "v(x1.i)", "i(vin)", "i(l.x1.l1)"} {
		if g, w := value(t, got, name), value(t, want, name); math.Abs(g-w) > 1e-4*math.Abs(w) {
			t.Errorf("tran: %s ends at %g, three instances at %g", name, g, w)
		}
	}
	if n := got.ComponentCount; n != 23 {
		t.Errorf("%d components", n)
	}
	for _, n := range got.Nodes {
		if strings.Contains(n, "#") {
			t.Errorf("node %s is not the user's", n)
		}
	}
	// In a subcircuit that declares the parameter m, m= only sets the parameter.
	r := run(t, "t\nV1 a 0 1\nX1 a r m=4\n.subckt r a m=1\nR1 a 0 {1k*m}\n.ends\n.op\n.end", "op")
	if i := value(t, r, "i(v1)"); !near(i, -1/4e3) {
		t.Errorf("m as a parameter: %g A", i)
	}
	c, err := Simulate(context.Background(), Request{Certify: true,
		Netlist: "t\nV1 a 0 5\nR0 a b 1k\nX1 b r m=2.5\n.subckt r a\nR1 a c 1k\nD1 c 0 d\n.ends\n.model d d\n.op\n.end"})
	if err != nil || !c.Certificate.Certified {
		t.Errorf("certificate %+v, %v", c, err)
	}
	for _, m := range []string{"0", "-1", "1e12", "x"} {
		if _, err := Simulate(context.Background(),
			Request{Netlist: "t\nV1 a 0 1\nX1 a r m=" + m +
				"\n.subckt r a\nR1 a 0 1\n.ends\n.op\n.end"}); err == nil {
			t.Errorf("m=%s is accepted", m)
		}
	}
}

// TestParasitics verifies that Rser, Lser, Rpar and Cpar are equivalent to the corresponding
// elements.
func TestParasitics(t *testing.T) {
	for _, c := range []struct{ short, long string }{
		{"L1 a b 1m Rser=5 Rpar=10k Cpar=100p", "L1 x b 1m\nRx a x 5\nRy a b 10k\nCy a b 100p"},
		{"C1 a b 1u Rser=0.5 Lser=10n Rpar=1meg Cpar=1n",
			"C1 x b 1u\nLx y x 10n\nRx a y 0.5\nRy a b 1meg\nCy a b 1n"},
		{"C1 a b 1u Rser=0.5 Rpar=1k m=3", "C1 x b 3u\nRx a x {0.5/3}\nRy a b {1k/3}"},
		{"L1 a b 1m Rser=6 m=3", "L1 x b {1m/3}\nRx a x 2"},
		{"V9 a b dc 1 ac 0.5 Rser=50 Cpar=10p", "V9 x b dc 1 ac 0.5\nRx a x 50\nCy a b 10p"},
		{"C1 a b 1u Rser=0 Rpar=0", "C1 a b 1u"},
		{"C1 a b 1u Lser=10n RLshunt=50 m=2", "C1 x b 2u\nLx a x 5n\nRx a x 25"},
		{"C1 a b {1u+2u} Rser={1/2} Rpar={2*500}", "C1 x b 3u\nRx a x 0.5\nRy a b 1k"},
		{"C1 a b C=1u*(1+0*V(a)) Rser={1/2} Rpar=1k m=3",
			"C1 x b 3u\nRx a x {0.5/3}\nRy a b {1k/3}"},
		{"C1 a b Q=1u*x Rser=0.5 Lser=1n Rpar=1k Cpar=2n",
			"C1 x b 1u\nLx y x 1n\nRx a y 0.5\nRy a b 1k\nCy a b 2n"},
		{"L1 a b Flux=1m*x Rser=5 Rpar=10k Cpar=100p",
			"L1 x b 1m\nRx a x 5\nRy a b 10k\nCy a b 100p"},
		{"L1 a b L={1m*(1+0*V(a))} Rser=6 m=3", "L1 x b {1m/3}\nRx a x 2"},
		{"R1x a b R=1k*(1+0*V(a)) m=2", "R1x a b 500"},
	} {
		deck := func(part string) string {
			return "t\nV1 in 0 dc 2 ac 1\nR1 in a 100\nR2 b 0 1k\n" + part +
				"\nR3 a 0 10k\n.ac dec 3 10 10meg\n.op\n.end"
		}
		for _, kind := range []string{"op", "ac"} {
			got, want := run(t, deck(c.short), kind), run(t, deck(c.long), kind)
			for _, v := range got.Vectors {
				for i, w := range column(t, want, v.Name) {
					if math.Abs(v.Values[i]-w) > 1e-9*(math.Abs(w)+0.1) {
						t.Errorf("%s: %s[%d] = %g, want %g", c.short, v.Name, i, v.Values[i], w)
					}
				}
			}
			if got.ComponentCount != 5 || len(got.Warnings) > 1 {
				t.Errorf("%s: %d components, warnings %q", c.short, got.ComponentCount,
					got.Warnings)
			}
		}
	}
}
