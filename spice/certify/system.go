package certify

import (
	"context"
	"errors"
	"math"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/device"
	"slipstick/spice/interval"
	"slipstick/spice/mna"
)

// maxMatrixEntries is the largest number of unknowns times terms. 150 transistors with all their
// resistances stay below it.
const maxMatrixEntries = 8_000_000

var (
	errSingular = errors.New("the Jacobian at the operating point is singular or nearly so")
	errBudget   = errors.New("the time allowed for certificates was used up")
)

// system represents the DC equations F(x) = 0 of a circuit as a list of terms. Each term leaves one
// row and enters another (device.IntervalTerm).
//
// Separate terms suit stiff circuits. A term acts on the solution through the difference of two
// columns of the inverse. For tightly coupled nodes this difference is small even if the columns
// are large.
type system struct {
	bias   *analysis.Bias
	devs   []device.IntervalModel
	n      int
	linear bool
	params []param
	ctx    context.Context
	end    time.Time

	nb      int // number of terms
	pattern *mna.Pattern
	slots   [][interval.Vars][4]mna.Slot
	lu      *mna.RealLU
	a       []float64

	// pairs holds pairs of unknowns whose difference controls a nonlinear or toleranced term. Two
	// nodes, such as base and emitter of an amplifier, can have a large common and a small
	// differential change. Vectors of bounds therefore have entries for ground, each unknown and
	// each pair.
	pairs [][2]int
	// index of the pair in a vector of bounds, by term and control; 0 for no pair
	pairOf [][interval.Vars]int
}

// param is an element with a tolerance.
type param struct {
	name    string
	kind    byte
	dev     int // index in devs
	nominal float64
	box     interval.I    // range of the value, including the rounding of its ends
	lo, hi  float64       // ends as doubles, for corners and reports
	ends    [2]interval.I // ends as intervals, because nominal·(1 ± tolerance) may not be a double
	branch  int           // index of the element's term
	a, b    int           // nodes of R or I; for V, a is the branch row and b is 0
}

// newSystem prepares the equations of a circuit. end is the deadline of all proofs. reason is set
// if the circuit cannot be certified.
func newSystem(ctx context.Context, bias *analysis.Bias, end time.Time) (s *system, reason string) {
	s = &system{bias: bias, n: len(bias.Unknowns) - 1, linear: true, ctx: ctx, end: end}
	for _, d := range bias.Devices {
		e, ok := d.(device.IntervalModel)
		if !ok {
			return nil, d.Element().Name + " is an element that cannot be certified"
		}
		if r, ok := d.(device.PartialIntervalModel); ok && r.IntervalUnsupported() != "" {
			return nil, d.Element().Name + " " + r.IntervalUnsupported()
		}
		s.devs = append(s.devs, e)
		s.linear = s.linear && !d.Nonlinear()
	}
	if len(bias.Shunted) > 0 {
		return nil,
			"node " + bias.Shunted[0] +
				" has no DC path to ground and was held by a shunt that is not in the netlist"
	}
	terms, _ := s.at(region{x: pointIntervals(bias.X)}, nil)
	s.nb = len(terms)
	if (s.nb+s.n)*s.n > maxMatrixEntries {
		return nil, "the circuit is too large to certify"
	}
	s.pattern = mna.NewPattern()
	for range s.n {
		s.pattern.AddUnknown()
	}
	s.slots = make([][interval.Vars][4]mna.Slot, s.nb)
	for b := range terms {
		t := &terms[b]
		for k, c := range t.Controls[:t.Count] {
			s.slots[b][k] = [4]mna.Slot{s.pattern.Slot(t.P, c.P), s.pattern.Slot(t.P, c.N),
				s.pattern.Slot(t.N, c.P), s.pattern.Slot(t.N, c.N)}
		}
	}
	s.pattern.Freeze()
	s.lu = mna.NewRealLU(s.pattern)
	s.a = make([]float64, s.pattern.Slots())
	s.collectPairs()
	return s, ""
}

// checkDeadline returns the error of the context or errBudget. Loops call it at intervals of a few
// microseconds to milliseconds.
func (s *system) checkDeadline() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if time.Now().After(s.end) {
		return errBudget
	}
	return nil
}

func pointIntervals(x []float64) []interval.I {
	p := make([]interval.I, len(x))
	for i, v := range x {
		p[i] = interval.Point(v)
	}
	return p
}

// region is a set of unknowns: a box intersected with bounds on differences.
type region struct {
	x     []interval.I
	spans map[[2]int]interval.I
}

// region returns the set of all x within r of c. r is a vector of bounds; its entries for the pairs
// may be absent.
func (s *system) region(c, r []float64) region {
	g := region{x: make([]interval.I, s.n+1)}
	for i := 1; i <= s.n; i++ {
		g.x[i] = interval.Around(c[i], r[i])
	}
	if len(r) == s.size() {
		g.spans = make(map[[2]int]interval.I, len(s.pairs))
		for k, p := range s.pairs {
			g.spans[p] = interval.Point(c[p[0]]).Sub(interval.Point(c[p[1]])).Add(
				interval.Of(-r[s.n+1+k], r[s.n+1+k]))
		}
	}
	return g
}

