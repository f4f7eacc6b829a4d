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
		{"R1", "100 000", 100e3, true}, {"R1", "1 000 000 Ω", 1e6, true},
		{"R1", "4K7J", 4.7e3, true}, {"R1", "100KF 0.1W", 100e3, true}, {"R1", "47J", 47, true},
		{"R1", "1MM", 1e6, true}, {"R1", "100 0603", 100, true},
		{"R1", "4.7 5%", 4.7, true},
		{"R1", "100 805", 100, true}, {"R1", "220 603 5%", 220, true},
		{"R1", "102 000", 102e3, true},
		{"R1", "1 210", 1210, true}, {"R1", "100 nF", 0, false},
		{"R1", "10 uH", 0, false}, {"R1", "4K7X", 0, false},
		{"R1", "DNP", 0, false}, {"R1", "", 0, false}, {"R1", "100n", 0, false},
		{"R1", "4.7k7", 0, false}, {"C1", "100k", 0, false}, {"RV1", "100k", 0, false},
	} {
		got, ok := (&Component{Ref: c.ref, Value: c.value}).Resistance()
		if ok != c.ok || math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%s %q: %g, %t; want %g, %t", c.ref, c.value, got, ok, c.want, c.ok)
		}
	}
}

// TestOtherQuantity verifies which values state a quantity that is not that of their part.
func TestOtherQuantity(t *testing.T) {
	for _, c := range []struct{ ref, value, want string }{
		{"R1", "100 nF", "capacitance"}, {"R1", "4.7uF/10V", "capacitance"},
		{"R1", "10 µH", "inductance"}, {"C1", "10uH", "inductance"}, {"C1", "10 kΩ", "resistance"},
		{"C1", "100 ohm", "resistance"}, {"C1", "104K", ""}, {"C1", "100nF", ""}, {"R1", "100F", ""},
		{"R1", "100KF", ""}, {"R1", "10 kΩ", ""}, {"FB1", "600 Ω", ""}, {"U1", "100nF", ""},
		{"R1", "", ""}, {"C1", "2.2nFoo", ""},
	} {
		if got := (&Component{Ref: c.ref, Value: c.value}).OtherQuantity(); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.ref, c.value, got, c.want)
		}
	}
}
