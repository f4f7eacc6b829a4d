package library_test

import (
	"math"
	"regexp"
	"testing"

	"slipstick/internal/ngspice"
	"slipstick/spice/library"
)

// TestAgainstNgspice runs typical circuits of the library in this simulator and in ngspice. ngspice
// uses the netlist text of the library with tight tolerances and small steps. All measures must
// agree within 1 %.
func TestAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	const supplies = "VP vcc 0 15\nVN vee 0 -15\n"
	for _, c := range []struct {
		name, part, text string
		step             string // largest time step for ngspice; empty for no limit
	}{
		{"slewing follower", "tl072", supplies + "V1 in 0 PULSE(-5 5 10u 1n 1n 40u 80u)\nX1 in out vcc vee out tl072\nRL out 0 10k\n.tran 0.5u 80u\n.meas tran up trig v(out) val=-4 rise=1 targ v(out) val=4 rise=1\n.meas tran eff rms v(out)\n", "20n"},
		{"clipping amplifier", "ua741", supplies + "V1 in 0 SIN(0 3 100)\nR1 in b 1k\nR2 b out 10k\nX1 0 b vcc vee out ua741\n.tran 0.1m 20m\n.meas tran top max v(out)\n.meas tran low min v(out)\n.meas tran eff rms v(out)\n", "2u"},
		{"integrator", "tl082", supplies + "V1 in 0 PULSE(-1 1 0 1u 1u 0.5m 1m)\nR1 in b 10k\nC1 b out 10n\nR2 b out 1meg\nX1 0 b vcc vee out tl082\n.tran 5u 3m\n.meas tran pp pp v(out) from=2m to=3m\n.meas tran at find v(out) at=2.2m\n", "0.5u"},
		{"precision rectifier", "lm358", supplies + "V1 in 0 SIN(0 2 200)\nX1 in out vcc vee o lm358\nD1 o out d\nR1 out 0 10k\n.model d d(is=2.5n n=1.75 rs=0.5)\n.tran 20u 10m\n.meas tran top max v(out)\n.meas tran mean avg v(out)\n", "1u"},
		{"Wien bridge", "tl072", supplies + "X1 p n vcc vee out tl072\nR1 p 0 10k\nC1 p 0 16n\nR2 out x 10k\nC2 x p 16n\nRF out n 22k\nRG n 0 10k\n.ic v(p)=0.5\n.tran 20u 10m\n.meas tran per trig v(out) val=1 rise=7 targ v(out) val=1 rise=8\n.meas tran pp pp v(out) from=8m to=10m\n", "1u"},
		{"relaxation oscillator on one supply", "lm324", "VP vcc 0 5\nX1 p n vcc 0 out lm324\nR1 vcc p 100k\nR2 p 0 100k\nR3 out p 100k\nR4 out n 100k\nC1 n 0 10n\n.ic v(n)=0\n.tran 10u 5m\n.meas tran per trig v(out) val=2 rise=1 targ v(out) val=2 rise=2\n.meas tran high max v(out) from=1m to=5m\n", "1u"},
		{"Sallen-Key low-pass", "ne5532", supplies + "V1 in 0 AC 1\nR1 in a 10k\nR2 a b 10k\nC1 a out 2.2n\nC2 b 0 1n\nX1 b out vcc vee out ne5532\n.ac dec 100 100 1meg\n.meas ac corner when vdb(out)=-3\n.meas ac top max vm(out)\n.meas ac far find vdb(out) at=50k\n", ""},
		{"comparator", "lm358", "VP vcc 0 5\nV1 in 0 0\nVR ref 0 2\nX1 in ref vcc 0 out lm358\nR1 out 0 2k\n.dc V1 1.9 2.1 0.001\n.meas dc at when v(out)=1.5\n.meas dc high max v(out)\n.meas dc low min v(out)\n", ""},
		{"regulator behind a rectifier", "lm7805", "V1 a 0 SIN(0 13 50)\nD1 a in d\nC1 in 0 1000u\nX1 in 0 out lm7805\nC2 out 0 10u\nR1 out 0 10\n.model d d(is=2.5n n=1.75 rs=0.05)\n.tran 0.1m 60m\n.meas tran low min v(in) from=20m to=60m\n.meas tran mean avg v(out) from=20m to=60m\n", "10u"},
		{"adjustable regulator in and out of dropout", "lm317", "V1 in 0 0\nX1 in adj out lm317\nR1 out adj 240\nR2 adj 0 720\nR3 out 0 20\n.dc V1 0.5 12 0.1\n.meas dc high max v(out)\n.meas dc mean avg v(out)\n", ""},
		{"comparator with hysteresis", "lm393", "VP vcc 0 5\nV1 in 0 SIN(2.5 2 10k)\nR0 vcc r 10k\nR1 r 0 10k\nR2 out r 47k\nX1 r in vcc 0 out lm393\nR3 vcc out 5.1k\n.tran 0.2u 300u\n.meas tran wide trig v(out) val=2.5 fall=2 targ v(out) val=2.5 rise=2\n.meas tran low min v(out)\n", "20n"},
		{"ring of three inverters", "74hc04", "VC vcc 0 5\nX1 a vcc 0 b 74hc04\nX2 b vcc 0 c 74hc04\nX3 c vcc 0 a 74hc04\nC1 a 0 20p\nC2 b 0 20p\nC3 c 0 20p\n.ic v(a)=0\n.tran 0.2n 300n\n.meas tran per trig v(a) val=2.5 rise=3 targ v(a) val=2.5 rise=4\n.meas tran high max v(a) from=150n to=300n\n", "0.1n"},
		{"photocoupler with pull-up", "pc817", "VC vcc 0 5\nV1 s 0 PULSE(0 5 20u 0.1u 0.1u 200u 400u)\nR1 s a 760\nX1 a 0 c 0 pc817\nR2 vcc c 1k\n.tran 1u 400u\n.meas tran low min v(c)\n.meas tran on trig v(s) val=2.5 rise=1 targ v(c) val=2.5 fall=1\n.meas tran off trig v(s) val=2.5 fall=1 targ v(c) val=2.5 rise=1\n", "0.2u"},
		{"follower into a short", "opamp", "VP vcc 0 5\nV1 in 0 0\nX1 in out vcc 0 out opamp\nR1 out 0 10\n.dc V1 0 5 0.05\n.meas dc high max v(out)\n.meas dc mean avg v(out)\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.name + "\n" + c.text
			r := simulate(t, text+".end")
			part, _ := library.Text(c.part)
			theirs := text + part + ".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-16 trtol=1\n.save all\n.end\n"
			if c.step != "" {
				theirs = regexp.MustCompile(`(?m)^\.tran .*$`).ReplaceAllString(theirs,
					"$0 0 "+c.step)
			}
			printed, err := ngspice.Print(ng, theirs)
			want := ngspice.Measures(printed)
			if err != nil || len(want) == 0 {
				t.Fatalf("ngspice measured nothing: %v\n%s", err, printed)
			}
			for _, m := range r.Measures {
				w, ok := want[m.Name]
				v := math.NaN()
				if m.Value != nil {
					v = *m.Value
				}
				t.Logf("%-6s %12.6g ngspice %12.6g", m.Name, v, w)
				if !ok || !(math.Abs(v-w) <= 0.01*math.Abs(w)) {
					t.Errorf("%s = %g, ngspice %g (%v)", m.Name, v, w, ok)
				}
			}
			t.Logf("%d iterations, %d steps, aid %s, %v %q", r.Statistics.NewtonIterations,
				r.Statistics.TimeSteps, r.Statistics.ConvergenceAid, r.Runtime, r.Warnings)
		})
	}
}
