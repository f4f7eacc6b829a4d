package mesh

import (
	"cmp"
	"context"
	"math"
	"slices"

	"slipstick/tools"
	"slipstick/tools/lora"
	"slipstick/tools/phys"
	"slipstick/tools/propagation"
	"slipstick/tools/tolerance"
)

// LoraParamOptimizer searches for the LoRa settings that reach a range at minimum cost.
var LoraParamOptimizer = tools.Define(tools.Spec{
	Name:    "lora_param_optimizer",
	Title:   "LoRa parameter optimizer",
	Summary: "Spreading factor, bandwidth, coding rate and transmit power that reach a range under a region's rules",
	Method: "Exhaustive search of SF 7 to 12 × bandwidths × coding rate 4/5 to 4/8. Path loss = FSPL(1 km) + terrain + slope log10(d), slope 20 in the open or up to 1 km, else 35.2; " +
		"tx = least whole dBm >= path loss + fade margin + sensitivity - gains; at least min_tx_power_dbm; excluded: tx above min(max_tx_power_dbm, floor(EIRP limit - antenna gain)) and in US915 above 30 dBm conducted, over 400 ms below 500 kHz in US915, duty cycle above 1 % in EU868 (or that of sub_band) and AS923; elsewhere a warning above 100 %. " +
		"min_airtime: airtime, then tx; min_energy: 10^(tx/10) × airtime; max_margin: margin at the highest power, then airtime; balanced: least energy within twice the shortest airtime",
	Sources: []string{"Semtech AN1200.13 (time on air)", "M. Hata, Empirical Formula for Propagation Loss in Land Mobile Radio Services, IEEE Trans. Veh. Technol. 29 (1980) 317-325", "LoRa Alliance RP002-1.0.4 (regional limits); EN 300 220-2 V3.2.1, table B.1; 47 CFR 15.247(a)(1)(i), (b)"},
	Limits: []string{"Median path loss; fade_margin_db covers the spread",
		"The threshold does not depend on the coding rate, so a stronger one only costs airtime", "Preamble of 8 symbols, explicit header and checksum; low data rate optimization where a symbol is longer than 16 ms"},
	Aliases: []string{"best spreading factor", "lora settings", "sf bw tx power"},
	Examples: []tools.Example{{
		Title: "5 km, Australia, least energy",
		In:    `{"target_range_km": 5, "region": "AU915", "objective": "min_energy"}`,
		Want:  `{"feasible": true, "sf": 8, "bw_khz": 125, "cr": 5, "tx_power_dbm": 20, "airtime_ms": 102.912, "margin_db": 10.051, "path_loss_db": 141.280, "limiting_factor": "none", "shortfall_db": 0}`,
	}, {
		Title: "10 km in Europe with the 27 dBm of 869.525 MHz",
		In:    `{"target_range_km": 10, "region": "EU868", "freq_mhz": 869.525, "sub_band": "869.4-869.65", "max_tx_power_dbm": 27}`,
		Want:  `{"feasible": true, "sf": 11, "bw_khz": 250, "tx_power_dbm": 26, "limiting_factor": "none"}`,
		From:  "EN 300 220-2, table B.1: 500 mW ERP",
	}, {
		Title: "The same at 868.1 MHz: 14 dBm ERP do not reach that far",
		In:    `{"target_range_km": 10, "region": "EU868", "freq_mhz": 868.1, "max_tx_power_dbm": 27, "bandwidths_khz": [125]}`,
		Want:  `{"feasible": false, "limiting_factor": "link_budget", "shortfall_db": 6.088}`,
		From:  "by hand: 151.419 + 10 - 137.031 - 4.3 - 14",
	}},
}, loraParamOptimizer)

