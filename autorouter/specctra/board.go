package specctra

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Options control the conversion of a design to a board.
type Options struct {
	// KeepWiring keeps all tracks and vias of the design. If it is false, only the tracks and vias
	// of the types fix and protect are kept.
	KeepWiring bool
	// EdgeClearanceMM is the clearance of copper to the board edge [mm]; 0 selects the clearance of
	// the design.
	EdgeClearanceMM float64
}

// Board is a design converted for package route.
type Board struct {
	*board.Board
	Warnings []string

	design *Design
	origin board.Point // origin of the board in design coordinates [nm]
	vias   []string    // padstack name of the vias, by index of the net class in Rules.Classes
	kept   []wire      // kept wiring that the session repeats, of all types except for fix
}

// Rules that the format does not define [mm]. As in package autorouter, a track may narrow near a
// pad. The distances for holes and pours are KiCad's default board rules.
const (
	neckLengthMM    = 3.0
	holeClearanceMM = 0.25
	holeToHoleMM    = 0.25
	pourClearanceMM = 0.5
	thermalGapMM    = 0.5
	thermalSpokeMM  = 0.5
	// edgeToleranceMM is the largest distance from the board edge to the edge of a plane that
	// counts as covering the board [mm].
	edgeToleranceMM = 1.5
	// coarse is the resolution [nm] above which rounding visibly changes track widths.
	coarse = 1e4
)

// Board converts the design to a board for package route. The error is an *Error.
func (d *Design) Board(o Options) (*Board, error) {
	b := &builder{
		Board: &Board{
			Board:    &board.Board{Name: d.Name},
			design:   d,
			Warnings: slices.Clone(d.Warnings),
		},
		nets: map[string]int{}, netOfPin: map[[2]string]int{}, refs: map[string]int{},
		steps: maxSteps,
	}
	for i, l := range d.Layers {
		b.Stackup = append(b.Stackup, board.CopperLayer{Name: l.Name, KiCad: l.Name, ID: i})
	}
	if len(d.Layers) < 2 || len(d.Layers) > board.MaxLayers {
		return nil, bad(
			nil,
			"the design has %d copper layers; 2 to %d are routed",
			len(d.Layers),
			board.MaxLayers,
		)
	}
	if step := d.step; step > coarse {
		b.warn("tracks are rounded to steps of %g mm, the resolution of the design", step/1e6)
	}
	b.setOutline()
	if err := b.setRules(o); err != nil {
		return nil, err
	}
	if err := b.setNets(); err != nil {
		return nil, err
	}
	for i := range d.components {
		if err := b.place(&d.components[i]); err != nil {
			return nil, err
		}
	}
	b.checkPins()
	b.checkOutline()
	for i := range d.keepouts {
		b.keepout(&d.keepouts[i], identity())
	}
	b.setPlanes()
	if err := b.setWiring(o.KeepWiring); err != nil {
		return nil, err
	}
	if b.fail != nil {
		return nil, b.fail
	}
	if n := b.boxes - maxListed; n > 0 {
		b.warn("%d more polygons are replaced by their bounding boxes", n)
	}
	return b.Board, nil
}

// builder converts a design to a board.
type builder struct {
	*Board
	nets     map[string]int // net index by net name
	netOfPin map[[2]string]int
	refs     map[string]int // component index by reference designator
	obstacle board.Part     // part whose netless pads represent keepout areas
	pads     int            // number of pads, including obstacles and keepouts
	boxes    int            // number of polygons replaced by their bounding boxes
	steps    int            // remaining corner tests for the division of polygons
	fail     error          // error that ends Board
}

// Limits of the conversion.
const (
	maxSteps  = 1 << 28 // corner tests, which take about 1 s; public designs need at most 2e6
	maxListed = 5       // maximum number of polygons or nets named in a warning
)

