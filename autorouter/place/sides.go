package place

import "slipstick/autorouter/board"

// EitherSide reports whether a part may be placed on either side if the request allows parts on the
// bottom. It returns true for two-pad surface-mount parts that are not edge parts.
func EitherSide(c *board.Component) bool {
	for _, f := range c.Footprint.Pads {
		if f.Drill > 0 || f.SlotW > 0 {
			return false
		}
	}
	return len(c.Footprint.Pads) == 2 && c.Edge == board.NoEdge
}
