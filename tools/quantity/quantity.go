// Package quantity parses numbers with prefixes and units as engineers write them, and formats them
// for display. web/static/units.js contains the same table for the page.
package quantity

import (
	_ "embed" // embeds the table of units
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed units.json
var unitsJSON []byte

// Table contains the units that are parsed and displayed. It is safe for concurrent use.
type Table struct {
	Prefixes map[string]int
	Families []unitFamily
	// Temperatures maps units to an offset and a factor: kelvins are (value + offset) · factor.
	Temperatures map[string][2]float64
}

// unitFamily contains the units of one quantity.
type unitFamily struct {
	Base      string
	Spellings []string
	Steps     string // prefixes used for display
	Keep      bool   // a value of convenient size stays in the unit of its field
	Others    map[string][2]float64
}

// scale defines a unit as mult·10^exp base units.
type scale struct {
	mult float64
	exp  int
}

// New returns the table of units that tools and page use. All callers share it.
func New() (*Table, error) { return table() }

// table parses the units once, because this takes longer than the interpretation of an input.
var table = sync.OnceValues(func() (*Table, error) {
	t := &Table{}
	if err := json.Unmarshal(unitsJSON, t); err != nil {
		return nil, fmt.Errorf("quantity: units.json: %w", err)
	}
	return t, nil
})

// AnyPrefix is the unit of a number that has no unit but accepts prefixes, such as a netlist
// parameter.
const AnyPrefix = "*"

// written splits a number into sign, integer digits, separator, decimals, exponent and the rest.
var written = regexp.MustCompile(
	`^([+-]?) ?(\d+(?:[ _]\d{3})*)?(?:([.,])(\d*))?(?:[eE]([+-]?\d{1,4}))? ?(.*)$`,
)

// middle matches a prefix or a unit at the position of the decimal point: 4R7, 4k7, 3V3.
var middle = regexp.MustCompile(`^(R|meg|[fpnuµμmkKMGTVAWFH])(\d+) ?(.*)$`)

var plainer = strings.NewReplacer("\u2212", "-", "\u00a0", " ", "\u2009", " ", "\u202f", " ", "\t",
	" ")

const longestQuantity = 60

// Quantity parses a number as engineers write it, such as "4k7", "2.4GHz", "62mil" or "1e-9", for a
// field with the given unit. A number without prefix or unit is in the unit of the field. A prefix
// without a unit refers to the base unit. An error states the problem and the valid formats.
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
	if strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ".") {
		return 0, errors.New("has two separators; write none between thousands")
	}
	if point == "," && len(decimals) == 3 && strings.Trim(whole, "0") != "" {
		decimal := strings.TrimRight(strings.TrimRight(whole+"."+decimals, "0"), ".")
		return 0, fmt.Errorf("could be %s or %s; write one of them",
			Join(sign+whole+decimals, rest), Join(sign+decimal, rest))
	}
	exp, _ := strconv.Atoi(exponent)
	if r := middle.FindStringSubmatch(rest); r != nil && point == "" && exponent == "" {
		decimals, rest = r[2], r[3]
		switch {
		case r[1] != "R":
			rest = r[1] + rest
		case unit == AnyPrefix:
		case t.Base(unit) != "Ω":
			return 0, fmt.Errorf(`has "R", which is ohms`)
		case rest == "":
			rest = "Ω"
		}
	}
	from, to, err := t.scales(rest, unit)
	if err != nil {
		return 0, err
	}
	if from == nil { // the unit is a temperature unit other than the field's
		v, _ := strconv.ParseFloat(sign+whole+"."+decimals+"e"+strconv.Itoa(exp), 64)
		a, b := t.Temperatures[rest], t.Temperatures[unit]
		v, _ = strconv.ParseFloat(strconv.FormatFloat((v+a[1])*a[0]/b[0]-b[1], 'f', 12, 64), 64)
		return v, nil
	}
	v, err := strconv.ParseFloat(sign+whole+"."+decimals+"e"+strconv.Itoa(exp+from.exp-to.exp), 64)
	if from.mult != to.mult { // 15 digits hide the rounding errors of the binary multiplication
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v*from.mult/to.mult, 'g', 15, 64), 64)
	}
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("is too large")
	}
	return v, nil
}

