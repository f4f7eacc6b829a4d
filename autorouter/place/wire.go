package place

import (
	"math"
	"slices"
)

// extent is the box around the pins of a net.
type extent struct{ x0, y0, x1, y1 int64 }

var nowhere = extent{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64}

func (e *extent) add(x, y int64) {
	e.x0, e.y0, e.x1, e.y1 = min(e.x0, x), min(e.y0, y), max(e.x1, x), max(e.y1, y)
}

// half perimeter [nm].
func (e *extent) half() float64 { return float64(e.x1 - e.x0 + e.y1 - e.y0) }

// extentOf a net as its parts stand.
func (p *placer) extentOf(n int) extent {
	e := nowhere
	for _, pk := range p.nets[n].pins {
		q := &p.parts[pk[0]]
		at := q.variants[q.v].pins[pk[1]].at
		e.add(q.at.X+at.X, q.at.Y+at.Y)
	}
	return e
}

// halfPerimeter of the box around a net's pins [nm].
func (p *placer) halfPerimeter(n int) float64 {
	if len(p.nets[n].pins) < 2 {
		return 0
	}
	e := p.extentOf(n)
	return e.half()
}

// measured is the extent that a net had.
type measured struct {
	net    int
	extent extent
}

// remeasure takes the extents of all nets anew.
func (p *placer) remeasure() {
	p.extents = make([]extent, len(p.nets))
	for n := range p.nets {
		p.extents[n] = p.extentOf(n)
	}
}

// measure takes the extents of the nets of parts that have moved anew. It notes what they were and returns by how
// much the weighted half perimeters have grown.
func (p *placer) measure(cs []change) float64 {
	p.before = p.before[:0]
	grown := 0.0
	for at, c := range cs {
		for k, n := range p.parts[c.part].nets {
			if at == 1 && slices.Contains(p.parts[cs[0].part].nets, n) {
				had := p.extents[n] // taken as if only the first part had moved
				p.extents[n] = p.extentOf(n)
				grown += p.nets[n].weight * (p.extents[n].half() - had.half())
				continue
			}
			grown += p.measureNet(c.part, k, c.from)
		}
	}
	return grown
}

// measureNet measures the k-th net of a part that stood elsewhere: all its pins only where one of the part's
// was at the rim.
func (p *placer) measureNet(i, k int, from stand) float64 {
	q := &p.parts[i]
	n := q.nets[k]
	had := p.extents[n]
	p.before = append(p.before, measured{n, had})
	is, rim := had, false
	for _, pin := range q.on[k] {
		was := from.at.Add(q.variants[from.v].pins[pin].at)
		rim = rim || was.X == had.x0 || was.X == had.x1 || was.Y == had.y0 || was.Y == had.y1
		to := q.at.Add(q.variants[q.v].pins[pin].at)
		is.add(to.X, to.Y)
	}
	if rim {
		is = p.extentOf(n)
	}
	p.extents[n] = is
	return p.nets[n].weight * (is.half() - had.half())
}

// unmeasure puts back what the last measure noted.
func (p *placer) unmeasure() {
	for _, m := range p.before {
		p.extents[m.net] = m.extent
	}
}
