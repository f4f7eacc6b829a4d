package footprint

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// TestCourtyardOutline verifies which drawn courtyards keep their outline. The T is the courtyard
// of ESP32-WROOM-32 in KiCad's library of 2020. The module of 19.5 mm is below an antenna keepout
// of 28.5 mm by 11.28 mm.
func TestCourtyardOutline(t *testing.T) {
	tee := []string{"-9.75 10.5", "-9.75 -9.72", "-14.25 -9.72", "-14.25 -21", "14.25 -21",
		"14.25 -9.72", "9.75 -9.72", "9.75 10.5"}
	area := 19.5*20.22 + 28.5*11.28
	for _, c := range []struct {
		name    string
		corners []string
		pad     string
		want    float64 // area of the courtyard [mm²]
	}{
		{"T", tee, "-8.5 -8.255", area},
		{"pad at the side of the stem", tee, "-8.8 -8.255", 28.5 * 31.5},
		{"pad outside of the T", tee, "-12 0", 28.5 * 31.5},
		{"small notch", []string{"-5 5", "-5 -5", "5 -5", "5 3", "4 3", "4 5"}, "0 0", 100},
		{"oblique side", []string{"-5 5", "-5 -5", "5 -5", "5 -4", "-4 4", "-4 5"}, "-3 -3", 100},
	} {
		lines := ""
		for i, a := range c.corners {
			// Lines in both directions, as KiCad writes them.
			b := c.corners[(i+1)%len(c.corners)]
			if i%2 > 0 {
				a, b = b, a
			}
			lines += "(fp_line (start " + a + ") (end " + b + ") (layer F.CrtYd) (width 0.05))\n"
		}
		f, err := FromKiCad("Lib:X", `(module X (layer F.Cu) `+lines+`
			(pad 1 smd rect (at `+c.pad+`) (size 2 0.9) (layers F.Cu F.Paste F.Mask)))`)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := f.CourtyardArea() / 1e12; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.3f mm², want %.3f mm²", c.name, got, c.want)
		}
		if o := f.CourtyardOutline; o != nil && o.Bounds() != f.Courtyard {
			t.Errorf("%s: outline %v in %v", c.name, o, f.Courtyard)
		}
	}
}

