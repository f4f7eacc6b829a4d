// Package plot draws curves, histograms and heat maps as SVG, PNG or text, with SI prefixes on the
// axes. It also converts the SVG preview of a board to PNG.
package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure consists of one or more panels, stacked vertically.
type Figure struct {
	Title  string
	Panels []Panel
	// Scale magnifies the texts and lines of a PNG, but not its size in pixels; 0 means 1.
	Scale float64
}

// PreviewScale is the Figure.Scale for link previews, which programs show at less than half of
// their size.
const PreviewScale = 1.7

// Panel is a pair of axes with the objects drawn on them.
type Panel struct {
	X, Y  Axis
	Lines []Line
	Bars  *Bars
	Heat  *Heat
	Marks []Mark
}

// Axis is the label, the unit and the scale of an axis.
type Axis struct {
	Label string // name of the quantity
	Unit  string // "" or "1" for a dimensionless quantity; most units get SI prefixes
	Log   bool   // logarithmic scale; values must be positive
}

// Line is a curve. A point that is not finite interrupts it, and so does a decreasing X, as in a
// nested sweep. Without Connect, only the points are drawn.
type Line struct {
	Name    string
	X, Y    []float64
	Connect bool
}

// Bars contains counts between edges; there is one more edge than counts.
type Bars struct {
	Edges  []float64
	Counts []int
}

// Heat contains a value for each pair of ascending X and Y: Z[row of Y][column of X].
type Heat struct {
	X, Y []float64
	Z    [][]float64
	Name string // name of the value
}

// Mark is a straight line across a panel at a Y value, or at an X value if Vertical is set. It
// marks a limit, for example.
type Mark struct {
	At       float64
	Vertical bool
	Name     string
}

// Size of a picture in units of 1/96 inch.
const (
	width       = 720
	panelHeight = 300
	onlyHeight  = 440 // height of the panel in a picture with a single panel
	perInch     = 96
	// Minimum and maximum width of the legend in points. The legend is right of the panels and must
	// fit its longest name.
	minLegend, maxLegend = font.Length(72), font.Length(180)
)

// Format is an image file format.
type Format string

// Formats that Write supports.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// colors are the colours of the curves: the palette of Okabe and Ito (2008), which colour-blind
// readers can distinguish.
var colors = []color.Color{
	color.RGBA{
		0x00, 0x72, 0xb2, 0xff,
	},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{
		0xcc, 0x79, 0xa7, 0xff,
	},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

// ErrEmpty is returned for a figure without data.
var ErrEmpty = errors.New("plot: there are no finite values to draw")

// Write draws the figure. It returns ErrEmpty if the figure or one of its panels is empty, an error
// for an unknown format, or the errors of w.
func Write(w io.Writer, f Figure, format Format) error {
	legend := legendWidth(f.Panels)
	plots := make([][]*plot.Plot, len(f.Panels))
	for i := range f.Panels {
		p, err := newPanel(&f.Panels[i], legend)
		if err != nil {
			return err
		}
		if i == 0 {
			p.Title.Text = f.Title
		}
		if h := f.Panels[i].Heat; h != nil && h.Name != "" {
			if p.Title.Text != "" {
				p.Title.Text += ": "
			}
			p.Title.Text += h.Name
		}
		if p.Title.Text != "" {
			p.Title.Padding = vg.Points(6)
		}
		plots[i] = []*plot.Plot{p}
	}
	if len(plots) == 0 {
		return ErrEmpty
	}
	height := float64(onlyHeight)
	if n := len(plots); n > 1 {
		height = float64(n) * panelHeight
	}
	w1, h1 := vg.Length(width)*vg.Inch/perInch, vg.Length(height)*vg.Inch/perInch
	dpi := perInch
	if f.Scale > 0 && format == PNG {
		dpi = int(math.Round(perInch * f.Scale))
		w1, h1 = w1*perInch/vg.Length(dpi), h1*perInch/vg.Length(dpi)
	}
	var canvas vg.CanvasSizer
	switch format {
	case SVG:
		canvas = vgsvg.New(w1, h1)
	case PNG:
		canvas = vgimg.NewWith(vgimg.UseWH(w1, h1), vgimg.UseDPI(dpi))
	default:
		return fmt.Errorf("plot: the format must be svg or png, got %q", format)
	}
	// Plots fill their own area only: the legend is beside it.
	canvas.SetColor(color.White)
	canvas.Fill(vg.Rectangle{Max: vg.Point{X: w1, Y: h1}}.Path())
	tiles := draw.Tiles{
		Rows: len(plots), Cols: 1, PadTop: vg.Points(6), PadBottom: vg.Points(6),
		PadLeft: vg.Points(6), PadRight: vg.Points(16), PadY: vg.Points(12),
	}
	if slices.ContainsFunc(f.Panels, hasLegend) {
		tiles.PadRight += legend
	}
	for i, row := range plot.Align(plots, tiles, draw.New(canvas)) {
		plots[i][0].Draw(row[0])
	}
	if c, ok := canvas.(*vgimg.Canvas); ok {
		return encodePNG(w, c.Image())
	}
	var text bytes.Buffer
	if _, err := canvas.(*vgsvg.Canvas).WriteTo(&text); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte(svgFont), []byte(svgFonts)))
	return err
}

