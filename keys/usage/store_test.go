package usage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
	"slipstick/keys"
)

// redisServer is a real Redis that a test can stop, and restart with its data.
type redisServer struct {
	*redistest.Server
	dir string
}

func startRedis(t *testing.T) *redisServer {
	t.Helper()
	r := &redisServer{dir: t.TempDir()}
	r.start(t, 0)
	t.Cleanup(func() { r.Kill() })
	return r
}

// start starts the server at a port, or at a free one if port is 0.
func (r *redisServer) start(t *testing.T, port int) {
	t.Helper()
	r.Server = redistest.StartAt(t, port, "--appendonly", "yes", "--appendfsync", "always",
		"--dir", r.dir)
}

func (r *redisServer) client() redis.UniversalClient {
	return redis.NewClient(&redis.Options{Addr: r.Addr(), DialTimeout: 300 * time.Millisecond,
		MaxRetries: 1, DialerRetries: 1, ContextTimeoutEnabled: true})
}

// forEachStore runs a test on every kind of Store. The test also gets a function that opens the
// same store a second time, as another process would.
func forEachStore(t *testing.T, f func(t *testing.T, b Store, again func() Store)) {
	t.Run("redis", func(t *testing.T) {
		server := startRedis(t)
		open := func() Store {
			rdb := server.client()
			t.Cleanup(func() { _ = rdb.Close() })
			return NewRedis(rdb)
		}
		f(t, open(), open)
	})
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "counts.db")
		open := func() Store {
			b, err := OpenSQLite(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			return b
		}
		f(t, open(), open)
	})
}

var day = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)

func used(prefix, tool string, calls int64, ms float64, at time.Duration) keys.UsageRecord {
	return keys.UsageRecord{Prefix: prefix, Tool: tool, Day: day, Outcome: keys.Computed,
		Calls: calls, ComputeMS: ms, LastUsed: day.Add(at)}
}

func TestCommit(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, _ func() Store) {
		ctx := t.Context()
		number := int64(0)
		take := func(counter string, limit, size, count int64) (granted, used int64) {
			t.Helper()
			number++
			batch := &Batch{Writer: "w", Number: number,
				Debits: []Debit{{Counter: counter, Limit: limit, Size: size, Count: count,
					TTL: time.Hour}}}
			if err := b.Commit(ctx, batch); err != nil {
				t.Fatal(err)
			}
			return batch.Debits[0].Granted, batch.Debits[0].Used
		}
		for _, c := range []struct {
			name                                       string
			counter                                    string
			limit, size, count, wantGranted, wantTotal int64
		}{
			{"some", "a", 10, 1, 4, 4, 4},
			{"what is left", "a", 10, 1, 20, 6, 10},
			{"nothing left", "a", 10, 1, 1, 0, 10},
			{"a raised limit", "a", 12, 1, 9, 2, 12},
			{"a lowered limit takes nothing back", "a", 5, 1, 1, 0, 12},
			{"items whole or not at all", "b", 10, 4, 3, 2, 8},
			{"a smaller one fits", "b", 10, 1, 3, 2, 10},
			{"another counter", "c", 1, 1, 5, 1, 1},
			{"larger than the limit", "d", 10, 11, 1, 0, 0},
		} {
			if granted, total := take(c.counter, c.limit, c.size, c.count); granted !=
				c.wantGranted || total != c.wantTotal {
				t.Errorf("%s: granted %d, used %d; want %d, %d", c.name, granted, total,
					c.wantGranted, c.wantTotal)
			}
		}
		number++
		back := &Batch{Writer: "w", Number: number, Adjustments: []Adjustment{{"a", -3, time.Hour},
			{"c", -5, time.Hour}, {"new", 7, time.Hour}}}
		if err := b.Commit(ctx, back); err != nil {
			t.Fatal(err)
		}
		if granted, total := take("a", 12, 1, 9); granted != 3 || total != 12 {
			t.Errorf("after 3 were given back: granted %d, used %d", granted, total)
		}
		if granted, total := take("c", 2, 1, 9); granted != 2 || total != 2 {
			t.Errorf("a counter below zero: granted %d, used %d", granted, total)
		}
		if granted, total := take("new", 10, 1, 9); granted != 3 || total != 10 {
			t.Errorf("after 7 were added: granted %d, used %d", granted, total)
		}
	})
}

