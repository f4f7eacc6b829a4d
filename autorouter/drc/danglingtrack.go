package drc

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// danglingTrack reports track ends that touch no other copper of their net (KiCad: track_dangling).
// As in KiCad, an item that touches both ends counts only for the end closer to its anchors.
// Anchors are track ends, pad and via centres, and the first corner of a zone outline. All
// fragments of a zone share this corner, and the pieces of a drawn pad the centre of the first.
var danglingTrack = rule{name: "dangling_track", severity: Warning,
	check: func(s *checker, f *collector) error {
		for i := range s.items {
			it := &s.items[i]
			if it.kind != trackItem {
				continue
			}
			if i%64 == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			t := &s.b.Tracks[it.index]
			ends := [2]board.Point{t.A, t.B}
			connected := s.connectedEnds(i, ends)
			if ends[0] == ends[1] { // the ends of a zero-length track coincide
				connected[0] = connected[0] || connected[1]
				connected[1] = connected[0]
			}
			for k, p := range ends {
				if !connected[k] {
					f.add(violation{
						at: geom.VecOf(p), layer: s.layer(it), items: []string{s.name(i)},
						message: "Track has an unconnected end on " + s.name(i),
					})
				}
			}
		}
		return nil
	}}

// connectedEnds reports for each end of the track with item index i whether it touches other copper
// of its net.
func (s *checker) connectedEnds(i int, ends [2]board.Point) [2]bool {
	it := &s.items[i]
	t := &s.b.Tracks[it.index]
	var connected [2]bool
	var first, last []int // items that touch the start and the end of the track
	both := func(j int) {
		if s.distanceToAnchor(j, ends[0]) < s.distanceToAnchor(j, ends[1]) {
			connected[0] = true
		} else {
			connected[1] = true
		}
	}
	start, end := geom.Disc(ends[0], t.Width).Boxed(), geom.Disc(ends[1], t.Width).Boxed()
	s.eachTouching(int(t.Layer), &start, tolerance, i, func(j int, _ float64, _ geom.Vec) {
		if s.sameNet(it, &s.items[j]) && !slices.Contains(first, s.wholeItem(j)) {
			first = append(first, s.wholeItem(j))
		}
	})
	s.eachTouching(int(t.Layer), &end, tolerance, i, func(j int, _ float64, _ geom.Vec) {
		if !s.sameNet(it, &s.items[j]) {
			return
		}
		j = s.wholeItem(j)
		if slices.Contains(last, j) {
			return
		}
		last = append(last, j)
		if k := slices.Index(first, j); k >= 0 {
			first[k] = -1
			both(j)
			return
		}
		connected[1] = true
	})
	for _, j := range first {
		connected[0] = connected[0] || j >= 0
	}
	return connected
}

// wholeItem returns the first item of a zone or of a drawn pad. It represents all fragments of the
// zone or all pieces of the pad. For any other item it returns j.
func (s *checker) wholeItem(j int) int {
	for j > 0 && s.isContinued(&s.items[j-1], &s.items[j]) {
		j--
	}
	return j
}

// isContinued reports whether two consecutive items belong to one zone or to one drawn pad.
func (s *checker) isContinued(a, b *item) bool {
	switch {
	case a.kind != b.kind:
		return false
	case b.kind == zoneItem:
		return a.index == b.index
	case b.kind == padItem:
		group := s.pad(b).Group
		return group > 0 && a.part == b.part && s.pad(a).Group == group
	}
	return false
}

// distanceToAnchor returns the distance from a point to the closest anchor of an item [nm].
func (s *checker) distanceToAnchor(j int, p board.Point) float64 {
	it := &s.items[j]
	switch it.kind {
	case zoneItem:
		return board.Distance(s.b.ZoneCorner(), p)
	case trackItem:
		t := &s.b.Tracks[it.index]
		return math.Min(board.Distance(t.A, p), board.Distance(t.B, p))
	}
	return it.at.Sub(geom.VecOf(p)).Length()
}