// A viewer without Liberation Sans would use a font with other widths. Arial has equal widths.
const (
	svgFont  = "font-family:Liberation Sans;"
	svgFonts = "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"
)

// hasLegend reports whether a panel needs a legend.
func hasLegend(p Panel) bool { return len(p.Lines) > 1 || p.Heat != nil || len(p.Marks) > 0 }

// legendWidth returns the width of the longest name of a curve or mark with its line sample, but at
// least minLegend and at most maxLegend.
func legendWidth(panels []Panel) font.Length {
	style := plot.New().Legend.TextStyle
	style.Font.Variant, style.Font.Size = "Sans", legendSize
	longest := minLegend
	for _, p := range panels {
		for _, l := range p.Lines {
			longest = max(longest, style.Width(shortened(l.Name))+sampleWidth)
		}
		for _, m := range p.Marks {
			longest = max(longest, style.Width(shortened(m.Name))+sampleWidth)
		}
	}
	return min(longest, maxLegend)
}

const (
	legendSize  = font.Length(9)
	sampleWidth = font.Length(32) // width of the line sample, including the space around it
	longestName = 28              // maximum characters of a name; fits maxLegend
)

// shortened truncates a name that is too long for the legend.
func shortened(name string) string {
	if r := []rune(name); len(r) > longestName {
		return string(r[:longestName-1]) + "…"
	}
	return name
}

// newPanel creates the axes and the objects on them, with space for a legend of the given width.
func newPanel(panel *Panel, legend font.Length) (*plot.Plot, error) {
	p := plot.New()
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.Legend.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		f.Variant = "Sans"
	}
	for _, s := range []*font.Length{&p.Title.TextStyle.Font.Size, &p.X.Label.TextStyle.Font.Size,
		&p.Y.Label.TextStyle.Font.Size, &p.Legend.TextStyle.Font.Size} {
		*s = vg.Points(9)
	}
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = vg.Points(8), vg.Points(8)
	p.Title.TextStyle.Font.Size = vg.Points(11)
	p.Legend.Top, p.Legend.XOffs = true, legend
	setAxis(&p.X, panel.X)
	setAxis(&p.Y, panel.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xd8}, color.Gray{0xd8}
	p.Add(grid)
	drawn := 0
	for i, l := range panel.Lines {
		drawn += addLine(p, l, colors[i%len(colors)], panel, len(panel.Lines) > 1)
	}
	if panel.Bars != nil {
		drawn += addBars(p, panel.Bars)
	}
	if panel.Heat != nil {
		drawn += addHeat(p, logarithms(p, panel))
	}
	if drawn == 0 {
		return nil, ErrEmpty
	}
	for a, log := range map[*plot.Axis]bool{&p.X: panel.X.Log, &p.Y: panel.Y.Log} {
		if log && a.Min == a.Max { // the library would add a margin of 1, which may reach 0
			a.Min, a.Max = a.Min/2, a.Max*2
		}
	}
	// The axis of a constant extends to both sides by 10 % of its value, or by 1 if the value is 0.
	if p.Y.Min == p.Y.Max || panel.Bars == nil && p.Y.Max-p.Y.Min < 1e-9*math.Abs(p.Y.Max) {
		half := math.Abs(p.Y.Max) * 0.1
		if half == 0 {
			half = 1
		}
		p.Y.Min, p.Y.Max = p.Y.Max-half, p.Y.Max+half
	}
	for _, m := range panel.Marks {
		addMark(p, m)
	}
	setTicks(&p.X, panel.X)
	setTicks(&p.Y, panel.Y)
	if panel.Heat != nil {
		setExponents(&p.X, panel.X)
		setExponents(&p.Y, panel.Y)
	}
	return p, nil
}

func setAxis(a *plot.Axis, of Axis) {
	a.Padding = 0
	a.Label.Text = of.Label
	if of.Unit != "" && of.Unit != "1" {
		a.Label.Text += " [" + of.Unit + "]"
	}
	if of.Log {
		a.Scale = plot.LogScale{}
	}
}

