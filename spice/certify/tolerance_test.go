package certify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipstick/spice/analysis"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// nominal returns the value of an element in SI units, or NaN if it has none.
func nominal(ckt *netlist.Circuit, name string) float64 {
	for i := range ckt.Elements {
		e := &ckt.Elements[i]
		for _, a := range e.Args {
			if e.Name == name && a.IsNumber {
				return a.Value
			}
		}
	}
	return math.NaN()
}

// rationalHull visits all tolerance corners in rational arithmetic. lo and hi are the extremes of
// the output. oneSign is false if the determinant vanishes or changes its sign.
func rationalHull(t testing.TB, ckt *netlist.Circuit, bias *analysis.Bias, tol map[string]float64,
	out string) (lo, hi *big.Rat, oneSign bool) {
	names := slices.Sorted(maps.Keys(tol))
	at, first := 0, 0
	for i, u := range bias.Unknowns {
		if u.Name == out {
			at = i
		}
	}
	for corner := range 1 << len(names) {
		values := map[string]*big.Rat{}
		for k, name := range names {
			d := rational(tol[name])
			if corner>>k&1 == 0 {
				d.Neg(d)
			}
			d.Add(d, big.NewRat(1, 1))
			values[name] = d.Mul(d, rational(nominal(ckt, name)))
		}
		x, sign := rationalSolution(t, ckt, bias.Unknowns, values)
		if corner == 0 {
			first = sign
		}
		if sign == 0 || sign != first {
			return nil, nil, false
		}
		if lo == nil || x[at].Cmp(lo) < 0 {
			lo = x[at]
		}
		if hi == nil || x[at].Cmp(hi) > 0 {
			hi = x[at]
		}
	}
	return lo, hi, true
}

func toFloat(r *big.Rat) float64 { f, _ := r.Float64(); return f }

// TestVertexTree verifies that the interval of random linear circuits equals the range over all
// corners, computed in rational arithmetic, to 1e-9. Boxes with a pole are rejected.
func TestVertexTree(t *testing.T) {
	certified, refused, poles := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		body := randomLinear(rt)
		ckt, bias := circuitOrSkip(rt, body)
		var names []string
		for _, e := range ckt.Elements {
			if strings.ContainsRune("rvi", rune(e.Kind)) && nominal(ckt, e.Name) != 0 {
				names = append(names, e.Name)
			}
		}
		tol := map[string]float64{}
		for range rapid.IntRange(1, 6).Draw(rt, "count") {
			tol[rapid.SampledFrom(names).Draw(rt, "name")] = rapid.SampledFrom([]float64{0.01, 0.05,
				0.2, 0.5, 0.9}).Draw(rt, "tolerance")
		}
		out := rapid.SampledFrom(ckt.Nodes).Draw(rt, "out")
		c, err := Tolerances(context.Background(), bias, tol, out, time.Now().Add(time.Minute))
		if err != nil {
			rt.Fatal(err)
		}
		lo, hi, oneSign := rationalHull(t, ckt, bias, tol, out)
		if !c.Certified {
			if refused++; !oneSign {
				poles++
			}
			return
		}
		certified++
		if !oneSign {
			rt.Fatalf("a box with a pole was certified: %v\n%s %v", *c.Interval, body, tol)
		}
		if rational(c.Interval[0]).Cmp(lo) > 0 || rational(c.Interval[1]).Cmp(hi) < 0 {
			rt.Fatalf("%v does not hold [%v, %v]\n%s %v", *c.Interval, toFloat(lo),
				toFloat(hi), body, tol)
		}
		size := math.Max(math.Abs(toFloat(lo)), math.Abs(toFloat(hi)))
		if toFloat(lo)-c.Interval[0] > 1e-9*size+1e-12 ||
			c.Interval[1]-toFloat(hi) > 1e-9*size+1e-12 {
			rt.Fatalf("%v is wider than [%v, %v]\n%s %v", *c.Interval, toFloat(lo),
				toFloat(hi), body, tol)
		}
		// The reported corners attain the ends of the interval.
		for k, worst := range [2][]Corner{c.WorstLow, c.WorstHigh} {
			values := map[string]*big.Rat{}
			for _, w := range worst {
				values[w.Element] = rational(w.Value)
			}
			x, _ := rationalSolution(t, ckt, bias.Unknowns, values)
			for i, u := range bias.Unknowns {
				if u.Name == out && math.Abs(toFloat(x[i])-c.Interval[k]) > 1e-9*size+1e-12 {
					rt.Fatalf("at %v the output is %v, the end is %v\n%s", worst, toFloat(x[i]),
						c.Interval[k], body)
				}
			}
		}
	})
	t.Logf("%d certified, %d refused, of these %d with a pole", certified, refused, poles)
	if certified < 3*(refused-poles) {
		t.Error("too many boxes without a pole were refused")
	}
}

