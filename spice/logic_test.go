package spice

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"slipstick/spice/analysis"
)

// TestTruthTables compares the gates of LTspice with their functions for every combination of
// used inputs and levels. The functions are those of the LTspice help, "A. Special Functions"; an
// exclusive or is true if exactly one input is true.
func TestTruthTables(t *testing.T) {
	functions := map[string]func(high, inputs int) bool{
		"BUF": func(high, _ int) bool { return high == 1 },
		"AND": func(high, inputs int) bool { return high == inputs },
		"OR":  func(high, _ int) bool { return high > 0 },
		"XOR": func(high, _ int) bool { return high == 1 },
	}
	for name, f := range functions {
		most := 5
		if name == "BUF" {
			most = 1
		}
		for inputs := 1; inputs <= most; inputs++ {
			for levels := range 1 << inputs {
				var text, terminals strings.Builder
				for k := range 5 {
					if k >= inputs {
						terminals.WriteString(" com")
						continue
					}
					fmt.Fprintf(&text, "V%d n%d com %d\n", k, k, levels>>k&1*5)
					fmt.Fprintf(&terminals, " n%d", k)
				}
				r := run(t, "t\nVC com 0 -2\n"+text.String()+"A1"+terminals.String()+
					" inv out com "+name+" Vhigh=4 Vlow=1\n.op\n.end", "op")
				want := -1.0
				if f(bits.OnesCount(uint(levels)), inputs) {
					want = 2
				}
				out, inv := value(t, r, "v(out)"), value(t, r, "v(inv)")
				if !near(out, want) || !near(inv, 1-want) {
					t.Errorf("%s of %d inputs, levels %b: %g V and %g V, want %g V and %g V", name,
						inputs, levels, out, inv, want, 1-want)
				}
			}
		}
	}
}

