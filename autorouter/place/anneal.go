package place

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
)

// annealStage holds the parameters of one annealing stage.
type annealStage struct {
	// legalOnly rejects moves that violate the required halos; otherwise courtyards may overlap.
	legalOnly bool
	// movesPerPart is the number of moves per part at normal effort, divided by the cube root of
	// the number of parts.
	movesPerPart                     float64
	startTemperature, endTemperature float64 // initial and final temperature [nm]
	// startWeight and endWeight are the initial and final cost of 1 mm² of overlap [nm of wire].
	startWeight, endWeight float64
}

// anneal improves the placement by simulated annealing (Sechen and Sangiovanni-Vincentelli, "The
// TimberWolf placement and routing package", 1985). In the global stage parts may overlap at a
// rising cost, and the move range shrinks as the temperature falls. Legalization then moves every
// part to the nearest legal position. The detailed stage accepts only legal placements at lower
// temperatures, and its best placement is kept. If the request gives initial positions, or if
// legalization fails, the detailed stage starts from the constructed placement.
func (p *placer) anneal() {
	var movable []int
	hasInitial := false
	for i := range p.parts {
		if q := &p.parts[i]; !q.stays() {
			movable = append(movable, i)
			hasInitial = hasInitial || q.initial != nil
		}
	}
	if len(movable) == 0 {
		return
	}
	p.setWantedHalo()
	if p.timeUp() {
		return
	}
	// The global stage determines the wirelength; the detailed stage recovers the wirelength lost
	// in legalization. Lower temperatures, fewer moves and lower weights gave longer wires on
	// generated boards of 20 to 150 parts.
	global := annealStage{false, globalMoves, globalHot, globalCold, globalLowWeight,
		maxOverlapWeight}
	detailed := annealStage{true, detailedMoves, detailedHot, detailedCold, maxOverlapWeight,
		maxOverlapWeight}
	p.moveShare = 1
	if hasInitial {
		detailed.movesPerPart, detailed.startTemperature = soloMoves, initialHot
	} else {
		p.moveShare = p.affordableShare(global.total(p, movable) + detailed.total(p, movable))
		constructed, halo := slices.Clone(p.parts), p.requiredHalo
		p.runStage(global, movable, 0, 0.6)
		if p.ctx.Err() != nil {
			return
		}
		if !p.legalize() {
			detailed.movesPerPart, detailed.startTemperature = soloMoves, fallbackHot
			p.requiredHalo = halo
			for i, q := range constructed {
				p.parts[i].illegal = q.illegal
				p.setPose(i, q.at, q.orientation)
			}
		}
	}
	if hasInitial || detailed.movesPerPart > 2*global.movesPerPart {
		p.moveShare = min(p.moveShare, p.affordableShare(detailed.total(p, movable)))
	}
	movable = slices.DeleteFunc(movable, func(i int) bool { return p.parts[i].illegal })
	p.runStage(detailed, movable, 0.6, 1)
}

// runStage runs one stage with the movable parts. The interval from..to is its range on the
// progress scale (0 to 1).
func (p *placer) runStage(s annealStage, movable []int, from, to float64) {
	p.computeBoxes()
	p.density = p.newDensity()
	total := int(p.moveShare * s.total(p, movable))
	side := float64(max(p.box.Width(), p.box.Height()))
	var temperature, moveRange, overlapWeight float64
	now, best := 0.0, 0.0
	keep := p.snapshot(nil)
	for k := range total {
		p.moveCount++
		done := float64(k) / float64(total)
		if k&255 == 0 {
			p.opt.Meter.Add(budget.PlacementMove, min(256, total-k))
			if p.ctx.Err() != nil {
				return
			}
			if p.timeUp() {
				break
			}
			temperature, overlapWeight = s.startTemperature*math.Pow(
				s.endTemperature/s.startTemperature, done),
				s.startWeight*math.Pow(s.endWeight/s.startWeight, done)
			moveRange = max(side*(1-done)*(1-done)*0.5, minMoveRange)
			if p.opt.Progress != nil && k&8191 == 0 {
				p.opt.Progress(from + (to-from)*done)
			}
		}
		i := movable[p.rng.IntN(len(movable))]
		now += p.tryMove(i, movable, s.legalOnly, moveRange, temperature, overlapWeight)
		if s.legalOnly && now < best-1 && done > 0.5 {
			best = now
			keep = p.snapshot(keep)
		}
	}
	if s.legalOnly && now > best {
		for i, s := range keep {
			p.setPose(i, s.at, s.orientation)
		}
	}
}

