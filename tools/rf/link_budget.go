package rf

import (
	"context"
	"math"
	"strings"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/propagation"
	"slipstick/tools/tolerance"
)

// LinkBudget computes the signal level from transmitter to receiver and the margin.
var LinkBudget = tools.Define(tools.Spec{
	Name:    "link_budget",
	Title:   "Link budget",
	Summary: "Radiated power, path loss, received power and margin of a radio link",
	Method: "EIRP = P_tx - cable loss + G_tx; P_rx = EIRP - L - rain - polarization - pointing + G_rx - cable loss; margin = P_rx - sensitivity. " +
		"L is the free-space loss 20 log10(4 π d f / c) unless fspl_db gives another path loss. With a noise figure: noise floor = " +
		"-174 dBm/Hz + 10 log10(B) + NF, SNR = P_rx - noise floor. Radio horizon √(2 k R_e h1) + √(2 k R_e h2), k = 4/3. " +
		"Fresnel clearance: least height of the path over smooth earth relative to the first zone's radius. Rain: k R^α of P.838 over the effective path of P.530. Cable: k1 √f + k2 f per 100 ft",
	Sources: []string{
		"H. T. Friis, A Note on a Simple Transmission Formula, Proc. IRE 34 (1946) 254-256, equation 1",
		"ITU-R P.525-4 (2019), equation 3",
		"ITU-R P.310-10 (2019): median effective earth radius factor 4/3; ITU-R P.530-18 (2021), section 2.2.2 (clearance of 0.6 of the first zone)",
		"ITU-R P.838-3 (2005), equations 1 to 3; ITU-R P.530-18, section 2.4.1 (rain on terrestrial paths)",
		"FCC OET Bulletin 70 (1997), Millimeter Wave Propagation, and ITU-R P.676-9 (2012), figure 1: absorption by oxygen at 60 GHz",
		"Antenna defaults: half-wave dipole, 2.15 dBi",
		"Times Microwave, LMR-100A, LMR-240, LMR-400 and LMR-600 data sheets (k1 √f + k2 f); Codan, Radio Repeater Systems Training Guide, appendix H (RG-58 C/U, RG-213/U); Satec, RG-174 and RG-178 data sheets",
	},
	Limits: []string{
		"Free-space loss unless fspl_db is given: no terrain, foliage, buildings, absorption by air or diffraction beyond the horizon",
		"RG cables of other makers differ by about 15 %, RG-174 and RG-178 by up to 20 %",
		"Rain loss is for terrestrial paths of 1 to 100 GHz to 60 km; fading enters as fade_margin_db only",
		"The thermal floor of -174 dBm/Hz holds at 290 K; man-made noise below about 100 MHz is often far higher",
	},
	Aliases: []string{"link margin", "received power", "EIRP", "fade margin", "radio range", "SNR",
		"coaxial cable loss", "coax"},
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
		{
			Title: "50 km between masts of 30 m: beyond the radio horizon",
			In:    `{"tx_dbm": 20, "freq_mhz": 915, "dist_km": 50, "rx_sensitivity_dbm": -130, "tx_height_m": 30, "rx_height_m": 30}`,
			Want: `{"margin_db": 28.644, "radio_horizon_km": 45.15,
				"warnings": ["the path of 50 km is beyond the radio horizon of 45.15 km for these antenna heights: diffraction adds loss, the free-space margin does not hold"]}`,
			From: "by hand: 2 √(2 · 4/3 · 6371 km · 30 m)",
		},
	},
}, linkBudget)

