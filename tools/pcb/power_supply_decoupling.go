package pcb

import (
	"cmp"
	"context"
	"math"
	"math/cmplx"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// PowerSupplyDecoupling sizes the capacitors between a regulator and a load with current steps.
var PowerSupplyDecoupling = tools.Define(tools.Spec{
	Name:    "power_supply_decoupling",
	Title:   "Power supply decoupling",
	Summary: "Target impedance of a supply, with the number of ceramic capacitors and the bulk capacitance to meet it",
	Method: "Zt = ripple/current step; f = 0.35/rise time; |Z| = √(ESR² + (ωL - 1/(ωC))²); n = |Z|/Zt rounded up, at least 1, C less its loss at DC bias; " +
		"the bank meets Zt above 1/(2π n C Zt); bulk capacitance 1/(2π f_reg Zt) with ESR ≤ Zt. other_capacitors: |Z| of all in parallel; " +
		"its peaks lie between their self-resonances, for two of low ESR at 1/(2π √((L1 + L2) C1 C2/(C1 + C2)))",
	Sources: []string{
		"L. D. Smith et al., Power distribution system design methodology and capacitor selection for modern CMOS technology, IEEE Trans. Adv. Packaging 22 (1999) 284-291",
		"H. W. Johnson, M. Graham, High-Speed Digital Design (1993), chapter 8: power systems",
		"D. Brooks, ESR and Bypass Capacitor Self Resonant Behavior, UltraCAD Design (2000): anti-resonance of mixed values",
	},
	Limits: []string{
		"capacitors_needed counts the first kind alone; anti-resonance with the planes and the package is not modelled",
		"A flat target impedance up to one frequency; package and die take over above about 100 MHz",
		"Class 2 ceramics lose capacitance with DC voltage, up to 80 % near their rating: see dc_bias_loss_pct",
	},
	Aliases: []string{"PDN", "target impedance", "bypass capacitor", "decoupling capacitor",
		"bulk capacitor", "power integrity", "ESL", "anti-resonance"},
	Primary: []string{"capacitors_needed", "target_impedance_ohm"},
	Examples: []tools.Example{{
		Title: "3.3 V, 2 A step, 5 %, to 100 MHz",
		In:    `{"supply_v": 3.3, "transient_current_a": 2, "max_freq_mhz": 100}`,
		Want:  `{"target_impedance_ohm": 0.0825000, "capacitor_impedance_ohm": 0.6127295, "capacitors_needed": 8, "self_resonant_freq_hz": 1.591549e7, "bulk_capacitance_f": 1.929151e-4, "bank_low_freq_hz": 2.411439e6}`,
	}, {
		Title: "1.8 V core, edges of 3.5 ns",
		In:    `{"supply_v": 1.8, "transient_current_a": 1, "rise_time_ns": 3.5}`,
		Want:  `{"target_impedance_ohm": 0.09, "max_freq_hz": 1e8}`,
		From:  "by hand: 5 % of 1.8 V over 1 A, 0.35/3.5 ns",
	}, {
		Title: "10 µF ceramic that loses 80 % at 5 V",
		In:    `{"supply_v": 5, "transient_current_a": 1, "max_freq_mhz": 10, "c_uf": 10, "dc_bias_loss_pct": 80}`,
		Want:  `{"bank_capacitance_f": 2e-6, "self_resonant_freq_hz": 3.558813e6}`,
		From:  "by hand: 1/(2π √(1 nH × 2 µF))",
	}, {
		Title: "10 µF beside 100 nF, 1 nH each",
		In: `{"supply_v": 3.3, "transient_current_a": 0.1, "max_freq_mhz": 20,
			"other_capacitors": [{"c_uf": 10, "esr_mohm": 5}]}`,
		Want: `{"capacitors_needed": 1, "anti_resonance_hz": 1.116e7, "anti_resonance_ohm": 0.2048}`,
		From: "the largest |1/(1/Z1 + 1/Z2)| of 200 000 frequencies, in Python",
	}},
}, powerSupplyDecoupling)

type powerSupplyDecouplingIn struct {
	SupplyV           float64  `json:"supply_v" unit:"V" gt:"0" max:"1e6" example:"3.3" label:"Supply voltage" doc:"Supply voltage"`
	TransientCurrentA float64  `json:"transient_current_a" unit:"A" gt:"0" max:"1e6" example:"2" label:"Transient current" doc:"Step of the load current"`
	RipplePct         *float64 `json:"ripple_pct" unit:"%" gt:"0" max:"100" example:"5" label:"Allowed ripple (%)" doc:"Allowed deviation relative to the supply voltage, 5 by default; alternative to ripple_mv"`
	RippleMV          *float64 `json:"ripple_mv" unit:"mV" gt:"0" max:"1e9" label:"Allowed ripple (mV)" doc:"Allowed deviation"`
	MaxFreqMHz        *float64 `json:"max_freq_mhz" unit:"MHz" gt:"0" max:"1e6" example:"100" label:"Maximum frequency" doc:"Highest frequency for the target impedance; alternative to rise_time_ns"`
	RiseTimeNS        *float64 `json:"rise_time_ns" unit:"ns" gt:"0" max:"1e9" label:"Rise time" doc:"Rise time of the current step; the highest frequency is 0.35 divided by it"`
	component.Capacitance
	ESRMOhm               float64 `json:"esr_mohm" unit:"mΩ" gt:"0" max:"1e9" default:"20" label:"ESR" doc:"Equivalent series resistance of one capacitor"`
	ESLNH                 float64 `json:"esl_nh" unit:"nH" gt:"0" max:"1e9" default:"1" label:"ESL" doc:"Equivalent series inductance of one capacitor, with pads and vias"`
	RegulatorBandwidthKHz float64 `json:"regulator_bandwidth_khz" unit:"kHz" gt:"0" max:"1e9" default:"10" label:"Regulator bandwidth" doc:"Frequency up to which the regulator controls the voltage"`
	DCBiasLossPct         float64 `json:"dc_bias_loss_pct" unit:"%" min:"0" max:"95" default:"0" label:"Capacitance loss at DC bias" doc:"Capacitance loss of a class 2 ceramic at supply_v, from its data sheet"`

	Others *[]otherCapacitor `json:"other_capacitors" minItems:"1" maxItems:"8" label:"Other capacitors" doc:"Other capacitor types in parallel; gives the anti-resonance"`
}

type otherCapacitor struct {
	CUF     float64 `json:"c_uf" unit:"µF" gt:"0" max:"1e12" label:"Capacitance" doc:"Capacitance of one capacitor at DC bias"`
	Count   int     `json:"count" unit:"1" min:"1" max:"1000" default:"1" label:"Number" doc:"Number of capacitors in parallel"`
	ESRMOhm float64 `json:"esr_mohm" unit:"mΩ" gt:"0" max:"1e9" default:"20" label:"ESR" doc:"Equivalent series resistance of one capacitor"`
	ESLNH   float64 `json:"esl_nh" unit:"nH" gt:"0" max:"1e9" default:"1" label:"ESL" doc:"Equivalent series inductance of one capacitor"`
}

type powerSupplyDecouplingOut struct {
	RippleV            float64 `json:"ripple_v" unit:"V" label:"Allowed ripple" doc:"Allowed voltage deviation"`
	TargetImpedanceOhm float64 `json:"target_impedance_ohm" unit:"Ω" label:"Target impedance" doc:"Impedance limit of the supply"`
	MaxFreqHz          float64 `json:"max_freq_hz" unit:"Hz" label:"Maximum frequency" doc:"Highest frequency for the target impedance"`
	SelfResonantFreqHz float64 `json:"self_resonant_freq_hz" unit:"Hz" label:"Self-resonant frequency" doc:"Frequency above which one capacitor is inductive"`
	CapacitorImpedance float64 `json:"capacitor_impedance_ohm" unit:"Ω" label:"Capacitor impedance" doc:"Impedance of one capacitor at the highest frequency"`
	CapacitorsNeeded   int     `json:"capacitors_needed" unit:"1" label:"Capacitors needed" doc:"Number of capacitors in parallel"`
	BankImpedanceOhm   float64 `json:"bank_impedance_ohm" unit:"Ω" label:"Bank impedance" doc:"Impedance of all capacitors at the highest frequency"`
	BankCapacitanceF   float64 `json:"bank_capacitance_f" unit:"F" label:"Bank capacitance" doc:"Capacitance of all capacitors"`
	BankLowFreqHz      float64 `json:"bank_low_freq_hz" unit:"Hz" label:"Bank lower frequency" doc:"Frequency above which the bank meets the target"`
	BulkCapacitanceF   float64 `json:"bulk_capacitance_f" unit:"F" label:"Bulk capacitance" doc:"Bulk capacitance for the range from the regulator bandwidth to bank_low_freq_hz"`
	BulkESRMaxOhm      float64 `json:"bulk_esr_max_ohm" unit:"Ω" label:"Maximum bulk ESR" doc:"Highest series resistance of the bulk capacitance"`

	PeakHz    *float64         `json:"anti_resonance_hz" unit:"Hz" label:"Anti-resonance" doc:"Frequency of the highest impedance peak of all capacitors; null without other_capacitors and a peak"`
	PeakOhm   *float64         `json:"anti_resonance_ohm" unit:"Ω" label:"Anti-resonance impedance" doc:"Impedance at the anti-resonance"`
	Impedance []impedancePoint `json:"impedance" nullable:"true" plot:"freq_hz" label:"Impedance" doc:"Impedance of all capacitors over frequency; null without other_capacitors"`
	tools.Warnings
}

type impedancePoint struct {
	FreqHz float64 `json:"freq_hz" unit:"Hz" label:"Frequency" doc:"Frequency"`
	Ohm    float64 `json:"impedance_ohm" unit:"Ω" label:"Impedance" doc:"Magnitude of the impedance"`
}

func powerSupplyDecoupling(
	_ context.Context, in powerSupplyDecouplingIn,
) (powerSupplyDecouplingOut, error) {
	var f tools.FieldErrors
	choice.AtMost(&f, 1, choice.Of("ripple_pct", in.RipplePct != nil),
		choice.Of("ripple_mv", in.RippleMV != nil))
	choice.Exactly(&f, 1, choice.Of("max_freq_mhz", in.MaxFreqMHz != nil),
		choice.Of("rise_time_ns", in.RiseTimeNS != nil))
	c := choice.Or(in.Farads(&f), 100e-9) * (1 - in.DCBiasLossPct/100)
	if err := f.Err(); err != nil {
		return powerSupplyDecouplingOut{}, err
	}
	var out powerSupplyDecouplingOut
	if in.RippleMV != nil {
		out.RippleV = *in.RippleMV / 1e3
	} else {
		out.RippleV = in.SupplyV * choice.Or(in.RipplePct, 5) / 100
	}
	if in.MaxFreqMHz != nil {
		out.MaxFreqHz = *in.MaxFreqMHz * 1e6
	} else {
		out.MaxFreqHz = 0.35e9 / *in.RiseTimeNS
	}
	zt, esr, esl, regulator := out.RippleV/in.TransientCurrentA, in.ESRMOhm/1e3, in.ESLNH/1e9,
		in.RegulatorBandwidthKHz*1e3
	w := 2 * math.Pi * out.MaxFreqHz
	z := math.Hypot(esr, w*esl-1/(w*c))
	n, err := tolerance.Count(max(1, tolerance.Ceil(z/zt)), "transient_current_a",
		in.TransientCurrentA)
	if err != nil {
		return out, err
	}
	out.TargetImpedanceOhm, out.CapacitorImpedance, out.CapacitorsNeeded = zt, z, n
	out.SelfResonantFreqHz = 1 / (2 * math.Pi * math.Sqrt(esl*c))
	out.BankImpedanceOhm, out.BankCapacitanceF = z/float64(n), float64(n)*c
	out.BankLowFreqHz = 1 / (2 * math.Pi * out.BankCapacitanceF * zt)
	out.BulkCapacitanceF = 1 / (2 * math.Pi * regulator * zt)
	out.BulkESRMaxOhm = zt
	below := tolerance.Below(out.MaxFreqHz, out.SelfResonantFreqHz)
	switch {
	case n > 50 && below:
		out.Warn(
			"%d capacitors are impractical, and max_freq_mhz is below their self-resonance of %.4g MHz: use a larger c_uf or allow more ripple",
			n, out.SelfResonantFreqHz/1e6)
	case n > 50:
		out.Warn(
			"%d capacitors are impractical: at this frequency package and die limit the impedance; lower max_freq_mhz or allow more ripple",
			n)
	case below:
		out.Warn(
			"the highest frequency is below the self-resonance of %.4g MHz: the capacitors could be larger",
			out.SelfResonantFreqHz/1e6,
		)
	}
	if tolerance.Above(esr, zt) {
		out.Warn(
			"the series resistance of %g mΩ alone is above the target of %g mΩ; use capacitors with a lower ESR",
			tolerance.RoundAbove(esr*1e3, zt*1e3, 4), tolerance.RoundDown(zt*1e3, 4),
		)
	}
	if tolerance.Above(out.BankLowFreqHz, 100*regulator) {
		out.Warn(
			"the capacitors meet the target only above %.4g kHz, more than 100 times the regulator's bandwidth: the bulk capacitance must cover the gap",
			out.BankLowFreqHz/1e3,
		)
	}
	if in.Others != nil {
		banks := []bank{{float64(n), c, esr, esl}}
		for _, o := range *in.Others {
			banks = append(banks,
				bank{float64(o.Count), o.CUF / 1e6, o.ESRMOhm / 1e3, o.ESLNH / 1e9})
		}
		out.mix(banks)
	}
	return out, nil
}

// bank is a number of equal capacitors in parallel, with C, ESR and ESL of each [F, Ω, H].
type bank struct{ count, c, esr, esl float64 }

// resonance returns the self-resonant frequency [Hz].
func (b bank) resonance() float64 { return 1 / (2 * math.Pi * math.Sqrt(b.esl) * math.Sqrt(b.c)) }

// parallel returns the magnitude [Ω] of the impedance of all banks at a frequency [Hz].
func parallel(banks []bank, freq float64) float64 {
	w := 2 * math.Pi * freq
	var y complex128
	for _, b := range banks {
		y += complex(b.count, 0) / complex(b.esr, w*b.esl-1/(w*b.c))
	}
	return 1 / cmplx.Abs(y)
}

// mix computes the anti-resonance and the impedance curve of several kinds of capacitors. Between
// neighbouring self-resonances, one kind is inductive and the other capacitive, so each such gap
// contains a peak unless the ESR damps it.
func (out *powerSupplyDecouplingOut) mix(banks []bank) {
	slices.SortFunc(banks, func(a, b bank) int { return cmp.Compare(a.resonance(), b.resonance()) })
	const (
		steps  = 200 // samples per gap, evenly spaced on a logarithmic scale
		points = 41  // points of the curve
	)
	for i := range len(banks) - 1 {
		from, to := math.Log(banks[i].resonance()), math.Log(banks[i+1].resonance())
		at := func(x float64) float64 { return parallel(banks, math.Exp(x)) }
		best := 0
		width := (to - from) / steps
		for k := range steps + 1 {
			if at(from+float64(k)*width) > at(from+float64(best)*width) {
				best = k
			}
		}
		if best == 0 || best == steps {
			continue // the impedance is monotonic because the ESR damps the peak
		}
		lo, hi := from+float64(best-1)*width, from+float64(best+1)*width
		for range 100 {
			third := (hi - lo) / 3
			if at(lo+third) < at(hi-third) {
				lo += third
			} else {
				hi -= third
			}
		}
		if peak := at(lo); out.PeakOhm == nil || peak > *out.PeakOhm {
			out.PeakHz, out.PeakOhm = new(math.Exp(lo)), &peak
		}
	}
	if out.PeakOhm != nil && tolerance.Above(*out.PeakOhm, out.TargetImpedanceOhm) &&
		!tolerance.Above(*out.PeakHz, out.MaxFreqHz) {
		out.Warn(
			"the anti-resonance of %g mΩ at %.4g MHz is above the target of %g mΩ: use capacitors of higher ESR, more of them or a value in between",
			tolerance.RoundAbove(*out.PeakOhm*1e3, out.TargetImpedanceOhm*1e3, 4), *out.PeakHz/1e6,
			tolerance.RoundDown(out.TargetImpedanceOhm*1e3, 4),
		)
	}
	from := math.Log10(banks[0].resonance()) - 1
	to := math.Log10(math.Max(banks[len(banks)-1].resonance(), out.MaxFreqHz)) + 0.5
	for k := range points {
		f := math.Pow(10, from+(to-from)*float64(k)/(points-1))
		out.Impedance = append(out.Impedance, impedancePoint{f, parallel(banks, f)})
	}
}
