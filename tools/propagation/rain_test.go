package propagation

import (
	"math"
	"testing"
)

// TestRainCoefficients compares the fit with table 5 of ITU-R P.838-3.
func TestRainCoefficients(t *testing.T) {
	for _, row := range []struct {
		ghz, kH, alphaH, kV, alphaV float64
	}{
		{10, 0.01217, 1.2571, 0.01129, 1.2156},
		{12, 0.02386, 1.1825, 0.02455, 1.1216},
		{20, 0.09164, 1.0568, 0.09611, 0.9847},
		{30, 0.2403, 0.9485, 0.2291, 0.9129},
		{40, 0.4431, 0.8673, 0.4274, 0.8421},
		{100, 1.3671, 0.6815, 1.3680, 0.6765},
	} {
		kH, alphaH := rainCoefficients(row.ghz, "horizontal")
		kV, alphaV := rainCoefficients(row.ghz, "vertical")
		for _, c := range [...][2]float64{{kH, row.kH}, {alphaH, row.alphaH}, {kV, row.kV},
			{alphaV, row.alphaV}} {
			if math.Abs(c[0]-c[1]) > 5e-4*c[1] {
				t.Errorf("%g GHz: %g, table 5 has %g", row.ghz, c[0], c[1])
			}
		}
	}
}

// TestRainLossGrows verifies a higher loss for more rain and for a longer path. It also verifies
// the cap of the distance factor on short paths.
func TestRainLossGrows(t *testing.T) {
	last := 0.0
	for _, rate := range []float64{1, 5, 20, 60, 150, 300} {
		loss := RainLossDB(18, 10, rate, "vertical")
		if loss <= last {
			t.Errorf("%g mm/h cost %g dB, no more than less rain", rate, loss)
		}
		last = loss
	}
	k, alpha := rainCoefficients(18, "vertical")
	if got, want := RainLossDB(18, 0.01, 20, "vertical"),
		2.5*0.01*k*math.Pow(20, alpha); math.Abs(got-want) > 1e-12 {
		t.Errorf("10 m cost %g dB, 2.5 times the specific attenuation is %g", got, want)
	}
}
