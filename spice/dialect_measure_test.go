package spice

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestMeasureForms verifies .measure cards in the forms of LTspice and HSPICE. The expected values
// are computed by hand from 4 V across 1 kΩ and 3 kΩ in series.
func TestMeasureForms(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: `measures
V1 in 0 4
R1 in out 1k
R2 out 0 3k
.tran 1u 1m
.meas top MAX v(out)
.meas tran across AVG v(in,out) FROM 0.1m TO 0.9m
.meas tran delivered AVG -v(in)*i(V1) from=0 to=1m
.meas tran lost avg p(r2)
.meas tran quoted max par('v(out)*2')
.meas tran largest max max(v(out),-1,-2)
.meas tran smaller max min(v(in), v(out)+2)
.meas tran ratio PARAM top / across
.meas tran rootsum param=sqrt(top*across + 1)
.meas tran all avg power
.meas tf x find v(out)
.end`})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"top": 3, "across": 1, "delivered": 4e-3, "lost": 3e-3, "quoted": 6,
		"largest": 3, "smaller": 4,
		"ratio": 3, "rootsum": 2}
	for _, m := range r.Measures {
		w, known := want[m.Name]
		switch {
		case m.Name == "all":
			if m.Value != nil {
				t.Errorf("all is %g", *m.Value)
			}
		case !known || m.Value == nil || math.Abs(*m.Value-w) > 1e-6:
			t.Errorf("%s: %v, want %g; %q", m.Name, m.Value, w, r.Warnings)
		}
	}
	if len(r.Measures) != len(want)+1 {
		t.Errorf("%d measures", len(r.Measures))
	}
	all := strings.Join(r.Warnings, "\n")
	for _, w := range []string{"top names no analysis; it is read as a measure of tran",
		"the total power is not computed; write the power of the sources, such as -p(v1)",
		"measures exist of tran, ac, dc, op and noise"} {
		if !strings.Contains(all, w) {
			t.Errorf("no warning %q in %q", w, r.Warnings)
		}
	}
}

// TestMeasureQuotients measures gains and impedances of a low-pass filter of 1 kΩ and 1 µF. Its
// source of 2 V at 30° cancels.
func TestMeasureQuotients(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: `quotients
V1 in 0 AC 2 30
R1 in out 1k
C1 out 0 1u
.param fc={500/pi}
.ac dec 200 1 1meg
.meas AC gain find mag(V(out)/V(in)) at={fc}
.meas AC db find db(V(out) / V(in)) at={fc}
.meas AC lag find ph(V(out)/V(in)) at={fc}
.meas AC real find re(V(out)/V(in)) at={fc}
.meas AC corner when mag(V(out)/V(in))=1/sqrt(2)
.meas AC zin find V(in)/I(R1) at={fc}
.meas AC zc find V(out,0)/I(C1) at={fc}
.meas AC angle find ph(V(in)/I(V1)) at={fc}
.meas AC none max V(in)/V(0)
.end`})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"gain": math.Sqrt(0.5), "db": -3.0103, "lag": -45, "real": 0.5,
		"corner": 500 / math.Pi, "zin": 1e3 * math.Sqrt2, "zc": 1e3, "angle": 135}
	for _, m := range r.Measures {
		w, known := want[m.Name]
		if known != (m.Value != nil) || known && math.Abs(*m.Value-w) > 1e-3*math.Abs(w) {
			t.Errorf("%s: %s, want %g; %q", m.Name, show(m.Value), w, r.Warnings)
		}
	}
	if len(r.Measures) != len(want)+1 {
		t.Errorf("%d measures", len(r.Measures))
	}
}

// TestMeasureBandwidth measures the bandwidth of a series resonator as LTspice's help does, with
// levels that are expressions of measures without braces. It is R/(2πL).
func TestMeasureBandwidth(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: `bandwidth
V1 a 0 AC 1
L1 a b 1m
C1 b c 1u
R1 c 0 10
.ac dec 500 100 1meg
.meas AC tmp max mag(V(c)); find the peak response
.meas AC BW trig mag(V(c))=tmp/sqrt(2) rise=1 targ mag(V(c))=tmp/sqrt(2) fall=last
.meas AC low when mag(V(c)) = sqrt(0.5)*tmp rise=1
.meas AC share param (low+BW)/low - 1
.end`})
	if err != nil {
		t.Fatal(err)
	}
	const bandwidth = 10 / (2 * math.Pi * 1e-3)
	low := math.Sqrt(1e9+25e6) / (2 * math.Pi) // geometric: low·high = 1/LC
	low -= bandwidth / 2
	want := map[string]float64{"tmp": 1, "bw": bandwidth, "low": low, "share": bandwidth / low}
	for _, m := range r.Measures {
		if m.Value == nil || math.Abs(*m.Value-want[m.Name]) > 1e-3*want[m.Name] {
			t.Errorf("%s: %v, want %g; %q", m.Name, show(m.Value), want[m.Name], r.Warnings)
		}
	}
	if len(r.Measures) != len(want) {
		t.Errorf("%d measures", len(r.Measures))
	}
}
