package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// unreadableCase is an input with a value that no certain change makes valid. want are the
// beginnings of its errors in order, and corrected is the proposed input.
type unreadableCase struct {
	tool, body string
	want       []string
	corrected  string
}

func unreadableCases() []unreadableCase {
	const hp = `(the text has "hp", which is no unit of this field; write `
	return []unreadableCase{
		{"ohms_law", `{"voltage_v":"12","current_amps":"5 hp"}`,
			[]string{`current_a: given as "current_amps"; must be a number, -1e+12 to 1e+12, in A ` +
				hp + `pA, nA, µA, mA, kA, A), got "5 hp"`}, ""},
		{"ohms_law", `{"voltage_v":12,"current_amps":"5 hp"}`,
			[]string{`current_a: given as "current_amps"; must be a number`}, ""},
		{"battery_life", `{"capacity_mah":"2000","load_current_ma":"5 hp"}`,
			[]string{`load_ma: given as "load_current_ma"; must be a number, greater than 0`}, ""},
		{"battery_life", `{"capacity_mah":2000,"load_ma":"5 hp"}`,
			[]string{`load_ma: must be a number, greater than 0`}, ""},
		{"battery_life", `{"capacity_mah":2000,"load_ma":5,"usable_percent":"5 hp"}`,
			[]string{`usable_pct: given as "usable_percent"; must be a number`},
			`{"capacity_mah":2000,"load_ma":5}`},
		{"fspl", `{"freq_mhz":"915","dist_km":"5 hp"}`,
			[]string{`dist_km: must be a number, greater than 0, in km ` + hp}, ""},
		{"fspl", `{"freq_mhz":915,"dist_km":{"value":5,"unit":"000 km"}}`,
			[]string{`dist_km: must be a number, greater than 0, in km (an object was given`}, ""},
		{"fspl", `{"freq_mhz":915,"distance":5,"distance_unit":"000 km"}`,
			[]string{"distance_unit: unknown; write the unit behind the number", "distance: unknown"},
			""},
		{"fspl", `{"freq_mhz":"-5 GHz","dist_km":"5"}`,
			[]string{`freq_mhz: must be a number, greater than 0, in MHz ` +
				`(the text means -5000 MHz), got "-5 GHz"`},
			`{"dist_km":5,"freq_mhz":5000}`},
		{"fspl", `{"frequency_ghz":-5,"dist_km":"5"}`,
			[]string{`freq_mhz: given as "frequency_ghz"; must be a number, greater than 0, in ` +
				`MHz, got -5000`},
			`{"dist_km":5,"freq_mhz":5000}`},
		{"fspl", `{"freq_mhz":[868,915],"dist_km":"5"}`,
			[]string{`freq_mhz: must be a number, greater than 0, in MHz ` +
				`(a list of 2 values was given), got [868,915]`},
			`{"dist_km":5,"freq_mhz":868}`},
		{"fspl", `{"freq_mhz":null,"dist_km":"5"}`,
			[]string{`freq_mhz: is required, null does not count: a number, greater than 0, in MHz`},
			`{"dist_km":5,"freq_mhz":915}`},
		{"fspl", `{"freqency_mhz":"NaN","dist_km":"5"}`,
			[]string{`freq_mhz: given as "freqency_mhz"; must be a number, greater than 0, in MHz ` +
				`(the text is not a number;`}, ""},
		{"fspl", `{"freq_mhz":915,"freq_mhz":868,"dist_km":"5 km"}`,
			[]string{"freq_mhz: appears more than once"}, ""},
		{"fspl", `{"input":{"freq_mhz":915,"freq_mhz":868,"dist_km":5}}`,
			[]string{"freq_mhz: appears more than once"}, ""},
		{"fspl", `{"input":"{\"freq_mhz\":915,\"freq_mhz\":868,\"dist_km\":5}"}`,
			[]string{"freq_mhz: appears more than once"}, ""},
		{"fspl", `{"input":{"freq_mhz":915,"dist_km":5},"input":{"freq_mhz":868,"dist_km":5}}`,
			[]string{"input: appears more than once"}, ""},
		{"fspl", `{"input":{"freq_mhz":915},"input":{"dist_km":5},"freq_mhz":-5}`,
			[]string{"input: appears more than once", "freq_mhz: must be greater than 0"}, ""},
		{"noise_figure_cascade", `{"stages":[{"data":1,"data":2,"nf_db":"x"},{"nf_db":1}]}`,
			[]string{"stages[0].data: appears more than once", "stages[0].nf_db: must be a number",
				"stages[1].gain_db: is required"}, ""},
		{"confidence_interval", `{"data":[1,2,3],"data":[4,5,6],"confidence_pct":"x"}`,
			[]string{"data: appears more than once", "confidence_pct: must be a number"}, ""},
		{"fspl", `{"freqMhz":915,"freqMhz":"868","dist_km":"x"}`,
			[]string{"freqMhz: appears more than once", "dist_km: must be a number"}, ""},
		{"fspl", `{"freq_mhz":{"value":915,"value":868,"unit":"MHz"},"dist_km":"5"}`,
			[]string{"freq_mhz.value: appears more than once"}, ""},
		{"lora_sensitivity", `{"input":{"sf":7,"sf":8}}`,
			[]string{"sf: appears more than once"}, ""},
		{"noise_figure_cascade", `{"stages":{"nf_db":2,"nf_db":3,"gain_db":"10 dB"}}`,
			[]string{"stages[0].nf_db: appears more than once"}, ""},
		{"spice_template", `{"template":"low_pass_rc","params":{"r_ohms":1,"r_ohms":"1k"}}`,
			[]string{"params.r_ohms: appears more than once"}, ""},
		{"link_budget", `{"tx_power":"0 W","freq_mhz":"868 MHz","dist_km":2}`,
			[]string{`tx_dbm: given as "tx_power"; must be a number, -1000 to 1000, in dBm ` +
				`(the text is no power above 0`}, ""},
		{"microstrip", `{"height":"1.6mm","er":"FR4","z0":"50 ohm"}`,
			[]string{`er: must be a number, 1 to 128 (the text is not a number;`},
			`{"height_mm":1.6,"z0_ohm":50}`},
		{"loan_amortization", `{"principal":"200,000","annual_rate_pct":"5%","term_years":30}`,
			[]string{`principal: must be a number (the text could be 200000 or 200;`},
			`{"annual_rate_pct":5,"principal":200000,"term_years":30}`},
		{"noise_figure_cascade", `{"stages":[{"nf":"2 dB","gain":"5 hp"}]}`,
			[]string{`stages[0].gain_db: given as "gain"; must be a number, -300 to 300, in dB`}, ""},
		{"noise_figure_cascade", `{"stages":[{"nf_db":"2","gain_db":"x"},{"gain_db":"1"}]}`,
			[]string{`stages[0].gain_db: must be a number`, `stages[1].nf_db: is required`}, ""},
		{"spice_template",
			`{"template":"low_pass_rc","params":{"r_ohms":"1k","c_farads":"5 hp"}}`,
			[]string{`params.c_farads: must be a number (the text has "hp", which is no prefix;`},
			`{"params":{"r_ohms":1000},"template":"low_pass_rc"}`},
		{"confidence_interval", `{"data":"[1,2,3] V"}`,
			[]string{"data: must be an array (the text may have values after the JSON; write JSON alone)"},
			""},
		{"confidence_interval", `{"data":"[1,2"}`,
			[]string{"data: must be an array (the text is not valid JSON)"}, ""},
		{"fspl", `{"input":"{\"freq_mhz\":915} dist_km=5"}`,
			[]string{"input: must be an object (the text may have values after the JSON;"}, ""},
		{"fspl", `"{\"freq_mhz\":915} dist_km=5"`,
			[]string{"must be an object (the text may have values after the JSON;"}, ""},
		{"lora_sensitivity", `{"input":"{\"sf\":7} or 8"}`,
			[]string{"input: must be an object (the text may have values after the JSON;"}, ""},
		{"confidence_interval", `{"data":"1, 2, x, 4"}`,
			[]string{`data[2]: must be a number, -1e+150 to 1e+150 (the text is not a number;`}, ""},
	}
}

