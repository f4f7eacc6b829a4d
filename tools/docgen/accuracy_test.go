package docgen

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

// problem is a published worked problem, with the input of the source and its result.
type problem struct {
	tool, in, field string
	published       float64
	half            float64 // half a unit of the last published digit
	source          string
}

// problems are published problems that a single call of a tool solves. A number that its source
// rounds may differ by the rounding error.
var problems = []problem{
	{"fspl", `{"freq_mhz":915,"dist_km":5}`, "fspl_db", 105.61, 0.05,
		"ITU-R P.525-4, equation 4, whose constant 32.4 is rounded"},
	{"vswr", `{"vswr":1.5}`, "return_loss_db", 14.0, 0.05,
		"elsema.com, table of VSWR and return loss"},
	{"noise_figure_cascade",
		`{"stages":[{"nf_db":2,"gain_db":10},{"nf_db":1,"gain_db":-1},{"nf_db":4,"gain_db":-3}]}`, "total_nf_db", 2.55, 0.006, "† D. M. Pozar, Microwave Engineering, example of a receiver front end"},
	{"attenuator_pi", `{"attenuation_db":1,"z0_ohm":50}`, "r1_ohm", 869.55, 0.005,
		"microwaves101.com, attenuator calculator, 1 dB"},
	{"attenuator_pi", `{"attenuation_db":1,"z0_ohm":50}`, "r2_ohm", 5.77, 0.005,
		"microwaves101.com, attenuator calculator, 1 dB"},
	{"attenuator_tee", `{"attenuation_db":1,"z0_ohm":50}`, "r1_ohm", 2.88, 0.005,
		"microwaves101.com, attenuator calculator, 1 dB"},
	{"attenuator_tee", `{"attenuation_db":1,"z0_ohm":50}`, "r2_ohm", 433.34, 0.005,
		"microwaves101.com, attenuator calculator, 1 dB"},
	{"link_budget", `{"tx_dbm":20,"freq_mhz":915,"dist_km":60,"tx_height_m":100,"rx_height_m":25}`,
		"radio_horizon_km", 61.95, 0.15,
		"FS-1037C, radio horizon range: 2.23 (√100 + √25) nautical miles"},

	{"lora_airtime", `{"payload_bytes":13,"sf":9}`, "airtime_ms", 164.864, 0.0005,
		"public spreadsheet on AN1200.13, 13 bytes at SF9"},
	{"lora_airtime", `{"payload_bytes":23,"sf":12}`, "airtime_ms", 1482.8, 0.05,
		"† The Things Network, 10 bytes with 13 of LoRaWAN at SF12"},

	{"wire_gauge",
		`{"current_a":95,"voltage_v":480,"length_m":5,"system":"three_phase","continuous":true}`,
		"ocpd_a", 125, 0, "Jensen Hughes Academy, 95 A continuous load: 125 A device"},
	{"wire_gauge",
		`{"current_a":95,"voltage_v":480,"length_m":5,"system":"three_phase","continuous":true}`,
		"ampacity_a", 130, 0, "Jensen Hughes Academy: 1 AWG at 75 °C, NEC table 310.16"},
	{"wire_gauge",
		`{"current_a":255,"voltage_v":240,"length_m":52,"system":"single_phase","max_drop_pct":1.5}`, "egc_awg", 2, 0, "NEC Handbook, commentary to 250.122(B): 300 A, 250 to 350 kcmil"},
	{"wire_gauge", `{"current_a":20,"voltage_v":12,"length_m":5}`, "egc_awg", 6, 0,
		"EC&M, question of 2013-04-12: 20 A circuit enlarged to 6 AWG"},
	{"voltage_drop", `{"awg":"1","current_a":100,"voltage_v":240,"system":"three_phase","power_factor":0.85,"conduit":"aluminum","length_ft":150}`, "voltage_drop_v", 4.157, 0.006, "† NEC Handbook, commentary to chapter 9 table 9, with a rounded √3 and sine"},
	{"string_sizing", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"isc_a":9.5}`, "min_conductor_ampacity_a", 14.8, 0.05, "gera.services, string fuse calculator, example"},
	{"string_sizing", `{"voc_v":49.5,"vmp_v":41.7,"min_temp_c":-10,"max_temp_c":40,"max_dc_voltage_v":600,"mppt_min_v":200,"isc_a":9.5}`, "string_fuse_a", 15, 0, "gera.services, string fuse calculator, example"},
	{"battery_life",
		`{"capacity_mah":100000,"load_ma":5000,"chemistry":"lead_acid","temperature_c":10}`,
		"usable_capacity_mah", 84033.6, 0.05, "† IEEE Std 485, table 1: factor 1.19 at 50 °F"},
	{"battery_life", `{"capacity_mah":100000,"load_ma":5000,"usable_pct":100,"self_discharge_pct_per_month":0,"peukert_exponent":1.2,"rated_hours":100}`, "runtime_h", 14.5, 0.05, "electrotechnik.net, Peukert's law: 100 Ah at 1 A, k = 1.2, 5 A"},
	{"battery_life", `{"capacity_mah":250000,"load_ma":20000,"usable_pct":100,"self_discharge_pct_per_month":0,"peukert_exponent":1.3,"rated_hours":250}`, "runtime_h", 5.088631644, 5e-9, "easycalculation.com, Peukert's law: 250 Ah at 1 A, k = 1.3, 20 A"},
	{"mah_to_wh", `{"capacity_mah":10000,"voltage_v":3.85}`, "wh", 38.5, 0.05,
		"hive.blog, chairil02, power bank of 10 Ah at 3.85 V"},
	{"wire_ampacity", `{"awg":12,"current_carrying_conductors":4}`, "derated_ampacity_a", 24, 0,
		"Mike Holt's forum, thread 111900: four 12 AWG THHN, 30 A × 0.8"},
	{"wire_ampacity", `{"area_mm2":10,"iec_method":"B2","ambient_c":45}`, "ampacity_a", 36, 0.5,
		"Atlas Copco, GA 75+ instruction book, IEC 60364-5-52: 10 mm², B2, 45 °C"},
	{"wire_ampacity", `{"area_mm2":95,"iec_method":"B2","ambient_c":55}`, "ampacity_a", 109, 0.5,
		"Atlas Copco, GA 75+ instruction book, IEC 60364-5-52: 95 mm², B2, 55 °C"},
	{"string_sizing", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,"temp_coeff_vmp_pct_per_c":-0.27,"min_temp_c":-10,"max_temp_c":45,"cell_temp_rise_c":0,"max_dc_voltage_v":600,"mppt_min_v":200}`, "module_voc_cold_v", 54.2, 0.05, "electrakit.com, solar string sizing, worked example"},
	{"string_sizing", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,"temp_coeff_vmp_pct_per_c":-0.27,"min_temp_c":-10,"max_temp_c":45,"cell_temp_rise_c":0,"max_dc_voltage_v":600,"mppt_min_v":200}`, "max_modules", 11, 0, "electrakit.com, solar string sizing, worked example"},
	{"string_sizing", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,"temp_coeff_vmp_pct_per_c":-0.27,"min_temp_c":-10,"max_temp_c":45,"cell_temp_rise_c":0,"max_dc_voltage_v":600,"mppt_min_v":200}`, "min_modules", 6, 0, "electrakit.com, solar string sizing, worked example"},
	{"string_sizing", `{"voc_v":49.5,"vmp_v":41.2,"temp_coeff_voc_pct_per_c":-0.28,"min_temp_c":-5,"max_temp_c":45,"max_dc_voltage_v":1000,"mppt_min_v":200}`, "max_modules", 18, 0, "amozeshbargh.ir, post 69: string of 550 W modules to 1000 V"},
	{"solar_sizing", `{"daily_wh":20000,"peak_sun_hours":4,"system_voltage_v":48,"panel_w":550,"panel_vmp_v":41.7,"panel_voc_v":49.5,"temp_coeff_voc_pct_per_c":-0.27,"min_temp_c":-10,"controller_max_v":600,"controller_min_v":200,"max_cell_temp_c":45}`, "min_panels_in_series", 6, 0, "electrakit.com, solar string sizing, worked example"},
	{"solar_sizing", `{"daily_wh":1200,"peak_sun_hours":4,"system_voltage_v":48,"panel_vmp_v":18,"max_cell_temp_c":25}`, "min_panels_in_series", 4, 0, "Victron, 48 V: at least 144 cells, four panels of 36"},
	{"solar_roi", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.17581,"peak_rate_per_kwh":0.19935,"peak_share_pct":58.45}`, "year1_savings", 189.567, 0.005, "community.sense.com, topic 10780: weighted price of time of use"},
	{"wire_ampacity", `{"area_mm2":35,"iec_method":"E","material":"aluminium"}`, "ampacity_a", 96,
		0, "GOST R 50571.5.52-2011 (IEC 60364-5-52), aluminium, multi-core in air"},
	{"wire_ampacity", `{"area_mm2":95,"iec_method":"G","ambient_c":55}`, "ampacity_a", 208, 0.5,
		"scribd 696570623, IEC 60364-5-52, method G at 55 °C"},

	{"op_amp_gain", `{"rin_ohm":1000,"rf_ohm":12000,"vin_v":1,"slew_rate_v_us":2}`,
		"full_power_bandwidth_hz", 26500, 50, "NPTEL, lecture 7: 2 V/µs and 12 V"},
	{"op_amp_gain", `{"rin_ohm":1000,"rf_ohm":13500,"vin_v":1,"slew_rate_v_us":9}`,
		"full_power_bandwidth_hz", 106000, 500, "rftools.io, NE5532 at 13.5 V"},
	{"op_amp_gain", `{"rin_ohm":1000,"rf_ohm":13500,"vin_v":1,"freq_hz":20000}`,
		"required_slew_rate_v_us", 1.70, 0.005, "rftools.io, 13.5 V at 20 kHz"},
	{"trace_width", `{"width_mm":0.254}`, "fusing_current_a", 2.6, 0.05,
		"pcbinsider.com, Onderdonk, 10 mil of 1 oz for 1 s"},
	{"trace_width", `{"width_mm":2.54}`, "fusing_current_a", 25.7, 0.05,
		"pcbinsider.com, Onderdonk, 100 mil"},
	{"trace_width", `{"width_mm":0.508}`, "ipc2152_max_current_a", 1.41643, 0.0005,
		"KiCad, test of the fit to IPC-2152: 20 mil, 1 oz, 10 °C, outside"},
	{"trace_width", `{"width_mm":0.508,"layer":"internal"}`, "ipc2152_max_current_a", 1.51312,
		0.0005, "KiCad, test of the fit to IPC-2152: 1 oz inside"},
	{"trace_width", `{"width_mm":0.508,"layer":"internal","copper_oz":2}`,
		"ipc2152_max_current_a", 2.20874, 0.0005,
		"KiCad, test of the fit to IPC-2152: 2 oz inside"},
	{"trace_width", `{"width_mm":0.508}`, "ipc2152_max_current_a", 1.378, 0.05,
		"mbedded.ninja, another fit to IPC-2152: 20 mil, 1 oz, 10 °C"},
	{"generator_offset", `{"total_daily_kwh":25,"solar_daily_kwh":0,"generator_kw":25,"generator_load_pct":100,"fuel":"natural_gas","fuel_curve":"typical"}`, "fuel_before_per_day", 10.4, 0.5, "Briggs & Stratton 076180, m³ of natural gas per hour, full load"},
	{"generator_offset", `{"total_daily_kwh":12.5,"solar_daily_kwh":0,"generator_kw":25,"generator_load_pct":50,"fuel":"propane","fuel_curve":"typical"}`, "fuel_before_per_day", 10.85, 0.8, "Briggs & Stratton 076180, litres of propane per hour, half load"},
	{"generator_offset", `{"total_daily_kwh":1.8,"solar_daily_kwh":0,"generator_kw":1.8,"generator_load_pct":100,"fuel":"gasoline","fuel_curve":"typical"}`, "fuel_before_per_day", 1.124, 0.1, "hotelsabruzzo.com, Honda EU2200i: 0.95 gallons in 3.2 h"},
	{"trace_width", `{"width_mm":12.0078}`, "fusing_current_steady_a", 50, 0.5,
		"Ness Engineering, Preece's law, wire of 0.0288 inch"},
	{"trace_width", `{"current_a":1}`, "width_mil", 11.826, 0.0005,
		"qorvo.com, formula of the IPC-2221 calculator, 1 A at 10 °C and 1 oz"},
	{"timer_555", `{"r1_ohm":10000,"r2_ohm":10000,"c_uf":1}`, "freq_hz", 48.09, 0.005,
		"circflow.com, 555 astable, 10 kΩ, 10 kΩ, 1 µF"},
	{"timer_555", `{"r1_ohm":1000,"r2_ohm":10000,"c_nf":100}`, "freq_hz", 686.998, 0.0005,
		"circflow.com, 555 astable, 1 kΩ, 10 kΩ, 100 nF"},
	{"timer_555", `{"r1_ohm":1000,"r2_ohm":10000,"c_nf":100}`, "duty_pct", 52.4, 0.05,
		"circflow.com, 555 astable, 1 kΩ, 10 kΩ, 100 nF"},
	{"rc_filter", `{"r_ohm":4700,"c_nf":47}`, "cutoff_hz", 720, 0.5,
		"atlas.org, low-pass filter of 4.7 kΩ and 47 nF"},
	{"led_resistor", `{"supply_voltage_v":12,"forward_voltage_v":2,"current_ma":20}`,
		"resistance_ohm", 500, 0.5, "nodeandvolt.com, LED of 2 V and 20 mA at 12 V"},
	{"led_resistor", `{"supply_voltage_v":12,"forward_voltage_v":3.2,"current_ma":20}`,
		"standard_resistance_ohm", 470, 0,
		"usecalcpro.com, LED of 3.2 V at 12 V: 440 Ω, next of E24"},
	{"impedance_match", `{"freq_mhz":10,"source_r_ohm":75,"load_r_ohm":1000}`,
		"solutions.0.series.reactance_ohm", 263, 0.5,
		"baltic-lab.com, L network from 75 Ω to 1 kΩ"},
	{"impedance_match", `{"freq_mhz":100,"source_r_ohm":50,"load_r_ohm":200}`, "solutions.0.q",
		1.732, 0.0005, "theprimecalculator.com, L network from 50 Ω to 200 Ω"},
	{"impedance_match",
		`{"freq_mhz":7,"source_r_ohm":1000,"load_r_ohm":75.7,"network":"pi","q":9.3687}`,
		"solutions.0.source_element.capacitance_f", 213.01e-12, 0.005e-12,
		"analogtrx.com, topic 687: pi network at 7 MHz"},
	{"impedance_match", `{"freq_mhz":100,"load_r_ohm":500,"inductor_q":100}`, "solutions.0.loss_db",
		0.13, 0.005, "rfview.com: 4.34 · 3/100 dB of an L network"},
	{"op_amp_gain", `{"configuration":"non_inverting","rin_ohm":1010,"rf_ohm":101000,"gbw_hz":5200000,"noise_voltage_nv":16,"source_ohm":1000}`, "output_noise_uv", 488.5, 0.5, "TamakoHe, ESD review 2023 Q4: noise of an amplifier of gain 101"},
	{"op_amp_gain", `{"rin_ohm":10000,"rf_ohm":100000,"noise_voltage_nv":5.5,"noise_current_pa":4,"source_ohm":10000}`, "output_noise_nv", 628.5, 0.6, "K. Fronczak, OP27: 62.85 nV/√Hz at the input, gain 10, en at that gain"},
	{"timer_555", `{"variant":"cmos","r1_ohm":1,"r2_ohm":3570,"c_pf":100,"delay_ns":180}`,
		"freq_hz", 1e6, 50e3, "TI E2E 804594: LMC555 with 3570 Ω and 100 pF measured at 1 MHz"},
	{"power_supply_decoupling", `{"supply_v":5,"transient_current_a":0.1,"max_freq_mhz":20}`,
		"self_resonant_freq_hz", 15.9e6, 0.05e6,
		"rftools.io, decoupling capacitor: 100 nF and 1 nH"},

	{"tcp_throughput", `{"bandwidth_mbps":100000,"rtt_ms":100,"loss_pct":0.000001,"mss_bytes":1500,"window_kib":1048560}`, "loss_limit_mbps", 22488.6, 0.6, "† RFC 8312, table: 187405 segments at p = 1e-8 and 0.1 s"},
	{"raid_iops", `{"raid_level":"raid1","drives":2,"drive_size_tb":6}`, "rebuild_error_pct", 38,
		0.5, "Super User, read errors of a rebuild: one mirror of 6 TB"},
	{"subnet_calculator", `{"cidr":"10.0.0.0/24"}`, "usable_hosts", 254, 0, "RFC 1878, table"},

	{"p_value", `{"distribution":"t","data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0,2],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4]}`, "p_value", 0.07939, 0.000005, "R, t.test of the sleep data (Welch)"},
	{"p_value", `{"distribution":"t","data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0,2],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4],"paired":true}`, "statistic", -4.0621, 0.00005, "R, t.test of the sleep data (paired)"},
	{"confidence_interval", `{"data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0,2],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4],"paired":true}`, "lower", -2.4598858, 0.00000005, "R, t.test of the sleep data (paired)"},
	{"p_value", `{"distribution":"chi2","table":[23,100,65,44,158,119]}`, "statistic", 57.236,
		0.0005, "R, chisq.test of three groups without correction (Nemotron-CC-Math)"},
	{"p_value", `{"distribution":"chi2","table":[120,90,40,110,95,45],"table_columns":3}`,
		"p_value", 0.6492, 0.00005, "tutoraspire.com, R, chisq.test of party by gender"},
	{"p_value", `{"distribution":"chi2","table":[19,16,5,8,16,7],"table_columns":3}`, "statistic",
		3.734, 0.0005, "tigerstats, chisqtestGC of sex by seat"},
	{"p_value", `{"distribution":"z","successes":94,"n":214,"successes2":39,"n2":128}`, "p_value",
		0.01350, 0.000005, "influentialpoints.com, R, prop.test without correction"},
	{"confidence_interval",
		`{"kind":"proportion","successes":94,"n":214,"successes2":39,"n2":128,"method":"wald"}`,
		"lower", 0.03074072, 5e-9, "influentialpoints.com, R, prop.test without correction"},
	{"confidence_interval", `{"kind":"proportion","successes":56,"n":70,"successes2":48,"n2":80}`,
		"upper", 0.3339, 0.00005,
		"† R. G. Newcombe, Statistics in Medicine 17 (1998), table II (a), method 10"},
	{"confidence_interval",
		`{"kind":"proportion","successes":1,"n":2,"target_margin":0.05,"population_size":100}`,
		"required_n", 80, 0, "Krejcie and Morgan 1970, table 1: population of 100"},
	{"confidence_interval",
		`{"kind":"proportion","successes":1,"n":2,"target_margin":0.05,"population_size":110}`,
		"required_n", 86, 0, "Krejcie and Morgan 1970, table 1: population of 110"},
	{"confidence_interval", `{"kind":"proportion","successes":40,"n":100,"target_margin":0.02}`,
		"required_n", 2305, 0, "homeworksource.com 1013474: proportion of 0.40 to 0.02"},
	{"p_value", `{"distribution":"z","successes":682,"n":925,"null_proportion":0.75}`, "exact_p",
		0.3825, 0.00005, "R, binom.test after Conover (rstudio-pubs 1326367)"},
	{"p_value", `{"distribution":"z","successes":3,"n":4,"successes2":1,"n2":4,"tail":"right"}`,
		"exact_p", 0.2429, 0.00005, "R, fisher.test of the lady tasting tea (Nemotron-CC-Math)"},
	{"p_value", `{"distribution":"chi2","table":[2,15,10,3]}`, "exact_p", 0.0005367, 5e-8,
		"R, fisher.test of the convictions of twins (SciDB documentation)"},
	{"confidence_interval",
		`{"kind":"proportion","successes":1,"n":2,"successes2":1,"n2":2,"target_margin":0.1}`,
		"required_n", 193, 0, "IPS 7th edition, exercise 8.103 (VHM 801, 2016)"},
	{"loan_amortization",
		`{"principal":500000,"annual_rate_pct":6,"term_months":60,"amortization_years":15}`,
		"final_payment", 384265.10, 0.005, "formsbirds.com, balloon payment calculator with rounding"},
	{"loan_amortization",
		`{"principal":150000,"annual_rate_pct":6.5,"term_years":10,"amortization_years":30}`,
		"final_payment", 128112.29, 0.5, "HP 40gs manual, mortgage with balloon, payment not rounded"},
	{"loan_amortization", `{"principal":200000,"annual_rate_pct":7.5,"term_years":15,"payments_per_year":26,"compounding_per_year":2,"accelerated":true}`,
		"total_paid", 311242.27, 0.15, "efunda.com, accelerated biweekly mortgage"},
	{"compound_interest", `{"cash_flows":[{"date":"2008-01-01","amount":-10000},{"date":"2008-03-01","amount":2750},{"date":"2008-10-30","amount":4250},{"date":"2009-02-15","amount":3250},{"date":"2009-04-01","amount":2750}]}`,
		"effective_annual_rate_pct", 37.3363, 0.00005, "Microsoft, knowledge base Q116041: XIRR"},
	{"sales_tax", `{"price":100,"rates":[{"rate_pct":5},{"rate_pct":9.5,"stacked":true}]}`,
		"total", 114.98, 0.005, "Revenu Québec: 9.975 % of the price are 9.5 % of price and GST"},
	{"unit_convert", `{"value":4,"from_unit":"dBu","to_unit":"V"}`, "result", 1.228, 0.0005,
		"controlbooth.com: +4 dBu is 1.228 V"},
	{"unit_convert", `{"value":20,"from_unit":"dBu","to_unit":"V"}`, "result", 7.7460, 0.00005,
		"sowter.co.uk, table of dBu"},
	{"confidence_interval", `{"mean":0,"std_dev":1,"n":40,"detect_difference":0.5}`, "power_n", 64,
		0, "bossistatistik.com, G*Power: d = 0.5 at 80 %, 128 in two groups"},
	{"confidence_interval", `{"kind":"proportion","successes":50,"n":100,"detect_difference":0.25,"power_pct":90}`, "power_n", 77, 0, "R, power.prop.test: 50 % against 75 %, 76.7"},
	{"confidence_interval", `{"kind":"proportion","successes":8,"n":100,"detect_difference":-0.02}`, "power_n", 2554, 0, "JMP, two sample proportions: 8 % against 6 %"},
	{"unit_convert", `{"value":20,"from_unit":"SWG","to_unit":"mm"}`, "result", 0.914, 0.0005,
		"engineeringtoolbox.com, standard wire gauge"},
	{"ups_runtime", `{"load_w":1340,"battery_voltage_v":12,"battery_ah":65,"efficiency_pct":100,"discharge_table":[{"minutes":5,"watts":2510},{"minutes":10,"watts":1660},{"minutes":15,"watts":1340},{"minutes":20,"watts":1090},{"minutes":30,"watts":823},{"minutes":60,"watts":496}]}`,
		"runtime_min", 15, 1e-9, "EP65-12 data sheet, constant power to 1.7 V per cell"},
	{"tcp_throughput",
		`{"bandwidth_mbps":1000,"rtt_ms":0.3,"mss_bytes":8960,"tcp_options_bytes":12,"window_kib":512}`,
		"throughput_mbps", 990, 0.5, "† iperf3 over gigabit Ethernet with jumbo frames"},
	{"loan_amortization",
		`{"principal":200000,"annual_rate_pct":6,"term_years":30,"include_schedule":false}`,
		"payment", 1199.10, 0.005, "answerprime.com, 200 000 at 6 % for 30 years"},
	{"unit_convert", `{"value":98.6,"from_unit":"F","to_unit":"C"}`, "result", 37, 0,
		"NIST SP 811"},
}

