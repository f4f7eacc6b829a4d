package general

import (
	"strings"
	"testing"

	"slipstick/tools/decimal"
	"slipstick/tools/tooltest"
)

func TestScientificNotation(t *testing.T) {
	tooltest.Examples(t, ScientificNotation)
	tooltest.Cases(t, ScientificNotation, []tooltest.Case{
		{"speed of light", `{"value":299792458}`, `{"scientific":"2.99792458e8","engineering":"299.792458e6","si_prefix":"M","number":299792458,"decimal":"299792458","warnings":[]}`},
		{"Avogadro", `{"value":"6.02214076x10^23"}`, `{"exponent":23,"engineering":"602.214076e21","si_prefix":"Z","decimal":"602214076000000000000000","number":6.02214076e23}`},
		{"ambiguous zeros are dropped", `{"value":"1500"}`,
			`{"scientific":"1.5e3","decimal":"1500","warnings":["~dropped"]}`},
		{"a point keeps them", `{"value":"1500."}`,
			`{"scientific":"1.500e3","engineering":"1.500e3","si_prefix":"k","warnings":[]}`},
		{"digits", `{"value":-0.0123456,"digits":3}`, `{"coefficient":"-1.23","exponent":-2,"engineering":"-12.3e-3","si_prefix":"m","decimal":"-0.0123"}`},
		{"half up: 1.25 to two", `{"value":"1.25","digits":2}`, `{"coefficient":"1.3"}`},
		{"carry: 9.99 to two", `{"value":"9.99","digits":2}`,
			`{"scientific":"1.0e1","decimal":"10"}`},
		{"padding", `{"value":"5","digits":3}`, `{"scientific":"5.00e0","warnings":["~pad"]}`},
		{"placeholders in engineering notation", `{"value":"1e5"}`,
			`{"scientific":"1e5","engineering":"100e3","decimal":"100000"}`},
		{"below the doubles", `{"value":"1e-400"}`, `{"number":null,"exponent":-400,"engineering":"100e-402","si_prefix":null,"warnings":["~range of a double"]}`},
		{"above the doubles", `{"value":"-2e999"}`,
			`{"number":null,"engineering":"-2e999","warnings":["~range of a double"]}`},
		{"too long for a plain decimal", `{"value":"1e1000"}`, `{"decimal":null}`},
		{"zero", `{"value":"0.000"}`, `{"scientific":"0e0","engineering":"0e0","exponent":0,"si_prefix":"","decimal":"0","number":0,"warnings":[]}`},
		{"quecto", `{"value":"1.5e-30"}`, `{"si_prefix":"q"}`},
		{"below quecto", `{"value":"9.9e-31"}`, `{"si_prefix":null,"engineering":"990e-33"}`},
		{"the last of quetta", `{"value":"9.9e32"}`, `{"si_prefix":"Q"}`},
	})
	tooltest.InvalidCases(t, ScientificNotation, []tooltest.InvalidCase{
		{"empty", `{"value":""}`, []string{"value"}, "not empty"},
		{"no decimal", `{"value":"12a"}`, []string{"value"}, "decimal number"},
		{"digits 0", `{"value":"12","digits":0}`, []string{"digits"}, "1 to 100"},
		{"exponent", `{"value":"1e10000"}`, []string{"value"}, "9999"},
		{"missing", `{}`, []string{"value"}, "is required"},
	})
}

// TestPlainLengthLimit verifies both sides of the limit on plain decimals.
func TestPlainLengthLimit(t *testing.T) {
	for _, c := range []struct {
		f    decimal.Figures
		want bool
	}{
		{decimal.Figures{Digits: "1", Exp: decimal.MaxPlainLength - 1}, true},
		{decimal.Figures{Digits: "1", Exp: decimal.MaxPlainLength}, false},
		{decimal.Figures{Digits: "1", Exp: 2 - decimal.MaxPlainLength}, true},
		{decimal.Figures{Digits: "1", Exp: 1 - decimal.MaxPlainLength}, false},
		{decimal.Figures{Neg: true, Digits: strings.Repeat("9", decimal.MaxPlainLength), Exp: -3},
			false},
	} {
		s, ok := c.f.Plain()
		if ok != c.want || len(s) > decimal.MaxPlainLength {
			t.Errorf("exponent %d: %d characters, %v", c.f.Exp, len(s), ok)
		}
	}
}
