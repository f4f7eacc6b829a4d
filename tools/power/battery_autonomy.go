package power

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/battery"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// BatteryAutonomy computes how many days a battery bank supplies a load.
var BatteryAutonomy = tools.Define(tools.Spec{
	Name:    "battery_autonomy",
	Title:   "Battery autonomy",
	Summary: "Days that a battery bank supplies a load with little or no sun",
	Method: "Usable = nominal × depth of discharge × derate; days = usable / (load / inverter efficiency - solar). " +
		"With the same options it inverts solar_sizing exactly. Peukert: usable / max(1, P H / nominal)^(k-1), P the average load; " +
		"lead-acid at a temperature: usable divided by the factor of IEEE Std 485 table 1",
	Sources: []string{
		"IEEE Std 1013-2019, Recommended Practice for Sizing Lead-Acid Batteries for Stand-Alone Photovoltaic Systems",
		"IEEE Std 1562-2007, Guide for Array and Battery Sizing in Stand-Alone Photovoltaic (PV) Systems, clause 6 (days of autonomy)",
		"IEEE Std 485-2020, table 1 (temperature correction of lead-acid cells)",
		"W. Peukert, Elektrotechnische Zeitschrift 20 (1897), pages 287-288",
	},
	Limits: []string{
		"Capacity changes with the discharge current only by peukert_exponent; for short, heavy loads see ups_runtime",
		"Solar energy counts as spread like the load",
	},
	Aliases: []string{"days of autonomy", "battery backup time", "off-grid battery",
		"battery bank runtime"},
	Primary: []string{"autonomy_days"},
	Examples: []tools.Example{{
		Title: "3.75 kWh bank, 1.5 kWh a day",
		In:    `{"battery_kwh": 3.75, "daily_wh": 1500}`,
		Want:  `{"nominal_kwh": 3.75, "usable_kwh": 3.000, "autonomy_days": 2.000, "autonomy_hours": 48.00, "self_sufficient": false, "average_load_w": 62.50, "warnings": []}`,
	}, {
		Title: "200 Ah lead-acid bank, 600 Wh a day",
		In:    `{"battery_ah": 200, "battery_voltage_v": 12, "daily_wh": 600, "battery_chemistry": "lead_acid"}`,
		Want:  `{"nominal_kwh": 2.4, "usable_kwh": 1.2, "autonomy_days": 2}`,
		From:  "by hand: half of 2.4 kWh over 0.6 kWh",
	}, {
		Title: "50 W server on 5 kWh",
		In:    `{"battery_kwh": 5, "load_w": 50}`,
		Want:  `{"usable_kwh": 4, "autonomy_hours": 80}`,
		From:  "by hand: 80 % of 5 kWh over 50 W",
	}},
}, batteryAutonomy)

type batteryAutonomyIn struct {
	BatteryKWh    *float64 `json:"battery_kwh" unit:"kWh" gt:"0" max:"1e12" example:"3.75" label:"Battery energy" doc:"Nominal energy of the bank; alternative to battery_ah"`
	BatteryAh     *float64 `json:"battery_ah" unit:"Ah" gt:"0" max:"1e12" label:"Battery capacity" doc:"Nominal capacity of the bank, with battery_voltage_v; alternative to battery_kwh"`
	BatteryV      *float64 `json:"battery_voltage_v" unit:"V" gt:"0" max:"1e6" label:"Battery voltage" doc:"Nominal voltage of the bank; required with battery_ah"`
	DailyWh       *float64 `json:"daily_wh" unit:"Wh" gt:"0" max:"1e15" example:"1500" label:"Daily energy" doc:"Energy the loads use per day; alternative to total_daily_kwh or load_w"`
	DailyKWh      *float64 `json:"total_daily_kwh" unit:"kWh" gt:"0" max:"1e12" alias:"daily_wh" label:"Daily energy (kWh)" doc:"Energy the loads use per day; alternative to daily_wh or load_w"`
	LoadW         *float64 `json:"load_w" unit:"W" gt:"0" max:"1e15" label:"Continuous load" doc:"Continuous load; alternative to daily_wh or total_daily_kwh"`
	Chemistry     string   `json:"battery_chemistry" enum:"lifepo4,lead_acid" default:"lifepo4" label:"Battery chemistry" doc:"Battery chemistry; sets the default of depth_of_discharge_pct"`
	DoDPct        *float64 `json:"depth_of_discharge_pct" unit:"%" gt:"0" max:"100" example:"80" label:"Depth of discharge" doc:"Usable share of the battery; default 80 for lifepo4, 50 for lead_acid"`
	InverterPct   float64  `json:"inverter_efficiency_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Inverter efficiency" doc:"Efficiency of the inverter; 100 for DC loads"`
	BattDeratePct float64  `json:"battery_derate_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Battery derating" doc:"Remaining share of the rated capacity after cold and ageing"`
	DailySolarWh  float64  `json:"daily_solar_wh" unit:"Wh" min:"0" max:"1e15" default:"0" label:"Daily solar energy" doc:"Solar energy per day that reaches the loads"`
	Peukert       float64  `json:"peukert_exponent" unit:"1" min:"1" max:"2" default:"1" label:"Peukert exponent" doc:"Peukert exponent; 1 for none, 1.1 to 1.3 for lead-acid"`
	RatedHours    float64  `json:"rated_hours" unit:"h" gt:"0" max:"1e6" default:"20" label:"Rated discharge time" doc:"Discharge time at which the capacity is rated; used with peukert_exponent"`
	TemperatureC  *float64 `json:"temperature_c" unit:"°C" min:"-3.9" max:"48.9" label:"Battery temperature" doc:"Temperature of a lead_acid bank, within the range of IEEE Std 485 table 1; default 25"`
}

