package general

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestPercentageCalc(t *testing.T) {
	tooltest.Examples(t, PercentageCalc)
	tooltest.Cases(t, PercentageCalc, []tooltest.Case{
		{"19.99 · 8.875/100 = 1.7741125", `{"percent":8.875,"value":19.99}`,
			`{"result":1.7741125,"formula":"8.875 / 100 × 19.99 = 1.7741125"}`},
		{"1e-402 is no double", `{"percent":1e-200,"value":1e-200}`,
			`{"result":null,"formula":"1e-200 / 100 × 1e-200","warnings":["~below the range"]}`},
		{"0 % of any value is exactly 0", `{"percent":0,"value":1e-200}`,
			`{"result":0,"warnings":[]}`},
		{"30 of 120 is a quarter", `{"operation":"what_percent","part":30,"whole":120}`,
			`{"result":25,"formula":"100 × 30 / 120 = 25"}`},
		{"1 of 3", `{"operation":"what_percent","part":1,"whole":3}`,
			`{"result":33.33333333333333}`},
		{"30 is 25 % of 120", `{"operation":"whole_from_percent","part":30,"percent":25}`,
			`{"result":120}`},
		{"100 + 21 %", `{"operation":"add_percent","value":100,"percent":21}`, `{"result":121}`},
		{"0.3 - 10 % = 0.27, which doubles miss",
			`{"operation":"subtract_percent","value":0.3,"percent":10}`,
			`{"result":0.27,"formula":"0.3 × (1 - 10 / 100) = 0.27"}`},
		{"the discount of 20 % that left 80",
			`{"operation":"reverse_subtract","value":80,"percent":20}`, `{"result":100}`},
		{"contract: 121 before 21 % is 100, not 95.59",
			`{"operation":"reverse_add","value":121,"percent":21}`,
			`{"result":100,"formula":"121 / (1 + 21 / 100) = 100"}`},
		{"|40 - 60| / 50", `{"operation":"percent_difference","a":40,"b":60}`, `{"result":40}`},
		{"opposite numbers: 2/1", `{"operation":"percent_difference","a":-3,"b":3}`,
			`{"result":200,"formula":"100 × |-3 - 3| / ((|-3| + |3|) / 2) = 200"}`},
		{"negative numbers keep their sign", `{"percent":-15,"value":80}`,
			`{"result":-12,"formula":"(-15) / 100 × 80 = -12"}`},
		{"negative whole", `{"operation":"what_percent","part":5,"whole":-10}`,
			`{"result":-50,"warnings":["~negative"]}`},
		{"above 1000 %", `{"percent":1001,"value":2}`,
			`{"result":20.02,"warnings":["~ten times"]}`},
		{"a field without meaning", `{"percent":10,"value":20,"whole":3}`,
			`{"result":2,"warnings":["~whole was ignored"]}`},
	})
	tooltest.InvalidCases(t, PercentageCalc, []tooltest.InvalidCase{
		{"no fields", `{}`, []string{"percent", "value"}, "required for percent_of"},
		{"whole 0", `{"operation":"what_percent","part":1,"whole":0}`, []string{"whole"},
			"not be 0"},
		{"percent 0", `{"operation":"whole_from_percent","part":1,"percent":0}`,
			[]string{"percent"}, "not be 0"},
		{"percent -100", `{"operation":"reverse_add","value":1,"percent":-100}`,
			[]string{"percent"}, "-100"},
		{"percent 100", `{"operation":"reverse_subtract","value":1,"percent":100}`,
			[]string{"percent"}, "100"},
		{"both 0", `{"operation":"percent_difference","a":0,"b":0}`, []string{"a", "b"},
			"both be 0"},
		{"one of two missing", `{"operation":"percent_difference","a":0}`, []string{"b"},
			"is required"},
		{"another operation", `{"operation":"per_mille","value":1}`, []string{"operation"},
			"percent_of"},
		{"overflow", `{"operation":"what_percent","part":1e308,"whole":1e-308}`, nil, "finite"},
	})
}

func TestReverseUndoesAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e9, 1e9).Draw(t, "value")
		p := rapid.Float64Range(-99, 500).Draw(t, "percent")
		if v != 0 && math.Abs(v) < 1e-300 {
			t.Skip("the sum may be a double of few digits")
		}
		for forth, back := range map[string]string{"add_percent": "reverse_add",
			"subtract_percent": "reverse_subtract"} {
			if forth == "subtract_percent" {
				p = math.Min(p, 99)
			}
			sum, _ := percentage(percentageCalcIn{Operation: forth, Value: &v, Percent: &p})
			x := sum.Float()
			again, _ := percentage(percentageCalcIn{Operation: back, Value: &x, Percent: &p})
			if y := again.Float(); math.Abs(y-v) > 1e-15*math.Abs(v) {
				t.Fatalf("%s and %s of %v %%: %v became %v", forth, back, p, v, y)
			}
		}
	})
}

func TestPercentFields(t *testing.T) {
	for _, operation := range PercentageCalc.Input.Field("operation").Enum {
		if len(percentFields[operation]) != 2 {
			t.Errorf("%s needs the fields %v", operation, percentFields[operation])
		}
		one := 1.0
		r, formula := percentage(percentageCalcIn{Operation: operation, Percent: &one, Value: &one,
			Part: &one, Whole: &one, A: &one, B: new(float64)})
		if r.Sign() <= 0 || formula == "" {
			t.Errorf("%s of ones gives %v, %q", operation, r.Float(), formula)
		}
	}
}
