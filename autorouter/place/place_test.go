package place_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
)

func mm(v float64) int64 { return board.MM(v) }

func translated(x, y float64) board.Point { return board.Point{X: mm(x), Y: mm(y)} }

// row returns a footprint of n pads with a pitch of 2 mm along x and a courtyard of 2n by h mm.
func row(n int, h float64, through bool) *board.Footprint {
	f := &board.Footprint{Name: fmt.Sprintf("row%d", n)}
	for i := range n {
		p := board.FootprintPad{
			Number: fmt.Sprint(i + 1), At: translated(float64(2*i-n+1), 0),
			Padstack: board.Padstack{Width: mm(1), Height: mm(1)},
		}
		if through {
			p.Drill = mm(0.6)
		}
		f.Pads = append(f.Pads, p)
	}
	f.Courtyard = board.Rect{Min: translated(-float64(n), -h/2), Max: translated(float64(n), h/2)}
	return f
}

// chain returns n two-pad parts, each connected to the next.
func chain(n int) *board.Netlist {
	nl := &board.Netlist{}
	for i := range n {
		nl.Components = append(nl.Components, board.Component{Ref: fmt.Sprintf("R%d", i+1),
			Footprint: row(2, 2, false)})
		if i > 0 {
			nl.Nets = append(nl.Nets,
				board.Net{Name: fmt.Sprint(i), Pins: []board.PinRef{{Component: i - 1, Pad: "2"},
					{Component: i, Pad: "1"}}})
		}
	}
	return nl
}

func options() place.Options {
	return place.Options{Seed: 1, Rules: board.Rules{GroundNet: board.NoNet,
		EdgeClearance: mm(0.4), Classes: []board.Class{{Name: "default", Clearance: mm(0.2)}}}}
}

// checkLegal fails the test if courtyards overlap each other or a hole, or leave the bounding box
// of the board.
func checkLegal(t *testing.T, b *board.Board) {
	t.Helper()
	box := b.Outline.Bounds()
	for i := range b.Parts {
		r := board.CourtyardOf(&b.Parts[i]).Bounds()
		if r.Min.X < box.Min.X || r.Min.Y < box.Min.Y || r.Max.X > box.Max.X ||
			r.Max.Y > box.Max.Y {
			t.Errorf("%s leaves the board: %v", b.Parts[i].Ref, r)
		}
		for j := range i {
			if b.Parts[i].Side == b.Parts[j].Side &&
				r.Overlaps(board.CourtyardOf(&b.Parts[j]).Bounds()) {
				t.Errorf("%s overlaps %s", b.Parts[i].Ref, b.Parts[j].Ref)
			}
		}
		for _, h := range b.Holes {
			if r.Overlaps(board.Rect{Min: h.At, Max: h.At}.Grown(h.Diameter * 7 / 10 / 2)) {
				t.Errorf("%s is over a hole", b.Parts[i].Ref)
			}
		}
	}
}

// TestChain verifies that a chain of ten parts has a short total wirelength over its nine nets.
func TestChain(t *testing.T) {
	b, rep, err := place.Place(context.Background(), chain(10), options())
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	if rep.HPWL > 9*mm(4.5) {
		t.Errorf("half perimeters add up to %.1f mm", board.ToMM(rep.HPWL))
	}
	box := b.Outline.Bounds()
	if box.Width()%board.Millimetre != 0 || box.Height()%board.Millimetre != 0 ||
		box.Width()*10 > box.Height()*16 {
		t.Errorf("automatic size %v", box)
	}
}

