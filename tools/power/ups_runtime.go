package power

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
	"slipstick/tools/battery"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// UPSRuntime computes how long a UPS supplies a load.
var UPSRuntime = tools.Define(tools.Spec{
	Name:    "ups_runtime",
	Title:   "UPS runtime",
	Summary: "Runtime of a UPS or inverter on its batteries, with Peukert's law",
	Method: "I = (load / η + idle) / V; C = Ah × parallel × health; t = H (C / (I H))^k when I is above C/H, otherwise C / I; times the usable part. " +
		"Lead-acid at a temperature: C divided by the factor of IEEE Std 485 table 1. The naive runtime is nominal Wh × η / load. " +
		"With discharge_table: the time at the power of a block divided by its health and temperature factor, between the rows by a power law",
	Sources: []string{
		"W. Peukert, Elektrotechnische Zeitschrift 20 (1897), pages 287-288: capacity and discharge current",
		"T. B. Reddy (ed.), Linden's Handbook of Batteries, 4th edition (2011), chapter on lead-acid batteries",
		"IEEE Std 485-2020, table 1 (temperature correction) and 80 % of the rating as the end of life (IEEE Std 1188)",
	},
	Limits: []string{
		"Within minutes of discharge Peukert's law is crude: use discharge_table, the constant-power table of the battery's data sheet",
		"Efficiency is constant; at light load set idle_w, the UPS's own consumption",
		"25 °C unless temperature_c is given",
	},
	Aliases: []string{"UPS battery time", "backup time", "battery backup", "Peukert",
		"uninterruptible power supply"},
	Examples: []tools.Example{{
		Title: "200 W on one 12 V 7 Ah block",
		In:    `{"load_w": 200, "battery_voltage_v": 12, "battery_ah": 7}`,
		Want:  `{"runtime_min": 15.2507, "naive_runtime_min": 22.680, "dc_current_a": 18.5185, "c_rate": 2.6455, "overloaded": null, "load_pct": null}`,
	}, {
		Title: "100 W on 100 Ah lithium",
		In:    `{"load_w": 100, "battery_voltage_v": 12, "battery_ah": 100, "battery_type": "lithium", "efficiency_pct": 90, "usable_pct": 80}`,
		Want:  `{"runtime_min": 518.4, "delivered_wh": 864}`,
		From:  "by hand: 1200 Wh × 0.9 × 0.8 over 100 W",
	}, {
		Title: "240 W on 250 Ah, Peukert exponent 1.3",
		In: `{"load_w": 240, "battery_voltage_v": 12, "battery_ah": 250, "rated_hours": 250, "efficiency_pct": 100, "usable_pct": 100,
			"peukert_exponent": 1.3}`,
		Want: `{"runtime_h": 5.08863}`,
		From: "easycalculation.com, 250 Ah at 1 A, 20 A: 5.0886 h",
	}},
}, upsRuntime)

