package library_test

import (
	"fmt"
	"math"
	"testing"
)

// row is one line of a data sheet with its test circuit.
type row struct {
	what, text string  // description; circuit whose measure x is compared
	lo, hi     float64 // range in the data sheet, or typical value ±10 %
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		v := measured(t, "t\n"+r.text+"\n.end")
		t.Logf("%-45s %10.4g  (%g to %g)", r.what, v, r.lo, r.hi)
		if !(v >= r.lo && v <= r.hi) {
			t.Errorf("%s: %.4g, the sheet has %g to %g", r.what, v, r.lo, r.hi)
		}
	}
}

// forward returns the row for the forward voltage of a diode at a current [A].
func forward(part string, amps, lo, hi float64) row {
	return row{fmt.Sprintf("%s at %g A [V]", part, amps),
		fmt.Sprintf("I1 0 a %g\nD1 a 0 %s\n.dc I1 %[1]g %[1]g 1\n.meas dc x max v(a)", amps, part),
		lo, hi}
}

// reverse returns the row for the reverse voltage of a diode at a current [A].
func reverse(part string, amps, lo, hi float64) row {
	r := forward(part, amps, lo, hi)
	r.what = fmt.Sprintf("%s backwards at %g A [V]", part, amps)
	r.text = fmt.Sprintf("I1 0 k %g\nD1 0 k %s\n.dc I1 %[1]g %[1]g 1\n.meas dc x max v(k)", amps,
		part)
	return r
}

