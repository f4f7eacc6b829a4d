package library

import "fmt"

// opampSheet holds the data-sheet values of one operational amplifier.
type opampSheet struct {
	name        string
	gain        float64 // open-loop gain [V/V]
	gbw         float64 // gain-bandwidth product [Hz]
	slew        float64 // slew rate [V/s]
	high, low   float64 // distance [V] of the output swing from the positive and negative supply
	short       float64 // short-circuit current [A]
	rin         float64 // differential input resistance [ohm]
	supply      float64 // quiescent current [A]
	description string
	sheet       string
}

var opampSheets = []opampSheet{
	{"tl072", 200e3, 3e6, 13e6, 1.5, 1.5, 26e-3, 1e12, 1.4e-3,
		"JFET-input op-amp: 3 MHz, 13 V/µs, output ±13.5 V at ±15 V",
		"Texas Instruments TL071, TL072, TL074 (SLOS080)"},
	{"tl082", 200e3, 3e6, 13e6, 1.5, 1.5, 26e-3, 1e12, 1.4e-3,
		"JFET-input op-amp: 3 MHz, 13 V/µs, output ±13.5 V at ±15 V",
		"Texas Instruments TL081, TL082, TL084 (SLOS081)"},
	{"lm358", 100e3, 1e6, 0.6e6, 1.5, 0.02, 40e-3, 10e6, 0.35e-3,
		"Single-supply op-amp: 1 MHz, 0.6 V/µs, output from 20 mV above the negative to 1.5 V below the positive supply", "onsemi LM358/D"},
	{"lm324", 100e3, 1.2e6, 0.5e6, 1.5, 0.02, 40e-3, 10e6, 0.18e-3,
		"Single-supply op-amp: 1.2 MHz, 0.5 V/µs, output from 20 mV above the negative to 1.5 V below the positive supply", "Texas Instruments LM124, LM224, LM324 (SLOS066)"},
	{"ne5532", 100e3, 10e6, 9e6, 2, 2, 38e-3, 300e3, 4e-3,
		"Low-noise audio op-amp: 10 MHz, 9 V/µs, output ±13 V at ±15 V",
		"Texas Instruments NE5532 (SLOS075)"},
	{"ua741", 200e3, 1e6, 0.5e6, 1, 1, 25e-3, 2e6, 1.7e-3,
		"General-purpose op-amp: 1 MHz, 0.5 V/µs, output ±14 V at ±15 V",
		"Texas Instruments uA741 (SLOS094)"},
	{"opamp", 1e6, 10e6, 10e6, 0.05, 0.05, 50e-3, 1e12, 1e-3,
		"Generic op-amp: 10 MHz, 10 V/µs, output to 50 mV from either supply; every parameter can be given, as in gbw=1meg slew=1meg gain=1e5", "none; round figures"},
}

func opampParts() []Part {
	var out []Part
	for _, o := range opampSheets {
		out = append(out, Part{Name: o.name, Kind: "opamp", Use: "X1 inp inn vcc vee out " + o.name,
			Pins: []string{"non-inverting input inp", "inverting input inn",
				"positive supply vcc", "negative supply vee", "output out"},
			Description: o.description, Sheet: o.sheet,
			text: fmt.Sprintf(".subckt %s inp inn vcc vee out params: gain=%g gbw=%g slew=%g high=%g low=%g short=%g rin=%g supply=%g\n%s.ends\n",
				o.name, o.gain, o.gbw, o.slew, o.high, o.low, o.short, o.rin, o.supply, opampBody)})
	}
	return out
}

// opampBody is the netlist of the amplifier.
//
// GA and RA convert the input voltage to node a, which is 10 V at the onset of slewing for an input
// of slew/(2π·gbw). Two back-to-back Zener diodes limit node a. GB charges the capacitor cc in
// proportion to the voltage of a. Its current is at most slew·cc, and 2π·gbw·cc per input volt
// below that. RX sets the open-loop gain at DC.
//
// DH and DL clamp node x near the supplies, which prevents windup. vf is their voltage drop at the
// maximum current of GB. 0.05 V of it is across their series resistance, which limits their current
// if both conduct because the supplies are absent.
//
// EO and RO drive the output. If the drop across RO reaches vs, DP or DN divert the current of GB
// and limit the output to the short-circuit current. The quiescent current flows between the
// supplies. The output current comes from ground.
const opampBody = `.param cc=30p is=1e-12 top={slew*cc} vs={0.0258649*ln(top/is+1)} vf={vs+0.05}
RIN inp inn {rin}
GA 0 a inp inn {10*2*3.14159265359*gbw/slew/10k}
RA a 0 10k
DA1 m a dz
DA2 m 0 dz
GB 0 x a 0 {top/10}
RX x 0 {gain/(2*3.14159265359*gbw*cc)}
CX x 0 {cc}
DH x h dr
VH vcc h {high+vf}
DL l x dr
VL l vee {low+vf}
EO o 0 x 0 1
RO o out {vs/short}
DP x out dc
DN out x dc
IQ vcc vee {supply}
.model dz d(is=1e-14 bv=9.345 ibv=1m)
.model dc d(is={is} eg=0.5 xti=0)
.model dr d(is={is} eg=0.5 xti=0 rs={0.05/top})
`
