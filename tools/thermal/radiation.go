package thermal

import (
	"math"

	"slipstick/tools/phys"
)

// RadiantFilm is the film that carries the radiation of a black surface at one temperature to
// surroundings at another, both in kelvin: σ(T⁴ - Ta⁴)/(T - Ta), written so that nothing cancels.
func RadiantFilm(surface, around float64) float64 {
	return phys.Stefan * (surface*surface + around*around) * (surface + around)
}

// CavityArea is the area of a black surface that radiates as much as grey walls [m²] do through
// the opening [m²] of the cavity they form.
func CavityArea(walls, opening, emissivity float64) float64 {
	if emissivity == 0 {
		return 0
	}
	return 1 / ((1-emissivity)/(emissivity*walls) + 1/opening)
}

// Fourth is T⁴ - Ta⁴ for a rise over the ambient temperature, without cancellation.
func Fourth(rise, ambient float64) float64 {
	t := ambient + rise
	return rise * (t + ambient) * (math.Pow(t, 2) + math.Pow(ambient, 2))
}
