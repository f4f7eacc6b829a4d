package library_test

import (
	"math"
	"testing"
)

// TestUniversalAmplifier measures the parameters of the amplifiers of LTspice.
func TestUniversalAmplifier(t *testing.T) {
	const supplies = "t\nVP p 0 5\nVN m 0 -5\n"
	for _, c := range []struct {
		name, text string
		want       float64
	}{
		{"open-loop gain", "V1 in 0 1u\nX1 in 0 p m out level.1 Avol=1k\n.dc V1 1u 1u 1\n" +
			".meas dc x max v(out)", 1e-3},
		{"offset voltage", "X1 0 out p m out level.2 Vos=-3m\n.dc VP 5 5 1\n" +
			".meas dc x max v(out)", -3e-3},
		{"bandwidth", "V1 in 0 AC 1\nX1 in n p m out level.2 GBW=10Meg\nR1 out n 9k\n" +
			"R2 n 0 1k\n.ac dec 50 1k 100meg\n.meas ac x when vdb(out)=16.9897", 1e6},
		{"bandwidth without limits", "V1 in 0 AC 1\nX1 in n p m out level.1 GBW=10Meg\n" +
			"R1 out n 9k\nR2 n 0 1k\n.ac dec 50 1k 100meg\n.meas ac x when vdb(out)=16.9897", 1e6},
		{"slew rate", "V1 in 0 PULSE(-4 4 0 1n 1n 1 2)\nX1 in out p m out level.3 Slew=1Meg\n" +
			"R1 out 0 10k\n.tran 10n 6u\n" +
			".meas tran x trig v(out) val=-2 rise=1 targ v(out) val=2 rise=1", 4e-6},
		{"swing", "V1 in 0 3\nX1 in n p m out level.2 rail=1\nR1 out n 10k\nR2 n 0 10k\n" +
			".dc V1 3 3 1\n.meas dc x max v(out)", 4},
		{"swing to the rail", "V1 in 0 -3\nX1 in n p m out level.3b rail=0\nR1 out n 10k\n" +
			"R2 n 0 10k\n.dc V1 -3 -3 1\n.meas dc x max v(out)", -5},
		{"output current", "V1 in 0 3\nX1 in out p m out level.2 ilimit=20m\nR1 out 0 1\n" +
			".dc V1 3 3 1\n.meas dc x max v(out)", 20e-3},
		// The phase of the open-loop gain where its magnitude is 1.
		{"phase margin", "V1 in 0 AC 1\nX1 in 0 p m out level3a Avol=100 GBW=10Meg Phimargin=45\n" +
			"R1 out 0 10k\n.ac dec 200 1meg 20meg\n.meas ac x find ph(v(out)) when mag(v(out))=1",
			-135},
		{"phase margin of level4", "V1 in 0 AC 1\nX1 in 0 p m out level4 Avol=100 GBW=10Meg " +
			"Phimargin=60\nR1 out 0 10k\n.ac dec 200 1meg 20meg\n" +
			".meas ac x find ph(v(out)) when mag(v(out))=1", -120},
		{"input capacitance of level4", "V1 in 0 AC 1\nR0 in g 1meg\n" +
			"X1 g 0 p m out level4 Ccm=3p Cdiff=7p\nR1 out 0 10k\n.ac dec 200 1k 100k\n" +
			".meas ac x when mag(v(g))=0.70711", 1 / (2 * math.Pi * 1e6 * 10e-12)},
		{"voltage noise", "V1 in 0 AC 1\nX1 in n p m out level2 En=7n\nR1 out n 90\nR2 n 0 10\n" +
			".noise v(out) V1 list 1k 10k\n.meas noise x find v(inoise) at=1k",
			math.Sqrt(7e-9*7e-9 + 4*1.38064852e-23*300.15*9)},
		{"voltage noise at its corner", "V1 in 0 AC 1\nX1 in n p m out level1 En=7n Enk=100\n" +
			"R1 out n 90m\nR2 n 0 10m\n.noise v(out) V1 list 100 10k\n" +
			".meas noise x find v(inoise) at=100", 7e-9 * math.Sqrt2},
		{"current noise", "V1 in 0 AC 1\nX1 in n p m out level3a In=1p\nR1 out n 1meg noisy=0\n" +
			".noise v(out) V1 list 1k 10k\n.meas noise x find v(onoise) at=1k", 1e-6},
		{"current noise at its corner", "V1 in 0 AC 1\nX1 in n p m out level.3b In=1p Ink=2k\n" +
			"R1 out n 1meg noisy=0\n.noise v(out) V1 list 500 10k\n" +
			".meas noise x find v(onoise) at=500", 1e-6 * math.Sqrt(5)},
		{"gain with three pins", "V1 in 0 1u\nX1 0 in out opamp Aol=2k\n.dc V1 1u 1u 1\n" +
			".meas dc x max v(out)", 2e-3},
	} {
		if x := measured(t, supplies+c.text+"\n.end"); math.Abs(x-c.want) > 0.03*math.Abs(c.want) {
			t.Errorf("%s: %g, want %g", c.name, x, c.want)
		}
	}
}
