package listener

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"
)

// ErrClientGone is the cancellation cause of a context of WhileConnected.
var ErrClientGone = fmt.Errorf("the client hung up: %w", context.Canceled)

// WhileConnected returns a context that is cancelled with the cause ErrClientGone when the client
// of conn disconnects. Neither Fiber nor fasthttp detects that before it writes (fasthttp issue
// 965). stop must be called before the response is written. The watcher only peeks at the socket,
// so pipelined requests are not lost.
//
// A client that shuts down its sending side counts as disconnected. Connections without a socket
// (TLS, tests) are not watched. A watch costs a goroutine and three system calls, so only handlers
// that wait use it.
func WhileConnected(parent context.Context, conn net.Conn) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	release := func() { cancel(nil) }
	raw := rawConn(conn)
	if raw == nil {
		return ctx, release
	}
	// The read deadline of the request is still set and would end the watch early.
	if conn.SetReadDeadline(time.Time{}) != nil {
		return ctx, release
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		gone := false
		err := raw.Read(func(fd uintptr) bool {
			gone = disconnected(fd)
			return gone // false makes the poller wait until the socket is readable
		})
		if err == nil && gone {
			cancel(ErrClientGone)
		}
	}()
	return ctx, func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // wakes the watcher
		<-done
		_ = conn.SetReadDeadline(time.Time{})
		release()
	}
}

func rawConn(conn net.Conn) syscall.RawConn {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
