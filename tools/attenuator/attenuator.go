// Package attenuator models symmetrical resistive pads: inputs, results and the two-port of a pad.
package attenuator

import (
	"math"

	"slipstick/tools"
	"slipstick/tools/eseries"
)

// Input contains the inputs that the pi pad and the tee pad share.
type Input struct {
	AttenuationDB float64 `json:"attenuation_db" unit:"dB" gt:"0" max:"200" example:"10" label:"Attenuation" doc:"Attenuation between matched ports"`
	Z0Ohm         float64 `json:"z0_ohm" unit:"Ω" gt:"0" max:"1e9" default:"50" label:"Port impedance" doc:"Impedance of both ports"`
}

// Output contains the results that the pi pad and the tee pad share. The three resistors are not
// among them.
type Output struct {
	Topology    string   `json:"topology" enum:"pi,tee" label:"Topology" doc:"Topology of the pad"`
	R1Pct       float64  `json:"r1_power_pct" unit:"%" label:"Power in R1" doc:"Share of the input power dissipated in R1"`
	R2Pct       float64  `json:"r2_power_pct" unit:"%" label:"Power in R2" doc:"Share of the input power dissipated in R2"`
	R3Pct       float64  `json:"r3_power_pct" unit:"%" label:"Power in R3" doc:"Share of the input power dissipated in R3"`
	E96R1       float64  `json:"e96_r1_ohm" unit:"Ω" label:"R1 (E96)" doc:"Nearest E96 value of R1"`
	E96R2       float64  `json:"e96_r2_ohm" unit:"Ω" label:"R2 (E96)" doc:"Nearest E96 value of R2"`
	E96R3       float64  `json:"e96_r3_ohm" unit:"Ω" label:"R3 (E96)" doc:"Nearest E96 value of R3"`
	E96DB       float64  `json:"e96_attenuation_db" unit:"dB" label:"Attenuation with E96 values" doc:"Attenuation of the pad with E96 values between ports of z0_ohm"`
	E96ReturnDB *float64 `json:"e96_return_loss_db" unit:"dB" label:"Return loss with E96 values" doc:"Return loss of the pad with E96 values; null at an exact match"`
	tools.Warnings
}

// Ladder is a pad as a two-port, stored as its deviation from a through connection. The chain
// matrix is [1+a, b; c, 1+d], with b in ohms and c in siemens. Storing a and d without the 1
// preserves the digits of a pad of 0.001 dB.
type Ladder struct{ a, b, c, d float64 }

// Pi returns the ladder with r1 to ground, r2 in series and r3 to ground.
func Pi(r1, r2, r3 float64) Ladder {
	return Ladder{a: r2 / r3, b: r2, c: 1/r1 + 1/r3 + r2/r1/r3, d: r2 / r1}
}

// Tee returns the ladder with r1 in series, r2 to ground and r3 in series.
func Tee(r1, r2, r3 float64) Ladder {
	return Ladder{a: r1 / r2, b: r1 + r3 + r1/r2*r3, c: 1 / r2, d: r3 / r2}
}

// Loss returns the loss in dB between a source and a load of z: 20 log10 |(A + B/z + C z + D)/2|.
func (l Ladder) Loss(z float64) float64 {
	return 20 / math.Ln10 * math.Log1p((l.a+l.b/z+l.c*z+l.d)/2)
}

// Reflection returns |S11| with z on both sides: (A + B/z - C z - D)/(A + B/z + C z + D).
func (l Ladder) Reflection(z float64) float64 {
	return math.Abs(l.a+l.b/z-l.c*z-l.d) / (2 + l.a + l.b/z + l.c*z + l.d)
}

// Nepers returns the attenuation in nepers: 10^(A/20) = e^Nepers(A). With K = 10^(A/20), the
// textbook terms (K+1)/(K-1) and (K²-1)/(2K) are coth(nepers/2) and sinh(nepers). The hyperbolic
// functions avoid the cancellation for K near 1.
func Nepers(attenuationDB float64) float64 { return attenuationDB * math.Ln10 / 20 }

// WithE96 sets the E96 results: the nearest E96 values of r1, r2 and r3, and the loss and return
// loss of their pad. shape builds the pad from the three values.
func (p *Output) WithE96(in Input, r1, r2, r3 float64, shape func(r1, r2, r3 float64) Ladder) {
	p.E96R1, p.E96R2, p.E96R3 = eseries.E96.Nearest(
		r1,
	), eseries.E96.Nearest(
		r2,
	), eseries.E96.Nearest(r3)
	nearest := shape(p.E96R1, p.E96R2, p.E96R3)
	p.E96DB = nearest.Loss(in.Z0Ohm)
	if g := nearest.Reflection(in.Z0Ohm); g > 0 {
		p.E96ReturnDB = new(-20 * math.Log10(g))
	} else {
		p.Warn("the E96 values match exactly: their return loss is infinite, shown as null")
	}
	if in.AttenuationDB > 60 {
		p.Warn(
			"above 60 dB leakage around the pad dominates; use two pads in series, shielded from each other",
		)
	}
}
