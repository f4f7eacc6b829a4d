package electrical

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// copper is the connectivity graph of one net. Its nodes are the pads, vias, tracks and pour
// fragments.
type copper struct {
	nodes   []node
	touches [][]int
	vias    map[int]int // maps a via index of the board to a node index
	sources []source
}

type node struct {
	shape  geom.Shape
	layers board.LayerSet
	ends   []board.Point // points at which the node connects to a pour
	piece  *geom.Region  // filled area of a pour fragment; nil for other nodes
}

// source is a pad that carries direct current. Its current is limited to that of a track as wide as
// the shorter side of the pad.
type source struct {
	node    int
	current float64 // largest current through the pad [A]
}

// copperOf returns the connectivity graph of a net.
func (c *completion) copperOf(net int) *copper {
	s, g := c.space, &copper{vias: map[int]int{}}
	for i := range s.b.Parts {
		part := &s.b.Parts[i]
		for k := range part.Pads {
			if p := &part.Pads[k]; p.Net == net {
				if !part.IsCapacitor() { // a capacitor carries no direct current
					current := trackCurrent(min(p.Width, p.Height), c.copperOz, c.riseC)
					g.sources = append(g.sources, source{len(g.nodes), current})
				}
				g.nodes = append(g.nodes, node{p.Copper(0), p.Layers, []board.Point{p.At}, nil})
			}
		}
	}
	for i, v := range s.b.Vias {
		if v.Net == net {
			g.vias[i] = len(g.nodes)
			g.nodes = append(g.nodes, node{geom.Disc(v.At, v.Diameter), s.b.ViaLayers(&v),
				[]board.Point{v.At}, nil})
		}
	}
	for _, t := range s.b.Tracks {
		if t.Net == net {
			g.nodes = append(g.nodes, node{geom.Segment(t.A, t.B, t.Width), t.Layer.Bit(),
				[]board.Point{t.A, t.B}, nil})
		}
	}
	for i, z := range s.b.Zones {
		if z.Net == net {
			for _, piece := range s.fills[i] {
				g.nodes = append(g.nodes, node{layers: z.Layer.Bit(), piece: piece})
			}
		}
	}
	g.touches = make([][]int, len(g.nodes))
	for i := range g.nodes {
		for k := range i {
			if g.nodes[i].touches(&g.nodes[k]) {
				g.touches[i] = append(g.touches[i], k)
			}
		}
	}
	return g
}

// touches reports whether two nodes share copper. If one of them is a pour fragment, it must be n.
func (n *node) touches(o *node) bool {
	switch {
	case n.layers&o.layers == 0 || o.piece != nil:
		return false
	case n.piece == nil:
		return geom.Distance(&n.shape, &o.shape) <= 0
	}
	for _, p := range o.ends {
		if n.piece.Contains(geom.VecOf(p)) {
			return true
		}
	}
	return false
}

// current returns the largest direct current [A] through a set of vias, given by their indices. It
// is at most the declared current of the net [A]. Removing the vias splits the copper into separate
// parts. The current is the largest that the pads of one part can exchange with all other parts.
func (g *copper) current(of map[int]bool, declared float64) float64 {
	sets := geom.NewUnionFind(len(g.nodes))
	removed := map[int]bool{}
	for v := range of {
		removed[g.vias[v]] = true
	}
	for i, list := range g.touches {
		for _, k := range list {
			if !removed[i] && !removed[k] {
				sets.Union(i, k)
			}
		}
	}
	total, pieces := 0.0, map[int]float64{}
	for _, p := range g.sources {
		total += p.current
		pieces[sets.Find(p.node)] += p.current
	}
	most := 0.0
	for _, p := range pieces {
		most = max(most, min(p, total-p, declared))
	}
	return most
}
