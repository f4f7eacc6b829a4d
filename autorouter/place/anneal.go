package place

import (
	"math"

	"slipstick/autorouter/board"
)

// halfPerimeter of the bounding box of a net's pins [nm].
func (p *placer) halfPerimeter(n int) float64 {
	t := &p.nets[n]
	if len(t.pins) < 2 {
		return 0
	}
	x0, y0 := int64(math.MaxInt64), int64(math.MaxInt64)
	x1, y1 := int64(math.MinInt64), int64(math.MinInt64)
	for _, pk := range t.pins {
		q := &p.parts[pk[0]]
		at := q.variants[q.v].pins[pk[1]].at
		x, y := q.at.X+at.X, q.at.Y+at.Y
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	return float64(x1 - x0 + y1 - y0)
}

// belowCost is the wire [nm] that putting a part at the bottom must save: assembling a second
// side costs more than some track.
const belowCost = 10e6

// measured is the length that a net had.
type measured struct {
	net    int
	length float64
}

// measure takes the lengths of the nets of up to two parts anew and notes what they were.
func (p *placer) measure(a, b int) {
	p.before = p.before[:0]
	for _, i := range [2]int{a, b} {
		if i >= 0 {
			for _, n := range p.parts[i].nets {
				p.before = append(p.before, measured{n, p.lengths[n]})
				p.lengths[n] = p.halfPerimeter(n)
			}
		}
	}
}

// unmeasure puts back the lengths before the last measure; a net of both parts is noted twice.
func (p *placer) unmeasure() {
	for i := len(p.before) - 1; i >= 0; i-- {
		p.lengths[p.before[i].net] = p.before[i].length
	}
}

// costOf is the cost of the nets of up to two parts, each net once, as they were measured.
func (p *placer) costOf(a, b int) float64 {
	total := 0.0
	for _, n := range p.parts[a].nets {
		total += p.nets[n].weight * p.lengths[n]
	}
	if b >= 0 {
	next:
		for _, n := range p.parts[b].nets {
			for _, m := range p.parts[a].nets {
				if m == n {
					continue next
				}
			}
			total += p.nets[n].weight * p.lengths[n]
		}
	}
	for _, i := range [2]int{a, b} {
		if i >= 0 && p.parts[i].cur().side == board.Bottom {
			total += belowCost
		}
	}
	return total
}

// The schedule of the annealing. Temperatures are nanometres of wire; the window of moves follows the
// share of moves that are taken, which is kept near wantedShare.
const (
	hottest       = 20e6
	hottestHinted = 1e6 // start hints are to be felt
	coldest       = 0.15e6
	wantedShare   = 0.44
	smallestReach = 2e6 // nm
	movesPerPart  = 15000
	manyParts     = 30 // more of them take more moves each
	batch         = 256
)

// anneal improves the placement by simulated annealing over lawful placements only (Sechen and
// Sangiovanni-Vincentelli, "The TimberWolf placement and routing package", 1985), with the range of moves
// ruled by their success (Betz and Rose, "VPR", 1997, after Lam and Delosme). The best placement seen is kept.
func (p *placer) anneal() {
	var movable []int
	for i := range p.parts {
		if q := &p.parts[i]; !q.fixed && !q.unlawful {
			movable = append(movable, i)
		}
	}
	if len(movable) == 0 {
		return
	}
	count := float64(len(movable))
	total := int(count * movesPerPart * max(1, math.Cbrt(count/manyParts)) * map[Effort]float64{Fast: 0.2, Normal: 1, High: 3.5}[p.opt.Effort])
	side := float64(max(p.box.Width(), p.box.Height()))
	hot := hottest
	for i := range p.parts {
		if p.parts[i].hint != nil {
			hot = hottestHinted
		}
	}
	p.lengths = make([]float64, len(p.nets))
	for n := range p.nets {
		p.lengths[n] = p.halfPerimeter(n)
	}
	p.spread = p.spreading()
	now, best := 0.0, 0.0
	temp, window, taken := hot, side/2, 0
	keep := p.snapshot(nil)
	for k := range total {
		p.moves++
		done := float64(k) / float64(total)
		if k%batch == 0 {
			if p.ctx.Err() != nil {
				return
			}
			temp = hot * math.Pow(coldest/hot, done)
			if k > 0 {
				window = min(max(window*(1-wantedShare+float64(taken)/batch), smallestReach), side)
			}
			taken = 0
			if p.opt.Progress != nil && k&8191 == 0 {
				p.opt.Progress(done)
			}
		}
		i := movable[p.rng.IntN(len(movable))]
		change := p.move(i, movable, window, temp)
		if change != 0 {
			taken++
		}
		now += change
		if now < best-1 && done > 0.5 {
			best = now
			keep = p.snapshot(keep)
		}
	}
	if now > best {
		for i, s := range keep {
			p.put(i, s.at, s.v)
		}
	}
}

type stand struct {
	at board.Point
	v  int
}

func (p *placer) snapshot(into []stand) []stand {
	into = into[:0]
	for i := range p.parts {
		into = append(into, stand{p.parts[i].at, p.parts[i].v})
	}
	return into
}

// move tries one change and returns by how much the cost changed, 0 when it was refused.
func (p *placer) move(i int, movable []int, window, temp float64) float64 {
	q := &p.parts[i]
	old := stand{q.at, q.v}
	j := -1
	var oldJ stand
	where, v := q.at, q.v
	kind := p.rng.IntN(100)
	switch {
	case q.edge != board.NoEdge:
		edges := q.edges()
		e := edges[p.rng.IntN(len(edges))]
		vs := q.attitudes(e)
		if len(vs) == 0 {
			return 0
		}
		v = vs[p.rng.IntN(len(vs))]
		where = p.atEdge(i, v, e, p.rng.Float64(), 0)
	case kind < 50:
		where = where.Add(board.Point{X: int64((2*p.rng.Float64() - 1) * window), Y: int64((2*p.rng.Float64() - 1) * window)})
	case kind < 65:
		v = p.rng.IntN(len(q.variants))
	case kind < 85:
		// Towards what it is connected to, in any attitude.
		v = p.rng.IntN(len(q.variants))
		if len(q.nets) == 0 {
			return 0
		}
		t := &p.nets[q.nets[p.rng.IntN(len(q.nets))]]
		pk := t.pins[p.rng.IntN(len(t.pins))]
		if pk[0] == i {
			return 0
		}
		o := &p.parts[pk[0]]
		r := min(window, 4e6) + float64(max(q.variants[v].court.Width(), q.variants[v].court.Height()))/2
		where = o.at.Add(o.cur().pins[pk[1]].at).Add(board.Point{X: int64((2*p.rng.Float64() - 1) * r), Y: int64((2*p.rng.Float64() - 1) * r)})
	default:
		j = movable[p.rng.IntN(len(movable))]
		o := &p.parts[j]
		if j == i || o.edge != board.NoEdge {
			return 0
		}
		oldJ = stand{o.at, o.v}
		where = o.at
	}
	if q.edge == board.NoEdge {
		where = q.snapped(where, v)
	}
	if !p.lawful(i, where, v, j) {
		return 0
	}
	before := p.costOf(i, j)
	if j >= 0 {
		p.put(i, where, v)
		o := &p.parts[j]
		to := o.snapped(old.at, o.v)
		if !p.lawful(j, to, o.v, -1) {
			p.put(i, old.at, old.v)
			return 0
		}
		p.put(j, to, o.v)
	}
	q.at, q.v = where, v
	p.measure(i, j)
	delta := p.costOf(i, j) - before + p.crowd(i, old, stand{where, v})
	if j >= 0 {
		delta += p.crowd(j, oldJ, stand{p.parts[j].at, p.parts[j].v})
	}
	if delta > 0 && p.rng.Float64() >= math.Exp(-delta/temp) {
		q.at, q.v = old.at, old.v
		p.crowd(i, stand{where, v}, old)
		if j >= 0 {
			p.crowd(j, stand{p.parts[j].at, p.parts[j].v}, oldJ)
			p.put(i, old.at, old.v)
			p.put(j, oldJ.at, oldJ.v)
		}
		p.unmeasure()
		return 0
	}
	if j < 0 {
		p.put(i, where, v) // its yard, which the cost does not look at
	}
	return delta
}
