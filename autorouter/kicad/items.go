package kicad

import (
	"math"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
)

// readItems reads the zones of the board and its graphics on copper layers.
func (b *builder) readItems() error {
	for _, n := range b.design.root.List[1:] {
		if err := b.item(n, board.Point{}, 0, nil); err != nil {
			return err
		}
		if b.fail != nil {
			return b.fail
		}
	}
	return nil
}

// item reads a zone or a graphic item. A graphic item on copper layers becomes copper of its net.
// pads, at [nm] and degrees are the pads, position and rotation of the item's footprint; pads is
// nil for an item outside of footprints. Copper without a net that touches pads of exactly one net
// gets that net.
func (b *builder) item(n *sexpr.Node, at board.Point, degrees float64, pads []board.Pad) error {
	if n.Head() == "zone" {
		return b.readZone(n)
	}
	label := n.Head() == "property" && pads != nil // property of a footprint, since KiCad 8
	if !strings.HasPrefix(n.Head(), "gr_") && !strings.HasPrefix(n.Head(), "fp_") && !label {
		return nil
	}
	layers := b.design.layersOf(itemLayers(n)...)
	if layers == 0 {
		return nil
	}
	if strings.HasSuffix(n.Head(), "_text") || label {
		return b.text(n, layers, at, degrees)
	}
	if strings.HasSuffix(n.Head(), "_text_box") {
		return b.textBox(n, layers, at, degrees)
	}
	one, ok, err := readDrawn(n, at, degrees)
	if err != nil || !ok {
		return err
	}
	width, err := footprint.ReadStroke(n)
	if err != nil {
		return asError(err)
	}
	net, err := b.design.net(n)
	if err != nil {
		return err
	}
	fill, given := n.Text("fill")
	filled := one.closed &&
		(fill == "yes" || fill == "solid" || !given && strings.HasSuffix(n.Head(), "_poly"))
	pieces := b.copper(one, width, filled)
	touched := map[int]bool{}
	for i := range pieces {
		pieces[i].Layers = layers
		if b.countSteps(pairSteps * len(pads)); b.fail != nil {
			return b.fail
		}
		shape := pieces[i].Copper(0)
		for k := range pads {
			other := pads[k].Copper(0)
			if pads[k].Layers&layers != 0 && geom.Distance(&shape, &other) <= 0 {
				touched[pads[k].Net] = true
			}
		}
	}
	if net == board.NoNet && len(touched) == 1 {
		for i := range touched {
			net = i
		}
	}
	for i := range pieces {
		pieces[i].Net = net
	}
	b.count(len(pieces))
	to := &b.obstacle
	if net != board.NoNet {
		to = &b.wiring
	}
	to.Pads = append(to.Pads, pieces...)
	return nil
}

// copper returns the convex pieces of a graphic item with a stroke width [nm].
func (b *builder) copper(one drawn, width int64, filled bool) []board.Pad {
	if filled {
		return b.area(one.points, width/2)
	}
	points := b.moved(one.points)
	if one.closed {
		points = append(points, points[0])
	}
	if width < 1 {
		return nil
	}
	var out []board.Pad
	for i := 1; i < len(points); i++ {
		out = append(out, stroke(points[i-1], points[i], width))
	}
	return out
}

// area returns the convex pieces of a polygon in file coordinates, expanded by radius [nm]. If the
// polygon has no valid division, area returns its bounding box.
func (b *builder) area(g []board.Point, radius int64) []board.Pad {
	g = b.moved(g)
	parts, err := footprint.ConvexPads(g, radius, &b.steps)
	if b.countSteps(0); b.fail != nil {
		return nil
	}
	if err != nil {
		b.boxes++
		box := board.Polygon(g).Bounds().Grown(radius)
		centre := board.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
		return []board.Pad{
			{
				Net: board.NoNet, At: centre,
				Padstack: board.Padstack{Width: box.Width() + 1, Height: box.Height() + 1},
			},
		}
	}
	var out []board.Pad
	for _, q := range parts {
		out = append(out, board.Pad{
			Net: board.NoNet, At: q.At, Padstack: board.Padstack{
				Width: q.Width, Height: q.Height, Shape: q.Shape,
				Outline: q.Outline,
			},
		})
	}
	return out
}

