package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestWavelengthFreq(t *testing.T) {
	tooltest.Examples(t, WavelengthFreq)
	tooltest.Cases(t, WavelengthFreq, []tooltest.Case{
		{"c itself: 299.792458 MHz is 1 m", `{"freq_mhz":299.792458}`, `{"wavelength_m":1.00000000000,"wavelength_cm":100.000000000,"wavelength_mm":1000.00000000,"wavelength_ft":3.2808399,"band":"VHF"}`},
		{"by hand: 299.792458/2450 m", `{"freq_mhz":2450}`, `{"wavelength_m":0.122364269,"freq_ghz":2.45,"band":"UHF","half_wave_m":0.0611821,"quarter_wave_m":0.0305911}`},
		{"by hand: 3 cm is 9.993 GHz", `{"wavelength_m":0.03}`,
			`{"freq_mhz":9993.0819333,"freq_ghz":9.9930819333,"band":"SHF"}`},
		{"DCF77, 77.5 kHz: 3868 m", `{"freq_mhz":0.0775}`,
			`{"wavelength_m":3868.2898,"band":"LF"}`},
		{"both, rounded", `{"freq_mhz":915,"wavelength_m":0.3276}`,
			`{"wavelength_m":0.327642,"freq_mhz":915}`},
		{"the upper limit belongs to a band: 30 MHz is HF", `{"freq_mhz":30}`, `{"band":"HF"}`},
		{"just above is VHF", `{"freq_mhz":30.000001}`, `{"band":"VHF"}`},
		{"300 GHz is the last of EHF", `{"freq_mhz":300000}`, `{"band":"EHF","warnings":[]}`},
		{"light has no band", `{"wavelength_m":633e-9}`,
			`{"band":null,"freq_mhz":473605778.83,"warnings":["~outside the bands"]}`},
		{"nor has 50 Hz", `{"freq_mhz":5e-5}`, `{"band":null,"wavelength_m":5995849.16}`},
		{"null is absent", `{"freq_mhz":null,"wavelength_m":2}`, `{"freq_mhz":149.896229}`},
	})
	tooltest.InvalidCases(t, WavelengthFreq, []tooltest.InvalidCase{
		{"none", `{}`, []string{""}, "freq_mhz and wavelength_m"},
		{"both, contradicting", `{"freq_mhz":915,"wavelength_m":0.33}`,
			[]string{"freq_mhz", "wavelength_m"}, "0.1 %"},
		{"zero and negative", `{"freq_mhz":0,"wavelength_m":-1}`,
			[]string{"freq_mhz", "wavelength_m"}, "greater than 0"},
		{"absurd", `{"freq_mhz":1e200}`, []string{"freq_mhz"}, "1e+100"},
	})
}
