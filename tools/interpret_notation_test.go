package tools_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"slipstick/tools"
)

// same reports whether two JSON texts have the same value.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		return false
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// TestNotations verifies that notations of the trade are read where their meaning is certain.
func TestNotations(t *testing.T) {
	for _, c := range []struct{ tool, body, want string }{
		// Units without prefixes: 1 ft² = 0.09290304 m², 1 ft³ = 0.028316846592 m³.
		{"cooling_btu", `{"it_load_w":3000,"floor_area_m2":"200 sq ft"}`,
			`{"it_load_w":3000,"floor_area_m2":18.580608}`},
		{"cooling_btu", `{"it_load_w":3000,"floor_area_sq_ft":200}`,
			`{"it_load_w":3000,"floor_area_m2":18.580608}`},
		{"cooling_btu", `{"it_load_w":3000,"floor_area_m2":"12,5 m2"}`,
			`{"it_load_w":3000,"floor_area_m2":12.5}`},
		{"cooling_btu", `{"it_load_w":3000,"floor_area_m2":"20 m2","people":"2 people"}`,
			`{"it_load_w":3000,"floor_area_m2":20,"people":2}`},
		{"thermal_enclosure", `{"width_mm":100,"height_mm":100,"depth_mm":100,"power_w":1,` +
			`"ventilation":"fan","fan_airflow":"20 CFM"}`, `{"width_mm":100,"height_mm":100,` +
			`"depth_mm":100,"power_w":1,"ventilation":"fan","fan_flow_m3_h":33.9802159104}`},
		{"thermal_enclosure", `{"width_mm":100,"height_mm":100,"depth_mm":100,"power_w":1,` +
			`"wind_mph":10}`, `{"width_mm":100,"height_mm":100,"depth_mm":100,"power_w":1,` +
			`"wind_m_s":4.4704}`}, // 1 mph = 0.44704 m/s
		{"wire_ampacity", `{"area_mm2":"16 mm2"}`, `{"area_mm2":16}`},
		// Money.
		{"salary_to_hourly", `{"salary":"75k"}`, `{"amount":75000}`},
		{"salary_to_hourly", `{"amount":"$1.25M"}`, `{"amount":1250000}`},
		{"salary_to_hourly", `{"amount":"$75,000"}`, `{"amount":75000}`},
		{"salary_to_hourly", `{"amount":"75,000.50"}`, `{"amount":75000.5}`},
		{"sales_tax", `{"total":108.25,"tax_rate":8.25}`, `{"total":108.25,"rate_pct":8.25}`},
		{"power_cost", `{"power_w":1,"price_per_kwh":"15 cents"}`,
			`{"power_w":1,"price_per_kwh":0.15}`},
		{"salary_to_hourly", `{"amount":"75,5k"}`, `{"amount":75500}`},
		{"compound_interest", `{"annual_rate_pct":5,"cash_flows":[{"date":"2025-01-01",` +
			`"amount":"-$10k"},{"date":"2026-01-01","amount":"-€500"}]}`,
			`{"annual_rate_pct":5,"cash_flows":[{"date":"2025-01-01","amount":-10000},` +
				`{"date":"2026-01-01","amount":-500}]}`},
		{"power_cost", `{"power_w":1,"price_per_kwh":"14,5 cents"}`,
			`{"power_w":1,"price_per_kwh":0.145}`},
		{"power_cost", `{"power_w":1,"cost_per_kwh":"14.5¢ per kWh"}`,
			`{"power_w":1,"price_per_kwh":0.145}`},
		{"power_cost", `{"power_w":1,"rate":"$0.15 per kWh"}`,
			`{"power_w":1,"price_per_kwh":0.15}`},
		// Separators between thousands that are no decimal comma.
		{"fspl", `{"freq_mhz":"1,000.5","dist_km":5}`, `{"freq_mhz":1000.5,"dist_km":5}`},
		{"fspl", `{"freq_mhz":"14,250,000 Hz","dist_km":5}`, `{"freq_mhz":14.25,"dist_km":5}`},
		{"tip_calculator", `{"bill":"1.250,50 €","tip":15}`, `{"bill_amount":1250.50,"tip_pct":15}`},
		// Counts, whose noun the name of the field has.
		{"raid_iops", `{"raid_level":"raid5","drives":"8 disks"}`,
			`{"raid_level":"raid5","drives":8}`},
		{"zfs_capacity", `{"raid_level":"raidz2","drive_size_tb":4,"drives_per_vdev":"6 drives"}`,
			`{"raid_level":"raidz2","drive_size_tb":4,"drives_per_vdev":6}`},
		// Data rates: 1 MB/s = 8 Mbit/s.
		{"tcp_throughput", `{"bandwidth":"100 Mb","rtt_ms":20}`,
			`{"bandwidth_mbps":100,"rtt_ms":20}`},
		{"tcp_throughput", `{"bandwidth":"12 MB/s","rtt_ms":20}`,
			`{"bandwidth_mbps":96,"rtt_ms":20}`},
		{"raid_iops", `{"raid_level":"raid5","drives":4,"rebuild_mb_s":"1 Gbit/s"}`,
			`{"raid_level":"raid5","drives":4,"rebuild_mb_s":125}`},
		{"raid_iops", `{"raid_level":"raid5","drives":4,"rebuild_mb_s":"100 Mb/s"}`,
			`{"raid_level":"raid5","drives":4,"rebuild_mb_s":12.5}`},
		{"raid_iops", `{"raid_level":"raid5","drives":4,"rebuild_mb_s":"100 MB/s"}`,
			`{"raid_level":"raid5","drives":4,"rebuild_mb_s":100}`},
		// Words for numbers.
		{"lora_airtime", `{"payload":20,"coding_rate":"4/8"}`, `{"payload_bytes":20,"cr":8}`},
		{"hex_converter", `{"value":255,"from":"decimal","to":"hex"}`,
			`{"value":255,"from_base":10,"to_base":16}`},
		{"compound_interest",
			`{"principal":1000,"annual_rate_pct":5,"time":"2 years","compounding":"semi-annually"}`,
			`{"principal":1000,"annual_rate_pct":5,"years":2,"compounds_per_year":2}`},
		{"wire_ampacity", `{"awg":10,"insulation_rating_c":"THWN"}`,
			`{"awg":10,"insulation_rating_c":75}`},
		{"bmi_calculator", `{"weight_kg":80,"height":"5'10\""}`,
			`{"weight_kg":80,"height_cm":177.8}`},
		{"bmi_calculator", `{"weight_kg":80,"height":"6 ft 0.5 in"}`,
			`{"weight_kg":80,"height_cm":184.15}`}, // 72.5 * 2.54
		{"bmi_calculator", `{"weight_kg":80,"height":"5'08"}`,
			`{"weight_kg":80,"height_cm":172.72}`}, // 68 * 2.54
		{"cooling_btu", `{"it_load_w":1000,"square_footage":200}`,
			`{"it_load_w":1000,"floor_area_m2":18.580608}`}, // 200 * 0.3048²
		{"fspl", `{"freq_mhz":915,"distance":5,"units":"miles"}`,
			`{"freq_mhz":915,"dist_km":8.04672}`}, // 5 * 1.609344
		{"fspl", `{"frequency":2.4,"frequency_unit":"GHz","dist_km":5,"dist_unit":"km"}`,
			`{"freq_mhz":2400,"dist_km":5}`},
		{"fspl", `{"frequency":"2.4","frequency_unit":"GHz","distance":500,"distance_unit":"m"}`,
			`{"freq_mhz":2400,"dist_km":0.5}`},
		{"ohms_law", `{"voltage":500,"voltage_unit":"mV","resistance_ohm":10}`,
			`{"voltage_v":0.5,"resistance_ohm":10}`},
		{"led_resistor", `{"forward_voltage_v":2,"supply_voltage":12000,"supply_voltage_unit":"mV"}`,
			`{"forward_voltage_v":2,"supply_voltage_v":12}`},
		{"loan_amortization", `{"principal":1000,"annual_rate_pct":5,"term":30,"term_unit":"years"}`,
			`{"principal":1000,"annual_rate_pct":5,"term_years":30}`},
		{"p_value", `{"distribution":"z","statistic":2.1,"alternative":"greater"}`,
			`{"distribution":"z","statistic":2.1,"tail":"right"}`},
		{"test_grade", `{"correct":42,"total":50}`, `{"earned_points":42,"total_points":50}`},
		{"raid_iops", `{"raid_level":10,"drives":4}`, `{"raid_level":"raid10","drives":4}`},
		{"zfs_capacity", `{"raid_level":"raid5","drive_size_tb":4,"drives_per_vdev":6}`,
			`{"raid_level":"raidz1","drive_size_tb":4,"drives_per_vdev":6}`},
		// The MTU of a WireGuard interface is that of the tunnel.
		{"wireguard_mtu", `{"interface_mtu":1420}`, `{"interface_mtu":1420}`},
		// Impedances.
		{"impedance_match", `{"load":"25-j40","freq_mhz":915}`,
			`{"load_r_ohm":25,"load_x_ohm":-40,"freq_mhz":915}`},
		{"impedance_match", `{"load_r_ohm":"25 + 40j ohm","freq_mhz":915}`,
			`{"load_r_ohm":25,"load_x_ohm":40,"freq_mhz":915}`},
		{"impedance_match", `{"zl":{"r":25,"x":-40},"source":"50+j0","freq_mhz":915}`,
			`{"load_r_ohm":25,"load_x_ohm":-40,"source_r_ohm":50,"source_x_ohm":0,"freq_mhz":915}`},
		// The end of a text in another member.
		{"subnet_calculator", `{"network":"10.1.2.3","mask":"255.255.252.0"}`,
			`{"cidr":"10.1.2.3 255.255.252.0"}`},
		{"subnet_calculator", `{"cidr":"10.1.2.3","prefix_length":22}`, `{"cidr":"10.1.2.3/22"}`},
		{"subnet_calculator", `{"cidr":"10.1.2.3","mask":""}`, `{"cidr":"10.1.2.3","mask":""}`},
		// Fields that differ in unit: the unit of the value decides, then the first field.
		{"loan_amortization", `{"principal":1000,"annual_rate_pct":5,"term":"30 years"}`,
			`{"principal":1000,"annual_rate_pct":5,"term_years":30}`},
		{"bmi_calculator", `{"weight":"100 lb","height_cm":180}`,
			`{"weight_kg":45.359237,"height_cm":180}`},
		{"microstrip", `{"heightMm":0.2,"z0Ohm":75}`, `{"height_mm":0.2,"z0_ohm":75}`},
		// Names that state the unit, and quantities with one usual unit.
		{"watts_to_amps", `{"watts":1500,"volts":120,"pf":0.9,"phase":"single"}`,
			`{"power_w":1500,"voltage_v":120,"power_factor":0.9,"system":"single_phase"}`},
		{"led_resistor", `{"vs":12,"vf":3.2,"if_ma":20}`,
			`{"supply_voltage_v":12,"forward_voltage_v":3.2,"current_a":0.02}`},
		{"solar_load_audit", `{"appliances":{"fridge":{"watts":150,"duration":"8 h"}}}`, ``},
		{"solar_load_audit", `{"appliances":{"fridge":{"watts":150,"hours_per_day":8,"qty":2}}}`,
			`{"appliances":[{"name":"fridge","watts":150,"hours_per_day":8,"quantity":2}]}`},
	} {
		read, _, err := entry(t, c.tool).Interpreted([]byte(c.body))
		if ok := err == nil && c.want != "" && same(t, string(read), c.want); ok != (c.want != "") {
			t.Errorf("%s %s: %s %v", c.tool, c.body, read, err)
		}
	}
}

