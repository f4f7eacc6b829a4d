package general

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/decimal"
	"slipstick/tools/tooltest"
)

func TestSigFigs(t *testing.T) {
	tooltest.Examples(t, SigFigs)
	tooltest.Cases(t, SigFigs, []tooltest.Case{
		{"figures of an uncertainty that was not given", `{"value":"2.675","uncertainty_figures":1}`,
			`{"sig_figs":4,"warnings":["~uncertainty_figures was ignored: it needs uncertainty"]}`},
		{"figures of uncertainties that were not given",
			`{"operation":"add","values":["1.0","2.0"],"uncertainty_figures":1}`,
			`{"result":"3.0","warnings":["~uncertainty_figures was ignored: it needs uncertainties"]}`},
		{"contract: half away from zero", `{"value":"2.675","round_to":3}`,
			`{"rounded":"2.68","rounded_scientific":"2.68e0","sig_figs":4}`},
		{"half to even", `{"value":"2.665","round_to":3,"rounding":"half_even"}`,
			`{"rounded":"2.66"}`},
		{"half to even, up", `{"value":"-2.675","round_to":3,"rounding":"half_even"}`,
			`{"rounded":"-2.68"}`},
		{"textbook: 1500 has 2 to 4", `{"value":"1500"}`, `{"sig_figs":2,"sig_figs_max":4,"ambiguous":true,"scientific":"1.5e3","decimal_places":0,"warnings":["~placeholders"]}`},
		{"textbook: 1500. has 4", `{"value":"1500."}`,
			`{"sig_figs":4,"sig_figs_max":4,"ambiguous":false,"scientific":"1.500e3","warnings":[]}`},
		{"textbook: 0.00320 has 3", `{"value":"0.00320"}`,
			`{"sig_figs":3,"decimal_places":5,"scientific":"3.20e-3"}`},
		{"textbook: 100.0 has 4", `{"value":"100.0"}`, `{"sig_figs":4,"decimal_places":1}`},
		{"the literal text of a number keeps its zeros", `{"value":1.500}`,
			`{"input":"1.500","sig_figs":4,"warnings":[]}`},
		{"a whole JSON number", `{"value":25}`,
			`{"sig_figs":2,"warnings":["~not given as a string"]}`},
		{"a whole JSON number with zeros after the point", `{"value":25.00}`,
			`{"sig_figs":4,"warnings":["~not given as a string"]}`},
		{"6.020e23", `{"value":"6.020x10^23"}`,
			`{"sig_figs":4,"decimal_places":0,"input":"6.020x10^23"}`},
		{"decimal places less the exponent", `{"value":"1.50e-3"}`, `{"decimal_places":5}`},
		{"zero", `{"value":"0.00"}`, `{"sig_figs":1,"ambiguous":true,"decimal_places":2,"scientific":"0e0","rounded":null,"warnings":["~zero"]}`},
		{"a zero in the units place gets a point", `{"value":"99.96","round_to":3}`,
			`{"rounded":"100.","rounded_scientific":"1.00e2"}`},
		{"rounded left of the point", `{"value":"1234","round_to":2}`,
			`{"rounded":"1200","rounded_scientific":"1.2e3"}`},
		{"carry: 9.995 to 3", `{"value":"9.995","round_to":3}`,
			`{"rounded":"10.0","rounded_scientific":"1.00e1"}`},
		{"padding", `{"value":"2.5","round_to":4}`, `{"rounded":"2.500","warnings":["~pads"]}`},
		{"ambiguous zeros taken as figures", `{"value":"1500","round_to":3}`, `{"rounded":"1500","rounded_scientific":"1.50e3","warnings":["~placeholders","~takes 1 of the ambiguous"]}`},
		{"too long for a plain decimal", `{"value":"1.5e2000","round_to":1}`,
			`{"rounded":null,"rounded_scientific":"2e2000"}`},
		{"product: 2 figures", `{"operation":"multiply","values":["4.56","1.4"]}`, `{"result":"6.4","unrounded":6.384,"rule":"sig_figs","sig_figs":2,"input":null,"sig_figs_max":null,"ambiguous":null}`},
		{"quotient: 100.0 / 3.00 keeps 3", `{"operation":"divide","values":["100.0","3.00"]}`,
			`{"result":"33.3","unrounded":33.33333333333333,"scientific":"3.33e1"}`},
		{"chained quotient: 1/8/-2 = -0.0625",
			`{"operation":"divide","values":["1.0000","8.0000","-2.0000"]}`,
			`{"result":"-0.062500","unrounded":-0.0625}`},
		{"difference: 10.5 - 10.25 = 0.25, one place",
			`{"operation":"subtract","values":["10.5","10.25"]}`,
			`{"result":"0.3","unrounded":0.25,"decimal_places":1}`},
		{"difference, half to even",
			`{"operation":"subtract","values":["10.5","10.25"],"rounding":"half_even"}`,
			`{"result":"0.2"}`},
		{"GUM 7.2.6: 10.057 62 Ω with 27 mΩ", `{"value":"10.05762","uncertainty":"0.027"}`,
			`{"with_uncertainty":"10.058 ± 0.027","combined_uncertainty":0.027,"warnings":[]}`},
		{"GUM 7.2.6: 28.05 kHz is rounded to 28 kHz", `{"value":"1000","uncertainty":"28.05"}`,
			`{"with_uncertainty":"1000 ± 28"}`},
		{"PDG rule of two figures (rubydoc.info, pdground)", `{"value":"12.2135","uncertainty":"0.03215"}`,
			`{"with_uncertainty":"12.214 ± 0.032"}`},
		{"PDG rule of one figure (rubydoc.info, pdground)", `{"value":"12.2135","uncertainty":"0.06515","uncertainty_figures":1}`,
			`{"with_uncertainty":"12.21 ± 0.07"}`},
		{"STAR, HepData rules: 0.279008 with 0.000766099", `{"value":"0.279008","uncertainty":"0.000766099","uncertainty_figures":1}`,
			`{"with_uncertainty":"0.2790 ± 0.0008"}`},
		{"STAR, HepData rules: 0.0766099 becomes 0.08", `{"value":"0.279008","uncertainty":"0.0766099","uncertainty_figures":1}`,
			`{"with_uncertainty":"0.28 ± 0.08"}`},
		{"opasnet.org: 1062 with 41, to the nearest", `{"value":"1062","uncertainty":"41","uncertainty_figures":1}`,
			`{"with_uncertainty":"(1.06 ± 0.04)e3"}`},
		{"STAR, HepData rules: 0.279008 with 0.0123261", `{"value":"0.279008","uncertainty":"0.0123261"}`,
			`{"with_uncertainty":"0.279 ± 0.012"}`},
		{"CODATA 2018: G = 6.674 30(15)e-11", `{"value":"6.674300e-11","uncertainty":"0.000150e-11"}`,
			`{"with_uncertainty":"(6.67430 ± 0.00015)e-11"}`},
		{"no zeros that pass for figures", `{"value":"12345","uncertainty":"432","uncertainty_figures":1}`,
			`{"with_uncertainty":"(1.23 ± 0.04)e4"}`},
		{"9.96 becomes 10 with a place less", `{"value":"123.456","uncertainty":"9.96"}`,
			`{"with_uncertainty":"123 ± 10"}`},
		{"a value within its uncertainty", `{"value":"0.002","uncertainty":"0.5","uncertainty_figures":1}`,
			`{"with_uncertainty":"0.0 ± 0.5","warnings":["~0 within"]}`},
		{"sum, 3-4-5: 10.0 ± 0.3 and 20.0 ± 0.4", `{"operation":"add","values":["10.0","20.0"],"uncertainties":["0.3","0.4"]}`,
			`{"with_uncertainty":"30.00 ± 0.50","combined_uncertainty":0.50000000}`},
		{"difference, 5-12-13", `{"operation":"subtract","values":["100","40"],"uncertainties":["5","12"]}`,
			`{"with_uncertainty":"60 ± 13"}`},
		{"product, 3 % and 4 % are 5 %", `{"operation":"multiply","values":["10.0","20.0"],"uncertainties":["0.3","0.8"]}`,
			`{"with_uncertainty":"200 ± 10","combined_uncertainty":10.0000000}`},
		{"quotient, 3 %, 4 % and an exact 2", `{"operation":"divide","values":["300","2","50"],"uncertainties":["9","0","2"]}`,
			`{"with_uncertainty":"3.00 ± 0.15","combined_uncertainty":0.150000000}`},
		{"product of 1e-100, 10 % of two factors: their parts underflow by themselves", `{"operation":"multiply","values":["1e-200","1e-200","1e300"],"uncertainties":["1e-201","0","1e299"]}`,
			`{"combined_uncertainty":1.414213562373e-101}`},
		{"quotient: 10 % of the third", `{"operation":"divide","values":["24","2","3"],"uncertainties":["0","0","0.3"]}`,
			`{"combined_uncertainty":0.4000000000}`},
		{"product of zeros: both derivatives are 0", `{"operation":"multiply","values":["0","0"],"uncertainties":["0.1","0.1"]}`,
			`{"with_uncertainty":null,"warnings":["~ambiguous","~ambiguous","~no first-order uncertainty"]}`},
		{"product with 0: only the 0 is uncertain", `{"operation":"multiply","values":["0","20"],"uncertainties":["0.1","5"]}`,
			`{"with_uncertainty":"0.0 ± 2.0","combined_uncertainty":2.0000000}`},
		{"an uncertainty far below the value", `{"value":"1e200","uncertainty":"1e-200"}`,
			`{"with_uncertainty":null,"warnings":["~beyond figure 100"]}`},
		{"an uncertainty that belongs to values", `{"value":"1.5","uncertainties":["1","2"]}`,
			`{"with_uncertainty":null,"warnings":["~use uncertainty"]}`},
		{"nothing left", `{"operation":"subtract","values":["1.5","1.5"]}`,
			`{"result":"0.0","unrounded":0,"scientific":"0e0","sig_figs":1}`},
		{"sum: 99.5 + 0.5 with whole places", `{"operation":"add","values":["99","1.4"]}`,
			`{"result":"100.","sig_figs":3}`},
		{"product whose plain form hides figures",
			`{"operation":"multiply","values":["25","40.0"]}`,
			`{"result":"1000","scientific":"1.0e3","sig_figs":2,"warnings":["~write 1.0e3"]}`},
		{"0.1 + 0.2 is exact", `{"operation":"add","values":["0.1","0.2"]}`,
			`{"unrounded":0.3,"result":"0.3"}`},
		{"far apart", `{"operation":"multiply","values":["1e9999","1e9999"]}`,
			`{"unrounded":null,"result":null,"scientific":"1e19998"}`},
		{"round_to with an operation", `{"operation":"add","values":["1.5","2.5"],"round_to":1}`,
			`{"result":"4.0","warnings":["~round_to"]}`},
	})
	tooltest.InvalidCases(t, SigFigs, []tooltest.InvalidCase{
		{"no uncertainty", `{"value":"1.5","uncertainty":"0"}`, []string{"uncertainty"}, "above 0"},
		{"too few uncertainties", `{"operation":"add","values":["1","2","3"],"uncertainties":["1","2"]}`,
			[]string{"uncertainties"}, "as many as values"},
		{"a negative uncertainty", `{"operation":"add","values":["1","2"],"uncertainties":["1","-2"]}`,
			[]string{"uncertainties[1]"}, "at least 0"},
		{"no uncertain value", `{"operation":"add","values":["1","2"],"uncertainties":["0","0"]}`,
			[]string{"uncertainties"}, "all 0"},
		{"not a decimal", `{"value":"abc"}`, []string{"value"}, "decimal number"},
		{"a boolean", `{"value":true}`, []string{"value"}, "number or a decimal string"},
		{"round_to 0", `{"value":"1.5","round_to":0}`, []string{"round_to"}, "1 to 100"},
		{"neither form", `{}`, []string{"value", "operation", "values"}, "either"},
		{"both forms", `{"value":"1.5","operation":"add","values":["1","2"]}`, []string{"value"},
			"contradicts"},
		{"no operation", `{"values":["1","2"]}`, []string{"operation"}, "is required"},
		{"no values", `{"operation":"add"}`, []string{"values"}, "is required"},
		{"one value", `{"operation":"add","values":["1"]}`, []string{"values"}, "at least 2"},
		{"division by zero", `{"operation":"divide","values":["1","2","0.0"]}`,
			[]string{"values[2]"}, "divisor"},
		{"the first may be zero, the others not", `{"operation":"divide","values":["0","0"]}`,
			[]string{"values[1]"}, "divisor"},
		{"bad entry", `{"operation":"add","values":["1",null]}`, []string{"values[1]"},
			"decimal string"},
	})
}

func TestRoundingKeepsFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[1-9][0-9]{0,12}\.[0-9]{1,12}(e-?[0-9]{1,3})?`).Draw(t,
			"value")
		n := rapid.IntRange(1, 30).Draw(t, "n")
		d, err := decimal.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := d.Ratio().ToFigures(n, false)
		if len(f.Digits) != n || strings.HasPrefix(f.Digits, "0") {
			t.Fatalf("%s to %d figures has the digits %s", text, n, f.Digits)
		}
		// The difference |rounded - value| is at most half a unit of the last figure.
		gap := f.Exact().Minus(d.Exact()).Abs()
		if unit := decimal.FromScientific(1, f.Exp); gap.Plus(gap).Cmp(unit) > 0 {
			t.Fatalf("%s to %d figures: %s", text, n, f.Scientific())
		}
		again, err := decimal.Parse(f.Scientific())
		if err != nil || again.Exact().Cmp(f.Exact()) != 0 {
			t.Fatalf("%s is written %s", text, f.Scientific())
		}
	})
}
