package tools_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

// entry returns a tool of the whole catalog.
func entry(t testing.TB, name string) *tools.Entry {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestInterpretLeaves verifies that Interpret returns false for valid inputs, which need no change,
// and for inputs that it cannot correct.
func TestInterpretLeaves(t *testing.T) {
	e := entry(t, "fspl")
	for _, body := range []string{
		`{"freq_mhz":915,"dist_km":5}`, `{}`, `null`, `[]`, `5`, `{`,
		`{"freq_mhz":"abc","dist_km":5}`,
		`{"freq_mhz":true,"dist_km":5}`, `{"freq_mhz":"5 mHz or so","dist_km":5}`,
	} {
		if i, ok := e.Interpret([]byte(body)); ok {
			t.Errorf("%s: %s %q", body, i.Input, i.Notes)
		}
	}
}

// TestUnitsDifferInCase verifies that the letter case distinguishes milliwatts from megawatts.
func TestUnitsDifferInCase(t *testing.T) {
	e := entry(t, "ohms_law")
	for text, want := range map[string]string{"5 mW": "0.005", "5 MW": "5e+06", "5 mw": "0.005",
		"5 w": "5", "5 W": "5", "5 MWatt": "5e+06", "5 Mwatts": "5e+06", "5 mWatt": "0.005",
		"5 milliwatts": "0.005", "5 KILOWATT": "5000",
		"5 UWATT": "5e-06"} {
		i, ok := e.Interpret([]byte(`{"voltage_v":5,"power_w":"` + text + `"}`))
		if !ok || !strings.Contains(string(i.Input), `"power_w":`+want+`,`) {
			t.Errorf("%s: %t %s", text, ok, i.Input)
		}
	}
}

// TestMegaOfKilo verifies that mw in a name does not mean milliwatts for a field in kW.
func TestMegaOfKilo(t *testing.T) {
	e := entry(t, "generator_offset")
	const rest = `,"total_daily_kwh":20,"solar_daily_kwh":12}`
	if i, ok := e.Interpret([]byte(`{"generator_kw":10` + rest)); ok {
		t.Fatalf("valid, but read as %s", i.Input)
	}
	if _, err := e.Canonical([]byte(`{"generator_kw":10` + rest)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"generator_mw": "", "generator_MW": `"generator_kw":2000,`,
		"generator_w": `"generator_kw":0.002,`,
	} {
		i, ok := e.Interpret([]byte(`{"` + name + `":2` + rest))
		if ok != (want != "") || !strings.Contains(string(i.Input), want) {
			t.Errorf("%s: %t %s", name, ok, i.Input)
		}
	}
}

// TestPowerIsNoFactor verifies that the unknown field power is not read as power_factor, a
// dimensionless field, if the input is otherwise valid.
func TestPowerIsNoFactor(t *testing.T) {
	const body = `{"voltage_v":12,"current_a":5,"length_m":3,"power":0.5}`
	e := entry(t, "voltage_drop")
	if _, err := e.Canonical([]byte(body)); err != nil {
		t.Fatal(err)
	}
	read, notes, err := e.Interpreted([]byte(body))
	if err != nil || len(notes) > 0 || string(read) != body {
		t.Errorf("%s %q %v", read, notes, err)
	}
}

// TestOneValueIsNoList verifies that a misnamed value is read as a top-level field, although a
// table has a column of that name. The table needs at least two rows, which a single value cannot
// fill.
func TestOneValueIsNoList(t *testing.T) {
	i, ok := entry(t, "ups_runtime").Interpret(
		[]byte(`{"watts":200,"battery_voltage_v":12,"battery_ah":7}`))
	if !ok || i.Sure || !strings.Contains(string(i.Input), `"load_w":200`) {
		t.Errorf("%t %t %s", ok, i.Sure, i.Input)
	}
}

// TestGuessesAreNotRun verifies that RunInterpreted proposes a positive value for a negative one
// without running it, and keeps the field errors. It also verifies that Run itself accepts no
// units.
func TestGuessesAreNotRun(t *testing.T) {
	e := entry(t, "fspl")
	_, err := e.RunInterpreted(t.Context(), []byte(`{"freq_mhz":-915,"dist_km":5}`))
	in := tools.AsInputError(err)
	if in == nil || len(in.Fields) != 1 || string(in.Corrected) != `{"dist_km":5,"freq_mhz":915}` {
		t.Errorf("%+v", in)
	}
	if _, err := e.Run(t.Context(), []byte(`{"freq_mhz":"915 MHz","dist_km":5}`)); err == nil {
		t.Error("Run reads texts")
	}
}

// TestUnitOfNameIsNoName verifies a name with a unit, such as supply_v. It is not read as the only
// required field of the unit while another field has its words.
func TestUnitOfNameIsNoName(t *testing.T) {
	e := entry(t, "led_resistor")
	const want = `{"forward_voltage_v":2,"supply_voltage_v":5}`
	for _, body := range []string{
		`{"supply_v":5,"forward_v":2}`, `{"led_v":2,"supply_v":5}`, `{"led_v":2,"supply":5}`,
		`{"supply_voltage_v":5,"led_v":2}`, `{"volts":5,"forward_voltage_v":2}`,
	} {
		if i, ok := e.Interpret([]byte(body)); !ok || string(i.Input) != want {
			t.Errorf("%s: %t %s %q", body, ok, i.Input, i.Notes)
		}
	}
}

// TestDisksAreDrives verifies that disk and drive mean the same in names.
func TestDisksAreDrives(t *testing.T) {
	i, ok := entry(t, "raid_iops").Interpret(
		[]byte(`{"raid_level":"raid5","disks":8,"iops_per_disk":180,"disk_size_tb":4}`))
	want := `{"drive_iops":180,"drive_size_tb":4,"drives":8,"raid_level":"raid5"}`
	if !ok || string(i.Input) != want {
		t.Errorf("%t %s %q", ok, i.Input, i.Notes)
	}
}

// TestSecondTextIsNoGuess verifies that the remaining one of two unknown texts is not read as the
// missing field: a netmask is no network.
func TestSecondTextIsNoGuess(t *testing.T) {
	_, err := entry(t, "subnet_calculator").RunInterpreted(t.Context(),
		[]byte(`{"ip":"10.0.0.5","mask":"255.255.255.0"}`))
	in := tools.AsInputError(err)
	if in == nil || strings.Contains(string(in.Corrected), "255.255.255.0") {
		t.Errorf("%v: %s", in, in.Corrected)
	}
}

// TestAssumedValuesAreNamed verifies that the advice of an error names every value that comes from
// an example. A second example may complete the input for a rule.
func TestAssumedValuesAreNamed(t *testing.T) {
	_, err := entry(t, "led_resistor").RunInterpreted(t.Context(), []byte(`{"i_ma":20}`))
	in := tools.AsInputError(err)
	if in == nil || !slices.Equal(in.Assumed, []string{"supply_voltage_v", "forward_voltage_v"}) {
		t.Errorf("%v: %q, %s", in, in.Assumed, in.Corrected)
	}
}

// TestHoursAreNoSeconds verifies that no value out of range is proposed as a number of seconds.
func TestHoursAreNoSeconds(t *testing.T) {
	_, err := entry(t, "power_cost").RunInterpreted(t.Context(),
		[]byte(`{"power_w":100,"hours_per_day":25}`))
	if in := tools.AsInputError(err); in == nil || strings.Contains(string(in.Corrected), "hours") {
		t.Errorf("%v: %s", in, in.Corrected)
	}
}

// TestTextOfMoneyHasNoUnit verifies that the note about an amount as text names no unit.
func TestTextOfMoneyHasNoUnit(t *testing.T) {
	i, ok := entry(t, "tip_calculator").Interpret([]byte(`{"bill_amount":"84.50"}`))
	if !ok || !slices.Equal(i.Notes, []string{`bill_amount: "84.50" is read as 84.5`}) {
		t.Errorf("%t %q", ok, i.Notes)
	}
}

// TestExamplesAddNamedFieldsOnly verifies that the proposed input of a violated rule has the values
// of the caller. It adds the fewest values of fields that the error names, and keeps the mode.
func TestExamplesAddNamedFieldsOnly(t *testing.T) {
	for _, c := range []struct{ tool, body, want string }{
		{"timer_555", `{"freq_hz":1000,"duty_pct":50}`,
			`{"diode":true,"duty_pct":50,"freq_hz":1000}`},
		{"lora_param_optimizer", `{"target_range_km":5,"min_tx_power_dbm":25}`,
			`{"max_tx_power_dbm":27,"min_tx_power_dbm":25,"target_range_km":5}`},
		{"impedance_match", `{"freq_mhz":10,"load_r_ohm":50,"network":"tee"}`,
			`{"freq_mhz":10,"load_r_ohm":50,"network":"tee","q":9.3687}`},
		{"impedance_match", `{"freq_mhz":10,"rl_ohm":50,"network":"tee"}`,
			`{"freq_mhz":10,"load_r_ohm":50,"network":"tee","q":9.3687}`},
		{"log_calc", `{"value":-1}`, ""},
		{"circumference", `{"radius":1,"diameter":2}`, ""},
		{"confidence_interval", `{"mean":5,"data":[1,2,3]}`, ""},
		{"ups_runtime", `{"load_w":5000,"battery_voltage_v":12,"battery_ah":250,` +
			`"discharge_table":[{"minutes":10,"watts":3000},{"minutes":60,"watts":900}]}`, ""},
	} {
		_, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		in := tools.AsInputError(err)
		if in == nil || string(in.Corrected) != c.want {
			t.Errorf("%s %s: %v, %s, want %s", c.tool, c.body, err, in.Corrected, c.want)
		}
	}
}

// TestInterpretKeepsValues verifies that members of a nested object never replace a value of the
// enclosing object or each other.
func TestInterpretKeepsValues(t *testing.T) {
	e := entry(t, "fspl")
	for _, body := range []string{
		`{"freq_mhz":"1","radio":{"dist_km":1,"freqMhz":2}}`,
		`{"freq_mhz":"1","radio":{"dist_km":1,"distKm":2}}`,
	} {
		if read, notes, err := e.Interpreted([]byte(body)); err == nil {
			t.Errorf("%s is read as %s %q", body, read, notes)
		}
	}
}

// TestInterpretCountsChanges verifies that the notes state the number of omitted changes.
func TestInterpretCountsChanges(t *testing.T) {
	body := `{"data":[` + strings.TrimSuffix(strings.Repeat(`"1",`, 50), ",") + `]}`
	i, ok := entry(t, "confidence_interval").Interpret([]byte(body))
	if !ok || len(i.Notes) != 21 || i.Notes[20] != "input: 30 more changes are not listed" {
		t.Errorf("%t %d %q", ok, len(i.Notes), i.Notes)
	}
}

// TestInterpretIsBounded verifies that large and deeply nested inputs are not interpreted, and that
// allocations are bounded for an input with thousands of unknown members.
func TestInterpretIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"freq_mhz":"x"`)
	for i := range 12_000 {
		b.WriteString(`,"unknown_` + strings.Repeat("y", i%9) + json.Number(strings.Repeat("7",
			1+i%5)).String() + `":1`)
	}
	b.WriteString("}")
	if _, ok := entry(t, "fspl").Interpret([]byte(b.String())); ok {
		t.Error("read")
	}
	long := `{"data":["` + strings.Repeat(`a","`, 20_000) + `1"]}`
	if _, ok := entry(t, "confidence_interval").Interpret([]byte(long)); ok {
		t.Error("read")
	}
	// The input has many objects with few unknown members each.
	part := `{"ref":"R1","footprint":"R_0805","aa_mw":1,"bb_ghz":1,"cc_mohm":1,"dd":1}`
	many := `{"name":"b","nets":[],"components":[` + strings.Repeat(part+",", 3000) + part + `]}`
	layout := entry(t, "pcb_layout")
	allocations := testing.AllocsPerRun(1, func() { _, _ = layout.Interpret([]byte(many)) })
	if allocations > 8e5 {
		t.Errorf("%.0f allocations", allocations)
	}
	// Each unit could belong to each number.
	b.Reset()
	for i := range 1500 {
		fmt.Fprintf(&b, `"a%d":1,"a%d_unit":"mi",`, i, i)
	}
	units := []byte(`{` + b.String() + `"freq_mhz":"1 MHz","dist_km":"1 km"}`)
	fspl := entry(t, "fspl")
	allocations = testing.AllocsPerRun(1, func() { _, _ = fspl.Interpret(units) })
	if allocations > 8e5 {
		t.Errorf("%.0f allocations with units in members of their own", allocations)
	}
	deep := strings.Repeat(`{"input":`, 3000) + `{}` + strings.Repeat("}", 3000)
	if _, ok := entry(t, "fspl").Interpret([]byte(deep)); ok {
		t.Error("read")
	}
}

