package drc

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// keepout reports objects inside an area that excludes them (KiCad: items_not_allowed). Tracks and
// vias have separate flags. The flag for copper includes pads and pours, and the flag for
// components applies to courtyards. The ring around a mounting hole excludes all objects. The
// actual value of this violation is the distance to the hole wall.
var keepout = rule{name: "keepout", severity: Error, check: func(s *checker, f *collector) error {
	for i := range s.b.Keepouts {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		k := &s.b.Keepouts[i]
		area := inside(k.Area)
		s.reportInside(f, &area, board.LayersOf(k.Layers...), 0, func(it *item) bool {
			return it.kind == trackItem && k.Tracks || it.kind == viaItem && k.Vias ||
				it.kind == padItem && k.Copper || it.kind == zoneItem && (k.Copper || k.Pour)
		}, k.Components)
	}
	for i := range s.holes {
		if h := &s.holes[i]; h.margin > 0 {
			all := func(*item) bool { return true }
			s.reportInside(f, &h.shape, s.copper.All(), float64(h.margin), all, true)
		}
	}
	return nil
}}

// inside returns a rectangle shrunk by the tolerance, because touching its border is allowed.
func inside(r board.Rect) geom.Boxed {
	at := geom.Lerp(geom.VecOf(r.Min), geom.VecOf(r.Max), 0.5)
	return geom.RoundedRect(at, max(0, float64(r.Width())/2-tolerance),
		max(0, float64(r.Height())/2-tolerance), 0, 0).Boxed()
}

// reportInside reports objects on some layers that touch a shape or are closer to it than margin
// [nm]. The objects are the items that the function selected accepts and, if parts is set, the
// courtyards.
func (s *checker) reportInside(f *collector, sh *geom.Boxed, layers board.LayerSet, margin float64,
	selected func(*item) bool, parts bool) {
	report := func(gap float64, at geom.Vec, layer, name, full string) {
		if gap > 0 && !tooSmall(gap, margin) {
			return
		}
		v := violation{at: at, layer: layer, items: []string{name},
			message: "Items not allowed in a keepout area: " + full}
		if margin > 0 {
			v.actual, v.required = max(0, gap), margin
			v.message = "Items not allowed around a hole " + limits(v.required,
				v.actual) + ": " + full
		}
		f.add(v)
	}
	// done holds the items already reported, because an item can be on several layers.
	done := map[int]bool{}
	for l := range (layers & s.copper.All()).All() {
		s.eachTouching(int(l), sh, margin, -1, func(i int, gap float64, at geom.Vec) {
			if !done[i] && selected(&s.items[i]) {
				done[i] = true
				report(gap, at, s.copper.Name(l), s.name(i), s.describe(i))
			}
		})
	}
	for i := range s.b.Parts {
		p := &s.b.Parts[i]
		if !parts || !layers.Has(s.copper.Outer(p.Side)) {
			continue
		}
		nearest, where := math.Inf(1), geom.Vec{}
		for _, courtyard := range courtyards(p) {
			if gap, at := sh.Gap(&courtyard.Shape); gap < nearest {
				nearest, where = gap, at
			}
		}
		report(nearest, where, p.Side.String(), p.Ref, "courtyard of "+p.Ref)
	}
}
