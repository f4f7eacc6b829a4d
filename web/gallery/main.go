// Command gallery draws the pictures of the example circuits and boards in web/static/gallery. It
// computes each example with the tool of its page, and draws a curve or a small view of the board.
// It also writes stored results to web/static/stored, and Open Graph pictures to
// web/static/preview.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"slipstick/examples/boards"
	"slipstick/examples/netlists"
	"slipstick/tools"
	"slipstick/tools/catalog"
)

func main() {
	log.SetFlags(0)
	if err := run("static"); err != nil {
		log.Fatal(err)
	}
}

// Examples with stored results.
var (
	storedCircuits = []string{"rc_low_pass", frontCircuit}
	storedBoards   = []string{"led_blinker_555", frontBoard}
)

// frontCircuit and frontBoard are the examples on the home page and in Open Graph images.
const (
	frontCircuit = "sallen_key_low_pass"
	frontBoard   = "usb_serial_atmega328"
)

func run(static string) error {
	dir := filepath.Join(static, "gallery")
	c, err := catalog.New()
	if err != nil {
		return err
	}
	if err := drawCircuits(c, dir); err != nil {
		return err
	}
	if err := drawBoards(c, dir); err != nil {
		return err
	}
	return storeResults(c, filepath.Join(static, "stored"))
}

