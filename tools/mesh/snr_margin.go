package mesh

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/lora"
	"slipstick/tools/tolerance"
)

// SNRMargin computes the margin of a received signal above the demodulation limit.
var SNRMargin = tools.Define(tools.Spec{
	Name:    "snr_margin",
	Title:   "LoRa SNR margin",
	Summary: "Margin of a received LoRa signal over the demodulation threshold",
	Method:  "noise floor = -174 + 10 log10(BW in Hz) + NF; margin = received power - (noise floor + required SNR), the required SNR being -7.5 dB at SF7 and 2.5 dB less per step to -20 dB at SF12",
	Sources: []string{"Semtech SX1276/77/78/79 data sheet, rev. 7, table 13",
		"Semtech AN1200.22, LoRa Modulation Basics, rev. 2"},
	Limits: []string{"Thermal noise only: no interference, no man-made noise",
		"Typical thresholds of data sheets, without implementation spread"},
	Aliases: []string{"lora link margin", "demodulation threshold", "signal to noise"},
	Examples: []tools.Example{{
		Title: "-120 dBm at SF10",
		In:    `{"rx_power_dbm": -120}`,
		Want:  `{"margin_db": 12.031, "noise_floor_dbm": -117.031, "required_snr_db": -15, "link_ok": true}`,
	}, {
		Title: "At the edge: -137 dBm at SF12",
		In:    `{"rx_power_dbm": -137, "sf": 12}`,
		Want:  `{"margin_db": 0.031, "link_ok": true}`,
		From:  "by hand: -137 + 137.031",
	}, {
		Title: "SF7 at 500 kHz from -100 dBm",
		In:    `{"rx_power_dbm": -100, "sf": 7, "bw_khz": 500}`,
		Want:  `{"noise_floor_dbm": -111.0103, "margin_db": 18.5103}`,
		From:  "by hand: -174 + 56.9897 + 6; 11.0103 + 7.5",
	}},
}, snrMargin)

type snrMarginIn struct {
	RxPowerDBm float64 `json:"rx_power_dbm" unit:"dBm" min:"-1000" max:"1000" example:"-120" label:"Received power" doc:"Received power at the antenna connector"`
	lora.Receiver
}

type snrMarginOut struct {
	MarginDB      float64 `json:"margin_db" unit:"dB" label:"SNR margin" doc:"Margin over the demodulation threshold; the link works when it is positive"`
	NoiseFloorDBm float64 `json:"noise_floor_dbm" unit:"dBm" label:"Noise floor" doc:"Noise power in the bandwidth"`
	RequiredSNRDB float64 `json:"required_snr_db" unit:"dB" label:"Required SNR" doc:"Demodulation threshold of the spreading factor"`
	LinkOK        bool    `json:"link_ok" label:"Link works" doc:"True when the margin is above 0"`
	tools.Warnings
}

func snrMargin(_ context.Context, in snrMarginIn) (snrMarginOut, error) {
	out := snrMarginOut{
		NoiseFloorDBm: lora.NoiseFloor(in.BwKHz, in.NoiseFigureDB),
		RequiredSNRDB: lora.RequiredSNR(in.SF),
	}
	out.MarginDB = in.RxPowerDBm - (out.NoiseFloorDBm + out.RequiredSNRDB)
	out.LinkOK = out.MarginDB > 0
	lora.WarnBandwidth(&out.Warnings, in.BwKHz)
	if out.MarginDB > 0 && tolerance.Below(out.MarginDB, 10) {
		out.Warn("margin of %g dB leaves no room for fading; plan for 10 dB or more",
			tolerance.RoundBelow(out.MarginDB, 10, 3))
	}
	return out, nil
}
