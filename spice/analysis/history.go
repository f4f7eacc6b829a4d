package analysis

import "math"

// depth is how many accepted points the formulas look back: the error of order 4 takes the
// fifth difference.
const depth = 5

// slots is how many points there is room for, a power of two: the points go round in it.
const slots = 8

// history is the past of a transient run, newest first. Charges and their currents lie one
// beside the other, in the order of places, because every step goes through all of them.
type history struct {
	h       [depth]float64   // lengths of the last steps; h[0] led to the last point
	xs      [slots][]float64 // the solutions of the points; the last one's is at latest
	charges [slots][]float64 // their charges, C, and fluxes, Wb
	flows   [slots][]float64 // the currents of the charges, A
	latest  int
	states  [2][]float64 // all states of the last two; states[0] is Load.Last
	spare   []float64
	places  []int // of the charges in the states; the current follows each
	points  int   // points that belong to this stretch, its start included
}

func newHistory(states, unknowns int, places []int) (p history) {
	p.places = places
	p.spare = make([]float64, states)
	for k := range p.states {
		p.states[k] = make([]float64, states)
	}
	for k := range slots {
		p.xs[k], p.charges[k], p.flows[k] = make([]float64, unknowns), make([]float64, len(places)), make([]float64, len(places))
	}
	return p
}

// x is the solution of the point n before the last.
func (p *history) x(n int) []float64 { return p.xs[(p.latest+n)%slots] }

// charge gives the charges of the point n before the last.
func (p *history) charge(n int) []float64 { return p.charges[(p.latest+n)%slots] }

// current gives the currents of the charges at the point n before the last.
func (p *history) current(n int) []float64 { return p.flows[(p.latest+n)%slots] }

// begin makes the present solution the only point.
func (p *history) begin(states, x []float64) {
	p.h, p.points = [depth]float64{}, 1
	for k := range p.states {
		copy(p.states[k], states)
	}
	for k := range slots {
		copy(p.xs[k], x)
		p.gather(p.charges[k], states, 0)
		p.gather(p.flows[k], states, 1)
	}
}

// gather copies what stands the given distance behind the places of the charges.
func (p *history) gather(into, states []float64, behind int) {
	into = into[:len(p.places)]
	for k, q := range p.places {
		into[k] = states[q+behind]
	}
}

// push takes the states and the charges of a new point, h behind the last, and gives room for
// those of the next.
func (p *history) push(states, charge, x []float64, h float64) (statesRoom, chargeRoom []float64) {
	statesRoom = p.spare
	p.spare, p.states[1], p.states[0] = p.states[1], p.states[0], states
	copy(p.h[1:], p.h[:depth-1])
	p.h[0] = h
	p.latest = (p.latest + slots - 1) % slots
	chargeRoom, p.charges[p.latest] = p.charges[p.latest], charge
	copy(p.xs[p.latest], x)
	p.gather(p.flows[p.latest], states, 1)
	p.points++
	return statesRoom, chargeRoom
}

// pop forgets the last point, once.
func (p *history) pop() {
	p.states[0], p.states[1] = p.states[1], p.states[0]
	copy(p.h[:], p.h[1:])
	p.h[depth-1] = 0
	p.latest = (p.latest + 1) % slots
	p.points--
}

// ages are the distances of the last points from a new one, h ahead; the first is its own.
func (p *history) ages(h float64) (t [depth + 1]float64) {
	t[1] = h
	for j := 2; j <= depth; j++ {
		t[j] = t[j-1] + p.h[j-2]
	}
	return t
}

// slope gives the weights of a new value and the k before it in the derivative, at the new
// point, of the polynomial through them: the backward differentiation formula of order k.
func (p *history) slope(h float64, k int) (w [depth + 1]float64) {
	if p.level(h, k-1) {
		w = evenSlope(k)
		for j := range w {
			w[j] /= h
		}
		return w
	}
	t := p.ages(h)
	for j := 1; j <= k; j++ {
		above, below := 1.0, t[j]
		for m := 1; m <= k; m++ {
			if m != j {
				above *= t[m]
				below *= t[m] - t[j]
			}
		}
		w[0] += 1 / t[j]
		w[j] = -above / below
	}
	return w
}

// ahead gives the weights of the last d+1 values in the polynomial through them, continued
// to a new point.
func (p *history) ahead(h float64, d int) (w [depth + 1]float64) {
	if p.level(h, d) {
		return evenAhead(d)
	}
	t := p.ages(h)
	for j := 1; j <= d+1; j++ {
		above, below := 1.0, 1.0
		for m := 1; m <= d+1; m++ {
			if m != j {
				above *= t[m]
				below *= t[m] - t[j]
			}
		}
		w[j] = above / below
	}
	return w
}

// unit gives the weight, times the n-th power of h, of a new value in the divided difference
// of order n of it and the n before it. What the value differs from the polynomial through
// those, continued, has the same weight: the difference is linear, and that of the polynomial is 0.
func (p *history) unit(h float64, n int) float64 {
	if p.level(h, n-1) {
		return [...]float64{1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120}[n]
	}
	t := p.ages(h)
	above, below := 1.0, 1.0
	for _, age := range t[1 : n+1] {
		above *= h
		below *= age
	}
	return above / below
}

// evenSlope gives the weights of slope over even steps, times the step.
func evenSlope(k int) [depth + 1]float64 {
	switch k {
	case 1:
		return [depth + 1]float64{1, -1}
	case 2:
		return [depth + 1]float64{1.5, -2, 0.5}
	case 3:
		return [depth + 1]float64{11.0 / 6, -3, 1.5, -1.0 / 3}
	}
	return [depth + 1]float64{25.0 / 12, -4, 3, -4.0 / 3, 0.25}
}

// evenAhead gives the weights of ahead over even steps.
func evenAhead(d int) [depth + 1]float64 {
	switch d {
	case 1:
		return [depth + 1]float64{0, 2, -1}
	case 2:
		return [depth + 1]float64{0, 3, -3, 1}
	case 3:
		return [depth + 1]float64{0, 4, -6, 4, -1}
	}
	return [depth + 1]float64{0, 5, -10, 10, -5, 1}
}

// level tells whether the last n steps were exactly as long as h.
func (p *history) level(h float64, n int) bool {
	for _, g := range p.h[:n] {
		if g != h {
			return false
		}
	}
	return true
}

// even tells whether the last n steps were as long as h.
func (p *history) even(h float64, n int) bool {
	for _, g := range p.h[:n] {
		if math.Abs(g-h) > 1e-6*h {
			return false
		}
	}
	return true
}