// valuesAsWritten are cases whose errors contain the value in the form of the input.
func valuesAsWritten() []unreadableCase {
	const mhz = `freq_mhz: must be a number, greater than 0, in MHz `
	return []unreadableCase{
		{"fspl", `{"freq_mhz":"<5 hp & more>","dist_km":5}`,
			[]string{mhz + `(the text is not a number; write digits, such as 4700, 4.7e3 or 4k7 ` +
				`(µHz, mHz, kHz, MHz, GHz, THz, Hz)), got "<5 hp & more>"`}, ""},
		{"fspl", `{"freq_mhz":{"value":915,"unit":"hp"},"dist_km":5}`,
			[]string{mhz + `(the text has "hp", which is no unit of this field; write µHz, mHz, ` +
				`kHz, MHz, GHz, THz, Hz), got {"unit":"hp","value":915}`}, ""},
		{"fspl", `{"freq_mhz":{"value":-9,"unit":"GHz"},"dist_km":"5"}`,
			[]string{mhz + `(the value means -9000 MHz), got {"unit":"GHz","value":-9}`},
			`{"dist_km":5,"freq_mhz":9000}`},
		{"fspl", `{"freq_mhz":{"value":"5 mHz","unit":"Hz"},"dist_km":{"value":"5 km","unit":"m"}}`,
			[]string{
				`dist_km: must be a number, greater than 0, in km (the text has "km m"`,
				mhz + `(the text has "mHz Hz"`,
			}, ""},
		{"fspl", `{"freq_mhz":{"value":"9MHz","unit":"Hz"},"dist_km":{"value":"5km","unit":"km"}}`,
			[]string{mhz + `(the text has "MHz Hz"`}, ""},
		{"fspl", `{"freq_mhz":[[915,868]],"dist_km":5}`,
			[]string{mhz + `(a list of 2 values was given), got [[915,868]]`},
			`{"dist_km":5,"freq_mhz":915}`},
		{"wire_ampacity", `{"awg":"AWG12"}`,
			[]string{"awg: must be an AWG size, 40 to 1 or 1/0 to 4/0 (also 0, 00, 000, 0000), or a kcmil " +
				"size: 250, 300, 350, 400, 500, 600, 700, 750, 800, 900, 1000, 1250, 1500, 1750 or " +
				`2000, got "AWG12"`}, ""},
		{"fspl", `{"freq_mhz":"1'000","dist_km":5}`, []string{mhz + `(the text has separators`},
			`{"dist_km":5,"freq_mhz":1000}`},
		{"fspl", `{"freq_mhz":"1,000","dist_km":5}`,
			[]string{mhz + `(the text could be 1000 or 1; write`}, `{"dist_km":5,"freq_mhz":1000}`},
		{"fspl", `{"freq_mhz":"14,250 kHz","dist_km":5}`,
			[]string{mhz + `(the text could be 14250 kHz or 14.25 kHz;`}, `{"dist_km":5,"freq_mhz":14.25}`},
		{"fspl", `{"frequency_ghz":1e400,"dist_km":5}`,
			[]string{`freq_mhz: given as "frequency_ghz"; must be a number, greater than 0, in ` +
				`MHz (the number is too large), got 1e400`}, ""},
		{"link_budget", `{"tx_power_mw":0,"freq_mhz":868,"dist_km":2}`,
			[]string{`tx_dbm: given as "tx_power_mw"; must be a number, -1000 to 1000, in dBm ` +
				`(the number is no power above 0, which a level in dBm has), got 0`}, ""},
		{"spice_template",
			`{"template":"low_pass_rc","params":{"r_ohms":"R47","c_farads":"C1"}}`,
			[]string{`params.c_farads: must be a number (the text is not a number;`},
			`{"params":{"r_ohms":0.47},"template":"low_pass_rc"}`},
		{"spice_template",
			`{"template":"low_pass_rc","params":{"r_ohms":"R47","c_farads":"R47"}}`,
			[]string{`params.c_farads: must be a number (the text is not a number;`},
			`{"params":{"r_ohms":0.47},"template":"low_pass_rc"}`},
		{"spice_template",
			`{"template":"low_pass_rc","params":{"r_ohms":"R1","c_farads":"1n"}}`,
			[]string{`params.r_ohms: must be a number (the text is not a number;`},
			`{"params":{"c_farads":1e-09},"template":"low_pass_rc"}`},
		{"lora_param_optimizer", `{"target_range_km":5,"fade":"200 dB"}`,
			[]string{`fade_margin_db: given as "fade"; must be a number, 0 to 100, in dB (the ` +
				`text means 200 dB), got "200 dB"`}, `{"target_range_km":5}`},
		{"lora_param_optimizer", `{"target_range_km":5,"fade":200}`,
			[]string{`fade_margin_db: given as "fade"; must be a number, 0 to 100, in dB, got 200`},
			`{"target_range_km":5}`},
		{"link_budget", `{"tx_dbm":20,"freq_mhz":10000,"dist_km":5,"rain_rate":500}`,
			[]string{`rain_rate_mm_h: given as "rain_rate"; must be a number, 0 to 300, in mm/h`},
			`{"dist_km":5,"freq_mhz":10000,"tx_dbm":20}`},
		{"microstrip", `{"height_mm":1.6,"er":"er-Inf","z0_ohm":50}`,
			[]string{`er: must be a number, 1 to 128 (the text is not a number;`},
			`{"height_mm":1.6,"z0_ohm":50}`},
		{"microstrip", `{"height_mm":1.6,"er":"er0x1p2","z0_ohm":50}`,
			[]string{`er: must be a number, 1 to 128 (the text is not a number;`},
			`{"height_mm":1.6,"z0_ohm":50}`},
	}
}

