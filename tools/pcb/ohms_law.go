package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// OhmsLaw computes voltage, current, resistance and power from any two of them.
var OhmsLaw = tools.Define(tools.Spec{
	Name:    "ohms_law",
	Title:   "Ohm's law",
	Summary: "Any two of voltage, current, resistance and power give all four",
	Method: "V = I R and P = V I, solved for the two that are missing; from power and resistance the positive root is taken, " +
		"V = √(P R) and I = √(P/R)",
	Sources: []string{
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), section 1.2"},
	Limits: []string{
		"Direct current, or RMS values on a pure resistance; no reactance",
		"A resistor drifts with temperature; the value taken is that at its working temperature",
	},
	Aliases: []string{"voltage current resistance", "V=IR", "power calculator",
		"watts volts amps ohms"},
	Solves: tools.Solves{Inputs: []string{"voltage_v", "current_a", "resistance_ohm", "power_w"},
		Given: 2},
	Examples: []tools.Example{{
		Title: "12 V across 470 Ω",
		In:    `{"voltage_v": 12, "resistance_ohm": 470}`,
		Want:  `{"voltage_v": 12, "current_a": 0.02553191, "resistance_ohm": 470, "power_w": 0.3063830}`,
	}, {
		Title: "100 W into an 8 Ω loudspeaker",
		In:    `{"power_w": 100, "resistance_ohm": 8}`,
		Want:  `{"voltage_v": 28.28427, "current_a": 3.535534}`,
	}, {
		Title: "Element of a 2 kW heater",
		In:    `{"voltage_v": 230, "power_w": 2000}`,
		Want:  `{"current_a": 8.695652, "resistance_ohm": 26.45}`,
		From:  "by hand: P/V, V²/P",
	}},
}, ohmsLaw)

type ohmsLawIn struct {
	VoltageV      *float64 `json:"voltage_v" unit:"V" min:"-1e12" max:"1e12" example:"12" label:"Voltage" doc:"Voltage; may be negative; exactly two of the four quantities are required"`
	CurrentA      *float64 `json:"current_a" unit:"A" min:"-1e12" max:"1e12" label:"Current" doc:"Current; may be negative"`
	ResistanceOhm *float64 `json:"resistance_ohm" unit:"Ω" min:"0" max:"1e15" example:"470" label:"Resistance" doc:"Resistance"`
	PowerW        *float64 `json:"power_w" unit:"W" min:"0" max:"1e15" label:"Power" doc:"Dissipated power"`
}

type ohmsLawOut struct {
	VoltageV      float64 `json:"voltage_v" unit:"V" label:"Voltage" doc:"Voltage across the resistance"`
	CurrentA      float64 `json:"current_a" unit:"A" label:"Current" doc:"Current through the resistance"`
	ResistanceOhm float64 `json:"resistance_ohm" unit:"Ω" label:"Resistance" doc:"Resistance"`
	PowerW        float64 `json:"power_w" unit:"W" label:"Power" doc:"Dissipated power"`
	Formula       string  `json:"formula" label:"Formula" doc:"The equations used for the two that were not given"`
	tools.Warnings
}

func ohmsLaw(_ context.Context, in ohmsLawIn) (ohmsLawOut, error) {
	var f tools.FieldErrors
	choice.Exactly(&f, 2, choice.Of("voltage_v", in.VoltageV != nil),
		choice.Of("current_a", in.CurrentA != nil),
		choice.Of("resistance_ohm", in.ResistanceOhm != nil),
		choice.Of("power_w", in.PowerW != nil))
	if err := f.Err(); err != nil {
		return ohmsLawOut{}, err
	}
	v, i, r, p := choice.Or(
		in.VoltageV, 0,
	), choice.Or(
		in.CurrentA, 0,
	), choice.Or(
		in.ResistanceOhm, 0,
	), choice.Or(in.PowerW, 0)
	var out ohmsLawOut
	switch {
	case in.VoltageV != nil && in.CurrentA != nil:
		if i == 0 {
			f.AddValue("current_a", i,
				"must not be 0 beside voltage_v: the resistance would be infinite or undefined")
		} else if v*i < 0 {
			f.AddValue("current_a", i,
				"must have the sign of voltage_v (%g V): opposite signs mean a negative resistance", v)
		}
		r, p = v/i, v*i
		out.Formula = "R = V/I, P = V·I"
	case in.VoltageV != nil && in.ResistanceOhm != nil:
		if r == 0 {
			f.AddValue("resistance_ohm", r,
				"must be greater than 0 beside voltage_v: the current would be infinite or undefined")
		}
		i, p = v/r, v*v/r
		out.Formula = "I = V/R, P = V²/R"
	case in.VoltageV != nil:
		if v == 0 {
			f.AddValue("voltage_v", v,
				"must not be 0 beside power_w: the current would be infinite or undefined")
		} else if p == 0 {
			f.AddValue("power_w", p,
				"must be greater than 0 beside voltage_v: the resistance would be infinite")
		}
		i, r = p/v, v/p*v
		out.Formula = "I = P/V, R = V²/P"
	case in.CurrentA != nil && in.ResistanceOhm != nil:
		v, p = i*r, i*i*r
		out.Formula = "V = I·R, P = I²·R"
	case in.CurrentA != nil:
		if i == 0 {
			f.AddValue("current_a", i,
				"must not be 0 beside power_w: the voltage would be infinite or undefined")
		}
		v, r = p/i, p/i/i
		out.Formula = "V = P/I, R = P/I²"
	default:
		if r == 0 {
			f.AddValue("resistance_ohm", r,
				"must be greater than 0 beside power_w: the current would be infinite or undefined")
		}
		v, i = math.Sqrt(p*r), math.Sqrt(p/r)
		out.Formula = "V = √(P·R), I = √(P/R)"
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	// Adding 0 converts the -0 of a quotient such as 0/-1 to 0.
	out.VoltageV, out.CurrentA, out.ResistanceOhm, out.PowerW = v+0, i+0, r+0, p+0
	if tolerance.Above(p, 0.25) {
		out.Warn("%g W is more than an ordinary 1/4 W resistor may dissipate; use a power resistor",
			tolerance.RoundAbove(p, 0.25, 4))
	}
	return out, nil
}