func TestDiodeSheets(t *testing.T) {
	rows := []row{
		forward("1n4148", 10e-3, 0.71, 0.73), forward("1n4148", 5e-3, 0.62, 0.72),
		forward("1n4148", 0.1, 0.8, 1.2),
		{"1n4148 leakage at 20 V [A]",
			"V1 k 0 20\nD1 0 k 1n4148\n.dc V1 20 20 1\n.meas dc x min i(v1)", -25e-9, 0},
		{"1n4148 capacitance at 0 V, 1 MHz [F]", "V1 a 0 AC 1\nD1 a 0 1n4148\n.ac lin 1 1meg 1meg\n.meas ac i find im(v1) at=1meg\n.meas ac x param='i/2/pi/1meg'", 2e-12, 4.2e-12},
		{"1n4148 recovery from 10 mA, 6 V, 100 Ω to 1 mA [s]", "V1 s 0 PULSE(1.72 -5.28 10n 0.01n 0.01n 1u 2u)\nR1 s a 100\nD1 a 0 1n4148\n.tran 0.1n 40n\n" +
			".meas tran t when i(v1)=1m td=10.5n fall=1\n.meas tran x param='t-10n'", 1e-9, 4e-9},
		forward("1n5817", 0.1, 0.2, 0.32), forward("1n5817", 1, 0.36, 0.45),
		forward("1n5817", 3, 0.4, 0.75),
		forward("1n5819", 0.1, 0.2, 0.34), forward("1n5819", 1, 0.42, 0.60),
		forward("1n5819", 3, 0.5, 0.90),
		forward("bat54", 0.1e-3, 0.1, 0.24), forward("bat54", 1e-3, 0.2, 0.32),
		forward("bat54", 10e-3, 0.3, 0.40), forward("bat54", 30e-3, 0.35, 0.50),
		forward("bat54", 0.1, 0.5, 0.80),
		reverse("1n4733", 49e-3, 4.85, 5.36), reverse("1n4733", 49e-3, 5.09, 5.11),
		reverse("1n4733", 10e-3, 4.5, 5.3), forward("1n4733", 0.2, 0.8, 1.2),
		reverse("bzx84c5v1", 5e-3, 4.8, 5.4), reverse("bzx84c5v1", 5e-3, 5.09, 5.11),
		forward("bzx84c5v1", 10e-3, 0.6, 0.9),
		{"1n4733 dynamic resistance at 49 mA [Ω]",
			"I1 0 k 49m\nD1 0 k 1n4733\n.dc I1 48m 50m 0.5m\n.meas dc x deriv v(k) at=49m", 0.5, 7},
		{"bzx84c5v1 dynamic resistance at 5 mA [Ω]",
			"I1 0 k 5m\nD1 0 k bzx84c5v1\n.dc I1 4.5m 5.5m 0.25m\n.meas dc x deriv v(k) at=5m", 5,
			60},
		{"bzx84c5v1 as a regulator from 12 V", "V1 in 0 12\nR1 in k 1k\nD1 0 k bzx84c5v1\nRL k 0 10k\n.dc V1 12 12 1\n.meas dc x max v(k)", 4.8, 5.4},
		forward("led_red", 20e-3, 1.9, 2.1), forward("led_green", 20e-3, 2.1, 2.3),
		forward("led_yellow", 20e-3, 2.0, 2.2),
		forward("led_blue", 20e-3, 3.1, 3.5), forward("led_white", 20e-3, 3.0, 3.4),
		forward("led_red", 1e-3, 1.6, 1.9), forward("led_blue", 1e-3, 2.5, 3.0),
		forward("1n914", 10e-3, 0.6, 1), forward("1n4448", 5e-3, 0.62, 0.72),
		forward("1n4448", 0.1, 0.75, 1),
		forward("1n5818", 0.1, 0.2, 0.33), forward("1n5818", 1, 0.38, 0.55),
		forward("1n5818", 3, 0.4, 0.875),
		forward("1n5822", 3, 0.4, 0.525), forward("1n5822", 9.4, 0.45, 0.95),
		forward("ss14", 1, 0.38, 0.50),
		forward("bat85", 0.1e-3, 0.1, 0.24), forward("bat85", 1e-3, 0.2, 0.32),
		forward("bat85", 10e-3, 0.3, 0.40), forward("bat85", 30e-3, 0.35, 0.50),
		forward("bat85", 0.1, 0.5, 0.80),
		{"led_red drop a kelvin [V]",
			"I1 0 a 20m\nD1 a 0 led_red\n.dc temp 20 40 5\n.meas dc x deriv v(a) at=30",
			-2.5e-3, -1.4e-3},
		{"led_red behind 150 Ω at 5 V [A]", "V1 in 0 5\nR1 in a 150\nX1 a 0 LED_RED\n.dc V1 5 5 1\n.meas dc i min i(v1)\n.meas dc x param='-i'", 19e-3, 21e-3},
	}
	for i, volts := range []float64{50, 100, 200, 400, 600, 800, 1000} {
		part := fmt.Sprintf("1n400%d", i+1)
		rows = append(rows, forward(part, 1, 0.9, 1.1), reverse(part, 5e-6, volts*0.99, volts*1.01))
	}
	rows = append(rows, row{"1n4007 behind 230 V, 50 Hz, 1 kΩ: peak [V]",
		"V1 in 0 SIN(0 325 50)\nD1 in a 1n4007\nR1 a 0 1k\n.tran 0.1m 40m\n.meas tran x max v(a)", 323.8, 324.6})
	check(t, rows)
}

