package spice

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"
	"time"

	"slipstick/spice/analysis"
)

// phasorOf returns the phasor of a vector at the first frequency. name has no suffix _mag or
// _phase_deg.
func phasorOf(t *testing.T, r *Result, name string) complex128 {
	t.Helper()
	mag, phase := math.NaN(), 0.0
	for _, v := range r.Vectors {
		if v.Name == name+"_mag" {
			mag = v.Values[0]
		}
		if v.Name == name+"_phase_deg" {
			phase = v.Values[0]
		}
	}
	return cmplx.Rect(mag, phase*math.Pi/180)
}

// TestSParameters compares S and Z parameters of networks with values computed by hand (D. M.
// Pozar, Microwave Engineering, 4th edition, section 4.3).
func TestSParameters(t *testing.T) {
	const ports = "V1 a 0 portnum 1 z0 50\nV2 b 0 dc 0 ac 0 portnum 2 z0 50\n"
	for _, c := range []struct {
		name, body string
		want       map[string]complex128
	}{
		{"3 dB attenuator, table 4.1 of Pozar", ports + "R1 a m 8.56\nR2 m b 8.56\nR3 m 0 141.8",
			map[string]complex128{"s_1_1": 0, "s_2_1": 0.707, "s_1_2": 0.707, "z_1_1": 150.36,
				"z_2_1": 141.8}},
		{"matched load", "V1 a 0 portnum 1\nR1 a 0 50", map[string]complex128{"s_1_1": 0,
			"z_1_1": 50, "y_1_1": 0.02}},
		{"short of 0 ohm", "V1 a 0 portnum 1 z0 75\nR1 a 0 1n", map[string]complex128{"s_1_1": -1}},
		{"series resistor of 50 ohm", ports + "R1 a b 50", map[string]complex128{"s_1_1": 1.0 / 3,
			"s_2_1": 2.0 / 3, "y_1_2": -0.02}},
		{"capacitor of 1/w = 50 ohm", "V1 a 0 portnum 1\nC1 a 0 3.183098861837907n",
			map[string]complex128{"s_1_1": -1i, "y_1_1": 0.02i}},
		{"ideal amplifier between 50 and 75 ohm",
			"V1 a 0 portnum 1\nR1 a 0 50\nE1 c 0 a 0 10\nR2 c b 75\nV2 b 0 portnum 2 z0 75",
			map[string]complex128{"s_1_1": 0, "s_2_2": 0, "s_1_2": 0,
				"s_2_1": complex(5*math.Sqrt(50.0/75), 0)}},
	} {
		r, err := Simulate(context.Background(),
			Request{Netlist: "t\n" + c.body + "\n.sp lin 1 1meg 1meg\n.end"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for name, want := range c.want {
			if got := phasorOf(t, r, name); !(cmplx.Abs(got-want) < 1e-3*(1e-1+cmplx.Abs(want))) {
				t.Errorf("%s: %s = %.6g, want %.6g; %v", c.name, name, got, want, r.Warnings)
			}
		}
	}
}

// TestTouchstone compares files with the Touchstone specification. There is one line per frequency
// for up to two ports, and one line per row for three ports. Different reference resistances
// require version 2.0.
func TestTouchstone(t *testing.T) {
	for body, want := range map[string]string{
		"V1 a 0 portnum 1\nR1 a 0 150":                                           "# Hz S RI R 50\n1000000 0.5 0\n",
		"V1 a 0 portnum 1\nR1 a 0 50\nE1 c 0 a 0 2\nR2 c b 50\nV2 b 0 portnum 2": "# Hz S RI R 50\n1000000 0 0 1 0 0 0 0 0\n",
		"V1 a 0 portnum 1\nR1 a 0 50\nR2 b 0 100\nV2 b 0 portnum 2 z0 100": "[Version] 2.0\n# Hz S RI R 50\n[Number of Ports] 2\n" +
			"[Two-Port Data Order] 21_12\n[Number of Frequencies] 1\n[Reference] 50 100\n[Network Data]\n1000000 0 0 0 0 0 0 0 0\n[End]\n",
		"V1 a 0 portnum 1\nV2 b 0 portnum 2\nV3 c 0 portnum 3\nR1 a 0 50\nR2 b 0 50\nR3 c 0 50": "# Hz S RI R 50\n" +
			"1000000 0 0 0 0 0 0\n  0 0 0 0 0 0\n  0 0 0 0 0 0\n",
	} {
		r, err := Simulate(context.Background(),
			Request{Netlist: "t\n" + body + "\n.sp lin 1 1meg 1meg\n.end"})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		got := strings.ReplaceAll(r.Detail.(*analysis.SParameters).Touchstone, "-0 ", "0 ")
		if got != want {
			t.Errorf("%s:\n%q, want\n%q", body, got, want)
		}
	}
}

// TestTouchstoneOfBudget verifies that [Number of Frequencies] is that of the data (Touchstone 2.0,
// section 3) if the budget ends the sweep.
func TestTouchstoneOfBudget(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: "t\nV1 a 0 portnum 1\nR1 a 0 50\n" +
		"R2 b 0 100\nV2 b 0 portnum 2 z0 100\n.sp lin 100 1 100\n.end",
		Budget: &Budget{Newton: 30, Numbers: 1e6, Wall: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Detail.(*analysis.SParameters).Touchstone
	_, data, _ := strings.Cut(text, "[Network Data]\n")
	lines := strings.Count(data, "\n") - 1 // without [End]
	if want := fmt.Sprintf("[Number of Frequencies] %d\n", lines); lines >= 100 ||
		!strings.Contains(text, want) {
		t.Errorf("%d lines of data in\n%s", lines, text)
	}
}
