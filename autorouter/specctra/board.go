package specctra

import (
	"fmt"
	"math"
	"slices"

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
	// coarseResolutionNM is the resolution [nm] above which rounding visibly changes track widths.
	coarseResolutionNM = 1e4
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
	if step := d.step; step > coarseResolutionNM {
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

// countSteps subtracts steps from the remaining corner tests. If none remain, it rejects the design
// and returns false.
func (b *builder) countSteps(steps int) bool {
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
