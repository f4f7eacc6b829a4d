package mesh

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
	"slipstick/tools/lora"
	"slipstick/tools/tolerance"
)

// EIRPCompliance compares the radiated power with a region's limit.
var EIRPCompliance = tools.Define(tools.Spec{
	Name:    "eirp_compliance",
	Title:   "EIRP compliance",
	Summary: "Radiated power (EIRP) and conducted power of a transmitter against the limits of a region",
	Method: "EIRP = transmit power + antenna gain - cable loss, compliant when at or below the limit: FCC_US 36, ETSI_EU 16.15 (14 dBm ERP) or that of sub_band, ACMA_AU 30, IC_CA 36, JP 13 dBm EIRP; watts = 10^((dBm - 30)/10). " +
		"FCC_US and IC_CA also limit the conducted power, that at the transmitter output, to 30 dBm less the dB by which the antenna gain exceeds 6 dBi. " +
		"Highest transmit power = the lower of EIRP limit - antenna gain + cable loss and the conducted limit. compliant and warning follow the EIRP alone, conducted_compliant the conducted power",
	Sources: []string{
		"47 CFR 15.247(b)(2) to (b)(4) (30 dBm and 6 dBi)",
		"RSS-247, sections 5.4(a) and 5.4(d) (1 W conducted, 4 W EIRP)",
		"EN 300 220-2 V3.2.1, table B.1, and ERC Recommendation 70-03, annex 1 (25 and 500 mW ERP, duty cycles of the sub-bands)",
		"ARIB STD-T108 (20 mW)", "ACMA Radiocommunications (Low Interference Potential Devices) Class Licence 2015, schedule 1 (1 W EIRP, 915 to 928 MHz)",
	},
	Limits: []string{
		"One limit a region, in Europe one a sub-band: bandwidth, dwell time and power density rules are not looked at",
		"FCC_US and IC_CA: digital modulation, or hopping over at least 50 channels; with 25 to 49 channels the conducted limit is 24 dBm",
		"FCC_US: 15.247(b)(4) counts the gain of the antenna, so cable loss does not raise the conducted limit. IC_CA: RSS-247 limits conducted power and EIRP, so the gain counts less the cable loss",
		"16.15 dBm EIRP is 14 dBm ERP, 2.15 dB being the gain of a half-wave dipole",
		"Not legal advice",
	},
	Aliases: []string{"erp", "radiated power", "legal power", "fcc limit"},
	Primary: []string{"max_tx_power_dbm"},
	Examples: []tools.Example{{
		Title: "22 dBm into 2 dBi in the EU",
		In:    `{"tx_power_dbm": 22, "antenna_gain_dbi": 2, "region": "ETSI_EU"}`,
		Want:  `{"eirp_dbm": 24, "limit_dbm": 16.15, "margin_db": -7.85, "compliant": false, "max_tx_power_dbm": 14.15, "eirp_watts": 0.251189}`,
	}, {
		Title: "35 dBm into 1 dBi in the United States: the EIRP is allowed, the conducted power is not",
		In:    `{"tx_power_dbm": 35, "antenna_gain_dbi": 1}`,
		Want:  `{"eirp_dbm": 36, "compliant": true, "conducted_limit_dbm": 30, "conducted_compliant": false, "max_tx_power_dbm": 30}`,
	}, {
		Title: "27 dBm ERP at 869.525 MHz",
		In:    `{"tx_power_dbm": 27, "antenna_gain_dbi": 2.15, "region": "ETSI_EU", "sub_band": "869.4-869.65"}`,
		Want:  `{"eirp_dbm": 29.15, "limit_dbm": 29.15, "compliant": true, "duty_cycle_pct": 10}`,
	}},
}, eirpCompliance)

