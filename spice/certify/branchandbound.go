package certify

import (
	"errors"
	"fmt"
	"math"

	"slipstick/spice/interval"
)

const (
	maxSubBoxes = 3000 // largest number of boxes examined per end of the range
	// boundTol is the largest difference between a bound and an attained value, relative to their
	// larger magnitude plus 1 mV.
	boundTol       = 1e-9
	maxTrialRadius = 1e9 // largest half-width [V or A] of a trial box
)

// search bounds the output of any circuit by branch and bound.
//
// Krawczyk's operator over the parameter box and a ball of unknowns proves that every choice of
// parameters has exactly one solution in the ball. The output is then a smooth function of the
// parameters, and the adjoint bounds its derivatives. A parameter whose derivative has a constant
// sign is fixed at an end of its range. The remaining box is bisected, lowest bound first, until
// the bound meets an attained value or the budget ends. The bound is valid at any time.
type search struct {
	s      *system
	out    int
	root   *subBox
	sign   float64 // +1 minimizes the output, -1 maximizes it
	best   float64 // smallest attained sign·output
	bestAt []float64
	budget int // number of boxes that may still be examined
}

// subBox is a box of parameters with bounds on the output.
type subBox struct {
	p     []interval.I
	at    []float64 // parameter values of the point at which the equations are solved
	fixed []bool    // p[j] is fixed at an end of its range
	x     []float64 // floating-point solution at the point
	proof *solutionBox
	low   float64   // lower bound on sign·output
	gain  []float64 // largest change [V] of the output caused by each free parameter
	done  bool      // set if every parameter is fixed
	stuck bool      // set if the box could not be split
}

// search computes the range of the output, which is the unknown with index out.
func (t *Tolerance) search(s *system, out int) error {
	root := &subBox{fixed: make([]bool, len(s.params))}
	for _, p := range s.params {
		root.p = append(root.p, p.box)
		root.at = append(root.at, p.nominal)
	}
	x, err := s.newton(s.bias.X, root.at)
	if err != nil {
		return err
	}
	root.x = x
	base := &search{s: s, out: out, root: root}
	if _, err := base.prove(root); err != nil {
		if errors.Is(err, errWide) {
			return fmt.Errorf("it cannot be shown that there is exactly one operating point for all values within the tolerances; smaller tolerances may help")
		}
		return err
	}
	var ends [2]float64
	exact := true
	for k, sign := range [2]float64{1, -1} {
		q := &search{s: s, out: out, root: root, sign: sign, best: math.Inf(1), budget: maxSubBoxes}
		low, sharp, err := q.run()
		if err != nil {
			return err
		}
		ends[k], exact = sign*low, exact && sharp
		if k == 0 {
			t.WorstLow = s.corner(q.bestAt)
		} else {
			t.WorstHigh = s.corner(q.bestAt)
		}
	}
	method := "bisection"
	if exact {
		method = "corner solves"
	}
	return t.finish(interval.Of(ends[0], ends[1]), method)
}

// prove runs Krawczyk's test for a box and returns an enclosure of the output at its point. The
// solution at the point must be enclosed in the boxes of root and c. Both boxes contain exactly one
// solution in their interior for every choice of parameters. Two solution branches that agree at
// one point therefore agree in the whole box.
func (q *search) prove(c *subBox) (centre interval.I, err error) {
	f, err := q.s.precondition(c.x, pointIntervals(c.at))
	if err != nil {
		return centre, err
	}
	point, err := f.krawczyk(pointIntervals(c.at), maxTrialRadius, floorPoint)
	if err != nil {
		return centre, err
	}
	floor := floorPart
	if c == q.root {
		floor = floorBox
	}
	if c.proof, err = f.krawczyk(c.p, maxTrialRadius, floor); err != nil {
		return centre, err
	}
	tight, own := point.box(), c.proof.box()
	home := q.root.proof.box()
	for i := 1; i < len(tight); i++ {
		if !tight[i].Within(home[i]) || c != q.root && !tight[i].Within(own[i]) {
			return centre, errWide
		}
	}
	return point.solution(q.out), nil
}

// slope bounds the derivative of sign·output with respect to parameter j over the box c.
func (q *search) slope(c *subBox, j int) interval.I {
	p, b := &q.s.params[j], c.proof
	d := b.adjoint(q.out, p.a, p.b)
	switch p.kind {
	case 'i':
		d = d.Neg()
	case 'r': // the current is g·u, and dg/dR = -g/R
		g := b.terms[p.branch].Controls[0].Slope
		d = d.Mul(b.difference(p.a, p.b)).Mul(g.Div(c.p[j]))
	}
	return d.Scale(q.sign)
}

