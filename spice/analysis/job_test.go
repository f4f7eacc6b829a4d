package analysis

import (
	"context"
	"strings"
	"testing"
)

// comparator changes its output by 2 mV at its threshold without hysteresis, so Newton's method
// alternates between two values. They differ by less than a tolerance of 1 %.
const comparator = `B1 x 0 V=1+0.002*u(1.001-v(x))
R2 x 0 1k
V1 in 0 1
R1 in 0 1k
.tran 1u 2u`

// TestGivenTolerances verifies that tolerances above their defaults apply to a transient if it does
// not converge with the defaults. The failed run counts against the budget.
func TestGivenTolerances(t *testing.T) {
	const budget = 20_000 // ends the second run, which takes a million iterations
	j := job(t, comparator)
	j.Budget.Newton = budget
	failed, err := Run(context.Background(), j)
	if err == nil || !strings.Contains(err.Error(), "no operating point") {
		t.Fatalf("error %v at the defaults", err)
	}
	first := failed.Statistics.NewtonIterations
	if first < 100 || first > budget/2 {
		t.Fatalf("the failed run takes %d iterations", first)
	}
	j.Options.Reltol = 0.01
	out, err := Run(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	got := out.Statistics.NewtonIterations
	if got < budget-10 || got > budget+10 || out.Needed.Newton < budget {
		t.Errorf("%d iterations, %d needed, want %d", got, out.Needed.Newton, budget)
	}
	const want = "converges only with reltol = 0.01;"
	if all := strings.Join(out.Warnings, "|"); !strings.Contains(all, want) {
		t.Errorf("warnings %q lack %q", all, want)
	}
	j.Budget.Newton = first + 1 // no room for the second run
	out, err = Run(context.Background(), j)
	if err == nil || !strings.Contains(err.Error(), "no operating point") {
		t.Errorf("error %v without room for a second run", err)
	}
	if got := out.Statistics.NewtonIterations; got < first || got > first+2 {
		t.Errorf("%d iterations without room for a second run, want %d", got, first+1)
	}
}
