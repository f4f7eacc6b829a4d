package analysis

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// PanicError is a panic in a goroutine of an analysis, with its stack trace. The goroutine of the
// caller panics with this error.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value of the panic and the stack trace.
func (p *PanicError) Error() string {
	return fmt.Sprintf("%v in a goroutine of an analysis\n%s", p.Value, p.Stack)
}

// task is a function in a goroutine of its own.
type task struct {
	done     chan struct{} // closed at the end of the function
	panicked *PanicError   // panic of the function; nil without a panic
}

// goTask runs f in a goroutine.
func goTask(f func()) *task {
	t := &task{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer func() {
			if p := recover(); p != nil {
				t.panicked = &PanicError{p, debug.Stack()}
			}
		}()
		f()
	}()
	return t
}

// wait returns after the end of the function. A panic of the function continues in wait.
func (t *task) wait() {
	<-t.done
	if t.panicked != nil {
		panic(t.panicked)
	}
}

// comparisonUnknowns is the largest number of unknowns of a circuit whose first comparison run has
// its own sim. It limits the memory, because both runs have a matrix and its factors.
const comparisonUnknowns = 3000

// comparison is the second run of a transient, whose tolerance does not depend on the first run. It
// has its own sim, because devices and factors keep data from one solution to the next. The result
// of the second run is therefore the same during and after the first run.
type comparison struct {
	tolRatio float64            // tolerance of the second run divided by that of the first
	cancel   context.CancelFunc // cancels the speculative run; nil without one
	task     *task              // speculative run; nil if the second run starts after the first
	limit    int                // limit of iterations of the speculative run
	// set while the caller waits, so that calls of Progress do not overlap
	reports  atomic.Bool
	fine     *stepper
	complete bool
	err      error
}

// newComparison returns the comparison run with tolRatio times the tolerance of the first run st.
// It returns nil if the circuit is too large. It also does so if the first run estimates its own
// error, which may replace or change the second run.
func (st *stepper) newComparison(tolRatio float64) *comparison {
	if st.variation != nil || st.radau != nil || st.n > comparisonUnknowns {
		return nil
	}
	return &comparison{tolRatio: tolRatio}
}

// stop cancels the speculative run and waits for its goroutine.
func (c *comparison) stop() {
	if c.task != nil {
		c.cancel()
		<-c.task.done
	}
}

// begin starts the second run speculatively if a second core is available. first is the first run,
// which has computed the state at t = 0.
func (c *comparison) begin(first *stepper) {
	if first.job.Cores < 2 {
		return
	}
	c.limit = leastRefinement + int(first.longestRefinement())
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(first.ctx)
	c.task = goTask(c.prepare(ctx, first, first.job.Budget.Newton, c.limit, firstRows))
}

// prepare returns the function of the second run. It reads only constant data of the first run.
// iterations is the remaining budget of Newton iterations, limit the limit of the second run, and
// rows the expected number of rows.
func (c *comparison) prepare(ctx context.Context, first *stepper, iterations, limit,
	rows int) func() {
	job := first.job
	job.Budget, job.Progress = first.total, nil
	if report := first.job.Progress; report != nil {
		job.Progress = func(phase string, fraction float64) {
			if c.reports.Load() {
				report(phase, fraction)
			}
		}
	}
	outputs, origin, deadline := first.chord.shown(), first.origin, first.deadline
	tolScale, maxStepScale := first.tolScale*c.tolRatio, first.finerMaxStep(c.tolRatio)
	return func() {
		var s *sim
		if s, c.err = newSim(ctx, job); c.err != nil {
			return
		}
		s.deadline, s.job.Budget.Newton = deadline, iterations
		fine := s.newStepper(outputs, tolScale, maxStepScale)
		fine.iterationLimit, fine.origin, fine.out.first = limit, origin, rows
		fine.chord.scale = math.Max(fine.chord.scale, 1)
		c.fine = fine
		c.complete, c.err = fine.run(firstProgress, 1)
	}
}

// result returns the second run as if it had started after the first one with the given limit of
// iterations. It adds the counters and warnings of the second run to the first sim s. A speculative
// run with more iterations is repeated.
func (c *comparison) result(first *stepper, limit, rows int) (*stepper, bool, error) {
	s := first.sim
	left := s.job.Budget.Newton - s.stats.NewtonIterations
	c.reports.Store(true)
	if c.task != nil {
		c.task.wait()
	}
	if c.task == nil ||
		c.fine != nil && c.fine.stats.NewtonIterations > min(limit, left, c.limit) {
		c.prepare(s.ctx, first, left, limit, rows)()
	}
	if c.fine == nil {
		return nil, false, c.err
	}
	second := c.fine.sim
	s.stats.NewtonIterations += second.stats.NewtonIterations
	s.stats.TimeSteps += second.stats.TimeSteps
	s.stats.RejectedSteps += second.stats.RejectedSteps
	s.needed.Numbers = max(s.needed.Numbers, second.needed.Numbers)
	for _, w := range second.warnings {
		s.warn(w)
	}
	c.fine.sim = s // later refinements and the accounting use the first sim
	return c.fine, c.complete, c.err
}
