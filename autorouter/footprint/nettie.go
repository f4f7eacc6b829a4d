package footprint

import (
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// tieRules states which pads of a file the copper may join: the groups of net_tie_pad_groups, since
// KiCad 7, or all pads if the tags begin with "net tie", as before.
type tieRules struct {
	all    bool
	groups [][]string // pad numbers
}

// setTieRules reads which pads the copper may join.
func (r *fileReader) setTieRules() {
	tags, _ := r.root.Text("tags")
	r.ties.all = strings.HasPrefix(strings.ToLower(tags), "net tie")
	list := r.root.First("net_tie_pad_groups")
	if list == nil {
		return
	}
	r.ties.all = false
	for i := range list.List[1:] {
		numbers := strings.Split(list.At(i+1), ",")
		for k := range numbers {
			numbers[k] = strings.TrimSpace(numbers[k])
		}
		r.ties.groups = append(r.ties.groups, numbers)
	}
}

// any reports whether the footprint is a net tie.
func (t *tieRules) any() bool { return t.all || len(t.groups) > 0 }

// allow reports whether copper may join two pads.
func (t *tieRules) allow(pair [2]string) bool {
	return t.all || slices.ContainsFunc(t.groups, func(numbers []string) bool {
		return slices.Contains(numbers, pair[0]) && slices.Contains(numbers, pair[1])
	})
}

// maxTied is the largest number of pads that one piece of copper joins.
const maxTied = 32

// drawnCopper is a graphic on a copper layer, in convex pieces.
type drawnCopper struct {
	n      *sexpr.Node
	pieces []board.FootprintPad
}

// tieGraphic reads a graphic on a copper layer of a net tie.
func (r *fileReader) tieGraphic(n *sexpr.Node, kind, layer string) error {
	front, back := sidesOf([]string{layer}, ".Cu")
	if !r.ties.any() || !front && !back {
		return bad(n, "copper is drawn on %s outside of the pads; it is read on F.Cu and B.Cu of "+
			"net ties, which state (net_tie_pad_groups ...) or tags that begin with net tie",
			text.Word(layer))
	}
	pieces, err := (&drawnPad{}).primitive(n, kind)
	if err != nil {
		return err
	}
	for i := range pieces {
		pieces[i].Layers = board.Top.Bit()
		if back {
			pieces[i].Layers = board.Bottom.Bit()
		}
	}
	r.copper = append(r.copper, drawnCopper{n, pieces})
	return nil
}

// addTies divides the copper between the pads of a net tie among them: a point of the copper
// belongs to the closest of the pads that the copper touches and that its own copper joins it to.
// Copper of two nets then meets halfway between their pads, and everywhere else the nets keep their
// clearance from each other.
func (r *fileReader) addTies() error {
	var pieces []board.FootprintPad
	var owners []*sexpr.Node
	for _, c := range r.copper {
		for _, p := range c.pieces {
			pieces, owners = append(pieces, p), append(owners, c.n)
		}
	}
	if len(pieces) > maxPieces {
		return bad(owners[maxPieces], "the copper outside of the pads has more than %d convex pieces",
			maxPieces)
	}
	coppers, pads := padCoppers(pieces), padCoppers(r.f.Pads)
	sets := geom.NewUnionFind(len(pieces))
	touched := make([][]int, len(pieces)) // indices of pads
	for i := range pieces {
		for k := range i {
			if coppers[i].touches(&coppers[k]) {
				sets.Union(i, k)
			}
		}
	}
	for i := range pieces {
		for k := range r.f.Pads {
			if r.f.Pads[k].Number == "" || !coppers[i].touches(&pads[k]) {
				continue
			}
			root, first := sets.Find(i), r.firstOf(k)
			if !slices.Contains(touched[root], first) {
				touched[root] = append(touched[root], first)
			}
			if len(touched[root]) > maxTied {
				return bad(owners[i], "copper joins more than %d pads", maxTied)
			}
		}
	}
	var shares []tieShare
	for i, p := range pieces {
		sites := touched[sets.Find(i)]
		if len(sites) == 0 {
			return bad(owners[i], "the copper drawn outside of the pads touches no pad")
		}
		for _, k := range sites {
			for _, q := range r.share(p, k, sites) {
				shares = append(shares, tieShare{k, q})
			}
		}
	}
	if len(r.f.Pads)+len(shares) > maxPieces {
		return bad(r.root, "the pads have more than %d convex pieces", maxPieces)
	}
	r.joinIslands(shares, pads)
	added := map[int][]board.FootprintPad{} // by the first piece of the pad
	for _, s := range shares {
		added[s.pad] = append(added[s.pad], s.piece)
	}
	return r.insertTies(added)
}

// tieShare is copper of a net tie and the index of the first piece of the pad that it belongs to.
type tieShare struct {
	pad   int
	piece board.FootprintPad
}

// joinIslands gives shares that are not joined to their pad, such as bends of a winding track, to a
// pad that they are joined to. The parameter pads has the copper of the pads of the footprint.
func (r *fileReader) joinIslands(shares []tieShare, pads []padCopper) {
	pieces := make([]board.FootprintPad, len(shares))
	for i, s := range shares {
		pieces[i] = s.piece
	}
	coppers := padCoppers(pieces)
	joined := make([]bool, len(shares))
	var queue []int
	for i := range shares {
		for k := range pads {
			if r.f.Pads[k].Number == pieces[i].Number && coppers[i].touches(&pads[k]) {
				joined[i] = true
				queue = append(queue, i)
				break
			}
		}
	}
	for _, islands := range []bool{false, true} {
		for n := 0; n < len(queue); n++ {
			from := &shares[queue[n]]
			for i := range shares {
				s := &shares[i]
				if joined[i] || !islands && s.piece.Number != from.piece.Number ||
					!coppers[i].touches(&coppers[queue[n]]) {
					continue
				}
				joined[i], s.pad, s.piece.Number = true, from.pad, from.piece.Number
				queue = append(queue, i)
			}
		}
	}
}

// firstOf returns the first piece of the drawn pad that piece k belongs to.
func (r *fileReader) firstOf(k int) int {
	group := r.f.Pads[k].Group
	for group > 0 && k > 0 && r.f.Pads[k-1].Group == group {
		k--
	}
	return k
}

// share returns the part of a convex piece that is closer to pad k than to the other pads.
func (r *fileReader) share(p board.FootprintPad, k int, pads []int) []board.FootprintPad {
	own := &r.f.Pads[k]
	g := outline(p)
	at := vec{float64(own.At.X), float64(own.At.Y)}
	for _, other := range pads {
		o := &r.f.Pads[other]
		if o.Number == own.Number || o.At == own.At {
			continue
		}
		to := vec{float64(o.At.X), float64(o.At.Y)}
		middle := vec{(at.x + to.x) / 2, (at.y + to.y) / 2}
		g = cutAt(g, middle, vec{to.x - at.x, to.y - at.y})
	}
	parts, err := convexParts(g)
	if err != nil { // no area is left
		return nil
	}
	var out []board.FootprintPad
	for _, part := range parts {
		if isSliver(part) {
			continue
		}
		q := convexPad(part, 0)
		q.Number, q.Layers, q.NoMask, q.NoPaste, q.Tie = own.Number, p.Layers, true, true, true
		out = append(out, q)
	}
	return out
}

// leastShare is the minimum width of a share [nm]. Rounding leaves narrower ones where the copper
// was already divided, and the corners of those do not enclose an area.
const leastShare = 1e3

// isSliver reports whether the mean width of a polygon along its longest diagonal is below
// leastShare.
func isSliver(g []vec) bool {
	longest := 0.0
	for i, p := range g {
		for _, q := range g[:i] {
			longest = max(longest, math.Hypot(p.x-q.x, p.y-q.y))
		}
	}
	return math.Abs(area(g)) < leastShare*longest
}

// cutAt returns the part of a convex polygon that is behind the line through at with the normal
// ahead.
func cutAt(g []vec, at, ahead vec) []vec {
	var out []vec
	side := func(p vec) float64 { return (p.x-at.x)*ahead.x + (p.y-at.y)*ahead.y }
	for i, p := range g {
		q := g[(i+1)%len(g)]
		a, b := side(p), side(q)
		if a <= 0 {
			out = append(out, p)
		}
		if a < 0 && b > 0 || a > 0 && b < 0 {
			t := a / (a - b)
			out = append(out, vec{math.Round(p.x + t*(q.x-p.x)), math.Round(p.y + t*(q.y-p.y))})
		}
	}
	return out
}

// insertTies adds the copper of each pad after the pieces of the pad.
func (r *fileReader) insertTies(added map[int][]board.FootprintPad) error {
	var out []board.FootprintPad
	for k := 0; k < len(r.f.Pads); {
		pieces, end := added[k], k+1
		for end < len(r.f.Pads) && r.firstOf(end) == k {
			end++
		}
		if len(pieces) > 0 && r.f.Pads[k].Group == 0 {
			r.groups++
			r.f.Pads[k].Group = r.groups
		}
		out = append(out, r.f.Pads[k:end]...)
		for _, p := range pieces {
			p.Group = r.f.Pads[k].Group
			out = append(out, p)
		}
		k = end
	}
	r.f.Pads = out
	return r.checkPieces(r.root)
}

// setTouching sets the pairs of touching pads. The bool is false if there are too many.
func (r *fileReader) setTouching(f *board.Footprint) bool {
	pairs, few := touching(f.Pads)
	for _, pair := range pairs {
		if r.ties.allow(pair) {
			f.Ties = append(f.Ties, pair)
		} else {
			f.Touching = append(f.Touching, pair)
		}
	}
	return few
}

// joinsAll reports whether the copper of a net tie joins each pad to another. Either end of it is
// then right.
func joinsAll(f *board.Footprint) bool {
	return len(f.Ties) > 0 && !slices.ContainsFunc(f.Pads, func(p board.FootprintPad) bool {
		return p.Number != "" && !slices.ContainsFunc(f.Ties, func(pair [2]string) bool {
			return pair[0] == p.Number || pair[1] == p.Number
		})
	})
}