// TestMatingSide verifies the mating side of imported connectors. It comes from a marked board
// edge, from the library's connector of the same name, or from their name and body or contacts.
// Some connectors have none.
func TestMatingSide(t *testing.T) {
	pads := func(x1, y1, x2, y2 float64) string {
		return fmt.Sprintf(`(pad 1 thru_hole rect (at %g %g) (size 2 4) (drill oval 1 3) (layers *.Cu))
			(pad 2 thru_hole rect (at %g %g) (size 2 4) (drill oval 1 3) (layers *.Cu))`,
			x1, y1, x2, y2)
	}
	body := func(x1, y1, x2, y2 float64) string {
		return fmt.Sprintf(`(fp_line (start %g %g) (end %g %g) (layer "F.Fab") (width 0.1))
			(fp_line (start %[1]g %[4]g) (end %[3]g %[2]g) (layer "F.Fab") (width 0.1))`,
			x1, y1, x2, y2)
	}
	// row returns pads with a pitch of 0.65 mm at the upper or, if not horizontal, right side of
	// the courtyard.
	row := func(horizontal bool, pads int) (items string) {
		for i := range pads {
			x, y := float64(i)*0.65-1, -2.2
			if !horizontal {
				x, y = -y+1, x
			}
			items += fmt.Sprintf(
				`(pad %d smd rect (at %g %g) (size 0.4 0.4) (layers F.Cu))`, i+3, x, y)
		}
		return items
	}
	edgeOn := func(layer, line, text string) string {
		return `(fp_line ` + line + ` (layer "` + layer + `") (width 0.1))
			(fp_text user "` + text + `" (at 0 0) (layer "Dwgs.User"))`
	}
	edge := func(line, text string) string { return edgeOn("Dwgs.User", line, text) }
	for _, c := range []struct {
		name, footprint, items string
		want                   board.Edge
	}{
		// KiCad's y axis points down.
		{"edge below", "X", edge("(start -5 9) (end 5 9)", "PCB Edge") + pads(3, 4, 5, 4),
			board.BottomEdge},
		{"edge above", "X", edge("(start -5 2) (end 5 2)", "PCB edge") + pads(3, 4, 5, 4),
			board.TopEdge},
		{"edge at the left", "X", edge("(start 2 -5) (end 2 5)", "PCB Edge") + pads(3, 4, 5, 4),
			board.LeftEdge},
		{"edge at the right", "X", edge("(start 9 5) (end 9 -5)", "Board Edge") + pads(3, 4, 5, 4),
			board.RightEdge},
		{"open outline below", "X", edgeOn("Edge.Cuts", "(start -5 9) (end 5 9)", "PCB edge") +
			pads(3, 4, 5, 4), board.BottomEdge},
		{"line without a text", "X", edge("(start -5 9) (end 5 9)", "x") + pads(3, 4, 5, 4),
			board.NoEdge},
		{"oblique line", "X", edge("(start -5 9) (end 5 8)", "PCB Edge") + pads(3, 4, 5, 4),
			board.NoEdge},
		{"barrel jack of the library", "Connector_BarrelJack:BarrelJack_Horizontal",
			pads(0, 0, -6, 0), board.LeftEdge},
		{"barrel jack drawn the other way", "BarrelJack_Horizontal", pads(-3, 0, 3, 0),
			board.NoEdge},
		{"resistor", "R_0805", pads(-1, 0, 1, 0), board.NoEdge},
		// Without a marked edge, the body extends farthest beyond the pads on the mating side. Pads
		// measure 2 by 4 mm; the courtyard is from (-3, -2) to (3, 2) mm.
		{"jack", "DC_Jack", body(-2, -2, 9, 2) + pads(-1, 0, 1, 0), board.RightEdge},
		{"USB above", "USB_Mini-B", body(-2, -9, 2, 2) + pads(-1, 0, 1, 0), board.TopEdge},
		{"jack with a centred body", "DC_Jack", body(-9, -2, 9, 2) + pads(-1, 0, 1, 0),
			board.NoEdge},
		{"vertical jack", "DC_Jack_Vertical", body(-2, -2, 9, 2) + pads(-1, 0, 1, 0),
			board.NoEdge},
		{"relay", "Relay", body(-2, -2, 9, 2) + pads(-1, 0, 1, 0), board.NoEdge},
		{"terminal block in a row", "bornier2", body(-3, -4, 3, 4) + pads(-2, 0, 2, 0),
			board.BottomEdge},
		{"terminal block in a column", "bornier2", body(-4, -4, 4, 4) + pads(0, -2, 0, 2),
			board.NoEdge},
		{"terminal block with a deep body", "Phoenix_MC", body(-3, -9, 3, 2) + pads(-2, 0, 2, 0),
			board.TopEdge},
		// The opening of a connector without a body is opposite to the row of its contacts.
		{"contacts above the shell", "USB_Micro", row(true, 5) + pads(-4, 3, 4, 3),
			board.BottomEdge},
		{"contacts at the right of the shell", "RJHSE-5380", row(false, 8) + pads(-3, -4, -3, 4),
			board.LeftEdge},
		{"three contacts", "USB_Micro", row(true, 3) + pads(-4, 3, 4, 3), board.NoEdge},
		{"contacts between the pads of the shell", "USB_Micro", row(true, 5) +
			pads(-5, -4, 5, -0.4), board.NoEdge},
		{"contacts of a chip", "SOIC", row(true, 5) + pads(-4, 3, 4, 3), board.NoEdge},
	} {
		f, err := FromKiCad(c.footprint, footprintText(c.items))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		// Distance of the lines from (4, 4) mm, the centre of the pads.
		distance := map[string]int64{"edge below": 5e6, "edge above": 2e6, "edge at the left": 2e6,
			"edge at the right": 5e6, "open outline below": 5e6}[c.name]
		if f.EdgeDistance != distance || f.MarksEdge != (distance > 0) {
			t.Errorf("%s: board edge at %d nm, want %d", c.name, f.EdgeDistance, distance)
		}
		wantEdge := board.NoEdge
		if c.want != board.NoEdge {
			wantEdge = board.AnyEdge
		}
		if f.MatingSide != c.want || f.Edge != wantEdge {
			t.Errorf("%s: mating side %v at edge %v, want %v at %v", c.name, f.MatingSide, f.Edge,
				c.want, wantEdge)
		}
	}
}

// TestKeepoutShape verifies that a C-shaped keepout keeps its shape, which is moved with the pads
// to the centre of the footprint. A rectangle has no shape besides its area.
func TestKeepoutShape(t *testing.T) {
	at := func(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }
	const zone = `(pad 1 smd rect (at 1 2) (size 1 1) (layers F.Cu))
		(zone (net 0) (layers F.Cu) (keepout (tracks not_allowed) (vias not_allowed)
			(copperpour not_allowed)) (polygon (pts %s)))`
	for points, want := range map[string]board.Polygon{
		"(xy 0 0) (xy 4 0) (xy 4 4) (xy 0 4)": nil,
		"(xy 0 0) (xy 4 0) (xy 4 1) (xy 3 1) (xy 3 3) (xy 4 3) (xy 4 4) (xy 0 4)": {
			at(-1, 2), at(3, 2), at(3, 1), at(2, 1), at(2, -1), at(3, -1), at(3, -2), at(-1, -2)},
	} {
		f, err := FromKiCad("X", footprintText(fmt.Sprintf(zone, points)))
		if err != nil {
			t.Fatal(err)
		}
		area := board.Rect{Min: at(-1, -2), Max: at(3, 2)}
		if k := f.Keepouts[0]; k.Area != area || !slices.Equal(k.Outline, want) {
			t.Errorf("%s: %v, outline %v, want %v", points, k.Area, k.Outline, want)
		}
	}
}