// TestErrorsNameTheUnreadableValue verifies that the errors of an interpreted input name the values
// that no certain change makes valid, and no others. The proposal must keep the values that can be
// interpreted.
func TestErrorsNameTheUnreadableValue(t *testing.T) {
	for _, c := range slices.Concat(unreadableCases(), valuesAsWritten()) {
		_, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		in := tools.AsInputError(err)
		if in == nil || len(in.Fields) != len(c.want) {
			t.Errorf("%s %s: %v", c.tool, c.body, err)
			continue
		}
		for i, f := range in.Fields {
			if !strings.HasPrefix(f.Sentence(), c.want[i]) {
				t.Errorf("%s %s: %s", c.tool, c.body, f.Sentence())
			}
		}
		if string(in.Corrected) != c.corrected {
			t.Errorf("%s %s: corrected to %s", c.tool, c.body, in.Corrected)
		}
	}
}

// TestStrictErrorsNameTheBody verifies that the strict decoder, which REST uses, reports the body
// as written: a number in a text is an error there.
func TestStrictErrorsNameTheBody(t *testing.T) {
	const body = `{"voltage_v":"12","current_amps":"5 hp"}`
	_, err := entry(t, "ohms_law").Run(t.Context(), []byte(body))
	in := tools.AsInputError(err)
	if in == nil || len(in.Fields) != 1 || in.Fields[0].Path != "voltage_v" {
		t.Errorf("%v", err)
	}
}

