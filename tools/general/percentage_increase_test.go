package general

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestPercentageIncrease(t *testing.T) {
	tooltest.Examples(t, PercentageIncrease)
	tooltest.Cases(t, PercentageIncrease, []tooltest.Case{
		{"a tenth down: 90/100", `{"original_value":100,"new_value":90}`, `{"change":-10,"percent_change":-10,"direction":"decrease","multiplier":0.9,"reverse_percent":11.1111111111111}`},
		{"0.3 less 0.1, which doubles miss", `{"original_value":0.1,"new_value":0.3}`,
			`{"change":0.2,"percent_change":200,"multiplier":3}`},
		{"1.21 in two periods is 10 % each", `{"original_value":100,"new_value":121,"periods":2}`,
			`{"cagr_pct":10,"warnings":[]}`},
		{"2.5^(1/7) = 1.13985228104759673 (Python decimal)",
			`{"original_value":1000,"new_value":2500,"periods":7}`,
			`{"cagr_pct":13.98522810475967}`},
		{"1.000001^(1/3) - 1: no cancellation (Python decimal)",
			`{"original_value":1000000,"new_value":1000001,"periods":3}`,
			`{"cagr_pct":0.000033333322222228395}`},
		{"half a period: 1.1² = 1.21", `{"original_value":100,"new_value":110,"periods":0.5}`,
			`{"cagr_pct":21}`},
		{"no change", `{"original_value":5,"new_value":5,"periods":3}`,
			`{"change":0,"percent_change":0,"direction":"no_change","multiplier":1,"cagr_pct":0}`},
		{"nothing to nothing", `{"original_value":0,"new_value":0}`, `{"percent_change":0,"multiplier":null,"reverse_percent":null,"direction":"no_change","warnings":["~undefined"]}`},
		{"from zero", `{"original_value":0,"new_value":5}`, `{"percent_change":null,"multiplier":null,"reverse_percent":-100,"direction":"increase","warnings":["~undefined"]}`},
		{"to zero", `{"original_value":4,"new_value":0}`,
			`{"percent_change":-100,"multiplier":0,"reverse_percent":null}`},
		{"negative base, -100 to -150", `{"original_value":-100,"new_value":-150,"periods":2}`, `{"percent_change":-50,"direction":"decrease","multiplier":1.5,"cagr_pct":null,"warnings":["~negative","~cagr_pct"]}`},
		{"through zero", `{"original_value":-50,"new_value":50}`, `{"percent_change":200,"multiplier":-1,"reverse_percent":-200,"warnings":["~negative","~signs"]}`},
		{"an explosion", `{"original_value":1,"new_value":10,"periods":0.001}`,
			`{"cagr_pct":null,"warnings":["~beyond"]}`},
		{"a collapse", `{"original_value":10,"new_value":1,"periods":1e-300}`, `{"cagr_pct":-100}`},
	})
	tooltest.InvalidCases(t, PercentageIncrease, []tooltest.InvalidCase{
		{"missing", `{}`, []string{"original_value", "new_value"}, "is required"},
		{"a string", `{"original_value":"80","new_value":100}`, []string{"original_value"},
			"a string was given"},
		{"no periods", `{"original_value":80,"new_value":100,"periods":0}`, []string{"periods"},
			"greater than 0"},
	})
}