// TestIsolation verifies that pads of different parts and nets are as far apart as the net class of
// one of them requires, on one side and through the board.
func TestIsolation(t *testing.T) {
	for _, through := range []bool{false, true} {
		opt := options()
		opt.AllowBottom = true
		opt.Rules.Classes = append(opt.Rules.Classes, board.Class{Name: "mains", Clearance: mm(3)})
		nl := chain(12)
		for i := range nl.Components {
			if nl.Components[i].Footprint = row(2, 2, through); i%3 == 0 && i > 0 {
				nl.Nets[i-1].Class = "mains"
			}
		}
		b, rep, err := place.Place(context.Background(), nl, opt)
		if err != nil || len(rep.Unplaced) > 0 {
			t.Fatal(err, rep)
		}
		checkLegal(t, b)
		for i := range b.Parts {
			for j := range i {
				for _, p := range b.Parts[i].Pads {
					for _, q := range b.Parts[j].Pads {
						if p.Net == q.Net || p.Net == board.NoNet || q.Net == board.NoNet ||
							p.Layers&q.Layers == 0 {
							continue
						}
						need := float64(max(opt.Rules.Class(&nl.Nets[p.Net]).Clearance,
							opt.Rules.Class(&nl.Nets[q.Net]).Clearance))
						d := p.At.Sub(q.At)
						gap := math.Hypot(math.Max(0, math.Abs(float64(d.X))-1e6),
							math.Max(0, math.Abs(float64(d.Y))-1e6))
						if gap < need {
							t.Errorf("through %t: %s and %s: %.2f mm between pads, want %.2f mm",
								through, b.Parts[i].Ref, b.Parts[j].Ref, gap/1e6, need/1e6)
						}
					}
				}
			}
		}
	}
}

// TestSpread verifies that eight chains of parts connected to the top edge spread over a much
// larger given outline. The left, right and lower halves each hold at least a quarter of the parts.
// The shortest wirelength would leave the parts in the upper half.
func TestSpread(t *testing.T) {
	nl := &board.Netlist{}
	for range 8 {
		first, long := len(nl.Components), chain(8)
		for _, c := range long.Components {
			c.Ref = fmt.Sprintf("R%d", len(nl.Components)+1)
			nl.Components = append(nl.Components, c)
		}
		nl.Components[first].Edge = board.TopEdge
		for _, n := range long.Nets {
			n.Name = fmt.Sprint(len(nl.Nets))
			for k := range n.Pins {
				n.Pins[k].Component += first
			}
			nl.Nets = append(nl.Nets, n)
		}
	}
	o := options()
	o.Outline = board.Polygon{{}, translated(70, 0), translated(70, 50), translated(0, 50)}
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	var left, lower int
	for _, p := range b.Parts {
		if p.At.X < mm(35) {
			left++
		}
		if p.At.Y < mm(25) {
			lower++
		}
	}
	n := len(b.Parts)
	if 4*lower < n || 4*left < n || 4*left > 3*n {
		t.Errorf("of %d parts %d stand in the left half and %d in the lower", n, left, lower)
	}
}

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

// TestMarkedEdge verifies that a connector stands with the board edge marked in its footprint on
// the edge of the board, and a module with its antenna at the edge. Both overhang the board, the
// antenna area by 15 mm. Where pads would come closer to the edge than the edge clearance of
// 0.4 mm, the connector is that much farther inside.
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
			yard, box := board.CourtyardOf(&b.Parts[6]).Bounds(), b.Outline.Bounds()
			off := map[board.Edge]int64{
				board.LeftEdge: at.X - box.Min.X, board.RightEdge: box.Max.X - at.X,
				board.BottomEdge: at.Y - box.Min.Y, board.TopEdge: box.Max.Y - at.Y,
			}[e]
			over := map[board.Edge]int64{
				board.LeftEdge: box.Min.X - yard.Min.X, board.RightEdge: yard.Max.X - box.Max.X,
				board.BottomEdge: box.Min.Y - yard.Min.Y, board.TopEdge: yard.Max.Y - box.Max.Y,
			}[e]
			if !ok || off != mm(c.off) || over < mm(c.over) {
				t.Errorf("edge %d, %s: %.2f mm inside, want %g; overhang %.2f mm", e, c.f.Name,
					board.ToMM(off), c.off, board.ToMM(over))
			}
		}
	}
}

// TestNoRoomAtTheEdge verifies that edge parts without a position at an edge are reported. Three
// parts of 10 mm do not all fit along an edge of 24 mm, and none fits at an outline without edges
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
// too short for the last one, on a given and an automatic outline. Their nets attract all four
// parts of 17 mm to the middle of an edge of 76 mm. A fifth part does not fit.
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

