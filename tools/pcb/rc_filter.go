package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// RCFilter computes a filter of one resistor and one capacitor between a source and a load, which
// may have resistances.
var RCFilter = tools.Define(tools.Spec{
	Name:    "rc_filter",
	Title:   "RC filter",
	Summary: "First-order low-pass or high-pass filter: cutoff, resistor or capacitor, with source and load resistance",
	Method: "fc = 1/(2π Reff C), τ = Reff C. Low pass: Reff = (R + Rs) ∥ RL, gain g = RL/(R + Rs + RL); high pass: " +
		"Reff = Rs + (R ∥ RL), g = (R ∥ RL)/Reff. H(f) = g/(1 + j f/fc) or g (j f/fc)/(1 + j f/fc). Rise time (10 to 90 %) ln 9 τ, " +
		"settling to 1 % ln 100 τ. The standard value is the nearest one to the part that was computed",
	Sources: []string{
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), section 1.7",
		"IEC 60063:2015, preferred number series",
	},
	Limits: []string{
		"Resistive source and load, ideal parts; capacitors of class 2 ceramics lose capacitance with DC voltage",
		"One pole: two of these in a row load each other and are not the product of their responses",
	},
	Aliases: []string{"low pass filter", "high pass filter", "cutoff frequency", "corner frequency",
		"time constant", "-3 dB"},
	Primary: []string{"cutoff_hz", "r_ohm", "c_f"},
	Examples: []tools.Example{{
		Title: "1 kΩ and 100 nF at 10 kHz",
		In:    `{"r_ohm": 1000, "c_nf": 100, "freq_hz": 10000}`,
		Want:  `{"cutoff_hz": 1591.549, "time_constant_s": 0.000100000, "gain_db_at_freq": -16.07224, "phase_deg_at_freq": -80.95694, "standard_value": null, "warnings": []}`,
	}, {
		Title: "Resistor for 1 kHz with 10 nF",
		In:    `{"cutoff_hz": 1000, "c_nf": 10}`,
		Want:  `{"r_ohm": 15915.49, "standard_value": 16000, "standard_cutoff_hz": 994.7184, "warnings": []}`,
	}, {
		Title: "4.7 kΩ and 47 nF",
		In:    `{"r_ohm": 4700, "c_nf": 47}`,
		Want:  `{"cutoff_hz": 720.4841}`,
		From:  "atlas.org, 720 Hz",
	}},
}, rcFilter)

type rcFilterIn struct {
	ROhm *float64 `json:"r_ohm" unit:"Ω" gt:"0" max:"1e12" example:"1000" label:"Resistance" doc:"Resistance; two of r_ohm, a capacitance and cutoff_hz are required"`
	component.Capacitance
	CutoffHz   *float64 `json:"cutoff_hz" unit:"Hz" gt:"0" max:"1e15" label:"Cutoff frequency" doc:"Cutoff frequency, where the response is 3 dB below the passband"`
	FilterType string   `json:"filter_type" enum:"low_pass,high_pass" default:"low_pass" label:"Filter type" doc:"Passband of the filter"`
	SourceOhm  float64  `json:"source_ohm" unit:"Ω" min:"0" max:"1e12" default:"0" label:"Source resistance" doc:"Resistance of the source, for example the Thévenin resistance of a divider"`
	LoadOhm    *float64 `json:"load_ohm" unit:"Ω" gt:"0" max:"1e15" label:"Load resistance" doc:"Resistance of the load; default: no load"`
	FreqHz     *float64 `json:"freq_hz" unit:"Hz" gt:"0" max:"1e15" example:"10000" label:"Frequency" doc:"Frequency for gain and phase"`
	component.ESeries
}

