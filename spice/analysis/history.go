package analysis

import "math"

// depth is how many accepted points the formulas look back: the error of order 4 takes the
// fifth difference.
const depth = 5

// history is the past of a transient run, newest first.
type history struct {
	h      [depth]float64   // lengths of the last steps; h[0] led to the last point
	states [depth][]float64 // the last points' states; states[0] is Load.Last
	spare  []float64
	x      [depth][]float64 // and solutions
	points int              // points that belong to this stretch, its start included
}

func newHistory(states, unknowns int) (p history) {
	p.spare = make([]float64, states)
	for k := range p.states {
		p.states[k] = make([]float64, states)
		p.x[k] = make([]float64, unknowns)
	}
	return p
}

// begin makes the present solution the only point.
func (p *history) begin(states, x []float64) {
	p.h, p.points = [depth]float64{}, 1
	for k := range p.states {
		copy(p.states[k], states)
		copy(p.x[k], x)
	}
}

// push takes the states of a new point, h behind the last, and gives room for the next.
func (p *history) push(states, x []float64, h float64) []float64 {
	oldest, room := p.x[depth-1], p.spare
	p.spare = p.states[depth-1]
	copy(p.states[1:], p.states[:depth-1])
	copy(p.x[1:], p.x[:depth-1])
	copy(p.h[1:], p.h[:depth-1])
	p.states[0], p.x[0], p.h[0] = states, oldest, h
	copy(p.x[0], x)
	p.points++
	return room
}

// pop forgets the last point.
func (p *history) pop() {
	newest, x := p.states[0], p.x[0]
	copy(p.states[:], p.states[1:])
	copy(p.x[:], p.x[1:])
	copy(p.h[:], p.h[1:])
	p.states[depth-1], p.x[depth-1], p.h[depth-1] = newest, x, 0
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