// TestAdjustmentsCountFirst verifies that the debits of a batch are granted after its adjustments,
// as the bound of an outage in docs/limits.md requires.
func TestAdjustmentsCountFirst(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, _ func() Store) {
		number := int64(0)
		for _, c := range []struct {
			counter                 string
			adjusted, granted, used int64 // of 4 calls with a limit of 10
		}{
			{"a", 7, 3, 10},
			{"a", 3, 0, 13},
			{"a", -5, 2, 10},
			{"b", 6, 4, 10},
			{"c", 10, 0, 10},
		} {
			number++
			batch := &Batch{Writer: "w", Number: number,
				Debits: []Debit{{Counter: c.counter, Limit: 10, Size: 1, Count: 4,
					TTL: time.Hour}},
				Adjustments: []Adjustment{{c.counter, c.adjusted, time.Hour}}}
			if err := b.Commit(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			if d := batch.Debits[0]; d.Granted != c.granted || d.Used != c.used {
				t.Errorf("%+v: granted %d, used %d", c, d.Granted, d.Used)
			}
		}
	})
}

// TestRepeated verifies that each batch number is applied once, regardless of the content of the
// batch, and that a later number is applied.
func TestRepeated(t *testing.T) {
	rdb := startRedis(t).client()
	defer rdb.Close()
	store := NewRedis(rdb)
	commit := func(number int64) (*Batch, error) {
		b := &Batch{
			Writer: "w", Number: number,
			Debits: []Debit{{Counter: "a", Limit: 100, Size: 1, Count: 2, TTL: time.Hour,
				Record: used("k", "fspl", 1, 1, 0), Compute: []float64{1, 2}}},
			Adjustments: []Adjustment{{"b", 3, time.Hour}},
			Records:     []keys.UsageRecord{used("k", "snr", 1, 1, 0)},
		}
		return b, store.Commit(t.Context(), b)
	}
	for number := range int64(3) {
		if _, err := commit(number + 1); err != nil {
			t.Fatal(err)
		}
		for earlier := range number + 1 {
			if _, err := commit(earlier + 1); !errors.Is(err, ErrApplied) {
				t.Errorf("number %d after %d: %v, want %v", earlier+1, number+1, err, ErrApplied)
			}
		}
	}
	// The numbers 4 to 6 were never committed.
	if b, err := commit(7); err != nil || b.Debits[0].Used != 8 {
		t.Errorf("%+v %v, want 4 batches of 2 calls", b.Debits, err)
	}
	if _, err := commit(7); !errors.Is(err, ErrApplied) {
		t.Error(err)
	}
	uses := sealedUses(t, store)
	for _, u := range uses {
		want := used("k", u.Tool, 4, 4, 0)
		if u.Tool == "fspl" {
			want = used("k", u.Tool, 8, 8, 0)
		}
		if u != want {
			t.Errorf("%+v\nwant %+v", u, want)
		}
	}
	if len(uses) != 2 {
		t.Errorf("%v", uses)
	}
}

