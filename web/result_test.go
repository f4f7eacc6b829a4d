package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"slipstick/tools/quantity"
)

// TestUnitText verifies that a unit that the user selects is omitted, and that a price has the unit
// of its denominator.
func TestUnitText(t *testing.T) {
	for unit, want := range map[string]string{
		"": "", "1": "", "*": "", "MHz": "MHz", "m/s": "m/s", "currency": "", "length": "",
		"length²": "", "fuel": "",
		"currency/kWh": "per kWh", "fuel/(kW h)": "per kW h", "currency/fuel": "",
	} {
		if got := quantity.UnitText(unit); got != want {
			t.Errorf("%q is shown as %q, want %q", unit, got, want)
		}
	}
}

// TestShownUnits verifies that results have the units that the inputs of the call determine.
func TestShownUnits(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ tool, result, want string }{
		{"wire_gauge", `{"awg": "10"}`, "10 AWG"},
		{"wire_gauge", `{"awg": "1/0"}`, "1/0 AWG"},
		{"wire_gauge", `{"awg": "250 kcmil"}`, "250 kcmil"},
		{"unit_convert", `{"result": 1.609344, "to_unit": "km"}`, "1.60934 km"},
		{"unit_convert", `{"result": 1609344, "to_unit": "mm"}`, "1\u202f609\u202f344 mm"},
		{"unit_convert", `{"result": 37, "to_unit": "C"}`, "37 °C"},
		{"percentage_calc", `{"result": 15, "operation": "what_percent"}`, "15 %"},
		{"percentage_calc", `{"result": 12, "operation": "percent_of"}`, "12"},
		{"p_value", `{"tail": "two_sided"}`, "two-sided"},
		{"confidence_interval", `{"method": "agresti_coull"}`, "Agresti-Coull"},
		{"loan_amortization", `{"payment": 1199.1}`, "1199.10"},
		{"power_cost", `{"monthly_cost": 54.75}`, "54.75"},
		{"circumference", `{"circumference": 15.708}`, "15.708"},
		{"pythagorean_theorem", `{"angle_a_deg": 53.13010235}`, "53.13°"},
		{"zfs_capacity", `{"raw_bytes": 251991072768000}`,
			"251\u202f991\u202f072\u202f768\u202f000 B"},
	} {
		list, _ := s.show(s.tools[c.tool], nil, json.RawMessage(c.result))
		if len(list) == 0 || list[0].Text != c.want {
			t.Errorf("%s of %s is shown as %+v, want %q", c.result, c.tool, list, c.want)
		}
	}
}

// TestObjectsInTables verifies that a table cell shows the values of an object without names and
// null values. The table must have no column for a list of objects.
func TestObjectsInTables(t *testing.T) {
	s := testSite(t)
	const result = `{"solutions": [{"topology": "shunt_at_load",
		"series": {"type": "inductor", "reactance_ohm": 86.60254, "inductance_h": 1.378322e-7,
			"capacitance_f": null},
		"smith": [{"re": 0.6, "im": 0}, {"re": 0.4285714, "im": -0.4948717}]}]}`
	list, _ := s.show(s.tools["impedance_match"], nil, json.RawMessage(result))
	if len(list) != 1 || len(list[0].Cells) != 1 {
		t.Fatalf("%+v", list)
	}
	got := strings.Join(list[0].Cells[0], "|")
	if !strings.Contains("|"+got+"|", "|inductor, 86.6 Ω, 137.8 nH|") {
		t.Errorf("the inductor is not in %q", got)
	}
	if strings.Contains(got, "-0.49") {
		t.Errorf("the points of the Smith chart are in %q", got)
	}
}

