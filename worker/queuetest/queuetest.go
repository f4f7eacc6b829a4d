// Package queuetest starts queues and workers for the tests of the packages that use them. Only
// tests import it.
package queuetest

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"slipstick/worker"
)

// Redis starts an embedded Redis and returns a client of it.
func Redis(t testing.TB) redis.UniversalClient {
	t.Helper()
	embedded, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(embedded.Stop)
	rdb, err := worker.Dial(embedded.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// Client returns a client of the queue.
func Client(t testing.TB, o worker.ClientOptions) *worker.Client {
	t.Helper()
	c, err := worker.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Serve runs a worker in this process until the test ends.
func Serve(t testing.TB, o worker.ServerOptions) {
	t.Helper()
	s, err := worker.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
}
