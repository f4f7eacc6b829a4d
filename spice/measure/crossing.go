package measure

import (
	"errors"
	"fmt"
	"math"

	"slipstick/spice/netlist"
)

// eventTime returns the sweep value at which an event occurs. from and to limit the range of
// crossings and may be nil.
func (r *run) eventTime(e *netlist.Event, from, to *netlist.Formula) (float64, error) {
	if e.At != nil {
		at, err := r.number(e.At)
		if err != nil {
			return 0, err
		}
		if len(r.x) > 0 {
			return at, (&series{x: r.x}).checkRange(at)
		}
		return at, nil
	}
	s, err := r.crossingFunction(e)
	if err != nil {
		return 0, err
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, b := range [...]struct {
		f   *netlist.Formula
		low bool
	}{{from, true}, {e.Delay, true}, {to, false}} {
		if b.f == nil {
			continue
		}
		v, err := r.number(b.f)
		if err != nil {
			return 0, err
		}
		if b.low {
			lo = math.Max(lo, v)
		} else {
			hi = math.Min(hi, v)
		}
	}
	if r.descending && lo > hi {
		lo, hi = hi, lo // from= and to= are in the order of the sweep
	}
	if r.descending && e.Delay != nil {
		return 0, errors.New("td= has no meaning in a sweep that runs downwards")
	}
	return r.crossing(s, e, lo, hi)
}

// crossingFunction returns the series that is 0 where the event occurs.
func (r *run) crossingFunction(e *netlist.Event) (*series, error) {
	left, err := r.series(e.Left)
	if err != nil {
		return nil, err
	}
	s := &series{x: left.x, y: append([]float64(nil), left.y...), phase: left.phase}
	if e.Right != nil {
		o, err := r.series(e.Right)
		if err != nil {
			return nil, err
		}
		for i := range s.y {
			s.y[i] -= o.y[i]
		}
	} else {
		level, err := r.number(e.Value)
		if err != nil {
			return nil, err
		}
		for i := range s.y {
			s.y[i] -= level
		}
	}
	if s.phase {
		for i := range s.y {
			s.y[i] = wrap(s.y[i])
		}
	}
	r.addCurvature(s)
	return s, nil
}

// A series starts on the level if the magnitude of its first value is at most levelTol times its
// largest magnitude. It departs immediately if a value within the first fraction departureTol of
// the sweep is off the level.
const (
	levelTol     = 1e-9
	departureTol = 1e-4
)

// initialSide returns the side of the level from which the series crosses it at the first point: -1
// for below and 1 for above. Only a series that starts on the level and departs immediately has
// such a side; for other series initialSide returns 0. It sets the first value exactly to the
// level. If back is true, the series is read from its end.
func (s *series) initialSide(back bool) float64 {
	n, most := len(s.y), 0.0
	for _, y := range s.y {
		most = math.Max(most, math.Abs(y))
	}
	index := func(i int) int {
		if back {
			return n - 1 - i
		}
		return i
	}
	left := 0
	for left < n && math.Abs(s.y[index(left)]) <= levelTol*most {
		left++
	}
	if left == 0 || left == n {
		return 0
	}
	rest, whole := s.x[index(left)]-s.x[index(0)], s.x[n-1]-s.x[0]
	if left > 1 && math.Abs(rest) > departureTol*math.Abs(whole) {
		return 0
	}
	away := math.Copysign(1, s.y[index(left)])
	s.y[index(0)] = 0
	for i := 1; i < left; i++ {
		s.y[index(i)] = math.Copysign(math.SmallestNonzeroFloat64, away)
	}
	return -away
}

// crossing returns the sweep value of crossing number e.Count of s between lo and hi. s is 0 on the
// level.
//
// A series that starts on the level and departs immediately crosses it there, as a sine does.
// ngspice counts only rising crossings there. A series that first stays on the level does not cross
// it when it departs. A series that ends on the level has crossed it.
func (r *run) crossing(s *series, e *netlist.Event, lo, hi float64) (float64, error) {
	n := len(s.x)
	if n < 2 {
		return 0, errors.New("a crossing needs at least two points")
	}
	// side is -1 below the level, 1 above, 0 if unknown
	side, count, last := s.initialSide(r.descending), 0, 0.0
	pass := func(p piece) bool {
		y0, y1 := p.y0, p.y1
		if s.phase && math.Abs(y1-y0) > 180 {
			side, y0 = 0, y1 // a phase wrap at ±180° is not a crossing
		}
		if r.descending {
			y0, y1 = y1, y0
		}
		if y0 == 0 && y1 == 0 {
			return false
		}
		if side == 0 && y0 != 0 {
			side = math.Copysign(1, y0)
		}
		if side == 0 || side*y1 > 0 {
			return false
		}
		up := side < 0
		side = 0
		if y1 != 0 {
			side = math.Copysign(1, y1)
		} else {
			// The series has reached the level. The next crossing requires a return to the former
			// side.
			side = map[bool]float64{true: 1, false: -1}[up]
		}
		at := s.zero(p)
		if at < lo || at > hi || e.Edge == "rise" && !up || e.Edge == "fall" && up {
			return false
		}
		count, last = count+1, at
		return count == e.Count
	}
	reached := 0.0
	for _, y := range s.y {
		reached = max(reached, reachedTol*math.Abs(y))
	}
	found := false
	if r.descending {
		for i := n - 1; i >= 1 && !found; i-- {
			whole, _ := s.pieces(i, 0) // sweeps are straight lines
			found = pass(whole[0])
		}
	} else {
		for i := 1; i < n && !found; i++ {
			parts, k := s.pieces(i, reached)
			for _, p := range parts[:k] {
				found = found || pass(p)
			}
		}
	}
	if found || e.Count < 0 && count > 0 {
		return last, nil
	}
	return 0, r.noCrossing(s, e, count, !math.IsInf(lo, 0) || !math.IsInf(hi, 0))
}

// noCrossing returns the error for a missing crossing. count is the number of crossings that were
// found, and windowed reports whether a window was given.
func (r *run) noCrossing(s *series, e *netlist.Event, count int, windowed bool) error {
	what := e.Left.Text + " never passes "
	if e.Right != nil {
		what += e.Right.Text
	} else {
		v, _ := r.number(e.Value)
		what += number(v)
	}
	what += map[string]string{"rise": " rising", "fall": " falling", "cross": ""}[e.Edge]
	if count > 0 {
		return fmt.Errorf("%s %d times, only %d", what, e.Count, count)
	}
	if windowed {
		what += " in the time or range given"
	}
	lo, _, hi, _ := s.extremes()
	if e.Right != nil || s.phase || lo*hi < 0 {
		return errors.New(what)
	}
	v, _ := r.number(e.Value)
	return fmt.Errorf("%s; it stays between %s and %s", what, number(lo+v), number(hi+v))
}
