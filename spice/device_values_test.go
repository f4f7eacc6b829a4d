package spice

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// value returns the last value of the vector with this name.
func value(t *testing.T, r *Result, name string) float64 {
	t.Helper()
	v := column(t, r, name)
	return v[len(v)-1]
}

// near reports whether got is within a relative error of 1e-6 of want.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

// TestDeviceParameters compares the effect of model parameters of ngspice and PSpice with values
// computed by hand.
func TestDeviceParameters(t *testing.T) {
	const vt = 300.15 * 1.38064852e-23 / 1.6021766208e-19
	id := 1e-14 * (math.Exp(0.7/vt) - 1)
	recombination := func(v float64) float64 {
		return 1e-9 * (math.Exp(v/(2*vt)) - 1) * math.Pow((1-v/0.8)*(1-v/0.8)+0.005, 0.2)
	}
	// The tunneling current of HSPICE at 27 °C, and at 100 °C with KEG = 0.5 and XTITUN = 1.
	const hot = vt * 373.15 / 300.15
	tunnel := func(is, v float64) float64 { return is * math.Expm1(-v/(30*vt)) }
	warm := math.Exp(0.5*1.11/vt-0.5*1.11/hot) * 373.15 / 300.15
	for _, c := range []struct {
		name, deck, vector string
		want               float64
	}{
		{"jtun", "V1 a 0 -5\nD1 a 0 d 3\n.model d d(is=1e-18 jtun=1n)\n.options gmin=1e-18\n.op",
			"i(v1)", tunnel(3e-9, -5)},
		{"jtunsw, two in series", "V1 a 0 -10\nD1 a 0 d pj=4u n=2\n.model d d(is=1e-18 jtunsw=1m)\n" +
			".options gmin=1e-18\n.op", "i(v1)", tunnel(4e-9, -5)},
		{"jtun at 100 °C", "V1 a 0 -5\nD1 a 0 d\n.model d d(is=1e-20 jtun=1n keg=.5 xtitun=1)\n" +
			".temp 100\n.options gmin=1e-18\n.op", "i(v1)",
			1e-9 * warm * math.Expm1(5/(30*hot))},
		{"ikf", "V1 a 0 0.7\nD1 a 0 d\n.model d d(ikf=1m)\n.op", "i(v1)",
			-id / (1 + math.Sqrt(id/1e-3))},
		{"ikf with an area", "V1 a 0 0.7\nD1 a 0 d 3\n.model d d(ikf=1m)\n.op", "i(v1)",
			-3 * id / (1 + math.Sqrt(id/1e-3))},
		{"isr, forward", "V1 a 0 0.4\nD1 a 0 d\n.model d d(is=1e-20 isr=1n nr=2 vj=0.8 m=0.4)\n.op",
			"i(v1)", -recombination(0.4)},
		{"isr, reverse leakage", "V1 a 0 -10\nD1 a 0 d\n.model d d(isr=1n nr=2 vj=0.8 m=0.4)\n.op",
			"i(v1)", -recombination(-10) + 1e-14 + 10*1e-12},
		// ngspice 39
		{"nk", "VC c 0 5\nIB 0 b 1m\nQ1 c b 0 q\n.model q npn(is=63f bf=380.57 vaf=100 ikf=.14961 " +
			"ise=63f ne=1.5906 nk=.88203)\n.op", "i(vc)", -8.418890897e-02},
		{"nkf=1", "VC c 0 5\nIB 0 b 1m\nQ1 c b 0 q\n.model q npn(is=63f bf=380.57 vaf=100 " +
			"ikf=.14961 ise=63f ne=1.5906 nkf=1)\n.op", "i(vc)", -6.509349384e-02},
		// The substrate junction has 1 fA per area; gmin adds 1 pA/V at it and at the collector.
		{"iss", "VS s 0 0.7\nQ1 0 0 0 s q 2\n.model q npn(iss=1f ns=1.1)\n.op", "i(vs)",
			-2e-15*math.Expm1(0.7/(1.1*vt)) - 0.7e-12},
		{"iss of a lateral pnp", "VS s 0 0.7\nQ1 0 0 0 s q\n.model q pnp(iss=1f)\n.op", "i(vs)",
			-1e-15*math.Expm1(0.7/vt) - 0.7e-12},
		{"iss at 100 °C", "VS s 0 0.7\nQ1 0 0 0 s q\n.model q npn(iss=1f ns=1.5)\n.temp 100\n.op",
			"i(vs)", -1e-15*math.Exp(1.11/vt-1.11/hot)*math.Pow(373.15/300.15, 3)*
				math.Expm1(0.7/(1.5*hot)) - 0.7e-12},
		{"iss in AC", "VS s 0 dc 0.7 ac 1\nQ1 0 0 0 s q\n.model q npn(iss=1f)\n.ac lin 1 1 1",
			"i(vs)_mag", 1e-15/vt*math.Exp(0.7/vt) + 1e-12},
		{"m= of R", "V1 a 0 1\nR1 a 0 1k m=4\n.op", "i(v1)", -4e-3},
		{"m= of C", "V1 a 0 ac 1\nC1 a 0 1u m=3\n.ac lin 1 159.15494309 159.15494309",
			"i(v1)_mag", 3e-3},
		{"m= of L", "I1 0 a ac 1\nL1 a 0 1 m=2\n.ac lin 1 159.15494309 159.15494309",
			"v(a)_mag", 500},
		{"m= of I", "I1 0 a 1m m=5\nR1 a 0 1k\n.op", "v(a)", 5},
		{"ac= of R", "V1 a 0 dc 1 ac 1\nR1 a b 1k\nR2 b 0 1k ac=3k\n.ac lin 1 1 1",
			"v(b)_mag", 0.75},
		{"ac= of R at DC", "V1 a 0 dc 1 ac 1\nR1 a b 1k\nR2 b 0 1k ac=3k\n.op", "v(b)", 0.5},
		{"is=0 of D", "V1 a 0 1\nR1 a b 1k\nD1 b 0 d\n.model d d(is=0)\n.op", "v(b)", 1},
		{"ld<0", "V1 a 0 3\nM1 a a 0 0 m w=10u l=1u\n.model m nmos(vto=1 kp=50u ld=-0.5u)\n.op",
			"i(v1)", -25e-6 * 5 * 4},
		// The junction capacitance is cj/(1 + 3/0.8)^2 at -3 V, and the current is ωC times 1 V.
		{"mj above 0.95", "V1 d 0 dc 3 ac 1\nM1 d 0 0 0 m ad=1\n.model m nmos(vto=9 cj=1u mj=2)\n.ac lin 1 1meg 1meg", "i(v1)_mag",
			2 * math.Pi * 1e6 * 1e-6 * math.Pow(1+3/0.8, -2)},
	} {
		r := run(t, "t\n"+c.deck+"\n.end", "")
		if got := value(t, r, c.vector); !near(got, c.want) {
			t.Errorf("%s: %s = %.9g, want %.9g", c.name, c.vector, got, c.want)
		}
	}
}

