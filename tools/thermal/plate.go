package thermal

import "math"

// switchover is half the width, relative, of the band in which a correlation passes from its
// laminar to its turbulent branch. The branches do not meet (Churchill and Chu's jump by a
// third), and with a jump there are powers that no temperature balances.
const switchover = 0.01

// branch is low below the limit and high above it, and linear within the switchover band.
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

// VerticalPlate is the natural-convection film of a vertical plate of the height given [m]:
// Churchill and Chu 1975, the laminar form below Ra 1e9.
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

// UpwardPlate is the natural-convection film of a warm plate facing up (or a cold plate facing
// down); the length is area over perimeter [m].
func UpwardPlate(a Air, dT, length float64) float64 {
	nu := branch(a.Rayleigh(dT, length), 1e7,
		func(ra float64) float64 { return 0.54 * math.Pow(ra, 0.25) },
		func(ra float64) float64 { return 0.15 * math.Cbrt(ra) })
	return nu * a.Conductivity / length
}

// DownwardPlate is the natural-convection film of a warm plate that faces down (or a cold one
// that faces up); the length is area over perimeter [m].
func DownwardPlate(a Air, dT, length float64) float64 {
	return 0.27 * math.Pow(a.Rayleigh(dT, length), 0.25) * a.Conductivity / length
}

// WindPlate is the mean film [W/(m²·K)] of a plate in a parallel stream [m/s] over its length
// along it [m]: laminar below Re 5e5 (Incropera and DeWitt, equation 7.30), beyond it mixed flow,
// laminar up to Re 5e5 and turbulent from there (equation 7.38, up to Re 1e8). Its constant 871
// belongs to that transition: the two cross within 0.1 % of it, and the larger one is valid.
func WindPlate(a Air, speed, length float64) float64 {
	re := a.Reynolds(speed, length)
	nu := max(0.664*math.Sqrt(re), 0.037*math.Pow(re, 0.8)-871) * math.Cbrt(a.Prandtl)
	return nu * a.Conductivity / length
}

// Mixed joins a natural and a forced film that help each other: the cube root of the sum of cubes.
func Mixed(natural, forced float64) float64 {
	return math.Cbrt(natural*natural*natural + forced*forced*forced)
}
