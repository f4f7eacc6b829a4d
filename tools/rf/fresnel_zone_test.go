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
		{"Scilab book 3739, example 3.3: k of dn/dh = -35e-6, 6.1 m in the middle of 20 km",
			`{"freq_mhz":6000,"dist_km":20,"k_factor":1.28673}`,
			`{"earth_bulge_m":6.1}`},
		{"the same example at 5 km and k = 1.3333",
			`{"freq_mhz":6000,"dist_km":20,"position_pct":25,"k_factor":1.3333}`,
			`{"earth_bulge_m":4.4}`},
		{"microwave handbooks: d1 d2/(12.75 k), 30 · 30/12.75 at k = 1",
			`{"freq_mhz":6000,"dist_km":60,"k_factor":1}`,
			`{"earth_bulge_m":70.6}`},
		{"in Python: each twentieth of 10 km between equal masts",
			`{"freq_mhz":2400,"dist_km":10,"tx_height_m":20,"rx_height_m":20}`,
			`{"profile":[{"dist_km":0.5,"ray_height_m":20.0,"ground_m":0.2796,"required_m":4.9013},{"dist_km":1.0,"ray_height_m":20.0,"ground_m":0.5297,"required_m":6.8915},{"dist_km":1.5,"ray_height_m":20.0,"ground_m":0.7505,"required_m":8.3225},{"dist_km":2.0,"ray_height_m":20.0,"ground_m":0.9418,"required_m":9.4241},{"dist_km":2.5,"ray_height_m":20.0,"ground_m":1.1036,"required_m":10.286},{"dist_km":3.0,"ray_height_m":20.0,"ground_m":1.2361,"required_m":10.9538},{"dist_km":3.5,"ray_height_m":20.0,"ground_m":1.3391,"required_m":11.4536},{"dist_km":4.0,"ray_height_m":20.0,"ground_m":1.4127,"required_m":11.8014},{"dist_km":4.5,"ray_height_m":20.0,"ground_m":1.4568,"required_m":12.0066},{"dist_km":5.0,"ray_height_m":20.0,"ground_m":1.4715,"required_m":12.0744},{"dist_km":5.5,"ray_height_m":20.0,"ground_m":1.4568,"required_m":12.0066},{"dist_km":6.0,"ray_height_m":20.0,"ground_m":1.4127,"required_m":11.8014},{"dist_km":6.5,"ray_height_m":20.0,"ground_m":1.3391,"required_m":11.4536},{"dist_km":7.0,"ray_height_m":20.0,"ground_m":1.2361,"required_m":10.9538},{"dist_km":7.5,"ray_height_m":20.0,"ground_m":1.1036,"required_m":10.286},{"dist_km":8.0,"ray_height_m":20.0,"ground_m":0.9418,"required_m":9.4241},{"dist_km":8.5,"ray_height_m":20.0,"ground_m":0.7505,"required_m":8.3225},{"dist_km":9.0,"ray_height_m":20.0,"ground_m":0.5297,"required_m":6.8915},{"dist_km":9.5,"ray_height_m":20.0,"ground_m":0.2796,"required_m":4.9013}]}`},
		{"in Python: a falling line at 6 GHz with k = 2/3 and a hill at 7 km",
			`{"freq_mhz":6000,"dist_km":40,"tx_height_m":120,"rx_height_m":80,"k_factor":0.6666666666666666,"terrain":[{"dist_km":7,"height_m":55}]}`,
			`{"profile":[{"dist_km":2.0,"ray_height_m":118.0,"ground_m":8.9468,"required_m":14.7928},{"dist_km":4.0,"ray_height_m":116.0,"ground_m":16.9518,"required_m":24.9989},{"dist_km":6.0,"ray_height_m":114.0,"ground_m":24.0151,"required_m":33.593},{"dist_km":7,"ray_height_m":113.0,"ground_m":82.1935,"required_m":92.3856},{"dist_km":8.0,"ray_height_m":112.0,"ground_m":30.1366,"required_m":40.866},{"dist_km":10.0,"ray_height_m":110.0,"ground_m":35.3163,"required_m":46.9312},{"dist_km":12.0,"ray_height_m":108.0,"ground_m":39.5542,"required_m":51.8463},{"dist_km":14.0,"ray_height_m":106.0,"ground_m":42.8504,"required_m":55.6444},{"dist_km":16.0,"ray_height_m":104.0,"ground_m":45.2048,"required_m":58.3456},{"dist_km":18.0,"ray_height_m":102.0,"ground_m":46.6175,"required_m":59.962},{"dist_km":20.0,"ray_height_m":100.0,"ground_m":47.0884,"required_m":60.5001},{"dist_km":22.0,"ray_height_m":98.0,"ground_m":46.6175,"required_m":59.962},{"dist_km":24.0,"ray_height_m":96.0,"ground_m":45.2048,"required_m":58.3456},{"dist_km":26.0,"ray_height_m":94.0,"ground_m":42.8504,"required_m":55.6444},{"dist_km":28.0,"ray_height_m":92.0,"ground_m":39.5542,"required_m":51.8463},{"dist_km":30.0,"ray_height_m":90.0,"ground_m":35.3163,"required_m":46.9312},{"dist_km":32.0,"ray_height_m":88.0,"ground_m":30.1366,"required_m":40.866},{"dist_km":34.0,"ray_height_m":86.0,"ground_m":24.0151,"required_m":33.593},{"dist_km":36.0,"ray_height_m":84.0,"ground_m":16.9518,"required_m":24.9989},{"dist_km":38.0,"ray_height_m":82.0,"ground_m":8.9468,"required_m":14.7928}]}`},
		{"in Python: 1 km at 433 MHz with a house at 0.42 km",
			`{"freq_mhz":433,"dist_km":1,"tx_height_m":10,"rx_height_m":3,"terrain":[{"dist_km":0.42,"height_m":6}]}`,
			`{"profile":[{"dist_km":0.05,"ray_height_m":9.65,"ground_m":0.0028,"required_m":3.4436},{"dist_km":0.1,"ray_height_m":9.3,"ground_m":0.0053,"required_m":4.7416},{"dist_km":0.15,"ray_height_m":8.95,"ground_m":0.0075,"required_m":5.6448},{"dist_km":0.2,"ray_height_m":8.6,"ground_m":0.0094,"required_m":6.3245},{"dist_km":0.25,"ray_height_m":8.25,"ground_m":0.011,"required_m":6.8473},{"dist_km":0.3,"ray_height_m":7.9,"ground_m":0.0124,"required_m":7.2472},{"dist_km":0.35,"ray_height_m":7.55,"ground_m":0.0134,"required_m":7.5436},{"dist_km":0.4,"ray_height_m":7.2,"ground_m":0.0141,"required_m":7.7485},{"dist_km":0.42,"ray_height_m":7.06,"ground_m":6.0143,"required_m":13.8065},{"dist_km":0.45,"ray_height_m":6.85,"ground_m":0.0146,"required_m":7.8688},{"dist_km":0.5,"ray_height_m":6.5,"ground_m":0.0147,"required_m":7.9085},{"dist_km":0.55,"ray_height_m":6.15,"ground_m":0.0146,"required_m":7.8688},{"dist_km":0.6,"ray_height_m":5.8,"ground_m":0.0141,"required_m":7.7485},{"dist_km":0.65,"ray_height_m":5.45,"ground_m":0.0134,"required_m":7.5436},{"dist_km":0.7,"ray_height_m":5.1,"ground_m":0.0124,"required_m":7.2472},{"dist_km":0.75,"ray_height_m":4.75,"ground_m":0.011,"required_m":6.8473},{"dist_km":0.8,"ray_height_m":4.4,"ground_m":0.0094,"required_m":6.3245},{"dist_km":0.85,"ray_height_m":4.05,"ground_m":0.0075,"required_m":5.6448},{"dist_km":0.9,"ray_height_m":3.7,"ground_m":0.0053,"required_m":4.7416},{"dist_km":0.95,"ray_height_m":3.35,"ground_m":0.0028,"required_m":3.4436}]}`},
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
