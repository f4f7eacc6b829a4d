package certify

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"slipstick/spice/device"
	"slipstick/spice/netlist"
)

// This file solves circuits independently of the simulator. Linear circuits are solved in rational
// numbers. Circuits with semiconductors are solved by Newton's method with 300-bit residuals.

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// rationalSolution solves a linear circuit exactly, optionally with the element values in values.
// sign is the sign of the determinant, or 0 if there is no solution. Index 0 of the result is
// ground.
func rationalSolution(t testing.TB, ckt *netlist.Circuit, unknowns []device.Unknown,
	values map[string]*big.Rat) (x []*big.Rat, sign int) {
	t.Helper()
	index := map[string]int{"0": 0}
	for i, u := range unknowns {
		index[u.Name] = i
	}
	n := len(unknowns)
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, n+1)
		for j := range a[i] {
			a[i][j] = new(big.Rat)
		}
	}
	add := func(i, j int, v *big.Rat) { a[i][j].Add(a[i][j], v) }
	one := big.NewRat(1, 1)
	minus := func(v *big.Rat) *big.Rat { return new(big.Rat).Neg(v) }
	for k := range ckt.Elements {
		e := &ckt.Elements[k]
		p, q := index[e.Nodes[0]], index[e.Nodes[1]]
		v := new(big.Rat)
		for _, arg := range e.Args {
			if arg.IsNumber {
				v = rational(arg.Value)
				break
			}
		}
		if w, ok := values[e.Name]; ok {
			v = w
		}
		branch := func() int {
			i := index[e.Name]
			add(p, i, one)
			add(q, i, minus(one))
			add(i, p, one)
			add(i, q, minus(one))
			return i
		}
		switch e.Kind {
		case 'r':
			g := new(big.Rat).Inv(v)
			add(p, p, g)
			add(q, q, g)
			add(p, q, minus(g))
			add(q, p, minus(g))
		case 'v':
			add(branch(), n, v)
		case 'l':
			branch()
		case 'i':
			add(p, n, minus(v))
			add(q, n, v)
		case 'e':
			i := branch()
			add(i, index[e.Nodes[2]], minus(v))
			add(i, index[e.Nodes[3]], v)
		case 'g':
			c, d := index[e.Nodes[2]], index[e.Nodes[3]]
			add(p, c, v)
			add(p, d, minus(v))
			add(q, c, minus(v))
			add(q, d, v)
		case 'c':
		default:
			t.Fatalf("element %s is not linear", e.Name)
		}
	}
	sign = 1
	for c := 1; c < n; c++ {
		pivot := 0
		for r := c; r < n && pivot == 0; r++ {
			if a[r][c].Sign() != 0 {
				pivot = r
			}
		}
		if pivot == 0 {
			return nil, 0
		}
		a[c], a[pivot] = a[pivot], a[c]
		if sign *= a[c][c].Sign(); pivot != c {
			sign = -sign
		}
		for r := 1; r < n; r++ {
			if r == c || a[r][c].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[r][c], a[c][c])
			for k := c; k <= n; k++ {
				a[r][k].Sub(a[r][k], new(big.Rat).Mul(f, a[c][k]))
			}
		}
	}
	x = make([]*big.Rat, n)
	x[0] = new(big.Rat)
	for i := 1; i < n; i++ {
		x[i] = new(big.Rat).Quo(a[i][n], a[i][i])
	}
	return x, sign
}

const bits = 300

func bf(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func add(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Add(a, b) }
func sub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Quo(a, b) }

// exp returns e^x from a series after halving the argument 30 times.
func exp(x *big.Float) *big.Float {
	r := new(big.Float).SetPrec(bits).SetMantExp(x, -30)
	sum, term := bf(1), bf(1)
	for n := 1; n < 40; n++ {
		term = quo(mul(term, r), bf(float64(n)))
		sum = add(sum, term)
	}
	for range 30 {
		sum = mul(sum, sum)
	}
	return sum
}

// precise evaluates circuits of R, V, I, E, G, D, Q and M at 27 °C. It supports only the model
// parameters is and n of diodes, is, bf, br and vaf of BJTs, and vto, kp and lambda of MOSFETs.
type precise struct {
	ckt   *netlist.Circuit
	index map[string]int
	gmin  float64
}

func parameter(e *netlist.Element, name string, def float64) *big.Float {
	for _, p := range e.Model.Params {
		if p.Name == name {
			return bf(p.Value)
		}
	}
	return bf(def)
}

// junction returns the current [A] of the SPICE diode at the voltage v [V], for the saturation
// current is [A]. nvt is the emission coefficient times the thermal voltage [V].
func junction(v, is, nvt *big.Float) *big.Float {
	if v.Cmp(mul(bf(-3), nvt)) >= 0 {
		return mul(is, sub(exp(quo(v, nvt)), bf(1)))
	}
	a := quo(mul(bf(3), nvt), mul(v, exp(bf(1))))
	return mul(is, sub(bf(-1), mul(a, mul(a, a))))
}

