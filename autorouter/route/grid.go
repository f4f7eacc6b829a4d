package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Special values of cell.fixedNet: unowned means that no fixed copper is near, and blocked that no
// net may use the node. Any other value is the index of the only net that may use the node, because
// its fixed copper is near.
const (
	unowned int16 = -1
	blocked int16 = -2
)

// occupancy records where the centre of a track or via may lie, for one combination of half width
// and clearance. Track maps have the layers of the grid; via maps have a single layer.
type occupancy struct {
	radius, clearance, drill float64 // [nm]; the drill diameter is 0 in track maps
	via                      bool
	cells                    []cell
}

// cell is one node of an occupancy map. It holds the net of the nearby fixed copper and the number
// of nets with routed copper nearby.
type cell struct {
	fixedNet int16
	users    uint16
}

// shift is the displacement of a node from the lattice, at most half the pitch along one axis.
type shift struct {
	node       int32
	by         board.Point
	beyondPads bool // whether the node lies beyond the ends of the two pads
}

// margin returns the distance [nm] by which a step to or from a displaced node can come closer to
// other copper than its ends. The margin of the grid is additional. Between the pads, the steps run
// along the pads. Beyond them they leave the channel with a knee.
func (s *shift) margin() float64 {
	if !s.beyondPads {
		return 0
	}
	return float64(max(abs(s.by.X), abs(s.by.Y))) / 2
}

// grid is a uniform lattice: node (i, j) lies at (i·pitch, j·pitch) from min.
type grid struct {
	pitch  int64
	min    board.Point
	w, h   int
	size   int // nodes per layer
	layers int // number of layers with tracks
	maps   []occupancy
	// shifts has the index of each displaced node in its row of shiftRows; see addChannels. The
	// rows of all layers follow each other.
	shifts    map[int32]int
	shiftRows [][]shift
}

// at returns the position of a node.
func (g *grid) at(node int32) board.Point {
	p := g.lattice(node)
	if k, ok := g.shifts[node]; ok {
		flat, layer := g.split(node)
		return p.Add(g.shiftRows[int(flat)/g.w+int(layer)*g.h][k].by)
	}
	return p
}

// lattice returns the position of a node without its displacement.
func (g *grid) lattice(node int32) board.Point {
	n := int(node) % g.size
	return board.Point{X: g.min.X + int64(n%g.w)*g.pitch, Y: g.min.Y + int64(n/g.w)*g.pitch}
}

// split returns the node at the same position on the top layer, and the layer of the node.
func (g *grid) split(node int32) (flat, layer int32) {
	size := int32(g.size)
	for flat = node; flat >= size; flat -= size {
		layer++
	}
	return flat, layer
}

func (g *grid) layer(node int32) board.Layer {
	return board.Layer(int(node) / g.size)
}

// all returns the set of all layers of the grid.
func (g *grid) all() board.LayerSet { return 1<<g.layers - 1 }

// margin returns the distance [nm] by which a straight step can come closer to a corner than its
// two end nodes. It is s²/8d for a step length s and a required distance d. Rules enlarged by this
// margin need checks at nodes only.
func (g *grid) margin(need float64) float64 {
	s := float64(g.pitch) * math.Sqrt2
	return s * s / (8 * max(need, float64(g.pitch)))
}

func (g *grid) mapFor(radius, clear, drill float64, via bool) int {
	for i, p := range g.maps {
		if p.radius == radius && p.clearance == clear && p.drill == drill && p.via == via {
			return i
		}
	}
	n := g.layers * g.size
	if via {
		n = g.size
	}
	p := occupancy{radius: radius, clearance: clear, drill: drill, via: via, cells: make([]cell, n)}
	for i := range p.cells {
		p.cells[i].fixedNet = unowned
	}
	g.maps = append(g.maps, p)
	return len(g.maps) - 1
}

// eachNode calls yield for every node of the top layer that is closer than dist [nm] to the shape.
func (g *grid) eachNode(s *geom.Shape, dist float64, yield func(node int32)) {
	g.spans(s, dist, func(from, to int32) {
		for node := from; node <= to; node++ {
			yield(node)
		}
	})
}

