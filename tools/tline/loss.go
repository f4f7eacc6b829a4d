package tline

import (
	"math"

	"slipstick/tools/phys"
)

// mu0 is the permeability of vacuum [H/m].
const mu0 = 1.25663706212e-6

// SkinDepth returns the skin depth [m] of copper at a frequency [Hz].
func SkinDepth(freq float64) float64 {
	return math.Sqrt(phys.RhoCopper / (math.Pi * freq * mu0))
}

// ConductorLoss returns the conductor loss [Np/m] of a line with impedance z0 [Ω] at a frequency
// [Hz], by the incremental inductance rule (H. A. Wheeler, Formulas for the Skin Effect, Proc. IRE
// 30 (1942) 412-424). The inductance grows as if every copper surface receded by half the skin
// depth. air returns the impedance [Ω] without dielectric after a recession [m]. The roughness [m
// rms] increases the loss by E. Hammerstad's factor 1 + 2/π atan(1.4 (Δ/δ)²).
func ConductorLoss(freq, z0, roughness float64, air func(recession float64) float64) float64 {
	depth := SkinDepth(freq)
	ratio := roughness / depth
	rough := 1 + 2/math.Pi*math.Atan(1.4*ratio*ratio)
	return rough * math.Pi * freq / phys.C * (air(depth/2) - air(0)) / z0
}

// DielectricLoss returns the dielectric loss [Np/m] at a frequency [Hz] (D. M. Pozar, Microwave
// Engineering, 4th edition, equation 3.198).
func DielectricLoss(freq, er, erEff, lossTangent float64) float64 {
	if er <= 1 {
		return 0
	}
	return math.Pi * freq / phys.C * er / math.Sqrt(erEff) * (erEff - 1) / (er - 1) * lossTangent
}
