package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// newsChannel carries what an instance heard that concerns calls running on another.
const newsChannel = "slipstick:mcp:news"

// publishPatience is how long a client's notification may wait for Redis.
const publishPatience = time.Second

// news is a message between instances: a request of a session is cancelled, or the session ends.
type news struct {
	Session string          `json:"session"`
	Cancel  json.RawMessage `json:"cancel,omitempty"` // the request's id
	Ended   bool            `json:"ended,omitempty"`
}

// broadcast carries news between instances. A message that is lost costs only worker time: the
// job is cancelled when the connection of its call ends.
type broadcast struct {
	server *Server
	pubsub *redis.PubSub // nil where there is no other instance
	ended  sync.WaitGroup
}

func newBroadcast(s *Server) *broadcast {
	b := &broadcast{server: s}
	if s.opt.Redis != nil {
		b.pubsub = s.opt.Redis.Subscribe(context.Background(), newsChannel)
		b.ended.Go(b.listen)
	}
	return b
}

func (b *broadcast) listen() {
	for m := range b.pubsub.Channel() {
		var n news
		if json.Unmarshal([]byte(m.Payload), &n) == nil {
			b.server.hear(n)
		}
	}
}

// spread acts on news here and tells the other instances.
func (b *broadcast) spread(ctx context.Context, n news) {
	b.server.hear(n)
	if b.pubsub == nil {
		return
	}
	body, err := json.Marshal(n)
	if err != nil {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), publishPatience)
	defer done()
	if err := b.server.opt.Redis.Publish(ctx, newsChannel, body).Err(); err != nil {
		b.server.opt.Log.Warn("other instances were not told of a cancellation", "error", err)
	}
}

func (b *broadcast) close() error {
	if b.pubsub == nil {
		return nil
	}
	err := b.pubsub.Close()
	b.ended.Wait()
	return err
}

// hear acts on news. mcp-go knows the requests in flight here and cancels the one that is meant.
func (s *Server) hear(n news) {
	if n.Ended {
		s.sessions.end(n.Session)
	}
	if !scalar(n.Cancel) {
		return
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "method": methodCancelled, "params": map[string]any{"requestId": n.Cancel},
	})
	if err == nil {
		s.engine.HandleMessage(s.engine.WithContext(context.Background(), conversation(n.Session)), body)
	}
}
