// Package interval implements verified arithmetic: every operation returns bounds that contain the
// exact real result for all values of its operands.
//
// Go cannot switch the rounding direction. However, the rounding errors of the sum and the product
// of two doubles are themselves doubles (Dekker 1971; Knuth, TAOCP 2, 4.2.2). math.FMA computes
// them. A bound therefore moves by one unit in the last place only if the rounded result lies on
// the wrong side of the exact one. See Rump, Acta Numerica 19, 2010, section 5. Exact results
// remain exact. If an error term may underflow, the bound always moves.
//
// The compiler may fuse x*y+z into one operation with one rounding. This would invalidate the
// error-free transformations, so every product that is added to something is written float64(x*y).
//
// round.go implements the directed operations and interval.go the intervals. elementary.go adds
// roots, exponentials and logarithms. wide.go implements intervals of about twice the precision, as
// an unevaluated sum of a double and an interval. jet.go implements intervals with first and second
// derivatives, and vector.go vectors and small matrices.
//
// Bounds may be infinite but never NaN. An undefined operation, such as a division by an interval
// that contains 0, returns the whole real line.
package interval
