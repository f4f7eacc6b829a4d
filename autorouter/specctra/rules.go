package specctra

import (
	"fmt"
	"math"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/internal/text"
)

// nm rounds a length [nm] up to an integer, because a clearance must not be below the rule.
func nm(v float64) int64 { return int64(math.Ceil(v - 1e-6)) }

// setRules sets the net classes and all other design rules of the board.
func (b *builder) setRules(o Options) error {
	d := b.design
	base := d.rule
	if base.width <= 0 {
		base.width = 0.25e6
		b.warn("the design has no track width: 0.25 mm is used")
	}
	if base.clearance <= 0 {
		base.clearance = 0.2e6
		b.warn("the design has no clearance: 0.2 mm is used")
	}
	standard := d.viaNamed("")
	for _, c := range append([]class{{name: "default", rule: base}, {name: "power", rule: base}},
		d.classes...) {
		if err := b.addClass(c, base, standard); err != nil {
			return err
		}
	}
	r := &b.Rules
	r.NeckWidth, r.NeckLength = nm(base.width), board.MM(neckLengthMM)
	for _, c := range r.Classes {
		r.NeckWidth = min(r.NeckWidth, c.TrackWidth)
	}
	r.EdgeClearance = nm(max(base.clearance, d.boundaryClearance))
	if o.EdgeClearanceMM > 0 {
		r.EdgeClearance = board.MM(o.EdgeClearanceMM)
	}
	r.HoleClearance, r.HoleToHole = board.MM(holeClearanceMM), board.MM(holeToHoleMM)
	r.PourClearance = max(board.MM(pourClearanceMM), nm(base.clearance))
	r.ThermalRelief = true
	r.ThermalGap, r.ThermalSpoke = board.MM(thermalGapMM), board.MM(thermalSpokeMM)
	r.MinTrack, r.MinGap = r.NeckWidth, 0
	r.GroundNet = board.NoNet
	return nil
}

// addClass adds a net class to the board, or replaces the class of the same name. base gives the
// track width and the clearance that the class does not define. standard is the via of a class
// without a via through all layers.
func (b *builder) addClass(n class, base rule, standard string) error {
	if n.width <= 0 {
		n.width = base.width
	}
	if n.clearance <= 0 {
		n.clearance = base.clearance
	}
	if n.via == "" || !b.design.isThrough(n.via) {
		if n.via != "" && standard != "" && n.via != standard {
			b.warn("class %s: via %s does not connect all layers; %s is used", text.Word(n.name),
				text.Word(n.via), text.Word(standard))
		}
		n.via = standard
	}
	if n.via == "" {
		return bad(nil, "the design has no via that connects all layers: (structure (via PADSTACK))")
	}
	diameter, drill := b.design.viaSize(n.via)
	c := board.Class{
		Name: n.name, TrackWidth: nm(n.width), Clearance: nm(n.clearance),
		ViaDiameter: diameter, ViaDrill: drill,
	}
	for i := range b.Rules.Classes {
		if b.Rules.Classes[i].Name == n.name {
			b.Rules.Classes[i], b.vias[i] = c, n.via
			return nil
		}
	}
	b.Rules.Classes, b.vias = append(b.Rules.Classes, c), append(b.vias, n.via)
	return nil
}

// viaNamed returns the given via padstack if the structure lists it and it connects all layers. For
// an empty name it returns the first listed padstack that connects all layers. Otherwise it returns
// "".
func (d *Design) viaNamed(name string) string {
	for _, v := range d.vias {
		if d.isThrough(v) && (name == "" || v == name) {
			return v
		}
	}
	return ""
}

// isThrough reports whether a padstack has copper on every layer.
func (d *Design) isThrough(name string) bool {
	p := d.padstacks[name]
	if p == nil {
		return false
	}
	var on board.LayerSet
	for _, s := range p.shapes {
		on |= d.layersOf(s.layer)
	}
	return on == 1<<len(d.Layers)-1
}

// layersOf returns the layers for a layer name. The names signal and pcb select all layers, and so
// does power unless a layer has that name.
func (d *Design) layersOf(name string) board.LayerSet {
	all := board.LayerSet(1<<len(d.Layers) - 1)
	switch name {
	case "signal", "pcb":
		return all
	}
	for i, l := range d.Layers {
		if l.Name == name {
			return board.Layer(i).Bit()
		}
	}
	if name == "power" {
		return all
	}
	return 0
}

// viaSize returns the copper diameter and the drill diameter of a via [nm]. KiCad's padstack names
// end with _DIAMETER:DRILL_um. For other names the drill is assumed to be half of the diameter.
func (d *Design) viaSize(name string) (diameter, drill int64) {
	for _, s := range d.padstacks[name].shapes {
		box := geom.EmptyBox()
		for _, p := range s.points {
			box = box.With(p)
		}
		diameter = max(diameter, nm(max(box.X1-box.X0, box.Y1-box.Y0)+s.width))
	}
	var outer, hole float64
	if i := strings.LastIndex(strings.TrimSuffix(name, "_um"), "_"); i >= 0 {
		if n, _ := fmt.Sscanf(name[i:], "_%f:%f_um", &outer, &hole); n == 2 && hole > 0 &&
			hole < outer {
			return diameter, nm(hole * 1e3)
		}
	}
	return diameter, diameter / 2
}
