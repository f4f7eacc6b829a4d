package service

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipstick/batch"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// TestVersionChange verifies that a batch fails if the version of its tool has changed, and that
// its error contains both versions.
func TestVersionChange(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		a := startAPI(t, url)
		a.stop()
		for _, body := range []string{best, slow} {
			b := a.create(t, body)
			if err := a.store.rdb.HSet(t.Context(), recordKey(b.ID), "version",
				"0.0.7").Err(); err != nil {
				t.Fatal(err)
			}
			next := startAPI(t, url)
			b = next.wait(t, b.ID)
			if b.State != Failed || !strings.Contains(b.Error, "changed from 0.0.7 to 1.0.0") {
				t.Errorf("%+v", b)
			}
			next.stop()
		}
	})
}

// TestForeignRows verifies that a search with a row that it did not request fails and is not
// repeated endlessly.
func TestForeignRows(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		a.stop()
		b := a.create(t, best)
		ctx := t.Context()
		if id, err := a.store.lease(ctx, "t"); id != b.ID || err != nil {
			t.Fatal(id, err)
		}
		e := chunkResult{runs: []batch.Run{{Collected: []float64{1}}}}
		if err := a.store.commit(ctx, b.ID, "t", 5000, &e); err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.store.renew(ctx, b.ID, "t", 0); err != nil {
			t.Fatal(err)
		}
		b = startAPI(t, url).wait(t, b.ID)
		if b.State != Failed || !strings.Contains(b.Error, "other rows than the ") {
			t.Errorf("%+v", b)
		}
	})
}

// TestOtherSearch verifies that a search fails if its stored rows are at other points than its own.
func TestOtherSearch(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		a.stop()
		b := a.create(t, best)
		ctx := t.Context()
		if id, err := a.store.lease(ctx, "t"); id != b.ID || err != nil {
			t.Fatal(id, err)
		}
		e := chunkResult{runs: []batch.Run{{Values: []batch.Value{batch.Value("7")},
			Collected: []float64{49}}}}
		if err := a.store.commit(ctx, b.ID, "t", 0, &e); err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.store.renew(ctx, b.ID, "t", 0); err != nil {
			t.Fatal(err)
		}
		b = startAPI(t, url).wait(t, b.ID)
		if b.State != Failed || !strings.Contains(b.Error, "of another version") {
			t.Errorf("%+v", b)
		}
	})
}