// spend subtracts steps from the remaining corner tests. If none remain, it rejects the design and
// returns false.
func (b *builder) spend(steps int) bool {
	if b.steps -= steps; b.steps <= 0 && b.fail == nil {
		b.fail = bad(nil, "the polygons of the design have too many corners")
	}
	return b.fail == nil
}

// count adds a number of convex pieces of pads, keepouts and fixed tracks to the total. It rejects
// the design if the total exceeds maxPads.
func (b *builder) count(pads int) {
	if b.pads += pads; b.pads > maxPads && b.fail == nil {
		b.fail = bad(
			nil,
			"the design has more than %d pads, keepouts and fixed tracks, counted by their convex pieces",
			maxPads,
		)
	}
}

func (b *builder) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}

// point converts a position from design to board coordinates [nm].
func (b *Board) point(v geom.Vec) board.Point {
	return board.Point{
		X: int64(math.Round(v.X)) - b.origin.X,
		Y: int64(math.Round(v.Y)) - b.origin.Y,
	}
}

// checkOutline replaces an outline that contains no connected pad by the box of the connected pads
// with a margin. In some files from KiCad the boundary is only a slot or notch of the board.
func (b *builder) checkOutline() {
	const margin = 5 * board.Millimetre
	outline := b.Outline.Bounds()
	var pads board.Polygon
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if p := &b.Parts[i].Pads[k]; p.Net != board.NoNet {
				if !b.spend(len(b.Outline)) || b.Outline.Contains(p.At) {
					return
				}
				s := p.Copper(0)
				box := s.Bounds()
				pads = append(pads, box.Min, box.Max)
			}
		}
	}
	if len(pads) == 0 {
		return
	}
	box := pads.Bounds().Grown(margin)
	b.Outline = board.Polygon{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max,
		{X: box.Min.X, Y: box.Max.Y}}
	b.warn("no connected pad lies in the boundary of %g by %g mm: the box of the pads with %g mm on all sides is the outline",
		board.ToMM(outline.Width()), board.ToMM(outline.Height()), board.ToMM(margin))
}

// setOutline selects the largest boundary as the outline of the board. Boundaries inside it become
// cutouts.
func (b *builder) setOutline() {
	outlines := b.design.boundaries
	isSignal := func(o boundary) bool { return o.layer == "signal" }
	if slices.ContainsFunc(outlines, isSignal) {
		outlines = slices.DeleteFunc(
			slices.Clone(outlines),
			func(o boundary) bool { return !isSignal(o) },
		)
	}
	largest := 0
	var areas []float64
	for i, o := range outlines {
		areas = append(areas, math.Abs(polygonOf(o.outline).Area()))
		if areas[i] > areas[largest] {
			largest = i
		}
	}
	corners := polygonOf(outlines[largest].outline)
	// The origin is a whole number of steps from the origin of the design. Positions in a session
	// are therefore exact to one step.
	low, step := corners.Bounds().Min, b.design.step
	whole := func(v int64) int64 { return int64(math.Round(math.Floor(float64(v)/step) * step)) }
	b.origin = board.Point{X: whole(low.X), Y: whole(low.Y)}
	for _, p := range corners {
		b.Outline = append(b.Outline, p.Sub(b.origin))
	}
	b.Outline = b.Outline.Simple()
	outside := 0
	for i, o := range outlines {
		switch {
		case i == largest || !b.spend(len(o.outline)*len(corners)):
		case !slices.ContainsFunc(polygonOf(o.outline), corners.Contains):
			outside++
		case areas[i] <= 0.98*areas[largest]:
			b.obstacleAt(shape{points: o.outline, filled: true}, b.Copper().All(), identity())
		}
	}
	if outside > 0 {
		b.warn("the design has %d more outlines; only the largest is routed", outside)
	}
}