type upsRuntimeIn struct {
	LoadW         float64         `json:"load_w" unit:"W" gt:"0" max:"1e9" example:"200" label:"Load" doc:"Load on the UPS output"`
	BatteryV      float64         `json:"battery_voltage_v" unit:"V" gt:"0" max:"1e6" example:"12" label:"Battery voltage" doc:"Nominal voltage of one block"`
	BatteryAh     float64         `json:"battery_ah" unit:"Ah" gt:"0" max:"1e9" example:"7" label:"Battery capacity" doc:"Capacity of one block at rated_hours, 20 h by default"`
	RatedHours    float64         `json:"rated_hours" unit:"h" gt:"0" max:"1e4" default:"20" label:"Rated discharge time" doc:"Discharge time at which the capacity is rated"`
	Series        int             `json:"series" unit:"1" min:"1" max:"10000" default:"1" label:"Blocks in series" doc:"Blocks in series"`
	Parallel      int             `json:"parallel" unit:"1" min:"1" max:"10000" default:"1" label:"Strings in parallel" doc:"Strings in parallel"`
	EfficiencyPct float64         `json:"efficiency_pct" unit:"%" gt:"0" max:"100" default:"90" label:"Efficiency" doc:"Efficiency from battery to output"`
	UsablePct     float64         `json:"usable_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Usable discharge" doc:"Share of the full discharge that is used before cut-off"`
	HealthPct     float64         `json:"health_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Battery health" doc:"Remaining share of the rated capacity after ageing"`
	BatteryType   string          `json:"battery_type" enum:"lead_acid,lithium" default:"lead_acid" label:"Battery type" doc:"Type of the battery; sets the default of peukert_exponent"`
	Peukert       *float64        `json:"peukert_exponent" unit:"1" min:"1" max:"2" label:"Peukert exponent" doc:"Peukert exponent; default 1.1 for lead_acid, 1 for lithium"`
	CapacityW     *float64        `json:"ups_capacity_w" unit:"W" gt:"0" max:"1e9" label:"UPS rating" doc:"Rated output power of the UPS, compared with the load"`
	IdleW         float64         `json:"idle_w" unit:"W" min:"0" max:"1e9" default:"0" label:"Idle consumption" doc:"Power that the UPS itself draws from the battery, in addition to the conversion loss"`
	TemperatureC  *float64        `json:"temperature_c" unit:"°C" min:"-3.9" max:"48.9" label:"Battery temperature" doc:"Temperature of a lead_acid battery, within the range of IEEE Std 485 table 1; default 25"`
	Table         *[]dischargeRow `json:"discharge_table" minItems:"2" maxItems:"32" label:"Constant-power table" doc:"Constant-power discharge data from the data sheet, shortest time first; replaces Peukert's law"`
}

// dischargeRow is a row of a constant-power discharge table.
type dischargeRow struct {
	Minutes float64 `json:"minutes" unit:"min" gt:"0" max:"1e6" label:"Time" doc:"Discharge time to the end voltage"`
	Watts   float64 `json:"watts" unit:"W" gt:"0" max:"1e9" label:"Power" doc:"Constant power of one block"`
}

type upsRuntimeOut struct {
	RuntimeMin   float64  `json:"runtime_min" unit:"min" label:"Runtime" doc:"Runtime"`
	RuntimeH     float64  `json:"runtime_h" unit:"h" label:"Runtime (h)" doc:"Runtime in hours"`
	NaiveMin     float64  `json:"naive_runtime_min" unit:"min" label:"Ideal runtime" doc:"Nominal energy divided by the load, ignoring Peukert's law, ageing and cut-off"`
	BankV        float64  `json:"bank_voltage_v" unit:"V" label:"Bank voltage" doc:"Voltage of all blocks in series"`
	BankAh       float64  `json:"bank_ah" unit:"Ah" label:"Bank capacity" doc:"Nominal capacity of all strings"`
	EnergyWh     float64  `json:"energy_wh" unit:"Wh" label:"Nominal energy" doc:"Nominal energy of the bank"`
	DeliveredWh  float64  `json:"delivered_wh" unit:"Wh" label:"Delivered energy" doc:"Energy delivered to the load"`
	CurrentA     float64  `json:"dc_current_a" unit:"A" label:"Battery current" doc:"Battery current"`
	CRate        float64  `json:"c_rate" unit:"1/h" label:"C-rate" doc:"Battery current divided by the nominal capacity"`
	LoadPct      *float64 `json:"load_pct" unit:"%" label:"UPS load" doc:"Load relative to the rated output; null without ups_capacity_w"`
	Overloaded   *bool    `json:"overloaded" label:"Overloaded" doc:"The load is above the rated output; null without ups_capacity_w"`
	TempFactor   float64  `json:"temperature_factor" unit:"1" label:"Temperature factor" doc:"Temperature correction factor of IEEE Std 485, by which the capacity is divided; 1 without temperature_c"`
	EndOfLifeMin float64  `json:"runtime_end_of_life_min" unit:"min" label:"Runtime at the end of life" doc:"Runtime at 80 % of the rated capacity, when batteries are due for replacement; at most runtime_min"`
	tools.Warnings
}

// endOfLifePct is the capacity, in percent of the rated capacity, at which IEEE Std 1188 requires
// replacing lead-acid batteries.
const endOfLifePct = 80

// optimisticC is the battery current, relative to the capacity per hour, above which an exponent of
// 1.1 is too optimistic. CSB GP 12400 lasts 30 min at 1.27 C instead of 34 min, and 15 min at 2 C
// instead of 20 min. EP65-12 lasts 30 min at 1.06 C instead of 42 min.
const optimisticC = 1

