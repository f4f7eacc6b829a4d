package kicad

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/sexpr"
)

// Largest distances between the ends of two outline lines that form one corner [nm].
const (
	chainStep = 10e3  // tolerance of KiCad
	chainGap  = 500e3 // largest gap that is closed, with a warning
)

// drawn is a graphic item as a chain of points [nm].
type drawn struct {
	points []board.Point
	closed bool
}

// kindOfShape returns the kind of a gr_ or fp_ item that footprint.ReadShape reads. ok is false for
// other items.
func kindOfShape(n *sexpr.Node) (kind string, ok bool) {
	_, kind, _ = strings.Cut(n.Head(), "_")
	return kind, slices.Contains([]string{"line", "rect", "circle", "arc", "poly", "curve"}, kind)
}

// readDrawn parses a gr_ or fp_ item. It transforms an fp_ item by the position at [nm] and the
// rotation degrees of its footprint. ok is false for items other than shapes.
func readDrawn(n *sexpr.Node, at board.Point, degrees float64) (one drawn, ok bool, err error) {
	kind, ok := kindOfShape(n)
	if !ok {
		return one, false, nil
	}
	one.points, one.closed, err = footprint.ReadShape(n, kind)
	if err != nil {
		return one, false, asError(err)
	}
	if strings.HasPrefix(n.Head(), "fp_") {
		for i, p := range one.points {
			one.points[i] = at.Add(p.Rotated(degrees))
		}
	}
	return one, true, nil
}

// setOutline derives the outline and the cutouts of the board from the items on Edge.Cuts.
func (b *builder) setOutline() error {
	loops, chains, err := b.edgeCuts()
	if err != nil {
		return err
	}
	joined, open := b.join(chains)
	loops = append(loops, joined...)
	for i := range loops {
		loops[i] = loops[i].Simple()
	}
	loops = slices.DeleteFunc(loops, func(g board.Polygon) bool {
		return len(g) < 3 || g.Area() == 0
	})
	if len(loops) == 0 && len(open) > 0 {
		return bad(nil, "the outline on Edge.Cuts is open at %s mm", b.position(open[0][0]))
	}
	if len(loops) == 0 {
		return bad(nil, "the board has no closed outline on Edge.Cuts")
	}
	// Compare bounding boxes, because a self-intersecting outline can have a small area.
	size := func(g board.Polygon) float64 {
		box := g.Bounds()
		return float64(box.Width()) * float64(box.Height())
	}
	slices.SortStableFunc(loops, func(p, q board.Polygon) int {
		return cmp.Compare(size(q), size(p))
	})
	outer := loops[0]
	if i, k := outer.Crossing(); i >= 0 {
		return bad(nil, "the outline on Edge.Cuts crosses itself: its sides from %s and from %s mm",
			b.position(outer[i]), b.position(outer[k]))
	}
	b.origin = outer.Bounds().Min
	for _, p := range outer {
		b.Outline = append(b.Outline, p.Sub(b.origin))
	}
	beside := 0
	for _, g := range loops[1:] {
		if slices.ContainsFunc(g, func(p board.Point) bool { return !outer.Contains(p) }) {
			beside++
			continue
		}
		b.cutouts = append(b.cutouts, g)
	}
	for _, c := range open {
		if slices.ContainsFunc(c, func(p board.Point) bool { return !outer.Contains(p) }) {
			return bad(nil, "the outline on Edge.Cuts is open at %s mm", b.position(c[0]))
		}
	}
	if len(open) > 0 {
		b.warn("%d open lines on Edge.Cuts keep copper away like cutouts", len(open))
		b.cuts = open
	}
	if beside > 0 {
		b.warn("%d more outlines on Edge.Cuts are not within the largest, which alone is routed",
			beside)
	}
	return nil
}

// edgeCuts returns the closed shapes and the lines on Edge.Cuts, also those of footprints.
func (b *builder) edgeCuts() (loops []board.Polygon, chains [][]board.Point, err error) {
	corners := 0
	collect := func(n *sexpr.Node, at board.Point, degrees float64) error {
		if !slices.Contains(itemLayers(n), "Edge.Cuts") {
			return nil
		}
		one, ok, err := readDrawn(n, at, degrees)
		if err != nil || !ok {
			return err
		}
		if corners += len(one.points); corners > maxCorners {
			return bad(n, "the outline and the cutouts have more than %d corners", maxCorners)
		}
		if one.closed {
			loops = append(loops, one.points)
		} else {
			chains = append(chains, one.points)
		}
		return nil
	}
	for _, n := range b.design.root.List[1:] {
		if n.Head() != "footprint" && n.Head() != "module" {
			if err := collect(n, board.Point{}, 0); err != nil {
				return nil, nil, err
			}
			continue
		}
		at, degrees, err := footprint.ReadPosition(n, "at")
		if err != nil {
			return nil, nil, asError(err)
		}
		for _, c := range n.List[1:] {
			if err := collect(c, at, degrees); err != nil {
				return nil, nil, err
			}
		}
	}
	return loops, chains, nil
}

// join connects lines whose ends meet. It returns the closed outlines and the chains that remain
// open.
func (b *builder) join(chains [][]board.Point) (out []board.Polygon, open [][]board.Point) {
	chains = distinct(chains)
	gaps := 0.0
	for len(chains) > 0 {
		loop := slices.Clone(chains[0])
		chains = chains[1:]
		for {
			end := loop[len(loop)-1]
			best, at, backwards := board.Distance(end, loop[0]), -1, false
			if len(loop) < 3 {
				best = math.Inf(1)
			}
			for i, c := range chains {
				for _, back := range []bool{false, true} {
					from := c[0]
					if back {
						from = c[len(c)-1]
					}
					if d := board.Distance(end, from); d < best {
						best, at, backwards = d, i, back
					}
				}
			}
			if best > chainGap {
				open = append(open, loop)
				loop = nil
				break
			}
			if best > chainStep {
				gaps = max(gaps, best)
			}
			if at < 0 {
				loop = loop[:len(loop)-1] // first and last corner coincide
				break
			}
			next := slices.Clone(chains[at])
			if backwards {
				slices.Reverse(next)
			}
			loop = append(loop, next[1:]...) // the first corner equals the last corner of the loop
			chains = slices.Delete(chains, at, at+1)
		}
		if loop != nil {
			out = append(out, loop)
		}
	}
	if gaps > 0 {
		b.warn("the outline on Edge.Cuts has gaps of up to %.3f mm, which are closed", gaps/1e6)
	}
	return out, open
}

// distinct removes duplicate chains and closed chains.
func distinct(chains [][]board.Point) [][]board.Point {
	type ends struct{ a, b, middle board.Point }
	seen := map[ends]bool{}
	var out [][]board.Point
	for _, c := range chains {
		a, z, m := c[0], c[len(c)-1], c[len(c)/2]
		if len(c) == 2 {
			m = board.Point{}
		}
		if !seen[ends{a, z, m}] && !seen[ends{z, a, m}] && a != z {
			seen[ends{a, z, m}] = true
			out = append(out, c)
		}
	}
	return out
}
