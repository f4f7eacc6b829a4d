package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/tools"
	"slipstick/worker/internal/workertest"
	"slipstick/worker/store"
)

const ample = 20 * time.Second

func TestEqualJobsRunOnce(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		a, b, trace := client(t, url), client(t, url), traceFile(t)
		var wg sync.WaitGroup
		for k := range 50 {
			c := []*Client{a, b}[k%2]
			input := body(`{"n": 7, "ms": 200, "trace": %q}`, trace)
			if k%3 == 0 { // an equal input in another form
				input = body(`{"trace": %q, "ms": 2e2, "n": 7.0}`, trace)
			}
			wg.Go(func() {
				j := submit(t, c, "sleep", input, SubmitOptions{})
				wantState(t, wait(t, c, j.ID, ample), Done)
			})
		}
		wg.Wait()
		if n := traced(trace); n != 1 {
			t.Errorf("50 equal submissions ran %d times", n)
		}
		j := submit(t, a, "sleep", body(`{"n": 7, "ms": 200, "trace": %q}`, trace), SubmitOptions{})
		wantState(t, j, Done)
		if string(j.Outcome.Result) != `{"n":7,"text":"","warnings":[]}` {
			t.Errorf("result %s", j.Outcome.Result)
		}
	})
}

func TestDifferentJobsRunSideBySide(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		serve(t, url)
		c := client(t, url)
		begun := time.Now()
		var wg sync.WaitGroup
		for k := range 8 {
			wg.Go(func() {
				j := submit(t, c, "sleep", body(`{"n": %d, "ms": 500}`, k),
					SubmitOptions{Priority: []Priority{PriorityPaid, PriorityFree}[k%2]})
				j = wait(t, c, j.ID, ample)
				wantState(t, j, Done)
				var o workertest.Output
				if err := json.Unmarshal(j.Outcome.Result, &o); err != nil || o.N != k {
					t.Errorf("job %d got %s", k, j.Outcome.Result)
				}
			})
		}
		wg.Wait()
		// The runs take 4 s on one slot, and 1 s on four.
		if d := time.Since(begun); d > 3500*time.Millisecond {
			t.Errorf("8 jobs of 0.5 s on 4 slots took %v", d)
		}
	})
}

func TestRejected(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "refuse", body(`{"trace": %q}`, trace), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Rejected)
		if len(j.Outcome.FieldErrors) != 1 || j.Outcome.FieldErrors[0].Path != "n" ||
			j.Outcome.Result != nil || j.Outcome.Failure != "" {
			t.Errorf("outcome %+v", j.Outcome)
		}
		if n := traced(trace); n != 1 {
			t.Errorf("a rejected input ran %d times", n)
		}
		_, err := c.Submit(context.Background(), tool(t, "echo"), []byte(`{"n": "x"}`),
			SubmitOptions{})
		if tools.AsInputError(err) == nil {
			t.Errorf("Submit of a wrong input: %v", err)
		}
	})
}

func TestDefectIsNotTold(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c := client(t, url)
		j := submit(t, c, "defect", body(`{}`), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Failed)
		if strings.Contains(j.Outcome.Failure, "secret") || j.Outcome.Failure == "" {
			t.Errorf("failure %q", j.Outcome.Failure)
		}
	})
}

func TestBoundedWaitKeepsTheJob(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c := client(t, url)
		j := submit(t, c, "sleep", body(`{"ms": 1000}`), SubmitOptions{})
		j = wait(t, c, j.ID, 100*time.Millisecond)
		if j.State.Finished() {
			t.Fatalf("finished too early: %+v", j)
		}
		// The departure of a later waiter does not cancel a detached job.
		ctx, leave := context.WithCancel(context.Background())
		leave()
		if _, err := c.Wait(ctx, j.ID, "", ample); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait with an ended context: %v", err)
		}
		other := client(t, url)
		wantState(t, wait(t, other, j.ID, ample), Done)
	})
}

