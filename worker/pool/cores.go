package pool

import (
	"runtime"
	"sync/atomic"
)

// coreShare divides the cores among the computations in progress.
type coreShare struct{ running atomic.Int32 }

// begin counts a computation and returns its number of cores: an equal share at this time, at least
// 1. The caller must call end.
func (s *coreShare) begin() int {
	return max(1, runtime.GOMAXPROCS(0)/int(s.running.Add(1)))
}

// end removes a computation from the count.
func (s *coreShare) end() { s.running.Add(-1) }
