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
// [Hz]. It uses the incremental inductance rule (H. A. Wheeler, Formulas for the Skin Effect, Proc.
// IRE 30 (1942) 412-424). The inductance grows as if every copper surface receded by half the skin
// depth. air returns the impedance [Ω] without dielectric after a recession [m]. The roughness [m
// rms] increases the loss by E. Hammerstad's factor 1 + 2/π atan(1.4 (Δ/δ)²).
func ConductorLoss(freq, z0, roughness float64, air func(recession float64) float64) float64 {
	depth := SkinDepth(freq)
	ratio := roughness / depth
	rough := 1 + 2/math.Pi*math.Atan(1.4*ratio*ratio)
	return rough * math.Pi * freq / phys.C * (air(depth/2) - air(0)) / z0
}

// DielectricLoss returns the dielectric loss [Np/m] at a frequency [Hz] (D. M. Pozar, Microwave
// Engineering, 4th edition, equation 3.198). filling is the filling factor of the substrate.
func DielectricLoss(freq, er, erEff, filling, lossTangent float64) float64 {
	return math.Pi * freq / phys.C * er / math.Sqrt(erEff) * filling * lossTangent
}

// nearAir is the least permittivity for which FillingFactor divides two differences from 1. Closer
// to 1 they have too few digits.
const nearAir = 1 + 1e-6

// FillingFactor returns the filling factor (erEff - 1)/(er - 1) of a substrate, 0 to 1. erEff
// returns the effective permittivity of the line for a permittivity of the substrate. For air the
// factor is the limit of the quotient.
func FillingFactor(er float64, erEff func(er float64) float64) float64 {
	er = max(er, nearAir)
	return (erEff(er) - 1) / (er - 1)
}
