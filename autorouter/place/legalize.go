package place

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// legalize removes overlaps by greedy legalization (after Hill's Tetris, US patent 6,370,673).
// Every part moves to the legal position closest to its desired position, edge parts and large
// parts first. If that fails, the required halo shrinks step by step. The result reports whether
// all parts are legal.
func (p *placer) legalize() bool {
	desired := p.snapshot(nil)
	for ; p.requiredHalo >= 0; p.requiredHalo -= 0.25 {
		if p.legalizeWith(desired) {
			return true
		}
		if p.ctx.Err() != nil {
			break
		}
	}
	return false
}

// legalizeWith runs legalize with the current halo and reports whether all parts are legal.
func (p *placer) legalizeWith(desired []pose) bool {
	p.courtyards, p.bins = make([]courtyardArea, len(p.parts)), geom.NewBins(p.box, binSize)
	order := p.byArea()
	for i := range p.parts {
		if q := &p.parts[i]; q.stays() {
			p.setPose(i, q.at, q.orientation)
		} else {
			q.illegal = false
		}
	}
	for _, i := range order {
		if q := &p.parts[i]; !q.stays() && q.edge != board.NoEdge &&
			!p.legalizeAtEdge(i, desired[i]) {
			return false
		}
	}
	for _, i := range order {
		if q := &p.parts[i]; !q.stays() && q.edge == board.NoEdge &&
			!p.placeNear(i, q.centre(desired[i].at, desired[i].orientation),
				desired[i].orientation) {
			return false
		}
	}
	return true
}

// legalizeAtEdge moves part i to the legal position at an edge that is closest to its desired
// position. Without one, it packs the parts of the edge. It reports whether the part is legal.
func (p *placer) legalizeAtEdge(i int, desired pose) bool {
	q := &p.parts[i]
	best := math.Inf(1)
	var bestAt board.Point
	bestV := -1
	for _, e := range q.edges() {
		for _, v := range q.edgeOrientations(e) {
			for step := range 161 {
				w := p.atEdge(i, v, e, float64(step)/160, 0)
				if d := board.Distance(w, desired.at); d < best && p.isLegal(i, w, v) {
					best, bestAt, bestV = d, w, v
				}
			}
		}
	}
	if bestV < 0 {
		return p.packEdge(i, desired)
	}
	p.setPose(i, bestAt, bestV)
	return true
}
