package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/interval"
)

var (
	errCurved = errors.New(
		"the equations are too curved for the accuracy of the operating point: h is above 1/2")
	errWide = errors.New("no box around the operating point is mapped into itself")
)

// norm describes the norm in which all radii are given.
const norm = "max over the unknowns of |x|/weight; weights in V for voltages and A for currents"

// Certificate is a proof that a DC operating point exists, or the reason why no proof was found.
// Unknown i of the operating point lies within Rho·Weights[i] of Center[i].
type Certificate struct {
	Certified bool
	Method    string   // "Newton-Kantorovich" or "Krawczyk"; empty if not certified
	Rho       *float64 // radius of existence in the norm; nil if not certified
	RhoUnique *float64 // radius of uniqueness, at least Rho; nil if not certified
	Eta       *float64 // bound on the norm of the first Newton correction; nil if unbounded
	H         *float64 // Eta·K, which must be at most 1/2; nil if unbounded
	// affine covariant Lipschitz constant of the Jacobian, in units of 1/norm; nil if unbounded
	K         *float64
	Unknowns  []string // v(node), i(element), or v(device#inner)
	Center    []float64
	Weights   []float64 // weights [V or A] of the norm, in the unit of the unknown
	Norm      string
	Gmin      float64 // conductance [S] across every junction
	TempC     float64 // temperature [°C] of the circuit
	Statement string  // statement of the proof in one sentence; empty if not certified
	Reason    string  // reason why no proof was found; empty if certified
}

// Existence tries to prove that a DC operating point exists near bias.X, with end as the deadline.
// It returns an error only if ctx is done.
func Existence(ctx context.Context, bias *analysis.Bias, end time.Time) (*Certificate, error) {
	c := &Certificate{Norm: norm, Gmin: bias.Gmin, TempC: bias.TempC}
	s, reason := newSystem(ctx, bias, end)
	if reason != "" {
		c.Reason = reason
		return c, nil
	}
	err := c.prove(s)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		c.Certified, c.Reason = false, err.Error()
	}
	for _, w := range c.Weights {
		if !(w > 0) || math.IsInf(w, 0) { // the time limit was reached
			c.Unknowns, c.Center, c.Weights = nil, nil, nil
			break
		}
	}
	return c, nil
}

func (c *Certificate) prove(s *system) error {
	f, err := s.precondition(s.bias.X, nil)
	if err != nil {
		return err
	}
	terms, _ := s.at(region{x: pointIntervals(f.x)}, nil)
	y := make([]float64, s.size())
	for i, v := range f.newtonStep(terms) {
		y[i] = v.Mag()
	}
	w, err := f.weights(y)
	if err != nil {
		return err
	}
	for i := 1; i <= s.n; i++ {
		c.Unknowns = append(c.Unknowns, s.name(i))
		c.Center = append(c.Center, f.x[i])
	}
	c.Weights = w[1:]
	z0 := f.contraction(terms, f.slopeSpread(terms), s.extend(w))
	t, err := f.newtonKantorovichTest(y, z0, w)
	if err == nil {
		c.Certified, c.Method = true, "Newton-Kantorovich"
		c.Rho, c.RhoUnique = finite(t.rho), finite(t.unique)
	}
	c.Eta, c.H, c.K = finite(t.eta), finite(t.h), finite(t.k)
	if err != nil {
		if _, kink := errors.AsType[kinkError](err); kink || errors.Is(err, errBudget) {
			return err
		}
		if c.krawczyk(f) != nil {
			return err
		}
	}
	second := "no other lies within " + digits(*c.RhoUnique, false) + " times the weights"
	if s.linear {
		second = "as the equations are linear it is the only one anywhere"
	}
	c.Statement = fmt.Sprintf("A DC operating point exists within %s times its weight of every unknown listed, and it is locally unique: %s.", digits(*c.Rho, true), second)
	return nil
}

// krawczyk runs Krawczyk's test after the Newton-Kantorovich test has failed. The proportions of
// its box become the weights.
func (c *Certificate) krawczyk(f *preconditioned) error {
	b, err := f.krawczyk(nil, 1, floorPoint)
	if err != nil {
		return err
	}
	most, rho := 0.0, 0.0
	for i := 1; i <= f.s.n; i++ {
		if !f.s.bias.Unknowns[i].Branch {
			most = math.Max(most, b.radius[i])
		}
	}
	if most == 0 {
		return errWide
	}
	unique := math.Inf(1)
	weights := make([]float64, f.s.n)
	for i := range weights {
		weights[i] = b.radius[i+1] / most
		rho = max(rho, interval.DivUp(interval.AddUp(b.step[i+1].Mag(), b.remainder[i+1]),
			weights[i]))
		unique = min(unique, interval.DivDown(b.radius[i+1], weights[i]))
	}
	if !(rho <= unique) || math.IsInf(rho, 0) {
		return errWide
	}
	c.Certified, c.Method, c.Weights = true, "Krawczyk", weights
	c.Rho, c.RhoUnique = &rho, &unique
	return nil
}

// name returns the name of unknown i as used in results.
func (s *system) name(i int) string {
	if u := s.bias.Unknowns[i]; u.Branch {
		return "i(" + u.Name + ")"
	}
	return "v(" + s.bias.Unknowns[i].Name + ")"
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// digits formats x with three digits. It rounds up if up is set and down otherwise, so that the
// statement remains true. If three digits are insufficient, it uses full precision.
func digits(x float64, up bool) string {
	for k := range 8 {
		v := x * (1 + float64(k)*1e-3)
		if !up {
			v = x * (1 - float64(k)*1e-3)
		}
		text := strconv.FormatFloat(v, 'g', 3, 64)
		if got, _ := strconv.ParseFloat(text, 64); up && got >= x || !up && got <= x {
			return text
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
