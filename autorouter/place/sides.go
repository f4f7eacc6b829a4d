package place

import (
	"slices"

	"slipstick/autorouter/board"
)

// EitherSide reports whether a part may be placed on either side if the request allows parts on the
// bottom. It returns true for two-pad surface-mount parts that are not edge parts.
func EitherSide(c *board.Component) bool {
	return len(c.Footprint.Pads) == 2 && c.Edge == board.NoEdge && !onBothSides(c.Footprint)
}

// onBothSides reports whether a footprint needs space on both sides of the board. Holes need it,
// and so do pads on the back, such as those of a card edge connector.
func onBothSides(f *board.Footprint) bool {
	return slices.ContainsFunc(f.Pads, func(p board.FootprintPad) bool {
		return p.Drill > 0 || p.SlotW > 0 || p.Layers.Has(board.Bottom)
	})
}
