package power

import (
	"context"
	"slices"

	"slipstick/tools"
	"slipstick/tools/battery"
	"slipstick/tools/choice"
	"slipstick/tools/pv"
	"slipstick/tools/tolerance"
)

// SolarSizing computes array, battery and controller of an off-grid system.
var SolarSizing = tools.Define(tools.Spec{
	Name:    "solar_sizing",
	Title:   "Solar sizing",
	Summary: "Panels, battery and charge controller of an off-grid solar system",
	Method: "E = load / inverter efficiency. Array = E / (PSH × PV derate × battery efficiency × f), in whole panels. f = 1 for mppt; a pwm controller runs the panel at battery voltage: " +
		"f = 1.2 Vsys / (s Vmp) with s = ceil(1.2 Vsys / Vmp) panels in series. Battery = E × days / (depth of discharge × battery derate). " +
		"Controller = 1.25 array / Vsys (mppt) or 1.25 Isc × strings (pwm). Yield = array × PSH × derate × f; surplus = yield × battery efficiency - E; recovery = E × days / surplus. " +
		"Cold Voc of a panel = Voc (1 + β/100 (Tmin - 25)), without β by NEC table 690.7(A); panels in series at most floor(controller voltage / cold Voc), " +
		"for mppt at least ceil(controller_min_v / (Vmp (1 + β/100 (Tcell - 25)))), with β at most -0.4 %/°C here, since Vmp falls faster than Voc",
	Sources: []string{
		"IEEE Std 1562-2007, Guide for Array and Battery Sizing in Stand-Alone Photovoltaic (PV) Systems, clauses 4.1 (sun-hour method), 6, 7 and 9",
		"IEEE Std 1013-2019, Recommended Practice for Sizing Lead-Acid Batteries for Stand-Alone Photovoltaic Systems",
		"NFPA 70 (National Electrical Code) 2023, 690.8(A): 125 % of the short-circuit current; 690.7(A) with its table: cold Voc",
		"IEEE Std 485-2020, table 1 (temperature correction of lead-acid cells)",
		"Victron Energy, BlueSolar MPPT 150/45 manual, section 3.3: the PV voltage stays above battery voltage + 1 V",
	},
	Limits: []string{
		"One day stands for the worst month; no hourly weather, no loss-of-load probability",
		"All energy is counted as if it went through the battery, which is on the safe side for daytime loads",
		"Of the tracking range of an mppt controller its ends are checked; string_sizing has the limits of current too",
	},
	Aliases: []string{"solar panel size", "off-grid solar", "battery bank size",
		"charge controller", "peak sun hours"},
	Examples: []tools.Example{{
		Title: "1.5 kWh a day at 24 V",
		In:    `{"daily_wh": 1500, "peak_sun_hours": 4.5, "system_voltage_v": 24}`,
		Want: `{"required_array_w": 438.5965, "panels": 5, "array_w": 500, "battery_kwh": 3.7500, "battery_ah": 156.250, "controller_a": 26.0417,
			"daily_yield_wh": 1800.00, "surplus_pct": 14.0000, "recovery_days": 14.2857,
			"warnings": ["recovery after the autonomy period takes 14.3 days, more than 7: add panels"]}`,
	}, {
		Title: "Cabin by its months: December decides",
		In:    `{"daily_wh": 1000, "monthly_sun_hours": [2, 3, 4, 5, 5.5, 6, 6, 5.5, 4.5, 3, 2, 1.5]}`,
		Want:  `{"required_array_w": 877.1930, "worst_month": 12, "panels": 9}`,
		From:  "by hand: 1000/(1.5 × 0.8 × 0.95)",
	}, {
		Title: "Half a kilowatt hour at 12 V",
		In:    `{"daily_wh": 500, "peak_sun_hours": 4}`,
		Want:  `{"required_array_w": 164.4737, "panels": 2, "battery_kwh": 1.25, "battery_ah": 104.1667}`,
		From:  "by hand: 500/(4 × 0.8 × 0.95), 500 × 2/0.8",
	}, {
		Title: "String of an mppt controller of 150 V at 24 V, -10 °C",
		In: `{"daily_wh": 1500, "peak_sun_hours": 4.5, "system_voltage_v": 24, "panel_vmp_v": 41.7, "panel_voc_v": 49.5,
			"temp_coeff_voc_pct_per_c": -0.27, "min_temp_c": -10, "controller_max_v": 150}`,
		Want: `{"panel_voc_cold_v": 54.18, "min_panels_in_series": 1, "max_panels_in_series": 2}`,
		From: "electrakit.com, solar string sizing: 54.2 V; by hand: 29.8 V < 36.63 V",
	}},
}, solarSizing)

