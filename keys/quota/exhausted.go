package quota

import (
	"sync"
	"sync/atomic"
)

// maxExhausted is the maximum number of counters in the set.
const maxExhausted = 100_000

// exhausted is the set of counters that rejected their last debit. It determines only whether a
// call is executed before or after its debit, not whether the call is admitted. Entries may
// therefore be dropped.
type exhausted struct {
	n        atomic.Int64 // number of counters; usually 0, which makes the lock unnecessary
	mu       sync.RWMutex
	counters map[string]bool
}

func (s *exhausted) has(counter string) bool {
	if s.n.Load() == 0 {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.counters[counter]
}

func (s *exhausted) set(counter string, full bool) {
	if s.has(counter) == full {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.n.Store(int64(len(s.counters))) }()
	if !full {
		delete(s.counters, counter)
		return
	}
	if len(s.counters) >= maxExhausted { // most entries belong to earlier days
		clear(s.counters)
	}
	s.counters[counter] = true
}