func TestFixedHolesAndShape(t *testing.T) {
	nl := chain(8)
	o := options()
	o.Outline = board.Polygon{{}, translated(30, 0), translated(30, 12), translated(14, 12),
		translated(14, 24), translated(0, 24)}
	o.Holes = []board.Hole{{At: translated(4, 4), Diameter: mm(3.2), Keepout: mm(1)}}
	o.Placements = []place.InitialPlacement{{Component: 3,
		Placement: board.Placement{At: translated(20.123, 6.007), Rotation: 90, Fixed: true}}}
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	if p := b.Parts[3]; p.At != translated(20.123, 6.007) || p.Rotation != 90 || !p.Fixed {
		t.Errorf("the fixed part is at %v, %g", p.At, p.Rotation)
	}
	for i := range b.Parts {
		if c := board.CourtyardOf(&b.Parts[i]).Bounds(); c.Max.X > mm(14) && c.Max.Y > mm(12) {
			t.Errorf("%s is in the corner that is cut out", b.Parts[i].Ref)
		}
	}
}

// TestMates verifies that capacitors between ground and a supply, a reference or a net with a
// specified track width are placed near the IC pin, even on a large outline. The same holds for a
// crystal and its load capacitors.
func TestMates(t *testing.T) {
	for _, c := range []struct {
		name    string
		outline board.Polygon
	}{{"automatic outline", nil},
		{"roomy outline", board.Polygon{{}, translated(70, 0), translated(70, 60),
			translated(0, 60)}}} {
		t.Run(c.name, func(t *testing.T) {
			nl := chain(12)
			part := func(ref string, f *board.Footprint) int {
				nl.Components = append(nl.Components, board.Component{Ref: ref, Footprint: f})
				return len(nl.Components) - 1
			}
			u := part("U1", row(8, 6, false))
			supply, reference, current := part("C1", row(2, 2, false)),
				part("C2", row(2, 2, false)), part("c3", row(2, 2, false))
			y, load1, load2 := part("Y1", row(2, 3, false)), part("C4", row(2, 2, false)),
				part("C5", row(2, 2, false))
			connector := part("CN1", row(2, 2, false)) // not a capacitor
			o := options()
			o.Outline = c.outline
			o.Rules.GroundNet = len(nl.Nets)
			o.Rules.PourLayers = []board.Layer{board.Bottom}
			pins := func(refs ...any) (out []board.PinRef) {
				for i := 0; i < len(refs); i += 2 {
					out = append(out, board.PinRef{Component: refs[i].(int),
						Pad: refs[i+1].(string)})
				}
				return out
			}
			nl.Nets = append(nl.Nets,
				board.Net{Name: "GND", Pins: pins(u, "4", supply, "2", reference, "2", current, "2",
					load1, "2", load2, "2", connector, "2", 0, "1")},
				board.Net{Name: "VCC", Supply: true,
					Pins: pins(u, "8", supply, "1", 11, "2", connector, "1")},
				board.Net{Name: "REF", Pins: pins(u, "1", reference, "1")},
				board.Net{Name: "OUT", Width: mm(1), Pins: pins(u, "5", current, "1", 4, "2")},
				board.Net{Name: "X1", Pins: pins(u, "2", y, "1", load1, "1")},
				board.Net{Name: "X2", Pins: pins(u, "3", y, "2", load2, "1")})
			b, _, err := place.Place(context.Background(), nl, o)
			if err != nil {
				t.Fatal(err)
			}
			checkLegal(t, b)
			pad := func(part int, number string) board.Point {
				for _, p := range b.Parts[part].Pads {
					if p.Number == number {
						return p.At
					}
				}
				t.Fatalf("%s has no pad %s", b.Parts[part].Ref, number)
				return board.Point{}
			}
			for _, m := range []struct {
				part, to       int
				number, toward string
				within         float64 // largest distance [mm]
			}{
				{supply, u, "1", "8", 5}, {reference, u, "1", "1", 5}, {current, u, "1", "5", 5},
				{y, u, "1", "2", 8}, {y, u, "2", "3", 8}, {load1, y, "1", "1", 6},
				{load2, y, "1", "2", 6},
			} {
				if d := board.Distance(pad(m.part, m.number), pad(m.to, m.toward)); d >
					float64(mm(m.within)) {
					t.Errorf("%s.%s is %.1f mm from %s.%s", b.Parts[m.part].Ref, m.number, d/1e6,
						b.Parts[m.to].Ref, m.toward)
				}
			}
		})
	}
}

