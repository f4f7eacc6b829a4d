package route_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route"
)

// bench returns a board of w by h mm with chips at the given positions [mm] and nets that connect
// their pads. Pins are written as in R1.2, and order lists the parts.
func bench(w, h float64, nets [][]string, parts map[string][2]float64,
	order []string) *board.Board {
	b := &board.Board{Outline: board.Polygon{{}, at(w, 0), at(w, h), at(0, h)}, Rules: rules()}
	netOf := map[string]int{}
	for i, pins := range nets {
		b.Nets = append(b.Nets, board.Net{Name: fmt.Sprintf("N%d", i), Class: "default"})
		for _, p := range pins {
			netOf[p] = i
		}
	}
	for i, ref := range order {
		c := board.Component{Ref: ref, Footprint: chip()}
		b.Parts = append(b.Parts,
			board.Place(c, board.Placement{At: at(parts[ref][0], parts[ref][1])},
				func(pad string) int {
					if n, ok := netOf[ref+"."+pad]; ok {
						b.Nets[n].Pins = append(b.Nets[n].Pins,
							board.PinRef{Component: i, Pad: pad})
						return n
					}
					return board.NoNet
				}))
	}
	return b
}

func mustRoute(t *testing.T, b *board.Board, opt route.Options) route.Result {
	t.Helper()
	res, err := route.Route(context.Background(), b, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations(b) {
		t.Error(v)
	}
	for _, v := range viasInLands(b) {
		t.Error(v)
	}
	if got := islands(b); got != len(res.Unrouted) {
		t.Errorf("%d connections are open in the copper, %d are reported", got, len(res.Unrouted))
	}
	return res
}

// TestStraight verifies that two aligned pads are connected by one straight track of 10 - 1.9 = 8.1
// mm between their centres.
func TestStraight(t *testing.T) {
	b := bench(20, 10, [][]string{{"R1.2", "R2.1"}}, map[string][2]float64{"R1": {5, 5},
		"R2": {15, 5}}, []string{"R1", "R2"})
	res := mustRoute(t, b, route.Options{})
	if len(res.Unrouted) > 0 || len(b.Vias) > 0 {
		t.Fatalf("unrouted %v, vias %v", res.Unrouted, b.Vias)
	}
	if d := board.ToMM(res.Length) - 8.1; d < -0.15 || d > 0.15 {
		t.Errorf("length %.3f mm, want 8.1", board.ToMM(res.Length))
	}
}

// TestCrossing verifies that two crossing nets are completed, on the second layer or by a detour.
func TestCrossing(t *testing.T) {
	b := bench(12, 12, [][]string{{"R1.2", "R2.1"}, {"R3.1", "R4.1"}},
		map[string][2]float64{"R1": {2, 6}, "R2": {10, 6}, "R3": {6.95, 2}, "R4": {6.95, 10}},
		[]string{"R1", "R2", "R3", "R4"})
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
		t.Fatalf("unrouted %v", res.Unrouted)
	}
}

// TestWall verifies that a connection blocked by a keepout on both layers is reported as open. If
// the keepout is on the top layer only, the track passes it on the bottom layer.
func TestWall(t *testing.T) {
	b := bench(20, 10, [][]string{{"R1.2", "R2.1"}}, map[string][2]float64{"R1": {5, 5},
		"R2": {15, 5}}, []string{"R1", "R2"})
	b.Keepouts = []board.Keepout{{Area: board.Rect{Min: at(9, 0), Max: at(11, 10)},
		Layers: []board.Layer{board.Top, board.Bottom}, Tracks: true}}
	res := mustRoute(t, b, route.Options{})
	if len(res.Unrouted) != 1 || res.Unrouted[0].Distance != mm(8.1) {
		t.Fatalf("unrouted %+v, want one connection of 8.1 mm", res.Unrouted)
	}
	b.Keepouts[0].Layers = []board.Layer{board.Top}
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 || len(b.Vias) != 2 {
		t.Errorf("under the wall: unrouted %v, %d vias, want 2", res.Unrouted, len(b.Vias))
	}
}

// TestAwkward verifies that no rule is violated near holes, a rotated part and a pad off the grid.
func TestAwkward(t *testing.T) {
	b := bench(24, 14, [][]string{{"R1.2", "R2.1"}, {"R1.1", "R2.2"}},
		map[string][2]float64{"R1": {5.033, 5.017}, "R2": {18, 9}}, []string{"R1", "R2"})
	c := b.Parts[1]
	nets := map[string]int{"1": 0, "2": 1}
	b.Parts[1] = board.Place(c.Component, board.Placement{At: c.At, Rotation: 33},
		func(p string) int {
			return nets[p]
		})
	b.Holes = []board.Hole{{At: at(12, 7), Diameter: mm(3.2), Keepout: mm(1)}}
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
		t.Errorf("unrouted %v", res.Unrouted)
	}
}

