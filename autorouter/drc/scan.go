package drc

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// closePair is a pair of items on different nets that are closer than allowed.
type closePair struct {
	a, b               int // item indices, a < b
	layer              string
	distance, required float64
	at                 geom.Vec
}

// approach is the smallest gap [nm] found between an item and a shape or the board edge.
type approach struct {
	item int
	gap  float64
	at   geom.Vec
}

// eachTouching calls visit once, with the gap [nm] and its position, for each item within reach
// [nm] of a shape on layer l. It omits the item self; -1 omits none. The gap of a zone that
// contains the shape is zero.
func (s *checker) eachTouching(l int, sh *geom.Boxed, reach float64, self int,
	visit func(item int, gap float64, at geom.Vec)) {
	var zones []approach
	ly := &s.layers[l]
	ly.grid.Near(sh, reach, func(id int) {
		p := &ly.primitives[id]
		if p.item == self || !sh.Box.Grown(reach).Intersects(p.shape.Box) {
			return
		}
		g, at := sh.Gap(&p.shape.Shape)
		if g > reach {
			return
		}
		if s.items[p.item].kind == zoneItem {
			zones = nearer(zones, approach{p.item, g, at})
			return
		}
		visit(p.item, g, at)
	})
	// A shape that crosses no side of a zone is entirely inside or outside the zone.
	for _, z := range ly.zones {
		if z != self && s.items[z].area.Contains(sh.P[0]) {
			zones = nearer(zones, approach{z, 0, sh.P[0]})
		}
	}
	for _, h := range zones {
		visit(h.item, h.gap, h.at)
	}
}

// nearer adds h to a list that holds only the smallest gap of each zone.
func nearer(list []approach, h approach) []approach {
	for i := range list {
		if list[i].item == h.item {
			if h.gap < list[i].gap {
				list[i] = h
			}
			return list
		}
	}
	return append(list, h)
}

// scan measures all pairs of items within reach [nm]. It unites touching items of one net and
// records close items of different nets.
func (s *checker) scan(reach float64) error {
	for l := range s.layers {
		for i := range s.items {
			it := &s.items[i]
			if !it.on.Has(board.Layer(l)) || it.kind == zoneItem {
				continue
			}
			if i%16 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			s.eachTouching(l, &it.shape, reach, i, func(j int, gap float64, at geom.Vec) {
				// Each pair of items other than zones is visited twice; items on several layers are
				// compared on the topmost common layer.
				other := &s.items[j]
				if other.kind != zoneItem && (j < i || it.on&other.on&(1<<l-1) != 0) {
					return
				}
				s.comparePair(l, i, j, gap, at)
			})
		}
		if err := s.scanZones(l, reach); err != nil {
			return err
		}
	}
	return nil
}

// scanZones measures the gaps up to reach [nm] between zone fragments on layer l.
func (s *checker) scanZones(l int, reach float64) error {
	ly := &s.layers[l]
	if len(ly.zones) < 2 {
		return nil
	}
	best := map[[2]int]approach{}
	var order [][2]int
	keep := func(a, b int, gap float64, at geom.Vec) {
		key := [2]int{min(a, b), max(a, b)}
		old, known := best[key]
		if !known {
			order = append(order, key)
		}
		if !known || gap < old.gap {
			best[key] = approach{b, gap, at}
		}
	}
	for i := range ly.primitives {
		p := &ly.primitives[i]
		if s.items[p.item].kind != zoneItem {
			continue
		}
		if i%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		ly.grid.Near(&p.shape, reach, func(id int) {
			q := &ly.primitives[id]
			if q.item <= p.item || s.items[q.item].kind != zoneItem ||
				!p.shape.Box.Grown(reach).Intersects(q.shape.Box) {
				return
			}
			if g, at := p.shape.Gap(&q.shape.Shape); g <= reach {
				keep(p.item, q.item, g, at)
			}
		})
	}
	for _, a := range ly.zones {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		for _, b := range ly.zones {
			if p := s.items[a].area.Rings[0][0]; a != b && s.items[b].area.Contains(p) {
				keep(a, b, 0, p)
			}
		}
	}
	for _, key := range order {
		s.comparePair(l, key[0], key[1], best[key].gap, best[key].at)
	}
	return nil
}

