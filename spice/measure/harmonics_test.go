package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHarmonicsOfSegments compares projectHarmonics with project at each harmonic, for segments
// from 1e-7 to 0.1 of the period.
func TestHarmonicsOfSegments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := &series{x: []float64{5}, y: []float64{1}}
	for at := 0.0; at < 1; at += math.Pow(10, -1-6*random.Float64()) {
		s.x, s.y = append(s.x, 5+at), append(s.y, random.Float64())
	}
	sin, cos := s.projectHarmonics(0.3, 2*math.Pi)
	for n := 1; n <= harmonics; n++ {
		a, b := s.project(0.3, 2*math.Pi*float64(n))
		if math.Hypot(sin[n]-a, cos[n]-b) > 1e-13 {
			t.Errorf("harmonic %d: %g and %g, want %g and %g", n, sin[n], cos[n], a, b)
		}
	}
}
