package plot

import (
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/guptarohit/asciigraph"
)

// Numbers of rows and X axis labels of a panel in a terminal.
const (
	terminalRows  = 12
	terminalTicks = 5
	labelColumns  = 8 // approximate width of the axis labels
)

// WriteText draws the curves and bars of a figure as text of the given number of columns, but at
// least 30. It returns ErrEmpty for a figure without curves and bars, or the errors of w.
func WriteText(w io.Writer, f Figure, columns int) error {
	drawn := false
	for i := range f.Panels {
		p := &f.Panels[i]
		lines := p.Lines
		if p.Bars != nil {
			lines = append([]Line{p.Bars.line()}, lines...)
		}
		text := textPanel(p, lines, max(columns-labelColumns-2, 20))
		if text == "" {
			continue
		}
		if f.Title != "" && !drawn {
			text = f.Title + "\n\n" + text
		}
		if _, err := fmt.Fprintf(w, "\n%s\n", text); err != nil {
			return err
		}
		drawn = true
	}
	if !drawn {
		return ErrEmpty
	}
	return nil
}

// line returns the counts at the centers of the bars as a curve.
func (b *Bars) line() Line {
	l := Line{Name: "count"}
	for i, n := range b.Counts {
		l.X = append(l.X, (b.Edges[i]+b.Edges[i+1])/2)
		l.Y = append(l.Y, float64(n))
	}
	return l
}

// textPanel returns a panel as text. It returns "" if no curve is ascending, or if the finite X
// values span no range.
func textPanel(p *Panel, lines []Line, columns int) string {
	toX, fromX := scales(p.X.Log)
	toY, fromY := scales(p.Y.Log)
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, x := range l.X {
			if v := toX(x); finite(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high <= low {
		return ""
	}
	var data [][]float64
	var names []string
	var inks []asciigraph.AnsiColor
	for i, l := range lines {
		series, ok := resampled(l, toX, toY, low, high, columns)
		if !ok {
			continue
		}
		data, names = append(data, series), append(names, shortened(l.Name))
		inks = append(inks, terminalColors()[i%len(terminalColors())])
	}
	if len(data) == 0 {
		return ""
	}
	label := func(a Axis) string {
		if a.Unit == "" || a.Unit == "1" {
			return a.Label
		}
		return a.Label + " [" + a.Unit + "]"
	}
	options := []asciigraph.Option{
		asciigraph.Height(terminalRows), asciigraph.Caption(label(p.Y) + " over " + label(p.X)),
		asciigraph.XAxisRange(low, high), asciigraph.XAxisTickCount(terminalTicks),
		asciigraph.XAxisValueFormatter(func(v float64) string { return SI(fromX(v), 3) }),
		asciigraph.YAxisValueFormatter(func(v float64) string { return SI(fromY(v), 3) }),
	}
	if len(data) > 1 {
		options = append(options, asciigraph.SeriesColors(inks...),
			asciigraph.SeriesLegends(names...))
	}
	return asciigraph.PlotMany(data, options...)
}

// terminalColors returns the colours that distinguish the curves of a panel.
func terminalColors() []asciigraph.AnsiColor {
	return []asciigraph.AnsiColor{
		asciigraph.Blue, asciigraph.Red, asciigraph.Green, asciigraph.Magenta, asciigraph.Yellow,
		asciigraph.Cyan,
	}
}

// scales returns the transform from axis values to drawn coordinates, and its inverse.
func scales(log bool) (to, from func(float64) float64) {
	if log {
		return math.Log10, func(v float64) float64 { return math.Pow(10, v) }
	}
	same := func(v float64) float64 { return v }
	return same, same
}

// resampled returns the values of a curve at evenly spaced positions between low and high, NaN
// outside the curve. If several points fall into a column, it selects the point farthest from the
// previous value. ok is false if the curve is not ascending or has no finite value.
func resampled(
	l Line, toX, toY func(float64) float64, low, high float64, columns int,
) (values []float64, ok bool) {
	var x, y []float64
	for i := range min(len(l.X), len(l.Y)) {
		a, b := toX(l.X[i]), toY(l.Y[i])
		if finite(a) && finite(b) {
			x, y = append(x, a), append(y, b)
		}
	}
	if len(x) == 0 || !sort.Float64sAreSorted(x) {
		return nil, false
	}
	values = make([]float64, columns)
	step := (high - low) / float64(columns-1)
	for c, k := 0, 0; c < columns; c++ {
		at := low + float64(c)*step
		values[c] = math.NaN()
		if at >= x[0]-step/2 && at <= x[len(x)-1]+step/2 {
			i := min(sort.SearchFloat64s(x, at), len(x)-1)
			values[c] = y[i]
			if i > 0 && x[i] > x[i-1] && at < x[i] {
				values[c] = y[i-1] + (y[i]-y[i-1])*(at-x[i-1])/(x[i]-x[i-1])
			}
		}
		before := values[max(c-1, 0)]
		for ; k < len(x) && x[k] <= at+step/2; k++ {
			if math.Abs(y[k]-before) > math.Abs(values[c]-before) {
				values[c] = y[k]
			}
		}
	}
	return values, true
}
