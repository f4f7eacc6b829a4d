package tools

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools/quantity"
)

// quantity parses a text as convert does. It also accepts units that spelt accepts.
func (r *reader) quantity(written, unit string) (value float64, err error) {
	if probable, is := r.otherCase(written, unit); is != nil {
		return 0, fmt.Errorf("%w; write %s", is, probable)
	}
	value, cause := r.convert(written, unit)
	if cause == nil {
		return value, nil
	}
	if strings.HasSuffix(unit, "B/s") { // the letter case of the unit distinguishes bits from bytes
		return 0, cause
	}
	if value, err = r.spelt(written, unit); err != nil {
		return 0, cause
	}
	return value, nil
}

// convert parses a text as Quantity does. It also converts a power in watts or dBW to dBm, a gain
// over a dipole to one over an isotropic antenna, and a thickness of copper to its weight. Voltages
// and currents may be marked as rms, ac or dc, and prices with their currency.
func (r *reader) convert(written, unit string) (float64, error) {
	value, err := r.units.Quantity(written, unit)
	if err == nil {
		return value, nil
	}
	switch base := r.units.Base(unit); {
	case unit == "dBm" && strings.HasSuffix(written, "dBW"):
		level, err := r.units.Quantity(strings.TrimSuffix(written, "dBW"), unit)
		return level + 30, err
	case unit == "dBm":
	case unit == "dBi" && strings.HasSuffix(written, "dBd"):
		gain, err := r.units.Quantity(strings.TrimSuffix(written, "dBd"), unit)
		return gain + 2.15, err
	case base == "m" && feetAndInches.MatchString(written):
		return r.feet(written, unit)
	case unit == "%/°C":
		return r.units.Quantity(perDegree.ReplaceAllString(written, ""), unit)
	case unit == ouncePerSquareFoot:
		thickness, err := r.units.Quantity(written, "µm")
		return thickness / micrometresPerOunce, err
	case base == "bit/s" || strings.HasSuffix(unit, "B/s"):
		return r.rate(written, unit)
	case base == "V" || base == "A":
		return r.units.Quantity(kindOfCurrent.ReplaceAllString(written, "$1"), unit)
	case strings.HasPrefix(unit, "currency"):
		return r.amount(written, unit)
	default:
		if value, ok := r.otherUnit(written, unit); ok {
			return value, nil
		}
		return 0, err
	}
	power, powerErr := r.units.Quantity(written, "mW")
	switch {
	case powerErr != nil:
		return 0, err
	case power <= 0:
		return 0, errors.New("is no power above 0, which a level in dBm has")
	}
	return strconv.ParseFloat(strconv.FormatFloat(10*math.Log10(power), 'g', 15, 64), 64)
}

// Weights of copper foil.
const (
	ouncePerSquareFoot  = "oz/ft²"
	micrometresPerOunce = 35 // thickness of 1 oz/ft² [µm], see phys.OunceCopper
)

var (
	// kindOfCurrent matches a voltage or current with its kind, such as 230 Vrms or 12V DC.
	kindOfCurrent = regexp.MustCompile(`(?i)^(.*\d ?[µum]?k?[va]) ?(?:rms|ac|dc)$`)
	// perDegree matches the unit of a coefficient in percent per degree or kelvin.
	perDegree = regexp.MustCompile(` ?% ?/ ?(?:°C|deg ?C|C|K)$`)
	// currencies matches the symbol or code of a currency beside a number. Its group is a sign.
	currencies = regexp.MustCompile(
		`^([+-]?)(?:[$€£¥]|EUR|USD|GBP|CHF|CAD|AUD|JPY) ?| ?(?:[$€£¥]|EUR|USD|GBP|CHF|CAD|AUD|JPY)$`)
)

// megaUnit matches a number with a unit that has the prefix M.
var megaUnit = regexp.MustCompile(`^([+-]?\d[\d.,]{0,30}(?:[eE][+-]?\d{1,3})?) ?M(\pL+)$`)