type eirpComplianceIn struct {
	TxPowerDBm     float64  `json:"tx_power_dbm" unit:"dBm" min:"-200" max:"200" example:"22" label:"Transmit power" doc:"Transmitter output power"`
	AntennaGainDBi float64  `json:"antenna_gain_dbi" unit:"dBi" min:"-100" max:"100" example:"2" label:"Antenna gain" doc:"Antenna gain"`
	CableLossDB    float64  `json:"cable_loss_db" unit:"dB" min:"0" max:"200" default:"0" label:"Cable loss" doc:"Loss between transmitter and antenna"`
	Region         string   `json:"region" enum:"FCC_US,ETSI_EU,ACMA_AU,IC_CA,JP,custom" default:"FCC_US" label:"Regulation" doc:"Regulation that sets the limit; 16.15 dBm EIRP is 14 dBm ERP"`
	SubBand        *string  `json:"sub_band" enum:"863-865,865-868,868-868.6,868.7-869.2,869.4-869.65,869.7-870" label:"Sub-band" doc:"European sub-band in MHz, with region ETSI_EU only: 869.4-869.65 allows 27 dBm ERP, the others 14; default 14 dBm ERP"`
	CustomLimitDBm *float64 `json:"custom_limit_dbm" unit:"dBm" min:"-200" max:"200" label:"Custom EIRP limit" doc:"EIRP limit, with region custom only"`
}

type eirpComplianceOut struct {
	EIRPDBm    float64 `json:"eirp_dbm" unit:"dBm" label:"EIRP" doc:"Equivalent isotropically radiated power"`
	EIRPWatts  float64 `json:"eirp_watts" unit:"W" label:"EIRP (W)" doc:"Equivalent isotropically radiated power in watts"`
	LimitDBm   float64 `json:"limit_dbm" unit:"dBm" label:"EIRP limit" doc:"Limit of the regulation, as EIRP"`
	LimitWatts float64 `json:"limit_watts" unit:"W" label:"EIRP limit (W)" doc:"Limit of the regulation, as EIRP in watts"`
	MarginDB   float64 `json:"margin_db" unit:"dB" label:"Margin" doc:"Limit minus EIRP; positive means compliant"`
	Compliant  bool    `json:"compliant" label:"Compliant" doc:"True when the EIRP is at or below the limit"`

	ConductedLimitDBm  *float64 `json:"conducted_limit_dbm" unit:"dBm" label:"Conducted power limit" doc:"Limit of the transmitter output power with this antenna; null in regions without one"`
	ConductedCompliant *bool    `json:"conducted_compliant" label:"Conducted power compliant" doc:"True when the transmitter output is at or below that limit; null in regions without one"`
	DutyCyclePct       *float64 `json:"duty_cycle_pct" unit:"%" label:"Duty cycle limit" doc:"Highest duty cycle in the sub-band without listen before talk; null without a sub-band"`

	MaxTxPowerDBm float64 `json:"max_tx_power_dbm" unit:"dBm" label:"Permitted transmit power" doc:"Highest transmitter output that complies with this antenna and cable, radiated and conducted"`
	RegionName    string  `json:"region_name" label:"Rule" doc:"Text of the rule"`
	Warning       string  `json:"warning" label:"Excess" doc:"Excess of the EIRP and the permitted transmit power; empty when compliant"`
	tools.Warnings
}

// regionRule is a limit of equivalent isotropically radiated power, with the rule for the conducted
// power if there is one.
type regionRule struct {
	name      string
	limitDBm  float64
	conducted *conductedRule
}

// regionRules are the limits in the specification.
var regionRules = map[string]regionRule{
	"FCC_US": {"United States (FCC Part 15.247)", 36,
		&conductedRule{power: "47 CFR 15.247(b)(2) and (b)(3)", gain: "47 CFR 15.247(b)(4)"}},
	"ETSI_EU": {"European Union (ETSI EN 300 220, 25 mW ERP)", 16.15, nil},
	"ACMA_AU": {"Australia (ACMA LIPD)", 30, nil},
	"IC_CA": {"Canada (ISED RSS-247)", 36, &conductedRule{power: "RSS-247, section 5.4(d)",
		gain: "its 4 W EIRP", lessCable: true}},
	"JP": {"Japan (ARIB STD-T108)", 13, nil},
}

// conductedRule limits the power at the transmitter output to 30 dBm (1 W) with antennas of up to 6
// dBi. Higher gains reduce the limit by the excess over 6 dBi.
//
// The FCC counts the gain of the antenna alone. RSS-247 limits both conducted power and EIRP, so
// the cable loss is subtracted from the gain in Canada.
type conductedRule struct {
	power, gain string // rule that sets 30 dBm, and rule for the reduction
	lessCable   bool
}

