// Package quantity reads numbers with prefixes and units as engineers write them, and writes them
// for people. web/static/units.js has the same table for the page.
package quantity

import (
	_ "embed" // the table of units
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed units.json
var unitsJSON []byte

// Table holds the units that are read and shown. It is safe for concurrent use.
type Table struct {
	Prefixes map[string]int
	Families []unitFamily
	// Temperatures: kelvins are (value + offset) · factor.
	Temperatures map[string][2]float64
}

// unitFamily are the units of one quantity.
type unitFamily struct {
	Base      string
	Spellings []string
	Steps     string // prefixes used when showing
	Keep      bool   // a handy value stays in its field's unit
	Others    map[string][2]float64
}

// scale is a unit as mult·10^exp base units.
type scale struct {
	mult float64
	exp  int
}

// New returns the table of the units that the tools and the page have.
func New() (*Table, error) {
	t := &Table{}
	if err := json.Unmarshal(unitsJSON, t); err != nil {
		return nil, fmt.Errorf("quantity: units.json: %w", err)
	}
	return t, nil
}

// AnyPrefix stands as the unit of a number that has no unit of its own but takes prefixes: a
// netlist parameter.
const AnyPrefix = "*"

// written takes a number apart: sign, whole digits, separator, decimals, exponent, the rest.
var written = regexp.MustCompile(
	`^([+-]?) ?(\d+(?:[ _]\d{3})*)?(?:([.,])(\d*))?(?:[eE]([+-]?\d{1,4}))? ?(.*)$`,
)

// middle is the R of 4R7: a prefix that stands where the decimal point is.
var middle = regexp.MustCompile(`^(R|meg|[fpnuµμmkKMGT])(\d+) ?(.*)$`)

var plainer = strings.NewReplacer("\u2212", "-", "\u00a0", " ", "\u2009", " ", "\u202f", " ", "\t",
	" ")

const longestQuantity = 60

// Quantity reads a number as engineers write it, "4k7", "2.4GHz", "62mil" or "1e-9", for a field
// in the unit given. A bare number is in the field's unit; a prefix or a unit refers to the base
// unit. The error names the text and the valid forms.
func (t *Table) Quantity(text, unit string) (float64, error) {
	s := strings.TrimSpace(plainer.Replace(text))
	m := written.FindStringSubmatch(s)
	if m == nil || len(s) > longestQuantity || m[2] == "" && m[4] == "" {
		return 0, fmt.Errorf("is not a number; write digits, such as 4700, 4.7e3%s", t.hint(unit))
	}
	sign, whole, point, decimals, exponent, rest := m[1], m[2], m[3], m[4], m[5], strings.TrimSpace(
		m[6],
	)
	whole = strings.NewReplacer(" ", "", "_", "").Replace(whole)
	if strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ".") ||
		point == "," && len(decimals) == 3 && whole != "" && strings.Trim(whole, "0") != "" {
		return 0, fmt.Errorf(
			"could mean two numbers; write 1500 or 1.5, without a comma between thousands",
		)
	}
	exp, _ := strconv.Atoi(exponent)
	if r := middle.FindStringSubmatch(rest); r != nil && point == "" && exponent == "" {
		if decimals, rest = r[2], r[3]; r[1] != "R" {
			rest = r[1] + rest
		}
	}
	from, to, err := t.scales(rest, unit)
	if err != nil {
		return 0, err
	}
	if from == nil { // a temperature in another unit
		v, _ := strconv.ParseFloat(sign+whole+"."+decimals+"e"+strconv.Itoa(exp), 64)
		a, b := t.Temperatures[rest], t.Temperatures[unit]
		v, _ = strconv.ParseFloat(strconv.FormatFloat((v+a[1])*a[0]/b[0]-b[1], 'f', 12, 64), 64)
		return v, nil
	}
	v, err := strconv.ParseFloat(sign+whole+"."+decimals+"e"+strconv.Itoa(exp+from.exp-to.exp), 64)
	if from.mult != to.mult { // 15 digits leave out what multiplying in binary adds
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v*from.mult/to.mult, 'g', 15, 64), 64)
	}
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("is too large")
	}
	return v, nil
}

