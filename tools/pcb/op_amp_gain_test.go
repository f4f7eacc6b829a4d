package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestOpAmpGain(t *testing.T) {
	tooltest.Examples(t, OpAmpGain)
	tooltest.Cases(t, OpAmpGain, []tooltest.Case{
		{"contract: 47 kΩ over 4.7 kΩ",
			`{"configuration":"inverting","rin_ohm":4700,"rf_ohm":47000,"vin_v":0.1,"gbw_hz":1e6}`, `{"gain":-10,"gain_db":20,"vout_v":-1,"vout_ideal_v":-1,"noise_gain":11,"bandwidth_hz":90909.09,"input_impedance_ohm":4700,"standard_ohm":null,"clipped":null,"differential_gain":null,"cmrr_db":null,"warnings":[]}`},
		{"non-inverting 10 kΩ over 1 kΩ: 11, 20.8 dB",
			`{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":10000,"gbw_hz":1e6}`, `{"gain":11,"gain_db":20.8278537,"noise_gain":11,"bandwidth_hz":90909.0909,"input_impedance_ohm":null,"vout_v":null}`},
		{"unity-gain inverter has half the bandwidth of a follower",
			`{"rin_ohm":10000,"rf_ohm":10000,"gbw_hz":1e6}`, `{"gain":-1,"bandwidth_hz":500000}`},
		{"follower",
			`{"configuration":"non_inverting","rin_ohm":10000,"rf_ohm":0,"gbw_hz":1e6,"vin_v":2.5}`, `{"gain":1,"gain_db":0,"bandwidth_hz":1000000,"vout_v":2.5,"warnings":[]}`},
		{"target -5 with 2.2 kΩ: 11 kΩ is in E24", `{"rin_ohm":2200,"target_gain":-5}`,
			`{"rf_ohm":11000,"standard_ohm":11000,"standard_gain":-5,"gain":-5}`},
		{"target 3.3 with 10 kΩ: 23 kΩ, E12 22 kΩ gives 3.2",
			`{"configuration":"non_inverting","rin_ohm":10000,"target_gain":3.3,"series":"E12"}`,
			`{"rf_ohm":23000.0,"standard_ohm":22000,"standard_gain":3.20000,"gain":3.3}`},
		{"target 1 is a wire", `{"configuration":"non_inverting","rin_ohm":10000,"target_gain":1}`,
			`{"rf_ohm":0,"standard_ohm":0,"standard_gain":1}`},
		{"clipping at 12 V", `{"rin_ohm":1000,"rf_ohm":100000,"vin_v":-0.5,"supply_positive_v":12,"supply_negative_v":-12}`, `{"vout_ideal_v":50,"vout_v":12,"clipped":true,"warnings":["~clips"]}`},
		{"an inverter on a single supply cannot go below 0",
			`{"rin_ohm":1000,"rf_ohm":1000,"vin_v":1,"supply_positive_v":5,"supply_negative_v":0}`, `{"vout_v":0,"vout_ideal_v":-1,"clipped":true}`},
		{"within the supplies",
			`{"rin_ohm":1000,"rf_ohm":1000,"vin_v":1,"supply_positive_v":5,"supply_negative_v":-5}`, `{"vout_v":-1,"clipped":false,"warnings":[]}`},
		{"one supply is not enough to clip",
			`{"rin_ohm":1000,"rf_ohm":1000,"vin_v":1,"supply_positive_v":5}`,
			`{"clipped":null,"vout_v":-1,"warnings":["~supply_positive_v was ignored"]}`},
		{"difference amplifier: 10·(1.1 - 1)",
			`{"configuration":"differential","r1_ohm":1000,"rf_ohm":10000,"v1_v":1,"v2_v":1.1}`, `{"gain":10,"differential_gain":10,"common_mode_gain":0,"cmrr_db":null,"vout_v":1.00000000,"rin_ohm":1000,"noise_gain":11,"input_impedance_ohm":2000,"cmrr_worst_case_db":null,"warnings":[]}`},
		{"matched ratios of other values", `{"configuration":"differential","r1_ohm":4700,"rf_ohm":15000,"r3_ohm":9400,"r4_ohm":30000}`, `{"common_mode_gain":0,"cmrr_db":null}`},
		{"r4 1 % high: g = 10.1/11.1·11, 60.9 dB; 1.1 g - 10", `{"configuration":"differential","r1_ohm":1000,"rf_ohm":10000,"r4_ohm":10100,"v1_v":1,"v2_v":1.1}`, `{"gain":10.0045045,"common_mode_gain":0.00900900901,"cmrr_db":60.9103713,"vout_v":1.00990991,"warnings":[]}`},
		{"worst case of 1 %: 20·log10(11/0.04)",
			`{"configuration":"differential","r1_ohm":1000,"rf_ohm":10000,"tolerance_pct":1}`,
			`{"cmrr_worst_case_db":48.7866539,"warnings":["~worst case"]}`},
		{"worst case of 0.1 % at unity gain: 20·log10(2/0.004)",
			`{"configuration":"differential","r1_ohm":10000,"rf_ohm":10000,"tolerance_pct":0.1}`,
			`{"cmrr_worst_case_db":53.9794001}`},
		{"r4 1 % low with 0.1 %: the lowest of the 16 corners of the tolerances is 57.834 dB",
			`{"configuration":"differential","r1_ohm":10000,"rf_ohm":100000,"r3_ohm":10000,"r4_ohm":99000,"tolerance_pct":0.1}`,
			`{"cmrr_db":60.74,"cmrr_worst_case_db":57.8,"warnings":["~worst case"]}`},
		{"only one input, and fields of the others", `{"configuration":"differential","r1_ohm":1000,"rf_ohm":10000,"v1_v":1,"rin_ohm":5,"vin_v":1}`, `{"vout_v":null,"warnings":["~rin_ohm was ignored","~vin_v was ignored","~v1_v was ignored"]}`},
		{"large and slow", `{"rin_ohm":10000,"rf_ohm":2000000,"gbw_hz":1000000,"r3_ohm":1}`,
			`{"warnings":["~r3_ohm was ignored","~20 kHz","~1 MΩ"]}`},
		{"small feedback resistor", `{"rin_ohm":100,"rf_ohm":100}`, `{"warnings":["~below 1 kΩ"]}`},
		{"-1000 V without supplies is warned of", `{"rin_ohm":1000,"rf_ohm":100000,"vin_v":10}`,
			`{"vout_v":-1000,"warnings":["~beyond common amplifiers"]}`},
		{"±15 V with 1.5 V of headroom: LM741 data sheet, typical swing ±14 V into 10 kΩ at 1 V", `{"rin_ohm":1000,"rf_ohm":100000,"vin_v":-1,"supply_positive_v":15,"supply_negative_v":-15,"output_headroom_v":1}`,
			`{"vout_v":14,"clipped":true,"warnings":["~-14 to 14 V"]}`},
		{"headroom on a single supply", `{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":1000,"vin_v":0.01,"supply_positive_v":5,"supply_negative_v":0,"output_headroom_v":0.05}`, `{"vout_v":0.05,"clipped":true}`},
		{"headroom does not matter within the swing", `{"rin_ohm":1000,"rf_ohm":1000,"vin_v":1,"supply_positive_v":5,"supply_negative_v":-5,"output_headroom_v":2}`, `{"vout_v":-1,"clipped":false,"warnings":[]}`},
		{"NPTEL, lecture 7: 2 V/µs and 12 V give 26.5 kHz",
			`{"rin_ohm":1000,"rf_ohm":12000,"vin_v":1,"slew_rate_v_us":2}`,
			`{"full_power_bandwidth_hz":2.65e4,"required_slew_rate_v_us":null}`},
		{"rftools.io: LM358 with 0.5 V/µs at 13.5 V, 5.9 kHz",
			`{"rin_ohm":1000,"rf_ohm":13500,"vin_v":1,"slew_rate_v_us":0.5}`,
			`{"full_power_bandwidth_hz":5.9e3}`},
		{"rftools.io: 13.5 V at 20 kHz needs 1.70 V/µs",
			`{"rin_ohm":1000,"rf_ohm":13500,"vin_v":1,"slew_rate_v_us":0.5,"freq_hz":20000}`, `{"required_slew_rate_v_us":1.70,"gain_at_freq_db":null,"warnings":["~turns into a triangle"]}`},
		{"by hand: a single pole loses 3.0103 dB at its corner, 500 kHz",
			`{"rin_ohm":10000,"rf_ohm":10000,"gbw_hz":1e6,"freq_hz":500000}`,
			`{"gain_at_freq_db":-3.0103,"warnings":[]}`},
		{"by hand: 20 - 10 log10(1 + 11²) at 1 MHz of gain 10 and 1 MHz GBW",
			`{"rin_ohm":1000,"rf_ohm":10000,"gbw_hz":1e6,"freq_hz":1e6}`,
			`{"gain_at_freq_db":-0.8636,"warnings":["~20.9 dB lower"]}`},
		{"no output, no slew rate",
			`{"rin_ohm":1000,"rf_ohm":10000,"slew_rate_v_us":1,"freq_hz":1000,"vin_v":0}`,
			`{"full_power_bandwidth_hz":null,"required_slew_rate_v_us":null}`},
		{"offset by hand: 2 mV × 11 + 100 nA × 47 kΩ",
			`{"rin_ohm":4700,"rf_ohm":47000,"vin_v":0.1,"input_offset_mv":2,"input_bias_na":100}`, `{"output_offset_v":0.0267,"warnings":[]}`},
		{"H&H 4.4.1, bias alone: 80 nA × 1 MΩ",
			`{"configuration":"non_inverting","rin_ohm":10000,"rf_ohm":1000000,"input_bias_na":80}`, `{"output_offset_v":0.080}`},
		{"MT-039: IB+ R3 (1 + R2/R1), 100 nA × 1 MΩ × 2, is above IB- R2",
			`{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":1000,"input_bias_na":100,"source_ohm":1000000}`,
			`{"output_offset_v":0.2,"warnings":[]}`},
		{"MT-039: with R3 = R1 ∥ R2 both currents give 100 nA × 47 kΩ, and oppose each other",
			`{"rin_ohm":4700,"rf_ohm":47000,"input_bias_na":100,"source_ohm":4272.727}`,
			`{"output_offset_v":0.0047,"warnings":[]}`},
		{"by hand: R3 ∥ R4 of 50 kΩ and a noise gain of 2, 100 nA × 100 kΩ above 100 nA × 10 kΩ",
			`{"configuration":"differential","r1_ohm":10000,"rf_ohm":10000,"r3_ohm":100000,"r4_ohm":100000,"input_bias_na":100,"source_ohm":5}`,
			`{"output_offset_v":0.01,"warnings":["~source_ohm was ignored"]}`},
		{"a gain of 1000 turns 5 mV into 5.005 V, by hand", `{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":1000000,"vin_v":0.001,"input_offset_mv":5}`, `{"output_offset_v":5.005,"warnings":["~above a tenth"]}`},
		{"K. Fronczak, OP27: 10 kΩ, 100 kΩ, 10 kΩ give 62.85 nV/√Hz times 10 at the output", `{"rin_ohm":10000,"rf_ohm":100000,"noise_voltage_nv":5.5,"noise_current_pa":4,"source_ohm":10000}`,
			`{"output_noise_nv":6.29e2,"output_noise_uv":null,"noise_bandwidth_hz":null,"warnings":["~more noise than","~current noise"]}`},
		{"the same over the 8 MHz of the source: √3.16e-6 V", `{"rin_ohm":10000,"rf_ohm":100000,"noise_voltage_nv":5.5,"noise_current_pa":4,"source_ohm":10000,"noise_bandwidth_hz":8000000}`, `{"output_noise_uv":1.78e3,"noise_bandwidth_hz":8000000}`},
		{"TamakoHe, ESD review 2023: 16 nV/√Hz, gain 101, 5.2 MHz give 488.5 µV", `{"configuration":"non_inverting","rin_ohm":1010,"rf_ohm":101000,"gbw_hz":5200000,"noise_voltage_nv":16,"source_ohm":1000}`, `{"noise_bandwidth_hz":8.087e4,"output_noise_uv":4.88e2,"warnings":[]}`},
		{"OPA161x data sheet, figure 32, by hand: 1.1 nV, 1.7 pA, gain 10 of 100 and 900 Ω, 1 kΩ", `{"configuration":"non_inverting","rin_ohm":100,"rf_ohm":900,"noise_voltage_nv":1.1,"noise_current_pa":1.7,"source_ohm":1000}`,
			`{"output_noise_nv":46.98}`},
		{"a follower of a noiseless amplifier has the noise of its source: 4.06 nV/√Hz of 1 kΩ", `{"configuration":"non_inverting","rin_ohm":10000,"rf_ohm":0,"noise_voltage_nv":0,"source_ohm":1000}`, `{"output_noise_nv":4.058}`},
		{"differential: R3 beside R4 is the source",
			`{"configuration":"differential","r1_ohm":10000,"rf_ohm":100000,"noise_voltage_nv":0}`, `{"output_noise_nv":190.3}`},
		{"noise without en", `{"rin_ohm":1000,"rf_ohm":10000,"noise_current_pa":1,"source_ohm":5}`, `{"output_noise_nv":null,"warnings":["~source_ohm was ignored","~noise_current_pa was ignored"]}`},
		{"no offset is asked for", `{"rin_ohm":4700,"rf_ohm":47000}`, `{"output_offset_v":null}`},
		{"by hand: gain 10 and 2 MHz GBW, 200 kHz corner, 20 - 10 log10(1 + 0.25) at 100 kHz",
			`{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":9000,"gbw_hz":2000000,"freq_hz":100000}`,
			`{"gain_at_freq_db":19.0309}`},
		{"by hand: 20 nV/√Hz, gain 11 without other noise but 4 k T R, over 10 kHz",
			`{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":10000,"noise_voltage_nv":20,"noise_bandwidth_hz":10000}`,
			`{"noise_bandwidth_hz":10000}`},
		{"the same over 1 kHz",
			`{"configuration":"non_inverting","rin_ohm":1000,"rf_ohm":10000,"noise_voltage_nv":20,"noise_bandwidth_hz":1000}`,
			`{"noise_bandwidth_hz":1000}`},
	})
	tooltest.InvalidCases(t, OpAmpGain, []tooltest.InvalidCase{
		{"a negative offset", `{"rin_ohm":4700,"rf_ohm":47000,"input_offset_mv":-1}`,
			[]string{"input_offset_mv"}, "0 to"},
		{"a negative noise", `{"rin_ohm":4700,"rf_ohm":47000,"noise_voltage_nv":-1}`,
			[]string{"noise_voltage_nv"}, "0 to"},
		{"nothing", `{}`, []string{"rin_ohm", "rf_ohm"}, "rf_ohm, target_gain"},
		{"zero input resistor", `{"rin_ohm":0,"rf_ohm":1000}`, []string{"rin_ohm"},
			"greater than 0"},
		{"both", `{"rin_ohm":1000,"rf_ohm":1000,"target_gain":-1}`, []string{"rf_ohm"}, "only one"},
		{"positive inverting gain", `{"rin_ohm":1000,"target_gain":5}`, []string{"target_gain"},
			"negative"},
		{"attenuating non-inverting gain",
			`{"configuration":"non_inverting","rin_ohm":1000,"target_gain":0.5}`,
			[]string{"target_gain"}, "at least 1"},
		{"inverting without feedback", `{"rin_ohm":1000,"rf_ohm":0}`, []string{"rf_ohm"},
			"greater than 0"},
		{"differential without resistors", `{"configuration":"differential","rin_ohm":1000}`,
			[]string{"r1_ohm", "rf_ohm"}, "required"},
		{"differential without feedback",
			`{"configuration":"differential","r1_ohm":1000,"rf_ohm":0}`, []string{"rf_ohm"},
			"greater than 0"},
		{"no swing is left", `{"rin_ohm":1000,"rf_ohm":1000,"supply_positive_v":5,"supply_negative_v":0,"output_headroom_v":2.5}`, []string{"output_headroom_v"}, "below half of the 5 V"},
		{"supplies swapped",
			`{"rin_ohm":1000,"rf_ohm":1000,"supply_positive_v":-12,"supply_negative_v":12}`,
			[]string{"supply_positive_v"}, "above supply_negative_v"},
	})
}

// TestOpAmpSuperposition verifies the gain of each input of a difference amplifier with the other
// input at 0 V. It also verifies the common-mode gain with both inputs at 2 V.
func TestOpAmpSuperposition(t *testing.T) {
	const body = `{"configuration":"differential","r1_ohm":1200,"rf_ohm":33000,"r3_ohm":1000,"r4_ohm":27000,"v1_v":%g,"v2_v":%g}`
	fromV1 := number(t, result(t, OpAmpGain, body, 1.0, 0.0), "vout_v")
	fromV2 := number(t, result(t, OpAmpGain, body, 0.0, 1.0), "vout_v")
	same(t, "V1", fromV1, -33000.0/1200)
	same(t, "V2", fromV2, 27000.0/28000*(1+33000.0/1200))
	both := result(t, OpAmpGain, body, 2.0, 2.0)
	if got, want := number(t, both, "vout_v"), 2*number(t, both, "common_mode_gain"); got-want >
		1e-12 || want-got > 1e-12 {
		t.Errorf("both inputs at 2 V give %v, the common-mode gain says %v", got, want)
	}
}
