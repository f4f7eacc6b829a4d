package pour

import (
	"context"
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// open removes copper narrower than minWidth by a morphological opening. A sample stays filled if
// the clearance field is at least minWidth/2 at a sample within minWidth/2 of it. In thermal spokes
// that may be narrower, spokeClearance is required instead. Finally, open separates copper that
// would touch only at a corner.
func (f *clearanceField) open(ctx context.Context) error {
	reach := minWidth / 2 / float64(f.pitch)
	var near []int
	for dj := -int(reach + 1); dj <= int(reach+1); dj++ {
		for di := -int(reach + 1); di <= int(reach+1); di++ {
			if math.Hypot(float64(di), float64(dj)) <= reach+0.9 {
				near = append(near, dj*f.w+di)
			}
		}
	}
	margin := int(reach+2)*(f.w+1) + 1
	for k, v := range f.clearance {
		if k&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		want := float32(minWidth / 2)
		if f.spokes != nil && f.spokes[k] {
			want = float32(f.spokeClearance())
		}
		if v < 0 || v >= want {
			continue
		}
		ok := false
		for _, d := range near {
			if k >= margin && k+margin < len(f.clearance) && f.clearance[k+d] >= want {
				ok = true
				break
			}
		}
		f.filled[k] = ok
	}
	for changed := true; changed; {
		changed = false
		for j := range f.h - 1 {
			if j&63 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			low, high := f.filled[j*f.w:(j+1)*f.w], f.filled[(j+1)*f.w:(j+2)*f.w]
			for i := range f.w - 1 {
				if low[i] == high[i+1] && low[i] != low[i+1] && low[i] != high[i] {
					a := j*f.w + i
					b, c, d := a+1, a+1+f.w, a+f.w
					if !f.filled[a] {
						a, c = b, d
					}
					if f.clearance[a] > f.clearance[c] {
						a = c
					}
					f.filled[a] = false
					changed = true
				}
			}
		}
	}
	return nil
}

// label returns the fragment number of each sample and the number of fragments. The fragments are
// numbered in the order of their first samples; samples without copper have -1. The function unites
// the spans of each row with the touching spans of the previous row.
func (f *clearanceField) label(ctx context.Context) ([]int32, int, error) {
	labels := f.labels
	var sets geom.UnionFind // union of spans; the first span of a fragment represents it
	for j := range f.h {
		if j&63 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		row, out := f.filled[j*f.w:(j+1)*f.w], labels[j*f.w:(j+1)*f.w]
		var below []bool // previous row; nil for the first row
		var before []int32
		if j > 0 {
			below, before = f.filled[(j-1)*f.w:j*f.w], labels[(j-1)*f.w:j*f.w]
		}
		run := int32(-1) // number of the span that the previous sample belongs to
		for i, in := range row {
			if !in {
				run, out[i] = -1, -1
				continue
			}
			follows := run >= 0
			if !follows {
				run = int32(len(sets))
				sets.Add()
			}
			out[i] = run
			// otherwise the previous sample has already united the two spans
			if below != nil && below[i] && !(follows && below[i-1]) {
				sets.Union(int(run), int(before[i]))
			}
		}
	}
	n := int32(0)
	number := make([]int32, len(sets))
	for i := range sets {
		if first := sets.Find(i); first == i {
			number[i] = n
			n++
		} else {
			number[i] = number[first]
		}
	}
	for k, run := range labels {
		if run >= 0 {
			labels[k] = number[run]
		}
	}
	return labels, int(n), nil
}

// areas returns the areas of the n fragments [mm²].
func (f *clearanceField) areas(n int) []float64 {
	counts := make([]int, n+1) // the last element counts samples without copper
	run, last := 0, int32(n)
	for _, v := range f.labels {
		if v < 0 {
			v = int32(n)
		}
		if v != last { // counting a run in a register is faster
			counts[last] += run
			run, last = 0, v
		}
		run++
	}
	counts[last] += run
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(counts[i]) * board.ToMM(f.pitch) * board.ToMM(f.pitch)
	}
	return out
}

// isUniform reports whether the four corners of cell (i, j) are all filled or all empty, so that no
// outline crosses it.
func (f *clearanceField) isUniform(i, j int) bool {
	a := j*f.w + i
	low, high := f.filled[a:a+2:a+2], f.filled[a+f.w:a+f.w+2:a+f.w+2]
	return low[0] == low[1] && low[0] == high[0] && low[0] == high[1]
}