// stroke returns a line with round ends and the given width [nm] as a pad.
func stroke(from, to board.Point, width int64) board.Pad {
	d := to.Sub(from)
	length := math.Hypot(float64(d.X), float64(d.Y))
	p := board.Pad{
		Net: board.NoNet, At: board.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2},
		Rotation: math.Atan2(float64(d.Y), float64(d.X)) * 180 / math.Pi,
		Padstack: board.Padstack{
			Width: int64(math.Ceil(length)) + width, Height: width, Shape: board.Oval,
		},
	}
	if length < 1 {
		p.Shape, p.Rotation, p.Width = board.Circle, 0, width
	}
	if p.Rotation < 0 {
		p.Rotation += 360
	}
	return p
}

// textBox adds the area of a text box as obstacles. The box is (start X Y) (end X Y), or (pts ...)
// if it is rotated.
func (b *builder) textBox(
	n *sexpr.Node, layers board.LayerSet, at board.Point, degrees float64,
) error {
	kind := "rect"
	if n.First("pts") != nil {
		kind = "poly"
	}
	points, _, err := footprint.ReadShape(n, kind)
	if err != nil {
		return asError(err)
	}
	if strings.HasPrefix(n.Head(), "fp_") {
		for i, p := range points {
			points[i] = at.Add(p.Rotated(degrees))
		}
	}
	width, err := footprint.ReadStroke(n)
	if err != nil {
		return asError(err)
	}
	pieces := b.area(points, width/2)
	for i := range pieces {
		pieces[i].Layers = layers
	}
	b.texts++
	b.count(len(pieces))
	b.obstacle.Pads = append(b.obstacle.Pads, pieces...)
	return nil
}

// text adds the bounding box of a visible text on copper as an obstacle.
func (b *builder) text(
	n *sexpr.Node, layers board.LayerSet, at board.Point, degrees float64,
) error {
	for _, c := range n.List {
		if c.Leaf && c.Word == "hide" || c.Head() == "hide" && c.At(1) != "no" {
			return nil
		}
	}
	content := n.At(1)
	if !strings.HasPrefix(n.Head(), "gr_") {
		content = n.At(2)
	}
	place, angle, err := footprint.ReadPosition(n, "at")
	if err != nil {
		return asError(err)
	}
	place = at.Add(place.Rotated(degrees))
	size := board.Point{X: board.Millimetre, Y: board.Millimetre}
	if effects := n.First("effects"); effects != nil {
		if font := effects.First("font"); font != nil && font.First("size") != nil {
			h, errH := strconv.ParseFloat(font.First("size").At(1), 64)
			w, errW := strconv.ParseFloat(font.First("size").At(2), 64)
			if errH != nil || errW != nil || !(h > 0 && h < 500 && w > 0 && w < 500) {
				return bad(font, "the size of a text must be two lengths up to 500 mm")
			}
			size = board.Point{X: board.MM(w), Y: board.MM(h)}
		}
	}
	// The box covers every justification: unless the text is centred, it extends by the length of
	// the text on both sides of the position.
	lines := strings.Split(strings.ReplaceAll(content, `\n`, "\n"), "\n")
	longest := 0
	for _, l := range lines {
		longest = max(longest, len([]rune(l)))
	}
	half := int64(float64(size.X) * 1.1 * float64(longest))
	justify := ""
	if effects := n.First("effects"); effects != nil {
		for _, c := range effects.Each("justify") {
			for _, w := range c.List[1:] {
				justify += " " + w.Word
			}
		}
	}
	if !strings.Contains(justify, "left") && !strings.Contains(justify, "right") {
		half /= 2
	}
	tall := int64(float64(size.Y) * 1.7 * float64(len(lines)))
	b.texts++
	b.count(1)
	b.obstacle.Pads = append(b.obstacle.Pads, board.Pad{
		Net: board.NoNet, At: place.Sub(b.origin), Rotation: angle, Layers: layers,
		Padstack: board.Padstack{Width: 2 * half, Height: tall},
	})
	return nil
}