type loraParamOptimizerIn struct {
	TargetRangeKm   float64   `json:"target_range_km" unit:"km" gt:"0" max:"1e6" example:"5" label:"Target range" doc:"Required range"`
	PayloadBytes    int       `json:"payload_bytes" unit:"B" min:"0" max:"255" default:"20" label:"Payload length" doc:"Payload of a message"`
	FreqMHz         float64   `json:"freq_mhz" unit:"MHz" min:"0.001" max:"1e6" default:"915" label:"Frequency" doc:"Carrier frequency"`
	Region          string    `json:"region" enum:"EU868,US915,AS923,AU915" default:"US915" label:"Region" doc:"Regulatory limits on EIRP: EU868 16.15, US915 36 with 30 conducted, AS923 16, AU915 30 dBm"`
	Terrain         string    `json:"terrain" enum:"open,suburban,urban,dense_urban,indoor" default:"suburban" label:"Terrain" doc:"Excess loss over free space: open 0, suburban 25, urban 35, dense_urban 40, indoor 50 dB"`
	TxGainDBi       float64   `json:"tx_gain_dbi" unit:"dBi" min:"-50" max:"100" default:"2.15" label:"Transmit antenna gain" doc:"Transmit antenna gain"`
	RxGainDBi       float64   `json:"rx_gain_dbi" unit:"dBi" min:"-50" max:"100" default:"2.15" label:"Receive antenna gain" doc:"Receive antenna gain"`
	NoiseFigureDB   float64   `json:"noise_figure_db" unit:"dB" min:"0" max:"40" default:"6" label:"Receiver noise figure" doc:"Noise figure of the receiver"`
	FadeMarginDB    float64   `json:"fade_margin_db" unit:"dB" min:"0" max:"100" default:"10" label:"Fade margin" doc:"Reserve for fading"`
	MinTxPowerDBm   float64   `json:"min_tx_power_dbm" unit:"dBm" min:"-50" max:"50" default:"2" label:"Minimum transmit power" doc:"Lowest output power of the transmitter"`
	MaxTxPowerDBm   float64   `json:"max_tx_power_dbm" unit:"dBm" min:"-50" max:"50" default:"22" label:"Maximum transmit power" doc:"Highest output power of the transmitter"`
	MessagesPerHour float64   `json:"messages_per_hour" unit:"1/h" min:"0" max:"1e6" default:"10" label:"Message rate" doc:"Messages per hour, for the duty cycle"`
	BandwidthsKHz   []float64 `json:"bandwidths_khz" unit:"kHz" min:"7.8" max:"1625" minItems:"1" maxItems:"16" default:"[125, 250, 500]" label:"Bandwidths" doc:"Bandwidths to try"`
	Objective       string    `json:"objective" enum:"balanced,min_airtime,min_energy,max_margin" default:"balanced" label:"Objective" doc:"Quantity to optimize"`
	SubBand         *string   `json:"sub_band" enum:"863-865,865-868,868-868.6,868.7-869.2,869.4-869.65,869.7-870" label:"Sub-band" doc:"European sub-band in MHz, with region EU868; default 16.15 dBm EIRP and 1 %"`
}

// setting is a set of LoRa parameters with its costs.
type setting struct {
	SF             *int     `json:"sf" unit:"1" label:"Spreading factor" doc:"Spreading factor"`
	BwKHz          *float64 `json:"bw_khz" unit:"kHz" label:"Bandwidth" doc:"Bandwidth"`
	CR             *int     `json:"cr" unit:"1" label:"Coding rate (4/n)" doc:"Denominator n of the coding rate"`
	TxPowerDBm     *float64 `json:"tx_power_dbm" unit:"dBm" label:"Transmit power" doc:"Transmit power"`
	AirtimeMS      *float64 `json:"airtime_ms" unit:"ms" label:"Time on air" doc:"Time on air"`
	SensitivityDBm *float64 `json:"sensitivity_dbm" unit:"dBm" label:"Receiver sensitivity" doc:"Receiver sensitivity"`
	MarginDB       *float64 `json:"margin_db" unit:"dB" label:"Link margin" doc:"Received power above the sensitivity"`
	EIRPDBm        *float64 `json:"eirp_dbm" unit:"dBm" label:"EIRP" doc:"Equivalent isotropically radiated power"`
	EnergyMJ       *float64 `json:"energy_mj" unit:"mJ" label:"Energy per message" doc:"Transmit energy at the antenna connector per message"`
	DataRateBps    *float64 `json:"data_rate_bps" unit:"bit/s" label:"Nominal data rate" doc:"Nominal bit rate, without low data rate optimization"`
	DutyCyclePct   *float64 `json:"duty_cycle_pct" unit:"%" label:"Duty cycle" doc:"Share of time on air"`
	LowDataRate    *bool    `json:"low_data_rate_optimize" label:"Low data rate optimization" doc:"Low data rate optimization"`
}