// limit returns the limit of the conducted power [dBm] for an antenna gain [dBi] and a cable loss
// [dB].
func (r *conductedRule) limit(gainDBi, cableLossDB float64) float64 {
	if r.lessCable {
		gainDBi -= cableLossDB
	}
	return lora.ConductedLimitDBm(gainDBi)
}

func eirpCompliance(_ context.Context, in eirpComplianceIn) (eirpComplianceOut, error) {
	var out eirpComplianceOut
	rule, known := regionRules[in.Region]
	switch {
	case known && in.CustomLimitDBm != nil:
		out.Warn("custom_limit_dbm is ignored with region %s; use region custom", in.Region)
	case !known && in.CustomLimitDBm == nil:
		return out, tools.Invalid("custom_limit_dbm",
			"is required with region custom: a number of dBm, -200 to 200")
	case !known:
		rule = regionRule{name: "Custom limit", limitDBm: *in.CustomLimitDBm}
	}
	if in.SubBand != nil {
		if in.Region == "ETSI_EU" {
			band, _ := lora.FindSubBand(*in.SubBand)
			rule.limitDBm = band.ERPdBm + lora.DipoleDBi
			rule.name = fmt.Sprintf(
				"European Union (ETSI EN 300 220, %s MHz, %g dBm ERP, %g %% duty cycle)",
				*in.SubBand, band.ERPdBm, band.DutyCyclePct)
			out.DutyCyclePct = &band.DutyCyclePct
		} else {
			out.Warn("sub_band is ignored with region %s; it belongs to region ETSI_EU", in.Region)
		}
	}
	out.RegionName, out.LimitDBm = rule.name, rule.limitDBm
	out.EIRPDBm = in.TxPowerDBm + in.AntennaGainDBi - in.CableLossDB
	out.EIRPWatts, out.LimitWatts = watts(out.EIRPDBm), watts(out.LimitDBm)
	out.MarginDB = out.LimitDBm - out.EIRPDBm
	out.MaxTxPowerDBm = out.LimitDBm - in.AntennaGainDBi + in.CableLossDB
	if rule.conducted != nil {
		limit := rule.conducted.limit(in.AntennaGainDBi, in.CableLossDB)
		within := in.TxPowerDBm-limit <= tolerance.EqualDB
		out.ConductedLimitDBm, out.ConductedCompliant = &limit, &within
		out.MaxTxPowerDBm = min(out.MaxTxPowerDBm, limit)
		if !within {
			out.Warn("%s", rule.conducted.excess(in.TxPowerDBm, limit, out.MaxTxPowerDBm))
		}
	}
	out.Compliant = out.MarginDB >= -tolerance.EqualDB
	if !out.Compliant {
		out.Warning = fmt.Sprintf(
			"EIRP exceeds the limit by %.4g dB; set the transmitter to %g dBm or less",
			-out.MarginDB,
			hundredthsDown(out.MaxTxPowerDBm),
		)
	}
	return out, nil
}

// excess states the conducted power, the limit with its rule, and the transmitter setting that
// complies.
func (r *conductedRule) excess(txDBm, limitDBm, maxDBm float64) string {
	rule := fmt.Sprintf("the limit of %s", r.power)
	if limitDBm < lora.ConductedDBm-tolerance.EqualDB {
		rule = fmt.Sprintf("%d dBm (%s) less %.4g dB for antenna gain above %d dBi (%s)",
			lora.ConductedDBm, r.power, lora.ConductedDBm-limitDBm, lora.FreeGainDBi, r.gain)
	}
	return fmt.Sprintf(
		"the conducted power of %g dBm at the transmitter output exceeds %g dBm, %s; set the transmitter to %g dBm or less",
		txDBm, tolerance.RoundDown(limitDBm, 6), rule, hundredthsDown(maxDBm),
	)
}

// hundredthsDown rounds a level down to two decimals, so that the displayed value complies.
func hundredthsDown(dB float64) float64 { return math.Floor(dB*100+tolerance.EqualDB) / 100 }

// watts converts a level in dBm to watts.
func watts(dBm float64) float64 { return math.Pow(10, (dBm-30)/10) }