// trace traces the outlines of the filled samples by marching squares. The crossing of each lattice
// edge is interpolated from the field at both ends, so the outline lies where the clearance is
// exactly met. Copper is on the left, so outlines run counter-clockwise and holes clockwise.
func (f *clearanceField) trace(ctx context.Context) ([]board.Filled, error) {
	visited := make([]bool, 2*len(f.filled))
	pieceOf := map[int32]int{}
	var pieces []board.Filled
	type hole struct {
		label int32
		g     board.Polygon
	}
	var holes []hole
	for j := range f.h - 1 {
		if j&31 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i := range f.w - 1 {
			if f.isUniform(i, j) {
				continue
			}
			for e := range 4 {
				if !f.enters(i, j, e) || visited[f.edge(i, j, e)] {
					continue
				}
				raw := f.traceContour(i, j, e, visited)
				g := simplify(raw)
				a := g.Area()
				label := f.labels[f.corner(i, j, e)]
				switch {
				case len(g) < 3 || math.Abs(a) < 1e8: // area of a square of 10 µm by 10 µm [nm²]
				case a > 0:
					pieceOf[label] = len(pieces)
					pieces = append(pieces, board.Filled{Outline: g})
				default:
					holes = append(holes, hole{label, g})
				}
			}
		}
	}
	for _, h := range holes {
		if k, ok := pieceOf[h.label]; ok {
			pieces[k].Holes = append(pieces[k].Holes, h.g)
		}
	}
	return pieces, nil
}

// corner returns the index of the sample at corner c of lattice square (i, j). The corners are
// counted counter-clockwise from the lower left.
func (f *clearanceField) corner(i, j, c int) int {
	switch c & 3 {
	case 1:
		i++
	case 2:
		i, j = i+1, j+1
	case 3:
		j++
	}
	return j*f.w + i
}

// edge returns the index of the lattice edge between corners e and e+1 of square (i, j).
func (f *clearanceField) edge(i, j, e int) int {
	switch e {
	case 0:
		return 2 * (j*f.w + i)
	case 1:
		return 2*(j*f.w+i+1) + 1
	case 2:
		return 2 * ((j+1)*f.w + i)
	}
	return 2*(j*f.w+i) + 1
}

// enters reports whether an outline enters square (i, j) through edge e.
func (f *clearanceField) enters(i, j, e int) bool {
	return f.filled[f.corner(i, j, e)] && !f.filled[f.corner(i, j, e+1)]
}

func (f *clearanceField) traceContour(i, j, e int, visited []bool) board.Polygon {
	var g board.Polygon
	for !visited[f.edge(i, j, e)] {
		visited[f.edge(i, j, e)] = true
		g = append(g, f.crossing(f.corner(i, j, e), f.corner(i, j, e+1)))
		// Go clockwise past the filled corners to the edge through which the outline leaves.
		out := (e + 3) & 3
		for f.filled[f.corner(i, j, out)] {
			out = (out + 3) & 3
		}
		switch out {
		case 0:
			j--
		case 1:
			i++
		case 2:
			j++
		default:
			i--
		}
		e = (out + 2) & 3
	}
	return g
}

// crossing returns the intersection of the outline with the lattice edge between filled sample in
// and empty sample out.
func (f *clearanceField) crossing(in, out int) board.Point {
	t := 0.5
	if a, b := float64(f.clearance[in]), float64(f.clearance[out]); b < 0 {
		t = max(0.04, min(0.96, a/(a-b)))
	}
	p, q := f.point(in), f.point(out)
	return board.Point{X: p.X + int64(t*float64(q.X-p.X)), Y: p.Y + int64(t*float64(q.Y-p.Y))}
}

func (f *clearanceField) point(k int) board.Point {
	return board.Point{X: f.min.X + int64(k%f.w)*f.pitch, Y: f.min.Y + int64(k/f.w)*f.pitch}
}

// simplify drops points within simplifyTolerance of the line between the remaining points (Douglas
// and Peucker 1973). It starts from the first point and the point farthest from it.
func simplify(g board.Polygon) board.Polygon {
	if len(g) < 4 {
		return g
	}
	far, best := 0, -1.0
	for i := range g {
		if d := board.Distance(g[0], g[i]); d > best {
			far, best = i, d
		}
	}
	keep := make([]bool, len(g)+1)
	keep[0], keep[far], keep[len(g)] = true, true, true
	at := func(i int) board.Point { return g[i%len(g)] }
	stack := [][2]int{{0, far}, {far, len(g)}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		worst, k := simplifyTolerance, -1
		for i := s[0] + 1; i < s[1]; i++ {
			if d := toLine(at(i), at(s[0]), at(s[1])); d > worst {
				worst, k = d, i
			}
		}
		if k >= 0 {
			keep[k] = true
			stack = append(stack, [2]int{s[0], k}, [2]int{k, s[1]})
		}
	}
	out := make(board.Polygon, 0, len(g)/4)
	for i, p := range g {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

func toLine(p, a, b board.Point) float64 {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	x, y := float64(p.X-a.X), float64(p.Y-a.Y)
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = max(0, min(1, (x*dx+y*dy)/l))
	}
	return math.Hypot(x-t*dx, y-t*dy)
}
