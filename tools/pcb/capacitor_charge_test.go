package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestCapacitorCharge(t *testing.T) {
	tooltest.Examples(t, CapacitorCharge)
	tooltest.Cases(t, CapacitorCharge, []tooltest.Case{
		{"contract: 1 - 1/e of 5 V", `{"r_ohm":10000,"c_uf":100,"supply_v":5,"time_s":1}`, `{"time_constant_s":1,"time_s":1,"voltage_v":3.160603,"percent_of_swing":63.21206,"current_a":0.0001839397,"charge_c":3.160603e-4,"energy_j":0.0004994705,"resistor_energy_j":0.001080831,"initial_current_a":0.0005,"time_to_50pct_s":0.6931472,"time_to_90pct_s":2.302585,"time_to_99pct_s":4.605170,"warnings":[]}`},
		{"contract: 12 V to 1 V",
			`{"r_ohm":4700,"c_uf":470,"supply_v":0,"initial_v":12,"target_v":1}`,
			`{"time_s":5.489159,"voltage_v":1,"percent_of_swing":91.66667}`},
		{"discharge of 10 V: 10/e V, current out of the capacitor, e⁻² of the energy left",
			`{"r_ohm":1000,"c_uf":1,"supply_v":0,"initial_v":10,"time_s":0.001}`, `{"voltage_v":3.67879441,"current_a":-0.00367879441,"energy_j":6.76676416e-6,"resistor_energy_j":4.32332358e-5,"initial_current_a":-0.010}`},
		{"3.3 V supply to 2.0 V: -10 ms·ln(1.3/3.3)",
			`{"r_ohm":10000,"c_uf":1,"supply_v":3.3,"target_v":2}`,
			`{"time_s":0.00931558204,"current_a":0.00013000000,"percent_of_swing":60.6060606}`},
		{"from -5 V to 5 V after two time constants: 5 - 10 e⁻²",
			`{"r_ohm":1000,"c_uf":1,"supply_v":5,"initial_v":-5,"time_s":0.002}`,
			`{"voltage_v":3.64664717,"current_a":0.00135335283,"percent_of_swing":86.4664717}`},
		{"a late discharge keeps its digits: 5 e⁻²⁰ V",
			`{"r_ohm":1,"c_f":1,"supply_v":0,"initial_v":5,"time_s":20}`, `{"voltage_v":1.03057681122e-8,"charge_c":1.03057681122e-8,"energy_j":5.3104428191e-17}`},
		{"and never falls to nothing: 5 e⁻¹⁰⁰ V",
			`{"r_ohm":1,"c_f":1,"supply_v":0,"initial_v":5,"time_s":100}`,
			`{"voltage_v":1.86003798801e-43}`},
		{"down to a supply of 1 nV",
			`{"r_ohm":1,"c_f":1,"supply_v":1e-9,"initial_v":1e9,"time_s":100}`,
			`{"voltage_v":1.000000000e-9}`},
		{"at the start", `{"r_ohm":1000,"c_nf":100,"supply_v":5,"initial_v":1,"time_s":0}`,
			`{"voltage_v":1,"current_a":0.004,"percent_of_swing":0,"resistor_energy_j":0}`},
		{"neither time nor target", `{"r_ohm":1000,"c_pf":1000,"supply_v":5}`, `{"time_s":null,"voltage_v":null,"current_a":null,"percent_of_swing":null,"charge_c":null,"energy_j":null,"resistor_energy_j":null,"initial_current_a":0.005}`},
		{"inrush of 12 V through 1 Ω", `{"r_ohm":1,"c_f":0.001,"supply_v":12}`,
			`{"initial_current_a":12,"warnings":["~12 A","~144 W"]}`},
		{"leakage of 1 GΩ", `{"supply_v":5,"r_ohm":1e9,"c_uf":1}`, `{"warnings":["~above 10 MΩ"]}`},
	})
	tooltest.InvalidCases(t, CapacitorCharge, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"r_ohm", "supply_v"}, "is required"},
		{"no capacitance", `{"r_ohm":1,"supply_v":5}`, []string{"c_f"}, "c_f/c_uf/c_nf/c_pf"},
		{"nothing happens", `{"r_ohm":1,"c_f":1,"supply_v":5,"initial_v":5}`, []string{"supply_v"},
			"differ from initial_v"},
		{"time and target", `{"r_ohm":1,"c_f":1,"supply_v":5,"time_s":1,"target_v":2}`,
			[]string{"time_s"}, "time_s and target_v"},
		{"only approached", `{"r_ohm":1,"c_f":1,"supply_v":5,"target_v":5}`, []string{"target_v"},
			"only approached"},
		{"the wrong way", `{"r_ohm":1,"c_f":1,"supply_v":5,"initial_v":2,"target_v":1}`,
			[]string{"target_v"}, "between initial_v (2 V)"},
		{"negative time", `{"r_ohm":1,"c_f":1,"supply_v":5,"time_s":-1}`,
			[]string{"time_s"}, "0 to"},
		{"C twice", `{"r_ohm":1,"c_f":1,"c_pf":1,"supply_v":5}`, []string{"c_f"}, "c_f and c_pf"},
	})
}

// TestCapacitorChargeRoundTrips verifies that the voltage at the time to a target is the target. It
// also verifies that the supply delivers the sum of the stored and the dissipated energy.
func TestCapacitorChargeRoundTrips(t *testing.T) {
	for _, target := range []float64{1.0000001, 1.5, 2.5, 3.2999} {
		const circuit = `"r_ohm":2200,"c_uf":33,"supply_v":3.3,"initial_v":1`
		to := result(t, CapacitorCharge, `{%s,"target_v":%.17g}`, circuit, target)
		at := result(t, CapacitorCharge, `{%s,"time_s":%.17g}`, circuit, number(t, to, "time_s"))
		same(t, "voltage", number(t, at, "voltage_v"), target)
		delivered := 3.3 * 33e-6 * (target - 1)
		stored := number(t, to, "energy_j") - 33e-6/2
		if heat := number(t, to, "resistor_energy_j"); heat+stored-delivered > 1e-16 ||
			delivered-heat-stored > 1e-16 {
			t.Errorf("to %g V: %g J delivered, %g stored, %g heat", target, delivered, stored, heat)
		}
	}
}
