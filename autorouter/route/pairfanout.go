package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// fanOuts returns the cheapest fan-outs from the pads of an end to coupled tracks, for each
// direction and layer. If crossed is set, the two tracks swap sides.
func (c *coupler) fanOuts(end *pairEnd, crossed bool) []*fanOut {
	const (
		tries = 120 // maximum number of fan-outs tried per direction and layer
		kept  = 5
	)
	reach := 3 * board.Millimetre
	if crossed {
		if c.layers < 2 {
			return nil
		}
		reach = 6 * board.Millimetre
	}
	pads := [2]*terminal{&c.nets[0].terms[end.terms[0]], &c.nets[1].terms[end.terms[1]]}
	span := int((float64(reach)+end.apart)/float64(c.step)) + 1
	cx := int((end.middle.X - float64(c.min.X)) / float64(c.step))
	cy := int((end.middle.Y - float64(c.min.Y)) / float64(c.step))
	var out []*fanOut
	for layer := range (pads[0].layers & pads[1].layers).All() {
		if int(layer) >= c.layers {
			break
		}
		for d := range 8 {
			var some []*fanOut
			across := geom.VecOf(pads[0].at).Sub(geom.VecOf(pads[1].at)).Dot(left(d))
			if math.Abs(across) < 0.35*end.apart { // the pads are nearly in line with the direction
				continue
			}
			side := math.Copysign(1, across)
			var cross crosser
			if crossed {
				side = -side
				if cross = c.crosser(pads, int(layer), d); cross.least == 0 {
					continue
				}
			}
			for y := max(0, cy-span); y <= min(c.h-1, cy+span); y++ {
				for x := max(0, cx-span); x <= min(c.w-1, cx+span); x++ {
					node := y*c.w + x
					v := c.at(node).Sub(end.middle)
					ahead := v.Dot(unit(d))
					if ahead < cross.least || ahead > float64(reach)+end.apart/2 ||
						math.Abs(v.Dot(left(d))) > 1.5e6 {
						continue
					}
					f := &fanOut{node: node, layer: int(layer), direction: d, side: side}
					var long [2]float64
					for k, p := range pads {
						long[k] = octile(p.at, c.beginning(f, k))
					}
					f.cost = c.worth(pairLegCost*(long[0]+long[1])/2 + math.Abs(long[0]-long[1]))
					if crossed {
						f.cost += c.worth(float64(pairViaCost))
					}
					some = append(some, f)
				}
			}
			slices.SortStableFunc(some, func(a, b *fanOut) int {
				return cmp.Compare(a.cost, b.cost)
			})
			found := 0
			for i, f := range some {
				if i >= tries || found >= kept || c.rt.cancelled() {
					break
				}
				draw := c.drawLegs
				if crossed {
					draw = cross.draw
				}
				if c.hasSpace(f.node, f.layer) && draw(f, pads) {
					out = append(out, f)
					found++
				}
			}
		}
	}
	return out
}
