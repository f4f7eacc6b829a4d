package power

import (
	"context"
	"strconv"

	"slipstick/tools"
	"slipstick/tools/choice"
)

// SolarLoadAudit computes the daily energy of a list of appliances.
var SolarLoadAudit = tools.Define(tools.Spec{
	Name:    "solar_load_audit",
	Title:   "Solar load audit",
	Summary: "Daily energy, peak and surge power of a list of appliances",
	Method: "Wh per day = W × n × h × duty × days/7 for each item; total = (dc + ac/η)(1 + margin). Peak = Σ W n; " +
		"surge = peak + the largest (surge - W) of a single unit. Month = 365/12 days, year = 365 days",
	Sources: []string{
		"IEEE Std 1562-2007, Guide for Array and Battery Sizing in Stand-Alone Photovoltaic (PV) Systems, clause 5 (load calculation)",
		"R. A. Messenger, A. Abtahi, Photovoltaic Systems Engineering, 4th edition (2017), chapter on stand-alone systems",
	},
	Limits: []string{
		"Two motors that start in the same instant draw more than the surge given",
		"The inverter's idle draw counts as an appliance of its own: add it to the list",
	},
	Aliases: []string{"load calculator", "appliance list", "energy audit", "off-grid load",
		"daily consumption"},
	Examples: []tools.Example{{
		Title: "Fridge, lights and router of a cabin",
		In: `{"inverter_efficiency_pct": 90, "appliances": [
			{"name": "fridge", "watts": 150, "type": "ac", "hours_per_day": 24, "duty_cycle_pct": 35, "surge_w": 900},
			{"name": "lights", "watts": 9, "quantity": 6, "hours_per_day": 5},
			{"name": "router", "watts": 12, "hours_per_day": 24}]}`,
		Want: `{"total_daily_wh": 1958.00, "total_daily_kwh": 1.95800, "peak_load_w": 216, "surge_load_w": 966, "ac_daily_wh": 1260.00, "dc_daily_wh": 558.00,
			"inverter_loss_wh": 140.00, "largest_item": "fridge", "warnings": []}`,
	}, {
		Title: "Water pump, two hours a day",
		In:    `{"appliances": [{"name": "pump", "watts": 500, "hours_per_day": 2}]}`,
		Want:  `{"total_daily_wh": 1000, "annual_kwh": 365}`,
		From:  "by hand",
	}, {
		Title: "Washing machine, three days a week",
		In:    `{"appliances": [{"name": "washer", "watts": 2000, "hours_per_day": 1, "days_per_week": 3}]}`,
		Want:  `{"total_daily_wh": 857.1429, "peak_load_w": 2000}`,
		From:  "by hand: 2000 Wh × 3/7",
	}},
}, solarLoadAudit)

type solarLoadAuditIn struct {
	Appliances []appliance `json:"appliances" minItems:"1" maxItems:"200" label:"Appliances" doc:"Appliances with power and hours of use"`
	InverterPc float64     `json:"inverter_efficiency_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Inverter efficiency" doc:"Efficiency of the inverter that supplies the AC appliances"`
	MarginPct  float64     `json:"margin_pct" unit:"%" min:"0" max:"200" default:"0" label:"Design margin" doc:"Margin on the total energy"`
}

type appliance struct {
	Name        *string  `json:"name" maxLength:"200" label:"Appliance" doc:"Name of the appliance"`
	Watts       float64  `json:"watts" unit:"W" min:"0" max:"1e9" example:"150" label:"Power" doc:"Power of one unit while on"`
	HoursPerDay float64  `json:"hours_per_day" unit:"h" min:"0" max:"24" example:"5" label:"Hours per day" doc:"Hours of use per day"`
	Quantity    int      `json:"quantity" unit:"1" min:"0" max:"1000000" default:"1" label:"Quantity" doc:"Number of units"`
	DaysPerWeek float64  `json:"days_per_week" unit:"d" min:"0" max:"7" default:"7" label:"Days per week" doc:"Days of use per week"`
	DutyPct     float64  `json:"duty_cycle_pct" unit:"%" min:"0" max:"100" default:"100" label:"Duty cycle" doc:"Share of the hours of use in which it draws power; about 35 for a refrigerator"`
	SurgeW      *float64 `json:"surge_w" unit:"W" min:"0" max:"1e9" label:"Starting power" doc:"Starting power of one unit, not below watts"`
	Type        string   `json:"type" enum:"dc,ac" default:"dc" label:"Supply" doc:"dc: supplied by the battery; ac: supplied by the inverter"`
}

