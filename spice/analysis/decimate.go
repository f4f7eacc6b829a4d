package analysis

import (
	"math"
	"slices"
	"sort"
)

// All vectors share the time points, so a vector with too many oscillations would degrade all
// others. Decimation first keeps the rows for the vectors that need few rows. The remaining rows
// serve the other vectors with the smallest common error bound that fits. If even a bound of 1/8 of
// the peak-to-peak value does not fit, the rows keep the minima and maxima instead.
const (
	// faithful is the largest interpolation error of a faithfully drawn vector, relative to its
	// peak-to-peak value.
	faithful = 1e-3
	// finest and coarsest limit the search for an error bound of 1e-6·2ⁿ: they are the least and
	// the greatest n.
	finest, coarsest = 0, 17
)

// decimate reduces the number of rows to the limit most.
func (t *table) decimate(most int) {
	if t.rows() <= most {
		return
	}
	if t.bound == nil {
		t.bound, t.extremesOnly = make([]float64, t.width), make([]bool, t.width)
	}
	spans := t.spans()
	all := make([]int, 0, t.width-1)
	for c := 1; c < t.width; c++ {
		all = append(all, c)
	}
	keep, eps := t.commonBound(spans, nil, all, most, finest)
	if keep != nil && eps <= faithful {
		t.retain(keep, nil, all, eps)
		return
	}
	drawn, _, others := t.fitColumns(spans, nil, nil, all, faithful, most-most/4)
	if len(drawn) > 0 {
		keep, eps = t.commonBound(spans, drawn, others, most, 10)
	}
	if keep != nil {
		t.retain(keep, drawn, others, eps)
		return
	}
	// The rows that hold minima and maxima of other vectors split the interpolated segments, which
	// can double the interpolation error; hence the fit uses eps/2. Vectors that do not fit within
	// the bound faithful get the smallest bound for which the rows suffice.
	var miss []float64
	drawn, others = nil, all
	for eps := faithful; eps <= math.Ldexp(1e-6, coarsest) && len(others) > 0; eps *= 2 {
		before := len(drawn)
		drawn, miss, others = t.fitColumns(spans, drawn, miss, others, eps/2, most-most/4)
		for _, c := range drawn[before:] {
			t.bound[c] += eps
		}
	}
	keep = []int{0, t.rows() - 1}
	if len(drawn) > 0 {
		keep = t.swingingDoor(drawn, miss, most)
	}
	if len(others) > 0 {
		keep = append(keep, t.minMaxDecimated(max(0, most-len(keep)), others)...)
	}
	for _, c := range others {
		t.extremesOnly[c] = true
	}
	slices.Sort(keep)
	t.retain(slices.Compact(keep), nil, nil, 0)
}

// retain keeps the given rows. It adds faithful to the error bound of the columns in drawn and eps
// to that of the others.
func (t *table) retain(keep, drawn, others []int, eps float64) {
	for i, r := range keep {
		copy(t.data[i*t.width:(i+1)*t.width], t.data[r*t.width:(r+1)*t.width])
	}
	t.data = t.data[:len(keep)*t.width]
	for _, c := range drawn {
		t.bound[c] += faithful
	}
	for _, c := range others {
		t.bound[c] += eps
	}
}

// fitColumns adds columns to drawn in ascending order of the further rows each needs. It stops when
// the limit of most rows no longer suffices. The columns already in drawn keep their error bounds
// miss; added columns have the bound eps. It returns the drawn columns, their bounds, and the
// columns that did not fit.
func (t *table) fitColumns(spans []float64, drawn []int, miss []float64, columns []int,
	eps float64, most int) (
	served []int, bounds []float64, others []int,
) {
	keep := []int{0, t.rows() - 1}
	if len(drawn) > 0 {
		keep = t.swingingDoor(drawn, miss, most)
	}
	further := t.furtherRows(columns, t.tolerances(spans, columns, eps), keep, most)
	cost := make(map[int]int, len(columns))
	var fit []int
	for k, c := range columns {
		if cost[c] = further[k]; cost[c] <= most {
			fit = append(fit, c)
		} else {
			others = append(others, c)
		}
	}
	slices.SortStableFunc(fit, func(a, b int) int { return cost[a] - cost[b] })
	with := func(more []int) (columns []int, bounds []float64) {
		return append(slices.Clone(drawn), more...),
			append(slices.Clone(miss), t.tolerances(spans, more, eps)...)
	}
	n := sort.Search(len(fit), func(k int) bool { // first k that does not fit
		columns, bounds := with(fit[:k+1])
		return t.swingingDoor(columns, bounds, most) == nil
	})
	others = append(others, fit[n:]...)
	slices.Sort(others)
	served, bounds = with(fit[:n])
	return served, bounds, others
}

// slopes is an interval of the slopes of a line.
type slopes struct{ low, high float64 }

// allSlopes returns the interval of all slopes.
func allSlopes() slopes { return slopes{math.Inf(-1), math.Inf(1)} }

// narrow restricts the interval to the slopes within half of slope. It returns false if slope is
// outside the interval, which is then invalid.
func (s *slopes) narrow(slope, half float64) bool {
	if slope < s.low || slope > s.high {
		return false
	}
	if slope-half > s.low {
		s.low = slope - half
	}
	if slope+half < s.high {
		s.high = slope + half
	}
	return true
}

// door is the state of the swinging-door algorithm for one column: the point at which the line
// begins, and the interval of its slopes.
type door struct {
	time, value float64
	slopes      slopes
	row         int // row of the point
}