// polygonOf converts corners [nm] to a polygon with coordinates rounded to 1 nm.
func polygonOf(points []geom.Vec) board.Polygon {
	var g board.Polygon
	for _, p := range points {
		g = append(g, board.Point{X: int64(math.Round(p.X)), Y: int64(math.Round(p.Y))})
	}
	return g
}

func (b *builder) setNets() error {
	d := b.design
	for i := range d.components {
		if _, ok := b.refs[d.components[i].ref]; ok {
			return &Error{
				Line:   d.components[i].line,
				Detail: fmt.Sprintf("component %q is placed twice", cut(d.components[i].ref)),
			}
		}
		b.refs[d.components[i].ref] = i
	}
	for _, n := range d.nets {
		at, ok := b.nets[n.name]
		if !ok {
			at = len(b.Nets)
			b.nets[n.name] = at
			b.Nets = append(b.Nets, board.Net{Name: n.name, Class: "default"})
		}
		for _, p := range n.pins {
			ref, number, err := b.split(p)
			if err != "" {
				return &Error{Line: n.line, Detail: fmt.Sprintf("net %q: %s", cut(n.name), err)}
			}
			key := [2]string{ref, number}
			if was, ok := b.netOfPin[key]; ok && was != at {
				return &Error{
					Line: n.line,
					Detail: fmt.Sprintf(
						"pin %s is on the nets %q and %q",
						cut(p),
						cut(b.Nets[was].Name),
						cut(n.name),
					),
				}
			}
			b.netOfPin[key] = at
		}
	}
	for _, c := range d.classes {
		known, unknown := 0, 0
		for _, name := range c.nets {
			if i, ok := b.nets[name]; ok {
				b.Nets[i].Class = c.name
				known++
			} else if name != "" { // KiCad writes an empty name for unconnected pads
				unknown++
			}
		}
		if known == 0 && unknown > 0 {
			b.warn("class %s has no effect: the design has none of its nets", cut(c.name))
		}
	}
	return nil
}

// split splits REF-PIN at a hyphen for which the component and its pin are known, because both may
// contain hyphens. If there is no such hyphen, problem is the reason.
func (b *builder) split(name string) (ref, number, problem string) {
	if len(name) > maxName {
		return "", "", fmt.Sprintf("the name of a pin has %d bytes, more than %d",
			len(name), maxName)
	}
	known := ""
	for i := range len(name) {
		if name[i] != '-' {
			continue
		}
		at, ok := b.refs[name[:i]]
		if !ok {
			continue
		}
		known = name[:i]
		m := b.design.images[b.design.components[at].image]
		if m != nil && m.numbers[name[i+1:]] {
			return known, name[i+1:], ""
		}
	}
	if known != "" {
		return "", "", fmt.Sprintf(
			"component %q has no pin %q",
			cut(known),
			cut(name[len(known)+1:]),
		)
	}
	return "", "", fmt.Sprintf("pin %q belongs to no placed component", cut(name))
}

// place adds a component of the design as a part of the board, with its keepouts.
func (b *builder) place(c *component) error {
	m := b.design.images[c.image]
	if m == nil {
		return &Error{
			Line: c.line,
			Detail: fmt.Sprintf("component %q: the library has no image %q", cut(c.ref),
				cut(c.image)),
		}
	}
	part := board.Part{
		Component: board.Component{Ref: c.ref, Footprint: &board.Footprint{Name: c.image}},
	}
	on := b.design.frame(c)
	part.At, part.Rotation = b.point(c.at), c.rotation
	if c.back {
		part.Side = board.BottomSide
	}
	for _, p := range m.pins {
		stack := b.design.padstacks[p.padstack]
		if stack == nil {
			return &Error{
				Line: c.line,
				Detail: fmt.Sprintf(
					"component %q: the library has no padstack %q",
					cut(c.ref),
					cut(p.padstack),
				),
			}
		}
		net := board.NoNet
		if i, ok := b.netOfPin[[2]string{c.ref, p.number}]; ok {
			net = i
		}
		at := on.pin(p)
		for _, one := range b.padsOf(stack, at, b.point(at.at)) {
			one.Number, one.Net = p.number, net
			part.Pads = append(part.Pads, one)
		}
		if b.fail != nil {
			return b.fail
		}
	}
	index := len(b.Parts)
	seen := map[string]bool{}
	for _, p := range part.Pads {
		if p.Net != board.NoNet && !seen[p.Number] {
			seen[p.Number] = true
			b.Nets[p.Net].Pins = append(
				b.Nets[p.Net].Pins,
				board.PinRef{Component: index, Pad: p.Number},
			)
		}
	}
	b.Parts = append(b.Parts, part)
	for i := range m.keepouts {
		b.keepout(&m.keepouts[i], on)
	}
	return nil
}