// FuzzInterpret verifies that an interpretation is valid for its tool and lists its changes.
func FuzzInterpret(f *testing.F) {
	for _, s := range []string{
		`{"freq_mhz":"915 MHz","dist_km":"5k"}`, `{"input":{"freq_mhz":[915],"dist":5}}`,
		`[1,2]`, `"{}"`,
		`{"stages":{"nf_db":"2","gain_db":"10dB"}}`,
		`{"payload_bytes":"20","sf":"SF10","crc":"yes"}`,
		`{"template":"Low Pass RC","r_ohms":"1k"}`, `{"freq_mhz":-1,"dist_km":"1,500"}`,
	} {
		f.Add(s)
	}
	var entries []*tools.Entry
	for _, name := range []string{"fspl", "noise_figure_cascade", "lora_airtime", "spice_template",
		"pcb_layout"} {
		entries = append(entries, entry(f, name))
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, e := range entries {
			i, ok := e.Interpret([]byte(body))
			if !ok {
				continue
			}
			if _, err := e.Canonical(i.Input); err != nil || len(i.Notes) == 0 {
				t.Errorf("%s: %s: %v, %q", e.Name, i.Input, err, i.Notes)
			}
		}
	})
}

// TestFractionsOfPercentages verifies the warning on a percentage that is written as a fraction.
func TestFractionsOfPercentages(t *testing.T) {
	for _, c := range []struct{ tool, field, value, percent string }{
		{"battery_autonomy", "depth_of_discharge_pct", "0.8", "80"},
		{"solar_sizing", "depth_of_discharge_pct", "0.5", "50"},
		{"solar_sizing", "battery_efficiency_pct", "0.85", "85"},
		{"battery_charge_time", "efficiency_pct", "0.85", "85"},
		{"battery_charge_time", "cc_end_soc_pct", "0.8", "80"},
		{"power_supply_decoupling", "ripple_pct", "0.05", "5"},
		{"solar_roi", "discount_rate_pct", "0.05", "5"},
		{"timer_555", "duty_pct", "0.6", "60"},
	} {
		body := fmt.Sprintf(`{"%s": %s}`, c.field, c.value)
		want := fmt.Sprintf(`send "%s": %s`, c.field, c.percent)
		warnings := entry(t, c.tool).Implausible([]byte(body))
		if len(warnings) != 1 || !strings.HasSuffix(warnings[0], want) {
			t.Errorf("%s %s: %q", c.tool, body, warnings)
		}
	}
	if w := entry(t, "solar_roi").Implausible([]byte(`{"discount_rate_pct": 0.5}`)); w != nil {
		t.Errorf("half a percent: %q", w)
	}
}

