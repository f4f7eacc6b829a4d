package footprint

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// setCutouts joins the lines on Edge.Cuts to closed outlines, which become cut-outs of the board.
// It notes lines that remain open and outlines that cannot be cut. An outline around pads with
// copper is that of the board itself, as of a plug-in card, because they cannot be in a cut-out.
func (r *fileReader) setCutouts() {
	var loops []board.Polygon
	open := false
	for len(r.edges) > 0 {
		chain := r.nextChain()
		g := make(board.Polygon, len(chain)-1)
		for i := range g {
			g[i] = nanometres(chain[i])
		}
		switch i, _ := g.Crossing(); {
		case !coincide(chain[0], chain[len(chain)-1]):
			open = true
		case len(g) < 3 || g.Area() == 0 || i >= 0:
			r.note("an outline on Edge.Cuts that crosses itself or has no area is not cut out")
		case slices.ContainsFunc(r.f.Pads, func(p board.FootprintPad) bool {
			return !p.NonPlated && surrounds(g, p)
		}):
			r.note("an outline on Edge.Cuts around pads is left out: give it as outline")
		default:
			loops = append(loops, g)
		}
	}
	if open {
		r.note("lines on Edge.Cuts that form no closed outline are left out")
	}
	slices.SortStableFunc(loops, func(a, b board.Polygon) int {
		return cmp.Compare(math.Abs(b.Area()), math.Abs(a.Area()))
	})
	for _, g := range loops {
		within := func(o board.Polygon) bool { return o.Contains(g[0]) }
		if slices.ContainsFunc(r.drawing.Cutouts, within) {
			r.note("an outline on Edge.Cuts inside a cut-out is left out")
			continue
		}
		r.drawing.Cutouts = append(r.drawing.Cutouts, g)
	}
}

// surrounds reports whether a pad lies in an outline or touches it from within. An outline across a
// pad, which the design rule check reports, does not surround the pad.
func surrounds(g board.Polygon, p board.FootprintPad) bool {
	return !slices.ContainsFunc(outline(p), func(v vec) bool {
		return g.Distance(nanometres(v)) > rounding
	})
}

// nextChain removes a chain from the lines on Edge.Cuts and extends it with the lines that continue
// it. It stops when the chain is closed or no line continues it.
func (r *fileReader) nextChain() []vec {
	chain := slices.Clone(r.edges[0])
	r.edges = r.edges[1:]
	for !coincide(chain[0], chain[len(chain)-1]) {
		end := chain[len(chain)-1]
		next := slices.IndexFunc(r.edges, func(c []vec) bool {
			return coincide(end, c[0]) || coincide(end, c[len(c)-1])
		})
		if next < 0 {
			break
		}
		more := slices.Clone(r.edges[next])
		r.edges = slices.Delete(r.edges, next, next+1)
		if !coincide(end, more[0]) {
			slices.Reverse(more)
		}
		chain = append(chain, more[1:]...)
	}
	return chain
}

// coincide reports whether two ends of lines on Edge.Cuts are the same place, within KiCad's limit
// of 10 µm for gaps in a board outline.
func coincide(a, b vec) bool { return math.Hypot(a.x-b.x, a.y-b.y) <= 10e3 }
