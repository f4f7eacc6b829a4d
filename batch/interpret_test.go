package batch

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// TestInterpret compares texts with numbers in the unit of their field, by hand. A text that is
// ambiguous in a netlist, or no number, remains. So does a request with too many entries.
func TestInterpret(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, entry, want string
		notes             int
	}{
		{"fspl", `{"field": "/dist_km", "from": "500 m", "to": "20 km"}`,
			`{"field": "/dist_km", "from": 0.5, "to": 20}`, 2},
		{"fspl", `{"field": "freq_mhz", "values": ["2.4 GHz", 915, "868M"]}`,
			`{"field": "freq_mhz", "values": [2400, 915, 868]}`, 1},
		{"fspl", `{"field": "/dist_km", "values": [1, 2]}`, `{"field": "/dist_km", "values": [1, 2]}`, 0},
		{"fspl", `{"field": "/dist_km", "values": ["far", "1 km"]}`,
			`{"field": "/dist_km", "values": ["far", "1 km"]}`, 0},
		{"lora_range_estimate", `{"field": "/terrain", "values": ["open", "urban"]}`,
			`{"field": "/terrain", "values": ["open", "urban"]}`, 0},
		{"lora_airtime", `{"field": "/sf", "values": ["SF7", "SF10"]}`,
			`{"field": "/sf", "values": [7, 10]}`, 1},
		{"lora_airtime", `{"field": "sf", "from": "SF7", "to": 10}`,
			`{"field": "sf", "from": 7, "to": 10}`, 1},
		{"lora_airtime", `{"field": "/sf", "values": ["number7", "qty10"]}`,
			`{"field": "/sf", "values": ["number7", "qty10"]}`, 0},
		{"spice_simulate", `{"field": "element:R1", "values": ["R1", "number7"]}`,
			`{"field": "element:R1", "values": ["R1", "number7"]}`, 0},
		{"spice_simulate", `{"field": "element:R1", "values": ["1k", "2k2"], "tolerance_pct": "5 %"}`,
			`{"field": "element:R1", "values": [1000, 2200], "tolerance_pct": 5}`, 2},
		{"spice_simulate", `{"field": "element:R1", "from": "1M", "to": "1k"}`,
			`{"field": "element:R1", "from": "1M", "to": 1000}`, 1},
		{"spice_simulate", `{"field": "element:R1", "values": ["R1", "R2"]}`,
			`{"field": "element:R1", "values": ["R1", "R2"]}`, 0},
		{"spice_simulate", `{"field": "element:r1", "values": ["R47", "R100", "1k"]}`,
			`{"field": "element:r1", "values": [0.47, 0.1, 1000]}`, 1},
		{"spice_simulate", `{"field": "element:R1", "from": "R47", "to": "R1234"}`,
			`{"field": "element:R1", "from": 0.47, "to": "R1234"}`, 1},
		{"spice_simulate", `{"field": "element:C1", "values": ["R47"]}`,
			`{"field": "element:C1", "values": ["R47"]}`, 0},
		{"spice_simulate", `{"field": "element:C1", "values": ["R47", "1u"]}`,
			`{"field": "element:C1", "values": ["R47", "1u"]}`, 0},
		{"spice_simulate", `{"field": "param:c", "values": ["R47"]}`,
			`{"field": "param:c", "values": ["R47"]}`, 0},
		// The numbers of a coding rate are 5 to 8. 4/5 is no integer.
		{"lora_airtime", `{"field": "/cr", "values": ["4/5", "4/6"]}`,
			`{"field": "/cr", "values": ["4/5", "4/6"]}`, 0},
		{"lora_airtime", `{"field": "/bw_khz", "from": "125 kHz", "to": "0.5 MHz"}`,
			`{"field": "/bw_khz", "from": 125, "to": 500}`, 2},
		{"lora_airtime", `{"field": "/bw_khz", "values": ["0.125 MHz", 250], "tolerance_pct": "1 %"}`,
			`{"field": "/bw_khz", "values": [125, 250], "tolerance_pct": 1}`, 2},
		{"noise_figure_cascade", `{"field": "/stages/0/nf_db", "values": ["2 dB", 3]}`,
			`{"field": "/stages/0/nf_db", "values": [2, 3]}`, 1},
		{"lora_airtime", `{"field": "/payload_bytes", "values": ["20 B", "40"]}`,
			`{"field": "/payload_bytes", "values": [20, 40]}`, 1},
		{"lora_airtime", `{"field": "/payload_bytes", "values": ["20.5 B"]}`,
			`{"field": "/payload_bytes", "values": ["20.5 B"]}`, 0},
		{"spice_template", `{"field": "/params/r_ohms", "values": ["1k"]}`, // a map
			`{"field": "/params/r_ohms", "values": ["1k"]}`, 0},
		// The values would be moved into an entry of stages, or into params.
		{"noise_figure_cascade", `{"field": "/nf_db", "values": ["2 dB", "3 dB"]}`,
			`{"field": "/nf_db", "values": ["2 dB", "3 dB"]}`, 0},
		{"spice_template", `{"field": "/r_ohms", "values": ["1k", "2k"]}`,
			`{"field": "/r_ohms", "values": ["1k", "2k"]}`, 0},
	} {
		tool, err := all.Find(c.tool)
		if err != nil {
			t.Fatal(err)
		}
		read, notes := Interpret(tool.Tool, []byte(`{"vary": [`+c.entry+`]}`))
		if !same(t, read, `{"vary": [`+c.want+`]}`) || len(notes) != c.notes {
			t.Errorf("%s: %s %q, want %s", c.entry, read, notes, c.want)
		}
	}
	tool, err := all.Find("fspl")
	if err != nil {
		t.Fatal(err)
	}
	entry := `{"field": "/dist_km", "values": ["1 km"]}`
	body := `{"vary": [` + strings.Repeat(entry+",", MaxVariations) + entry + `]}`
	read, notes := Interpret(tool.Tool, []byte(body))
	if string(read) != body || notes != nil {
		t.Errorf("too many entries: %s %q", read, notes)
	}
	lora, err := all.Find("lora_airtime")
	if err != nil {
		t.Fatal(err)
	}
	read, notes = Interpret(lora.Tool, []byte(`{"input": {"sf": "SF7", "cr": "x5"}}`))
	if !same(t, read, `{"input": {"sf": 7, "cr": "x5"}}`) || len(notes) != 1 {
		t.Errorf("%s %q", read, notes)
	}
	read, notes = Interpret(tool.Tool, []byte(`{"input": {"freq_mhz": "2.4 GHz", "dist_km": 5}}`))
	if !same(t, read, `{"input": {"freq_mhz": 2400, "dist_km": 5}}`) || len(notes) != 1 {
		t.Errorf("%s %q", read, notes)
	}
}

