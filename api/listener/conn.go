package listener

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

// Conn is a TCP connection that a client cannot block by not reading. Each write has its own
// deadline, because the write timeout of fasthttp applies to a whole response and would cut
// streams.
type Conn struct {
	net.Conn     // not *net.TCPConn: its ReadFrom would bypass Write
	tcp          *net.TCPConn
	listener     *Listener
	writeTimeout time.Duration
	deadlineSet  time.Time // last change of the write deadline; used by the writer only
	lingers      atomic.Bool
	// release removes the connection from the connection counts. Repeated calls have no effect. It
	// is nil if the connection is not counted.
	release        func()
	idleSince      atomic.Int64 // Unix time when it became idle [ns]; 0 during a request
	hasRead        bool         // at least one byte was read
	closeRequested atomic.Bool  // closeIfIdle was called and read has not handled it yet

	buffer                 [1024]byte // read buffer; its bytes from first to last are unread
	unreadStart, unreadEnd int
}

// Read implements io.Reader. With ReduceMemoryUsage, fasthttp reads one byte before it allocates a
// buffer for a request. Conn buffers the bytes that arrive with it, so a typical request takes one
// system call.
func (c *Conn) Read(b []byte) (int, error) {
	if c.unreadStart == c.unreadEnd && len(b) == 1 {
		n, err := c.read(c.buffer[:])
		if n == 0 {
			return 0, err
		}
		c.unreadStart, c.unreadEnd = 0, n
	}
	if c.unreadStart < c.unreadEnd {
		n := copy(b, c.buffer[c.unreadStart:c.unreadEnd])
		c.unreadStart += n
		return n, nil
	}
	return c.read(b)
}

// read reads from the network. After closeIfIdle it reads once more. Bytes that have arrived, or a
// request in progress, keep the connection open; otherwise it returns io.EOF.
func (c *Conn) read(b []byte) (int, error) {
	n, err := c.tcp.Read(b)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) && c.closeRequested.Swap(false) {
		timeout, idle := c.writeTimeout, c.idleSince.Load() != 0
		if idle {
			timeout = finalReadTimeout
		}
		_ = c.tcp.SetReadDeadline(time.Now().Add(timeout))
		if n, err = c.tcp.Read(b); idle && errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF
		}
	}
	if n > 0 {
		c.hasRead = true
		c.idleSince.Store(0)
	}
	return n, err
}

// closeIfIdle makes Read return io.EOF unless a request has arrived.
func (c *Conn) closeIfIdle() {
	c.closeRequested.Store(true)
	_ = c.tcp.SetReadDeadline(time.Unix(1, 0)) // wakes Read
}

// TrackState records when a connection becomes idle between requests, and when a pipelined request
// begins. It serves as the ConnState function of a fasthttp server. It ignores connections of other
// listeners.
func TrackState(conn net.Conn, state fasthttp.ConnState) {
	c, ok := conn.(*Conn)
	switch {
	case !ok:
	case state == fasthttp.StateIdle && c.listener.draining.Load():
		c.idleSince.Store(time.Now().UnixNano())
	case state == fasthttp.StateIdle:
		c.idleSince.Store(1) // earlier than any drain; the exact time does not matter
	case state == fasthttp.StateActive && c.hasRead: // fasthttp reports new connections as active
		c.idleSince.Store(0)
	}
}

// pieceSize is the number of bytes that must be sent within the write timeout.
const pieceSize = 64 << 10

// Write implements io.Writer in pieces of 64 KiB. The deadline lies two write timeouts ahead. Write
// moves it only if half of that time has passed, so most writes set no timer. Each piece thus has
// one to two times the write timeout.
func (c *Conn) Write(b []byte) (written int, err error) {
	for {
		if now := time.Now(); now.Sub(c.deadlineSet) >= c.writeTimeout {
			if err := c.tcp.SetWriteDeadline(now.Add(2 * c.writeTimeout)); err != nil {
				return written, err
			}
			c.deadlineSet = now
		}
		n, err := c.tcp.Write(b[:min(len(b), pieceSize)])
		written += n
		if b = b[n:]; err != nil || len(b) == 0 {
			return written, err
		}
	}
}

// Linger makes Close discard the bytes that the client is still sending, at most 16 MiB within one
// second. Closing a socket with unread data resets the connection, and the client would lose the
// response that rejected its body.
func (c *Conn) Linger() { c.lingers.Store(true) }

// Limits for discarding a rejected body.
const (
	lingerBytes = 16 << 20
	lingerTime  = time.Second
)

// Close implements io.Closer.
func (c *Conn) Close() error {
	if c.release != nil {
		defer c.release()
	}
	if c.lingers.Load() && c.tcp.CloseWrite() == nil {
		_ = c.tcp.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.tcp, lingerBytes)
	}
	return c.tcp.Close()
}

// SyscallConn implements syscall.Conn for WhileConnected.
func (c *Conn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }
