package library

import "fmt"

// zenerSheet holds the tabulated values of a Zener diode.
type zenerSheet struct {
	name   string
	volts  float64 // Zener voltage [V] at amps
	lo, hi float64 // limits of the Zener voltage [V]
	amps   float64 // test current [A]
	ohms   float64 // largest differential resistance [ohm] at amps
	farads float64 // capacitance [F] at 0 V
}

// oneWatt lists the 1N4728A to 1N4751A except the 1N4733A, all ±5 %. The data sheet does not state
// the capacitance, which is estimated from that of the 1N4733 in inverse proportion to the voltage.
var oneWatt = [...]struct{ volts, amps, ohms float64 }{
	{3.3, 76e-3, 10}, {3.6, 69e-3, 10}, {3.9, 64e-3, 9}, {4.3, 58e-3, 9}, {4.7, 53e-3, 8}, {},
	{5.6, 45e-3, 5}, {6.2, 41e-3, 2}, {6.8, 37e-3, 3.5}, {7.5, 34e-3, 4}, {8.2, 31e-3, 4.5},
	{9.1, 28e-3, 5},
	{10, 25e-3, 7}, {11, 23e-3, 8}, {12, 21e-3, 9}, {13, 19e-3, 10}, {15, 17e-3, 14},
	{16, 15.5e-3, 16},
	{18, 14e-3, 20}, {20, 12.5e-3, 22}, {22, 11.5e-3, 23}, {24, 10.5e-3, 25}, {27, 9.5e-3, 35},
	{30, 8.5e-3, 40},
}

// quarterWatt lists the BZX84 series with ±5 % at 5 mA.
var quarterWatt = [...]zenerSheet{
	{"bzx84c3v3", 3.3, 3.1, 3.5, 5e-3, 95, 450e-12}, {"bzx84c3v6", 3.6, 3.4, 3.8, 5e-3,
		90, 450e-12},
	{"bzx84c3v9", 3.9, 3.7, 4.1, 5e-3, 90, 450e-12}, {"bzx84c4v7", 4.7, 4.4, 5.0, 5e-3,
		80, 300e-12},
	{"bzx84c5v6", 5.6, 5.2, 6.0, 5e-3, 40, 300e-12}, {"bzx84c6v2", 6.2, 5.8, 6.6, 5e-3,
		10, 200e-12},
	{"bzx84c6v8", 6.8, 6.4, 7.2, 5e-3, 15, 200e-12}, {"bzx84c7v5", 7.5, 7.0, 7.9, 5e-3,
		15, 150e-12},
	{"bzx84c8v2", 8.2, 7.7, 8.7, 5e-3, 15, 150e-12}, {"bzx84c9v1", 9.1, 8.5, 9.6, 5e-3,
		15, 150e-12},
	{"bzx84c10", 10, 9.4, 10.6, 5e-3, 20, 90e-12}, {"bzx84c12", 12, 11.4, 12.7, 5e-3, 25, 85e-12},
	{"bzx84c15", 15, 13.8, 15.6, 5e-3, 30, 75e-12}, {"bzx84c18", 18, 16.8, 19.1, 5e-3, 45, 70e-12},
	{"bzx84c24", 24, 22.8, 25.6, 5e-3, 70, 55e-12},
}

func zenerParts() []Part {
	var out []Part
	for k, z := range oneWatt {
		if z.volts == 0 {
			continue // 1N4733 is in diodeSheets
		}
		s := zenerSheet{fmt.Sprintf("1n%d", 4728+k), z.volts, 0.95 * z.volts, 1.05 * z.volts,
			z.amps, z.ohms, 300e-12 * 5.1 / z.volts}
		d := s.diode(0.2, 1.0, 1.2)
		d.description, d.sheet = "Zener diode, 1 W: "+s.words(), "Vishay 1N4728A to 1N4764A"
		out = append(out, d.part())
	}
	for _, s := range quarterWatt {
		d := s.diode(10e-3, 0.85, 10)
		d.description, d.sheet = "Zener diode, 250 mW: "+s.words(), "Nexperia BZX84 series"
		out = append(out, d.part())
	}
	return out
}

func (z *zenerSheet) words() string {
	return fmt.Sprintf("%g V at %g mA (%.4g to %.4g V), at most %g Ω there", z.volts, z.amps*1e3,
		z.lo, z.hi, z.ohms)
}

// diode returns the model for a forward voltage [V] at a current [A]. The differential resistance
// at the test current is n·Vt/I + rs. The target is 60 % of the largest value. n is 1.5, or 1 if
// n·Vt/I would exceed the target. rs is limited to the range from 0.01 ohm to mostOhms.
func (z *zenerSheet) diode(amps, volts, mostOhms float64) diodeSheet {
	n, typical := 1.5, 0.6*z.ohms
	if n*vt/z.amps > typical {
		n = 1
	}
	rs := min(max(typical-n*vt/z.amps, 0.01), mostOhms)
	return diodeSheet{z.name, "zener", amps, volts, n, rs, z.farads, 0.75, 0.4, 0, silicon, 3,
		z.volts, z.amps, "", ""}
}
