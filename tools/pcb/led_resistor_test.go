package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestLEDResistor(t *testing.T) {
	tooltest.Examples(t, LEDResistor)
	tooltest.Cases(t, LEDResistor, []tooltest.Case{
		{"contract: 12 V, 2 V", `{"supply_voltage_v":12,"forward_voltage_v":2}`, `{"resistance_ohm":500,"standard_resistance_ohm":510,"current_a":0.01960784,"current_ma":19.60784,"headroom_v":10,"resistor_power_w":0.1960784,"recommended_power_rating_w":0.5,"led_power_w":0.03921569,"total_current_a":0.01960784,"total_power_w":0.2352941,"efficiency_pct":16.66667,"warnings":[]}`},
		{"blue on 5 V at 10 mA: 1.8 V/180 Ω",
			`{"supply_voltage_v":5,"led_color":"blue","current_ma":10}`, `{"forward_voltage_v":3.2,"resistance_ohm":180.000,"standard_resistance_ohm":180,"current_ma":10.0000,"resistor_power_w":0.018000,"recommended_power_rating_w":0.0625,"efficiency_pct":64.0000,"warnings":["~3.2 V is assumed for blue"]}`},
		{"two strings of three white on 12 V: 2.4 V/120 Ω, twice 20 mA",
			`{"supply_voltage_v":12,"forward_voltage_v":3.2,"series_count":3,"parallel_count":2}`, `{"resistance_ohm":120.000,"standard_resistance_ohm":120,"headroom_v":2.40000,"total_current_a":0.040000,"total_power_w":0.48000,"efficiency_pct":80.0000,"recommended_power_rating_w":0.1,"warnings":[]}`},
		{"350 mA: 11.4²/33 W wants 10 W at half load",
			`{"supply_voltage_v":24,"forward_voltage_v":2.1,"series_count":6,"current_a":0.35}`, `{"resistance_ohm":32.57142857,"standard_resistance_ohm":33,"current_a":0.345454545,"resistor_power_w":3.938181818,"recommended_power_rating_w":10,"warnings":["~350 mA","~driver"]}`},
		{"fully loaded, 5 W will do", `{"supply_voltage_v":24,"forward_voltage_v":2.1,"series_count":6,"current_a":0.35,"power_derating_pct":100}`, `{"recommended_power_rating_w":5}`},
		{"E96 comes closer: 500 Ω becomes 511",
			`{"supply_voltage_v":12,"forward_voltage_v":2,"series":"E96"}`,
			`{"standard_resistance_ohm":511}`},
		{"little headroom", `{"supply_voltage_v":3.3,"forward_voltage_v":3.0}`,
			`{"headroom_v":0.30000,"warnings":["~varies strongly"]}`},
		{"238 V at 0.992 A: no resistor is that large",
			`{"supply_voltage_v":240,"forward_voltage_v":2,"current_a":1}`,
			`{"standard_resistance_ohm":240,"recommended_power_rating_w":null}`},
		{"ratings of 50 W at most",
			`{"supply_voltage_v":52,"forward_voltage_v":2,"current_a":1,"power_derating_pct":100}`, `{"resistor_power_w":49.01960784,"recommended_power_rating_w":50}`},
		{"by hand: 12 V less 1.2 V hold 3 of 3.2 V and 5 of 2 V; here 5", `{"supply_voltage_v":12,"forward_voltage_v":2,"led_count":12,"series_count":5,"parallel_count":3}`,
			`{"max_series_count":5,"strings_needed":3,"last_string_leds":2,"warnings":["~2 of 5 LEDs: give it a resistor of its own, 400 Ω"]}`},
		{"by hand: 5 V less 0.5 V hold one white LED",
			`{"supply_voltage_v":5,"forward_voltage_v":3.2,"led_count":3,"parallel_count":3}`,
			`{"max_series_count":1,"strings_needed":3,"last_string_leds":1,"warnings":[]}`},
		{"by hand: 0.5 V of 3.3 V leave no room for 3 V",
			`{"supply_voltage_v":3.3,"forward_voltage_v":3.0}`,
			`{"max_series_count":0,"strings_needed":null}`},
		{"strings that do not fit the count",
			`{"supply_voltage_v":12,"forward_voltage_v":3.2,"series_count":3,"led_count":9}`,
			`{"strings_needed":3,"last_string_leds":3,"warnings":["~parallel_count 3, not 1"]}`},
		{"by hand: (5.5 - 1.8)/(150·.95) = 25.96 mA, 3.7 V of it 96.1 mW", `{"supply_voltage_v":5,"forward_voltage_v":2,"supply_max_v":5.5,"forward_voltage_min_v":1.8}`,
			`{"standard_resistance_ohm":150,"max_current_ma":25.96,"max_resistor_power_w":0.0961,"warnings":["~25.96 mA in the worst case"]}`},
		{"by hand: 10 % of 150 Ω, 3/135, and a tenth of 20 mA", `{"supply_voltage_v":5,"forward_voltage_v":2,"resistor_tolerance_pct":10,"pwm_duty_pct":10}`, `{"max_current_ma":22.2222,"average_current_ma":2.000}`},
		{"by hand: 5 % of 150 Ω, 3/142.5", `{"supply_voltage_v":5,"forward_voltage_v":2,"resistor_tolerance_pct":5}`, `{"max_current_ma":21.0526}`},
		{"by hand: 1 % of 150 Ω, 3/148.5",
			`{"supply_voltage_v":5,"forward_voltage_v":2,"resistor_tolerance_pct":1}`,
			`{"max_current_ma":20.202,"warnings":[]}`},
		{"by hand: 25 % of 20 mA", `{"supply_voltage_v":5,"forward_voltage_v":2,"pwm_duty_pct":25}`,
			`{"current_ma":20.000,"average_current_ma":5.000,"resistor_load_pct":null}`},
		{"by hand: 10²/(510·.95) = 206.4 mW in 1/4 W",
			`{"supply_voltage_v":12,"forward_voltage_v":2,"resistor_rating_w":0.25}`,
			`{"resistor_load_pct":82.56,"warnings":["~loaded to 82.6 %"]}`},
		{"by hand: half of it under PWM, and 1/2 W", `{"supply_voltage_v":12,"forward_voltage_v":2,"resistor_rating_w":0.25,"pwm_duty_pct":50}`, `{"resistor_load_pct":41.28,"warnings":[]}`},
		{"by hand: 1/2 W without PWM",
			`{"supply_voltage_v":12,"forward_voltage_v":2,"resistor_rating_w":0.5}`,
			`{"resistor_load_pct":41.28,"warnings":[]}`},
		{"by hand: (14.4 - 3.2)/(470 · 0.95), and 11.2 V of it",
			`{"supply_voltage_v":12,"forward_voltage_v":3.2,"supply_max_v":14.4}`,
			`{"max_current_ma":25.0840,"max_resistor_power_w":0.28094}`},
		{"by hand: (5 - 1.7)/(150 · 0.95), and 3.3 V of it",
			`{"supply_voltage_v":5,"forward_voltage_v":2,"forward_voltage_min_v":1.7}`,
			`{"max_current_ma":23.1579,"max_resistor_power_w":0.07642}`},
		{"by hand: (15 - 2.9)/(470 · 0.95) in a car, an LED of 2.9 V at least, half the time",
			`{"supply_voltage_v":12,"forward_voltage_v":3.2,"supply_max_v":15,"forward_voltage_min_v":2.9,"pwm_duty_pct":50}`,
			`{"max_current_ma":27.0997,"average_current_ma":9.36170}`},
		{"mains of 230 V",
			`{"supply_voltage_v":230,"forward_voltage_v":3.2,"current_ma":20}`,
			`{"headroom_v":226.8,"warnings":["~more than the 150 V","~4.29 W"]}`},
	})
	tooltest.InvalidCases(t, LEDResistor, []tooltest.InvalidCase{
		{"3 · 3.2 V, which is 9.600000000000001 in binary",
			`{"supply_voltage_v":9.6,"forward_voltage_v":3.2,"series_count":3}`,
			[]string{"supply_voltage_v"}, "above the 9.6 V of"},
		{"no LED", `{"supply_voltage_v":12}`, []string{"forward_voltage_v"},
			"forward_voltage_v, led_color"},
		{"two LEDs", `{"supply_voltage_v":12,"forward_voltage_v":2,"led_color":"red"}`,
			[]string{"forward_voltage_v"}, "only one"},
		{"current twice",
			`{"supply_voltage_v":12,"forward_voltage_v":2,"current_ma":20,"current_a":0.02}`,
			[]string{"current_ma"}, "current_ma and current_a"},
		{"no headroom", `{"supply_voltage_v":6,"forward_voltage_v":2,"series_count":3}`,
			[]string{"supply_voltage_v"}, "above the 6 V"},
		{"binary noise is no headroom: 3·0.1 V",
			`{"supply_voltage_v":0.3,"forward_voltage_v":0.1,"series_count":3}`,
			[]string{"supply_voltage_v"}, "series_count"},
		{"unknown colour", `{"supply_voltage_v":12,"led_color":"pink"}`, []string{"led_color"},
			"infrared, red"},
		{"half an LED", `{"supply_voltage_v":12,"forward_voltage_v":2,"series_count":1.5}`,
			[]string{"series_count"}, "whole number"},
		{"a highest supply below the supply", `{"supply_voltage_v":12,"forward_voltage_v":2,"supply_max_v":11,"forward_voltage_min_v":2.1}`, []string{"supply_max_v", "forward_voltage_min_v"}, "at least supply_voltage_v 12"},
		{"no supply", `{"forward_voltage_v":2}`, []string{"supply_voltage_v"}, "is required"},
		{"derating of nothing",
			`{"supply_voltage_v":12,"forward_voltage_v":2,"power_derating_pct":0}`,
			[]string{"power_derating_pct"}, "greater than 0"},
	})
}

