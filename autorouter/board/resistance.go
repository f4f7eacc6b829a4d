package board

import (
	"regexp"
	"strconv"
	"strings"
)

// resistanceText matches a number with a prefix after it (100k, 4.7 MΩ) or in place of the decimal
// point (4k7, 2R2), by IEC 60062, with the letter of a tolerance (4k7J). Thousands may be grouped
// by spaces (100 000).
var resistanceText = regexp.MustCompile(
	`^([1-9][0-9]{0,2}(?: [0-9]{3})+\b|[0-9]+)([.,][0-9]+)? ?(Meg|MEG|meg|[GMkKRmΩΩ]|)([0-9]*)` +
		`[BCDFGJKM]? ?(Ω|Ω|[oO]hms?)?($|[ /,_%±-])`)

// Values with the unit of another kind of part. A resistor may have the letter F of a tolerance of
// 1 % (100KF).
var (
	capacitanceUnit = regexp.MustCompile(`^[0-9]+([.,][0-9]+)? ?[pnuµμm]F\b`)
	inductanceUnit  = regexp.MustCompile(`^[0-9]+([.,][0-9]+)? ?[nuµμm]?H\b`)
	resistanceUnit  = regexp.MustCompile(`^[0-9]+([.,][0-9]+)? ?[mkKMG]?(Ω|Ω|[oO]hms?\b)`)
)

// OtherQuantity returns the quantity that the value of a resistor or capacitor states by its unit
// if it is not that of the part, or else "".
func (c *Component) OtherQuantity() string {
	resistor := hasClass(c.Ref, resistorClass)
	switch {
	case !resistor && !c.IsCapacitor():
		return ""
	case resistor && capacitanceUnit.MatchString(c.Value):
		return "capacitance"
	case inductanceUnit.MatchString(c.Value):
		return "inductance"
	case !resistor && resistanceUnit.MatchString(c.Value):
		return "resistance"
	}
	return ""
}

// resistancePrefixes maps the letters of resistances to their exponents of ten.
var resistancePrefixes = map[string]string{"G": "e9", "M": "e6", "MEG": "e6", "K": "e3"}

// maxDigits is the number of digits of a standard value before its zeros, by IEC 60063.
const maxDigits = 3

// resistorClass has the class letters of resistors.
var resistorClass = []string{"R"}

// Resistance returns the resistance [Ω] at the start of the value of a resistor, such as 100k, 4M7J
// or 10R 1%. ok is false if the value states none or the part is no resistor.
func (c *Component) Resistance() (ohm float64, ok bool) {
	m := resistanceText.FindStringSubmatch(c.Value)
	if m != nil && m[3] == "" {
		m[4] = "" // digits of the next word, such as a tolerance or a size
	}
	if m == nil || m[2] != "" && m[4] != "" || !hasClass(c.Ref, resistorClass) ||
		c.OtherQuantity() != "" {
		return 0, false
	}
	// no standard value has more than three digits before its zeros: 100 805 is 100 Ω of size 0805
	if first, _, grouped := strings.Cut(m[1], " "); grouped &&
		len(strings.TrimRight(strings.ReplaceAll(m[1], " ", ""), "0")) > maxDigits {
		m[1], m[2], m[3], m[4] = first, "", "", ""
	}
	fraction := strings.Replace(m[2], ",", ".", 1)
	if m[4] != "" {
		fraction = "." + m[4]
	}
	exponent := resistancePrefixes[strings.ToUpper(m[3])]
	if m[3] == "m" {
		exponent = "e-3"
	}
	ohm, err := strconv.ParseFloat(strings.ReplaceAll(m[1], " ", "")+fraction+exponent, 64)
	return ohm, err == nil
}
