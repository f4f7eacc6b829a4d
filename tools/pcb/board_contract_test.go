package pcb

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// TestNoRoomAtTheEdge verifies the warning for a part that is not within 1 mm of its requested
// edge. The design rule check does not cover this case.
func TestNoRoomAtTheEdge(t *testing.T) {
	for edge, want := range map[string]string{"left": "could not be placed at the left edge",
		"none": ""} {
		var parts []string
		for i := range 3 {
			parts = append(parts,
				fmt.Sprintf(`{"ref":"J%d","footprint":"TerminalBlock_1x02","edge":%q}`, i, edge))
		}
		out := layout(t, []byte(fmt.Sprintf(`{"components":[%s],"nets":[{"name":"A","pins":["J0.1","J1.1","J2.1"]}],"width_mm":40,"height_mm":28}`, strings.Join(parts, ","))))
		warnings := strings.Join(out.Warnings.Warnings, "; ")
		// Three parts of 10.7 mm do not fit along 28 mm.
		if strings.Contains(warnings, "could not be placed") != (want != "") ||
			!strings.Contains(warnings, want) {
			t.Errorf("edge %s: warnings %q, want %q", edge, warnings, want)
		}
	}
}

// TestRoundCorners verifies that the chords of a rounded corner deviate from the arc by at most
// 0.02 mm. No side of the outline has zero length.
func TestRoundCorners(t *testing.T) {
	for _, c := range []struct {
		width, height, radius float64
	}{{40, 30, 0.1}, {40, 30, 3}, {60, 50, 20}, {40, 40, 20}, {50, 40, 20}, {5, 5, 2.5}} {
		out := layout(t, []byte(fmt.Sprintf(`{"components":[{"ref":"R1","footprint":"R_0402"}],"nets":[{"name":"A","pins":["R1.1"]}],"width_mm":%g,"height_mm":%g,"corner_radius_mm":%g,"effort":"fast"}`, c.width, c.height, c.radius)))
		for i, a := range out.Board.Outline {
			b := out.Board.Outline[(i+1)%len(out.Board.Outline)]
			if a == b {
				t.Errorf("%v: point %d is there twice", c, i)
			}
			x, y := (a.X+b.X)/2, (a.Y+b.Y)/2
			dx, dy := max(c.radius-x, x-c.width+c.radius), max(c.radius-y, y-c.height+c.radius)
			if dx > 1e-9 && dy > 1e-9 && (a.X != b.X && a.Y != b.Y) {
				if off := c.radius - math.Hypot(dx, dy); off < -1e-6 || off > 0.02 {
					t.Errorf("%v: the chord at %g, %g is %g mm off", c, x, y, off)
				}
			}
		}
	}
}

// TestRoom verifies that boards on which the parts may fit are accepted. A TQFP-48 has a courtyard
// of 10.45 mm, so one on each side exceeds the area of 14 x 12 mm. It also verifies that keepouts
// apply only to their layers, and to parts only on request.
func TestRoom(t *testing.T) {
	for name, c := range map[string]struct {
		parts, with string
		passed      bool
	}{
		"both sides": {
			`{"ref":"U1","footprint":"TQFP-48"},{"ref":"U2","footprint":"TQFP-48"}`, `"width_mm":14,"height_mm":12,"placements":[{"ref":"U1","x_mm":7,"y_mm":6},{"ref":"U2","x_mm":7,"y_mm":6,"side":"bottom"}]`, true},
		"a keepout of the bottom": {`{"ref":"R1","footprint":"R_0805"}`, `"width_mm":10,"height_mm":10,"keepouts":[{"x_mm":0,"y_mm":0,"width_mm":10,"height_mm":10,"layers":["bottom"]}]`, true},
		"a keepout of the top":    {`{"ref":"R1","footprint":"R_0805"}`, `"width_mm":10,"height_mm":10,"allow_bottom":true,"keepouts":[{"x_mm":0,"y_mm":0,"width_mm":10,"height_mm":10,"layers":["top"]}]`, true},
		"a keepout of tracks":     {`{"ref":"R1","footprint":"R_0805"}`, `"width_mm":10,"height_mm":10,"keepouts":[{"x_mm":0,"y_mm":0,"width_mm":10,"height_mm":10,"components":false,"copper":false}]`, true},
		"fixed in a keepout":      {`{"ref":"R1","footprint":"R_0805"}`, `"width_mm":10,"height_mm":10,"placements":[{"ref":"R1","x_mm":5,"y_mm":5}],"keepouts":[{"x_mm":0,"y_mm":0,"width_mm":10,"height_mm":10}]`, false},
		"fixed over the edge": {
			`{"ref":"R1","footprint":"R_0805"},{"ref":"J1","footprint":"BARREL_JACK"}`,
			`"width_mm":16,"height_mm":15,"placements":[{"ref":"J1","x_mm":2,"y_mm":6}]`, false},
	} {
		out := layout(t, []byte(`{"components":[`+c.parts+`],"nets":[],`+c.with+`}`))
		if out.DRC.Passed != c.passed {
			t.Errorf("%s: passed %v, %v", name, out.DRC.Passed, out.DRC.Violations)
		}
	}
}

