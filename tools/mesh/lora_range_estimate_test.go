package mesh

import (
	"fmt"
	"math"
	"testing"

	"slipstick/tools/propagation"
	"slipstick/tools/tooltest"
)

func TestLoraRangeEstimate(t *testing.T) {
	tooltest.Examples(t, LoraRangeEstimate)
	tooltest.Cases(t, LoraRangeEstimate, []tooltest.Case{
		{
			"contract, by hand: 154.3 - 25 - 91.6762 dB; 10^(37.6238/20), 10^(37.6238/35.2), 4.12 (√10 + √2)",
			`{}`,
			`{"max_range_km":76.06585,"margin_at_1km_db":37.62379,"effective_path_loss_db":129.3,"practical_range_km":11.71812,"radio_horizon_km":18.85514,"warnings":["~beyond the radio horizon"]}`,
		},
		{"open: 154.3 - 91.6762, past the horizon", `{"terrain":"open"}`, `{"max_range_km":1352.66342,"margin_at_1km_db":62.62379,"effective_path_loss_db":154.3,"practical_range_km":18.85514,"warnings":["~horizon"]}`},
		{"urban: 10^(27.6238/20), 10^(27.6238/35.2)", `{"terrain":"urban"}`, `{"max_range_km":24.05414,"margin_at_1km_db":27.62379,"practical_range_km":6.09210,"effective_path_loss_db":119.3}`},
		{"dense urban: 10^(22.6238/20), within the horizon", `{"terrain":"dense_urban"}`, `{"max_range_km":13.52663,"practical_range_km":4.39260,"effective_path_loss_db":114.3,"warnings":[]}`},
		{
			"indoor in the EU: 14 + 4.3 + 123 - 50 - 91.2182",
			`{"tx_dbm":14,"freq_mhz":868,"rx_sensitivity_dbm":-123,"terrain":"indoor"}`,
			`{"effective_path_loss_db":91.3,"margin_at_1km_db":0.081822,"max_range_km":1.0094646,"practical_range_km":1.0053667,"warnings":[]}`,
		},
		{
			"below 1 km the slope is 20: 44.3 - 91.6762",
			`{"tx_dbm":0,"rx_sensitivity_dbm":-90,"terrain":"indoor"}`, `{"margin_at_1km_db":-47.37621,"max_range_km":0.004277497,"practical_range_km":0.004277497,"warnings":[]}`,
		},
		{"Hata 1980: 1500 MHz is its highest frequency", `{"freq_mhz":1500,"terrain":"dense_urban","tx_height_m":30}`,
			`{"warnings":[]}`},
		{"below 150 MHz no model", `{"freq_mhz":144,"terrain":"indoor","rx_sensitivity_dbm":-100}`,
			`{"hata_range_km":null,"warnings":["~at 144 MHz no model"]}`},
		{
			"2.4 GHz on open ground, hand-held: 112.5 - 100.0520",
			`{"tx_dbm":12.5,"freq_mhz":2400,"tx_gain_dbi":0,"rx_gain_dbi":0,"rx_sensitivity_dbm":-100,"terrain":"open","tx_height_m":1.5,"rx_height_m":1.5}`,
			`{"margin_at_1km_db":12.44799,"max_range_km":4.19179,"practical_range_km":4.19179,"radio_horizon_km":10.09190,"warnings":["~at 2400 MHz no model"]}`,
		},
		{"a mast of 100 m and one of 25: 4.12·15", `{"tx_height_m":100,"rx_height_m":25}`,
			`{"radio_horizon_km":61.8,"practical_range_km":11.71812}`},
		{"on the ground there is no horizon", `{"tx_height_m":0,"rx_height_m":0}`,
			`{"radio_horizon_km":0,"practical_range_km":0,"max_range_km":76.06585}`},
		{"a sensitivity of 0 is a value; Okumura-Hata ends at free space",
			`{"rx_sensitivity_dbm":0,"terrain":"open"}`, `{"effective_path_loss_db":24.3,"max_range_km":0.00042775,"hata_range_km":0.00042775,"planned_range_km":0.00042775}`},
		{"Hata 1980 by hand: suburban, 915 MHz, 10 and 2 m",
			`{"terrain":"suburban","freq_mhz":915,"tx_height_m":10,"rx_height_m":2}`,
			`{"hata_range_km":6.9878}`},
		{"Hata 1980 by hand: open, 433 MHz, 50 and 1.5 m",
			`{"terrain":"open","freq_mhz":433,"tx_height_m":50,"rx_height_m":1.5}`,
			`{"hata_range_km":34.1787}`},
		{"Hata 1980 by hand: urban, 868 MHz, 30 and 1.5 m",
			`{"terrain":"urban","freq_mhz":868,"tx_height_m":30,"rx_height_m":1.5}`,
			`{"hata_range_km":6.3621}`},
		{"Hata's measurements end at 1500 MHz", `{"freq_mhz":2400}`, `{"hata_range_km":null}`},
		{"the median without reserve is hata_range_km", `{"terrain":"suburban"}`,
			`{"hata_range_km":6.9878,"planned_range_km":6.9878}`},
		{"P.1546: 90 % is 1.2816 σ, 10.252 dB of 8; 10^(-10.252/38.35) at 10 m",
			`{"location_pct":90}`, `{"planned_range_km":3.77576}`},
		{"P.1546: 95 % is 1.6449 σ", `{"location_pct":95,"shadowing_db":5.5}`,
			`{"planned_range_km":4.05923}`},
		{"fade margin of 38.35 dB is a decade", `{"fade_margin_db":38.35}`,
			`{"planned_range_km":0.69878}`},
		{"2.4 GHz: the slope of 30 m", `{"freq_mhz":2400,"terrain":"urban","fade_margin_db":10}`,
			`{"hata_range_km":null,"planned_range_km":1.83116}`},
		{"indoors there is none", `{"terrain":"indoor"}`, `{"hata_range_km":null}`},
		{"P.1546: 90 % is 1.2816 σ of 6 dB",
			`{"location_pct":90,"shadowing_db":6}`,
			`{"planned_range_km":4.4039}`},
		{"P.1546: 99 % is 2.3263 σ of 8.2 dB",
			`{"location_pct":99,"shadowing_db":8.2}`,
			`{"planned_range_km":2.2229}`},
		{"Hata's base stations are up to 200 m high; in Python for 200 and 2 m",
			`{"tx_height_m":1000,"terrain":"urban","rx_sensitivity_dbm":-110}`,
			`{"hata_range_km":4.820248552,"warnings":["the higher antenna of 1000 m counts as 200 m, the limit of hata_range_km: that and planned_range_km are too short for this height","~max_range_km"]}`},
		{"200 m is Hata's highest base station",
			`{"tx_height_m":200,"terrain":"urban","rx_sensitivity_dbm":-110}`,
			`{"hata_range_km":4.820248552,"warnings":["~max_range_km"]}`},
		{"Hata's mobile stations are up to 10 m high; in Python for 73.67 and 10 m",
			`{"rx_sensitivity_dbm":-112.73,"terrain":"dense_urban","tx_height_m":73.67,"rx_height_m":28.3}`,
			`{"hata_range_km":5.645425117,"warnings":["~lower antenna of 28.3 m counts as 10 m","~max_range_km"]}`},
		{"a mobile station of 10 m is within the range",
			`{"rx_sensitivity_dbm":-112.73,"terrain":"dense_urban","tx_height_m":73.67,"rx_height_m":10}`,
			`{"hata_range_km":5.645425117,"warnings":["~max_range_km"]}`},
		{"on the ground: Hata in Python for 1 and 1 m",
			`{"rx_sensitivity_dbm":-110,"terrain":"urban","tx_height_m":0.1,"rx_height_m":0.1}`,
			`{"hata_range_km":0.4881732215,"warnings":["~higher antenna of 0.1 m counts as 1 m, the limit of hata_range_km: that and planned_range_km are too long","~lower antenna of 0.1 m counts as 1 m"]}`},
		{"by free-space loss, 10^(32.62/20): the limits of the heights have no effect",
			`{"rx_sensitivity_dbm":-100,"terrain":"open","tx_height_m":500,"rx_height_m":20}`,
			`{"hata_range_km":42.775,"planned_range_km":42.775,"max_range_km":42.775,"warnings":[]}`},
		{"at the horizon, 4.12 (√12 + √11): the limit of 11 m has no effect",
			`{"rx_sensitivity_dbm":-150,"terrain":"suburban","tx_height_m":12,"rx_height_m":11}`,
			`{"hata_range_km":27.937,"radio_horizon_km":27.937,"warnings":["~at 12 m, outside","~horizon"]}`},
		{"the same below the horizon with 12 dB less",
			`{"rx_sensitivity_dbm":-131,"tx_height_m":12,"rx_height_m":11,"fade_margin_db":12}`,
			`{"hata_range_km":27.937,"planned_range_km":13.643,"warnings":["~at 12 m, outside","the lower antenna of 11 m counts as 10 m, the limit of hata_range_km: planned_range_km is too short for this height","~horizon"]}`},
		{"Hata in Python for 200 and 5 m; 40 dB less by free-space loss",
			`{"rx_sensitivity_dbm":-95,"tx_height_m":250,"rx_height_m":5,"fade_margin_db":40}`,
			`{"hata_range_km":5.91837123,"planned_range_km":0.240541350,"warnings":["the higher antenna of 250 m counts as 200 m, the limit of hata_range_km, which is too short for this height"]}`},
		{"a given height below it", `{"terrain":"dense_urban","tx_height_m":15}`,
			`{"warnings":["~at 15 m, outside the 30 to 200 m"]}`},
		{"Hata's lowest base station", `{"terrain":"dense_urban","tx_height_m":30}`,
			`{"warnings":[]}`},
		{
			"by hand: 10^(-0.3762/20) of the free-space slope; suburban Hata for 30 and 2 m in Python",
			`{"tx_height_m":30,"rx_sensitivity_dbm":-92}`,
			`{"max_range_km":0.95761,"planned_range_km":1.06576,"warnings":["~that of 1 km"]}`,
		},
		{
			"5 % of the places: 1.6449 · 8 dB more than the median",
			`{"terrain":"open","tx_height_m":30,"rx_sensitivity_dbm":-60,"location_pct":5}`,
			`{"warnings":["~most places have no link"]}`,
		},
	})
	tooltest.InvalidCases(t, LoraRangeEstimate, []tooltest.InvalidCase{
		{"frequency zero", `{"freq_mhz":0}`, []string{"freq_mhz"}, "got 0"},
		{"negative frequency", `{"freq_mhz":-915}`, []string{"freq_mhz"}, "got -915"},
		{"unknown terrain", `{"terrain":"forest"}`, []string{"terrain"},
			"open, suburban, urban, dense_urban, indoor"},
		{"height", `{"tx_height_m":10001,"rx_height_m":-1}`, []string{"tx_height_m", "rx_height_m"},
			"0 to 10000"},
		{"every place", `{"location_pct":100}`, []string{"location_pct"}, "1 to 99.9"},
		{"text", `{"tx_dbm":"20"}`, []string{"tx_dbm"}, "a string was given"},
	})
}