// examine bounds sign·output in a box. First it fixes every parameter whose derivative has a
// constant sign, at the end of its range with the lowest sign·output.
func (q *search) examine(c *subBox) error {
	for {
		q.budget--
		centre, err := q.prove(c)
		if err != nil {
			return err
		}
		centre = centre.Scale(q.sign)
		if centre.Hi < q.best {
			q.best, q.bestAt = centre.Hi, append([]float64(nil), c.at...)
		}
		mean := centre
		moved, open := false, false
		p, at := append([]interval.I(nil), c.p...), append([]float64(nil), c.at...)
		c.gain = make([]float64, len(c.p))
		for j := range c.p {
			if c.fixed[j] {
				// A fixed parameter is at an end of its range. Its interval includes the rounding
				// of this end and is therefore wider than the single value in at.
				mean = mean.Add(q.slope(c, j).Mul(c.p[j].AddF(-c.at[j])))
				continue
			}
			d := q.slope(c, j)
			mean = mean.Add(d.Mul(c.p[j].AddF(-c.at[j])))
			c.gain[j] = d.Mag() * c.p[j].Radius()
			if d.Lo >= 0 || d.Hi <= 0 {
				c.fixed[j], moved = true, true
				p[j], at[j] = q.end(c.p[j], j, d.Hi <= 0)
				continue
			}
			open = true
		}
		c.low = math.Max(mean.Lo, c.proof.solution(q.out).Scale(q.sign).Lo)
		if !moved {
			c.done = !open
			return nil
		}
		x, err := q.s.continuation(c.x, c.at, at)
		if err != nil {
			return err
		}
		c.p, c.at, c.x = p, at, x
	}
}

// end returns the low or the high end of the range box of parameter j, as an interval and as a
// double. It is the exact end of the tolerance, or the double at which a box was split.
func (q *search) end(box interval.I, j int, high bool) (interval.I, float64) {
	p := &q.s.params[j]
	switch {
	case high && box.Hi == p.box.Hi:
		return p.ends[1], p.hi
	case !high && box.Lo == p.box.Lo:
		return p.ends[0], p.lo
	case high:
		return interval.Point(box.Hi), box.Hi
	}
	return interval.Point(box.Lo), box.Lo
}

// run returns a lower bound on sign·output. sharp reports whether the bound is the minimum apart
// from rounding.
func (q *search) run() (low float64, sharp bool, err error) {
	first := &subBox{p: append([]interval.I(nil), q.root.p...),
		at: append([]float64(nil), q.root.at...), fixed: make([]bool, len(q.root.p)), x: q.root.x}
	if err := q.examine(first); err != nil {
		// The root is proven. Only the continuation to its corner failed.
		if first.proof == nil || !q.isRecoverable(err) {
			return 0, false, err
		}
		first = q.rootBound()
	}
	list := []*subBox{first}
	for {
		k := 0
		for i, c := range list {
			if c.low < list[k].low {
				k = i
			}
		}
		c := list[k]
		near := q.best-c.low <= boundTol*(1e-3+math.Max(math.Abs(q.best), math.Abs(c.low)))
		if c.done || c.stuck || near || q.budget <= 0 {
			return c.low, c.done || near, nil
		}
		children, err := q.split(c)
		if err != nil {
			return 0, false, err
		}
		if children == nil {
			c.stuck = true
			continue
		}
		list = append(list[:k], list[k+1:]...)
		for _, d := range children {
			if d.low <= q.best {
				list = append(list, d)
			}
		}
	}
}

// isRecoverable reports whether a valid but wider bound remains after err.
func (q *search) isRecoverable(err error) bool {
	var kink kinkError
	return errors.Is(err, errWide) || errors.Is(err, errSingular) || errors.Is(err, errBudget) ||
		errors.As(err, &kink)
}

// rootBound returns the root box with the bound from its Krawczyk proof.
func (q *search) rootBound() *subBox {
	y := q.root.proof.solution(q.out).Scale(q.sign)
	if q.bestAt == nil {
		q.bestAt = append([]float64(nil), q.root.at...)
	}
	return &subBox{low: y.Lo, stuck: true}
}

// split bisects a box along the free parameter with the largest influence. A half that cannot be
// examined keeps the bound of the whole box. split returns nil if no parameter can be bisected or
// if both halves fail.
func (q *search) split(c *subBox) ([]*subBox, error) {
	at := -1
	for j, g := range c.gain {
		if !c.fixed[j] && (at < 0 || g > c.gain[at]) {
			at = j
		}
	}
	if at < 0 {
		return nil, nil
	}
	mid := c.p[at].Mid()
	if !(c.p[at].Lo < mid && mid < c.p[at].Hi) {
		return nil, nil
	}
	var out []*subBox
	failed := 0
	for _, half := range [2]interval.I{{Lo: c.p[at].Lo, Hi: mid}, {Lo: mid, Hi: c.p[at].Hi}} {
		d := &subBox{p: append([]interval.I(nil), c.p...), at: append([]float64(nil), c.at...),
			fixed: append([]bool(nil), c.fixed...)}
		d.p[at], d.at[at] = half, half.Mid()
		x, err := q.s.continuation(c.x, c.at, d.at)
		if err == nil {
			d.x = x
			err = q.examine(d)
		}
		if err != nil {
			if !q.isRecoverable(err) {
				return nil, err
			}
			d.stuck, d.done, d.low = true, false, c.low
			failed++
		}
		d.low = math.Max(d.low, c.low)
		out = append(out, d)
	}
	if failed == 2 {
		return nil, nil
	}
	return out, nil
}
