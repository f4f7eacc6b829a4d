// Package ipc provides the current-carrying capacity of PCB copper according to IPC-2221 and
// IPC-2152, and the temperature dependence of the resistance of copper.
package ipc

import (
	"math"

	"slipstick/tools/phys"
)

// Constants k of IPC-2221: I = k·ΔT^0.44·A^0.725 with I in amperes, ΔT in kelvins and the
// cross-section A in square mils. They are fits to the curves of figure 6-4.
const (
	Internal = 0.024
	External = 0.048

	riseExponent = 0.44
	areaExponent = 0.725
)

// Constant returns the constant k of a layer, "internal" or "external".
func Constant(layer string) float64 {
	if layer == "internal" {
		return Internal
	}
	return External
}

// Current returns the current [A] that heats a cross-section of area [mil²] by rise [K].
func Current(k, rise, area float64) float64 {
	return k * math.Pow(rise, riseExponent) * math.Pow(area, areaExponent)
}

// Area returns the cross-section [mil²] that a current [A] heats by rise [K].
func Area(k, rise, current float64) float64 {
	return math.Pow(current/(k*math.Pow(rise, riseExponent)), 1/areaExponent)
}

// Rise returns the temperature rise [K] of a cross-section of area [mil²] at a current [A].
func Rise(k, area, current float64) float64 {
	return math.Pow(current/(k*math.Pow(area, areaExponent)), 1/riseExponent)
}

// Mil is one thousandth of an inch [mm].
const Mil = phys.Inch

// ResistanceFactor returns the resistance of copper at temp [°C] relative to that at 20 °C (IEC
// 60028: 0.00393 per kelvin).
func ResistanceFactor(temp float64) float64 { return 1 + 0.00393*(temp-20) }
