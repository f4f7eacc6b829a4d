package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// maxLine is the maximum size in bytes of a message on standard input.
const maxLine = 16 << 20

// Limits of long-running calls. Calls beyond maxConcurrentCalls wait. maxPendingBytes limits the
// bytes of all calls, each with two copies of its message and pendingOverhead for its goroutine.
const (
	maxConcurrentCalls = 64
	maxPendingBytes    = 64 << 20
	pendingOverhead    = 16 << 10
)

// ServeLines serves the protocol over a pair of streams, one message per line, until the input or
// ctx ends. All messages come from the given Caller. Responses are written in the order of
// completion. A long-running call that exceeds maxPendingBytes gets an error. At the end of the
// input, ServeLines completes the calls in progress. It returns an error if reading or writing
// fails.
func (s *Server) ServeLines(ctx context.Context, in io.Reader, out io.Writer, as Caller) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	responses := &lineWriter{out: out, cancel: cancel}
	var working sync.WaitGroup
	lines := make(chan []byte)
	read := make(chan error, 1)
	go func() { read <- readLines(ctx, in, lines) }()
	slots := make(chan struct{}, maxConcurrentCalls)
	var pending atomic.Int64 // bytes of long-running calls
	var err error
	for open := true; open; {
		select {
		case line := <-lines:
			x := s.read(line, as, nil)
			// Short calls are answered in order: the next message may need the handshake, and a
			// cancellation must not wait behind its call.
			if !x.IsLongRunning() {
				responses.write(x.line(ctx, responses.write))
				continue
			}
			size := 2*int64(len(line)) + pendingOverhead // the body and the parsed message
			if pending.Add(size) > maxPendingBytes {
				pending.Add(-size)
				responses.write(rpcError{
					Code:    protocol.INTERNAL_ERROR,
					Message: "too many calls are waiting; send the call again after some have ended",
				}.encode(x.message.id))
				continue
			}
			working.Go(func() {
				defer pending.Add(-size)
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return
				}
				defer func() { <-slots }()
				responses.write(x.line(ctx, responses.write))
			})
		case err = <-read:
			open = false
		case <-ctx.Done():
			open = false
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	} else if err != nil {
		cancel()
	}
	working.Wait() // calls in flight are answered even after the end of the input
	responses.mu.Lock()
	defer responses.mu.Unlock()
	return errors.Join(responses.err, err)
}

// lineWriter writes messages to a stream, one per line. Its methods may be called concurrently.
type lineWriter struct {
	out    io.Writer
	cancel context.CancelFunc // called after the first error
	mu     sync.Mutex         // serializes lines
	err    error              // first error
}

// write writes a message and a line end, or nothing for an empty message. The first error cancels
// the context.
func (w *lineWriter) write(line []byte) {
	if len(line) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(line, '\n')); err != nil && w.err == nil {
		w.err = fmt.Errorf("writing a response: %w", err)
		w.cancel()
	}
}

// line handles the message and returns the response, or nil for a notification.
func (x *Call) line(ctx context.Context, notify func([]byte)) []byte {
	response, err := x.Handle(ctx, notify)
	// cannot happen: the error reports an invalid key, and calls without quota have no key
	if err != nil {
		x.server.opt.Log.Error("unexpected error", "error", err)
	}
	return response.Body
}

// readLines sends the nonempty lines to a channel. It may outlive ctx because a read of standard
// input cannot be interrupted.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	for scanner.Scan() {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		select {
		case lines <- append([]byte(nil), scanner.Bytes()...):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	return io.EOF
}
