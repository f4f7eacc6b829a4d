package general

import (
	"cmp"
	"context"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
)

// TestGrade converts points to a percentage and a letter grade.
var TestGrade = tools.Define(tools.Spec{
	Name:    "test_grade",
	Title:   "Test grade",
	Summary: "Score of a test in percent, its letter grade and the points to the next letter",
	Method: "score = 100 earned / total in exact fractions. The letter is the highest whose " +
		"lower bound the score reaches, bounds included, without hidden rounding: 89.95 is a B. " +
		"standard: A 90, B 80, C 70, D 60, F. plus_minus: A+ 97, A 93, A- 90, B+ 87, B 83, B- 80 " +
		"and so on to D- 60, F",
	Sources: []string{"College Board, How to convert your GPA to a 4.0 scale (A+ and A are 4.0, A- 3.7 and so on to D+ 1.3; D and D- continue its steps)"},
	Limits:  []string{"Schools differ: give your own scale as custom_scale where yours is another"},
	Aliases: []string{"letter grade", "grade calculator", "score percentage", "gpa", "easy grader"},
	Examples: []tools.Example{
		{
			Title: "5 of 40 wrong",
			In:    `{"total_points": 40, "wrong_points": 5}`,
			Want:  `{"score_pct": 87.5, "earned_points": 35, "lost_points": 5, "letter_grade": "B", "gpa_points": 3, "next_letter": "A", "points_to_next_letter": 1, "warnings": []}`,
		},
		{
			Title: "With plus and minus",
			In:    `{"total_points": 40, "wrong_points": 5, "scale": "plus_minus"}`,
			Want:  `{"letter_grade": "B+", "gpa_points": 3.3, "next_letter": "A-"}`,
		},
		{
			Title: "45 of 50",
			In:    `{"total_points": 50, "earned_points": 45}`,
			Want:  `{"score_pct": 90}`,
			From:  "by hand",
		},
	},
}, testGrade)

type testGradeIn struct {
	Total       float64        `json:"total_points" unit:"1" gt:"0" max:"1e12" example:"40" label:"Points possible" doc:"Total points of the test"`
	Earned      *float64       `json:"earned_points" unit:"1" min:"0" max:"1e12" label:"Points earned" doc:"Points earned; alternative to wrong_points"`
	Wrong       *float64       `json:"wrong_points" unit:"1" min:"0" max:"1e12" example:"5" label:"Points lost" doc:"Points lost, at most the total; alternative to earned_points"`
	Scale       string         `json:"scale" enum:"standard,plus_minus,custom" default:"standard" label:"Grading scale" doc:"Letter grades and their lower bounds"`
	CustomScale *[]gradeLetter `json:"custom_scale" minItems:"1" maxItems:"20" label:"Custom scale" doc:"Grades of the custom scale, in any order; the lowest bound must be 0"`
	RoundPct    *int           `json:"round_pct_decimals" unit:"1" min:"0" max:"3" label:"Score decimals" doc:"Decimal places to which the score is rounded half up before grading; not rounded by default"`
}

type gradeLetter struct {
	Letter string  `json:"letter" minLength:"1" maxLength:"20" label:"Grade" doc:"Letter or word"`
	MinPct float64 `json:"min_pct" unit:"%" min:"0" max:"1000" label:"Minimum score" doc:"Lowest score for this grade"`
}

type testGradeOut struct {
	ScorePct           float64  `json:"score_pct" unit:"%" label:"Score" doc:"Points earned relative to the total; rounded only with round_pct_decimals"`
	Earned             float64  `json:"earned_points" unit:"1" label:"Points earned" doc:"Points earned"`
	Lost               float64  `json:"lost_points" unit:"1" label:"Points lost" doc:"Points lost, negative with extra credit"`
	Letter             string   `json:"letter_grade" label:"Letter grade" doc:"Grade of the score"`
	GPA                *float64 `json:"gpa_points" unit:"1" label:"GPA points" doc:"Grade points on the 4.0 scale; null for a custom scale"`
	NextLetter         *string  `json:"next_letter" label:"Next grade" doc:"The next better grade; null at the top"`
	PointsToNextLetter *float64 `json:"points_to_next_letter" unit:"1" label:"Points to next grade" doc:"Additional points needed for the next grade; null at the top"`
	tools.Warnings
}

// grade is a letter of a grading scale with its lower bound.
type grade struct {
	letter string
	minPct float64
	gpa    float64
}

