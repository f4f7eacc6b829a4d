package place_test

import (
	"context"
	"fmt"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
)

func TestEdges(t *testing.T) {
	for _, e := range []board.Edge{board.LeftEdge, board.RightEdge, board.TopEdge,
		board.BottomEdge} {
		nl := chain(6)
		f := row(4, 4, true)
		f.MatingSide = board.BottomEdge
		nl.Components = append(nl.Components, board.Component{Ref: "J1", Footprint: f, Edge: e})
		o := options()
		o.Outline = board.Polygon{{}, translated(30, 0), translated(30, 24), translated(0, 24)}
		b, rep, err := place.Place(context.Background(), nl, o)
		if err != nil || len(rep.Unplaced) > 0 {
			t.Fatal(err, rep)
		}
		checkLegal(t, b)
		j := &b.Parts[6]
		c, box := board.CourtyardOf(j).Bounds(), b.Outline.Bounds()
		gap := map[board.Edge]int64{
			board.LeftEdge: c.Min.X - box.Min.X, board.RightEdge: box.Max.X - c.Max.X,
			board.BottomEdge: c.Min.Y - box.Min.Y, board.TopEdge: box.Max.Y - c.Max.Y,
		}[e]
		// Counter-clockwise rotations turn a mating side at the bottom to the right, the top and
		// the left.
		turn := map[board.Edge]float64{board.BottomEdge: 0, board.RightEdge: 90, board.TopEdge: 180,
			board.LeftEdge: 270}[e]
		if gap > board.Millimetre || j.Rotation != turn || len(rep.OffEdge) > 0 {
			t.Errorf("edge %d: %.2f mm away, turned %g, want %g; inland %v", e, board.ToMM(gap),
				j.Rotation, turn, rep.OffEdge)
		}
	}
}

// TestMarkedEdge verifies that the board edge marked in the footprint of a connector is on the edge
// of the board. The antenna of a module is at the edge. Both overhang the board, the antenna area
// by 15 mm. Where pads would come closer to the edge than the edge clearance of 0.4 mm, the
// connector is that much farther inside.
func TestMarkedEdge(t *testing.T) {
	connector := func(line float64) *board.Footprint {
		f := row(4, 4, true)
		f.Courtyard.Max.Y += mm(6)
		f.MatingSide, f.MarksEdge, f.EdgeDistance = board.TopEdge, true, mm(line)
		return f
	}
	module := antennaModule(true)
	module.Body = board.Rect{Min: translated(-9, -9.5), Max: translated(9, 16)}
	pads := row(4, 4, true).Pads
	end := board.ToMM(pads[0].At.Y + pads[0].Height/2)
	for _, e := range []board.Edge{board.LeftEdge, board.RightEdge, board.TopEdge,
		board.BottomEdge} {
		for _, c := range []struct {
			f    *board.Footprint
			off  float64 // distance from the edge [mm]
			over float64 // least overhang of the courtyard [mm]
		}{
			{connector(end + 2), 0, 1}, {connector(end + 0.1), 0.3, 1}, {module, 0, 14.9},
		} {
			nl := chain(6)
			nl.Components = append(nl.Components,
				board.Component{Ref: "J1", Footprint: c.f, Edge: e})
			o := options()
			o.Rules.EdgeClearance = mm(0.4)
			o.Outline = board.Polygon{{}, translated(70, 0), translated(70, 60), translated(0, 60)}
			b, rep, err := place.Place(context.Background(), nl, o)
			if err != nil || len(rep.Unplaced) > 0 || len(rep.OffEdge) > 0 {
				t.Fatal(err, rep)
			}
			at, ok := b.Parts[6].BoardEdgeAt()
			part, box := board.CourtyardOf(&b.Parts[6]).Bounds(), b.Outline.Bounds()
			off := map[board.Edge]int64{
				board.LeftEdge: at.X - box.Min.X, board.RightEdge: box.Max.X - at.X,
				board.BottomEdge: at.Y - box.Min.Y, board.TopEdge: box.Max.Y - at.Y,
			}[e]
			over := map[board.Edge]int64{
				board.LeftEdge: box.Min.X - part.Min.X, board.RightEdge: part.Max.X - box.Max.X,
				board.BottomEdge: box.Min.Y - part.Min.Y, board.TopEdge: part.Max.Y - box.Max.Y,
			}[e]
			if !ok || off != mm(c.off) || over < mm(c.over) {
				t.Errorf("edge %d, %s: %.2f mm inside, want %g; overhang %.2f mm", e, c.f.Name,
					board.ToMM(off), c.off, board.ToMM(over))
			}
		}
	}
}

