package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/route/shape"
)

// seg is a piece of track on its way to becoming a board.Track.
type seg struct {
	a, b  board.Point
	width int64
	layer board.Layer
}

func (s seg) length() float64 { return board.Distance(s.a, s.b) }

// terminal is a pad to be reached.
type terminal struct {
	part, pad int
	at        board.Point
	shape     shape.Shape
	layers    uint8
	access    []access
	group     int // terminals whose copper touches, or that the pour joins, share a group
}

// access is a node from which a pad is reached, with the off-grid track between them.
type access struct {
	node int32
	stub []seg
}

// wired is the copper of a net, with what the grid needs to take it up again.
type wired struct {
	segs    []seg
	vias    []board.Point
	path    []int32 // nodes of the tracks; those in the narrow plane are negative, -1-node
	drops   []int32 // nodes of the vias
	cover   [][]run // for each plane the nodes that other nets find occupied
	arms    []arm
	missing [][2]int // terminals that could not be joined
	length  float64  // nm
}

// netState is a net while it is routed.
type netState struct {
	index                 int
	terms                 []terminal
	clear                 float64
	width, neck           int64
	viaDiameter, viaDrill int64
	wide, narrow, drop    int // planes
	ground                bool
	extra                 [][2]int // joins asked for after a look at the pour
	copper                wired
	span                  float64 // half perimeter of its pads, for the order
	tree                  float64 // Euclidean minimum spanning tree of its pads [nm]
}

func (rt *router) prepareNets() {
	b := rt.board
	rt.nets = make([]netState, len(b.Nets))
	for i := range b.Nets {
		c := b.Rules.Class(&b.Nets[i])
		n := &rt.nets[i]
		*n = netState{index: i, clear: float64(c.Clearance), width: c.TrackWidth, neck: c.TrackWidth, viaDiameter: c.ViaDiameter, viaDrill: c.ViaDrill}
		if b.Rules.NeckWidth > 0 && b.Rules.NeckWidth < c.TrackWidth && b.Rules.NeckLength > 0 {
			n.neck = b.Rules.NeckWidth
		}
		n.ground = i == b.Rules.GroundNet && len(b.Rules.PourLayers) > 0
	}
}

// preparePlanes makes a plane for each kind of copper in use and paints the standing items.
func (rt *router) preparePlanes() {
	for i := range rt.nets {
		n := &rt.nets[i]
		if len(n.terms) < 2 && !n.ground {
			continue
		}
		n.wide = rt.grid.plane(float64(n.width)/2, n.clear, 0, false)
		n.narrow = rt.grid.plane(float64(n.neck)/2, n.clear, 0, false)
		n.drop = rt.grid.plane(float64(n.viaDiameter)/2, n.clear, float64(n.viaDrill), true)
		box := board.Rect{Min: board.Point{X: math.MaxInt64, Y: math.MaxInt64}, Max: board.Point{X: math.MinInt64, Y: math.MinInt64}}
		for _, t := range n.terms {
			box.Min.X, box.Min.Y = min(box.Min.X, t.at.X), min(box.Min.Y, t.at.Y)
			box.Max.X, box.Max.Y = max(box.Max.X, t.at.X), max(box.Max.Y, t.at.Y)
		}
		n.span = float64(box.Width() + box.Height())
		n.tree = spanning(n.terms)
	}
	for i := range rt.grid.planes {
		if !rt.cancelled() {
			rt.paint(&rt.grid.planes[i])
		}
	}
}

// spanning is the length of the minimum spanning tree of some pads' centres (Prim).
func spanning(terms []terminal) float64 {
	total := 0.0
	far := make([]float64, len(terms))
	for i := range far {
		far[i] = math.Inf(1)
	}
	for at := 0; at >= 0 && at < len(terms); {
		far[at] = -1 // in the tree
		next := -1
		for i := range terms {
			if far[i] < 0 {
				continue
			}
			far[i] = min(far[i], board.Distance(terms[i].at, terms[at].at))
			if next < 0 || far[i] < far[next] {
				next = i
			}
		}
		if next >= 0 {
			total += far[next]
		}
		at = next
	}
	return total
}

