package wire

import (
	"math"
	"testing"
)

// NEC annex C, tables C.1, C.9 and C.11: the most THHN conductors of a size in a conduit.
func TestConduitSizeAgainstAnnexC(t *testing.T) {
	for _, c := range []struct {
		conduit, tradeSize string
		gauge              Gauge
		most               int
	}{
		{"emt", "1/2", "14", 12}, {"emt", "1/2", "12", 9}, {"emt", "1/2", "10", 5}, {"emt", "3/4", "12", 16}, {"emt", "1", "10", 16},
		{"emt", "1", "8", 9}, {"emt", "1 1/4", "6", 11}, {"emt", "2", "1/0", 7}, {"emt", "4", "500 kcmil", 8},
		{"rmc", "3/4", "12", 16}, {"rmc", "2", "3/0", 5}, {"pvc_40", "1/2", "12", 8}, {"pvc_40", "3/4", "12", 15},
	} {
		if got, fill, ok := ConduitSize(c.gauge, c.most, c.conduit); !ok || got != c.tradeSize || fill > 40.2 {
			t.Errorf("%d of %s in %s: %q, %.3g %%, want %s", c.most, c.gauge, c.conduit, got, fill, c.tradeSize)
		}
		if got, _, _ := ConduitSize(c.gauge, c.most+1, c.conduit); got == c.tradeSize {
			t.Errorf("%d of %s still fit %s %s", c.most+1, c.gauge, c.conduit, c.tradeSize)
		}
	}
	if _, _, ok := ConduitSize("1750 kcmil", 3, "emt"); ok {
		t.Error("table 5 has no 1750 kcmil THHN")
	}
	if _, _, ok := ConduitSize("1000 kcmil", 40, "rmc"); ok {
		t.Error("40 conductors of 1000 kcmil fit a conduit")
	}
}

// A larger conductor or conduit has a larger area, and the exact fill of one conductor is by hand:
// 3/0 in 3/4 inch EMT fills 0.2679/0.533 = 50.3 %, below 53 %.
func TestConduitAreasRise(t *testing.T) {
	for name, areas := range conduitAreas {
		for i := 1; i < len(areas); i++ {
			if areas[i] <= areas[i-1] {
				t.Errorf("%s: trade size %s is not larger than %s", name, tradeSizes[i], tradeSizes[i-1])
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
