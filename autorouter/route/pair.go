package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Limits of pairs.
const (
	// minCoupled is the smallest distance between two ends on different parts that is routed as a
	// coupled pair [nm]. Closer ends count as connected.
	minCoupled = 2 * board.Millimetre
	// minWithinParts is the corresponding distance between two ends on one part [nm].
	minWithinParts = 4 * board.Millimetre
	// crossedTries is the maximum number of paths examined per side once fan-outs may cross.
	crossedTries = 5
	// maxPairPads is the largest number of pads of a net that is routed as part of a coupled pair.
	// Existing tracks that are kept count as pads. The time to match pads is quadratic in this
	// number.
	maxPairPads = 256
)

// routePairs routes each differential pair of the board from end to end as one path with two
// tracks. Other pads of these nets, and pairs without a coupled path, are left to the other phases.
func (rt *router) routePairs() {
	for _, p := range rt.board.Rules.Pairs {
		nets := [2]*netState{&rt.nets[p.Positive], &rt.nets[p.Negative]}
		if nets[0].pour != nil || nets[1].pour != nil ||
			max(len(nets[0].terms), len(nets[1].terms)) > maxPairPads {
			continue
		}
		for _, n := range nets {
			rt.groupTerminals(n)
		}
		ends := pairEnds(nets)
		for _, link := range pairLinks(nets, ends) {
			if rt.cancelled() {
				return
			}
			rt.couple(p, nets, ends[link[0]], ends[link[1]])
		}
	}
}

// pairEnds matches the pads of two nets, the closest first. Pads of the same part are matched
// before pads of different parts.
func pairEnds(nets [2]*netState) []pairEnd {
	type match struct {
		end pairEnd
		far int
	}
	var all []match
	for i := range nets[0].terms {
		for k := range nets[1].terms {
			p, q := &nets[0].terms[i], &nets[1].terms[k]
			d := board.Distance(p.at, q.at)
			if d > float64(board.MaxPairEndGap) || p.layers&q.layers == 0 {
				continue
			}
			m := match{end: pairEnd{[2]int{i, k},
				geom.Lerp(geom.VecOf(p.at), geom.VecOf(q.at), 0.5), d}}
			if p.part != q.part {
				m.far = 1
			}
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.end.apart, b.end.apart))
	})
	var out []pairEnd
	used := [2]map[int]bool{{}, {}}
	for _, m := range all {
		if !used[0][m.end.terms[0]] && !used[1][m.end.terms[1]] {
			used[0][m.end.terms[0]], used[1][m.end.terms[1]] = true, true
			out = append(out, m.end)
		}
	}
	return out
}

// pairLinks returns the pairs of ends to connect, as indices of ends. The pairs form a minimum
// spanning tree (Kruskal 1956). Ends close to each other, and ends that existing copper connects,
// count as connected. The weight of a pair is the distance between its ends plus the distances
// between the pads of each end.
func pairLinks(nets [2]*netState, ends []pairEnd) [][2]int {
	type link struct {
		ends [2]int
		long float64
	}
	var links []link
	sets := geom.NewUnionFind(len(ends))
	for i := range ends {
		for k := range i {
			d := ends[i].middle.Sub(ends[k].middle).Length()
			near := minCoupled
			if n := nets[0]; n.terms[ends[i].terms[0]].part == n.terms[ends[k].terms[0]].part {
				near = minWithinParts
			}
			connected := false
			for net, n := range nets {
				connected = connected ||
					n.terms[ends[i].terms[net]].group == n.terms[ends[k].terms[net]].group
			}
			if d < float64(near) || connected {
				sets.Union(i, k)
			}
			links = append(links, link{[2]int{k, i}, d + ends[i].apart + ends[k].apart})
		}
	}
	slices.SortStableFunc(links, func(a, b link) int { return cmp.Compare(a.long, b.long) })
	var out [][2]int
	for _, l := range links {
		if sets.Find(l.ends[0]) != sets.Find(l.ends[1]) {
			sets.Union(l.ends[0], l.ends[1])
			out = append(out, l.ends)
		}
	}
	return out
}

// couple routes a pair between two ends and reports whether it succeeded.
func (rt *router) couple(p board.Pair, nets [2]*netState, from, to pairEnd) bool {
	c := newCoupler(rt, p, nets, from, to)
	sides := [2]pairSide{{positive: 1}, {positive: -1}}
	for _, crossed := range []bool{false, true} { // the pad order at one end may be reversed
		starts, goals := c.fanOuts(&c.ends[0], crossed), c.fanOuts(&c.ends[1], crossed)
		for i := range sides {
			sides[i].add(starts, goals)
		}
		tries := 1
		if crossed {
			tries = crossedTries
		}
		if tracks, ok := c.cheapest(&sides, tries); ok {
			if tuned := c.matchLengths(tracks); c.isLegal(&tuned) {
				tracks = tuned
			}
			c.keep(&tracks)
			return true
		}
		if rt.cancelled() {
			return false
		}
	}
	return false
}

// cheapest returns the tracks of the cheapest legal path, and false if there is none. It examines
// at most the given number of paths per side.
func (c *coupler) cheapest(sides *[2]pairSide, tries int) (best [2]pairTrack, found bool) {
	least := int32(math.MaxInt32)
	for i := range sides {
		s := &sides[i]
		for range tries {
			path, cost, ok := c.search(s.starts, s.goals, least)
			if !ok {
				break
			}
			if tracks := c.tracks(path); c.isLegal(&tracks) {
				best, least, found = tracks, cost, true
				break
			}
			s.remove(path)
		}
	}
	return best, found
}

// keep adds the copper of a pair to its nets and, as fixed items, to the spatial index.
func (c *coupler) keep(tracks *[2]pairTrack) {
	for k, n := range c.nets {
		n.coupled.segments = append(n.coupled.segments, tracks[k].segments()...)
		n.coupled.vias = append(n.coupled.vias, tracks[k].vias...)
		n.coupled.joins = append(n.coupled.joins,
			[2]int{c.ends[0].terms[k], c.ends[1].terms[k]})
		for _, it := range c.items(k, &tracks[k]) {
			c.rt.index.add(it)
		}
	}
}
