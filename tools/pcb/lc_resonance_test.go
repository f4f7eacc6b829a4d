package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestLCResonance(t *testing.T) {
	tooltest.Examples(t, LCResonance)
	tooltest.Cases(t, LCResonance, []tooltest.Case{
		{"contract: 10 µH, 100 pF", `{"l_uh":10,"c_pf":100}`, `{"resonant_freq_hz":5.032921e6,"characteristic_impedance_ohm":316.2278,"q":null,"bandwidth_hz":null,"f_low_hz":null,"f_high_hz":null,"damping_ratio":null,"damping":null,"damped_freq_hz":null,"warnings":[]}`},
		{"contract: 10 Ω in series", `{"l_uh":100,"c_nf":1,"r_ohm":10}`, `{"q":31.62278,"bandwidth_hz":15915.49,"f_low_hz":495397.3,"f_high_hz":511312.8,"damping_ratio":0.0158113883,"damping":"underdamped","damped_freq_hz":503229.206}`},
		{"10 kΩ in parallel: the same Q",
			`{"l_mh":0.1,"c_pf":1000,"r_ohm":10000,"topology":"parallel"}`, `{"q":31.6227766,"bandwidth_hz":15915.4943,"f_low_hz":495397.281,"f_high_hz":511312.776,"damped_freq_hz":503229.206}`},
		{"1 µH at 7.1 MHz: 1/((2π·7.1e6)²·1e-6)", `{"l_nh":1000,"freq_mhz":7.1}`,
			`{"capacitance_f":5.024855368e-10,"inductance_h":1e-6}`},
		{"100 pF at 1 MHz: 253.3 µH", `{"c_pf":100,"freq_khz":1000}`,
			`{"inductance_h":2.5330295911e-4,"resonant_freq_hz":1000000}`},
		{"overdamped: 1 mH, 1 µF, 1 kΩ, Q = 31.6/1000", `{"l_mh":1,"c_uf":1,"r_ohm":1000}`, `{"q":0.0316227766,"damping_ratio":15.8113883,"damping":"overdamped","damped_freq_hz":null,"bandwidth_hz":159154.943,"f_low_hz":158.996106,"f_high_hz":159313.939,"warnings":["~below 1"]}`},
		{"critical: R = 2 √(L/C) = 2 Ω", `{"l_h":1,"c_f":1,"r_ohm":2}`,
			`{"q":0.5,"damping_ratio":1,"damping":"critical","damped_freq_hz":null}`},
		{"Q of 1000, 1 pF", `{"l_uh":1,"c_pf":1,"r_ohm":1}`,
			`{"q":1000.000,"warnings":["~stray","~losses"]}`},
		{"topology without a resistance", `{"l_uh":1,"c_nf":1,"topology":"parallel"}`,
			`{"warnings":["~topology was ignored"]}`},
		{"1 fH is less than any trace",
			`{"l_h":1e-15,"c_nf":1}`,
			`{"warnings":["~1 nH per millimetre"]}`},
	})
	tooltest.InvalidCases(t, LCResonance, []tooltest.InvalidCase{
		{"one", `{"l_uh":10}`, []string{"l_h"},
			"l_h/l_mh/l_uh/l_nh, c_f/c_uf/c_nf/c_pf, freq_hz/freq_khz/freq_mhz"},
		{"three", `{"l_uh":10,"c_pf":1,"freq_mhz":1}`, []string{"l_h"}, "only two"},
		{"a quantity twice, and the other missing", `{"l_uh":10,"l_nh":10000}`,
			[]string{"l_uh", "l_h"}, "l_uh and l_nh"},
		{"frequency twice", `{"l_uh":10,"freq_hz":1,"freq_khz":1}`, []string{"freq_hz"},
			"freq_hz and freq_khz"},
		{"not positive", `{"l_uh":0,"c_pf":-1}`, []string{"l_uh", "c_pf"}, "greater than 0"},
		{"no resistance", `{"l_uh":1,"c_pf":10,"r_ohm":0}`, []string{"r_ohm"}, "greater than 0"},
		{"another topology", `{"l_uh":1,"c_pf":10,"topology":"tee"}`, []string{"topology"},
			"series, parallel"},
	})
}

// TestLCResonanceEdges verifies that the half-power edges differ by the bandwidth, and that their
// geometric mean is the resonance.
func TestLCResonanceEdges(t *testing.T) {
	for _, r := range []float64{0.01, 10, 316.2, 1e5} {
		out := result(t, LCResonance, `{"l_uh":10,"c_pf":100,"r_ohm":%g}`, r)
		lo, hi, f0 := number(t, out, "f_low_hz"), number(t, out, "f_high_hz"),
			number(t, out, "resonant_freq_hz")
		same(t, "f_low·f_high", lo*hi, f0*f0)
		if bw := number(t, out, "bandwidth_hz"); hi-lo < bw-1e-15*f0 ||
			hi-lo > bw*(1+1e-9)+1e-9*f0 {
			t.Errorf("%g Ω: the edges are %v apart, the bandwidth is %v", r, hi-lo, bw)
		}
		back := result(t, LCResonance, `{"l_uh":10,"freq_hz":%.17g}`, f0)
		same(t, "C", number(t, back, "capacitance_f"), 100e-12)
	}
}
