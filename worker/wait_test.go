package worker

import (
	"context"
	"testing"
	"time"
)

// TestWaitKeepsToFinishedSubmissions: of two equal submissions one may still fail, or find the
// result, and takes its waiter away then. The other's Wait must not be left with that one, deaf
// to the result until its time is over.
func TestWaitKeepsToFinishedSubmissions(t *testing.T) {
	c := client(t, realURL(t))
	for range 50 { // whichever of the two a map happens to give first
		first := submit(t, c, "noop", body(`{"n": 1}`), SubmitOptions{})
		begun := c.waiters.add(first.ID, &enqueueRequest{})
		answered := make(chan Job, 1)
		go func() {
			j, err := c.Wait(context.Background(), first.ID, ample)
			if err != nil {
				t.Error(err)
			}
			answered <- j
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
		c.waiters.deliver(first.ID, answer{job: first.Finish(Done, Outcome{}, time.Now(), time.Minute)})
		select {
		case j := <-answered:
			wantState(t, j, Done)
			c.cache.Remove(cachedJob{j.ID, ""})
		case <-time.After(5 * time.Second):
			t.Fatal("the waiter was not told of the result")
		}
	}
}

// TestCancelledMakesWay: who submits what has just been cancelled waits for the new run, and is not
// given the end of the old one that was kept for a Wait which never came.
func TestCancelledMakesWay(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
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

		// The last waiter's leaving ends the new run: nobody else waits for it.
		left := body(`{"n": 1000}`)
		id := cancelled(left)
		submit(t, c, "noop", left, SubmitOptions{})
		if !c.check(id) { // as happens every second
			t.Fatal("Redis is away")
		}
		gone, leave := context.WithCancel(context.Background())
		leave()
		if _, err := c.Wait(gone, id, ample); err == nil {
			t.Error("an ended wait has an answer")
		}
		if job, err := c.Get(context.Background(), id, ""); err != nil || job.State != Cancelled {
			t.Errorf("after the only waiter left: %s, %v", job.State, err)
		}

		var ids []string
		for n := range 10 { // whichever waiter a map happens to give first
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