// size returns the length of a vector of bounds.
func (s *system) size() int { return s.n + 1 + len(s.pairs) }

// collectPairs collects the pairs of unknowns whose difference controls a nonlinear term or a
// toleranced resistor.
func (s *system) collectPairs() {
	s.pairs, s.pairOf = nil, make([][interval.Vars]int, s.nb)
	found := map[[2]int]int{}
	terms, _ := s.at(region{x: pointIntervals(s.bias.X)}, nil)
	toleranced := map[int]bool{}
	for _, p := range s.params {
		toleranced[p.branch] = true
	}
	for b := range terms {
		t := &terms[b]
		if t.Curvature == [6]interval.I{} && !toleranced[b] {
			continue
		}
		for k, c := range t.Controls[:t.Count] {
			if c.P == 0 || c.N == 0 || c.P == c.N {
				continue
			}
			key := [2]int{c.P, c.N}
			if found[key] == 0 {
				s.pairs = append(s.pairs, key)
				found[key] = s.n + len(s.pairs)
			}
			s.pairOf[b][k] = found[key]
		}
	}
}

// at bounds all terms over a region. p holds the ranges of the toleranced elements, or nil for
// nominal values. kink describes why a term is not differentiable in the region, or is empty.
func (s *system) at(g region, p []interval.I) (terms []device.IntervalTerm, kink string) {
	l := device.IntervalLoad{X: g.x, Spans: g.spans, Gmin: s.bias.Gmin,
		Branches: make([]device.IntervalTerm, 0, s.nb)}
	next := 0
	for i, d := range s.devs {
		l.Value = nil
		if p != nil && next < len(s.params) && s.params[next].dev == i {
			l.Value = &p[next]
			next++
		}
		d.LoadInterval(&l)
	}
	return l.Branches, l.Kink
}

// factor assembles and factors the matrix of the midpoint derivatives. It returns the derivatives,
// indexed by term*Vars + control.
func (s *system) factor(terms []device.IntervalTerm) ([]float64, error) {
	clear(s.a)
	slope := make([]float64, s.nb*interval.Vars)
	for b := range terms {
		t := &terms[b]
		for k := range t.Count {
			g := t.Controls[k].Slope.Mid()
			slope[b*interval.Vars+k] = g
			if t.Controls[k].P == t.Controls[k].N {
				continue
			}
			sl := &s.slots[b][k]
			s.a[sl[0]] += g
			s.a[sl[1]] -= g
			s.a[sl[2]] -= g
			s.a[sl[3]] += g
		}
	}
	s.a[0] = 0
	if err := s.lu.Factor(s.a); err != nil {
		return nil, errSingular
	}
	return slope, nil
}

// newton refines x for the parameter values p by undamped Newton iteration. x must be near the
// solution.
func (s *system) newton(x, p []float64) ([]float64, error) {
	x = append([]float64(nil), x...)
	f, dx := make([]float64, s.n+1), make([]float64, s.n+1)
	var box []interval.I
	if p != nil {
		box = pointIntervals(p)
	}
	last := math.Inf(1)
	for range 40 {
		if err := s.checkDeadline(); err != nil {
			return nil, err
		}
		terms, _ := s.at(region{x: pointIntervals(x)}, box)
		if _, err := s.factor(terms); err != nil {
			return nil, err
		}
		clear(f)
		for b := range terms {
			v := terms[b].Value.Interval().Mid()
			f[terms[b].P] += v
			f[terms[b].N] -= v
		}
		f[0] = 0
		s.lu.Solve(f, dx)
		worst := 0.0
		for i := 1; i <= s.n; i++ {
			x[i] -= dx[i]
			if math.IsNaN(x[i]) || math.Abs(x[i]) > 1e30 {
				return nil, errSingular
			}
			worst = math.Max(worst, math.Abs(dx[i])/(1e-12+math.Abs(x[i])))
		}
		if worst < 1e-13 || worst < 1e-7 && worst >= last {
			return x, nil
		}
		last = worst
	}
	return nil, errSingular
}

// continuation follows the solution from x at the parameters p to the parameters q. It tries one
// step and, if this step fails, sixteen steps.
func (s *system) continuation(x, p, q []float64) ([]float64, error) {
	y, err := s.newton(x, q)
	if err == nil || !errors.Is(err, errSingular) {
		return y, err
	}
	const steps = 16
	mid := make([]float64, len(p))
	for k := 1; k <= steps; k++ {
		for j := range p {
			mid[j] = p[j] + (q[j]-p[j])*float64(k)/steps
		}
		if k == steps {
			copy(mid, q)
		}
		if x, err = s.newton(x, mid); err != nil {
			return nil, err
		}
	}
	return x, nil
}
