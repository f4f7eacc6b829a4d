// Package rf contains the radio tools: paths, antennas, lines, noise, attenuators and circuits.
package rf

import "slipstick/tools"

// Category lists the tools in display order.
func Category() tools.Category {
	return tools.Category{Name: "rf", Title: "Radio", Tools: []*tools.Tool{
		FSPL, LinkBudget, Dipole, Microstrip, DBmConvert, NoiseFigureCascade, VSWR,
		AttenuatorPi, AttenuatorTee, FresnelZone, WavelengthFreq, SpiceTemplate, SpiceSimulate,
	}}
}
