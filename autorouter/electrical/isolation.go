package electrical

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// groundName matches the nets that may be the grounds of the two sides of an isolation barrier. VSS
// is none of them, because it may be a negative supply.
var groundName = regexp.MustCompile(`(?i)gnd|ground`)

// barrier is the boundary between two groups of nets with a ground each that no part joins. Parts
// such as isolators and optocouplers have pads on both sides.
type barrier struct {
	grounds  [2]int // indices into Board.Nets
	side     []int8 // by net: side of the barrier, or -1
	parts    []string
	distance float64 // smallest distance between pads of both sides in one of parts [nm]
}

// IsolationWarnings names pairs of grounds that no part joins, if copper of the two sides is closer
// than the pads of the parts between them. It returns the error of the context if that ends first.
func IsolationWarnings(ctx context.Context, b *board.Board) ([]string, error) {
	var out []string
	for _, x := range barriersOf(b) {
		near, err := x.nearest(ctx, b)
		if err != nil {
			return nil, err
		}
		if near.distance >= x.distance-float64(board.Micrometre) {
			continue
		}
		name := func(net int) string { return b.Nets[net].Name }
		out = append(out, fmt.Sprintf("%s and %s are joined by no part. Copper of %s and %s is "+
			"%.2f mm apart at %.1f, %.1f mm on %s; the pads of %s are %.2f mm apart. If they "+
			"isolate, keep the pour off one side: keepouts with tracks, vias and components false",
			name(x.grounds[0]), name(x.grounds[1]), name(near.nets[0]), name(near.nets[1]),
			near.distance/float64(board.Millimetre), near.at.X/float64(board.Millimetre),
			near.at.Y/float64(board.Millimetre), b.Copper().Name(near.layer),
			strings.Join(x.parts, ", "), x.distance/float64(board.Millimetre)))
	}
	return out, nil
}

// barriersOf returns the barriers between the grounds of a board, in the order of the nets.
func barriersOf(b *board.Board) []barrier {
	sets := joinedNets(b)
	var grounds []int // the first of each set
	for i, n := range b.Nets {
		if groundName.MatchString(n.Name) && !slices.ContainsFunc(grounds, func(g int) bool {
			return sets.Find(g) == sets.Find(i)
		}) {
			grounds = append(grounds, i)
		}
	}
	var out []barrier
	for i, first := range grounds {
		for _, second := range grounds[:i] {
			x := barrier{grounds: [2]int{second, first}, side: make([]int8, len(b.Nets))}
			for net := range b.Nets {
				x.side[net] = int8(slices.Index([]int{sets.Find(second), sets.Find(first)},
					sets.Find(net)))
			}
			if x.findParts(b); len(x.parts) > 0 {
				out = append(out, x)
			}
		}
	}
	return out
}

// joinedNets returns the sets of nets that parts with two nets join, such as resistors, beads and
// diodes. Common-mode chokes and net ties join all their nets, because the pads of a winding are
// not known. Parts that may be across a barrier join none.
func joinedNets(b *board.Board) geom.UnionFind {
	sets := geom.NewUnionFind(len(b.Nets))
	for i := range b.Parts {
		var nets []int
		for _, p := range b.Parts[i].Pads {
			if p.Net != board.NoNet && !slices.Contains(nets, p.Net) {
				nets = append(nets, p.Net)
			}
		}
		if len(nets) == 2 && !mayCross(&b.Parts[i].Component) || b.Parts[i].JoinsAll() {
			for _, net := range nets {
				sets.Union(nets[0], net)
			}
		}
		unionTies(&sets, &b.Parts[i])
	}
	return sets
}

// unionTies unites the nets that the copper of a net tie joins.
func unionTies(sets *geom.UnionFind, part *board.Part) {
	for k := range part.Pads {
		for j := range k {
			p, o := &part.Pads[k], &part.Pads[j]
			if part.Ties(p.Number, o.Number) && p.Net != board.NoNet && o.Net != board.NoNet {
				sets.Union(p.Net, o.Net)
			}
		}
	}
}

