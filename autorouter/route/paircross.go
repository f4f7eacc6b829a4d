package route

import (
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// crossover draws fan-outs with a crossing, for one end, layer and direction.
type crossover struct {
	*coupler
	layer, direction int
	escapes          [2][][]board.Point // per net, tracks from the pad to the first via
	straight         [2][][]board.Point // per net, straight tracks ahead of the pad
	// minimum distance from the end to the coupled tracks [nm]; 0 if no via fits
	least float64
}

// Via positions of a crossing [nm].
const (
	crossStep   = 200 * board.Micrometre
	crossReach  = 3 * board.Millimetre // maximum distance from the pad to the first via
	crossSpread = 1 * board.Millimetre // maximum offset of the second via, back and aside
	// maximum number of positions of the first via, per pad
	crossEscapes = 3
)

func (c *coupler) crossover(pads [2]*terminal, layer, direction int) crossover {
	x := crossover{coupler: c, layer: layer, direction: direction}
	for k, p := range pads {
		for ahead := crossStep; ahead <= crossReach; ahead += crossStep {
			to := pointOf(geom.VecOf(p.at).Add(unit(direction).Scale(float64(ahead))))
			path := []board.Point{p.at, to}
			if !c.isClearPath(k, path, layer) {
				break
			}
			x.straight[k] = append(x.straight[k], path)
			if len(x.escapes[k]) < crossEscapes && c.isClearVia(k, to) {
				x.escapes[k] = append(x.escapes[k], path)
			}
		}
	}
	// The other track and the second via need space beyond the first via.
	for k := range pads {
		if len(x.escapes[k]) == 0 {
			continue
		}
		path := x.escapes[k][0]
		least := board.Distance(path[0], path[1]) + float64(c.nets[k].viaDiameter+c.width)/2 +
			max(c.nets[0].clearance, c.nets[1].clearance)
		if x.least == 0 || least < x.least {
			x.least = least
		}
	}
	return x
}

// draw draws the two tracks from the pads to the coupled tracks, with one track crossing below the
// other. It reports whether a legal crossing exists.
func (x *crossover) draw(f *fanOut, pads [2]*terminal) bool {
	for k := range 2 {
		other := 1 - k
		if len(x.escapes[k]) == 0 {
			continue
		}
		overs := x.overPaths(f, other, pads[other])
		if len(overs) == 0 {
			continue
		}
		vias := x.secondViasOf(f, k)
		for _, path := range overs {
			over := append(x.pathItems(other, path, f.layer), x.head(f, other))
			for o, out := range x.escapes[k] {
				first := append(x.pathItems(k, out, f.layer), x.rt.viaItem(x.nets[k].index, out[1]))
				if x.collide(first, over) {
					continue
				}
				for i := range vias {
					in := &vias[i]
					via := []copperItem{x.rt.viaItem(x.nets[k].index, in.at)}
					if x.collide(via, over) || x.rt.violates(&first[len(first)-1], &via[0]) {
						continue
					}
					if x.connect(f, k, o, in, over) {
						f.legs[other] = path
						return true
					}
				}
			}
		}
	}
	return false
}

// secondVia is a position of the second via of a crossing, with the tracks that do not depend on
// the track of the other net.
type secondVia struct {
	at    board.Point
	last  []secondLeg                // tracks from the via to the coupled track
	below [crossEscapes]*[]belowPath // tracks from each first via; nil if not yet drawn
}

// secondLeg is a track from the second via of a crossing to the coupled track.
type secondLeg struct {
	points []board.Point
	items  []copperItem // includes the start of the coupled track
}

// belowPath is a track between the two vias of a crossing.
type belowPath struct {
	points []board.Point
	layer  int
}

// secondViasOf returns the positions of the second via of a net from which a legal track leads to
// the coupled track.
func (x *crossover) secondViasOf(f *fanOut, net int) []secondVia {
	outside := left(f.direction).Scale(f.side * sideOf(net))
	end := geom.VecOf(x.beginning(f, net))
	var out []secondVia
	for back := int64(0); back <= crossSpread; back += crossStep {
		for aside := int64(0); aside <= crossSpread; aside += crossStep {
			at := pointOf(end.Sub(unit(f.direction).Scale(float64(back))).
				Add(outside.Scale(float64(aside))))
			if !x.isClearVia(net, at) {
				continue
			}
			in := secondVia{at: at}
			for _, points := range x.legsTo(f, net, []board.Point{at}) {
				items := append(x.pathItems(net, points, f.layer), x.head(f, net))
				in.last = append(in.last, secondLeg{points, items})
			}
			if len(in.last) > 0 {
				out = append(out, in)
			}
		}
	}
	return out
}

// overPaths returns legal tracks from the pad to the coupled track for the net that stays on its
// layer. Each leads to the coupled track directly or after a section straight ahead.
func (x *crossover) overPaths(f *fanOut, net int, pad *terminal) [][]board.Point {
	out := x.legsTo(f, net, []board.Point{pad.at})
	for _, path := range x.straight[net] {
		out = append(out, x.legsTo(f, net, slices.Clone(path))...)
	}
	return out
}

// connect connects the two vias of a crossing, and the second via to its coupled track. It reports
// whether it found a legal connection. The parameter escape is the index of the track to the first
// via, and over is the copper of the other net.
func (x *crossover) connect(f *fanOut, net, escape int, in *secondVia, over []copperItem) bool {
	out := x.escapes[net][escape]
	if in.below[escape] == nil {
		list := x.belowPaths(f.layer, net, out[1:2:2], in.at)
		in.below[escape] = &list
	}
	for _, below := range *in.below[escape] {
		for _, last := range in.last {
			if !x.collide(last.items, over) {
				f.cross = &crossing{net: net, before: out, below: below.points, layer: below.layer}
				f.legs[net] = last.points
				return true
			}
		}
	}
	return false
}

// belowPaths returns the legal tracks from the first via of a crossing to the second, on any layer
// except the given one.
func (x *crossover) belowPaths(layer, net int, from []board.Point, to board.Point) []belowPath {
	var out []belowPath
	for l := range x.layers {
		if l == layer {
			continue
		}
		for _, points := range pathsTo(from, to) {
			if x.isClearPath(net, points, l) {
				out = append(out, belowPath{points, l})
			}
		}
	}
	return out
}
