package general

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/decimal"
)

// ExponentCalc computes a power with any real exponent.
var ExponentCalc = tools.Define(tools.Spec{
	Name:    "exponent_calc",
	Title:   "Exponent",
	Summary: "A number to a whole, decimal or fractional power, exactly where the power is a whole number or a fraction",
	Method: "b^n by whole-number arithmetic when both are whole. Otherwise by repeated squaring " +
		"in 256 bits, b^(p/q) as the q-th root of b^p by Newton's method, and the rest of a long " +
		"decimal exponent as exp(r ln b). A negative base takes a fraction p/q with an odd q in " +
		"lowest terms (real root). 0^0 = 1. A number means the decimal that is written: 0.1 is a " +
		"tenth",
	Sources: []string{"NIST Digital Library of Mathematical Functions, §4.2(iv) (powers)", "D. Knuth, The Art of Computer Programming, volume 2, 3rd edition, section 4.6.3 (binary powering)"},
	Limits: []string{
		"Real results only: no complex powers of a negative base",
		"The exact form ends at 5000 digits",
	},
	Aliases: []string{"power", "x^y", "raise to the power", "nth power", "fractional exponent"},
	Examples: []tools.Example{
		{
			Title: "2 to the 64th",
			In:    `{"base": 2, "exponent": 64}`,
			Want:  `{"result": 18446744073709551616, "exact": "18446744073709551616", "scientific": "1.84467440737096e19", "log10_abs": 19.26591972249479, "warnings": []}`,
		},
		{
			Title: "Cube root of a negative number",
			In:    `{"base": -8, "exponent": "1/3"}`,
			Want:  `{"result": -2, "exact": null, "warnings": []}`,
		},
		{
			Title: "Beyond the doubles",
			In:    `{"base": 10, "exponent": 400}`,
			Want:  `{"result": null, "log10_abs": 400, "scientific": "1.00000000000000e400"}`,
		},
	},
}, exponentCalc)

type exponentCalcIn struct {
	Base     float64  `json:"base" unit:"1" example:"2" label:"Base" doc:"Base"`
	Exponent exponent `json:"exponent" unit:"1" example:"64" label:"Exponent" doc:"Exponent: a number, or a fraction of whole numbers such as \"1/3\""`
}

type exponentCalcOut struct {
	Result     *float64 `json:"result" unit:"1" label:"Power" doc:"The power; null when it is above the range of a double"`
	Exact      *string  `json:"exact" label:"Exact power" doc:"The power as a whole number or fraction, for whole base and exponent and up to 5000 digits"`
	Scientific *string  `json:"scientific" label:"Power, 15 digits" doc:"The power with 15 digits, also outside the range of a double; null beyond 10^(10^18)"`
	Log10Abs   *float64 `json:"log10_abs" unit:"1" label:"log10 of the magnitude" doc:"Common logarithm of the magnitude of the power; null for 0 and outside the range of a double"`
	tools.Warnings
}

// exactDigits is the maximum number of digits of an exact integer result.
const exactDigits = 5000

func exponentCalc(_ context.Context, in exponentCalcIn) (exponentCalcOut, error) {
	var out exponentCalcOut
	y := in.Exponent.value
	if in.Base == 0 {
		return powerOfZero(in.Exponent)
	}
	oddTop, oddBottom := y.OddParts()
	negative := in.Base < 0 && oddTop
	if in.Base < 0 && !y.IsWhole() && (!in.Exponent.fraction || !oddBottom) {
		return out, realPowerFault(in)
	}
	size := math.Abs(in.Base)
	sign := ""
	if negative {
		sign = "-"
	}
	out.Log10Abs = log10Power(size, y)
	if l := out.Log10Abs; l != nil && size != 1 && y.Sign() != 0 {
		out.Log10Abs = out.Nonzero("log10_abs", *l)
	}
	if exact := exactPower(size, y); exact != "" {
		exact = sign + exact
		out.Exact = &exact
	}
	result := 0.0
	if z, ok := decimal.FloatText(size).Power(y); ok {
		result = z.Float()
		text := sign + z.Text(15)
		out.Scientific = &text
	} else if (size > 1) == (y.Sign() > 0) {
		result = math.Inf(1)
	}
	if negative {
		result = -result
	}
	switch {
	case math.IsInf(result, 0):
		out.Warn(
			"the power is above 1.8e308, the largest double: the result is null, see scientific and log10_abs",
		)
		return out, nil
	case math.Abs(result) < decimal.SmallestNormal:
		out.Warn(
			"the power is below 2.2e-308, the smallest double with full precision: the result has lost digits or is 0, see scientific and log10_abs",
		)
	}
	out.Result = &result
	return out, nil
}

// log10Power returns log10(size^y). It returns nil if the logarithm is above the range of a double.
func log10Power(size float64, y decimal.Fraction) *float64 {
	p, q := y.FloatParts()
	log := decimal.Log10Text(size)
	if math.IsInf(p, 0) || math.IsInf(q, 0) {
		return tools.Finite(y.Float() * log)
	}
	return tools.Finite(p * log / q) // one division: (10^3)^(1/3) gives exactly 1
}

