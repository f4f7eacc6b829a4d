package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/ipc"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// TraceWidth computes the relation between trace width, current and temperature rise of IPC-2221,
// with a fit to IPC-2152 for comparison.
var TraceWidth = tools.Define(tools.Spec{
	Name:    "trace_width",
	Title:   "Trace width (IPC-2221)",
	Summary: "Trace width for a current, current for a width, or temperature rise for both",
	Method: "I = k ΔT^0.44 A^0.725, A in mil², k = 0.048 outside and 0.024 inside the board, solved for A, I or ΔT. " +
		"R = ρ L/(w t) (1 + 0.00393 (T - 20)) at the hot temperature T = ambient + rise, ρ = 1.724e-8 Ω m, 1 oz = 35 µm. " +
		"Fusing current: Onderdonk I = A √(log10(1 + (1083 - T)/(234 + T))/(33 t)), A in circular mil, T ambient, t seconds; " +
		"Preece I = 10244 d^1.5, d in inches of the round wire of equal area. " +
		"IPC-2152: ΔT = k I^a w^b t^c, w and t in mil; outside k = 215.3, a = 2, b = -1.15, c = -1; " +
		"inside c = -1.52 and k, a, b = 120, 2, -1.1 (0.5 oz), 200, 1.9, -1.1 (1 oz), 300, 2, -1.15 (2 oz), of the nearest weight",
	Sources: []string{
		"IPC-2221A (2003), section 6.2 and figure 6-4", "IEC 60028:1925, resistance of copper",
		"E. R. Stauffacher, Short-time Current Carrying Capacity of Copper Wire, General Electric Review 31 (1928) (Onderdonk's equation)",
		"D. Brooks and J. Adam, Trace Currents and Temperatures Revisited (2015), table 3-1: a fit to the charts of IPC-2152 (2009), as KiCad's track width calculator has it",
		"W. H. Preece, On the Heating Effects of Electric Currents, Proc. Royal Society 36 (1884) 464-471",
	},
	Limits: []string{
		"A fit to a chart: to 35 A outside and 17.5 A inside, 10 to 100 °C rise, 0.5 to 3 oz, 0.4 inch wide",
		"No planes, neighbours, vias or air flow. The inside values halve the outside ones without a measurement; IPC-2152 (2009) measured inner traces that run cooler than outer ones",
		"IPC-2152 is a fit to its charts of one trace in a board without planes. Another public fit (mbedded.ninja) differs by up to 15 % in current. A plane nearby cools: it carries more",
		"The published inner fit of 3 oz allows 40 % more than the outer one and is left out. From 2.5 oz inner traces are computed as outer ones",
		"Fusing currents are where copper melts, no ratings. Onderdonk: adiabatic, to 10 s; where it is below Preece, cooling matters and it is too low. Preece: steady, a round wire in free air",
	},
	Aliases: []string{"IPC-2221", "IPC-2152", "track width", "trace current", "PCB trace", "copper weight",
		"ampacity of a trace"},
	Primary: []string{"width_mm", "max_current_a"},
	Examples: []tools.Example{{
		Title: "3 A outside, 50 mm long",
		In:    `{"current_a": 3, "length_mm": 50}`,
		Want:  `{"width_mm": 1.367032, "width_mil": 53.82016, "area_mil2": 74.16164, "resistance_ohm": 0.01907814, "voltage_drop_v": 0.05723441, "power_loss_w": 0.1717032, "ok": null, "ipc2152_width_mm": 1.8737, "ipc2152_temp_rise_c": 14.3703}`,
	}, {
		Title: "3 A inside",
		In:    `{"current_a": 3, "layer": "internal"}`,
		Want:  `{"width_mm": 3.556252}`,
	}, {
		Title: "What a 10 mil trace carries",
		In:    `{"width_mm": 0.254, "temp_rise_c": 20}`,
		Want:  `{"max_current_a": 1.201266}`,
	}},
}, traceWidth)

type traceWidthIn struct {
	CurrentA    *float64 `json:"current_a" unit:"A" gt:"0" max:"1e6" example:"3" label:"Current" doc:"Current; at least one of current_a and width_mm is required"`
	WidthMM     *float64 `json:"width_mm" unit:"mm" gt:"0" max:"1e6" label:"Trace width" doc:"Width of an existing trace"`
	TempRiseC   float64  `json:"temp_rise_c" unit:"K" gt:"0" max:"200" default:"10" label:"Temperature rise" doc:"Allowed temperature rise above ambient"`
	CopperOz    float64  `json:"copper_oz" unit:"oz/ft²" min:"0.1" max:"10" default:"1" label:"Copper weight" doc:"Copper weight; 1 oz is 0.035 mm"`
	Layer       string   `json:"layer" enum:"external,internal" default:"external" label:"Layer type" doc:"external: on the surface; internal: inside the board"`
	LengthMM    *float64 `json:"length_mm" unit:"mm" gt:"0" max:"1e9" example:"50" label:"Trace length" doc:"Trace length, for resistance, voltage drop and loss"`
	AmbientC    float64  `json:"ambient_c" unit:"°C" min:"-100" max:"300" default:"25" label:"Ambient temperature" doc:"Temperature of the board without the current"`
	FusingTimeS float64  `json:"fusing_time_s" unit:"s" gt:"0" max:"10" default:"1" label:"Fusing time" doc:"Duration of an overload, for the fusing current"`
}