// TestSubstrateCurrentInReport compares the currents and the power of transistors with a substrate
// junction with the terminal currents, which ammeters in series measure.
func TestSubstrateCurrentInReport(t *testing.T) {
	for _, c := range []struct{ name, deck string }{
		{"vertical npn", "VC n 0 -0.8\nRC n c 100\nIB 0 b 1u\n.model q npn(bf=100 iss=1e-14 ns=1.2 rc=1k)"},
		{"vertical npn without rc", "VC n 0 -0.8\nRC n c 100\nIB 0 b 1u\n.model q npn(iss=1e-14)"},
		{"lateral pnp", "VB n 0 -0.8\nRB n b 100\nIC 0 c -10u\n.model q pnp(bf=50 iss=1e-14 rb=1k)"},
		{"lateral npn", "VB n 0 0.9\nRB n b 100\nIC 0 c 1u\n.model q npn(subs=-1 is=1e-14 iss=1e-14 rb=1k)"},
		{"vertical pnp", "VC n 0 0.8\nRC n c 100\nIB b 0 1u\n.model q pnp(subs=1 iss=1e-14 rc=1k)"},
	} {
		r := run(t, "t\nVS s 0 0.05\nVE e 0 0.1\nQ1 c b e s q\n"+c.deck+
			"\n.save v(c) v(b) v(e) v(s) ic(q1) ib(q1) ie(q1) is(q1)\n.op\n.end", "op")
		got := map[string]float64{}
		for _, p := range r.OperatingPoint {
			for _, q := range p.Quantities {
				if strings.EqualFold(p.Device, "q1") {
					got[q.Name] = q.Value
				}
			}
		}
		power := 0.0
		for _, terminal := range []string{"c", "b", "e", "s"} {
			power += value(t, r, "v("+terminal+")") * value(t, r, "i"+terminal+"(q1)")
		}
		for name, want := range map[string]float64{"power_w": power, "ic": value(t, r, "ic(q1)"),
			"ib": value(t, r, "ib(q1)"), "isub": value(t, r, "is(q1)")} {
			if !near(got[name], want) {
				t.Errorf("%s: %s = %.9g, want %.9g", c.name, name, got[name], want)
			}
		}
	}
}

