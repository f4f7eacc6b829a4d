package analysis

import "math"

// The straight lines between the rows of a result are a part of its error. The step control limits
// the chord error of each step, relative to the range so far and with margins for kinks. The error
// estimate uses the rows themselves.

// totalError returns the estimated error of the result, including that of its straight lines,
// relative to each vector's peak-to-peak value. estimate is the error at the time points. If
// carried is set, it is the carried error, and the error of the lines of the same vector is added.
// Otherwise it is a difference of two runs, and the larger of both errors counts.
func (st *stepper) totalError(estimate float64, carried bool) float64 {
	out, drawn := st.out, st.chord.drawn
	if out.bound != nil {
		return max(estimate, drawn, leastCarried)
	}
	period := 0.0
	if st.autonomous {
		period = out.longestPeriod()
	}
	floor := st.chord.smallestRanges()
	lines := out.lineErrors(floor, st.window, period, st.chord.currentNoise)
	largest := 0.0
	for _, e := range lines {
		largest = max(largest, e)
	}
	if st.radau != nil { // its estimate includes drawn, and its lines have no kinks
		return max(estimate-max(0, drawn-largest), leastCarried)
	}
	if v := st.variation; carried && v.phase == nil {
		estimate = v.estimate(out, floor, lines)
	}
	return max(estimate, largest, leastCarried)
}

// currentNoise returns the least significant range [V or A] of a column of the result in a step of
// h [s]: the rounding error of the charges of capacitors is noise in a current. It is 0 for
// voltages.
func (c *chordControl) currentNoise(column int, h float64) float64 {
	k := column - 1
	if !c.branch[k] {
		return 0
	}
	noise := c.roundoff / h
	if h < c.noiseStep {
		noise = max(noise, c.noise[k]/h)
	}
	return noise
}

// longestPeriod returns the longest mean period [s] of the columns with a sustained oscillation in
// the second half of the run, or 0.
func (t *table) longestPeriod() (period float64) {
	end := t.data[len(t.data)-t.width]
	for _, times := range t.crossings() {
		if times = after(times, end/2); jitter(times) < periodJitter {
			period = max(period, meanInterval(times))
		}
	}
	return period
}

// lineErrors returns the largest error of the straight lines between the rows in each column,
// relative to its peak-to-peak value. floor holds the lower limit [V or A] of each peak-to-peak
// value. A value at a time [s] may be shifted by the window [s] at that time. In an oscillation with
// the given period [s], the error is instead the least d such that every point of the curve is
// within d of a line: in time d of the period, in value d of the peak-to-peak value. noise returns
// the least significant range [V or A] of a column in a line over h [s].
//
// A curve with the divided difference dd₂ is h²/4·dd₂ away from a line over h. The smaller dd₂ of
// the two ends counts, because a kink at a breakpoint coincides with a row. A jump within a line is
// a shift in time, except for the peak that it misses.
func (t *table) lineErrors(floor []float64, window func(time float64) float64, period float64,
	noise func(column int, h float64) float64) (worst []float64) {
	w, n := t.width, t.rows()
	span := t.significantSpans(floor)
	worst = make([]float64, w)
	for k := 1; k+2 < n; k++ {
		rows := t.data[(k-1)*w : (k+3)*w]
		x0, x1, x2, x3 := rows[:w], rows[w:2*w], rows[2*w:3*w], rows[3*w:]
		h1, h2, h3 := x1[0]-x0[0], x2[0]-x1[0], x3[0]-x2[0]
		if !(h1 > 0 && h2 > 0 && h3 > 0) || max(h1, h3) < leastNeighbor*h2 {
			continue
		}
		before, after := math.MaxFloat64, math.MaxFloat64
		if h1 >= leastNeighbor*h2 {
			before = h2 * h2 / (4 * (h1 + h2))
		}
		if h3 >= leastNeighbor*h2 {
			after = h2 * h2 / (4 * (h2 + h3))
		}
		r1, r2, r3 := 1/h1, 1/h2, 1/h3
		for c := 1; c < w; c++ {
			move := x2[c] - x1[c]
			s1, s2, s3 := (x1[c]-x0[c])*r1, move*r2, (x3[c]-x2[c])*r3
			if e := min(math.Abs(s2-s1)*before, math.Abs(s3-s2)*after); kinkGrowth*e > worst[c] {
				e = max(e, t.kinkError(k, c)) / max(1, noise(c, h2)/span[c])
				if period > 0 {
					e /= 1 + math.Abs(s2)*period/span[c]
				} else {
					e = t.outsideWindow(k, c, window(x1[0]), e, worst[c])
				}
				worst[c] = max(worst[c], e)
			}
			if math.Abs(move) > jumpSlope*worst[c] {
				e := missedPeak(s1, s2, s3) * min(h2, h3)
				worst[c] = max(worst[c], e/max(1, noise(c, h2)/span[c]))
			}
		}
	}
	for c := range worst {
		worst[c] /= span[c]
	}
	return worst
}

// kinkError returns the distance of a kink in column c between rows k and k+1 from the line between
// them. The lines before and after intersect at the kink. It is 0 unless the divided difference dd₂
// at both rows exceeds those at the rows next to them by kinkGrowth.
func (t *table) kinkError(k, c int) float64 {
	w := t.width
	if k < 2 || k+3 >= t.rows() {
		return 0
	}
	var h, slope [5]float64
	for j := range slope {
		a, b := t.data[(k+j-2)*w:(k+j-1)*w], t.data[(k+j-1)*w:(k+j)*w]
		h[j] = b[0] - a[0]
		slope[j] = (b[c] - a[c]) / h[j]
	}
	var bend [4]float64
	for j := range bend {
		bend[j] = (slope[j+1] - slope[j]) / (h[j] + h[j+1])
	}
	first, second := slope[2]-slope[1], slope[3]-slope[2]
	if !(first*second > 0) || math.Abs(bend[1]) < kinkGrowth*math.Abs(bend[0]) ||
		math.Abs(bend[2]) < kinkGrowth*math.Abs(bend[3]) {
		return 0
	}
	return math.Abs(first * second / (first + second) * h[2])
}

// missedPeak returns the slope with which a curve can continue backwards, beyond the end of a jump.
// s1, s2 and s3 are the slopes of the lines before, across and after the jump. The result is 0
// without a jump, and if the slope after it has the same sign.
func missedPeak(s1, s2, s3 float64) (slope float64) {
	if s2*s3 >= 0 || math.Abs(s2) < jumpSlope*max(math.Abs(s1), math.Abs(s3)) {
		return 0
	}
	return math.Abs(s3)
}

// significantSpans returns the peak-to-peak value of each column, but at least its floor. It is
// infinite for a constant column with roundoff.
func (t *table) significantSpans(floor []float64) []float64 {
	lo, hi := t.ranges()
	for c := 1; c < t.width; c++ {
		if r := hi[c] - lo[c]; r > 1e-6*max(hi[c], -lo[c]) {
			hi[c] = max(r, floor[c-1])
		} else {
			hi[c] = math.Inf(1)
		}
	}
	return hi
}