// TestChunkWithoutRows verifies that only a chunk that was stopped early may have no row. For
// another chunk the queue would return the same result, and the batch would resubmit it endlessly.
func TestChunkWithoutRows(t *testing.T) {
	packed, _, err := batch.EncodeRuns(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, early := range []bool{true, false} {
		job := worker.Job{State: worker.Done, StoppedEarly: early}
		job.Outcome.Result = []byte(`{"rows":"` + hex.EncodeToString(packed) + `"}`)
		var e chunkResult
		(&work{}).read(t.Context(), job, &e)
		var why fatal
		if len(e.runs) != 0 || errors.As(e.err, &why) == early {
			t.Errorf("stopped early: %t: %d rows, error %v", early, len(e.runs), e.err)
		}
	}
}

// TestRoom verifies that a caller's new batches evict the caller's oldest finished batches. The
// caller thus holds about a quarter of the space at most. It also verifies that batches of other
// callers remain until they expire.
func TestRoom(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		const room = 40 << 10
		a := startAPI(t, url, func(o *Options) { o.TotalBytes, o.Quota = room, tiers{} })
		body := []byte(`{"tool": "square", "vary": [{"field": "/n", "values": [1]}]}`)
		p, err := a.Plan(body)
		if err != nil {
			t.Fatal(err)
		}
		create := func(owner string) (string, error) {
			b, _, err := a.Create(t.Context(), keys.Caller{Key: owner}, p, body)
			if err != nil {
				return "", err
			}
			eventually(t, "end", func() bool {
				g, err := a.Get(t.Context(), b.ID, owner)
				return err == nil && g.Summary != nil
			})
			return b.ID, nil
		}
		held := func(owner string) int {
			n, err := a.store.rdb.HGet(t.Context(), heldKey, owner).Int()
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		var first string
		for i := range 8 {
			id, err := create("greedy")
			if err != nil {
				t.Fatalf("batch %d: %v", i, err)
			}
			if i == 0 {
				first = id
			}
		}
		// Storing the summary does not check the available space.
		if n := held("greedy"); n > room/4+4<<10 || n == 0 {
			t.Errorf("one caller holds %d of %d bytes", n, room)
		}
		if _, err := a.Get(t.Context(), first, "greedy"); !errors.Is(err, ErrNotFound) {
			t.Errorf("the oldest batch of the caller: %v, want it deleted", err)
		}
		ids := map[string]string{}
		var busy *worker.BusyError
		for i := 0; ; i++ {
			owner := string(rune('a' + i))
			id, err := create(owner)
			if errors.As(err, &busy) {
				break
			}
			if err != nil || i > 25 {
				t.Fatalf("caller %d: %v", i, err)
			}
			ids[owner] = id
		}
		if !strings.Contains(busy.Reason, "batches of other callers") ||
			busy.RetryAfter < time.Minute || len(ids) < 5 {
			t.Errorf("%+v after %d callers", busy, len(ids))
		}
		for owner, id := range ids {
			if _, err := a.Get(t.Context(), id, owner); err != nil {
				t.Errorf("the batch of %s: %v", owner, err)
			}
		}
		all, err := a.store.rdb.HVals(t.Context(), heldKey).Result()
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, text := range all {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if total, err := a.store.bytes(t.Context(), ""); err != nil || total != sum {
			t.Errorf("%d bytes of all callers, %d in total, %v", sum, total, err)
		}
		// Batches of all callers release their space when they expire.
		a.stop()
		later := &store{rdb: a.store.rdb, opt: &Options{TotalBytes: room, CallerShare: 1,
			TTL: time.Nanosecond, Queue: a.queue}}
		r := &record{ID: newID(), Owner: "z", Request: body, Tool: "square", Version: "1.0.0",
			Mode: "grid", Total: 1}
		eventually(t, "room", func() bool { return later.create(t.Context(), r, 9) == nil })
	})
}

// TestLongRunYields verifies that an interactive job does not wait for the long runs of a batch.
// Each abandoned run is recomputed and has one row.
func TestLongRunYields(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		const body = `{"tool": "slow_square", "input": {"ms": 4000}, "vary": [{"field": "/n", "values": [2, 3]}]}`
		b := a.create(t, body)
		ctx := t.Context()
		eventually(t, "runs of the batch in all slots", func() bool {
			list, err := a.queue.InFlight(ctx, "spice", 100)
			running := 0
			for _, job := range list {
				if job.State == worker.Running {
					running++
				}
			}
			return err == nil && running == 2
		})
		tool, err := newCatalog(t).Find("slow_square")
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		job, err := a.queue.Submit(ctx, tool.Tool, []byte(`{"n": 9}`),
			worker.SubmitOptions{Priority: worker.PriorityFree})
		for err == nil && !job.State.Finished() {
			job, err = a.queue.Wait(ctx, job.ID, "", time.Minute)
		}
		if err != nil || job.State != worker.Done {
			t.Fatalf("%+v %v", job, err)
		}
		t.Logf("the interactive job took %v beside runs of 4 s",
			time.Since(begun).Round(time.Millisecond))
		if g, err := a.Get(ctx, b.ID, ""); err != nil || g.RunsDone > 0 {
			t.Errorf("the interactive job waited for %d runs: %v", g.RunsDone, err)
		}
		a.check(t, body, a.wait(t, b.ID))
	})
}

