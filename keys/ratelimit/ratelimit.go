// Package ratelimit limits the rate of calls per address with token buckets. The buckets are local
// to the process, and their memory is bounded. At the bound, a bucket is evicted, and its address
// starts again with a full bucket.
package ratelimit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// Rate is a bucket of Size calls that refills at PerSecond calls per second.
type Rate struct {
	PerSecond float64
	Size      int
}

// Limiter has a token bucket per address and uses the generic cell rate algorithm (GCRA). It is
// safe for concurrent use.
type Limiter struct {
	rate   Rate
	step   int64 // emission interval: ns per call
	seed   maphash.Seed
	shards [shards]shard
}

const (
	shards   = 64
	perShard = 2048 // addresses per shard; about 10 MB in all shards
)

// shard maps addresses to their theoretical arrival time (TAT) [Unix ns], at which the bucket is
// full. An address without an entry has a full bucket.
type shard struct {
	mu  sync.Mutex
	tat map[netip.Addr]int64
}

// New returns a Limiter. A rate of zero or less means no limit.
func New(r Rate) *Limiter {
	l := &Limiter{rate: r, seed: maphash.MakeSeed()}
	if r.PerSecond > 0 {
		l.step = max(1, int64(float64(time.Second)/r.PerSecond))
		l.rate.Size = max(1, r.Size)
	}
	for i := range l.shards {
		l.shards[i].tat = map[netip.Addr]int64{}
	}
	return l
}

// Rate returns the rate of the limiter.
func (l *Limiter) Rate() Rate { return l.rate }

// Reserve takes a token from the bucket of an address. It returns 0, or the time until a token is
// available.
func (l *Limiter) Reserve(a netip.Addr, now time.Time) time.Duration {
	if l.step == 0 {
		return 0
	}
	p, at := l.shard(a), now.UnixNano()
	p.mu.Lock()
	defer p.mu.Unlock()
	tat, known := p.tat[a]
	if tat < at {
		tat = at
	}
	if wait := tat + l.step - (at + l.step*int64(l.rate.Size)); wait > 0 {
		return time.Duration(wait)
	}
	if !known && len(p.tat) >= perShard {
		p.evict(at)
	}
	p.tat[a] = tat + l.step
	return 0
}

// Refund returns a token to the bucket of an address.
func (l *Limiter) Refund(a netip.Addr) {
	if l.step == 0 {
		return
	}
	p := l.shard(a)
	p.mu.Lock()
	defer p.mu.Unlock()
	if tat, ok := p.tat[a]; ok {
		p.tat[a] = tat - l.step
	}
}

func (l *Limiter) shard(a netip.Addr) *shard {
	return &l.shards[maphash.Comparable(l.seed, a)%shards]
}

// evict removes full buckets. If no visited bucket is full, it removes an arbitrary one. Among so
// many addresses, the tokens that its address gains do not matter.
func (p *shard) evict(now int64) {
	visited := 0
	for a, tat := range p.tat {
		if tat <= now {
			delete(p.tat, a)
		}
		if visited++; visited == 64 { // bounds the time of an eviction
			break
		}
	}
	for a := range p.tat {
		if len(p.tat) < perShard {
			return
		}
		delete(p.tat, a)
	}
}
