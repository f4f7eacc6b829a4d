package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

const prec = 400 // precision of the reference arithmetic [bits]

// special holds values that every operation must handle.
var special = []float64{0, 1, -1, 2, 0.5, 0.1, -0.3, 1e-300, -1e-300, 0x1p-1022, 0x1p-1074,
	-0x1p-1074, 3 * 0x1p-1074,
	1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, math.Pi, 0x1p-540, -0x1p-535, 1 + 0x1p-52,
	1 - 0x1p-53, 0x1p53 + 2}

func number(t *rapid.T, label string) float64 {
	if rapid.IntRange(0, 4).Draw(t, label+" kind") == 0 {
		return rapid.SampledFrom(special).Draw(t, label)
	}
	m := rapid.Float64Range(-1, 1).Draw(t, label)
	e := rapid.IntRange(-1080, 1024).Draw(t, label+" exponent")
	if rapid.Bool().Draw(t, label+" tame") {
		e %= 40
	}
	x := math.Ldexp(m, e)
	if math.IsInf(x, 0) {
		return math.MaxFloat64
	}
	return x
}

// set returns a random interval and one of its members.
func set(t *rapid.T, label string) (I, float64) {
	a, b := number(t, label+" a"), number(t, label+" b")
	if rapid.Bool().Draw(t, label+" point") {
		b = a
	}
	lo, hi := math.Min(a, b), math.Max(a, b)
	x := lo + rapid.Float64Range(0, 1).Draw(t, label+" at")*(hi-lo)
	if !(x >= lo && x <= hi) {
		x = lo
	}
	return I{lo, hi}, x
}

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

// holds reports whether an exact value is in a. An infinite end is no bound.
func holds(a I, v *big.Rat) bool {
	return (math.IsInf(a.Lo, -1) || new(big.Rat).SetFloat64(a.Lo).Cmp(v) <= 0) &&
		(math.IsInf(a.Hi, 1) || new(big.Rat).SetFloat64(a.Hi).Cmp(v) >= 0)
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// TestFieldOperations verifies that sums, differences, products and quotients contain the exact
// rational result, for intervals and for the double-double form.
func TestFieldOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := set(t, "x")
		b, y := set(t, "y")
		check := func(name string, got I, want *big.Rat) {
			if math.IsNaN(got.Lo) || math.IsNaN(got.Hi) || !(got.Lo <= got.Hi) ||
				!holds(got, want) {
				t.Fatalf("%v in %v %s %v in %v: %v does not hold %v", x, a, name, y, b, got,
					want.FloatString(30))
			}
		}
		sum, dif, pro := new(big.Rat).Add(rat(x), rat(y)), new(big.Rat).Sub(rat(x), rat(y)),
			new(big.Rat).Mul(rat(x), rat(y))
		check("+", a.Add(b), sum)
		check("-", a.Sub(b), dif)
		check("*", a.Mul(b), pro)
		check("scale", a.Scale(y), pro)
		check("sqr", a.Sqr(), new(big.Rat).Mul(rat(x), rat(x)))
		check("cube", a.Cube(), new(big.Rat).Mul(new(big.Rat).Mul(rat(x), rat(x)), rat(x)))
		check("wide +", WideOf(a).Add(WideOf(b)).Interval(), sum)
		check("wide -", WideOf(a).Sub(WideOf(b)).Interval(), dif)
		check("wide *", WideOf(a).Mul(WideOf(b)).Interval(), pro)
		if y != 0 {
			check("/", a.Div(b), new(big.Rat).Quo(rat(x), rat(y)))
			check("wide 1/", WideOf(b).Recip().Interval(), new(big.Rat).Inv(rat(y)))
		}
		if x >= 0 {
			r := a.Sqrt()
			lo, hi := rat(r.Lo), rat(math.Min(r.Hi, math.MaxFloat64))
			if lo.Mul(lo, lo).Cmp(rat(x)) > 0 || hi.Mul(hi, hi).Cmp(rat(x)) < 0 {
				t.Fatalf("sqrt of %v in %v: %v", x, a, r)
			}
		}
	})
}

// TestSharp verifies that bounds of point operations are adjacent doubles and that exact results
// are points.
func TestSharp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x, y := math.Ldexp(r.Float64()-0.5, r.IntN(60)-30),
			math.Ldexp(r.Float64()-0.5, r.IntN(60)-30)
		a, b := Point(x), Point(y)
		for _, v := range []I{a.Add(b), a.Sub(b), a.Mul(b), a.Div(b), a.Abs().Sqrt()} {
			if v.Hi != v.Lo && v.Hi != math.Nextafter(v.Lo, math.Inf(1)) {
				t.Fatalf("%v and %v: %v is wider than one unit", x, y, v)
			}
		}
		e := Point(r.Float64()*100 - 50).Exp()
		if (e.Hi-e.Lo)/e.Lo > 8*0x1p-52 {
			t.Fatalf("exponential %v is wider than 8 units", e)
		}
		w := WidePoint(x).Mul(WidePoint(y)).Add(WidePoint(1)).Recip()
		if (w.L.Hi-w.L.Lo)/math.Abs(w.H) > 0x1p-96 {
			t.Fatalf("double-double of %v, %v is only %v wide", x, y, w)
		}
	}
	for _, v := range []I{Point(0).Mul(Entire()), Point(3).Mul(Point(0.5)).AddF(-1.5),
		Point(0).Add(Point(0))} {
		if v != (I{}) {
			t.Errorf("%v is not exactly 0", v)
		}
	}
}

