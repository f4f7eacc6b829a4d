package propagation

import "math"

// hataDecade is the loss per decade of distance [dB] of Okumura-Hata with a base antenna [m].
func hataDecade(base float64) float64 { return 44.9 - 6.55*math.Log10(base) }

// hataMobile is the correction for the mobile antenna [m] of Hata 1980: equation 13 for a small or
// medium city, equations 14 and 15 for a large one.
func hataMobile(freqMHz, mobile float64, largeCity bool) float64 {
	f := math.Log10(freqMHz)
	switch {
	case largeCity && freqMHz >= 400:
		x := math.Log10(11.75 * mobile)
		return 3.2*x*x - 4.97
	case largeCity:
		x := math.Log10(1.54 * mobile)
		return 8.29*x*x - 1.1
	}
	return (1.1*f-0.7)*mobile - (1.56*f - 0.8)
}

// hataAt1km is the median loss at 1 km [dB]: Hata 1980, equations 12 to 17.
func hataAt1km(freqMHz, base, mobile float64, environment string) float64 {
	f := math.Log10(freqMHz)
	at1km := 69.55 + 26.16*f - 13.82*math.Log10(base) - hataMobile(freqMHz, mobile,
		environment == "dense_urban")
	switch environment {
	case "suburban":
		x := math.Log10(freqMHz / 28)
		at1km -= 2*x*x + 5.4
	case "open":
		at1km -= 4.78*f*f - 18.33*f + 40.94
	}
	return at1km
}

// HataLossDB returns the median loss [dB] of Okumura-Hata between a base and a mobile antenna [m]
// over a distance [km]. The environment is open, suburban, urban (small or medium city) or
// dense_urban (large city). Measured: 150 to 1500 MHz, 30 to 200 m, 1 to 10 m, 1 to 20 km.
func HataLossDB(freqMHz, base, mobile, distKm float64, environment string) float64 {
	return hataAt1km(freqMHz, base, mobile, environment) + hataDecade(base)*math.Log10(distKm)
}

// COST231LossDB returns the median loss [dB] of COST 231-Hata (COST 231 final report, section
// 4.4.1) from 1500 to 2000 MHz in a medium city or suburb, 3 dB more in a metropolitan centre.
func COST231LossDB(freqMHz, base, mobile, distKm float64, metropolitan bool) float64 {
	loss := 46.3 + 33.9*math.Log10(freqMHz) - 13.82*math.Log10(base) - hataMobile(freqMHz,
		mobile, false) +
		hataDecade(base)*math.Log10(distKm)
	if metropolitan {
		loss += 3
	}
	return loss
}

// PlaneEarthLossDB returns the loss [dB] of the direct and the ground-reflected ray far beyond
// their last interference: d⁴/(h1 h2)² (Rappaport, Wireless Communications, 2nd edition,
// equation 4.53). All lengths have one unit.
func PlaneEarthLossDB(distance, h1, h2 float64) float64 {
	return 40*math.Log10(distance) - 20*math.Log10(h1*h2)
}

// Crossover returns the distance at which free space and PlaneEarthLossDB have the same loss,
// 4π h1 h2/λ, in the unit of the arguments.
func Crossover(h1, h2, wavelength float64) float64 { return 4 * math.Pi * h1 * h2 / wavelength }

// DiffractionParameter returns ν of an obstacle that rises height above the straight line between
// the antennas, at distances d1 and d2 from them (ITU-R P.526-15, equation 26). All lengths have
// one unit; height is negative below the line.
func DiffractionParameter(height, d1, d2, wavelength float64) float64 {
	return height * math.Sqrt(2/wavelength*(1/d1+1/d2))
}

// KnifeEdgeLossDB returns the loss [dB] over free space of a knife edge with a diffraction
// parameter ν: ITU-R P.526-15, equation 31, above -0.78, and 0 below.
func KnifeEdgeLossDB(v float64) float64 {
	if v <= -0.78 {
		return 0
	}
	return 6.9 + 20*math.Log10(math.Hypot(v-0.1, 1)+v-0.1)
}
