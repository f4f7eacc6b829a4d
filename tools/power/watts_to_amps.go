package power

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
	"slipstick/tools/wire"
)

// WattsToAmps converts between power and current.
var WattsToAmps = tools.Define(tools.Spec{
	Name:    "watts_to_amps",
	Title:   "Watts to amps",
	Summary: "Current from power, or power from current, for DC and AC, with the breaker size",
	Method: "S = k V I with k = 1, √3 (three-phase, line to line) or 3 (three-phase, line to neutral); P = S pf; Q = S √(1 - pf²). DC has pf 1. " +
		"Design current = 1.25 I when continuous; device = standard size at or above it",
	Sources: []string{
		"IEEE Std 1459-2010, definitions of active, reactive and apparent power",
		"NFPA 70 (National Electrical Code) 2023, table 240.6(A) for device sizes (from 10 A) and 210.20(A) for continuous loads",
	},
	Limits: []string{
		"Balanced three-phase load and sinusoidal quantities",
		"The device size is for the load current; the wire behind it must carry that device (wire_ampacity)",
		"Motors and their inrush follow other rules (NEC 430)",
	},
	Aliases: []string{"amps to watts", "power to current", "kVA to amps", "breaker size",
		"three phase current"},
	Examples: []tools.Example{{
		Title: "1500 W heater on 120 V",
		In:    `{"power_w": 1500, "voltage_v": 120, "system": "single_phase"}`,
		Want:  `{"current_a": 12.50, "ocpd_a": 15, "warnings": []}`,
	}, {
		Title: "10 kW three-phase load, 400 V",
		In:    `{"power_w": 10000, "voltage_v": 400, "system": "three_phase", "power_factor": 0.85}`,
		Want:  `{"current_a": 16.98089, "apparent_power_va": 11764.706, "reactive_power_var": 6197.443, "ocpd_a": 20}`,
	}, {
		Title: "Current of a 20 kVA transformer",
		In:    `{"apparent_power_va": 20000, "voltage_v": 400, "system": "three_phase"}`,
		Want:  `{"current_a": 28.86751}`,
		From:  "by hand: 20 kVA/(√3 × 400 V)",
	}},
}, wattsToAmps)

type wattsToAmpsIn struct {
	PowerW      *float64 `json:"power_w" unit:"W" min:"0" max:"1e12" example:"1500" label:"Active power" doc:"Active power; alternative to apparent_power_va or current_a"`
	ApparentVA  *float64 `json:"apparent_power_va" unit:"VA" min:"0" max:"1e12" label:"Apparent power" doc:"Apparent power; alternative to power_w or current_a"`
	CurrentA    *float64 `json:"current_a" unit:"A" min:"0" max:"1e9" label:"Line current" doc:"Line current; alternative to power_w or apparent_power_va"`
	VoltageV    float64  `json:"voltage_v" unit:"V" gt:"0" max:"1e9" example:"120" label:"Voltage" doc:"Supply voltage; with three_phase by voltage_reference"`
	System      string   `json:"system" enum:"dc,single_phase,three_phase" default:"dc" label:"Supply system" doc:"Supply system"`
	PowerFactor float64  `json:"power_factor" unit:"1" gt:"0" max:"1" default:"1" label:"Power factor" doc:"Power factor; AC only"`
	Reference   string   `json:"voltage_reference" enum:"line_to_line,line_to_neutral" default:"line_to_line" label:"Voltage reference" doc:"Reference of voltage_v; three-phase only"`
	Continuous  bool     `json:"continuous" default:"false" label:"Continuous load" doc:"The load runs three hours or more; the overcurrent device is sized for 1.25 times the current"`
}

type wattsToAmpsOut struct {
	CurrentA    float64  `json:"current_a" unit:"A" label:"Line current" doc:"Line current"`
	PowerW      float64  `json:"power_w" unit:"W" label:"Active power" doc:"Active power"`
	ApparentVA  float64  `json:"apparent_power_va" unit:"VA" label:"Apparent power" doc:"Apparent power"`
	ReactiveVAr float64  `json:"reactive_power_var" unit:"var" label:"Reactive power" doc:"Reactive power"`
	DesignA     float64  `json:"design_current_a" unit:"A" label:"Design current" doc:"Line current, times 1.25 for a continuous load"`
	OCPDA       *float64 `json:"ocpd_a" unit:"A" label:"Overcurrent device" doc:"Smallest standard overcurrent device at or above the design current; null above 6000 A"`
	tools.Warnings
}

func wattsToAmps(_ context.Context, in wattsToAmpsIn) (wattsToAmpsOut, error) {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("power_w", in.PowerW != nil),
		choice.Of("apparent_power_va", in.ApparentVA != nil),
		choice.Of("current_a", in.CurrentA != nil))
	if err := f.Err(); err != nil {
		return wattsToAmpsOut{}, err
	}
	pf, k := in.PowerFactor, 1.0
	switch {
	case in.System == "dc":
		pf = 1
	case in.System == "three_phase" && in.Reference == "line_to_line":
		k = math.Sqrt(3)
	case in.System == "three_phase":
		k = 3
	}
	var out wattsToAmpsOut
	volts := k * in.VoltageV
	switch {
	case in.PowerW != nil:
		out.PowerW = *in.PowerW
		out.ApparentVA = out.PowerW / pf
		out.CurrentA = out.ApparentVA / volts
	case in.ApparentVA != nil:
		out.ApparentVA = *in.ApparentVA
		out.PowerW = out.ApparentVA * pf
		out.CurrentA = out.ApparentVA / volts
	default:
		out.CurrentA = *in.CurrentA
		out.ApparentVA = volts * out.CurrentA
		out.PowerW = out.ApparentVA * pf
	}
	out.ReactiveVAr = out.ApparentVA * math.Sqrt((1-pf)*(1+pf))
	out.DesignA = out.CurrentA
	if in.Continuous {
		out.DesignA *= 1.25
	}
	if out.OCPDA = wire.DeviceAtLeast(out.DesignA); out.OCPDA == nil {
		out.Warn("no standard overcurrent device is as large as %g A; the largest is 6000 A",
			tolerance.RoundAbove(out.DesignA, 6000, 6))
	}
	if in.System == "dc" && in.PowerFactor != 1 {
		choice.Ignored(&out.Warnings, "a dc circuit has none", choice.Of("power_factor", true))
	}
	if in.System != "three_phase" && in.Reference != "line_to_line" {
		choice.Ignored(&out.Warnings, "it has a meaning for three_phase only",
			choice.Of("voltage_reference", true))
	}
	return out, nil
}
