package power

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/pv"
	"slipstick/tools/tolerance"
	"slipstick/tools/wire"
)

// StringSizing computes the possible numbers of modules in a string.
var StringSizing = tools.Define(tools.Spec{
	Name:    "string_sizing",
	Title:   "String sizing",
	Summary: "Solar modules per string for the coldest and the hottest day, by NEC 690.7",
	Method: "Voc cold = Voc (1 + β/100 (Tmin - 25)), at ambient because cells start cold; without β the factor of NEC table 690.7(A). " +
		"Vmp hot = Vmp (1 + γ/100 (Tmax + rise - 25)), Vmp cold the same at Tmin. " +
		"Modules: at most floor(max dc voltage / Voc cold) and floor(MPPT max / Vmp cold), at least ceil(MPPT min / Vmp hot). " +
		"Strings: the smaller of floor(max input current / Imp) and floor(max short-circuit current / (1.25 Isc)). " +
		"Circuit current 1.25 Isc (690.8(A)), conductors and overcurrent device 1.25 times that, 1.5625 Isc (690.8(B), 690.9(B)), to the next standard size. " +
		"Fuses are needed when the other strings, 1.25 Isc each, exceed the module's series fuse rating",
	Sources: []string{
		"NFPA 70 (National Electrical Code) 2023, 690.7(A) with table 690.7(A), 690.8(A)",
		"NFPA 70 2023, 690.8(B), 690.9(A) and (B), 240.6(A)",
		"Module data sheet: temperature coefficients at standard test conditions, IEC 61215 and IEC 60891",
	},
	Limits: []string{
		"min_temp_c is the record or the mean extreme low of the place (ASHRAE), max_temp_c its design high",
		"Degradation, bifacial gain, voltage drop and start-up voltage of the inverter are not modelled",
		"Conductor ampacity before derating: see wire_ampacity for heat and bundling",
		"Crystalline silicon for the table of 690.7(A)",
	},
	Aliases: []string{"PV string", "solar string calculator", "Voc cold", "MPPT voltage range",
		"modules in series", "NEC 690.7"},
	Primary: []string{"recommended_modules"},
	Examples: []tools.Example{{
		Title: "60-cell-class modules on a 600 V inverter",
		In: `{"voc_v": 49.5, "vmp_v": 41.7, "temp_coeff_voc_pct_per_c": -0.27, "temp_coeff_vmp_pct_per_c": -0.35,
			"min_temp_c": -10, "max_temp_c": 40, "max_dc_voltage_v": 600, "mppt_min_v": 200, "mppt_max_v": 550}`,
		Want: `{"module_voc_cold_v": 54.17775, "module_vmp_hot_v": 35.13225, "cell_temp_hot_c": 70, "module_vmp_cold_v": 46.80825, "min_modules": 6, "max_modules": 11,
			"recommended_modules": 11, "string_voc_cold_v": 595.955, "feasible": true, "within_limits": null, "max_parallel_strings": null,
			"warnings": ["the cold string is at 595.955 V, with a margin below 2 % to max_dc_voltage_v 600; consider one module less"]}`,
	}, {
		Title: "440 W modules on 200 to 600 V",
		In: `{"voc_v": 49.5, "vmp_v": 41.7, "temp_coeff_voc_pct_per_c": -0.27, "temp_coeff_vmp_pct_per_c": -0.27, "min_temp_c": -10, "max_temp_c": 45,
			"cell_temp_rise_c": 0, "max_dc_voltage_v": 600, "mppt_min_v": 200}`,
		Want: `{"module_voc_cold_v": 54.2, "max_modules": 11, "min_modules": 6}`,
		From: "electrakit.com, solar string sizing, worked example",
	}, {
		Title: "Fuse of a bifacial module",
		In: `{"voc_v": 49.5, "vmp_v": 41.7, "min_temp_c": -10, "max_temp_c": 40, "max_dc_voltage_v": 600, "mppt_min_v": 200, "isc_a": 10,
			"bifacial_gain_pct": 10}`,
		Want: `{"min_conductor_ampacity_a": 17.1875, "string_fuse_a": 20}`,
		From: "by hand: 1.5625 × 1.1 × 10 A",
	}},
}, stringSizing)

