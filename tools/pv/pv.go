// Package pv computes voltages of photovoltaic modules depending on temperature.
package pv

import (
	"fmt"
	"math"
)

// vocBands is NEC table 690.7(A) for crystalline silicon. Each factor applies from the lower edge
// of its band up to the previous edge. Above 24 °C the factor is 1.
var vocBands = [...]struct{ fromC, factor float64 }{
	{20, 1.02}, {15, 1.04}, {10, 1.06}, {5, 1.08}, {0, 1.10}, {-5, 1.12}, {-10, 1.14},
	{-15, 1.16}, {-20, 1.18}, {-25, 1.20}, {-30, 1.21}, {-35, 1.23}, {-40, 1.25},
}

// VocFactor returns the factor for Voc at a minimum temperature. It returns false below -40 °C,
// where the table ends.
func VocFactor(minC float64) (float64, bool) {
	if minC > 24 {
		return 1, true
	}
	for _, b := range vocBands {
		if minC >= b.fromC {
			return b.factor, true
		}
	}
	return 0, false
}

// standardC is the cell temperature at standard test conditions [°C].
const standardC = 25

// At returns the voltage factor at a cell temperature for a coefficient in percent per degree.
func At(coefficient, tempC float64) float64 { return 1 + coefficient/100*(tempC-standardC) }

// minUsual is the magnitude in percent per degree below which a coefficient is probably a fraction
// per degree. Data sheets of modules have -0.2 to -0.5 %/°C, and a fraction is at least -0.01 per
// degree, because the tools accept at least -1 %/°C.
const minUsual = 0.02

// FractionWarning returns the warning on a coefficient of a field [%/°C] that is probably a
// fraction per degree, which gives too low a voltage in the cold. It returns "" for any other.
func FractionWarning(field string, coefficient float64) string {
	if math.Abs(coefficient) >= minUsual {
		return ""
	}
	return fmt.Sprintf("%s: %g %%/°C is close to zero; for the fraction %g per °C send %g", field,
		coefficient, coefficient, math.Round(coefficient*1e8)/1e6)
}
