package store

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Embedded is a Redis server inside this process, for a service that consists of a single process.
// Jobs and results are lost when the process ends.
type Embedded struct {
	mini     *miniredis.Miniredis
	password string
	quit     chan struct{}
	ended    sync.WaitGroup
}

// embeddedTick is the time resolution of key expiry. Each tick visits all keys, which takes 0.14 ms
// per thousand keys.
const embeddedTick = 250 * time.Millisecond

// StartEmbedded starts an Embedded on a free port of the loopback interface. A random password
// denies access to other users of the machine.
func StartEmbedded() (*Embedded, error) {
	e := &Embedded{
		mini: miniredis.NewMiniRedis(), password: Nonce() + Nonce(), quit: make(chan struct{}),
	}
	e.mini.RequireAuth(e.password)
	if err := e.mini.Start(); err != nil {
		return nil, err
	}
	e.ended.Go(e.runClock)
	return e, nil
}

// runClock advances the clock because miniredis does not expire keys by itself.
func (e *Embedded) runClock() {
	tick := time.NewTicker(embeddedTick)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case now := <-tick.C:
			e.mini.FastForward(now.Sub(last))
			last = now
		case <-e.quit:
			return
		}
	}
}

// URL returns the URL for Dial.
func (e *Embedded) URL() string { return "redis://:" + e.password + "@" + e.mini.Addr() + "/0" }

// Stop stops the server. It must be called only once, after clients and workers are closed.
func (e *Embedded) Stop() {
	close(e.quit)
	e.ended.Wait()
	e.mini.Close()
}
