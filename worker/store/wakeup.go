package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// asynq polls each queue every TaskCheckInterval, and each poll is a script. At 5 ms, polling four
// queues on the embedded Redis occupies a quarter of a core. NotifyingRedis wraps the Redis client
// of asynq and saves polls in two ways:
//
//   - After a round through all queues without a task, it delays the next poll until Wake or
//     idleCheck. idleCheck covers tasks without a message: retries, handed-back jobs, and messages
//     lost with a connection.
//   - Before a poll it reads the lengths of all queues in one round trip, and then answers polls of
//     empty queues itself. A new job of a busy worker thus waits for two round trips instead of one
//     per queue. If Wake ends a delay, it names the queue, and the lengths are not read.
//
// NotifyingRedis recognizes a poll by its first key, the pending list of a queue. If a version of
// asynq polls differently, its polls are not delayed and are merely frequent.

// idleCheck is the poll interval of an idle worker.
const idleCheck = 100 * time.Millisecond

// NotifyingRedis is the Redis client for an asynq server.
type NotifyingRedis struct {
	redis.UniversalClient
	queues []string     // keys of the pending lists
	empty  atomic.Int32 // consecutive empty polls since the last Wake
	woken  chan string  // the only queue with a new task; "": not known
	quit   chan struct{}

	// named is set until the poll of the queue that a message named. Other polls in between did not
	// reach Redis, so an empty queue does not complete a round. asynq polls one queue at a time.
	named bool

	mu sync.Mutex
	// nonEmpty maps the key of each pending list to whether it may have tasks; nil: not read
	nonEmpty map[string]bool
}

// NewNotifyingRedis returns a client for a server with the queues of the given names.
func NewNotifyingRedis(rdb redis.UniversalClient, queues []string) *NotifyingRedis {
	n := &NotifyingRedis{
		UniversalClient: rdb, woken: make(chan string, 1), quit: make(chan struct{}),
	}
	for _, q := range queues {
		n.queues = append(n.queues, PermitsKey(q))
	}
	return n
}

// Wake ends a delay because the queue of the given name has a new task; "" means any queue. It
// resets the count first, so every queue is polled once more even if Wake is called during a round.
// It returns false for a queue that the server does not have. It is not safe for concurrent use.
func (n *NotifyingRedis) Wake(queue string) bool {
	if queue != "" && !slices.Contains(n.queues, PermitsKey(queue)) {
		return false
	}
	n.setNonEmpty(nil)
	n.empty.Store(0)
	select {
	case <-n.woken: // the last message has not ended a delay
		queue = ""
	default:
	}
	n.woken <- queue
	return true
}

// Stop ends all delays. It must be called only once. The Redis client remains open.
func (n *NotifyingRedis) Stop() { close(n.quit) }

// EvalSha delays a poll while all queues are empty. It answers a poll of an empty queue with
// redis.Nil and passes other calls to Redis.
func (n *NotifyingRedis) EvalSha(
	ctx context.Context, sha string, keys []string, args ...any,
) *redis.Cmd {
	if len(keys) != 4 || !strings.HasPrefix(keys[0], "asynq:{") ||
		!strings.HasSuffix(keys[0], ":pending") {
		return n.UniversalClient.EvalSha(ctx, sha, keys, args...)
	}
	if int(n.empty.Load()) >= len(n.queues) {
		queue := n.awaitWakeup()
		n.setNonEmpty(n.onlyNonEmpty(queue))
		n.named = queue != ""
		n.empty.Store(0)
	}
	if !n.mayHaveTask(ctx, keys[0]) {
		n.empty.Add(1)
		cmd := redis.NewCmd(ctx)
		cmd.SetErr(redis.Nil)
		return cmd
	}
	cmd := n.UniversalClient.EvalSha(ctx, sha, keys, args...)
	n.setNonEmpty(nil)
	wasNamed := n.named
	n.named = false
	switch err := cmd.Err(); {
	case errors.Is(err, redis.Nil) && !wasNamed:
		n.empty.Add(1)
		return cmd
	case err != nil && !errors.Is(err, redis.Nil) && !redis.HasErrorPrefix(err, "NOSCRIPT"):
		n.awaitWakeup() // Redis is unavailable, and asynq would poll again immediately
	}
	n.empty.Store(0)
	return cmd
}

// mayHaveTask reports whether the pending list of a queue may have a task. It returns true if Redis
// is unavailable or the queue is not one of the server.
func (n *NotifyingRedis) mayHaveTask(ctx context.Context, key string) bool {
	n.mu.Lock()
	nonEmpty := n.nonEmpty
	n.mu.Unlock()
	if nonEmpty == nil {
		lengths, err := n.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, q := range n.queues {
				pipe.LLen(ctx, q)
			}
			return nil
		})
		if err != nil {
			return true
		}
		nonEmpty = map[string]bool{}
		for i, q := range n.queues {
			length, ok := lengths[i].(*redis.IntCmd)
			nonEmpty[q] = !ok || length.Val() > 0
		}
		n.setNonEmpty(nonEmpty)
	}
	may, isListed := nonEmpty[key]
	return may || !isListed
}

func (n *NotifyingRedis) setNonEmpty(queues map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.nonEmpty = queues
}

// onlyNonEmpty returns the value of nonEmpty if a single queue has tasks, or nil if queue is "".
func (n *NotifyingRedis) onlyNonEmpty(queue string) map[string]bool {
	if queue == "" {
		return nil
	}
	nonEmpty := map[string]bool{}
	for _, key := range n.queues {
		nonEmpty[key] = key == PermitsKey(queue)
	}
	return nonEmpty
}

// awaitWakeup returns after Wake, after idleCheck, or after Stop. It returns the only queue with a
// new task, or "" if that is not known.
func (n *NotifyingRedis) awaitWakeup() (queue string) {
	timer := time.NewTimer(idleCheck)
	defer timer.Stop()
	select {
	case queue = <-n.woken:
	case <-n.quit:
	case <-timer.C:
	}
	return queue
}