type traceWidthOut struct {
	WidthMM        float64  `json:"width_mm" unit:"mm" label:"Trace width" doc:"Trace width"`
	WidthMil       float64  `json:"width_mil" unit:"mil" label:"Trace width (mil)" doc:"Trace width in mil"`
	AreaMil2       float64  `json:"area_mil2" unit:"mil²" label:"Cross-section" doc:"Cross-section"`
	ThicknessMM    float64  `json:"thickness_mm" unit:"mm" label:"Copper thickness" doc:"Copper thickness"`
	MaxCurrentA    float64  `json:"max_current_a" unit:"A" label:"Maximum current" doc:"Current at the allowed temperature rise"`
	TempRiseC      float64  `json:"temp_rise_c" unit:"K" label:"Temperature rise" doc:"Temperature rise; the actual one when current and width are both given"`
	OK             *bool    `json:"ok" label:"Within allowed rise" doc:"The rise does not exceed the allowed one; null unless current and width are both given"`
	CurrentDensity float64  `json:"current_density_a_mm2" unit:"A/mm²" label:"Current density" doc:"Current density, at max_current_a when no current is given"`
	ResistanceOhm  *float64 `json:"resistance_ohm" unit:"Ω" label:"Resistance" doc:"Resistance at the trace temperature; null without length_mm"`
	VoltageDropV   *float64 `json:"voltage_drop_v" unit:"V" label:"Voltage drop" doc:"Voltage drop, at max_current_a when no current is given; null without length_mm"`
	PowerLossW     *float64 `json:"power_loss_w" unit:"W" label:"Power loss" doc:"Power loss, at max_current_a when no current is given; null without length_mm"`
	FusingA        float64  `json:"fusing_current_a" unit:"A" label:"Fusing current (Onderdonk)" doc:"Current that melts the trace within fusing_time_s, without cooling"`
	FusingSteadyA  float64  `json:"fusing_current_steady_a" unit:"A" label:"Fusing current (Preece)" doc:"Steady current that melts a round wire of that cross-section in air"`
	IPC2152Width   *float64 `json:"ipc2152_width_mm" unit:"mm" label:"Trace width (IPC-2152)" doc:"Width for current_a by the fit to IPC-2152; null without current_a"`
	IPC2152Current float64  `json:"ipc2152_max_current_a" unit:"A" label:"Maximum current (IPC-2152)" doc:"Current of width_mm at the allowed rise by the fit to IPC-2152"`
	IPC2152Rise    *float64 `json:"ipc2152_temp_rise_c" unit:"K" label:"Temperature rise (IPC-2152)" doc:"Rise of width_mm under current_a by the fit to IPC-2152; null without current_a"`
	tools.Warnings
}

func traceWidth(_ context.Context, in traceWidthIn) (traceWidthOut, error) {
	if in.CurrentA == nil && in.WidthMM == nil {
		return traceWidthOut{}, tools.Invalid("current_a",
			"give current_a, width_mm or both; none was given")
	}
	out := traceWidthOut{ThicknessMM: in.CopperOz * phys.OunceCopper * 1e3, TempRiseC: in.TempRiseC}
	k, thicknessMil := ipc.Constant(in.Layer), out.ThicknessMM/ipc.Mil
	if in.WidthMM != nil {
		out.WidthMM = *in.WidthMM
		out.WidthMil = out.WidthMM / ipc.Mil
		out.AreaMil2 = out.WidthMil * thicknessMil
	} else {
		out.AreaMil2 = ipc.Area(k, in.TempRiseC, *in.CurrentA)
		out.WidthMil = out.AreaMil2 / thicknessMil
		out.WidthMM = out.WidthMil * ipc.Mil
	}
	out.MaxCurrentA = ipc.Current(k, in.TempRiseC, out.AreaMil2)
	current := choice.Or(in.CurrentA, out.MaxCurrentA)
	if in.CurrentA != nil && in.WidthMM != nil {
		out.TempRiseC = ipc.Rise(k, out.AreaMil2, current)
		out.OK = new(!tolerance.Above(out.TempRiseC, in.TempRiseC))
	}
	fit := ipc.FitOf(in.Layer, in.CopperOz)
	out.IPC2152Current = fit.Current(in.TempRiseC, out.WidthMil, thicknessMil)
	if in.CurrentA != nil {
		out.IPC2152Width = new(fit.Width(in.TempRiseC, current, thicknessMil) * ipc.Mil)
		out.IPC2152Rise = new(fit.Rise(current, out.WidthMil, thicknessMil))
	}
	out.FusingA = onderdonkCurrent(out.AreaMil2, in.AmbientC, in.FusingTimeS)
	out.FusingSteadyA = preeceCurrent(out.AreaMil2)
	areaMM2 := out.WidthMM * out.ThicknessMM
	out.CurrentDensity = current / areaMM2
	if in.LengthMM != nil {
		// Ω·m = 1e3 Ω·mm
		r := phys.RhoCopper * 1e3 * *in.LengthMM / areaMM2 *
			ipc.ResistanceFactor(in.AmbientC+out.TempRiseC)
		out.ResistanceOhm, out.VoltageDropV, out.PowerLossW = &r, new(current*r),
			new(current*current*r)
	}
	out.remark(in, current)
	return out, nil
}