type linkBudgetIn struct {
	TxDBm          float64  `json:"tx_dbm" unit:"dBm" min:"-1000" max:"1000" example:"20" label:"Transmit power" doc:"Transmitter output power"`
	FreqMHz        float64  `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"915" label:"Frequency" doc:"Carrier frequency"`
	DistKm         float64  `json:"dist_km" unit:"km" gt:"0" max:"1e24" example:"5" label:"Distance" doc:"Distance between the antennas"`
	TxGainDBi      float64  `json:"tx_gain_dbi" unit:"dBi" min:"-1000" max:"1000" default:"2.15" label:"Transmit antenna gain" doc:"Gain of the transmit antenna"`
	RxGainDBi      float64  `json:"rx_gain_dbi" unit:"dBi" min:"-1000" max:"1000" default:"2.15" label:"Receive antenna gain" doc:"Gain of the receive antenna"`
	SensitivityDBm *float64 `json:"rx_sensitivity_dbm" unit:"dBm" min:"-1000" max:"1000" example:"-130" label:"Receiver sensitivity" doc:"Weakest signal that the receiver can decode; gives the link margin"`
	FSPLdB         *float64 `json:"fspl_db" unit:"dB" min:"-1000" max:"1000" label:"Path loss" doc:"Path loss, in place of the computed free-space loss: from a propagation model or a measurement"`
	NoiseFigureDB  *float64 `json:"noise_figure_db" unit:"dB" min:"0" max:"1000" label:"Receiver noise figure" doc:"Noise figure of the receiver; gives noise floor and SNR"`
	BandwidthKHz   float64  `json:"bandwidth_khz" unit:"kHz" gt:"0" max:"1e12" default:"125" label:"Noise bandwidth" doc:"Noise bandwidth of the receiver"`
	TxCableDB      float64  `json:"tx_cable_loss_db" unit:"dB" min:"0" max:"1000" default:"0" label:"Transmit cable loss" doc:"Loss of cable and connectors between transmitter and antenna"`
	RxCableDB      float64  `json:"rx_cable_loss_db" unit:"dB" min:"0" max:"1000" default:"0" label:"Receive cable loss" doc:"Loss of cable and connectors between antenna and receiver"`
	PolarizationDB float64  `json:"polarization_loss_db" unit:"dB" min:"0" max:"1000" default:"0" label:"Polarization loss" doc:"Polarization mismatch of the antennas: 3.01 between linear and circular, 20 or more between crossed linear ones"`
	PointingDB     float64  `json:"pointing_loss_db" unit:"dB" min:"0" max:"1000" default:"0" label:"Pointing loss" doc:"Gain lost by the misalignment of both antennas"`
	FadeMarginDB   *float64 `json:"fade_margin_db" unit:"dB" min:"0" max:"1000" label:"Required fade margin" doc:"Margin required for fading; without it, less than 10 dB gives a warning"`
	TxHeightM      *float64 `json:"tx_height_m" unit:"m" min:"0" max:"100000" label:"Transmit antenna height" doc:"Height of the transmit antenna above smooth earth, with rx_height_m; gives the radio horizon and the clearance"`
	RxHeightM      *float64 `json:"rx_height_m" unit:"m" min:"0" max:"100000" label:"Receive antenna height" doc:"Height of the receive antenna above smooth earth, with tx_height_m"`
	RainRate       *float64 `json:"rain_rate_mm_h" unit:"mm/h" min:"0" max:"300" label:"Rain rate" doc:"Rain rate exceeded 0.01 % of the time (ITU-R P.837), for the rain loss of a terrestrial path"`
	Polarization   string   `json:"rain_polarization" enum:"vertical,horizontal" default:"vertical" label:"Polarization in rain" doc:"Polarization of the wave, for the rain loss"`
	CableType      *string  `json:"cable_type" enum:"rg_58,rg_213,lmr_240,lmr_400,lmr_600,lmr_100,rg_174,rg_178" label:"Coaxial cable" doc:"Cable of tx_cable_m and rx_cable_m; its loss adds to tx_cable_loss_db and rx_cable_loss_db; RG types vary by maker by about ±15 %"`
	TxCableM       float64  `json:"tx_cable_m" unit:"m" min:"0" max:"10000" default:"0" label:"Transmit cable length" doc:"Length of the transmit cable of cable_type"`
	RxCableM       float64  `json:"rx_cable_m" unit:"m" min:"0" max:"10000" default:"0" label:"Receive cable length" doc:"Length of the receive cable of cable_type"`
}