type solarLoadAuditOut struct {
	TotalKWh    float64     `json:"total_daily_kwh" unit:"kWh" label:"Daily energy (kWh)" doc:"Energy per day with inverter loss and margin"`
	TotalWh     float64     `json:"total_daily_wh" unit:"Wh" label:"Daily energy" doc:"Energy per day with inverter loss and margin"`
	ACWh        float64     `json:"ac_daily_wh" unit:"Wh" label:"Daily AC energy" doc:"Energy of the AC appliances per day"`
	DCWh        float64     `json:"dc_daily_wh" unit:"Wh" label:"Daily DC energy" doc:"Energy of the DC appliances per day"`
	InverterWh  float64     `json:"inverter_loss_wh" unit:"Wh" label:"Daily inverter loss" doc:"Energy lost in the inverter per day, before the margin"`
	PeakW       float64     `json:"peak_load_w" unit:"W" label:"Peak load" doc:"Power with all appliances on"`
	SurgeW      float64     `json:"surge_load_w" unit:"W" label:"Surge load" doc:"Peak load while the appliance with the largest surge starts"`
	AverageW    float64     `json:"average_load_w" unit:"W" label:"Average load" doc:"Daily energy divided by 24 h"`
	MonthlyKWh  float64     `json:"monthly_kwh" unit:"kWh" label:"Monthly energy" doc:"Energy of a month of 365/12 days"`
	AnnualKWh   float64     `json:"annual_kwh" unit:"kWh" label:"Annual energy" doc:"Energy of 365 days"`
	LargestItem *string     `json:"largest_item" label:"Largest consumer" doc:"Appliance with the highest energy: its name, or its index; null when none uses energy"`
	Items       []auditItem `json:"items" label:"Energy by appliance" doc:"Energy of each appliance"`
	tools.Warnings
}

type auditItem struct {
	Name     *string  `json:"name" label:"Appliance" doc:"Name of the appliance"`
	DailyWh  float64  `json:"daily_wh" unit:"Wh" label:"Daily energy" doc:"Energy per day, all units"`
	SharePct *float64 `json:"share_pct" unit:"%" label:"Share" doc:"Share of the load energy before losses; null when there is none"`
}

// label returns the name of the item, or its number if it has no name.
func (a appliance) label(index int) string {
	if a.Name != nil && *a.Name != "" {
		return *a.Name
	}
	return strconv.Itoa(index)
}

func solarLoadAudit(_ context.Context, in solarLoadAuditIn) (solarLoadAuditOut, error) {
	var f tools.FieldErrors
	for i, a := range in.Appliances {
		if a.SurgeW != nil && *a.SurgeW < a.Watts {
			f.AddValue("appliances["+strconv.Itoa(i)+"].surge_w", *a.SurgeW,
				"must be at least watts %g",
				a.Watts)
		}
	}
	if err := f.Err(); err != nil {
		return solarLoadAuditOut{}, err
	}
	out := solarLoadAuditOut{Items: make([]auditItem, len(in.Appliances))}
	var start float64
	largest, hasAC := 0, false
	for i, a := range in.Appliances {
		units := float64(a.Quantity)
		wh := a.Watts * units * a.HoursPerDay * (a.DutyPct / 100) * (a.DaysPerWeek / 7)
		out.Items[i] = auditItem{Name: a.Name, DailyWh: wh}
		if wh > out.Items[largest].DailyWh {
			largest = i
		}
		if a.Type == "ac" {
			hasAC = true
			out.ACWh += wh
		} else {
			out.DCWh += wh
		}
		out.PeakW += a.Watts * units
		if a.SurgeW != nil && a.Quantity > 0 {
			start = max(start, *a.SurgeW-a.Watts)
			if a.DutyPct == 100 && a.HoursPerDay == 24 {
				name := a.label(i)
				if a.Name == nil || *a.Name == "" {
					name = "appliances[" + name + "]"
				}
				out.Warn(
					"%s has a starting surge, like a compressor, but runs 24 h at 100 %% duty: a compressor switches on and off; set duty_cycle_pct",
					name,
				)
			}
		}
	}
	out.SurgeW = out.PeakW + start
	used := out.ACWh + out.DCWh
	out.InverterWh = out.ACWh * (100/in.InverterPc - 1)
	out.TotalWh = (out.DCWh + out.ACWh/(in.InverterPc/100)) * (1 + in.MarginPct/100)
	out.TotalKWh, out.AverageW = out.TotalWh/1000, out.TotalWh/24
	out.AnnualKWh = out.TotalKWh * 365
	out.MonthlyKWh = out.AnnualKWh / 12
	if used > 0 {
		name := in.Appliances[largest].label(largest)
		out.LargestItem = &name
		for i := range out.Items {
			share := 100 * out.Items[i].DailyWh / used
			out.Items[i].SharePct = &share
		}
	}
	if hasAC && in.InverterPc == 100 {
		out.Warn(
			"ac appliances with an inverter_efficiency_pct of 100: a real inverter has 85 to 95 %%")
	}
	if !hasAC && in.InverterPc != 100 {
		choice.Ignored(&out.Warnings, "no appliance is of type ac",
			choice.Of("inverter_efficiency_pct", true))
	}
	return out, nil
}
