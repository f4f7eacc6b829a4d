package analysis

import (
	"math"
	"math/cmplx"
	"testing"
)

// radauPolynomial returns the polynomial [V] of one step of 1 s as a function of θ, and its error
// estimate. The circuit is a conductance g [S] in parallel with 1 F and a time-dependent current
// source [A]. It starts at 0 V.
func radauPolynomial(g complex128, source func(t float64) float64) (at func(float64) complex128,
	estimate complex128) {
	at = func(float64) complex128 { return 0 }
	slope := complex128(0)
	for k, m := range radauModes {
		b := complex128(0)
		for j, t := range radauAt {
			b += m.sourceWeights[j] * complex(source(t), 0)
		}
		// The equation for the conjugate eigenvalue has another solution if g is not real.
		terms := [][2]complex128{{m.eigenvalue, 1}}
		if k > 0 {
			terms = [][2]complex128{{m.eigenvalue, 0.5}, {cmplx.Conj(m.eigenvalue), 0.5}}
		}
		for n, term := range terms {
			b, polynomial := b, m.polynomial
			if n == 1 {
				b = cmplx.Conj(b)
				for i, c := range polynomial {
					polynomial[i] = cmplx.Conj(c)
				}
			}
			w := term[1] * b / (term[0] + g)
			before := at
			at = func(theta float64) complex128 {
				sum, power := complex128(0), theta
				for _, c := range polynomial {
					sum += c * complex(power, 0)
					power *= theta
				}
				return before(theta) + w*sum
			}
			slope += w * polynomial[0]
		}
	}
	return at, (complex(source(0), 0) - slope) / (radauModes[0].eigenvalue + g)
}

// TestRadauPolynomial verifies that a step is exact for a current of 1 A·t^k into 1 F up to k = 4.
// The voltage is t^(k+1)/(k+1) everywhere within the step. One wrong digit of a constant violates
// this.
func TestRadauPolynomial(t *testing.T) {
	for k := range radauStages {
		v, e := radauPolynomial(0, func(t float64) float64 { return math.Pow(t, float64(k)) })
		for theta := 0.0; theta <= 1; theta += 1.0 / 16 {
			want := math.Pow(theta, float64(k+1)) / float64(k+1)
			if got := v(theta); cmplx.Abs(got-complex(want, 0)) > 1e-12 {
				t.Errorf("t^%d: %g V at %g s, not %g", k, got, theta, want)
			}
		}
		if cmplx.Abs(e) > 1e-12 {
			t.Errorf("t^%d: error estimate %g V of an exact step", k, e)
		}
	}
}

// TestRadauSine compares a step of x' = jω·x with exp(jωt) for angles up to 0.4 periods.
// radauEndErrorRatio and radauInteriorErrorRatio derive the error at the end, and the largest error
// within the step, from the estimate. A fast decay is damped: the formula is
// L-stable.
func TestRadauSine(t *testing.T) {
	for _, angle := range []float64{0.5, 1, 1.5, 2, 2.5} {
		g := complex(0, -angle)
		// x = 1 + v, where v' + g·v = -g
		unit, e := radauPolynomial(g, func(float64) float64 { return 1 })
		x := func(theta float64) complex128 { return 1 - g*unit(theta) }
		within := 0.0
		for theta := 0.0; theta <= 1; theta += 1.0 / 64 {
			within = max(within, cmplx.Abs(x(theta)-cmplx.Exp(complex(0, angle*theta))))
		}
		end := cmplx.Abs(x(1) - cmplx.Exp(complex(0, angle)))
		estimate := cmplx.Abs(e * g)
		if r := within / (radauInteriorErrorRatio * estimate); r < 0.8 || r > 1.1 {
			t.Errorf("%g rad: error %g within the step, %g of the estimate", angle, within, r)
		}
		if r := end / (radauEndErrorRatio * estimate * math.Pow(angle, 4)); r < 0.8 || r > 1.1 {
			t.Errorf("%g rad: error %g at the end, %g of the estimate", angle, end, r)
		}
	}
	unit, _ := radauPolynomial(1e6, func(float64) float64 { return 1 })
	if left := cmplx.Abs(1 - 1e6*unit(1)); left > 1e-4 {
		t.Errorf("%g of a fast decay is left after a step", left)
	}
}
