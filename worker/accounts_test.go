package worker

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/worker/store"
)

// hookFn is a Redis hook that fails commands before they are sent.
type hookFn func(cmd redis.Cmder) error

func (h hookFn) DialHook(n redis.DialHook) redis.DialHook { return n }
func (h hookFn) ProcessHook(n redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := h(cmd); err != nil {
			cmd.SetErr(err)
			return err
		}
		return n(ctx, cmd)
	}
}
func (h hookFn) ProcessPipelineHook(n redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return n
}

// TestLargeResultNotesItsCaller verifies that a caller who joins a finished job with a large result
// sees no time before its own request.
func TestLargeResultNotesItsCaller(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	serve(t, url)
	in := body(`{"n": 200000, "times": 1}`)
	j := submit(t, c, "noise", in, SubmitOptions{Caller: "ann"})
	wantState(t, wait(t, c, j.ID, ample), Done)
	later := client(t, url, func(o *ClientOptions) { o.Now = inAMinute })
	before := time.UnixMilli(inAMinute().UnixMilli())
	submit(t, later, "noise", in, SubmitOptions{Caller: "bob"})
	got, err := later.Get(ctx, j.ID, "bob")
	if err != nil || got.FinishedAt.Before(before) {
		t.Errorf("bob, who came at %v, is shown %v, %v", before, got.FinishedAt, err)
	}
}

// TestReturnAfterLeaving verifies that a caller who left a job and submits it again sees its
// result.
func TestReturnAfterLeaving(t *testing.T) {
	for _, n := range []string{"200000", "100"} {
		url := shared.URL(t)
		ctx, c := context.Background(), client(t, url)
		in := body(`{"n": %s, "times": 1}`, n)
		j := submit(t, c, "noise", in, SubmitOptions{Caller: "ann"})
		submit(t, c, "noise", in, SubmitOptions{Caller: "bob"})
		if _, err := c.Cancel(ctx, j.ID, "ann"); err != nil {
			t.Fatal(err)
		}
		serve(t, url)
		for _, other := range []string{"bob", ""} {
			waited, err := c.Wait(ctx, j.ID, other, ample)
			if err != nil {
				t.Fatalf("Wait of %q: %v", other, err)
			}
			wantState(t, waited, Done)
		}
		got := submit(t, c, "noise", in, SubmitOptions{Caller: "ann"})
		wantState(t, got, Done)
		got, err := c.Get(ctx, j.ID, "ann")
		if err != nil || got.State != Done {
			t.Errorf("n %s: %s, %v", n, got.State, err)
		}
	}
}

