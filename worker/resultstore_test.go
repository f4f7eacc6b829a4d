package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
	"slipstick/worker/store"
)

// read returns the whole result of a finished job.
func read(t testing.TB, j Job) json.RawMessage {
	t.Helper()
	raw, release, err := j.Outcome.Read(context.Background(), "")
	if err != nil {
		t.Fatalf("reading a result: %v", err)
	}
	release()
	return raw
}

// smallBudget sets budgets for eight records of 100 kB, at most two of one caller.
func smallBudget(o *ServerOptions) {
	o.Budgets = Budgets{Results: 900_000, ResultsPerCaller: 225_000}
}

// stored submits a job for a caller and returns it when it is done. The job's record is about
// 100 kB in size.
func stored(t testing.TB, c *Client, caller string, seed int) Job {
	t.Helper()
	j := wait(t, c, submit(t, c, "noise", body(`{"n": 200000, "times": %d}`, seed),
		SubmitOptions{Caller: caller}).ID, ample)
	wantState(t, j, Done)
	if raw := read(t, j); len(raw) < 200000 {
		t.Fatalf("%d bytes", len(raw))
	}
	return j
}

// inRedis returns the total size of the stored results in bytes.
func inRedis(t testing.TB, rdb redis.UniversalClient) (bytes int64) {
	t.Helper()
	ids, err := rdb.Keys(context.Background(), "slipstick:result:*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range ids {
		n, err := rdb.StrLen(context.Background(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
	}
	return bytes
}

func dropped(t testing.TB, c *Client, id string, want DropReason) {
	t.Helper()
	_, err := c.Get(context.Background(), id, "")
	var e *DroppedError
	if !errors.As(err, &e) || e.Reason != want || !errors.Is(err, ErrJobNotFound) {
		t.Errorf("a result that was to be dropped (%s): %v", want, err)
	}
}

// TestResultBudget verifies that the budget evicts the oldest results, and that the account is
// exact.
func TestResultBudget(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, smallBudget)
		c := client(t, url)
		var jobs []Job
		for i := range 12 {
			jobs = append(jobs, stored(t, c, fmt.Sprint("caller ", i), i))
		}
		if bytes := inRedis(t, c.opt.Redis); bytes > 900_000 || bytes < 600_000 {
			t.Errorf("%d bytes are stored", bytes)
		}
		dropped(t, c, jobs[0].ID, DroppedForRoom)
		dropped(t, c, jobs[3].ID, DroppedForRoom)
		for _, j := range jobs[6:] {
			got, err := c.Get(context.Background(), j.ID, "")
			if err != nil {
				t.Fatalf("one of the latest results: %v", err)
			}
			if raw := read(t, got); !json.Valid(raw) {
				t.Error("not JSON")
			}
		}
		st, err := c.store.ResultTotals(context.Background())
		if bytes := inRedis(t, c.opt.Redis); err != nil || st.Bytes < bytes ||
			st.Bytes > bytes+st.Results*store.EntryOverhead {
			t.Errorf("the account has %+v, Redis has %d bytes: %v", st, bytes, err)
		}
		// After the eviction, an identical request starts a new run.
		if j := stored(t, c, "caller 0", 0); j.FinishedAt.Equal(jobs[0].FinishedAt) {
			t.Error("a dropped result is returned")
		}
	})
}

// TestCallerBudget verifies that a caller's results evict only results of the same caller.
func TestCallerBudget(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, smallBudget)
		c := client(t, url)
		other := stored(t, c, "bob", 100)
		var jobs []Job
		for i := range 6 {
			jobs = append(jobs, stored(t, c, "ann", i))
		}
		for _, j := range jobs[:4] {
			dropped(t, c, j.ID, DroppedForCaller)
		}
		for _, j := range append(jobs[4:], other) {
			if _, err := c.Get(context.Background(), j.ID, ""); err != nil {
				t.Errorf("%v", err)
			}
		}
	})
}

