package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Limits of the fan-outs of an end.
const (
	fanOutTries   = 120 // maximum number of fan-outs tried per direction and layer
	maxFanOuts    = 5   // maximum number of fan-outs per direction and layer
	fanOutReach   = 3 * board.Millimetre
	crossedReach  = 6 * board.Millimetre // replaces fanOutReach if the tracks cross
	maxFanOutSide = 1.5e6                // largest offset from the middle of the end [nm]
)

// fanOuts returns the cheapest fan-outs from the pads of an end to coupled tracks, for each
// direction and layer. If crossed is set, the two tracks swap sides.
func (c *coupler) fanOuts(end *pairEnd, crossed bool) []*fanOut {
	if crossed && c.layers < 2 {
		return nil
	}
	pads := [2]*terminal{&c.nets[0].terms[end.terms[0]], &c.nets[1].terms[end.terms[1]]}
	var out []*fanOut
	for layer := range (pads[0].layers & pads[1].layers).All() {
		if int(layer) >= c.layers {
			break
		}
		for d := range 8 {
			across := geom.VecOf(pads[0].at).Sub(geom.VecOf(pads[1].at)).Dot(left(d))
			if math.Abs(across) < 0.35*end.apart { // the pads are nearly in line with the direction
				continue
			}
			start := fanOut{layer: int(layer), direction: d, side: math.Copysign(1, across)}
			draw, least, reach, cost := c.drawLegs, 0.0, float64(fanOutReach), int32(0)
			if crossed {
				cross := c.crossover(pads, int(layer), d)
				if cross.least == 0 {
					continue
				}
				start.side = -start.side
				draw, least, reach = cross.draw, cross.least, float64(crossedReach)
				cost = c.costOf(float64(pairViaCost))
			}
			found := 0
			for i, f := range c.fanOutsAt(end, pads, start, least, reach) {
				if i >= fanOutTries || found >= maxFanOuts || c.rt.cancelled() {
					break
				}
				f.cost += cost
				if c.hasSpace(f.node, f.layer) && draw(f, pads) {
					out = append(out, f)
					found++
				}
			}
		}
	}
	return out
}

// fanOutsAt returns the fan-outs with the layer, direction and side of start at all nodes ahead of
// an end, the cheapest first. The distance ahead is from least to reach [nm] plus half of the
// distance between the pads. The fan-outs have no legs yet.
func (c *coupler) fanOutsAt(end *pairEnd, pads [2]*terminal, start fanOut, least,
	reach float64) []*fanOut {
	span := int((reach+end.apart)/float64(c.step)) + 1
	cx := int((end.middle.X - float64(c.min.X)) / float64(c.step))
	cy := int((end.middle.Y - float64(c.min.Y)) / float64(c.step))
	var out []*fanOut
	for y := max(0, cy-span); y <= min(c.h-1, cy+span); y++ {
		for x := max(0, cx-span); x <= min(c.w-1, cx+span); x++ {
			f := start
			f.node = y*c.w + x
			v := c.at(f.node).Sub(end.middle)
			ahead := v.Dot(unit(f.direction))
			if ahead < least || ahead > reach+end.apart/2 ||
				math.Abs(v.Dot(left(f.direction))) > maxFanOutSide {
				continue
			}
			var long [2]float64
			for k, p := range pads {
				long[k] = octile(p.at, c.beginning(&f, k))
			}
			f.cost = c.costOf(pairLegCost*(long[0]+long[1])/2 + math.Abs(long[0]-long[1]))
			out = append(out, &f)
		}
	}
	slices.SortStableFunc(out, func(a, b *fanOut) int { return cmp.Compare(a.cost, b.cost) })
	return out
}