// TestBridge verifies the range of a balanced bridge, in which the nominal sensitivity to the
// bridge resistor is 0. Corners selected by nominal signs are therefore wrong if the arms vary.
func TestBridge(t *testing.T) {
	const body = "V1 in 0 10\nR1 in a 1k\nR2 a 0 1k\nR3 in b 1k\nR4 b 0 1k\nR5 a b 1k"
	tol := map[string]float64{"r1": .1, "r2": .1, "r5": .9}
	ckt, bias := circuit(t, body)
	c := tolerate(t, body, tol, "a")
	lo, hi, _ := rationalHull(t, ckt, bias, tol, "a")
	if !c.Certified || math.Abs(c.Interval[0]-toFloat(lo)) > 1e-9 ||
		math.Abs(c.Interval[1]-toFloat(hi)) > 1e-9 {
		t.Fatalf("%+v, want [%v, %v]", c, toFloat(lo), toFloat(hi))
	}
	// This is the selection by nominal sensitivity, with r5 at its nominal value.
	delete(tol, "r5")
	l, h, _ := rationalHull(t, ckt, bias, tol, "a")
	if !(toFloat(l) > c.Interval[0]+1e-3 && toFloat(h) < c.Interval[1]-1e-3) {
		t.Errorf("r5 makes no difference: [%v, %v] in %v", toFloat(l), toFloat(h), *c.Interval)
	}
}

