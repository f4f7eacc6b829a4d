package drc

import "fmt"

// isolatedCopper: an island of tracks, vias or pours that no pad belongs to (KiCad:
// isolated_copper). One violation an island.
var isolatedCopper = rule{name: "isolated_copper", severity: Warning, check: func(s *survey, f *findings) error {
	padded := make([]bool, len(s.items))
	size := make([]int, len(s.items))
	for i := range s.items {
		root := s.island(i)
		size[root]++
		padded[root] = padded[root] || s.items[i].kind == padItem
	}
	for i := range s.items {
		if size[i] == 0 || padded[i] {
			continue
		}
		it := &s.items[i]
		message := "Isolated copper: " + s.full(i)
		if n := size[i] - 1; n > 0 {
			message += fmt.Sprintf(" and %d more", n)
		}
		f.add(finding{at: it.at, layer: it.layer(), items: []string{s.name(i)}, message: message})
	}
	return s.ctx.Err()
}}
