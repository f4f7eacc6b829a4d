// Package battery holds usual values and corrections of stationary batteries.
package battery

import "math"

// DepthOfDischarge in percent: the depth that does not shorten the life of a bank.
func DepthOfDischarge(chemistry string) float64 {
	if chemistry == "lead_acid" {
		return 50
	}
	return 80
}

// Efficiency in percent, energy out over energy in.
func Efficiency(chemistry string) float64 {
	if chemistry == "lead_acid" {
		return 85
	}
	return 95
}

// leadAcidRows is table 1 of IEEE Std 485: how many times larger a lead-acid cell has to be than
// at 25 °C (77 °F), by the temperature of the electrolyte in °F.
var leadAcidRows = [...]struct{ fahrenheit, factor float64 }{
	{25, 1.520}, {30, 1.430}, {35, 1.350}, {40, 1.300}, {45, 1.250}, {50, 1.190}, {55, 1.150},
	{60, 1.110}, {65, 1.080},
	{70, 1.040}, {77, 1.000}, {80, 0.980}, {85, 0.960}, {90, 0.940}, {95, 0.930}, {100, 0.910},
	{105, 0.890}, {110, 0.880},
	{115, 0.870}, {120, 0.860},
}

// LeadAcidFactor interpolates leadAcidRows at a temperature in °C; beyond the table it is the
// nearest row.
func LeadAcidFactor(tempC float64) float64 {
	f := tempC*9/5 + 32
	last := leadAcidRows[0]
	for _, row := range leadAcidRows {
		if f <= row.fahrenheit {
			part := 1.0
			if row != last {
				part = math.Max(0, (f-last.fahrenheit)/(row.fahrenheit-last.fahrenheit))
			}
			return last.factor + part*(row.factor-last.factor)
		}
		last = row
	}
	return last.factor
}

// PeukertFactor is how much faster a battery empties at a current [A] than its capacity [Ah]
// at the rated hours suggests: (I·H/C)^(k-1), and never below 1, because a gentle load does
// not make a battery larger than its rating. Any one unit of charge does, mAh with mA too.
func PeukertFactor(current, capacity, ratedHours, exponent float64) float64 {
	return math.Pow(math.Max(1, current*ratedHours/capacity), exponent-1)
}