// scales returns the scales of the given unit and the field's unit. It returns nil for a
// temperature in another unit.
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
	if degree, known := t.Temperatures[given]; known && unit == "K" { // fields in K are differences
		return &scale{degree[0], 0}, one, nil
	}
	family, field := t.family(unit)
	if family == nil {
		return nil, nil, fmt.Errorf("has %q behind the number, but this field is a plain number%s",
			given, in(unit))
	}
	if given == "mhz" || given == "mHZ" {
		return nil, nil, fmt.Errorf("could be MHz or mHz; write one of them")
	}
	if given == "m" && family.Base == "s" && field.exp >= 0 {
		return nil, nil, fmt.Errorf("could be ms or min; write one of them")
	}
	if s := t.within(family, given); s != nil {
		return s, field, nil
	}
	if e, ok := t.prefixIn(family, given); ok && !looksLikeUnit(given, family) {
		if strings.HasSuffix(unit, "iB") { // 64K for a field in KiB
			return &scale{math.Pow(1024, float64(e/3)), 0}, field, nil
		}
		return &scale{1, e}, field, nil
	}
	return nil, nil, fmt.Errorf("has %q, which is no unit of this field; write %s", given,
		t.offers(family))
}

// looksLikeUnit reports whether a prefix without a unit is more likely a unit: minutes, the metres
// of a band, or miles.
func looksLikeUnit(prefix string, family *unitFamily) bool {
	switch family.Base {
	case "s", "m":
		return prefix == "M"
	case "Hz":
		return prefix == "m"
	}
	return false
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

// prefixIn returns the exponent of a prefix in a family. Bits and bytes have no thousandths, so
// that mbps means Mbit/s.
func (t *Table) prefixIn(f *unitFamily, s string) (int, bool) {
	if s == "m" && (f.Base == "bit/s" || f.Base == "B") {
		s = "M"
	}
	return t.prefix(s)
}

// family returns the family to which a unit belongs.
func (t *Table) family(unit string) (*unitFamily, *scale) {
	for i := range t.Families {
		if s := t.within(&t.Families[i], unit); s != nil {
			return &t.Families[i], s
		}
	}
	return nil, nil
}

// within returns the scale of a unit in a family, or nil if the family does not contain it.
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
		if e, ok := t.prefixIn(f, strings.TrimSpace(head)); ok {
			return &scale{1, e}
		}
	}
	return nil
}

// hint returns an example with a prefix if the unit accepts prefixes.
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
		"ft", "mi", "lb"} {
		if _, ok := f.Others[o]; ok {
			units = append(units, o)
		}
	}
	return strings.Join(units, ", ")
}

// Show formats a value for display with at most six significant digits. It uses the prefixes of the
// unit's family if there are any, otherwise the unit itself. It does not show the unit "1" or "".
func (t *Table) Show(v float64, unit string) string {
	return Join(t.parts(v, unit))
}

// Join writes a unit after its number, separated by a space. The degree sign of an angle follows
// without a space: 53.13°.
func Join(number, unit string) string {
	switch unit {
	case "":
		return number
	case "°":
		return number + unit
	}
	return number + " " + unit
}

// parts returns the number and the unit that Show joins.
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
		// The rounded number determines the prefix: 999.9999 becomes 1.00 with the next prefix.
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

// generic lists placeholders for a unit of the user's choice.
var generic = map[string]bool{"currency": true, "length": true, "length²": true, "fuel": true}

// UnitText returns a unit as displayed next to a number. It returns "" for a plain number or a
// generic unit, and "per kWh" for a price.
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

// Digits formats a number with three to six significant digits. Integers are shown in full, money
// with two decimals, and very large or small numbers with an exponent.
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

// decimalNumber matches a number with decimals at the beginning of a text from Show.
var decimalNumber = regexp.MustCompile(`^(-?[\d\x{202f}]+)\.(\d+)`)

// Shorten reduces the number at the beginning of a text from Show to the given number of
// significant digits. It keeps all digits before the decimal point.
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

// trimZeros removes trailing zeros of the decimals while enough significant digits remain.
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

// Group inserts a narrow space between thousands in numbers of at least five digits.
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

// Units returns the units that a field with the given unit accepts in addition. It returns nil for
// a unit without a family.
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

// IsUnit reports whether a lower-case word is a unit of a family, with or without a prefix.
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

// Base returns the base unit of a unit's family, or "" for a unit without a family.
func (t *Table) Base(unit string) string {
	if f, _ := t.family(unit); f != nil {
		return f.Base
	}
	return ""
}
