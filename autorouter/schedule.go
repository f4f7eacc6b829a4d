package autorouter

import (
	"context"
	"time"

	"slipstick/autorouter/budget"
)

// The wall-clock guard ends a layout after guardFactor times the time limit, at least minWallGuard
// and at most maxWallGuard. On an overloaded machine it ensures an answer before the caller's
// timeout.
const (
	guardFactor  = 10
	minWallGuard = time.Minute
	maxWallGuard = 4 * time.Minute
)

// finishTime is the time left for the present attempt after a stop. A hundred parts take half of
// it.
const finishTime = 5 * time.Second

// schedule is the time budget of a layout and its only clock. Time is the work done, as its time on
// a typical core, so the load of the machine does not influence the result. A schedule is for one
// goroutine.
type schedule struct {
	meter    *budget.Meter    // work of all attempts
	limit    time.Duration    // time limit; 0 for none
	deadline time.Time        // by clock
	clock    func() time.Time // workClock, or that of a test
	wall     func() time.Time // clock of the machine, for the guard alone
	start    time.Time        // by wall

	stop    <-chan struct{}    // closed when the caller wants no further attempt; nil for never
	stopped time.Time          // by clock, when stop was first seen
	speed   float64            // of now after stopped
	cancel  context.CancelFunc // ends an optional attempt; nil for none
}

func newSchedule(limit time.Duration) *schedule {
	s := &schedule{meter: &budget.Meter{}, limit: limit, wall: time.Now, start: time.Now()}
	s.deadline, s.clock = time.Unix(0, 0).Add(limit), s.workClock
	return s
}

// workClock returns the time of the work done on a typical core. The wall clock counts only after
// its guard: earlier it would make the result depend on the load.
func (s *schedule) workClock() time.Time {
	spent := s.meter.Spent()
	if s.limit > 0 {
		guard := min(max(guardFactor*s.limit, minWallGuard), maxWallGuard)
		if s.wall().Sub(s.start) >= guard {
			spent = max(spent, s.limit)
		}
	}
	return time.Unix(0, 0).Add(spent)
}

// now returns the time that deadlines are compared with. A stop ends an optional attempt. For other
// attempts it compresses the time until the deadline to finishTime, so each phase of the router
// keeps its share.
func (s *schedule) now() time.Time {
	t := s.clock()
	if !s.stopRequested() {
		return t
	}
	if s.cancel != nil {
		s.cancel()
	}
	if s.stopped.IsZero() {
		s.stopped, s.speed = t, max(1, float64(s.deadline.Sub(t))/float64(finishTime))
	}
	return s.stopped.Add(time.Duration(s.speed * float64(t.Sub(s.stopped))))
}

// timeUp reports whether no further attempt may begin.
func (s *schedule) timeUp() bool { return !s.now().Before(s.deadline) || s.stopRequested() }

// left returns the time until the deadline.
func (s *schedule) left() time.Duration { return s.deadline.Sub(s.now()) }

// stopRequested reports whether the caller wants no further attempt.
func (s *schedule) stopRequested() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// optional returns the context of an attempt that is not needed for a result. A stop cancels it at
// the next call of now, which placement and router make in every phase.
func (s *schedule) optional(ctx context.Context) (context.Context, func()) {
	if s.stop == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	return ctx, func() {
		s.cancel = nil
		cancel()
	}
}
