package pour_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/pour"
)

func mm(v float64) int64 { return board.MM(v) }

func at(x, y float64) board.Point { return board.Point{X: mm(x), Y: mm(y)} }

// plain returns a board of 20 by 10 mm with net 0 poured on the bottom. Each pad lists x, y and
// diameter [mm] and its net.
func plain(pads ...[4]float64) *board.Board {
	b := &board.Board{
		Outline: board.Polygon{{}, at(20, 0), at(20, 10), at(0, 10)},
		Nets:    []board.Net{{Name: "GND"}, {Name: "A"}},
		Rules: board.Rules{
			Classes: []board.Class{{Name: "default", TrackWidth: mm(0.25),
				Clearance: mm(0.2)}},
			EdgeClearance: mm(0.4), HoleClearance: mm(0.25), PourClearance: mm(0.25),
			ThermalRelief: true, ThermalGap: mm(0.3), ThermalSpoke: mm(0.4),
			PourLayers: []board.Layer{board.Bottom},
		},
	}
	for _, p := range pads {
		b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: "P"},
			Pads: []board.Pad{{
				Number: "1", Net: int(p[3]), At: at(p[0], p[1]), Layers: board.LayersOf(board.Top,
					board.Bottom), Plated: true,
				Padstack: board.Padstack{
					Width: mm(p[2]), Height: mm(p[2]), Shape: board.Circle, Drill: mm(0.8),
				},
			}}})
	}
	return b
}

