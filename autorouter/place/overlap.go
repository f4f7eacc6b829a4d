package place

import (
	"math"

	"slipstick/autorouter/board"
)

// yard is the courtyard of a placed part, with the room it must have around it, its core, and with the
// room it wants; no layers for a part that is not placed.
type yard struct {
	area, core, court board.Rect
	layers            uint8
}

// A part wants room of so many halos around its courtyard, as far as the yards of all parts then fill no more
// than this share of the board. It is given room of one halo only where that fits, and the rest at a price.
const (
	generous = 1.75
	filled   = 0.7
)

// makeAmple decides how much room the parts want, and gives them their yards.
func (p *placer) makeAmple() {
	for p.ample = generous; p.ample > 0; p.ample -= 0.25 {
		total := 0.0
		for i := range p.parts {
			y := p.yard(i, p.parts[i].at, p.parts[i].v)
			total += float64(y.area.Width()) * float64(y.area.Height())
		}
		if total <= filled*math.Abs(p.outline.Area()) {
			break
		}
	}
	for i := range p.parts {
		p.put(i, p.parts[i].at, p.parts[i].v)
	}
}

// yard of a part at a place.
func (p *placer) yard(i int, where board.Point, v int) yard {
	q := &p.parts[i]
	court := at(q.variants[v].court, where)
	core := court.Grown(int64(float64(q.halo) * p.halo))
	return yard{court.Grown(int64(float64(q.halo) * max(p.halo, p.ample))), core, court, q.layers(v)}
}

// over is how much of the yard of a part lies over that of another [mm²]; of two parts of which one serves the
// other, how much of the courtyards with the little room between them.
func (p *placer) over(i int, y *yard, j int, o *yard) float64 {
	if y.layers&o.layers == 0 {
		return 0
	}
	a, b := y.area, o.area
	if p.mates(i, j) {
		a, b = y.court.Grown(p.mateGap(i, j)), o.court
	}
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return float64(w) / 1e6 * float64(h) / 1e6
}

// overlap is how much of the yards that a change is about, before it or after it, lies over each other and over
// those of the other parts [mm²].
func (p *placer) overlap(cs []change, yard func(*change) *yard) float64 {
	total := 0.0
	for k := range cs {
		total += p.overlapOthers(cs[k].part, yard(&cs[k]), cs)
	}
	if len(cs) == 2 {
		total += p.over(cs[0].part, yard(&cs[0]), cs[1].part, yard(&cs[1]))
	}
	return total
}

// overlapOthers is how much of a part's yard lies over those of the placed parts that a change is not about [mm²].
func (p *placer) overlapOthers(i int, y *yard, cs []change) float64 {
	total := 0.0
	p.stamp++ // parts that have been looked at, or are not to be
	for _, c := range cs {
		p.counted[c.part] = p.stamp
	}
	c0, r0, c1, r1 := p.bins.span(y.area)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, j := range p.bins.parts[row*p.bins.cols+col] {
				if o := &p.yards[j]; o.area.Overlaps(y.area) && p.counted[j] != p.stamp {
					p.counted[j] = p.stamp
					total += p.over(i, y, int(j), o)
				}
			}
		}
	}
	return total
}
