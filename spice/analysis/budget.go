package analysis

import (
	"fmt"
	"time"

	"slipstick/spice/diag"
)

// Budget limits the effort of one simulation.
type Budget struct {
	Newton  int           // largest number of Newton iterations, without those of a damped run
	Numbers int           // largest number of values stored for the result
	Wall    time.Duration // longest elapsed time
}

// DefaultBudget returns the default limits of the service.
func DefaultBudget() Budget {
	return Budget{Newton: 2_000_000, Numbers: 5_000_000, Wall: 10 * time.Second}
}

// Usage is the part of a Budget that analyses have consumed.
type Usage struct {
	Newton, Numbers int
	Wall            time.Duration
}

// Add adds the usage of an analysis that produced out in the elapsed time wall.
func (u *Usage) Add(out *Output, wall time.Duration) {
	u.Newton += out.Statistics.NewtonIterations
	u.Wall += wall
	u.Numbers += count(out)
}

// count returns the number of values that an output stores.
func count(out *Output) (n int) {
	for _, v := range out.Vectors {
		n += len(v.Values)
	}
	for _, t := range out.Traces {
		n += len(t.Real) + len(t.Imag)
	}
	return n
}

// Extended returns the maximum of u and the sum of before and needed, for each limit except time.
func (u Usage) Extended(before, needed Usage) Usage {
	u.Newton = max(u.Newton, before.Newton+needed.Newton)
	u.Numbers = max(u.Numbers, before.Numbers+needed.Numbers)
	return u
}

// everything is recorded as the required usage if any change of the budget can alter the output.
const everything = 1 << 50

// allowsValues reports whether the budget has room for n values of this analysis. It records n as
// required.
func (s *sim) allowsValues(n int) bool {
	s.needed.Numbers = max(s.needed.Numbers, n)
	return n <= s.job.Budget.Numbers
}

// allowsIterations reports whether the budget covers the given total number of Newton iterations of
// this analysis. If it does, the number is recorded as required.
func (s *sim) allowsIterations(iterations float64) bool {
	if iterations > float64(s.job.Budget.Newton) {
		return false
	}
	s.needed.Newton = max(s.needed.Newton, int(iterations)+1)
	return true
}

// leastNumbers is the fraction of the limit of stored values that must be free before a further
// analysis starts.
const leastNumbers = 1.0 / 500

// Exhausted returns the name of the limit that leaves no room for another analysis, or "" if
// another analysis may start.
func (b Budget) Exhausted(u Usage) string {
	switch {
	case u.Newton >= b.Newton:
		return fmt.Sprintf("limit of %d Newton iterations", b.Newton)
	case float64(u.Numbers) > (1-leastNumbers)*float64(b.Numbers):
		return fmt.Sprintf("limit of %d stored numbers", b.Numbers)
	case u.Wall >= b.Wall:
		return "time limit of " + b.Wall.String()
	}
	return ""
}

// less returns the budget that remains after the usage u.
func (b Budget) less(u Usage) Budget {
	return Budget{Newton: b.Newton - u.Newton, Numbers: b.Numbers - u.Numbers,
		Wall: b.Wall - u.Wall}
}

// Requests beyond these limits are rejected before any computation.
const (
	maxTimeRatio    = 1e7 // stop time divided by time step
	maxLimitedSteps = 1e6 // steps that a spectrum requests, from its window to the stop time
	maxSweepPoints  = 1e5
	maxDelays       = 1e5 // stop time divided by the delay of a transmission line
)

// hopeless returns the error for a request that exceeds a limit.
func hopeless(line int, format string, args ...any) error {
	return diag.At(diag.HopelessRequest, line, format, args...)
}

// Advice of tooManyNumbers.
const (
	fewerPoints          = "use fewer points"
	fewerPointsOrVectors = fewerPoints + ", or select vectors with .save"
)

// tooManyNumbers returns the error for an analysis whose result has more numbers than the budget
// allows. advice names the ways to need fewer.
func (s *sim) tooManyNumbers(numbers int, advice string) error {
	return hopeless(s.job.Analysis.Line, ".%s asks for %d numbers; at most %d are stored: %s",
		s.job.Analysis.Kind, numbers, s.job.Budget.Numbers, advice)
}

// countIteration counts a Newton iteration. It checks the deadline and the context every 64th time,
// and more often in large circuits, where a pivot search takes milliseconds.
func (s *sim) countIteration() error {
	s.stats.NewtonIterations++
	if s.stats.NewtonIterations > s.job.Budget.Newton {
		return errBudget
	}
	if s.stats.NewtonIterations%min(64, 1+2000/(s.n+1)) == 0 {
		return s.checkDeadline()
	}
	return nil
}

// checkDeadline returns errBudget after the deadline and a *diag.Error if the context is done.
func (s *sim) checkDeadline() error {
	if err := s.ctx.Err(); err != nil {
		return &diag.Error{Code: diag.Canceled, Field: "netlist",
			Detail: "the simulation was cancelled", Cause: err}
	}
	if time.Now().After(s.deadline) {
		return errBudget
	}
	return nil
}

// limit returns the name of the limit that the simulation has reached.
func (s *sim) limit() string {
	if s.stats.NewtonIterations > s.job.Budget.Newton {
		return fmt.Sprintf("limit of %d Newton iterations", s.total.Newton)
	}
	return "time limit of " + s.total.Wall.String()
}