// methodErrors are the deviations of the methods themselves from measurements, by tool.
var methodErrors = func() map[string]string {
	by := map[string]string{}
	for _, row := range [...]struct{ text, names string }{
		{"none: exact integers, decimals or fractions", "subnet_calculator hex_converter resistor_color_code sales_tax salary_to_hourly loan_amortization " +
			"percentage_calc percentage_increase date_difference timestamp_converter tip_calculator test_grade unit_convert sig_figs scientific_notation wireguard_mtu"},
		{"none: closed form, binary rounding", "dbm_convert vswr attenuator_pi attenuator_tee wavelength_freq noise_figure_cascade snr_margin lora_airtime duty_cycle_budget " +
			"mah_to_wh watts_to_amps voltage_divider rc_filter lc_resonance ohms_law capacitor_charge log_calc exponent_calc square_root circumference slope_calc pythagorean_theorem " +
			"p_value confidence_interval compound_interest square_footage bmi_calculator network_bandwidth power_cost"},
		{"ideal parts; tolerances are inputs where they matter",
			"impedance_match op_amp_gain timer_555 led_resistor"},
		{"a model of unslotted ALOHA, without listening before talking", "channel_utilization"},
		{"free space; terrain and diffraction are not modelled", "link_budget fresnel_zone"},
		{"the end-effect factor 0.9516 depends on thickness and height", "dipole"},
		{"free space: exact; Hata and COST 231: a median over places with a spread of 6 to 8 dB",
			"fspl"},
		{"0.2 % of field solvers for an open microstrip, 0.7 % for cpwg with gaps up to the height, 3 to 4 % for the other structures",
			"microstrip"},
		{"a median over places: a path may differ by 20 dB", "lora_range_estimate meshnet_range"},
		{"1 to 2 dB between boards", "lora_sensitivity lora_param_optimizer"},
		{"limits of the rules as printed", "eirp_compliance"},
		{"currents of typical boards, see the limits of the page", "meshnet_power"},
		{"allocation of OpenZFS, see the limits of the page", "zfs_capacity"},
		{"rules of practice, no measurements", "zfs_ram power_supply_decoupling"},
		{"steady state; slow start is left out", "tcp_throughput"},
		{"a model of equally busy drives", "raid_iops"},
		{"sensible heat only", "cooling_btu"},
		{"none: sums of the items", "rack_capacity solar_load_audit"},
		{"a model of two temperatures", "thermal_enclosure"},
		{"heat transfer correlations, see the limits of the page", "heatsink_cfd pcb_thermal"},
		{"tables as printed († IEC by public transcriptions that agree); NEC table 9 has two digits", "wire_gauge wire_ampacity voltage_drop"},
		{"data sheet values; table 690.7(A) as printed", "string_sizing"},
		{"one day stands for all; no weather",
			"solar_sizing battery_autonomy solar_roi inverter_sizing"},
		{"typical curves: 35 % of a data sheet, mostly 20 %; a data sheet's own curve: exact at its two points", "generator_offset"},
		{"Peukert's law; crude within minutes of discharge",
			"battery_life ups_runtime battery_charge_time"},
		{"a fit to the chart of IPC-2221; inner layers are on the safe side", "pcb_via_current"},
		{"a fit to the chart of IPC-2221, inner layers on the safe side; two public fits to IPC-2152 differ by up to 15 % in current", "trace_width"},
		{"compared with ngspice in docs/spice.md", "spice_simulate spice_template"},
		{"checked by design rules and by KiCad's footprints", "pcb_layout"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			by[name] = row.text
		}
	}
	return by
}()

