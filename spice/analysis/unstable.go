package analysis

import "fmt"

// Constants for the check of the final point of a transient.
const (
	// restingRange is the largest range of a vector at rest, relative to its largest value.
	restingRange = 1e-4
	// restingFrom is the fraction of the duration from which a circuit at rest is constant.
	restingFrom = 0.5
	// unstableGrowth is the growth exponent, over the duration, of a disturbance that a real
	// circuit would have shown: noise of 1 uV becomes 20 mV.
	unstableGrowth = 10
	// mostRestingUnknowns is the largest circuit that is checked, which takes some 0.1 s.
	mostRestingUnknowns = 100
)

// warnUnstable adds a warning if a circuit rests at an unstable operating point. A symmetric ring
// of inverters stays there, because the equations contain no noise that would start the
// oscillation.
func (s *sim) warnUnstable(st *stepper) {
	if !st.autonomous || s.n > mostRestingUnknowns || !st.out.isConstantFrom(restingFrom*st.stop) {
		return
	}
	p, err := s.pencil()
	if err != nil {
		return // a line or a delay has no finite number of natural frequencies
	}
	roots, err := s.naturalFrequencies(p)
	if err != nil {
		return
	}
	growth := 0.0 // largest real part [1/s]
	for _, r := range roots {
		growth = max(growth, real(r))
	}
	if growth*st.stop > unstableGrowth {
		s.warn(fmt.Sprintf("the circuit rests at an unstable operating point, where a "+
			"disturbance grows by a factor of e in %.2g s; noise would start it, here .ic of a "+
			"node or a pulse of a source does", 1/growth))
	}
}

// isConstantFrom reports whether all columns are constant from a time [s] on.
func (t *table) isConstantFrom(from float64) bool {
	lo, hi := make([]float64, t.width), make([]float64, t.width)
	first := true
	for r := range t.rows() {
		row := t.data[r*t.width : (r+1)*t.width]
		if row[0] < from {
			continue
		}
		if first {
			copy(lo, row)
			copy(hi, row)
			first = false
		}
		for c, v := range row {
			lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
		}
	}
	for c := 1; c < t.width; c++ {
		if hi[c]-lo[c] > restingRange*max(hi[c], -lo[c]) {
			return false
		}
	}
	return !first
}
