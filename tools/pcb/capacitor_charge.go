package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// CapacitorCharge computes the step response of an RC circuit.
var CapacitorCharge = tools.Define(tools.Spec{
	Name:    "capacitor_charge",
	Title:   "Capacitor charge and discharge",
	Summary: "Voltage, current, charge and energy of an RC circuit at a time, or the time to a voltage",
	Method: "τ = R C; v = Vs + (V0 - Vs) e^(-t/τ); t = -τ ln((Vs - Vt)/(Vs - V0)); i = (Vs - v)/R; q = C v; E = C v²/2; heat in the resistor " +
		"C (Vs - V0)²/2 (1 - e^(-2t/τ)). Discharging is a final voltage below the initial one",
	Sources: []string{
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), section 1.4"},
	Limits: []string{
		"Ideal parts: no leakage, no series resistance of the capacitor beside r_ohm, no dielectric absorption",
		"The capacitance is constant; that of class 2 ceramics falls with the voltage",
	},
	Aliases: []string{"RC charging", "capacitor discharge", "time constant", "RC step response",
		"soft start", "inrush"},
	Primary: []string{"time_s", "voltage_v"},
	Examples: []tools.Example{{
		Title: "10 kΩ and 100 µF after a second at 5 V",
		In:    `{"r_ohm": 10000, "c_uf": 100, "supply_v": 5, "time_s": 1}`,
		Want:  `{"time_constant_s": 1.000000, "voltage_v": 3.160603, "percent_of_swing": 63.21206, "current_a": 1.839397e-4, "energy_j": 4.994705e-4, "warnings": []}`,
	}, {
		Title: "4.7 kΩ and 470 µF from 12 V to 1 V",
		In:    `{"r_ohm": 4700, "c_uf": 470, "supply_v": 0, "initial_v": 12, "target_v": 1}`,
		Want:  `{"time_s": 5.489159, "voltage_v": 1}`,
	}, {
		Title: "Half of 10 V through 1 kΩ and 1 µF",
		In:    `{"r_ohm": 1000, "c_uf": 1, "supply_v": 10, "target_v": 5}`,
		Want:  `{"time_constant_s": 0.001, "time_s": 6.931472e-4}`,
		From:  "by hand: RC ln 2",
	}},
}, capacitorCharge)

type capacitorChargeIn struct {
	ROhm float64 `json:"r_ohm" unit:"Ω" gt:"0" max:"1e15" example:"10000" label:"Resistance" doc:"Series resistance"`
	component.Capacitance
	SupplyV  float64  `json:"supply_v" unit:"V" min:"-1e9" max:"1e9" example:"5" label:"Supply voltage" doc:"Final voltage of the capacitor; 0 to discharge"`
	InitialV float64  `json:"initial_v" unit:"V" min:"-1e9" max:"1e9" default:"0" label:"Initial voltage" doc:"Voltage of the capacitor at the start"`
	TimeS    *float64 `json:"time_s" unit:"s" min:"0" max:"1e15" example:"1" label:"Time" doc:"Time after the start; alternative to target_v"`
	TargetV  *float64 `json:"target_v" unit:"V" min:"-1e9" max:"1e9" label:"Target voltage" doc:"Voltage to reach, between initial_v and supply_v"`
}

type capacitorChargeOut struct {
	TimeConstantS   float64  `json:"time_constant_s" unit:"s" label:"Time constant" doc:"R times C"`
	TimeS           *float64 `json:"time_s" unit:"s" label:"Time" doc:"Time after the start; null without a time or a target"`
	VoltageV        *float64 `json:"voltage_v" unit:"V" label:"Capacitor voltage" doc:"Voltage of the capacitor at that time; null without a time or a target"`
	CurrentA        *float64 `json:"current_a" unit:"A" label:"Charging current" doc:"Current into the capacitor at that time; null without a time or a target"`
	PercentOfSwing  *float64 `json:"percent_of_swing" unit:"%" label:"Share of the swing" doc:"Share of the step from initial_v to supply_v; null without a time or a target"`
	ChargeC         *float64 `json:"charge_c" unit:"C" label:"Charge" doc:"Charge of the capacitor at that time; null without a time or a target"`
	EnergyJ         *float64 `json:"energy_j" unit:"J" label:"Stored energy" doc:"Energy in the capacitor at that time; null without a time or a target"`
	ResistorEnergyJ *float64 `json:"resistor_energy_j" unit:"J" label:"Resistor energy" doc:"Energy dissipated in the resistor until that time; null without a time or a target"`
	InitialCurrentA float64  `json:"initial_current_a" unit:"A" label:"Initial current" doc:"Current into the capacitor at the start"`
	TimeTo50PctS    float64  `json:"time_to_50pct_s" unit:"s" label:"Time to 50 %" doc:"Time to half of the swing"`
	TimeTo90PctS    float64  `json:"time_to_90pct_s" unit:"s" label:"Time to 90 %" doc:"Time to 90 % of the swing"`
	TimeTo99PctS    float64  `json:"time_to_99pct_s" unit:"s" label:"Time to 99 %" doc:"Time to 99 % of the swing"`
	tools.Warnings
}

