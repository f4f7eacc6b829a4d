package route

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// Meanders of length groups.
const (
	// meanderSpacing is the pitch of two meander legs in track widths, for example 0.6 mm for a
	// track of 0.2 mm. It is the default of KiCad's length tuner (PNS::MEANDER_SETTINGS).
	meanderSpacing = 3
	// meanderChamfer is the size of the 45-degree corners relative to the pitch of two legs.
	meanderChamfer = 0.25
	// minMeander is the smallest meander height [nm] that is tried if a higher one does not fit.
	minMeander = 100 * board.Micrometre
	// chamferLoss is the length that the chamfers of a bump save compared with twice its height,
	// relative to the chamfer size.
	chamferLoss = 8 - 4*math.Sqrt2
)

// meanderHeights returns the maximum meander heights [nm] in the order of attempts. The first is
// the default of KiCad's length tuner; longer legs couple more.
func meanderHeights() [3]float64 { return [3]float64{1e6, 2e6, 4e6} }

// Constants for rerouting nets without space for meanders.
const (
	// nodesPerSearch is the number of nodes whose cost can be raised in the time of one expanded
	// search node.
	nodesPerSearch = 100
	lengthRounds   = 2 // number of passes over the nets that are too short
	// spacedPresFac is the present cost of a conflict [% of the step cost]. It exceeds the cost of
	// any detour.
	spacedPresFac = 100_000
	// spacedViaCost is the cost of a via as an equivalent track length [nm]. A detour on the same
	// layer is better, because meanders would split the pour of the other layer.
	spacedViaCost = 12_000 * board.Micrometre
)

// detour describes the extra cost near other copper that leaves space for meanders.
type detour struct {
	distance float64 // range of the extra cost around copper [nm]
	cost     uint16  // history cost within distance [1/64 of the step cost]
}

// detours returns the detours that lengthenNet tries, by increasing distance.
func detours() [3]detour {
	return [3]detour{{1e6, 256}, {2e6, 256}, {3.5e6, 256}}
}

// matchLengthGroups lengthens the nets of each length group by meanders to the length of its
// longest net. Nets with open connections, poured nets and coupled pairs keep their length.
// Meanders that split a pour are removed. The result reports whether tracks may have changed.
func (rt *router) matchLengthGroups() bool {
	if len(rt.board.Rules.LengthGroups) == 0 {
		return false
	}
	var nets []int
	missing := map[int]float64{}
	rt.writeCopper()
	for _, group := range rt.board.Rules.LengthGroups {
		longest := 0.0
		var complete []int
		for _, i := range group.Nets {
			if n := &rt.nets[i]; n.pour == nil && len(rt.ratsnest(n)) == 0 {
				complete = append(complete, i)
				longest = max(longest, rt.board.RoutedLength(i))
			}
		}
		for _, i := range complete {
			short := longest - rt.board.RoutedLength(i)
			done := float64(min(lengthTolerance, group.Tolerance/2))
			if short > done && len(rt.nets[i].coupled.segments) == 0 {
				nets, missing[i] = append(nets, i), short
			}
		}
	}
	slices.SortStableFunc(nets, func(i, k int) int { return cmp.Compare(missing[k], missing[i]) })
	if len(nets) == 0 || rt.cancelled() {
		return false
	}
	before := len(rt.pourOpens())
	saved := rt.snapshot()
	rt.lengthen(nets, missing)
	if len(rt.pours) == 0 {
		return true
	}
	rt.connectPours(false)
	if len(rt.pourOpens()) <= before {
		return true
	}
	rt.restoreAll(saved)
	changed := false
	for _, i := range nets {
		if rt.cancelled() {
			break
		}
		saved = rt.snapshot()
		rt.lengthen([]int{i}, missing)
		rt.connectPours(false)
		if len(rt.pourOpens()) > before {
			rt.restoreAll(saved)
		} else {
			changed = true
		}
	}
	rt.connectPours(false)
	return changed
}