// TestGuessesKeepCertainNames verifies that an unknown field of a valid input is an error if its
// meaning is a guess. The input would otherwise take the default. The corrected input contains the
// certain changes too. In the last input the guess violates a rule, and the field is ignored.
func TestGuessesKeepCertainNames(t *testing.T) {
	for _, c := range []struct{ tool, body, corrected string }{
		{"microstrip", `{"height_mm":0.2,"frequency_ghz":5.8,"z0":75}`,
			`{"freq_mhz":5800,"height_mm":0.2,"z0_ohm":75}`},
		{"lora_airtime", `{"payload_bytes":20,"spreading_factor":12,"preamble":16}`,
			`{"payload_bytes":20,"preamble_symbols":16,"sf":12}`},
		{"lora_airtime", `{"payload_bytes":20,"sf":12,"bw_hz":250000,"coding_rate":"8/9"}`,
			`{"bw_khz":250,"cr":8,"payload_bytes":20,"sf":12}`},
		{"trace_width", `{"current_a":2,"temp_rise":20}`, `{"current_a":2,"temp_rise_c":20}`},
		{"link_budget", `{"tx_dbm":14,"freq_mhz":868,"dist_km":2,"rx_sensitivity":-130}`,
			`{"dist_km":2,"freq_mhz":868,"rx_sensitivity_dbm":-130,"tx_dbm":14}`},
		{"spice_simulate", `{"netlist":"rc\nV1 a 0 1\nR1 a 0 1\n.op\n.end","points":200}`,
			`{"netlist":"rc\nV1 a 0 1\nR1 a 0 1\n.op\n.end","points_max":200}`},
		{"dipole", `{"freq_mhz":915,"vf":0.95}`, `{"freq_mhz":915,"velocity_factor":0.95}`},
		{"power_cost", `{"power_w":500,"rate":0.12}`, `{"power_w":500,"price_per_kwh":0.12}`},
		{"lora_sensitivity", `{"sf":7,"NF":"6 dB"}`, `{"noise_figure_db":6,"sf":7}`},
		{"ohms_law", `{"voltage_v":5,"current_a":1,"resistance":3}`, ""},
	} {
		e := entry(t, c.tool)
		var result json.RawMessage
		var err error
		if e.Heavy != nil {
			_, _, err = e.Interpreted([]byte(c.body))
		} else {
			result, err = e.RunInterpreted(t.Context(), []byte(c.body))
		}
		if c.corrected == "" { // 5 V/1 A
			if err != nil || !strings.Contains(string(result), `"resistance_ohm":5,`) ||
				!strings.Contains(string(result), `unknown field \"resistance\"`) {
				t.Errorf("%s %s: %s %v", c.tool, c.body, result, err)
			}
			continue
		}
		in := tools.AsInputError(err)
		if in == nil || len(in.Fields) == 0 || string(in.Corrected) != c.corrected {
			t.Errorf("%s %s: %v, %+v", c.tool, c.body, err, in)
		}
	}
}

