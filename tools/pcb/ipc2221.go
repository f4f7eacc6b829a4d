package pcb

import (
	"math"

	"slipstick/tools/phys"
)

// The constant k of IPC-2221, I = k·ΔT^0.44·A^0.725 with I in amperes, ΔT in kelvins and the
// cross-section A in square mils: a fit to the curves of figure 6-4.
const (
	ipcInternal = 0.024
	ipcExternal = 0.048

	ipcRiseExponent = 0.44
	ipcAreaExponent = 0.725
)

// ipcConstant is k of a layer, "internal" or "external".
func ipcConstant(layer string) float64 {
	if layer == "internal" {
		return ipcInternal
	}
	return ipcExternal
}

// ipcCurrent is the current [A] that heats an area [mil²] by rise [K].
func ipcCurrent(k, rise, area float64) float64 {
	return k * math.Pow(rise, ipcRiseExponent) * math.Pow(area, ipcAreaExponent)
}

// ipcArea is the area [mil²] that a current [A] heats by rise [K].
func ipcArea(k, rise, current float64) float64 {
	return math.Pow(current/(k*math.Pow(rise, ipcRiseExponent)), 1/ipcAreaExponent)
}

// ipcRise is the temperature rise [K] of an area [mil²] under a current [A].
func ipcRise(k, area, current float64) float64 {
	return math.Pow(current/(k*math.Pow(area, ipcAreaExponent)), 1/ipcRiseExponent)
}

// mil is a thousandth of an inch [mm].
const mil = phys.Inch

// heated is the factor by which the resistance of copper at 20 °C grows towards temp [°C]
// (IEC 60028: 0.00393 per kelvin).
func heated(temp float64) float64 { return 1 + 0.00393*(temp-20) }
