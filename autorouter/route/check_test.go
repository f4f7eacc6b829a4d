package route_test

import (
	"fmt"
	"math"

	"slipstick/autorouter/board"
)

// piece is a copper item: a polygon with a rounding radius, and its hole. Distances are exact
// (vertex to edge) and computed without code of the router.
type piece struct {
	name       string
	net        int
	layers     [2]bool
	core       []board.Point
	r          float64
	holeR      float64
	holeCore   []board.Point
	x0, y0     float64
	x1, y1     float64
	isPad, via bool
}

func corners(at board.Point, w, h, r int64, deg float64) []board.Point {
	x, y := w/2-r, h/2-r
	pts := []board.Point{{X: -x, Y: -y}, {X: x, Y: -y}, {X: x, Y: y}, {X: -x, Y: y}}
	for i := range pts {
		pts[i] = at.Add(pts[i].Rotated(deg))
	}
	return pts
}

func segmentsOf(b *board.Board) []piece {
	var out []piece
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			p := &b.Parts[pi].Pads[i]
			q := piece{name: fmt.Sprintf("%s.%s", b.Parts[pi].Ref, p.Number), net: p.Net,
				layers: [2]bool{p.On(board.Top), p.On(board.Bottom)}, isPad: true}
			r := int64(0)
			switch p.Shape {
			case board.Circle, board.Oval:
				r = min(p.Width, p.Height) / 2
			case board.RoundRect:
				r = board.CornerRadius(p.Width, p.Height)
			}
			q.core, q.r = corners(p.At, p.Width, p.Height, r, p.Rotation), float64(r)
			if p.Drill > 0 {
				q.holeCore, q.holeR = []board.Point{p.At}, float64(p.Drill)/2
			}
			out = append(out, q)
		}
	}
	for i, t := range b.Tracks {
		out = append(out, piece{name: fmt.Sprintf("track %d %s", i, b.Nets[t.Net].Name), net: t.Net,
			layers: [2]bool{t.Layer == board.Top, t.Layer == board.Bottom},
			core:   []board.Point{t.A, t.B}, r: float64(t.Width) / 2})
	}
	for i, v := range b.Vias {
		out = append(out, piece{name: fmt.Sprintf("via %d %s", i, b.Nets[v.Net].Name), net: v.Net,
			layers: [2]bool{true, true}, via: true,
			core: []board.Point{v.At}, r: float64(v.Diameter) / 2, holeCore: []board.Point{v.At},
			holeR: float64(v.Drill) / 2})
	}
	for i := range out {
		q := &out[i]
		q.x0, q.y0, q.x1, q.y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, c := range q.core {
			q.x0, q.x1 = min(q.x0, float64(c.X)-q.r), max(q.x1, float64(c.X)+q.r)
			q.y0, q.y1 = min(q.y0, float64(c.Y)-q.r), max(q.y1, float64(c.Y)+q.r)
		}
	}
	return out
}

func pointTo(p board.Point, a, b board.Point) float64 {
	ax, ay := float64(p.X-a.X), float64(p.Y-a.Y)
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	l := dx*dx + dy*dy
	t := 0.0
	if l > 0 {
		t = max(0, min(1, (ax*dx+ay*dy)/l))
	}
	return math.Hypot(ax-t*dx, ay-t*dy)
}

func within(p board.Point, poly []board.Point) bool {
	if len(poly) < 3 {
		return false
	}
	in := false
	for i, a := range poly {
		b := poly[(i+1)%len(poly)]
		if (a.Y > p.Y) != (b.Y > p.Y) &&
			float64(p.X) < float64(a.X)+float64(p.Y-a.Y)/float64(b.Y-a.Y)*float64(b.X-a.X) {
			in = !in
		}
	}
	return in
}

func crossing(a, b, c, d board.Point) bool {
	side := func(p, q, r board.Point) float64 {
		return float64(q.X-p.X)*float64(r.Y-p.Y) - float64(q.Y-p.Y)*float64(r.X-p.X)
	}
	return side(a, b, c)*side(a, b, d) < 0 && side(c, d, a)*side(c, d, b) < 0
}

func cores(a, b []board.Point) float64 {
	if within(a[0], b) || within(b[0], a) {
		return 0
	}
	best := math.Inf(1)
	for i, p := range a {
		p2 := a[(i+1)%len(a)]
		for j, q := range b {
			q2 := b[(j+1)%len(b)]
			if crossing(p, p2, q, q2) {
				return 0
			}
			best = min(best, pointTo(p, q, q2), pointTo(p2, q, q2), pointTo(q, p, p2),
				pointTo(q2, p, p2))
		}
	}
	return best
}

