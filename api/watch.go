package api

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"
)

// errGone means that the client left while it was waited for.
var errGone = fmt.Errorf("the client hung up: %w", context.Canceled)

// whileConnected gives a context that ends, with the cause errGone, when the client of conn hangs up. Neither Fiber nor
// fasthttp notices that before it writes (fasthttp issue 965). It must be stopped before the
// answer is written; after that the connection is as it was, keep-alive and pipelined requests
// included, because the watcher only looks and never reads.
//
// A client that shuts down its sending side counts as gone. Connections that are not plain
// sockets (TLS, tests) are not watched. It costs a goroutine and three system calls, so only
// the paths that wait use it.
func whileConnected(parent context.Context, conn net.Conn) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	release := func() { cancel(nil) }
	raw := rawConn(conn)
	if raw == nil {
		return ctx, release
	}
	// The deadline of reading the request is still set and would end the watch too early.
	if conn.SetReadDeadline(time.Time{}) != nil {
		return ctx, release
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		gone := false
		err := raw.Read(func(fd uintptr) bool {
			gone = hungUp(fd)
			return gone // else sleep until the socket changes
		})
		if err == nil && gone {
			cancel(errGone)
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
