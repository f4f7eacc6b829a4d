package export

import (
	"context"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/geom"
)

// Silkscreen dimensions that fabs print legibly.
const (
	silkWidth = 150 * board.Micrometre
	// silkGap is the minimum distance from the edge of a stroke to an opening [nm].
	silkGap     = 50 * board.Micrometre
	silkEdge    = 200 * board.Micrometre
	markSize    = 400 * board.Micrometre // diameter of the pin 1 dot [nm]
	shortestBit = 200 * board.Micrometre // minimum length of a line piece between openings [nm]
)

// stroke is a silkscreen line with round ends; both ends of a dot coincide.
type stroke struct {
	a, b  board.Point
	width int64
	part  int // index of the part that the stroke belongs to
}

func (s stroke) box() board.Rect { return board.Polygon{s.a, s.b}.Bounds().Grown(s.width / 2) }

// silkscreen collects the silkscreen strokes of one side.
type silkscreen struct {
	b        *board.Board
	side     board.Side
	openings *openings
	strokes  []stroke
	refTexts []refText
	taken    []board.Rect // boxes occupied by references
	// bodies lists the bounding boxes of the packages, by part; zero for parts on the other side.
	bodies []board.Rect
	own    []board.Rect // bounding boxes of body and pads, by part
}

// Silkscreen is the silkscreen of both sides of a board.
type Silkscreen struct {
	Strokes    []drc.Silk // strokes of both sides, for the rule check
	Unlabelled []string   // references that did not fit on the silkscreen

	sides    [2]*silkscreen
	openings [2]openings
}

// Draw returns the silkscreen of a board. It returns an error only if the context is cancelled.
func Draw(ctx context.Context, b *board.Board) (*Silkscreen, error) {
	out := &Silkscreen{}
	for _, l := range board.Sides() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.openings[l] = openingsOf(b, l)
		g, err := silkscreenOf(ctx, b, l, &out.openings[l])
		if err != nil {
			return nil, err
		}
		out.sides[l] = g
		for _, s := range g.all() {
			out.Strokes = append(out.Strokes, drc.Silk{Side: l, A: s.a, B: s.b, Width: s.width,
				Ref: b.Parts[s.part].Ref})
		}
	}
	for i := range b.Parts {
		if p := &b.Parts[i]; !slices.ContainsFunc(out.sides[p.Side].refTexts, func(c refText) bool {
			return c.part == i
		}) {
			out.Unlabelled = append(out.Unlabelled, p.Ref)
		}
	}
	return out, nil
}

// silkscreenOf draws the packages of a side with their marks, and then places the references.
func silkscreenOf(ctx context.Context, b *board.Board, l board.Side, o *openings) (
	*silkscreen, error,
) {
	outer := b.Copper().Outer(l)
	g := &silkscreen{b: b, side: l, openings: o, bodies: make([]board.Rect, len(b.Parts)),
		own: make([]board.Rect, len(b.Parts))}
	for i := range b.Parts {
		if p := &b.Parts[i]; p.Side == l {
			g.own[i] = placed(p, bodyOf(p.Footprint)).Bounds()
			if !p.Footprint.Stacked { // references may stand within a stacked board
				g.bodies[i] = g.own[i]
			}
			for k := range p.Pads {
				if p.Pads[k].On(outer) {
					g.own[i] = g.own[i].Union(landOf(&p.Pads[k],
						p.Pads[k].MaskExpansion(&b.Rules)).contour().Bounds())
				}
			}
		}
	}
	for _, draw := range []func(part int){func(i int) { g.body(i); g.mark(i) }, g.reference} {
		for i := range b.Parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if b.Parts[i].Side == l {
				draw(i)
			}
		}
	}
	for i := range b.Parts {
		if b.Parts[i].Side != l {
			g.drawing(i, board.BackSilkLayer)
		}
	}
	return g, nil
}

