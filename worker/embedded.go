package worker

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Embedded is a Redis inside this process, for a service that is one process and nothing
// else. Jobs and results live in memory and end with the process.
type Embedded struct {
	mini     *miniredis.Miniredis
	password string
	quit     chan struct{}
	ended    sync.WaitGroup
}

// embeddedTick drives the clock: keys expire this much early or late at most. Each tick walks all keys
// that expire, 0.14 ms for a thousand.
const embeddedTick = 250 * time.Millisecond

// StartEmbedded starts one on a free port of the loopback interface. A random password keeps
// other users of the machine out.
func StartEmbedded() (*Embedded, error) {
	e := &Embedded{mini: miniredis.NewMiniRedis(), password: nonce() + nonce(), quit: make(chan struct{})}
	e.mini.RequireAuth(e.password)
	if err := e.mini.Start(); err != nil {
		return nil, err
	}
	e.ended.Go(e.drive)
	return e, nil
}

// drive lets time pass: miniredis expires nothing by itself.
func (e *Embedded) drive() {
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

// URL is what Dial takes to reach it.
func (e *Embedded) URL() string { return "redis://:" + e.password + "@" + e.mini.Addr() + "/0" }

// Stop ends it, once. Clients and servers are closed before.
func (e *Embedded) Stop() {
	close(e.quit)
	e.ended.Wait()
	e.mini.Close()
}
