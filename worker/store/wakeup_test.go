package store

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// emptyRedis is a Redis client whose queues are empty. It counts reads of lengths and lists polls.
type emptyRedis struct {
	redis.UniversalClient
	lengths int
	polls   []string
}

func (e *emptyRedis) EvalSha(ctx context.Context, _ string, keys []string, _ ...any) *redis.Cmd {
	e.polls = append(e.polls, keys[0])
	cmd := redis.NewCmd(ctx)
	cmd.SetErr(redis.Nil)
	return cmd
}

func (e *emptyRedis) Pipelined(
	ctx context.Context, fn func(redis.Pipeliner) error,
) ([]redis.Cmder, error) {
	e.lengths++
	pipe := e.Pipeline()
	err := fn(pipe)
	commands := make([]redis.Cmder, pipe.Len())
	for i := range commands {
		commands[i] = redis.NewIntCmd(ctx)
	}
	return commands, err
}

// TestWakeNamesQueue verifies that a delayed poll continues with the queue of a message, without
// reading the lengths of the queues. Other polls read them, also after two messages.
func TestWakeNamesQueue(t *testing.T) {
	client := redis.NewClient(&redis.Options{}) // makes pipelines and does not connect
	defer func() { _ = client.Close() }()
	synctest.Test(t, func(t *testing.T) {
		rdb := &emptyRedis{UniversalClient: client}
		queues := []string{"a-paid", "a-free", "b-paid"}
		n := NewNotifyingRedis(rdb, queues)
		poll := func(queues ...string) {
			for _, q := range queues {
				n.EvalSha(t.Context(), "sha", []string{PermitsKey(q), "paused", "active", "lease"})
			}
		}
		want := func(when string, lengths int, polls ...string) {
			t.Helper()
			for i, q := range polls {
				polls[i] = PermitsKey(q)
			}
			if rdb.lengths != lengths || !slices.Equal(rdb.polls, polls) {
				t.Errorf("%s: %d reads of lengths and polls %v, want %d and %v", when,
					rdb.lengths, rdb.polls, lengths, polls)
			}
			rdb.lengths, rdb.polls = 0, nil
		}
		poll(queues...)
		want("first round", 1)

		var polls sync.WaitGroup
		polls.Go(func() { poll("a-paid", "a-free") })
		synctest.Wait()
		if n.Wake("c-paid") {
			t.Error("a queue of another server is accepted")
		}
		if !n.Wake("a-free") {
			t.Error("a queue of the server is not accepted")
		}
		polls.Wait()
		want("one message", 0, "a-free")
		poll("b-paid")
		want("next round", 1)
		poll("a-paid", "a-free")
		want("rest of the round", 0)

		// If another worker has taken the task, the queues polled before it are not known to be
		// empty.
		polls.Go(func() { poll("b-paid", "a-free") })
		synctest.Wait()
		n.Wake("a-free")
		polls.Wait()
		want("message without a task", 0, "a-free")
		began := time.Now()
		poll("b-paid", "a-paid", "a-free")
		want("round without a task", 1)
		if waited := time.Since(began); waited > 0 {
			t.Errorf("the round began after %v", waited)
		}

		n.Wake("a-free") // the next poll is not delayed, so the message remains
		n.Wake("b-paid")
		poll(queues...)
		want("two messages without a delay", 1)
		poll("a-paid")
		want("delay after two messages", 1)
	})
}
