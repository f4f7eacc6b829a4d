package kicad

import (
	"context"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/placed"
	"slipstick/autorouter/route"
)

// TestWithin compares the x intervals in which a polygon covers the full height of a strip with
// intervals determined by hand.
func TestWithin(t *testing.T) {
	square := board.Polygon{{X: 0, Y: 0}, {X: 100, Y: 0}, {X: 100, Y: 100}, {X: 0, Y: 100}}
	notch := board.Polygon{ // has a V-shaped notch of 60 nm depth at the top, at x = 50 nm
		{X: 0, Y: 0}, {X: 100, Y: 0}, {X: 100, Y: 100}, {X: 80, Y: 100}, {X: 50, Y: 40},
		{X: 20, Y: 100}, {X: 0, Y: 100},
	}
	for _, c := range []struct {
		name      string
		g         board.Polygon
		low, high float64
		want      [][2]float64
	}{
		{"square", square, 20, 40, [][2]float64{{0, 100}}},
		{"above it", square, 120, 140, nil},
		{"over its side", square, 90, 110, nil},
		{"below the notch", notch, 10, 30, [][2]float64{{0, 100}}},
		{"the notch at 60 to 80 is widest above: 30 to 70", notch, 60, 80,
			[][2]float64{{0, 30}, {70, 100}}},
		{"over the end of the notch", notch, 30, 60, [][2]float64{{0, 40}, {60, 100}}},
	} {
		if got := within(c.g, c.low, c.high); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPourWithinZone verifies that the pour of a zone that ends 1.4 mm before the right side of the
// board also ends there.
func TestPourWithinZone(t *testing.T) {
	zone := `(zone (net 1) (net_name "GND") (layer "B.Cu") (connect_pads (clearance 0.2)) (min_thickness 0.3)
    (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.3))
    (polygon (pts (xy 99 99) (xy 138.6 99) (xy 138.6 133) (xy 99 133))))`
	r, err := read(t, smallBoard(zone), projectText).Route(context.Background(), Options{},
		placed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Open) > 0 || len(r.RoutingViolations) > 0 || len(r.Board.Zones) != 1 {
		t.Fatalf("open %v, violations %v, %d pours", r.Open, r.RoutingViolations,
			len(r.Board.Zones))
	}
	filled := 0.0
	for _, f := range r.Board.Zones[0].Pieces {
		filled += f.Outline.Area()
		for _, p := range f.Outline { // the limit is x = 138.6 mm in the file
			if p.X > board.MM(38.6) {
				t.Errorf("the pour reaches %v", p)
			}
		}
	}
	if filled < 0.8*r.Outline.Area() {
		t.Errorf("the pour has %g of %g mm²", filled/1e12, r.Outline.Area()/1e12)
	}
}

// TestPadClearance verifies that tracks keep the clearance of a pad or of its footprint if that
// clearance exceeds the clearance of the net class.
func TestPadClearance(t *testing.T) {
	const text = `(kicad_pcb (version 20221018)
  (layers (0 "F.Cu" signal) (31 "B.Cu" signal) (44 "Edge.Cuts" user))
  (net 0 "") (net 1 "A") (net 2 "B")
  (footprint "P" (layer "F.Cu") (at 105 105) (fp_text reference "R1" (at 0 0) (layer "F.Fab"))
    (pad "1" smd circle (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (footprint "P" (layer "F.Cu") (at 115 105) (fp_text reference "R2" (at 0 0) (layer "F.Fab"))
    (pad "1" smd circle (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (footprint "P" (layer "F.Cu") (at 110 105) FOOTPRINT (fp_text reference "R3" (at 0 0) (layer "F.Fab"))
    (pad "1" KIND circle (at 0 0) (size 1 1) PAD))
  (gr_rect (start 100 90) (end 120 120) (layer "Edge.Cuts") (width 0.1)) TRACK)`
	const smd, npth = `(layers "F.Cu") (net 2 "B")`, `(drill 1) (layers "*.Mask")`
	for _, c := range []struct {
		name, kind, footprint, pad string
		want                       float64 // distance between the track and the pad [mm]
	}{
		{"of the class", "smd", "", smd, 0.2},
		{"of the pad", "smd", "", smd + "(clearance 1.5)", 1.5},
		{"of the footprint", "smd", "(clearance 1.2)", smd, 1.2},
		{"the pad's before the footprint's", "smd", "(clearance 3)", smd + "(clearance 0.5)", 0.5},
		{"smaller than that of the class", "smd", "", smd + "(clearance 0.1)", 0.2},
		{"of a hole without plating", "np_thru_hole", "", npth + "(clearance 1.4)", 1.4},
	} {
		file := strings.NewReplacer("FOOTPRINT", c.footprint, "KIND", c.kind, "PAD",
			c.pad).Replace(text)
		r, err := read(t, strings.Replace(file, "TRACK", "", 1), projectText).
			Route(context.Background(), Options{}, placed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		near := 1e9
		disc := geom.Disc(board.Point{X: board.MM(10), Y: board.MM(15)}, board.MM(1))
		for _, k := range r.Tracks {
			s := geom.Segment(k.A, k.B, k.Width)
			if k.Layer == 0 || c.kind != "smd" {
				near = min(near, geom.Distance(&s, &disc)/1e6)
			}
		}
		if len(r.Open) > 0 || len(r.RoutingViolations) > 0 || r.OwnViolations > 0 ||
			near < c.want-1e-6 || near > c.want+0.4 {
			t.Errorf("%s: %.3f mm, want %g; open %v, violations %v", c.name, near, c.want,
				r.Open, r.RoutingViolations)
		}
		// An existing track at half of the clearance is a design rule violation.
		y := 105 - 0.5 - c.want/2 - 0.1
		kept := `(segment (start 105 ` + millimetres(board.MM(y)) + `) (end 115 ` +
			millimetres(board.MM(y)) +
			`) (width 0.2) (layer "F.Cu") (net 1))`
		r, err = read(t, strings.Replace(file, "TRACK", kept, 1), projectText).
			Route(context.Background(), Options{Keep: KeepAll}, placed.Options{Effort: route.Fast})
		if err != nil {
			t.Fatal(err)
		}
		if r.OwnViolations == 0 {
			t.Errorf("%s: a track at half of the clearance is no violation", c.name)
		}
	}
}