func TestLastWaiterCancels(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		a, b := client(t, url), client(t, url)
		input := body(`{"ms": 30000}`)
		j := submit(t, a, "sleep", input, SubmitOptions{})
		submit(t, b, "sleep", input, SubmitOptions{})
		inState(t, a, j.ID, Running)
		ctxA, leaveA := context.WithCancel(context.Background())
		ctxB, leaveB := context.WithCancel(context.Background())
		left := make(chan error, 2)
		go func() { _, err := a.Wait(ctxA, j.ID, "", ample); left <- err }()
		go func() { _, err := b.Wait(ctxB, j.ID, "", ample); left <- err }()
		leaveA()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if got, err := a.Get(context.Background(), j.ID, ""); err != nil || got.State != Running {
			t.Fatalf("after the first left: %+v, %v", got, err)
		}
		leaveB()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		got, err := a.Get(context.Background(), j.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, Cancelled)
		slotsFree(t, a)

		// An equal request starts a new run after a cancellation.
		j = submit(t, a, "sleep", input, SubmitOptions{Detached: true})
		inState(t, a, j.ID, Running)
		ctx, leave := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer leave()
		if _, err := a.Wait(ctx, j.ID, "", ample); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if got, err := a.Get(context.Background(), j.ID, ""); err != nil || got.State != Running {
			t.Fatalf("a kept job after its waiter left: %+v, %v", got, err)
		}
		got, err = b.Cancel(context.Background(), j.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, Cancelled)
	})
}

// slotsFree checks that the worker's two slots are free.
func slotsFree(t *testing.T, c *Client) {
	t.Helper()
	var wg sync.WaitGroup
	for k := range 2 {
		wg.Go(func() {
			j := submit(t, c, "sleep", body(`{"n": %d, "ms": 101}`, k+100),
				SubmitOptions{Priority: PriorityPaid})
			wantState(t, wait(t, c, j.ID, ample), Done)
		})
	}
	wg.Wait()
}

func TestCancelPending(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "echo", body(`{"trace": %q}`, trace), SubmitOptions{Caller: "ann"})
		got, err := c.Cancel(context.Background(), j.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, Cancelled)
		wantState(t, wait(t, c, j.ID, ample), Cancelled)
		if st, err := c.Pool(context.Background(), "test"); err != nil ||
			st.Waiting[PriorityAnonymous] != 0 {
			t.Errorf("the queue still has the task: %+v, %v", st, err)
		}
		serve(t, url)
		slotsFree(t, c)
		if n := traced(trace); n != 0 {
			t.Errorf("a cancelled job ran")
		}
		again, err := c.Cancel(context.Background(), j.ID, "")
		if err != nil || again.State != Cancelled {
			t.Errorf("cancelling twice: %+v, %v", again, err)
		}
		if _, err := c.Cancel(context.Background(), "unknown", ""); !errors.Is(err,
			ErrJobNotFound) {
			t.Errorf("cancelling an unknown job: %v", err)
		}
		if n, err := c.opt.Redis.Exists(context.Background(),
			store.CallerKey("ann")).Result(); err != nil || n != 0 {
			t.Errorf("the caller is still charged: %d, %v", n, err)
		}
	})
}

func TestEndlessLoopIsKilled(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, func(o *ServerOptions) { o.Concurrency = 1 })
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "spin", body(`{"trace": %q}`, trace), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Failed)
		if !strings.Contains(j.Outcome.Failure, "longer than 700 ms") {
			t.Errorf("failure %q", j.Outcome.Failure)
		}
		if n := traced(trace); n != 1 {
			t.Errorf("a job out of time ran %d times", n)
		}
		slotsFree(t, c)

		j = submit(t, c, "spin", body(`{"n": 2, "trace": %q}`, trace), SubmitOptions{})
		eventually(t, ample, "the loop to begin", func() bool { return traced(trace) == 2 })
		if got, err := c.Cancel(context.Background(), j.ID, ""); err != nil ||
			got.State != Cancelled {
			t.Fatalf("cancelling an endless loop: %+v, %v", got, err)
		}
		slotsFree(t, c)
	})
}

