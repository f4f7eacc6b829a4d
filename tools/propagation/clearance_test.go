package propagation

import (
	"math"
	"testing"
)

// TestLeastClearance compares with the point of reflection h1 d/(h1 + h2) over a plane, where the
// clearance is smallest. Over the curved earth it compares with samples at 200,000 places.
func TestLeastClearance(t *testing.T) {
	plane := []struct{ h1, h2, distance, want float64 }{
		{30, 30, 1000, 0.5},
		{30, 10, 1000, 0.75},
		{30, 0.1, 1000, 30 / 30.1},
		{0.1, 30, 1000, 0.1 / 30.1},
		{0, 30, 100e3, 6 * 0.125 / 100e3},
		{30, 0, 10, 0.99},
	}
	for _, c := range plane {
		got := LeastClearance(c.h1, c.h2, c.distance, 0.125, 1e30)
		if math.Abs(got-c.want) > 1e-6 {
			t.Errorf("plane, %g and %g m: got %g, want %g", c.h1, c.h2, got, c.want)
		}
	}
	const radius = 4.0 / 3 * 6371e3
	earth := []struct{ h1, h2, distance, wavelength float64 }{
		{218.4751, 3.155868, 14521.5, 2.0935}, {100, 5, 40e3, 0.33}, {30, 30, 50e3, 0.05},
		{10, 2, 5e3, 0.125}, {300, 0.5, 60e3, 0.125}, {5, 5, 10e3, 0.125},
	}
	for _, c := range earth {
		clearance := func(p float64) float64 {
			height := c.h1 + (c.h2-c.h1)*p - c.distance*c.distance*p*(1-p)/(2*radius)
			return height / math.Sqrt(c.wavelength*c.distance*p*(1-p))
		}
		least := math.Inf(1)
		const places = 200_000
		for i := 1; i < places; i++ {
			least = min(least, clearance(float64(i)/places))
		}
		got := clearance(LeastClearance(c.h1, c.h2, c.distance, c.wavelength, radius))
		if math.Abs(got-least) > 1e-5*math.Abs(least) {
			t.Errorf("%+v: clearance %g, want %g", c, got, least)
		}
	}
}