// TestLogicMeasures compares A devices in their netlist form with values computed by hand.
func TestLogicMeasures(t *testing.T) {
	const ramp = "V1 in 0 PWL(0 0 10u 1)\n" // 0.1 V/us
	const clock = "V1 clk 0 PULSE(0 1 0.5u 2n 2n 0.5u 1u)\n"
	for _, c := range []struct {
		name, text string
		stop       string
		want       map[string]float64
	}{
		{"delay and rise time: 5 us to 0.5 V, td, half of trise",
			ramp + "A1 in 0 0 0 0 0 out 0 BUF td=1u trise=2u\n" +
				".meas tran half when v(out)=0.5\n.meas tran tenth when v(out)=0.1\n" +
				".meas tran end when v(out)=0.999", "10u",
			map[string]float64{"half": 7e-6, "tenth": 6.2e-6, "end": 7.998e-6}},
		{"a threshold of 0.3 V, and the fall time of the inverted output",
			ramp + "A1 in 0 0 0 0 inv 0 0 BUF Ref=0.3 Vhigh=5 trise=1u tfall=2u\n" +
				".meas tran half when v(inv)=2.5", "10u", map[string]float64{"half": 4e-6}},
		{"an RC time constant of rout and cout: ln 2 of 2 us",
			ramp + "A1 in 0 0 0 0 0 out 0 BUF rout=2k cout=1n\n.meas tran half when v(out)=0.5",
			"10u", map[string]float64{"half": 5e-6 + 2e-6*math.Ln2}},
		{"tau", ramp + "A1 in 0 0 0 0 0 out 0 BUF tau=2u\n.meas tran half when v(out)=0.5",
			"10u", map[string]float64{"half": 5e-6 + 2e-6*math.Ln2}},
		{"the thresholds of a Schmitt trigger: vt + vh and vt - vh",
			"V1 in 0 PWL(0 0 10u 1 20u 0)\nA1 in 0 0 0 0 0 out 0 SCHMITT Vt=0.5 Vh=0.2\n" +
				".meas tran up when v(out)=0.5 rise=1\n.meas tran down when v(out)=0.5 fall=1",
			"20u", map[string]float64{"up": 7e-6, "down": 17e-6}},
		{"their defaults, a half and 5 % of the swing",
			"V1 in 0 PWL(0 0 10u 4 20u 0)\nA1 in 0 0 0 0 0 out 0 SCHMITT Vhigh=4\n" +
				".meas tran up when v(out)=2 rise=1\n.meas tran down when v(out)=2 fall=1",
			"20u", map[string]float64{"up": 5.5e-6, "down": 15.5e-6}},
		{"differential inputs",
			ramp + "V2 ref 0 0.25\nA1 in ref 0 0 0 0 out 0 SCHMITT Vt=0.1 Vh=0.05\n" +
				".meas tran up when v(out)=0.5", "10u", map[string]float64{"up": 4e-6}},
		{"names of symbols with one output",
			ramp + "A1 in 0 0 0 0 out 0 0 SCHMTINV Vt=0.3 Vh=0\nA2 in 0 0 0 0 0 o2 0 INV\n" +
				"A3 in 0 0 0 0 o3 0 0 INV\n.meas tran one when v(out)=0.5 fall=1\n" +
				".meas tran two when v(o2)=0.5 fall=1\n.meas tran three when v(o3)=0.5 fall=1",
			"10u", map[string]float64{"one": 3e-6, "two": 5e-6, "three": 5e-6}},
		{"a set and reset flip-flop",
			"V1 s 0 PULSE(0 1 1u 2n 2n 0.5u 10u)\nV2 r 0 PULSE(0 1 3u 2n 2n 0.5u 10u)\n" +
				"A1 s r 0 0 0 qn q 0 SRFLOP td=100n\n.meas tran up when v(q)=0.5 rise=1\n" +
				".meas tran down when v(q)=0.5 fall=1\n.meas tran n find v(qn) at=2u", "5u",
			map[string]float64{"up": 1.101e-6, "down": 3.101e-6, "n": 0}},
		{"preset and clear of a D flip-flop, which samples at the rising edge",
			clock + "V2 d 0 PWL(0 1 1.2u 1 1.21u 0)\nV3 pre 0 PULSE(0 1 3u 2n 2n 0.1u 20u)\n" +
				"V4 clr 0 PULSE(0 1 3.05u 2n 2n 0.3u 20u)\n" +
				"A1 d 0 clk pre clr qn q 0 DFLOP td=10n\n" +
				".meas tran up when v(q)=0.5 rise=1\n.meas tran down when v(q)=0.5 fall=1\n" +
				".meas tran preset when v(q)=0.5 rise=2\n.meas tran clear when v(q)=0.5 fall=2",
			"5u", map[string]float64{"up": 0.511e-6, "down": 1.511e-6, "preset": 3.011e-6,
				"clear": 3.061e-6}},
		{"three flip-flops divide by eight; 10 ns each and 1 ns of the clock",
			clock + "A1 q1n 0 clk 0 0 q1n q1 0 DFLOP td=10n\n" +
				"A2 q2n 0 q1n 0 0 q2n q2 0 DFLOP td=10n\n" +
				"A3 q3n 0 q2n 0 0 q3n q3 0 DFLOP td=10n\n" +
				".meas tran first when v(q3)=0.5 rise=1\n.meas tran second when v(q3)=0.5 rise=2",
			"20u", map[string]float64{"first": 3.531e-6, "second": 11.531e-6}},
		{"a counter: high for round(5·0.4) of 5 cycles, from the start",
			clock + "A1 clk 0 0 0 0 n q 0 COUNTER cycles=5 duty=0.4 td=1n\n" +
				".meas tran down when v(q)=0.5 fall=1\n.meas tran up when v(q)=0.5 rise=1\n" +
				".meas tran again when v(q)=0.5 fall=2", "9u",
			map[string]float64{"down": 1.502e-6, "up": 4.502e-6, "again": 6.502e-6}},
		{"its reset", clock + "V2 r 0 PULSE(0 1 2.2u 2n 2n 0.1u 20u)\n" +
			"A1 clk r 0 0 0 n q 0 COUNTER cycles=4\n.meas tran up when v(q)=0.5 rise=1\n" +
			".meas tran down when v(q)=0.5 fall=2", "9u",
			map[string]float64{"up": 2.201e-6, "down": 3.501e-6}},
		{"a phase detector: current while a leads, and while b leads",
			"V1 a 0 PULSE(0 1 1u 2n 2n 0.2u 4u)\nV2 b 0 PULSE(0 1 2u 2n 2n 0.2u 2.5u)\n" +
				"A1 a b 0 0 0 0 out 0 PHASEDET iout=1m Vhigh=10 Vlow=-10\nR1 out 0 1k\n" +
				".meas tran up find v(out) at=1.5u\n.meas tran off find v(out) at=3u\n" +
				".meas tran down find v(out) at=4.8u", "6u",
			map[string]float64{"up": 1, "off": 0, "down": -1}},
		{"its limits: 1 V of 10 V",
			"V1 a 0 PULSE(0 1 1u 2n 2n 0.2u 4u)\nV2 b 0 0\n" +
				"A1 a b 0 0 0 0 out 0 PHIDET isource=1m isink=-2m rclamp=1m\nR1 out 0 10k\n" +
				".meas tran up find v(out) at=1.5u", "3u", map[string]float64{"up": 1}},
		{"a sample at the clock, and the mode that follows",
			ramp + "V2 clk 0 PULSE(0 1 4u 2n 2n 1u 20u)\nV3 sh 0 PULSE(0 1 8u 2n 2n 1u 20u)\n" +
				"A1 in 0 clk sh 0 n out 0 SAMPLEHOLD rout=1\n.meas tran early find v(out) at=3u\n" +
				".meas tran held find v(out) at=7u\n.meas tran track find v(out) at=8.5u\n" +
				".meas tran after find v(out) at=9.9u\n.meas tran inv find v(n) at=7u", "10u",
			map[string]float64{"early": 0, "held": 0.4001, "track": 0.85, "after": 0.9003,
				"inv": -0.4001}},
		{"its limits, its initial value and an input across two nodes",
			"V1 p 0 PWL(0 0 10u 10)\nV2 m 0 -1\nV3 clk 0 PULSE(0 1 4u 2n 2n 1u 20u)\n" +
				"A1 p m clk 0 0 0 out 0 SAMPLEHOLD Vhigh=3 ic=2 Rout=10\n" +
				".meas tran early find v(out) at=3u\n.meas tran held find v(out) at=7u", "10u",
			map[string]float64{"early": 2, "held": 3}},
		{"a voltage-controlled oscillator of 1.5 kHz",
			"V1 fm 0 0.5\nV2 am 0 2\nA1 fm am 0 0 0 c s 0 MODULATE mark=2k space=1k\n" +
				".meas tran sine find v(s) at=166.6666667u\n" +
				".meas tran cosine find v(c) at=333.333333u\n.meas tran zero when v(s)=0 fall=1",
			"1m 0 1u", map[string]float64{"sine": 2, "cosine": -2, "zero": 1e-3 / 3}},
		{"without inputs it oscillates at mark",
			"R9 a 0 1\nV9 a 0 0\nA1 0 0 0 0 0 0 s 0 MODULATOR mark=1k space=7\nR1 s 0 1\n" +
				".meas tran half find v(s) at=0.25m", "1m 0 1u", map[string]float64{"half": 0.5}},
		{"a varistor of 2 V: (10 - v)/1k = (v - 2)/10",
			"V1 c 0 2\nV2 a 0 PWL(0 0 1u 10 2u -10)\nR1 a out 1k\n" +
				"A1 c 0 0 0 0 0 out 0 VARISTOR rclamp=10\n.meas tran top max v(out)\n" +
				".meas tran least min v(out)", "2u",
			map[string]float64{"top": 2.0792079, "least": -2.0792079}},
		{"the AND of three gates whose inputs cross one after another",
			ramp + "A1 in 0 0 0 0 0 a 0 BUF ref=0.2 td=5u\nA2 in 0 0 0 0 b 0 0 BUF ref=0.3 td=5u\n" +
				"A3 a b 0 0 0 0 out 0 AND td=1u\n.meas tran up when v(out)=0.5 rise=1\n" +
				".meas tran down when v(out)=0.5 fall=1", "10u",
			map[string]float64{"up": 8e-6, "down": 9e-6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, "t\n"+c.text+"\n.tran 10n "+c.stop+"\n.end", "tran")
			for _, m := range r.Measures {
				want, ok := c.want[m.Name]
				if !ok || m.Value == nil {
					t.Fatalf("measure %s: %v, wanted %v; %v", m.Name, m.Value, ok, r.Warnings)
				}
				if math.Abs(*m.Value-want) > 2e-4*math.Abs(want)+1e-12 {
					t.Errorf("%s = %.9g, want %.9g", m.Name, *m.Value, want)
				}
			}
			if len(r.Measures) != len(c.want) {
				t.Errorf("%d measures, want %d", len(r.Measures), len(c.want))
			}
		})
	}
}