type loraParamOptimizerOut struct {
	Feasible bool `json:"feasible" label:"Feasible" doc:"A setting reaches the range within the limits; the fields of the setting are null otherwise"`
	setting
	Pareto              []setting `json:"pareto" label:"Pareto front" doc:"Settings that no other beats in both airtime and transmit power, shortest airtime first"`
	CandidatesEvaluated int       `json:"candidates_evaluated" unit:"1" label:"Settings evaluated" doc:"Number of settings evaluated"`
	FeasibleCount       int       `json:"feasible_count" unit:"1" label:"Feasible settings" doc:"Number of settings that reach the range within the limits"`
	PathLossDB          float64   `json:"path_loss_db" unit:"dB" label:"Path loss" doc:"Path loss at the target range"`
	ShortfallDB         float64   `json:"shortfall_db" unit:"dB" label:"Link shortfall" doc:"Missing link budget at the best setting and the highest power; 0 when none is missing"`
	LimitingFactor      string    `json:"limiting_factor" enum:"none,link_budget,dwell_time,duty_cycle" label:"Limiting factor" doc:"Limit that excludes all settings"`
	tools.Warnings
}

// candidate is a setting under evaluation.
type candidate struct {
	lora.Packet
	tx, sens, margin        float64 // dBm, dBm, dB
	airMS, energyMJ, duty   float64 // energy in mJ, duty cycle in %
	shortfall               float64 // required power beyond the limit [dB]
	capped, dwell, overDuty bool    // reasons for the exclusion
}

func loraParamOptimizer(_ context.Context, in loraParamOptimizerIn) (loraParamOptimizerOut, error) {
	var out loraParamOptimizerOut
	if in.MinTxPowerDBm > in.MaxTxPowerDBm {
		var f tools.FieldErrors
		f.AddValue("min_tx_power_dbm", in.MinTxPowerDBm, "must be at most max_tx_power_dbm (%g)",
			in.MaxTxPowerDBm)
		return out, f.Err()
	}
	out.PathLossDB = pathLoss(in)
	region := in.limits()
	if in.SubBand != nil && in.Region != "EU868" {
		out.Warn("sub_band is ignored with region %s; it belongs to EU868", in.Region)
	}
	allowed := region.EIRPdBm - in.TxGainDBi
	if in.Region == "US915" {
		allowed = min(allowed, lora.ConductedLimitDBm(in.TxGainDBi))
	}
	powerCap := math.Floor(min(in.MaxTxPowerDBm, allowed) + tolerance.EqualDB)
	bandwidths := slices.Clone(in.BandwidthsKHz)
	slices.Sort(bandwidths)
	bandwidths = slices.Compact(bandwidths)
	for _, bw := range bandwidths {
		lora.WarnBandwidth(&out.Warnings, bw)
	}
	if in.SubBand != nil && in.Region == "EU868" {
		var err error
		if bandwidths, err = in.within(&out.Warnings, bandwidths); err != nil {
			return out, err
		}
	}

	feasible := out.search(in, powerCap, bandwidths)
	if math.Ceil(in.MinTxPowerDBm-tolerance.EqualDB) > powerCap {
		out.Warn(
			"min_tx_power_dbm %g leaves no whole dBm up to %g, the most that max_tx_power_dbm and the power limits of %s with tx_gain_dbi %g allow",
			in.MinTxPowerDBm, powerCap, in.Region, in.TxGainDBi,
		)
	}
	if len(feasible) == 0 {
		out.Warn("no setting reaches %g km: limited by %s", in.TargetRangeKm, out.LimitingFactor)
		return out, nil
	}
	out.Feasible = true
	best := choose(feasible, in.Objective)
	out.setting = best.setting(in)
	if tolerance.Above(best.duty, 100) {
		out.warnFullHour(in, best, slices.MinFunc(feasible, byAirtime))
	}
	if in.Region == "AS923" && tolerance.Above(best.airMS, lora.DwellLimitMS) {
		out.Warn(
			"%g ms on air exceeds the uplink dwell time of 400 ms that AS923 devices start with (RP002)",
			tolerance.RoundAbove(best.airMS, lora.DwellLimitMS, 4),
		)
	}
	for _, c := range paretoFront(feasible) {
		out.Pareto = append(out.Pareto, c.setting(in))
	}
	return out, nil
}

