package spice

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// sample is a netlist for a row of the compatibility table, without the title and .end.
type sample struct {
	text    string
	outcome string // "runs" if there is no warning, "warns" or "refused"
	says    string // part of the warning or of the error message
}

// divided is a voltage divider to which the samples add cards.
const divided = "V1 in 0 DC 10 AC 1\nR1 in out 1k\nR2 out 0 1k\n"

// filtered is a low-pass filter with a sine source.
const filtered = "V1 in 0 DC 1 AC 1 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n"

// compatibility maps the first cell of each table row, without code marks, to its samples.
var compatibility = map[string][]sample{
	".op .dc .ac .tran": {
		{filtered + ".op\n.dc V1 0 1 0.5\n.ac dec 5 10 1k\n.tran 10u 1m", "runs", ""},
		{filtered + ".tran 1m", "warns", ".tran"},
		{filtered + ".tran 10u 1m startup", "warns", "startup"},
	},
	".noise .tf .sens .pz .four .fft": {
		{filtered + ".noise v(out) V1 dec 5 10 1k", "runs", ""},
		{divided + ".tf v(out) V1", "runs", ""},
		{divided + ".sens v(out)", "runs", ""},
		{filtered + ".pz in 0 out 0 vol pz", "runs", ""},
		{filtered + ".four 1k v(out)\n.tran 10u 5m", "runs", ""},
		{filtered + ".fft v(out) np=64\n.tran 10u 5m", "runs", ""},
		{divided + ".sens v(out) v(in)", "refused", ".sens"},
	},
	".sp": {
		{"V1 a 0 DC 0 portnum 1 z0 50\nV2 b 0 DC 0 portnum 2 z0 50\nR1 a b 50\n" +
			"R2 a 0 1k\n.sp dec 2 1k 10k", "runs", ""},
		{"V1 a 0 DC 0 portnum 1 z0 50\nV2 b 0 DC 0 portnum 2 z0 50\nR1 a b 50\n" +
			"R2 a 0 1k\n.sp dec 2 1k 10k 1", "warns", "noise"},
	},
	".disto .net": {
		{filtered + ".disto dec 5 10 1k", "refused", ".disto"},
		{filtered + ".net v(out) V1", "refused", ".net"},
		{filtered + ".op\n.disto dec 5 10 1k", "warns", ".disto"},
		{filtered + ".op\n.net v(out) V1", "warns", ".net"},
	},
	"several analyses": {{filtered + ".ac dec 5 10 1k\n.tran 10u 1m", "runs", ""}},
	".control": {
		{filtered + ".control\ntran 10u 1m\nmeas tran top max v(out)\nset temp=50\n.endc", "runs", ""},
		{divided + ".control\nlet top = 2*4\ndc V1 0 $&top 2\n.endc", "warns", "let"},
		{filtered + ".control\nop\nplot v(out)\n.endc", "warns", "plot"},
	},
	".step of parameters, model parameters, sources, temp; .temp lists": {
		{"V1 a 0 1\nR1 a b {r}\nR2 b 0 1k\n.step param r list 1k 2k\n.param r=1k\n.op", "runs", ""},
		{"V1 a 0 1\nR1 a b 1k\nD1 b 0 d\n.model d d(is=1f)\n.step d d(is) list 1f 2f\n.op", "runs",
			""},
		{divided + ".step V1 list 1 2\n.op", "runs", ""},
		{divided + ".step temp list 0 50\n.op", "runs", ""},
		{divided + ".temp 0 50\n.op", "runs", ""},
	},
	".dc of a parameter, .dc param": {
		{"V1 a 0 1\nR1 a b {r}\nR2 b 0 1k\n.param r=1k\n.dc param r 1k 2k 1k", "runs", ""},
		{"V1 a 0 1\nR1 a b {r}\nR2 b 0 1k\n.param r=1k\n.dc r 1k 2k 1k", "runs", ""},
	},
	"worst case by wc() of .func and .step param run": {
		{"V1 a 0 1\nR1 a b {wc(1k,0.1,0)}\nR2 b 0 {wc(1k,0.1,1)}\n.param numruns=4 run=0\n" +
			".func wc(nom,tol,index) {if(run==numruns,nom,if(binary(run,index),nom*(1+tol)," +
			"nom*(1-tol)))}\n" +
			".func binary(run,index) {floor(run/(2**index))-2*floor(run/(2**(index+1)))}\n" +
			".step param run 0 4 1\n.op", "runs", ""},
	},
	".meas": {
		{filtered + ".meas tran top max v(out)\n.tran 10u 1m", "runs", ""},
		{filtered + ".meas ac top max v(out)\n.ac dec 5 10 1k", "warns", "magnitude"},
		{filtered + ".meas dc top max v(out)\n.dc V1 0 1 0.5", "runs", ""},
		{filtered + ".meas top max v(out)\n.tran 10u 1m", "warns", "meas"},
		{filtered + ".meas tran t trig v(out)=0.1\n.tran 10u 1m", "warns", "to the end of the run"},
		{filtered + ".meas ac a find mag(v(out)) at=100\n.ac dec 5 10 1k", "runs", ""},
		{filtered + ".meas tran a max v(out)*2\n.tran 10u 1m", "runs", ""},
		{filtered + ".meas tran a avg v(out) trig v(in) val=0.5 rise=1 targ v(in) val=0.5 fall=1\n" +
			".tran 10u 1m", "runs", ""},
		{filtered + ".meas noise all integ v(onoise)\n.noise v(out) V1 dec 5 10 1k", "runs", ""},
		{divided + ".meas op half find v(out)\n.op", "runs", ""},
		{divided + ".meas op half max v(out)\n.op", "refused", "find and param"},
		{filtered + ".meas ac pm find 180+ph(v(out)) at=1k\n.ac dec 5 10 1k", "runs", ""},
	},
	"i(r1), p(r1), @r1[p], par()": {
		{filtered + ".meas tran a avg p(r1)\n.meas tran b max i(r1)\n.meas tran c avg @r1[p]\n" +
			".meas tran d max par('2*v(out)')\n.meas tran e max i(c1)\n.tran 10u 1m", "runs", ""},
		{"V1 a 0 5\nR1 a b 1meg\nQ1 a b 0 2N3904\n.meas tran x avg Ic(Q1)\n.tran 10u 1m", "runs", ""},
		{"V1 a 0 5\nX1 a s\n.subckt s p\nR1 p 0 1k\n.ends\n.meas tran x avg Ix(X1:p)\n.tran 10u 1m",
			"runs", ""},
		{"V1 a 0 5\nX1 a s\n.subckt s p\nR1 p 0 1k\n.ends\n.meas tran x avg Ix(X1:q)\n.tran 10u 1m",
			"refused", "a pin q"},
		{"V1 a 0 5\nD1 a b 1N4148\nR1 b 0 1k\nB1 c 0 V=I(D1)*1k\nR2 c 0 1k\n.op", "runs", ""},
	},
	".include, .lib": {
		{divided + ".include parts.lib\n.op", "warns", "is not read"},
		{divided + ".lib parts.lib\n.op", "warns", "is not read"},
		{divided + "D1 out 0 nosuch\n.include parts.lib\n.op", "refused", "nosuch"},
	},
	".func, .param f(x)=": {
		{"V1 a 0 {f(1)}\nR1 a 0 1k\n.func f(x) {2*x}\n.op", "runs", ""},
		{"V1 a 0 {f(1)}\nR1 a 0 1k\n.param f(x)={2*x}\n.op", "runs", ""},
	},
	".ic, .nodeset in subcircuits": {
		{"V1 a 0 1\nX1 a s\n.subckt s p\nR1 p q 1k\nC1 q 0 1u\n.ic v(q)=0.5\n.ends\n.tran 10u 1m",
			"runs", ""},
		{"V1 a 0 1\nX1 a s\n.subckt s p\nR1 p q 1k\nR2 q 0 1k\n.nodeset v(q)=0.5\n.ends\n.op", "runs",
			""},
	},
	"R C L V I E F G H K B D Q J M (levels 1, 2, 3) S W X": {
		{"V1 a 0 1\nI1 0 b 1m\nR1 a b 1k\nC1 b 0 1n\nL1 a c 1m\nL2 c d 1m\nK1 L1 L2 0.9\nR2 d 0 1k\n" +
			"E1 e 0 a 0 2\nR3 e 0 1k\nF1 0 f V1 2\nR4 f 0 1k\nG1 0 g a 0 1m\nR5 g 0 1k\n" +
			"H1 h 0 V1 100\nR6 h 0 1k\nB1 i 0 V=2*v(a)\nR7 i 0 1k\nD1 b 0 dm\nQ1 a b 0 qm\n" +
			"J1 a 0 j jm\nR8 j 0 1k\nM1 a a m 0 m1\nR9 m 0 1k\nM2 a a n 0 m2\nR10 n 0 1k\n" +
			"M3 a a o 0 m3\nR11 o 0 1k\nS1 a p a 0 sm\nR12 p 0 1k\nW1 a q V1 wm\nR13 q 0 1k\n" +
			"X1 a 0 sub\n.subckt sub x y\nR1 x y 1k\n.ends\n.model dm d\n.model qm npn\n" +
			".model jm njf\n.model m1 nmos\n.model m2 nmos level=2\n.model m3 nmos level=3\n" +
			".model sm sw\n.model wm csw\n.op", "runs", ""},
	},
	"library parts as D1N4148, Q2N3904": {
		{"V1 a 0 5\nR1 a b 1k\nD1 b 0 D1N4148\n.op", "warns", "d1n4148 of PSpice is read as 1n4148"},
		{"V1 a 0 5\nR1 a b 1meg\nQ1 a b 0 Q2N3904\n.op", "warns", "q2n3904 of PSpice is read"},
	},
	"2N2222A, 2N2907A, BC547B and the like of the library": {
		{"V1 a 0 5\nR1 a b 1meg\nQ1 a b 0 2N2222A\nQ2 a b 0 BC337-25\nX1 a b 0 BC548B\n.op", "warns",
			"2n2222a is read as 2n2222"},
	},
	"amplifiers of LTspice: level1 to level4, level.1 to level.3b, opamp with three nodes": {
		{"V1 a 0 1\nX1 a o 0 0 o level.1\nR1 o 0 1k\n.op", "warns", "universal op amp of LTspice"},
		{"V1 a 0 1\nX1 a o 0 0 o level3b phimargin=60\nR1 o 0 1k\n.op", "warns", "of the delay"},
		{"V1 a 0 1\nX1 o a o opamp\nR1 o 0 1k\n.op", "warns", "opamp with three nodes"},
	},
	"gshunt, rshunt, cshunt of .options": {
		{divided + ".options gshunt=1n rshunt=1g cshunt=1f\n.op", "runs", ""},
	},
	"two models or subcircuits with one name": {
		{divided + "D1 out 0 d\n.model d d\n.model d d(is=1p)\n.op", "warns",
			"line 7: model d is already defined on line 6"},
		{divided + "X1 out s\n.subckt s a\nR1 a 0 1k\n.ends\n.subckt s a\nR1 a 0 2k\n.ends\n.op",
			"warns", "line 9: subcircuit s is already defined on line 6"},
	},
	"tol= of R C L, pwr= of R, v= and irms= of C, ipk= and irms= of L": {
		{divided + "R3 in 0 1k tol=5%\n.op", "warns", "tol=5%"},
		{divided + "R3 in 0 1k tol=5 pwr=0.25\n.op", "warns", "pwr= of LTspice describes the part"},
		{divided + "C3 in 0 1u v=50 irms=1\n.op", "warns", "irms= of LTspice"},
		{divided + "L3 in a 1u ipk=1\nR3 a 0 1k\n.op", "warns", "ipk= of LTspice"},
	},
	"OPTIONAL: and TEXT: of PSpice in .subckt": {
		{divided + ".subckt s a OPTIONAL: d=$G_DPWR PARAMS: k=0\nR1 a 0 1k\n.ends\n.op", "runs", ""},
		{divided + "X1 in s\n.subckt s a PARAMS: k=0 TEXT: f=\"x\"\nR1 a 0 1k\n.ends\n.op",
			"refused", "TEXT: of PSpice"},
	},
	".machine and .ac file=": {
		{divided + ".machine\n.state a 0\n.endmachine\n.op", "refused", "state machine"},
		{divided + ".ac file=f.txt", "refused", ".ac list"},
	},
	"B: R=, tripdv=, tripdt=; F, H: value=": {
		{divided + "B1 out 0 R=1k+v(in)\nF1 0 a value={v(in)*1m}\nR3 a 0 1k\n" +
			"H1 b 0 value={v(in)}\nR4 b 0 1k\n.op", "runs", ""},
		{divided + "B1 a 0 V=v(in) tripdv=1 tripdt=1n\nR3 a 0 1k\n.op", "warns", "tripdv="},
	},
	"V with V=, I with I= (expressions)": {
		{"V1 a 0 1\nR1 a 0 1k\nV2 b 0 V=v(a)*2\nR2 b 0 1k\n.op", "warns", "read as a source B"},
		{"V1 a 0 1\nR1 a 0 1k\nV2 b 0 I=v(a)*2\nR2 b 0 1k\n.op", "refused", "source B"},
		{"V1 a 0 1\nR1 a 0 1k\nV2 b 0 V=v(a) Rser=2\nR2 b 0 1k\n.op", "refused", "rser= of a source"},
		{"V1 a 0 V=1\nR1 a 0 1k\n.step V1 0 2 1\n.op", "refused", ".step of V1"},
	},
	"I with the word load": {{"V1 a 0 1\nR1 a b 1k\nI1 b 0 1m load\n.op", "warns",
		"load is read as in LTspice"}},
	"I as a load: TBL(...) of its voltage": {
		{"V1 a 0 1\nR1 a b 1k\nI1 b 0 TBL(0 0 1 1m)\n.op", "runs", ""},
		{"V1 a 0 1\nR1 a b 1k\nI1 b 0 R=1k\n.op", "refused", "a load"},
		{"V1 a 0 1\nR1 a b 1k\nI1 b 0 TBL(0 0 1)\n.op", "refused", "TBL takes pairs"},
	},
	`.param a 5, .params: a=5, .temp=50, an empty value ""`: {
		{"V1 a 0 {a}\nR1 a 0 1k \"\"\n.params: a=5\n.temp=50\n.op", "runs", ""},
		{"V1 a 0 {a}\nR1 a 0 1k\n.param a 5\n.op", "warns", "a 5 is read as a=5"},
	},
	"VDMOS": {{"V1 d 0 5\nV2 g 0 4\nM1 d g 0 v\n.model v vdmos(vto=2 kp=1 cgs=1n " +
		"cgdmin=10p cgdmax=1n cjo=1n)\n.op", "runs", ""},
		{"V1 d 0 5\nV2 g 0 4\nM1 d g 0 v\n.model v vdmos(vto=2 kp=1 rq=1 vq=2)\n.op", "warns",
			"without rd"},
		{"V1 d 0 5\nV2 g 0 4\nM1 d g 0 v\n.model v vdmos(vto=2 kp=1 rd=1 rq=1)\n.op", "warns",
			"rq and vq"},
		{"V1 d 0 5\nV2 g 0 4\nM1 d g 0 v\n.model v vdmos(vto=2 kp=1 rd=1 rq=1 vq=0)\n.op", "refused",
			"vq must not be 0"},
		{"V1 d 0 5\nV2 g 0 4\nM1 d g 0 v\n.model v vdmos(vto=2 kp=1 cgs=1n cgdmin=10p cgdmax=1n " +
			"cjo=1n rd=1 rq=1 vq=2)\n.op", "runs", ""}},
	"U (URC)": {{"V1 a 0 1\nU1 a b 0 u L=50u\nR1 b 0 1k\n.model u urc(rperl=1k cperl=1n)\n.op",
		"runs", ""},
		{"V1 a 0 1\nU1 a b 0 u L=50u\nR1 b 0 1k\n.model u urc(rperl=1k cperl=1n isperl=1f)\n.op",
			"refused", "isperl"}},
	"Z (MESFET level 1)": {{"V1 d 0 2\nZ1 d 0 0 z\n.model z nmf(vto=-1 beta=2m)\n.op", "runs", ""}},
	"O (LTRA): RLC, LC, RC, RG": {
		{lineOf("r=0.2 l=1u c=100p len=1"), "runs", ""},
		{lineOf("l=1u c=100p len=1"), "runs", ""},
		{lineOf("r=1 c=100p len=1"), "runs", ""},
		{lineOf("r=1 g=1m len=1"), "runs", ""},
	},
	"O (LTRA): RLGC, LGC, RGC": {
		{lineOf("r=1 l=1u g=1m c=100p len=1"), "runs", ""},
		{lineOf("l=1u g=1m c=100p len=1"), "runs", ""},
		{lineOf("r=1 g=1m c=100p len=1"), "runs", ""},
	},
	"O (LTRA): LG or RLG without C, RL, CG": {
		{lineOf("l=1u g=1m len=1"), "refused", "without c"},
		{lineOf("r=1 l=1u g=1m len=1"), "refused", "without c"},
		{lineOf("r=1 l=1u len=1"), "refused", "a resistor of"},
		{lineOf("g=1m c=1p len=1"), "refused", "a capacitor"},
	},
	"A: special functions of LTspice": {
		{divided + "A1 in 0 0 0 0 a b 0 BUF ref=2 td=1n\nA2 a b in 0 0 0 c 0 AND\n" +
			"A3 in out 0 0 0 0 d 0 SCHMITT vt=1 vh=0.1\nA4 a b 0 0 0 0 e 0 SRFLOP ic=1\n" +
			"A5 a 0 b 0 0 f g 0 DFLOP\nA6 a 0 0 0 0 0 h 0 COUNTER cycles=4\n" +
			"A7 a b 0 0 0 0 i 0 PHASEDET iout=1m\nR7 i 0 1k\nA8 in 0 b 0 0 0 j 0 SAMPLEHOLD\n" +
			"A9 in 0 0 0 0 k l 0 MODULATE mark=2 space=1\nA10 in 0 0 0 0 0 m 0 VARISTOR rclamp=1\n" +
			"A11 0 in 0 0 0 0 m 0 OTA g=1m linear Vhigh=9 Vlow=-9\n.op", "runs", ""},
		{divided + "A1 in 0 0 0 0 0 b 0 INV\n.op", "warns", "terminal 6"},
		{divided + "A1 in 0 0 0 0 0 b 0 VARISTOR\nR3 b 0 1k\n.op", "warns", "1 ohm"},
		{divided + "A1 in 0 0 0 0 0 b 0 VARISTOR table(0 0 1 1)\n.op", "refused", "table"},
		{divided + "A1 in 0 0 0 0 0 b 0 AND isink=1m\n.op", "refused", "isink"},
	},
	"A: code models of XSPICE": {
		{divided + "A1 in out gain\n.model gain gain(gain=2)\n.op", "refused", "a1"},
		{divided + "A1 [in out] b and1\n.model and1 d_and\n.op", "refused", "a1"},
	},
	"Y, N elements, MOS and MESFET of other levels, BSIM": {
		{divided + "Y1 in 0 out 0 y\n.op", "refused", "y1"},
		{divided + "N1 in out n\n.op", "refused", "n1"},
		{divided + "M1 in out 0 0 m\n.model m nmos level=8\n.op", "refused", "level"},
		{divided + "M1 in out 0 0 m\n.model m nmos level=54\n.op", "refused", "level"},
		{divided + "Z1 in out 0 z\n.model z nmf level=2\n.op", "refused", "level"},
	},
	"R={...} of voltages": {{"V1 a 0 1\nR1 a 0 R={1k+v(a)}\n.op", "runs", ""}},
	"C by charge, L by flux": {
		{"V1 a 0 SIN(0 1 1k)\nR1 a b 1k\nC1 b 0 Q=1u*x\n.tran 10u 1m", "runs", ""},
		{"V1 a 0 SIN(0 1 1k)\nR1 a b 1k\nL1 b 0 flux=1m*tanh(x)\n.tran 10u 1m", "runs", ""},
	},
	"E, G: value, table, poly": {
		{divided + "E1 a 0 value={2*v(out)}\nR3 a 0 1k\nG1 0 b value={v(out)*1m}\nR4 b 0 1k\n.op",
			"runs", ""},
		{divided + "E1 a 0 table {v(out)} = (0,0) (10,20)\nR3 a 0 1k\n.op", "runs", ""},
		{divided + "G1 0 a poly(1) out 0 0 1m 1u\nR3 a 0 1k\n.op", "runs", ""},
	},
	"E, G: laplace": {
		{filtered + "E1 a 0 laplace {v(in)} {1/(1+s*1m)}\nR3 a 0 1k\n.ac dec 5 10 1k\n.tran 10u 1m",
			"runs", ""},
		{filtered + "E1 a 0 laplace {v(in)} {exp(-s*1m)}\nR3 a 0 1k\n.ac dec 5 10 1k", "refused",
			"laplace"},
	},
	"E, G: freq in .op, .dc, .ac, .noise, .sp": {
		{filtered + "E1 a 0 freq {v(in)} = (0,0,0) (1k,-20,-90)\nR3 a 0 1k\n.ac dec 5 10 1k", "warns",
			"above 1000 Hz the gain is 0"},
		{filtered + "G1 a 0 freq {v(in)} = mag rad (1,1,0) (1k,.1,-1) delay=1u\nR3 a 0 1k\n" +
			".ac dec 5 10 1k\n.op", "warns", "at DC as well"},
	},
	"E, G: freq in .tran and .pz": {
		{filtered + "E1 a 0 freq {v(in)} = (0,0,0) (1k,-20,-90)\nR3 a 0 1k\n.tran 10u 1m", "refused",
			"use laplace"},
		{filtered + "E1 a 0 freq {v(in)} = (0,0,0) (1k,-20,-90)\nR3 a 0 1k\n.pz in 0 a 0 vol pz",
			"refused", "freq of e1"},
	},
	"ddt": {{filtered + "B1 a 0 V=ddt(v(in))*1m\nR3 a 0 1k\n.tran 10u 1m", "runs", ""}},
	"temper in parameters and models": {
		{"V1 a 0 {temper}\nR1 a 0 1k\n.op", "runs", ""},
		{"V1 a 0 {temper}\nR1 a 0 1k\n.dc temp 0 50 10", "refused", "temper"},
	},
	"idtmod": {{"B1 a 0 V=idtmod(1k,0,1)\nR1 a 0 1k\n.tran 10u 3m", "runs", ""},
		{"B1 a 0 V=idtmod(1k)\nR1 a 0 1k\n.tran 10u 3m", "runs", ""}},
	"idt, sdt": {
		{filtered + "B1 a 0 V=idt(v(in))*1k\nR3 a 0 1k\nB2 b 0 V=sdt(v(in))*1k\nR4 b 0 1k\n" +
			".tran 10u 1m", "runs", ""},
		{filtered + "B1 a 0 V=idt(v(in),0,1)\nR3 a 0 1k\n.tran 10u 1m", "runs", ""},
	},
	"delay of a constant time": {
		{filtered + "B1 a 0 V=delay(v(in),20u)\nR3 a 0 1k\n.tran 10u 1m", "runs", ""},
		{filtered + "B1 a 0 V=absdelay(v(in),20u,1m)\nR3 a 0 1k\n.ac dec 5 10 1k", "runs", ""},
		{filtered + "B1 a 0 V=delay(v(in),v(out))\nR3 a 0 1k\n.tran 10u 1m", "refused",
			"must be constant"},
		{filtered + "B1 a 0 V=delay(v(in),20u)\nR3 a 0 1k\n.pz in 0 a 0 vol pz", "refused",
			"delay() of b1"},
	},
	"hertz in expressions of sources": {
		{filtered + "B1 a 0 V=v(out)*hertz\nR3 a 0 1k\n.ac dec 5 10 1k", "runs", ""},
		{filtered + "B1 a 0 V=v(out)*freq\nR3 a 0 1k\n.ac dec 5 10 1k", "warns", "freq"},
	},
	"rand random white": {
		{filtered + "B1 a 0 V=rand(1e4*time)+random(1e4*time)+white(1e4*time)\nR3 a 0 {1k+rand(3)}\n" +
			".tran 10u 1m", "runs", ""},
	},
	"loops of inductors and voltage sources": {
		{"V1 a 0 SIN(0 1 1k)\nL1 a 0 1m\n.tran 10u 1m uic", "runs", ""},
		{"V1 a 0 SIN(0 1 1k)\nL1 a 0 1m\n.tran 10u 1m", "warns", "loop"},
		{"V1 a 0 AC 1\nL1 a 0 1m\n.ac dec 5 10 1k", "warns", "loop"},
		{"V1 a 0 1\nL1 a 0 1m\n.op", "refused", "loop"},
	},
	"SW, CSW with a negative VH, IH": {
		{divided + "S1 in a out 0 s\nR3 a 0 1k\n.model s sw(vt=2 vh=-1)\n.op", "warns", "smooth"},
		{divided + "W1 in a V1 s\nR3 a 0 1k\n.model s csw(it=2m ih=-1m)\n.op", "warns", "smooth"},
	},
	"VSWITCH, ISWITCH": {
		{divided + "S1 in a out 0 s\nR3 a 0 1k\n.model s vswitch(von=2 voff=1)\n.op", "runs", ""},
		{divided + "W1 in a V1 s\nR3 a 0 1k\n.model s iswitch(ion=2m ioff=1m)\n.op", "runs", ""},
		{divided + "S1 in a out 0 s\nR3 a 0 1k\n.model s vswitch(vt=2 vh=1)\n.op", "warns", "read as sw"},
	},
	"sin pulse exp pwl sffm am": {
		{"V1 a 0 SIN(0 1 1k)\nV2 b 0 PULSE(0 1 0 1u 1u 0.1m 0.5m)\nV3 c 0 EXP(0 1 0 0.1m 0.5m 0.1m)\n" +
			"V4 d 0 PWL(0 0 1m 1)\nV5 e 0 SFFM(0 1 10k 1 1k)\nV6 f 0 AM(1 0 1k 10k 0)\n" +
			"R1 a b 1k\nR2 c d 1k\nR3 e f 1k\nR4 a 0 1k\n.tran 10u 1m", "runs", ""},
		{"V1 a 0 SIN(0 1 1k 0 0 0 2)\nR1 a 0 1k\n.tran 10u 5m", "warns", "cycles"},
	},
	"trrandom": {
		{"V1 a 0 DC 0 TRRANDOM(1 1u)\nR1 a 0 1k\n.options seed=1\n.tran 10u 100u", "runs", ""},
		{"V1 a 0 DC 0 TRRANDOM(1 1u)\nR1 a 0 1k\n.tran 10u 1m", "refused", "seed"},
	},
	"tolerances DEV, LOT of models": {{"V1 a 0 1\nR1 a 0 rm 1k\n.model rm res(R=1 DEV=5%)\n.op",
		"warns", "tolerances DEV and LOT"}},
	"digital primitives (U1 INV $G_DPWR ...)": {{"V1 a 0 1\nR1 a 0 1k\n" +
		"U1 INV $G_DPWR $G_DGND a y D_00 IO_STD\n.op", "refused", "digital primitives"}},
	"trnoise, wavefile, file=": {
		{"V1 a 0 DC 0 TRNOISE(1m 1u 0 0)\nR1 a 0 1k\n.tran 10u 1m", "refused", "trnoise"},
		{"V1 a 0 wavefile=a.wav\nR1 a 0 1k\n.tran 10u 1m", "refused", "wavefile"},
		{"V1 a 0 PWL file=a.txt\nR1 a 0 1k\n.tran 10u 1m", "refused", "file"},
	},
	"random functions (mc agauss ...)": {
		{"V1 a 0 1\nR1 a 0 {mc(1k,0.1)}\n.options seed=1\n.op", "runs", ""},
		{"V1 a 0 1\nR1 a 0 {agauss(1k,100,3)}\n.op", "warns", "nominal"},
	},
	"^ in expressions": {{"V1 a 0 {2^3}\nR1 a 0 1k\n.op", "runs", ""},
		{"V1 a 0 3\nB1 b 0 V=(v(a)>2)^(v(a)>1)\nR1 b 0 1k\n.op", "warns", "as a power"},
		{"V1 a 0 3\nB1 b 0 V=(v(a)>2)^(v(a)>1)\nR1 b 0 1k\n.op\n.backanno", "warns", "as XOR"},
		{"V1 a 0 3\nB1 b 0 V=v(a)^2\nR1 b 0 1k\n.op", "runs", ""}},
	".print .plot .probe .save .backanno and the like": {
		{divided + ".print v(out)\n.op", "warns", ".print"},
		{divided + ".plot v(out)\n.op", "warns", ".plot"},
		{divided + ".probe v(out)\n.op", "warns", ".probe"},
		{divided + ".backanno\n.op", "runs", ""},
		{divided + ".save v(out)\n.op", "runs", ""},
	},
	".if .. .endif": {{divided + ".if (1)\nR3 out 0 1k\n.endif\n.op", "runs", ""}},
	".data; .alter and the lines behind it": {
		{divided + ".data d r 1k 2k\n.enddata\n.op", "warns", ".data is not supported"},
		{divided + ".op\n.alter\n.param x=", "warns", ".alter is not supported"},
	},
}