// otherCase returns the text that a number probably means whose unit has the wrong letter case, and
// an error with the meaning as written. These are bits for a field in bytes, and mega for milli. No
// circuit has megaamperes, megafarads or megahenries, and 5 MW means no 5e9 mW. MF is also an old
// symbol of the microfarad, so probable then has two texts. For other numbers the error is nil.
func (r *reader) otherCase(written, unit string) (probable string, is error) {
	if unit != "dB" && strings.HasSuffix(unit, "B") && bitsOnly.MatchString(written) {
		return written[:len(written)-1] + "B", errors.New("has bits, not bytes")
	}
	m := megaUnit.FindStringSubmatch(written)
	base := r.units.Base(unit)
	if m == nil || m[2] != base ||
		unit != "m"+base && !slices.Contains([]string{"A", "F", "H"}, base) {
		return "", nil
	}
	if base == "F" {
		return m[1] + " mF or " + m[1] + " µF", errors.New("has the prefix mega")
	}
	return m[1] + " m" + base, errors.New("has the prefix mega, not milli")
}

// isCode reports whether a text is a value in the code of IEC 60062 that begins with the letter.
// R47 is 0.47 Ω, and n33 is 0.33 nF. The field must have a unit of this quantity, or be a resistor.
func (r *reader) isCode(written, unit, path string) bool {
	base := r.units.Base(unit)
	if base == "Ω" || unit == quantity.AnyPrefix && isResistance(path) {
		return codeOfOhms.MatchString(written)
	}
	return (base == "F" || base == "H") && codeOfPrefix.MatchString(written)
}

// Codes have at least two digits, because R1 is the name of a resistor. Four digits begin with 0,
// because no series has a value such as R1234.
var (
	codeOfOhms   = regexp.MustCompile(`^R(\d{2,3}|0\d{3,4})$`)
	codeOfPrefix = regexp.MustCompile(`^[pnuµμm]\d{2,3}$`)
)

// isResistance reports whether a path without a unit names a resistance. This is a resistor of a
// netlist, such as element:R1, or a name with the word ohm, such as params.r_ohms.
func isResistance(path string) bool {
	if name, ok := strings.CutPrefix(path, "element:"); ok {
		return strings.HasPrefix(strings.ToLower(name), "r")
	}
	return slices.Contains(wordsOf(path[strings.LastIndexByte(path, '.')+1:]), "ohm")
}

// feetAndInches matches a length such as 5'10", 5 ft 10 in and 6′ 2.5″. The inches are below 12,
// because 1'000 has a separator between thousands, and 5'12" is a mistake.
var feetAndInches = regexp.MustCompile(
	`^(\d{1,15}) ?(?:['′’]|ft\.?|feet|foot) ?((?:0?\d|1[01])(?:\.\d{1,15})?) ?(?:["″”]|''|in\.?|inch(?:es)?)?$`)

// feet parses a length in feet and inches.
func (r *reader) feet(written, unit string) (float64, error) {
	m := feetAndInches.FindStringSubmatch(written)
	feet, err := strconv.ParseFloat(m[1], 64)
	inches, inchesErr := strconv.ParseFloat(m[2], 64)
	if err = cmp.Or(err, inchesErr); err != nil {
		return 0, err
	}
	return r.units.Quantity(numberOf(feet*12+inches).String()+" in", unit)
}

// factors maps units of fields without a family in package quantity to the factors of further
// units, which are in lower case.
var factors = map[string]map[string]float64{
	"m²": {"m2": 1, "m^2": 1, "sqm": 1, "sq m": 1, "square meters": 1, "square metres": 1,
		"ft²": 0.09290304, "ft2": 0.09290304, "ft^2": 0.09290304, "sqft": 0.09290304,
		"sq ft": 0.09290304, "sq. ft.": 0.09290304, "square feet": 0.09290304,
		"footage": 0.09290304},
	"cm²": {"cm2": 1, "cm^2": 1, "sq cm": 1, "mm²": 0.01, "mm2": 0.01, "mm^2": 0.01,
		"in²": 6.4516, "in2": 6.4516, "in^2": 6.4516, "sq in": 6.4516},
	"mm²": {"mm2": 1, "mm^2": 1, "sqmm": 1, "sq mm": 1},
	"m³/h": {"m3/h": 1, "m^3/h": 1, "cfm": 1.69901079552, "ft³/min": 1.69901079552,
		"ft3/min": 1.69901079552, "l/s": 3.6, "l/min": 0.06},
	"m/s": {"lfm": 0.00508, "fpm": 0.00508, "ft/min": 0.00508, "ft/s": 0.3048,
		"km/h": 1 / 3.6, "kph": 1 / 3.6, "mph": 0.44704},
	"year": {"y": 1, "yr": 1, "yrs": 1},
}

// numberUnit splits a number and the unit behind it.
var numberUnit = regexp.MustCompile(`^([+-]?\d[\d.,]*) ?(\pL.*)$`)