type stringSizingIn struct {
	VocV        float64  `json:"voc_v" unit:"V" gt:"0" max:"1e4" example:"49.5" label:"Module Voc" doc:"Open-circuit voltage of a module"`
	VmpV        float64  `json:"vmp_v" unit:"V" gt:"0" max:"1e4" example:"41.7" label:"Module Vmp" doc:"Voltage of a module at maximum power"`
	CoeffVoc    *float64 `json:"temp_coeff_voc_pct_per_c" unit:"%/°C" min:"-1" lt:"0" example:"-0.27" label:"Voc temperature coefficient" doc:"Temperature coefficient of Voc, negative; default: NEC table 690.7(A)"`
	CoeffVmp    *float64 `json:"temp_coeff_vmp_pct_per_c" unit:"%/°C" min:"-1" lt:"0" example:"-0.35" label:"Vmp temperature coefficient" doc:"Temperature coefficient of Vmp, negative; default -0.40"`
	MinTempC    float64  `json:"min_temp_c" unit:"°C" min:"-90" max:"90" example:"-10" label:"Minimum ambient temperature" doc:"Record low ambient temperature"`
	MaxTempC    float64  `json:"max_temp_c" unit:"°C" min:"-90" max:"90" example:"40" label:"Maximum ambient temperature" doc:"Highest ambient temperature"`
	RiseC       float64  `json:"cell_temp_rise_c" unit:"K" min:"0" max:"60" default:"30" label:"Cell temperature rise" doc:"Cell temperature above ambient in full sun"`
	MaxDCV      float64  `json:"max_dc_voltage_v" unit:"V" gt:"0" max:"1e5" example:"600" label:"Maximum DC voltage" doc:"Lowest of the maximum DC voltages of inverter, controller and wiring"`
	MPPTMinV    float64  `json:"mppt_min_v" unit:"V" gt:"0" max:"1e5" example:"200" label:"MPPT minimum voltage" doc:"Lower limit of the MPPT voltage range"`
	MPPTMaxV    *float64 `json:"mppt_max_v" unit:"V" gt:"0" max:"1e5" example:"550" label:"MPPT maximum voltage" doc:"Upper limit of the MPPT voltage range; default max_dc_voltage_v"`
	Modules     *int     `json:"modules_per_string" unit:"1" min:"1" max:"100000" label:"Modules per string" doc:"String length to check"`
	IscA        *float64 `json:"isc_a" unit:"A" gt:"0" max:"1e4" label:"Module Isc" doc:"Short-circuit current of a module"`
	ImpA        *float64 `json:"imp_a" unit:"A" gt:"0" max:"1e4" label:"Module Imp" doc:"Current of a module at maximum power"`
	MaxInputA   *float64 `json:"max_input_current_a" unit:"A" gt:"0" max:"1e6" label:"Maximum input current" doc:"Maximum operating current of the MPPT input"`
	MaxShortA   *float64 `json:"max_short_circuit_current_a" unit:"A" gt:"0" max:"1e6" label:"Maximum short-circuit current" doc:"Maximum short-circuit current of the MPPT input"`
	SeriesFuseA *float64 `json:"max_series_fuse_a" unit:"A" gt:"0" max:"1e4" label:"Maximum series fuse" doc:"Maximum series fuse rating on the label of the module"`
	Parallel    *int     `json:"parallel_strings" unit:"1" min:"1" max:"100000" label:"Parallel strings" doc:"Number of parallel strings; decides whether each needs a fuse"`
	BifacialPct float64  `json:"bifacial_gain_pct" unit:"%" min:"0" max:"50" default:"0" label:"Bifacial gain" doc:"Current gain from the rear side relative to the front side, from the data sheet; raises isc_a and imp_a"`
}

