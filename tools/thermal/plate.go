package thermal

import "math"

// switchover is half the relative width of the band in which a correlation changes from its laminar
// to its turbulent branch. The branches do not meet: for Churchill and Chu they differ by a third.
// With a discontinuity, some powers would have no equilibrium temperature.
const switchover = 0.01

// branch returns low below the limit and high above it, and interpolates linearly within the
// switchover band.
func branch(x, limit float64, low, high func(float64) float64) float64 {
	switch w := (x/limit - 1 + switchover) / (2 * switchover); {
	case w <= 0:
		return low(x)
	case w >= 1:
		return high(x)
	default:
		return (1-w)*low(x) + w*high(x)
	}
}

// VerticalPlate returns the natural-convection film coefficient of a vertical plate with the given
// height [m] (Churchill and Chu 1975). Below Ra 1e9 it uses the laminar form.
func VerticalPlate(a Air, dT, height float64) float64 {
	psi := 1 + math.Pow(0.492/a.Prandtl, 9.0/16)
	nu := branch(a.Rayleigh(dT, height), 1e9,
		func(ra float64) float64 { return 0.68 + 0.670*math.Pow(ra, 0.25)/math.Pow(psi, 4.0/9) },
		func(ra float64) float64 {
			root := 0.825 + 0.387*math.Pow(ra, 1.0/6)/math.Pow(psi, 8.0/27)
			return root * root
		})
	return nu * a.Conductivity / height
}

// UpwardPlate returns the natural-convection film coefficient of a warm plate facing up (or a cold
// plate facing down). length is area divided by perimeter [m].
func UpwardPlate(a Air, dT, length float64) float64 {
	nu := branch(a.Rayleigh(dT, length), 1e7,
		func(ra float64) float64 { return 0.54 * math.Pow(ra, 0.25) },
		func(ra float64) float64 { return 0.15 * math.Cbrt(ra) })
	return nu * a.Conductivity / length
}

// DownwardPlate returns the natural-convection film coefficient of a warm plate facing down (or a
// cold plate facing up). length is area divided by perimeter [m].
func DownwardPlate(a Air, dT, length float64) float64 {
	return 0.27 * math.Pow(a.Rayleigh(dT, length), 0.25) * a.Conductivity / length
}

// WindPlate returns the mean film coefficient [W/(m²·K)] of a plate in a parallel flow [m/s] over
// its length along the flow [m]. Below Re 5e5 the flow is laminar (Incropera and DeWitt, equation
// 7.30). Above, the flow is laminar up to Re 5e5 and turbulent beyond (equation 7.38, up to Re
// 1e8). The constant 871 of equation 7.38 follows from a transition at Re 5e5. The two curves
// intersect within 0.1 % of that value, and the larger result applies.
func WindPlate(a Air, speed, length float64) float64 {
	re := a.Reynolds(speed, length)
	nu := max(0.664*math.Sqrt(re), 0.037*math.Pow(re, 0.8)-871) * math.Cbrt(a.Prandtl)
	return nu * a.Conductivity / length
}

// Mixed combines assisting natural and forced film coefficients by the cube root of the sum of
// cubes.
func Mixed(natural, forced float64) float64 {
	return math.Cbrt(natural*natural*natural + forced*forced*forced)
}
