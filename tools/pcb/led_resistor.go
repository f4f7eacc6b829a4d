package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// LEDResistor computes the series resistor of an LED or of strings of LEDs.
var LEDResistor = tools.Define(tools.Spec{
	Name:    "led_resistor",
	Title:   "LED resistor",
	Summary: "Series resistor for one or more LEDs: standard value, current, power rating and efficiency",
	Method: "R = (Vs - n Vf)/I; the standard value is the next higher one, so that the current " +
		"never exceeds the target; I' = (Vs - n Vf)/Rstd; P = (Vs - n Vf) I'; rating: the first " +
		"size that P loads to power_derating_pct at most. One resistor for each parallel string. " +
		"max_series_count: the longest string that leaves 10 % of the supply, at least 0.5 V. " +
		"strings_needed = ceil(led_count / series_count). Worst case: highest supply, lowest " +
		"forward voltage, lowest resistor",
	Sources: []string{
		"E. F. Schubert, Light-Emitting Diodes, 2nd edition (2006), chapter 4: electrical properties",
		"IEC 60063:2015, preferred number series",
	},
	Limits: []string{
		"The forward voltage is a constant; it falls with temperature and differs between parts",
		"Voltages by colour are typical at 20 mA; take the data sheet's where there is one",
	},
	Aliases: []string{"LED series resistor", "current limiting resistor", "forward voltage",
		"LED calculator", "LED strip"},
	Primary: []string{"standard_resistance_ohm"},
	Examples: []tools.Example{{
		Title: "Red LED on 12 V",
		In:    `{"supply_voltage_v": 12, "forward_voltage_v": 2}`,
		Want:  `{"resistance_ohm": 500, "standard_resistance_ohm": 510, "current_ma": 19.60784, "resistor_power_w": 0.1960784, "recommended_power_rating_w": 0.5, "efficiency_pct": 16.66667, "warnings": []}`,
	}, {
		Title: "Ten white LEDs in a car, 12 V that rise to 14.4 V",
		In:    `{"supply_voltage_v": 12, "forward_voltage_v": 3.2, "series_count": 3, "parallel_count": 4, "led_count": 10, "supply_max_v": 14.4}`,
		Want: `{"standard_resistance_ohm": 120, "max_series_count": 3, "strings_needed": 4, "last_string_leds": 1, "max_current_ma": 42.11,
			"warnings": ["the last string has 1 of 3 LEDs: give it a resistor of its own, 440 Ω for 20 mA",
				"the current reaches 42.11 mA in the worst case, above the 20 mA asked for: use a larger resistor or a constant-current driver"]}`,
		From: "by hand: (14.4 - 9.6) V / (120 Ω · 0.95)",
	}, {
		Title: "White LED at 12 V",
		In:    `{"supply_voltage_v": 12, "forward_voltage_v": 3.2, "current_ma": 20}`,
		Want:  `{"resistance_ohm": 440, "standard_resistance_ohm": 470}`,
		From:  "usecalcpro.com, LED resistor",
	}},
}, ledResistor)

