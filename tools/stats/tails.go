// Package stats provides the distributions of test statistics, accurate far into their tails. It
// also provides exact tests of counts, estimates of means, and sample sizes.
package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"slipstick/tools/special"
)

// tailLaw is a distribution whose tails are computed: the gamma distribution (normal, chi-squared)
// or the beta distribution (Student's t, F, binomial limits). Its variable is u = ln(x / x_mode),
// which is ln(chi²/df) or ln F. The mode is at u = 0. In this variable the density f is log-concave
// and decreases on both sides, so one method suits all parameters.
//
// The incomplete gamma and beta functions of gonum (Cephes) do not suffice. They underflow at the
// smallest double, where log10 p is still needed. The beta function also loses digits. Its error is
// 2e-10 at 10^6 degrees of freedom and 2e-6 at 10^9, and as large for x close to 1.
type tailLaw interface {
	// logPeak returns ln f(0).
	logPeak() float64
	// depth returns ln f(0) - ln f(u), which is never negative.
	depth(u float64) float64
	// rise returns the function depth(u+s) - depth(u) for s of the same sign as u. It sums only
	// terms that are not negative, so it does not cancel even for large u.
	rise(u float64) func(s float64) float64
	// slope returns the first derivative of depth at u, curvature the second.
	slope(u float64) float64
	curvature(u float64) float64
	// expansion returns the probability beyond u divided by f(u) (Mills ratio) from a series or
	// continued fraction. ok is false if that requires too many terms.
	expansion(side, u float64) (ratio float64, ok bool)
}

// gammaLaw has the density x^a e^-x / Γ(a) in u = ln(x/a). Chi-squared is 2x with a = df/2.
type gammaLaw struct{ a float64 }

func (l gammaLaw) logPeak() float64            { return logGammaPeak(l.a) }
func (l gammaLaw) depth(u float64) float64     { return l.a * special.Expm1mx(u) }
func (l gammaLaw) slope(u float64) float64     { return l.a * math.Expm1(u) }
func (l gammaLaw) curvature(u float64) float64 { return l.a * math.Exp(u) }

func (l gammaLaw) rise(u float64) func(s float64) float64 {
	x, beyond := l.a*math.Exp(u), l.a*math.Expm1(u)
	return func(s float64) float64 { return x*special.Expm1mx(s) + beyond*s }
}

// expansion evaluates the even part of the continued fraction DLMF 8.9.2 above the mode and the
// series 8.7.1 below it.
func (l gammaLaw) expansion(side, u float64) (ratio float64, ok bool) {
	if side > 0 {
		beyond := l.a * math.Expm1(u) // x - a
		value, ok := continuedFraction(beyond+1,
			func(n float64) (a, b float64) { return n * (l.a - n), beyond + 2*n + 1 })
		return 1 / value, ok
	}
	x := l.a * math.Exp(u)
	term := 1 / l.a
	for n := 1.0; n <= maxTerms; n++ {
		ratio += term
		if term *= x / (l.a + n); term < 1e-17*ratio {
			return ratio, true
		}
	}
	return 0, false
}

// betaLaw has the density x^a (1-x)^b / B(a, b) in u = ln F, with x = aF/(aF + b). For F, a = df1/2
// and b = df2/2.
type betaLaw struct{ a, b float64 }

func (l betaLaw) logPeak() float64 {
	return logGammaPeak(l.a) + logGammaPeak(l.b) - logGammaPeak(l.a+l.b)
}

func (l betaLaw) depth(u float64) float64 {
	n := l.a + l.b
	return n * logitCumulant(l.a/n, l.b/n, u)
}

// at returns x, 1-x and n (x - x_mode) at u.
func (l betaLaw) at(u float64) (x, y, beyond float64) {
	if u < 0 { // mirrored, so that exp does not overflow
		y, x, beyond = betaLaw{l.b, l.a}.at(-u)
		return x, y, -beyond
	}
	e := math.Exp(-u)
	d := l.a + l.b*e
	return l.a / d, l.b * e / d, -l.a * math.Expm1(-u) * (l.b / d)
}

func (l betaLaw) rise(u float64) func(s float64) float64 {
	x, y, beyond := l.at(u)
	return func(s float64) float64 { return (l.a+l.b)*logitCumulant(x, y, s) + beyond*s }
}

