package worker

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// asynq does not wait for work, it asks each queue for it every TaskCheckInterval: at 5 ms,
// four queues on the embedded Redis keep a quarter of a core busy doing nothing. The doorbell
// sits between asynq and Redis. When a round through all queues found nothing, the next
// question waits until a client rings, having enqueued a task, or until idleCheck has passed,
// for tasks that come without a ring: retries, handed-back jobs, rings lost with a connection.
//
// It knows asynq's question by its first key, a queue's pending list. Should asynq ask
// otherwise one day, it is not held up and merely asks often again.

// idleCheck is how often an idle worker looks at its queues without being rung for.
const idleCheck = 100 * time.Millisecond

// notifyingRedis is the Redis client that asynq's server gets.
type notifyingRedis struct {
	redis.UniversalClient
	queues int32
	empty  atomic.Int32 // questions in a row, since the last ring, that found nothing
	bell   chan struct{}
	quit   chan struct{}
}

func newNotifyingRedis(rdb redis.UniversalClient, queues int) *notifyingRedis {
	return &notifyingRedis{UniversalClient: rdb, queues: int32(queues), bell: make(chan struct{}, 1), quit: make(chan struct{})}
}

// wake says that there is work. It clears the count first, so that every queue is asked once
// more even when the ring comes in the middle of a round.
func (d *notifyingRedis) wake() {
	d.empty.Store(0)
	select {
	case d.bell <- struct{}{}:
	default:
	}
}

// EvalSha holds asynq's question back while there is nothing to do.
func (d *notifyingRedis) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if len(keys) == 0 || !strings.HasPrefix(keys[0], "asynq:{") || !strings.HasSuffix(keys[0], ":pending") || len(keys) != 4 {
		return d.UniversalClient.EvalSha(ctx, sha, keys, args...)
	}
	if d.empty.Load() >= d.queues {
		d.wait()
		d.empty.Store(0)
	}
	cmd := d.UniversalClient.EvalSha(ctx, sha, keys, args...)
	switch err := cmd.Err(); {
	case errors.Is(err, redis.Nil):
		d.empty.Add(1)
		return cmd
	case err != nil && !redis.HasErrorPrefix(err, "NOSCRIPT"):
		d.wait() // Redis is away, and asynq would ask again at once
	}
	d.empty.Store(0)
	return cmd
}

func (d *notifyingRedis) wait() {
	timer := time.NewTimer(idleCheck)
	defer timer.Stop()
	select {
	case <-d.bell:
	case <-d.quit:
	case <-timer.C:
	}
}
