package store

import (
	"context"
	"iter"
	"strings"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
)

// EventKind is the channel of an Event. Redis channels ignore database numbers. An event is
// therefore only a hint to look up a job, never a command.
type EventKind string

// Kinds of events.
const (
	EventDone     EventKind = "slipstick:done"     // a job has finished
	EventProgress EventKind = "slipstick:progress" // a job has begun or made progress
	EventCancel   EventKind = "slipstick:cancel"   // a job was cancelled or asked to stop early
	EventWork     EventKind = "slipstick:work"     // a queue has a new permit
	EventLeft     EventKind = "slipstick:left"     // a caller left a job
)

// Event is a message about a job or a pool.
type Event struct {
	Kind     EventKind
	ID       string         // job; for EventWork the queue
	Progress tools.Progress // set for EventProgress
	Caller   string         // set for EventLeft
}

// Subscription receives events until Close.
type Subscription struct{ pubsub *redis.PubSub }

// Subscribe subscribes to the given kinds of events. It connects in the background and reconnects
// after an error.
func (s *Store) Subscribe(ctx context.Context, kinds ...EventKind) *Subscription {
	channels := make([]string, len(kinds))
	for i, k := range kinds {
		channels[i] = string(k)
	}
	return &Subscription{s.rdb.Subscribe(ctx, channels...)}
}

// Events iterates over the events until Close.
func (s *Subscription) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for m := range s.pubsub.Channel() {
			id, rest, _ := strings.Cut(m.Payload, " ")
			e := Event{Kind: EventKind(m.Channel), ID: id}
			switch e.Kind {
			case EventProgress:
				e.Progress = readProgress(rest)
			case EventLeft:
				e.Caller = rest
			}
			if !yield(e) {
				return
			}
		}
	}
}

// Unsubscribe ends the delivery of a kind of events.
func (s *Subscription) Unsubscribe(ctx context.Context, kind EventKind) error {
	return s.pubsub.Unsubscribe(ctx, string(kind))
}

// Close ends the subscription.
func (s *Subscription) Close() error { return s.pubsub.Close() }