// total returns the number of moves of a stage without a work limit. It is proportional to n^(4/3)
// for n parts, with a minimum for small boards.
func (s annealStage) total(p *placer, movable []int) float64 {
	effort := map[Effort]float64{Fast: 0.2, Normal: 1, High: 3.3}[p.opt.Effort]
	n := float64(len(movable))
	perPart := (globalMoves + detailedMoves) * math.Cbrt(n)
	least := min(minMovesPerPart, minMoves/n)
	if p.repeated {
		effort *= congestedMoves
	}
	return s.movesPerPart / (globalMoves + detailedMoves) * n *
		max(effort*perPart, min(effort, 1)*least)
}

// affordableShare returns the fraction (0 to 1) of the given moves that the remaining work limit
// allows.
func (p *placer) affordableShare(moves float64) float64 {
	if p.opt.Work <= 0 {
		return 1
	}
	left := p.opt.Work - (p.opt.Meter.Spent() - p.begun)
	return max(0, min(1, float64(left)/(moves*float64(budget.Cost(budget.PlacementMove, 1)))))
}

// pose is the position and orientation of a part.
type pose struct {
	at          board.Point
	orientation int
}

func (p *placer) snapshot(into []pose) []pose {
	into = into[:0]
	for i := range p.parts {
		into = append(into, pose{p.parts[i].at, p.parts[i].orientation})
	}
	return into
}

// move is a change of the pose of one part.
type move struct {
	part     int
	from, to pose
	area     courtyardArea // courtyard area at the new pose
}

// tryMove tries a move of part i or a swap with another movable part (Metropolis criterion). It
// returns the change of the cost [nm of wire], or 0 for a rejected move.
func (p *placer) tryMove(i int, movable []int, legalOnly bool,
	moveRange, temperature, overlapWeight float64) float64 {
	cs := p.propose(i, movable, moveRange)
	if len(cs) == 0 || !p.isAllowed(cs, legalOnly) {
		return 0
	}
	limit := -temperature * math.Log(1-p.rng.Float64())
	delta := p.applyMove(cs) - overlapWeight*p.overlap(cs, func(c *move) *courtyardArea {
		return &p.courtyards[c.part]
	})
	if delta <= limit { // the new overlap can only increase delta
		delta += overlapWeight * p.overlap(cs, func(c *move) *courtyardArea { return &c.area })
	}
	if delta > limit {
		p.undoMove(cs)
		return 0
	}
	for _, c := range cs {
		p.setPose(c.part, c.to.at, c.to.orientation)
	}
	return delta
}

// isAllowed reports whether the new poses of all moves are allowed, and stores in each move the
// courtyard area of its new pose.
func (p *placer) isAllowed(cs []move, legalOnly bool) bool {
	for k := range cs {
		c := &cs[k]
		other := cs[len(cs)-1-k].part // a part that moves alone is paired with itself
		if !p.fitsBoard(c.part, c.to.at, c.to.orientation) || legalOnly &&
			!p.noOverlap(c.part, c.to.at, c.to.orientation, other) {
			return false
		}
		c.area = p.courtyardAt(c.part, c.to.at, c.to.orientation)
	}
	if !legalOnly || len(cs) < 2 || cs[0].area.layers&cs[1].area.layers == 0 {
		return true
	}
	a, b, margin := &cs[0].area, &cs[1].area, p.opt.Rules.CourtyardMargin
	overlap := a.required.Grown(margin).Overlaps(b.required)
	if overlap && (a.boxes != nil || b.boxes != nil) {
		return a.boxOverlap(b, a.courtyard.Min.X-a.required.Min.X+margin,
			b.courtyard.Min.X-b.required.Min.X) == 0
	}
	return !overlap
}

