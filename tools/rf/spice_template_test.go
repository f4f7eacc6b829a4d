package rf

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
	"slipstick/tools/tooltest"
)

func TestSpiceTemplate(t *testing.T) {
	tooltest.Examples(t, SpiceTemplate)
	tooltest.Cases(t, SpiceTemplate, []tooltest.Case{
		{"divider from the contract: 10 V in 100 steps from 0",
			`{"template":"voltage_divider","params":{},"analysis":"dc"}`,
			`{"netlist":"~\n.dc V1 0 10 0.1\n.end\n","component_count":3,"analysis_type":"dc","template_name":"voltage_divider"}`},
		{"others sweep both signs",
			`{"template":"rc_highpass","params":{"v_source":5},"analysis":"dc"}`,
			`{"netlist":"~\n.dc V1 -5 5 0.1\n"}`},
		{"a negative source sweeps upwards too",
			`{"template":"voltage_divider","params":{"v_source":-5},"analysis":"dc"}`,
			`{"netlist":"~\n.dc V1 -5 0 0.05\n"}`},
		{"by hand: 5 RC in 1000 steps",
			`{"template":"low_pass_rc","params":{"r_ohms":2000,"c_farads":1e-6},"analysis":"tran"}`, `{"netlist":"~\n.tran 1e-05 0.01\n"}`},
		{"by hand: ten periods of 62.5 Hz in 1000 steps",
			`{"template":"diode_rectifier","params":{"freq_hz":62.5},"analysis":"tran"}`,
			`{"netlist":"~\n.tran 0.00016 0.16\n","component_count":4}`},
		{"full precision", `{"template":"low_pass_rc","params":{"r_ohms":1234.5678901234567}}`,
			`{"netlist":"~\nR1 in out 1234.5678901234567\n"}`},
		{"an unknown name", `{"template":"low_pass_rc","params":{"r":5,"zz":1}}`,
			`{"warnings":["~unknown parameter \"r\" was ignored; low_pass_rc takes r_ohms, c_farads, v_source","~\"zz\""],"component_count":3}`},
		{"two sources of the loop", `{"template":"wien_bridge","params":{},"analysis":"tran"}`,
			`{"netlist":"~\nV1 in amp DC 0 PULSE(0 0.01 0 ","component_count":10}`},
		{"op-amp of three cards", `{"template":"opamp_inverting","params":{}}`,
			`{"netlist":"~EGAIN stage 0 0 inv 100000\n","component_count":7}`},
		{"the transistor's model comes along",
			`{"template":"common_emitter","params":{},"analysis":"tran"}`,
			`{"netlist":"~.model Q2N3904 NPN("}`},
		{"three parts in series", `{"template":"rlc_bandpass","params":{}}`,
			`{"netlist":"~L1 in mid 0.001\nC1 mid out 1e-08\nR1 out 0 50\n","component_count":4}`},
	})
	tooltest.InvalidCases(t, SpiceTemplate, []tooltest.InvalidCase{
		{"nothing given", `{}`, []string{"template", "params"}, "is required"},
		{"no such circuit", `{"template":"flux_capacitor","params":{}}`, []string{"template"},
			"must be one of low_pass_rc"},
		{"no such analysis", `{"template":"low_pass_rc","params":{},"analysis":"op"}`,
			[]string{"analysis"}, "ac, dc, tran"},
		{"parameters as a list", `{"template":"low_pass_rc","params":[1]}`, []string{"params"},
			"an object"},
		{"not numbers",
			`{"template":"low_pass_rc","params":{"r_ohms":"1k","c_farads":null,"v_source":true}}`, []string{"params.r_ohms", "params.c_farads", "params.v_source"}, "must be a number"},
		{"not positive", `{"template":"low_pass_rc","params":{"r_ohms":0,"c_farads":-1e-9}}`,
			[]string{"params.r_ohms", "params.c_farads"}, "greater than 0"},
		{"frequency not positive", `{"template":"diode_rectifier","params":{"freq_hz":-50}}`,
			[]string{"params.freq_hz"}, "greater than 0"},
		{"absurdly large", `{"template":"rlc_bandpass","params":{"r_ohms":1e300,"l_henries":1e-300,"v_source":1e20}}`, []string{"params.r_ohms", "params.l_henries", "params.v_source"}, "1e+15"},
		{"absurd together", `{"template":"low_pass_rc","params":{"r_ohms":1e15,"c_farads":1}}`,
			[]string{"params.r_ohms", "params.c_farads"}, "characteristic frequency"},
		{"just below the range: 1/(2π 1e15 · 1.5915495e-7)",
			`{"template":"low_pass_rc","params":{"r_ohms":1e15,"c_farads":1.5915495e-7}}`,
			[]string{"params.r_ohms", "params.c_farads"},
			"frequency of 9.999e-10 Hz; it must be 1e-09 to 1e+15 Hz"},
		{"nothing to sweep",
			`{"template":"voltage_divider","params":{"v_source":0},"analysis":"dc"}`,
			[]string{"params.v_source"}, "must not be 0"},
	})
}