// TestBeginningsOfNames verifies an unknown name with which the name of an optional field begins.
// It is ignored with a warning if the field cannot have the value.
func TestBeginningsOfNames(t *testing.T) {
	const led = `{"supply_voltage_v":12,"forward_voltage_v":2,`
	const charge = `{"capacity_ah":100,"charge_current_a":10,`
	for _, c := range []struct{ tool, body, unknown string }{
		{"meshnet_power", `{"power":20}`, "power"},
		{"meshnet_power", `{"power":"20 dBm"}`, "power"},
		{"meshnet_power", `{"power":"battery"}`, "power"},
		{"led_resistor", led + `"power":"0.25 W"}`, "power"},
		{"battery_charge_time", charge + `"start":"22:00"}`, "start"},
		{"lora_param_optimizer", `{"target_range_km":5,"fade":true}`, "fade"},
		{"lora_param_optimizer", `{"target_range_km":5,"fade":"200 m"}`, "fade"},
	} {
		result, err := entry(t, c.tool).RunInterpreted(t.Context(), []byte(c.body))
		want := `unknown field \"` + c.unknown + `\" was ignored`
		if err != nil || !strings.Contains(string(result), want) {
			t.Errorf("%s %s: %s %v", c.tool, c.body, result, err)
		}
	}
	result, err := entry(t, "meshnet_power").RunInterpreted(t.Context(), []byte(`{"power":true}`))
	if err != nil || !strings.Contains(string(result), `power: read as power_save`) {
		t.Errorf("%s %v", result, err)
	}
	cable := schema.Compile[struct {
		Length *float64 `json:"cable_length_m" unit:"m" min:"0" max:"1000" doc:"Length"`
		Height *float64 `json:"cable_height_m" unit:"m" min:"0" max:"10" doc:"Height"`
	}]()
	i, ok := tools.InterpretAs(cable, []byte(`{"cable":"50 m"}`))
	if !ok || !i.Sure || string(i.Input) != `{"cable_length_m":50}` {
		t.Errorf("the field that accepts the number: %t %s", ok, i.Input)
	}
}

// TestCertainNamesCount verifies that a name that certainly means a field is not ignored if its
// value violates a rule. Two of the quantities of Ohm's law determine the third one.
func TestCertainNamesCount(t *testing.T) {
	result, err := entry(t, "ohms_law").RunInterpreted(t.Context(),
		[]byte(`{"voltage_v":5,"current_a":1,"resistanceOhm":3}`))
	if tools.AsInputError(err) == nil {
		t.Errorf("%s %v", result, err)
	}
}

