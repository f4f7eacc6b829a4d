package pcb

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestTimer555(t *testing.T) {
	tooltest.Examples(t, Timer555)
	tooltest.Cases(t, Timer555, []tooltest.Case{
		{"contract: 1 kΩ, 10 kΩ, 100 nF", `{"r1_ohm":1000,"r2_ohm":10000,"c_nf":100}`, `{"mode":"astable","freq_hz":686.9976,"duty_pct":52.38095,"t_high_s":0.0007624619,"t_low_s":6.931472e-4,"period_s":0.001455609,"pulse_s":null,"standard":null,"warnings":[]}`},
		{"contract: 38 kHz", `{"freq_hz":38000}`, `{"c_f":1e-9,"r1_ohm":7593.132,"r2_ohm":15186.26,"freq_hz":38000.00,"duty_pct":60.0000,"standard":{"r1_ohm":7500,"r2_ohm":15000,"freq_hz":38471.87,"duty_pct":60.0000,"pulse_s":null},"warnings":[]}`},
		{"contract: monostable 100 kΩ, 10 µF", `{"mode":"monostable","r1_ohm":100000,"c_uf":10}`, `{"pulse_s":1.098612,"freq_hz":null,"period_s":null,"t_high_s":null,"t_low_s":null,"duty_pct":null,"r2_ohm":null,"standard":null,"warnings":[]}`},
		{"3.9 kΩ, 3 kΩ, 10 nF: ln 2·6.9 kΩ·10 nF high, ln 2·3 kΩ·10 nF low",
			`{"r1_ohm":3900,"r2_ohm":3000,"c_uf":0.01}`, `{"freq_hz":14572.6772,"duty_pct":69.6969697,"t_high_s":4.78271555e-5,"t_low_s":2.07944154e-5}`},
		{"with a diode high and low are alike: ln 2·1 ms each",
			`{"r1_ohm":10000,"r2_ohm":10000,"c_nf":100,"diode":true}`, `{"t_high_s":6.93147181e-4,"t_low_s":6.93147181e-4,"duty_pct":50,"freq_hz":721.347520}`},
		{"0.7 V of diode on 5 V: ln(7.9/2.9) instead of ln 2", `{"r1_ohm":10000,"r2_ohm":10000,"c_nf":100,"diode":true,"supply_v":5,"diode_drop_v":0.7}`, `{"t_high_s":0.00100215202,"freq_hz":589.866378,"duty_pct":59.1135783,"warnings":[]}`},
		{"design of 1 kHz with 10 nF: 28.85 and 57.71 kΩ, E24 30 and 56 kΩ",
			`{"freq_hz":1000,"c_nf":10}`, `{"r1_ohm":28853.9008,"r2_ohm":57707.8016,"c_f":1e-8,"standard":{"r1_ohm":30000,"r2_ohm":56000}}`},
		{"design of 50 Hz, a quarter high, with a diode: 0.25 and 0.75 of 288.5 kΩ",
			`{"freq_hz":50,"duty_pct":25,"diode":true,"c_nf":100}`,
			`{"r1_ohm":72134.7520,"r2_ohm":216404.256,"duty_pct":25.00000,"freq_hz":50.00000}`},
		{"diode without a duty: half", `{"freq_hz":1000,"diode":true}`, `{"duty_pct":50.00000}`},
		{"pulse of 10 ms: 1 µF and 9102 Ω would be below 10 kΩ, so 100 nF",
			`{"mode":"monostable","pulse_s":0.01}`, `{"c_f":1e-7,"r1_ohm":91023.9227,"pulse_s":0.0100000000,"standard":{"r1_ohm":91000,"r2_ohm":null,"pulse_s":0.00999737183,"freq_hz":null}}`},
		{"warnings of an extreme oscillator", `{"r1_ohm":100,"r2_ohm":1000,"c_pf":10}`,
			`{"warnings":["~discharge","~100 pF","~100 kHz"]}`},
		{"warnings of a slow one", `{"r1_ohm":1000000,"r2_ohm":3000000,"c_uf":2200}`,
			`{"warnings":["~3.3 MΩ","~1000 µF"]}`},
		{"fields of the other mode", `{"mode":"monostable","r1_ohm":100000,"c_uf":10,"r2_ohm":1000,"freq_hz":1,"diode":true,"supply_v":5}`, `{"pulse_s":1.098612,"warnings":["~r2_ohm was ignored","~freq_hz was ignored","~diode was ignored","~supply_v was ignored"]}`},
		{"a duty the resistors set, a drop without a diode",
			`{"r1_ohm":1000,"r2_ohm":10000,"c_nf":100,"duty_pct":75,"diode_drop_v":0.7}`, `{"duty_pct":52.38095,"warnings":["~diode_drop_v was ignored","~duty_pct was ignored"]}`},
		{"TLC555 data sheet, equations by hand: 145 ns and 14 Ω at 1 kΩ, 1 kΩ, 1 nF",
			`{"variant":"cmos","r1_ohm":1000,"r2_ohm":1000,"c_nf":1}`,
			`{"t_high_s":1.6603e-6,"t_low_s":8.827e-7}`},
		{"TI E2E 804594: LMC555 with 3570 Ω and 100 pF oscillates at 1 MHz, not 2; R1 is small here", `{"variant":"cmos","r1_ohm":1,"r2_ohm":3570,"c_pf":100,"delay_ns":180}`, `{"freq_hz":1.0e6,"duty_pct":49.9}`},
		{"the data sheet's limit: ln 3 where the delay is far longer than the time constants", `{"variant":"cmos","r1_ohm":1000,"r2_ohm":1000,"c_pf":100,"delay_ns":100000,"discharge_ohm":0}`, `{"t_high_s":1.00219722e-4,"t_low_s":1.00109861e-4}`},
		{"slow, a CMOS timer is an ideal one",
			`{"variant":"cmos","r1_ohm":100000,"r2_ohm":1000000,"c_uf":1}`,
			`{"freq_hz":0.68699,"warnings":[]}`},
		{"a design of 500 kHz keeps its frequency, by the equations of the data sheet in Python",
			`{"variant":"cmos","freq_hz":500000,"c_pf":100}`,
			`{"freq_hz":500000.0,"r1_ohm":4522.7,"r2_ohm":9045.4}`},
		{"delays of the other mode",
			`{"mode":"monostable","variant":"cmos","r1_ohm":100000,"c_uf":10,"delay_ns":100}`,
			`{"pulse_s":1.098612,"warnings":["~delay_ns was ignored"]}`},
		{"a coarse series", `{"freq_hz":1000,"c_nf":10,"series":"E3"}`,
			`{"standard":{"r1_ohm":22000,"r2_ohm":47000},"warnings":["~frequency"]}`},
		{"Fairchild LM555 data sheet, equation 9: (RB + RD) C ln 2, RD of 100 Ω",
			`{"r1_ohm":10000,"r2_ohm":1000,"c_nf":100,"discharge_ohm":100}`,
			`{"t_high_s":0.00076246,"t_low_s":7.6246e-05}`},
		{"the same equation: 50 Ω beside 4.7 kΩ, 1 %",
			`{"r1_ohm":4700,"r2_ohm":4700,"c_nf":10,"discharge_ohm":50}`,
			`{"t_low_s":3.2924e-05,"t_high_s":6.5156e-05}`},
		{"the same equation: frequency 1/(ln 2 (RA + 2 RB + RD) C)",
			`{"r1_ohm":2000,"r2_ohm":1000,"c_uf":1,"discharge_ohm":25}`,
			`{"freq_hz":358.4336}`},
		{"ST NE555 data sheet: 180 mV/15 mA and 80 mV/4.5 mA of the discharge transistor, beside 1 Ω",
			`{"r1_ohm":1000,"r2_ohm":1,"c_uf":10}`,
			`{"t_low_s":6.931472e-06,"warnings":["~12 to 18 Ω"]}`},
		{"the same by its resistance: ln 2 × 13 Ω × 10 µF",
			`{"r1_ohm":1000,"r2_ohm":1,"c_uf":10,"discharge_ohm":12}`,
			`{"t_low_s":9.010913e-05,"warnings":[]}`},
		{"12 Ω beside 100 Ω are less than the tolerance of the capacitor", `{"r1_ohm":1000,"r2_ohm":100,"c_uf":10}`, `{"warnings":[]}`},
		{"a design that needs 1.44 Ω", `{"freq_hz":1,"duty_pct":99.99}`, `{"warnings":["~12 to 18 Ω"]}`},
	})
	tooltest.InvalidCases(t, Timer555, []tooltest.InvalidCase{
		{"neither", `{}`, []string{"freq_hz"}, "neither was given"},
		{"mixed", `{"freq_hz":1000,"r1_ohm":1000,"r2_ohm":1000,"c_nf":1}`, []string{"freq_hz"},
			"not both"},
		{"analysis without C", `{"r1_ohm":1000,"r2_ohm":1000}`, []string{"c_f"},
			"c_f/c_uf/c_nf/c_pf"},
		{"analysis without R2 and C", `{"r1_ohm":1000}`, []string{"r2_ohm", "c_f"},
			"needed for analysis"},
		{"monostable without anything", `{"mode":"monostable","freq_hz":1000}`,
			[]string{"pulse_s"}, "pulse_s"},
		{"monostable mixed", `{"mode":"monostable","r1_ohm":1000,"pulse_s":1}`, []string{"pulse_s"},
			"not both"},
		{"half duty without a diode", `{"freq_hz":1000,"duty_pct":50}`, []string{"duty_pct"},
			"above 50"},
		{"duty of 100", `{"freq_hz":1000,"duty_pct":100}`, []string{"duty_pct"}, "less than 100"},
		{"no room for the diode",
			`{"r1_ohm":1000,"r2_ohm":1000,"c_nf":1,"diode":true,"supply_v":2.1,"diode_drop_v":0.7}`, []string{"diode_drop_v"}, "third of supply_v"},
		{"a drop without a supply",
			`{"r1_ohm":1000,"r2_ohm":1000,"c_nf":1,"diode":true,"diode_drop_v":0.7}`,
			[]string{"supply_v"}, "needed with diode_drop_v"},
		{"beyond the delays", `{"variant":"cmos","freq_hz":4000000,"c_pf":10}`,
			[]string{"freq_hz"}, "145 ns in each half of the period and a discharge resistance of 14 Ω"},
		{"beyond the discharge resistance", `{"freq_hz":1000,"discharge_ohm":50000}`,
			[]string{"freq_hz"}, "too high for a discharge resistance of 50000 Ω"},
		{"unknown mode", `{"mode":"bistable","freq_hz":1}`, []string{"mode"},
			"astable, monostable"},
		{"C twice", `{"freq_hz":1000,"c_nf":1,"c_uf":1}`, []string{"c_uf"}, "c_uf and c_nf"},
	})
}

