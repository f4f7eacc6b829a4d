package pcb

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestImpedanceMatch(t *testing.T) {
	tooltest.Examples(t, ImpedanceMatch)
	tooltest.Cases(t, ImpedanceMatch, []tooltest.Case{
		{"contract: 50 to 200 Ω; Γ = 150/250, loss -10·log10 0.64", `{"freq_mhz":100,"load_r_ohm":200}`, `{"unmatched_reflection":0.600000,"unmatched_loss_db":1.93820026,"solutions":[
			{"topology":"shunt_at_load","response":"low_pass","q":1.7320508,"bandwidth_hz":1.154701e8,"series":{"type":"inductor","reactance_ohm":86.6025404,"inductance_h":1.378322e-7,"capacitance_f":null},"shunt":{"type":"capacitor","reactance_ohm":-115.470054,"capacitance_f":1.378322e-11,"inductance_h":null}},
			{"response":"high_pass","series":{"capacitance_f":1.837763e-11},"shunt":{"inductance_h":1.837763e-7}}],"warnings":[]}`},
		{"Pozar, example 5.1: 38.8 nH and 0.92 pF, 2.61 pF and 46.1 nH by chart", `{"freq_mhz":500,"load_r_ohm":200,"load_x_ohm":-100,"source_r_ohm":100}`,
			`{"solutions":[{"series":{"inductance_h":3.8985e-8},"shunt":{"capacitance_f":9.2277e-13}},{"series":{"capacitance_f":2.5990e-12},"shunt":{"inductance_h":4.6139e-8}}]}`},
		{"down to 12.5 Ω the shunt sits at the source: x = √(12.5·50 - 12.5²)", `{"freq_mhz":144,"load_r_ohm":12.5}`,
			`{"solutions":[{"topology":"shunt_at_source","response":"low_pass","q":1.7320508,"series":{"inductance_h":2.392920553e-8},"shunt":{"capacitance_f":3.828672885e-11}},{"topology":"shunt_at_source","response":"high_pass","series":{"capacitance_f":5.104897180e-11},"shunt":{"inductance_h":3.190560737e-8}}]}`},
		{"10 + j20 is 50 Ω beside j25 Ω: a shunt capacitor alone will do, B = 20/500 S", `{"freq_mhz":14,"load_r_ohm":10,"load_x_ohm":20}`,
			`{"solutions":[{"response":"high_pass","q":2.000000,"series":{"type":"capacitor","capacitance_f":2.842052555e-10},"shunt":{"type":"inductor","inductance_h":2.842052555e-7}},{"response":"other","q":2.000000,"bandwidth_hz":1.400000e7,"series":{"type":"none","reactance_ohm":null},"shunt":{"type":"capacitor","reactance_ohm":-25.000000,"capacitance_f":4.547284088e-10}}]}`},
		{"50 + j30 wants a series capacitor of -j30, once", `{"freq_mhz":10,"load_r_ohm":50,"load_x_ohm":30}`,
			`{"solutions":[{"response":"low_pass","q":0.6000000,"series":{"inductance_h":4.774648293e-7},"shunt":{"capacitance_f":2.808616643e-10}},{"response":"other","q":0.6000000,"series":{"type":"capacitor","capacitance_f":5.305164770e-10},"shunt":{"type":"none"}}]}`},
		{"both complex", `{"freq_mhz":433,"load_r_ohm":75,"load_x_ohm":-40,"source_r_ohm":50,"source_x_ohm":25}`,
			`{"unmatched_reflection":0.231576683,"unmatched_loss_db":0.239380075,"solutions":[{"q":0.962635272,"series":{"inductance_h":8.502389188e-9},"shunt":{"capacitance_f":1.638017347e-12}},{"series":{"capacitance_f":5.026042870e-12},"shunt":{"inductance_h":2.366935067e-8}}]}`},
		{"50.005 Ω to 50 Ω: q = √0.0001", `{"freq_mhz":100,"load_r_ohm":50.005}`, `{"solutions":[{"q":0.010000000000},{"q":0.010000000000}]}`},
		{"matched", `{"freq_mhz":100,"load_r_ohm":50}`, `{"matched":true,"unmatched_reflection":0,"unmatched_loss_db":0,"solutions":[],"warnings":["~already matched"]}`},
		{"conjugates match", `{"freq_mhz":100,"load_r_ohm":75,"load_x_ohm":-30,"source_r_ohm":75,"source_x_ohm":30}`, `{"matched":true,"solutions":[]}`},
		{"a step of 200: q = √199", `{"freq_mhz":7,"load_r_ohm":10000}`, `{"solutions":[{"q":14.10673598},{"q":14.10673598}],"warnings":["~q is above 10"]}`},
		{"parts too small at 10 GHz", `{"freq_mhz":10000,"load_r_ohm":100}`, `{"warnings":["~0.5 pF"]}`},
	})
	tooltest.InvalidCases(t, ImpedanceMatch, []tooltest.InvalidCase{
		{"missing", `{}`, []string{"freq_mhz", "load_r_ohm"}, "is required"},
		{"no resistance", `{"freq_mhz":1,"load_r_ohm":0,"load_x_ohm":50}`, []string{"load_r_ohm"}, "greater than 0"},
		{"negative source", `{"freq_mhz":1,"load_r_ohm":50,"source_r_ohm":-50}`, []string{"source_r_ohm"}, "greater than 0"},
		{"no frequency", `{"freq_mhz":0,"load_r_ohm":50}`, []string{"freq_mhz"}, "greater than 0"},
		{"text", `{"freq_mhz":1,"load_r_ohm":"50+j10"}`, []string{"load_r_ohm"}, "a string was given"},
	})
}

