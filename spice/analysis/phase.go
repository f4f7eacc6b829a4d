package analysis

import (
	"math"
	"slices"
)

// A circuit that oscillates on its own has no clock: an error of the period, however
// small, adds up, and after some time two runs differ by their whole range though both
// draw the same oscillation. Such runs are compared period by period, and the difference
// of their periods is told beside that of their shapes.

// free tells whether no source moves after the first tenth of the duration.
func (s *sim) free() bool {
	if len(s.nonlinear) == 0 {
		return false
	}
	stop := s.job.Analysis.Stop
	for _, d := range s.timed {
		if !math.IsInf(d.MaxStep(), 1) || d.NextBreak(stop/10) < stop {
			return false
		}
	}
	return true
}

// alignment says which times of two runs belong together.
type alignment struct {
	at     []float64 // time in the finer run of every row of the other; nil: the same
	slack  float64   // how far an event may be off, as a part of the time that has passed
	window float64   // and at any time, s
}

// inPeriod is how far an event may be off in aligned oscillations, as a part of the period.
const inPeriod = 0.003

// align finds an oscillation that two runs share and gives the ways to lay one upon the other,
// with the difference of the mean periods as a part of the period. There is no way when there
// is no lasting oscillation.
func (t *table) align(fine *table) (ways []alignment, period float64) {
	end := t.data[len(t.data)-t.width]
	var rough, exact []float64
	steady := 0.05 // largest deviation of a period from the mean
	for c := 1; c < t.width; c++ {
		r, e := t.crossings(c), fine.crossings(c)
		if v := max(irregular(after(r, end/2)), irregular(after(e, end/2))); v < steady {
			rough, exact, steady = r, e, v
		}
	}
	if rough == nil {
		return nil, 0
	}
	stretch := mean(after(exact, end/2)) / mean(after(rough, end/2))
	window := inPeriod * mean(after(exact, end/2))
	// upon pairs the crossings, given that the two belong together until from and to.
	upon := func(from, to float64, rough, exact []float64) alignment {
		n := min(len(rough), len(exact))
		times := append([]float64{0, from}, rough[:n]...)
		theirs := append([]float64{0, to}, exact[:n]...)
		times, theirs = append(times, end), append(theirs, exact[n-1]+(end-rough[n-1])*stretch)
		return alignment{at: t.moved(times, theirs), window: window}
	}
	// Where an oscillation grows out of nothing, one run may count a period more.
	r, e := rough, exact
	for len(r) > 1 && len(e) > 1 && math.Abs(r[1]-e[0]) < math.Abs(r[0]-e[0]) {
		r = r[1:]
	}
	for len(r) > 1 && len(e) > 1 && math.Abs(e[1]-r[0]) < math.Abs(e[0]-r[0]) {
		e = e[1:]
	}
	ways = append(ways, upon(0, 0, r, e))
	// How long an unstable point is kept is up to rounding. What grows out of it is the same,
	// counted back from the first crossing.
	for _, skip := range [][2]int{{0, 0}, {1, 0}, {0, 1}} {
		r, e := rough[skip[0]:], exact[skip[1]:]
		growth := min(r[0], e[0])
		ways = append(ways, upon(r[0]-growth, e[0]-growth, r, e))
	}
	return ways, math.Abs(1/stretch - 1)
}

// moved is the time of every row, on the lines between pairs of times that belong together.
func (t *table) moved(from, to []float64) (at []float64) {
	k := 0
	for r := 0; r < len(t.data); r += t.width {
		time := t.data[r]
		for k+2 < len(from) && from[k+1] < time {
			k++
		}
		f := 0.0
		if from[k+1] > from[k] {
			f = (time - from[k]) / (from[k+1] - from[k])
		}
		at = append(at, to[k]+f*(to[k+1]-to[k]))
	}
	return at
}

// crossings are the times at which column c rises through the middle of its range of the
// second half, after it was in the lower quarter.
func (t *table) crossings(c int) (times []float64) {
	w, n := t.width, t.rows()
	half := t.data[(n-1)*w] / 2
	lo, hi := math.Inf(1), math.Inf(-1)
	for r := 0; r < n; r++ {
		if v := t.data[r*w+c]; t.data[r*w] >= half {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	mid, armed := (lo+hi)/2, false
	for r := 1; r < n; r++ {
		t0, t1 := t.data[(r-1)*w], t.data[r*w]
		v0, v1 := t.data[(r-1)*w+c], t.data[r*w+c]
		armed = armed || v0 < lo+(hi-lo)/4
		if armed && v0 < mid && v1 >= mid {
			times = append(times, t0+(mid-v0)/(v1-v0)*(t1-t0))
			armed = false
		}
	}
	return times
}

// after gives the times from the given one on.
func after(times []float64, from float64) []float64 {
	k, _ := slices.BinarySearch(times, from)
	return times[k:]
}

// irregular is the largest deviation of a period from their mean, as a part of it; 1 when there are fewer than two.
func irregular(times []float64) float64 {
	if len(times) < 3 {
		return 1
	}
	m, worst := mean(times), 0.0
	for k := 1; k < len(times); k++ {
		worst = max(worst, math.Abs((times[k]-times[k-1])/m-1))
	}
	return worst
}

// mean is the mean distance of the times.
func mean(times []float64) float64 {
	if len(times) < 2 {
		return math.Inf(1)
	}
	return (times[len(times)-1] - times[0]) / float64(len(times)-1)
}