// spans calls yield with the first and last node of spans that together contain the nodes closer
// than dist [nm] to the shape. Each span lies within one row. The nodes are on the top layer.
func (g *grid) spans(s *geom.Shape, dist float64, yield func(from, to int32)) {
	box := s.Bounds().Grown(int64(dist) + 1)
	i0, j0 := max(0, int((box.Min.X-g.min.X)/g.pitch)), max(0, int((box.Min.Y-g.min.Y)/g.pitch))
	i1, j1 := min(g.w-1, int((box.Max.X-g.min.X)/g.pitch)+1),
		min(g.h-1, int((box.Max.Y-g.min.Y)/g.pitch)+1)
	if s.N <= 2 {
		g.segmentSpans(s, dist, i0, j0, i1, j1, yield)
		return
	}
	for j := j0; j <= j1; j++ {
		y := float64(g.min.Y + int64(j)*g.pitch)
		for i := i0; i <= i1; i++ {
			if s.To(float64(g.min.X+int64(i)*g.pitch), y) < dist-0.5 {
				yield(int32(j*g.w+i), int32(j*g.w+i))
			}
		}
	}
}

// segmentSpans rasterizes a swept segment row by row, because the bounding box of a long diagonal
// contains far more nodes than the segment.
func (g *grid) segmentSpans(s *geom.Shape, dist float64, i0, j0, i1, j1 int,
	yield func(from, to int32)) {
	r := s.R + dist - 0.5
	if r <= 0 {
		return
	}
	a, b := s.P[0], s.P[s.N-1]
	dx, dy := b.X-a.X, b.Y-a.Y
	length := math.Hypot(dx, dy)
	var side [4]geom.Vec
	if length > 0 {
		nx, ny := -dy/length*r, dx/length*r
		side = [4]geom.Vec{{X: a.X + nx, Y: a.Y + ny}, {X: b.X + nx, Y: b.Y + ny},
			{X: b.X - nx, Y: b.Y - ny}, {X: a.X - nx, Y: a.Y - ny}}
	}
	for j := j0; j <= j1; j++ {
		y := float64(g.min.Y + int64(j)*g.pitch)
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, c := range [2]geom.Vec{a, b} {
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
		from := max(i0, int(math.Ceil((lo-float64(g.min.X))/float64(g.pitch))))
		to := min(i1, int(math.Floor((hi-float64(g.min.X))/float64(g.pitch))))
		if from <= to {
			yield(int32(j*g.w+from), int32(j*g.w+to))
		}
	}
}

// reserve assigns a node to the fixed copper of a net; a node reserved for two nets is blocked.
func (p *occupancy) reserve(node int32, net int16) {
	switch u := &p.cells[node]; u.fixedNet {
	case unowned:
		u.fixedNet = net
	case net:
	default:
		u.fixedNet = blocked
	}
}

// isShifted reports whether a node is displaced.
func (g *grid) isShifted(node int32) bool {
	_, ok := g.shifts[node]
	return ok
}

// addShift displaces a node.
func (g *grid) addShift(s shift) {
	if g.shiftRows == nil {
		g.shifts, g.shiftRows = map[int32]int{}, make([][]shift, g.layers*g.h)
	}
	flat, layer := g.split(s.node)
	row := int(flat)/g.w + int(layer)*g.h
	g.shifts[s.node] = len(g.shiftRows[row])
	g.shiftRows[row] = append(g.shiftRows[row], s)
}

// eachShifted calls yield for every displaced node on a layer that is closer to the shape than dist
// [nm] plus the margin of the node. The rows of all layers follow each other.
func (g *grid) eachShifted(s *geom.Shape, dist float64, layer int,
	yield func(row int, node int32)) {
	box := s.Bounds().Grown(int64(dist) + g.pitch)
	j0 := max(0, int((box.Min.Y-g.min.Y)/g.pitch))
	j1 := min(g.h-1, int((box.Max.Y-g.min.Y)/g.pitch)+1)
	for row := j0 + layer*g.h; row <= j1+layer*g.h; row++ {
		for k := range g.shiftRows[row] {
			v := &g.shiftRows[row][k]
			at := g.lattice(v.node).Add(v.by)
			if at.X < box.Min.X || at.X > box.Max.X {
				continue
			}
			if s.To(float64(at.X), float64(at.Y)) < dist+v.margin()-0.5 {
				yield(row, v.node)
			}
		}
	}
}
