package worker

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/worker/store"
)

// counting is a Redis client that sends to lengths when it reads the length of the queue test-paid.
// It sends to polls when it polls this queue.
type counting struct {
	redis.UniversalClient
	lengths, polls chan struct{}
}

func (c counting) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if len(keys) == 4 && keys[0] == store.PermitsKey("test-paid") {
		c.polls <- struct{}{}
	}
	return c.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

func (c counting) Pipelined(
	ctx context.Context, fn func(redis.Pipeliner) error,
) ([]redis.Cmder, error) {
	commands, err := c.UniversalClient.Pipelined(ctx, fn)
	for _, command := range commands {
		args := command.Args()
		if command.Name() == "llen" && args[1] == store.PermitsKey("test-paid") {
			c.lengths <- struct{}{}
		}
	}
	return commands, err
}

// TestIdleWorkerPollsSeldom verifies that an idle worker reads the length of a queue about ten
// times per second and does not poll it. It also verifies that the worker completes a no-op job
// within 50 ms. Without detection of asynq's poll, it would poll hundreds of times per second, and
// never read a length.
func TestIdleWorkerPollsSeldom(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		lengths, polls := make(chan struct{}, 1<<16), make(chan struct{}, 1<<16)
		serve(t, url, func(o *ServerOptions) { o.Redis = counting{o.Redis, lengths, polls} })
		c := client(t, url)
		j := submit(t, c, "noop", body(`{}`), SubmitOptions{})
		wantState(t, wait(t, c, j.ID, ample), Done) // the worker and its child are running
		for len(lengths)+len(polls) > 0 {
			select {
			case <-lengths:
			case <-polls:
			}
		}
		second, n := time.After(time.Second), 0
		for quiet := true; quiet; {
			select {
			case <-lengths:
				n++
			case <-second:
				quiet = false
			}
		}
		if n < 2 || n > 100 { // hundreds without detection of the poll
			t.Errorf("an idle worker looked at a queue %d times per second, want about 10", n)
		}
		if len(polls) > 1 { // one may follow the job
			t.Errorf("an idle worker polled an empty queue %d times", len(polls))
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
