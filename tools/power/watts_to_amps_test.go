package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestWattsToAmps(t *testing.T) {
	tooltest.Examples(t, WattsToAmps)
	tooltest.Cases(t, WattsToAmps, []tooltest.Case{
		{"contract: 1500/120", `{"power_w":1500,"voltage_v":120,"system":"single_phase"}`, `{"current_a":12.50000,"design_current_a":12.50000,"ocpd_a":15,"reactive_power_var":0,"warnings":[]}`},
		{"contract: 10000/(.85·√3·400)",
			`{"power_w":10000,"voltage_v":400,"system":"three_phase","power_factor":0.85}`, `{"current_a":16.98089,"apparent_power_va":11764.706,"reactive_power_var":6197.443,"ocpd_a":20}`},
		{"line to neutral is the same load: 400/√3 = 230.940108 V", `{"power_w":10000,"voltage_v":230.94010767585,"system":"three_phase","power_factor":0.85,"voltage_reference":"line_to_neutral"}`, `{"current_a":16.98089}`},
		{"45 kVA transformer on 480 V three-phase: 54.1 A in every handbook",
			`{"apparent_power_va":45000,"voltage_v":480,"system":"three_phase"}`,
			`{"current_a":54.1,"ocpd_a":60}`},
		{"by hand: 16 A continuous, 1.25·16 = 20", `{"current_a":16,"voltage_v":230,"system":"single_phase","continuous":true,"power_factor":0.6}`, `{"power_w":2208.0,"apparent_power_va":3680.0,"reactive_power_var":2944.0,"design_current_a":20,"ocpd_a":20}`},
		{"dc has no power factor",
			`{"power_w":60,"voltage_v":12,"power_factor":0.5,"voltage_reference":"line_to_neutral"}`, `{"current_a":5.0000,"apparent_power_va":60.0000,"warnings":["~power_factor","~voltage_reference"]}`},
		{"no device that large", `{"current_a":6001,"voltage_v":12}`,
			`{"ocpd_a":null,"warnings":["~6000 A"]}`},
		{"nothing flows", `{"power_w":0,"voltage_v":12}`, `{"current_a":0,"ocpd_a":10}`},
		{"NEC 2023 table 240.6(A) begins with 10 A", `{"current_a":10,"voltage_v":120}`,
			`{"current_a":10,"ocpd_a":10}`},
		{"8 A for three hours: 8·1.25 = 10", `{"current_a":8,"voltage_v":120,"continuous":true}`,
			`{"design_current_a":10,"ocpd_a":10}`},
		{"8.1·1.25 = 10.125", `{"current_a":8.1,"voltage_v":120,"continuous":true}`,
			`{"design_current_a":10.125,"ocpd_a":15}`},
	})
	tooltest.InvalidCases(t, WattsToAmps, []tooltest.InvalidCase{
		{"nothing to convert", `{"voltage_v":120}`, []string{"power_w"},
			"power_w, apparent_power_va, current_a"},
		{"two of them", `{"power_w":1,"current_a":1,"voltage_v":120}`, []string{"power_w"},
			"power_w and current_a"},
		{"no voltage", `{"power_w":1,"voltage_v":0}`, []string{"voltage_v"}, "greater than 0"},
		{"power factor 0, negative power", `{"power_w":-1,"voltage_v":1,"power_factor":0}`,
			[]string{"power_w", "power_factor"}, ""},
	})
}

func TestWattsToAmpsRoundTrip(t *testing.T) {
	for _, system := range []string{"dc", "single_phase", "three_phase"} {
		out := result(t, WattsToAmps, `{"power_w":1234.5,"voltage_v":207,"system":%q,"power_factor":0.83,"voltage_reference":"line_to_neutral"}`, system)
		for _, field := range []string{"current_a", "apparent_power_va"} {
			back := result(t, WattsToAmps, `{%q:%.17g,"voltage_v":207,"system":%q,"power_factor":0.83,"voltage_reference":"line_to_neutral"}`, field, number(t, out, field), system)
			same(t, system+" by "+field, number(t, back, "power_w"), 1234.5)
		}
		s, p, q := number(t, out, "apparent_power_va"), number(t, out, "power_w"),
			number(t, out, "reactive_power_var")
		same(t, system+" P²+Q²=S²", p*p+q*q, s*s)
	}
}
