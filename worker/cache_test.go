package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/worker/store"
)

// TestRepeatedRequestNeedsNoRedis verifies that a cached result answers equal requests until it
// expires, and that the metrics count each kind of response.
func TestRepeatedRequestNeedsNoRedis(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		measured := prometheus.NewRegistry()
		c := client(t, url, func(o *ClientOptions) { o.Metrics = measured })
		trace := traceFile(t)
		input := body(`{"trace": %q}`, trace)
		first := wait(t, c, submit(t, c, "echo", input, SubmitOptions{}).ID, ample)
		wantState(t, first, Done)

		if err := c.opt.Redis.Del(context.Background(), store.ResultKey(first.ID)).Err(); err !=
			nil {
			t.Fatal(err)
		}
		again := submit(t, c, "echo", input, SubmitOptions{})
		if again.State != Done || string(again.Outcome.Result) != string(first.Outcome.Result) ||
			!again.FinishedAt.Equal(first.FinishedAt) {
			t.Errorf("the second result is %+v, the first %+v", again, first)
		}
		if got := counted(t, measured, "slipstick_job_submissions_total", "cache"); got != 1 {
			t.Errorf("%v submissions met by the cache, want 1", got)
		}
		if got := counted(t, measured, "slipstick_job_submissions_total", "queued"); got != 1 {
			t.Errorf("%v submissions queued, want 1", got)
		}

		first.ExpiresAt = time.Now().Add(-time.Millisecond)
		c.cache.Add(cachedJob{first.ID, ""}, first)
		wantState(t, wait(t, c, submit(t, c, "echo", input, SubmitOptions{}).ID, ample), Done)
		if n := traced(trace); n != 2 {
			t.Errorf("an expired result was used: %d runs", n)
		}
	})
}

// counted returns the value of a family's counter with the given label value.
func counted(t *testing.T, from prometheus.Gatherer, family, label string) float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == family && l.GetValue() == label {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}

// TestLongWaitIsRejected verifies that jobs with an estimated wait above MaxWait are rejected with
// a Retry-After, and that a job of a higher priority is accepted.
func TestLongWaitIsRejected(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url, func(o *ClientOptions) { o.MaxWait = 4 * time.Second })
		// This registers a worker with one slot and an average run time of 1 s.
		s, err := NewServer(ServerOptions{Redis: c.opt.Redis, Catalog: testCatalog(),
			Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		s.recordRuntime("test", time.Second)
		s.register(map[string]string{})
		var busy *BusyError
		taken := 0
		for ; taken < 50; taken++ {
			if _, err = c.Submit(context.Background(), tool(t, "echo"), body(`{"n": %d}`, taken),
				SubmitOptions{Detached: true}); err != nil {
				break
			}
		}
		if !errors.As(err, &busy) {
			t.Fatalf("after %d jobs: %v", taken, err)
		}
		if taken != shortQueue || busy.RetryAfter < 4*time.Second ||
			busy.RetryAfter > 6*time.Second {
			t.Errorf("%d jobs taken, retry after %v (%s)", taken, busy.RetryAfter, busy.Reason)
		}
		if _, err := c.Submit(context.Background(), tool(t, "echo"), body(`{"n": 99}`),
			SubmitOptions{Priority: PriorityPaid, Detached: true}); err != nil {
			t.Errorf("a paid job is rejected: %v", err)
		}
	})
}

// TestSeriesAtStart verifies that the counters of alerts have a series before their first event.
// The functions rate and increase of Prometheus see no increase from no sample to the first one.
func TestSeriesAtStart(t *testing.T) {
	measured := prometheus.NewRegistry()
	_, err := NewServer(ServerOptions{Redis: dial(t, "redis://127.0.0.1:1"), Metrics: measured,
		Catalog: testCatalog()})
	if err != nil {
		t.Fatal(err)
	}
	families, err := measured.Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]int{}
	for _, f := range families {
		series[f.GetName()] = len(f.GetMetric())
	}
	queued := 0
	for _, e := range testCatalog().All() {
		if e.Heavy != nil {
			queued++
		}
	}
	if n := series["slipstick_job_crashes_total"]; n != queued {
		t.Errorf("crashes of %d tools, want %d", n, queued)
	}
	if n := series["slipstick_result_evictions_total"]; n != 4 {
		t.Errorf("evictions for %d reasons, want 4", n)
	}
}

// TestQueueCollector verifies that waiting jobs are reported by pool and priority.
func TestQueueCollector(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url)
		measured := prometheus.NewRegistry()
		if err := measured.Register(NewQueueCollector(c, []string{"test"})); err != nil {
			t.Fatal(err)
		}
		submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Priority: PriorityFree})
		families, err := measured.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				key := f.GetName()
				for _, l := range m.GetLabel() {
					key += " " + l.GetValue()
				}
				got[key] = m.GetGauge().GetValue()
			}
		}
		for key, want := range map[string]float64{
			"slipstick_queue_depth free test": 1, "slipstick_queue_depth paid test": 0,
			"slipstick_queue_depth anonymous test": 0, "slipstick_pool_slots test": 0,
		} {
			if v, ok := got[key]; !ok || v != want {
				t.Errorf("%s is %v (%v), want %v", key, v, ok, want)
			}
		}
	})
}
