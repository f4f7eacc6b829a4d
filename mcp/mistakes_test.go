package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// mistake is a call with a typical error of models, and the expected response. The response is a
// result with a warning that contains the text warning, or an error with a corrected call that
// contains the text corrected.
type mistake struct {
	name, tool, arguments string
	warning               string // "" for an error
	corrected             string
	// error is part of an error without a corrected call; its text contains a valid call.
	error string
}

// rcBody is a netlist without its title line and without .end.
const rcBody = `V1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 5 10 100k`

// board returns a board of a header and a part with the given footprint.
func board(footprint string) string {
	return `{"name":"b","components":[{"ref":"J1","footprint":"PinHeader_1x02"},{"ref":"R1","footprint":"` + footprint +
		`"}],"nets":[{"name":"A","pins":["J1.1","R1.1"]},{"name":"GND","pins":["J1.2","R1.2"]}]}`
}

func mistakes() []mistake {
	return []mistake{
		{"number as text", "fspl", `{"freq_mhz":"915","dist_km":5}`, `"915" is read as 915 MHz`, "",
			""},
		{"unit behind the number", "fspl", `{"freq_mhz":"915 MHz","dist_km":"5km"}`,
			`"5km" is read as 5 km`, "", ""},
		{"another prefix", "fspl", `{"freq_mhz":"0.915 GHz","dist_km":5}`, `is read as 915 MHz`, "",
			""},
		{"unit in lower case", "fspl", `{"freq_mhz":"915mhz","dist_km":5}`,
			`is read as 915 MHz`, "", ""},
		{"another unit", "fspl", `{"freq_mhz":915,"dist_km":"5000 m"}`, `is read as 5 km`, "", ""},
		{"unit in words", "fspl", `{"freq_mhz":915,"dist_km":"3 miles"}`, `is read as 4.828032 km`,
			"", ""},
		{"SI suffix", "ohms_law", `{"voltage_v":5,"resistance_ohm":"4.7k"}`,
			`"4.7k" is read as 4700 Ω`, "", ""},
		{"RKM code", "ohms_law", `{"voltage_v":5,"resistance_ohm":"4k7"}`, `is read as 4700 Ω`, "",
			""},
		{"decimal comma", "fspl", `{"freq_mhz":"868,3","dist_km":5}`, `is read as 868.3 MHz`, "",
			""},
		{"thousands comma", "fspl", `{"freq_mhz":"1,500","dist_km":5}`, "", `"freq_mhz":1500`, ""},
		{"percent sign", "tip_calculator", `{"bill_amount":50,"tip_pct":"15%"}`,
			`is read as 15 %`, "", ""},
		{"currency sign", "tip_calculator", `{"bill_amount":"$50","tip_pct":15}`,
			`is read as 50`, "", ""},
		{"letters before the number", "lora_airtime", `{"payload_bytes":20,"sf":"SF10"}`,
			`"SF10" is read as 10`, "", ""},
		{"value and unit", "fspl", `{"freq_mhz":{"value":915,"unit":"MHz"},"dist_km":5}`,
			`is read as 915 MHz`, "", ""},
		{"hertz as megahertz", "fspl", `{"freq_mhz":915e6,"dist_km":5}`,
			`for 9.15e+08 Hz send "freq_mhz": 915`, "", ""},
		{"wrong quantity", "fspl", `{"freq_mhz":"20 dBm","dist_km":5}`, "", "", `got "20 dBm"`},
		{"negative magnitude", "attenuator_pi", `{"attenuation_db":-10}`, "", `"attenuation_db":10`,
			""},
		{"field in another unit", "fspl", `{"freq_ghz":2.4,"dist_m":500}`,
			`dist_m: read as dist_km, 0.5 km`, "", ""},
		{"camel case", "fspl", `{"freqMhz":915,"distKm":5}`, `freqMhz: read as freq_mhz`, "", ""},
		{"upper case and hyphens", "fspl", `{"FREQ_MHZ":915,"Dist-Km":5}`, `read as dist_km`, "",
			""},
		{"field without its unit", "fspl", `{"freq":915,"dist":5}`, "",
			`{"dist_km":5,"freq_mhz":915}`, ""},
		{"field without its unit, value with", "wire_gauge",
			`{"current":"20A","voltage":"12V","length":"30 ft"}`, `length: read as length_m`, "",
			""},
		{"no field of a rule by its name, values with units", "voltage_divider",
			`{"vin":"12V","r1":"4.7k","r2":"10k"}`, `r1: read as r1_ohm`, "", ""},
		{"no field of a rule by its name", "voltage_divider", `{"vin":12,"r1":4700,"r2":10000}`,
			"", `{"r1_ohm":4700,"r2_ohm":10000,"vin_v":12}`, ""},
		{"symbols for fields of a rule", "ohms_law", `{"v":5,"r":4700}`, "",
			`{"resistance_ohm":4700,"voltage_v":5}`, ""},
		{"half of a name", "date_difference", `{"start":"2026-01-01","end":"2026-02-01"}`,
			`start: read as start_date`, "", ""},
		{"misspelt field", "fspl", `{"freqency_mhz":915,"dist_km":5}`, "",
			`{"dist_km":5,"freq_mhz":915}`, ""},
		{"label for a field", "fspl", `{"frequency":"2.4 GHz","distance":"5 km"}`,
			`frequency: read as freq_mhz`, "", ""},
		{"labels without units", "fspl", `{"frequency":2400,"distance":5}`, "",
			`{"dist_km":5,"freq_mhz":2400}`, ""},
		{"label with a unit", "fspl", `{"frequency_ghz":2.4,"distance_meters":500}`,
			`distance_meters: read as dist_km, 0.5 km`, "", ""},
		{"milliwatts in a name", "ohms_law", `{"voltage_v":5,"power_mw":500}`,
			`power_mw: read as power_w, 0.5 W`, "", ""},
		{"milli or mega in a name", "ohms_law", `{"voltage_v":5,"resistance_mohm":500}`, "", "",
			`"resistance_mohm" was ignored; did you mean resistance_ohm?`},
		{"level in another unit", "link_budget",
			`{"tx_power_mw":100,"frequency_mhz":868,"distance_km":5}`,
			`tx_power_mw: read as tx_dbm, 20 dBm`, "", ""},
		{"value in watts for a level", "link_budget",
			`{"tx_dbm":"100 mW","freq_mhz":868,"dist_km":5}`, `is read as 20 dBm`, "", ""},
		{"unit of another quantity in a name", "ohms_law", `{"voltage_v":5,"power_dbm":20}`, "", "",
			`"power_dbm" was ignored; did you mean power_w?`},
		{"missing value", "fspl", `{"freq_mhz":"2.4 GHz"}`, "", "",
			"- dist_km: an example; replace it by your value\n" +
				`A valid call with your values: {"name":"fspl","arguments":{"dist_km":5,"freq_mhz":2400}}`},
		{"missing value of an entry", "noise_figure_cascade", `{"stages":[{"gain_db":11}]}`, "", "",
			`{"stages":[{"gain_db":11,"nf_db":2}]}`},
		{"missing value of a rule", "voltage_divider", `{"vin_v":9}`, "", "",
			`{"vin_v":9,"vout_v":3.3}`},
		{"null for a required field", "fspl", `{"freq_mhz":433,"dist_km":null}`, "", "",
			`{"dist_km":5,"freq_mhz":433}`},
		{"negative zero as text", "fspl", `{"freq_mhz":"433","dist_km":"-0"}`, "", "",
			`(the text means -0 km), got "-0"`},
		{"gigahertz as megahertz", "fspl", `{"freq_mhz":2.4,"dist_km":5}`,
			`for 2.4 GHz send "freq_mhz": 2400`, "", ""},
		{"fraction as percentage", "tip_calculator", `{"bill_amount":50,"tip_pct":0.15}`,
			`for the fraction 0.15 send "tip_pct": 15`, "", ""},
		{"fraction without the unit", "loan_amortization",
			`{"principal":200000,"rate":0.05,"years":30}`, "",
			`{"annual_rate_pct":5,"principal":200000,"term_years":30}`, ""},
		{"several values for one", "fspl", `{"freq_mhz":[868,915],"dist_km":5}`, "",
			`{"dist_km":5,"freq_mhz":868}`, ""},
		{"approximate value", "fspl", `{"freq_mhz":"~915","dist_km":5}`, `"~915" is read as 915`,
			"", ""},
		{"ratio", "lora_airtime", `{"payload_bytes":20,"cr":"4/5"}`, `"4/5" is read as 5`, "", ""},
		{"names of an abbreviated field", "lora_airtime",
			`{"spreading_factor":7,"bandwidth":"125 kHz","payload_bytes":20}`,
			`spreading_factor: read as sf`, "", ""},
		{"assignments as a text", "fspl", `"freq_mhz=915, dist_km=5"`, `is read as 2 fields`, "",
			""},
		{"date in words", "date_difference",
			`{"start_date":"March 1, 2026","end_date":"2026-04-01T00:00:00Z"}`,
			`"March 1, 2026" is read as 2026-03-01`, "", ""},
		{"date with an ambiguous month", "date_difference",
			`{"from":"01/02/2026","to":"2026-04-01"}`, "", `"start_date":"2026-01-02"`, ""},
		{"object for a list of nets", "pcb_layout",
			strings.Replace(board("R_0805"), `[{"name":"A","pins":["J1.1","R1.1"]},`+
				`{"name":"GND","pins":["J1.2","R1.2"]}]`,
				`{"A":["J1.1","R1.1"],"GND":["J1.2","R1.2"]}`, 1),
			"nets: the object is read as a list of its 2 members", "", ""},
		{"tool in capitals", "FSPL", `{"freq_mhz":915,"dist_km":5}`, `tool "FSPL": read as fspl`, "",
			""},
		{"tool with a prefix", "mcp__slipstick__ohms-law", `{"voltage_v":5,"resistance_ohm":100}`,
			`read as ohms_law`, "", ""},
		{"queued tool in another case", "SpiceSimulate",
			`{"netlist":"rc\n` + rcBody + `\n.end"}`, `read as spice_simulate`, "", ""},
		{"batch with an object for a list", "batch_run",
			`{"tool":"fspl","input":{"freq_mhz":915},"vary":{"dist_km":[1,10]}}`, "",
			`"vary":[{"field":"/dist_km","values":[1,10]}]`, ""},
		{"batch with a unit of another quantity", "batch_run",
			`{"tool":"fspl","input":{"freq_mhz":"915","dist_km":"5 hp"},` +
				`"vary":[{"field":"/freq_mhz","values":[868,915]}]}`, "", "",
			`- input.dist_km: must be a number (a string was given), got "5 hp"`},
		{"batch with texts and names of fields", "batch_run",
			`{"tool":"voltage_divider","mode":"monte_carlo","n":20,` +
				`"input":{"vin_v":12,"r1_ohm":"10k","r2_ohm":"4.7k"},` +
				`"vary":[{"field":"r1_ohm","tolerance_pct":5}]}`, "",
			`"input":{"r1_ohm":10000,"r2_ohm":4700,"vin_v":12},"mode":"random"`, ""},
		{"batch with start, stop and steps", "batch_run",
			`{"tool":"fspl","input":{"freq_mhz":2400},` +
				`"vary":[{"field":"dist_km","start":1,"stop":10,"steps":10}]}`, "",
			`{"field":"/dist_km","from":1,"points":10,"to":10}`, ""},
		{"corrected call without a value of the caller", "impedance_match",
			`{"freq_mhz":433,"load_r":12,"bandwidth":5}`, "", "", "bandwidth: unknown, left out\n" +
				`A valid call without the unknown fields: {"name":"impedance_match",`},
		{"unreadable value of an alternative", "ohms_law",
			`{"voltage_v":"12","current_amps":"5 hp"}`, "", "",
			`An example of a valid call: {"name":"ohms_law","arguments":{"voltage_v":12,` +
				`"resistance_ohm":470}}`},
		{"material for a number", "microstrip", `{"height_mm":1.6,"er":"FR4","z0_ohm":50}`, "", "",
			`got "FR4"`},
		{"currency and thousands", "tip_calculator", `{"bill_amount":"$1,250.50","tip_pct":10}`,
			`"$1,250.50" is read as 1250.50`, "", ""},
		{"plural of mil", "microstrip", `{"height_mm":"62 mils","er":4.4,"z0_ohm":50}`,
			`"62 mils" is read as 1.5748 mm`, "", ""},
		{"value as a text and unit", "fspl",
			`{"freq_mhz":{"value":"915","unit":"MHz"},"dist_km":5}`, `is read as 915 MHz`, "", ""},
		{"batch of a tool in capitals", "batch_run",
			`{"tool":"FSPL","input":{"freq_mhz":915},"vary":[{"field":"dist_km","values":[1,10]}]}`,
			"", `"field":"/dist_km"`, ""},
		{"unknown field", "subnet_calculator", `{"address":"192.168.1.10/24"}`, "",
			`{"cidr":"192.168.1.10/24"}`, ""},
		{"word in another case", "lora_range_estimate", `{"terrain":"Suburban"}`,
			`is read as "suburban"`, "", ""},
		{"word with hyphens", "dipole", `{"freq_mhz":146,"type":"quarter-wave"}`,
			`is read as "quarter_wave"`, "", ""},
		{"misspelt word", "lora_range_estimate", `{"terrain":"surburban"}`, "",
			`"terrain":"suburban"`, ""},
		{"region in lower case", "duty_cycle_budget", `{"airtime_ms":370.7,"region":"eu868"}`,
			`is read as "EU868"`, "", ""},
		{"wrapped", "fspl", `{"input":{"freq_mhz":915,"dist_km":5}}`, `read as the input's own`, "",
			""},
		{"arguments as a text", "fspl", `"{\"freq_mhz\":915,\"dist_km\":5}"`,
			`the text is read as JSON`, "", ""},
		{"arguments in fences", "fspl",
			"\"```json\\n{\\\"freq_mhz\\\":915,\\\"dist_km\\\":5}\\n```\"",
			`the text is read as JSON`, "", ""},
		{"arguments as a list", "fspl", `[915,5]`, "", `{"dist_km":5,"freq_mhz":915}`, ""},
		{"flat for nested", "spice_template",
			`{"template":"low_pass_rc","r_ohms":1000,"c_farads":"100n"}`,
			`r_ohms: read as a field of params`, "", ""},
		{"fields of an entry", "noise_figure_cascade", `{"nf_db":2,"gain_db":10}`,
			`nf_db: read as a field of stages`, "", ""},
		{"nested for flat", "fspl", `{"radio":{"freq_mhz":915},"dist_km":5}`,
			`radio: the fields within`, "", ""},
		{"object for a list", "noise_figure_cascade", `{"stages":{"nf_db":2,"gain_db":10}}`,
			`read as a list of one`, "", ""},
		{"list as JSON in a text", "noise_figure_cascade",
			`{"stages":"[{\"nf_db\":2,\"gain_db\":10}]"}`, `stages: the text is read as JSON`, "",
			""},
		{"numbers between commas", "confidence_interval", `{"data":"1, 2, 3, 4"}`,
			`read as a list of 4 values`, "", ""},
		{"yes for true", "lora_airtime", `{"payload_bytes":20,"crc":"yes"}`,
			`crc: yes is read as true`, "", ""},
		{"netlist in fences", "spice_simulate", `{"netlist":"` + "```spice\\nrc\\n" + rcBody +
			`\n.end\n` + "```" + `"}`, "between the ``` marks", "", ""},
		{"netlist with escaped line ends", "spice_simulate",
			`{"netlist":"rc\\n` + strings.ReplaceAll(rcBody, `\n`, `\\n`) + `\\n.end"}`,
			`every \n is read as the end of a line`, "", ""},
		{"netlist without a title", "spice_simulate", `{"netlist":"` + rcBody + `\n.end"}`,
			"the first line is read as the element V1", "", ""},
		{"netlist without .end", "spice_simulate", `{"netlist":"rc\n` + rcBody + `"}`,
			".end", "", ""},
		{"prose before a netlist", "spice_simulate", `{"netlist":"Here is the filter:\n\nrc\n` +
			rcBody + `\n.end"}`, "is not read: it consists of sentences", "", ""},
		{"netlist as a list of lines", "spice_simulate",
			`{"netlist":["rc","` + strings.ReplaceAll(rcBody, `\n`, `","`) + `",".end"]}`,
			"a text of 6 lines", "", ""},
		{"misspelt part", "spice_simulate",
			`{"netlist":"amp\nV1 c 0 5\nR1 c b 100k\nQ1 c b 0 2n3940\n.op\n.end"}`, "",
			"", "2n3904"},
		{"misspelt footprint", "pcb_layout", board("R_0850"), "", "", "R_0805"},
	}
}