// TestTolerances checks the method and the rejections of known circuits. Monte Carlo samples must
// be in the interval.
func TestTolerances(t *testing.T) {
	const bjt = "V1 vcc 0 12\nRb1 vcc b 47k\nRb2 b 0 10k\nRc vcc c 2.2k\nRe e 0 560\nQ1 c b e 2n3904"
	ladder := "V1 n0 0 10\n"
	all := map[string]float64{"v1": .01}
	for i := 1; i <= 12; i++ {
		ladder += fmt.Sprintf("Rs%d n%d n%d 1k\nRp%d n%d 0 10k\n", i, i-1, i, i, i)
		all[fmt.Sprintf("rs%d", i)], all[fmt.Sprintf("rp%d", i)] = .01, .01
	}
	sixteen := "V1 n0 0 10\n"
	deck := map[string]float64{}
	for i := 1; i <= 8; i++ {
		sixteen += fmt.Sprintf("Rs%d n%d n%d 1k\nRp%d n%d 0 10k\n", i, i-1, i, i, i)
		deck[fmt.Sprintf("rs%d", i)], deck[fmt.Sprintf("rp%d", i)] = .3, .3
	}
	for _, c := range []struct {
		name, body string
		tol        map[string]float64
		out        string
		method     string // empty: not certified
		reason     string
	}{
		{"divider", "V1 in 0 10\nR1 in out 10k\nR2 out 0 10k",
			map[string]float64{"R1": .05, "r2": .05, "V1": .01}, "OUT", "vertex enumeration", ""},
		{"no tolerance", "V1 in 0 10\nR1 in out 10k\nR2 out 0 10k", map[string]float64{"r1": 0},
			"v(out)", "vertex enumeration", ""},
		{"zero volts", "V1 in 0 0\nR1 in out 10k\nR2 out 0 10k\nI1 0 out 1m",
			map[string]float64{"v1": .5, "i1": .1}, "out", "vertex enumeration", ""},
		{"warm resistor", "V1 in 0 10\nR1 in out 10k tc1=1m\nR2 out 0 10k\n.temp 77",
			map[string]float64{"r1": .05}, "out", "vertex enumeration", ""},
		{"16 resistors", sixteen, deck, "n8", "vertex enumeration", ""},
		{"25 parameters", ladder, all, "n12", "corner solves", ""},
		{"pole by vccs", "V1 in 0 10\nR1 in a 1k\nR2 a 0 1k\nG1 a 0 a 0 -2.05m",
			map[string]float64{"r1": .05, "r2": .05}, "a", "", "may vanish"},
		{"pole by vcvs", "I1 0 a 1m\nR1 a b 1k\nE1 b 0 a 0 2\nR2 a 0 1.02k",
			map[string]float64{"r1": .05, "r2": .05}, "a", "", "may vanish"},
		{"negative resistance without a pole",
			"V1 in 0 10\nR1 in a 1k\nR2 a 0 1k\nG1 a 0 a 0 -1.5m",
			map[string]float64{"r1": .05, "r2": .05}, "a", "vertex enumeration", ""},
		{"zero ohm", "V1 in 0 10\nR1 in a 0\nR2 a 0 1k", map[string]float64{"r1": .05}, "a",
			"", "0 ohm"},
		{"diode", "V1 in 0 5\nR1 in a 1k\nD1 a 0 1n4148", map[string]float64{"r1": .1, "v1": .1},
			"a", "corner solves", ""},
		{"led current", "V1 in 0 5\nR1 in a 220\nD1 a k led_red\nRs k 0 1",
			map[string]float64{"r1": .05, "v1": .05}, "k", "corner solves", ""},
		{"bjt stage", bjt, map[string]float64{"rb1": .05, "rb2": .05, "rc": .05, "re": .05}, "c",
			"corner solves", ""},
		{"bjt supply", bjt, map[string]float64{"v1": .05}, "c", "corner solves", ""},
		{"mosfet", "V1 vcc 0 12\nVg g 0 4\nRd vcc d 100\nM1 d g 0 0 2n7000",
			map[string]float64{"rd": .1, "vg": .02}, "d", "corner solves", ""},
		{"op amp", "V1 vcc 0 15\nV2 vee 0 -15\nVi in 0 1\nX1 in fb vcc vee out tl072\nR1 fb 0 1k\nR2 out fb 9k", map[string]float64{"r1": .01, "r2": .01}, "out", "corner solves", ""},
		{"diode bridge",
			"V1 in 0 5\nR1 in a 1k\nR2 in b 1k\nD1 a 0 1n4148\nD2 b 0 1n4148\nR3 a b 1k",
			map[string]float64{"r1": .05, "r2": .05, "r3": .5}, "a", "any", ""},
		{"latch", "V1 vcc 0 5\nR1 vcc a 1k\nR2 vcc b 1k\nRb1 a y 10k\nRb2 b x 10k\nQ1 a x 0 q\nQ2 b y 0 q\n.model q npn(is=1e-15 bf=100)", map[string]float64{"r1": .3, "r2": .3}, "a", "", "exactly one operating point"},
	} {
		began := time.Now()
		r := tolerate(t, c.body, c.tol, c.out)
		took := time.Since(began)
		t.Logf("%-20s %v %s %v %v %s", c.name, r.Certified, r.Method, r.Interval,
			took.Round(time.Microsecond), r.Reason)
		if r.Certified != (c.method != "") || c.method != "any" && r.Method != c.method ||
			!strings.Contains(r.Reason, c.reason) || r.Nominal == nil {
			t.Errorf("%s: %+v", c.name, r)
			continue
		}
		if !r.Certified {
			continue
		}
		if n := *r.Nominal; n < r.Interval[0]-1e-9 || n > r.Interval[1]+1e-9 {
			t.Errorf("%s: nominal %v is not in %v", c.name, n, *r.Interval)
		}
		monteCarlo(t, c.name, c.body, c.tol, r)
	}
}

