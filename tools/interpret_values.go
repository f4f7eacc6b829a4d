package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"slipstick/internal/text"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// array interprets a list. A single value that is not a text becomes a list with one entry. An
// object may also become a list of its members, see entries.
func (r *reader) array(n *schema.Node, path, unit string, v any) any {
	list, ok := v.([]any)
	if !ok {
		if _, isText := v.(string); isText || v == nil {
			return v
		}
		if m, ok := v.(map[string]any); ok {
			if list, ok := entries(n.Elem, m); ok {
				r.duplicates(path, m)
				r.note(path, "the object is read as a list of its %d members", len(list))
				return r.array(n, path, unit, list)
			}
		}
		r.note(path, "the single value is read as a list of one")
		list = []any{v}
	}
	for i, inner := range list {
		list[i] = r.value(n.Elem, fmt.Sprintf("%s[%d]", path, i), unit, inner)
	}
	return list
}

// entries converts the members of an object to a list of objects. The name of a member becomes the
// value of the first field, a text. If its value is an object, the members of this object become
// further fields. Any other value becomes the value of the first other field that is a list or
// required, or else of the second field. ok is false if the name of a member is itself a field of
// the entries, or if an object contains no known field.
func entries(n *schema.Node, m map[string]any) (list []any, ok bool) {
	if n.Kind != schema.Object || len(n.Fields) < 2 || n.Fields[0].Kind != schema.String {
		return nil, false
	}
	key := n.Fields[0]
	rest := slices.Clone(n.Fields[1:])
	if i := slices.IndexFunc(rest, func(f *schema.Field) bool {
		return f.Kind == schema.Array || f.Required
	}); i > 0 {
		rest[0] = rest[i]
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		entry := map[string]any{}
		switch v := m[name].(type) {
		case map[string]any:
			known := false
			for member, inner := range v {
				known = known || n.Field(member) != nil
				entry[member] = inner
			}
			if !known {
				return nil, false
			}
		default:
			entry[rest[0].Name] = v
		}
		if n.Field(name) != nil || entry[key.Name] != nil {
			return nil, false
		}
		entry[key.Name] = name
		list = append(list, entry)
	}
	return list, len(list) > 0
}

