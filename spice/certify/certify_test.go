package certify

import (
	"context"
	"testing"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/library"
	"slipstick/spice/netlist"

	"pgregory.net/rapid"
)

// circuit parses a netlist body and computes its operating point.
func circuit(t testing.TB, body string) (*netlist.Circuit, *analysis.Bias) {
	t.Helper()
	ckt, err := netlist.Parse("t\n"+body+"\n.op\n.end", netlist.Config{Library: library.Text})
	if err != nil {
		t.Fatal(err)
	}
	opt := analysis.Defaults()
	for _, o := range ckt.Options {
		opt.Set(o.Name, o.Value, o.Text)
	}
	if ckt.TempC != nil {
		opt.TempC = *ckt.TempC
	}
	bias, err := analysis.OperatingPoint(context.Background(),
		analysis.Job{Circuit: ckt, Options: opt, Budget: analysis.DefaultBudget()})
	if err != nil {
		t.Fatal(err)
	}
	return ckt, bias
}

func exists(t testing.TB, body string) *Certificate {
	t.Helper()
	_, bias := circuit(t, body)
	c, err := Existence(context.Background(), bias, time.Now().Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tolerate(t testing.TB, body string, tol map[string]float64, out string) *Tolerance {
	t.Helper()
	ckt, bias := circuit(t, body)
	if err := CheckTolerances(ckt, tol, out); err != nil {
		t.Fatal(err)
	}
	c, err := Tolerances(context.Background(), bias, tol, out, time.Now().Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// circuitOrSkip parses a random netlist body and computes its operating point. It skips the test if
// no operating point is found.
func circuitOrSkip(t *rapid.T, body string) (*netlist.Circuit, *analysis.Bias) {
	ckt, err := netlist.Parse("t\n"+body+"\n.op\n.end", netlist.Config{})
	if err != nil {
		t.Fatal(err)
	}
	bias, err := analysis.OperatingPoint(context.Background(),
		analysis.Job{Circuit: ckt, Options: analysis.Defaults(), Budget: analysis.DefaultBudget()})
	if err != nil {
		t.Skip(err)
	}
	return ckt, bias
}
