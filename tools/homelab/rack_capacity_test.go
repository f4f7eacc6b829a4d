package homelab

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestRackCapacity(t *testing.T) {
	const servers = `"items":[{"name":"server","rack_units":2,"weight_kg":30,"watts":400,"quantity":6},{"name":"switch","rack_units":1,"weight_kg":5,"watts":120,"quantity":2}]`
	tooltest.Examples(t, RackCapacity)
	tooltest.Cases(t, RackCapacity, []tooltest.Case{
		{"contract: 14 U, 190 kg, 2640 W of 2944", `{` + servers + `}`,
			`{"used_units":14,"free_units":28,"space_utilization_pct":33.33333333,"total_weight_kg":190,"weight_utilization_pct":19.0,"total_watts":2640,"pdu_capacity_w":2944.0,"usable_power_w":2944.0,
			"power_utilization_pct":89.67391304,"current_per_pdu_a":5.73913043,"failover_load_pct":89.67391304,"btu_per_hour":9008.05391112,"fits":true,"limiting_factor":"power","violations":[],"warnings":[]}`},
		{"by hand: feeds that are not redundant carry twice as much",
			`{` + servers + `,"redundant_feeds":false}`, `{"usable_power_w":5888.0,"power_utilization_pct":44.83695652,"failover_load_pct":89.67391304,"limiting_factor":"power"}`},
		{"by hand: three phases of 400 V, √3 · 400 · 16 · 0.8",
			`{` + servers + `,"pdu_voltage":400,"pdu_phases":3}`, `{"pdu_capacity_w":8868.10013475,"power_utilization_pct":29.76962,"current_per_pdu_a":1.90525589,"limiting_factor":"space"}`},
		{"by hand: of three PDUs the smaller side has one", `{` + servers + `,"pdu_count":3}`,
			`{"usable_power_w":2944.0,"current_per_pdu_a":3.82608696}`},
		{"by hand: one PDU, nothing to fail over to", `{` + servers + `,"pdu_count":1}`,
			`{"usable_power_w":2944.0,"failover_load_pct":null,"current_per_pdu_a":11.47826087}`},
		{"by hand: too much of everything", `{"items":[{"rack_units":10,"weight_kg":300,"watts":1000,"quantity":5}],"reserved_units":2}`,
			`{"used_units":50,"free_units":-10,"space_utilization_pct":125.0,"weight_utilization_pct":150.0,"power_utilization_pct":169.8369565,"fits":false,"limiting_factor":"power",
			"violations":["~space: 50 U of equipment, 40 U","~weight: 1500 kg, limit 1000","~power: 5000 W, usable 2944"]}`},
		{"by hand: exactly full", `{"items":[{"rack_units":4.2,"quantity":10}]}`,
			`{"fits":true,"space_utilization_pct":100.0,"limiting_factor":"space","violations":[]}`},
		{"by hand: heavy", `{"items":[{"rack_units":1,"weight_kg":500}]}`,
			`{"limiting_factor":"weight","fits":true}`},
		{"a side that cannot carry all",
			`{"items":[{"rack_units":1,"watts":5000}],"redundant_feeds":false}`,
			`{"fits":true,"failover_load_pct":169.83695652,"warnings":["~not redundant"]}`},
	})
	tooltest.InvalidCases(t, RackCapacity, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"items"}, "is required"},
		{"an empty rack", `{"items":[]}`, []string{"items"}, "at least 1"},
		{"no height", `{"items":[{"name":"a"},{"rack_units":0}]}`, []string{"items[0].rack_units",
			"items[1].rack_units"}, "greater than 0"},
		{"two phases, all reserved",
			`{"items":[{"rack_units":1}],"pdu_phases":2,"reserved_units":42}`,
			[]string{"pdu_phases", "reserved_units"}, "1 or 3"},
		{"redundant with one PDU",
			`{"items":[{"rack_units":1}],"pdu_count":1,"redundant_feeds":true}`,
			[]string{"redundant_feeds", "pdu_count"}, "at least 2"},
		{"negative weight", `{"items":[{"rack_units":1,"weight_kg":-1}]}`,
			[]string{"items[0].weight_kg"}, "0 to"},
	})
}