// search returns the settings that close the link within the limits of dwell time and duty cycle.
// It adds their number, the limiting factor and the least shortfall.
func (out *loraParamOptimizerOut) search(
	in loraParamOptimizerIn, powerCap float64, bandwidths []float64,
) (feasible []candidate) {
	var linked []candidate
	out.ShortfallDB = math.Inf(1)
	for sf := 7; sf <= 12; sf++ {
		for _, bw := range bandwidths {
			for cr := 5; cr <= 8; cr++ {
				c := evaluate(in, out.PathLossDB, powerCap, sf, bw, cr)
				out.CandidatesEvaluated++
				out.ShortfallDB = min(out.ShortfallDB, c.shortfall)
				if c.capped {
					continue
				}
				linked = append(linked, c)
				if !c.dwell && !c.overDuty {
					feasible = append(feasible, c)
				}
			}
		}
	}
	out.FeasibleCount = len(feasible)
	out.LimitingFactor = limit(feasible, linked)
	return feasible
}

// warnFullHour warns that the messages of the best setting do not fit into an hour. It states what
// the setting with the shortest airtime can send. Regions without a duty cycle limit exclude
// neither.
func (out *loraParamOptimizerOut) warnFullHour(
	in loraParamOptimizerIn, best, shortest candidate,
) {
	if tolerance.Above(shortest.duty, 100) {
		out.Warn(
			"messages_per_hour %g of %.4g ms fill more than the hour: no setting with this range can send them; at most %g of %.4g ms fit",
			in.MessagesPerHour, best.airMS,
			tolerance.RoundDown(3.6e6/shortest.airMS, 6), shortest.airMS)
		return
	}
	out.Warn(
		"messages_per_hour %g of %.4g ms fill more than the hour, %g %%: this setting cannot send them; objective min_airtime has %.4g ms, %.3g %%",
		in.MessagesPerHour, best.airMS, tolerance.RoundUp(best.duty, 4), shortest.airMS,
		shortest.duty)
}

// within returns the bandwidths [kHz] that fit into sub_band. It returns an error if none fits, and
// warns about omitted bandwidths and about freq_mhz outside the sub-band.
func (in *loraParamOptimizerIn) within(w *tools.Warnings, bandwidths []float64) ([]float64, error) {
	band, _ := lora.FindSubBand(*in.SubBand)
	fits := slices.DeleteFunc(slices.Clone(bandwidths),
		func(bw float64) bool { return tolerance.Above(bw, 1e3*(band.HighMHz-band.LowMHz)) })
	if len(fits) == 0 {
		return nil, tools.Invalid("bandwidths_khz",
			"must have a bandwidth up to %.4g kHz, the width of sub_band %s; it has %v",
			1e3*(band.HighMHz-band.LowMHz), *in.SubBand, bandwidths)
	}
	if len(fits) < len(bandwidths) {
		w.Warn("bandwidths_khz above %.4g kHz were left out: sub_band %s is not wider",
			1e3*(band.HighMHz-band.LowMHz), *in.SubBand)
	}
	if in.FreqMHz < band.LowMHz || in.FreqMHz > band.HighMHz {
		w.Warn("freq_mhz %g is outside sub_band %s", in.FreqMHz, *in.SubBand)
	}
	return fits, nil
}

// limits returns the limits of the region, or of the European sub-band.
func (in *loraParamOptimizerIn) limits() lora.Region {
	region, _ := lora.FindRegion(in.Region)
	if in.SubBand != nil && in.Region == "EU868" {
		band, _ := lora.FindSubBand(*in.SubBand)
		region = lora.Region{EIRPdBm: band.ERPdBm + lora.DipoleDBi, DutyCyclePct: band.DutyCyclePct}
	}
	return region
}

// pathLoss returns the path loss in dB: free-space loss to 1 km plus terrain loss, then the slope
// of the terrain.
func pathLoss(in loraParamOptimizerIn) float64 {
	slope := propagation.HataSlope
	if in.Terrain == "open" || in.TargetRangeKm <= 1 {
		slope = propagation.FreeSlope
	}
	return phys.FreeSpaceLossDB(1e3, phys.C/(in.FreqMHz*1e6)) +
		propagation.TerrainLossDB(in.Terrain) + slope*math.Log10(in.TargetRangeKm)
}

