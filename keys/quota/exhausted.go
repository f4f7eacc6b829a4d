package quota

import (
	"sync"
	"sync/atomic"
)

// maxExhausted bounds the number of counters in the set.
const maxExhausted = 100_000

// exhausted is the set of counters that rejected their last debit. It decides whether a call is
// made before or after its debit, never whether it is admitted, so that entries may be dropped.
type exhausted struct {
	n        atomic.Int64 // size of counters: an empty set is the usual case and needs no lock
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
	if len(s.counters) >= maxExhausted { // most are of earlier days
		clear(s.counters)
	}
	s.counters[counter] = true
}
