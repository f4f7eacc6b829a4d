package autorouter

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/autorouter/board"
)

// TestBlockedArea compares the area of keepouts and holes with a Monte Carlo estimate.
func TestBlockedArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	at := func(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }
	outline := board.Polygon{{}, at(40, 0), at(40, 40), at(20, 15), at(0, 40)} // concave at the top
	for range 10 {
		var keepouts []board.Keepout
		for range 6 {
			low := at(rng.Float64()*45-5, rng.Float64()*45-5)
			keepouts = append(keepouts,
				board.Keepout{Area: board.Rect{Min: low,
					Max: low.Add(at(rng.Float64()*20, rng.Float64()*20))},
					Layers: []board.Layer{board.Bottom}, Components: true})
		}
		holes := []board.Hole{{At: at(rng.Float64()*40, rng.Float64()*20), Diameter: board.MM(6),
			Keepout: board.MM(1)}}
		got := blockedArea(outline, board.Bottom, holes, keepouts) / 1e12
		const n = 200_000
		in := 0
		for range n {
			p := at(rng.Float64()*40, rng.Float64()*40)
			hit := math.Abs(float64(p.X-holes[0].At.X)) < 4e6/math.Sqrt2 &&
				math.Abs(float64(p.Y-holes[0].At.Y)) < 4e6/math.Sqrt2
			for _, k := range keepouts {
				hit = hit || k.Area.Min.X < p.X && p.X < k.Area.Max.X && k.Area.Min.Y < p.Y &&
					p.Y < k.Area.Max.Y
			}
			if hit && outline.Contains(p) {
				in++
			}
		}
		if want := 1600 * float64(in) / n; math.Abs(got-want) > 9 { // 5 standard deviations
			t.Errorf("%.1f mm², want %.1f", got, want)
		}
		if top := blockedArea(outline, board.Top, nil, keepouts); top != 0 {
			t.Errorf("%g nm² of the other side", top)
		}
	}
}

// TestFixedPartLargerThanTheBoard verifies that a fixed module may be larger than the board, which
// the antenna area of its courtyard of 48 by 41.25 mm overhangs. Without its place, and with its
// antenna at no edge, it does not fit.
func TestFixedPartLargerThanTheBoard(t *testing.T) {
	width, height, none := 28.0, 50.0, "none"
	for _, fixed := range []bool{true, false} {
		q := denseBoard(0, 0, 45, 1)
		q.WidthMM, q.HeightMM = &width, &height
		q.Components = []Component{{Ref: "U1", Footprint: "ESP32-WROOM-32",
			Edge: &none}, {Ref: "C1", Footprint: "C_0603"}}
		q.Nets = []Net{{Name: "A", Pins: []string{"U1.2", "C1.1"}}}
		if fixed {
			q.Placements = []Placement{{Ref: "U1", XY: XY{X: 14, Y: 35}, Fixed: true}}
		}
		_, err := newLayout(q, nil)
		var invalid InvalidFields
		if errors.As(err, &invalid) == fixed {
			t.Errorf("fixed %v: %v", fixed, err)
		}
	}
}

// TestPlacementOfRenamed verifies that placements may name a renamed part of a KiCad netlist by its
// reference in the netlist.
func TestPlacementOfRenamed(t *testing.T) {
	q := openBoard()
	q.Components, q.Nets = nil, nil
	text := `(export (components (comp (ref "U1-A") (footprint "R_0603")))
		(nets (net (name "A") (node (ref "U1-A") (pin "1")))))`
	q.Netlist = &text
	q.Placements = []Placement{{Ref: "u1-a", XY: XY{X: 3, Y: 3}, Side: "top"}}
	l, err := newLayout(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.place.Placements) != 1 {
		t.Errorf("%+v", l.place.Placements)
	}
}
