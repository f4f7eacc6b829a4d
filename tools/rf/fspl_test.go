package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestFSPL(t *testing.T) {
	tooltest.Examples(t, FSPL)
	tooltest.Cases(t, FSPL, []tooltest.Case{
		{"by hand: λ = 299792458/915e6, 20·log10(4π·5000/λ)", `{"freq_mhz":915,"dist_km":5}`,
			`{"fspl_db":105.6556, "wavelength_m":0.32764203}`},
		{"twice as far is 6.0206 dB more", `{"freq_mhz":915,"dist_km":10}`, `{"fspl_db":111.6762}`},
		{"P.525: 32.4478 dB at 1 MHz and 1 km", `{"freq_mhz":1,"dist_km":1}`,
			`{"fspl_db":32.4478}`},
		{"geostationary, 12 GHz: ITU handbook 205.6 dB", `{"freq_mhz":12000,"dist_km":38000}`,
			`{"fspl_db":205.627}`},
		{"near field", `{"freq_mhz":1,"dist_km":0.1}`,
			`{"fspl_db":12.4478,"warnings":["~near field"]}`},
		{"ns-2 default radio: 10 log10(0.28183815/3.652e-10) = 88.874 dB",
			`{"freq_mhz":914,"dist_km":0.25,"model":"two_ray","tx_height_m":1.5,"rx_height_m":1.5}`, `{"path_loss_db":88.874,"crossover_km":0.0862,"diffraction_parameter":null}`},
		{"Rappaport 4.53: 40 log10 5000 - 20 log10 75 = 110.458",
			`{"freq_mhz":900,"dist_km":5,"model":"two_ray","tx_height_m":50,"rx_height_m":1.5}`,
			`{"path_loss_db":110.4576}`},
		{"the horizon of two heights of 2 m by hand: 2 √(2 · 4/3 · 6371 km · 2 m) = 11.658 km, rounded down",
			`{"freq_mhz":915,"dist_km":50,"model":"two_ray","tx_height_m":2,"rx_height_m":2}`,
			`{"warnings":["~radio horizon of 11.65 km"]}`},
		{"a path as long as the radio horizon, √(2·4/3·6371 km)·(√6.2 m + √2 m)",
			`{"freq_mhz":915,"dist_km":16.092351151214817,"model":"two_ray","tx_height_m":6.2,"rx_height_m":2}`,
			`{"warnings":[]}`},
		{"11.6 km is within the horizon",
			`{"freq_mhz":915,"dist_km":11.6,"model":"two_ray","tx_height_m":2,"rx_height_m":2}`,
			`{"warnings":[]}`},
		{"by hand: nearer than 4π·75/0.33310 = 2829 m it is free space",
			`{"freq_mhz":900,"dist_km":1,"model":"two_ray","tx_height_m":50,"rx_height_m":1.5}`,
			`{"path_loss_db":91.5326,"crossover_km":2.829,"warnings":["~interfere"]}`},
		{"ns-3 Okumura-Hata test, large city", `{"freq_mhz":869,"dist_km":2,"model":"hata","environment":"dense_urban","tx_height_m":30,"rx_height_m":1}`, `{"path_loss_db":137.93,"warnings":[]}`},
		{"ns-3, small city; the heights in the other order",
			`{"freq_mhz":869,"dist_km":2,"model":"hata","tx_height_m":1,"rx_height_m":30}`,
			`{"path_loss_db":137.88}`},
		{"ns-3, suburb", `{"freq_mhz":869,"dist_km":2,"model":"hata","environment":"suburban","tx_height_m":30,"rx_height_m":1}`, `{"path_loss_db":128.03}`},
		{"ns-3 has 110.21 with 4.70 for the 4.78 of Hata, 0.08 (log10 869)² = 0.69 more", `{"freq_mhz":869,"dist_km":2,"model":"hata","environment":"open","tx_height_m":30,"rx_height_m":1}`, `{"path_loss_db":109.52}`},
		{"by hand: 46.3 + 33.9 log10 1800 - 13.82 log10 30 - 0.0430",
			`{"freq_mhz":1800,"dist_km":1,"model":"cost231","tx_height_m":30,"rx_height_m":1.5}`,
			`{"path_loss_db":136.1969}`},
		{"3 dB more in a metropolitan centre", `{"freq_mhz":1800,"dist_km":1,"model":"cost231","environment":"dense_urban","tx_height_m":30,"rx_height_m":1.5}`, `{"path_loss_db":139.1969}`},
		{"ns-3 COST 231, small city at 2114 MHz: 150.64 dB",
			`{"freq_mhz":2114,"dist_km":2,"model":"cost231","tx_height_m":30,"rx_height_m":1}`,
			`{"path_loss_db":150.64,"warnings":["~extrapolated"]}`},
		{"below free space", `{"freq_mhz":150,"dist_km":0.001,"model":"hata","environment":"open","tx_height_m":200,"rx_height_m":10}`, `{"path_loss_db":15.9696,"warnings":["~near","~extrapolated","~less than free space"]}`},
		{"P.526: 6.0 dB at grazing, ν = 0",
			`{"freq_mhz":900,"dist_km":2,"model":"knife_edge","obstacle_height_m":0}`,
			`{"diffraction_parameter":0,"path_loss_db":103.5861}`},
		{"P.526-15 by hand: h = 25 m a quarter along 2 km, ν = 3.1634, J = 22.87 dB", `{"freq_mhz":900,"dist_km":2,"model":"knife_edge","obstacle_height_m":25,"obstacle_position_pct":25}`, `{"diffraction_parameter":3.16337,"path_loss_db":120.4205}`},
		{"P.526-15: the same from the other end", `{"freq_mhz":900,"dist_km":2,"model":"knife_edge","obstacle_height_m":25,"obstacle_position_pct":75}`, `{"path_loss_db":120.4205}`},
		{"P.526-15 by hand: a tenth along, ν = 4.5659, J = 26.03 dB", `{"freq_mhz":900,"dist_km":2,"model":"knife_edge","obstacle_height_m":25,"obstacle_position_pct":10}`, `{"diffraction_parameter":4.56593,"path_loss_db":123.5790}`},
		{"Rappaport example 4.7: ν = 2.74 at λ = 1/3 m, h = 25 m, 1 km and 1 km; 21.64 dB over 97.547", `{"freq_mhz":899.377374,"dist_km":2,"model":"knife_edge","obstacle_height_m":25}`, `{"diffraction_parameter":2.7386,"path_loss_db":119.1917}`},
		{"the same, 25 m below the line: no loss",
			`{"freq_mhz":899.377374,"dist_km":2,"model":"knife_edge","obstacle_height_m":-25}`,
			`{"diffraction_parameter":-2.7386,"path_loss_db":97.547}`},
		{"inputs of other models", `{"freq_mhz":900,"dist_km":2,"tx_height_m":10,"rx_height_m":2,"environment":"open","obstacle_height_m":5,"obstacle_position_pct":10}`, `{"path_loss_db":97.553,"warnings":["~tx_height_m was ignored","~rx_height_m","~environment","~obstacle_height_m","~obstacle_position_pct"]}`},
		{"unknown field", `{"freq_mhz":1,"dist_km":1,"dist_m":3}`, `{"warnings":["~dist_m"]}`},
	})
	tooltest.InvalidCases(t, FSPL, []tooltest.InvalidCase{
		{"both missing", `{}`, []string{"freq_mhz", "dist_km"}, "is required"},
		{"zero frequency", `{"freq_mhz":0,"dist_km":1}`, []string{"freq_mhz"}, "greater than 0"},
		{"a string", `{"freq_mhz":"915","dist_km":1}`, []string{"freq_mhz"}, "a string was given"},
		{"negative distance", `{"freq_mhz":915,"dist_km":-5}`, []string{"dist_km"}, "got -5"},
		{"not JSON", `{"freq_mhz":NaN,"dist_km":1}`, []string{""}, "NaN"},
		{"no heights", `{"freq_mhz":915,"dist_km":5,"model":"hata"}`,
			[]string{"tx_height_m", "rx_height_m"}, "is required with model hata"},
		{"no obstacle", `{"freq_mhz":915,"dist_km":5,"model":"knife_edge"}`,
			[]string{"obstacle_height_m"}, "is required"},
		{"overflow", `{"freq_mhz":1e-300,"dist_km":1e-300}`, nil, "finite"},
	})
}
