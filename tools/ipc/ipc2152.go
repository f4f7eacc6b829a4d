package ipc

import "math"

// Fit is a curve through the charts of IPC-2152 (2009) by Brooks and Adam (2015):
// ΔT = k·I^current·W^width·t^thickness, with ΔT in kelvins, I in amperes, width W and thickness t
// in mils.
type Fit struct{ k, current, width, thickness float64 }

// FitOf returns the fit of a layer, "internal" or "external", and of a copper weight [oz/ft²].
// Inside it is the one of the nearest of 0.5, 1 and 2 oz. The inner fit of 3 oz allows 40 % more
// current than the outer one, which no other weight does: the outer fit is used in its place.
func FitOf(layer string, ounces float64) Fit {
	switch {
	case layer != "internal" || ounces >= 2.5:
		return Fit{215.3, 2, -1.15, -1}
	case ounces < 0.75:
		return Fit{120, 2, -1.10, -1.52}
	case ounces < 1.5:
		return Fit{200, 1.9, -1.10, -1.52}
	default:
		return Fit{300, 2, -1.15, -1.52}
	}
}

// Rise is the temperature rise [K] of a trace under a current [A].
func (f Fit) Rise(current, width, thickness float64) float64 {
	return f.k * math.Pow(current, f.current) * math.Pow(width, f.width) *
		math.Pow(thickness, f.thickness)
}

// Current is the current [A] that heats a trace by rise [K].
func (f Fit) Current(rise, width, thickness float64) float64 {
	return math.Pow(rise/f.Rise(1, width, thickness), 1/f.current)
}

// Width is the width [mil] of a trace that a current [A] heats by rise [K].
func (f Fit) Width(rise, current, thickness float64) float64 {
	return math.Pow(rise/f.Rise(current, 1, thickness), 1/f.width)
}