// TestResultOverCallerBudget verifies that a waiter can read a result that exceeds the budget of
// its caller, and that the result expires soon after the delivery.
func TestResultOverCallerBudget(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, smallBudget)
		c := client(t, url)
		j := wait(t, c, submit(t, c, "noise", body(`{"n": 1000000}`),
			SubmitOptions{Caller: "ann"}).ID, ample)
		wantState(t, j, Done)
		left := func() time.Duration {
			return c.opt.Redis.PTTL(context.Background(), store.ResultKey(j.ID)).Val()
		}
		if left() < time.Minute {
			t.Errorf("it goes in %v before it was delivered", left())
		}
		if raw := read(t, j); len(raw) < 1000000 {
			t.Errorf("%d bytes", len(raw))
		}
		eventually(t, ample, "the delivery to be noted", func() bool {
			return left() <= 30*time.Second
		})
		stored(t, c, "bob", 1)
		stored(t, c, "carl", 2)
		stored(t, c, "dora", 3)
		stored(t, c, "emil", 4)
		dropped(t, c, j.ID, DroppedForRoom) // it is evicted before younger results
	})
}

// TestResultOverWholeBudget verifies that a result above the total budget is rejected, with the
// limit in the message.
func TestResultOverWholeBudget(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, smallBudget)
		c := client(t, url)
		j := wait(t, c, submit(t, c, "noise", body(`{"n": 2000000}`),
			SubmitOptions{Caller: "ann"}).ID, ample)
		wantState(t, j, Rejected)
		if len(j.Outcome.FieldErrors) != 1 ||
			!strings.Contains(j.Outcome.FieldErrors[0].Detail, "0.9 MB") {
			t.Errorf("%+v", j.Outcome.FieldErrors)
		}
	})
}

