package tools

import "math"

// Finite returns x as a nullable result. It returns nil if x is not finite.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	x += 0 // normalizes -0 to 0
	return &x
}
