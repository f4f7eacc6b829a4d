package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// eventChannel is the Redis channel for events that concern calls on other instances.
const eventChannel = "slipstick:mcp:news"

// publishTimeout is the time limit for publishing a client's notification in Redis.
const publishTimeout = time.Second

// clusterEvent is a message between instances: the cancellation of a request, or the end of a
// session.
type clusterEvent struct {
	Session string          `json:"session"`
	Cancel  json.RawMessage `json:"cancel,omitempty"` // the request's id
	Ended   bool            `json:"ended,omitempty"`
}

// eventBus exchanges events between instances. A lost cancellation only wastes worker time: the job
// is cancelled when the connection of its call ends. After a lost end, other instances accept the
// session until it expires.
type eventBus struct {
	server *Server
	pubsub *redis.PubSub // nil if there are no other instances
	ended  sync.WaitGroup
}

func newEventBus(s *Server) *eventBus {
	b := &eventBus{server: s}
	if s.opt.Redis != nil {
		b.pubsub = s.opt.Redis.Subscribe(context.Background(), eventChannel)
		b.ended.Go(b.listen)
	}
	return b
}

func (b *eventBus) listen() {
	for m := range b.pubsub.Channel() {
		var n clusterEvent
		if json.Unmarshal([]byte(m.Payload), &n) == nil {
			b.server.apply(n)
		}
	}
}

// publish applies an event on this instance and sends it to the other instances.
func (b *eventBus) publish(ctx context.Context, n clusterEvent) {
	b.server.apply(n)
	if b.pubsub == nil {
		return
	}
	body, err := json.Marshal(n)
	if err != nil {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer done()
	if err := b.server.opt.Redis.Publish(ctx, eventChannel, body).Err(); err != nil {
		b.server.opt.Log.Warn("other instances were not told of a cancellation", "error", err)
	}
}

func (b *eventBus) close() error {
	if b.pubsub == nil {
		return nil
	}
	err := b.pubsub.Close()
	b.ended.Wait()
	return err
}

// apply handles an event. mcp-go tracks the requests in flight on this instance and cancels the
// request with the given id.
func (s *Server) apply(n clusterEvent) {
	if n.Ended {
		s.sessions.end(n.Session)
	}
	if !isScalar(n.Cancel) {
		return
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "method": methodCancelled,
		"params": map[string]any{"requestId": n.Cancel},
	})
	if err == nil {
		s.engine.HandleMessage(s.engine.WithContext(context.Background(),
			sessionAdapter(n.Session)),
			body)
	}
}