// longRateH is the rated discharge time [h] above which optimisticC applies. A capacity rated for
// an hour or less is measured near 1 C and is not extrapolated.
const longRateH = 8

func upsRuntime(_ context.Context, in upsRuntimeIn) (upsRuntimeOut, error) {
	usual := 1.1
	if in.BatteryType == "lithium" {
		usual = 1
	}
	var out upsRuntimeOut
	out.BankV = in.BatteryV * float64(in.Series)
	out.BankAh = in.BatteryAh * float64(in.Parallel)
	out.EnergyWh = out.BankV * out.BankAh
	efficiency := in.EfficiencyPct / 100
	out.CurrentA = (in.LoadW/efficiency + in.IdleW) / out.BankV
	out.CRate = out.CurrentA / out.BankAh
	out.TempFactor = 1
	if in.TemperatureC != nil {
		if in.BatteryType == "lead_acid" {
			out.TempFactor = battery.LeadAcidFactor(*in.TemperatureC)
		} else {
			choice.Ignored(&out.Warnings,
				"IEEE Std 485 has factors for lead_acid only; lower health_pct for others",
				choice.Of("temperature_c", true))
		}
	}
	if err := in.checkTable(&out); err != nil {
		return out, err
	}
	runtime := func(healthPct float64) float64 {
		if in.Table != nil {
			blocks := float64(in.Series) * float64(in.Parallel) * healthPct / 100 / out.TempFactor
			watts := out.CurrentA * out.BankV / blocks
			return fromTable(*in.Table, watts) / 60 * in.UsablePct / 100
		}
		ah := out.BankAh * healthPct / 100 / out.TempFactor
		faster := battery.PeukertFactor(out.CurrentA, ah, in.RatedHours,
			choice.Or(in.Peukert, usual))
		return ah / (out.CurrentA * faster) * in.UsablePct / 100
	}
	out.RuntimeH = runtime(in.HealthPct)
	out.EndOfLifeMin = 60 * runtime(min(in.HealthPct, endOfLifePct))
	out.RuntimeMin = out.RuntimeH * 60
	out.NaiveMin = out.EnergyWh * efficiency / in.LoadW * 60
	out.DeliveredWh = in.LoadW * out.RuntimeH
	if in.CapacityW != nil {
		pct, over := 100*in.LoadW / *in.CapacityW, tolerance.Above(in.LoadW, *in.CapacityW)
		out.LoadPct, out.Overloaded = &pct, &over
		if over {
			out.Warn("the load of %g W is above ups_capacity_w %g: the UPS is overloaded; take a larger one or lower the load", in.LoadW,
				*in.CapacityW)
		}
	}
	in.warnOfLongRuntime(&out)
	if in.Table != nil {
		err := in.tableEnds(&out)
		return out, err
	}
	in.warnOfPeukert(&out)
	return out, nil
}

const (
	lightRuntimeH = 24    // runtime above which the idle consumption of a UPS matters [h]
	monthH        = 730.5 // [h]
)

// warnOfLongRuntime warns of runtimes for which the idle power or the self-discharge matters.
func (in upsRuntimeIn) warnOfLongRuntime(out *upsRuntimeOut) {
	if in.IdleW == 0 && tolerance.Above(out.RuntimeH, lightRuntimeH) {
		out.Warn(
			"a runtime of %.4g h without idle_w is too long: a UPS draws power of its own, so set idle_w",
			out.RuntimeH)
	}
	if tolerance.Above(out.RuntimeH, monthH) {
		out.Warn(
			"the runtime of %.4g h is above a month: self-discharge, which lead_acid has of 3 to 5 %% per month, is not counted; use battery_life with self_discharge_pct_per_month",
			out.RuntimeH)
	}
}

