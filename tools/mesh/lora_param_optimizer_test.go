package mesh

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/tools/lora"
	"slipstick/tools/tooltest"
)

func TestLoraParamOptimizer(t *testing.T) {
	tooltest.Examples(t, LoraParamOptimizer)
	tooltest.Cases(t, LoraParamOptimizer, []tooltest.Case{
		{
			"contract, by hand: 91.6762 + 25 + 35.2 log10 5; 141.280 + 10 - 127.031 - 4.3 = 19.95 → 20 dBm; 100 mW · 0.102912 s",
			`{"target_range_km":5,"region":"AU915","objective":"min_energy"}`,
			`{"feasible":true,"sf":8,"bw_khz":125,"cr":5,"tx_power_dbm":20,"airtime_ms":102.912,"sensitivity_dbm":-127.0309,"margin_db":10.050951,"eirp_dbm":22.15,"energy_mj":10.2912,
			  "data_rate_bps":3125,"duty_cycle_pct":0.0285867,"low_data_rate_optimize":false,"path_loss_db":141.279949,"candidates_evaluated":72,"feasible_count":48,"shortfall_db":0,"limiting_factor":"none","warnings":[]}`,
		},
		{
			"contract: 8 km, US915, 50 bytes needs more than 400 ms; 91.6762 + 25 + 35.2 log10 8",
			`{"target_range_km":8,"payload_bytes":50}`,
			`{"feasible":false,"sf":null,"bw_khz":null,"cr":null,"tx_power_dbm":null,"airtime_ms":null,"sensitivity_dbm":null,"margin_db":null,"eirp_dbm":null,"energy_mj":null,"data_rate_bps":null,
			  "duty_cycle_pct":null,"low_data_rate_optimize":null,"pareto":[],"path_loss_db":148.464973,"feasible_count":0,"candidates_evaluated":72,"shortfall_db":0,"limiting_factor":"dwell_time","warnings":["~limited by dwell_time"]}`,
		},
		{
			"beyond SF12 at 125 kHz: 91.6762 + 35 + 35.2 log10 20 + 10 - 137.0309 - 4.3 - 22 = 19.1416 dB short",
			`{"target_range_km":20,"terrain":"urban"}`,
			`{"feasible":false,"path_loss_db":172.472461,"shortfall_db":19.141561,"limiting_factor":"link_budget","feasible_count":0,"warnings":["~limited by link_budget"]}`,
		},
		{
			"shortest at 1 km: SF7, 500 kHz, 55.25·0.256 ms; 116.6762 + 10 - 118.5103 = 8.17 → 9 dBm; 10^0.9 mW · 0.014144 s",
			`{"target_range_km":1,"tx_gain_dbi":0,"rx_gain_dbi":0,"objective":"min_airtime"}`,
			`{"sf":7,"bw_khz":500,"cr":5,"tx_power_dbm":9,"airtime_ms":14.144,"margin_db":10.834095,"eirp_dbm":9,"energy_mj":0.112350,"data_rate_bps":21875,"path_loss_db":116.676205,"feasible_count":56}`,
		},
		{
			"EU868 leaves 14 dBm with 2.15 dBi: 116.2183 + 35.2 log10 2 + 10 - 121.0103 - 4.3 = 11.505 → 12",
			`{"target_range_km":2,"region":"EU868","freq_mhz":868,"objective":"min_airtime"}`,
			`{"sf":8,"bw_khz":500,"tx_power_dbm":12,"airtime_ms":25.728,"eirp_dbm":14.15,"path_loss_db":126.814434}`,
		},
		{
			"most margin: SF12 at 125 kHz and full 22 dBm, airtime 40.25·32.768",
			`{"target_range_km":5,"region":"AU915","objective":"max_margin"}`,
			`{"sf":12,"bw_khz":125,"cr":5,"tx_power_dbm":22,"airtime_ms":1318.912,"margin_db":22.050951,"energy_mj":209.033465,"low_data_rate_optimize":true}`,
		},
		{
			"AS923: 16 - 2.15 leaves 13 dBm, and 60 messages an hour 600 ms each: SF10",
			`{"target_range_km":3,"region":"AS923","freq_mhz":923,"objective":"max_margin","messages_per_hour":60}`,
			`{"sf":10,"bw_khz":125,"tx_power_dbm":13,"margin_db":15.784414,"duty_cycle_pct":0.6178133,"feasible_count":32}`,
		},
		{
			"600 messages an hour leave 60 ms each at 1 %: none",
			`{"target_range_km":3,"region":"EU868","freq_mhz":868,"messages_per_hour":600,"payload_bytes":51}`,
			`{"feasible":false,"shortfall_db":0,"limiting_factor":"duty_cycle","path_loss_db":133.012846}`,
		},
		{
			"balanced in the open: the fastest needs only min_tx_power_dbm",
			`{"target_range_km":10,"terrain":"open","region":"AU915"}`,
			`{"sf":7,"bw_khz":500,"tx_power_dbm":2,"airtime_ms":14.144,"margin_db":13.134095,"path_loss_db":111.676205,"feasible_count":72,"pareto":[{"sf":7,"bw_khz":500,"cr":5,"tx_power_dbm":2}]}`,
		},
		{
			"half a kilometre indoors, slope 20: 91.6762 + 50 - 6.0206; two bandwidths, one given twice",
			`{"target_range_km":0.5,"terrain":"indoor","objective":"min_energy","bandwidths_khz":[125,62.5,125]}`,
			`{"sf":7,"bw_khz":125,"cr":5,"tx_power_dbm":17,"airtime_ms":56.576,"margin_db":10.175295,"path_loss_db":135.655605,"candidates_evaluated":48,"feasible_count":22,
			  "pareto":[{"sf":7,"bw_khz":125},{"sf":8,"bw_khz":125},{"sf":7,"bw_khz":62.5},{"sf":9,"bw_khz":125},{"sf":9,"bw_khz":62.5}]}`,
		},
		{
			"no power left between the least and the cap",
			`{"target_range_km":2,"region":"EU868","min_tx_power_dbm":15}`,
			`{"feasible":false,"limiting_factor":"link_budget","shortfall_db":0,"warnings":["~min_tx_power_dbm 15 leaves no whole dBm up to 14","~no setting"]}`,
		},
		{
			"a cap between whole dBm: 21.5 is 21, 20 dBm stay the choice",
			`{"target_range_km":5,"region":"AU915","objective":"min_energy","max_tx_power_dbm":21.5}`, `{"sf":8,"tx_power_dbm":20,"feasible_count":48}`,
		},
		{
			"more messages than the hour holds, where no rule forbids it: 300000 · 14.144 ms",
			`{"target_range_km":1,"terrain":"open","messages_per_hour":300000}`,
			`{"duty_cycle_pct":117.8666667,"warnings":["~no setting with this range can send them; at most 254524 of 14.14 ms fit"]}`,
		},
		{
			"by hand: 14000 · 1318.912 ms are 512.91 % of 3600 s, 14000 · 14.144 ms 5.5 %",
			`{"target_range_km":2,"region":"AU915","messages_per_hour":14000,"objective":"max_margin"}`,
			`{"sf":12,"airtime_ms":1318.912,"warnings":["messages_per_hour 14000 of 1319 ms fill more than the hour, 513 %: this setting cannot send them; objective min_airtime has 14.14 ms, 5.5 %"]}`,
		},
		{"EN 300 220-2, 869.4 to 869.65 MHz: 29.15 - 2.15 is 27 dBm", `{"target_range_km":5,"region":"EU868","freq_mhz":869.525,"sub_band":"869.4-869.65","max_tx_power_dbm":30,"objective":"max_margin"}`, `{"tx_power_dbm":27,"eirp_dbm":29.15}`},
		{"600 messages an hour of 60 ms fit in 10 %", `{"target_range_km":3,"region":"EU868","freq_mhz":869.525,"sub_band":"869.4-869.65","messages_per_hour":600,"payload_bytes":51}`, `{"feasible":true,"limiting_factor":"none"}`},
		{"863 to 865 MHz: 0.1 % is 3.6 s an hour, 60 messages of 60 ms", `{"target_range_km":3,"region":"EU868","freq_mhz":864,"sub_band":"863-865","messages_per_hour":60,"payload_bytes":51}`, `{"feasible":false,"limiting_factor":"duty_cycle"}`},
		{"500 kHz is wider than 869.4 to 869.65 MHz", `{"target_range_km":3,"region":"EU868","freq_mhz":869.525,"sub_band":"869.4-869.65","bandwidths_khz":[250,500],"objective":"min_airtime"}`, `{"bw_khz":250,"candidates_evaluated":24,"warnings":["~left out"]}`},
		{"a frequency outside the sub-band",
			`{"target_range_km":3,"region":"EU868","sub_band":"868-868.6","bandwidths_khz":[125]}`, `{"warnings":["~outside sub_band"]}`},
		{"no sub-bands in Australia",
			`{"target_range_km":5,"region":"AU915","objective":"min_energy","sub_band":"863-865"}`, `{"sf":8,"tx_power_dbm":20,"warnings":["~sub_band is ignored"]}`},
		{"AS923 above 400 ms", `{"target_range_km":5,"region":"AS923","freq_mhz":923}`,
			`{"sf":11,"airtime_ms":741.376,"warnings":["~dwell time of 400 ms"]}`},
		{"a bandwidth no modem has", `{"target_range_km":1,"bandwidths_khz":[100]}`,
			`{"bw_khz":100,"candidates_evaluated":24,"warnings":["~bw_khz 100"]}`},
	})
	tooltest.InvalidCases(t, LoraParamOptimizer, []tooltest.InvalidCase{
		{"no bandwidth fits the sub-band", `{"target_range_km":3,"region":"EU868","freq_mhz":869.8,"sub_band":"869.7-870","bandwidths_khz":[500]}`, []string{"bandwidths_khz"}, "up to 300 kHz"},
		{"no range", `{}`, []string{"target_range_km"}, "is required"},
		{"range zero", `{"target_range_km":0}`, []string{"target_range_km"}, "greater than 0"},
		{"no bandwidth", `{"target_range_km":1,"bandwidths_khz":[]}`, []string{"bandwidths_khz"},
			"at least 1"},
		{"a bandwidth out of range", `{"target_range_km":1,"bandwidths_khz":[125,5]}`,
			[]string{"bandwidths_khz[1]"}, "7.8 to 1625"},
		{"powers crossed", `{"target_range_km":1,"min_tx_power_dbm":20,"max_tx_power_dbm":10}`,
			[]string{"min_tx_power_dbm"}, "max_tx_power_dbm (10)"},
		{"unknown region", `{"target_range_km":1,"region":"IN865"}`, []string{"region"},
			"EU868, US915, AS923, AU915"},
		{"unknown objective", `{"target_range_km":1,"objective":"range"}`, []string{"objective"},
			"balanced"},
		{"negative fade margin", `{"target_range_km":1,"fade_margin_db":-1}`,
			[]string{"fade_margin_db"}, "got -1"},
		{"payload", `{"target_range_km":1,"payload_bytes":256}`, []string{"payload_bytes"},
			"0 to 255"},
		{"terrain", `{"target_range_km":1,"terrain":"hills"}`, []string{"terrain"}, "open"},
	})
}

