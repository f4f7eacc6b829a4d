package spice

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"slipstick/spice/diag"
)

// dialectCase is a netlist with one value of its result.
type dialectCase struct {
	text    string
	vector  string
	at      int // index of the value in the vector; -1 selects the last value, -2 none
	want    float64
	warning string // one of the warnings, separated by |; "" if there must be no warning
}

// TestDialects runs netlists in the form in which users paste them. It compares one value of each
// result with a value computed by hand, and verifies the warning about the interpretation.
func TestDialects(t *testing.T) {
	const divider = "V1 in 0 10\nR1 in out 1k\nR2 out 0 1k\n"
	const coupled = "V1 in 0 AC 1\nR1 in out 1k\nR2 out 0 1k\n"
	density := math.Sqrt(4 * 1.38064852e-23 * 300.15 * 500) // [V/√Hz] of 500 Ω at 27 °C
	const integral = "R1 in 0 1\nB1 out 0 V=idt(v(in))\nR2 out 0 1\n"
	for name, c := range map[string]dialectCase{
		".control with op": {"t\n" + divider + ".control\nop\nprint v(out)\n.endc\n.end",
			"v(out)", 0, 5, "lines 7 to 7|line 7: commands of .control that print, plot or compute from results are ignored: print"},
		".control with run": {"t\n" + divider +
			".op\n.control\nrun\nplot v(out)\n.endc\n.end", "v(out)", 0, 5, "ignored: plot"},
		".control, the first leads": {"t\n" + divider +
			".control\ndc V1 0 4 2\ntran 1u 1m\n.endc\n.end", "v(out)", -1, 2, ""},
		".control with let": {"t\n" + divider +
			".control\nlet top = 2*4\ndc V1 0 $&top 2\n.endc\n.end", "v(out)", -1, 4,
			"ignored: let"},
		".control with alter": {"t\n" + divider + ".control\nalter R1=3k\nop\n.endc\n.end",
			"v(out)", 0, 5, "not executed, the circuit is simulated as written: alter (line 6)"},
		".control without .endc": {"t\n" + divider + ".control\nop\n.end", "v(out)", 0, 5,
			".control is not closed by .endc"},
		"set temp": {"t\n" + divider +
			".param a=1\n.control\nset temp=50\nop\n.endc\n.end", "v(out)", 0, 5, ""},
		".include not needed": {"t\n" + divider + ".include models/parts.lib\n.op\n.end",
			"v(out)", 0, 5, "line 5: .include models/parts.lib is not read"},
		".lib not needed": {
			"t\nI1 0 a 1m\nD1 a 0 1N4148\n.lib C:\\LTspice\\lib\\cmp\\standard.dio\n.op\n.end",
			"i(i1)", -2, 0, "every model the netlist uses is known"},
		"fences": {"Sure!\n\n```spice\nt\n" + divider +
			".op\n.end\n```\nIt gives 5 V.", "v(out)", 0, 5, "between the ``` marks"},
		"introduction": {
			"Here is the divider that you asked for.\nIt halves the voltage at its input:\n\nt\n" + divider + ".op\n.end", "v(out)", 0, 5, "the text above line 4 is not read"},
		"escaped line ends": {`t\nV1 in 0 10\nR1 in out 1k\nR2 out 0 1k\n.op\n.end`,
			"v(out)", 0, 5, `every \n is read as the end of a line`},
		".func": {
			"t\n.func half(x, y) {x/(2*y)}\nV1 out 0 {half(20, 1)}\nR1 out 0 1\n.op\n.end",
			"v(out)", 0, 10, ""},
		".func of a voltage":   {"t\n.func sq(x) {x*x}\nV1 in 0 3\nB1 out 0 V=sq(v(in)+1)\nR1 out 0 1\nR2 in 0 1\n.op\n.end", "v(out)", 0, 16, ""},
		".func inside a block": {"t\nX1 out s\n.subckt s o\n.func f(x) {k*x}\n.param k=3\nV1 o 0 {f(2)}\nR1 o 0 1\n.ends\n.op\n.end", "v(out)", 0, 6, ""},
		".param f(x)": {
			"t\n.param f(x)={x+1}\nV1 out 0 {f(2)}\nR1 out 0 1\n.op\n.end", "v(out)", 0, 3, ""},
		".step param list": {"t\n" + divider +
			".param r=7\n.step param r list 3k 4k\nR3 out 0 {r}\n.op\n.end", "v(out)", 0,
			10 * 0.75 / 1.75, ""},
		"ohms of Unicode": {
			"t\nV1 in 0 10\nR1 in out 1k\u03a9\nR2 out 0 2k\u2126\n.op\n.end", "v(out)", 0, 20. / 3,
			""},
		"pwl repeat forever": {
			"t\nV1 out 0 PWL REPEAT FOREVER (0 0 1m 1 2m 0) ENDREPEAT\nR1 out 0 1\n.tran 10u 4.5m\n.end",
			"v(out)", -1, 0.5, ""},
		"pwl repeat for 2": {
			"t\nV1 out 0 PWL REPEAT FOR 2 (0 0 1m 1 2m 0.25) ENDREPEAT\nR1 out 0 1\n.tran 10u 4.5m\n.end",
			"v(out)", -1, 0.25, ""},
		"pwl repeat for 3": {
			"t\nV1 out 0 PWL REPEAT FOR 3 (0 0 1m 1 2m 0.25) ENDREPEAT\nR1 out 0 1\n.tran 10u 4.5m\n.end",
			"v(out)", -1, 0.5, ""},
		"relative times of pwl": {
			"t\nV1 out 0 PWL(0 0 +1m 0 +4m 8)\nR1 out 0 1\n.tran 10u 4.5m\n.end",
			"v(out)", -1, 7, "times of pwl with + are read"},
		"acphase": {"t\nV1 out 0 AC 1 ACPHASE 30\nR1 out 0 1\n.ac lin 1 1k 1k\n.end",
			"v(out)_phase_deg", 0, 30, ""},
		"TC of PSpice": {"t\nV_V1 in 0 10Vdc\nR_R1 in out 1k TC=10m,0.1m\n" +
			"R_R2 out 0 1k TC=0,0\n.temp 37\n.op\n.end", "v(out)", 0, 10 / 2.11, ""},
		"skipbp": {"t\nV1 in 0 1\nR1 in out 1k\nC1 out 0 1u\n.tran 0.1m 1m 0 10u skipbp\n.end",
			"v(out)", -1, 1 - 1/math.E, ""},
		".ac list": {
			"t\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 1u\n.ac list 1 {500/pi} 1k\n.end",
			"v(out)_mag", 1, math.Sqrt(0.5), ""},
		".dc lin of PSpice": {
			"t\n" + divider + ".DC LIN V1 0V 8V 2V\n.end",
			"v(out)", -1, 4, ""},
		".dc downwards by a positive step": {"t\n" + divider + ".DC V1 0 -4 1\n.end", "v(out)", -1, -2,
			".dc: the step 1 of a sweep from 0 down to -4 is read as -1, as in PSpice"},
		".step downwards by a positive step": {"t\n" + divider + ".step V1 2 0 1\n.op\n.end", "v(out)",
			0, 1, ".step: the increment 1 of falling values is read as -1, as in PSpice"},
		".dc list": {
			"t\n" + divider + ".dc V1 list 1 3 7\n.end",
			"v(out)", 1, 1.5, ""},
		".dc dec": {
			"t\n" + divider + ".dc dec V1 2m 2 1\n.end",
			"v(out)", 2, 0.1, ""},
		".dc oct": {
			"t\n" + divider + ".dc V1 oct 1 8 1\n.end",
			"v(out)", -1, 4, ""},
		".dc list in a second sweep": {
			"t\n" + divider + ".dc V1 1 2 1 R2 list 1k 3k\n.end",
			"v(out)", 2, 0.75, ""},
		"ic without uic": {"t\nR1 0 out 1k\nC1 out 0 1u\n+ ic=1\n.tran 10u 1m\n.end", "v(out)", -1, 0,
			"line 4: c1: ic= has no effect without uic"},
		"ic with uic": {"t\nR1 0 out 1k\nC1 out 0 1u ic=1\n.tran 10u 1m uic\n.end", "v(out)", -1,
			1 / math.E, ""},
		"R without braces": {"t\nV1 in 0 10\nR1 in out R=1k+500 tc=0\nR2 out 0 R=if(time>1, 1, 500)\n" +
			".op\n.end", "v(out)", 0, 2.5, ""},
		"R of a voltage without braces": {"t\nV1 in 0 2\nR1 in out R=1k*V(in)/2 + 1k\n" +
			"R2 out 0 2k\n.op\n.end", "v(out)", 0, 1, ""},
		"R of a parameter": {"t\n.param r1v=2k\nV1 in 0 2\nR1 in out R=r1v\nR2 out 0 r=2k5 m=1\n" +
			".op\n.end", "v(out)", 0, 10. / 9, "2k5"},
		"ako": {"t\nI1 0 out 1m\nD1 out 0 mine\n.model mine ako: base D(N=2)\n" +
			".model base D(Is=1e-12 N=1)\n.op\n.end", "v(out)", 0,
			2 * 0.0258649 * math.Log(1e9), ""},
		"ako of a library part": {"t\nV1 in 0 5\nR1 in out 1k\nQ1 out b 0 mine\nI1 0 b 10u\n" +
			".model mine AKO:2N3904 NPN(Bf=100 Vaf=1e9 Ise=0 Ikf=1e9)\n.op\n.end", "v(out)", 0, 4, ""},
		"pulse without edges": {"t\nV1 out 0 PULSE(0 5 0 0 0 5u 10u)\nR1 out 0 1k\n.tran 2u 100u\n.end",
			"v(out)", 0, 0, "v1: rise or fall of pulse is 0 or absent and becomes the time step"},
		".probe64": {"t\n" + divider + ".op\n.PROBE64 V(alias(*)) I(alias(*))\n.end", "v(out)", 0, 5,
			".probe64 is ignored"},
		"Rpar of B": {"t\nV1 in 0 1\nB1 0 out I=1m*V(in) Rpar=1k\nR2 out 0 1k\n.op\n.end", "v(out)", 0,
			0.5, ""},
		// Two sources of 2 mA in parallel with 1 kohm each.
		"Rpar and m of B": {"t\nV1 b 0 2\nB2 0 w I=1m*V(b) m=2 rpar=1k\n.op\n.end", "v(w)", 0, 2,
			""},
		"Cpar and m of B": {"t\nV1 b 0 2 AC 2\nB2 0 w I=1m*V(b) Rpar=1g m=2 Cpar=1u\n" +
			".ac lin 1 159.154943 159.154943\n.end", "v(w)_mag", 0, 2, ""},
		"Rpar, m and laplace of B": {"t\nV1 b 0 2\nB2 0 w I=1m*V(b) m=2 rpar=1k laplace=1/(1+s)\n" +
			".op\n.end", "v(w)", 0, 2, ""},
		"Cpar of B": {"t\nV1 in 0 1\nB1 0 out I=1m*V(in) Rpar={2*500} Cpar=1u\n.tran 10u 1m uic\n.end",
			"v(out)", -1, 1 - 1/math.E, ""},
		// At the bound the parabola is a quarter of the width below it.
		"bounds of limit in any order": {"t\nV1 a 0 3\n" +
			"B1 c 0 V=limit(V(a),2,-1)+limit(V(a),-5,5)+limit(-3,1,-2)\nR1 c 0 1k\n.op\n.end", "v(c)", 0,
			2 + 3 - 2, ""},
		"temp in expressions": {"t\n.param r={1k*(1+0.01*(TEMP-27))}\nI1 0 a 1m\nR1 a 0 {r}\n" +
			"B1 c 0 V=V(a)+temp-37\nR2 c 0 1\n.temp 37\n.op\n.end", "v(c)", 0, 1.1, ""},
		"temp as a parameter": {"t\n.param temp=5\nV1 a 0 {temp}\nB1 c 0 V=V(a)+temp\nR2 c 0 1\n" +
			".temp 37\n.op\n.end", "v(c)", 0, 10, ""},
		// The transistor is off; RDS and R1 form a divider.
		"RDS of a MOSFET": {"t\nV1 a 0 2\nR1 a d 2k\nM1 d 0 0 0 n m=2\n" +
			".model n nmos(level=3 vto=5 rds=4k rg=100)\n.options gmin=1e-15\n.op\n.end", "v(d)", 0, 1, ""},
		// The gate capacitance CGSO·W, 1 pF, behind RG.
		"RG of a MOSFET": {"t\nV1 g 0 AC 1\nM1 0 g 0 0 n W=1m L=1u\n" +
			".model n nmos(vto=5 cgso=1n rg=1meg)\n.ac lin 1 159154.943 159154.943\n.end", "i(v1)_mag", 0,
			1e-6 / math.Sqrt2, ""},
		"uplim at its bound": {"t\nV1 a 0 1\nB1 c 0 V=uplim(V(a),1,0.1)\nR1 c 0 1k\n.op\n.end",
			"v(c)", 0, 0.975, ""},
		"dnlim below its bound": {"t\nV1 a 0 2\nB1 c 0 V=dnlim(V(a),3,0.5)\nR1 c 0 1k\n.op\n.end",
			"v(c)", 0, 3, ""},
		"pwr of a voltage": {"t\nV1 a 0 -2\nB1 c 0 V=pwr(V(a),3)\nR1 c 0 1k\n.op\n.end", "v(c)", 0,
			-8, "pwr() of a negative number is negative"},
		"table of LTspice": {"t\nV1 a 0 2\nE1 c 0 a 0 table=(0,0,1,1,5,2)\nR1 c 0 1k\n.op\n.end",
			"v(c)", 0, 1.25, ""},
		"table of G": {"t\nV1 a 0 2\nG1 0 c a 0 table=(0 0, 1 1m, 5 2m)\nR1 c 0 1k\n.op\n.end",
			"v(c)", 0, 1.25, ""},
		"substrate in brackets": {"t\nV1 a 0 5\nR1 a c 1k\nR2 a b 1meg\nQ1 c b 0 [a] qx\n" +
			".model qx npn(bf=100 is=1f)\nV2 s 0 1\nQ2 s 0 s [s] qx\n.op\n.end", "v(s)", 0, 1, ""},
		"lateral pnp": {"t\nV1 a 0 5\nI1 b 0 1u\nQ1 c b a qx\nR1 c 0 1k\n.model qx lpnp(bf=50)\n" +
			".options gmin=0\n.op\n.end", "v(c)", 0, 0.05, ""},
		// The DC resistance of the line is 0.5 ohm in 100.5 ohm.
		"flags of LTRA": {"t\nV1 a 0 1\nR1 a b 50\nO1 b 0 c 0 o\nR2 c 0 50\n" +
			".model o LTRA(len=1 R=0.5 nocontrol L=250n C=100p rel=1 steplimit truncnr)\n.op\n.end",
			"v(c)", 0, 50 / 100.5, ""},
		"lossy line of PSpice": {"t\nV1 a 0 1\nR1 a b 50\nT1 b 0 c 0 LEN=1 R=0.5 L=250n C=100p\n" +
			"R2 c 0 50\n.op\n.end", "v(c)", 0, 50 / 100.5,
			"t1 with LEN, R, L, G and C is read as a lossy line"},
		"cards of OrCAD": {"t\n.stmlib \"demo.stl\"\nV_V1 in 0 5Vdc\nR_R1 in 0 1k TC=0,0\n" +
			".ALIASES\nV_V1 V1(+=IN -=0 )\n_ _(OUT=OUT)\n.ENDALIASES\n.op\n.end", "v(in)", 0, 5,
			"line 5: the lines up to .endaliases are ignored"},
		"expression in .meas ac": {"t\nV1 in 0 AC 1\nR1 in out 1k\nR2 out 0 1k\n.ac lin 1 1k 1k\n" +
			".meas ac g find db(v(out)*v(in)) at=1k\n.end", "v(out)_mag", 0, 0.5,
			""},
		"data of a part": {"t\nV1 in 0 10\nR1 in out 1k tol=1 pwr=0.1\n" +
			"L1 in out 10\u00b5 Ipk=5 Rser=1k mfg=\"Coilcraft, Inc.; US\" pn=\"MSS1278 (103)\"\n" +
			"C1 out 0 22u V=25 Irms=2.6 Rser=0.01 Lser=0 mfg=\"KEMET\" pn=\"T495\" type=X7R\n" +
			"R2 out 0 1k\n.op\n.end", "v(out)", 0, 10 / 1.5, "pn=\"MSS1278 (103)\" is no number"},
		".step from to": {
			"t\nV1 in 0 10\nR1 in out 1k\nR2 out 0 {r}\n.step param r 3k 9k 1k\n.op\n.end",
			"v(out)", 0, 7.5, ""},
		".ic in a subcircuit": {"t\nX1 out s\n.subckt s o\n.ic v(m)=2\nC1 m 0 1u\nR1 m o 1k\nR2 o 0 1k\n.ends\n.tran 1u 10u uic\n.end", "v(x1.m)", 0, 2, ""},
		"names with signs": {
			"t\nV1 /in#1 0 10\nR1 /in#1 net:2 1k\nR2 net:2 a$b 1k\nR3 a$b 0 2k\n.op\n.end",
			"v(a$b)", 0, 5, ""},
		"comment after ;": {
			"t\nV1 in 0 10 ; the supply\nR1 in out 1k;load\nR2 out 0 1k\n.op\n.end",
			"v(out)", 0, 5, ""},
		"comment after //": {"t\nV1 in 0 10 // the supply\n// a line\nR1 in out 1k //load\n" +
			"R2 out 0 1k\n.op //\n.end", "v(out)", 0, 5, ""},
		"table()":               {"t\nV1 in 0 1.5\nB1 out 0 V=table(v(in), 0, 0, 1, 10, 2, 30)\nR1 out 0 1\nR2 in 0 1\n.op\n.end", "v(out)", 0, 20, ""},
		"E table":               {"t\nV1 in 0 5\nE1 out 0 TABLE {v(in)} = (0,0) (1,10) (2,30)\nR1 out 0 1\nR2 in 0 1\n.op\n.end", "v(out)", 0, 30, ""},
		"pwr, sgn, uramp, ceil": {"t\nV1 out 0 {pwr(2,3)+sgn(-4)+uramp(5)+ceil(0.2)+floor(1.8)+int(2.9)}\nR1 out 0 1\n.op\n.end", "v(out)", 0, 16, ""},
		"** and ?:": {"t\nV1 out 0 {2**3 > 7 ? 4 : 5}\nR1 out 0 1\n.op\n.end",
			"v(out)", 0, 4, ""},
		"agauss": {"t\nV1 out 0 {agauss(5, 1, 3)}\nR1 out 0 1\n.op\n.end",
			"v(out)", 0, 5, "agauss() is evaluated as its nominal value"},
		"Ncycles of SIN": {
			"t\nV1 out 0 SIN(1 2 1k 0 0 90 1.5)\nR1 out 0 1\n.tran 1u 5m\n.end", "v(out)", -1, -1,
			"1.5 cycles"},
		"triangle": {"t\nV1 out 0 PULSE(0 5 0 5u 5u 0 10u)\nR1 out 0 1k\n.tran 0.1u 42.5u\n.end",
			"v(out)", -1, 2.5, "v1: the width 0 of pulse is read as it is written, as in LTspice"},
		"pulses counted": {
			"t\nV1 out 0 PULSE(0 1 0 1u 1u 0.9 1m 2)\nR1 out 0 1\n.tran 1u 2.5m\n.end", "v(out)",
			-1, 0, "number of pulses, 2"},
		"PWL repeated": {
			"t\nV1 out 0 PWL(0 0 1m 1 2m 0) r=0\nR1 out 0 1\n.tran 1u 4.5m\n.end", "v(out)",
			-1, 0.5, ""},
		"AM": {"t\nV1 out 0 AM(2 1 1k 250)\nR1 out 0 1\n.tran 1u 1m\n.end",
			"v(out)", -1, 2, ""},
		"SFFM": {
			"t\nV1 out 0 SFFM(1 2 250 0 1k)\nR1 out 0 1\n.tran 1u 1m\n.end", "v(out)", -1, 3, ""},
		".tran start=": {"t\n" + divider + ".tran 1u 2m start=1m\n.end", "time",
			0, 1e-3, ""},
		"empty value": {"t\nV1 out 0 \"\" AC 1\nR1 out 0 1k \"\"\n.ac lin 1 1k 1k\n.end",
			"v(out)_mag", 0, 1, ""},
		".params:": {"t\nV1 out 0 {a+b}\nR1 out 0 1\n.params: a 1 b=2\n.op\n.end",
			"v(out)", 0, 3, ".params a 1 is read as a=1"},
		".param of an expression without =": {"t\nV1 out 0 {Top}\nR1 out 0 1\n" +
			".param Top table(2, 1, 10, 3, 30)/2\n.op\n.end", "v(out)", 0, 10,
			".param Top table(2, 1, 10, 3, 30)/2 is read as Top=table"},
		"RKM code in an expression": {"t\nV1 in 0 4\nR1 in out {1k8/a}\nR2 out 0 {b}\n" +
			".param a=2 b=2k7\n.op\n.end", "v(out)", 0, 3, "1k8 is read as 1800"},
		"V with an expression": {"t\nV1 a 0 3\nV2 out 0 V=v(a) *2\nR1 out 0 1k\nR2 a 0 1k\n" +
			".op\n.end", "v(out)", 0, 6, "V2: the source with an expression is read as a source B"},
		"I with an expression": {"t\nV1 a 0 3\nI2 0 out I={v(a)}*1m\nR1 out 0 1k\nR2 a 0 1k\n" +
			".op\n.end", "v(out)", 0, 3, "I2: the source with an expression is read as a source B"},
		"I as a load": {"t\nV1 in 0 5\nR1 in out 1k\nI1 out 0 TBL(0 0 1 1m 5 5m0)\n.op\n.end",
			"v(out)", 0, 2.5, "5m0 is read as 0.005"},
		"I as a load in amperes": {"t\nV1 out 0 3\nI1 out 0 TBL(0 0 5 5A)\nH1 a 0 V1 -1\n" +
			"R1 a 0 1k\n.op\n.end", "v(a)", 0, 3, "5A is read as amperes"},
		"table in an expression": {"t\nV1 in 0 3\nE1 out 0 value=table({v(in)},0,0,6,10)\n" +
			"R1 out in 1k\n.op\n.end", "v(out)", 0, 5, ""},
		"poly of a node called table": {"t\nV1 table 0 3\nV2 b 0 4\n" +
			"E1 out 0 POLY(2) table 0 b 0 0 1 2\nR1 out table 1k\nR2 b 0 1k\n.op\n.end",
			"v(out)", 0, 11, ""},
		"I by a parameter called table": {"t\n.param table=1m\nI1 0 out table\nR1 out 0 1k\n" +
			".op\n.end",
			"v(out)", 0, 1, ""},
		"Rpar of I with an expression": {"t\nV1 a 0 3\nI2 0 out I=v(a)*1m Rpar=1k\nR1 out 0 1k\n" +
			"R2 a 0 1k\n.op\n.end", "v(out)", 0, 1.5, "read as a source B"},
		"V with an expression first": {"V2 out 0 V=5*2\nR1 out 0 1k\n.op\n.end", "v(out)", 0, 10,
			"the first line is read as the element V2"},
		".param without = over two lines": {"t\nV1 out 0 {a}\nR1 out 0 1k\n.param a\n+ 20\n" +
			".op\n.end",
			"v(out)", 0, 20, ".param a 20 is read as a=20"},
		"open supplies of the universal amplifier": {"t\nV1 in 0 1\nX1 in n p m out level.1\n" +
			"R1 out n 1k\nR2 n 0 1k\n.op\n.end", "v(out)", 0, 2,
			"line 3: X1: level.1 is the universal op amp of LTspice"},
		"braces inside a function of s": {"t\nV1 in 0 1\nE1 out 0 in 0 " +
			"Laplace={w0*2}/(s + {w0})\nR1 out 0 1\nR2 in 0 1\n.param w0=1k\n.op\n.end",
			"v(out)", 0, 2, ""},
		"opamp with three nodes": {"t\nV1 in 0 1\nR1 in n 1k\nR2 n out 3k\nX1 n 0 out opamp\n" +
			".op\n.end", "v(out)", 0, -3, "X1: opamp with three nodes is that of LTspice"},
		"universal amplifier": {"t\nV1 in 0 1\nVP p 0 5\nVN m 0 -5\nX1 in n p m out level.2 " +
			"Avol=1Meg GBW=10Meg Slew=10Meg ilimit=25m rail=1 Vos=1m phimargin=45 Rin=500Meg\n" +
			"R1 out n 2k\nR2 n 0 1k\n.op\n.end", "v(out)", 0, 3.003,
			"level.2 is the universal op amp of LTspice"},
		"universal amplifier of LTspice 24": {"t\nV1 in 0 1\nVP p 0 5\nVN m 0 -5\n" +
			"XU1 in n p m out level2 Avol=1Meg GBW=10Meg Slew=10Meg Ilimit=25m Rail=0 Vos=1m " +
			"En=0 Enk=0 In=0 Ink=0 Rin=500Meg\n.lib UniversalOpAmp2.lib\nR1 out n 2k\n" +
			"R2 n 0 1k\n.op\n.end", "v(out)", 0, 3.003,
			"XU1: level2 is the universal op amp|.lib UniversalOpAmp2.lib"},
		"universal amplifier without limits": {"t\nV1 in 0 100\nVP p 0 5\nVN m 0 -5\n" +
			"X1 in n p m out level.1 Avol=1k\nR1 out n 1k\nR2 n 0 1k\n.op\n.end",
			"v(out)", 0, 1e3 * 100 / 501.0, "level.1 is the universal op amp"},
		"cbrt": {"t\nV1 a 0 {cbrt(-27)}\nB1 out 0 V=v(a)*cbrt(v(a)-5)\nR1 a out 1k\n.op\n.end",
			"v(out)", 0, 6, ""},
		"% in parameters and sources": {"t\nV1 a 0 {-7.5%2}\nB1 out 0 V=v(a)*10%4\nR1 a out 1k\n" +
			".op\n.end", "v(out)", 0, -3, ""},
		"~ in a condition": {"t\nV1 a 0 3\nE1 out 0 value={if(~(v(a)>5) & (v(a)>2), 7, 0)}\n" +
			"R1 a out 1k\n.op\n.end", "v(out)", 0, 7, ""},
		"^ between conditions of LTspice": {"t\n.param k=4\nV1 a 0 3\nR1 a out 1k\n" +
			"B1 out 0 V=((v(a)>1)^(v(a)>2)) + 2*((v(a)>1)^(v(a)>4)) + ((k>1)^(k>9))*4\n.op\n" +
			".backanno\n.end",
			"v(out)", 0, 6, "line 5: ^ between two conditions is read as XOR"},
		"^ between conditions": {"t\n.param k=4\nV1 a 0 3\nR1 a out 1k\n" +
			"B1 out 0 V=((v(a)>1)^(v(a)>2)) + 2*((v(a)>1)^(v(a)>4)) + ((k>1)^(k>9))*4\n.op\n.end",
			"v(out)", 0, 7, "line 5: ^ between two conditions is read as a power"},
		"^ behind ?: of a number and a condition": {"t\nV1 a 0 2\nR1 a out 1k\n" +
			"B1 out 0 V=(v(a)>1 ? 2 : v(a)>3)^(v(a)>1)\n.op\n.backanno\n.end", "v(out)", 0, 2,
			"line 4: ^ is read as a power"},
		"^ of a netlist of LTspice": {"t\nV1 a 0 3\nR1 a out 1k\nB1 out 0 V=v(a)^2\n.op\n" +
			".backanno\n.end", "v(out)", 0, 9, "line 4: ^ is read as a power"},
		"a function that replaces a built-in one": {"t\n.func sgn(x) {if(x>0,1,-1)}\n" +
			"V1 out 0 {sgn(0)}\nR1 out 0 1k\n.op\n.end", "v(out)", 0, -1,
			"line 2: the function sgn of .func replaces the built-in one"},
		"a function that replaces a composed one": {"t\n.func limit(x) {2*x}\nV1 out 0 {limit(3)}\n" +
			"R1 out 0 1k\n.op\n.end", "v(out)", 0, 6,
			"line 2: the function limit of .func replaces the built-in one"},
		"a function that replaces a random one": {"t\n.func flat(x) {2*x}\nV1 out 0 {flat(3)}\n" +
			"R1 out 0 1k\n.op\n.end", "v(out)", 0, 6,
			"line 2: the function flat of .func replaces the built-in one"},
		"a function with the name if": {"t\n.func if(a,b,c) {1}\nV1 out 0 {if(0,1,2)}\n" +
			"R1 out 0 1k\n.op\n.end", "v(out)", 0, 2,
			"line 2: the function if of .func is not used, because it is built in"},
		"flat without a seed": {"t\nV1 out 0 {1+flat(0.5)}\nR1 out 0 1k\n.op\n.end", "v(out)", 0, 1,
			"flat() is evaluated as its nominal value"},
		"gauss of one argument without a seed": {"t\nV1 out 0 {2*(1+gauss(0.1))}\n" +
			"R1 out 0 1k\n.op\n.end", "v(out)", 0, 2, "gauss() is evaluated as its nominal value"},
		"the first of two subcircuits": {"t\nI1 0 out 1m\nX1 out s\n.subckt s a\nR1 a 0 1k\n" +
			".ends\n.subckt s a b\nR1 a b 3k\n.ends\n.op\n.end", "v(out)", 0, 1,
			"line 7: subcircuit s is already defined on line 4"},
		"the first of two models": {"t\nI1 0 out 1m\nD1 out 0 d\n.model d d(is=1e-14)\n" +
			".model d d(is=1e-12)\n.op\n.end", "v(out)", 0, 0.655118, // ngspice 39
			"line 5: model d is already defined on line 4"},
		"R= of B": {"t\nI1 0 out 1m\nV1 a 0 2\nB1 out 0 R=1k*v(a)\n.op\n.end", "v(out)", 0, 2, ""},
		"value= of F": {"t\nV1 a 0 2\nF1 0 out value={v(a)*1m}\nR1 out a 1k\n.op\n.end",
			"v(out)", 0, 4, ""},
		"value of H": {"t\nV1 a 0 2\nH1 out 0 value {3*v(a)}\nR1 out a 1k\n.op\n.end",
			"v(out)", 0, 6, ""},
		"step control of B": {"t\nV1 a 0 2\nB1 out 0 V=v(a) tripdv=1 tripdt=1n\n" +
			"R1 out a 1k\n.op\n.end", "v(out)", 0, 2,
			"B1: tripdv= of LTspice is ignored|B1: tripdt= of LTspice"},
		"R of a product of braces": {"t\n.param k=2 r=1k\nV1 a 0 3\nR1 a out R={r}*V(a)/{k}\n" +
			"R2 out 0 1k5 * comment\n.op\n.end", "v(out)", 0, 1.5, "1k5|text from * on is read as a"},
		"charge of a product of braces": {"t\n.param c=1u\nV1 a 0 AC 1\nR1 a out 1k\n" +
			"C1 out 0 Q={c}*x*{2}\n.ac lin 1 {250/pi} 1k\n.end", "v(out)_mag", 0, math.Sqrt(0.5), ""},
		"noiseless of R and C": {"t\nV1 a 0 AC 1\nR1 a out R=1k noiseless\n" +
			"C1 out 0 1 Rser=1k noiseless\nR2 out 0 1k\n.noise v(out) V1 lin 2 10 20\n.end",
			"onoise_spectrum", 0, density * math.Sqrt(2) / 3, ""}, // 1 kohm across 500 ohm
		"tolerance of R": {"t\nI1 0 out 1m\nR1 out 0 1k tol=5%\n.op\n.end", "v(out)", 0, 1,
			"R1: tol=5% is not used; a value such as {mc(1k,0.05)}"},
		"tolerance of an expression": {"t\nI1 0 out 1m\nR1 out 0 R=1k*(1+v(out)*0) tol=5%\n.op\n.end",
			"v(out)", 0, 1, "R1: tol=5% is not used"},
		"temperature of R= of B": {"t\nI1 0 out 1m\nB1 out 0 R=1k tc1=1m tc2=10u\n.temp 127\n.op\n" +
			".end", "v(out)", 0, 1.2, "line 3: B1: tc1 and tc2 count from 27 °C"},
		".temp with =": {"t\nI1 0 out 1m\nR1 out 0 1k tc=0.01\n.temp=127\n.op\n.end", "v(out)", 0, 2,
			""},
		"constants of physics": {"t\nV1 out 0 {boltz*(27-kelvin)/echarge*1k}\nR1 out 0 1\n.op\n" +
			".end",
			"v(out)", 0, 25.8649, ""},
		"table of G without =": {"t\nV1 a 0 2\nG1 0 c a 0 table(0, 0, 1, 1m, 5, 2m)\n" +
			"R1 c 0 1k\n.op\n.end",
			"v(c)", 0, 1.25, ""},
		"idtmod": {"t\nB1 out 0 V=idtmod(1k, 0.25, 2, -1)\nR1 out 0 1k\n.tran 10u 2.5m\n.end",
			"v(out)", -1, 0.75, ""},
		"idtmod at the operating point": {"t\nB1 out 0 V=idtmod(v(a), 5, 3)\nV1 a 0 0\n" +
			"R1 out 0 1k\n" +
			"R2 a 0 1k\n.op\n.end", "v(out)", 0, 2, ""},
		"part with a suffix": {"t\nV1 in 0 5\nR1 in b 1meg\nQ1 in b out BC547B\nR2 out 0 1\n" +
			".op\n.end", "v(out)", -2, 0, "model bc547b is read as bc547 of the library"},
		".param without =": {"t\nV1 out 0 {RT}\nR1 out 0 1\n.param RT 20\n.op\n.end",
			"v(out)", 0, 20, ".param RT 20 is read as RT=20"},
		"model of R": {
			"t\nV1 in 0 10\nR1 in out rm L=100u W=10u\nR2 out 0 1k\n.model rm r(rsh=100)\n.op\n.end", "v(out)", 0, 5, ""},
		"scale= of R": {"t\nV1 in 0 10\nR1 in out 1 scale=1k\nR2 out 0 1k\n.op\n.end",
			"v(out)", 0, 5, ""},
		"R by expression": {
			"t\nV1 in 0 4\nR1 in out R={1k*v(c)}\nR2 out 0 3k\nV2 c 0 1\n.op\n.end",
			"v(out)", 0, 3, ""},
		"SW with a negative VH": {"t\nV1 in 0 10\nR1 in out 1k\nS1 out 0 c 0 sm\nV2 c 0 2.5\n" +
			".model sm sw(ron=100 roff=10k vt=2.5 vh=-.4)\n.op\n.end", "v(out)", 0, 5,
			"smooth transition from 2.1 to 2.9"},
		"CSW with a negative IH": {"t\nV1 in 0 11\nR1 in out 1k\nW1 out 0 v2 wm\nV2 c 0 1\n" +
			"R2 c 0 100\n.model wm csw(ron=100 roff=10k it=0 ih=-5m)\n.op\n.end", "v(out)", 0, 10,
			"smooth transition from -0.005 to 0.005"},
		// LTspice help: Vser and Lser are in series; (5 V - 0.5 V)/1001 ohm.
		"Vser of SW": {"t\nV1 in 0 5\nR1 in out 1k\nS1 out 0 in 0 sm\n" +
			".model sm sw(Vt=1 Ron=1 Roff=1Meg Vser=.5)\n.op\n.end", "v(out)", 0, 5 - 4.5/1.001, ""},
		"Vser of CSW in .tran": {"t\nV1 in 0 5\nR1 in out 1k\nW1 out 0 V1 sm\n" +
			".model sm csw(It=-1 Ron=1 Roff=1Meg Vser=.5)\n.tran 1u 10u\n.end", "v(out)", -1,
			5 - 4.5/1.001, ""},
		"Vser and Lser of 0 of a smooth switch": {"t\nV1 in 0 10\nR1 in out 1k\nS1 out 0 c 0 sm\n" +
			"V2 c 0 2.5\n.model sm vswitch(ron=100 roff=10k von=3 voff=2 vser=0 lser=0)\n.op\n.end",
			"v(out)", 0, 5, ""},
		// The value of ngspice 39 with nkf=1.
		"NK above 1": {"t\nVC c 0 5\nIB 0 b 1m\nQ1 c b 0 q\n.model q npn(is=63f bf=380.57 vaf=100 " +
			"ikf=.14961 ise=63f ne=1.5906 nk=1.1)\n.op\n.end", "i(vc)", 0, -6.509349384e-02,
			"nk = 1.1 is limited to 1"},
		"Lser of SW": {"t\nV1 in 0 AC 1 DC 5\nR1 in out 1\nS1 out 0 in 0 sm\n" +
			".model sm sw(Vt=1 Ron=1u Roff=1Meg Lser=1m)\n.ac lin 1 159.154943 159.154943\n.end",
			"v(out)_mag", 0, 0.70710678, ""},
		"VSWITCH": {"t\nV1 in 0 10\nR1 in out 1k\nS1 out 0 c 0 sm\nV2 c 0 2.5\n.model sm vswitch(ron=100 roff=10k von=3 voff=2)\n.op\n.end", "v(out)", 0, 5, ""},
		"L and W of a MOS model": {
			"t\nV1 d 0 5\nM1 d d 0 0 nm\n.model nm nmos(kp=1m vto=1 w=20u l=10u)\n.op\n.end",
			"i(v1)", 0, -16e-3, ""},
		"tc1 of B": {"t\nB1 out 0 V=1 tc1=0.01\nR1 out 0 1\n.temp 127\n.op\n.end",
			"v(out)", 0, 2, "tc1 and tc2 count from 27"},
		".csparam and let": {"t\n.param top=4\n.csparam top={top}\n" + divider +
			".control\nlet half = top/2\ndc V1 0 $&top $&half\n.endc\n.end", "v(out)", -1, 2,
			"ignored: let"},
		".csparam, another name": {"t\n.param top=4\n.csparam end={2*top}\n" + divider +
			".control\ndc V1 0 $&end 1\n.endc\n.end", "v(out)", -1, 4, ""},
		"+ after an ignored line": {"t\n" + divider +
			".control\ndc V1 0 4 2\nplot v(in)\n+ v(out)\n.endc\n.end", "v(out)", -1, 2,
			"ignored: plot"},
		"line of dashes": {"t\n" + divider + "------------\n.op\n.end", "v(out)", 0, 5,
			"line 5: the line of - signs is read as a comment"},
		"remark after a star": {
			"t\nV1 in 0 10\nR1 in out 1k *load [ohm]\nR2 out 0 1k\n.op\n.end", "v(out)", 0, 5,
			"R1: the text from *load on is read as a comment"},
		".ic without =": {"t\nC1 a 0 1u\nR1 a 0 1k\n.ic v(a) 2\n.tran 1u 10u uic\n.end",
			"v(a)", 0, 2, ".ic v(a) 2 is read as v(a)=2"},
		".ic without values": {"t\n" + divider + ".ic\n.op\n.end", "v(out)", 0, 5,
			".ic without values is ignored"},
		"degrees Celsius": {
			"t\nR1 a 0 1k tc1=0.01\nI1 0 a 1m\n.options temp=127°C\n.op\n.end", "v(a)", 0, 2, ""},
		"negative start": {"t\n" + divider + ".tran 1u 10u -1m\n.end", "time", 0, 0,
			"the start time -0.001 s is negative and is read as 0"},
		"load of I": {"t\nV1 in 0 5\nR1 in a 1k\nI1 a 0 1m load\n.op\n.end", "v(a)", 0, 4,
			"line 4: I1: load is read as in LTspice: the current falls below 0.5 V"},
		"load of I without voltage": {"t\nI1 0 a 1m load\nR1 a 0 1k\n.op\n.end", "v(a)", 0, 0,
			"load is read as in LTspice"},
		// 1 A·(1-(1-2v)²) = 1 V - v in the parabola: 4v² - 5v + 1 = 0.
		"load of I at low voltage": {"t\nV1 in 0 1\nR1 in a 1\nX1 a s\n.subckt s p\n" +
			"I1 p 0 1 load\n.ends\n.op\n.end", "v(a)", 0, 0.25, "load is read as in LTspice"},
		"load of I, negative": {"t\nR1 a 0 1\nI1 a 0 -2 load\n.op\n.end", "v(a)", 0, 2,
			"load is read as in LTspice"},
		"load of I in .step": {"t\nV1 in 0 10\nR1 in a 1\nI1 a 0 load 1\n.step I1 list 2 3\n" +
			".op\n.end", "v(a)", 0, 8, "load is read as in LTspice"},
		"load of I in .dc": {"t\nV1 in 0 10\nR1 in a 1\nI1 a 0 1 load m=2\n.dc I1 0 4 1\n.end",
			"v(a)", -1, 6, "load is read as in LTspice"},
		"load of I with a waveform": {"t\nV1 in 0 10\nR1 in a 1\n" +
			"I1 a 0 PULSE(1 3 1m 1u 1u 1m 3m) load\n.tran 10u 1.5m\n.end", "v(a)", -1, 7,
			"load is read as in LTspice"},
		// The law gives 0.75 of the current at 0.25 V, and 2 S beside the 1 S of R1.
		"load of I in .noise": {"t\nV1 in 0 1\nR1 in a 1\nI1 a 0 1 AC 1 load\n" +
			".noise v(a) I1 lin 1 1k 1k\n.end", "inoise_spectrum", 0,
			math.Sqrt(4*1.38064852e-23*300.15) / 0.75, "load is read as in LTspice"},
		"load of I in .ac": {"t\nV1 in 0 10\nR1 in a 2\nI1 0 a 0 AC 3\nI2 a 0 1 AC 1 load\n" +
			".ac lin 1 1k 1k\n.end", "v(a)_mag", 0, 4, "load is read as in LTspice"},
		// 0.4 mA at the pinch-off of -2 V with 0.1 mA/V².
		"ic= of J": {"t\nV1 a 0 5\nR1 a d 1k\nJ1 d 0 0 jm IC=5,3\n.model jm njf\n.op\n.end", "v(d)",
			0, 4.6, "j1: ic= of a semiconductor is ignored"},
		"ic= of J with an area": {"t\nV1 a 0 5\nR1 a d 1k\nJ1 d 0 0 jm 2 IC=5,-1\n.model jm njf\n" +
			".op\n.end", "v(d)", 0, 4.2, "j1: ic= of a semiconductor is ignored"},
		"off and ic= of Z": {"t\nV1 a 0 5\nR1 a d 1k\nZ1 d 0 0 zm OFF IC=5,3\nR2 a d 1k\n" +
			".model zm nmf(beta=1f)\n.op\n.end", "v(d)", 0, 5, "z1: off is ignored"},
		// K·W/L/2·(3 V - 1 V)² is 0.4 mA.
		"off of M": {"t\nV1 a 0 5\nR1 a d 1k\nVG g 0 3\nM1 d g 0 0 mm L=1u W=10u OFF\n" +
			".model mm nmos(vto=1 kp=20u)\n.op\n.end", "v(d)", 0, 4.6, "m1: off is ignored"},
		"ic= of M": {"t\nV1 a 0 5\nR1 a d 1k\nVG g 0 3\nM1 d g 0 0 mm IC=5,3,0 L=1u W=10u\n" +
			".model mm nmos(vto=1 kp=20u)\n.op\n.end", "v(d)", 0, 4.6, "ic= of a semiconductor"},
		"off of a VDMOS": {"t\nV1 a 0 5\nR1 a d 1k\nM1 d 0 0 mm OFF\n" +
			".model mm vdmos(vto=1 kp=20u)\n.op\n.end", "v(d)", 0, 5, "m1: off is ignored"},
		"noiseless R": {"t\nI1 0 a 1m\nR1 a 0 1k noiseless\n.op\n.end",
			"v(a)", 0, 1, ""},
		"sin without values": {"t\nV1 out 0 3 sin\nR1 out 0 1\n.op\n.end", "v(out)", 0, 3,
			"sin has no values and is ignored"},
		"pwl of odd length": {"t\nV1 out 0 pwl(0 0 1m 1 2m)\nR1 out 0 1\n.tran 1u 2m\n.end",
			"v(out)", -1, 1, "the last, a time without a value, is ignored"},
		"characters of a web page": {
			"\ufefft\nV1\u00a0in 0 \u221210\nR1\u202fin out\u20031k\u200b\nR2 out 0 1k\n.op\n.end",
			"v(out)", 0, -5, ""},
		"Ctrl-Z of DOS": {"t\nV1 out 0 5\nR1 out 0 1k\n\x1a\nX1 out s\n.subckt s a\nR1 a 0 1k\n.ends\n" +
			"\x1a.op\x1a\n.end\x00\x1a", "v(out)", 0, 5, ""},
		"lines that end with CR": {"t\rV1 out 0 5\rR1 out 0 1k\r.op\r.end\r\n", "v(out)", 0, 5, ""},
		"pwl with a jump": {
			"t\nV1 in 0 pwl(0 0 1m 0 1m 2)\n" + integral + ".tran 1u 2m\n.end",
			"v(out)", -1, 2e-3, "v1: pwl has two values at 0.001 s; the edge between them takes"},
		"repeated pwl with jumps": { // 1 V in the second half of every ms, also of the thousandth
			"t\nV1 in 0 pwl(0 0 0.5m 0 0.5m 1 1m 1 1m 0) r=0\nR1 in 0 1\n.tran 10u 0.9998\n.end",
			"v(in)", -1, 1,
			"at 0.0005 s and at later times; the edges between them take at most 5e-07 s"},
		"three values of pwl at one time": {
			"t\nV1 in 0 pwl(0 0 1m 0 1m 7 1m 2)\n" + integral + ".tran 1u 2m\n.end",
			"v(out)", -1, 2e-3, "two values at 0.001 s"},
		"pwl with a jump far behind the end": {
			"t\nV1 out 0 pwl(0 0 1 0 1 1)\nR1 out 0 1\n.tran 1p 100p\n.end", "v(out)", -1, 0,
			"two values at 1 s"},
		"pwl with a jump at 0": {
			"t\nV1 in 0 pwl(0 0 0 1 1m 2)\n" + integral + ".tran 1u 1m\n.end",
			"v(out)", -1, 1.5e-3, "pwl has two values at 0 s"},
		"pwl r": {
			"t\nV1 out 0 pwl(0 0 1m 1 2m 0) r\nR1 out 0 1\n.tran 1u 4.5m\n.end", "v(out)", -1, 0.5,
			"is read as r=0"},
		"am without a carrier": {"t\nV1 out 0 am(1 0 1k)\nR1 out 0 1\n.tran 1u 2m\n.end",
			"v(out)", -1, 0, "v1: am without a carrier frequency is 0"},
		"pwl td": { // at 0.18 ms the value that the points have at 0.03 ms
			"t\nV1 out 0 pwl(0 0 .1m 1 .2m 0) td=.15m\nR1 out 0 1\n.tran 1u .18m\n.end",
			"v(out)", -1, 0.3, ""},
		"pwl r td": { // repeats every 0.2 ms: 0.91 ms is 0.16 ms of the third repetition
			"t\nV1 out 0 pwl(0 0 .1m 1 .2m 0) r=0 td=.15m\nR1 out 0 1\n.tran 1u .91m\n.end",
			"v(out)", -1, 0.4, ""},
		"pwl td r": { // repeats the last 0.2 ms: 0.91 ms is 0.26 ms of the points
			"t\nV1 out 0 pwl(0 1 .1m 0 .2m 2 .3m 1) td=.05m r=.1m\nR1 out 0 1\n.tran 1u .91m\n" +
				".end", "v(out)", -1, 1.4, ""},
		"pwl td below 0": {
			"t\nV1 out 0 pwl(0 1 .1m 0 .2m 2) td=-.05m\nR1 out 0 1\n.op\n.end", "v(out)", 0, 0.5,
			""},
		"poly(1) with one coefficient": {
			"t\nV1 a 0 2\nE1 b 0 poly(1) a 0 3\nR1 b 0 1k\n.op\n.end", "v(b)", 0, 6,
			"line 3: E1: the only coefficient of poly(1) is the gain"},
		"resistance= of a model": {
			"t\nI1 0 a 1m\nR1 a 0 rm\n.model rm r(resistance=2k)\n.op\n.end", "v(a)", 0, 2, ""},
		"narrow of R": {
			"t\nI1 0 a 1m\nR1 a 0 rm L=11u W=2u\n.model rm r(rsh=100 narrow=1u)\n.op\n.end", "v(a)",
			0, 1.1, ""},
		"m as a parameter of X": {
			"t\nI1 0 a 1m\nX1 a s m=3\n.subckt s p\nR1 p 0 {1k*m}\n.ends\n.op\n.end", "v(a)", 0, 3,
			"m is read as its parameter"},
		"ddt of a ramp": {"t\nV1 in 0 pwl(0 0 1 3)\nR1 in 0 1\nB1 out 0 V=2*ddt(v(in))+1\nR2 out 0 1\n.tran 1m 0.5\n.end", "v(out)", -1, 7, ""},
		"ddt at DC": {
			"t\nV1 in 0 5\nR1 in 0 1\nB1 out 0 V=ddt(v(in))+1\nR2 out 0 1\n.op\n.end",
			"v(out)", 0, 1, ""},
		"idt of a constant": {
			"t\nV1 in 0 3\nR1 in 0 1\nB1 out 0 V=2*idt(v(in),1)+1\nR2 out 0 1\n.tran 1m 0.5\n.end", "v(out)", -1, 6, ""},
		"idt at DC": {
			"t\nV1 in 0 3\nR1 in 0 1\nB1 out 0 V=2*idt(v(in),1)+1\nR2 out 0 1\n.op\n.end",
			"v(out)", 0, 3, ""},
		"idt in .ac": {"t\nV1 in 0 ac 1\nR1 in 0 1\nE1 out 0 value={idt(v(in))}\nR2 out 0 1\n.ac lin 1 1 1\n.end", "v(out)_mag", 0, 1 / (2 * math.Pi), ""},
		"idt with uic": {
			"t\nV1 in 0 3\nR1 in 0 1\nB1 out 0 V=idt(v(in),-1)\nR2 out 0 1\n.tran 1m 1 uic\n.end", "v(out)", -1, 2, ""},
		"idt with a reset": { // from 0.5 s to 0.6 s; 0.5 + 3·0.4 at the end
			"t\nV1 in 0 3\nR1 in 0 1\nV2 r 0 pulse(0 1 0.5 1u 1u 0.1 2)\nR2 r 0 1\n" +
				"B1 out 0 V=idt(v(in),0.5,v(r)>0.5)\nR3 out 0 1\n.tran 1m 1\n.end", "v(out)", -1,
			1.7, ""},
		"idt during its reset": {
			"t\nV1 in 0 3\nR1 in 0 1\nB1 out 0 V=2*idt(v(in),-1,time>0.2)\nR3 out 0 1\n" +
				".tran 1m 1\n.end", "v(out)", -1, -2, ""},
		"idt of a large value during its reset": { // not 3 V more
			"t\nV1 in 0 3\nR1 in 0 1\nB1 out 0 V=idt(1e9*v(in),0.5,1)\nR3 out 0 1\n" +
				".tran 1m 1\n.end", "v(out)", -1, 0.5, ""},
		"C by its charge": {
			"t\nV1 in 0 pwl(0 0 1 2)\nV2 in a 0\nC1 a 0 Q=1m*x*x\n.tran 1m 0.5\n.end", "i(v2)",
			-1, 4e-3, ""},
		"L by its flux": {
			"t\nI1 0 a pwl(0 0 1 2)\nL1 a 0 flux=x*x*x\n.tran 1m 0.5\n.end", "v(a)", -1, 6, ""},
		"tc1 of C and L": {"t\nV1 in 0 ac 1\nL1 in out 1 tc1=0.01\nC1 out 0 1u tc2=1e-4\n.options temp=127\n.ac lin 1 15.91549430918953 15.91549430918953\n.end", "v(out)_mag", 0, 1 / (1 - 1e4*2*2e-6), ""},
		"loop of inductors, uic": {
			"t\nL1 a 0 1m\nL2 a 0 1m\nI1 0 a pwl(0 0 1 1)\nR1 a 0 1k\n.tran 1m 0.5 uic\n.end",
			"i(l1)", -1, 0.25, ""},
		"inductor across a source": {
			"t\nV1 a 0 sin(0 1 1 0 0 90) ac 1\nL1 a 0 1\n.ac lin 1 1 1\n.end", "i(l1)_mag", 0,
			1 / (2 * math.Pi), "v1 (line 2), l1 (line 3) form a loop without resistance"},
		"loop of inductors, noise": {
			"t\nV1 a 0 ac 1\nL1 a 0 1\nR1 a b 1k\nR2 b 0 1k\n.noise v(b) V1 lin 1 1k 1k\n.end",
			"onoise_spectrum", 0, math.Sqrt(4 * 1.38064852e-23 * 300.15 * 500),
			"v1 (line 2), l1 (line 3) form a loop without resistance"},
		"loop of inductors, sens": {
			"t\nV1 a 0 ac 1\nL1 a 0 1\nR1 a b 1k\nR2 b 0 1k\n.sens v(b) ac lin 1 1k 1k\n.end",
			"r2_mag", 0, 1e3 / 4e6, "form a loop without resistance"},
		".disto beside .op": {"t\n" + divider + ".disto dec 10 1 10k\n.op\n.end", "v(out)",
			0, 5, ".disto is not yet supported and is not run"},
		".noise with an interval": {"t\n" + coupled + ".noise V(out) V1 30\n.ac lin 3 1k 3k\n.end",
			"onoise_spectrum", -1, density, "line 5: .noise: the frequencies are those of the .ac " +
				"card of line 6"},
		".noise without frequencies": {"t\n" + coupled + ".noise V(out) V1\n.ac list 1 10\n.end",
			"onoise_spectrum", 1, density, "those of the .ac card of line 6"},
		"DEV and LOT": {"t\nV1 in 0 10\nR1 in out rm 1k\nR2 out 0 1k\n" +
			".model rm RES R=1 DEV=5% TC1=0 LOT/GAUSS=10%\n.op\n.end", "v(out)", 0, 5,
			"line 5: model rm: the tolerances DEV and LOT of PSpice are not used; mc(x,tol)"},
		"DEV without =": {"t\nV1 c 0 5\nQ1 c b 0 qx\nI1 0 b 1u\nR1 c 0 1meg\n" +
			".model qx NPN(BF=100 DEV 10% LOT/1 5 % IS=1f DEV/UNIFORM/2 0.1)\n" +
			".options gmin=1e-15\n.op\n.end", "i(v1)", 0, -105e-6, "model qx: the tolerances"},
		"scale factors of pwl": {"t\nV1 out 0 PWL TIME_SCALE_FACTOR=1m VALUE_SCALE_FACTOR=2 (0,0) " +
			"(1,1) (+3,4)\nR1 out 0 1\n.tran 10u 2.5m\n.end", "v(out)", -1, 5, "times of pwl with +"},
		"scale factors before repeat": {"t\nV1 out 0 PWL value_scale_factor={1+1} " +
			"TIME_SCALE_FACTOR=1m REPEAT FOREVER (0 0 1 1 2 0) ENDREPEAT\nR1 out 0 1\n" +
			".tran 10u 4.5m\n.end", "v(out)", -1, 1, ""},
		".autoconverge": {"t\n" + divider + ".AUTOCONVERGE ITL1=1000 ITL2=1000\n.op\n.end", "v(out)",
			0, 5, ".autoconverge is not supported and is ignored"},
		".mc and .wcase": {"t\n" + divider + ".MC 10 DC V(out) YMAX\n.op\n.end", "v(out)", 0, 5,
			".mc is not supported and is ignored"},
		".option without =": {"t\nI1 0 a 1m\nD1 a 0 dm\n.model dm D(is=1e-12 tnom=37)\n" +
			".option reltol .0001 method gear temp 37\n.op\n.end", "v(a)", 0,
			1.3806e-23 * 310.15 / 1.602177e-19 * math.Log(1e9+1), "line 5: .option reltol .0001 is read as reltol=.0001"},
		"quotes in B": {"t\nV1 \"/in\" 0 1\nR1 /out 0 1\nB1 /out 0 V=2*V(\"/in\")\n.op\n.end",
			"v(/out)", 0, 2, ""},
		"quotes in .save": {"t\nV1 /in 0 10\nR1 /in /out 1k\nR2 /out 0 1k\n.op\n.save V(\"/out\")\n" +
			".end", "v(/out)", 0, 5, ""},
		"pwr of a constant": {"t\nV1 a 0 -2\nB1 c 0 V=pwr(2,3)+pwr(abs(V(a)),2)+0*V(a)\nR1 c 0 1k\n" +
			"R2 a 0 1\n.op\n.end", "v(c)", 0, 12, ""},
		"pwr in a transfer function": {"t\nV1 a 0 AC 1\nE1 c 0 LAPLACE {V(a)} " +
			"{1/(1+pwr(s/(2000*pi),2)+s/(1000*pi))}\nR1 c 0 1k\nR2 a 0 1\n.ac lin 1 1k 1k\n.end",
			"v(c)_mag", 0, 0.5, ""},
		"pwr of a branch": {"t\nV1 a 0 -2\nB1 c 0 V=pwr(V(a)<0 ? V(a) : abs(V(a)),3)\nR1 c 0 1k\n" +
			"R2 a 0 1\n.op\n.end", "v(c)", 0, -8, "pwr() of a negative number is negative"},
		"pwrs of a constant": {"t\n.param p={pwrs(-2,3)+pwr(-3,2)}\nV1 c 0 {p}\nR1 c 0 1k\n.op\n.end",
			"v(c)", 0, -8 + 9, ""}, // LTspice help: sgn(x)·|x|^y; ngspice 39: pwr is 9
		"pwr of a negative constant": {"t\nB1 c 0 V=pwr(-2,2)\nR1 c 0 1k\n.op\n.end", "v(c)", 0, -4,
			"pwr() of a negative number is negative"}, // ngspice 39
		"root of a negative parameter": {"t\n.param pa=-2\nV1 c 0 {1+pa**0.5}\nR1 c 0 1k\n.op\n.end",
			"v(c)", 0, 1 + math.Sqrt2, "pa is negative"}, // ngspice 39
		"root behind a condition": {
			"t\n.param pa=-2\nV1 c 0 {pa<0 ? 3 : pa**0.5}\nR1 c 0 1k\n.op\n.end", "v(c)", 0, 3, ""},
		"root of a negative voltage": {
			"t\nV1 a 0 -2\nB1 c 0 V=v(a)**0.5\nR1 c a 1k\n.op\n.end", "v(c)", 0, math.Sqrt2, ""},
		"mod and fabs": {"t\nV1 a 0 -7.5\nB1 c 0 V=mod(V(a),2)+10*fabs(V(a))+100*mod(7,4)\n" +
			"R1 c 0 {fabs(-1k)+mod(-1,3)}\nR2 a 0 1\n.op\n.end", "v(c)", 0, -1.5 + 75 + 300, ""},
		".step that nothing uses": {"t\n" + divider + ".step param foo list 1 2\n.op\n.end", "v(out)",
			0, 5, "line 5: .step param foo: nothing uses this parameter, so all runs are equal"},
		".step of an element": {"t\n" + divider + ".step param R2 1k 2k 1k\n.op\n.end", "v(out)",
			0, 5, "so all runs are equal; for the element r2 of line 4 write {x}"},
		".step with .if": {"t\n" + divider + ".step param foo list 1 2\n.if (foo==1)\nR3 out 0 1k\n" +
			".endif\n.op\n.end", "v(out)", 0, 10. / 3, ""},
		".step with .tran": {"t\n" + divider + ".step param foo list 1m 2m\n.tran 1u {foo}\n.end",
			"time", -1, 1e-3, ""},
		".step with .func": {"t\n" + divider + ".step param foo list 1 2\n.func f(x) {x*foo}\n" +
			".tran 1u 1m\n.meas tran m param f(2)\n.end", "v(out)", -1, 5, ""},
		"tiny print step": {"t\n" + divider + ".tran 0.1n 10m\n.end", "time", -1, 10e-3,
			"the time step of .tran is 1e-09 s instead of 1e-10 s"},
	} {
		c.check(t, name)
	}
}

