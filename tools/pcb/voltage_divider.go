package pcb

import (
	"context"
	"math"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// VoltageDivider analyses or designs a divider of two resistors.
var VoltageDivider = tools.Define(tools.Spec{
	Name:    "voltage_divider",
	Title:   "Voltage divider",
	Summary: "Output of a resistive divider with load and tolerance, a missing resistor, the best pair of standard values, or the input voltage",
	Method: "Vout = Vin R2'/(R1 + R2') with R2' = R2 ∥ load; corners with R1 (1 ± t) and R2 (1 ∓ t); Thévenin resistance R1 R2/(R1 + R2). " +
		"Vin with R1 and R2: analyse. Vin, Vout and one resistor: solve for the other. Vin and Vout: of all pairs of the series with " +
		"R1 + R2 from total_min_ohm to total_max_ohm, the ones with the smallest |error|, then the larger total, then the larger R1. " +
		"Vout with R1 and R2: the input. For a bare ratio give vin_v 1",
	Sources: []string{
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), sections 1.2.3 and 1.2.5",
		"IEC 60063:2015, preferred number series",
	},
	Limits: []string{
		"Resistive load and an ideal voltage source; the load itself has no tolerance",
		"The search skips resistors below 1 µΩ or a hundredth of what the smallest total asks for",
	},
	Aliases: []string{"potential divider", "resistor divider", "potentiometer", "feedback divider",
		"R1 R2", "Thevenin"},
	Primary: []string{"vout_v", "r1_ohm", "r2_ohm", "vin_v"},
	Examples: []tools.Example{{
		Title: "12 V, 10 kΩ over 3.3 kΩ, loaded with 100 kΩ",
		In:    `{"vin_v": 12, "r1_ohm": 10000, "r2_ohm": 3300, "load_ohm": 100000}`,
		Want:  `{"mode": "analyze", "vout_v": 2.905356, "vout_min_v": 2.862240, "vout_max_v": 2.948912, "vout_unloaded_v": 2.977444, "current_a": 9.094644e-4, "thevenin_ohm": 2481.203, "warnings": []}`,
	}, {
		Title: "E24 pair for 3.3 V from 5 V",
		In:    `{"vin_v": 5, "vout_v": 3.3}`,
		Want:  `{"mode": "choose", "r1_ohm": 4700, "r2_ohm": 9100, "vout_v": 3.297101, "error_pct": -0.0878349}`,
	}, {
		Title: "12 V for a 5 V input",
		In:    `{"vin_v": 12, "r1_ohm": 10000, "r2_ohm": 4700}`,
		Want:  `{"vout_v": 3.836735}`,
		From:  "by hand: 12 × 4700/14700",
	}},
}, voltageDivider)

type voltageDividerIn struct {
	VinV         *float64 `json:"vin_v" unit:"V" min:"-1e9" max:"1e9" example:"12" label:"Input voltage" doc:"Input voltage, not 0"`
	VoutV        *float64 `json:"vout_v" unit:"V" min:"-1e9" max:"1e9" label:"Output voltage" doc:"Target output voltage, or the measured one when vin_v is missing"`
	R1Ohm        *float64 `json:"r1_ohm" unit:"Ω" gt:"0" max:"1e12" example:"10000" label:"R1 (input to output)" doc:"Resistor from input to output"`
	R2Ohm        *float64 `json:"r2_ohm" unit:"Ω" gt:"0" max:"1e12" example:"3300" label:"R2 (output to ground)" doc:"Resistor from output to ground"`
	LoadOhm      *float64 `json:"load_ohm" unit:"Ω" gt:"0" max:"1e15" example:"100000" label:"Load resistance" doc:"Load from output to ground; default: no load"`
	TolerancePct float64  `json:"tolerance_pct" unit:"%" min:"0" max:"50" default:"1" label:"Resistor tolerance" doc:"Tolerance of both resistors"`
	component.ESeries
	TotalMinOhm float64 `json:"total_min_ohm" unit:"Ω" min:"0.001" max:"1e12" default:"1000" label:"Minimum R1 + R2" doc:"Lowest R1 + R2 for the choice of a pair"`
	TotalMaxOhm float64 `json:"total_max_ohm" unit:"Ω" min:"0.001" max:"1e12" default:"100000" label:"Maximum R1 + R2" doc:"Highest R1 + R2 for the choice of a pair"`
	MaxResults  int     `json:"max_results" unit:"1" min:"1" max:"20" default:"5" label:"Number of pairs" doc:"Number of pairs to list"`
}

