package service

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys"
	"slipstick/keys/quota"
	"slipstick/keys/usage"
	"slipstick/worker"
)

// noQuota debits nothing.
type noQuota struct{}

func (noQuota) Prepare(context.Context, keys.Caller, int) (*keys.Reservation, error) {
	return &keys.Reservation{}, nil
}

func (noQuota) Debit(context.Context, string, *keys.Reservation) error { return nil }

func (noQuota) Void(context.Context, string, keys.Debit) error { return nil }

func (noQuota) Finalize(context.Context, string, keys.Debit, keys.DebitUsage) error { return nil }

// daily is a quota of 100,000 calls per day, with a function that runs in place of each debit.
type daily struct {
	*quota.Limiter
	debit func(debit func() error) error
}

func (d daily) Debit(ctx context.Context, id string, r *keys.Reservation) error {
	return d.debit(func() error { return d.Limiter.Debit(ctx, id, r) })
}

const dailyCalls = 100_000

// anyone is a caller without a key.
var anyone = keys.Caller{Address: netip.MustParseAddr("203.0.113.7")}

func newDaily(t *testing.T, debit func(debit func() error) error) daily {
	t.Helper()
	store, err := usage.OpenSQLite(t.Context(), usage.Memory)
	if err != nil {
		t.Fatal(err)
	}
	counter := usage.New(usage.Options{Store: store})
	t.Cleanup(func() { counter.Close(); _ = store.Close() })
	return daily{quota.New(quota.Options{
		Counter: counter, Limits: map[keys.Tier]int{keys.Anonymous: dailyCalls},
	}), debit}
}

// used returns the debited calls of the day.
func (d daily) used(t *testing.T) int {
	t.Helper()
	r, err := d.Reserve(t.Context(), anyone, 1)
	if err == nil {
		err = r.Commit(t.Context(), "square", keys.ServerError, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dailyCalls - 1 - r.Allowance.Remaining
}

// age backdates all pending batches.
func (a *api) age(t *testing.T) {
	t.Helper()
	ctx, rdb := t.Context(), a.store.rdb
	ids, err := rdb.ZRange(ctx, pendingKey, 0, -1).Result()
	for _, id := range ids {
		err = errors.Join(err, rdb.ZAdd(ctx, pendingKey, redis.Z{Score: 1, Member: id}).Err())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// records returns the number of stored batches in any state.
func (a *api) records(t *testing.T) int {
	t.Helper()
	ids, err := a.store.rdb.Keys(t.Context(), recordKey("*")).Result()
	if err != nil {
		t.Fatal(err)
	}
	return len(ids)
}

// TestKilledWhileAccepting verifies recovery from a process that is killed before or after the
// debit of a batch. Another process must refund debited calls, and no caller may see the batch.
func TestKilledWhileAccepting(t *testing.T) {
	plain := func(debit func() error) error { return debit() }
	for name, kill := range map[string]func(debit func() error) error{
		"before the debit": func(func() error) error { runtime.Goexit(); return nil },
		"after the debit": func(debit func() error) error {
			_ = debit()
			runtime.Goexit()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachRedis(t, func(t *testing.T, url string) {
				d := newDaily(t, kill)
				killed := startAPI(t, url, func(o *Options) { o.Quota = d })
				killed.stop()
				p, err := killed.Plan([]byte(syncSweep))
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_, _, err := killed.Create(t.Context(), anyone, p, []byte(syncSweep))
					t.Errorf("the process was not killed: %v", err)
				}()
				<-ended
				want := 0
				if name == "after the debit" {
					want = p.Runs()
				}
				if n := d.used(t); n != want {
					t.Errorf("%d calls are debited, want %d", n, want)
				}
				d.debit = plain
				next := startAPI(t, url, func(o *Options) {
					o.Quota, o.PollEvery = d, 10*time.Millisecond
				})
				if list, err := next.List(t.Context(), "address:203.0.113.7"); err != nil ||
					len(list) != 0 {
					t.Errorf("the caller sees %+v %v", list, err)
				}
				if killed.records(t) != 1 {
					t.Error("the batch is deleted before its time for the debit has ended")
				}
				next.age(t)
				eventually(t, "end of the batch", func() bool { return next.records(t) == 0 })
				if n := d.used(t); n != 0 {
					t.Errorf("%d calls are debited for nothing", n)
				}
				if n, err := next.store.bytes(t.Context(), ""); err != nil || n != 0 {
					t.Errorf("%d bytes are held: %v", n, err)
				}
			})
		})
	}
}

// TestLateDebit verifies that no debit is made after the pending time of its batch has ended.
func TestLateDebit(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		var a *api
		d := newDaily(t, func(debit func() error) error {
			a.age(t)
			eventually(t, "end of the batch", func() bool { return a.records(t) == 0 })
			return debit()
		})
		a = startAPI(t, url, func(o *Options) { o.Quota, o.PollEvery = d, 10*time.Millisecond })
		p, err := a.Plan([]byte(syncSweep))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.Create(t.Context(), anyone, p,
			[]byte(syncSweep)); !errors.Is(err, keys.ErrUnavailable) {
			t.Errorf("%v, want %v", err, keys.ErrUnavailable)
		}
		if n := d.used(t); n != 0 {
			t.Errorf("%d calls are debited", n)
		}
	})
}

