package measure_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
)

// TestAgainstNgspice evaluates the same cards in this simulator and in ngspice with tight
// tolerances and small steps. Measures must agree within 1 % and distortion within 2 %. For .four,
// ngspice resamples a period at 4000 points instead of its default of 200.
func TestAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	const amplifier = "VCC vcc 0 12\nVIN in 0 DC 0 AC 1 SIN(0 20m 1k)\nC1 in b 10u\nR1 vcc b 47k\nR2 b 0 10k\nRC vcc c 2.2k\nRE e 0 470\nC2 c out 10u\nRL out 0 10k\nQ1 c b e q\n.model q npn(is=6.7f bf=200 vaf=74 ikf=67m rb=10 cje=4.5p cjc=3.6p tf=0.3n)\n"
	for _, c := range []struct{ name, kind, text string }{
		{"rc step", "tran",
			"V1 in 0 PULSE(0 5 0.1m 1u 1u 1 2)\nR1 in out 1k\nC1 out 0 100n\n.tran 2u 2m 0 0.5u\n" +
				".meas tran rise trig v(out) val=0.5 rise=1 targ v(out) val=4.5 rise=1\n.meas tran half when v(out)=2.5\n.meas tran at find v(out) at=0.2m\n" +
				".meas tran q integ i(v1) from=0.1m to=1m\n.meas tran mean avg v(out) from=0.15m to=0.9m\n.meas tran eff rms v(out) from=0.15m to=0.9m\n" +
				".meas tran top max v(out)\n.meas tran least min v(out) from=0.3m to=1m\n.meas tran twice param='2*top'\n"},
		{"rectifier", "tran", "V1 in 0 SIN(0 10 50)\nD1 in out d\nRL out 0 1k\nC1 out 0 100u\n.model d d(is=2.5n n=1.75 rs=0.5 cjo=4p tt=12n)\n.tran 50u 100m 0 5u\n" +
			".meas tran ripple pp v(out) from=60m to=80m\n.meas tran mean avg v(out) from=60m to=80m\n.meas tran peak min i(v1) from=0 to=10m\n.meas tran dip min i(v1) from=60m to=80m\n" +
			".meas tran t2 when v(in)=5 rise=2\n.meas tran tl when v(in)=5 fall=last\n.meas tran t3 when v(in)=5 cross=3\n.meas tran late trig v(in) val=1 td=30m rise=1 targ v(in) val=1 td=30m fall=1\n.four 50 v(out) v(in)\n"},
		{"amplifier", "tran", amplifier + ".tran 5u 20m 0 1u\n.meas tran pp pp v(out) from=18m to=20m\n.meas tran eff rms v(out) from=18m to=20m\n.meas tran bias avg v(c) from=18m to=20m\n.four 1k v(out)\n"},
		{"clipper", "tran", "V1 in 0 SIN(0 5 1k)\nR1 in out 1k\nD1 out 0 d\nD2 0 out d\nRL out 0 10k\n.model d d(is=2.5n n=1.75 rs=0.5 cjo=4p tt=12n)\n.tran 2u 5m 0 0.5u\n.meas tran top max v(out)\n.four 1k v(out)\n"},
		{"square", "tran", "V1 in 0 PULSE(-1 1 0 1u 1u 0.499m 1m)\nR1 in out 1k\nC1 out 0 10n\n.tran 2u 5m 0 0.5u\n.four 1k v(in) v(out)\n"},
		{"faint distortion", "tran", "V1 in 0 SIN(0 1 1k)\nR1 in out 1k\nD1 out a d\nVA a 0 0.62\nRL out 0 10k\n.model d d(is=2.5n n=1.75 rs=0.5 cjo=4p)\n.tran 2u 5m 0 0.5u\n.four 1k v(out)\n"},
		{"low-pass", "ac", "V1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 100 10 1meg\n.meas ac corner when vdb(out)=-3.0103\n.meas ac mag find vm(out) at=2k\n.meas ac dbs find vdb(out) at=5k\n.meas ac phase find vp(out) at=3k\n.meas ac re find vr(out) at=1k\n.meas ac im find vi(out) at=1k\n.meas ac least min vdb(out)\n.meas ac top max vm(out) from=100 to=1k\n"},
		{"amplifier ac", "ac", amplifier + ".ac dec 50 1 100meg\n.meas ac gain max vdb(out)\n.meas ac low when vdb(out)=10 rise=1\n.meas ac high when vdb(out)=10 fall=last\n.meas ac band trig vdb(out) val=10 rise=1 targ vdb(out) val=10 fall=1\n"},
		{"diode curve", "dc", "V1 in 0 0\nR1 in a 100\nD1 a 0 d\n.model d d(is=2.5n n=1.75)\n.dc V1 0 5 0.01\n.meas dc knee find v(a) when i(v1)=-10m\n.meas dc at find v(a) at=2\n.meas dc top max v(a)\n.meas dc mean avg v(a) from=1 to=3\n.meas dc on when v(a)=0.6\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.name + "\n" + c.text + ".end\n"
			printed, err := ngspice.Print(ng, strings.Replace(text, ".end\n", ".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-16 trtol=1\n.save all\n.end\n", 1))
			if err != nil {
				t.Fatal(err)
			}
			want, thd := ngspice.Measures(printed), ngspice.THD(printed)
			// Only ngspice uses the largest step of the card.
			r := simulate(t, regexp.MustCompile(`(?m)^(\.tran \S+ \S+) .*$`).ReplaceAllString(text,
				"$1"))
			got := values(r)
			for name, w := range want {
				v, scale := got[name], w
				if name == "phase" {
					w *= 180 / math.Pi // ngspice prints phases in radians
					scale = w
				}
				if math.Abs(v-w) > 0.01*math.Abs(scale) || math.IsNaN(v) {
					t.Errorf("%s = %g, ngspice %g", name, v, w)
				}
			}
			if n := strings.Count(c.text, ".meas "); len(want) != n {
				t.Errorf("ngspice made %d of %d measures: %v", len(want), n, want)
			}
			if len(thd) != len(r.Fourier) || strings.Contains(c.text, ".four") && len(thd) == 0 {
				t.Errorf("%d spectra, ngspice %d", len(r.Fourier), len(thd))
			}
			for _, f := range r.Fourier {
				w := thd[f.Name]
				t.Logf("%-8s THD %.5g %%, ngspice %.5g %%", f.Name, *f.THDPct, w)
				if math.Abs(*f.THDPct-w) > 0.02*w+1e-3 {
					t.Errorf("%s: THD %g %%, ngspice %g %%", f.Name, *f.THDPct, w)
				}
			}
		})
	}
}
