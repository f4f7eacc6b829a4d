package power

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/battery"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// BatteryLife computes how long a battery supplies a constant or repeating load.
var BatteryLife = tools.Define(tools.Spec{
	Name:    "battery_life",
	Title:   "Battery life",
	Summary: "Runtime of a battery under a constant load or a repeating cycle of states",
	Method: "Average I = Σ I t / Σ t. Peukert per state: I_eff = I max(1, I H / C)^(k-1), averaged over time. Q = C × usable. " +
		"Self-discharge s per month (730.5 h) is an exponential leak, λ = -ln(1 - s) / 730.5 h: runtime = ln(1 + λ Q / I_eff) / λ, or Q / I_eff when s = 0. " +
		"Voltage under load = nominal - peak current × internal resistance. Lead-acid at a temperature: Q divided by the factor of IEEE Std 485 table 1",
	Sources: []string{
		"W. Peukert, Elektrotechnische Zeitschrift 20 (1897), pages 287-288: capacity and discharge current",
		"T. B. Reddy (ed.), Linden's Handbook of Batteries, 4th edition (2011), chapter 3: factors affecting battery performance",
		"M. Jensen, Coin Cells and Peak Current Draw, Texas Instruments SWRA349 (2010): capacity of CR2032 cells under pulses of 15 and 30 mA",
		"IEEE Std 485-2020, table 1 (temperature correction of lead-acid cells)",
		"Charge balance dQ/dt = -I - λ Q, solved for Q = 0",
	},
	Limits: []string{
		"Capacity changes with temperature for chemistry lead_acid only; lower usable_pct for cold, ageing and the cut-off voltage",
		"The internal resistance is a constant; that of a coin cell rises several times towards its end and in the cold",
		"Peukert's law is for constant current and temperature; the average over states is an approximation",
	},
	Aliases: []string{"battery runtime", "how long will my battery last", "sleep current",
		"duty cycle", "IoT battery"},
	Primary: []string{"runtime_h"},
	Examples: []tools.Example{{
		Title: "Sensor that sends every minute",
		In: `{"capacity_mah": 3000, "usable_pct": 85, "self_discharge_pct_per_month": 2, "voltage_v": 3.7,
			"states": [{"name": "send", "current_ma": 120, "duration_s": 0.2}, {"name": "sleep", "current_ma": 0.015, "duration_s": 59.8}]}`,
		Want: `{"average_current_ma": 0.41495, "runtime_h": 5675.630, "runtime_days": 236.4846, "daily_wh": 0.0368476,
			"states": [{"name": "send", "charge_share_pct": 96.3972}, {"name": "sleep", "duration_s": 59.8}], "warnings": []}`,
	}, {
		Title: "Constant 100 mA",
		In:    `{"capacity_mah": 2500, "load_ma": 100}`,
		Want:  `{"runtime_h": 25.00, "daily_mah": 2400.0, "daily_wh": null, "states": null}`,
	}, {
		Title: "Coin cell at 20 µA",
		In:    `{"capacity_mah": 225, "load_ma": 0.02}`,
		Want:  `{"runtime_h": 11250, "runtime_days": 468.75}`,
		From:  "by hand: 225 mAh over 0.02 mA",
	}},
}, batteryLife)

type batteryLifeIn struct {
	CapacityMAh   float64             `json:"capacity_mah" unit:"mAh" gt:"0" max:"1e12" example:"3000" label:"Battery capacity" doc:"Rated capacity"`
	LoadMA        *float64            `json:"load_ma" unit:"mA" gt:"0" max:"1e12" label:"Load current" doc:"Constant load current; alternative to states"`
	States        *[]batteryLifeState `json:"states" minItems:"1" maxItems:"50" label:"Load states" doc:"States of a repeating load cycle; alternative to load_ma"`
	VoltageV      *float64            `json:"voltage_v" unit:"V" gt:"0" max:"1e6" example:"3.7" label:"Nominal voltage" doc:"Nominal voltage; gives the energies"`
	UsablePct     float64             `json:"usable_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Usable capacity" doc:"Usable share of the capacity"`
	SelfDischarge float64             `json:"self_discharge_pct_per_month" unit:"%/month" min:"0" lt:"100" default:"0" label:"Self-discharge" doc:"Share of the charge lost per month of 730.5 h"`
	Peukert       float64             `json:"peukert_exponent" unit:"1" min:"1" max:"2" default:"1" label:"Peukert exponent" doc:"Peukert exponent; 1 for none, 1.1 to 1.3 for lead-acid"`
	RatedHours    float64             `json:"rated_hours" unit:"h" gt:"0" max:"1e6" default:"20" label:"Rated discharge time" doc:"Discharge time at which the capacity is rated"`
	Chemistry     string              `json:"chemistry" enum:"unspecified,lithium_coin,lead_acid,other" default:"unspecified" label:"Chemistry" doc:"Battery chemistry; lithium_coin: checks pulse currents; lead_acid: corrects for temperature"`
	ResistanceOhm *float64            `json:"internal_resistance_ohm" unit:"Ω" min:"0" max:"1e6" label:"Internal resistance" doc:"Internal resistance of the battery; with voltage_v gives the voltage at the peak current"`
	CutoffV       *float64            `json:"cutoff_v" unit:"V" gt:"0" max:"1e6" label:"Cut-off voltage" doc:"Lowest operating voltage of the load, compared with the voltage under load"`
	TemperatureC  *float64            `json:"temperature_c" unit:"°C" min:"-100" max:"150" label:"Battery temperature" doc:"Temperature of a lead_acid battery, -3.9 to 48.9 by IEEE Std 485 table 1; default 25"`
}

