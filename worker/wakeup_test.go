package worker

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/worker/store"
)

// counting is a Redis client that sends the key of each poll of the queue test-paid to polls.
type counting struct {
	redis.UniversalClient
	polls chan string
}

func (c counting) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	cmd := c.UniversalClient.EvalSha(ctx, sha, keys, args...)
	if len(keys) == 4 && keys[0] == store.TicketsKey("test-paid") {
		c.polls <- keys[0]
	}
	return cmd
}

// TestIdleWorkerPollsSeldom verifies that an idle worker polls a queue about ten times per second
// and completes a no-op job within 50 ms. Without detection of asynq's poll, it would poll hundreds
// of times per second.
func TestIdleWorkerPollsSeldom(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		polls := make(chan string, 1<<16)
		serve(t, url, func(o *ServerOptions) { o.Redis = counting{o.Redis, polls} })
		c := client(t, url)
		j := submit(t, c, "noop", body(`{}`), SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Done) // the worker and its child are running
		for len(polls) > 0 {
			<-polls
		}
		second, n := time.After(time.Second), 0
		for quiet := true; quiet; {
			select {
			case <-polls:
				n++
			case <-second:
				quiet = false
			}
		}
		if n < 2 || n > 40 {
			t.Errorf("an idle worker polled a queue %d times per second, want about 10", n)
		}
		best := time.Minute
		for k := range 10 {
			begun := time.Now()
			j := submit(t, c, "noop", body(`{"n": %d}`, k+1), SubmitOptions{})
			wantState(t, wait(t, c, j.ID, ample), Done)
			best = min(best, time.Since(begun))
		}
		if best > 50*time.Millisecond {
			t.Errorf("the quickest of 10 jobs took %v: the message was lost", best)
		}
	})
}