// option is one setting of the exhaustive search.
type option struct {
	sf, cr, tx                            int
	bw, airMS, sens, margin, energy, duty float64
}

// bruteForce is an independent implementation of the tool's search with the formulas of the tests.
// It tries the powers one by one without a tolerance, because random inputs are not within the
// tool's 1e-9 dB of a whole dBm.
type bruteForce struct {
	pathLoss, shortfall float64
	evaluated           int
	feasible            []option
	dwell, duty         bool
}

func search(in map[string]any) bruteForce {
	number := func(name string) float64 { return in[name].(float64) }
	region, terrain, km := in["region"].(string), in["terrain"].(string), number("target_range_km")
	var b bruteForce
	slope := 35.2
	if terrain == "open" || km <= 1 {
		slope = 20
	}
	excess := map[string]float64{"open": 0, "suburban": 25, "urban": 35, "dense_urban": 40,
		"indoor": 50}[terrain]
	b.pathLoss = 20*math.Log10(4*math.Pi*1000*number("freq_mhz")*1e6/299792458) + excess +
		slope*math.Log10(km)
	limit := map[string]float64{"EU868": 16.15, "US915": 36, "AS923": 16, "AU915": 30}[region]
	highest := math.MinInt
	for tx := -200; tx <= 200; tx++ {
		if float64(tx) <= number("max_tx_power_dbm") &&
			float64(tx)+number("tx_gain_dbi") <= limit+1e-9 {
			highest = tx
		}
	}
	b.shortfall = math.Inf(1)
	for sf := 7; sf <= 12; sf++ {
		for _, bw := range in["bandwidths_khz"].([]float64) {
			for cr := 5; cr <= 8; cr++ {
				b.evaluated++
				c := option{sf: sf, cr: cr, bw: bw}
				c.airMS = lora.Packet{
					Payload: in["payload_bytes"].(int), SF: sf, BwKHz: bw, CR: cr, Preamble: 8,
					ExplicitHeader: true, CRC: true, LowDataRate: float64(int(1)<<sf)/bw > 16,
				}.AirtimeMS()
				c.sens = -174 + 10*math.Log10(bw*1000) + number("noise_figure_db") +
					(10 - 2.5*float64(sf))
				received := number("tx_gain_dbi") + number("rx_gain_dbi") - b.pathLoss // at 0 dBm
				b.shortfall = min(b.shortfall,
					max(0, number("fade_margin_db")+c.sens-received-float64(highest)))
				found := false
				for tx := -200; tx <= highest && !found; tx++ {
					if float64(tx) >= number("min_tx_power_dbm") &&
						float64(tx)+received-c.sens >= number("fade_margin_db") {
						c.tx, found = tx, true
					}
				}
				if !found {
					continue
				}
				if in["objective"] == "max_margin" {
					c.tx = highest
				}
				c.margin = float64(c.tx) + received - c.sens
				c.energy = math.Pow(10, float64(c.tx)/10) * c.airMS / 1000
				c.duty = c.airMS / 3.6e6 * number("messages_per_hour") * 100
				switch {
				case region == "US915" && bw < 500 && c.airMS > 400:
					b.dwell = true
				case (region == "EU868" || region == "AS923") && c.duty > 1:
					b.duty = true
				default:
					b.feasible = append(b.feasible, c)
				}
			}
		}
	}
	return b
}

