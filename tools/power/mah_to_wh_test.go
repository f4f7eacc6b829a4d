package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestMAhToWh(t *testing.T) {
	tooltest.Examples(t, MAhToWh)
	tooltest.Cases(t, MAhToWh, []tooltest.Case{
		{"contract: 20 Ah · 3.7 V", `{"capacity_mah":20000,"voltage_v":3.7}`, `{"mah":20000,"ah":20,"wh":74.0000000,"kwh":0.0740000,"joules":266400.000,"coulombs":72000.000,"total_wh":74.0000000,"air_travel":"carry_on_ok","warnings":[]}`},
		{"27000 mAh at 3.7 V is the 99.9 Wh of power banks for flights",
			`{"capacity_mah":27000,"voltage_v":3.7}`, `{"wh":99.90000,"air_travel":"carry_on_ok"}`},
		{"100 Wh is still carry-on", `{"capacity_wh":100,"voltage_v":14.8}`,
			`{"wh":100,"mah":6756.7567568,"air_travel":"carry_on_ok","warnings":[]}`},
		{"binary noise above 160 does not forbid it: 10 Ah · 16 V",
			`{"capacity_mah":10000.000000001,"voltage_v":16}`, `{"air_travel":"airline_approval"}`},
		{"100.5 Wh needs the airline", `{"capacity_wh":100.5,"voltage_v":12}`,
			`{"air_travel":"airline_approval"}`},
		{"160.1 Wh is forbidden", `{"capacity_wh":160.1,"voltage_v":12}`,
			`{"air_travel":"forbidden"}`},
		{"four car batteries: 4 · 60 Ah · 12 V",
			`{"capacity_mah":60000,"voltage_v":12,"quantity":4}`, `{"wh":720.0,"total_wh":2880.0,"total_kwh":2.880,"joules":2592000.0,"coulombs":216000.0,"warnings":["~power bank"]}`},
		{"a voltage of USB, a small battery", `{"capacity_mah":5000,"voltage_v":5}`,
			`{"warnings":[]}`},
		{"1 Wh at 1 V is an ampere hour", `{"capacity_wh":1,"voltage_v":1}`,
			`{"wh":1,"mah":1000,"joules":3600,"coulombs":3600.000}`},
		{"energies below the range of a double: 1e-328 Wh",
			`{"capacity_mah":1e-320,"voltage_v":1e-5}`,
			`{"mah":1e-320,"wh":null,"kwh":null,"joules":null,"total_wh":null,"total_kwh":null,"warnings":["~wh is below","~kwh is below","~joules is below","~total_wh is below","~total_kwh is below"]}`},
		{"a total in the range of a double: 1e-328 Wh times a million",
			`{"capacity_mah":1e-320,"voltage_v":1e-5,"quantity":1000000}`,
			`{"wh":null,"total_wh":1e-322,"total_kwh":null,"joules":null,"warnings":["~wh is below","~kwh is below","~joules is below","~total_kwh is below"]}`},
		{"joules in the range of a double: 1e-324 Wh",
			`{"capacity_mah":1e-310,"voltage_v":1e-11}`,
			`{"wh":null,"joules":3.6e-321,"warnings":["~wh is below","~kwh is below","~total_wh is below","~total_kwh is below"]}`},
		{"a charge in the range of a double, 2e-324 mAh is not",
			`{"capacity_wh":2e-321,"voltage_v":1e6}`,
			`{"mah":null,"coulombs":5e-324,"warnings":["~mah is below","~ah is below","~kwh is below","~total_kwh is below","~not millivolts"]}`},
		{"millivolts as volts",
			`{"capacity_mah":10000,"voltage_v":3700}`,
			`{"wh":37000,"warnings":["~not millivolts"]}`},
	})
	tooltest.InvalidCases(t, MAhToWh, []tooltest.InvalidCase{
		{"no capacity", `{"voltage_v":3.7}`, []string{"capacity_mah"}, "capacity_mah, capacity_wh"},
		{"both", `{"voltage_v":3.7,"capacity_mah":1,"capacity_wh":1}`, []string{"capacity_mah"},
			"capacity_mah and capacity_wh"},
		{"not positive", `{"voltage_v":0,"capacity_mah":-1}`, []string{"voltage_v", "capacity_mah"},
			"greater than 0"},
		{"half a battery", `{"voltage_v":3.7,"capacity_mah":1,"quantity":1.5}`,
			[]string{"quantity"}, "whole number"},
	})
}

func TestMAhToWhRoundTrip(t *testing.T) {
	for _, v := range []float64{1.2, 3.7, 51.2} {
		out := result(t, MAhToWh, `{"capacity_mah":2345.6,"voltage_v":%g}`, v)
		back := result(t, MAhToWh, `{"capacity_wh":%.17g,"voltage_v":%g}`, number(t, out, "wh"), v)
		same(t, "mAh", number(t, back, "mah"), 2345.6)
		same(t, "J = C·V", number(t, out, "joules"), number(t, out, "coulombs")*v)
	}
}
