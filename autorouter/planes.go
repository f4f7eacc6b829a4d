package autorouter

import (
	"fmt"
	"maps"
	"slices"

	"slipstick/autorouter/board"
)

// stackup returns the copper layers of the requested board. The error is InvalidFields.
func (q *Request) stackup() (board.Stackup, error) {
	switch q.Layers {
	case 0, 2:
		return board.TwoLayers(), nil
	case 4:
		return board.Layers(4), nil
	}
	var f InvalidFields
	f.add("layers", 0, "is %d; a board has 2 or 4 copper layers", q.Layers)
	return nil, f.err()
}

// planes returns the inner layers that are planes, with their nets. By default the first inner
// layer is the ground plane, and the second inner layer belongs to the supply net with the most
// pins. If the netlist has no such net, the layer carries tracks and a warning names it. Unknown
// nets and layers in the request are added to f as errors.
func (q *Request) planes(copper board.Stackup, nl *board.Netlist, ground int,
	f *InvalidFields) (planes []board.Plane, warnings []string) {
	inner := copper[1:copper.Bottom()]
	for _, name := range slices.Sorted(maps.Keys(q.Planes)) {
		if !slices.ContainsFunc(inner, func(l board.CopperLayer) bool { return l.Name == name }) {
			f.add("planes", 0, "%q is no inner layer of a board with %d copper layers", name,
				len(copper))
			break
		}
	}
	defaults := []int{ground, largestSupply(nl, ground)}
	for i, l := range inner {
		name, given := q.Planes[l.Name]
		net := defaults[min(i, 1)]
		if given {
			net = slices.IndexFunc(nl.Nets, func(n board.Net) bool { return n.Name == name })
		}
		switch {
		case net >= 0:
			planes = append(planes, board.Plane{Layer: board.Layer(i + 1), Net: net})
		case given && name != "":
			f.add("planes", 0, "%s: %q is no net of this netlist", l.Name, name)
		case !given:
			warnings = append(warnings,
				fmt.Sprintf("%s has tracks: the netlist has no %s net for a plane",
					l.Name, [...]string{"ground", "supply"}[min(i, 1)]))
		}
	}
	return planes, warnings
}

// largestSupply returns the index of the supply net with the most pins, other than ground.
// It returns board.NoNet if no such net has two pins or more.
func largestSupply(nl *board.Netlist, ground int) int {
	best := board.NoNet
	for i := range nl.Nets {
		n := &nl.Nets[i]
		if i == ground || !n.Supply || len(n.Pins) < 2 {
			continue
		}
		if best == board.NoNet || len(n.Pins) > len(nl.Nets[best].Pins) {
			best = i
		}
	}
	return best
}