// powerOfZero computes 0^y.
func powerOfZero(y exponent) (out exponentCalcOut, err error) {
	result, exact, scientific := 0.0, "0", "0e0"
	switch y.value.Sign() {
	case -1:
		var f tools.FieldErrors
		f.AddValue("exponent", y, "must not be negative when the base is 0: that divides by zero")
		return out, f.Err()
	case 0:
		result, exact, scientific = 1, "1", "1.00000000000000e0"
		out.Log10Abs = new(float64)
		out.Warn(
			"0^0 is given as 1, the convention of algebra and of IEEE 754; as a limit it is undefined",
		)
	}
	out.Result, out.Scientific = &result, &scientific
	if y.value.IsWhole() {
		out.Exact = &exact
	}
	return out, nil
}

// exactPower returns size^y as an integer or as a fraction 1/n. It returns "" if the power is
// neither, or too long.
func exactPower(size float64, y decimal.Fraction) string {
	if size != math.Trunc(size) || !y.IsWhole() {
		return ""
	}
	if size == 1 {
		return "1"
	}
	n := y.Abs()
	if n.Wide != nil || n.Num > math.MaxUint32 || float64(n.Num)*math.Log10(size) > exactDigits+1 {
		return ""
	}
	text := new(big.Int).Exp(decimal.FromFloat(size).Rat().Num(), big.NewInt(n.Num), nil).String()
	switch {
	case len(text) > exactDigits:
		return ""
	case y.Sign() < 0:
		return "1/" + text
	default:
		return text
	}
}

// realPowerFault returns the error for a negative base without a real power. The error contains a
// suggestion.
func realPowerFault(in exponentCalcIn) error {
	var f tools.FieldErrors
	if in.Exponent.fraction {
		f.AddValue(
			"exponent", in.Exponent,
			"must have an odd denominator in lowest terms when the base is negative (base %g): an even root of a negative number is not real",
			in.Base,
		)
		return f.Err()
	}
	hint := ""
	if p, q := nearbyFraction(in.Exponent.value); q > 0 {
		hint = fmt.Sprintf(
			`; a decimal is not a fraction: for the real root send the string "%d/%d"`, p,
			q)
	}
	f.AddValue(
		"exponent", in.Exponent,
		`must be a whole number or a fraction such as "1/3" with an odd denominator when the base is negative (base %g)%s`,
		in.Base, hint,
	)
	return f.Err()
}

// nearbyFraction returns the fraction with the smallest odd denominator, up to 31, within 1e-4 of
// y.
func nearbyFraction(y decimal.Fraction) (p, q int64) {
	x := y.Float()
	if math.Abs(x) > 1e6 {
		return 0, 0
	}
	for q := int64(3); q <= 31; q += 2 {
		p := math.Round(x * float64(q))
		if p != 0 && math.Abs(x-p/float64(q)) < 1e-4 {
			return int64(p), q
		}
	}
	return 0, 0
}

// exponent is a number, or a fraction of integers written as "p/q".
type exponent struct {
	value    decimal.Fraction
	literal  string // JSON as given
	fraction bool
}

const exponentPart = 1_000_000 // maximum numerator or denominator of a fraction

var errExponent = errors.New(
	`must be a number, or a string "p/q" of whole numbers with p from -1000000 to 1000000 and q from 1 to 1000000`,
)

// DecodeField decodes the number or the fraction.
func (e *exponent) DecodeField(raw []byte) error {
	if c := raw[0]; c == '-' || c >= '0' && c <= '9' {
		var x float64
		if json.Unmarshal(raw, &x) != nil {
			return errors.New("must be a number that fits a double (below 1.8e308)")
		}
		*e = exponent{decimal.FromFloat(x), string(raw), false}
		return nil
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return errExponent
	}
	top, bottom, ok := strings.Cut(s, "/")
	p, errP := strconv.Atoi(top)
	q, errQ := strconv.Atoi(bottom)
	switch {
	case !ok || errP != nil || errQ != nil || p < -exponentPart || p > exponentPart || q < 0 ||
		q > exponentPart:
		return errExponent
	case q == 0:
		return errors.New("must not have the denominator 0")
	}
	*e = exponent{decimal.Quotient(int64(p), int64(q)), string(raw), true}
	return nil
}

// FieldSchema returns the JSON Schema of the number or fraction.
func (e *exponent) FieldSchema() map[string]any {
	return map[string]any{"type": []string{"number", "string"},
		"pattern": `^[+-]?[0-9]+/\+?[0-9]+$`}
}

// MarshalJSON returns the exponent as it was given.
func (e exponent) MarshalJSON() ([]byte, error) {
	if e.literal == "" {
		return []byte("0"), nil
	}
	return []byte(e.literal), nil
}
