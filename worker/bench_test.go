package worker

import (
	"context"
	"slices"
	"testing"
	"time"
)

// BenchmarkQueueOverhead compares a no-op job with a direct call to its tool. The job passes the
// queue on a real Redis server and runs in a child process.
func BenchmarkQueueOverhead(b *testing.B) {
	url := shared.URL(b)
	serve(b, url)
	c, noop, ctx := client(b, url), tool(b, "noop"), context.Background()
	measure := func(n int, f func(k int)) (p50, p99 float64) {
		took := make([]time.Duration, n)
		for k := range took {
			begun := time.Now()
			f(k)
			took[k] = time.Since(begun)
		}
		slices.Sort(took)
		return milliseconds(took[n/2]), milliseconds(took[n*99/100])
	}
	queued := func(k int) {
		j, err := c.Submit(ctx, noop, body(`{"n": %d}`, k), SubmitOptions{Priority: PriorityPaid})
		if err == nil && !j.State.Finished() {
			j, err = c.Wait(ctx, j.ID, "", time.Minute)
		}
		if err != nil || j.State != Done {
			b.Fatal(j.State, err)
		}
	}
	for k := range 20 { // starts the child
		queued(-1 - k - b.N*1000)
	}
	b.ResetTimer()
	p50, p99 := measure(b.N, func(k int) { queued(b.N*1_000_000 + k) })
	b.StopTimer()
	direct, _ := measure(1000, func(k int) {
		if _, err := noop.Run(ctx, body(`{"n": %d}`, k)); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(p50-direct, "added-p50-ms")
	b.ReportMetric(p99-direct, "added-p99-ms")
}