type rcFilterOut struct {
	FilterType       string   `json:"filter_type" enum:"low_pass,high_pass" label:"Filter type" doc:"Passband of the filter"`
	ROhm             float64  `json:"r_ohm" unit:"Ω" label:"Resistance" doc:"Resistor"`
	CF               float64  `json:"c_f" unit:"F" label:"Capacitance" doc:"Capacitor"`
	CutoffHz         float64  `json:"cutoff_hz" unit:"Hz" label:"Cutoff frequency" doc:"Cutoff frequency, 3 dB below the passband"`
	TimeConstantS    float64  `json:"time_constant_s" unit:"s" label:"Time constant" doc:"Effective resistance times capacitance"`
	EffectiveROhm    float64  `json:"effective_r_ohm" unit:"Ω" label:"Effective resistance" doc:"Resistance seen by the capacitor, with source and load"`
	PassbandGain     float64  `json:"passband_gain" unit:"1" label:"Passband gain" doc:"Gain in the passband"`
	PassbandGainDB   float64  `json:"passband_gain_db" unit:"dB" label:"Passband gain (dB)" doc:"Gain in the passband"`
	RiseTimeS        *float64 `json:"rise_time_s" unit:"s" label:"Rise time" doc:"Rise time of the step response from 10 to 90 %; null for a high pass"`
	SettlingTimeS    float64  `json:"settling_time_1pct_s" unit:"s" label:"Settling time to 1 %" doc:"Settling time of the step response to 1 %"`
	GainDBAtFreq     *float64 `json:"gain_db_at_freq" unit:"dB" label:"Gain at frequency" doc:"Gain at freq_hz; null without it"`
	PhaseDegAtFreq   *float64 `json:"phase_deg_at_freq" unit:"°" label:"Phase at frequency" doc:"Phase at freq_hz; null without it"`
	StandardValue    *float64 `json:"standard_value" unit:"Ω or F" label:"Standard value" doc:"Preferred value nearest to the computed part, in Ω or F; null when both were given"`
	StandardCutoffHz *float64 `json:"standard_cutoff_hz" unit:"Hz" label:"Cutoff with standard value" doc:"Cutoff with the standard value; null when both parts were given"`
	CutoffErrorPct   *float64 `json:"cutoff_error_pct" unit:"%" label:"Cutoff error" doc:"Deviation of standard_cutoff_hz from the requested cutoff; null when both parts were given"`
	tools.Warnings
}

// rcPorts describes the source and load of the filter.
type rcPorts struct {
	highPass bool
	source   float64 // [Ω]
	load     float64 // load conductance [S]; 0 if there is none
}

// effective returns the resistance that the capacitor sees.
func (p rcPorts) effective(r float64) float64 {
	if p.highPass {
		return p.source + r/(1+r*p.load)
	}
	return (r + p.source) / (1 + (r+p.source)*p.load)
}

// gain returns the gain in the passband.
func (p rcPorts) gain(r float64) float64 {
	if p.highPass {
		return 1 / (1 + p.source/r*(1+r*p.load))
	}
	return 1 / (1 + (r+p.source)*p.load)
}

// resistor is the inverse of effective: it returns the resistor [Ω] for an effective resistance
// [Ω]. If no positive resistor exists, it returns the name of the input that prevents it, otherwise
// "".
func (p rcPorts) resistor(effective float64) (float64, string) {
	if p.highPass {
		shunt := effective - p.source
		switch {
		case shunt <= 0:
			return 0, "source_ohm"
		case shunt*p.load >= 1:
			return 0, "load_ohm"
		}
		return shunt / (1 - shunt*p.load), ""
	}
	if effective*p.load >= 1 {
		return 0, "load_ohm"
	}
	r := effective/(1-effective*p.load) - p.source
	if r <= 0 {
		return 0, "source_ohm"
	}
	return r, ""
}