// lengthen adds the missing lengths [nm], by net index, to the given nets.
func (rt *router) lengthen(nets []int, missing map[int]float64) {
	ids := make([][]int32, len(rt.nets))
	add := func(i int) {
		for _, s := range rt.nets[i].copper.segments {
			ids[i] = append(ids[i], rt.index.add(rt.trackItem(i, s)))
		}
		for _, v := range rt.nets[i].copper.vias {
			ids[i] = append(ids[i], rt.index.add(rt.viaItem(i, v)))
		}
	}
	remove := func(i int) {
		for _, id := range ids[i] {
			rt.index.remove(id)
		}
		ids[i] = ids[i][:0]
	}
	for _, i := range rt.order {
		add(i)
	}
	left := maps.Clone(missing)
	for range lengthRounds { // rerouting a net may leave space for another
		for _, i := range nets {
			if left[i] < float64(lengthTolerance)/2 || rt.cancelled() {
				continue
			}
			remove(i)
			left[i] = rt.lengthenNet(&rt.nets[i], left[i])
			add(i)
		}
	}
	for _, i := range rt.order {
		remove(i)
	}
}

// lengthenNet lengthens a net by meanders and returns the length that did not fit [nm]. If its
// tracks have too little space beside them, it first reroutes the net away from other copper.
func (rt *router) lengthenNet(n *netState, missing float64) float64 {
	target := rt.routedLength(n) + missing
	left := rt.addMeanders(n, missing)
	best := n.copper
	for _, apart := range detours() {
		if left < float64(lengthTolerance)/2 || rt.cancelled() {
			break
		}
		rt.routeSpaced(n, apart)
		if len(n.copper.open) > 0 || rt.countConflicts(n) > 0 || rt.cancelled() {
			continue
		}
		rest := target - rt.routedLength(n)
		if rest < 0 {
			continue
		}
		if rest = rt.addMeanders(n, rest); rest < left {
			left, best = rest, n.copper
		}
	}
	rt.ripUp(n)
	rt.restoreRoute(n, best)
	return left
}

// routedLength returns the length of the tracks and vias of a net [nm].
func (rt *router) routedLength(n *netState) float64 {
	rt.writeCopper()
	return rt.board.RoutedLength(n.index)
}

// routeSpaced reroutes a net with an extra cost near the copper of other nets. The parameter by
// gives the range and the value of that cost.
func (rt *router) routeSpaced(n *netState, by detour) {
	history, raised := slices.Clone(rt.historyCost), len(rt.historyCost)
	raise := func(s geom.Shape, layers board.LayerSet) {
		rt.grid.spans(&s, by.distance, func(from, to int32) {
			for l := range rt.grid.layers {
				if layers.Has(board.Layer(l)) {
					base := int32(l) * int32(rt.grid.size)
					raised += int(to-from) + 1
					for node := from; node <= to; node++ {
						rt.historyCost[base+node] = by.cost
					}
				}
			}
		})
	}
	for k := range rt.nets {
		o := &rt.nets[k]
		if o == n {
			continue
		}
		for _, s := range slices.Concat(o.copper.segments, o.coupled.segments) {
			raise(geom.Segment(s.a, s.b, s.width), s.layer.Bit())
		}
		for i := range o.terms {
			raise(o.terms[i].shape, o.terms[i].layers)
		}
	}
	rt.opt.Meter.Add(budget.SearchNode, raised/nodesPerSearch)
	q := rt.softQuery(spacedPresFac)
	q.viaCost, q.maxNodes = rt.viaCost(spacedViaCost), maxNodesLink
	rt.reroute(n.index, q)
	rt.historyCost = history
}

// addMeanders adds meanders of the given length to a net and returns the length that did not fit
// [nm].
func (rt *router) addMeanders(n *netState, missing float64) float64 {
	var vias []int32
	for _, v := range n.copper.vias {
		vias = append(vias, rt.index.add(rt.viaItem(n.index, v)))
	}
	rt.ripUp(n)
	n.copper = n.copper.deduplicated()
	segments, left := rt.meander(n, missing)
	n.copper.segments = segments
	rt.commit(n)
	for _, id := range vias {
		rt.index.remove(id)
	}
	return left
}

