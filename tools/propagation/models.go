package propagation

import "math"

// hataDecade returns the loss per decade of distance [dB] in the Okumura-Hata model for a base
// antenna height [m].
func hataDecade(base float64) float64 { return 44.9 - 6.55*math.Log10(base) }

// hataMobile returns the correction for the mobile antenna height [m] of Hata 1980. Equation 13 is
// for small and medium cities, equations 14 and 15 are for large cities.
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

// hataAt1km returns the median loss at 1 km [dB] (Hata 1980, equations 12 to 17).
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

// HataLossDB returns the median loss [dB] of the Okumura-Hata model between base and mobile
// antennas [m] over a distance [km]. environment is open, suburban, urban (small or medium city) or
// dense_urban (large city). Validity: 150 to 1500 MHz, base 30 to 200 m, mobile 1 to 10 m, distance
// 1 to 20 km.
func HataLossDB(freqMHz, base, mobile, distKm float64, environment string) float64 {
	return hataAt1km(freqMHz, base, mobile, environment) + hataDecade(base)*math.Log10(distKm)
}

// COST231LossDB returns the median loss [dB] of the COST 231-Hata model (COST 231 final report,
// section 4.4.1). It is valid from 1500 to 2000 MHz. Metropolitan centres have 3 dB more than
// medium cities and suburbs.
func COST231LossDB(freqMHz, base, mobile, distKm float64, metropolitan bool) float64 {
	loss := 46.3 + 33.9*math.Log10(freqMHz) - 13.82*math.Log10(base) - hataMobile(freqMHz,
		mobile, false) +
		hataDecade(base)*math.Log10(distKm)
	if metropolitan {
		loss += 3
	}
	return loss
}

// PlaneEarthLossDB returns the loss [dB] of the two-ray model far beyond the last interference:
// d⁴/(h1 h2)² (Rappaport, Wireless Communications, 2nd edition, equation 4.53). All lengths must
// have the same unit.
func PlaneEarthLossDB(distance, h1, h2 float64) float64 {
	return 40*math.Log10(distance) - 20*math.Log10(h1*h2)
}

// Crossover returns the distance at which free-space loss and PlaneEarthLossDB are equal, 4π h1
// h2/λ, in the unit of the arguments.
func Crossover(h1, h2, wavelength float64) float64 { return 4 * math.Pi * h1 * h2 / wavelength }

// DiffractionParameter returns the ν of an obstacle (ITU-R P.526-15, equation 26). The obstacle
// exceeds the straight line between the antennas by height, at distances d1 and d2 from them.
// height is negative below the line. All lengths must have the same unit.
func DiffractionParameter(height, d1, d2, wavelength float64) float64 {
	return height * math.Sqrt(2/wavelength*(1/d1+1/d2))
}

// KnifeEdgeLossDB returns the diffraction loss [dB] of a knife edge relative to free space. It
// applies ITU-R P.526-15, equation 31, for ν above -0.78, and returns 0 otherwise.
func KnifeEdgeLossDB(v float64) float64 {
	if v <= -0.78 {
		return 0
	}
	return 6.9 + 20*math.Log10(math.Hypot(v-0.1, 1)+v-0.1)
}
