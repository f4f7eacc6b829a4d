package capacity

import (
	"math"
	"testing"
)

// TestWaitBesideBatch compares one slot, which computes a batch while no job waits, with the M/G/1
// queue with vacations. The mean wait is λE[S²]/(2(1-ρ)) + E[V²]/(2E[V]) (Levy and Yechiali,
// Utilization of idle time in an M/G/1 queueing system, 1975). The batch gets the remaining time of
// the slot.
func TestWaitBesideBatch(t *testing.T) {
	const s, v = 0.05, 0.02
	for _, c := range []struct {
		name          string
		service, runs []float64
		es2, ev2      float64 // mean squares
	}{
		{"constant times", []float64{s}, []float64{v}, s * s, v * v},
		{"exponential times", exponential(s), exponential(v), 2 * s * s, 2 * v * v},
	} {
		for _, rho := range []float64{0.3, 0.6, 0.8} {
			rate := rho / s
			out, err := Simulate(Load{RatePerS: rate, ServiceS: c.service, Slots: 1, Cores: 1,
				BatchS: c.runs}, 400_000, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := rate*c.es2/(2*(1-rho)) + c.ev2/(2*v)
			if math.Abs(out.WaitMeanS-want) > 0.05*want {
				t.Errorf("%s, %g busy: mean wait %.5f s, by the formula %.5f s", c.name, rho,
					out.WaitMeanS, want)
			}
			if rest := (1 - rho) / v; math.Abs(out.BatchPerS-rest) > 0.02*rest ||
				out.Utilization < 0.999 {
				t.Errorf("%s, %g busy: %.2f runs per second, want %.2f; %+v", c.name, rho,
					out.BatchPerS, rest, out)
			}
		}
	}
}

// TestBatchOnManySlots verifies that a batch on 32 slots uses the time that jobs leave. It also
// verifies that 99 % of the jobs wait no longer than one run takes.
func TestBatchOnManySlots(t *testing.T) {
	const s, v, slots = 0.05, 0.02, 32
	out, err := Simulate(Load{RatePerS: 200, ServiceS: []float64{s}, Slots: slots, Cores: slots,
		BatchS: []float64{v}}, 100_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := (slots - 200*s) / v; math.Abs(out.BatchPerS-want) > 0.02*want {
		t.Errorf("%.0f runs per second, want %.0f", out.BatchPerS, want)
	}
	if out.WaitP99S > v {
		t.Errorf("99 of 100 jobs wait up to %.4f s for runs of %g s", out.WaitP99S, v)
	}
	alone, err := Simulate(Load{RatePerS: 200, ServiceS: []float64{s}, Slots: slots, Cores: slots},
		100_000, 1)
	if err != nil || alone.BatchPerS != 0 || alone.WaitMeanS > out.WaitMeanS {
		t.Errorf("%+v %v", alone, err)
	}
}
