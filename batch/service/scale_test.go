package service

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/deploy/capacity"
	"slipstick/worker"
)

var sleeping = flag.Int("workers", 4,
	"how many workers sleep instead of computing in TestSleepingWorkers")

// TestSleepingWorkers verifies that a batch on many workers has one row per index. Its runs sleep,
// so the queue and Redis do the work of a large pool on a small machine. The test logs the share of
// the workers' time that the runs use, and the number of Redis commands per second.
func TestSleepingWorkers(t *testing.T) {
	const ms = 50
	url, workers := startRedis(t), *sleeping
	for range workers / 2 {
		startWorker(t, url) // with two slots
	}
	a := startAPI(t, url)
	rdb, ok := a.store.rdb.(*redis.Client)
	if !ok {
		t.Fatal("one Redis is expected")
	}
	eventually(t, "the workers", func() bool {
		st, err := a.queue.Pool(t.Context(), "spice")
		return err == nil && st.Slots == workers
	})
	commands := func() int64 {
		n, err := rdb.Info(t.Context(), "stats").Result()
		if err != nil {
			t.Fatal(err)
		}
		return infoNumber(n, "total_commands_processed")
	}
	runs := 100 * workers
	body := sleepingBatch(runs, ms)
	before, begun := commands(), time.Now()
	b := a.wait(t, a.create(t, body).ID)
	took := time.Since(begun)
	if b.State != Done || b.RunsDone != runs {
		t.Fatalf("%+v", b)
	}
	ideal := time.Duration(runs*ms/workers) * time.Millisecond
	t.Logf("%d runs of %d ms on %d workers: %v, %.0f %% of the workers' time; %.0f commands of Redis per second",
		runs, ms, workers, took.Round(time.Millisecond), 100*ideal.Seconds()/took.Seconds(),
		float64(commands()-before)/took.Seconds())
	next := 0
	segments, err := a.store.segments(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range segments {
		if g.from != next {
			t.Fatalf("rows from %d, want %d", g.from, next)
		}
		next += g.count
	}
	if len(segments) < workers {
		t.Errorf("%d chunks for %d workers", len(segments), workers)
	}
}

var model = flag.Bool("model", false,
	"measure jobs beside a batch on 1, 2 and 4 sleeping workers and by slipstick/deploy/capacity")

// TestJobsBesideBatch measures jobs that arrive at random times beside a batch, on 1, 2 and 4
// workers with one slot each. It logs the figures and the predictions of the model in
// slipstick/deploy/capacity. Jobs and runs sleep, so the workers need no cores and the figures
// hardly depend on the machine.
func TestJobsBesideBatch(t *testing.T) {
	if !*model {
		t.Skip("a measurement: make capacity")
	}
	const ms, during = 40, 20 * time.Second
	t.Log("| workers | jobs per second | p50 measured | p50 model | p99 measured | p99 model | runs per second measured | model |")
	for _, slots := range []int{1, 2, 4} {
		url := startRedis(t)
		for range slots {
			startSlots(t, url, 1)
		}
		a := startAPI(t, url)
		tool, err := newCatalog(t).Find("slow_square")
		if err != nil {
			t.Fatal(err)
		}
		var number atomic.Int64
		job := func() float64 {
			// All inputs differ.
			body := fmt.Appendf(nil, `{"n": %d, "ms": %d}`, 10*number.Add(1), ms)
			begun := time.Now()
			j, err := a.queue.Submit(t.Context(), tool.Tool, body,
				worker.SubmitOptions{Priority: worker.PriorityFree, Detached: true})
			for err == nil && !j.State.Finished() {
				j, err = a.queue.Wait(t.Context(), j.ID, "", time.Minute)
			}
			if err != nil || j.State != worker.Done {
				t.Errorf("%+v %v", j, err)
			}
			return time.Since(begun).Seconds()
		}
		var alone []float64
		for range 20 {
			alone = append(alone, job())
		}
		begun := time.Now()
		a.wait(t, a.create(t, sleepingBatch(50*slots, ms)).ID)
		run := time.Since(begun).Seconds() / 50
		load := capacity.Load{
			RatePerS: 0.4 * float64(slots) / (ms / 1e3), ServiceS: alone, Slots: slots,
			Cores: slots, BatchS: []float64{run},
		}
		want, err := capacity.Simulate(load, 50_000, 1)
		if err != nil {
			t.Fatal(err)
		}

		b := a.create(t, sleepingBatch(10_000, ms))
		random := rand.New(rand.NewPCG(1, uint64(slots)))
		var (
			mu    sync.Mutex
			times []float64
			all   sync.WaitGroup
		)
		for begun = time.Now(); time.Since(begun) < during; {
			time.Sleep(time.Duration(random.ExpFloat64() / load.RatePerS * float64(time.Second)))
			all.Go(func() {
				took := job()
				mu.Lock()
				defer mu.Unlock()
				times = append(times, took)
			})
		}
		all.Wait()
		if b, err = a.Cancel(t.Context(), b.ID, ""); err != nil {
			t.Fatal(err)
		}
		rate := float64(b.RunsDone) / time.Since(begun).Seconds()
		slices.Sort(times)
		t.Logf("| %d | %.0f | %.0f ms | %.0f ms | %.0f ms | %.0f ms | %.1f | %.1f |", slots,
			load.RatePerS,
			times[len(times)/2]*1e3, want.P50S*1e3, times[len(times)*99/100]*1e3, want.P99S*1e3,
			rate, want.BatchPerS)
		a.stop()
	}
}

// infoNumber returns a field of INFO.
func infoNumber(info, field string) (n int64) {
	_, rest, _ := strings.Cut(info, "\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	n, _ = strconv.ParseInt(value, 10, 64)
	return n
}

// sleepingBatch returns a batch whose runs sleep.
func sleepingBatch(runs, ms int) string {
	return fmt.Sprintf(`{"tool": "slow_square", "vary": [{"field": "/ms", "values": [%d]},
		{"field": "/n", "from": 1, "to": %d, "points": %[2]d}]}`, ms, runs)
}