func rcFilter(_ context.Context, in rcFilterIn) (rcFilterOut, error) {
	var f tools.FieldErrors
	c := in.Farads(&f)
	choice.Exactly(&f, 2, choice.Of("r_ohm", in.ROhm != nil),
		choice.Of(component.CapacitanceNames, c != nil), choice.Of("cutoff_hz", in.CutoffHz != nil))
	if err := f.Err(); err != nil {
		return rcFilterOut{}, err
	}
	ports := rcPorts{highPass: in.FilterType == "high_pass", source: in.SourceOhm}
	if in.LoadOhm != nil {
		ports.load = 1 / *in.LoadOhm
	}
	out := rcFilterOut{FilterType: in.FilterType}
	switch {
	case in.CutoffHz == nil:
		out.ROhm, out.CF = *in.ROhm, *c
		out.CutoffHz = cutoff(ports.effective(out.ROhm), out.CF)
		choice.Ignored(&out.Warnings, "resistor and capacitor are both given", in.OtherSeries())
	case c == nil:
		out.ROhm, out.CutoffHz = *in.ROhm, *in.CutoffHz
		out.CF = 1 / (2 * math.Pi * out.CutoffHz * ports.effective(out.ROhm))
		standard := in.Preferred().Nearest(out.CF)
		out.withStandard(out.CF, standard, cutoff(ports.effective(out.ROhm), standard))
	default:
		out.CF, out.CutoffHz = *c, *in.CutoffHz
		effective := 1 / (2 * math.Pi * out.CutoffHz * out.CF)
		var tooMuch string
		switch out.ROhm, tooMuch = ports.resistor(effective); tooMuch {
		case "source_ohm":
			f.AddValue(
				tooMuch, in.SourceOhm,
				"leaves no positive r_ohm: for cutoff_hz the capacitor must see %g Ω in all; lower cutoff_hz or take a smaller capacitor",
				tolerance.RoundDown(effective, 6),
			)
		case "load_ohm":
			f.AddValue(
				tooMuch, *in.LoadOhm,
				"leaves no positive r_ohm: for cutoff_hz the capacitor must see %g Ω in all; raise cutoff_hz or take a larger capacitor",
				tolerance.RoundUp(effective, 6),
			)
		}
		if err := f.Err(); err != nil {
			return out, err
		}
		standard := in.Preferred().Nearest(out.ROhm)
		out.withStandard(out.ROhm, standard, cutoff(ports.effective(standard), out.CF))
	}
	out.EffectiveROhm = ports.effective(out.ROhm)
	out.TimeConstantS = out.EffectiveROhm * out.CF
	out.PassbandGain = ports.gain(out.ROhm)
	out.PassbandGainDB = 20 * math.Log10(out.PassbandGain)
	if !ports.highPass {
		out.RiseTimeS = new(math.Log(9) * out.TimeConstantS)
	}
	out.SettlingTimeS = math.Log(100) * out.TimeConstantS
	if in.FreqHz != nil {
		out.respond(*in.FreqHz, ports.highPass)
	}
	out.warnOfParts()
	return out, nil
}

// respond computes gain and phase at a frequency [Hz].
func (out *rcFilterOut) respond(freqHz float64, highPass bool) {
	x := freqHz / out.CutoffHz
	phase := -math.Atan(x)
	if highPass {
		x = out.CutoffHz / freqHz
		phase = math.Atan(x)
	}
	out.GainDBAtFreq = new(out.PassbandGainDB - rollOff(x))
	out.PhaseDegAtFreq = new(phase * 180 / math.Pi)
}

// warnOfParts warns of a loss in the passband and of unusual values of R and C.
func (out *rcFilterOut) warnOfParts() {
	if out.PassbandGainDB < -1 {
		out.Warn("source and load reduce the passband gain by %.3g dB", -out.PassbandGainDB)
	}
	if tolerance.Below(out.ROhm, 100) {
		out.Warn(
			"R is %g Ω, below 100 Ω: the source resistance shifts the cutoff; use a smaller capacitor and a larger resistor",
			tolerance.RoundBelow(out.ROhm, 100, 4))
	}
	if tolerance.Above(out.ROhm, 1e6) {
		out.Warn(
			"R is %g MΩ, above 1 MΩ: leakage and noise matter; use a larger capacitor and a smaller resistor",
			tolerance.RoundAbove(out.ROhm/1e6, 1, 4))
	}
	if tolerance.Below(out.CF, 10e-12) {
		out.Warn(
			"C is %g pF, below 10 pF: stray capacitance shifts the cutoff; use a larger capacitor and a smaller resistor",
			tolerance.RoundBelow(out.CF*1e12, 10, 3))
	}
}

// withStandard adds the preferred value for the computed part.
func (out *rcFilterOut) withStandard(exact, standard, cutoffHz float64) {
	out.StandardValue, out.StandardCutoffHz = &standard, &cutoffHz
	out.CutoffErrorPct = new(100 * (cutoffHz/out.CutoffHz - 1))
	if off := standard/exact - 1; tolerance.Above(math.Abs(off), 0.05) {
		out.Warn(
			"the nearest standard value is %.2g %% off; use a finer series or combine two parts",
			100*off)
	}
}

// cutoff returns the cutoff frequency in hertz of a time constant R·C.
func cutoff(r, c float64) float64 { return 1 / (2 * math.Pi * r * c) }

// rollOff returns 10·log10(1 + x²) in dB without loss of precision for small or large x.
func rollOff(x float64) float64 {
	if x > 1 {
		return 20*math.Log10(x) + rollOff(1/x)
	}
	return 10 / math.Ln10 * math.Log1p(x*x)
}
