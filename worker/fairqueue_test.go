package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"slipstick/worker/store"
)

// begun dequeues all jobs of a queue, as workers do, and returns their ids.
func begun(t testing.TB, c *Client, queue string) (ids []string) {
	t.Helper()
	for {
		task, err := c.store.Dequeue(context.Background(), queue)
		if err != nil {
			t.Fatal(err)
		}
		if task == "" {
			return ids
		}
		ids = append(ids, store.JobOfTask(task))
	}
}

// TestRotation verifies that callers are served round-robin, and each caller's jobs in the order of
// their submission. It also verifies that a served caller ranks behind a new caller.
func TestRotation(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, names, count := client(t, url), map[string]string{}, map[string]int{}
		n := 0
		put := func(caller string, jobs int) {
			for range jobs {
				n++
				count[caller]++
				j := submit(t, c, "echo", body(`{"n": %d}`, n), SubmitOptions{Caller: caller})
				names[j.ID] = fmt.Sprint(caller, count[caller])
			}
		}
		take := func(jobs int) (got []string) {
			for range jobs {
				task, err := c.store.Dequeue(context.Background(),
					store.QueueName("test", PriorityAnonymous))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, names[store.JobOfTask(task)])
			}
			return got
		}
		want := func(got []string, want string) {
			t.Helper()
			if s := strings.Join(got, " "); s != want {
				t.Errorf("begun: %s\nwant:  %s", s, want)
			}
		}
		put("a", 6)
		want(take(2), "a1 a2")
		put("b", 2)
		put("c", 1)
		put("d", 3)
		listed, err := c.InFlight(context.Background(), "test", 100)
		if err != nil || len(listed) != 12 {
			t.Errorf("%d jobs are listed, %v", len(listed), err)
		}
		want(take(5), "b1 c1 d1 a3 b2")
		put("c", 1) // c was served before d and a, so its turn comes first again
		want(take(5), "c2 d2 a4 d3 a5")
		want(take(2), "a6 ")
	})
}

// TestFairness verifies that a caller's job begins when the next running job ends, although another
// caller has queued 50 long jobs before it. The same must hold if the caller joins the last of
// these 50 jobs.
func TestFairness(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		for _, joins := range []bool{false, true} {
			t.Run(fmt.Sprint("joins=", joins), func(t *testing.T) {
				ctx, c := context.Background(), client(t, url)
				if err := c.opt.Redis.FlushDB(ctx).Err(); err != nil {
					t.Fatal(err)
				}
				class := map[bool]Priority{false: PriorityAnonymous, true: PriorityFree}[joins]
				long, dir := map[string]bool{}, t.TempDir()
				var input []byte
				for k := range 50 {
					input = body(`{"n": %d, "ms": 50000, "trace": %q}`, k,
						fmt.Sprintf("%s/%d", dir, k))
					long[submit(t, c, "sleep", input, SubmitOptions{Caller: "hog", Priority: class,
						Detached: true}).ID] = true
				}
				stop := serve(t, url) // two slots
				defer stop()
				running := func() (ids []string) {
					for id := range long {
						if v, err := c.store.InFlight(ctx, id); err == nil && v.State == Running {
							ids = append(ids, id)
						}
					}
					return ids
				}
				eventually(t, ample, "two long jobs to begin", func() bool {
					return len(running()) == 2
				})
				var j Job
				if joins { // the last job that the first caller has queued
					j = submit(t, c, "sleep", input, SubmitOptions{Caller: "guest", Priority: class,
						Detached: true})
				} else {
					j = submit(t, c, "echo", body(`{"n": 99}`),
						SubmitOptions{Caller: "guest", Priority: class, Detached: true})
				}
				time.Sleep(50 * time.Millisecond)
				if n := len(running()); n != 2 {
					t.Fatalf("%d long jobs run", n)
				}
				before := running()
				// The cancellation ends one of the running jobs.
				if _, err := c.Cancel(ctx, before[0], ""); err != nil {
					t.Fatal(err)
				}
				eventually(t, ample, "the guest's job to begin", func() bool {
					got, err := c.Get(ctx, j.ID, "guest")
					return err == nil && got.State != Queued
				})
				// The guest's job began first; the other jobs of the hog wait, or began after it
				// ended.
				started := 0
				for _, id := range running() {
					if id != j.ID && !slices.Contains(before, id) {
						started++
					}
				}
				if got, _ := c.Get(ctx, j.ID, "guest"); started > 0 && got.State == Running {
					t.Errorf("%d jobs of the hog began before the guest's", started)
				}
			})
		}
	})
}