// scales gives the written unit and the field's as parts of their base; nil for a temperature
// in another unit.
func (t *Table) scales(given, unit string) (from, to *scale, err error) {
	one := &scale{1, 0}
	if given == "" || given == unit {
		return one, one, nil
	}
	if unit == AnyPrefix {
		if e, ok := t.prefix(given); ok {
			return &scale{1, e}, one, nil
		}
		return nil, nil, fmt.Errorf(
			"has %q, which is no prefix; write f p n u m k M (or meg) G T, or a bare number", given,
		)
	}
	if _, known := t.Temperatures[given]; known && unit == "°C" {
		if given == "C" {
			return one, one, nil
		}
		return nil, nil, nil
	}
	family, field := t.family(unit)
	if family == nil {
		return nil, nil, fmt.Errorf("has %q behind the number, but this field is a plain number%s",
			given, in(unit))
	}
	if given == "mhz" || given == "mHZ" {
		return nil, nil, fmt.Errorf("could be MHz or mHz; write one of them")
	}
	if s := t.within(family, given); s != nil {
		return s, field, nil
	}
	if e, ok := t.prefix(given); ok {
		return &scale{1, e}, field, nil
	}
	return nil, nil, fmt.Errorf("has %q, which is no unit of this field; write %s", given,
		t.offers(family))
}

func in(unit string) string {
	if unit == "" || unit == "1" {
		return " without a unit"
	}
	return " in " + unit
}

func (t *Table) prefix(s string) (int, bool) {
	if strings.EqualFold(s, "meg") {
		s = "meg"
	}
	e, ok := t.Prefixes[s]
	return e, ok
}

// family finds the family a unit belongs to.
func (t *Table) family(unit string) (*unitFamily, *scale) {
	for i := range t.Families {
		if s := t.within(&t.Families[i], unit); s != nil {
			return &t.Families[i], s
		}
	}
	return nil, nil
}

// within is a unit's scale in a family, nil when it is none of it.
func (t *Table) within(f *unitFamily, unit string) *scale {
	if o, ok := f.Others[unit]; ok {
		return &scale{o[0], int(o[1])}
	}
	for _, spelling := range f.Spellings {
		head, ok := strings.CutSuffix(unit, spelling)
		if !ok {
			continue
		}
		if head == "" {
			return &scale{1, 0}
		}
		if e, ok := t.prefix(strings.TrimSpace(head)); ok {
			return &scale{1, e}
		}
	}
	return nil
}

// hint is an example with a prefix, where the unit takes one.
func (t *Table) hint(unit string) string {
	if f, _ := t.family(unit); f != nil {
		return " or 4k7 (" + t.offers(f) + ")"
	}
	if unit == AnyPrefix {
		return " or 4k7"
	}
	return ""
}

func (t *Table) offers(f *unitFamily) string {
	var units []string
	for _, step := range f.Steps {
		units = append(units, string(step)+f.Base)
	}
	units = append(units, f.Base)
	for _, o := range []string{"KiB", "MiB", "GiB", "TiB", "min", "h", "d", "cm", "mil", "in",
		"ft", "lb"} {
		if _, ok := f.Others[o]; ok {
			units = append(units, o)
		}
	}
	return strings.Join(units, ", ")
}

// Show writes a value for people, with at most six significant digits: in the family's prefixes
// where the unit has some, else in its own unit. A unit of "1" or "" is not shown.
func (t *Table) Show(v float64, unit string) string {
	number, unit := t.parts(v, unit)
	if unit == "" {
		return number
	}
	return number + " " + unit
}

// parts are the number and the unit that Show puts together.
func (t *Table) parts(v float64, unit string) (number, shown string) {
	if unit == "1" || unit == AnyPrefix {
		unit = ""
	}
	family, own := t.family(unit)
	size := math.Abs(v)
	if family == nil || v == 0 || own.mult != 1 || unit == "cm" ||
		family.Keep && size >= 0.01 && size < 1e5 {
		return Digits(v, unit), UnitText(unit)
	}
	base := size * math.Pow(10, float64(own.exp))
	best, bestExp := "", 0
	smallest, smallestExp := "", 0
	for _, step := range family.Steps {
		e, _ := t.prefix(string(step))
		if e < smallestExp {
			smallest, smallestExp = string(step), e
		}
		// The rounded number decides: 999.9999 is 1.00 of the next.
		if rounded(base, e) >= 1 && (e > bestExp || rounded(base, bestExp) < 1) {
			best, bestExp = string(step), e
		}
	}
	if rounded(base, bestExp) < 1 {
		best, bestExp = smallest, smallestExp
	}
	exact, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 15, 64), 64)
	return Digits(exact*math.Pow(10, float64(own.exp-bestExp)), ""), best + family.Base
}

// generic are units that the user chooses and the page does not know.
var generic = map[string]bool{"currency": true, "length": true, "length²": true, "fuel": true}