// TestPoweredParts verifies that capacitors are placed near the supply pins of parts that work as
// ICs but have other class letters, such as LEDs with a controller: each of three gets one. A
// clamp of two diodes, a transistor and a connector get none.
func TestPoweredParts(t *testing.T) {
	for _, c := range []struct {
		ref     string
		pads    int
		powered bool
	}{{"D", 4, true}, {"MOD", 4, true}, {"D", 3, false}, {"J", 4, false}, {"Q", 4, false}} {
		nl := &board.Netlist{}
		gnd, vcc := board.Net{Name: "GND"}, board.Net{Name: "VCC", Supply: true}
		var nets []board.Net
		for k := range 3 {
			i := len(nl.Components)
			nl.Components = append(nl.Components,
				board.Component{Ref: fmt.Sprint(c.ref, k+1), Footprint: row(c.pads, 4, false)},
				board.Component{Ref: fmt.Sprint("C", k+1), Footprint: row(2, 2, false)})
			vcc.Pins = append(vcc.Pins, board.PinRef{Component: i, Pad: "1"},
				board.PinRef{Component: i + 1, Pad: "1"})
			gnd.Pins = append(gnd.Pins, board.PinRef{Component: i, Pad: "2"},
				board.PinRef{Component: i + 1, Pad: "2"})
			nets = append(nets, board.Net{Name: fmt.Sprint("S", k),
				Pins: []board.PinRef{{Component: i, Pad: "3"}}})
		}
		nl.Nets = append([]board.Net{gnd, vcc}, nets...)
		o := options()
		o.Rules.GroundNet, o.Rules.PourLayers = 0, []board.Layer{board.Bottom}
		// The parts are fixed far from each other, at which the initial net alone would not
		// attract one capacitor to each.
		o.Outline = board.Polygon{{}, translated(90, 0), translated(90, 20), translated(0, 20)}
		for k := range 3 {
			o.Placements = append(o.Placements, place.InitialPlacement{Component: 2 * k,
				Placement: board.Placement{At: translated(10+35*float64(k), 10), Fixed: true}})
		}
		b, _, err := place.Place(context.Background(), nl, o)
		if err != nil {
			t.Fatal(err)
		}
		near := 0
		for k := range 3 {
			for j := range 3 {
				if board.Distance(b.Parts[2*k].Pads[0].At, b.Parts[2*j+1].Pads[0].At) < 5e6 {
					near++
					break
				}
			}
		}
		if (near == 3) != c.powered {
			t.Errorf("%s with %d pads: %d of 3 have a capacitor", c.ref, c.pads, near)
		}
	}
}

