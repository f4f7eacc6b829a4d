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
		{"gain with three pins", "V1 in 0 1u\nX1 0 in out opamp Aol=2k\n.dc V1 1u 1u 1\n" +
			".meas dc x max v(out)", 2e-3},
	} {
		if x := measured(t, supplies+c.text+"\n.end"); math.Abs(x-c.want) > 0.03*math.Abs(c.want) {
			t.Errorf("%s: %g, want %g", c.name, x, c.want)
		}
	}
}
