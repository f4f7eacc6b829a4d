package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestBatteryChargeTime(t *testing.T) {
	tooltest.Examples(t, BatteryChargeTime)
	tooltest.Cases(t, BatteryChargeTime, []tooltest.Case{
		{"contract: .8·3/(.99·1.5) h, then τ = .2·3/(.99·1.5·.95) times ln 20",
			`{"capacity_mah":3000,"charge_current_a":1.5}`,
			`{"cc_time_h":1.61616162,"cv_time_h":1.27410198,"charge_time_h":2.89026359,"ideal_time_h":2.0000000,"charge_needed_ah":3.0000000,"charge_supplied_ah":3.03030303,"c_rate":0.5000000,"warnings":[]}`},
		{"lead-acid 100 Ah from half at 20 A: .3·100/(.85·20); τ = 20/(17·.95), ln 20",
			`{"capacity_ah":100,"charge_current_a":20,"chemistry":"lead_acid","start_soc_pct":50}`,
			`{"cc_time_h":1.76470588,"cv_time_h":3.70988517,"charge_time_h":5.47459105,"charge_supplied_ah":58.8235294,"ideal_time_h":2.500,"warnings":[]}`},
		{"lifepo4 10 to 90 % stays in constant current: .8·280/(.99·140)", `{"capacity_ah":280,"charge_current_a":140,"chemistry":"lifepo4","start_soc_pct":10,"end_soc_pct":90}`, `{"cc_time_h":1.61616162,"cv_time_h":0,"charge_time_h":1.61616162}`},
		{"NiMH at C/10 takes the 14 to 16 h of its label: 2/(.66·.2)",
			`{"capacity_mah":2000,"charge_current_a":0.2,"chemistry":"nimh"}`,
			`{"cc_time_h":15.1515152,"cv_time_h":0}`},
		{"within the taper, 90 to 95 %: -τ(ln(1-.75·.95)-ln(1-.5·.95)), τ = .425305",
			`{"capacity_mah":3000,"charge_current_a":1.5,"start_soc_pct":90,"end_soc_pct":95}`,
			`{"cc_time_h":0,"cv_time_h":0.256108624}`},
		{"charger of 60 W at 12 V, 1 A of load: .8·50/(.85·4); ideal 40/5", `{"capacity_ah":50,"charger_w":60,"voltage_v":12,"load_a":1,"chemistry":"lead_acid","end_soc_pct":80}`, `{"charge_time_h":11.7647059,"ideal_time_h":8.000,"c_rate":0.10000}`},
		{"cutoff 50 %: τ = .2·3/(.99·1.5·.5) = .80808081, times ln 2",
			`{"capacity_mah":3000,"charge_current_a":1.5,"cutoff_pct":50}`,
			`{"cv_time_h":0.560118934}`},
		{"too fast, large load, voltage of no use",
			`{"capacity_ah":10,"charge_current_a":11,"load_a":5,"voltage_v":4}`,
			`{"warnings":["~above the 1 C","~quarter","~voltage_v"]}`},
		{"lead-acid above 0.3 C", `{"capacity_ah":10,"charge_current_a":4,"chemistry":"lead_acid"}`,
			`{"warnings":["~0.3 C"]}`},
		{"REDARC, EVE LF280N: no charge below 0 °C",
			`{"capacity_ah":100,"charge_current_a":20,"chemistry":"lifepo4","temperature_c":-5}`,
			`{"warnings":["~must not be charged below 0 °C"]}`},
		{"REDARC: the optimum is 5 to 45 °C; 3 °C",
			`{"capacity_ah":3,"charge_current_a":1.5,"temperature_c":3}`,
			`{"ideal_time_h":2.0000,"warnings":["~below the 5 to 45 °C"]}`},
		{"REDARC: 50 °C", `{"capacity_ah":3,"charge_current_a":1.5,"temperature_c":50}`,
			`{"ideal_time_h":2.0000,"warnings":["~above the 45 °C"]}`},
		{"REDARC: 5 °C is within", `{"capacity_ah":3,"charge_current_a":1.5,"temperature_c":5}`,
			`{"ideal_time_h":2.0000,"warnings":[]}`},
		{"no limits of lead-acid",
			`{"capacity_ah":10,"charge_current_a":1,"chemistry":"lead_acid","temperature_c":-5}`,
			`{"warnings":["~temperature_c was ignored"]}`},
		{"trickle", `{"capacity_ah":100,"charge_current_a":1}`, `{"warnings":["~0.02 C"]}`},
	})
	tooltest.InvalidCases(t, BatteryChargeTime, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"capacity_ah", "charge_current_a"}, "exactly one of"},
		{"too cold", `{"capacity_ah":1,"charge_current_a":1,"temperature_c":-61}`,
			[]string{"temperature_c"}, "-60 to 100"},
		{"power without voltage", `{"capacity_ah":1,"charger_w":5}`, []string{"voltage_v"},
			"charger_w"},
		{"zero current", `{"capacity_ah":1,"charge_current_a":0}`, []string{"charge_current_a"},
			"greater than 0"},
		{"end not above start",
			`{"capacity_ah":1,"charge_current_a":1,"start_soc_pct":80,"end_soc_pct":80}`,
			[]string{"end_soc_pct"}, "start_soc_pct 80"},
		{"load as large as the charger", `{"capacity_ah":1,"charge_current_a":1,"load_a":1}`,
			[]string{"load_a"}, "1 A"},
		{"two capacities",
			`{"capacity_ah":1,"capacity_mah":1000,"charge_current_a":1,"cutoff_pct":100}`,
			[]string{"cutoff_pct"}, ""},
		{"unknown chemistry", `{"capacity_ah":1,"charge_current_a":1,"chemistry":"LiFePO4"}`,
			[]string{"chemistry"}, "lifepo4"},
	})
}

// TestChargeTimeAddsUp verifies that a charge in two parts takes as long as in one, for any
// division.
func TestChargeTimeAddsUp(t *testing.T) {
	for _, chemistry := range []string{"li_ion", "lifepo4", "lead_acid", "nimh"} {
		whole := number(t,
			result(t, BatteryChargeTime,
				`{"capacity_ah":10,"charge_current_a":2,"chemistry":%q,"start_soc_pct":5}`,
				chemistry), "charge_time_h")
		for _, cut := range []float64{30, 80, 90, 97} {
			first := number(t, result(t, BatteryChargeTime, `{"capacity_ah":10,"charge_current_a":2,"chemistry":%q,"start_soc_pct":5,"end_soc_pct":%g}`, chemistry, cut), "charge_time_h")
			second := number(t,
				result(t, BatteryChargeTime,
					`{"capacity_ah":10,"charge_current_a":2,"chemistry":%q,"start_soc_pct":%g}`,
					chemistry, cut), "charge_time_h")
			same(t, chemistry, first+second, whole)
		}
	}
}
