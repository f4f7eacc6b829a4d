package rf

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"slipstick/tools/tooltest"
)

// TestSpiceMeasures verifies that the response contains measurements and spectra, and that a failed
// measurement is null.
func TestSpiceMeasures(t *testing.T) {
	tooltest.Cases(t, SpiceSimulate, []tooltest.Case{
		{
			Name: "sine of 2 V on 1 V: rms √(1 + 4/2); a level it never reaches",
			In: `{"netlist": "sine\nV1 a 0 SIN(1 2 1k)\nR1 a 0 1k\n.tran 10u 3m 0 1u\n.measure tran eff rms v(a) from=1m to=2m\n` +
				`.measure tran never when v(a)=5\n.four 1k v(a)\n.end"}`,
			Want: `{"measures": {"eff": 1.732, "never": null}, "warnings": ["~line 6: measure never failed: v(a) never passes 5"]}`,
		},
		{
			Name: "inverting amplifier of the library: bandwidth 1 MHz / 11",
			In: `{"netlist": "ua741\nVP p 0 15\nVN n 0 -15\nV1 in 0 AC 1\nX1 0 b p n out uA741\nR1 in b 1k\nR2 b out 10k\n.ac dec 100 10 10meg\n` +
				`.measure ac top max vdb(out)\n.measure ac f when vdb(out)='top-3.0103'\n.end"}`,
			Want: `{"component_count": 6, "nodes": ["p", "n", "in", "b", "out"], "measures": {"top": 20.0, "f": 9.1e4}}`,
		},
		{
			Name: "RC low-pass: rise time RC·ln 9, time constant, charge C·V",
			In: `{"netlist": "rc\nV1 in 0 PWL(0 0 1n 1)\nR1 in out 1k\nC1 out 0 1u\n.tran 20u 20m 0 10u\n.meas tran rise trig v(out) val=0.1 rise=1 targ v(out) val=0.9 rise=1\n` +
				`.meas tran tau when v(out)='1-exp(-1)'\n.meas tran q integ i(v1)\n.meas tran part param='rise/tau'\n.end"}`,
			Want: `{"measures": {"rise": 2.20e-3, "tau": 1.00e-3, "q": -1.00e-6, "part": 2.20}}`,
		},
		{
			Name: "divider swept: half the input, reached at twice the level",
			In:   `{"netlist": "divider\nV1 a 0 0\nR1 a b 1k\nR2 b 0 1k\n.dc V1 0 5 0.5\n.meas dc at when v(b)=1.1\n.meas dc gain deriv v(b) at=3\n.end"}`,
			Want: `{"measures": {"at": 2.200000, "gain": 0.500000}}`,
		},
		{
			Name: "LED of the library behind a resistor: (5 V - 2.0 V)/150 Ω",
			In:   `{"netlist": "led\nV1 a 0 5\nR1 a b 150\nD1 b 0 LED_RED\n.dc V1 0 5 0.1\n.meas dc i find i(v1) at=5\n.end"}`,
			Want: `{"component_count": 3, "measures": {"i": -0.020}}`,
		},
	})
	raw, err := SpiceSimulate.Run(context.Background(), []byte(`{"netlist": "square\nV1 a 0 PULSE(-1 1 0 1n 1n 0.499999m 1m)\nR1 a 0 1k\n.tran 10u 2m\n.four 1k v(a)\n.end"}`))
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Measures map[string]*float64
		Fourier  []map[string]any
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), `"measures"`) || len(out.Fourier) != 1 {
		t.Fatalf("%s", raw[len(raw)-600:])
	}
	f := out.Fourier[0]
	// The THD is √(1/9 + 1/25 + 1/49 + 1/81) of the square wave's harmonics 3, 5, 7 and 9.
	if thd := f["thd_pct"].(float64); f["node"] != "v(a)" || f["fundamental_hz"] != 1000.0 ||
		thd < 42.87 || thd > 42.89 || len(f["harmonics"].([]any)) != 9 {
		t.Errorf("%v", f)
	}
}

// TestSpiceParts verifies that the metadata list the parts of the library.
func TestSpiceParts(t *testing.T) {
	raw, err := json.Marshal(SpiceSimulate.Extras)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"1n4148"`,
		`"pins":["non-inverting input inp","inverting input inn"`, `"data_sheet":"Vishay IRF540"`,
		`"kind":"led"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in %.300s", want, raw)
		}
	}
}