type solarSizingIn struct {
	DailyWh       *float64   `json:"daily_wh" unit:"Wh" gt:"0" max:"1e12" example:"1500" label:"Daily energy" doc:"Energy the loads use per day; alternative to total_daily_kwh"`
	DailyKWh      *float64   `json:"total_daily_kwh" unit:"kWh" gt:"0" max:"1e9" alias:"daily_wh" label:"Daily energy (kWh)" doc:"Energy the loads use per day, a result of solar_load_audit; alternative to daily_wh"`
	PeakSunHours  *float64   `json:"peak_sun_hours" unit:"h" gt:"0" max:"12" example:"4.5" label:"Peak sun hours" doc:"Daily irradiation in the plane of the array divided by 1 kW/m², worst month; alternative to monthly_sun_hours"`
	SystemV       float64    `json:"system_voltage_v" unit:"V" gt:"0" max:"1e5" default:"12" label:"System voltage" doc:"Nominal battery voltage"`
	Days          float64    `json:"autonomy_days" unit:"d" gt:"0" max:"30" default:"2" label:"Autonomy" doc:"Days that the battery supplies the loads without sun"`
	Chemistry     string     `json:"battery_chemistry" enum:"lifepo4,lead_acid" default:"lifepo4" label:"Battery chemistry" doc:"Battery chemistry; sets the defaults of depth_of_discharge_pct and battery_efficiency_pct"`
	DoDPct        *float64   `json:"depth_of_discharge_pct" unit:"%" gt:"0" max:"100" example:"80" label:"Depth of discharge" doc:"Usable share of the battery; default 80 for lifepo4, 50 for lead_acid"`
	BatteryEffPct *float64   `json:"battery_efficiency_pct" unit:"%" gt:"0" max:"100" example:"95" label:"Battery round-trip efficiency" doc:"Energy out divided by energy in; default 95 for lifepo4, 85 for lead_acid"`
	InverterPct   float64    `json:"inverter_efficiency_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Inverter efficiency" doc:"Efficiency of the inverter; 100 for DC loads, or when the energy includes its loss"`
	PVDeratePct   float64    `json:"pv_derate_pct" unit:"%" gt:"0" max:"100" default:"80" label:"PV derating" doc:"Remaining share of the rated panel power after heat, dirt, wiring and controller"`
	BattDeratePct float64    `json:"battery_derate_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Battery derating" doc:"Remaining share of the rated capacity after cold and ageing"`
	PanelW        float64    `json:"panel_w" unit:"W" gt:"0" max:"1e6" default:"100" label:"Panel power" doc:"Rated power of one panel"`
	Controller    string     `json:"controller" enum:"mppt,pwm" default:"mppt" label:"Charge controller" doc:"Type of the charge controller"`
	PanelVmpV     *float64   `json:"panel_vmp_v" unit:"V" gt:"0" max:"1e4" label:"Panel Vmp" doc:"Panel voltage at maximum power; required for pwm, gives min_panels_in_series for mppt"`
	PanelIscA     *float64   `json:"panel_isc_a" unit:"A" gt:"0" max:"1e4" label:"Panel Isc" doc:"Panel short-circuit current; required for pwm"`
	PanelVocV     *float64   `json:"panel_voc_v" unit:"V" gt:"0" max:"1e4" label:"Panel Voc" doc:"Open-circuit voltage of a panel; with min_temp_c gives the cold voltage"`
	CoeffVoc      *float64   `json:"temp_coeff_voc_pct_per_c" unit:"%/°C" min:"-1" lt:"0" label:"Voc temperature coefficient" doc:"Temperature coefficient of Voc, negative; default: NEC table 690.7(A)"`
	MinTempC      *float64   `json:"min_temp_c" unit:"°C" min:"-90" max:"90" label:"Minimum ambient temperature" doc:"Record low ambient temperature; required with panel_voc_v"`
	ControllerV   *float64   `json:"controller_max_v" unit:"V" gt:"0" max:"1e5" label:"Controller maximum voltage" doc:"Highest PV voltage of the charge controller"`
	ControllerMin *float64   `json:"controller_min_v" unit:"V" gt:"0" max:"1e5" label:"Controller minimum voltage" doc:"Lowest PV voltage at which an mppt controller tracks; default 1.2 × the battery voltage + 1 V"`
	MaxCellC      float64    `json:"max_cell_temp_c" unit:"°C" min:"25" max:"120" default:"70" label:"Maximum cell temperature" doc:"Highest cell temperature, for min_panels_in_series"`
	BatteryTempC  *float64   `json:"battery_temperature_c" unit:"°C" min:"-3.9" max:"48.9" label:"Battery temperature" doc:"Lowest temperature of a lead_acid bank, within the range of IEEE Std 485 table 1; default 25"`
	MonthlyHours  *[]float64 `json:"monthly_sun_hours" unit:"h" min:"0.01" max:"12" minItems:"12" maxItems:"12" label:"Monthly sun hours" doc:"Peak sun hours of January to December"`
}

