package analysis

import "math"

// phaseError splits the error of an autonomous circuit into a shift in time and the rest. The
// derivative x' of the solution obeys the variational equation itself, so the error grows along it
// without a bound while the shape of the oscillation is exact (A. Demir, A. Mehrotra and J.
// Roychowdhury, IEEE Trans. CAS-I 47, 2000). The part along x' is removed from the carried error
// as it appears.
type phaseError struct {
	shift  []timeShift // steps of the shift, in the order of time
	errors []rowError  // of the outputs in the rows of the result, without the shift
	rows   int         // rows recorded
	least  float64     // smallest recorded error, a fraction of the range so far
	length float64     // length of the orbit so far, in ranges of the outputs
}

// rowError is the magnitude of the error [V or A] of a column in a row of the result.
type rowError struct {
	row, column int32
	size        float64
}

// errorCount limits the stored errors: 8 MB.
const errorCount = 500_000

// timeShift is the total shift [s] that the error has at a time [s].
type timeShift struct{ at, shift float64 }

// split removes the part along x' after an accepted step of h [s] to the time t [s].
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
	for j := range depth {
		errors, currents := own.charge(j), main.current(j)
		for k := range errors {
			errors[k] -= shift * currents[k]
		}
	}
	for k := range v.load.PrevState {
		v.load.PrevState[k] -= shift * (main.states[0][k] - main.states[1][k]) / h
	}
}

// record adds the errors of the outputs in a row of the result. The error is void when too many are
// large.
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

// dropRow removes the last recorded row.
func (p *phaseError) dropRow() {
	n := len(p.errors)
	for n > 0 && p.errors[n-1].row == int32(p.rows) {
		n--
	}
	p.errors = p.errors[:n]
	p.rows--
}

// shiftAt returns the total shift [s] at a time [s].
func (p *phaseError) shiftAt(t float64) (shift float64) {
	for _, s := range p.shift {
		if s.at > t {
			break
		}
		shift = s.shift
	}
	return shift
}

// periodError returns the largest relative error of a period [s] that begins at the time from [s]
// or later. Errors of opposite sign do not cancel, as they do in the mean over many periods.
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

// estimate returns the relative error of the period, or the largest error of the shape relative to
// each vector's peak-to-peak value. Values may be early or late by periodEventTolerance. ok is
// false if the result has a shift but no lasting oscillation. ok is also false if an unfinished
// result oscillates in less than half of its rising columns: early on, only the supply current has
// enough periods, and its frequency is a multiple.
func (p *phaseError) estimate(out *table, floor []float64, finished bool) (worst float64,
	ok bool) {
	end := out.data[len(out.data)-out.width]
	window := jumpStep * end
	period := 0.0 // the longest one, because a supply current has a multiple of the frequency
	steady, rising := 0, 0
	for _, times := range out.crossings() {
		if len(times) > 0 {
			rising++
		}
		if times = after(times, end/2); jitter(times) < periodJitter {
			period = max(period, mean(times))
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
			worst = max(worst, out.outsideWindow(int(e.row), c, window, e.size)/span)
		}
	}
	return worst, true
}

// outsideWindow reduces an error e of column c at row r by the range of the column within a time
// [s] before and after it, limited to windowRows rows on each side.
func (t *table) outsideWindow(r, c int, window, e float64) float64 {
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
		}
		reach = max(reach, hi-lo)
	}
	return max(0, e-reach)
}
