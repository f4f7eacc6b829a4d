package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// addChannels displaces nodes between two neighbouring pads that leave space for one track, if no
// node of the lattice is far enough from both pads. For example, the pads of a SOIC package are
// 0.67 mm apart. A track of 0.25 mm with a clearance of 0.2 mm fits between them only within 0.02
// mm of the middle. A lattice with a pitch of 0.1 mm rarely has a node there.
func (rt *router) addChannels() {
	g := &rt.grid
	spacing := rt.widestChannel()
	var others []int32
	for id := range rt.index.items {
		if rt.cancelled() {
			return
		}
		a := &rt.index.items[id]
		if a.kind != plainCopper || a.via {
			continue
		}
		others = others[:0]
		rt.index.near(a.box.Grown(spacing), func(other int32, b *copperItem) bool {
			if other > int32(id) && b.kind == plainCopper && !b.via {
				others = append(others, other)
			}
			return true
		})
		rt.opt.Meter.Add(budget.ClearanceCheck, len(others))
		for _, other := range others {
			b := &rt.index.items[other]
			for layer := range (a.layers & b.layers & g.all()).All() {
				for _, horizontal := range [2]bool{false, true} {
					if c, ok := newChannel(g, a.box, b.box, layer, horizontal); ok {
						rt.addChannel(c)
					}
				}
			}
		}
	}
	for _, list := range g.shiftRows {
		for _, s := range list {
			flat, layer := g.split(s.node)
			for k := range g.maps {
				p := &g.maps[k]
				if p.via {
					p.cells[flat].fixedNet = blocked // its two ends would be apart
					continue
				}
				p.cells[s.node].fixedNet = rt.fixedAt(p, board.Layer(layer), g.at(s.node),
					s.margin())
			}
		}
	}
}

// widestChannel returns the largest distance [nm] between two pads that addChannels considers,
// apart from the clearances.
func (rt *router) widestChannel() int64 {
	width := 0.0
	for i := range rt.grid.maps {
		if p := &rt.grid.maps[i]; !p.via {
			width = max(width, 2*p.radius)
		}
	}
	return int64(width) + rt.index.reach + 2*rt.grid.pitch
}

// channel is a line of nodes between two pads, in x or y.
type channel struct {
	g          *grid
	layer      board.Layer
	horizontal bool  // whether the line runs along x
	middle     int64 // distance of the line from the origin of its axis [nm]
	line       int   // number of the row or column of nodes closest to the line
	from, to   int   // first and last node between the pads, along the line
}

// newChannel returns the channel between two pads with the bounding boxes a and b. The result is
// false if the pads are not beside each other, or if the channel needs no displaced nodes.
func newChannel(g *grid, a, b board.Rect, layer board.Layer, horizontal bool) (channel, bool) {
	origin, lines, length := g.min, g.w, g.h
	if horizontal {
		swap := func(p board.Point) board.Point { return board.Point{X: p.Y, Y: p.X} }
		a, b = board.Rect{Min: swap(a.Min), Max: swap(a.Max)}, board.Rect{Min: swap(b.Min),
			Max: swap(b.Max)}
		origin, lines, length = swap(origin), g.h, g.w
	}
	if a.Min.X > b.Min.X {
		a, b = b, a
	}
	c := channel{g: g, layer: layer, horizontal: horizontal, middle: (a.Max.X + b.Min.X) / 2}
	c.line = int(math.Round(float64(c.middle-origin.X) / float64(g.pitch)))
	c.from = int((max(a.Min.Y, b.Min.Y) - origin.Y + g.pitch - 1) / g.pitch)
	c.to = int((min(a.Max.Y, b.Max.Y) - origin.Y) / g.pitch)
	return c, a.Max.X < b.Min.X && c.from <= c.to && c.from >= 0 && c.to < length &&
		c.line > 0 && c.line < lines-1 && c.shift() != (board.Point{})
}