// Built-in scales, best letter first.
var (
	standardScale  = []grade{{"A", 90, 4}, {"B", 80, 3}, {"C", 70, 2}, {"D", 60, 1}, {"F", 0, 0}}
	plusMinusScale = []grade{
		{"A+", 97, 4}, {"A", 93, 4}, {"A-", 90, 3.7}, {"B+", 87, 3.3}, {"B", 83, 3},
		{"B-", 80, 2.7},
		{"C+", 77, 2.3}, {"C", 73, 2}, {"C-", 70, 1.7}, {"D+", 67, 1.3}, {"D", 63, 1},
		{"D-", 60, 0.7}, {"F", 0, 0},
	}
)

func testGrade(_ context.Context, in testGradeIn) (testGradeOut, error) {
	var out testGradeOut
	var f tools.FieldErrors
	choice.ExactlyOneMarked(&f, choice.Of("earned_points", in.Earned != nil),
		choice.Of("wrong_points", in.Wrong != nil))
	if in.Wrong != nil && *in.Wrong > in.Total {
		f.AddValue("wrong_points", *in.Wrong, "must be at most total_points, %s",
			decimal.Shortest(in.Total))
	}
	scale := gradeScale(&f, in)
	if err := f.Err(); err != nil {
		return out, err
	}
	if in.Scale != "custom" {
		choice.Ignored(&out.Warnings, "it has no meaning for the scale "+in.Scale,
			choice.Of("custom_scale", in.CustomScale != nil))
	}
	total := decimal.FromFloat(in.Total)
	var earned, lost decimal.Fraction
	if in.Wrong != nil {
		lost = decimal.FromFloat(*in.Wrong)
		earned = total.Minus(lost)
	} else {
		earned = decimal.FromFloat(*in.Earned)
		lost = total.Minus(earned)
	}
	score := decimal.Whole(100).Times(earned).Over(total)
	// slack is the maximum distance below a bound that rounding still raises to the bound.
	slack := decimal.Whole(0)
	if in.RoundPct != nil {
		steps := decimal.FromScientific(1, *in.RoundPct) // rounding steps per percent
		score = score.Times(steps).Rounded().Over(steps)
		slack = decimal.Quotient(1, 2).Over(steps)
	}
	out.ScorePct, out.Earned, out.Lost = score.Float(), earned.Float(), lost.Float()
	// The search always succeeds because the last bound is 0.
	at := slices.IndexFunc(scale, func(g grade) bool {
		return score.Cmp(decimal.FromFloat(g.minPct)) >= 0
	})
	out.Letter = scale[at].letter
	if in.Scale != "custom" {
		gpa := scale[at].gpa
		out.GPA = &gpa
	}
	if at > 0 {
		next := scale[at-1]
		points := decimal.FromFloat(next.minPct).Minus(slack).Times(total).Over(
			decimal.Whole(100)).Minus(earned).Float()
		out.NextLetter, out.PointsToNextLetter = &next.letter, &points
		if gap := decimal.FromFloat(next.minPct).Minus(score); gap.Cmp(decimal.Quotient(1, 2)) <=
			0 {
			out.Warn("the score is %s %% below %s; it is not rounded up to it",
				decimal.Shortest(gap.Float()), next.letter)
		}
	}
	if score.Cmp(decimal.Whole(100)) > 0 {
		out.Warn("the score is above 100 %%")
	}
	return out, nil
}

// gradeScale returns the selected scale, best letter first. It adds the errors of a custom scale to
// f.
func gradeScale(f *tools.FieldErrors, in testGradeIn) []grade {
	switch {
	case in.Scale == "standard":
		return standardScale
	case in.Scale == "plus_minus":
		return plusMinusScale
	case in.CustomScale == nil:
		f.Add("custom_scale", "is required with the scale custom: 1 to 20 of letter and min_pct")
		return nil
	}
	var scale []grade
	for _, g := range *in.CustomScale {
		scale = append(scale, grade{letter: g.Letter, minPct: g.MinPct})
	}
	slices.SortStableFunc(scale, func(a, b grade) int { return cmp.Compare(b.minPct, a.minPct) })
	for i := 1; i < len(scale); i++ {
		if scale[i].minPct == scale[i-1].minPct {
			f.Add("custom_scale", "gives %q and %q the same min_pct, %s", scale[i-1].letter,
				scale[i].letter,
				decimal.Shortest(scale[i].minPct))
		}
	}
	if lowest := scale[len(scale)-1]; lowest.minPct != 0 {
		f.Add("custom_scale", "must reach down to 0: the lowest min_pct is %s (%s)",
			decimal.Shortest(lowest.minPct), lowest.letter)
	}
	return scale
}
