package footprint

import (
	"errors"
	"math"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// drawnPad is a pad of a file before its conversion to one or more board pads. Its shape is in pad
// coordinates before rotation [nm, y up].
type drawnPad struct {
	n             *sexpr.Node
	number, shape string
	w, h          float64
	offset        vec // offset from the hole to the centre of the shape [nm]
	rotation      float64
	at            vec
	drillW        float64
	drillH        float64
	through       bool
	front, back   padSide
	layers        board.LayerSet
	noMask        bool
	noPaste       bool
	margins
}

// padSide states which layers of one side a pad of a file is on.
type padSide struct{ copper, mask, paste bool }

func (r *fileReader) pad(n *sexpr.Node) error {
	p := drawnPad{n: n, number: n.At(1), shape: n.At(3)}
	kind := n.At(2)
	if !filePad.MatchString(p.number) {
		return bad(n, "pad number %s must be up to 16 letters, digits and _ . + - ~ # & * ( ) / $",
			text.Word(p.number))
	}
	if err := p.place(r.turn); err != nil {
		return err
	}
	if err := r.setMargins(&p); err != nil {
		return err
	}
	p.setSides()
	switch kind {
	case "np_thru_hole":
		return r.hole(&p, p.front.copper || p.back.copper)
	case "thru_hole":
		if p.drillW == 0 {
			return bad(n, "pad %s of type thru_hole has no (drill ...)", p.name())
		}
		if p.shape != "custom" && min(p.drillW, p.drillH) >= max(p.w, p.h) {
			r.ringless = append(r.ringless, ringlessPad{p, len(r.f.Pads)})
			return r.checkPieces(n)
		}
		p.through = true
	case "smd", "connect":
		if p.drillW != 0 {
			r.note("the drill of surface pad %s is left out", p.name())
			p.drillW, p.drillH = 0, 0
		}
		switch front, back := p.front.copper, p.back.copper; {
		case front && back:
			p.layers = board.LayersOf(board.Top, board.Bottom)
		case back:
			p.layers = board.Bottom.Bit()
		case !front && (p.front != padSide{} || p.back != padSide{}):
			pieces, err := p.pieces()
			if err != nil {
				return err
			}
			return r.sideOpenings(&p, pieces, p.front, p.back)
		case !front:
			r.note("pad %s is on no outer copper layer and is left out", p.name())
			return nil
		}
	default:
		return bad(n, "pad %s has type %s; known are smd, thru_hole, np_thru_hole and connect",
			p.name(), text.Word(kind))
	}
	return r.copperPad(&p)
}

// setSides parses the layers of the pad.
func (p *drawnPad) setSides() {
	var layers []string
	if l := p.n.First("layers"); l != nil {
		for i := range l.List[1:] {
			layers = append(layers, l.At(i+1))
		}
	}
	p.front.copper, p.back.copper = sidesOf(layers, ".Cu")
	p.front.mask, p.back.mask = sidesOf(layers, ".Mask")
	p.front.paste, p.back.paste = sidesOf(layers, ".Paste")
}

// copperPad adds a pad with its openings. A pad on both sides may have an opening of the mask on
// one of them. That opening has no copper of its own, because those of a board pad are on all its
// sides.
func (r *fileReader) copperPad(p *drawnPad) error {
	front, back := p.front, p.back
	if p.through {
		if !front.copper || !back.copper {
			r.note("pad %s has a plated hole and so copper on both sides", p.name())
		}
		front.copper, back.copper = true, true
	}
	for _, side := range []*padSide{&front, &back} {
		side.mask, side.paste = side.mask && side.copper, side.paste && side.copper
	}
	oneMask := front.copper && back.copper && front.mask != back.mask
	p.noMask = oneMask || !front.mask && !back.mask
	p.noPaste = !front.paste && !back.paste || p.through || p.paste != vec{}
	pieces, err := p.pieces()
	if err != nil {
		return err
	}
	if err := r.add(p, pieces); err != nil {
		return err
	}
	for _, side := range []*padSide{&front, &back} {
		side.mask, side.paste = side.mask && oneMask, side.paste && p.noPaste
	}
	return r.sideOpenings(p, pieces, front, back)
}

// sideOpenings adds the openings of a pad on both sides.
func (r *fileReader) sideOpenings(p *drawnPad, pieces []board.FootprintPad,
	front, back padSide) error {
	return errors.Join(r.openings(p, pieces, board.Top, front.mask, front.paste),
		r.openings(p, pieces, board.Bottom, back.mask, back.paste))
}

func (p *drawnPad) name() string {
	if p.number == "" {
		return "without a number"
	}
	return p.number
}

// place parses the position, size and drill of the pad. It subtracts turned, the rotation of the
// footprint [degrees], from the rotation of the pad.
func (p *drawnPad) place(turned float64) error {
	var err error
	if p.at, err = point(p.n, "at"); err != nil {
		return err
	}
	at, err := numbers(p.n.First("at"), 3)
	if err != nil {
		return err
	}
	if len(at) > 2 {
		p.rotation = turn(at[2] - turned)
	}
	size := p.n.First("size")
	if size == nil {
		return bad(p.n, "pad %s has no (size W H)", p.name())
	}
	v, err := numbers(size, 2)
	if err != nil {
		return err
	}
	if len(v) < 2 || !within(v[0], 0, maxExtent) || !within(v[1], 0, maxExtent) {
		return bad(size, "the size of pad %s must be two lengths up to %g mm", p.name(), maxExtent)
	}
	p.w, p.h = v[0]*1e6, v[1]*1e6
	drill := p.n.First("drill")
	if drill == nil {
		return nil
	}
	if v, err = numbers(drill, 2); err != nil {
		return err
	}
	for _, d := range v {
		if !within(d, 0, maxExtent) {
			return bad(drill, "the drill of pad %s must be up to %g mm", p.name(), maxExtent)
		}
	}
	if len(v) > 0 {
		p.drillW, p.drillH = v[0]*1e6, v[0]*1e6
	}
	if len(v) > 1 && drill.At(1) == "oval" {
		p.drillH = v[1] * 1e6
	}
	if drill.First("offset") != nil {
		if p.offset, err = point(drill, "offset"); err != nil {
			return err
		}
	}
	return nil
}

// hole adds an unplated hole. copper is true if the pad is on an outer copper layer.
func (r *fileReader) hole(p *drawnPad, copper bool) error {
	if p.drillW == 0 || p.drillH == 0 {
		return bad(p.n, "the hole without plating has no (drill ...)")
	}
	if copper && min(p.w, p.h) > max(p.drillW, p.drillH)+2*minSize*1e6 {
		r.note("the copper around holes without plating is left out")
	}
	one := board.FootprintPad{Padstack: board.Padstack{Shape: board.Circle}, NonPlated: true}
	one.Width, one.Height = int64(p.drillW), int64(p.drillH)
	p.drilled(&one)
	if one.SlotW > 0 {
		one.Shape = board.Oval
	}
	one.At, one.Rotation = nanometres(p.at), p.rotation
	r.f.Pads = append(r.f.Pads, one)
	return r.checkPieces(p.n)
}

func (p *drawnPad) drilled(to *board.FootprintPad) {
	if p.drillW == p.drillH {
		to.Drill = int64(math.Round(p.drillW))
		return
	}
	to.SlotW, to.SlotH = int64(math.Round(p.drillW)), int64(math.Round(p.drillH))
}

func (r *fileReader) checkPieces(n *sexpr.Node) error {
	if len(r.f.Pads)+len(r.ringless)+len(r.drawing.Apertures) > maxPieces {
		return bad(n, "the pads have more than %d convex pieces", maxPieces)
	}
	return nil
}

// turnTo transforms the position and rotation of a piece from pad to footprint coordinates.
func (p *drawnPad) turnTo(q *board.FootprintPad) {
	q.Rotation = turn(q.Rotation + p.rotation)
	q.At = nanometres(p.at).Add(q.At.Rotated(p.rotation))
}

// add appends the pieces of a pad to the footprint. The first piece has the hole.
func (r *fileReader) add(p *drawnPad, pieces []board.FootprintPad) error {
	group := 0
	if len(pieces) > 1 {
		r.groups++
		group = r.groups
	}
	if p.through {
		hole := &pieces[0]
		p.drilled(hole)
		if hole.Drill >= min(hole.Width, hole.Height) && hole.Drill > 0 || hole.SlotW > 0 &&
			(hole.SlotW >= hole.Width || hole.SlotH >= hole.Height) {
			return bad(p.n, "the hole of pad %s leaves no copper around it", p.name())
		}
	}
	for i, q := range pieces {
		q.Number, q.Group, q.Layers, q.NoMask, q.NoPaste = p.number, group, p.layers,
			p.noMask, p.noPaste
		margin, open := r.maskMargin(p, &q, group > 0)
		q.MaskMargin, q.NoMask = margin, q.NoMask || !open
		if p.through && i > 0 {
			q.Layers, q.NoPaste = board.LayersOf(board.Top, board.Bottom), true
		}
		p.turnTo(&q)
		r.f.Pads = append(r.f.Pads, q)
	}
	return r.checkPieces(p.n)
}

// pieces returns the convex shapes of the pad in pad coordinates. The field At of a piece is its
// offset from the pad position.
func (p *drawnPad) pieces() ([]board.FootprintPad, error) {
	if p.shape != "custom" && (p.w < minSize*1e6 || p.h < minSize*1e6) {
		return nil, bad(p.n, "pad %s measures %g x %g mm; at least %g are needed", p.name(),
			p.w/1e6, p.h/1e6, minSize)
	}
	one := board.FootprintPad{
		Padstack: board.Padstack{Width: int64(math.Round(p.w)), Height: int64(math.Round(p.h))},
	}
	one.Offset = nanometres(p.offset)
	small := math.Min(p.w, p.h)
	switch p.shape {
	case "rect":
	case "circle":
		one.Shape, one.Height = board.Circle, one.Width
	case "oval":
		if one.Shape = board.Oval; one.Width == one.Height {
			one.Shape = board.Circle
		}
	case "roundrect":
		ratio, err := p.ratio("roundrect_rratio", 0.25)
		if err != nil {
			return nil, err
		}
		if c, err := p.ratio("chamfer_ratio", 0); err != nil || c > 0 {
			if err != nil {
				return nil, err
			}
			if cut := p.n.First("chamfer"); cut != nil && len(cut.List) > 1 {
				return p.polygon(p.chamfered(c*small, ratio*small))
			}
		}
		switch radius := int64(math.Round(ratio * small)); {
		case ratio >= 0.5:
			if one.Shape = board.Oval; one.Width == one.Height {
				one.Shape = board.Circle
			}
		case radius > 0:
			one.Shape, one.Radius = board.RoundRect, radius
		}
	case "trapezoid":
		return p.trapezoid()
	case "custom":
		return p.custom()
	default:
		return nil, bad(p.n,
			"pad %s has shape %s; known are rect, roundrect, circle, oval, trapezoid and custom",
			p.name(), text.Word(p.shape))
	}
	return []board.FootprintPad{one}, nil
}

func (p *drawnPad) ratio(head string, otherwise float64) (float64, error) {
	n := p.n.First(head)
	if n == nil {
		return otherwise, nil
	}
	v, err := numbers(n, 1)
	if err != nil {
		return 0, err
	}
	if len(v) == 0 || !within(v[0], 0, .5) {
		return 0, bad(n, "(%s ...) must be 0 to 0.5", head)
	}
	return v[0], nil
}

// chamfered returns the outline of a rectangle with some corners cut and the others rounded; cut
// and radius are in [nm]. The names of the corners assume that y points up.
func (p *drawnPad) chamfered(cut, radius float64) []vec {
	chamfer := p.n.First("chamfer")
	cutAt := map[string]bool{}
	for i := range chamfer.List[1:] {
		cutAt[chamfer.At(i+1)] = true
	}
	var g []vec
	for i, c := range []struct {
		name string
		x, y float64
	}{{"top_right", 1, 1}, {"top_left", -1, 1}, {"bottom_left", -1, -1}, {"bottom_right", 1, -1}} {
		x, y := c.x*p.w/2, c.y*p.h/2
		switch {
		case cutAt[c.name]:
			a, b := vec{x, y - c.y*cut}, vec{x - c.x*cut, y}
			if c.x != c.y {
				a, b = b, a
			}
			g = append(g, a, b)
		case radius > 0:
			g = append(g, arcPoints(vec{x - c.x*radius, y - c.y*radius}, radius,
				float64(i)*math.Pi/2, math.Pi/2)...)
		default:
			g = append(g, vec{x, y})
		}
	}
	return g
}

// trapezoid returns the pieces of a pad with (rect_delta DY DX). DY lengthens the left side and
// shortens the right side; DX does the same for the lower and upper sides.
func (p *drawnPad) trapezoid() ([]board.FootprintPad, error) {
	var dx, dy float64
	if n := p.n.First("rect_delta"); n != nil {
		v, err := numbers(n, 2)
		if err != nil {
			return nil, err
		}
		if len(v) != 2 || math.Abs(v[0])*1e6 > p.h || math.Abs(v[1])*1e6 > p.w {
			return nil, bad(n, "(rect_delta ...) must be two lengths not above the size of pad %s",
				p.name())
		}
		dy, dx = v[0]*1e6/2, v[1]*1e6/2
	}
	w, h := p.w/2, p.h/2
	return p.polygon([]vec{{-w - dx, -h - dy}, {w + dx, -h + dy}, {w - dx, h - dy},
		{-w + dx, h + dy}})
}

// polygon divides an outline g, relative to the shape centre [nm], into convex pieces. For a pad
// with a hole, the first piece is a round or oval ring around the hole.
func (p *drawnPad) polygon(g []vec) ([]board.FootprintPad, error) {
	parts, err := convexParts(g)
	if err != nil {
		return nil, bad(p.n, "the outline of pad %s %v", p.name(), err)
	}
	var out []board.FootprintPad
	if p.through {
		ring := math.Inf(1)
		long, r := math.Max(p.drillW, p.drillH)/2, math.Min(p.drillW, p.drillH)/2
		for _, s := range []float64{-1, 1} {
			end := vec{s * (long - r), 0}
			if p.drillH > p.drillW {
				end = vec{0, s * (long - r)}
			}
			ring = math.Min(ring, depth(vec{end.x - p.offset.x, end.y - p.offset.y}, g)-r)
		}
		if ring < minSize*1e6/2 {
			return nil, bad(p.n, "the hole of pad %s leaves no copper around it", p.name())
		}
		around := board.FootprintPad{
			Padstack: board.Padstack{
				Shape: board.Oval, Width: int64(p.drillW + 2*ring),
				Height: int64(p.drillH + 2*ring),
			},
		}
		if around.Width == around.Height {
			around.Shape = board.Circle
		}
		out = append(out, around)
	}
	for _, part := range parts {
		piece := convexPad(part, 0)
		piece.At = piece.At.Add(nanometres(p.offset))
		out = append(out, piece)
	}
	return out, nil
}

// depth returns the distance from a point to the sides of a polygon [nm]. The distance is negative
// outside of the polygon.
func depth(p vec, g []vec) float64 {
	best, in := math.Inf(1), false
	for i, a := range g {
		b := g[(i+1)%len(g)]
		if (a.y > p.y) != (b.y > p.y) && p.x < a.x+(p.y-a.y)/(b.y-a.y)*(b.x-a.x) {
			in = !in
		}
		dx, dy := b.x-a.x, b.y-a.y
		t := 0.0
		if l := dx*dx + dy*dy; l > 0 {
			t = math.Min(1, math.Max(0, ((p.x-a.x)*dx+(p.y-a.y)*dy)/l))
		}
		best = math.Min(best, math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy))
	}
	if !in {
		return -best
	}
	return best
}

