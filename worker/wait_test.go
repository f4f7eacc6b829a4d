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
		first := submit(t, c, "noop", body(`{"n": 1}`), Submission{})
		begun := c.register(first.ID, &order{})
		answered := make(chan Job, 1)
		go func() {
			j, err := c.Wait(context.Background(), first.ID, ample)
			if err != nil {
				t.Error(err)
			}
			answered <- j
		}()
		eventually(t, ample, "the wait to begin", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			for w := range c.waiting[first.ID] {
				if !w.abandon.IsZero() {
					return false
				}
			}
			return true
		})
		c.drop(begun)
		c.deliver(first.ID, answer{job: finished(first, Done, Outcome{}, time.Now(), time.Minute)})
		select {
		case j := <-answered:
			wantState(t, j, Done)
			c.cache.Remove(j.ID)
		case <-time.After(5 * time.Second):
			t.Fatal("the waiter was not told of the result")
		}
	}
}
