package ipc

import "math"

// Fit is a fit to the charts of IPC-2152 (2009) by Brooks and Adam (2015). It is ΔT =
// k·I^current·W^width·t^thickness. The rise ΔT is in kelvins, I in amperes, and width W and
// thickness t are in mils.
type Fit struct{ k, current, width, thickness float64 }

// FitOf returns the fit for a layer, "internal" or "external", and a copper weight [oz/ft²]. For an
// internal layer it selects the nearest of 0.5, 1 and 2 oz. The internal fit for 3 oz is not used:
// unlike the others, it allows 40 % more current than the external fit, which replaces it.
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

// Rise returns the temperature rise [K] of a trace at a current [A].
func (f Fit) Rise(current, width, thickness float64) float64 {
	return f.k * math.Pow(current, f.current) * math.Pow(width, f.width) *
		math.Pow(thickness, f.thickness)
}

// Current returns the current [A] that heats a trace by rise [K].
func (f Fit) Current(rise, width, thickness float64) float64 {
	return math.Pow(rise/f.Rise(1, width, thickness), 1/f.current)
}

// Width returns the width [mil] of a trace that a current [A] heats by rise [K].
func (f Fit) Width(rise, current, thickness float64) float64 {
	return math.Pow(rise/f.Rise(current, 1, thickness), 1/f.width)
}