// TestLogicOscillators compares periods with their closed forms.
func TestLogicOscillators(t *testing.T) {
	for _, c := range []struct {
		name, text, stop string
		want             float64
	}{
		{"three inverters: 6 td", "A1 c 0 0 0 0 a 0 0 BUF td=10n\nA2 a 0 0 0 0 b 0 0 BUF td=10n\n" +
			"A3 b 0 0 0 0 c 0 0 BUF td=10n", "1u", 60e-9},
		{"an inverter with a rise time: 2 td + trise",
			"A1 a 0 0 0 0 a 0 0 BUF td=50n trise=20n", "2u", 120e-9},
		{"Schmitt trigger and RC: 2 RC ln(0.7/0.3)",
			"A1 a 0 0 0 0 out 0 0 SCHMITT vt=0.5 vh=0.2 rout=1u\nR1 out a 1k\nC1 a 0 1u",
			"20m", 2e-3 * math.Log(0.7/0.3)},
		{"flip-flop set at 1/3 and reset at 2/3 of 3 V, as a 555 timer: 2 RC ln 2",
			"A1 a 0 0 0 0 s 0 0 BUF ref=1\nA2 a 0 0 0 0 0 r 0 BUF ref=2\n" +
				"A3 s r 0 0 0 0 out 0 SRFLOP Vhigh=3 ref=0.5 rout=1u\nR1 out a 1k\nC1 a 0 1n",
			"20u", 2e-6 * math.Ln2},
		{"three inverters of 1, 2 and 3 ns: twice the sum",
			"A1 z 0 0 0 0 x 0 0 OR td=1n\nA2 x 0 0 0 0 y 0 0 OR td=2n\nA3 y 0 0 0 0 z 0 0 OR td=3n\n" +
				"R1 z a 1", "200n", 12e-9},
	} {
		node := "a"
		if strings.Contains(c.text, " out ") {
			node = "out"
		}
		level := "0.5"
		if strings.Contains(c.text, "Vhigh=3") {
			level = "1.5"
		}
		r := run(t, "t\n"+c.text+"\n.meas tran ten trig v("+node+") val="+level+" rise=2 targ v("+
			node+") val="+level+" rise=7\n.tran "+c.stop+"\n.end", "tran")
		if m := r.Measures[0].Value; m == nil || math.Abs(*m/5-c.want) > 2e-4*c.want {
			t.Errorf("%s: five periods last %v s, want %g s each; %v", c.name, show(m), c.want,
				r.Warnings)
		}
	}
}

