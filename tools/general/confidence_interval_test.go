package general

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestConfidenceInterval(t *testing.T) {
	tooltest.Examples(t, ConfidenceInterval)
	tooltest.Cases(t, ConfidenceInterval, []tooltest.Case{
		{"Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, Wilson",
			`{"kind":"proportion","successes":81,"n":263}`,
			`{"lower":0.2553,"upper":0.3662,"critical_value":1.959963984540,"df":null,"std_dev":null}`},
		{"Newcombe: 81 of 263, Wald",
			`{"kind":"proportion","successes":81,"n":263,"method":"wald"}`,
			`{"lower":0.2522,"upper":0.3638,"warnings":[]}`},
		{"Newcombe: 81 of 263, Clopper-Pearson",
			`{"kind":"proportion","successes":81,"n":263,"method":"clopper_pearson"}`,
			`{"lower":0.2527,"upper":0.3676,"critical_value":null}`},
		{"Newcombe: 1 of 29, Wilson", `{"kind":"proportion","successes":1,"n":29}`,
			`{"lower":0.0061,"upper":0.1718}`},
		{"7 of 20, Clopper-Pearson, from the incomplete beta function to 30 digits",
			`{"kind":"proportion","successes":7,"n":20,"method":"clopper_pearson"}`,
			`{"lower":0.15390920478454,"upper":0.59218853453283,"estimate":0.35000000000000}`},
		{"7 of 20, Agresti-Coull: 23.841459 trials, 8.920729 successes",
			`{"kind":"proportion","successes":7,"n":20,"method":"agresti_coull"}`,
			`{"lower":0.179926361438,"upper":0.568411185978}`},
		{"none of 10, Clopper-Pearson: 1 - 0.025^(1/10)",
			`{"kind":"proportion","successes":0,"n":10,"method":"clopper_pearson"}`,
			`{"lower":0,"upper":0.308497107818761}`},
		{"all of 10 mirrors it",
			`{"kind":"proportion","successes":10,"n":10,"method":"clopper_pearson"}`,
			`{"upper":1,"lower":0.691502892181239}`},
		{"none of 10, Wilson: z²/(10 + z²)", `{"kind":"proportion","successes":0,"n":10}`,
			`{"lower":0,"upper":0.277532799862889}`},
		{"all of 10, Wilson", `{"kind":"proportion","successes":10,"n":10}`,
			`{"upper":1,"lower":0.722467200137111}`},
		{"one of 10^12, Wilson to 30 digits: the lower end does not cancel",
			`{"kind":"proportion","successes":1,"n":1000000000000}`,
			`{"lower":1.7652455493517e-13,"upper":5.6649342657365e-12}`},
		{"1 of 10, Wald: 0.1 - 1.959964 × 0.0948683 reaches below 0",
			`{"kind":"proportion","successes":1,"n":10,"method":"wald"}`,
			`{"lower":-0.085938509691,"upper":0.285938509691,"warnings":["~fewer than 10","~outside"]}`},
		{"99 %, 10 observations: t = 3.249835542, times 2/√10",
			`{"mean":0,"std_dev":2,"n":10,"confidence_pct":99}`,
			`{"upper":2.0553764665,"lower":-2.0553764665,"critical_value":3.249835542}`},
		{"z: 1.959963985 × 10/√100", `{"mean":50,"std_dev":10,"n":100,"method":"z"}`,
			`{"upper":51.95996398454,"standard_error":1.0000000000000,"df":null,"warnings":[]}`},
		{"of 1000: times √(900/999)",
			`{"mean":50,"std_dev":10,"n":100,"method":"z","population_size":1000}`,
			`{"margin_of_error":1.86031548731312,"standard_error":0.94915799575249906}`},
		{"the whole population", `{"mean":5,"std_dev":1,"n":1,"method":"z","population_size":1}`,
			`{"margin_of_error":0,"warnings":["~below 30"]}`},
		{"no spread", `{"data":[3,3,3]}`,
			`{"lower":3,"upper":3,"std_dev":0,"warnings":["~no width"]}`},
		{"a large offset keeps its digits: s of 1, 2, 3 is 1",
			`{"data":[1000000001,1000000002,1000000003]}`,
			`{"estimate":1000000002,"std_dev":1.0000000000000,"margin_of_error":2.48413771175}`},
		{"proportion of a small population",
			`{"kind":"proportion","successes":50,"n":100,"population_size":500}`,
			`{"warnings":["~population_size was ignored","~5 %"]}`},
		{"R, t.test of the sleep data: Welch, -3.3654832 to 0.2054832", `{"data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4]}`,
			`{"lower":-3.3654832,"upper":0.2054832,"estimate":-1.580,"df":null,"df_welch":17.776,"n":20,"std_dev":null,"warnings":["~holds 0"]}`},
		{"R, the same paired: -2.4598858 to -0.7001142", `{"data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0],"data2":[1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4],"paired":true}`,
			`{"lower":-2.4598858,"upper":-0.7001142,"df":9,"df_welch":null,"n":10,"warnings":[]}`},
		{"R, Cookbook: one sample, 0.5955845 to 2.4844155", `{"data":[0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0,1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4]}`, `{"lower":0.5955845,"upper":2.4844155,"df":19}`},
		{"by hand, z: 1 ± 1.959964 √(1/3 + 1/3)", `{"data":[2,3,4],"data2":[1,2,3],"method":"z"}`,
			`{"lower":-0.600304,"upper":2.600304,"df_welch":null}`},
		{"Newcombe 1998, table II (a): 56/70 - 48/80, method 10",
			`{"kind":"proportion","successes":56,"n":70,"successes2":48,"n2":80}`, `{"estimate":0.2,"lower":0.0524,"upper":0.3339,"n":150,"required_n":null,"warnings":[]}`},
		{"Newcombe 1998, table II (a): method 1",
			`{"kind":"proportion","successes":56,"n":70,"successes2":48,"n2":80,"method":"wald"}`, `{"lower":0.0575,"upper":0.3425}`},
		{"Newcombe 1998, table II (b): 9/10 - 3/10, method 10",
			`{"kind":"proportion","successes":9,"n":10,"successes2":3,"n2":10}`,
			`{"lower":0.1705,"upper":0.8090}`},
		{"influentialpoints.com, prop.test: 0.03074072 to 0.23838896",
			`{"kind":"proportion","successes":94,"n":214,"successes2":39,"n2":128,"method":"wald"}`, `{"lower":0.03074072,"upper":0.23838896}`},
		{"pairs of proportions", `{"kind":"proportion","successes":5,"n":10,"paired":true}`,
			`{"warnings":["~paired was ignored"]}`},
		{"a margin beyond all samples",
			`{"kind":"proportion","successes":1,"n":2,"target_margin":1e-200}`,
			`{"required_n":null,"warnings":["~beyond the range"]}`},
		{"(1.96/0.05)² × 0.25 = 384.16: 385",
			`{"kind":"proportion","successes":1,"n":2,"target_margin":0.05}`, `{"required_n":385}`},
		{"(1.96/0.02)² × 0.24 = 2304.96: 2305",
			`{"kind":"proportion","successes":40,"n":100,"target_margin":0.02}`,
			`{"required_n":2305}`},
		{"Roman C., Wyzant: 36 % to 3 points, 983.4: 984",
			`{"kind":"proportion","successes":36,"n":100,"target_margin":0.03}`,
			`{"required_n":984}`},
		{"Krejcie and Morgan 1970, table 1: 278 of 1000",
			`{"kind":"proportion","successes":1,"n":2,"target_margin":0.05,"population_size":1000}`, `{"required_n":278,"warnings":[]}`},
		{"Krejcie and Morgan 1970, table 1: 80 of 100",
			`{"kind":"proportion","successes":1,"n":2,"target_margin":0.05,"population_size":100}`, `{"required_n":80}`},
		{"z, by hand: (1.959964 × 15/5)² = 34.6",
			`{"mean":100,"std_dev":15,"n":30,"method":"z","target_margin":5}`, `{"required_n":35}`},
		{"t, by hand: t(36) 2.0281 × 15/√37 = 5.001, t(37) 2.0262 × 15/√38 = 4.930",
			`{"mean":100,"std_dev":15,"n":30,"target_margin":5}`, `{"required_n":38}`},
		{"IPS 7th edition, exercise 8.103: two proportions of 0.5 to 0.10 need 193 each", `{"kind":"proportion","successes":1,"n":2,"successes2":1,"n2":2,"target_margin":0.1}`,
			`{"required_n":193}`},
		{"two proportions of 0.5 to 0.02 at 99 %: 0.5 (2.57583/0.02)² = 8293.6", `{"kind":"proportion","successes":1,"n":2,"successes2":1,"n2":2,"target_margin":0.02,"confidence_pct":99,"method":"wald"}`,
			`{"required_n":8294}`},
		{"by hand: 0.4 and 0.2 to 0.05, (0.24 + 0.16) (1.95996/0.05)² = 614.6", `{"kind":"proportion","successes":40,"n":100,"successes2":20,"n2":100,"target_margin":0.05,"population_size":1000}`,
			`{"required_n":615,"warnings":["~corrects the target_margin of one sample"]}`},
		{"by hand: variances of 2 and 2 to 0.5 by the normal law, (1.95996 · 2/0.5)² = 61.5", `{"data":[0,2],"data2":[5,7],"method":"z","target_margin":0.5}`,
			`{"required_n":62}`},
		{"by hand: the same by Student's t, 2 · 1.97928/√63 = 0.4987 with 124 degrees of freedom", `{"data":[0,2],"data2":[5,7],"target_margin":0.5}`,
			`{"required_n":63}`},
		{"by hand: pairs with a deviation of 1.29099, 2.0484 · 1.29099/√29 = 0.4911", `{"data":[1,2,3,4],"data2":[0,0,0,0],"paired":true,"target_margin":0.5}`,
			`{"required_n":29}`},
		{"a second sample without spread has the degrees of freedom of the first: (1.96 · √2/0.5)² = 30.7, t 34", `{"data":[0,2],"data2":[5,5],"target_margin":0.5}`,
			`{"required_n":34}`},
		{"no spread needs two observations", `{"mean":1,"std_dev":0,"n":9,"target_margin":1}`,
			`{"required_n":2,"warnings":["~no width"]}`},
	})
	tooltest.InvalidCases(t, ConfidenceInterval, []tooltest.InvalidCase{
		{"exact limits of a difference", `{"kind":"proportion","successes":5,"n":7,"successes2":4,"n2":8,"method":"clopper_pearson"}`, []string{"method"}, "wilson or wald"},
		{"half a second sample", `{"kind":"proportion","successes":5,"n":7,"n2":8}`,
			[]string{"successes2"}, "is required"},
		{"no margin", `{"mean":1,"std_dev":1,"n":9,"target_margin":0}`, []string{"target_margin"},
			"greater than 0"},
		{"two samples and a mean", `{"data":[1,2],"data2":[1,3],"mean":1}`, []string{"mean"},
			"contradicts data"},
		{"a second sample alone", `{"data2":[1,3],"mean":1,"std_dev":1,"n":3}`,
			[]string{"data2", "mean", "std_dev", "n"}, ""},
		{"one observation", `{"mean":1,"std_dev":1,"n":1}`, []string{"n"}, "at least 2"},
		{"nothing", `{}`, []string{"mean", "std_dev", "n"}, "is required"},
		{"no deviation", `{"mean":1,"n":5}`, []string{"std_dev"}, "is required"},
		{"data and mean", `{"data":[1,2],"mean":1}`, []string{"mean"}, "contradicts data"},
		{"one datum", `{"data":[1]}`, []string{"data"}, "at least 2"},
		{"more successes than trials", `{"kind":"proportion","successes":9,"n":8}`,
			[]string{"successes"}, "at most n, 8"},
		{"half a success", `{"kind":"proportion","successes":1.5,"n":8}`, []string{"successes"},
			"whole number"},
		{"100 %", `{"mean":1,"std_dev":1,"n":9,"confidence_pct":100}`, []string{"confidence_pct"},
			"less than 100"},
		{"0 %", `{"mean":1,"std_dev":1,"n":9,"confidence_pct":0}`, []string{"confidence_pct"},
			"greater than 0"},
		{"population smaller than the sample", `{"mean":1,"std_dev":1,"n":9,"population_size":8}`,
			[]string{"population_size"}, "at least the size"},
		{"t for a proportion", `{"kind":"proportion","successes":1,"n":8,"method":"t"}`,
			[]string{"method"}, "must be wilson"},
		{"wilson for a mean", `{"mean":1,"std_dev":1,"n":9,"method":"wilson"}`, []string{"method"},
			"must be t or z"},
	})
}

// Swapping successes and failures mirrors every interval at one half.
func TestProportionIntervalsMirror(t *testing.T) {
	for _, method := range []string{"wilson", "wald", "agresti_coull", "clopper_pearson"} {
		for _, k := range []int{0, 1, 7, 20} {
			n, other := 20, 20-k
			in := confidenceIntervalIn{N: &n, Method: &method, ConfidencePct: 90}
			in.Successes = &k
			a, _ := proportionInterval(in)
			in.Successes = &other
			b, _ := proportionInterval(in)
			if math.Abs(a.Lower-(1-b.Upper)) > 1e-14 || math.Abs(a.Upper-(1-b.Lower)) > 1e-14 {
				t.Errorf("%s, %d of 20: %g to %g does not mirror %g to %g", method, k, a.Lower,
					a.Upper, b.Lower, b.Upper)
			}
		}
	}
}