// cost returns the key that an objective minimizes; the later elements break ties.
func (b bruteForce) cost(objective string, c option) [2]float64 {
	switch objective {
	case "min_airtime":
		return [2]float64{c.airMS, float64(c.tx)}
	case "max_margin":
		return [2]float64{-c.margin, c.airMS}
	case "balanced":
		shortest := math.Inf(1)
		for _, other := range b.feasible {
			shortest = min(shortest, other.airMS)
		}
		if c.airMS > 2*shortest {
			return [2]float64{math.MaxFloat64, 0}
		}
	}
	return [2]float64{c.energy, c.airMS}
}

func less(a, b [2]float64) bool {
	const equal = 1e-9 // relative tolerance; all costs are finite
	if math.Abs(a[0]-b[0]) > equal*max(1, math.Abs(b[0])) {
		return a[0] < b[0]
	}
	return a[1] < b[1]-equal
}

// dominates reports whether a is at least as good as b in airtime and power, and better in one.
func dominates(a, b option) bool {
	return a.airMS <= b.airMS && a.tx <= b.tx && (a.airMS < b.airMS || a.tx < b.tx)
}

func TestOptimizerBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 12))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	factors := map[string]int{}
	for range 1500 {
		bandwidths := [][]float64{{125, 250, 500}, {125}, {62.5, 125}, {500}, {31.25, 250},
			{7.81, 1625}}
		in := map[string]any{
			"target_range_km": math.Pow(10, -1+2.5*r.Float64()), "payload_bytes": r.IntN(256),
			"freq_mhz": 400 + 600*r.Float64(),
			"region":   pick("EU868", "US915", "AS923", "AU915"),
			"terrain": pick("open", "suburban",
				"urban", "dense_urban", "indoor"),
			"tx_gain_dbi": -3 + 12*r.Float64(), "rx_gain_dbi": -3 + 12*r.Float64(),
			"noise_figure_db": 3 + 5*r.Float64(), "fade_margin_db": 20 * r.Float64(),
			"min_tx_power_dbm": float64(-9 + r.IntN(12)), "max_tx_power_dbm": 12 + 18*r.Float64(),
			"messages_per_hour": math.Pow(10, 3*r.Float64()),
			"bandwidths_khz":    bandwidths[r.IntN(len(bandwidths))],
			"objective":         pick("balanced", "min_airtime", "min_energy", "max_margin"),
		}
		body, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		got, want := result[loraParamOptimizerOut](t, LoraParamOptimizer, string(body)), search(in)
		near(t, "path loss", got.PathLossDB, want.pathLoss)
		near(t, "shortfall", got.ShortfallDB, want.shortfall)
		if got.CandidatesEvaluated != want.evaluated || got.FeasibleCount != len(want.feasible) ||
			got.Feasible != (len(want.feasible) > 0) {
			t.Fatalf("%s: %d of %d feasible, want %d of %d", body, got.FeasibleCount,
				got.CandidatesEvaluated, len(want.feasible), want.evaluated)
		}
		factor := "link_budget"
		switch {
		case len(want.feasible) > 0:
			factor = "none"
		case want.dwell:
			factor = "dwell_time"
		case want.duty:
			factor = "duty_cycle"
		}
		factors[factor]++
		if got.LimitingFactor != factor {
			t.Errorf("%s: limited by %s, want %s", body, got.LimitingFactor, factor)
		}
		if !got.Feasible {
			if got.SF != nil || got.TxPowerDBm != nil || len(got.Pareto) != 0 {
				t.Errorf("%s: infeasible, yet SF %v, %d on the front", body, got.SF,
					len(got.Pareto))
			}
			continue
		}
		settings := append([]setting{got.setting}, got.Pareto...)
		chosen := make([]option, len(settings))
		for i, s := range settings {
			c, ok := want.find(s)
			if !ok {
				t.Fatalf("%s: SF%d, %g kHz, 4/%d, %g dBm is not among the feasible", body, *s.SF,
					*s.BwKHz, *s.CR, *s.TxPowerDBm)
			}
			chosen[i] = c
			near(t, "airtime", *s.AirtimeMS, c.airMS)
			near(t, "sensitivity", *s.SensitivityDBm, c.sens)
			near(t, "margin", *s.MarginDB, c.margin)
			near(t, "energy", *s.EnergyMJ, c.energy)
			near(t, "duty", *s.DutyCyclePct, c.duty)
			near(t, "EIRP", *s.EIRPDBm, float64(c.tx)+in["tx_gain_dbi"].(float64))
			near(t, "rate", *s.DataRateBps,
				float64(c.sf)*c.bw*1000/float64(int(1)<<c.sf)*4/float64(c.cr))
		}
		best := want.cost(in["objective"].(string), chosen[0])
		for _, c := range want.feasible {
			if less(want.cost(in["objective"].(string), c), best) {
				t.Errorf("%s: chose %+v, but %+v is better", body, chosen[0], c)
			}
			// onFront is set if the front contains the setting or one with equal airtime and power.
			onFront := false
			for i, p := range chosen[1:] {
				if dominates(c, p) {
					t.Errorf("%s: %+v on the front is beaten by %+v", body, p, c)
				}
				if i > 0 && p.airMS < chosen[i].airMS {
					t.Errorf("%s: the front is not sorted by airtime", body)
				}
				onFront = onFront || p.airMS == c.airMS && p.tx == c.tx
			}
			beaten := false
			for _, other := range want.feasible {
				beaten = beaten || dominates(other, c)
			}
			if !beaten && !onFront {
				t.Errorf("%s: %+v is beaten by none and missing from the front", body, c)
			}
		}
	}
	for _, factor := range []string{"none", "link_budget", "dwell_time", "duty_cycle"} {
		if factors[factor] < 10 {
			t.Errorf("only %d cases of %s", factors[factor], factor)
		}
	}
}

