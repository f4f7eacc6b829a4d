package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestPowerSupplyDecoupling(t *testing.T) {
	tooltest.Examples(t, PowerSupplyDecoupling)
	tooltest.Cases(t, PowerSupplyDecoupling, []tooltest.Case{
		{"contract: 3.3 V, 2 A, 5 %, 100 MHz",
			`{"supply_v":3.3,"transient_current_a":2,"max_freq_mhz":100}`,
			`{"ripple_v":0.165000,"target_impedance_ohm":0.0825000,"max_freq_hz":1.000000e8,"capacitor_impedance_ohm":0.6127295,"capacitors_needed":8,"self_resonant_freq_hz":1.591549e7,"bank_capacitance_f":8.000000e-7,"bank_impedance_ohm":0.07659119,"bulk_capacitance_f":1.929151e-4,"bulk_esr_max_ohm":0.0825000,"bank_low_freq_hz":2.411439e6,"warnings":["~bulk capacitance must cover"]}`},
		{"1 V, 10 A, 30 mV in 1 ns; 1 µF, 5 mΩ, 0.5 nH, 50 kHz: 1.0991 Ω over 3 mΩ", `{"supply_v":1,"transient_current_a":10,"ripple_mv":30,"rise_time_ns":1,"c_uf":1,"esr_mohm":5,"esl_nh":0.5,"regulator_bandwidth_khz":50}`,
			`{"target_impedance_ohm":0.00300000000,"max_freq_hz":3.50000000e8,"capacitor_impedance_ohm":1.09911407,"capacitors_needed":367,"self_resonant_freq_hz":7.11762543e6,"bank_impedance_ohm":0.00299486123,"bank_low_freq_hz":144554.898,"bulk_capacitance_f":0.00106103295,"warnings":["~package","~series resistance"]}`},
		{"below the self-resonance: 98.4 mΩ at 10 MHz over 50 mΩ",
			`{"supply_v":1,"transient_current_a":1,"max_freq_mhz":10}`, `{"capacitor_impedance_ohm":0.0983775262,"capacitors_needed":2,"warnings":["~self-resonance","~regulator"]}`},
		{"at the self-resonance the ESR is left",
			`{"supply_v":5,"transient_current_a":0.1,"max_freq_mhz":15.915494309189533}`,
			`{"capacitor_impedance_ohm":0.0200000000,"capacitors_needed":1}`},
		{"exactly four: 20 mΩ over 5 mΩ",
			`{"supply_v":1,"transient_current_a":10,"max_freq_mhz":15.915494309189533}`,
			`{"target_impedance_ohm":0.0050000000,"capacitors_needed":4}`},
		{"ten times the step, a tenth of the impedance",
			`{"supply_v":3.3,"transient_current_a":20,"max_freq_mhz":100}`,
			`{"target_impedance_ohm":0.00825000,"capacitors_needed":75}`},
		{"by hand: half of 100 nF resonates √2 higher, 22.5 MHz",
			`{"supply_v":3.3,"transient_current_a":2,"max_freq_mhz":100,"dc_bias_loss_pct":50}`,
			`{"self_resonant_freq_hz":2.2507908e7,"bank_capacitance_f":4e-7}`},
		{"by hand: 10 µF that keeps 20 % is 2 µF", `{"supply_v":5,"transient_current_a":1,"max_freq_mhz":10,"c_uf":10,"dc_bias_loss_pct":80}`, `{"bank_capacitance_f":2e-6,"self_resonant_freq_hz":3.558813e6}`},
		{"the same as 2 µF without loss",
			`{"supply_v":5,"transient_current_a":1,"max_freq_mhz":10,"c_uf":2}`,
			`{"bank_capacitance_f":2e-6,"self_resonant_freq_hz":3.558813e6}`},
		{"the largest of 200 000 frequencies, in Python", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":10,"esr_mohm":5}]}`,
			`{"capacitors_needed":1,"anti_resonance_hz":1.116e7,"anti_resonance_ohm":0.20483,"warnings":[]}`},
		{"Brooks: as ESR goes down the peak goes up, to (ωL - 1/ωC)²/(R1 + R2) = 0.06966²/0.0025 at 1/(2π √((L1 + L2) C1 C2/(C1 + C2)))", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":15,"esr_mohm":2,"other_capacitors":[{"c_uf":10,"esr_mohm":0.5}]}`,
			`{"anti_resonance_hz":1.131e7,"anti_resonance_ohm":1.94,"warnings":["~could be larger","~the anti-resonance of"]}`},
		{"Brooks: ESR damps the peak", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"esr_mohm":500,"other_capacitors":[{"c_uf":10,"esr_mohm":500}]}`, `{"anti_resonance_hz":null,"anti_resonance_ohm":null,"warnings":[]}`},
		{"three kinds: the higher of two peaks, in Python", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":0.01,"esr_mohm":50},{"c_uf":10,"esr_mohm":5}]}`, `{"anti_resonance_hz":4.0938e7,"anti_resonance_ohm":0.28503}`},
		{"equal kinds have no peak", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":0.1}]}`, `{"anti_resonance_hz":null}`},
		{"rftools.io: 100 nF of 50 mΩ and 1 nH is 50 mΩ at 15.9 MHz; one kind has no curve",
			`{"supply_v":5,"transient_current_a":0.1,"max_freq_mhz":15.9154943,"esr_mohm":50}`,
			`{"capacitor_impedance_ohm":0.0500,"self_resonant_freq_hz":1.59e7,"impedance":null}`},
	})
	tooltest.InvalidCases(t, PowerSupplyDecoupling, []tooltest.InvalidCase{
		{"nothing left",
			`{"supply_v":3.3,"transient_current_a":2,"max_freq_mhz":100,"dc_bias_loss_pct":100}`,
			[]string{"dc_bias_loss_pct"}, "0 to 95"},
		{"nothing", `{}`, []string{"supply_v", "transient_current_a"}, "is required"},
		{"no other capacitor",
			`{"supply_v":1,"transient_current_a":1,"max_freq_mhz":1,"other_capacitors":[{}]}`,
			[]string{"other_capacitors[0].c_uf"}, "required"},
		{"no bandwidth", `{"supply_v":3.3,"transient_current_a":2}`, []string{"max_freq_mhz"},
			"max_freq_mhz, rise_time_ns"},
		{"both", `{"supply_v":3.3,"transient_current_a":2,"max_freq_mhz":1,"rise_time_ns":1}`,
			[]string{"max_freq_mhz"}, "only one"},
		{"ripple twice",
			`{"supply_v":3.3,"transient_current_a":2,"max_freq_mhz":1,"ripple_pct":1,"ripple_mv":1}`, []string{"ripple_pct"}, "ripple_pct and ripple_mv"},
		{"C twice",
			`{"supply_v":3.3,"transient_current_a":2,"max_freq_mhz":1,"c_nf":100,"c_uf":0.1}`,
			[]string{"c_uf"}, "c_uf and c_nf"},
		{"not positive", `{"supply_v":0,"transient_current_a":-2,"max_freq_mhz":1,"esr_mohm":0}`,
			[]string{"supply_v", "transient_current_a", "esr_mohm"}, "greater than 0"},
		{"a billion capacitors", `{"supply_v":1,"transient_current_a":1000000,"max_freq_mhz":100000,"ripple_mv":0.000001}`, []string{"transient_current_a"}, "parts"},
	})
}

// The number is enough and one less is not, at any step.
func TestDecouplingCount(t *testing.T) {
	for _, step := range []float64{0.1, 1, 3.3, 7, 25} {
		out := result(t, PowerSupplyDecoupling,
			`{"supply_v":1.8,"transient_current_a":%g,"max_freq_mhz":80}`, step)
		n, z, zt := number(t, out, "capacitors_needed"), number(t, out, "capacitor_impedance_ohm"),
			number(t, out, "target_impedance_ohm")
		if z/n > zt*(1+1e-9) || n > 1 && z/(n-1) <= zt {
			t.Errorf("%g A: %g capacitors of %g Ω for %g Ω", step, n, z, zt)
		}
	}
}
