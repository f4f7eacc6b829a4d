package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestConclusions verifies the sentence and the tone that follow from a result.
func TestConclusions(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ tool, result, want, tone string }{
		{"link_budget", `{"margin_db":41.234,"rx_power_dbm":-88}`, "Link OK: 41.23 dB margin",
			"good"},
		{"battery_life", `{"runtime_days":0.256,"runtime_h":6.145,"average_current_ma":100}`,
			"Runs 6.145 h at 100 mA", ""},
		{"link_budget", `{"margin_db":0}`, "Link OK: 0 dB margin", "good"},
		{"link_budget", `{"margin_db":-3.5}`, "No link: -3.50 dB margin", "bad"},
		{"link_budget", `{"margin_db":null,"rx_power_dbm":-88}`, "-88 dBm at the receiver", ""},
		{"wire_gauge", `{"awg":"6","limiting_factor":"voltage_drop"}`,
			"6 AWG, limited by voltage drop", ""},
		{"rack_capacity", `{"fits":false,"limiting_factor":"weight"}`,
			"Does not fit, limited by weight", "bad"},
		// No conclusion applies, because the result has no max_length_m.
		{"voltage_drop", `{"meets_target":false,"voltage_drop_pct":7.25}`, "", ""},
		{"fspl", `{"fspl_db":100,"path_loss_db":100}`, "", ""}, // free space
		{"fspl", `{"fspl_db":79.25,"path_loss_db":88.874}`,
			"Path loss by the chosen model: 88.87 dB; free space alone: 79.25 dB", ""},
		{"trace_width", `{"ok":false,"temp_rise_c":54.25,"width_mm":1,"max_current_a":2}`,
			"Trace too narrow: 54.25 K of temperature rise", "bad"},
		{"trace_width", `{"ok":null,"temp_rise_c":10,"width_mm":0.254,"max_current_a":0.9}`,
			"0.254 mm wide carries 900 mA", ""},
		{"mah_to_wh", `{"air_travel":"forbidden","wh":200}`,
			"200 Wh: forbidden on passenger aircraft", "bad"},
		{"timer_555", `{"mode":"monostable","pulse_s":1.5,"freq_hz":null}`, "Pulse of 1.50 s", ""},
		{"capacitor_charge", `{"time_s":null,"voltage_v":null,"time_constant_s":2}`,
			"Time constant 2 s", ""},
		{"percentage_increase", `{"direction":"none","percent_change":0}`, "", ""},
		{"impedance_match", `{"matched":false,"solutions":[{"series":{"type":"inductor",
			"reactance_ohm":86.60254,"inductance_h":1.378322e-7,"capacitance_f":null},
			"shunt":{"type":"none"},"source_element":null}]}`,
			"Series inductor, 86.6 Ω, 137.8 nH; shunt none", ""},
		{"impedance_match", `{"matched":true,"solutions":[]}`,
			"Matched: no network is necessary", "good"},
	} {
		got := s.conclude(s.Tool(c.tool), objectOf(json.RawMessage(c.result)))
		if got == nil {
			got = &statement{}
		}
		if got.Text != c.want || string(got.Tone) != c.tone {
			t.Errorf("%s %s: %q %q, want %q %q", c.tool, c.result, got.Text, got.Tone,
				c.want, c.tone)
		}
	}
}

// TestConclusionFields verifies that every field of a conclusion is a result of its tool. A
// conclusion must apply to the first example of each synchronous tool.
func TestConclusionFields(t *testing.T) {
	s := testSite(t)
	for _, tool := range s.tools {
		has := map[string]bool{"": true}
		for _, f := range tool.Output {
			has[f.Name] = true
		}
		for _, c := range tool.Conclusions {
			names := namedField.FindAllStringSubmatch(c.Text, -1)
			for _, m := range append(names, []string{"", c.If}, []string{"", c.Unlike}) {
				if !has[m[1]] && !hasPath(tool.Output, m[1]) {
					t.Errorf("%s: %q names %s, which is no result", tool.Name, c.Text, m[1])
				}
			}
		}
		if len(tool.Conclusions) == 0 || tool.Heavy || tool.Name == "fspl" ||
			tool.Name == "op_amp_gain" || tool.Name == "impedance_match" {
			continue // the first examples of these three tools match no condition
		}
		w := tool.worked[0]()
		if raw, _ := json.Marshal(w.Envelope.Result); s.conclude(tool, objectOf(raw)) == nil {
			t.Errorf("%s: no conclusion holds for its first example", tool.Name)
		}
	}
}

// TestBrief verifies that brief shows four significant digits of physical quantities and ratios,
// and up to six of other plain numbers, conversions and radio frequencies. It also verifies that
// brief keeps the digits before the decimal point.
func TestBrief(t *testing.T) {
	ratio := Field{Name: "deflate_ratio", Unit: "1", Kind: Quantity}
	if got := brief(ratio, "0.666016"); got != "0.666" {
		t.Errorf("a ratio: %s", got)
	}
	for _, c := range []struct{ text, unit, want string }{
		{"105.656 dB", "dB", "105.7 dB"},
		{"1.59155 kHz", "Hz", "1.592 kHz"},
		{"869.525 MHz", "MHz", "869.525 MHz"},
		{"1.41421", "1", "1.41421"},
		{"0.327642 m", "m", "0.3276 m"},
		{"12\u202f345.6 W", "W", "12\u202f346 W"},
		{"9.99996 V", "V", "10.0 V"},
		{"99.9996 V", "V", "100 V"},
		{"1.23457e-9 K", "K", "1.235e-9 K"},
		{"-80.9569 °", "°", "-80.96 °"},
		{"1199.10", "currency", "1199.10"},
		{"16", "1", "16"},
	} {
		if got := brief(Field{Unit: c.unit, Kind: Quantity}, c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// hasPath reports whether a path such as solutions.0.q names a result.
func hasPath(fields []Field, path string) bool {
	name, rest, _ := strings.Cut(path, ".")
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i >= 0 && fields[i].Kind == Rows {
		_, rest, _ = strings.Cut(rest, ".")
	}
	return i >= 0 && (rest == "" || hasPath(fields[i].Fields, rest))
}
