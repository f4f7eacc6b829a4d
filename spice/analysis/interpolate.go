package analysis

import "math"

// Steps of the trapezoidal rule and BDF can be longer than the chord error of the result allows.
// The interpolation polynomial through the points of the formula gives the result between two time
// points (dense output). See Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I,
// section II.6.

// interpolates reports whether the polynomial of formula f describes a step of h [s]. The history
// must have order + 2 points, the formula at least order 2, and the step less than twice the length
// of the previous one.
func (st *stepper) interpolates(h float64, f integrator) bool {
	p := &st.charges.past
	return st.dense && f.order() >= 2 && p.points >= f.order()+2 && h < 2*p.h[0]
}

// interpolatedStep returns the longest step [s] whose result can have points at intervals of gap
// [s]. It is gap if the next formula has no interpolation polynomial.
func (st *stepper) interpolatedStep(gap float64) float64 {
	p := &st.charges.past
	k := st.order.formula(p.points).order()
	if !st.dense || k < 2 || p.points < k+2 {
		return gap
	}
	return max(gap, min(maxLines*gap, maxGrowthCurve*p.h[0]))
}

// interpolationRatio returns the largest error of the interpolation polynomial of order k inside a
// solved step of h [s]. It is divided by the error of the extrapolation to its end. Both errors
// have the divided difference of order k+1 as factor. The largest error is near the middle of the
// step.
func (p *history) interpolationRatio(h float64, k int) float64 {
	t := p.elapsed(h)
	const position = 0.42 // distance from the new point, relative to the step
	back := position * h
	ratio := back / t[k+1]
	for _, age := range t[1 : k+1] {
		ratio *= (age - back) / age
	}
	return math.Abs(ratio)
}

// addInterpolated adds rows to the result that divide an accepted step of h [s], which ends at time
// t [s], into chord.lines equal parts. It does not add the end of the step.
func (st *stepper) addInterpolated(t, h float64) {
	p, k, lines := &st.charges.past, st.formula.order(), st.chord.lines
	shown := st.chord.shown()
	x0, x1, x2, x3, x4 := p.x(0), p.x(1), p.x(2), p.x(3), p.x(4)
	for line := 1; line < lines; line++ {
		rest := h * float64(lines-line) / float64(lines)
		w := p.interpolation(rest, k)
		w1, w2, w3, w4 := w[1], w[2], w[3], w[4]
		row := st.out.extend(t - rest)
		for c, i := range shown {
			x := x0[i]
			row[c] = x + w1*(x1[i]-x) + w2*(x2[i]-x) + w3*(x3[i]-x) + w4*(x4[i]-x)
		}
	}
	if v := st.variation; v != nil && v.phase != nil {
		v.phase.rows += lines - 1
	}
}

// interpolation returns the weights of the polynomial of order k through the last k+1 points at a
// time before the last point. back [s] is the distance to this point. w[0] belongs to the last
// point.
func (p *history) interpolation(back float64, k int) (w [historyDepth]float64) {
	var t [historyDepth]float64 // distances [s] of the points from the last one
	for j := 1; j <= k; j++ {
		t[j] = t[j-1] + p.h[j-1]
	}
	for j := 0; j <= k; j++ {
		w[j] = 1
		for m := 0; m <= k; m++ {
			if m != j {
				w[j] *= (back - t[m]) / (t[j] - t[m])
			}
		}
	}
	return w
}