type stringSizingOut struct {
	VocFactor       float64  `json:"voc_factor_cold" unit:"1" label:"Cold Voc factor" doc:"Open-circuit voltage at the lowest temperature divided by that at 25 °C"`
	VocColdV        float64  `json:"module_voc_cold_v" unit:"V" label:"Module Voc, cold" doc:"Open-circuit voltage of a module at the lowest temperature"`
	VmpHotV         float64  `json:"module_vmp_hot_v" unit:"V" label:"Module Vmp, hot" doc:"Vmp of a module at the highest ambient temperature"`
	VmpColdV        float64  `json:"module_vmp_cold_v" unit:"V" label:"Module Vmp, cold" doc:"Vmp of a module at the lowest temperature"`
	CellHotC        float64  `json:"cell_temp_hot_c" unit:"°C" label:"Cell temperature, hot" doc:"Cell temperature at the highest ambient temperature"`
	MaxByVoc        int      `json:"max_modules_by_voc" unit:"1" label:"Maximum modules by Voc" doc:"Longest string within the maximum DC voltage"`
	MaxByMPPT       int      `json:"max_modules_by_mppt" unit:"1" label:"Maximum modules by MPPT range" doc:"Longest string within the MPPT range"`
	MaxModules      int      `json:"max_modules" unit:"1" label:"Maximum modules per string" doc:"The smaller of both limits"`
	MinModules      int      `json:"min_modules" unit:"1" label:"Minimum modules per string" doc:"Shortest string within the MPPT range"`
	Feasible        bool     `json:"feasible" label:"Feasible" doc:"A string length within all limits exists"`
	Recommended     *int     `json:"recommended_modules" unit:"1" label:"Recommended modules per string" doc:"Longest string within the limits; null when none is"`
	StringVocColdV  *float64 `json:"string_voc_cold_v" unit:"V" label:"String Voc, cold" doc:"Open-circuit voltage of the given or recommended string at the lowest temperature"`
	StringVmpHotV   *float64 `json:"string_vmp_hot_v" unit:"V" label:"String Vmp, hot" doc:"Vmp of the given or recommended string at the highest ambient temperature"`
	StringVmpColdV  *float64 `json:"string_vmp_cold_v" unit:"V" label:"String Vmp, cold" doc:"Vmp of the given or recommended string at the lowest temperature"`
	WithinLimits    *bool    `json:"within_limits" label:"Within limits" doc:"The given string meets every limit; null without modules_per_string"`
	ParallelStrings *int     `json:"max_parallel_strings" unit:"1" label:"Maximum parallel strings" doc:"Largest number of parallel strings within the current limits of the input; null without a module current and its limit"`
	CircuitA        *float64 `json:"max_circuit_current_a" unit:"A" label:"Maximum circuit current" doc:"1.25 times Isc of one string (NEC 690.8(A)); null without isc_a"`
	ConductorA      *float64 `json:"min_conductor_ampacity_a" unit:"A" label:"Minimum conductor ampacity" doc:"1.56 times Isc (NEC 690.8(B)), before derating; null without isc_a"`
	StringFuseA     *float64 `json:"string_fuse_a" unit:"A" label:"String fuse" doc:"Smallest standard overcurrent device at or above 1.56 times Isc (NEC 690.9(B)); null without isc_a or above 6000 A"`
	FuseRequired    *bool    `json:"string_fuse_required" label:"String fuse required" doc:"The current of the other strings can exceed the module's series fuse rating (NEC 690.9(A)); null without isc_a, max_series_fuse_a and parallel_strings"`
	tools.Warnings
}

func stringSizing(_ context.Context, in stringSizingIn) (stringSizingOut, error) {
	if in.IscA != nil {
		in.IscA = new(*in.IscA * (1 + in.BifacialPct/100))
	}
	if in.ImpA != nil {
		in.ImpA = new(*in.ImpA * (1 + in.BifacialPct/100))
	}
	coeffVmp := choice.Or(in.CoeffVmp, -0.40)
	mpptMax := choice.Or(in.MPPTMaxV, in.MaxDCV)
	out := stringSizingOut{CellHotC: in.MaxTempC + in.RiseC}

	var f tools.FieldErrors
	if in.VmpV >= in.VocV {
		f.AddValue("vmp_v", in.VmpV, "must be below voc_v %g", in.VocV)
	}
	if in.MaxTempC <= in.MinTempC {
		f.AddValue("max_temp_c", in.MaxTempC, "must be above min_temp_c %g", in.MinTempC)
	}
	if in.MPPTMinV > mpptMax {
		f.AddValue(
			"mppt_min_v", in.MPPTMinV,
			"must not be above the upper end of the tracking range, %g V (mppt_max_v, by default max_dc_voltage_v)",
			mpptMax,
		)
	}
	if in.CoeffVoc != nil {
		out.VocFactor = pv.At(*in.CoeffVoc, in.MinTempC)
	} else {
		var ok bool
		if out.VocFactor, ok = pv.VocFactor(in.MinTempC); !ok {
			f.AddValue("min_temp_c", in.MinTempC,
				"is below -40 °C, where NEC table 690.7(A) ends; give temp_coeff_voc_pct_per_c")
		}
	}
	hot := pv.At(coeffVmp, out.CellHotC)
	if hot <= 0 {
		f.AddValue("temp_coeff_vmp_pct_per_c", coeffVmp, "leaves no voltage at cells of %g °C",
			out.CellHotC)
	}
	if err := f.Err(); err != nil {
		return stringSizingOut{}, err
	}
	out.VocColdV = in.VocV * out.VocFactor
	out.VmpHotV = in.VmpV * hot
	out.VmpColdV = in.VmpV * pv.At(coeffVmp, in.MinTempC)

	if err := in.count(&out, mpptMax); err != nil {
		return stringSizingOut{}, err
	}
	in.describe(&out)
	if err := in.strings(&out); err != nil {
		return stringSizingOut{}, err
	}
	in.fuse(&out)
	in.warnOfCoefficients(&out)
	return out, nil
}

