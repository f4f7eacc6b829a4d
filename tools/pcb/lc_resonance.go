package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// LCResonance computes a resonant circuit: any two of L, C and frequency determine the third.
var LCResonance = tools.Define(tools.Spec{
	Name:    "lc_resonance",
	Title:   "LC resonance",
	Summary: "Resonant frequency, inductance or capacitance of an LC circuit, with Q, bandwidth and damping",
	Method: "f0 = 1/(2π √(L C)), Z0 = √(L/C); Q = Z0/R in series, R/Z0 in parallel; bandwidth f0/Q; half-power edges " +
		"f0 (√(1 + 1/(4 Q²)) ∓ 1/(2 Q)), which are not f0 ∓ bandwidth/2; ζ = 1/(2 Q); damped frequency f0 √(1 - ζ²)",
	Sources: []string{
		"D. M. Pozar, Microwave Engineering, 4th edition (2012), section 6.1",
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), section 1.7",
	},
	Limits: []string{
		"One resistance stands for all losses; those of the coil rise with frequency",
		"No self-capacitance of the coil, no stray capacitance, no coupling to a load other than r_ohm",
	},
	Aliases: []string{"tank circuit", "resonant frequency", "tuned circuit", "RLC", "Q factor",
		"bandwidth", "damping ratio"},
	Primary: []string{"resonant_freq_hz", "inductance_h", "capacitance_f"},
	Examples: []tools.Example{{
		Title: "10 µH and 100 pF",
		In:    `{"l_uh": 10, "c_pf": 100}`,
		Want:  `{"resonant_freq_hz": 5.032921e6, "inductance_h": 1.0000000e-5, "capacitance_f": 1.0000000e-10, "characteristic_impedance_ohm": 316.2278, "q": null, "warnings": []}`,
	}, {
		Title: "Series circuit with 10 Ω",
		In:    `{"l_uh": 100, "c_nf": 1, "r_ohm": 10}`,
		Want:  `{"q": 31.62278, "bandwidth_hz": 15915.49, "f_low_hz": 495397.3, "f_high_hz": 511312.8, "damping": "underdamped"}`,
	}, {
		Title: "Trap of 100 µH and 100 pF",
		In:    `{"l_uh": 100, "c_pf": 100}`,
		Want:  `{"resonant_freq_hz": 1.591549e6, "characteristic_impedance_ohm": 1000}`,
		From:  "by hand: 1/(2π √(LC)), √(L/C)",
	}},
}, lcResonance)

type lcResonanceIn struct {
	component.Inductance
	component.Capacitance
	component.Frequency
	ROhm     *float64 `json:"r_ohm" unit:"Ω" gt:"0" max:"1e15" example:"10" label:"Resistance" doc:"Resistance in series or in parallel by topology; gives Q, bandwidth and damping"`
	Topology string   `json:"topology" enum:"series,parallel" default:"series" label:"Topology" doc:"Position of r_ohm: in series with L and C, or in parallel"`
}

type lcResonanceOut struct {
	FreqHz       float64  `json:"resonant_freq_hz" unit:"Hz" label:"Resonant frequency" doc:"Undamped resonant frequency"`
	InductanceH  float64  `json:"inductance_h" unit:"H" label:"Inductance" doc:"Inductance"`
	CapacitanceF float64  `json:"capacitance_f" unit:"F" label:"Capacitance" doc:"Capacitance"`
	Z0Ohm        float64  `json:"characteristic_impedance_ohm" unit:"Ω" label:"Characteristic impedance" doc:"Reactance of either part at resonance, √(L/C)"`
	Q            *float64 `json:"q" unit:"1" label:"Quality factor" doc:"Quality factor; null without r_ohm"`
	BandwidthHz  *float64 `json:"bandwidth_hz" unit:"Hz" label:"Bandwidth" doc:"Half-power bandwidth; null without r_ohm"`
	FLowHz       *float64 `json:"f_low_hz" unit:"Hz" label:"Lower half-power frequency" doc:"Lower half-power frequency; null without r_ohm"`
	FHighHz      *float64 `json:"f_high_hz" unit:"Hz" label:"Upper half-power frequency" doc:"Upper half-power frequency; null without r_ohm"`
	DampingRatio *float64 `json:"damping_ratio" unit:"1" label:"Damping ratio ζ" doc:"Damping ratio ζ; 1 at critical damping; null without r_ohm"`
	Damping      *string  `json:"damping" enum:"underdamped,critical,overdamped" label:"Damping" doc:"Kind of step response; null without r_ohm"`
	DampedFreqHz *float64 `json:"damped_freq_hz" unit:"Hz" label:"Damped frequency" doc:"Ringing frequency; null unless underdamped"`
	tools.Warnings
}

