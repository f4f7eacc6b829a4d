package electrical

import (
	"context"
	"fmt"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// voltageClearance is the least clearance of a net class that is due to its voltage [nm]. Wider
// tracks for more current need none like it.
const voltageClearance = 500 * board.Micrometre

// openPad is a pad on no net whose closest neighbour in its part has a net class for its voltage.
type openPad struct {
	part      *board.Part
	pad       *board.Pad
	neighbour *board.Pad
	class     board.Class // that of the neighbour
	gap       float64     // distance to the closest copper of another net [nm]
	net       int         // that of the closest copper
}

// OpenPadWarnings names pads on no net, such as the second contact of a relay, that are closer to
// copper of other nets than the net class of the closest pad of their part requires. They may have
// the voltage of that pad, but keep only the default clearance. It returns the error of the context
// if that ends first.
func OpenPadWarnings(ctx context.Context, b *board.Board) ([]string, error) {
	var open []openPad // by pad number, not by pad or convex piece
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			o, ok := openPadOf(b, &b.Parts[i], k)
			if !ok {
				continue
			}
			o.gap, o.net = o.nearest(b, i)
			known := slices.IndexFunc(open, func(p openPad) bool {
				return p.part == o.part && p.pad.Number == o.pad.Number
			})
			switch {
			case o.gap >= float64(o.class.Clearance-board.Micrometre):
			case known < 0:
				open = append(open, o)
			case o.gap < open[known].gap:
				open[known] = o
			}
		}
	}
	var out []string
	for _, o := range open {
		out = append(out, fmt.Sprintf("%s.%s is on no net and %.2f mm from copper of %s. The "+
			"clearance of %s.%s beside it is %g mm. If %s.%s can have its voltage, put it on a net "+
			"of class %s", o.part.Ref, o.pad.Number, o.gap/float64(board.Millimetre),
			b.Nets[o.net].Name, o.part.Ref, o.neighbour.Number, board.ToMM(o.class.Clearance),
			o.part.Ref, o.pad.Number, o.class.Name))
	}
	return out, nil
}

// openPadOf returns pad k of a part as an openPad, and whether it is one.
func openPadOf(b *board.Board, part *board.Part, k int) (o openPad, ok bool) {
	p := &part.Pads[k]
	if p.Net != board.NoNet || p.Number == "" || p.Layers == 0 {
		return o, false
	}
	copper, least := p.Copper(0), math.Inf(1)
	for i := range part.Pads {
		q := &part.Pads[i]
		if q.Net == board.NoNet {
			continue
		}
		shape := q.Copper(0)
		if d := geom.Distance(&copper, &shape); d < least {
			o, least = openPad{part: part, pad: p, neighbour: q}, d
		}
	}
	if o.neighbour == nil {
		return o, false
	}
	o.class = b.Rules.Class(&b.Nets[o.neighbour.Net])
	return o, o.class.Clearance >= max(voltageClearance, b.Rules.Classes[0].Clearance+1)
}

// nearest returns the distance [nm] to the closest copper of a net with a smaller clearance outside
// of the part, which has index part, and its net.
func (o *openPad) nearest(b *board.Board, part int) (gap float64, net int) {
	x := barrier{side: make([]int8, len(b.Nets))}
	for i := range b.Nets {
		if b.Rules.Class(&b.Nets[i]).Clearance >= o.class.Clearance {
			x.side[i] = -1
		}
	}
	gap = math.Inf(1)
	copper := o.pad.Copper(0)
	for layer := range o.pad.Layers.All() {
		for _, s := range x.copperOn(b, layer)[0] {
			if s.part == part {
				continue
			}
			if d := geom.Distance(&copper, &s.Shape); d < gap {
				gap, net = d, s.net
			}
		}
	}
	return gap, net
}
