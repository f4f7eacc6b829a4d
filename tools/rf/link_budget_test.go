package rf

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestLinkBudget(t *testing.T) {
	tooltest.Examples(t, LinkBudget)
	tooltest.Cases(t, LinkBudget, []tooltest.Case{
		{"by hand: 20 + 2.15 + 2.15 - 105.6556 - (-130)", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"tx_gain_dbi":2.15,"rx_gain_dbi":2.15,"rx_sensitivity_dbm":-130}`,
			`{"fspl_db":105.656,"eirp_dbm":22.15,"rx_power_dbm":-81.356,"margin_db":48.644}`},
		{"by hand: isotropic antennas, 10 - 100.0484 at 100 MHz and 24 km",
			`{"tx_dbm":10,"freq_mhz":100,"dist_km":24,"tx_gain_dbi":0,"rx_gain_dbi":0}`, `{"eirp_dbm":10,"rx_power_dbm":-90.0520,"margin_db":null,"snr_db":null,"noise_floor_dbm":null}`},
		{"sensitivity 0 is a value",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":0}`,
			`{"margin_db":-81.356,"warnings":["~does not close"]}`},
		{"sensitivity null is absent",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":null}`,
			`{"margin_db":null,"warnings":[]}`},
		{"gain null is the default", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"tx_gain_dbi":null}`,
			`{"eirp_dbm":22.15}`},
		{"little margin: 48.644 less 40",
			`{"tx_dbm":-20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":-130}`,
			`{"margin_db":8.644,"warnings":["~leaves little for fading"]}`},
		{"overload: 1 W at 1 m on 433 MHz, 30 + 4.3 - 25.177",
			`{"tx_dbm":30,"freq_mhz":433,"dist_km":0.001}`,
			`{"rx_power_dbm":9.12,"warnings":["~overloaded"]}`},
		{"near field", `{"tx_dbm":0,"freq_mhz":1,"dist_km":0.1}`, `{"warnings":["~near field"]}`},
		{"by hand: noise -174 + 10 log10 250e3 + 3 = -117.0206",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"noise_figure_db":3,"bandwidth_khz":250}`,
			`{"noise_floor_dbm":-117.0206,"snr_db":35.6650}`},
		{"a path loss below free space", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"fspl_db":100}`, `{"fspl_db":100,"rx_power_dbm":-75.700,"wavelength_m":0.327642,"warnings":["~below the free-space loss"]}`},
		{"the loss of fspl itself is not below free space",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"fspl_db":105.656}`,
			`{"rx_power_dbm":-81.356,"warnings":[]}`},
		{"Moon and back once, 1296 MHz: 206.40 dB",
			`{"tx_dbm":60,"freq_mhz":1296,"dist_km":384400,"tx_gain_dbi":30,"rx_gain_dbi":30}`,
			`{"fspl_db":206.3956,"rx_power_dbm":-86.3956}`},
		{"by hand: 48.644 - 1.5 - 0.5 - 3.01 - 1 = 42.634", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":-130,"tx_cable_loss_db":1.5,"rx_cable_loss_db":0.5,"polarization_loss_db":3.01,"pointing_loss_db":1}`,
			`{"eirp_dbm":20.65,"rx_power_dbm":-87.366,"margin_db":42.634,"warnings":[]}`},
		{"ARRL Antenna Book: circular to linear is 3 dB, no other loss", `{"tx_dbm":0,"freq_mhz":915,"dist_km":5,"tx_gain_dbi":0,"rx_gain_dbi":0,"polarization_loss_db":3}`, `{"eirp_dbm":0,"rx_power_dbm":-108.656}`},
		{"by hand: transmit cable lowers the EIRP, receive cable does not", `{"tx_dbm":30,"freq_mhz":2400,"dist_km":1,"tx_gain_dbi":10,"rx_gain_dbi":10,"tx_cable_loss_db":2,"rx_cable_loss_db":3,"pointing_loss_db":0.5}`, `{"eirp_dbm":38,"rx_power_dbm":-55.552}`},
		{"by hand: fade margin 20 of 48.644",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":-130,"fade_margin_db":20}`, `{"margin_after_fading_db":28.644,"warnings":[]}`},
		{"by hand: 8.644 dB is enough for 5 dB of fading",
			`{"tx_dbm":-20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":-130,"fade_margin_db":5}`, `{"margin_after_fading_db":3.644,"warnings":[]}`},
		{"by hand: and not for 12 dB", `{"tx_dbm":-20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":-130,"fade_margin_db":12}`, `{"margin_after_fading_db":-3.356,"warnings":["~below fade_margin_db 12"]}`},
		{"FS-1037C: 2.23 nmi (√100 + √25), 1 nmi = 1.852 km, is 62 km",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":60,"tx_height_m":100,"rx_height_m":25}`,
			`{"radio_horizon_km":6.2e1}`},
		{"4.12 √10 + 4.12 √2 = 18.86 km, as meshnet_range",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"tx_height_m":10,"rx_height_m":2}`,
			`{"radio_horizon_km":18.86,"warnings":["~below 60 %"]}`},
		{"50 km without heights: 50²/(8·4/3·6371) = 36.8 m",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":50,"rx_sensitivity_dbm":-130}`, `{"margin_db":28.644,"radio_horizon_km":null,"fresnel_clearance_pct":null,"warnings":["~from 36.8 m each"]}`},
		{"fresnel_zone's required height 12.0744 m at 2.4 GHz and 10 km leaves 60 %",
			`{"tx_dbm":20,"freq_mhz":2400,"dist_km":10,"tx_height_m":12.0745,"rx_height_m":12.0745}`, `{"fresnel_clearance_pct":60.00,"warnings":[]}`},
		{"by hand: at 5 m 100 (5 - 1.4715)/17.6716 = 19.97 %",
			`{"tx_dbm":20,"freq_mhz":2400,"dist_km":10,"tx_height_m":5,"rx_height_m":5}`,
			`{"fresnel_clearance_pct":19.97,"warnings":["~20 % of the first Fresnel zone"]}`},
		{"by hand: near the low antenna, 2 √(30·0.1)/√(0.124914·1000) of a plane, less 0.03 % of bulge",
			`{"tx_dbm":20,"freq_mhz":2400,"dist_km":1,"tx_height_m":30,"rx_height_m":0.1}`,
			`{"fresnel_clearance_pct":30.96,"warnings":["~31 % of the first Fresnel zone"]}`},
		{"a path loss that was given includes the earth",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":50,"fspl_db":160}`, `{"warnings":[]}`},
		{"the Moon is no ground path",
			`{"tx_dbm":60,"freq_mhz":1296,"dist_km":384400,"tx_gain_dbi":30,"rx_gain_dbi":30}`,
			`{"warnings":["~space links"]}`},
		{"LMR-400 data sheet, 450 MHz: 2.7 dB per 100 ft",
			`{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_400","tx_cable_m":30.48}`,
			`{"tx_line_loss_db":2.7,"rx_line_loss_db":0}`},
		{"LMR-240 and LMR-600, 450 MHz: 5.3 dB (scc-ares-races.org)",
			`{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_240","rx_cable_m":30.48}`,
			`{"tx_line_loss_db":0,"rx_line_loss_db":5.3}`},
		{"LMR-600 at 450 MHz: 1.7 dB (scc-ares-races.org)",
			`{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_600","tx_cable_m":30.48}`,
			`{"tx_line_loss_db":1.7}`},
		{"Codan: RG-58 C/U, 150 MHz, 6.1 dB per 100 ft",
			`{"tx_dbm":20,"freq_mhz":150,"dist_km":5,"cable_type":"rg_58","tx_cable_m":30.48}`,
			`{"tx_line_loss_db":6.1}`},
		{"Codan: RG-213/U, 850 MHz, 7.53 dB per 100 ft",
			`{"tx_dbm":20,"freq_mhz":850,"dist_km":5,"cable_type":"rg_213","tx_cable_m":30.48}`,
			`{"tx_line_loss_db":7.53}`},
		{"by hand: EIRP 20 + 2.15 - 0.5 - 2.711/2", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_400","tx_cable_m":15.24,"tx_cable_loss_db":0.5}`, `{"eirp_dbm":20.29,"tx_line_loss_db":1.86}`},
		{"RG-58 above 1 GHz",
			`{"tx_dbm":20,"freq_mhz":2400,"dist_km":5,"cable_type":"rg_58","tx_cable_m":1}`,
			`{"warnings":["~extrapolated above 1000 MHz"]}`},
		{"a type without a length",
			`{"tx_dbm":20,"freq_mhz":2400,"dist_km":5,"cable_type":"rg_58"}`,
			`{"tx_line_loss_db":0,"warnings":["~no effect","~extrapolated"]}`},
		{"one height", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"tx_height_m":10}`,
			`{"radio_horizon_km":null,"warnings":["~rx_height_m"]}`},
		{"P.838-3 table 5, 20 GHz V: k .09611, α .9847, 42 mm/h 3.812 dB/km; P.530 r at 5 km .7679", `{"tx_dbm":20,"freq_mhz":20000,"dist_km":5,"rain_rate_mm_h":42}`, `{"rain_loss_db":14.64}`},
		{"P.838-3 table 5, 12 GHz H: k .02386, α 1.1825, 50 mm/h 2.436 dB/km, r = 1.523", `{"tx_dbm":20,"freq_mhz":12000,"dist_km":1,"rain_rate_mm_h":50,"rain_polarization":"horizontal"}`, `{"rain_loss_db":3.71}`},
		{"scc-ares-races.org: LMR-400, 100 ft at 450 MHz, at the receiver", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_400","rx_cable_m":30.48}`, `{"tx_line_loss_db":0,"rx_line_loss_db":2.7}`},
		{"Codan: RG-58 C/U, 100 ft at 150 MHz, at the receiver", `{"tx_dbm":20,"freq_mhz":150,"dist_km":5,"cable_type":"rg_58","rx_cable_m":30.48}`, `{"rx_line_loss_db":6.1}`},
		{"universal-radio.com: LMR-100A, 100 ft at 450 MHz, at the receiver", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_100","rx_cable_m":30.48}`, `{"rx_line_loss_db":15.8}`},
		{"P.838-3 table 5, 20 GHz H: k .09164, α 1.0568, 4.759 dB/km, r = .7397", `{"tx_dbm":20,"freq_mhz":20000,"dist_km":5,"rain_rate_mm_h":42,"rain_polarization":"horizontal"}`, `{"rain_loss_db":17.60}`},
		{"no rain, no loss", `{"tx_dbm":20,"freq_mhz":20000,"dist_km":5,"rain_rate_mm_h":0}`,
			`{"rain_loss_db":0,"warnings":[]}`},
		{"rain above 5 GHz is warned of", `{"tx_dbm":20,"freq_mhz":20000,"dist_km":5}`,
			`{"rain_loss_db":null,"warnings":["~rain is not included"]}`},
		{"short 5.8 GHz links lose less than 1 dB", `{"tx_dbm":20,"freq_mhz":5800,"dist_km":1}`,
			`{"warnings":[]}`},
		{"beyond P.530", `{"tx_dbm":20,"freq_mhz":10000,"dist_km":100,"rain_rate_mm_h":20,"tx_height_m":1000,"rx_height_m":1000}`, `{"warnings":["~extrapolated"]}`},
		{"by hand: -81.356 dBm less 20 dB of crossed polarisation and 2 dB of pointing",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"polarization_loss_db":20,"pointing_loss_db":2}`,
			`{"rx_power_dbm":-103.356}`},
		{"by hand: 3 dB of receive cable",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_cable_loss_db":3}`,
			`{"eirp_dbm":22.15,"rx_power_dbm":-84.356}`},
		{"by hand: heights of 20 m, 100 (20 - 1.4715)/17.6716",
			`{"tx_dbm":20,"freq_mhz":2400,"dist_km":10,"tx_height_m":20,"rx_height_m":20}`,
			`{"fresnel_clearance_pct":104.85}`},
		{"P.838-3 table 5, 20 GHz V: k .09611, α .9847; P.530-18, r in Python",
			`{"tx_dbm":20,"freq_mhz":20000,"dist_km":5,"rain_rate_mm_h":42,"rain_polarization":"vertical"}`,
			`{"rain_loss_db":14.6}`},
		{"mW as dBm: 100 mW are 20 dBm",
			`{"tx_dbm":100,"freq_mhz":915,"dist_km":5}`,
			`{"rx_power_dbm":-1.356,"warnings":["~100 mW are 20 dBm"]}`},
		{"a sensitivity without its sign",
			`{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":130}`,
			`{"margin_db":-211.356,"warnings":["~is positive","~does not close"]}`},
	})
	tooltest.InvalidCases(t, LinkBudget, []tooltest.InvalidCase{
		{"a length without a type", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"tx_cable_m":3}`,
			[]string{"cable_type"}, "required with tx_cable_m"},
		{"nothing", `{}`, []string{"tx_dbm", "freq_mhz", "dist_km"}, "is required"},
		{"zero and negative", `{"tx_dbm":20,"freq_mhz":0,"dist_km":-1}`,
			[]string{"freq_mhz", "dist_km"}, "greater than 0"},
		{"a boolean", `{"tx_dbm":true,"freq_mhz":915,"dist_km":1}`, []string{"tx_dbm"},
			"a boolean was given"},
		{"a required null", `{"tx_dbm":null,"freq_mhz":915,"dist_km":1}`,
			[]string{"tx_dbm"}, "null"},
		{"absurd", `{"tx_dbm":1e300,"freq_mhz":915,"dist_km":1e300}`, []string{"tx_dbm", "dist_km"},
			"-1000 to 1000"},
		{"rain below 1 GHz", `{"tx_dbm":0,"freq_mhz":915,"dist_km":1,"rain_rate_mm_h":20}`,
			[]string{"rain_rate_mm_h"}, "1 to 1000 GHz"},
		{"a gain as a loss", `{"tx_dbm":0,"freq_mhz":915,"dist_km":1,"tx_cable_loss_db":-1,"polarization_loss_db":-3,"pointing_loss_db":-1,"rx_cable_loss_db":-1}`,
			[]string{"tx_cable_loss_db", "polarization_loss_db", "pointing_loss_db",
				"rx_cable_loss_db"}, "0 to 1000"},
		{"no bandwidth",
			`{"tx_dbm":0,"freq_mhz":915,"dist_km":1,"bandwidth_khz":0,"noise_figure_db":-1}`,
			[]string{"bandwidth_khz", "noise_figure_db"}, "greater than 0"},
	})
}

// TestThinCablesAgainstDataSheets compares losses with data sheets of Satec (RG-174, RG-178) in dB
// per 100 m. It compares LMR-100A with the rounded values of universal-radio.com in dB per 100 ft.
func TestThinCablesAgainstDataSheets(t *testing.T) {
	for cable, sheet := range map[string]map[float64]float64{
		"rg_174": {100: 31, 200: 51, 400: 74, 1000: 120},
		"rg_178": {100: 46, 200: 62, 400: 92, 1000: 151},
	} {
		for freq, want := range sheet {
			if got := cables[cable].loss(freq, 100); math.Abs(got/want-1) > 0.06 {
				t.Errorf("%s at %g MHz: %.4g dB per 100 m, the data sheet says %g", cable,
					freq, got, want)
			}
		}
	}
	for freq, want := range map[float64]float64{30: 3.9, 50: 5.1, 146: 8.8, 150: 8.9, 440: 15.6,
		450: 15.8} {
		if got := cables["lmr_100"].loss(freq, 30.48); math.Abs(got-want) > 0.055 {
			t.Errorf("LMR-100A at %g MHz: %.4g dB per 100 ft, the table says %g", freq, got, want)
		}
	}
}