// TestZenerSheets compares voltage limits, differential resistance and forward voltage with the
// tables of the data sheets.
func TestZenerSheets(t *testing.T) {
	var rows []row
	zener := func(part string, volts, lo, hi, amps, ohms float64) {
		rows = append(rows, reverse(part, amps, lo, hi),
			reverse(part, amps, 0.998*volts, 1.002*volts),
			row{part + " dynamic resistance [Ω]",
				fmt.Sprintf("I1 0 k %g\nD1 0 k %s\n.dc I1 %g %g %g\n.meas dc x deriv v(k) at=%[1]g",
					amps, part, 0.9*amps, 1.1*amps, 0.05*amps), 0.05 * ohms, ohms})
	}
	for k, z := range [][3]float64{{3.3, 76, 10}, {3.6, 69, 10}, {3.9, 64, 9}, {4.3, 58, 9},
		{4.7, 53, 8}, {}, {5.6, 45, 5}, {6.2, 41, 2},
		{6.8, 37, 3.5}, {7.5, 34, 4}, {8.2, 31, 4.5}, {9.1, 28, 5}, {10, 25, 7}, {11, 23, 8},
		{12, 21, 9}, {13, 19, 10}, {15, 17, 14}, {16, 15.5, 16},
		{18, 14, 20}, {20, 12.5, 22}, {22, 11.5, 23}, {24, 10.5, 25}, {27, 9.5, 35},
		{30, 8.5, 40}} {
		if z[0] > 0 {
			part := fmt.Sprintf("1n%d", 4728+k)
			zener(part, z[0], 0.95*z[0], 1.05*z[0], z[1]*1e-3, z[2])
			rows = append(rows, forward(part, 0.2, 0.8, 1.2))
		}
	}
	for part, z := range map[string][4]float64{"bzx84c3v3": {3.3, 3.1, 3.5, 95},
		"bzx84c3v6": {3.6, 3.4, 3.8, 90}, "bzx84c3v9": {3.9, 3.7, 4.1, 90},
		"bzx84c4v7": {4.7, 4.4, 5, 80}, "bzx84c5v6": {5.6, 5.2, 6, 40},
		"bzx84c6v2": {6.2, 5.8, 6.6, 10}, "bzx84c6v8": {6.8, 6.4, 7.2, 15},
		"bzx84c7v5": {7.5, 7, 7.9, 15}, "bzx84c8v2": {8.2, 7.7, 8.7, 15},
		"bzx84c9v1": {9.1, 8.5, 9.6, 15}, "bzx84c10": {10, 9.4, 10.6, 20},
		"bzx84c12": {12, 11.4, 12.7, 25}, "bzx84c15": {15, 13.8, 15.6, 30},
		"bzx84c18": {18, 16.8, 19.1, 45}, "bzx84c24": {24, 22.8, 25.6, 70}} {
		zener(part, z[0], z[1], z[2], 5e-3, z[3])
		rows = append(rows, forward(part, 10e-3, 0.6, 0.9))
	}
	check(t, rows)
}

// emitterDriven returns a circuit that draws a current [A] from the emitter of a transistor, with
// grounded base and fixed collector voltage [V].
func emitterDriven(part, kind string, amps, volts float64, measures string) string {
	s := map[string]string{"npn": "", "pnp": "-"}[kind]
	return fmt.Sprintf("VC c 0 %s%g\nIE e 0 %s%g\nVB b 0 0\nQ1 c b e %s\n.dc VB 0 0 1\n%s", s,
		volts, s, amps, part, measures)
}

// gain returns the row for the current gain at a collector current [A] and a collector-base voltage
// [V].
func gain(part, kind string, amps, volts, lo, hi float64) row {
	return row{fmt.Sprintf("%s gain at %g A, %g V", part, amps, volts),
		emitterDriven(part, kind, amps, volts,
			".meas dc ib max i(vb)\n.meas dc ic max i(vc)\n.meas dc x param='ic/ib'"), lo, hi}
}

// junction returns the row for the base-emitter voltage at an emitter current [A].
func junction(part, kind string, amps, lo, hi float64) row {
	return row{fmt.Sprintf("%s base-emitter at %g A [V]", part, amps),
		emitterDriven(part, kind, amps, 5, ".meas dc v max v(e)\n.meas dc x param='abs(v)'"), lo,
		hi}
}

// saturated returns the row for the collector-emitter voltage at a collector current [A] and a base
// current of amps/over.
func saturated(part, kind string, amps, over, hi float64) row {
	a, b := "0 c", "0 b"
	lo := 0.005
	if kind == "pnp" {
		a, b = "c 0", "b 0"
		lo, hi = -hi, -lo
	}
	return row{fmt.Sprintf("%s saturated at %g A [V]", part, amps),
		fmt.Sprintf("IC %s %g\nIB %s %g\nQ1 c b 0 %s\n.dc IC %[2]g %[2]g 1\n.meas dc x max v(c)", a,
			amps, b, amps/over, part), lo, hi}
}

// transition returns the row for the frequency of unity current gain in the test circuit of the
// data sheet.
func transition(part, kind string, amps, volts, lo, hi float64) row {
	s := ""
	if kind == "pnp" {
		s = "-"
	}
	return row{fmt.Sprintf("%s transition frequency at %g A [Hz]", part, amps),
		fmt.Sprintf("VC c 0 %s%g\nIE e 0 %s%g\nCE e 0 1\nVB b 0 AC 1\nQ1 c b e %s\n.ac dec 50 10k 3g\n.meas ac ib find im(vb) at=10k\n.meas ac at find im(vc) at=%g\n.meas ac base find im(vb) at=%[6]g\n.meas ac x param='at/base*%[6]g'",
			s, volts, s, amps, part, lo/10), lo, hi}
}