// TestGenerated verifies that generated boards are completed without violations and reproducibly.
func TestGenerated(t *testing.T) {
	for _, n := range []int{12, 24} {
		a, b := placed(t, n, 5, 0.45), placed(t, n, 5, 0.45)
		ra, rb := mustRoute(t, a, route.Options{}), mustRoute(t, b, route.Options{})
		if len(ra.Unrouted) > 0 {
			t.Errorf("%d parts: unrouted %v", n, ra.Unrouted)
		}
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(ra, rb) {
			t.Errorf("%d parts: two runs differ", n)
		}
	}
}

// TestPourLayers verifies that the ground net is connected with two, one and no poured layers.
func TestPourLayers(t *testing.T) {
	for _, layers := range [][]board.Layer{{board.Top, board.Bottom}, {board.Top}, nil} {
		b := placed(t, 20, 3, 0.4)
		b.Rules.PourLayers = layers
		if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
			t.Errorf("layers %v: unrouted %+v", layers, res.Unrouted)
		}
		if len(b.Zones) != len(layers) {
			t.Errorf("layers %v: %d zones", layers, len(b.Zones))
		}
	}
}

// counting is a context that is cancelled at the end-th call of Err, or never if end is 0.
type counting struct {
	context.Context
	end, polls int
}

func (c *counting) Err() error {
	if c.polls++; c.end > 0 && c.polls >= c.end {
		return context.Canceled
	}
	return nil
}

// TestCancel verifies that a cancelled router soon returns the context's error and no copper. A
// search calls Err before its first node and after every 1024 nodes. So each call before the end
// permits at most 1024 nodes, and no node is expanded after the end.
func TestCancel(t *testing.T) {
	b := placed(t, 40, 2, 0.45)
	whole := &counting{Context: context.Background()}
	done, err := route.Route(whole, b, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Tracks, b.Vias, b.Zones = nil, nil, nil
	ended := map[string]int{}
	for n := 1; n < whole.polls; n += 1 + min(n/8, whole.polls/48) {
		ctx, phase := &counting{Context: context.Background(), end: n}, "setup"
		res, err := route.Route(ctx, b, route.Options{Progress: func(p string, _, _ float64) {
			phase = p
		}})
		if !errors.Is(err, context.Canceled) || len(b.Tracks)+len(b.Vias)+len(b.Zones) > 0 {
			t.Fatalf("cancelled at poll %d in %s: error %v, %d tracks", n, phase, err,
				len(b.Tracks))
		}
		if res.NodesExpanded > 1024*n || res.NodesExpanded > done.NodesExpanded {
			t.Errorf("cancelled at poll %d in %s after %d nodes, of %d", n, phase,
				res.NodesExpanded, done.NodesExpanded)
		}
		if more := ctx.polls - n; more > 10 {
			t.Errorf("cancelled at poll %d in %s: %d more polls", n, phase, more)
		}
		ended[phase]++
	}
	t.Logf("%d polls for %d nodes; cancelled in %v", whole.polls, done.NodesExpanded, ended)
	if len(ended) < 5 {
		t.Errorf("cancelled in %v only", ended)
	}
}

// ticking returns a clock that advances by one second per reading and reaches the deadline at its
// n-th reading.
func ticking(n int) (now func() time.Time, deadline time.Time) {
	start := time.Unix(0, 0)
	read := 0
	return func() time.Time {
		read++
		return start.Add(time.Duration(read-1) * time.Second)
	}, start.Add(time.Duration(n) * time.Second)
}

// TestDeadline verifies for many deadlines that the board has no violations and that the reported
// open connections are those of the copper (checked by mustRoute).
func TestDeadline(t *testing.T) {
	whole := placed(t, 8, 2, 0.6)
	reads := 0
	mustRoute(t, whole, route.Options{Deadline: time.Unix(1, 0), Now: func() time.Time {
		reads++
		return time.Unix(0, 0)
	}})
	for n := 0; n < reads*3/2; n += 1 + n/8 {
		b := placed(t, 8, 2, 0.6)
		now, deadline := ticking(n)
		res := mustRoute(t, b, route.Options{Deadline: deadline, Now: now})
		if !res.TimeLimited && n < reads/2 {
			t.Errorf("%d readings: not marked as limited by time", n)
		}
		if n == 0 && len(res.Unrouted) == 0 {
			t.Error("complete without any time")
		}
		if t.Failed() {
			t.Fatalf("at reading %d of %d", n, reads)
		}
	}
}

func TestNoOutline(t *testing.T) {
	if _, err := route.Route(context.Background(), &board.Board{}, route.Options{}); !errors.Is(err,
		route.ErrNoBoard) {
		t.Errorf("error %v", err)
	}
}
