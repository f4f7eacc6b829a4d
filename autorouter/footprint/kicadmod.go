package footprint

import (
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
	"slipstick/internal/text"
)

// Limits of a footprint file. The largest file in KiCad's libraries has 250 kB.
const (
	maxGraphics = 20_000 // number of lines in the drawing, including the chords of arcs
	maxPieces   = 2000   // total number of convex pieces of pads and openings
	maxCorners  = 400    // corners of a polygon
	maxModels   = 8
	maxTexts    = 200
	minText     = 0.1 // height of a text [mm]
	maxText     = 50.0
	// maxCutCorners is the largest number of corners on Edge.Cuts, including those of chords.
	maxCutCorners = 2000
	maxZones      = 32
	maxPath       = 512      // length of the path of a 3D model [bytes]
	newest        = 20241229 // file format version of KiCad 9, a date
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
func FromKiCad(name, file string) (*board.Footprint, error) {
	if !fileName.MatchString(name) {
		return nil, specErrorf("", "the name must be 1 to 128 letters, digits, spaces and _ . , : ; + - ( ) [ ] { } & # @ = ~ %% ^ ! $")
	}
	root, err := sexpr.Parse(file, "footprint", fileLimits)
	if err != nil {
		return nil, specErrorf("", "%v", err)
	}
	if head := root.Head(); head != "footprint" && head != "module" {
		return nil, specErrorf("", "line %d: expected (footprint ...) or (module ...), found (%s",
			root.Line, text.Word(head))
	}
	r := fileReader{root: root, drawing: &board.Drawing{}}
	r.f = board.Footprint{Name: name, Polar: true, Aliases: map[string]string{}, Drawing: r.drawing}
	if err := r.read(); err != nil {
		return nil, specError(err)
	}
	return r.finish()
}

// specError returns the error of a file as a *SpecError with its line, if it has one.
func specError(err error) error {
	var at *fileError
	if errors.As(err, &at) {
		return specErrorf("", "line %d: %s", at.line, at.detail)
	}
	return specErrorf("", "%v", err)
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
	corners int // number of points in edges
	notes   []string
	back    []board.Graphic // lines of the courtyard on the back
	edges   [][]vec         // open and closed chains on Edge.Cuts; a closed one repeats its start
	// ringless lists the plated pads that their hole fills.
	ringless []ringlessPad
	ties     tieRules
	copper   []drawnCopper
}

func (r *fileReader) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
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
	if attr := r.root.First("attr"); attr != nil {
		for i := range attr.List {
			switch attr.At(i) {
			case "exclude_from_bom":
				r.f.NoBOM = true
			case "exclude_from_pos_files":
				r.f.NoPlacement = true
			case "virtual": // both, before KiCad 6
				r.f.NoBOM, r.f.NoPlacement = true, true
			}
		}
	}
	r.setTieRules()
	for _, n := range r.root.List {
		if err := r.item(n); err != nil {
			return err
		}
	}
	return r.addRingless()
}

func (r *fileReader) item(n *sexpr.Node) error {
	switch head := n.Head(); head {
	case "pad":
		return r.pad(n)
	case "fp_line", "fp_rect", "fp_circle", "fp_arc", "fp_poly", "fp_curve":
		return r.graphic(n, strings.TrimPrefix(head, "fp_"))
	case "fp_text":
		return r.text(n)
	case "model":
		return r.model(n)
	case "zone":
		return r.zone(n)
	}
	return nil
}

