package library

import (
	"fmt"
	"math"
)

// bipolarSheet holds the data-sheet values of a transistor.
type bipolarSheet struct {
	name, kind  string  // npn or pnp
	amps, volts float64 // test point: collector current [A], base-emitter voltage [V]
	beta        float64 // current gain at medium currents
	half        float64 // collector current [A] at which the gain has dropped to half
	// low collector current [A] at which the gain has dropped to two thirds of beta
	low         float64
	early       float64 // Early voltage [V] from the output conductance
	rb, rc      float64 // resistances [ohm]; rc follows from the saturation voltage
	cje, cjc    float64 // junction capacitances [F] at 0 V
	ft          float64 // transition frequency [Hz]
	at          float64 // collector current [A] at ft
	ts          float64 // storage time [s]
	description string
	sheet       string
}

var bipolarSheets = []bipolarSheet{
	{"2n2222", "npn", 0.15, 0.77, 260, 0.5, 20e-6, 120, 5, 0.4, 24e-12, 18e-12, 300e6,
		20e-3, 225e-9,
		"NPN switch, 40 V, 600 mA (2N2222A): gain 100 to 300 at 150 mA, 300 MHz",
		"onsemi P2N2222A/D"},
	{"2n2907", "pnp", 0.15, 0.79, 260, 0.5, 20e-6, 100, 5, 0.6, 30e-12, 18e-12, 200e6, 50e-3, 80e-9,
		"PNP switch, 60 V, 600 mA (2N2907A): gain 100 to 300 at 150 mA, 200 MHz",
		"onsemi P2N2907A/D"},
	{"2n3904", "npn", 10e-3, 0.71, 220, 60e-3, 30e-6, 100, 10, 1, 6.5e-12, 6.5e-12, 300e6,
		10e-3, 200e-9,
		"NPN, 40 V, 200 mA: gain 100 to 300 at 10 mA, 300 MHz", "onsemi 2N3903/D"},
	{"2n3906", "pnp", 10e-3, 0.72, 220, 60e-3, 20e-6, 70, 10, 1.5, 8e-12, 7.5e-12, 250e6,
		10e-3, 225e-9,
		"PNP, 40 V, 200 mA: gain 100 to 300 at 10 mA, 250 MHz", "onsemi 2N3906/D"},
	{"bc337", "npn", 0.1, 0.76, 290, 1, 50e-6, 100, 3, 0.4, 40e-12, 28e-12, 100e6, 10e-3, 300e-9,
		"NPN, 45 V, 800 mA (BC337-25): gain 160 to 400 at 100 mA, 100 MHz", "onsemi BC337/D"},
	{"bc547", "npn", 2e-3, 0.66, 310, 0.1, 10e-6, 70, 50, 1, 11e-12, 4.5e-12, 300e6, 10e-3, 400e-9,
		"NPN small signal, 45 V, 100 mA (BC547B): gain 200 to 450 at 2 mA, 300 MHz",
		"onsemi BC546/D"},
	{"bc557", "pnp", 2e-3, 0.66, 310, 0.1, 10e-6, 50, 50, 1, 13e-12, 10e-12, 150e6, 10e-3, 400e-9,
		"PNP small signal, 45 V, 100 mA (BC557B): gain 220 to 475 at 2 mA, 150 MHz",
		"onsemi BC556B/D"},
	{"bc548", "npn", 2e-3, 0.66, 310, 0.1, 10e-6, 70, 50, 1, 11e-12, 4.5e-12, 300e6, 10e-3, 400e-9,
		"NPN small signal, 30 V, 100 mA (BC548B): gain 200 to 450 at 2 mA, 300 MHz",
		"onsemi BC546/D"},
	{"bc558", "pnp", 2e-3, 0.66, 310, 0.1, 10e-6, 50, 50, 1, 13e-12, 10e-12, 150e6, 10e-3, 400e-9,
		"PNP small signal, 30 V, 100 mA (BC558B): gain 220 to 475 at 2 mA, 150 MHz",
		"onsemi BC556B/D"},
	{"bc327", "pnp", 0.1, 0.76, 290, 1, 50e-6, 80, 3, 0.4, 40e-12, 28e-12, 100e6, 10e-3, 300e-9,
		"PNP, 45 V, 800 mA (BC327-25): gain 160 to 400 at 100 mA, 100 MHz", "Philips BC327"},
	{"2n4401", "npn", 0.15, 0.80, 260, 0.5, 20e-6, 100, 5, 0.6, 25e-12, 12e-12, 280e6,
		20e-3, 225e-9,
		"NPN, 40 V, 600 mA: gain 100 to 300 at 150 mA, 250 MHz min", "onsemi 2N4401/D"},
	{"2n4403", "pnp", 0.15, 0.82, 260, 0.5, 20e-6, 90, 5, 0.6, 25e-12, 15e-12, 240e6, 20e-3, 225e-9,
		"PNP, 40 V, 600 mA: gain 100 to 300 at 150 mA, 200 MHz min", "onsemi 2N4403/D"},
	{"2n5551", "npn", 10e-3, 0.70, 190, 0.1, 30e-6, 200, 10, 1.5, 15e-12, 8e-12, 180e6,
		10e-3, 500e-9,
		"NPN high voltage, 160 V, 600 mA: gain 80 to 250 at 10 mA, 100 to 300 MHz",
		"onsemi 2N5550/D"},
	{"2n5401", "pnp", 10e-3, 0.71, 150, 0.1, 30e-6, 150, 10, 2, 18e-12, 9e-12, 180e6, 10e-3, 500e-9,
		"PNP high voltage, 150 V, 600 mA: gain 60 to 240 at 10 mA, 100 to 300 MHz",
		"onsemi 2N5401/D"},
	{"bd139", "npn", 0.15, 0.72, 130, 1.5, 0.5e-3, 150, 5, 0.2, 120e-12, 60e-12, 190e6,
		50e-3, 800e-9,
		"NPN power, 80 V, 1.5 A (BD139-10): gain 63 to 160 at 150 mA, 190 MHz",
		"Philips BD135; BD137; BD139"},
	{"bd140", "pnp", 0.15, 0.73, 130, 1.5, 0.5e-3, 100, 5, 0.2, 140e-12, 80e-12, 160e6,
		50e-3, 800e-9,
		"PNP power, 80 V, 1.5 A (BD140-10): gain 63 to 160 at 150 mA, 160 MHz",
		"Philips BD136; BD138; BD140"},
	{"tip31", "npn", 1, 0.80, 90, 2, 5e-3, 100, 1, 0.1, 400e-12, 250e-12, 3e6, 0.5, 1.5e-6,
		"NPN power, 3 A: gain at least 25 at 1 A and 10 to 50 at 3 A, 3 MHz", "onsemi TIP31A/D"},
	{"tip32", "pnp", 1, 0.82, 90, 2, 5e-3, 80, 1, 0.1, 400e-12, 250e-12, 3e6, 0.5, 1.5e-6,
		"PNP power, 3 A: gain at least 25 at 1 A and 10 to 50 at 3 A, 3 MHz", "onsemi TIP31A/D"},
	{"tip42", "pnp", 3, 0.92, 90, 4, 10e-3, 80, 1, 0.08, 600e-12, 400e-12, 3e6, 0.5, 1.5e-6,
		"PNP power, 6 A: gain at least 30 at 0.3 A and 15 to 75 at 3 A, 3 MHz", "onsemi TIP41A/D"},
	{"tip41", "npn", 3, 0.90, 90, 4, 10e-3, 100, 1, 0.08, 600e-12, 400e-12, 3e6, 0.5, 1.5e-6,
		"NPN power, 6 A: gain at least 30 at 0.3 A and 15 to 75 at 3 A, 3 MHz", "onsemi TIP41A/D"},
}

