package netlist

import (
	"math"
	"testing"

	"slipstick/autorouter/board"
)

func TestAutoPower(t *testing.T) {
	for name, want := range map[string]bool{
		"GND": true, "gnd": true, "AGND": true, "VSS": true, "VCC": true, "VCC_IO": true,
		"VDD3V3": true, "VIN": true, "VBAT+": true, "VBUS": true, "VOUT": true,
		"+5V": true, "-12V": true, "+3.3V": true, "+5": true, "3V3": true, "+3V3": true,
		"12V0": true, "5V": true, "/VCC": true, "/+5V": true,
		"DGND": false, "GND2": false, "VSSA": false, "VBUS_DET": false, "VOUT2": false,
		"OUT": false, "V": false, "+": false, "V3": false, "5": false, "SDA": false,
		"N3V3": false, "": false, "/": false, "5V_EN": false,
	} {
		if AutoPower(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestTrackWidth(t *testing.T) {
	for _, c := range []struct {
		// The values are current [A], copper weight [oz/ft²], temperature rise [K] and track width
		// [mm].
		current, oz, rise, want float64
	}{
		// IPC-2221 by hand: (3/(0.048·10^0.44))^(1/0.725) = 74.162 mil², and 74.162 mil² / 1.37795
		// mil = 53.820 mil.
		{3, 1, 10, 1.368},
		{1, 1, 10, .301}, // area 16.297 mil² and width 11.827 mil = 0.30041 mm
		{1, 2, 10, .151},
		{1, 1, 20, .198}, // narrower by the factor 2^(0.44/0.725) = 1.5231
		{0.001, 1, 10, .001},
	} {
		if got := board.ToMM(TrackWidth(c.current, c.oz, c.rise)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%g A, %g oz, %g K: %g mm, want %g", c.current, c.oz, c.rise, got, c.want)
		}
	}
}

// TestSupplies verifies that supplies are known by class or name, also in a class of the request.
func TestSupplies(t *testing.T) {
	for _, c := range []struct {
		name, class string
		noAutoPower bool
		supply      bool
		want        string // class
	}{
		{"VCC", "", false, true, "power"}, {"+5V", "wide", false, true, "wide"},
		{"VCC", "", true, false, "default"}, {"+5V", "wide", true, false, "wide"},
		{"RAIL", "power", true, true, "power"}, {"OUT", "", false, false, "default"},
	} {
		parts, _ := blinker()
		got, err := Structured(parts, []Net{{Name: c.name, Class: c.class, Pins: []string{"R1.1"}}},
			Options{NoAutoPower: c.noAutoPower, Classes: []ClassNets{{"wide", nil}}})
		if err != nil {
			t.Fatal(err)
		}
		if n := got.Nets[0]; n.Supply != c.supply || n.Class != c.want {
			t.Errorf("%+v: supply %t, class %s", c, n.Supply, n.Class)
		}
	}
}

func TestClasses(t *testing.T) {
	c, n := blinker()
	three, hundred := 3.0, 100.0
	n[0].CurrentA, n[1].CurrentA, n[2].Class = &three, &hundred, "power"
	got, err := Structured(c, n,
		Options{NoAutoPower: true, Classes: []ClassNets{{"fast", []string{"OUT"}}, {"power", nil}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []board.Net{{Class: "default", Width: 1_368_000},
		{Class: "default", Width: 5_000_000}, {Class: "power"}, {Class: "fast"}} {
		if m := got.Nets[i]; m.Class != want.Class || m.Width != want.Width {
			t.Errorf("net %s: class %s, width %d", m.Name, m.Class, m.Width)
		}
	}
	if len(got.Warnings) != 1 {
		t.Errorf("warnings %q", got.Warnings)
	}
}
