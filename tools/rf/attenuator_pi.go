package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/attenuator"
)

// AttenuatorPi computes a symmetrical pad of two shunt resistors with a series resistor between
// them.
var AttenuatorPi = tools.Define(tools.Spec{
	Name:    "attenuator_pi",
	Title:   "Pi attenuator",
	Summary: "Resistors of a symmetrical Pi pad for an attenuation and an impedance",
	Method: "K = 10^(A/20); R1 = R3 = Z (K + 1)/(K - 1), R2 = Z (K² - 1)/(2 K), evaluated as Z coth(a/2) and Z sinh(a) with " +
		"a = ln K. The E96 values are analysed as a two-port between ends of Z",
	Sources: []string{
		"Reference Data for Radio Engineers, 6th edition (ITT, 1975), chapter 11, symmetrical pi pad",
		"IEC 60063:2015, series E96",
	},
	Limits: []string{
		"Ideal resistors: stray inductance and capacitance set in at some hundred megahertz",
		"Equal impedances on both sides",
	},
	Aliases: []string{"pi pad", "attenuator", "resistive pad", "50 ohm attenuator"},
	Examples: []tools.Example{{
		Title: "10 dB in 50 Ω",
		In:    `{"attenuation_db": 10}`,
		Want:  `{"r1_ohm": 96.2475, "r2_ohm": 71.1512, "r3_ohm": 96.2475, "topology": "pi", "warnings": []}`,
	}, {
		Title: "3 dB in 50 Ω, to isolate an amplifier from its load",
		In:    `{"attenuation_db": 3}`,
		Want:  `{"r1_ohm": 292.402, "r2_ohm": 17.6148, "e96_r1_ohm": 294, "e96_r2_ohm": 17.8}`,
		From:  "handbook table: 292.4 and 17.61 Ω",
	}, {
		Title: "6 dB in a 75 Ω cable system",
		In:    `{"attenuation_db": 6, "z0_ohm": 75}`,
		Want:  `{"r1_ohm": 225.714, "r2_ohm": 56.0278}`,
		From:  "handbook table: 225.7 and 56.03 Ω",
	}},
}, attenuatorPi)

type attenuatorPiOut struct {
	R1Ohm float64 `json:"r1_ohm" unit:"Ω" label:"R1 (input shunt)" doc:"Shunt resistor at the input"`
	R2Ohm float64 `json:"r2_ohm" unit:"Ω" label:"R2 (series)" doc:"Series resistor between the two shunts"`
	R3Ohm float64 `json:"r3_ohm" unit:"Ω" label:"R3 (output shunt)" doc:"Shunt resistor at the output"`
	attenuator.Output
}

func attenuatorPi(_ context.Context, in attenuator.Input) (attenuatorPiOut, error) {
	var out attenuatorPiOut
	out.Topology = "pi"
	a := attenuator.Nepers(in.AttenuationDB)
	match := math.Tanh(a / 2) // (K-1)/(K+1)
	out.R1Ohm = in.Z0Ohm / match
	out.R2Ohm = in.Z0Ohm * math.Sinh(a)
	out.R3Ohm = out.R1Ohm
	// With an input voltage v, the output voltage is v/K, so the voltage across r2 is v (1 - 1/K).
	k2, drop := math.Exp(-2*a), -math.Expm1(-a)
	out.R1Pct = 100 * match
	out.R2Pct = 100 * drop * drop / math.Sinh(a)
	out.R3Pct = 100 * match * k2
	out.WithE96(in, out.R1Ohm, out.R2Ohm, out.R3Ohm, attenuator.Pi)
	return out, nil
}
