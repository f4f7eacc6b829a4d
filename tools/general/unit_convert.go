package general

import (
	"context"
	"fmt"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
)

// UnitConvert converts between units of ten categories.
var UnitConvert = tools.Define(tools.Spec{
	Name:    "unit_convert",
	Title:   "Unit conversion",
	Summary: "Convert length, area, volume, mass, temperature, speed, pressure, energy, power and data",
	Method: "result = value × (from in SI) / (to in SI), with the exact rational definitions of the units and one rounding at the end. " +
		"Temperature goes through kelvins: K = C + 273.15 = (F + 459.67) 5/9 = R 5/9; interval converts a difference, without the offsets. " +
		"Logarithmic units: dBW = 10 log10(P/W), dBm = dBW + 30, AWG n has the diameter 0.127 mm × 92^((36 - n)/39)",
	Sources: []string{
		"NIST SP 811 (2008), appendix B (conversion factors)",
		"BIPM, The International System of Units, 9th edition (2019): exact constants",
		"IAU 2012 Resolution B2 (astronomical unit) and 2015 Resolution B2, note 4 (parsec)",
		"IEC 80000-13:2008, clause 4 (binary prefixes)",
		"IEC 60027-3:2002 (levels); ASTM B258-18 (American wire gauge)",
	},
	Limits: []string{
		"Conventional columns of mercury and water, whatever the temperature",
		"AWG is the number of the gauge: 0, -1, -2 and -3 for 1/0 to 4/0; between gauges the result has decimals",
		"BTU is the International Table one; cal the thermochemical one, cal_IT the other",
	},
	Aliases: []string{"unit converter", "metric conversion", "inches to mm", "fahrenheit to celsius", "miles to km", "psi to bar", "measurement"},
	Examples: []tools.Example{
		{
			Title: "A mile",
			In:    `{"value": 1, "from_unit": "mi", "to_unit": "km"}`,
			Want:  `{"result": 1.609344, "category": "length", "factor": 1.609344, "warnings": []}`,
		},
		{
			Title: "Body temperature",
			In:    `{"value": 98.6, "from_unit": "F", "to_unit": "C"}`,
			Want:  `{"result": 37, "factor": null, "warnings": []}`,
		},
		{
			Title: "Mechanical horsepower",
			In:    `{"value": 1, "from_unit": "hp", "to_unit": "W"}`,
			Want:  `{"result": 745.6998715822702}`,
		},
	},
	Extras: map[string]any{"units": unitList()},
}, unitConvert)

type unitConvertIn struct {
	Value    float64 `json:"value" unit:"1" example:"1" label:"Value" doc:"The number to convert"`
	From     string  `json:"from_unit" minLength:"1" maxLength:"60" example:"mi" label:"From unit" doc:"Unit of the value: an id such as mi, kPa or gal_us, case-sensitive, or an English name"`
	To       string  `json:"to_unit" minLength:"1" maxLength:"60" example:"km" label:"To unit" doc:"Unit of the result"`
	Category *string `json:"category" enum:"length,area,volume,mass,temperature,speed,pressure,energy,power,data" label:"Category" doc:"Category of the units; default: determined from the units"`
	Interval bool    `json:"interval" default:"false" label:"Temperature difference" doc:"Convert a temperature difference: without the offsets of C and F"`
}

type unitConvertOut struct {
	Result   float64  `json:"result" unit:"1" unitFrom:"to_unit C=°C F=°F R=°R *" label:"Result" doc:"The value in the target unit"`
	From     string   `json:"from_unit" label:"From unit" doc:"Id of the unit of the value"`
	To       string   `json:"to_unit" label:"To unit" doc:"Id of the unit of the result"`
	Category string   `json:"category" label:"Category" doc:"Category of both units"`
	Factor   *float64 `json:"factor" unit:"1" label:"Conversion factor" doc:"Result per value; null for temperature and logarithmic units"`
	Formula  string   `json:"formula" label:"Calculation" doc:"The calculation with its numbers"`
	tools.Warnings
}

