package spice

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestDeviceTemperatures verifies temp= and dtemp= of elements and tnom of models. The expected
// voltages are those of ngspice 39.
func TestDeviceTemperatures(t *testing.T) {
	r := run(t, `t
V1 a 0 5
R1 a b 1k tc1=2m temp=77
R2 b 0 1k tc1=2m dtemp=30
I1 0 d1 1m
D1 d1 0 dd temp=100
I2 0 d2 1m
D2 d2 0 dd dtemp=-40
I3 0 d3 1m
D3 d3 0 d3m
Q1 cc bb 0 qm temp=75
RB a bb 100k
RC a cc 1k
M1 md a 0 0 mm W=10u L=1u temp=85
RD a md 10k
J1 jd 0 0 jm temp=60
RJ a jd 1k
.model dd d(is=1e-14 n=1.2 xti=3 eg=1.11)
.model d3m d(is=1e-14 n=1.2 tnom=50)
.model qm npn(is=1e-15 bf=100 xtb=1.5)
.model mm nmos(vto=1 kp=50u)
.model jm njf(vto=-2 beta=1m is=1e-14)
.temp 40
.op
.end`, "op")
	for name, want := range map[string]float64{"v(b)": 2.483989, "v(d1)": 0.6863747,
		"v(d2)": 0.8219304, "v(d3)": 0.8570847, "v(bb)": 0.6852174, "v(cc)": 0.2015550,
		"v(md)": 0.3131720, "v(jd)": 1.381966} {
		wantNear(t, name, column(t, r, name)[0], want, 2e-6)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}

	// 1.01^(TCE·dT) by the reference guide of PSpice; ngspice 39 has the same values.
	r = run(t, "t\nI1 0 a 1m\nR1 a 0 1k tce=1\nI2 0 b 1m\nR2 b 0 r 1k tc1=0.5\nI3 0 c 1m\n"+
		"R3 c 0 r 1k tce=-2 temp=37\n.model r r(tce=1)\n.temp 127\n.op\n.end", "op")
	for name, want := range map[string]float64{"v(a)": math.Pow(1.01, 100),
		"v(b)": math.Pow(1.01, 100), "v(c)": math.Pow(1.01, -20)} {
		wantNear(t, name, column(t, r, name)[0], want, 1e-9)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}

	// The largest factor of TCE is 1e12.
	r = run(t, "t\nV1 a 0 1\nR1 a b 1\nR2 b 0 1 tce=1e300\nR3 a c 1\nR4 c 0 1 tce=-1e300\n"+
		".temp 127\n.op\n.end", "op")
	wantNear(t, "v(b)", column(t, r, "v(b)")[0], 1, 1e-9)
	if v := column(t, r, "v(c)")[0]; !(math.Abs(v) < 1e-9) {
		t.Errorf("v(c) = %g", v)
	}

	// A model of C has no TCE.
	r = run(t, "t\nV1 a 0 1\nC1 a 0 c 1n\n.model c c(tce=1)\n.op\n.end", "op")
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "parameter tce is unknown") {
		t.Errorf("warnings %q", r.Warnings)
	}

	// The names of PSpice, and a model of R: 1 kΩ·(1 + 2e-3·(77 - 47)) at 77 °C.
	r = run(t, "t\nI1 0 a 1m\nD1 a 0 d\nI2 0 b 1m\nR1 b 0 r 1k temp=77\nI3 0 c 1m\nD2 c 0 e\n"+
		".model d d(is=1f t_measured=50 t_rel_global=20)\n.model r r(tc1=2m tnom=47)\n"+
		".model e d(is=1f tnom=50)\n.temp 40\n.op\n.end", "op")
	wantNear(t, "R with tnom", column(t, r, "v(b)")[0], 1.06, 1e-9)
	warm := run(t, "t\nI3 0 c 1m\nD2 c 0 e\n.model e d(is=1f tnom=50)\n.temp 60\n.op\n.end", "op")
	wantNear(t, "t_rel_global", column(t, r, "v(a)")[0], column(t, warm, "v(c)")[0], 1e-9)

	// Thermal noise has the temperature of the resistor.
	r = run(t, "t\nV1 in 0 1\nR1 in out 1k temp=127\n.noise v(out) V1 lin 2 1 2\n.end", "noise")
	wantNear(t, "noise at 127 °C", column(t, r, "onoise_spectrum")[0],
		math.Sqrt(4*1.38064852e-23*400.15*1e3), 1e-9)

	// Macromodels have resistors without noise at absolute zero.
	r = run(t, "t\nV1 in 0 1\nR1 in out r 1k\nR2 out 0 1k\n.model r res(tce=0 t_abs=-273.15)\n"+
		".noise v(out) V1 lin 2 1 2\n.end", "noise")
	wantNear(t, "noise of one resistor", column(t, r, "onoise_spectrum")[0],
		math.Sqrt(1.38064852e-23*300.15*1e3), 1e-9)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}

	for text, want := range map[string]string{
		"R1 a 0 1k temp=-300":                 "r1: temp must be from -270 to 1000 °C, not -300",
		"D1 a 0 d\n.model d d(is=1f tnom=2k)": "model d: tnom must be from -270 to 1000 °C, not 2000",
	} {
		_, err := Simulate(context.Background(), Request{Netlist: "t\nV1 a 0 1\n" + text +
			"\n.op\n.end"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestJFETTemperature verifies the temperature parameters of JFET models. The expected voltages are
// those of ngspice 39.
func TestJFETTemperature(t *testing.T) {
	r := run(t, `t
VD d 0 10
J1 d1 0 0 jm1
R1 d d1 1k
J2 d2 g2 s2 jm2
R2 d d2 1k
RS s2 0 500
RG g2 0 1meg
J3 d3 g3 0 jm3
R3 d d3 2k
I3 0 g3 1u
.model jm1 njf(beta=1.304m betatce=-.5 rd=1 rs=1 lambda=2.25m vto=-3 vtotc=-2.5m is=33.57f)
.model jm2 njf(beta=1m bex=-0.7 vto=-2 tcv=1m is=33f)
.model jm3 njf(beta=1m vto=-2 is=33f xti=3 eg=1.2)
.temp 100
.op
.end`, "op")
	for name, want := range map[string]float64{"v(d1)": 2.035179, "v(d2)": 8.498308,
		"v(s2)": 0.7508457, "v(g2)": 3.014485e-4, "v(d3)": 1.393089, "v(g3)": 0.2411172} {
		wantNear(t, name, column(t, r, name)[0], want, 1e-6)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}

	// The doping tail parameter keeps its nominal potentials: drain currents of ngspice 39.
	for model, want := range map[string]float64{
		"njf(vto=-2 beta=1m b=0.6 tcv=2m)":                4.305453397e-3,
		"njf(vto=-2 beta=1m b=1.4 vtotc=-3m lambda=0.01)": 6.045697366e-3,
	} {
		r = run(t, "t\nVD d 0 5\nJ1 d 0 0 j\n.model j "+model+"\n.temp 125\n.op\n.end", "op")
		wantNear(t, model, -column(t, r, "i(vd)")[0], want, 1e-7)
	}

	// VTOTC takes precedence over TCV: 4.000 mA·(1 + 3e-3·98/2)² at 125 °C.
	r = run(t, "t\nVD d 0 5\nJ1 d 0 0 j\n.model j njf(vto=-2 beta=1m is=0 tcv=2m vtotc=-3m)\n"+
		".temp 125\n.op\n.end", "op")
	wantNear(t, "vtotc and tcv", -column(t, r, "i(vd)")[0], 4e-3*math.Pow(1+3e-3*98/2, 2), 1e-7)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "tcv is ignored") {
		t.Errorf("warnings %q", r.Warnings)
	}

	// The gate current of 1 uA has the junction voltage N·kT/q·ln(1 + I/(2·IS)).
	r = run(t, "t\nI1 0 g 1u\nJ1 0 g 0 j\n.model j njf(is=1f n=1.5)\n.options gmin=0\n.op\n.end",
		"op")
	const vt = 1.38064852e-23 * 300.15 / 1.6021766208e-19
	wantNear(t, "n", column(t, r, "v(g)")[0], 1.5*vt*math.Log1p(1e-6/2e-15), 1e-9)

	// With M = 0.33 a gate at -3 V has CGS/(1 + 3/PB)^0.33 twice, behind 1 MΩ.
	r = run(t, "t\nV1 in 0 dc -3 ac 1\nR1 in g 1meg\nJ1 0 g 0 j\n.model j njf(is=1e-30 vto=-2 "+
		"cgs=1p cgd=1p m=0.33)\n.ac lin 1 1meg 1meg\n.end", "ac")
	c := 2e-12 * math.Pow(4, -0.33)
	wantNear(t, "m", column(t, r, "v(g)_mag")[0], 1/math.Hypot(1, 2*math.Pi*1e12*c), 1e-5)
}

// TestBreakdown verifies NBV, the temperature of the breakdown and that of the series resistance.
// The expected voltages are those of ngspice 39, except for TBV1 of PSpice: BV·(1 + TBV1·50 K).
func TestBreakdown(t *testing.T) {
	r := run(t, `t
V1 a 0 -12
R1 a b 100
D1 b 0 dz
R2 a c 1k
D2 c 0 dz2
R3 a e 10k
D3 e 0 dz
I4 0 f 10m
D4 f 0 dr
I5 g 0 1m
D5 g 0 dt
.model dz d(is=880.5e-18 rs=.25 n=1 bv=5.1 ibv=20.245m nbv=1.6989)
.model dz2 d(is=880.5e-18 n=1.2 bv=5.1 ibv=1m tcv=2m)
.model dr d(is=1f rs=10 trs1=5m trs2=10u)
.model dt d(is=1e-18 bv=10 ibv=1m tbv1=1m)
.temp 77
.op
.end`, "op")
	for name, want := range map[string]float64{"v(b)": -5.179316, "v(c)": -5.070094,
		"v(e)": -4.92823, "v(f)": 0.8318492, "v(g)": -10 * 1.05} {
		wantNear(t, name, column(t, r, name)[0], want, 3e-6)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestMOSFETDoping compares transistors whose threshold and surface potential follow from NSUB at
// TNOM with ngspice 39.
func TestMOSFETDoping(t *testing.T) {
	for _, c := range []struct {
		voltage int // sign of the voltages
		model   string
		temp    int     // [°C]
		want    float64 // drain current [A]
	}{
		{1, "nmos(level=1 tox=25n nsub=2e16 tnom=85)", 27, 6.207196577e-4},
		{1, "nmos(level=1 tox=25n nsub=2e16 tnom=85)", 85, 5.054606973e-4},
		{1, "nmos(level=2 tox=25n nsub=2e16)\n.options tnom=85", 27, 6.116299589e-4},
		{1, "nmos(level=2 tox=25n nsub=2e16)\n.options tnom=85", 85, 4.952537175e-4},
		{1, "nmos(level=3 tox=25n nsub=2e16 tnom=85)", 27, 7.264624402e-4},
		{1, "nmos(level=3 tox=25n nsub=2e16 tnom=85)", 85, 6.049303815e-4},
		{-1, "pmos(level=3 tox=25n nsub=2e16 tnom=127)", 27, 8.182005642e-4},
		{-1, "pmos(level=2 tox=25n nsub=2e16 tnom=127 tpg=-1 nss=1e10)", 85, 2.815709802e-5},
	} {
		r := run(t, fmt.Sprintf("t\nVD d 0 %d\nVG g 0 %d\nM1 d g 0 0 m w=10u l=2u\n.model m %s\n"+
			".temp %d\n.op\n.end", 5*c.voltage, 2*c.voltage, c.model, c.temp), "op")
		wantNear(t, fmt.Sprintf("%s at %d °C", c.model, c.temp),
			math.Abs(column(t, r, "i(vd)")[0]), c.want, 2e-5)
	}
	// Level 3 scales the intrinsic density from 300 K, also at a TNOM of 27 °C.
	r := run(t, "t\nVD d 0 1.6\nVG g 0 2.5\nM1 d g 0 0 m\n.model m nmos(level=3 nsub=2.344e16)\n"+
		".op\n.end", "op")
	wantNear(t, "level 3", -column(t, r, "i(vd)")[0], 1.441902293e-6, 2e-5)
}

// TestBipolarResistanceTemperature verifies the temperature coefficients of RB, RBM, RC and RE. The
// expected base currents at 87 °C are those of ngspice 39, where RBM has only its own coefficients.
func TestBipolarResistanceTemperature(t *testing.T) {
	for params, want := range map[string]float64{
		"rb=100 trb1=10m":                 1.16100109e-3,
		"rb=100 rbm=20 trb1=10m":          2.42729354e-3,
		"rb=100 rbm=20 trb1=10m trm1=5m":  2.20402395e-3,
		"rb=100 trm1=10m":                 9.70370707e-4,
		"rc=10 trc1=10m trc2=10u":         0.255037488,
		"re=1 tre1=20m":                   2.63681749e-3,
		"re=1 tre1=10m tre2=166.6666667u": 2.63681749e-3,
	} {
		r := run(t, "t\nVB b 0 .9\nVC c 0 2\nQ1 c b 0 m\n.model m npn(is=1e-15 ikf=10m "+params+
			")\n.temp 87\n.op\n.end", "op")
		wantNear(t, params, -column(t, r, "i(vb)")[0], want, 1e-6)
		if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %q", params, r.Warnings)
		}
	}
}
