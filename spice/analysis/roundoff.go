package analysis

import (
	"errors"
	"math"
	"slices"

	"slipstick/spice/device"
	"slipstick/spice/mna"
)

// chargeRoundoff is the relative rounding error of the voltages of a capacitor, times the factors
// of the differences that estimate the truncation error. It is about 50 units in the last place.
const chargeRoundoff = 1e-14

// currentRoundoff is the range of a current, relative to chargeRoundoff, at which the chord error
// of its noise is below its tolerance.
const currentRoundoff = 100

// Constants for the noise of source currents. The noise of a step of h is a charge divided by h.
const (
	// sourceRoundoff is the charge at which the chord error of the noise is below its tolerance. It
	// is relative to the sum of the charges at the nodes of the source. At 1e-11 a chain of 666
	// inverters at rest keeps steps of jumpStep.
	sourceRoundoff = 1e-10
	// sourceNoiseStep is the shortest step, relative to the stop time, without this noise. In
	// longer steps it would hide the current of a load beside a large capacitor.
	sourceNoiseStep = 1e-5
)

// sourceCharges returns the indices of the charges at the nodes of the source for each of the given
// unknowns that is a source current. The list of other unknowns is nil: the current of an inductor
// does not follow from the charges at its nodes.
func (s *sim) sourceCharges(unknowns []int) [][]int {
	number := make(map[int]int, len(s.setup.Charges))
	for n, state := range s.setup.Charges {
		number[state] = n
	}
	atNode := make([][]int, s.n+1)
	for _, d := range s.devices {
		if t, ok := d.(device.TwoTerminalCharges); ok {
			for _, c := range t.Charges() {
				for _, node := range [2]int{c.From, c.To} {
					atNode[node] = append(atNode[node], number[c.State])
				}
			}
		}
	}
	lists := make([][]int, len(unknowns))
	for k, i := range unknowns {
		if s.branch[i] && s.setup.Unknowns[i].Element.Kind != 'l' {
			nodes := s.setup.Unknowns[i].Element.Nodes
			for _, name := range nodes[:min(2, len(nodes))] {
				if node := s.setup.Node(name); node > 0 {
					lists[k] = append(lists[k], atNode[node]...)
				}
			}
		}
	}
	return lists
}

// setRoundoff sets the rounding errors of the charges of capacitors at the present solution and
// those of the source currents. The charge of a capacitor between two nodes at a high voltage is
// the difference of two large products. Its noise may exceed chgtol, so that no step would be short
// enough. The current of a source at hundreds of capacitances is the sum of large currents in a
// short step. Its noise would keep the steps short.
func (st *stepper) setRoundoff() {
	if st.differences == nil {
		st.differences = make([]*difference, 0)
		for _, d := range st.devices {
			if c, ok := d.(device.Difference); ok {
				state, _ := c.Roundoff(st.x)
				k := slices.Index(st.setup.Charges, state)
				st.differences = append(st.differences, &difference{c, k})
			}
		}
	}
	for _, d := range st.differences {
		_, q := d.Roundoff(st.x)
		if q *= chargeRoundoff; q > st.lte.roundoff[d.charge] {
			st.lte.roundoff[d.charge] = q
			st.chord.roundoff = max(st.chord.roundoff, q*currentRoundoff)
		}
	}
	for k, list := range st.sourceCharges {
		sum := 0.0
		for _, n := range list {
			sum += max(math.Abs(st.lte.low[n]), math.Abs(st.lte.high[n]))
		}
		st.chord.noise[k] = sourceRoundoff * sum
	}
}

// difference is a device whose charge is the difference of two products, and the index of this
// charge.
type difference struct {
	device.Difference
	charge int
}

// roundoffGuard sets a lower limit on the steps of a linear circuit. In a step that is too short,
// C/h and h/L leave no significant digits for smaller terms in the same sums. Without nonlinear
// devices the solution between breakpoints requires no such step.
type roundoffGuard struct {
	limit float64 // shortest step [s] allowed after a loss of precision
	floor float64 // shortest step [s] allowed at present; 0 before a loss of precision
	// rejected holds the last rejected step: its start and length [s] and its error relative to the
	// tolerance.
	rejected struct{ t, h, r float64 }
}

// reject records a rejected step: its start t [s], its length h [s] and its error r relative to the
// tolerance. If a shorter step does not reduce the error, the error is roundoff.
func (g *roundoffGuard) reject(t, h, r float64) {
	last := &g.rejected
	if last.t == t && h < g.limit && h <= last.h/2 && r >= last.r/2 {
		g.floor = g.limit
	}
	last.t, last.h, last.r = t, h, r
}

// singular reports whether a step failed because roundoff made its matrix singular. In that case
// limit becomes the shortest allowed step.
func (g *roundoffGuard) singular(err error) bool {
	var singular *mna.SingularError
	if !errors.As(err, &singular) {
		return false
	}
	g.floor = g.limit
	return true
}