// solve runs a problem and returns its result as a number. A wire size is a text in the result.
func solve(c *tools.Catalog, p problem) (float64, error) {
	e, err := c.Find(p.tool)
	if err != nil {
		return 0, err
	}
	result, err := e.Run(context.Background(), []byte(p.in))
	if err != nil {
		return 0, err
	}
	var value any
	if err := json.Unmarshal(result, &value); err != nil {
		return 0, err
	}
	for name := range strings.SplitSeq(p.field, ".") { // a path such as solutions.0.q
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return 0, fmt.Errorf("%s has no element %s", p.tool, name)
			}
			value = v[i]
		}
	}
	switch v := value.(type) {
	case float64:
		return v, nil
	case string:
		var n float64
		_, err := fmt.Sscanf(v, "%g", &n)
		return n, err
	}
	return 0, fmt.Errorf("%s has no number %s", p.tool, p.field)
}

// solvedIn counts the problems of a category.
func solvedIn(c *tools.Catalog, category string) (count int) {
	for _, p := range slices.Concat(problems, rfProblems, meshProblems, homelabProblems) {
		if e, err := c.Find(p.tool); err == nil && e.Category == category {
			count++
		}
	}
	return count
}

// TestAccuracyPage compares docs/accuracy.md with the deviations of the tools from the published
// problems.
func TestAccuracyPage(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	worst := map[string]float64{}
	for _, p := range slices.Concat(problems, rfProblems, meshProblems, homelabProblems) {
		got, err := solve(c, p)
		if err != nil {
			t.Fatalf("%s %s: %v", p.tool, p.in, err)
		}
		difference := got - p.published
		if math.Abs(difference) > p.half*(1+1e-9) {
			t.Errorf("%s %s: %s is %g, the source has %g", p.tool, p.in, p.field, got, p.published)
		}
		relative := 100 * math.Abs(difference/p.published)
		if before, seen := worst[p.tool]; !seen || relative > before {
			worst[p.tool] = relative
		}
		fmt.Fprintf(&list, "| `%s` | `%s` | %.8g | %.8g | %.2g %% | %s |\n", p.tool, p.field,
			p.published, got, relative, p.source)
	}
	var solved []string
	for _, category := range c.Categories {
		n := solvedIn(c, category.Name)
		if n < 10 {
			t.Errorf("%s has %d published problems, want ten", category.Name, n)
		}
		solved = append(solved, fmt.Sprintf("%s %d", category.Name, n))
	}
	var table strings.Builder
	for _, e := range c.All() {
		text, known := methodErrors[e.Name]
		if !known {
			t.Errorf("%s is not in methodErrors", e.Name)
		}
		checked, difference := "its worked examples", "within the digits written"
		if w, ok := worst[e.Name]; ok {
			checked, difference = "published problems below", fmt.Sprintf("%.2g %%", w)
		}
		fmt.Fprintf(&table, "| [`%s`](tools/%s.md) | %s | %s | %s | %s |\n", e.Name, e.Name,
			strings.ReplaceAll(e.Sources[0], "|", "\\|"), text, checked, difference)
	}
	page := `# Accuracy

Made by ` + "`go generate ./tools/...`" + `, which solves the problems below again.

## Tools

The first source of each tool, the error of its method, its independent check and the worst
difference found. The page of a tool lists all sources and limits. Worked examples are tests: each
number agrees to half a unit of the last digit written.

| tool | source | error of the method | checked against | worst difference |
|---|---|---|---|---|
` + table.String() + `
## Published problems

Handbooks, standards and vendors' examples, solved by the tools alone. A source that rounds differs
by its rounding. A source with † could not be read again in public material when the list was made.
Problems by category: ` + strings.Join(solved, ", ") + `.

| tool | result | published | computed | difference | source |
|---|---|---|---|---|---|
` + list.String()
	page += `
## Optional fields

The fields that extend the specified ones, with the number of their cases: worked examples,
published problems and tables of the tests, all recomputed. The source is that of one case. Where
no public number was found, the case was recomputed by hand or in another language and says so.

| tool | field | cases | source |
|---|---|---|---|
` + fieldTable(fieldCoverage(t, c))
	path := filepath.Join("..", "..", "docs", "accuracy.md")
	if t.Failed() {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if stored, err := os.ReadFile(path); err != nil || string(stored) != page {
		t.Errorf("%s is not current; go generate ./tools/... writes it again", path)
	}
}
