package rf

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/tooltest"
)

// deck returns a request with the netlist of the given lines.
func deck(lines string) string {
	raw, _ := json.Marshal("t\n" + lines + "\n.end\n")
	return `{"netlist":` + string(raw) + `}`
}

func TestSpiceSimulate(t *testing.T) {
	tooltest.Examples(t, SpiceSimulate)
	tooltest.Cases(t, SpiceSimulate, []tooltest.Case{
		{"voltage divider: 10 · 3.3/13.3", deck("V1 in 0 10\nR1 in out 10k\nR2 out 0 3.3k\n.op"),
			`{"vectors":{"v(out)":[2.4812030]},"component_count":3,"analysis_type":"op"}`},
		{"Wheatstone bridge in balance",
			deck("V1 a 0 5\nR1 a b 1k\nR2 b 0 2k\nR3 a c 10k\nR4 c 0 20k\nR5 b c 470\n.op"),
			`{"vectors":{"v(b)":[3.333333],"v(c)":[3.333333]}}`},
		{"current into a parallel pair: 1 mA · 500 Ω", deck("I1 0 a 1m\nR1 a 0 1k\nR2 a 0 1k\n.op"),
			`{"vectors":{"v(a)":[0.5000000]}}`},
		{"RL high-pass at R/(2πL) = 159.155 Hz: 1/√2 and +45°", deck("V1 in 0 AC 1\nR1 in out 1\nL1 out 0 1m\n.ac lin 1 159.15494309189535 159.15494309189535"), `{"vectors":{"v(out)_mag":[0.7071068],"v(out)_phase_deg":[45.00000]}}`},
		{"dc sweep: the output is half of the input",
			deck("V1 in 0 0\nR1 in out 1k\nR2 out 0 1k\n.dc V1 0 2 1"),
			`{"vectors":{"sweep":[0,1,2],"v(out)":[0,0.5000000,1.0000000]}}`},
		{"controlled source of gain 10", deck("V1 in 0 0.1\nE1 out 0 in 0 10\nR1 out 0 1k\n.op"),
			`{"vectors":{"v(out)":[1.000000]}}`},
		{"noise of 1 kΩ at 27 °C: √(4kTR) = 4.0714 nV/√Hz over 99 Hz",
			deck("V1 in 0 1\nR1 in out 1k\nC1 out 0 1f\n.noise v(out) V1 dec 1 1 100"), `{"analysis_type":"noise","vectors":{"onoise_spectrum":[4.0714e-9,4.0714e-9,4.0714e-9]},"noise":{"output_rms":4.0510e-8,"input_rms":4.0510e-8,"contributions":[{"device":"r1","source":"thermal","kind":"thermal","share_pct":100.0}]}}`},
		{"transfer function of a divider: 3/4, 4 kΩ, 750 Ω",
			deck("V1 in 0 1\nR1 in out 1k\nR2 out 0 3k\n.tf v(out) V1"), `{"analysis_type":"tf","transfer_function":{"gain":0.75,"gain_unit":"V/V","input_ohm":4000,"output_ohm":750.0}}`},
		{"sensitivity of a divider: V·R1/(R1+R2)² = 62.5 µV/Ω",
			deck("V1 in 0 1\nR1 in out 1k\nR2 out 0 3k\n.sens v(out)"), `{"analysis_type":"sens","sensitivity":{"entries":[{"element":"v1","absolute":0.750000,"per_percent":0.00750000},{"element":"r1","absolute":-0.00018750,"per_percent":-0.00187500},{"element":"r2","absolute":0.0000625000,"frequency_hz":null}]}}`},
		{"poles of a series resonance: 5·10⁴ ± j·9.98749·10⁵ rad/s, Q = √(L/C)/R = 10",
			deck("V1 in 0 1\nR1 in a 100\nL1 a out 1m\nC1 out 0 1n\n.pz in 0 out 0 vol pz"), `{"analysis_type":"pz","poles_and_zeros":{"poles":[{"real":-50000.0,"imag":998749.2,"frequency_hz":159154.9,"q":10.00000},{"imag":-998749.2}],"zeros":[]}}`},
		{"two analyses, side by side",
			deck("V1 in 0 DC 2 AC 1\nR1 in 0 1k\n.op\n.ac dec 1 1 10\n.meas ac top max v(in)"),
			`{"analysis_type":"ac","vectors":{"v(in)_mag":[1.0,1.0]},"measures":{"top":1.0},"warnings":["~magnitudes"],
			"analyses":[{"card":".op","analysis_type":"op","vectors":{"v(in)":[2.0],"i(v1)":[-0.002]},"warnings":[]}]}`},
		{"an analysis without a result",
			deck("V1 in 0 DC 2\nR1 in 0 1k\n.op\n.op\n.dc V1 0 1 1\n.tf v(x) V1"),
			`{"analysis_type":"dc","warnings":["~run once"],"analyses":[{"analysis_type":"op"},{"analysis_type":"tf","vectors":{},"operating_point":[],"warnings":["~no result"]}]}`},
	})
	tooltest.InvalidCases(t, SpiceSimulate, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"netlist"}, "is required"},
		{"not text", `{"netlist":5}`, []string{"netlist"}, "a number was given"},
		{"noise of an unknown node", deck("V1 a 0 1\nR1 a 0 1k\n.noise v(b) V1 dec 1 1 10"),
			[]string{"netlist"}, "node b"},
		{"no analysis", deck("V1 a 0 1\nR1 a 0 1k"), []string{"netlist"}, ".tran"},
		{"no end", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.op"}`, []string{"netlist"}, ".end"},
		{"an unknown element", deck("Y1 a 0 1\nR1 a 0 1k\n.op"), []string{"netlist"}, "line 2"},
		{"an analysis the netlist lacks",
			`{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end","analysis":"tran"}`,
			[]string{"analysis"}, ".tran"},
		{"two sources in parallel", deck("V1 a 0 1\nV2 a 0 2\n.op"), []string{"netlist"}, "v2"},
		{"a file", deck(".include /etc/passwd\n.op"), []string{"netlist"}, "files"},
		{"negative reltol",
			`{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end","options":{"reltol":-1}}`,
			[]string{"options.reltol"}, "reltol"},
		{"below -270 °C", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.op\n.end","temperature_c":-272}`,
			[]string{"temperature_c"}, "-270"},
	})
}