// custom returns the pieces of a custom pad: the anchor, which is a circle or a rectangle, and the
// primitives.
func (p *drawnPad) custom() ([]board.FootprintPad, error) {
	anchor := board.FootprintPad{
		Padstack: board.Padstack{
			Width: int64(math.Round(p.w)), Height: int64(math.Round(p.h)), Shape: board.Circle,
		},
	}
	if options := p.n.First("options"); options != nil {
		if shape, _ := options.Text("anchor"); shape == "rect" {
			anchor.Shape = board.RectShape
		}
	}
	anchor.Offset = nanometres(p.offset)
	if anchor.Shape == board.Circle {
		anchor.Height = anchor.Width
	}
	var out []board.FootprintPad
	if anchor.Width >= board.MM(minSize) && anchor.Height >= board.MM(minSize) {
		out = append(out, anchor)
	} else if p.through {
		return nil, bad(p.n, "pad %s has a hole and no anchor around it", p.name())
	}
	if list := p.n.First("primitives"); list != nil {
		for _, n := range list.List[1:] {
			kind, drawn := strings.CutPrefix(n.Head(), "gr_")
			if !drawn || kind == "vector" || kind == "bbox" {
				continue
			}
			pieces, err := p.primitive(n, kind)
			if err != nil {
				return nil, err
			}
			for i := range pieces {
				pieces[i].At = pieces[i].At.Add(nanometres(p.offset))
			}
			if out = append(out, pieces...); len(out) > maxPieces {
				return nil, bad(n, "pad %s has more than %d convex pieces", p.name(), maxPieces)
			}
		}
	}
	if len(out) == 0 {
		return nil, bad(p.n, "pad %s has no copper", p.name())
	}
	return out, nil
}

