package route_test

import (
	"math"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/route"
)

// busBoard returns a board of w by h mm with the nets A to D from a lower to an upper row of pads.
// The upper row, centred at x [mm], is shifted, so the shortest tracks of the nets have different
// lengths.
func busBoard(w, h, x float64, more ...placedPart) *board.Board {
	bus := map[string]int{"1": 2, "2": 3, "3": 4, "4": 5}
	b := pairBoard(w, h, append([]placedPart{{"J1", row(4, 2, 0.5, 1.4), 8, 4, 0, bus},
		{"U1", row(4, 2, 0.5, 1.5), x, h - 6, 90, bus}}, more...)...)
	b.Rules.Pairs = nil
	b.Rules.LengthGroups = []board.LengthGroup{{Nets: []int{2, 3, 4, 5}, Tolerance: mm(0.1)}}
	return b
}

// trackLengths returns the track lengths of the given nets [mm], with 1.6 mm per via.
func trackLengths(b *board.Board, nets ...int) []float64 {
	out := make([]float64, len(nets))
	for i, net := range nets {
		for _, t := range b.Tracks {
			if t.Net == net {
				out[i] += math.Hypot(float64(t.B.X-t.A.X), float64(t.B.Y-t.A.Y)) / 1e6
			}
		}
		for _, v := range b.Vias {
			if v.Net == net {
				out[i] += 1.6
			}
		}
	}
	return out
}

func spread(lengths []float64) float64 {
	lo, hi := math.Inf(1), 0.0
	for _, l := range lengths {
		lo, hi = min(lo, l), max(hi, l)
	}
	return hi - lo
}

// shortestReturn returns the smallest distance [mm] between two points on the centre line of a net.
// The points are on one layer and at least 1 mm apart along the tracks. The tracks of the net must
// form one path from its first pad.
func shortestReturn(b *board.Board, net int, from board.Point) float64 {
	type sample struct {
		x, y, along float64
		layer       board.Layer
	}
	var path []sample
	used, along := map[int]bool{}, 0.0
	for at, found := from, true; found; {
		found = false
		for i, t := range b.Tracks {
			if t.Net != net || used[i] || t.A != at && t.B != at {
				continue
			}
			if t.B == at {
				t.A, t.B = t.B, t.A
			}
			long := math.Hypot(float64(t.B.X-t.A.X), float64(t.B.Y-t.A.Y))
			n := int(long/50e3) + 1
			for k := range n {
				f := float64(k) / float64(n)
				path = append(path, sample{float64(t.A.X) + f*float64(t.B.X-t.A.X),
					float64(t.A.Y) + f*float64(t.B.Y-t.A.Y), along + f*long, t.Layer})
			}
			along += long
			used[i], at, found = true, t.B, true
			break
		}
	}
	least := math.Inf(1)
	for i, p := range path {
		for _, q := range path[:i] {
			if p.layer == q.layer && p.along-q.along > 1e6 {
				least = min(least, math.Hypot(p.x-q.x, p.y-q.y)/1e6)
			}
		}
	}
	return least
}