// checkPins adds a warning for each net with a pin that has no copper.
func (b *builder) checkPins() {
	for _, n := range b.design.nets {
		if len(n.pins) > 0 && len(b.Nets[b.nets[n.name]].Pins) < len(n.pins) {
			b.warn("net %s: a pin has no copper on the routed layers", cut(n.name))
		}
	}
}

// keepout adds an area that excludes tracks, vias or both. An area that excludes both becomes
// copper on no net, which tracks avoid by their clearance. Any other area becomes rectangular
// keepouts that cover it.
func (b *builder) keepout(k *keepout, at frame) {
	layers := b.design.layersOf(k.layer)
	if at.back {
		layers = b.mirrored(layers)
	}
	if layers == 0 {
		return
	}
	if k.tracks && k.vias {
		b.obstacleAt(k.shape, layers, at)
		return
	}
	var on []board.Layer
	for l := range layers.All() {
		on = append(on, l)
	}
	for _, p := range b.pieces(k.shape, at, board.Point{X: math.MinInt64}) {
		c := p.Copper(0)
		b.count(1)
		b.Keepouts = append(
			b.Keepouts,
			board.Keepout{Area: c.Bounds(), Layers: on, Tracks: k.tracks, Vias: k.vias},
		)
	}
}

// obstacleAt adds a shape as copper on no net. The frame at transforms the shape to design
// coordinates.
func (b *builder) obstacleAt(s shape, layers board.LayerSet, at frame) {
	for _, p := range b.pieces(s, at, board.Point{X: math.MinInt64}) {
		p.Net, p.Layers = board.NoNet, layers
		b.count(1)
		b.obstacle.Pads = append(b.obstacle.Pads, p)
	}
}

// setPlanes converts the planes that cover the board to board planes and to one pour. It also
// excludes tracks from layers of type power.
func (b *builder) setPlanes() {
	box := b.Outline.Bounds()
	for i, l := range b.design.Layers {
		if l.Power {
			b.Keepouts = append(
				b.Keepouts,
				board.Keepout{Area: box, Layers: []board.Layer{board.Layer(i)}, Tracks: true},
			)
		}
	}
	poured := map[int]board.LayerSet{}
	var order []int
	ignored := map[string]bool{}
	for _, p := range b.design.planes {
		i, ok := b.nets[p.net]
		ok = ok && len(b.Nets[i].Pins) > 0
		if !ok || p.windows || !b.covers(p.outline) {
			if ok {
				ignored[p.net] = true
			}
			continue
		}
		if poured[i] == 0 {
			order = append(order, i)
		}
		poured[i] |= b.design.layersOf(p.outline.layer)
	}
	ground := board.NoNet
	plane := map[int]bool{}
	for _, i := range order {
		for l := range poured[i].All() {
			if b.design.Layers[l].Power && !b.Rules.PlaneLayers().Has(l) {
				b.Rules.Planes = append(b.Rules.Planes, board.Plane{Layer: l, Net: i})
				poured[i] &^= l.Bit()
				plane[i] = true
			}
		}
		if poured[i] == 0 {
			continue
		}
		if ground == board.NoNet || len(b.Nets[i].Pins) > len(b.Nets[ground].Pins) {
			ground = i
		}
	}
	for _, i := range order {
		if i != ground && !plane[i] {
			ignored[b.Nets[i].Name] = true
		}
	}
	if ground != board.NoNet {
		delete(ignored, b.Nets[ground].Name)
		b.Rules.GroundNet = ground
		for l := range poured[ground].All() {
			b.Rules.PourLayers = append(b.Rules.PourLayers, l)
		}
	}
	names := make([]string, 0, len(ignored))
	for name := range ignored {
		names = append(names, cut(name))
	}
	slices.Sort(names)
	if n := len(names) - maxListed; n > 0 {
		names = append(names[:maxListed], fmt.Sprintf("%d more nets", n))
	}
	if len(names) > 0 {
		b.warn(
			"the planes of %s are not filled here: tracks connect their pins",
			strings.Join(names, ", "),
		)
	}
}