// addLine draws the finite segments of a curve and returns the number of points.
func addLine(p *plot.Plot, l Line, c color.Color, panel *Panel, named bool) (drawn int) {
	var stretch plotter.XYs
	flush := func() {
		defer func() { stretch = nil }()
		if len(stretch) == 0 {
			return
		}
		if l.Connect && len(stretch) > 1 {
			for _, piece := range pieces(decimated(stretch, panel.X.Log)) {
				line, err := plotter.NewLine(piece)
				if err != nil {
					continue
				}
				line.Color, line.Width = c, vg.Points(1.5)
				p.Add(withoutGlyphs{line})
				if named && drawn == 0 {
					p.Legend.Add(shortened(l.Name), line)
					named = false
				}
			}
		} else if points, err := plotter.NewScatter(stretch); err == nil {
			points.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(1.8),
				Shape: draw.CircleGlyph{}}
			p.Add(points)
			if named && drawn == 0 {
				p.Legend.Add(shortened(l.Name), points)
			}
		}
		drawn += len(stretch)
	}
	for i := range min(len(l.X), len(l.Y)) {
		x, y := l.X[i], l.Y[i]
		if !finite(x) || !finite(y) || panel.X.Log && x <= 0 || panel.Y.Log && y <= 0 {
			flush()
			continue
		}
		if n := len(stretch); n > 0 && x < stretch[n-1].X {
			flush()
		}
		stretch = append(stretch, plotter.XY{X: x, Y: y})
	}
	flush()
	return drawn
}

// decimated returns a part of the points of a curve of ascending x that draws the same picture. For
// each half pixel it keeps the first, the lowest, the highest and the last point.
func decimated(curve plotter.XYs, log bool) plotter.XYs {
	const columns = 2 * width
	if len(curve) <= 4*columns {
		return curve
	}
	scale := func(x float64) float64 { return x }
	if log {
		scale = math.Log
	}
	low, high := scale(curve[0].X), scale(curve[len(curve)-1].X)
	if high <= low {
		return curve[:4*columns]
	}
	column := func(i int) int { return int(columns * ((scale(curve[i].X) - low) / (high - low))) }
	var out plotter.XYs
	for first := 0; first < len(curve); {
		lowest, highest, last := first, first, first
		for c := column(first); last+1 < len(curve) && column(last+1) == c; {
			last++
			if curve[last].Y < curve[lowest].Y {
				lowest = last
			}
			if curve[last].Y > curve[highest].Y {
				highest = last
			}
		}
		kept := []int{first, min(lowest, highest), max(lowest, highest), last}
		for _, i := range slices.Compact(kept) {
			out = append(out, curve[i])
		}
		first = last + 1
	}
	return out
}

// pieces divides a curve into shorter strokes. The rasterizer's time is proportional to the points
// of a stroke times its pixels per row. A dense oscillation of 13,000 points in one stroke took a
// minute.
func pieces(curve plotter.XYs) (out []plotter.XYs) {
	const points = 100
	for len(curve) > points {
		out = append(out, curve[:points])
		curve = curve[points-1:]
	}
	return append(out, curve)
}

func addBars(p *plot.Plot, b *Bars) (drawn int) {
	h := &plotter.Histogram{
		FillColor: color.RGBA{0x00, 0x72, 0xb2, 0xc0}, LineStyle: plotter.DefaultLineStyle,
	}
	for i, n := range b.Counts {
		h.Bins = append(h.Bins,
			plotter.HistogramBin{Min: b.Edges[i], Max: b.Edges[i+1], Weight: float64(n)})
		drawn += n
	}
	h.Color = color.White
	if len(h.Bins) == 1 && h.Bins[0].Min == h.Bins[0].Max { // all values are equal
		half := max(math.Abs(h.Bins[0].Min)*1e-3, 1e-12)
		h.Bins[0].Min, h.Bins[0].Max = h.Bins[0].Min-half, h.Bins[0].Max+half
	}
	p.Add(h)
	return drawn
}

// rasterCells is the minimum number of pixels per side of a heat map. Scaling would smooth a
// smaller image.
const rasterCells = 400

// raster is a Heat on evenly spaced pixels, each with the value of its cell. Cells drawn as
// polygons would have visible seams.
type raster struct {
	*Heat
	column, row pixels
}

// pixels contains evenly spaced coordinates and the index of the cell at each.
type pixels struct {
	first, step float64
	cell        []int
}

// newPixels distributes pixels over cells. The cell borders are halfway between the ascending
// centers.
func newPixels(centers []float64) (p pixels) {
	last := len(centers) - 1
	low, high := centers[0]-(centers[1]-centers[0])/2,
		centers[last]+(centers[last]-centers[last-1])/2
	p.cell = make([]int, len(centers)*(1+rasterCells/len(centers)))
	p.step = (high - low) / float64(len(p.cell))
	p.first = low + p.step/2
	for i, k := 0, 0; i < len(p.cell); i++ {
		for k < last && p.at(i) > (centers[k]+centers[k+1])/2 {
			k++
		}
		p.cell[i] = k
	}
	return p
}

