package pcb

import (
	"encoding/json"
	"fmt"
	"testing"

	"slipstick/tools/eseries"
	"slipstick/tools/tooltest"
)

func TestResistorColorCode(t *testing.T) {
	tooltest.Examples(t, ResistorColorCode)
	tooltest.Cases(t, ResistorColorCode, []tooltest.Case{
		{"IEC 60062: white is 1e9, so 220e9 needs three digits", `{"resistance_ohm":220e9}`,
			`{"bands":["red","red","black","white","gold"],"resistance_ohm":220000000000,"band_count":5}`},
		{"the largest value of four bands: 99 · 1e9", `{"resistance_ohm":99e9}`,
			`{"bands":["white","white","white","gold"],"band_count":4}`},
		{"1e11 is 100 · 1e9", `{"resistance_ohm":1e11}`,
			`{"bands":["brown","black","black","white","gold"],"band_count":5}`},
		{"contract: 47·10², 5 %", `{"bands":["yellow","violet","red","gold"]}`, `{"resistance_ohm":4700,"tolerance_pct":5,"min_ohm":4465,"max_ohm":4935,"temp_coeff_ppm_k":null,"band_count":4,"e_series":"E3","warnings":[]}`},
		{"any case and spelling: 68 Ω 10 %", `{"bands":["Blue","GRAY"," black ","Silver"]}`, `{"resistance_ohm":68,"tolerance_pct":10,"bands":["blue","grey","black","silver"],"e_series":"E6"}`},
		{"three bands, 20 %", `{"bands":["brown","black","purple"]}`, `{"resistance_ohm":100000000,"tolerance_pct":20,"min_ohm":80000000,"max_ohm":120000000,"bands":["brown","black","violet"],"band_count":3}`},
		{"five bands: 499·10, 1 %", `{"bands":["yellow","white","white","brown","brown"]}`, `{"resistance_ohm":4990,"tolerance_pct":1,"min_ohm":4940.1,"max_ohm":5039.9,"e_series":"E96"}`},
		{"six bands: 100·100 Ω, 0.1 %, 25 ppm/K",
			`{"bands":["brown","black","black","red","violet","yellow"]}`,
			`{"resistance_ohm":10000,"tolerance_pct":0.1,"temp_coeff_ppm_k":25,"band_count":6}`},
		{"below an ohm: 22·0.01", `{"bands":["red","red","silver","gold"]}`,
			`{"resistance_ohm":0.22}`},
		{"pink: 10·0.001", `{"bands":["brown","black","pink","gold"]}`, `{"resistance_ohm":0.01}`},
		{"white multiplier: 91·10⁹", `{"bands":["white","brown","white","gold"]}`,
			`{"resistance_ohm":91000000000,"e_series":"E24"}`},
		{"encoded, not read: 4.01 kΩ", `{"resistance_ohm":4010,"tolerance_pct":1}`,
			`{"e_series":null,"warnings":["~in no E series; resistors of that value"]}`},
		{"jumper", `{"bands":["black"]}`, `{"resistance_ohm":0,"tolerance_pct":null,"min_ohm":null,"max_ohm":null,"band_count":1,"e_series":null,"warnings":[]}`},
		{"grey since 2016", `{"bands":["brown","black","black","black","grey"]}`,
			`{"tolerance_pct":0.01,"warnings":["~0.05"]}`},
		{"orange and yellow tolerances of 2016",
			`{"bands":["brown","black","black","black","orange"]}`,
			`{"tolerance_pct":0.05,"warnings":[]}`},
		{"leading zero in no series: 04", `{"bands":["black","yellow","black","gold"]}`,
			`{"resistance_ohm":4,"e_series":null,"warnings":["~leading zero","~no E series"]}`},
		{"encode 4.7 kΩ at the default 5 %", `{"resistance_ohm":4700}`,
			`{"bands":["yellow","violet","red","gold"],"tolerance_pct":5,"band_count":4}`},
		{"2 % is still four bands", `{"resistance_ohm":4700,"tolerance_pct":2}`,
			`{"bands":["yellow","violet","red","red"]}`},
		{"1 % takes five", `{"resistance_ohm":4700,"tolerance_pct":1}`,
			`{"bands":["yellow","violet","black","brown","brown"]}`},
		{"three digits take five", `{"resistance_ohm":4.99}`,
			`{"bands":["yellow","white","white","silver","gold"],"resistance_ohm":4.99}`},
		{"three bands mean 20 %", `{"resistance_ohm":330,"band_count":3}`,
			`{"bands":["orange","orange","brown"],"tolerance_pct":20}`},
		{"20 % means three bands", `{"resistance_ohm":330,"tolerance_pct":20}`,
			`{"bands":["orange","orange","brown"]}`},
		{"six bands",
			`{"resistance_ohm":12100,"tolerance_pct":0.5,"band_count":6,"temp_coeff_ppm_k":50}`,
			`{"bands":["brown","red","brown","red","green","red"],"temp_coeff_ppm_k":50}`},
		{"5 mΩ has a leading zero", `{"resistance_ohm":0.005}`, `{"bands":["black","green","pink","gold"],"resistance_ohm":0.005,"warnings":["~leading zero","~no E series"]}`},
		{"999 GΩ is the end", `{"resistance_ohm":999e9}`,
			`{"bands":["white","white","white","white","gold"]}`},
		{"binary noise is no digit", `{"resistance_ohm":4700.0000001}`,
			`{"resistance_ohm":4700,"band_count":4}`},
		{"a value in no series", `{"resistance_ohm":4800}`,
			`{"e_series":null,"warnings":["~no E series"]}`},
		{"a coefficient without a band", `{"resistance_ohm":4700,"temp_coeff_ppm_k":50}`,
			`{"band_count":4,"temp_coeff_ppm_k":null,"warnings":["~temp_coeff_ppm_k was ignored"]}`},
		{"the bands say the tolerance", `{"bands":["brown","black","black"],"tolerance_pct":5}`,
			`{"tolerance_pct":20,"warnings":["~tolerance_pct was ignored"]}`},
	})
	tooltest.InvalidCases(t, ResistorColorCode, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"bands"}, "bands, resistance_ohm"},
		{"both", `{"bands":["black"],"resistance_ohm":1}`, []string{"bands"}, "only one"},
		{"unknown colours", `{"bands":["yelow","violet","rot","gold"]}`,
			[]string{"bands[0]", "bands[2]"}, "black, brown, red"},
		{"reversed", `{"bands":["gold","red","violet","yellow"]}`, []string{"bands[0]"},
			"may be reversed"},
		{"pink digit", `{"bands":["red","pink","violet","gold"]}`, []string{"bands[1]"}, "digit"},
		{"black tolerance", `{"bands":["red","red","red","black"]}`, []string{"bands[3]"},
			"tolerance"},
		{"white coefficient", `{"bands":["red","red","red","red","red","white"]}`,
			[]string{"bands[5]"}, "temperature coefficient"},
		{"one band that is not black", `{"bands":["red"]}`, []string{"bands[0]"}, "jumper"},
		{"two bands", `{"bands":["red","red"]}`, []string{"bands"}, "3 to 6"},
		{"seven bands", `{"bands":["red","red","red","red","red","red","red"]}`, []string{"bands"},
			"at most 6"},
		{"no bands", `{"bands":[]}`, []string{"bands"}, "at least 1"},
		{"a number among the bands", `{"bands":["red",2,"red"]}`, []string{"bands[1]"}, "a string"},
		{"too many digits", `{"resistance_ohm":4991.5}`, []string{"resistance_ohm"},
			"needs 5 digits"},
		{"three digits in four bands", `{"resistance_ohm":499,"band_count":4}`,
			[]string{"resistance_ohm"}, "4 bands show 2"},
		{"a tolerance without a colour", `{"resistance_ohm":470,"tolerance_pct":3}`,
			[]string{"tolerance_pct"}, "has no colour"},
		{"three bands of 5 %", `{"resistance_ohm":470,"band_count":3,"tolerance_pct":5}`,
			[]string{"tolerance_pct"}, "20 %"},
		{"six without coefficient", `{"resistance_ohm":470,"band_count":6}`,
			[]string{"temp_coeff_ppm_k"}, "required"},
		{"a coefficient without a colour",
			`{"resistance_ohm":470,"band_count":6,"temp_coeff_ppm_k":30}`,
			[]string{"temp_coeff_ppm_k"}, "has no colour"},
		{"too large for two digits", `{"resistance_ohm":100e9,"band_count":4}`,
			[]string{"resistance_ohm"}, "out of reach"},
		{"too small", `{"resistance_ohm":0.0001}`, []string{"resistance_ohm"}, "out of reach"},
		{"two bands wanted", `{"resistance_ohm":470,"band_count":2}`, []string{"band_count"},
			"3 to 6"},
		{"zero", `{"resistance_ohm":0}`, []string{"resistance_ohm"}, "greater than 0"},
	})
}