// TestGroups verifies that callers of one group, such as an address and its free keys, share one
// turn and one limit.
func TestGroups(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx := context.Background()
		c := client(t, url, func(o *ClientOptions) { o.MaxInFlightPerCaller = 10 })
		var busy *BusyError
		whose := map[string]string{}
		for k := range 50 {
			sub := SubmitOptions{Caller: fmt.Sprint("key:", k%5), Group: "address:192.0.2.1",
				Priority: PriorityFree}
			j, err := c.Submit(ctx, tool(t, "echo"), body(`{"n": %d}`, k), sub)
			if k < 10 {
				if err != nil {
					t.Fatal(err)
				}
				whose[j.ID] = sub.Group
			} else if !errors.As(err, &busy) {
				t.Fatalf("job %d of one address: %v", k, err)
			}
		}
		j := submit(t, c, "echo", body(`{"n": 100}`), SubmitOptions{Caller: "key:other",
			Group: "address:192.0.2.2", Priority: PriorityFree})
		whose[j.ID] = "address:192.0.2.2"
		// The other address has the second turn. A cancelled job then frees a slot for another key
		// of the group.
		order := begun(t, c, store.QueueName("test", PriorityFree))
		if len(order) != 11 || whose[order[1]] != "address:192.0.2.2" {
			t.Errorf("the other address comes %d. of %d", slices.Index(order, j.ID)+1, len(order))
		}
		if _, err := c.Cancel(ctx, order[0], ""); err != nil {
			t.Fatal(err)
		}
		submit(t, c, "echo", body(`{"n": 200}`),
			SubmitOptions{Caller: "key:9", Group: "address:192.0.2.1", Priority: PriorityFree})
		// The page at the address has its own limit within the limit of the group.
		page := SubmitOptions{Caller: "page:192.0.2.2", Group: "address:192.0.2.2", MaxInFlight: 2}
		for k := range 3 {
			_, err := c.Submit(ctx, tool(t, "echo"), body(`{"n": %d}`, 300+k), page)
			if (err != nil) != (k == 2) {
				t.Errorf("job %d of the page: %v", k, err)
			}
		}
		if n := c.opt.Redis.ZCard(ctx, store.CallerKey("address:192.0.2.2")).Val(); n != 3 {
			t.Errorf("%d jobs are counted for the address of the page", n)
		}
	})
}

// TestTwiceAtOnceCountsOnce verifies that two concurrent submissions of a job by one caller occupy
// one slot.
func TestTwiceAtOnceCountsOnce(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx := context.Background()
		c := client(t, url, func(o *ClientOptions) { o.MaxInFlightPerCaller = 1 })
		sub := SubmitOptions{Caller: "ann"}
		j := submit(t, c, "echo", body(`{}`), sub)
		// The second submission has found no job and uses the slot of the first; then it joins.
		o := &enqueueRequest{NewJob: store.NewJob{
			ID: j.ID, Tool: "echo", Version: j.Version, Pool: "test", Timeout: time.Second,
			Caller: "ann", Group: "ann",
		}}
		if err := c.takeCapacity(ctx, o, nil); err != nil {
			t.Fatal(err)
		}
		if _, how, err := c.enqueueOrJoin(ctx, o, "token"); err != nil || how != "joined" {
			t.Fatal(how, err)
		}
		if n := c.opt.Redis.ZCard(ctx, store.CallerKey("ann")).Val(); n != 1 {
			t.Errorf("%d jobs are counted", n)
		}
	})
}

// TestJoinReturnsOtherSlots verifies that a submission which joins a job returns its slots, except
// those of the job. The job is created after the submission has taken them.
func TestJoinReturnsOtherSlots(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx, c := context.Background(), client(t, url)
		type names struct{ group, share string }
		for i, at := range []struct{ first, second names }{
			{names{"address:1", ""}, names{"address:1", "page:1"}},
			{names{"address:2", "page:2"}, names{"address:2", ""}},
			{names{"address:3", "page:3"}, names{"address:4", "page:4"}},
			{names{"address:5", "key:5"}, names{"address:6", "key:5"}},
		} {
			request := func(n names) *enqueueRequest {
				return &enqueueRequest{NewJob: store.NewJob{
					ID: fmt.Sprint("job", i), Tool: "echo", Pool: "test", Timeout: time.Second,
					Input: body(`{}`), Caller: "caller", Group: n.group, Share: n.share,
					Priority: PriorityFree, At: time.Now(),
				}, maxInFlight: 2}
			}
			first, second := request(at.first), request(at.second)
			for _, o := range []*enqueueRequest{first, second} {
				if err := c.takeCapacity(ctx, o, nil); err != nil {
					t.Fatal(err)
				}
			}
			if found, err := c.create(ctx, first, "a"); err != nil ||
				found.Kind != store.AdmitCreated {
				t.Fatal(found.Kind, err)
			}
			if found, err := c.create(ctx, second, "b"); err != nil ||
				found.Kind != store.AdmitJoined {
				t.Fatal(found.Kind, err)
			}
			for _, caller := range []string{at.first.group, at.first.share, at.second.group,
				at.second.share} {
				want := int64(0)
				if caller != "" && (caller == at.first.group || caller == at.first.share) {
					want = 1
				}
				slots := c.opt.Redis.ZCard(ctx, store.CallerKey(caller)).Val()
				if slots != want {
					t.Errorf("%+v: %q has %d slots, want %d", at, caller, slots, want)
				}
			}
		}
	})
}

