package propagation

import (
	"math"
	"testing"
)

// These constants are the heights of base and mobile [m] for Okumura-Hata and COST 231-Hata in a
// small or medium city at 1 km.
const baseM, mobileM = 30.0, 1.5

// mobileCorrection returns Hata's a(h_m) for a small or medium city.
func mobileCorrection(fMHz float64) float64 {
	return (1.1*math.Log10(fMHz)-0.7)*mobileM - (1.56*math.Log10(fMHz) - 0.8)
}

// hataUrban returns the urban loss of M. Hata 1980, for 150 to 1500 MHz.
func hataUrban(fMHz, km float64) float64 {
	return 69.55 + 26.16*math.Log10(fMHz) - 13.82*math.Log10(baseM) - mobileCorrection(fMHz) +
		(44.9-6.55*math.Log10(baseM))*math.Log10(km)
}

// hataSuburban returns Hata's loss with the suburban correction.
func hataSuburban(fMHz, km float64) float64 {
	l := math.Log10(fMHz / 28)
	return hataUrban(fMHz, km) - 2*l*l - 5.4
}

// cost231Metropolitan returns the loss of the COST 231 final report, section 4.4.1, C_m = 3 dB, for
// 1500 to 2000 MHz.
func cost231Metropolitan(fMHz, km float64) float64 {
	return 46.3 + 33.9*math.Log10(fMHz) - 13.82*math.Log10(baseM) - mobileCorrection(fMHz) +
		(44.9-6.55*math.Log10(baseM))*math.Log10(km) + 3
}

// buildingEntry returns the median loss of ITU-R P.2109-1 for horizontal paths into a traditional
// building.
func buildingEntry(fGHz float64) float64 {
	l := math.Log10(fGHz)
	return 12.64 + 3.72*l + 0.96*l*l
}

// freeSpace returns the loss of ITU-R P.525, with its constant for MHz and km, 20 log10(4π·1e9/c).
func freeSpace(fMHz, km float64) float64 { return 32.44778 + 20*math.Log10(fMHz*km) }

func TestTerrainLoss(t *testing.T) {
	const f = 915.0
	for _, c := range []struct {
		terrain         string
		fixed, computed float64
		tolerance       float64
	}{
		{"open", 0, 0, 0},
		{"suburban", 25, hataSuburban(f, 1) - freeSpace(f, 1), 0.1},
		{"urban", 35, hataUrban(f, 1) - freeSpace(f, 1), 0.1},
		{"dense_urban", 40, cost231Metropolitan(1500, 1) - freeSpace(1500, 1), 0.6},
		{"indoor", 50, hataUrban(f, 1) - freeSpace(f, 1) + buildingEntry(f/1e3), 2.6},
	} {
		if got := TerrainLossDB(c.terrain); got != c.fixed ||
			math.Abs(got-c.computed) > c.tolerance {
			t.Errorf("%s: table %g dB, specified %g, computed %.2f", c.terrain, got,
				c.fixed, c.computed)
		}
	}
	// The expected values are those in the comment on terrainLoss.
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"suburban", hataSuburban(f, 1) - freeSpace(f, 1), 24.9},
		{"urban", hataUrban(f, 1) - freeSpace(f, 1), 34.9},
		{"metropolitan", cost231Metropolitan(1500, 1) - freeSpace(1500, 1), 40.6},
		{"building entry", buildingEntry(f / 1e3), 12.5},
	} {
		if math.Abs(c.got-c.want) > 0.0501 {
			t.Errorf("%s: %.3f dB, quoted %g", c.what, c.got, c.want)
		}
	}
}

// TestSlopeAndHorizon compares the slope with Hata's for a 30 m base, and the horizon with that of
// an earth of 4/3 radius.
func TestSlopeAndHorizon(t *testing.T) {
	if slope := hataUrban(915, 10) - hataUrban(915, 1); math.Abs(slope-HataSlope) > 0.05 {
		t.Errorf("slope %g dB a decade, want %.3f", HataSlope, slope)
	}
	if slope := freeSpace(915, 10) - freeSpace(915, 1); math.Abs(slope-FreeSlope) > 1e-9 {
		t.Errorf("slope %g dB a decade, want %.3f", FreeSlope, slope)
	}
	// The horizon is √(2·k·R·h) with k = 4/3, R = 6371 km, h in km.
	want := math.Sqrt(2*4.0/3*6371*0.010) + math.Sqrt(2*4.0/3*6371*0.002)
	if got := (Heights{10, 2}).horizon(); math.Abs(got/want-1) > 5e-4 {
		t.Errorf("horizon %g km, want %g", got, want)
	}
}