// violations lists the design rule violations. It compares every pair of copper items except pairs
// of pads.
func violations(b *board.Board) []string {
	var out []string
	ps := segmentsOf(b)
	const tol = 2 // tolerance for the rounding of rotated pads [nm]
	class := func(net int) int64 {
		if net < 0 {
			return b.Rules.Classes[0].Clearance
		}
		return b.Rules.Class(&b.Nets[net]).Clearance
	}
	for i := range ps {
		p := &ps[i]
		for j := range i {
			q := &ps[j]
			far := 1e6
			if p.x0-far > q.x1 || q.x0-far > p.x1 || p.y0-far > q.y1 || q.y0-far > p.y1 ||
				p.isPad && q.isPad {
				continue
			}
			if p.holeR > 0 && q.holeR > 0 {
				if d := cores(p.holeCore, q.holeCore) - p.holeR -
					q.holeR; d < float64(b.Rules.HoleToHole)-tol {
					out = append(out, fmt.Sprintf("hole to hole %s %s %.0f", p.name, q.name, d))
				}
			}
			if p.net == q.net && p.net >= 0 {
				continue
			}
			if p.layers[0] && q.layers[0] || p.layers[1] && q.layers[1] {
				if d := cores(p.core, q.core) - p.r - q.r; d < float64(max(class(p.net),
					class(q.net)))-tol {
					out = append(out, fmt.Sprintf("clearance %s %s %.0f", p.name, q.name, d))
				}
			}
			for _, pair := range [2][2]*piece{{p, q}, {q, p}} {
				if h, c := pair[0], pair[1]; h.holeR > 0 {
					if d := cores(h.holeCore, c.core) - h.holeR -
						c.r; d < float64(b.Rules.HoleClearance)-tol {
						out = append(out, fmt.Sprintf("hole clearance %s %s %.0f",
							h.name, c.name, d))
					}
				}
			}
		}
		if !p.isPad {
			for k, a := range b.Outline {
				if d := cores(p.core, []board.Point{a, b.Outline[(k+1)%len(b.Outline)]}) -
					p.r; d < float64(b.Rules.EdgeClearance)-tol {
					out = append(out, fmt.Sprintf("edge %s %.0f", p.name, d))
				}
			}
			for _, h := range b.Holes {
				if d := cores(p.core, []board.Point{h.At}) - p.r - float64(h.Diameter)/2; d <
					float64(max(h.Keepout, b.Rules.HoleClearance))-tol {
					out = append(out, fmt.Sprintf("hole %s %.0f", p.name, d))
				}
			}
			for _, k := range b.Keepouts {
				area := []board.Point{k.Area.Min, {X: k.Area.Max.X, Y: k.Area.Min.Y}, k.Area.Max,
					{X: k.Area.Min.X, Y: k.Area.Max.Y}}
				for _, l := range k.Layers {
					if p.layers[l] && (k.Copper || k.Vias && p.via || k.Tracks && !p.via) &&
						cores(p.core, area)-p.r < -tol {
						out = append(out, "keepout "+p.name)
					}
				}
			}
		}
	}
	return append(out, zoneViolations(b, ps)...)
}

// zoneViolations lists the violations of the pour clearance and the edge clearance along every side
// of every zone fragment. It also lists copper of other nets inside a fragment.
func zoneViolations(b *board.Board, ps []piece) []string {
	var out []string
	for _, z := range b.Zones {
		for _, f := range z.Pieces {
			for _, g := range append([]board.Polygon{f.Outline}, f.Holes...) {
				for i, a := range g {
					c := g[(i+1)%len(g)]
					x0, x1 := float64(min(a.X, c.X))-5e5, float64(max(a.X, c.X))+5e5
					y0, y1 := float64(min(a.Y, c.Y))-5e5, float64(max(a.Y, c.Y))+5e5
					for k := range ps {
						p := &ps[k]
						if p.net == z.Net && p.net >= 0 || !p.layers[z.Layer] || p.x0 > x1 ||
							p.x1 < x0 || p.y0 > y1 || p.y1 < y0 {
							continue
						}
						if d := cores(p.core, []board.Point{a, c}) -
							p.r; d < float64(b.Rules.PourClearance) {
							out = append(out, fmt.Sprintf("zone %s %.0f", p.name, d))
						}
					}
					for m, o := range b.Outline {
						if d := cores([]board.Point{o, b.Outline[(m+1)%len(b.Outline)]},
							[]board.Point{a, c}); d < float64(b.Rules.EdgeClearance) {
							out = append(out, fmt.Sprintf("zone edge %.0f", d))
						}
					}
				}
			}
			for k := range ps {
				p := &ps[k]
				if p.net == z.Net || !p.layers[z.Layer] || !within(p.core[0], f.Outline) {
					continue
				}
				hidden := true
				for _, h := range f.Holes {
					hidden = hidden && !within(p.core[0], h)
				}
				if hidden {
					out = append(out, "copper of another net inside the zone: "+p.name)
				}
			}
		}
	}
	return out
}

