package place_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
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
// one of them requires. The distance holds on one side and through the board.
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

// TestLongParts verifies that an automatic outline is long enough for parts with the pitch of 2.54
// mm. It is no multiple of the grid of pad positions. Its other side does not grow, unless a part
// at an edge needs it.
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

// TestFiducials verifies that three fiducials stand in three corners of a board, the first two in
// opposite ones, with their centres 3.58 mm from the edges. A fourth one and one with a net do not.
func TestFiducials(t *testing.T) {
	mark := &board.Footprint{Name: "Fiducial_1mm_Mask2mm", Pads: []board.FootprintPad{{Number: "1",
		Padstack: board.Padstack{Width: mm(1), Height: mm(1)}}}}
	mark.Courtyard = board.Rect{Min: translated(-1.25, -1.25), Max: translated(1.25, 1.25)}
	nl, o := chain(12), options()
	nl.Components = append(nl.Components, board.Component{Ref: "FID9", Footprint: mark})
	nl.Nets[0].Pins = append(nl.Nets[0].Pins, board.PinRef{Component: 12, Pad: "1"})
	for _, ref := range []string{"FID1", "FID2", "FID3", "FID4"} {
		nl.Components = append(nl.Components, board.Component{Ref: ref, Footprint: mark})
	}
	o.Outline = board.Polygon{{}, translated(40, 0), translated(40, 30), translated(0, 30)}
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	want := []board.Point{translated(3.58, 3.58), translated(36.42, 26.42), translated(36.42, 3.58)}
	for i, at := range want {
		if got := b.Parts[13+i].At; got != at {
			t.Errorf("FID%d is at %v, want %v", i+1, got, at)
		}
	}
	fourth := translated(3.58, 26.42)
	if b.Parts[12].At == fourth || b.Parts[16].At == fourth {
		t.Errorf("FID9 at %v, FID4 at %v", b.Parts[12].At, b.Parts[16].At)
	}
}

// TestFiducialsBesideHoles verifies that fiducials stand beside mounting holes in the corners of a
// small board, 3.58 mm from an edge and clear of the holes, in three different corners.
func TestFiducialsBesideHoles(t *testing.T) {
	mark := &board.Footprint{Name: "Fiducial_1mm_Mask2mm", Pads: []board.FootprintPad{{Number: "1",
		Padstack: board.Padstack{Width: mm(1), Height: mm(1)}}}}
	mark.Courtyard = board.Rect{Min: translated(-1.25, -1.25), Max: translated(1.25, 1.25)}
	nl, o := chain(4), options()
	for _, ref := range []string{"FID1", "FID2", "FID3"} {
		nl.Components = append(nl.Components, board.Component{Ref: ref, Footprint: mark})
	}
	o.Outline = board.Polygon{{}, translated(30, 0), translated(30, 25), translated(0, 25)}
	for _, at := range []board.Point{translated(3.5, 3.5), translated(26.5, 3.5),
		translated(3.5, 21.5), translated(26.5, 21.5)} {
		o.Holes = append(o.Holes, board.Hole{At: at, Diameter: mm(3.2), Keepout: mm(1)})
	}
	b, rep, err := place.Place(context.Background(), nl, o)
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	checkLegal(t, b)
	corners := map[board.Point]bool{}
	for i := range 3 {
		at := b.Parts[4+i].At
		x, y := min(at.X, mm(30)-at.X), min(at.Y, mm(25)-at.Y)
		if min(x, y) != mm(3.58) || max(x, y) > mm(9) {
			t.Errorf("FID%d is %g and %g mm from the edges", i+1, board.ToMM(x), board.ToMM(y))
		}
		corners[board.Point{X: at.X / mm(15), Y: at.Y / mm(12.5)}] = true
	}
	if len(corners) != 3 {
		t.Errorf("the fiducials stand in %d corners", len(corners))
	}
}
