package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// OpAmpGain computes inverting, non-inverting and differential amplifiers with one op-amp.
var OpAmpGain = tools.Define(tools.Spec{
	Name:    "op_amp_gain",
	Title:   "Op-amp gain",
	Summary: "Inverting, non-inverting or differential op-amp stage: gain, feedback resistor, output, clipping, bandwidth, CMRR",
	Method: "Inverting -Rf/Rin; non-inverting 1 + Rf/Rin; differential Vout = V2 g - V1 Rf/R1 " +
		"with g = R4/(R3 + R4) (1 + Rf/R1), Acm = g - Rf/R1, Ad = (g + Rf/R1)/2. Noise gain 1 + " +
		"Rf/Rin, bandwidth GBW over noise gain, also for the inverting stage. Worst-case CMRR 20 " +
		"log10(Ad/(|Acm| + 2 tolerance R3/(R3 + R4) (g + Rf/R1))), first order in the tolerance. " +
		"For matched ratios it is 20 log10((1 + Rf/R1)/(4 tolerance)), to which unmatched ratios " +
		"add their |Acm|. Full-power bandwidth SR/(2π |Vout|), required slew rate 2π f |Vout| " +
		"for a sine of that peak; gain at a frequency |G|/√(1 + (f/bandwidth)²). Output offset, " +
		"worst case: offset voltage × noise gain + bias current × the larger of Rf and Rs × " +
		"noise gain, which oppose each other. Rs is the source of the non-inverting input, R3 ∥ " +
		"R4 when differential. Output noise density: √((en² + (in Rs)² + 4kT Rs) NG² + (in Rf)² " +
		"+ 4kT (Rf + Rin (Rf/Rin)²)) at 25 °C; rms = density × √(noise bandwidth), by default " +
		"π/2 × bandwidth",
	Sources: []string{
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), section 4.2; section 4.4 (slew rate, output swing, bandwidth, offset, bias current)",
		"R. Pallás-Areny, J. G. Webster, Common mode rejection ratio in differential amplifiers, IEEE Trans. Instrum. Meas. 40 (1991) 669-676",
		"Analog Devices, MT-039 (2008), Op Amp Total Output Offset Voltage Calculations, figure 1",
		"Texas Instruments, OPA161x data sheet SBOS450, figure 32: noise calculation in gain configurations",
	},
	Limits: []string{
		"Ideal amplifier but for gain-bandwidth product, slew rate, output headroom, offset, bias current and noise: no finite CMRR of its own",
		"White noise: below the 1/f corner of the data sheet the amplifier has more",
		"Outputs of real amplifiers stop short of the supplies, rail-to-rail ones by millivolts, others by 1 to 2 V: set output_headroom_v",
	},
	Aliases: []string{"operational amplifier", "inverting amplifier", "non-inverting amplifier",
		"difference amplifier", "feedback resistor", "CMRR", "GBW", "op amp noise"},
	Primary: []string{"rf_ohm", "rin_ohm", "gain"},
	Examples: []tools.Example{{
		Title: "Inverting, 47 kΩ over 4.7 kΩ",
		In:    `{"rin_ohm": 4700, "rf_ohm": 47000, "vin_v": 0.1, "gbw_hz": 1000000}`,
		Want:  `{"gain": -10, "gain_db": 20.0000, "vout_v": -1.0000, "noise_gain": 11, "bandwidth_hz": 90909.09, "clipped": null, "warnings": []}`,
	}, {
		Title: "NE5532 at ±15 V: 13.5 V of sine at 20 kHz",
		In: `{"configuration": "non_inverting", "rin_ohm": 1000, "rf_ohm": 9000, "vin_v": 1.35, "gbw_hz": 10000000, "slew_rate_v_us": 9, "freq_hz": 20000,
			"supply_positive_v": 15, "supply_negative_v": -15, "output_headroom_v": 1.5}`,
		Want: `{"vout_v": 13.500, "clipped": false, "full_power_bandwidth_hz": 1.06e5, "required_slew_rate_v_us": 1.70, "bandwidth_hz": 1.00e6, "warnings": []}`,
		From: "rftools.io, op-amp slew rate calculator, worked example",
	}, {
		Title: "Offset of a general-purpose amplifier",
		In:    `{"rin_ohm": 4700, "rf_ohm": 47000, "vin_v": 0.1, "input_offset_mv": 2, "input_bias_na": 100}`,
		Want:  `{"output_offset_v": 0.0267}`,
		From:  "by hand: 2 mV × 11 + 100 nA × 47 kΩ",
	}, {
		Title: "Noise of a preamplifier of gain 101",
		In:    `{"configuration": "non_inverting", "rin_ohm": 1010, "rf_ohm": 101000, "gbw_hz": 5200000, "noise_voltage_nv": 16, "source_ohm": 1000}`,
		Want:  `{"noise_gain": 101, "noise_bandwidth_hz": 8.09e4, "output_noise_uv": 4.88e2}`,
		From:  "TamakoHe, ESD review 2023 Q4: 8.08e4 Hz, 4.885e-4 V",
	}},
}, opAmpGain)