// TestPhaseLockedLoop verifies that a loop of phase detector, filter and oscillator follows its
// reference. The frequency at the end is that of the reference, 100 kHz, at 0.5 V of control.
func TestPhaseLockedLoop(t *testing.T) {
	r := run(t, `t
V1 ref 0 PULSE(0 1 0 10n 10n 5u 10u)
A1 ref sq 0 0 0 0 ctl 0 PHASEDET iout=100u Vhigh=2 Vlow=0 ref=0.5
R1 ctl m 2k
C1 m 0 20n
C2 ctl 0 1n
A2 ctl 0 0 0 0 0 vco 0 MODULATOR mark=150k space=50k
A3 vco 0 0 0 0 0 sq 0 SCHMITT vt=0 vh=0.1
.meas tran period trig v(sq) val=0.5 rise=last targ v(ref) val=0.5 rise=last
.meas tran control avg v(ctl) from=1.5m to=2m
.tran 1u 2m
.end`, "tran")
	wantNear(t, "control voltage", *r.Measures[1].Value, 0.5, 0.01)
}

// TestLogicDC verifies the consistent levels at DC: a chain, a latch of two gates with .ic, ic= of
// flip-flops, and the hysteresis of a sweep.
func TestLogicDC(t *testing.T) {
	r := run(t, "t\nV1 a 0 1\nA1 a 0 0 0 0 b 0 0 BUF\nA2 b 0 0 0 0 c 0 0 BUF\nA3 c 0 0 0 0 d 0 0 BUF\n"+
		"A4 a c 0 0 0 e f 0 AND\nA5 0 0 x 0 0 g h 0 DFLOP ic=1\nA6 0 0 x 0 0 i j 0 DFLOP\n"+
		"A7 s s 0 0 0 k l 0 SRFLOP ic=1\nV2 s 0 0\nV3 x 0 1\n.op\n.end", "op")
	for name, want := range map[string]float64{"v(b)": 0, "v(c)": 1, "v(d)": 0, "v(f)": 1, "v(e)": 0,
		"v(g)": 0, "v(h)": 1, "v(i)": 1, "v(j)": 0, "v(l)": 1} {
		if got := value(t, r, name); got != want {
			t.Errorf("%s = %g V, want %g V", name, got, want)
		}
	}
	r = run(t, "t\nV1 in 0 0\nA1 in 0 0 0 0 0 out 0 SCHMITT Vt=0.5 Vh=0.25\n.dc V1 0 1 0.1\n.end", "dc")
	for k, v := range column(t, r, "v(out)") {
		if want := map[bool]float64{true: 1}[k > 7]; v != want {
			t.Errorf("up, %g V: %g V, want %g V", column(t, r, "sweep")[k], v, want)
		}
	}
	r = run(t, "t\nV1 in 0 0\nA1 in 0 0 0 0 0 out 0 SCHMITT Vt=0.5 Vh=0.25\n.dc V1 1 0 -0.1\n.end",
		"dc")
	for k, v := range column(t, r, "v(out)") {
		if want := map[bool]float64{true: 1}[k < 8]; v != want {
			t.Errorf("down, %g V: %g V, want %g V", column(t, r, "sweep")[k], v, want)
		}
	}
	// Two NOR gates keep the state that .ic gives them.
	for _, q := range []string{"0", "1"} {
		r = run(t, "t\nA1 s p 0 0 0 q 0 0 OR td=1n\nA2 r q 0 0 0 p 0 0 OR td=1n\nV1 s 0 0\nV2 r 0 0\n"+
			".ic v(q)="+q+" v(p)={1-"+q+"}\n.meas tran late find v(q) at=90n\n.tran 1n 100n\n.end",
			"tran")
		if got, want := *r.Measures[0].Value, map[string]float64{"0": 0, "1": 1}[q]; got != want {
			t.Errorf("the latch with .ic v(q)=%s has %g V", q, got)
		}
	}
}

