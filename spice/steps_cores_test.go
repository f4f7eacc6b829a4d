package spice

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"slipstick/spice/diag"
)

// TestStepsOnCores compares the results of .step on one core and on several cores. The budgets
// suffice for all runs, end between runs, or end within a run. In one case some runs fail.
func TestStepsOnCores(t *testing.T) {
	const ring = `ring of diodes
V1 in 0 SIN(0 5 1k)
R1 in a {r}
D1 a out d
C1 out 0 {c}
R2 out 0 10k
.model d D(IS=1e-14 CJO=10p)
.param r=1 c=1u
.step param r list 10 100 1k
.step param c list 10n 100n 1u
.tran 10u 3m
.ac dec 20 1 1meg
.meas tran top max v(out)
.end`
	const refused = `a value that is refused in some runs
V1 in 0 1
R1 in 0 {r}
.param r=1
.step param r list 1 0 2 0 3
.op
.end`
	budget := func(newton, numbers int) *Budget {
		return &Budget{Newton: newton, Numbers: numbers, Wall: time.Hour}
	}
	for _, c := range []struct {
		netlist string
		budget  *Budget
	}{
		{ring, budget(2_000_000, 5_000_000)}, {ring, budget(20_000, 5_000_000)},
		{ring, budget(9_000, 5_000_000)}, {ring, budget(2_000_000, 20_000)},
		{ring, budget(2_000_000, 9_000)}, {ring, budget(6_000, 30_000)},
		{refused, budget(2_000_000, 5_000_000)}, {refused, budget(7, 100)},
	} {
		var want *Result
		for _, cores := range []int{1, 2, 3, 4, 100} {
			reports := 0 // needs no lock, because calls must not overlap
			got, err := Simulate(context.Background(), Request{Netlist: c.netlist, Cores: cores,
				Budget: c.budget, Progress: func(_ string, fraction float64) {
					if reports++; !(fraction >= 0 && fraction <= 1) {
						t.Errorf("progress %g", fraction)
					}
				}})
			if err != nil {
				t.Fatalf("%v, %d cores: %v", c.budget, cores, err)
			}
			got.Runtime = 0
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %d cores give other results than one: %d runs, want %d; %v, want %v",
					c.budget, cores, len(got.Others), len(want.Others), got.Warnings, want.Warnings)
			}
		}
	}
}

// TestStepsOnCoresCanceled verifies that a simulation canceled while its runs are in progress
// returns the error code canceled.
func TestStepsOnCoresCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	text := "t\nV1 in 0 SIN(0 5 1k)\nD1 in out d\nR1 out 0 {r}\nC1 out 0 1u\n.model d D\n" +
		".param r=1\n.step param r 1k 100k 1k\n.tran 1u 100m\n.end"
	_, err := Simulate(ctx, Request{Netlist: text, Cores: 4,
		Progress: func(_ string, fraction float64) {
			if fraction > 0.02 {
				cancel()
			}
		}})
	var fault *Error
	if !errors.As(err, &fault) || fault.Code != diag.Canceled {
		t.Errorf("error %v, want the cancellation", err)
	}
}