func TestBipolarSheets(t *testing.T) {
	check(t, []row{
		gain("2n3904", "npn", 10e-3, 1, 100, 300), gain("2n3904", "npn", 1e-3, 1, 70, 300),
		gain("2n3904", "npn", 0.1e-3, 1, 40, 300),
		gain("2n3904", "npn", 50e-3, 1, 60, 300), gain("2n3904", "npn", 0.1, 1, 30, 300),
		junction("2n3904", "npn", 10e-3, 0.65, 0.85), saturated("2n3904", "npn", 10e-3, 10, 0.2),
		saturated("2n3904", "npn", 50e-3, 10, 0.3), transition("2n3904", "npn", 10e-3, 20,
			270e6, 450e6),
		gain("2n3906", "pnp", 10e-3, 1, 100, 300), gain("2n3906", "pnp", 1e-3, 1, 80, 300),
		gain("2n3906", "pnp", 0.1e-3, 1, 60, 300),
		gain("2n3906", "pnp", 50e-3, 1, 60, 300), gain("2n3906", "pnp", 0.1, 1, 30, 300),
		junction("2n3906", "pnp", 10e-3, 0.65, 0.85), saturated("2n3906", "pnp", 10e-3, 10, 0.25),
		saturated("2n3906", "pnp", 50e-3, 10, 0.4), transition("2n3906", "pnp", 10e-3, 20,
			220e6, 400e6),
		gain("2n2222", "npn", 0.15, 10, 100, 300), gain("2n2222", "npn", 10e-3, 10, 75, 300),
		gain("2n2222", "npn", 0.1e-3, 10, 35, 300), gain("2n2222", "npn", 0.5, 10, 40, 300),
		junction("2n2222", "npn", 0.15, 0.6, 1.2), saturated("2n2222", "npn", 0.15, 10, 0.3),
		saturated("2n2222", "npn", 0.5, 10, 1.0), transition("2n2222", "npn", 20e-3, 20,
			270e6, 450e6),
		gain("2n2907", "pnp", 0.15, 10, 100, 300), gain("2n2907", "pnp", 10e-3, 10, 100, 300),
		gain("2n2907", "pnp", 0.1e-3, 10, 75, 300), gain("2n2907", "pnp", 0.5, 10, 50, 300),
		junction("2n2907", "pnp", 0.15, 0.6, 1.3), saturated("2n2907", "pnp", 0.15, 10, 0.4),
		saturated("2n2907", "pnp", 0.5, 10, 1.6), transition("2n2907", "pnp", 50e-3, 20,
			180e6, 350e6),
		gain("bc547", "npn", 2e-3, 5, 200, 450), gain("bc547", "npn", 10e-6, 5, 100, 300),
		junction("bc547", "npn", 2e-3, 0.58, 0.70), junction("bc547", "npn", 10e-3, 0.6, 0.77),
		saturated("bc547", "npn", 10e-3, 20, 0.25), saturated("bc547", "npn", 0.1, 20, 0.6),
		transition("bc547", "npn", 10e-3, 5, 250e6, 400e6),
		gain("bc557", "pnp", 2e-3, 5, 220, 475), junction("bc557", "pnp", 2e-3, 0.60, 0.75),
		saturated("bc557", "pnp", 10e-3, 20, 0.30), transition("bc557", "pnp", 10e-3, 5,
			130e6, 250e6),
		gain("bc337", "npn", 0.1, 1, 160, 400), junction("bc337", "npn", 0.3, 0.6, 1.2),
		saturated("bc337", "npn", 0.5, 10, 0.7), transition("bc337", "npn", 10e-3, 5, 80e6, 210e6),
		gain("bc548", "npn", 2e-3, 5, 200, 450), junction("bc548", "npn", 2e-3, 0.58, 0.70),
		saturated("bc548", "npn", 0.1, 20, 0.6), transition("bc548", "npn", 10e-3, 5, 250e6, 400e6),
		gain("bc558", "pnp", 2e-3, 5, 220, 475), junction("bc558", "pnp", 2e-3, 0.60, 0.75),
		saturated("bc558", "pnp", 10e-3, 20, 0.30), transition("bc558", "pnp", 10e-3, 5,
			130e6, 250e6),
		gain("bc327", "pnp", 0.1, 1, 160, 400), junction("bc327", "pnp", 0.3, 0.6, 1.2),
		saturated("bc327", "pnp", 0.5, 10, 0.7), transition("bc327", "pnp", 10e-3, 5, 80e6, 210e6),
		gain("2n4401", "npn", 0.15, 1, 100, 300), gain("2n4401", "npn", 10e-3, 1, 80, 300),
		gain("2n4401", "npn", 1e-3, 1, 40, 300), gain("2n4401", "npn", 0.5, 2, 40, 300),
		saturated("2n4401", "npn", 0.15, 10, 0.4), saturated("2n4401", "npn", 0.5, 10, 0.75),
		transition("2n4401", "npn", 20e-3, 10, 250e6, 450e6),
		gain("2n4403", "pnp", 0.15, 2, 100, 300), gain("2n4403", "pnp", 10e-3, 1, 100, 300),
		gain("2n4403", "pnp", 1e-3, 1, 60, 300), gain("2n4403", "pnp", 0.5, 2, 20, 300),
		saturated("2n4403", "pnp", 0.15, 10, 0.4), saturated("2n4403", "pnp", 0.5, 10, 0.75),
		transition("2n4403", "pnp", 20e-3, 10, 200e6, 400e6),
		gain("2n5551", "npn", 10e-3, 5, 80, 250), gain("2n5551", "npn", 1e-3, 5, 80, 250),
		gain("2n5551", "npn", 50e-3, 5, 30, 250),
		saturated("2n5551", "npn", 10e-3, 10, 0.15), saturated("2n5551", "npn", 50e-3, 10, 0.2),
		transition("2n5551", "npn", 10e-3, 10, 100e6, 300e6),
		gain("2n5401", "pnp", 10e-3, 5, 60, 240), gain("2n5401", "pnp", 1e-3, 5, 50, 240),
		gain("2n5401", "pnp", 50e-3, 5, 50, 240),
		saturated("2n5401", "pnp", 10e-3, 10, 0.2), saturated("2n5401", "pnp", 50e-3, 10, 0.5),
		transition("2n5401", "pnp", 10e-3, 10, 100e6, 300e6),
		gain("tip32", "pnp", 1, 4, 25, 150), gain("tip32", "pnp", 3, 4, 10, 50),
		junction("tip32", "pnp", 3, 0.6, 1.8), saturated("tip32", "pnp", 3, 8, 1.2),
		transition("tip32", "pnp", 0.5, 10, 2.5e6, 5e6),
		gain("tip42", "pnp", 0.3, 4, 30, 150), gain("tip42", "pnp", 3, 4, 15, 75),
		junction("tip42", "pnp", 6, 0.6, 2), saturated("tip42", "pnp", 6, 10, 1.5),
		transition("tip42", "pnp", 0.5, 10, 2.5e6, 5e6),
		gain("bd139", "npn", 0.15, 2, 63, 160), gain("bd139", "npn", 5e-3, 2, 40, 250),
		gain("bd139", "npn", 0.5, 2, 25, 250),
		junction("bd139", "npn", 0.5, 0.6, 1), saturated("bd139", "npn", 0.5, 10, 0.5),
		transition("bd139", "npn", 50e-3, 5, 150e6, 250e6),
		gain("bd140", "pnp", 0.15, 2, 63, 160), gain("bd140", "pnp", 5e-3, 2, 40, 250),
		gain("bd140", "pnp", 0.5, 2, 25, 250),
		junction("bd140", "pnp", 0.5, 0.6, 1), saturated("bd140", "pnp", 0.5, 10, 0.5),
		transition("bd140", "pnp", 50e-3, 5, 130e6, 220e6),
		gain("tip31", "npn", 1, 4, 25, 150), gain("tip31", "npn", 3, 4, 10, 50),
		junction("tip31", "npn", 3, 0.6, 1.8), saturated("tip31", "npn", 3, 8, 1.2),
		transition("tip31", "npn", 0.5, 10, 2.5e6, 5e6),
		gain("tip41", "npn", 0.3, 4, 30, 150), gain("tip41", "npn", 3, 4, 15, 75),
		junction("tip41", "npn", 6, 0.6, 2), saturated("tip41", "npn", 6, 10, 1.5),
		transition("tip41", "npn", 0.5, 10, 2.5e6, 5e6),
	})
}