type batteryLifeState struct {
	Name      *string `json:"name" maxLength:"200" label:"State" doc:"Name of the state"`
	CurrentMA float64 `json:"current_ma" unit:"mA" min:"0" max:"1e12" label:"Current" doc:"Current in this state"`
	DurationS float64 `json:"duration_s" unit:"s" gt:"0" max:"1e12" label:"Duration" doc:"Time in this state per cycle"`
}

type batteryLifeOut struct {
	AverageMA    float64            `json:"average_current_ma" unit:"mA" label:"Average current" doc:"Time-weighted average of the load"`
	EffectiveMA  float64            `json:"effective_current_ma" unit:"mA" label:"Effective current" doc:"Average current corrected by Peukert's law"`
	UsableMAh    float64            `json:"usable_capacity_mah" unit:"mAh" label:"Usable capacity" doc:"Rated capacity times usable_pct"`
	RuntimeH     float64            `json:"runtime_h" unit:"h" label:"Runtime" doc:"Runtime"`
	RuntimeDays  float64            `json:"runtime_days" unit:"d" label:"Runtime (d)" doc:"Runtime in days"`
	RuntimeYears float64            `json:"runtime_years" unit:"yr" label:"Runtime (yr)" doc:"Runtime in years of 8766 h"`
	DailyMAh     float64            `json:"daily_mah" unit:"mAh" label:"Daily charge" doc:"Charge the load draws per day"`
	DailyWh      *float64           `json:"daily_wh" unit:"Wh" label:"Daily energy" doc:"Energy the load draws per day; null without voltage_v"`
	EnergyWh     *float64           `json:"energy_wh" unit:"Wh" label:"Usable energy" doc:"Energy in the usable capacity; null without voltage_v"`
	States       []batteryLifeShare `json:"states" nullable:"true" label:"Load states" doc:"Each state with its share of the charge; null for load_ma"`
	PeakMA       float64            `json:"peak_current_ma" unit:"mA" label:"Peak current" doc:"Largest current of the load"`
	LoadedV      *float64           `json:"loaded_voltage_v" unit:"V" label:"Voltage under load" doc:"Voltage of the battery at the peak current; null without voltage_v and internal_resistance_ohm"`
	PeakCRate    float64            `json:"peak_c_rate" unit:"1/h" label:"Peak C-rate" doc:"Peak current divided by the rated capacity"`
	tools.Warnings
}

type batteryLifeShare struct {
	Name           *string `json:"name" label:"State" doc:"Name of the state"`
	CurrentMA      float64 `json:"current_ma" unit:"mA" label:"Current" doc:"Current in this state"`
	DurationS      float64 `json:"duration_s" unit:"s" label:"Duration" doc:"Time in this state per cycle"`
	ChargeSharePct float64 `json:"charge_share_pct" unit:"%" label:"Charge share" doc:"Share of the charge drawn per cycle"`
}

const (
	hoursPerMonth = 730.5
	hoursPerYear  = 8766.0
)

