package power

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// MAhToWh converts battery capacity between common units.
var MAhToWh = tools.Define(tools.Spec{
	Name:    "mah_to_wh",
	Title:   "mAh to Wh",
	Summary: "Battery capacity in mAh, Wh, joules and coulombs, with the air-travel class",
	Method: "Wh = mAh V / 1000; 1 Wh = 3600 J; 1 mAh = 3.6 C. Air travel by the energy of one battery: " +
		"to 100 Wh carry-on, to 160 Wh with the airline's approval, above forbidden",
	Sources: []string{
		"SI Brochure, 9th edition (2019): watt hour and ampere hour in joules and coulombs",
		"IATA Dangerous Goods Regulations, 2.3 and table 2.3.A: lithium-ion batteries carried by passengers",
	},
	Limits: []string{
		"The nominal voltage stands for the whole discharge",
		"The air-travel class is for lithium-ion and by energy alone; airlines limit numbers, and spare batteries go in the cabin",
	},
	Aliases: []string{"Wh to mAh", "battery capacity", "watt hours", "power bank", "joules",
		"flight battery limit"},
	Primary: []string{"wh", "mah"},
	Examples: []tools.Example{{
		Title: "20000 mAh power bank by its cells",
		In:    `{"capacity_mah": 20000, "voltage_v": 3.7}`,
		Want:  `{"wh": 74.0000, "kwh": 0.074000, "joules": 266400.0, "coulombs": 72000.0, "ah": 20, "air_travel": "carry_on_ok", "warnings": []}`,
	}, {
		Title: "Six cells 18650",
		In:    `{"capacity_mah": 2600, "voltage_v": 3.6, "quantity": 6}`,
		Want:  `{"wh": 9.36, "total_wh": 56.16}`,
		From:  "by hand: 2.6 Ah × 3.6 V, times 6",
	}, {
		Title: "100 Wh limit of air travel at 3.7 V",
		In:    `{"capacity_wh": 100, "voltage_v": 3.7}`,
		Want:  `{"mah": 27027.03, "air_travel": "carry_on_ok"}`,
		From:  "by hand: 100 Wh over 3.7 V",
	}},
}, mAhToWh)

type mAhToWhIn struct {
	CapacityMAh *float64 `json:"capacity_mah" unit:"mAh" gt:"0" max:"1e15" example:"20000" label:"Charge" doc:"Charge of one battery; alternative to capacity_wh"`
	CapacityWh  *float64 `json:"capacity_wh" unit:"Wh" gt:"0" max:"1e15" label:"Energy" doc:"Energy of one battery; alternative to capacity_mah"`
	VoltageV    float64  `json:"voltage_v" unit:"V" gt:"0" max:"1e6" example:"3.7" label:"Nominal voltage" doc:"Nominal voltage; for a power bank that of its cells"`
	Quantity    int      `json:"quantity" unit:"1" min:"1" max:"1000000000" default:"1" label:"Number of batteries" doc:"Number of batteries"`
}

type mAhToWhOut struct {
	MAh       *float64 `json:"mah" unit:"mAh" label:"Charge" doc:"Charge of one battery; this and the others are null below the range of a double"`
	Ah        *float64 `json:"ah" unit:"Ah" label:"Charge (Ah)" doc:"Charge of one battery"`
	Wh        *float64 `json:"wh" unit:"Wh" label:"Energy" doc:"Energy of one battery"`
	KWh       *float64 `json:"kwh" unit:"kWh" label:"Energy (kWh)" doc:"Energy of one battery"`
	Joules    *float64 `json:"joules" unit:"J" label:"Energy (J)" doc:"Energy of one battery"`
	Coulombs  *float64 `json:"coulombs" unit:"C" label:"Charge (C)" doc:"Charge of one battery"`
	TotalWh   *float64 `json:"total_wh" unit:"Wh" label:"Total energy" doc:"Energy of all batteries"`
	TotalKWh  *float64 `json:"total_kwh" unit:"kWh" label:"Total energy (kWh)" doc:"Energy of all batteries"`
	AirTravel string   `json:"air_travel" enum:"carry_on_ok,airline_approval,forbidden" label:"Air travel" doc:"IATA passenger rule for lithium-ion, by the energy of one battery"`
	tools.Warnings
}

func mAhToWh(_ context.Context, in mAhToWhIn) (mAhToWhOut, error) {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("capacity_mah", in.CapacityMAh != nil),
		choice.Of("capacity_wh", in.CapacityWh != nil))
	if err := f.Err(); err != nil {
		return mAhToWhOut{}, err
	}
	var out mAhToWhOut
	// The order of the factors prevents that an intermediate product underflows where its result
	// does not.
	var mAh, wh, joules, coulombs, total float64
	count := float64(in.Quantity)
	if in.CapacityMAh != nil {
		mAh = *in.CapacityMAh
		wh, total = mAh*in.VoltageV/1000, mAh*count*in.VoltageV/1000
		coulombs, joules = mAh*3.6, mAh*3.6*in.VoltageV
	} else {
		wh = *in.CapacityWh
		mAh, total = wh*1000/in.VoltageV, wh*count
		coulombs, joules = wh*3600/in.VoltageV, wh*3600
	}
	out.MAh, out.Ah = out.Nonzero("mah", mAh), out.Nonzero("ah", mAh/1000)
	out.Wh, out.KWh = out.Nonzero("wh", wh), out.Nonzero("kwh", wh/1000)
	out.Joules, out.Coulombs = out.Nonzero("joules", joules), out.Nonzero("coulombs", coulombs)
	out.TotalWh, out.TotalKWh = out.Nonzero("total_wh", total), out.Nonzero("total_kwh", total/1000)
	switch {
	case !tolerance.Above(wh, 100):
		out.AirTravel = "carry_on_ok"
	case !tolerance.Above(wh, 160):
		out.AirTravel = "airline_approval"
	default:
		out.AirTravel = "forbidden"
	}
	if tolerance.Above(in.VoltageV, 1000) {
		out.Warn("voltage_v %g is above 1000 V: give volts, not millivolts", in.VoltageV)
	}
	if v := in.VoltageV; in.CapacityMAh != nil && *in.CapacityMAh > 5000 &&
		(v == 5 || v == 9 || v == 12 || v == 20) {
		out.Warn(
			"%g V looks like a USB output voltage: the mAh of a power bank are rated at its cells, 3.6 to 3.7 V; use that voltage if this is one",
			v,
		)
	}
	return out, nil
}