func (r *fileReader) graphic(n *sexpr.Node, kind string) error {
	layer, _ := n.Text("layer")
	if layer == "" {
		layer = n.First("layers").At(1)
	}
	one := board.Graphic{}
	if side, kindOfLayer, ok := strings.Cut(layer, "."); ok && (kindOfLayer == "Mask" ||
		kindOfLayer == "Paste") {
		return r.drawnOpening(n, kind, layer, side == "B", kindOfLayer == "Mask")
	}
	switch {
	case strings.HasSuffix(layer, ".Cu"):
		return r.tieGraphic(n, kind, layer)
	case layer == "F.SilkS" || layer == "F.Silkscreen":
		one.Layer = board.SilkLayer
	case layer == "B.SilkS" || layer == "B.Silkscreen":
		one.Layer = board.BackSilkLayer
	case layer == "F.Fab":
		one.Layer = board.FabLayer
	case layer == "F.CrtYd" || layer == "F.Courtyard" || layer == "B.CrtYd" ||
		layer == "B.Courtyard":
		one.Layer = board.CourtyardLayer
	case layer == "Edge.Cuts":
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
	if layer == "Edge.Cuts" {
		if r.corners += len(points); r.corners > maxCutCorners {
			return bad(n, "the drawing on Edge.Cuts has more than %d corners", maxCutCorners)
		}
		r.edges = append(r.edges, points)
		return nil
	}
	for i := 1; i < len(points); i++ {
		one.A, one.B = nanometres(points[i-1]), nanometres(points[i])
		if one.Layer == board.CourtyardLayer && strings.HasPrefix(layer, "B.") {
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

// drawableText matches the texts that have a glyph for each letter.
var drawableText = regexp.MustCompile(`^[A-Za-z0-9_+./-]{1,32}$`)

// text reads a text on the silkscreen. References and values are written in their own way.
func (r *fileReader) text(n *sexpr.Node) error {
	layer, _ := n.Text("layer")
	shown := n.At(2)
	hidden := slices.ContainsFunc(n.List, func(c *sexpr.Node) bool {
		return c.Leaf && c.Word == "hide" || c.Head() == "hide" && c.At(1) == "yes"
	})
	switch {
	case n.At(1) != "user" || !strings.HasSuffix(layer, ".SilkS") &&
		!strings.HasSuffix(layer, ".Silkscreen") || hidden || shown == "":
		return nil
	case shown == "${REFERENCE}" || shown == "%R":
		return nil
	case strings.HasPrefix(layer, "B.") || !drawableText.MatchString(shown):
		r.note("the text %s on %s is left out", text.Word(shown), text.Word(layer))
		return nil
	case len(r.drawing.Texts) == maxTexts:
		return bad(n, "there are more than %d texts on the silkscreen", maxTexts)
	}
	at, err := point(n, "at")
	if err != nil {
		return err
	}
	v, err := numbers(n.First("at"), 3)
	if err != nil {
		return err
	}
	t := board.DrawnText{Text: shown, At: nanometres(at), Height: board.Millimetre}
	if len(v) > 2 {
		t.Rotation = turn(v[2] - r.turn)
	}
	// (at 0 0 90 unlocked) up to KiCad 7, (unlocked yes) since
	t.Unlocked = slices.ContainsFunc(slices.Concat(n.First("at").List, n.List),
		func(c *sexpr.Node) bool {
			return c.Leaf && c.Word == "unlocked" || c.Head() == "unlocked" && c.At(1) == "yes"
		})
	effects := n.First("effects")
	if effects == nil {
		effects = &sexpr.Node{}
	}
	if font := effects.First("font"); font != nil && font.First("size") != nil {
		size, err := numbers(font.First("size"), 2)
		if err != nil {
			return err
		}
		if len(size) == 0 || !within(size[0], minText, maxText) {
			return bad(font, "the height of a text must be %g to %g mm", minText, maxText)
		}
		t.Height = board.MM(size[0])
	}
	if justify := effects.First("justify"); justify != nil {
		for i := range justify.List {
			switch justify.At(i) {
			case "left":
				t.Align = -1
			case "right":
				t.Align = 1
			}
		}
	}
	r.drawing.Texts = append(r.drawing.Texts, t)
	return nil
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

// zone parses a keepout. A polygon of too many corners is replaced by its bounding box.
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
	k.Tracks, k.Vias, k.Pour = forbids("tracks"), forbids("vias"), forbids("copperpour")
	k.Copper = k.Tracks && k.Vias && k.Pour && forbids("pads")
	words := []string{n.First("layer").At(1)}
	if l := n.First("layers"); l != nil {
		for i := range l.List[1:] {
			words = append(words, l.At(i+1))
		}
	}
	if k.Front, k.Back = sidesOf(words, ".Cu"); !k.Front && !k.Back {
		r.note("a keepout of inner layers alone is left out")
		return nil
	}
	area := n.First("polygon")
	if area == nil {
		return bad(n, "the keepout has no (polygon ...)")
	}
	points, _, err := shapeOf(area, "poly")
	if err != nil {
		return err
	}
	k.Area = boxOf(points)
	switch outline := polygonOf(points); {
	case len(outline) > maxCorners:
		r.note("a keepout of %d corners is replaced by the box around it", len(outline))
	case !outline.IsRectangle():
		k.Outline = outline
	}
	if r.turn != 0 {
		r.note(
			"the keepouts are left out: the footprint was copied from a board where it was turned")
		return nil
	}
	if k.Tracks || k.Vias || k.Pour {
		r.f.Keepouts = append(r.f.Keepouts, k)
	}
	return nil
}

func boxOf(points []vec) board.Rect { return polygonOf(points).Bounds() }

func polygonOf(points []vec) board.Polygon {
	g := make(board.Polygon, len(points))
	for i, p := range points {
		g[i] = nanometres(p)
	}
	return g
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
	if err := r.addTies(); err != nil {
		return nil, specError(err)
	}
	if len(f.Pads) == 0 && len(r.drawing.Graphics) == 0 {
		return nil, specErrorf("", "the footprint has no pads and no drawing")
	}
	f.Body = r.extent(board.FabLayer, board.SilkLayer)
	if f.Body == (board.Rect{}) {
		f.Body = padBox(f.Pads)
	}
	courtyard := r.extent(board.CourtyardLayer)
	if courtyard == (board.Rect{}) && len(r.back) > 0 {
		r.drawing.Graphics = append(r.drawing.Graphics, r.back...)
		courtyard = r.extent(board.CourtyardLayer)
	}
	drawn := courtyard
	if courtyard != (board.Rect{}) && !closed(r.drawing.Graphics, board.CourtyardLayer) {
		r.note("its courtyard is not closed; the box around it stands for it")
		r.drawing.Graphics = slices.DeleteFunc(r.drawing.Graphics, func(g board.Graphic) bool {
			return g.Layer == board.CourtyardLayer
		})
	}
	r.setCutouts()
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
		return nil, specErrorf("", "the footprint measures %.1f mm; the largest board has %g mm",
			board.ToMM(most), maxExtent)
	}
	r.setMatingSide(done)
	if !r.setTouching(done) {
		return nil, specErrorf("", "more than %d pairs of pads overlap", maxTouching)
	}
	done.Polar = len(f.Pads) > 1 && (len(f.Pads) > 2 || !isUnpolarized(f.Name)) && !joinsAll(done)
	sort.Strings(r.notes)
	done.Note = strings.Join(r.notes, "; ")
	return done, nil
}

// maxOutlineShare is the largest area of a courtyard outline as a share of its bounding box. A
// larger courtyard is replaced by its box, because placement is faster with one rectangle.
const maxOutlineShare = 0.85

// courtyardOutline returns the drawn courtyard of a footprint if it is one polygon with horizontal
// and vertical sides around all pads. It must be much smaller than its bounding box. Otherwise it
// returns nil.
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
