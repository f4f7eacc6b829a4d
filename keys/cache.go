package keys

import (
	"sync"
	"time"
)

// cache remembers look-ups by hash, a bounded number of them: when the newer half is full it
// becomes the older half, and what was not asked for since is forgotten.
type cache struct {
	mu           sync.Mutex
	newer, older map[[32]byte]cacheEntry
	half         int
	epoch        uint64 // raised by drop
}

// cacheEntry is what a look-up found, and when it began.
type cacheEntry struct {
	record *Record // read only; nil for none
	at     time.Time
}

func newCache(size int) *cache {
	return &cache{newer: map[[32]byte]cacheEntry{}, half: max(1, size/2)}
}

func (c *cache) get(hash [32]byte) (cacheEntry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.newer[hash]
	if !ok && len(c.older) > 0 {
		if e, ok = c.older[hash]; ok {
			c.add(hash, e)
		}
	}
	return e, ok
}

// mark is handed to put, so that a look-up that began before a drop does not undo it.
func (c *cache) mark() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

func (c *cache) put(hash [32]byte, e cacheEntry, mark uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if mark == c.epoch {
		c.add(hash, e)
	}
}

func (c *cache) add(hash [32]byte, e cacheEntry) {
	if _, there := c.newer[hash]; !there && len(c.newer) >= c.half {
		c.newer, c.older = map[[32]byte]cacheEntry{}, c.newer
	}
	c.newer[hash] = e
}

func (c *cache) drop(hash [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.newer, hash)
	delete(c.older, hash)
}