// count computes the least and the largest number of modules of a string. mpptMax [V] is the upper
// end of the tracking range.
func (in stringSizingIn) count(out *stringSizingOut, mpptMax float64) error {
	var err error
	if out.MaxByVoc, err = tolerance.Count(tolerance.Floor(in.MaxDCV/out.VocColdV), "voc_v",
		in.VocV); err != nil {
		return err
	}
	if out.MaxByMPPT, err = tolerance.Count(tolerance.Floor(mpptMax/out.VmpColdV), "vmp_v",
		in.VmpV); err != nil {
		return err
	}
	if out.MinModules, err = tolerance.Count(tolerance.Ceil(in.MPPTMinV/out.VmpHotV), "vmp_v",
		in.VmpV); err != nil {
		return err
	}
	out.MaxModules = min(out.MaxByVoc, out.MaxByMPPT)
	out.Feasible = out.MinModules <= out.MaxModules
	if out.Feasible {
		n := out.MaxModules
		out.Recommended = &n
	} else {
		out.Warn(
			"no string length fits: at least %d modules are needed for mppt_min_v, at most %d are allowed; use an inverter with a wider range, or other modules",
			out.MinModules, out.MaxModules,
		)
	}
	return nil
}

// warnOfCoefficients names the temperature coefficients that are assumed.
func (in stringSizingIn) warnOfCoefficients(out *stringSizingOut) {
	if in.CoeffVmp == nil {
		out.Warn(
			"temp_coeff_vmp_pct_per_c is assumed to be -0.40 %%/°C; take it from the data sheet (the coefficient of Pmax is close)",
		)
	}
	if in.CoeffVoc == nil {
		out.Warn(
			"the cold factor %g is from NEC table 690.7(A); NEC asks for the coefficient of the data sheet where there is one",
			out.VocFactor,
		)
	} else if warning := pv.FractionWarning("temp_coeff_voc_pct_per_c", *in.CoeffVoc); warning != "" {
		out.Warn("%s", warning)
	}
	if in.CoeffVmp == nil {
		return
	}
	if warning := pv.FractionWarning("temp_coeff_vmp_pct_per_c", *in.CoeffVmp); warning != "" {
		out.Warn("%s", warning)
	}
}

// describe computes the voltages of the string and checks a given number of modules.
func (in stringSizingIn) describe(out *stringSizingOut) {
	modules := in.Modules
	if modules == nil {
		modules = out.Recommended
	}
	if modules == nil {
		return
	}
	n := float64(*modules)
	voc, hot, cold := n*out.VocColdV, n*out.VmpHotV, n*out.VmpColdV
	out.StringVocColdV, out.StringVmpHotV, out.StringVmpColdV = &voc, &hot, &cold
	if !tolerance.Above(voc, in.MaxDCV) && tolerance.Above(voc, 0.98*in.MaxDCV) {
		out.Warn("the cold string is at %g V, with a margin below 2 %% to max_dc_voltage_v %g; consider one module less",
			tolerance.RoundDown(voc, 6), in.MaxDCV)
	}
	if in.Modules == nil {
		return
	}
	within := true
	if tolerance.Above(voc, in.MaxDCV) {
		within = false
		out.Warn(
			"%d modules reach %g V in the cold, above max_dc_voltage_v %g: this destroys equipment; use fewer modules in series",
			*in.Modules, tolerance.RoundAbove(voc, in.MaxDCV, 6), in.MaxDCV,
		)
	}
	if mpptMax := choice.Or(in.MPPTMaxV, in.MaxDCV); tolerance.Above(cold, mpptMax) {
		within = false
		out.Warn(
			"%d modules work at %g V in the cold, above the tracking range to %g V (mppt_max_v); use fewer modules in series",
			*in.Modules, tolerance.RoundAbove(cold, mpptMax, 6), mpptMax)
	}
	if tolerance.Below(hot, in.MPPTMinV) {
		within = false
		out.Warn("%d modules work at %g V in the heat, below mppt_min_v %g; use more modules in series",
			*in.Modules, tolerance.RoundBelow(hot, in.MPPTMinV, 6), in.MPPTMinV)
	}
	out.WithinLimits = &within
}

