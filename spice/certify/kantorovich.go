package certify

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/interval"
)

// newtonKantorovich holds the results of the Newton-Kantorovich test for one radius.
type newtonKantorovich struct {
	eta, k, h   float64 // eta in units of the weighted norm, k in its inverse, h dimensionless
	rho, unique float64 // radii of existence and of uniqueness in the weighted norm
	ok          bool
}

// radii lists the radii [V] of the balls over which the curvature is bounded. A larger ball gives a
// larger radius of uniqueness but also a larger bound, so the test tries all radii.
var radii = [...]float64{1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}

// linearRadius represents the infinite radius of uniqueness [V] of a linear circuit.
const linearRadius = 1e12

// newtonKantorovichTest runs the affine covariant Newton-Kantorovich test around the center of f in
// the norm max |x_i|/w_i.
//
// Let T(x) = x - C·F(x), Y >= |C·F(x0)| and Z0 >= |I - C·J(x0)|. Let Z2 satisfy |C·(J(x) - J(x0))|
// <= Z2·|x - x0| in the ball of radius R. The mean value theorem gives |T(x) - x0| <= Y + Z0·r +
// Z2·r²/2 for |x - x0| <= r.
//
// With eta = Y/(1 - Z0), K = Z2/(1 - Z0) and h = eta·K <= 1/2, the right-hand side equals r at two
// real roots. The smaller one is rho. The ball of radius rho is then mapped into itself and
// contains a solution (Brouwer).
//
// Between two solutions at distances rho and r from x0, the mean Jacobian J' satisfies |I - C·J'|
// <= Z0 + Z2·(rho + r)/2. This is below 1 for r < 2/K - rho = (1 + sqrt(1 - 2h))/K, so the solution
// is unique there. Z2 is required only between x and x0, not between any two points.
func (f *preconditioned) newtonKantorovichTest(y, z0, w []float64) (
	best newtonKantorovich, why error) {
	s := f.s
	eta, lin := 0.0, 0.0
	for i := 1; i <= s.n; i++ {
		eta = max(eta, interval.DivUp(y[i], w[i]))
		lin = max(lin, interval.DivUp(z0[i], w[i]))
	}
	if !(lin < 1) {
		if err := s.checkDeadline(); err != nil {
			return best, err
		}
		return best, errSingular
	}
	room := interval.SubDown(1, lin)
	best.eta = interval.DivUp(eta, room)
	best.h = math.Inf(1)
	list := radii[:]
	if s.linear {
		list = []float64{linearRadius}
	}
	why = errCurved
	for _, r := range list {
		if err := s.checkDeadline(); err != nil {
			return best, err
		}
		if best.eta > r {
			break
		}
		k := 0.0
		if !s.linear {
			wide := make([]float64, s.n+1)
			for i := range wide {
				wide[i] = interval.MulUp(r, w[i])
			}
			terms, kink := s.at(s.region(f.x, wide), nil)
			if kink != "" {
				if !best.ok {
					why = kinkError(kink)
				}
				continue
			}
			curve := f.curvature(terms, w)
			for i := 1; i <= s.n; i++ {
				k = max(k, interval.DivUp(curve[i], w[i]))
			}
			k = interval.DivUp(k, room)
		}
		t := newtonKantorovich{eta: best.eta, k: k, h: interval.MulUp(best.eta, k)}
		if t.h <= 0.5 {
			root := interval.Point(1).Sub(interval.Point(t.h).Scale(2)).Sqrt()
			t.rho = interval.DivUp(interval.MulUp(2, t.eta), interval.AddDown(1, root.Lo))
			t.unique = r
			if k > 0 {
				t.unique = math.Min(r, interval.DivDown(interval.AddDown(1, root.Lo), k))
			}
			t.ok = t.rho <= r
		} else if !best.ok {
			why = errCurved
		}
		if t.ok && (!best.ok || t.unique > best.unique) || !best.ok && t.h < best.h {
			best = t
		}
	}
	if best.ok {
		return best, nil
	}
	return best, why
}

// curvature bounds |C·(J(x) - J(x0))| relative to |x - x0| for each unknown and the weights w.
func (f *preconditioned) curvature(terms []device.IntervalTerm, w []float64) []float64 {
	t := f.curvatureBound(terms, f.s.extend(w))
	return f.rows(t, make([]float64, f.s.size()))
}

// weights returns the weights of the norm, which are 1 V for every voltage. The weight of a current
// is the smallest power of ten [A], at least 1e-12, that satisfies a condition. Its entries in y,
// the contraction, x and the curvature, divided by the weight, do not exceed those of the voltages.
// No term is nonlinear in a current, so this choice does not affect the other rows. y bounds the
// first Newton correction.
func (f *preconditioned) weights(y []float64) ([]float64, error) {
	s := f.s
	w := make([]float64, s.n+1)
	for i := 1; i <= s.n; i++ {
		if !s.bias.Unknowns[i].Branch {
			w[i] = 1
		}
	}
	var curve []float64
	if !s.linear {
		for _, r := range [...]float64{0.01, 1e-5, 1e-8} {
			wide := make([]float64, s.n+1)
			for i := range wide {
				wide[i] = r * w[i]
			}
			terms, kink := s.at(s.region(f.x, wide), nil)
			if kink == "" {
				curve = f.curvature(terms, w)
				break
			}
		}
	}
	measures := [][]float64{y, f.contraction(make([]device.IntervalTerm, s.nb), nil, s.extend(w)),
		f.x, curve}
	for i := 1; i <= s.n; i++ {
		if !s.bias.Unknowns[i].Branch {
			continue
		}
		if err := s.checkDeadline(); err != nil {
			return nil, err
		}
		want := 1e-12
		for _, m := range measures {
			if m == nil {
				continue
			}
			volts := 0.0
			for j := 1; j <= s.n; j++ {
				if !s.bias.Unknowns[j].Branch {
					volts = math.Max(volts, math.Abs(m[j]))
				}
			}
			if volts > 0 {
				want = math.Max(want, math.Abs(m[i])/volts)
			}
		}
		w[i] = math.Pow10(int(math.Ceil(math.Log10(math.Min(want, 1e15)))))
	}
	return w, nil
}
