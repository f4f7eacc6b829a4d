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
		outside := left(f.direction).Scale(f.side * sideOf(k))
		end := geom.VecOf(x.beginning(f, k))
		var inlets []board.Point
		for back := int64(0); back <= crossSpread; back += crossStep {
			for aside := int64(0); aside <= crossSpread; aside += crossStep {
				at := pointOf(end.Sub(unit(f.direction).Scale(float64(back))).
					Add(outside.Scale(float64(aside))))
				if x.isClearVia(k, at) {
					inlets = append(inlets, at)
				}
			}
		}
		for _, way := range x.overWays(f, other, pads[other]) {
			over := append(x.wayItems(other, way, f.layer), x.head(f, other))
			for _, out := range x.outlets[k] {
				first := append(x.wayItems(k, out, f.layer), x.rt.viaItem(x.nets[k].index, out[1]))
				if x.collide(first, over) {
					continue
				}
				for _, in := range inlets {
					via := []copperItem{x.rt.viaItem(x.nets[k].index, in)}
					if x.collide(via, over) || x.rt.violates(&first[len(first)-1], &via[0]) {
						continue
					}
					if x.join(f, k, out, in, over) {
						f.legs[other] = way
						return true
					}
				}
			}
		}
	}
	return false
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
// whether it found a legal connection. The parameter over is the copper of the other net.
func (x *crosser) join(f *fanOut, net int, out []board.Point, in board.Point,
	over []copperItem) bool {
	for to := range x.layers {
		if to == f.layer {
			continue
		}
		for _, below := range ways(out[1:2:2], in) {
			if !x.isClearWay(net, below, to) {
				continue
			}
			for _, last := range x.legsTo(f, net, []board.Point{in}) {
				if !x.collide(append(x.wayItems(net, last, f.layer), x.head(f, net)), over) {
					f.cross = &crossing{net: net, before: out, below: below, layer: to}
					f.legs[net] = last
					return true
				}
			}
		}
	}
	return false
}
