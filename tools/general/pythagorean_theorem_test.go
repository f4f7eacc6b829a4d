package general

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/special"
	"slipstick/tools/tooltest"
)

func TestPythagoreanTheorem(t *testing.T) {
	tooltest.Examples(t, PythagoreanTheorem)
	tooltest.Cases(t, PythagoreanTheorem, []tooltest.Case{
		{"3 · 4/5 is 2.4 to the last digit", `{"a":3,"b":4}`, `{"altitude":2.400000000000000}`},
		{"unit square: √2 to 30 digits 1.41421356237309504880", `{"a":1,"b":1}`, `{"c":1.414213562373095,"area":0.5,"angle_a_deg":45.0000000000000,"altitude":0.707106781186548,"is_integer_triple":false,"is_primitive":false}`},
		{"half an equilateral triangle: √3", `{"a":1,"c":2}`, `{"b":1.732050807568877,"angle_a_deg":30.0000000000000,"angle_b_deg":60.0000000000000,"is_integer_triple":false}`},
		{"6, 8, 10 is a triple but not primitive", `{"b":8,"c":10}`,
			`{"a":6,"is_integer_triple":true,"is_primitive":false,"perimeter":24}`},
		{"180² + 299² = 349², where math.Hypot is off", `{"a":180,"b":299}`,
			`{"c":349,"is_primitive":true}`},
		{"m = 70000001, n = 2: m² - n², 2mn, m² + n², checked in integers",
			`{"a":4900000139999997,"b":280000004}`,
			`{"c":4900000140000005,"is_integer_triple":true,"is_primitive":true}`},
		{"one beside a triple", `{"a":4900000139999998,"b":280000004}`,
			`{"is_integer_triple":false}`},
		{"0.3, 0.4, 0.5", `{"a":0.3,"b":0.4}`,
			`{"c":0.5,"altitude":0.24000000000000,"is_integer_triple":false}`},
		{"no overflow: area 6e400 is no double", `{"a":3e200,"b":4e200}`, `{"c":5.00000000000000e200,"area":null,"altitude":2.40000000000000e200,"warnings":["~left out"]}`},
		{"no underflow", `{"a":3e-200,"c":5e-200}`, `{"b":4.00000000000000e-200,"area":null}`},
		{"c - b does not cancel: √((2^-20)(2 + 2^-20)) = 0.00138106826127719",
			`{"b":1,"c":1.00000095367431640625}`, `{"a":0.00138106826127719}`},
		{"a flat one", `{"a":1,"b":1e8}`, `{"warnings":["~below 1e-7"]}`},
	})
	tooltest.InvalidCases(t, PythagoreanTheorem, []tooltest.InvalidCase{
		{"one side", `{"a":3}`, []string{"a", "b", "c"}, "exactly two"},
		{"three sides", `{"a":3,"b":4,"c":5}`, []string{"a", "b", "c"}, "3 given"},
		{"short hypotenuse", `{"a":3,"c":2}`, []string{"a", "c"}, "longer than the leg a"},
		{"equal hypotenuse", `{"b":3,"c":3}`, []string{"b", "c"}, "longer than the leg b"},
		{"negative", `{"a":-3,"b":4}`, []string{"a"}, "greater than 0"},
		{"zero", `{"a":3,"b":0}`, []string{"b"}, "greater than 0"},
	})
}

// TestHypotenuse compares the result with a square root of 300 bits, within one unit in the last
// place.
func TestHypotenuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(1e-9, 1e9).Draw(t, "a"),
			rapid.Float64Range(1e-9, 1e9).Draw(t, "b")
		square := func(x float64) *big.Float {
			v := new(big.Float).SetPrec(300).SetFloat64(x)
			return v.Mul(v, v)
		}
		sum := square(a)
		want, _ := sum.Sqrt(sum.Add(sum, square(b))).Float64()
		got := special.Hypot(a, b)
		if got != want && got != math.Nextafter(want, 0) &&
			got != math.Nextafter(want, math.MaxFloat64) {
			t.Fatalf("hypotenuse(%g, %g) = %.17g, want %.17g", a, b, got, want)
		}
	})
}
