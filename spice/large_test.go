package spice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// rcLine returns an RC line with at most the given number of elements, driven by a step of 1 V.
// card is the analysis card.
func rcLine(elements int, card string) string {
	var b strings.Builder
	b.WriteString("line\nV1 n0 0 PULSE(0 1 0 1n 1n 1 2)\n")
	for i := range (elements - 1) / 2 {
		fmt.Fprintf(&b, "R%d n%d n%d 100\nC%d n%d 0 1n\n", i, i, i+1, i, i+1)
	}
	return b.String() + card + "\n.end"
}

// onBusyMachine returns the default budget of the largest circuit with room for the load of other
// processes.
func onBusyMachine() *Budget {
	b := defaultBudget(LargestCircuit)
	b.Wall = 5 * time.Minute
	return &b
}

// TestLargestCircuit verifies the sparse factorization of a circuit with 1,999 elements, and that
// MaxElements of the request sets the limit.
func TestLargestCircuit(t *testing.T) {
	request := Request{Netlist: rcLine(1999, ".tran 1u 1m"), MaxElements: LargestCircuit,
		Budget: onBusyMachine(), Options: map[string]any{
			"vectors": []any{"v(n1)", "v(n10)"}, "points_max": 2000.0,
		}}
	r, err := Simulate(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	if r.Vectors[2].Name != "v(n10)" || len(r.Vectors[0].Values) < 50 {
		t.Fatalf("vector %s of %d points", r.Vectors[2].Name, len(r.Vectors[0].Values))
	}
	if r.ComponentCount != 1999 || len(r.Nodes) != 1000 {
		t.Errorf("%d components, %d nodes", r.ComponentCount, len(r.Nodes))
	}
	// The step propagates into an infinite RC line as erfc(x·√(rc/4t)). Within 50 us the end of the
	// line has no effect.
	at, v := r.Vectors[0].Values, r.Vectors[2].Values
	for k, s := range at {
		if s < 2e-5 || s > 5e-5 {
			continue
		}
		if want := math.Erfc(10 * math.Sqrt(100*1e-9/(4*s))); math.Abs(v[k]-want) > 0.01 {
			t.Fatalf("v(n10) at %g s is %g instead of %g", s, v[k], want)
		}
	}
	if last := at[len(at)-1]; last != 1e-3 {
		t.Errorf("the run ends at %g s", last)
	}
	for _, c := range []struct {
		most   int
		detail string
	}{{0, "more than 150"}, {1998, "more than 1998"}, {2001, "from 1 to 2000"},
		{-1, "from 1 to 2000"}} {
		request.MaxElements = c.most
		_, err := Simulate(context.Background(), request)
		var fault *Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.detail) {
			t.Errorf("limit %d: %v", c.most, err)
		}
	}
}

// inverters returns a chain of n CMOS inverters with 10 fF at each output. It is driven by a source
// with the given waveform and runs for 10 ns.
func inverters(n int, waveform string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "inverters\nVDD vdd 0 3\nV1 n0 0 %s\n", waveform)
	b.WriteString(".model nn nmos(vto=.7 kp=110u tox=14n cgso=220p cgdo=220p)\n")
	b.WriteString(".model pp pmos(vto=-.7 kp=50u tox=14n cgso=220p cgdo=220p)\n")
	for i := range n {
		fmt.Fprintf(&b, "MN%d n%d n%d 0 0 nn w=2u l=0.5u\nMP%d n%d n%d vdd vdd pp w=5u l=0.5u\n"+
			"C%d n%d 0 10f\n", i, i+1, i, i, i+1, i, i, i+1)
	}
	return b.String() + ".tran 0.1n 10n\n.end"
}

// TestDelayOfInverters verifies the delays of the edges through 49 inverters, in which the errors
// of the gate charges accumulate. The references are ngspice 39 with reltol 1e-6, trtol 1 and steps
// up to 0.2 ps.
func TestDelayOfInverters(t *testing.T) {
	text := inverters(49, "PULSE(0 3 0.5n 0.1n 0.1n 3n 6n)\n"+
		".meas tran t1 when v(n49)=1.5 cross=1\n.meas tran t2 when v(n49)=1.5 cross=2")
	r, err := Simulate(context.Background(), Request{Netlist: text})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range [...]float64{3.50064e-9, 6.59514e-9} {
		m := r.Measures[k]
		if m.Value == nil {
			t.Fatalf("%s has no value", m.Name)
		}
		if math.Abs(*m.Value-want) > 0.5e-12 {
			t.Errorf("%s is %g s, want %g s", m.Name, *m.Value, want)
		}
	}
}

// TestLargeQuietCircuit verifies that 1,997 elements at rest take few steps. The source current is
// the sum of the currents of 665 inverters. In short steps their charging currents have a roundoff
// above the tolerance of the current, which must not keep the steps short.
func TestLargeQuietCircuit(t *testing.T) {
	text := inverters(665, "PULSE(0 3 9.99n 1n)")
	r, err := Simulate(context.Background(), Request{Netlist: text,
		MaxElements: LargestCircuit, Budget: onBusyMachine(),
		Options: map[string]any{"vectors": []any{"i(vdd)"}}})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Statistics.TimeSteps; n > 300 || len(r.Warnings) > 0 {
		t.Errorf("%d steps, warnings %q", n, r.Warnings)
	}
	// Before the pulse at 9.99 ns, gmin of every junction that blocks leaks 3 pA.
	for k, i := range r.Vectors[1].Values {
		if r.Vectors[0].Values[k] < 9.99e-9 && math.Abs(i+665*3e-12) > 1e-10 {
			t.Fatalf("i(vdd) is %g A", i)
		}
	}
}

// TestLargeResult verifies that a result of 6 million numbers keeps all rows above 150 elements.
func TestLargeResult(t *testing.T) {
	r, err := Simulate(context.Background(), Request{Netlist: rcLine(1999, ".tran 1u 1m 0 0.165u"),
		MaxElements: LargestCircuit, Budget: onBusyMachine()})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Vectors) * len(r.Vectors[0].Values); n < 6_000_000 || len(r.Warnings) > 0 {
		t.Errorf("%d numbers, warnings %q", n, r.Warnings)
	}
}