// TestFullRedis verifies that results are evicted and jobs continue when Redis has no free memory.
// It also verifies that, without results to evict, the error is a *BusyError and not
// ErrUnavailable.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--maxmemory", "24mb", "--maxmemory-policy", "noeviction")
	url := server.URL(0)
	// The budgets are practically unlimited, so the results can fill Redis.
	serve(t, url, func(o *ServerOptions) {
		o.Budgets = Budgets{Results: 1 << 40, ResultsPerCaller: 1 << 40}
	})
	c := client(t, url)
	ctx := context.Background()
	budgets := func() Budgets {
		st, err := c.store.ResultTotals(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return st.Budgets
	}
	eventually(t, ample, "the memory limit of Redis to be known", func() bool {
		return budgets().Results <= 10<<20
	})
	if b := budgets(); b.Results > 10<<20 || b.ResultsPerCaller > b.Results/4 || b.Inputs > 4<<20 {
		t.Errorf("the budgets in force are %+v", b)
	}
	for i := range 60 { // 6 MB in total; each relief frees a tenth of maxmemory
		stored(t, c, fmt.Sprint(i), i)
	}
	fill := func() {
		for size := 64 << 10; size > 100; size /= 8 {
			for i := 0; ; i++ {
				if err := c.opt.Redis.Set(ctx, fmt.Sprint("junk", i, time.Now().UnixNano()),
					strings.Repeat("x", size), 0).Err(); err != nil &&
					strings.Contains(err.Error(), "OOM") {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	fill()
	if err := c.Ready(ctx); err != nil {
		t.Errorf("a test write after room was made: %v", err)
	}
	fill()
	j, err := c.Submit(ctx, tool(t, "echo"), body(`{"n": 1}`), SubmitOptions{Caller: "eve"})
	if err != nil {
		t.Fatalf("a job while Redis is full: %v", err)
	}
	wantState(t, wait(t, c, j.ID, ample), Done)

	// No results remain.
	eventually(t, ample, "all results to be dropped", func() bool {
		fill()
		c.store.Relieve(ctx, time.Now())
		st, err := c.store.ResultTotals(ctx)
		return err == nil && st.Results == 0
	})
	var busy *BusyError
	n := 10
	eventually(t, ample, "a refusal", func() bool { // Redis shrinks its buffers periodically
		fill()
		n++
		_, err = c.Submit(ctx, tool(t, "echo"), body(`{"n": %d}`, n), SubmitOptions{Caller: "eve"})
		return err != nil
	})
	if !errors.As(err, &busy) || errors.Is(err, ErrUnavailable) || busy.RetryAfter <= 0 ||
		!strings.Contains(busy.Reason, "memory") {
		t.Errorf("a job in a full Redis: %v", err)
	}
	eventually(t, ample, "a test write to fail", func() bool {
		fill()
		return errors.As(c.Ready(ctx), &busy)
	})
	for _, key := range c.opt.Redis.Keys(ctx, "junk*").Val() {
		c.opt.Redis.Del(ctx, key)
	}
	if err := c.Ready(ctx); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	wantState(t, wait(t, c, submit(t, c, "echo", body(`{"n": 3}`), SubmitOptions{Caller: "eve"}).ID,
		ample), Done)
}

// TestInputBudget verifies that the bytes of queued inputs are bounded, and that a job releases its
// bytes when it is done or cancelled.
func TestInputBudget(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url, func(o *ClientOptions) { o.Budgets.Inputs = 250_000 })
		ctx := context.Background()
		large := func(i int) []byte {
			return body(`{"n": %d, "how": %q}`, i, strings.Repeat("x", 100_000))
		}
		first := submit(t, c, "echo", large(1), SubmitOptions{Caller: "ann"})
		second := submit(t, c, "echo", large(2), SubmitOptions{Caller: "bob"})
		_, err := c.Submit(ctx, tool(t, "echo"), large(3), SubmitOptions{Caller: "carl"})
		var busy *BusyError
		if !errors.As(err, &busy) || !strings.Contains(busy.Reason, "bytes of inputs") ||
			busy.RetryAfter < minRetryAfter {
			t.Fatalf("a third large input: %v", err)
		}
		// Small inputs are accepted.
		submit(t, c, "echo", body(`{"n": 4}`), SubmitOptions{Caller: "carl"})
		if _, err := c.Cancel(ctx, first.ID, ""); err != nil {
			t.Fatal(err)
		}
		submit(t, c, "echo", large(3), SubmitOptions{Caller: "carl"})
		serve(t, url)
		wantState(t, wait(t, c, second.ID, ample), Done)
		eventually(t, ample, "the account of inputs to be empty", func() bool {
			n, err := c.store.InputBytes(ctx)
			return err == nil && n == 0
		})
	})
}

// TestDeadJobBytes verifies that the oldest dead jobs are deleted when the inputs of all exceed a
// quarter of the input budget.
func TestDeadJobBytes(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		rdb := dial(t, url)
		s, err := NewServer(ServerOptions{Redis: rdb, Catalog: testCatalog(),
			Budgets: Budgets{Inputs: 1_000_000}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			s.deadLetter(&run{Run: &store.Run{ID: fmt.Sprint(i), Tool: "crash",
				Input: strings.Repeat("x", 100_000)}}, "as asked")
			time.Sleep(2 * time.Millisecond) // milliseconds determine their order
		}
		all, err := client(t, url).DeadJobs(context.Background())
		if err != nil || len(all) != 2 || all[0].ID != "7" {
			t.Errorf("%d are parked, %v", len(all), err)
		}
		if n := len(rdb.Keys(context.Background(), "slipstick:parked:*").Val()); n != 2 {
			t.Errorf("%d inputs are kept", n)
		}
	})
}

// TestReadersShare verifies that concurrent readers of a result share its bytes, and that a reader
// that closes does not affect the others.
func TestReadersShare(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url)
		c := client(t, url)
		j := stored(t, c, "ann", 1)
		var open []*ResultReader
		for range 20 {
			r, err := j.Outcome.Large.Open(context.Background(), "")
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, r)
		}
		if most := int64(20*(256<<10) + 600_000); c.opt.Reads.Held() > most {
			t.Errorf("%d bytes are held", c.opt.Reads.Held())
		}
		c.opt.Redis.Del(context.Background(), store.ResultKey(j.ID)) // open readers have all bytes
		for i, r := range open {
			if i%2 == 0 {
				_ = r.Close()
				continue
			}
			if raw, err := io.ReadAll(r); err != nil || !json.Valid(raw) ||
				int64(len(raw)) != j.Outcome.Large.Size() {
				t.Errorf("%d bytes, %v", len(raw), err)
			}
			_ = r.Close()
			_ = r.Close()
		}
		if _, err := j.Outcome.Large.Open(context.Background(), ""); !errors.Is(err,
			ErrJobNotFound) {
			t.Errorf("a result that has gone: %v", err)
		}
	})
}
