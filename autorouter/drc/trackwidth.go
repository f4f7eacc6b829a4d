package drc

import "slipstick/autorouter/board"

// trackWidth reports tracks narrower than their class or the fab requires (KiCad: track_width). If
// necks are allowed, the neck width replaces the class width here, and neck_length checks the
// tracks below the class width.
var trackWidth = rule{name: "track_width", severity: Error,
	check: func(s *checker, f *collector) error {
		for i := range s.items {
			it := &s.items[i]
			if it.kind != trackItem {
				continue
			}
			least := s.requiredWidth(it.net)
			if s.b.Rules.NeckWidth > 0 && s.b.Rules.NeckLength > 0 {
				least = min(least, s.b.Rules.NeckWidth)
			}
			limit := float64(max(least, s.b.Rules.MinTrack))
			if width := float64(s.b.Tracks[it.index].Width); tooSmall(width, limit) {
				f.add(violation{
					at: it.at, layer: s.layer(it), items: []string{s.name(i)}, actual: width,
					required: limit,
					message:  "Track width " + limits(limit, width) + " on " + s.name(i),
				})
			}
		}
		return nil
	}}

// requiredWidth returns the required track width of a net [nm]: the class width, or more if its
// current requires it.
func (s *checker) requiredWidth(net int) int64 {
	if net == board.NoNet {
		return s.b.Rules.Classes[0].TrackWidth
	}
	return s.b.Rules.Class(&s.b.Nets[net]).TrackWidth
}
