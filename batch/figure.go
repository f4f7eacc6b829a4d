package batch

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"slipstick/plot"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// maxPanels and maxCurves limit the panels per figure and the curves per panel.
const maxPanels, maxCurves = 4, 8

// Figure returns the figure of a batch. It contains curves over one varied field, a heat map over
// two numeric fields, or a curve for each value of a text field. Random modes yield histograms with
// limits, solve yields its scan, and an optimizer its progress. name selects the collected column.
// If it is "", Figure draws the columns with a limit or, without limits, the first columns.
func (p *Plan) Figure(runs []Run, name string) plot.Figure {
	f := plot.Figure{Title: p.Tool.Title}
	if l := p.Request.Label; l != nil && *l != "" {
		f.Title = *l
	}
	for _, k := range p.drawn(runs, name) {
		f.Panels = append(f.Panels, p.panel(runs, k))
	}
	return f
}

// drawn selects the collected columns of a figure. It omits columns without any number, such as
// results that the input does not request, unless name selects them.
func (p *Plan) drawn(runs []Run, name string) []int {
	switch {
	case name != "":
		if k := p.collectedIndex(name); k >= 0 {
			return []int{k}
		}
		return nil
	case p.Request.Target != nil:
		return []int{p.collectedIndex(p.Request.Target.Name)}
	case p.Request.Objective != nil:
		return []int{p.collectedIndex(*p.Request.Objective)}
	}
	var out []int
	for k, c := range p.columns {
		_, limited := p.Request.Limits[c.name]
		known := slices.ContainsFunc(runs, func(r Run) bool { return !math.IsNaN(r.Collected[k]) })
		if known && (limited || len(p.Request.Limits) == 0) {
			out = append(out, k)
		}
	}
	if p.isMap() {
		return out[:min(len(out), 1)]
	}
	return out[:min(len(out), maxPanels)]
}

// isMap reports whether the batch is a grid over two fields with several values each.
func (p *Plan) isMap() bool {
	return p.Request.Mode == Grid && len(p.sources) == 2 && p.sources[0].count > 1 &&
		p.sources[1].count > 1
}

// panel returns the panel of one collected column.
func (p *Plan) panel(runs []Run, k int) plot.Panel {
	c := p.columns[k]
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = r.Collected[k]
	}
	axis := plot.Axis{Label: c.label(), Unit: c.unit}
	panel := plot.Panel{X: plot.Axis{Label: "Run"}, Y: axis, Marks: p.marks(c.name, false)}
	switch {
	case isRandom(p.Request.Mode):
		panel = plot.Panel{X: axis, Y: plot.Axis{Label: "Runs"}, Marks: p.marks(c.name, true)}
		if h := newStatistics(runs, k).Histogram; h != nil {
			panel.Bars = &plot.Bars{Edges: h.Edges, Counts: h.Counts}
		}
	case p.isMap():
		if heat := p.heat(runs, values); heat != nil {
			heat.Name = c.label()
			return plot.Panel{X: p.fieldAxis(1), Y: p.fieldAxis(0), Heat: heat}
		}
		if lines, entry := p.family(runs, values); lines != nil {
			panel.X, panel.Lines = p.fieldAxis(entry), lines
			return panel
		}
		panel.Lines = []plot.Line{{X: p.indexes(runs), Y: values}}
	case len(p.sources) == 1 && p.numeric(runs):
		x := make([]float64, len(runs))
		for i, r := range runs {
			x[i] = scalar(json.RawMessage(r.Values[0]))
		}
		panel.X = p.fieldAxis(0)
		if p.Request.Mode == Solve {
			if p.scansDecades() && x[0] > 0 {
				panel.X.Log = true
			}
			panel.Marks = append(panel.Marks, p.rootMarks(x, runs)...)
		}
		x, values = sortedBy(x, values)
		panel.Lines = []plot.Line{{X: x, Y: values, Connect: len(x) > 1}}
	case p.Searches():
		panel.Lines = []plot.Line{{Name: "run", X: p.indexes(runs), Y: values},
			{Name: "best", X: p.indexes(runs), Y: p.bestSoFar(runs), Connect: true}}
	default:
		panel.Lines = []plot.Line{{X: p.indexes(runs), Y: values, Connect: true}}
	}
	return panel
}

