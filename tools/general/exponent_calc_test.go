package general

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/choice"
	"slipstick/tools/decimal"
	"slipstick/tools/tooltest"
)

// TestExponentCalc compares results with the source that the case names, or with Python 3 decimal
// at 60 digits.
func TestExponentCalc(t *testing.T) {
	tooltest.Examples(t, ExponentCalc)
	tooltest.Cases(t, ExponentCalc, []tooltest.Case{
		{"1.1 is eleven tenths: 1.21", `{"base":1.1,"exponent":2}`,
			`{"result":1.21,"exact":null,"scientific":"1.21000000000000e0"}`},
		{"root of 2 = 1.41421356237309505", `{"base":2,"exponent":0.5}`,
			`{"result":1.414213562373095,"scientific":"1.41421356237310e0"}`},
		{"1.0001^1000000 = 2.67471099314214017e43", `{"base":1.0001,"exponent":1000000}`,
			`{"result":2.67471099314214e43}`},
		{"32^0.2 = 2", `{"base":32,"exponent":0.2}`, `{"result":2}`},
		{"1e300^0.1 = 1e30", `{"base":1e300,"exponent":0.1}`, `{"result":1e30,"log10_abs":30}`},
		{"3^0.12345678901234567 = 1.14525938163296082", `{"base":3,"exponent":0.12345678901234567}`,
			`{"result":1.145259381632961}`},
		{"7.5^(-999983/999979) = 0.133332258700152316", `{"base":7.5,"exponent":"-999983/999979"}`,
			`{"result":0.1333322587001523}`},
		{"π^e = 22.4591577183610348", `{"base":3.141592653589793,"exponent":2.718281828459045}`,
			`{"result":22.459157718361035}`},
		{"5^-3 = 1/125", `{"base":5,"exponent":-3}`, `{"result":0.008,"exact":"1/125"}`},
		{"(-2)^3", `{"base":-2,"exponent":3}`,
			`{"result":-8,"exact":"-8","scientific":"-8.00000000000000e0"}`},
		{"(-8)^(2/3) = 4", `{"base":-8,"exponent":"2/3"}`, `{"result":4}`},
		{"(-32)^(6/10) = (-32)^(3/5) = -8", `{"base":-32,"exponent":"6/10"}`, `{"result":-8}`},
		{"4/2 is whole", `{"base":-3,"exponent":"4/2"}`, `{"result":9,"exact":"9"}`},
		{"anything to the 0th", `{"base":-7.3,"exponent":0}`,
			`{"result":1,"log10_abs":0,"warnings":[]}`},
		{"0^0", `{"base":0,"exponent":0}`,
			`{"result":1,"exact":"1","log10_abs":0,"warnings":["~0^0"]}`},
		{"0^0.5", `{"base":0,"exponent":0.5}`,
			`{"result":0,"exact":null,"scientific":"0e0","log10_abs":null,"warnings":[]}`},
		{"2^-1074, the smallest double", `{"base":2,"exponent":-1074}`,
			`{"result":5e-324,"scientific":"4.94065645841247e-324","warnings":["~below"]}`},
		{"negative overflow", `{"base":-10,"exponent":401}`,
			`{"result":null,"scientific":"-1.00000000000000e401","warnings":["~above"]}`},
		// Logarithms of bases near 1, of the decimals as written, by mpmath with 60 digits.
		{"a base 1e-13 above 1", `{"base":1.0000000000001,"exponent":1000000000000.5}`,
			`{"log10_abs":0.04342944819034473}`},
		{"a base 1e-12 below 1", `{"base":0.999999999999,"exponent":10000000000.25}`,
			`{"log10_abs":-0.004342944819143263}`},
		{"a base 1e-7 below 1", `{"base":0.9999999,"exponent":1000000.3}`,
			`{"log10_abs":-0.04342946339063285}`},
		{"an exponent whose denominator is above the range of a double",
			`{"base":1e100,"exponent":1e-310}`, `{"result":1,"log10_abs":1.00000000000e-308}`},
		{"a logarithm below the range of a double: 4.3e-328",
			`{"base":1.0000001,"exponent":1e-320}`,
			`{"result":1,"log10_abs":null,"warnings":["log10_abs is below the range of a double and was left out"]}`},
		{"1 to a small power: a logarithm of 0", `{"base":1,"exponent":1e-320}`,
			`{"result":1,"log10_abs":0,"warnings":[]}`},
		{"underflow", `{"base":10,"exponent":-401.5}`, `{"result":0,"scientific":"3.16227766016838e-402","log10_abs":-401.5,"warnings":["~below"]}`},
		{"1.5^1e9: log10 = 176091259.055681242", `{"base":1.5,"exponent":1e9}`,
			`{"result":null,"exact":null,"log10_abs":176091259.05568124}`},
		{"beyond all digits", `{"base":1.5,"exponent":1e300}`, `{"result":null,"scientific":null,"log10_abs":1.76091259055681e299,"warnings":["~above"]}`},
		{"1 to anything", `{"base":-1,"exponent":1e300}`, `{"result":1,"exact":"1"}`},
	})
	tooltest.InvalidCases(t, ExponentCalc, []tooltest.InvalidCase{
		{"a decimal is not a fraction", `{"base":-8,"exponent":0.3333}`,
			[]string{"exponent"}, `"1/3"`},
		{"even root of a negative", `{"base":-8,"exponent":"1/2"}`, []string{"exponent"},
			"odd denominator"},
		{"half power of a negative", `{"base":-4,"exponent":0.5}`, []string{"exponent"}, "base -4"},
		{"zero to a negative power", `{"base":0,"exponent":-1}`, []string{"exponent"},
			"divides by zero"},
		{"zero denominator", `{"base":2,"exponent":"1/0"}`, []string{"exponent"}, "denominator 0"},
		{"numerator too large", `{"base":2,"exponent":"1000001/2"}`,
			[]string{"exponent"}, "1000000"},
		{"a word", `{"base":2,"exponent":"two"}`, []string{"exponent"}, "p/q"},
		{"nothing", `{}`, []string{"base", "exponent"}, "is required"},
	})
}

