package autorouter

import (
	"context"
	"time"

	"slipstick/autorouter/budget"
)

// The wall-clock guard ends a layout after guardFactor times the time limit, clamped to the range
// from minWallGuard to maxWallGuard. On an overloaded machine it ensures a response before the
// timeout of the caller.
const (
	guardFactor  = 10
	minWallGuard = time.Minute
	maxWallGuard = 4 * time.Minute
)

// finishTime is the time that the current attempt has left after a stop. A board of 100 parts needs
// half of it.
const finishTime = 5 * time.Second

// schedule is the time budget of a layout and its only clock. Its time is the work done, converted
// to processor time on a typical core, so the load of the machine does not influence the result.
// Each goroutine needs a separate schedule; see split.
type schedule struct {
	meter    *budget.Meter    // work of all attempts, or of one parallel attempt
	earlier  time.Duration    // work done before meter started
	limit    time.Duration    // time limit of the layout; 0 disables the wall-clock guard
	deadline time.Time        // end of the budget, in the time of this schedule
	clock    func() time.Time // clock of a test; nil selects workClock
	wall     func() time.Time // wall clock, which only the guard uses
	start    time.Time        // start of the layout on the wall clock

	stop    <-chan struct{}    // closed to forbid further attempts; a nil channel never stops
	stopped time.Time          // time at which stop was first noticed
	speed   float64            // factor by which the result of now advances faster after a stop
	cancel  context.CancelFunc // cancels the optional attempt; nil without one
}

func newSchedule(limit time.Duration) *schedule {
	s := &schedule{meter: &budget.Meter{}, limit: limit, wall: time.Now, start: time.Now()}
	s.deadline = time.Unix(0, 0).Add(limit)
	return s
}

// split returns one schedule for each of n parallel attempts. Each has an equal share of the
// remaining time, at most the given limit. Each has a separate meter, so the work of one attempt
// does not influence the others. For n = 1 without a limit (0) it returns s itself.
func (s *schedule) split(n int, limit time.Duration) []*schedule {
	if n == 1 && limit == 0 {
		return []*schedule{s}
	}
	out := make([]*schedule, n)
	now := s.time()
	share := s.deadline.Sub(now) / time.Duration(n)
	if limit > 0 {
		share = min(share, limit)
	}
	for i := range out {
		one := *s
		one.meter, one.earlier = &budget.Meter{}, s.earlier+s.meter.Spent()
		one.deadline = now.Add(share)
		out[i] = &one
	}
	return out
}

// join adds the work of an attempt to s. The schedule one is a result of split.
func (s *schedule) join(one *schedule) {
	if one != s {
		s.meter.AddSpent(one.meter.Spent())
	}
}

// time returns the current time, measured by the work done or by the clock of a test.
func (s *schedule) time() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return s.workClock()
}

// workClock returns the work done as time on a typical core. The wall clock counts only after the
// guard has expired, because it depends on the load of the machine.
func (s *schedule) workClock() time.Time {
	spent := s.earlier + s.meter.Spent()
	if s.limit > 0 {
		guard := min(max(guardFactor*s.limit, minWallGuard), maxWallGuard)
		if s.wall().Sub(s.start) >= guard {
			spent = max(spent, s.limit)
		}
	}
	return time.Unix(0, 0).Add(spent)
}

// now returns the time for comparison with deadlines. After a stop it cancels an optional attempt.
// For any other attempt the returned time then advances faster. The time until the deadline thus
// shrinks to finishTime, and each phase of the router keeps its share.
func (s *schedule) now() time.Time {
	t := s.time()
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

// timeUp reports whether no further attempt may start.
func (s *schedule) timeUp() bool { return !s.now().Before(s.deadline) || s.stopRequested() }

// left returns the time until the deadline.
func (s *schedule) left() time.Duration { return s.deadline.Sub(s.now()) }

// stopRequested reports whether the caller has closed stop.
func (s *schedule) stopRequested() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// optional returns a cancellable context for an attempt whose result is not required, and a
// function that releases it. After a stop, the next call of now cancels the context. Placement and
// routing call now in every phase.
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
