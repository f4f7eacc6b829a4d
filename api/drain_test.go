package api

import (
	"bufio"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"slipstick/worker"
)

// TestDrainOfConnections verifies that a drain closes connections without a request after the delay
// and not before. It also verifies that responses to requests in flight, and to new requests on
// open connections, have Connection: close.
func TestDrainOfConnections(t *testing.T) {
	const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	q := newFakeQueue()
	s := start(t, Options{Queue: q, DrainDelay: 600 * time.Millisecond})
	silent, _ := dial(t, s)
	resting, restingReader := dial(t, s)
	active, activeReader := dial(t, s)
	for c, r := range map[net.Conn]*bufio.Reader{resting: restingReader, active: activeReader} {
		send(t, c, request)
		if a := receive(t, r); a.status != 200 || a.close {
			t.Fatalf("before the stop: %d, closed %v", a.status, a.close)
		}
	}
	waiting, waitingReader := dial(t, s)
	send(t, waiting, queuedRequest(""))
	q.awaitWaiters(t, 1)

	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for !s.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	send(t, active, request)
	if a := receive(t, activeReader); a.status != 200 || !a.close {
		t.Errorf("a response of the leaving server: %d, closed %v", a.status, a.close)
	}
	q.set(worker.Done, doneOutcome)
	if a := receive(t, waitingReader); a.status != 200 || !a.close {
		t.Errorf("a response to a request that began before: %d, closed %v", a.status, a.close)
	}
	for name, c := range map[string]net.Conn{"resting": resting, "silent": silent} {
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("the %s connection ends with %d bytes, %v", name, n, err)
		}
		if took := time.Since(began); took < 600*time.Millisecond {
			t.Errorf("the %s connection was closed %s after the stop, before the delay was over",
				name, took)
		}
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
