package place

import (
	"math"
	"slices"
)

// demand returns the track area that the half perimeters of the nets require, divided by the area
// of the track layers. Tracks have the width and clearance of the default class. Nets with a pour
// do not count.
func (p *placer) demand() float64 {
	if len(p.opt.Rules.Classes) == 0 {
		return 0
	}
	class, length := &p.opt.Rules.Classes[0], 0.0
	for n := range p.nl.Nets {
		if p.nets[n].weight > pouredWeight {
			length += p.netHPWL(n)
		}
	}
	layers := p.copper.All().Count() - p.opt.Rules.PlaneLayers().Count()
	return length * float64(class.TrackWidth+class.Clearance) /
		(float64(max(1, layers)) * math.Abs(p.outline.Area()))
}

// isCongested reports whether the nets of a board with many parts need a large share of the track
// area.
func (p *placer) isCongested() bool {
	return len(p.parts) >= congestedParts && p.demand() > congestedDemand
}

// mayRepeat reports whether the annealing may start again. Time must be left, all parts must be
// legal, and no part may have an initial position whose influence would be lost.
func (p *placer) mayRepeat() bool {
	return !p.timeUp() && !slices.ContainsFunc(p.parts, func(q part) bool {
		return q.illegal || q.initial != nil
	})
}
