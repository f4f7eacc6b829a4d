package power

// Usual values of stationary batteries by chemistry, where the user gives none.

// usualDepthOfDischarge in percent: the depth that does not shorten the life of a bank.
func usualDepthOfDischarge(chemistry string) float64 {
	if chemistry == "lead_acid" {
		return 50
	}
	return 80
}

// usualBatteryEfficiency in percent, energy out over energy in.
func usualBatteryEfficiency(chemistry string) float64 {
	if chemistry == "lead_acid" {
		return 85
	}
	return 95
}