// meander returns the segments of a net with meanders of the missing length, and the length that
// did not fit [nm]. The longest straight pieces get meanders first, and necked pieces get none.
func (rt *router) meander(n *netState, missing float64) ([]segment, float64) {
	order := make([]int, len(n.copper.segments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Compare(n.copper.segments[k].length(), n.copper.segments[i].length())
	})
	var best []segment
	least := math.Inf(1)
	for _, height := range meanderHeights() {
		left := missing
		pieces := make([][]segment, len(n.copper.segments))
		for i, s := range n.copper.segments {
			pieces[i] = []segment{s}
		}
		for _, i := range order {
			if s := n.copper.segments[i]; s.width >= n.trackWidth && !rt.cancelled() {
				others := slices.Concat(slices.Concat(pieces[:i]...),
					slices.Concat(pieces[i+1:]...))
				pieces[i] = rt.meanderPiece(n, s, height, others, &left)
			}
		}
		if left < least {
			best, least = slices.Concat(pieces...), left
		}
		if least < float64(lengthTolerance)/2 {
			break
		}
	}
	return best, least
}

// meanderPiece adds meanders of at most the given height to a straight track segment. It subtracts
// the added length [nm] from *missing. The spacing between meanders and other segments of the net
// is at least the leg spacing.
func (rt *router) meanderPiece(n *netState, s segment, height float64, others []segment,
	missing *float64) []segment {
	a, line := geom.VecOf(s.a), geom.VecOf(s.b).Sub(geom.VecOf(s.a))
	legs := max(meanderSpacing*float64(s.width), float64(s.width)+n.clearance)
	if line.Length() < 2*legs {
		return []segment{s}
	}
	along := line.Scale(1 / line.Length())
	across := geom.Vec{X: -along.Y, Y: along.X}
	path := []board.Point{s.a}
	for at := legs / 2; at+1.5*legs <= line.Length(); {
		high := bumpHeight(*missing, meanderChamfer*legs)
		if high < 1 { // resolution of points [nm]
			break
		}
		high = min(high, height)
		bump, ok := rt.clearBump(n, s, high, others, func(s, up float64) board.Point {
			return pointOf(a.Add(along.Scale(at + s)).Add(across.Scale(up)))
		}, legs)
		if !ok {
			at += legs / 2
			continue
		}
		added := -board.Distance(bump[0], bump[len(bump)-1])
		for i := 1; i < len(bump); i++ {
			added += board.Distance(bump[i-1], bump[i])
		}
		*missing -= added
		path = append(path, bump...)
		at += 2 * legs
	}
	return segmentsOf(straightened(append(path, s.b)), s)
}

// bumpHeight returns the height [nm] of a bump that lengthens a track by the given length [nm]. The
// chamfer is the size of its 45-degree corners [nm].
func bumpHeight(length, chamfer float64) float64 {
	if low := length / bumpGain; low <= 2*chamfer {
		return max(0, low) // triangle with flanks at 45 degrees
	}
	return (length + chamferLoss*chamfer) / 2
}

// clearBump returns the highest bump on either side of a track that violates no rule, and false if
// none fits. A bump is a rectangle with chamfered corners between two legs. The search starts at
// the given height [nm]; legs is the leg spacing [nm]. The function place converts offsets along
// and across the track [nm] to a position.
func (rt *router) clearBump(n *netState, s segment, height float64, others []segment,
	place func(along, up float64) board.Point, legs float64) ([]board.Point, bool) {
	for {
		c := min(meanderChamfer*legs, height/2)
		for _, side := range [2]float64{1, -1} {
			bump := []board.Point{place(-c, 0), place(0, side*c), place(0, side*(height-c)),
				place(c, side*height), place(legs-c, side*height), place(legs, side*(height-c)),
				place(legs, side*c), place(legs+c, 0)}
			if rt.isClearBump(n, segmentsOf(bump, s), others, legs) {
				return bump, true
			}
		}
		if height <= float64(minMeander) {
			return nil, false
		}
		height = max(height/math.Sqrt2, float64(minMeander))
	}
}

// isClearBump reports whether a bump is clear of all copper, including that of its own net, because
// contact there would bypass the meander.
func (rt *router) isClearBump(n *netState, bump, others []segment, legs float64) bool {
	rt.opt.Meter.Add(budget.ClearanceCheck, len(others))
	for _, s := range bump {
		it := rt.trackItem(n.index, s)
		it.net = board.NoNet
		if !rt.isClear(&it) {
			return false
		}
		for _, o := range others {
			other := geom.Segment(o.a, o.b, o.width)
			if o.layer == s.layer &&
				geom.Distance(&it.shape, &other) < legs-float64(s.width)-1 {
				return false
			}
		}
	}
	return true
}
