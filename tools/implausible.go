package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"slipstick/tools/schema"
)

// radioEnd is the upper end of radio waves in MHz: 3000 GHz (ITU Radio Regulations, 1.5).
const radioEnd = 3e6

// largeNumber matches every JSON number that has an exponent or at least seven digits before its
// decimal point, as radioEnd has.
var largeNumber = regexp.MustCompile(`[0-9]{7}|[0-9][eE]`)

// smallNumber matches a percentage, or a frequency in MHz, with at most one digit before its
// decimal point.
var smallNumber = regexp.MustCompile(`(pct|percent|mhz)"\s*:\s*[0-9]?\.[0-9]`)

// Implausible returns a warning for each input value that probably has another unit. It detects a
// frequency in MHz that was given in Hz, and a licence-free band in MHz that was given in GHz. It
// also detects a percentage that was given as a ratio.
func (t *Tool) Implausible(body []byte) []string {
	if !(bytes.Contains(body, []byte(`mhz"`)) && largeNumber.Match(body)) &&
		!smallNumber.Match(body) {
		return nil // avoids parsing the body again
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	var warnings []string
	warn := func(format string, args ...any) {
		warnings = append(warnings, fmt.Sprintf(format, args...))
	}
	for _, f := range t.Input.Fields {
		v, err := strconv.ParseFloat(string(fields[f.Name]), 64)
		switch {
		case err != nil:
		case f.Unit == "MHz" && v > radioEnd && v/1e6 < radioEnd:
			warn("%s: %g MHz is above 3000 GHz; for %g Hz send %q: %g", f.Name, v, v, f.Name, v/1e6)
		case f.Unit == "MHz" && isBandInGHz(v) && f.Accepts([]byte(strconv.Itoa(int(v*1000)))):
			warn("%s: %g is read as MHz; for %g GHz send %q: %g", f.Name, v, v, f.Name, v*1000)
		case (f.Unit == "%" || f.Unit == "%/yr") && isFractionOf(v, f):
			warn("%s: %g is read as %g %%; for the fraction %g send %q: %g", f.Name, v, v, v,
				f.Name, math.Round(v*1e8)/1e6)
		}
	}
	return warnings
}

// isBandInGHz reports whether v is a frequency in GHz within a licence-free band. The bands are
// those of the ITU Radio Regulations 5.138 and 5.150, ERC Recommendation 70-03, and FCC 47 CFR
// 15.247 and 15.407. It excludes the amateur band from 5.3515 to 5.3665 MHz.
func isBandInGHz(v float64) bool {
	for _, band := range [][2]float64{
		{0.433, 0.435}, {0.863, 0.87}, {0.902, 0.928}, {2.4, 2.5}, {5.15, 5.35}, {5.47, 5.875},
	} {
		if band[0] <= v && v <= band[1] {
			return true
		}
	}
	return false
}

// isFractionOf reports whether a percentage below 1, read as a ratio, is about 0.5 to 1.7 times the
// usual value of its field.
func isFractionOf(v float64, f *schema.Field) bool {
	usual := f.Default
	if usual == nil {
		usual = f.Example
	}
	u, err := strconv.ParseFloat(string(usual), 64)
	return err == nil && v > 0 && v < 1 && 100*v >= u/2 && 100*v <= 1.7*u
}