// on returns the row for the on-resistance of a MOSFET at a gate voltage [V] and a drain current
// [A].
func on(part, sign string, gate, amps, lo, hi float64) row {
	i := "0 d"
	if sign == "-" {
		i = "d 0"
	}
	return row{fmt.Sprintf("%s on-resistance at %g V, %g A [Ω]", part, gate, amps),
		fmt.Sprintf("ID %s %g\nVG g 0 %s%g\nM1 d g 0 0 %s\n.dc VG %[3]s%[4]g %[3]s%[4]g 1\n.meas dc v max v(d)\n.meas dc x param='abs(v)/%[2]g'", i, amps, sign, gate, part), lo, hi}
}

// threshold returns the row for the gate voltage at a drain current [A], with the gate tied to the
// drain.
func threshold(part, sign string, amps, lo, hi float64) row {
	i := "0 d"
	if sign == "-" {
		i = "d 0"
	}
	return row{fmt.Sprintf("%s threshold at %g A [V]", part, amps), fmt.Sprintf("ID %s %g\nX1 d d 0 %s\n.dc ID %[2]g %[2]g 1\n.meas dc v max v(d)\n.meas dc x param='abs(v)'", i, amps, part), lo, hi}
}

// transconductance returns the row for gm at a drain current [A] and a drain-source voltage [V].
func transconductance(part, sign string, amps, volts, lo, hi float64) row {
	i := "s 0"
	if sign == "-" {
		i = "0 s"
	}
	return row{fmt.Sprintf("%s transconductance at %g A [S]", part, amps),
		fmt.Sprintf("VD d 0 %s%g\nVG g 0 AC 1\nI1 %s %g\nC1 s 0 1\nM1 d g s s %s\n.ac lin 1 1k 1k\n.meas ac x find im(vd) at=1k", sign, volts, i, amps, part), lo, hi}
}

