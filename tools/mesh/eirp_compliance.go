package mesh

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
)

// EIRPCompliance compares a radiated power with a region's limit.
var EIRPCompliance = tools.Define(tools.Spec{
	Name:    "eirp_compliance",
	Title:   "EIRP compliance",
	Summary: "Radiated power (EIRP) of a transmitter against the limit of a region",
	Method:  "EIRP = transmit power + antenna gain - cable loss, compliant when at or below the limit: FCC_US 36, ETSI_EU 16.15 (14 dBm ERP), ACMA_AU 30, IC_CA 36, JP 13 dBm EIRP; watts = 10^((dBm - 30)/10)",
	Sources: []string{
		"47 CFR 15.247(b)(2) to (b)(4) (30 dBm and 6 dBi)", "EN 300 220-2 V3.2.1, table B.1 (25 mW ERP)", "RSS-247, section 5.4 (4 W EIRP)",
		"ARIB STD-T108 (20 mW)", "ACMA Radiocommunications (Low Interference Potential Devices) Class Licence 2015, schedule 1 (1 W EIRP, 915 to 928 MHz)",
	},
	Limits:  []string{"One limit a region: sub-bands, hopping and bandwidth rules are not looked at", "16.15 dBm EIRP is 14 dBm ERP, 2.15 dB being the gain of a half-wave dipole", "Not legal advice"},
	Aliases: []string{"erp", "radiated power", "legal power", "fcc limit"},
	Primary: []string{"compliant"},
	Examples: []tools.Example{{
		Title: "22 dBm into 2 dBi in the EU",
		In:    `{"tx_power_dbm": 22, "antenna_gain_dbi": 2, "region": "ETSI_EU"}`,
		Want:  `{"eirp_dbm": 24, "limit_dbm": 16.15, "margin_db": -7.85, "compliant": false, "max_tx_power_dbm": 14.15, "eirp_watts": 0.251189}`,
	}},
}, eirpCompliance)

type eirpComplianceIn struct {
	TxPowerDBm     float64  `json:"tx_power_dbm" unit:"dBm" min:"-200" max:"200" example:"22" doc:"Transmitter output"`
	AntennaGainDBi float64  `json:"antenna_gain_dbi" unit:"dBi" min:"-100" max:"100" example:"2" doc:"Antenna gain"`
	CableLossDB    float64  `json:"cable_loss_db" unit:"dB" min:"0" max:"200" default:"0" doc:"Loss between transmitter and antenna"`
	Region         string   `json:"region" enum:"FCC_US,ETSI_EU,ACMA_AU,IC_CA,JP,custom" default:"FCC_US" doc:"Whose limit; 16.15 dBm EIRP is 14 dBm ERP"`
	CustomLimitDBm *float64 `json:"custom_limit_dbm" unit:"dBm" min:"-200" max:"200" doc:"EIRP limit, with region custom only"`
}

type eirpComplianceOut struct {
	EIRPDBm       float64 `json:"eirp_dbm" unit:"dBm" doc:"Radiated power"`
	EIRPWatts     float64 `json:"eirp_watts" unit:"W" doc:"Radiated power"`
	LimitDBm      float64 `json:"limit_dbm" unit:"dBm" doc:"Limit of the region"`
	LimitWatts    float64 `json:"limit_watts" unit:"W" doc:"Limit of the region"`
	MarginDB      float64 `json:"margin_db" unit:"dB" doc:"Limit less EIRP; positive means compliant"`
	Compliant     bool    `json:"compliant" doc:"True when the EIRP is at or below the limit"`
	MaxTxPowerDBm float64 `json:"max_tx_power_dbm" unit:"dBm" doc:"Highest transmitter output that complies with this antenna and cable"`
	RegionName    string  `json:"region_name" doc:"The rule in words"`
	Warning       string  `json:"warning" doc:"The excess and the power to set; empty when compliant"`
	tools.Warnings
}

// regionRule is a limit of equivalent isotropically radiated power.
type regionRule struct {
	name     string
	limitDBm float64
}

// regionRules are the specification's limits.
var regionRules = map[string]regionRule{
	"FCC_US":  {"United States (FCC Part 15.247)", 36},
	"ETSI_EU": {"European Union (ETSI EN 300 220, 25 mW ERP)", 16.15},
	"ACMA_AU": {"Australia (ACMA LIPD)", 30},
	"IC_CA":   {"Canada (ISED RSS-247)", 36},
	"JP":      {"Japan (ARIB STD-T108)", 13},
}

// equalDB is the difference below which two levels count as the same: 22.1 + 14.3 - 0.4 is
// 36.00000000000001 in binary and complies with 36.
const equalDB = 1e-9

func eirpCompliance(_ context.Context, in eirpComplianceIn) (eirpComplianceOut, error) {
	var out eirpComplianceOut
	rule, known := regionRules[in.Region]
	switch {
	case known && in.CustomLimitDBm != nil:
		out.Warn("custom_limit_dbm is ignored with region %s; use region custom", in.Region)
	case !known && in.CustomLimitDBm == nil:
		return out, tools.Invalid("custom_limit_dbm", "is required with region custom: a number of dBm, -200 to 200")
	case !known:
		rule = regionRule{"Custom limit", *in.CustomLimitDBm}
	}
	out.RegionName, out.LimitDBm = rule.name, rule.limitDBm
	out.EIRPDBm = in.TxPowerDBm + in.AntennaGainDBi - in.CableLossDB
	out.EIRPWatts, out.LimitWatts = watts(out.EIRPDBm), watts(out.LimitDBm)
	out.MarginDB = out.LimitDBm - out.EIRPDBm
	out.MaxTxPowerDBm = out.LimitDBm - in.AntennaGainDBi + in.CableLossDB
	out.Compliant = out.MarginDB >= -equalDB
	if !out.Compliant {
		out.Warning = fmt.Sprintf("EIRP exceeds the limit by %.4g dB; set the transmitter to %g dBm or less", -out.MarginDB, hundredthsDown(out.MaxTxPowerDBm))
	}
	return out, nil
}

// hundredthsDown rounds a level down to two decimals, so that the number shown complies.
func hundredthsDown(dB float64) float64 { return math.Floor(dB*100+equalDB) / 100 }

// watts of a level in dBm.
func watts(dBm float64) float64 { return math.Pow(10, (dBm-30)/10) }