// check runs the netlist and compares the value and the warnings.
func (c dialectCase) check(t *testing.T, name string) {
	t.Helper()
	r, err := Simulate(context.Background(), Request{Netlist: c.text})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	all := strings.Join(r.Warnings, "\n")
	found := c.warning == ""
	for _, w := range strings.Split(c.warning, "|") {
		found = found || strings.Contains(all, w)
	}
	if !found || c.warning == "" && all != "" {
		t.Errorf("%s: warnings %q, want %q", name, r.Warnings, c.warning)
	}
	if n := strings.Count(all, "tolerances DEV and LOT"); n > 1 {
		t.Errorf("%s: %d warnings of tolerances", name, n)
	}
	if c.at == -2 {
		return
	}
	got := math.NaN()
	for _, v := range r.Vectors {
		if v.Name == c.vector {
			got = v.Values[(c.at+len(v.Values))%len(v.Values)]
		}
	}
	tolerance := 1e-3 * math.Abs(c.want)
	if c.want == 0 {
		tolerance = 1e-6
	}
	if !(math.Abs(got-c.want) <= tolerance) {
		t.Errorf("%s: %s is %g, want %g", name, c.vector, got, c.want)
	}
}

// TestMissingEnd verifies that a netlist without .end is rejected with a suggestion. With AddEnd it
// is accepted with a warning.
func TestMissingEnd(t *testing.T) {
	const text = "t\nV1 a 0 1\nR1 a 0 1k\n.op\n\n"
	_, err := Simulate(context.Background(), Request{Netlist: text})
	var e *Error
	if !errors.As(err, &e) || e.Code != diag.NoEnd ||
		!strings.HasSuffix(e.Detail, "ends with:\nR1 a 0 1k\n.op\n.end") {
		t.Errorf("refused with %v", err)
	}
	r, err := Simulate(context.Background(), Request{Netlist: text, AddEnd: true})
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "no .end line") {
		t.Errorf("with AddEnd: %v, %v", r, err)
	}
}

