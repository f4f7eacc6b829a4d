package drc

import "slipstick/autorouter/board"

// danglingTrack: the round end of a track touches no other copper of its net (KiCad: track_dangling).
var danglingTrack = rule{name: "dangling_track", severity: Warning, check: func(s *survey, f *findings) error {
	for i := range s.items {
		it := &s.items[i]
		if it.kind != trackItem {
			continue
		}
		if i%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		t := &s.b.Tracks[it.index]
		for _, p := range []board.Point{t.A, t.B} {
			end := disc(vecOf(p), t.Width)
			held := false
			s.touch(int(t.Layer), &end, tolerance, i, func(j int, gap float64, _ vec) {
				held = held || s.oneNet(it, &s.items[j])
			})
			if !held {
				f.add(finding{
					at: vecOf(p), layer: it.layer(), items: []string{s.name(i)},
					message: "Track has an unconnected end on " + s.name(i),
				})
			}
		}
	}
	return nil
}}