// capacitance returns the row for the gate capacitance at 25 V with drain and source at signal
// ground.
func capacitance(part, sign string, lo, hi float64) row {
	return row{part + " input capacitance [F]", fmt.Sprintf("VD d 0 %s25\nVG g 0 AC 1\nM1 d g 0 0 %s\n.ac lin 1 1meg 1meg\n.meas ac i find im(vg) at=1meg\n.meas ac x param='i/2/pi/1meg'", sign, part), lo, hi}
}

func TestMosfetSheets(t *testing.T) {
	check(t, []row{
		on("2n7000", "", 10, 0.5, 0.8, 5), on("2n7000", "", 4.5, 75e-3, 1, 5.3),
		threshold("2n7000", "", 1e-3, 0.8, 3), transconductance("2n7000", "", 0.2, 10, 0.1, 0.5),
		capacitance("2n7000", "", 18e-12, 50e-12),
		on("bs170", "", 10, 0.2, 0.8, 5), threshold("bs170", "", 1e-3, 0.8, 3),
		transconductance("bs170", "", 0.2, 10, 0.2, 0.5), capacitance("bs170", "", 20e-12, 40e-12),
		on("irf540", "", 10, 17, 0.03, 0.077), threshold("irf540", "", 250e-6, 2, 4),
		transconductance("irf540", "", 17, 50, 8.7, 30),
		capacitance("irf540", "", 1530e-12, 1870e-12),
		on("irlz44", "", 5, 31, 0.01, 0.028), on("irlz44", "", 4, 25, 0.01, 0.039),
		threshold("irlz44", "", 250e-6, 1, 2), transconductance("irlz44", "", 31, 25, 23, 60),
		capacitance("irlz44", "", 2970e-12, 3630e-12),
		on("irf9540", "-", 10, 11, 0.05, 0.2), threshold("irf9540", "-", 250e-6, 2, 4),
		transconductance("irf9540", "-", 11, 50, 5.3, 15),
		capacitance("irf9540", "-", 1260e-12, 1540e-12),
		on("irf520", "", 10, 5.5, 0.1, 0.27), threshold("irf520", "", 250e-6, 2, 4),
		transconductance("irf520", "", 5.5, 50, 2.7, 8),
		capacitance("irf520", "", 324e-12, 396e-12),
		on("irf530", "", 10, 8.4, 0.06, 0.16), threshold("irf530", "", 250e-6, 2, 4),
		transconductance("irf530", "", 8.4, 50, 5.1, 15),
		capacitance("irf530", "", 603e-12, 737e-12),
		on("irf640", "", 10, 11, 0.08, 0.18), threshold("irf640", "", 250e-6, 2, 4),
		transconductance("irf640", "", 11, 50, 6.7, 20),
		capacitance("irf640", "", 1170e-12, 1430e-12),
		on("irfz44n", "", 10, 25, 0.008, 0.0175), threshold("irfz44n", "", 250e-6, 2, 4),
		transconductance("irfz44n", "", 25, 25, 19, 60),
		capacitance("irfz44n", "", 1323e-12, 1617e-12),
		on("bss138", "", 10, 0.22, 0.3, 3.5), on("bss138", "", 4.5, 0.22, 0.3, 6),
		threshold("bss138", "", 1e-3, 0.8, 1.5), transconductance("bss138", "", 0.22, 10, 0.12, 1),
		capacitance("bss138", "", 24e-12, 30e-12),
		{"irf540 body diode at 28 A [V]",
			"I1 0 s 28\nM1 0 s s s irf540\n.dc I1 28 28 1\n.meas dc x max v(s)", 0.5, 2.5},
	})
}

