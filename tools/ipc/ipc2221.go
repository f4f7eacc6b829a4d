// Package ipc holds the current capacity of copper on boards by IPC-2221, and the resistance of
// copper.
package ipc

import (
	"math"

	"slipstick/tools/phys"
)

// The constant k of IPC-2221, I = k·ΔT^0.44·A^0.725 with I in amperes, ΔT in kelvins and the
// cross-section A in square mils: a fit to the curves of figure 6-4.
const (
	Internal = 0.024
	External = 0.048

	riseExponent = 0.44
	areaExponent = 0.725
)

// Constant is k of a layer, "internal" or "external".
func Constant(layer string) float64 {
	if layer == "internal" {
		return Internal
	}
	return External
}

// Current is the current [A] that heats an area [mil²] by rise [K].
func Current(k, rise, area float64) float64 {
	return k * math.Pow(rise, riseExponent) * math.Pow(area, areaExponent)
}

// Area is the area [mil²] that a current [A] heats by rise [K].
func Area(k, rise, current float64) float64 {
	return math.Pow(current/(k*math.Pow(rise, riseExponent)), 1/areaExponent)
}

// Rise is the temperature rise [K] of an area [mil²] under a current [A].
func Rise(k, area, current float64) float64 {
	return math.Pow(current/(k*math.Pow(area, areaExponent)), 1/riseExponent)
}

// Mil is a thousandth of an inch [mm].
const Mil = phys.Inch

// ResistanceFactor is the factor by which the resistance of copper at 20 °C grows towards temp [°C]
// (IEC 60028: 0.00393 per kelvin).
func ResistanceFactor(temp float64) float64 { return 1 + 0.00393*(temp-20) }
