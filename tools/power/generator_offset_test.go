package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestGeneratorOffset(t *testing.T) {
	tooltest.Examples(t, GeneratorOffset)
	tooltest.Cases(t, GeneratorOffset, []tooltest.Case{
		{"contract: .246+.08145/.75 = .3546; 15·365·.3546; 10.21/3.785411784 kg/L", `{"total_daily_kwh":20,"solar_daily_kwh":15,"generator_kw":10,"fuel_price_per_unit":1.4,"maintenance_per_hour":0.5,"system_cost":10000}`,
			`{"generator_kwh_before":20,"generator_kwh_after":5,"run_hours_before":2.66666667,"run_hours_after":0.66666667,"fuel_before_per_day":7.0920000,"fuel_after_per_day":1.7730000,"fuel_saved_per_year":1941.43500,"cost_saved_per_year":3083.00900,"co2_saved_kg_per_year":5236.432,"payback_years":3.24358443}`},
		{"the same load in Wh",
			`{"daily_wh":20000,"solar_daily_kwh":15,"generator_kw":10,"fuel_price_per_unit":1.4}`, `{"generator_kwh_before":20,"fuel_saved_per_year":1941.43500}`},
		{"natural gas by hand: .35+.05/.5 = .45; 2·300·.45 = 270 m³; ·.05444/.028316846592", `{"total_daily_kwh":8,"solar_daily_kwh":2,"generator_kw":5,"generator_load_pct":50,"fuel":"natural_gas","fuel_slope_per_kwh":0.35,"fuel_intercept_per_kw_h":0.05,"days_per_year":300,"fuel_price_per_unit":1}`,
			`{"fuel_per_kwh":0.4500000,"fuel_unit":"m3","fuel_saved_per_year":270.00000,"co2_saved_kg_per_year":519.083223,"run_hours_saved_per_year":240.00000,"offset_pct":25.0000}`},
		{"gasoline, CO2 per litre: 8.78/3.785411784 = 2.31943", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"generator_load_pct":100,"fuel":"gasoline","fuel_slope_per_kwh":1,"fuel_intercept_per_kw_h":0,"days_per_year":1,"fuel_price_per_unit":1}`, `{"fuel_saved_per_year":1.00000,"co2_saved_kg_per_year":2.31943062}`},
		{"propane: 5.72/3.785411784 = 1.51106", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"generator_load_pct":100,"fuel":"propane","fuel_slope_per_kwh":0.9,"fuel_intercept_per_kw_h":0.1,"days_per_year":1,"fuel_price_per_unit":1}`, `{"fuel_unit":"L","co2_saved_kg_per_year":1.51106414}`},
		{"more sun than load saves the load: 20·365·.3546",
			`{"total_daily_kwh":20,"solar_daily_kwh":30,"generator_kw":10}`, `{"generator_kwh_after":0,"offset_pct":100,"run_hours_after":0,"fuel_saved_per_year":2588.5800,"cost_saved_per_year":0,"warnings":["~surplus","~fuel_price_per_unit"]}`},
		{"no sun saves nothing", `{"total_daily_kwh":20,"solar_daily_kwh":0,"generator_kw":10,"fuel_price_per_unit":1,"system_cost":5}`, `{"offset_pct":0,"fuel_saved_per_year":0,"payback_years":null}`},
		{"light load: .246+.08145/.2 = .65325", `{"total_daily_kwh":10,"solar_daily_kwh":1,"generator_kw":10,"generator_load_pct":20,"fuel_price_per_unit":1}`, `{"fuel_per_kwh":0.6532500,"warnings":["~wet stacking"]}`},
		{"too small a generator",
			`{"total_daily_kwh":20,"solar_daily_kwh":10,"generator_kw":1,"fuel_price_per_unit":1}`, `{"run_hours_before":26.6666667,"warnings":["~too small"]}`},
	})
	tooltest.InvalidCases(t, GeneratorOffset, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"solar_daily_kwh", "generator_kw"}, "is required"},
		{"no load", `{"solar_daily_kwh":1,"generator_kw":1}`, []string{"daily_wh"},
			"daily_wh, total_daily_kwh"},
		{"negative sun", `{"total_daily_kwh":1,"solar_daily_kwh":-1,"generator_kw":1}`,
			[]string{"solar_daily_kwh"}, "0 to"},
		{"unknown fuel", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"fuel":"wood"}`,
			[]string{"fuel"}, "natural_gas"},
		{"no curve", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"fuel":"propane"}`,
			[]string{"fuel_slope_per_kwh", "fuel_intercept_per_kw_h"}, "propane"},
		{"half a curve", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"fuel":"gasoline","fuel_slope_per_kwh":0.4}`, []string{"fuel_intercept_per_kw_h"}, "gasoline"},
	})
}

// Two halves of the solar energy save as much as the whole, and savings plus remainder are the
// total.
func TestGeneratorOffsetAddsUp(t *testing.T) {
	out := result(t, GeneratorOffset,
		`{"total_daily_kwh":17,"solar_daily_kwh":11,"generator_kw":6,"days_per_year":1}`)
	same(t, "fuel", number(t, out, "fuel_after_per_day")+number(t, out, "fuel_saved_per_year"),
		number(t, out, "fuel_before_per_day"))
	same(t, "hours", number(t, out, "run_hours_after")+number(t, out, "run_hours_saved_per_year"),
		number(t, out, "run_hours_before"))
	half := result(t, GeneratorOffset,
		`{"total_daily_kwh":17,"solar_daily_kwh":5.5,"generator_kw":6,"days_per_year":1}`)
	same(t, "half", 2*number(t, half, "fuel_saved_per_year"), number(t, out, "fuel_saved_per_year"))
}
