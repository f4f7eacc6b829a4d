package thermal

import (
	"math"

	"slipstick/tools/phys"
)

// RadiantFilm returns the film coefficient of radiation from a black surface to surroundings, with
// both temperatures in kelvin. It is σ(T⁴ - Ta⁴)/(T - Ta) in a form without cancellation.
func RadiantFilm(surface, around float64) float64 {
	return phys.Stefan * (surface*surface + around*around) * (surface + around)
}

// CavityArea returns the area of a black surface that radiates as much as the grey walls [m²] of a
// cavity through its opening [m²].
func CavityArea(walls, opening, emissivity float64) float64 {
	if emissivity == 0 {
		return 0
	}
	return 1 / ((1-emissivity)/(emissivity*walls) + 1/opening)
}

// Fourth returns T⁴ - Ta⁴ for a rise above ambient without cancellation.
func Fourth(rise, ambient float64) float64 {
	t := ambient + rise
	return rise * (t + ambient) * (math.Pow(t, 2) + math.Pow(ambient, 2))
}