func fill(t *testing.T, b *board.Board) pour.Result {
	t.Helper()
	res, err := poured(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// poured replaces the zones of a board with its ground pour.
func poured(ctx context.Context, b *board.Board) (pour.Result, error) {
	b.Zones = nil
	g, err := pour.NewSession(ctx, b, board.Pour{
		Net: b.Rules.GroundNet, Layers: board.LayersOf(b.Rules.PourLayers...),
	})
	if err != nil {
		return pour.Result{}, err
	}
	res, err := g.Probe(ctx)
	if err == nil {
		b.Zones, err = res.Zones(ctx)
	}
	return res, err
}

func area(b *board.Board) float64 {
	one := func(g board.Polygon) float64 {
		sum := 0.0
		for i, p := range g {
			q := g[(i+1)%len(g)]
			sum += board.ToMM(p.X)*board.ToMM(q.Y) - board.ToMM(q.X)*board.ToMM(p.Y)
		}
		return sum / 2
	}
	total := 0.0
	for _, z := range b.Zones {
		for _, f := range z.Pieces {
			total += one(f.Outline)
			for _, h := range f.Holes {
				total += one(h) // holes are clockwise, so negative
			}
		}
	}
	return total
}

// TestArea compares the filled area with a value computed by hand. The area inside the edge
// clearance is 19.2 by 9.2 mm. A disc of another net with a diameter of 2 mm removes π·1.25² mm².
// The thermal relief of a disc of the pour's net removes π·1.3² mm² minus a cross of spokes of 0.4
// mm width.
func TestArea(t *testing.T) {
	own := [4]float64{5, 5, 2, 0}
	full := 19.2 * 9.2
	cross := 4*0.4*1.3 - 0.4*0.4
	relief := math.Pi*1.3*1.3 - cross
	for _, c := range []struct {
		name string
		b    *board.Board
		want float64
	}{
		{"own pad", plain(own), full - relief},
		{"and a foreign one", plain(own, [4]float64{14, 5, 2, 1}),
			full - relief - math.Pi*1.25*1.25},
	} {
		fill(t, c.b)
		// A margin of 8 µm along 57 mm of outline is 0.45 mm².
		if got := area(c.b); got > c.want+0.02 || got < c.want-0.8 {
			t.Errorf("%s: %.3f mm², want %.3f", c.name, got, c.want)
		}
	}
	b := plain(own)
	b.Rules.ThermalRelief = false
	fill(t, b)
	if got := area(b); got > full || got < full-0.6 {
		t.Errorf("solid: %.3f mm², want %.3f", got, full)
	}
}

// TestClearance verifies that the pour keeps the clearance to a disc and a track of another net
// along all its sides.
func TestClearance(t *testing.T) {
	b := plain([4]float64{5, 5, 2, 0}, [4]float64{14.013, 5.027, 1.7, 1})
	b.Tracks = []board.Track{{Net: 1, Layer: board.Bottom, A: at(14.013, 5.027), B: at(8.3, 1.7),
		Width: mm(0.25)}}
	fill(t, b)
	least := math.Inf(1)
	for _, f := range b.Zones[0].Pieces {
		for _, g := range append([]board.Polygon{f.Outline}, f.Holes...) {
			for i, p := range g {
				q := g[(i+1)%len(g)]
				for k := range 21 {
					s := float64(k) / 20
					x, y := float64(p.X)+s*float64(q.X-p.X), float64(p.Y)+s*float64(q.Y-p.Y)
					least = min(least, math.Hypot(x-14.013e6, y-5.027e6)-0.85e6)
					ax, ay, bx, by := 14.013e6, 5.027e6, 8.3e6, 1.7e6
					u := max(0,
						min(1, ((x-ax)*(bx-ax)+(y-ay)*(by-ay))/((bx-ax)*(bx-ax)+(by-ay)*(by-ay))))
					least = min(least, math.Hypot(x-ax-u*(bx-ax), y-ay-u*(by-ay))-0.125e6)
				}
			}
		}
	}
	if least < 0.25e6 || least > 0.265e6 {
		t.Errorf("nearest foreign copper at %.4f mm, want 0.25 and a little", least/1e6)
	}
}

// TestSplit verifies that a track from edge to edge splits the pour into two islands with the pads
// on each side. A fragment of the pour without pads is removed.
func TestSplit(t *testing.T) {
	wall := board.Track{Net: 1, Layer: board.Bottom, A: at(10, 0.2), B: at(10, 9.8),
		Width: mm(0.25)}
	b := plain([4]float64{5, 3, 1.7, 0}, [4]float64{5, 7, 1.7, 0}, [4]float64{15, 5, 1.7, 0})
	if res := fill(t, b); len(res.Islands) != 1 {
		t.Errorf("whole: %v", res.Islands)
	}
	b.Tracks = []board.Track{wall}
	res := fill(t, b)
	if len(res.Islands) != 2 || len(res.Islands[0]) != 2 ||
		res.Islands[1][0] != (pour.Pin{Part: 2}) {
		t.Errorf("split: %v", res.Islands)
	}
	if res.IslandAt(board.Bottom, at(3, 5)) != 0 || res.IslandAt(board.Bottom, at(18, 8)) != 1 ||
		res.IslandAt(board.Bottom, at(10, 5)) != -1 {
		t.Error("islands are not where they should be")
	}
	b.Parts = b.Parts[:2]
	if res := fill(t, b); res.Removed == 0 || len(b.Zones[0].Pieces) != 1 {
		t.Errorf("removed %d, %d pieces", res.Removed, len(b.Zones[0].Pieces))
	}
	// IslandNodes yields exactly the nodes for which IslandAt returns an island. The nodes do not
	// coincide with samples and extend beyond the board.
	for _, step := range []int64{board.MM(0.1), board.MM(0.13)} {
		from, n := at(-1.013, -0.987), 250
		got := map[[2]int]int{}
		res.IslandNodes(board.Bottom, from, step, n, n, func(i, j, island int) {
			got[[2]int{i, j}] = island
		})
		for j := range n {
			for i := range n {
				want := res.IslandAt(board.Bottom, from.Add(board.Point{X: int64(i) * step,
					Y: int64(j) * step}))
				k, ok := got[[2]int{i, j}]
				if ok != (want >= 0) || ok && k != want {
					t.Fatalf("node %d, %d: %d (found %t), want %d", i, j, k, ok, want)
				}
			}
		}
	}
}

// TestTrackEnds verifies that a track connects two islands only if its ends are in the pour, as in
// KiCad.
func TestTrackEnds(t *testing.T) {
	wall := board.Track{Net: 1, Layer: board.Bottom, A: at(10, 0.2), B: at(10, 9.8),
		Width: mm(0.25)}
	// The pour ends 0.375 mm beside the middle of the wall.
	for _, c := range []struct {
		from    float64 // x of the left end [mm]
		islands int
	}{{9, 1}, {9.5, 1}, {9.68, 2}} {
		b := plain([4]float64{5, 5, 1.7, 0}, [4]float64{15, 5, 1.7, 0})
		b.Tracks = []board.Track{wall, {Net: 0, Layer: board.Bottom, A: at(c.from, 5), B: at(11, 5),
			Width: mm(0.25)}}
		if res := fill(t, b); len(res.Islands) != c.islands {
			t.Errorf("end at x = %g mm: %d islands, want %d", c.from, len(res.Islands), c.islands)
		}
	}
}

// TestShapes verifies the filled area of a non-rectangular board with a keepout and a hole.
func TestShapes(t *testing.T) {
	b := plain([4]float64{3, 3, 1.7, 0})
	b.Rules.ThermalRelief = false
	b.Outline = board.Polygon{{}, at(20, 0), at(20, 10), at(10, 10), at(10, 5), at(0, 5)}
	b.Holes = []board.Hole{{At: at(15, 5), Diameter: mm(3), Keepout: mm(1)}}
	b.Keepouts = []board.Keepout{{Area: board.Rect{Min: at(11, 8), Max: at(13, 9)},
		Layers: []board.Layer{board.Bottom}, Copper: true}}
	fill(t, b)
	want := 19.2*4.2 + 9.2*5 - math.Pi*2.5*2.5 - 2
	if got := area(b); got > want || got < want-1 {
		t.Errorf("area %.3f mm², want %.3f", got, want)
	}
}

// TestLargeBoard verifies that the pour keeps its clearance from the corners of pads at any angle
// on a large board, where the lattice is coarse.
func TestLargeBoard(t *testing.T) {
	b := plain([4]float64{30, 30, 1.7, 0}, [4]float64{370, 370, 1.7, 0})
	b.Outline = board.Polygon{{}, at(400, 0), at(400, 400), at(0, 400)}
	b.Rules.PourClearance, b.Rules.Classes[0].Clearance = mm(0.1), mm(0.1)
	var corners []board.Point
	for i := range 40 {
		p := board.Pad{
			Number: "1", Net: 1, At: at(50+7.013*float64(i), 60+6.027*float64(i)),
			Layers: board.Bottom.Bit(), Rotation: float64(9 * i),
			Padstack: board.Padstack{Width: mm(1), Height: mm(1), Shape: board.RectShape},
		}
		b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: "Q"},
			Pads: []board.Pad{p}})
		for _, c := range []board.Point{{X: p.Width, Y: p.Height}, {X: -p.Width, Y: p.Height},
			{X: -p.Width, Y: -p.Height}, {X: p.Width, Y: -p.Height}} {
			corners = append(corners,
				p.At.Add(board.Point{X: c.X / 2, Y: c.Y / 2}.Rotated(p.Rotation)))
		}
	}
	fill(t, b)
	for _, c := range corners {
		gap := math.Inf(1)
		for _, hole := range b.Zones[0].Pieces[0].Holes {
			for i, from := range hole {
				gap = min(gap, toSegment(c, from, hole[(i+1)%len(hole)]))
			}
		}
		if gap < 0.1e6 {
			t.Errorf("copper %.4f mm from the corner %v", gap/1e6, c)
		}
	}
}

