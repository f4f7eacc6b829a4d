package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// pairTrack is the copper of one net of a pair, from the pad at one end to the pad at the other.
type pairTrack struct {
	runs  []pairRun
	vias  []board.Point // vias between the runs
	width int64
	away  []float64 // by run: 1 if the other net is on the right, -1 otherwise
}

// pairRun is the part of a track on one layer.
type pairRun struct {
	layer  int
	points []board.Point
}

// Limits of the bumps that lengthen the shorter track of a pair.
const (
	// lengthTolerance is the length mismatch that matchLengths accepts [nm].
	lengthTolerance = 50 * board.Micrometre
	// maxBump is the largest height of a bump, in multiples of the track spacing. Higher bumps
	// would decouple the track from the other net.
	maxBump = 2
	// bumpGain is the length added by a bump with 45-degree flanks, per unit of height.
	bumpGain = 2 * (math.Sqrt2 - 1)
)

// length returns the length of the tracks plus the via barrels between their layers [nm].
func (c *coupler) length(t *pairTrack) float64 {
	sum := 0.0
	for k, r := range t.runs {
		if k > 0 {
			from, to := t.runs[k-1].layer, r.layer
			sum += float64(c.rt.board.Copper().Barrel(c.rt.numbers.board[from],
				c.rt.numbers.board[to]))
		}
		for i := 1; i < len(r.points); i++ {
			sum += board.Distance(r.points[i-1], r.points[i])
		}
	}
	return sum
}

func (t *pairTrack) segments() []segment {
	var out []segment
	for _, r := range t.runs {
		for i := 1; i < len(r.points); i++ {
			if r.points[i-1] != r.points[i] {
				out = append(out, segment{r.points[i-1], r.points[i], t.width,
					board.Layer(r.layer)})
			}
		}
	}
	return out
}

// items returns the tracks and vias of one net of the pair as copper items.
func (c *coupler) items(net int, t *pairTrack) []copperItem {
	var out []copperItem
	for _, s := range t.segments() {
		out = append(out, c.rt.trackItem(c.nets[net].index, s))
	}
	for _, v := range t.vias {
		out = append(out, c.rt.viaItem(c.nets[net].index, v))
	}
	return out
}

// isLegal reports whether the copper of a pair satisfies every clearance rule.
func (c *coupler) isLegal(t *[2]pairTrack) bool {
	one, two := c.items(0, &t[0]), c.items(1, &t[1])
	for _, it := range slices.Concat(one, two) {
		if !c.rt.isClear(&it) {
			return false
		}
	}
	return !c.collide(one, two)
}

// tracks converts a path to the tracks of the two nets.
func (c *coupler) tracks(p pairPath) [2]pairTrack {
	var out [2]pairTrack
	for k := range out {
		side := p.start.side * sideOf(k)
		t := pairTrack{width: c.width}
		if x := p.start.cross; x != nil && x.net == k {
			t.addRun(pairRun{p.start.layer, x.before}, side)
			t.addRun(pairRun{x.layer, x.below}, side)
		}
		run := pairRun{layer: p.start.layer, points: slices.Clone(p.start.legs[k])}
		node, layer, direction := c.split(p.states[0])
		for _, s := range p.states[1:] {
			next, on, d := c.split(s)
			if on != layer {
				at, _ := c.next(node, direction, c.leadSteps(direction))
				run.points = append(run.points, c.leadOf(node, at, direction, side)...)
				t.addRun(run, side)
				back := c.leadOf(next, at, (direction+4)&7, -side)
				run = pairRun{layer: on, points: reversed(back)}
			} else if d != direction {
				across := left(direction).Add(left(d))
				corner := across.Scale(side * c.half / (1 + left(direction).Dot(left(d))))
				run.points = append(run.points, pointOf(c.at(node).Add(corner)))
			}
			node, layer, direction = next, on, d
		}
		run.points = append(run.points, reversed(p.goal.legs[k])...)
		t.addRun(run, side)
		if x := p.goal.cross; x != nil && x.net == k {
			t.addRun(pairRun{x.layer, reversed(x.below)}, side)
			t.addRun(pairRun{p.goal.layer, reversed(x.before)}, side)
		}
		out[k] = t
	}
	return out
}

