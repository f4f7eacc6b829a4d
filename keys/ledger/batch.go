package ledger

import (
	"time"

	"slipstick/keys"
)

// Take asks for room on a counter, Count times Size calls. A call of size n is granted whole or
// not at all.
type Take struct {
	Counter     string
	Limit       int64
	Size, Count int64
	Life        time.Duration // how long the counter is needed
	// Use is what one granted call of a key has used, apart from its computing time, which Compute
	// has: at n-1 the milliseconds that the first n calls took together. No prefix: nothing is used.
	Use     keys.UsageRecord
	Compute []float64

	Granted int64 // of Count; filled in by Commit
	Used    int64 // the counter afterwards; filled in by Commit

	refused error // there was no memory to count it in
}

// granted is what the granted calls used; false for nothing.
func (t *Take) granted() (keys.UsageRecord, bool) {
	u := t.Use
	if t.Granted == 0 || u.Prefix == "" {
		return u, false
	}
	u.Calls, u.ComputeMS = t.Granted, t.Compute[t.Granted-1]
	return u, true
}

// Adjust changes a counter regardless of limits: calls given back (negative), or calls that were
// admitted while the Book could not be reached. A counter never falls below zero.
type Adjust struct {
	Counter string
	Calls   int64
	Life    time.Duration
}

// Batch is what a group of calls has to count.
type Batch struct {
	Writer  string // the process
	Number  int64  // rises with every batch of the writer; a number is applied once
	Takes   []Take
	Adjusts []Adjust
	Uses    []keys.UsageRecord

	callers  int // whose counts it holds
	takeAt   map[takeKey]int
	adjustAt map[string]int
	useAt    map[useKey]int
	done     chan struct{} // closed when it is decided: by the Book, or without it
}

type takeKey struct {
	counter string
	size    int64
	use     useKey
}

type useKey struct {
	prefix, tool string
	day          int64
	outcome      keys.Outcome
}

func keyOf(u keys.UsageRecord) useKey { return useKey{u.Prefix, u.Tool, u.Day.Unix(), u.Outcome} }

func newBatch() *Batch {
	return &Batch{takeAt: map[takeKey]int{}, adjustAt: map[string]int{}, useAt: map[useKey]int{}, done: make(chan struct{})}
}

// take adds a call and says where it stands: in which Take, and as the how manieth of it.
func (b *Batch) take(one Take) (entry int, place int64) {
	k := takeKey{one.Counter, one.Size, keyOf(one.Use)}
	i, ok := b.takeAt[k]
	if !ok {
		i = len(b.Takes)
		b.takeAt[k] = i
		one.Count, one.Compute = 0, nil
		b.Takes = append(b.Takes, one)
	}
	t := &b.Takes[i]
	t.Count++
	if one.Use.Prefix != "" {
		sum := one.Use.ComputeMS
		if n := len(t.Compute); n > 0 {
			sum += t.Compute[n-1]
		}
		t.Compute = append(t.Compute, sum)
		if one.Use.LastUsed.After(t.Use.LastUsed) {
			t.Use.LastUsed = one.Use.LastUsed
		}
	}
	return i, t.Count - 1
}

func (b *Batch) adjust(counter string, calls int64, life time.Duration) {
	i, ok := b.adjustAt[counter]
	if !ok {
		i = len(b.Adjusts)
		b.adjustAt[counter] = i
		b.Adjusts = append(b.Adjusts, Adjust{Counter: counter, Life: life})
	}
	b.Adjusts[i].Calls += calls
}

func (b *Batch) use(u keys.UsageRecord) {
	k := keyOf(u)
	i, ok := b.useAt[k]
	if !ok {
		b.useAt[k] = len(b.Uses)
		b.Uses = append(b.Uses, u)
		return
	}
	sum := &b.Uses[i]
	sum.Calls += u.Calls
	sum.ComputeMS += u.ComputeMS
	if u.LastUsed.After(sum.LastUsed) {
		sum.LastUsed = u.LastUsed
	}
}

// size is how much memory it holds, in entries.
func (b *Batch) size() int { return len(b.Adjusts) + len(b.Uses) }
