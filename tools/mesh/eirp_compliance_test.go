package mesh

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/tools/lora"
	"slipstick/tools/tooltest"
)

func TestEIRPCompliance(t *testing.T) {
	tooltest.Examples(t, EIRPCompliance)
	tooltest.Cases(t, EIRPCompliance, []tooltest.Case{
		{"6 dBi but for the last binary digit: nothing is subtracted from 30 dBm",
			`{"tx_power_dbm":31,"antenna_gain_dbi":6.000000000000001}`,
			`{"conducted_limit_dbm":30.00000000,"warnings":["~exceeds 30 dBm, the limit of 47 CFR"]}`},
		{
			"contract: 22 + 2 in the EU; 24 dBm is 251.189 mW, 16.15 dBm 41.2098 mW",
			`{"tx_power_dbm":22,"antenna_gain_dbi":2,"region":"ETSI_EU"}`,
			`{"eirp_dbm":24,"eirp_watts":0.251189,"limit_dbm":16.15,"limit_watts":0.0412098,"margin_db":-7.85,"compliant":false,"max_tx_power_dbm":14.15,"warning":"EIRP exceeds the limit by 7.85 dB; set the transmitter to 14.15 dBm or less","warnings":[]}`,
		},
		{
			"47 CFR 15.247: 1 W (30 dBm) into 6 dBi is just allowed, 4 W EIRP",
			`{"tx_power_dbm":30,"antenna_gain_dbi":6}`, `{"eirp_dbm":36,"eirp_watts":3.98107,"limit_dbm":36,"margin_db":0,"compliant":true,"max_tx_power_dbm":30,"warning":"","region_name":"~FCC"}`,
		},
		{
			"contract: 22.1 + 14.3 - 0.4 is 36, in binary 1e-14 more",
			`{"tx_power_dbm":22.1,"antenna_gain_dbi":14.3,"cable_loss_db":0.4}`, `{"eirp_dbm":36.000000,"compliant":true,"warning":"","conducted_limit_dbm":21.7000,"max_tx_power_dbm":21.7000}`,
		},
		{"25 mW ERP from a dipole: 14 + 2.15 is 16.15",
			`{"tx_power_dbm":14,"antenna_gain_dbi":2.15,"region":"ETSI_EU"}`,
			`{"eirp_dbm":16.15,"compliant":true,"margin_db":0.0000}`},
		{"a hundredth too much",
			`{"tx_power_dbm":14.01,"antenna_gain_dbi":2.15,"region":"ETSI_EU"}`,
			`{"compliant":false,"margin_db":-0.0100,"warning":"~set the transmitter to 14 dBm"}`},
		{"1 W in Australia: 30 dBm", `{"tx_power_dbm":22,"antenna_gain_dbi":8,"region":"ACMA_AU"}`,
			`{"eirp_watts":1,"limit_watts":1,"compliant":true,"region_name":"~Australia"}`},
		{"20 mW in Japan: 13 dBm is 19.9526 mW; 13 + 3 - 1.5",
			`{"tx_power_dbm":13,"antenna_gain_dbi":3,"cable_loss_db":1.5,"region":"JP"}`, `{"eirp_dbm":14.5,"limit_dbm":13,"limit_watts":0.0199526,"margin_db":-1.5,"compliant":false,"max_tx_power_dbm":11.5}`},
		{"Canada: 27 + 5.8 - 2",
			`{"tx_power_dbm":27,"antenna_gain_dbi":5.8,"cable_loss_db":2,"region":"IC_CA"}`,
			`{"eirp_dbm":30.8,"limit_dbm":36,"margin_db":5.2,"compliant":true}`},
		{"the caller's limit",
			`{"tx_power_dbm":20,"antenna_gain_dbi":0,"region":"custom","custom_limit_dbm":20}`, `{"limit_dbm":20,"limit_watts":0.1000000,"compliant":true,"margin_db":0,"region_name":"Custom limit","warnings":[]}`},
		{"a limit that is not asked for",
			`{"tx_power_dbm":20,"antenna_gain_dbi":0,"custom_limit_dbm":10}`,
			`{"limit_dbm":36,"compliant":true,"warnings":["~custom_limit_dbm is ignored"]}`},
		{
			"47 CFR 15.247(b)(3): 35 dBm is more than 1 W conducted, though 36 dBm EIRP comply",
			`{"tx_power_dbm":35,"antenna_gain_dbi":1}`,
			`{"eirp_dbm":36,"compliant":true,"warning":"","conducted_limit_dbm":30,"conducted_compliant":false,"max_tx_power_dbm":30,"warnings":["~47 CFR 15.247(b)(2) and (b)(3); set the transmitter to 30 dBm"]}`,
		},
		{"Canada likewise", `{"tx_power_dbm":35,"antenna_gain_dbi":1,"region":"IC_CA"}`, `{"compliant":true,"conducted_limit_dbm":30,"conducted_compliant":false,"max_tx_power_dbm":30,"warnings":["~RSS-247, section 5.4(d)"]}`},
		{"(b)(4): 9 dBi exceed 6 dBi by 3", `{"tx_power_dbm":27,"antenna_gain_dbi":9}`, `{"eirp_dbm":36,"compliant":true,"conducted_limit_dbm":27,"conducted_compliant":true,"max_tx_power_dbm":27,"warnings":[]}`},
		{
			"a cable of 2 dB keeps the EIRP, but the gain of the antenna counts",
			`{"tx_power_dbm":29,"antenna_gain_dbi":9,"cable_loss_db":2}`,
			`{"eirp_dbm":36,"compliant":true,"conducted_limit_dbm":27,"conducted_compliant":false,"max_tx_power_dbm":27,"warnings":["~less 3 dB for antenna gain above 6 dBi (47 CFR 15.247(b)(4))"]}`,
		},
		{"in Canada the EIRP counts: 30 - (9 - 2 - 6)",
			`{"tx_power_dbm":29,"antenna_gain_dbi":9,"cable_loss_db":2,"region":"IC_CA"}`, `{"conducted_limit_dbm":29,"conducted_compliant":true,"max_tx_power_dbm":29,"warnings":[]}`},
		{"cable loss does not excuse conducted power",
			`{"tx_power_dbm":31,"antenna_gain_dbi":6,"cable_loss_db":3}`,
			`{"compliant":true,"conducted_compliant":false,"max_tx_power_dbm":30}`},
		{"both exceeded: the power named suits both", `{"tx_power_dbm":40,"antenna_gain_dbi":0}`, `{"compliant":false,"conducted_compliant":false,"warning":"EIRP exceeds the limit by 4 dB; set the transmitter to 30 dBm or less","warnings":["~set the transmitter to 30 dBm"]}`},
		{"no conducted limit elsewhere",
			`{"tx_power_dbm":35,"antenna_gain_dbi":-10,"region":"ACMA_AU"}`, `{"conducted_limit_dbm":null,"conducted_compliant":null,"duty_cycle_pct":null,"max_tx_power_dbm":40,"warnings":[]}`},
		{"ERC 70-03: 500 mW ERP and 10 %",
			`{"tx_power_dbm":22,"antenna_gain_dbi":5,"region":"ETSI_EU","sub_band":"869.4-869.65"}`, `{"limit_dbm":29.15,"margin_db":2.150,"compliant":true,"duty_cycle_pct":10,"max_tx_power_dbm":24.150,"region_name":"~869.4-869.65 MHz","warnings":[]}`},
		{"the other sub-bands: 25 mW",
			`{"tx_power_dbm":22,"antenna_gain_dbi":2,"region":"ETSI_EU","sub_band":"863-865"}`,
			`{"limit_dbm":16.15,"compliant":false,"duty_cycle_pct":0.1}`},
		{"a sub-band elsewhere", `{"tx_power_dbm":20,"antenna_gain_dbi":0,"sub_band":"863-865"}`, `{"limit_dbm":36,"duty_cycle_pct":null,"warnings":["~sub_band is ignored with region FCC_US"]}`},
		{"the power named complies: 13 - 2.3411 = 10.6589, not 10.66",
			`{"tx_power_dbm":20,"antenna_gain_dbi":2.3411,"region":"JP"}`,
			`{"max_tx_power_dbm":10.6589,"warning":"~to 10.65 dBm"}`},
	})
	tooltest.InvalidCases(t, EIRPCompliance, []tooltest.InvalidCase{
		{"nothing given", `{}`, []string{"tx_power_dbm", "antenna_gain_dbi"}, "is required"},
		{"no gain", `{"tx_power_dbm":20}`, []string{"antenna_gain_dbi"}, "is required"},
		{"custom without a limit", `{"tx_power_dbm":20,"antenna_gain_dbi":2,"region":"custom"}`,
			[]string{"custom_limit_dbm"}, "is required with region custom"},
		{"a cable that amplifies", `{"tx_power_dbm":20,"antenna_gain_dbi":2,"cable_loss_db":-0.1}`,
			[]string{"cable_loss_db"}, "got -0.1"},
		{"unknown region", `{"tx_power_dbm":20,"antenna_gain_dbi":2,"region":"EU868"}`,
			[]string{"region"}, "FCC_US, ETSI_EU"},
		{"unknown sub-band",
			`{"tx_power_dbm":20,"antenna_gain_dbi":2,"region":"ETSI_EU","sub_band":"870-876"}`,
			[]string{"sub_band"}, "869.4-869.65"},
		{"text", `{"tx_power_dbm":"20","antenna_gain_dbi":2}`, []string{"tx_power_dbm"},
			"a string was given"},
	})
}