func TestTimeoutOfAnObedientTool(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c := client(t, url)
		j := submit(t, c, "tired", body(`{}`), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Failed)
		if !strings.Contains(j.Outcome.Failure, "longer than 300 ms") || j.Outcome.ComputeMS < 300 {
			t.Errorf("outcome %+v", j.Outcome)
		}
	})
}

func TestCrashes(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, func(o *ServerOptions) {
			if !raceEnabled {
				o.ChildMemory = 1 << 30
			}
		})
		c := client(t, url)
		for _, how := range []string{"exit", "panic", "memory"} {
			t.Run(how, func(t *testing.T) {
				if how == "memory" && raceEnabled {
					t.Skip("the race detector needs more address space than a limit leaves")
				}
				trace := traceFile(t)
				j := submit(t, c, "crash", body(`{"how": %q, "trace": %q}`, how, trace),
					SubmitOptions{})
				j = wait(t, c, j.ID, 60*time.Second)
				wantState(t, j, Failed)
				if n := traced(trace); n != 3 || !strings.Contains(j.Outcome.Failure, "crashed") {
					t.Errorf("%d runs, failure %q", n, j.Outcome.Failure)
				}
				slotsFree(t, c)
			})
		}
		trace := traceFile(t)
		j := submit(t, c, "crash", body(`{"n": 5, "how": "exit", "times": 2, "trace": %q}`, trace),
			SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Done)
		if n := traced(trace); n != 3 {
			t.Errorf("two crashes and a success make 3 runs, not %d", n)
		}
	})
}

func TestInProcess(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, func(o *ServerOptions) { o.Child = nil })
		c, trace := client(t, url), traceFile(t)
		for _, x := range []struct {
			tool, body string
			want       State
		}{
			{"noop", `{"n": 1}`, Done}, {"refuse", `{}`, Rejected}, {"tired", `{}`, Failed},
			{"defect", `{}`, Failed},
			{"crash", string(body(`{"how": "panic", "trace": %q}`, trace)), Failed},
		} {
			j := submit(t, c, x.tool, []byte(x.body), SubmitOptions{})
			wantState(t, wait(t, c, j.ID, ample), x.want)
		}
		if n := traced(trace); n != 3 {
			t.Errorf("a panic ran %d times", n)
		}
	})
}

func TestProgress(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c := client(t, url)
		j := submit(t, c, "steps", body(`{"n": 100, "ms": 10}`), SubmitOptions{Detached: true})
		var seen []tools.Progress
		err := c.Watch(context.Background(), j.ID, func(j Job) {
			if j.State == Running && j.Progress.Phase != "" {
				seen = append(seen, j.Progress)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) < 2 || len(seen) > 15 {
			t.Errorf("%d reports in a second of 100 steps, want a few, at least 100 ms apart",
				len(seen))
		}
		for k := 1; k < len(seen); k++ {
			if seen[k].Percent <= seen[k-1].Percent {
				t.Errorf("progress went from %v to %v", seen[k-1], seen[k])
			}
		}
		wantState(t, wait(t, c, j.ID, ample), Done)
		if err := c.Watch(context.Background(), j.ID, func(Job) {}); err != nil {
			t.Errorf("watching a finished job: %v", err)
		}
		if err := c.Watch(context.Background(), "unknown", func(Job) {}); !errors.Is(err,
			ErrJobNotFound) {
			t.Errorf("watching an unknown job: %v", err)
		}
	})
}

func TestBigResults(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, func(o *ServerOptions) { o.MaxResultBytes = 3 << 20 })
		c := client(t, url)
		j := submit(t, c, "big", body(`{"n": 2000000}`), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Done)
		if raw := read(t, j); !json.Valid(raw) || len(raw) < 2000000 {
			t.Errorf("%d bytes arrived", len(raw))
		}
		if n, err := c.opt.Redis.StrLen(context.Background(),
			store.ResultKey(j.ID)).Result(); err != nil || n > 100_000 {
			t.Errorf("stored in %d bytes, %v", n, err)
		}
		j = submit(t, c, "big", body(`{"n": 4000000}`), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Rejected)
		if len(j.Outcome.FieldErrors) != 1 ||
			!strings.Contains(j.Outcome.FieldErrors[0].Detail, "MB") {
			t.Errorf("faults %v", j.Outcome.FieldErrors)
		}
	})
}