func capacitorCharge(_ context.Context, in capacitorChargeIn) (capacitorChargeOut, error) {
	var f tools.FieldErrors
	c := in.Farads(&f)
	if c == nil {
		f.Add("c_f", "a capacitance is required, one of %s", component.CapacitanceNames)
	}
	choice.AtMost(&f, 1, choice.Of("time_s", in.TimeS != nil),
		choice.Of("target_v", in.TargetV != nil))
	swing := in.SupplyV - in.InitialV
	if swing == 0 {
		f.AddValue("supply_v", in.SupplyV,
			"must differ from initial_v: nothing happens between equal voltages")
	} else if in.TargetV != nil {
		if way := (*in.TargetV - in.InitialV) / swing; !(way > 0 && way < 1) {
			f.AddValue(
				"target_v", *in.TargetV,
				"must lie between initial_v (%g V) and supply_v (%g V), both excluded: supply_v is only approached",
				in.InitialV, in.SupplyV,
			)
		}
	}
	if err := f.Err(); err != nil {
		return capacitorChargeOut{}, err
	}
	tau := in.ROhm * *c
	out := capacitorChargeOut{
		TimeConstantS: tau, InitialCurrentA: swing / in.ROhm,
		TimeTo50PctS: math.Ln2 * tau, TimeTo90PctS: math.Ln10 * tau,
		TimeTo99PctS: 2 * math.Ln10 * tau,
	}
	var t, way, v, i float64 // way is the fraction of the swing, from 0 to 1
	switch {
	case in.TimeS != nil:
		t = *in.TimeS
		way = -math.Expm1(-t / tau)
		left := math.Exp(-t / tau)
		v, i = in.InitialV+swing*way, out.InitialCurrentA*left
		// Computed from the final value, because late in a discharge the difference of nearly equal
		// voltages cancels.
		if left < 0.5 {
			v = in.SupplyV - swing*left
		}
	case in.TargetV != nil:
		v = *in.TargetV
		way = (v - in.InitialV) / swing
		i = (in.SupplyV - v) / in.ROhm
		t = tau * math.Log(swing/(in.SupplyV-v))
		if way < 0.5 {
			t = -tau * math.Log1p(-way)
		}
	}
	if in.TimeS != nil || in.TargetV != nil {
		out.TimeS, out.VoltageV, out.CurrentA, out.PercentOfSwing = &t, &v, &i, new(100*way)
		out.ChargeC, out.EnergyJ = new(*c*v), new(*c*v*v/2)
		// way·(2 - way) is 1 - e^(-2t/τ) because way is 1 - e^(-t/τ).
		out.ResistorEnergyJ = new(*c * swing * swing / 2 * way * (2 - way))
	}
	if tolerance.Above(in.ROhm, 10e6) {
		out.Warn(
			"the resistance of %g MΩ is above 10 MΩ: the leakage of capacitor and board changes time and final voltage; use a larger capacitor and a smaller resistor",
			tolerance.RoundAbove(in.ROhm/1e6, 10, 4))
	}
	if a := math.Abs(out.InitialCurrentA); tolerance.Above(a, 1) {
		out.Warn("the current starts at %g A, above 1 A; limit it with a larger resistor",
			tolerance.RoundAbove(a, 1, 4))
	}
	if p := swing * out.InitialCurrentA; tolerance.Above(p, 0.25) {
		out.Warn("the resistor starts at %g W, above the 0.25 W of an ordinary one; use a pulse-proof resistor",
			tolerance.RoundAbove(p, 0.25, 4))
	}
	return out, nil
}
