package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestInverterSizing(t *testing.T) {
	tooltest.Examples(t, InverterSizing)
	tooltest.Cases(t, InverterSizing, []tooltest.Case{
		{"contract: 150+120+500, +1000 of the pump; 895·1.25 = 1118.75 VA; 1200/(.9·24), /(.9·21), ·1.25 = 79.4", `{"dc_voltage_v":24,"loads":[{"watts":150,"surge_factor":6},{"watts":120},{"watts":500,"surge_w":1500,"power_factor":0.8}]}`,
			`{"running_w":770,"running_va":895.0000,"surge_w":1770,"required_continuous_w":962.5000,"required_va":1118.7500,"recommended_w":1200,"dc_current_a":55.5555556,"max_dc_current_a":63.4920635,"dc_fuse_a":80,"warnings":[]}`},
		{"all at once: 770+750+1000 = 2520 W, over 2 is 1260: 1500 W, 69.4 A", `{"dc_voltage_v":24,"simultaneous_start":true,"loads":[{"watts":150,"surge_factor":6},{"watts":120},{"watts":500,"surge_w":1500,"power_factor":0.8}]}`,
			`{"surge_w":2520,"recommended_w":1500,"dc_current_a":69.4444444,"warnings":["~surge of 2520 W decides"]}`},
		{"one of three starts: 3·200+(600-200); simultaneously all: 1800",
			`{"loads":[{"watts":200,"quantity":3,"surge_factor":3}]}`,
			`{"running_w":600,"surge_w":1000.000,"recommended_w":800}`},
		{"volt-amperes of several units: 3·200/.75·1.25",
			`{"loads":[{"watts":200,"quantity":3,"power_factor":0.75}]}`,
			`{"running_va":800.0000,"required_va":1000.0000,"recommended_w":1000}`},
		{"three start: 1800/2 = 900",
			`{"simultaneous_start":true,"loads":[{"watts":200,"quantity":3,"surge_factor":3}]}`,
			`{"surge_w":1800.000,"recommended_w":1000}`},
		{"a sum: 800·1.25 = 1000 W, 1000 W fits; 1000/(.9·12), /10.5, fuse 132.3 → 150",
			`{"continuous_w":800}`, `{"surge_w":800,"required_continuous_w":1000.000,"recommended_w":1000,"dc_current_a":92.592593,"max_dc_current_a":105.820106,"dc_fuse_a":150}`},
		{"power factor of a sum: 800/.8·1.25 = 1250 VA",
			`{"continuous_w":800,"power_factor":0.8,"dc_voltage_v":48,"min_dc_voltage_v":48}`, `{"required_va":1250.000,"recommended_w":1500,"max_dc_current_a":34.7222222,"dc_fuse_a":45}`},
		{"3 kW on 12 V: 277.8 A", `{"continuous_w":3000,"margin_pct":0}`,
			`{"recommended_w":3000,"dc_current_a":277.777778,"warnings":["~24 or 48 V"]}`},
		{"a size that is met exactly despite binary noise: 3 · 0.1 W · ... 1200·1.25 = 1500",
			`{"loads":[{"watts":400.00000000001,"quantity":3}]}`, `{"recommended_w":1500}`},
		{"beyond the list", `{"continuous_w":16001}`, `{"recommended_w":null,"dc_current_a":null,"max_dc_current_a":null,"dc_fuse_a":null,"warnings":["~no common inverter"]}`},
		{"both ways of saying the surge agree; fields of the other form", `{"power_factor":0.5,"surge_w":1,"loads":[{"watts":100,"surge_factor":3,"surge_w":300}]}`, `{"surge_w":300,"warnings":["~surge_w","~power_factor"]}`},
		{"simultaneous start of a sum",
			`{"continuous_w":100,"surge_w":250,"simultaneous_start":true}`,
			`{"surge_w":250,"recommended_w":150,"warnings":["~simultaneous_start"]}`},
	})
	tooltest.InvalidCases(t, InverterSizing, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"loads"}, "loads, continuous_w"},
		{"both forms", `{"continuous_w":1,"loads":[{"watts":1}]}`, []string{"loads"},
			"loads and continuous_w"},
		{"surge below running", `{"continuous_w":100,"surge_w":99}`, []string{"surge_w"},
			"at least continuous_w 100"},
		{"inside the list",
			`{"loads":[{"watts":100,"surge_w":50},{"watts":100,"surge_factor":2,"surge_w":300}]}`, []string{"loads[0].surge_w", "loads[1].surge_w"}, "contradicts surge_factor"},
		{"surge factor below 1", `{"loads":[{"watts":100,"surge_factor":0.5}]}`,
			[]string{"loads[0].surge_factor"}, "1 to 100"},
		{"lowest above nominal", `{"continuous_w":100,"min_dc_voltage_v":12.5}`,
			[]string{"min_dc_voltage_v"}, "dc_voltage_v 12"},
	})
}

// TestInverterFormsAgree verifies that a list of one load and the same load as totals need the same
// inverter.
func TestInverterFormsAgree(t *testing.T) {
	list := result(t, InverterSizing, `{"loads":[{"watts":640,"surge_w":1900,"power_factor":0.7}]}`)
	sum := result(t, InverterSizing, `{"continuous_w":640,"surge_w":1900,"power_factor":0.7}`)
	for _, field := range []string{"running_va", "surge_w", "required_va", "recommended_w",
		"max_dc_current_a", "dc_fuse_a"} {
		same(t, field, number(t, list, field), number(t, sum, field))
	}
}

func TestInverterSizesRise(t *testing.T) {
	sum := inverterSizes[0]
	for i := 1; i < len(inverterSizes); i++ {
		if inverterSizes[i] <= inverterSizes[i-1] {
			t.Errorf("%g W is out of order", inverterSizes[i])
		}
		sum += inverterSizes[i]
	}
	if len(inverterSizes) != 22 || sum != 98150 {
		t.Errorf("%d sizes with the sum %g, want 22 with 98150", len(inverterSizes), sum)
	}
}
