package propagation

import "math"

// clearanceEnd is the distance from an antenna, in wavelengths, below which the formula of the
// Fresnel radius is more than 1 % too small.
const clearanceEnd = 6

// LeastClearance returns the share of the path from the first antenna, where the height of the line
// of sight over smooth earth is smallest relative to the radius of the first Fresnel zone. The
// lengths are in m, radius is that of the effective earth. A low antenna has this place near
// itself. The search ends six wavelengths from an antenna, or at 1 % of a path shorter than 600
// wavelengths.
func LeastClearance(h1, h2, distance, wavelength, radius float64) float64 {
	// With t = √(p/(1 - p)) for the share p, the relative height is h1/t + h2 t - b t/(1 + t²),
	// apart from a constant factor.
	b := distance * distance / (2 * radius)
	height := func(logT float64) float64 {
		t := math.Exp(logT)
		return h1/t + h2*t - b/(1/t+t)
	}
	end := min(0.01, clearanceEnd*wavelength/distance)
	limit := math.Log((1-end)/end) / 2
	const steps = 200
	step := 2 * limit / steps
	best := -limit
	for i := 1; i <= steps; i++ {
		if at := -limit + float64(i)*step; height(at) < height(best) {
			best = at
		}
	}
	low, high := max(best-step, -limit), min(best+step, limit)
	for range 60 {
		third := (high - low) / 3
		if height(low+third) < height(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	t := math.Exp(low + (high-low)/2)
	return t * t / (1 + t*t)
}
