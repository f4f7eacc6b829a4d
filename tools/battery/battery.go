// Package battery contains typical values and corrections for stationary batteries.
package battery

import "math"

// DepthOfDischarge returns the recommended maximum depth of discharge [%] of a stationary battery.
func DepthOfDischarge(chemistry string) float64 {
	if chemistry == "lead_acid" {
		return 50
	}
	return 80
}

// Efficiency returns the typical round-trip energy efficiency [%].
func Efficiency(chemistry string) float64 {
	if chemistry == "lead_acid" {
		return 85
	}
	return 95
}

// leadAcidRows is table 1 of IEEE Std 485. It has the sizing factor of a lead-acid cell relative to
// 25 °C (77 °F), by electrolyte temperature in °F.
var leadAcidRows = [...]struct{ fahrenheit, factor float64 }{
	{25, 1.520}, {30, 1.430}, {35, 1.350}, {40, 1.300}, {45, 1.250}, {50, 1.190}, {55, 1.150},
	{60, 1.110}, {65, 1.080},
	{70, 1.040}, {77, 1.000}, {80, 0.980}, {85, 0.960}, {90, 0.940}, {95, 0.930}, {100, 0.910},
	{105, 0.890}, {110, 0.880},
	{115, 0.870}, {120, 0.860},
}

// LeadAcidFactor interpolates leadAcidRows at a temperature in °C. Beyond the table it returns the
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

// PeukertFactor returns how much faster a battery discharges at current than its capacity at the
// rated hours suggests: (I·H/C)^(k-1). It is at least 1 because a low current does not raise the
// capacity above its rating. Current and capacity must have matching units, such as A and Ah, or mA
// and mAh.
func PeukertFactor(current, capacity, ratedHours, exponent float64) float64 {
	return math.Pow(math.Max(1, current*ratedHours/capacity), exponent-1)
}