// TestUncertainNotations verifies that a value with several meanings is a proposal or an error. Its
// silent reading would be wrong by the factor 8, or in another field.
func TestUncertainNotations(t *testing.T) {
	for _, c := range []struct{ tool, body, message, corrected string }{
		{"tcp_throughput", `{"bandwidth_mbps":100,"rtt_ms":20,"window_kib":"64 Kb"}`,
			"the text has bits, not bytes; write 64 KB",
			`{"bandwidth_mbps":100,"rtt_ms":20,"window_kib":62.5}`}, // 64000/1024
		{"tcp_throughput", `{"bandwidth_mbps":100,"rtt_ms":20,"window_kib":"64 kb"}`,
			"the text has bits, not bytes; write 64 kB",
			`{"bandwidth_mbps":100,"rtt_ms":20,"window_kib":62.5}`},
		{"zfs_capacity", `{"raid_level":"raidz2","drives_per_vdev":8,"drive_size_tb":"16 Tb"}`,
			"the text has bits, not bytes; write 16 TB",
			`{"raid_level":"raidz2","drives_per_vdev":8,"drive_size_tb":16}`},
		{"tcp_throughput", `{"bandwidth_mbps":"12 MB","rtt_ms":20}`, `has "MB"`, "-"},
		{"raid_iops", `{"raid_level":"raid5","drives":4,"drive_type":"SSD"}`, "sata_ssd, nvme_ssd",
			`{"raid_level":"raid5","drives":4,"drive_type":"sata_ssd"}`},
		{"impedance_match", `{"load_impedance":200,"source_impedance":50,"freq_mhz":915}`,
			"was source_r_ohm meant", `{"load_r_ohm":200,"source_r_ohm":50,"freq_mhz":915}`},
		{"impedance_match", `{"load":"254j","freq_mhz":915}`, "got 0", "-"},
		{"impedance_match", `{"load_r_ohm":"25-j40","load_x_ohm":3,"freq_mhz":915}`,
			`got "25-j40"`, "-"},
		{"wire_ampacity", `{"awg":"10 AWG","insulation":"silk","conductors":4}`,
			"was current_carrying_conductors meant", `{"awg":"10 AWG","current_carrying_conductors":4}`},
		{"p_value", `{"z":1.96}`, "distribution: is required", "-"},
		{"confidence_interval", `{"successes":45,"n":100}`, "or kind proportion",
			`{"kind":"proportion","successes":45,"n":100}`},
		// The MTU of the link, or that of the tunnel.
		{"wireguard_mtu", `{"mtu":1420,"ip_version":6}`, "was link_mtu meant",
			`{"link_mtu":1420,"outer_ip":"ipv6"}`},
		// Mega for milli.
		{"battery_life", `{"capacity_mah":2500,"load_ma":"50 MA"}`,
			"has the prefix mega, not milli; write 50 mA", `{"capacity_mah":2500,"load_ma":50}`},
		{"led_resistor", `{"supply_voltage_v":5,"forward_voltage_v":2,"current_a":"20MA"}`,
			"write 20 mA", `{"supply_voltage_v":5,"forward_voltage_v":2,"current_a":0.02}`},
		{"led_resistor", `{"supply_voltage_v":5,"forward_voltage_v":2,"current_a":"2e1 MA"}`,
			"write 2e1 mA", `{"supply_voltage_v":5,"forward_voltage_v":2,"current_a":0.02}`},
		{"lc_resonance", `{"l_h":1e-3,"c_f":"10 MF"}`, "write 10 mF or 10 µF", "-"},
		{"lc_resonance", `{"l_h":"10 MH","c_f":1e-9}`, "write 10 mH",
			`{"l_h":0.01,"c_f":1e-9}`},
		// A nautical mile, and digits of a choice.
		{"fspl", `{"freq_mhz":915,"dist_km":"1 NM"}`, `has "NM"`, "-"},
		{"raid_iops", `{"raid_level":"raid5","drives":4,"drive_type":"7200 rpm"}`, "one of hdd_5400",
			`{"raid_level":"raid5","drives":4,"drive_type":"hdd_7200"}`},
		// Two numbers of an impedance.
		{"impedance_match", `{"load":[25,-40],"freq_mhz":145}`, "a list of 2 values",
			`{"load_r_ohm":25,"load_x_ohm":-40,"freq_mhz":145}`},
		// A name of two fields: the range decides, otherwise the caller does.
		{"loan_amortization", `{"principal":1000,"annual_rate_pct":5,"term":360}`,
			"was term_months meant",
			`{"principal":1000,"annual_rate_pct":5,"term_months":360}`},
		{"loan_amortization", `{"principal":1000,"annual_rate_pct":5,"term":30}`,
			"did you mean term_years or term_months?", ""},
		{"loan_amortization", `{"principal":1000,"annual_rate_pct":5,"n_payments":360}`,
			"give exactly one of term_years, term_months", ""},
		// A unit in a member of its own.
		{"fspl", `{"freq_mhz":915,"distance":5,"units":"furlongs"}`,
			"units: unknown; write the unit behind the number", ""},
		{"fspl", `{"frequency":915,"distance":5,"units":{"distance":"miles"}}`,
			"units: unknown; write the unit behind the number", ""},
		{"fspl", `{"frequency":915,"distance":5,"unit":"miles"}`,
			"was freq_mhz meant", `{"freq_mhz":915,"dist_km":8.04672}`},
		{"fspl", `{"freq_mhz":2.4,"freq_unit":"GHz","dist_km":1}`,
			"freq_mhz is in MHz by its name; was 2.4 GHz, 2400 MHz, meant?",
			`{"freq_mhz":2400,"dist_km":1}`},
		{"rc_filter", `{"r_kohm":1,"c_nf":100,"r_unit":"ohm"}`,
			"r_kohm is in kΩ by its name; was 1 ohm, 1 Ω, meant?", `{"r_ohm":1,"c_nf":100}`},
		// A word behind the unit has a meaning that the field may lack.
		{"battery_life", `{"capacity_mah":2000,"load_ma_peak":100}`, "was load_ma meant",
			`{"capacity_mah":2000,"load_ma":100}`},
		{"capacitor_charge",
			`{"r_ohm":10000,"c_uf":100,"supply_voltage_initial":5,"time_s":1}`,
			"was supply_v meant", `{"r_ohm":10000,"c_uf":100,"supply_v":5,"time_s":1}`},
		{"fspl", `{"freq_mhz":915,"dist_km":5,"unit":"miles"}`, "was 5 miles, 8.04672 km, meant?",
			`{"freq_mhz":915,"dist_km":8.04672}`},
		{"fspl", `{"freq_mhz":915,"dist_km":5,"tx_height_m":30,"rx_height_m":2,"units":"ft"}`,
			"units: unknown; write the unit behind the number", ""},
		{"cooling_btu", `{"it_load_w":3000,"square_feet":200}`, "was floor_area_m2 meant",
			`{"it_load_w":3000,"floor_area_m2":18.580608}`},
		// Inches are below 12, and an apostrophe may separate thousands.
		{"fspl", `{"freq_mhz":915,"dist_km":"1'000"}`, "separators between thousands",
			`{"freq_mhz":915,"dist_km":1000}`},
		{"bmi_calculator", `{"weight_kg":80,"height_cm":"5'12\""}`, `got "5'12\""`, "-"},
		{"salary_to_hourly", `{"amount":"75,000"}`, "could be 75000 or 75", `{"amount":75000}`},
		{"salary_to_hourly", `{"amount":"75,500k"}`, "could be 75500 or 75.5", "-"},
		{"salary_to_hourly", `{"amount":"-$1,250"}`, `got "-$1,250"`, "-"},
		{"subnet_calculator", `{"cidr":"10.1.2.3/24","mask":"255.255.0.0"}`, "", ""},
	} {
		_, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		in := tools.AsInputError(err)
		if c.message == "" {
			if err != nil {
				t.Errorf("%s %s: %v", c.tool, c.body, err)
			}
			continue
		}
		if in == nil || !strings.Contains(in.Error(), c.message) ||
			c.corrected == "" && in.Corrected != nil || c.corrected != "" &&
			c.corrected != "-" && !same(t, string(in.Corrected), c.corrected) {
			t.Errorf("%s %s: %+v", c.tool, c.body, in)
		}
	}
}

// TestWidthIsNoInput verifies that microstrip states how to find the impedance of a given width.
func TestWidthIsNoInput(t *testing.T) {
	for _, name := range []string{"width_mm", "trace_width"} {
		result, err := entry(t, "microstrip").RunInterpreted(t.Context(),
			[]byte(`{"height_mm":0.2,"`+name+`":0.35}`))
		if err != nil || !strings.Contains(string(result), "batch of mode solve") {
			t.Errorf("%s: %s %v", name, result, err)
		}
	}
}
