package certify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// holdsExact checks that every exact unknown is within rho·weight + slack of the published value.
// exact returns the exact value of the unknown with index i.
func holdsExact(t rapid.TB, c *Certificate, exact func(i int) *big.Float, slack float64) {
	t.Helper()
	for i := range c.Center {
		d := sub(exact(i+1), bf(c.Center[i]))
		off, _ := d.Abs(d).Float64()
		if off > *c.Rho*c.Weights[i]*(1+1e-12)+slack {
			t.Errorf("%s is %.17g, off by %g, but rho·weight is %g", c.Unknowns[i], c.Center[i],
				off, *c.Rho*c.Weights[i])
		}
	}
}

// TestLinearCircuits compares certificates of random linear circuits with rational solutions.
func TestLinearCircuits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := randomLinear(rt)
		ckt, bias := circuitOrSkip(rt, body)
		c, err := Existence(context.Background(), bias, time.Now().Add(time.Minute))
		if err != nil {
			rt.Fatal(err)
		}
		x, sign := rationalSolution(t, ckt, bias.Unknowns, nil)
		if sign == 0 {
			if c.Certified {
				rt.Fatalf("singular circuit certified:\n%s", body)
			}
			return
		}
		if !c.Certified {
			rt.Logf("refused: %s", c.Reason)
			return
		}
		if *c.H != 0 || *c.K != 0 {
			rt.Errorf("h = %v, K = %v for a linear circuit", *c.H, *c.K)
		}
		for i := range c.Center {
			off, _ := new(big.Rat).Sub(x[i+1], rational(c.Center[i])).Float64()
			if math.Abs(off) > *c.Rho*c.Weights[i]*(1+1e-12) {
				rt.Fatalf("%s off by %g, rho·weight = %g\n%s", c.Unknowns[i], off,
					*c.Rho*c.Weights[i], body)
			}
		}
	})
}

// randomLinear returns a random connected circuit of up to six nodes with controlled sources and
// values over many decades.
func randomLinear(t *rapid.T) string {
	n := rapid.IntRange(1, 6).Draw(t, "nodes")
	value := func(label string) string {
		return fmt.Sprintf("%.4ge%d", rapid.Float64Range(1, 9.9).Draw(t, label),
			rapid.IntRange(-1, 9).Draw(t, label+" decade"))
	}
	node := func(label string) int { return rapid.IntRange(0, n).Draw(t, label) }
	var b strings.Builder
	b.WriteString("V1 1 0 5\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "R%d %d %d %s\n", i, i, rapid.IntRange(0, i-1).Draw(t, "to"), value("ohms"))
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "more") {
		p, q := node("p"), node("q")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			fmt.Fprintf(&b, "I%d %d %d %.3gm\n", i, p, q, rapid.Float64Range(-9, 9).Draw(t, "mA"))
		case 1:
			fmt.Fprintf(&b, "G%d %d %d %d %d %.3gm\n", i, p, q, node("c"), node("d"),
				rapid.Float64Range(-9, 9).Draw(t, "mS"))
		default:
			fmt.Fprintf(&b, "Rx%d %d %d %s\n", i, p, q, value("ohms"))
		}
	}
	return b.String()
}

// TestNonlinearCircuits verifies for every certificate that a 300-bit solution is within rho of the
// published operating point.
func TestNonlinearCircuits(t *testing.T) {
	certified, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		body := randomNonlinear(rt)
		ckt, bias := circuitOrSkip(rt, body)
		c, err := Existence(context.Background(), bias, time.Now().Add(time.Minute))
		if err != nil {
			rt.Fatal(err)
		}
		if !c.Certified {
			refused++
			return
		}
		certified++
		if *c.Rho > *c.RhoUnique || c.Method == "Newton-Kantorovich" && *c.H > 0.5 {
			rt.Fatalf("rho %g, rho_unique %g, h %g", *c.Rho, *c.RhoUnique, *c.H)
		}
		s, _ := newSystem(context.Background(), bias, time.Now().Add(time.Minute))
		p := &precise{ckt: ckt, index: map[string]int{}, gmin: bias.Gmin}
		for i, u := range bias.Unknowns {
			p.index[u.Name] = i
		}
		x := p.refine(rt, s)
		// The temperature adjustment rounds parameters, by a few 1e-16 V for vto.
		holdsExact(rt, c, func(i int) *big.Float { return x[i] }, 1e-14)
	})
	t.Logf("%d certified, %d refused", certified, refused)
	if certified < 9*refused {
		t.Errorf("only %d of %d circuits were certified", certified, certified+refused)
	}
}