// TestReadAsWritten verifies that text without values after JSON does not prevent the
// interpretation of an input. Neither does a name that appears twice within an unknown member. The
// path loss is that of 915 MHz and 5 km.
func TestReadAsWritten(t *testing.T) {
	for _, body := range []string{
		`{"freq_mhz":{"value":"915 MHz","unit":"MHz"},"dist_km":5}`,
		`{"freq_mhz":{"value":"915 megahertz","unit":"MHz"},"dist_km":{"value":"5","unit":"km"}}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5} thanks"}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5};"}`,
		`{"input":"Here: ~~~{\"freq_mhz\":915,\"dist_km\":5}~~~"}`,
		`{"freq_mhz":"915","dist_km":5,"meta":{"a":1,"a":2}}`,
		`{"freq_mhz":915,"dist_km":5,"meta":{"a":1,"a":2}}`,
	} {
		body = strings.ReplaceAll(body, "~~~", "```")
		result, err := entry(t, "fspl").RunInterpreted(t.Context(), []byte(body))
		if err != nil || !strings.Contains(string(result), `"fspl_db":105.65`) {
			t.Errorf("%s: %s %v", body, result, err)
		}
	}
	for _, body := range []string{
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5"}`, `{"input":"{freq_mhz: 915, dist_km: 5}"}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5}, freq_mhz=868"}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5} freq_mhz: low"}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5} or 868"}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5} {}"}`,
		`{"input":"{\"freq_mhz\":915,\"dist_km\":5} []"}`,
	} {
		result, err := entry(t, "fspl").RunInterpreted(t.Context(), []byte(body))
		if err == nil {
			t.Errorf("%s: %s", body, result)
		}
	}
}

// TestUnitsInValues verifies that a unit in a value may equal the stated unit but not differ.
func TestUnitsInValues(t *testing.T) {
	for _, c := range []struct{ field, value, unit, want string }{
		{"resistance_ohm", "4k7Ω", "Ω", "4700"}, {"resistance_ohm", "4k7 Ω", "Ω", "4700"},
		{"resistance_ohm", "4R7Ω", "Ω", "4.7"}, {"resistance_ohm", "4.7 ohm", "Ω", "4.7"},
		{"resistance_ohm", "4.7 Ω", "ohms", "4.7"}, {"resistance_ohm", "4,7Ω", "Ω", "4.7"},
		{"resistance_ohm", "4.7k", "Ω", "4700"}, {"resistance_ohm", "4k7", "Ω", "4700"},
		{"voltage_v", "3V3", "V", "3.3"}, {"voltage_v", "3.3 volts", "V", "3.3"},
		{"resistance_ohm", "4k7Ω", " Ω ", "4700"}, {"resistance_ohm", " ~4.7 Ω ", "\u00a0Ω", "4.7"},
		{"voltage_v", "~3V3", " V", "3.3"}, {"voltage_v", "≈ 5 mV", "mV ", "0.005"},
		{"voltage_v", "5 mV", "mV", "0.005"},
		{"resistance_ohm", "4.7kΩ", "Ω", ""}, {"resistance_ohm", "4k7Ω", "kΩ", ""},
		{"resistance_ohm", "4.7 kohm", "ohm", ""}, {"voltage_v", "3V3", "mV", ""},
		{"voltage_v", "5 mV", "V", ""}, {"voltage_v", "5 MV", "mV", ""},
	} {
		i, ok := entry(t, "ohms_law").Interpret(fmt.Appendf(nil,
			`{"current_a":1,%q:{"value":%q,"unit":%q}}`, c.field, c.value, c.unit))
		want := ""
		if ok = ok && i.Sure; ok {
			want = fmt.Sprintf(`{"current_a":1,%q:%s}`, c.field, c.want)
		}
		if ok != (c.want != "") || string(i.Input) != want {
			t.Errorf("%s in %s: %t %s", c.value, c.unit, ok, i.Input)
		}
	}
}

