package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// LinkBudget follows a signal from the transmitter to the receiver's margin.
var LinkBudget = tools.Define(tools.Spec{
	Name:    "link_budget",
	Title:   "Link budget",
	Summary: "Radiated power, path loss, received power and margin of a radio link",
	Method: "EIRP = P_tx + G_tx; P_rx = EIRP - L + G_rx; margin = P_rx - sensitivity. L is the free-space loss " +
		"20 log10(4 π d f / c) unless fspl_db gives another path loss. With a noise figure: noise floor = " +
		"-174 dBm/Hz + 10 log10(B) + NF, SNR = P_rx - noise floor",
	Sources: []string{
		"H. T. Friis, A Note on a Simple Transmission Formula, Proc. IRE 34 (1946) 254-256, equation 1",
		"ITU-R P.525-4 (2019), equation 3",
		"Antenna defaults: half-wave dipole, 2.15 dBi",
	},
	Limits: []string{
		"No cable, mismatch, polarisation or pointing losses: subtract them from the gains",
		"Free-space loss unless fspl_db is given: no terrain, foliage, buildings, rain or fading",
		"The thermal floor of -174 dBm/Hz holds at 290 K; man-made noise below about 100 MHz is often far higher",
	},
	Aliases: []string{"link margin", "received power", "EIRP", "fade margin", "radio range", "SNR"},
	Primary: []string{"margin_db", "snr_db", "rx_power_dbm"},
	Examples: []tools.Example{
		{
			Title: "LoRa link, 5 km",
			In:    `{"tx_dbm": 20, "freq_mhz": 915, "dist_km": 5, "rx_sensitivity_dbm": -130}`,
			Want:  `{"fspl_db": 105.656, "eirp_dbm": 22.15, "rx_power_dbm": -81.356, "margin_db": 48.644, "wavelength_m": 0.327642, "snr_db": null, "warnings": []}`,
		},
		{
			Title: "With a measured path loss and the receiver's noise",
			In:    `{"tx_dbm": 14, "freq_mhz": 868, "dist_km": 2, "fspl_db": 128, "noise_figure_db": 6, "bandwidth_khz": 125}`,
			Want:  `{"rx_power_dbm": -109.70, "noise_floor_dbm": -117.031, "snr_db": 7.331, "margin_db": null}`,
			From:  "by hand: 14 + 2.15 + 2.15 - 128; -174 + 50.969 + 6",
		},
	},
}, linkBudget)

type linkBudgetIn struct {
	TxDBm          float64  `json:"tx_dbm" unit:"dBm" min:"-1000" max:"1000" example:"20" label:"Transmit power" doc:"Transmitter output power"`
	FreqMHz        float64  `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"915" label:"Frequency" doc:"Carrier frequency"`
	DistKm         float64  `json:"dist_km" unit:"km" gt:"0" max:"1e24" example:"5" label:"Distance" doc:"Distance between the antennas"`
	TxGainDBi      float64  `json:"tx_gain_dbi" unit:"dBi" min:"-1000" max:"1000" default:"2.15" label:"Transmit antenna gain" doc:"Gain of the transmit antenna, less its cable loss"`
	RxGainDBi      float64  `json:"rx_gain_dbi" unit:"dBi" min:"-1000" max:"1000" default:"2.15" label:"Receive antenna gain" doc:"Gain of the receive antenna, less its cable loss"`
	SensitivityDBm *float64 `json:"rx_sensitivity_dbm" unit:"dBm" min:"-1000" max:"1000" example:"-130" label:"Receiver sensitivity" doc:"Weakest signal that the receiver still decodes; gives the link margin"`
	FSPLdB         *float64 `json:"fspl_db" unit:"dB" min:"-1000" max:"1000" label:"Path loss" doc:"Path loss in place of the computed free-space loss: from fspl, a propagation model or a measurement"`
	NoiseFigureDB  *float64 `json:"noise_figure_db" unit:"dB" min:"0" max:"1000" label:"Receiver noise figure" doc:"Noise figure of the receiver; gives noise floor and SNR"`
	BandwidthKHz   float64  `json:"bandwidth_khz" unit:"kHz" gt:"0" max:"1e12" default:"125" label:"Noise bandwidth" doc:"Noise bandwidth of the receiver"`
}

type linkBudgetOut struct {
	FSPLdB        float64  `json:"fspl_db" unit:"dB" label:"Path loss" doc:"Path loss used: computed free-space loss, or the given one"`
	EIRPdBm       float64  `json:"eirp_dbm" unit:"dBm" label:"EIRP" doc:"Equivalent isotropically radiated power"`
	RxPowerDBm    float64  `json:"rx_power_dbm" unit:"dBm" label:"Received power" doc:"Power at the receiver's input"`
	MarginDB      *float64 `json:"margin_db" unit:"dB" label:"Link margin" doc:"Received power above the sensitivity; null without rx_sensitivity_dbm"`
	WavelengthM   float64  `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	NoiseFloorDBm *float64 `json:"noise_floor_dbm" unit:"dBm" label:"Noise floor" doc:"Thermal noise in the bandwidth, raised by the noise figure; null without noise_figure_db"`
	SNRdB         *float64 `json:"snr_db" unit:"dB" label:"SNR" doc:"Signal-to-noise ratio; null without noise_figure_db"`
	tools.Warnings
}

func linkBudget(_ context.Context, in linkBudgetIn) (linkBudgetOut, error) {
	var out linkBudgetOut
	out.WavelengthM = wavelength(in.FreqMHz)
	freeSpace := phys.FreeSpaceLossDB(in.DistKm*1e3, out.WavelengthM)
	out.FSPLdB = freeSpace
	if in.FSPLdB != nil {
		out.FSPLdB = *in.FSPLdB
		if out.FSPLdB < freeSpace-0.1 {
			out.Warn("the path loss given (%.4g dB) is below the free-space loss over this distance (%.4g dB)", out.FSPLdB, freeSpace)
		}
	} else if d := in.DistKm * 1e3; d < out.WavelengthM {
		out.Warn("the distance %.4g m is below one wavelength (%.4g m): in the near field the free-space formula is not valid", d, out.WavelengthM)
	}
	out.EIRPdBm = in.TxDBm + in.TxGainDBi
	out.RxPowerDBm = out.EIRPdBm - out.FSPLdB + in.RxGainDBi
	if in.SensitivityDBm != nil {
		margin := out.RxPowerDBm - *in.SensitivityDBm
		out.MarginDB = &margin
		switch {
		case margin < 0:
			out.Warn("the margin is %.4g dB: the signal is below the receiver's sensitivity, the link does not close", margin)
		case margin < 10:
			out.Warn("the margin of %.4g dB leaves little for fading; 10 dB or more is usual", margin)
		}
	}
	if in.NoiseFigureDB != nil {
		floor := phys.ThermalDBm + 10*math.Log10(in.BandwidthKHz*1e3) + *in.NoiseFigureDB
		out.NoiseFloorDBm = &floor
		out.SNRdB = new(out.RxPowerDBm - floor)
	}
	if out.RxPowerDBm > 0 {
		out.Warn("%.4g dBm at the receiver is above 0 dBm: most receivers are overloaded or damaged", out.RxPowerDBm)
	}
	return out, nil
}