func TestExactPowerLength(t *testing.T) {
	var out struct{ Exact *string }
	for exponent, digits := range map[string]int{"4999": 5000, "5000": 0} { // 10^n has n + 1 digits
		raw, err := ExponentCalc.Run(context.Background(),
			[]byte(`{"base":10,"exponent":`+exponent+`}`))
		if err != nil {
			t.Fatal(err)
		}
		out.Exact = nil
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		if got := len(choice.Or(out.Exact, "")); got != digits {
			t.Errorf("10^%s has %d digits in exact, want %d", exponent, got, digits)
		}
	}
}

func TestPowerLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.Float64Range(1e-3, 1e3).Draw(t, "base")
		y := rapid.Float64Range(-50, 50).Draw(t, "exponent")
		z, _ := decimal.FloatText(b).Power(decimal.FromFloat(y))
		inverse, _ := decimal.FloatText(b).Power(decimal.FromFloat(-y))
		if d := math.Abs(z.Times(inverse).MinusOne()); d > 1e-16 {
			t.Fatalf("%v^%v times its inverse is off by %g", b, y, d)
		}
		square, _ := decimal.FloatText(b).Power(decimal.FromFloat(y).Plus(decimal.FromFloat(y)))
		if d := math.Abs(z.Times(z).Over(square).MinusOne()); d > 1e-16 {
			t.Fatalf("(%v^%v)² is off by %g", b, y, d)
		}
		p := rapid.Int64Range(0, 1000).Draw(t, "p")
		q := p + rapid.Int64Range(1, 1000).Draw(t, "more")
		back, _ := decimal.FloatText(b).Root(p, q).Raised(uint64(q))
		want, _ := decimal.FloatText(b).Raised(uint64(p))
		if d := math.Abs(back.Over(want).MinusOne()); d > 1e-24 {
			t.Fatalf("(%v^(%d/%d))^%d is off by %g", b, p, q, q, d)
		}
	})
}

func BenchmarkPowerWorst(b *testing.B) {
	for b.Loop() {
		decimal.FloatText(1.7e308).Power(decimal.FromFloat(123456.123456789012))
	}
}
