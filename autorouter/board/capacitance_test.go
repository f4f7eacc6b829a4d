package board

import (
	"math"
	"testing"
)

// TestCapacitance verifies the notations of IEC 60062 and those of KiCad projects.
func TestCapacitance(t *testing.T) {
	for _, c := range []struct {
		value string
		want  float64 // 0 if the value states no capacitance
	}{
		{"100n", 100e-9}, {"100nF", 100e-9}, {"0.1uF", 0.1e-6}, {"4.7 µF", 4.7e-6}, {"4u7", 4.7e-6},
		{"0u1", 0.1e-6}, {"2p2", 2.2e-12}, {"22uF/10V", 22e-6}, {"10u 25V", 10e-6},
		{"4,7n", 4.7e-9},
		{"1mF", 1e-3}, {"33pF", 33e-12}, {"100n_X7R", 100e-9}, {"18p", 18e-12},
		{"", 0}, {"C", 0}, {"104", 0}, {"0.1", 0}, {"10k", 0}, {"100nH", 0}, {"DNP", 0},
		{"4.7n7", 0}, {"F", 0}, {"1e9n", 0},
	} {
		got, ok := (&Component{Value: c.value}).Capacitance()
		if ok != (c.want != 0) || math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%q: %g, %t; want %g", c.value, got, ok, c.want)
		}
	}
}
