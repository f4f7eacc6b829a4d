package plot

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"slipstick/tools/schema"
)

// Maximum numbers of panels and curves in the picture of a result.
const (
	maxPanels = 4
	maxCurves = 6 // per panel
)

// ResultFigure returns the figure of a tool's result. It shows vectors over time, frequency or a
// swept source, fields over two coordinates, or the list that the tool's definition selects. If the
// first analysis has no sweep, ResultFigure uses the next analysis that has one. vectors selects
// vectors by name; if it is empty, all are selected, node voltages first. ResultFigure returns
// false if there is nothing to plot.
func ResultFigure(
	title string, output *schema.Node, result json.RawMessage, vectors []string,
) (Figure, bool) {
	f := Figure{Title: title, Panels: resultPanels(output, result, vectors)}
	return f, len(f.Panels) > 0
}

func resultPanels(output *schema.Node, result json.RawMessage, vectors []string) []Panel {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil {
		return nil
	}
	for _, field := range output.Fields {
		var panels []Panel
		switch raw := fields[field.Name]; {
		case field.Kind == schema.Map && field.Elem.Kind == schema.Array:
			panels = vectorPanels(raw, vectors)
			addNoiseUnits(panels, fields["noise"])
		case field.Kind == schema.Object:
			panels = fieldPanels(field, raw)
		case field.Kind == schema.Array && field.Plot != "":
			panels = listPanels(field, raw)
		case field.Kind == schema.Array && field.Elem.Kind == schema.Object &&
			hasVectors(field.Elem):
			var entries []json.RawMessage
			_ = json.Unmarshal(raw, &entries) // absent: none
			for _, entry := range entries {
				if panels = resultPanels(field.Elem, entry, vectors); len(panels) > 0 {
					break
				}
			}
		}
		if len(panels) > 0 {
			return panels
		}
	}
	return nil
}

// hasVectors reports whether an object has a map of lists, such as vectors by name.
func hasVectors(node *schema.Node) bool {
	return slices.ContainsFunc(node.Fields, func(f *schema.Field) bool {
		return f.Kind == schema.Map && f.Elem.Kind == schema.Array
	})
}

// fieldPanels draws the matrices of an object over the coordinates in the same object. The first
// coordinate list, X, has a value per column; the second, Y, has a value per row.
func fieldPanels(object *schema.Field, raw json.RawMessage) (panels []Panel) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	type coordinate struct {
		Axis
		values []float64
	}
	var coordinates []coordinate
	for _, f := range object.Fields {
		if f.Kind == schema.Array && f.Elem.Kind == schema.Number {
			c := coordinate{Axis: Axis{Label: f.Label, Unit: f.Unit}}
			if json.Unmarshal(members[f.Name], &c.values) == nil && len(c.values) > 1 {
				coordinates = append(coordinates, c)
			}
		}
	}
	for _, f := range object.Fields {
		var z [][]float64
		if f.Kind != schema.Array || f.Elem.Kind != schema.Array || len(panels) == maxPanels ||
			json.Unmarshal(members[f.Name], &z) != nil || len(z) < 2 {
			continue
		}
		var x, y *coordinate
		for i := range coordinates {
			switch c := &coordinates[i]; {
			case x == nil && len(c.values) == len(z[0]):
				x = c
			case y == nil && len(c.values) == len(z):
				y = c
			}
		}
		if x == nil || y == nil ||
			slices.ContainsFunc(z, func(row []float64) bool { return len(row) != len(z[0]) }) {
			continue
		}
		name := f.Label
		if f.Unit != "" && f.Unit != "1" {
			name += " [" + f.Unit + "]"
		}
		panels = append(panels,
			Panel{X: x.Axis, Y: y.Axis, Heat: &Heat{X: x.values, Y: y.values, Z: z, Name: name}})
	}
	return panels
}

// sweeps maps the sweep variables of an analysis to their axes.
var sweeps = map[string]Axis{
	"time": {Label: "Time", Unit: "s"}, "frequency": {Label: "Frequency", Unit: "Hz"},
	"sweep": {Label: "Sweep"},
}

