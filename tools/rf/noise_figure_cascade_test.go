package rf

import (
	"strings"
	"testing"

	"slipstick/tools/tooltest"
)

func TestNoiseFigureCascade(t *testing.T) {
	stages := func(n int) string {
		return `{"stages":[` + strings.Repeat(`{"nf_db":1,"gain_db":1},`, n-1) +
			`{"nf_db":1,"gain_db":1}]}`
	}
	tooltest.Examples(t, NoiseFigureCascade)
	tooltest.Cases(t, NoiseFigureCascade, []tooltest.Case{
		{"64 stages are allowed", stages(64), `{"total_gain_db":64}`},
		{"Pozar example 10.2, F1-1 = 0.584893, 0.258925/10, 1.511886/7.943282", `{"stages":[{"nf_db":2,"gain_db":10},{"nf_db":1,"gain_db":-1},{"nf_db":4,"gain_db":-3}]}`,
			`{"total_nf_db":2.5554,"noise_temp_k":232.33,"stages":[{"cumulative_nf_db":2.0000,"cumulative_gain_db":10,"contribution_pct":73.0093},{"cumulative_nf_db":2.0704,"cumulative_gain_db":9,"contribution_pct":3.2320},{"cumulative_nf_db":2.5554,"cumulative_gain_db":6,"contribution_pct":23.7586}]}`},
		{"one stage: 3 dB is 288.63 K", `{"stages":[{"nf_db":3,"gain_db":20}]}`, `{"total_nf_db":3.0000,"total_gain_db":20,"noise_temp_k":288.626,"sensitivity_floor_dbm_hz":-171.000}`},
		{"two attenuators add up: 3 + 7 dB",
			`{"stages":[{"nf_db":3,"gain_db":-3},{"nf_db":7,"gain_db":-7}]}`,
			`{"total_nf_db":10.0000,"total_gain_db":-10,"noise_temp_k":2610.00}`},
		{"cable before the amplifier adds its loss in full: 2 + 1",
			`{"stages":[{"nf_db":2,"gain_db":-2},{"nf_db":1,"gain_db":20}]}`,
			`{"total_nf_db":3.0000,"warnings":[]}`},
		{"a small figure keeps its digits: 290·(10^1e-7 - 1)",
			`{"stages":[{"nf_db":1e-6,"gain_db":0}]}`,
			`{"total_nf_db":1.000000000e-6,"noise_temp_k":6.677497538e-5}`},
		{"no noise at all", `{"stages":[{"nf_db":0,"gain_db":10}]}`, `{"total_nf_db":0,"noise_temp_k":0,"stages":[{"contribution_pct":null}],"warnings":["~adds no noise"]}`},
		{"the second stage dominates",
			`{"stages":[{"nf_db":1,"gain_db":3},{"nf_db":10,"gain_db":0}]}`,
			`{"warnings":["~stage 2 adds 94.6 %"]}`},
		{"colder than a passive part",
			`{"stages":[{"nf_db":3,"gain_db":10},{"nf_db":1,"gain_db":-3}]}`,
			`{"warnings":["~stages[1]"]}`},
	})
	tooltest.InvalidCases(t, NoiseFigureCascade, []tooltest.InvalidCase{
		{"no list", `{}`, []string{"stages"}, "is required"},
		{"an empty list", `{"stages":[]}`, []string{"stages"}, "at least 1"},
		{"65 stages", stages(65), []string{"stages"}, "at most 64"},
		{"every fault of every stage", `{"stages":[{"nf_db":-1,"gain_db":1},{"gain_db":"10"},{}]}`,
			[]string{"stages[0].nf_db", "stages[1].nf_db", "stages[1].gain_db", "stages[2].nf_db",
				"stages[2].gain_db"}, "stages[1].nf_db"},
		{"not a list", `{"stages":{"nf_db":1,"gain_db":1}}`, []string{"stages"}, "an array"},
		{"beyond the doubles", strings.ReplaceAll(stages(64), `1,"gain_db":1`,
			`300,"gain_db":-300`), nil, "finite"},
	})
}
