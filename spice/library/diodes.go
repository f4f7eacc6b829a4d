package library

import (
	"fmt"
	"math"
)

// vt is the thermal voltage kT/q [V] at 27 °C.
const vt = 0.0258649

// diodeSheet holds the data-sheet values of a diode.
type diodeSheet struct {
	name, kind  string
	amps, volts float64 // forward current [A] and typical forward voltage [V] at this current
	n, rs       float64 // emission coefficient and series resistance [ohm]
	farads      float64 // capacitance [F] at 0 V
	vj, m       float64 // built-in potential [V] and grading coefficient of the capacitance
	tt          float64 // transit time [s] from the reverse recovery time
	eg, xti     float64 // energy gap [eV] and temperature exponent of the saturation current
	bv, ibv     float64 // reverse or Zener voltage [V] and the current [A] at this voltage
	description string
	sheet       string
}

const (
	silicon  = 1.11 // EG of a silicon junction [eV]
	schottky = 0.69 // EG of a Schottky junction [eV]
)

// diodeSheets holds typical forward voltages read from the curves, within the tabulated limits.
// Capacitances are converted from the reverse voltage V of the table to 0 V by the factor (1 +
// V/vj)^m. The transit time is trr/ln(1 + If/Ir) at the test currents.
var diodeSheets = []diodeSheet{
	{"1n4148", "diode", 10e-3, 0.72, 1.9, 0.8, 4e-12, 0.7, 0.3, 12e-9, silicon, 3, 100, 5e-6,
		"Switching diode, 100 V, 200 mA: 0.72 V at 10 mA (1 V max), 4 pF, recovery 4 ns",
		"Nexperia 1N4148; 1N4448, high-speed diodes"},
	{"1n5817", "diode", 1, 0.40, 1.05, 0.05, 415e-12, 0.4, 0.5, 0, schottky, 2, 20, 1e-3,
		"Schottky rectifier, 20 V, 1 A: 0.40 V at 1 A (0.45 V max), 125 pF at 4 V",
		"Vishay 1N5817, 1N5818, 1N5819"},
	{"1n5819", "diode", 1, 0.47, 1.05, 0.08, 365e-12, 0.4, 0.5, 0, schottky, 2, 40, 1e-3,
		"Schottky rectifier, 40 V, 1 A: 0.47 V at 1 A (0.60 V max), 110 pF at 4 V",
		"Vishay 1N5817, 1N5818, 1N5819"},
	{"1n914", "diode", 10e-3, 0.76, 1.9, 0.8, 4e-12, 0.7, 0.3, 12e-9, silicon, 3, 100, 5e-6,
		"Switching diode, 100 V, 200 mA: 1 V max at 10 mA, 4 pF, recovery 4 ns",
		"onsemi 1N91x, 1N4x48, FDLL914"},
	{"1n4448", "diode", 5e-3, 0.67, 1.9, 0.6, 4e-12, 0.7, 0.3, 12e-9, silicon, 3, 100, 5e-6,
		"Switching diode, 100 V, 200 mA: 0.62 to 0.72 V at 5 mA, 1 V max at 100 mA, recovery 4 ns", "Nexperia 1N4148; 1N4448, high-speed diodes"},
	{"1n5818", "diode", 1, 0.44, 1.05, 0.06, 400e-12, 0.4, 0.5, 0, schottky, 2, 30, 1e-3,
		"Schottky rectifier, 30 V, 1 A: 0.44 V at 1 A (0.55 V max), 110 pF at 4 V",
		"Vishay 1N5817, 1N5818, 1N5819"},
	{"1n5822", "diode", 3, 0.46, 1.05, 0.03, 1.2e-9, 0.4, 0.5, 0, schottky, 2, 40, 2e-3,
		"Schottky rectifier, 40 V, 3 A: 0.46 V at 3 A (0.525 V max)", "STMicroelectronics 1N582x"},
	{"ss14", "diode", 1, 0.45, 1.05, 0.07, 365e-12, 0.4, 0.5, 0, schottky, 2, 40, 0.2e-3,
		"Schottky rectifier, 40 V, 1 A: 0.45 V at 1 A (0.50 V max)", "Vishay SS12 to SS16"},
	{"bat85", "diode", 10e-3, 0.36, 1.05, 3, 18e-12, 0.4, 0.5, 0, schottky, 2, 30, 2e-6,
		"Schottky diode, 30 V, 200 mA: 0.36 V at 10 mA (0.40 V max), 10 pF max at 1 V",
		"Nexperia BAT85"},
	{"bat54", "diode", 10e-3, 0.36, 1.05, 2.4, 15e-12, 0.4, 0.5, 0, schottky, 2, 30, 2e-6,
		"Schottky diode, 30 V, 200 mA: 0.36 V at 10 mA (0.40 V max), 8 pF at 1 V",
		"Nexperia BAT54 series"},
	{"1n4733", "zener", 0.2, 1.0, 1.5, 1.2, 300e-12, 0.75, 0.4, 0, silicon, 3, 5.1, 49e-3,
		"Zener diode, 1 W: 5.1 V at 49 mA (4.85 to 5.36 V)", "Vishay 1N4728A to 1N4764A"},
	{"bzx84c5v1", "zener", 10e-3, 0.85, 2, 10, 300e-12, 0.75, 0.4, 0, silicon, 3, 5.1, 5e-3,
		"Zener diode, 250 mW: 5.1 V at 5 mA (4.8 to 5.4 V), about 20 Ω there (60 Ω max)",
		"Nexperia BZX84 series"},
	{"led_red", "led", 20e-3, 2.0, 2, 4, 15e-12, 1.5, 0.4, 0, 0, 3, 5, 10e-6,
		"Red LED, 5 mm: 2.0 V at 20 mA (2.5 V max)", "Kingbright WP7113ID"},
	{"led_green", "led", 20e-3, 2.2, 2, 8, 15e-12, 1.5, 0.4, 0, 0, 3, 5, 10e-6,
		"Green LED (GaP), 5 mm: 2.2 V at 20 mA (2.5 V max)", "Kingbright WP7113GD"},
	{"led_yellow", "led", 20e-3, 2.1, 2, 6, 20e-12, 1.5, 0.4, 0, 0, 3, 5, 10e-6,
		"Yellow LED, 5 mm: 2.1 V at 20 mA (2.5 V max)", "Kingbright WP7113YD"},
	{"led_blue", "led", 20e-3, 3.3, 3.5, 12, 100e-12, 2.5, 0.4, 0, 0, 3, 5, 50e-6,
		"Blue LED (InGaN), 5 mm: 3.3 V at 20 mA (4.0 V max)", "Kingbright WP7113QBC/D"},
	{"led_white", "led", 20e-3, 3.2, 3.5, 10, 100e-12, 2.5, 0.4, 0, 0, 3, 5, 50e-6,
		"White LED (InGaN), 5 mm: 3.2 V at 20 mA (4.0 V max)", "Cree C535A-WJN"},
}