// TestCancelShowsOwnTimes verifies that the last caller to cancel sees the time of its own
// submission.
func TestCancelShowsOwnTimes(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	in := body(`{"n": 1}`)
	j := submit(t, c, "echo", in, SubmitOptions{Caller: "ann"})
	later := client(t, url, func(o *ClientOptions) { o.Now = inAMinute })
	before := time.UnixMilli(inAMinute().UnixMilli())
	submit(t, later, "echo", in, SubmitOptions{Caller: "bob"})
	if _, err := c.Cancel(ctx, j.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	got, err := later.Cancel(ctx, j.ID, "bob")
	if err != nil || got.EnqueuedAt.Before(before) {
		t.Errorf("bob came at %v, shown %v %v", before, got.EnqueuedAt, err)
	}
}

// TestInputOfAnEqualJob verifies that a rejected submission keeps the input entry of an equal job
// of another caller.
func TestInputOfAnEqualJob(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	in := body(`{"n": 1, "how": "%s"}`, strings.Repeat("x", 100000))
	j := submit(t, c, "echo", in, SubmitOptions{Caller: "ann"})
	submit(t, c, "echo", body(`{"n": 9}`), SubmitOptions{Caller: "bob", MaxInFlight: 1})
	n0, _ := c.store.InputBytes(ctx)
	canonical, _ := tool(t, "echo").Canonical(in)
	o := &enqueueRequest{NewJob: store.NewJob{
		ID: j.ID, Tool: "echo", Version: j.Version, Pool: "test", Timeout: time.Second,
		Input:    canonical,
		Priority: PriorityAnonymous, Caller: "bob", Group: "bob", Share: "bob", At: time.Now(),
	}, maxInFlight: 1}
	// It is as if the equal job had been created after Admit found none.
	err := c.takeCapacity(ctx, o, nil)
	n1, _ := c.store.InputBytes(ctx)
	if n0 != n1 {
		t.Errorf("%d -> %d bytes, %v", n0, n1, err)
	}
}

// TestCapacityIsRefunded verifies that a rejected submission returns its input and its slot, also
// after its context has ended. The slot of an equal job remains.
func TestCapacityIsRefunded(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	interrupt := func() {} // called by requests for the slot of the group
	c.opt.Redis.AddHook(hookFn(func(cmd redis.Cmder) error {
		if strings.Contains(cmd.String(), store.CallerKey("group")) {
			interrupt()
		}
		return nil
	}))
	in := body(`{"n": 1, "how": "%s"}`, strings.Repeat("x", 100000))
	canonical, _ := tool(t, "echo").Canonical(in)
	request := func(id string) *enqueueRequest {
		return &enqueueRequest{NewJob: store.NewJob{
			ID: id, Tool: "echo", Pool: "test", Timeout: time.Second, Input: canonical,
			Priority: PriorityAnonymous, Caller: "share", Group: "group", Share: "share",
			At: time.Now(),
		}, maxInFlight: 10}
	}
	want := func(when string, inputs int64, shares int64) {
		t.Helper()
		bytes, err := c.store.InputBytes(ctx)
		slots := c.opt.Redis.ZCard(ctx, store.CallerKey("share")).Val()
		if err != nil || bytes != inputs || slots != shares {
			t.Errorf("%s: %d bytes of inputs and %d slots, want %d and %d (%v)", when, bytes, slots,
				inputs, shares, err)
		}
	}
	c.opt.MaxInFlightPerCaller = 1
	if err := c.takeCapacity(ctx, request("first"), nil); err != nil {
		t.Fatal(err)
	}
	size := int64(len(canonical))
	want("first job", size, 1)
	var busy *BusyError
	if err := c.takeCapacity(ctx, request("second"), nil); !errors.As(err, &busy) {
		t.Errorf("second job of a group with one slot: %v", err)
	}
	want("second job", size, 1)
	for _, id := range []string{"third", "first"} {
		ctx, cancel := context.WithCancel(ctx)
		interrupt = cancel
		if err := c.takeCapacity(ctx, request(id), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("job %s: %v", id, err)
		}
	}
	want("interrupted jobs", size, 1)
}

// TestUnregisteredQueue verifies that a job has one permit if its queue cannot be registered.
func TestUnregisteredQueue(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{})
	var failed atomic.Bool
	c.opt.Redis.AddHook(hookFn(func(cmd redis.Cmder) error {
		if cmd.Name() == "sadd" {
			failed.Store(true)
			return errors.New("connection reset")
		}
		return nil
	}))
	submit(t, c, "echo", body(`{"n": 2}`), SubmitOptions{})
	permits := store.PermitsKey(store.QueueName("test", PriorityAnonymous))
	if n := c.opt.Redis.LLen(ctx, permits).Val(); n != 2 || !failed.Load() {
		t.Errorf("%d permits for 2 jobs; the registration failed: %t", n, failed.Load())
	}
}

// TestSlotsAreRefundedAfterAnError verifies that a refund that fails once is repeated.
func TestSlotsAreRefundedAfterAnError(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	var refunds atomic.Int64
	serve(t, url, func(o *ServerOptions) {
		o.Redis.AddHook(hookFn(func(cmd redis.Cmder) error {
			refund := cmd.Name() == "zrem" && len(cmd.Args()) > 1 &&
				strings.HasPrefix(cmd.Args()[1].(string), "slipstick:caller:")
			if refund && refunds.Add(1) == 1 {
				return errors.New("connection reset")
			}
			return nil
		}))
	})
	j := submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Caller: "ann", Group: "g",
		MaxInFlight: 1})
	wantState(t, wait(t, c, j.ID, ample), Done)
	for _, caller := range []string{"ann", "g"} {
		eventually(t, ample, "no slot of "+caller, func() bool {
			return c.opt.Redis.ZCard(ctx, store.CallerKey(caller)).Val() == 0
		})
	}
	// The first refund fails, one of the other caller succeeds, and the first is repeated.
	if n := refunds.Load(); n < 3 {
		t.Errorf("%d refunds, want at least 3", n)
	}
}