type solarSizingOut struct {
	RequiredW      float64   `json:"required_array_w" unit:"W" label:"Required array power" doc:"Array power required by the load"`
	Panels         int       `json:"panels" unit:"1" label:"Panels" doc:"Number of panels, a multiple of those in series"`
	PanelsInSeries *int      `json:"panels_in_series" unit:"1" label:"Panels in series" doc:"Panels in series for pwm; null for mppt, see string_sizing"`
	ArrayW         float64   `json:"array_w" unit:"W" label:"Array power" doc:"Rated power of the panels"`
	BatteryKWh     float64   `json:"battery_kwh" unit:"kWh" label:"Battery energy" doc:"Nominal energy of the battery"`
	BatteryAh      float64   `json:"battery_ah" unit:"Ah" label:"Battery capacity" doc:"Nominal capacity of the battery at the system voltage"`
	ControllerA    float64   `json:"controller_a" unit:"A" label:"Controller current rating" doc:"Current rating of the charge controller"`
	DCDailyWh      float64   `json:"dc_daily_wh" unit:"Wh" label:"Daily energy at the battery" doc:"Energy per day at the battery, with inverter loss"`
	YieldWh        float64   `json:"daily_yield_wh" unit:"Wh" label:"Daily yield" doc:"Energy of the array on a day of the worst month"`
	SurplusPct     float64   `json:"surplus_pct" unit:"%" label:"Surplus" doc:"Stored yield above the load, relative to the load"`
	RecoveryDays   *float64  `json:"recovery_days" unit:"d" label:"Recovery time" doc:"Days to refill the battery after the autonomy period while feeding the load; null without surplus"`
	VocColdV       *float64  `json:"panel_voc_cold_v" unit:"V" label:"Panel Voc, cold" doc:"Open-circuit voltage of a panel at min_temp_c; null without panel_voc_v"`
	MaxSeries      *int      `json:"max_panels_in_series" unit:"1" label:"Maximum panels in series" doc:"Longest string within controller_max_v at min_temp_c; null without panel_voc_v and controller_max_v"`
	MinSeries      *int      `json:"min_panels_in_series" unit:"1" label:"Minimum panels in series" doc:"Shortest string that an mppt controller tracks with hot cells; null without panel_vmp_v"`
	StringVocV     *float64  `json:"string_voc_cold_v" unit:"V" label:"String Voc, cold" doc:"Open-circuit voltage of panels_in_series at min_temp_c; null for mppt and without panel_voc_v"`
	TempFactor     float64   `json:"temperature_factor" unit:"1" label:"Temperature factor" doc:"Temperature correction factor of IEEE Std 485 for the battery; 1 without battery_temperature_c"`
	WorstMonth     *int      `json:"worst_month" unit:"1" label:"Worst month" doc:"Month with the fewest sun hours, 1 to 12; null without monthly_sun_hours"`
	MonthlyYieldWh []float64 `json:"monthly_yield_wh" unit:"Wh" nullable:"true" label:"Monthly yield" doc:"Daily yield of each month"`
	tools.Warnings
}