func toSegment(p, a, b board.Point) float64 {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	u := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		u = max(0, min(1, (float64(p.X-a.X)*dx+float64(p.Y-a.Y)*dy)/l))
	}
	return math.Hypot(float64(p.X-a.X)-u*dx, float64(p.Y-a.Y)-u*dy)
}

// TestNarrowSpokes verifies that spokes have the width of the rules, even if it is below the
// minimum copper width. This holds for any position of the pad relative to the lattice; without
// spokes the pad would be isolated.
func TestNarrowSpokes(t *testing.T) {
	for _, spoke := range []float64{0.1, 0.15, 0.2, 0.22, 0.4} {
		for _, off := range []float64{0, 0.013, 0.025, 0.04} {
			b := plain([4]float64{5 + off, 5 - off, 1.7, 0}, [4]float64{14, 5 + off, 1.7, 0})
			b.Parts[1].Pads[0].Rotation = 45
			b.Rules.ThermalSpoke = mm(spoke)
			res := fill(t, b)
			if len(res.Islands) != 1 || len(res.Islands[0]) != 2 {
				t.Fatalf("spokes of %g mm, %g mm off the samples: islands %v", spoke, off,
					res.Islands)
			}
			b.Rules.ThermalGap = 0
			full := area(b)
			fill(t, b)
			// The gaps have a width of 0.3 mm around two pads of 1.7 mm, and eight spokes cross
			// them.
			want := 2*math.Pi*0.3*(1.7+0.3) - 8*0.3*spoke
			if got := area(b) - full; math.Abs(got-want) > 0.09*want {
				t.Errorf(
					"spokes of %g mm, %g mm off the samples: the gaps have %.3f mm², want %.3f",
					spoke, off, got, want)
			}
		}
	}
}

