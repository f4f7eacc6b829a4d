package kicad

import (
	"fmt"
	"slices"

	"slipstick/autorouter/board"
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

// countSteps subtracts steps from the remaining corner tests. It rejects the file if none remain.
func (b *builder) countSteps(steps int) {
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
