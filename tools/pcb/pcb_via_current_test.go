package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestPCBViaCurrent(t *testing.T) {
	tooltest.Examples(t, PCBViaCurrent)
	tooltest.Cases(t, PCBViaCurrent, []tooltest.Case{
		{"contract: 0.3 mm, 25 µm, 3 A", `{"hole_diameter_mm":0.3,"current_a":3}`,
			`{"area_mm2":0.02552544,"area_mil2":39.56451,"max_current_per_via_a":0.9511696,"max_current_internal_a":0.9511696,"max_current_external_a":1.902339,"vias_needed":4,"resistance_ohm":0.001261176,"voltage_drop_v":0.00378353,"power_loss_w":0.0113506,"thermal_resistance_c_per_w":156.3156,"inductance_nh":1.299287,"warnings":["~exceeds"]}`},
		{"drilled 0.3 mm, 20 µm, two of them at 20 °C: π·0.28·0.02 mm²", `{"hole_diameter_mm":0.3,"hole_basis":"drill","plating_um":20,"via_count":2,"temp_rise_c":20}`,
			`{"area_mm2":0.0175929189,"area_mil2":27.2690788,"max_current_per_via_a":0.985202552,"max_current_a":1.970405103,"max_current_external_a":1.970405103,"resistance_ohm":9.48870403e-4,"thermal_resistance_c_per_w":113.398606,"inductance_nh":1.34507892,"vias_needed":null,"voltage_drop_v":null,"power_loss_w":null,"warnings":[]}`},
		{"Johnson and Graham: 0.016 inch through 0.063 inch is 1.2 nH",
			`{"hole_diameter_mm":0.4064,"board_thickness_mm":1.6002}`, `{"inductance_nh":1.20}`},
		{"just what one via carries", `{"hole_diameter_mm":0.3,"current_a":0.95116}`,
			`{"vias_needed":1}`},
		{"a hair more than that", `{"hole_diameter_mm":0.3,"current_a":0.95118}`,
			`{"vias_needed":2,"warnings":["~exceeds"]}`},
		{"outside constant", `{"hole_diameter_mm":0.3,"layer":"external","current_a":3}`, `{"max_current_per_via_a":1.902339,"vias_needed":2,"warnings":["~exceeds","~outside constant"]}`},
		{"thin plating in a long thin hole",
			`{"hole_diameter_mm":0.1,"plating_um":15,"board_thickness_mm":3.2}`,
			`{"warnings":["~18 µm","~above 10"]}`},
		{"a mounting hole: the inductance formula has no solution", `{"hole_diameter_mm":30}`,
			`{"inductance_nh":null,"warnings":["~wider"]}`},
		{"enough vias", `{"hole_diameter_mm":0.3,"via_count":4,"current_a":3}`,
			`{"max_current_a":3.804678,"warnings":[]}`},
	})
	tooltest.InvalidCases(t, PCBViaCurrent, []tooltest.InvalidCase{
		{"no hole", `{}`, []string{"hole_diameter_mm"}, "is required"},
		{"not positive", `{"hole_diameter_mm":0,"plating_um":0,"board_thickness_mm":-1}`,
			[]string{"hole_diameter_mm", "plating_um", "board_thickness_mm"}, "greater than 0"},
		{"plating closes the drill", `{"hole_diameter_mm":0.05,"hole_basis":"drill"}`,
			[]string{"plating_um"}, "hole_diameter_mm"},
		{"half a via", `{"hole_diameter_mm":0.3,"via_count":1.5}`, []string{"via_count"},
			"whole number"},
		{"no vias", `{"hole_diameter_mm":0.3,"via_count":0}`, []string{"via_count"}, "1 to"},
		{"another basis", `{"hole_diameter_mm":0.3,"hole_basis":"plated"}`, []string{"hole_basis"},
			"finished, drill"},
		{"a billion vias", `{"hole_diameter_mm":1e-9,"plating_um":1e-9,"current_a":1e6}`,
			[]string{"current_a"}, "parts"},
	})
}

// TestPCBViaBasis verifies that a via has the same results whether its finished hole or its drill
// diameter is given.
func TestPCBViaBasis(t *testing.T) {
	finished := result(t, PCBViaCurrent, `{"hole_diameter_mm":0.25,"plating_um":20,"current_a":1}`)
	drilled := result(t, PCBViaCurrent,
		`{"hole_diameter_mm":0.29,"plating_um":20,"current_a":1,"hole_basis":"drill"}`)
	for _, field := range []string{"area_mm2", "max_current_a", "resistance_ohm",
		"thermal_resistance_c_per_w", "inductance_nh"} {
		same(t, field, number(t, drilled, field), number(t, finished, field))
	}
	// n vias carry n times the current with 1/n of the resistance.
	five := result(t, PCBViaCurrent,
		`{"hole_diameter_mm":0.25,"plating_um":20,"current_a":1,"via_count":5}`)
	same(t, "current", number(t, five, "max_current_a"), 5*number(t, finished, "max_current_a"))
	same(t, "resistance", 5*number(t, five, "resistance_ohm"),
		number(t, finished, "resistance_ohm"))
}
