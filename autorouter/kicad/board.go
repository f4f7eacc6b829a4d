package kicad

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
)

// Keep selects which tracks and vias of a file the conversion keeps.
type Keep uint8

// Values of Keep. Members of groups count as locked tracks and vias.
const (
	KeepLocked Keep = iota
	KeepAll
	KeepNone
)

// ParseKeep returns the value of Keep for locked, all or none. For another name, ok is false.
func ParseKeep(name string) (keep Keep, ok bool) {
	i := slices.Index([]string{"locked", "all", "none"}, name)
	return Keep(max(0, i)), i >= 0
}

// Options control the conversion of a file to a board.
type Options struct {
	Keep Keep
	// EdgeClearanceMM is the clearance of copper to the board edge [mm]; 0 selects the value of the
	// file.
	EdgeClearanceMM float64
}

// Board is a board file converted for package route.
type Board struct {
	*board.Board
	Warnings []string

	design  *Design
	origin  board.Point   // origin of the board in file coordinates [nm, y up]
	removed []*sexpr.Node // tracks, vias, fills and teardrops that File omits
}

// builder converts a file to a board.
type builder struct {
	*Board
	cutouts  []board.Polygon // cutouts in file coordinates [nm]
	cuts     [][]board.Point // open chains of lines on Edge.Cuts in file coordinates [nm]
	obstacle board.Part      // part whose netless pads represent cutouts and other copper
	wiring   board.Part      // part whose pads represent the kept tracks and vias
	zones    []zone
	pads     int // number of pads, including obstacles, keepouts and kept tracks
	steps    int // remaining corner tests for the division of polygons
	boxes    int // number of polygons replaced by their bounding boxes
	texts    int // number of texts on copper
	local    int // number of pads whose clearance is smaller than that of their net class
	fail     error
}

// maxSteps limits the corner tests for all polygons, which take about 1 s.
const maxSteps = 1 << 28

// pairSteps is the cost of the distance between two shapes, in corner tests.
const pairSteps = 16

func (b *builder) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}

// position formats a board position in file coordinates [mm], with y down.
func (b *Board) position(p board.Point) string {
	return fmt.Sprintf("%s, %s", millimetres(p.X), millimetres(-p.Y))
}

// moved converts a polygon from file to board coordinates [nm].
func (b *builder) moved(g []board.Point) board.Polygon {
	out := make(board.Polygon, len(g))
	for i, p := range g {
		out[i] = p.Sub(b.origin)
	}
	return out
}

// count adds n to the number of pads, obstacles and kept tracks. It rejects the file if the total
// exceeds maxPads.
func (b *builder) count(n int) {
	if b.pads += n; b.pads > maxPads && b.fail == nil {
		b.fail = bad(nil,
			"the board has more than %d pads, keepouts and tracks that stay, counted by "+
				"their convex pieces", maxPads)
	}
}

// spend subtracts steps from the remaining corner tests. It rejects the file if none remain.
func (b *builder) spend(steps int) {
	if b.steps -= steps; b.steps <= 0 && b.fail == nil {
		b.fail = bad(nil, "the polygons of the board have too many corners")
	}
}

// Board converts the file to a board for package route. The error is an *Error.
func (d *Design) Board(o Options) (*Board, error) {
	b := &builder{Board: &Board{Board: &board.Board{Name: "board"}, design: d}, steps: maxSteps}
	for _, l := range d.Layers {
		b.Stackup = append(b.Stackup, board.CopperLayer{Name: l.Name, KiCad: l.Name, ID: l.id})
	}
	for _, name := range d.Nets {
		b.Nets = append(b.Nets, board.Net{Name: name, Class: "default"})
	}
	if err := b.setOutline(); err != nil {
		return nil, err
	}
	if err := b.setRules(o); err != nil {
		return nil, err
	}
	for _, read := range []func() error{
		b.readFootprints, b.readItems, func() error { return b.readWiring(o.Keep) }, b.setZones,
	} {
		if err := read(); err != nil {
			return nil, err
		}
		if b.fail != nil {
			return nil, b.fail
		}
	}
	b.setCutouts()
	b.obstacle.Ref, b.wiring.Ref = "keepout", board.WiringRef
	for _, p := range []board.Part{b.wiring, b.obstacle} {
		p.Footprint = &board.Footprint{}
		if len(p.Pads) > 0 {
			b.Parts = append(b.Parts, p)
		}
	}
	if b.boxes > 0 {
		b.warn("%d polygons that cross themselves, have no area or more than 1000 corners are replaced by "+
			"their bounding boxes", b.boxes)
	}
	if b.texts > 0 {
		b.warn("%d texts on copper layers keep tracks out of their bounding boxes", b.texts)
	}
	if b.local > 0 {
		b.warn(
			"clearances of %d pads that are smaller than those of their net classes are not used",
			b.local)
	}
	return b.Board, b.fail
}

