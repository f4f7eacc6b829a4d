package drc

import (
	"fmt"

	"slipstick/autorouter/geom"
)

// courtyardOverlap reports courtyards on one side that overlap (KiCad: courtyards_overlap) or are
// closer than the required margin. It also reports drilled pads inside a courtyard on the other
// side (KiCad: pth_inside_courtyard). For an overlap, the actual value is the negative depth. A
// courtyard without area overlaps nothing.
var courtyardOverlap = rule{name: "courtyard_overlap", severity: Error,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.CourtyardMargin)
		courts := make([]geom.Boxed, len(s.b.Parts))
		for i := range s.b.Parts {
			if court, ok := courtyard(&s.b.Parts[i]); ok { // otherwise N is 0
				courts[i] = court
			}
		}
		for i := range courts {
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			p := &s.b.Parts[i]
			for j := range courts {
				q := &s.b.Parts[j]
				near := courts[i].N == 0 || courts[i].Box.Grown(limit).Meets(courts[j].Box)
				if i == j || courts[j].N == 0 || !near {
					continue
				}
				if p.Side != q.Side {
					s.leadsInside(f, i, j, &courts[j])
					continue
				}
				if j < i || courts[i].N == 0 {
					continue
				}
				gap := -courts[i].Overlap(&courts[j].Shape)
				var at geom.Vec
				if gap >= 0 {
					gap, at = courts[i].Gap(&courts[j].Shape)
				} else {
					at = geom.Lerp(geom.VecOf(p.At), geom.VecOf(q.At), 0.5)
				}
				if tooSmall(gap, limit) {
					f.add(violation{
						at: at, layer: p.Side.String(), items: []string{p.Ref, q.Ref}, actual: gap,
						required: limit,
						message: fmt.Sprintf("Courtyards overlap %s: %s and %s", limits(limit, gap),
							p.Ref, q.Ref),
					})
				}
			}
		}
		return nil
	}}

// leadsInside reports the drilled pads of part i inside the courtyard of part j, which is on the
// other side.
func (s *checker) leadsInside(f *collector, i, j int, court *geom.Boxed) {
	p, q := &s.b.Parts[i], &s.b.Parts[j]
	for k := range p.Pads {
		h, drilled := p.Pads[k].HoleShape()
		if !drilled {
			continue
		}
		if gap, at := h.Gap(&court.Shape); gap < -tolerance {
			name := padName(p, &p.Pads[k])
			f.add(violation{
				at: at, layer: q.Side.String(), items: []string{name, q.Ref}, actual: gap,
				message: fmt.Sprintf("Through hole inside a courtyard: %s and %s", name, q.Ref),
			})
		}
	}
}
