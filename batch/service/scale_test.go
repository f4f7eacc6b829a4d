package service

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

var sleeping = flag.Int("workers", 4, "how many workers sleep instead of computing in TestSleepingWorkers")

// TestSleepingWorkers: many workers share a batch whose runs sleep, so that the queue and Redis do
// the work of a large pool on a small machine. It prints the share of the workers' time that the
// runs use, and the commands of Redis. Each index has one row.
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

// infoNumber reads a field of INFO.
func infoNumber(info, field string) (n int64) {
	_, rest, _ := strings.Cut(info, "\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	n, _ = strconv.ParseInt(value, 10, 64)
	return n
}

// sleepingBatch has runs that sleep.
func sleepingBatch(runs, ms int) string {
	return fmt.Sprintf(`{"tool": "slow_square", "vary": [{"field": "/ms", "values": [%d]},
		{"field": "/n", "from": 1, "to": %d, "points": %[2]d}]}`, ms, runs)
}
