// Package tolerance compares and rounds results of binary arithmetic. A limit that the inputs meet
// exactly is not missed by rounding errors, so that they never add a part.
package tolerance

import (
	"math"

	"slipstick/tools"
)

// Relative is the relative difference up to which two values are equal. It is far above the
// rounding errors of a formula and far below the accuracy of any input.
const Relative = 1e-9

// EqualDB is the difference in dB up to which two levels are equal: 22.1 + 14.3 - 0.4 is
// 36.00000000000001 in binary and complies with 36.
const EqualDB = 1e-9

// Above reports whether x exceeds a limit that is not negative.
func Above(x, limit float64) bool { return x > limit*(1+Relative) }

// Below reports whether x is less than a limit that is not negative.
func Below(x, limit float64) bool { return x < limit*(1-Relative) }

// Ceil returns the least whole number that is not below x.
func Ceil(x float64) float64 { return math.Ceil(x * (1 - Relative)) }

// Floor returns the greatest whole number that is not above x.
func Floor(x float64) float64 { return math.Floor(x * (1 + Relative)) }

// maxCount is the largest number of parts that is a useful answer.
const maxCount = 1e9

// Count returns a whole number of parts as an int. Above 1e9 or not a number it returns an
// input error that names a field and its value.
func Count(x float64, field string, value float64) (int, error) {
	if !(x <= maxCount) {
		var f tools.FieldErrors
		f.AddValue(field, value, "leads to a count of parts above %g; the inputs are too far apart",
			float64(maxCount))
		return 0, f.Err()
	}
	return int(x), nil
}

// FloorQuotient is floor, but a quotient that misses a whole number by the rounding of its few
// operations alone counts as it: 3600 s / 3.6 s is 1000.
func FloorQuotient(x float64) float64 {
	if r := math.Round(x); math.Abs(r-x) <= 1e-15*x {
		return r
	}
	return math.Floor(x)
}
