package api

import (
	"errors"
	"net"
	"testing"
	"time"
)

// TestRefuseArrivals: a listener about to be closed hands out the connections it has, and the
// kernel ignores new ones instead of making them.
func TestRefuseArrivals(t *testing.T) {
	ln, err := NewListener(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	const waiting = 20
	for range waiting {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	refuseArrivals(ln)
	if c, err := net.DialTimeout("tcp", ln.Addr().String(), 300*time.Millisecond); err == nil {
		_ = c.Close()
		t.Error("a new connection was made")
	} else if timeout := net.Error(nil); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("a new connection was answered: %v", err)
	}
	for i := range waiting {
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
}