// TestRegulatorCapacitors verifies that a regulator gets the largest capacitors of its input and
// its output, and that its tab claims no further one: the bypass capacitors stand at the other IC,
// also where each of its pins has one. A regulator without a large capacitor gets one of them. A
// level shifter has two supplies as well, but it is served as any IC, the smallest first.
func TestRegulatorCapacitors(t *testing.T) {
	const far = 70 // distance of the two ICs [mm]
	for _, c := range []struct {
		name  string
		ref   string
		nets  []string // nets of the pads of the part at the left, "" for none
		large string   // value of C6 on the output
		near  []int    // expected capacitors at the left part
	}{
		{"tab", "U1", []string{"GND", "3V3", "5V", "3V3"}, "22u", []int{5, 6, 7}},
		{"enable", "U1", []string{"5V", "GND", "5V", "", "3V3"}, "1u", []int{5, 6, 7}},
		{"adjustable, by class letter", "VR1", []string{"ADJ", "3V3", "5V"}, "22uF/10V",
			[]int{5, 6, 7}},
		{"without a large output capacitor", "U1", []string{"GND", "3V3", "5V", "3V3"}, "100n",
			[]int{2, 5, 7}},
		{"level shifter", "U1", []string{"GND", "3V3", "5V", "A", "B"}, "22u",
			[]int{1, 5, 6, 7}},
	} {
		nl := &board.Netlist{}
		byNet := map[string][]board.PinRef{}
		part := func(ref, value string, nets ...string) {
			for k, n := range nets {
				if n != "" {
					byNet[n] = append(byNet[n], board.PinRef{Component: len(nl.Components),
						Pad: fmt.Sprint(k + 1)})
				}
			}
			nl.Components = append(nl.Components, board.Component{Ref: ref, Value: value,
				Footprint: row(len(nets), 4, false)})
		}
		part(c.ref, "", c.nets...)
		for k, value := range []string{"100n", "100n", "100n", "100n"} {
			part(fmt.Sprint("C", k+1), value, "3V3", "GND")
		}
		part("C5", "10u", "5V", "GND")
		part("C6", c.large, "3V3", "GND")
		part("C7", "4.7u", "5V", "GND")
		part("C8", "100n", "3V3", "GND")
		part("U2", "", "3V3", "GND", "3V3", "GND", "3V3", "A", "B", "3V3")
		o := options()
		for _, name := range []string{"GND", "3V3", "5V", "A", "B", "ADJ"} {
			nl.Nets = append(nl.Nets, board.Net{Name: name, Supply: strings.Contains(name, "V"),
				Pins: byNet[name]})
		}
		o.Rules.GroundNet, o.Rules.PourLayers = 0, []board.Layer{board.Bottom}
		o.Outline = board.Polygon{{}, translated(far+20, 0), translated(far+20, 30),
			translated(0, 30)}
		for i, x := range map[int]float64{0: 10, 9: far + 10} {
			o.Placements = append(o.Placements, place.InitialPlacement{Component: i,
				Placement: board.Placement{At: translated(x, 15), Fixed: true}})
		}
		b, _, err := place.Place(context.Background(), nl, o)
		if err != nil {
			t.Fatal(err)
		}
		var near []int
		for i := 1; i <= 8; i++ {
			if b.Parts[i].At.X < mm(10+far/2) {
				near = append(near, i)
			}
		}
		if !slices.Equal(near, c.near) {
			t.Errorf("%s: capacitors %v stand at the left part, want %v", c.name, near, c.near)
		}
	}
}

// TestStartOffTheBoard verifies that parts with an initial position outside the board are placed
// legally.
func TestStartOffTheBoard(t *testing.T) {
	for _, from := range []board.Point{translated(-30, 10), translated(300, 300),
		translated(-999, -999)} {
		for _, outline := range []board.Polygon{nil, {{}, translated(20, 0), translated(20, 20),
			translated(0, 20)}} {
			o := options()
			o.Outline = outline
			for i := range 3 {
				o.Placements = append(o.Placements, place.InitialPlacement{Component: i,
					Placement: board.Placement{At: from}})
			}
			b, rep, err := place.Place(context.Background(), chain(4), o)
			if err != nil || len(rep.Unplaced) > 0 {
				t.Fatal(err, rep)
			}
			checkLegal(t, b)
		}
	}
}

// TestLargest verifies that the automatic board size does not exceed the maximum size of a request.
func TestLargest(t *testing.T) {
	nl := &board.Netlist{}
	for range 40 {
		nl.Components = append(nl.Components, board.Component{Footprint: row(30, 30, false)})
	}
	o := options()
	o.Utilization = 0.1 // 72,000 mm² of parts
	o.Effort = place.Fast
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	if box := b.Outline.Bounds(); box.Width() != place.Largest || box.Height() != place.Largest {
		t.Errorf("%g by %g mm", board.ToMM(box.Width()), board.ToMM(box.Height()))
	}
}

