package api

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"slipstick/keys"
)

// spareConnections is how many connections fasthttp allows beyond our own limit. It would refuse
// with a line of text, so ours must come first.
const spareConnections = 256

// crowd knows the open connections and counts them: all of them, and those of each address, so that one client
// cannot hold all by sending its requests a byte at a time.
type crowd struct {
	all, each int
	proxies   Proxies
	lingering chan struct{} // a token for each refused connection that is being closed gently

	mu   sync.Mutex
	open map[*timedConn]struct{}
	by   map[netip.Addr]int
}

func (s *Server) newCrowd() *crowd {
	return &crowd{
		all: s.opt.Connections, each: s.opt.AddressConnections, proxies: s.opt.Proxies,
		lingering: make(chan struct{}, 64), open: map[*timedConn]struct{}{}, by: map[netip.Addr]int{},
	}
}

// enter counts a connection until it is closed, or says why it is refused.
func (w *crowd) enter(c *timedConn) (full *problemError) {
	var a netip.Addr
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		a = tcp.AddrPort().Addr().Unmap()
	}
	exempt := a.IsLoopback() || w.proxies.trust(a)
	a = keys.ClientPrefix(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) >= w.all {
		return newProblem(busy, "the server has as many connections as it takes; try again in 1 s").retryAfter(time.Second)
	}
	if w.by[a] >= w.each && !exempt {
		return newProblem(busy, "your address has %d connections open, which is as many as one may have; use them again instead of opening more", w.each).retryAfter(time.Second)
	}
	w.open[c] = struct{}{}
	w.by[a]++
	c.leave = sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, c)
		if w.by[a]--; w.by[a] == 0 {
			delete(w.by, a)
		}
	})
	return nil
}

// refuse answers before anything was read, and closes.
func (w *crowd) refuse(c *net.TCPConn, f *problemError) {
	id := requestID(nil, nil)
	body, err := marshal(f.problem(string(id)))
	if err == nil {
		_ = c.SetDeadline(time.Now().Add(lingerTime))
		_, _ = fmt.Fprintf(c, "HTTP/1.1 %d Service Unavailable\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s: %s\r\nCache-Control: no-store\r\nRetry-After: %s\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s",
			f.status, problemMediaType, len(body), hNoSniff, vNoSniff, seconds(f.retry), id, body)
	}
	select {
	case w.lingering <- struct{}{}:
		go func() {
			defer func() { <-w.lingering }()
			if c.CloseWrite() == nil { // else the request, still unread, would cost the client the answer
				_, _ = io.CopyN(io.Discard, c, maxHeader)
			}
			_ = c.Close()
		}()
	default:
		_ = c.Close()
	}
}
