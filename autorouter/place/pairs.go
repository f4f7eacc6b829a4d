package place

// bindPairs prepares the nets of the differential pairs. A higher weight places the terminals of a
// pair near each other and favours orientations in which its tracks need not cross. Two two-pad
// parts with the same footprint, such as series resistors, may each have a pad on one net of the
// pair. An additional net then connects these two pads, so that the router can use them as an end
// of the pair.
func (p *placer) bindPairs() {
	for _, pair := range p.opt.Rules.Pairs {
		for _, n := range [2]int{pair.Positive, pair.Negative} {
			if p.nets[n].weight < pairWeight && p.nets[n].weight != pouredWeight {
				p.nets[n].weight = pairWeight
			}
		}
		used := map[int]bool{}
		for _, a := range p.nets[pair.Positive].pins {
			for _, b := range p.nets[pair.Negative].pins {
				if used[b[0]] || !p.haveEqualFootprints(a[0], b[0]) {
					continue
				}
				used[b[0]] = true
				p.nets = append(p.nets, net{weight: pairLinkWeight})
				p.addPin(len(p.nets)-1, a[0], a[1])
				p.addPin(len(p.nets)-1, b[0], b[1])
				break
			}
		}
	}
}

// haveEqualFootprints reports whether i and j are different parts with two pads and the same
// footprint.
func (p *placer) haveEqualFootprints(i, j int) bool {
	return i != j && len(p.parts[i].orientations[0].pins) == 2 &&
		p.nl.Components[i].Footprint.Name == p.nl.Components[j].Footprint.Name
}
