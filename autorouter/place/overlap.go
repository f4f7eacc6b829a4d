package place

import (
	"math"

	"slipstick/autorouter/board"
)

// courtyardArea holds the courtyard of a placed part, and the courtyard enlarged by the wanted and
// by the required halo. Its layer set is empty if the part is not placed.
type courtyardArea struct {
	wanted, required, courtyard board.Rect
	layers                      board.LayerSet
}

// setWantedHalo chooses the largest wanted halo with which the parts fill at most maxFill of the
// board. It then updates the courtyard areas of all parts.
func (p *placer) setWantedHalo() {
	for p.wantedHalo = wantedHaloFactor; p.wantedHalo > 0; p.wantedHalo -= 0.25 {
		total := 0.0
		for i := range p.parts {
			y := p.courtyardAt(i, p.parts[i].at, p.parts[i].orientation)
			total += float64(y.wanted.Width()) * float64(y.wanted.Height())
		}
		if total <= maxFill*math.Abs(p.outline.Area()) {
			break
		}
	}
	for i := range p.parts {
		p.setPose(i, p.parts[i].at, p.parts[i].orientation)
	}
}

// courtyardAt returns the courtyard area of a part at a pose.
func (p *placer) courtyardAt(i int, where board.Point, v int) courtyardArea {
	q := &p.parts[i]
	court := q.orientations[v].courtyard.Translated(where)
	core := court.Grown(int64(float64(q.halo) * p.requiredHalo))
	return courtyardArea{court.Grown(int64(float64(q.halo) * max(p.requiredHalo, p.wantedHalo))),
		core, court, p.layers(q, v)}
}

// pairOverlap returns the overlap of two parts with their wanted halos [mm²]. For associated parts
// it is the overlap of their courtyards, one enlarged by associatedGap.
func (p *placer) pairOverlap(i int, y *courtyardArea, j int, o *courtyardArea) float64 {
	if y.layers&o.layers == 0 {
		return 0
	}
	a, b := y.wanted, o.wanted
	if p.areAssociated(i, j) {
		a, b = y.courtyard.Grown(p.associatedGap(i, j)), o.courtyard
	}
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return float64(w) / 1e6 * float64(h) / 1e6
}

// overlap returns the total overlap of the moved parts with each other and with all other parts
// [mm²]. The function yard returns the courtyard area of a moved part, before or after the move.
func (p *placer) overlap(cs []move, yard func(*move) *courtyardArea) float64 {
	total := 0.0
	for k := range cs {
		total += p.othersOverlap(cs[k].part, yard(&cs[k]), cs)
	}
	if len(cs) == 2 {
		total += p.pairOverlap(cs[0].part, yard(&cs[0]), cs[1].part, yard(&cs[1]))
	}
	return total
}

// othersOverlap returns the overlap of a part's courtyard with the courtyards of placed parts that
// are not moving [mm²].
func (p *placer) othersOverlap(i int, y *courtyardArea, cs []move) float64 {
	total := 0.0
	p.stamp++ // marks parts that are already counted or excluded
	for _, c := range cs {
		p.counted[c.part] = p.stamp
	}
	c0, r0, c1, r1 := p.bins.Range(y.wanted)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, j := range p.bins.At(col, row) {
				if o := &p.courtyards[j]; o.wanted.Overlaps(y.wanted) && p.counted[j] != p.stamp {
					p.counted[j] = p.stamp
					total += p.pairOverlap(i, y, int(j), o)
				}
			}
		}
	}
	return total
}
