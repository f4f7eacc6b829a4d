package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestSolarLoadAudit(t *testing.T) {
	tooltest.Examples(t, SolarLoadAudit)
	tooltest.Cases(t, SolarLoadAudit, []tooltest.Case{
		{"contract: 150·24·.35/.9 + 6·9·5 + 12·24 = 1400+270+288", `{"inverter_efficiency_pct":90,"appliances":[{"name":"fridge","watts":150,"type":"ac","hours_per_day":24,"duty_cycle_pct":35,"surge_w":900},{"name":"lights","watts":9,"quantity":6,"hours_per_day":5},{"watts":12,"hours_per_day":24}]}`,
			`{"total_daily_wh":1958.000000,"total_daily_kwh":1.958000000,"average_load_w":81.58333,"monthly_kwh":59.555833,"annual_kwh":714.670000,"peak_load_w":216,"surge_load_w":966,"largest_item":"fridge","items":[{"name":"fridge","daily_wh":1260.0000,"share_pct":69.306931},{"name":"lights","daily_wh":270.0000,"share_pct":14.851485},{"name":null,"daily_wh":288.0000,"share_pct":15.841584}],"warnings":[]}`},
		{"two days a week and 20 % margin: 700·1·2/7·1.2",
			`{"margin_pct":20,"appliances":[{"watts":700,"hours_per_day":1,"days_per_week":2}]}`, `{"total_daily_wh":240.00000,"dc_daily_wh":200.00000,"largest_item":"0","inverter_loss_wh":0}`},
		{"inverter loss before the margin: 900/.9-900 = 100; (1000)·1.5", `{"inverter_efficiency_pct":90,"margin_pct":50,"appliances":[{"watts":900,"hours_per_day":1,"type":"ac"}]}`, `{"inverter_loss_wh":100.0000,"total_daily_wh":1500.0000,"ac_daily_wh":900}`},
		{"only the largest single start counts: 3·100+50, +max(500,350)", `{"appliances":[{"watts":100,"quantity":3,"hours_per_day":1,"surge_w":600},{"watts":50,"hours_per_day":1,"surge_w":400},{"watts":10,"quantity":0,"hours_per_day":1,"surge_w":9000}]}`, `{"peak_load_w":350,"surge_load_w":850}`},
		{"nothing on", `{"appliances":[{"name":"spare","watts":0,"hours_per_day":24}]}`,
			`{"total_daily_kwh":0,"largest_item":null,"items":[{"share_pct":null,"daily_wh":0}]}`},
		{"a compressor without a name",
			`{"appliances":[{"watts":100,"hours_per_day":24,"surge_w":600}]}`,
			`{"warnings":["~appliances[0] has a starting surge"]}`},
		{"a perfect inverter, a compressor that never stops", `{"appliances":[{"name":"freezer","watts":100,"hours_per_day":24,"surge_w":600,"type":"ac"}]}`, `{"warnings":["~freezer has a starting surge","~85 to 95"]}`},
		{"an inverter for nothing",
			`{"inverter_efficiency_pct":85,"appliances":[{"watts":10,"hours_per_day":1}]}`,
			`{"total_daily_wh":10.0000,"warnings":["~inverter_efficiency_pct"]}`},
	})
	tooltest.InvalidCases(t, SolarLoadAudit, []tooltest.InvalidCase{
		{"none", `{}`, []string{"appliances"}, "is required"},
		{"empty list", `{"appliances":[]}`, []string{"appliances"}, "at least 1"},
		{"inside the list", `{"appliances":[{"watts":-1,"hours_per_day":25},{"watts":1,"hours_per_day":1,"type":"AC","quantity":-1}]}`,
			[]string{"appliances[0].watts", "appliances[0].hours_per_day", "appliances[1].type",
				"appliances[1].quantity"}, "dc, ac"},
		{"surge below watts", `{"appliances":[{"watts":1,"hours_per_day":1},{"watts":100,"hours_per_day":1,"surge_w":50}]}`, []string{"appliances[1].surge_w"}, "at least watts 100"},
		{"missing fields", `{"appliances":[{"name":"x"}]}`, []string{"appliances[0].watts",
			"appliances[0].hours_per_day"}, "is required"},
	})
}