// otherUnit parses a number with a unit of factors.
func (r *reader) otherUnit(written, unit string) (value float64, ok bool) {
	m := numberUnit.FindStringSubmatch(written)
	if m == nil {
		return 0, false
	}
	factor, ok := factors[unit][strings.ToLower(m[2])]
	if !ok {
		return 0, false
	}
	value, err := r.units.Quantity(m[1], unit)
	return rounded15(value * factor), err == nil
}

// rounded15 rounds to 15 significant digits, which hide the rounding error of a factor.
func rounded15(value float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 15, 64), 64)
	return rounded
}

// spelt interprets quantities whose unit is spelled out or in another case.
func (r *reader) spelt(written, unit string) (float64, error) {
	lower := foldMicro.Replace(strings.ToLower(written))
	units := r.units.Units(unit)
	// The unit of the field comes first because it distinguishes mHz from MHz.
	for _, u := range append([]string{unit}, units...) {
		name := foldMicro.Replace(strings.ToLower(u))
		number, ok := strings.CutSuffix(lower, name)
		if isWord := len(name) > 3; isWord && !ok {
			number, ok = strings.CutSuffix(lower, name+"s")
		}
		number = strings.TrimSpace(number)
		// 5 M is a number of millions, and 1 NM a nautical mile.
		isOther := u == "m" && strings.HasSuffix(written, "M") || strings.HasSuffix(written, "NM")
		if !ok || u == "" || isOther || u != unit && ambiguous(u, units) {
			continue
		}
		if _, err := strconv.ParseFloat(number, 64); err != nil {
			continue
		}
		if v, err := r.units.Quantity(number+" "+u, unit); err == nil {
			return v, nil
		}
	}
	if head, _, ok := strings.Cut(unit, "/"); ok && head != "" { // 1 oz means 1 oz/ft²
		if number, ok := strings.CutSuffix(lower, strings.ToLower(head)); ok {
			if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
				return v, nil
			}
		}
	}
	for word, u := range spelled {
		number, ok := strings.CutSuffix(lower, word)
		if !ok {
			number, ok = strings.CutSuffix(lower, word+"s")
		}
		if !ok {
			continue
		}
		amount := number // letter case distinguishes Mwatt from mwatt
		if len(lower) == len(written) {
			amount = written[:len(number)]
		}
		for _, n := range []string{amount, number} {
			if v, err := r.units.Quantity(strings.TrimSpace(n)+" "+u, unit); err == nil {
				return v, nil
			}
		}
	}
	return 0, strconv.ErrSyntax
}

// ambiguous reports whether two units differ only in letter case, as mW and MW do.
func ambiguous(unit string, units []string) bool {
	same := 0
	for _, u := range units {
		if strings.EqualFold(u, unit) {
			same++
		}
	}
	return same > 1
}

// foldMicro replaces the micro sign, which lower-case text has as u.
var foldMicro = strings.NewReplacer("µ", "u", "μ", "u")

// spelled maps spelled-out units in the singular to their symbols.
var spelled = spelledUnits()

func spelledUnits() map[string]string {
	words := map[string]string{
		"mile": "mi", "feet": "ft", "foot": "ft", "inch": "in", "inche": "in", "mil": "mil",
		"centimeter": "cm", "centimetre": "cm", "pound": "lb", "lb": "lb", "horsepower": "hp",
		"kohm": "kΩ", "mah": "mAh", "sec": "s", "minute": "min", "hour": "h", "day": "d",
		"year": "yr", "percent": "%", "percentage": "%", "deg": "°",
		"degree": "°", "celsius": "°C", "fahrenheit": "°F",
	}
	for _, degree := range []string{"deg", "deg ", "degree ", "degrees "} {
		words[degree+"c"], words[degree+"celsius"] = "°C", "°C"
		words[degree+"f"], words[degree+"fahrenheit"] = "°F", "°F"
	}
	for word, base := range map[string]string{
		"meter": "m", "metre": "m", "hertz": "Hz", "ohm": "Ω", "volt": "V", "amp": "A",
		"ampere": "A", "watt": "W", "farad": "F", "henry": "H", "second": "s", "byte": "B",
		"gram": "g",
	} {
		for prefix, symbol := range map[string]string{"": "", "pico": "p", "nano": "n",
			"micro": "µ", "milli": "m", "kilo": "k", "mega": "M", "giga": "G"} {
			words[prefix+word] = symbol + base
		}
	}
	return words
}
