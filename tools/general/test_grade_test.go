package general

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestTestGrade(t *testing.T) {
	tooltest.Examples(t, TestGrade)
	tooltest.Cases(t, TestGrade, []tooltest.Case{
		{"27/30 is exactly 90", `{"total_points":30,"earned_points":27}`, `{"score_pct":90,"letter_grade":"A","gpa_points":4,"next_letter":null,"points_to_next_letter":null,"warnings":[]}`},
		{"89.95 is a B; 0.05 points to 90", `{"total_points":100,"earned_points":89.95}`, `{"score_pct":89.95,"letter_grade":"B","gpa_points":3,"points_to_next_letter":0.05,"warnings":["~below A"]}`},
		{"89.5 rounded to 90", `{"total_points":100,"earned_points":89.5,"round_pct_decimals":0}`,
			`{"score_pct":90,"letter_grade":"A"}`},
		{"89.4 rounded to 89: a tenth of a point to 89.5",
			`{"total_points":100,"earned_points":89.4,"round_pct_decimals":0}`,
			`{"score_pct":89,"letter_grade":"B","points_to_next_letter":0.1}`},
		{"2/3", `{"total_points":3,"earned_points":2}`, `{"score_pct":66.6666666666667,"letter_grade":"D","lost_points":1,"points_to_next_letter":0.1}`},
		{"nothing", `{"total_points":50,"earned_points":0}`, `{"score_pct":0,"letter_grade":"F","gpa_points":0,"next_letter":"D","points_to_next_letter":30}`},
		{"plus_minus 92.9", `{"total_points":1000,"wrong_points":71,"scale":"plus_minus"}`, `{"score_pct":92.9,"letter_grade":"A-","gpa_points":3.7,"next_letter":"A","points_to_next_letter":1,"warnings":["~below A"]}`},
		{"plus_minus top", `{"total_points":100,"earned_points":97,"scale":"plus_minus"}`,
			`{"letter_grade":"A+","gpa_points":4,"next_letter":null}`},
		{"above 100 %", `{"total_points":20,"earned_points":21}`,
			`{"score_pct":105,"lost_points":-1,"letter_grade":"A","warnings":["~above 100 %"]}`},
		{"custom, in any order", `{"total_points":10,"earned_points":5,"scale":"custom","custom_scale":[{"letter":"fail","min_pct":0},{"letter":"pass","min_pct":50}]}`, `{"letter_grade":"pass","gpa_points":null,"next_letter":null}`},
		{"a custom scale that is not asked for",
			`{"total_points":10,"earned_points":5,"custom_scale":[{"letter":"x","min_pct":0}]}`,
			`{"letter_grade":"F","warnings":["~custom_scale"]}`},
	})
	tooltest.InvalidCases(t, TestGrade, []tooltest.InvalidCase{
		{"zero total", `{"total_points":0,"earned_points":0}`, []string{"total_points"},
			"greater than 0"},
		{"no score", `{"total_points":10}`, []string{"earned_points", "wrong_points"},
			"exactly one"},
		{"two scores", `{"total_points":10,"earned_points":5,"wrong_points":5}`,
			[]string{"earned_points", "wrong_points"}, "exactly one"},
		{"more wrong than there is", `{"total_points":10,"wrong_points":11}`,
			[]string{"wrong_points"}, "at most total_points, 10"},
		{"no custom scale", `{"total_points":10,"wrong_points":1,"scale":"custom"}`,
			[]string{"custom_scale"}, "is required"},
		{"a scale that does not reach 0", `{"total_points":10,"wrong_points":1,"scale":"custom","custom_scale":[{"letter":"x","min_pct":10}]}`, []string{"custom_scale"}, "down to 0"},
		{"the same bound twice", `{"total_points":10,"wrong_points":1,"scale":"custom","custom_scale":[{"letter":"x","min_pct":0},{"letter":"y","min_pct":0}]}`, []string{"custom_scale"}, "same min_pct"},
	})
}

func TestScalesFall(t *testing.T) {
	for _, scale := range [][]grade{standardScale, plusMinusScale} {
		for i := 1; i < len(scale); i++ {
			if scale[i].minPct >= scale[i-1].minPct || scale[i].gpa > scale[i-1].gpa {
				t.Errorf("%v does not stand below %v", scale[i], scale[i-1])
			}
		}
		if last := scale[len(scale)-1]; last.minPct != 0 || last.gpa != 0 {
			t.Errorf("the scale ends with %v", last)
		}
	}
}
