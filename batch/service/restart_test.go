package service

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys"
	"slipstick/worker"
)

// TestLostRows verifies that rows are recomputed after a restart of Redis whose append-only file
// lacks the last commits, and that each index has one row.
func TestLostRows(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		medium := strings.NewReplacer("999", "299", "1000", "300").Replace(slow)
		search := strings.Replace(best, `"mode"`, `"input": {"ms": 20}, "mode"`, 1)
		for _, body := range []string{medium, search} {
			b := a.create(t, body)
			ctx, lost := t.Context(), []segment(nil)
			eventually(t, "rows", func() bool {
				var err error
				lost, err = a.store.segments(ctx, b.ID)
				return err == nil && len(lost) > 1
			})
			g := lost[0]
			_, err := a.store.rdb.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
				pipe.HDel(ctx, rowsKey(b.ID), strconv.Itoa(g.from))
				pipe.HDel(ctx, countsKey(b.ID), strconv.Itoa(g.from))
				pipe.HIncrBy(ctx, recordKey(b.ID), "done", -int64(g.count))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if g, err := a.Get(ctx, b.ID, ""); err != nil || g.State != Running {
				t.Fatalf("the batch ended before the loss: %+v %v", g, err)
			}
			b = a.wait(t, b.ID)
			b.RunsFailed = countFailed(t, a, b) // the deletion left RunsFailed unchanged
			a.check(t, body, b)
		}
	})
}

// countFailed counts the rows with an error.
func countFailed(t *testing.T, a *api, b *Batch) (n int) {
	t.Helper()
	page, err := a.Rows(t.Context(), b.ID, "", 0, 10000, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page.Rows.Runs {
		if r.Err != "" {
			n++
		}
	}
	return n
}

// groups is a quota without debits. It groups callers by address.
type groups struct{ noQuota }

func (groups) Prepare(_ context.Context, caller keys.Caller, _ int) (*keys.Reservation, error) {
	return &keys.Reservation{Tier: keys.Developer, Group: caller.Address.String()}, nil
}

// TestFairness verifies that a caller with one batch is not delayed by a caller with three batches
// of the same size. It also verifies that a short batch is not delayed by a long one of the same
// caller.
func TestFairness(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		a := startAPI(t, url, func(o *Options) { o.Quota = groups{} })
		create := func(address string, runs int) *Batch {
			t.Helper()
			body := fmt.Appendf(nil, `{"tool": "slow_square", "input": {"ms": 4},
				"vary": [{"field": "/n", "from": 0, "to": %d, "points": %d}]}`, runs-1, runs)
			p, err := a.Plan(body)
			if err != nil {
				t.Fatal(err)
			}
			b, _, err := a.Create(t.Context(), keys.Caller{Address: netip.MustParseAddr(address)},
				p, body)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		done := func(batches ...*Batch) (n int) {
			t.Helper()
			for _, b := range batches {
				g, err := a.Get(t.Context(), b.ID, "")
				if err != nil {
					t.Fatal(err)
				}
				n += g.RunsDone
			}
			return n
		}
		const runs = 200
		var many []*Batch
		for range 3 {
			many = append(many, create("203.0.113.1", runs))
		}
		one := create("203.0.113.2", runs)
		eventually(t, "chunks of every batch", func() bool {
			list, err := a.queue.InFlight(t.Context(), "spice", 100)
			return err == nil && len(list) >= 4*2
		})
		startWorker(t, url)
		// The runs are counted before the batches end because the time to finalize them depends on
		// the load.
		mine := 0
		eventually(t, "most runs of the one batch", func() bool {
			mine = done(one)
			return mine >= runs*3/4
		})
		if n := done(many...); n > 2*mine {
			t.Errorf("%d runs of three batches beside %d of one", n, mine)
		}
		long := create("203.0.113.1", 10*runs)
		eventually(t, "begin of the long batch", func() bool { return done(long) > 0 })
		short := create("203.0.113.1", 20)
		a.wait(t, short.ID)
		if g, err := a.Cancel(t.Context(), long.ID, ""); err != nil || g.State != Cancelled {
			t.Errorf("the long batch ended before the short one: %+v %v", g, err)
		}
	})
}

// finalized is a quota that sends the id of each batch whose calls are finalized to ids.
type finalized struct {
	noQuota
	ids chan string
}

func (f finalized) Finalize(_ context.Context, id string, _ keys.Debit, _ keys.DebitUsage) error {
	f.ids <- id
	return nil
}

// TestLateFinalize verifies that the calls of a cancelled batch are finalized even if no process
// has coordinated batches for longer than the retention time.
func TestLateFinalize(t *testing.T) {
	e, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	first := startAPI(t, e.URL())
	first.stop()
	b := first.create(t, `{"tool":"square","vary":[{"field":"/n","from":0,"to":9,"points":10}]}`)
	r, err := first.store.get(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Cancel(t.Context(), b.ID, r.Owner); err != nil {
		t.Fatal(err)
	}
	done := finalized{ids: make(chan string, 10)}
	second := startAPI(t, e.URL(), func(o *Options) {
		o.Quota = done
		o.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	})
	eventually(t, "end of the lease", func() bool {
		ids, err := second.store.unfinished(t.Context())
		return err == nil && len(ids) == 0
	})
	if len(done.ids) != 1 || <-done.ids != b.ID {
		t.Error("the calls are not finalized")
	}
}

// failing is a Redis hook that fails one command.
type failing string

func (failing) DialHook(next redis.DialHook) redis.DialHook { return next }

func (failing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f failing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == string(f) {
			return errors.New("as asked")
		}
		return next(ctx, cmd)
	}
}

// TestAcceptedBatchIsReturned verifies that Create returns an accepted and debited batch even if
// the batch cannot be read back.
func TestAcceptedBatchIsReturned(t *testing.T) {
	e, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	a := startAPI(t, e.URL(), func(o *Options) { o.Redis.AddHook(failing("hgetall")) })
	b := a.create(t, `{"tool":"square","vary":[{"field":"/n","from":0,"to":9,"points":10}]}`)
	if b.ID == "" || b.State != Queued || b.RunsTotal != 10 || b.CreatedAt.IsZero() {
		t.Errorf("%+v", b)
	}
}
