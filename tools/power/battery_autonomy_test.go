package power

import (
	"fmt"
	"testing"

	"slipstick/tools/tooltest"
)

func TestBatteryAutonomy(t *testing.T) {
	tooltest.Examples(t, BatteryAutonomy)
	tooltest.Cases(t, BatteryAutonomy, []tooltest.Case{
		{"contract: 3.75·.8/1.5", `{"battery_kwh":3.75,"daily_wh":1500}`, `{"usable_kwh":3.0000000,"daily_load_wh":1500,"net_daily_wh":1500,"autonomy_days":2.0000000,"autonomy_hours":48.0000000,"self_sufficient":false,"average_load_w":62.500000,"warnings":[]}`},
		{"two 6 V 225 Ah lead-acid: 225·12·.5/(50·24)",
			`{"battery_ah":225,"battery_voltage_v":12,"load_w":50,"battery_chemistry":"lead_acid"}`, `{"nominal_kwh":2.70000,"usable_kwh":1.35000,"autonomy_days":1.125000,"autonomy_hours":27.00000}`},
		{"inverter, derate and some sun: 10·.8·.9/(2.7/.9-1.2)", `{"battery_kwh":10,"total_daily_kwh":2.7,"inverter_efficiency_pct":90,"battery_derate_pct":90,"daily_solar_wh":1200}`, `{"usable_kwh":7.200000,"daily_load_wh":3000.0000,"net_daily_wh":1800.0000,"autonomy_days":4.000000}`},
		{"the sun covers the load", `{"battery_kwh":1,"daily_wh":500,"daily_solar_wh":600}`, `{"autonomy_days":null,"autonomy_hours":null,"self_sufficient":true,"net_daily_wh":-100,"warnings":[]}`},
		{"exactly, but for binary noise: .3·24 = 7.2 less 7.199999999999999",
			`{"battery_kwh":1,"load_w":0.3,"daily_solar_wh":7.199999999999999}`,
			`{"self_sufficient":true,"autonomy_days":null}`},
		{"too deep, too heavy, too short: .6 h of 1 kWh at 1 kW", `{"battery_kwh":1,"load_w":1000,"battery_chemistry":"lead_acid","depth_of_discharge_pct":60}`, `{"autonomy_hours":0.600000,"warnings":["~one day","~60 %","~0.5 C"]}`},
		{"0.5 C is not above it, 0.502 C is",
			`{"battery_kwh":2,"load_w":1004,"depth_of_discharge_pct":100}`,
			`{"autonomy_hours":1.992032,"warnings":["~one day","~0.5 C"]}`},
		{"0.5 C: two hours", `{"battery_kwh":2,"load_w":1000,"depth_of_discharge_pct":100}`,
			`{"autonomy_hours":2.000000,"warnings":["~one day"]}`},
		{"a voltage of no use", `{"battery_kwh":1,"battery_voltage_v":12,"daily_wh":100}`,
			`{"warnings":["~battery_voltage_v"]}`},
		{"Peukert 1.2, 100 Ah in 20 h, at 25 A: 2.899 h, as battery_life", `{"battery_ah":100,"battery_voltage_v":12,"load_w":300,"depth_of_discharge_pct":100,"peukert_exponent":1.2}`, `{"autonomy_hours":2.899119,"peukert_factor":1.379730}`},
		{"Peukert never enlarges: below the rated current", `{"battery_ah":100,"battery_voltage_v":12,"load_w":30,"depth_of_discharge_pct":100,"peukert_exponent":1.3}`, `{"autonomy_hours":40.000,"peukert_factor":1}`},
		{"Peukert from a rating of 10 h: 10·(100/250)^1.2 h", `{"battery_ah":100,"battery_voltage_v":12,"load_w":300,"depth_of_discharge_pct":100,"peukert_exponent":1.2,"rated_hours":10}`, `{"autonomy_hours":3.330213}`},
		{"IEEE 485: 10 °C is 1.19",
			`{"battery_kwh":2.38,"load_w":50,"battery_chemistry":"lead_acid","temperature_c":10}`, `{"temperature_factor":1.19,"usable_kwh":1.0000,"autonomy_hours":20.000}`},
		{"IEEE 485: 35 °C (95 °F) is 0.93",
			`{"battery_kwh":1.86,"load_w":50,"battery_chemistry":"lead_acid","temperature_c":35}`, `{"temperature_factor":0.93,"usable_kwh":1.0000}`},
		{"IEEE 485: 25 °C is 1",
			`{"battery_kwh":2,"load_w":50,"battery_chemistry":"lead_acid","temperature_c":25}`,
			`{"temperature_factor":1,"usable_kwh":1.0000}`},
		{"no table for lithium", `{"battery_kwh":2,"load_w":50,"temperature_c":0}`,
			`{"temperature_factor":1,"warnings":["~temperature_c was ignored"]}`},
		{"Peukert from 10 h, by hand: 200 Ah at 40 A, 10·(200/400)^1.15",
			`{"battery_ah":200,"battery_voltage_v":12,"load_w":480,"depth_of_discharge_pct":100,"peukert_exponent":1.15,"rated_hours":10}`,
			`{"autonomy_hours":4.50625,"peukert_factor":1.10957}`},
		{"electrotechnik.net, Peukert's law: 100 Ah in 100 h, 5 A, k = 1.2, 14.5 h",
			`{"battery_ah":100,"battery_voltage_v":12,"load_w":60,"depth_of_discharge_pct":100,"peukert_exponent":1.2,"rated_hours":100}`,
			`{"autonomy_hours":1.45e1,"peukert_factor":1.37973}`},
		{"Wh as kWh, by hand: 5000 kWh · 0.8 / 12 Wh",
			`{"battery_kwh":5000,"load_w":0.5}`,
			`{"autonomy_days":333333.333,"warnings":["~self-discharge is not counted"]}`},
	})
	tooltest.InvalidCases(t, BatteryAutonomy, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"battery_kwh", "daily_wh"}, "daily_wh, total_daily_kwh, load_w"},
		{"Ah without voltage", `{"battery_ah":100,"daily_wh":1}`, []string{"battery_voltage_v"},
			"battery_ah"},
		{"three loads", `{"battery_kwh":1,"daily_wh":1,"total_daily_kwh":1,"load_w":1}`,
			[]string{"daily_wh"}, "daily_wh and total_daily_kwh and load_w"},
		{"ranges",
			`{"battery_kwh":0,"daily_wh":-1,"depth_of_discharge_pct":101,"daily_solar_wh":-1}`,
			[]string{"battery_kwh", "daily_wh", "depth_of_discharge_pct", "daily_solar_wh"}, ""},
	})
}

// TestAutonomyInvertsSizing verifies that battery_autonomy returns the days of autonomy for which
// solar_sizing sized the battery.
func TestAutonomyInvertsSizing(t *testing.T) {
	for _, chemistry := range []string{"lifepo4", "lead_acid"} {
		for _, days := range []float64{0.5, 2, 7.3} {
			options := fmt.Sprintf(`"daily_wh":1234,"battery_chemistry":%q,"inverter_efficiency_pct":91,"battery_derate_pct":83`, chemistry)
			sized := result(t, SolarSizing, `{%s,"peak_sun_hours":3.7,"autonomy_days":%g}`,
				options, days)
			back := result(t, BatteryAutonomy, `{%s,"battery_kwh":%.17g}`, options,
				number(t, sized, "battery_kwh"))
			same(t, chemistry, number(t, back, "autonomy_days"), days)
		}
	}
}