// TestLongParts verifies that an automatic outline is long enough for parts with the pitch of
// 2.54 mm, which is no multiple of the grid of pad positions. Its other side does not grow, unless
// a part at an edge needs it.
func TestLongParts(t *testing.T) {
	header := &board.Footprint{Courtyard: board.Rect{Min: translated(-32, -1.7),
		Max: translated(32, 1.7)}}
	for i := range 25 {
		header.Pads = append(header.Pads, board.FootprintPad{
			Number: fmt.Sprint(i + 1), At: translated(2.54*float64(i-12), 0),
			Padstack: board.Padstack{Width: mm(1.7), Height: mm(1.7), Drill: mm(1)},
		})
	}
	for _, c := range []struct {
		edges [2]board.Edge
		w, h  float64 // largest size of the outline [mm]
	}{
		{[2]board.Edge{}, 65, 41},
		{[2]board.Edge{board.LeftEdge, board.RightEdge}, 65, 65},
	} {
		nl := chain(1)
		for i, e := range c.edges {
			nl.Components = append(nl.Components, board.Component{Ref: fmt.Sprintf("J%d", i+1),
				Footprint: header, Edge: e})
		}
		b, rep, err := place.Place(context.Background(), nl, options())
		if err != nil || len(rep.Unplaced)+len(rep.OffEdge) > 0 || rep.OutlineTooSmall {
			t.Fatal(c.edges, err, rep)
		}
		checkLegal(t, b)
		if box := b.Outline.Bounds(); box.Width() > mm(c.w) || box.Height() > mm(c.h) {
			t.Errorf("%v: %g by %g mm", c.edges, board.ToMM(box.Width()), board.ToMM(box.Height()))
		}
	}
}

// TestGrowthWithoutTime verifies that the report states when an automatic outline stopped growing
// for lack of time before all parts fit.
func TestGrowthWithoutTime(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		o := options()
		o.Utilization = 1
		o.Stop = func() bool { return stopped }
		_, rep, err := place.Place(context.Background(), chain(9), o)
		if err != nil || rep.OutlineTooSmall != stopped || rep.TimeLimited != stopped ||
			(len(rep.Unplaced) > 0) != stopped {
			t.Errorf("stopped %t: %v, %+v", stopped, err, rep)
		}
	}
}

// TestCongested verifies that random nets of 96 parts make a congested placement, for which the
// automatic outline grows. Its area grows by at most 18 %, plus 2 mm of rounding per side. A chain
// of as many parts is not congested.
func TestCongested(t *testing.T) {
	o := options()
	o.Effort = place.Fast
	o.Rules.Classes = []board.Class{{TrackWidth: mm(0.35), Clearance: mm(0.25)}}
	local, rep, err := place.Place(context.Background(), chain(96), o)
	if err != nil || rep.Congested {
		t.Fatal(err, rep)
	}
	nl, rng := chain(96), rand.New(rand.NewPCG(1, 2))
	nl.Nets = nil
	for _, pad := range []string{"1", "2"} {
		for k, i := range rng.Perm(96) {
			if k%4 == 0 {
				nl.Nets = append(nl.Nets, board.Net{Name: fmt.Sprint(pad, k)})
			}
			n := &nl.Nets[len(nl.Nets)-1]
			n.Pins = append(n.Pins, board.PinRef{Component: i, Pad: pad})
		}
	}
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || !rep.Congested || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	small, large := local.Outline.Bounds(), b.Outline.Bounds()
	if large.Width() <= small.Width() ||
		board.ToMM(large.Width()-mm(2))*board.ToMM(large.Height()-mm(2)) >
			1.18*board.ToMM(small.Width())*board.ToMM(small.Height()) {
		t.Errorf("the outline grows from %v to %v", small, large)
	}
}

func TestSameTwice(t *testing.T) {
	a, _, _ := place.Place(context.Background(), chain(20), options())
	b, _, _ := place.Place(context.Background(), chain(20), options())
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs with one seed differ")
	}
}

