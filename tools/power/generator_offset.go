package power

import (
	"context"
	"math"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// GeneratorOffset computes the fuel that solar energy saves a generator.
var GeneratorOffset = tools.Define(tools.Spec{
	Name:    "generator_offset",
	Title:   "Generator offset",
	Summary: "Generator hours, fuel, cost and CO₂ that solar energy replaces",
	Method: "Fuel per hour = intercept × rated kW + slope × output kW; hours = kWh / (rated kW × load). After = load less solar, not below 0. " +
		"Slope and intercept per kWh and kW h: diesel 0.246 and 0.08145 L; fuel_curve typical: gasoline 0.50 and 0.16 L, " +
		"propane 0.47 and 0.20 L, natural gas 0.28 and 0.12 m³. " +
		"CO₂: diesel 10.21, gasoline 8.78, propane 5.72 kg per US gallon; natural gas 0.05444 kg per standard cubic foot",
	Sources: []string{
		"R. Skarstein, K. Uhlen, Design considerations with respect to long-term diesel saving in wind/diesel plants, Wind Engineering 13 (1989), pages 72-87: the linear fuel curve, as HOMER uses it",
		"Briggs & Stratton, 25 kW home generator 076180, and Rheem GEN12AD, 12 kW, manuals: fuel consumption (natural gas, propane); " +
			"Benfield Electric, Generac air-cooled specification sheets (natural gas); Honda EU2200i (gasoline): the typical curves are fitted to them",
		"US EPA, Emission Factors for Greenhouse Gas Inventories, tables 1 and 2: CO₂ per gallon and per standard cubic foot",
	},
	Limits: []string{
		"The generator runs at one load and stops in between; starts, idling and warm-up take no fuel here",
		"Published consumption of gasoline and gas generators lies within 35 % of the typical curves, mostly within 20 %",
		"CO₂ of combustion alone: no methane, no nitrous oxide, nothing upstream",
		"Every solar kWh replaces a generator kWh: storage must carry it to when it is used",
	},
	Aliases: []string{"generator fuel savings", "diesel savings", "hybrid solar diesel",
		"generator runtime", "CO2 savings"},
	Primary: []string{"fuel_saved_per_year"},
	Examples: []tools.Example{{
		Title: "10 kW diesel, 15 of 20 kWh from the sun",
		In:    `{"total_daily_kwh": 20, "solar_daily_kwh": 15, "generator_kw": 10, "fuel_price_per_unit": 1.4, "maintenance_per_hour": 0.5}`,
		Want: `{"run_hours_before": 2.666667, "run_hours_after": 0.666667, "fuel_per_kwh": 0.35460, "fuel_saved_per_year": 1941.435, "run_hours_saved_per_year": 730.00,
			"cost_saved_per_year": 3083.009, "co2_saved_kg_per_year": 5236.432, "offset_pct": 75.00, "fuel_unit": "L", "payback_years": null, "warnings": []}`,
	}, {
		Title: "The same without sun",
		In:    `{"total_daily_kwh": 20, "solar_daily_kwh": 0, "generator_kw": 10}`,
		Want:  `{"run_hours_before": 2.666667, "run_hours_after": 2.666667, "offset_pct": 0}`,
		From:  "by hand: 20 kWh at 75 % of 10 kW",
	}, {
		Title: "Sun for all of it",
		In:    `{"total_daily_kwh": 20, "solar_daily_kwh": 20, "generator_kw": 10}`,
		Want:  `{"run_hours_after": 0, "offset_pct": 100}`,
		From:  "by hand",
	}},
}, generatorOffset)

type generatorOffsetIn struct {
	DailyWh     *float64 `json:"daily_wh" unit:"Wh" gt:"0" max:"1e15" label:"Daily energy" doc:"Energy the loads use per day; alternative to total_daily_kwh"`
	DailyKWh    *float64 `json:"total_daily_kwh" unit:"kWh" gt:"0" max:"1e12" example:"20" alias:"daily_wh" label:"Daily energy (kWh)" doc:"Energy the loads use per day; alternative to daily_wh"`
	SolarKWh    float64  `json:"solar_daily_kwh" unit:"kWh" min:"0" max:"1e12" example:"15" label:"Daily solar energy" doc:"Solar energy per day that reaches the loads"`
	GeneratorKW float64  `json:"generator_kw" unit:"kW" gt:"0" max:"1e9" example:"10" label:"Generator rating" doc:"Rated power of the generator"`
	LoadPct     float64  `json:"generator_load_pct" unit:"%" min:"10" max:"100" default:"75" label:"Generator load" doc:"Load of the generator while it runs"`
	Fuel        string   `json:"fuel" enum:"diesel,gasoline,propane,natural_gas" default:"diesel" label:"Fuel" doc:"Fuel, measured in litres; natural_gas in cubic metres"`
	Curve       string   `json:"fuel_curve" enum:"data_sheet,typical" default:"data_sheet" label:"Fuel curve" doc:"data_sheet: given slope and intercept; typical: typical curve of the fuel"`
	Slope       *float64 `json:"fuel_slope_per_kwh" unit:"fuel/kWh" gt:"0" max:"1e6" label:"Fuel curve slope" doc:"Fuel per kWh of output; default 0.246 for diesel; required for other fuels unless fuel_curve is typical"`
	Intercept   *float64 `json:"fuel_intercept_per_kw_h" unit:"fuel/(kW h)" min:"0" max:"1e6" label:"Fuel curve intercept" doc:"Fuel per hour and kW of rating at no load; default 0.08145 for diesel; required for other fuels unless fuel_curve is typical"`
	Price       float64  `json:"fuel_price_per_unit" unit:"currency/fuel" min:"0" max:"1e9" default:"0" label:"Fuel price" doc:"Price per litre, for natural_gas per cubic metre"`
	Maintenance float64  `json:"maintenance_per_hour" unit:"currency/h" min:"0" max:"1e9" default:"0" label:"Maintenance cost" doc:"Maintenance cost per running hour"`
	Days        float64  `json:"days_per_year" unit:"d" gt:"0" max:"366" default:"365" label:"Days of use per year" doc:"Days of use per year"`
	Cost        *float64 `json:"system_cost" unit:"currency" gt:"0" max:"1e15" label:"Solar system cost" doc:"Price of the solar system; gives its payback time"`
}

type generatorOffsetOut struct {
	BeforeKWh  float64  `json:"generator_kwh_before" unit:"kWh" label:"Generator energy without solar" doc:"Generator energy per day without solar"`
	AfterKWh   float64  `json:"generator_kwh_after" unit:"kWh" label:"Generator energy with solar" doc:"Generator energy per day with solar"`
	OffsetPct  float64  `json:"offset_pct" unit:"%" label:"Solar share" doc:"Share of the load covered by solar energy"`
	HoursPre   float64  `json:"run_hours_before" unit:"h" label:"Run time without solar" doc:"Running hours per day without solar"`
	HoursPost  float64  `json:"run_hours_after" unit:"h" label:"Run time with solar" doc:"Running hours per day with solar"`
	HoursSaved float64  `json:"run_hours_saved_per_year" unit:"h" label:"Run time saved per year" doc:"Running hours saved per year"`
	FuelPre    float64  `json:"fuel_before_per_day" unit:"fuel" label:"Fuel without solar" doc:"Fuel per day without solar, in fuel_unit"`
	FuelPost   float64  `json:"fuel_after_per_day" unit:"fuel" label:"Fuel with solar" doc:"Fuel per day with solar, in fuel_unit"`
	FuelSaved  float64  `json:"fuel_saved_per_year" unit:"fuel" label:"Fuel saved per year" doc:"Fuel saved per year, in fuel_unit"`
	FuelPerKWh float64  `json:"fuel_per_kwh" unit:"fuel/kWh" label:"Specific fuel consumption" doc:"Fuel per kWh at generator_load_pct, in fuel_unit"`
	FuelUnit   string   `json:"fuel_unit" enum:"L,m3" label:"Fuel unit" doc:"Unit of the fuel quantities"`
	CostSaved  float64  `json:"cost_saved_per_year" unit:"currency" label:"Cost saved per year" doc:"Fuel and maintenance cost saved per year"`
	CO2SavedKg float64  `json:"co2_saved_kg_per_year" unit:"kg" label:"CO₂ saved per year" doc:"CO₂ saved per year"`
	Payback    *float64 `json:"payback_years" unit:"yr" label:"Payback time" doc:"System cost divided by the yearly saving; null without a cost or a saving"`
	tools.Warnings
}

// fuelCurve returns the fuel per kWh of output, and per hour and kW of rating. The unit is litres,
// for natural_gas m³. The diesel curve is by Skarstein and Uhlen (1989); the others are fits to
// data sheets.
func fuelCurve(fuel string) (slope, intercept float64) {
	switch fuel {
	case "natural_gas":
		return 0.28, 0.12
	case "gasoline":
		return 0.50, 0.16
	case "propane":
		return 0.47, 0.20
	default:
		return 0.246, 0.08145
	}
}

const (
	litrePerGallon = 3.785411784    // US gallon, 231 in³
	m3PerCubicFoot = 0.028316846592 // 0.3048³
)

// co2Of returns the CO2 in kg per unit of a fuel (EPA), and that unit.
func co2Of(fuel string) (kg float64, unit string) {
	switch fuel {
	case "natural_gas":
		return 0.05444 / m3PerCubicFoot, "m3"
	case "gasoline":
		return 8.78 / litrePerGallon, "L"
	case "propane":
		return 5.72 / litrePerGallon, "L"
	default:
		return 10.21 / litrePerGallon, "L"
	}
}

func generatorOffset(_ context.Context, in generatorOffsetIn) (generatorOffsetOut, error) {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("daily_wh", in.DailyWh != nil),
		choice.Of("total_daily_kwh", in.DailyKWh != nil))
	in.checkCurve(&f)
	if err := f.Err(); err != nil {
		return generatorOffsetOut{}, err
	}
	var out generatorOffsetOut
	if in.DailyKWh != nil {
		out.BeforeKWh = *in.DailyKWh
	} else {
		out.BeforeKWh = *in.DailyWh / 1000
	}
	slope, intercept := fuelCurve(in.Fuel)
	slope, intercept = choice.Or(in.Slope, slope), choice.Or(in.Intercept, intercept)
	if in.Curve == "typical" && in.Fuel != "diesel" {
		out.Warn("the typical curve of %s is within 20 %% of most generators, not of all: for a purchase take fuel_slope_per_kwh and fuel_intercept_per_kw_h from the data sheet",
			strings.ReplaceAll(in.Fuel, "_", " "))
	}
	running := in.GeneratorKW * in.LoadPct / 100 // kW
	out.FuelPerKWh = slope + intercept*in.GeneratorKW/running
	out.AfterKWh = math.Max(0, out.BeforeKWh-in.SolarKWh)
	out.OffsetPct = math.Min(100, 100*in.SolarKWh/out.BeforeKWh)
	out.HoursPre, out.HoursPost = out.BeforeKWh/running, out.AfterKWh/running
	out.FuelPre, out.FuelPost = out.BeforeKWh*out.FuelPerKWh, out.AfterKWh*out.FuelPerKWh
	// Computed from the replaced energy because the difference of two nearly equal loads would lose
	// digits.
	replaced := math.Min(in.SolarKWh, out.BeforeKWh) * in.Days
	out.HoursSaved = replaced / running
	out.FuelSaved = replaced * out.FuelPerKWh
	co2, unit := co2Of(in.Fuel)
	out.FuelUnit, out.CO2SavedKg = unit, out.FuelSaved*co2
	out.CostSaved = out.FuelSaved*in.Price + out.HoursSaved*in.Maintenance
	if in.Cost != nil && out.CostSaved > 0 {
		years := *in.Cost / out.CostSaved
		out.Payback = &years
	}
	if tolerance.Below(in.LoadPct, 30) {
		out.Warn(
			"a generator_load_pct of %g is below 30 %%: poor efficiency, and a diesel engine fouls with unburnt fuel (wet stacking); take a smaller generator, or charge a battery with it",
			in.LoadPct,
		)
	}
	if tolerance.Above(in.SolarKWh, out.BeforeKWh) {
		out.Warn("solar_daily_kwh %g is above the load of %g kWh: the surplus is not used",
			in.SolarKWh, out.BeforeKWh)
	}
	if in.Price == 0 {
		out.Warn("fuel_price_per_unit is 0: the saved cost does not include fuel")
	}
	if tolerance.Above(out.HoursPre, 24) {
		out.Warn("without solar the generator would run %.4g h a day: at that load it is too small",
			out.HoursPre)
	}
	return out, nil
}

// checkCurve adds errors of a fuel curve that is given twice or is missing.
func (in generatorOffsetIn) checkCurve(f *tools.FieldErrors) {
	if in.Curve == "typical" {
		for _, name := range choice.Names(choice.Of("fuel_slope_per_kwh", in.Slope != nil),
			choice.Of("fuel_intercept_per_kw_h", in.Intercept != nil)) {
			f.Add(name, "contradicts fuel_curve typical: give one of them")
		}
	} else if in.Fuel != "diesel" {
		if in.Slope == nil {
			f.Add(
				"fuel_slope_per_kwh",
				"is required together with fuel_intercept_per_kw_h for fuel %s, or fuel_curve typical; from the fuel per hour F at full and H at half load of a data sheet: (F - H)/(0.5 kW rating)",
				in.Fuel,
			)
		}
		if in.Intercept == nil {
			f.Add("fuel_intercept_per_kw_h",
				"is required together with fuel_slope_per_kwh for fuel %s, or fuel_curve typical; from the fuel per hour F at full and H at half load: (2 H - F)/(kW rating)",
				in.Fuel)
		}
	}
}
