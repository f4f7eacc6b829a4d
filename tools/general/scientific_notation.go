package general

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/decimal"
)

// ScientificNotation converts a number to coefficient and power of ten.
var ScientificNotation = tools.Define(tools.Spec{
	Name:    "scientific_notation",
	Title:   "Scientific notation",
	Summary: "A number in scientific and engineering notation, with its SI prefix and as a plain decimal",
	Method: "v = c × 10^e with 1 <= |c| < 10; engineering notation takes e as a multiple of 3. The significant digits are those of sig_figs: " +
		"trailing zeros of a whole number without a point are dropped, those after the point stay. Exact in decimal; digits rounds half away from zero",
	Sources: []string{"NIST SP 811 (2008), section 7.9", "BIPM, The International System of Units, 9th edition (2019, updated 2022), table 7 (SI prefixes, quecto to quetta)"},
	Limits:  []string{"Exponents from -9999 to 9999"},
	Aliases: []string{"standard form", "exponential notation", "engineering notation", "si prefix",
		"e notation"},
	Primary: []string{"scientific"},
	Examples: []tools.Example{{
		Title: "A small length",
		In:    `{"value": "0.00001230"}`,
		Want:  `{"coefficient": "1.230", "exponent": -5, "scientific": "1.230e-5", "engineering": "12.30e-6", "engineering_exponent": -6, "si_prefix": "µ", "decimal": "0.00001230", "number": 0.0000123, "warnings": []}`,
	}, {
		Title: "The speed of light",
		In:    `{"value": 299792458}`,
		Want:  `{"scientific": "2.99792458e8", "engineering": "299.792458e6", "exponent": 8}`,
		From:  "by hand",
	}, {
		Title: "A capacitor of 0.00000047 F",
		In:    `{"value": 0.00000047}`,
		Want:  `{"scientific": "4.7e-7", "engineering": "470e-9"}`,
		From:  "by hand",
	}},
}, scientificNotation)

type scientificNotationIn struct {
	Value  decimal.Decimal `json:"value" unit:"1" example:"\"0.00001230\"" label:"Value" doc:"The number, as a string where trailing zeros matter"`
	Digits *int            `json:"digits" unit:"1" min:"1" max:"100" label:"Significant digits" doc:"Significant digits of the coefficient; default: as given"`
}

type scientificNotationOut struct {
	Coefficient         string   `json:"coefficient" label:"Coefficient" doc:"Digits with the decimal point after the first"`
	Exponent            int      `json:"exponent" unit:"1" label:"Exponent" doc:"Power of ten of the coefficient"`
	Scientific          string   `json:"scientific" label:"Scientific notation" doc:"Coefficient and exponent, such as 1.23e-5"`
	Engineering         string   `json:"engineering" label:"Engineering notation" doc:"Notation with an exponent that is a multiple of 3, such as 12.3e-6"`
	EngineeringExponent int      `json:"engineering_exponent" unit:"1" label:"Engineering exponent" doc:"Exponent of the engineering notation"`
	SIPrefix            *string  `json:"si_prefix" label:"SI prefix" doc:"SI prefix of the engineering exponent; null outside 10^-30 to 10^30"`
	Decimal             *string  `json:"decimal" label:"Decimal notation" doc:"Number without an exponent; null above 1000 characters"`
	Number              *float64 `json:"number" unit:"1" label:"Number" doc:"The nearest double; null outside its range"`
	tools.Warnings
}

// siPrefixes are the prefixes for 10^-30 to 10^30 in steps of 10^3.
var siPrefixes = [...]string{
	"q", "r", "y", "z", "a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E",
	"Z", "Y", "R",
	"Q",
}

func scientificNotation(_ context.Context, in scientificNotationIn) (scientificNotationOut, error) {
	var out scientificNotationOut
	d := in.Value
	f, ambiguous := d.Significant()
	switch {
	case d.Sign() == 0:
		f = decimal.Figures{Digits: "0"}
	case in.Digits != nil:
		if n := *in.Digits; n > len(d.Digits) {
			out.Warn("%d digits pad the %d given with zeros", n, len(d.Digits))
		}
		f = d.Ratio().ToFigures(*in.Digits, false)
	case ambiguous:
		out.Warn(
			"the final zeros of %s may be figures or placeholders and were dropped: write a point after them to keep them, or give digits",
			d.Written(),
		)
	}
	out.Coefficient, out.Exponent, out.Scientific = f.Coefficient(), f.Order(), f.Scientific()
	out.Engineering, out.EngineeringExponent = f.Engineering()
	if i := out.EngineeringExponent/3 + len(siPrefixes)/2; i >= 0 && i < len(siPrefixes) {
		prefix := siPrefixes[i]
		out.SIPrefix = &prefix
	}
	if plain, ok := f.Plain(); ok {
		out.Decimal = &plain
	}
	if x := f.Float(); !math.IsInf(x, 0) && (x != 0 || d.Sign() == 0) {
		out.Number = &x
	} else {
		out.Warn("the value is outside the range of a double (5e-324 to 1.8e308): number is null")
	}
	return out, nil
}
