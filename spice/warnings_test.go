package spice

import (
	"context"
	"math"
	"strings"
	"testing"

	"slipstick/spice/analysis"
)

// TestWarningsOfValues requires a warning where a value has another effect than written.
func TestWarningsOfValues(t *testing.T) {
	for name, c := range map[string]struct{ netlist, want string }{
		// 1 - 0.02·73 < 0
		"series resistance of a diode": {"t\nI1 0 a 1m\nD1 a 0 m\n.model m d(rs=1 trs1=-0.02)\n" +
			".temp 100\n.op\n.end", "line 4: model m: temperature coefficients of a resistance"},
		"base resistance": {"t\nI1 0 a 1m\nQ1 a a 0 m\n.model m npn(rb=10 trb1=-0.03)\n" +
			".temp 100\n.op\n.end", "line 4: model m: temperature coefficients of a resistance"},
		"source resistance of a VDMOS": {"t\nV1 a 0 5\nM1 a a 0 m\n.model m vdmos(rs=1 trs1=-0.02)\n" +
			".temp 100\n.op\n.end", "line 4: model m: temperature coefficients of a resistance"},
		"quasi-saturation without RCO": {"t\nI1 0 a 1m\nQ1 a a 0 m\n.model m npn(quasimod=1)\n.op\n.end",
			"line 4: model m: quasimod has no effect without rco"},
		"frequency that .step sets in MHz": {"t\nV1 a 0 sin(0 1 {f})\nR1 a 0 1\n" +
			".step param f list 1M 3M\n.tran 1u 10u\n.end", "the frequency f has 1M, which is milli"},
		"unused parameter as written": {"t\nV1 a 0 1\nR1 a 0 1\n.step param Rload list 1 2\n.op\n.end",
			".step param Rload: nothing uses this parameter"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Simulate(context.Background(), Request{Netlist: c.netlist})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Warnings, "\n"); !strings.Contains(got, c.want) {
				t.Errorf("warnings: %s", got)
			}
		})
	}
	for name, netlist := range map[string]string{
		"without RS": "t\nI1 0 a 1m\nD1 a 0 m\n.model m d(trs1=-0.02)\n.temp 100\n.op\n.end",
		// PSpice reference manual, defaults of the bipolar transistor
		"defaults of an npn": "t\nI1 0 a 1m\nQ1 a a 0 m\n.model m npn(rco=0 vo=10 gamma=1e-11 qco=0 " +
			"quasimod=0 cn=2.42 d=0.87 vg=1.206 trb1=0)\n.temp 100\n.op\n.end",
		"defaults of a pnp": "t\nI1 a 0 1m\nQ1 a a 0 m\n.model m pnp(cn=2.2 d=0.52)\n.op\n.end",
	} {
		if r := run(t, netlist, "op"); len(r.Warnings) > 0 {
			t.Errorf("%s: %q", name, r.Warnings)
		}
	}
}

// TestEmptyReset requires an error for idt() with an empty third argument.
func TestEmptyReset(t *testing.T) {
	_, err := Simulate(context.Background(),
		Request{Netlist: "t\nB1 x 0 v=idt(1,0.5,)\nR1 x 0 1\n.tran 1u 1m\n.end"})
	if err == nil || !strings.Contains(err.Error(), "the condition of the reset is empty") {
		t.Errorf("error: %v", err)
	}
}

// TestTransferWithoutSign requires 0 instead of -0 where the input does not reach the output.
func TestTransferWithoutSign(t *testing.T) {
	for _, netlist := range []string{
		"t\nV1 a 0 1\nR1 a 0 1\nV2 b 0 1\nR2 b 0 1\n.tf v(b) v1\n.end",
		"t\nV1 a 0 1\nR1 a 0 1\nV2 b 0 1\nR2 b 0 1\n.tf i(v2) v1\n.end",
	} {
		tf, ok := run(t, netlist, "tf").Detail.(*analysis.TransferFunction)
		if !ok {
			t.Fatal("no transfer function")
		}
		if ohms := tf.OutputOhm; tf.Gain != 0 || math.Signbit(tf.Gain) ||
			ohms != nil && math.Signbit(*ohms) {
			t.Errorf("gain %g, output resistance %v", tf.Gain, tf.OutputOhm)
		}
	}
}
