package analysis

import "math"

// depth is how many accepted points the formulas look back: the error of order 4 takes the
// fifth difference.
const depth = 5

// history is the past of a transient run, newest first. Charges and their currents lie one
// beside the other, in the order of places, because every step goes through all of them.
type history struct {
	h       [depth]float64   // lengths of the last steps; h[0] led to the last point
	x       [depth][]float64 // the last points' solutions
	charge  [depth][]float64 // their charges, C, and fluxes, Wb
	current [4][]float64     // the currents of the charges at the last four, A
	states  [2][]float64     // all states of the last two; states[0] is Load.Last
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
	for k := range p.current {
		p.current[k] = make([]float64, len(places))
	}
	for k := range depth {
		p.x[k], p.charge[k] = make([]float64, unknowns), make([]float64, len(places))
	}
	return p
}

// begin makes the present solution the only point.
func (p *history) begin(states, x []float64) {
	p.h, p.points = [depth]float64{}, 1
	for k := range p.states {
		copy(p.states[k], states)
	}
	for k := range p.current {
		p.gather(p.current[k], states, 1)
	}
	for k := range depth {
		copy(p.x[k], x)
		p.gather(p.charge[k], states, 0)
	}
}

// gather copies what stands the given distance behind the places of the charges.
func (p *history) gather(into, states []float64, behind int) {
	into = into[:len(p.places)]
	for k, q := range p.places {
		into[k] = states[q+behind]
	}
}

// push takes the states of a new point, h behind the last, and gives room for the next.
func (p *history) push(states, x []float64, h float64) []float64 {
	room := p.spare
	p.spare, p.states[1], p.states[0] = p.states[1], p.states[0], states
	oldest, charge, current := p.x[depth-1], p.charge[depth-1], p.current[3]
	copy(p.x[1:], p.x[:depth-1])
	copy(p.charge[1:], p.charge[:depth-1])
	copy(p.current[1:], p.current[:3])
	copy(p.h[1:], p.h[:depth-1])
	p.x[0], p.charge[0], p.current[0], p.h[0] = oldest, charge, current, h
	copy(p.x[0], x)
	p.gather(p.charge[0], states, 0)
	p.gather(p.current[0], states, 1)
	p.points++
	return room
}

// pop forgets the last point, once.
func (p *history) pop() {
	states, x, charge, current := p.states[0], p.x[0], p.charge[0], p.current[0]
	p.states[0], p.states[1] = p.states[1], states
	copy(p.x[:], p.x[1:])
	copy(p.charge[:], p.charge[1:])
	copy(p.current[:], p.current[1:])
	copy(p.h[:], p.h[1:])
	p.x[depth-1], p.charge[depth-1], p.current[3], p.h[depth-1] = x, charge, current, 0
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
	t := p.ages(h)
	for j := 1; j <= k; j++ {
		a := 1 / t[j]
		w[0] += a
		for m := 1; m <= k; m++ {
			if m != j {
				a *= t[m] / (t[m] - t[j])
			}
		}
		w[j] = -a
	}
	return w
}

// ahead gives the weights of the last d+1 values in the polynomial through them, continued
// to a new point.
func (p *history) ahead(h float64, d int) (w [depth + 1]float64) {
	t := p.ages(h)
	for j := 1; j <= d+1; j++ {
		w[j] = 1
		for m := 1; m <= d+1; m++ {
			if m != j {
				w[j] *= t[m] / (t[m] - t[j])
			}
		}
	}
	return w
}

// difference gives the weights of a new value and the n before it in their divided
// difference of order n, which is the n-th derivative over n factorial.
func (p *history) difference(h float64, n int) (w [depth + 1]float64) {
	t := p.ages(h)
	for j := 0; j <= n; j++ {
		w[j] = 1
		for m := 0; m <= n; m++ {
			if m != j {
				w[j] /= t[m] - t[j]
			}
		}
	}
	return w
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
