package pcb

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fabrication"
)

// turned is a request with five instances of a part with three lands. They are upright, turned by
// 90°, on the bottom, and on the bottom turned by 90° and by 30°.
const turned = `{"width_mm":40,"height_mm":30,"pour_layers":[],
	"custom_footprints":[{"name":"TRI","pads":[
		{"pad":"1","x_mm":-2,"y_mm":1,"width_mm":1.2,"height_mm":0.6,"shape":"rect"},
		{"pad":"2","x_mm":2,"y_mm":1,"width_mm":1.2,"height_mm":0.6,"shape":"rect"},
		{"pad":"3","x_mm":2,"y_mm":-1,"width_mm":1.2,"height_mm":0.6,"shape":"rect"}]}],
	"components":[{"ref":"T1","footprint":"TRI","value":"x"},{"ref":"T2","footprint":"TRI","value":"x"},{"ref":"T3","footprint":"TRI","value":"x"},{"ref":"T4","footprint":"TRI","value":"x","dnp":true},{"ref":"T5","footprint":"TRI","value":"x"}],
	"placements":[
		{"ref":"T1","x_mm":10,"y_mm":10,"rotation_deg":0},
		{"ref":"T2","x_mm":20,"y_mm":10,"rotation_deg":90},
		{"ref":"T3","x_mm":30,"y_mm":10,"rotation_deg":0,"side":"bottom"},
		{"ref":"T4","x_mm":30,"y_mm":20,"rotation_deg":90,"side":"bottom"},
		{"ref":"T5","x_mm":10,"y_mm":22,"rotation_deg":30,"side":"bottom"}],
	"nets":[{"name":"A","pins":["T1.1","T2.1"]},{"name":"B","pins":["T3.1","T4.1"]}]}`

// spots are the positions of the lands, computed by hand. On the bottom x is mirrored in the frame
// of the part. Then (x, y) maps to (x·cos - y·sin, x·sin + y·cos) with cos 30° = 0.866025, sin 30°
// = 0.5.
var spots = map[string][3][2]float64{
	"T1": {{8, 11}, {12, 11}, {12, 9}},
	"T2": {{19, 8}, {19, 12}, {21, 12}},  // (x, y) -> (-y, x)
	"T3": {{32, 11}, {28, 11}, {28, 9}},  // (x, y) -> (-x, y)
	"T4": {{29, 22}, {29, 18}, {31, 18}}, // (x, y) -> (-y, -x)
	"T5": {{11.232051, 23.866025}, {7.767949, 21.866025}, {8.767949, 20.133975}},
}

var onBottom = map[string]bool{"T3": true, "T4": true, "T5": true}

// TestTurnedAndBottom compares the position of each land in the response, and in every file that
// has it, with the table.
func TestTurnedAndBottom(t *testing.T) {
	out := layout(t, []byte(turned))
	if out.Status != "complete" || !out.DRC.Passed {
		t.Fatalf("%s, %v, %v", out.Status, out.Unrouted, out.DRC.Violations)
	}
	near := func(what string, got, want [2]float64, within float64) {
		t.Helper()
		if math.Hypot(got[0]-want[0], got[1]-want[1]) > within {
			t.Errorf("%s at %.6f, %.6f mm, want %.6f, %.6f", what, got[0], got[1], want[0], want[1])
		}
	}
	mm := func(p board.Point) [2]float64 { return [2]float64{board.ToMM(p.X), board.ToMM(p.Y)} }

	for _, p := range out.Placements {
		for i, pad := range p.Pads {
			near("response "+p.Ref, [2]float64{pad.X, pad.Y}, spots[p.Ref][i], 2e-6)
			if want := map[bool]string{false: "top",
				true: "bottom"}[onBottom[p.Ref]]; len(pad.Layers) != 1 || pad.Layers[0] != want {
				t.Errorf("response %s is on %v", p.Ref, pad.Layers)
			}
		}
	}

	files, err := fabrication.Read(out.Files)
	if err != nil {
		t.Fatal(err)
	}
	flashes := 0
	for l, image := range files.Copper {
		for _, o := range image.Objects {
			ref, pin, ok := strings.Cut(o.Attributes[".P"], ",")
			if o.Kind != fabrication.Flash || !ok {
				continue
			}
			flashes++
			if onBottom[ref] != (l == 1) {
				t.Errorf("Gerber: %s.%s is on layer %d", ref, pin, l)
			}
			near("Gerber "+ref, mm(o.To), spots[ref][pin[0]-'1'], 2e-6)
			// A quarter turn exchanges the sides of the land; any other turn needs a macro.
			want := map[string]string{"T1": "R,1.200000X0.600000", "T2": "R,0.600000X1.200000",
				"T3": "R,1.200000X0.600000", "T4": "R,0.600000X1.200000",
				"T5": "TURNEDRECT,1.200000X0.600000X30"}[ref]
			if o.Aperture != want {
				t.Errorf("Gerber: %s is flashed with %s, want %s", ref, o.Aperture, want)
			}
		}
	}
	if flashes != 15 {
		t.Errorf("Gerber: %d of 15 lands flashed", flashes)
	}

	points := 0
	for _, p := range files.Points {
		if p.Ref == "VIA" {
			continue
		}
		points++
		near("IPC-D-356A "+p.Ref, mm(p.At), spots[p.Ref][p.Pin[0]-'1'], 0.00071)
		if p.Bot != onBottom[p.Ref] || p.Top == onBottom[p.Ref] {
			t.Errorf("IPC-D-356A: %s.%s can be touched on top %v, bottom %v", p.Ref, p.Pin,
				p.Top, p.Bot)
		}
	}
	if points != 15 {
		t.Errorf("IPC-D-356A: %d of 15 points", points)
	}

	// T4 is not populated.
	want := "Designator,Mid X,Mid Y,Layer,Rotation\r\nT1,10.000000,10.000000,top,0\r\nT2,20.000000,10.000000,top,90\r\nT3,30.000000,10.000000,bottom,0\r\nT5,10.000000,22.000000,bottom,30\r\n"
	if got := out.Files["board-cpl.csv"]; got != want {
		t.Errorf("placement file\n%s\nwant\n%s", got, want)
	}
	if got, want := out.Files["board-bom.csv"],
		"Comment,Designator,Footprint,Quantity\r\nx,\"T1,T2,T3,T5\",TRI,4\r\n"; got != want {
		t.Errorf("bill of materials\n%s\nwant\n%s", got, want)
	}

	for _, side := range []string{"top", "bottom"} {
		seen := 0
		for ref, at := range svgPads(t, out.Files["board-"+side+".svg"]) {
			part, pin, _ := strings.Cut(ref, ".")
			if onBottom[part] != (side == "bottom") {
				t.Errorf("SVG: %s is on the %s", ref, side)
			}
			// The image has a margin of 1 mm and y down; it shows the bottom from below.
			want := spots[part][pin[0]-'1']
			want = [2]float64{1 + want[0], 31 - want[1]}
			if side == "bottom" {
				want[0] = 42 - want[0]
			}
			near("SVG "+ref, at, want, 2e-6)
			seen++
		}
		if n := map[string]int{"top": 6, "bottom": 9}[side]; seen != n {
			t.Errorf("SVG of the %s: %d of %d lands", side, seen, n)
		}
	}
}