// outerSweep is the slower variable of a nested sweep.
const outerSweep = "sweep2"

// vectorPanels draws magnitudes, phases, voltages, currents and other vectors in separate panels.
func vectorPanels(raw json.RawMessage, selected []string) []Panel {
	var vectors map[string][]float64
	if json.Unmarshal(raw, &vectors) != nil {
		return nil
	}
	sweep, x := "", Axis{}
	for name, axis := range sweeps {
		if len(vectors[name]) > 1 {
			sweep, x = name, axis
		}
	}
	if sweep == "" {
		return nil
	}
	x.Log = sweep == "frequency" && logarithmic(vectors[sweep])
	names := make([]string, 0, len(vectors))
	for name := range vectors {
		if _, isSweep := sweeps[name]; !isSweep && name != outerSweep &&
			(len(selected) == 0 || selects(selected, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var panels []Panel
	for _, kind := range vectorKinds {
		panel := Panel{X: x, Y: kind.axis}
		for _, name := range names {
			if kind.has(name) && len(panel.Lines) < maxCurves &&
				!(kind.log && zero(vectors[name])) {
				label := strings.TrimSuffix(strings.TrimSuffix(name, "_mag"), "_phase_deg")
				panel.Lines = append(panel.Lines,
					Line{Name: label, X: vectors[sweep], Y: vectors[name], Connect: true})
			}
		}
		panel.Y.Log = kind.log && positive(panel.Lines)
		// The name of the panel of a noise spectrum names it already.
		if len(panel.Lines) == 1 && !strings.HasSuffix(panel.Lines[0].Name, "noise_spectrum") {
			panel.Y.Label += " " + panel.Lines[0].Name
		}
		if len(panel.Lines) > 0 && len(panels) < maxPanels {
			panels = append(panels, panel)
		}
	}
	return panels
}

// addNoiseUnits sets the units of noise densities. noise is that of a simulation, or nil.
func addNoiseUnits(panels []Panel, noise json.RawMessage) {
	var places struct{ Output, Input string }
	if json.Unmarshal(noise, &places) != nil {
		return
	}
	for i := range panels {
		switch name := panels[i].Lines[0].Name; {
		case strings.HasPrefix(name, outputNoise):
			panels[i].Y.Unit = densityUnit(places.Output)
		case strings.HasPrefix(name, inputNoise):
			panels[i].Y.Unit = densityUnit(places.Input)
		}
	}
}

// selects reports whether a vector, or either vector of a complex value, is selected.
func selects(selected []string, name string) bool {
	for _, s := range selected {
		s = strings.ToLower(s)
		if name == s || name == s+"_mag" || name == s+"_phase_deg" {
			return true
		}
	}
	return false
}

// Prefixes of the names of noise spectra.
const (
	outputNoise = "onoise_"
	inputNoise  = "inoise_"
)

// densityUnit returns the unit of the noise density at the output "v(out)" or the source "i1" of a
// noise analysis: that of a voltage or of a current.
func densityUnit(place string) string {
	switch {
	case strings.HasPrefix(place, "v"):
		return "V/√Hz"
	case strings.HasPrefix(place, "i"):
		return "A/√Hz"
	}
	return ""
}

// vectorKinds lists the panels of vectors in order, with the name patterns of their vectors.
var vectorKinds = []struct {
	axis Axis
	log  bool // logarithmic if all values are positive
	has  func(name string) bool
}{
	{Axis{Label: "Magnitude", Unit: ""}, true, func(n string) bool {
		return strings.HasSuffix(n, "_mag") && strings.HasPrefix(n, "v(")
	}},
	{Axis{Label: "Phase", Unit: "°"}, false, func(n string) bool {
		return strings.HasSuffix(n, "_phase_deg") && strings.HasPrefix(n, "v(")
	}},
	{Axis{Label: "Voltage", Unit: "V"}, false, func(n string) bool {
		return strings.HasPrefix(n, "v(") && strings.HasSuffix(n, ")")
	}},
	{Axis{Label: "Current", Unit: "A"}, false, func(n string) bool {
		return strings.HasPrefix(n, "i(") && strings.HasSuffix(n, ")")
	}},
	{Axis{Label: "Current magnitude", Unit: ""}, true, func(n string) bool {
		return strings.HasSuffix(n, "_mag") && strings.HasPrefix(n, "i(")
	}},
	{Axis{Label: "Sensitivity magnitude", Unit: ""}, true, func(n string) bool {
		return strings.HasSuffix(n, "_mag") && !strings.HasPrefix(n, "v(") &&
			!strings.HasPrefix(n, "i(")
	}},
	{Axis{Label: "Output noise density"}, true, func(n string) bool {
		return strings.HasPrefix(n, outputNoise)
	}},
	{Axis{Label: "Input noise density"}, true, func(n string) bool {
		return strings.HasPrefix(n, inputNoise)
	}},
	{Axis{Label: "Value"}, false, func(n string) bool {
		return !strings.HasSuffix(n, "_mag") && !strings.HasSuffix(n, "_phase_deg") &&
			!strings.HasPrefix(n, "v(") && !strings.HasPrefix(n, "i(") &&
			!strings.HasPrefix(n, outputNoise) && !strings.HasPrefix(n, inputNoise)
	}},
}

// logarithmic reports whether ascending positive values are spaced more evenly by ratio than by
// difference.
func logarithmic(x []float64) bool {
	if len(x) < 3 || x[0] <= 0 {
		return false
	}
	mid, last := x[len(x)/2], x[len(x)-1]
	return math.Abs(math.Log(mid/math.Sqrt(x[0]*last))) < math.Abs(math.Log(mid/((x[0]+last)/2)))
}

// zero reports whether all values are 0.
func zero(y []float64) bool {
	return !slices.ContainsFunc(y, func(v float64) bool { return v != 0 })
}

// positive reports whether all values of all lines are positive, as a logarithmic axis requires.
func positive(lines []Line) bool {
	return !slices.ContainsFunc(lines, func(l Line) bool {
		return slices.ContainsFunc(l.Y, func(y float64) bool { return y <= 0 })
	})
}

// minLogDecades is the minimum range of a curve, in decades, for a logarithmic y axis.
const minLogDecades = 1.5

// decades returns the number of decades between the smallest and the largest value. It returns 0
// for a list with a value that is not positive, which a logarithmic axis cannot show.
func decades(y []float64) float64 {
	minimum, maximum := math.Inf(1), 0.0
	for _, v := range y {
		if v <= 0 {
			return 0
		}
		if !math.IsNaN(v) {
			minimum, maximum = min(minimum, v), max(maximum, v)
		}
	}
	if maximum == 0 {
		return 0
	}
	return math.Log10(maximum / minimum)
}

// listPanels draws the numbers in a list of objects over the field that its definition selects.
func listPanels(field *schema.Field, raw json.RawMessage) []Panel {
	var rows []map[string]json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || len(rows) < 2 {
		return nil
	}
	column := func(name string) []float64 {
		out := make([]float64, len(rows))
		for i, row := range rows {
			if string(row[name]) == "null" || json.Unmarshal(row[name], &out[i]) != nil {
				out[i] = math.NaN()
			}
		}
		return out
	}
	over := field.Elem.Field(field.Plot)
	x := column(over.Name)
	var panels []Panel
	for _, f := range field.Elem.Fields {
		if f.Name == over.Name || f.Kind != schema.Number && f.Kind != schema.Integer ||
			len(panels) == maxPanels {
			continue
		}
		y, log := column(f.Name), logarithmic(x)
		panels = append(panels, Panel{
			X:     Axis{Label: over.Label, Unit: over.Unit, Log: log},
			Y:     Axis{Label: f.Label, Unit: f.Unit, Log: log && decades(y) >= minLogDecades},
			Lines: []Line{{Name: f.Label, X: x, Y: y, Connect: true}},
		})
	}
	return panels
}