// rectifiers lists the reverse voltages [V] of 1N4001 to 1N4007, which are otherwise identical.
var rectifiers = [...]float64{50, 100, 200, 400, 600, 800, 1000} // V

func diodeParts() []Part {
	var out []Part
	for _, d := range diodeSheets {
		out = append(out, d.part())
	}
	for i, v := range rectifiers {
		d := diodeSheet{fmt.Sprintf("1n400%d", i+1), "diode", 1, 0.93, 1.8, 0.04, 31e-12, 0.75, 0.4,
			4.3e-6, silicon, 3, v, 5e-6,
			fmt.Sprintf(
				"Rectifier, %g V, 1 A: 0.93 V at 1 A (1.1 V max), 15 pF at 4 V, recovery 2 µs", v),
			"Vishay 1N4001 to 1N4007"}
		out = append(out, d.part())
	}
	return out
}

// part creates the model. The saturation current I·exp(-(V - I·rs)/(n·Vt)) follows from the forward
// voltage V at the current I. The Zener voltage applies at the terminals, so the voltage drop
// across rs is subtracted.
func (d *diodeSheet) part() Part {
	junction := d.volts - d.amps*d.rs
	is := d.amps * math.Exp(-junction/(d.n*vt))
	if d.eg == 0 {
		// For an LED, EG is chosen so that dV/dT = (V - EG - XTI·Vt)/T is -2 mV/K.
		d.eg = junction + 0.002*300.15 - d.xti*vt
	}
	model := fmt.Sprintf(
		"d(is=%.6g n=%g rs=%g cjo=%g vj=%g m=%g tt=%g eg=%.4g xti=%g bv=%.6g ibv=%g)",
		is, d.n, d.rs, d.farads, d.vj, d.m, d.tt, d.eg, d.xti, d.bv-d.ibv*d.rs, d.ibv)
	return semiconductor(d.kind, d.name, model, "D1 a k", []string{"anode a", "cathode k"},
		d.description, d.sheet)
}
