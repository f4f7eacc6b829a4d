package drc

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// maskOpening is a solder mask opening over a pad. Vias are tented and have no opening.
type maskOpening struct {
	shape geom.Boxed
	item  int
}

// maskOpenings returns the mask openings of a side and their spatial index.
func (s *checker) maskOpenings(side board.Side) ([]maskOpening, *geom.ShapeIndex) {
	var list []maskOpening
	on := s.copper.Outer(side)
	for i := range s.items {
		if it := &s.items[i]; it.kind == padItem && it.on.Has(on) && !s.pad(it).NoMask {
			pad := s.pad(it)
			list = append(list, maskOpening{pad.Copper(pad.MaskExpansion(&s.b.Rules)).Boxed(), i})
		}
	}
	return list, geom.NewShapeIndex(len(list), func(i int) *geom.Boxed { return &list[i].shape })
}

// maskWeb reports pads of different nets with no solder mask web between them, or with a web too
// thin to adhere. Solder may bridge these pads (KiCad: solder_mask_bridge).
var maskWeb = rule{name: "mask_web", severity: Warning,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.MaskWeb)
		for _, side := range board.Sides() {
			list, g := s.maskOpenings(side)
			for i := range list {
				if i%64 == 0 && s.ctx.Err() != nil {
					return s.ctx.Err()
				}
				a := &s.items[list[i].item]
				g.Near(&list[i].shape, limit, func(j int) {
					b := &s.items[list[j].item]
					if j <= i || s.samePin(a, b) || side == board.BottomSide &&
						a.on.Has(board.Top) &&
						b.on.Has(board.Top) {
						return
					}
					web, at := list[i].shape.Gap(&list[j].shape.Shape)
					if web > 0 && !tooSmall(web, limit) {
						return
					}
					web = max(0, web)
					names := []string{s.name(list[i].item), s.name(list[j].item)}
					f.add(violation{
						at: at, layer: side.String(), items: names, actual: web, required: limit,
						message: "Solder mask web " + limits(limit, web) + " between " + names[0] +
							" and " + names[1],
					})
				})
			}
		}
		return nil
	}}

// samePin reports whether a solder bridge between two pads is harmless, because both are on one net
// or are the same unconnected pin.
func (s *checker) samePin(a, b *item) bool {
	if a.net != b.net {
		return false
	}
	return a.net != board.NoNet || a.part == b.part && s.pad(a).Number == s.pad(b).Number
}
