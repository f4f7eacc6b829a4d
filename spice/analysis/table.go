package analysis

import "math"

// table holds the rows of a transient: time first, then the vectors, row by row.
type table struct {
	width int
	data  []float64
	limit int // numbers
	// bound is how far, as a fraction of a vector's peak-to-peak value, a straight line
	// between two kept rows may miss a row that was dropped.
	bound float64
}

func (t *table) rows() int { return len(t.data) / t.width }

// add appends a row of time and the given unknowns, thinning when the budget is full.
func (t *table) add(time float64, x []float64, index []int) {
	if len(t.data)+t.width > t.limit {
		t.thin(max(2, t.rows()/2))
	}
	t.data = append(t.data, time)
	for _, i := range index {
		t.data = append(t.data, x[i])
	}
}

// drop removes the last n rows.
func (t *table) drop(n int) { t.data = t.data[:max(0, len(t.data)-n*t.width)] }

// split copies the time and the columns from width on into traces and drops these columns.
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
}

// thin drops rows until at most most are left. A row may go when the straight lines
// between its kept neighbours pass all vectors within eps of their peak-to-peak values;
// eps is the smallest power of two, from 1e-6 on, that suffices.
func (t *table) thin(most int) {
	if t.rows() <= most {
		return
	}
	spans := make([]float64, t.width)
	for c := 1; c < t.width; c++ {
		lo, hi := math.Inf(1), math.Inf(-1)
		for r := c; r < len(t.data); r += t.width {
			lo, hi = math.Min(lo, t.data[r]), math.Max(hi, t.data[r])
		}
		spans[c] = hi - lo
	}
	eps := 1e-6
	keep := t.doors(spans, eps, most)
	for keep == nil {
		if eps *= 2; eps > 4 {
			keep = t.every(most)
			break
		}
		keep = t.doors(spans, eps, most)
	}
	for i, r := range keep {
		copy(t.data[i*t.width:(i+1)*t.width], t.data[r*t.width:(r+1)*t.width])
	}
	t.data = t.data[:len(keep)*t.width]
	t.bound += eps
}

// doors is the swinging-door selection: from the last kept row, the range of slopes that
// passes every row since within eps narrows row by row; when it closes, the row before is
// kept. nil: more than most rows would remain.
func (t *table) doors(spans []float64, eps float64, most int) []int {
	n, w := t.rows(), t.width
	keep := []int{0}
	lo, hi := make([]float64, w), make([]float64, w)
	open := func() {
		for c := range lo {
			lo[c], hi[c] = math.Inf(-1), math.Inf(1)
		}
	}
	open()
	at := t.data[:w]
	for r := 1; r < n; r++ {
		row := t.data[r*w : (r+1)*w]
		dt := row[0] - at[0]
		fits := dt > 0
		for c := 1; c < w && fits; c++ {
			if m := (row[c] - at[c]) / dt; m < lo[c] || m > hi[c] {
				fits = false
			}
		}
		if !fits && r-1 > keep[len(keep)-1] {
			if keep = append(keep, r-1); len(keep) >= most {
				return nil
			}
			at = t.data[(r-1)*w : r*w]
			open()
			dt = row[0] - at[0]
		}
		if dt > 0 {
			for c := 1; c < w; c++ {
				d := eps * spans[c]
				lo[c] = math.Max(lo[c], (row[c]-d-at[c])/dt)
				hi[c] = math.Min(hi[c], (row[c]+d-at[c])/dt)
			}
		}
	}
	if keep[len(keep)-1] != n-1 {
		keep = append(keep, n-1)
	}
	if len(keep) > most {
		return nil
	}
	return keep
}

// every keeps rows at equal distances, the last resort for a tiny most.
func (t *table) every(most int) []int {
	n := t.rows()
	keep := make([]int, 0, most)
	for i := range most {
		keep = append(keep, i*(n-1)/max(1, most-1))
	}
	return keep
}

// vectors gives the table column by column.
func (t *table) vectors(cols []Vector) []Vector {
	out := append([]Vector{{Name: "time", Unit: "s"}}, cols...)
	for c := range out {
		v := make([]float64, 0, t.rows())
		for r := c; r < len(t.data); r += t.width {
			v = append(v, t.data[r])
		}
		out[c].Values = v
	}
	return out
}

// slack is the part of the duration by which a value may be early or late before the
// difference of two runs counts: an edge steeper than that is drawn as a vertical line.
const slack = 2e-5

// distance is the largest difference between t and a finer table at t's times, as a
// fraction of each vector's peak-to-peak value. Between the points of fine the curve is
// taken as the straight line bent by the smaller of the neighbouring second differences.
// A range below floor counts as floor.
func (t *table) distance(fine *table, floor []float64) float64 {
	w, n := t.width, fine.rows()
	if n < 2 || t.rows() < 2 {
		return 0
	}
	worst := 0.0
	window := slack * fine.data[(n-1)*w]
	for c := 1; c < w; c++ {
		lo, hi, most, big := math.Inf(1), math.Inf(-1), 0.0, 0.0
		k := 0
		for r := range t.rows() {
			time, v := t.data[r*w], t.data[r*w+c]
			for k+2 < n && fine.data[(k+1)*w] < time {
				k++
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
			big = math.Max(big, math.Abs(v))
			d := math.Abs(v - fine.bent(k, c, time))
			if d <= most {
				continue
			}
			// Within the window the fine run may have passed the value.
			low, high := math.Inf(1), math.Inf(-1)
			for _, at := range [...]float64{time - window, time + window} {
				j := k
				for j > 0 && fine.data[j*w] > at {
					j--
				}
				for j+2 < n && fine.data[(j+1)*w] < at {
					j++
				}
				x := fine.bent(j, c, at)
				low, high = math.Min(low, x), math.Max(high, x)
				for ; j > 0 && fine.data[j*w] > time; j-- {
					low, high = math.Min(low, fine.data[j*w+c]), math.Max(high, fine.data[j*w+c])
				}
				for j++; j < n && fine.data[j*w] <= time; j++ {
					low, high = math.Min(low, fine.data[j*w+c]), math.Max(high, fine.data[j*w+c])
				}
			}
			most = math.Max(most, math.Min(d, math.Max(0, math.Max(low-v, v-high))))
		}
		// A vector that only trembles around a constant has no shape to be wrong about.
		if span := hi - lo; span > 1e-6*big && most > 0 {
			worst = math.Max(worst, most/math.Max(span, floor[c-1]))
		}
	}
	return worst
}

// bent is column c at a time between rows k and k+1.
func (t *table) bent(k, c int, time float64) float64 {
	w := t.width
	at := func(r int) (float64, float64) { return t.data[r*w], t.data[r*w+c] }
	t0, v0 := at(k)
	t1, v1 := at(k + 1)
	if !(t1 > t0) {
		return v1
	}
	f := math.Min(math.Max((time-t0)/(t1-t0), 0), 1)
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
