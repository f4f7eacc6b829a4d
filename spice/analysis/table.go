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

// distance is the largest difference between t and a finer table at t's times, as a
// fraction of each vector's peak-to-peak value.
func (t *table) distance(fine *table) float64 {
	worst := 0.0
	for c := 1; c < t.width; c++ {
		lo, hi, most, big := math.Inf(1), math.Inf(-1), 0.0, 0.0
		k := 0
		for r := range t.rows() {
			time, v := t.data[r*t.width], t.data[r*t.width+c]
			for k+2 < fine.rows() && fine.data[(k+1)*t.width] < time {
				k++
			}
			if k+1 >= fine.rows() {
				break
			}
			t0, t1 := fine.data[k*t.width], fine.data[(k+1)*t.width]
			v0, v1 := fine.data[k*t.width+c], fine.data[(k+1)*t.width+c]
			f := 0.0
			if t1 > t0 {
				f = math.Min(math.Max((time-t0)/(t1-t0), 0), 1)
			}
			most = math.Max(most, math.Abs(v-v0-f*(v1-v0)))
			lo, hi = math.Min(lo, v), math.Max(hi, v)
			big = math.Max(big, math.Abs(v))
		}
		// A vector that only trembles around a constant has no shape to be wrong about.
		if span := hi - lo; span > 1e-6*big && most > 0 {
			worst = math.Max(worst, most/span)
		}
	}
	return worst
}
