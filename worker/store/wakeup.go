package store

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// asynq polls each queue every TaskCheckInterval. At 5 ms, polling four queues on the embedded
// Redis occupies a quarter of a core. NotifyingRedis wraps the Redis client of asynq. After a round
// through all queues without a task, it delays the next poll until Wake or idleCheck. idleCheck
// covers tasks without a message: retries, handed-back jobs, and messages lost with a connection.
//
// NotifyingRedis recognizes a poll by its first key, the pending list of a queue. If a version of
// asynq polls differently, its polls are not delayed and are merely frequent.

// idleCheck is the poll interval of an idle worker.
const idleCheck = 100 * time.Millisecond

// NotifyingRedis is the Redis client for an asynq server.
type NotifyingRedis struct {
	redis.UniversalClient
	queues int32
	empty  atomic.Int32 // consecutive empty polls since the last Wake
	woken  chan struct{}
	quit   chan struct{}
}

// NewNotifyingRedis returns a client for a server with the given number of queues.
func NewNotifyingRedis(rdb redis.UniversalClient, queues int) *NotifyingRedis {
	return &NotifyingRedis{
		UniversalClient: rdb, queues: int32(queues),
		woken: make(chan struct{}, 1), quit: make(chan struct{}),
	}
}

// Wake ends a delay. It resets the count first, so every queue is polled once more even if Wake is
// called during a round.
func (n *NotifyingRedis) Wake() {
	n.empty.Store(0)
	select {
	case n.woken <- struct{}{}:
	default:
	}
}

// Stop ends all delays. It must be called only once. The Redis client remains open.
func (n *NotifyingRedis) Stop() { close(n.quit) }

// EvalSha delays a poll while the queues are empty.
func (n *NotifyingRedis) EvalSha(
	ctx context.Context, sha string, keys []string, args ...any,
) *redis.Cmd {
	if len(keys) != 4 || !strings.HasPrefix(keys[0], "asynq:{") ||
		!strings.HasSuffix(keys[0], ":pending") {
		return n.UniversalClient.EvalSha(ctx, sha, keys, args...)
	}
	if n.empty.Load() >= n.queues {
		n.wait()
		n.empty.Store(0)
	}
	cmd := n.UniversalClient.EvalSha(ctx, sha, keys, args...)
	switch err := cmd.Err(); {
	case errors.Is(err, redis.Nil):
		n.empty.Add(1)
		return cmd
	case err != nil && !redis.HasErrorPrefix(err, "NOSCRIPT"):
		n.wait() // Redis is unavailable, and asynq would poll again immediately
	}
	n.empty.Store(0)
	return cmd
}

func (n *NotifyingRedis) wait() {
	timer := time.NewTimer(idleCheck)
	defer timer.Stop()
	select {
	case <-n.woken:
	case <-n.quit:
	case <-timer.C:
	}
}
