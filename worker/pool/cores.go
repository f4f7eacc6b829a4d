package pool

import (
	"runtime"
	"sync/atomic"
)

// coreShare divides the cores among the computations under way.
type coreShare struct{ running atomic.Int32 }

// begin counts a computation and returns the number of cores for it, at least 1: its part when it
// begins. The caller must call end.
func (s *coreShare) begin() int {
	return max(1, runtime.GOMAXPROCS(0)/int(s.running.Add(1)))
}

// end ends a computation.
func (s *coreShare) end() { s.running.Add(-1) }
