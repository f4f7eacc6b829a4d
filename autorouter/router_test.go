package autorouter

import (
	"context"
	"errors"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route"
)

// idle is a Router that leaves every connection open and counts the calls of Route.
type idle struct{ calls int }

func (r *idle) Route(_ context.Context, b *board.Board, _ route.Options) (route.Result, error) {
	r.calls++
	b.Tracks, b.Vias, b.Zones = nil, nil, nil
	return route.Result{Connections: 1, Unrouted: []route.Unrouted{{Net: 0, Reason: "idle"}}}, nil
}

// TestOtherRouter verifies that boards of another router are checked and reported like those of
// package route.
func TestOtherRouter(t *testing.T) {
	q := openBoard()
	q.Effort = "fast"
	l, err := newLayout(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &idle{}
	l.router = r
	o, err := l.bestOutcome(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.calls != 1 || o.opens != 1 || o.Reasons[0] != "idle" || len(o.DRC.Unrouted) != 1 {
		t.Errorf("%d calls, %d open, reasons %v", r.calls, o.opens, o.Reasons)
	}
}

// TestOptionalAttempt verifies that a stop ends the context of an optional attempt at the next call
// of now. Both Err and Done then indicate the end.
func TestOptionalAttempt(t *testing.T) {
	stop := make(chan struct{})
	s := newSchedule(time.Minute)
	s.stop = stop
	ctx, release := s.optional(context.Background())
	if s.now(); ctx.Err() != nil {
		t.Fatal("ended without a stop")
	}
	close(stop)
	s.now()
	select {
	case <-ctx.Done():
	default:
		t.Error("not done after the stop")
	}
	if ctx.Err() == nil {
		t.Error("no error after the stop")
	}
	if release(); s.cancel != nil {
		t.Error("a later stop would end the context of another attempt")
	}
}

// failing is a Router whose Route always returns err.
type failing struct{ err error }

func (r failing) Route(context.Context, *board.Board, route.Options) (route.Result, error) {
	return route.Result{}, r.err
}

// TestFailingRouter verifies that the layout returns the error of the first attempt, with and
// without a stop.
func TestFailingRouter(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		l, err := newLayout(openBoard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := errors.New("no board")
		l.router = failing{want}
		if stopped {
			stop := make(chan struct{})
			close(stop)
			l.schedule.stop = stop
		}
		if _, err := l.bestOutcome(context.Background()); !errors.Is(err, want) {
			t.Errorf("stopped %t: %v", stopped, err)
		}
	}
}
