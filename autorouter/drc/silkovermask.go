package drc

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// silkOverMask reports silkscreen on a mask opening or an unplated hole, where the fab clips it
// (KiCad: silk_over_copper). It reports one violation per part and pad or hole.
var silkOverMask = rule{name: "silk_over_mask", severity: Warning, needsSilk: true,
	check: func(s *checker, f *collector) error {
		for _, side := range board.Sides() {
			list, g := s.maskOpenings(side)
			type meeting struct{ ref, on string }
			done := map[meeting]bool{}
			report := func(silk *Silk, on string, at geom.Vec) {
				m := meeting{silk.Ref, on}
				if done[m] {
					return
				}
				done[m] = true
				items := []string{on}
				if silk.Ref != "" {
					items = []string{silk.Ref, on}
				}
				f.add(violation{at: at, layer: side.String(), items: items,
					message: "Silkscreen of " + refOrBoard(silk.Ref) + " clipped by " + on})
			}
			for i := range s.silk {
				silk := &s.silk[i]
				if i%64 == 0 && s.ctx.Err() != nil {
					return s.ctx.Err()
				}
				if silk.Side != side {
					continue
				}
				stroke := geom.Segment(silk.A, silk.B, silk.Width).Boxed()
				g.Near(&stroke, 0, func(j int) {
					if gap, at := stroke.Gap(&list[j].shape.Shape); gap < -tolerance {
						report(silk, s.name(list[j].item), at)
					}
				})
				for j := range s.holes {
					h := &s.holes[j]
					if h.owner >= 0 || !stroke.Box.Intersects(h.shape.Box) {
						continue
					}
					if gap, at := stroke.Gap(&h.shape.Shape); gap < -tolerance {
						report(silk, h.name, at)
					}
				}
			}
		}
		return nil
	}}

func refOrBoard(ref string) string {
	if ref == "" {
		return "the board"
	}
	return ref
}
