package web

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"slipstick/examples/netlists"

	"slipstick/tools/quantity"
)

// SpiceTool is the name of the tool behind /spice.
const SpiceTool = "spice_simulate"

// libraryPart is a library part of the simulator, as listed in the tool's metadata.
type libraryPart struct {
	Name, Kind, Use, Description string
}

type spicePage struct {
	Netlist     control
	Open, More  []control
	Certify     bool
	Tolerances  control
	Examples    []netlists.Group
	Parts       []libraryPart
	Picture     string // URL of the picture of the example; "" without a stored result
	FieldErrors []FieldError
	Result      []shown
	Head        []string // headings of the vector table
	Rows        [][]string
	Left        int // number of points omitted from the table
	Warnings    []string
	Problem     string
}

// tolerancesField is the form field with text such as "R1 5 %, R2 1 %". The tool takes a ratio per
// element.
const tolerancesField = "tolerances"

// NetlistExample returns the text of an example circuit.
func (s *Site) NetlistExample(name string) (text string, ok bool) {
	for _, g := range s.examples {
		for _, n := range g.Netlists {
			if n.Name == name {
				return n.Text, true
			}
		}
	}
	return "", false
}

// Spice returns the simulator page with the given values or, without values, with its first
// example.
func (s *Site) Spice(r Request, v Values, mistakes []FieldError, out *Outcome) ([]byte, error) {
	t := s.tools[SpiceTool]
	if v["netlist"] == "" && len(mistakes) == 0 {
		v["netlist"] = s.examples[0].Netlists[0].Text
	}
	page := spicePage{Examples: s.examples, Certify: v["certify"] == "true", FieldErrors: mistakes}
	if err := remarshal(t.entry.Extras["parts"], &page.Parts); err != nil {
		return nil, err
	}
	if out != nil {
		page.Problem = out.Problem
		for _, f := range out.FieldErrors {
			page.FieldErrors = append(page.FieldErrors, FieldError{pathOf(f), s.labelAt(t, f),
				detailOf(f)})
		}
		if out.Result != nil {
			s.showSimulation(t, out.Result, &page)
		}
	}
	var data any
	if example := s.spiceExample(v["netlist"]); len(v) == 1 && out == nil &&
		s.storedResult(example) != "" {
		page.Picture, data = s.picture(example),
			map[string]string{"stored": s.storedResult(example)}
	}
	for _, m := range page.FieldErrors {
		if strings.HasPrefix(m.Path, tolerancesField) {
			page.Tolerances.Error = m.Detail
		}
	}
	page.Tolerances.Text = v[tolerancesField]
	for _, c := range s.controls("", t.Input, v, page.FieldErrors) {
		switch c.Name {
		case "netlist":
			page.Netlist = c
		case "analysis":
			page.Open = append(page.Open, c)
		case "temperature_c", "output_node":
			page.More = append(page.More, c)
		}
	}
	return s.render("spice", layout{
		Request: r, Title: "SPICE simulator", Module: "spice", Style: "spice",
		Data: data, Page: page,
		Preview:     preview(SpiceTool),
		Description: "Write a netlist, run it, read the curves: operating point, DC sweep, AC and transient analysis in the browser",
	})
}

// SpiceBody converts the page's form to the tool's input.
func (s *Site) SpiceBody(v Values) (json.RawMessage, []FieldError) {
	t, form := s.tools[SpiceTool], Values{}
	for name, text := range v {
		form[name] = text
	}
	delete(form, tolerancesField)
	tolerances, mistake := readTolerances(v[tolerancesField])
	body, mistakes := s.Body(t, form)
	if mistake != nil {
		return nil, append(mistakes, *mistake)
	}
	if len(tolerances) == 0 || len(mistakes) > 0 {
		return body, mistakes
	}
	input := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &input); err != nil {
		return nil, []FieldError{{Detail: err.Error()}}
	}
	input[tolerancesField], _ = json.Marshal(tolerances) // cannot fail: the numbers are finite
	body, _ = json.Marshal(input)
	return body, nil
}

// readTolerances parses "R1 5 %, R2=1" and returns a ratio per element. The percent sign is
// optional. spice_form.js implements the same rule.
func readTolerances(text string) (map[string]float64, *FieldError) {
	list := map[string]float64{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r == ',' || r == ';' || r == '\n'
	}) {
		words := strings.FieldsFunc(strings.TrimSuffix(strings.TrimSpace(part), "%"),
			func(r rune) bool { return r == ' ' || r == '\t' || r == '=' || r == ':' || r == '±' })
		if len(words) == 0 {
			continue
		}
		percent := math.NaN()
		if len(words) == 2 {
			percent = percentOf(words[1])
		}
		if math.IsNaN(percent) {
			return nil, &FieldError{tolerancesField, "Tolerances",
				"has \"" + strings.TrimSpace(part) +
					"\"; write an element and its percent, such as R1 5 %, R2 1 %"}
		}
		list[words[0]] = percent / 100
	}
	return list, nil
}

