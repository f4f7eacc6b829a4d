package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// commit adds the copper of a net to the occupancy maps and updates the track length of the net.
func (rt *router) commit(n *netState) {
	w := &n.copper
	w.occupied = make([][]span, len(rt.grid.maps))
	for pi := range rt.grid.maps {
		p := &rt.grid.maps[pi]
		rt.spans.reset(rt.grid.layers * rt.grid.h)
		mark := func(s *geom.Shape, need float64, layers board.LayerSet) {
			need = need + p.radius
			need += rt.grid.margin(need + s.R)
			width, size := uint32(rt.grid.w), int32(rt.grid.size)
			rt.grid.spans(s, need, func(from, to int32) {
				row := int(uint32(from) / width)
				if p.via {
					rt.spans.add(row, span{from, to})
					return
				}
				// A plain loop is used because an iterator would allocate per span.
				for l := range rt.grid.layers {
					if layers.Has(board.Layer(l)) {
						base := int32(l) * size
						rt.spans.add(row+l*rt.grid.h, span{from + base, to + base})
					}
				}
			})
			if p.via || rt.grid.shiftRows == nil {
				return
			}
			for l := range rt.grid.layers {
				if layers.Has(board.Layer(l)) {
					rt.grid.eachShifted(s, need, l, func(row int, node int32) {
						rt.spans.add(row, span{node, node})
					})
				}
			}
		}
		clear := max(p.clearance, n.clearance)
		for _, s := range w.segments {
			form := geom.Segment(s.a, s.b, s.width)
			need := clear
			if p.via {
				need = max(need, p.drill/2+rt.holeClearance-p.radius)
			}
			mark(&form, need, s.layer.Bit())
		}
		for _, v := range w.vias {
			form := geom.Disc(v, n.viaDiameter)
			need := max(clear, rt.holeClearance+float64(n.viaDrill-n.viaDiameter)/2)
			if p.via {
				need = max(need,
					float64(n.viaDrill-n.viaDiameter)/2+p.drill/2+rt.holeToHole-p.radius)
			}
			mark(&form, need, rt.layers)
		}
		w.occupied[pi] = rt.spans.list()
		rt.addUsers(p, w.occupied[pi], 1)
	}
	w.length = 0
	for _, s := range w.segments {
		w.length += s.length()
	}
}

// addUsers changes the user count of every node in the given spans by the amount by, which may be
// negative.
func (rt *router) addUsers(p *occupancy, runs []span, by int) {
	total := 0
	for _, r := range runs {
		nodes := p.cells[r.from : r.to+1]
		for i := range nodes {
			nodes[i].users += uint16(by)
		}
		total += len(nodes)
	}
	rt.opt.Meter.Add(budget.GridNode, total)
}

// restoreRoute gives a ripped-up net the copper w and restores its occupancy.
func (rt *router) restoreRoute(n *netState, w netRoute) {
	n.copper = w
	for pi, runs := range w.occupied {
		rt.addUsers(&rt.grid.maps[pi], runs, 1)
	}
}

// ripUp removes the copper of a net from the occupancy maps; n.copper itself stays.
func (rt *router) ripUp(n *netState) {
	for pi, runs := range n.copper.occupied {
		rt.addUsers(&rt.grid.maps[pi], runs, -1)
	}
	n.copper.occupied = nil
}

// countConflicts returns the number of nodes of a committed net that other nets also occupy.
func (rt *router) countConflicts(n *netState) int { return rt.penalizeConflicts(n, 0) }

// penalizeConflicts adds histFac [1/64 of the step cost] to the history cost of the nodes of a
// committed net that other nets also occupy. It returns the number of these nodes.
func (rt *router) penalizeConflicts(n *netState, histFac uint16) int {
	if n.copper.occupied == nil {
		return 0
	}
	total := 0
	rt.eachConflict(n, n.copper.nodes, n.copper.viaNodes, func(node int32) {
		total++
		rt.addHistory(node, histFac)
	})
	return total
}

// eachConflict calls yield for each of the given nodes of a net that other nets also occupy. A via
// is in conflict on all layers.
func (rt *router) eachConflict(n *netState, nodes, viaNodes []int32, yield func(node int32)) {
	trackMap, neckMap, viaMap := &rt.grid.maps[n.trackMap], &rt.grid.maps[n.neckMap],
		&rt.grid.maps[n.viaMap]
	for _, node := range nodes {
		p := trackMap
		if node < 0 {
			p, node = neckMap, -1-node
		}
		if p.cells[node].users > 1 {
			yield(node)
		}
	}
	for _, node := range viaNodes {
		if viaMap.cells[node].users > 1 {
			for l := range int32(rt.grid.layers) {
				yield(node + l*int32(rt.grid.size))
			}
		}
	}
}

// addHistory adds histFac [1/64 of the step cost] to the history cost of a node in conflict. A long
// negotiation spreads it over the nodes within historyRadius. A conflict is as wide as the track
// spacing. A track that avoids only the nodes on its centre line shifts by one node in each
// iteration and stays in conflict.
func (rt *router) addHistory(node int32, histFac uint16) {
	if histFac == 0 {
		return
	}
	radius := 0
	if rt.opt.LongNegotiation {
		radius = historyRadius
	}
	// The conflicts of a straight track add up to histFac at each node of the strip.
	histFac /= uint16(2*radius + 1)
	g := &rt.grid
	flat, layer := g.split(node)
	x, y := int(flat)%g.w, int(flat)/g.w
	left, right := max(0, x-radius), min(g.w-1, x+radius)
	for row := max(0, y-radius); row <= min(g.h-1, y+radius); row++ {
		base := int(layer)*g.size + row*g.w
		for at := base + left; at <= base+right; at++ {
			if h := rt.historyCost[at]; h < 60000 {
				rt.historyCost[at] = h + histFac
			}
		}
	}
}

func (rt *router) snapshot() []netRoute {
	saved := make([]netRoute, len(rt.nets))
	for k := range rt.nets {
		saved[k] = rt.nets[k].copper
	}
	return saved
}

// restoreAll restores a snapshot; it skips nets with unchanged occupancy.
func (rt *router) restoreAll(saved []netRoute) {
	for k := range saved {
		n := &rt.nets[k]
		if sameOccupied(n.copper.occupied, saved[k].occupied) {
			continue
		}
		rt.ripUp(n)
		rt.restoreRoute(n, saved[k])
	}
}

func sameOccupied(a, b [][]span) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