// TestPowerTrackWidth verifies that tracks of class power have the requested width, by default the
// larger of 0.5 mm and track_width_mm.
func TestPowerTrackWidth(t *testing.T) {
	for with, want := range map[string]float64{`"track_width_mm":0.3`: 0.5,
		`"track_width_mm":0.8`: 0.8, `"power_track_width_mm":0.2`: 0.2,
		`"track_width_mm":0.8,"power_track_width_mm":0.6`: 0.6} {
		out := layout(t, []byte(`{"components":[{"ref":"R1","footprint":"R_1206"},{"ref":"R2","footprint":"R_1206"}],"nets":[{"name":"VCC","pins":["R1.1","R2.1"]}],`+with+`}`))
		if out.Rules.PowerTrackWidth != want || len(out.Tracks) == 0 {
			t.Errorf("%s: class power has %g mm, want %g; %d tracks", with,
				out.Rules.PowerTrackWidth, want, len(out.Tracks))
		}
		for _, track := range out.Tracks {
			if track.Width != want {
				t.Errorf("%s: a track of %g mm, want %g", with, track.Width, want)
			}
		}
	}
}

// TestHoleNames verifies that the references of mounting holes in the KiCad file differ from those
// of the parts.
func TestHoleNames(t *testing.T) {
	out := layout(t, []byte(`{"components":[{"ref":"H2","footprint":"R_0805"},{"ref":"h1","footprint":"R_0805"}],"nets":[],"width_mm":40,"height_mm":30,
		"mounting_holes":[{"x_mm":5,"y_mm":5},{"x_mm":35,"y_mm":5}]}`))
	var names []string
	for _, m := range regexp.MustCompile(`fp_text reference "(\w+)"`).FindAllStringSubmatch(
		out.Files["board.kicad_pcb"], -1) {
		names = append(names, m[1])
	}
	if got := strings.Join(names, " "); got != "H2 h1 H3 H4" {
		t.Errorf("references %s, want H2 h1 H3 H4", got)
	}
}

// TestPasteWindows verifies that paste covers lands up to 4 mm² completely and larger ones by 50 to
// 80 %, and lies on the land. By hand, a circle of 2.4 mm has 4.52 mm². An oval of 2 x 2.2 mm has
// 3.54 mm², and one of 2 x 3 mm has 5.14 mm².
func TestPasteWindows(t *testing.T) {
	for _, c := range []struct {
		pad  string
		want string // aperture of the paste
		n    int    // number of flashes
	}{
		{`"shape":"circle","width_mm":2.4,"height_mm":2.4`, "C,1.920000", 1},
		{`"shape":"circle","width_mm":2.2,"height_mm":2.2`, "C,2.200000", 1}, // 3.80 mm²
		{`"shape":"oval","width_mm":2,"height_mm":2.2`, "O,2.000000X2.200000", 1},
		{`"shape":"oval","width_mm":2,"height_mm":3`, "O,1.600000X2.400000", 1},
		{`"shape":"rect","width_mm":2,"height_mm":2`, "R,2.000000X2.000000", 1},
		{`"shape":"rect","width_mm":2.1,"height_mm":2.1`, "R,0.840000X0.840000", 4},
	} {
		out := layout(t, []byte(`{"components":[{"ref":"U1","footprint":"X"}],"nets":[{"name":"A","pins":["U1.1"]}],"placements":[{"ref":"U1","x_mm":5,"y_mm":5}],
			"custom_footprints":[{"name":"X","pads":[{"pad":"1","x_mm":0,"y_mm":0,`+c.pad+`}]}]}`))
		paste := out.Files["board.gtp"]
		if !strings.Contains(paste, "%ADD10"+c.want+"*%") || strings.Count(paste, "D03*") != c.n {
			t.Errorf("%s: want %d of %s in\n%s", c.pad, c.n, c.want, paste)
		}
	}
}

// TestHolesOfParts verifies that unplated holes, of the request or of a part, are not pads. The
// specification defines the positions: USB_C_16P has holes of 0.65 mm at (±2.89, 1.95).
func TestHolesOfParts(t *testing.T) {
	out := layout(t, []byte(`{"components":[{"ref":"J1","footprint":"USB_C_16P"}],"nets":[{"name":"GND","pins":["J1.A1","J1.B1"]}],"width_mm":30,"height_mm":20,
		"placements":[{"ref":"J1","x_mm":15,"y_mm":5}],"mounting_holes":[{"x_mm":25,"y_mm":15,"diameter_mm":2.2}]}`))
	want := []holeOut{{25, 15, 2.2}, {12.11, 6.95, 0.65}, {17.89, 6.95, 0.65}}
	if fmt.Sprint(out.Holes) != fmt.Sprint(want) {
		t.Errorf("holes %v, want %v", out.Holes, want)
	}
	for _, h := range want {
		if line := fmt.Sprintf("X%.6fY%.6f\n", h.X,
			h.Y); !strings.Contains(out.Files["board-NPTH.drl"], line) {
			t.Errorf("the drill file has no %s", line)
		}
	}
	pads := out.Placements[0].Pads
	if len(pads) != 16 || out.Statistics.PadCount != 16 {
		t.Errorf("%d pads, pad_count %d, want 16", len(pads), out.Statistics.PadCount)
	}
	for _, p := range pads {
		if p.Pad == "" || len(p.Layers) == 0 {
			t.Errorf("pad %q at %g, %g has layers %v", p.Pad, p.X, p.Y, p.Layers)
		}
	}
}

// TestLinesAreNamed verifies that the message about an invalid text contains the line number, for
// clients that show only the message.
func TestLinesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"t\nR1 a b 1k\nQ1 a\n.end": "netlist, line 3: Q1 needs 3 nodes",
		"(export\n (components\n  (comp (ref R1) (footprint R_0805)))\n (nets (net (name A) (node (ref R9) (pin 1)))))": `netlist, line 4: net "A": there is no component "R9"`,
	} {
		if _, err := layoutOf([]byte(fmt.Sprintf(`{"netlist":%q}`, text))); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
