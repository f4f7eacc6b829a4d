package footprint

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// Limits of a footprint file. The largest file in KiCad's libraries has 250 kB.
const (
	maxGraphics = 20_000 // number of lines in the drawing, including the chords of arcs
	maxPieces   = 2000   // total number of convex pieces of pads and openings
	maxCorners  = 400    // corners of a polygon
	maxModels   = 8
	maxZones    = 32
	maxPath     = 512      // length of the path of a 3D model [bytes]
	newest      = 20241229 // file format version of KiCad 9, a date
)

var fileLimits = sexpr.Limits{Bytes: 1 << 20, Depth: 30, Nodes: 250_000}

// fileName matches valid names of KiCad footprints, with or without a library nickname.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9 _.,:;+()\[\]{}&#@=~%^!$-]{0,127}$`)

// filePad matches valid pad numbers of KiCad footprints.
var filePad = regexp.MustCompile(`^[A-Za-z0-9_.+~#&*()/$-]{0,16}$`)

// FromKiCad parses a .kicad_mod file of KiCad 5 to 9, which contains a (module ...) or (footprint
// ...) list. The parameter name is the footprint name that components use. The shapes of all pads
// are accurate to 5 µm. Shapes other than rectangle, circle and oval become convex pieces with the
// same pad number. The footprint's note lists its differences from the file. The error is a
// *SpecError with an empty path.
func FromKiCad(name, text string) (*board.Footprint, error) {
	if !fileName.MatchString(name) {
		return nil, faulty("", "the name must be 1 to 128 letters, digits, spaces and _ . , : ; + - ( ) [ ] { } & # @ = ~ %% ^ ! $")
	}
	root, err := sexpr.Parse(text, "footprint", fileLimits)
	if err != nil {
		return nil, faulty("", "%v", err)
	}
	if head := root.Head(); head != "footprint" && head != "module" {
		return nil, faulty("", "line %d: expected (footprint ...) or (module ...), found (%s",
			root.Line, clip(head))
	}
	r := fileReader{root: root, drawing: &board.Drawing{}}
	r.f = board.Footprint{Name: name, Polar: true, Aliases: map[string]string{}, Drawing: r.drawing}
	if err := r.read(); err != nil {
		var at *fileError
		if errors.As(err, &at) {
			return nil, faulty("", "line %d: %s", at.line, at.detail)
		}
		return nil, faulty("", "%v", err)
	}
	return r.finish()
}

type fileError struct {
	line   int
	detail string
}

func (e *fileError) Error() string { return e.detail }

func bad(n *sexpr.Node, format string, args ...any) error {
	return &fileError{n.Line, fmt.Sprintf(format, args...)}
}

type fileReader struct {
	root    *sexpr.Node
	f       board.Footprint
	drawing *board.Drawing
	turn    float64 // rotation of a footprint copied from a board [degrees]
	groups  int
	notes   []string
	back    []board.Graphic // lines of the courtyard on the back
}

func (r *fileReader) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

