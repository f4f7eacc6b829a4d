package power

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestBatteryLife(t *testing.T) {
	tooltest.Examples(t, BatteryLife)
	tooltest.Cases(t, BatteryLife, []tooltest.Case{
		{"a resistance without the voltage that falls across it",
			`{"capacity_mah":2500,"load_ma":100,"internal_resistance_ohm":0.1}`,
			`{"loaded_voltage_v":null,"warnings":["~internal_resistance_ohm was ignored"]}`},
		{"contract: (120·.2+.015·59.8)/60; λ = -ln .98/730.5, ln(1+λ·2550/.41495)/λ", `{"capacity_mah":3000,"usable_pct":85,"self_discharge_pct_per_month":2,"voltage_v":3.7,"states":[{"current_ma":120,"duration_s":0.2},{"current_ma":0.015,"duration_s":59.8}]}`,
			`{"average_current_ma":0.4149500,"effective_current_ma":0.4149500,"usable_capacity_mah":2550.0000,"runtime_h":5675.63027,"runtime_days":236.484595,"runtime_years":0.64746,"daily_mah":9.958800,"daily_wh":0.03684756,"energy_wh":9.435000,"states":[{"name":null,"current_ma":120,"charge_share_pct":96.3971563},{"duration_s":59.8,"charge_share_pct":3.6028437}],"warnings":[]}`},
		{"2500 mAh at 100 mA", `{"capacity_mah":2500,"load_ma":100}`, `{"average_current_ma":100,"runtime_h":25.0000,"runtime_days":1.0416667,"energy_wh":null,"daily_wh":null,"states":null,"warnings":[]}`},
		{"Peukert 1.2, 100 Ah in 20 h, at 25 A: 20·(100/500)^1.2 h; 25·5^.2 A",
			`{"capacity_mah":100000,"load_ma":25000,"peukert_exponent":1.2}`,
			`{"runtime_h":2.899118655,"effective_current_ma":34493.24154}`},
		{"Peukert never enlarges: 2.5 A is half of C/20",
			`{"capacity_mah":100000,"load_ma":2500,"peukert_exponent":1.3}`,
			`{"runtime_h":40.0000,"effective_current_ma":2500}`},
		{"Peukert state by state: (5·10^.3·60+.1·540)/600 A", `{"capacity_mah":10000,"peukert_exponent":1.3,"states":[{"current_ma":5000,"duration_s":60},{"current_ma":100,"duration_s":540}]}`,
			`{"average_current_ma":590.000,"effective_current_ma":1087.63115748,"runtime_h":9.19429342}`},
		{"3 %/month and 50 µA from 1000 mAh: 14544.7 h instead of 20000",
			`{"capacity_mah":1000,"load_ma":0.05,"self_discharge_pct_per_month":3}`,
			`{"runtime_h":14544.6652,"runtime_years":1.659213,"warnings":[]}`},
		{"a year without self-discharge", `{"capacity_mah":8767,"load_ma":1}`,
			`{"warnings":["~self_discharge_pct_per_month"]}`},
		{"beyond shelf life, with both remarks", `{"capacity_mah":100000,"load_ma":1}`,
			`{"runtime_years":11.408,"warnings":["~shelf life","~self-discharge"]}`},
		{"above 1 C", `{"capacity_mah":1000,"load_ma":1001}`, `{"warnings":["~1 C"]}`},
		{"states of no current count as time", `{"capacity_mah":100,"states":[{"name":"on","current_ma":10,"duration_s":1},{"name":"off","current_ma":0,"duration_s":9}]}`,
			`{"average_current_ma":1.00000,"runtime_h":100.0000,"states":[{"name":"on","charge_share_pct":100},{"name":"off","charge_share_pct":0}]}`},
		{"a CR2032 at 15 mA: TI SWRA349 found 50 to 100 % of the rating",
			`{"capacity_mah":225,"load_ma":15}`, `{"runtime_h":15.000,"peak_current_ma":15,"peak_c_rate":0.06667,"warnings":["~if this is a lithium coin cell"]}`},
		{"the same named as such, in pulses", `{"capacity_mah":225,"chemistry":"lithium_coin","voltage_v":3,"self_discharge_pct_per_month":0.1,"states":[{"current_ma":15,"duration_s":1},{"current_ma":0.002,"duration_s":99}]}`,
			`{"peak_current_ma":15,"warnings":["~15 mA: a lithium coin cell"]}`},
		{"data sheets of CR2032: 3 mA without pause is allowed",
			`{"capacity_mah":225,"load_ma":3,"chemistry":"lithium_coin"}`, `{"warnings":[]}`},
		{"a lithium-ion cell of that size is no coin cell",
			`{"capacity_mah":225,"load_ma":15,"voltage_v":3.7}`, `{"warnings":[]}`},
		{"by hand: 3 - 0.015·40 = 2.4 V at the 40 Ω of an old cell", `{"capacity_mah":225,"load_ma":15,"voltage_v":3,"internal_resistance_ohm":40,"cutoff_v":2.5,"chemistry":"other"}`, `{"loaded_voltage_v":2.4000,"warnings":["~falls to 2.4 V"]}`},
		{"by hand: 3 - 0.015·15 = 2.775 V", `{"capacity_mah":225,"load_ma":15,"voltage_v":3,"internal_resistance_ohm":15,"cutoff_v":2.5,"chemistry":"other"}`, `{"loaded_voltage_v":2.7750,"warnings":[]}`},
		{"by hand: 3 V across 300 Ω a short circuit draws 10 mA", `{"capacity_mah":225,"load_ma":15,"voltage_v":3,"internal_resistance_ohm":300,"chemistry":"other"}`, `{"loaded_voltage_v":-1.500,"warnings":["~a short circuit draws 10 mA"]}`},
		{"a cut-off without a resistance", `{"capacity_mah":225,"load_ma":1,"cutoff_v":2}`,
			`{"loaded_voltage_v":null,"warnings":["~cutoff_v was ignored"]}`},
		{"IEEE 485: 10 °C is 50 °F, 1.19",
			`{"capacity_mah":100000,"load_ma":5000,"chemistry":"lead_acid","temperature_c":10}`,
			`{"usable_capacity_mah":84033.61,"runtime_h":16.8067}`},
		{"IEEE 485: 25 °C is 1",
			`{"capacity_mah":100000,"load_ma":5000,"chemistry":"lead_acid","temperature_c":25}`,
			`{"runtime_h":20.0000}`},
		{"IEEE 485 between 30 and 35 °F: 0 °C is 1.398",
			`{"capacity_mah":100000,"load_ma":5000,"chemistry":"lead_acid","temperature_c":0}`,
			`{"usable_capacity_mah":71530.76}`},
		{"no table for others in the cold",
			`{"capacity_mah":3000,"load_ma":100,"chemistry":"other","temperature_c":-20}`,
			`{"runtime_h":30.000,"warnings":["~temperature_c was ignored"]}`},
		{"no table for others", `{"capacity_mah":3000,"load_ma":100,"temperature_c":0}`,
			`{"runtime_h":30.000,"warnings":["~temperature_c was ignored"]}`},
		{"by hand: 30 mA for 0.1 s in 10 s, 30 of 1000 mAh",
			`{"capacity_mah":1000,"states":[{"current_ma":30,"duration_s":0.1},{"current_ma":0.01,"duration_s":9.9}]}`,
			`{"peak_current_ma":30,"peak_c_rate":0.03}`},
		{"by hand: 2 A of 2.6 Ah",
			`{"capacity_mah":2600,"load_ma":2000}`,
			`{"peak_current_ma":2000,"peak_c_rate":0.76923}`},
		{"by hand: 3 - 0.010·25 = 2.75 V, below a cut-off of 2.8 V",
			`{"capacity_mah":225,"load_ma":10,"voltage_v":3,"internal_resistance_ohm":25,"cutoff_v":2.8}`,
			`{"loaded_voltage_v":2.75}`},
	})
	tooltest.InvalidCases(t, BatteryLife, []tooltest.InvalidCase{
		{"neither load", `{"capacity_mah":1}`, []string{"load_ma"}, "load_ma, states"},
		{"both loads", `{"capacity_mah":1,"load_ma":1,"states":[{"current_ma":1,"duration_s":1}]}`,
			[]string{"load_ma"}, "load_ma and states"},
		{"no current at all", `{"capacity_mah":1,"states":[{"current_ma":0,"duration_s":1}]}`,
			[]string{"states"}, "current_ma"},
		{"no states", `{"capacity_mah":1,"states":[]}`, []string{"states"}, "at least 1"},
		{"faults inside", `{"capacity_mah":0,"states":[{"current_ma":-1,"duration_s":1},{"current_ma":1,"duration_s":0}]}`, []string{"capacity_mah", "states[0].current_ma", "states[1].duration_s"}, ""},
		{"percentages", `{"capacity_mah":1,"load_ma":1,"usable_pct":0,"self_discharge_pct_per_month":100,"peukert_exponent":0.9}`, []string{"usable_pct", "self_discharge_pct_per_month", "peukert_exponent"}, ""},
	})
}