// TestStaleRunKeepsTheAccount verifies that a late report of a stale run does not change the
// account entry of the stored result.
func TestStaleRunKeepsTheAccount(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	rdb := dial(t, url)
	s, err := NewServer(ServerOptions{Redis: rdb, Catalog: testCatalog()})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, url)
	j := submit(t, c, "noise", body(`{"n": 200000, "times": 1}`), SubmitOptions{Caller: "ann"})
	wantState(t, wait(t, c, j.ID, ample), Done)
	before, _ := c.store.ResultTotals(ctx)
	r := &store.Run{ID: j.ID, Task: j.ID, Caller: "ann", Tool: "noise"}
	record, _, err := s.store.PackResult(j, Failed, Outcome{Failure: "x"})
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.store.StoreResult(ctx, r, record, 0)
	after, _ := c.store.ResultTotals(ctx)
	if before.Bytes != after.Bytes {
		t.Errorf("account %d -> %d, stored %d %v; in redis %d", before.Bytes, after.Bytes, n, err,
			inRedis(t, rdb))
	}
}

// TestStaleRunKeepsTheInput verifies that a failure of a stale run leaves the input of the queued
// job in the account.
func TestStaleRunKeepsTheInput(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	s, err := NewServer(ServerOptions{Redis: dial(t, url), Catalog: testCatalog()})
	if err != nil {
		t.Fatal(err)
	}
	j := submit(t, c, "echo", body(`{"n": 1, "how": "%s"}`, strings.Repeat("x", 100000)),
		SubmitOptions{Caller: "ann"})
	stale := &store.Run{ID: j.ID, Task: j.ID + ".stale", Caller: "ann", Tool: "echo",
		Enqueued: time.UnixMilli(1)}
	r := &run{Run: stale, stopEarly: make(chan struct{})}
	s.finish(r, Failed, Outcome{Failure: "x"})
	if n, _ := c.store.InputBytes(ctx); n == 0 {
		t.Error("the input of a queued job is off the account")
	}
}

// TestLocalCallAfterCancel verifies that a request to a Local after a cancellation starts a new
// job.
func TestLocalCallAfterCancel(t *testing.T) {
	l, tool, _, _ := newLocal(t, LocalOptions{})
	job := submitLocal(t, l, tool, `{"name":"a","wait":true}`)
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = l.Wait(ctx, job.ID, "", time.Minute) // the last waiter leaves
		again := submitLocal(t, l, tool, `{"name":"a","wait":true}`)
		got, err := l.Wait(t.Context(), again.ID, "", 3*time.Millisecond)
		if err != nil || got.State == Cancelled {
			t.Fatalf("a new call is given %s, %v", got.State, err)
		}
		if _, err := l.Cancel(t.Context(), job.ID, ""); err != nil {
			t.Fatal(err)
		}
		job = submitLocal(t, l, tool, `{"name":"a","wait":true}`)
	}
}

// TestLocalJoinWhileLeaving verifies that a request which joins a job of a Local is not cancelled
// when the earlier requests leave. They leave before it waits, or at the same time.
func TestLocalJoinWhileLeaving(t *testing.T) {
	l, tool, _, _ := newLocal(t, LocalOptions{})
	left, leave := context.WithCancel(t.Context())
	leave()
	first := submitLocal(t, l, tool, `{"name":"a","wait":true}`)
	second := submitLocal(t, l, tool, `{"name":"a","wait":true}`)
	if _, err := l.Wait(left, first.ID, "", time.Minute); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got, err := l.Wait(t.Context(), second.ID, "", time.Millisecond); err != nil ||
		got.State.Finished() {
		t.Errorf("the other request is given %s, %v", got.State, err)
	}
	for range 300 {
		if _, err := l.Cancel(t.Context(), first.ID, ""); err != nil {
			t.Fatal(err)
		}
		submitLocal(t, l, tool, `{"name":"a","wait":true}`)
		var leaving sync.WaitGroup
		leaving.Go(func() { _, _ = l.Wait(left, first.ID, "", time.Minute) })
		again := submitLocal(t, l, tool, `{"name":"a","wait":true}`)
		got, err := l.Wait(t.Context(), again.ID, "", time.Millisecond)
		if leaving.Wait(); err != nil || got.State.Finished() {
			t.Fatalf("a request at the same time is given %s, %v", got.State, err)
		}
	}
}