// TestMistakes verifies common mistakes of models. Each call must be interpreted with a warning, or
// rejected with a corrected call or an example of a valid call.
func TestMistakes(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	list := mistakes()
	if len(list) < 40 {
		t.Fatalf("%d mistakes", len(list))
	}
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			_, r := s.call(t, callBody(m.tool, m.arguments, ""), nil)
			var result struct{ Warnings []string }
			if r.Result.Structured != nil {
				if err := json.Unmarshal(r.Result.Structured, &result); err != nil {
					t.Fatal(err)
				}
			}
			warnings := strings.Join(result.Warnings, "\n")
			_, call, proposed := strings.Cut(r.text(), "Corrected call: ")
			switch {
			case m.warning != "":
				if r.Result.IsError || !strings.Contains(warnings, m.warning) ||
					!strings.Contains(r.text(), "warnings") {
					t.Errorf("warnings %q; %s", warnings, r.text())
				}
			case m.corrected != "":
				if !r.Result.IsError || !proposed || !strings.Contains(call, m.corrected) {
					t.Fatalf("%s", r.text())
				}
				var next struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				}
				if err := json.Unmarshal([]byte(call), &next); err != nil || next.Name != m.tool {
					t.Fatalf("%v: %s", err, call)
				}
				if _, again := s.call(t, callBody(next.Name, string(next.Arguments), ""),
					nil); again.Result.IsError {
					t.Errorf("the corrected call fails: %s", again.text())
				}
			default:
				if !r.Result.IsError || !strings.Contains(r.text(), m.error) ||
					!strings.Contains(r.text(), " valid call") {
					t.Errorf("%s", r.text())
				}
			}
		})
	}
}