// TestInterpretsAsCalls verifies that a request takes names, words and units as a call of its tool
// does, also in an input without the varied field. A change that needs a guess is not made.
func TestInterpretsAsCalls(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, request, want string }{
		{"fspl", `{"input": {"frequency": "2.4 GHz"}, "vary": [{"field": "/dist_km", "values": [1]}]}`,
			`{"input": {"freq_mhz": 2400}, "vary": [{"field": "/dist_km", "values": [1]}]}`},
		{"fspl", `{"input": {"freqMhz": 915, "dist_km": "1,000"}}`,
			`{"input": {"freq_mhz": 915, "dist_km": "1,000"}}`},
		{"fspl", `{"input": {"freqMhz": 915, "freq_mhz": 868}}`,
			`{"input": {"freqMhz": 915, "freq_mhz": 868}}`},
		{"fspl", `{"input": {"freq": 915}}`, `{"input": {"freq": 915}}`},
		{"fspl", `{"mode": "list", "input": {"frequency_ghz": 2.4}, "inputs": [{"distance": "500 m"}, {"dist_km": 2}]}`,
			`{"mode": "list", "input": {"freq_mhz": 2400}, "inputs": [{"dist_km": 0.5}, {"dist_km": 2}]}`},
		{"fspl", `{"vary": [{"field": "/distance", "from": "500 m", "to": "20 km"}]}`,
			`{"vary": [{"field": "/dist_km", "from": 0.5, "to": 20}]}`},
		{"fspl", `{"vary": [{"field": "distKm", "values": [1, 2e0]}]}`,
			`{"vary": [{"field": "/dist_km", "values": [1, 2]}]}`},
		{"date_difference", `{"input": {"start_date": "1/2/2026", "end_date": "May 5, 2026"}}`,
			`{"input": {"start_date": "1/2/2026", "end_date": "2026-05-05"}}`},
		{"fspl", `{"vary": [{"field": "/distance", "values": ["1 km", 2]}]}`, // 2 of what?
			`{"vary": [{"field": "/distance", "values": ["1 km", 2]}]}`},
		{"fspl", `{"vary": [{"field": "/distance_m", "from": 100, "to": 2000}]}`, // converted
			`{"vary": [{"field": "/distance_m", "from": 100, "to": 2000}]}`},
		{"zfs_capacity", `{"input": {"drive_size_tb": "16 TiB", "drive_size_unit": "tib"}}`,
			`{"input": {"drive_size_tb": 16, "drive_size_unit": "TiB"}}`},
		{"zfs_capacity", `{"input": {"drive_size_unit": "TiB"}, "vary": [{"field": "/drive_size_tb", "from": "8 TiB", "to": "16 TiB"}]}`,
			`{"input": {"drive_size_unit": "TiB"}, "vary": [{"field": "/drive_size_tb", "from": 8, "to": 16}]}`},
		{"zfs_capacity", `{"vary": [{"field": "/drive_size_tb", "values": ["16 TiB"]}]}`, // in TB
			`{"vary": [{"field": "/drive_size_tb", "values": [17.592186044416]}]}`},
		{"zfs_capacity", `{"input": {"drive_size_unit": "TiB"}, "inputs": [{"drive_size_tb": "16 TiB"}, {"drive_size_tb": "2 TB", "drive_size_unit": "TB"}]}`,
			`{"input": {"drive_size_unit": "TiB"}, "inputs": [{"drive_size_tb": 16}, {"drive_size_tb": 2, "drive_size_unit": "TB"}]}`},
		{"zfs_capacity", `{"input": {"drive_size_tb": "16 TiB"}, "vary": [{"field": "driveSizeUnit", "values": ["TB", "TiB"]}]}`,
			`{"input": {"drive_size_tb": "16 TiB"}, "vary": [{"field": "/drive_size_unit", "values": ["TB", "TiB"]}]}`},
		{"zfs_capacity", `{"input": {"drive_size_tb": "16 TiB", "drive_size_unit": "TiB"}, "inputs": [{"drive_size_unit": "TB"}]}`,
			`{"input": {"drive_size_tb": "16 TiB", "drive_size_unit": "TiB"}, "inputs": [{"drive_size_unit": "TB"}]}`},
		{"noise_figure_cascade", `{"input": {"stages": [{"nf_db": "2 dB", "gain_db": 10}]}}`,
			`{"input": {"stages": [{"nf_db": 2, "gain_db": 10}]}}`},
		{"lora_range_estimate", `{"input": {"txDbm": 20}, "vary": [{"field": "/terrain", "values": ["Open", "dense-urban", "moon"]}]}`,
			`{"input": {"tx_dbm": 20}, "vary": [{"field": "/terrain", "values": ["open", "dense_urban", "moon"]}]}`},
	} {
		tool, err := all.Find(c.tool)
		if err != nil {
			t.Fatal(err)
		}
		read, notes := Interpret(tool.Tool, []byte(c.request))
		if !same(t, read, c.want) || (len(notes) > 0) == same(t, read, c.request) {
			t.Errorf("%s: %s %q, want %s", c.request, read, notes, c.want)
		}
	}
}

