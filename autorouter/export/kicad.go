package export

import (
	"fmt"
	"strings"

	"slipstick/autorouter/board"
)

// quoted is a string of a KiCad s-expression; control characters become blanks.
func quoted(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

var kicadCopper = [...]string{"F.Cu", "B.Cu"}
var kicadShape = [...]string{"rect", "roundrect", "circle", "oval"}

// kicadBoard writes a board file of version 20211014 (KiCad 6, "Board File Format"). Its y
// axis points down.
type kicadBoard struct {
	strings.Builder
	j      *job
	height int64
}

func (k *kicadBoard) point(p board.Point) string {
	return short(100_000_000+p.X) + " " + short(100_000_000+k.height-p.Y)
}

func (k *kicadBoard) put(format string, args ...any) { fmt.Fprintf(k, format+"\n", args...) }

func (j *job) kicad() string {
	k := &kicadBoard{j: j, height: j.Outline.Bounds().Max.Y}
	k.put("(kicad_pcb (version 20211014) (generator slipstick)\n (general (thickness 1.6))\n (paper \"A3\")")
	k.put(` (layers (0 "F.Cu" signal) (31 "B.Cu" signal) (34 "B.Paste" user) (35 "F.Paste" user) (36 "B.SilkS" user) (37 "F.SilkS" user) (38 "B.Mask" user) (39 "F.Mask" user) (44 "Edge.Cuts" user) (46 "B.CrtYd" user) (47 "F.CrtYd" user) (48 "B.Fab" user) (49 "F.Fab" user))`)
	k.put(" (setup (pad_to_mask_clearance %s) (solder_mask_min_width %s))", short(j.Rules.MaskExpansion), short(j.Rules.MaskWeb))
	k.put(` (net 0 "")`)
	for i, n := range j.Nets {
		k.put(" (net %d %s)", i+1, quoted(n.Name))
	}
	for i := range j.Parts {
		k.footprint(i)
	}
	for i, h := range j.Holes {
		d := short(h.Diameter)
		k.put(` (footprint "slipstick:MountingHole" (layer "F.Cu") (at %s) (attr exclude_from_pos_files exclude_from_bom)`, k.point(h.At))
		k.put(`  (fp_text reference "H%d" (at 0 0) (layer "F.Fab") hide (effects (font (size 1 1) (thickness 0.15))))`, i+1)
		k.put(`  (pad "" np_thru_hole circle (at 0 0) (size %s %s) (drill %s) (layers *.Cu *.Mask)))`, d, d, d)
	}
	for i, a := range j.Outline {
		k.put(` (gr_line (start %s) (end %s) (layer "Edge.Cuts") (width 0.1))`, k.point(a), k.point(j.Outline[(i+1)%len(j.Outline)]))
	}
	for _, t := range j.Tracks {
		k.put(` (segment (start %s) (end %s) (width %s) (layer %q) (net %d))`, k.point(t.A), k.point(t.B), short(t.Width), kicadCopper[t.Layer], t.Net+1)
	}
	for _, v := range j.Vias {
		k.put(` (via (at %s) (size %s) (drill %s) (layers "F.Cu" "B.Cu") (net %d))`, k.point(v.At), short(v.Diameter), short(v.Drill), v.Net+1)
	}
	for _, z := range j.Zones {
		k.zone(z)
	}
	k.put(")")
	return k.String()
}

// footprint keeps each pad where the board has it: places are turned back into the
// footprint's frame. KiCad holds a bottom part's pads as seen from the top, so nothing is mirrored here.
func (k *kicadBoard) footprint(i int) {
	p := &k.j.Parts[i]
	side, attr := "F", "smd"
	justify := ""
	if p.Side == board.Bottom {
		side, justify = "B", " (justify mirror)"
	}
	if p.Footprint.Tht {
		attr = "through_hole"
	}
	local := func(q board.Point) string {
		d := q.Sub(p.At).Rotated(-p.Rotation)
		return short(d.X) + " " + short(-d.Y)
	}
	k.put(` (footprint %s (layer "%s.Cu") (at %s %s)`, quoted("slipstick:"+p.Footprint.Name), side, k.point(p.At), degrees(p.Rotation))
	k.put(`  (attr %s)`, attr)
	c := board.CourtyardOf(p)
	for t, s := range []string{p.Ref, p.Value} {
		kind, layer := "reference", "SilkS"
		if t == 1 {
			kind, layer = "value", "Fab"
		}
		k.put(`  (fp_text %s %s (at 0 0 %s) (layer "%s.%s") hide (effects (font (size 1 1) (thickness 0.15))%s))`, kind, quoted(s), degrees(p.Rotation), side, layer, justify)
	}
	for n, a := range c {
		k.put(`  (fp_line (start %s) (end %s) (layer "%s.CrtYd") (width 0.05))`, local(a), local(c[(n+1)%len(c)]), side)
	}
	for n := range p.Pads {
		k.pad(&p.Pads[n], local(p.Pads[n].At), side)
	}
	k.put(" )")
}

func (k *kicadBoard) pad(p *board.Pad, at, side string) {
	kind, layers := "smd", fmt.Sprintf(`"%s.Cu" "%s.Paste" "%s.Mask"`, side, side, side)
	w, h := p.Width, p.Height
	if p.Plated {
		kind, layers = "thru_hole", "*.Cu *.Mask"
	} else if p.Drill > 0 || p.SlotW > 0 {
		kind, layers = "np_thru_hole", "*.Cu *.Mask"
		if p.Drill > 0 {
			w, h = p.Drill, p.Drill
		}
	}
	extra := ""
	if p.SlotW > 0 {
		extra = fmt.Sprintf(" (drill oval %s %s)", short(p.SlotW), short(p.SlotH))
	} else if p.Drill > 0 {
		extra = fmt.Sprintf(" (drill %s)", short(p.Drill))
	}
	shape := kicadShape[p.Shape]
	if kind == "np_thru_hole" && p.Drill > 0 {
		shape = "circle"
	}
	if p.Shape == board.RoundRect {
		extra += fmt.Sprintf(" (roundrect_rratio %.9f)", float64(board.CornerRadius(w, h))/float64(max(1, min(w, h))))
	}
	net := ""
	if p.Net >= 0 && p.Net < len(k.j.Nets) {
		net = fmt.Sprintf(" (net %d %s)", p.Net+1, quoted(k.j.Nets[p.Net].Name))
	}
	number := p.Number
	if kind == "np_thru_hole" {
		number = ""
	}
	k.put("  (pad %s %s %s (at %s %s) (size %s %s) (layers %s)%s%s)", quoted(number), kind, shape, at, degrees(p.Rotation), short(w), short(h), layers, extra, net)
}

func (k *kicadBoard) zone(z board.Zone) {
	name := ""
	if z.Net >= 0 && z.Net < len(k.j.Nets) {
		name = k.j.Nets[z.Net].Name
	}
	r := &k.j.Rules
	k.put(` (zone (net %d) (net_name %s) (layer %q) (hatch edge 0.508) (connect_pads (clearance %s)) (min_thickness 0.2) (filled_areas_thickness no)`, z.Net+1, quoted(name), kicadCopper[z.Layer], short(r.PourClearance))
	k.put(`  (fill yes (thermal_gap %s) (thermal_bridge_width %s))`, short(r.ThermalGap), short(r.ThermalSpoke))
	k.put("  (polygon (pts%s))", k.points(k.j.Outline))
	for _, f := range z.Pieces {
		k.put("  (filled_polygon (layer %q) (pts%s))", kicadCopper[z.Layer], k.points(bridged(f)))
	}
	k.put(" )")
}

// points are counter-clockwise with y up, as the model has them, and so clockwise on a
// screen whose rows are read downwards.
func (k *kicadBoard) points(g board.Polygon) string {
	var w strings.Builder
	for i := range g {
		w.WriteString(" (xy " + k.point(g[len(g)-1-i]) + ")")
	}
	return w.String()
}
