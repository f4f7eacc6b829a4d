package power

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestSolarROI(t *testing.T) {
	tooltest.Examples(t, SolarROI)
	tooltest.Cases(t, SolarROI, []tooltest.Case{
		{"contract, to more digits by mpmath",
			`{"system_cost":15000,"annual_kwh":8000,"electricity_rate_per_kwh":0.18}`,
			`{"year1_savings":1440.0000,"simple_payback_years":10.41666667,"payback_years":10.67152345,"discounted_payback_years":15.8169559,"npv":4360.876373,"irr_pct":7.806678027,"roi_pct":126.1371335,"lifetime_kwh":188447.6113,"lifetime_savings":33920.57003,"lcoe_per_kwh":0.1394564971}`},
		{"everything at once by mpmath: net 18000·.7-600, 6·4.5·.8·365 kWh, tariff .6·.25+.4·.05", `{"system_cost":18000,"incentive_pct":30,"incentive_amount":600,"system_kw":6,"peak_sun_hours":4.5,"electricity_rate_per_kwh":0.25,"self_consumption_pct":60,"export_rate_per_kwh":0.05,"rate_escalation_pct":2,"annual_cost":100,"cost_escalation_pct":3,"discount_rate_pct":4,"analysis_years":20}`,
			`{"net_cost":12000.0000,"annual_kwh":7884.0000,"year1_savings":1240.28000,"simple_payback_years":9.675234624,"payback_years":9.149149417,"discounted_payback_years":11.4727829,"npv":6882.261731,"irr_pct":9.482167270,"roi_pct":135.6221064,"lcoe_per_kwh":0.1337355614,"lifetime_kwh":150410.1947,"warnings":[]}`},
		{"annuity tables: 10 % of the price for 20 years is 7.75 %, at 5 % worth 12.46221 payments, paid after ln 2/ln 1.05 = 14.2067 years of annuity (14.21 by the year)", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"degradation_pct":0,"analysis_years":20}`,
			`{"npv":246.2210,"irr_pct":7.754690,"payback_years":10.00000,"simple_payback_years":10.00000,"discounted_payback_years":14.21072,"roi_pct":100.00000,"lcoe_per_kwh":0.08024259,"warnings":["~degradation_pct"]}`},
		{"paid at the end of the last year, not never: 10·100", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"degradation_pct":0,"analysis_years":10}`, `{"payback_years":10.0000,"irr_pct":0.0000,"roi_pct":0.0000,"discounted_payback_years":null}`},
		{"two years by hand: 100, 99.5; cumulative", `{"system_cost":150,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"analysis_years":2}`,
			`{"cash_flow":[{"year":1,"kwh":1000,"savings":100.000,"cumulative":-50.000},{"year":2,"kwh":995.000,"savings":99.5000,"cumulative":49.5000}],"payback_years":1.502512563}`},
		{"never, and at a loss every year", `{"system_cost":1000,"annual_kwh":100,"electricity_rate_per_kwh":0.1,"annual_cost":50,"analysis_years":3}`, `{"year1_savings":-40.000,"simple_payback_years":null,"payback_years":null,"irr_pct":null,"warnings":["~does not pay back"]}`},
		{"optimism", `{"system_cost":1000,"annual_kwh":2000,"electricity_rate_per_kwh":0.1,"rate_escalation_pct":6,"peak_sun_hours":4,"performance_ratio_pct":70}`, `{"warnings":["~rate_escalation_pct","~peak_sun_hours","~performance_ratio_pct"]}`},
		{"one year: 120/100-1 = 20 %", `{"system_cost":100,"annual_kwh":1200,"electricity_rate_per_kwh":0.1,"analysis_years":1}`, `{"irr_pct":20.0000000,"roi_pct":20.0000000,"payback_years":0.8333333}`},
		{"the highest of several rates, roots by hand: -100+230 v-132 v² = 0 at v = 1/1.1 and 1/1.2", `{"system_cost":100,"annual_kwh":2960,"electricity_rate_per_kwh":0.1,"degradation_pct":100,"annual_cost":66,"cost_escalation_pct":100,"analysis_years":2}`,
			`{"irr_pct":20.0000000}`},
		{"two rates half a percent apart by hand: -1000 + 2105 v - 1107.75 v² = 0 at v = 1/1.05 and 1/1.055", `{"system_cost":1000,"annual_kwh":2105,"electricity_rate_per_kwh":1,"degradation_pct":0,"analysis_years":2,"replacement_cost":3212.75,"replacement_year":2}`,
			`{"irr_pct":5.500000}`},
		{"no rate by hand: -1000 + 2105 v - 1108.50 v² is negative, as 2105² < 4·1108500", `{"system_cost":1000,"annual_kwh":2105,"electricity_rate_per_kwh":1,"degradation_pct":0,"analysis_years":2,"replacement_cost":3213.5,"replacement_year":2}`,
			`{"irr_pct":null}`},
		{"replacement by hand: 100 a year, 60 less in year 2", `{"system_cost":150,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"degradation_pct":0,"analysis_years":3,"discount_rate_pct":0,"replacement_cost":60,"replacement_year":2}`,
			`{"lifetime_savings":240.000,"npv":90.000,"payback_years":2.1,"cash_flow":[{"savings":100},{"savings":40,"cumulative":-10},{"savings":100,"cumulative":90}]}`},
		{"replacement by hand: LCOE (1000 + 110/1.1)/(1000/1.1) = 1.21", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":2,"degradation_pct":0,"analysis_years":1,"discount_rate_pct":10,"replacement_cost":110,"replacement_year":1}`,
			`{"lcoe_per_kwh":1.21000,"year1_savings":2000}`},
		{"by hand: 495.02 after 5 years, then 4.975 of 97.525 a year; 1908 in all, less 5000", `{"system_cost":500,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"degradation_pct":0.5,"analysis_years":20,"replacement_cost":5000}`, `{"payback_years":5.05101,"warnings":["~does not pay back"]}`},
		{"year 1 without its replacement", `{"system_cost":500,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"replacement_cost":50,"replacement_year":1}`, `{"year1_savings":100.0000,"simple_payback_years":5.0000,"warnings":[]}`},
		{"a year without a cost", `{"system_cost":500,"annual_kwh":1000,"electricity_rate_per_kwh":0.1,"replacement_year":5}`, `{"warnings":["~replacement_year was ignored"]}`},
		{"a replacement after the end", `{"system_cost":100,"annual_kwh":1200,"electricity_rate_per_kwh":0.1,"analysis_years":1,"replacement_cost":50}`, `{"roi_pct":20.0000000,"warnings":["~replacement_year 12"]}`},
		{"community.sense.com, topic 10780: 25.98 + 32.47 % at 0.19935, the rest at 0.17581, average 0.189567", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.17581,"peak_rate_per_kwh":0.19935,"peak_share_pct":58.45}`, `{"year1_savings":189.57}`},
		{"solarpaneltalk.com, SCE in June: 393 of 590 kWh on peak at 0.31, off peak 0.12", `{"system_cost":1000,"annual_kwh":590,"electricity_rate_per_kwh":0.12,"peak_rate_per_kwh":0.31,"peak_share_pct":66.610169}`, `{"year1_savings":145.47}`},
		{"ezvirtualtools.com: peak kWh × peak rate + off-peak kWh × off-peak rate; what is exported has no peak", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.2,"peak_rate_per_kwh":0.4,"peak_share_pct":25,"self_consumption_pct":50,"export_rate_per_kwh":0.08}`, `{"year1_savings":165.00}`},
		{"a peak share without a price, a price without a share", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.2,"peak_share_pct":25}`, `{"year1_savings":200.00,"warnings":["~peak_share_pct was ignored"]}`},
		{"a peak price alone", `{"system_cost":1000,"annual_kwh":1000,"electricity_rate_per_kwh":0.2,"peak_rate_per_kwh":0.5}`, `{"year1_savings":200.00,"warnings":["~peak_rate_per_kwh was ignored"]}`},
		{"cents for a price per kWh",
			`{"system_cost":1500,"annual_kwh":8000,"electricity_rate_per_kwh":18}`,
			`{"payback_years":0.0104,"warnings":["~is implausible"]}`},
	})
	tooltest.InvalidCases(t, SolarROI, []tooltest.InvalidCase{
		{"a peak share above all", `{"system_cost":1,"annual_kwh":1,"electricity_rate_per_kwh":1,"peak_rate_per_kwh":1,"peak_share_pct":101}`, []string{"peak_share_pct"}, "0 to 100"},
		{"no production", `{"system_cost":1000,"electricity_rate_per_kwh":0.1}`,
			[]string{"annual_kwh"}, "annual_kwh, system_kw"},
		{"both", `{"system_cost":1000,"electricity_rate_per_kwh":0.1,"annual_kwh":1,"system_kw":1,"peak_sun_hours":1}`, []string{"annual_kwh"}, "annual_kwh and system_kw"},
		{"size without sun", `{"system_cost":1000,"electricity_rate_per_kwh":0.1,"system_kw":1}`,
			[]string{"peak_sun_hours"}, "system_kw"},
		{"given away", `{"system_cost":1000,"electricity_rate_per_kwh":0.1,"annual_kwh":1,"incentive_pct":50,"incentive_amount":500}`, []string{"incentive_pct", "incentive_amount"}, "below system_cost 1000"},
		{"ranges", `{"system_cost":0,"electricity_rate_per_kwh":0,"annual_kwh":0,"self_consumption_pct":101,"analysis_years":51}`, []string{"system_cost", "electricity_rate_per_kwh", "annual_kwh", "self_consumption_pct", "analysis_years"}, ""},
	})
}

// TestInternalRateOfReturn verifies that the net present value at the internal rate of
// return is zero.
func TestInternalRateOfReturn(t *testing.T) {
	for _, c := range []string{
		`"system_cost":15000,"annual_kwh":8000,"electricity_rate_per_kwh":0.18`,
		`"system_cost":9000,"annual_kwh":8000,"electricity_rate_per_kwh":0.3,"rate_escalation_pct":4,"annual_cost":200`,
		`"system_cost":20000,"annual_kwh":9000,"electricity_rate_per_kwh":0.12,"analysis_years":30`,
	} {
		rate := number(t, result(t, SolarROI, `{%s}`, c), "irr_pct")
		if value := number(t, result(t, SolarROI, `{%s,"discount_rate_pct":%.17g}`, c, rate),
			"npv"); math.Abs(value) > 1e-8 {
			t.Errorf("%s: worth %g at its internal rate of %g %%", c, value, rate)
		}
		undiscounted := result(t, SolarROI, `{%s,"discount_rate_pct":0}`, c)
		same(t, "npv at 0", number(t, undiscounted, "npv"),
			number(t, undiscounted, "lifetime_savings")-number(t, undiscounted, "net_cost"))
		same(t, "payback at 0", number(t, undiscounted, "discounted_payback_years"),
			number(t, undiscounted, "payback_years"))
	}
}

// TestLevelizedCostBreaksEven verifies that energy sold at its levelized cost returns exactly its
// cost.
func TestLevelizedCostBreaksEven(t *testing.T) {
	const c = `"system_cost":15000,"annual_kwh":8000,"annual_cost":120,"cost_escalation_pct":2,"discount_rate_pct":6`
	level := number(t, result(t, SolarROI, `{%s,"electricity_rate_per_kwh":1}`, c), "lcoe_per_kwh")
	if value := number(t, result(t, SolarROI, `{%s,"electricity_rate_per_kwh":%.17g}`, c, level),
		"npv"); math.Abs(value) > 1e-8 {
		t.Errorf("worth %g at the levelized cost", value)
	}
}
