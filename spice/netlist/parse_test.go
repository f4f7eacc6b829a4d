package netlist

import (
	"errors"
	"math"
	"strings"
	"testing"

	"slipstick/spice/diag"
)

func TestParseNumber(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
		ok   bool
	}{
		{"1", 1, true}, {"-1.5", -1.5, true}, {".5", 0.5, true}, {"5.", 5, true},
		{"1e3", 1e3, true}, {"1E-3", 1e-3, true}, {"1e+3k", 1e6, true},
		{"10kohm", 1e4, true}, {"100nF", 1e-7, true}, {"4.7K", 4700, true},
		{"33000000M", 33e3, true}, // m is milli in either case
		{"1meg", 1e6, true}, {"2.2MEGohm", 2.2e6, true}, {"1T", 1e12, true}, {"1g", 1e9, true},
		{"1F", 1e-15, true}, {"2p", 2e-12, true}, {"3u", 3e-6, true}, {"3\u00b5", 3e-6, true},
		{"1a", 1e-18, true}, {"1k\u03a9", 1e3, true}, {"1k\u2126", 1e3, true},
		{"10mil", 10 * 25.4e-6, true}, {"5V", 5, true}, {"1ev", 1, true},
		{"", 0, false}, {"k", 0, false}, {"-", 0, false}, {".", 0, false}, {"1k2", 0, false},
		{"1_000", 0, false}, {"1e999", 0, false},
	} {
		got, ok := ParseNumber(c.in)
		if ok != c.ok || ok && math.Abs(got-c.want) > 1e-15*math.Abs(c.want) {
			t.Errorf("ParseNumber(%q) = %g, %v, want %g, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestExpressions(t *testing.T) {
	names := map[string]float64{"a": 3, "b_1": 4}
	for _, c := range []struct {
		in   string
		want float64
	}{
		{"1+2*3", 7}, {"(1+2)*3", 9}, {"-2^2", -4}, {"2**3**2", 64}, {"2^-1", 0.5},
		{"2*-3", -6}, {"--3", 3},
		{"10/4/5", 0.5}, {"10-4-5", 1}, {"a*B_1", 12}, {"1k+1", 1001}, {"1e-3*1meg", 1000},
		{"a>b_1 ? 1 : 2", 2}, {"a<b_1 ? 1 : 2", 1}, {"0?1:0?2:3", 3}, {"1&&0||1", 1}, {"!a", 0},
		{"!0", 1}, {"3>=3", 1}, {"3!=3", 0}, {"3==3", 1}, {"2<=1", 0},
		{"sqr(3)", 9}, {"sqrt(16)", 4}, {"abs(-2)", 2}, {"exp(0)", 1}, {"ln(exp(2))", 2},
		{"log(exp(2))", 2}, {"log10(1000)", 3},
		{"sin(0)", 0}, {"cos(0)", 1}, {"atan(1)*4", math.Pi}, {"pow(-2,3)", -8}, {"pwr(-2,3)", 8},
		{"min(3,1,2)", 1}, {"if(2>1, 5, 1/0)", 5}, {"if(2<1,5,if(0,1,7))+1", 8},
		{"ternary_fcn(1,2,3)", 2}, {"limit(5,0,3)", 3}, {"limit(-5,0,3)", 0}, {"2*limit(1,0,3)", 2},
		{"max(3,1,2)", 3}, {"mod(1,0.1)", 0}, {"mod(10,0.1)", 0}, {"mod(0.6,0.2)", 0.2},
		{"1%0.1", 0}, {"-7.5%2", -1.5},
		{"sgn(-5)", -1}, {"int(-1.5)", -1}, {"floor(-1.5)", -2}, {"ceil(1.2)", 2}, {"nint(2.6)", 3},
		{"tanh(0)+sinh(0)+asin(0)+tan(0)", 0},
	} {
		got, err := evaluate(c.in, 1, func(n string, _ int) (float64, error) {
			return names[n], nil
		})
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s = %g, %v, want %g", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "1+", "(1", "1)", "foo(1)", "sin(1,2)", "1/0", "log(-1)",
		"2 3", "1?2", "min()", "if(1)", "if(1,2)", "if(1,2,3,4)", "if()", "limit(1,2)", "limit(1)",
		"limit(1,2,3,4)", "limit()", "*2", strings.Repeat("(", 5000),
		strings.Repeat("-", 5000) + "1", "exp(1e6)", "pow(1)"} {
		if v, err := evaluate(bad, 7, func(string, int) (float64, error) {
			return 1, nil
		}); err == nil {
			t.Errorf("%.20q = %g, want an error", bad, v)
		} else if d, ok := errors.AsType[*diag.Error](err); !ok || d.Line != 7 {
			t.Errorf("%.20q: %v has no line", bad, err)
		}
	}
}

// TestExpressionMessages verifies that the message about an unclosed parenthesis quotes the text
// found instead, such as an operator that does not exist.
func TestExpressionMessages(t *testing.T) {
	for text, want := range map[string]string{
		"80*(3#10<2)": `has "#10<2)" where an operator or a closing ) is expected`,
		"2*{1;3}":     `has ";3}" where an operator or a closing } is expected`,
		"(1+2":        `expression "(1+2" lacks a closing )`,
		"5%":          `expression "5%" ends with %, which is the remainder of a division`,
	} {
		_, err := evaluate(text, 1, func(string, int) (float64, error) { return 1, nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

const amp = `two amplifiers
* comment
.param gain = 2*base  base=5 ; trailing
.subckt amp in out params: g=1 rl=1k
.param half={g/2}
R1 in mid {rl}
+ tc1=0.01
* a comment inside a continuation
+ tc2=1e-4
E1 out 0 mid 0 {half*4}
V1 mid x 0 $ sense
R9 x gnd 1MEG
.ends amp
V1 in 0 DC 1 AC 1 45 SIN(0 1 1k)
X1 in o1 amp g={gain}
X2 in o2 amp PARAMS: g=3, rl='gain*100'
.GLOBAL vdd
.ic v(o1)=1 V(X1.MID) = 2
.nodeset v(o2)=3
.temp 50
.options reltol=1e-5 method=gear
.dc V1 0 5 1 temp 0 100 50
.tran 1u 1m 0.1m 2u uic
.ac dec 10 1 1k
.save v(o1) i(v1)
.end
junk
`

func TestParse(t *testing.T) {
	c, err := Parse(amp, Config{MaxElements: 150})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	by := map[string]Element{}
	for _, e := range c.Elements {
		names = append(names, e.Name)
		by[e.Name] = e
	}
	if got, want := strings.Join(names, " "),
		"v1 r.x1.r1 e.x1.e1 v.x1.v1 r.x1.r9 r.x2.r1 e.x2.e1 v.x2.v1 r.x2.r9"; got != want {
		t.Errorf("elements %s, want %s", got, want)
	}
	if got, want := strings.Join(c.Nodes, " "), "in x1.mid o1 x1.x x2.mid o2 x2.x"; got != want {
		t.Errorf("nodes %s, want %s", got, want)
	}
	for name, want := range map[string]float64{"r.x1.r1": 1000, "e.x1.e1": 20, "r.x2.r1": 1000,
		"e.x2.e1": 6, "r.x1.r9": 1e6} {
		if got := by[name].Args[0].Value; got != want {
			t.Errorf("%s has value %g, want %g", name, got, want)
		}
	}
	r := by["r.x1.r1"]
	if p, _ := r.Param("tc2"); p.Value != 1e-4 || p.Line != 9 {
		t.Errorf("tc2 is %+v, want 1e-4 on line 9", p)
	}
	if r.Line != 6 || by["r.x1.r9"].Nodes[1] != "0" {
		t.Errorf("r1 on line %d, r9 at %v", r.Line, by["r.x1.r9"].Nodes)
	}
	if len(c.IC) != 2 || c.IC[1].Node != "x1.mid" || *c.TempC != 50 || len(c.Options) != 2 ||
		c.Options[1].Text != "gear" {
		t.Errorf("cards: %+v %v %+v", c.IC, c.TempC, c.Options)
	}
	if len(c.Analyses) != 3 || len(c.Analyses[0].Sweeps) != 2 || !c.Analyses[1].UIC ||
		c.Analyses[1].MaxStep != 2e-6 || c.Analyses[2].Variation != "dec" {
		t.Errorf("analyses: %+v", c.Analyses)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0],
		"after .end is ignored, from line 27") {
		t.Errorf("warnings: %q", c.Warnings)
	}
}

func TestShadowingAndModels(t *testing.T) {
	c, err := Parse("t\n.param a=1\n.model d1 d is=1e-14, n = 2\n.subckt s p\n.model d1 d (is={a*2e-14} n=1.5)\n.param a=7\nD1 p 0 d1\n.ends\nD1 q 0 d1 2\nX1 q s\nR1 q 0 {a}\n.op\n.end", Config{})
	if err != nil {
		t.Fatal(err)
	}
	outer, inner := c.Elements[0].Model, c.Elements[1].Model
	if outer.Params[1].Value != 2 || math.Abs(inner.Params[0].Value-14e-14) > 1e-28 ||
		c.Elements[2].Args[0].Value != 1 {
		t.Errorf("outer %+v inner %+v", outer, inner)
	}
}

// TestParametersOfOuterScope verifies parameters of subcircuits that an outer parameter
// of the same name defines. The values agree with ngspice 39.
func TestParametersOfOuterScope(t *testing.T) {
	for text, want := range map[string][]float64{
		".param r=5\n.subckt s a r={r}\nR1 a 0 {r}\n.ends\nX1 a s\n" +
			"X2 a s r=10": {5, 10},
		".param r=5\n.subckt s a\n.param r={r*2}\nR1 a 0 {r}\n.ends\nX1 a s": {10},
		".param r=5\n.subckt s a r={r+q} q={2*r}\nR1 a 0 {r}\n.ends\nX1 a s\n" +
			"X2 a s q=1": nil,
		".param r=5\n.subckt o a r={r+1}\nX1 a i\n.subckt i a r={r*2}\nR1 a 0 {r}\n" +
			".ends\n.ends\nX1 a o\nX2 a o r=2": {12, 4},
		".subckt s a r={r}\nR1 a 0 {r}\n.ends\nX1 a s": nil,
		".param r={r}\nR1 a 0 {r}":                     nil,
	} {
		c, err := Parse("t\n"+text+"\n.op\n.end", Config{})
		if (err == nil) != (want != nil) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for k, w := range want {
			if got := c.Elements[k].Args[0].Value; got != w {
				t.Errorf("%q: resistance %d is %g, want %g", text, k, got, w)
			}
		}
	}
}

func TestWarnings(t *testing.T) {
	for in, want := range map[string]string{
		"t\nC1 a 0 1F\n.op\n.end":                                                      "femtofarads",
		"t\nR1 a 0 1M\n.op\n.end":                                                      "milliohms",
		"t\nR1 a 0 1\nV1 a 0 SIN(0 1 1M)\n.tran 1 9\n.end":                             "1M is millihertz",
		"t\nR1 a 0 1\nV1 a 0 SFFM(0 1 1k 2 3M)\n.tran 1 9\n.end":                       "3M is millihertz",
		"t\nR1 a 0 1\nV1 a 0 AM(1 0 {f} 2M)\n.param f=1\n.op\n.end":                    "2M is millihertz",
		"t\nR1 a 0 1\nT1 a 0 b 0 f=1M z0=50\nR2 b 0 1\n.op\n.end":                      "1M is millihertz",
		"t\nR1 a 0 1\nV1 a 0 SIN(0 1 {2*f_0})\n.param f_0=g g='3M'\n.tran 1 9\n.end":   "frequency 2*f_0 has 3M, which is milli",
		"t\nX1 a s f=3M\n.subckt s a f=1\nV1 a 0 SIN(0 1 {f})\n.ends\n.tran 1 9\n.end": "frequency f has 3M, which is milli",
		"t\nR1 a 0 1\n.ac dec 10 {1M} 10\n.end":                                        "frequency 1M has 1M, which is milli",
		"t\nR1 a 0 1\nV1 b 0 1 Rser=1e-16\nR2 b 0 1\n.op\n.end":                        "v1: rser=1e-16 is read as 0, because 1e-15 ohm is the least",
		"t\nR1 a 0 1\n.ac dec 10 1M 10M\n.end":                                         "10M is millihertz",
		"t\nR1 a 0 1\n.ac list 1M 10\n.end":                                            "1M is millihertz",
		"t\nR1 a 0 1\n.tran 1 9\n.four 1M v(a)\n.end":                                  "1M is millihertz",
		"t\nR1 a 0 1\nV1 a 0 sin(0 1,5 1k)\n.tran 1m 9m\n.end":                         "1,5 of sin is two values",
		"t\nR1 a 0 1\n.lib\n.op\n.end":                                                 ".lib without a file",
		"t\nR1 a 0 1\n.print dc v(a)\n.op\n.end":                                       ".print is ignored",
		"R1 a 0 1k\nR2 a 0 1\n.op\n.end":                                               "the first line is read as the element R1",
	} {
		c, err := Parse(in, Config{})
		if err != nil || !strings.Contains(strings.Join(c.Warnings, "|"), want) {
			t.Errorf("%q: %v, warnings %q, want %q", in, err, c.Warnings, want)
		}
	}
}

// TestNoWarnings verifies that usual forms of waveforms have no warning.
func TestNoWarnings(t *testing.T) {
	for _, in := range []string{
		"V1 a 0 SIN(0 1 1MEG 1M)",            // the delay is 1 ms
		"V1 a 0 SIN(0 1 1m)",                 // m is milli by intention
		"V1 a 0 PULSE(0,5,0,1n,1n,5M,10M)",   // times in ms
		"V1 a 0 PULSE(0 5 0, 1n, 1n 5m 10m)", // commas beside blanks, but not in a number
		"V1 a 0 PWL(0,0 1,5 2,0)",            // points in pairs
		"V1 a 0 AC 1,90 SIN(0 1 1k)",         // magnitude and phase
		"I1 a 0 PULSE(0,5,0,1n,1n,5m,10m) m=2", "V1 a 0 SIN(0,1,1k) portnum=1 z0=50",
		"C1 a 0 1M", "L1 a 0 1M", "V1 a 0 {3.3}", // millifarads, millihenries
	} {
		c, err := Parse("t\nR1 a 0 1\n"+in+"\n.tran 1m 1\n.end", Config{})
		if err != nil || len(c.Warnings) > 0 {
			t.Errorf("%q: %v, warnings %q", in, err, c.Warnings)
		}
	}
}

func TestLibrary(t *testing.T) {
	lib := func(name string) (string, bool) {
		switch name {
		case "1n4148":
			return ".model 1n4148 d(is=2.5n)", true
		case "buffer":
			return ".subckt buffer in out\nE1 out 0 in 0 1\n.ends", true
		}
		return "", false
	}
	c, err := Parse("t\nD1 a 0 1N4148\nX1 a b BUFFER\n.op\n.end", Config{Library: lib})
	if err != nil || len(c.Elements) != 2 || c.Elements[0].Model.Name != "1n4148" {
		t.Fatalf("%+v %v", c, err)
	}
	if _, err = Parse("t\nD1 a 0 1n4149\n.op\n.end", Config{Library: lib}); err == nil {
		t.Error("an unknown part passed")
	}
}

// FuzzParse verifies that Parse returns a circuit or a *diag.Error for every text. A circuit must
// have finite numbers and respect the limits.
func FuzzParse(f *testing.F) {
	f.Add(amp)
	f.Add("t\nR1 a 0 {1/0}\n.end")
	f.Add("t\n.subckt a b\nX1 b a\n.ends\nX1 1 a\n.end")
	f.Add("t\nV1 a 0 PWL(0 0 1 1)\n.param x=y y='x'\n.model m d(is=1\n.op\n.end")
	f.Add("t\nR1 a 0 1\n.meas tran x trig v(a) val={1k} td=1u rise=last targ v(a,b)=v(c) cross=2\n.measure ac y find vdb(a) when vp(b)=-45 from=1 to=2\n.meas tran z param='x*2+max(x,pi)'\n.four 1k v(a) i(v1) v(a,b)\n.end")
	f.Add("t\nX1 a b buffer\nD1 a 0 part\n.meas dc m max_at i(v1) to=3\n.end")
	f.Add("V1 a 0 DC 5\n+ SINE(0 1 1k)\nR1 a b {1k\n+ +2}\nC1 b 0 1u Rser=1 Lser=1n Rpar=1k Cpar=1p m=2\n.tran 2m startup\n.end")
	f.Add("t\nX1 a b s m=3\nR1 a 0 4k7\n.global g\n.subckt s p q\nR1 p g 1\nX1 q g i m=2\n.ends\n.subckt i p q\nB1 p q I=if(v(p)>1,limit(v(q),0,2A),0)\n.ends\n.model m npn(bf 50 va {2\n+ *3} mfg=x\n)\nI1 a 0 2A\n.save v(a,b)\n.op\n.end")
	f.Add("A netlist of a divider follows:\n\n```\nt\nV1 a 0 PULSE(0 1 0 1n 1n 1u 2u 3)\nR1 a b R={v(a)*table(v(b),0,1,1,2)}\nR2 b 0 rm L=1u W=1u\n.model rm r(rsh=1 tc1=1m)\nS1 a b a 0 sm\n.model sm vswitch(von=2 voff=1)\nW1 a b V1 wm\n.model wm iswitch(ron=2)\nE1 c 0 TABLE {v(a)} = (0,0) (1,1)\n.func f(x,y) {x+y*agauss(1,2,3)}\n.param q={f(1,2)} h(x)={x}\n.step param q list 1 2\n.include /x\n.control\nlet k = 2*3\ntran $&k 1m\nmeas tran x max v(a)\nalter R1=2\nshell x\n.endc\n```\n")
	f.Add("t\nR1 a 0 1\nX1 a s\n.subckt s p\n.ic v(p)=1\nC1 p 0 1u\n.ends\n.meas x avg p(r1)+par('v(a)*2') from 1 to 2\n.meas ac y max mag(v(a))\n.meas tran z avg power\n.tran 1u 1m start=1u\n.noise v(a) V1 dec 1 1 1\n.end")
	f.Add("t\nA1 a b 0 0 0 c d 0 AND td={1n} ic=1 vhigh=5 rout=1 tau=1n\nA2 a 0 x x x x o x SCHMITT vt=1 vh=.1 cout=1p\nA3 a 0 b c 0 0 s 0 SAMPLEHOLD\nA4 a b c d 0 0 o 0 OTA g=1m asym isrc=1u isink=-2u linear ic=1 cout=1n\nA5 a b 0 0 0 c s 0 MODULATE mark=1k space=2 rout=1\nA6 a b 0 0 0 0 o 0 VARISTOR rclamp=1m\nA7 a b 0 0 0 0 o 0 PHIDET iout=1u Vhigh=1e308\nA8 [a b] c d_and\nX1 a q g m=2\n.subckt g p q\nA1 p 0 0 0 0 q 0 0 INV\n.ends\n.tran 1u 1m\n.end")
	f.Add("t\nV1 \"/a\" 0 PWL TIME_SCALE_FACTOR=1u value_scale_factor=2 repeat for 2 (0 0 +1 1) endrepeat\nR1 \"/a\" \" rm 1\nI1 a 0 {x} load m=2\nB1 b 0 V=mod(v(\"/a\"),pwr(2,fabs(v(a))))\nU1 inv $g_dpwr $g_dgnd a b\n.model rm res(r=1 dev=5% lot/gauss 5 % dev\n.param x=1\n.step param x 1 2 1\n.step param y 1 2 1\n.option reltol .001 method gear abstol\n.noise v(\"/a\") i1 30\n.ac dec 1 1 1k\n.meas tran m max \"v(/a)\"\n.four 1k 9 -1 v(\"/a\")\n.save \"v(/a)\"\n.dc i1 0 1 1\n.end")
	library := func(name string) (string, bool) {
		switch name {
		case "part":
			return ".model part d(is=1n)\n.subckt part a k\nD1 a k part\n.ends\n", true
		case "buffer":
			return ".subckt buffer a b params: g=1\nE1 x 0 a 0 {1/g}\nR1 x b 1\n.ends\n", true
		}
		return "", false
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text, Config{MaxElements: 150, Library: library,
			Parts: []string{"part", "buffer"}, AddEnd: true})
		if err != nil {
			var d *diag.Error
			if !errors.As(err, &d) || d.Code == "" || d.Detail == "" {
				t.Fatalf("%v is no *diag.Error", err)
			}
			return
		}
		if len(c.Elements) == 0 || c.Components > 150 || len(c.Measures) > MaxMeasures {
			t.Fatalf("%d elements, %d components, %d measures", len(c.Elements), c.Components,
				len(c.Measures))
		}
		for _, e := range c.Elements {
			for _, a := range e.Args {
				if math.IsNaN(a.Value) || math.IsInf(a.Value, 0) {
					t.Fatalf("%s has %v", e.Name, a)
				}
			}
		}
	})
}

// TestMaxStep verifies that the option maxstep limits the steps of a transient without a largest
// step.
func TestMaxStep(t *testing.T) {
	for card, want := range map[string]float64{".tran 1u 1m": 5e-6, ".tran 1u 1m 0 2u": 2e-6} {
		c, err := Parse("t\nR1 a 0 1\n"+card+"\n.options maxstep=5u\n.end", Config{})
		if err != nil || c.Analyses[0].MaxStep != want {
			t.Errorf("%s: %+v, %v, want a largest step of %g", card, c, err, want)
		}
		c, err = Parse("t\nR1 a 0 1\n.tran 1u 1m\n.options maxstep=5u\n.end",
			Config{Options: map[string]float64{"maxstep": 7e-6}})
		if err != nil || c.Analyses[0].MaxStep != 7e-6 {
			t.Errorf("%s: %+v, %v, want a largest step of 7 µs", card, c, err)
		}
	}
}

// TestPowerWarning verifies that a netlist of LTspice gets a warning for its first ^ outside of
// transfer functions.
func TestPowerWarning(t *testing.T) {
	const head = "t\nV1 a 0 2\nR1 a b 1k\n"
	for line, want := range map[string]int{
		"B1 b 0 V=v(a)^2\nB2 c 0 V=v(a)^3":               1,
		"B1 b 0 V=laplace(v(a))^2\n.func laplace(x) {x}": 1,
		"E1 b 0 a 0\n+ Laplace=1/(1+\n+ s^2)":            0,
		"E1 b 0 laplace {v(a)} = {1/(1+s^2)}":            0,
		"B1 b 0 V=v(a) laplace=1/(1+s^2)":                0,
	} {
		for _, end := range []string{".backanno\n.end", ".end"} {
			c, err := Parse(head+line+"\n.op\n"+end, Config{})
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			n := strings.Count(strings.Join(c.Warnings, "\n"), "^ is read as a power")
			if end == ".end" && n != 0 || end != ".end" && n != want {
				t.Errorf("%s with %q: %q", line, end, c.Warnings)
			}
		}
	}
}

// TestKiCadNetlist verifies that a KiCad netlist gets one error with the page to open it on.
func TestKiCadNetlist(t *testing.T) {
	const export = "\n(export (version \"E\")\n  (components (comp (ref \"R1\"))))\n"
	_, err := Parse(export, Config{})
	_, ofParts := Instances(export, Config{})
	for _, err := range []error{err, ofParts} {
		if e, ok := errors.AsType[*diag.Error](err); !ok || e.Code != diag.Syntax || e.Line != 1 ||
			!strings.HasPrefix(e.Detail, "this is a KiCad netlist for a board") {
			t.Errorf("%v", err)
		}
	}
	const title = "(exported from a schematic\nR1 a 0 1k\nV1 a 0 1\n.op\n.end"
	if _, err := Parse(title, Config{}); err != nil {
		t.Errorf("a title: %v", err)
	}
}