type voltageDividerOut struct {
	Mode          string        `json:"mode" enum:"analyze,solve,choose,infer_vin" label:"Mode" doc:"Computation, determined by the given inputs"`
	VinV          float64       `json:"vin_v" unit:"V" label:"Input voltage" doc:"Input voltage"`
	VoutV         float64       `json:"vout_v" unit:"V" label:"Output voltage" doc:"Output voltage with the load"`
	VoutUnloadedV float64       `json:"vout_unloaded_v" unit:"V" label:"Unloaded output voltage" doc:"Output voltage without the load"`
	Ratio         float64       `json:"ratio" unit:"1" label:"Divider ratio" doc:"vout_v divided by vin_v"`
	R1Ohm         float64       `json:"r1_ohm" unit:"Ω" label:"R1 (input to output)" doc:"Resistor from input to output"`
	R2Ohm         float64       `json:"r2_ohm" unit:"Ω" label:"R2 (output to ground)" doc:"Resistor from output to ground"`
	VoutMinV      float64       `json:"vout_min_v" unit:"V" label:"Minimum output voltage" doc:"Lowest output within the tolerance"`
	VoutMaxV      float64       `json:"vout_max_v" unit:"V" label:"Maximum output voltage" doc:"Highest output within the tolerance"`
	CurrentA      float64       `json:"current_a" unit:"A" label:"Source current" doc:"Current from the source"`
	PowerR1W      float64       `json:"power_r1_w" unit:"W" label:"R1 power" doc:"Power dissipated in R1"`
	PowerR2W      float64       `json:"power_r2_w" unit:"W" label:"R2 power" doc:"Power dissipated in R2"`
	TheveninOhm   float64       `json:"thevenin_ohm" unit:"Ω" label:"Thévenin resistance" doc:"Source resistance at the output, R1 parallel R2"`
	StandardOhm   *float64      `json:"standard_ohm" unit:"Ω" label:"Standard value" doc:"Preferred value nearest to the computed resistor; null unless one resistor is computed"`
	ErrorPct      *float64      `json:"error_pct" unit:"%" label:"Output voltage error" doc:"Deviation of the output with preferred values from vout_v; null in analyze"`
	Pairs         []dividerPair `json:"pairs" nullable:"true" label:"Resistor pairs" doc:"Resistor pairs, best first; null unless a pair was chosen"`
	tools.Warnings
}

type dividerPair struct {
	R1Ohm    float64 `json:"r1_ohm" unit:"Ω" label:"R1" doc:"Resistor from input to output"`
	R2Ohm    float64 `json:"r2_ohm" unit:"Ω" label:"R2" doc:"Resistor from output to ground"`
	VoutV    float64 `json:"vout_v" unit:"V" label:"Output voltage" doc:"Output voltage with the load"`
	ErrorPct float64 `json:"error_pct" unit:"%" label:"Error" doc:"Deviation of the output from vout_v"`
	TotalOhm float64 `json:"total_ohm" unit:"Ω" label:"R1 + R2" doc:"R1 + R2"`
	CurrentA float64 `json:"current_a" unit:"A" label:"Source current" doc:"Current from the source"`
}