// expansion evaluates the even part of the continued fraction DLMF 8.17.22, as function BFRAC does
// in A. R. DiDonato and A. H. Morris, Algorithm 708: Significant digit computation of the
// incomplete beta function ratios, ACM TOMS 18 (1992).
func (l betaLaw) expansion(side, u float64) (ratio float64, ok bool) {
	if side > 0 { // the mirror image
		return betaLaw{l.b, l.a}.expansion(-side, -u)
	}
	x, _, beyond := l.at(u)
	short := 1 - beyond // 1 + (a+b) (x_mode - x)
	value, ok := continuedFraction(l.a/(l.a+1)*short, func(n float64) (a, b float64) {
		d := l.a + 2*n - 1
		a = (l.a + n - 1) / d * x * ((l.a + l.b + n - 1) / d) * x * n * (l.b - n)
		b = n + n*(l.b-n)*x/d + (l.a+n)/(d+2)*(short+n*(2-x))
		return a, b
	})
	return 1 / value, ok
}

func (l betaLaw) slope(u float64) float64 {
	_, _, beyond := l.at(u)
	return beyond
}

func (l betaLaw) curvature(u float64) float64 {
	x, y, _ := l.at(u)
	return (l.a + l.b) * x * y
}

// maxTerms is the maximum number of terms of an expansion. Up to this number, each term is smaller
// than the previous one by about a third. The first negligible term may therefore end the
// expansion.
const maxTerms = 100

// continuedFraction evaluates b0 + a1/(b1 + a2/(b2 + ...)) by Lentz's method (DLMF 3.10(iii)).
func continuedFraction(b0 float64, term func(n float64) (a, b float64)) (value float64, ok bool) {
	value = b0
	c, d := b0, 0.0
	for n := 1.0; n <= maxTerms; n++ {
		a, b := term(n)
		c = b + a/c
		d = 1 / (b + a*d)
		value *= c * d
		if math.Abs(c*d-1) < 5e-16 {
			return value, value > 0
		}
	}
	return 0, false
}

// logitCumulant returns ln(q + p e^u) - p u for p + q = 1, which is never negative.
func logitCumulant(p, q, u float64) float64 {
	if p > q {
		p, q, u = q, p, -u
	}
	if u > 700 {
		return u*q + math.Log(p+q*math.Exp(-u))
	}
	w := p * math.Expm1(u)
	if w > 1 {
		return math.Log1p(w) - p*u
	}
	return special.Log1pmx(w) + p*special.Expm1mx(u)
}

// logGammaPeak returns ln(a^a e^-a / Γ(a)), the logarithm of the gamma density at its mode.
func logGammaPeak(a float64) float64 {
	if a < 16 {
		g, _ := math.Lgamma(a)
		return a*math.Log(a) - a - g
	}
	// Stirling's series, DLMF 5.11.1. From a = 16, the first omitted term is below 1e-17.
	r := 1 / (a * a)
	series := (1.0/12 - r*(1.0/360-r*(1.0/1260-r*(1.0/1680-r*(1.0/1188-r*(691.0/360360-r/156)))))) /
		a
	return 0.5*math.Log(a/(2*math.Pi)) - series
}

// logTail returns the logarithm of a tail probability: above u >= 0 for side 1, below u <= 0 for
// side -1.
func logTail(l tailLaw, side, u float64) float64 {
	depth := l.depth(u)
	if depth > 1e300 { // the next term would overflow
		return math.Inf(-1)
	}
	return l.logPeak() - depth + math.Log(mills(l, side, u))
}

// mills returns the probability beyond u divided by the density at u (Mills' ratio).
func mills(l tailLaw, side, u float64) float64 {
	if ratio, ok := l.expansion(side, u); ok {
		return ratio
	}
	return millsIntegral(l, side, u)
}