func TestBackpressure(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url, func(o *ClientOptions) {
			o.MaxQueueLength, o.MaxInFlightPerCaller = 5, 2
		})
		var busy *BusyError
		for k := range 2 {
			submit(t, c, "echo", body(`{"n": %d}`, k), SubmitOptions{Caller: "ann"})
		}
		submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Caller: "ann"}) // joins
		_, err := c.Submit(context.Background(), tool(t, "echo"), body(`{"n": 2}`),
			SubmitOptions{Caller: "ann"})
		if !errors.As(err, &busy) || !busy.OfCaller ||
			!strings.Contains(busy.Reason, "2 unfinished") {
			t.Fatalf("a third job of one caller: %v", err)
		}
		for k := range 3 {
			submit(t, c, "echo", body(`{"n": %d}`, 10+k),
				SubmitOptions{Caller: "bob" + string(rune('0'+k))})
		}
		_, err = c.Submit(context.Background(), tool(t, "echo"), body(`{"n": 20}`), SubmitOptions{})
		if !errors.As(err, &busy) || busy.OfCaller || busy.RetryAfter < time.Second {
			t.Fatalf("a full queue: %v", err)
		}
		// Each priority has its own queue.
		submit(t, c, "echo", body(`{"n": 20}`), SubmitOptions{Priority: PriorityPaid})
		serve(t, url)
		for k := range 2 {
			j := submit(t, c, "echo", body(`{"n": %d}`, k), SubmitOptions{})
			wantState(t, wait(t, c, j.ID, ample), Done)
		}
		eventually(t, ample, "the caller to have room again", func() bool {
			_, err := c.Submit(context.Background(), tool(t, "echo"), body(`{"n": 30}`),
				SubmitOptions{Caller: "ann"})
			return err == nil
		})
		eventually(t, ample, "the worker to make itself known", func() bool {
			st, err := c.Pool(context.Background(), "test")
			return err == nil && st.Slots == 2 && st.Average > 0
		})
	})
}

