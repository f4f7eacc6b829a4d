package library

import (
	"fmt"
	"strings"
)

// comparatorSheet holds the data-sheet values of a comparator with open-collector output.
type comparatorSheet struct {
	name    string
	emitter bool // the emitter of the output transistor has a pin
	// The output sinks the current sink·tanh(v/knee) [A] at the voltage v [V].
	sink, knee  float64
	response    float64 // response time [s] to a 100 mV step with 5 mV overdrive
	supply      float64 // supply current [A] from vcc to vee
	ground      float64 // supply current [A] from vcc to the emitter
	description string
	sheet       string
}

var comparatorSheets = []comparatorSheet{
	{"lm393", false, 16.5e-3, 1, 1.3e-6, 0.4e-3, 0,
		"Comparator, open collector: 1.3 µs at 5 mV overdrive, 0.25 V at 4 mA, sinks 16 mA",
		"Texas Instruments LM393-N (SNOSBJ6)"},
	{"lm339", false, 16.5e-3, 1, 1.3e-6, 0.2e-3, 0,
		"Comparator, open collector: 1.3 µs at 5 mV overdrive, 0.25 V at 4 mA, sinks 16 mA",
		"Texas Instruments LM339-N (SNOSBJ3)"},
	{"lm311", true, 150e-3, 2.14, 0.2e-6, 4.1e-3, 1e-3,
		"Comparator, open collector and emitter: 200 ns at 5 mV overdrive, 0.75 V at 50 mA",
		"Philips LM111, LM211, LM311"},
}

func comparatorParts() []Part {
	var out []Part
	for _, c := range comparatorSheets {
		p := Part{Name: c.name, Kind: "comparator", Use: "X1 inp inn vcc vee out " + c.name,
			Pins: []string{"non-inverting input inp", "inverting input inn",
				"positive supply vcc", "negative supply vee", "output out"},
			Description: c.description, Sheet: c.sheet}
		nodes, emitter := "inp inn vcc vee out", "vee"
		if c.emitter {
			nodes, emitter = nodes+" com", "com"
			p.Pins, p.Use = append(p.Pins, "emitter com"), "X1 "+nodes+" "+c.name
		}
		p.text = fmt.Sprintf(
			".subckt %s %s params: sink=%g knee=%g tau=%g supply=%g ground=%g\n%s.ends\n",
			c.name, nodes, c.sink, c.knee, c.response/comparatorDelay, c.supply, c.ground,
			strings.ReplaceAll(comparatorBody, "EMITTER", emitter))
		out = append(out, p)
	}
	return out
}

// comparatorDelay is the response time divided by the time constant of node x: about -ln(1 - 0.42).
// At 0.42 V the output sinks the load current of the data sheet, which is 4 % of its maximum.
const comparatorDelay = 0.549

// comparatorBody is the netlist of a comparator. Node t is 1 V if the inverting input is higher and
// 0 V otherwise. Node x follows with the delay, and BO sinks the output current. The gain is 200
// V/mV at 15 kΩ as in the data sheets. The response time does not depend on the overdrive. The
// input range, offset and bias current are not modelled.
const comparatorBody = `RIN inp inn 1g
BT t 0 V={0.5+0.5*tanh(1400*v(inn,inp))}
RT t x 1k
CX x 0 {tau/1k}
BO out EMITTER I={sink*tanh(v(out,EMITTER)/knee)/(1+exp(40*(0.5-v(x))))}
IQ vcc vee {supply}
IG vcc EMITTER {ground}
`

// gateSheet holds the data-sheet values of one gate of a 74HC circuit.
type gateSheet struct {
	name        string
	inputs      int
	logic       string  // function of the inputs SA and SB, which range from 0 to 1
	delay       float64 // propagation delay [s] at 4.5 V and 50 pF
	description string
	sheet       string
}

var gateSheets = []gateSheet{
	{"74hc00", 2, "1-SA*SB", 9e-9, "NAND gate", "Nexperia 74HC00"},
	{"74hc02", 2, "(1-SA)*(1-SB)", 9e-9, "NOR gate", "Nexperia 74HC02"},
	{"74hc04", 1, "1-SA", 9e-9, "Inverter", "NXP 74HC04-Q100, rev. 2"},
	{"74hc08", 2, "SA*SB", 9e-9, "AND gate", "Nexperia 74HC08"},
	{"74hc14", 1, "1-SA", 15e-9, "Inverter with Schmitt trigger, 1.53 and 2.36 V at 4.5 V",
		"Nexperia 74HC14; thresholds: NXP 74HC1G14"},
	{"74hc32", 2, "1-(1-SA)*(1-SB)", 8e-9, "OR gate", "Nexperia 74HC32"},
	{"74hc86", 2, "SA+SB-2*SA*SB", 14e-9, "Exclusive-OR gate", "Nexperia 74HC86"},
}