func (p pixels) at(i int) float64 { return p.first + float64(i)*p.step }

func (g raster) Dims() (c, r int)   { return len(g.column.cell), len(g.row.cell) }
func (g raster) Z(c, r int) float64 { return g.Heat.Z[g.row.cell[r]][g.column.cell[c]] }
func (g raster) X(c int) float64    { return g.column.at(c) }
func (g raster) Y(r int) float64    { return g.row.at(r) }

// logarithms returns the heat map of a panel with base-10 logarithms along its logarithmic axes.
// Cells extend halfway to their neighbours, and on a logarithmic scale the first cell would
// otherwise begin below 0.
func logarithms(p *plot.Plot, panel *Panel) *Heat {
	h := *panel.Heat
	if panel.X.Log {
		h.X, p.X.Scale = logarithmsOf(h.X), plot.LinearScale{}
	}
	if panel.Y.Log {
		h.Y, p.Y.Scale = logarithmsOf(h.Y), plot.LinearScale{}
	}
	return &h
}

func logarithmsOf(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log10(v)
	}
	return out
}

// heatColors is the number of colours of a heat map. The scale ends in white, which is
// indistinguishable from the background, so the last whiteColors are not used.
const heatColors, whiteColors = 64, 8

// heatScale contains the colours of a heat map from the minimum to the maximum value.
type heatScale struct{ colors []color.Color }

// newHeatScale returns the extended black-body scale of Moreland ("How we create color maps",
// 2016).
func newHeatScale() heatScale {
	scale := moreland.ExtendedBlackBody()
	scale.SetMin(0)
	scale.SetMax(1)
	return heatScale{scale.Palette(heatColors + whiteColors).Colors()[:heatColors]}
}

// Colors implements palette.Palette.
func (s heatScale) Colors() []color.Color { return s.colors }

// at returns the colour at a position from 0 to 1 on the scale.
func (s heatScale) at(part float64) color.Color {
	return s.colors[int(math.Round(part*float64(len(s.colors)-1)))]
}

func addHeat(p *plot.Plot, h *Heat) (drawn int) {
	if len(h.X) < 2 || len(h.Y) < 2 {
		return 0
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range h.Z {
		for _, z := range row {
			if finite(z) {
				low, high = min(low, z), max(high, z)
				drawn++
			}
		}
	}
	if drawn == 0 {
		return 0
	}
	if low == high {
		high = low + max(math.Abs(low)*1e-3, 1e-12)
	}
	scale := newHeatScale()
	m := plotter.NewHeatMap(raster{h, newPixels(h.X), newPixels(h.Y)}, scale)
	m.Rasterized = true
	m.Min, m.Max, m.NaN = low, high, color.Gray{0xd0}
	p.Add(withoutGlyphs{m})
	const steps = 5
	for i := steps; i >= 0; i-- {
		part := float64(i) / steps
		p.Legend.Add(SI(low*(1-part)+high*part, 3), swatch{scale.at(part)})
	}
	return drawn
}

// withoutGlyphs hides the glyph boxes of a plotter. The library reads a box per point or cell
// several times to keep glyphs inside the edges, which is unnecessary for curves and cells.
type withoutGlyphs struct {
	of interface {
		plot.Plotter
		plot.DataRanger
	}
}

// Plot implements plot.Plotter.
func (w withoutGlyphs) Plot(c draw.Canvas, p *plot.Plot) { w.of.Plot(c, p) }

// DataRange implements plot.DataRanger.
func (w withoutGlyphs) DataRange() (xmin, xmax, ymin, ymax float64) { return w.of.DataRange() }

// swatch is the legend thumbnail of a colour.
type swatch struct{ color color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(
		s.color,
		[]vg.Point{
			{X: c.Min.X, Y: c.Min.Y}, {X: c.Min.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y},
			{X: c.Max.X, Y: c.Min.Y},
		},
	)
}

func addMark(p *plot.Plot, m Mark) {
	a, b := plotter.XY{X: p.X.Min, Y: m.At}, plotter.XY{X: p.X.Max, Y: m.At}
	if m.Vertical {
		a, b = plotter.XY{X: m.At, Y: p.Y.Min}, plotter.XY{X: m.At, Y: p.Y.Max}
	}
	line, err := plotter.NewLine(plotter.XYs{a, b})
	if err != nil {
		return
	}
	line.Color, line.Dashes = color.RGBA{
		0xb0, 0x00, 0x20, 0xff,
	}, []vg.Length{
		vg.Points(4), vg.Points(3),
	}
	p.Add(line)
	if m.Name != "" {
		p.Legend.Add(shortened(m.Name), line)
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