// TestExcessPhase verifies that ptf delays the phase of the gain by ptf [°] at the frequency
// 1/(2·pi·tf). The transient delays the collector current by the corresponding time.
func TestExcessPhase(t *testing.T) {
	deck := "t\nVC c 0 5\nVB b 0 dc 0.65 ac 1 pwl(0 0.65 1n 0.65 1.01n 0.66)\nQ1 c b 0 q\n.model q npn(is=1e-15 tf=1n ptf=PTF)\n" +
		".ac lin 1 159.15494309meg 159.15494309meg\n.tran 0.01n 20n 0 0.01n\n.end"
	with := func(ptf, kind string) *Result {
		return run(t, strings.Replace(deck, "PTF", ptf, 1), kind)
	}
	lag := value(t, with("0", "ac"), "i(vc)_phase_deg") -
		value(t, with("30", "ac"), "i(vc)_phase_deg")
	if math.Abs(lag-30) > 1e-6 {
		t.Errorf("the phase lags by %g degrees, want 30", lag)
	}
	// The area between the two step responses is the height of the step times the delay.
	area := func(r *Result) (sum, step float64) {
		time, i := column(t, r, "time"), column(t, r, "i(vc)")
		end := i[len(i)-1]
		for k := 1; k < len(i); k++ {
			sum += (i[k] + i[k-1] - 2*end) / 2 * (time[k] - time[k-1])
		}
		return sum, i[0] - end
	}
	prompt, _ := area(with("0", "tran"))
	late, step := area(with("30", "tran"))
	if delay, want := (late-prompt)/step, 30*math.Pi/180*1e-9; math.Abs(delay-want) > 0.01*want {
		t.Errorf("the collector current is %g s late, want %g", delay, want)
	}
}