// islands returns the number of open connections in the copper: for each net, the number of its pad
// clusters minus one. A zone fragment connects all pads of its net that touch it.
func islands(b *board.Board) int {
	ps := segmentsOf(b)
	parent := make([]int, len(ps))
	for i := range parent {
		parent[i] = i
	}
	var root func(int) int
	root = func(i int) int {
		if parent[i] != i {
			parent[i] = root(parent[i])
		}
		return parent[i]
	}
	for i := range ps {
		for j := range i {
			p, q := &ps[i], &ps[j]
			if p.net == q.net && p.net >= 0 && (p.layers[0] && q.layers[0] || p.layers[1] &&
				q.layers[1]) &&
				p.x0 <= q.x1 && q.x0 <= p.x1 && p.y0 <= q.y1 && q.y0 <= p.y1 &&
				cores(p.core, q.core)-p.r-q.r <= 0 {
				parent[root(i)] = root(j)
			}
		}
	}
	for _, z := range b.Zones {
		for _, f := range z.Pieces {
			first := -1
			for i := range ps {
				p := &ps[i]
				if p.net != z.Net || !p.layers[z.Layer] || !touches(p, f) {
					continue
				}
				if first < 0 {
					first = i
				} else {
					parent[root(i)] = root(first)
				}
			}
		}
	}
	missing := 0
	for n := range b.Nets {
		roots := map[int]bool{}
		for i := range ps {
			if ps[i].isPad && ps[i].net == n {
				roots[root(i)] = true
			}
		}
		missing += max(0, len(roots)-1)
	}
	return missing
}

func touches(p *piece, f board.Filled) bool {
	for _, c := range p.core {
		if within(c, f.Outline) {
			in := true
			for _, h := range f.Holes {
				in = in && !within(c, h)
			}
			if in {
				return true
			}
		}
	}
	for _, g := range append([]board.Polygon{f.Outline}, f.Holes...) {
		for i, a := range g {
			c := g[(i+1)%len(g)]
			if cores(p.core, []board.Point{a, c})-p.r <= 0 {
				return true
			}
		}
	}
	return false
}

// mstLength returns the minimum spanning tree length [nm] of a net's pad centres (Prim's
// algorithm).
func mstLength(b *board.Board, net int) float64 {
	var pts []board.Point
	for i := range b.Parts {
		for _, p := range b.Parts[i].Pads {
			if p.Net == net {
				pts = append(pts, p.At)
			}
		}
	}
	total := 0.0
	dist := make([]float64, len(pts))
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	in := make([]bool, len(pts))
	for cur := 0; len(pts) > 1; {
		in[cur] = true
		next := -1
		for i := range pts {
			if !in[i] {
				dist[i] = min(dist[i], board.Distance(pts[i], pts[cur]))
				if next < 0 || dist[i] < dist[next] {
					next = i
				}
			}
		}
		if next < 0 {
			break
		}
		total += dist[next]
		cur = next
	}
	return total
}

// viasInLands lists the vias whose copper overlaps a surface pad, where solder would drain into the
// hole. No part of these tests has an exposed pad, where such vias are allowed.
func viasInLands(b *board.Board) []string {
	var out []string
	ps := segmentsOf(b)
	for i := range ps {
		for k := range ps {
			v, p := &ps[i], &ps[k]
			if v.via && p.isPad && p.holeR == 0 && cores(v.core, p.core)-v.r-p.r < -2 {
				out = append(out, v.name+" in the land "+p.name)
			}
		}
	}
	return out
}