// defectiveQueue has defects that can be switched on: Pool panics, Submit panics, and Wait returns
// rows without their values.
type defectiveQueue struct {
	Queue
	pool, submit, rows bool
}

func (q *defectiveQueue) Pool(ctx context.Context, pool string) (worker.PoolState, error) {
	if q.pool {
		panic("as asked")
	}
	return q.Queue.Pool(ctx, pool)
}

func (q *defectiveQueue) Submit(ctx context.Context, tool *tools.Tool, body []byte,
	o worker.SubmitOptions) (worker.Job, error) {
	if q.submit {
		panic("as asked")
	}
	job, err := q.Queue.Submit(ctx, tool, body, o)
	for q.rows && err == nil && !job.State.Finished() {
		job, err = q.Wait(ctx, job.ID, "", chunkWait)
	}
	if q.rows && err == nil {
		packed, _, encodeErr := batch.EncodeRuns([]batch.Run{{Values: []batch.Value{[]byte("1")}}})
		job.Outcome.Result = fmt.Appendf(nil, `{"rows": "%x"}`, packed)
		err = encodeErr
	}
	return job, err
}

// TestPanic verifies that a panic of the coordinator, of a chunk or of the summary ends its batch
// and not the process. The process then computes another batch.
func TestPanic(t *testing.T) {
	e, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	startWorker(t, e.URL())
	const request = `{"tool": "square", "vary": [{"field": "/n", "values": [1]}]}`
	for name, c := range map[string]struct {
		defect defectiveQueue
		want   State
	}{
		"coordinator": {defectiveQueue{pool: true}, Failed},
		"chunk":       {defectiveQueue{submit: true}, Failed},
		"summary":     {defectiveQueue{rows: true}, Done},
		"no defect":   {defectiveQueue{}, Done},
	} {
		t.Run(name, func(t *testing.T) {
			a := startAPI(t, e.URL(), func(o *Options) {
				c.defect.Queue = o.Queue
				o.Queue = &c.defect
			})
			b := a.wait(t, a.create(t, request).ID)
			if b.State != c.want || (b.Error == string(errDefect)) != (c.want == Failed) ||
				(string(b.Summary) == "null") != (name == "summary") {
				t.Errorf("%+v, summary %s", b, b.Summary)
			}
			err := a.Follow(t.Context(), b.ID, "", 0, func(Event) error { panic("as asked") })
			if !errors.Is(err, errDefect) {
				t.Errorf("Follow returns %v", err)
			}
			a.stop()
		})
	}
}

// TestLeaseAfterCancel verifies that a coordinator renews its lease while the summary of a
// cancelled batch waits for memory.
func TestLeaseAfterCancel(t *testing.T) {
	e, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	startWorker(t, e.URL())
	a := startAPI(t, e.URL())
	if err := a.summaries.Acquire(t.Context(), summaryBytes); err != nil {
		t.Fatal(err)
	}
	b := a.create(t, `{"tool": "slow_square", "input": {"ms": 100}, "vary": [{"field": "/n", "from": 0, "to": 999, "points": 1000}]}`)
	eventually(t, "rows", func() bool {
		g, err := a.Get(t.Context(), b.ID, "")
		return err == nil && g.RunsDone > 0
	})
	if _, err := a.Cancel(t.Context(), b.ID, ""); err != nil {
		t.Fatal(err)
	}
	eventually(t, "end of its jobs", func() bool {
		list, err := a.queue.InFlight(t.Context(), "spice", 10)
		return err == nil && len(list) == 0
	})
	expiry := func() float64 {
		x, err := a.store.rdb.ZScore(t.Context(), leasesKey, b.ID).Result()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := expiry()
	eventually(t, "second renewal", func() bool {
		return expiry() > first+2*float64(renewEvery/time.Millisecond)
	})
	a.summaries.Release(summaryBytes)
	if b := a.wait(t, b.ID); b.State != Cancelled {
		t.Errorf("%+v", b)
	}
}
