package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// segment is a straight piece of a track.
type segment struct {
	a, b  board.Point
	width int64
	layer board.Layer
}

func (s segment) length() float64 { return board.Distance(s.a, s.b) }

// terminal is a pad to connect.
type terminal struct {
	part, pad int
	at        board.Point
	shape     geom.Shape
	layers    uint8
	access    []access
	group     int // terminals whose copper touches, or that the pour connects, share a group
}

// access is a node at which a track enters a pad, with the off-grid stub between them.
type access struct {
	node int32
	stub []segment
}

// netRoute is the routed copper of a net, with the data for ripping it up.
type netRoute struct {
	segments []segment
	vias     []board.Point
	nodes    []int32  // of the tracks; necked ones are stored as -1-node
	viaNodes []int32  // on the top layer
	occupied [][]span // per occupancy map the nodes that other nets find occupied
	branches []branch
	open     [][2]int // pairs of terminals that are not connected
	length   float64  // nm
}

// netState is a net during routing.
type netState struct {
	index                     int
	terms                     []terminal
	clearance                 float64
	trackWidth, neckWidth     int64
	viaDiameter, viaDrill     int64
	trackMap, neckMap, viaMap int // indices of occupancy maps
	ground                    bool
	extraConnections          [][2]int // pad pairs that a probe of the pour requested
	copper                    netRoute
	halfPerimeter             float64 // of the box around its pads [nm], for the net order
	mstLength                 float64 // Euclidean minimum spanning tree of its pads [nm]
}

func (rt *router) prepareNets() {
	b := rt.board
	rt.nets = make([]netState, len(b.Nets))
	for i := range b.Nets {
		c := b.Rules.Class(&b.Nets[i])
		n := &rt.nets[i]
		*n = netState{index: i, clearance: float64(c.Clearance), trackWidth: c.TrackWidth, neckWidth: c.TrackWidth, viaDiameter: c.ViaDiameter, viaDrill: c.ViaDrill}
		if b.Rules.NeckWidth > 0 && b.Rules.NeckWidth < c.TrackWidth && b.Rules.NeckLength > 0 {
			n.neckWidth = b.Rules.NeckWidth
		}
		n.ground = i == b.Rules.GroundNet && len(b.Rules.PourLayers) > 0
	}
}

// prepareMaps creates the occupancy maps in use and rasterizes the fixed items.
func (rt *router) prepareMaps() {
	for i := range rt.nets {
		n := &rt.nets[i]
		if len(n.terms) < 2 && !n.ground {
			continue
		}
		n.trackMap = rt.grid.mapFor(float64(n.trackWidth)/2, n.clearance, 0, false)
		n.neckMap = rt.grid.mapFor(float64(n.neckWidth)/2, n.clearance, 0, false)
		n.viaMap = rt.grid.mapFor(float64(n.viaDiameter)/2, n.clearance, float64(n.viaDrill), true)
		box := board.Rect{Min: board.Point{X: math.MaxInt64, Y: math.MaxInt64}, Max: board.Point{X: math.MinInt64, Y: math.MinInt64}}
		for _, t := range n.terms {
			box.Min.X, box.Min.Y = min(box.Min.X, t.at.X), min(box.Min.Y, t.at.Y)
			box.Max.X, box.Max.Y = max(box.Max.X, t.at.X), max(box.Max.Y, t.at.Y)
		}
		n.halfPerimeter = float64(box.Width() + box.Height())
		n.mstLength = mstLength(n.terms)
	}
	for i := range rt.grid.maps {
		if !rt.cancelled() {
			rt.rasterizeFixed(&rt.grid.maps[i])
		}
	}
}

// mstLength returns the length of the minimum spanning tree of pad centres (Prim) [nm].
func mstLength(terms []terminal) float64 {
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

// commit adds the copper of a net to the occupancy maps.
func (rt *router) commit(n *netState) {
	w := &n.copper
	w.occupied = make([][]span, len(rt.grid.maps))
	for pi := range rt.grid.maps {
		p := &rt.grid.maps[pi]
		rt.spans.reset(2 * rt.grid.h)
		mark := func(s *geom.Shape, need float64, layers uint8) {
			need = need + p.radius
			need += rt.grid.margin(need + s.R)
			width, size := uint32(rt.grid.w), int32(rt.grid.size)
			rt.grid.spans(s, need, func(from, to int32) {
				row := int(uint32(from) / width)
				if p.via || layers&onTop != 0 {
					rt.spans.add(row, span{from, to})
				}
				if !p.via && layers&onBot != 0 {
					rt.spans.add(row+rt.grid.h, span{from + size, to + size})
				}
			})
		}
		clear := max(p.clearance, n.clearance)
		for _, s := range w.segments {
			form := geom.Segment(s.a, s.b, s.width)
			need := clear
			if p.via {
				need = max(need, p.drill/2+rt.holeClearance-p.radius)
			}
			mark(&form, need, 1<<s.layer)
		}
		for _, v := range w.vias {
			form := geom.Disc(v, n.viaDiameter)
			need := max(clear, rt.holeClearance+float64(n.viaDrill-n.viaDiameter)/2)
			if p.via {
				need = max(need, float64(n.viaDrill-n.viaDiameter)/2+p.drill/2+rt.holeToHole-p.radius)
			}
			mark(&form, need, onBoth)
		}
		w.occupied[pi] = rt.spans.list()
		rt.addUsers(p, w.occupied[pi], 1)
	}
	w.length = 0
	for _, s := range w.segments {
		w.length += s.length()
	}
}

// addUsers adds to the number of nets near the nodes of some spans.
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

// restoreRoute puts ripped-up copper back unchanged.
func (rt *router) restoreRoute(n *netState, w netRoute) {
	n.copper = w
	for pi, runs := range w.occupied {
		rt.addUsers(&rt.grid.maps[pi], runs, 1)
	}
}

// ripUp removes the copper of a net from the occupancy maps; the net keeps its record.
func (rt *router) ripUp(n *netState) {
	for pi, runs := range n.copper.occupied {
		rt.addUsers(&rt.grid.maps[pi], runs, -1)
	}
	n.copper.occupied = nil
}

// conflicts returns the number of nodes of a committed net that other nets also occupy, and adds
// histFac to their history cost.
func (rt *router) conflicts(n *netState, histFac uint16) int {
	if n.copper.occupied == nil {
		return 0
	}
	return rt.countConflicts(n, n.copper.nodes, n.copper.viaNodes, histFac)
}

// countConflicts is conflicts for some of the nodes.
func (rt *router) countConflicts(n *netState, nodes, viaNodes []int32, histFac uint16) int {
	total := 0
	trackMap, neckMap, viaMap := &rt.grid.maps[n.trackMap], &rt.grid.maps[n.neckMap], &rt.grid.maps[n.viaMap]
	record := func(node int32) {
		total++
		if h := rt.historyCost[node]; h < 60000 {
			rt.historyCost[node] = h + histFac
		}
	}
	for _, node := range nodes {
		p := trackMap
		if node < 0 {
			p, node = neckMap, -1-node
		}
		if p.cells[node].users > 1 {
			record(node)
		}
	}
	for _, node := range viaNodes {
		if viaMap.cells[node].users > 1 {
			record(node)
			record(node + int32(rt.grid.size))
		}
	}
	return total
}
