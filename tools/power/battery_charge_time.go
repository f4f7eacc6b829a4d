package power

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// BatteryChargeTime computes the time of a charge with constant current followed by constant
// voltage.
var BatteryChargeTime = tools.Define(tools.Spec{
	Name:    "battery_charge_time",
	Title:   "Battery charge time",
	Summary: "Charge time of a battery with a constant-current and a constant-voltage phase",
	Method: "Net I = charge current - load. Constant current to K: (min(end, K) - start) C / (η I). Beyond K the current decays exponentially to the cut-off c at 100 %: " +
		"τ = (1 - K) C / (η I (1 - c)), t(x) = -τ ln(1 - (x - K) C / (η I τ)), time = t(end) - t(max(start, K)). " +
		"Efficiency η and K by chemistry: li_ion 99 and 80 %, lifepo4 99 and 95 %, lead_acid 85 and 80 %, nimh 66 and 100 %",
	Sources: []string{
		"T. B. Reddy (ed.), Linden's Handbook of Batteries, 4th edition (2011), chapters on lead-acid, nickel-metal hydride and lithium-ion batteries: charging",
		"Charge balance C dx/dt = η I with a current that is constant, then decays exponentially, solved for the time",
		"REDARC, Why you should not charge a lithium battery below 0 °C: 5 to 45 °C; EVE LF280N specification: charging from 0 °C",
	},
	Limits: []string{
		"The taper is modelled as one exponential; real cells differ with temperature, age and internal resistance",
		"No pre-charge of deeply empty cells, no absorption timer, no float phase",
	},
	Aliases: []string{"charging time", "CC CV", "charger size", "how long to charge", "C-rate"},
	Examples: []tools.Example{{
		Title: "3000 mAh lithium-ion at 1.5 A",
		In:    `{"capacity_mah": 3000, "charge_current_a": 1.5}`,
		Want: `{"cc_time_h": 1.616162, "cv_time_h": 1.274102, "charge_time_h": 2.890264, "ideal_time_h": 2.00, "c_rate": 0.50,
			"charge_needed_ah": 3.00, "warnings": []}`,
	}, {
		Title: "100 Ah LiFePO4 at 20 A",
		In:    `{"capacity_ah": 100, "charge_current_a": 20, "chemistry": "lifepo4"}`,
		Want:  `{"ideal_time_h": 5, "c_rate": 0.2, "charge_needed_ah": 100}`,
		From:  "by hand: 100 Ah over 20 A",
	}, {
		Title: "Half-empty 60 Ah car battery at 6 A",
		In:    `{"capacity_ah": 60, "charge_current_a": 6, "chemistry": "lead_acid", "start_soc_pct": 50}`,
		Want:  `{"ideal_time_h": 5, "charge_needed_ah": 30}`,
		From:  "by hand: 30 Ah over 6 A",
	}},
}, batteryChargeTime)

