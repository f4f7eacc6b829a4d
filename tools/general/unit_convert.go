package general

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
	"slipstick/tools/tolerance"
	"slipstick/tools/unit"
)

// UnitConvert converts between units of ten categories. It also converts voltages, as required for
// the levels dBV and dBu.
var UnitConvert = tools.Define(tools.Spec{
	Name:    "unit_convert",
	Title:   "Unit conversion",
	Summary: "Convert length, area, volume, mass, temperature, speed, pressure, energy, power, voltage and data",
	Method: "result = value × (from in SI) / (to in SI), with the exact rational definitions of the units and one rounding at the end. " +
		"Temperature goes through kelvins: K = C + 273.15 = (F + 459.67) 5/9 = R 5/9; interval converts a difference, without the offsets. " +
		"Logarithmic units: dBW = 10 log10(P/W), dBm = dBW + 30; dBV, dBu, dBmV, dBuV = 20 log10(U/U0), U0 = 1 V, √0.6 V = 0.7746 V, 1 mV, 1 µV; AWG n has the diameter 0.127 mm × 92^((36 - n)/39); SWG by its table. " +
		"Units by id: " + unit.List(),
	Sources: []string{
		"NIST SP 811 (2008), appendix B (conversion factors)",
		"BIPM, The International System of Units, 9th edition (2019): exact constants",
		"IAU 2012 Resolution B2 (astronomical unit) and 2015 Resolution B2, note 4 (parsec)",
		"IEC 80000-13:2008, clause 4 (binary prefixes)",
		"IEC 60027-3:2002 (levels); ASTM B258-18 (American wire gauge); BS 3737:1964 (SWG)",
	},
	Limits: []string{
		"Conventional columns of mercury and water, whatever the temperature",
		"AWG and SWG are numbers of a gauge, a diameter or an area of solid wire: 0, -1, -2 and -3 for 1/0 to 4/0. Between gauges the result has decimals",
		"dBu is a voltage, as in audio; a field strength in dBµV/m is also written so. Levels of power and voltage need an impedance: dbm_convert",
		"BTU is the International Table one; cal the thermochemical one, cal_IT the other",
	},
	Aliases: []string{"unit converter", "metric conversion", "inches to mm",
		"fahrenheit to celsius", "miles to km", "psi to bar", "measurement"},
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
	Extras: map[string]any{"units": unit.ByCategory()},
}, unitConvert)

type unitConvertIn struct {
	Value    float64 `json:"value" unit:"1" example:"1" label:"Value" doc:"The number to convert"`
	From     string  `json:"from_unit" minLength:"1" maxLength:"60" example:"mi" label:"From unit" doc:"Unit of the value: an id such as mi, kPa or gal_us, case-sensitive, or an English name; the method lists the ids"`
	To       string  `json:"to_unit" minLength:"1" maxLength:"60" example:"km" label:"To unit" doc:"Unit of the result"`
	Category *string `json:"category" enum:"length,area,volume,mass,temperature,speed,pressure,energy,power,voltage,data" label:"Category" doc:"Category of the units; default: determined from the units"`
	Interval bool    `json:"interval" default:"false" label:"Temperature difference" doc:"Convert a temperature difference, without the offsets of C and F"`
}