// TestApply verifies that every kind of Store applies a batch with its own writer exactly once,
// even if several processes apply it. It also verifies that a batch that fails is not applied.
func TestApply(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, again func() Store) {
		first, second := New(Options{Store: b}), New(Options{Store: again()})
		defer first.Close()
		defer second.Close()
		if _, err := first.Debit(t.Context(), Debit{Counter: "a", Limit: 100, Size: 10,
			TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		apply := func(ctx context.Context, c *Counter, writer string) error {
			return c.Apply(ctx, &Batch{
				Writer: writer, Adjustments: []Adjustment{{"a", -4, time.Hour}},
				Records: []keys.UsageRecord{used("k", "fspl", 6, 2, 0)},
			})
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := apply(ended, first, "debit:1"); err == nil {
			t.Error("applied in a context that has ended")
		}
		for _, c := range []*Counter{first, second, first} {
			if err := apply(t.Context(), c, "debit:1"); err != nil {
				t.Error(err)
			}
		}
		if err := apply(t.Context(), second, "debit:2"); err != nil {
			t.Error(err)
		}
		if d, err := second.Debit(t.Context(), Debit{Counter: "a", Limit: 100, Size: 1,
			TTL: time.Hour}); err != nil || d.Used != 10-2*4+1 {
			t.Errorf("%+v %v", d, err)
		}
		if uses := sealedUses(t, b); len(uses) != 1 || uses[0] != used("k", "fspl", 12, 4, 0) {
			t.Errorf("%+v", uses)
		}
	})
}

// sealedUses rotates the open records and returns them.
func sealedUses(t *testing.T, b Store) []keys.UsageRecord {
	t.Helper()
	id := NewID()
	if err := b.Rotate(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	uses, err := b.ReadBatch(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return uses
}

// TestExpiry verifies that the keys of counters and writers in Redis expire. It also verifies that
// the TTL of a counter starts at its first call. The TTL of a writer's number must be renewed at
// most once per hour, and set again after Redis has lost the key.
func TestExpiry(t *testing.T) {
	rdb := startRedis(t).client()
	defer rdb.Close()
	store, ctx, number := NewRedis(rdb), t.Context(), int64(0)
	take := func(counter string, limit, count int64) {
		t.Helper()
		number++
		b := &Batch{Writer: "w", Number: number,
			Debits: []Debit{{Counter: counter, Limit: limit, Size: 1, Count: count,
				TTL: time.Hour}}}
		if err := store.Commit(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	life := func(name string, most time.Duration) {
		t.Helper()
		if left, err := rdb.TTL(ctx, name).Result(); err != nil || left <= most-time.Minute ||
			left > most {
			t.Errorf("%s lives %s (%v), want %s", name, left, err, most)
		}
	}
	take("all", 10, 4)
	take("some", 2, 5)
	take("none", 0, 5)
	life(counterKey("all"), time.Hour)
	life(counterKey("some"), time.Hour)
	if n, err := rdb.Exists(ctx, counterKey("none")).Result(); err != nil || n != 0 {
		t.Errorf("a counter that granted nothing is kept: %d %v", n, err)
	}
	life(writerKey("w"), writerTTL)
	if err := rdb.Expire(ctx, counterKey("all"), time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	take("all", 10, 4)
	life(counterKey("all"), time.Minute) // a further call does not extend the TTL

	if err := rdb.Expire(ctx, writerKey("w"), 2*time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	take("all", 10, 1)
	life(writerKey("w"), 2*time.Hour)
	store.writers.renewed("w", time.Now().Add(-2*time.Hour))
	take("all", 10, 1)
	life(writerKey("w"), writerTTL)
	if err := rdb.Del(ctx, writerKey("w")).Err(); err != nil {
		t.Fatal(err)
	}
	take("all", 10, 0)
	life(writerKey("w"), writerTTL)
	if mark, err := rdb.Get(ctx, writerKey("w")).Int64(); err != nil || mark != number {
		t.Errorf("the mark is %d (%v), want %d", mark, err, number)
	}
}

// TestSeal verifies that Rotate moves the sums of the usage records into a batch, and that Ack
// deletes the batch.
func TestSeal(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, _ func() Store) {
		ctx := t.Context()
		if err := b.Rotate(ctx, "empty"); err != nil {
			t.Fatal(err)
		}
		for i := range int64(3) {
			batch := &Batch{Writer: "w", Number: i + 1,
				Records: []keys.UsageRecord{used("k1", "fspl", 2, 1.5,
					time.Duration(i)*time.Minute), used("k2", "fspl", 1, 0.25, time.Hour)}}
			if err := b.Commit(ctx, batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Rotate(ctx, "one"); err != nil {
			t.Fatal(err)
		}
		ids, err := b.Batches(ctx)
		if err != nil || len(ids) != 1 || ids[0] != "one" {
			t.Fatalf("sealed %v, %v", ids, err)
		}
		uses, err := b.ReadBatch(ctx, "one")
		if err != nil || len(uses) != 2 {
			t.Fatalf("%v %v", uses, err)
		}
		for _, u := range uses {
			want := used("k1", "fspl", 6, 4.5, 2*time.Minute)
			if u.Prefix == "k2" {
				want = used("k2", "fspl", 3, 0.75, time.Hour)
			}
			if u != want {
				t.Errorf("%+v\nwant %+v", u, want)
			}
		}
		if err := b.Ack(ctx, "one"); err != nil {
			t.Fatal(err)
		}
		if uses, err := b.ReadBatch(ctx, "one"); err != nil || len(uses) != 0 {
			t.Errorf("after the drop: %v %v", uses, err)
		}
		if ids, err := b.Batches(ctx); err != nil || len(ids) != 0 {
			t.Errorf("after the drop: %v %v", ids, err)
		}
	})
}

func TestWithin(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, again func() Store) {
		b2, now := again(), day.Add(10*time.Hour)
		for i, c := range []struct {
			after time.Duration
			wait  time.Duration
		}{
			{0, 0}, {time.Minute, 0}, {2 * time.Minute, 0}, // three events within an hour
			{3 * time.Minute, 57 * time.Minute},
			{59*time.Minute + 59*time.Second, time.Second},
			{60 * time.Minute, 0},                    // the first event was an hour ago
			{60*time.Minute + 1, time.Minute},        // the second event was less than an hour ago
			{3 * time.Hour, 0}, {3*time.Hour + 1, 0}, // all have expired
		} {
			store := b
			if i%2 == 1 {
				store = b2
			}
			wait, err := store.AllowWithin(t.Context(), "a", 3, time.Hour, now.Add(c.after))
			if err != nil || (wait-c.wait).Abs() > 2*time.Millisecond {
				t.Errorf("at %s: wait %s (%v), want %s", c.after, wait, err, c.wait)
			}
		}
		if wait, err := b.AllowWithin(t.Context(), "b", 3, time.Hour, now); err != nil ||
			wait != 0 {
			t.Errorf("another counter: %s %v", wait, err)
		}
	})
}

// TestReopened verifies that the counts are still present after the Store is reopened.
func TestReopened(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, again func() Store) {
		l := New(Options{Store: b})
		if _, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: 10, Size: 7,
			TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		if err := l.Record(t.Context(), used("k", "fspl", 1, 1, 0)); err != nil {
			t.Fatal(err)
		}
		l.Close()
		b = again()
		l = New(Options{Store: b})
		defer l.Close()
		if g, err := l.Debit(t.Context(), Debit{Counter: "a", Limit: 10, Size: 1,
			TTL: time.Hour}); err != nil || g.Used != 8 {
			t.Errorf("%+v %v", g, err)
		}
		if err := b.Rotate(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if uses, err := b.ReadBatch(t.Context(), "x"); err != nil || len(uses) != 1 {
			t.Errorf("%v %v", uses, err)
		}
	})
}

// TestDebitOnce verifies that a debit with its own writer is made once in every kind of Store. It
// also verifies that a void debit is not made, and that a debit over the limit may be made later.
func TestDebitOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, b Store, again func() Store) {
		first, second := New(Options{Store: b}), New(Options{Store: again()})
		defer first.Close()
		defer second.Close()
		ctx, ten := t.Context(), Debit{Counter: "a", Limit: 25, Size: 10, TTL: time.Hour}
		check := func(c *Counter, writer string, want Decision, wantErr error) {
			t.Helper()
			if d, err := c.DebitOnce(ctx, writer, ten); d != want || !errors.Is(err, wantErr) {
				t.Errorf("debit %s: %+v %v, want %+v %v", writer, d, err, want, wantErr)
			}
		}
		void := func(c *Counter, writer string, want bool) {
			t.Helper()
			if made, err := c.Void(ctx, writer); made != want || err != nil {
				t.Errorf("void %s: %t %v, want %t", writer, made, err, want)
			}
		}
		check(first, "1", Decision{true, 10}, nil)
		check(second, "1", Decision{}, ErrApplied)
		for _, c := range []*Counter{first, second, first} {
			void(c, "2", false)
			check(c, "2", Decision{}, ErrApplied)
		}
		check(second, "3", Decision{true, 20}, nil)
		check(first, "4", Decision{false, 20}, nil)
		void(second, "5", false)
		if err := second.Refund(ctx, "a", 10, time.Hour); err != nil {
			t.Error(err)
		}
		check(second, "4", Decision{true, 20}, nil)
		for _, c := range []*Counter{first, second} {
			void(c, "1", true)
			void(c, "4", true)
		}
	})
}

// TestRefundOpenDebits verifies that a process refunds, exactly once, the debits that an earlier
// process has not finalized.
func TestRefundOpenDebits(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "counts.db"), t.Context()
	check := func(c *Counter, writer string, counter string, size, want int64) {
		t.Helper()
		d, err := c.DebitOnce(ctx, writer,
			Debit{Counter: counter, Limit: 100, Size: size, TTL: time.Hour})
		if err != nil || d.Admitted != (want <= 100) ||
			d.Admitted && d.Used != want {
			t.Errorf("debit of %s: %+v %v, want %d", counter, d, err, want)
		}
	}
	open := func(f func(c *Counter)) {
		t.Helper()
		store, err := OpenSQLite(ctx, path)
		if err == nil {
			err = store.RefundOpenDebits(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		c := New(Options{Store: store})
		f(c)
		c.Close()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open(func(c *Counter) {
		check(c, "1", "a", 10, 10)
		check(c, "2", "a", 20, 30)
		check(c, "3", "b", 5, 5)
		check(c, "4", "a", 40, 70)
		check(c, "5", "a", 31, 101) // a debit that was not granted is not refunded
		if err := c.Apply(ctx, &Batch{Writer: "end of 2", Finalizes: "2",
			Adjustments: []Adjustment{{Counter: "a", Calls: -5, TTL: time.Hour}}}); err != nil {
			t.Error(err)
		}
	})
	for i := range 2 { // the 15 finalized calls remain in counter a
		open(func(c *Counter) {
			check(c, fmt.Sprint("next ", i), "a", 1, 16)
			check(c, fmt.Sprint("more ", i), "b", 1, 1)
		})
	}
}