func netlistOf(t *testing.T, name, params, analysis string) string {
	t.Helper()
	in := fmt.Sprintf(`{"template":%q,"params":%s,"analysis":%q}`, name, params, analysis)
	raw, err := SpiceTemplate.Run(context.Background(), []byte(in))
	if err != nil {
		t.Fatalf("%s: %v", in, err)
	}
	var out spiceTemplateOut
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out.Netlist
}

// TestSpiceTemplateCards verifies the cards of every netlist in every analysis: the title first,
// .end last, one analysis card and the right number of elements. It also verifies that every value
// is a plain number, which any simulator reads.
func TestSpiceTemplateCards(t *testing.T) {
	for _, c := range circuitTemplates {
		for _, analysis := range []string{"ac", "dc", "tran"} {
			in := fmt.Sprintf(`{"template":%q,"params":{},"analysis":%q}`, c.Name, analysis)
			raw, err := SpiceTemplate.Run(context.Background(), []byte(in))
			if err != nil {
				t.Fatal(err)
			}
			var out spiceTemplateOut
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.Netlist, "\n"), "\n")
			if !strings.Contains(lines[0], c.Title) || lines[len(lines)-1] != ".end" {
				t.Errorf("%s %s: starts with %q and ends with %q", c.Name, analysis, lines[0],
					lines[len(lines)-1])
			}
			elements, analyses, names := 0, 0, map[string]bool{}
			for _, l := range lines[1 : len(lines)-1] {
				word := strings.Fields(l)[0]
				switch {
				case strings.ContainsRune("RCLVDQE", rune(l[0])):
					elements++
					if names[word] {
						t.Errorf("%s: two elements are called %s", c.Name, word)
					}
					names[word] = true
				case word == "."+analysis:
					analyses++
				case word != ".model":
					t.Errorf("%s %s: unexpected card %q", c.Name, analysis, l)
				}
			}
			if elements != out.ComponentCount || analyses != 1 {
				t.Errorf("%s %s: %d elements, %d counted; %d analyses", c.Name, analysis, elements,
					out.ComponentCount, analyses)
			}
			for _, node := range []string{" in ", " out "} {
				if !strings.Contains(out.Netlist, node) {
					t.Errorf("%s has no node%s", c.Name, node)
				}
			}
		}
	}
}

// wave is the output of ngspice, complex for ac.
type wave []ngspice.Vector

func (w wave) column(t *testing.T, name string) []complex128 {
	t.Helper()
	v, ok := ngspice.Find(w, name)
	if !ok {
		t.Fatalf("no %s among %d vectors", name, len(w))
	}
	return v.Complex()
}

