package analysis

import (
	"fmt"
	"time"

	"slipstick/spice/diag"
)

// Budget bounds one simulation.
type Budget struct {
	Newton  int           // Newton iterations
	Numbers int           // numbers stored for the result
	Wall    time.Duration // elapsed time
}

// DefaultBudget returns the limits of the service.
func DefaultBudget() Budget {
	return Budget{Newton: 2_000_000, Numbers: 5_000_000, Wall: 10 * time.Second}
}

// Usage is the part of a budget that analyses have used.
type Usage struct {
	Newton, Numbers int
	Wall            time.Duration
}

// Add adds the usage of the analysis with the given output, which took wall.
func (u *Usage) Add(out *Output, wall time.Duration) {
	u.Newton += out.Statistics.NewtonIterations
	u.Wall += wall
	u.Numbers += count(out)
}

// count returns the numbers that an output stores.
func count(out *Output) (n int) {
	for _, v := range out.Vectors {
		n += len(v.Values)
	}
	for _, t := range out.Traces {
		n += len(t.Real) + len(t.Imag)
	}
	return n
}

// Extended returns the larger of two needs: u, and needed after the usage before.
func (u Usage) Extended(before, needed Usage) Usage {
	u.Newton = max(u.Newton, before.Newton+needed.Newton)
	u.Numbers = max(u.Numbers, before.Numbers+needed.Numbers)
	return u
}

// everything is the need of an output that any other budget can change.
const everything = 1 << 50

// stores reports whether the budget has room for n numbers of this analysis, and records that need.
func (s *sim) stores(n int) bool {
	s.needed.Numbers = max(s.needed.Numbers, n)
	return n <= s.job.Budget.Numbers
}

// allows reports whether the budget has room for the given total of Newton iterations of this
// analysis, and records that need.
func (s *sim) allows(iterations float64) bool {
	if iterations > float64(s.job.Budget.Newton) {
		return false
	}
	s.needed.Newton = max(s.needed.Newton, int(iterations)+1)
	return true
}

// leastNumbers is the fraction of a budget's numbers that a further analysis needs to begin.
const leastNumbers = 1.0 / 500

// Exhausted names the limit that leaves no room for another analysis, or "".
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

// less returns the rest of the budget.
func (b Budget) less(u Usage) Budget {
	return Budget{Newton: b.Newton - u.Newton, Numbers: b.Numbers - u.Numbers,
		Wall: b.Wall - u.Wall}
}

// Limits beyond which a request is rejected without a try.
const (
	maxTimeRatio   = 1e7 // stop time over time step
	maxSweepPoints = 1e5
	maxDelays      = 1e5 // stop time over the delay of a transmission line
)

// hopeless is the error of a request beyond a limit.
func hopeless(line int, format string, args ...any) error {
	return diag.At(diag.HopelessRequest, line, format, args...)
}

// countIteration is called once per Newton iteration. It checks clock and context every 64th time;
// in large circuits, where an iteration with a pivot search takes milliseconds, more often.
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

// checkDeadline returns errBudget after the deadline, and an error when the context has ended.
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

// limit names the limit of the simulation that was reached.
func (s *sim) limit() string {
	if s.stats.NewtonIterations > s.job.Budget.Newton {
		return fmt.Sprintf("limit of %d Newton iterations", s.total.Newton)
	}
	return "time limit of " + s.total.Wall.String()
}
