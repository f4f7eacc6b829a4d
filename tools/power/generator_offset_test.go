package power

import (
	"math"
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
		{"two curves", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"fuel":"gasoline","fuel_curve":"typical","fuel_slope_per_kwh":0.4}`, []string{"fuel_slope_per_kwh"}, "contradicts fuel_curve"},
		{"half a curve", `{"total_daily_kwh":1,"solar_daily_kwh":1,"generator_kw":1,"fuel":"gasoline","fuel_slope_per_kwh":0.4}`, []string{"fuel_intercept_per_kw_h"}, "gasoline"},
	})
}

// TestGeneratorOffsetAddsUp verifies that half of the solar energy saves half of the fuel. It also
// verifies that savings and remainder sum to the total.
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

// TestTypicalFuelCurves compares the fuel curves with published consumption at full and at half
// load, in the unit of the source.
func TestTypicalFuelCurves(t *testing.T) {
	const m3PerHour = m3PerCubicFoot * 10                // 10,000 Btu/h at 1000 Btu/ft³
	const propaneLitres = litrePerGallon * 10000 / 91547 // 10,000 Btu/h at 91,547 Btu/gal
	for _, c := range []struct {
		source, fuel   string
		kw, load, want float64
		within         float64
	}{
		{"Briggs & Stratton 076180, full load: 10.4 m³/h", "natural_gas", 25, 100, 10.4, 0.05},
		{"Briggs & Stratton 076180, half load: 7.1 m³/h", "natural_gas", 25, 50, 7.1, 0.1},
		{"Rheem GEN12AD: 197 ft³/h", "natural_gas", 12, 100, 197 * m3PerCubicFoot, 0.15},
		{"Rheem GEN12AD: 119.46 ft³/h", "natural_gas", 12, 50, 119.46 * m3PerCubicFoot, 0.1},
		{"Generac 10 kW", "natural_gas", 10, 100, 12.7 * m3PerHour, 0.15},
		{"Generac 10 kW, half", "natural_gas", 10, 50, 10.1 * m3PerHour, 0.1},
		{"Generac 14 kW", "natural_gas", 14, 100, 25.6 * m3PerHour, 0.25},
		{"Generac 14 kW, half", "natural_gas", 14, 50, 19.5 * m3PerHour, 0.35},
		{"Generac 20 kW", "natural_gas", 20, 100, 28.7 * m3PerHour, 0.1},
		{"Generac 22 kW, half", "natural_gas", 22, 50, 20.4 * m3PerHour, 0.1},
		{"Generac 26 kW", "natural_gas", 26, 100, 33.3 * m3PerHour, 0.15},
		{"Generac 26 kW, half", "natural_gas", 26, 50, 18.8 * m3PerHour, 0.3},
		{"Briggs & Stratton 076180, full load", "propane", 25, 100, 38.7 * propaneLitres, 0.1},
		{"Briggs & Stratton 076180, half load", "propane", 25, 50, 26.25 * propaneLitres, 0.1},
		{"Rheem GEN12AD, full load", "propane", 12, 100, 21.33 * propaneLitres, 0.1},
		{"Rheem GEN12AD, half load", "propane", 12, 50, 12.75 * propaneLitres, 0.1},
		{"resandersplumbing.com: 10 kW, 0.97 gal/h", "propane", 10, 50, 0.97 * litrePerGallon,
			0.2},
		{"Honda EU2200i: 3.2 h of 0.95 gal", "gasoline", 1.8, 100, 0.95 / 3.2 * litrePerGallon,
			0.1},
		{"Honda EU2200i: 8.1 h of 0.95 gal", "gasoline", 1.8, 25, 0.95 / 8.1 * litrePerGallon, 0.2},
		{"resandersplumbing.com: 5 kW, 0.65 gal/h", "gasoline", 5, 50, 0.65 * litrePerGallon, 0.2},
		{"hardydiesel.com: 20 kW, 1.60 gal/h", "diesel", 20, 100, 1.60 * litrePerGallon, 0.1},
		{"hardydiesel.com: 100 kW, 4.10 gal/h", "diesel", 100, 50, 4.10 * litrePerGallon, 0.35},
		{"hardydiesel.com: 500 kW, 35.7 gal/h", "diesel", 500, 100, 35.7 * litrePerGallon, 0.25},
	} {
		out := result(t, GeneratorOffset, `{"total_daily_kwh":%g,"solar_daily_kwh":0,
			"generator_kw":%g,"generator_load_pct":%g,"fuel":%q,"fuel_curve":"typical"}`,
			c.kw*c.load/100, c.kw, c.load, c.fuel)
		got := number(t, out, "fuel_before_per_day") // of one hour
		if math.Abs(got/c.want-1) > c.within {
			t.Errorf("%s: %.4g per hour, published %.4g", c.source, got, c.want)
		}
	}
}
