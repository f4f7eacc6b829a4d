package route

import (
	"math"
	"testing"

	"slipstick/autorouter/board"
)

// TestPairDeadEnd verifies that the search for a pair ends at once if a wall ahead of the goal
// leaves no space for the last step. The goal has space at its sides, so a search that ignores the
// direction of the last step expands all states of the board.
func TestPairDeadEnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		walls bool
		ok    bool
		nodes int // largest number of expanded nodes
	}{{"space ahead", false, true, 40_000}, {"wall ahead", true, false, 10}} {
		rt := small(t, 40, 40, func(b *board.Board) {
			topOnly(b)
			wall := board.Rect{Min: board.Point{X: board.MM(5), Y: board.MM(21)},
				Max: board.Point{X: board.MM(35), Y: board.MM(22)}}
			if c.walls {
				b.Keepouts = append(b.Keepouts, board.Keepout{Area: wall, Tracks: true,
					Layers: []board.Layer{board.Top}})
			}
		}, place{19.6, 5, 0}, place{20.4, 5, 1}, place{19.6, 30, 0}, place{20.4, 30, 1})
		ends := pairEnds([2]*netState{&rt.nets[0], &rt.nets[1]})
		p := newCoupler(rt, board.Pair{Negative: 1}, [2]*netState{&rt.nets[0], &rt.nets[1]},
			ends[0], ends[1])
		node := func(x, y float64) int {
			return int((board.MM(y)-p.min.Y)/p.step)*p.w + int((board.MM(x)-p.min.X)/p.step)
		}
		const up = 2
		goal := &fanOut{node: node(20, 20.1), direction: up, side: -1}
		start := &fanOut{node: node(20, 10), direction: up, side: 1}
		if !c.ok { // the nearest node to the wall that has space
			for p.hasSpace(goal.node+p.w, 0) {
				goal.node += p.w
			}
		}
		before := rt.nodesExpanded
		_, _, ok := p.search([]*fanOut{start}, []*fanOut{goal}, math.MaxInt32)
		if n := rt.nodesExpanded - before; ok != c.ok || n > c.nodes {
			t.Errorf("%s: found %t, %d nodes", c.name, ok, n)
		}
	}
}