// TestInterpretLeavesRequests verifies that a request with a name twice remains, so that Parse
// rejects it. So does a request whose entries are too many to read. A guess within an object that
// repeats a field has an end.
func TestInterpretLeavesRequests(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := all.Find("fspl")
	if err != nil {
		t.Fatal(err)
	}
	list := func(entry string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + "]"
	}
	for _, c := range []struct {
		request string
		notes   int
	}{
		{`{"input": {"dist_km": "1 km"}, "input": {"dist_km": 2}}`, 0},
		{`{"vary": [{"field": "/dist_km", "from": "500 m", "from": 1, "to": 2}]}`, 0},
		{`{"input": {"dist_km": "1 km", "dist_km": 2}}`, 0},
		{`{"input": {"dist_km": "1,000", "radio": {"dist_km": "1,000"}}}`, 0},
		{`{"inputs": ` + list(`{"dist_km": "1 km"}`, maxInterpreted+1) + `}`, 0},
		{`{"inputs": ` + list(`{"distance": "1 km"}`, 2001) + `}`, 1},
		{`{"vary": [{"field": "/dist_km", "values": ` + list(`"1 km"`, maxInterpreted+1) + `}]}`, 1},
		{`{"vary": [{"field": "/dist_km", "values": ` + list(`"1 km"`, 6000) + `},
			{"field": "/freq_mhz", "values": ` + list(`"1 GHz"`, 6000) + `}]}`, 1},
		{`{"vary": [{"field": "/distance", "values": ` + list(`"1 km"`, 2001) + `}]}`, 1},
	} {
		read, notes := Interpret(tool.Tool, []byte(c.request))
		if string(read) != c.request || len(notes) != c.notes {
			t.Errorf("%.80s: %.80s %q", c.request, read, notes)
		}
	}
	body := `{"inputs": ` + list(`{"distance": "1 km"}`, 2000) + `}`
	read, notes := Interpret(tool.Tool, []byte(body))
	if len(notes) != maxWarnings+1 || strings.Contains(string(read), "distance") {
		t.Errorf("2000 names: %.80s %q", read, notes)
	}
	body = `{"vary": [{"field": "/dist_km", "values": ` + list(`"500 m"`, maxInterpreted) + `}]}`
	want := `{"vary": [{"field": "/dist_km", "values": ` + list(`0.5`, maxInterpreted) + `}]}`
	read, notes = Interpret(tool.Tool, []byte(body))
	if len(notes) != 1 || !same(t, read, want) {
		t.Errorf("%d texts: %.80s %q", maxInterpreted, read, notes)
	}
}

