// Package drc checks the design rules of a finished board on the exported copper and computes the
// statistics of the board.
//
// It is independent of the router: it uses no routing grid and derives all connections from the
// copper. The steps are, in order:
//
//   - items.go converts the board to copper items. Pads, tracks and vias are a convex core of one
//     to four points with a radius around it (geom.Shape). This form represents discs, stadiums,
//     rectangles and rounded rectangles at any angle exactly. Zone fragments are polygons with
//     holes (geom.Region).
//   - scan.go measures every pair of items within reach, with a spatial index per layer
//     (geom.ShapeIndex). It unites touching copper of one net and records close copper of two nets.
//   - connect.go derives the ratsnest from the clusters of each net.
//   - rules.go lists the rules in report order. Each rule is a variable in its own file.
//   - statistics.go computes the statistics.
//
// # Accuracy
//
// Coordinates are whole nanometres up to a metre and are processed in float64. Differences of
// coordinates are exact, so the relative error of a distance is about 1e-15 of the larger shape.
// On a board of 400 mm this is below a millionth of a nanometre. Corners of pads that are not
// rotated by a multiple of 90 degrees are rounded to float64 and not to nanometres.
//
// Distances are compared with a tolerance of half a nanometre (the constant tolerance). Copper
// touches at a gap of up to 0.5 nm, and a distance violates its limit if it is more than 0.5 nm too
// small. Axis-parallel geometry is therefore judged exactly: a distance equal to the limit is legal
// and one nanometre less is a violation.
package drc