// bleederResistance is the least resistance of a resistor that may be across a barrier [Ω]. It
// discharges a capacitor or conducts static charge; 100 kΩ at 50 V conduct 0.5 mA, the threshold
// of perception in IEC 60479-1.
const bleederResistance = 100e3

// mayCross reports whether a part across a barrier neither joins its sides nor sets the distance
// between them: a capacitor or a bleeder resistor.
func mayCross(c *board.Component) bool {
	ohm, ok := c.Resistance()
	return c.IsCapacitor() || ok && ohm >= bleederResistance
}

// findParts sets the parts with pads on both sides and their smallest distance.
func (x *barrier) findParts(b *board.Board) {
	x.distance = math.Inf(1)
	for i := range b.Parts {
		part, between := &b.Parts[i], math.Inf(1)
		for k := range part.Pads {
			for j := range k {
				p, o := &part.Pads[k], &part.Pads[j]
				if x.across(p.Net, o.Net) {
					a, c := p.Copper(0), o.Copper(0)
					between = min(between, geom.Distance(&a, &c))
				}
			}
		}
		if !math.IsInf(between, 1) && !mayCross(&part.Component) {
			x.parts, x.distance = append(x.parts, part.Ref), min(x.distance, between)
		}
	}
}

// across reports whether two nets, or NoNet, are on different sides of the barrier.
func (x *barrier) across(a, b int) bool {
	return a != board.NoNet && b != board.NoNet && x.side[a] >= 0 && x.side[b] >= 0 &&
		x.side[a] != x.side[b]
}

// closest is the place where two sides of a barrier are closest to each other.
type closest struct {
	nets     [2]int
	distance float64 // [nm]
	layer    board.Layer
	at       geom.Vec
}

// sided is copper of one net: a pad, a track, a via or a side of the outline of a pour.
type sided struct {
	geom.Boxed
	net, part int // part is that of a pad, otherwise -1
}

// nearest returns where copper of the two sides is closest, if it is closer than the pads of the
// parts between them. Pads of one part do not count.
func (x *barrier) nearest(ctx context.Context, b *board.Board) (closest, error) {
	found := closest{distance: x.distance}
	for l := range b.Copper() {
		layer := board.Layer(l)
		sides := x.copperOn(b, layer)
		index := geom.NewShapeIndex(len(sides[0]), func(i int) *geom.Boxed {
			return &sides[0][i].Boxed
		})
		for k := range sides[1] {
			if k%64 == 0 && ctx.Err() != nil {
				return closest{}, ctx.Err()
			}
			s := &sides[1][k]
			index.Near(&s.Boxed, found.distance, func(id int) {
				o := &sides[0][id]
				if o.part >= 0 && o.part == s.part {
					return
				}
				if d, at := s.Gap(&o.Shape); d < found.distance {
					found = closest{[2]int{o.net, s.net}, d, layer, at}
				}
			})
		}
	}
	return found, nil
}

// copperOn returns the copper of both sides on a layer.
func (x *barrier) copperOn(b *board.Board, layer board.Layer) (sides [2][]sided) {
	add := func(shape geom.Shape, net, part int) {
		if net != board.NoNet && x.side[net] >= 0 {
			side := x.side[net]
			sides[side] = append(sides[side], sided{shape.Boxed(), net, part})
		}
	}
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if p := &b.Parts[i].Pads[k]; p.Layers.Has(layer) {
				add(p.Copper(0), p.Net, i)
			}
		}
	}
	for _, t := range b.Tracks {
		if t.Layer == layer {
			add(geom.Segment(t.A, t.B, t.Width), t.Net, -1)
		}
	}
	for i := range b.Vias {
		if v := &b.Vias[i]; b.ViaLayers(v).Has(layer) {
			add(geom.Disc(v.At, v.Diameter), v.Net, -1)
		}
	}
	for _, z := range b.Zones {
		if z.Layer != layer {
			continue
		}
		for _, piece := range z.Pieces {
			for _, line := range append([]board.Polygon{piece.Outline}, piece.Holes...) {
				for i := range line {
					add(geom.Segment(line[i], line[(i+1)%len(line)], 0), z.Net, -1)
				}
			}
		}
	}
	return sides
}