// TestAbbreviationsOfNames verifies that usual abbreviations of a word are certain.
func TestAbbreviationsOfNames(t *testing.T) {
	for _, c := range []struct{ tool, body, want string }{
		{"timestamp_converter", `{"value":1709210096,"tz":"Europe/Berlin"}`,
			`{"timezone":"Europe/Berlin","value":1709210096}`},
		{"solar_load_audit", `{"appliances":[{"watts":5,"hours_per_day":2,"qty":4}]}`,
			`{"appliances":[{"hours_per_day":2,"quantity":4,"watts":5}]}`},
	} {
		read, _, err := entry(t, c.tool).Interpreted([]byte(c.body))
		if err != nil || string(read) != c.want {
			t.Errorf("%s %s: %s %v", c.tool, c.body, read, err)
		}
	}
}

// TestIncompleteEntries verifies that a value moves into no optional entry that would lack a
// required field: the amount of a loan is no extra payment.
func TestIncompleteEntries(t *testing.T) {
	const rest = `,"annual_rate_pct":5,"term_years":30`
	e := entry(t, "loan_amortization")
	for _, amount := range []string{`"$250,000"`, `250000`} {
		i, _ := e.Interpret([]byte(`{"amount":` + amount + rest + `}`))
		if strings.Contains(string(i.Input), "extra") {
			t.Errorf("%s %q", i.Input, i.Notes)
		}
		_, err := e.RunInterpreted(t.Context(), []byte(`{"amount":`+amount+rest+`}`))
		if err != nil { // the amount of a loan is its principal
			t.Errorf("%s: %v", amount, err)
		}
	}
	i, ok := e.Interpret([]byte(`{"principal":250000,"amount":100,"period":3` + rest + `}`))
	if !ok || !i.Sure || !strings.Contains(string(i.Input),
		`"extra_payments":[{"amount":100,"period":3}]`) {
		t.Errorf("%t %s %q", ok, i.Input, i.Notes)
	}
}