// oracle runs a netlist in ngspice, which must report no problem.
func oracle(t *testing.T, netlist string) wave {
	t.Helper()
	raw, printed, err := ngspice.Simulate(ngspice.Program(t), netlist)
	if lower := strings.ToLower(printed); err != nil || strings.Contains(lower, "error") ||
		strings.Contains(lower, "warning") {
		t.Fatalf("ngspice: %v\n%s\n%s", err, printed, netlist)
	}
	w, err := ngspice.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSpiceTemplatesInNgspice verifies that ngspice runs every circuit in every analysis without
// a message, over its whole sweep.
func TestSpiceTemplatesInNgspice(t *testing.T) {
	for _, c := range circuitTemplates {
		for analysis, points := range map[string]int{"ac": 301, "dc": 101, "tran": 900} {
			t.Run(c.Name+"/"+analysis, func(t *testing.T) {
				w := oracle(t, netlistOf(t, c.Name, "{}", analysis))
				w.column(t, "v(in)")
				w.column(t, "v(out)")
				if n := len(w[0].Real); n < points || analysis != "tran" && n > points {
					t.Errorf("%d points, want %d", n, points)
				}
			})
		}
	}
}

// TestSpiceTemplatesSimulated verifies that spice_simulate runs every netlist.
func TestSpiceTemplatesSimulated(t *testing.T) {
	for _, c := range circuitTemplates {
		for _, analysis := range []string{"ac", "dc", "tran"} {
			t.Run(c.Name+"/"+analysis, func(t *testing.T) {
				in, err := json.Marshal(map[string]string{"netlist": netlistOf(t, c.Name,
					"{}", analysis)})
				if err != nil {
					t.Fatal(err)
				}
				raw, err := SpiceSimulate.Run(context.Background(), in)
				if err != nil {
					t.Fatalf("%s: %v", in, err)
				}
				var out struct {
					AnalysisType string               `json:"analysis_type"`
					Vectors      map[string][]float64 `json:"vectors"`
				}
				if err := json.Unmarshal(raw, &out); err != nil {
					t.Fatal(err)
				}
				name := "v(out)"
				if analysis == "ac" {
					name += "_mag"
				}
				if out.AnalysisType != analysis || len(out.Vectors[name]) < 50 {
					t.Errorf("%s with %d points of %s", out.AnalysisType, len(out.Vectors[name]),
						name)
				}
			})
		}
	}
}

// gainAt returns v(out)/v(in) at the point of the sweep nearest to f.
func gainAt(t *testing.T, w wave, f float64) complex128 {
	t.Helper()
	in, out, hz := w.column(t, "v(in)"), w.column(t, "v(out)"), w.column(t, "frequency")
	best := 0
	for i := range hz {
		if math.Abs(math.Log(real(hz[i])/f)) < math.Abs(math.Log(real(hz[best])/f)) {
			best = i
		}
	}
	if math.Abs(real(hz[best])/f-1) > 1e-9 {
		t.Fatalf("the sweep does not pass through %v Hz but %v", f, hz[best])
	}
	return out[best] / in[best]
}

func dB(g complex128) float64 { return 20 * math.Log10(cmplx.Abs(g)) }

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestSpiceTemplateResponses(t *testing.T) {
	t.Run("RC filters are 3.01 dB down at 1/(2πRC)", func(t *testing.T) {
		f := 1 / (2 * math.Pi * 1000 * 1e-7)
		g := gainAt(t, oracle(t, netlistOf(t, "low_pass_rc", "{}", "ac")), f)
		near(t, "low pass, dB", dB(g), -3.0103, 1e-4)
		near(t, "low pass, degrees", cmplx.Phase(g)*180/math.Pi, -45, 1e-3)
		g = gainAt(t, oracle(t, netlistOf(t, "rc_highpass", "{}", "ac")), f)
		near(t, "high pass, dB", dB(g), -3.0103, 1e-4)
		near(t, "high pass, degrees", cmplx.Phase(g)*180/math.Pi, 45, 1e-3)
	})
	t.Run("the RC step reaches 1 - 1/e after RC", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "low_pass_rc", "{}", "tran"))
		near(t, "out", at(w.column(t, "time"), w.column(t, "v(out)"), 1e-4), 1-1/math.E, 1e-3)
	})
	t.Run("the divider divides", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "voltage_divider",
			`{"r1_ohms":3000,"r2_ohms":1000,"v_source":12}`, "dc"))
		out := w.column(t, "v(out)")
		near(t, "out at 12 V", real(out[100]), 3, 1e-9)
		near(t, "out at 6 V", real(out[50]), 1.5, 1e-9)
	})
	t.Run("the RLC filter peaks at 0 dB", func(t *testing.T) {
		f := 1 / (2 * math.Pi * math.Sqrt(1e-3*1e-8)) // 50.33 kHz
		w := oracle(t, netlistOf(t, "rlc_bandpass", "{}", "ac"))
		g := gainAt(t, w, f)
		near(t, "peak, dB", dB(g), 0, 1e-6)
		near(t, "peak, degrees", cmplx.Phase(g)*180/math.Pi, 0, 1e-3)
		for i, o := range w.column(t, "v(out)") {
			if cmplx.Abs(o) > 1+1e-9 {
				t.Errorf("point %d lies above the peak: %v", i, o)
			}
		}
	})
	t.Run("the transistor is in its active region and amplifies", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "common_emitter", "{}", "dc"))
		collector := real(w.column(t, "v(collector)")[50])
		if collector < 2 || collector > 11 {
			t.Errorf("the collector is at %v V", collector)
		}
		// By hand, 3.0 mA gives gm = 0.116 S, and 2200 ∥ 10000 ∥ ro (25 kΩ) = 1.68 kΩ gives a gain
		// near 195.
		ac := oracle(t, netlistOf(t, "common_emitter", "{}", "ac"))
		in, out := ac.column(t, "v(in)"), ac.column(t, "v(out)")
		g := out[150] / in[150]
		if math.Abs(cmplx.Abs(g)-195) > 30 || math.Abs(math.Abs(cmplx.Phase(g))-math.Pi) > 0.2 {
			t.Errorf("gain %v at %v radians in the middle of the sweep", cmplx.Abs(g),
				cmplx.Phase(g))
		}
	})
	t.Run("the op-amp amplifier", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "opamp_inverting", "{}", "dc"))
		// The exact gain is -10 / (1 + 11/1e5), 0.011 % less than -10.
		near(t, "gain at dc", real(w.column(t, "v(out)")[100]/w.column(t, "v(in)")[100]),
			-10/(1+11e-5), 1e-6)
		g := gainAt(t, oracle(t, netlistOf(t, "opamp_inverting", "{}", "ac")), 1e6/11)
		near(t, "dB at the closed loop's corner", dB(g), 20-3.01, 0.01)
	})
	t.Run("the rectifier's peak", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "diode_rectifier", "{}", "tran"))
		peak := 0.0
		for _, o := range w.column(t, "v(out)") {
			peak = max(peak, real(o))
		}
		if peak < 9.2 || peak > 9.5 {
			t.Errorf("peak %v V", peak)
		}
	})
	t.Run("the Wien bridge passes a third in phase", func(t *testing.T) {
		f := 1 / (2 * math.Pi * 10e3 * 1.6e-8)
		near(t, "f", f, 994.7, 0.05)
		g := gainAt(t, oracle(t, netlistOf(t, "wien_bridge", "{}", "ac")), f)
		near(t, "transfer", cmplx.Abs(g), 1.0/3, 1e-6)
		near(t, "degrees", cmplx.Phase(g)*180/math.Pi, 0, 1e-3)
	})
	t.Run("the Wien oscillator starts and grows", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "wien_bridge", "{}", "tran"))
		time, out := w.column(t, "time"), w.column(t, "v(out)")
		var crossings []float64
		half, early, late := real(time[len(time)-1])/2, 0.0, 0.0
		for i := 1; i < len(time); i++ {
			a, b := real(out[i-1]), real(out[i])
			if a < 0 && b >= 0 {
				crossings = append(crossings, real(time[i-1])-a/(b-a)*real(time[i]-time[i-1]))
			}
			if real(time[i]) < half {
				early = max(early, b)
			} else {
				late = max(late, b)
			}
		}
		n := len(crossings) - 1
		if n < 8 {
			t.Fatalf("only %d periods", n)
		}
		near(t, "frequency", float64(n)/(crossings[n]-crossings[0]), 994.7, 5)
		if late < 1.5*early || late > 1 {
			t.Errorf("the amplitude goes from %v to %v", early, late)
		}
	})
	t.Run("the Wien oscillator stays bounded", func(t *testing.T) {
		w := oracle(t, netlistOf(t, "wien_bridge", `{"r_f_ohms":30000}`, "tran"))
		for _, o := range w.column(t, "v(out)") {
			if math.Abs(real(o)) > 1 {
				t.Fatalf("out reaches %v V", o)
			}
		}
	})
}

// at interpolates a waveform linearly between two points.
func at(time, v []complex128, when float64) float64 {
	for i := 1; i < len(time); i++ {
		if t0, t1 := real(time[i-1]), real(time[i]); t1 >= when {
			return real(v[i-1]) + (when-t0)/(t1-t0)*real(v[i]-v[i-1])
		}
	}
	return math.NaN()
}
