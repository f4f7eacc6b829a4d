package mesh

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/lora"
	"slipstick/tools/phys"
)

// LoraSensitivity computes the weakest signal that a LoRa receiver can demodulate.
var LoraSensitivity = tools.Define(tools.Spec{
	Name:    "lora_sensitivity",
	Title:   "LoRa receiver sensitivity",
	Summary: "Weakest LoRa signal that is still demodulated, from spreading factor, bandwidth and noise figure",
	Method:  "sensitivity = -174 + 10 log10(BW in Hz) + NF + required SNR of the spreading factor",
	Sources: []string{"Semtech AN1200.22, LoRa Modulation Basics, rev. 2",
		"Semtech SX1276/77/78/79 data sheet, rev. 7, table 13"},
	Limits:  []string{"Thermal noise only", "Typical thresholds of data sheets"},
	Aliases: []string{"rx sensitivity", "lora threshold"},
	Examples: []tools.Example{{
		Title: "Defaults: SF10, 125 kHz, 6 dB",
		In:    `{}`,
		Want:  `{"sensitivity_dbm": -132.031, "noise_floor_dbm": -117.031, "required_snr_db": -15, "thermal_noise_dbm": -174}`,
	}, {
		Title: "SF12 of the newer transceivers",
		In:    `{"sf": 12}`,
		Want:  `{"sensitivity_dbm": -137.031, "required_snr_db": -20}`,
		From:  "Semtech SX1262 data sheet: -137 dBm",
	}, {
		Title: "SF12 of the older family, 7 dB of noise figure",
		In:    `{"sf": 12, "noise_figure_db": 7}`,
		Want:  `{"sensitivity_dbm": -136.031}`,
		From:  "Semtech SX1276 data sheet: -136 dBm",
	}},
}, loraSensitivity)

type loraSensitivityIn struct{ lora.Receiver }

type loraSensitivityOut struct {
	SensitivityDBm  float64 `json:"sensitivity_dbm" unit:"dBm" label:"Receiver sensitivity" doc:"Weakest signal that can be demodulated"`
	NoiseFloorDBm   float64 `json:"noise_floor_dbm" unit:"dBm" label:"Noise floor" doc:"Noise power in the bandwidth"`
	RequiredSNRDB   float64 `json:"required_snr_db" unit:"dB" label:"Required SNR" doc:"Demodulation threshold of the spreading factor"`
	ThermalNoiseDBm float64 `json:"thermal_noise_dbm" unit:"dBm/Hz" label:"Thermal noise density" doc:"Thermal noise density"`
	tools.Warnings
}

func loraSensitivity(_ context.Context, in loraSensitivityIn) (loraSensitivityOut, error) {
	out := loraSensitivityOut{
		SensitivityDBm: lora.Sensitivity(in.SF, in.BwKHz, in.NoiseFigureDB),
		NoiseFloorDBm:  lora.NoiseFloor(in.BwKHz, in.NoiseFigureDB),
		RequiredSNRDB:  lora.RequiredSNR(in.SF), ThermalNoiseDBm: phys.ThermalDBm,
	}
	lora.WarnBandwidth(&out.Warnings, in.BwKHz)
	return out, nil
}