func unitConvert(_ context.Context, in unitConvertIn) (unitConvertOut, error) {
	var out unitConvertOut
	var f tools.FieldErrors
	from, to := out.lookUp(&f, "from_unit", in.From), out.lookUp(&f, "to_unit", in.To)
	if err := f.Err(); err != nil {
		return out, err
	}
	if from.category != to.category {
		f.AddValue("from_unit", in.From, "is a unit of %s and to_unit, %s, one of %s: they cannot be converted", from.category, to.id, to.category)
		f.AddValue("to_unit", in.To, "is a unit of %s and from_unit, %s, one of %s: they cannot be converted", to.category, from.id, from.category)
	} else if in.Category != nil && *in.Category != from.category {
		f.AddValue("category", *in.Category, "contradicts the units: %s and %s are units of %s", from.id, to.id, from.category)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	out.From, out.To, out.Category = from.id, to.id, from.category
	if done, err := out.scaled(in, from, to); done {
		if in.Interval {
			choice.Ignored(&out.Warnings, "it has no meaning for "+from.category, choice.Of("interval", true))
		}
		return out, err
	}
	value := fractionOf(in.Value)
	ratio := from.factor.over(to.factor)
	switch {
	case from.category == "temperature" && !in.Interval:
		kelvins := value.plus(zeroOffsets[from.id]).times(from.factor)
		if kelvins.sign() < 0 {
			f.AddValue("value", in.Value, "must not be below absolute zero, %s %s; for a temperature difference set interval", shortest(zeroOffsets[from.id].negative().float()), from.id)
			return out, f.Err()
		}
		out.Result = kelvins.over(to.factor).minus(zeroOffsets[to.id]).float()
		out.Formula = fmt.Sprintf("%s %s = %s %s", temperatureFormula(in.Value, from.id, to.id), to.id, shortest(out.Result), to.id)
	case from.category == "temperature":
		out.Result = value.times(ratio).float()
		out.Formula = fmt.Sprintf("%s %s × %s = %s %s", shortest(in.Value), from.id, ratio.rat().RatString(), shortest(out.Result), to.id)
	default:
		factor := ratio.float()
		out.Factor = &factor
		out.Result = value.times(ratio).float()
		out.Formula = fmt.Sprintf("%s %s × %s = %s %s", shortest(in.Value), from.id, shortest(factor), shortest(out.Result), to.id)
	}
	if in.Interval && from.category != "temperature" {
		choice.Ignored(&out.Warnings, "it has no meaning for "+from.category, choice.Of("interval", true))
	}
	switch from.category {
	case "length", "area", "volume", "mass":
		if in.Value < 0 {
			out.Warn("the negative %s was converted", from.category)
		}
	case "data":
		if a, b := prefixKind(from.id), prefixKind(to.id); a*b < 0 {
			out.Warn("%s and %s differ in kind: k, M, G count in 1000 and Ki, Mi, Gi in 1024 (1 KiB = 1.024 kB)", from.id, to.id)
		}
	}
	return out, nil
}

// lookUp finds a unit and warns when its word means several; a fault is noted when there is none.
func (out *unitConvertOut) lookUp(f *tools.FieldErrors, path, word string) *unit {
	if s, ok := scaleOf(word); ok {
		return &unit{id: s.id, category: s.category, factor: whole(1)}
	}
	u, warning := units.find(word)
	if u == nil {
		hint := ""
		if near := tools.Nearest(word, units.all, 3); len(near) > 0 {
			hint = "; did you mean " + strings.Join(near, ", ") + "?"
		}
		f.AddValue(path, word, "is no known unit (ids are case-sensitive)%s", hint)
		return nil
	}
	if warning != "" {
		out.Warn("%s %q was taken as %s: %s", path, word, u.id, warning)
	}
	return u
}

// zeroOffsets are the degrees of absolute zero below the zero of a scale.
var zeroOffsets = map[string]fraction{"C": quotient(27315, 100), "F": quotient(45967, 100), "K": whole(0), "R": whole(0)}

// temperatureFormula writes the way from one scale to another through kelvins.
func temperatureFormula(value float64, from, to string) string {
	kelvin := map[string]string{"C": "%s + 273.15", "F": "(%s + 459.67) × 5/9", "K": "%s", "R": "%s × 5/9"}
	back := map[string]string{"C": "%s - 273.15", "F": "(%s) × 9/5 - 459.67", "K": "%s", "R": "(%s) × 9/5"}
	if from == to {
		return shortest(value)
	}
	return fmt.Sprintf(back[to], fmt.Sprintf(kelvin[from], operand(value)))
}

// prefixKind is 1 for a unit of data with a decimal prefix, -1 with a binary one, 0 without.
func prefixKind(id string) int {
	switch {
	case id == "bit" || id == "B":
		return 0
	case id[1] == 'i':
		return -1
	default:
		return 1
	}
}

// unitList gives the ids by category, for the catalog.
func unitList() map[string][]string {
	list := map[string][]string{}
	for _, c := range unitTable {
		for _, row := range c.rows {
			list[c.category] = append(list[c.category], row.id)
		}
	}
	for _, s := range scales() {
		list[s.category] = append(list[s.category], s.id)
	}
	return list
}