func TestOpampSheets(t *testing.T) {
	const supplies = "VP p 0 15\nVN n 0 -15\n"
	var rows []row
	near := func(v float64) (float64, float64) { return v - 0.1*math.Abs(v), v + 0.1*math.Abs(v) }
	for _, o := range []struct {
		name                               string
		gain, gbw, slew, high, low, short1 float64
		load                               string
	}{
		{"tl072", 200e3, 3e6, 13, 13.5, -13.5, 26e-3, "10k"},
		{"tl082", 200e3, 3e6, 13, 13.5, -13.5, 26e-3, "10k"},
		{"lm358", 100e3, 1e6, 0.6, 13.5, -14.98, 40e-3, "10k"},
		{"lm324", 100e3, 1.2e6, 0.5, 13.5, -14.98, 40e-3, "10k"},
		{"ne5532", 100e3, 10e6, 9, 13, -13, 38e-3, "600"},
		{"ua741", 200e3, 1e6, 0.5, 14, -14, 25e-3, "10k"},
		{"opamp", 1e6, 10e6, 10, 14.95, -14.95, 50e-3, "10k"},
	} {
		add := func(what, text string, want float64) {
			lo, hi := near(want)
			rows = append(rows, row{o.name + " " + what, supplies + text, lo, hi})
		}
		load := "RL out 0 " + o.load + "\n"
		add("gain at DC [V/V]",
			"V1 in 0 AC 1\nX1 in fb p n out "+o.name+"\nL1 out fb 1t\nC1 fb 0 1t\n.ac lin 1 1m 1m\n.meas ac x find vm(out) at=1m", o.gain)
		add("follower's bandwidth [Hz]",
			"V1 in 0 AC 1\nX1 in out p n out "+o.name+"\n"+load+".ac dec 50 1k 100meg\n.meas ac x when vdb(out)=-3.0103", o.gbw)
		add("gain 100: gain times bandwidth [Hz]", "V1 in 0 AC 1\nX1 in fb p n out "+o.name+"\nR1 fb 0 100\nR2 out fb 9.9k\n.ac dec 50 10 10meg\n.meas ac f when vdb(out)='40-3.0103'\n.meas ac x param='100*f'", o.gbw)
		step := "V1 in 0 PULSE(-5 5 1u 1n 1n {60/" + fmt.Sprint(o.slew) +
			"*1u} 1)\nX1 in out p n out " + o.name + "\n" + load + fmt.Sprintf(".tran %gu %gu\n",
			0.2/o.slew, 100/o.slew)
		add("slew rate up [V/µs]", step+".meas tran t trig v(out) val=-4 rise=1 targ v(out) val=4 rise=1\n.meas tran x param='8/t*1u'", o.slew)
		add("slew rate down [V/µs]", step+".meas tran t trig v(out) val=4 fall=1 targ v(out) val=-4 fall=1\n.meas tran x param='8/t*1u'", o.slew)
		swing := "V1 in 0 0\nX1 in 0 p n out " + o.name + "\n" + load + ".dc V1 -1 1 0.1\n"
		rows = append(rows, row{o.name + " highest output [V]",
			supplies + swing + ".meas dc x max v(out)", o.high - 0.35, o.high + 0.05},
			row{o.name + " lowest output [V]", supplies + swing + ".meas dc x min v(out)",
				o.low - 0.05, o.low + 0.35})
		add("short-circuit current [A]",
			"V1 in 0 1\nX1 in 0 p n out "+o.name+"\nVS out 0 0\n.dc V1 1 1 1\n.meas dc x max i(vs)",
			o.short1)
	}
	rows = append(rows,
		row{"lm358 at 5 V, highest output [V]", "VP p 0 5\nV1 in 0 0\nX1 in 0 p 0 out lm358\nRL out 0 10k\n.dc V1 -0.1 0.1 0.01\n.meas dc x max v(out)", 3.4, 3.6},
		row{"lm358 at 5 V, lowest output [V]", "VP p 0 5\nV1 in 0 0\nX1 in 0 p 0 out lm358\nRL out 0 10k\n.dc V1 -0.1 0.1 0.01\n.meas dc x min v(out)", 0, 0.05},
		row{"lm358 follower at 5 V follows 2.5 V", "VP p 0 5\nV1 in 0 2.5\nX1 in out p 0 out lm358\nRL out 0 10k\n.dc V1 2.5 2.5 1\n.meas dc x max v(out)", 2.499, 2.501},
		row{"ua741 at ±15 V on 2 kΩ, highest output [V]",
			supplies +
				"V1 in 0 1\nX1 in 0 p n out ua741\nRL out 0 2k\n.dc V1 1 1 1\n.meas dc x max v(out)", 13, 14},
		row{"ua741 supply current [A]", supplies + "V1 in 0 0\nX1 in out p n out ua741\nRL out 0 10k\n.dc V1 0 0 1\n.meas dc i max i(vp)\n.meas dc x param='-i'", 1.5e-3, 2.8e-3},
		row{"opamp with parameters of its own: bandwidth [Hz]", supplies + "V1 in 0 AC 1\nX1 in out p n out OPAMP gbw=100k slew=1meg\nRL out 0 10k\n.ac dec 50 100 10meg\n.meas ac x when vdb(out)=-3.0103", 95e3, 105e3},
		row{"without supplies nothing comes out [V]", "VP p 0 0\nV1 in 0 1\nX1 in out p 0 out ua741\nRL out 0 10k\n.dc V1 1 1 1\n.meas dc x max v(out)", -0.5, 0.5},
		row{"ua741 without supplies: current [A]", "VP p 0 0\nV1 in 0 1\nX1 in out p 0 out ua741\nRL out 0 10k\n.dc V1 1 1 1\n.meas dc i max i(vp)\n.meas dc x param='abs(i)'", 0, 5e-3},
		row{"tl072 Schmitt trigger switches at half its output [V]", supplies + "V1 in 0 0\nX1 p1 in p n out tl072\nR1 out p1 10k\nR2 p1 0 10k\n.dc V1 -10 10 0.1\n.meas dc x when v(out)=0", 6.6, 6.8},
		row{"ua741 inverting amplifier, ten times, overdriven: peak [V]", supplies + "V1 in 0 SIN(0 3 100)\nR1 in b 1k\nR2 b out 10k\nX1 0 b p n out ua741\n.tran 0.1m 20m\n.meas tran x max v(out)", 13.5, 14.1},
	)
	check(t, rows)
}
