package electrical

import (
	"math"

	"slipstick/autorouter/board"
)

// Constants of IPC-2221A, section 6.2, for a conductor inside the board: I = k·ΔT^0.44·A^0.725 with
// I in amperes, ΔT in kelvins, A in square mils. The copper of a hole is inside the board.
const (
	internalFactor = 0.024
	externalFactor = 0.048 // outside the board
	riseExponent   = 0.44
	areaExponent   = 0.725

	mil     = 25.4e3 // nm
	plating = 20e3   // nm, average of IPC-6012 class 2
	ounce   = 35e3   // nm, thickness of 1 oz/ft²
)

// ViaCurrent returns the current [A] of a plated hole of a finished diameter [nm] at a temperature
// rise [K].
func ViaCurrent(drill int64, riseC float64) float64 {
	area := math.Pi * (float64(drill) + plating) * plating / (mil * mil)
	return internalFactor * math.Pow(riseC, riseExponent) * math.Pow(area, areaExponent)
}

// trackCurrent returns the current [A] of a track of a width [nm].
func trackCurrent(width int64, copperOz, riseC float64) float64 {
	area := float64(width) * copperOz * ounce / (mil * mil)
	return externalFactor * math.Pow(riseC, riseExponent) * math.Pow(area, areaExponent)
}

// parallelVias returns the number of vias of a class that carry a current [A].
func parallelVias(c board.Class, current, riseC float64) int {
	return int(math.Ceil(current/ViaCurrent(c.ViaDrill, riseC) - 1e-9))
}