type opAmpGainIn struct {
	Configuration   string   `json:"configuration" enum:"inverting,non_inverting,differential" default:"inverting" label:"Configuration" doc:"Amplifier configuration"`
	RinOhm          *float64 `json:"rin_ohm" unit:"Ω" gt:"0" max:"1e12" example:"4700" label:"Rin" doc:"Input resistor; from the inverting input to ground when non-inverting. Required unless differential"`
	RfOhm           *float64 `json:"rf_ohm" unit:"Ω" min:"0" max:"1e12" example:"47000" label:"Rf" doc:"Feedback resistor; 0 only when non-inverting; alternative to target_gain"`
	TargetGain      *float64 `json:"target_gain" unit:"1" min:"-1e9" max:"1e9" label:"Target gain" doc:"Target gain; gives rf_ohm: negative when inverting, at least 1 when non-inverting"`
	R1Ohm           *float64 `json:"r1_ohm" unit:"Ω" gt:"0" max:"1e12" label:"R1" doc:"Differential: resistor from v1_v to the inverting input"`
	R3Ohm           *float64 `json:"r3_ohm" unit:"Ω" gt:"0" max:"1e12" label:"R3" doc:"Differential: resistor from v2_v to the non-inverting input; default r1_ohm"`
	R4Ohm           *float64 `json:"r4_ohm" unit:"Ω" gt:"0" max:"1e12" label:"R4" doc:"Differential: resistor from the non-inverting input to ground; default rf_ohm"`
	VinV            *float64 `json:"vin_v" unit:"V" min:"-1e9" max:"1e9" example:"0.1" label:"Input voltage" doc:"Input voltage"`
	V1V             *float64 `json:"v1_v" unit:"V" min:"-1e9" max:"1e9" label:"Input voltage V1" doc:"Differential: voltage at R1"`
	V2V             *float64 `json:"v2_v" unit:"V" min:"-1e9" max:"1e9" label:"Input voltage V2" doc:"Differential: voltage at R3"`
	GBWHz           *float64 `json:"gbw_hz" unit:"Hz" gt:"0" max:"1e15" example:"1000000" label:"Gain-bandwidth product" doc:"Gain-bandwidth product of the amplifier"`
	SupplyPositiveV *float64 `json:"supply_positive_v" unit:"V" min:"-1e6" max:"1e6" label:"Positive supply" doc:"Positive supply voltage, which limits the output"`
	SupplyNegativeV *float64 `json:"supply_negative_v" unit:"V" min:"-1e6" max:"1e6" label:"Negative supply" doc:"Negative supply voltage, which limits the output; 0 for a single supply"`
	TolerancePct    *float64 `json:"tolerance_pct" unit:"%" min:"0" max:"50" label:"Resistor tolerance" doc:"Tolerance of the resistors, for the worst-case CMRR of a differential stage"`
	SlewRate        *float64 `json:"slew_rate_v_us" unit:"V/µs" gt:"0" max:"1e9" label:"Slew rate" doc:"Slew rate of the amplifier; gives the full-power bandwidth"`
	FreqHz          *float64 `json:"freq_hz" unit:"Hz" gt:"0" max:"1e15" label:"Signal frequency" doc:"Frequency of a sine whose peak is the input voltage"`
	HeadroomV       float64  `json:"output_headroom_v" unit:"V" min:"0" max:"1e6" default:"0" label:"Output headroom" doc:"Minimum distance of the output from each supply: millivolts for rail-to-rail outputs, otherwise 1 to 2 V"`
	component.ESeries
	OffsetMV *float64 `json:"input_offset_mv" unit:"mV" min:"0" max:"1e6" label:"Input offset voltage" doc:"Maximum input offset voltage of the amplifier; gives output_offset_v"`
	BiasNA   *float64 `json:"input_bias_na" unit:"nA" min:"0" max:"1e9" label:"Input bias current" doc:"Maximum input bias current of each input, of the same direction in both"`

	NoiseNV     *float64 `json:"noise_voltage_nv" unit:"nV/√Hz" min:"0" max:"1e9" label:"Input voltage noise" doc:"Input voltage noise density of the amplifier; gives the output noise"`
	NoisePA     float64  `json:"noise_current_pa" unit:"pA/√Hz" min:"0" max:"1e9" default:"0" label:"Input current noise" doc:"Input current noise density of each input; used with noise_voltage_nv"`
	SourceOhm   float64  `json:"source_ohm" unit:"Ω" min:"0" max:"1e12" default:"0" label:"Source resistance" doc:"Source resistance at the non-inverting input, for noise and offset; not for differential"`
	NoiseBandHz *float64 `json:"noise_bandwidth_hz" unit:"Hz" gt:"0" max:"1e15" label:"Noise bandwidth" doc:"Bandwidth of the output noise; default π/2 times the closed-loop bandwidth from gbw_hz"`
}

