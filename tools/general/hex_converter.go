package general

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
)

// HexConverter converts integers between bases and interprets bit patterns.
var HexConverter = tools.Define(tools.Spec{
	Name:    "hex_converter",
	Title:   "Hex, binary and decimal",
	Summary: "Whole numbers between the bases 2 to 36, with two's complement of any width and ASCII",
	Method: "Positional notation in whole numbers of any size. With bits = n, a negative number " +
		"v is the pattern 2^n + v. Read as two's complement, a pattern of at least 2^(n-1) is " +
		"itself less 2^n",
	Sources: []string{"D. Knuth, The Art of Computer Programming, volume 2, 3rd edition, sections 4.1 (two's complement) and 4.4 (radix conversion)"},
	Limits: []string{
		"Whole numbers only, up to 4096 bits: no fractions, no floating-point patterns",
		"ASCII is read from the most significant byte of the number; leading zero bytes are not part of it",
	},
	Aliases: []string{"hexadecimal", "binary converter", "base converter", "octal",
		"two's complement", "hex to ascii", "radix"},
	Primary: []string{"converted", "decimal", "hex"},
	Examples: []tools.Example{
		{
			Title: "FF in 8 bits",
			In:    `{"value": "FF", "bits": 8}`,
			Want:  `{"decimal": "255", "hex": "FF", "binary": "11111111", "octal": "377", "bit_length": 8, "unsigned": "255", "signed": "-1", "from_base": 16, "ascii": null, "warnings": []}`,
		},
		{
			Title: "-1 in 16 bits",
			In:    `{"value": "-1", "from_base": 10, "bits": 16}`,
			Want:  `{"decimal": "-1", "unsigned": "65535", "signed": "-1", "twos_complement_hex": "FFFF"}`,
		},
		{
			Title: "0x1F4 in decimal",
			In:    `{"value": "0x1F4"}`,
			Want:  `{"decimal": "500", "binary": "111110100"}`,
			From:  "by hand: 256 + 15 × 16 + 4",
		},
	},
}, hexConverter)

type hexConverterIn struct {
	Value    digitText `json:"value" unit:"1" example:"\"FF\"" label:"Value" doc:"The digits, with an optional minus and prefix 0x, 0b or 0o; spaces and underscores are ignored. A JSON number is read by its decimal digits"`
	FromBase *int      `json:"from_base" unit:"1" min:"2" max:"36" label:"Input base" doc:"Base of the value; default: by its prefix, else 16"`
	ToBase   *int      `json:"to_base" unit:"1" min:"2" max:"36" label:"Output base" doc:"Additional base to convert to"`
	Bits     *int      `json:"bits" unit:"bit" min:"1" max:"4096" label:"Word length" doc:"Word length for two's complement"`
	Signed   bool      `json:"signed" default:"false" label:"Signed" doc:"Interpret the value as a two's complement pattern of the word length"`
}

type hexConverterOut struct {
	Decimal          string  `json:"decimal" label:"Decimal" doc:"The number in base 10"`
	Hex              string  `json:"hex" label:"Hexadecimal" doc:"The number in base 16, with a minus when negative"`
	Binary           string  `json:"binary" label:"Binary" doc:"The number in base 2"`
	Octal            string  `json:"octal" label:"Octal" doc:"The number in base 8"`
	Converted        *string `json:"converted" label:"Output base" doc:"The number in to_base; null without it"`
	FromBase         int     `json:"from_base" unit:"1" label:"Input base" doc:"Base of the input"`
	BitLength        int     `json:"bit_length" unit:"bit" label:"Bit length" doc:"Bits of the magnitude; 0 for zero"`
	Unsigned         *string `json:"unsigned" label:"Unsigned" doc:"The pattern as an unsigned number, in decimal; null without bits"`
	Signed           *string `json:"signed" label:"Signed" doc:"The pattern as two's complement, in decimal; null without bits"`
	TwosComplementHx *string `json:"twos_complement_hex" label:"Two's complement, hexadecimal" doc:"The pattern in hexadecimal, padded to the word length; null without bits"`
	TwosComplementBn *string `json:"twos_complement_binary" label:"Two's complement, binary" doc:"The pattern in binary, padded to the word length; null without bits"`
	ASCII            *string `json:"ascii" label:"ASCII" doc:"The number's bytes as text when all are printable ASCII, else null"`
	tools.Warnings
}

const maxBits = 4096

