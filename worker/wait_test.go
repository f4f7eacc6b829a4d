package worker

import (
	"context"
	"testing"
	"time"
)

// TestWaitAdoptsFinishedSubmissions verifies that Wait adopts only the waiter of a submission that
// has ended. An equal submission in progress may drop its own waiter, and a Wait that had adopted
// this waiter would miss the result.
func TestWaitAdoptsFinishedSubmissions(t *testing.T) {
	c := client(t, shared.URL(t))
	for range 50 { // map iteration order is random
		first := submit(t, c, "noop", body(`{"n": 1}`), SubmitOptions{})
		begun := c.waiters.add(first.ID, "", &enqueueRequest{})
		finished := make(chan Job, 1)
		go func() {
			j, err := c.Wait(context.Background(), first.ID, "", ample)
			if err != nil {
				t.Error(err)
			}
			finished <- j
		}()
		eventually(t, ample, "the wait to begin", func() bool {
			c.waiters.mu.Lock()
			defer c.waiters.mu.Unlock()
			for w := range c.waiters.waiting[first.ID] {
				if !w.abandon.IsZero() {
					return false
				}
			}
			return true
		})
		c.waiters.drop(begun)
		c.waiters.deliver(first.ID,
			waitResult{job: first.Finish(Done, Outcome{}, time.Now(), time.Minute)})
		select {
		case j := <-finished:
			wantState(t, j, Done)
			c.cache.Remove(cachedJob{j.ID, ""})
		case <-time.After(5 * time.Second):
			t.Fatal("the waiter was not notified of the result")
		}
	}
}

// TestCancelledIsReplaced verifies that a Wait for a job that was submitted again after a
// cancellation waits for the new run. It must not adopt the waiter of the first submission, which
// holds the cancelled result.
func TestCancelledIsReplaced(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url)
		cancelled := func(input []byte) (id string) {
			t.Helper()
			first := submit(t, c, "noop", input, SubmitOptions{Detached: true})
			if _, err := c.Cancel(context.Background(), first.ID, ""); err != nil {
				t.Fatal(err)
			}
			eventually(t, ample, "the news of the end", func() bool {
				c.waiters.mu.Lock()
				defer c.waiters.mu.Unlock()
				for w := range c.waiters.waiting[first.ID] {
					if w.delivered() {
						return true
					}
				}
				return false
			})
			return first.ID
		}

		// The departure of the last waiter cancels the new run.
		left := body(`{"n": 1000}`)
		id := cancelled(left)
		submit(t, c, "noop", left, SubmitOptions{})
		if !c.check(id) { // check runs every second
			t.Fatal("Redis is away")
		}
		gone, leave := context.WithCancel(context.Background())
		leave()
		if _, err := c.Wait(gone, id, "", ample); err == nil {
			t.Error("an ended wait has a result")
		}
		if job, err := c.Get(context.Background(), id, ""); err != nil || job.State != Cancelled {
			t.Errorf("after the only waiter left: %s, %v", job.State, err)
		}

		var ids []string
		for n := range 10 { // map iteration order is random
			input := body(`{"n": %d}`, n)
			ids = append(ids, cancelled(input))
			submit(t, c, "noop", input, SubmitOptions{})
		}
		serve(t, url)
		for _, id := range ids {
			wantState(t, wait(t, c, id, ample), Done)
		}
	})
}

// TestLeavingBeforeTheFirstPoll verifies that a wait that has yet to poll its job gets no result
// without the tool and the times of the job. The wait itself finds out that its caller has left.
func TestLeavingBeforeTheFirstPoll(t *testing.T) {
	t.Parallel()
	table := newWaiters()
	w := table.add("job", "ann", nil)
	result := func(j Job) waitResult { return waitResult{job: j} }
	if left := table.deliverTo("job", "ann", result); len(left) > 0 {
		t.Errorf("%d waiters before the poll", len(left))
	}
	table.setState(w, Job{ID: "job", Tool: "echo", State: Queued})
	if table.deliverTo("job", "ann", result); (<-w.got).job.Tool != "echo" {
		t.Error("no tool after the poll")
	}
}