// residual returns F(x). The rows of nodes are in A, and the rows of branches are in V.
func (c *precise) residual(x []*big.Float) []*big.Float {
	const k, q = 1.38064852e-23, 1.6021766208e-19
	celsius := 27.0
	vt := bf(k / q * (celsius + device.Zero))
	gmin := bf(c.gmin)
	f := make([]*big.Float, len(x))
	for i := range f {
		f[i] = bf(0)
	}
	flow := func(i, j int, v *big.Float) { f[i], f[j] = add(f[i], v), sub(f[j], v) }
	for n := range c.ckt.Elements {
		e := &c.ckt.Elements[n]
		at := make([]int, len(e.Nodes))
		for i, name := range e.Nodes {
			at[i] = c.index[name]
		}
		u := func(i, j int) *big.Float { return sub(x[at[i]], x[at[j]]) }
		i := c.index[e.Name]
		var v *big.Float
		if len(e.Args) > 0 {
			v = bf(e.Args[0].Value)
		}
		switch e.Kind {
		case 'r':
			flow(at[0], at[1], quo(u(0, 1), v))
		case 'v':
			flow(at[0], at[1], x[i])
			f[i] = add(f[i], sub(u(0, 1), v))
		case 'e':
			flow(at[0], at[1], x[i])
			f[i] = add(f[i], sub(u(0, 1), mul(v, u(2, 3))))
		case 'i':
			flow(at[0], at[1], v)
		case 'g':
			flow(at[0], at[1], mul(v, u(2, 3)))
		case 'd':
			w := u(0, 1)
			flow(at[0], at[1],
				add(junction(w, parameter(e, "is", 1e-14), mul(parameter(e, "n", 1), vt)),
					mul(gmin, w)))
		case 'q':
			be, bc := u(1, 2), u(1, 0)
			is := parameter(e, "is", 1e-16)
			ibe, ibc := junction(be, is, vt), junction(bc, is, vt)
			early := bf(1)
			if vaf := parameter(e, "vaf", 0); vaf.Sign() != 0 {
				early = sub(bf(1), quo(bc, vaf))
			}
			flow(at[1], at[2], add(quo(ibe, parameter(e, "bf", 100)), mul(gmin, be)))
			flow(at[1], at[0], add(quo(ibc, parameter(e, "br", 1)), mul(gmin, bc)))
			flow(at[0], at[2], mul(sub(ibe, ibc), early))
			flow(0, at[0], mul(gmin, sub(x[0], x[at[0]]))) // the substrate, at ground
		case 'm':
			c.mosfet(e, at, x, vt, gmin, flow)
		}
	}
	return f
}

func (c *precise) mosfet(e *netlist.Element, at []int, x []*big.Float, vt, gmin *big.Float,
	flow func(i, j int, v *big.Float)) {
	d, s := at[0], at[2]
	if x[d].Cmp(x[s]) < 0 {
		d, s = s, d
	}
	over, vds := sub(sub(x[at[1]], x[s]), parameter(e, "vto", 0)), sub(x[d], x[s])
	if over.Sign() > 0 {
		b := mul(parameter(e, "kp", 2e-5), add(bf(1), mul(parameter(e, "lambda", 0), vds)))
		if over.Cmp(vds) <= 0 {
			flow(d, s, mul(bf(0.5), mul(b, mul(over, over))))
		} else {
			flow(d, s, mul(mul(b, vds), sub(over, mul(bf(0.5), vds))))
		}
	}
	for _, n := range [2]int{at[0], at[2]} {
		v := sub(x[at[3]], x[n])
		i := bf(-1e-14)
		if v.Cmp(mul(bf(-3), vt)) > 0 {
			i = mul(bf(1e-14), sub(exp(quo(v, vt)), bf(1)))
		}
		flow(at[3], n, add(i, mul(gmin, v)))
	}
}

// refine moves the center of the certificate to the nearby solution. It uses Newton's method with
// the precise residual and the Jacobian in doubles, which converges linearly by many digits per
// iteration.
func (c *precise) refine(t rapid.TB, s *system) []*big.Float {
	t.Helper()
	x := make([]*big.Float, s.n+1)
	for i, v := range s.bias.X {
		x[i] = bf(v)
	}
	f, err := s.precondition(s.bias.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		r := c.residual(x)
		worst := 0.0
		for i := 1; i <= s.n; i++ {
			d := bf(0)
			for j := 1; j <= s.n; j++ {
				d = add(d, mul(bf(f.c[i][j]), r[j]))
			}
			x[i] = sub(x[i], d)
			v, _ := d.Float64()
			worst = math.Max(worst, math.Abs(v))
		}
		if worst < 1e-40 {
			return x
		}
	}
	t.Fatal("the precise iteration does not converge")
	return nil
}
