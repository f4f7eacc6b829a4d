package docgen

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/catalog"
	"slipstick/tools/schema"
)

// minFieldCases is the required number of cases of an optional field.
const minFieldCases = 3

// optionalFields are the fields that extend the specified ones of a tool. The inputs precede the
// bar and the results follow it. A list of objects is named with its members.
var optionalFields = []struct{ tool, names string }{
	{"battery_autonomy",
		"peukert_exponent rated_hours temperature_c | peukert_factor temperature_factor"},
	{"battery_charge_time", "temperature_c"},
	{"battery_life",
		"chemistry internal_resistance_ohm cutoff_v temperature_c | peak_current_ma " +
			"loaded_voltage_v peak_c_rate"},
	{"channel_utilization",
		"firmware_broadcasts symbol_time_ms hop_limit | broadcasts_per_hour_per_node"},
	{"compound_interest", "cash_flows cash_flows[].date cash_flows[].amount"},
	{"confidence_interval",
		"data2 paired successes2 n2 detect_difference power_pct target_margin | df_welch " +
			"required_n power_n"},
	{"duty_cycle_budget", "sub_band uplink_dwell_time"},
	{"fresnel_zone",
		"k_factor tx_height_m rx_height_m terrain terrain[].dist_km terrain[].height_m | " +
			"min_clearance_pct min_clearance_km profile profile[].dist_km profile[].ray_height_m " +
			"profile[].ground_m profile[].required_m"},
	{"fspl",
		"model tx_height_m rx_height_m environment obstacle_height_m obstacle_position_pct | " +
			"path_loss_db crossover_km diffraction_parameter"},
	{"generator_offset", "fuel_curve"},
	{"heatsink_cfd", "grid_check | grid_change_pct"},
	{"impedance_match",
		"network q inductor_q capacitor_q | solutions[].source_element " +
			"solutions[].source_element.type solutions[].source_element.reactance_ohm " +
			"solutions[].source_element.inductance_h solutions[].source_element.capacitance_f " +
			"solutions[].loss_db solutions[].smith solutions[].smith[].re solutions[].smith[].im"},
	{"led_resistor",
		"led_count supply_max_v forward_voltage_min_v resistor_tolerance_pct pwm_duty_pct " +
			"resistor_rating_w | max_series_count strings_needed last_string_leds max_current_ma " +
			"max_resistor_power_w average_current_ma resistor_load_pct"},
	{"link_budget",
		"tx_cable_loss_db rx_cable_loss_db polarization_loss_db pointing_loss_db " +
			"fade_margin_db tx_height_m rx_height_m rain_rate_mm_h rain_polarization cable_type " +
			"tx_cable_m rx_cable_m | margin_after_fading_db rain_loss_db radio_horizon_km " +
			"fresnel_clearance_pct tx_line_loss_db rx_line_loss_db"},
	{"loan_amortization",
		"day_count start_date fees amortization_years balloon accelerated | final_payment " +
			"apr_pct"},
	{"lora_param_optimizer", "sub_band"},
	{"lora_range_estimate",
		"fade_margin_db location_pct shadowing_db | planned_range_km hata_range_km"},
	{"meshnet_power", "overhead_bytes"},
	{"meshnet_range",
		"fade_margin_db location_pct shadowing_db | planned_range_km hata_range_km"},
	{"microstrip",
		"structure gap_mm height2_mm cover_mm mask_er pair_gap_mm loss_tangent roughness_um | " +
			"conductor_loss_db_m dielectric_loss_db_m z_even_ohm z_odd_ohm z_common_ohm"},
	{"op_amp_gain",
		"slew_rate_v_us freq_hz output_headroom_v input_offset_mv input_bias_na " +
			"noise_voltage_nv noise_current_pa source_ohm noise_bandwidth_hz | " +
			"full_power_bandwidth_hz required_slew_rate_v_us gain_at_freq_db output_offset_v " +
			"output_noise_nv noise_bandwidth_hz output_noise_uv"},
	{"p_value",
		"data null_mean data2 paired successes n successes2 n2 null_proportion table " +
			"table_columns | statistic df estimate standard_error exact_p"},
	{"pcb_thermal", "grid_check | grid_change_pct"},
	{"power_supply_decoupling",
		"dc_bias_loss_pct other_capacitors other_capacitors[].c_uf other_capacitors[].count " +
			"other_capacitors[].esr_mohm other_capacitors[].esl_nh | anti_resonance_hz " +
			"anti_resonance_ohm impedance impedance[].freq_hz impedance[].impedance_ohm"},
	{"raid_iops",
		"drive_size_tb rebuild_mb_s ure_rate | degraded_utilization_pct rebuild_time_h " +
			"rebuild_error_pct"},
	{"sales_tax", "rates[].stacked"},
	{"sig_figs",
		"uncertainty uncertainties uncertainty_figures | combined_uncertainty " +
			"with_uncertainty"},
	{"solar_roi", "replacement_cost peak_rate_per_kwh peak_share_pct replacement_year"},
	{"solar_sizing",
		"panel_voc_v temp_coeff_voc_pct_per_c min_temp_c controller_max_v controller_min_v " +
			"max_cell_temp_c battery_temperature_c monthly_sun_hours | panel_voc_cold_v " +
			"max_panels_in_series min_panels_in_series string_voc_cold_v temperature_factor " +
			"worst_month monthly_yield_wh"},
	{"string_sizing",
		"max_series_fuse_a parallel_strings bifacial_gain_pct | max_circuit_current_a " +
			"min_conductor_ampacity_a string_fuse_a string_fuse_required"},
	{"subnet_calculator",
		"hosts site_networks nibble_boundary | plan plan[].index plan[].hosts plan[].network " +
			"plan[].usable_hosts plan[].first_host plan[].last_host plan[].broadcast_address " +
			"plan_free_addresses ipv6_plan ipv6_plan[].index ipv6_plan[].networks_required " +
			"ipv6_plan[].prefix ipv6_plan[].networks ipv6_plan[].last_network ipv6_free_networks"},
	{"tcp_throughput",
		"tcp_options_bytes | autotuned autotuned[].system autotuned[].window_kib " +
			"autotuned[].throughput_mbps bbr_limit_mbps cubic_limit_mbps"},
	{"timer_555", "variant delay_ns discharge_ohm"},
	{"timestamp_converter",
		"zones leap_second | zones zones[].timezone zones[].iso_local zones[].utc_offset " +
			"zones[].difference_h zones[].is_dst zones[].weekday"},
	{"trace_width",
		"fusing_time_s | fusing_current_a fusing_current_steady_a ipc2152_width_mm " +
			"ipc2152_max_current_a ipc2152_temp_rise_c"},
	{"ups_runtime",
		"idle_w temperature_c discharge_table discharge_table[].minutes " +
			"discharge_table[].watts ups_capacity_w | temperature_factor runtime_end_of_life_min"},
	{"voltage_drop",
		"iec_method iec_insulation iec_group_size continuous | usable_ampacity_60c_a"},
	{"wire_ampacity",
		"cable_type area_mm2 iec_method iec_insulation iec_group_size conduit_type " +
			"conduit_conductors | usable_ampacity_a usable_ampacity_60c_a egc_awg protective_mm2 " +
			"conduit_size_in conduit_fill_pct"},
	{"wire_gauge",
		"cable_type iec_method iec_insulation iec_group_size | awg_60c_terminals ocpd_a " +
			"conductor_ampacity_a egc_awg iec_area_mm2 iec_capacity_a"},
	{"zfs_capacity",
		"resilver_mb_s extra_vdevs extra_vdevs[].raid_level extra_vdevs[].drive_size_tb " +
			"extra_vdevs[].drives_per_vdev extra_vdevs[].vdev_count | pool_usable_tib " +
			"resilver_time_h draid_rebuild_time_h special_vdev_gib"},
}

