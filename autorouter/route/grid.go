package route

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route/shape"
)

// Owners of a node in a plane: no standing copper near, or copper that nobody may come near.
// Any other value is the net whose pads are near, and that net alone may use the node.
const (
	nobody  int16 = -1
	blocked int16 = -2
)

// plane is the routing grid as one kind of copper sees it: the nodes where the centre of a track
// of this half width, or of this via, may lie. A track plane has two layers, a via plane one.
type plane struct {
	radius, clear, drill float64 // nm; drill 0 for tracks
	via                  bool
	nodes                []usage
}

// usage of a node: whose standing copper is near, and how many nets have routed copper too near.
type usage struct {
	owner int16
	count uint16
}

// grid is the uniform lattice of nodes; node (i,j) lies at (i·step, j·step) from the origin.
type grid struct {
	step   int64
	min    board.Point
	w, h   int
	size   int // nodes of one layer
	planes []plane
}

func (g *grid) at(node int32) board.Point {
	n := int(node) % g.size
	return board.Point{X: g.min.X + int64(n%g.w)*g.step, Y: g.min.Y + int64(n/g.w)*g.step}
}

func (g *grid) layer(node int32) board.Layer {
	if int(node) >= g.size {
		return board.Bottom
	}
	return board.Top
}

// sag is what a straight step between two nodes may come closer to a corner than its ends: for a
// step s and a distance d it is s²/8d. Adding it to every rule makes checks at nodes sufficient.
func (g *grid) sag(need float64) float64 {
	s := float64(g.step) * math.Sqrt2
	return s * s / (8 * max(need, float64(g.step)))
}

func (g *grid) plane(radius, clear, drill float64, via bool) int {
	for i, p := range g.planes {
		if p.radius == radius && p.clear == clear && p.drill == drill && p.via == via {
			return i
		}
	}
	n := 2 * g.size
	if via {
		n = g.size
	}
	p := plane{radius: radius, clear: clear, drill: drill, via: via, nodes: make([]usage, n)}
	for i := range p.nodes {
		p.nodes[i].owner = nobody
	}
	g.planes = append(g.planes, p)
	return len(g.planes) - 1
}

// each calls yield for every node nearer than dist to the shape.
func (g *grid) each(s *shape.Shape, dist float64, yield func(node int32)) {
	g.runs(s, dist, func(from, to int32) {
		for node := from; node <= to; node++ {
			yield(node)
		}
	})
}

// runs calls yield for the stretches of rows, first and last node, that are nearer than dist to the
// shape.
func (g *grid) runs(s *shape.Shape, dist float64, yield func(from, to int32)) {
	box := s.Bounds().Grown(int64(dist) + 1)
	i0, j0 := max(0, int((box.Min.X-g.min.X)/g.step)), max(0, int((box.Min.Y-g.min.Y)/g.step))
	i1, j1 := min(g.w-1, int((box.Max.X-g.min.X)/g.step)+1), min(g.h-1, int((box.Max.Y-g.min.Y)/g.step)+1)
	if s.N <= 2 {
		g.rows(s, dist, i0, j0, i1, j1, yield)
		return
	}
	for j := j0; j <= j1; j++ {
		y := float64(g.min.Y + int64(j)*g.step)
		for i := i0; i <= i1; i++ {
			if s.To(float64(g.min.X+int64(i)*g.step), y) < dist-0.5 {
				yield(int32(j*g.w+i), int32(j*g.w+i))
			}
		}
	}
}

// rows fills a swept segment row by row: a long diagonal has a large box and few nodes.
func (g *grid) rows(s *shape.Shape, dist float64, i0, j0, i1, j1 int, yield func(from, to int32)) {
	r := s.R + dist - 0.5
	if r <= 0 {
		return
	}
	a, b := s.P[0], s.P[s.N-1]
	dx, dy := b.X-a.X, b.Y-a.Y
	length := math.Hypot(dx, dy)
	var side [4]shape.Vec
	if length > 0 {
		nx, ny := -dy/length*r, dx/length*r
		side = [4]shape.Vec{{X: a.X + nx, Y: a.Y + ny}, {X: b.X + nx, Y: b.Y + ny}, {X: b.X - nx, Y: b.Y - ny}, {X: a.X - nx, Y: a.Y - ny}}
	}
	for j := j0; j <= j1; j++ {
		y := float64(g.min.Y + int64(j)*g.step)
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, c := range [2]shape.Vec{a, b} {
			if d := r*r - (y-c.Y)*(y-c.Y); d > 0 {
				d = math.Sqrt(d)
				lo, hi = min(lo, c.X-d), max(hi, c.X+d)
			}
		}
		if length > 0 {
			for k := range side {
				p, q := side[k], side[(k+1)&3]
				if (p.Y > y) != (q.Y > y) {
					x := p.X + (y-p.Y)/(q.Y-p.Y)*(q.X-p.X)
					lo, hi = min(lo, x), max(hi, x)
				}
			}
		}
		if lo > hi {
			continue
		}
		from := max(i0, int(math.Ceil((lo-float64(g.min.X))/float64(g.step))))
		to := min(i1, int(math.Floor((hi-float64(g.min.X))/float64(g.step))))
		if from <= to {
			yield(int32(j*g.w+from), int32(j*g.w+to))
		}
	}
}

func (p *plane) claim(node int32, net int16) {
	switch u := &p.nodes[node]; u.owner {
	case nobody:
		u.owner = net
	case net:
	default:
		u.owner = blocked
	}
}

// paint marks in plane p the nodes that the standing items forbid.
func (rt *router) paint(p *plane) {
	g := &rt.grid
	mark := func(s *shape.Shape, need float64, layers uint8, net int16) {
		need += p.radius
		need += g.sag(need + s.R)
		g.each(s, need, func(node int32) {
			if p.via || layers&onTop != 0 {
				p.claim(node, net)
			}
			if !p.via && layers&onBot != 0 {
				p.claim(node+int32(g.size), net)
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
		case noTracks:
			if !p.via {
				mark(&it.s, 0, it.layers, blocked)
			}
			continue
		case noVias:
			if p.via {
				mark(&it.s, 0, it.layers, blocked)
			}
			continue
		case edgeLine, plainHole:
			need := it.clear
			if it.kind == plainHole && p.via {
				need = max(need, p.drill/2+rt.holeToHole-p.radius)
			}
			mark(&it.s, need, onBoth, blocked)
			continue
		}
		need := max(p.clear, it.clear)
		if p.via {
			need = max(need, p.drill/2+rt.holeClear-p.radius)
			if it.hasBore {
				mark(&it.bore, p.drill/2+rt.holeToHole-p.radius, onBoth, blocked)
			} else if !it.thermal {
				mark(&it.s, 0, it.layers, blocked)
			}
		}
		mark(&it.s, need, it.layers, net)
		if it.hasBore {
			mark(&it.bore, rt.holeClear, onBoth, net)
		}
	}
	rt.outside(p)
}

// outside blocks the nodes that are not within the outline, by even-odd crossings of each row.
func (rt *router) outside(p *plane) {
	g := &rt.grid
	outline := rt.board.Outline
	var cuts []float64
	for j := range g.h {
		if j&31 == 0 && rt.cancelled() {
			return
		}
		y := float64(g.min.Y + int64(j)*g.step)
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
			x := float64(g.min.X + int64(i)*g.step)
			for k < len(cuts) && cuts[k] <= x {
				k++
			}
			if k&1 == 1 {
				continue
			}
			node := j*g.w + i
			p.nodes[node].owner = blocked
			if !p.via {
				p.nodes[node+g.size].owner = blocked
			}
		}
	}
}