// strings computes the number of strings that the currents allow. 690.8(A) adds 25 % to the
// short-circuit current for high irradiance.
func (in stringSizingIn) strings(out *stringSizingOut) error {
	limit := func(most, each *float64, factor float64, field string) error {
		if most == nil || each == nil {
			return nil
		}
		n, err := tolerance.Count(tolerance.Floor(*most/(factor**each)), field, *each)
		if err == nil && (out.ParallelStrings == nil || n < *out.ParallelStrings) {
			out.ParallelStrings = &n
		}
		return err
	}
	if err := limit(in.MaxInputA, in.ImpA, 1, "imp_a"); err != nil {
		return err
	}
	if err := limit(in.MaxShortA, in.IscA, 1.25, "isc_a"); err != nil {
		return err
	}
	if out.ParallelStrings != nil && *out.ParallelStrings == 0 {
		out.Warn("not even one string stays within the currents of the input")
	}
	for _, pair := range [...]struct {
		name, needs  string
		value, other *float64
	}{
		{"imp_a", "max_input_current_a", in.ImpA, in.MaxInputA},
		{"max_input_current_a", "imp_a", in.MaxInputA, in.ImpA},
		{"isc_a", "max_short_circuit_current_a", in.IscA, in.MaxShortA},
		{"max_short_circuit_current_a", "isc_a", in.MaxShortA, in.IscA},
	} {
		if pair.value != nil && pair.other == nil {
			if pair.name == "isc_a" {
				out.Warn(
					"max_parallel_strings leaves isc_a out: it needs max_short_circuit_current_a")
				continue
			}
			choice.Ignored(&out.Warnings, "it has a meaning together with "+pair.needs+" only",
				choice.Of(pair.name, true))
		}
	}
	return nil
}

// fuse sizes the overcurrent protection of a string. Forward current is limited to the module's own
// current. The fuse limits the reverse current from the other strings to its rating.
func (in stringSizingIn) fuse(out *stringSizingOut) {
	choice.Ignored(&out.Warnings, "it needs isc_a or imp_a",
		choice.Of("bifacial_gain_pct", in.BifacialPct > 0 && in.IscA == nil && in.ImpA == nil))
	if in.IscA == nil {
		for _, field := range [...]struct {
			name  string
			given bool
		}{{"max_series_fuse_a", in.SeriesFuseA != nil}, {"parallel_strings", in.Parallel != nil}} {
			if field.given {
				choice.Ignored(&out.Warnings, "fuses need isc_a", choice.Of(field.name, true))
			}
		}
		return
	}
	circuit := 1.25 * *in.IscA
	conductor := 1.25 * circuit
	out.CircuitA, out.ConductorA, out.StringFuseA = &circuit, &conductor,
		wire.DeviceAtLeast(conductor)
	if in.Parallel != nil && out.ParallelStrings != nil && *in.Parallel > *out.ParallelStrings {
		out.Warn("%d strings are above the %d that the currents of the input allow; use further inputs", *in.Parallel,
			*out.ParallelStrings)
	}
	if in.SeriesFuseA == nil {
		return
	}
	if out.StringFuseA != nil && tolerance.Above(*out.StringFuseA, *in.SeriesFuseA) {
		out.Warn("the string fuse of %g A is above max_series_fuse_a %g of the module; use modules with a higher rating",
			*out.StringFuseA,
			*in.SeriesFuseA)
	}
	if in.Parallel == nil {
		return
	}
	back := float64(*in.Parallel-1) * circuit
	required := tolerance.Above(back, *in.SeriesFuseA)
	out.FuseRequired = &required
	if required {
		out.Warn(
			"each of %d strings needs a fuse: the others drive up to %g A back into a faulted one, above max_series_fuse_a %g (NEC 690.9(A))",
			*in.Parallel, tolerance.RoundAbove(back, *in.SeriesFuseA, 4), *in.SeriesFuseA,
		)
	}
}