// TestOptionalFields verifies that every optional field has at least three cases. A case of a
// result field names it in the expectation. A case of an input field sets it and expects a result,
// not a warning alone. TestAccuracyPage compares the same cases with docs/accuracy.md.
func TestOptionalFields(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fieldCoverage(t, c) {
		if len(f.cases) < minFieldCases {
			t.Errorf("%s: %s has %d cases, want %d: %q", f.tool, f.path, len(f.cases),
				minFieldCases, f.cases)
		}
	}
}

// coverage lists the cases of an optional field.
type coverage struct {
	tool, path string
	cases      []string // names of the cases, each of which states its source
}

// source returns the name of a case of the field. It prefers a case that names a published source
// to a recomputed one.
func (f coverage) source() string {
	for _, name := range f.cases {
		if named.MatchString(name) && !recomputed.MatchString(name) {
			return name
		}
	}
	return f.cases[0]
}

var (
	// recomputed matches the names of cases whose expected numbers were computed for the test.
	recomputed = regexp.MustCompile(`by hand|in Python|^the same`)
	// named matches the name of a person, a company, a standard or a site.
	named = regexp.MustCompile(`[A-Z][a-zA-Z]+[ ,:-]|[a-z]\.(com|org|net|services|de)|[A-Z]{2}`)
)

// fieldTable returns the table of the optional fields in docs/accuracy.md.
func fieldTable(list []coverage) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "| `%s` | `%s` | %d | %s |\n", f.tool, f.path, len(f.cases),
			strings.ReplaceAll(f.source(), "|", "\\|"))
	}
	return b.String()
}