// TestWarningsAreText verifies that the text of a response has its warnings as sentences, including
// the first one.
func TestWarningsAreText(t *testing.T) {
	s := newServer(t, Options{})
	_, r := s.call(t, callBody("fspl", `{"freq_mhz":"915 MHz","dist_km":"5"}`, ""), nil)
	const want = "warnings: dist_km: \"5\" is read as 5 km, freq_mhz: \"915 MHz\" is read as 915 MHz"
	if !strings.Contains(r.text(), want) {
		t.Errorf("%s", r.text())
	}
}

// TestUnknownTool verifies that the error of an unknown tool contains the call of the tool that a
// search finds, if that tool accepts the arguments.
func TestUnknownTool(t *testing.T) {
	s := newServer(t, Options{})
	for name, c := range map[string]struct{ arguments, want string }{
		"free_space_path_loss": {`{"frequency":"915 MHz","distance":"5 km"}`,
			`Corrected call: {"name":"fspl","arguments":{"dist_km":5,"freq_mhz":915}}`},
		"fsplx": {`{"freq":915,"dist_km":5,"colour":"red"}`,
			"- colour: unknown, left out\nA valid call without the unknown fields: "},
		"wiresize":        {`{}`, "did you mean wire_gauge?"},
		"raid_calculator": {`{}`, "did you mean raid_iops, zfs_capacity"},
		"xyzzy":           {`{}`, `there is no tool "xyzzy". find_tools finds`},
	} {
		_, r := s.call(t, callBody(name, c.arguments, ""), nil)
		if r.Error == nil || !strings.Contains(r.Error.Message, c.want) {
			t.Errorf("%s: %+v %s", name, r.Error, r.text())
		}
	}
	for _, query := range []string{`"wire size"`, `{"q":"wire size"}`, `{"query":["wire","size"]}`} {
		_, r := s.call(t, callBody(findToolsName, query, ""), nil)
		if r.Result.IsError || !strings.Contains(r.text(), `"name":"wire_gauge"`) {
			t.Errorf("%s: %.200s", query, r.text())
		}
	}
}