func bipolarParts() []Part {
	var out []Part
	for _, b := range bipolarSheets {
		out = append(out, b.part())
	}
	return out
}

// part creates a Gummel-Poon model. With the knee current IKF the gain is BF/(1 + Ic/IKF), so IKF
// is the current at half gain. The collector current at a given voltage is reduced by the same
// factor. ISE with NE = 1.5 makes the base-emitter leakage half of the ideal base current at the
// collector current low, where the gain is two thirds. TF is 1/(2π·fT) minus the time constants of
// Vt/Ic with the junction capacitances, and at least 30 % of 1/(2π·fT).
func (b *bipolarSheet) part() Part {
	const ne = 1.5
	ib := b.amps / b.beta * (1 + b.amps/b.half)
	is := b.amps * (1 + b.amps/b.half) * math.Exp(-(b.volts-ib*b.rb)/vt)
	ise := 0.5 * is / b.beta * math.Pow(b.low/is, 1-1/ne)
	tf := 1/(2*math.Pi*b.ft) - vt/b.at*(1.5*b.cje+0.6*b.cjc)
	tf = math.Max(tf, 0.3/(2*math.Pi*b.ft))
	model := fmt.Sprintf("%s(is=%.5g bf=%g vaf=%g ikf=%g ise=%.5g ne=%g br=4 nc=2 rb=%g rc=%g cje=%g vje=0.75 mje=0.35 cjc=%g vjc=0.75 mjc=0.33 fc=0.5 tf=%.4g tr=%g xtb=1.5 eg=1.11 xti=3)",
		b.kind, is, b.beta, b.early, b.half, ise, ne, b.rb, b.rc, b.cje, b.cjc, tf, b.ts)
	return semiconductor(b.kind, b.name, model, "Q1 c b e", []string{"collector c", "base b",
		"emitter e"}, b.description, b.sheet)
}
