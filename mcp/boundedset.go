package mcp

import "sync"

// boundedSet is a set of names with bounded memory. It keeps at least the newest limit/2 names and
// never more than limit.
type boundedSet struct {
	half     int
	mu       sync.RWMutex
	now, old map[string]struct{}
}

func newBoundedSet(limit int) *boundedSet {
	return &boundedSet{half: max(1, limit/2), now: map[string]struct{}{}}
}

func (r *boundedSet) add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.now[name]; ok {
		return
	}
	if len(r.now) >= r.half {
		r.old, r.now = r.now, map[string]struct{}{}
	}
	r.now[name] = struct{}{}
}

func (r *boundedSet) has(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if _, ok := r.now[name]; ok {
		return true
	}
	_, ok := r.old[name]
	return ok
}
