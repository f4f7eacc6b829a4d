package mesh

import (
	"fmt"
	"testing"

	"slipstick/tools/meshnet"
	"slipstick/tools/propagation"
	"slipstick/tools/tooltest"
)

func TestMeshnetRange(t *testing.T) {
	tooltest.Examples(t, MeshnetRange)
	tooltest.Cases(t, MeshnetRange, []tooltest.Case{
		{"heights count: 10 m", `{"tx_height_m":10}`, `{"planned_range_km":8.47854}`},
		{"heights count: 100 m", `{"tx_height_m":100}`, `{"planned_range_km":35.81981}`},
		{"90 % of the places", `{"location_pct":90}`, `{"planned_range_km":4.58124}`},
		{
			"contract, by hand: -174 + 53.9794 + 6 - 17.5; 22 + 4 + 131.5206; 157.5206 - 25 - 91.6762",
			`{}`,
			`{"max_range_km":110.20968,"rx_sensitivity_dbm":-131.5206,"link_budget_db":157.5206,"effective_sf":11,"effective_bw_khz":250,"effective_cr":5,
			  "tx_power_dbm":22,"antenna_gain_dbi":2,"practical_range_km":14.46612,"radio_horizon_km":18.85514,"device_name":"~OLED","channel_name":"Long range, fast","warnings":["~horizon"]}`,
		},
		{
			"base station, very_long_slow, open: -174 + 47.9588 + 4 - 20; 30 + 6 + 142.0412",
			`{"device":"device_5","channel_preset":"very_long_slow","terrain":"open"}`,
			`{"rx_sensitivity_dbm":-142.0412,"link_budget_db":178.0412,"max_range_km":20808.929,"practical_range_km":18.85514,"effective_sf":12,"effective_bw_khz":62.5,"effective_cr":8,"tx_power_dbm":30,"antenna_gain_dbi":3}`,
		},
		{
			"older tracker, short_fast, urban: -174 + 53.9794 + 7 - 7.5; 20 + 4 + 120.5206 - 35 - 91.6762 = 17.8444",
			`{"device":"device_2","channel_preset":"short_fast","terrain":"urban"}`,
			`{"rx_sensitivity_dbm":-120.5206,"link_budget_db":144.5206,"max_range_km":7.80225,"practical_range_km":3.21324,"effective_sf":7,"warnings":[]}`,
		},
		{
			"handheld, 868 MHz, dense urban: 22 + 2 + 137.0309 - 40 - 91.2182",
			`{"device":"device_4","channel_preset":"long_slow","terrain":"dense_urban","freq_mhz":868}`,
			`{"link_budget_db":161.0309,"max_range_km":30.94825,"practical_range_km":7.02995,"antenna_gain_dbi":1}`,
		},
		{
			"433.5 MHz indoors, medium_slow: -129.0206; 155.0206 - 50 - 85.1876",
			`{"device":"device_3","channel_preset":"medium_slow","terrain":"indoor","freq_mhz":433.5}`, `{"max_range_km":9.80961,"practical_range_km":3.65964,"warnings":[]}`,
		},
		{
			"overrides: 17 + 10 + 134.5309 - 25 - 91.6762",
			`{"channel_preset":"long_moderate","tx_power_dbm":17,"antenna_gain_dbi":5}`, `{"link_budget_db":161.5309,"max_range_km":174.87782,"practical_range_km":18.80534,"tx_power_dbm":17,"antenna_gain_dbi":5}`,
		},
		{
			"everything custom: noise figure 6, cr 5; 14 + 4.3 + 137.0309",
			`{"device":"custom","channel_preset":"custom","tx_power_dbm":14,"antenna_gain_dbi":2.15,"sf":12,"bw_khz":125}`,
			`{"rx_sensitivity_dbm":-137.0309,"link_budget_db":155.3309,"max_range_km":85.65145,"practical_range_km":12.53559,"effective_cr":5,"device_name":"Custom radio","channel_name":"Custom: SF12, 125 kHz, 4/5"}`,
		},
		{
			"a custom noise figure of 3 hears 3 dB more; a bandwidth no modem has",
			`{"device":"custom","channel_preset":"custom","tx_power_dbm":14,"antenna_gain_dbi":2.15,"noise_figure_db":3,"sf":12,"bw_khz":100,"cr":8,"terrain":"indoor"}`,
			`{"rx_sensitivity_dbm":-141.0000,"link_budget_db":159.3000,"effective_cr":8,"max_range_km":7.60659,"warnings":["~bw_khz 100"]}`,
		},
		{
			"sf is not for presets", `{"sf":7,"terrain":"indoor"}`,
			`{"effective_sf":11,"rx_sensitivity_dbm":-131.5206,"warnings":["~sf was ignored: it needs channel_preset custom, not long_fast"]}`,
		},
		{
			"Meshtastic firmware, modemPresetToParams: LONG_TURBO is 500 kHz, SF11, 4/8; -174 + 56.9897 + 6 - 17.5",
			`{"channel_preset":"long_turbo"}`, `{"rx_sensitivity_dbm":-128.5103,"effective_sf":11,"effective_bw_khz":500,"effective_cr":8,"channel_name":"Long range, turbo"}`,
		},
		{
			"Meshtastic firmware: SHORT_TURBO is 500 kHz, SF7, 4/5; -174 + 56.9897 + 6 - 7.5",
			`{"channel_preset":"short_turbo"}`, `{"rx_sensitivity_dbm":-118.5103,"effective_sf":7,"effective_bw_khz":500,"effective_cr":5}`,
		},
		{
			"Meshtastic firmware, RegionInfo: EU_868 is 869.4 to 869.65 MHz, 250 kHz",
			`{"channel_preset":"short_turbo","freq_mhz":869.525}`,
			`{"warnings":["~500 kHz does not fit","~horizon"]}`,
		},
		{
			"at the horizon, 4.12 · 2 √0.5: no range is too long",
			`{"terrain":"open","tx_height_m":0.5,"rx_height_m":0.5}`,
			`{"hata_range_km":5.827,"radio_horizon_km":5.827,"warnings":["the higher antenna of 0.5 m counts as 1 m, the limit of hata_range_km","the lower antenna of 0.5 m counts as 1 m, the limit of hata_range_km","~horizon"]}`,
		},
		{
			"Hata 1980 by hand, suburban, 10 and 2 m: 8.4785 km",
			`{"terrain":"suburban","tx_height_m":10}`, `{"hata_range_km":8.4785}`,
		},
		{
			"Hata 1980 by hand, suburban, 100 and 2 m: 35.8198 km",
			`{"terrain":"suburban","tx_height_m":100}`, `{"hata_range_km":35.8198}`,
		},
		{
			"Hata 1980 by hand, urban, 30 and 2 m: 8.2107 km",
			`{"terrain":"urban","tx_height_m":30}`, `{"hata_range_km":8.2107}`,
		},
		{
			"Hata 1980 by hand, dense_urban, 50 and 2 m: 10.8921 km",
			`{"terrain":"dense_urban","tx_height_m":50}`, `{"hata_range_km":10.8921}`,
		},
		{"Hata: fade margin of 38.35 dB is a decade",
			`{"fade_margin_db":38.35}`,
			`{"planned_range_km":0.84785}`},
		{"Hata, by hand: 10 dB at 38.35 dB per decade",
			`{"fade_margin_db":10}`,
			`{"planned_range_km":4.6512}`},
		{"Hata, by hand: 20 dB and 90 % of the places of 8 dB",
			`{"fade_margin_db":20,"location_pct":90}`,
			`{"planned_range_km":1.3787}`},
		{"P.1546: 95 % is 1.6449 σ of 5.5 dB",
			`{"location_pct":95,"shadowing_db":5.5}`,
			`{"planned_range_km":4.9252}`},
		{"P.1546: 90 % is 1.2816 σ of 6 dB",
			`{"location_pct":90,"shadowing_db":6}`,
			`{"planned_range_km":5.3434}`},
		{"P.1546: half of the places, whatever the spread",
			`{"location_pct":50,"shadowing_db":10}`,
			`{"planned_range_km":8.47854}`},
	})
	tooltest.InvalidCases(t, MeshnetRange, []tooltest.InvalidCase{
		{"custom device without its radio", `{"device":"custom"}`,
			[]string{"tx_power_dbm", "antenna_gain_dbi"}, "is required with device custom"},
		{"custom device without a gain", `{"device":"custom","tx_power_dbm":20}`,
			[]string{"antenna_gain_dbi"}, "dBi"},
		{"custom channel without its modem", `{"channel_preset":"custom"}`,
			[]string{"sf", "bw_khz"}, "is required with channel_preset custom"},
		{"everything missing", `{"device":"custom","channel_preset":"custom"}`,
			[]string{"tx_power_dbm", "antenna_gain_dbi", "sf", "bw_khz"}, ""},
		{"ignored fields are still checked", `{"sf":6,"bw_khz":5,"cr":9}`,
			[]string{"sf", "bw_khz", "cr"}, "7 to 12"},
		{"unknown device", `{"device":"device_6"}`, []string{"device"}, "device_1"},
		{"unknown preset", `{"channel_preset":"LongFast"}`, []string{"channel_preset"},
			"long_fast"},
		{"frequency", `{"freq_mhz":0}`, []string{"freq_mhz"}, "got 0"},
	})
}