// TestKneeIsNotCertified verifies that a diode with ikf or isr is not certified, and that the
// reason names the diode.
func TestKneeIsNotCertified(t *testing.T) {
	r, err := Simulate(context.Background(),
		Request{Certify: true,
			Netlist: "t\nV1 a 0 1\nR1 a b 1k\nD1 b 0 d\n.model d d(ikf=1m)\n.op\n.end"})
	if err != nil || r.Certificate.Certified || !strings.Contains(r.Certificate.Reason,
		"d1 has ikf, isr, jtun or ns") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCertifiedMultipliedResistor verifies that the tolerance of a resistor with m= applies to
// the total resistance of its parallel copies.
func TestCertifiedMultipliedResistor(t *testing.T) {
	r, err := Simulate(context.Background(), Request{
		Netlist:    "t\nV1 a 0 10\nR1 a b 1k m=2\nR2 b 0 500\n.op\n.end",
		Tolerances: map[string]float64{"r1": 0.1}, OutputNode: "b",
	})
	if err != nil {
		t.Fatal(err)
	}
	c := r.ToleranceCertificate
	if !c.Certified || math.Abs(c.Interval[0]-10*500/1050.) > 1e-9 ||
		math.Abs(c.Interval[1]-10*500/950.) > 1e-9 {
		t.Errorf("%+v", c)
	}
}

// TestFloatingNodesAreNotLoaded verifies that the DC shunt of a floating node affects neither .ac
// nor .tran.
func TestFloatingNodesAreNotLoaded(t *testing.T) {
	deck := "t\nV1 in 0 ac 1 pwl(0 0 1m 1)\nC1 in m 3f\nC2 m n 2f\nR1 n o 1k\nC3 o 0 2f\n.ac lin 1 1 1\n.tran 1m 1\n.end"
	if got := value(t, run(t, deck, "ac"), "v(m)_mag"); !near(got, 0.75) {
		t.Errorf(".ac at 1 Hz: %g, want 0.75", got)
	}
	if got := value(t, run(t, deck, "tran"), "v(m)"); !near(got, 0.75) {
		t.Errorf(".tran after 1 s: %g, want 0.75", got)
	}
	// A winding without a connection to ground keeps its shunt. Its voltage is that of the ideal
	// transformer.
	r := run(t, "t\nV1 in 0 ac 1\nR1 in p 1\nL1 p 0 1\nL2 a b 4\nK1 L1 L2 1\nR2 a b 1meg\n.ac lin 1 1k 1k\n.end", "ac")
	if d := value(t, r, "v(a)_mag") + value(t, r, "v(b)_mag"); math.Abs(d-2) > 1e-4 {
		t.Errorf("the floating winding gives %g V, want 2", d)
	}
}

// TestStartup verifies that all sources rise from 0 within 20 us if .tran has the option startup.
func TestStartup(t *testing.T) {
	r := run(t, "t\nV1 a 0 10\nR1 a b 1k\nC1 b 0 1n\nI1 0 c SIN(1m 0 1)\nR2 c 0 1k\n.tran 0 100u 0 1u startup\n.end", "tran")
	time, a, b, c := column(t, r, "time"), column(t, r, "v(a)"), column(t, r, "v(b)"),
		column(t, r, "v(c)")
	for i, x := range time {
		ramp := math.Min(x/20e-6, 1)
		// v(b) is the response of an RC with a time constant of 1 us to a ramp of 10 V in 20 us.
		lag := func(x float64) float64 { return 0.5 * (x*1e6 - 1 + math.Exp(-x*1e6)) }
		want := lag(x)
		if x > 20e-6 {
			want -= lag(x - 20e-6)
		}
		if math.Abs(a[i]-10*ramp) > 1e-9 || math.Abs(c[i]-ramp) > 1e-9 ||
			math.Abs(b[i]-want) > 1e-3 {
			t.Fatalf("at %g s: v(a) = %g, v(b) = %g, want %g, v(c) = %g", x, a[i], b[i], want, c[i])
		}
	}
}

// TestDiodeSidewall compares the voltage at 1 mA and 60 °C, and the capacitance at 1 MHz, of diodes
// with the sidewall parameters of ngspice. The values are those of ngspice 39.
func TestDiodeSidewall(t *testing.T) {
	for _, c := range []struct {
		instance, model string
		want            float64
	}{
		{"", "JS=1e-10", 3.317060007e-01},
		{"PJ=1e3", "IS=1e-14 JSW=1e-13", 3.317031300e-01},
		{"", "IS=1e-14 JSW=1e-13 PJ=1e3", 3.317031300e-01},
		{"PJ=10", "IS=1e-14 JSW=1e-13 NS=2", 5.961129564e-01},
		{"2 PJ=10", "IS=1e-14 JSW=1e-13", 4.633453763e-01},
		{"area=2 PJ=10 m=3", "IS=1e-14 JSW=1e-13", 4.318057216e-01},
		{"PJ=10", "IS=1e-14 N=1.5 JSW=1e-13", 6.957769e-01},
		{"2 PJ=10", "IS=1e-14 N=1.5 JSW=1e-13", 6.956831e-01},
		{"PJ=1e3", "IS=1e-14 JSW=1e-13 ikf=1m", 3.593328300e-01},
		{"PJ=1e3", "IS=1e-10 ikf=1m jsw=1e-9 ns=2", 3.098429015e-01},
		{"PJ=1e3 m=3", "IS=1e-16 JSW=1e-15 NS=1.5 N=1.2 rs=10 ikf=1m", 7.412723045e-01},
	} {
		r := run(t, "t\nI1 0 a 1m\nD1 a 0 d "+c.instance+"\n.model d d("+c.model+
			")\n.temp 60\n.op\n.end", "op")
		if got := value(t, r, "v(a)"); math.Abs(got/c.want-1) > 1e-6 || len(r.Warnings) > 0 {
			t.Errorf("%s, %s: %.9g V, want %.9g; %q", c.instance, c.model, got, c.want, r.Warnings)
		}
	}
	for _, c := range []struct {
		volts, temp string
		want        float64
	}{{"-3", "27", 1.327515832e-11}, {"0", "27", 2.6e-11}, {"0.3", "27", 3.217275126e-11},
		{"0.6", "27", 4.134492171e-11}, {"-3", "80", 1.345471734e-11},
		{"0.6", "80", 4.670096835e-11}} {
		r := run(t, "t\nV1 a 0 "+c.volts+" AC 1\nD1 a 0 d PJ=10 m=2 area=3\n"+
			".model d d(CJSW=1p CJO=1p PHP=.7 MJSW=.4 FCS=.4)\n.temp "+c.temp+
			"\n.ac lin 1 1meg 1meg\n.end", "ac")
		phase := value(t, r, "i(v1)_phase_deg") * math.Pi / 180
		got := value(t, r, "i(v1)_mag") * -math.Sin(phase) / (2 * math.Pi * 1e6)
		if math.Abs(got/c.want-1) > 1e-5 {
			t.Errorf("%s V, %s °C: %g F, want %g", c.volts, c.temp, got, c.want)
		}
	}
}

// TestDiodesInSeries compares n=3 with three diodes (LTspice help, "D. Diode").
func TestDiodesInSeries(t *testing.T) {
	const model = ".model d d(is=1e-14 n=1.1 rs=2 cjo=10p tt=5n bv=6 isr=1p nr=2 kf=1e-15 trs1=1m)\n" +
		".temp 50\n"
	one := func(card string) *Result {
		return run(t, "t\nI1 0 a "+card+"\nD1 a 0 d n=3 m=2\n"+model+".end", "")
	}
	three := func(card string) *Result {
		return run(t, "t\nI1 0 a "+card+"\nD1 a b d m=2\nD2 b c d m=2\nD3 c 0 d m=2\n"+model+".end",
			"")
	}
	for card, vector := range map[string]string{"1m\n.op": "v(a)", "-1m\n.op": "v(a)",
		"1m AC 1\n.ac lin 1 10meg 10meg":        "v(a)_mag",
		"-1u AC 1\n.ac lin 1 10meg 10meg":       "v(a)_mag",
		"1m AC 1\n.noise v(a) I1 lin 1 1k 1k":   "onoise_spectrum",
		"0 SIN(0.5m 0.4m 1meg)\n.tran 10n 3u\n": "v(a)"} {
		got, want := value(t, one(card), vector), value(t, three(card), vector)
		if math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: %g, want %g", card, got, want)
		}
	}
	r := one("1m\n.op")
	if v, p := value(t, r, "v(a)"), r.OperatingPoint; len(p) != 1 || v < 1.5 {
		t.Errorf("v(a) = %g, %v", v, p)
	}
	r = run(t, "t\nI1 0 a 1m\nD1 a 0 d n=2\n.model d d(ron=100 vfwd=0.5 roff=1g)\n.op\n.end", "op")
	wantNear(t, "ideal diodes", value(t, r, "v(a)"), 1.2, 1e-6)
}