// TestSpecialAC verifies the small-signal gains. A gate has 0, a sample and hold that follows its
// input 1, an OTA g·rout, and its limit sech².
func TestSpecialAC(t *testing.T) {
	r := run(t, "t\nV1 in 0 dc 0.2 ac 1\nV2 one 0 1\nA1 in 0 0 0 0 0 gate 0 BUF ref=0.2\n"+
		"A2 in 0 0 one 0 0 track 0 SAMPLEHOLD\nA3 in 0 one 0 0 0 hold 0 SAMPLEHOLD\n"+
		"A4 0 in 0 0 0 0 lin 0 OTA g=1m rout=2k linear Vhigh=5 Vlow=-5 cout=1n\n"+
		"A5 0 in 0 0 0 0 lim 0 OTA g=1m rout=2k iout=400u Vhigh=5 Vlow=-5\n.ac lin 1 1k 1k\n.end", "ac")
	limited := 1 / math.Pow(math.Cosh(0.5), 2)
	for name, want := range map[string]float64{"v(gate)_mag": 0, "v(track)_mag": 1, "v(hold)_mag": 0,
		"v(lin)_mag": 2 / math.Hypot(1, 2*math.Pi*1e3*2e-6), "v(lim)_mag": 2 * limited} {
		if got := value(t, r, name); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", name, got, want)
		}
	}
}