// all returns all strokes, including those of references.
func (g *silkscreen) all() []stroke {
	out := slices.Clone(g.strokes)
	for _, c := range g.refTexts {
		out = append(out, c.strokes(g.b.Parts[c.part].Ref, g.side == board.BottomSide)...)
	}
	return out
}

// placed returns the corners of a footprint rectangle in board coordinates.
func placed(p *board.Part, r board.Rect) board.Polygon {
	g := board.Polygon{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	for i, c := range g {
		g[i] = onBoard(p, c)
	}
	return g
}

// bodyOf returns the package of a footprint within its courtyard. Fabrication drawings of imported
// footprints may have other things far outside, where other parts stand.
func bodyOf(f *board.Footprint) board.Rect {
	body, courtyard := f.Body, f.Courtyard
	in := board.Rect{
		Min: board.Point{X: max(body.Min.X, courtyard.Min.X), Y: max(body.Min.Y, courtyard.Min.Y)},
		Max: board.Point{X: min(body.Max.X, courtyard.Max.X), Y: min(body.Max.Y, courtyard.Max.Y)},
	}
	if in.Width() < 0 || in.Height() < 0 {
		return courtyard
	}
	return in
}

// onBoard converts a point from footprint to board coordinates.
func onBoard(p *board.Part, q board.Point) board.Point {
	if p.Side == board.BottomSide {
		q.X = -q.X
	}
	return p.At.Add(q.Rotated(p.Rotation))
}

// silkContext lists the openings and board edges near a box that silkscreen must avoid.
type silkContext struct {
	outline  board.Polygon
	openings []board.Polygon
	boxes    []board.Rect     // bounding boxes of the openings
	edges    [][2]board.Point // edges of the outline
	within   bool             // whether the box is on the board; only valid if no edge is near
}

// context returns the silkContext of a box for strokes of the given width [nm].
func (g *silkscreen) context(box board.Rect, width int64) silkContext {
	v := silkContext{outline: g.b.Outline}
	near := box.Grown(width/2 + silkGap + 1)
	for i, o := range g.openings.boxes {
		if near.Overlaps(o) {
			v.openings, v.boxes = append(v.openings, g.openings.contours[i]), append(v.boxes, o)
		}
	}
	for _, c := range g.openings.cutouts {
		if b := c.Bounds(); near.Overlaps(b) {
			v.openings, v.boxes = append(v.openings, c), append(v.boxes, b)
		}
	}
	near = box.Grown(width/2 + silkEdge + 1)
	for i, a := range g.b.Outline {
		b := g.b.Outline[(i+1)%len(g.b.Outline)]
		if near.Overlaps((board.Polygon{a, b}).Bounds().Grown(1)) {
			v.edges = append(v.edges, [2]board.Point{a, b})
		}
	}
	v.within = g.b.Outline.Contains(box.Min)
	return v
}

// clear reports whether a dot of the given width [nm] at p is on the board and clear of openings.
func (v *silkContext) clear(p board.Point, width int64) bool {
	for i, o := range v.openings {
		if v.boxes[i].Grown(width/2+silkGap+1).Contains(p) &&
			o.Distance(p) < float64(width/2+silkGap) {
			return false
		}
	}
	if len(v.edges) == 0 {
		return v.within
	}
	for _, e := range v.edges {
		if geom.PointSegment(geom.VecOf(p), geom.VecOf(e[0]), geom.VecOf(e[1])) <
			float64(width/2+silkEdge) {
			return false
		}
	}
	return v.outline.Contains(p)
}

// clear reports whether a dot of the given width [nm] at p is on the board and clear of openings.
func (g *silkscreen) clear(p board.Point, width int64) bool {
	v := g.context(board.Rect{Min: p, Max: p}, width)
	return v.clear(p, width)
}

// onBoard reports whether p is inside the outline with at least the given margin [nm].
func (g *silkscreen) onBoard(p board.Point, margin int64) bool {
	return g.b.Outline.Contains(p) && g.b.Outline.SideDistance(p) >= float64(margin)
}

// line draws the legal parts of a line, omitting pieces shorter than shortestBit.
func (g *silkscreen) line(part int, a, b board.Point) {
	n := int64(board.Distance(a, b)/20e3) + 1
	at := func(i int64) board.Point {
		return board.Point{X: a.X + (b.X-a.X)*i/n, Y: a.Y + (b.Y-a.Y)*i/n}
	}
	start, near := int64(-1), g.context(board.Polygon{a, b}.Bounds(), silkWidth)
	for i := int64(0); i <= n+1; i++ {
		if i <= n && near.clear(at(i), silkWidth) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && board.Distance(at(start), at(i-1)) >= float64(shortestBit) {
			g.strokes = append(g.strokes, stroke{at(start), at(i - 1), silkWidth, part})
		}
		start = -1
	}
}

// drawing draws the lines of a layer of an imported footprint.
func (g *silkscreen) drawing(i int, layer board.GraphicLayer) {
	p := &g.b.Parts[i]
	if p.Footprint.Drawing == nil {
		return
	}
	for _, s := range p.Footprint.Drawing.Graphics {
		if s.Layer == layer {
			g.line(i, onBoard(p, s.A), onBoard(p, s.B))
		}
	}
}

// texts draws the texts of an imported footprint.
func (g *silkscreen) texts(i int) {
	p := &g.b.Parts[i]
	if p.Footprint.Drawing == nil {
		return
	}
	for _, t := range p.Footprint.Drawing.Texts {
		height := max(t.Height, refHeights[len(refHeights)-1]) // lower ones are not legible
		left := board.Point{X: -t.Align * textWidth(t.Text, height) / 2}
		if !t.Unlocked && isUpsideDown(p, t.Rotation) {
			t.Rotation += 180
		}
		for _, line := range textStrokes(t.Text, height) {
			for k := range line {
				line[k] = onBoard(p, t.At.Add(left.Add(line[k]).Rotated(t.Rotation)))
				if k > 0 {
					g.line(i, line[k-1], line[k])
				}
			}
		}
	}
}

// isUpsideDown reports whether a text with a rotation in footprint coordinates [degrees] would be
// upside down on its side of the board. Vertical texts read from bottom to top (KiCad 6.0.11,
// FP_TEXT::GetDrawRotation).
func isUpsideDown(p *board.Part, rotation float64) bool {
	ahead := p.Rotation + rotation
	if p.Side == board.BottomSide {
		ahead = rotation - p.Rotation
	}
	ahead = math.Mod(math.Mod(ahead, 360)+360, 360)
	return ahead > 90+1e-6 && ahead < 270+1e-6
}

// body draws the package outline: a circle for an upright can or LED, or else a rectangle. An axial
// part also gets its wires.
func (g *silkscreen) body(i int) {
	p := &g.b.Parts[i]
	if drawnOn(p.Footprint, board.SilkLayer) {
		g.drawing(i, board.SilkLayer)
		g.texts(i)
		return
	}
	g.texts(i)
	r := bodyOf(p.Footprint)
	outline := placed(p, r)
	two := p.Footprint.Tht && len(p.Pads) == 2
	if two && r.Width() == r.Height() {
		outline = round(onBoard(p, board.Point{X: (r.Min.X + r.Max.X) / 2,
			Y: (r.Min.Y + r.Max.Y) / 2}), r.Width()).contour()
	}
	for k, c := range outline {
		g.line(i, c, outline[(k+1)%len(outline)])
	}
	if !two {
		return
	}
	for _, f := range p.Footprint.Pads {
		end := board.Point{X: min(max(f.At.X, r.Min.X), r.Max.X),
			Y: min(max(f.At.Y, r.Min.Y), r.Max.Y)}
		g.line(i, onBoard(p, end), onBoard(p, f.At))
	}
}