// open begins a line at a point.
func (d *door) open(row int, time, value float64) { *d = door{time, value, allSlopes(), row} }

// passes restricts the interval to slopes of lines that pass a later point within miss. It returns
// false if there are none.
func (d *door) passes(time, value, miss float64) bool {
	dt := time - d.time
	return dt > 0 && d.slopes.narrow((value-d.value)/dt, miss/dt)
}

// furtherRows returns how many rows each column needs in addition to the rows keep, if no other
// column is drawn. miss holds the error bounds of the columns. The number is too low if it exceeds
// the limit most.
func (t *table) furtherRows(columns []int, miss []float64, keep []int, most int) []int {
	w := t.width
	doors, further := make([]door, len(columns)), make([]int, len(columns))
	for r := range t.rows() {
		row := t.data[r*w : (r+1)*w]
		kept := len(keep) > 0 && keep[0] == r
		if kept {
			keep = keep[1:]
		}
		for k, c := range columns {
			d := &doors[k]
			if r > 0 && further[k] <= most && !d.passes(row[0], row[c], miss[k]) && r-1 > d.row {
				further[k]++
				d.open(r-1, t.data[(r-1)*w], t.data[(r-1)*w+c])
				d.passes(row[0], row[c], miss[k])
			}
			if kept {
				d.open(r, row[0], row[c])
			}
		}
	}
	return further
}

// commonBound returns the rows to keep so that linear interpolation reproduces the columns in drawn
// within faithful and those in others within eps. eps is the smallest of 1e-6·2ⁿ, n ≥ from, for
// which the number of rows does not exceed most. keep is nil if even eps = 1/8 needs more.
func (t *table) commonBound(spans []float64, drawn, others []int, most, from int) (
	keep []int, eps float64,
) {
	columns := append(slices.Clone(drawn), others...)
	fails, holds := from-1, coarsest+1
	// Growing strides bracket the smallest sufficient exponent; bisection then finds it.
	for probe, stride := max(from, 7), 1; holds-fails > 1; stride *= 2 {
		miss := t.tolerances(spans, drawn, faithful)
		miss = append(miss, t.tolerances(spans, others, math.Ldexp(1e-6, probe))...)
		if kept := t.swingingDoor(columns, miss, most); kept != nil {
			keep, holds = kept, probe
		} else {
			fails = probe
		}
		switch {
		case fails < from:
			probe = max(from, holds-stride)
		case holds > coarsest:
			probe = min(coarsest, fails+stride)
		default:
			probe = (fails + holds) / 2
		}
	}
	return keep, math.Ldexp(1e-6, holds)
}

// tolerances returns the absolute error bound of each given column, which is eps times its entry in
// spans.
func (t *table) tolerances(spans []float64, columns []int, eps float64) []float64 {
	miss := make([]float64, len(columns))
	for k, c := range columns {
		miss[k] = eps * spans[c]
	}
	return miss
}

// swingingDoor selects rows by the swinging-door algorithm (Bristol, ISA Transactions 1990). Each
// row narrows the interval of slopes. A line with such a slope from the last kept row passes every
// row within the error bound miss of its column. When the interval becomes empty, the previous row
// is kept. swingingDoor returns nil if the kept rows exceed the limit most.
func (t *table) swingingDoor(columns []int, miss []float64, most int) []int {
	n, w := t.rows(), t.width
	keep := []int{0}
	intervals := make([]slopes, len(columns))
	open := func() {
		for k := range intervals {
			intervals[k] = allSlopes()
		}
	}
	open()
	at := t.data[:w]
	// narrow restricts the slope intervals to lines that pass within miss of row. It returns false
	// if the slope of a column is outside its interval; the intervals are then invalid.
	narrow := func(row []float64) bool {
		dt := row[0] - at[0]
		if !(dt > 0) {
			return false
		}
		from, intervals, miss := at[:len(row)], intervals[:len(columns)], miss[:len(columns)]
		per := 1 / dt
		for k, c := range columns {
			if !intervals[k].narrow((row[c]-from[c])*per, miss[k]*per) {
				return false
			}
		}
		return true
	}
	for r := 1; r < n; r++ {
		row := t.data[r*w : (r+1)*w]
		if narrow(row) || r-1 <= keep[len(keep)-1] {
			continue
		}
		if keep = append(keep, r-1); len(keep) >= most {
			return nil
		}
		at = t.data[(r-1)*w : r*w]
		open()
		narrow(row)
	}
	if keep[len(keep)-1] != n-1 {
		keep = append(keep, n-1)
	}
	if len(keep) > most {
		return nil
	}
	return keep
}

// minMaxDecimated returns the rows to keep, up to the limit most. It divides the table into
// intervals with equal numbers of rows. From each interval it selects the rows with the minimum and
// the maximum of every given column, which preserves the envelope of an oscillation. If most is too
// small for one interval, it returns equidistant rows.
func (t *table) minMaxDecimated(most int, columns []int) []int {
	n, w := t.rows(), t.width
	keep := make([]int, 0, most)
	intervals := most / (2 * len(columns))
	if intervals < 1 {
		for i := range most {
			keep = append(keep, (i+1)*(n-1)/(most+1))
		}
		return keep
	}
	for s := range intervals {
		from, to := s*n/intervals, (s+1)*n/intervals
		for _, c := range columns {
			low, high := from, from
			for r := from; r < to; r++ {
				if v := t.data[r*w+c]; v < t.data[low*w+c] {
					low = r
				} else if v > t.data[high*w+c] {
					high = r
				}
			}
			keep = append(keep, low, high)
		}
	}
	return keep
}
