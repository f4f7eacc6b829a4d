package quota

import (
	"sync"
	"sync/atomic"
)

// maxExhausted is how many counters are remembered as used up.
const maxExhausted = 100_000

// exhausted remembers which counters had no room when they were last asked. It only decides in which
// order things are done, never whether a call is let in, so it may forget.
type exhausted struct {
	n        atomic.Int64 // how many
	mu       sync.RWMutex
	counters map[string]bool
}

// any reports whether there are some at all. Mostly there are none.
func (s *exhausted) any() bool { return s.n.Load() > 0 }

func (s *exhausted) has(counter string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.counters[counter]
}

func (s *exhausted) set(counter string, full bool) {
	if !full && !s.any() || s.has(counter) == full {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.n.Store(int64(len(s.counters))) }()
	if !full {
		delete(s.counters, counter)
		return
	}
	if len(s.counters) >= maxExhausted { // those of earlier days among them
		clear(s.counters)
	}
	s.counters[counter] = true
}
