package library_test

import (
	"fmt"
	"testing"
)

// TestRegulatorSheets compares regulators with the data-sheet values.
func TestRegulatorSheets(t *testing.T) {
	// output returns the row for the output voltage at an input voltage [V] and a load current [A].
	output := func(part string, in, amps, lo, hi float64) row {
		return row{fmt.Sprintf("%s at %g V and %g A [V]", part, in, amps),
			fmt.Sprintf("V1 in 0 %g\nX1 in 0 out %s\nI1 out 0 %g\n.dc V1 %[1]g %[1]g 1\n.meas dc x max v(out)", in, part, amps), lo, hi}
	}
	// change returns the row for the change of the output voltage between two input voltages [V].
	change := func(part string, from, to, amps, lo, hi float64) row {
		return row{fmt.Sprintf("%s from %g to %g V [V]", part, from, to),
			fmt.Sprintf("V1 in 0 %g\nX1 in 0 out %s\nI1 out 0 %g\n.dc V1 %[1]g %[4]g %[5]g\n.meas dc x pp v(out)", from, part, amps, to, to-from), lo, hi}
	}
	short := func(part string, in, lo, hi float64) row {
		return row{part + " into a short [A]", fmt.Sprintf("V1 in 0 %g\nX1 in 0 out %s\nVS out 0 0\n.dc V1 %[1]g %[1]g 1\n.meas dc i max i(vs)\n.meas dc x param='abs(i)'", in, part), lo, hi}
	}
	bias := func(part string, in, lo, hi float64) row {
		return row{part + " without load [A]", fmt.Sprintf("V1 in 0 %g\nX1 in 0 out %s\nR1 out 0 1meg\n.dc V1 %[1]g %[1]g 1\n.meas dc i max i(v1)\n.meas dc x param='abs(i)'", in, part), lo, hi}
	}
	const adjustable = "V1 in 0 12\nX1 in adj out lm317\nR1 out adj 240\nR2 adj 0 %s\nR3 out 0 %s\n.dc V1 %s\n.meas dc x max v(out)"
	check(t, []row{
		output("lm7805", 10, 5e-3, 4.9, 5.1), output("lm7805", 10, 0.5, 4.8, 5.2),
		output("lm7805", 7, 1, 4.95, 5.05),
		output("lm7805", 6.5, 1, 4.4, 4.6), change("lm7805", 7, 25, 0.5, 3.6e-3, 4.4e-3),
		short("lm7805", 10, 1.98, 2.42), bias("lm7805", 10, 4.5e-3, 5.5e-3),
		output("lm7805", 0, 0, -1e-6, 1e-6), output("lm7805", 3, 0, 1, 2),
		output("lm7812", 19, 0.5, 11.75, 12.25), output("lm7812", 13.5, 1, 11.4, 11.6),
		change("lm7812", 14.8, 30, 0.5, 3.4e-3, 4.2e-3), bias("lm7812", 19, 3e-3, 3.8e-3),
		output("lm7905", -10, -0.5, -5.1, -4.9), output("lm7905", -6.5, -1, -4.6, -4.4),
		change("lm7905", -7.5, -25, -0.5, 6.3e-3, 7.7e-3), short("lm7905", -10, 1.9, 2.3),
		bias("lm7905", -10, 4e-3, 4.9e-3),
		output("lm78l05", 10, 40e-3, 4.8, 5.2), output("lm78l05", 6.2, 40e-3, 4.4, 4.6),
		change("lm78l05", 7, 20, 40e-3, 29e-3, 35e-3), short("lm78l05", 10, 126e-3, 154e-3),
		bias("lm78l05", 10, 3.4e-3, 4.2e-3),
		output("ams1117_33", 5, 0.1, 3.25, 3.35), output("ams1117_33", 4.1, 0.8, 2.95, 3.05),
		short("ams1117_33", 5, 0.9, 1.5),
		output("ams1117_50", 7, 0.1, 4.925, 5.075), output("ams1117_50", 5.8, 0.8, 4.65, 4.75),
		bias("ams1117_50", 7, 4.5e-3, 5.5e-3),
		// The output voltage is 1.25 V·(1 + R2/R1) + 50 uA·R2.
		{"lm317 at 240 Ω and 720 Ω [V]", fmt.Sprintf(adjustable, "720", "100", "12 12 1"),
			5.02, 5.05},
		{"lm317 in dropout at 1 A [V]", fmt.Sprintf(adjustable, "720", "4.2", "6.2 6.2 1"),
			4.15, 4.25},
		{"lm317 without enough load rises [V]", "V1 in 0 12\nX1 in adj out lm317\nR1 out adj 2.4k\nR2 adj 0 7.2k\n.dc V1 12 12 1\n.meas dc x max v(out)", 9, 12},
		{"lm317 as a current source of 1.25 V/10 Ω [A]",
			"V1 in 0 12\nX1 in o s lm317\nR1 s o 10\nVS o 0 0\n.dc V1 12 12 1\n.meas dc x max i(vs)", 0.124, 0.126},
		{"lm7805 from a rectifier, ripple [V]", "V1 a 0 SIN(0 13 50)\nD1 a in 1n4001\nC1 in 0 2200u\nX1 in 0 out lm7805\nR1 out 0 10\n.tran 0.1m 80m\n.meas tran x pp v(out) from=40m to=80m", 0, 5e-3},
	})
}