// chargeVoltage is the ratio of full charge voltage to nominal voltage: 14.4 V for 12 V.
const chargeVoltage = 1.2

func solarSizing(_ context.Context, in solarSizingIn) (solarSizingOut, error) {
	if err := in.check(); err != nil {
		return solarSizingOut{}, err
	}
	out := solarSizingOut{TempFactor: 1}
	if err := in.cold(&out); err != nil {
		return solarSizingOut{}, err
	}
	if in.DailyWh != nil {
		out.DCDailyWh = *in.DailyWh
	} else {
		out.DCDailyWh = *in.DailyKWh * 1000
	}
	out.DCDailyWh /= in.InverterPct / 100
	match, err := in.array(&out)
	if err != nil {
		return solarSizingOut{}, err
	}
	in.bank(&out)
	if err = in.hot(&out); err != nil {
		return solarSizingOut{}, err
	}
	in.checkString(&out)
	in.warn(&out, match)
	return out, nil
}

// check returns an error for missing inputs and for inputs that contradict each other.
func (in solarSizingIn) check() error {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("daily_wh", in.DailyWh != nil),
		choice.Of("total_daily_kwh", in.DailyKWh != nil))
	switch {
	case in.PeakSunHours == nil && in.MonthlyHours == nil:
		f.Add("peak_sun_hours",
			"is required: a number greater than 0 and at most 12, in h, or monthly_sun_hours")
	case in.PeakSunHours != nil && in.MonthlyHours != nil:
		f.AddValue("peak_sun_hours", *in.PeakSunHours,
			"contradicts monthly_sun_hours: give one of them")
	}
	pwm := in.Controller == "pwm"
	if pwm && in.PanelVmpV == nil {
		f.Add(
			"panel_vmp_v",
			"is required for a pwm controller, which runs the panel at battery voltage: a number greater than 0, in V",
		)
	}
	if pwm && in.PanelIscA == nil {
		f.Add("panel_isc_a",
			"is required for a pwm controller, whose rating follows from it: a number greater than 0, in A")
	}
	return f.Err()
}

// batteryEfficiency returns the energy out of the battery divided by the energy in.
func (in solarSizingIn) batteryEfficiency() float64 {
	return choice.Or(in.BatteryEffPct, battery.Efficiency(in.Chemistry)) / 100
}

// array computes the panels, their yield and the current of the controller. match is the share of
// the panel power that remains at the voltage of the battery.
func (in solarSizingIn) array(out *solarSizingOut) (match float64, err error) {
	pwm := in.Controller == "pwm"
	series := 1.0
	match = 1
	if pwm {
		series = tolerance.Ceil(chargeVoltage * in.SystemV / *in.PanelVmpV)
		match = chargeVoltage * in.SystemV / (series * *in.PanelVmpV)
		n, err := tolerance.Count(series, "panel_vmp_v", *in.PanelVmpV)
		if err != nil {
			return 0, err
		}
		out.PanelsInSeries = &n
	}
	hours := choice.Or(in.PeakSunHours, 0)
	if in.MonthlyHours != nil {
		hours = slices.Min(*in.MonthlyHours)
		out.WorstMonth = new(slices.Index(*in.MonthlyHours, hours) + 1)
	}
	perHour := in.PVDeratePct / 100 * match // energy per panel watt and sun hour [Wh]
	perWatt := hours * perHour              // energy per panel watt and day [Wh]
	out.RequiredW = out.DCDailyWh / (perWatt * in.batteryEfficiency())
	panels := series * tolerance.Ceil(out.RequiredW/in.PanelW/series)
	if out.Panels, err = tolerance.Count(panels, "panel_w", in.PanelW); err != nil {
		return 0, err
	}
	out.ArrayW = panels * in.PanelW
	out.YieldWh = out.ArrayW * perWatt
	for _, h := range choice.Or(in.MonthlyHours, nil) {
		out.MonthlyYieldWh = append(out.MonthlyYieldWh, out.ArrayW*perHour*h)
	}
	if pwm {
		out.ControllerA = 1.25 * *in.PanelIscA * (panels / series)
	} else {
		out.ControllerA = 1.25 * out.ArrayW / in.SystemV
	}
	return match, nil
}

