package api

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRefuseArrivals: a listener about to be closed hands out the connections it has, and the
// kernel ignores new ones instead of making them. Where the kernel refuses the filter, the listener
// works as before.
func TestRefuseArrivals(t *testing.T) {
	t.Run("by this kernel", func(t *testing.T) {
		err := checkArrivals(t, attachFilter)
		switch {
		case errors.Is(err, unix.EPERM):
			t.Logf("this kernel refuses the filter to user %d (%v): new connections were made as before", unix.Getuid(), err)
		case err != nil:
			t.Error(err)
		default:
			t.Logf("this kernel allows the filter to user %d: new connections were ignored", unix.Getuid())
		}
	})
	t.Run("refused", func(t *testing.T) {
		err := checkArrivals(t, func(int, *unix.SockFprog) error { return unix.EPERM })
		if !errors.Is(err, unix.EPERM) {
			t.Errorf("the refusal is dropped: %v", err)
		}
	})
	t.Run("a listener that is no socket", func(t *testing.T) {
		if err := refuseArrivals(struct{ net.Listener }{}); !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	})
}

// checkArrivals lets connections wait in a listener, filters it, and checks what becomes of them and
// of a new one. It gives the filter's error.
func checkArrivals(t *testing.T, attach func(int, *unix.SockFprog) error) (refused error) {
	t.Helper()
	ln, err := NewListener(t.Context(), "127.0.0.1:0")
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
	refused = filterArrivals(ln, attach)
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

// TestRefusedFilterIsLogged: the log says once that the filter could not be attached, and the
// server stops in order all the same.
func TestRefusedFilterIsLogged(t *testing.T) {
	s := start(t, Options{})
	s.refuseArrivals = func(ln net.Listener) error {
		return filterArrivals(ln, func(int, *unix.SockFprog) error { return unix.EPERM })
	}
	if r := s.call(t, "GET", "/healthz", ""); r.status != 200 {
		t.Fatal(r.status)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	const told = "new connections cannot be ignored"
	if log := s.log.String(); strings.Count(log, told) != 1 || !strings.Contains(log, unix.EPERM.Error()) {
		t.Errorf("the log holds it %d times:\n%s", strings.Count(log, told), log)
	}
}
