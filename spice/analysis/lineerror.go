package analysis

import "math"

// The straight lines between the rows of a result are a part of its error. The step control limits
// the chord error of each step, relative to the range so far and with margins for kinks. The error
// estimate uses the rows themselves.

// totalError returns the estimated error of the result, including that of its straight lines,
// relative to each vector's peak-to-peak value. estimate is the error at the time points. If
// carried is set, it is the carried error, and the error of the lines of the same vector is added.
// Otherwise it is a difference of two runs, and the larger of both errors counts. The estimate of
// radau includes the lines.
func (st *stepper) totalError(estimate float64, carried bool) float64 {
	out := st.out
	if out.bound != nil || st.radau != nil {
		return max(estimate, st.chord.drawn, leastCarried)
	}
	l := polyline{table: out, span: out.significantSpans(st.chord.smallestRanges()),
		window: st.window, noise: st.chord.currentNoise}
	if st.autonomous {
		l.period = out.longestPeriod()
	}
	lines := l.errors()
	if v := st.variation; carried && v.phase == nil {
		estimate = v.estimate(l.span, lines)
	}
	for _, e := range lines {
		estimate = max(estimate, e)
	}
	return max(estimate, leastCarried)
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

// polyline is the sequence of straight lines between the rows of a table.
type polyline struct {
	*table
	span []float64 // peak-to-peak value [V or A] of each column
	// window returns the time [s] by which a value at a time [s] may be shifted.
	window func(time float64) float64
	// period is that of an oscillation [s], or 0. Its error is the least d such that every point of
	// the curve is within d of a line: in time d of the period, in value d of peak-to-peak.
	period float64
	// noise returns the least significant range [V or A] of an output in a line over h [s].
	noise func(output int, h float64) float64
}

// errors returns the largest error of the lines in each column, relative to its peak-to-peak value.
// Errors below leastLineError are not searched for.
func (l *polyline) errors() (worst []float64) {
	n, w := l.rows(), l.width
	worst = make([]float64, w)
	for c := range worst {
		worst[c] = leastLineError * l.span[c]
	}
	slope, bend, last := make([]float64, w), make([]float64, w), make([]float64, w)
	slope, bend, last = slope[:len(worst)], bend[:len(worst)], last[:len(worst)]
	h1, h2 := 0.0, 0.0
	for k := -1; k+2 < n; k++ { // the line from row k to k+1; h1 and h3 are those next to it
		x2, x3 := l.data[(k+1)*w:][:len(worst)], l.data[(k+2)*w:][:len(worst)]
		h3 := x3[0] - x2[0]
		before, after := chordFactors(h1, h2, h3)
		r3, g, shift := 1/h3, 1/(h2+h3), 0.0
		if l.period == 0 && h2 <= l.window(x2[0]-h2) {
			shift = h2 // a shift in time explains an error up to the change in the line
		}
		for c := 1; c < len(worst); c++ {
			s2, s3 := slope[c], (x3[c]-x2[c])*r3
			b1, b2 := bend[c], math.Abs(s3-s2)*g
			e := min(b1*before, b2*after)
			least := worst[c]
			bent := kinkGrowth*e > least && (e > least || b1 > kinkGrowth*last[c]) &&
				kinkGrowth*e > least+shift*math.Abs(s2)
			if bent || s2*s3 < 0 && math.Abs(s2)*h2 > jumpSlope*least &&
				math.Abs(s2) > jumpSlope*math.Abs(s3) && before > 0 {
				worst[c] = max(least, l.errorOf(k, c, e, least))
			}
			slope[c], bend[c], last[c] = s3, b2, b1
		}
		h1, h2 = h2, h3
	}
	for c := range worst {
		if worst[c] /= l.span[c]; !(worst[c] > leastLineError) {
			worst[c] = 0
		}
	}
	return worst
}

// chordFactors returns the factors of the divided differences dd₂ at both ends of a line over h2
// [s] in its chord error. h1 and h3 [s] are the lengths of the lines next to it. A curve with the
// divided difference dd₂ is h²/4·dd₂ away from a line over h. The smaller of both errors counts,
// because a kink at a breakpoint coincides with a row. That of a far shorter neighbor is infinite.
// Both are 0 if there is no other.
func chordFactors(h1, h2, h3 float64) (before, after float64) {
	if !(h1 > 0 && h2 > 0 && h3 > 0) || max(h1, h3) < leastNeighbor*h2 {
		return 0, 0
	}
	before, after = h2*h2/4, h2*h2/4
	if h1 < leastNeighbor*h2 {
		before = math.MaxFloat64
	}
	if h3 < leastNeighbor*h2 {
		after = math.MaxFloat64
	}
	return before, after
}

// errorOf returns the error [V or A] of the line from row k to k+1 in column c. chord is its chord
// error. A jump within a line is a shift in time, except for the peak that it misses. If the error
// does not exceed least, errorOf may return any value from 0 to least.
func (l *polyline) errorOf(k, c int, chord, least float64) float64 {
	w := l.width
	var h, slope [5]float64 // from row k-2 on
	for j := max(0, 2-k); j < len(h) && k+j-1 < l.rows(); j++ {
		a, b := l.data[(k+j-2)*w:], l.data[(k+j-1)*w:]
		h[j] = b[0] - a[0]
		slope[j] = (b[c] - a[c]) / h[j]
	}
	e := chord
	if k >= 2 && k+3 < l.rows() {
		e = max(e, kinkError(h, slope))
	}
	noise := max(1, l.noise(c-1, h[2])/l.span[c])
	if e /= noise; l.period > 0 {
		e /= 1 + math.Abs(slope[2])*l.period/l.span[c]
	} else {
		e = l.outsideWindow(k, c, l.window(l.data[k*w]), e, least)
	}
	if slope[2]*slope[3] < 0 &&
		math.Abs(slope[2]) > jumpSlope*max(math.Abs(slope[1]), math.Abs(slope[3])) {
		// The curve can jump at any time in the step and continue with the slope after it.
		e = max(e, math.Abs(slope[3])*min(h[2], h[3])/noise)
	}
	return e
}

// kinkError returns the distance of a kink within a line from this line. h [s] and slope are those
// of the line and of two lines on each side. The lines before and after intersect at the kink. It
// is 0 unless the divided differences dd₂ at both ends exceed those next to them by kinkGrowth.
func kinkError(h, slope [5]float64) float64 {
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
