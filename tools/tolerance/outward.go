package tolerance

import (
	"math"
	"strconv"
)

// noise is the relative rounding error of a few floating-point operations.
const noise = 1e-12

// RoundUp returns the smallest number of the given significant digits that is at least x. Use it
// for a lower limit in a message, so that the printed value meets the limit. A number that is below
// x by rounding errors alone, up to 1e-12, counts as x.
func RoundUp(x float64, digits int) float64 { return roundOutward(x, digits, 1) }

// RoundDown returns the largest number of the given significant digits that is at most x. It is the
// counterpart of RoundUp for an upper limit.
func RoundDown(x float64, digits int) float64 { return roundOutward(x, digits, -1) }

// RoundOutside rounds a number that is outside of the range from lo to hi to the nearest number of
// the given significant digits. It rounds away from the range if the nearest number is within it.
func RoundOutside(x, lo, hi float64, digits int) float64 {
	switch nearest := significant(x, digits); {
	case nearest < lo || nearest > hi:
		return nearest
	case x < lo:
		return RoundDown(x, digits)
	default:
		return RoundUp(x, digits)
	}
}

// RoundAbove is the variant of RoundOutside for a number above a limit.
func RoundAbove(x, limit float64, digits int) float64 {
	return RoundOutside(x, math.Inf(-1), limit, digits)
}

// RoundBelow is the variant of RoundOutside for a number below a limit.
func RoundBelow(x, limit float64, digits int) float64 {
	return RoundOutside(x, limit, math.Inf(1), digits)
}

// roundOutward rounds x in the direction of sign.
func roundOutward(x float64, digits int, sign float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	nearest := significant(x, digits)
	if (nearest-x)*sign >= -noise*math.Abs(x) {
		return nearest
	}
	unit := math.Pow10(int(math.Floor(math.Log10(math.Abs(x)))) - digits + 1)
	return significant(nearest+sign*unit, digits)
}

// significant rounds x to the nearest number of the given significant digits.
func significant(x float64, digits int) float64 {
	// cannot fail: the text is a number in the range of float64, or overflows to an infinity
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return r
}