// TestSpelledUnits verifies units that are spelled out or in lower case. A degree without a scale
// is no temperature, M is no metre, and mf may be millifarads or, in old schematics, microfarads.
func TestSpelledUnits(t *testing.T) {
	for _, c := range []struct{ unit, written, want string }{
		{"F", "0.1 uf", "1e-07"}, {"µF", "0.1 uf", "0.1"}, {"H", "10 uh", "1e-05"},
		{"F", "10 mf", ""}, {"Ah", "9000 mah", "9"}, {"mAh", "9000 mah", "9000"},
		{"s", "1 sec", "1"}, {"ms", "20 milliseconds", "20"}, {"µs", "20 microseconds", "20"},
		{"mm", "50 millimeters", "50"}, {"mm", "5 centimetres", "50"}, {"m", "10 M", ""},
		{"V", "5 kilovolts", "5000"}, {"H", "1 millihenry", "0.001"}, {"kg", "2 kilograms", "2"},
		{"kg", "66 lbs", "29.93709642"}, {"B", "20 bytes", "20"}, {"B", "20 Megabytes", "2e+07"},
		{"°C", "25 celsius", "25"}, {"°C", "25 deg C", "25"}, {"°C", "25 degrees C", "25"},
		{"°C", "77 fahrenheit", "25"}, {"°C", "77 deg F", "25"}, {"°C", "25 degrees", ""},
		{"°", "90 degrees", "90"}, {"K", "54 degrees Fahrenheit", "30"},
		{"yr", "10 years", "10"}, {"year", "10 years", "10"}, {"month", "6 months", "6"},
		{"dBm", "-10 dBW", "20"}, {"Mbit/s", "100 Mb/s", "100"},
		{"Hz", "1 kilohertz", "1000"}, {"V", "5 watts", ""},
	} {
		n := &schema.Compile[struct {
			Size float64 `json:"size" unit:"V" doc:"Size"`
		}]().Fields[0].Node
		n.Unit = c.unit
		i, ok := tools.InterpretValue(n, "size", fmt.Appendf(nil, "%q", c.written))
		if ok != (c.want != "") || string(i.Input) != c.want {
			t.Errorf("%s in %s: %t %s, want %s", c.written, c.unit, ok, i.Input, c.want)
		}
	}
}

// TestTextBehindJSON verifies that a list takes no other text behind it, and that a note mentions
// the ignored text behind an object.
func TestTextBehindJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"[1,2,3]": true, "[1,2,3].": true, "[1,2,3] ;\n": true, "[1,2,3],": true,
		"[1,2,3] 400 500": false, "[1,2,3],[4]": false, "[1,2,3] volts": false, "[1,2,3]k": false,
	} {
		body, err := json.Marshal(map[string]string{"data": text})
		if err != nil {
			t.Fatal(err)
		}
		i, ok := entry(t, "confidence_interval").Interpret(body)
		if ok != want || ok && (!i.Sure || string(i.Input) != `{"data":[1,2,3]}`) {
			t.Errorf("%q: %t %s", text, ok, i.Input)
		}
	}
	for rest, want := range map[string]bool{" thanks": true, ";": false, "": false} {
		body := `{"input":"{\"freq_mhz\":915,\"dist_km\":5}` + rest + `"}`
		i, ok := entry(t, "fspl").Interpret([]byte(body))
		notes := strings.Join(i.Notes, "|")
		if !ok || strings.Contains(notes, "the text after the JSON is ignored") != want {
			t.Errorf("%q: %t %q", rest, ok, notes)
		}
	}
}

// TestValuesOutsideFences verifies that the text outside of Markdown fences is ignored with a note,
// or an error if it may have values.
func TestValuesOutsideFences(t *testing.T) {
	const ignored = "data: the text outside of the Markdown fences is ignored"
	const cause = "data: must be an array (the text may have values outside of the Markdown fences;"
	for written, want := range map[string]string{
		"~~~json\n[1,2,3]\n~~~":                    "data: the text is read as JSON",
		"Here is the list:\n~~~json\n[1,2,3]\n~~~": ignored,
		"~~~[1,2,\n3]~~~ thanks":                   ignored,
		"~~~[1,2]~~~, ~~~[3]~~~":                   cause,
		"~~~[1,2]~~~ 3":                            cause,
		"n=3 ~~~[1,2]~~~":                          cause,
		"1, 2 and ~~~[3,4]~~~":                     cause,
	} {
		body, err := json.Marshal(map[string]string{"data": strings.ReplaceAll(written, "~~~", "```")})
		if err != nil {
			t.Fatal(err)
		}
		i, ok := entry(t, "confidence_interval").Interpret(body)
		if ok && (string(i.Input) != `{"data":[1,2,3]}` || !slices.Contains(i.Notes, want)) {
			t.Errorf("%q: %s %q", written, i.Input, i.Notes)
		}
		_, err = entry(t, "confidence_interval").RunInterpreted(t.Context(), body)
		if in := tools.AsInputError(err); ok != (in == nil) ||
			in != nil && !strings.HasPrefix(in.Fields[0].Sentence(), want) {
			t.Errorf("%q: %v", written, err)
		}
	}
}