type batteryChargeTimeIn struct {
	CapacityAh    *float64 `json:"capacity_ah" unit:"Ah" gt:"0" max:"1e9" label:"Battery capacity" doc:"Rated capacity; alternative to capacity_mah"`
	CapacityMAh   *float64 `json:"capacity_mah" unit:"mAh" gt:"0" max:"1e12" example:"3000" alias:"capacity_ah" label:"Battery capacity (mAh)" doc:"Rated capacity; alternative to capacity_ah"`
	CurrentA      *float64 `json:"charge_current_a" unit:"A" gt:"0" max:"1e9" example:"1.5" label:"Charge current" doc:"Charger output current; alternative to charger_w"`
	ChargerW      *float64 `json:"charger_w" unit:"W" gt:"0" max:"1e12" label:"Charger power" doc:"Charger power at the battery, with voltage_v; alternative to charge_current_a"`
	VoltageV      *float64 `json:"voltage_v" unit:"V" gt:"0" max:"1e6" label:"Battery voltage" doc:"Battery voltage during charging; required with charger_w"`
	Chemistry     string   `json:"chemistry" enum:"li_ion,lifepo4,lead_acid,nimh" default:"li_ion" label:"Battery chemistry" doc:"Battery chemistry; sets the defaults of efficiency_pct and cc_end_soc_pct"`
	StartPct      float64  `json:"start_soc_pct" unit:"%" min:"0" max:"100" default:"0" label:"Initial state of charge" doc:"State of charge at the start"`
	EndPct        float64  `json:"end_soc_pct" unit:"%" min:"0" max:"100" default:"100" label:"Target state of charge" doc:"State of charge at the end"`
	EfficiencyPct *float64 `json:"efficiency_pct" unit:"%" gt:"0" max:"100" example:"99" label:"Charge efficiency" doc:"Charge stored divided by charge supplied; default 99 for li_ion and lifepo4, 85 for lead_acid, 66 for nimh"`
	CCEndPct      *float64 `json:"cc_end_soc_pct" unit:"%" gt:"0" max:"100" example:"80" label:"State of charge at CC end" doc:"State of charge at the end of the constant-current phase; default 80 for li_ion and lead_acid, 95 for lifepo4, 100 for nimh"`
	CutoffPct     float64  `json:"cutoff_pct" unit:"%" gt:"0" lt:"100" default:"5" label:"Cut-off current" doc:"Tail current at which the battery is full, relative to the constant current"`
	LoadA         float64  `json:"load_a" unit:"A" min:"0" max:"1e9" default:"0" label:"Load current" doc:"Current drawn from the battery during charging"`
	TemperatureC  *float64 `json:"temperature_c" unit:"°C" min:"-60" max:"100" label:"Battery temperature" doc:"Temperature of li_ion or lifepo4 cells, checked against their charging limits"`
}

type batteryChargeTimeOut struct {
	ChargeH    float64 `json:"charge_time_h" unit:"h" label:"Charge time" doc:"Duration of the constant-current and constant-voltage phases together"`
	CCH        float64 `json:"cc_time_h" unit:"h" label:"Constant-current time" doc:"Duration of the constant-current phase"`
	CVH        float64 `json:"cv_time_h" unit:"h" label:"Constant-voltage time" doc:"Duration of the constant-voltage phase with tapering current"`
	IdealH     float64 `json:"ideal_time_h" unit:"h" label:"Ideal charge time" doc:"Required charge divided by the charger current: no loss, no taper, no load"`
	NeededAh   float64 `json:"charge_needed_ah" unit:"Ah" label:"Charge required" doc:"Charge stored in the battery"`
	SuppliedAh float64 `json:"charge_supplied_ah" unit:"Ah" label:"Charge supplied" doc:"Charge supplied to the battery, with losses"`
	CRate      float64 `json:"c_rate" unit:"1/h" label:"C-rate" doc:"Charger current divided by the capacity"`
	tools.Warnings
}

// charging contains typical values of a battery chemistry in percent.
type charging struct {
	efficiency, ccEnd, maxC float64
}

func chargingOf(chemistry string) charging {
	switch chemistry {
	case "lead_acid":
		return charging{85, 80, 0.3}
	case "lifepo4":
		return charging{99, 95, 1}
	case "nimh":
		return charging{66, 100, 1}
	default:
		return charging{99, 80, 1}
	}
}