type unitConvertOut struct {
	Result   *float64 `json:"result" unit:"1" unitFrom:"to_unit C=°C F=°F R=°R *" label:"Result" doc:"The value in the target unit; null below the range of a double"`
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
	// A gauge can denote an area or a diameter.
	if s, ok := unit.FindScale(from.ID, to.Category); ok {
		from.Category = s.Category
	} else if s, ok := unit.FindScale(to.ID, from.Category); ok {
		to.Category = s.Category
	}
	in.checkCategories(&f, from, to)
	if err := f.Err(); err != nil {
		return out, err
	}
	out.From, out.To, out.Category = from.ID, to.ID, from.Category
	if done, err := out.scaled(in, from, to); done {
		if in.Interval {
			choice.Ignored(&out.Warnings, "it has no meaning for "+from.Category,
				choice.Of("interval", true))
		}
		return out, err
	}
	value := decimal.FromFloat(in.Value)
	ratio := from.Factor.Over(to.Factor)
	switch {
	case from.Category == "temperature" && !in.Interval:
		kelvins := value.Plus(zeroOffsets[from.ID]).Times(from.Factor)
		if kelvins.Sign() < 0 {
			f.AddValue("value", in.Value,
				"must not be below absolute zero, %s %s; for a temperature difference set interval",
				decimal.Shortest(zeroOffsets[from.ID].Negative().Float()), from.ID)
			return out, f.Err()
		}
		out.Result = nearestDouble(&out.Warnings,
			kelvins.Over(to.Factor).Minus(zeroOffsets[to.ID]))
		out.Formula = temperatureFormula(in.Value, from.ID, to.ID) + " " + to.ID
	case from.Category == "temperature":
		out.Result = nearestDouble(&out.Warnings, value.Times(ratio))
		out.Formula = fmt.Sprintf("%s %s × %s", decimal.Shortest(in.Value), from.ID,
			ratio.Rat().RatString())
	default:
		factor := ratio.Float()
		out.Factor = &factor
		out.Result = nearestDouble(&out.Warnings, value.Times(ratio))
		out.Formula = fmt.Sprintf("%s %s × %s", decimal.Shortest(in.Value), from.ID,
			decimal.Shortest(factor))
	}
	out.completeFormula()
	out.remark(in, from, to)
	return out, nil
}

// checkCategories rejects units of different quantities and a category that contradicts them.
func (in unitConvertIn) checkCategories(f *tools.FieldErrors, from, to *unit.Unit) {
	hint := ""
	if from.Category == "power" && to.Category == "voltage" ||
		from.Category == "voltage" && to.Category == "power" {
		hint = " without an impedance; use dbm_convert"
	}
	if from.Category != to.Category {
		f.AddValue("from_unit", in.From,
			"is a unit of %s and to_unit, %s, one of %s: they cannot be converted%s",
			from.Category, to.ID,
			to.Category, hint)
		f.AddValue("to_unit", in.To,
			"is a unit of %s and from_unit, %s, one of %s: they cannot be converted%s",
			to.Category, from.ID,
			from.Category, hint)
	} else if in.Category != nil && *in.Category != from.Category {
		f.AddValue("category", *in.Category, "contradicts the units: %s and %s are units of %s",
			from.ID, to.ID, from.Category)
	}
}

// remark warns of inputs without meaning, negative amounts and prefixes of different kinds.
func (out *unitConvertOut) remark(in unitConvertIn, from, to *unit.Unit) {
	if in.Interval && from.Category != "temperature" {
		choice.Ignored(&out.Warnings, "it has no meaning for "+from.Category,
			choice.Of("interval", true))
	}
	switch from.Category {
	case "length", "area", "volume", "mass":
		if in.Value < 0 {
			out.Warn("the negative %s was converted", from.Category)
		}
	case "data":
		if a, b := prefixKind(from.ID), prefixKind(to.ID); a*b < 0 {
			out.Warn(
				"%s and %s differ in kind: k, M, G count in 1000 and Ki, Mi, Gi in 1024 (1 KiB = 1.024 kB)",
				from.ID, to.ID,
			)
		}
	}
}

// completeFormula appends the result to the formula.
func (out *unitConvertOut) completeFormula() {
	if out.Result != nil {
		out.Formula += " = " + decimal.Shortest(*out.Result) + " " + out.To
	}
}