// TestSpiceSimulateLines verifies that an error has the netlist's line for editors to mark.
func TestSpiceSimulateLines(t *testing.T) {
	_, err := SpiceSimulate.Run(context.Background(), []byte(deck("V1 a 0 1\nR1 a 0 oops\n.op")))
	bad := tools.AsInputError(err)
	if bad == nil || len(bad.Fields) != 1 || bad.Fields[0].Line != 3 {
		t.Errorf("want a fault on line 3, got %v", err)
	}
}

// TestSpiceErrorNamesItsLineOnce verifies that an error contains the line number in its field Line
// and not again in its detail.
func TestSpiceErrorNamesItsLineOnce(t *testing.T) {
	_, err := SpiceSimulate.Run(t.Context(), []byte(deck("V1 a 0 1\nR1 a\n.op")))
	bad := tools.AsInputError(err)
	if bad == nil || len(bad.Fields) != 1 {
		t.Fatalf("want one invalid field, got %v", err)
	}
	const want = "netlist, line 3: R1 needs 2 nodes and has 1"
	if got := bad.Fields[0].Sentence(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSpiceErrorHasValue verifies that errors of fields that only the simulator checks contain the
// value.
func TestSpiceErrorHasValue(t *testing.T) {
	for field, c := range map[string]struct{ input, value string }{
		"options.reltol": {`"options":{"reltol":-1}`, "-1"},
		"options.method": {`"options":{"method":"euler"}`, `"euler"`},
		"from":           {`"from":5`, "5"},
	} {
		body := strings.Replace(deck("V1 a 0 1\nR1 a 0 1k\n.tran 1u 1m"), "{", "{"+c.input+",", 1)
		_, err := SpiceSimulate.Run(t.Context(), []byte(body))
		bad := tools.AsInputError(err)
		if bad == nil || len(bad.Fields) != 1 || bad.Fields[0].Path != field ||
			string(bad.Fields[0].Value) != c.value {
			t.Errorf("%s: %+v", c.input, bad)
		}
	}
}

func TestSpiceSimulateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var seen []tools.Progress
	ctx = tools.WithProgress(ctx, func(p tools.Progress) {
		seen = append(seen, p)
		cancel()
	})
	_, err := SpiceSimulate.Run(ctx,
		[]byte(deck("V1 a 0 SIN(0 1 1k)\nR1 a b 1k\nC1 b 0 1u\n.tran 1u 1")))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled simulation ended with %v", err)
	}
	if len(seen) == 0 {
		t.Error("no progress was reported")
	}
}
