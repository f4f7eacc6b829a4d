package pcb

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"testing"

	"slipstick/tools/eseries"
	"slipstick/tools/tooltest"
)

func TestVoltageDivider(t *testing.T) {
	tooltest.Examples(t, VoltageDivider)
	tooltest.Cases(t, VoltageDivider, []tooltest.Case{
		{"the load that the error of 857.471 Ω states",
			`{"vin_v":16.197020320439236,"vout_v":2.8358985394441736,"r1_ohm":4039.911867566609,"load_ohm":857.472}`,
			`{"mode":"solve"}`},
		{"solved to 10 µΩ: vout · r1/(vin - vout)", `{"vin_v":10,"vout_v":1e-6,"r1_ohm":100}`,
			`{"r2_ohm":0.00001,"warnings":["~10 mA","~below the 0.1 Ω","~r1 dissipates"]}`},
		{"Yageo RC: 0805 takes 150 V; 297 V are across R1", `{"vin_v":300,"r1_ohm":1000000,"r2_ohm":10000}`,
			`{"warnings":["~r1 has 297 V across it"]}`},
		{"150 V are within the rating, 151 V are not", `{"vin_v":151.5,"r1_ohm":1000000,"r2_ohm":10000}`,
			`{"warnings":[]}`},
		{"a negative voltage across R2", `{"vin_v":-400,"r1_ohm":1000000,"r2_ohm":1000000}`,
			`{"warnings":["~r1 has 200 V","~r2 has 200 V"]}`},
		{"contract: loaded",
			`{"vin_v":12,"r1_ohm":10000,"r2_ohm":3300,"load_ohm":100000,"tolerance_pct":1}`,
			`{"mode":"analyze","vout_v":2.905356,"vout_min_v":2.862240,"vout_max_v":2.948912,"vout_unloaded_v":2.977444,"current_a":0.0009094644,"thevenin_ohm":2481.203,"error_pct":null,"standard_ohm":null,"pairs":null,"warnings":[]}`},
		{"contract: E24 for 3.3 V of 5 V is 4.7 kΩ over 9.1 kΩ: 5·91/138",
			`{"vin_v":5,"vout_v":3.3}`, `{"mode":"choose","r1_ohm":4700,"r2_ohm":9100,"vout_v":3.297101,"error_pct":-0.0878349,"warnings":[]}`},
		{"two equal resistors halve: 2.5 V, 2.5 mA, 6.25 mW each",
			`{"vin_v":5,"r1_ohm":1000,"r2_ohm":1000}`,
			`{"vout_v":2.5,"ratio":0.5,"current_a":0.0025,"power_r1_w":0.00625,"power_r2_w":0.00625,"thevenin_ohm":500,"vout_min_v":2.475,"vout_max_v":2.525}`},
		{"negative input: the corners stay in order", `{"vin_v":-5,"r1_ohm":1000,"r2_ohm":1000}`,
			`{"vout_v":-2.5,"vout_min_v":-2.525,"vout_max_v":-2.475}`},
		{"solve R2 = R1·3.3/1.7; nearest 20 kΩ gives 3.3333 V",
			`{"vin_v":5,"vout_v":3.3,"r1_ohm":10000}`, `{"mode":"solve","r2_ohm":19411.76471,"vout_v":3.300000,"standard_ohm":20000,"error_pct":1.0101010,"warnings":["~more than the tolerance"]}`},
		{"solve R1 = 8333.3·7/5 with a load; E96 11.8 kΩ gives 4.96689 V",
			`{"vin_v":12,"vout_v":5,"r2_ohm":10000,"load_ohm":50000,"series":"E96"}`, `{"r1_ohm":11666.66667,"standard_ohm":11800,"error_pct":-0.66225166,"vout_v":5.000000}`},
		{"solve R2 beside a load: 10 kΩ needs 10 kΩ, of which 20 kΩ is the load",
			`{"vin_v":10,"vout_v":5,"r1_ohm":10000,"load_ohm":20000}`,
			`{"r2_ohm":20000.00,"standard_ohm":20000,"error_pct":0.0000000,"vout_v":5.0000}`},
		{"infer: 2.5 V behind 10 kΩ over 1 kΩ is 27.5 V",
			`{"vout_v":2.5,"r1_ohm":10000,"r2_ohm":1000}`,
			`{"mode":"infer_vin","vin_v":27.5000,"vout_v":2.500000,"error_pct":0}`},
		{"a bare ratio of a half: 47 kΩ twice is the largest exact pair in 100 kΩ",
			`{"vin_v":1,"vout_v":0.5,"max_results":2}`,
			`{"r1_ohm":47000,"r2_ohm":47000,"pairs":[{"r1_ohm":47000,"r2_ohm":47000,"vout_v":0.5,"error_pct":0,"total_ohm":94000},{"r1_ohm":43000,"r2_ohm":43000}]}`},
		{"one pair in a narrow range: 2·1 kΩ",
			`{"vin_v":1,"vout_v":0.5,"series":"E3","total_min_ohm":2000,"total_max_ohm":2000}`,
			`{"pairs":[{"r1_ohm":1000,"r2_ohm":1000}]}`},
		{"heavy load, current and heat: 12 V, 100 Ω, 100 Ω ∥ 100 Ω",
			`{"vin_v":12,"r1_ohm":100,"r2_ohm":100,"load_ohm":100}`,
			`{"vout_v":4.0000,"current_a":0.080000,"power_r1_w":0.64000,"power_r2_w":0.16000,"warnings":["~ten times","~10 mA","~r1 dissipates","~r2 dissipates"]}`},
		{"settings of the search without a search",
			`{"vin_v":5,"r1_ohm":1000,"r2_ohm":1000,"max_results":3,"series":"E96"}`,
			`{"warnings":["~max_results was ignored","~series was ignored"]}`},
		{"by hand: two of 2 GΩ are 1 GΩ, 1 V per nA",
			`{"vin_v":5,"r1_ohm":2e9,"r2_ohm":2e9}`,
			`{"thevenin_ohm":1e9,"warnings":["~by 1000 mV"]}`},
	})
	tooltest.InvalidCases(t, VoltageDivider, []tooltest.InvalidCase{
		{"4039.911868 · 2.835898539/(16.19702032 - 2.835898539) is 857.471427, rounded up",
			`{"vin_v":16.197020320439236,"vout_v":2.8358985394441736,"r1_ohm":4039.911867566609,"load_ohm":857.4710000000001}`,
			[]string{"load_ohm"}, "above 857.472 Ω"},
		{"nothing", `{}`, []string{"vin_v"}, "too little"},
		{"input only", `{"vin_v":5}`, []string{"vout_v"}, "too little"},
		{"resistors only", `{"r1_ohm":1,"r2_ohm":1}`, []string{"vin_v"}, "too little"},
		{"all four", `{"vin_v":5,"vout_v":2.5,"r1_ohm":1,"r2_ohm":1}`, []string{"vout_v"},
			"leave one out"},
		{"more out than in", `{"vin_v":3.3,"vout_v":5}`, []string{"vout_v"}, "between 0 and vin_v"},
		{"other sign", `{"vin_v":5,"vout_v":-1,"r1_ohm":1000}`, []string{"vout_v"},
			"between 0 and vin_v"},
		{"all of it", `{"vin_v":5,"vout_v":5}`, []string{"vout_v"}, "excluded"},
		{"no input", `{"vin_v":0,"r1_ohm":1,"r2_ohm":1}`, []string{"vin_v"}, "not be 0"},
		{"no output to infer from", `{"vout_v":0,"r1_ohm":1,"r2_ohm":1}`, []string{"vout_v"},
			"not be 0"},
		{"load too heavy: R2 ∥ load would have to be 10 kΩ",
			`{"vin_v":10,"vout_v":5,"r1_ohm":10000,"load_ohm":10000}`, []string{"load_ohm"},
			"above 10000"},
		{"range upside down", `{"vin_v":5,"vout_v":3.3,"total_min_ohm":1e5,"total_max_ohm":1e3}`,
			[]string{"total_min_ohm"}, "total_max_ohm"},
		{"no pair in range",
			`{"vin_v":5,"vout_v":3.3,"series":"E3","total_min_ohm":2350,"total_max_ohm":2351}`,
			[]string{"total_max_ohm"}, "no pair"},
		{"not positive", `{"vin_v":5,"r1_ohm":0,"r2_ohm":-1}`, []string{"r1_ohm", "r2_ohm"},
			"greater than 0"},
		{"half a result", `{"vin_v":5,"vout_v":3.3,"max_results":2.5}`, []string{"max_results"},
			"whole number"},
		{"no such series", `{"vin_v":5,"vout_v":3.3,"series":"e24"}`, []string{"series"}, "E24"},
	})
}

