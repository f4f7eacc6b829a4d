package route_test

import (
	"context"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
	"slipstick/autorouter/route"
)

// TestBothSides verifies that a board with parts on the bottom, a chamfered corner and mounting
// holes is routed completely and without violations.
func TestBothSides(t *testing.T) {
	nl, r := circuit(24, 8)
	b, rep, err := place.Place(context.Background(), nl, place.Options{
		Rules: r, Seed: 2, AllowBottom: true,
		Outline: board.Polygon{{}, at(36, 0), at(36, 24), at(30, 30), at(0, 30)},
		Holes: []board.Hole{{At: at(4, 4), Diameter: mm(3.2), Keepout: mm(1)},
			{At: at(4, 26), Diameter: mm(3.2), Keepout: mm(1)}},
	})
	if err != nil || len(rep.Unplaced) > 0 {
		t.Fatal(err, rep)
	}
	below := 0
	for i := range b.Parts {
		if b.Parts[i].Side == board.BottomSide {
			below++
		}
	}
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
		t.Errorf("unrouted %+v", res.Unrouted)
	}
	t.Logf("%d parts at the bottom", below)
}
