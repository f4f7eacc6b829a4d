package place

import "slipstick/autorouter/board"

// EitherSide reports whether a part may be on the bottom if the request allows parts there. These
// are surface-mount parts with two pads that belong to no edge.
func EitherSide(c *board.Component) bool {
	for _, f := range c.Footprint.Pads {
		if f.Drill > 0 || f.SlotW > 0 {
			return false
		}
	}
	return len(c.Footprint.Pads) == 2 && c.Edge == board.NoEdge
}
