package tools

import "math"

// Finite is x as a nullable result: null when it is not a number.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	x += 0 // -0 becomes 0
	return &x
}
