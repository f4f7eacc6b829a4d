package library

import "fmt"

// mosfetSheet holds the data-sheet values of a MOSFET. Drain currents, voltages and
// transconductances are positive for both polarities.
type mosfetSheet struct {
	name, kind       string  // nmos or pmos
	vth              float64 // threshold voltage [V]
	kp               float64 // gfs²/(2·Id) [A/V²] from the transconductance gfs
	rd               float64 // on-resistance minus channel resistance [ohm]
	ciss, coss, crss float64 // capacitances [F] at 25 V
	is               float64 // saturation current [A] of the body diode
	description      string
	sheet            string
}

var mosfetSheets = []mosfetSheet{
	{"2n7000", "nmos", 2.1, 0.3, 0.7, 20e-12, 11e-12, 4e-12, 1e-13,
		"N-channel, 60 V, 200 mA: threshold 2.1 V, 1.2 Ω at 10 V (5 Ω max), gfs 320 mS at 200 mA", "onsemi 2N7000/2N7002 series"},
	{"bs170", "nmos", 2.1, 0.3, 0.7, 24e-12, 17e-12, 7e-12, 1e-13,
		"N-channel, 60 V, 500 mA: threshold 2.1 V, 1.2 Ω at 10 V (5 Ω max), gfs 320 mS at 200 mA", "onsemi BS170/MMBF170"},
	{"irf540", "nmos", 3.2, 6, 0.035, 1700e-12, 560e-12, 120e-12, 1e-12,
		"N-channel power, 100 V, 28 A: threshold 2 to 4 V, 77 mΩ max at 10 V, gfs 8.7 S min at 17 A", "Vishay IRF540"},
	{"irf520", "nmos", 3.2, 2, 0.12, 360e-12, 150e-12, 34e-12, 1e-12,
		"N-channel power, 100 V, 9.2 A: threshold 2 to 4 V, 270 mΩ max at 10 V, gfs 2.7 S min at 5.5 A", "Vishay IRF520"},
	{"irf530", "nmos", 3.2, 4, 0.07, 670e-12, 250e-12, 60e-12, 1e-12,
		"N-channel power, 100 V, 14 A: threshold 2 to 4 V, 160 mΩ max at 10 V, gfs 5.1 S min at 8.4 A", "Vishay IRF530"},
	{"irf640", "nmos", 3.2, 5, 0.10, 1300e-12, 430e-12, 130e-12, 1e-12,
		"N-channel power, 200 V, 18 A: threshold 2 to 4 V, 180 mΩ max at 10 V, gfs 6.7 S min at 11 A", "Vishay IRF640"},
	{"irfz44n", "nmos", 3.2, 18, 0.005, 1470e-12, 360e-12, 88e-12, 1e-12,
		"N-channel power, 55 V, 49 A: threshold 2 to 4 V, 17.5 mΩ max at 10 V, gfs 19 S min at 25 A", "Infineon IRFZ44N"},
	{"bss138", "nmos", 1.3, 0.6, 0.5, 27e-12, 13e-12, 6e-12, 1e-13,
		"N-channel, 50 V, 220 mA: threshold 0.8 to 1.5 V, 3.5 Ω max at 10 V, gfs 120 mS min at 220 mA", "onsemi BSS138"},
	{"irlz44", "nmos", 1.6, 26, 0.009, 3300e-12, 1200e-12, 200e-12, 3e-12,
		"N-channel logic-level power, 60 V, 50 A: threshold 1 to 2 V, 28 mΩ max at 5 V, gfs 23 S min at 31 A", "Vishay IRLZ44"},
	{"irf9540", "pmos", 3.3, 3, 0.09, 1400e-12, 590e-12, 140e-12, 1e-12,
		"P-channel power, -100 V, -19 A: threshold -2 to -4 V, 200 mΩ max at -10 V, gfs 5.3 S min at 11 A", "Vishay IRF9540"},
}

func mosfetParts() []Part {
	var out []Part
	for _, m := range mosfetSheets {
		out = append(out, m.part())
	}
	return out
}

// part creates a level-1 model with W/L = 1 (both 100 µm by default), so KP applies to the whole
// transistor. The overlap capacitances per meter of width are Cgs = Ciss - Crss and Cgd = Crss,
// divided by 1e-4 m. The remainder of Coss belongs to the body diode. The factor (1 + 25/0.8)^0.5
// converts it from 25 V to 0 V.
func (m *mosfetSheet) part() Part {
	const width = 1e-4
	vth := m.vth
	if m.kind == "pmos" {
		vth = -vth
	}
	model := fmt.Sprintf(
		"%s(level=1 vto=%g kp=%g lambda=0.003 rd=%g is=%g cgso=%.4g cgdo=%.4g cbd=%.4g pb=0.8)",
		m.kind, vth, m.kp, m.rd, m.is, (m.ciss-m.crss)/width, m.crss/width, (m.coss-m.crss)*5.68)
	return semiconductor(m.kind, m.name, model, "M1 d g s s",
		[]string{"drain d", "gate g", "source s"}, m.description, m.sheet)
}