// TestChainsNameFields verifies that a value with the name of another tool's result is read as the
// input that the chain graph links to it. A passed-on result must have no unknown fields.
func TestChainsNameFields(t *testing.T) {
	const link = `{"tx_dbm":14,"freq_mhz":868,"dist_km":2`
	for _, c := range []struct{ tool, body, same string }{
		{"link_budget", link + `,"sensitivity_dbm":-137}`, link + `,"rx_sensitivity_dbm":-137}`},
		{"link_budget", link + `,"total_nf_db":3,"bandwidth_khz":125}`,
			link + `,"noise_figure_db":3,"bandwidth_khz":125}`},
		{"lora_range_estimate", `{"sensitivity_dbm":-137}`, `{"rx_sensitivity_dbm":-137}`},
	} {
		e := entry(t, c.tool)
		read, notes, err := e.Interpreted([]byte(c.body))
		got, _ := e.Canonical(read)
		want, wrong := e.Canonical([]byte(c.same))
		if err != nil || wrong != nil || len(notes) != 1 || string(got) != string(want) {
			t.Errorf("%s: %s %q %v", c.body, read, notes, err)
		}
	}
	result, err := entry(t, "lora_sensitivity").Run(t.Context(), []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	body := link + "," + string(result[1:])
	passed, err := entry(t, "link_budget").RunInterpreted(t.Context(), []byte(body))
	if err != nil || strings.Contains(string(passed), "unknown") ||
		strings.Contains(string(passed), `"margin_db":null`) {
		t.Errorf("%s: %s %v", body, passed, err)
	}
}

// TestPassedOnResults verifies that a result of fspl passes on its path loss, not its free-space
// loss. Values beside a result must replace no value of the caller. By hand: the loss over plane
// earth is 40·log10(5000) - 20·log10(10·1.5) = 124.437 dB, and 14 - 124.437 dB + 2·2.15 dBi of
// antennas is -106.137 dBm.
func TestPassedOnResults(t *testing.T) {
	result, err := entry(t, "fspl").Run(t.Context(), []byte(
		`{"freq_mhz":915,"dist_km":5,"model":"two_ray","tx_height_m":10,"rx_height_m":1.5}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"", `"model":"two_ray",`} {
		body := `{"tx_dbm":14,"freq_mhz":915,"dist_km":5,` + more + string(result[1:])
		passed, err := entry(t, "link_budget").RunInterpreted(t.Context(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			LossDB   float64 `json:"fspl_db"`
			RxDBm    float64 `json:"rx_power_dbm"`
			Warnings []string
		}
		if err := json.Unmarshal(passed, &out); err != nil {
			t.Fatal(err)
		}
		warnings := strings.Join(out.Warnings, "\n")
		if math.Abs(out.LossDB-124.437) > 0.001 || math.Abs(out.RxDBm+106.137) > 0.001 ||
			!strings.Contains(warnings, "path_loss_db: read as fspl_db") ||
			!strings.Contains(warnings, "other fields of a passed-on result are left out") {
			t.Errorf("%s: %s", body, passed)
		}
	}
	// The caller's sensitivity stays, and that of the result is named as unknown.
	body := `{"tx_dbm":14,"freq_mhz":868,"dist_km":2,"rx_sensitivity_dbm":-120,` +
		`"sensitivity_dbm":-137,"warnings":[]}`
	passed, err := entry(t, "link_budget").RunInterpreted(t.Context(), []byte(body))
	if err != nil || !strings.Contains(string(passed), `unknown field \"sensitivity_dbm\"`) {
		t.Errorf("%s: %s %v", body, passed, err)
	}
}

// TestLinksByUnitAreGuesses verifies that a link whose fields share unit and quantity only is a
// proposal without the warnings of a result. A voltage may be that of the LED.
func TestLinksByUnitAreGuesses(t *testing.T) {
	e := entry(t, "led_resistor")
	body := `{"voltage_v":5,"forward_voltage_v":2,"current_a":0.02`
	i, ok := e.Interpret([]byte(body + "}"))
	if !ok || i.Sure || !strings.Contains(string(i.Input), `"supply_voltage_v":5`) {
		t.Errorf("%t %+v", ok, i)
	}
	i, ok = e.Interpret([]byte(body + `,"warnings":[]}`))
	if !ok || !i.Sure || !strings.Contains(string(i.Input), `"supply_voltage_v":5`) {
		t.Errorf("result: %t %+v", ok, i)
	}
}

// TestWordsOfTheField verifies the synonyms of enum values. A misspelt word is proposed only where
// it has a single meaning: ac is not dc, and RAID 01 is not RAID 0.
func TestWordsOfTheField(t *testing.T) {
	for _, c := range []struct{ tool, field, word, want string }{
		{"wire_gauge", "material", "Cu", "copper"}, {"wire_gauge", "material", "al", "aluminum"},
		{"wire_gauge", "system", "3ph", "three_phase"}, {"wire_gauge", "system", "ac", ""},
		{"trace_width", "layer", "inner", "internal"},
		{"trace_width", "layer", "outer", "external"},
		{"eirp_compliance", "region", "FCC", "FCC_US"},
		{"eirp_compliance", "region", "ETSI", "ETSI_EU"},
		{"battery_charge_time", "chemistry", "LFP", "lifepo4"},
		{"battery_charge_time", "chemistry", "SLA", "lead_acid"},
		{"ups_runtime", "battery_type", "LFP", "lithium"},
		{"rc_filter", "filter_type", "hp", "high_pass"},
		{"raid_iops", "raid_level", "raidz", "raidz1"}, {"raid_iops", "raid_level", "raid01", ""},
		{"salary_to_hourly", "period", "bi-weekly", "biweek"},
		{"salary_to_hourly", "period", "bimonthly", ""},
		{"dipole", "type", "full_wave", ""}, {"timer_555", "mode", "bistable", ""},
		{"microstrip", "structure", "embedded microstrip", "embedded"},
		{"microstrip", "structure", "cpw", ""}, {"meshnet_power", "role", "router_client", ""},
		{"wire_gauge", "material", "coper", "copper?"},
		{"dipole", "type", "haf_wave", "half_wave?"},
		{"lora_range_estimate", "terrain", "surburban", "suburban?"},
	} {
		field := entry(t, c.tool).Input.Field(c.field)
		i, ok := tools.InterpretAs(&field.Node, []byte(`"`+c.word+`"`))
		word, guess := strings.CutSuffix(c.want, "?")
		if ok != (c.want != "") || ok && (i.Sure == guess || string(i.Input) != `"`+word+`"`) {
			t.Errorf("%s %s %q: %t %t %s", c.tool, c.field, c.word, ok, i.Sure, i.Input)
		}
	}
}

// TestWrittenQuantities verifies units and marks beside numbers. One horsepower is 550 ft lbf/s,
// 745.69987158227 W; a dipole has 2.15 dBi.
func TestWrittenQuantities(t *testing.T) {
	for _, c := range []struct{ tool, body, want string }{
		{"watts_to_amps", `{"power_w":"5 hp","voltage_v":240}`, `"power_w":3728.49935791135`},
		{"watts_to_amps", `{"power_hp":5,"voltage_v":240}`, `"power_w":3728.49935791135`},
		{"watts_to_amps", `{"power_w":9,"voltage_v":"230 Vrms"}`, `"voltage_v":230`},
		{"watts_to_amps", `{"power_w":9,"voltage_v":"230 VAC"}`, `"voltage_v":230`},
		{"watts_to_amps", `{"power_w":9,"voltage_v":"12V DC"}`, `"voltage_v":12`},
		{"watts_to_amps", `{"power_w":9,"voltage_v":"3V3"}`, `"voltage_v":3.3`},
		{"watts_to_amps", `{"power_w":9,"voltage_v":"325 Vpp"}`, ""},
		{"link_budget", `{"tx_dbm":9,"freq_mhz":9,"dist_km":9,"tx_gain_dbi":"3 dBd"}`,
			`"tx_gain_dbi":5.15`},
		{"tcp_throughput", `{"bandwidth_mbps":"2500 mbps","rtt_ms":20}`, `"bandwidth_mbps":2500`},
		{"tcp_throughput", `{"bandwidth_mbps":9,"rtt_ms":9,"window_kib":"64K"}`, `"window_kib":64`},
		{"power_cost", `{"power_w":9,"hours_per_day":"90m"}`, ""},
		{"fspl", `{"freq_mhz":"40m","dist_km":9}`, ""},
		{"fspl", `{"freq_mhz":9,"dist_km":"10 M"}`, ""},
		{"ohms_law", `{"current_a":9,"voltage_v":"4R7V"}`, ""},
		{"trace_width", `{"current_a":9,"temp_rise_c":"18 °F"}`, `"temp_rise_c":10`},
		{"string_sizing", `{"voc_v":49.5,"vmp_v":41.7,"temp_coeff_voc_pct_per_c":-0.27,` +
			`"min_temp_c":-10,"max_temp_c":45,"cell_temp_rise_c":"54 °F","max_dc_voltage_v":600,` +
			`"mppt_min_v":200}`, `"cell_temp_rise_c":30`},
		{"power_cost", `{"power_w":9,"price_per_kwh":"0.3 EUR"}`, `"price_per_kwh":0.3`},
		{"power_cost", `{"power_w":9,"price_per_kwh":"$0.3/kWh"}`, `"price_per_kwh":0.3`},
	} {
		i, ok := entry(t, c.tool).Interpret([]byte(c.body))
		exact := strings.Contains(string(i.Input), c.want+",") ||
			strings.Contains(string(i.Input), c.want+"}")
		if ok != (c.want != "") || i.Sure != ok || ok && !exact {
			t.Errorf("%s %s: %t %t %s", c.tool, c.body, ok, i.Sure, i.Input)
		}
	}
}

// TestRatios verifies that two numbers with a slash or colon between them are divided for a ratio
// only, and that only a ratio may be a percentage. They are an error for a number with a unit, a
// count and a score. The earth radius factor is 4/3.
func TestRatios(t *testing.T) {
	for _, c := range []struct{ tool, body, want string }{
		{"fresnel_zone", `{"freq_mhz":915,"dist_km":5,"k_factor":"4/3"}`,
			`"k_factor":1.3333333333333333`},
		{"spice_template", `{"template":"low_pass_rc","params":{"r_ohms":"1/2"}}`, `"r_ohms":0.5`},
		{"vswr", `{"vswr":"1.5:1"}`, `"vswr":1.5`},
		{"dipole", `{"freq_mhz":14,"velocity_factor":"95 %"}`, `"velocity_factor":0.95`},
		{"vswr", `{"vswr":"12:30"}`, ""},
		{"power_cost", `{"power_w":100,"hours_per_day":"12:30"}`, ""},
		{"raid_iops", `{"raid_level":"raid5","drives":"400%","drive_iops":180}`, ""},
		{"power_cost", `{"power_w":100,"hours_per_day":"24/7"}`, ""},
		{"ohms_law", `{"voltage_v":"120/240","current_a":1}`, ""},
		{"fspl", `{"freq_mhz":"868/915","dist_km":5}`, ""},
		{"tip_calculator", `{"bill_amount":"100/4"}`, ""},
		{"raid_iops", `{"raid_level":"raid5","drives":"8/2","drive_iops":180}`, ""},
		{"test_grade", `{"total_points":50,"earned_points":"42/50"}`, ""},
	} {
		_, notes, err := entry(t, c.tool).Interpreted([]byte(c.body))
		i, ok := entry(t, c.tool).Interpret([]byte(c.body))
		isRead := c.want != "" && strings.Contains(string(i.Input), c.want)
		if !isRead && (c.want != "" || err == nil) {
			t.Errorf("%s %s: %t %s %q %v", c.tool, c.body, ok, i.Input, notes, err)
		}
	}
}

// TestOmittedValues verifies that a proposal without an optional value states a default only if the
// field has one. No proposal violates a rule, and no example replaces a value of the caller: 5 V
// with an unreadable current give no proposal.
func TestOmittedValues(t *testing.T) {
	for _, c := range []struct{ tool, body, advice string }{
		{"ohms_law", `{"voltage_v":5,"current_a":"abc"}`, ""},
		{"capacitor_charge", `{"r_ohm":10,"c_f":1,"supply_v":5,"target_v":"63.2%"}`,
			"target_v: not valid, left out; give a valid value"},
		{"trace_width", `{"current_a":1,"copper_oz":"35 kg"}`,
			"copper_oz: not valid, left out; give a valid value, or the default applies"},
		{"led_resistor", `{"supply_voltage_v":12,"led_color":"purple","series":"Q"}`, ""},
		{"led_resistor", `{"supply_voltage_v":12,"series":"Q"}`,
			"forward_voltage_v: an example; replace it by your value|" +
				"series: not valid, left out; give a valid value, or the default applies"},
		{"capacitor_charge",
			`{"r_ohm":10,"c_f":1,"supply_v":5,"target_v":"63.2%","initial_v":"5 hp"}`,
			"initial_v: not valid, left out; give a valid value, or the default applies|" +
				"target_v: not valid, left out; give a valid value"},
	} {
		_, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		in := tools.AsInputError(err)
		if in == nil || strings.Join(in.Advice(), "|") != c.advice {
			t.Errorf("%s: %v %q", c.body, err, in.Advice())
		}
	}
}

// TestInvalidValuesAreLeftOut verifies that the proposed call keeps the caller's other values where
// an optional value is not readable, and flips the sign of no temperature.
func TestInvalidValuesAreLeftOut(t *testing.T) {
	for _, c := range []struct{ tool, body, want, omitted string }{
		{"trace_width", `{"current_a":"500mA","copper_oz":"35 kg"}`, `{"current_a":0.5}`,
			"copper_oz"},
		{"capacitor_charge", `{"r_ohm":"10k","c":"100uF","supply_v":5,"target_v":"63.2%"}`,
			`{"c_f":0.0001,"r_ohm":10000,"supply_v":5}`, "target_v"},
		{"ups_runtime",
			`{"load_w":200,"battery_voltage_v":12,"battery_ah":7,"temperature_c":-20}`,
			`{"battery_ah":7,"battery_voltage_v":12,"load_w":200}`, "temperature_c"},
	} {
		_, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		in := tools.AsInputError(err)
		if in == nil || string(in.Corrected) != c.want || len(in.Omitted) != 1 ||
			in.Omitted[0].Path != c.omitted {
			t.Errorf("%s: %v %+v", c.body, err, in)
		}
	}
}

// TestSymbolsOfTheTrade verifies that symbols and names of the trade are read as their fields. A
// value that the field cannot have is an error: the tool would compute with its default.
func TestSymbolsOfTheTrade(t *testing.T) {
	for _, c := range []struct{ tool, body, want string }{
		{"watts_to_amps", `{"power_w":10000,"voltage_v":400,"phases":3,"power_factor":0.85}`,
			`"current_a":16.98089`}, // 10 kW/(√3·400 V·0.85)
		{"watts_to_amps", `{"power_w":10000,"voltage_v":400,"phase":"3","power_factor":0.85}`,
			`"current_a":16.98089`},
		{"watts_to_amps", `{"power_w":10000,"voltage_v":400,"phases":2}`, ""},
		{"battery_charge_time", `{"capacity_ah":100,"charge_current_a":20,"soc":"20%"}`,
			`"charge_needed_ah":80`},
		{"led_resistor", `{"vin":"12V","vf":"2 V","current_ma":20,"leds":3}`,
			`"resistance_ohm":500,`}, // (12 V - 2 V)/20 mA
		{"led_resistor", `{"vin":"12V","vf":"2 V","current_ma":20,"leds":3}`, `"strings_needed":3`},
		{"impedance_match", `{"freq_mhz":100,"load_r_ohm":50,"z0":"75 ohm"}`,
			`"unmatched_reflection":0.2,`}, // (75 - 50)/(75 + 50)
		{"link_budget", `{"tx_dbm":30,"freq_mhz":433,"dist_km":2,"tx_gain_dbd":2.15}`,
			`"eirp_dbm":34.3,`}, // 30 dBm + 2.15 dBd + 2.15 dB
		{"trace_width", `{"width_mm":1,"copper_thickness_um":70}`, `"area_mil2":108.5002`},
		{"trace_width", `{"width_mm":1,"copper_oz":"70 um"}`, `"area_mil2":108.5002`},
		{"compound_interest",
			`{"principal":1000,"annual_rate_pct":5,"years":1,"compounding":"often"}`, ""},
		{"compound_interest", `{"principal":1000,"annual_rate_pct":5,"years":1,"compounding":1}`,
			`"final_amount":1050,`},
		{"p_value", `{"data":[4,5,7],"distribution":"t","mu0":5}`, `"statistic":0.37796`},
		{"string_sizing", `{"voc_v":50,"vmp_v":41,"min_temp_c":-10,"max_temp_c":40,` +
			`"max_dc_voltage_v":600,"mppt_min_v":120,"temp_coeff_voc":"-0.27%/K"}`,
			`"voc_factor_cold":1.0945,`}, // 1 + 0.0027·35
		{"string_sizing", `{"voc_v":50,"vmp_v":41,"min_temp_c":-10,"max_temp_c":40,` +
			`"max_dc_voltage_v":600,"mppt_min_v":120,"temp_coeff_voc_pct_per_c":-0.0027}`,
			`for the fraction -0.0027 per °C send -0.27`},
		{"solar_sizing", `{"daily_wh":1000,"peak_sun_hours":4,"system_voltage_v":48,` +
			`"panel_w":400,"panel_voc_v":50,"min_temp_c":-10,` +
			`"temp_coeff_voc_pct_per_c":-0.0027}`, `for the fraction -0.0027 per °C send -0.27`},
		{"sig_figs", `{"value":0.0045678,"digits":3}`, `"rounded":"0.00457"`},
	} {
		result, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		if c.want == "" && err == nil || !strings.Contains(string(result), c.want) {
			t.Errorf("%s %s: %s %v", c.tool, c.body, result, err)
		}
	}
}

// TestWordOfAChoice verifies that an unknown member with a word of the only matching choice is a
// proposal for this field, and that a name alone proposes nothing in another unit.
func TestWordOfAChoice(t *testing.T) {
	for _, c := range []struct{ tool, body, corrected string }{
		{"op_amp_gain", `{"type":"non-inverting","rf_ohm":1000,"rin_ohm":100}`,
			`{"configuration":"non_inverting","rf_ohm":1000,"rin_ohm":100}`},
		{"watts_to_amps", `{"power_w":1000,"voltage_v":400,"three_phase":true}`,
			`{"power_w":1000,"system":"three_phase","voltage_v":400}`},
		{"wire_ampacity", `{"area_mm2":4,"iec_method":"C","insulation":"XLPE"}`,
			`{"area_mm2":4,"iec_insulation":"xlpe","iec_method":"C"}`},
		{"watts_to_amps", `{"power_w":1000,"voltage_v":400,"three_phase":false}`, ""},
		{"lora_range_estimate", `{"comment":"urban"}`, ""},
		{"trace_width", `{"current_a":2,"solder_thickness_um":35}`, ""}, // no length_mm
	} {
		_, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		in := tools.AsInputError(err)
		if (in != nil) != (c.corrected != "") || in != nil && string(in.Corrected) != c.corrected {
			t.Errorf("%s %s: %v %+v", c.tool, c.body, err, in)
		}
	}
}

// TestGuessedNameHasNoGuessedUnit verifies that a value out of the range of a field that the name
// means only by guess is not proposed in another unit: 0.2 mm is no board of 200 mm.
func TestGuessedNameHasNoGuessedUnit(t *testing.T) {
	_, _, err := entry(t, "pcb_layout").Interpreted([]byte(`{"components":[{"ref":"R1",` +
		`"footprint":"R_0805"}],"nets":[{"name":"A","pins":["R1.1"]}],"neck_width":"0.2 mm"}`))
	in := tools.AsInputError(err)
	if in != nil && strings.Contains(string(in.Corrected), "200") {
		t.Errorf("%v %s", err, in.Corrected)
	}
}

// TestProposalIsChecked verifies that the error of a queued tool has no corrected input that its
// check rejects: a netlist without an analysis.
func TestProposalIsChecked(t *testing.T) {
	const netlist = `"rc\nV1 a 0 AC 1\nR1 a 0 1\n.end"`
	_, _, err := entry(t, "spice_simulate").Interpreted(
		[]byte(`{"netlist":` + netlist + `,"analysis":"ac dec 20 10 100k"}`))
	in := tools.AsInputError(err)
	if in == nil || in.Corrected != nil || !strings.Contains(err.Error(), "no analysis") {
		t.Errorf("%v %+v", err, in)
	}
}

// TestUnitOfAnotherField verifies that a text for a number is read in the unit that another field
// of the input selects. 16 TiB is 17.592186044416 TB. An invalid unit leaves the text as written.
func TestUnitOfAnotherField(t *testing.T) {
	e := entry(t, "zfs_capacity")
	const rest = `"drives_per_vdev":8,"raid_level":"raidz2"`
	for _, c := range []struct{ size, unit, want string }{
		{`"drive_size_tb":"16 TiB"`, `"TiB"`, `"drive_size_tb":16`},
		{`"drive_size_tb":"16 TiB"`, `"tib"`, `"drive_size_tb":16`},
		{`"drive_size_tb":"16"`, `"TiB"`, `"drive_size_tb":16`},
		{`"drive_size_tib":16`, `"TiB"`, `"drive_size_tb":16`},
		{`"drive_size_tb":"17.592186044416 TB"`, `"TiB"`, `"drive_size_tb":16`},
		{`"drive_size_tb":"16 TiB"`, `"TB"`, `"drive_size_tb":17.592186044416`},
		{`"drive_size_tb":"16 TiB"`, ``, `"drive_size_tb":17.592186044416`},
		{`"drive_size_tb":{"value":16,"unit":"TiB"}`, `"TiB"`, `"drive_size_tb":16`},
		{`"drive_size_tb":1,"extra_vdevs":[{"drive_size_tb":"16 TiB",` + rest + `}]`, `"TiB"`,
			`"extra_vdevs":[{"drive_size_tb":16,`},
		{`"drive_size_tb":"16 TiB"`, `"parsec"`, ""},
	} {
		body := "{" + c.size + "," + rest
		if c.unit != "" {
			body += `,"drive_size_unit":` + c.unit
		}
		i, ok := e.Interpret([]byte(body + "}"))
		if ok != (c.want != "") || ok && (!i.Sure || !strings.Contains(string(i.Input), c.want)) {
			t.Errorf("%s: %t %s %q, want %s", body, ok, i.Input, i.Notes, c.want)
		}
	}
}