// TestTooFull verifies that parts that do not fit are reported as unplaced and remain on the board.
func TestTooFull(t *testing.T) {
	o := options()
	o.Outline = board.Polygon{{}, translated(8, 0), translated(8, 6), translated(0, 6)}
	b, rep, err := place.Place(context.Background(), chain(9), o)
	if err != nil || len(rep.Unplaced) == 0 || len(b.Parts) != 9 {
		t.Errorf("error %v, unplaced %v, parts %d", err, rep.Unplaced, len(b.Parts))
	}
}

// TestPadsOnTheBack verifies that no part is placed on the back of a card edge connector, which has
// pads there. The connector fills the board, so that the other part remains unplaced.
func TestPadsOnTheBack(t *testing.T) {
	for _, back := range []bool{false, true} {
		nl := chain(1)
		card := row(4, 4, false)
		if back {
			card.Pads[1].Layers = board.Bottom.Bit()
		}
		nl.Components = append(nl.Components, board.Component{Ref: "J1", Footprint: card})
		o := options()
		o.AllowBottom = true
		o.Outline = board.Polygon{{}, translated(8, 0), translated(8, 4), translated(0, 4)}
		_, rep, err := place.Place(context.Background(), nl, o)
		if err != nil || len(rep.Unplaced) > 0 != back {
			t.Errorf("pads on the back %v: error %v, unplaced %v", back, err, rep.Unplaced)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	start := time.Now()
	if _, _, err := place.Place(ctx, chain(100), options()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("stopped after %v", took)
	}
	if _, _, err := place.Place(context.Background(), &board.Netlist{}, options()); !errors.Is(err,
		place.ErrNoParts) {
		t.Errorf("error %v", err)
	}
}

// antennaModule returns a module of 18 mm by 20 mm with 14 pads on its left and right sides, below
// an antenna area of 48 mm by 21 mm. With outline set, the courtyard is the T of both, otherwise
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
// antenna area. The decoupling capacitor of pad 2 is at most 5 mm from it; beside the bounding box
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
			yard := board.CourtyardOf(&b.Parts[i]).Bounds()
			if i != module && yard.Overlaps(antenna) {
				t.Errorf("%+v: %s is in the antenna area", c, b.Parts[i].Ref)
			}
			for _, box := range board.CourtyardsOf(&b.Parts[module]) {
				if i != module && b.Parts[i].Side == b.Parts[module].Side &&
					yard.Overlaps(box.Bounds()) {
					t.Errorf("%+v: %s overlaps the module", c, b.Parts[i].Ref)
				}
			}
		}
	}
}

// TestCutoutOnTheBoard verifies that the cut-outs of a footprint lie on the board with the edge
// clearance, on an automatic and a given outline. A fixed part keeps its position.
func TestCutoutOnTheBoard(t *testing.T) {
	nl := chain(3)
	cut := row(2, 2, false)
	cut.Drawing = &board.Drawing{Cutouts: []board.Polygon{
		{translated(5, -2), translated(11, -2), translated(11, 2), translated(5, 2)},
	}}
	nl.Components[1].Footprint = cut
	for name, outline := range map[string]board.Polygon{
		"automatic": nil,
		"given":     {{}, translated(16, 0), translated(16, 8), translated(0, 8)},
	} {
		for seed := range uint64(4) {
			o := options()
			o.Outline, o.Seed = outline, seed
			b, rep, err := place.Place(context.Background(), nl, o)
			if err != nil || len(rep.Unplaced) > 0 {
				t.Fatal(name, err, rep)
			}
			checkLegal(t, b)
			inner := b.Outline.Bounds().Grown(-mm(0.4))
			for _, g := range b.Parts[1].Cutouts() {
				if r := g.Bounds(); r.Union(inner) != inner {
					t.Errorf("%s, seed %d: cut-out %v on the board %v", name, seed, r, inner)
				}
			}
		}
	}
	o := options()
	at := board.Placement{At: translated(3, 4), Fixed: true}
	o.Outline = board.Polygon{{}, translated(14.1, 0), translated(14.1, 12), translated(0, 12)}
	o.Placements = []place.InitialPlacement{{Component: 1, Placement: at}}
	_, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 {
		t.Error("fixed", err, rep)
	}
}