// TestMeshnetRangeIsALinkBudget compares a mesh link with lora_range_estimate and the profile's
// figures, for every device, preset and terrain.
func TestMeshnetRangeIsALinkBudget(t *testing.T) {
	for _, d := range meshnet.Devices() {
		for _, p := range meshnet.Presets() {
			for _, terrain := range MeshnetRange.Input.Field("terrain").Enum {
				out := result[meshnetRangeOut](t, MeshnetRange,
					fmt.Sprintf(`{"device":%q,"channel_preset":%q,"terrain":%q}`, d.ID,
						p.ID, terrain))
				link := result[loraRangeEstimateOut](t, LoraRangeEstimate, fmt.Sprintf(`{"tx_dbm":%v,"tx_gain_dbi":%v,"rx_gain_dbi":%v,"rx_sensitivity_dbm":%v,"terrain":%q}`,
					out.TxPowerDBm, out.AntennaGainDBi, out.AntennaGainDBi,
					out.SensitivityDBm, terrain))
				what := d.ID + " " + p.ID + " " + terrain
				near(t, what, out.MaxRangeKm, link.MaxRangeKm)
				near(t, what, out.PracticalRangeKm, link.PracticalRangeKm)
				near(t, what, out.LinkBudgetDB-propagation.TerrainLossDB(terrain),
					link.EffectiveLossDB)
				if out.TxPowerDBm != d.TxDBm || out.AntennaGainDBi != d.AntennaDBi ||
					out.EffectiveSF != p.SF || out.EffectiveBwKHz != p.BwKHz ||
					out.EffectiveCR != p.CR {
					t.Errorf("%s: %+v", what, out)
				}
			}
		}
	}
}

