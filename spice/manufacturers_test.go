package spice

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestContinuedExpressions verifies expressions without braces that continue on + lines.
func TestContinuedExpressions(t *testing.T) {
	const p = "t\nV1 a 0 2 AC 1\nR1 b 0 1k\n"
	for name, c := range map[string]dialectCase{
		"comma before the line end": {p + "B1 0 b I=if(v(a)>0,\n+ 1m*v(a), -2m)\n.op\n.end",
			"v(b)", 0, 2, ""},
		"comma after the +": {p + "B1 0 b I=if(v(a)>0\n+, 1m*v(a), -2m)\n.op\n.end", "v(b)", 0, 2, ""},
		"sign after the +":  {p + "B1 b 0 V=min(5,\n+ -2,3)\n.op\n.end", "v(b)", 0, -2, ""},
		".param": {p + ".param x=min(5,\n+ -2,3) y=2\nV2 b 0 {x*y}\n.op\n.end", "v(b)", 0, -4,
			""},
		"parenthesis of .param": {p + ".param x=(1+\n+ 2) y=3\nV2 b 0 {x*y}\n.op\n.end", "v(b)", 0,
			9, ""},
		"commas between parameters": {p + ".param x=2,\n+ y=3\n+, z=4\nV2 b 0 {x*y*z}\n.op\n.end",
			"v(b)", 0, 24, ""},
		"= after the +": {p + ".param x\n+ = 5\nV2 b 0 {x}\n.op\n.end", "v(b)", 0, 5, ""},
		"parameter behind the expression": {p + ".param k=4m\n" +
			"B1 0 b I=IF(V(a) >\n+ 1,{k},0) Rpar=1k Cpar=1n\n.op\n.end", "v(b)", 0, 2, ""},
		"value=": {p + "E1 b 0 value=max(1,\n+3)\n.op\n.end", "v(b)", 0, 3, ""},
		"table":  {p + "B1 b 0 V=table(v(a),0,0,\n+ 1,1,\n+ 4 , 7)\n.op\n.end", "v(b)", 0, 3, ""},
		"limit":  {p + "B1 b 0 V=limit(v(a),\n+ -1,\n+ 1)\n.op\n.end", "v(b)", 0, 1, ""},
		"charge": {p + "R2 a c 1k\nC1 c 0 q=max(0.5,\n+1)*1u*x\n.ac lin 1 {500/pi} 1k\n.end",
			"v(c)_mag", 0, math.Sqrt(0.5), ""},
		"nojacob": {p + "B1 0 b I=1m*(v(a)+\n+ 1) NoJacob\n.op\n.end", "v(b)", 0, 3,
			"B1: nojacob of LTspice is ignored"},
		".ends with a comment": {p + "X1 b s\n.subckt s p\nI1 0 p 1m\n.ENDS* S\n.op\n.end", "v(b)", 0,
			1, ""},
	} {
		c.check(t, name)
	}
	for text, line := range map[string]int{
		".param x=2,\n+ y=\n+z=1":            5,
		".param x=2\n+ y=(1+\n+ 1) z=1+":     6,
		".param\n+ x=2\n+ y=1+":              6,
		"B1 b 0 V=v(a)+\n+ 1\n+ Rpar=absent": 6,
		"B1 b 0 V=v(a)+\n+ absent\n+ Rpar=1": 4,
		".param\n+\n+ 2x":                    6,
	} {
		_, err := Simulate(context.Background(), Request{Netlist: p + text + "\n.op\n.end"})
		var e *Error
		if !errors.As(err, &e) || e.Line != line {
			t.Errorf("%q: %v, want an error in line %d", text, err, line)
		}
	}
}