func lcResonance(_ context.Context, in lcResonanceIn) (lcResonanceOut, error) {
	var f tools.FieldErrors
	l, c, freq := in.Henries(&f), in.Farads(&f), in.Hertz(&f)
	choice.Exactly(&f, 2, choice.Of(component.InductanceNames, l != nil),
		choice.Of(component.CapacitanceNames, c != nil), choice.Of(component.FrequencyNames,
			freq != nil))
	if err := f.Err(); err != nil {
		return lcResonanceOut{}, err
	}
	var out lcResonanceOut
	switch {
	case freq == nil:
		out.InductanceH, out.CapacitanceF = *l, *c
		out.FreqHz = 1 / (2 * math.Pi * math.Sqrt(*l) * math.Sqrt(*c))
	case l == nil:
		out.CapacitanceF, out.FreqHz = *c, *freq
		w := 2 * math.Pi * *freq
		out.InductanceH = 1 / (w * *c) / w
	default:
		out.InductanceH, out.FreqHz = *l, *freq
		w := 2 * math.Pi * *freq
		out.CapacitanceF = 1 / (w * *l) / w
	}
	out.Z0Ohm = math.Sqrt(out.InductanceH / out.CapacitanceF)
	if tolerance.Below(out.CapacitanceF, 10e-12) {
		out.Warn(
			"%g pF is below 10 pF: stray capacitance of coil and board shifts the frequency; use a larger capacitor and a smaller coil",
			tolerance.RoundBelow(out.CapacitanceF*1e12, 10, 3))
	}
	if tolerance.Below(out.InductanceH, 10e-9) {
		out.Warn(
			"%g nH is below 10 nH: traces have about 1 nH per millimetre and shift the frequency; use a larger coil and a smaller capacitor",
			tolerance.RoundBelow(out.InductanceH*1e9, 10, 3))
	}
	if in.ROhm == nil {
		choice.Ignored(&out.Warnings, "without r_ohm nothing depends on it",
			choice.Of("topology", in.Topology != "series"))
		return out, nil
	}
	q := out.Z0Ohm / *in.ROhm
	if in.Topology == "parallel" {
		q = *in.ROhm / out.Z0Ohm
	}
	zeta := 1 / (2 * q)
	// The band edges are f0·x and f0/x. Computing the lower edge as a quotient avoids cancellation
	// at low Q.
	x := math.Hypot(1, zeta) + zeta
	out.Q, out.DampingRatio = &q, &zeta
	out.BandwidthHz = new(out.FreqHz / q)
	out.FLowHz, out.FHighHz = new(out.FreqHz/x), new(out.FreqHz*x)
	switch {
	case tolerance.Below(zeta, 1):
		out.Damping = new("underdamped")
		out.DampedFreqHz = new(out.FreqHz * math.Sqrt((1-zeta)*(1+zeta)))
	case tolerance.Above(zeta, 1):
		out.Damping = new("overdamped")
	default:
		out.Damping = new("critical")
	}
	if tolerance.Below(q, 1) {
		out.Warn("Q is %g, below 1: the resonance is weak", tolerance.RoundBelow(q, 1, 3))
	}
	if tolerance.Above(q, 300) {
		out.Warn("Q is %g, above 300: the losses of coil and capacitor determine Q, not r_ohm",
			tolerance.RoundAbove(q, 300, 4))
	}
	return out, nil
}
