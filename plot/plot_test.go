package plot

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestSI verifies the SI prefixes and the number of significant digits.
func TestSI(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "4.7k": 4700, "-12m": -0.012, "1M": 999999, "330": 330, "1µ": 1e-6, "150f": 1.5e-13,
		"1e-18": 1e-18, "2.2P": 2.2e15, "1e+18": 1e18,
	} {
		if got := SI(x, 3); got != want {
			t.Errorf("SI(%g) = %s, want %s", x, got, want)
		}
	}
	if got := SI(math.Inf(1), 3); got != "+Inf" {
		t.Error(got)
	}
}

// TestTicks verifies that labels are round, distinct and within the axis.
func TestTicks(t *testing.T) {
	labels := func(low, high float64, unit string) (out []string) {
		for _, k := range (siTicks{unit}).Ticks(low, high) {
			if k.Value < low-1e-9 || k.Value > high*(1+1e-9)+1e-9 {
				t.Errorf("tick %g is outside %g to %g", k.Value, low, high)
			}
			out = append(out, k.Label)
		}
		return out
	}
	if got := labels(-1, 1, "V"); !slices.Equal(got, []string{"-1", "-500m", "0", "500m", "1"}) {
		t.Errorf("%q", got)
	}
	if got := labels(0, 3e-3, "s"); !slices.Equal(got, []string{"0", "500µ", "1m", "1.5m", "2m",
		"2.5m", "3m"}) {
		t.Errorf("%q", got)
	}
	if got := labels(0.29, 0.35, "m"); !slices.Equal(got, []string{"0.29", "0.3", "0.31", "0.32",
		"0.33", "0.34", "0.35"}) {
		t.Errorf("metres %q", got)
	}
	if got := labels(-181, 0, "°"); !slices.Equal(got, []string{"-180", "-135", "-90", "-45", "0"}) {
		t.Errorf("%q", got)
	}
	if got := labels(-270, 0, "°"); !slices.Equal(got, []string{"-270", "-225", "-180", "-135", "-90",
		"-45", "0"}) {
		t.Errorf("%q", got)
	}
	if got := labels(1000000, 1000003, "Hz"); len(got) != len(slices.Compact(slices.Clone(got))) {
		t.Errorf("labels repeat: %q", got)
	}
	var decades []string
	for _, k := range (decadeTicks{"Hz"}).Ticks(10, 1e6) {
		if k.Label != "" {
			decades = append(decades, k.Label)
		}
	}
	if !slices.Equal(decades, []string{"10", "100", "1k", "10k", "100k", "1M"}) {
		t.Errorf("%q", decades)
	}
}

// TestDenseCurve verifies that a curve of a million points in many oscillations is reduced to few
// points, including its extremes and its ends. It also verifies that pieces loses no point.
func TestDenseCurve(t *testing.T) {
	curve := make(plotter.XYs, 1_000_000)
	for i := range curve {
		x := float64(i) / float64(len(curve))
		curve[i] = plotter.XY{X: 1 + x, Y: math.Sin(2 * math.Pi * 900 * x)}
	}
	curve[123_457].Y, curve[765_431].Y = 7, -5
	for _, log := range []bool{false, true} {
		kept := decimated(curve, log)
		if len(kept) > 9*width || kept[0] != curve[0] || kept[len(kept)-1] != curve[len(curve)-1] ||
			!slices.Contains(kept, curve[123_457]) || !slices.Contains(kept, curve[765_431]) ||
			!slices.IsSortedFunc(kept, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) }) {
			t.Errorf("log %t: %d points", log, len(kept))
		}
		longest, total := 0, 1
		for _, piece := range pieces(kept) {
			longest, total = max(longest, len(piece)), total+len(piece)-1
		}
		if longest > 100 || total != len(kept) {
			t.Errorf("log %t: pieces of %d points, %d in all of %d", log, longest, total, len(kept))
		}
	}
	short := curve[:100]
	if got := decimated(short, false); !slices.Equal(got, short) || len(pieces(got)) != 1 {
		t.Errorf("a short curve has %d points", len(got))
	}
}

