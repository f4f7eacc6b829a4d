package usage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slipstick/keys"
)

// TestExact verifies that several Counters on one Store, like those of several processes, grant
// exactly the limit. It also verifies that each value of the counter goes to one call.
func TestExact(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, again func() Store) {
		const limit, calls = 200, 5000
		var counters []*Counter
		for i := range 3 {
			store := b
			if i > 0 {
				store = again()
			}
			l := New(Options{Store: store})
			defer l.Close()
			counters = append(counters, l)
		}
		var admitted atomic.Int64
		var places [limit + 1]atomic.Int64
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				g, err := counters[i%3].Debit(t.Context(),
					Debit{Counter: "a", Limit: limit, Size: 1, TTL: time.Hour})
				if err != nil {
					t.Error(err)
				} else if g.Admitted {
					admitted.Add(1)
					places[g.Used].Add(1)
				} else if g.Used != limit {
					t.Errorf("rejected at %d", g.Used)
				}
			})
		}
		all.Wait()
		if n := admitted.Load(); n != limit {
			t.Errorf("admitted %d, want %d", n, limit)
		}
		for i := 1; i <= limit; i++ {
			if n := places[i].Load(); n != 1 {
				t.Errorf("place %d was given %d times", i, n)
			}
		}
		if err := counters[0].Refund(t.Context(), "a", 1, time.Hour); err != nil {
			t.Fatal(err)
		}
		for want := range []bool{true, false} {
			if g, err := counters[1].Debit(t.Context(), Debit{Counter: "a", Limit: limit, Size: 1,
				TTL: time.Hour}); err != nil || g.Admitted != (want == 0) || g.Used != limit {
				t.Errorf("after one was given back: %+v %v", g, err)
			}
		}
	})
}

// countingStore counts commits and grants everything.
type countingStore struct {
	Store
	commits, calls atomic.Int64
}

func (b *countingStore) Commit(_ context.Context, batch *Batch) error {
	b.commits.Add(1)
	for i := range batch.Debits {
		t := &batch.Debits[i]
		t.Granted, t.Used = t.Count, t.Count
		b.calls.Add(t.Count)
	}
	return nil
}

// TestReadyCallsShareACommit verifies that runnable calls enter the commit that the first of them
// requested. The test uses one processor, on which each call would otherwise have its own commit.
func TestReadyCallsShareACommit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	store := &countingStore{}
	l := New(Options{Store: store})
	defer l.Close()
	const calls = 64
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if g, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: calls, Size: 1,
				TTL: time.Hour}); err != nil || !g.Admitted {
				t.Error(g, err)
			}
		})
	}
	all.Wait()
	if n, counted := store.commits.Load(), store.calls.Load(); counted != calls || n > calls/4 {
		t.Errorf("%d calls were counted in %d commits", counted, n)
	}
	if _, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: calls, Size: 1,
		TTL: time.Hour}); err != nil {
		t.Error(err) // a single call does not wait for others
	}
}

// heldStore blocks each commit until the test releases it.
type heldStore struct {
	countingStore
	begun, release chan struct{}
}

func (b *heldStore) Commit(ctx context.Context, batch *Batch) error {
	select {
	case b.begun <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-b.release:
	case <-ctx.Done():
		return ctx.Err()
	}
	return b.countingStore.Commit(ctx, batch)
}

// TestHalfOfManyShareACommit verifies that a commit waits for half of the calls in flight, up to
// its linger time.
func TestHalfOfManyShareACommit(t *testing.T) {
	for _, c := range []struct {
		name   string
		linger time.Duration
		come   int
	}{{"they come", time.Hour, 16}, {"they do not", time.Millisecond, 1}} {
		t.Run(c.name, func(t *testing.T) {
			store := &heldStore{begun: make(chan struct{}), release: make(chan struct{})}
			l := New(Options{Store: store, Linger: c.linger})
			defer l.Close()
			var all sync.WaitGroup
			call := func(n int) {
				for range n {
					all.Go(func() {
						if g, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: 1000, Size: 1,
							TTL: time.Hour}); err != nil || !g.Admitted {
							t.Error(g, err)
						}
					})
				}
			}
			gathered := func(n int) {
				t.Helper()
				for began := time.Now(); ; time.Sleep(time.Millisecond) {
					l.mu.Lock()
					there := l.open != nil && l.open.callers == n
					l.mu.Unlock()
					if there {
						return
					}
					if time.Since(began) > 20*time.Second {
						t.Fatalf("%d callers are not waiting together", n)
					}
				}
			}
			call(1)
			<-store.begun
			call(32) // the Counter knows of no calls in flight, so the calls share the next commit
			gathered(32)
			store.release <- struct{}{}
			<-store.begun
			store.release <- struct{}{}
			all.Wait()

			if c.linger == time.Hour {
				call(c.come - 1)
				gathered(c.come - 1)
				call(1)
			} else {
				call(c.come)
			}
			<-store.begun
			store.release <- struct{}{}
			all.Wait()
			if n := store.commits.Load(); n != 3 {
				t.Errorf("%d commits, want 3", n)
			}
			if c.linger == time.Hour {
				// A commit waits for half of 16 callers, and not at all for a single caller.
				for _, n := range []int{8, 1} {
					call(n)
					<-store.begun
					store.release <- struct{}{}
					all.Wait()
				}
			}
		})
	}
}