type ledResistorIn struct {
	SupplyVoltageV   float64  `json:"supply_voltage_v" unit:"V" gt:"0" max:"1e6" example:"12" label:"Supply voltage" doc:"Supply voltage"`
	ForwardVoltageV  *float64 `json:"forward_voltage_v" unit:"V" gt:"0" max:"1e6" example:"2" label:"LED forward voltage" doc:"Forward voltage of one LED; alternative to led_color"`
	LEDColor         *string  `json:"led_color" enum:"infrared,red,orange,yellow,green,true_green,blue,white,uv" label:"LED color" doc:"LED color, for a typical forward voltage; true_green is InGaN at 520 nm"`
	CurrentMA        *float64 `json:"current_ma" unit:"mA" gt:"0" max:"1e9" example:"20" alias:"current_a" label:"LED current (mA)" doc:"Current of one string; alternative to current_a"`
	CurrentA         *float64 `json:"current_a" unit:"A" gt:"0" max:"1e6" label:"LED current" doc:"Current of one string, 20 mA by default; alternative to current_ma"`
	SeriesCount      int      `json:"series_count" unit:"1" min:"1" max:"1000000" default:"1" label:"LEDs in series" doc:"LEDs in series in each string"`
	ParallelCount    int      `json:"parallel_count" unit:"1" min:"1" max:"1000000" default:"1" label:"Parallel strings" doc:"Strings in parallel, each with its own resistor"`
	PowerDeratingPct float64  `json:"power_derating_pct" unit:"%" gt:"0" max:"100" default:"50" label:"Resistor derating" doc:"Highest load of the resistor relative to its rating"`
	LEDCount         *int     `json:"led_count" unit:"1" min:"1" max:"1000000" label:"LEDs in all" doc:"Number of LEDs to arrange in strings; gives max_series_count and strings_needed"`
	SupplyMaxV       *float64 `json:"supply_max_v" unit:"V" gt:"0" max:"1e6" label:"Highest supply voltage" doc:"Highest supply voltage, for the worst-case current; default: supply_voltage_v"`
	ForwardMinV      *float64 `json:"forward_voltage_min_v" unit:"V" gt:"0" max:"1e6" label:"Lowest LED forward voltage" doc:"Lowest forward voltage of one LED, for the worst-case current; default: the forward voltage"`
	TolerancePct     float64  `json:"resistor_tolerance_pct" unit:"%" min:"0" lt:"100" default:"5" label:"Resistor tolerance" doc:"Tolerance of the resistor, for the worst-case current"`
	PWMDutyPct       float64  `json:"pwm_duty_pct" unit:"%" gt:"0" max:"100" default:"100" label:"PWM duty cycle" doc:"Share of the time that the LEDs are on; lowers the average values only"`
	ResistorRatingW  *float64 `json:"resistor_rating_w" unit:"W" gt:"0" max:"1e6" label:"Resistor rating" doc:"Power rating of the resistor to check against its worst-case power"`
	component.ESeries
}

type ledResistorOut struct {
	ForwardVoltageV        float64  `json:"forward_voltage_v" unit:"V" label:"LED forward voltage" doc:"Forward voltage of one LED"`
	ResistanceOhm          float64  `json:"resistance_ohm" unit:"Ω" label:"Resistance" doc:"Exact resistance for the requested current"`
	StandardResistanceOhm  float64  `json:"standard_resistance_ohm" unit:"Ω" label:"Standard resistance" doc:"Smallest preferred value at or above the exact resistance"`
	CurrentA               float64  `json:"current_a" unit:"A" label:"LED current" doc:"Current of one string with the standard value"`
	CurrentMA              float64  `json:"current_ma" unit:"mA" label:"LED current (mA)" doc:"Current of one string with the standard value"`
	HeadroomV              float64  `json:"headroom_v" unit:"V" label:"Resistor voltage" doc:"Voltage across the resistor"`
	ResistorPowerW         float64  `json:"resistor_power_w" unit:"W" label:"Resistor power" doc:"Power dissipated in one resistor"`
	RecommendedPowerRating *float64 `json:"recommended_power_rating_w" unit:"W" label:"Recommended power rating" doc:"Standard power rating with the derating; null above 50 W"`
	LEDPowerW              float64  `json:"led_power_w" unit:"W" label:"LED power" doc:"Power of one LED"`
	TotalCurrentA          float64  `json:"total_current_a" unit:"A" label:"Total current" doc:"Current of all strings"`
	TotalPowerW            float64  `json:"total_power_w" unit:"W" label:"Total power" doc:"Power from the supply"`
	EfficiencyPct          float64  `json:"efficiency_pct" unit:"%" label:"Efficiency" doc:"Share of the power delivered to the LEDs"`
	MaxSeriesCount         int      `json:"max_series_count" unit:"1" label:"Maximum LEDs in series" doc:"Longest string that leaves 10 % of the supply and 0.5 V to the resistor; 0 when not even one does"`
	StringsNeeded          *int     `json:"strings_needed" unit:"1" label:"Strings needed" doc:"Strings of series_count LEDs that led_count requires; null without led_count"`
	LastStringLEDs         *int     `json:"last_string_leds" unit:"1" label:"LEDs in the last string" doc:"LEDs that remain for the last string; null without led_count"`
	MaxCurrentMA           float64  `json:"max_current_ma" unit:"mA" label:"Worst-case LED current" doc:"Current of one string at the highest supply, the lowest forward voltage and the lowest resistance"`
	MaxResistorPowerW      float64  `json:"max_resistor_power_w" unit:"W" label:"Worst-case resistor power" doc:"Power of one resistor at the worst-case LED current, while the LEDs are on"`
	AverageCurrentMA       float64  `json:"average_current_ma" unit:"mA" label:"Average LED current" doc:"Current of one string with the standard value, averaged over the PWM period"`
	ResistorLoadPct        *float64 `json:"resistor_load_pct" unit:"%" label:"Resistor load" doc:"Worst-case power of the resistor, averaged over the PWM period, relative to resistor_rating_w; null without it"`
	tools.Warnings
}

