// Package drc checks the design rules of a finished board on the copper as it is exported, and
// measures it.
//
// Nothing here knows how the board was routed: there is no routing grid, and no copper is
// assumed to be connected because somebody meant it to be. The phases, in order:
//
//   - items.go turns the board into copper items. Pads, tracks and vias are a convex core of one
//     to four points with a radius around it (shape.go), which describes discs, stadiums,
//     rectangles and rounded rectangles at any angle without approximation; pieces of zones are
//     polygons with holes (polygon.go).
//   - grid.go bins them per layer, and scan.go measures every pair that is near enough to
//     matter: copper of one net that touches is joined, copper of two nets is kept for the rules.
//   - connect.go reads the islands of each net from the joins.
//   - rules.go lists the rules. Each is one file and a value in that list, in the order in which
//     violations are reported.
//   - statistics.go holds the figures of a board that need no opinion.
//
// # Accuracy
//
// Coordinates are whole nanometres up to a metre and are computed in float64. Differences of
// coordinates are exact, so a distance is wrong by some 1e-15 of the larger shape: below a
// millionth of a nanometre on a board of 400 mm. Corners of pads turned by other than quarter
// turns are rounded only by float64, not to nanometres. Distances are compared with a tolerance
// of half a nanometre (the constant tolerance): copper touches at a gap of up to 0.5 nm, and a
// distance is too small when it misses its limit by more than 0.5 nm. Axis-parallel geometry is therefore
// judged exactly: the limit itself passes and one nanometre less does not.
package drc