func voltageDivider(_ context.Context, in voltageDividerIn) (voltageDividerOut, error) {
	mode, err := in.mode()
	if err != nil {
		return voltageDividerOut{}, err
	}
	out := voltageDividerOut{
		Mode: mode, VinV: choice.Or(in.VinV, 0), R1Ohm: choice.Or(in.R1Ohm, 0),
		R2Ohm: choice.Or(in.R2Ohm, 0),
	}
	load := 0.0 // conductance of the load [S]
	if in.LoadOhm != nil {
		load = 1 / *in.LoadOhm
	}
	switch mode {
	case "solve":
		err = out.solve(in, load)
	case "choose":
		err = out.choose(in, load)
	case "infer_vin":
		out.VinV = *in.VoutV / dividerGain(out.R1Ohm, out.R2Ohm, load)
		out.ErrorPct = new(0.0) // the inferred input voltage yields vout_v exactly
	}
	if err != nil {
		return out, err
	}
	out.analyze(in, load)
	return out, nil
}

// mode returns the calculation that the given fields select.
func (in voltageDividerIn) mode() (string, error) {
	vin, vout, r1, r2 := in.VinV != nil, in.VoutV != nil, in.R1Ohm != nil, in.R2Ohm != nil
	var f tools.FieldErrors
	mode := ""
	switch {
	case vin && vout && r1 && r2:
		f.Add("vout_v",
			"vin_v, vout_v, r1_ohm and r2_ohm were all given and one follows from the others; leave one out")
	case vin && r1 && r2:
		mode = "analyze"
	case vin && vout && (r1 || r2):
		mode = "solve"
	case vin && vout:
		mode = "choose"
	case vout && r1 && r2:
		mode = "infer_vin"
	default:
		at := "vin_v"
		if vin {
			at = "vout_v"
		}
		f.Add(
			at,
			"too little was given: vin_v with r1_ohm and r2_ohm; vin_v with vout_v and one resistor or none; or vout_v with r1_ohm and r2_ohm",
		)
	}
	if vin && *in.VinV == 0 {
		f.AddValue("vin_v", *in.VinV, "must not be 0")
	}
	switch {
	case mode == "infer_vin" && *in.VoutV == 0:
		f.AddValue("vout_v", *in.VoutV, "must not be 0 when vin_v is to be found")
	case (mode == "solve" || mode == "choose") && *in.VinV != 0 &&
		!(*in.VoutV / *in.VinV > 0 && *in.VoutV / *in.VinV < 1):
		f.AddValue("vout_v", *in.VoutV, "must lie between 0 and vin_v (%g V), both excluded",
			*in.VinV)
	}
	if mode == "choose" && in.TotalMinOhm > in.TotalMaxOhm {
		f.AddValue("total_min_ohm", in.TotalMinOhm, "must not be above total_max_ohm (%g)",
			in.TotalMaxOhm)
	}
	return mode, f.Err()
}

// dividerGain returns Vout/Vin. load is the conductance of the load [S].
func dividerGain(r1, r2, load float64) float64 { return r2 / (r1 + r2 + r1*(r2*load)) }

// solve computes the missing resistor and its nearest preferred value.
func (out *voltageDividerOut) solve(in voltageDividerIn, load float64) error {
	odds := *in.VoutV / (*in.VinV - *in.VoutV) // R2'/R1
	standard, r1, r2 := 0.0, out.R1Ohm, out.R2Ohm
	if in.R2Ohm != nil {
		out.R1Ohm = r2 / (1 + r2*load) / odds
		standard = in.Preferred().Nearest(out.R1Ohm)
		r1 = standard
	} else {
		under := r1 * odds // R2 in parallel with the load
		if under*load >= 1 {
			var f tools.FieldErrors
			f.AddValue(
				"load_ohm", *in.LoadOhm,
				"is too heavy: with this r1_ohm the output stays below vout_v even without r2_ohm; it must be above %g Ω",
				tolerance.RoundUp(under, 6),
			)
			return f.Err()
		}
		out.R2Ohm = under / (1 - under*load)
		standard = in.Preferred().Nearest(out.R2Ohm)
		r2 = standard
	}
	out.StandardOhm = &standard
	out.ErrorPct = new(100 * (dividerGain(r1, r2, load)**in.VinV / *in.VoutV - 1))
	return nil
}

