package mesh

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestLoraSensitivity(t *testing.T) {
	tooltest.Examples(t, LoraSensitivity)
	tooltest.Cases(t, LoraSensitivity, []tooltest.Case{
		{"contract, defaults", `{}`, `{"noise_floor_dbm":-117.0309,"sensitivity_dbm":-132.0309,"required_snr_db":-15,"thermal_noise_dbm":-174,"warnings":[]}`},
		{"SX1262 data sheet: -137 dBm at SF12, 125 kHz (NF 6): -174 + 50.969 + 6 - 20", `{"sf":12}`,
			`{"sensitivity_dbm":-137.03}`},
		{"SX1276 data sheet: -136 dBm (NF 7)", `{"sf":12,"noise_figure_db":7}`,
			`{"sensitivity_dbm":-136.03}`},
		{"SX1272 data sheet: -124 dBm at SF7; by hand -174 + 50.9691 + 6 - 7.5", `{"sf":7}`,
			`{"sensitivity_dbm":-124.5309}`},
		{"by hand, SF7 500 kHz: -174 + 56.9897 + 6 - 7.5", `{"sf":7,"bw_khz":500}`,
			`{"sensitivity_dbm":-118.5103}`},
		{"half the bandwidth, 3.0103 dB: SF12 62.5 kHz", `{"sf":12,"bw_khz":62.5}`,
			`{"sensitivity_dbm":-140.0412}`},
		{"2.4 GHz, noiseless: -174 + 62.1085 - 7.5", `{"sf":7,"bw_khz":1625,"noise_figure_db":0}`,
			`{"noise_floor_dbm":-111.8915,"sensitivity_dbm":-119.3915,"warnings":[]}`},
		{"narrowest: -174 + 38.9209 + 40 - 20", `{"sf":12,"bw_khz":7.8,"noise_figure_db":40}`,
			`{"noise_floor_dbm":-95.0791,"sensitivity_dbm":-115.0791,"warnings":[]}`},
	})
	tooltest.InvalidCases(t, LoraSensitivity, []tooltest.InvalidCase{
		{"spreading factor", `{"sf":13}`, []string{"sf"}, "7 to 12"},
		{"bandwidth zero", `{"bw_khz":0}`, []string{"bw_khz"}, "7.8 to 1625"},
		{"bandwidth in Hz", `{"bw_khz":125000}`, []string{"bw_khz"}, "got 125000"},
		{"negative noise figure", `{"noise_figure_db":-1}`, []string{"noise_figure_db"}, "0 to 40"},
		{"text", `{"sf":"SF10"}`, []string{"sf"}, "a string was given"},
		{"not an object", `[10]`, []string{""}, "object"},
	})
}
