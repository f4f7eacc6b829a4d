package export

import (
	"math"

	"slipstick/autorouter/board"
)

// stroke is a line of silk.
type stroke struct {
	a, b  board.Point
	width int64
}

// drawing is what a side shows besides copper: mask openings and silk.
type drawing struct {
	openings []land
	webs     []board.Polygon // openings that replace webs of mask too narrow to hold
	strokes  []stroke
	contours []board.Polygon // of the openings
	boxes    []board.Rect
	texts    []board.Rect
}

const silkWidth = 150_000

func draw(b *board.Board, l board.Layer) drawing {
	var d drawing
	open := func(o land) {
		d.openings = append(d.openings, o)
		c := o.contour()
		d.contours = append(d.contours, c)
		d.boxes = append(d.boxes, c.Bounds())
	}
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			p := &b.Parts[i].Pads[k]
			if on(p, l) {
				open(landOf(p, b.Rules.MaskExpansion))
			} else if !p.Plated && p.Drill > 0 {
				open(round(p.At, p.Drill+2*b.Rules.MaskExpansion))
			}
		}
	}
	for _, h := range b.Holes {
		open(round(h.At, h.Diameter+2*b.Rules.MaskExpansion))
	}
	d.merge(b.Rules.MaskWeb)
	for i := range b.Parts {
		if b.Parts[i].Side == l {
			d.body(&b.Parts[i])
		}
	}
	for i := range b.Parts {
		if b.Parts[i].Side == l {
			d.reference(b, &b.Parts[i])
		}
	}
	return d
}

func round(at board.Point, diameter int64) land {
	return land{at: at, w: diameter, h: diameter, radius: diameter / 2}
}

// merge opens the webs narrower than the smallest: the hull of the border points of two
// openings that are that near to each other.
func (d *drawing) merge(web int64) {
	n := len(d.contours)
	for i := range n {
		for k := i + 1; k < n; k++ {
			if web <= 0 || !d.boxes[i].Grown(web).Overlaps(d.boxes[k]) {
				continue
			}
			near := append(nearTo(d.contours[i], d.contours[k], float64(web)), nearTo(d.contours[k], d.contours[i], float64(web))...)
			if g := hull(near); len(g) > 2 {
				d.webs = append(d.webs, g)
				d.contours = append(d.contours, g)
				d.boxes = append(d.boxes, g.Bounds())
			}
		}
	}
}

func nearTo(g, o board.Polygon, limit float64) (near []board.Point) {
	for i, a := range g {
		b := g[(i+1)%len(g)]
		steps := int64(board.Distance(a, b)/20e3) + 1
		for s := range steps {
			p := board.Point{X: a.X + (b.X-a.X)*s/steps, Y: a.Y + (b.Y-a.Y)*s/steps}
			if toPolygon(p, o) < limit {
				near = append(near, p)
			}
		}
	}
	return near
}

// clear reports whether silk of a width at p stays off every opening.
func (d *drawing) clear(p board.Point, width int64) bool {
	limit := float64(width)/2 + 50e3
	for i, c := range d.contours {
		if r := d.boxes[i].Grown(int64(limit)); p.X < r.Min.X || p.X > r.Max.X || p.Y < r.Min.Y || p.Y > r.Max.Y {
			continue
		}
		if toPolygon(p, c) < limit {
			return false
		}
	}
	return true
}

// line draws what of a line is off the openings; crumbs are left out.
func (d *drawing) line(a, b board.Point) {
	n := int64(board.Distance(a, b)/20e3) + 1
	at := func(i int64) board.Point {
		return board.Point{X: a.X + (b.X-a.X)*i/n, Y: a.Y + (b.Y-a.Y)*i/n}
	}
	start := int64(-1)
	for i := int64(0); i <= n+1; i++ {
		if i <= n && d.clear(at(i), silkWidth) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && board.Distance(at(start), at(i-1)) >= 200e3 {
			d.strokes = append(d.strokes, stroke{at(start), at(i - 1), silkWidth})
		}
		start = -1
	}
}

// body draws the package outline and the mark of pin 1.
func (d *drawing) body(p *board.Part) {
	place := func(q board.Point) board.Point {
		if p.Side == board.Bottom {
			q.X = -q.X
		}
		return p.At.Add(q.Rotated(p.Rotation))
	}
	r := p.Footprint.Body
	corners := []board.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	for i, c := range corners {
		d.line(place(c), place(corners[(i+1)%4]))
	}
	if len(p.Footprint.Pads) < 3 && !p.Footprint.Polar {
		return
	}
	const dot = 400_000
	f := p.Footprint.Pads[0]
	reach := max(f.Width, f.Height)/2 + 450_000
	for _, v := range []board.Point{{X: -reach}, {Y: reach}, {X: -reach, Y: reach}, {Y: -reach}, {X: reach}} {
		if q := place(f.At.Add(v)); d.clear(q, dot) {
			d.strokes = append(d.strokes, stroke{q, q, dot})
			return
		}
	}
}

// reference writes the part's name at the first free place beside, over or on it.
func (d *drawing) reference(b *board.Board, p *board.Part) {
	box, edge := board.CourtyardOf(p).Bounds(), b.Outline.Bounds().Grown(-300_000)
	mid := board.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	for _, height := range []int64{1_000_000, 800_000} {
		w := textWidth(p.Ref, height)
		gap := int64(silkWidth)
		for _, c := range []board.Point{
			{X: mid.X, Y: box.Max.Y + height/2 + gap}, {X: mid.X, Y: box.Min.Y - height/2 - gap},
			{X: box.Max.X + w/2 + gap, Y: mid.Y}, {X: box.Min.X - w/2 - gap, Y: mid.Y}, mid,
		} {
			r := board.Rect{Min: board.Point{X: c.X - w/2, Y: c.Y - height/2}, Max: board.Point{X: c.X + w/2, Y: c.Y + height/2}}.Grown(silkWidth)
			if d.free(r, edge) {
				d.texts = append(d.texts, r)
				d.strokes = append(d.strokes, text(p.Ref, c, height, p.Side == board.Bottom)...)
				return
			}
		}
	}
}

func (d *drawing) free(r, edge board.Rect) bool {
	if r.Min.X < edge.Min.X || r.Min.Y < edge.Min.Y || r.Max.X > edge.Max.X || r.Max.Y > edge.Max.Y {
		return false
	}
	for _, o := range d.boxes {
		if r.Overlaps(o) {
			return false
		}
	}
	for _, t := range d.texts {
		if r.Overlaps(t) {
			return false
		}
	}
	for _, s := range d.strokes {
		if r.Overlaps(board.Polygon{s.a, s.b}.Bounds().Grown(s.width / 2)) {
			return false
		}
	}
	return true
}

// toPolygon is the distance to a polygon, 0 inside.
func toPolygon(p board.Point, g board.Polygon) float64 {
	best, inside := math.Inf(1), false
	for i, a := range g {
		b := g[(i+1)%len(g)]
		dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
		px, py := float64(p.X-a.X), float64(p.Y-a.Y)
		t := 0.0
		if l := dx*dx + dy*dy; l > 0 {
			t = min(1, max(0, (px*dx+py*dy)/l))
		}
		best = min(best, math.Hypot(px-t*dx, py-t*dy))
		if (a.Y > p.Y) != (b.Y > p.Y) && px < dx*py/dy {
			inside = !inside
		}
	}
	if inside {
		return 0
	}
	return best
}