// TestLEDResistorCurrentLimit verifies that the current of the standard value never
// exceeds the target. The largest relative step of E24 is from 13 to 15.
func TestLEDResistorCurrentLimit(t *testing.T) {
	for ma := 0.1; ma < 100; ma *= 1.037 {
		out := result(t, LEDResistor,
			`{"supply_voltage_v":9,"forward_voltage_v":1.9,"current_ma":%g}`, ma)
		if got := number(t, out, "current_ma"); got > ma*(1+1e-9) || got < ma/1.154 {
			t.Errorf("%g mA asked for, %g mA flow", ma, got)
		}
		heat := number(t, out, "resistor_power_w") + number(t, out, "led_power_w")
		same(t, "power", heat, number(t, out, "total_power_w"))
	}
}

func TestLEDTables(t *testing.T) {
	for i := 1; i < len(resistorRatings); i++ {
		if resistorRatings[i] <= resistorRatings[i-1] {
			t.Errorf("rating %g after %g", resistorRatings[i], resistorRatings[i-1])
		}
	}
	colors := LEDResistor.Input.Field("led_color").Enum
	if len(colors) != len(ledVoltages) {
		t.Fatalf("%d colours, %d voltages", len(colors), len(ledVoltages))
	}
	for i, row := range ledVoltages {
		if colors[i] != row.color || i > 0 && row.volts < ledVoltages[i-1].volts {
			t.Errorf("%s at %g V: the colours of the input, by rising voltage",
				row.color, row.volts)
		}
	}
}
