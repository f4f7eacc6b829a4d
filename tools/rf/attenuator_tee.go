package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/attenuator"
)

// AttenuatorTee computes a symmetrical pad of two series resistors with a shunt resistor between
// them.
var AttenuatorTee = tools.Define(tools.Spec{
	Name:    "attenuator_tee",
	Title:   "T attenuator",
	Summary: "Resistors of a symmetrical T pad for an attenuation and an impedance",
	Method: "K = 10^(A/20); R1 = R3 = Z (K - 1)/(K + 1), R2 = 2 Z K/(K² - 1), evaluated as Z tanh(a/2) and Z / sinh(a) with " +
		"a = ln K. The E96 values are analysed as a two-port between ends of Z",
	Sources: []string{
		"Reference Data for Radio Engineers, 6th edition (ITT, 1975), chapter 11, symmetrical T pad",
		"IEC 60063:2015, series E96",
	},
	Limits: []string{
		"Ideal resistors: stray inductance and capacitance set in at some hundred megahertz",
		"Equal impedances on both sides",
	},
	Aliases: []string{"t pad", "tee pad", "attenuator", "resistive pad"},
	Examples: []tools.Example{{
		Title: "10 dB in 50 Ω",
		In:    `{"attenuation_db": 10}`,
		Want:  `{"r1_ohm": 25.9747, "r2_ohm": 35.1364, "r3_ohm": 25.9747, "topology": "tee", "warnings": []}`,
	}, {
		Title: "3 dB in 50 Ω",
		In:    `{"attenuation_db": 3}`,
		Want:  `{"r1_ohm": 8.5499, "r2_ohm": 141.926}`,
		From:  "Pozar, Microwave Engineering, 4th edition, figure 4.9: 8.56 and 141.8 Ω",
	}, {
		Title: "1 dB in a 600 Ω telephone line",
		In:    `{"attenuation_db": 1, "z0_ohm": 600}`,
		Want:  `{"r1_ohm": 34.5007, "r2_ohm": 5200.04}`,
		From:  "handbook table: 34.5 and 5200 Ω",
	}},
}, attenuatorTee)

type attenuatorTeeOut struct {
	R1Ohm float64 `json:"r1_ohm" unit:"Ω" label:"R1 (input series)" doc:"Series resistor at the input"`
	R2Ohm float64 `json:"r2_ohm" unit:"Ω" label:"R2 (shunt)" doc:"Shunt resistor between the two series resistors"`
	R3Ohm float64 `json:"r3_ohm" unit:"Ω" label:"R3 (output series)" doc:"Series resistor at the output"`
	attenuator.Output
}

func attenuatorTee(_ context.Context, in attenuator.Input) (attenuatorTeeOut, error) {
	var out attenuatorTeeOut
	out.Topology = "tee"
	a := attenuator.Nepers(in.AttenuationDB)
	match := math.Tanh(a / 2) // (K-1)/(K+1)
	out.R1Ohm = in.Z0Ohm * match
	out.R2Ohm = in.Z0Ohm / math.Sinh(a)
	out.R3Ohm = out.R1Ohm
	// With an input current i, the output current is i/K, so r2 carries i (1 - 1/K).
	k2, drop := math.Exp(-2*a), -math.Expm1(-a)
	out.R1Pct = 100 * match
	out.R2Pct = 100 * drop * drop / math.Sinh(a)
	out.R3Pct = 100 * match * k2
	out.WithE96(in, out.R1Ohm, out.R2Ohm, out.R3Ohm, attenuator.Tee)
	return out, nil
}
