package analysis

import (
	"errors"

	"slipstick/spice/mna"
)

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
