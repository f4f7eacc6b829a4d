package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestFresnelZone(t *testing.T) {
	tooltest.Examples(t, FresnelZone)
	tooltest.Cases(t, FresnelZone, []tooltest.Case{
		{"contract: 2.4 GHz, 10 km", `{"freq_mhz":2400,"dist_km":10}`,
			`{"radius_m":17.6716,"radius_ft":57.9775,"clearance_60pct_m":10.6029}`},
		{"by hand: √(0.0516883·5000)/2", `{"freq_mhz":5800,"dist_km":5}`,
			`{"radius_m":8.03806,"wavelength_m":0.0516884}`},
		{"the second zone is √2 wider; height 0.367879 + 0.6 · 8.03806",
			`{"freq_mhz":5800,"dist_km":5,"zone_number":2}`,
			`{"radius_m":11.36754,"clearance_60pct_m":6.82052,"required_height_m":5.19072}`},
		{"20.0 is whole, and so is 3.0: √3 · 8.03806",
			`{"freq_mhz":5800,"dist_km":5,"zone_number":3.0}`, `{"radius_m":13.9223}`},
		{"off the middle: √(λ·2000·8000/10000)", `{"freq_mhz":2400,"dist_km":10,"position_pct":20}`,
			`{"radius_m":14.13724,"earth_bulge_m":0.941767,"required_height_m":9.424113}`},
		{"the other side is the same", `{"freq_mhz":2400,"dist_km":10,"position_pct":80}`,
			`{"radius_m":14.13724,"earth_bulge_m":0.941767}`},
		{"by hand: bulge of 50 km, 2.5e9/(8·4/3·6371e3)", `{"freq_mhz":6000,"dist_km":50}`,
			`{"earth_bulge_m":36.7878}`},
		{"rule of thumb: 17.3 √(d/4f) m with km and GHz, 9.12 m", `{"freq_mhz":900,"dist_km":1}`,
			`{"radius_m":9.1256}`},
		{"by hand: heights of 12.0744 leave 60 % in the middle of 10 km",
			`{"freq_mhz":2400,"dist_km":10,"tx_height_m":12.0745,"rx_height_m":12.0745}`,
			`{"min_clearance_pct":60.00,"min_clearance_km":5,"warnings":[]}`},
		{"as link_budget: at 5 m 100 (5 - 1.4715)/17.6716",
			`{"freq_mhz":2400,"dist_km":10,"tx_height_m":5,"rx_height_m":5}`,
			`{"min_clearance_pct":19.97,"warnings":["~below 60 %"]}`},
		{"P.530: k = 2/3 doubles the bulge of 36.788 m",
			`{"freq_mhz":6000,"dist_km":50,"k_factor":0.6666666666666666}`,
			`{"earth_bulge_m":73.5756,"min_clearance_pct":null,"profile":null}`},
		{"by hand: edge on the line at 2 of 10 km: 20 - 0.9418 of bulge", `{"freq_mhz":2400,"dist_km":10,"tx_height_m":20,"rx_height_m":20,"terrain":[{"dist_km":2,"height_m":19.058233}]}`, `{"min_clearance_pct":0.00,"min_clearance_km":2}`},
		{"too near", `{"freq_mhz":100,"dist_km":0.01}`, `{"warnings":["~wavelengths away"]}`},
	})
	tooltest.InvalidCases(t, FresnelZone, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"freq_mhz", "dist_km"}, "is required"},
		{"one height", `{"freq_mhz":1,"dist_km":1,"tx_height_m":10}`, []string{"rx_height_m"},
			"is required"},
		{"terrain without heights",
			`{"freq_mhz":1,"dist_km":1,"terrain":[{"dist_km":0.5,"height_m":3}]}`,
			[]string{"tx_height_m"}, "is required"},
		{"terrain behind the receiver", `{"freq_mhz":1,"dist_km":1,"tx_height_m":10,"rx_height_m":10,"terrain":[{"dist_km":1,"height_m":3}]}`, []string{"terrain[0].dist_km"}, "below dist_km"},
		{"zone 0", `{"freq_mhz":1,"dist_km":1,"zone_number":0}`, []string{"zone_number"}, "1 to 5"},
		{"zone 6", `{"freq_mhz":1,"dist_km":1,"zone_number":6}`, []string{"zone_number"}, "1 to 5"},
		{"zone one and a half", `{"freq_mhz":1,"dist_km":1,"zone_number":1.5}`,
			[]string{"zone_number"}, "whole number"},
		{"at the antenna", `{"freq_mhz":-1,"dist_km":1,"position_pct":0}`,
			[]string{"freq_mhz", "position_pct"}, "1 to 99"},
	})
}