// ledVoltages are typical forward voltages at 20 mA [V]: gallium arsenide and phosphide up to
// green, gallium nitride from true green.
var ledVoltages = [...]struct {
	color string
	volts float64
}{
	{"infrared", 1.3}, {"red", 2.0}, {"orange", 2.1}, {"yellow", 2.1}, {"green", 2.2},
	{"true_green", 3.2}, {"blue", 3.2}, {"white", 3.2}, {"uv", 3.5},
}

// resistorRatings are commercial power ratings of resistors [W].
var resistorRatings = [...]float64{0.0625, 0.1, 0.125, 0.25, 0.5, 1, 2, 3, 5, 10, 25, 50}

func ledResistor(_ context.Context, in ledResistorIn) (ledResistorOut, error) {
	var f tools.FieldErrors
	choice.Exactly(&f, 1, choice.Of("forward_voltage_v", in.ForwardVoltageV != nil),
		choice.Of("led_color", in.LEDColor != nil))
	choice.AtMost(&f, 1, choice.Of("current_ma", in.CurrentMA != nil),
		choice.Of("current_a", in.CurrentA != nil))
	if err := f.Err(); err != nil {
		return ledResistorOut{}, err
	}
	out := ledResistorOut{ForwardVoltageV: choice.Or(in.ForwardVoltageV, 0)}
	if in.LEDColor != nil {
		for _, row := range ledVoltages {
			if row.color == *in.LEDColor {
				out.ForwardVoltageV = row.volts
			}
		}
		out.Warn("%g V is assumed for %s; use the value of the data sheet where there is one",
			out.ForwardVoltageV, *in.LEDColor)
	}
	target := 0.02
	if in.CurrentMA != nil {
		target = *in.CurrentMA / 1e3
	} else if in.CurrentA != nil {
		target = *in.CurrentA
	}
	leds := float64(in.SeriesCount) * out.ForwardVoltageV
	out.HeadroomV = in.SupplyVoltageV - leds
	if out.HeadroomV <= tolerance.Relative*in.SupplyVoltageV {
		f.AddValue("supply_voltage_v", in.SupplyVoltageV,
			"must be above the %g V of the LEDs (series_count %d times forward_voltage_v %g)",
			tolerance.RoundUp(leds, 6), in.SeriesCount, out.ForwardVoltageV)
		return out, f.Err()
	}
	if in.SupplyMaxV != nil && tolerance.Below(*in.SupplyMaxV, in.SupplyVoltageV) {
		f.AddValue("supply_max_v", *in.SupplyMaxV, "must be at least supply_voltage_v %g",
			in.SupplyVoltageV)
	}
	if in.ForwardMinV != nil && tolerance.Above(*in.ForwardMinV, out.ForwardVoltageV) {
		f.AddValue("forward_voltage_min_v", *in.ForwardMinV,
			"must be at most the forward voltage of %g V", out.ForwardVoltageV)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	out.ResistanceOhm = out.HeadroomV / target
	out.StandardResistanceOhm = in.Preferred().NextHigher(out.ResistanceOhm)
	out.CurrentA = out.HeadroomV / out.StandardResistanceOhm
	out.CurrentMA = out.CurrentA * 1e3
	out.ResistorPowerW = out.HeadroomV * out.CurrentA
	for _, rating := range resistorRatings {
		if !tolerance.Above(out.ResistorPowerW, rating*in.PowerDeratingPct/100) {
			out.RecommendedPowerRating = &rating
			break
		}
	}
	out.LEDPowerW = out.ForwardVoltageV * out.CurrentA
	out.TotalCurrentA = float64(in.ParallelCount) * out.CurrentA
	out.TotalPowerW = in.SupplyVoltageV * out.TotalCurrentA
	out.EfficiencyPct = 100 * leds / in.SupplyVoltageV
	out.warnOfDrop(in, target)
	out.arrange(in, target)
	out.worstCase(in, target)
	return out, nil
}

// warnOfDrop warns of the voltage and the power of the resistor, and of a target current [A] above
// the rating of indicator LEDs.
func (out *ledResistorOut) warnOfDrop(in ledResistorIn, target float64) {
	if tolerance.Below(out.HeadroomV, 0.1*in.SupplyVoltageV) ||
		tolerance.Below(out.HeadroomV, 0.5) {
		out.Warn(
			"only %.3g V remain across the resistor: the current varies strongly with the forward voltage; raise the supply or use a constant-current driver",
			out.HeadroomV,
		)
	}
	if tolerance.Above(out.HeadroomV, chipVoltage) {
		out.Warn(
			"the resistor has %g V across it, more than the %d V of a size 0805: use several in series; mains has a higher peak voltage and needs a driver with insulation",
			tolerance.RoundAbove(out.HeadroomV, chipVoltage, 4), chipVoltage)
	}
	if tolerance.Above(target, 0.03) {
		out.Warn("%g mA is above the rating of an indicator LED (30 mA); see the data sheet",
			tolerance.RoundAbove(target*1e3, 30, 4))
	}
	if tolerance.Above(out.ResistorPowerW, 1) {
		out.Warn("the resistor dissipates %.3g W; a constant-current driver is more efficient",
			out.ResistorPowerW)
	}
}

// arrange divides led_count into strings.
func (out *ledResistorOut) arrange(in ledResistorIn, target float64) {
	room := in.SupplyVoltageV - math.Max(0.1*in.SupplyVoltageV, 0.5)
	// The count is limited to the maximum of led_count.
	out.MaxSeriesCount = int(math.Min(1e6, math.Max(0, tolerance.Floor(room/out.ForwardVoltageV))))
	if in.LEDCount == nil {
		return
	}
	n := *in.LEDCount
	needed := (n + in.SeriesCount - 1) / in.SeriesCount
	last := n - (needed-1)*in.SeriesCount
	out.StringsNeeded, out.LastStringLEDs = &needed, &last
	if needed != in.ParallelCount {
		out.Warn("%d LEDs in strings of %d need parallel_count %d, not %d", n,
			in.SeriesCount, needed,
			in.ParallelCount)
	}
	if last != in.SeriesCount {
		ohm := (in.SupplyVoltageV - float64(last)*out.ForwardVoltageV) / target
		out.Warn(
			"the last string has %d of %d LEDs: give it a resistor of its own, %g Ω for %.4g mA",
			last, in.SeriesCount, tolerance.RoundUp(ohm, 4), target*1e3)
	}
}

// worstCase adds the effect of the tolerances of supply, LED and resistor, and the average under
// PWM.
func (out *ledResistorOut) worstCase(in ledResistorIn, target float64) {
	highest := choice.Or(in.SupplyMaxV, in.SupplyVoltageV) -
		float64(in.SeriesCount)*choice.Or(in.ForwardMinV, out.ForwardVoltageV)
	current := highest / (out.StandardResistanceOhm * (1 - in.TolerancePct/100))
	duty := in.PWMDutyPct / 100
	out.MaxCurrentMA, out.MaxResistorPowerW = current*1e3, highest*current
	out.AverageCurrentMA = out.CurrentMA * duty
	// The spread is reported only if an input tolerance besides the resistor's was given.
	if (in.SupplyMaxV != nil || in.ForwardMinV != nil) && tolerance.Above(current, target*1.1) {
		out.Warn(
			"the current reaches %.4g mA in the worst case, above the %.4g mA asked for: use a larger resistor or a constant-current driver",
			current*1e3, target*1e3,
		)
	}
	if in.ResistorRatingW == nil {
		return
	}
	out.ResistorLoadPct = new(100 * out.MaxResistorPowerW * duty / *in.ResistorRatingW)
	if tolerance.Above(*out.ResistorLoadPct, in.PowerDeratingPct) {
		out.Warn(
			"the resistor of %g W is loaded to %g %%, above power_derating_pct %g: use a larger one",
			*in.ResistorRatingW, tolerance.RoundAbove(*out.ResistorLoadPct, in.PowerDeratingPct, 3),
			in.PowerDeratingPct,
		)
	}
}