// TestCommasInLists verifies that a comma between two digits separates values only if the numbers
// cannot have it as decimal comma or between thousands. Lists of at least two values have no other
// reading of "1,5".
func TestCommasInLists(t *testing.T) {
	list := schema.Compile[struct {
		Values []float64 `json:"values" minItems:"1" maxItems:"4" min:"0" max:"1e5" unit:"V" doc:"V"`
	}]()
	for written, want := range map[string]string{
		"1,5 2,5":            "",
		"1,000, 2,000":       "",
		"1,5":                "",
		"1,500":              "",
		"1,000,000":          "[1,0,0]", // above the maximum as one number
		"1, 2,5":             "",
		"1,5 V, 2 V":         "",
		"1 000 2 000":        "",
		"1,5; 2,5":           "[1.5,2.5]",
		"1,5; 2; ":           "[1.5,2]",
		"1,000; 2":           "",
		"1,2,3":              "[1,2,3]",
		"1, 2, 3":            "[1,2,3]",
		"1 2\n3":             "[1,2,3]",
		"1.5,2.5":            "[1.5,2.5]",
		"10k,20k":            "[10000,20000]",
		"5 V, 12 V":          "[5,12]",
		"1 500, 2 500":       "[1500,2500]",
		"1,5, 2,5, 3,5":      "[1.5,2.5,3.5]", // six values are too many
		"1,5 2,5 3,5":        "[1.5,2.5,3.5]",
		"1,-5":               "",
		"1,2,3,4,5":          "",
		"1\u00002":           "",
		"50000,60000, 70000": "", // or 50000.6
		"1 200 1 300":        "", // or [1200,1300]
		"950 1 200":          "",
		"1 200V 1 300V":      "",
		"98 102 99 103":      "[98,102,99,103]",
		"1 10 100":           "[1,10,100]",
		"1000 100 10":        "[1000,100,10]",
		"100 200 300":        "[100,200,300]",
		"1, 2 kV":            "",
		"0.1 0.2kV":          "",
		"1 kV; 2":            "",
		"0, 2 kV":            "[0,2000]",
		"1, 2 V":             "[1,2]",
		"100, 220, 1k":       "[100,220,1000]",
	} {
		body := `{"values":"` + strings.ReplaceAll(written, "\n", `\n`) + `"}`
		i, ok := tools.InterpretAs(list, []byte(body))
		got := ""
		if ok && i.Sure {
			got = strings.TrimSuffix(strings.TrimPrefix(string(i.Input), `{"values":`), "}")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", written, got, want)
		}
	}
	_, err := entry(t, "confidence_interval").RunInterpreted(t.Context(), []byte(`{"data":"1,5 2,5"}`))
	in := tools.AsInputError(err)
	want := "data: must be an array (the text could mean [1, 5, 2, 5] or [1.5, 2.5];"
	if in == nil || !strings.HasPrefix(in.Fields[0].Sentence(), want) {
		t.Errorf("%v", err)
	}
}

// TestListsOfDecimals verifies that numbers with their own decoder are split as others. A decimal
// comma keeps the final zeros, which count as significant figures.
func TestListsOfDecimals(t *testing.T) {
	for written, want := range map[string]string{
		"1,5 2,5":     "",
		"1,20; 3,4":   `["1.20","3.4"]`,
		"1,20, 3,40":  "",
		"1,500; 2":    "",
		"1.20, 3.4":   `["1.20","3.4"]`,
		"1,20 m; 3":   "",
		"1 000,50; 2": `["1000.50","2"]`,
	} {
		i, ok := entry(t, "sig_figs").Interpret(
			fmt.Appendf(nil, `{"operation":"add","values":%q}`, written))
		got := ""
		if ok && i.Sure {
			got = strings.TrimSuffix(
				strings.TrimPrefix(string(i.Input), `{"operation":"add","values":`), "}")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", written, got, want)
		}
	}
	i, ok := entry(t, "sig_figs").Interpret([]byte(`{"value":"1,20"}`))
	if !ok || !i.Sure || string(i.Input) != `{"value":"1.20"}` {
		t.Errorf("%t %s", ok, i.Input)
	}
}

