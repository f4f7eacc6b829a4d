// Package interval is verified arithmetic: every operation returns bounds that contain the exact
// real result for all values in its operands.
//
// Go cannot switch the rounding direction. The sum and the product of two doubles have
// errors that are doubles themselves (Dekker 1971; Knuth, TAOCP 2, 4.2.2), and math.FMA
// delivers them, so a bound moves by one unit in the last place only when the rounded
// result lies on the wrong side of the exact one (Rump, Acta Numerica 19, 2010, section 5).
// Exact results stay exact: 0·x is 0 and a circuit without rounding errors shows none.
// If an error term can underflow, the bound always moves.
//
// The compiler may fuse x*y+z into one rounding. That would spoil the error-free
// transformations, hence every product that is added to something is written
// float64(x*y).
//
// round.go has the directed operations, interval.go the intervals, elementary.go roots,
// exponentials and logarithms, wide.go intervals about twice as sharp (an unevaluated sum
// of a double and an interval), jet.go intervals with first and second derivatives,
// vector.go vectors and small matrices.
//
// Bounds can be infinite but never NaN. An undefined operation, such as a division by an interval
// that contains 0, returns the whole real line.
package interval
