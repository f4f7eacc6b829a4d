// Package burst keeps anyone from taking more than a share of the service at one moment. It is
// local to the process and bounded in memory; what it forgets was full or is forgiven.
package burst

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
	rate  Rate
	step  int64 // ns until one call has refilled
	seed  maphash.Seed
	parts [parts]part
}

const (
	parts   = 64
	perPart = 2048 // addresses; some 10 MB in all
)

// part holds, for each address, when its bucket will be full again, in Unix ns. An address that
// is not there has a full bucket.
type part struct {
	mu   sync.Mutex
	full map[netip.Addr]int64
}

// New makes a Limiter. A rate of zero or less limits nothing.
func New(r Rate) *Limiter {
	l := &Limiter{rate: r, seed: maphash.MakeSeed()}
	if r.PerSecond > 0 {
		l.step = max(1, int64(float64(time.Second)/r.PerSecond))
		l.rate.Size = max(1, r.Size)
	}
	for i := range l.parts {
		l.parts[i].full = map[netip.Addr]int64{}
	}
	return l
}

// Rate is what was asked for.
func (l *Limiter) Rate() Rate { return l.rate }

// Take takes a call out of the address's bucket. It returns 0, or how long until there is one.
func (l *Limiter) Take(a netip.Addr, now time.Time) time.Duration {
	if l.step == 0 {
		return 0
	}
	p, at := l.part(a), now.UnixNano()
	p.mu.Lock()
	defer p.mu.Unlock()
	full, known := p.full[a]
	if full < at {
		full = at
	}
	if wait := full + l.step - (at + l.step*int64(l.rate.Size)); wait > 0 {
		return time.Duration(wait)
	}
	if !known && len(p.full) >= perPart {
		p.makeRoom(at)
	}
	p.full[a] = full + l.step
	return 0
}

// Return puts a call back.
func (l *Limiter) Return(a netip.Addr) {
	if l.step == 0 {
		return
	}
	p := l.part(a)
	p.mu.Lock()
	defer p.mu.Unlock()
	if full, ok := p.full[a]; ok {
		p.full[a] = full - l.step
	}
}

func (l *Limiter) part(a netip.Addr) *part {
	return &l.parts[maphash.Comparable(l.seed, a)%parts]
}

// makeRoom forgets the buckets that are full again. When that is not enough it forgets any one:
// with so many addresses at once, a bucket more for one of them changes nothing.
func (p *part) makeRoom(now int64) {
	looked := 0
	for a, full := range p.full {
		if full <= now {
			delete(p.full, a)
		}
		if looked++; looked == 64 { // a few at a time, so that no call pays for all
			break
		}
	}
	for a := range p.full {
		if len(p.full) < perPart {
			return
		}
		delete(p.full, a)
	}
}
