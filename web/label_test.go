package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestHelpLine(t *testing.T) {
	for _, c := range []struct{ label, doc, want string }{
		{"Frequency", "Carrier frequency", "Carrier frequency"},
		{"Noise bandwidth", "Noise bandwidth", ""},
		{"Emissivity", "Emissivity: anodized 0.8, bare 0.1; 0 means no radiation",
			"Anodized 0.8, bare 0.1; 0 means no radiation"},
		{"Velocity factor", "Velocity factor; default 0.9516", "Default 0.9516"},
		{"Time", "Time after the start", "Time after the start"},
		{"Freq", "Frequency of the carrier", "Frequency of the carrier"},
		{"Outline", "Outline: x_mm first", "x_mm first"},
		{"Periods", "Periods; default: payments_per_year", "Default: payments_per_year"},
	} {
		if got := beyondLabel(c.label, c.doc); got != c.want {
			t.Errorf("%q under %q: %q, want %q", c.doc, c.label, got, c.want)
		}
	}
}

// TestLabelsOfThePage verifies that forms, results and help lines show the labels of the
// definitions.
func TestLabelsOfThePage(t *testing.T) {
	s := testSite(t)
	find := func(fields []Field, name string) Field {
		t.Helper()
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			t.Fatalf("there is no field %s", name)
		}
		return fields[i]
	}
	for _, c := range []struct{ tool, name, want string }{
		{"link_budget", "rx_sensitivity_dbm", "Receiver sensitivity"},
		{"heatsink_cfd", "fin_thickness_mm", "Fin thickness"},
		{"heatsink_cfd", "base_width_mm", "Base width"},
		{"loan_amortization", "annual_rate_pct", "Annual interest rate"},
		{"timer_555", "r1_ohm", "R1 (VCC to DIS)"},
		{"solar_sizing", "battery_efficiency_pct", "Battery round-trip efficiency"},
		{"pcb_layout", "seed", "Random seed"},
	} {
		if got := find(s.tools[c.tool].Input, c.name).Label; got != c.want {
			t.Errorf("%s.%s is labelled %q, want %q", c.tool, c.name, got, c.want)
		}
	}
	feet := find(s.tools["wavelength_freq"].Output, "wavelength_ft")
	if feet.Label != "Wavelength (ft)" || !feet.InUnit {
		t.Errorf("the wavelength in feet is shown as %+v", feet)
	}
	for _, c := range []struct{ tool, name, want string }{
		{"rc_filter", "c_f", ""},
		{"fspl", "model", "Model of “Path loss”"},
		{"heatsink_cfd", "grid_check", "Solves again with cells twice as long; gives “Grid change”"},
		{"battery_autonomy", "load_w", "Alternative to “Daily energy”"},
		{"battery_autonomy", "daily_wh", "Energy the loads use per day; alternative to “Continuous load”"},
		{"battery_autonomy", "battery_kwh", "Nominal energy of the bank; alternative to “Battery capacity”"},
	} {
		if got := find(s.tools[c.tool].Input, c.name).Note; got != c.want {
			t.Errorf("the help line of %s.%s is %q, want %q", c.tool, c.name, got, c.want)
		}
	}
	if got := find(s.tools["ups_runtime"].Input, "battery_ah").Note; got !=
		"Capacity of one block at “Rated discharge time”, 20 h by default" {
		t.Errorf("a help line names a field as %q", got)
	}
}

// TestNames verifies that texts of a tool contain the names on the page instead of the API's names.
func TestNames(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ text, want string }{
		{s.tools["fspl"].Method(), "two-ray: plane earth"},
		{s.tools["fspl"].Method(), "Hata, COST 231: the median loss"},
		{strings.Join(s.tools["link_budget"].Limits(), ";"), "unless “Path loss” is given"},
		{strings.Join(s.tools["network_bandwidth"].Limits(), ";"), "see “TCP throughput”"},
		{strings.Join(s.tools["microstrip"].Sources(), ";"), "given as “Trace width by IPC-2141”"},
		{s.tools["spice_template"].Summary(), "ready for “SPICE simulation” or any SPICE"},
		{s.tools["solar_sizing"].Examples[3].Title, "MPPT controller"},
		{s.tools["zfs_capacity"].Limits()[0], "“Resilver time” and “dRAID rebuild time”"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%q lacks %q", c.text, c.want)
		}
	}
	_, warnings := s.show(s.tools["pcb_thermal"], nil,
		json.RawMessage(`{"warnings": ["above max_allowed_c 100 °C"]}`))
	if len(warnings) != 1 || strings.Contains(warnings[0], "_") {
		t.Errorf("a warning names a field: %q", warnings)
	}
}

// TestAliases verifies that a quantity which a tool accepts in several units has one field on the
// page. This field must accept all of these units.
func TestAliases(t *testing.T) {
	s := testSite(t)
	rc := s.Tool("rc_filter")
	for _, f := range append(rc.Open(), rc.More()...) {
		if slices.Contains([]string{"c_uf", "c_nf", "c_pf"}, f.Name) {
			t.Errorf("the form has a field %s beside c_f", f.Name)
		}
	}
	for _, c := range []struct {
		values Values
		want   string
	}{
		{Values{"r_ohm": "1k", "c_f": "100n"}, `{"r_ohm":1000,"c_f":1e-07}`},
		{Values{"r_ohm": "1k", "c_nf": "100"}, `{"r_ohm":1000,"c_f":1e-07}`},
		{Values{"r_ohm": "1k", "c_uf": "4.7"}, `{"r_ohm":1000,"c_f":4.7e-06}`},
		{Values{"r_ohm": "1k", "c_f": "1n", "c_nf": "1"}, `{"r_ohm":1000,"c_f":1e-09,"c_nf":1}`},
	} {
		c.values.moveAliases(rc.Input)
		body, mistakes := s.Body(rc, c.values)
		if string(body) != c.want || len(mistakes) > 0 {
			t.Errorf("%s, %v, want %s", body, mistakes, c.want)
		}
	}
}

// TestUnitPicker verifies that the control which selects the unit of a number is next to the
// number. A unit typed with the number must be converted.
func TestUnitPicker(t *testing.T) {
	s := testSite(t)
	zfs := s.Tool("zfs_capacity")
	for _, f := range append(zfs.Open(), zfs.More()...) {
		if f.Name == "drive_size_unit" {
			t.Error("the unit of a number is a field of its own")
		}
	}
	page, err := s.ToolPage(Request{}, zfs, Values{"drive_size_tb": "16", "drive_size_unit": "TiB"},
		nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page),
		`<select id="f-drive_size_unit" name="drive_size_unit" class="unit"`) ||
		!strings.Contains(string(page), `<option value="TiB" selected>TiB</option>`) {
		t.Error("the page has no picker with TiB")
	}
	for _, c := range []struct {
		values Values
		want   string
	}{
		{Values{"drive_size_tb": "16"}, `{"drive_size_tb":16}`},
		{Values{"drive_size_tb": "16", "drive_size_unit": "TiB"},
			`{"drive_size_tb":16,"drive_size_unit":"TiB"}`},
		{Values{"drive_size_tb": "16 TiB", "drive_size_unit": "TiB"},
			`{"drive_size_tb":16,"drive_size_unit":"TiB"}`},
		{Values{"drive_size_tb": "16000 GB"}, `{"drive_size_tb":16}`},
	} {
		if body, mistakes := s.Body(zfs, c.values); string(body) != c.want || len(mistakes) > 0 {
			t.Errorf("%s, %v, want %s", body, mistakes, c.want)
		}
	}
}