// TestSmallPotentials verifies the junction capacitance C0·(1+V/VJ)^-M at 12 V with built-in
// potentials that are fits of a capacitance curve. Their capacitance changes by 4e-4·M per kelvin
// alone.
func TestSmallPotentials(t *testing.T) {
	for _, c := range []struct {
		element       string
		c0, vj, grade float64
	}{
		{"D1 0 a x\n.model x d(cjo=735p vj=4.27e-4 m=0.301)", 735e-12, 4.27e-4, 0.301},
		{"D1 0 a x pj=1\n.model x d(cjsw=735p php=4.27e-4 mjsw=0.301)", 735e-12, 4.27e-4, 0.301},
		{"Q1 a 0 0 x\n.model x npn(cjc=735p vjc=4.27e-3 mjc=0.301)", 735e-12, 4.27e-3, 0.301},
		{"Q1 0 0 a x\n.model x npn(cje=735p vje=4.27e-3 mje=0.301)", 735e-12, 4.27e-3, 0.301},
		{"J1 a 0 0 x\n.model x njf(vto=-20 beta=1e-30 cgd=735p pb=4.27e-3)", 735e-12, 4.27e-3, 0.5},
		{"M1 a 0 0 0 x\n.model x nmos(vto=1 cbd=735p pb=4.27e-3)", 735e-12, 4.27e-3, 0.5},
	} {
		for _, celsius := range []float64{27, 85, -40} {
			r := run(t, fmt.Sprintf("t\nV1 s 0 DC 12 AC 1\nR1 s a 1k\n%s\n.temp %g\n"+
				".ac lin 1 1meg 1meg\n.end", c.element, celsius), "ac")
			f := c.c0 * math.Pow(1+12/c.vj, -c.grade) * (1 + 4e-4*c.grade*(celsius-27))
			got := value(t, r, "v(a)_mag")
			want := 1 / math.Hypot(1, 2*math.Pi*1e6*1e3*f)
			wantNear(t, c.element, got, want, 1e-6)
		}
	}
}

