package analysis

import (
	"math"
	"slices"
)

// An autonomous circuit oscillates without a clock. A small error of its period accumulates until
// two runs differ by the full amplitude, even if the waveforms agree. Such runs are compared period
// by period, and the relative difference of the periods counts as an error too.

// isAutonomous reports whether no source changes after the first tenth of the simulated time.
func (s *sim) isAutonomous() bool {
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

// alignment maps the times of a coarse run to the times of a fine run.
type alignment struct {
	at     []float64 // time [s] in the fine run for each row of the coarse run; nil for equal times
	drift  float64   // allowed shift of an event as a fraction of the elapsed time
	window float64   // allowed shift [s] of an event
}

// alignPeriods finds an oscillation that both runs share. It returns the possible alignments and
// the relative difference of the mean periods. Without a sustained oscillation it returns no
// alignment.
func (t *table) alignPeriods(fine *table) (alignments []alignment, period float64) {
	end := t.data[len(t.data)-t.width]
	var coarse, exact []float64
	steady := periodJitter // smallest jitter of a column so far
	all, others := t.crossings(), fine.crossings()
	for c := 1; c < t.width; c++ {
		r, e := all[c], others[c]
		if v := max(jitter(after(r, end/2)), jitter(after(e, end/2))); v < steady {
			coarse, exact, steady = r, e, v
		}
	}
	if coarse == nil {
		return nil, 0
	}
	stretch := meanInterval(after(exact, end/2)) / meanInterval(after(coarse, end/2))
	window := periodEventTolerance * meanInterval(after(exact, end/2))
	// pair aligns the crossings of both runs. The time from [s] of the coarse run also corresponds
	// to the time to [s] of the fine run.
	pair := func(from, to float64, coarse, exact []float64) alignment {
		n := min(len(coarse), len(exact))
		times := append([]float64{0, from}, coarse[:n]...)
		theirs := append([]float64{0, to}, exact[:n]...)
		times = append(times, end)
		theirs = append(theirs, exact[n-1]+(end-coarse[n-1])*stretch)
		return alignment{at: t.mapTimes(times, theirs), window: window}
	}
	// During start-up one run may contain one more period than the other.
	r, e := coarse, exact
	for len(r) > 1 && len(e) > 1 && math.Abs(r[1]-e[0]) < math.Abs(r[0]-e[0]) {
		r = r[1:]
	}
	for len(r) > 1 && len(e) > 1 && math.Abs(e[1]-r[0]) < math.Abs(e[0]-r[0]) {
		e = e[1:]
	}
	alignments = append(alignments, pair(0, 0, r, e))
	// The start-up delay from an unstable equilibrium depends on rounding, but the growth before
	// the first crossing does not. Align the runs backward from the first crossing.
	for _, skip := range [][2]int{{0, 0}, {1, 0}, {0, 1}} {
		r, e := coarse[skip[0]:], exact[skip[1]:]
		growth := min(r[0], e[0])
		alignments = append(alignments, pair(r[0]-growth, e[0]-growth, r, e))
	}
	return alignments, math.Abs(1/stretch - 1)
}

// mapTimes maps the time [s] of every row by linear interpolation from the times in from to the
// corresponding times in to.
func (t *table) mapTimes(from, to []float64) (at []float64) {
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

// crossings returns the times [s] at which each column rises through the middle of its range after
// it was in the lower quarter. The range covers the second half of the run. The time column has no
// crossings. Rows are read in order, because the table is larger than the CPU caches.
func (t *table) crossings() [][]float64 {
	w, n := t.width, t.rows()
	times := make([][]float64, w)
	lo, hi := make([]float64, w), make([]float64, w)
	hi = hi[:len(lo)]
	for c := range lo {
		lo[c], hi[c] = math.Inf(1), math.Inf(-1)
	}
	half := t.data[(n-1)*w] / 2
	for r := n - 1; r >= 0 && t.data[r*w] >= half; r-- {
		row := t.data[r*w:][:len(lo)]
		for c, v := range row {
			if v < lo[c] {
				lo[c] = v
			}
			if v > hi[c] {
				hi[c] = v
			}
		}
	}
	mid := make([]float64, w)
	quarter, armed := make([]float64, len(mid)), make([]bool, len(mid))
	for c := range mid {
		quarter[c], mid[c] = lo[c]+(hi[c]-lo[c])/4, (lo[c]+hi[c])/2
	}
	quarter[0] = math.Inf(-1)
	for r := 1; r < n; r++ {
		last, now := t.data[(r-1)*w:][:len(mid)], t.data[r*w:][:len(mid)]
		for c, level := range mid {
			v0 := last[c]
			if !armed[c] {
				if !(v0 < quarter[c]) {
					continue
				}
				armed[c] = true
			}
			if v0 < level && now[c] >= level {
				times[c] = append(times[c], last[0]+(level-v0)/(now[c]-v0)*(now[0]-last[0]))
				armed[c] = false
			}
		}
	}
	return times
}

// after returns the times at or after from.
func after(times []float64, from float64) []float64 {
	k, _ := slices.BinarySearch(times, from)
	return times[k:]
}

// jitter returns the largest relative deviation of a period from the mean. It returns 1 for fewer
// than two periods.
func jitter(times []float64) float64 {
	if len(times) < 3 {
		return 1
	}
	m, worst := meanInterval(times), 0.0
	for k := 1; k < len(times); k++ {
		worst = max(worst, math.Abs((times[k]-times[k-1])/m-1))
	}
	return worst
}

// meanInterval returns the mean interval [s] between the times, or infinity for fewer than two
// times.
func meanInterval(times []float64) float64 {
	if len(times) < 2 {
		return math.Inf(1)
	}
	return (times[len(times)-1] - times[0]) / float64(len(times)-1)
}