// bank computes the battery and how the yield refills it.
func (in solarSizingIn) bank(out *solarSizingOut) {
	reserve := out.DCDailyWh * in.Days
	dod := choice.Or(in.DoDPct, battery.DepthOfDischarge(in.Chemistry)) / 100
	if in.BatteryTempC != nil {
		if in.Chemistry == "lead_acid" {
			out.TempFactor = battery.LeadAcidFactor(*in.BatteryTempC)
		} else {
			choice.Ignored(&out.Warnings,
				"IEEE Std 485 has factors for lead_acid only; lower battery_derate_pct for others",
				choice.Of("battery_temperature_c", true))
		}
	}
	out.BatteryKWh = reserve / (dod * in.BattDeratePct / 100) / 1000 * out.TempFactor
	out.BatteryAh = out.BatteryKWh * 1000 / in.SystemV
	surplus := out.YieldWh*in.batteryEfficiency() - out.DCDailyWh
	out.SurplusPct = 100 * surplus / out.DCDailyWh
	if surplus > tolerance.Relative*out.DCDailyWh {
		out.RecoveryDays = new(reserve / surplus)
	}
}

// cold computes the open-circuit voltage of a panel on the coldest day, and the maximum number in
// series for the controller.
func (in solarSizingIn) cold(out *solarSizingOut) error {
	var f tools.FieldErrors
	if in.PanelVocV == nil {
		for _, field := range [...]struct {
			name  string
			given bool
		}{{"min_temp_c", in.MinTempC != nil}, {"temp_coeff_voc_pct_per_c", in.CoeffVoc != nil},
			{"controller_max_v", in.ControllerV != nil}} {
			if field.given {
				choice.Ignored(&out.Warnings, "the voltage in the cold needs panel_voc_v",
					choice.Of(field.name, true))
			}
		}
		return nil
	}
	if in.MinTempC == nil {
		f.Add("min_temp_c",
			"is required with panel_voc_v: the record low of the place, -90 to 90 °C")
		return f.Err()
	}
	if in.PanelVmpV != nil && *in.PanelVmpV >= *in.PanelVocV {
		f.AddValue("panel_vmp_v", *in.PanelVmpV, "must be below panel_voc_v %g", *in.PanelVocV)
		return f.Err()
	}
	factor, ok := pv.VocFactor(*in.MinTempC)
	if in.CoeffVoc != nil {
		factor = pv.At(*in.CoeffVoc, *in.MinTempC)
		if warning := pv.FractionWarning("temp_coeff_voc_pct_per_c", *in.CoeffVoc); warning != "" {
			out.Warn("%s", warning)
		}
	} else if !ok {
		f.AddValue("min_temp_c", *in.MinTempC,
			"is below -40 °C, where NEC table 690.7(A) ends; give temp_coeff_voc_pct_per_c")
		return f.Err()
	}
	out.VocColdV = new(*in.PanelVocV * factor)
	if in.ControllerV == nil {
		return nil
	}
	n, err := tolerance.Count(tolerance.Floor(*in.ControllerV / *out.VocColdV), "controller_max_v",
		*in.ControllerV)
	out.MaxSeries = &n
	if n == 0 {
		out.Warn(
			"one panel reaches %g V in the cold, above controller_max_v %g: this destroys the controller",
			tolerance.RoundAbove(*out.VocColdV, *in.ControllerV, 4), *in.ControllerV,
		)
	}
	return err
}

// usualCoeff is the typical temperature coefficient of Vmp of crystalline silicon [%/°C].
const usualCoeff = -0.40

