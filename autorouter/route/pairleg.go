package route

import (
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// fanOut connects the two pads of an end to the start of a coupled path.
type fanOut struct {
	node, layer int
	direction   int              // points away from the pads
	side        float64          // 1 if the positive track is on the left, -1 otherwise
	legs        [2][]board.Point // tracks by net, from the pad or crossing to the coupled track
	cross       *crossing        // nil if neither track crosses the other
	cost        int32
}

// crossing is the section between an end and the coupled tracks where the track of one net passes
// below the other.
type crossing struct {
	net    int
	before []board.Point // track from the pad to the first via
	below  []board.Point // track between the vias
	layer  int           // layer of the track between the vias
}

// beginning returns the start point of the coupled track of a net.
func (c *coupler) beginning(f *fanOut, net int) board.Point {
	return pointOf(c.at(f.node).Add(left(f.direction).Scale(c.half * f.side * sideOf(net))))
}

// head returns the first two grid steps of a net's coupled track as one segment.
func (c *coupler) head(f *fanOut, net int) copperItem {
	begin := c.beginning(f, net)
	ahead := geom.VecOf(begin).Add(unit(f.direction).Scale(2 * float64(c.step)))
	return c.item(net, begin, pointOf(ahead), f.layer)
}

// legsTo returns the legal polylines that extend points to the start of the coupled track. The
// extension has at most one knee and does not approach the coupled track from its far side.
func (c *coupler) legsTo(f *fanOut, net int, points []board.Point) [][]board.Point {
	var out [][]board.Point
	end := c.beginning(f, net)
	for _, path := range pathsTo(points, end) {
		last := geom.VecOf(path[max(0, len(path)-2)])
		ahead := geom.VecOf(end).Sub(last).Dot(unit(f.direction))
		if ahead >= 0 && c.isClearPath(net, path, f.layer) {
			out = append(out, path)
		}
	}
	return out
}

// pathsTo returns points extended to end by a straight and a diagonal segment, in both orders.
func pathsTo(points []board.Point, end board.Point) [][]board.Point {
	from := points[len(points)-1]
	d := end.Sub(from)
	m := min(abs(d.X), abs(d.Y))
	diagonal := board.Point{X: sign(d.X) * m, Y: sign(d.Y) * m}
	var out [][]board.Point
	for _, knee := range []board.Point{from.Add(diagonal), end.Sub(diagonal)} {
		path := slices.Clone(points)
		for _, next := range []board.Point{knee, end} {
			if next != path[len(path)-1] {
				path = append(path, next)
			}
		}
		if len(out) == 0 || !slices.Equal(out[0], path) {
			out = append(out, path)
		}
	}
	return out
}

// drawLegs draws the tracks from the pads to the coupled tracks, each with at most one knee, and
// reports whether they are legal.
func (c *coupler) drawLegs(f *fanOut, pads [2]*terminal) bool {
	var paths [2][][]board.Point
	var heads [2]copperItem
	for k, p := range pads {
		heads[k], paths[k] = c.head(f, k), c.legsTo(f, k, []board.Point{p.at})
	}
	for _, first := range paths[0] {
		for _, second := range paths[1] {
			one, two := c.pathItems(0, first, f.layer), c.pathItems(1, second, f.layer)
			if !c.collide(append(one, heads[0]), two) && !c.collide(one, append(two, heads[1])) {
				f.legs = [2][]board.Point{first, second}
				return true
			}
		}
	}
	return false
}