// TestGroundPins verifies node 0 and gnd in subcircuits with pins of these names, and repeated
// pins.
func TestGroundPins(t *testing.T) {
	const ldo = "t\nV1 g 0 7\nX1 a g ldo\nR1 a 0 1k\n.subckt ldo out GND\nV1 ref 0 1\n" +
		"E1 out GND value={v(ref)}\nR9 ref 0 1k\n.ends\n.op\n.end"
	const reference = "pin gnd of subcircuit ldo is node g, as in PSpice"
	const repeated = "t\nV1 a 0 1\nI1 0 c 1m\nR9 c 0 1k\nX1 a 0 c s\n.subckt s 1 2 1\nR1 1 2 1k\n" +
		".ends\n.op\n.end"
	for name, c := range map[string]dialectCase{
		"0 beside a pin gnd": {ldo, "v(x1.ref)", 0, 1, reference},
		"pin gnd":            {ldo, "v(a)", 0, 8, reference},
		"pin gnd at node 0": {strings.ReplaceAll(ldo, "a g ldo", "a 0 ldo"), "v(a)", 0, 1,
			""},
		"pin gnd of an inner subcircuit": {"t\nX1 a 0 s\n.subckt s p gnd\nV1 m gnd 3\nX2 p m u\n" +
			".ends\n.subckt u p gnd\nI1 0 p 1m\nR1 p gnd 1k\n.ends\n.op\n.end", "v(a)", 0, 4,
			"X2: pin gnd of subcircuit u is node x1.m"},
		"pin gnd with m=": {"t\nV1 g 0 7\nX1 a g s m=2\n.subckt s p gnd\nR1 p gnd 1k\nR2 p 0 1k\n" +
			".ends\n.op\n.end", "v(a)", 0, 3.5, "pin gnd of subcircuit s is node g"},
		"gnd without a pin": {"t\nX1 a s\n.subckt s p\nI1 gnd p 1m\nR1 p gnd 1k\n.ends\n.op\n.end",
			"v(a)", 0, 1, ""},
		"pin 0": {"t\nV1 g 0 7\nX1 a g s\nR1 a 0 1k\n.subckt s p 0\nV1 p 0 1\n.ends\n.op\n.end",
			"v(a)", 0, 1, "pin 0 of subcircuit s is ground, as in ngspice; node g is left open"},
		"pin 0 behind a pin gnd": {"t\nV1 g 0 7\nX1 a g s\nR1 a 0 1k\n.subckt s p gnd\nX2 p gnd u\n" +
			".ends\n.subckt u q 0\nV2 q 0 1\n.ends\n.op\n.end", "v(a)", 0, 1,
			"X2: pin 0 of subcircuit u is ground, as in ngspice; node g is left open"},
		"repeated pin": {repeated, "v(c)", 0, 1, "subcircuit s lists pin 1 twice; its first node"},
		"repeated pin at another node": {repeated, "i(v1)", 0, -1e-3,
			"X1: the repeated pin 1 of subcircuit s leaves node c open"},
		"repeated pin with m=": {"t\nV1 a 0 1\nX1 a 0 a s m=2\n.subckt s 1 2 1\nR1 1 2 1k\n.ends\n" +
			".op\n.end", "i(v1)", 0, -2e-3, "subcircuit s lists pin 1 twice"},
	} {
		c.check(t, name)
	}
	r := run(t, "t\nV1 g 0 1\nX1 g s\n.subckt s gnd\nX2 gnd s2\nR1 gnd 0 1k\n.ends\n.subckt s2 gnd\n"+
		"R1 gnd 0 1k\n.ends\n.op\n.end", "op")
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "X1: pin gnd of subcircuit s is") {
		t.Errorf("nested pins gnd: warnings %q", r.Warnings)
	}
}

// TestNodesInBrackets verifies that brackets are part of the names of nodes of Q. Only a name that
// is all in brackets is the substrate of PSpice.
func TestNodesInBrackets(t *testing.T) {
	vt := 1.380649e-23 / 1.602176634e-19 * 300.15
	// VBE gives the collector current.
	dialectCase{"t\nV1 s 0 5\nR1 s c[0] 1k\nV2 b[0] 0 0.7\nQ1 c[0] b[0] 0 q\n" +
		".model q npn(is=1f bf=100)\n.options gmin=0\n.op\n.end", "v(c[0])", 0,
		5 - 1e-12*math.Exp(0.7/vt), ""}.check(t, "buses")
	// The emitter current of 1 mA gives VBE.
	dialectCase{"t\nI1 e[1] 0 1m\nQ1 0 0 e[1] [0] q\n.model q npn(is=1f bf=1000)\n" +
		".options gmin=0\n.op\n.end", "v(e[1])", 0, -vt * math.Log(1e12/1.001), ""}.check(t, "emitter")
}

// TestTemperatureCoefficients verifies TC at 127 °C without a comma and without =. The resistance
// is 1 + 2m·100 + 10u·100² = 1.3 times its value.
func TestTemperatureCoefficients(t *testing.T) {
	for form, want := range map[string]float64{
		"1k TC 2m 10u": 1.3, "1k TC=2m 10u": 1.3, "1k TC = 2m , 10u": 1.3, "1k TC 2m,10u": 1.3,
		"1k TC=2m": 1.2, "1k TC 2m": 1.2, "{k} tc={a} {b}": 1.3, "R=1k TC=2m 10u": 1.3,
		"TC=2m 1k": 1.2, "TC=2m,10u 1k": 1.3, "1k tc=2m 10u m=2": 0.65, "m 1k TC 2m 10u": 1.3,
	} {
		dialectCase{"t\nI1 0 a 1m\nR1 a 0 " + form + "\n.param k=1k a=2m b=10u\n" +
			".model m r(rsh=1)\n.temp 127\n.op\n.end", "v(a)", 0, want, ""}.check(t, form)
	}
	dialectCase{"t\nV1 a 0 AC 1\nR1 a b 1k\nC1 b 0 1u TC 2m 10u\n.temp 127\n" +
		".ac lin 1 {500/pi/1.3} 1k\n.end", "v(b)_mag", 0, math.Sqrt(0.5), ""}.check(t, "C")
}

