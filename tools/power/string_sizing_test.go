package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestStringSizing(t *testing.T) {
	const module = `"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,"temp_coeff_vmp_pct_per_c":-0.35,"min_temp_c":-10,"max_temp_c":40,"mppt_min_v":200,"mppt_max_v":550`
	tooltest.Examples(t, StringSizing)
	tooltest.Cases(t, StringSizing, []tooltest.Case{
		{"contract: 49.5·1.0945, 41.7·.8425, 41.7·1.1225; 200/35.13 = 5.69, 600/54.18 = 11.07, 550/46.81 = 11.75", `{` + module + `,"max_dc_voltage_v":600}`,
			`{"voc_factor_cold":1.094500,"module_voc_cold_v":54.1777500,"module_vmp_hot_v":35.1322500,"module_vmp_cold_v":46.8082500,"max_modules_by_voc":11,"max_modules_by_mppt":11,"min_modules":6,"string_voc_cold_v":595.955250,"string_vmp_hot_v":386.454750,"string_vmp_cold_v":514.890750}`},
		{"contract, by the table: 1.14, 600/56.43 = 10.63", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_vmp_pct_per_c":-0.35,"min_temp_c":-10,"max_temp_c":40,"mppt_min_v":200,"mppt_max_v":550,"max_dc_voltage_v":600}`,
			`{"voc_factor_cold":1.14,"module_voc_cold_v":56.43000,"max_modules_by_voc":10,"max_modules":10,"recommended_modules":10,"warnings":["~690.7(A)"]}`},
		{"a string of 12 is too much in the cold: 650.1 V, 561.7 V",
			`{` + module + `,"max_dc_voltage_v":600,"modules_per_string":12}`, `{"within_limits":false,"string_voc_cold_v":650.133,"recommended_modules":11,"warnings":["~above max_dc_voltage_v","~mppt_max_v"]}`},
		{"a string of 5 is too little in the heat: 175.7 V",
			`{` + module + `,"max_dc_voltage_v":600,"modules_per_string":5}`, `{"within_limits":false,"string_vmp_hot_v":175.66125,"warnings":["~below mppt_min_v"]}`},
		{"a string of 8 fits", `{` + module + `,"max_dc_voltage_v":600,"modules_per_string":8}`,
			`{"within_limits":true,"warnings":[]}`},
		{"no length fits: at least 6, at most 5", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,"temp_coeff_vmp_pct_per_c":-0.35,"min_temp_c":-10,"max_temp_c":40,"mppt_min_v":200,"max_dc_voltage_v":300}`,
			`{"feasible":false,"recommended_modules":null,"max_modules":5,"min_modules":6,"string_voc_cold_v":null,"within_limits":null,"warnings":["~no string length"]}`},
		{"strings: 26/12.9 = 2.02, 40/(1.25·13.8) = 2.32; a limit met exactly counts",
			`{` + module + `,"max_dc_voltage_v":800,"imp_a":12.9,"isc_a":13.8,"max_input_current_a":26,"max_short_circuit_current_a":40}`, `{"max_parallel_strings":2,"max_modules":11}`},
		{"the smaller of 26/12.9 and 100/(1.25·13.8) = 5.8", `{` + module + `,"max_dc_voltage_v":800,"imp_a":12.9,"isc_a":13.8,"max_input_current_a":26,"max_short_circuit_current_a":100}`, `{"max_parallel_strings":2}`},
		{"the smaller of 100/12.9 = 7.75 and 40/(1.25·13.8)", `{` + module + `,"max_dc_voltage_v":800,"imp_a":12.9,"isc_a":13.8,"max_input_current_a":100,"max_short_circuit_current_a":40}`, `{"max_parallel_strings":2}`},
		{"51.75/(1.25·13.8) = 3 exactly",
			`{` + module +
				`,"max_dc_voltage_v":800,"isc_a":13.8,"max_short_circuit_current_a":51.75}`,
			`{"max_parallel_strings":3}`},
		{"no string at all, half a pair",
			`{` + module +
				`,"max_dc_voltage_v":800,"imp_a":12.9,"isc_a":13.8,"max_input_current_a":12}`,
			`{"max_parallel_strings":0,"warnings":["~not even one","~isc_a"]}`},
		{"Vmp coefficient assumed: 41.7·(1-.004·45) = 34.194", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,"min_temp_c":-10,"max_temp_c":40,"mppt_min_v":200,"max_dc_voltage_v":800}`, `{"module_vmp_hot_v":34.194000,"warnings":["~-0.40"]}`},
		{"a whole number of modules despite binary noise: 10·60 V", `{"voc_v":50,"vmp_v":40,"temp_coeff_voc_pct_per_c":-0.5,"temp_coeff_vmp_pct_per_c":-0.5,"min_temp_c":-15,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":310}`,
			`{"module_voc_cold_v":60.000000,"max_modules_by_voc":10,"module_vmp_hot_v":31.0000,"min_modules":10}`},
		{"gera.services, string fuse calculator: Isc 9.5 A, 1.56·9.5 = 14.8 A, fuse 15 A within 20 A; two strings need none", `{` + module + `,"max_dc_voltage_v":800,"isc_a":9.5,"max_series_fuse_a":20,"parallel_strings":2}`,
			`{"max_circuit_current_a":11.875,"min_conductor_ampacity_a":14.84375,"string_fuse_a":15,"string_fuse_required":false}`},
		{"690.9(A), by hand: the other two of three strings drive 23.75 A", `{` + module + `,"max_dc_voltage_v":800,"isc_a":9.5,"max_series_fuse_a":20,"parallel_strings":3,"max_short_circuit_current_a":100}`,
			`{"string_fuse_required":true,"warnings":["~23.75 A back"]}`},
		{"by hand: 13.8 A gives 21.5625 A and 25 A, above a rating of 20 A", `{` + module + `,"max_dc_voltage_v":800,"isc_a":13.8,"max_series_fuse_a":20,"max_short_circuit_current_a":100}`,
			`{"min_conductor_ampacity_a":21.5625,"string_fuse_a":25,"string_fuse_required":null,"warnings":["~above max_series_fuse_a"]}`},
		{"by hand: 6.4 A is 10 A exactly; more strings than the input takes", `{` + module + `,"max_dc_voltage_v":800,"isc_a":6.4,"max_series_fuse_a":15,"parallel_strings":2,"max_short_circuit_current_a":8}`,
			`{"string_fuse_a":10,"string_fuse_required":false,"max_parallel_strings":1,"warnings":["~2 strings are above the 1"]}`},
		{"no current, no fuse",
			`{` + module + `,"max_dc_voltage_v":800,"max_series_fuse_a":15,"parallel_strings":2}`, `{"string_fuse_a":null,"max_circuit_current_a":null,"warnings":["~max_series_fuse_a was ignored","~parallel_strings was ignored"]}`},
		{"bifacial without a current", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.3,"temp_coeff_vmp_pct_per_c":-0.4,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"bifacial_gain_pct":10}`, `{"warnings":["~bifacial_gain_pct was ignored"]}`},
		{"bifacial, by hand: 1.1 × 10 A × 1.5625 = 17.19 A, next fuse 20 A", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"isc_a":10,"bifacial_gain_pct":10}`,
			`{"max_circuit_current_a":13.75,"min_conductor_ampacity_a":17.1875,"string_fuse_a":20}`},
		{"bifacial, by hand: 1.25 × 1.1 × 10 A is 13.75 A a string, 27 A take one", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"isc_a":10,"max_short_circuit_current_a":27,"bifacial_gain_pct":10}`,
			`{"max_parallel_strings":1}`},
		{"without the gain two strings fit", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"isc_a":10,"max_short_circuit_current_a":27}`,
			`{"max_parallel_strings":2}`},
		{"690.8(A), by hand: 1.25 · 13.9 A, 1.25 of it again, next fuse 25 A",
			`{"voc_v":50,"vmp_v":41,"isc_a":13.9,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":1000,"mppt_min_v":200}`,
			`{"max_circuit_current_a":17.375,"min_conductor_ampacity_a":21.71875,"string_fuse_a":25}`},
	})
	tooltest.InvalidCases(t, StringSizing, []tooltest.InvalidCase{
		{"a gain beyond the rear side", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-1,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"bifacial_gain_pct":60}`, []string{"bifacial_gain_pct"}, "0 to 50"},
		{"nothing", `{}`, []string{"voc_v", "vmp_v", "min_temp_c", "max_temp_c", "max_dc_voltage_v",
			"mppt_min_v"}, "is required"},
		{"a lost minus sign", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":0.27,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200}`, []string{"temp_coeff_voc_pct_per_c"}, "less than 0"},
		{"temperatures and voltages swapped", `{"voc_v":41.7,"vmp_v":49.5,"min_temp_c":40,"max_temp_c":-10,"max_dc_voltage_v":600,"mppt_min_v":500,"mppt_max_v":200}`, []string{"vmp_v", "max_temp_c", "mppt_min_v"}, "below voc_v"},
		{"the table ends at -40 °C", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-41,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200}`, []string{"min_temp_c"}, "temp_coeff_voc_pct_per_c"},
		{"no voltage left", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_vmp_pct_per_c":-1,"min_temp_c":-1,"max_temp_c":80,"cell_temp_rise_c":60,"max_dc_voltage_v":600,"mppt_min_v":200}`, []string{"temp_coeff_vmp_pct_per_c"}, "140 °C"},
		{"half a module", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-1,"max_temp_c":80,"max_dc_voltage_v":600,"mppt_min_v":200,"modules_per_string":1.5}`, []string{"modules_per_string"}, "whole number"},
	})
}
