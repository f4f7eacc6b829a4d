package place

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
)

// belowCost is the wire [nm] that putting a part at the bottom must save: assembling a second
// side costs more than some track.
const belowCost = 10e6

// stage is a part of the annealing.
type stage struct {
	lawful    bool    // parts keep the room that they must have; else they may lie over each other
	moves     float64 // for each part
	hot, cold float64 // temperature at the beginning and at the end [nm]
	low, high float64 // what 1 mm² of overlapping yards costs at the beginning and at the end [nm of wire]
}

// anneal improves the placement by simulated annealing (Sechen and Sangiovanni-Vincentelli, "The
// TimberWolf placement and routing package", 1985: parts may overlap at a price that rises, and the window
// of moves shrinks with the temperature). From there every part goes to the nearest lawful place, and a
// cooler annealing over lawful placements alone follows. The best of those is kept. Where the request says
// where parts start, or where the parts find no lawful places again, the constructed placement is what the
// lawful annealing begins with.
func (p *placer) anneal() {
	var movable []int
	hinted := false
	for i := range p.parts {
		if q := &p.parts[i]; !q.fixed {
			movable = append(movable, i)
			hinted = hinted || q.hint != nil
		}
	}
	if len(movable) == 0 {
		return
	}
	p.makeAmple()
	if p.timeUp() {
		return
	}
	// Wire takes shape while the parts float; what follows mends what finding them lawful places spoilt.
	// Colder, shorter and looser ones gave longer wire on generated boards of 20 to 150 parts.
	floating := stage{false, 1100, 16e6, 0.6e6, 0.5e6, 10e6}
	standing := stage{true, 550, 0.5e6, 0.05e6, 10e6, 10e6}
	p.pace = 1
	if hinted {
		standing.moves, standing.hot = 3000, 1e6 // hints are to be felt
	} else {
		p.pace = p.slower(floating.total(p, movable) + standing.total(p, movable))
		constructed, halo := slices.Clone(p.parts), p.halo
		p.stage(floating, movable, 0, 0.6)
		if p.ctx.Err() != nil {
			return
		}
		if !p.land() {
			standing.moves, standing.hot = 3000, 4e6
			p.halo = halo
			for i, q := range constructed {
				p.parts[i].unlawful = q.unlawful
				p.put(i, q.at, q.v)
			}
		}
	}
	if hinted || standing.moves > 2*floating.moves {
		p.pace = min(p.pace, p.slower(standing.total(p, movable)))
	}
	movable = slices.DeleteFunc(movable, func(i int) bool { return p.parts[i].unlawful })
	p.stage(standing, movable, 0.6, 1)
}

// stage runs one, which is so much of the progress.
func (p *placer) stage(s stage, movable []int, from, to float64) {
	p.remeasure()
	p.spread = p.spreading()
	total := int(p.pace * s.total(p, movable))
	side := float64(max(p.box.Width(), p.box.Height()))
	var temp, window, press float64
	now, best := 0.0, 0.0
	keep := p.snapshot(nil)
	for k := range total {
		p.moves++
		done := float64(k) / float64(total)
		if k&255 == 0 {
			p.opt.Meter.Add(budget.PlacementMove, min(256, total-k))
			if p.ctx.Err() != nil {
				return
			}
			if p.timeUp() {
				break
			}
			temp, press = s.hot*math.Pow(s.cold/s.hot, done), s.low*math.Pow(s.high/s.low, done)
			window = max(side*(1-done)*(1-done)*0.5, 1e6)
			if p.opt.Progress != nil && k&8191 == 0 {
				p.opt.Progress(from + (to-from)*done)
			}
		}
		i := movable[p.rng.IntN(len(movable))]
		now += p.move(i, movable, s.lawful, window, temp, press)
		if s.lawful && now < best-1 && done > 0.5 {
			best = now
			keep = p.snapshot(keep)
		}
	}
	if s.lawful && now > best {
		for i, s := range keep {
			p.put(i, s.at, s.v)
		}
	}
}

// total is how many moves a stage makes when there is time for all: many parts need more moves each.
func (s stage) total(p *placer, movable []int) float64 {
	effort := map[Effort]float64{Fast: 0.2, Normal: 1, High: 3.3}[p.opt.Effort]
	n := float64(len(movable))
	return effort * s.moves * n * math.Cbrt(n)
}

// slower is the share of some moves for which there is work left.
func (p *placer) slower(moves float64) float64 {
	if p.opt.Work <= 0 {
		return 1
	}
	left := p.opt.Work - (p.opt.Meter.Spent() - p.begun)
	return max(0, min(1, float64(left)/(moves*float64(budget.Cost(budget.PlacementMove, 1)))))
}

// stand is where a part stands and in which attitude.
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

