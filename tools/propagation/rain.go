package propagation

import "math"

// rainFit contains the parameters of the fit to a coefficient of ITU-R P.838-3: Σ a exp(-((x -
// b)/c)²) + m x + n. x is log10 of the frequency in GHz (equations 2 and 3).
type rainFit struct {
	a, b, c []float64
	m, n    float64
}

func (r rainFit) at(x float64) float64 {
	y := r.m*x + r.n
	for i, a := range r.a {
		u := (x - r.b[i]) / r.c[i]
		y += a * math.Exp(-u*u)
	}
	return y
}

// rainCoefficients returns k and α of the specific attenuation k·R^α [dB/km] on a horizontal path
// (ITU-R P.838-3, tables 1 to 4). R is the rain rate in mm/h. The fit is valid from 1 to 1000 GHz.
func rainCoefficients(freqGHz float64, polarization string) (k, alpha float64) {
	logK := rainFit{
		[]float64{-3.80595, -3.44965, -0.39902, 0.50167},
		[]float64{0.56934, -0.22911, 0.73042, 1.07319},
		[]float64{0.81061, 0.51059, 0.11899, 0.27195}, -0.16398, 0.63297,
	}
	exponent := rainFit{
		[]float64{
			-0.07771, 0.56727, -0.20238, -48.2991, 48.5833,
		},
		[]float64{2.33840, 0.95545, 1.14520, 0.791669, 0.791459},
		[]float64{-0.76284, 0.54039, 0.26809, 0.116226, 0.116479}, -0.053739, 0.83433,
	}
	if polarization == "horizontal" {
		logK = rainFit{
			[]float64{
				-5.33980, -0.35351, -0.23789, -0.94158,
			},
			[]float64{-0.10008, 1.26970, 0.86036, 0.64552},
			[]float64{1.13098, 0.45400, 0.15354, 0.16817},
			-0.18961, 0.71147,
		}
		exponent = rainFit{
			[]float64{
				-0.14318, 0.29591, 0.32177, -5.37610, 16.1721,
			},
			[]float64{1.82442, 0.77564, 0.63773, -0.96230, -3.29980},
			[]float64{-0.55187, 0.19822, 0.13164, 1.47828, 3.43990}, 0.67849, -1.95537,
		}
	}
	x := math.Log10(freqGHz)
	return math.Pow(10, logK.at(x)), exponent.at(x)
}

// RainLossDB returns the rain attenuation [dB] of a terrestrial path [km] (ITU-R P.530-18, section
// 2.4.1). The rain rate [mm/h] is that exceeded 0.01 % of the time. The distance factor, at most
// 2.5, converts the point rate to the rate along the path.
func RainLossDB(freqGHz, distKm, rate float64, polarization string) float64 {
	k, alpha := rainCoefficients(freqGHz, polarization)
	factor := 0.477*math.Pow(distKm, 0.633)*math.Pow(rate, 0.073*alpha)*math.Pow(freqGHz, 0.123) +
		10.579*math.Expm1(-0.024*distKm)
	return k * math.Pow(rate, alpha) * distKm / math.Max(factor, 1/2.5)
}
