// Package drc checks the design rules of a finished board on the exported copper, and measures it.
//
// It is independent of the router: it has no routing grid, and derives all connections from the
// copper. The steps, in order:
//
//   - items.go turns the board into copper items. Pads, tracks and vias are a convex core of one
//     to four points with a radius around it (shape.go), which describes discs, stadiums,
//     rectangles and rounded rectangles at any angle without approximation; pieces of zones are
//     polygons with holes (polygon.go).
//   - grid.go bins them per layer, and scan.go measures every pair within reach: touching copper of
//     one net is united, near copper of two nets is kept for the rules.
//   - connect.go reads the clusters of each net.
//   - rules.go lists the rules, in the order of the report. Each is one file and a value in it.
//   - statistics.go computes the figures of a board.
//
// # Accuracy
//
// Coordinates are whole nanometres up to a metre and are computed in float64. Differences of
// coordinates are exact, so a distance has an error of some 1e-15 of the larger shape: below a
// millionth of a nanometre on a board of 400 mm. Corners of pads at other than quarter turns are
// rounded only by float64, not to nanometres. Distances are compared with a tolerance of half a
// nanometre (the constant tolerance): copper touches at a gap of up to 0.5 nm, and a distance is
// too small when it misses its limit by more than 0.5 nm. Axis-parallel geometry is therefore
// judged exactly: the limit itself passes and one nanometre less does not.
package drc
