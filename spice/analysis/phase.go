package analysis

import "math"

// phaseError splits the error of an autonomous circuit into a time shift and a remainder. The
// derivative x' of the solution satisfies the variational equation itself. The error component
// along x' therefore grows without bound while the waveform stays accurate. See Demir, Mehrotra and
// Roychowdhury, IEEE Trans. CAS-I 47, 2000. This component is removed from the carried error as it
// arises.
type phaseError struct {
	shift  []timeShift // accumulated time shift, in ascending order of time
	errors []rowError  // errors of the outputs in each row, without the time shift
	rows   int         // index of the last recorded row of the result
	least  float64     // smallest error to record, relative to the range so far
	length float64     // length of the orbit so far, in units of the output ranges
}

// rowError is the magnitude [V or A] of the error of one column in one row of the result.
type rowError struct {
	row, column int32
	size        float64
}

// errorCount is the largest number of stored errors. They occupy at most 8 MB.
const errorCount = 500_000

// timeShift is the accumulated shift [s] of the solution at a time [s].
type timeShift struct{ at, shift float64 }

// split removes the error component along x' after an accepted step of h [s] that ends at time t
// [s].
func (v *variation) split(st *stepper, t, h float64) {
	p, main, c := v.phase, &st.charges.past, &st.chord
	if v.void {
		return
	}
	x0, x1 := main.x(0), main.x(1)
	along, square, largest := 0.0, 0.0, 0.0
	for k, i := range c.outputs {
		width := max(c.high[k]-c.low[k], c.floor[k])
		slope, e := (x0[i]-x1[i])/(h*width), v.e[i]/width
		along += slope * e
		square += slope * slope
		largest = max(largest, math.Abs(e))
	}
	if !(largest <= 1e6) {
		v.void = true
		return
	}
	speed := math.Sqrt(square)
	p.length += speed * h
	if math.Abs(along) < shiftedError*speed || speed*t < leastSpeed*p.length || square == 0 {
		return
	}
	shift := along / square
	total := shift
	if n := len(p.shift); n > 0 {
		total += p.shift[n-1].shift
	}
	p.shift = append(p.shift, timeShift{t, total})
	for i := range v.e {
		v.e[i] -= shift * (x0[i] - x1[i]) / h
	}
	own := &v.charges.past
	copy(own.x(0), v.e)
	for j := range maxBDF {
		errors, currents := own.charge(j), main.current(j)
		for k := range errors {
			errors[k] -= shift * currents[k]
		}
	}
	errors, i0, i1 := own.current(0), main.current(0), main.current(1)
	for k := range errors {
		errors[k] -= shift * (i0[k] - i1[k]) / h
	}
}

// record stores the errors of the outputs for a row of the result. It marks the error as void if
// more than errorCount errors are significant.
func (v *variation) record(st *stepper) {
	p, c := v.phase, &st.chord
	p.rows++
	for k, i := range c.outputs {
		e := math.Abs(v.e[i])
		if e < p.least*(c.high[k]-c.low[k]) {
			continue
		}
		if len(p.errors) == errorCount {
			v.void = true
			return
		}
		p.errors = append(p.errors, rowError{int32(p.rows), int32(k + 1), e})
	}
}

// dropRow removes the errors of the last recorded row.
func (p *phaseError) dropRow() {
	n := len(p.errors)
	for n > 0 && p.errors[n-1].row == int32(p.rows) {
		n--
	}
	p.errors = p.errors[:n]
	p.rows--
}

// shiftAt returns the accumulated shift [s] at time t [s].
func (p *phaseError) shiftAt(t float64) (shift float64) {
	for _, s := range p.shift {
		if s.at > t {
			break
		}
		shift = s.shift
	}
	return shift
}

// periodError returns the largest relative error of any period of the given length [s] that starts
// at or after from [s]. Errors of opposite sign do not cancel here as they would in the mean over
// many periods.
func (p *phaseError) periodError(from, period float64) (worst float64) {
	before, k := p.shiftAt(from), 0
	for _, s := range p.shift {
		for ; k < len(p.shift) && p.shift[k].at <= s.at-period; k++ {
			if p.shift[k].at > from {
				before = p.shift[k].shift
			}
		}
		if s.at > from {
			worst = max(worst, math.Abs(s.shift-before)/period)
		}
	}
	return worst
}

// estimate returns the larger of the relative error of the period and the largest error of the
// waveform, relative to each vector's peak-to-peak value. Values may be shifted in time by up to
// periodEventTolerance of a period. floor holds the lower limit [V or A] of each peak-to-peak
// value.
//
// ok is false if the result has a time shift but no sustained oscillation. It is also false for an
// unfinished result (finished is false) in which less than half of the rising columns oscillate.
// Early in the run only the supply current has enough periods, and its frequency is a multiple of
// the oscillation frequency.
func (p *phaseError) estimate(out *table, floor []float64, finished bool) (worst float64,
	ok bool) {
	if out.rows() == 0 { // the run has not reached the start time of the card
		return 0, false
	}
	end := out.data[len(out.data)-out.width]
	window := jumpStep * end
	period := 0.0 // longest period [s]; a supply current can have a fraction of this period
	steady, rising := 0, 0
	for _, times := range out.crossings() {
		if len(times) > 0 {
			rising++
		}
		if times = after(times, end/2); jitter(times) < periodJitter {
			period = max(period, meanInterval(times))
			steady++
		}
	}
	if !finished && 2*steady < rising {
		return 0, false
	}
	if period > 0 {
		window = max(window, periodEventTolerance*period)
		worst = p.periodError(end/2, period)
	} else if len(p.shift) > 0 {
		return 0, false
	}
	if p.rows != out.rows()-1 {
		return 0, false
	}
	lo, hi := out.ranges()
	for _, e := range p.errors {
		c := int(e.column)
		span := hi[c] - lo[c]
		if !(span > 1e-6*max(hi[c], -lo[c])) {
			continue
		}
		if span = max(span, floor[c-1]); e.size > worst*span {
			worst = max(worst, out.outsideWindow(int(e.row), c, window, e.size, worst*span)/span)
		}
	}
	return worst, true
}

// outsideWindow reduces the error e of column c in row r by the range of the column within window
// [s] before and after the row. At most windowRows rows on each side are considered. If the reduced
// error does not exceed least, outsideWindow may return any value from 0 to least.
func (t *table) outsideWindow(r, c int, window, e, least float64) float64 {
	w, n := t.width, t.rows()
	time, v := t.data[r*w], t.data[r*w+c]
	reach := 0.0
	for _, step := range [...]int{-1, 1} {
		lo, hi := v, v
		for k, rows := r, 0; k+step >= 0 && k+step < n && rows < windowRows; k, rows = k+step,
			rows+1 {
			at, x := t.data[(k+step)*w], t.data[(k+step)*w+c]
			if d := math.Abs(at - time); d > window {
				last, from := t.data[k*w+c], math.Abs(t.data[k*w]-time)
				x = last + (x-last)*(window-from)/(d-from)
				lo, hi = min(lo, x), max(hi, x)
				break
			}
			lo, hi = min(lo, x), max(hi, x)
			if e-(hi-lo) <= least {
				return 0
			}
		}
		reach = max(reach, hi-lo)
	}
	return max(0, e-reach)
}