// TestBandColors compares the table with IEC 60062:2016.
func TestBandColors(t *testing.T) {
	tolerances := map[string]float64{"brown": 1, "red": 2, "orange": 0.05, "yellow": 0.02,
		"green": 0.5, "blue": 0.25, "violet": 0.1, "grey": 0.01, "gold": 5, "silver": 10}
	coefficients := map[string]float64{"black": 250, "brown": 100, "red": 50, "orange": 15,
		"yellow": 25, "green": 20, "blue": 10, "violet": 5, "grey": 1}
	for i, c := range bandColors {
		if c.tolerance != tolerances[c.name] || c.tempCoeff != coefficients[c.name] {
			t.Errorf("%s: %v %%, %v ppm/K", c.name, c.tolerance, c.tempCoeff)
		}
		if i < 10 && (c.digit != i || c.exponent != i) || i >= 10 &&
			(c.digit >= 0 || c.exponent != 9-i) {
			t.Errorf("%s: digit %d, exponent %d", c.name, c.digit, c.exponent)
		}
	}
	if len(bandColors) != 13 || bandColors[9].name != "white" ||
		bandColors[12].exponent != smallestExponent {
		t.Error("the colours run from black to white and on to gold, silver, pink")
	}
}

// TestColorCodeRoundTrip verifies that every preferred value of every decade is encoded and
// decoded.
func TestColorCodeRoundTrip(t *testing.T) {
	for _, c := range []struct {
		s         eseries.Series
		tolerance float64
	}{{eseries.E24, 5}, {eseries.E96, 1}} {
		for _, v := range c.s.Between(0.01, 90e9) {
			// the smallest value with three digits is 100 × 0.001 Ω
			if c.s.Name == "E96" && v < 0.1 {
				continue
			}
			coded := result(t, ResistorColorCode, `{"resistance_ohm":%.17g,"tolerance_pct":%g}`, v,
				c.tolerance)
			bands, _ := json.Marshal(coded["bands"])
			back := result(t, ResistorColorCode, `{"bands":%s}`, bands)
			if number(t, back, "resistance_ohm") != v ||
				number(t, back, "tolerance_pct") != c.tolerance ||
				len(back["warnings"].([]any)) > 0 {
				t.Errorf("%v is %s, read as %v", v, bands, fmt.Sprint(back))
			}
		}
	}
}
