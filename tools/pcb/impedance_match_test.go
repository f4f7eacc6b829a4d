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
		{"the q that the error of 1.732 states", `{"freq_mhz":100,"load_r_ohm":200,"network":"pi","q":1.733}`,
			`{"matched":false}`},
		{"contract: 50 to 200 Ω; Γ = 150/250, loss -10·log10 0.64",
			`{"freq_mhz":100,"load_r_ohm":200}`,
			`{"unmatched_reflection":0.600000,"unmatched_loss_db":1.93820026,"solutions":[
			{"topology":"shunt_at_load","response":"low_pass","q":1.7320508,"bandwidth_hz":1.154701e8,"series":{"type":"inductor","reactance_ohm":86.6025404,"inductance_h":1.378322e-7,"capacitance_f":null},"shunt":{"type":"capacitor","reactance_ohm":-115.470054,"capacitance_f":1.378322e-11,"inductance_h":null}},
			{"response":"high_pass","series":{"capacitance_f":1.837763e-11},"shunt":{"inductance_h":1.837763e-7}}],"warnings":[]}`},
		{"Pozar, example 5.1: 38.8 nH and 0.92 pF, 2.61 pF and 46.1 nH by chart",
			`{"freq_mhz":500,"load_r_ohm":200,"load_x_ohm":-100,"source_r_ohm":100}`,
			`{"solutions":[{"series":{"inductance_h":3.8985e-8},"shunt":{"capacitance_f":9.2277e-13}},{"series":{"capacitance_f":2.5990e-12},"shunt":{"inductance_h":4.6139e-8}}]}`},
		{"down to 12.5 Ω the shunt sits at the source: x = √(12.5·50 - 12.5²)",
			`{"freq_mhz":144,"load_r_ohm":12.5}`,
			`{"solutions":[{"topology":"shunt_at_source","response":"low_pass","q":1.7320508,"series":{"inductance_h":2.392920553e-8},"shunt":{"capacitance_f":3.828672885e-11}},{"topology":"shunt_at_source","response":"high_pass","series":{"capacitance_f":5.104897180e-11},"shunt":{"inductance_h":3.190560737e-8}}]}`},
		{"10 + j20 is 50 Ω beside j25 Ω: a shunt capacitor alone will do, B = 20/500 S",
			`{"freq_mhz":14,"load_r_ohm":10,"load_x_ohm":20}`,
			`{"solutions":[{"response":"high_pass","q":2.000000,"series":{"type":"capacitor","capacitance_f":2.842052555e-10},"shunt":{"type":"inductor","inductance_h":2.842052555e-7}},{"response":"other","q":2.000000,"bandwidth_hz":1.400000e7,"series":{"type":"none","reactance_ohm":null},"shunt":{"type":"capacitor","reactance_ohm":-25.000000,"capacitance_f":4.547284088e-10}}]}`},
		{"50 + j30 wants a series capacitor of -j30, once",
			`{"freq_mhz":10,"load_r_ohm":50,"load_x_ohm":30}`,
			`{"solutions":[{"response":"low_pass","q":0.6000000,"series":{"inductance_h":4.774648293e-7},"shunt":{"capacitance_f":2.808616643e-10}},{"response":"other","q":0.6000000,"series":{"type":"capacitor","capacitance_f":5.305164770e-10},"shunt":{"type":"none"}}]}`},
		{"a mismatch of 2e-9 beside j1234: a shunt element is negligible, -j1234 alone",
			`{"freq_mhz":100,"source_r_ohm":1.0000000018763933,"load_r_ohm":1.0000000001340281,"load_x_ohm":1234}`,
			`{"solutions":[{},{},{"response":"low_pass"},{"response":"other","series":{"type":"capacitor","reactance_ohm":-1234.000000000},"shunt":{"type":"none"}}]}`},
		{"both complex",
			`{"freq_mhz":433,"load_r_ohm":75,"load_x_ohm":-40,"source_r_ohm":50,"source_x_ohm":25}`,
			`{"unmatched_reflection":0.231576683,"unmatched_loss_db":0.239380075,"solutions":[{"q":0.962635272,"series":{"inductance_h":8.502389188e-9},"shunt":{"capacitance_f":1.638017347e-12}},{"series":{"capacitance_f":5.026042870e-12},"shunt":{"inductance_h":2.366935067e-8}}]}`},
		{"50.005 Ω to 50 Ω: q = √0.0001", `{"freq_mhz":100,"load_r_ohm":50.005}`,
			`{"solutions":[{"q":0.010000000000},{"q":0.010000000000}]}`},
		{"matched", `{"freq_mhz":100,"load_r_ohm":50}`, `{"matched":true,"unmatched_reflection":0,"unmatched_loss_db":0,"solutions":[],"warnings":["~already matched"]}`},
		{"conjugates match",
			`{"freq_mhz":100,"load_r_ohm":75,"load_x_ohm":-30,"source_r_ohm":75,"source_x_ohm":30}`, `{"matched":true,"solutions":[]}`},
		{"a step of 200: q = √199", `{"freq_mhz":7,"load_r_ohm":10000}`,
			`{"solutions":[{"q":14.10673598},{"q":14.10673598}],"warnings":["~q is above 10"]}`},
		{"† Bowick, example 4-4, pi of Q = 15: Xp2 66.7, Xp1 21.7 Ω with a rounded Q, Xs 66.3 + 20.5 Ω", `{"freq_mhz":100,"source_r_ohm":100,"load_r_ohm":1000,"network":"pi","q":15}`,
			`{"solutions":[{"topology":"pi","response":"low_pass","q":15,"series":{"reactance_ohm":86.9},"shunt":{"reactance_ohm":-66.7},"source_element":{"type":"capacitor","reactance_ohm":-21.52}},
			{"response":"high_pass","series":{"reactance_ohm":-86.9},"shunt":{"reactance_ohm":66.7},"source_element":{"reactance_ohm":21.52}}]}`},
		{"† Bowick, example 4-5, tee of Q = 10: Xs1 100, Xs2 220 Ω, Xp 101 and 230 Ω in parallel",
			`{"freq_mhz":100,"source_r_ohm":10,"load_r_ohm":50,"network":"tee","q":10}`,
			`{"solutions":[{"topology":"tee","response":"low_pass","series":{"reactance_ohm":219.1},"shunt":{"reactance_ohm":-70.2},"source_element":{"type":"inductor","reactance_ohm":100.0}},{"response":"high_pass"}],"warnings":[]}`},
		{"analogtrx.com, pi at 7 MHz: 3 µH and 213.01 pF, 95.3 % with a coil of Q = 250", `{"freq_mhz":7,"source_r_ohm":1000,"load_r_ohm":75.7,"network":"pi","q":9.3687,"inductor_q":250}`,
			`{"solutions":[{"series":{"inductance_h":3.01e-6},"source_element":{"capacitance_f":2.1301e-10},"loss_db":0.20},{}]}`},
		{"rftoolbox.ca: the pi of the least Q is the L network",
			`{"freq_mhz":100,"load_r_ohm":200,"network":"pi","q":1.7320508075688772}`,
			`{"solutions":[{"q":1.7320508,"bandwidth_hz":1.154701e8,"series":{"inductance_h":1.378322e-7},"shunt":{"capacitance_f":1.378322e-11},"source_element":{"type":"none"}},{}]}`},
		{"rfview.com: 4.34 · 3/100 = 0.13 dB of an L network with q = 3 and a coil of 100",
			`{"freq_mhz":100,"load_r_ohm":500,"inductor_q":100}`,
			`{"solutions":[{"q":3,"loss_db":0.13},{"q":3,"loss_db":0.13}]}`},
		{"rfview.com: 0.43 dB with a coil of 30, by the exact 20 log10(1 + 3/60)",
			`{"freq_mhz":100,"load_r_ohm":500,"inductor_q":30}`,
			`{"solutions":[{"q":3,"loss_db":0.42},{"q":3}]}`},
		{"rfview.com: capacitors add theirs, 4.34 · 3/100 each",
			`{"freq_mhz":100,"load_r_ohm":500,"inductor_q":100,"capacitor_q":100}`,
			`{"solutions":[{"loss_db":0.26},{"loss_db":0.26}]}`},
		{"Smith chart: 200 Ω is Γ = 0.6, then on the circle of r = 1, then its centre",
			`{"freq_mhz":100,"load_r_ohm":200}`,
			`{"solutions":[{"loss_db":null,"source_element":null,"smith":[{"re":0.6000,"im":0},{"re":0.428571,"im":-0.494872},{"re":0.000000,"im":0.000000}]},{}]}`},
		{"Fundamentals of Microwave and RF Design, problem 8.1: Γ = (65 - 20j)/(165 - 20j)",
			`{"freq_mhz":100,"load_r_ohm":115,"load_x_ohm":-20}`,
			`{"solutions":[{"smith":[{"re":0.4027,"im":-0.0724},{},{}]},{}]}`},
		{"Pozar, example 5.1: zL = 2 - j1 is Γ = 0.4 - 0.2j",
			`{"freq_mhz":500,"load_r_ohm":200,"load_x_ohm":-100,"source_r_ohm":100}`,
			`{"solutions":[{"smith":[{"re":0.400000,"im":-0.200000},{},{}]},{}]}`},
		{"a lossy pi", `{"freq_mhz":100,"load_r_ohm":200,"network":"pi","q":9,"inductor_q":20}`,
			`{"warnings":["~network 1 loses","~network 2 loses"]}`},
		{"a q that no L network has", `{"freq_mhz":100,"load_r_ohm":200,"q":5}`,
			`{"warnings":["~q was ignored"]}`},
		{"parts too small at 10 GHz", `{"freq_mhz":10000,"load_r_ohm":100}`,
			`{"warnings":["~0.5 pF"]}`},
		{"rfessentials.com: 50 Ω to 10 Ω with parts of Q = 200 loses about 0.1 dB",
			`{"freq_mhz":100,"source_r_ohm":50,"load_r_ohm":10,"inductor_q":200,"capacitor_q":200}`,
			`{"solutions":[{"loss_db":0.1},{"loss_db":0.1}]}`},
		{"capacitors alone, nodal analysis in Python",
			`{"freq_mhz":100,"source_r_ohm":50,"load_r_ohm":10,"capacitor_q":500}`,
			`{"solutions":[{"response":"low_pass","loss_db":0.017354},{"response":"high_pass","loss_db":0.017354}]}`},
		{"both parts lossy, nodal analysis in Python",
			`{"freq_mhz":100,"source_r_ohm":50,"load_r_ohm":500,"inductor_q":100,"capacitor_q":300}`,
			`{"solutions":[{"response":"low_pass","loss_db":0.17213},{"response":"high_pass","loss_db":0.17211}]}`},
		{"a poor capacitor, nodal analysis in Python",
			`{"freq_mhz":100,"source_r_ohm":75,"load_r_ohm":1000,"inductor_q":60,"capacitor_q":40}`,
			`{"solutions":[{"response":"low_pass","loss_db":0.61454},{"response":"high_pass","loss_db":0.61473}]}`},
		{"Bowick's formulas in Python: pi of Q = 10, 50 Ω to 200 Ω, high pass",
			`{"freq_mhz":100,"source_r_ohm":50,"load_r_ohm":200,"network":"pi","q":10}`,
			`{"solutions":[{"response":"low_pass","source_element":{"type":"capacitor","reactance_ohm":-10.1535,"capacitance_f":1.56749e-10}},{"response":"high_pass","source_element":{"type":"inductor","reactance_ohm":10.1535,"inductance_h":1.61597e-08}}]}`},
		{"Bowick's formulas in Python: pi of Q = 5, 50 Ω to 75 Ω",
			`{"freq_mhz":100,"source_r_ohm":50,"load_r_ohm":75,"network":"pi","q":5}`,
			`{"solutions":[{"response":"low_pass","source_element":{"type":"capacitor","capacitance_f":1.28643e-10}},{"response":"high_pass","source_element":{"type":"inductor","inductance_h":1.96903e-08}}]}`},
		{"Bowick's formulas in Python: pi of Q = 8, 300 Ω to 75 Ω",
			`{"freq_mhz":100,"source_r_ohm":300,"load_r_ohm":75,"network":"pi","q":8}`,
			`{"solutions":[{"response":"low_pass","source_element":{"type":"capacitor","capacitance_f":4.24413e-11}},{"response":"high_pass","source_element":{"type":"inductor","inductance_h":5.96831e-08}}]}`},
	})
	tooltest.InvalidCases(t, ImpedanceMatch, []tooltest.InvalidCase{
		{"√(200/50 - 1) is 1.7320508, rounded up", `{"freq_mhz":100,"load_r_ohm":200,"network":"pi","q":1.732}`,
			[]string{"q"}, "at least 1.733,"},
		{"missing", `{}`, []string{"freq_mhz", "load_r_ohm"}, "is required"},
		{"no resistance", `{"freq_mhz":1,"load_r_ohm":0,"load_x_ohm":50}`, []string{"load_r_ohm"},
			"greater than 0"},
		{"negative source", `{"freq_mhz":1,"load_r_ohm":50,"source_r_ohm":-50}`,
			[]string{"source_r_ohm"}, "greater than 0"},
		{"pi without q", `{"freq_mhz":1,"load_r_ohm":100,"network":"pi"}`, []string{"q"},
			"is required with network pi"},
		{"tee of too low a q", `{"freq_mhz":1,"load_r_ohm":500,"network":"tee","q":2}`,
			[]string{"q"}, "at least 3"},
		{"no frequency", `{"freq_mhz":0,"load_r_ohm":50}`, []string{"freq_mhz"}, "greater than 0"},
		{"text", `{"freq_mhz":1,"load_r_ohm":"50+j10"}`, []string{"load_r_ohm"},
			"a string was given"},
	})
}