// TestBaseModels verifies the errors of ako.
func TestBaseModels(t *testing.T) {
	for text, want := range map[string]string{
		".model a ako: b\n.model b ako: a":     "refer to each other",
		".model a ako: nothing d(is=1f)":       "which no .model card defines",
		".model a ako:":                        "which no .model card defines",
		".model a ako: b\n.model b npn(is=1f)": "model of type d",
	} {
		_, err := Simulate(context.Background(),
			Request{Netlist: "t\nI1 0 o 1m\nD1 o 0 a\n" + text + "\n.op\n.end"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestMisleadingHints verifies that errors of lines without the mistake of a hint lack the hint.
func TestMisleadingHints(t *testing.T) {
	for text, hint := range map[string]string{
		"V1 1 0 1\nV2 2 0 1\nE1 3 0 poly(2) 1,0 2,0 0 1 1 foo\n.op":     "decimal point",
		"V1 a 0 1\nR1 a 0 1\n.tran 1m 5m\n.meas tran x abs(v(a))":       "at one point",
		"V1 a 0 1\nR1 a 0 1\n.ac lin 1 1 1\n.meas ac x sqrt(v(a)) at=1": "at one point",
	} {
		err := Request{Netlist: "t\n" + text + "\n.end"}.Check()
		if err == nil || strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDialectErrors verifies the errors of forms that are not available.
func TestDialectErrors(t *testing.T) {
	for text, want := range map[string]struct {
		code   diag.Code
		detail string
	}{
		"V1 a 0 AC 1\nR1 a 0 1\n.noise V(a) V1 30\n.op": {diag.MissingValue,
			"the netlist has no .ac card"},
		"V1 a 0 AC 1\nR1 a 0 1\n.noise V(a) V1 foo\n.ac dec 1 1 10": {diag.Syntax,
			`must be dec, oct or lin, not "foo"`},
		"V1 a 0 AC 1\nR1 a 0 1\n.ac dec 10 1 1M": {diag.BadValue,
			"1M is 0.001 in SPICE, where megahertz are written meg"},
		"V1 a 0 3,3\nR1 a 0 1\n.op":         {diag.Syntax, "a decimal point is written 3.3"},
		"V1 a 0 1\nR1 a 0 r=4,7k\n.op":      {diag.Syntax, "a decimal point is written 4.7k"},
		"V1 a 0 1\nR1 a 0 4,7k\n.op":        {diag.Syntax, "a decimal point is written 4.7k"},
		"V1 a 0 1\nR1 a 0 1\n.tran 0,1m 5m": {diag.BadValue, "a decimal point is written 0.1m"},
		"V1 a 0 1\nR1 a 0 {4,7k}\n.op":      {diag.BadExpression, "is written 4.7k"},
		"V1 a 0 1\nR1 a 0 1\n.ac lin 1 1 1\n.meas ac x find phase(a) at=1": {diag.Syntax,
			"phase(a) is written vp(a)"},
		"V1 a 0 1\nR1 a 0 1\n.ac lin 1 1 1\n.meas ac x vp(a)": {diag.Syntax,
			"a value at one point is find vp(a) at=1k"},
		"V1 a 0 1\nV2 b 0 1\nR1 a b 1\n.dc V1 0 1 1 V2 0 1 1 TEMP 0 50 25": {diag.Syntax,
			"at most two sources; .step TEMP with its start, stop and step repeats the .dc"},
		"V1 a 0 PULSE(0 12 0 1m 1m 1 2)\nR1 a o 0.1\nC1 o 0 1u\nB1 o 0 I=5/v(o)\n.tran 1m 5m": {
			diag.NoConvergence, "node o of b1 (line 5), whose expression divides: a load of constant"},
		"V1 a 0 0\nR1 o 0 1\nB1 o 0 V=1/v(a)\n.op": {diag.NoConvergence,
			"b1 (line 4) divides by v(a), which is 0; no operating point"},
		"U1 INV $G_DPWR $G_DGND A Y D_00 IO_STD\nR1 a 0 1\n.op": {diag.NotAvailable,
			"digital primitives of PSpice such as INV"},
		"U1 nand(2) $G_DPWR $G_DGND A B Y D_00 IO_STD\nR1 a 0 1\n.op": {diag.NotAvailable,
			"as an element A"},
		"V1 a 0 PWL TIME_SCALE_FACTOR=0 (0 0 1 1)\nR1 a 0 1\n.tran 1m 1": {diag.BadValue,
			"time_scale_factor= of pwl needs a number above 0"},
		"V1 a 0 PWL VALUE_SCALE_FACTOR\nR1 a 0 1\n.tran 1m 1": {diag.BadValue,
			"value_scale_factor= of pwl needs a number"},
		"V1 a 0 sin(0 1 1k) td=1m\nR1 a 0 1\n.tran 1m 1": {diag.Syntax,
			"td= must follow the points of pwl and needs a time"},
		"V1 a 0 pwl(0 0 1u 1 3u 0) r=0 td=-1e9\nR1 a 0 1\n.tran 1u 1m": {diag.BadValue,
			"td= of pwl must lie from -1e+08 to 1e+08, which is 1e+14 times the shortest time"},
		"V1 a 0 1\nL1 a b 10\nL2 c 0 20\nR1 b 0 1\nR2 c 0 1\nK1 L1 L2 0.99 3C85\n.op": {
			diag.NotAvailable, "K1: the core model 3C85, with which PSpice counts the turns"},
		"L1 a 0 1\nL2 b 0 1\nK1 L1 L2 0.99 N87\n.op": {diag.NotAvailable,
			"K1: the core model N87, with which PSpice counts the turns"},
		"L1 a 0 1\nK1 L1 {0.99} N87\n.op": {diag.NotAvailable, "K1: the core model N87"},
		"L1 a 0 1\nL2 b 0 1\nK1 L1 L2 0.99 m=2\n.op": {diag.MissingValue,
			"K1 needs two or more inductors and a coupling factor"},
		"V1 a 0 ramp(0 1)\nR1 a 0 1\n.tran 1m 1": {diag.Syntax,
			`unexpected "ramp"; allowed are a value, dc, ac, sin, pulse, pwl, exp, am, sffm`},
		"V1 a 0 1\nS1 a 0 a 0 m\n.model m sw(ilimit=1)\n.op": {diag.NotAvailable,
			"ilimit of model m"},
		"V1 a 0 1\nW1 a 0 V1 m\n.model m csw(ilimit=1)\n.op": {diag.NotAvailable,
			"ilimit of model m"},
		"V1 a 0 1\nS1 a 0 a 0 m\n.model m sw(vt=1 vh=-.5 vser=1)\n.op": {diag.NotAvailable,
			"vser of model m"},
		"V1 a 0 1\nS1 a 0 a 0 m\n.model m vswitch(lser=1u)\n.op": {diag.NotAvailable,
			"lser of model m"},
		"V1 a 0 1\nD1 a 0 d pj=-1\n.model d d\n.op": {diag.BadValue, "pj must not be negative"},
		"V1 a 0 1\nD1 a 0 d n=0\n.model d d\n.op":   {diag.BadValue, "number of diodes in series"},
		"V1 a 0 1\nB1 a 0 I=1 m=0\n.op":             {diag.BadValue, "m= must be above 0"},
		"V1 a 0 1\nG1 a 0 value={1} m=0\n.op":       {diag.BadValue, "m= must be above 0"},
		"V1 a 0 AC 1\nE1 b 0 freq {v(a)} = (1,0,0) (1k,0,0) foo=1\n.ac lin 1 1 1": {
			diag.NotAvailable, "freq has no parameter foo"},
		"V1 a 0 1\nR1 a 0 {mod(3,0)}\n.op": {diag.BadExpression, "divides by zero"},
	} {
		_, err := Simulate(context.Background(), Request{Netlist: "t\n" + text + "\n.end"})
		var e *Error
		if !errors.As(err, &e) || e.Code != want.code || !strings.Contains(e.Detail, want.detail) {
			t.Errorf("%s: %v, want %s %q", text, err, want.code, want.detail)
		}
	}
}

// TestQuotedNames verifies names in double quotes, as KiCad's users write them, and .four over the
// whole run.
func TestQuotedNames(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: `quotes
V1 /in 0 SIN(0 2 1k)
R1 /in /out 1k
R2 /out 0 1k
.tran 1u 5.5m
.meas tran a rms "V(/out)" from=0 to=5m
.meas tran b max V("/out")
.meas tran c max par("v(/in)-v(/out)*3")
.four 1k 9 -1 V("/out")
.end`})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"a": math.Sqrt(0.5), "b": 1, "c": 1}
	for _, m := range r.Measures {
		if m.Value == nil || math.Abs(*m.Value-want[m.Name]) > 1e-3 {
			t.Errorf("%s: %s, want %g; %q", m.Name, show(m.Value), want[m.Name], r.Warnings)
		}
	}
	if len(r.Measures) != 3 || len(r.Fourier) != 1 || r.Fourier[0].Periods != 5 ||
		math.Abs(r.Fourier[0].Lines[0].Magnitude-1) > 1e-3 {
		t.Errorf("%d measures, spectra %+v", len(r.Measures), r.Fourier)
	}
}