func hexConverter(_ context.Context, in hexConverterIn) (hexConverterOut, error) {
	var out hexConverterOut
	var f tools.FieldErrors
	n := out.read(&f, in)
	if in.Signed && in.Bits == nil {
		f.Add("bits", "is required with signed: the width of the pattern, 1 to 4096")
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	if n.BitLen() > maxBits {
		return out, tools.InvalidValue("value", in.Value,
			"must have at most %d bits, has %d", maxBits, n.BitLen())
	}
	if in.Bits != nil {
		width := uint(*in.Bits)
		full := new(big.Int).Lsh(big.NewInt(1), width)
		half := new(big.Int).Rsh(full, 1)
		if n.Cmp(full) >= 0 || n.Cmp(new(big.Int).Neg(half)) < 0 {
			detail := fmt.Sprintf("does not fit %d bits: -2^%d to 2^%d - 1", width, width-1, width)
			f.AddValue("value", in.Value, "%s", detail)
			f.AddValue("bits", *in.Bits, "is too narrow for the value, which %s", detail)
			return out, f.Err()
		}
		pattern, value := new(big.Int).Set(n), new(big.Int).Set(n)
		if n.Sign() < 0 {
			pattern.Add(n, full)
		} else if n.Cmp(half) >= 0 {
			value.Sub(n, full)
		}
		unsigned, signed := pattern.String(), value.String()
		hex, binary := padded(pattern, 16, (*in.Bits+3)/4), padded(pattern, 2, *in.Bits)
		out.Unsigned, out.Signed, out.TwosComplementHx, out.TwosComplementBn = &unsigned, &signed,
			&hex, &binary
		if in.Signed {
			n = value
		}
	}
	out.Decimal, out.Hex, out.Binary, out.Octal = n.String(), inBase(n, 16), inBase(n, 2),
		inBase(n, 8)
	out.BitLength = n.BitLen()
	if in.ToBase != nil {
		converted := inBase(n, *in.ToBase)
		out.Converted = &converted
	}
	if b := n.Bytes(); n.Sign() > 0 &&
		bytes.IndexFunc(b, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		text := string(b)
		out.ASCII = &text
	}
	return out, nil
}

// basePrefixes are the prefixes that denote a base.
var basePrefixes = []struct {
	prefix string
	base   int
}{{"0X", 16}, {"0B", 2}, {"0O", 8}}

// read parses the number and determines the base. It adds errors as field errors of value.
func (out *hexConverterOut) read(f *tools.FieldErrors, in hexConverterIn) *big.Int {
	digits := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '_':
			return -1
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return r
	}, in.Value.text)
	digits, negative := strings.CutPrefix(digits, "-")
	out.FromBase = choice.Or(in.FromBase, 16)
	prefixed := false
	for _, p := range basePrefixes {
		if rest, ok := strings.CutPrefix(digits, p.prefix); ok &&
			(in.FromBase == nil || *in.FromBase == p.base) {
			if in.FromBase == nil && p.base == 2 && rest != "" {
				out.Warn(
					"the prefix 0b was read as binary; as hex digits %s would be another number: give from_base 16 for that",
					digits,
				)
			}
			digits, out.FromBase, prefixed = rest, p.base, true
			break
		}
	}
	if digits == "" {
		f.AddValue("value", in.Value, "must not be empty: digits of base %d", out.FromBase)
		return nil
	}
	for _, r := range digits {
		if v := digitValue(r); v < 0 || v >= out.FromBase {
			f.AddValue("value", in.Value,
				"must have digits of base %d only (%s), with an optional leading minus: %q is none",
				out.FromBase, baseDigits(out.FromBase), string(r))
			return nil
		}
	}
	decimal := strings.Trim(digits, "0123456789") == ""
	if in.FromBase == nil && !prefixed && decimal && len(digits) > 1 {
		out.Warn(
			"the value looks decimal and was read as hex, the default: give from_base 10 for the decimal number",
		)
	}
	if out.FromBase == 16 && len(digits)%2 == 1 {
		out.Warn(
			"an odd number of hex digits makes no whole bytes: a leading 0 completes the first one")
	}
	n, _ := new(big.Int).SetString(digits, out.FromBase) // every digit was checked
	if negative {
		n.Neg(n)
	}
	return n
}

// digitValue returns 0 to 35 for 0 to 9 and A to Z, otherwise -1.
func digitValue(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= 'A' && r <= 'Z':
		return int(r-'A') + 10
	default:
		return -1
	}
}

// baseDigits returns the digits of a base as text.
func baseDigits(base int) string {
	if base <= 10 {
		return "0 to " + strconv.Itoa(base-1)
	}
	return "0 to 9, A to " + string(rune('A'+base-11))
}

// inBase returns sign and magnitude in a base, with digits in upper case.
func inBase(n *big.Int, base int) string { return strings.ToUpper(n.Text(base)) }

// padded formats n >= 0 with leading zeros up to a width.
func padded(n *big.Int, base, width int) string {
	s := inBase(n, base)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// digitText is a string of digits, or an integer from 0 to 2^53 that is interpreted as its decimal
// digits.
type digitText struct {
	text    string
	literal string // JSON as given
}

// digitTextLength is the maximum length of a digitText. It allows 4096 binary digits and
// separators.
const digitTextLength = 10000

// DecodeField decodes the string or the integer.
func (d *digitText) DecodeField(raw []byte) error {
	mistyped := errors.New("must be a string of digits, or a whole number from 0 to 2^53")
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return mistyped
		}
		if len(s) > digitTextLength {
			return fmt.Errorf("must have at most %d characters", digitTextLength)
		}
		*d = digitText{s, string(raw)}
		return nil
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return mistyped
	}
	// Digits are compared because the double nearest to 2^53 + 1 is 2^53.
	given, err := decimal.Parse(string(raw))
	if err != nil {
		return mistyped
	}
	n := given.Exact()
	if n.Sign() < 0 || n.Cmp(decimal.Whole(1<<53)) > 0 || !n.IsWhole() {
		return mistyped
	}
	*d = digitText{n.Rat().Num().String(), string(raw)}
	return nil
}

// FieldSchema returns the JSON Schema of the string or integer.
func (d *digitText) FieldSchema() map[string]any {
	return map[string]any{
		"type": []string{"string", "integer"}, "minLength": 1, "maxLength": digitTextLength,
		"minimum": 0, "maximum": 1 << 53,
	}
}

// MarshalJSON returns the value as it was given.
func (d digitText) MarshalJSON() ([]byte, error) {
	if d.literal == "" {
		return []byte(`""`), nil
	}
	return []byte(d.literal), nil
}