// TestInstants verifies that results show all digits of instants, because the last ones are the
// time of the day: 2451545.0 is the noon of J2000.
func TestInstants(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ name, value, want string }{
		{"julian_date", "2451545.25", "2\u202f451\u202f545.25 d"},
		{"unix_seconds", "1709210096.5", "1\u202f709\u202f210\u202f096.5 s"},
		{"unix_ms", "1709210096500.25", "1\u202f709\u202f210\u202f096\u202f500.25 ms"},
	} {
		output := s.Tool("timestamp_converter").Output
		f := output[slices.IndexFunc(output, func(f Field) bool { return f.Name == c.name })]
		if got := brief(f, s.cell(f, json.RawMessage(c.value))); got != c.want {
			t.Errorf("%s of %s is shown as %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

// TestInputsAreNotResults verifies that results omit an input, unless it is the only result or its
// value differs.
func TestInputsAreNotResults(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ name, tool, input, result, want string }{
		{"given", "ohms_law", `{"voltage_v":12,"resistance_ohm":470}`,
			`{"voltage_v":12,"current_a":0.0255,"resistance_ohm":470.0,"power_w":0.306}`,
			"Current, Power"},
		{"another value", "trace_width", `{"current_a":3,"width_mm":1,"temp_rise_c":10}`,
			`{"width_mm":1,"thickness_mm":0.035,"temp_rise_c":54.2}`,
			"Copper thickness, Temperature rise"},
		{"text by default", "spice_template", `{"template":"low_pass_rc","params":{}}`,
			`{"netlist":"","component_count":3,"analysis_type":"ac"}`, "Netlist, Element count"},
		{"by default", "p_value", `{"statistic":1.96}`, `{"p_value":0.05,"alpha":0.05}`, "p-value"},
	} {
		var labels []string
		list, _ := s.show(s.tools[c.tool], json.RawMessage(c.input), json.RawMessage(c.result))
		for _, f := range list {
			labels = append(labels, f.Label)
		}
		if got := strings.Join(labels, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestForeignCircuit verifies that a board does not get the name of an example whose netlist the
// user has replaced.
func TestForeignCircuit(t *testing.T) {
	s := testSite(t)
	example, ok := s.BoardExample("rs485_node")
	if !ok {
		t.Fatal("no such example")
	}
	name := func(name, netlist string) any {
		t.Helper()
		body, mistakes := s.BoardBody(Values{"name": name, "netlist": netlist})
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			t.Fatal(err)
		}
		return request["name"]
	}
	const other = "divider\nR1 in out 10k\nR2 out 0 10k\n.end\n"
	for _, c := range []struct {
		name, netlist string
		want          any
	}{
		{"rs485_node", example["netlist"], "rs485_node"},
		{"rs485_node", example["netlist"] + "\n; a remark", "rs485_node"},
		{"rs485_node", other, nil},
		{"led_blinker_555", other, nil}, // this circuit is a list of parts
		{"mine", other, "mine"},
	} {
		if got := name(c.name, c.netlist); got != c.want {
			t.Errorf("%.20q as %s is called %v, want %v", c.netlist, c.name, got, c.want)
		}
	}
}

// TestTablePrefixes verifies that columns with numbers of seven digits or more, or below a
// thousandth of the unit, have a prefix and unit per number. It also verifies that the headings of
// other columns have the unit.
func TestTablePrefixes(t *testing.T) {
	s := testSite(t)
	fields := []Field{
		{Name: "use", Label: "Use", Kind: Text},
		{Name: "size", Label: "Size", Kind: Quantity, Unit: "B"},
		{Name: "loss", Label: "Loss", Kind: Quantity, Unit: "W"},
		{Name: "count", Label: "Count", Kind: Quantity},
	}
	head, cells := s.table(fields, json.RawMessage(`[{"use":"slop","size":137438953472,"loss":0.25,"count":12345678},{"use":"none","size":0,"loss":2,"count":1}]`))
	if want := []string{"Use", "Size", "Loss [W]", "Count"}; !slices.Equal(head, want) {
		t.Errorf("heading %q, want %q", head, want)
	}
	want := []string{"slop", "137.4 GB", "0.250", "12\u202f345\u202f678"}
	if !slices.Equal(cells[0], want) {
		t.Errorf("row %q, want %q", cells[0], want)
	}
}