// TestExtremeAxes verifies that axes of the narrowest and the widest ranges are drawn.
func TestExtremeAxes(t *testing.T) {
	line := func(log bool, x ...float64) Panel {
		y := make([]float64, len(x))
		for i := range y {
			y[i] = float64(i)
		}
		return Panel{X: Axis{Log: log}, Lines: []Line{{X: x, Y: y, Connect: true}}}
	}
	decades := []float64{1, 10, 100}
	cells := [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	for name, p := range map[string]Panel{
		"the last digit":         line(false, 1e5, math.Nextafter(1e5, 2e5)),
		"beyond all numbers":     line(false, -math.MaxFloat64, math.MaxFloat64),
		"one point, logarithmic": line(true, 0.1),
		"heat map over decades": {X: Axis{Log: true}, Y: Axis{Log: true},
			Heat: &Heat{X: decades, Y: decades, Z: cells}},
		"heat map of all numbers": {X: Axis{Log: true}, Y: Axis{Log: true},
			Heat: &Heat{X: []float64{1e-300, 1, 1e300}, Y: decades, Z: cells}},
	} {
		var b bytes.Buffer
		if err := Write(&b, Figure{Panels: []Panel{p}}, SVG); err != nil || b.Len() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeatOverDecades verifies that cells one decade apart have equal widths on a logarithmic axis,
// and that the title names the value.
func TestHeatOverDecades(t *testing.T) {
	panel := Panel{X: Axis{Log: true, Unit: "Hz"}, Y: Axis{}, Heat: &Heat{Name: "Loss",
		X: []float64{1, 10, 100}, Y: []float64{0, 1}, Z: [][]float64{{1, 2, 3}, {4, 5, 6}}}}
	p, err := newPanel(&panel, minLegend)
	if err != nil || math.Abs(p.X.Min+0.5) > 1e-9 || math.Abs(p.X.Max-2.5) > 1e-9 {
		t.Fatalf("%v, axis from %g to %g", err, p.X.Min, p.X.Max)
	}
	var labels []string
	for _, k := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if k.Label != "" {
			labels = append(labels, k.Label)
		}
	}
	if got := strings.Join(labels, " "); got != "1 10 100" {
		t.Errorf("ticks %s", got)
	}
	for i, c := range newHeatScale().Colors() {
		if r, g, b, _ := c.RGBA(); min(r, g, b) > 0xe000 {
			t.Errorf("colour %d is white", i)
		}
	}
	if c := newHeatScale(); c.at(0) != c.colors[0] || c.at(1) != c.colors[heatColors-1] {
		t.Error("the ends of the scale have other colours than its values")
	}
	var b bytes.Buffer
	err = Write(&b, Figure{Title: "Study", Panels: []Panel{panel}}, SVG)
	if err != nil || !strings.Contains(b.String(), "Study: Loss") {
		t.Errorf("%v", err)
	}
}

// TestLegend verifies that the legend of six curves with long names begins right of the panel.
func TestLegend(t *testing.T) {
	var p Panel
	for _, name := range []string{"v(in)", "v(filter_output_stage_2)", "v(a)",
		"i(v_supply_positive)", "v(c)", "a name that is far too long for the legend of a plot"} {
		p.Lines = append(p.Lines, Line{Name: name, X: []float64{0, 1}, Y: []float64{0, 1},
			Connect: true})
	}
	var b bytes.Buffer
	if err := Write(&b, Figure{Panels: []Panel{p}}, SVG); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "a name that is far too long…") ||
		strings.Contains(b.String(), "legend of a plot") {
		t.Error("a long name is not cut")
	}
	// The background is behind the legend too. Its text has the same width in Arial.
	size := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(b.String())
	if size == nil || !strings.Contains(b.String(), fmt.Sprintf(
		`<path d="M0,0L%[1]s,0L%[1]s,%[2]sL0,%[2]sZ" style="fill:#FFFFFF" />`, size[1], size[2])) {
		t.Errorf("no background of the size %q", size)
	}
	if n := strings.Count(b.String(), "font-family:"); n == 0 ||
		n != strings.Count(b.String(), "font-family:Liberation Sans,Arial,") {
		t.Error("a text has no other font of its width")
	}
	grid := 0.0 // right end of the panel
	for _, m := range regexp.MustCompile(`M([\d.]+),[\d.]+L([\d.]+),`).FindAllStringSubmatch(
		b.String(), -1) {
		if m[1] == m[2] { // a vertical line of the grid
			x, _ := strconv.ParseFloat(m[1], 64)
			grid = max(grid, x)
		}
	}
	names := regexp.MustCompile(
		`<text x="([\d.]+)"[^>]*>([a-z][^<]*)</text>`).FindAllStringSubmatch(
		strings.ReplaceAll(b.String(), "\n", " "), -1)
	if grid == 0 || len(names) < 6 {
		t.Fatalf("grid %g, names %q in %s", grid, names, b.String())
	}
	for _, m := range names {
		if x, _ := strconv.ParseFloat(m[1], 64); x < grid {
			t.Errorf("%q begins at %g, the panel ends at %g", m[2], x, grid)
		}
	}
}

// TestScale verifies that a magnified picture keeps its size in pixels and has larger text.
func TestScale(t *testing.T) {
	size := func(scale float64, title string) (bounds image.Rectangle, dark int) {
		var b bytes.Buffer
		f := Figure{Title: title, Scale: scale, Panels: []Panel{{Lines: []Line{{X: []float64{0, 1},
			Y: []float64{0, 0}, Connect: true}}}}}
		if err := Write(&b, f, PNG); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		for x := range img.Bounds().Dx() {
			for y := range 40 {
				if r, _, _, _ := img.At(x, y).RGBA(); r < 0x4000 {
					dark++
				}
			}
		}
		return img.Bounds(), dark
	}
	small, few := size(0, "Title of a plot")
	large, many := size(2, "Title of a plot")
	if small != large || many < 3*few {
		t.Errorf("%v with %d dark pixels, %v with %d", small, few, large, many)
	}
}
