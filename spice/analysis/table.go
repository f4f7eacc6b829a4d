package analysis

import (
	"math"
	"sort"
)

// table holds the result of a transient row by row. Each row contains the time and then the
// vectors.
type table struct {
	width int
	data  []float64
	limit int     // largest number of stored values
	first int     // number of rows of the first allocation
	stop  float64 // time of the last expected row [s], used to grow the table; 0 if unknown
	// bound holds, for each vector, the largest distance of a removed row from the straight line
	// between two kept rows, relative to the peak-to-peak value. It is nil if no row was removed.
	bound []float64
	// extremesOnly is true for each vector whose kept rows hold only the minima and maxima of short
	// intervals.
	extremesOnly []bool
}

// worst returns the largest bound of all vectors and whether extremesOnly is set for any vector.
func (t *table) worst() (bound float64, extremesOnly bool) {
	for c, b := range t.bound {
		bound, extremesOnly = max(bound, b), extremesOnly || t.extremesOnly[c]
	}
	return bound, extremesOnly
}

func (t *table) rows() int { return len(t.data) / t.width }

// add appends a row with the time [s] and the unknowns of x at the given indices.
func (t *table) add(time float64, x []float64, index []int) {
	row := t.extend(time)
	for k, i := range index {
		row[k] = x[i]
	}
}

// extend appends a row with the time [s] and returns its other values, which the caller sets. It
// decimates the table if the limit is reached.
func (t *table) extend(time float64) []float64 {
	if len(t.data)+t.width > t.limit {
		t.decimate(max(2, t.rows()/2))
	}
	n := len(t.data)
	if n+t.width > cap(t.data) {
		t.grow(time)
	}
	t.data = t.data[:n+t.width]
	t.data[n] = time
	return t.data[n+1:]
}

// grow allocates room for the rows still expected at a time [s], which are one to three times the
// existing ones.
func (t *table) grow(time float64) {
	n := len(t.data)
	more := n
	if n == 0 {
		more = t.first * t.width
	} else if time > 0 && t.stop > time {
		more = int(float64(n) * min(max(1.1*t.stop/time-1, 1), 3))
	}
	more = max(min(more, t.limit-n), t.width)
	// Unlike slices.Grow, make does not clear memory that is fresh from the operating system, so
	// rows that are never reached occupy no pages.
	data := make([]float64, n, n+more)
	copy(data, t.data)
	t.data = data
}

// drop removes the last n rows.
func (t *table) drop(n int) { t.data = t.data[:max(0, len(t.data)-n*t.width)] }

// from removes the rows before a time [s].
func (t *table) from(start float64) {
	r := sort.Search(t.rows(), func(r int) bool { return t.data[r*t.width] >= start })
	t.data = t.data[r*t.width:]
}

// split moves the columns from width on into traces and copies the time column.
func (t *table) split(width int, traces []Trace) {
	if len(traces) == 0 {
		return
	}
	n := t.rows()
	for k := range traces {
		c := 0
		if k > 0 {
			c = width + k - 1
		}
		traces[k].Real = make([]float64, n)
		for r := range n {
			traces[k].Real[r] = t.data[r*t.width+c]
		}
	}
	for r := range n {
		copy(t.data[r*width:(r+1)*width], t.data[r*t.width:r*t.width+width])
	}
	t.data, t.width = t.data[:n*width], width
	if t.bound != nil {
		t.bound, t.extremesOnly = t.bound[:width], t.extremesOnly[:width]
	}
}

// ranges returns the minimum and the maximum of every column.
func (t *table) ranges() (lo, hi []float64) {
	w := t.width
	lo, hi = append([]float64(nil), t.data[:w]...), append([]float64(nil), t.data[:w]...)
	for data := t.data; len(data) >= w; data = data[w:] {
		for c, v := range data[:w] {
			if v < lo[c] {
				lo[c] = v
			}
			if v > hi[c] {
				hi[c] = v
			}
		}
	}
	return lo, hi
}

// spans returns the peak-to-peak value of every column.
func (t *table) spans() []float64 {
	lo, hi := t.ranges()
	for c := range hi {
		hi[c] -= lo[c]
	}
	return hi
}

// vectors converts the table to one vector per column. cols holds the names and units of the
// columns after the time.
func (t *table) vectors(cols []Vector) []Vector {
	out := append([]Vector{{Name: "time", Unit: "s"}}, cols...)
	n := t.rows()
	for c := range out {
		out[c].Values = make([]float64, n)
	}
	// A block of rows stays in the CPU cache while all columns read it.
	const block = 32
	for first := 0; first < n; first += block {
		end := min(first+block, n)
		for c := range out {
			at := first*t.width + c
			values := out[c].Values[first:end]
			for r := range values {
				values[r] = t.data[at]
				at += t.width
			}
		}
	}
	return out
}

