package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

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

// unparsed interprets a text that is no number with a unit: one whose letter case is wrong, two
// numbers with a slash or a colon, and a number with separators between thousands. cause is the
// error of the text as a number.
func (r *reader) unparsed(
	n *schema.Node, path, unit, written, shown string, given any, cause error,
) any {
	above, below, isSlash := strings.Cut(written, "/")
	isRatio := isQuotient(n, unit, path)
	if probable, is := r.otherCase(written, unit); is != nil {
		value, err := r.units.Quantity(probable, unit)
		number := numberOf(value)
		r.unreadable(n, path, given, cause)
		if err == nil && n.Accepts([]byte(number)) {
			r.guess(path, "%q %s; was %s meant?", written, is, probable)
			return number
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

var (
	// thousands matches digits with a comma or an apostrophe between groups of three, and the unit.
	thousands = regexp.MustCompile(`^(\d{1,3}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d+)?)( ?\pL.*)?$`)
	// european matches digits with points between groups of three and a decimal comma.
	european = regexp.MustCompile(`^\d{1,3}(?:\.\d{3})+,\d+(?: ?\pL[^.,]*)?$`)
	// decimalComma matches digits with a comma that may also be the decimal point.
	decimalComma = regexp.MustCompile(`^\d{1,3},\d{3}$`)
)

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
// It returns the object itself if it has other members, or a unit that begins as a number. A value
// that is a number and the unit is complete. One with another prefix or unit is an error, because
// the unit follows a second time.
func (r *reader) valueWithUnit(m map[string]any, own string) any {
	unit, named := m["unit"].(string)
	if !named || len(m) != 2 {
		return m
	}
	if unit = strings.TrimSpace(unit); continuesNumber.MatchString(unit) {
		return m
	}
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

// counted parses a number of the things that the name of its field counts, such as "6 drives" for
// drives_per_vdev.
func counted(written, path string) (float64, error) {
	number, noun, ok := strings.Cut(written, " ")
	field, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "_per_")
	words := slices.DeleteFunc(wordsOf(field), func(w string) bool { return w == "number" })
	if nouns := wordsOf(noun); !ok || len(nouns) != 1 || !contains(words, nouns) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(number, 64)
}

// numerals maps fields to words, as squeezed returns them, and their numbers.
var numerals = map[string]map[string]string{
	"from_base": bases, "to_base": bases,
	"compounds_per_year": frequencies, "contributions_per_year": frequencies,
	"payments_per_year": frequencies, "compounding_per_year": frequencies,
	// Ratings of NEC table 310.4(A) that do not depend on wetness.
	"insulation_rating_c": {"tw": "60", "uf": "60", "thw": "75", "thwn": "75", "rhw": "75",
		"thhn": "90", "thwn2": "90", "thhnthwn2": "90", "xhhw2": "90", "rhw2": "90", "use2": "90"},
}

var (
	bases = map[string]string{"binary": "2", "bin": "2", "octal": "8", "oct": "8",
		"decimal": "10", "dec": "10", "hexadecimal": "16", "hex": "16"}
	frequencies = map[string]string{"daily": "365", "weekly": "52", "biweekly": "26",
		"semimonthly": "24", "monthly": "12", "quarterly": "4", "semiannual": "2",
		"semiannually": "2", "annual": "1", "annually": "1", "yearly": "1"}
)

// numeral returns the number that a word means for a field.
func numeral(n *schema.Node, path, written string) (number json.Number, ok bool) {
	field := path[strings.LastIndexByte(path, '.')+1:]
	digits, ok := numerals[field][squeezed(written)]
	if m := codingRate.FindStringSubmatch(written); m != nil && field == "cr" {
		digits, ok = m[1], true
	}
	return json.Number(digits), ok && n.Accepts([]byte(digits))
}

// codingRate matches a coding rate of LoRa with its denominator.
var codingRate = regexp.MustCompile(`^(?:CR ?)?4 ?/ ?([5-8])$`)

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
