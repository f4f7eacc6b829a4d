package api

import (
	"context"
	"net"
	"time"
)

// Timing of a stop.
const (
	lastArrivals = 50 * time.Millisecond // how long connections that were already being made may take to be accepted
	lastWord     = 5 * time.Millisecond  // how long a dismissed connection is listened to once more
	dismissEvery = 20 * time.Millisecond // how often connections are looked at
	dismissAgain = time.Second           // after which one that did not hear it is told again
)

// drain ends a server in the order in which nobody who reached it is left without an answer:
// while the delay lasts it serves on, says on /readyz that it is leaving and closes each
// connection with its answer; then it takes no more connections; then it closes those that have
// been at rest for as long as the delay, and waits for the others to be answered.
func (s *Server) drain(ctx context.Context, ln net.Listener, open *crowd) {
	s.draining.Store(true)
	time.Sleep(s.opt.DrainDelay)
	// Closing a listener resets the connections that wait in it to be accepted.
	if err := s.refuseArrivals(ln); err != nil {
		s.opt.Log.Info("new connections cannot be ignored while the listener closes; one that is made in that moment is reset", "error", err)
	}
	time.Sleep(lastArrivals)
	_ = ln.Close()
	open.dismiss(ctx, s.opt.DrainDelay)
}

// dismiss closes every connection that has been at rest for some time, and returns when there is
// none left or ctx ends.
//
// fasthttp's own shutdown closes every connection between two requests, also one whose next
// request has arrived and is not read yet.
func (w *crowd) dismiss(ctx context.Context, rest time.Duration) {
	told := map[*timedConn]time.Time{}
	tick := time.NewTicker(dismissEvery)
	defer tick.Stop()
	for {
		w.mu.Lock()
		left := len(w.open)
		now := time.Now()
		for c := range w.open {
			since := c.rest.Load()
			if since == 0 || now.Sub(time.Unix(0, since)) < rest || now.Sub(told[c]) < dismissAgain {
				continue
			}
			told[c] = now
			c.dismiss()
		}
		w.mu.Unlock()
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
