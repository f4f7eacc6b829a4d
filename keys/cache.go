package keys

import (
	"sync"
	"time"
)

// cache caches a limited number of look-ups by hash, in a newer and an older half. When the newer
// half is full, it replaces the older half. Entries of the replaced half are dropped unless they
// had a hit.
type cache struct {
	mu           sync.Mutex
	newer, older map[[32]byte]cacheEntry
	half         int
	epoch        uint64 // incremented by drop
}

// cacheEntry is the result of a look-up and the time when the look-up began.
type cacheEntry struct {
	record *Record // read only; nil if the key does not exist
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

// currentEpoch returns the epoch to pass to put. put then discards a look-up that began before
// drop.
func (c *cache) currentEpoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

func (c *cache) put(hash [32]byte, e cacheEntry, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if epoch == c.epoch {
		c.add(hash, e)
	}
}

func (c *cache) add(hash [32]byte, e cacheEntry) {
	if _, ok := c.newer[hash]; !ok && len(c.newer) >= c.half {
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
