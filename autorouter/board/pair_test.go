package board

import (
	"reflect"
	"testing"
)

// TestNamedPairs verifies that the usual net names of differential pairs are recognized, and that
// names of supplies and other nets are not.
func TestNamedPairs(t *testing.T) {
	for _, c := range []struct {
		name  string
		nets  []string
		pairs [][2]int
	}{
		{"endings", []string{"USB_DP", "USB_DM", "TX_P", "TX_N", "D+", "D-", "ADN", "ADP"},
			[][2]int{{0, 1}, {2, 3}, {4, 5}, {7, 6}}},
		{"case and sheets", []string{"/usb/d+", "/usb/d-", "/eth/rx_p", "/eth/RX_N"},
			[][2]int{{0, 1}, {2, 3}}},
		{"a net named after a pad", []string{"Net-(J1-D-)", "Net-(J1-D+)"}, [][2]int{{1, 0}}},
		{"one alone", []string{"A_P", "B_N", "D+"}, nil},
		{"no name left", []string{"+", "-", "_P", "_N"}, nil},
		{"direct current", []string{"BAT+", "BAT-", "MOTOR_P", "MOTOR_N", "V+", "V-", "VIN+",
			"VIN-", "VREF+", "VREF-", "VS+", "VS-",
			"POE_A+", "POE_A-"}, nil},
		{"charge pumps", []string{"C1+", "C1-", "/rs232/C2+", "/rs232/C2-", "C+", "C-",
			"Net-(U1-C1+)", "Net-(U1-C1-)"}, nil},
		{"not a charge pump", []string{"CC1+", "CC1-"}, [][2]int{{0, 1}}},
		{"skipped", []string{"SKIP+", "SKIP-"}, nil},
	} {
		var nets []Net
		for _, n := range c.nets {
			nets = append(nets, Net{Name: n})
		}
		rules := Rules{Classes: []Class{{Name: "default", PairWidth: 2, PairGap: 3}}}
		var got [][2]int
		for _, p := range rules.NamedPairs(nets, func(i int) bool { return nets[i].Name == "SKIP-" }) {
			got = append(got, [2]int{p.Positive, p.Negative})
			if p.Width != 2 || p.Gap != 3 {
				t.Errorf("%s: width %d, gap %d; want those of the class", c.name, p.Width, p.Gap)
			}
		}
		if !reflect.DeepEqual(got, c.pairs) {
			t.Errorf("%s: %v, want %v", c.name, got, c.pairs)
		}
	}
}

// TestBarrel verifies the barrel lengths of vias in boards 1.6 mm thick.
func TestBarrel(t *testing.T) {
	if got := TwoLayers().Barrel(0, 1); got != MM(1.6) {
		t.Errorf("two layers: %d", got)
	}
	if got := Layers(4).Barrel(2, 0); got != MM(1.6)*2/3 {
		t.Errorf("from the third layer of four to the first: %d", got)
	}
}