// choose lists the best pairs of preferred values and selects the first.
func (out *voltageDividerOut) choose(in voltageDividerIn, load float64) error {
	target := *in.VoutV / *in.VinV
	s := pairSearch{in: in, load: load, target: target}
	smallest := max(1e-6, 0.01*min(target, 1-target)*in.TotalMinOhm)
	values := in.Preferred().Between(smallest, in.TotalMaxOhm)
	for _, r2 := range values {
		// The error decreases as r1 increases, so the best values of r1 are next to its zero.
		ideal := r2 / (1 + r2*load) * (1 - target) / target
		lo, _ := slices.BinarySearch(values, (in.TotalMinOhm-r2)*(1-tolerance.Relative))
		hi, _ := slices.BinarySearch(values, (in.TotalMaxOhm-r2)*(1+tolerance.Relative))
		start, _ := slices.BinarySearch(values, ideal)
		start = min(max(start, lo), hi)
		for i := start; i < hi && s.offer(values[i], r2); i++ {
		}
		for i := start - 1; i >= lo && s.offer(values[i], r2); i-- {
		}
	}
	if len(s.best) == 0 {
		var f tools.FieldErrors
		f.AddValue("total_max_ohm", in.TotalMaxOhm,
			"no pair of series %s has a sum from total_min_ohm (%g) to total_max_ohm", in.Series,
			in.TotalMinOhm)
		return f.Err()
	}
	out.Pairs = s.best
	out.R1Ohm, out.R2Ohm, out.ErrorPct = s.best[0].R1Ohm, s.best[0].R2Ohm, new(s.best[0].ErrorPct)
	return nil
}

// pairSearch keeps the best pairs found.
type pairSearch struct {
	in           voltageDividerIn
	load, target float64
	best         []dividerPair
}

// offer inserts a pair in order. It returns false if MaxResults better pairs are already kept.
func (s *pairSearch) offer(r1, r2 float64) bool {
	gain := dividerGain(r1, r2, s.load)
	p := dividerPair{
		R1Ohm: r1, R2Ohm: r2, VoutV: *s.in.VinV * gain, ErrorPct: 100 * (gain/s.target - 1),
		TotalOhm: r1 + r2,
		CurrentA: *s.in.VinV / (r1 + r2/(1+r2*s.load)),
	}
	at := len(s.best)
	for at > 0 && p.better(s.best[at-1]) {
		at--
	}
	if at == s.in.MaxResults {
		return false
	}
	if len(s.best) == s.in.MaxResults {
		s.best = s.best[:len(s.best)-1]
	}
	s.best = slices.Insert(s.best, at, p)
	return true
}

// better orders pairs by |error|, then larger total, then larger r1. Errors within 1e-10 % are
// equal because pairs with the same ratio in different decades differ only by rounding.
func (p dividerPair) better(o dividerPair) bool {
	if d := math.Abs(p.ErrorPct) - math.Abs(o.ErrorPct); math.Abs(d) > 1e-10 {
		return d < 0
	}
	if math.Abs(p.TotalOhm-o.TotalOhm) > tolerance.Relative*p.TotalOhm {
		return p.TotalOhm > o.TotalOhm
	}
	return p.R1Ohm > o.R1Ohm
}