// millsIntegral integrates f(u+s)/f(u) over s by the trapezoidal rule after the substitution s = w
// exp(t - e^-t) (Takahasi & Mori, "Double exponential formulas for numerical integration", Publ.
// RIMS 9, 1974). It refines the steps until the result converges. w is near the point at which the
// integrand has decreased to 1/e. Log-concavity bounds the integrand by exp(-s/2w) beyond that
// point, so the same range of t suits all distributions.
func millsIntegral(l tailLaw, side, u float64) float64 {
	rise := l.rise(u)
	w := 1 / (math.Abs(l.slope(u)) + math.Sqrt(l.curvature(u)))
	for range 1100 { // covers the exponents of doubles; normally one or two iterations
		if r := rise(side * w); r > 2 {
			w /= 2
		} else if r < 0.5 {
			w *= 2
		} else {
			break
		}
	}
	sum := 0.0
	for i, nodes := range millsNodes {
		add := 0.0
		for _, node := range nodes {
			v := math.Exp(-rise(side*w*node.s)) * node.weight
			add += v
			if v < 1e-18*add && node.s > 1 { // the integrand only decreases from here
				break
			}
		}
		// The rule converges exponentially: each halving nearly doubles the number of correct
		// digits. Agreement to 2e-10 therefore leaves an error far below 1e-12.
		done := i > 0 && math.Abs(add-sum) < 2e-10*sum
		if sum += add; done {
			return w * sum * millsStep(i)
		}
	}
	return w * sum * millsStep(len(millsNodes)-1)
}

// millsStep returns the spacing of the nodes in t for levels 0 to i combined.
func millsStep(i int) float64 { return 0.125 / float64(int(1)<<i) }

// millsNode is a value of s/w and its ds/dt.
type millsNode struct{ s, weight float64 }

// millsNodes contains the nodes by level. The nodes of each level after the first are midway
// between all previous nodes.
var millsNodes = func() (levels [8][]millsNode) {
	const from, to = -3.5, 5.0
	for i := range levels {
		t, step := from, millsStep(0)
		if i > 0 {
			t, step = from+millsStep(i), millsStep(i-1)
		}
		for ; t <= to; t += step {
			e := math.Exp(-t)
			s := math.Exp(t - e)
			levels[i] = append(levels[i], millsNode{s, s * (1 + e)})
		}
	}
	return levels
}()

// Tails contains the natural logarithms of the probabilities below and above a point.
type Tails struct{ Below, Above float64 }

// tailsAt returns both tails at u. It integrates the tail away from the mode and computes the other
// as its complement.
func tailsAt(l tailLaw, u float64) Tails {
	if u < 0 {
		below := math.Min(0, logTail(l, -1, u))
		return Tails{below, special.Log1mexp(below)}
	}
	above := math.Min(0, logTail(l, 1, u))
	return Tails{special.Log1mexp(above), above}
}

// upperPoint returns the u with probability p above it, 0 < p < 1.
func upperPoint(l tailLaw, p float64) float64 {
	if above := logTail(l, 1, 0); math.Log(p) <= above {
		return outerPoint(l, 1, above, math.Log(p))
	}
	return outerPoint(l, -1, logTail(l, -1, 0), math.Log1p(-p))
}

// lowerPoint returns the u with probability p below it, 0 < p < 1.
func lowerPoint(l tailLaw, p float64) float64 {
	if below := logTail(l, -1, 0); math.Log(p) <= below {
		return outerPoint(l, -1, below, math.Log(p))
	}
	return outerPoint(l, 1, logTail(l, 1, 0), math.Log1p(-p))
}

// outerPoint solves logTail = logP on one side of the mode by Halley's method. For a tail S with
// density f, the derivative of ln S is -f/S. The second derivative follows from the same terms and
// the derivative of ln f. atMode is logTail at the mode.
func outerPoint(l tailLaw, side, atMode, logP float64) float64 {
	// By log-concavity, the ratio of tail to density decreases outwards, so tail(u) <= tail(0)
	// e^-depth(u). A u whose depth is at least atMode - logP is therefore beyond the solution.
	need := math.Max(0, atMode-logP)
	peak := l.logPeak()
	outside := cross(side/math.Sqrt(l.curvature(0)),
		func(u float64) bool { return l.depth(u) >= need })
	// Initial value from a normal distribution with the same slope and curvature, accurate to a few
	// percent.
	u := cross(outside, func(u float64) bool {
		s := math.Abs(l.slope(u))
		width := 2 / (s + math.Sqrt(s*s+8/math.Pi*l.curvature(u)))
		return peak-l.depth(u)+math.Log(width) <= logP
	})
	for range 60 {
		ratio := mills(l, side, u) // S/f
		excess := peak - l.depth(u) + math.Log(ratio) - logP
		bend := excess * (1 - math.Abs(l.slope(u))*ratio) / 2
		step := side * excess * ratio / math.Max(0.5, 1+bend)
		u = side * math.Min(math.Max(0, side*(u+step)), side*outside)
		// Convergence is cubic, so the next step would be below the last digit.
		if math.Abs(step) <= 1e-5*math.Abs(u) || math.Abs(excess) <= 1e-15*math.Abs(logP) {
			break
		}
	}
	return u
}