// find returns the exhaustive search's entry of a setting.
func (b bruteForce) find(s setting) (option, bool) {
	for _, c := range b.feasible {
		if c.sf == *s.SF && c.bw == *s.BwKHz && c.cr == *s.CR && float64(c.tx) == *s.TxPowerDBm {
			return c, true
		}
	}
	return option{}, false
}

// TestOptimizerConductedLimit verifies the limits of 47 CFR 15.247(b) in the United States. They
// are 30 dBm conducted, and 36 dBm EIRP with an antenna of more than 6 dBi.
func TestOptimizerConductedLimit(t *testing.T) {
	for gain, want := range map[float64]float64{0: 30, 2.15: 30, 6: 30, 9: 27} {
		out := result[loraParamOptimizerOut](t, LoraParamOptimizer,
			fmt.Sprintf(`{"target_range_km":1,"objective":"max_margin","max_tx_power_dbm":36,"tx_gain_dbi":%v}`, gain))
		if out.TxPowerDBm == nil || *out.TxPowerDBm != want {
			t.Errorf("%g dBi: %+v, want %g dBm", gain, out.setting, want)
		}
	}
}

// TestOptimizerFeeds verifies that the linked tools confirm the recommendation: airtime, EIRP limit
// and duty cycle.
func TestOptimizerFeeds(t *testing.T) {
	rules := map[string]string{"EU868": "ETSI_EU", "US915": "FCC_US", "AU915": "ACMA_AU"}
	for region, rule := range rules {
		for _, km := range []float64{0.3, 1, 2, 4} {
			for _, objective := range []string{"balanced", "min_airtime", "min_energy",
				"max_margin"} {
				out := result[loraParamOptimizerOut](t, LoraParamOptimizer,
					fmt.Sprintf(`{"target_range_km":%v,"region":%q,"objective":%q}`, km,
						region, objective))
				if !out.Feasible {
					t.Fatalf("%s, %g km", region, km)
				}
				for _, s := range append([]setting{out.setting}, out.Pareto...) {
					air := result[loraAirtimeOut](t, LoraAirtime, fmt.Sprintf(`{"payload_bytes":20,"sf":%d,"bw_khz":%v,"cr":%d,"low_data_rate_optimize":%v}`, *s.SF, *s.BwKHz, *s.CR, *s.LowDataRate))
					if air.AirtimeMS != *s.AirtimeMS || air.DataRateBps != *s.DataRateBps {
						t.Errorf("lora_airtime gives %g ms, %g bit/s for %g and %g", air.AirtimeMS,
							air.DataRateBps, *s.AirtimeMS, *s.DataRateBps)
					}
					eirp := result[eirpComplianceOut](t, EIRPCompliance,
						fmt.Sprintf(`{"tx_power_dbm":%v,"antenna_gain_dbi":2.15,"region":%q}`,
							*s.TxPowerDBm, rule))
					if !eirp.Compliant {
						t.Errorf("%s: %s", region, eirp.Warning)
					}
					if budget := result[dutyCycleBudgetOut](t, DutyCycleBudget,
						fmt.Sprintf(`{"airtime_ms":%v,"region":%q}`, *s.AirtimeMS,
							region)); budget.MaxMessagesPerHour < 10 {
						t.Errorf("%s: %g messages an hour", region, budget.MaxMessagesPerHour)
					}
					snr := result[snrMarginOut](t, SNRMargin,
						fmt.Sprintf(`{"rx_power_dbm":%v,"sf":%d,"bw_khz":%v}`,
							*s.TxPowerDBm+4.3-out.PathLossDB, *s.SF, *s.BwKHz))
					if math.Abs(snr.MarginDB-*s.MarginDB) > 1e-9 || snr.MarginDB < 10-1e-8 {
						t.Errorf("snr_margin gives %g dB for %g", snr.MarginDB, *s.MarginDB)
					}
				}
			}
		}
	}
}