// commit makes the copper of a net stand in the way of the others.
func (rt *router) commit(n *netState) {
	w := &n.copper
	w.cover = make([][]run, len(rt.grid.planes))
	for pi := range rt.grid.planes {
		p := &rt.grid.planes[pi]
		rt.rows.reset(2 * rt.grid.h)
		mark := func(s *shape.Shape, need float64, layers uint8) {
			need = need + p.radius
			need += rt.grid.sag(need + s.R)
			width, size := uint32(rt.grid.w), int32(rt.grid.size)
			rt.grid.runs(s, need, func(from, to int32) {
				row := int(uint32(from) / width)
				if p.via || layers&onTop != 0 {
					rt.rows.add(row, run{from, to})
				}
				if !p.via && layers&onBot != 0 {
					rt.rows.add(row+rt.grid.h, run{from + size, to + size})
				}
			})
		}
		clear := max(p.clear, n.clear)
		for _, s := range w.segs {
			form := shape.Segment(s.a, s.b, s.width)
			need := clear
			if p.via {
				need = max(need, p.drill/2+rt.holeClear-p.radius)
			}
			mark(&form, need, 1<<s.layer)
		}
		for _, v := range w.vias {
			form := shape.Disc(v, n.viaDiameter)
			need := max(clear, rt.holeClear+float64(n.viaDrill-n.viaDiameter)/2)
			if p.via {
				need = max(need, float64(n.viaDrill-n.viaDiameter)/2+p.drill/2+rt.holeToHole-p.radius)
			}
			mark(&form, need, onBoth)
		}
		w.cover[pi] = rt.rows.list()
		rt.occupy(p, w.cover[pi], 1)
	}
	w.length = 0
	for _, s := range w.segs {
		w.length += s.length()
	}
}

// occupy adds to how many nets have copper near the nodes of some runs.
func (rt *router) occupy(p *plane, runs []run, by int) {
	total := 0
	for _, r := range runs {
		nodes := p.nodes[r.from : r.to+1]
		for i := range nodes {
			nodes[i].count += uint16(by)
		}
		total += len(nodes)
	}
	rt.opt.Meter.Add(budget.GridNode, total)
}

// putBack makes copper stand again that was lifted as it is.
func (rt *router) putBack(n *netState, w wired) {
	n.copper = w
	for pi, runs := range w.cover {
		rt.occupy(&rt.grid.planes[pi], runs, 1)
	}
}

// lift takes the copper of a net off the grid; the net keeps its record of it.
func (rt *router) lift(n *netState) {
	for pi, runs := range n.copper.cover {
		rt.occupy(&rt.grid.planes[pi], runs, -1)
	}
	n.copper.cover = nil
}

// conflicts counts the nodes of a committed net that other nets' copper comes too near to, and
// adds raise to their history.
func (rt *router) conflicts(n *netState, raise uint16) int {
	if n.copper.cover == nil {
		return 0
	}
	return rt.disputed(n, n.copper.path, n.copper.drops, raise)
}

// disputed does so for some of the nodes.
func (rt *router) disputed(n *netState, path, drops []int32, raise uint16) int {
	total := 0
	wide, narrow, drop := &rt.grid.planes[n.wide], &rt.grid.planes[n.narrow], &rt.grid.planes[n.drop]
	hit := func(node int32) {
		total++
		if h := rt.history[node]; h < 60000 {
			rt.history[node] = h + raise
		}
	}
	for _, node := range path {
		p := wide
		if node < 0 {
			p, node = narrow, -1-node
		}
		if p.nodes[node].count > 1 {
			hit(node)
		}
	}
	for _, node := range drops {
		if drop.nodes[node].count > 1 {
			hit(node)
			hit(node + int32(rt.grid.size))
		}
	}
	return total
}