// TestCallers verifies that a job is cancelled when its last caller leaves, and not before. It also
// verifies that callers beyond MaxCallers cannot cancel the job.
func TestCallers(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx, c := context.Background(), client(t, url)
		input := body(`{"n": 1}`)
		leaves := func(id, caller string, want State, wantErr error) {
			t.Helper()
			got, err := c.Cancel(ctx, id, caller)
			if !errors.Is(err, wantErr) || got.State != want {
				t.Errorf("%s leaves: %s, %v", caller, got.State, err)
			}
		}
		stands := func(id, caller string, want State) {
			t.Helper()
			if got, err := c.Get(ctx, id, caller); err != nil || got.State != want {
				t.Errorf("the job for %q: %s, %v", caller, got.State, err)
			}
		}
		j := submit(t, c, "echo", input, SubmitOptions{Caller: "ann"})
		for _, caller := range []string{"bob", "ann", "", "bob", "an"} {
			submit(t, c, "echo", input, SubmitOptions{Caller: caller})
		}
		leaves(j.ID, "eve", "", ErrNotCaller)
		leaves(j.ID, "n", "", ErrNotCaller)
		leaves(j.ID, "ann", Cancelled, nil)
		leaves(j.ID, "ann", Cancelled, nil)
		if got, err := c.Get(ctx, j.ID, "ann"); err != nil || !got.EnqueuedAt.Equal(j.EnqueuedAt) ||
			got.FinishedAt.Before(j.EnqueuedAt) {
			t.Errorf("the job that ann submitted and left: %+v, %v", got, err)
		}
		stands(j.ID, "ann", Cancelled)
		stands(j.ID, "bob", Queued)
		stands(j.ID, "", Queued)
		submit(t, c, "echo", input, SubmitOptions{Caller: "ann"}) // the caller submits it again
		stands(j.ID, "ann", Queued)
		for _, caller := range []string{"ann", "bob", "an"} {
			stands(j.ID, caller, Queued)
			leaves(j.ID, caller, Cancelled, nil)
		}
		stands(j.ID, "", Cancelled)

		input = body(`{"n": 2}`)
		j = submit(t, c, "echo", input, SubmitOptions{Caller: "first", Detached: true})
		for i := range 2 * store.MaxCallers {
			submit(t, c, "echo", input, SubmitOptions{Caller: fmt.Sprint("caller ", i)})
		}
		if n := c.opt.Redis.HLen(ctx, store.CallersKey(j.ID)).Val(); n != store.MaxCallers+1 {
			t.Errorf("%d callers are kept", n)
		}
		// The job does not record this caller.
		leaves(j.ID, fmt.Sprint("caller ", 2*store.MaxCallers-1), Cancelled, nil)
		leaves(j.ID, "first", Cancelled, nil)
		for i := range 2 * store.MaxCallers {
			leaves(j.ID, fmt.Sprint("caller ", i), Cancelled, nil)
		}
		stands(j.ID, "", Queued)

		submit(t, c, "echo", body(`{"n": 3}`), SubmitOptions{Caller: "page", MaxInFlight: 1})
		var busy *BusyError
		if _, err := c.Submit(ctx, tool(t, "echo"), body(`{"n": 4}`),
			SubmitOptions{Caller: "page", MaxInFlight: 1}); !errors.As(err, &busy) {
			t.Errorf("a second job at once: %v", err)
		}
	})
}

// TestLeavingEndsTheCallersOwnWaits verifies that all processes end the waits of a caller who
// leaves a job, and that the waits of other callers continue.
func TestLeavingEndsTheCallersOwnWaits(t *testing.T) {
	forEachOwnRedis(t, func(t *testing.T, url string) {
		a, b := client(t, url), client(t, url)
		eventually(t, ample, "both clients to have subscribed", func() bool {
			counts := a.opt.Redis.PubSubNumSub(context.Background(), string(store.EventLeft)).Val()
			return counts[string(store.EventLeft)] >= 2
		})
		input := body(`{"n": 5}`)
		j := submit(t, a, "echo", input, SubmitOptions{Caller: "ann"})
		submit(t, b, "echo", input, SubmitOptions{Caller: "bob"})
		ended := make(chan Job, 2)
		for _, c := range []*Client{a, b} { // b has not submitted the job for ann
			go func() { ended <- waitAs(t, c, j.ID, "ann", ample) }()
			eventually(t, ample, "the wait to begin", func() bool {
				c.waiters.mu.Lock()
				defer c.waiters.mu.Unlock()
				for w := range c.waiters.waiting[j.ID] {
					if w.caller == "ann" && w.abandon.IsZero() && w.job.State != "" {
						return true
					}
				}
				return false
			})
		}
		if _, err := b.Cancel(context.Background(), j.ID, "ann"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			wantState(t, <-ended, Cancelled)
		}
		for _, c := range []*Client{a, b} {
			wantState(t, waitAs(t, c, j.ID, "ann", ample), Cancelled)
		}
		go func() { ended <- waitAs(t, b, j.ID, "bob", ample) }()
		serve(t, url)
		wantState(t, <-ended, Done)
	})
}