// randomNonlinear returns a random circuit with a supply, a resistor network and a few
// semiconductors.
func randomNonlinear(t *rapid.T) string {
	n := rapid.IntRange(2, 6).Draw(t, "nodes")
	node := func(label string) int { return rapid.IntRange(0, n).Draw(t, label) }
	var b strings.Builder
	fmt.Fprintf(&b, "V1 1 0 %.3g\n", rapid.Float64Range(-15, 15).Draw(t, "supply"))
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "R%d %d %d %.3gk\n", i, i, rapid.IntRange(0, i-1).Draw(t, "to"),
			math.Pow(10, rapid.Float64Range(-1, 3).Draw(t, "ohms")))
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "devices") {
		p, q, r := node("p"), node("q"), node("r")
		if p == q || q == r || p == r {
			continue
		}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			fmt.Fprintf(&b, "D%d %d %d d\n", i, p, q)
		case 1:
			fmt.Fprintf(&b, "Q%d %d %d %d q\n", i, p, q, r)
		case 2:
			fmt.Fprintf(&b, "M%d %d %d %d %d m\n", i, p, q, r, r)
		}
	}
	b.WriteString(".model d d(is=2e-14 n=1.3)\n.model q npn(is=1e-15 bf=120 br=2 vaf=50)\n.model m nmos(vto=1 kp=2m lambda=0.02)")
	return b.String()
}

