package mesh

import (
	"context"
	"fmt"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/lora"
	"slipstick/tools/meshnet"
	"slipstick/tools/propagation"
)

// MeshnetRange computes the range between two mesh nodes with the same hardware profile.
var MeshnetRange = tools.Define(tools.Spec{
	Name:    "meshnet_range",
	Title:   "Mesh node range",
	Summary: "Usable range between two mesh nodes from their hardware profile, channel preset, terrain and antenna heights",
	Method: "sensitivity = -174 + 10 log10(BW in Hz) + NF + required SNR; budget = tx + 2 " +
		"antenna gain - sensitivity, both ends carrying the same antenna; margin at 1 km = " +
		"budget - terrain loss - FSPL(1 km); practical range = min(10^(margin/35.2), horizon) " +
		"with the Okumura-Hata slope beyond 1 km (20 in the open), horizon = 4.12 (√h1 + √h2) " +
		"km; max range = 10^(margin/20) km, the free-space slope. hata_range_km: the distance at " +
		"which the loss of Okumura-Hata equals the budget, at most the horizon. The higher " +
		"antenna is the base (1 to 200 m) and the lower one the mobile (1 to 10 m). Heights " +
		"beyond count as these limits. planned_range_km: the same with a budget less fade margin " +
		"and z(location) · shadowing",
	Sources: []string{"ITU-R P.525-4, equation 3", "M. Hata, Empirical Formula for Propagation Loss in Land Mobile Radio Services, IEEE Trans. Veh. Technol. 29 (1980) 317-325", "Semtech SX1276/77/78/79 data sheet, rev. 7, table 13 (required SNR)", "Meshtastic firmware, src/mesh/MeshRadio.h (presets)"},
	Limits:  []string{"A median over many places: a given path may differ by 20 dB", "hata_range_km extrapolates below a height of 30 m and outside 1 to 20 km, and gains nothing above 200 m (higher antenna) and 10 m (lower one); practical_range_km has the slope for 30 m", "max_range_km has the free-space slope and the terrain loss of 1 km at all distances: too long beyond 1 km, too short below; planned_range_km is the range to plan with", "Profiles are typical boards; a given one may differ by 1 to 2 dB"},
	Aliases: []string{"mesh range", "node distance", "lora mesh"},
	Primary: []string{"planned_range_km"},
	Examples: []tools.Example{{
		Title: "Two boards, long_fast, suburban",
		In:    `{}`,
		Want:  `{"practical_range_km": 14.466, "radio_horizon_km": 18.855, "max_range_km": 110.210, "rx_sensitivity_dbm": -131.5206, "link_budget_db": 157.5206, "effective_sf": 11, "effective_bw_khz": 250, "tx_power_dbm": 22, "antenna_gain_dbi": 2}`,
	}, {
		Title: "A router on a roof of 100 m reaches farther than one at 10 m",
		In:    `{"tx_height_m": 100}`,
		Want:  `{"planned_range_km": 35.81981, "hata_range_km": 35.81981}`,
		From:  "Hata 1980 by hand: suburban, 915 MHz, 100 and 2 m",
	}, {
		Title: "90 % of the places at 10 m",
		In:    `{"location_pct": 90}`,
		Want:  `{"planned_range_km": 4.58124}`,
		From:  "by hand: 1.28155 · 8 dB less at 38.35 dB per decade",
	}},
}, meshnetRange)

type meshnetRangeIn struct {
	Device        string   `json:"device" enum:"device_1,device_2,device_3,device_4,device_5,custom" default:"device_1" label:"Device" doc:"Hardware profile with transmit power, antenna gain and noise figure; custom uses antenna_gain_dbi, tx_power_dbm and noise_figure_db"`
	ChannelPreset string   `json:"channel_preset" enum:"long_fast,long_moderate,long_slow,very_long_slow,medium_fast,medium_slow,short_fast,short_slow,short_turbo,long_turbo,custom" default:"long_fast" label:"Channel preset" doc:"Spreading factor, bandwidth and coding rate; custom uses sf, bw_khz and cr"`
	Terrain       string   `json:"terrain" enum:"open,suburban,urban,dense_urban,indoor" default:"suburban" label:"Terrain" doc:"Excess loss over free space: open 0, suburban 25, urban 35, dense_urban 40, indoor 50 dB"`
	AntennaDBi    *float64 `json:"antenna_gain_dbi" unit:"dBi" min:"-50" max:"100" label:"Antenna gain" doc:"Antenna gain at both ends, instead of the profile's"`
	TxPowerDBm    *float64 `json:"tx_power_dbm" unit:"dBm" min:"-50" max:"100" label:"Transmit power" doc:"Transmit power, instead of the profile's"`
	NoiseFigureDB *float64 `json:"noise_figure_db" unit:"dB" min:"0" max:"40" label:"Receiver noise figure" doc:"Noise figure, instead of the profile's (6 for custom)"`
	SF            *int     `json:"sf" unit:"1" min:"7" max:"12" label:"Spreading factor" doc:"Spreading factor; only with channel_preset custom"`
	BwKHz         *float64 `json:"bw_khz" unit:"kHz" min:"7.8" max:"1625" label:"Bandwidth" doc:"Bandwidth; only with channel_preset custom"`
	CR            *int     `json:"cr" unit:"1" min:"5" max:"8" label:"Coding rate (4/n)" doc:"Denominator n, by default 5; only with channel_preset custom"`
	FreqMHz       float64  `json:"freq_mhz" unit:"MHz" min:"0.001" max:"1e6" default:"915" label:"Frequency" doc:"Carrier frequency"`
	propagation.Heights
	propagation.Planning
}