// fieldCoverage counts the cases of the optional fields: worked examples, published problems and
// the tables of the tests.
func fieldCoverage(t *testing.T, c *tools.Catalog) (list []coverage) {
	t.Helper()
	cases := tableCases(t, c)
	for _, p := range slices.Concat(problems, rfProblems, meshProblems, homelabProblems) {
		want := fmt.Sprintf(`{%q: 0}`, p.field)
		cases[p.tool] = append(cases[p.tool], fieldCase{p.source, paths(p.in), paths(want)})
	}
	for _, row := range optionalFields {
		e, err := c.Find(row.tool)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range e.Examples {
			from := x.From
			if from == "" {
				from = x.Title
			}
			cases[row.tool] = append(cases[row.tool], fieldCase{from, paths(x.In), paths(x.Want)})
		}
		inputs, results, _ := strings.Cut(row.names, "|")
		for i, names := range []string{inputs, results} {
			for path := range strings.FieldsSeq(names) {
				f := coverage{tool: row.tool, path: path}
				for _, x := range cases[row.tool] {
					if i == 0 && x.in[path] && x.computes() || i == 1 && x.want[path] {
						f.cases = append(f.cases, x.source)
					}
				}
				list = append(list, f)
			}
		}
	}
	return list
}

// fieldCase is a case with the fields that it names.
type fieldCase struct {
	source   string
	in, want map[string]bool
}

// computes reports whether the case expects a result other than a warning.
func (x fieldCase) computes() bool {
	return len(x.want) > 1 || len(x.want) == 1 && !x.want["warnings"]
}

// tableCases reads the tables of tooltest.Cases in the tests of the tools.
func tableCases(t *testing.T, c *tools.Catalog) map[string][]fieldCase {
	t.Helper()
	tool := map[string]string{} // tool by its name without underscores
	for _, e := range c.All() {
		tool[strings.ReplaceAll(e.Name, "_", "")] = e.Name
	}
	folders, err := filepath.Glob(filepath.Join("..", "*"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]fieldCase{}
	for _, folder := range folders {
		tests, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range tests {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		constants := stringConstants(files)
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 3 {
					return true
				}
				function, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || function.Sel.Name != "Cases" {
					return true
				}
				subject, _ := call.Args[1].(*ast.Ident)
				table, _ := call.Args[2].(*ast.CompositeLit)
				if subject == nil || table == nil {
					return true
				}
				name, ok := tool[strings.ToLower(subject.Name)]
				if !ok { // the tool is not in the catalog
					return true
				}
				for _, element := range table.Elts {
					var text []string
					for _, part := range element.(*ast.CompositeLit).Elts {
						text = append(text, stringValue(part, constants))
					}
					if len(text) == 3 {
						cases[name] = append(cases[name],
							fieldCase{text[0], paths(text[1]), paths(text[2])})
					}
				}
				return true
			})
		}
	}
	return cases
}

// stringConstants returns the constant strings of a package by name.
func stringConstants(files []*ast.File) map[string]string {
	constants := map[string]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
				for i, name := range spec.Names {
					constants[name.Name] = stringValue(spec.Values[i], constants)
				}
			}
			return true
		})
	}
	return constants
}

// stringValue returns the text of a literal, a constant or a concatenation of them; "" for other
// expressions.
func stringValue(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.Ident:
		return constants[e.Name]
	case *ast.BinaryExpr:
		return stringValue(e.X, constants) + stringValue(e.Y, constants)
	}
	return ""
}

// paths returns the fields of a JSON text that have a value. An element of a list has the path
// list[].member.
func paths(text string) map[string]bool {
	found := map[string]bool{}
	var walk func(prefix string, value any)
	walk = func(prefix string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, member := range value {
				path := strings.TrimPrefix(prefix+"."+name, ".")
				if member != nil {
					found[path] = true
				}
				walk(path, member)
			}
		case []any:
			for _, element := range value {
				walk(prefix+"[]", element)
			}
		}
	}
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		walk("", value)
	}
	return found
}

// TestLiteralTypes compares the types that the documentation states for fields with their own
// decoder with the values that the fields accept.
func TestLiteralTypes(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	literals, texts := 0, []string{`"125"`, `"12"`, `"1/3"`, `"e"`, `"10'"`}
	for _, e := range c.All() {
		stated := map[string]string{}
		for _, f := range Fields(e.Input) {
			stated[f.Path] = f.Type
		}
		for _, f := range e.Input.Fields {
			if f.Kind != schema.CustomT {
				continue
			}
			literals++
			text := slices.ContainsFunc(texts, func(s string) bool {
				return f.Accepts([]byte(s))
			})
			types := strings.Split(strings.TrimSuffix(stated[f.Name], " or null"), " or ")
			if slices.Contains(types, "string") != text {
				t.Errorf("%s.%s is documented as %s, and accepts a string: %v", e.Name, f.Name,
					stated[f.Name], text)
			}
			if !f.Accepts([]byte("12")) || !slices.Contains(types, "number") &&
				!slices.Contains(types, "integer") {
				t.Errorf("%s.%s is documented as %s, and accepts 12: %v", e.Name, f.Name,
					stated[f.Name], f.Accepts([]byte("12")))
			}
		}
	}
	if literals == 0 {
		t.Error("no field has its own decoder")
	}
}
