// Package decimal computes with decimal numbers exactly as written. It provides decimals and
// fractions, significant figures, and floating-point numbers of 248 bits for powers and logarithms.
package decimal

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	decimalLength   = 1000 // maximum characters of a written decimal
	decimalExponent = 9999 // maximum magnitude of a written exponent
)

// Decimal is an input parsed digit by digit: a JSON number by its literal text, or a string such as
// "1.500", "6.02e23" or "6.02x10^23". It is not rounded to binary, and trailing zeros are
// preserved. It is immutable; the zero value is the number 0.
type Decimal struct {
	literal string // JSON as it was given
	neg     bool
	Digits  string // digits as written, without point and leading zeros; "0" for zero
	exp     int    // the value is digits × 10^exp
	point   bool   // a decimal point was written
	Text    bool   // given as a string
}

// Number is a Decimal that must be given as a JSON number.
type Number struct{ Decimal }

var (
	errDecimalType = errors.New(`must be a number or a decimal string such as "1.50" or "6.02e23"`)
	errDecimalForm = errors.New(
		`must be a decimal number: digits with an optional sign, point and exponent, such as "-1.50", "6.02e23" or "6.02x10^23"`,
	)
)

// DecodeField decodes a JSON number or string.
func (d *Decimal) DecodeField(raw []byte) error {
	switch c := raw[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return errDecimalType
		}
		p, err := Parse(s)
		if err != nil {
			return err
		}
		*d = p
		d.Text = true
	case c == '-' || c >= '0' && c <= '9':
		p, err := Parse(string(raw))
		if err != nil {
			return err
		}
		*d = p
	default:
		return errDecimalType
	}
	d.literal = string(raw)
	return nil
}

// FieldSchema returns a schema that accepts numbers and decimal strings.
func (d *Decimal) FieldSchema() map[string]any {
	return map[string]any{
		"type":      []string{"number", "string"},
		"maxLength": decimalLength,
		"pattern":   `^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(([eE]|[x×*]10\^)[+-]?[0-9]+)?$`,
	}
}

// DecodeField decodes a JSON number.
func (d *Number) DecodeField(raw []byte) error {
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return errors.New("must be a number")
	}
	return d.Decimal.DecodeField(raw)
}

// FieldSchema returns a schema that accepts numbers.
func (d *Number) FieldSchema() map[string]any { return map[string]any{"type": "number"} }

// MarshalJSON returns the value as it was written.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d.literal == "" {
		return []byte("0"), nil
	}
	return []byte(d.literal), nil
}

// Parse parses an optional sign, digits with an optional point, and an optional exponent written as
// e5, x10^5, ×10^5 or *10^5.
func Parse(s string) (Decimal, error) {
	if s == "" {
		return Decimal{}, errors.New("must be a decimal number, not empty")
	}
	if utf8.RuneCountInString(s) > decimalLength {
		return Decimal{}, fmt.Errorf("must have at most %d characters", decimalLength)
	}
	var d Decimal
	rest := s
	switch rest[0] {
	case '-':
		d.neg, rest = true, rest[1:]
	case '+':
		rest = rest[1:]
	}
	whole, rest := leadingDigits(rest)
	var fraction string
	if strings.HasPrefix(rest, ".") {
		d.point = true
		fraction, rest = leadingDigits(rest[1:])
	}
	if whole == "" && fraction == "" {
		return Decimal{}, errDecimalForm
	}
	if rest != "" {
		written, ok := "", false
		for _, mark := range []string{"e", "E", "x10^", "×10^", "*10^"} {
			if written, ok = strings.CutPrefix(rest, mark); ok {
				break
			}
		}
		unsigned := strings.TrimPrefix(written, "-")
		if unsigned == written {
			unsigned = strings.TrimPrefix(written, "+")
		}
		if digits, tail := leadingDigits(unsigned); !ok || digits == "" || tail != "" {
			return Decimal{}, errDecimalForm
		}
		e, err := strconv.Atoi(written)
		if err != nil || e < -decimalExponent || e > decimalExponent {
			return Decimal{}, fmt.Errorf("must have an exponent between -%d and %d",
				decimalExponent, decimalExponent)
		}
		d.exp = e
	}
	d.exp -= len(fraction)
	if d.Digits = strings.TrimLeft(whole+fraction, "0"); d.Digits == "" {
		d.Digits = "0"
	}
	return d, nil
}