// TestLateAccept verifies that a batch that was rejected between its debit and its acceptance does
// not run, and that its calls are refunded.
func TestLateAccept(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		var a *api
		d := newDaily(t, func(debit func() error) error {
			err := debit()
			a.age(t)
			eventually(t, "end of the batch", func() bool { return a.records(t) == 0 })
			return err
		})
		a = startAPI(t, url, func(o *Options) { o.Quota, o.PollEvery = d, 10*time.Millisecond })
		p, err := a.Plan([]byte(syncSweep))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.Create(t.Context(), anyone, p,
			[]byte(syncSweep)); !errors.Is(err, worker.ErrUnavailable) {
			t.Errorf("%v, want %v", err, worker.ErrUnavailable)
		}
		if n := d.used(t); n != 0 {
			t.Errorf("%d calls are debited", n)
		}
	})
}

// TestCancelledBeforeAccept verifies that Redis rejects a late acceptance of a batch that was
// cancelled because the response to its acceptance was missing.
func TestCancelledBeforeAccept(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		a := startAPI(t, url)
		a.stop()
		r := &record{ID: newID(), Request: []byte(syncSweep), State: pending}
		if err := a.store.create(t.Context(), r, 1); err != nil {
			t.Fatal(err)
		}
		a.cancelUnknown(r.ID, worker.ErrUnavailable)
		a.cancelAllUnknown(t.Context())
		if err := a.store.accept(t.Context(), r.ID); !errors.Is(err, errLost) {
			t.Errorf("%v, want %v", err, errLost)
		}
		a.age(t)
		a.voidPending(t.Context())
		if n := a.records(t); n != 0 {
			t.Errorf("%d batches are left", n)
		}
	})
}

// TestOverLimit verifies that a batch over the quota of its caller is not stored and evicts no
// results.
func TestOverLimit(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		d := newDaily(t, func(debit func() error) error { return debit() })
		a := startAPI(t, url, func(o *Options) { o.Quota = d })
		p, err := a.Plan([]byte(syncSweep))
		if err != nil {
			t.Fatal(err)
		}
		var made []string
		for len(made) < dailyCalls/p.Runs() {
			b, left, err := a.Create(t.Context(), anyone, p, []byte(syncSweep))
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, b.ID)
			if want := dailyCalls - len(made)*p.Runs(); left.Remaining != want {
				t.Errorf("%d calls are left, want %d", left.Remaining, want)
			}
			eventually(t, "end of the batch", func() bool {
				b, err := a.Get(t.Context(), b.ID, "address:203.0.113.7")
				return err == nil && b.Summary != nil
			})
		}
		// The new batch needs the space of the oldest one.
		held, err := a.store.bytes(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		small := startAPI(t, url, func(o *Options) {
			o.Quota, o.TotalBytes, o.CallerShare = d, held, 1
		})
		var limit *keys.LimitError
		_, _, err = small.Create(t.Context(), anyone, p, []byte(syncSweep))
		if !errors.As(err, &limit) {
			t.Fatalf("%v, want a *keys.LimitError", err)
		}
		if n := small.records(t); n != len(made) {
			t.Errorf("%d of %d batches are left", n, len(made))
		}
	})
}

