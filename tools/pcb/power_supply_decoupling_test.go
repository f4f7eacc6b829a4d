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
		{"below the self-resonance only more capacitance helps: 1/(2π 0.1 MHz 100 nF) is 15.9 Ω",
			`{"supply_v":3.3,"transient_current_a":1,"max_freq_mhz":0.1}`,
			`{"capacitor_impedance_ohm":15.915,"warnings":["~use a larger c_uf"]}`},
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
		{"the same peak of 204.83 mΩ above 204.81 mΩ", `{"supply_v":3.3,"transient_current_a":0.1,"ripple_mv":20.481,"max_freq_mhz":20,"other_capacitors":[{"c_uf":10,"esr_mohm":5}]}`,
			`{"warnings":["~the capacitors meet","~the anti-resonance of 204.9 mΩ at 11.16 MHz is above the target of 204.8 mΩ"]}`},
		{"Brooks: as ESR goes down the peak goes up, to (ωL - 1/ωC)²/(R1 + R2) = 0.06966²/0.0025 at 1/(2π √((L1 + L2) C1 C2/(C1 + C2)))", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":15,"esr_mohm":2,"other_capacitors":[{"c_uf":10,"esr_mohm":0.5}]}`,
			`{"anti_resonance_hz":1.131e7,"anti_resonance_ohm":1.94,"warnings":["~could be larger","~the anti-resonance of"]}`},
		{"Brooks: ESR damps the peak", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"esr_mohm":500,"other_capacitors":[{"c_uf":10,"esr_mohm":500}]}`, `{"anti_resonance_hz":null,"anti_resonance_ohm":null,"warnings":[]}`},
		{"three kinds: the higher of two peaks, in Python", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":0.01,"esr_mohm":50},{"c_uf":10,"esr_mohm":5}]}`, `{"anti_resonance_hz":4.0938e7,"anti_resonance_ohm":0.28503}`},
		{"equal kinds have no peak", `{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":0.1}]}`, `{"anti_resonance_hz":null}`},
		{"rftools.io: 100 nF of 50 mΩ and 1 nH is 50 mΩ at 15.9 MHz; one kind has no curve",
			`{"supply_v":5,"transient_current_a":0.1,"max_freq_mhz":15.9154943,"esr_mohm":50}`,
			`{"capacitor_impedance_ohm":0.0500,"self_resonant_freq_hz":1.59e7,"impedance":null}`},
		{"the sum of the admittances, in Python: 100 nF beside one of 10 µF and 1 nH",
			`{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":10,"count":1,"esr_mohm":5,"esl_nh":1}]}`,
			`{"impedance":[{"freq_hz":159154.94,"impedance_ohm":0.09815},{"freq_hz":184841.88,"impedance_ohm":0.08426},{"freq_hz":214674.58,"impedance_ohm":0.07225},{"freq_hz":249322.15,"impedance_ohm":0.06187},{"freq_hz":289561.7,"impedance_ohm":0.05287},{"freq_hz":336295.74,"impedance_ohm":0.04506},{"freq_hz":390572.45,"impedance_ohm":0.03826},{"freq_hz":453609.2,"impedance_ohm":0.03232},{"freq_hz":526819.82,"impedance_ohm":0.02712},{"freq_hz":611846.32,"impedance_ohm":0.02253},{"freq_hz":710595.74,"impedance_ohm":0.01847},{"freq_hz":825282.9,"impedance_ohm":0.01485},{"freq_hz":958480.08,"impedance_ohm":0.01163},{"freq_hz":1.113175e6,"impedance_ohm":0.008805},{"freq_hz":1.292836e6,"impedance_ohm":0.006499},{"freq_hz":1.501495e6,"impedance_ohm":0.005128},{"freq_hz":1.743830e6,"impedance_ohm":0.005334},{"freq_hz":2.025276e6,"impedance_ohm":0.00702},{"freq_hz":2.352148e6,"impedance_ohm":0.009558},{"freq_hz":2.731774e6,"impedance_ohm":0.01264},{"freq_hz":3.172671e6,"impedance_ohm":0.01623},{"freq_hz":3.684727e6,"impedance_ohm":0.02041},{"freq_hz":4.279426e6,"impedance_ohm":0.02538},{"freq_hz":4.970108e6,"impedance_ohm":0.03146},{"freq_hz":5.772262e6,"impedance_ohm":0.03924},{"freq_hz":6.703881e6,"impedance_ohm":0.04992},{"freq_hz":7.785859e6,"impedance_ohm":0.06631},{"freq_hz":9.042464e6,"impedance_ohm":0.09706},{"freq_hz":1.050188e7,"impedance_ohm":0.1737},{"freq_hz":1.219684e7,"impedance_ohm":0.1316},{"freq_hz":1.416536e7,"impedance_ohm":0.03911},{"freq_hz":1.645159e7,"impedance_ohm":0.01931},{"freq_hz":1.910680e7,"impedance_ohm":0.03161},{"freq_hz":2.219056e7,"impedance_ohm":0.04713},{"freq_hz":2.577202e7,"impedance_ohm":0.06276},{"freq_hz":2.993152e7,"impedance_ohm":0.07911},{"freq_hz":3.476234e7,"impedance_ohm":0.09681},{"freq_hz":4.037284e7,"impedance_ohm":0.1164},{"freq_hz":4.688884e7,"impedance_ohm":0.1385},{"freq_hz":5.445650e7,"impedance_ohm":0.1636},{"freq_hz":6.324555e7,"impedance_ohm":0.1923}]}`},
		{"the sum of the admittances, in Python: 100 nF beside two of 10 µF and 2 nH",
			`{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":10,"count":2,"esr_mohm":5,"esl_nh":2}]}`,
			`{"impedance":[{"freq_hz":112539.54,"impedance_ohm":0.0697},{"freq_hz":131840.32,"impedance_ohm":0.05929},{"freq_hz":154451.23,"impedance_ohm":0.05037},{"freq_hz":180939.96,"impedance_ohm":0.04271},{"freq_hz":211971.57,"impedance_ohm":0.03612},{"freq_hz":248325.17,"impedance_ohm":0.03044},{"freq_hz":290913.49,"impedance_ohm":0.02553},{"freq_hz":340805.81,"impedance_ohm":0.02126},{"freq_hz":399254.76,"impedance_ohm":0.01752},{"freq_hz":467727.85,"impedance_ohm":0.01424},{"freq_hz":547944.22,"impedance_ohm":0.01132},{"freq_hz":641917.88,"impedance_ohm":0.0087},{"freq_hz":752008.23,"impedance_ohm":0.006351},{"freq_hz":880979.32,"impedance_ohm":0.004291},{"freq_hz":1.032069e6,"impedance_ohm":0.002782},{"freq_hz":1.209071e6,"impedance_ohm":0.0027},{"freq_hz":1.416430e6,"impedance_ohm":0.004137},{"freq_hz":1.659351e6,"impedance_ohm":0.006197},{"freq_hz":1.943933e6,"impedance_ohm":0.008582},{"freq_hz":2.277322e6,"impedance_ohm":0.01128},{"freq_hz":2.667888e6,"impedance_ohm":0.01434},{"freq_hz":3.125437e6,"impedance_ohm":0.01789},{"freq_hz":3.661456e6,"impedance_ohm":0.02209},{"freq_hz":4.289404e6,"impedance_ohm":0.02718},{"freq_hz":5.025046e6,"impedance_ohm":0.03358},{"freq_hz":5.886853e6,"impedance_ohm":0.04205},{"freq_hz":6.896461e6,"impedance_ohm":0.05418},{"freq_hz":8.079220e6,"impedance_ohm":0.07427},{"freq_hz":9.464824e6,"impedance_ohm":0.1182},{"freq_hz":1.108806e7,"impedance_ohm":0.2293},{"freq_hz":1.298969e7,"impedance_ohm":0.08026},{"freq_hz":1.521745e7,"impedance_ohm":0.02343},{"freq_hz":1.782728e7,"impedance_ohm":0.02482},{"freq_hz":2.088470e7,"impedance_ohm":0.04092},{"freq_hz":2.446647e7,"impedance_ohm":0.05737},{"freq_hz":2.866252e7,"impedance_ohm":0.07433},{"freq_hz":3.357821e7,"impedance_ohm":0.09262},{"freq_hz":3.933695e7,"impedance_ohm":0.1129},{"freq_hz":4.608332e7,"impedance_ohm":0.1359},{"freq_hz":5.398671e7,"impedance_ohm":0.1621},{"freq_hz":6.324555e7,"impedance_ohm":0.1924}]}`},
		{"the sum of the admittances, in Python: 100 nF beside four of 1 µF and 0.6 nH, one of 22 µF and 1.5 nH",
			`{"supply_v":3.3,"transient_current_a":0.1,"max_freq_mhz":20,"other_capacitors":[{"c_uf":1,"count":4,"esr_mohm":8,"esl_nh":0.6},{"c_uf":22,"count":1,"esr_mohm":3,"esl_nh":1.5}]}`,
			`{"impedance":[{"freq_hz":87611.913,"impedance_ohm":0.06906},{"freq_hz":103282.05,"impedance_ohm":0.0584},{"freq_hz":121754.92,"impedance_ohm":0.04932},{"freq_hz":143531.81,"impedance_ohm":0.04159},{"freq_hz":169203.7,"impedance_ohm":0.03498},{"freq_hz":199467.21,"impedance_ohm":0.02933},{"freq_hz":235143.61,"impedance_ohm":0.02446},{"freq_hz":277201.04,"impedance_ohm":0.02026},{"freq_hz":326780.8,"impedance_ohm":0.01661},{"freq_hz":385228.31,"impedance_ohm":0.01341},{"freq_hz":454129.66,"impedance_ohm":0.01057},{"freq_hz":535354.6,"impedance_ohm":0.008026},{"freq_hz":631107.31,"impedance_ohm":0.005744},{"freq_hz":743986.2,"impedance_ohm":0.003829},{"freq_hz":877054.44,"impedance_ohm":0.002985},{"freq_hz":1.033923e6,"impedance_ohm":0.004358},{"freq_hz":1.218849e6,"impedance_ohm":0.007573},{"freq_hz":1.436850e6,"impedance_ohm":0.013},{"freq_hz":1.693843e6,"impedance_ohm":0.02384},{"freq_hz":1.996802e6,"impedance_ohm":0.05002},{"freq_hz":2.353946e6,"impedance_ohm":0.04102},{"freq_hz":2.774970e6,"impedance_ohm":0.02122},{"freq_hz":3.271297e6,"impedance_ohm":0.01292},{"freq_hz":3.856396e6,"impedance_ohm":0.008375},{"freq_hz":4.546145e6,"impedance_ohm":0.00537},{"freq_hz":5.359261e6,"impedance_ohm":0.003218},{"freq_hz":6.317811e6,"impedance_ohm":0.002032},{"freq_hz":7.447805e6,"impedance_ohm":0.002566},{"freq_hz":8.779908e6,"impedance_ohm":0.004161},{"freq_hz":1.035027e7,"impedance_ohm":0.00622},{"freq_hz":1.220150e7,"impedance_ohm":0.008902},{"freq_hz":1.438384e7,"impedance_ohm":0.01204},{"freq_hz":1.695652e7,"impedance_ohm":0.009023},{"freq_hz":1.998933e7,"impedance_ohm":0.01198},{"freq_hz":2.356459e7,"impedance_ohm":0.0154},{"freq_hz":2.777932e7,"impedance_ohm":0.01906},{"freq_hz":3.274789e7,"impedance_ohm":0.02315},{"freq_hz":3.860513e7,"impedance_ohm":0.02784},{"freq_hz":4.550998e7,"impedance_ohm":0.03325},{"freq_hz":5.364983e7,"impedance_ohm":0.03956},{"freq_hz":6.324555e7,"impedance_ohm":0.04694}]}`},
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

// TestDecouplingCount verifies, for several current steps, that the number of capacitors is
// sufficient and one fewer is not.
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
