package capacity

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// exponential returns exponentially distributed service times with the given mean [s], as the
// formulas below assume.
func exponential(mean float64) []float64 {
	random := rand.New(rand.NewPCG(7, 7))
	s := make([]float64, 200_000)
	for i := range s {
		s[i] = mean * random.ExpFloat64()
	}
	return s
}

// waitQuantile returns the q-quantile of the wait in an M/M/c queue. P(W > t) = C·exp(-(cμ-λ)t)
// with Erlang's C (Kleinrock, Queueing Systems I, 3.5).
func waitQuantile(rate, mean float64, c int, q float64) float64 {
	a := rate * mean
	sum, term := 0.0, 1.0
	for k := 0; k < c; k++ {
		sum += term
		term *= a / float64(k+1)
	}
	last := term * float64(c) / (float64(c) - a)
	erlangC := last / (sum + last)
	if erlangC <= 1-q {
		return 0
	}
	return math.Log(erlangC/(1-q)) / (float64(c)/mean - rate)
}

func TestWaitAgainstErlang(t *testing.T) {
	service := exponential(0.1)
	for _, c := range []struct {
		rate  float64
		slots int
	}{{5, 1}, {8, 1}, {16, 2}, {36, 4}, {70, 8}} {
		out, err := Simulate(Load{RatePerS: c.rate, ServiceS: service, Slots: c.slots,
			Cores: c.slots}, 400_000, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := waitQuantile(c.rate, 0.1, c.slots, 0.99)
		if math.Abs(out.WaitP99S-want) > 0.08*want {
			t.Errorf("%g a second on %d slots: 99 %% wait less than %.4f s, by the formula %.4f s",
				c.rate, c.slots, out.WaitP99S, want)
		}
		if u := c.rate * 0.1 / float64(c.slots); math.Abs(out.Utilization-u) > 0.02 {
			t.Errorf("%g a second on %d slots: utilization %.3f, by the formula %.3f", c.rate,
				c.slots, out.Utilization, u)
		}
	}
}

// TestSharedCore verifies one core that many slots share, an M/D/1 queue with processor sharing. No
// job waits, the utilization is ρ, and no quantile is below the service time. With one slot, the
// utilization is the same.
func TestSharedCore(t *testing.T) {
	l := Load{RatePerS: 5, ServiceS: []float64{0.1}, Slots: 1000, Cores: 1}
	shared, err := Simulate(l, 200_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if shared.WaitP99S != 0 {
		t.Errorf("with a slot for everybody somebody waits %g s", shared.WaitP99S)
	}
	if shared.P50S < 0.1 || shared.P99S < shared.P50S || math.Abs(shared.Utilization-0.5) > 0.01 {
		t.Errorf("%+v", shared)
	}
	l.Slots = 1 // jobs now wait for the slot instead of sharing the core
	single, err := Simulate(l, 200_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(single.Utilization-shared.Utilization) > 0.005 {
		t.Errorf("the same work takes %.3f of a shared core and %.3f of a queued one",
			shared.Utilization, single.Utilization)
	}
}

func TestSlotsFor(t *testing.T) {
	l := Load{RatePerS: 100, ServiceS: exponential(0.05), OverheadS: 0.002}
	n, out, err := SlotsFor(l, 0.5, 100, 100_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	// The load is five cores' worth of work, so five slots are never sufficient. By Erlang's
	// formula the 99 % quantile of the wait on six slots is 0.19 s. The 99 % quantile of the
	// service time is 0.23 s.
	if n != 6 || !out.Stable || out.P99S > 0.5 {
		t.Errorf("%d slots: %+v", n, out)
	}
	if n, _, err := SlotsFor(l, 0.01, 100, 20_000, 1); n != 0 || err != nil {
		t.Errorf("no number of slots makes a job shorter than it is: %d, %v", n, err)
	}
	l.Slots, l.Cores = 4, 4
	if out, err := Simulate(l, 10_000, 1); err != nil || out.Stable {
		t.Errorf("four slots keep up with five slots' work: %+v, %v", out, err)
	}
}

func TestRejected(t *testing.T) {
	good := Load{RatePerS: 1, ServiceS: []float64{1}, Slots: 1, Cores: 1}
	for name, edit := range map[string]func(*Load){
		"no rate": func(l *Load) {
			l.RatePerS = 0
		}, "no times": func(l *Load) {
			l.ServiceS = nil
		}, "no slots": func(l *Load) { l.Slots = 0 },
		"no cores": func(l *Load) {
			l.Cores = -1
		}, "negative time": func(l *Load) {
			l.ServiceS = []float64{-1}
		}, "NaN": func(l *Load) { l.ServiceS = []float64{math.NaN()} },
	} {
		l := good
		edit(&l)
		if _, err := Simulate(l, 100, 1); !errors.Is(err, ErrLoad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