// TestDividerChoosesTheBestPairs compares the search with an exhaustive one over every pair.
func TestDividerChoosesTheBestPairs(t *testing.T) {
	type pair struct{ r1, r2, err float64 }
	for _, c := range []struct {
		vin, vout, load float64
		series          string
	}{{5, 3.3, 0, "E24"}, {12, 5, 0, "E12"}, {-24, -1.25, 0, "E24"}, {1, 0.987, 0, "E24"},
		{5, 3.3, 10e3, "E24"}, {3.3, 0.6, 47e3, "E96"}, {1, 0.5, 0, "E6"}, {10, 0.1, 0, "E48"},
		{5, 4, 500, "E12"}} {
		s, _ := eseries.Find(c.series)
		var all []pair
		values := s.Between(0.1, 1e5)
		for _, r1 := range values {
			for _, r2 := range values {
				if sum := r1 + r2; sum < 1e3-1e-6 || sum > 1e5+1e-6 {
					continue
				}
				under := r2
				if c.load > 0 {
					under = 1 / (1/r2 + 1/c.load)
				}
				// The error is rounded because equal ratios of different decades must compare
				// equal.
				e := math.Round(1e12*(c.vin*under/(r1+under)/c.vout-1)) / 1e12
				all = append(all, pair{r1, r2, e})
			}
		}
		slices.SortFunc(all, func(a, b pair) int {
			return cmp.Or(cmp.Compare(math.Abs(a.err), math.Abs(b.err)),
				cmp.Compare(math.Round(b.r1+b.r2), math.Round(a.r1+a.r2)), cmp.Compare(b.r1, a.r1))
		})
		load := "null"
		if c.load > 0 {
			load = strconv.FormatFloat(c.load, 'g', -1, 64)
		}
		got := result(t, VoltageDivider,
			`{"vin_v":%g,"vout_v":%g,"series":%q,"max_results":20,"load_ohm":%s}`, c.vin, c.vout,
			c.series, load)["pairs"].([]any)
		if len(got) != 20 {
			t.Fatalf("%v: %d pairs", c, len(got))
		}
		for i, p := range got {
			m := p.(map[string]any)
			if m["r1_ohm"] != all[i].r1 || m["r2_ohm"] != all[i].r2 {
				t.Errorf("%v, place %d: got %v, trying all gives %v", c, i, m, all[i])
			}
			if math.Abs(number(t, m, "error_pct")-100*all[i].err) > 1e-9 {
				t.Errorf("%v, place %d: error %v, want %v %%", c, i, m["error_pct"], 100*all[i].err)
			}
		}
	}
}

