package usage

import (
	"time"

	"slipstick/keys"
)

// Debit asks for room on a counter, Count times Size calls. A call of size n is granted whole or
// not at all.
type Debit struct {
	Counter     string
	Limit       int64
	Size, Count int64
	TTL         time.Duration // how long the counter is needed
	// Record is what one granted call of a key has used, apart from its computing time, which Compute
	// has: at n-1 the milliseconds that the first n calls took together. No prefix: nothing is used.
	Record  keys.UsageRecord
	Compute []float64

	Granted int64 // of Count; filled in by Commit
	Used    int64 // the counter afterwards; filled in by Commit

	refused error // there was no memory to count it in
}

// granted is what the granted calls used; false for nothing.
func (t *Debit) granted() (keys.UsageRecord, bool) {
	u := t.Record
	if t.Granted == 0 || u.Prefix == "" {
		return u, false
	}
	u.Calls, u.ComputeMS = t.Granted, t.Compute[t.Granted-1]
	return u, true
}

// Adjustment changes a counter regardless of limits: calls given back (negative), or calls that were
// admitted while the Store could not be reached. A counter never falls below zero.
type Adjustment struct {
	Counter string
	Calls   int64
	TTL     time.Duration
}

// Batch is what a group of calls has to count.
type Batch struct {
	Writer      string // the process
	Number      int64  // rises with every batch of the writer; a number is applied once
	Debits      []Debit
	Adjustments []Adjustment
	Records     []keys.UsageRecord

	callers  int // whose counts it holds
	takeAt   map[debitKey]int
	adjustAt map[string]int
	useAt    map[recordKey]int
	done     chan struct{} // closed when it is decided: by the Book, or without it
}

type debitKey struct {
	counter string
	size    int64
	use     recordKey
}

type recordKey struct {
	prefix, tool string
	day          int64
	outcome      keys.Outcome
}

func keyOf(u keys.UsageRecord) recordKey { return recordKey{u.Prefix, u.Tool, u.Day.Unix(), u.Outcome} }

func newBatch() *Batch {
	return &Batch{takeAt: map[debitKey]int{}, adjustAt: map[string]int{}, useAt: map[recordKey]int{}, done: make(chan struct{})}
}

// take adds a call and says where it stands: in which Take, and as the how manieth of it.
func (b *Batch) take(one Debit) (entry int, place int64) {
	k := debitKey{one.Counter, one.Size, keyOf(one.Record)}
	i, ok := b.takeAt[k]
	if !ok {
		i = len(b.Debits)
		b.takeAt[k] = i
		one.Count, one.Compute = 0, nil
		b.Debits = append(b.Debits, one)
	}
	t := &b.Debits[i]
	t.Count++
	if one.Record.Prefix != "" {
		sum := one.Record.ComputeMS
		if n := len(t.Compute); n > 0 {
			sum += t.Compute[n-1]
		}
		t.Compute = append(t.Compute, sum)
		if one.Record.LastUsed.After(t.Record.LastUsed) {
			t.Record.LastUsed = one.Record.LastUsed
		}
	}
	return i, t.Count - 1
}

func (b *Batch) adjust(counter string, calls int64, life time.Duration) {
	i, ok := b.adjustAt[counter]
	if !ok {
		i = len(b.Adjustments)
		b.adjustAt[counter] = i
		b.Adjustments = append(b.Adjustments, Adjustment{Counter: counter, TTL: life})
	}
	b.Adjustments[i].Calls += calls
}

func (b *Batch) use(u keys.UsageRecord) {
	k := keyOf(u)
	i, ok := b.useAt[k]
	if !ok {
		b.useAt[k] = len(b.Records)
		b.Records = append(b.Records, u)
		return
	}
	sum := &b.Records[i]
	sum.Calls += u.Calls
	sum.ComputeMS += u.ComputeMS
	if u.LastUsed.After(sum.LastUsed) {
		sum.LastUsed = u.LastUsed
	}
}

// size is how much memory it holds, in entries.
func (b *Batch) size() int { return len(b.Adjustments) + len(b.Records) }
