package spice

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// measuredCircuits lists netlists with .measure and .four cards and library parts.
var measuredCircuits = []string{
	"t\nV1 in 0 PULSE(0 5 0 1u 1u 1 2)\nR1 in out 1k\nC1 out 0 100n\n.tran 10u 1m\n.meas tran rise trig v(out) val=0.5 rise=1 targ v(out)=4.5 rise=1\n" +
		".meas tran x integ i(v1) from=0.1m to='2*rise'\n.meas tran y find v(in,out) when v(out)=v(in) cross=last\n.meas tran z param='x/y'\n.end",
	"t\nV1 a 0 SIN(0 1 1k)\nR1 a b 1k\nD1 b 0 led_red\nX1 0 b 1N4148\n.tran 10u 3m\n.meas tran t max_at v(b) td=1m\n.meas tran d deriv v(b) at=1.5m\n.four 1k v(b) i(v1) v(a,b)\n.four 500 v(b)\n.end",
	"t\nV1 in 0 AC 1\nVP p 0 15\nVN n 0 -15\nX1 in fb p n out tl072\nR1 fb 0 1k\nR2 out fb 10k\n.ac dec 10 1 100meg\n.meas ac f when vdb(out)=17 fall=1\n.meas ac p find vp(out) at={f}\n.meas ac u when vp(out)=-90\n.end",
	"t\nV1 in 0 0\nR1 in b 10k\nQ1 c b 0 2n3904\nRC v c 1k\nVC v 0 5\nM1 c b 0 0 2n7000\n.dc V1 5 0 -0.1\n.meas dc a when v(c)=2.5\n.meas dc b avg v(c) from=1 to=2\n.meas dc c rms i(vc)\n.end",
	"t\nVP p 0 5\nX1 a b p 0 b opamp gbw=1k slew=1\nV1 a 0 1\n.op\n.end",
	"t\nV1 a 0 1\nR1 a 0 1\n.tran 1 1\n.four 1e300 v(a)\n.four 1e-300 v(a)\n.meas tran x rms v(a) from=-1e300 to=1e300\n.meas tran y param='exp(x*700)*1e10'\n.end",
}

// unfinishedMeasures returns a message that names a measure or spectrum with a non-finite value, or
// "" if there is none.
func unfinishedMeasures(r *AnalysisResult) string {
	bad := func(x ...float64) bool {
		for _, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return true
			}
		}
		return false
	}
	for _, m := range r.Measures {
		if m.Value != nil && bad(*m.Value) {
			return "measure " + m.Name + " is not finite"
		}
	}
	for _, f := range r.Fourier {
		if bad(f.Fundamental, f.Mean) || f.THDPct != nil && bad(*f.THDPct) {
			return "spectrum of " + f.Name + " is not finite"
		}
		for _, l := range f.Lines {
			if bad(l.Hz, l.Magnitude, l.PhaseDeg) || l.Normalized != nil && bad(*l.Normalized) {
				return "a harmonic of " + f.Name + " is not finite"
			}
		}
	}
	return ""
}

// TestMeasuredCircuits verifies that the measures of all measuredCircuits are finite and
// repeatable.
func TestMeasuredCircuits(t *testing.T) {
	for _, text := range measuredCircuits {
		a, b := run(t, text, ""), run(t, text, "")
		if fault := unfinishedMeasures(&a.AnalysisResult); fault != "" {
			t.Errorf("%s\n%s", fault, text)
		}
		for i, m := range a.Measures {
			if o := b.Measures[i]; (m.Value == nil) != (o.Value == nil) || m.Value != nil &&
				*m.Value != *o.Value {
				t.Errorf("measure %s differs from run to run", m.Name)
			}
		}
		for i, f := range a.Fourier {
			for k, l := range f.Lines {
				if l.Magnitude != b.Fourier[i].Lines[k].Magnitude {
					t.Errorf("harmonic %d of %s differs from run to run", l.N, f.Name)
				}
			}
		}
	}
}

// TestMeasuresOfPartOfARun verifies that measures use the existing points if the budget ends a
// transient early.
func TestMeasuresOfPartOfARun(t *testing.T) {
	b := Budget{Newton: 20000, Numbers: 100000, Wall: 5 * time.Second}
	text := "t\nV1 in 0 SIN(0 5 1meg)\nR1 in a 1k\nD1 a 0 1n4148\n.tran 1u 1\n.meas tran early max v(in)\n.meas tran late find v(in) at=0.9\n.four 1meg v(in)\n.end"
	r, err := Simulate(context.Background(), Request{Netlist: text, Budget: &b})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Warnings, "|")
	if r.Measures[0].Value == nil || math.Abs(*r.Measures[0].Value-5) > 0.05 ||
		r.Measures[1].Value != nil ||
		!strings.Contains(all, "measure late failed: 0.9 lies outside the analysis") {
		t.Errorf("%+v %q", r.Measures, r.Warnings)
	}
	if len(r.Fourier) != 1 || math.Abs(r.Fourier[0].Lines[0].Magnitude-5) > 0.05 {
		t.Errorf("%+v", r.Fourier)
	}
}

// TestManyCards verifies that a long transient with the maximum number of .measure and .four cards
// finishes quickly.
func TestManyCards(t *testing.T) {
	var text strings.Builder
	text.WriteString("t\nV1 a 0 SIN(0 1 1k)\nR1 a 0 1\n.tran 1u 100m\n")
	for range 200 {
		text.WriteString(".meas tran m-" + strconv.Itoa(text.Len()) + " rms v(a)\n")
	}
	text.WriteString(".four 1k" + strings.Repeat(" v(a)", 50) + "\n.end")
	began := time.Now()
	r := run(t, text.String(), "")
	if len(r.Measures) != 200 || len(r.Fourier) != 50 {
		t.Errorf("%d measures, %d spectra", len(r.Measures), len(r.Fourier))
	}
	t.Logf("%d steps, %v in the simulator, %v in all", r.Statistics.TimeSteps, r.Runtime,
		time.Since(began))
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
	var e *Error
	_, err := Check(strings.Replace(text.String(), ".end", ".four 1k v(a)\n.end", 1))
	if !errors.As(err, &e) || e.Code != "too_many_measures" {
		t.Error(err)
	}
}
