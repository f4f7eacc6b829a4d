package place

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// construct gives every part its first legal position. If the parts do not fit and mayGrow is
// false, edge parts take the corners before mounting holes. If that fails too, the parts give up
// their isolation. The result reports whether all movable parts are legal and all edge parts are at
// an edge.
func (p *placer) construct(mayGrow bool) bool {
	for _, p.isolated = range []bool{true, false} {
		for _, p.holesFirst = range []bool{true, false} {
			switch first := p.isolated && p.holesFirst; {
			case !first && (mayGrow || p.ctx.Err() != nil):
				return false
			case !p.isolated && !p.needsIsolation, !p.holesFirst && !p.hasFreeHoles():
			case p.constructWithHalo():
				return true
			}
		}
	}
	return false
}

// constructWithHalo places mounting holes and parts at board edges first. The other parts follow in
// the order of their connections to the placed parts, with a bonus for large parts. If that fails,
// they follow in the order of their size. Each is placed as close as possible to its connected
// pins. If the halos do not fit, they shrink step by step. The result is that of construct.
func (p *placer) constructWithHalo() bool {
	for _, halo := range []float64{1, 0.75, 0.5, 0.25, 0} {
		for _, bySize := range []bool{false, true} {
			if last := halo == 0 && bySize; !last && p.timeUp() {
				continue
			}
			p.requiredHalo, p.wantedHalo = halo, 0
			if p.constructWith(bySize) {
				return true
			}
			if p.ctx.Err() != nil {
				return false
			}
		}
	}
	return false
}

func (p *placer) constructWith(bySize bool) bool {
	p.courtyards, p.bins = make([]courtyardArea, len(p.parts)), geom.NewBins(p.box, binSize)
	for i := range p.parts {
		q := &p.parts[i]
		q.placed, q.illegal, q.corner = false, false, false
		if q.fixed {
			p.setPose(i, q.at, q.orientation)
		}
	}
	ok := true
	for i := range p.parts {
		if q := &p.parts[i]; q.fixed && !p.isLegal(i, q.at, q.orientation) {
			q.illegal = true // reported to the user; another board size would not help
		}
	}
	if p.holesFirst {
		p.placeInCorners()
	}
	order := p.byArea()
	for _, i := range order {
		if q := &p.parts[i]; !q.placed && q.edge != board.NoEdge {
			want := pose{p.netCentroid(i), q.orientation}
			ok = (p.placeAtEdge(i) || p.packEdge(i, want)) && ok
		}
	}
	if !p.holesFirst {
		p.placeInCorners()
	}
	p.placeFiducials()
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
				score += p.connectivity(i) + math.Sqrt(q.area)/4e6
			}
			if score > bestScore {
				best, bestScore = i, score
			}
		}
		if best < 0 {
			return ok
		}
		if !p.placeNear(best, p.netCentroid(best), -1) {
			ok = false
			if p.requiredHalo > 0 || !bySize {
				return false // another attempt with smaller halos follows
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

// connectivity returns the total weight of the nets that a part shares with placed parts. The
// weight of a net is divided by the number of its other parts.
func (p *placer) connectivity(i int) float64 {
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

// netCentroid returns the weighted mean position of the placed pins that part i is connected to. If
// there are none, it returns the centre of the board. For a part with an initial position it
// returns that position, clamped to the bounding box of the board.
func (p *placer) netCentroid(i int) board.Point {
	if h := p.parts[i].initial; h != nil {
		return board.Point{X: min(max(h.X, p.box.Min.X), p.box.Max.X),
			Y: min(max(h.Y, p.box.Min.Y), p.box.Max.Y)}
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
			at := o.at.Add(o.current().pins[pk[1]].at)
			x, y, sum = x+w*float64(at.X), y+w*float64(at.Y), sum+w
		}
	}
	if sum == 0 {
		return board.Point{X: (p.box.Min.X + p.box.Max.X) / 2, Y: (p.box.Min.Y + p.box.Max.Y) / 2}
	}
	return board.Point{X: int64(x / sum), Y: int64(y / sum)}
}

func (p *placer) placeAtEdge(i int) bool {
	q := &p.parts[i]
	want := p.netCentroid(i)
	best := math.Inf(1)
	var bestAt board.Point
	bestV := -1
	for _, e := range q.edges() {
		for _, v := range q.edgeOrientations(e) {
			for step := range 81 {
				for _, inset := range []int64{0, 300e3, 700e3} {
					w := p.atEdge(i, v, e, float64(step)/80, inset)
					d := board.Distance(w, want) + float64(inset)
					if d < best && p.isLegal(i, w, v) {
						best, bestAt, bestV = d, w, v
					}
				}
			}
		}
	}
	if bestV < 0 {
		return false // the caller places the part anywhere on the board
	}
	p.setPose(i, bestAt, bestV)
	return true
}

// placeNear places a part at the legal position closest to a point and reports whether it found
// one. Otherwise it places the part at the point and marks it as illegal, unless the context is
// cancelled. Unless only is -1, the part must have the orientation with that index. The search
// proceeds outwards in rings, first in steps of 1 mm, then of 0.25 mm.
func (p *placer) placeNear(i int, want board.Point, only int) bool {
	q := &p.parts[i]
	for _, step := range []int64{board.Millimetre, board.MM(0.25)} {
		rings := int(max(p.box.Width(), p.box.Height())/step) + 1
		best := math.Inf(1)
		var bestAt board.Point
		bestV := -1
		try := func(dx, dy int) {
			for v := range q.orientations {
				if only >= 0 && v != only {
					continue
				}
				if q.initial != nil && v != q.orientation && bestV < 0 && dx == 0 && dy == 0 {
					continue
				}
				c := q.orientations[v].courtyard
				mid := board.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y) / 2}
				w := q.snapped(want.Add(board.Point{X: int64(dx) * step,
					Y: int64(dy) * step}).Sub(mid), v)
				off := w.Add(mid).Sub(want)
				if x, y := float64(off.X), float64(off.Y); x*x+y*y > 1.001*best*best {
					continue
				}
				if !p.isLegal(i, w, v) {
					continue
				}
				// The square root is slow, so it comes after the cheaper tests.
				d := board.Distance(w.Add(mid), want)
				if q.orientations[v].side == board.BottomSide {
					d += bottomSideCost
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
			p.setPose(i, bestAt, bestV)
			return true
		}
	}
	p.setPose(i, q.snapped(want, q.orientation), q.orientation)
	q.illegal = true
	return false
}
