package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestRCFilter(t *testing.T) {
	tooltest.Examples(t, RCFilter)
	tooltest.Cases(t, RCFilter, []tooltest.Case{
		{"contract: 1 kΩ, 100 nF", `{"r_ohm":1000,"c_nf":100,"freq_hz":10000}`, `{"cutoff_hz":1591.549,"time_constant_s":0.0001000000,"gain_db_at_freq":-16.07224,"phase_deg_at_freq":-80.95694,"passband_gain":1,"passband_gain_db":0,"standard_value":null,"standard_cutoff_hz":null,"cutoff_error_pct":null,"warnings":[]}`},
		{"contract: 1 kHz with 10 nF", `{"cutoff_hz":1000,"c_nf":10}`, `{"r_ohm":15915.49,"standard_value":16000,"standard_cutoff_hz":994.7184,"cutoff_error_pct":-0.52816,"warnings":[]}`},
		{"at the cutoff: -10·log10 2 and -45°", `{"cutoff_hz":1000,"c_nf":10,"freq_hz":1000}`,
			`{"gain_db_at_freq":-3.01029996,"phase_deg_at_freq":-45.0000000}`},
		{"high pass 1 kΩ, 1 µF at 50 Hz: fc/f = 3.1831",
			`{"r_ohm":1000,"c_uf":1,"filter_type":"high_pass","freq_hz":50}`, `{"cutoff_hz":159.154943,"gain_db_at_freq":-10.4657782,"phase_deg_at_freq":72.5594055,"rise_time_s":null}`},
		{"low pass from 100 Ω into 10 kΩ: Reff 1100 ∥ 10000",
			`{"r_ohm":1000,"c_nf":100,"source_ohm":100,"load_ohm":10000}`,
			`{"effective_r_ohm":990.990991,"cutoff_hz":1606.01806,"passband_gain":0.900900901,"passband_gain_db":-0.906459576,"rise_time_s":2.17742976e-4,"settling_time_1pct_s":4.56368217e-4,"warnings":[]}`},
		{"high pass from 600 Ω into 10 kΩ: 600 + 5000",
			`{"r_ohm":10000,"c_uf":1,"filter_type":"high_pass","source_ohm":600,"load_ohm":10000}`,
			`{"effective_r_ohm":5600.0000,"cutoff_hz":28.4205256,"passband_gain":0.892857143,"passband_gain_db":-0.984360453}`},
		{"capacitor for 10 kHz with 1 kΩ: 15.915 nF, E24 16 nF", `{"r_ohm":1000,"cutoff_hz":10000}`,
			`{"c_f":1.591549431e-8,"standard_value":1.6e-8,"standard_cutoff_hz":9947.18394,"cutoff_error_pct":-0.528160568}`},
		{"low pass resistor between 600 Ω and 100 kΩ: 15915.5 = (R + 600) ∥ 100k",
			`{"cutoff_hz":1000,"c_nf":10,"source_ohm":600,"load_ohm":100000}`,
			`{"r_ohm":18327.9751,"effective_r_ohm":15915.4943,"cutoff_hz":1000}`},
		{"high pass resistor between 600 Ω and 100 kΩ: 15915.5 - 600 = R ∥ 100k", `{"cutoff_hz":100,"c_nf":100,"source_ohm":600,"load_ohm":100000,"filter_type":"high_pass"}`, `{"r_ohm":18085.3560,"effective_r_ohm":15915.4943}`},
		{"10 Ω and 1 pF into 10 Ω", `{"r_ohm":10,"c_pf":1,"load_ohm":10}`,
			`{"passband_gain":0.5,"warnings":["~passband","~below 100 Ω","~10 pF"]}`},
		{"E3 is coarse: 15915 Ω becomes 22 kΩ or 10 kΩ",
			`{"cutoff_hz":1000,"c_nf":10,"series":"E3"}`,
			`{"standard_value":10000,"warnings":["~standard value"]}`},
		{"nothing to round", `{"r_ohm":1000,"c_nf":100,"series":"E96"}`,
			`{"warnings":["~series was ignored"]}`},
	})
	tooltest.InvalidCases(t, RCFilter, []tooltest.InvalidCase{
		{"one", `{"r_ohm":1000}`, []string{"r_ohm"}, "r_ohm, c_f/c_uf/c_nf/c_pf, cutoff_hz"},
		{"three", `{"r_ohm":1000,"c_nf":1,"cutoff_hz":1}`, []string{"r_ohm"}, "only two"},
		{"capacitance twice", `{"r_ohm":1000,"c_nf":1,"c_pf":1000}`, []string{"c_nf"},
			"c_nf and c_pf"},
		{"not positive", `{"r_ohm":0,"c_nf":-1}`, []string{"r_ohm", "c_nf"}, "greater than 0"},
		{"source of 20 kΩ, 15.9 kΩ needed", `{"cutoff_hz":1000,"c_nf":10,"source_ohm":20000}`,
			[]string{"source_ohm"}, "15915.4"},
		{"the same for a high pass",
			`{"cutoff_hz":1000,"c_nf":10,"source_ohm":20000,"filter_type":"high_pass"}`,
			[]string{"source_ohm"}, "15915.4"},
		{"load of 10 kΩ, 15.9 kΩ needed", `{"cutoff_hz":1000,"c_nf":10,"load_ohm":10000}`,
			[]string{"load_ohm"}, "no positive r_ohm"},
		{"load too heavy for a high pass", `{"cutoff_hz":1000,"c_nf":10,"source_ohm":1000,"load_ohm":14000,"filter_type":"high_pass"}`, []string{"load_ohm"}, "no positive r_ohm"},
		{"band pass", `{"r_ohm":1000,"c_nf":1,"filter_type":"band_pass"}`, []string{"filter_type"},
			"low_pass, high_pass"},
	})
}

// TestRCFilterRoundTrips verifies that each of the three values is recovered from the other two, in
// every filter.
func TestRCFilterRoundTrips(t *testing.T) {
	for _, ports := range []string{`"source_ohm":0`, `"source_ohm":470,"load_ohm":82000`} {
		for _, kind := range []string{"low_pass", "high_pass"} {
			all := result(t, RCFilter, `{"r_ohm":3300,"c_nf":47,"filter_type":%q,%s}`, kind, ports)
			fc := number(t, all, "cutoff_hz")
			r := result(t, RCFilter, `{"cutoff_hz":%.17g,"c_nf":47,"filter_type":%q,%s}`, fc,
				kind, ports)
			same(t, kind+" R", number(t, r, "r_ohm"), 3300)
			c := result(t, RCFilter, `{"cutoff_hz":%.17g,"r_ohm":3300,"filter_type":%q,%s}`, fc,
				kind, ports)
			same(t, kind+" C", number(t, c, "c_f"), 47e-9)
		}
	}
}

// TestRCFilterFarAway verifies that the response keeps its digits far from the cutoff: 20 dB per
// decade in the stopband, and 0 dB in the passband.
func TestRCFilterFarAway(t *testing.T) {
	for f, want := range map[string]float64{"1e15": -240, "1e-9": 0} {
		out := result(t, RCFilter, `{"cutoff_hz":1000,"c_nf":10,"freq_hz":%s}`, f)
		if g := number(t, out, "gain_db_at_freq"); g > want+1e-9 || g < want-1e-9 {
			t.Errorf("at %s Hz: %v dB, want %v", f, g, want)
		}
	}
}