func batteryLife(_ context.Context, in batteryLifeIn) (batteryLifeOut, error) {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("load_ma", in.LoadMA != nil),
		choice.Of("states", in.States != nil))
	if t := in.TemperatureC; t != nil && in.Chemistry == "lead_acid" && (*t < -3.9 || *t > 48.9) {
		f.AddValue("temperature_c", *t,
			"must be -3.9 to 48.9 for chemistry lead_acid, the range of IEEE Std 485 table 1")
	}
	if err := f.Err(); err != nil {
		return batteryLifeOut{}, err
	}
	var out batteryLifeOut
	effective := func(current float64) float64 {
		return current * battery.PeukertFactor(current, in.CapacityMAh, in.RatedHours, in.Peukert)
	}
	if in.LoadMA != nil {
		out.AverageMA, out.EffectiveMA = *in.LoadMA, effective(*in.LoadMA)
		out.PeakMA = *in.LoadMA
	} else {
		var time, charge, drained float64
		for _, s := range *in.States {
			time += s.DurationS
			out.PeakMA = math.Max(out.PeakMA, s.CurrentMA)
			charge += s.CurrentMA * s.DurationS
			drained += effective(s.CurrentMA) * s.DurationS
		}
		if charge == 0 {
			return batteryLifeOut{}, tools.Invalid("states",
				"no state draws a current: at least one current_ma must be greater than 0")
		}
		out.AverageMA, out.EffectiveMA = charge/time, drained/time
		out.States = make([]batteryLifeShare, len(*in.States))
		for i, s := range *in.States {
			out.States[i] = batteryLifeShare{
				s.Name, s.CurrentMA, s.DurationS, 100 * s.CurrentMA * s.DurationS / charge,
			}
		}
	}
	out.UsableMAh = in.CapacityMAh * in.UsablePct / 100
	if in.TemperatureC != nil {
		if in.Chemistry == "lead_acid" {
			out.UsableMAh /= battery.LeadAcidFactor(*in.TemperatureC)
		} else {
			choice.Ignored(&out.Warnings,
				"IEEE Std 485 has factors for lead_acid only; lower usable_pct for others",
				choice.Of("temperature_c", true))
		}
	}
	in.pulse(&out)
	out.RuntimeH = emptied(out.UsableMAh/out.EffectiveMA, in.SelfDischarge/100)
	out.RuntimeDays, out.RuntimeYears = out.RuntimeH/24, out.RuntimeH/hoursPerYear
	out.DailyMAh = out.AverageMA * 24
	if in.VoltageV != nil {
		daily, energy := out.DailyMAh**in.VoltageV/1000, out.UsableMAh**in.VoltageV/1000
		out.DailyWh, out.EnergyWh = &daily, &energy
	}
	if tolerance.Above(out.RuntimeYears, 10) {
		out.Warn("a runtime of %g years is beyond the shelf life of most batteries (10 years)",
			tolerance.RoundAbove(out.RuntimeYears, 10, 3))
	}
	if out.RuntimeYears > 1 && in.SelfDischarge == 0 {
		out.Warn(
			"a runtime of %.3g years without self-discharge is optimistic: set self_discharge_pct_per_month",
			out.RuntimeYears,
		)
	}
	if tolerance.Above(out.AverageMA, in.CapacityMAh) {
		out.Warn(
			"the average current of %g mA is above 1 C (%g mA): most batteries deliver less than their rated capacity at that current; give peukert_exponent, or lower usable_pct",
			tolerance.RoundAbove(out.AverageMA, in.CapacityMAh, 4), in.CapacityMAh,
		)
	}
	return out, nil
}

const (
	// coinCellMAh is the capacity below which a 3 V battery may be a coin cell; CR2450 has 620 mAh.
	coinCellMAh = 650
	// coinCellMA is the maximum continuous current in the data sheets of CR2032 and CR2450 [mA].
	coinCellMA = 3
)

// pulse adds the maximum current and the voltage at that current, and warnings about coin cells.
func (in batteryLifeIn) pulse(out *batteryLifeOut) {
	out.PeakCRate = out.PeakMA / in.CapacityMAh
	if in.ResistanceOhm != nil && in.VoltageV != nil {
		v := *in.VoltageV - out.PeakMA/1e3**in.ResistanceOhm
		out.LoadedV = &v
		switch {
		case v <= 0:
			short := *in.VoltageV / *in.ResistanceOhm * 1e3
			out.Warn("the battery cannot deliver %g mA: a short circuit draws %g mA, from %g V across %g Ω",
				tolerance.RoundAbove(out.PeakMA, short, 4), tolerance.RoundDown(short, 4),
				*in.VoltageV, *in.ResistanceOhm)
		case in.CutoffV != nil && tolerance.Below(v, *in.CutoffV):
			out.Warn(
				"the voltage falls to %g V under %.4g mA, below cutoff_v %g: the load stops before the battery is empty",
				tolerance.RoundBelow(v, *in.CutoffV, 4), out.PeakMA, *in.CutoffV,
			)
		}
	} else {
		choice.Ignored(&out.Warnings,
			"the voltage under load needs voltage_v and internal_resistance_ohm",
			choice.Of("cutoff_v", in.CutoffV != nil),
			choice.Of("internal_resistance_ohm", in.ResistanceOhm != nil))
	}
	coin := in.Chemistry == "lithium_coin"
	suspect := in.Chemistry == "unspecified" && in.CapacityMAh <= coinCellMAh &&
		(in.VoltageV == nil || *in.VoltageV >= 2.5 && *in.VoltageV <= 3.2)
	if (coin || suspect) && tolerance.Above(out.PeakMA, coinCellMA) {
		cell := "a lithium coin cell"
		if suspect {
			cell = "if this is a lithium coin cell (chemistry), it"
		}
		out.Warn(
			"%g mA: %s is made for %d mA at most without pause; CR2032 cells gave 50 to 100 %% of their rating at pulses of 15 mA (TI SWRA349): add a capacitor, lower usable_pct, or use a larger battery",
			tolerance.RoundAbove(out.PeakMA, coinCellMA, 4), cell, coinCellMA,
		)
	}
}

// emptied returns the time in hours after which a load empties a battery that also loses the
// fraction leak of its charge per month. ideal is the time without self-discharge. emptied
// multiplies it by ln(1+x)/x with x = λ·ideal. This form is exact even for a very small leak.
func emptied(ideal, leak float64) float64 {
	x := -math.Log1p(-leak) / hoursPerMonth * ideal
	if x == 0 {
		return ideal
	}
	return ideal * (math.Log1p(x) / x)
}