// change is a part that goes from one stand to another.
type change struct {
	part     int
	from, to stand
	yard     yard // where it goes
}

// move tries one change, of one part or of two, and returns by how much the cost changed, 0 when it was refused.
func (p *placer) move(i int, movable []int, lawful bool, window, temp, press float64) float64 {
	cs := p.propose(i, movable, window)
	if len(cs) == 0 || !p.possible(cs, lawful) {
		return 0
	}
	limit := -temp * math.Log(1-p.rng.Float64())
	delta := p.rewire(cs) - press*p.overlap(cs, func(c *change) *yard { return &p.yards[c.part] })
	if delta <= limit { // what comes can only add to it
		delta += press * p.overlap(cs, func(c *change) *yard { return &c.yard })
	}
	if delta > limit {
		p.unwire(cs)
		return 0
	}
	for _, c := range cs {
		p.put(c.part, c.to.at, c.to.v)
	}
	return delta
}

// possible reports whether parts may go where a change wants them, and makes their yards there.
func (p *placer) possible(cs []change, lawful bool) bool {
	for k := range cs {
		c := &cs[k]
		other := cs[len(cs)-1-k].part // itself when it is alone
		if !p.standable(c.part, c.to.at, c.to.v) || lawful && !p.apart(c.part, c.to.at, c.to.v, other) {
			return false
		}
		c.yard = p.yard(c.part, c.to.at, c.to.v)
	}
	return !lawful || len(cs) < 2 || cs[0].yard.layers&cs[1].yard.layers == 0 ||
		!cs[0].yard.core.Grown(p.opt.Rules.CourtyardMargin).Overlaps(cs[1].yard.core)
}

// rewire lets parts stand as a change wants them, but for their yards, and returns what that costs.
func (p *placer) rewire(cs []change) float64 {
	cost := 0.0
	for _, c := range cs {
		q := &p.parts[c.part]
		q.at, q.v = c.to.at, c.to.v
		cost += p.crowd(c.part, c.from, c.to) + q.below(c.to.v) - q.below(c.from.v)
	}
	return cost + p.measure(cs)
}

// unwire undoes the last rewire.
func (p *placer) unwire(cs []change) {
	for _, c := range cs {
		q := &p.parts[c.part]
		q.at, q.v = c.from.at, c.from.v
		p.crowd(c.part, c.to, c.from)
	}
	p.unmeasure()
}

// below is what a part costs for standing at the bottom.
func (q *part) below(v int) float64 {
	if q.variants[v].side == board.Bottom {
		return belowCost
	}
	return 0
}

// propose draws a change of a part, or of two that change places; none where nothing would change.
func (p *placer) propose(i int, movable []int, window float64) []change {
	q := &p.parts[i]
	old := stand{q.at, q.v}
	p.changes = append(p.changes[:0], change{part: i, from: old, to: old})
	to := &p.changes[0].to
	around := func(at board.Point, r float64) board.Point {
		return at.Add(board.Point{X: int64((2*p.rng.Float64() - 1) * r), Y: int64((2*p.rng.Float64() - 1) * r)})
	}
	kind := p.rng.IntN(100)
	switch {
	case q.edge != board.NoEdge:
		edges := q.edges()
		e := edges[p.rng.IntN(len(edges))]
		vs := q.attitudes(e)
		if len(vs) == 0 {
			return nil
		}
		to.v = vs[p.rng.IntN(len(vs))]
		to.at = p.atEdge(i, to.v, e, p.rng.Float64(), 0)
		return p.changes
	case kind < 50:
		to.at = around(to.at, window)
	case kind < 65:
		to.v = p.rng.IntN(len(q.variants))
	case kind < 85:
		// Towards what it is connected to, in any attitude.
		to.v = p.rng.IntN(len(q.variants))
		if len(q.nets) == 0 {
			return nil
		}
		t := &p.nets[q.nets[p.rng.IntN(len(q.nets))]]
		pk := t.pins[p.rng.IntN(len(t.pins))]
		if pk[0] == i {
			return nil
		}
		o := &p.parts[pk[0]]
		court := q.variants[to.v].court
		to.at = around(o.at.Add(o.cur().pins[pk[1]].at), min(window, 4e6)+float64(max(court.Width(), court.Height()))/2)
	default:
		j := movable[p.rng.IntN(len(movable))]
		o := &p.parts[j]
		if j == i || o.edge != board.NoEdge {
			return nil
		}
		way := o.centre(o.at, o.v).Sub(q.centre(q.at, q.v))
		to.at = to.at.Add(way)
		p.changes = append(p.changes, change{part: j, from: stand{o.at, o.v}, to: stand{o.snapped(o.at.Sub(way), o.v), o.v}})
		to = &p.changes[0].to
	}
	to.at = q.snapped(to.at, to.v)
	return p.changes
}