// TestOutage verifies that calls continue with the process's own counts while Redis is stopped. It
// also verifies that their records are stored once after Redis has restarted.
func TestOutage(t *testing.T) {
	server := startRedis(t)
	rdb := server.client()
	defer rdb.Close()
	store := NewRedis(rdb)
	l := New(Options{Store: store, Log: slog.New(slog.DiscardHandler)})
	defer l.Close()
	ctx := t.Context()
	total := int64(0)
	call := func() {
		t.Helper()
		if err := l.Record(ctx, used("k", "fspl", 1, 1, 0)); err != nil {
			t.Fatal(err)
		}
		total++
	}
	for range 100 {
		call()
	}
	if g, err := l.Debit(ctx, Debit{Counter: "a", Limit: 10, Size: 1, TTL: time.Hour}); err !=
		nil || !g.Admitted {
		t.Fatal(g, err)
	}
	server.Kill()
	var all sync.WaitGroup
	var admitted atomic.Int64
	for range 50 { // several batches are in flight when the outage is detected
		all.Go(func() {
			g, err := l.Debit(ctx, Debit{Counter: "b", Limit: 10, Size: 1, TTL: time.Hour})
			if err != nil {
				t.Error(err)
			}
			if g.Admitted {
				admitted.Add(1)
			}
		})
		call()
	}
	all.Wait()
	if n := admitted.Load(); n != 10 {
		t.Errorf("without Redis %d calls were admitted, want 10", n)
	}
	if g, err := l.Debit(ctx, Debit{Counter: "a", Limit: 10, Size: 9, TTL: time.Hour}); err !=
		nil || !g.Admitted || g.Used != 10 {
		t.Errorf("nine more after the one that Redis has counted: %+v %v", g, err)
	}
	if g, err := l.Debit(ctx, Debit{Counter: "a", Limit: 10, Size: 1, TTL: time.Hour}); err !=
		nil || g.Admitted {
		t.Errorf("what Redis has counted is forgotten without it: %+v %v", g, err)
	}
	if !l.Down() {
		t.Error("not down")
	}
	began := time.Now()
	for range 1000 {
		call()
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("1000 calls without Redis took %s: each waits for it", took)
	}
	server.start(t, server.Port)
	for began := time.Now(); l.Down(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("Redis is back, but not used")
		}
	}
	call()
	if g, err := l.Debit(ctx, Debit{Counter: "b", Limit: 10, Size: 1, TTL: time.Hour}); err !=
		nil || g.Admitted {
		t.Errorf("what was counted without Redis is forgotten: %+v %v", g, err)
	}
	if err := store.Rotate(ctx, "all"); err != nil {
		t.Fatal(err)
	}
	uses, err := store.ReadBatch(ctx, "all")
	if err != nil || len(uses) != 1 || uses[0].Calls != total {
		t.Errorf("%v %v, want %d calls", uses, err, total)
	}
}

// flakyStore fails all commits beyond the permitted number.
type flakyStore struct {
	Store
	permitted, failed atomic.Int64
}

func (b *flakyStore) Commit(ctx context.Context, batch *Batch) error {
	if b.permitted.Add(-1) < 0 {
		b.failed.Add(1)
		return errors.New("connection reset")
	}
	return b.Store.Commit(ctx, batch)
}

// TestRepeatedOutage verifies the bound of docs/limits.md for one process. In an outage it admits
// at most as many calls as the limit, even if the Store is available for one commit in between.
func TestRepeatedOutage(t *testing.T) {
	book, err := OpenSQLite(t.Context(), Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	store := &flakyStore{Store: book}
	l := New(Options{Store: store, Log: slog.New(slog.DiscardHandler)})
	defer l.Close()
	const limit = 10
	admitted := 0
	debit := func(calls int) {
		t.Helper()
		for range calls {
			d, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: limit, Size: 1,
				TTL: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if d.Admitted {
				admitted++
			}
		}
	}
	until := func(condition string, ok func() bool) {
		t.Helper()
		for began := time.Now(); !ok(); time.Sleep(time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatal("never: " + condition)
			}
		}
	}
	debit(2 * limit)
	if admitted != limit {
		t.Errorf("%d calls were admitted in the first outage, want %d", admitted, limit)
	}
	failed := store.failed.Load()
	store.permitted.Store(1) // the batch of the first call
	until("the second outage", func() bool {
		return store.permitted.Load() < 0 && store.failed.Load() > failed && l.Down()
	})
	debit(2 * limit)
	store.permitted.Store(math.MaxInt64)
	until("the end of the outage", func() bool { return !l.Down() })
	debit(2 * limit)
	if admitted != limit {
		t.Errorf("%d calls were admitted in all, want %d", admitted, limit)
	}
}

