package drc

import "fmt"

// isolatedCopper reports each cluster of tracks, vias or pours that contains no pad (KiCad:
// isolated_copper).
var isolatedCopper = rule{name: "isolated_copper", severity: Warning,
	check: func(s *checker, f *collector) error {
		padded := make([]bool, len(s.items))
		size := make([]int, len(s.items))
		for i := range s.items {
			root := s.cluster(i)
			size[root]++
			padded[root] = padded[root] || s.items[i].kind == padItem
		}
		for i := range s.items {
			if size[i] == 0 || padded[i] {
				continue
			}
			it := &s.items[i]
			message := "Isolated copper: " + s.describe(i)
			if n := size[i] - 1; n > 0 {
				message += fmt.Sprintf(" and %d more", n)
			}
			f.add(violation{at: it.at, layer: s.layer(it), items: []string{s.name(i)},
				message: message})
		}
		return s.ctx.Err()
	}}