// TestUnitsOfLists verifies the error of a list with a unit behind its last value alone.
func TestUnitsOfLists(t *testing.T) {
	_, err := entry(t, "pcb_layout").RunInterpreted(t.Context(),
		[]byte(`{"custom_footprints":[{"name":"X","pads":[],"body_mm":"0.1, 0.2 in"}]}`))
	const want = `custom_footprints[0].body_mm: must be an array, in mm (the text has a unit ` +
		`behind some values alone; write it behind each), got "0.1, 0.2 in"`
	in := tools.AsInputError(err)
	if in == nil || !slices.ContainsFunc(in.Fields, func(f schema.FieldError) bool {
		return f.Sentence() == want
	}) {
		t.Errorf("%v", err)
	}
}

// TestListsOfWords verifies that words are split outside of parentheses, and that only the name of
// a language after a Markdown fence is no value.
func TestListsOfWords(t *testing.T) {
	for _, c := range []struct{ tool, before, written, want string }{
		{"resistor_color_code", `{"bands":`, "~~~brown\nblack\nred\ngold~~~",
			`["brown","black","red","gold"]`},
		{"resistor_color_code", `{"bands":`, "~~~text\nbrown\nblack\nred\ngold~~~",
			`["brown","black","red","gold"]`},
		{"resistor_color_code", `{"bands":`, "~~~js\n[\"brown\",\"black\",\"red\"]~~~",
			`["brown","black","red"]`},
		{"spice_simulate", `{"netlist":"x","vectors":`, "v(in,out), v(out) i(v1);v(a)",
			`["v(in,out)","v(out)","i(v1)","v(a)"]`},
	} {
		written, err := json.Marshal(strings.ReplaceAll(c.written, "~~~", "```"))
		if err != nil {
			t.Fatal(err)
		}
		i, ok := entry(t, c.tool).Interpret([]byte(c.before + string(written) + "}"))
		if want := c.before + c.want + "}"; !ok || !i.Sure || string(i.Input) != want {
			t.Errorf("%q: %t %s", c.written, ok, i.Input)
		}
	}
}

// TestRangesAreNoValues verifies that the error of a range says so, and that of another text not.
func TestRangesAreNoValues(t *testing.T) {
	const cause = "(the text is a range; give one value, or vary it in a batch)"
	for written, want := range map[string]bool{
		"5-10 km": true, "5 km - 10 km": true, "5–10": true, "1.5 to 2.5 km": true, "5..10 km": true,
		"1e-5 hp": false, "5 hp": false, "2026-01-05": false, "-5 - x": false,
	} {
		_, err := entry(t, "fspl").RunInterpreted(t.Context(),
			fmt.Appendf(nil, `{"freq_mhz":915,"dist_km":%q}`, written))
		if in := tools.AsInputError(err); in == nil || strings.Contains(in.Error(), cause) != want {
			t.Errorf("%q: %v", written, err)
		}
	}
}

// TestLetterCodes verifies that values in the code of IEC 60062 are read in the unit of the field:
// R005 is 5 mΩ. R1 is the name of a resistor, and R is no prefix of other units.
func TestLetterCodes(t *testing.T) {
	for _, c := range []struct{ unit, written, want string }{
		{"Ω", "R47", "0.47"}, {"Ω", "R0005", "0.0005"}, {"mΩ", "R005", "5"}, {"mΩ", "0R5", "500"},
		{"kΩ", "R47", "0.00047"}, {"kΩ", "4R7", "0.0047"}, {"Ω", "R1", ""}, {"Ω", "R1234", ""},
		{"µF", "4u7", "4.7"}, {"nF", "2n2", "2.2"}, {"pF", "2n2", "2200"}, {"pF", "p47", "0.47"},
		{"nF", "n33", "0.33"}, {"µH", "u10", "0.1"}, {"nF", "n3", ""}, {"nF", "R47", ""},
		{"V", "R47", ""}, {"V", "4R7", ""}, {"V", "m47", ""}, {"1", "4R7", ""},
	} {
		n := &schema.Compile[struct {
			Size float64 `json:"size" unit:"V" doc:"Size"`
		}]().Fields[0].Node
		n.Unit = c.unit
		body, err := json.Marshal(c.written)
		if err != nil {
			t.Fatal(err)
		}
		i, ok := tools.InterpretValue(n, "size", body)
		if ok != (c.want != "") || string(i.Input) != c.want {
			t.Errorf("%s in %s: %t %s, want %s", c.written, c.unit, ok, i.Input, c.want)
		}
	}
}
