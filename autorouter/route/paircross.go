package route

import (
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// crosser draws fan-outs with a crossing, for one end, layer and direction.
type crosser struct {
	*coupler
	layer, direction int
	outlets          [2][][]board.Point // per net, tracks from the pad to the first via
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
	crossOutlets = 3
)

func (c *coupler) crosser(pads [2]*terminal, layer, direction int) crosser {
	x := crosser{coupler: c, layer: layer, direction: direction}
	for k, p := range pads {
		for ahead := crossStep; ahead <= crossReach; ahead += crossStep {
			to := pointOf(geom.VecOf(p.at).Add(unit(direction).Scale(float64(ahead))))
			way := []board.Point{p.at, to}
			if !c.isClearWay(k, way, layer) {
				break
			}
			x.straight[k] = append(x.straight[k], way)
			if len(x.outlets[k]) < crossOutlets && c.isClearVia(k, to) {
				x.outlets[k] = append(x.outlets[k], way)
			}
		}
	}
	// The other track and the second via need space beyond the first via.
	for k := range pads {
		if len(x.outlets[k]) == 0 {
			continue
		}
		way := x.outlets[k][0]
		least := board.Distance(way[0], way[1]) + float64(c.nets[k].viaDiameter+c.width)/2 +
			max(c.nets[0].clearance, c.nets[1].clearance)
		if x.least == 0 || least < x.least {
			x.least = least
		}
	}
	return x
}

// draw draws the two tracks from the pads to the coupled tracks, with one track crossing below the
// other. It reports whether a legal crossing exists.
func (x *crosser) draw(f *fanOut, pads [2]*terminal) bool {
	for k := range 2 {
		other := 1 - k
		if len(x.outlets[k]) == 0 {
			continue
		}
		overs := x.overWays(f, other, pads[other])
		if len(overs) == 0 {
			continue
		}
		inlets := x.inletsOf(f, k)
		for _, way := range overs {
			over := append(x.wayItems(other, way, f.layer), x.head(f, other))
			for o, out := range x.outlets[k] {
				first := append(x.wayItems(k, out, f.layer), x.rt.viaItem(x.nets[k].index, out[1]))
				if x.collide(first, over) {
					continue
				}
				for i := range inlets {
					in := &inlets[i]
					via := []copperItem{x.rt.viaItem(x.nets[k].index, in.at)}
					if x.collide(via, over) || x.rt.violates(&first[len(first)-1], &via[0]) {
						continue
					}
					if x.join(f, k, o, in, over) {
						f.legs[other] = way
						return true
					}
				}
			}
		}
	}
	return false
}

// inlet is a position of the second via of a crossing, with the tracks that do not depend on the
// track of the other net.
type inlet struct {
	at    board.Point
	last  []inletLeg                // tracks from the via to the coupled track
	below [crossOutlets]*[]belowWay // tracks from each first via; nil if not yet drawn
}

// inletLeg is a track from the second via of a crossing to the coupled track.
type inletLeg struct {
	points []board.Point
	items  []copperItem // includes the start of the coupled track
}

// belowWay is a track between the two vias of a crossing.
type belowWay struct {
	points []board.Point
	layer  int
}

// inletsOf returns the positions of the second via of a net from which a legal track leads to the
// coupled track.
func (x *crosser) inletsOf(f *fanOut, net int) []inlet {
	outside := left(f.direction).Scale(f.side * sideOf(net))
	end := geom.VecOf(x.beginning(f, net))
	var out []inlet
	for back := int64(0); back <= crossSpread; back += crossStep {
		for aside := int64(0); aside <= crossSpread; aside += crossStep {
			at := pointOf(end.Sub(unit(f.direction).Scale(float64(back))).
				Add(outside.Scale(float64(aside))))
			if !x.isClearVia(net, at) {
				continue
			}
			in := inlet{at: at}
			for _, points := range x.legsTo(f, net, []board.Point{at}) {
				items := append(x.wayItems(net, points, f.layer), x.head(f, net))
				in.last = append(in.last, inletLeg{points, items})
			}
			if len(in.last) > 0 {
				out = append(out, in)
			}
		}
	}
	return out
}

// overWays returns legal tracks from the pad to the coupled track for the net that stays on its
// layer. Each leads to the coupled track directly or after a section straight ahead.
func (x *crosser) overWays(f *fanOut, net int, pad *terminal) [][]board.Point {
	out := x.legsTo(f, net, []board.Point{pad.at})
	for _, way := range x.straight[net] {
		out = append(out, x.legsTo(f, net, slices.Clone(way))...)
	}
	return out
}

// join connects the two vias of a crossing, and the second via to its coupled track. It reports
// whether it found a legal connection. The parameter outlet is the index of the track to the first
// via, and over is the copper of the other net.
func (x *crosser) join(f *fanOut, net, outlet int, in *inlet, over []copperItem) bool {
	out := x.outlets[net][outlet]
	if in.below[outlet] == nil {
		list := x.belowWays(f.layer, net, out[1:2:2], in.at)
		in.below[outlet] = &list
	}
	for _, below := range *in.below[outlet] {
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

// belowWays returns the legal tracks from the first via of a crossing to the second, on any layer
// except the given one.
func (x *crosser) belowWays(layer, net int, from []board.Point, to board.Point) []belowWay {
	var out []belowWay
	for l := range x.layers {
		if l == layer {
			continue
		}
		for _, points := range ways(from, to) {
			if x.isClearWay(net, points, l) {
				out = append(out, belowWay{points, l})
			}
		}
	}
	return out
}
