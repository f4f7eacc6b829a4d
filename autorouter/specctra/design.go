package specctra

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// Limits of a design.
const (
	maxBytes   = 32 << 20
	maxDepth   = 64
	maxNodes   = 4 << 20
	maxMM      = 1000.0 // largest magnitude of a coordinate or width [mm]
	maxPads    = 20000
	maxCorners = 5000 // maximum number of corners of one polygon
	maxParts   = 20000
	maxNets    = 20000
	maxClasses = 2000
	maxShapes  = 256  // maximum number of shapes of one padstack
	maxName    = 1000 // maximum length of the word REF-PIN [bytes]
)

// Error describes an error in a design.
type Error = sexpr.Error

func bad(n *sexpr.Node, format string, args ...any) error {
	e := &Error{Detail: fmt.Sprintf(format, args...)}
	if n != nil {
		e.Line = n.Line
	}
	return e
}

// Design is a parsed design file. Lengths are in [nm] in file coordinates and angles in [degrees].
type Design struct {
	Name     string   // design name as written in the file
	Layers   []Layer  // copper layers from top to bottom
	Warnings []string // assumptions, and lists of the file that have no effect

	hostCAD, hostVersion string
	unit                 float64 // unit of lengths in the file [nm]
	resolutionUnit       string
	resolution           int     // number of steps per resolutionUnit in a session
	step                 float64 // resolution of positions in a session [nm]
	boundaries           []boundary
	rule                 rule
	boundaryClearance    float64 // largest clearance rule for the boundary; 0 without one
	vias                 []string
	keepouts             []keepout
	planes               []plane
	images               map[string]*image
	padstacks            map[string]*padstack
	components           []component
	rotateFirst          bool // whether components on the back are rotated before they are mirrored
	nets                 []net
	classes              []class
	wires                []wire
}

// Layer is a copper layer of a design.
type Layer struct {
	Name  string
	Power bool // whether the layer has type power: a plane without tracks
}

// rule is a track width and a clearance [nm]. A value of 0 means that the file does not define it.
type rule struct{ width, clearance float64 }

// boundary is an outline of the board or of a cutout [nm]. If boundaries of both layers exist,
// those of layer signal limit the tracks, and those of layer pcb limit the drawing.
type boundary struct {
	layer   string
	outline []geom.Vec
}

// shape is copper, or an area, on a layer; lengths are in [nm].
type shape struct {
	layer  string
	points []geom.Vec // centre of a circle, corners of a polygon, or points of a path
	width  float64    // diameter of a circle, width of a path, or line width around a polygon
	filled bool       // whether the shape is a filled polygon
}

type keepout struct {
	shape
	tracks, vias bool
}

type plane struct {
	net     string
	outline shape
	windows bool // whether the outline has holes
}

type image struct {
	pins     []pin
	numbers  map[string]bool // set of pin numbers
	keepouts []keepout
}

type pin struct {
	padstack, number string
	at               geom.Vec
	rotation         float64
}

type padstack struct {
	shapes []shape
	// node is the padstack in the file. The session repeats it in its library.
	node *sexpr.Node
}

type component struct {
	ref, image string
	at         geom.Vec
	rotation   float64
	back       bool
	line       int
}

type net struct {
	name string
	pins []string // pins as REF-PIN
	line int
}

type class struct {
	name string
	nets []string
	rule
	via string
}

// wire is existing copper of the design: a shape, or a via at a position.
type wire struct {
	shape
	net   string
	via   string
	at    geom.Vec
	fixed bool
	// own is true for type fix, which the layout program retains when it imports a session.
	own  bool
	node *sexpr.Node // list of the shape in the file; nil for a via
}

// unitsNM maps each unit of length to its size [nm].
var unitsNM = map[string]float64{"inch": 25.4e6, "mil": 25400, "cm": 1e7, "mm": 1e6, "um": 1e3}