// TestSearchBeyondLimit verifies that the error of a search, whose debit is its maximum number of
// runs, names the field that lowers it.
func TestSearchBeyondLimit(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		d := newDaily(t, func(debit func() error) error { return debit() })
		a := startAPI(t, url, func(o *Options) { o.Quota, o.MaxUnfinishedFree = d, 2 })
		for i, body := range []string{syncSweep, `{"tool": "square", "mode": "minimize",
			"objective": "square", "n": 100000, "vary": [{"field": "/n", "from": 0, "to": 1}]}`} {
			p, err := a.Plan([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = a.Create(t.Context(), anyone, p, []byte(body))
			var limit *keys.LimitError
			if errors.As(err, &limit) != (i == 1) ||
				i == 1 && !strings.Contains(limit.Reason, "100000, of which") {
				t.Errorf("batch %d: %v", i+1, err)
			}
		}
	})
}

// TestBusy verifies that a batch above its caller's limit of unfinished batches is rejected before
// its debit. The response does not contain the remaining calls.
func TestBusy(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		d := newDaily(t, func(debit func() error) error { return debit() })
		a := startAPI(t, url, func(o *Options) { o.Quota, o.MaxUnfinishedFree = d, 1 })
		p, err := a.Plan([]byte(syncSweep))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{dailyCalls - p.Runs(), 0} {
			_, left, err := a.Create(t.Context(), anyone, p, []byte(syncSweep))
			var busy *worker.BusyError
			if left.Remaining != want || errors.As(err, &busy) != (i == 1) ||
				i == 1 && !busy.OfCaller ||
				i == 1 && left != (keys.Allowance{}) {
				t.Errorf("batch %d: %+v %v", i+1, left, err)
			}
		}
		if n := d.used(t); n != p.Runs() {
			t.Errorf("%d calls are debited, want %d", n, p.Runs())
		}
	})
}

// losesResponse drops the response of a script.
type losesResponse struct{ script *redis.Script }

func (losesResponse) DialHook(next redis.DialHook) redis.DialHook { return next }

func (losesResponse) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l losesResponse) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if args := cmd.Args(); err == nil && len(args) > 1 && args[1] == l.script.Hash() {
			return errors.New("no response")
		}
		return err
	}
}

// TestLostResponse verifies that a batch that Redis has stored or accepted without a response is
// cancelled, and that its calls are refunded.
func TestLostResponse(t *testing.T) {
	for name, script := range map[string]*redis.Script{
		"create": createScript, "accept": acceptScript,
	} {
		t.Run(name, func(t *testing.T) {
			forEachRedis(t, func(t *testing.T, url string) {
				d := newDaily(t, func(debit func() error) error { return debit() })
				a := startAPI(t, url, func(o *Options) {
					o.Redis.AddHook(losesResponse{script})
					o.Quota, o.PollEvery = d, 10*time.Millisecond
				})
				if err := script.Load(t.Context(), a.store.rdb).Err(); err != nil {
					t.Fatal(err)
				}
				p, err := a.Plan([]byte(syncSweep))
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := a.Create(t.Context(), anyone, p,
					[]byte(syncSweep)); !errors.Is(err, worker.ErrUnavailable) {
					t.Fatalf("%v, want %v", err, worker.ErrUnavailable)
				}
				a.age(t)
				eventually(t, "refund", func() bool { return d.used(t) == 0 })
				eventually(t, "end of the batch", func() bool {
					list, err := a.List(t.Context(), "address:203.0.113.7")
					return err == nil && (name == "create" && a.records(t) == 0 ||
						len(list) == 1 && list[0].State == Cancelled)
				})
			})
		})
	}
}
