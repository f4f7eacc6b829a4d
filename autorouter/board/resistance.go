package board

import (
	"regexp"
	"strconv"
	"strings"
)

// resistanceText matches a number with a prefix after it (100k, 4.7 MΩ) or in place of the decimal
// point (4k7, 2R2), by IEC 60062.
var resistanceText = regexp.MustCompile(
	`^([0-9]+)([.,][0-9]+)? ?(Meg|MEG|meg|[GMkKRmΩΩ]|)([0-9]*) ?(Ω|Ω|[oO]hms?)?($|[ /,_%±-])`)

// resistancePrefixes maps the letters of resistances to their exponents of ten.
var resistancePrefixes = map[string]string{"G": "e9", "M": "e6", "MEG": "e6", "K": "e3"}

// resistorClass has the class letters of resistors.
var resistorClass = []string{"R"}

// Resistance returns the resistance [Ω] at the start of the value of a resistor, such as 100k, 4M7
// or 10R 1%. ok is false if the value states none or the part is no resistor.
func (c *Component) Resistance() (ohm float64, ok bool) {
	m := resistanceText.FindStringSubmatch(c.Value)
	if m == nil || m[2] != "" && m[4] != "" || !hasClass(c.Ref, resistorClass) {
		return 0, false
	}
	fraction := strings.Replace(m[2], ",", ".", 1)
	if m[4] != "" {
		fraction = "." + m[4]
	}
	exponent := resistancePrefixes[strings.ToUpper(m[3])]
	if m[3] == "m" {
		exponent = "e-3"
	}
	ohm, err := strconv.ParseFloat(m[1]+fraction+exponent, 64)
	return ohm, err == nil
}