// evaluate computes a setting at the minimum power that closes the link, or at the maximum power
// for the objective max_margin.
func evaluate(
	in loraParamOptimizerIn, pathLossDB, powerCap float64, sf int, bw float64, cr int,
) candidate {
	c := candidate{Packet: lora.Packet{
		Payload: in.PayloadBytes, SF: sf, BwKHz: bw, CR: cr, Preamble: 8,
		ExplicitHeader: true, CRC: true,
		LowDataRate: lora.NeedsLowDataRate(sf, bw),
	}}
	c.airMS, c.sens = c.AirtimeMS(), lora.Sensitivity(sf, bw, in.NoiseFigureDB)
	gains := in.TxGainDBi + in.RxGainDBi
	need := pathLossDB + in.FadeMarginDB + c.sens - gains
	c.tx = math.Ceil(max(need, in.MinTxPowerDBm) - tolerance.EqualDB)
	c.capped = c.tx > powerCap
	if need-powerCap > tolerance.EqualDB {
		c.shortfall = need - powerCap
	}
	if in.Objective == "max_margin" {
		c.tx = powerCap
	}
	c.margin = c.tx + gains - pathLossDB - c.sens
	c.energyMJ = math.Pow(10, c.tx/10) * c.airMS / 1e3
	c.duty = c.airMS * in.MessagesPerHour / 3.6e6 * 100
	c.dwell = in.Region == "US915" && bw < 500 && c.airMS > lora.DwellLimitMS
	region := in.limits()
	c.overDuty = region.DutyCyclePct < 100 && tolerance.Above(c.duty, region.DutyCyclePct)
	return c
}

// limit returns "none" if a candidate is feasible. Otherwise it returns the constraint that
// excludes the candidates: the link budget if none closes the link, else the dwell time or the duty
// cycle.
func limit(feasible, linked []candidate) string {
	switch {
	case len(feasible) > 0:
		return "none"
	case len(linked) == 0:
		return "link_budget"
	case slices.ContainsFunc(linked, func(c candidate) bool { return c.dwell }):
		return "dwell_time"
	default:
		return "duty_cycle"
	}
}

func byAirtime(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.airMS, b.airMS), cmp.Compare(a.tx, b.tx))
}

// choose returns the best candidate for an objective.
func choose(feasible []candidate, objective string) candidate {
	byEnergy := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.energyMJ, b.energyMJ), byAirtime(a, b))
	}
	switch objective {
	case "min_airtime":
		return slices.MinFunc(feasible, byAirtime)
	case "min_energy":
		return slices.MinFunc(feasible, byEnergy)
	case "max_margin":
		return slices.MinFunc(feasible,
			func(a, b candidate) int {
				return cmp.Or(cmp.Compare(b.margin, a.margin), byAirtime(a, b))
			})
	default:
		shortest := slices.MinFunc(feasible, byAirtime).airMS
		return slices.MinFunc(
			slices.DeleteFunc(slices.Clone(feasible),
				func(c candidate) bool { return c.airMS > 2*shortest }),
			byEnergy,
		)
	}
}

// paretoFront returns the Pareto-optimal candidates in airtime and power, in ascending order of
// airtime.
func paretoFront(feasible []candidate) []candidate {
	sorted := slices.Clone(feasible)
	slices.SortStableFunc(sorted, byAirtime)
	var front []candidate
	for _, c := range sorted {
		if len(front) == 0 || c.tx < front[len(front)-1].tx {
			front = append(front, c)
		}
	}
	return front
}

// setting converts a candidate to its form in the result.
func (c candidate) setting(in loraParamOptimizerIn) setting {
	eirp, rate := c.tx+in.TxGainDBi, c.BitRate()
	return setting{
		SF: &c.SF, BwKHz: &c.BwKHz, CR: &c.CR, TxPowerDBm: &c.tx, AirtimeMS: &c.airMS,
		SensitivityDBm: &c.sens, MarginDB: &c.margin, EIRPDBm: &eirp, EnergyMJ: &c.energyMJ,
		DataRateBps: &rate, DutyCyclePct: &c.duty, LowDataRate: &c.LowDataRate,
	}
}
