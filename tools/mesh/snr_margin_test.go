package mesh

import (
	"fmt"
	"testing"

	"slipstick/tools/lora"
	"slipstick/tools/tooltest"
)

func TestSNRMargin(t *testing.T) {
	tooltest.Examples(t, SNRMargin)
	tooltest.Cases(t, SNRMargin, []tooltest.Case{
		{"by hand: floor -174 + 50.9691 + 6, margin -120 + 132.0309", `{"rx_power_dbm":-120}`, `{"noise_floor_dbm":-117.0309,"margin_db":12.0309,"required_snr_db":-15,"link_ok":true,"warnings":[]}`},
		{"SF12, NF 6: the -137 dBm of data sheets", `{"rx_power_dbm":-137,"sf":12}`, `{"margin_db":0.0309,"required_snr_db":-20,"link_ok":true,"warnings":["~no room for fading"]}`},
		{"a tenth of a dB below it", `{"rx_power_dbm":-137.1,"sf":12}`,
			`{"margin_db":-0.0691,"link_ok":false,"warnings":[]}`},
		{"SF7, 500 kHz: -174 + 56.9897 + 6 = -111.0103, -118.5103",
			`{"rx_power_dbm":-100,"sf":7,"bw_khz":500}`,
			`{"noise_floor_dbm":-111.0103,"margin_db":18.5103,"required_snr_db":-7.5}`},
		{"SF11, 250 kHz, NF 4: -174 + 53.9794 + 4 = -116.0206, -133.5206",
			`{"rx_power_dbm":-125,"sf":11,"bw_khz":250,"noise_figure_db":4}`, `{"noise_floor_dbm":-116.0206,"margin_db":8.5206,"required_snr_db":-17.5,"warnings":["~8.52 dB"]}`},
		{"exactly at the threshold is not above it", `{"rx_power_dbm":-132.03089986991944}`,
			`{"margin_db":0,"link_ok":false,"warnings":[]}`},
		{"a bandwidth no modem has", `{"rx_power_dbm":-100,"bw_khz":100}`,
			`{"noise_floor_dbm":-118.0,"margin_db":33.0,"warnings":["~bw_khz 100"]}`},
	})
	tooltest.InvalidCases(t, SNRMargin, []tooltest.InvalidCase{
		{"the catalog's name for the field", `{"rx_dbm":-120}`, []string{"rx_power_dbm"},
			"is required"},
		{"null", `{"rx_power_dbm":null}`, []string{"rx_power_dbm"}, "null does not count"},
		{"spreading factor", `{"rx_power_dbm":-120,"sf":6}`, []string{"sf"}, "7 to 12"},
		{"fraction", `{"rx_power_dbm":-120,"sf":7.5}`, []string{"sf"}, "whole number"},
		{"noise figure", `{"rx_power_dbm":-120,"noise_figure_db":40.1}`,
			[]string{"noise_figure_db"}, "0 to 40"},
		{"bandwidth is a number here", `{"rx_power_dbm":-120,"bw_khz":"125"}`, []string{"bw_khz"},
			"a string was given"},
		{"bandwidth", `{"rx_power_dbm":-120,"bw_khz":1626}`, []string{"bw_khz"}, "7.8 to 1625"},
	})
}

// TestSensitivityIsTheThreshold verifies that the result of lora_sensitivity has a margin of
// exactly 0 dB. It also verifies that a level 1 dB higher has a margin of 1 dB.
func TestSensitivityIsTheThreshold(t *testing.T) {
	for sf := 7; sf <= 12; sf++ {
		for _, bw := range lora.Bandwidths() {
			for _, nf := range []float64{0, 3.3, 6, 40} {
				radio := fmt.Sprintf(`"sf":%d,"bw_khz":%v,"noise_figure_db":%v`, sf, bw, nf)
				s := result[loraSensitivityOut](t, LoraSensitivity, "{"+radio+"}")
				at := result[snrMarginOut](t, SNRMargin, fmt.Sprintf(`{"rx_power_dbm":%v,%s}`,
					s.SensitivityDBm, radio))
				if at.MarginDB != 0 || at.LinkOK || at.NoiseFloorDBm != s.NoiseFloorDBm ||
					at.RequiredSNRDB != s.RequiredSNRDB {
					t.Errorf("%s: margin %g at %g dBm, link_ok %v", radio, at.MarginDB,
						s.SensitivityDBm, at.LinkOK)
				}
				above := result[snrMarginOut](t, SNRMargin, fmt.Sprintf(`{"rx_power_dbm":%v,%s}`,
					s.SensitivityDBm+1, radio))
				near(t, radio, above.MarginDB, 1)
				if !above.LinkOK {
					t.Errorf("%s: 1 dB above the threshold is no link", radio)
				}
			}
		}
	}
}
