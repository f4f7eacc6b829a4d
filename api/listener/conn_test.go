package listener

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"
)

// options returns options with the given write timeout and with limits that the tests do not reach.
func options(write time.Duration) Options {
	return Options{FirstByte: time.Minute, WriteTimeout: write, Connections: 10, PerAddress: 10}
}

// send writes a text to a connection.
func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// pair returns the server's end and the client's end of a connection.
func pair(t *testing.T) (*Conn, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	c, err := New(ln, options(5*time.Second)).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*Conn), client
}

// TestCloseIfIdle verifies that closeIfIdle ends an idle connection unless an unread request has
// arrived, and that a request in progress continues.
func TestCloseIfIdle(t *testing.T) {
	b := make([]byte, 10)
	t.Run("at rest", func(t *testing.T) {
		c, _ := pair(t)
		c.closeIfIdle()
		if n, err := c.Read(b); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("with a request unread", func(t *testing.T) {
		c, client := pair(t)
		send(t, client, "abc")
		c.closeIfIdle()
		if n, err := c.Read(b); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("in the middle of a request", func(t *testing.T) {
		c, client := pair(t)
		send(t, client, "abc")
		if n, err := c.Read(b); n != 3 || err != nil {
			t.Fatal(n, err)
		}
		c.closeIfIdle()
		go func() {
			time.Sleep(20 * finalReadTimeout)
			_, _ = io.WriteString(client, "defg")
		}()
		if n, err := c.Read(b); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("a request that does not arrive is not closeIfIdle's doing", func(t *testing.T) {
		c, _ := pair(t)
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		var timeout net.Error
		if _, err := c.Read(b); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Error(err)
		}
	})
}

// TestClientThatDoesNotRead verifies that a response that the client does not read times out.
func TestClientThatDoesNotRead(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	c, err := New(ln, options(100*time.Millisecond)).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	began := time.Now()
	n, err := c.Write(make([]byte, 64<<20))
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() || n == 64<<20 {
		t.Errorf("wrote %d, %v", n, err)
	}
	// Without the limit of 0.1 s the write would never return. A loaded machine takes seconds.
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestConnectionLimits verifies that the limit per address leaves connections to other clients, and
// that trusted proxies and loopback addresses are exempt from it.
func TestConnectionLimits(t *testing.T) {
	proxies := netip.MustParsePrefix("10.0.0.0/8")
	o := Options{Connections: 10, PerAddress: 3, Trusted: proxies.Contains}
	for _, c := range []struct {
		address string
		room    int
	}{{"203.0.113.9", 3}, {"2001:db8::1", 3}, {"10.0.0.1", 10}, {"127.0.0.1", 10}, {"::1", 10}} {
		l := New(nil, o)
		var release []func()
		for {
			conn := connFrom(c.address)
			if reason := l.admit(conn); reason != nil {
				break
			}
			release = append(release, conn.release)
		}
		if len(release) != c.room {
			t.Errorf("%s may have %d connections, want %d", c.address, len(release), c.room)
		}
		if reason := l.admit(connFrom("198.51.100.1")); (reason == nil) != (c.room < 10) {
			t.Errorf("beside %s another address gets: %v", c.address, reason)
		}
		for _, end := range release {
			end()
			end() // a repeated call has no effect
		}
		if len(l.open) > 1 || len(l.byAddress) > 1 {
			t.Errorf("%s: %d connections are counted after all were closed", c.address, len(l.open))
		}
	}
}

// connFrom returns a connection that has a remote address only.
func connFrom(address string) *Conn {
	return &Conn{Conn: remote{addr: &net.TCPAddr{IP: net.ParseIP(address)}}}
}

type remote struct {
	net.Conn
	addr net.Addr
}

func (r remote) RemoteAddr() net.Addr { return r.addr }