// comparePair unites items i and j if they are on one net and touch on layer l. It records items of
// different nets that are too close. The gap is in nm.
func (s *checker) comparePair(l, i, j int, gap float64, at geom.Vec) {
	i, j = min(i, j), max(i, j)
	a, b := &s.items[i], &s.items[j]
	if s.sameNet(a, b) {
		if gap <= tolerance && s.connects(a, b) {
			s.sets.Union(i, j)
		}
		return
	}
	onePart := a.kind == padItem && b.kind == padItem && a.part == b.part
	if onePart && s.b.Parts[a.part].Ties(s.pad(a).Number, s.pad(b).Number) {
		return // a net tie
	}
	if !onePart {
		s.minGap = min(s.minGap, max(0, gap))
	}
	e := closePair{a: i, b: j, layer: s.copper.Name(board.Layer(l)), distance: max(0, gap),
		required: s.required(a, b), at: at}
	if shared := a.on & b.on; shared.Count() > 1 && shared.Has(board.Top) && l == int(board.Top) {
		e.layer = "both"
	}
	switch {
	case gap <= tolerance:
		s.shorts = s.keep(s.shorts, e, 0)
	case !onePart && tooSmall(gap, e.required):
		s.tooClose = s.keep(s.tooClose, e, 1)
	}
}

// connects reports whether two touching items of one net are connected. As in KiCad
// (CN_VISITOR::checkZoneItemConnection), a track is connected to a zone only if one of its ends is
// in the zone. Where only its side overlaps the zone, the shared copper can be narrower than both.
func (s *checker) connects(a, b *item) bool {
	if a.kind == zoneItem {
		a, b = b, a
	}
	if a.kind != trackItem || b.kind != zoneItem {
		return true
	}
	for _, p := range a.shape.Shape.P[:a.shape.Shape.N] {
		if b.area.Contains(p) {
			return true
		}
	}
	return false
}

func (s *checker) keep(list []closePair, e closePair, which int) []closePair {
	if len(list) >= maxKept {
		s.dropped[which]++
		return list
	}
	return append(list, e)
}

// sameNet reports whether two items may touch. Items on no net may touch each other, except
// unconnected pads of different parts, which are separate pins.
func (s *checker) sameNet(a, b *item) bool {
	if a.net != b.net {
		return false
	}
	return a.net != board.NoNet || a.kind != padItem || b.kind != padItem || a.part == b.part
}

// required returns the clearance between two items [nm]. It is the largest of their class
// clearances, the local clearances of pads and, for a pour, the pour clearance. Between a pad and a
// necked track, the clearance limit of the pad reduces it.
func (s *checker) required(a, b *item) float64 {
	c := max(s.clearanceOf(a.net), s.clearanceOf(b.net))
	if a.kind == zoneItem || b.kind == zoneItem {
		c = max(c, s.b.Rules.PourClearance)
	}
	for _, it := range []*item{a, b} {
		if it.kind == padItem {
			c = max(c, s.pad(it).Clearance)
		}
	}
	if a.kind == padItem && b.kind == trackItem {
		limit := s.pad(a).ClearanceLimit
		if limit > 0 && s.b.Tracks[b.index].Width <= s.b.Rules.NeckWidth {
			c = min(c, limit)
		}
	}
	return float64(c)
}

// clearanceOf returns the class clearance of a net [nm]; copper without a net uses the default
// class.
func (s *checker) clearanceOf(net int) int64 {
	if net == board.NoNet {
		return max(s.b.Rules.Classes[0].Clearance, s.b.Rules.MinGap)
	}
	return s.clearances[net]
}

// maxClearance returns the largest clearance that two items can require [nm].
func (s *checker) maxClearance() float64 {
	c := max(s.clearanceOf(board.NoNet), s.b.Rules.PourClearance)
	for _, g := range s.clearances {
		c = max(c, g)
	}
	for i := range s.b.Parts {
		for k := range s.b.Parts[i].Pads {
			c = max(c, s.b.Parts[i].Pads[k].Clearance)
		}
	}
	return math.Max(0, float64(c))
}