// covers reports whether a plane covers the board, except for a margin of edgeToleranceMM at the
// board edge.
func (b *builder) covers(s shape) bool {
	if !s.filled {
		return false
	}
	var g board.Polygon
	for _, p := range s.points {
		g = append(g, b.point(p))
	}
	if math.Abs(g.Area()) < 0.9*b.Outline.Area() || !b.spend(len(g)*len(b.Outline)) {
		return false
	}
	for _, p := range b.Outline {
		if g.Contains(p) {
			continue
		}
		near := math.Inf(1)
		for i, a := range g {
			near = min(
				near,
				geom.PointSegment(geom.VecOf(p), geom.VecOf(a), geom.VecOf(g[(i+1)%len(g)])),
			)
		}
		if near > edgeToleranceMM*1e6 {
			return false
		}
	}
	return true
}

// setWiring converts the fixed wiring, or all wiring if all is set, to pads of its nets.
func (b *builder) setWiring(all bool) error {
	part := board.Part{Component: board.Component{Ref: board.WiringRef}}
	dropped, unknown, elsewhere := 0, 0, 0
	for _, w := range b.design.wires {
		if !w.fixed && !all {
			dropped++
			continue
		}
		net := board.NoNet
		if i, ok := b.nets[w.net]; ok {
			net = i
		} else if !w.own {
			unknown++
		}
		if w.via == "" && b.design.layersOf(w.layer) == 0 {
			elsewhere++
			continue
		}
		var pads []board.Pad
		if w.via != "" {
			stack := b.design.padstacks[w.via]
			if stack == nil {
				return bad(
					nil,
					"a via of net %q: the library has no padstack %q",
					cut(w.net),
					cut(w.via),
				)
			}
			at := identity()
			at.at = w.at
			pads = b.padsOf(stack, at, b.point(w.at))
		} else {
			pads = b.pieces(w.shape, identity(), board.Point{X: math.MinInt64})
			for i := range pads {
				pads[i].Layers = b.design.layersOf(w.layer)
			}
		}
		for _, p := range pads {
			p.Net = net
			part.Pads = append(part.Pads, p)
		}
		if w.via == "" {
			b.count(len(pads))
		}
		if b.fail != nil {
			return b.fail
		}
		if !w.own {
			b.kept = append(b.kept, w)
		}
	}
	if elsewhere > 0 {
		b.warn("%d tracks of the design are on no copper layer and have no effect", elsewhere)
	}
	if unknown > 0 {
		b.warn("%d tracks and vias of the design have no net and are not in the session", unknown)
	}
	if dropped > 0 {
		b.warn("%d tracks and vias of the design that are not fixed are replaced", dropped)
	}
	b.obstacle.Ref = "keepout"
	for _, p := range []board.Part{part, b.obstacle} {
		p.Footprint = &board.Footprint{}
		if len(p.Pads) > 0 {
			b.Parts = append(b.Parts, p)
		}
	}
	return nil
}