// leadingDigits splits s after its decimal digits.
func leadingDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// Written returns the number as the user wrote it, without the quotes of a string.
func (d Decimal) Written() string {
	if !d.Text {
		return d.literal
	}
	var s string
	_ = json.Unmarshal([]byte(d.literal), &s) // cannot fail: DecodeField has parsed it
	return s
}

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.Digits == "0" || d.Digits == "":
		return 0
	case d.neg:
		return -1
	default:
		return 1
	}
}

// Places returns the number of decimal places, at least 0. It accounts for the exponent: 1.50 has
// two, 1.50e2 none.
func (d Decimal) Places() int { return max(0, -d.exp) }

// Float returns the nearest double, or an infinity beyond the range.
func (d Decimal) Float() float64 {
	if d.Sign() == 0 {
		return 0
	}
	var x float64
	// both are exact doubles, so the result is rounded once
	if m, ok := d.mantissa(); ok && m < 1<<53 && d.exp >= -22 && d.exp <= 0 {
		x = float64(m) / math.Pow10(-d.exp)
	} else {
		// overflow returns an error, but also ±Inf
		x, _ = strconv.ParseFloat(d.Digits+"e"+strconv.Itoa(d.exp), 64)
	}
	if d.neg {
		return -x
	}
	return x
}

// mantissa returns the digits as an integer. ok is false for more than 18 digits, which may not fit
// int64.
func (d Decimal) mantissa() (m int64, ok bool) {
	if len(d.Digits) > 18 {
		return 0, false
	}
	for i := range len(d.Digits) {
		m = 10*m + int64(d.Digits[i]-'0')
	}
	return m, true
}

// Exact returns the exact value. If the exponent is at its limit, the value has about 10000 digits.
// A tool that limits its range must therefore check the range first.
func (d Decimal) Exact() Fraction {
	if m, ok := d.mantissa(); ok {
		if d.neg {
			m = -m
		}
		return FromScientific(m, d.exp)
	}
	n := d.coefficient()
	if d.exp >= 0 {
		return FromRat(new(big.Rat).SetInt(n.Mul(n, Pow10(d.exp))))
	}
	return FromRat(new(big.Rat).SetFrac(n, Pow10(-d.exp)))
}

// coefficient returns the signed integer that is multiplied by 10^exp.
func (d Decimal) coefficient() *big.Int {
	n := new(big.Int)
	if d.Sign() != 0 {
		n.SetString(d.Digits, 10)
	}
	if d.neg {
		n.Neg(n)
	}
	return n
}

// Within reports whether the nearest double is in [lo, hi].
func (d Decimal) Within(lo, hi float64) bool {
	x := d.Float()
	return x >= lo && x <= hi
}

// Pow10 returns 10^n for n >= 0 as a new number.
func Pow10(n int) *big.Int {
	if n <= 18 { // fits int64; most exponents are small
		p := int64(1)
		for range n {
			p *= 10
		}
		return big.NewInt(p)
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// FromPercent returns a percentage as an exact fraction.
func FromPercent(p float64) Fraction { return FromFloat(p).Times(Quotient(1, 100)) }

// PercentOf returns 100·part/|all|. The divisor must not be 0.
func PercentOf(part, all Fraction) *float64 {
	x := part.Times(Whole(100)).Over(all.Abs()).Float()
	return &x
}

// RoundHalfAway returns the integer nearest to r. It rounds halves away from zero.
func RoundHalfAway(r *big.Rat) *big.Int {
	// floor((2|n| + d) / 2d), with the sign restored
	n := new(big.Int).Abs(r.Num())
	n.Lsh(n, 1)
	n.Add(n, r.Denom())
	n.Quo(n, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// Shortest returns the shortest decimal text that parses as x.
func Shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Operand returns Shortest, in parentheses if x is negative.
func Operand(x float64) string {
	if x < 0 {
		return "(" + Shortest(x) + ")"
	}
	return Shortest(x)
}