// UnitText is a unit as it stands beside a number: nothing for a plain number or for a generic
// unit, "per kWh" for a price.
func UnitText(unit string) string {
	if unit == "1" || unit == AnyPrefix || generic[unit] {
		return ""
	}
	if head, per, ok := strings.Cut(unit, "/"); ok && generic[head] {
		if generic[per] {
			return ""
		}
		return "per " + strings.Trim(per, "()")
	}
	return unit
}

func rounded(base float64, exp int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(base*math.Pow(10, float64(-exp)), 'e', 5, 64),
		64)
	return v
}

// Digits writes a number with at most six and at least three significant digits; whole numbers
// in full, money with two decimals, very large and small ones with an exponent.
func Digits(v float64, unit string) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case unit == "currency" && size < 1e13:
		return Group(strconv.FormatFloat(v, 'f', 2, 64))
	case v == math.Trunc(v) && size < 1e12:
		return Group(strconv.FormatFloat(v, 'f', 0, 64))
	case size >= 1e9 || size < 1e-4:
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', 5, 64), "e")
		n, _ := strconv.Atoi(exp)
		return trimZeros(mantissa, 3) + "e" + strconv.Itoa(n)
	}
	_, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', 5, 64), "e")
	n, _ := strconv.Atoi(exp)
	return Group(trimZeros(strconv.FormatFloat(v, 'f', max(0, 5-n), 64), 3))
}

// decimalNumber is a number with decimals at the beginning of a text that Show writes.
var decimalNumber = regexp.MustCompile(`^(-?[\d\x{202f}]+)\.(\d+)`)

// Shorten gives the number at the beginning of a text that Show writes at most so many significant
// digits. Digits before the decimal point are kept.
func Shorten(text string, significant int) string {
	m := decimalNumber.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	number := strings.ReplaceAll(m[1], "\u202f", "") + "." + m[2]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v == 0 || significantDigits(number) <= significant {
		return text
	}
	exponent := int(math.Floor(math.Log10(math.Abs(v)) + 1e-12))
	decimals := max(0, significant-1-exponent)
	return Group(trimZeros(strconv.FormatFloat(v, 'f', decimals, 64), 3)) + text[len(m[0]):]
}

// trimZeros drops zeros at the end of the decimals as long as enough significant digits stay.
func trimZeros(s string, significant int) string {
	for strings.Contains(s, ".") && strings.HasSuffix(s, "0") &&
		significantDigits(s) > significant {
		s = s[:len(s)-1]
	}
	return strings.TrimSuffix(s, ".")
}

func significantDigits(s string) int {
	return utf8.RuneCountInString(
		strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(s, "-"), ".", ""), "0"),
	)
}

// Group puts a narrow space between thousands, from five digits on.
func Group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, decimals, point := strings.Cut(s, ".")
	if len(whole) > 4 {
		var parts []string
		for len(whole) > 3 {
			parts = append([]string{whole[len(whole)-3:]}, parts...)
			whole = whole[:len(whole)-3]
		}
		whole = strings.Join(append([]string{whole}, parts...), "\u202f")
	}
	if point {
		whole += "." + decimals
	}
	return sign + whole
}

// Units returns the units that a field in the given unit takes besides its own; nil for a unit of
// no family.
func (t *Table) Units(unit string) []string {
	f, _ := t.family(unit)
	if f == nil {
		return nil
	}
	units := []string{f.Base}
	for _, prefix := range []string{"f", "p", "n", "µ", "m", "k", "M", "G", "T"} {
		units = append(units, prefix+f.Base)
	}
	for other := range f.Others {
		units = append(units, other)
	}
	slices.Sort(units)
	return units
}

// IsUnit reports whether a word in lower case is a unit of a family, with or without a prefix.
func (t *Table) IsUnit(word string) bool {
	for i := range t.Families {
		f := &t.Families[i]
		if slices.ContainsFunc(t.Units(f.Base), func(unit string) bool {
			return strings.ToLower(unit) == word
		}) || slices.Contains(f.Spellings, word) {
			return true
		}
		for _, spelling := range f.Spellings {
			head, ok := strings.CutSuffix(word, strings.ToLower(spelling))
			if _, isPrefix := t.prefix(head); ok && isPrefix {
				return true
			}
		}
	}
	return false
}

// Base returns the unit without a prefix of the family of a unit; "" for a unit of no family.
func (t *Table) Base(unit string) string {
	if f, _ := t.family(unit); f != nil {
		return f.Base
	}
	return ""
}