// number interprets a number with a unit or prefix, or an object with a value and a unit. A list is
// read as its first entry.
func (r *reader) number(n *schema.Node, path, unit string, v any) any {
	given := v // for errors
	if m, ok := v.(map[string]any); ok {
		r.duplicates(path, m)
		v = r.valueWithUnit(m, unit)
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	if list, ok := v.([]any); ok && len(list) > 1 {
		r.otherType(n, path, v, given)
		if first, is := list[0].(json.Number); is && n.Accepts([]byte(first)) {
			r.guess(path, "one value per call, %d were given; here the first", len(list))
			return first
		}
	}
	shown, ok := v.(string)
	if number, is := v.(json.Number); is {
		if n.Accepts([]byte(number)) {
			r.note(path, "read as %s", number)
			return number
		}
		if r.written[path] != "" {
			r.problem(n, path, given, "")
		}
		return r.proposed(n, path, unit, number)
	}
	if !ok {
		r.otherType(n, path, v, given)
		return v
	}
	return r.numberText(n, path, unit, shown, given)
}

// numberText interprets a text as a number. given is the value for errors, which may be an object
// or a list with the text.
func (r *reader) numberText(n *schema.Node, path, unit, shown string, given any) any {
	written := strings.TrimSpace(strings.TrimLeft(shown, "~≈= "))
	if number, ok := numeral(n, path, written); ok {
		r.note(path, "%q is read as %s", shown, number)
		return number
	}
	if unit == "" {
		unit = quantity.AnyPrefix
	}
	value, cause := r.quantity(written, unit)
	if cause != nil && interval.MatchString(written) {
		cause = errors.New("is a range; give one value, or vary it in a batch")
	}
	err := cause
	switch {
	case err == nil:
	case unit == "1" && strings.HasSuffix(written, "%") && isQuotient(n, unit, path):
		value, err = r.units.Quantity(strings.TrimSuffix(written, "%"), unit)
		value /= 100
	case unit == "1":
		if value, err = behindName(written, path); err != nil {
			value, err = counted(written, path)
		}
	case r.isCode(written, unit, path):
		value, err = r.units.Quantity("0"+written, unit)
	}
	if exact, ok := exactDecimal(n, written); err == nil && ok {
		r.note(path, "%q is read as %s", shown, exact)
		return exact
	}
	if err == nil {
		number := json.Number(strconv.FormatFloat(value, 'g', -1, 64))
		if !n.Accepts([]byte(number)) {
			r.outOfRange(n, path, unit, given, number)
			return r.proposed(n, path, unit, number)
		}
		r.note(path, "%q is read as %s", shown,
			quantity.Join(number.String(), quantity.UnitText(unit)))
		return number
	}
	return r.unparsed(n, path, unit, written, shown, given, cause)
}

// unparsed interprets a text that is no number with a unit: a number of bits for a field in bytes,
// two numbers with a slash or a colon, and a number with separators between thousands. cause is the
// error of the text as a number.
func (r *reader) unparsed(
	n *schema.Node, path, unit, written, shown string, given any, cause error,
) any {
	above, below, isSlash := strings.Cut(written, "/")
	isRatio := isQuotient(n, unit, path)
	if mistakenBits(written, unit) != nil {
		bytes := json.Number(strconv.FormatFloat(r.bytesOf(written, unit), 'g', -1, 64))
		r.unreadable(n, path, given, cause)
		if n.Accepts([]byte(bytes)) {
			r.guess(path, "%q has bits; was %sB meant?", written, written[:len(written)-1])
			return bytes
		}
		return shown
	}
	if isRatio && !isSlash {
		above, below, isRatio = strings.Cut(written, ":")
	}
	switch {
	case isRatio:
		r.unreadable(n, path, given, cause)
		return r.ratio(n, path, written, shown, above, below)
	case isSlash:
		r.unreadable(n, path, given, cause)
		return r.oneOf(n, path, written, shown, above, below)
	}
	return r.withoutSeparators(n, path, unit, written, given, shown, cause)
}

// withoutSeparators proposes a number with separators between thousands without them. Any other
// text is unreadable for the given cause.
func (r *reader) withoutSeparators(n *schema.Node, path, unit, written string, given, v any,
	cause error,
) any {
	amount := written
	if strings.HasPrefix(unit, "currency") {
		amount = currencies.ReplaceAllString(written, "$1")
	}
	if european.MatchString(amount) { // the comma behind points is the decimal one
		amount = strings.NewReplacer(".", "", ",", ".").Replace(amount)
		if value, err := r.quantity(amount, unit); err == nil {
			number := json.Number(strconv.FormatFloat(value, 'g', -1, 64))
			if n.Accepts([]byte(number)) {
				r.note(path, "%q is read as %s", written,
					quantity.Join(number.String(), quantity.UnitText(unit)))
				return number
			}
		}
	}
	parts := thousands.FindStringSubmatch(amount)
	if parts == nil {
		r.unreadable(n, path, given, cause)
		return v
	}
	digits, stated := strings.NewReplacer(",", "", "'", "").Replace(parts[1]), parts[2]
	number := json.Number(digits)
	if stated != "" {
		value, err := r.quantity(digits+stated, unit)
		if err != nil {
			r.unreadable(n, path, given, err)
			return v
		}
		number = json.Number(strconv.FormatFloat(value, 'g', -1, 64))
	}
	// A decimal point or a second group shows that a comma separates thousands. An amount of
	// dollars or pounds has no three decimals.
	isGroup := strings.Contains(written, ",") && !decimalComma.MatchString(parts[1]) ||
		unit == "currency" && strings.ContainsAny(written, "$£")
	switch plain := digits + stated; {
	case !n.Accepts([]byte(number)):
		r.unreadable(n, path, given, cause)
		return v
	case isGroup:
		r.note(path, "%q is read as %s", written,
			quantity.Join(number.String(), quantity.UnitText(unit)))
	case decimalComma.MatchString(parts[1]):
		r.unreadable(n, path, given, cause)
		r.guess(path, "%q could be %s or a decimal number; was %s meant?", written, plain, plain)
	default:
		r.unreadable(n, path, given,
			fmt.Errorf("has separators between thousands; write %s", plain))
		r.guess(path, "%q has separators between thousands; was %s meant?", written, plain)
	}
	return number
}

// exactDecimal returns a number with a decimal comma as a text with a point, if a field with its
// own decoder accepts it. The text keeps final zeros, which count as significant figures.
func exactDecimal(n *schema.Node, written string) (exact string, ok bool) {
	if n.Kind != schema.CustomT {
		return "", false
	}
	exact = strings.NewReplacer(",", ".", " ", "", "_", "").Replace(written)
	raw, err := json.Marshal(exact)
	return exact, err == nil && strings.Contains(exact, ".") && n.Accepts(raw)
}

// valueWithUnit returns the text that an object with a value and a unit means for a field in own.
// It returns the object itself if it has other members. A value that is a number and the unit is
// complete. One with another prefix or unit is an error, because the unit follows a second time.
func (r *reader) valueWithUnit(m map[string]any, own string) any {
	unit, named := m["unit"].(string)
	if !named || len(m) != 2 {
		return m
	}
	unit = strings.TrimSpace(unit)
	switch value := m["value"].(type) {
	case json.Number:
		return strings.TrimSpace(value.String() + " " + unit)
	case string:
		if value = strings.TrimSpace(value); r.statesUnit(value, unit, own) {
			return value
		}
		return strings.TrimSpace(value + " " + unit)
	}
	return m
}

// statesUnit reports whether a number for a field in own has the given unit, behind its last digit
// or in place of the decimal point. Examples are 4k7Ω and 4.7 ohm for Ω, and 3V3 for V.
func (r *reader) statesUnit(written, unit, own string) bool {
	if before, after, ok := strings.Cut(written, unit); ok && unit != "" && endsWithDigit(before) {
		return strings.TrimFunc(after, unicode.IsDigit) == ""
	}
	i := strings.LastIndexFunc(written, unicode.IsDigit)
	if stated := strings.TrimSpace(written[i+1:]); i >= 0 && stated != "" {
		a, err := r.quantity("1 "+stated, own)
		b, unitErr := r.quantity("1 "+unit, own)
		return err == nil && unitErr == nil && a == b
	}
	return false
}

// endsWithDigit reports whether the last character of a text, apart from spaces, is a digit.
func endsWithDigit(written string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(written))
	return unicode.IsDigit(last)
}