// TestBatteryLifeStatesAddUp verifies that dividing a state in two changes nothing, and that a
// single state is equivalent to a constant load.
func TestBatteryLifeStatesAddUp(t *testing.T) {
	const common = `"capacity_mah":1800,"peukert_exponent":1.15,"self_discharge_pct_per_month":5`
	whole := result(t, BatteryLife,
		`{%s,"states":[{"current_ma":300,"duration_s":10},{"current_ma":20,"duration_s":50}]}`,
		common)
	cut := result(t, BatteryLife, `{%s,"states":[{"current_ma":300,"duration_s":4},{"current_ma":20,"duration_s":50},{"current_ma":300,"duration_s":6}]}`, common)
	same(t, "cut", number(t, cut, "runtime_h"), number(t, whole, "runtime_h"))
	one := result(t, BatteryLife, `{%s,"states":[{"current_ma":300,"duration_s":7}]}`, common)
	constant := result(t, BatteryLife, `{%s,"load_ma":300}`, common)
	same(t, "constant", number(t, one, "runtime_h"), number(t, constant, "runtime_h"))
}

// TestSelfDischargeBalance verifies that the drawn and the self-discharged charge sum to the total:
// the remaining charge is 0 at the end of the runtime. At a self-discharge rate λ it is Q(t) = (Q +
// I/λ)·exp(-λ t) - I/λ. It also verifies that a vanishing rate does not change the runtime.
func TestSelfDischargeBalance(t *testing.T) {
	for _, s := range []float64{1e-12, 1e-3, 0.02, 0.5, 0.99} {
		life := emptied(2550/0.415, s)
		lambda := -math.Log1p(-s) / hoursPerMonth
		left := (2550*lambda/0.415+1)*math.Exp(-lambda*life) - 1
		if math.Abs(left) > 1e-12 {
			t.Errorf("leak %g: %g of the current is left over", s, left)
		}
	}
	same(t, "no leak", emptied(6000, 1e-300), 6000)
	same(t, "none at all", emptied(6000, 0), 6000)
}