// remark adds warnings about the limits of the chart and of the board.
func (out *traceWidthOut) remark(in traceWidthIn, current float64) {
	chart := 35.0
	if in.Layer == "internal" {
		chart = 17.5
	}
	if tolerance.Above(current, chart) {
		out.Warn("%g A is outside the IPC-2221 chart, which ends at %g A for %s layers",
			tolerance.RoundAbove(current, chart, 4), chart, in.Layer)
	}
	if tolerance.Above(out.TempRiseC, 100) || tolerance.Below(out.TempRiseC, 10) {
		out.Warn("a rise of %g °C is outside the IPC-2221 chart, 10 to 100 °C",
			tolerance.RoundOutside(out.TempRiseC, 10, 100, 4))
	}
	if tolerance.Above(out.WidthMM, 10.16) {
		out.Warn("%g mm is outside the IPC-2221 chart, which ends at 10.16 mm (0.4 inch)",
			tolerance.RoundAbove(out.WidthMM, 10.16, 4))
	}
	if tolerance.Above(in.CopperOz, 3) || tolerance.Below(in.CopperOz, 0.5) {
		out.Warn("%g oz of copper is outside the IPC-2221 chart, 0.5 to 3 oz", in.CopperOz)
	}
	if tolerance.Below(out.WidthMM, 0.1) {
		out.Warn("%g mm is below the minimum trace width of many board manufacturers (0.1 mm): make it at least that wide",
			tolerance.RoundBelow(out.WidthMM, 0.1, 3))
	}
	if out.OK != nil && !*out.OK {
		out.Warn("the rise of %g °C exceeds the %g °C allowed: this trace carries %g A",
			tolerance.RoundAbove(out.TempRiseC, in.TempRiseC, 4), in.TempRiseC,
			tolerance.RoundDown(out.MaxCurrentA, 4))
	}
	allowed := in.CurrentA != nil && (out.OK == nil || *out.OK) // by IPC-2221
	if allowed && tolerance.Above(*out.IPC2152Rise, in.TempRiseC) {
		out.Warn("IPC-2221 allows this trace, the fit to IPC-2152 gives a rise of %g °C, above %g °C: use %g mm where no plane cools the trace",
			tolerance.RoundAbove(*out.IPC2152Rise, in.TempRiseC, 3), in.TempRiseC,
			tolerance.RoundUp(*out.IPC2152Width, 3))
	}
	if in.CurrentA != nil && tolerance.Above(*in.CurrentA, out.FusingSteadyA) {
		out.Warn("%g A is above the steady fusing current of %g A (Preece): the trace melts; widen it or use thicker copper",
			*in.CurrentA, tolerance.RoundDown(out.FusingSteadyA, 4))
	}
	// Without a fusing time, only a current above the fusing current is a question of an overload.
	overload := in.FusingTimeS != 1 || in.CurrentA != nil && *in.CurrentA > out.FusingA
	if overload && tolerance.Below(out.FusingA, out.FusingSteadyA) {
		out.Warn("the fusing current of %g A for %g s (Onderdonk) is below the steady one of %g A (Preece): Onderdonk leaves out the cooling, which matters here; take a shorter fusing_time_s",
			tolerance.RoundBelow(out.FusingA, out.FusingSteadyA, 4), in.FusingTimeS,
			tolerance.RoundUp(out.FusingSteadyA, 4))
	}
	if hot := in.AmbientC + out.TempRiseC; tolerance.Above(hot, 130) {
		out.Warn("the trace reaches %g °C, above the 130 °C of common FR-4; widen the trace",
			tolerance.RoundAbove(hot, 130, 4))
	}
}

// copperMeltsC is the melting temperature [°C] of copper in Onderdonk's equation.
const copperMeltsC = 1083

// onderdonkCurrent returns the current [A] that heats a copper cross-section of area [mil²] from
// ambient [°C] to its melting point within seconds. It neglects cooling and is valid up to about 10
// s (Onderdonk, after Stauffacher 1928).
func onderdonkCurrent(area, ambient, seconds float64) float64 {
	circular := 4 / math.Pi * area // circular mil
	return circular * math.Sqrt(math.Log10(1+(copperMeltsC-ambient)/(234+ambient))/(33*seconds))
}

// preeceCurrent returns the steady current [A] that melts a round copper wire of area [mil²] in air
// (Preece 1884, 10244·d^1.5 with d in inches).
func preeceCurrent(area float64) float64 {
	return 10244 * math.Pow(math.Sqrt(4/math.Pi*area)/1e3, 1.5)
}