// The thresholds of the Schmitt trigger are those of the 74HC1G14 at 4.5 V, relative to the supply.
const (
	schmittLow  = 1.53 / 4.5
	schmittHigh = 2.36 / 4.5
)

func gateParts() []Part {
	var out []Part
	for _, g := range gateSheets {
		names := []string{"a", "b"}[:g.inputs]
		logic, body := g.logic, ""
		var pins []string
		for _, n := range names {
			high := fmt.Sprintf("1/(1+exp(20*(0.5*v(vcc,com)-v(%s,com))))", n)
			if g.name == "74hc14" {
				// The finite slope of the transition shifts each threshold by ln(4·100·0.83)/100 V
				// toward the other. The levels in the formula compensate for this shift.
				high = fmt.Sprintf("1/(1+exp(100*(v(vcc,com)*(%.6g+%.6g*v(x))-v(a,com))))",
					schmittLow-0.012, schmittHigh-schmittLow+0.024)
			}
			logic = strings.ReplaceAll(logic, "S"+strings.ToUpper(n), high)
			body += "C" + n + " " + n + " com 3.5p\n"
			pins = append(pins, "input "+n)
		}
		nodes := strings.Join(names, " ") + " vcc com y"
		out = append(out, Part{Name: g.name, Kind: "logic", Use: "X1 " + nodes + " " + g.name,
			Pins: append(pins, "positive supply vcc", "ground com", "output y"),
			Description: fmt.Sprintf("%s, one of the package: %g ns at 4.5 V and 50 pF, 40 Ω of output resistance, thresholds in proportion to the supply",
				g.description, g.delay*1e9),
			Sheet: g.sheet,
			text: fmt.Sprintf(".subckt %s %s params: tau=%g rout=40\n%sBT t 0 V={%s}\n%s.ends\n",
				g.name, nodes, (g.delay-outputDelay)/gateDelay, body, logic, gateOutput)})
	}
	return out
}

// The propagation delay of a gate is the sum of two delays. Node x reaches half its final value
// after ln 2 times its time constant. The output resistance of 40 Ω with the 50 pF of the data
// sheet causes the other delay.
const (
	gateDelay   = 0.693
	outputDelay = 2e-9 // s
)

// gateOutput delays the logic level of node t and drives the output. The output resistance is the
// mean for both levels in the data sheets, 0.15 and 0.18 V at 4 mA. The delay does not depend on
// the supply voltage, and the output current does not flow through the supply pins.
const gateOutput = `RT t x 1k
CX x 0 {tau/1k}
BO o com V={v(vcc,com)/(1+exp(20*(0.5-v(x))))}
RO o y {rout}
`

// optocouplerParts returns the photocouplers. The base current of the phototransistor is
// proportional to the LED current, with a factor from the current transfer ratio and the gain. The
// gain and transit time fit the rise time at 100 Ω. The collector capacitance fits the rise time at
// a large load resistance.
func optocouplerParts() []Part {
	return []Part{
		{Name: "pc817", Kind: "optocoupler", Use: "X1 a k c e pc817",
			Pins:        []string{"anode a", "cathode k", "collector c", "emitter e"},
			Description: "Photocoupler: 100 % at 5 mA and 5 V (50 to 600 %), 1.2 V at 20 mA, rise time 4 µs at 2 mA and 100 Ω",
			Sheet:       "Sharp PC817 series",
			text: `.subckt pc817 a k c e params: ctr=1
D1 a m dled
VS m k 0
FB c b VS {ctr/400}
Q1 c b e qphoto
.model dled d(is=7e-14 n=1.7 rs=2 cjo=30p)
.model qphoto npn(is=1e-14 bf=400 br=5 vaf=300 tf=3.6n cjc=11p mjc=0.4 cje=10p)
.ends
`},
		{Name: "4n25", Kind: "optocoupler", Use: "X1 a k c b e 4n25",
			Pins:        []string{"anode a", "cathode k", "collector c", "base b", "emitter e"},
			Description: "Photocoupler with base pin: 70 % at 10 mA and 10 V (20 % at least), 1.15 V at 10 mA, rise time 1.2 µs at 10 mA and 100 Ω",
			Sheet:       "Motorola 4N25 to 4N28",
			text: `.subckt 4n25 a k c b e params: ctr=0.7
D1 a m dled
VS m k 0
FB c b VS {ctr/500}
Q1 c b e qphoto
.model dled d(is=6e-14 n=1.7 rs=1 cjo=18p)
.model qphoto npn(is=1e-14 bf=500 br=5 vaf=300 tf=0.4n cjc=19p mjc=0.5 cje=9p)
.ends
`},
	}
}
