package netlist

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// scales lists the SPICE suffixes in an order in which meg and mil precede m. The source is the
// SPICE3 user's manual, section 2.2; "a" (atto) is an ngspice extension.
var scales = [...]scale{
	{"meg", 1e6}, {"mil", 25.4e-6},
	{"t", 1e12}, {"g", 1e9}, {"k", 1e3}, {"m", 1e-3},
	{"u", 1e-6}, {"\u00b5", 1e-6}, {"\u03bc", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15},
	{"a", 1e-18},
}

// scale is the suffix of a number and its factor.
type scale struct {
	name   string
	factor float64
}

// ParseNumber parses a SPICE number such as 4.7k, 1e-3, 10kohm or 33000000M (33e3, because m is
// milli). Letters after the suffix are a unit and are ignored. ok is false for other text and for
// infinite values.
func ParseNumber(s string) (value float64, ok bool) {
	v, n := scanNumber(s)
	if n == 0 {
		return 0, false
	}
	for _, r := range s[n:] {
		if !isLetter(r) {
			return 0, false
		}
	}
	return v, !math.IsInf(v, 0)
}

// scanMantissa returns the length in bytes of the number at the start of s without its suffix. It
// returns 0 if there is no number.
func scanMantissa(s string) int {
	i, digits := 0, 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for ; i < len(s) && isDigit(s[i]); i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			i = j
		}
	}
	return i
}

// parseAmperes parses a current [A] with a unit, such as 2A or 0.5amp. ngspice reads this A as
// atto. ok is false for other text.
func parseAmperes(s string) (value float64, ok bool) {
	n := scanMantissa(s)
	switch strings.ToLower(s[n:]) {
	case "a", "amp", "amps", "ampere", "amperes":
		v, err := strconv.ParseFloat(s[:n], 64)
		return v, err == nil
	}
	return 0, false
}

// rkmNumber parses a number in RKM code (IEC 60062), in which the suffix replaces the decimal
// point: 4k7 is 4700, 2R2 is 2.2 and 0R47 is 0.47. LTspice accepts every suffix in this place, so
// 1Meg5 is 1.5e6. ok is false for other text, also for R47, which may be an undefined parameter.
func rkmNumber(s string) (value float64, ok bool) {
	n := scanMantissa(s)
	if n == 0 || strings.ContainsAny(s[:n], ".eE") {
		return 0, false
	}
	end := strings.IndexFunc(s[n:], func(r rune) bool { return !isLetter(r) })
	if end <= 0 || strings.Trim(s[n+end:], "0123456789") != "" {
		return 0, false
	}
	suffix, decimals := strings.ToLower(s[n:n+end]), s[n+end:]
	if suffix == "r" {
		suffix = ""
	} else if suffix == "a" || !slices.ContainsFunc(scales[:], func(sc scale) bool {
		return sc.name == suffix
	}) {
		return 0, false
	}
	return ParseNumber(s[:n] + "." + decimals + suffix)
}

// scanNumber parses the number at the start of s with its suffix and unit letters. It returns the
// value and the length in bytes, which is 0 if there is no number.
func scanNumber(s string) (float64, int) {
	i := scanMantissa(s)
	if i == 0 {
		return 0, 0
	}
	mantissa := s[:i]
	end := i
	for _, r := range s[i:] {
		if !isLetter(r) {
			break
		}
		end += len(string(r))
	}
	v, err := strconv.ParseFloat(mantissa, 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, 0
	}
	tail := strings.ToLower(s[i:end])
	for _, sc := range scales {
		if strings.HasPrefix(tail, sc.name) {
			// Division by 1e9 makes 100n the double nearest to 1e-7, whereas multiplication by 1e-9
			// does not.
			if sc.factor < 1 && sc.name != "mil" {
				v /= math.Round(1 / sc.factor)
			} else {
				v *= sc.factor
			}
			break
		}
	}
	return v, end
}

// seconds formats a time in a message with a prefix: 20e-6 is 20 µs.
func seconds(t float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}} {
		if math.Abs(t) >= unit.size*(1-1e-9) {
			return fmt.Sprintf("%.6g %s", t/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.6g ps", t/1e-12)
}

// formatNumber formats a value so that parsing returns the same value.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(r rune) bool {
	// µ and Ω have two code points each. ω is Ω in lower case, and ° has one code point.
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '\u00b5' || r == '\u03bc' ||
		r == '\u03a9' || r == '\u03c9' || r == '\u2126' || r == '\u00b0'
}
