package route

import (
	"testing"

	"slipstick/autorouter/board"
)

// TestReduceVias verifies that a track that forces three other nets to the bottom layer moves out
// of their way. Each of the three has two vias. No reroute of one net alone is shorter: the detour
// around the track is 30 mm longer, and a pair of vias costs 20 mm.
func TestReduceVias(t *testing.T) {
	rt := small(t, 40, 20, nil, place{3, 10, 0}, place{37, 10, 0}, place{18, 8, 1},
		place{18, 12, 1}, place{20, 8, 2}, place{20, 12, 2}, place{22, 8, 3}, place{22, 12, 3})
	vias := func() (n int) {
		for i := range rt.nets {
			n += len(rt.nets[i].copper.vias)
		}
		return n
	}
	for i := range rt.nets {
		rt.reroute(i, rt.hardQuery())
	}
	if got := vias(); got != 6 {
		t.Fatalf("%d vias before the reduction, want 6", got)
	}
	rt.reduceVias()
	if got := vias(); got != 0 || rt.openCount() > 0 {
		t.Errorf("%d vias, %d open", got, rt.openCount())
	}
	for i := range rt.nets {
		if c := rt.countConflicts(&rt.nets[i]); c > 0 {
			t.Errorf("net %d has %d nodes in conflict", i, c)
		}
	}
}

// TestReduceViasEnds verifies that the reduction changes nothing after the deadline of its phase.
func TestReduceViasEnds(t *testing.T) {
	rt := small(t, 40, 20, nil, place{3, 10, 0}, place{37, 10, 0}, place{18, 8, 1},
		place{18, 12, 1})
	for i := range rt.nets {
		rt.reroute(i, rt.hardQuery())
	}
	before := rt.nets[1].copper
	rt.stopped = true
	rt.reduceVias()
	if !sameOccupied(before.occupied, rt.nets[1].copper.occupied) {
		t.Error("the reduction changes a net after the deadline")
	}
}

// TestReduceViasWithoutTracks verifies that the reduction ends on a board whose cost is 0, such as
// one with coupled pairs only.
func TestReduceViasWithoutTracks(t *testing.T) {
	rt := small(t, 6, 5, nil, place{1, 1, 0}, place{5, 4, 0})
	rt.reduceVias()
	if rt.nodesExpanded > 0 {
		t.Errorf("%d nodes expanded", rt.nodesExpanded)
	}
}

// TestFailedTrials verifies that a trial that failed is repeated only after a change near its net.
// A wall of pads on the top layer leaves the net no way without vias.
func TestFailedTrials(t *testing.T) {
	places := []place{{5, 10, 0}, {35, 10, 0}}
	for y := 1.0; y < 20; y++ {
		places = append(places, place{20, y, 1})
	}
	rt := small(t, 40, 20, nil, places...)
	for i := range rt.nets {
		rt.reroute(i, rt.hardQuery())
	}
	if len(rt.nets[0].copper.vias) == 0 {
		t.Fatal("the net has no vias")
	}
	r := &viaReduction{rt: rt, cost: rt.totalCost(), failed: map[branchTrial]int{},
		maxNodes: 1 << 30}
	expanded := func() int {
		before := rt.nodesExpanded
		r.round(viaReductionCosts()[0])
		return rt.nodesExpanded - before
	}
	if expanded() == 0 {
		t.Error("the first round made no trial")
	}
	r.round(viaReductionCosts()[0]) // tries again where the first round has changed a net
	if expanded() != 0 {
		t.Error("a trial was repeated without a change")
	}
	far := board.Rect{Min: board.Point{X: 36.5e6, Y: 18e6}, Max: board.Point{X: 39e6, Y: 19e6}}
	if r.changed = append(r.changed, far); expanded() != 0 {
		t.Error("a trial was repeated after a change far away")
	}
	near := board.Rect{Min: board.Point{X: 20e6, Y: 10e6}, Max: board.Point{X: 21e6, Y: 11e6}}
	if r.changed = append(r.changed, near); expanded() == 0 {
		t.Error("no trial was made after a change near the net")
	}
}
