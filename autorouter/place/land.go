package place

import (
	"math"

	"slipstick/autorouter/board"
)

// land makes a placement with overlaps lawful: every part goes to the lawful place nearest to where it is,
// those at edges and large ones first. Where that does not fit, the room around courtyards is given up step by
// step. It reports whether all parts have a place.
func (p *placer) land() bool {
	want := p.snapshot(nil)
	for ; p.halo >= 0; p.halo -= 0.25 {
		if p.landAt(want) {
			return true
		}
		if p.ctx.Err() != nil {
			break
		}
	}
	return false
}

// landAt does so with the present room around courtyards.
func (p *placer) landAt(want []stand) bool {
	p.yards, p.bins = make([]yard, len(p.parts)), newBins(p.box)
	order := p.byArea()
	for i := range p.parts {
		if q := &p.parts[i]; q.fixed {
			p.put(i, q.at, q.v)
		} else {
			q.unlawful = false
		}
	}
	for _, i := range order {
		if q := &p.parts[i]; !q.fixed && q.edge != board.NoEdge && !p.landAtEdge(i, want[i]) {
			return false
		}
	}
	for _, i := range order {
		if q := &p.parts[i]; !q.fixed && q.edge == board.NoEdge && !p.putNear(i, q.centre(want[i].at, want[i].v), want[i].v) {
			return false
		}
	}
	return true
}

// landAtEdge gives a part the lawful place at an edge that is nearest to where it is.
func (p *placer) landAtEdge(i int, want stand) bool {
	q := &p.parts[i]
	best := math.Inf(1)
	var bestAt board.Point
	bestV := -1
	for _, e := range q.edges() {
		for _, v := range q.attitudes(e) {
			for step := range 161 {
				w := p.atEdge(i, v, e, float64(step)/160, 0)
				if d := board.Distance(w, want.at); d < best && p.lawful(i, w, v) {
					best, bestAt, bestV = d, w, v
				}
			}
		}
	}
	if bestV < 0 {
		return false
	}
	p.put(i, bestAt, bestV)
	return true
}