// analyze computes the results for two resistors and the input voltage.
func (out *voltageDividerOut) analyze(in voltageDividerIn, load float64) {
	r1, r2, t := out.R1Ohm, out.R2Ohm, in.TolerancePct/100
	out.Ratio = dividerGain(r1, r2, load)
	out.VoutV = out.VinV * out.Ratio
	out.VoutUnloadedV = out.VinV * dividerGain(r1, r2, 0)
	low, high := out.VinV*dividerGain(
		r1*(1+t), r2*(1-t), load,
	), out.VinV*dividerGain(r1*(1-t), r2*(1+t), load)
	out.VoutMinV, out.VoutMaxV = min(low, high), max(low, high)
	out.CurrentA = out.VinV / (r1 + r2/(1+r2*load))
	out.PowerR1W = out.CurrentA * out.CurrentA * r1
	out.PowerR2W = out.VoutV / r2 * out.VoutV
	out.TheveninOhm = r1 / (r1 + r2) * r2
	if in.LoadOhm != nil && tolerance.Below(*in.LoadOhm, 10*out.TheveninOhm) {
		out.Warn(
			"the load of %g Ω is below ten times the Thévenin resistance of %g Ω: the output depends on it; use smaller resistors or a buffer",
			*in.LoadOhm, tolerance.RoundAbove(out.TheveninOhm, *in.LoadOhm/10, 4),
		)
	}
	if tolerance.Above(out.TheveninOhm, 1e6) {
		out.Warn(
			"the Thévenin resistance of %g MΩ is above 1 MΩ: 1 nA of leakage or input current moves the output by %.3g mV; use smaller resistors",
			tolerance.RoundAbove(out.TheveninOhm/1e6, 1, 4), out.TheveninOhm*1e-6)
	}
	if a := math.Abs(out.CurrentA); tolerance.Above(a, 0.01) {
		out.Warn("the divider draws %g mA, more than 10 mA; use larger resistors",
			tolerance.RoundAbove(a*1e3, 10, 4))
	}
	if out.ErrorPct != nil && tolerance.Above(math.Abs(*out.ErrorPct), in.TolerancePct) {
		out.Warn("the preferred values miss vout_v by %g %%, more than the tolerance of %g %%",
			tolerance.RoundOutside(*out.ErrorPct, -in.TolerancePct, in.TolerancePct, 3),
			in.TolerancePct)
	}
	for i, r := range [...]float64{out.R1Ohm, out.R2Ohm} {
		if tolerance.Below(r, contactOhm) {
			out.Warn(
				"r%d of %g Ω is below the %g Ω that leads and solder joints may have: use larger resistors",
				i+1, tolerance.RoundBelow(r, contactOhm, 3), contactOhm)
		}
	}
	for i, p := range [...]float64{out.PowerR1W, out.PowerR2W} {
		if tolerance.Above(p, 0.1) {
			out.Warn("r%d dissipates %g W, more than 0.1 W; use larger resistors or a larger size",
				i+1, tolerance.RoundAbove(p, 0.1, 3))
		}
	}
	for i, v := range [...]float64{out.CurrentA * out.R1Ohm, out.VoutV} {
		if tolerance.Above(math.Abs(v), chipVoltage) {
			out.Warn(
				"r%d has %g V across it, more than the %g V of a resistor of size 0805: use several in series, or a high-voltage type",
				i+1, tolerance.RoundAbove(math.Abs(v), chipVoltage, 4), float64(chipVoltage))
		}
	}
	if out.Mode != "choose" {
		choice.Ignored(&out.Warnings, "no pair is being chosen",
			choice.Of("total_min_ohm", in.TotalMinOhm != 1e3),
			choice.Of("total_max_ohm", in.TotalMaxOhm != 1e5),
			choice.Of("max_results", in.MaxResults != 5))
	}
	if out.Mode == "analyze" || out.Mode == "infer_vin" {
		choice.Ignored(&out.Warnings, "both resistors are given", in.OtherSeries())
	}
}

// contactOhm is the resistance [Ω] of long leads or poor solder joints.
const contactOhm = 0.1

// chipVoltage is the maximum working voltage [V] of chip resistors of size 0805 (Yageo, RC series).
const chipVoltage = 150
