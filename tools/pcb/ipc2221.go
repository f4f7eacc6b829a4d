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

// copperMeltsC is the melting temperature of copper that Onderdonk's equation uses [°C].
const copperMeltsC = 1083

// onderdonkCurrent is the current [A] that heats an area [mil²] of copper from ambient [°C] to its
// melting point within seconds, without cooling (Onderdonk, after Stauffacher 1928). It holds to
// about 10 s.
func onderdonkCurrent(area, ambient, seconds float64) float64 {
	circular := 4 / math.Pi * area // circular mil
	return circular * math.Sqrt(math.Log10(1+(copperMeltsC-ambient)/(234+ambient))/(33*seconds))
}

// preeceCurrent is the steady current [A] that melts a round copper wire of an area [mil²] in air
// (Preece 1884, 10244·d^1.5 with d in inches).
func preeceCurrent(area float64) float64 {
	return 10244 * math.Pow(math.Sqrt(4/math.Pi*area)/1e3, 1.5)
}

// mil is a thousandth of an inch [mm].
const mil = phys.Inch

// heated is the factor by which the resistance of copper at 20 °C grows towards temp [°C]
// (IEC 60028: 0.00393 per kelvin).
func heated(temp float64) float64 { return 1 + 0.00393*(temp-20) }