// cross returns an upper bound, within a few per mille, of the smallest k·try for which a monotonic
// condition holds. k is a positive real number.
func cross(try float64, holds func(float64) bool) float64 {
	inside, outside := 0.0, try
	for range 1100 { // the exponents of doubles
		if holds(outside) {
			break
		}
		inside, outside = outside, 2*outside
	}
	for range 10 {
		if middle := (inside + outside) / 2; holds(middle) {
			outside = middle
		} else {
			inside = middle
		}
	}
	return outside
}

// BetaQuantile returns the x with probability p of the beta distribution below it, and 1 - x.
func BetaQuantile(a, b, p float64) (x, y float64) {
	l := betaLaw{a, b}
	x, y, _ = l.at(lowerPoint(l, p))
	return x, y
}

// Distribution is the distribution of a test statistic. For z and t, law is the distribution of
// the square, and each sign has half of its tail.
type Distribution struct {
	normal bool
	law    tailLaw
	mode   float64 // statistic at u = 0 for chi-squared and F; 0 for symmetric distributions
}

// Normal returns the standard normal distribution. z² is chi-squared with one degree of freedom.
func Normal() Distribution { return Distribution{normal: true, law: gammaLaw{0.5}} }

// Student returns Student's t distribution with df > 0 degrees of freedom. t² is F with 1 and df
// degrees of freedom.
func Student(df float64) Distribution { return Distribution{law: betaLaw{0.5, df / 2}} }

// ChiSquared returns the chi-squared distribution with df > 0 degrees of freedom.
func ChiSquared(df float64) Distribution { return Distribution{law: gammaLaw{df / 2}, mode: df} }

// F returns the F distribution with df1 > 0 and df2 > 0 degrees of freedom.
func F(df1, df2 float64) Distribution {
	return Distribution{law: betaLaw{df1 / 2, df2 / 2}, mode: 1}
}

// Symmetric reports whether the distribution is symmetric about 0: standard normal or Student's t.
func (d Distribution) Symmetric() bool { return d.mode == 0 }

// Tails returns the logarithms of both tails of a statistic.
func (d Distribution) Tails(statistic float64) Tails {
	if !d.Symmetric() {
		if statistic == 0 {
			return Tails{math.Inf(-1), 0}
		}
		u := math.Log(statistic) - math.Log(d.mode)
		if off := (statistic - d.mode) / d.mode; math.Abs(off) < 0.5 {
			// preserves the digits of a small difference, which many degrees of freedom magnify
			u = math.Log1p(off)
		}
		return tailsAt(d.law, u)
	}
	var outer float64
	switch size := math.Abs(statistic); {
	case size == 0:
		outer = -math.Ln2
	case d.normal && size < 37:
		outer = math.Log(math.Erfc(size/math.Sqrt2) / 2)
	default:
		outer = tailsAt(d.law, 2*math.Log(size)).Above - math.Ln2
	}
	if statistic < 0 {
		return Tails{outer, special.Log1mexp(outer)}
	}
	return Tails{special.Log1mexp(outer), outer}
}

// Upper returns the point with probability p above it, or NaN if it is beyond the range of a
// double.
func (d Distribution) Upper(p float64) float64 {
	switch {
	case !d.Symmetric():
		return positive(d.mode * math.Exp(upperPoint(d.law, p)))
	case d.normal:
		return -mathext.NormalQuantile(p)
	case p > 0.5:
		return -d.Upper(1 - p)
	case p == 0.5:
		return 0
	default:
		return positive(math.Exp(upperPoint(d.law, 2*p) / 2))
	}
}

// Lower returns the point with probability p below it, or NaN if it is beyond the range of a
// double.
func (d Distribution) Lower(p float64) float64 {
	if d.Symmetric() {
		return -d.Upper(p)
	}
	return positive(d.mode * math.Exp(lowerPoint(d.law, p)))
}

// positive returns x, or NaN if a positive quantity is beyond the range of a double.
func positive(x float64) float64 {
	if x == 0 || math.IsInf(x, 1) {
		return math.NaN()
	}
	return x
}
