package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestSolarSizing(t *testing.T) {
	tooltest.Examples(t, SolarSizing)
	tooltest.Cases(t, SolarSizing, []tooltest.Case{
		{"contract: 1500/(4.5·.8·.95); 3000/.8; 625/24; 1800·.95-1500 = 210; 3000/210", `{"daily_wh":1500,"peak_sun_hours":4.5,"system_voltage_v":24}`,
			`{"required_array_w":438.596491,"panels":5,"panels_in_series":null,"array_w":500,"battery_kwh":3.75000000,"battery_ah":156.250000,"controller_a":26.0416667,"dc_daily_wh":1500,"daily_yield_wh":1800.000000,"surplus_pct":14.0000000,"recovery_days":14.2857143}`},
		{"the same energy in kWh", `{"total_daily_kwh":1.5,"peak_sun_hours":4.5,"system_voltage_v":24}`, `{"required_array_w":438.596491,"panels":5}`},
		{"inverter and derates by hand: E = 2000/.9; E/(5·.75·.95); 3E/(.8·.9)", `{"daily_wh":2000,"peak_sun_hours":5,"system_voltage_v":48,"inverter_efficiency_pct":90,"pv_derate_pct":75,"battery_derate_pct":90,"autonomy_days":3,"panel_w":400}`,
			`{"dc_daily_wh":2222.22222,"required_array_w":623.781676,"panels":2,"battery_kwh":9.25925926}`},
		{"pwm at 12 V: f = 14.4/18 = .8, 600/(4·.8·.85·.8); 4 strings of 6.1 A · 1.25; 1024·.85-600 = 270.4", `{"daily_wh":600,"peak_sun_hours":4,"battery_chemistry":"lead_acid","controller":"pwm","panel_vmp_v":18,"panel_isc_a":6.1}`,
			`{"required_array_w":275.735294,"panels":3,"panels_in_series":1,"battery_kwh":2.40000000,"controller_a":22.8750}`},
		{"pwm at 24 V takes pairs: s = ceil(28.8/18) = 2, f = .8; 4 panels; 1.25·6.1·2", `{"daily_wh":600,"peak_sun_hours":4,"system_voltage_v":24,"battery_chemistry":"lead_acid","controller":"pwm","panel_vmp_v":18,"panel_isc_a":6.1}`,
			`{"required_array_w":275.735294,"panels":4,"panels_in_series":2,"controller_a":15.2500,"daily_yield_wh":1024.0000,"surplus_pct":45.0666667,"recovery_days":4.43786982,"warnings":[]}`},
		{"pwm with a 60-cell panel on 12 V wastes 52 %: f = 14.4/30", `{"daily_wh":100,"peak_sun_hours":4,"controller":"pwm","panel_vmp_v":30,"panel_isc_a":9}`, `{"panels_in_series":1,"required_array_w":68.530702,"warnings":["~above 0.5 C","~52 %"]}`},
		{"an exact fit is one panel, not two, and never recovers: 380/(5·.8·.95) = 100", `{"daily_wh":380,"peak_sun_hours":5}`, `{"required_array_w":100.000000,"panels":1,"recovery_days":null,"warnings":["~no surplus"]}`},
		{"above 100 A and above 0.2 C: 22·100·1.25/12 = 229 A, bank 6000/(.5·12) = 1000 Ah", `{"daily_wh":6000,"peak_sun_hours":4,"autonomy_days":1,"battery_chemistry":"lead_acid","battery_efficiency_pct":88}`,
			`{"panels":22,"battery_ah":1000.0000,"controller_a":229.166667,"warnings":["~above 0.2 C","~above 100 A","~recovery"]}`},
		{"a controller of 100 A is not above it: 1.25·1920/24", `{"daily_wh":6000,"peak_sun_hours":5,"system_voltage_v":24,"autonomy_days":1,"panel_w":1920}`, `{"panels":1,"controller_a":100.0000,"warnings":[]}`},
		{"one of 100.5 A is: 1.25·1930/24", `{"daily_wh":6000,"peak_sun_hours":5,"system_voltage_v":24,"autonomy_days":1,"panel_w":1930}`, `{"controller_a":100.52083,"warnings":["~above 100 A"]}`},
		{"panel data is for pwm", `{"daily_wh":1000,"peak_sun_hours":4,"panel_vmp_v":18,"panel_isc_a":6,"panel_w":500}`, `{"panels":1,"min_panels_in_series":2,"warnings":["~do not divide","~panel_isc_a"]}`},
		{"Victron, MPPT 150/45 manual 3.3: 24 V takes 72 cells or more, 2 panels of 12 V", `{"daily_wh":600,"peak_sun_hours":4,"system_voltage_v":24,"panel_vmp_v":18,"max_cell_temp_c":25}`, `{"min_panels_in_series":2,"max_panels_in_series":null}`},
		{"Victron, 48 V: 144 cells or more, 4 panels of 12 V", `{"daily_wh":1200,"peak_sun_hours":4,"system_voltage_v":48,"panel_vmp_v":18,"max_cell_temp_c":25}`, `{"min_panels_in_series":4}`},
		{"electrakit.com: 41.7 V at -0.27 %/°C and 45 °C, 6 in series for 200 V; 11 for 600 V at -10 °C", `{"daily_wh":20000,"peak_sun_hours":4,"system_voltage_v":48,"panel_w":550,"panel_vmp_v":41.7,"panel_voc_v":49.5,"temp_coeff_voc_pct_per_c":-0.27,"min_temp_c":-10,"controller_max_v":600,"controller_min_v":200,"max_cell_temp_c":45}`,
			`{"min_panels_in_series":6,"max_panels_in_series":11,"panel_voc_cold_v":54.2}`},
		{"Victron, 36-cell panel at 12 V: hot cells of 70 °C have 14.76 V, below 14.4 + 1 V", `{"daily_wh":100,"peak_sun_hours":4,"panel_vmp_v":18}`, `{"min_panels_in_series":2}`},
		{"by hand: 41.7 V at -0.5 %/°C and 70 °C is 32.3 V, 7 in series for 200 V; 6 at the usual -0.4", `{"daily_wh":20000,"peak_sun_hours":4,"system_voltage_v":48,"panel_w":550,"panel_vmp_v":41.7,"panel_voc_v":49.5,"temp_coeff_voc_pct_per_c":-0.5,"min_temp_c":25,"controller_min_v":200}`, `{"min_panels_in_series":7}`},
		{"the usual coefficient, by hand: 200/34.19", `{"daily_wh":20000,"peak_sun_hours":4,"system_voltage_v":48,"panel_w":550,"panel_vmp_v":41.7,"controller_min_v":200}`, `{"min_panels_in_series":6}`},
		{"no string fits", `{"daily_wh":600,"peak_sun_hours":4,"system_voltage_v":48,"panel_vmp_v":18,"panel_voc_v":22.6,"min_temp_c":-10,"controller_max_v":100}`, `{"min_panels_in_series":4,"max_panels_in_series":3,"warnings":["~no string fits","~recovery"]}`},
		{"minimum without a panel voltage", `{"daily_wh":600,"peak_sun_hours":4,"controller_min_v":30}`, `{"min_panels_in_series":null,"warnings":["~controller_min_v was ignored","~recovery"]}`},
		{"NEC table 690.7(A): -10 °C is 1.14, 22.6 V becomes 25.764 V; 100/25.764 = 3.88", `{"daily_wh":380,"peak_sun_hours":5,"panel_voc_v":22.6,"min_temp_c":-10,"controller_max_v":100}`,
			`{"panel_voc_cold_v":25.764,"max_panels_in_series":3,"string_voc_cold_v":null}`},
		{"by hand: -0.3 %/°C over 45 °C is 1.135", `{"daily_wh":380,"peak_sun_hours":5,"panel_voc_v":40,"min_temp_c":-20,"temp_coeff_voc_pct_per_c":-0.3,"controller_max_v":150}`, `{"panel_voc_cold_v":45.400,"max_panels_in_series":3}`},
		{"by hand: 49.5·1.0945 = 54.178 V on a 50 V controller", `{"daily_wh":380,"peak_sun_hours":5,"panel_voc_v":49.5,"min_temp_c":-10,"temp_coeff_voc_pct_per_c":-0.27,"controller_max_v":50}`,
			`{"panel_voc_cold_v":54.17775,"max_panels_in_series":0,"warnings":["~one panel reaches 54.18 V","~no surplus"]}`},
		{"pwm pairs at 24 V: 2·22.6·1.14 = 51.528 V on a 50 V controller", `{"daily_wh":600,"peak_sun_hours":4,"system_voltage_v":24,"battery_chemistry":"lead_acid","controller":"pwm","panel_vmp_v":18,"panel_isc_a":6.1,"panel_voc_v":22.6,"min_temp_c":-10,"controller_max_v":50}`,
			`{"string_voc_cold_v":51.528,"max_panels_in_series":1,"warnings":["~2 panels in series reach 51.53 V"]}`},
		{"IEEE 485: 10 °C is 1.19, 2.4 kWh become 2.856", `{"daily_wh":600,"peak_sun_hours":5,"battery_chemistry":"lead_acid","battery_temperature_c":10}`, `{"battery_kwh":2.856,"temperature_factor":1.19}`},
		{"IEEE 485: 90 °F (32.2 °C) is 0.94", `{"daily_wh":600,"peak_sun_hours":5,"battery_chemistry":"lead_acid","battery_temperature_c":32.2222222222}`, `{"battery_kwh":2.25600}`},
		{"no table for lithium, no voltage in the cold", `{"daily_wh":380,"peak_sun_hours":5,"battery_temperature_c":10,"controller_max_v":100}`, `{"temperature_factor":1,"warnings":["~controller_max_v was ignored","~battery_temperature_c was ignored","~no surplus"]}`},
		{"months, by hand: December with 1.5 h decides, 1000/(1.5·0.8·0.95) = 877.2 W; 9 panels give 900·0.8·6 Wh in June",
			`{"daily_wh":1000,"monthly_sun_hours":[2,3,4,5,5.5,6,6,5.5,4.5,3,2,1.5]}`,
			`{"required_array_w":877.1930,"panels":9,"worst_month":12,"daily_yield_wh":1080,"monthly_yield_wh":[1440,2160,2880,3600,3960,4320,4320,3960,3240,2160,1440,1080]}`},
		{"twelve equal months are one", `{"daily_wh":1500,"monthly_sun_hours":[4.5,4.5,4.5,4.5,4.5,4.5,4.5,4.5,4.5,4.5,4.5,4.5],"system_voltage_v":24}`,
			`{"required_array_w":438.5965,"worst_month":1}`},
		{"south of the equator June is the worst, by hand 500/(2·0.8·0.95) W", `{"daily_wh":500,"monthly_sun_hours":[6,5.5,4.5,3.5,2.5,2,2.2,3,4,5,5.8,6.2]}`, `{"required_array_w":328.9474,"worst_month":6}`},
		{"no months", `{"daily_wh":500,"peak_sun_hours":2}`, `{"worst_month":null,"monthly_yield_wh":null}`},
	})
	tooltest.InvalidCases(t, SolarSizing, []tooltest.InvalidCase{
		{"months and one figure", `{"daily_wh":500,"peak_sun_hours":2,"monthly_sun_hours":[6,5,4,3,2,2,2,3,4,5,5,6]}`, []string{"peak_sun_hours"}, "contradicts"},
		{"eleven months", `{"daily_wh":500,"monthly_sun_hours":[6,5,4,3,2,2,2,3,4,5,5]}`, []string{"monthly_sun_hours"}, "12"},
		{"no energy", `{"peak_sun_hours":4}`, []string{"daily_wh"}, "daily_wh, total_daily_kwh"},
		{"two energies", `{"peak_sun_hours":4,"daily_wh":1,"total_daily_kwh":1}`, []string{"daily_wh"}, "daily_wh and total_daily_kwh"},
		{"pwm without panel data", `{"daily_wh":1,"peak_sun_hours":4,"controller":"pwm"}`, []string{"panel_vmp_v", "panel_isc_a"}, "pwm"},
		{"cold without a temperature", `{"daily_wh":1,"peak_sun_hours":4,"panel_voc_v":22}`, []string{"min_temp_c"}, "record low"},
		{"the table ends at -40 °C", `{"daily_wh":1,"peak_sun_hours":4,"panel_voc_v":22,"min_temp_c":-41}`, []string{"min_temp_c"}, "690.7(A)"},
		{"cells without voltage", `{"daily_wh":1,"peak_sun_hours":4,"panel_vmp_v":18,"panel_voc_v":22,"min_temp_c":0,"temp_coeff_voc_pct_per_c":-1,"max_cell_temp_c":121}`, []string{"max_cell_temp_c"}, "25 to 120"},
		{"Vmp above Voc", `{"daily_wh":1,"peak_sun_hours":4,"panel_voc_v":18,"panel_vmp_v":22,"min_temp_c":0}`, []string{"panel_vmp_v"}, "below panel_voc_v 18"},
		{"ranges", `{"daily_wh":0,"peak_sun_hours":13,"autonomy_days":31,"depth_of_discharge_pct":0,"battery_efficiency_pct":101}`, []string{"daily_wh", "peak_sun_hours", "autonomy_days", "depth_of_discharge_pct", "battery_efficiency_pct"}, ""},
		{"a million million panels", `{"daily_wh":1e12,"peak_sun_hours":0.001,"panel_w":0.001}`, []string{"panel_w"}, "count"},
	})
}
