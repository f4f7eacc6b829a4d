package rf

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// Dipole computes the length of a wire antenna.
var Dipole = tools.Define(tools.Spec{
	Name:    "dipole",
	Title:   "Dipole and quarter-wave length",
	Summary: "Length of a half-wave dipole or a quarter-wave element for a frequency",
	Method: "Half wave: 468 / f feet, quarter wave: 234 / f feet, f in MHz: 0.9516 of the length in free space, because " +
		"the ends add capacitance. A velocity factor k replaces that: k λ / 2 or k λ / 4, with λ = c / f",
	Sources: []string{
		"ARRL Antenna Book, 21st edition (2007), chapter 2: half wave in feet = 468 / f (MHz)",
		"C. A. Balanis, Antenna Theory, 4th edition (2016), section 4.6 (half-wave dipole: 1.643 = 2.15 dBi, 73 Ω) and 4.7 (quarter-wave monopole: 36.5 Ω)",
	},
	Limits: []string{
		"Thin straight wire well clear of ground and other conductors; thick elements, as at VHF and above, are shorter: cut long and trim",
		"The impedances are the resistive part at resonance; gain and impedance over real ground differ",
		"A quarter-wave element needs a ground plane; 5.15 dBi holds over a perfect, infinite one",
	},
	Aliases: []string{"antenna length", "half wave antenna", "quarter wave", "monopole",
		"ground plane antenna", "468/f"},
	Examples: []tools.Example{
		{
			Title: "Half-wave dipole for 915 MHz",
			In:    `{"freq_mhz": 915}`,
			Want:  `{"length_m": 0.155898, "length_in": 6.13770, "length_ft": 0.511475, "wavelength_m": 0.327642, "leg_length_m": 0.077949, "feed_impedance_ohm": 73, "gain_dbi": 2.15, "warnings": []}`,
		},
		{
			Title: "Quarter-wave whip for 144 MHz",
			In:    `{"freq_mhz": 144, "type": "quarter_wave"}`,
			Want:  `{"length_ft": 1.625, "length_m": 0.4953, "feed_impedance_ohm": 36.5, "gain_dbi": 5.15}`,
			From:  "by hand: 234 / 144 ft",
		},
		{
			Title: "40 m dipole at 7.1 MHz",
			In:    `{"freq_mhz": 7.1}`,
			Want:  `{"length_m": 20.0910, "leg_length_m": 10.0455}`,
			From:  "by hand: 468 / 7.1 = 65.9155 ft",
		},
	},
}, dipole)

type dipoleIn struct {
	FreqMHz        float64  `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"915" label:"Resonant frequency" doc:"Resonant frequency"`
	Type           string   `json:"type" enum:"half_wave,quarter_wave" default:"half_wave" label:"Antenna type" doc:"half_wave: center-fed half-wave dipole; quarter_wave: quarter-wave monopole over a ground plane"`
	VelocityFactor *float64 `json:"velocity_factor" unit:"1" min:"0.5" max:"1" example:"0.95" label:"Velocity factor" doc:"Length divided by the free-space length; default 0.9516 for thin wire, 0.93 for insulated wire, less for thick tube"`
}

type dipoleOut struct {
	LengthM          float64 `json:"length_m" unit:"m" label:"Element length" doc:"Length of the element from end to end"`
	LengthFt         float64 `json:"length_ft" unit:"ft" label:"Element length (ft)" doc:"Element length in feet"`
	LengthIn         float64 `json:"length_in" unit:"in" label:"Element length (in)" doc:"Element length in inches"`
	WavelengthM      float64 `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Full wavelength in vacuum"`
	FreeSpaceLengthM float64 `json:"free_space_length_m" unit:"m" label:"Free-space length" doc:"Half or quarter of the wavelength, without shortening"`
	LegLengthM       float64 `json:"leg_length_m" unit:"m" label:"Leg length" doc:"Length of one leg: half of a dipole; a quarter-wave element is one leg"`
	FeedImpedanceOhm float64 `json:"feed_impedance_ohm" unit:"Ω" label:"Feed-point impedance" doc:"Resistance at the feed point at resonance"`
	GainDBi          float64 `json:"gain_dbi" unit:"dBi" label:"Antenna gain" doc:"Gain over an isotropic antenna"`
	VelocityFactor   float64 `json:"velocity_factor" unit:"1" label:"Velocity factor" doc:"Length divided by the free-space length"`
	tools.Warnings
}

// endEffectFeet is the length of a half-wave wire antenna in feet, times the frequency in MHz. It
// includes the end effect; half a wavelength in free space would give 491.8.
const endEffectFeet = 468

func dipole(_ context.Context, in dipoleIn) (dipoleOut, error) {
	out := dipoleOut{WavelengthM: phys.Wavelength(in.FreqMHz), FeedImpedanceOhm: 73, GainDBi: 2.15}
	out.FreeSpaceLengthM = out.WavelengthM / 2
	out.LengthFt = endEffectFeet / in.FreqMHz
	if in.Type == "quarter_wave" {
		out.FreeSpaceLengthM /= 2
		out.LengthFt /= 2
		out.FeedImpedanceOhm, out.GainDBi = 36.5, 5.15
	}
	out.LengthM = out.LengthFt * phys.Foot
	if in.VelocityFactor != nil {
		out.LengthM = out.FreeSpaceLengthM * *in.VelocityFactor
		out.LengthFt = out.LengthM / phys.Foot
	}
	out.LengthIn = out.LengthFt * 12
	out.VelocityFactor = out.LengthM / out.FreeSpaceLengthM
	out.LegLengthM = out.LengthM
	if in.Type == "half_wave" {
		out.LegLengthM /= 2
	}
	return out, nil
}