// TestKnownCircuits checks circuits that must be certified and circuits that must not.
func TestKnownCircuits(t *testing.T) {
	const bjt = "V1 vcc 0 12\nRb1 vcc b 47k\nRb2 b 0 10k\nRc vcc c 2.2k\nRe e 0 560\nQ1 c b e "
	const latch = "V1 vcc 0 5\nR1 vcc a 1k\nR2 vcc b 1k\nRb1 a y 10k\nRb2 b x 10k\nQ1 a x 0 q\nQ2 b y 0 q\n.model q npn(is=1e-15 bf=100)"
	for _, c := range []struct{ name, body, refusal string }{
		{"divider", "V1 in 0 10\nR1 in out 10k\nR2 out 0 10k", ""},
		{"with 1 Tohm", "V1 in 0 10\nR1 in out 10k\nR2 out 0 10k\nR3 out x 1T\nR4 x 0 1k", ""},
		{"1 mohm floats on 1 Tohm", "V1 in 0 10\nR1 in out 10k\nR2 out y 10k\nRs y z 1m\nR3 z 0 1T",
			""},
		{"inductor and capacitor", "V1 in 0 10\nL1 in a 1m\nR1 a b 1k\nC1 b 0 1u\nR2 b 0 1k", ""},
		{"diode", "V1 in 0 5\nR1 in a 1k\nD1 a 0 1n4148", ""},
		{"diode at 1 Tohm", "V1 in 0 5\nR1 in a 1T\nD1 a 0 1n4148", ""},
		{"zener in breakdown", "V1 in 0 12\nR1 in a 1k\nD1 0 a 1n4733", ""},
		{"led", "V1 in 0 5\nR1 in a 220\nD1 a 0 led_red", ""},
		{"2n3904", bjt + "2n3904", ""},
		{"bc547", bjt + "bc547", ""},
		{"2n2222 hot", bjt + "2n2222\n.temp 85", ""},
		{"pnp", "V1 vcc 0 12\nR1 vcc b 10k\nR2 b 0 47k\nR3 c 0 1k\nR4 vcc e 560\nQ1 c b e 2n3906",
			""},
		{"2n7000", "V1 vcc 0 12\nVg g 0 4\nRd vcc d 100\nM1 d g 0 0 2n7000", ""},
		{"mosfet off", "V1 vcc 0 12\nVg g 0 0\nRd vcc d 100\nM1 d g 0 0 2n7000", ""},
		{"amplifier", "V1 vcc 0 15\nV2 vee 0 -15\nVi in 0 1\nX1 in fb vcc vee out tl072\nR1 fb 0 1k\nR2 out fb 9k", ""},
		{"latch", latch, ""},
		{"gmin 0", "V1 in 0 5\nR1 in a 1k\nD1 a 0 d\n.model d d\n.options gmin=0", ""},
		{"shunt", "V1 in 0 5\nR1 in 0 1k\nC1 in a 1n\nC2 a 0 1n", "no DC path to ground"},
		{"breakdown voltage",
			"V1 k 0 5\nD1 0 k d\nR1 k 0 1k\n.model d d(is=1e-3 n=1 bv=5 ibv=1e-12)",
			"breakdown voltage"},
	} {
		began := time.Now()
		e := exists(t, c.body)
		t.Logf("%-24s %v in %v: %s%s", c.name, e.Certified,
			time.Since(began).Round(time.Microsecond), e.Statement, e.Reason)
		if e.Certified != (c.refusal == "") || !strings.Contains(e.Reason, c.refusal) {
			t.Errorf("%s: certified %v, reason %q, want reason %q", c.name, e.Certified,
				e.Reason, c.refusal)
			continue
		}
		if e.Certified && (!strings.Contains(e.Statement, "locally unique") || *e.Rho > 1e-6 ||
			len(e.Weights) != len(e.Unknowns) || len(e.Center) != len(e.Unknowns)) {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

// TestLatchHasThreePoints compares the certificates of the two stable operating points of a
// symmetric latch, which also has an unstable one. Neither ball of uniqueness may contain the other
// point.
func TestLatchHasThreePoints(t *testing.T) {
	const latch = "V1 vcc 0 5\nR1 vcc a 1k\nR2 vcc b 1k\nRb1 a y 10k\nRb2 b x 10k\nQ1 a x 0 q\nQ2 b y 0 q\n.model q npn(is=1e-15 bf=100)\n"
	left, right := exists(t, latch+".nodeset v(a)=0 v(b)=5"),
		exists(t, latch+".nodeset v(a)=5 v(b)=0")
	if !left.Certified || !right.Certified {
		t.Fatalf("refused: %s %s", left.Reason, right.Reason)
	}
	apart := 0.0
	for i := range left.Center {
		apart = math.Max(apart, math.Abs(left.Center[i]-right.Center[i])/math.Max(left.Weights[i],
			right.Weights[i]))
	}
	if apart < 1 || *left.RhoUnique >= apart || *right.RhoUnique >= apart {
		t.Errorf("two points %g apart with rho_unique %g and %g", apart, *left.RhoUnique,
			*right.RhoUnique)
	}
}

// TestBudget verifies that Existence stops at its deadline or when its context is canceled.
func TestBudget(t *testing.T) {
	var b strings.Builder
	b.WriteString("V1 vcc 0 12\n.model q npn(is=1e-15 bf=120 rb=10 re=.1 rc=1 vaf=60)\n")
	for i := range 37 {
		fmt.Fprintf(&b, "Ra%d vcc b%d 47k\nRb%d b%d c%d 10k\nRe%d e%d 0 560\nQ%d vcc b%d e%d q\n",
			i, i, i, i, max(0, i-1), i, i, i, i, i)
	}
	b.WriteString("Rz c0 0 1k\n")
	for i := 1; i < 37; i++ {
		fmt.Fprintf(&b, "Rd%d c%d e%d 1k\n", i, i, i)
	}
	_, bias := circuit(t, b.String())
	began := time.Now()
	c, err := Existence(context.Background(), bias, began.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d unknowns: certified %v %s in %v", len(bias.X)-1, c.Certified, c.Reason,
		time.Since(began))
	c, err = Existence(context.Background(), bias, time.Now().Add(time.Millisecond))
	if err != nil || c.Certified || !strings.Contains(c.Reason, "time") {
		t.Errorf("with a millisecond: %+v, %v", c, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(3*time.Millisecond, cancel)
	began = time.Now()
	if _, err = Existence(ctx, bias, time.Now().Add(time.Minute)); err != nil {
		began = began.Add(3 * time.Millisecond)
		if late := time.Since(began); late > 2*time.Second {
			t.Errorf("stopped %v after its context", late)
		}
	}
}

// TestDigits verifies that the values in a statement are rounded to the safe side.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		x    float64
		up   bool
		want string
	}{
		{2.0841e-15, true, "2.09e-15"}, {2.0841e-15, false, "2.08e-15"}, {0.03, true, "0.03"},
		{0, true, "0"},
		{9.999, true, "10"}, {9.999, false, "9.99"}, {1e12, false, "1e+12"},
		{0xcf * 0x1p-1074, true, "1.03e-321"},
	} {
		if got := digits(c.x, c.up); got != c.want {
			t.Errorf("%g: %s, want %s", c.x, got, c.want)
		}
	}
}