// lookUp finds a unit. It adds a warning if the word has several meanings, and an error if there is
// no such unit.
func (out *unitConvertOut) lookUp(f *tools.FieldErrors, path, word string) *unit.Unit {
	if s, ok := unit.FindScale(word, ""); ok {
		return &unit.Unit{ID: s.ID, Category: s.Category, Factor: decimal.Whole(1)}
	}
	u, warning := unit.Find(word)
	if u == nil {
		hint := ""
		if near := tools.Nearest(word, unit.Names(), 3); len(near) > 0 {
			hint = "; did you mean " + strings.Join(near, ", ") + "?"
		}
		f.AddValue(path, word, "is no known unit (ids are case-sensitive)%s", hint)
		return nil
	}
	if warning != "" {
		out.Warn("%s %q was taken as %s: %s", path, word, u.ID, warning)
	}
	return u
}

// zeroOffsets maps each temperature scale to the number of its degrees between absolute zero and
// its zero point.
var zeroOffsets = map[string]decimal.Fraction{
	"C": decimal.Quotient(27315, 100), "F": decimal.Quotient(45967, 100), "K": decimal.Whole(0),
	"R": decimal.Whole(0),
}

// temperatureFormula formats the conversion from one scale to another through kelvins.
func temperatureFormula(value float64, from, to string) string {
	kelvin := map[string]string{
		"C": "%s + 273.15", "F": "(%s + 459.67) × 5/9", "K": "%s", "R": "%s × 5/9",
	}
	back := map[string]string{
		"C": "%s - 273.15", "F": "(%s) × 9/5 - 459.67", "K": "%s", "R": "(%s) × 9/5",
	}
	if from == to {
		return decimal.Shortest(value)
	}
	return fmt.Sprintf(back[to], fmt.Sprintf(kelvin[from], decimal.Operand(value)))
}

// prefixKind returns 1 for a data unit with a decimal prefix, -1 with a binary prefix, otherwise 0.
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

// scaled converts if from or to is a scale. It returns false if neither is.
func (out *unitConvertOut) scaled(in unitConvertIn, from, to *unit.Unit) (bool, error) {
	source, isSource := unit.FindScale(from.ID, from.Category)
	target, isTarget := unit.FindScale(to.ID, to.Category)
	if !isSource && !isTarget {
		return false, nil
	}
	base := in.Value * from.Factor.Float()
	if isSource {
		base = source.ToBase(in.Value)
	}
	if math.IsNaN(base) {
		var f tools.FieldErrors
		f.AddValue("value", in.Value, "is outside the gauge %s of -6 (7/0) to 50", from.ID)
		return true, f.Err()
	}
	if isSource && base == 0 {
		var f tools.FieldErrors
		f.AddValue("value", in.Value, "in %s is below the range of a double in %s", from.ID, to.ID)
		return true, f.Err()
	}
	// 15 digits hide the rounding errors of the factors: 10 SWG is 3.2512 mm.
	result, _ := strconv.ParseFloat(
		strconv.FormatFloat(base/to.Factor.Float(), 'g', 15, 64), 64)
	if isTarget {
		if base <= 0 {
			var f tools.FieldErrors
			f.AddValue("value", in.Value, "must be above 0: %s is a logarithmic scale", to.ID)
			return true, f.Err()
		}
		if result = target.FromBase(base); math.IsNaN(result) {
			var f tools.FieldErrors
			f.AddValue("value", in.Value, "is outside the gauge %s of 0.001 to 0.5 inch", to.ID)
			return true, f.Err()
		}
	}
	if from.ID == to.ID {
		result = in.Value
	}
	if out.Result = &result; !isTarget {
		out.Result = out.Nonzero("the result", result)
	}
	out.Formula = decimal.Shortest(in.Value) + " " + from.ID
	out.completeFormula()
	for id, n := range map[string]float64{from.ID: in.Value, to.ID: result} {
		if id == "AWG" && (n < -3-1e-9 || n > 56+1e-9) {
			remedy := ""
			if n < 0 {
				remedy = ": larger conductors are sized in kcmil (1000 cmil) or mm2"
			}
			out.Warn(
				"%g AWG lies outside the sizes of -3 (4/0) to 56 and follows their formula%s",
				tolerance.RoundOutside(n, -3, 56, 4), remedy)
		}
	}
	return true, nil
}