// TestMountingHoles verifies that mounting holes stand in the corners of rectangular and of round
// boards, two of them in opposite corners. Where more holes than corners exist, or a hole of the
// board is in a corner, the other one is reported. A part as wide as the board displaces two.
func TestMountingHoles(t *testing.T) {
	rectangle := board.Polygon{{}, translated(30, 0), translated(30, 20), translated(0, 20)}
	round := make(board.Polygon, 60)
	for i := range round {
		sin, cos := math.Sincos(float64(i) / 30 * math.Pi)
		round[i] = translated(20+20*cos, 20+20*sin)
	}
	for _, c := range []struct {
		name     string
		outline  board.Polygon
		holes    int
		fixed    bool // fixes the first hole in the lower left corner
		drilled  bool // has a hole of the board in the lower left corner
		wide     bool // adds a part as wide as the board at its lower edge
		corners  int  // number of corners with a hole among the parts
		off      int  // number of reported holes
		opposite bool
	}{
		{name: "four", holes: 4, outline: rectangle, corners: 4},
		{name: "automatic outline", holes: 4, corners: 4},
		{name: "two", holes: 2, outline: rectangle, corners: 2, opposite: true},
		{name: "five", holes: 5, outline: rectangle, corners: 4, off: 1},
		{name: "round", holes: 4, outline: round, corners: 4},
		{name: "one fixed", holes: 4, outline: rectangle, fixed: true, corners: 4},
		{name: "a hole of the board", holes: 4, outline: rectangle, drilled: true, corners: 3,
			off: 1},
		{name: "an edge part", holes: 4, outline: rectangle, wide: true, corners: 2, off: 2},
	} {
		nl := chain(6)
		hole := &board.Footprint{Name: "MountingHole_2.2mm_M2", Pads: []board.FootprintPad{{
			Padstack:  board.Padstack{Width: mm(2.2), Height: mm(2.2), Drill: mm(2.2)},
			NonPlated: true}},
			Courtyard: board.Rect{Min: translated(-2.5, -2.5), Max: translated(2.5, 2.5)}}
		o := options()
		o.Outline = c.outline
		for i := range c.holes {
			nl.Components = append(nl.Components, board.Component{Ref: fmt.Sprint("H", i),
				Footprint: hole})
		}
		if c.fixed {
			o.Placements = []place.InitialPlacement{{Component: 6,
				Placement: board.Placement{At: translated(3, 3), Fixed: true}}}
		}
		if c.drilled {
			o.Holes = []board.Hole{{At: translated(3, 3), Diameter: mm(2), Keepout: mm(1)}}
		}
		if c.wide {
			f := row(14, 11, true)
			f.Courtyard.Min.X, f.Courtyard.Max.X = mm(-15), mm(15)
			f.MatingSide = board.BottomEdge
			nl.Components = append(nl.Components, board.Component{Ref: "J1", Footprint: f,
				Edge: board.BottomEdge})
		}
		b, rep, err := place.Place(context.Background(), nl, o)
		if err != nil || len(rep.Unplaced)+len(rep.OffEdge) > 0 || len(rep.OffCorner) != c.off {
			t.Errorf("%s: %v, %+v, want %d holes off the corners", c.name, err, rep, c.off)
			continue
		}
		checkLegal(t, b)
		box := b.Outline.Bounds()
		var at []board.Point
		for _, corner := range []board.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max,
			{X: box.Min.X, Y: box.Max.Y}} {
			for i := 6; i < 6+c.holes; i++ {
				reach := 2.5 * math.Sqrt2
				if c.name == "round" { // the corner of the courtyard is on the circle
					reach += 20 * (math.Sqrt2 - 1)
				}
				if board.Distance(b.Parts[i].At, corner) <= reach*1e6+1.5e6 {
					at = append(at, corner)
					break
				}
			}
		}
		if len(at) != c.corners {
			t.Errorf("%s: holes in %d corners, want %d", c.name, len(at), c.corners)
		}
		if c.opposite && len(at) == 2 && (at[0].X == at[1].X || at[0].Y == at[1].Y) {
			t.Errorf("%s: holes at %v", c.name, at)
		}
	}
}