// TestLogicSensitivity compares .sens of a gate with R1/(R1 + rout) and -vhigh·R1/(R1 + rout)².
func TestLogicSensitivity(t *testing.T) {
	r := run(t, "t\nV1 in 0 0.8\nA1 in 0 0 0 0 b a 0 AND vhigh=4 ref=0.5 rout=10 cout=1n\nR1 a 0 30\n"+
		"R2 b 0 1k\n.sens v(a)\n.end", "sens")
	for parameter, want := range map[string]float64{"vhigh": 0.75, "rout": -4 * 30. / 1600,
		"ref": 0} {
		if got := sensitivityTo(t, r, "a1", parameter).Absolute; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %g, want %g", parameter, got, want)
		}
	}
	for _, e := range r.Detail.(*analysis.Sensitivities).Entries {
		if e.Parameter == "cout" {
			t.Error("cout, which is no parameter of the gate itself, has a sensitivity")
		}
	}
}

// TestTransconductanceAmplifier compares output currents with the formula
// g·(ref - v(1,2))·v(3,4), limited by tanh.
func TestTransconductanceAmplifier(t *testing.T) {
	for _, c := range []struct {
		terminals, parameters string
		want                  float64
	}{
		{"0 a 0 0", "g=1m linear Vhigh=5 Vlow=-5", 0.3e-3},
		{"a 0 0 0", "g=1m linear ref=1 Vhigh=5 Vlow=-5", 0.7e-3},
		{"0 a b 0", "g=1m linear Vhigh=5 Vlow=-5", 0.6e-3},
		{"0 a 0 b", "g=1m linear Vhigh=5 Vlow=-5", -0.6e-3},
		{"0 a 0 0", "g=1m linear ioffset=1m Vhigh=5 Vlow=-5", 1.3e-3},
		{"0 a 0 0", "g=1m iout=1m Vhigh=5 Vlow=-5", 1e-3 * math.Tanh(0.3)},
		{"0 a 0 0", "g=1m Vhigh=5 Vlow=-5", 10e-6 * math.Tanh(30)},
		{"0 a 0 0", "g=1m asym isource=0.2m isink=-1m Vhigh=5 Vlow=-5", 0.2e-3 * math.Tanh(1.5)},
		{"a 0 0 0", "g=1m asym isrc=0.2m isink=-1m Vhigh=5 Vlow=-5", -1e-3 * math.Tanh(0.3)},
		{"0 a 0 0", "g=1m isource=0.2m isink=-1m Vhigh=5 Vlow=-5",
			0.6e-3*math.Tanh(0.5) - 0.4e-3},
		{"0 a 0 0", "g=1 iout=10 rclamp=1m", 2.0003e-3},
		{"0 a 0 0", "g=1m linear powerup=0 Vhigh=5 Vlow=-5", 0},
		{"0 a 0 0", "g=1m linear rout=1k Vhigh=1e308 Vlow=-1e308", 0.15e-3},
	} {
		r := run(t, "t\nV1 a 0 0.3\nV2 b 0 2\nA1 "+c.terminals+" 0 0 out 0 OTA "+c.parameters+
			"\nR1 out 0 1k\n.op\n.end", "op")
		if got := value(t, r, "v(out)") / 1e3; math.Abs(got-c.want) > 1e-3*math.Abs(c.want)+1e-12 {
			t.Errorf("%s, %s: %g A, want %g A", c.terminals, c.parameters, got, c.want)
		}
	}
}

// show returns the text of a measure.
func show(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%.9g", *v)
}