// node returns the node with the number i along the line, on a parallel line at a distance of
// beside nodes.
func (c *channel) node(i, beside int) int32 {
	x, y := c.line+beside, i
	if c.horizontal {
		x, y = y, x
	}
	return int32(int(c.layer)*c.g.size + y*c.g.w + x)
}

// shift returns the displacement of the nodes to the middle between the pads.
func (c *channel) shift() board.Point {
	if c.horizontal {
		return board.Point{Y: c.middle - c.g.min.Y - int64(c.line)*c.g.pitch}
	}
	return board.Point{X: c.middle - c.g.min.X - int64(c.line)*c.g.pitch}
}

// contains reports whether the grid has a node with the number i along the line.
func (c *channel) contains(i int) bool {
	return i >= 0 && (c.horizontal && i < c.g.w || !c.horizontal && i < c.g.h)
}

// addChannel displaces the nodes of a channel if a track fits into it, but not at a node.
func (rt *router) addChannel(c channel) {
	g := &rt.grid
	p := rt.channelMap(&c)
	if p == nil {
		return
	}
	add := func(i int, beyondPads bool) bool {
		if !c.contains(i) {
			return false
		}
		s := shift{node: c.node(i, 0), by: c.shift(), beyondPads: beyondPads}
		if g.isShifted(s.node) || beyondPads && p.cells[s.node].fixedNet == unowned ||
			rt.fixedAt(p, c.layer, g.lattice(s.node).Add(s.by), s.margin()) != unowned {
			return false
		}
		g.addShift(s)
		return true
	}
	for i := c.from; i <= c.to; i++ {
		add(i, false)
	}
	for i := c.from - 1; i >= c.from-maxBeyondPads && add(i, true); i-- {
	}
	for i := c.to + 1; i <= c.to+maxBeyondPads && add(i, true); i++ {
	}
}

// maxBeyondPads is the largest number of displaced nodes beyond each end of the pads of a channel.
const maxBeyondPads = 4

// channelMap returns the first track map with space for a track in the middle of a channel, but at
// none of the nodes across it. Without such a map it returns nil.
func (rt *router) channelMap(c *channel) *occupancy {
	i := (c.from + c.to) / 2
	at := rt.grid.lattice(c.node(i, 0)).Add(c.shift())
	for k := range rt.grid.maps {
		p := &rt.grid.maps[k]
		isFree := func(beside int) bool { return p.cells[c.node(i, beside)].fixedNet == unowned }
		if !p.via && !isFree(-1) && !isFree(0) && !isFree(1) &&
			rt.fixedAt(p, c.layer, at, 0) == unowned && rt.board.Outline.Contains(at) {
			return p
		}
	}
	return nil
}

// fixedAt returns the owner of a position in a track map, as rasterizeFixed determines it for a
// node. The margin [nm] is added to that of a straight step.
func (rt *router) fixedAt(p *occupancy, layer board.Layer, at board.Point, margin float64) int16 {
	owner := unowned
	x, y := float64(at.X), float64(at.Y)
	box := board.Rect{Min: at, Max: at}.Grown(int64(p.radius + margin + float64(rt.grid.pitch)))
	near := func(s *geom.Shape, need float64, net int16) {
		need += p.radius
		need += rt.grid.margin(need+s.R)/2 + margin // a straight step has half the square
		if s.To(x, y) >= need-0.5 {
			return
		}
		switch owner {
		case unowned:
			owner = net
		case net:
		default:
			owner = blocked
		}
	}
	rt.index.near(box, func(_ int32, it *copperItem) bool {
		net := int16(it.net)
		if it.net == board.NoNet {
			net = blocked
		}
		switch it.kind {
		case trackKeepout:
			if it.layers.Has(layer) {
				near(&it.shape, 0, blocked)
			}
			return true
		case viaKeepout:
			return true
		case boardEdge, unplatedHole:
			near(&it.shape, it.clearance, blocked)
			return true
		}
		if it.layers.Has(layer) {
			near(&it.shape, it.required(p.clearance, rt.isNeck(p.radius)), net)
			if it.hasHole {
				near(&it.hole, rt.holeClearance, net)
			}
		}
		return true
	})
	return owner
}
