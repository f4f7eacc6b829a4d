package place

import (
	"math"
	"slices"
)

// boundingBox is the box around the pins of a net.
type boundingBox struct{ x0, y0, x1, y1 int64 }

var emptyBox = boundingBox{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64}

func (e *boundingBox) add(x, y int64) {
	e.x0, e.y0, e.x1, e.y1 = min(e.x0, x), min(e.y0, y), max(e.x1, x), max(e.y1, y)
}

// halfPerimeter returns half of the box's perimeter [nm].
func (e *boundingBox) halfPerimeter() float64 { return float64(e.x1 - e.x0 + e.y1 - e.y0) }

// netBox returns the bounding box of a net in the current placement.
func (p *placer) netBox(n int) boundingBox {
	e := emptyBox
	for _, pk := range p.nets[n].pins {
		q := &p.parts[pk[0]]
		at := q.orientations[q.orientation].pins[pk[1]].at
		e.add(q.at.X+at.X, q.at.Y+at.Y)
	}
	return e
}

// netHPWL returns the half-perimeter wirelength of a net [nm].
func (p *placer) netHPWL(n int) float64 {
	if len(p.nets[n].pins) < 2 {
		return 0
	}
	e := p.netBox(n)
	return e.halfPerimeter()
}

// savedBox is the bounding box of a net before a move.
type savedBox struct {
	net int
	box boundingBox
}

// computeBoxes recomputes all net bounding boxes.
func (p *placer) computeBoxes() {
	p.netBoxes = make([]boundingBox, len(p.nets))
	for n := range p.nets {
		p.netBoxes[n] = p.netBox(n)
	}
}

// updateHPWL updates the bounding boxes of the nets of moved parts and saves the old boxes. It
// returns the change of the weighted half-perimeter wirelength [nm].
func (p *placer) updateHPWL(cs []move) float64 {
	p.savedBoxes = p.savedBoxes[:0]
	grown := 0.0
	for at, c := range cs {
		for k, n := range p.parts[c.part].nets {
			if at == 1 && slices.Contains(p.parts[cs[0].part].nets, n) {
				had := p.netBoxes[n] // updated for the first part only, so recompute for both
				p.netBoxes[n] = p.netBox(n)
				grown += p.nets[n].weight * (p.netBoxes[n].halfPerimeter() - had.halfPerimeter())
				continue
			}
			grown += p.updateNet(c.part, k, c.from)
		}
	}
	return grown
}

// updateNet updates the k-th net of moved part i and returns the change of its weighted
// half-perimeter wirelength [nm]. It rescans all pins only if a moved pin was on the bounding box.
func (p *placer) updateNet(i, k int, from pose) float64 {
	q := &p.parts[i]
	n := q.nets[k]
	old := p.netBoxes[n]
	p.savedBoxes = append(p.savedBoxes, savedBox{n, old})
	box, onBoundary := old, false
	for _, pin := range q.pinsOn[k] {
		from := from.at.Add(q.orientations[from.orientation].pins[pin].at)
		onBoundary = onBoundary || from.X == old.x0 || from.X == old.x1 || from.Y == old.y0 ||
			from.Y == old.y1
		to := q.at.Add(q.orientations[q.orientation].pins[pin].at)
		box.add(to.X, to.Y)
	}
	if onBoundary {
		box = p.netBox(n)
	}
	p.netBoxes[n] = box
	return p.nets[n].weight * (box.halfPerimeter() - old.halfPerimeter())
}

// undoHPWL restores the boxes saved by the last updateHPWL.
func (p *placer) undoHPWL() {
	for _, m := range p.savedBoxes {
		p.netBoxes[m.net] = m.box
	}
}
