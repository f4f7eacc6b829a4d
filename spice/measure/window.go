package measure

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"slipstick/spice/analysis"
	"slipstick/spice/netlist"
)

// reduce computes avg, rms, integ, pp, max, min, max_at and min_at of a series within the window of
// the measure. The values at the edges of the window are interpolated. All values are exact for the
// interpolated series.
func (r *run) reduce(m *netlist.Measure, s *series) (float64, error) {
	lo, hi, err := r.window(m, s)
	if err != nil {
		return 0, err
	}
	w := s.window(lo, hi)
	switch m.Kind {
	case "integ":
		if r.kind == "noise" { // LTspice: the total of the densities
			return w.totalNoise(), nil
		}
		return w.mean(m.Kind)
	case "avg", "rms":
		return w.mean(m.Kind)
	}
	low, lowAt, high, highAt := w.extremes()
	switch m.Kind {
	case "max":
		return high, nil
	case "min":
		return low, nil
	case "max_at":
		return highAt, nil
	case "min_at":
		return lowAt, nil
	case "pp":
		return high - low, nil
	}
	return 0, fmt.Errorf("%s is unknown", m.Kind)
}

// extremes returns the smallest and the largest value of the series and their positions.
func (s *series) extremes() (low, lowAt, high, highAt float64) {
	low, lowAt, high, highAt = s.y[0], s.x[0], s.y[0], s.x[0]
	include := func(x, y float64) {
		if y < low {
			low, lowAt = y, x
		}
		if y > high {
			high, highAt = y, x
		}
	}
	for i := 1; i < len(s.x); i++ {
		if x, y, ok := s.extreme(i); ok {
			include(x, y)
		}
		include(s.x[i], s.y[i])
	}
	return low, lowAt, high, highAt
}

// window returns the sweep values of the edges of the window, limited to the run.
func (r *run) window(m *netlist.Measure, s *series) (lo, hi float64, err error) {
	first, last := s.x[0], s.x[len(s.x)-1]
	lo, hi = first, last
	if m.From != nil {
		if lo, err = r.number(m.From); err != nil {
			return 0, 0, err
		}
	}
	if m.To != nil {
		if hi, err = r.number(m.To); err != nil {
			return 0, 0, err
		}
	}
	if m.When != nil {
		if lo, err = r.eventTime(m.When, nil, nil); err != nil {
			return 0, 0, fmt.Errorf("trig: %w", err)
		}
	} else if m.Targ != nil && r.descending {
		lo = last
	}
	if m.Targ != nil {
		if hi, err = r.eventTime(m.Targ, nil, nil); err != nil {
			return 0, 0, fmt.Errorf("targ: %w", err)
		}
	} else if m.When != nil && r.descending {
		hi = first
	}
	if r.descending && lo > hi {
		lo, hi = hi, lo // from= and to= are in the order of the sweep
	}
	if lo > hi {
		if m.When != nil || m.Targ != nil {
			return 0, 0, fmt.Errorf("trig at %s is after targ at %s", number(lo), number(hi))
		}
		return 0, 0, fmt.Errorf("from %s is after to %s", number(lo), number(hi))
	}
	slack := 1e-9 * math.Max(math.Abs(first), math.Abs(last))
	if lo > last+slack || hi < first-slack {
		return 0, 0,
			fmt.Errorf("the window from %s to %s lies outside the analysis, which covers %s to %s",
				number(lo), number(hi), number(first), number(last))
	}
	if lo < first-slack || hi > last+slack {
		r.warn(
			fmt.Sprintf("line %d: the window of measure %s reaches beyond the analysis and is cut to %s to %s", m.Line, m.Name,
				number(math.Max(lo, first)), number(math.Min(hi, last))))
	}
	return math.Min(math.Max(lo, first), last), math.Max(math.Min(hi, last), first), nil
}

// window returns the part of the series between the sweep values lo and hi, with interpolated end
// points.
func (s *series) window(lo, hi float64) *series {
	if lo == s.x[0] && hi == s.x[len(s.x)-1] {
		return s
	}
	from := sort.Search(len(s.x), func(i int) bool { return s.x[i] > lo })
	to := max(from, sort.SearchFloat64s(s.x, hi))
	w := &series{phase: s.phase, x: make([]float64, 1, to-from+2), y: make([]float64, 1, to-from+2)}
	w.x[0], w.y[0] = lo, s.value(lo)
	w.x, w.y = append(w.x, s.x[from:to]...), append(w.y, s.y[from:to]...)
	if s.curvature != nil {
		w.curvature = append([]float64{0}, s.curvature[from:to]...)
	}
	if hi > lo {
		w.x, w.y = append(w.x, hi), append(w.y, s.value(hi))
		if s.curvature != nil {
			w.curvature = append(w.curvature, s.curvature[min(to, len(s.curvature)-1)])
		}
	}
	return w
}

// mean returns the average, the integral or the RMS value of the series, for kind avg, integ or
// rms. A segment from a to b contributes (a+b)/2, or (a²+ab+b²)/3 for RMS, times its length. Its
// bend c changes this by -c/6, or by -c·(a+b)/6 + c²/30.
func (s *series) mean(kind string) (float64, error) {
	sum := 0.0
	for i := 1; i < len(s.x); i++ {
		a, b, c, h := s.y[i-1], s.y[i], s.bend(i), s.x[i]-s.x[i-1]
		if kind == "rms" {
			sum += h * ((a*a+a*b+b*b)/3 - c*(a+b)/6 + c*c/30)
		} else {
			sum += h * ((a+b)/2 - c/6)
		}
	}
	length := s.x[len(s.x)-1] - s.x[0]
	if kind == "integ" {
		return sum, nil
	}
	if !(length > 0) {
		return 0, errors.New("the window has no length")
	}
	if kind == "rms" {
		return math.Sqrt(math.Max(sum/length, 0)), nil
	}
	return sum / length, nil
}

// totalNoise returns the square root of the integral of the squared series. As in .noise, the
// square between two points is a power of the frequency.
func (s *series) totalNoise() float64 {
	sum := 0.0
	for i := 1; i < len(s.x); i++ {
		sum += analysis.PowerLaw(s.x[i-1], s.x[i], s.y[i-1]*s.y[i-1], s.y[i]*s.y[i])
	}
	return math.Sqrt(sum)
}
