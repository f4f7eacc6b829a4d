// Package tolerance compares and rounds floating-point results with a tolerance. Without it, a
// rounding error could make an input that exactly meets a limit exceed it, and thus add a part.
package tolerance

import (
	"math"

	"slipstick/tools"
)

// Relative is the maximum relative difference of equal values. It is far above the rounding errors
// of a formula and far below the accuracy of any input.
const Relative = 1e-9

// EqualDB is the maximum difference of equal levels in dB. 22.1 + 14.3 - 0.4 is 36.00000000000001
// in binary and complies with a limit of 36.
const EqualDB = 1e-9

// Above reports whether x exceeds a nonnegative limit by more than Relative.
func Above(x, limit float64) bool { return x > limit*(1+Relative) }

// Below reports whether x falls short of a nonnegative limit by more than Relative.
func Below(x, limit float64) bool { return x < limit*(1-Relative) }

// Ceil returns the smallest integer that a nonnegative x does not exceed by more than Relative.
func Ceil(x float64) float64 { return math.Ceil(x * (1 - Relative)) }

// Floor returns the largest integer that a nonnegative x reaches within Relative.
func Floor(x float64) float64 { return math.Floor(x * (1 + Relative)) }

// maxCount is the maximum useful number of parts.
const maxCount = 1e9

// Count converts a number of parts to an int. If x is above 1e9 or NaN, it returns an input error
// that names the field and its value.
func Count(x float64, field string, value float64) (int, error) {
	if !(x <= maxCount) {
		var f tools.FieldErrors
		f.AddValue(field, value, "leads to a count of parts above %g; the inputs are too far apart",
			float64(maxCount))
		return 0, f.Err()
	}
	return int(x), nil
}

// FloorQuotient returns the floor of a quotient. A quotient that is below an integer only by
// rounding of a few operations counts as that integer: 3600 s / 3.6 s is 1000. The tolerance is
// that of RoundUp and RoundDown, so that a message about the quotient agrees with it.
func FloorQuotient(x float64) float64 {
	if r := math.Round(x); math.Abs(r-x) <= noise*x {
		return r
	}
	return math.Floor(x)
}