// Read parses the text of a design file. The error is an *Error.
func Read(text string) (*Design, error) {
	root, err := sexpr.ParseSpecctra(
		text,
		"design",
		sexpr.Limits{Bytes: maxBytes, Depth: maxDepth, Nodes: maxNodes},
	)
	if err != nil {
		var e *sexpr.Error
		if errors.As(err, &e) {
			return nil, e
		}
		return nil, err
	}
	if head := strings.ToLower(root.Head()); head != "pcb" {
		return nil, bad(root, "a Specctra design begins with (pcb, not (%s", cut(root.Head()))
	}
	d := &Design{
		Name: root.At(1), unit: unitsNM["inch"], resolutionUnit: "inch", resolution: 2540000,
		images: map[string]*image{}, padstacks: map[string]*padstack{},
	}
	r := &reader{d}
	if err := r.readUnits(root); err != nil {
		return nil, err
	}
	for _, section := range []struct {
		head string
		read func(*sexpr.Node) error
	}{
		{"parser", r.readParser}, {"structure", r.readStructure}, {"library", r.readLibrary},
		{"placement", r.readPlacement}, {"network", r.readNetwork}, {"wiring", r.readWiring},
	} {
		for _, n := range root.Each(section.head) {
			if err := section.read(n); err != nil {
				return nil, err
			}
		}
	}
	if len(d.Layers) == 0 {
		return nil, bad(
			root,
			"the design has no copper layer: (structure (layer NAME (type signal)))",
		)
	}
	if len(d.boundaries) == 0 {
		return nil, bad(
			root,
			"the design has no outline: (structure (boundary (path pcb 0 X Y ...)))",
		)
	}
	return d, nil
}

// reader parses the sections of a design file.
type reader struct{ *Design }

// skip adds a warning for a kind of list that has no effect, once per kind.
func (r *reader) skip(what string) { r.warnOnce(what + " has no effect") }

func (r *reader) warnOnce(warning string) {
	if !slices.Contains(r.Warnings, warning) {
		r.Warnings = append(r.Warnings, warning)
	}
}

// cut truncates a word to 64 bytes for use in a message.
func cut(s string) string { return text.Truncate(s, 64) }

func (r *reader) readUnits(root *sexpr.Node) error {
	if n := root.First("resolution"); n != nil {
		step, err := strconv.Atoi(n.At(2))
		if unitsNM[n.At(1)] == 0 || err != nil || step < 1 || step > 1e9 {
			return bad(
				n,
				"(resolution %s %s): needs a unit (inch, mil, cm, mm, um) and a number from 1 to 1e9",
				cut(n.At(1)),
				cut(n.At(2)),
			)
		}
		r.resolutionUnit, r.resolution, r.unit = n.At(1), step, unitsNM[n.At(1)]
	}
	r.step = unitsNM[r.resolutionUnit] / float64(r.resolution)
	if n := root.First("unit"); n != nil {
		if unitsNM[n.At(1)] == 0 {
			return bad(n, "(unit %s): the units are inch, mil, cm, mm and um", cut(n.At(1)))
		}
		r.unit = unitsNM[n.At(1)]
	} else if isEasyEDA(root) {
		r.unit, r.step = easyEDAUnits*r.unit, easyEDAUnits*r.step
	}
	return nil
}

// easyEDAUnits is the ratio of the unit of EasyEDA's editor, 10 mil, to the unit that its files
// declare.
const easyEDAUnits = 10

// isEasyEDA reports whether EasyEDA wrote a design. Its files declare (resolution mil 1000) but
// have lengths in units of 10 mil, and all pads belong to one component u1 at the origin. Only the
// Pro edition writes its name.
func isEasyEDA(root *sexpr.Node) bool {
	resolution, placement := root.First("resolution"), root.First("placement")
	if resolution == nil || resolution.At(1) != "mil" || resolution.At(2) != "1000" ||
		placement == nil {
		return false
	}
	parts := placement.Each("component")
	return len(parts) == 1 && parts[0].At(1) == "u1" && len(parts[0].Each("place")) == 1
}

func (r *reader) readParser(n *sexpr.Node) error {
	r.hostCAD, _ = n.Text("host_cad")
	r.hostVersion, _ = n.Text("host_version")
	return nil
}

// number parses word i of a list as a finite number.
func number(n *sexpr.Node, i int) (float64, error) {
	v, err := strconv.ParseFloat(n.At(i), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, bad(n, "(%s ...): word %d is %q, not a number", n.Head(), i, cut(n.At(i)))
	}
	return v, nil
}

