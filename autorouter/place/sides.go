package place

import "slipstick/autorouter/board"

// EitherSide reports whether a part may be on the bottom where the request allows that: surface
// parts of two pads that belong to no edge.
func EitherSide(c *board.Component) bool {
	for _, f := range c.Footprint.Pads {
		if f.Drill > 0 || f.SlotW > 0 {
			return false
		}
	}
	return len(c.Footprint.Pads) == 2 && c.Edge == board.NoEdge
}