func (p *Plan) indexes(runs []Run) []float64 {
	x := make([]float64, len(runs))
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// numeric reports whether all values of the first varied field are numbers.
func (p *Plan) numeric(runs []Run) bool {
	return !slices.ContainsFunc(runs, func(r Run) bool {
		return math.IsNaN(scalar(json.RawMessage(r.Values[0])))
	})
}

// bestSoFar returns, for each run, the objective of the best run so far; NaN before the first run
// within the limits.
func (p *Plan) bestSoFar(runs []Run) []float64 {
	k := p.collectedIndex(*p.Request.Objective)
	out := make([]float64, len(runs))
	best, least := math.NaN(), math.Inf(1)
	for i, r := range runs {
		if x, ok := p.feasible(r); ok && x < least {
			best, least = r.Collected[k], x
		}
		out[i] = best
	}
	return out
}

// maxRootMarks is the maximum number of roots marked in a figure.
const maxRootMarks = 6

// rootMarks returns marks at the first roots of solve. x is the varied value of each run.
func (p *Plan) rootMarks(x []float64, runs []Run) []plot.Mark {
	solutions, _ := p.solutions(runs)
	var out []plot.Mark
	for _, i := range solutions[:min(len(solutions), maxRootMarks)] {
		out = append(out, plot.Mark{At: x[i], Vertical: true, Name: "root " + plot.SI(x[i], 4)})
	}
	return out
}

// marks returns marks at the limits or the target of a column.
func (p *Plan) marks(name string, vertical bool) []plot.Mark {
	var out []plot.Mark
	if t := p.Request.Target; t != nil && t.Name == name {
		out = append(out, plot.Mark{At: t.Value, Vertical: vertical,
			Name: "target " + plot.SI(t.Value, 4)})
	}
	if l, ok := p.Request.Limits[name]; ok {
		if l.Min != nil {
			out = append(out, plot.Mark{At: *l.Min, Vertical: vertical,
				Name: "min " + plot.SI(*l.Min, 4)})
		}
		if l.Max != nil {
			out = append(out, plot.Mark{At: *l.Max, Vertical: vertical,
				Name: "max " + plot.SI(*l.Max, 4)})
		}
	}
	return out
}

// heat returns the heat map of a grid over two fields. It returns nil if runs are missing, or if
// the values of a field are not distinct numbers.
func (p *Plan) heat(runs []Run, values []float64) *plot.Heat {
	rows, columns := p.sources[0].count, p.sources[1].count
	if len(runs) != rows*columns {
		return nil
	}
	y, rowOrder := axisOrder(p.sources[0])
	x, columnOrder := axisOrder(p.sources[1])
	if x == nil || y == nil {
		return nil
	}
	h := &plot.Heat{X: x, Y: y, Z: make([][]float64, rows)}
	for i, r := range rowOrder {
		h.Z[i] = make([]float64, columns)
		for k, c := range columnOrder {
			h.Z[i][k] = values[r*columns+c]
		}
	}
	return h
}

// family returns the curves of a grid over two fields. The values of the field with the index
// entry, which are distinct numbers, are the x coordinates. Each value of the other field has a
// curve. family returns nil unless such a field exists, the other has at most maxCurves values, and
// no runs are missing.
func (p *Plan) family(runs []Run, values []float64) (lines []plot.Line, entry int) {
	columns := p.sources[1].count
	if len(runs) != p.sources[0].count*columns {
		return nil, 0
	}
	for entry, other := range []int{1, 0} {
		x, order := axisOrder(p.sources[entry])
		if x == nil || p.sources[other].count > maxCurves {
			continue
		}
		for k := range p.sources[other].count {
			line := plot.Line{Name: plainText(p.sources[other].at(k)), X: x, Connect: true}
			for _, i := range order {
				var at [2]int // index into each entry
				at[entry], at[other] = i, k
				line.Y = append(line.Y, values[at[0]*columns+at[1]])
			}
			lines = append(lines, line)
		}
		return lines, entry
	}
	return nil, 0
}

// axisOrder returns the values of a source in ascending order with their indices. It returns nil
// unless they are distinct numbers.
func axisOrder(s source) (values []float64, order []int) {
	for i := range s.count {
		x := scalar(json.RawMessage(s.at(i)))
		if math.IsNaN(x) {
			return nil, nil
		}
		values, order = append(values, x), append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	slices.Sort(values)
	for i := 1; i < len(values); i++ {
		if values[i] == values[i-1] {
			return nil, nil
		}
	}
	return values, order
}

// sortedBy returns both lists sorted by x.
func sortedBy(x, y []float64) (sx, sy []float64) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	for _, i := range order {
		sx, sy = append(sx, x[i]), append(sy, y[i])
	}
	return sx, sy
}

// fieldAxis returns the axis of a varied field.
func (p *Plan) fieldAxis(entry int) plot.Axis {
	v := &p.Request.Vary[entry]
	a := plot.Axis{Label: v.Field, Log: v.logScale()}
	if n := inputNode(p.Tool, v.Field); n != nil {
		a.Unit = n.Unit
		if n.Label != "" {
			a.Label = n.Label
		}
	}
	return a
}

// inputNode returns the definition of an input field, or nil.
func inputNode(tool *tools.Tool, field string) *schema.Field {
	steps, ok := pointerSteps(field)
	if !ok {
		return nil
	}
	n, found := tool.Input, (*schema.Field)(nil)
	for _, step := range steps {
		switch n.Kind {
		case schema.Object:
			if found = n.Field(step); found == nil {
				return nil
			}
			n = &found.Node
		case schema.Array:
			n = n.Elem
		default:
			return nil
		}
	}
	return found
}

// label returns the heading of a column in a figure.
func (c *column) label() string {
	if c.title != "" {
		return c.title
	}
	return strings.TrimPrefix(c.name, "/")
}