// TestFetchStaysCounted verifies that the bytes of a fetch remain counted after the context of its
// reader has ended.
func TestFetchStaysCounted(t *testing.T) {
	url := shared.URL(t)
	ctx := context.Background()
	block := make(chan struct{})
	var on atomic.Bool
	entered := make(chan struct{}, 10)
	c := client(t, url, func(o *ClientOptions) {
		o.Redis.AddHook(hookFn(func(cmd redis.Cmder) error {
			if on.Load() && cmd.Name() == "getrange" {
				entered <- struct{}{}
				<-block
			}
			return nil
		}))
	})
	serve(t, url)
	j := submit(t, c, "noise", body(`{"n": 200000, "times": 1}`), SubmitOptions{Caller: "ann"})
	j = wait(t, c, j.ID, ample)
	on.Store(true)
	cctx, cancel := context.WithCancel(ctx)
	go func() { <-entered; cancel() }()
	_, err := j.Outcome.Large.Open(cctx, "x")
	if h := c.opt.Reads.Held(); h == 0 {
		t.Errorf("held %d while the result is being fetched (%v)", h, err)
	}
	close(block)
	eventually(t, ample, "nothing held", func() bool { return c.opt.Reads.Held() == 0 })
}

// TestRefusedPermit verifies that the queue has as many permits as jobs after the addition of a
// permit has failed.
func TestRefusedPermit(t *testing.T) {
	url := shared.URL(t)
	ctx := context.Background()
	a := client(t, url)
	var fail atomic.Bool
	b := client(t, url, func(o *ClientOptions) {
		o.Redis.AddHook(hookFn(func(cmd redis.Cmder) error {
			if fail.Load() && strings.HasPrefix(cmd.Name(), "evalsha") {
				for _, a := range cmd.Args() {
					if s, ok := a.(string); ok && strings.HasPrefix(s, "asynq:{") {
						return errors.New("OOM command not allowed when used memory > 'maxmemory'")
					}
				}
			}
			return nil
		}))
	})
	submit(t, a, "echo", body(`{"n": 1}`), SubmitOptions{Caller: "ann"})
	fail.Store(true)
	if _, err := b.Submit(ctx, tool(t, "echo"), body(`{"n": 2}`),
		SubmitOptions{Caller: "bob"}); err == nil {
		t.Fatal("taken")
	}
	q := store.QueueName("test", PriorityAnonymous)
	permits, jobs := a.opt.Redis.LLen(ctx, store.PermitsKey(q)).Val(),
		a.opt.Redis.ZCard(ctx, store.PendingKey(q)).Val()
	if permits != jobs {
		t.Errorf("%d permits, %d jobs", permits, jobs)
	}
}

// TestWarningsOfAnEarlierRequest verifies that a request without warnings removes the warnings
// about an earlier equal request.
func TestWarningsOfAnEarlierRequest(t *testing.T) {
	url := shared.URL(t)
	ctx, c := context.Background(), client(t, url)
	j := submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Caller: "ann"})
	for _, warnings := range [][]string{{"unknown field"}, nil} {
		if err := c.KeepWarnings(ctx, j.ID, "ann", warnings); err != nil {
			t.Fatal(err)
		}
	}
	if w, err := c.Warnings(ctx, j.ID, "ann"); err != nil || len(w) > 0 {
		t.Errorf("%v, %v", w, err)
	}
}