// TestRegionRules verifies that every region of the specification has its limit.
func TestRegionRules(t *testing.T) {
	want := map[string]float64{"FCC_US": 36, "ETSI_EU": 16.15, "ACMA_AU": 30, "IC_CA": 36, "JP": 13}
	enum := EIRPCompliance.Input.Field("region").Enum
	if len(regionRules) != len(want) || len(enum) != len(want)+1 ||
		!slices.Contains(enum, "custom") {
		t.Errorf("regions %v, rules %v", enum, regionRules)
	}
	for region, limit := range want {
		if r := regionRules[region]; r.limitDBm != limit || r.name == "" ||
			!slices.Contains(enum, region) {
			t.Errorf("%s: %+v, want %g dBm", region, r, limit)
		}
	}
}

// TestSubBands verifies that every sub-band of the enumeration has a rule of 25 or 500 mW.
func TestSubBands(t *testing.T) {
	enum := EIRPCompliance.Input.Field("sub_band").Enum
	if len(enum) != 6 {
		t.Errorf("sub-bands %v", enum)
	}
	for _, name := range enum {
		if b, ok := lora.FindSubBand(name); !ok || b.DutyCyclePct <= 0 || b.ERPdBm != 14 &&
			b.ERPdBm != 27 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// TestMaxTxPowerComplies verifies that the maximum power complies and 0.01 dB more does not. It
// also verifies that the power named in the warning complies.
func TestMaxTxPowerComplies(t *testing.T) {
	for region := range regionRules {
		for gain := -3.0; gain <= 12; gain += 0.37 {
			for loss := 0.0; loss <= 3; loss += 0.4137 {
				in := func(tx float64) eirpComplianceOut {
					return result[eirpComplianceOut](t, EIRPCompliance,
						fmt.Sprintf(`{"tx_power_dbm":%v,"antenna_gain_dbi":%v,"cable_loss_db":%v,"region":%q}`, tx, gain, loss, region))
				}
				limit := in(0).MaxTxPowerDBm
				ok := func(o eirpComplianceOut) bool {
					return o.Compliant && (o.ConductedCompliant == nil || *o.ConductedCompliant)
				}
				if at, above := in(limit), in(limit+0.01); !ok(at) || ok(above) ||
					above.Compliant != (above.Warning == "") || at.Warning != "" ||
					len(at.Warnings.Warnings) > 0 ||
					above.Compliant && len(above.Warnings.Warnings) == 0 {
					t.Errorf("%s, %g dBi, %g dB: %+v and %+v", region, gain, loss, at, above)
				}
				over := in(limit + 20)
				_, named, _ := strings.Cut(over.Warning, "transmitter to ")
				var power float64
				if _, err := fmt.Sscanf(named, "%g dBm", &power); err != nil {
					t.Fatalf("%q names no power", over.Warning)
				}
				if !ok(in(power)) || limit-power > 0.01+1e-9 {
					t.Errorf("%q: the limit is %g", over.Warning, limit)
				}
				near(t, "watts", 10*math.Log10(over.EIRPWatts)+30, over.EIRPDBm)
			}
		}
	}
}
