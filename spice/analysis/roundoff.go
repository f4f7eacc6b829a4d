package analysis

import (
	"errors"

	"slipstick/spice/mna"
)

// roundoffGuard keeps the steps of a linear circuit long enough for the digits of a double. In too
// short a step C/h and h/L leave no digits for the smaller terms beside them. Without nonlinear
// devices nothing happens between breakpoints that needs such a step.
type roundoffGuard struct {
	limit float64 // shortest step after a step lost its digits, s
	floor float64 // shortest step in force, s; 0: none was too short
	// Last rejected step: its start and length [s] and its error relative to the tolerance.
	rejected struct{ t, h, r float64 }
}

// reject records a rejected step. An error that does not decrease with the step is roundoff.
func (g *roundoffGuard) reject(t, h, r float64) {
	last := &g.rejected
	if last.t == t && h < g.limit && h <= last.h/2 && r >= last.r/2 {
		g.floor = g.limit
	}
	last.t, last.h, last.r = t, h, r
}

// singular reports whether a step failed because its matrix lost all digits. No later step is
// shorter than the limit then.
func (g *roundoffGuard) singular(err error) bool {
	var singular *mna.SingularError
	if !errors.As(err, &singular) {
		return false
	}
	g.floor = g.limit
	return true
}
