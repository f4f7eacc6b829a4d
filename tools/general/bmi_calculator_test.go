package general

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestBMICalculator(t *testing.T) {
	tooltest.Examples(t, BMICalculator)
	tooltest.Cases(t, BMICalculator, []tooltest.Case{
		{"by hand: 90/1.8² = 27.777…, 81 kg is the limit, 90/1.8³ = 15.43",
			`{"weight_kg":90,"height_m":1.8}`,
			`{"bmi":27.7777777777778,"category":"overweight","category_asian":"high_risk","weight_change_kg":-9.0000000000000,"ponderal_index":15.4320987654321,"height_m":1.8}`},
		{"the limit itself: 81/1.8² = 25 is overweight", `{"weight_kg":81,"height_cm":180}`,
			`{"bmi":25,"category":"overweight","weight_change_kg":0}`},
		{"and in metres", `{"weight_kg":81,"height_m":1.8}`,
			`{"bmi":25.000000000000,"category":"overweight"}`},
		{"24.98 is normal, not rounded up: 24.98 × 4", `{"weight_kg":99.92,"height_m":2}`,
			`{"bmi":24.9800000000,"category":"normal"}`},
		{"thin: 18.5 × 4 - 60 = 14 kg to gain, 60/4 = 15", `{"weight_kg":60,"height_m":2}`, `{"bmi":15.000000000000,"category":"severe_thinness","category_asian":"underweight","weight_change_kg":14.000000000000,"warnings":["~far from the usual"]}`},
		{"pounds, feet and inches: CDC's 150 lb, 5 ft 5 in = 24.96",
			`{"weight_lb":150,"height_ft":5,"height_in":5}`,
			`{"bmi":24.96,"height_m":1.651,"weight_kg":68.0388555000000}`},
		{"inches alone", `{"weight_lb":150,"height_in":65}`, `{"bmi":24.96}`},
		{"a child", `{"weight_kg":40,"height_cm":150,"age_years":12}`, `{"bmi":17.7777777777778,"category":null,"category_asian":null,"warnings":["~weight_change_kg are those of adults"]}`},
		{"classes: 32", `{"weight_kg":128,"height_m":2}`, `{"category":"obesity_class_1"}`},
		{"classes: 35", `{"weight_kg":140,"height_m":2}`, `{"category":"obesity_class_2"}`},
		{"classes: 40 and above", `{"weight_kg":164,"height_m":2}`,
			`{"category":"obesity_class_3","warnings":["~far"]}`},
		{"Asian: 23 is at increased risk", `{"weight_kg":92,"height_m":2}`,
			`{"category":"normal","category_asian":"increased_risk"}`},
	})
	tooltest.InvalidCases(t, BMICalculator, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"weight_kg", "weight_lb", "height_cm", "height_m", "height_ft",
			"height_in"}, "exactly one"},
		{"two weights", `{"weight_kg":70,"weight_lb":150,"height_m":1.7}`,
			[]string{"weight_kg", "weight_lb"}, "exactly one"},
		{"two heights", `{"weight_kg":70,"height_m":1.7,"height_in":60}`,
			[]string{"height_m", "height_in"}, "once"},
		{"metres in a field of centimetres", `{"weight_kg":70,"height_cm":1.75}`,
			[]string{"height_cm"}, "50 to 280"},
		{"too light", `{"weight_lb":4,"height_m":1.7}`, []string{"weight_lb"}, "2 to 700 kg"},
		{"too tall", `{"weight_kg":70,"height_ft":9,"height_in":10}`,
			[]string{"height_ft", "height_in"},
			"come to 2.997 m, got 9; height_in: "},
		{"too tall by 0.2 mm", `{"weight_kg":70,"height_ft":9,"height_in":2.2441}`,
			[]string{"height_ft", "height_in"}, "must be 0.5 to 2.8 m, feet and inches come to 2.801 m"},
		{"too short by 0.01 mm", `{"weight_kg":70,"height_in":19.6847}`,
			[]string{"height_in"}, "must be 0.5 to 2.8 m, feet and inches come to 0.4999 m"},
		{"too old", `{"weight_kg":70,"height_m":1.7,"age_years":131}`, []string{"age_years"},
			"0 to 130"},
	})
}

func TestBMIClassesAscend(t *testing.T) {
	for _, classes := range [][]bmiClass{bmiClasses, bmiClassesAsian} {
		for i := 1; i < len(classes); i++ {
			if classes[i].below <= classes[i-1].below {
				t.Errorf("%s does not lie above %s", classes[i].name, classes[i-1].name)
			}
		}
	}
}
