package spice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
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

// TestLargestCircuit verifies the sparse factorization of a circuit with 1,999 elements, and that
// MaxElements of the request sets the limit.
func TestLargestCircuit(t *testing.T) {
	request := Request{Netlist: rcLine(1999, ".tran 1u 1m"), MaxElements: LargestCircuit,
		Options: map[string]any{
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