// TestImpedanceMatchMatches verifies that the input impedance of every loaded network, computed
// from its component values, is the complex conjugate of the source impedance.
func TestImpedanceMatchMatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rapid.Float64Range(0, 4)
		x := rapid.SampledFrom([]float64{0, 0, 30, -30, 1234, -0.5})
		rs, rl := math.Pow(10, r.Draw(rt, "log Rs")), math.Pow(10, r.Draw(rt, "log Rl"))
		xs, xl := x.Draw(rt, "Xs"), x.Draw(rt, "Xl")
		out := result(t, ImpedanceMatch,
			`{"freq_mhz":27.12,"load_r_ohm":%g,"load_x_ohm":%g,"source_r_ohm":%g,"source_x_ohm":%g}`, rl, xl, rs, xs)
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

// impedance returns the impedance of an inductor or a capacitor at the angular frequency w. For an
// empty position it returns empty.
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

// TestThreeElementsMatch verifies that the input impedance of every loaded pi and tee, computed
// from its component values, is the complex conjugate of the source impedance.
func TestThreeElementsMatch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, x := rapid.Float64Range(0, 4), rapid.SampledFrom([]float64{0, 0, 30, -30, 1234, -0.5})
		rs, rl := math.Pow(10, r.Draw(rt, "log Rs")), math.Pow(10, r.Draw(rt, "log Rl"))
		xs, xl := x.Draw(rt, "Xs"), x.Draw(rt, "Xl")
		network := rapid.SampledFrom([]string{"pi", "tee"}).Draw(rt, "network")
		a, b := rs, rl
		if network == "pi" {
			a, b = rs+xs*xs/rs, rl+xl*xl/rl
		}
		q := math.Sqrt(max(a, b)/min(a, b)-1)*rapid.Float64Range(1.001, 5).Draw(rt, "rise") + 0.01
		if q > 1e4 || cmplx.Abs(complex(rs-rl, xs+xl)) < 1e-6*rs {
			rt.Skip("beyond the range of q, or matched")
		}
		out := result(t, ImpedanceMatch, `{"freq_mhz":27.12,"load_r_ohm":%g,"load_x_ohm":%g,"source_r_ohm":%g,"source_x_ohm":%g,"network":%q,"q":%g}`, rl, xl, rs, xs, network, q)
		for _, s := range out["solutions"].([]any) {
			n := s.(map[string]any)
			w, z := 2*math.Pi*27.12e6, complex(rl, xl)
			if network == "pi" {
				z = 1 / (1/z + 1/impedance(n["shunt"], w, math.Inf(1)))
				z += impedance(n["series"], w, 0)
				z = 1 / (1/z + 1/impedance(n["source_element"], w, math.Inf(1)))
			} else {
				z += impedance(n["series"], w, 0)
				z = 1 / (1/z + 1/impedance(n["shunt"], w, math.Inf(1)))
				z += impedance(n["source_element"], w, 0)
			}
			if miss := cmplx.Abs(z-complex(rs, -xs)) / cmplx.Abs(z+complex(rs, xs)); miss > 1e-5 {
				rt.Fatalf("%s, q %g: Zs %g%+gj, ZL %g%+gj: %v shows %v", network, q, rs, xs,
					rl, xl, n, z)
			}
		}
	})
}

// TestImpedanceMatchIsReciprocal verifies that exchanging source and load exchanges the topologies
// and keeps the component values.
func TestImpedanceMatchIsReciprocal(t *testing.T) {
	there := result(t, ImpedanceMatch,
		`{"freq_mhz":100,"load_r_ohm":300,"load_x_ohm":-70,"source_r_ohm":50,"source_x_ohm":10}`)["solutions"].([]any)
	back := result(t, ImpedanceMatch,
		`{"freq_mhz":100,"load_r_ohm":50,"load_x_ohm":10,"source_r_ohm":300,"source_x_ohm":-70}`)["solutions"].([]any)
	if len(there) != len(back) {
		t.Fatalf("%d and %d networks", len(there), len(back))
	}
	for i := range there {
		a, b := there[i].(map[string]any), back[i].(map[string]any)
		if fmt.Sprint(a["topology"]) == fmt.Sprint(b["topology"]) {
			t.Errorf("network %d keeps its topology %v", i, a["topology"])
		}
		for _, part := range []string{"series", "shunt"} {
			same(t, part, number(t, a[part].(map[string]any), "reactance_ohm"),
				number(t, b[part].(map[string]any), "reactance_ohm"))
		}
	}
}
