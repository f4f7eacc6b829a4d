package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// sinkDistances holds the distance of each terminal of a net from the growing tree.
type sinkDistances struct {
	net        *netState
	dist       []float64 // distance to the tree's pads and tracks [nm]
	padDist    []float64 // distance to the tree's pads only [nm]
	nearestPad []int     // terminal index of the closest pad in the tree, -1 if there is none
}

func newSinkDistances(n *netState) *sinkDistances {
	f := &sinkDistances{n, make([]float64, len(n.terms)), make([]float64, len(n.terms)),
		make([]int, len(n.terms))}
	for i := range n.terms {
		f.dist[i], f.padDist[i], f.nearestPad[i] = math.Inf(1), math.Inf(1), -1
	}
	return f
}

// addGroup adds the terminals and branches of a group to the tree, and all branches with an index
// of at least from.
func (f *sinkDistances) addGroup(group, from int) {
	n := f.net
	var fresh []int
	for j := range n.terms {
		if n.terms[j].group == group {
			fresh = append(fresh, j)
		}
	}
	for i := range n.terms {
		for _, j := range fresh {
			if d := board.Distance(n.terms[i].at, n.terms[j].at); d < f.padDist[i] {
				f.padDist[i], f.nearestPad[i] = d, j
			}
		}
		f.dist[i] = min(f.dist[i], f.padDist[i])
	}
	for a, arm := range n.copper.branches {
		if a < from && arm.group != group {
			continue
		}
		for _, s := range n.copper.segments[arm.segments:n.copper.branchEnd(a).segments] {
			form := geom.Segment(s.a, s.b, 0)
			for i := range n.terms {
				f.dist[i] = min(f.dist[i], form.To(float64(n.terms[i].at.X),
					float64(n.terms[i].at.Y)))
			}
		}
	}
}

// nearest returns the terminal closest to the tree that is neither joined nor tried, or -1 if there
// is none.
func (f *sinkDistances) nearest(joined, tried []bool) int {
	best := -1
	for i, d := range f.dist {
		if !joined[i] && !tried[i] && (best < 0 || d < f.dist[best]) {
			best = i
		}
	}
	return best
}
