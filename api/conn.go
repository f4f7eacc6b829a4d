package api

import (
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// timedListener hands out connections whose every write has its own deadline, and no more of
// them than there is room for.
type timedListener struct {
	net.Listener
	limit time.Duration
	crowd *crowd // nil: any number
}

func (l timedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if err != nil || !ok {
			return c, err
		}
		if l.crowd == nil {
			return &timedConn{Conn: tcp, tcp: tcp, limit: l.limit}, nil
		}
		if leave, full := l.crowd.enter(tcp.RemoteAddr()); full == nil {
			return &timedConn{Conn: tcp, tcp: tcp, limit: l.limit, leave: leave}, nil
		} else {
			l.crowd.refuse(tcp, full)
		}
	}
}

// timedConn is a TCP connection that a client cannot hold open by not reading. The server's own
// write timeout would count for a whole answer and cut streams.
type timedConn struct {
	net.Conn // not *net.TCPConn: its ReadFrom would write past Write
	tcp      *net.TCPConn
	limit    time.Duration
	armed    time.Time // when the deadline was last moved; one goroutine writes at a time
	lingers  atomic.Bool
	leave    func() // may be called more than once; nil for nothing
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
