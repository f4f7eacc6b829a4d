package drc

import (
	"fmt"
	"math"

	"slipstick/autorouter/geom"
)

// courtyardOverlap reports courtyards on one side that overlap (KiCad: courtyards_overlap) or are
// closer than the required margin. It also reports drilled pads inside a courtyard on the other
// side (KiCad: pth_inside_courtyard). For an overlap, the actual value is the negative depth. A
// courtyard without area overlaps nothing.
var courtyardOverlap = rule{name: "courtyard_overlap", severity: Error,
	check: func(s *checker, f *collector) error {
		limit := float64(s.b.Rules.CourtyardMargin)
		courtyardsOf := make([][]geom.Boxed, len(s.b.Parts))
		around := make([]geom.Box, len(s.b.Parts))
		for i := range s.b.Parts {
			courtyardsOf[i], around[i] = courtyards(&s.b.Parts[i]), geom.EmptyBox()
			for _, c := range courtyardsOf[i] {
				around[i] = around[i].Union(c.Box)
			}
		}
		for i := range courtyardsOf {
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			p := &s.b.Parts[i]
			for j := range courtyardsOf {
				q := &s.b.Parts[j]
				near := len(courtyardsOf[i]) == 0 || around[i].Grown(limit).Intersects(around[j])
				if i == j || len(courtyardsOf[j]) == 0 || !near {
					continue
				}
				if p.Side != q.Side {
					for k := range courtyardsOf[j] {
						s.leadsInside(f, i, j, &courtyardsOf[j][k])
					}
					continue
				}
				if j < i || len(courtyardsOf[i]) == 0 {
					continue
				}
				gap, at := courtyardGap(courtyardsOf[i], courtyardsOf[j])
				if gap < 0 {
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

// courtyardGap returns the gap between two courtyards [nm] and its position. For an overlap, it is
// the negative depth, and the position is undefined.
func courtyardGap(a, b []geom.Boxed) (float64, geom.Vec) {
	nearest, where := math.Inf(1), geom.Vec{}
	for i := range a {
		for k := range b {
			gap, at := -a[i].Overlap(&b[k].Shape), geom.Vec{}
			if gap >= 0 {
				gap, at = a[i].Gap(&b[k].Shape)
			}
			if gap < nearest {
				nearest, where = gap, at
			}
		}
	}
	return nearest, where
}

// leadsInside reports the drilled pads of part i inside the courtyard of part j, which is on the
// other side.
func (s *checker) leadsInside(f *collector, i, j int, courtyard *geom.Boxed) {
	p, q := &s.b.Parts[i], &s.b.Parts[j]
	for k := range p.Pads {
		h, drilled := p.Pads[k].HoleShape()
		if !drilled {
			continue
		}
		if gap, at := h.Gap(&courtyard.Shape); gap < -tolerance {
			name := padName(p, &p.Pads[k])
			f.add(violation{
				at: at, layer: q.Side.String(), items: []string{name, q.Ref}, actual: gap,
				message: fmt.Sprintf("Through hole inside a courtyard: %s and %s", name, q.Ref),
			})
		}
	}
}
