package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route/shape"
)

// frontier knows how far each terminal of a net is from the tree that grows.
type frontier struct {
	net     *netState
	dist    []float64 // to the tree's pads and tracks [nm]
	toPad   []float64 // to its pads alone
	partner []int     // the pad that is nearest
}

func newFrontier(n *netState) *frontier {
	f := &frontier{n, make([]float64, len(n.terms)), make([]float64, len(n.terms)), make([]int, len(n.terms))}
	for i := range n.terms {
		f.dist[i], f.toPad[i], f.partner[i] = math.Inf(1), math.Inf(1), -1
	}
	return f
}

// take adds a group to the tree, and the arms from a number on.
func (f *frontier) take(group, from int) {
	n := f.net
	var fresh []int
	for j := range n.terms {
		if n.terms[j].group == group {
			fresh = append(fresh, j)
		}
	}
	for i := range n.terms {
		for _, j := range fresh {
			if d := board.Distance(n.terms[i].at, n.terms[j].at); d < f.toPad[i] {
				f.toPad[i], f.partner[i] = d, j
			}
		}
		f.dist[i] = min(f.dist[i], f.toPad[i])
	}
	for a, arm := range n.copper.arms {
		if a < from && arm.group != group {
			continue
		}
		for _, s := range n.copper.segs[arm.segs:n.copper.ends(a).segs] {
			form := shape.Segment(s.a, s.b, 0)
			for i := range n.terms {
				f.dist[i] = min(f.dist[i], form.To(float64(n.terms[i].at.X), float64(n.terms[i].at.Y)))
			}
		}
	}
}

// nearest is the open terminal closest to the tree, -1 when there is none.
func (f *frontier) nearest(joined, tried []bool) int {
	best := -1
	for i, d := range f.dist {
		if !joined[i] && !tried[i] && (best < 0 || d < f.dist[best]) {
			best = i
		}
	}
	return best
}