type linkBudgetOut struct {
	FSPLdB        float64  `json:"fspl_db" unit:"dB" label:"Path loss" doc:"Path loss used: computed free-space loss, or the given one"`
	EIRPdBm       float64  `json:"eirp_dbm" unit:"dBm" label:"EIRP" doc:"Equivalent isotropically radiated power"`
	RxPowerDBm    float64  `json:"rx_power_dbm" unit:"dBm" label:"Received power" doc:"Power at the receiver input"`
	MarginDB      *float64 `json:"margin_db" unit:"dB" label:"Link margin" doc:"Received power above the sensitivity; null without rx_sensitivity_dbm"`
	WavelengthM   float64  `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	NoiseFloorDBm *float64 `json:"noise_floor_dbm" unit:"dBm" label:"Noise floor" doc:"Thermal noise in the bandwidth, raised by the noise figure; null without noise_figure_db"`
	SNRdB         *float64 `json:"snr_db" unit:"dB" label:"SNR" doc:"Signal-to-noise ratio; null without noise_figure_db"`
	FadedDB       *float64 `json:"margin_after_fading_db" unit:"dB" label:"Margin after fading" doc:"Link margin minus fade_margin_db; null without either"`
	RainLossDB    *float64 `json:"rain_loss_db" unit:"dB" label:"Rain loss" doc:"Rain attenuation exceeded 0.01 % of the time; null without rain_rate_mm_h"`
	HorizonKm     *float64 `json:"radio_horizon_km" unit:"km" label:"Radio horizon" doc:"Longest path over smooth earth with k = 4/3; null without both antenna heights"`
	ClearancePct  *float64 `json:"fresnel_clearance_pct" unit:"%" label:"Fresnel clearance" doc:"Smallest height of the path over smooth earth relative to the radius of the first Fresnel zone; 60 % is clear; null without both antenna heights"`
	TxLineDB      float64  `json:"tx_line_loss_db" unit:"dB" label:"Transmit line loss" doc:"Sum of tx_cable_loss_db and the loss of tx_cable_m"`
	RxLineDB      float64  `json:"rx_line_loss_db" unit:"dB" label:"Receive line loss" doc:"Sum of rx_cable_loss_db and the loss of rx_cable_m"`
	tools.Warnings
}

// cable is the attenuation of a coaxial cable, √f·conductor + f·dielectric [dB per 100 ft, f in
// MHz].
type cable struct{ conductor, dielectric float64 }

// cables contains the cables by type. LMR: Times Microwave data sheets. RG-58 and RG-213 are fits
// at 50 and 850 MHz to the table in the Codan Radio Repeater Systems Training Guide, appendix H.
// Between these frequencies they agree within 4 %. RG-174 and RG-178: fits to the data sheets of
// Satec from 100 to 1000 MHz, within 6 %.
var cables = map[string]cable{
	"rg_58":   {0.42119, 0.006434},
	"rg_213":  {0.19737, 0.002088},
	"rg_174":  {0.90990, 0.008858},
	"rg_178":  {1.32587, 0.003792},
	"lmr_100": {0.709140, 0.001740},
	"lmr_240": {0.242080, 0.000330},
	"lmr_400": {0.122290, 0.000260},
	"lmr_600": {0.075550, 0.000260},
}

// loss returns the loss of a length [m] at a frequency [MHz] in dB.
func (c cable) loss(freqMHz, length float64) float64 {
	return (c.conductor*math.Sqrt(freqMHz) + c.dielectric*freqMHz) * length / (100 * phys.Foot)
}

// lines computes the losses between the radios and their antennas.
func (out *linkBudgetOut) lines(in linkBudgetIn) error {
	out.TxLineDB, out.RxLineDB = in.TxCableDB, in.RxCableDB
	switch {
	case in.CableType == nil && (in.TxCableM > 0 || in.RxCableM > 0):
		return tools.Invalid("cable_type", "is required with tx_cable_m or rx_cable_m")
	case in.CableType == nil:
		return nil
	case in.TxCableM == 0 && in.RxCableM == 0:
		out.Warn("cable_type has no effect without tx_cable_m and rx_cable_m")
	}
	c, limit := cables[*in.CableType], 6000.0
	if strings.HasPrefix(*in.CableType, "rg_") {
		limit = 1000
	}
	if in.FreqMHz > limit {
		out.Warn("the attenuation of %s is extrapolated above %g MHz", *in.CableType, limit)
	}
	out.TxLineDB += c.loss(in.FreqMHz, in.TxCableM)
	out.RxLineDB += c.loss(in.FreqMHz, in.RxCableM)
	return nil
}

// broadcastDBm is the power [dBm] of a large broadcast transmitter, 100 kW.
const broadcastDBm = 80

func linkBudget(_ context.Context, in linkBudgetIn) (linkBudgetOut, error) {
	var out linkBudgetOut
	if in.RainRate != nil && (in.FreqMHz < 1e3 || in.FreqMHz > 1e6) {
		return out, tools.InvalidValue("rain_rate_mm_h", *in.RainRate,
			"has a meaning from 1 to 1000 GHz only (ITU-R P.838); freq_mhz is %g", in.FreqMHz)
	}
	out.WavelengthM = phys.Wavelength(in.FreqMHz)
	freeSpace := phys.FreeSpaceLossDB(in.DistKm*1e3, out.WavelengthM)
	out.FSPLdB = freeSpace
	if in.FSPLdB != nil {
		out.FSPLdB = *in.FSPLdB
		if out.FSPLdB < freeSpace-0.1 {
			out.Warn(
				"the path loss given (%g dB) is below the free-space loss over this distance (%g dB)",
				out.FSPLdB, tolerance.RoundUp(freeSpace, 4),
			)
		}
	} else if d := in.DistKm * 1e3; tolerance.Below(d, out.WavelengthM) {
		out.Warn(
			"the distance %g m is below one wavelength (%g m): in the near field the free-space formula is not valid",
			tolerance.RoundBelow(d, out.WavelengthM, 6), tolerance.RoundUp(out.WavelengthM, 6),
		)
	}
	if err := out.lines(in); err != nil {
		return out, err
	}
	rain := out.rain(in)
	if in.FSPLdB == nil && in.FreqMHz >= 57e3 && in.FreqMHz <= 64e3 && in.DistKm >= 0.1 &&
		in.DistKm <= groundPathKm {
		out.Warn(
			"the oxygen of the air is not included: near 60 GHz it absorbs 7 to 15 dB/km at sea level; add it to the path loss and give fspl_db",
		)
	}
	out.geometry(in)
	out.EIRPdBm = in.TxDBm + in.TxGainDBi - out.TxLineDB
	out.RxPowerDBm = out.EIRPdBm - out.FSPLdB + in.RxGainDBi - out.RxLineDB - in.PolarizationDB -
		in.PointingDB - rain
	if in.TxDBm > broadcastDBm {
		out.Warn("tx_dbm %g is above %d dBm, 100 kW: give the power in dBm, not in mW (100 mW are 20 dBm)",
			in.TxDBm, broadcastDBm)
	}
	if in.SensitivityDBm != nil {
		out.margins(in)
	}
	if in.NoiseFigureDB != nil {
		floor := phys.ThermalDBm + 10*math.Log10(in.BandwidthKHz*1e3) + *in.NoiseFigureDB
		out.NoiseFloorDBm = &floor
		out.SNRdB = new(out.RxPowerDBm - floor)
	}
	if out.RxPowerDBm > tolerance.EqualDB {
		out.Warn(
			"%.4g dBm at the receiver is above 0 dBm: most receivers are overloaded or damaged; add an attenuator",
			out.RxPowerDBm)
	}
	return out, nil
}

// margins adds the margin above the receiver's sensitivity, the margin that remains after fades,
// and the warnings about them.
func (out *linkBudgetOut) margins(in linkBudgetIn) {
	if *in.SensitivityDBm > 0 {
		out.Warn("rx_sensitivity_dbm %g is positive: receivers have negative ones, such as -120 dBm",
			*in.SensitivityDBm)
	}
	margin := out.RxPowerDBm - *in.SensitivityDBm
	out.MarginDB = &margin
	if in.FadeMarginDB != nil {
		out.FadedDB = new(margin - *in.FadeMarginDB)
	}
	switch {
	case margin < -tolerance.EqualDB:
		out.Warn(
			"the margin is %.4g dB: the signal is below the receiver's sensitivity, the link does not close; raise power, gain or height, or shorten the path",
			margin,
		)
	case out.FadedDB != nil && *out.FadedDB < -tolerance.EqualDB:
		out.Warn("the margin of %g dB is below fade_margin_db %g: the link fails in fades; raise power, gain or height",
			tolerance.RoundBelow(margin, *in.FadeMarginDB, 4), *in.FadeMarginDB)
	case out.FadedDB == nil && margin < 10-tolerance.EqualDB:
		out.Warn("the margin of %g dB leaves little for fading; 10 dB or more is usual",
			tolerance.RoundBelow(margin, 10, 4))
	}
}

const (
	// lowMastKm is the radio horizon between two antennas at 10 m.
	lowMastKm = 26
	// groundPathKm exceeds the length of any terrestrial path.
	groundPathKm = 1000
	// heavyRain is the rain rate exceeded 0.01 % of the time in ITU-R rain zone K [mm/h] (ITU-R
	// P.837-1).
	heavyRain = 42
)

// rain returns the rain loss in dB, or 0 without a rain rate.
func (out *linkBudgetOut) rain(in linkBudgetIn) float64 {
	ghz := in.FreqMHz / 1e3
	if in.RainRate == nil {
		if ghz > 5 && ghz <= 1000 && in.DistKm <= 60 {
			if loss := propagation.RainLossDB(ghz, in.DistKm, heavyRain,
				in.Polarization); loss > 1 {
				out.Warn(
					"rain is not included: %d mm/h, usual for 0.01 %% of the time in a temperate climate, cost %.3g dB here; give rain_rate_mm_h",
					heavyRain, loss,
				)
			}
		}
		return 0
	}
	loss := 0.0
	if *in.RainRate > 0 {
		loss = propagation.RainLossDB(ghz, in.DistKm, *in.RainRate, in.Polarization)
	}
	out.RainLossDB = &loss
	if in.DistKm > 60 || ghz > 100 {
		out.Warn("the rain loss is extrapolated: ITU-R P.530 holds to 60 km and 100 GHz")
	}
	return loss
}

// geometry compares the path with the curved earth. A given path loss already includes the effect
// of the curvature.
func (out *linkBudgetOut) geometry(in linkBudgetIn) {
	const effectiveRadius = 4.0 / 3 * phys.EarthRadius
	d := in.DistKm * 1e3
	if in.TxHeightM == nil || in.RxHeightM == nil {
		if in.TxHeightM != nil || in.RxHeightM != nil {
			out.Warn(
				"the radio horizon needs both tx_height_m and rx_height_m; one of them is missing")
		}
		switch {
		case in.FSPLdB != nil:
		case in.DistKm > groundPathKm:
			out.Warn(
				"free-space loss over %.4g km holds for space links only: no path over the ground is that long",
				in.DistKm,
			)
		case in.DistKm > lowMastKm:
			out.Warn(
				"free-space loss needs a line of sight: over smooth earth two antennas %.4g km apart see each other from %g m each; give tx_height_m and rx_height_m",
				in.DistKm, tolerance.RoundUp(d*d/(8*effectiveRadius), 3),
			)
		}
		return
	}
	h1, h2 := *in.TxHeightM, *in.RxHeightM
	horizon := propagation.HorizonM(h1, h2) / 1e3
	part := propagation.LeastClearance(h1, h2, d, out.WavelengthM, effectiveRadius)
	height := h1 + (h2-h1)*part - d*d*part*(1-part)/(2*effectiveRadius)
	clearance := 100 * height / math.Sqrt(out.WavelengthM*d*part*(1-part))
	out.HorizonKm, out.ClearancePct = &horizon, &clearance
	switch {
	case in.FSPLdB != nil:
	case tolerance.Above(in.DistKm, horizon):
		out.Warn(
			"the path of %g km is beyond the radio horizon of %g km for these antenna heights: diffraction adds loss, the free-space margin does not hold",
			in.DistKm, tolerance.RoundDown(horizon, 4),
		)
	case tolerance.Below(clearance, 60):
		out.Warn(
			"smooth earth leaves %g %% of the first Fresnel zone's radius free, below 60 %%: expect more loss than in free space, about 6 dB where the ray grazes an edge; raise the antennas",
			tolerance.RoundBelow(clearance, 60, 3),
		)
	}
}