// TestComparatorSheets compares comparators with the data-sheet values.
func TestComparatorSheets(t *testing.T) {
	sat := func(part, pins string, amps, lo, hi float64) row {
		return row{fmt.Sprintf("%s output at %g A [V]", part, amps),
			fmt.Sprintf("VP p 0 5\nV1 inn 0 1\nX1 0 inn p 0 out %s %s\nI1 0 out %g\n.dc V1 1 1 1\n.meas dc x max v(out)", pins, part, amps), lo, hi}
	}
	// response returns the row for the response time to a 100 mV input step with 5 mV overdrive and
	// a pull-up resistor to 5 V.
	response := func(part, pins, load string, lo, hi float64) row {
		return row{part + " response [s]",
			"VP p 0 5\nV1 inn 0 PULSE(1.9 2.005 1u 1n 1n 1 2)\nVR ref 0 2\nX1 ref inn p 0 out " +
				pins + " " + part + "\nR1 p out " + load +
				"\n.tran 10n 10u\n.meas tran at when v(out)=1.4 fall=1\n.meas tran x param='at-1u'", lo,
			hi}
	}
	check(t, []row{
		sat("lm393", "", 4e-3, 0.225, 0.4), response("lm393", "", "5.1k", 1.17e-6, 1.43e-6),
		{"lm393 sinks at 1.5 V [A]", "VP p 0 5\nV1 inn 0 1\nX1 0 inn p 0 out lm393\nV2 out 0 1.5\n.dc V1 1 1 1\n.meas dc i min i(v2)\n.meas dc x param='-i'", 14.4e-3, 17.6e-3},
		{"lm393 leakage at 5 V [A]", "VP p 0 5\nV1 inp 0 1\nX1 inp 0 p 0 out lm393\nV2 out 0 5\n.dc V1 1 1 1\n.meas dc i min i(v2)\n.meas dc x param='-i'", 0, 0.5e-9},
		{"lm393 gain at 15 kΩ and 15 V [V/V]", "VP p 0 15\nV1 in 0 0\nX1 0 in p 0 out lm393\nR1 p out 15k\n.dc V1 -5m 5m 1u\n.meas dc g deriv v(out) when v(out)=7.5\n.meas dc x param='-g'", 50e3, 400e3},
		sat("lm339", "", 4e-3, 0.225, 0.4), response("lm339", "", "5.1k", 1.17e-6, 1.43e-6),
		sat("lm311", "0", 50e-3, 0.675, 0.825), sat("lm311", "0", 8e-3, 0.05, 0.4),
		response("lm311", "0", "500", 0.18e-6, 0.22e-6),
		{"lm311 supply current [A]", "VP p 0 15\nVN n 0 -15\nX1 0 0 p n out 0 lm311\nR1 p out 1k\n.dc VP 15 15 1\n.meas dc i max i(vn)\n.meas dc x param='abs(i)'", 3.7e-3, 4.5e-3},
	})
}

