package analysis

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"
)

// radauPolynomial returns the polynomial [V] of one step of 1 s at θ and its error estimate for a
// conductance g [S] in parallel with 1 F, a current source [A] that depends on time, and 0 V at the
// start.
func radauPolynomial(g complex128, source func(t float64) float64) (at func(float64) complex128,
	estimate complex128) {
	at = func(float64) complex128 { return 0 }
	slope := complex128(0)
	for k, m := range radauModes {
		b := complex128(0)
		for j, t := range radauAt {
			b += m.load[j] * complex(source(t), 0)
		}
		// The equation for the conjugate eigenvalue has another solution if g is not real.
		terms := [][2]complex128{{m.eigenvalue, 1}}
		if k > 0 {
			terms = [][2]complex128{{m.eigenvalue, 0.5}, {cmplx.Conj(m.eigenvalue), 0.5}}
		}
		for n, term := range terms {
			b, shape := b, m.shape
			if n == 1 {
				b = cmplx.Conj(b)
				for i, c := range shape {
					shape[i] = cmplx.Conj(c)
				}
			}
			w := term[1] * b / (term[0] + g)
			before := at
			at = func(theta float64) complex128 {
				sum, power := complex128(0), theta
				for _, c := range shape {
					sum += c * complex(power, 0)
					power *= theta
				}
				return before(theta) + w*sum
			}
			slope += w * shape[0]
		}
	}
	return at, (complex(source(0), 0) - slope) / (radauModes[0].eigenvalue + g)
}

// TestRadauPolynomial verifies that a step is exact for a current of 1 A·t^k into 1 F up to k = 4:
// the voltage is t^(k+1)/(k+1) everywhere within the step. One wrong digit of a constant violates
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

// TestRadauSine compares a step of x' = jω·x with exp(jωt) for angles up to 0.4 periods. The error
// at the end and the largest error within the step are those that radauEnd and radauInterior derive
// from the estimate. A fast decay is damped: the formula is L-stable.
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
		if r := within / (radauInterior * estimate); r < 0.8 || r > 1.1 {
			t.Errorf("%g rad: error %g within the step, %g of the estimate", angle, within, r)
		}
		if r := end / (radauEnd * estimate * math.Pow(angle, 4)); r < 0.8 || r > 1.1 {
			t.Errorf("%g rad: error %g at the end, %g of the estimate", angle, end, r)
		}
	}
	unit, _ := radauPolynomial(1e6, func(float64) float64 { return 1 })
	if left := cmplx.Abs(1 - 1e6*unit(1)); left > 1e-4 {
		t.Errorf("%g of a fast decay is left after a step", left)
	}
}

// TestRadauOscillation follows a lossless resonant circuit. All points of the result must lie on
// the cosine within 0.5 %, and the estimate must be within a factor of 3 of the largest error. Over
// more periods the tolerance of the steps is reduced, because their errors accumulate.
func TestRadauOscillation(t *testing.T) {
	for _, periods := range []float64{50, 500} {
		out := run(t, fmt.Sprintf("L1 a 0 1m\nC1 a 0 1u IC=1\nR1 a 0 1t\n.tran 5u %gm uic",
			0.2*math.Pi*math.Sqrt(0.1)*periods))
		time, v := values(t, out, "time"), values(t, out, "v(a)")
		omega, worst := 1/math.Sqrt(1e-3*1e-6), 0.0
		for k := 1; k < len(time); k++ {
			worst = max(worst, math.Abs(v[k]-math.Cos(omega*time[k])),
				math.Abs((v[k]+v[k-1])/2-math.Cos(omega*(time[k]+time[k-1])/2)))
		}
		if worst > 2*errorGoal {
			t.Errorf("%g periods: off by %.3g V of 2 V, at most %.3g expected", periods, worst,
				2*errorGoal)
		}
		e := out.Statistics.ErrorEstimatePct
		if e == nil || *e/100 > 3*worst/2 || *e/100 < worst/2/3 {
			t.Errorf("%g periods: error %.3g of peak-to-peak, estimate %v", periods, worst/2, *e)
		}
		if n := float64(len(time)); periods == 50 && n < periods*20 {
			t.Errorf("%g points do not draw %g periods", n, periods)
		}
	}
}

// TestRadauGrowth follows a resonant circuit with a conductance of either sign for 300 periods, in
// which its amplitude changes by a factor of 3.3. The estimate must be within a factor of 3 of the
// largest error, which grows and decays with the amplitude.
func TestRadauGrowth(t *testing.T) {
	for _, siemens := range []float64{-20e-6, 20e-6} {
		out := run(t, fmt.Sprintf("L1 a 0 10u\nC1 a 0 2.5n IC=1\nG1 a 0 a 0 %g\n.tran 1u 0.3m uic",
			siemens))
		time, v := values(t, out, "time"), values(t, out, "v(a)")
		damping := siemens / (2 * 2.5e-9)
		omega := math.Sqrt(1/(10e-6*2.5e-9) - damping*damping)
		at := func(t float64) float64 {
			s, c := math.Sincos(omega * t)
			return math.Exp(-damping*t) * (c - damping/omega*s)
		}
		worst, low, high := 0.0, 0.0, 0.0
		for k := 1; k < len(time); k++ {
			worst = max(worst, math.Abs(v[k]-at(time[k])),
				math.Abs((v[k]+v[k-1])/2-at((time[k]+time[k-1])/2)))
			low, high = min(low, v[k]), max(high, v[k])
		}
		worst /= high - low
		e := *out.Statistics.ErrorEstimatePct / 100
		if worst > acceptedError || e > 3*worst || e < worst/3 {
			t.Errorf("%g S: error %.3g of peak-to-peak, estimate %.3g", siemens, worst, e)
		}
	}
}
