package analysis

import (
	"math"
	"slices"
	"sort"
)

// All vectors share the time of a row, so a vector with too many oscillations for the rows would
// coarsen all others. Decimation first keeps the rows for the vectors that need few. The remaining
// rows draw the other vectors at the finest common bound that fits. Where an eighth of the
// peak-to-peak value does not fit, they keep the smallest and largest values instead.
const (
	// faithful is the interpolation error up to which a vector counts as drawn faithfully, as a
	// fraction of its peak-to-peak value.
	faithful = 1e-3
	// finest and coarsest limit the search for a bound: exponents of 2, times 1e-6.
	finest, coarsest = 0, 17
)

// decimate removes rows until at most most are left.
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
	// A row of extremes between the ends of a line doubles the error bound of the line. Vectors
	// that cannot be drawn faithfully are drawn at the finest bound that fits.
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

// retain keeps the given rows. faithful is the error bound of the drawn columns, and eps bounds the
// error of the other columns.
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

// fitColumns adds columns to the drawn ones, in the order of the rows that each needs. At most most
// rows draw them all: each drawn column within its bound in miss, the new ones within eps.
func (t *table) fitColumns(spans []float64, drawn []int, miss []float64, columns []int,
	eps float64, most int) (
	served []int, bounds []float64, others []int,
) {
	cost := map[int]int{}
	var fit []int
	with := func(more []int) []int {
		return t.swingingDoor(append(slices.Clone(drawn), more...),
			append(slices.Clone(miss), t.tolerances(spans, more, eps)...), most)
	}
	for _, c := range columns {
		if keep := with([]int{c}); keep != nil {
			fit, cost[c] = append(fit, c), len(keep)
		} else {
			others = append(others, c)
		}
	}
	slices.SortStableFunc(fit, func(a, b int) int { return cost[a] - cost[b] })
	n := sort.Search(len(fit), func(k int) bool { // the first number of columns too many, less one
		return with(fit[:k+1]) == nil
	})
	others = append(others, fit[n:]...)
	slices.Sort(others)
	return append(slices.Clone(drawn), fit[:n]...),
		append(slices.Clone(miss), t.tolerances(spans, fit[:n], eps)...), others
}

// commonBound returns the rows that draw some columns faithfully and the others within eps. eps is
// 1e-6 times the smallest power of two, at or above the given exponent, that limits the result to
// most rows. keep is nil if even 1/8 does not suffice.
func (t *table) commonBound(spans []float64, drawn, others []int, most, from int) (
	keep []int, eps float64,
) {
	columns := append(slices.Clone(drawn), others...)
	fails, holds := from-1, coarsest+1
	// The strides grow until the smallest sufficient exponent is enclosed, then bisection follows.
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

// tolerances returns the error bound of each column: the fraction eps of its span.
func (t *table) tolerances(spans []float64, columns []int, eps float64) []float64 {
	miss := make([]float64, len(columns))
	for k, c := range columns {
		miss[k] = eps * spans[c]
	}
	return miss
}

// swingingDoor selects rows for some columns by the swinging-door method (Bristol, ISA Transactions
// 1990). Each row narrows the range of slopes of lines from the last kept row that pass all rows
// within miss. When the range is empty, the row before is kept. It returns nil when more than most
// rows would remain.
func (t *table) swingingDoor(columns []int, miss []float64, most int) []int {
	n, w := t.rows(), t.width
	keep := []int{0}
	lo, hi := make([]float64, len(columns)), make([]float64, len(columns))
	open := func() {
		for k := range lo {
			lo[k], hi[k] = math.Inf(-1), math.Inf(1)
		}
	}
	open()
	at := t.data[:w]
	// narrow returns false when a slope is outside of the range; the range is then invalid.
	narrow := func(row []float64) bool {
		dt := row[0] - at[0]
		if !(dt > 0) {
			return false
		}
		from, lo, hi, miss := at[:len(row)], lo[:len(columns)], hi[:len(columns)],
			miss[:len(columns)]
		per := 1 / dt
		for k, c := range columns {
			slope, d := (row[c]-from[c])*per, miss[k]*per
			l, h := lo[k], hi[k]
			if slope < l || slope > h {
				return false
			}
			if slope-d > l {
				lo[k] = slope - d
			}
			if slope+d < h {
				hi[k] = slope + d
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

// minMaxDecimated divides the rows into intervals of equal length. It returns, for each, the rows
// with the smallest and the largest value of every given column: the envelope of an oscillation.
// Where most does not suffice for one interval, it returns rows at equal distances.
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