// TestKeepoutCorners verifies that the corners of a keepout stay free of copper for any position
// relative to the lattice.
func TestKeepoutCorners(t *testing.T) {
	for _, off := range []float64{0, 0.007, 0.02, 0.033, 0.049} {
		b := plain()
		b.Parts = append(b.Parts, plain([4]float64{3, 3, 1.7, 0},
			[4]float64{17, 7, 1.7, 0}).Parts...)
		area := board.Rect{Min: at(9+off, 4+off/2), Max: at(11.015+off, 6.04+off)}
		b.Keepouts = []board.Keepout{{Area: area, Layers: []board.Layer{board.Bottom},
			Copper: true}}
		fill(t, b)
		for _, c := range []board.Point{area.Min, {X: area.Max.X, Y: area.Min.Y}, area.Max,
			{X: area.Min.X, Y: area.Max.Y}} {
			free := false
			for _, hole := range b.Zones[0].Pieces[0].Holes {
				free = free || within(hole, c)
			}
			if !free {
				t.Errorf("%g mm off the samples: copper at the corner %v of the keepout", off, c)
			}
		}
	}
}

// within reports whether p is in g by the even-odd rule.
func within(g board.Polygon, p board.Point) bool {
	in := false
	for i, a := range g {
		b := g[(i+1)%len(g)]
		if (a.Y > p.Y) != (b.Y > p.Y) &&
			float64(p.X) < float64(a.X)+float64(p.Y-a.Y)/float64(b.Y-a.Y)*float64(b.X-a.X) {
			in = !in
		}
	}
	return in
}

func TestSameTwiceAndCancel(t *testing.T) {
	a, b := plain([4]float64{5, 5, 2, 0}, [4]float64{14, 5, 2, 1}),
		plain([4]float64{5, 5, 2, 0}, [4]float64{14, 5, 2, 1})
	fill(t, a)
	fill(t, b)
	if !reflect.DeepEqual(a.Zones, b.Zones) {
		t.Error("two runs differ")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := poured(ctx, a); !errors.Is(err, context.Canceled) || a.Zones != nil {
		t.Errorf("error %v, %d zones", err, len(a.Zones))
	}
	a.Rules.GroundNet = board.NoNet
	if res := fill(t, a); len(res.Islands) > 0 || len(a.Zones) > 0 {
		t.Error("poured without a ground net")
	}
}

// TestKiCadSpokes verifies that round pads have spokes at 45 degrees, as in zone fills of KiCad
// 6.0.11 for circle pads. A spoke whose end meets no copper is omitted.
func TestKiCadSpokes(t *testing.T) {
	// ring returns a point in the middle of the thermal gap of a pad of 1.6 mm at (10, 5) mm.
	ring := func(degrees float64) board.Point {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return at(10+0.95*cos, 5+0.95*sin)
	}
	for _, c := range []struct {
		name  string
		kicad bool
		more  [][4]float64
		want  map[float64]bool
	}{
		{"axes", false, nil, map[float64]bool{0: true, 90: true, 180: true, 270: true, 45: false}},
		{"diagonal", true, nil, map[float64]bool{0: false, 90: false, 45: true, 135: true,
			225: true, 315: true}},
		{"no copper at the end", true, [][4]float64{{11.1, 6.1, 1, 1}},
			map[float64]bool{45: false, 135: true, 225: true, 315: true}},
		// The gaps are 0.3 mm wide. At 0.33 mm between the pads, each spoke ends in the other. At
		// 0.64 mm, both end in a strip of 0.04 mm between the gaps, which is no copper.
		{"spoke at the end", true, [][4]float64{{11.365, 6.365, 1.6, 0}},
			map[float64]bool{45: true, 135: true, 225: true, 315: true}},
		// The end, at (10.806, 5.806) mm, is 0.04 mm within the clearance of 0.25 mm. A disc of
		// 0.2 mm outside the clearance does not reach it.
		{"copper 0.04 mm beside the end", true, [][4]float64{{10.516, 6.096, 0.4, 1}},
			map[float64]bool{45: false, 135: true, 225: true, 315: true}},
		{"strip at the end", true, [][4]float64{{11.584, 6.584, 1.6, 0}},
			map[float64]bool{45: false, 135: true, 225: true, 315: true}},
	} {
		b := plain(append([][4]float64{{10, 5, 1.6, 0}}, c.more...)...)
		b.Rules.KiCadSpokes = c.kicad
		res := fill(t, b)
		for degrees, want := range c.want {
			if got := res.FragmentAt(board.Bottom, ring(degrees)) >= 0; got != want {
				t.Errorf("%s: copper at %g degrees: %v", c.name, degrees, got)
			}
		}
	}
}
