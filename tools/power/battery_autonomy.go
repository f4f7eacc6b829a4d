package power

import (
	"context"

	"slipstick/tools"
)

// BatteryAutonomy is how many days a battery bank carries a load.
var BatteryAutonomy = tools.Define(tools.Spec{
	Name:    "battery_autonomy",
	Title:   "Battery autonomy",
	Summary: "Days a battery bank carries a load with little or no sun",
	Method: "Usable = nominal × depth of discharge × derate; days = usable / (load / inverter efficiency - solar). " +
		"With the same options it inverts solar_sizing exactly",
	Sources: []string{
		"IEEE Std 1013-2019, Recommended Practice for Sizing Lead-Acid Batteries for Stand-Alone Photovoltaic Systems",
		"IEEE Std 1562-2007, Guide for Array and Battery Sizing in Stand-Alone Photovoltaic (PV) Systems, clause 6 (days of autonomy)",
	},
	Limits: []string{
		"Capacity does not change with the discharge current; for short, heavy loads see ups_runtime",
		"Solar energy counts as spread like the load",
	},
	Aliases: []string{"days of autonomy", "battery backup time", "off-grid battery", "battery bank runtime"},
	Primary: []string{"autonomy_days"},
	Examples: []tools.Example{{
		Title: "3.75 kWh bank, 1.5 kWh a day",
		In:    `{"battery_kwh": 3.75, "daily_wh": 1500}`,
		Want:  `{"nominal_kwh": 3.75, "usable_kwh": 3.000, "autonomy_days": 2.000, "autonomy_hours": 48.00, "self_sufficient": false, "average_load_w": 62.50, "warnings": []}`,
	}},
}, batteryAutonomy)

type batteryAutonomyIn struct {
	BatteryKWh    *float64 `json:"battery_kwh" unit:"kWh" gt:"0" max:"1e12" example:"3.75" doc:"Nominal energy of the bank. Or battery_ah"`
	BatteryAh     *float64 `json:"battery_ah" unit:"Ah" gt:"0" max:"1e12" doc:"Nominal charge of the bank, with battery_voltage_v. Or battery_kwh"`
	BatteryV      *float64 `json:"battery_voltage_v" unit:"V" gt:"0" max:"1e6" doc:"Nominal voltage of the bank; for battery_ah"`
	DailyWh       *float64 `json:"daily_wh" unit:"Wh" gt:"0" max:"1e15" example:"1500" doc:"Energy the loads use per day. Or total_daily_kwh or load_w"`
	DailyKWh      *float64 `json:"total_daily_kwh" unit:"kWh" gt:"0" max:"1e12" doc:"Energy the loads use per day. Or daily_wh or load_w"`
	LoadW         *float64 `json:"load_w" unit:"W" gt:"0" max:"1e15" doc:"Continuous load. Or daily_wh or total_daily_kwh"`
	Chemistry     string   `json:"battery_chemistry" enum:"lifepo4,lead_acid" default:"lifepo4" doc:"Battery chemistry; sets the default of depth_of_discharge_pct"`
	DoDPct        *float64 `json:"depth_of_discharge_pct" unit:"%" gt:"0" max:"100" doc:"Part of the battery that may be used; default 80 for lifepo4, 50 for lead_acid"`
	InverterPct   float64  `json:"inverter_efficiency_pct" unit:"%" gt:"0" max:"100" default:"100" doc:"Efficiency of the inverter; 100 for dc loads"`
	BattDeratePct float64  `json:"battery_derate_pct" unit:"%" gt:"0" max:"100" default:"100" doc:"What cold and ageing leave of the battery's rating"`
	DailySolarWh  float64  `json:"daily_solar_wh" unit:"Wh" min:"0" max:"1e15" default:"0" doc:"Solar energy that reaches the loads per day"`
}

type batteryAutonomyOut struct {
	NominalKWh     float64  `json:"nominal_kwh" unit:"kWh" doc:"Nominal energy of the bank"`
	UsableKWh      float64  `json:"usable_kwh" unit:"kWh" doc:"Energy that may be used"`
	DailyLoadWh    float64  `json:"daily_load_wh" unit:"Wh" doc:"Load per day at the battery, with inverter loss"`
	NetDailyWh     float64  `json:"net_daily_wh" unit:"Wh" doc:"Load less solar energy; below zero when there is more sun than load"`
	Days           *float64 `json:"autonomy_days" unit:"d" doc:"Time the battery lasts; null when the sun covers the load"`
	Hours          *float64 `json:"autonomy_hours" unit:"h" doc:"The same in hours"`
	SelfSufficient bool     `json:"self_sufficient" doc:"The sun covers the load"`
	AverageW       float64  `json:"average_load_w" unit:"W" doc:"Average load at the battery"`
	tools.Warnings
}

func batteryAutonomy(_ context.Context, in batteryAutonomyIn) (batteryAutonomyOut, error) {
	var f tools.Faults
	exactlyOne(&f, option{"battery_kwh", in.BatteryKWh != nil}, option{"battery_ah", in.BatteryAh != nil})
	exactlyOne(&f, option{"daily_wh", in.DailyWh != nil}, option{"total_daily_kwh", in.DailyKWh != nil}, option{"load_w", in.LoadW != nil})
	if in.BatteryAh != nil && in.BatteryV == nil {
		f.Add("battery_voltage_v", "is required with battery_ah, to give its energy: a number greater than 0, in V")
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
	dod := orElse(in.DoDPct, usualDepthOfDischarge(in.Chemistry))
	out.UsableKWh = out.NominalKWh * (dod / 100) * (in.BattDeratePct / 100)
	out.DailyLoadWh /= in.InverterPct / 100
	out.NetDailyWh = out.DailyLoadWh - in.DailySolarWh
	out.AverageW = out.DailyLoadWh / 24
	out.SelfSufficient = out.NetDailyWh <= slack*out.DailyLoadWh
	if !out.SelfSufficient {
		days := out.UsableKWh * 1000 / out.NetDailyWh
		hours := days * 24
		out.Days, out.Hours = &days, &hours
		if below(days, 1) {
			out.Warn("the battery lasts less than one day")
		}
	}
	if in.Chemistry == "lead_acid" && above(dod, 50) {
		out.Warn("a depth of discharge of %g %% shortens the life of lead_acid batteries; 50 %% or less is usual", dod)
	}
	if limit := 0.5 * out.NominalKWh * 1000; above(out.AverageW, limit) {
		out.Warn("the average load of %.4g W is above 0.5 C of the bank (%.4g W): its capacity at that current is lower than rated", out.AverageW, limit)
	}
	if in.BatteryKWh != nil && in.BatteryV != nil {
		ignored(&out.Warnings, "battery_voltage_v", "it has a meaning with battery_ah only")
	}
	return out, nil
}