// warnOfPeukert warns of high currents and short runtimes, for which Peukert's law is inaccurate.
func (in upsRuntimeIn) warnOfPeukert(out *upsRuntimeOut) {
	if tolerance.Above(out.CRate, 3) {
		out.Warn(
			"the battery current of %.4g A is %g C, above 3 C: use discharge_table, the constant-power table of the battery's data sheet",
			out.CurrentA, tolerance.RoundAbove(out.CRate, 3, 3),
		)
	}
	if in.BatteryType == "lead_acid" && in.Peukert == nil && in.RatedHours >= longRateH &&
		tolerance.Above(out.CRate, optimisticC) && !tolerance.Above(out.CRate, 3) {
		out.Warn(
			"at %.3g C Peukert's law with the exponent 1.1 promises 15 to 60 %% more than data sheets of sealed batteries: give discharge_table, or the peukert_exponent of the battery",
			out.CRate)
	}
	if tolerance.Below(out.RuntimeMin, 5) {
		out.Warn(
			"a runtime of %g min is below 5 min, where Peukert's law is crude: use discharge_table, the constant-power table of the battery's data sheet",
			tolerance.RoundBelow(out.RuntimeMin, 5, 3),
		)
	}
}

// checkTable rejects a table whose times do not increase or whose powers do not decrease.
func (in *upsRuntimeIn) checkTable(out *upsRuntimeOut) error {
	if in.Table == nil {
		return nil
	}
	choice.Ignored(&out.Warnings, "discharge_table replaces Peukert's law",
		choice.Of("peukert_exponent", in.Peukert != nil))
	var f tools.FieldErrors
	for i, row := range *in.Table {
		if i == 0 {
			continue
		}
		before := (*in.Table)[i-1]
		if row.Minutes <= before.Minutes {
			f.AddValue(fmt.Sprintf("discharge_table[%d].minutes", i), row.Minutes,
				"must be above the %g of the row before", before.Minutes)
		}
		if row.Watts >= before.Watts {
			f.AddValue(fmt.Sprintf("discharge_table[%d].watts", i), row.Watts,
				"must be below the %g of the row before, whose time is shorter", before.Watts)
		}
	}
	return f.Err()
}

// fromTable returns the runtime [min] at a power per block [W]. It interpolates by a power law
// between rows. Below the power of the last row it uses the energy of that row, which a slower
// discharge exceeds. Above the power of the first row it returns 0.
func fromTable(table []dischargeRow, watts float64) float64 {
	last := table[len(table)-1]
	if watts <= last.Watts {
		return last.Minutes * last.Watts / watts
	}
	for i, a := range table[:len(table)-1] {
		if b := table[i+1]; !tolerance.Above(watts, a.Watts) && watts > b.Watts {
			share := math.Log(a.Watts/watts) / math.Log(a.Watts/b.Watts)
			return a.Minutes * math.Pow(b.Minutes/a.Minutes, max(0, share))
		}
	}
	return 0
}

// leastShare and mostShare are the limits for the energy of a table's last row, relative to the
// nominal energy of a block. A table for a single cell has at most a sixth of the energy of a 12 V
// block. In 5 min, however, a block delivers a third of its nominal energy.
const leastShare, mostShare = 0.2, 2

// tableEnds rejects a load above the table. It adds warnings for a load below the table, and for a
// last row that does not fit one block.
func (in *upsRuntimeIn) tableEnds(out *upsRuntimeOut) error {
	table := *in.Table
	first, last := table[0], table[len(table)-1]
	if out.RuntimeMin == 0 {
		var f tools.FieldErrors
		f.AddValue("load_w", in.LoadW,
			"exceeds discharge_table, which begins with %g W of a block for %g min: take more blocks, or a table with shorter times",
			first.Watts, first.Minutes)
		return f.Err()
	}
	if share := last.Watts * last.Minutes / 60 / (in.BatteryV * in.BatteryAh); share < leastShare ||
		share > mostShare {
		out.Warn(
			"discharge_table ends with %.3g Wh, %.3g times the %.4g Wh of a block: give the power of one block, not of a cell or a string",
			last.Watts*last.Minutes/60, share, in.BatteryV*in.BatteryAh)
	}
	if out.EndOfLifeMin == 0 {
		out.Warn(
			"at the end of life the load exceeds the first row of discharge_table, %g W for %g min: runtime_end_of_life_min is 0",
			first.Watts, first.Minutes)
	}
	if out.RuntimeMin > last.Minutes*in.UsablePct/100*(1+1e-9) {
		out.Warn(
			"the load is below the last row of discharge_table: the runtime counts its energy, %g W for %g min, and may be longer",
			last.Watts, last.Minutes)
	}
	return nil
}