// TestNoRoomAtTheEdge verifies that edge parts without a position at an edge are reported. Three
// parts of 10 mm do not all fit along an edge of 24 mm. None fits at an outline without edges
// parallel to an axis.
func TestNoRoomAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		outline board.Polygon
		edge    board.Edge
		least   int
		most    int
	}{
		{board.Polygon{{}, translated(40, 0), translated(40, 24), translated(0, 24)},
			board.LeftEdge, 1, 2},
		{board.Polygon{{}, translated(40, 0), translated(40, 24), translated(0, 24)},
			board.AnyEdge, 0, 0},
		{board.Polygon{translated(30, 0), translated(60, 30), translated(30, 60),
			translated(0, 30)}, board.AnyEdge, 3, 3},
	} {
		nl := &board.Netlist{}
		for i := range 3 {
			nl.Components = append(nl.Components, board.Component{Ref: fmt.Sprintf("J%d", i),
				Footprint: row(5, 4, true), Edge: c.edge})
		}
		o := options()
		o.Outline = c.outline
		b, rep, err := place.Place(context.Background(), nl, o)
		if err != nil || len(rep.Unplaced) > 0 {
			t.Fatal(err, rep)
		}
		checkLegal(t, b)
		if n := len(rep.OffEdge); n < c.least || n > c.most {
			t.Errorf("edge %d: %v stand away from it, want %d to %d", c.edge, rep.OffEdge,
				c.least, c.most)
		}
	}
}

// TestRowAtTheEdge verifies that the parts of an edge move together where the gaps between them are
// too short for the last one. The outline is given or automatic. Their nets attract all four parts
// of 17 mm to the middle of an edge of 76 mm. A fifth part does not fit.
func TestRowAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		edge  board.Edge
		parts int
		given bool
		off   int
	}{
		{board.TopEdge, 4, true, 0}, {board.LeftEdge, 4, true, 0}, {board.AnyEdge, 8, true, 0},
		{board.RightEdge, 4, false, 0}, {board.BottomEdge, 5, true, 1},
	} {
		nl := chain(4)
		for i := range c.parts {
			f := row(4, 12, true)
			f.Courtyard.Min.X, f.Courtyard.Max.X = mm(-8.5), mm(8.5)
			f.MatingSide = board.BottomEdge
			nl.Components = append(nl.Components, board.Component{Ref: fmt.Sprintf("J%d", i),
				Footprint: f, Edge: c.edge})
			for pad := range 4 {
				nl.Nets = append(nl.Nets, board.Net{Name: fmt.Sprint("S", i, pad),
					Pins: []board.PinRef{{Component: pad, Pad: "1"},
						{Component: 4 + i, Pad: fmt.Sprint(pad + 1)}}})
			}
		}
		for seed := range uint64(2) {
			o := options()
			o.Seed = seed
			if c.given {
				side := map[bool]float64{true: 52, false: 76}[c.edge == board.AnyEdge]
				o.Outline = board.Polygon{{}, translated(side, 0), translated(side, side),
					translated(0, side)}
			}
			b, rep, err := place.Place(context.Background(), nl, o)
			if err != nil || len(rep.Unplaced) > 0 || len(rep.OffEdge) != c.off {
				t.Errorf("edge %d: %v, unplaced %v, off the edge %v, want %d", c.edge, err,
					rep.Unplaced, rep.OffEdge, c.off)
				continue
			}
			checkLegal(t, b)
		}
	}
}

