package specctra

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// setWiring converts the fixed wiring, or all wiring if all is set, to pads of its nets.
func (b *builder) setWiring(all bool) error {
	part := board.Part{Component: board.Component{Ref: board.WiringRef}}
	dropped, unknown, elsewhere := 0, 0, 0
	for _, w := range b.design.wires {
		if !w.fixed && !all {
			dropped++
			continue
		}
		net := board.NoNet
		if i, ok := b.nets[w.net]; ok {
			net = i
		} else if !w.own {
			unknown++
		}
		if w.via == "" && b.design.layersOf(w.layer) == 0 {
			elsewhere++
			continue
		}
		var pads []board.Pad
		if w.via != "" {
			stack := b.design.padstacks[w.via]
			if stack == nil {
				return bad(
					nil,
					"a via of net %q: the library has no padstack %q",
					text.Word(w.net),
					text.Word(w.via),
				)
			}
			at := identity()
			at.at = w.at
			pads = b.padsOf(stack, at, b.point(w.at))
		} else {
			pads = b.pieces(w.shape, identity(), board.Point{X: math.MinInt64})
			for i := range pads {
				pads[i].Layers = b.design.layersOf(w.layer)
			}
		}
		for _, p := range pads {
			p.Net = net
			part.Pads = append(part.Pads, p)
		}
		if w.via == "" {
			b.count(len(pads))
		}
		if b.fail != nil {
			return b.fail
		}
		if !w.own {
			b.kept = append(b.kept, w)
		}
	}
	if elsewhere > 0 {
		b.warn("%d tracks of the design are on no copper layer and have no effect", elsewhere)
	}
	if unknown > 0 {
		b.warn("%d tracks and vias of the design have no net and are not in the session", unknown)
	}
	if dropped > 0 {
		b.warn("%d tracks and vias of the design that are not fixed are replaced", dropped)
	}
	b.obstacle.Ref = "keepout"
	for _, p := range []board.Part{part, b.obstacle} {
		p.Footprint = &board.Footprint{}
		if len(p.Pads) > 0 {
			b.Parts = append(b.Parts, p)
		}
	}
	return nil
}

func (r *reader) readWiring(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		var w wire
		w.net, _ = c.Text("net")
		kind, _ := c.Text("type")
		w.fixed, w.own = kind == "fix" || kind == "protect", kind == "fix"
		switch c.Head() {
		case "wire":
			found := false
			for _, s := range c.List[1:] {
				if !isShape(s) {
					continue
				}
				var err error
				if w.shape, err = r.shape(s); err != nil {
					return err
				}
				w.node, found = s, true
			}
			if !found {
				r.skip("a wire of the design that is not a circle, rectangle, polygon or path")
				continue
			}
		case "via":
			w.via = c.At(1)
			var err error
			if w.at, err = r.point(c, 2); err != nil {
				return err
			}
		default:
			continue
		}
		r.wires = append(r.wires, w)
	}
	return nil
}
