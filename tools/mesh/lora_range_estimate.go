package mesh

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/propagation"
)

// LoraRangeEstimate computes the range of a link budget in a type of terrain.
var LoraRangeEstimate = tools.Define(tools.Spec{
	Name:    "lora_range_estimate",
	Title:   "LoRa range estimate",
	Summary: "Usable range of a radio link from its budget, with a loss for the terrain and the horizon of the antennas",
	Method: "budget = tx + gains - sensitivity; margin at 1 km = budget - terrain loss - FSPL(1 " +
		"km); practical range = min(10^(margin/35.2), horizon) with the Okumura-Hata slope " +
		"beyond 1 km (20 in the open), horizon = 4.12 (√h1 + √h2) km; max range = 10^(margin/20) " +
		"km, the free-space slope. hata_range_km: the distance at which the loss of Okumura-Hata " +
		"equals the budget, at most the horizon. The higher antenna is the base (1 to 200 m) and " +
		"the lower one the mobile (1 to 10 m). Heights beyond count as these limits. " +
		"planned_range_km: the same with a budget less fade margin and z(location) · shadowing",
	Sources: []string{"ITU-R P.525-4, equation 3", "M. Hata, Empirical Formula for Propagation Loss in Land Mobile Radio Services, IEEE Trans. Veh. Technol. 29 (1980) 317-325", "COST 231 final report, 1999, section 4.4.1", "ITU-R P.2109-1, section 3 (building entry)"},
	Limits:  []string{"A median over many places: a given path may differ by 20 dB", "hata_range_km extrapolates below a height of 30 m and outside 1 to 20 km, and gains nothing above 200 m (higher antenna) and 10 m (lower one); practical_range_km has the slope for 30 m", "max_range_km has the free-space slope and the terrain loss of 1 km at all distances: too long beyond 1 km, too short below; planned_range_km is the range to plan with"},
	Aliases: []string{"lora distance", "radio range", "coverage"},
	Primary: []string{"planned_range_km"},
	Examples: []tools.Example{{
		Title: "Defaults, suburban",
		In:    `{}`,
		Want:  `{"practical_range_km": 11.718, "radio_horizon_km": 18.855, "max_range_km": 76.066, "margin_at_1km_db": 37.624, "effective_path_loss_db": 129.3}`,
	}, {
		Title: "Sensor on a mast of 30 m, 90 % of the places with 10 dB for fading",
		In:    `{"tx_height_m": 1.5, "rx_height_m": 30, "freq_mhz": 868, "tx_dbm": 14, "terrain": "urban", "location_pct": 90, "fade_margin_db": 10}`,
		Want:  `{"hata_range_km": 4.2980, "planned_range_km": 1.1437}`,
		From:  "Hata by hand: 148.3 dB; 20.252 dB less, of which 1.28155 · 8 for the places, at 35.225 dB per decade",
	}, {
		Title: "The same with 100 m of height",
		In:    `{"tx_height_m": 1.5, "rx_height_m": 100, "freq_mhz": 868, "tx_dbm": 14, "terrain": "urban", "location_pct": 90, "fade_margin_db": 10}`,
		Want:  `{"planned_range_km": 1.9581}`,
		From:  "Hata 1980, equation 12: 13.82 log10(100/30) dB less loss and a slope of 31.8 dB",
	}},
}, loraRangeEstimate)

type loraRangeEstimateIn struct {
	TxDBm            float64 `json:"tx_dbm" unit:"dBm" min:"-50" max:"100" default:"20" label:"Transmit power" doc:"Transmit power"`
	FreqMHz          float64 `json:"freq_mhz" unit:"MHz" min:"0.001" max:"1e6" default:"915" label:"Frequency" doc:"Carrier frequency"`
	TxGainDBi        float64 `json:"tx_gain_dbi" unit:"dBi" min:"-50" max:"100" default:"2.15" label:"Transmit antenna gain" doc:"Transmit antenna gain"`
	RxGainDBi        float64 `json:"rx_gain_dbi" unit:"dBi" min:"-50" max:"100" default:"2.15" label:"Receive antenna gain" doc:"Receive antenna gain"`
	RxSensitivityDBm float64 `json:"rx_sensitivity_dbm" unit:"dBm" min:"-250" max:"100" default:"-130" label:"Receiver sensitivity" doc:"Receiver sensitivity"`
	Terrain          string  `json:"terrain" enum:"open,suburban,urban,dense_urban,indoor" default:"suburban" label:"Terrain" doc:"Excess loss over free space: open 0, suburban 25, urban 35, dense_urban 40, indoor 50 dB"`
	propagation.Heights
	propagation.Planning
}

type loraRangeEstimateOut struct {
	propagation.Reach
	MarginAt1kmDB   float64 `json:"margin_at_1km_db" unit:"dB" label:"Link margin at 1 km" doc:"Remaining link margin at 1 km"`
	EffectiveLossDB float64 `json:"effective_path_loss_db" unit:"dB" label:"Allowed path loss" doc:"Link budget minus terrain loss"`
	tools.Warnings
}

func loraRangeEstimate(_ context.Context, in loraRangeEstimateIn) (loraRangeEstimateOut, error) {
	var out loraRangeEstimateOut
	out.EffectiveLossDB = in.TxDBm + in.TxGainDBi + in.RxGainDBi - in.RxSensitivityDBm -
		propagation.TerrainLossDB(in.Terrain)
	out.Reach, out.MarginAt1kmDB = propagation.Range(&out.Warnings, out.EffectiveLossDB, in.FreqMHz,
		in.Terrain, in.Heights, in.Planning)
	return out, nil
}