// percentOf returns the value of a plain number, or NaN for other text.
func percentOf(text string) float64 {
	var v float64
	if json.Unmarshal([]byte(text), &v) != nil {
		return math.NaN()
	}
	return v
}

// remarshal converts a value to another type through JSON.
func remarshal(from, to any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, to)
}

const vectorRows = 200

// showSimulation adds a result to the page. It shows the vectors as one table of evenly spaced
// points.
func (s *Site) showSimulation(t *Tool, result json.RawMessage, page *spicePage) {
	var object map[string]json.RawMessage
	var vectors map[string][]float64
	if json.Unmarshal(result, &object) != nil || json.Unmarshal(object["vectors"],
		&vectors) != nil {
		return
	}
	_ = json.Unmarshal(object["warnings"], &page.Warnings)
	delete(object, "vectors")
	var point shown
	point.Label, point.Group = "Operating point", s.operatingPoint(object["operating_point"])
	delete(object, "operating_point")
	page.Result = s.showFields(t.Output, object)
	if len(point.Group) > 0 { // below the analysis
		page.Result = slices.Insert(page.Result, min(1, len(page.Result)), point)
	}
	names := make([]string, 0, len(vectors))
	points := 0
	for name, values := range vectors {
		names = append(names, name)
		points = max(points, len(values))
	}
	axes := []string{"time", "frequency", "sweep", "sweep2"}
	slices.SortFunc(names, func(a, b string) int {
		i, j := slices.Index(axes, a), slices.Index(axes, b)
		if (i >= 0) != (j >= 0) {
			return j - i // the x axis comes first
		}
		return strings.Compare(a, b)
	})
	page.Head = names
	stride := max(1, (points+vectorRows-1)/vectorRows)
	for i := 0; i < points; i += stride {
		row := make([]string, len(names))
		for n, name := range names {
			if i < len(vectors[name]) {
				row[n] = quantity.Digits(vectors[name][i], "")
			}
		}
		page.Rows = append(page.Rows, row)
	}
	page.Left = points - len(page.Rows)
}

// devicePoint is the operating point of a device in the result of the simulator.
type devicePoint struct {
	Device, Kind, Region string
	Quantities           map[string]float64
}

// deviceKinds maps the letters of elements to the headings of their operating points, as
// spice_numbers.js does.
var deviceKinds = map[string]string{
	"r": "Resistors", "l": "Inductors", "c": "Capacitors", "v": "Voltage sources",
	"i": "Current sources", "d": "Diodes", "q": "Bipolar transistors", "m": "MOSFETs",
	"e": "Controlled voltages", "g": "Controlled currents", "x": "Subcircuits",
}

// operatingPoint returns a table for each kind of device, with a unit beside each number.
func (s *Site) operatingPoint(raw json.RawMessage) (list []shown) {
	var points []devicePoint
	_ = json.Unmarshal(raw, &points)
	kinds := map[string][]devicePoint{}
	for _, p := range points {
		kinds[p.Kind] = append(kinds[p.Kind], p)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		table := shown{Head: []string{"Device"}}
		table.Label = cmp.Or(deviceKinds[kind], strings.ToUpper(kind))
		quantities := map[string]bool{}
		hasRegion := false
		for _, p := range kinds[kind] {
			hasRegion = hasRegion || p.Region != ""
			for name := range p.Quantities {
				quantities[name] = true
			}
		}
		if hasRegion {
			table.Head = append(table.Head, "Region")
		}
		names := slices.Sorted(maps.Keys(quantities))
		for _, name := range names {
			table.Head = append(table.Head, strings.TrimSuffix(name, "_w"))
		}
		for _, p := range kinds[kind] {
			line := []string{p.Device}
			if hasRegion {
				line = append(line, p.Region)
			}
			for _, name := range names {
				text := "–"
				if v, ok := p.Quantities[name]; ok {
					text = s.units.Show(v, deviceUnit(name))
				}
				line = append(line, text)
			}
			table.Cells = append(table.Cells, line)
		}
		list = append(list, table)
	}
	return list
}

// deviceUnit returns the unit of a quantity of a device by its name, such as vbe, ic, gm or
// power_w. spice_numbers.js implements the same rule.
func deviceUnit(name string) string {
	switch {
	case strings.HasSuffix(name, "_w"):
		return "W"
	case strings.HasPrefix(name, "beta"), strings.HasPrefix(name, "region"):
		return ""
	}
	return map[byte]string{'w': "W", 'v': "V", 'i': "A", 'g': "S", 'r': "Ω", 'c': "F"}[name[0]]
}