// TestRangeUsesTheBudgetUp verifies that the free-space and terrain losses at max_range_km equal
// the budget. It also verifies that an additional 20 dB multiplies the free-space range by ten, as
// an additional 35.2 dB multiplies the range on the ground.
func TestRangeUsesTheBudgetUp(t *testing.T) {
	for _, terrain := range []string{"open", "suburban", "urban", "dense_urban", "indoor"} {
		for _, f := range []float64{433, 868, 915, 2400} {
			for s := -150.0; s <= -60; s += 7.3 {
				in := func(tx float64) loraRangeEstimateOut {
					return result[loraRangeEstimateOut](t, LoraRangeEstimate, fmt.Sprintf(`{"tx_dbm":%v,"freq_mhz":%v,"rx_sensitivity_dbm":%v,"terrain":%q,"tx_height_m":10000,"rx_height_m":10000}`, tx, f, s, terrain))
				}
				out, more := in(20), in(40)
				left := 20 + 4.3 - s - propagation.TerrainLossDB(terrain) -
					freeSpace(f, out.MaxRangeKm)
				if math.Abs(left) > 1e-5 {
					t.Errorf("%s, %g MHz, %.1f dBm: %g dB left at %g km", terrain, f, s, left,
						out.MaxRangeKm)
				}
				if math.Abs(more.MaxRangeKm/out.MaxRangeKm-10) > 1e-12*10 {
					t.Errorf("20 dB more: %g instead of 10 times as far",
						more.MaxRangeKm/out.MaxRangeKm)
				}
				if out.PracticalRangeKm > out.MaxRangeKm && out.MarginAt1kmDB > 0 ||
					out.PracticalRangeKm > out.RadioHorizonKm {
					t.Errorf("%s: practical %g km, max %g, horizon %g", terrain,
						out.PracticalRangeKm, out.MaxRangeKm, out.RadioHorizonKm)
				}
				if further := in(55.2); terrain != "open" && out.MarginAt1kmDB > 0 &&
					further.PracticalRangeKm < further.RadioHorizonKm {
					if ratio := further.PracticalRangeKm / out.PracticalRangeKm; math.Abs(
						ratio-10) > 1e-11 {
						t.Errorf("%s: 35.2 dB more reach %g times as far on the ground",
							terrain, ratio)
					}
				}
			}
		}
	}
}
