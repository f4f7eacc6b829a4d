package propagation

import "math"

// clearanceEnd is a distance from an antenna in wavelengths. Nearer to it, the formula of the
// Fresnel radius is more than 2 % below the radius of the ellipsoid.
const clearanceEnd = 6

// LeastClearance returns the place of the minimum Fresnel clearance over smooth earth, as a
// fraction of the path (0 to 1) from the first antenna. There the height of the line of sight is
// smallest relative to the radius of the first Fresnel zone. h1 and h2 are the antenna heights, and
// radius is that of the effective earth; all lengths are positive and in m. With a low antenna the
// place is near it. The search ends clearanceEnd from each antenna, or at 1 % of a path shorter
// than 600 wavelengths.
func LeastClearance(h1, h2, distance, wavelength, radius float64) float64 {
	// Let t = √(p/(1 - p)) for the fraction p of the path. The relative height is h1/t + h2 t - b
	// t/(1 + t²), apart from a constant factor.
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