// TestTimesAreTheCallersOwn verifies that the times for a caller do not reveal an earlier run by
// another caller.
func TestTimesAreTheCallersOwn(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx, c := context.Background(), client(t, url)
		stop := serve(t, url)
		input := body(`{"n": 6, "ms": 100}`)
		j := submit(t, c, "sleep", input, SubmitOptions{Caller: "ann"})
		first := wait(t, c, j.ID, ample)
		wantState(t, first, Done)
		stop()
		other := client(t, url, func(o *ClientOptions) { o.Now = inAMinute }) // its cache is empty
		before := time.UnixMilli(inAMinute().UnixMilli())
		submit(t, other, "sleep", input, SubmitOptions{Caller: "bob"})
		got, err := other.Get(ctx, j.ID, "bob")
		if err != nil || got.EnqueuedAt.Before(before) || got.FinishedAt.Before(before) {
			t.Errorf("bob, who came at %v, is shown %+v, %v", before, got, err)
		}
		got, err = other.Get(ctx, j.ID, "ann")
		if err != nil || !got.FinishedAt.Equal(first.FinishedAt) {
			t.Errorf("ann is shown %+v, %v", got, err)
		}
		input = body(`{"n": 7}`) // still queued
		j = submit(t, c, "echo", input, SubmitOptions{Caller: "ann"})
		before = time.UnixMilli(inAMinute().UnixMilli())
		joined := submit(t, other, "echo", input, SubmitOptions{Caller: "bob"})
		if got, err = other.Get(ctx, j.ID, "bob"); err != nil || got.EnqueuedAt.Before(before) ||
			joined.EnqueuedAt.Before(before) {
			t.Errorf("bob, who joined at %v, is shown %v and %v, %v", before, joined.EnqueuedAt,
				got.EnqueuedAt, err)
		}
	})
}

func TestPayingCallerMovesAJob(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "echo", body(`{"trace": %q}`, trace),
			SubmitOptions{Priority: PriorityFree})
		submit(t, c, "echo", body(`{"trace": %q}`, trace), SubmitOptions{Priority: PriorityPaid})
		st, err := c.Pool(context.Background(), "test")
		if err != nil || st.Waiting[PriorityPaid] != 1 || st.Waiting[PriorityFree] != 0 {
			t.Errorf("waiting %v, %v", st.Waiting, err)
		}
		serve(t, url)
		wantState(t, wait(t, c, j.ID, ample), Done)
		if n := traced(trace); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

func TestResultsExpire(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, func(o *ServerOptions) { o.ResultTTL = 400 * time.Millisecond })
		c, trace := client(t, url), traceFile(t)
		input := body(`{"trace": %q}`, trace)
		j := submit(t, c, "echo", input, SubmitOptions{})
		first := wait(t, c, j.ID, ample)
		wantState(t, first, Done)
		// The embedded Redis may expire a result a tick before the client's cache does.
		eventually(t, 5*time.Second, "the result to go", func() bool {
			_, err := c.Get(context.Background(), j.ID, "")
			return errors.Is(err, ErrJobNotFound) && time.Now().After(first.ExpiresAt)
		})
		if _, err := c.Wait(context.Background(), j.ID, "", time.Second); !errors.Is(err,
			ErrJobNotFound) {
			t.Errorf("Wait for what has gone: %v", err)
		}
		j = submit(t, c, "echo", input, SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Done)
		if n := traced(trace); n != 2 {
			t.Errorf("ran %d times", n)
		}
		eventually(t, 5*time.Second, "nothing of ours to be left", func() bool {
			keys, err := c.opt.Redis.Keys(context.Background(), "slipstick:*{"+j.ID+"}*").Result()
			return err == nil && len(keys) == 0
		})
	})
}

func TestQueuePatience(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url, func(o *ClientOptions) { o.QueueTimeout = 300 * time.Millisecond })
		j := submit(t, c, "echo", body(`{}`), SubmitOptions{})
		j = wait(t, c, j.ID, ample)
		wantState(t, j, Failed)
		if !strings.Contains(j.Outcome.Failure, "waited 300 ms") {
			t.Errorf("failure %q", j.Outcome.Failure)
		}
	})
}

func TestFailedDoesNotBlock(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c, trace := client(t, url), traceFile(t)
		input := body(`{"how": "exit", "times": 3, "trace": %q}`, trace)
		j := submit(t, c, "crash", input, SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Failed)
		j = submit(t, c, "crash", input, SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Done)
	})
}