// losingStore applies batches but loses some of the responses.
type losingStore struct {
	Store
	n atomic.Int64
}

func (b *losingStore) Commit(ctx context.Context, batch *Batch) error {
	err := b.Store.Commit(ctx, batch)
	if b.n.Add(1)%3 == 0 && err == nil {
		return errors.New("the response was lost")
	}
	return err
}

// TestLostResponses verifies that a batch is applied only once if the response of the Store is
// lost.
func TestLostResponses(t *testing.T) {
	rdb := startRedis(t).client()
	defer rdb.Close()
	store := NewRedis(rdb)
	l := New(Options{Store: &losingStore{Store: store}, Log: slog.New(slog.DiscardHandler)})
	const calls = 40
	for i := range calls {
		u := used(fmt.Sprint("k", i%3), "fspl", 1, 1, 0)
		if i%2 == 0 {
			if g, err := l.Debit(t.Context(), Debit{Counter: "day", Limit: 1000, Size: 1,
				TTL: time.Hour, Record: u}); err != nil || !g.Admitted {
				t.Fatal(g, err)
			}
		} else if err := l.Record(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		if i%8 == 7 {
			for l.Down() {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
	l.Close()
	if err := store.Rotate(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	uses, err := store.ReadBatch(t.Context(), "all")
	sum := int64(0)
	for _, u := range uses {
		sum += u.Calls
	}
	if err != nil || sum != calls {
		t.Errorf("%d calls counted (%v), want %d", sum, err, calls)
	}
	last := &Batch{Writer: "other", Number: 1,
		Debits: []Debit{{Counter: "day", Limit: 1000, Size: 1, Count: 1, TTL: time.Hour}}}
	if err := store.Commit(t.Context(), last); err != nil || last.Debits[0].Used != calls/2+1 {
		t.Errorf("the day has %d calls (%v), want %d", last.Debits[0].Used, err, calls/2+1)
	}
}

// TestTakeAndUse verifies that exactly the granted calls are recorded, with exactly their computing
// time.
func TestTakeAndUse(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, _ func() Store) {
		const limit, calls = 200, 1000
		l := New(Options{Store: b})
		defer l.Close()
		var (
			all      sync.WaitGroup
			admitted atomic.Int64
			micros   atomic.Int64
		)
		for i := range calls {
			all.Go(func() {
				u := used("k", fmt.Sprint("tool", i%2), 1, float64(1+i),
					time.Duration(i)*time.Second)
				g, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: limit, Size: 1,
					TTL: time.Hour, Record: u})
				if err != nil {
					t.Error(err)
				}
				if g.Admitted {
					admitted.Add(1)
					micros.Add(int64(1+i) * 1000)
				}
			})
		}
		all.Wait()
		if err := b.Rotate(t.Context(), "all"); err != nil {
			t.Fatal(err)
		}
		uses, err := b.ReadBatch(t.Context(), "all")
		if err != nil {
			t.Fatal(err)
		}
		recorded, ms := int64(0), 0.0
		for _, u := range uses {
			recorded, ms = recorded+u.Calls, ms+u.ComputeMS
		}
		if admitted.Load() != limit || recorded != limit || ms*1000 != float64(micros.Load()) {
			t.Errorf("admitted %d, recorded %d with %g ms, want %d with %g ms", admitted.Load(),
				recorded, ms, limit, float64(micros.Load())/1000)
		}
	})
}

// TestBatchesAreBounded verifies that the number of batches is bounded if no batch is acknowledged.
func TestBatchesAreBounded(t *testing.T) {
	b, err := OpenSQLite(t.Context(), Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for i := range int64(3 * maxBatches) {
		if err := b.Commit(t.Context(),
			&Batch{Number: i, Records: []keys.UsageRecord{used("k", "fspl", 1, 1, 0)}}); err !=
			nil {
			t.Fatal(err)
		}
		if err := b.Rotate(t.Context(), NewID()); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := b.Batches(t.Context())
	if err != nil || len(ids) != maxBatches {
		t.Errorf("%d sealed, %v", len(ids), err)
	}
}
