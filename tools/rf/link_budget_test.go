package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestLinkBudget(t *testing.T) {
	tooltest.Examples(t, LinkBudget)
	tooltest.Cases(t, LinkBudget, []tooltest.Case{
		{"by hand: 20 + 2.15 + 2.15 - 105.6556 - (-130)", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"tx_gain_dbi":2.15,"rx_gain_dbi":2.15,"rx_sensitivity_dbm":-130}`,
			`{"fspl_db":105.656,"eirp_dbm":22.15,"rx_power_dbm":-81.356,"margin_db":48.644}`},
		{"by hand: isotropic antennas, 10 - 100.0484 at 100 MHz and 24 km", `{"tx_dbm":10,"freq_mhz":100,"dist_km":24,"tx_gain_dbi":0,"rx_gain_dbi":0}`, `{"eirp_dbm":10,"rx_power_dbm":-90.0520,"margin_db":null,"snr_db":null,"noise_floor_dbm":null}`},
		{"sensitivity 0 is a value", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":0}`, `{"margin_db":-81.356,"warnings":["~does not close"]}`},
		{"sensitivity null is absent", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":null}`, `{"margin_db":null,"warnings":[]}`},
		{"gain null is the default", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"tx_gain_dbi":null}`, `{"eirp_dbm":22.15}`},
		{"little margin: 48.644 less 40", `{"tx_dbm":-20,"freq_mhz":915,"dist_km":5,"rx_sensitivity_dbm":-130}`, `{"margin_db":8.644,"warnings":["~leaves little for fading"]}`},
		{"overload: 1 W at 1 m on 433 MHz, 30 + 4.3 - 25.177", `{"tx_dbm":30,"freq_mhz":433,"dist_km":0.001}`, `{"rx_power_dbm":9.12,"warnings":["~overloaded"]}`},
		{"near field", `{"tx_dbm":0,"freq_mhz":1,"dist_km":0.1}`, `{"warnings":["~near field"]}`},
		{"by hand: noise -174 + 10 log10 250e3 + 3 = -117.0206", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"noise_figure_db":3,"bandwidth_khz":250}`, `{"noise_floor_dbm":-117.0206,"snr_db":35.6650}`},
		{"a path loss below free space", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"fspl_db":100}`, `{"fspl_db":100,"rx_power_dbm":-75.700,"wavelength_m":0.327642,"warnings":["~below the free-space loss"]}`},
		{"the loss of fspl itself is not below free space", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5,"fspl_db":105.656}`, `{"rx_power_dbm":-81.356,"warnings":[]}`},
		{"Moon and back once, 1296 MHz: 206.40 dB", `{"tx_dbm":60,"freq_mhz":1296,"dist_km":384400,"tx_gain_dbi":30,"rx_gain_dbi":30}`, `{"fspl_db":206.3956,"rx_power_dbm":-86.3956}`},
	})
	tooltest.InvalidCases(t, LinkBudget, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"tx_dbm", "freq_mhz", "dist_km"}, "is required"},
		{"zero and negative", `{"tx_dbm":20,"freq_mhz":0,"dist_km":-1}`, []string{"freq_mhz", "dist_km"}, "greater than 0"},
		{"a boolean", `{"tx_dbm":true,"freq_mhz":915,"dist_km":1}`, []string{"tx_dbm"}, "a boolean was given"},
		{"a required null", `{"tx_dbm":null,"freq_mhz":915,"dist_km":1}`, []string{"tx_dbm"}, "null"},
		{"absurd", `{"tx_dbm":1e300,"freq_mhz":915,"dist_km":1e300}`, []string{"tx_dbm", "dist_km"}, "-1000 to 1000"},
		{"no bandwidth", `{"tx_dbm":0,"freq_mhz":915,"dist_km":1,"bandwidth_khz":0,"noise_figure_db":-1}`, []string{"bandwidth_khz", "noise_figure_db"}, "greater than 0"},
	})
}