// normalizedDifference returns the largest difference between t and a finer table at aligned times,
// relative to each vector's peak-to-peak value. It also returns the column, 0 without a difference.
// floor holds the lower limit of each peak-to-peak value.
//
// The finer table is interpolated linearly or by a parabola with the smaller of the adjacent second
// differences, whichever is closer. A value may be shifted in time by the largest of three times.
// They are the alignment's drift up to that point, its window, and jumpStep of the stop time, the
// shortest step that resolves a jump.
func (t *table) normalizedDifference(fine *table, a alignment, floor []float64) (worst float64,
	column int) {
	w, n := t.width, fine.rows()
	if n < 2 || t.rows() < 2 {
		return 0, 0
	}
	window := max(a.window, jumpStep*fine.data[(n-1)*w])
	span := make([]float64, w)
	lo, hi := t.ranges()
	for c := 1; c < w; c++ {
		// A constant vector with roundoff has no waveform to compare.
		if r := hi[c] - lo[c]; r > 1e-6*max(hi[c], -lo[c]) {
			span[c] = max(r, floor[c-1])
		}
	}
	k := 0
	for r := range t.rows() {
		row := t.data[r*w : (r+1)*w]
		time := row[0]
		if a.at != nil {
			time = a.at[r]
		}
		if time > fine.data[(n-1)*w] {
			break
		}
		for k+2 < n && fine.data[(k+1)*w] < time {
			k++
		}
		d, c := fine.rowDifference(k, row, time, span, worst, max(a.drift*time, window))
		if worst = d; c > 0 {
			column = c
		}
	}
	return worst, column
}

// rowDifference compares a row with the values of t at a time [s] between rows k and k+1. A value
// may be shifted by at most window [s]. It returns the larger of worst and the largest difference
// relative to the spans. The column is that of the difference, or 0 if worst is larger.
func (t *table) rowDifference(k int, row []float64, time float64, span []float64,
	worst, window float64) (largest float64, column int) {
	w := t.width
	t0, t1 := t.data[k*w], t.data[(k+1)*w]
	f := 1.0
	if t1 > t0 {
		f = min(max((time-t0)/(t1-t0), 0), 1)
	}
	v0, v1 := t.data[k*w:(k+1)*w], t.data[(k+1)*w:(k+2)*w]
	for c := 1; c < w; c++ {
		// Linear interpolation is cheap and suffices for most columns.
		d := math.Abs(row[c] - v0[c] - f*(v1[c]-v0[c]))
		if d <= worst*span[c] || span[c] == 0 {
			continue
		}
		d = min(d, math.Abs(row[c]-t.interpolate(k, c, time)))
		if d > 1e-4*span[c] && d > worst*span[c] {
			d = min(d, t.differenceInWindow(k, c, time, window, row[c]))
		}
		if d > worst*span[c] {
			worst, column = d/span[c], c
		}
	}
	return worst, column
}

// differenceInWindow returns the distance of v from the range of column c within a window [s]
// around a time between rows k and k+1. It samples at most 2000 rows of the window.
func (t *table) differenceInWindow(k, c int, time, window, v float64) float64 {
	w, n := t.width, t.rows()
	first := sort.Search(k, func(r int) bool { return t.data[r*w] >= time-window })
	// last is exclusive.
	last := k + sort.Search(n-k, func(r int) bool { return t.data[(k+r)*w] > time+window })
	at := func(time float64, k int) float64 { return t.interpolate(min(max(k, 0), n-2), c, time) }
	x := at(max(time-window, t.data[0]), first-1)
	low, high := x, x
	x = at(min(time+window, t.data[(n-1)*w]), last-1)
	low, high = min(low, x), max(high, x)
	for r, step := first, max(1, (last-first)/2000); r < last; r += step {
		x := t.data[r*w+c]
		low, high = min(low, x), max(high, x)
	}
	return max(0, low-v, v-high)
}

// interpolate returns column c at a time [s] between rows k and k+1. It uses a parabola with the
// smaller of the adjacent second differences.
func (t *table) interpolate(k, c int, time float64) float64 {
	w := t.width
	at := func(r int) (float64, float64) { return t.data[r*w], t.data[r*w+c] }
	t0, v0 := at(k)
	t1, v1 := at(k + 1)
	if !(t1 > t0) {
		return v1
	}
	f := min(max((time-t0)/(t1-t0), 0), 1)
	slope := (v1 - v0) / (t1 - t0)
	bend := math.Inf(1)
	if k > 0 {
		if tp, vp := at(k - 1); tp < t0 {
			bend = (slope - (v0-vp)/(t0-tp)) / (t1 - tp)
		}
	}
	if k+2 < t.rows() {
		if tn, vn := at(k + 2); tn > t1 {
			if b := ((vn-v1)/(tn-t1) - slope) / (tn - t0); math.Abs(b) < math.Abs(bend) {
				bend = b
			}
		}
	}
	if math.IsInf(bend, 0) {
		bend = 0
	}
	return v0 + f*(v1-v0) - bend*f*(1-f)*(t1-t0)*(t1-t0)
}