// TestProfiles compares the profiles and presets with a second copy of the specification.
func TestProfiles(t *testing.T) {
	radios := map[string][3]float64{"device_1": {22, 2, 6}, "device_2": {20, 2, 7},
		"device_3": {22, 2, 6}, "device_4": {22, 1, 6}, "device_5": {30, 3, 4}}
	for _, d := range meshnet.Devices() {
		if got := [3]float64{d.TxDBm, d.AntennaDBi, d.NoiseFigureDB}; got != radios[d.ID] {
			t.Errorf("%s: %v, want %v", d.ID, got, radios[d.ID])
		}
	}
	modems := map[string][3]float64{
		"long_fast": {11, 250, 5}, "long_moderate": {11, 125, 8}, "long_slow": {12, 125, 8},
		"very_long_slow": {12, 62.5, 8},
		"medium_fast":    {9, 250, 5}, "medium_slow": {10, 250, 5}, "short_fast": {7, 250, 5},
		"short_slow":  {8, 250, 5},
		"short_turbo": {7, 500, 5}, "long_turbo": {11, 500, 8},
	}
	for _, p := range meshnet.Presets() {
		if got := [3]float64{float64(p.SF), p.BwKHz, float64(p.CR)}; got != modems[p.ID] {
			t.Errorf("%s: %v, want %v", p.ID, got, modems[p.ID])
		}
	}
	if len(meshnet.Devices()) != len(radios) || len(meshnet.Presets()) != len(modems) {
		t.Errorf("%d devices, %d presets", len(meshnet.Devices()), len(meshnet.Presets()))
	}
}