// TestKeepoutRules verifies that the keepout of a footprint excludes its pads only if the drawing
// excludes pads and all other copper.
func TestKeepoutRules(t *testing.T) {
	for rules, want := range map[string]board.FootprintKeepout{
		"(tracks not_allowed) (vias not_allowed) (pads not_allowed) (copperpour not_allowed)": {
			Tracks: true, Vias: true, Pour: true, Copper: true}, // ESP32-WROOM-32
		"(tracks allowed) (vias not_allowed) (pads allowed) (copperpour not_allowed)": {
			Vias: true, Pour: true}, // Tag-Connect_TC2050-IDC-NL_2x05_P1.27mm_Vertical
		"(tracks not_allowed) (vias not_allowed) (pads allowed) (copperpour not_allowed)": {
			Tracks: true, Vias: true, Pour: true},
		"(tracks not_allowed) (vias not_allowed) (pads not_allowed) (copperpour allowed)": {
			Tracks: true, Vias: true},
		"(tracks not_allowed) (vias not_allowed) (copperpour not_allowed)": { // as in KiCad 6
			Tracks: true, Vias: true, Pour: true},
	} {
		f, err := FromKiCad("X", footprintText(`(pad 1 smd rect (at 0 0) (size 1 1) (layers F.Cu))
			(zone (net 0) (layers F.Cu) (keepout `+rules+`)
				(polygon (pts (xy -1 -1) (xy 1 -1) (xy 1 1) (xy -1 1))))`))
		if err != nil {
			t.Fatal(err)
		}
		want.Front = true
		want.Area = board.Rect{Min: board.Point{X: board.MM(-1), Y: board.MM(-1)},
			Max: board.Point{X: board.MM(1), Y: board.MM(1)}}
		if k := f.Keepouts[0]; !reflect.DeepEqual(k, want) {
			t.Errorf("%s: %+v, want %+v", rules, k, want)
		}
	}
}

// TestInnerKeepout verifies that a keepout of inner layers, which no part of the layout can keep,
// is left out with a note.
func TestInnerKeepout(t *testing.T) {
	f, err := FromKiCad("X", footprintText(`(pad 1 smd rect (at 0 0) (size 1 1) (layers F.Cu))
		(zone (net 0) (layers In1.Cu) (keepout (tracks not_allowed))
			(polygon (pts (xy -1 -1) (xy 1 -1) (xy 1 1) (xy -1 1))))`))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Keepouts) > 0 || !strings.Contains(f.Note, "inner layers alone is left out") {
		t.Errorf("keepouts %+v, note %q", f.Keepouts, f.Note)
	}
}

// TestEdgeMount verifies the board edge of connectors that are soldered to it without a mark. It is
// at the end of the pads on the mating side, which have a length of 5 mm. The dimensions are those
// of SMA_Amphenol_132289_EdgeMount of KiCad 6.
func TestEdgeMount(t *testing.T) {
	const drawing = `(fp_line (start -1.91 -3.81) (end 13.97 3.81) (layer "F.Fab") (width 0.1))
		(pad "1" smd rect (at 0 0 90) (size 1.5 5.08) (layers "F.Cu"))
		(pad "2" smd rect (at 0 4.25 90) (size 1.5 5.08) (layers "F.Cu"))
		(pad "2" smd rect (at 0 -4.25 90) (size 1.5 5.08) (layers "F.Cu"))`
	const back = `(pad "2" smd rect (at 0 4.25 90) (size 1.5 5.08) (layers "B.Cu"))`
	for _, c := range []struct {
		name, items string
		want        bool
	}{
		{"SMA_EdgeMount", drawing, true},
		{"SMA_end_launch", drawing, true},
		{"USB_A", drawing + back, true},
		{"USB_A", drawing, false},
		{"USB_A with holes", drawing + back +
			`(pad "2" thru_hole circle (at 0 9) (size 2 2) (drill 1) (layers *.Cu))`, false},
		{"resistor", drawing + back, false},
	} {
		f, err := FromKiCad(c.name, footprintText(c.items))
		if err != nil {
			t.Fatal(c.name, err)
		}
		side, distance, known := f.BoardEdge()
		if known != c.want || f.MarksEdge || known &&
			(side != board.RightEdge || distance != board.MM(2.54)) {
			t.Errorf("%s: edge %v at %g mm, known %t, want %t", c.name, side, board.ToMM(distance),
				known, c.want)
		}
	}
}
