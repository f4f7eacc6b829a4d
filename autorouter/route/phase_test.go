package route

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// place is a pad of a small test board with its position [mm] and net.
type place struct {
	x, y float64
	net  int
}

// small returns a router for a board of w by h mm with a grid pitch of 0.1 mm. The surface pads on
// the top layer have a diameter of 0.6 mm. Track width and clearance are 0.2 mm, and the edge
// clearance is 0.1 mm.
func small(t *testing.T, w, h float64, change func(*board.Board), pads ...place) *router {
	t.Helper()
	mm := board.MM
	b := &board.Board{
		Outline: board.Polygon{{}, {X: mm(w)}, {X: mm(w), Y: mm(h)}, {Y: mm(h)}},
		Rules: board.Rules{
			Classes: []board.Class{
				{Name: "default", TrackWidth: mm(0.2), Clearance: mm(0.2), ViaDrill: mm(0.2),
					ViaDiameter: mm(0.4)},
			},
			EdgeClearance: mm(0.1), HoleClearance: mm(0.2), HoleToHole: mm(0.2),
			PourClearance: mm(0.2), GroundNet: board.NoNet,
		},
	}
	nets := 0
	for _, p := range pads {
		nets = max(nets, p.net+1)
		b.Parts = append(b.Parts, board.Part{Pads: []board.Pad{{
			Net: p.net, At: board.Point{X: mm(p.x), Y: mm(p.y)}, Layers: board.LayersOf(board.Top),
			Padstack: board.Padstack{Width: mm(0.6), Height: mm(0.6), Shape: board.Circle},
		}}})
	}
	b.Nets = make([]board.Net, nets)
	if change != nil {
		change(b)
	}
	rt, err := newRouter(context.Background(), b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rt.grid.pitch != mm(0.1) {
		t.Fatalf("pitch %d", rt.grid.pitch)
	}
	return rt
}

// topOnly forbids tracks and vias on the bottom.
func topOnly(b *board.Board) {
	b.Keepouts = append(b.Keepouts, board.Keepout{Area: b.Outline.Bounds(),
		Layers: []board.Layer{board.Bottom}, Tracks: true, Vias: true})
}

func (rt *router) nodeOfMM(t *testing.T, x, y float64, layer board.Layer) int32 {
	t.Helper()
	node, ok := rt.nodeAt(board.Point{X: board.MM(x), Y: board.MM(y)}, layer)
	if !ok {
		t.Fatalf("%g, %g mm is off the grid", x, y)
	}
	return node
}

// TestSpanSet compares the spans of three rows with a set of nodes.
func TestSpanSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var s spanSet
	for range 200 {
		s.reset(3)
		want := map[int32]bool{}
		for range rng.IntN(12) {
			row := rng.IntN(3)
			from := int32(row*100 + rng.IntN(30))
			to := from + int32(rng.IntN(8))
			s.add(row, span{from, to})
			for k := from; k <= to; k++ {
				want[k] = true
			}
		}
		got := map[int32]bool{}
		list := s.list()
		for i, r := range list {
			for k := r.from; k <= r.to; k++ {
				if got[k] {
					t.Fatalf("node %d is in two spans of %v", k, list)
				}
				got[k] = true
			}
			for _, o := range list[:i] {
				if o.to+1 == r.from || r.to+1 == o.from {
					t.Fatalf("%v and %v touch", o, r)
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d nodes, want %d", len(got), len(want))
		}
	}
}

// TestQueueOrder verifies that the queue returns nodes in the order of their buckets as long as the
// estimates are within its buckets. Nodes with estimates beyond them are returned in any order.
func TestQueueOrder(t *testing.T) {
	for _, reach := range []int32{bucketCount << bucketShift, 3 * bucketCount << bucketShift} {
		testQueue(t, reach)
	}
}

func testQueue(t *testing.T, reach int32) {
	rng := rand.New(rand.NewPCG(1, 1))
	var q queue
	q.reset()
	estimate, last := map[int32]int32{}, int32(0)
	next := int32(0)
	push := func(above int32) {
		estimate[next] = above + rng.Int32N(reach)
		q.push(next, estimate[next])
		next++
	}
	for range 50 {
		push(0)
	}
	for !q.empty() {
		node := q.pop()
		bucket := estimate[node] >> bucketShift
		if bucket < last && reach <= bucketCount<<bucketShift {
			t.Fatalf("bucket %d after %d", bucket, last)
		}
		last = max(last, bucket)
		delete(estimate, node)
		if next < 300 {
			push(last << bucketShift)
		}
	}
	if len(estimate) != 0 {
		t.Errorf("%d nodes are lost", len(estimate))
	}
}

// TestQueueOverflow verifies the order of nodes with estimates beyond the last bucket. It is that
// of their estimates if these are within the buckets of each other.
func TestQueueOverflow(t *testing.T) {
	const beyond = bucketCount << bucketShift
	var q queue
	q.reset()
	q.push(0, 0)
	for node, estimate := range []int32{300, 100, 200} {
		q.push(int32(node)+1, beyond+estimate)
	}
	for _, want := range []int32{0, 2, 3, 1} {
		if got := q.pop(); got != want {
			t.Errorf("node %d instead of %d", got, want)
		}
	}
}

// TestSpansAgainstDistance compares rasterized segments with the distance of every node.
func TestSpansAgainstDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	g := grid{pitch: 1e5, w: 40, h: 30, size: 1200}
	for range 300 {
		point := func() board.Point {
			return board.Point{X: rng.Int64N(5e6) - 5e5, Y: rng.Int64N(4e6) - 5e5}
		}
		s, dist := geom.Segment(point(), point(), 2e5), float64(rng.Int64N(6e5))
		got := map[int32]bool{}
		g.eachNode(&s, dist, func(node int32) { got[node] = true })
		for node := range int32(g.size) {
			at := g.at(node)
			d := s.To(float64(at.X), float64(at.Y))
			if near := d < dist-0.5; near != got[node] && math.Abs(d-(dist-0.5)) > 1 {
				t.Fatalf("node %v at %.1f nm of %.1f: %v", at, d, dist, got[node])
			}
		}
	}
}

// TestRasterizeFixed verifies that the pad of net 0 reserves the nodes at which a track of 0.2 mm
// would violate the clearance of 0.2 mm. These nodes are within 0.3 + 0.2 + 0.1 mm of the pad
// centre, plus a margin below 0.02 mm.
func TestRasterizeFixed(t *testing.T) {
	rt := small(t, 4, 4, nil, place{2, 2, 0}, place{3.5, 3.5, 1}, place{0.5, 3.5, 1},
		place{0.5, 0.5, 0})
	cells := rt.grid.maps[rt.nets[0].trackMap].cells
	for node := range int32(rt.grid.size) {
		at := rt.grid.at(node)
		d := board.Distance(at, board.Point{X: 2e6, Y: 2e6})
		switch got := cells[node].fixedNet; {
		case d < 6e5-1 && got != 0:
			t.Errorf("%v has net %d", at, got)
		case d > 6.2e5 && d < 1e6 && got != unowned:
			t.Errorf("%v far from the pad has net %d", at, got)
		case at.X < 2e5-1 && got != blocked: // edge clearance plus half the track width
			t.Errorf("%v at the edge has net %d", at, got)
		}
	}
}

// TestEndedBeforePhase verifies that a run whose context ended in one phase is cancelled in the
// next one.
func TestEndedBeforePhase(t *testing.T) {
	rt := small(t, 4, 4, nil, place{2, 2, 0})
	ctx, cancel := context.WithCancel(t.Context())
	rt.ctx = ctx
	cancel()
	for phase := range 2 {
		rt.beginPhase(1)
		if !rt.cancelled() {
			t.Errorf("not cancelled in phase %d", phase)
		}
	}
}

// TestReserved verifies that a track avoids a reserved via of another net. On the layer of its pour
// the distance is the pour clearance of 0.25 mm and the fill of 0.07 mm. Elsewhere it is the
// clearance of 0.2 mm. A pad of 0.6 mm around the via replaces the fill. A track of its own net
// does not avoid the via.
func TestReserved(t *testing.T) {
	for _, c := range []struct {
		net      int
		pour     board.Layer
		pad      int // net of a pad at the via
		straight bool
		least    float64 // distance [nm]
	}{
		{0, board.Top, board.NoNet, true, 0},
		{1, board.Top, board.NoNet, false, 0.32e6},
		{1, board.Bottom, board.NoNet, false, 0.2e6},
		{1, board.Top, 1, false, 0.3e6},
	} {
		pads := []place{{0.5, 2, 0}, {5.5, 2, 0}, {0.5, 3.5, 1}}
		clearance := 0.25
		if c.pad != board.NoNet {
			pads, clearance = append(pads, place{3, 2, c.pad}), 0.6
		}
		rt := small(t, 6, 4, func(b *board.Board) {
			topOnly(b)
			b.Rules.PourClearance = board.MM(clearance)
			b.Rules.GroundNet, b.Rules.PourLayers = 1, []board.Layer{c.pour}
		}, pads...)
		opt := Options{Reserved: []board.Via{{Net: c.net, At: board.Point{X: 3e6, Y: 2e6},
			Drill: 0.2e6, Diameter: 0.4e6}}}
		rt, err := newRouter(t.Context(), rt.board, opt)
		if err != nil {
			t.Fatal(err)
		}
		rt.reroute(0, rt.hardQuery())
		rt.smooth(rt.order)
		n := &rt.nets[0]
		least := math.Inf(1)
		via := geom.Disc(opt.Reserved[0].At, opt.Reserved[0].Diameter)
		for _, s := range n.copper.segments {
			track := geom.Segment(s.a, s.b, s.width)
			least = min(least, geom.Distance(&track, &via))
		}
		if len(n.copper.open) > 0 || c.straight != (least < 0) ||
			!c.straight && (least < c.least-1 || least > c.least+0.1e6) {
			t.Errorf("%+v: %d open, %g mm away", c, len(n.copper.open), least/1e6)
		}
	}
}

// TestCommitAndRipUp verifies that committed copper occupies its maps until it is ripped up, and
// that crossing nets conflict at their intersection.
func TestCommitAndRipUp(t *testing.T) {
	rt := small(t, 4, 4, nil, place{0.5, 2, 0}, place{3.5, 2, 0}, place{2, 0.5, 1},
		place{2, 3.5, 1})
	for i := range rt.nets {
		rt.reroute(i, rt.softQuery(0)) // conflicts cost nothing, so both tracks are straight
	}
	if len(rt.nets[0].copper.vias) > 0 || rt.countConflicts(&rt.nets[0]) == 0 ||
		rt.countConflicts(&rt.nets[1]) == 0 {
		t.Fatal("the nets do not cross")
	}
	before := rt.historyCost[rt.nodeOfMM(t, 2, 2, board.Top)]
	rt.penalizeConflicts(&rt.nets[0], 7)
	if got := rt.historyCost[rt.nodeOfMM(t, 2, 2, board.Top)]; got != before+7 {
		t.Errorf("history cost %d, want %d", got, before+7)
	}
	saved := rt.nets[1].copper
	rt.ripUp(&rt.nets[1])
	if n := rt.countConflicts(&rt.nets[0]); n != 0 {
		t.Errorf("%d conflicts with ripped-up copper", n)
	}
	rt.restoreRoute(&rt.nets[1], saved)
	rt.ripUp(&rt.nets[0])
	rt.ripUp(&rt.nets[1])
	for _, m := range rt.grid.maps {
		if i := slices.IndexFunc(m.cells, func(c cell) bool { return c.users != 0 }); i >= 0 {
			t.Fatalf("node %d has %d users without copper", i, m.cells[i].users)
		}
	}
}

// TestSearchCost compares the path cost with values computed by hand, in hundredths of a step. The
// cases are 20 straight steps, then 2 straight and 3 diagonal steps with a turn of 45 degrees. The
// last has 10 straight steps and a via that costs 25 steps.
func TestSearchCost(t *testing.T) {
	rt := small(t, 6, 6, nil, place{0.5, 0.5, 0}, place{5.5, 5.5, 0})
	for _, c := range []struct {
		name           string
		x0, y0, x1, y1 float64
		layer          board.Layer
		want           int32
	}{
		{"straight", 2, 3, 4, 3, board.Top, 2000},
		{"turn", 2, 3, 2.5, 3.3, board.Top, 200 + 3*141 + 15},
		{"via", 2, 3, 3, 3, board.Bottom, 1000 + 2500},
	} {
		q := rt.hardQuery()
		q.net, q.astarFactor, q.goalBox = &rt.nets[0], 0, emptyBox
		rt.beginSearch()
		rt.addGoal(&q, rt.nodeOfMM(t, c.x1, c.y1, c.layer))
		rt.addSource(&q, rt.nodeOfMM(t, c.x0, c.y0, board.Top))
		end, ok := rt.search(&q)
		if !ok || rt.record(end).cost != c.want {
			t.Errorf("%s: found %v, cost %d, want %d", c.name, ok, rt.record(end).cost, c.want)
		}
	}
}

// TestViasOfPath verifies that the vias of one path keep the hole-to-hole distance. A strip of the
// top layer is so expensive that the path passes below it. The bottom layer costs twice as much as
// the top. Without the rule, the vias would be on both sides of the strip, 0.2 mm apart. With holes
// of 0.2 mm and a distance of 0.2 mm, they must be at least 0.4 mm apart.
func TestViasOfPath(t *testing.T) {
	for _, y := range []float64{1, 3} { // a straight and a diagonal path
		rt := small(t, 6, 6, nil, place{0.5, 1, 0}, place{5.5, y, 0})
		g := &rt.grid
		for node := range rt.historyCost {
			switch flat, layer := g.split(int32(node)); {
			case layer != 0:
				rt.historyCost[node] = 64
			case g.at(flat).X == board.MM(3):
				rt.historyCost[node] = 60000
			}
		}
		rt.reroute(0, rt.softQuery(initialPresFac))
		vias := rt.nets[0].copper.vias
		if rt.openCount() != 0 || len(vias) != 2 {
			t.Fatalf("%d open, vias %v", rt.openCount(), vias)
		}
		if d := board.Distance(vias[0], vias[1]); d < 0.4e6 || d > 0.8e6 {
			t.Errorf("to y = %g mm: the vias are %.3f mm apart, want 0.4 mm or little more", y,
				d/1e6)
		}
	}
}

// TestStubOfNarrowPad verifies the clearance of the stub from the access node of a pad to its
// centre when the track is wider than the pad. Net 1 has a diagonal track. It is 0.424 mm from the
// access node at (3, 3) mm of a pad of net 0 and 0.394 mm from its centre. The pad is 0.16 mm wide.
// Tracks of 0.2 mm with a clearance of 0.2 mm need 0.4 mm.
func TestStubOfNarrowPad(t *testing.T) {
	rt := small(t, 6, 6, func(b *board.Board) {
		b.Parts[0].Pads[0].Width, b.Parts[0].Pads[0].Height = board.MM(0.16), board.MM(0.16)
	}, place{3.0212, 2.9788, 0}, place{1, 5, 0}, place{1.6, 1, 1}, place{5, 4.4, 1})
	rt.reroute(1, rt.hardQuery())
	rt.reroute(0, rt.hardQuery())
	if rt.openCount() != 0 {
		t.Fatalf("%d open", rt.openCount())
	}
	for _, s := range rt.nets[0].copper.segments {
		if !rt.clearOfAllNets(&rt.nets[0], s) {
			t.Errorf("the track from %v to %v is too close to the other net", s.a, s.b)
		}
	}
}

// TestIsEnclosed verifies that the flood fill detects, without a search, that a wall on both layers
// leaves no path.
func TestIsEnclosed(t *testing.T) {
	for _, open := range []bool{false, true} {
		rt := small(t, 5, 2, func(b *board.Board) {
			k := board.Keepout{Area: board.Rect{Min: board.Point{X: 2.4e6},
				Max: board.Point{X: 2.6e6, Y: 2e6}}, Layers: []board.Layer{board.Top, board.Bottom},
				Tracks: true}
			if open {
				k.Layers = k.Layers[:1]
			}
			b.Keepouts = append(b.Keepouts, k)
		}, place{0.5, 1, 0}, place{4.5, 1, 0})
		q := rt.hardQuery()
		q.net = &rt.nets[0]
		ends := [2][]int32{{rt.nodeOfMM(t, 0.5, 1, board.Top)}, {rt.nodeOfMM(t, 4.5, 1, board.Top)}}
		if got := rt.isEnclosed(&q, ends); got == open {
			t.Errorf("wall with an open layer %v: enclosed %v", open, got)
		}
		rt.reroute(0, rt.hardQuery())
		if got := rt.openCount() == 0; got != open {
			t.Errorf("wall with an open layer %v: connected %v", open, got)
		}
	}
}

// TestTreeBranchesWithinTrack verifies that a third pad is connected to a point within the track of
// the first two. The tracks of 4 mm and 5 mm are 0.8 mm shorter than connections from pad to pad.
func TestTreeBranchesWithinTrack(t *testing.T) {
	rt := small(t, 5, 7, topOnly, place{0.5, 1, 0}, place{4.5, 1, 0}, place{2.5, 6, 0})
	q := rt.hardQuery()
	q.astarFactor = 0
	rt.reroute(0, q)
	n := &rt.nets[0]
	if rt.openCount() != 0 || len(n.copper.branches) != 2 {
		t.Fatalf("%d open, %d branches", rt.openCount(), len(n.copper.branches))
	}
	if d := n.copper.length/1e6 - 9; math.Abs(d) > 1e-3 {
		t.Errorf("length %.3f mm, want 9", n.copper.length/1e6)
	}
}

// TestRipUpConflictingBranches verifies that only the conflicting branch of a tree is ripped up.
func TestRipUpConflictingBranches(t *testing.T) {
	rt := small(t, 9, 6, nil, place{0.5, 1, 0}, place{3, 1, 0}, place{5.5, 1, 0}, place{5.5, 5, 0},
		place{4, 3, 1}, place{7, 3, 1})
	rt.reroute(0, rt.hardQuery())
	n := &rt.nets[0]
	whole := len(n.copper.branches)
	rt.reroute(1, rt.softQuery(0)) // straight across the branch to the last pad
	if whole != 3 || rt.countConflicts(n) == 0 {
		t.Fatalf("%d branches, %d conflicts", whole, rt.countConflicts(n))
	}
	rt.ripUpConflictingBranches(n)
	if got := len(n.copper.branches); got != 2 || rt.countConflicts(n) != 0 {
		t.Errorf("%d branches and %d conflicts are left", got, rt.countConflicts(n))
	}
	rt.rerouteBranches(n, rt.hardQuery())
	if rt.openCount() != 0 || rt.countConflicts(n) != 0 || rt.countConflicts(&rt.nets[1]) != 0 {
		t.Errorf("%d open, %d conflicts", rt.openCount(), rt.countConflicts(n))
	}
}

// TestNegotiate verifies that two crossing nets end up on different layers without conflicts.
func TestNegotiate(t *testing.T) {
	rt := small(t, 4, 4, nil, place{0.5, 2, 0}, place{3.5, 2, 0}, place{2, 0.5, 1},
		place{2, 3.5, 1})
	rt.negotiate()
	if rt.countConflicts(&rt.nets[0])+rt.countConflicts(&rt.nets[1]) != 0 || rt.openCount() != 0 {
		t.Errorf("%d open, conflicts remain", rt.openCount())
	}
	if len(rt.nets[0].copper.vias)+len(rt.nets[1].copper.vias) == 0 {
		t.Error("nets cross without a via")
	}
}

// TestRipUpAndReroute verifies that a net blocked by the straight track of another net is
// completed, because the other net is rerouted around its pad.
func TestRipUpAndReroute(t *testing.T) {
	rt := small(t, 6, 5, topOnly, place{1, 2.5, 0}, place{4, 2.5, 0}, place{3, 0.4, 1},
		place{3, 4.6, 1})
	rt.reroute(1, rt.hardQuery())
	rt.reroute(0, rt.hardQuery())
	if rt.openCount() != 1 {
		t.Fatalf("%d open before", rt.openCount())
	}
	rt.ripUpAndReroute(0, 1)
	if rt.openCount() != 0 || rt.countConflicts(&rt.nets[0])+rt.countConflicts(&rt.nets[1]) != 0 {
		t.Errorf("%d open", rt.openCount())
	}
}

// TestUnreachablePad verifies that rip-up gives up on a pad enclosed by keepouts after one turn at
// each present cost, and still completes another net.
func TestUnreachablePad(t *testing.T) {
	rt := small(t, 9, 5, func(b *board.Board) {
		topOnly(b)
		b.Keepouts = append(b.Keepouts, board.Keepout{Tracks: true, Vias: true,
			Layers: []board.Layer{board.Top}, Area: board.Rect{Min: board.Point{X: board.MM(6)},
				Max: board.Point{X: board.MM(6.5), Y: board.MM(5)}}})
	}, place{1, 2.5, 0}, place{4, 2.5, 0}, place{3, 0.4, 1}, place{3, 4.6, 1}, place{1, 1, 2},
		place{8, 1, 2})
	rt.reroute(1, rt.hardQuery())
	rt.reroute(0, rt.hardQuery())
	rt.reroute(2, rt.hardQuery())
	if rt.openCount() != 2 {
		t.Fatalf("%d open before", rt.openCount())
	}
	rt.ripUpAndReroute(0, 1)
	if rt.openCount() != 1 || len(rt.nets[2].copper.open) != 1 || rt.passes > 8 {
		t.Errorf("%d open after %d turns", rt.openCount(), rt.passes)
	}
}

// TestEnclosedFirstPad verifies that the pads of a net are connected to each other although no
// track can leave the first, which keepouts enclose. The open connection is the one to that pad.
func TestEnclosedFirstPad(t *testing.T) {
	wall := func(x, y, w, h float64) board.Keepout {
		at := board.Point{X: board.MM(x), Y: board.MM(y)}
		return board.Keepout{Tracks: true, Vias: true, Layers: []board.Layer{board.Top},
			Area: board.Rect{Min: at, Max: at.Add(board.Point{X: board.MM(w), Y: board.MM(h)})}}
	}
	for _, enclosed := range []int{1, 2} { // number of enclosed pads
		pads := []place{{1, 1, 0}, {1, 4, 0}, {5, 1, 0}, {5, 4, 0}, {7, 2, 0}}
		rt := small(t, 9, 5, func(b *board.Board) {
			topOnly(b)
			b.Keepouts = append(b.Keepouts, wall(2, 0, 0.3, 5))
			if enclosed == 2 {
				b.Keepouts = append(b.Keepouts, wall(0, 2.5, 2, 0.3))
			}
		}, pads...)
		rt.reroute(0, rt.softQuery(initialPresFac))
		n := &rt.nets[0]
		// Two pads left of the wall have a tree of their own without the second wall.
		if len(n.copper.open) != enclosed || len(rt.ratsnest(n)) != enclosed {
			t.Errorf("%d enclosed: open %v, ratsnest %v", enclosed, n.copper.open, rt.ratsnest(n))
		}
		rt.rerouteBranches(n, rt.hardQuery())
		if len(n.copper.open) != enclosed || len(rt.ratsnest(n)) != enclosed {
			t.Errorf("%d enclosed, rerouted: open %v, ratsnest %v", enclosed, n.copper.open,
				rt.ratsnest(n))
		}
	}
}

// TestRefine verifies that a track with an unnecessary detour is rerouted to its shortest length.
func TestRefine(t *testing.T) {
	rt := small(t, 6, 5, topOnly, place{1, 2.5, 0}, place{5, 2.5, 0}, place{3, 2.4, 1},
		place{3, 0.5, 1})
	rt.reroute(1, rt.hardQuery())
	rt.reroute(0, rt.hardQuery())
	detour := rt.nets[0].copper.length
	rt.ripUp(&rt.nets[0])
	n := &rt.nets[0]
	n.copper.addSegment(segment{a: board.Point{X: 1e6, Y: 2.5e6}, b: board.Point{X: 1e6, Y: 4.7e6},
		width: 2e5}, false)
	n.copper.addSegment(segment{a: board.Point{X: 1e6, Y: 4.7e6}, b: board.Point{X: 5e6, Y: 4.7e6},
		width: 2e5}, false)
	n.copper.addSegment(segment{a: board.Point{X: 5e6, Y: 4.7e6}, b: board.Point{X: 5e6, Y: 2.5e6},
		width: 2e5}, false)
	rt.commit(n)
	rt.refine()
	if got := rt.nets[0].copper.length; got > detour+1 {
		t.Errorf("refined to %.3f mm, want %.3f", got/1e6, detour/1e6)
	}
}

// TestSmooth verifies that pull-tight shortens the jagged path of a weighted A* search between pads
// off the grid. The shortest octilinear path is 3.94 - 1.75 + 1.75·√2 mm long; the stubs within the
// pads remain.
func TestSmooth(t *testing.T) {
	rt := small(t, 5, 4, nil, place{0.53, 1.02, 0}, place{4.47, 2.77, 0})
	rt.reroute(0, rt.hardQuery())
	n := &rt.nets[0]
	jagged := n.copper.length
	rt.smooth(rt.order)
	want := (3.94 - 1.75 + 1.75*math.Sqrt2) * 1e6
	if jagged < 1.1*want || n.copper.length < want-1 || n.copper.length > 1.05*want {
		t.Errorf("%.3f mm from %.3f mm, want %.3f mm", n.copper.length/1e6, jagged/1e6, want/1e6)
	}
	if len(rt.ratsnest(n)) != 0 {
		t.Error("smoothing opened the net")
	}
}

// TestRatsnest verifies that three clusters of a net need two connections, between their nearest
// pads.
func TestRatsnest(t *testing.T) {
	rt := small(t, 9, 3, nil, place{0.5, 1, 0}, place{2.5, 1, 0}, place{5, 1, 0}, place{8.5, 1, 0})
	n := &rt.nets[0]
	if got := rt.ratsnest(n); len(got) != 3 {
		t.Fatalf("%v without copper", got)
	}
	n.copper.segments = []segment{{a: n.terms[0].at, b: n.terms[1].at, width: 2e5}}
	if got, want := rt.ratsnest(n), [][2]int{{1, 2}, {2, 3}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRemoveDanglingTracks verifies that a dangling stub is removed and that the track between two
// pads stays.
func TestRemoveDanglingTracks(t *testing.T) {
	rt := small(t, 5, 4, nil, place{0.5, 1, 0}, place{4.5, 1, 0})
	n := &rt.nets[0]
	track := segment{a: n.terms[0].at, b: n.terms[1].at, width: 2e5}
	stub := segment{a: board.Point{X: 2.5e6, Y: 1e6}, b: board.Point{X: 2.5e6, Y: 3e6}, width: 2e5}
	further := segment{a: stub.b, b: board.Point{X: 3e6, Y: 3e6}, width: 2e5}
	n.copper.segments = []segment{stub, track, further}
	if p, dangling := rt.danglingEnd(n, 2); !dangling || p != further.b {
		t.Errorf("end %v, dangling %v", p, dangling)
	}
	if rt.isRedundant(n, 1) || !rt.isRedundant(n, 0) {
		t.Error("the track is redundant, or the stub is not")
	}
	rt.removeDanglingTracks(n)
	if !slices.Equal(n.copper.segments, []segment{track}) {
		t.Errorf("left: %+v", n.copper.segments)
	}
	if !splitAt(n, stub.a, stub) || len(n.copper.segments) != 2 ||
		n.copper.segments[0].b != stub.a {
		t.Errorf("split: %+v", n.copper.segments)
	}
}

// TestOvershoot verifies that a track that ends beyond its crossing with another track of its net
// ends at the crossing. A via beyond the crossing keeps the track.
func TestOvershoot(t *testing.T) {
	mm := func(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }
	for _, c := range []struct {
		name      string
		end, want board.Point
		other     segment
		vias      []board.Point
	}{
		{"straight", mm(2.57, 1), mm(2, 1), segment{a: mm(2, 0.5), b: mm(2, 3)}, nil},
		{"diagonal", mm(2.7, 3.2), mm(2, 2.5), segment{a: mm(2, 3), b: mm(2, 0.5)}, nil},
		{"T-junction", mm(2.57, 1), mm(2, 1), segment{a: mm(2, 1), b: mm(2, 3)}, nil},
		{"a via", mm(2.57, 1), mm(2.57, 1), segment{a: mm(2, 0.5), b: mm(2, 3)},
			[]board.Point{mm(2.57, 1)}},
	} {
		start := mm(0.5, 1)
		rt := small(t, 5, 4, nil, place{0.5, 1, 0}, place{2, 3, 0})
		n := &rt.nets[0]
		c.other.width = 2e5
		n.copper.segments = []segment{{a: c.end, b: start, width: 2e5}, c.other}
		n.copper.vias = c.vias
		rt.removeDanglingTracks(n)
		if s := n.copper.segments[0]; s.a != c.want && s.b != c.want || len(rt.ratsnest(n)) > 0 {
			t.Errorf("%s: %+v", c.name, n.copper.segments)
		}
	}
}

// TestDanglingInDrawnPad verifies that a track between two pieces of one drawn pad is dangling, and
// that one between two pads is not.
func TestDanglingInDrawnPad(t *testing.T) {
	for _, group := range []int{1, 0} {
		rt := small(t, 5, 4, func(b *board.Board) {
			b.Parts = []board.Part{{Pads: slices.Concat(b.Parts[0].Pads, b.Parts[1].Pads)}}
			for i := range b.Parts[0].Pads {
				b.Parts[0].Pads[i].Group = group
			}
		}, place{2, 1, 0}, place{2.5, 1, 0})
		n := &rt.nets[0]
		n.copper.segments = []segment{{a: board.Point{X: 2.5e6, Y: 1e6},
			b: board.Point{X: 2e6, Y: 1e6}, width: 2e5}}
		if _, dangling := rt.danglingEnd(n, 0); dangling != (group > 0) {
			t.Errorf("group %d: dangling %v", group, dangling)
		}
	}
}

// TestIsDanglingVia verifies that a via with a track on only one layer is dangling.
func TestIsDanglingVia(t *testing.T) {
	rt := small(t, 5, 4, nil, place{0.5, 1, 0}, place{4.5, 1, 0})
	n := &rt.nets[0]
	via := board.Point{X: 2.5e6, Y: 1e6}
	n.copper.segments = []segment{{a: n.terms[0].at, b: n.terms[1].at, width: 2e5}}
	n.copper.vias = []board.Point{via}
	if !rt.isDanglingVia(n, via) {
		t.Error("a via on one layer is not dangling")
	}
	n.copper.segments = append(n.copper.segments, segment{a: via, b: board.Point{X: 2.5e6, Y: 3e6},
		width: 2e5, layer: board.Bottom})
	if rt.isDanglingVia(n, via) {
		t.Error("a via between two layers is dangling")
	}
}

// TestConnectPour verifies that pour islands, split by a track from edge to edge on the bottom, are
// connected on the top.
func TestConnectPour(t *testing.T) {
	rt := small(t, 8, 4, func(b *board.Board) {
		b.Rules.GroundNet, b.Rules.PourLayers = 0, []board.Layer{board.Bottom}
		for i := range b.Parts[:2] {
			p := &b.Parts[i].Pads[0]
			p.Layers, p.Drill, p.Plated = board.LayersOf(board.Top, board.Bottom),
				board.MM(0.3), true
		}
	}, place{1, 2, 0}, place{7, 2, 0}, place{4, 0.6, 1}, place{4, 3.4, 1})
	n := &rt.nets[1]
	n.copper.segments = []segment{{a: board.Point{X: 4e6, Y: 2e5}, b: board.Point{X: 4e6, Y: 3.8e6},
		width: 2e5, layer: board.Bottom}}
	rt.commit(n)
	rt.writeCopper()
	if !rt.probePours() || len(rt.pours[0].last.Islands) != 2 {
		t.Fatalf("islands %v before", rt.pours[0].last.Islands)
	}
	rt.connectPours(false)
	if len(rt.pours[0].last.Islands) != 1 || len(rt.nets[0].copper.open) != 0 {
		t.Errorf("islands %v, open %v", rt.pours[0].last.Islands, rt.nets[0].copper.open)
	}
	if rt.countConflicts(&rt.nets[0]) != 0 {
		t.Error("the connection conflicts with the other net")
	}
}

// TestHistorySpread verifies where a conflict at one node adds to the history cost. It is that
// node, and in a long negotiation the 5 by 5 nodes around it. A straight conflict of 20 nodes adds
// the same in both cases on its centre line.
func TestHistorySpread(t *testing.T) {
	for _, c := range []struct {
		long   bool
		radius int
		middle uint16 // history cost at one end of the conflict, for histFac 50
	}{{false, 0, 50}, {true, 2, 50 / 5 * 3}} {
		rt := small(t, 10, 10, topOnly, place{1, 5, 0}, place{9, 5, 0}, place{1, 5.3, 1},
			place{9, 5.3, 1})
		rt.opt.LongNegotiation = c.long
		node := rt.nodeOfMM(t, 4, 5, board.Top)
		p := &rt.grid.maps[rt.nets[0].trackMap]
		var nodes []int32
		for k := range int32(20) {
			nodes = append(nodes, node+k)
			p.cells[node+k].users = 2
		}
		rt.nets[0].copper = netRoute{nodes: nodes, occupied: [][]span{}}
		if n := rt.penalizeConflicts(&rt.nets[0], 50); n != 20 {
			t.Fatalf("%d conflicts", n)
		}
		w := int32(rt.grid.w)
		at := func(dx, dy int32) uint16 { return rt.historyCost[node+dx+dy*w] }
		if got := at(0, 0); got != c.middle {
			t.Errorf("long %t: %d at the end of the conflict", c.long, got)
		}
		for dy := int32(-4); dy <= 4; dy++ {
			want := uint16(0)
			if max(dy, -dy) <= int32(c.radius) {
				want = 50
			}
			if got := at(10, dy); got != want {
				t.Errorf("long %t: %d at %d nodes from the conflict, want %d", c.long, got, dy,
					want)
			}
		}
		if at(-int32(c.radius)-1, 0) != 0 || rt.historyCost[node+int32(rt.grid.size)+10] != 0 {
			t.Errorf("long %t: history beyond the conflict", c.long)
		}
	}
}