// TestOnePermitPerJob verifies that the length of asynq's pending list equals the number of pending
// jobs. This must hold after joins, moves, cancellations and dequeues because autoscaling and
// metrics read the length.
func TestOnePermitPerJob(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx, c := context.Background(), client(t, url)
		check := func(want int64, what string) {
			t.Helper()
			queue := store.QueueName("test", PriorityFree)
			permits, jobs := c.opt.Redis.LLen(ctx, store.PermitsKey(queue)).Val(),
				c.opt.Redis.ZCard(ctx, store.PendingKey(queue)).Val()
			if permits != want || jobs != want {
				t.Errorf("%s: %d permits, %d jobs, want %d", what, permits, jobs, want)
			}
		}
		var jobs []Job
		for k := range 6 {
			jobs = append(jobs, submit(t, c, "echo", body(`{"n": %d}`, k),
				SubmitOptions{Caller: "ann", Priority: PriorityFree}))
		}
		check(6, "submitted")
		for k := range 3 {
			submit(t, c, "echo", body(`{"n": %d}`, k),
				SubmitOptions{Caller: "bob", Priority: PriorityFree})
			submit(t, c, "echo", body(`{"n": %d}`, k),
				SubmitOptions{Caller: "bob", Priority: PriorityFree})
		}
		check(6, "joined")
		if _, err := c.Cancel(ctx, jobs[0].ID, ""); err != nil {
			t.Fatal(err)
		}
		check(5, "cancelled")
		submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Caller: "eve", Priority: PriorityPaid})
		check(4, "moved to the paid class")
		if got := begun(t, c, store.QueueName("test", PriorityFree)); len(got) != 4 ||
			got[0] != jobs[2].ID && got[1] != jobs[2].ID {
			t.Errorf("dequeued %v", got)
		}
		if got := begun(t, c, store.QueueName("test", PriorityPaid)); len(got) != 1 ||
			got[0] != jobs[1].ID {
			t.Errorf("of the paid class: %v", got)
		}
		for _, pattern := range []string{"slipstick:turns:*", "slipstick:pending:*"} {
			if keys := c.opt.Redis.Keys(ctx, pattern).Val(); len(keys) != 0 {
				t.Errorf("left behind: %v", keys)
			}
		}
	})
}

// TestTaskOfTheVersionBefore verifies that a task with the id of its job, as enqueued by clients of
// a version without permits, runs the job once.
func TestTaskOfTheVersionBefore(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c, trace := client(t, url), traceFile(t)
		j := submit(t, c, "echo", body(`{"trace": %q}`, trace), SubmitOptions{Caller: "ann"})
		enqueueNamed(t, c, j)
		c.store.Remove(context.Background(), store.InFlightJob{
			Job: j, Task: j.ID, Pool: "test", Priority: PriorityAnonymous, Group: "ann",
		})
		serve(t, url)
		wantState(t, wait(t, c, j.ID, ample), Done)
		if n := traced(trace); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

// TestUnknownToolIsPassedOn verifies that a worker of another version leaves a job to a worker that
// has the tool.
func TestUnknownToolIsPassedOn(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		ctx, c, trace := context.Background(), client(t, url), traceFile(t)
		j := submit(t, c, "echo", body(`{"trace": %q}`, trace), SubmitOptions{Caller: "ann"})
		version := c.opt.Redis.HGet(ctx, store.JobKey(j.ID), "version").Val()
		if err := c.opt.Redis.HSet(ctx, store.JobKey(j.ID), "version", "0.0.1").Err(); err != nil {
			t.Fatal(err)
		}
		serve(t, url)
		eventually(t, ample, "the job to be passed on", func() bool {
			return c.opt.Redis.HExists(ctx, store.JobKey(j.ID), "unknown").Val()
		})
		// From here on, the worker has the version of the job's tool.
		if err := c.opt.Redis.HSet(ctx, store.JobKey(j.ID), "version", version).Err(); err != nil {
			t.Fatal(err)
		}
		wantState(t, wait(t, c, j.ID, ample), Done)
		if n := traced(trace); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

// enqueueNamed adds a task as clients of a version without permits do.
func enqueueNamed(t *testing.T, c *Client, j Job) {
	t.Helper()
	payload := body(`{"id": %q, "tool": %q, "version": %q}`, j.ID, j.Tool, j.Version)
	task, queue := asynq.NewTask(store.LegacyTask, payload),
		asynq.Queue(store.QueueName("test", PriorityAnonymous))
	_, err := asynq.NewClientFromRedisClient(c.opt.Redis).Enqueue(task, asynq.TaskID(j.ID), queue)
	if err != nil {
		t.Fatal(err)
	}
}