// compute runs a tool and decodes its result.
func compute(c *tools.Catalog, tool string, input, result any) error {
	e, err := c.Find(tool)
	if err != nil {
		return err
	}
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	raw, err := e.Run(context.Background(), body)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

func drawCircuits(c *tools.Catalog, dir string) error {
	groups, err := netlists.Groups()
	if err != nil {
		return err
	}
	for _, g := range groups {
		for _, n := range g.Netlists {
			var result struct {
				Analysis string               `json:"analysis_type"`
				Vectors  map[string][]float64 `json:"vectors"`
			}
			if err := compute(c, "spice_simulate", map[string]string{"netlist": n.Text},
				&result); err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
			if picture := drawCurve(result.Analysis, result.Vectors); picture != "" {
				if err := os.WriteFile(filepath.Join(dir, n.Name+".svg"), []byte(picture),
					0o644); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Size of a curve picture in SVG user units.
const width, height = 144, 64

// drawCurve draws the voltage of the node out, or else the voltage with the largest change. If only
// the voltage swept by .dc changes, it draws the current with the largest change. It returns "" for
// a circuit with only an operating point.
func drawCurve(analysis string, vectors map[string][]float64) string {
	axis, suffix := map[string]string{"tran": "time", "ac": "frequency", "dc": "sweep"}[analysis],
		""
	x := vectors[axis]
	if len(x) < 3 {
		return ""
	}
	if analysis == "ac" {
		suffix = "_mag"
	}
	name := "v(out)" + suffix
	if y := vectors[name]; len(y) != len(x) || extent(y) == 0 {
		name = ""
		for n, y := range vectors {
			voltage := strings.HasPrefix(n, "v(") && strings.HasSuffix(n, ")"+suffix)
			if voltage && len(y) == len(x) &&
				(name == "" || extent(y) > extent(vectors[name]) ||
					extent(y) == extent(vectors[name]) && n < name) {
				name = n
			}
		}
	}
	// If only the swept voltage itself changes, the curve shows a current.
	if analysis == "dc" && (name == "" || extent(vectors[name]) == extent(x)) {
		for n, y := range vectors {
			if strings.HasPrefix(n, "i(") && len(y) == len(x) &&
				(!strings.HasPrefix(name, "i(") || extent(y) > extent(vectors[name]) ||
					extent(y) == extent(vectors[name]) && n < name) {
				name = n
			}
		}
	}
	y := slices.Clone(vectors[name])
	if len(y) == 0 {
		return ""
	}
	if analysis == "ac" {
		x, y = slices.Clone(x), slices.Clone(y)
		for i := range x {
			x[i], y[i] = math.Log10(x[i]), math.Log10(math.Max(y[i], 1e-9))
		}
	}
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d"><path d="M0 %dH%d" stroke="#8a96a3" stroke-width=".6"/><path d="%s" fill="none" stroke="#2f86b8" stroke-width="1.4" stroke-linejoin="round"/></svg>`+"\n",
		width, height, height-1, width, curve(x, y),
	)
}

func extent(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return slices.Max(v) - slices.Min(v)
}

// curve returns the SVG path of y over x. For each column of the picture it keeps the first, last,
// lowest and highest value. If x decreases, as between the runs of a nested sweep, it begins a new
// line.
func curve(x, y []float64) string {
	lowX, spanX := slices.Min(x), extent(x)
	lowY, spanY := slices.Min(y), math.Max(extent(y), 1e-300)
	px := func(v float64) int { return int(math.Round((v - lowX) / spanX * width)) }
	py := func(v float64) float64 {
		return math.Round((height-4-(v-lowY)/spanY*(height-8))*10) / 10
	}
	var b strings.Builder
	var at struct {
		column int
		points []float64
	}
	command := "M"
	last, drawn, before := math.NaN(), 0, 0
	put := func(column int, v float64) {
		if v != last || command == "M" {
			// ends a horizontal segment, which would otherwise slope
			if command == "L" && before > drawn {
				fmt.Fprintf(&b, "L%d %g", before, last)
			}
			fmt.Fprintf(&b, "%s%d %g", command, column, v)
			drawn = column
		}
		command, last, before = "L", v, column
	}
	end := func() {
		if command == "L" && before > drawn {
			fmt.Fprintf(&b, "L%d %g", before, last)
		}
	}
	flush := func() {
		if len(at.points) == 0 {
			return
		}
		first, end := at.points[0], at.points[len(at.points)-1]
		low, high := slices.Min(at.points), slices.Max(at.points)
		put(at.column, first)
		for _, v := range []float64{low, high} {
			if v != first && v != end {
				put(at.column, v)
			}
		}
		put(at.column, end)
		at.points = at.points[:0]
	}
	for i := range x {
		if i > 0 && x[i] < x[i-1] {
			flush()
			end()
			command = "M"
		}
		if c := px(x[i]); c != at.column {
			flush()
			at.column = c
		}
		at.points = append(at.points, py(y[i]))
	}
	flush()
	end()
	return b.String()
}

type layout struct {
	Board struct {
		Outline []point `json:"outline"`
	} `json:"board"`
	Placements []struct {
		Pads []struct {
			X        float64 `json:"x_mm"`
			Y        float64 `json:"y_mm"`
			Width    float64 `json:"width_mm"`
			Height   float64 `json:"height_mm"`
			Rotation float64 `json:"rotation_deg"`
		} `json:"pads"`
	} `json:"placements"`
	Tracks []struct {
		Layer string  `json:"layer"`
		X1    float64 `json:"x1_mm"`
		Y1    float64 `json:"y1_mm"`
		X2    float64 `json:"x2_mm"`
		Y2    float64 `json:"y2_mm"`
	} `json:"tracks"`
}

type point struct {
	X float64 `json:"x_mm"`
	Y float64 `json:"y_mm"`
}

func drawBoards(c *tools.Catalog, dir string) error {
	all, err := boards.All()
	if err != nil {
		return err
	}
	for _, x := range all {
		var l layout
		if err := compute(c, "pcb_layout", x.Request, &l); err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, x.Name+".svg"), []byte(drawBoard(&l)),
			0o644); err != nil {
			return err
		}
	}
	return nil
}

// drawBoard draws the outline, the pads, and the tracks of both sides in tenths of a millimetre.
func drawBoard(l *layout) string {
	tenths := func(v float64) int { return int(math.Round(v * 10)) }
	var w, h int
	var outline, pads strings.Builder
	for i, p := range l.Board.Outline {
		fmt.Fprintf(&outline, "%c%d %d", "ML"[min(i, 1)], tenths(p.X), tenths(p.Y))
		w, h = max(w, tenths(p.X)), max(h, tenths(p.Y))
	}
	tracks := map[string]*strings.Builder{"top": {}, "bottom": {}}
	for _, t := range l.Tracks {
		x, y := tenths(t.X1), tenths(t.Y1)
		if b := tracks[t.Layer]; b != nil && (x != tenths(t.X2) || y != tenths(t.Y2)) {
			fmt.Fprintf(b, "M%d %dl%d %d", x, y, tenths(t.X2)-x, tenths(t.Y2)-y)
		}
	}
	for _, part := range l.Placements {
		for _, p := range part.Pads {
			a := p.Rotation * math.Pi / 180
			// A pad is a rectangle rotated by the angle a.
			cos, sin := math.Cos(a)/2, math.Sin(a)/2
			ux, uy, vx, vy := p.Width*cos, p.Width*sin, -p.Height*sin, p.Height*cos
			fmt.Fprintf(&pads, "M%d %dl%d %dl%d %dl%d %dz", tenths(p.X-ux-vx), tenths(p.Y-uy-vy),
				tenths(2*ux), tenths(2*uy), tenths(2*vx), tenths(2*vy), tenths(-2*ux),
				tenths(-2*uy))
		}
	}
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 %d %d"><g transform="matrix(1 0 0 -1 0 %d)" fill="none" stroke-width="3" stroke-linecap="round"><path d="%sZ" fill="#0d5c31"/><path d="%s" stroke="#127040"/><path d="%s" stroke="#24a162"/><path d="%s" fill="#d9c06c"/></g></svg>`+"\n",
		w+8, h+8, h, outline.String(), tracks["bottom"].String(), tracks["top"].String(),
		pads.String(),
	)
}
