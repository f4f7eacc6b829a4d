package electrical

import (
	"math"

	"slipstick/autorouter/board"
)

// Constants of IPC-2221A, section 6.2, for internal conductors: I = k·ΔT^0.44·A^0.725, with the
// current I [A], the temperature rise ΔT [K] and the cross-section A [mil²]. Hole plating counts as
// an internal conductor.
const (
	internalFactor = 0.024
	externalFactor = 0.048 // for external conductors
	riseExponent   = 0.44
	areaExponent   = 0.725

	mil     = 25.4e3 // [nm]
	plating = 20e3   // average plating thickness of IPC-6012 class 2 [nm]
	ounce   = 35e3   // thickness of 1 oz/ft² of copper [nm]
)

// ViaCurrent returns the current rating [A] of a plated hole for a finished diameter [nm] and a
// temperature rise [K].
func ViaCurrent(drill int64, riseC float64) float64 {
	area := math.Pi * (float64(drill) + plating) * plating / (mil * mil)
	return internalFactor * math.Pow(riseC, riseExponent) * math.Pow(area, areaExponent)
}

// trackCurrent returns the current rating [A] of an external track for a width [nm], a copper
// weight [oz/ft²] and a temperature rise [K].
func trackCurrent(width int64, copperOz, riseC float64) float64 {
	area := float64(width) * copperOz * ounce / (mil * mil)
	return externalFactor * math.Pow(riseC, riseExponent) * math.Pow(area, areaExponent)
}

// parallelVias returns the number of vias of a net class needed to carry a current [A] at a
// temperature rise [K].
func parallelVias(c board.Class, current, riseC float64) int {
	return int(math.Ceil(current/ViaCurrent(c.ViaDrill, riseC) - 1e-9))
}