// applyMove sets the new poses of parts, but not their courtyard areas, and returns the change of
// the cost [nm of wire].
func (p *placer) applyMove(cs []move) float64 {
	cost := 0.0
	for _, c := range cs {
		q := &p.parts[c.part]
		q.at, q.orientation = c.to.at, c.to.orientation
		cost += p.moveDensity(c.part, c.from, c.to) + q.bottomCost(c.to.orientation) -
			q.bottomCost(c.from.orientation)
	}
	return cost + p.updateHPWL(cs)
}

// undoMove reverts the last applyMove.
func (p *placer) undoMove(cs []move) {
	for _, c := range cs {
		q := &p.parts[c.part]
		q.at, q.orientation = c.from.at, c.from.orientation
		p.moveDensity(c.part, c.to, c.from)
	}
	p.undoHPWL()
}

// bottomCost returns the extra cost of an orientation on the bottom side [nm].
func (q *part) bottomCost(v int) float64 {
	if q.orientations[v].side == board.BottomSide {
		return bottomSideCost
	}
	return 0
}

// propose draws a random move of part i or a swap with another movable part. It returns nil if the
// drawn move is impossible.
func (p *placer) propose(i int, movable []int, moveRange float64) []move {
	q := &p.parts[i]
	old := pose{q.at, q.orientation}
	p.moves = append(p.moves[:0], move{part: i, from: old, to: old})
	to := &p.moves[0].to
	around := func(at board.Point, r float64) board.Point {
		return at.Add(board.Point{X: int64((2*p.rng.Float64() - 1) * r),
			Y: int64((2*p.rng.Float64() - 1) * r)})
	}
	kind := p.rng.IntN(100)
	switch {
	case q.edge != board.NoEdge:
		c := &q.edgeChoices[p.rng.IntN(len(q.edgeChoices))]
		if len(c.orientations) == 0 {
			return nil
		}
		to.orientation = c.orientations[p.rng.IntN(len(c.orientations))]
		to.at = p.atEdge(i, to.orientation, c.edge, p.rng.Float64(), 0)
		return p.moves
	case kind < 50:
		to.at = around(to.at, moveRange)
	case kind < 65:
		to.orientation = p.rng.IntN(len(q.orientations))
	case kind < 85:
		// Move towards a connected pin, in a random orientation.
		to.orientation = p.rng.IntN(len(q.orientations))
		if len(q.nets) == 0 {
			return nil
		}
		t := &p.nets[q.nets[p.rng.IntN(len(q.nets))]]
		pk := t.pins[p.rng.IntN(len(t.pins))]
		if pk[0] == i {
			return nil
		}
		o := &p.parts[pk[0]]
		courtyard := q.orientations[to.orientation].courtyard
		to.at = around(o.at.Add(o.current().pins[pk[1]].at),
			min(moveRange, maxPullRange)+float64(max(courtyard.Width(), courtyard.Height()))/2)
	default:
		j := movable[p.rng.IntN(len(movable))]
		o := &p.parts[j]
		if j == i || o.edge != board.NoEdge {
			return nil
		}
		offset := o.centre(o.at, o.orientation).Sub(q.centre(q.at, q.orientation))
		to.at = to.at.Add(offset)
		p.moves = append(p.moves, move{part: j, from: pose{o.at, o.orientation},
			to: pose{o.snapped(o.at.Sub(offset), o.orientation), o.orientation}})
		to = &p.moves[0].to
	}
	to.at = q.snapped(to.at, to.orientation)
	return p.moves
}
