package footprint

import (
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// TieGraphic is a graphic of a placed footprint on one outer copper layer of a .kicad_pcb file.
type TieGraphic struct {
	Node  *sexpr.Node
	Layer board.Layer // board.Top or board.Bottom
}

// IsNetTie reports whether the copper of a footprint in a .kicad_pcb file may join its pads.
func IsNetTie(n *sexpr.Node) bool {
	r := fileReader{root: n}
	r.setTieRules()
	return r.ties.any()
}

// pairSteps is the cost of the distance between two shapes, in corner tests.
const pairSteps = 16

// PlacedTies divides the graphics of a net tie among its pads, as FromKiCad does. The footprint is
// at position at [nm, y up] with rotation degrees. The parameter pads has its pads in board
// coordinates; their Layers are board.Top and board.Bottom, the outer layers. PlacedTies returns
// the pads in the same order, each followed by its pieces with Tie, and the pairs of pad numbers
// that the copper joins. It reduces steps by the corner tests, and ends when none remain. The bool
// is false if the copper cannot be divided.
func PlacedTies(
	n *sexpr.Node, at board.Point, degrees float64, pads []board.FootprintPad,
	graphics []TieGraphic, steps *int,
) ([]board.FootprintPad, [][2]string, bool) {
	r := fileReader{root: n, drawing: &board.Drawing{}}
	r.setTieRules()
	r.f.Pads = pads
	count := len(pads)
	for i := range pads {
		r.groups = max(r.groups, pads[i].Group)
	}
	for _, g := range graphics {
		pieces, err := (&drawnPad{}).primitive(g.Node, strings.TrimPrefix(g.Node.Head(), "fp_"))
		if err != nil {
			return nil, nil, false
		}
		for i := range pieces {
			q := &pieces[i]
			q.At = at.Add(q.At.Rotated(degrees))
			q.Rotation, q.Layers = turn(q.Rotation+degrees), g.Layer.Bit()
		}
		r.copper = append(r.copper, drawnCopper{g.Node, pieces})
		count += len(pieces)
	}
	if *steps -= pairSteps * count * count; *steps <= 0 || count > maxPieces {
		return nil, nil, false
	}
	if r.addTies() != nil || !r.setTouching(&r.f) {
		return nil, nil, false
	}
	return r.f.Pads, r.f.Ties, true
}