// TestDividerRoundTrips verifies that analyze confirms the results of solve and infer. It also
// verifies that the input power equals the power in the resistors and the load.
func TestDividerRoundTrips(t *testing.T) {
	solved := result(t, VoltageDivider,
		`{"vin_v":13.8,"vout_v":4.2,"r1_ohm":6800,"load_ohm":33000}`)
	r2 := number(t, solved, "r2_ohm")
	back := result(t, VoltageDivider,
		`{"vin_v":13.8,"r1_ohm":6800,"r2_ohm":%.17g,"load_ohm":33000}`, r2)
	same(t, "vout", number(t, back, "vout_v"), 4.2)
	other := result(t, VoltageDivider,
		`{"vin_v":13.8,"vout_v":4.2,"r2_ohm":%.17g,"load_ohm":33000}`, r2)
	same(t, "r1", number(t, other, "r1_ohm"), 6800)
	inferred := result(t, VoltageDivider,
		`{"vout_v":4.2,"r1_ohm":6800,"r2_ohm":%.17g,"load_ohm":33000}`, r2)
	same(t, "vin", number(t, inferred, "vin_v"), 13.8)
	heat := number(t, back, "power_r1_w") + number(t, back, "power_r2_w") + 4.2*4.2/33000
	same(t, "power", heat, 13.8*number(t, back, "current_a"))
	// The load is connected to the unloaded output through the Thévenin resistance.
	open, rth := number(t, back, "vout_unloaded_v"), number(t, back, "thevenin_ohm")
	same(t, "Thévenin", open*33000/(33000+rth), 4.2)
}