// readFootprints converts the footprints to parts.
func (b *builder) readFootprints() error {
	for _, n := range b.design.root.List[1:] {
		if n.Head() != "footprint" && n.Head() != "module" {
			continue
		}
		if len(b.Parts) == maxParts {
			return bad(n, "the board has more than %d footprints", maxParts)
		}
		if err := b.readFootprint(n); err != nil {
			return err
		}
		if b.fail != nil {
			return b.fail
		}
	}
	return nil
}

func (b *builder) readFootprint(n *sexpr.Node) error {
	at, degrees, err := footprint.ReadPosition(n, "at")
	if err != nil {
		return asError(err)
	}
	part := board.Part{Component: board.Component{
		Ref: reference(n), Footprint: &board.Footprint{Name: n.At(1)},
	}}
	part.At, part.Rotation = at.Sub(b.origin), degrees
	if layer, _ := n.Text("layer"); layer == b.Stackup[len(b.Stackup)-1].Name {
		part.Side = board.BottomSide
	}
	own, err := lengthOf(n, "clearance")
	if err != nil {
		return err
	}
	index := len(b.Parts)
	groups := 0
	for _, c := range n.List[1:] {
		if c.Head() != "pad" {
			continue
		}
		pads, err := b.pad(c, at, degrees)
		if err != nil {
			return err
		}
		clearance, err := lengthOf(c, "clearance")
		if err != nil {
			return err
		}
		if clearance == 0 {
			clearance = own
		}
		if clearance > int64(maxRuleMM*1e6) {
			return bad(c, "the clearance of a pad is %g mm; 0 to %g are read",
				board.ToMM(clearance), maxRuleMM)
		}
		b.setClearance(pads, clearance)
		if len(pads) > 1 {
			groups++
		}
		for i := range pads {
			if len(pads) > 1 {
				pads[i].Group = groups
			}
		}
		if len(pads) > 0 && pads[0].Net != board.NoNet {
			to := &b.Nets[pads[0].Net].Pins
			*to = append(*to, board.PinRef{Component: index, Pad: pads[0].Number})
		}
		part.Pads = append(part.Pads, pads...)
		b.count(len(pads))
	}
	b.Parts = append(b.Parts, part)
	if part.Pads == nil {
		part.Pads = []board.Pad{}
	}
	for _, c := range n.List[1:] {
		if err := b.item(c, at, degrees, part.Pads); err != nil {
			return err
		}
	}
	return nil
}

// setClearance sets the clearance [nm] of all pieces of a pad; 0 selects that of the net class. It
// counts a clearance below that of the net class in b.local.
func (b *builder) setClearance(pads []board.Pad, clearance int64) {
	for i := range pads {
		c := b.Rules.Classes[0]
		if pads[i].Net != board.NoNet {
			c = b.Rules.Class(&b.Nets[pads[i].Net])
		}
		pads[i].Clearance = clearance
		if i == 0 && clearance > 0 && clearance < c.Clearance {
			b.local++
		}
	}
}

// reference returns the reference designator of a footprint, or "". KiCad 8 and later write
// (property "Reference" R1), and earlier versions (fp_text reference R1).
func reference(n *sexpr.Node) string {
	for _, head := range []string{"property", "fp_text"} {
		for _, c := range n.Each(head) {
			if strings.EqualFold(c.At(1), "reference") {
				return c.At(2)
			}
		}
	}
	return ""
}

// pad returns the convex pieces of a pad of a footprint at position at [nm] with rotation degrees.
// It returns none for a pad with neither copper nor a hole.
func (b *builder) pad(n *sexpr.Node, at board.Point, degrees float64) ([]board.Pad, error) {
	layers := b.design.layersOf(itemLayers(n)...)
	hole := strings.HasSuffix(n.At(2), "thru_hole")
	if layers == 0 && !hole {
		return nil, nil
	}
	p, err := footprint.ReadPlacedPad(n, at, degrees)
	if err != nil {
		return nil, asError(err)
	}
	net, err := b.design.net(n)
	if err != nil {
		return nil, err
	}
	drilled := p.Drill > 0 || p.SlotW > 0
	var out []board.Pad
	if p.Kind == "np_thru_hole" || layers == 0 {
		net = board.NoNet
		if drilled {
			out = append(out, board.Pad{
				Net: net, At: p.At.Sub(b.origin), Rotation: p.Rotation, Padstack: board.Padstack{
					Shape: board.Circle,
					Width: max(p.Drill, p.SlotW), Height: max(p.Drill, p.SlotH),
					Drill: p.Drill, SlotW: p.SlotW, SlotH: p.SlotH,
				},
			})
		}
	}
	if layers == 0 {
		return out, nil
	}
	for i, q := range p.Pieces {
		one := b.padOf(q)
		one.Number, one.Net, one.Layers = p.Number, net, layers
		if one.Shape == board.Circle && n.At(3) != "circle" && p.SlotW == 0 {
			// The spokes follow the axes of the pad; see Rules.KiCadSpokes.
			one.Rotation = math.Mod(one.Rotation+45, 360)
		}
		if i == 0 && p.Kind == "thru_hole" && drilled {
			one.Drill, one.SlotW, one.SlotH, one.Plated = p.Drill, p.SlotW, p.SlotH, true
		}
		out = append(out, one)
	}
	return out, nil
}