// TestInterpretNotes compares the notes with their exact text. A note about the complete input
// names no field, a long text is shown in part, and every change counts.
func TestInterpretNotes(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("~", 100) + "1 km"
	data := strings.TrimSuffix(strings.Repeat(`"1",`, 50), ",")
	for _, c := range []struct {
		tool, request string
		first, last   string
	}{
		{"fspl", `{"input": "{\"freq_mhz\":915}"}`,
			"input: the text is read as JSON", "input: the text is read as JSON"},
		{"fspl", `{"input": {"freq_mhz": "1 GHz"}}`, `input.freq_mhz: "1 GHz" is read as 1000 MHz`,
			`input.freq_mhz: "1 GHz" is read as 1000 MHz`},
		{"fspl", `{"vary": [{"field": "/dist_km", "values": ["` + long + `", 1]}]}`,
			`vary[0].values: "` + long[:57] + `…" is read as 1 km`,
			`vary[0].values: "` + long[:57] + `…" is read as 1 km`},
		{"confidence_interval", `{"input": {"data": [` + data + `]}}`,
			`input.data[0]: "1" is read as 1`,
			fmt.Sprintf("%d more changes are not listed", 50-min(maxWarnings, 20))},
	} {
		tool, err := all.Find(c.tool)
		if err != nil {
			t.Fatal(err)
		}
		_, notes := Interpret(tool.Tool, []byte(c.request))
		if len(notes) == 0 || notes[0] != c.first || notes[len(notes)-1] != c.last {
			t.Errorf("%.80s: %q, want %q and %q", c.request, notes, c.first, c.last)
		}
	}
}

// same reports whether two JSON texts have equal values.
func same(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}
