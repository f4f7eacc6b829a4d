package listener

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Options configures a Listener.
type Options struct {
	// FirstByte is the maximum time from a connection to its first byte. WriteTimeout is the
	// maximum time for sending a piece of 64 KiB. Both must be positive.
	FirstByte, WriteTimeout time.Duration
	// Connections and PerAddress limit the open connections in total and per address; both must
	// be positive.
	Connections, PerAddress int
	// Prefix maps an address to the prefix that identifies a client, such as the /64 of an IPv6
	// address. If it is nil, each address is a client.
	Prefix func(netip.Addr) netip.Addr
	// Trusted reports whether an address is exempt from PerAddress. Loopback addresses are always
	// exempt. If it is nil, no other address is.
	Trusted func(netip.Addr) bool
	// Reject returns the HTTP response to a connection beyond a limit. reason is ErrFull or an
	// *AddressLimitError. If Reject is nil or returns nothing, the connection is closed.
	Reject func(reason error) []byte
	Log    *slog.Logger // default slog.Default()
}

// ErrFull is the reason for a rejection when Options.Connections connections are open.
var ErrFull = errors.New("the connection limit of the server is reached")

// AddressLimitError is the reason for a rejection when the address has Limit open connections.
type AddressLimitError struct{ Limit int }

// Error implements the error interface.
func (e *AddressLimitError) Error() string {
	return fmt.Sprintf("the limit of %d connections per address is reached", e.Limit)
}

// Limits for rejecting a connection. Its request is read and discarded before the connection is
// closed, because a reset could lose the response.
const (
	maxRejecting   = 64 // maximum number of rejected connections that are read concurrently
	discardedBytes = 8 << 10
)

// Listener limits and counts the connections of a TCP listener.
type Listener struct {
	net.Listener
	opt       Options
	draining  atomic.Bool
	rejecting chan struct{} // semaphore of rejected connections that are being read

	mu        sync.Mutex
	open      map[*Conn]struct{}
	byAddress map[netip.Addr]int

	rejectNew func(net.Listener) error // replaced in tests
}

// Listen listens on a TCP address such as ":8080" in a way that allows Drain to stop without
// resets. It disables Multipath TCP, Go's default, because MPTCP sockets do not support the packet
// filter of Drain.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	return config.Listen(ctx, "tcp", addr)
}

// New returns a Listener that accepts from ln, which should come from Listen.
func New(ln net.Listener, o Options) *Listener {
	o.Log = cmp.Or(o.Log, slog.Default())
	return &Listener{
		Listener: ln, opt: o, rejectNew: rejectNewConnections,
		rejecting: make(chan struct{}, maxRejecting),
		open:      map[*Conn]struct{}{}, byAddress: map[netip.Addr]int{},
	}
}

// Accept returns the next connection; it is a *Conn if it is a TCP connection. Connections beyond a
// limit are rejected and not returned.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if err != nil || !ok {
			return c, err
		}
		// fasthttp sets no read deadline for the first byte of a connection.
		if err := tcp.SetReadDeadline(time.Now().Add(l.opt.FirstByte)); err != nil {
			_ = tcp.Close()
			continue
		}
		conn := &Conn{Conn: tcp, tcp: tcp, listener: l, writeTimeout: l.opt.WriteTimeout}
		conn.idleSince.Store(time.Now().UnixNano())
		if err := l.admit(conn); err != nil {
			l.reject(tcp, err)
			continue
		}
		return conn, nil
	}
}

// Close closes the listener. Closing a closed listener returns nil.
func (l *Listener) Close() error {
	if err := l.Listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// admit counts a connection until it is closed, or returns the reason for rejecting it.
func (l *Listener) admit(c *Conn) error {
	var a netip.Addr
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		a = tcp.AddrPort().Addr().Unmap()
	}
	exempt := a.IsLoopback() || l.opt.Trusted != nil && l.opt.Trusted(a)
	if l.opt.Prefix != nil {
		a = l.opt.Prefix(a)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.opt.Connections {
		return ErrFull
	}
	if l.byAddress[a] >= l.opt.PerAddress && !exempt {
		return &AddressLimitError{l.opt.PerAddress}
	}
	l.open[c] = struct{}{}
	l.byAddress[a]++
	c.release = sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, c)
		if l.byAddress[a]--; l.byAddress[a] == 0 {
			delete(l.byAddress, a)
		}
	})
	return nil
}

// reject writes the response before it reads the request, then closes the connection.
func (l *Listener) reject(c *net.TCPConn, reason error) {
	if l.opt.Reject != nil {
		if response := l.opt.Reject(reason); len(response) > 0 {
			_ = c.SetDeadline(time.Now().Add(lingerTime))
			_, _ = c.Write(response)
		}
	}
	select {
	case l.rejecting <- struct{}{}:
		go func() {
			defer func() { <-l.rejecting }()
			if c.CloseWrite() == nil {
				_, _ = io.CopyN(io.Discard, c, discardedBytes)
			}
			_ = c.Close()
		}()
	default:
		_ = c.Close()
	}
}
