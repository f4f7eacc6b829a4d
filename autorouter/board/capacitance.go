package board

import (
	"regexp"
	"strconv"
	"strings"
)

// capacitanceText matches a number with a prefix after it (100n, 4.7 µF) or in place of the decimal
// point (4n7, 2u2), by IEC 60062.
var capacitanceText = regexp.MustCompile(
	`^([0-9]+)([.,][0-9]+)? ?([pnuµμm])([0-9]*) ?[fF]?($|[ /,_-])`)

// capacitancePrefixes maps the SI prefixes of capacitances to their exponents of ten.
var capacitancePrefixes = map[string]string{"p": "e-12", "n": "e-9", "u": "e-6", "µ": "e-6",
	"μ": "e-6", "m": "e-3"}

// Capacitance returns the capacitance [F] at the start of the value, such as 100n, 4u7 or
// 22uF/10V. ok is false if the value states none.
func (c *Component) Capacitance() (farad float64, ok bool) {
	m := capacitanceText.FindStringSubmatch(c.Value)
	if m == nil || m[2] != "" && m[4] != "" {
		return 0, false
	}
	fraction := strings.Replace(m[2], ",", ".", 1)
	if m[4] != "" {
		fraction = "." + m[4]
	}
	farad, err := strconv.ParseFloat(m[1]+fraction+capacitancePrefixes[m[3]], 64)
	return farad, err == nil
}
