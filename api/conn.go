package api

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// timedListener hands out connections whose every write has its own deadline, and no more of
// them than there is room for.
type timedListener struct {
	net.Listener
	patience time.Duration // for the first byte of a connection
	limit    time.Duration // for each write
	crowd    *crowd        // nil: any number
}

func (l timedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if err != nil || !ok {
			return c, err
		}
		// Of a connection that begins with nothing fasthttp says nothing: its own limit counts from
		// the first byte.
		if err := tcp.SetReadDeadline(time.Now().Add(l.patience)); err != nil {
			_ = tcp.Close()
			continue
		}
		t := &timedConn{Conn: tcp, tcp: tcp, limit: l.limit}
		t.rest.Store(time.Now().UnixNano())
		if l.crowd == nil {
			return t, nil
		}
		if full := l.crowd.enter(t); full != nil {
			l.crowd.refuse(tcp, full)
			continue
		}
		return t, nil
	}
}

// Close closes the listener; closing it again is no error.
func (l timedListener) Close() error {
	if err := l.Listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// timedConn is a TCP connection that a client cannot hold open by not reading. The server's own
// write timeout would count for a whole answer and cut streams.
type timedConn struct {
	net.Conn // not *net.TCPConn: its ReadFrom would write past Write
	tcp      *net.TCPConn
	limit    time.Duration
	armed    time.Time // when the deadline was last moved; one goroutine writes at a time
	lingers  atomic.Bool
	leave    func()       // may be called more than once; nil for nothing
	rest     atomic.Int64 // since when [ns] nothing is asked of the connection; 0 while something is
	heard    bool         // that anything was ever read
	told     atomic.Bool  // dismissed, and has not noticed yet

	ahead       [1024]byte // read already: ahead[first:last]
	first, last int
}

// Read reads. fasthttp, told to spare memory, gives a connection a buffer only when the first byte
// of a request is there, and asks for that byte alone; whatever came with it is kept here, so
// that a usual request still takes one system call.
func (c *timedConn) Read(b []byte) (int, error) {
	if c.first == c.last && len(b) == 1 {
		n, err := c.read(c.ahead[:])
		if n == 0 {
			return 0, err
		}
		c.first, c.last = 0, n
	}
	if c.first < c.last {
		n := copy(b, c.ahead[c.first:c.last])
		c.first += n
		return n, nil
	}
	return c.read(b)
}

// read reads from the network. A dismissed connection looks once more whether something has come
// after all: then it goes on, as one does that was dismissed in the middle of a request; else it
// has ended.
func (c *timedConn) read(b []byte) (int, error) {
	n, err := c.tcp.Read(b)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) && c.told.Swap(false) {
		patience, resting := c.limit, c.rest.Load() != 0
		if resting {
			patience = lastWord
		}
		_ = c.tcp.SetReadDeadline(time.Now().Add(patience))
		if n, err = c.tcp.Read(b); resting && errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF
		}
	}
	if n > 0 {
		c.heard = true
		c.rest.Store(0)
	}
	return n, err
}

// dismiss ends the connection if it is at rest.
func (c *timedConn) dismiss() {
	c.told.Store(true)
	_ = c.tcp.SetReadDeadline(time.Unix(1, 0)) // wakes Read
}

// follow notes when the connection comes to rest between requests, and when a request that was
// read together with the one before is begun.
func (s *Server) follow(conn net.Conn, state fasthttp.ConnState) {
	c, ok := conn.(*timedConn)
	switch {
	case !ok:
	case state == fasthttp.StateIdle && s.draining.Load():
		c.rest.Store(time.Now().UnixNano())
	case state == fasthttp.StateIdle:
		c.rest.Store(1) // long ago: before the server began to stop
	case state == fasthttp.StateActive && c.heard: // a new connection is called active at once
		c.rest.Store(0)
	}
}

// pieceSize is how much must leave within the limit.
const pieceSize = 64 << 10

// Write writes in pieces. The deadline is moved only when half of it has passed: the limit holds
// between once and twice, and most writes touch no timer.
func (c *timedConn) Write(b []byte) (written int, err error) {
	for {
		if now := time.Now(); now.Sub(c.armed) >= c.limit {
			if err := c.tcp.SetWriteDeadline(now.Add(2 * c.limit)); err != nil {
				return written, err
			}
			c.armed = now
		}
		n, err := c.tcp.Write(b[:min(len(b), pieceSize)])
		written += n
		if b = b[n:]; err != nil || len(b) == 0 {
			return written, err
		}
	}
}

// Linger makes Close wait for what the client is still sending. A socket closed with unread
// data resets the connection, and the client would lose the answer that refused its body.
func (c *timedConn) Linger() { c.lingers.Store(true) }

// lingerBytes and lingerTime bound how much of a refused body is thrown away.
const (
	lingerBytes = 16 << 20
	lingerTime  = time.Second
)

// Close closes the connection.
func (c *timedConn) Close() error {
	if c.leave != nil {
		defer c.leave()
	}
	if c.lingers.Load() && c.tcp.CloseWrite() == nil {
		_ = c.tcp.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.tcp, lingerBytes)
	}
	return c.tcp.Close()
}

// SyscallConn lets the watcher look at the socket.
func (c *timedConn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }
