package export

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// quoted returns a quoted string of a KiCad s-expression; control characters become blanks.
func quoted(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// letters holds the first letters of KiCad's layer names, by side.
var letters = [2]string{"F", "B"}

var kicadShape = [...]string{"rect", "roundrect", "circle", "oval", "custom"}

// kicadBoard writes a board file of version 20211014 (KiCad 6, "Board File Format"). The y axis
// points down in the file.
type kicadBoard struct {
	strings.Builder
	j      *job
	copper board.Stackup
	height int64
}

func (k *kicadBoard) point(p board.Point) string {
	return short(100_000_000+p.X) + " " + short(100_000_000+k.height-p.Y)
}

func (k *kicadBoard) put(format string, args ...any) { fmt.Fprintf(k, format+"\n", args...) }

// span returns the KiCad names of a via's outermost layers, each quoted.
func (k *kicadBoard) span(v *board.Via) string {
	layers := slices.Collect(k.j.ViaLayers(v).All())
	return fmt.Sprintf(" %q %q", k.copper[layers[0]].KiCad, k.copper[layers[len(layers)-1]].KiCad)
}

func (j *job) kicad() string {
	k := &kicadBoard{j: j, copper: j.Copper(), height: j.Outline.Bounds().Max.Y}
	k.put("(kicad_pcb (version 20211014) (generator slipstick)\n (general (thickness 1.6))\n (paper \"A3\")")
	k.WriteString(" (layers")
	for l, c := range k.copper {
		use := "signal"
		if j.Rules.PlaneLayers().Has(board.Layer(l)) {
			use = "power"
		}
		fmt.Fprintf(k, " (%d %q %s)", c.ID, c.KiCad, use)
	}
	k.put(` (34 "B.Paste" user) (35 "F.Paste" user) (36 "B.SilkS" user) (37 "F.SilkS" user) (38 "B.Mask" user) (39 "F.Mask" user) (44 "Edge.Cuts" user) (46 "B.CrtYd" user) (47 "F.CrtYd" user) (48 "B.Fab" user) (49 "F.Fab" user))`)
	k.setup()
	k.put(` (net 0 "")`)
	for i, n := range j.Nets {
		k.put(" (net %d %s)", i+1, quoted(n.Name))
	}
	k.classes()
	for i := range j.Parts {
		if j.ctx.Err() != nil {
			return ""
		}
		k.footprint(i)
	}
	taken := map[string]bool{}
	for i := range j.Parts {
		taken[strings.ToUpper(j.Parts[i].Ref)] = true
	}
	number := 0
	for _, h := range j.Holes {
		d := short(h.Diameter)
		for number++; taken[fmt.Sprintf("H%d", number)]; {
			number++
		}
		k.put(` (footprint "slipstick:MountingHole" (layer "F.Cu") (at %s) (attr exclude_from_pos_files exclude_from_bom)`, k.point(h.At))
		k.put(`  (fp_text reference "H%d" (at 0 0) (layer "F.Fab") hide (effects (font (size 1 1) (thickness 0.15))))`, number)
		k.put(`  (pad "" np_thru_hole circle (at 0 0) (size %s %s) (drill %s) (layers *.Cu *.Mask) (clearance %s)))`, d, d, d, short(max(j.Rules.HoleClearance, h.Keepout)))
	}
	k.ruleAreas()
	for i, a := range j.Outline {
		k.put(` (gr_line (start %s) (end %s) (layer "Edge.Cuts") (width 0.1))`, k.point(a),
			k.point(j.Outline[(i+1)%len(j.Outline)]))
	}
	for _, t := range j.Tracks {
		k.put(` (segment (start %s) (end %s) (width %s) (layer %q) (net %d))`, k.point(t.A),
			k.point(t.B), short(t.Width), k.copper[t.Layer].KiCad, t.Net+1)
	}
	for _, v := range j.Vias {
		k.put(` (via (at %s) (size %s) (drill %s) (layers%s) (net %d))`, k.point(v.At),
			short(v.Diameter), short(v.Drill), k.span(&v), v.Net+1)
	}
	for i := range j.Zones {
		if j.ctx.Err() != nil {
			return ""
		}
		k.zone(i)
	}
	k.put(")")
	return k.String()
}

// setup writes the design rules. KiCad 6 keeps rules in the project file. For a board without a
// project it reads them from the board file under the names of version 5; missing rules get
// defaults.
func (k *kicadBoard) setup() {
	r := &k.j.Rules
	k.put(" (setup (pad_to_mask_clearance %s) (solder_mask_min_width %s)", short(r.MaskExpansion),
		short(r.MaskWeb))
	k.put("  (clearance_min %s) (trace_min %s) (via_min_size %s) (via_min_annulus %s) (via_min_drill %s) (through_hole_min %s) (hole_to_hole_min %s))",
		short(r.MinGap), short(r.MinTrack), short(r.MinDrill+2*r.MinRing), short(r.MinRing),
		short(r.MinDrill), short(r.MinDrill), short(r.HoleToHole))
}

// classes writes the net classes and their nets as (net_class ...) lists, the form of KiCad 5. The
// first class must be named Default.
func (k *kicadBoard) classes() {
	for i, c := range k.j.Rules.Classes {
		name := c.Name
		if i == 0 {
			name = "Default"
		}
		k.put(` (net_class %s "" (clearance %s) (trace_width %s) (via_dia %s) (via_drill %s) (uvia_dia %s) (uvia_drill %s)`,
			quoted(name), short(c.Clearance), short(c.TrackWidth), short(c.ViaDiameter),
			short(c.ViaDrill), short(c.ViaDiameter), short(c.ViaDrill))
		for n := range k.j.Nets {
			if k.j.Rules.Class(&k.j.Nets[n]).Name == c.Name {
				k.put("  (add_net %s)", quoted(k.j.Nets[n].Name))
			}
		}
		k.put(" )")
	}
}

// footprint writes a part. Pad positions are rotated back into footprint coordinates. KiCad stores
// the pads of a part on the bottom as seen from the top, so no coordinate is mirrored. KiCad
// mirrors such a part in y and package board in x, so the angles differ by 180°.
func (k *kicadBoard) footprint(i int) {
	p := &k.j.Parts[i]
	drawing := p.Footprint.Drawing
	origin, name := p.At, "slipstick:"+p.Footprint.Name
	if drawing != nil { // an imported footprint keeps its name and its drawing's origin
		origin, name = onBoard(p, drawing.Origin), p.Footprint.Name
	}
	side, attr := letters[p.Side], "smd"
	justify, turn := "", p.Rotation
	if p.Side == board.BottomSide {
		justify, turn = " (justify mirror)", math.Mod(p.Rotation+180, 360)
	}
	if p.Footprint.Tht {
		attr = "through_hole"
	}
	if p.NoPlacement {
		attr += " exclude_from_pos_files"
	}
	if p.NoBOM {
		attr += " exclude_from_bom"
	}
	local := func(q board.Point) string {
		d := q.Sub(origin).Rotated(-turn)
		return short(d.X) + " " + short(-d.Y)
	}
	k.put(` (footprint %s (layer "%s.Cu") (at %s %s)`, quoted(name), side, k.point(origin),
		degrees(turn))
	if len(p.Footprint.Ties) > 0 {
		k.put(`  (tags "net tie")`) // KiCad 6 and later recognize net ties by this word
	}
	k.put(`  (attr %s)`, attr)
	k.texts(i, side, justify, local)
	lines := func(g board.Polygon, layer, width string) {
		for n, a := range g {
			k.put(`  (fp_line (start %s) (end %s) (layer "%s.%s") (width %s))`, local(a),
				local(g[(n+1)%len(g)]), side, layer, width)
		}
	}
	k.drawn(p, side, local)
	for _, g := range p.Cutouts() {
		for n, a := range g {
			k.put(`  (fp_line (start %s) (end %s) (layer "Edge.Cuts") (width 0.1))`, local(a),
				local(g[(n+1)%len(g)]))
		}
	}
	switch {
	case p.Footprint.Stacked:
		for _, courtyard := range board.CourtyardsOf(p) {
			lines(courtyard, "CrtYd", "0.05")
		}
	case !drawnOn(p.Footprint, board.CourtyardLayer):
		lines(board.CourtyardOf(p), "CrtYd", "0.05")
	}
	if !drawnOn(p.Footprint, board.FabLayer) {
		lines(placed(p, p.Footprint.Body), "Fab", "0.1")
	}
	for _, silk := range board.Sides() {
		for _, s := range k.j.silkscreens[silk].strokes {
			if s.part == i {
				k.put(`  (fp_line (start %s) (end %s) (layer "%s.SilkS") (width %s))`, local(s.a),
					local(s.b), letters[silk], short(s.width))
			}
		}
	}
	for n := 0; n < len(p.Pads); {
		n += k.pad(p, n, local(p.Pads[n].At))
	}
	for n := range p.Pads {
		if o := &p.Pads[n]; o.Tie {
			layer := letters[board.TopSide]
			if !o.On(board.Top) {
				layer = letters[board.BottomSide]
			}
			corners := o.ConvexCorners()
			k.filled(corners[:], []string{layer + ".Cu"}, local)
		}
	}
	k.apertures(p, local)
	k.models(p)
	k.put(" )")
}

// drawnOn reports whether a footprint contains graphics on a layer.
func drawnOn(f *board.Footprint, layer board.GraphicLayer) bool {
	on := func(g board.Graphic) bool { return g.Layer == layer }
	return f.Drawing != nil && slices.ContainsFunc(f.Drawing.Graphics, on)
}

// drawn writes the courtyard and fabrication graphics of an imported footprint. Its silkscreen is
// written with the Silkscreen strokes, which avoid mask openings.
func (k *kicadBoard) drawn(p *board.Part, side string, local func(board.Point) string) {
	if p.Footprint.Drawing == nil {
		return
	}
	for _, g := range p.Footprint.Drawing.Graphics {
		layer := "Fab"
		switch g.Layer {
		case board.CourtyardLayer:
			if layer = "CrtYd"; p.Footprint.Stacked {
				continue
			}
		case board.SilkLayer, board.BackSilkLayer:
			continue
		}
		k.put(`  (fp_line (start %s) (end %s) (layer "%s.%s") (width %s))`,
			local(onBoard(p, g.A)), local(onBoard(p, g.B)), side, layer,
			short(max(g.Width, 50*board.Micrometre)))
	}
}

// apertures writes the mask and stencil openings that have no copper.
func (k *kicadBoard) apertures(p *board.Part, local func(board.Point) string) {
	for _, o := range aperturesOf(p) {
		side := letters[board.TopSide]
		if !o.On(board.Top) {
			side = letters[board.BottomSide]
		}
		var layers []string
		if o.mask {
			layers = append(layers, side+".Mask")
		}
		if o.paste {
			layers = append(layers, side+".Paste")
		}
		if o.drawn {
			k.filled(landOf(&o.Pad, 0).contour(), layers, local)
			continue
		}
		body, shape := k.padBody(&o.Pad)
		k.put(`  (pad "" smd %s (at %s %s)%s (layers "%s")%s)`, shape, local(o.At),
			degrees(o.Rotation), body, strings.Join(layers, `" "`), maskMargin(&o.Pad))
	}
}

// filled writes a polygon as a graphic on each of the given layers.
func (k *kicadBoard) filled(g board.Polygon, layers []string, local func(board.Point) string) {
	var points strings.Builder
	for _, c := range g {
		points.WriteString(" (xy " + local(c) + ")")
	}
	for _, layer := range layers {
		k.put(`  (fp_poly (pts%s) (layer %q) (width 0) (fill solid))`, points.String(), layer)
	}
}

// maskMargin returns the mask margin of a pad as an s-expression, or "" if it has none.
func maskMargin(p *board.Pad) string {
	if p.MaskMargin == 0 {
		return ""
	}
	return fmt.Sprintf(" (solder_mask_margin %s)", short(p.MaskMargin))
}

// models writes the references to 3D models.
func (k *kicadBoard) models(p *board.Part) {
	if p.Footprint.Drawing == nil {
		return
	}
	xyz := func(v [3]float64) string {
		return fmt.Sprintf("(xyz %s %s %s)", degrees(v[0]), degrees(v[1]), degrees(v[2]))
	}
	for _, m := range p.Footprint.Drawing.Models {
		k.put("  (model %s (offset %s) (scale %s) (rotate %s))",
			quoted(m.Path), xyz(m.Offset), xyz(m.Scale), xyz(m.Rotate))
	}
}

// texts writes the value, and the reference at its silkscreen position. A reference without a
// silkscreen position is hidden. KiCad's letters are wider than those of package export at the same
// height.
func (k *kicadBoard) texts(i int, side, justify string, local func(board.Point) string) {
	p := &k.j.Parts[i]
	at, turn, height, hide := p.At, 0, refHeights[0], " hide"
	for _, c := range k.j.silkscreens[p.Side].refTexts {
		if c.part == i {
			at, height, hide = c.at, c.height, ""
			if c.turned {
				turn = 90
			}
		}
	}
	k.put(`  (fp_text reference %s (at %s %d) (layer "%s.SilkS")%s (effects (font (size %s %s) (thickness %s))%s))`,
		quoted(p.Ref), local(at), turn, side, hide, short(height), short(height*8/10),
		short(silkWidth), justify)
	k.put(`  (fp_text value %s (at 0 0 0) (layer "%s.Fab") hide (effects (font (size 1 1) (thickness 0.15))%s))`, quoted(p.Value), side, justify)
}

// pad writes the pad at index n of a part and returns the number of pieces written. The pieces of
// one drawn pad become one pad of shape custom.
func (k *kicadBoard) pad(part *board.Part, n int, at string) int {
	p := &part.Pads[n]
	own, kind := *p, "smd"
	if p.Plated {
		kind = "thru_hole"
	} else if p.Drill > 0 || p.SlotW > 0 {
		kind = "np_thru_hole"
		if p.Drill > 0 {
			own.Width, own.Height, own.Shape = p.Drill, p.Drill, board.Circle
		}
	}
	count := 1
	for p.Group > 0 && n+count < len(part.Pads) && part.Pads[n+count].Group == p.Group {
		count++
	}
	body, shape := k.padBody(&own)
	drawn := n + count
	for part.Pads[drawn-1].Tie {
		drawn--
	}
	if drawn > n+1 {
		body, shape = k.customBody(part.Pads[n:drawn]), "custom"
	}
	extra := maskMargin(p)
	if c, ok := k.ownClearance(part, n); ok {
		extra += fmt.Sprintf(" (clearance %s)", short(c))
	}
	if p.Net >= 0 && p.Net < len(k.j.Nets) {
		extra += fmt.Sprintf(" (net %d %s)", p.Net+1, quoted(k.j.Nets[p.Net].Name))
	}
	switch {
	case p.Solid:
		extra += " (zone_connect 2)"
	case p.Spoke > k.j.Rules.ThermalSpoke:
		extra += fmt.Sprintf(" (zone_connect 1) (thermal_width %s)", short(p.Spoke))
	}
	number := p.Number
	if kind == "np_thru_hole" {
		number = ""
	}
	size, rest, _ := strings.Cut(body, ")")
	k.put("  (pad %s %s %s (at %s %s)%s) (layers %s)%s%s)",
		quoted(number), kind, shape, at, degrees(p.Rotation), size, k.padLayers(p, kind),
		rest, extra)
	return count
}

// padLayers returns the layers of a pad. A surface-mount pad may be on both sides, or on the side
// opposite its part.
func (k *kicadBoard) padLayers(p *board.Pad, kind string) string {
	if kind == "np_thru_hole" {
		return "*.Cu *.Mask"
	}
	name := func(layer string) string {
		switch {
		case !p.On(k.copper.Bottom()):
			return fmt.Sprintf("%q", "F."+layer)
		case !p.On(board.Top):
			return fmt.Sprintf("%q", "B."+layer)
		}
		return "*." + layer
	}
	out := name("Cu")
	if !p.Plated && p.Layers != k.copper.All() && p.Layers.Count() > 1 {
		out = `"F.Cu" "B.Cu"`
	}
	if kind == "smd" && !p.NoPaste && p.Layers.Count() == 1 {
		out += " " + name("Paste")
	}
	if !p.NoMask {
		out += " " + name("Mask")
	}
	return out
}

// padBody returns the size, drill and other shape parameters of a pad as s-expressions, and its
// KiCad shape name.
func (k *kicadBoard) padBody(p *board.Pad) (body, shape string) {
	shape = kicadShape[p.Shape]
	if p.Shape == board.Convex {
		return k.customBody([]board.Pad{*p}), shape
	}
	body = fmt.Sprintf(" (size %s %s)", short(p.Width), short(p.Height))
	offset := ""
	if p.Offset != (board.Point{}) {
		offset = fmt.Sprintf(" (offset %s %s)", short(p.Offset.X), short(-p.Offset.Y))
	}
	layers := ""
	switch {
	case p.SlotW > 0:
		layers = fmt.Sprintf(" (drill oval %s %s%s)", short(p.SlotW), short(p.SlotH), offset)
	case p.Drill > 0:
		layers = fmt.Sprintf(" (drill %s%s)", short(p.Drill), offset)
	case offset != "":
		layers = " (drill" + offset + ")"
	}
	if p.Shape == board.RoundRect {
		ratio := float64(p.Corner(p.Width, p.Height)) / float64(max(1, min(p.Width, p.Height)))
		layers += fmt.Sprintf(" (roundrect_rratio %.9f)", ratio)
	}
	return body + layers, shape
}

// anchorSize is the diameter of the dot that anchors a custom pad whose first piece is neither a
// circle nor a rectangle [nm].
const anchorSize = 10 * board.Micrometre

// customBody writes pieces as the primitives of one pad, in the coordinates of the first piece. The
// anchor is the first piece if KiCad allows that shape as an anchor, or else a dot inside it.
func (k *kicadBoard) customBody(pieces []board.Pad) string {
	first := &pieces[0]
	anchor, rest := "circle", pieces
	w, h := anchorSize, anchorSize
	if first.Offset == (board.Point{}) && (first.Shape == board.Circle ||
		first.Shape == board.RectShape) {
		w, h, rest = first.Width, first.Height, pieces[1:]
		if first.Shape == board.RectShape {
			anchor = "rect"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, " (size %s %s)", short(w), short(h))
	switch {
	case first.SlotW > 0:
		fmt.Fprintf(&b, " (drill oval %s %s)", short(first.SlotW), short(first.SlotH))
	case first.Drill > 0:
		fmt.Fprintf(&b, " (drill %s)", short(first.Drill))
	}
	fmt.Fprintf(&b, " (options (clearance outline) (anchor %s)) (primitives", anchor)
	for i := range rest {
		p := &rest[i]
		outline, width := board.Polygon(nil), int64(0)
		if p.Shape == board.Convex {
			corners := p.ConvexCorners()
			outline, width = corners[:], 2*p.Radius
		} else {
			outline = landOf(p, 0).contour()
		}
		b.WriteString(" (gr_poly (pts")
		for _, c := range outline {
			d := c.Sub(first.At).Rotated(-first.Rotation)
			fmt.Fprintf(&b, " (xy %s %s)", short(d.X), short(-d.Y))
		}
		fmt.Fprintf(&b, ") (width %s) (fill yes))", short(width))
	}
	return b.String() + ")"
}

// rounding is the margin for KiCad's approximation error of round corners and rotated pads [nm].
const rounding = 5 * board.Micrometre

// ownClearance returns the local clearance of a pad [nm], and whether the pad needs one. A pad
// needs a local clearance if another pin of its part is closer than the net class allows. The
// package determines this distance, so the design rule check ignores the pair. KiCad applies the
// local clearance of either pad to the pair. Other pads have no local clearance, because it would
// apply to all other copper too. An unplated hole has the hole clearance instead of a class
// clearance.
func (k *kicadBoard) ownClearance(part *board.Part, n int) (int64, bool) {
	p := &part.Pads[n]
	if p.Layers == 0 {
		return k.j.Rules.HoleClearance, true
	}
	want := k.clearance(p.Net)
	least := int64(math.MaxInt64)
	for i := range part.Pads {
		o := &part.Pads[i]
		if i == n || o.Net == p.Net && (p.Net != board.NoNet || o.Number == p.Number) ||
			p.Layers&o.Layers == 0 || part.Ties(p.Number, o.Number) {
			continue
		}
		a, b := p.Copper(0), o.Copper(0)
		if gap := int64(geom.Distance(&a, &b)) - rounding; gap < want {
			least = min(least, max(gap, 1*board.Micrometre))
		}
	}
	return least, least < math.MaxInt64
}

func (k *kicadBoard) clearance(net int) int64 {
	if net < 0 || net >= len(k.j.Nets) {
		return k.j.Rules.Classes[0].Clearance
	}
	return k.j.Rules.Class(&k.j.Nets[net]).Clearance
}

func (k *kicadBoard) zone(i int) {
	z, r := &k.j.Zones[i], &k.j.Rules
	name, solid := "", ""
	if z.Net >= 0 && z.Net < len(k.j.Nets) {
		name = k.j.Nets[z.Net].Name
	}
	if !r.ThermalRelief {
		solid = " yes"
	}
	k.put(` (zone (net %d) (net_name %s) (layer %q) (hatch edge 0.508) (connect_pads%s (clearance %s)) (min_thickness %s) (filled_areas_thickness no)`, z.Net+1, quoted(name), k.copper[z.Layer].KiCad, solid, short(r.PourClearance), short(r.ZoneWidth()))
	k.put(`  (fill yes (thermal_gap %s) (thermal_bridge_width %s))`, short(r.ThermalGap),
		short(r.ThermalSpoke))
	// Without a project KiCad 6 has no edge clearance, so the outline of the zone has it, or else
	// the areas of edgeAreas.
	outline := k.j.Outline.Inset(r.EdgeClearance)
	if outline == nil {
		outline = k.j.Outline
	}
	k.put("  (polygon (pts%s))", k.points(outline))
	for _, p := range k.j.poured {
		if p.zone == i {
			k.put("  (filled_polygon (layer %q) (pts%s))", k.copper[z.Layer].KiCad,
				k.points(p.outline))
		}
	}
	k.put(" )")
}

// ruleAreas writes the keepouts, so that KiCad keeps them too when it fills the pours again.
func (k *kicadBoard) ruleAreas() {
	var areas []board.KeepoutOutline
	for _, o := range k.j.Keepouts {
		if !o.Derived && len(o.Layers) > 0 {
			areas = append(areas, board.KeepoutOutline{Keepout: o, Outline: o.Area.Corners()})
		}
	}
	for i := range k.j.Parts {
		areas = append(areas, k.copper.KeepoutOutlines(&k.j.Parts[i])...)
	}
	areas = append(areas, k.edgeAreas()...)
	word := map[bool]string{false: "allowed", true: "not_allowed"}
	for _, a := range areas {
		layers := ""
		for _, l := range a.Layers {
			layers += fmt.Sprintf(" %q", k.copper[l].KiCad)
		}
		k.put(` (zone (net 0) (net_name "") (layers%s) (hatch edge 0.508) (connect_pads (clearance 0)) (min_thickness 0.254) (filled_areas_thickness no)`, layers)
		k.put(`  (keepout (tracks %s) (vias %s) (pads %s) (copperpour %s) (footprints %s))`,
			word[a.Tracks || a.Copper], word[a.Vias || a.Copper], word[a.Copper],
			word[a.Pour || a.Copper], word[a.Components])
		k.put(`  (fill (thermal_gap 0.508) (thermal_bridge_width 0.508)) (polygon (pts%s)))`,
			k.points(a.Outline))
	}
}

// edgeAreas returns keepouts of the pours along the sides of an outline that has no inset, such as
// one with an arm narrower than twice the edge clearance.
func (k *kicadBoard) edgeAreas() []board.KeepoutOutline {
	d := k.j.Rules.EdgeClearance
	if len(k.j.Zones) == 0 || d <= 0 || k.j.Outline.Inset(d) != nil {
		return nil
	}
	var layers []board.Layer
	for _, z := range k.j.Zones {
		if !slices.Contains(layers, z.Layer) {
			layers = append(layers, z.Layer)
		}
	}
	var out []board.KeepoutOutline
	for i, a := range k.j.Outline {
		b := k.j.Outline[(i+1)%len(k.j.Outline)]
		length := math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y))
		if length == 0 {
			continue
		}
		along := board.Point{X: int64(math.Ceil(float64(d*(b.X-a.X)) / length)),
			Y: int64(math.Ceil(float64(d*(b.Y-a.Y)) / length))}
		across := board.Point{X: -along.Y, Y: along.X}
		from, to := a.Sub(along), b.Add(along)
		out = append(out, board.KeepoutOutline{Keepout: board.Keepout{Layers: layers, Pour: true},
			Outline: board.Polygon{from.Sub(across), to.Sub(across), to.Add(across),
				from.Add(across)}})
	}
	return out
}

// points writes a polygon in reverse order, because KiCad's y axis points down.
func (k *kicadBoard) points(g board.Polygon) string {
	var w strings.Builder
	for i := range g {
		w.WriteString(" (xy " + k.point(g[len(g)-1-i]) + ")")
	}
	return w.String()
}