// TestGateSheets compares truth tables, output levels, thresholds and delays of the gates with the
// data-sheet values.
func TestGateSheets(t *testing.T) {
	var rows []row
	for part, table := range map[string][4]float64{"74hc00": {1, 1, 1, 0}, "74hc02": {1, 0, 0, 0},
		"74hc08": {0, 0, 0, 1}, "74hc32": {0, 1, 1, 1}, "74hc86": {0, 1, 1, 0}} {
		for k, want := range table {
			rows = append(rows, row{fmt.Sprintf("%s of %d %d [V]", part, k/2, k%2),
				fmt.Sprintf("VC vcc 0 5\nVA a 0 %d\nVB b 0 %d\nX1 a b vcc 0 y %s\nR1 y 0 1meg\n.dc VC 5 5 1\n.meas dc x max v(y)", 5*(k/2), 5*(k%2), part), 5*want - 0.01, 5*want + 0.01})
		}
	}
	delay := func(part, inputs string, lo, hi float64) row {
		return row{part + " delay at 4.5 V, 50 pF [s]",
			"VC vcc 0 4.5\nVA a 0 PULSE(0 4.5 20n 6n 6n 100n 1)\nX1 " + inputs +
				" vcc 0 y " + part +
				"\nCL y 0 50p\n.tran 0.1n 100n\n.meas tran x trig v(a) val=2.25 rise=1 targ v(y) val=2.25 cross=1", lo, hi}
	}
	rows = append(rows, delay("74hc00", "a vcc", 8.1e-9, 9.9e-9),
		delay("74hc02", "a 0", 8.1e-9, 9.9e-9), delay("74hc04", "a", 8.1e-9, 9.9e-9),
		delay("74hc08", "a vcc", 8.1e-9, 9.9e-9), delay("74hc32", "a 0", 7.2e-9, 8.8e-9),
		delay("74hc86", "a 0", 12.6e-9, 15.4e-9), delay("74hc14", "a", 13.5e-9, 16.5e-9),
		row{"74hc04 low at 4 mA [V]", "VC vcc 0 4.5\nVA a 0 4.5\nX1 a vcc 0 y 74hc04\nI1 0 y 4m\n.dc VC 4.5 4.5 1\n.meas dc x max v(y)", 0.13, 0.26},
		row{"74hc04 high at 4 mA [V]", "VC vcc 0 4.5\nVA a 0 0\nX1 a vcc 0 y 74hc04\nI1 y 0 4m\n.dc VC 4.5 4.5 1\n.meas dc x max v(y)", 3.98, 4.4},
		row{"74hc04 threshold at 4.5 V [V]", "VC vcc 0 4.5\nVA a 0 0\nX1 a vcc 0 y 74hc04\nR1 y 0 1meg\n.dc VA 0 4.5 0.01\n.meas dc x when v(y)=2.25", 2.2, 2.3},
		row{"74hc14 upper threshold at 4.5 V [V]", "VC vcc 0 4.5\nVA a 0 0\nX1 a vcc 0 y 74hc14\nR1 y 0 1meg\n.dc VA 0 4.5 0.01\n.meas dc x when v(y)=2.25", 2.3, 2.42},
		row{"74hc14 lower threshold at 4.5 V [V]", "VC vcc 0 4.5\nVA a 0 0\nX1 a vcc 0 y 74hc14\nR1 y 0 1meg\n.dc VA 4.5 0 -0.01\n.meas dc x when v(y)=2.25", 1.48, 1.58},
		// The period of charging and discharging between the thresholds is R·C·ln((5 - 1.7)/(5 -
		// 2.622)·2.622/1.7).
		row{"74hc14 as an oscillator with 10 kΩ and 1 nF: period [s]", "VC vcc 0 5\nX1 a vcc 0 y 74hc14\nR1 y a 10k\nC1 a 0 1n\n.ic v(a)=0\n.tran 50n 60u\n.meas tran x trig v(y) val=2.5 rise=2 targ v(y) val=2.5 rise=3", 7.3e-6, 8.1e-6},
	)
	check(t, rows)
}

// TestOptocouplerSheets compares photocouplers with the data-sheet values.
func TestOptocouplerSheets(t *testing.T) {
	vf := func(part, pins string, amps, lo, hi float64) row {
		return row{fmt.Sprintf("%s LED at %g A [V]", part, amps),
			fmt.Sprintf(
				"I1 0 a %g\nX1 a 0 c %s %s\nVC c 0 5\n.dc I1 %[1]g %[1]g 1\n.meas dc x max v(a)",
				amps, pins, part), lo, hi}
	}
	ratio := func(part, pins string, amps, volts, lo, hi float64) row {
		return row{fmt.Sprintf("%s transfer ratio at %g A", part, amps),
			fmt.Sprintf("I1 0 a %g\nX1 a 0 c %s %s\nVC c 0 %g\n.dc I1 %[1]g %[1]g 1\n.meas dc i min i(vc)\n.meas dc x param='-i/%[1]g'", amps, pins, part, volts), lo, hi}
	}
	sat := func(part, pins string, led, amps, lo, hi float64) row {
		return row{part + " saturated [V]",
			fmt.Sprintf(
				"I1 0 a %g\nX1 a 0 c %s %s\nI2 0 c %g\n.dc I1 %[1]g %[1]g 1\n.meas dc x max v(c)", led, pins, part, amps), lo, hi}
	}
	rise := func(part, pins string, led float64, supply string, lo, hi float64) row {
		return row{part + " rise time at 100 Ω [s]", fmt.Sprintf("I1 0 a PULSE(0 %g 1u 1n 1n 1 2)\nRA a 0 1meg\nVC p 0 %s\nX1 a 0 p %s %s\nR1 e 0 100\n.tran 50n 40u\n.meas tran top find v(e) at=40u\n.meas tran x trig v(e) val='0.1*top' rise=1 targ v(e) val='0.9*top' rise=1", led, supply, pins, part), lo, hi}
	}
	check(t, []row{
		vf("pc817", "0", 20e-3, 1.15, 1.25), ratio("pc817", "0", 5e-3, 5, 0.9, 1.1),
		sat("pc817", "0", 20e-3, 1e-3, 0.01, 0.2), rise("pc817", "e", 2e-3, "2.2", 3.6e-6, 4.4e-6),
		vf("4n25", "b 0", 10e-3, 1.1, 1.2), ratio("4n25", "b 0", 10e-3, 10, 0.63, 0.77),
		sat("4n25", "b 0", 50e-3, 2e-3, 0.01, 0.5), rise("4n25", "b e", 10e-3, "10",
			1.08e-6, 1.32e-6),
	})
}
