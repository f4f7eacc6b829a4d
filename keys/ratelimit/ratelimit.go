// Package ratelimit limits the rate of calls per address with token buckets. It is local to the
// process and bounded in memory: evicted buckets were full, or their debt is dropped.
package ratelimit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// Rate is a bucket of Size calls that refills with PerSecond.
type Rate struct {
	PerSecond float64
	Size      int
}

// Limiter keeps a bucket for each address. It is safe for concurrent use.
type Limiter struct {
	rate   Rate
	step   int64 // ns until one call has refilled
	seed   maphash.Seed
	shards [shards]shard
}

const (
	shards   = 64
	perShard = 2048 // addresses; some 10 MB in all
)

// shard holds, for each address, when its bucket will be full again, in Unix ns. An address that
// is not there has a full bucket.
type shard struct {
	mu  sync.Mutex
	tat map[netip.Addr]int64
}

// New makes a Limiter. A rate of zero or less limits nothing.
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

// Rate is what was asked for.
func (l *Limiter) Rate() Rate { return l.rate }

// Reserve takes a call out of the address's bucket. It returns 0, or how long until there is one.
func (l *Limiter) Reserve(a netip.Addr, now time.Time) time.Duration {
	if l.step == 0 {
		return 0
	}
	p, at := l.shard(a), now.UnixNano()
	p.mu.Lock()
	defer p.mu.Unlock()
	full, known := p.tat[a]
	if full < at {
		full = at
	}
	if wait := full + l.step - (at + l.step*int64(l.rate.Size)); wait > 0 {
		return time.Duration(wait)
	}
	if !known && len(p.tat) >= perShard {
		p.evict(at)
	}
	p.tat[a] = full + l.step
	return 0
}

// Refund puts a call back.
func (l *Limiter) Refund(a netip.Addr) {
	if l.step == 0 {
		return
	}
	p := l.shard(a)
	p.mu.Lock()
	defer p.mu.Unlock()
	if full, ok := p.tat[a]; ok {
		p.tat[a] = full - l.step
	}
}

func (l *Limiter) shard(a netip.Addr) *shard {
	return &l.shards[maphash.Comparable(l.seed, a)%shards]
}

// evict forgets the buckets that are full again. When that is not enough it forgets any one:
// with so many addresses at once, a bucket more for one of them changes nothing.
func (p *shard) evict(now int64) {
	looked := 0
	for a, full := range p.tat {
		if full <= now {
			delete(p.tat, a)
		}
		if looked++; looked == 64 { // a few at a time, so that no call pays for all
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