// lineOf returns a circuit with a lossy line. model holds the parameters of the ltra model.
func lineOf(model string) string {
	return "V1 a 0 PULSE(0 1 0 1n 1n 100n)\nR1 a b 50\nO1 b 0 c 0 line\nR2 c 0 50\n" +
		".model line ltra(" + model + ")\n.tran 1n 50n"
}

// TestCompatibilityTable runs the samples of every row of the compatibility table in docs/spice.md.
// A row with the cell "yes", "no" or "warning" must have a sample with this outcome.
func TestCompatibilityTable(t *testing.T) {
	text, err := os.ReadFile("../docs/spice.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Compatibility\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.TrimSpace(strings.ReplaceAll(cells[0], "`", ""))
		if len(cells) != 4 || name == "" || strings.HasPrefix(name, "---") {
			continue
		}
		rows[name] = true
		samples := compatibility[name]
		if len(samples) == 0 {
			t.Errorf("%s: the row has no netlist", name)
		}
		has := map[string]bool{}
		for _, s := range samples {
			has[s.outcome] = true
			checkSample(t, name, s)
		}
		for _, cell := range cells[1:] {
			cell = strings.TrimSpace(cell)
			for word, outcome := range map[string]string{"warning": "warns", "yes": "runs",
				"no": "refused"} {
				named := strings.Contains(cell, word)
				if word != "warning" {
					named = cell == word || strings.HasPrefix(cell, word+";")
				}
				if named && !has[outcome] {
					t.Errorf("%s: no netlist shows %q", name, cell)
				}
			}
		}
	}
	for name := range compatibility {
		if !rows[name] {
			t.Errorf("%s: the table has no such row", name)
		}
	}
}

// checkSample runs the netlist of a sample and compares the outcome with the expected one.
func checkSample(t *testing.T, row string, s sample) {
	t.Helper()
	r, err := Simulate(context.Background(), Request{Netlist: "title\n" + s.text + "\n.end\n"})
	var fault *Error
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("%s: %s: %v", row, s.text, err)
	}
	got, message := "refused", ""
	switch {
	case fault != nil:
		message = fault.Error()
	case len(r.Warnings) > 0:
		got, message = "warns", strings.Join(r.Warnings, "\n")
	default:
		got = "runs"
	}
	if got != s.outcome || !strings.Contains(strings.ToLower(message), strings.ToLower(s.says)) {
		t.Errorf("%s: %s, wanted %s with %q: %s\n%s", row, got, s.outcome, s.says, message, s.text)
	}
}