// quantity parses a text as convert does. It also accepts units that spelt accepts.
func (r *reader) quantity(written, unit string) (value float64, err error) {
	if err := mistakenBits(written, unit); err != nil {
		return 0, err
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

// Weights of copper foil.
const (
	ouncePerSquareFoot  = "oz/ft²"
	micrometresPerOunce = 35 // thickness of 1 oz/ft² [µm], see phys.OunceCopper
)

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

var (
	// kindOfCurrent matches a voltage or current with its kind, such as 230 Vrms or 12V DC.
	kindOfCurrent = regexp.MustCompile(`(?i)^(.*\d ?[µum]?k?[va]) ?(?:rms|ac|dc)$`)
	// perDegree matches the unit of a coefficient in percent per degree or kelvin.
	perDegree = regexp.MustCompile(` ?% ?/ ?(?:°C|deg ?C|C|K)$`)
	// currencies matches the symbol or code of a currency beside a number. Its group is a sign.
	currencies = regexp.MustCompile(
		`^([+-]?)(?:[$€£¥]|EUR|USD|GBP|CHF|CAD|AUD|JPY) ?| ?(?:[$€£¥]|EUR|USD|GBP|CHF|CAD|AUD|JPY)$`)
)

// isQuotient reports whether a field may be given as two numbers with a slash or a colon between
// them, such as 4/3 or 1.5:1, or as a percentage. A number with a unit, a count or a score may not:
// 24/7, 120/240 V and 42/50 points mean no quotient.
func isQuotient(n *schema.Node, unit, path string) bool {
	hasUnit := unit != "1" && unit != quantity.AnyPrefix
	name := path[strings.LastIndexByte(path, '.')+1:]
	return !hasUnit && n.Kind != schema.Integer && !slices.Contains(wordsOf(name), "point")
}

// ratio interprets two numbers separated by a slash or colon as their quotient. If it is
// invalid, the result is that of oneOf.
func (r *reader) ratio(n *schema.Node, path, written string, v any, above, below string) any {
	a, err := strconv.ParseFloat(strings.TrimSpace(above), 64)
	b, belowErr := strconv.ParseFloat(strings.TrimSpace(below), 64)
	if err != nil || belowErr != nil || b == 0 {
		return v
	}
	quotient := strconv.FormatFloat(a/b, 'g', -1, 64)
	if n.Accepts([]byte(quotient)) {
		r.note(path, "%q is read as %s", written, quotient)
		return json.Number(quotient)
	}
	return r.oneOf(n, path, written, v, above, below)
}

// oneOf proposes the only valid one of two numbers separated by a slash, such as the 5 of a coding
// rate of 4/5.
func (r *reader) oneOf(n *schema.Node, path, written string, v any, above, below string) any {
	var fit []string
	for _, part := range []string{above, below} {
		part = strings.TrimSpace(part)
		if _, err := strconv.ParseFloat(part, 64); err != nil {
			return v
		}
		if n.Accepts([]byte(part)) {
			fit = append(fit, part)
		}
	}
	if len(fit) != 1 {
		return v
	}
	r.guess(path, "%q is no number of this field; was %s meant?", written, fit[0])
	return json.Number(fit[0])
}

var (
	// thousands matches digits with a comma or an apostrophe between groups of three, and the unit.
	thousands = regexp.MustCompile(`^(\d{1,3}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d+)?)( ?\pL.*)?$`)
	// european matches digits with points between groups of three and a decimal comma.
	european = regexp.MustCompile(`^\d{1,3}(?:\.\d{3})+,\d+(?: ?\pL[^.,]*)?$`)
	// decimalComma matches digits with a comma that may also be the decimal point.
	decimalComma = regexp.MustCompile(`^\d{1,3},\d{3}$`)
)

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
		megaOrMetre := u == "m" && strings.HasSuffix(written, "M")
		if !ok || u == "" || megaOrMetre || u != unit && ambiguous(u, units) {
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

// behindName parses a number behind the name of its field, such as SF10 for sf. Other letters are
// no part of a number: FR4 is a material.
func behindName(written, path string) (float64, error) {
	digits := strings.TrimLeftFunc(written, unicode.IsLetter)
	field := path[strings.LastIndexByte(path, '.')+1:]
	letters := wordsOf(written[:len(written)-len(digits)])
	if !intersects(letters, wordsOf(field)) || !unsigned.MatchString(digits) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(digits, 64)
}

// interval matches two numbers as in 5-10 km, 12 V to 14 V and 5..10. An exponent has no end.
var interval = regexp.MustCompile(`^\d+(?:\.\d+)? ?(?:[^\d\s.–-]*[^\d\s.eE–-])? ?` +
	`(?:-|–|\.\.|to) ?\d+(?:\.\d+)?\D*$`)

// unsigned matches digits with or without decimals.
var unsigned = regexp.MustCompile(`^\d+(\.\d+)?$`)

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

// proposed returns a number within the range that replaces an invalid one. It is the magnitude of a
// negative number, or the same digits in the base unit if the field has a prefix. If neither is
// valid, proposed returns the number unchanged. The sign of a temperature or level is no mistake. A
// field that the name means only by guess has no other unit by guess: a trace_width of 0.254 mm is
// no board width of 254 mm.
func (r *reader) proposed(n *schema.Node, path, unit string, number json.Number) any {
	magnitude, negative := strings.CutPrefix(number.String(), "-")
	signed := unit == "°C" || unit == "dBm" || n.Accepts([]byte("-1e-9"))
	if negative && !signed && n.Accepts([]byte(magnitude)) {
		r.guess(path, "%s is out of range; was %s meant?", number, magnitude)
		return json.Number(magnitude)
	}
	isGuess := slices.Contains(r.uncertain, path)
	if base := r.units.Base(unit); base != "" && base != unit && !isGuess {
		v, err := r.units.Quantity(number.String()+" "+base, unit)
		converted := strconv.FormatFloat(v, 'g', -1, 64)
		// Minutes, hours and days are not given in seconds.
		if given, _ := number.Float64(); base == "s" && math.Abs(v) < math.Abs(given) {
			return number
		}
		if err == nil && n.Accepts([]byte(converted)) {
			r.guess(path, "%s %s is out of range; was %s %s, %s %s, meant?",
				number, unit, number, base, converted, unit)
			return json.Number(converted)
		}
	}
	return number
}

// text interprets an enum value in another case or spelling, a list of lines as one text, and a
// number as its digits.
func (r *reader) text(n *schema.Node, path string, v any) any {
	switch x := v.(type) {
	case json.Number:
		v = x.String()
		if raw, err := json.Marshal(v); err == nil && n.Accepts(raw) {
			r.note(path, "the number is read as the text %q", v)
			return v
		}
	case []any:
		var lines []string
		for _, l := range x {
			line, ok := l.(string)
			if !ok {
				return v
			}
			lines = append(lines, line)
		}
		if len(n.Enum) == 0 && len(lines) > 0 {
			r.note(path, "the list is read as a text of %d lines", len(lines))
			return strings.Join(lines, "\n")
		}
		if len(lines) == 1 {
			v = lines[0]
		}
	}
	word, ok := v.(string)
	if !ok || len(n.Enum) == 0 {
		return v
	}
	for _, e := range n.Enum {
		if squeezed(e) == squeezed(word) {
			r.note(path, "%q is read as %q", text.Truncate(word, 60), e)
			return e
		}
	}
	if e := synonym(text.Truncate(word, 60), n.Enum); e != "" {
		r.note(path, "%q is read as %q", text.Truncate(word, 60), e)
		return e
	}
	if near := misspelt(word, n.Enum); near != "" {
		r.guess(path, "%q is unknown; was %q meant?", text.Truncate(word, 60), near)
		return near
	}
	if among := withWord(word, n.Enum); len(among) > 0 {
		r.guess(path, "%q is unknown; was %s meant?", text.Truncate(word, 60),
			strings.Join(among, " or "))
		return among[0]
	}
	return v
}

// dateLayouts are the unambiguous formats of a date.
var dateLayouts = []string{
	"January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006",
	"2006/1/2", "2006.1.2", "2006-1-2", "20060102", time.RFC3339, "2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// date interprets a date in a format other than YYYY-MM-DD, for a field whose example is a date. ok
// is false for other fields and values.
func (r *reader) date(n *schema.Node, path string, v any) (date string, ok bool) {
	written, isText := v.(string)
	if !isText || !takesDate(n) || isDate(written) {
		return "", false
	}
	written = strings.TrimSpace(written)
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, written); err == nil {
			date = t.Format(time.DateOnly)
			r.note(path, "%q is read as %s", written, date)
			return date, true
		}
	}
	for _, layout := range []string{"2.1.2006", "1/2/2006", "2/1/2006"} {
		if t, err := time.Parse(layout, written); err == nil {
			date = t.Format(time.DateOnly)
			r.guess(path, "%q: day and month are ambiguous; was %s meant?", written, date)
			return date, true
		}
	}
	return "", false
}

// takesDate reports whether the example of a field is a date.
func takesDate(n *schema.Node) bool {
	return n.Kind == schema.String && len(n.Example) == len(`"2006-01-02"`) &&
		isDate(strings.Trim(string(n.Example), `"`))
}

// isDate reports whether a text is a date in the format of the tools.
func isDate(written string) bool {
	_, err := time.Parse(time.DateOnly, written)
	return err == nil
}

// squeezed returns a word in lower case without separators.
func squeezed(word string) string {
	separators := strings.NewReplacer("_", "", "-", "", " ", "", "/", "", ".", "")
	return strings.ToLower(separators.Replace(word))
}

// boolean interprets words and numbers that mean true or false.
func (r *reader) boolean(path string, v any) any {
	var truth bool
	switch strings.ToLower(fmt.Sprint(v)) {
	case "true", "yes", "on", "1", "y":
		truth = true
	case "false", "no", "off", "0", "n":
	default:
		return v
	}
	r.note(path, "%v is read as %t", text.Truncate(fmt.Sprint(v), 60), truth)
	return truth
}
