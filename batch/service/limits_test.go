package service

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// tiers is a quota without debits. The key of a caller is its tier.
type tiers struct{ noQuota }

func (tiers) Prepare(_ context.Context, caller keys.Caller, _ int) (*keys.Reservation, error) {
	return &keys.Reservation{Tier: keys.Tier(caller.Key), QuotaKey: caller.Key}, nil
}

// TestSettings verifies that the operator's limits of runs apply to new batches and not to the rows
// of old ones. It also verifies that unfinished batches are limited by tier, and all rows by a
// share of the memory of Redis.
func TestSettings(t *testing.T) {
	url := startRedis(t)
	startWorker(t, url)
	old := startAPI(t, url)
	made := old.wait(t, old.create(t, syncSweep).ID)
	a := startAPI(t, url, func(o *Options) {
		o.MaxRuns, o.MaxQueuedRuns, o.MaxUnfinished, o.MaxUnfinishedFree, o.Quota = 11_999, 999,
			2, 1, tiers{}
	})
	for _, body := range []string{syncSweep, slow} {
		var invalid *tools.InputError
		if _, err := a.Plan([]byte(body)); !errors.As(err, &invalid) ||
			invalid.Fields[0].Path != "vary" ||
			!strings.Contains(err.Error(), "999 runs, the most for") {
			t.Errorf("%v", err)
		}
	}
	if page, err := a.Rows(t.Context(), made.ID, "", 11_999, 1, false); err != nil ||
		len(page.Rows.Runs) != 1 {
		t.Errorf("%+v %v", page, err)
	}
	a.stop()
	old.stop()
	body := []byte(`{"tool": "square", "vary": [{"field": "/n", "values": [1]}]}`)
	p, err := a.Plan(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tier keys.Tier
		most int
	}{{keys.Developer, 2}, {keys.Free, 1}, {keys.Anonymous, 1}} {
		for i := range c.most + 1 {
			_, _, err := a.Create(t.Context(), keys.Caller{Key: string(c.tier)}, p, body)
			var busy *worker.BusyError
			if rejected := errors.As(err, &busy); rejected != (i == c.most) ||
				err != nil && !rejected {
				t.Errorf("batch %d of %s: %v", i+1, c.tier, err)
			}
		}
	}
	if n := a.store.totalBytes(); n != 256<<20 {
		t.Errorf("%d bytes without a limit of Redis", n)
	}
	if err := a.store.rdb.ConfigSet(t.Context(), "maxmemory", "100mb").Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the limit of Redis", func() bool { return a.store.totalBytes() == 20<<20 })
}

// TestMetrics verifies that rows, chunks and ended batches are counted, and that unfinished batches
// are read from Redis.
func TestMetrics(t *testing.T) {
	url := startRedis(t)
	registry := prometheus.NewPedanticRegistry()
	a := startAPI(t, url, func(o *Options) { o.Metrics = registry })
	for name, labels := range map[string]int{"slipstick_batch_rows_total": 2,
		"slipstick_batch_chunks_total": 3, "slipstick_batches_ended_total": 3} {
		if n := count(t, registry, name); n != labels {
			t.Errorf("%s has %d series at start, want %d", name, n, labels)
		}
	}
	waiting := a.create(t, syncSweep)
	eventually(t, "a coordinator", func() bool {
		return metric(t, registry, "slipstick_batches", "running") == 1
	})
	if age := metric(t, registry, "slipstick_batch_age_seconds", ""); age <= 0 {
		t.Errorf("age %g s", age)
	}
	if all, err := a.Unfinished(t.Context()); err != nil || len(all) != 1 ||
		all[0].ID != waiting.ID {
		t.Errorf("%+v %v", all, err)
	}
	startWorker(t, url)
	a.wait(t, waiting.ID)
	eventually(t, "the end", func() bool {
		return metric(t, registry, "slipstick_batches_ended_total", "done") == 1
	})
	ok := metric(t, registry, "slipstick_batch_rows_total", "ok")
	failed := metric(t, registry, "slipstick_batch_rows_total", "failed")
	if ok != 11880 || failed != 120 { // every hundredth is rejected
		t.Errorf("%g rows, %g failed", ok, failed)
	}
	if n := metric(t, registry, "slipstick_batch_chunks_total", "done"); n < 3 {
		t.Errorf("%g chunks", n)
	}
	long := a.create(t, slow)
	if b, err := a.Stop(t.Context(), long.ID); err != nil || b.State != Cancelled {
		t.Errorf("%+v %v", b, err)
	}
	a.wait(t, long.ID)
	if n := metric(t, registry, "slipstick_batches", "running"); n != 0 {
		t.Errorf("%g batches are running", n)
	}
	if n := metric(t, registry, "slipstick_batch_bytes", ""); n < 12000*64 {
		t.Errorf("%g bytes", n)
	}
}

// metric returns the sum of the gauges or counters with a name. If label is not "", it counts only
// metrics whose first label has this value.
func metric(t *testing.T, from prometheus.Gatherer, name, label string) (sum float64) {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				sum += m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// count returns the number of series with a name.
func count(t *testing.T, from prometheus.Gatherer, name string) (n int) {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			n += len(f.GetMetric())
		}
	}
	return n
}