// padOf converts a piece of a pad from file to board coordinates.
func (b *builder) padOf(q board.FootprintPad) board.Pad {
	return board.Pad{
		Net: board.NoNet, At: q.At.Sub(b.origin), Rotation: q.Rotation,
		Padstack: board.Padstack{
			Width: q.Width, Height: q.Height, Shape: q.Shape, Outline: q.Outline,
		},
	}
}

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
// For an item of a footprint, pads, at [nm] and degrees are the pads, position and rotation of the
// footprint; pads is nil for other items. Copper without a net that touches pads of exactly one net
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
		if b.spend(pairSteps * len(pads)); b.fail != nil {
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
	if b.spend(0); b.fail != nil {
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

// readWiring adds the tracks and vias that keep selects as copper of their nets. It marks all
// others for removal.
func (b *builder) readWiring(keep Keep) error {
	grouped := b.groupMembers()
	dropped := 0
	for _, n := range b.design.root.List[1:] {
		if n.Head() != "segment" && n.Head() != "arc" && n.Head() != "via" {
			continue
		}
		stays := keep == KeepAll || keep == KeepLocked && (isLocked(n) || grouped[uuidOf(n)])
		if !stays {
			b.removed = append(b.removed, n)
			dropped++
			continue
		}
		if err := b.keepCopper(n); err != nil {
			return err
		}
		if b.fail != nil {
			return b.fail
		}
	}
	if dropped > 0 {
		b.warn("%d tracks and vias of the file are replaced", dropped)
	}
	return nil
}

// groupMembers returns the identifiers of all group members.
func (b *builder) groupMembers() map[string]bool {
	out := map[string]bool{}
	// A generated item contains length-tuned tracks.
	for _, head := range []string{"group", "generated"} {
		for _, g := range b.design.root.Each(head) {
			if members := g.First("members"); members != nil {
				for i := range members.List[1:] {
					out[members.At(i+1)] = true
				}
			}
		}
	}
	delete(out, "")
	return out
}

func (b *builder) keepCopper(n *sexpr.Node) error {
	net, err := b.design.net(n)
	if err != nil {
		return err
	}
	var pads []board.Pad
	layers := b.design.layersOf(itemLayers(n)...)
	if n.Head() == "via" {
		at, _, err := footprint.ReadPosition(n, "at")
		if err != nil {
			return asError(err)
		}
		size, err := lengthOf(n, "size")
		if err != nil {
			return err
		}
		drill, err := lengthOf(n, "drill")
		if err != nil {
			return err
		}
		c := b.Rules.Classes[0]
		if net != board.NoNet {
			c = b.Rules.Class(&b.Nets[net])
		}
		if size == 0 {
			size = c.ViaDiameter
		}
		if drill == 0 {
			drill = min(c.ViaDrill, size-1)
		}
		pads = []board.Pad{{
			At: at.Sub(b.origin), Plated: true,
			Padstack: board.Padstack{Width: size, Height: size, Shape: board.Circle, Drill: drill},
		}}
		layers = span(layers, len(b.design.Layers))
	} else {
		kind := "line"
		if n.Head() == "arc" {
			kind = "arc"
		}
		points, _, err := footprint.ReadShape(n, kind)
		if err != nil {
			return asError(err)
		}
		width, err := lengthOf(n, "width")
		if err != nil {
			return err
		}
		if width == 0 || layers == 0 {
			return bad(n, "a track needs a width above 0 and a copper layer")
		}
		pads = b.copper(drawn{points: points}, width, false)
	}
	for i := range pads {
		pads[i].Net, pads[i].Layers = net, layers
	}
	b.count(len(pads))
	b.wiring.Pads = append(b.wiring.Pads, pads...)
	return nil
}

// span returns all layers from the first to the last layer of s, or all layers if s is empty.
// layers is the number of copper layers.
func span(s board.LayerSet, layers int) board.LayerSet {
	all := board.LayerSet(1<<layers - 1)
	if s == 0 {
		return all
	}
	var out board.LayerSet
	first, last := layers, 0
	for l := range s.All() {
		first, last = min(first, int(l)), max(last, int(l))
	}
	for l := first; l <= last; l++ {
		out |= board.Layer(l).Bit()
	}
	return out
}

// setCutouts adds the cutouts as obstacles. Each is expanded by the amount by which the edge
// clearance exceeds the clearance of the class Default.
func (b *builder) setCutouts() {
	radius := max(0, b.Rules.EdgeClearance-b.Rules.Classes[0].Clearance)
	add := func(pads []board.Pad) {
		for i := range pads {
			pads[i].Layers = b.Copper().All()
		}
		b.count(len(pads))
		b.obstacle.Pads = append(b.obstacle.Pads, pads...)
	}
	for _, c := range b.cuts {
		add(b.copper(drawn{points: c}, 2*max(1, radius), false))
	}
	for _, g := range b.cutouts {
		add(b.area(g, radius))
	}
}
