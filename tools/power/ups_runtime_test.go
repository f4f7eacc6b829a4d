package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestUPSRuntime(t *testing.T) {
	tooltest.Examples(t, UPSRuntime)
	tooltest.Cases(t, UPSRuntime, []tooltest.Case{
		{"CSB GP 12400: 30.3 A for 60 min to 1.67 V, the law is right below 1 C", `{"load_w":363.6,"battery_voltage_v":12,"battery_ah":40,"efficiency_pct":100}`,
			`{"runtime_min":60.4,"warnings":[]}`},
		{"CSB GP 12400: 50.8 A for 30 min, the law gives 34", `{"load_w":609.6,"battery_voltage_v":12,"battery_ah":40,"efficiency_pct":100}`,
			`{"runtime_min":34.2,"warnings":["~1.27 C Peukert"]}`},
		{"CSB GP 12400: 81 A for 15 min; the exponent that fits it gives no warning", `{"load_w":972,"battery_voltage_v":12,"battery_ah":40,"efficiency_pct":100,"peukert_exponent":1.1846}`,
			`{"runtime_min":15.0,"warnings":[]}`},
		{"contract: 20·(7/(18.5185·20))^1.1 h",
			`{"load_w":200,"battery_voltage_v":12,"battery_ah":7}`,
			`{"runtime_min":15.2506808,"runtime_h":0.254178013,"naive_runtime_min":22.680000,"dc_current_a":18.5185185,"c_rate":2.64550265,"bank_voltage_v":12,"bank_ah":7,"energy_wh":84,"delivered_wh":50.8356026,"warnings":["~2.65 C Peukert"]}`},
		{"2 in series, 2 parallel, aged, k 1.2: I = 500/(.92·24), C = 14.4, 20·(14.4/(20 I))^1.2·.9", `{"load_w":500,"battery_voltage_v":12,"battery_ah":9,"series":2,"parallel":2,"efficiency_pct":92,"health_pct":80,"usable_pct":90,"peukert_exponent":1.2}`,
			`{"runtime_min":17.2289031,"dc_current_a":22.6449275,"c_rate":1.25805153,"energy_wh":432}`},
		{"lithium has no Peukert: 100 Ah · 12.8 V · .9/100 W = 11.52 h",
			`{"load_w":100,"battery_voltage_v":12.8,"battery_ah":100,"battery_type":"lithium"}`,
			`{"runtime_h":11.520000,"runtime_min":691.20000,"naive_runtime_min":691.20000}`},
		{"a light load gets the rating, not more: 100/(20/10.8) h",
			`{"load_w":20,"battery_voltage_v":12,"battery_ah":100}`, `{"runtime_min":3240.00000}`},
		{"at the rated current the rating holds for any exponent: 5 A, 20 h",
			`{"load_w":54,"battery_voltage_v":12,"battery_ah":100,"peukert_exponent":1.35}`,
			`{"runtime_h":20.000000}`},
		{"overloaded",
			`{"load_w":1100,"battery_voltage_v":48,"battery_ah":100,"ups_capacity_w":1000}`,
			`{"load_pct":110.000,"overloaded":true,"warnings":["~overloaded"]}`},
		{"at its rating it is not",
			`{"load_w":1000,"battery_voltage_v":48,"battery_ah":100,"ups_capacity_w":1000}`,
			`{"load_pct":100,"overloaded":false,"warnings":[]}`},
		{"minutes: 46.3 A of 7 Ah is 6.61 C",
			`{"load_w":500,"battery_voltage_v":12,"battery_ah":7,"health_pct":90}`,
			`{"c_rate":6.6137566,"warnings":["~above 3 C","~below 5 min"]}`},
		{"by hand: 20 W of idle draw is (200/.9 + 20)/12 = 20.185 A, 20·(7/403.7)^1.1 h",
			`{"load_w":200,"battery_voltage_v":12,"battery_ah":7,"idle_w":20}`,
			`{"dc_current_a":20.18519,"runtime_min":13.871}`},
		{"by hand: 5 W of idle draw on a load of 30 W, lithium: 84/(30/.9+5)", `{"load_w":30,"battery_voltage_v":12,"battery_ah":7,"idle_w":5,"battery_type":"lithium"}`, `{"runtime_h":2.19130}`},
		{"by hand: 15 W of idle draw on a load of 15 W, lithium: 84/(15/.9+15)", `{"load_w":15,"battery_voltage_v":12,"battery_ah":7,"idle_w":15,"battery_type":"lithium"}`, `{"runtime_h":2.65263,"delivered_wh":39.7895}`},
		{"by hand: 80 % of 7 Ah are .8^1.1 of the runtime, 11.932 min",
			`{"load_w":200,"battery_voltage_v":12,"battery_ah":7}`,
			`{"runtime_min":15.2507,"runtime_end_of_life_min":11.931,"temperature_factor":1}`},
		{"IEEE Std 1188: batteries of 60 % are beyond the end of life", `{"load_w":50,"battery_voltage_v":12,"battery_ah":7,"health_pct":60,"battery_type":"lithium"}`, `{"runtime_min":54.432,"runtime_end_of_life_min":54.432}`},
		{"IEEE Std 485: 10 °C is 1.19, with Peukert 1/1.19^1.1",
			`{"load_w":200,"battery_voltage_v":12,"battery_ah":7,"temperature_c":10}`,
			`{"temperature_factor":1.19,"runtime_min":12.595}`},
		{"no table for lithium", `{"load_w":50,"battery_voltage_v":12,"battery_ah":7,"battery_type":"lithium","temperature_c":0}`, `{"temperature_factor":1,"warnings":["~temperature_c was ignored"]}`},
		{"EP65-12 data sheet, 1.7 V per cell: 1340 W for 15 min", `{"load_w":1340,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":15.0000000,"warnings":[]}`},
		{"the same table: four blocks, 4 · 823 W for 30 min", `{"load_w":3292,"series":2,"parallel":2,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":30.0000000,"warnings":[]}`},
		{"the same table between its rows: √(823 · 496) W for √(30 · 60) min", `{"load_w":638.911574476,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":42.4264069,"warnings":[]}`},
		{"the same table at 80 % of health: 1340 · 0.8 W", `{"load_w":1072,"health_pct":80,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":15.0000000,"runtime_end_of_life_min":15.0000000}`},
		{"the same table at 10 °C, IEEE Std 485 factor 1.19: 1340/1.19 W", `{"load_w":1126.05042,"temperature_c":10,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":15.00000}`},
		{"the same table with half of the discharge", `{"load_w":1340,"usable_pct":50,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":7.5000000}`},
		{"below the table: 496 W · 60 min of energy", `{"load_w":124,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":240.0000000,"warnings":["~may be longer"]}`},
		{"rated at 1 h, 2 C: 60 min · 0.5^1.1, no data sheet of 20 h to compare with", `{"load_w":240,"battery_voltage_v":12,"battery_ah":10,"rated_hours":1,"efficiency_pct":100}`,
			`{"runtime_min":27.9909897461,"warnings":[]}`},
		{"a table per cell of a 12 V block, 496/6 W for an hour of 780 Wh", `{"load_w":60,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":30,"watts":137},{"minutes":60,"watts":82.7}]}`,
			`{"warnings":["~not of a cell","~may be longer"]}`},
		{"the end of life beyond the table", `{"load_w":2510,"peukert_exponent":1.2,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			`{"runtime_min":5.0000000,"runtime_end_of_life_min":0,"warnings":["~peukert_exponent","~runtime_end_of_life_min is 0"]}`},
		{"by hand: 1 W of 2160 Wh: idle consumption and self-discharge",
			`{"load_w":1,"battery_voltage_v":12,"battery_ah":200,"battery_type":"lithium"}`,
			`{"runtime_h":2160,"warnings":["~set idle_w","~self-discharge"]}`},
		{"by hand: 30 h with 5 W of idle draw, 1 W of load: 2400/(1/.9 + 79)",
			`{"load_w":1,"battery_voltage_v":12,"battery_ah":200,"battery_type":"lithium","idle_w":79}`,
			`{"runtime_h":29.9584,"warnings":[]}`},
		{"by hand: 300 of 1500 W are 20 %",
			`{"load_w":300,"battery_voltage_v":48,"battery_ah":100,"ups_capacity_w":1500}`,
			`{"load_pct":20.00,"overloaded":false}`},
		{"APC Smart-UPS 1500, 1000 W: 250 W are a quarter",
			`{"load_w":250,"battery_voltage_v":24,"battery_ah":17,"ups_capacity_w":1000}`,
			`{"load_pct":25.00,"overloaded":false}`},
	})
	tooltest.InvalidCases(t, UPSRuntime, []tooltest.InvalidCase{
		{"a load above the table", `{"load_w":2600,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
			[]string{"load_w"}, "exceeds discharge_table"},
		{"a table out of order", `{"load_w":100,"battery_voltage_v":12,"battery_ah":65,"discharge_table":[{"minutes":5,"watts":10},{"minutes":4,"watts":8}]}`,
			[]string{"discharge_table[1].minutes"}, "above the 5"},
		{"more power for longer", `{"load_w":100,"battery_voltage_v":12,"battery_ah":65,"discharge_table":[{"minutes":5,"watts":10},{"minutes":6,"watts":18}]}`,
			[]string{"discharge_table[1].watts"}, "below the 10"},
		{"nothing", `{}`, []string{"load_w", "battery_voltage_v", "battery_ah"}, "is required"},
		{"not positive", `{"load_w":0,"battery_voltage_v":-12,"battery_ah":0}`,
			[]string{"load_w", "battery_voltage_v", "battery_ah"}, "greater than 0"},
		{"percent and counts", `{"load_w":1,"battery_voltage_v":12,"battery_ah":1,"efficiency_pct":101,"usable_pct":0,"series":1.5,"parallel":0}`, []string{"efficiency_pct", "usable_pct", "series", "parallel"}, ""},
		{"exponent", `{"load_w":1,"battery_voltage_v":12,"battery_ah":1,"peukert_exponent":2.1}`,
			[]string{"peukert_exponent"}, "1 to 2"},
	})
}

// TestUPSAgreesWithBatteryLife verifies that ups_runtime and battery_life apply the same Peukert
// law: the same battery and current have the same runtime.
func TestUPSAgreesWithBatteryLife(t *testing.T) {
	ups := result(t, UPSRuntime, `{"load_w":300,"battery_voltage_v":12,"battery_ah":55,"efficiency_pct":100,"peukert_exponent":1.18,"usable_pct":80}`)
	life := result(t, BatteryLife,
		`{"capacity_mah":55000,"load_ma":25000,"peukert_exponent":1.18,"usable_pct":80}`)
	same(t, "runtime", number(t, ups, "runtime_h"), number(t, life, "runtime_h"))
}
