package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// keyholed connects the holes of a zone fragment to its outline by zero-width cuts. The cuts are
// horizontal and fully coincident, as the Gerber format requires of cut-ins (section 4.10.3). A
// hole outside the outline is an error; omitting it would fill an area that must stay free.
func keyholed(f board.Filled) (board.Polygon, error) {
	g := slices.Clone(f.Outline)
	holes := slices.Clone(f.Holes)
	slices.SortStableFunc(holes, func(a, b board.Polygon) int {
		return cmp.Compare(b.Bounds().Max.X, a.Bounds().Max.X)
	})
	for _, h := range holes {
		if len(h) < 3 {
			continue
		}
		var err error
		if g, err = keyhole(g, h); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// keyhole returns the outline g with the hole, connected by a cut from the rightmost corner of the
// hole to the right.
func keyhole(g, hole board.Polygon) (board.Polygon, error) {
	start := 0
	for i, p := range hole {
		if p.X > hole[start].X {
			start = i
		}
	}
	from, best, edge := hole[start], int64(math.MaxInt64), -1
	for i, a := range g {
		b := g[(i+1)%len(g)]
		if (a.Y <= from.Y) == (b.Y <= from.Y) {
			continue
		}
		x := a.X + int64(math.Round(float64(b.X-a.X)*(float64(from.Y-a.Y)/float64(b.Y-a.Y))))
		if x >= from.X && x < best {
			best, edge = x, i
		}
	}
	if edge < 0 {
		return nil, fmt.Errorf("a hole at %g, %g mm is outside the copper it belongs to",
			board.ToMM(from.X), board.ToMM(from.Y))
	}
	meet := board.Point{X: best, Y: from.Y}
	out := slices.Clone(g[:edge+1])
	out = append(out, meet)
	out = append(out, hole[start:]...)
	out = append(out, hole[:start+1]...)
	out = append(out, meet)
	return append(out, g[edge+1:]...), nil
}