type opAmpGainOut struct {
	Gain              float64  `json:"gain" unit:"1" label:"Gain" doc:"Voltage gain; of the difference V2 - V1 when differential"`
	GainDB            float64  `json:"gain_db" unit:"dB" label:"Gain (dB)" doc:"Magnitude of the gain"`
	NoiseGain         float64  `json:"noise_gain" unit:"1" label:"Noise gain" doc:"Gain from the amplifier's own inputs to the output"`
	RfOhm             float64  `json:"rf_ohm" unit:"Ω" label:"Rf" doc:"Feedback resistor"`
	RinOhm            float64  `json:"rin_ohm" unit:"Ω" label:"Rin" doc:"Input resistor, R1 when differential"`
	StandardOhm       *float64 `json:"standard_ohm" unit:"Ω" label:"Standard Rf" doc:"Preferred value nearest to rf_ohm; null without target_gain"`
	StandardGain      *float64 `json:"standard_gain" unit:"1" label:"Gain with standard Rf" doc:"Gain with standard_ohm; null without target_gain"`
	VoutV             *float64 `json:"vout_v" unit:"V" label:"Output voltage" doc:"Output voltage, limited by the supplies when given; null without an input"`
	VoutIdealV        *float64 `json:"vout_ideal_v" unit:"V" label:"Ideal output voltage" doc:"Output voltage without limits; null without an input"`
	Clipped           *bool    `json:"clipped" label:"Clipped" doc:"The supplies limit the output; null without an input or supplies"`
	BandwidthHz       *float64 `json:"bandwidth_hz" unit:"Hz" label:"Bandwidth" doc:"-3 dB bandwidth; null without gbw_hz"`
	InputImpedanceOhm *float64 `json:"input_impedance_ohm" unit:"Ω" label:"Input impedance" doc:"Input impedance of the stage; between both inputs when differential; null is very high"`
	DifferentialGain  *float64 `json:"differential_gain" unit:"1" label:"Differential gain" doc:"Gain of V2 - V1; null unless differential"`
	CommonModeGain    *float64 `json:"common_mode_gain" unit:"1" label:"Common-mode gain" doc:"Gain of the common-mode input; null unless differential"`
	CMRRDB            *float64 `json:"cmrr_db" unit:"dB" label:"CMRR" doc:"Common-mode rejection ratio of these resistors; null when perfect or not differential"`
	CMRRWorstCaseDB   *float64 `json:"cmrr_worst_case_db" unit:"dB" label:"Worst-case CMRR" doc:"Common-mode rejection with all resistors at the edge of the tolerance; null without tolerance_pct or unless differential"`
	FullPowerHz       *float64 `json:"full_power_bandwidth_hz" unit:"Hz" label:"Full-power bandwidth" doc:"Highest frequency of a sine with the peak vout_v; null without slew_rate_v_us and an output"`
	RequiredSlewRate  *float64 `json:"required_slew_rate_v_us" unit:"V/µs" label:"Required slew rate" doc:"Slew rate of a sine with the peak vout_v at freq_hz; null without freq_hz and an output"`
	GainAtFreqDB      *float64 `json:"gain_at_freq_db" unit:"dB" label:"Gain at the frequency" doc:"Magnitude of the gain at freq_hz; null without freq_hz and gbw_hz"`
	OutputOffsetV     *float64 `json:"output_offset_v" unit:"V" label:"Output offset" doc:"Maximum offset of the output; null without input_offset_mv and input_bias_na"`
	NoiseDensity      *float64 `json:"output_noise_nv" unit:"nV/√Hz" label:"Output noise density" doc:"Output noise density of amplifier and resistors; null without noise_voltage_nv"`
	NoiseBandwidth    *float64 `json:"noise_bandwidth_hz" unit:"Hz" label:"Noise bandwidth" doc:"Bandwidth of the output noise; null without noise_voltage_nv and a bandwidth"`
	NoiseUV           *float64 `json:"output_noise_uv" unit:"µV" label:"Output noise, rms" doc:"RMS output noise over the noise bandwidth"`
	tools.Warnings
}