// hot computes the minimum number of panels in series for an mppt controller when the cells are
// hot.
func (in solarSizingIn) hot(out *solarSizingOut) error {
	if in.Controller == "pwm" || in.PanelVmpV == nil {
		choice.Ignored(&out.Warnings, "it needs an mppt controller and panel_vmp_v",
			choice.Of("controller_min_v", in.ControllerMin != nil),
			choice.Of("max_cell_temp_c", in.MaxCellC != 70))
		return nil
	}
	lowest := choice.Or(in.ControllerMin, chargeVoltage*in.SystemV+1)
	// The coefficient of Vmp is more negative than the coefficient of Voc, but only the latter is
	// an input.
	factor := pv.At(min(choice.Or(in.CoeffVoc, usualCoeff), usualCoeff), in.MaxCellC)
	if factor <= 0 {
		return tools.InvalidValue("max_cell_temp_c", in.MaxCellC,
			"leaves the panel no voltage with the temperature coefficient given")
	}
	n, err := tolerance.Count(tolerance.Ceil(lowest/(*in.PanelVmpV*factor)), "panel_vmp_v",
		*in.PanelVmpV)
	if err != nil {
		return err
	}
	out.MinSeries = &n
	switch {
	case out.MaxSeries != nil && *out.MaxSeries > 0 && n > *out.MaxSeries:
		out.Warn(
			"no string fits: %d panels in series are needed above %.4g V with hot cells, controller_max_v allows %d in the cold; use another controller or other panels",
			n, lowest, *out.MaxSeries,
		)
	case out.Panels%n != 0:
		out.Warn("%d panels do not divide into strings of %d, the fewest in series: take %d",
			out.Panels, n, (out.Panels/n+1)*n)
	}
	return nil
}

// checkString compares the panels in series of a pwm controller with its maximum voltage.
func (in solarSizingIn) checkString(out *solarSizingOut) {
	if out.VocColdV == nil || out.PanelsInSeries == nil {
		return
	}
	out.StringVocV = new(float64(*out.PanelsInSeries) * *out.VocColdV)
	if in.ControllerV != nil && *out.MaxSeries > 0 &&
		tolerance.Above(*out.StringVocV, *in.ControllerV) {
		out.Warn(
			"%d panels in series reach %g V in the cold, above controller_max_v %g: this destroys the controller",
			*out.PanelsInSeries, tolerance.RoundAbove(*out.StringVocV, *in.ControllerV, 4),
			*in.ControllerV,
		)
	}
}

// warn adds warnings about the system.
func (in solarSizingIn) warn(out *solarSizingOut, match float64) {
	rate := 0.5
	if in.Chemistry == "lead_acid" {
		rate = 0.2
	}
	if limit := rate * out.BatteryAh; tolerance.Above(out.ControllerA, limit) {
		out.Warn(
			"the controller current of %g A is above %g C of the bank (%g A), more than %s usually takes: enlarge the battery or limit the current",
			tolerance.RoundAbove(out.ControllerA, limit, 4), rate, tolerance.RoundDown(limit, 4),
			in.Chemistry,
		)
	}
	if tolerance.Above(out.ControllerA, 100) {
		out.Warn(
			"a controller of %g A is above 100 A: raise system_voltage_v or use several controllers",
			tolerance.RoundAbove(out.ControllerA, 100, 4),
		)
	}
	switch {
	case out.RecoveryDays == nil:
		out.Warn(
			"there is no surplus, the battery never recovers after the autonomy period: add a panel")
	case tolerance.Above(*out.RecoveryDays, 7):
		out.Warn("recovery after the autonomy period takes %g days, more than 7: add panels",
			tolerance.RoundAbove(*out.RecoveryDays, 7, 3))
	}
	if loss := 1 - match; tolerance.Above(loss, 0.2) {
		out.Warn(
			"a pwm controller loses %.3g %% of this panel's power to the voltage mismatch; use mppt or panels with a lower panel_vmp_v",
			100*loss,
		)
	}
	if in.Controller == "mppt" {
		if in.PanelIscA != nil {
			choice.Ignored(&out.Warnings, "it has a meaning for a pwm controller only",
				choice.Of("panel_isc_a", true))
		}
	}
}