// TestLengthGroups verifies that the nets of a group have equal lengths and violate no rule, with
// and without a pour between them. Without the group the lengths differ by millimetres.
func TestLengthGroups(t *testing.T) {
	for _, c := range []struct {
		name       string
		w, h, x    float64
		pour, free bool // free: the nets form no group
		most       float64
	}{
		{"no group", 40, 40, 30, false, true, 0},
		{"across", 40, 40, 30, false, false, 0.1},
		{"pour", 40, 40, 30, true, false, 0.1},
		{"narrow", 16, 40, 8, false, false, 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := busBoard(c.w, c.h, c.x, placedPart{"G1", row(1, 1, 1, 1), 2, 2, 0,
				map[string]int{"1": 0}}, placedPart{"G2", row(1, 1, 1, 1), c.w - 2, c.h - 2, 0,
				map[string]int{"1": 0}})
			if c.free {
				b.Rules.LengthGroups = nil
			}
			if c.pour {
				b.Rules.GroundNet, b.Rules.PourLayers = 0, []board.Layer{board.Top}
			}
			res := mustRoute(t, b, route.Options{})
			if len(res.Unrouted) > 0 {
				t.Fatalf("open: %v", res.Unrouted)
			}
			lengths := trackLengths(b, 2, 3, 4, 5)
			t.Logf("%.3f mm, %d tracks", lengths, len(b.Tracks))
			if d := spread(lengths); c.free != (d > 2) || !c.free && d > c.most {
				t.Errorf("the lengths differ by %.3f mm", d)
			}
			for k, net := range []int{2, 3, 4, 5} {
				// Meander legs have a pitch of three track widths of 0.25 mm; the chamfer at the
				// base brings them closer.
				d := shortestReturn(b, net, b.Parts[0].Pads[k].At)
				if d < 0.45 || math.IsInf(d, 0) {
					t.Errorf("net %d comes within %.3f mm of itself", net, d)
				}
			}
			report, err := drc.Check(t.Context(), b)
			if err != nil || !report.Passed {
				t.Errorf("%v, %v", report.Violations, err)
			}
		})
	}
}

// TestLengthGroupWithoutSpace verifies that a net without space for meanders, between two walls at
// its clearance, stays shorter than the other net of its group.
func TestLengthGroupWithoutSpace(t *testing.T) {
	nets := map[string]int{"1": 2, "2": 3}
	wall := func(x float64) placedPart {
		return placedPart{ref: "W", f: row(1, 1, 0.6, 20.4), x: x, y: 15}
	}
	b := pairBoard(20, 30, placedPart{"J1", row(2, 1.2, 0.5, 1), 5, 4, 0, nets},
		placedPart{"U1", row(2, 3, 0.5, 1), 5.9, 26, 0, nets}, wall(3.77), wall(5.03))
	b.Keepouts = []board.Keepout{{Area: board.Rect{Max: at(20, 30)}, Tracks: true, Vias: true,
		Layers: []board.Layer{board.Bottom}}}
	b.Rules.LengthGroups = []board.LengthGroup{{Nets: []int{2, 3}, Tolerance: mm(0.1)}}
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
		t.Fatalf("open: %v", res.Unrouted)
	}
	// The straight net is 22 mm long, and the other net is at least (√2-1)·1.8 mm longer.
	lengths := trackLengths(b, 2, 3)
	if lengths[0] > 22.1 || lengths[1] < 22.74 {
		t.Errorf("%.3f mm", lengths)
	}
}

// TestLengthGroupApart verifies that a net without space for meanders between two neighbours is
// rerouted elsewhere and then matches the length of its group.
func TestLengthGroupApart(t *testing.T) {
	nets := map[string]int{"1": 2, "2": 3, "3": 4}
	long := map[string]int{"1": 5}
	b := pairBoard(50, 40, placedPart{"J1", row(3, 0.65, 0.3, 1), 10, 8, 0, nets},
		placedPart{"U1", row(3, 0.65, 0.3, 1), 10, 32, 0, nets},
		placedPart{"P1", row(1, 1, 1, 1), 20, 3, 0, long},
		placedPart{"P2", row(1, 1, 1, 1), 46, 37, 0, long})
	b.Rules.LengthGroups = []board.LengthGroup{{Nets: []int{3, 5}, Tolerance: mm(0.1)}}
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
		t.Fatalf("open: %v", res.Unrouted)
	}
	if report, err := drc.Check(t.Context(), b); err != nil || report.ErrorCount > 0 {
		t.Errorf("%v, %v", report.Violations, err)
	}
	// Net D spans 26 by 34 mm and is at least 34 + (√2-1)·26 mm long. The shortest track of net B
	// is 24 mm long.
	if got := trackLengths(b, 3, 5); got[1] < 44 || spread(got) > 0.1 {
		t.Errorf("%.3f mm", got)
	}
}
