// Package ratelimit limits the rate of calls per address with token buckets. It is local to the
// process and bounded in memory: evicted buckets were full, or their debt is dropped.
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

// Limiter has a bucket per address, by the generic cell rate algorithm (GCRA). It is safe for
// concurrent use.
type Limiter struct {
	rate   Rate
	step   int64 // emission interval: ns per call
	seed   maphash.Seed
	shards [shards]shard
}

const (
	shards   = 64
	perShard = 2048 // addresses; some 10 MB in all
)

// shard contains per address the theoretical arrival time (TAT), at which its bucket is full, in
// Unix ns. The bucket of another address is full.
type shard struct {
	mu  sync.Mutex
	tat map[netip.Addr]int64
}

// New returns a Limiter. A rate of zero or less sets no limit.
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

// Rate returns the rate in force.
func (l *Limiter) Rate() Rate { return l.rate }

// Reserve debits a call from the bucket of an address. It returns 0, or the time until a call is
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

// Refund returns a call to the bucket.
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

// evict drops full buckets. If none of those it visits is full it drops any bucket: at this number
// of addresses, one more full bucket does not matter.
func (p *shard) evict(now int64) {
	visited := 0
	for a, tat := range p.tat {
		if tat <= now {
			delete(p.tat, a)
		}
		if visited++; visited == 64 { // bounds the time of a call
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