type meshnetRangeOut struct {
	propagation.Reach
	SensitivityDBm float64 `json:"rx_sensitivity_dbm" unit:"dBm" label:"Receiver sensitivity" doc:"Receiver sensitivity"`
	LinkBudgetDB   float64 `json:"link_budget_db" unit:"dB" label:"Link budget" doc:"Link budget before the terrain loss"`
	DeviceName     string  `json:"device_name" label:"Device" doc:"Hardware profile"`
	ChannelName    string  `json:"channel_name" label:"Channel preset" doc:"Channel preset"`
	EffectiveSF    int     `json:"effective_sf" unit:"1" label:"Spreading factor" doc:"Spreading factor used"`
	EffectiveBwKHz float64 `json:"effective_bw_khz" unit:"kHz" label:"Bandwidth" doc:"Bandwidth used"`
	EffectiveCR    int     `json:"effective_cr" unit:"1" label:"Coding rate (4/n)" doc:"Denominator n of the coding rate used"`
	TxPowerDBm     float64 `json:"tx_power_dbm" unit:"dBm" label:"Transmit power" doc:"Transmit power used"`
	AntennaGainDBi float64 `json:"antenna_gain_dbi" unit:"dBi" label:"Antenna gain" doc:"Antenna gain used at both ends"`
	tools.Warnings
}

func meshnetRange(_ context.Context, in meshnetRangeIn) (meshnetRangeOut, error) {
	var out meshnetRangeOut
	var errs tools.FieldErrors
	radio, known := meshnet.FindDevice(in.Device)
	if !known {
		radio = meshnet.Device{Name: "Custom radio", NoiseFigureDB: 6}
		if in.TxPowerDBm == nil {
			errs.Add("tx_power_dbm",
				"is required with device custom: a number of dBm, -50 to 100")
		}
		if in.AntennaDBi == nil {
			errs.Add("antenna_gain_dbi",
				"is required with device custom: a number of dBi, -50 to 100")
		}
	}
	channel, known := meshnet.FindPreset(in.ChannelPreset)
	if !known {
		channel = meshnet.Preset{CR: 5}
		if in.SF == nil {
			errs.Add("sf", "is required with channel_preset custom: a whole number, 7 to 12")
		}
		if in.BwKHz == nil {
			errs.Add("bw_khz",
				"is required with channel_preset custom: a number of kHz, 7.8 to 1625")
		}
	} else {
		choice.Ignored(&out.Warnings,
			fmt.Sprintf("it needs channel_preset custom, not %s", in.ChannelPreset),
			choice.Of("sf", in.SF != nil), choice.Of("bw_khz", in.BwKHz != nil),
			choice.Of("cr", in.CR != nil))
		in.SF, in.BwKHz, in.CR = nil, nil, nil
	}
	if err := errs.Err(); err != nil {
		return out, err
	}
	radio.TxDBm = choice.Or(in.TxPowerDBm, radio.TxDBm)
	radio.AntennaDBi = choice.Or(in.AntennaDBi, radio.AntennaDBi)
	radio.NoiseFigureDB = choice.Or(in.NoiseFigureDB, radio.NoiseFigureDB)
	channel.SF = choice.Or(in.SF, channel.SF)
	channel.BwKHz = choice.Or(in.BwKHz, channel.BwKHz)
	channel.CR = choice.Or(in.CR, channel.CR)
	if channel.ID == "" {
		channel.Name = fmt.Sprintf("Custom: SF%d, %g kHz, 4/%d", channel.SF,
			channel.BwKHz, channel.CR)
		lora.WarnBandwidth(&out.Warnings, channel.BwKHz)
	}

	out.DeviceName, out.ChannelName = radio.Name, channel.Name
	out.EffectiveSF, out.EffectiveBwKHz, out.EffectiveCR = channel.SF, channel.BwKHz, channel.CR
	out.TxPowerDBm, out.AntennaGainDBi = radio.TxDBm, radio.AntennaDBi
	out.SensitivityDBm = lora.Sensitivity(channel.SF, channel.BwKHz, radio.NoiseFigureDB)
	out.LinkBudgetDB = radio.TxDBm + 2*radio.AntennaDBi - out.SensitivityDBm
	if channel.BwKHz > 250 && in.FreqMHz >= 869.4 && in.FreqMHz <= 869.65 {
		out.Warn(
			"%g kHz does not fit the European band of 869.4 to 869.65 MHz, which is 250 kHz wide: use a preset of 250 kHz or less",
			channel.BwKHz,
		)
	}
	out.Reach, _ = propagation.Range(&out.Warnings,
		out.LinkBudgetDB-propagation.TerrainLossDB(in.Terrain), in.FreqMHz, in.Terrain, in.Heights,
		in.Planning)
	return out, nil
}