// TestFunctionsNamedAsCurrents verifies that .func may define functions with the names of currents.
func TestFunctionsNamedAsCurrents(t *testing.T) {
	const p = "t\nV1 a 0 2\nR1 b 0 1k\n"
	for name, c := range map[string]dialectCase{
		"ig": {p + ".func Ig(x,y) {x*y}\nB1 b 0 V={Ig(V(a),3)}\n.op\n.end", "v(b)", 0, 6,
			"the function ig of .func replaces the built-in one"},
		"id with one argument": {p + ".func id(x) {x+1}\nB1 b 0 V=id(v(a))\n.op\n.end", "v(b)", 0, 3,
			"the function id of .func"},
		"i": {p + ".func i(x,y) {x-y}\nB1 b 0 V=i(v(a),0.5)\n.op\n.end", "v(b)", 0, 1.5,
			"the function i of .func"},
		"in the block only": {p + "X1 b s\n.subckt s p\n.func ie(x) {3*x}\nB1 p 0 V=ie(1)\n.ends\n" +
			"Q1 c c 0 q\nI1 0 c 1m\n.model q npn\nB2 d 0 V=1k*ie(q1)\nR2 d 0 1\n.op\n.end", "v(d)", 0, -1,
			"the function ie of .func"},
		"v": {p + ".func v(x) {5}\nB1 b 0 V=v(a)\n.op\n.end", "v(b)", 0, 2,
			"the function v of .func is not used"},
	} {
		c.check(t, name)
	}
	for card, want := range map[string]string{
		".func i(x) {x*x}\nB1 b 0 V=1k*i(V1)": "parameter V1 is not defined; i(V1) calls the " +
			"function i of .func in line 4, not the current of V1; give the function another name",
		".func ib(x,y) {x*y}\nB1 b 0 V=ib(q1)": "not the current of q1",
		".func i(x) {x*y}\nB1 b 0 V=i(k)":      "parameter y is not defined",
		".func i(x) {x*x}\nB1 b 0 V=i(2,3)":    "i() takes 1 arguments, not 2",
	} {
		_, err := Simulate(t.Context(), Request{Netlist: p + card + "\n.param k=1\n.op\n.end"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", card, err, want)
		}
	}
}

// TestNoiselessModels verifies noiseless in models. The noise is that of 1 kohm across a silent
// 1 kohm, which halves it.
func TestNoiselessModels(t *testing.T) {
	want := math.Sqrt(4*1.380649e-23*300.15*1000) / 2 // [V/√Hz]
	for _, c := range []struct{ name, text, warning string }{
		{"sw", "S1 b 0 g 0 s\n.model s SW(Ron=1k Roff=1meg vt=1 noiseless)", ""},
		{"csw", "V3 g h\nR3 h 0 1k\nW1 b 0 V3 s\n.model s CSW(noiseless Ron=1k it=1m)", ""},
		{"vswitch", "S1 b 0 g 0 s\n.model s VSWITCH(Ron=1k Roff=1meg noiseless)", ""},
		{"smooth sw", "S1 b 0 g 0 s\n.model s SW(Ron=1k Roff=1meg vt=1 vh=-.5 noiseless)",
			"the switch is read as in LTspice"},
	} {
		r := run(t, "t\nV1 a 0 AC 1\nV2 g 0 2\nR1 a b 1k\n"+c.text+
			"\n.noise v(b) V1 lin 2 10 20\n.end", "noise")
		wantNear(t, c.name, column(t, r, "onoise_spectrum")[0], want, 1e-5)
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, c.warning) ||
			c.warning == "" && all != "" {
			t.Errorf("%s: warnings %q", c.name, r.Warnings)
		}
	}
	dialectCase{"t\nI1 0 b 1m\nR1 b 0 1k\nD1 0 b d\n.model d D(noiseless is=1f)\n.op\n.end", "v(b)",
		0, 1, "model d: noiseless is ignored"}.check(t, "diode")
}

// TestNoActivationEnergy verifies a junction whose saturation current does not depend on the
// temperature, as manufacturers write it with EG=0 and XTI=0. Its voltage is Vt·ln(I/IS + 1).
func TestNoActivationEnergy(t *testing.T) {
	const kOverQ = 1.380649e-23 / 1.602176634e-19
	for name, device := range map[string]string{
		"diode":      "D1 a 0 m\n.model m d(is=1p eg=0 xti=0)",
		"transistor": "Q1 a a 0 m\n.model m npn(is=1p bf=1e9 eg=0 xti=0)",
	} {
		r := run(t, "t\nI1 0 a 1m\n"+device+"\n.temp 100\n.op\n.end", "op")
		want := kOverQ * 373.15 * math.Log(1e-3/1e-12+1)
		wantNear(t, name, value(t, r, "v(a)"), want, 1e-6)
	}
}