// primitive returns the pieces of one primitive of a custom pad. A filled area becomes convex
// pieces expanded by half of the stroke width, and a line becomes ovals.
func (p *drawnPad) primitive(n *sexpr.Node, kind string) ([]board.FootprintPad, error) {
	width, err := strokeWidth(n)
	if err != nil {
		return nil, err
	}
	points, closed, err := shapeOf(n, kind)
	if err != nil {
		return nil, err
	}
	// Before KiCad 6, polygons and circles without a stroke are always filled.
	fill, given := n.Text("fill")
	filled := closed && (fill == "yes" || fill == "solid" || !given &&
		(kind == "poly" || width == 0))
	if kind == "circle" && filled {
		c, err := point(n, "center")
		if err != nil {
			return nil, err
		}
		r := math.Hypot(points[0].x-c.x, points[0].y-c.y) + width/2
		d := int64(math.Round(2 * r))
		if d < 1 {
			return nil, nil
		}
		return []board.FootprintPad{{
			At:       nanometres(c),
			Padstack: board.Padstack{Shape: board.Circle, Width: d, Height: d},
		}}, nil
	}
	if filled {
		if points = simplified(points, 1); len(points) > maxCorners {
			return nil, bad(n, "a polygon of pad %s has %d corners; at most %d are read", p.name(),
				len(points), maxCorners)
		}
		parts, err := convexParts(points)
		if err != nil {
			return nil, bad(n, "a polygon of pad %s %v", p.name(), err)
		}
		var out []board.FootprintPad
		for _, g := range parts {
			out = append(out, convexPad(g, width/2))
		}
		return out, nil
	}
	if width < 1 {
		return nil, nil
	}
	if closed {
		points = append(points, points[0])
	}
	var out []board.FootprintPad
	for i := 1; i < len(points); i++ {
		out = append(out, strokePad(points[i-1], points[i], width))
	}
	return out, nil
}

// strokePad returns a line with round ends and the given width [nm] as a pad.
func strokePad(a, b vec, width float64) board.FootprintPad {
	p := board.FootprintPad{
		At:       nanometres(vec{(a.x + b.x) / 2, (a.y + b.y) / 2}),
		Padstack: board.Padstack{Shape: board.Oval},
	}
	p.Width, p.Height = int64(math.Round(math.Hypot(b.x-a.x, b.y-a.y)+width)),
		int64(math.Round(width))
	p.Rotation = turn(math.Atan2(b.y-a.y, b.x-a.x) * 180 / math.Pi)
	if p.Width == p.Height {
		p.Shape = board.Circle
	}
	return p
}
