package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools/schema"
)

// factors maps units of fields without a family in package quantity to the factors of further
// units, which are in lower case.
var factors = map[string]map[string]float64{
	"m²": {"m2": 1, "m^2": 1, "sqm": 1, "sq m": 1, "square meters": 1, "square metres": 1,
		"ft²": 0.09290304, "ft2": 0.09290304, "ft^2": 0.09290304, "sqft": 0.09290304,
		"sq ft": 0.09290304, "sq. ft.": 0.09290304, "square feet": 0.09290304},
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

var (
	// multiples matches an amount of money in thousands or millions, and cents one in hundredths.
	multiples = regexp.MustCompile(`^([+-]?\d[\d.,]*) ?([kKM]|thousand|million)$`)
	cents     = regexp.MustCompile(`^([+-]?\d[\d.,]*) ?(?:¢|cts?|cents?)$`)
)

// amount parses an amount of money, which may have its currency, a multiple or the unit of a price.
func (r *reader) amount(written, unit string) (float64, error) {
	number := strings.ReplaceAll(written, " per ", "/")
	number = strings.TrimSpace(strings.TrimSuffix(number, strings.TrimPrefix(unit, "currency")))
	if m := cents.FindStringSubmatch(number); m != nil {
		value, err := r.units.Quantity(m[1], unit)
		return value / 100, err
	}
	number = currencies.ReplaceAllString(number, "$1")
	m := multiples.FindStringSubmatch(number)
	if m == nil {
		return r.units.Quantity(number, unit)
	}
	value, err := r.units.Quantity(m[1], unit)
	if m[2] == "M" || m[2] == "million" {
		return rounded15(value * 1e6), err
	}
	return rounded15(value * 1e3), err
}

// dataRate matches a number with a prefix of bits or bytes, per second or not.
var dataRate = regexp.MustCompile(`^(.*\d) ?([kKMGT])(b|B|bit)(/s|ps)?$`)

// rate parses a data rate for a field in bits or bytes per second, and converts one to the other. A
// rate in the field's own kind may lack "per second", as in a link of 100 Mb.
func (r *reader) rate(written, unit string) (float64, error) {
	m := dataRate.FindStringSubmatch(written)
	own, takesBytes := strings.CutSuffix(unit, "B/s")
	if takesBytes {
		own += "bit/s"
	}
	if m == nil || m[4] == "" && takesBytes != (m[3] == "B") {
		return r.units.Quantity(written, unit)
	}
	value, err := r.units.Quantity(m[1]+" "+m[2]+"bit/s", own)
	if m[3] == "B" {
		value *= 8
	}
	if takesBytes {
		value /= 8
	}
	return value, err
}

// bitsOnly matches a number of bits. Lower-case text such as mb is no statement about bits, because
// its prefix is no correct one either.
var bitsOnly = regexp.MustCompile(`\d ?[kKMGT]i?b$`)

// mistakenBits returns an error for a number of bits given for a field in bytes.
func mistakenBits(written, unit string) error {
	if unit != "dB" && strings.HasSuffix(unit, "B") && bitsOnly.MatchString(written) {
		b := len(written) - 1
		return fmt.Errorf("has bits; write %sB for bytes", written[:b])
	}
	return nil
}

// bytesOf returns the number of bytes that a number of bits probably means, or 0.
func (r *reader) bytesOf(written, unit string) float64 {
	value, err := r.units.Quantity(written[:len(written)-1]+"B", unit)
	if err != nil {
		return 0
	}
	return value
}

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

// complexNumber matches a complex number such as 25-j40, 25 - 40j and j10.
var complexNumber = regexp.MustCompile(`^(?:([+-]?\d+(?:\.\d+)?) ?([+-])|([+-]?)) ?` +
	`(?:[ij] ?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) ?[ij])(?: ?(?:Ω|[oO]hms?))?$`)

// impedances divides complex values of resistances into resistance and reactance, if the object has
// a field for each and the reactance is free.
func (r *reader) impedances(n *schema.Node, path string, m map[string]any) {
	for _, f := range n.Fields {
		head, ok := strings.CutSuffix(f.Name, "_r_ohm")
		x := n.Field(head + "_x_ohm")
		if !ok || x == nil || !isFree(m, x) {
			continue
		}
		given := m[f.Name]
		re, im, err := complexOf(given)
		if err != nil {
			continue
		}
		m[f.Name], m[x.Name] = re, im
		raw, _ := json.Marshal(given) // JSON from the caller
		r.note(at(path, f.Name), "%s is read as %s %s Ω and %s %s Ω", raw, f.Name, re, x.Name, im)
	}
}

// errNotComplex is the error of a value that is no complex number.
var errNotComplex = errors.New("tools: no complex number")

// complexOf returns the parts of a complex number. It is a text, or an object with members such as
// r and x.
func complexOf(v any) (re, im json.Number, err error) {
	if m, ok := v.(map[string]any); ok && len(m) == 2 {
		for _, names := range [][2]string{{"r", "x"}, {"re", "im"}, {"real", "imag"},
			{"resistance", "reactance"}, {"r_ohm", "x_ohm"}} {
			re, okRe := m[names[0]].(json.Number)
			im, okIm := m[names[1]].(json.Number)
			if okRe && okIm {
				return re, im, nil
			}
		}
	}
	written, _ := v.(string)
	parts := complexNumber.FindStringSubmatch(strings.ReplaceAll(written, "−", "-"))
	if parts == nil {
		return "", "", errNotComplex
	}
	a, _ := strconv.ParseFloat(cmp.Or(parts[1], "0"), 64)
	b, _ := strconv.ParseFloat(parts[2]+parts[3]+parts[4]+parts[5], 64)
	return numberOf(a), numberOf(b), nil
}

// numberOf returns a number as JSON.
func numberOf(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'g', -1, 64)) }

// tails maps fields to unknown names whose values belong to the end of the field's text.
var tails = map[string][]string{
	"cidr": {"mask", "netmask", "subnet_mask", "prefix", "prefix_length", "prefix_len"},
}

// appended moves the value of an unknown member to the end of the text to which it belongs, such as
// a netmask behind its address.
func (r *reader) appended(n *schema.Node, path string, m map[string]any) {
	for field, names := range tails {
		head, ok := m[field].(string)
		if n.Field(field) == nil || !ok || strings.ContainsAny(strings.TrimSpace(head), "/ ") {
			continue
		}
		for _, name := range names {
			var tail string
			switch v := m[name].(type) {
			case json.Number:
				tail = "/" + v.String()
			case string:
				tail = " " + strings.TrimSpace(v)
				if strings.HasPrefix(tail, " /") {
					tail = tail[1:]
				}
			}
			if len(tail) < len("/8") {
				continue
			}
			delete(m, name)
			m[field] = strings.TrimSpace(head) + tail
			r.note(at(path, name), "read as the end of %s, %q", field, m[field])
			break
		}
	}
}