// TestTimer555RoundTrips verifies that the analysis of a design returns the requested frequency and
// duty cycle. It also verifies that the selected capacitor keeps the resistance within its decade,
// even for frequencies at the limits of the decade.
func TestTimer555RoundTrips(t *testing.T) {
	for _, f := range []float64{0.01, 1, 14.42695040888963, 144.2695040888963, 1442.695040888963,
		38000, 99999} {
		d := result(t, Timer555, `{"freq_hz":%.17g,"duty_pct":70}`, f)
		r1, r2, c := number(t, d, "r1_ohm"), number(t, d, "r2_ohm"), number(t, d, "c_f")
		if total := r1 + 2*r2; total < 1e4*(1-1e-12) || total >= 1e5*(1+1e-12) {
			t.Errorf("%g Hz: R1 + 2 R2 is %g", f, total)
		}
		if e := math.Log10(c); math.Abs(e-math.Round(e)) > 1e-12 {
			t.Errorf("%g Hz: %g F is no power of ten", f, c)
		}
		a := result(t, Timer555, `{"r1_ohm":%.17g,"r2_ohm":%.17g,"c_f":%.17g}`, r1, r2, c)
		same(t, "frequency", number(t, a, "freq_hz"), f)
		same(t, "duty", number(t, a, "duty_pct"), 70)
		same(t, "period", number(t, a, "t_high_s")+number(t, a, "t_low_s"),
			number(t, a, "period_s"))
	}
}

// TestTimer555DiodeCharging compares the diode formula with charging towards V - Vd, from a third
// of V to two thirds.
func TestTimer555DiodeCharging(t *testing.T) {
	const v, drop = 9.0, 0.6
	out := result(t, Timer555,
		`{"r1_ohm":22000,"r2_ohm":10000,"c_nf":47,"diode":true,"supply_v":%g,"diode_drop_v":%g}`, v,
		drop)
	tau, goal := 22000*47e-9, v-drop
	level := goal + (v/3-goal)*math.Exp(-number(t, out, "t_high_s")/tau)
	same(t, "level at the end", level, 2*v/3)
}
