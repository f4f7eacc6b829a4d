package analysis

import "math"

// localError is the largest error of a charge or flux in this step, were it taken by the
// formula of this order, beside its tolerance.
//
// With dd the divided difference of the last points, backward Euler errs by h²·dd2, the
// trapezoidal rule by h³·dd3/2, and the backward differences of order 2, 3 and 4 by
// 4/3·h³·dd3, 36/11·h⁴·dd4 and 288/25·h⁵·dd5 (Gear 1971, for even steps). The first points of a
// stretch have no third difference and are judged as backward Euler. The tolerance is
// reltol of the range the charge has covered so far: an error is seen beside the signal,
// not beside the bias it rides on. Below chgtol, and below 3e-8 of the charge itself, lies
// what Newton's method leaves open, which is noise to a third difference.
func (st *stepper) localError(h float64, order int) float64 {
	p, k := &st.past, steps(order)
	if p.points < 2 {
		return 0
	}
	if p.points < 3 {
		order, k = euler, 1
	}
	c := [...]float64{1, 0.5, 36.0 / 11, 288.0 / 25}[k-1]
	if order == gear {
		c = 4.0 / 3
	}
	guess := st.guess
	if k != st.foreseen {
		guess = st.sum
		st.foresee(guess, p.ahead(h, k))
	}
	c *= p.unit(h, k+1)
	now, least, worst := st.now[:len(guess)], st.qtol[:len(guess)], 0.0
	for n, g := range guess {
		if e := c * math.Abs(now[n]-g); e > worst*least[n] {
			worst = max(worst, e/st.chargeTolerance(n, now[n]))
		}
	}
	return worst
}

// foresee writes the charges that the given weights of the last ones make.
func (st *stepper) foresee(guess []float64, w [depth + 1]float64) {
	p, m := &st.past, len(guess)
	q1, q2, q3, q4, q5 := p.charge(0)[:m], p.charge(1)[:m], p.charge(2)[:m], p.charge(3)[:m], p.charge(4)[:m]
	w2, w3, w4, w5 := w[2], w[3], w[4], w[5]
	for n, q := range q1 {
		// Differences from the last point: they keep digits that sums of products lose.
		guess[n] = q + w2*(q2[n]-q) + w3*(q3[n]-q) + w4*(q4[n]-q) + w5*(q5[n]-q)
	}
}

// chargeTolerance is the error allowed of charge n, which is now q.
func (st *stepper) chargeTolerance(n int, q float64) float64 {
	hi, lo := st.qhi[n], st.qlo[n]
	size := math.Abs(hi)
	if l := math.Abs(lo); l > size {
		size = l
	}
	if q > hi {
		hi = q
	} else if q < lo {
		lo = q
	}
	reach := hi - lo
	if least := 1e-3 * size; least > reach {
		reach = least
	}
	tol := st.share[n] * st.tight * st.opt.Trtol * st.opt.Reltol * reach
	if least := st.opt.Reltol * st.opt.Chgtol; least > tol {
		tol = least
	}
	if least := 3e-8 * size; least > tol {
		tol = least
	}
	return tol
}

// A charge that takes longer than a hundredth of the duration for its range is slow, and may
// use but a part of the tolerance.
const (
	slowSwing = 0.01
	slowShare = 0.03
)

// shareOut tells the slow charges from the others. What a step misses of the charge of a
// junction is gone with the next edge; what it misses of that of a filter's capacitor, or of the
// flux of its coil, stays and adds up over thousands of steps. Such a charge is smooth:
// most steps miss next to nothing of it, and to take the few that do in smaller pieces costs
// little. How fast a charge can be is its range beside its largest current.
func (st *stepper) shareOut() {
	for k, i := range st.imax {
		share := 1.0
		if st.qhi[k]-st.qlo[k] > slowSwing*st.stop*i {
			share = slowShare
		}
		if st.share[k] != share {
			st.share[k] = share
			st.qtol[k] = st.chargeTolerance(k, st.now[k])
		}
	}
}

// drawing is how far the straight line of this step passes by the curve, beside what is
// allowed, over all vectors of the result. The line misses an arc of second derivative
// 2·dd by dd·h²/4, and what the prediction along the last step's line missed, dd·h·(h+h1),
// shows dd. It steers the step as well: where nothing stores charge, nothing else does.
//
// miss is how far the solution is from where Newton started, beside what a smooth curve may
// show.
func (st *stepper) drawing(h float64) (bow, miss float64) {
	st.newBow = 0
	if st.past.points < 3 {
		return 0, 0
	}
	worst := 0.0
	for k, i := range st.index {
		x, span := st.x[i], st.span(k)
		if d := math.Abs(x - st.line[i]); d > worst*span {
			worst = d / span
		}
		if d := math.Abs(x - st.ahead[k]); d > miss*span {
			miss = d / span
		}
	}
	st.newBow = worst * h / (4 * (h + st.past.h[0])) / (drawn * st.bow)
	return st.newBow, miss / (8 * drawn * st.bow)
}

// drawn is how far the lines of the result may miss its curves, as a part of the range so
// far, in a run of tight = 1.
const drawn = 1e-3

// span is the range that vector k of the result has covered, the present solution included.
func (st *stepper) span(k int) float64 {
	x := st.x[st.index[k]]
	return max(st.xhi[k], x) - min(st.xlo[k], x) + (st.floor[k] + 1e-4*math.Abs(x))
}