type batteryAutonomyOut struct {
	NominalKWh     float64  `json:"nominal_kwh" unit:"kWh" label:"Nominal energy" doc:"Nominal energy of the bank"`
	UsableKWh      float64  `json:"usable_kwh" unit:"kWh" label:"Usable energy" doc:"Energy that may be used"`
	DailyLoadWh    float64  `json:"daily_load_wh" unit:"Wh" label:"Daily load" doc:"Energy drawn from the battery per day, with inverter loss"`
	NetDailyWh     float64  `json:"net_daily_wh" unit:"Wh" label:"Net daily load" doc:"Daily load minus solar energy; negative with a solar surplus"`
	Days           *float64 `json:"autonomy_days" unit:"d" label:"Autonomy (d)" doc:"Time on battery in days; null when solar energy covers the load"`
	Hours          *float64 `json:"autonomy_hours" unit:"h" label:"Autonomy (h)" doc:"Time on battery in hours; null when solar energy covers the load"`
	SelfSufficient bool     `json:"self_sufficient" label:"Self-sufficient" doc:"Solar energy covers the load"`
	AverageW       float64  `json:"average_load_w" unit:"W" label:"Average load" doc:"Average load at the battery"`
	PeukertFactor  float64  `json:"peukert_factor" unit:"1" label:"Peukert factor" doc:"Factor by which Peukert's law reduces the capacity; 1 without peukert_exponent"`
	TempFactor     float64  `json:"temperature_factor" unit:"1" label:"Temperature factor" doc:"Temperature correction factor of IEEE Std 485, by which the capacity is divided; 1 without temperature_c"`
	tools.Warnings
}

func batteryAutonomy(_ context.Context, in batteryAutonomyIn) (batteryAutonomyOut, error) {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("battery_kwh", in.BatteryKWh != nil),
		choice.Of("battery_ah", in.BatteryAh != nil))
	choice.ExactlyOne(&f, choice.Of("daily_wh", in.DailyWh != nil),
		choice.Of("total_daily_kwh", in.DailyKWh != nil), choice.Of("load_w", in.LoadW != nil))
	if in.BatteryAh != nil && in.BatteryV == nil {
		f.Add("battery_voltage_v",
			"is required with battery_ah, to give its energy: a number greater than 0, in V")
	}
	if err := f.Err(); err != nil {
		return batteryAutonomyOut{}, err
	}
	var out batteryAutonomyOut
	if in.BatteryKWh != nil {
		out.NominalKWh = *in.BatteryKWh
	} else {
		out.NominalKWh = *in.BatteryAh * *in.BatteryV / 1000
	}
	switch {
	case in.DailyWh != nil:
		out.DailyLoadWh = *in.DailyWh
	case in.DailyKWh != nil:
		out.DailyLoadWh = *in.DailyKWh * 1000
	default:
		out.DailyLoadWh = *in.LoadW * 24
	}
	dod := choice.Or(in.DoDPct, battery.DepthOfDischarge(in.Chemistry))
	out.UsableKWh = out.NominalKWh * (dod / 100) * (in.BattDeratePct / 100)
	out.DailyLoadWh /= in.InverterPct / 100
	out.PeukertFactor = battery.PeukertFactor(out.DailyLoadWh/24, out.NominalKWh*1000,
		in.RatedHours, in.Peukert)
	out.TempFactor = 1
	if in.TemperatureC != nil {
		if in.Chemistry == "lead_acid" {
			out.TempFactor = battery.LeadAcidFactor(*in.TemperatureC)
		} else {
			choice.Ignored(&out.Warnings,
				"IEEE Std 485 has factors for lead_acid only; lower battery_derate_pct for others",
				choice.Of("temperature_c", true))
		}
	}
	out.UsableKWh /= out.PeukertFactor * out.TempFactor
	out.NetDailyWh = out.DailyLoadWh - in.DailySolarWh
	out.AverageW = out.DailyLoadWh / 24
	out.SelfSufficient = out.NetDailyWh <= tolerance.Relative*out.DailyLoadWh
	if !out.SelfSufficient {
		days := out.UsableKWh * 1000 / out.NetDailyWh
		hours := days * 24
		out.Days, out.Hours = &days, &hours
		if tolerance.Below(days, 1) {
			out.Warn("the battery lasts less than one day; enlarge it or lower the load")
		}
		if tolerance.Above(days, 90) {
			out.Warn(
				"the battery lasts %g days, more than 90: its self-discharge is not counted; use battery_life with self_discharge_pct_per_month, and check the units",
				tolerance.RoundAbove(days, 90, 4))
		}
	}
	if in.Chemistry == "lead_acid" && tolerance.Above(dod, 50) {
		out.Warn(
			"a depth of discharge of %g %% shortens the life of lead_acid batteries; 50 %% or less is usual",
			dod,
		)
	}
	if limit := 0.5 * out.NominalKWh * 1000; tolerance.Above(out.AverageW, limit) {
		out.Warn(
			"the average load of %g W is above 0.5 C of the bank (%g W): its capacity at that current is lower than rated; give peukert_exponent",
			tolerance.RoundAbove(out.AverageW, limit, 4), tolerance.RoundDown(limit, 4),
		)
	}
	if in.BatteryKWh != nil && in.BatteryV != nil {
		choice.Ignored(&out.Warnings, "it has a meaning with battery_ah only",
			choice.Of("battery_voltage_v", true))
	}
	return out, nil
}