// antennaModule returns a module of 18 mm by 20 mm below an antenna area of 48 mm by 21 mm. It has
// 14 pads on its left and right sides. With outline set, the courtyard is the T of both, otherwise
// only the module. The antenna area is a keepout on both sides.
func antennaModule(outline bool) *board.Footprint {
	f := &board.Footprint{Name: "module", Keepouts: []board.FootprintKeepout{{
		Area:  board.Rect{Min: translated(-24, 10), Max: translated(24, 31)},
		Front: true, Back: true, Tracks: true, Vias: true, Copper: true}}}
	for i := range 28 {
		f.Pads = append(f.Pads, board.FootprintPad{Number: fmt.Sprint(i + 1),
			At:       translated(float64(i/14)*17-8.5, 8.25-1.27*float64(i%14)),
			Padstack: board.Padstack{Width: mm(1.5), Height: mm(0.9)}})
	}
	f.Courtyard = board.Rect{Min: translated(-9.5, -10), Max: translated(9.5, 10)}
	if outline {
		f.CourtyardOutline = board.Polygon{translated(-9.5, -10), translated(9.5, -10),
			translated(9.5, 10), translated(24, 10), translated(24, 31), translated(-24, 31),
			translated(-24, 10), translated(-9.5, 10)}
		f.Courtyard = f.CourtyardOutline.Bounds()
	}
	return f
}

// TestAntennaModule verifies that parts stand beside a module with an antenna but not in the
// antenna area. The decoupling capacitor of pad 2 is at most 5 mm from it. Beside the bounding box
// of the module it would be 15 mm away. The bottom side of the antenna area stays free too.
func TestAntennaModule(t *testing.T) {
	for _, c := range []struct{ outline, bottom bool }{
		{true, false}, {false, false}, {false, true},
	} {
		nl := chain(24)
		module, capacitor := len(nl.Components), len(nl.Components)+1
		nl.Components = append(nl.Components,
			board.Component{Ref: "U1", Footprint: antennaModule(c.outline)},
			board.Component{Ref: "C1", Footprint: row(2, 2, false)})
		ground := len(nl.Nets)
		nl.Nets = append(nl.Nets,
			board.Net{Name: "GND", Pins: []board.PinRef{{Component: module, Pad: "1"},
				{Component: capacitor, Pad: "2"}, {Component: 0, Pad: "1"}}},
			board.Net{Name: "3V3", Supply: true, Pins: []board.PinRef{
				{Component: module, Pad: "2"}, {Component: capacitor, Pad: "1"},
				{Component: 23, Pad: "2"}}})
		o := options()
		o.Rules.GroundNet, o.AllowBottom = ground, c.bottom
		o.Outline = board.Polygon{{}, translated(60, 0), translated(60, 60), translated(0, 60)}
		b, rep, err := place.Place(context.Background(), nl, o)
		if err != nil || len(rep.Unplaced) > 0 {
			t.Fatal(err, rep)
		}
		d := board.Distance(b.Parts[module].Pads[1].At, b.Parts[capacitor].Pads[0].At)
		if d > float64(mm(5)) {
			t.Errorf("%+v: the capacitor is %.1f mm from its pin", c, d/1e6)
		}
		antenna := b.Copper().PartKeepouts(b.Parts, board.StripHeight,
			board.StripRows)[0].Area
		for i := range b.Parts {
			courtyard := board.CourtyardOf(&b.Parts[i]).Bounds()
			if i != module && courtyard.Overlaps(antenna) {
				t.Errorf("%+v: %s is in the antenna area", c, b.Parts[i].Ref)
			}
			for _, box := range board.CourtyardsOf(&b.Parts[module]) {
				if i != module && b.Parts[i].Side == b.Parts[module].Side &&
					courtyard.Overlaps(box.Bounds()) {
					t.Errorf("%+v: %s overlaps the module", c, b.Parts[i].Ref)
				}
			}
		}
	}
}

// TestAntennaBesideBoard verifies that the antenna area beyond the edge does not enlarge an
// automatic outline. On the board are 48 mm by 6 mm of it and the module of 19 mm by 20 mm.
func TestAntennaBesideBoard(t *testing.T) {
	module, nl, o := antennaModule(true), chain(40), options()
	module.Body = board.Rect{Min: translated(-9, -9.5), Max: translated(9, 16)}
	want := 48.0*6 + 19*20
	for _, c := range nl.Components {
		want += c.Footprint.CourtyardArea() / 1e12
	}
	nl.Components = append(nl.Components,
		board.Component{Ref: "U1", Footprint: module, Edge: board.AnyEdge})
	o.Outline, o.Utilization = nil, 0.45
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 || len(rep.OffEdge) > 0 {
		t.Fatal(err, rep)
	}
	want /= o.Utilization
	if got := b.Outline.Area() / 1e12; got < want || got > 1.1*want {
		t.Errorf("the board has %.0f mm², want %.0f", got, want)
	}
}