// addRun appends a run, with a via to the previous run. The parameter away is 1 if the other net is
// on the right of the run, and -1 otherwise.
func (t *pairTrack) addRun(r pairRun, away float64) {
	if len(t.runs) > 0 {
		t.vias = append(t.vias, r.points[0])
	}
	r.points = straightened(r.points)
	t.runs, t.away = append(t.runs, r), append(t.away, away)
}

func reversed(points []board.Point) []board.Point {
	out := slices.Clone(points)
	slices.Reverse(out)
	return out
}

// straightened returns a track without duplicate or collinear points.
func straightened(points []board.Point) []board.Point {
	var out []board.Point
	for _, p := range points {
		if n := len(out); n > 0 && out[n-1] == p {
			continue
		}
		if n := len(out); n > 1 {
			a, b := geom.VecOf(out[n-1]).Sub(geom.VecOf(out[n-2])),
				geom.VecOf(p).Sub(geom.VecOf(out[n-1]))
			// tolerance for the rounding of corners to whole nanometres
			if math.Abs(a.Cross(b)) < 2*min(a.Length(), b.Length()) && a.Dot(b) > 0 {
				out[n-1] = p
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// matchLengths lengthens the shorter track by bumps on the side away from the other track. It
// starts with the longest straight segments.
func (c *coupler) matchLengths(tracks [2]pairTrack) [2]pairTrack {
	k := 0
	missing := c.length(&tracks[1]) - c.length(&tracks[0])
	if missing < 0 {
		k, missing = 1, -missing
	}
	t := &tracks[k]
	t.runs = slices.Clone(t.runs)
	type piece struct{ run, at int }
	var pieces []piece
	for r := range t.runs {
		for i := 1; i < len(t.runs[r].points); i++ {
			pieces = append(pieces, piece{r, i})
		}
	}
	long := func(p piece) float64 {
		points := t.runs[p.run].points
		return board.Distance(points[p.at-1], points[p.at])
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(long(b), long(a)) })
	bumps := map[piece][]board.Point{}
	other := c.items(1-k, &tracks[1-k])
	for _, p := range pieces {
		points := t.runs[p.run].points
		bumps[p] = c.bumps(k, t.runs[p.run].layer, points[p.at-1], points[p.at], t.away[p.run],
			other, &missing)
	}
	for r := range t.runs {
		old := t.runs[r].points
		points := old[:1:1]
		for i := 1; i < len(old); i++ {
			points = append(append(points, bumps[piece{r, i}]...), old[i])
		}
		t.runs[r].points = points
	}
	return tracks
}

// bumps returns the corners of the bumps on a straight segment of a track and subtracts the added
// length [nm] from *missing. The bumps lie on the left of the segment if away is 1, and on the
// right if it is -1.
func (c *coupler) bumps(net, layer int, a, b board.Point, away float64, other []copperItem,
	missing *float64) []board.Point {
	var out []board.Point
	line := geom.VecOf(b).Sub(geom.VecOf(a))
	if line.Length() == 0 {
		return nil
	}
	along := line.Scale(1 / line.Length())
	across := geom.Vec{X: -along.Y, Y: along.X}.Scale(away)
	apart := 2 * c.half
	for at := apart; *missing > float64(lengthTolerance); {
		height := min(*missing/bumpGain, maxBump*apart)
		base := 2*height + apart
		if at+base+apart > line.Length() {
			// a flatter bump may fit into the remaining length
			height = (line.Length() - at - 2*apart) / 2
			base = 2*height + apart
		}
		if height*bumpGain < float64(lengthTolerance)/2 {
			break
		}
		place := func(s, up float64) board.Point {
			return pointOf(geom.VecOf(a).Add(along.Scale(s)).Add(across.Scale(up)))
		}
		bump := []board.Point{place(at, 0), place(at+height, height),
			place(at+base-height, height), place(at+base, 0)}
		if !c.isClearPath(net, bump, layer) || c.collide(c.pathItems(net, bump, layer), other) {
			at += apart
			continue
		}
		out = append(out, bump...)
		*missing -= height * bumpGain
		at += base + apart
	}
	return out
}
