package ratelimit

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	now  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	ann  = netip.MustParseAddr("203.0.113.7")
	bert = netip.MustParseAddr("203.0.113.8")
)

func TestTake(t *testing.T) {
	l := New(Rate{PerSecond: 10, Size: 3})
	for i, c := range []struct {
		address netip.Addr
		at      time.Duration
		wait    time.Duration
	}{
		{ann, 0, 0}, {ann, 0, 0}, {ann, 0, 0}, // uses the tokens of a full bucket
		{ann, 0, 100 * time.Millisecond},
		{ann, 60 * time.Millisecond, 40 * time.Millisecond},
		{bert, 60 * time.Millisecond, 0},
		{ann, 100 * time.Millisecond, 0}, // one token has refilled
		{ann, 100 * time.Millisecond, 100 * time.Millisecond},
		// The bucket fills only up to its size.
		{ann, 10 * time.Second, 0}, {ann, 10 * time.Second, 0}, {ann, 10 * time.Second, 0},
		{ann, 10 * time.Second, 100 * time.Millisecond},
		{netip.Addr{}, 0, 0},
	} {
		if wait := l.Reserve(c.address, now.Add(c.at)); wait != c.wait {
			t.Errorf("%d: %s, want %s", i, wait, c.wait)
		}
	}
	l.Refund(ann)
	if wait := l.Reserve(ann, now.Add(10*time.Second)); wait != 0 {
		t.Errorf("after a return: %s", wait)
	}
	for _, r := range []Rate{{}, {PerSecond: -1, Size: 5}} {
		off := New(r)
		for range 1000 {
			if wait := off.Reserve(ann, now); wait != 0 {
				t.Fatalf("%+v: %s", r, wait)
			}
		}
		off.Refund(ann)
	}
}

func TestExactUnderConcurrency(t *testing.T) {
	l := New(Rate{PerSecond: 1e-6, Size: 100})
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			if l.Reserve(ann, now) == 0 {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n != 100 {
		t.Errorf("%d taken, want 100", n)
	}
}

// TestBounded verifies that memory is bounded for any number of addresses, and that an address
// above its rate remains limited among many others.
func TestBounded(t *testing.T) {
	l := New(Rate{PerSecond: 1, Size: 2})
	var raw [16]byte
	raw[0] = 0x20
	for i := range uint64(4 * shards * perShard) {
		binary.BigEndian.PutUint64(raw[8:], i)
		l.Reserve(netip.AddrFrom16(raw), now)
	}
	total := 0
	for i := range l.shards {
		total += len(l.shards[i].tat)
	}
	if total > shards*perShard {
		t.Errorf("%d addresses are kept, at most %d should be", total, shards*perShard)
	}
	later := now.Add(time.Hour) // all buckets are full again
	for i := range 100 {
		binary.BigEndian.PutUint64(raw[8:], uint64(1e9+i))
		l.Reserve(netip.AddrFrom16(raw), later)
	}
	rejected := 0
	for range 10 {
		if l.Reserve(ann, later) > 0 {
			rejected++
		}
	}
	if rejected != 8 {
		t.Errorf("%d of 10 rejected, want 8", rejected)
	}
}

func BenchmarkTake(b *testing.B) {
	l := New(Rate{PerSecond: 1e9, Size: 1e9})
	for b.Loop() {
		l.Reserve(ann, now)
	}
}
