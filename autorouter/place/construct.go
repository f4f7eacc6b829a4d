package place

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// construct gives every part a first lawful place: parts at edges first, then the one most
// connected to what already stands (large ones before small), as near as it can be to the pins
// it is connected to. When the room around courtyards does not fit it is given up step by step.
// It reports whether all parts are lawful.
func (p *placer) construct() bool {
	for _, halo := range []float64{1, 0.75, 0.5, 0.25, 0} {
		for _, bySize := range []bool{false, true} {
			if last := halo == 0 && bySize; !last && p.timeUp() {
				continue
			}
			p.halo, p.ample = halo, 0
			if p.fill(bySize) {
				return true
			}
			if p.ctx.Err() != nil {
				return false
			}
		}
	}
	return false
}

func (p *placer) fill(bySize bool) bool {
	p.yards, p.bins = make([]yard, len(p.parts)), newBins(p.box)
	for i := range p.parts {
		q := &p.parts[i]
		q.placed, q.unlawful = false, false
		if q.fixed {
			p.put(i, q.at, q.v)
		}
	}
	ok := true
	for i := range p.parts {
		if q := &p.parts[i]; q.fixed && !p.lawful(i, q.at, q.v) {
			q.unlawful = true // reported, but no reason to try another size
		}
	}
	order := p.byArea()
	for _, i := range order {
		if q := &p.parts[i]; !q.placed && q.edge != board.NoEdge {
			ok = p.putAtEdge(i) && ok
		}
	}
	for {
		best, bestScore := -1, math.Inf(-1)
		for rank, i := range order {
			q := &p.parts[i]
			if q.placed {
				continue
			}
			score := -float64(rank) * 1e-6
			if bySize {
				score += q.area
			} else {
				score += p.attraction(i) + math.Sqrt(q.area)/4e6
			}
			if score > bestScore {
				best, bestScore = i, score
			}
		}
		if best < 0 {
			return ok
		}
		if !p.putNear(best, p.pull(best), -1) {
			ok = false
			if p.halo > 0 || !bySize {
				return false // a denser attempt follows
			}
		}
		if p.ctx.Err() != nil {
			return false
		}
	}
}

func (p *placer) byArea() []int {
	order := make([]int, len(p.parts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(p.parts[j].area, p.parts[i].area), cmp.Compare(i, j))
	})
	return order
}

// attraction is the weight of the nets a part shares with placed parts.
func (p *placer) attraction(i int) float64 {
	total := 0.0
	for _, n := range p.parts[i].nets {
		t := &p.nets[n]
		for _, j := range t.parts {
			if j != i && p.parts[j].placed {
				total += t.weight / float64(len(t.parts)-1)
				break
			}
		}
	}
	return total
}

// pull is the weighted mean of the placed pins a part is connected to; the middle of the board
// when there are none.
func (p *placer) pull(i int) board.Point {
	if h := p.parts[i].hint; h != nil {
		return board.Point{X: min(max(h.X, p.box.Min.X), p.box.Max.X), Y: min(max(h.Y, p.box.Min.Y), p.box.Max.Y)}
	}
	var x, y, sum float64
	for _, n := range p.parts[i].nets {
		t := &p.nets[n]
		for _, pk := range t.pins {
			o := &p.parts[pk[0]]
			if pk[0] == i || !o.placed {
				continue
			}
			w := t.weight / float64(len(t.pins))
			at := o.at.Add(o.cur().pins[pk[1]].at)
			x, y, sum = x+w*float64(at.X), y+w*float64(at.Y), sum+w
		}
	}
	if sum == 0 {
		return board.Point{X: (p.box.Min.X + p.box.Max.X) / 2, Y: (p.box.Min.Y + p.box.Max.Y) / 2}
	}
	return board.Point{X: int64(x / sum), Y: int64(y / sum)}
}

func (p *placer) putAtEdge(i int) bool {
	q := &p.parts[i]
	want := p.pull(i)
	best := math.Inf(1)
	var bestAt board.Point
	bestV := -1
	for _, e := range q.edges() {
		for _, v := range q.attitudes(e) {
			for step := range 81 {
				for _, inset := range []int64{0, 300e3, 700e3} {
					w := p.atEdge(i, v, e, float64(step)/80, inset)
					d := board.Distance(w, want) + float64(inset)
					if d < best && p.lawful(i, w, v) {
						best, bestAt, bestV = d, w, v
					}
				}
			}
		}
	}
	if bestV < 0 {
		return false // it is tried like any other part, anywhere
	}
	p.put(i, bestAt, bestV)
	return true
}

// putNear gives a part the lawful place nearest to a point, in one attitude only or with -1 in any. It searches
// outwards in rings, first in steps of 1 mm, then of 0.25 mm.
func (p *placer) putNear(i int, want board.Point, only int) bool {
	q := &p.parts[i]
	for _, step := range []int64{board.Millimetre, board.MM(0.25)} {
		rings := int(max(p.box.Width(), p.box.Height())/step) + 1
		best := math.Inf(1)
		var bestAt board.Point
		bestV := -1
		try := func(dx, dy int) {
			for v := range q.variants {
				if only >= 0 && v != only {
					continue
				}
				if q.hint != nil && v != q.v && bestV < 0 && dx == 0 && dy == 0 {
					continue
				}
				c := q.variants[v].court
				mid := board.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y) / 2}
				w := q.snapped(want.Add(board.Point{X: int64(dx) * step, Y: int64(dy) * step}).Sub(mid), v)
				off := w.Add(mid).Sub(want)
				if x, y := float64(off.X), float64(off.Y); x*x+y*y > 1.001*best*best {
					continue
				}
				if !p.lawful(i, w, v) {
					continue
				}
				d := board.Distance(w.Add(mid), want) // a root is dear: not before it is needed
				if q.variants[v].side == board.Bottom {
					d += belowCost
				}
				if d < best {
					best, bestAt, bestV = d, w, v
				}
			}
		}
		for r := 0; r <= rings; r++ {
			if bestV >= 0 && float64(int64(r)*step) > best {
				break
			}
			for k := -r; k <= r; k++ {
				try(k, -r)
				try(k, r)
				if k > -r && k < r {
					try(-r, k)
					try(r, k)
				}
			}
			if r&15 == 15 && p.ctx.Err() != nil {
				return false
			}
		}
		if bestV >= 0 {
			p.put(i, bestAt, bestV)
			return true
		}
	}
	p.put(i, q.snapped(want, q.v), q.v)
	q.unlawful = true
	return false
}