// monteCarlo solves the circuit at random and corner values by continuation from the nominal
// values. Each output must be in the interval. The outputs at the reported corners must equal its
// ends.
func monteCarlo(t *testing.T, name, body string, tol map[string]float64, r *Tolerance) {
	_, bias := circuit(t, body)
	s, reason := newSystem(context.Background(), bias, time.Now().Add(time.Minute))
	if reason != "" {
		t.Fatal(reason)
	}
	if err := s.addTolerances(tol); err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, u := range bias.Unknowns {
		if u.Name == r.Output {
			at = i
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	nominal, p := make([]float64, len(s.params)), make([]float64, len(s.params))
	for j := range s.params {
		nominal[j] = s.params[j].nominal
	}
	solve := func() float64 {
		x, err := s.continuation(bias.X, nominal, p)
		if err != nil {
			t.Fatalf("%s at %v: %v", name, p, err)
		}
		return x[at]
	}
	slack := 1e-9 * (math.Abs(r.Interval[0]) + math.Abs(r.Interval[1]))
	for n := range 300 {
		for j, q := range s.params {
			u := rng.Float64()
			if n%2 == 0 {
				u = math.Round(u)
			}
			p[j] = q.lo + u*(q.hi-q.lo)
		}
		if v := solve(); v < r.Interval[0]-slack || v > r.Interval[1]+slack {
			t.Fatalf("%s: %v at %v escapes %v", name, v, p, *r.Interval)
		}
	}
	for k, worst := range [2][]Corner{r.WorstLow, r.WorstHigh} {
		for j, q := range s.params {
			i := sort.Search(len(worst), func(i int) bool { return worst[i].Element >= q.name })
			p[j] = worst[i].Value
		}
		if v := solve(); math.Abs(v-r.Interval[k]) > slack && r.Method != "bisection" {
			t.Errorf("%s: the corner %v gives %v, not %v", name, worst, v, r.Interval[k])
		}
	}
}

// TestToleranceRequests verifies that the error of an invalid request names the invalid field.
func TestToleranceRequests(t *testing.T) {
	ckt, _ := circuit(t, "V1 in 0 10\nR1 in out 10k\nR2 out 0 10k\nD1 out 0 1n4148")
	for _, c := range []struct {
		tol        map[string]float64
		out, field string
	}{
		{map[string]float64{"r9": .1}, "out", "tolerances.r9"},
		{map[string]float64{"d1": .1}, "out", "tolerances.d1"},
		{map[string]float64{"r1": -.1}, "out", "tolerances.r1"},
		{map[string]float64{"r1": 1}, "out", "tolerances.r1"},
		{map[string]float64{"r1": math.NaN()}, "out", "tolerances.r1"},
		{map[string]float64{"r1": .1}, "", "output_node"},
		{map[string]float64{"r1": .1}, "nowhere", "output_node"},
		{map[string]float64{"R1": .1}, "v(OUT)", ""},
		{map[string]float64{"R1": .1}, "gnd", ""},
	} {
		err := CheckTolerances(ckt, c.tol, c.out)
		var d *diag.Error
		if c.field == "" && err != nil || c.field != "" && (!errors.As(err, &d) ||
			d.Field != c.field) {
			t.Errorf("%v %q: %v, want field %q", c.tol, c.out, err, c.field)
		}
	}
}
