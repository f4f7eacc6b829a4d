package wire

import (
	"math"
	"testing"
)

// TestConduitSizeAgainstAnnexC compares the maximum number of THHN conductors of a size in a
// conduit with NEC annex C, tables C.1, C.9 and C.11.
func TestConduitSizeAgainstAnnexC(t *testing.T) {
	check := func(conduit, tradeSize string, gauge Gauge, most int) {
		t.Helper()
		if got, fill, ok := ConduitSize(gauge, most, conduit); !ok || got != tradeSize ||
			fill > 66.3 || most > 2 && fill > 42.9 {
			t.Errorf("%d of %s in %s: %q, %.3g %%, want %s", most, gauge, conduit, got,
				fill, tradeSize)
		}
		if got, _, _ := ConduitSize(gauge, most+1, conduit); got == tradeSize {
			t.Errorf("%d of %s still fit %s %s", most+1, gauge, conduit, tradeSize)
		}
	}
	for gauge, most := range map[Gauge][10]int{
		"14": {12, 22, 35, 61, 84, 138, 241, 364, 476, 608}, "12": {9, 16, 26, 45, 61, 101, 176,
			266, 347, 443},
		"10": {5, 10, 16, 28, 38, 63, 111, 167, 219, 279},
		"8":  {3, 6, 9, 16, 22, 36, 64, 96, 126, 161},
		"6":  {2, 4, 7, 12, 16, 26, 46, 69, 91, 116}, "4": {1, 2, 4, 7, 10, 16, 28, 43, 56, 71},
		"3": {1, 1, 3, 6, 8, 13, 24, 36, 47, 60}, "2": {1, 1, 3, 5, 7, 11, 20, 30, 40, 51},
	} {
		for i, n := range most {
			if i > 0 && n == most[i-1] {
				continue // the smaller conduit has the same maximum
			}
			check("emt", tradeSizes[i], gauge, n)
		}
	}
	check("emt", "1/2", "1/0", 1)
	check("emt", "3/4", "2/0", 1)
	check("emt", "2", "1/0", 7)
	check("emt", "4", "500 kcmil", 8)
	check("rmc", "3/4", "12", 16)
	check("rmc", "2", "3/0", 5)
	check("pvc_40", "1/2", "12", 8)
	check("pvc_40", "3/4", "12", 15)
	if _, _, ok := ConduitSize("1750 kcmil", 3, "emt"); ok {
		t.Error("table 5 has no 1750 kcmil THHN")
	}
	if _, _, ok := ConduitSize("1000 kcmil", 40, "rmc"); ok {
		t.Error("40 conductors of 1000 kcmil fit a conduit")
	}
}

// TestConduitAreasRise verifies that a larger conductor or conduit has a larger area. It also
// compares the fill of a 3/4 inch EMT by a 3/0 conductor with 0.2679/0.533 = 50.3 %, which is below
// 53 %.
func TestConduitAreasRise(t *testing.T) {
	for name, areas := range conduitAreas {
		for i := 1; i < len(areas); i++ {
			if areas[i] <= areas[i-1] {
				t.Errorf("%s: trade size %s is not larger than %s", name, tradeSizes[i],
					tradeSizes[i-1])
			}
		}
	}
	for i := 1; i < len(sizes); i++ {
		if a, b := thhnAreas[sizes[i-1].gauge], thhnAreas[sizes[i].gauge]; b > 0 && b <= a {
			t.Errorf("THHN %s is not larger than %s", sizes[i].gauge, sizes[i-1].gauge)
		}
	}
	if size, fill, _ := ConduitSize("3/0", 1, "emt"); size != "3/4" || math.Abs(fill-50.26) > 0.01 {
		t.Errorf("one 3/0: %s, %.4g %%", size, fill)
	}
}
