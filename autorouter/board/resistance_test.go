package board

import (
	"math"
	"testing"
)

// TestResistance verifies the notations of IEC 60062 and those of KiCad projects.
func TestResistance(t *testing.T) {
	for _, c := range []struct {
		ref, value string
		want       float64
		ok         bool
	}{
		{"R1", "100k", 100e3, true}, {"R1", "100K", 100e3, true}, {"R1", "4M7", 4.7e6, true},
		{"R1", "1Meg", 1e6, true}, {"R1", "2.2M 1206", 2.2e6, true}, {"R1", "10R", 10, true},
		{"R1", "0R", 0, true}, {"R1", "0", 0, true}, {"R1", "2R2", 2.2, true},
		{"R1", "4,7 kΩ", 4.7e3, true}, {"R1", "1k 1%", 1e3, true}, {"R1", "1G", 1e9, true},
		{"R1", "5m", 5e-3, true}, {"R1", "120 Ohm", 120, true}, {"R1", "470k/0.25W", 470e3, true},
		{"R1", "DNP", 0, false}, {"R1", "", 0, false}, {"R1", "100n", 0, false},
		{"R1", "4.7k7", 0, false}, {"C1", "100k", 0, false}, {"RV1", "100k", 0, false},
	} {
		got, ok := (&Component{Ref: c.ref, Value: c.value}).Resistance()
		if ok != c.ok || math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%s %q: %g, %t; want %g, %t", c.ref, c.value, got, ok, c.want, c.ok)
		}
	}
}