// Every network, built from its parts and loaded, shows the source its conjugate.
func TestImpedanceMatchMatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rapid.Float64Range(0, 4)
		x := rapid.SampledFrom([]float64{0, 0, 30, -30, 1234, -0.5})
		rs, rl := math.Pow(10, r.Draw(rt, "log Rs")), math.Pow(10, r.Draw(rt, "log Rl"))
		xs, xl := x.Draw(rt, "Xs"), x.Draw(rt, "Xl")
		out := result(t, ImpedanceMatch, `{"freq_mhz":27.12,"load_r_ohm":%g,"load_x_ohm":%g,"source_r_ohm":%g,"source_x_ohm":%g}`, rl, xl, rs, xs)
		solutions := out["solutions"].([]any)
		if len(solutions) == 0 && out["matched"] == false || len(solutions) > 4 {
			rt.Fatalf("%d solutions", len(solutions))
		}
		previous := 0.0
		for _, s := range solutions {
			n := s.(map[string]any)
			w := 2 * math.Pi * 27.12e6
			series, shunt := impedance(n["series"], w, 0), 1/impedance(n["shunt"], w, math.Inf(1))
			zl := complex(rl, xl)
			var seen complex128
			if n["topology"] == "shunt_at_load" {
				seen = series + 1/(1/zl+shunt)
			} else {
				seen = 1 / (shunt + 1/(series+zl))
			}
			if miss := cmplx.Abs(seen-complex(rs, -xs)) / cmplx.Abs(complex(rs, xs)); miss > 1e-6 {
				rt.Fatalf("Zs %g%+gj, ZL %g%+gj: %v shows %v", rs, xs, rl, xl, n, seen)
			}
			if q := n["q"].(float64); q < previous*(1-1e-8) {
				rt.Fatalf("q %v after %v", q, previous)
			} else {
				previous = q
			}
		}
	})
}

// impedance of an element as its inductance or capacitance says, or that of an empty place.
func impedance(element any, w, empty float64) complex128 {
	e := element.(map[string]any)
	switch e["type"] {
	case "inductor":
		return complex(0, w*e["inductance_h"].(float64))
	case "capacitor":
		return complex(0, -1/(w*e["capacitance_f"].(float64)))
	}
	return complex(empty, 0)
}

// Turned around, source and load swap the topologies and keep the parts.
func TestImpedanceMatchIsReciprocal(t *testing.T) {
	there := result(t, ImpedanceMatch, `{"freq_mhz":100,"load_r_ohm":300,"load_x_ohm":-70,"source_r_ohm":50,"source_x_ohm":10}`)["solutions"].([]any)
	back := result(t, ImpedanceMatch, `{"freq_mhz":100,"load_r_ohm":50,"load_x_ohm":10,"source_r_ohm":300,"source_x_ohm":-70}`)["solutions"].([]any)
	if len(there) != len(back) {
		t.Fatalf("%d and %d networks", len(there), len(back))
	}
	for i := range there {
		a, b := there[i].(map[string]any), back[i].(map[string]any)
		if fmt.Sprint(a["topology"]) == fmt.Sprint(b["topology"]) {
			t.Errorf("network %d keeps its topology %v", i, a["topology"])
		}
		for _, part := range []string{"series", "shunt"} {
			same(t, part, number(t, a[part].(map[string]any), "reactance_ohm"), number(t, b[part].(map[string]any), "reactance_ohm"))
		}
	}
}