func (r *fileReader) read() error {
	if v, err := strconv.Atoi(r.root.First("version").At(1)); err == nil && v > newest {
		r.note("the file has version %d, later than that of KiCad 9 (%d)", v, newest)
	}
	if layer, _ := r.root.Text("layer"); layer == "B.Cu" {
		return bad(r.root, "the footprint is on layer B.Cu; only one drawn for F.Cu is read")
	}
	if at := r.root.First("at"); at != nil {
		v, err := numbers(at, 3)
		if err != nil {
			return err
		}
		if len(v) == 3 {
			r.turn = v[2]
		}
	}
	for _, n := range r.root.List {
		if err := r.item(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *fileReader) item(n *sexpr.Node) error {
	switch head := n.Head(); head {
	case "pad":
		return r.pad(n)
	case "fp_line", "fp_rect", "fp_circle", "fp_arc", "fp_poly", "fp_curve":
		return r.graphic(n, strings.TrimPrefix(head, "fp_"))
	case "model":
		return r.model(n)
	case "zone":
		return r.zone(n)
	}
	return nil
}

// maxLength is the largest magnitude of a coordinate in a footprint file [mm].
const maxLength = maxExtent

// numbers parses at most the first most numbers of a list: lengths [mm] or angles [degrees]. The
// result is shorter if the list has fewer numbers. A keyword before the first number is an error,
// except in (at ...) and (drill ...); later keywords are skipped.
func numbers(n *sexpr.Node, most int) ([]float64, error) {
	var out []float64
	for i := 1; i < len(n.List) && len(out) < most; i++ {
		if !n.List[i].Leaf {
			continue
		}
		v, err := strconv.ParseFloat(n.List[i].Word, 64)
		if err != nil {
			if len(out) > 0 || n.Head() == "drill" || n.Head() == "at" {
				continue
			}
			return nil, bad(n, "%s is not a number in (%s ...)",
				clip(strconv.Quote(n.List[i].Word)), n.Head())
		}
		if math.IsNaN(v) || math.Abs(v) > maxAngle {
			return nil,
				bad(n, "%g is out of range in (%s ...): lengths in mm and angles in degrees "+
					"are read up to %g", v, n.Head(), float64(maxAngle))
		}
		out = append(out, v)
	}
	return out, nil
}

// point parses a child list of parent, for example (start 1 2), and returns the point in [nm] with
// y up.
func point(parent *sexpr.Node, head string) (vec, error) {
	return pointWithin(parent, head, maxLength)
}

// pointWithin is like point but limits the magnitude of the coordinates to limit [mm].
func pointWithin(parent *sexpr.Node, head string, limit float64) (vec, error) {
	n := parent.First(head)
	if n == nil {
		return vec{}, bad(parent, "(%s ...) has no (%s X Y)", parent.Head(), head)
	}
	return pointOf(n, limit)
}

func pointOf(n *sexpr.Node, limit float64) (vec, error) {
	v, err := numbers(n, 2)
	if err != nil {
		return vec{}, err
	}
	if len(v) < 2 {
		return vec{}, bad(n, "(%s ...) has no two coordinates", n.Head())
	}
	if math.Abs(v[0]) > limit || math.Abs(v[1]) > limit {
		return vec{}, bad(n, "the coordinates %g, %g are beyond %g mm", v[0], v[1], limit)
	}
	return vec{v[0] * 1e6, -v[1] * 1e6}, nil
}

// length parses the number [mm] of a child list of parent and returns it in [nm], or 0 if the child
// is absent.
func length(parent *sexpr.Node, head string) (float64, error) {
	n := parent.First(head)
	if n == nil {
		return 0, nil
	}
	v, err := numbers(n, 1)
	if err != nil {
		return 0, err
	}
	if len(v) == 0 || v[0] < 0 || v[0] > maxLength {
		return 0, bad(n, "(%s ...) must be 0 to %g", head, maxLength)
	}
	return v[0] * 1e6, nil
}

// strokeWidth returns the stroke width of a drawn item [nm]. The file contains (width W) before
// KiCad 7 and (stroke (width W) ...) since KiCad 7.
func strokeWidth(n *sexpr.Node) (float64, error) {
	if s := n.First("stroke"); s != nil {
		return length(s, "width")
	}
	return length(n, "width")
}

// shapeOf returns a drawn item as a chain of points [nm, y up] and reports whether the chain is
// closed.
func shapeOf(n *sexpr.Node, kind string) (points []vec, closed bool, err error) {
	return shapeWithin(n, kind, maxLength)
}

// shapeWithin is like shapeOf but limits the magnitude of the coordinates to limit [mm].
func shapeWithin(
	n *sexpr.Node, kind string, limit float64,
) (points []vec, closed bool, err error) {
	var p [4]vec
	read := func(heads ...string) {
		for i, h := range heads {
			if err == nil {
				p[i], err = pointWithin(n, h, limit)
			}
		}
	}
	switch kind {
	case "line":
		read("start", "end")
		return p[:2], false, err
	case "rect":
		read("start", "end")
		return []vec{p[0], {p[1].x, p[0].y}, p[1], {p[0].x, p[1].y}}, true, err
	case "circle":
		read("center", "end")
		circle := arcPoints(p[0], math.Hypot(p[1].x-p[0].x, p[1].y-p[0].y), 0, 2*math.Pi)
		return circle[:len(circle)-1], true, err
	case "arc":
		if n.First("mid") != nil {
			read("start", "mid", "end")
			if points = arcThrough(p[0], p[1], p[2]); len(points) == 0 && err == nil {
				err = bad(n, "the arc is longer than %g m", maxArc/1e9)
			}
			return points, false, err
		}
		read("start", "end") // before KiCad 6, start is the centre and end the first point
		var v []float64
		if a := n.First("angle"); a != nil && err == nil {
			v, err = numbers(a, 1)
		}
		if err != nil || len(v) == 0 {
			return nil, false, cmp.Or(err, bad(n, "the arc has no (angle ...)"))
		}
		from := math.Atan2(p[1].y-p[0].y, p[1].x-p[0].x)
		return arcPoints(p[0], math.Hypot(p[1].x-p[0].x, p[1].y-p[0].y), from,
			-min(360, max(-360, v[0]))*math.Pi/180), false, nil
	}
	list := n.First("pts")
	if list == nil {
		return nil, false, bad(n, "(%s ...) has no (pts ...)", n.Head())
	}
	for _, c := range list.List[1:] {
		switch c.Head() {
		case "xy":
			q, err := pointOf(c, limit)
			if err != nil {
				return nil, false, err
			}
			points = append(points, q)
		case "arc":
			arc, _, err := shapeWithin(c, "arc", limit)
			if err != nil {
				return nil, false, err
			}
			points = append(points, arc...)
		}
	}
	if kind == "curve" {
		if len(points) != 4 {
			return nil, false, bad(n, "a curve has 4 points, not %d", len(points))
		}
		return bezier(points), false, nil
	}
	if len(points) < 2 {
		return nil, false, bad(n, "a polygon has 3 points or more, not %d", len(points))
	}
	return points, true, nil
}

// bezier approximates a cubic Bézier curve by 32 chords.
func bezier(p []vec) []vec {
	const steps = 32
	var out []vec
	for i := range steps + 1 {
		t := float64(i) / steps
		u := 1 - t
		a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		out = append(out, vec{a*p[0].x + b*p[1].x + c*p[2].x + d*p[3].x,
			a*p[0].y + b*p[1].y + c*p[2].y + d*p[3].y})
	}
	return out
}

func (r *fileReader) graphic(n *sexpr.Node, kind string) error {
	layer, _ := n.Text("layer")
	if layer == "" {
		layer = n.First("layers").At(1)
	}
	one := board.Graphic{}
	switch {
	case strings.HasSuffix(layer, ".Cu"):
		return bad(n,
			"copper is drawn on %s outside of the pads; net ties and printed antennas are not read", clip(layer))
	case layer == "F.SilkS" || layer == "F.Silkscreen":
		one.Layer = board.SilkLayer
	case layer == "F.Fab":
		one.Layer = board.FabLayer
	case layer == "F.CrtYd" || layer == "F.Courtyard" || layer == "B.CrtYd" ||
		layer == "B.Courtyard":
		one.Layer = board.CourtyardLayer
	default:
		return nil
	}
	points, closed, err := shapeOf(n, kind)
	if err != nil {
		return err
	}
	width, err := strokeWidth(n)
	if err != nil {
		return err
	}
	one.Width = int64(math.Round(width))
	if closed {
		points = append(points, points[0])
	}
	points = thinned(points)
	for i := 1; i < len(points); i++ {
		one.A, one.B = nanometres(points[i-1]), nanometres(points[i])
		if strings.HasPrefix(layer, "B.") {
			r.back = append(r.back, one)
		} else {
			r.drawing.Graphics = append(r.drawing.Graphics, one)
		}
	}
	if len(r.drawing.Graphics)+len(r.back) > maxGraphics {
		return bad(n, "the drawing has more than %d lines", maxGraphics)
	}
	return nil
}

// thinned drops each point of a chain that is within 20 µm of the last kept point, because
// silkscreen has no finer detail. It keeps both ends.
func thinned(points []vec) []vec {
	out := points[:1:1]
	for i, p := range points[1:] {
		last := out[len(out)-1]
		if i+2 == len(points) || math.Hypot(p.x-last.x, p.y-last.y) > 20e3 {
			out = append(out, p)
		}
	}
	return out
}

func (r *fileReader) model(n *sexpr.Node) error {
	if len(r.drawing.Models) == maxModels {
		return bad(n, "there are more than %d 3D models", maxModels)
	}
	m := board.Model{Path: n.At(1), Scale: [3]float64{1, 1, 1}}
	if len(m.Path) > maxPath {
		return bad(n, "the path of a 3D model has %d characters; at most %d are allowed",
			len(m.Path), maxPath)
	}
	for _, p := range []struct {
		head string
		to   *[3]float64
		unit float64
	}{{"offset", &m.Offset, 1}, {"at", &m.Offset, 25.4}, {"scale", &m.Scale, 1},
		{"rotate", &m.Rotate, 1}} {
		list := n.First(p.head)
		if list == nil || list.First("xyz") == nil {
			continue
		}
		v, err := numbers(list.First("xyz"), 3)
		if err != nil {
			return err
		}
		if len(v) != 3 {
			return bad(list, "(xyz ...) has %d numbers, not 3", len(v))
		}
		for i := range v {
			p.to[i] = v[i] * p.unit // KiCad 4 and 5 write (at ...) in inches
		}
	}
	r.drawing.Models = append(r.drawing.Models, m)
	return nil
}

// zone parses a keepout. The bounding box of its polygon becomes the keepout area.
func (r *fileReader) zone(n *sexpr.Node) error {
	rules := n.First("keepout")
	if rules == nil {
		return bad(n, "a zone of copper in a footprint is not read; only keepouts are")
	}
	if len(r.f.Keepouts) == maxZones {
		return bad(n, "there are more than %d keepouts", maxZones)
	}
	k := board.FootprintKeepout{}
	forbids := func(what string) bool { v, _ := rules.Text(what); return v == "not_allowed" }
	k.Tracks, k.Vias, k.Copper = forbids("tracks"), forbids("vias"), forbids("copperpour")
	words := []string{n.First("layer").At(1)}
	if l := n.First("layers"); l != nil {
		for i := range l.List[1:] {
			words = append(words, l.At(i+1))
		}
	}
	k.Front, k.Back = sidesOf(words, ".Cu")
	area := n.First("polygon")
	if area == nil {
		return bad(n, "the keepout has no (polygon ...)")
	}
	points, _, err := shapeOf(area, "poly")
	if err != nil {
		return err
	}
	k.Area = boxOf(points)
	if r.turn != 0 {
		r.note(
			"the keepouts are left out: the footprint was copied from a board where it was turned")
		return nil
	}
	if k.Tracks || k.Vias || k.Copper {
		r.f.Keepouts = append(r.f.Keepouts, k)
	}
	return nil
}

func boxOf(points []vec) board.Rect {
	g := make(board.Polygon, len(points))
	for i, p := range points {
		g[i] = nanometres(p)
	}
	return g.Bounds()
}

// sidesOf reports whether the layer names with the suffix kind, for example .Cu, include the front
// and the back.
func sidesOf(layers []string, kind string) (front, back bool) {
	for _, l := range layers {
		side, ok := strings.CutSuffix(l, kind)
		if !ok {
			continue
		}
		front = front || side == "F" || side == "*" || side == "F&B"
		back = back || side == "B" || side == "*" || side == "F&B"
	}
	return front, back
}

// finish returns the footprint with its body, courtyard, origin and note set.
func (r *fileReader) finish() (*board.Footprint, error) {
	f := &r.f
	joinUnnumbered(f.Pads)
	if len(f.Pads) == 0 && len(r.drawing.Graphics) == 0 {
		return nil, faulty("", "the footprint has no pads and no drawing")
	}
	f.Body = r.extent(board.FabLayer, board.SilkLayer)
	if f.Body == (board.Rect{}) {
		f.Body = padBox(f.Pads)
	}
	yard := r.extent(board.CourtyardLayer)
	if yard == (board.Rect{}) && len(r.back) > 0 {
		r.drawing.Graphics = append(r.drawing.Graphics, r.back...)
		yard = r.extent(board.CourtyardLayer)
	}
	drawn := yard
	if yard != (board.Rect{}) && !closed(r.drawing.Graphics, board.CourtyardLayer) {
		r.note("its courtyard is not closed; the box around it stands for it")
		r.drawing.Graphics = slices.DeleteFunc(r.drawing.Graphics, func(g board.Graphic) bool {
			return g.Layer == board.CourtyardLayer
		})
	}
	recentre(f)
	off := r.drawing.Origin
	shift := func(b board.Rect) board.Rect {
		return board.Rect{Min: b.Min.Add(off), Max: b.Max.Add(off)}
	}
	done := finish(*f, true) // The default courtyard surrounds body and pads.
	if drawn != (board.Rect{}) {
		done.Courtyard = shift(drawn)
	} else {
		r.note("it has no courtyard; %g mm around its body, or its pads without one, are kept free",
			excess)
	}
	if len(f.Pads) > 0 {
		// Pads of two parts with touching courtyards must keep the usual clearance.
		around := union(done.Courtyard, padBox(done.Pads).Grown(board.MM(padMargin)))
		if around != done.Courtyard {
			if drawn != (board.Rect{}) {
				r.note("its courtyard is extended to %g mm around the pads", padMargin)
			}
			done.Courtyard = around
		}
	}
	if drawn != (board.Rect{}) && done.Courtyard == shift(drawn) {
		done.CourtyardOutline = courtyardOutline(done)
	}
	if most := max(done.Courtyard.Width(), done.Courtyard.Height()); most > board.MM(maxExtent) {
		return nil, faulty("", "the footprint measures %.1f mm; the largest board has %g mm",
			board.ToMM(most), maxExtent)
	}
	r.setMatingSide(done)
	done.Polar = len(f.Pads) > 1
	pairs, few := touching(done.Pads)
	if !few {
		return nil, faulty("", "more than %d pairs of pads overlap", maxTouching)
	}
	done.Touching = pairs
	sort.Strings(r.notes)
	done.Note = strings.Join(r.notes, "; ")
	return done, nil
}

// maxOutlineShare is the largest area of a courtyard outline as a share of its bounding box. A
// larger courtyard is replaced by its box, because placement is faster with one rectangle.
const maxOutlineShare = 0.85

// courtyardOutline returns the drawn courtyard of a footprint if it is one polygon with horizontal
// and vertical sides around all pads, and much smaller than its bounding box. Otherwise it returns
// nil.
func courtyardOutline(f *board.Footprint) board.Polygon {
	const maxSides = 16
	var lines []board.Graphic
	for _, g := range f.Drawing.Graphics {
		if g.Layer == board.CourtyardLayer {
			lines = append(lines, g)
		}
	}
	if len(lines) < 6 || len(lines) > maxSides {
		return nil
	}
	outline := board.Polygon{lines[0].A}
	for at := lines[0].A; len(lines) > 0; {
		next := slices.IndexFunc(lines, func(g board.Graphic) bool {
			return g.A == at || g.B == at
		})
		if next < 0 {
			return nil
		}
		a, b := lines[next].A, lines[next].B
		if a.X != b.X && a.Y != b.Y {
			return nil
		}
		if at == a {
			at = b
		} else {
			at = a
		}
		outline = append(outline, at)
		lines = slices.Delete(lines, next, next+1)
	}
	last := len(outline) - 1
	if outline[0] != outline[last] {
		return nil
	}
	outline = outline[:last]
	if i, _ := outline.Crossing(); i >= 0 {
		return nil
	}
	done := *f
	done.CourtyardOutline = outline
	box := f.Courtyard
	if done.CourtyardArea() > maxOutlineShare*float64(box.Width())*float64(box.Height()) {
		return nil
	}
	for _, p := range f.Pads {
		around, inside := bounds(p).Grown(board.MM(padMargin)), 0.0
		for _, r := range outline.Boxes() {
			w := min(r.Max.X, around.Max.X) - max(r.Min.X, around.Min.X)
			h := min(r.Max.Y, around.Max.Y) - max(r.Min.Y, around.Min.Y)
			inside += float64(max(0, w)) * float64(max(0, h))
		}
		if inside < float64(around.Width())*float64(around.Height()) {
			return nil
		}
	}
	return outline
}

// closed reports whether the lines of a layer form closed outlines. This holds if an even number of
// lines ends at each point of a 10 µm grid.
func closed(lines []board.Graphic, layer board.GraphicLayer) bool {
	const grid = 10 * board.Micrometre
	ends := map[board.Point]int{}
	for _, g := range lines {
		if g.Layer == layer {
			ends[board.Point{X: (g.A.X + grid/2) / grid, Y: (g.A.Y + grid/2) / grid}]++
			ends[board.Point{X: (g.B.X + grid/2) / grid, Y: (g.B.Y + grid/2) / grid}]++
		}
	}
	for _, n := range ends {
		if n%2 != 0 {
			return false
		}
	}
	return true
}

// padMargin is the minimum distance from the pads to the courtyard [mm], half of the usual
// clearance.
const padMargin = 0.1

func padBox(pads []board.FootprintPad) board.Rect {
	if len(pads) == 0 {
		return board.Rect{}
	}
	b := bounds(pads[0])
	for _, p := range pads[1:] {
		b = union(b, bounds(p))
	}
	return b
}

// extent returns the bounding box of the graphics on the first given layer that has graphics, or an
// empty rectangle if none has.
func (r *fileReader) extent(layers ...board.GraphicLayer) board.Rect {
	for _, l := range layers {
		var g board.Polygon
		for _, s := range r.drawing.Graphics {
			if s.Layer == l {
				g = append(g, s.A, s.B)
			}
		}
		if len(g) > 0 {
			return g.Bounds()
		}
	}
	return board.Rect{}
}

// padCopper is the copper of a pad, precomputed for the comparison with all other pads.
type padCopper struct {
	layers  board.LayerSet
	box     board.Rect
	outline []vec
}

func coppersOf(pads []board.FootprintPad) []padCopper {
	out := make([]padCopper, len(pads))
	for i, p := range pads {
		out[i] = padCopper{p.CopperLayers(board.TwoLayers(), board.TopSide), bounds(p), outline(p)}
	}
	return out
}

// meets reports whether the copper of two pads overlaps on a layer.
func (c *padCopper) meets(o *padCopper) bool {
	return c.layers&o.layers != 0 && c.box.Overlaps(o.box) &&
		!separated(c.outline, o.outline) && !separated(o.outline, c.outline)
}

// joinUnnumbered gives each unnumbered pad the number of a pad whose copper it overlaps, directly
// or through other unnumbered pads.
func joinUnnumbered(pads []board.FootprintPad) {
	var numbered, free []int
	for i, p := range pads {
		switch {
		case p.Number != "":
			numbered = append(numbered, i)
		case !p.NonPlated:
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return
	}
	coppers := coppersOf(pads)
	for len(numbered) > 0 && len(free) > 0 {
		i := numbered[0]
		numbered = numbered[1:]
		var rest []int
		for _, k := range free {
			if !coppers[i].meets(&coppers[k]) {
				rest = append(rest, k)
				continue
			}
			pads[k].Number = pads[i].Number
			numbered = append(numbered, k)
		}
		free = rest
	}
}

// maxTouching is the maximum number of overlapping pairs of pad numbers.
const maxTouching = 500

// touching returns each pair of pad numbers whose copper overlaps. The bool is false if there are
// more than maxTouching pairs.
func touching(pads []board.FootprintPad) ([][2]string, bool) {
	var out [][2]string
	known := map[[2]string]bool{}
	coppers := coppersOf(pads)
	for i, a := range pads {
		for j := i + 1; j < len(pads); j++ {
			b := &pads[j]
			if a.Number == "" || b.Number == "" || a.Number == b.Number ||
				!coppers[i].box.Overlaps(coppers[j].box) {
				continue
			}
			pair := [2]string{min(a.Number, b.Number), max(a.Number, b.Number)}
			if known[pair] || !coppers[i].meets(&coppers[j]) {
				continue
			}
			if len(out) == maxTouching {
				return nil, false
			}
			known[pair] = true
			out = append(out, pair)
		}
	}
	return out, true
}