func batteryChargeTime(_ context.Context, in batteryChargeTimeIn) (batteryChargeTimeOut, error) {
	capacity, current, err := in.capacityAndCurrent()
	if err != nil {
		return batteryChargeTimeOut{}, err
	}
	usual := chargingOf(in.Chemistry)
	start, end, k, cutoff := in.StartPct/100, in.EndPct/100, choice.Or(in.CCEndPct,
		usual.ccEnd)/100, in.CutoffPct/100
	efficiency := choice.Or(in.EfficiencyPct, usual.efficiency) / 100
	// Hours to store the complete capacity at this current: C/(η I).
	full := capacity / (efficiency * (current - in.LoadA))

	var out batteryChargeTimeOut
	if start < k {
		out.CCH = (math.Min(end, k) - start) * full
	}
	if end > k {
		tau := (1 - k) / (1 - cutoff) * full
		at := func(x float64) float64 { return -tau * math.Log1p(-(x-k)/(1-k)*(1-cutoff)) }
		out.CVH = at(end) - at(math.Max(start, k))
	}
	out.ChargeH = out.CCH + out.CVH
	out.NeededAh = (in.EndPct - in.StartPct) / 100 * capacity
	out.SuppliedAh = out.NeededAh / efficiency
	out.IdealH = out.NeededAh / current
	out.CRate = current / capacity

	if tolerance.Above(out.CRate, usual.maxC) {
		out.Warn("a charge rate of %g C is above the %g C that %s batteries usually allow; lower the current, or see the data sheet",
			tolerance.RoundAbove(out.CRate, usual.maxC, 3), usual.maxC, in.Chemistry)
	}
	if tolerance.Below(out.CRate, 0.02) {
		out.Warn(
			"a charge rate of %g C is below 0.02 C: self-discharge and losses at low current make it slower than computed, or endless",
			tolerance.RoundBelow(out.CRate, 0.02, 3),
		)
	}
	if tolerance.Above(in.LoadA, current/4) {
		out.Warn(
			"the load of %g A is above a quarter of the charge current %.4g A: the tail may never fall to the cut-off, and the charger may never end",
			in.LoadA, current,
		)
	}
	in.checkTemperature(&out)
	if in.CurrentA != nil && in.VoltageV != nil {
		choice.Ignored(&out.Warnings, "it has a meaning with charger_w only",
			choice.Of("voltage_v", true))
	}
	return out, nil
}

// capacityAndCurrent returns the capacity [Ah] and the charge current [A]. It returns an error for
// fields that contradict each other, and for a load that takes the whole current.
func (in batteryChargeTimeIn) capacityAndCurrent() (capacity, current float64, err error) {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("capacity_ah", in.CapacityAh != nil),
		choice.Of("capacity_mah", in.CapacityMAh != nil))
	choice.ExactlyOne(&f, choice.Of("charge_current_a", in.CurrentA != nil),
		choice.Of("charger_w", in.ChargerW != nil))
	if in.ChargerW != nil && in.VoltageV == nil {
		f.Add("voltage_v",
			"is required with charger_w, to give its current: a number greater than 0, in V")
	}
	if in.EndPct <= in.StartPct {
		f.AddValue("end_soc_pct", in.EndPct, "must be above start_soc_pct %g", in.StartPct)
	}
	if err := f.Err(); err != nil {
		return 0, 0, err
	}
	if in.CapacityAh != nil {
		capacity = *in.CapacityAh
	} else {
		capacity = *in.CapacityMAh / 1000
	}
	if in.CurrentA != nil {
		current = *in.CurrentA
	} else {
		current = *in.ChargerW / *in.VoltageV
	}
	if in.LoadA >= current {
		f.AddValue("load_a", in.LoadA,
			"must be below the charge current of %g A, otherwise the battery never fills",
			tolerance.RoundDown(current, 6))
		return 0, 0, f.Err()
	}
	return capacity, current, nil
}

// checkTemperature adds a warning about lithium cells that are too cold or too hot for charging.
func (in batteryChargeTimeIn) checkTemperature(out *batteryChargeTimeOut) {
	switch t := choice.Or(in.TemperatureC, 25); {
	case in.Chemistry != "li_ion" && in.Chemistry != "lifepo4":
		choice.Ignored(&out.Warnings, "limits of li_ion and lifepo4 only are known",
			choice.Of("temperature_c", in.TemperatureC != nil))
	case t < 0:
		out.Warn(
			"lithium cells must not be charged below 0 °C: lithium plates the anode and the capacity is lost; heat the battery to 5 °C first",
		)
	case t < 5:
		out.Warn(
			"%g °C is below the 5 to 45 °C for charging lithium cells at their full rate: reduce the current",
			t,
		)
	case t > 45:
		out.Warn(
			"%g °C is above the 45 °C for charging lithium cells: cool the battery or reduce the current",
			t,
		)
	}
}