// TestGainRange verifies that an error names the gain of a controlled source by its quantity.
func TestGainRange(t *testing.T) {
	for card, want := range map[string]string{
		"E1 a 0 b 0 2e15":      "e1: the voltage gain must be from -1e15 to 1e15, not 2e+15",
		"F1 0 a V1 -2e15":      "f1: the current gain must be from -1e15 to 1e15, not -2e+15",
		"F1 0 a V1 1e15 m=2":   "f1: the current gain times m= must be from -1e15 to 1e15",
		"G1 0 a b 0 gain=2e15": "g1: the transconductance in siemens must be from -1e15 to 1e15",
		"H1 a 0 V1 2e15":       "h1: the transresistance in ohms must be from -1e15 to 1e15",
	} {
		_, err := Simulate(t.Context(), Request{
			Netlist: "t\nV1 b 0 1\nR1 b 0 1\nR2 a 0 1\n" + card + "\n.op\n.end"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", card, err, want)
		}
	}
}

// TestDiodeRegion verifies the reported region of diodes. The tunneling current in reverse is
// jtun·(exp(-v/(30·Vt))-1): 0.63 uA at -5 V for 1 nA and 0.14 nA at -0.1 V.
func TestDiodeRegion(t *testing.T) {
	for _, c := range []struct{ volts, params, want string }{
		{"0.7", "", "on"},
		{"0.1", "", "off"},
		{"-5", "", "off"},
		{"-5", "bv=4", "breakdown"},
		{"-5", "jtun=1n", "tunneling"},
		{"-0.1", "jtun=1n", "off"},
		{"0.7", "jtun=1n", "on"},
		{"0.1", "jtun=1m", "tunneling"},
	} {
		r := run(t, "t\nV1 a 0 "+c.volts+"\nD1 a 0 d\n.model d d("+c.params+")\n.op\n.end", "op")
		if p := r.OperatingPoint; len(p) != 2 || p[1].Region != c.want {
			t.Errorf("%s V, %s: %v, want region %s", c.volts, c.params, p, c.want)
		}
	}
}
