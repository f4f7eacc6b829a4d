package route

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// rasterizeFixed marks the nodes of map p that fixed items block.
func (rt *router) rasterizeFixed(p *occupancy) {
	g := &rt.grid
	mark := func(s *geom.Shape, need float64, layers board.LayerSet, net int16) {
		need += p.radius
		need += g.margin(need + s.R)
		g.eachNode(s, need, func(node int32) {
			if p.via {
				p.reserve(node, net)
				return
			}
			for l := range g.layers { // a plain loop, because an iterator would allocate per node
				if layers.Has(board.Layer(l)) {
					p.reserve(node+int32(l*g.size), net)
				}
			}
		})
	}
	for i := range rt.index.items {
		if rt.cancelled() {
			return
		}
		it := &rt.index.items[i]
		net := int16(it.net)
		if it.net == board.NoNet {
			net = blocked
		}
		switch it.kind {
		case trackKeepout:
			if !p.via {
				mark(&it.shape, 0, it.layers, blocked)
			}
			continue
		case viaKeepout:
			if p.via {
				mark(&it.shape, 0, it.layers, blocked)
			}
			continue
		case boardEdge, unplatedHole:
			need := it.clearance
			if it.kind == unplatedHole && p.via {
				need = max(need, p.drill/2+rt.holeToHole-p.radius)
			}
			mark(&it.shape, need, rt.layers, blocked)
			continue
		}
		need := it.required(p.clearance, !p.via && rt.isNeck(p.radius))
		if p.via {
			need = max(need, p.drill/2+rt.holeClearance-p.radius)
			if it.hasHole {
				mark(&it.hole, p.drill/2+rt.holeToHole-p.radius, rt.layers, blocked)
			} else if !it.thermalPad {
				mark(&it.shape, 0, it.layers, blocked)
			}
		}
		mark(&it.shape, need, it.layers, net)
		if it.hasHole {
			mark(&it.hole, rt.holeClearance, rt.layers, net)
		}
	}
	rt.blockOutside(p)
}

// blockOutside blocks the nodes outside the board outline, using the even-odd rule per row.
func (rt *router) blockOutside(p *occupancy) {
	g := &rt.grid
	outline := rt.board.Outline
	var cuts []float64
	for j := range g.h {
		if j&31 == 0 && rt.cancelled() {
			return
		}
		y := float64(g.min.Y + int64(j)*g.pitch)
		cuts = cuts[:0]
		for i, a := range outline {
			b := outline[(i+1)%len(outline)]
			if (float64(a.Y) > y) != (float64(b.Y) > y) {
				cuts = append(cuts, float64(a.X)+(y-float64(a.Y))/float64(b.Y-a.Y)*float64(b.X-a.X))
			}
		}
		slices.Sort(cuts)
		k := 0
		for i := range g.w {
			x := float64(g.min.X + int64(i)*g.pitch)
			for k < len(cuts) && cuts[k] <= x {
				k++
			}
			if k&1 == 1 {
				continue
			}
			node := j*g.w + i
			for ; node < len(p.cells); node += g.size {
				p.cells[node].fixedNet = blocked
			}
		}
	}
}

func (rt *router) prepareNets() {
	b := rt.board
	rt.nets = make([]netState, len(b.Nets))
	for i := range b.Nets {
		c := b.Rules.Class(&b.Nets[i])
		n := &rt.nets[i]
		*n = netState{index: i, clearance: float64(c.Clearance), trackWidth: c.TrackWidth,
			neckWidth: c.TrackWidth, viaDiameter: c.ViaDiameter, viaDrill: c.ViaDrill}
		if b.Rules.NeckWidth > 0 && b.Rules.NeckWidth < c.TrackWidth && b.Rules.NeckLength > 0 {
			n.neckWidth = b.Rules.NeckWidth
		}
	}
}

// mapsPerNode returns the number of cells that all occupancy maps together have per grid position.
func (rt *router) mapsPerNode(layers int) int {
	type key struct {
		radius, drill int64
		clearance     float64
		via           bool
	}
	maps := map[key]bool{}
	for i := range rt.nets {
		n := &rt.nets[i]
		if len(n.terms) < 2 && n.pour == nil {
			continue
		}
		maps[key{n.trackWidth, 0, n.clearance, false}] = true
		maps[key{n.neckWidth, 0, n.clearance, false}] = true
		maps[key{n.viaDiameter, n.viaDrill, n.clearance, true}] = true
	}
	cells := 0
	for k := range maps {
		if k.via {
			cells++
		} else {
			cells += layers
		}
	}
	return cells
}

// prepareMaps creates the occupancy maps of all nets to route and rasterizes the fixed items into
// them.
func (rt *router) prepareMaps() {
	for i := range rt.nets {
		n := &rt.nets[i]
		if len(n.terms) < 2 && n.pour == nil {
			continue
		}
		n.trackMap = rt.grid.mapFor(float64(n.trackWidth)/2, n.clearance, 0, false)
		n.neckMap = rt.grid.mapFor(float64(n.neckWidth)/2, n.clearance, 0, false)
		n.viaMap = rt.grid.mapFor(float64(n.viaDiameter)/2, n.clearance, float64(n.viaDrill), true)
		box := board.Rect{Min: board.Point{X: math.MaxInt64, Y: math.MaxInt64},
			Max: board.Point{X: math.MinInt64, Y: math.MinInt64}}
		for _, t := range n.terms {
			box.Min.X, box.Min.Y = min(box.Min.X, t.at.X), min(box.Min.Y, t.at.Y)
			box.Max.X, box.Max.Y = max(box.Max.X, t.at.X), max(box.Max.Y, t.at.Y)
		}
		n.halfPerimeter = float64(box.Width() + box.Height())
		n.mstLength = rt.mstLength(n.terms)
	}
	for i := range rt.grid.maps {
		if !rt.cancelled() {
			rt.rasterizeFixed(&rt.grid.maps[i])
		}
	}
	// In a long negotiation the displaced nodes left more nets in conflict (362 instead of 371 of
	// 372 connections on the hardest board of BenchmarkScattered).
	if !rt.opt.LongNegotiation {
		rt.addChannels()
	}
}

// mstLength returns the length of the minimum spanning tree of pad centres (Prim) [nm]. If the run
// is cancelled, the tree is incomplete.
func (rt *router) mstLength(terms []terminal) float64 {
	total := 0.0
	far := make([]float64, len(terms))
	for i := range far {
		far[i] = math.Inf(1)
	}
	for at := 0; at >= 0 && at < len(terms) && !rt.cancelled(); {
		far[at] = -1 // marks the terminal as connected
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
