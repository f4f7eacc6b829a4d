package wire

import "testing"

// TestAmbientFactors compares all 39 cells with NEC 2023 table 310.15(B)(1)(1).
func TestAmbientFactors(t *testing.T) {
	edges := []float64{10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85}
	for rating, column := range map[int][]float64{
		60: {1.29, 1.22, 1.15, 1.08, 1.00, .91, .82, .71, .58, .41},
		75: {1.20, 1.15, 1.11, 1.05, 1.00, .94, .88, .82, .75, .67, .58, .47, .33},
		90: {1.15, 1.12, 1.08, 1.04, 1.00, .96, .91, .87, .82, .76, .71, .65, .58, .50, .41, .29},
	} {
		for i, edge := range edges {
			for _, c := range []float64{edge - 4, edge - 0.5, edge} {
				got, ok := ambientFactor(c, rating)
				if ok != (i < len(column)) {
					t.Errorf("%g °C, %d °C insulation: allowed is %v", c, rating, ok)
				} else if ok && got != column[i] {
					t.Errorf("%g °C, %d °C insulation: %g, table says %g", c, rating,
						got, column[i])
				}
			}
		}
	}
	if got, _ := ambientFactor(-40, 90); got != 1.15 {
		t.Errorf("-40 °C: %g, the lowest band says 1.15", got)
	}
}

func TestBundlingFactors(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 3: 1, 4: .8, 6: .8, 7: .7, 9: .7, 10: .5, 20: .5,
		21: .45, 30: .45, 31: .4, 40: .4, 41: .35, 1000: .35} {
		if got := bundlingFactor(n); got != want {
			t.Errorf("%d conductors: %g, want %g", n, got, want)
		}
	}
}

func TestDevices(t *testing.T) {
	sum := deviceSizes[0]
	for i := 1; i < len(deviceSizes); i++ {
		sum += deviceSizes[i]
		if deviceSizes[i] <= deviceSizes[i-1] {
			t.Errorf("%g A is out of order", deviceSizes[i])
		}
	}
	if len(deviceSizes) != 38 || sum != 32305 { // sum of table 240.6(A) of the 2023 edition
		t.Errorf("%d sizes with the sum %g, want 38 with 32305", len(deviceSizes), sum)
	}
	for _, c := range []struct{ ampacity, device float64 }{
		// 240.4(B) selects the next size up.
		{3, 10}, {10, 10}, {10.1, 15}, {15, 15}, {15.1, 20}, {20 * (1 + 1e-12), 20}, {55, 60},
		{701, 800}, {800, 800},
		// 240.4(C) does not allow the next size up.
		{801, 800}, {999, 800}, {1000 * (1 - 1e-12), 1000}, {1595, 1200}, {9000, 6000},
	} {
		if got := DeviceFor(c.ampacity); got != c.device {
			t.Errorf("device for %g A: %g, want %g", c.ampacity, got, c.device)
		}
	}
	if got := DeviceAtLeast(6001); got != nil {
		t.Errorf("device for 6001 A: %g", *got)
	}
}
