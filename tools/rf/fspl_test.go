package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestFSPL(t *testing.T) {
	tooltest.Examples(t, FSPL)
	tooltest.Cases(t, FSPL, []tooltest.Case{
		{"by hand: λ = 299792458/915e6, 20·log10(4π·5000/λ)", `{"freq_mhz":915,"dist_km":5}`, `{"fspl_db":105.6556, "wavelength_m":0.32764203}`},
		{"twice as far is 6.0206 dB more", `{"freq_mhz":915,"dist_km":10}`, `{"fspl_db":111.6762}`},
		{"P.525: 32.4478 dB at 1 MHz and 1 km", `{"freq_mhz":1,"dist_km":1}`, `{"fspl_db":32.4478}`},
		{"geostationary, 12 GHz: ITU handbook 205.6 dB", `{"freq_mhz":12000,"dist_km":38000}`, `{"fspl_db":205.627}`},
		{"near field", `{"freq_mhz":1,"dist_km":0.1}`, `{"fspl_db":12.4478,"warnings":["~near field"]}`},
		{"unknown field", `{"freq_mhz":1,"dist_km":1,"dist_m":3}`, `{"warnings":["~dist_m"]}`},
	})
	tooltest.InvalidCases(t, FSPL, []tooltest.InvalidCase{
		{"both missing", `{}`, []string{"freq_mhz", "dist_km"}, "is required"},
		{"zero frequency", `{"freq_mhz":0,"dist_km":1}`, []string{"freq_mhz"}, "greater than 0"},
		{"a string", `{"freq_mhz":"915","dist_km":1}`, []string{"freq_mhz"}, "a string was given"},
		{"negative distance", `{"freq_mhz":915,"dist_km":-5}`, []string{"dist_km"}, "got -5"},
		{"not JSON", `{"freq_mhz":NaN,"dist_km":1}`, []string{""}, "NaN"},
		{"overflow", `{"freq_mhz":1e-300,"dist_km":1e-300}`, nil, "finite"},
	})
}
