package general

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestHexConverter(t *testing.T) {
	tooltest.Examples(t, HexConverter)
	tooltest.Cases(t, HexConverter, []tooltest.Case{
		{"4096 bits", `{"value":"` + strings.Repeat("1", 4096) + `","from_base":2,"bits":4096}`,
			`{"bit_length":4096,"signed":"-1"}`},
		{"0xDEADBEEF = 3735928559", `{"value":"0xdead_beef"}`, `{"decimal":"3735928559","hex":"DEADBEEF","octal":"33653337357","bit_length":32,"from_base":16,"unsigned":null,"twos_complement_hex":null,"converted":null}`},
		{"0b1010 by prefix", `{"value":"0b1010"}`,
			`{"decimal":"10","from_base":2,"warnings":["~from_base 16"]}`},
		{"0b1 as hex digits is B1 = 177", `{"value":"0b1","from_base":16}`,
			`{"decimal":"177","hex":"B1","warnings":["~odd"]}`},
		{"0b alone is no prefix but an empty binary number's", `{"value":"0b11","from_base":2}`,
			`{"decimal":"3","warnings":[]}`},
		{"0o17", `{"value":"0O17"}`, `{"decimal":"15","from_base":8}`},
		{"a number is read by its digits", `{"value":255,"from_base":10}`,
			`{"hex":"FF","warnings":[]}`},
		{"a number without a base is hex: 0x255 = 597", `{"value":255}`,
			`{"decimal":"597","warnings":["~looks decimal","~odd"]}`},
		{"2^53 as a number, the largest", `{"value":9007199254740992,"from_base":10}`,
			`{"decimal":"9007199254740992","hex":"20000000000000"}`},
		{"a number with an exponent and a zero behind the point",
			`{"value":25.50e1,"from_base":10}`, `{"decimal":"255"}`},
		{"a number of binary digits", `{"value":1010,"from_base":2}`, `{"decimal":"10"}`},
		{"base 36: ZZ = 35·36 + 35", `{"value":"zz","from_base":36,"to_base":3}`,
			`{"decimal":"1295","converted":"1202222"}`},
		{"2^128 - 1", `{"value":"FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF","bits":128}`,
			`{"decimal":"340282366920938463463374607431768211455","signed":"-1","bit_length":128}`},
		{"-128 in 8 bits", `{"value":"-80","bits":8}`, `{"decimal":"-128","signed":"-128","unsigned":"128","twos_complement_binary":"10000000","hex":"-80"}`},
		{"signed 80 in 8 bits", `{"value":"80","bits":8,"signed":true,"from_base":16}`, `{"decimal":"-128","hex":"-80","binary":"-10000000","unsigned":"128","signed":"-128","bit_length":8}`},
		{"a width that is no multiple of 4: 5 in 6 bits", `{"value":"5","bits":6}`,
			`{"twos_complement_hex":"05","twos_complement_binary":"000101"}`},
		{"-1 in one bit", `{"value":"-1","bits":1}`, `{"unsigned":"1","twos_complement_hex":"1"}`},
		{"Hello", `{"value":"48 65 6C 6C 6F"}`,
			`{"ascii":"Hello","decimal":"310939249775","warnings":[]}`},
		{"a line feed is not printable", `{"value":"480A"}`, `{"ascii":null}`},
		{"zero", `{"value":"-00"}`, `{"decimal":"0","hex":"0","bit_length":0,"ascii":null}`},
		{"odd", `{"value":"ABC"}`, `{"decimal":"2748","warnings":["~odd"]}`},
	})
	tooltest.InvalidCases(t, HexConverter, []tooltest.InvalidCase{
		{"2^53 + 1, which would be read as 2^53", `{"value":9007199254740993,"from_base":10}`,
			[]string{"value"}, "0 to 2^53"},
		{"a fraction that no double has", `{"value":7.0000000000000001,"from_base":10}`,
			[]string{"value"}, "whole number"},
		{"an absurd exponent", `{"value":1e999999999,"from_base":10}`, []string{"value"},
			"0 to 2^53"},
		{"a digit outside the base", `{"value":"12","from_base":2}`, []string{"value"},
			"base 2 only (0 to 1)"},
		{"a hex prefix in base 10", `{"value":"0x10","from_base":10}`,
			[]string{"value"}, "base 10"},
		{"G", `{"value":"FG"}`, []string{"value"}, "A to F"},
		{"a plus", `{"value":"+1"}`, []string{"value"}, "leading minus"},
		{"two minuses", `{"value":"--1"}`, []string{"value"}, "leading minus"},
		{"the long s is not an S", `{"value":"ſ","from_base":36}`, []string{"value"}, "A to Z"},
		{"empty", `{"value":""}`, []string{"value"}, "empty"},
		{"only a prefix", `{"value":"0x"}`, []string{"value"}, "empty"},
		{"only separators", `{"value":" _ "}`, []string{"value"}, "empty"},
		{"too wide", `{"value":"100","bits":8}`, []string{"value", "bits"}, `does not fit 8 bits: -2^7 to 2^8 - 1, got "100"`},
		{"too negative", `{"value":"-81","bits":8}`, []string{"value", "bits"}, "-2^7"},
		{"signed without bits", `{"value":"FF","signed":true}`, []string{"bits"},
			"required with signed"},
		{"base 37", `{"value":"1","from_base":37,"to_base":1}`, []string{"from_base", "to_base"},
			"2 to 36"},
		{"a fraction", `{"value":1.5}`, []string{"value"}, "whole number"},
		{"negative number", `{"value":-1}`, []string{"value"}, "whole number"},
		{"4097 bits", `{"value":"1` + strings.Repeat("0", 4096) + `","from_base":2}`,
			[]string{"value"}, "at most 4096 bits"},
	})
}

func TestBasesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.IntRange(2, 36).Draw(t, "base")
		n := rapid.Int64().Draw(t, "n")
		in := hexConverterIn{Value: digitText{text: inBase(big.NewInt(n), base)}, FromBase: &base}
		out, err := hexConverter(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if out.Decimal != fmt.Sprint(n) || !strings.EqualFold(out.Hex, fmt.Sprintf("%x", n)) ||
			out.Binary != fmt.Sprintf("%b", n) || out.Octal != fmt.Sprintf("%o", n) {
			t.Fatalf("%d in base %d: %+v", n, base, out)
		}
	})
}

func TestTwosComplementOfInt64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		bits, ten := 64, 10
		out, err := hexConverter(t.Context(), hexConverterIn{Value: digitText{text: fmt.Sprint(n)},
			FromBase: &ten, Bits: &bits})
		if err != nil {
			t.Fatal(err)
		}
		if *out.TwosComplementHx != fmt.Sprintf("%016X", uint64(n)) ||
			*out.Unsigned != fmt.Sprint(uint64(n)) || *out.Signed != fmt.Sprint(n) {
			t.Fatalf("%d: %+v", n, out)
		}
	})
}
