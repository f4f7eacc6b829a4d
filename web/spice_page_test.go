package web

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSpiceBody(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ tolerances, want, mistake string }{
		{"", `{"netlist":"n"}`, ""},
		{"R1 5 %, R2=1\nv1 ±2%;", `{"netlist":"n","tolerances":{"R1":0.05,"R2":0.01,"v1":0.02}}`,
			""},
		{"R1", "", "an element and its percent"},
		{"R1 five", "", "an element and its percent"},
		{"R1 5 % R2 1 %", "", "an element and its percent"},
		{"R1 1e999", "", "an element and its percent"},
	} {
		body, mistakes := s.SpiceBody(Values{"netlist": "n", "tolerances": c.tolerances})
		if c.mistake != "" {
			if len(mistakes) != 1 || mistakes[0].Path != "tolerances" ||
				!strings.Contains(mistakes[0].Detail, c.mistake) {
				t.Errorf("%q: %+v", c.tolerances, mistakes)
			}
			continue
		}
		if len(mistakes) > 0 || !sameJSON(body, json.RawMessage(c.want)) {
			t.Errorf("%q is read as %s %+v, want %s", c.tolerances, body, mistakes, c.want)
		}
	}
	if _, mistakes := s.SpiceBody(Values{"netlist": "n", "temperature_c": "warm"}); len(mistakes) !=
		1 || mistakes[0].Path != "temperature_c" {
		t.Errorf("temperature: %+v", mistakes)
	}
}

// TestSpiceResultAsTable verifies that the page shows vectors without JavaScript as a table with
// the axis first, and that it decimates a long table.
func TestSpiceResultAsTable(t *testing.T) {
	s := testSite(t)
	times := make([]float64, 1000)
	for i := range times {
		times[i] = float64(i) / 1000
	}
	result, _ := json.Marshal(map[string]any{
		"vectors":  map[string]any{"v(a)": times, "i(v1)": times, "time": times},
		"measures": map[string]any{"peak": 0.999, "lost": nil}, "warnings": []string{"mind this"},
		"operating_point": []any{map[string]any{"device": "q1", "kind": "q", "region": "active",
			"quantities": map[string]any{"ic": 0.001}}},
	})
	page, err := s.Spice(Request{}, Values{"netlist": "n"}, nil, &Outcome{Result: result})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{"mind this", `<th scope="col" class="n">time</th><th scope="col" class="n">i(v1)</th><th scope="col" class="n">v(a)</th>`, "800 points between these are left out", "0.999", "active",
		"<h3>Bipolar transistors</h3>", "<td>1 mA</td>", `class="hints" hidden`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if rows := strings.Count(text, `<tr><td class="n">`); rows != vectorRows {
		t.Errorf("%d rows", rows)
	}
}

func TestNetlistExample(t *testing.T) {
	s := testSite(t)
	if text, ok := s.NetlistExample("rc_low_pass"); !ok || !strings.Contains(text, ".ac dec") {
		t.Errorf("%v %q", ok, text)
	}
	if _, ok := s.NetlistExample("../../go"); ok {
		t.Error("an example that is none")
	}
}