// usualSwingV is the maximum output voltage [V] of op-amps with a total supply of 36 V.
const usualSwingV = 18

func opAmpGain(_ context.Context, in opAmpGainIn) (opAmpGainOut, error) {
	var f tools.FieldErrors
	if in.SupplyPositiveV != nil && in.SupplyNegativeV != nil &&
		*in.SupplyPositiveV <= *in.SupplyNegativeV {
		f.AddValue("supply_positive_v", *in.SupplyPositiveV,
			"must be above supply_negative_v (%g V)",
			*in.SupplyNegativeV)
	} else if in.SupplyPositiveV != nil && in.SupplyNegativeV != nil &&
		*in.SupplyPositiveV-*in.SupplyNegativeV <= 2*in.HeadroomV {
		f.AddValue("output_headroom_v", in.HeadroomV,
			"must be below half of the %g V between the supplies",
			tolerance.RoundDown(*in.SupplyPositiveV-*in.SupplyNegativeV, 6))
	}
	var out opAmpGainOut
	if in.Configuration == "differential" {
		out.differential(&f, in)
	} else {
		out.single(&f, in)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	out.GainDB = 20 * math.Log10(math.Abs(out.Gain))
	out.limit(in)
	if in.GBWHz != nil {
		out.BandwidthHz = new(*in.GBWHz / out.NoiseGain)
		if tolerance.Below(*out.BandwidthHz, 20e3) {
			out.Warn(
				"the bandwidth of %g kHz is below 20 kHz: use a faster amplifier or less gain",
				tolerance.RoundBelow(*out.BandwidthHz/1e3, 20, 4))
		}
	}
	out.dynamics(in)
	source := out.plusResistance(in)
	out.noise(in, source)
	if in.OffsetMV != nil || in.BiasNA != nil {
		offset := choice.Or(in.OffsetMV, 0)*1e-3*out.NoiseGain +
			choice.Or(in.BiasNA, 0)*1e-9*max(out.RfOhm, source*out.NoiseGain)
		out.OutputOffsetV = &offset
		if out.VoutV != nil && tolerance.Above(offset, 0.1*math.Abs(*out.VoutV)) {
			out.Warn(
				"the output offset of up to %.4g V is above a tenth of the output: use a precision amplifier, lower resistors or ac coupling",
				offset,
			)
		}
	}
	if tolerance.Above(out.RfOhm, 1e6) {
		out.Warn("Rf is %g MΩ, above 1 MΩ: bias current, noise and stray capacitance matter",
			tolerance.RoundAbove(out.RfOhm/1e6, 1, 4))
	}
	if out.RfOhm > 0 && tolerance.Below(out.RfOhm, 1e3) {
		out.Warn("Rf is %g Ω, below 1 kΩ: the output has to drive it",
			tolerance.RoundBelow(out.RfOhm, 1e3, 4))
	}
	return out, nil
}

// single computes a stage with one input.
func (out *opAmpGainOut) single(f *tools.FieldErrors, in opAmpGainIn) {
	inverting := in.Configuration == "inverting"
	if in.RinOhm == nil {
		f.Add("rin_ohm", "is required for configuration %s", in.Configuration)
	}
	choice.Exactly(f, 1, choice.Of("rf_ohm", in.RfOhm != nil),
		choice.Of("target_gain", in.TargetGain != nil))
	switch g := in.TargetGain; {
	case g != nil && inverting && *g >= 0:
		f.AddValue("target_gain", *g, "must be negative for an inverting stage")
	case g != nil && !inverting && *g < 1:
		f.AddValue("target_gain", *g, "must be at least 1 for a non-inverting stage")
	}
	if inverting && in.RfOhm != nil && *in.RfOhm == 0 {
		f.AddValue("rf_ohm", *in.RfOhm, "must be greater than 0 for an inverting stage")
	}
	if f.Err() != nil {
		return
	}
	choice.Ignored(
		&out.Warnings, "it belongs to a differential stage", choice.Of("r1_ohm", in.R1Ohm != nil),
		choice.Of("r3_ohm", in.R3Ohm != nil),
		choice.Of("r4_ohm", in.R4Ohm != nil),
		choice.Of("v1_v", in.V1V != nil), choice.Of("v2_v", in.V2V != nil),
		choice.Of("tolerance_pct", in.TolerancePct != nil),
	)
	gain := func(rf float64) float64 {
		if inverting {
			return -rf / *in.RinOhm
		}
		return 1 + rf / *in.RinOhm
	}
	out.RinOhm = *in.RinOhm
	if in.TargetGain != nil {
		out.Gain = *in.TargetGain
		out.RfOhm = -out.Gain * out.RinOhm
		if !inverting {
			out.RfOhm = (out.Gain - 1) * out.RinOhm
		}
		standard := 0.0 // 0 Ω for a voltage follower
		if out.RfOhm > 0 {
			standard = in.Preferred().Nearest(out.RfOhm)
		}
		out.StandardOhm, out.StandardGain = &standard, new(gain(standard))
	} else {
		out.RfOhm = *in.RfOhm
		out.Gain = gain(out.RfOhm)
		choice.Ignored(&out.Warnings, "rf_ohm is given", in.OtherSeries())
	}
	out.NoiseGain = 1 + out.RfOhm/out.RinOhm
	if inverting {
		out.InputImpedanceOhm = in.RinOhm
	}
	if in.VinV != nil {
		out.VoutIdealV = new(out.Gain * *in.VinV)
	}
}

// differential computes a stage with two inputs.
func (out *opAmpGainOut) differential(f *tools.FieldErrors, in opAmpGainIn) {
	if in.R1Ohm == nil {
		f.Add("r1_ohm", "is required for a differential stage")
	}
	switch {
	case in.RfOhm == nil:
		f.Add("rf_ohm", "is required for a differential stage")
	case *in.RfOhm == 0:
		f.AddValue("rf_ohm", *in.RfOhm, "must be greater than 0 for a differential stage")
	}
	if f.Err() != nil {
		return
	}
	choice.Ignored(
		&out.Warnings, "it has no meaning for a differential stage",
		choice.Of("rin_ohm", in.RinOhm != nil),
		choice.Of("target_gain", in.TargetGain != nil),
		choice.Of("vin_v", in.VinV != nil), in.OtherSeries(),
	)
	r1, rf := *in.R1Ohm, *in.RfOhm
	r3, r4 := choice.Or(in.R3Ohm, r1), choice.Or(in.R4Ohm, rf)
	out.RinOhm, out.RfOhm, out.NoiseGain = r1, rf, 1+rf/r1
	g := r4 / (r3 + r4) * out.NoiseGain // gain of V2
	out.Gain = (g + rf/r1) / 2
	// g - Rf/R1 with a common denominator. For matched ratios it is exactly 0.
	imbalance := r4*r1 - rf*r3
	if math.Abs(imbalance) <= 1e-14*(r4*r1) {
		imbalance = 0
	}
	common := imbalance / (r3 + r4) / r1
	out.DifferentialGain, out.CommonModeGain = new(out.Gain), &common
	out.InputImpedanceOhm = new(r1 + r3)
	if common != 0 {
		out.CMRRDB = new(20 * math.Log10(math.Abs(out.Gain/common)))
	}
	if in.TolerancePct != nil && *in.TolerancePct > 0 {
		// The tolerances change Acm = r (1 + k) - k, with r = R4/(R3 + R4) and k = Rf/R1, by up to
		// 2 tolerance (1 - r)(r (1 + k) + k). For matched ratios the CMRR is (1 + k)/(4 tolerance).
		spread := 2 * *in.TolerancePct / 100 * r3 / (r3 + r4) * (g + rf/r1)
		out.CMRRWorstCaseDB = new(20 * math.Log10(math.Abs(out.Gain)/(math.Abs(common)+spread)))
	}
	for _, c := range [...]struct {
		db   *float64
		what string
	}{{out.CMRRDB, "of these resistors"},
		{out.CMRRWorstCaseDB, "in the worst case of the tolerance"}} {
		if c.db != nil && tolerance.Below(*c.db, 60) {
			out.Warn(
				"the common-mode rejection %s is %g dB, below 60 dB; use matched resistors or an instrumentation amplifier",
				c.what, tolerance.RoundBelow(*c.db, 60, 3),
			)
		}
	}
	switch {
	case in.V1V != nil && in.V2V != nil:
		// Equals V2 g - V1 Rf/R1, but avoids the difference of two large products.
		out.VoutIdealV = new(out.Gain*(*in.V2V-*in.V1V) + common*(*in.V1V/2+*in.V2V/2))
	case in.V1V != nil || in.V2V != nil:
		choice.Ignored(&out.Warnings, "the output needs both v1_v and v2_v",
			choice.Of("v1_v", in.V1V != nil), choice.Of("v2_v", in.V2V != nil))
	}
}

// limit clips the output to the supplies minus the headroom.
func (out *opAmpGainOut) limit(in opAmpGainIn) {
	hi, lo := in.SupplyPositiveV, in.SupplyNegativeV
	if (hi == nil) != (lo == nil) {
		choice.Ignored(&out.Warnings,
			"clipping needs both supplies; supply_negative_v is 0 for a single one",
			choice.Of("supply_positive_v", hi != nil), choice.Of("supply_negative_v", lo != nil))
	}
	if out.VoutIdealV == nil {
		return
	}
	ideal := *out.VoutIdealV
	if hi == nil || lo == nil {
		out.VoutV = &ideal
		if math.Abs(ideal) > usualSwingV {
			out.Warn(
				"an output of %.6g V is beyond common amplifiers (36 V of supply in all): give supply_positive_v and supply_negative_v to see where it clips",
				ideal,
			)
		}
		return
	}
	v := min(max(ideal, *lo+in.HeadroomV), *hi-in.HeadroomV)
	out.VoutV, out.Clipped = &v, new(v != ideal)
	if *out.Clipped {
		out.Warn("the output clips: the ideal output is %.6g V, the supplies allow %g to %g V; lower the gain or the input",
			ideal, *lo+in.HeadroomV, *hi-in.HeadroomV)
	}
}

// dynamics compares a sine whose peak equals the output with the slew rate and bandwidth limits.
func (out *opAmpGainOut) dynamics(in opAmpGainIn) {
	if in.FreqHz != nil && out.BandwidthHz != nil {
		ratio := *in.FreqHz / *out.BandwidthHz
		loss := 20 * math.Log10(math.Hypot(1, ratio))
		out.GainAtFreqDB = new(out.GainDB - loss)
		if tolerance.Above(ratio, 1) {
			out.Warn(
				"freq_hz %g is above the bandwidth of %g Hz: the gain is %.3g dB lower there",
				*in.FreqHz, tolerance.RoundDown(*out.BandwidthHz, 4), loss)
		}
	}
	if out.VoutV == nil || *out.VoutV == 0 {
		return
	}
	peak := math.Abs(*out.VoutV)
	if in.SlewRate != nil {
		out.FullPowerHz = new(*in.SlewRate * 1e6 / (2 * math.Pi * peak))
	}
	if in.FreqHz != nil {
		out.RequiredSlewRate = new(2 * math.Pi * *in.FreqHz * peak / 1e6)
		if in.SlewRate != nil && tolerance.Above(*out.RequiredSlewRate, *in.SlewRate) {
			out.Warn(
				"a sine of %.4g V peak at %g Hz needs %g V/µs, above slew_rate_v_us %g: the output turns into a triangle; use a faster amplifier or a smaller output",
				peak, *in.FreqHz, tolerance.RoundAbove(*out.RequiredSlewRate, *in.SlewRate, 4),
				*in.SlewRate,
			)
		}
	}
}

// plusResistance returns the source resistance [Ω] at the non-inverting input: R3 ∥ R4 of a
// differential stage, otherwise source_ohm.
func (out *opAmpGainOut) plusResistance(in opAmpGainIn) float64 {
	given := choice.Of("source_ohm", in.SourceOhm > 0)
	if in.Configuration == "differential" {
		choice.Ignored(&out.Warnings, "R3 and R4 are the source of a differential stage", given)
		r3, r4 := choice.Or(in.R3Ohm, out.RinOhm), choice.Or(in.R4Ohm, out.RfOhm)
		return r3 / (r3 + r4) * r4
	}
	if in.NoiseNV == nil && in.BiasNA == nil {
		choice.Ignored(&out.Warnings, "it needs noise_voltage_nv or input_bias_na", given)
	}
	return in.SourceOhm
}

// noise adds the noise of the op-amp and its resistors at 25 °C. source is the resistance at the
// non-inverting input [Ω].
func (out *opAmpGainOut) noise(in opAmpGainIn, source float64) {
	if in.NoiseNV == nil {
		choice.Ignored(&out.Warnings, "it needs noise_voltage_nv",
			choice.Of("noise_current_pa", in.NoisePA > 0),
			choice.Of("noise_bandwidth_hz", in.NoiseBandHz != nil))
		return
	}
	const (
		fourKT = 4 * phys.Boltzmann * (25 + phys.ZeroC) // [V²/(Hz·Ω)]
		nano   = 1e-9
		pico   = 1e-12
	)
	current := in.NoisePA * pico
	ratio := out.RfOhm / out.RinOhm
	resistors := fourKT * (out.RfOhm + ratio*out.RfOhm) // noise of Rf and Rin at the output [V²/Hz]
	plus := math.Hypot(*in.NoiseNV*nano, math.Hypot(current*source, math.Sqrt(fourKT*source)))
	density := math.Hypot(math.Hypot(plus*out.NoiseGain, current*out.RfOhm), math.Sqrt(resistors))
	out.NoiseDensity = new(density / nano)
	if math.Sqrt(resistors) > *in.NoiseNV*nano*out.NoiseGain {
		out.Warn(
			"the resistors Rf and Rin have more noise than the amplifier's en: lower both in proportion",
		)
	}
	if current*math.Hypot(out.RfOhm, source*out.NoiseGain) > *in.NoiseNV*nano*out.NoiseGain {
		out.Warn(
			"the current noise has more effect than en: lower the resistances or use a FET-input amplifier",
		)
	}
	switch {
	case in.NoiseBandHz != nil:
		out.NoiseBandwidth = in.NoiseBandHz
	case out.BandwidthHz != nil:
		out.NoiseBandwidth = new(math.Pi / 2 * *out.BandwidthHz)
	default:
		return
	}
	out.NoiseUV = new(density * math.Sqrt(*out.NoiseBandwidth) * 1e6)
}