// bigExp returns e^x with about 300 correct bits. It halves the argument 20 times and uses a
// series.
func bigExp(x float64) *big.Float {
	r := bigOf(x)
	r.SetMantExp(r, -20)
	sum, term := bigOf(1), bigOf(1)
	for n := 1; n < 60; n++ {
		term.Mul(term, r)
		term.Quo(term, bigOf(float64(n)))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// TestExponential compares Exp and Log with 400-bit arithmetic from underflow to overflow. bigExp
// is accurate to 1e-80, far below the width of the bounds.
func TestExponential(t *testing.T) {
	inside := func(a I, v *big.Float) bool {
		return bigOf(a.Lo).Cmp(v) <= 0 && (math.IsInf(a.Hi, 1) || bigOf(a.Hi).Cmp(v) >= 0)
	}
	r := rand.New(rand.NewPCG(3, 4))
	list := []float64{0, 1, -1, 0x1p-1074, -0x1p-60, 0x1p-30, 709.78, 709.79, -708.4, -745, -745.2,
		math.Ln2, math.Ln2 / 2, 0.3466, -0.3466, 20}
	for range 4000 {
		list = append(list, r.Float64()*1460-748, r.NormFloat64(),
			math.Ldexp(r.NormFloat64(), -r.IntN(70)))
	}
	for _, x := range list {
		if e := Point(x).Exp(); !inside(e, bigExp(x)) {
			t.Fatalf("e^%v is not in %v", x, e)
		}
		// The exponentials of the bounds of ln x must enclose x.
		y := math.Exp(x)
		if y > 1e-300 && y < 1e300 {
			l := Point(y).Log()
			if bigExp(l.Lo).Cmp(bigOf(y)) > 0 || bigExp(l.Hi).Cmp(bigOf(y)) < 0 ||
				l.Hi-l.Lo > 1e-15*(1+math.Abs(x)) {
				t.Fatalf("ln %v is not in %v, or that is wide", y, l)
			}
		}
	}
	for _, c := range []struct{ got, want I }{
		{Entire().Exp(), I{0, math.Inf(1)}},
		{I{-1, 1}.Log(), I{math.Inf(-1), 0x1p-1074}},
		{Point(-1).Log(), Entire()},
		{Point(7).Pow(Point(0)), Point(1)},
	} {
		if c.got.Lo > c.want.Lo || c.got.Hi < c.want.Hi-0x1p-1074 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if p := Point(2).Pow(Point(10)); !p.Contains(1024) || p.Hi-p.Lo > 1e-10 {
		t.Errorf("2^10 in %v", p)
	}
	if p := (I{4, 9}).Pow(Point(0.5)); p.Lo > 2 || p.Hi < 3 || p.Hi > 3.0001 {
		t.Errorf("root by power %v", p)
	}
}

// TestJet compares the derivatives of f = sqrt(1 + x·y²)/(2 + x) with values computed by hand.
func TestJet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(0.1, 3).Draw(t, "x"), rapid.Float64Range(-2, 2).Draw(t, "y")
		r := rapid.Float64Range(0, 0.05).Draw(t, "r")
		jx, jy := Variable(0, Around(x, r)), Variable(1, Around(y, r))
		f := jx.Mul(jy.Sqr()).Shift(Point(1)).Sqrt().Mul(jx.Shift(Point(2)).Recip())
		s, d := math.Sqrt(1+x*y*y), 2+x
		want := []struct {
			name string
			got  I
			v    float64
		}{
			{"f", f.V, s / d},
			{"fx", f.D[0], y*y/(2*s*d) - s/(d*d)},
			{"fy", f.D[1], x * y / (s * d)},
			{"fxx", f.H[0], -y*y*y*y/(4*s*s*s*d) - y*y/(s*d*d) + 2*s/(d*d*d)},
			{"fxy", f.H[1], y/(s*d) - x*y*y*y/(2*s*s*s*d) - x*y/(s*d*d)},
			{"fyy", f.H[3], x/(s*d) - x*x*y*y/(s*s*s*d)},
		}
		for _, w := range want {
			slack := 1e-14 * (1 + math.Abs(w.v))
			if w.v < w.got.Lo-slack || w.v > w.got.Hi+slack {
				t.Fatalf("%s = %v is not in %v", w.name, w.v, w.got)
			}
		}
		if f.D[2] != (I{}) || f.H[5] != (I{}) {
			t.Fatal("f depends on the third variable")
		}
	})
}
