package route

import (
	"math"
	"slices"
	"sort"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// removeDangling removes tracks with an end on no pad, via, other track or pour of their net
// (KiCad: cleanup tracks, track_dangling). If one item touches both ends of a short track, it
// anchors only the end closer to an end or the centre of the item. As in KiCad, the fragments of
// the pour count as one item, whose only anchor is the corner that ZoneCorner returns. So do the
// pieces of a drawn pad, with the centre of the first as the anchor. A short track inside wider
// copper, a pad or the pour therefore has one anchored end and is removed.
//
// A dangling track stays if its net needs it. If it ends on another track, that track is split
// there. If it crosses another track, it is cut there. Otherwise the dangling track is reattached.
func (rt *router) removeDangling() {
	for _, i := range rt.order {
		if rt.cancelled() {
			return
		}
		n := &rt.nets[i]
		rt.removeDanglingTracks(n)
		rt.removeOrphanCopper(n)
		// Removing a via leaves its track dangling, and removing that track may leave another via
		// dangling.
		for round := 0; round < maxViaRounds && rt.removeDanglingVias(n) &&
			!rt.cancelled(); round++ {
			rt.removeDanglingTracks(n)
			rt.removeOrphanCopper(n)
		}
	}
}

// removeOrphanCopper removes copper that is connected to no pad of its net. An example is a link
// between two pour islands that became unnecessary after a later probe.
func (rt *router) removeOrphanCopper(n *netState) {
	before, missing := n.copper, len(rt.ratsnest(n))
	clusters, pads := rt.clusters(n, -1), len(n.terms)
	var segs []segment
	for i, s := range before.segments {
		if clusters.Find(pads+i) < pads {
			segs = append(segs, s)
		}
	}
	var vias []board.Point
	for i, v := range before.vias {
		if clusters.Find(pads+len(before.segments)+i) < pads {
			vias = append(vias, v)
		}
	}
	if len(segs) == len(before.segments) && len(vias) == len(before.vias) {
		return
	}
	n.copper.segments, n.copper.vias = segs, vias
	rt.repour(n)
	if len(rt.ratsnest(n)) > missing {
		n.copper = before
		rt.repour(n)
	}
}

// removeDanglingTracks removes dangling tracks unless that opens connections. A seemingly dangling
// track may be the reason why a small pour island is filled; bisection finds and keeps such tracks.
func (rt *router) removeDanglingTracks(n *netState) {
	before, missing := n.copper, len(rt.ratsnest(n))
	intact := func(segs []segment) bool {
		n.copper.segments = segs
		rt.repour(n)
		return len(rt.ratsnest(n)) <= missing
	}
	keep, probed := map[segment]bool{}, false
	for range maxBridges {
		n.copper.segments = slices.Clone(before.segments)
		removed, changed := rt.danglingPass(n, keep, missing)
		if !changed {
			break
		}
		probed = true
		if intact(n.copper.segments) || rt.cancelled() {
			return
		}
		if len(removed) == 0 {
			break
		}
		first := sort.Search(len(removed), func(k int) bool {
			return !intact(slices.DeleteFunc(slices.Clone(before.segments), func(s segment) bool {
				return slices.Contains(removed[:k+1], s)
			}))
		})
		keep[removed[min(first, len(removed)-1)]] = true
		if rt.cancelled() {
			break
		}
	}
	n.copper = before
	if probed {
		rt.repour(n)
	}
}

// danglingPass removes dangling segments except those in keep. It returns the removed segments and
// whether the net changed. A reattached track must not split the pour: the number of open
// connections must not exceed missing. Segments that cannot be reattached are added to keep.
func (rt *router) danglingPass(n *netState, keep map[segment]bool,
	missing int) (removed []segment, changed bool) {
	for i := 0; i < len(n.copper.segments) && !rt.cancelled(); {
		s := n.copper.segments[i]
		p, dangling := rt.danglingEnd(n, i)
		switch {
		case !dangling || keep[s]:
			i++
		case rt.cutAtCrossing(n, i, p):
			changed = true
			i++
		case rt.isRedundant(n, i):
			removed = append(removed, s)
			n.copper.segments = slices.Delete(n.copper.segments, i, i+1)
			changed, i = true, 0 // the adjacent segment may now dangle
		case splitAt(n, p, s):
			changed = true
			i++
		case rt.reattach(n, i, p, missing):
			changed = true
			i++
		default:
			keep[s] = true // prevents another attempt
			i++
		}
	}
	return removed, changed
}

// danglingEnd returns an unanchored end of segment i, and false if both ends are anchored.
func (rt *router) danglingEnd(n *netState, i int) (board.Point, bool) {
	rt.opt.Meter.Add(budget.ClearanceCheck, len(n.copper.segments)+len(n.terms)+len(n.copper.vias))
	s := n.copper.segments[i]
	a, b := geom.Disc(s.a, s.width), geom.Disc(s.b, s.width)
	anchoredA, anchoredB := false, false
	touch := func(o *geom.Shape) (onA, onB bool) {
		return geom.Distance(&a, o) <= -overlapMin, geom.Distance(&b, o) <= -overlapMin
	}
	anchor := func(onA, onB bool, anchors ...board.Point) {
		if onA && onB {
			toA, toB := nearestAnchor(anchors, s.a), nearestAnchor(anchors, s.b)
			onA, onB = toA < toB, toB <= toA
		}
		anchoredA, anchoredB = anchoredA || onA, anchoredB || onB
	}
	for k, o := range n.copper.segments {
		if k != i && o.layer == s.layer {
			form := geom.Segment(o.a, o.b, o.width)
			onA, onB := touch(&form)
			anchor(onA, onB, o.a, o.b)
		}
		if anchoredA && anchoredB {
			return board.Point{}, false
		}
	}
	for k := 0; k < len(n.terms); {
		first, padA, padB := &n.terms[k], false, false
		for ; k < len(n.terms) && rt.isSamePad(first, &n.terms[k]); k++ {
			if t := &n.terms[k]; t.layers.Has(s.layer) {
				onA, onB := touch(&t.shape)
				padA, padB = padA || onA, padB || onB
			}
		}
		anchor(padA, padB, first.at)
	}
	for _, v := range n.copper.vias {
		form := geom.Disc(v, n.viaDiameter)
		onA, onB := touch(&form)
		anchor(onA, onB, v)
	}
	if n.pour != nil {
		// maximum distance between an outline and its samples [nm]
		const margin = 60 * board.Micrometre
		corner := rt.board.ZoneCorner()
		firstA := board.Distance(corner, s.a) < board.Distance(corner, s.b)
		poured := func(p board.Point, more int64) bool {
			return n.pour.last.FilledNear(rt.numbers.board[s.layer], p, s.width/2+more)
		}
		anchoredA = anchoredA || poured(s.a, 0) && (firstA || !poured(s.b, margin))
		anchoredB = anchoredB || poured(s.b, 0) && (!firstA || !poured(s.a, margin))
	}
	switch {
	case anchoredA && anchoredB:
		return board.Point{}, false
	case anchoredA:
		return s.b, true
	}
	return s.a, true
}

// isSamePad reports whether two terminals are the same pad or pieces of one drawn pad.
func (rt *router) isSamePad(a, b *terminal) bool {
	if a.part != b.part || a.pad == b.pad {
		return a == b
	}
	pads := rt.board.Parts[a.part].Pads
	return pads[a.pad].Group > 0 && pads[a.pad].Group == pads[b.pad].Group
}

func nearestAnchor(anchors []board.Point, p board.Point) float64 {
	best := board.Distance(anchors[0], p)
	for _, a := range anchors[1:] {
		best = min(best, board.Distance(a, p))
	}
	return best
}

// reattach anchors both ends of a dangling segment that bridges two pour islands, and reports
// whether it succeeded. It first reroutes the segment from its anchored end to the closest pad. If
// that is illegal, it splits the segment at a knee away from the corner that ZoneCorner returns.
// The number of open connections must not exceed missing afterwards.
func (rt *router) reattach(n *netState, i int, dangling board.Point, missing int) bool {
	const far = 2e6 // maximum distance to the pad [nm]
	probes := maxReattachProbes
	old, before := n.copper.segments[i], len(n.copper.segments)
	anchored := old.a
	if dangling == old.a {
		anchored = old.b
	}
	try := func(path ...board.Point) bool {
		var segs []segment
		for k := 1; k < len(path); k++ {
			segs = append(segs,
				segment{a: path[k-1], b: path[k], width: old.width, layer: old.layer})
		}
		for _, s := range segs {
			if s.a == s.b || !rt.clearOfAllNets(n, s) {
				return false
			}
		}
		n.copper.segments[i] = segs[0]
		n.copper.segments = append(n.copper.segments, segs[1:]...)
		_, still := rt.danglingEnd(n, i)
		for k := before; k < len(n.copper.segments) && !still; k++ {
			_, still = rt.danglingEnd(n, k)
		}
		cut := false
		if !still && n.pour != nil {
			probes--
			rt.repour(n)
			cut = len(rt.ratsnest(n)) > missing
		}
		if still || cut {
			n.copper.segments = n.copper.segments[:before]
			n.copper.segments[i] = old
		}
		if cut {
			rt.repour(n)
		}
		return !still && !cut
	}
	pad, best := -1, far
	for k := range n.terms {
		t := &n.terms[k]
		if d := board.Distance(t.at, dangling); t.layers.Has(old.layer) && d < best {
			pad, best = k, d
		}
	}
	if pad >= 0 && try(anchored, n.terms[pad].at) {
		return true
	}
	corner := rt.board.ZoneCorner()
	for k := int64(1); k <= 10; k++ {
		for _, dir := range directions {
			if probes == 0 {
				return false
			}
			middle := board.Point{X: (anchored.X + dangling.X) / 2,
				Y: (anchored.Y + dangling.Y) / 2}
			knee := middle.Add(board.Point{X: int64(dir[0]) * k * board.MM(0.1),
				Y: int64(dir[1]) * k * board.MM(0.1)})
			if d := board.Distance(corner, knee); d > board.Distance(corner, anchored) &&
				d > board.Distance(corner, dangling) && try(anchored, knee, dangling) {
				return true
			}
		}
	}
	return false
}

// clearOfAllNets reports whether a segment satisfies every rule against the fixed items and the
// copper of all other nets.
func (rt *router) clearOfAllNets(n *netState, s segment) bool {
	it := rt.trackItem(n.index, s)
	return rt.isClear(&it) && rt.clearOfOtherNets(n, &it)
}

// splitAt splits the first segment on the layer of s, other than s, that contains p between its
// ends. It reports whether it found one.
func splitAt(n *netState, p board.Point, s segment) bool {
	for k, o := range n.copper.segments {
		if o.layer == s.layer && p != o.a && p != o.b && o != s && onSegment(p, o) {
			n.copper.segments[k].b = p
			o.a = p
			n.copper.segments = append(n.copper.segments, o)
			return true
		}
	}
	return false
}

// cutAtCrossing shortens segment i from its dangling end to the closest crossing with another
// segment on its layer. It reports whether the segment then connects pads. Before the cut, clusters
// does not count a crossing of two centre lines as a connection.
func (rt *router) cutAtCrossing(n *netState, i int, dangling board.Point) bool {
	s := n.copper.segments[i]
	anchored := s.a
	if dangling == s.a {
		anchored = s.b
	}
	d := dangling.Sub(anchored)
	x, y := abs(d.X), abs(d.Y)
	if x != 0 && y != 0 && x != y {
		return false // a point of the segment may have no exact coordinates
	}
	var cut int64 // distance of the crossing from the anchored end, in x or y [nm]
	for k, o := range n.copper.segments {
		if k == i || o.layer != s.layer {
			continue
		}
		if at, ok := crossesAt(anchored, d, o); ok {
			cut = max(cut, int64(math.Round(at*float64(max(x, y)))))
		}
	}
	if cut <= 0 || cut >= max(x, y) {
		return false
	}
	without := rt.padClusters(n, i)
	end := anchored.Add(board.Point{X: sign(d.X) * cut, Y: sign(d.Y) * cut})
	n.copper.segments[i].a, n.copper.segments[i].b = anchored, end
	if rt.padClusters(n, -1) >= without {
		n.copper.segments[i] = s
		return false
	}
	return true
}

// crossesAt returns the position from 0 to 1 on the vector d at which d crosses the centre line of
// a segment. d begins at the given point. The result is false without a crossing.
func crossesAt(from, d board.Point, o segment) (at float64, ok bool) {
	e, f := geom.VecOf(o.b.Sub(o.a)), geom.VecOf(o.a.Sub(from))
	v := geom.VecOf(d)
	cross := v.X*e.Y - v.Y*e.X
	if cross == 0 {
		return 0, false
	}
	at = (f.X*e.Y - f.Y*e.X) / cross
	on := (f.X*v.Y - f.Y*v.X) / cross
	return at, at >= 0 && at <= 1 && on >= 0 && on <= 1
}
