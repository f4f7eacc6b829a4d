package drc

import (
	"context"
	"fmt"
	"testing"

	"slipstick/autorouter/board"
)

// um converts micrometres to nanometres.
func um(v int64) int64 { return v * 1000 }

func pt(xMM, yMM float64) board.Point { return board.Point{X: board.MM(xMM), Y: board.MM(yMM)} }

// moved returns p moved by dx and dy [nm].
func moved(p board.Point, dx, dy int64) board.Point { return p.Add(board.Point{X: dx, Y: dy}) }

func rectPolygon(x0, y0, x1, y1 int64) board.Polygon {
	return board.Polygon{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

func reversed(g board.Polygon) board.Polygon {
	r := make(board.Polygon, len(g))
	for i, p := range g {
		r[len(g)-1-i] = p
	}
	return r
}

// testRules returns the design rules of the test boards, with a default class and a power class.
func testRules() board.Rules {
	return board.Rules{
		Classes: []board.Class{
			{Name: "default", TrackWidth: um(250), Clearance: um(200), ViaDrill: um(300),
				ViaDiameter: um(600)},
			{Name: "power", TrackWidth: um(500), Clearance: um(300), ViaDrill: um(300),
				ViaDiameter: um(600)},
		},
		NeckWidth: um(250), NeckLength: um(3000), EdgeClearance: um(400), HoleClearance: um(250),
		HoleToHole:    um(300),
		MaskExpansion: um(50), MaskWeb: um(100), PourClearance: um(250),
		MinTrack: um(100), MinGap: um(100), MinDrill: um(200), MinRing: um(100),
		GroundNet: board.NoNet,
	}
}

// emptyBoard returns a board of 40 by 30 mm with the nets A and B of class default and P of class
// power.
func emptyBoard() *board.Board {
	return &board.Board{
		Outline: rectPolygon(0, 0, um(40000), um(30000)),
		Rules:   testRules(),
		Nets: []board.Net{{Name: "A", Class: "default"}, {Name: "B", Class: "default"},
			{Name: "P", Class: "power"}},
	}
}

// smd returns a rectangular surface pad of w by h [nm] on the top layer.
func smd(number string, net int, at board.Point, w, h int64) board.Pad {
	return board.Pad{
		Number: number, Net: net, At: at, Layers: board.Top.Bit(),
		Padstack: board.Padstack{Width: w, Height: h},
	}
}

// tht returns a round pad with a plated hole. The diameter and the drill are in nm.
func tht(number string, net int, at board.Point, diameter, drill int64) board.Pad {
	return board.Pad{
		Number: number, Net: net, At: at, Layers: board.LayersOf(board.Top, board.Bottom),
		Plated: true,
		Padstack: board.Padstack{
			Width: diameter, Height: diameter, Shape: board.Circle, Drill: drill,
		},
	}
}

// with adds a part with the given pads and no courtyard.
func with(b *board.Board, pads ...board.Pad) {
	ref := fmt.Sprintf("U%d", len(b.Parts)+1)
	b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: ref}, Pads: pads})
}

// addCourtyard adds a part that has only a courtyard of w by h [nm].
func addCourtyard(b *board.Board, at board.Placement, w, h int64) {
	r := board.Rect{Min: board.Point{X: -w / 2, Y: -h / 2},
		Max: board.Point{X: w - w/2, Y: h - h/2}}
	ref := fmt.Sprintf("U%d", len(b.Parts)+1)
	c := board.Component{Ref: ref, Footprint: &board.Footprint{Courtyard: r}}
	b.Parts = append(b.Parts, board.Part{Component: c, Placement: at})
}

func track(net int, l board.Layer, a, b board.Point, width int64) board.Track {
	return board.Track{Net: net, Layer: l, A: a, B: b, Width: width}
}

func via(net int, at board.Point) board.Via {
	return board.Via{Net: net, At: at, Drill: um(300), Diameter: um(600)}
}

func check(t *testing.T, b *board.Board) Report {
	t.Helper()
	rep, err := Check(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// of returns the violations of one rule.
func (rep *Report) of(rule string) []Violation {
	var list []Violation
	for _, v := range rep.Violations {
		if v.Rule == rule {
			list = append(list, v)
		}
	}
	return list
}

// piece returns a pad as a piece of a drawn pad.
func piece(p board.Pad) board.Pad {
	p.Group = 1
	return p
}