var (
	svgMatrix = regexp.MustCompile(
		`<g transform="matrix\(([-\d.]+) 0 0 ([-\d.]+) ([-\d.]+) ([-\d.]+)\)">`)
	svgPad   = regexp.MustCompile(`<path d="([^"]+)"><title>([^<]+)</title>`)
	svgPoint = regexp.MustCompile(`[ML]([-\d.]+) ([-\d.]+)`)
)

// svgPads returns the centre of each titled land in the image.
func svgPads(t *testing.T, text string) map[string][2]float64 {
	t.Helper()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	m := svgMatrix.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no matrix")
	}
	out := map[string][2]float64{}
	for _, pad := range svgPad.FindAllStringSubmatch(text, -1) {
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for _, p := range svgPoint.FindAllStringSubmatch(pad[1], -1) {
			for i := range 2 {
				low[i], high[i] = min(low[i], number(p[i+1])), max(high[i], number(p[i+1]))
			}
		}
		out[pad[2]] = [2]float64{number(m[1])*(low[0]+high[0])/2 + number(m[3]),
			number(m[2])*(low[1]+high[1])/2 + number(m[4])}
	}
	return out
}

// TestTurnedAndBottomInKiCad compares KiCad's positions of the same lands with the table. KiCad's
// origin is 100 mm to the left of and 130 mm above the origin of the layout, with y down.
func TestTurnedAndBottomInKiCad(t *testing.T) {
	out := layout(t, []byte(turned))
	j := pcbnew(t,
		map[string]unjudged{"turned": {out.Files["board.kicad_pcb"],
			out.Rules.EdgeClearance}})["turned"]
	if v, u, f := j.counts(); v != 0 || u != 0 || f != 0 {
		t.Errorf("%d violations, %d unconnected, %d footprint errors:\n%s", v, u, f, j.Report)
	}
	for ref, want := range spots {
		p, ok := j.Parts[ref]
		if !ok || p.Flipped != onBottom[ref] || len(p.Pads) != 3 {
			t.Errorf("%s: found %v, flipped %v, %d pads", ref, ok, p.Flipped, len(p.Pads))
			continue
		}
		for i, pad := range p.Pads {
			x, y := pad[2].(float64)/1e6-100, 130-pad[3].(float64)/1e6
			if pad[0] != fmt.Sprint(i+1) || math.Hypot(x-want[i][0], y-want[i][1]) > 3e-6 {
				t.Errorf("KiCad sees %s.%s at %.6f, %.6f mm, want %.6f, %.6f", ref, pad[0], x, y,
					want[i][0], want[i][1])
			}
			if pad[4] == onBottom[ref] || pad[5] != onBottom[ref] {
				t.Errorf("KiCad sees %s.%v on front %v, back %v", ref, pad[0], pad[4], pad[5])
			}
		}
	}
}
