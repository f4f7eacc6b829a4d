package listener

import (
	"context"
	"time"
)

// Time constants of a drain.
const (
	acceptDelay = 50 * time.Millisecond // time for handshakes that are in progress
	// acceptTimeout is the maximum time to accept the connections of the queue. Under load, the
	// server may not run for several 100 ms.
	acceptTimeout  = 2 * time.Second
	acceptInterval = time.Millisecond // interval between checks of the queue
	// finalRead is the time to read a request that arrives while its connection is being closed.
	finalReadTimeout = 5 * time.Millisecond
	drainInterval    = 20 * time.Millisecond // interval between passes over the connections
	closeAgainAfter  = time.Second           // time after which a close without effect is repeated
)

// Drain stops the listener without dropping an accepted request. Until delay has passed, it accepts
// connections as before while the server reports that it is not ready. It then stops accepting and
// closes each connection that has been idle for at least delay. It returns when no connection is
// left or ctx ends. It logs a message if the kernel cannot ignore new connections while the
// listener closes.
func (l *Listener) Drain(ctx context.Context, delay time.Duration) {
	l.draining.Store(true)
	time.Sleep(delay)
	// Closing a listener resets connections that wait to be accepted.
	if err := l.rejectNew(l.Listener); err != nil {
		l.opt.Log.Info("new connections cannot be ignored while the listener closes; "+
			"a connection made in that moment is reset", "error", err)
	}
	time.Sleep(acceptDelay)
	l.waitAccepted()
	_ = l.Listener.Close()
	l.closeIdle(ctx, delay)
}

// waitAccepted waits until the server has accepted every connection of the queue, but at most
// acceptTimeout. It returns at once if the system does not tell the length of the queue.
func (l *Listener) waitAccepted() {
	for end := time.Now().Add(acceptTimeout); time.Now().Before(end); time.Sleep(acceptInterval) {
		if n, err := acceptQueue(l.Listener); err != nil || n == 0 {
			return
		}
	}
}

// closeIdle closes every connection that has been idle for the given time. It returns when no
// connection is left or ctx ends.
//
// The shutdown of fasthttp is not used because it closes every connection between two requests,
// even if the next request has arrived but is unread.
func (l *Listener) closeIdle(ctx context.Context, idle time.Duration) {
	closed := map[*Conn]time.Time{}
	tick := time.NewTicker(drainInterval)
	defer tick.Stop()
	for {
		l.mu.Lock()
		left := len(l.open)
		now := time.Now()
		for c := range l.open {
			since := c.idleSince.Load()
			if since == 0 || now.Sub(time.Unix(0, since)) < idle ||
				now.Sub(closed[c]) < closeAgainAfter {
				continue
			}
			closed[c] = now
			c.closeIfIdle()
		}
		l.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