// length parses word i of a list as a coordinate or a width and returns it in [nm].
func (r *reader) length(n *sexpr.Node, i int) (float64, error) {
	v, err := number(n, i)
	if err != nil {
		return 0, err
	}
	if v *= r.unit; math.Abs(v) > maxMM*1e6 {
		return 0, bad(n, "(%s ...): %s is beyond %g mm", n.Head(), cut(n.At(i)), maxMM)
	}
	return v, nil
}

func (r *reader) point(n *sexpr.Node, i int) (geom.Vec, error) {
	x, err := r.length(n, i)
	if err != nil {
		return geom.Vec{}, err
	}
	y, err := r.length(n, i+1)
	return geom.Vec{X: x, Y: y}, err
}

// points parses the words from index i on as points, up to the first sublist. It returns the points
// in [nm].
func (r *reader) points(n *sexpr.Node, i int) ([]geom.Vec, error) {
	end := i
	for end < len(n.List) && n.List[end].Leaf {
		end++
	}
	if end-i > 2*maxCorners {
		return nil, bad(
			n,
			"(%s ...) has %d points; at most %d are read",
			n.Head(),
			(end-i)/2,
			maxCorners,
		)
	}
	var out []geom.Vec
	for ; i+1 < end; i += 2 {
		p, err := r.point(n, i)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// isShape reports whether a list is a shape that the method shape parses.
func isShape(n *sexpr.Node) bool {
	switch n.Head() {
	case "circle", "circ", "rect", "polygon", "path":
		return true
	}
	return false
}

// shape parses (circle L D [X Y]), (rect L X Y X Y), (polygon L W X Y ...) or (path L W X Y ...),
// where L is the layer, D the diameter and W the width.
func (r *reader) shape(n *sexpr.Node) (shape, error) {
	s := shape{layer: n.At(1)}
	var err error
	switch n.Head() {
	case "circle", "circ":
		if s.width, err = r.length(n, 2); err != nil {
			return s, err
		}
		at := geom.Vec{}
		if len(n.List) > 4 && n.List[3].Leaf {
			if at, err = r.point(n, 3); err != nil {
				return s, err
			}
		}
		s.points = []geom.Vec{at}
	case "rect":
		p, err := r.points(n, 2)
		if err != nil || len(p) != 2 {
			return s, orBad(err, n, "(rect %s ...) needs two corners", cut(s.layer))
		}
		s.filled = true
		s.points = []geom.Vec{p[0], {X: p[1].X, Y: p[0].Y}, p[1], {X: p[0].X, Y: p[1].Y}}
	case "polygon", "path":
		if s.width, err = r.length(n, 2); err != nil {
			return s, err
		}
		if s.points, err = r.points(n, 3); err != nil {
			return s, err
		}
		if len(s.points) < 2 {
			return s, bad(
				n,
				"(%s %s ...) has %d points, fewer than 2",
				n.Head(),
				cut(s.layer),
				len(s.points),
			)
		}
		// EasyEDA writes polygons with two corners.
		s.filled = n.Head() == "polygon" && len(s.points) > 2
	}
	if s.width < 0 {
		return s, bad(
			n,
			"(%s %s ...) has the width %s, below 0",
			n.Head(),
			cut(s.layer),
			cut(n.At(2)),
		)
	}
	return s, nil
}

func orBad(err error, n *sexpr.Node, format string, args ...any) error {
	if err != nil {
		return err
	}
	return bad(n, format, args...)
}

func (r *reader) readStructure(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		var err error
		switch c.Head() {
		case "layer":
			kind, _ := c.Text("type")
			r.Layers = append(r.Layers, Layer{c.At(1), kind == "power"})
			if c.First("rule") != nil {
				r.skip("(rule ...) of a layer")
			}
		case "boundary":
			err = r.readBoundary(c)
		case "via":
			for _, w := range c.List[1:] {
				if w.Leaf {
					r.vias = append(r.vias, w.Word)
				}
			}
		case "rule":
			err = r.readRule(c, &r.rule)
		case "keepout", "via_keepout", "wire_keepout":
			var k []keepout
			k, err = r.readKeepout(c)
			r.keepouts = append(r.keepouts, k...)
		case "region":
			r.skip("(region ...)")
		case "plane":
			for _, s := range c.List[1:] {
				if !isShape(s) || err != nil {
					continue
				}
				p := plane{net: c.At(1), windows: c.First("window") != nil}
				p.outline, err = r.shape(s)
				r.planes = append(r.planes, p)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readBoundary(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		if !isShape(c) {
			continue
		}
		s, err := r.shape(c)
		if err != nil {
			return err
		}
		if len(s.points) < 3 {
			r.skip("a boundary that is not a polygon")
			continue
		}
		r.boundaries = append(r.boundaries, boundary{s.layer, s.points})
	}
	return nil
}

// readRule parses a rule list. It stores the track width and the largest clearance of tracks to
// copper in *to, and the largest clearance to the boundary in r.
func (r *reader) readRule(n *sexpr.Node, to *rule) error {
	for _, c := range n.List[1:] {
		if c.Head() != "width" && c.Head() != "clearance" && c.Head() != "clear" {
			continue
		}
		v, err := r.length(c, 1)
		if err != nil {
			return err
		}
		kind, _ := c.Text("type")
		switch {
		case c.Head() == "width":
			to.width = v
		case strings.Contains(kind, "boundary"):
			r.boundaryClearance = max(r.boundaryClearance, v)
		case noTrack[kind]:
		default:
			to.clearance = max(to.clearance, v)
		}
	}
	return nil
}

// noTrack contains the types of clearance rules that do not apply between a track and copper of
// another net.
var noTrack = map[string]bool{
	"smd_smd": true, "smd-smd": true, "pin_pin": true, "smd_pin": true, "pin_smd": true,
	"smd_to_turn_gap": true, "buffer_gap": true, "smd_via_same_net": true,
	"via_via_same_net": true, "pin_via_same_net": true,
}

// readKeepout returns one keepout for each shape of a keepout list.
func (r *reader) readKeepout(n *sexpr.Node) ([]keepout, error) {
	var out []keepout
	for _, c := range n.List[1:] {
		if !isShape(c) {
			continue
		}
		s, err := r.shape(c)
		if err != nil {
			return nil, err
		}
		if strings.Contains(r.hostCAD, "KiCad") && strings.HasPrefix(r.hostVersion, "7.0.2") &&
			len(s.points) == 1 && s.width > 100e6 {
			s.width = r.holeKeepout(s.width)
		}
		out = append(out, keepout{
			shape:  s,
			tracks: n.Head() != "via_keepout",
			vias:   n.Head() != "wire_keepout",
		})
	}
	if len(out) == 0 {
		r.skip("a keepout without a circle, rectangle, polygon or path")
	}
	return out, nil
}

// holeKeepout returns the intended diameter of a keepout around a hole without plating [nm]. KiCad
// 7.0.2 adds the hole clearance a thousand times too large on both sides, so that a keepout covers
// the board (freerouting, issue 202). The clearance is assumed to be a multiple of 0.01 mm and the
// hole smaller than 20 mm.
func (r *reader) holeKeepout(diameter float64) float64 {
	const scale = 1000
	hole := math.Mod(diameter, 2*scale*1e4)
	r.warnOnce("keepouts around holes have 1/1000 of the clearance that KiCad 7.0.2 writes by mistake")
	return hole + (diameter-hole)/scale
}

func (r *reader) readLibrary(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		var err error
		switch c.Head() {
		case "image":
			err = r.readImage(c)
		case "padstack":
			err = r.readPadstack(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readImage(n *sexpr.Node) error {
	m := &image{numbers: map[string]bool{}}
	for _, c := range n.List[1:] {
		switch c.Head() {
		case "pin":
			p := pin{padstack: c.At(1)}
			var words []*sexpr.Node
			for _, w := range c.List[min(2, len(c.List)):] {
				if w.Leaf {
					words = append(words, w)
				} else if w.Head() == "rotate" {
					v, err := number(w, 1)
					if err != nil {
						return err
					}
					p.rotation = math.Mod(v, 360)
				}
			}
			if len(words) < 3 {
				return bad(c, "(pin %s ...) needs a number and a position", cut(p.padstack))
			}
			p.number = words[0].Word
			at := &sexpr.Node{Line: c.Line, List: append([]*sexpr.Node{c.List[0]}, words...)}
			var err error
			if p.at, err = r.point(at, 2); err != nil {
				return err
			}
			m.pins = append(m.pins, p)
			m.numbers[p.number] = true
		case "keepout", "via_keepout", "wire_keepout":
			k, err := r.readKeepout(c)
			if err != nil {
				return err
			}
			m.keepouts = append(m.keepouts, k...)
		}
	}
	// An image may have a separate list for each side; the first one applies.
	if r.images[n.At(1)] == nil {
		r.images[n.At(1)] = m
	}
	return nil
}

func (r *reader) readPadstack(n *sexpr.Node) error {
	p := &padstack{node: n}
	for _, c := range n.Each("shape") {
		for _, s := range c.List[1:] {
			if !isShape(s) {
				continue
			}
			one, err := r.shape(s)
			if err != nil {
				return err
			}
			p.shapes = append(p.shapes, one)
		}
	}
	if len(p.shapes) > maxShapes {
		return bad(
			n,
			"padstack %s has %d shapes; at most %d are read",
			cut(n.At(1)),
			len(p.shapes),
			maxShapes,
		)
	}
	r.padstacks[n.At(1)] = p
	return nil
}

func (r *reader) readPlacement(n *sexpr.Node) error {
	if control := n.First("place_control"); control != nil {
		style, _ := control.Text("flip_style")
		r.rotateFirst = style == "rotate_first"
	}
	for _, c := range n.Each("component") {
		for _, p := range c.Each("place") {
			one := component{ref: p.At(1), image: c.At(1), line: p.Line}
			if len(p.List) < 5 || !p.List[2].Leaf {
				return bad(
					p,
					"component %s has no position; place all components before routing",
					cut(one.ref),
				)
			}
			var err error
			if one.at, err = r.point(p, 2); err != nil {
				return err
			}
			one.back = strings.EqualFold(p.At(4), "back")
			if p.At(5) != "" {
				if one.rotation, err = number(p, 5); err != nil {
					return err
				}
				one.rotation = math.Mod(one.rotation, 360)
			}
			if r.components = append(r.components, one); len(r.components) > maxParts {
				return bad(p, "the design has more than %d components", maxParts)
			}
		}
	}
	return nil
}

func (r *reader) readNetwork(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		switch c.Head() {
		case "net":
			one := net{name: c.At(1), line: c.Line}
			for _, list := range c.List[1:] {
				switch list.Head() {
				case "pins", "order":
					for _, w := range list.List[1:] {
						one.pins = append(one.pins, w.Word)
					}
				case "fromto", "rule", "layer_rule", "circuit":
					r.skip("(" + list.Head() + " ...) of a net")
				}
			}
			if r.nets = append(r.nets, one); len(r.nets) > maxNets {
				return bad(c, "the design has more than %d nets", maxNets)
			}
		case "class_class":
			r.skip("(class_class ...)")
		case "class":
			if err := r.readClass(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) readClass(n *sexpr.Node) error {
	c := class{name: n.At(1)}
	for _, w := range n.List[min(2, len(n.List)):] {
		if w.Leaf {
			c.nets = append(c.nets, w.Word)
			continue
		}
		switch w.Head() {
		case "circuit":
			for _, use := range w.Each("use_via") {
				if c.via == "" {
					c.via = use.At(1)
				}
			}
			for _, head := range []string{"length", "use_layer"} {
				if w.First(head) != nil {
					r.skip("(" + head + " ...) of a class")
				}
			}
		case "rule":
			if err := r.readRule(w, &c.rule); err != nil {
				return err
			}
		case "layer_rule":
			r.skip("(layer_rule ...) of a class")
		}
	}
	if r.classes = append(r.classes, c); len(r.classes) > maxClasses {
		return bad(n, "the design has more than %d classes", maxClasses)
	}
	return nil
}

func (r *reader) readWiring(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		var w wire
		w.net, _ = c.Text("net")
		kind, _ := c.Text("type")
		w.fixed, w.own = kind == "fix" || kind == "protect", kind == "fix"
		switch c.Head() {
		case "wire":
			found := false
			for _, s := range c.List[1:] {
				if !isShape(s) {
					continue
				}
				var err error
				if w.shape, err = r.shape(s); err != nil {
					return err
				}
				w.node, found = s, true
			}
			if !found {
				r.skip("a wire of the design that is not a circle, rectangle, polygon or path")
				continue
			}
		case "via":
			w.via = c.At(1)
			var err error
			if w.at, err = r.point(c, 2); err != nil {
				return err
			}
		default:
			continue
		}
		r.wires = append(r.wires, w)
	}
	return nil
}
