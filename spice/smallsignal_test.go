package spice

import (
	"math"
	"strings"
	"testing"

	"slipstick/spice/analysis"
)

// wantNear reports an error if got is not within a relative error of want.
func wantNear(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %.9g, want %.9g", what, got, want)
	}
}

// TestTransferFunction compares .tf with circuits of known gain, input resistance and output
// resistance.
func TestTransferFunction(t *testing.T) {
	const inf = math.MaxFloat64 // stands for an infinite resistance in the result
	for name, c := range map[string]struct {
		body, card          string
		gain, input, output float64
		unit                string
	}{
		"divider": {"V1 in 0 5\nR1 in out 1k\nR2 out 0 3k", "v(out) V1", 0.75,
			4e3, 750, "V/V"},
		"two nodes": {"V1 in 0 5\nR1 in out 1k\nR2 out 0 3k", "v(in,out) V1", 0.25,
			4e3, 750, "V/V"},
		"current of a source": {"V1 in 0 5\nR1 in out 1k\nV2 out 0 0\n", "i(V2) V1", 1e-3,
			1e3, 1e3, "A/V"},
		"current into a node": {"I1 0 out 1m\nR2 out 0 3k", "v(out) I1", 3e3, 3e3,
			3e3, "V/A"},
		"amplifier": {
			"V1 in 0 1\nR1 in 0 1meg\nE1 a 0 in 0 -20\nR2 a out 50\nR3 out 0 50", "v(out) V1", -10,
			1e6, 25, "V/V"},
		"open input": {"V1 in 0 1\nE1 out 0 in 0 3\nR3 out 0 50", "v(out) V1", 3,
			inf, 0, "V/V"},
		"capacitors are open": {
			"V1 in 0 5\nR1 in out 1k\nR2 out 0 1k\nC1 out 0 1u\nL1 out b 1m\nR3 b 0 1k",
			"v(out) V1", 1.0 / 3, 1500, 1e3 / 3, "V/V"},
		"negative input resistance": {"V1 in 0 1\nG1 in 0 in 0 -1m\nR1 in 0 4k", "v(in) V1", 1,
			-1 / 0.75e-3, 0, "V/V"},
	} {
		r := run(t, "t\n"+c.body+"\n.tf "+c.card+"\n.end", "tf")
		f, ok := r.Detail.(*analysis.TransferFunction)
		if !ok {
			t.Fatalf("%s: detail is %T", name, r.Detail)
		}
		wantNear(t, name+": gain", f.Gain, c.gain, 1e-9)
		for _, p := range []struct {
			what string
			got  *float64
			want float64
		}{{"input resistance", f.InputOhm, c.input}, {"output resistance", f.OutputOhm, c.output}} {
			switch {
			case p.want == inf:
				if p.got != nil {
					t.Errorf("%s: %s is %g, want none", name, p.what, *p.got)
				}
			case p.got == nil:
				t.Errorf("%s: no %s, want %g", name, p.what, p.want)
			case p.want == 0:
				if math.Abs(*p.got) > 1e-9 {
					t.Errorf("%s: %s is %g, want 0", name, p.what, *p.got)
				}
			default:
				wantNear(t, name+": "+p.what, *p.got, p.want, 1e-6)
			}
		}
		if f.GainUnit != c.unit {
			t.Errorf("%s: unit %s, want %s", name, f.GainUnit, c.unit)
		}
	}
}

// TestTransferFunctionIsSlope compares the gain of a transistor stage with the difference quotient
// of two operating points.
func TestTransferFunctionIsSlope(t *testing.T) {
	const stage = "t\nV1 in 0 LEVEL\nVCC vcc 0 10\nR1 in b 10k\nQ1 c b e q\nRC vcc c 1k\nRE e 0 100\n" +
		".model q npn(bf=100 is=1e-15 rb=200 irb=0 rbm=20 ikf=10m vaf=60 re=2 rc=5)\n.op\n.tf v(c) V1\n.end"
	at := func(level string) float64 {
		return column(t, run(t, strings.Replace(stage, "LEVEL", level, 1), "op"), "v(c)")[0]
	}
	want := (at("1.5001") - at("1.4999")) / 0.0002
	f := run(t, strings.Replace(stage, "LEVEL", "1.5", 1), "tf").Detail.(*analysis.TransferFunction)
	wantNear(t, "gain", f.Gain, want, 1e-5)
}
