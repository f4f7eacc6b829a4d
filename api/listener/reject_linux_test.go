package listener

import (
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRejectNewConnections verifies that a closing listener returns its pending connections and the
// kernel ignores new ones. It also verifies that the listener works if the kernel rejects the
// filter.
func TestRejectNewConnections(t *testing.T) {
	t.Run("by this kernel", func(t *testing.T) {
		err := checkArrivals(t, attachFilter)
		switch {
		case errors.Is(err, unix.EPERM):
			t.Logf("this kernel refuses the filter to user %d (%v): new connections were made as before", unix.Getuid(), err)
		case err != nil:
			t.Error(err)
		default:
			t.Logf("this kernel allows the filter to user %d: new connections were ignored",
				unix.Getuid())
		}
	})
	t.Run("refused", func(t *testing.T) {
		err := checkArrivals(t, func(int, *unix.SockFprog) error { return unix.EPERM })
		if !errors.Is(err, unix.EPERM) {
			t.Errorf("the refusal is dropped: %v", err)
		}
	})
	t.Run("a listener that is no socket", func(t *testing.T) {
		if err := rejectNewConnections(struct {
			net.Listener
		}{}); !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	})
}

// checkArrivals attaches the filter while connections wait in a listener, then checks these and a
// new one. It returns the error of the filter.
func checkArrivals(t *testing.T, attach func(int, *unix.SockFprog) error) (refused error) {
	t.Helper()
	ln, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	const waiting = 20
	arrive := func(patience time.Duration) error {
		c, err := net.DialTimeout("tcp", ln.Addr().String(), patience)
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = c.Close() })
		_, err = c.Write([]byte("x"))
		return err
	}
	for range waiting {
		if err := arrive(10 * time.Second); err != nil {
			t.Fatal(err)
		}
	}
	refused = filterSYN(ln, attach)
	handedOut := waiting
	if refused != nil {
		handedOut++
		if err := arrive(10 * time.Second); err != nil {
			t.Errorf("without the filter, a new connection: %v", err)
		}
	} else if err := arrive(300 * time.Millisecond); err == nil {
		t.Error("a new connection was made")
	} else if timeout := net.Error(nil); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("a new connection was answered: %v", err)
	}
	for i := range handedOut {
		c, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		if n, err := c.Read(make([]byte, 1)); n != 1 {
			t.Errorf("connection %d: %v", i, err)
		}
	}
	return refused
}

// TestFilterErrorIsLogged verifies that the rejection of the filter is logged once, and that Drain
// still closes the listener.
func TestFilterErrorIsLogged(t *testing.T) {
	ln, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	l := New(ln, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	l.rejectNew = func(ln net.Listener) error {
		return filterSYN(ln, func(int, *unix.SockFprog) error { return unix.EPERM })
	}
	l.Drain(t.Context(), 0)
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
	const message = "new connections cannot be ignored"
	if strings.Count(log.String(), message) != 1 ||
		!strings.Contains(log.String(), unix.EPERM.Error()) {
		t.Errorf("the log has the message %d times:\n%s", strings.Count(log.String(), message),
			&log)
	}
}

// TestDrainAcceptsQueue verifies that Drain does not reset connections that the server has not
// accepted when acceptDelay ends.
func TestDrainAcceptsQueue(t *testing.T) {
	ln, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := New(ln, Options{FirstByte: time.Minute, WriteTimeout: time.Minute, Connections: 9,
		PerAddress: 9})
	const waiting = 3
	for range waiting {
		c, err := net.DialTimeout("tcp", ln.Addr().String(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	n, err := acceptQueue(ln)
	for end := time.Now().Add(5 * time.Second); n < waiting && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // the kernel may be late to complete the handshakes
		n, err = acceptQueue(ln)
	}
	if n != waiting || err != nil {
		t.Errorf("%d connections wait, %v", n, err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		l.Drain(t.Context(), 0)
	}()
	time.Sleep(2 * acceptDelay)
	for i := range waiting {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		if n, err := c.Read(make([]byte, 1)); n != 1 {
			t.Errorf("connection %d: %v", i, err)
		}
		_ = c.Close()
	}
	<-drained
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}
