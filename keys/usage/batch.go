package usage

import (
	"time"

	"slipstick/keys"
)

// Debit is a debit of Count requests of Size calls each from a counter. Each request is granted
// entirely or not at all.
type Debit struct {
	Counter     string
	Limit       int64
	Size, Count int64
	TTL         time.Duration // TTL of the counter
	// Record is the usage of one granted request without its computing time. Compute[n-1] is the
	// total computing time of the first n requests in ms. If the prefix is empty, nothing is
	// recorded.
	Record  keys.UsageRecord
	Compute []float64

	Granted int64 // number of granted requests; set by Commit
	Used    int64 // value of the counter after the debit; set by Commit

	rejected error // ErrFull, or nil
}

// granted returns the usage record of the granted requests. It returns false if no request is
// granted or the requests are not recorded.
func (d *Debit) granted() (keys.UsageRecord, bool) {
	u := d.Record
	if d.Granted == 0 || u.Prefix == "" {
		return u, false
	}
	u.Calls, u.ComputeMS = d.Granted, d.Compute[d.Granted-1]
	return u, true
}

// Adjustment changes a counter without checking a limit. It is negative for a refund, and positive
// for calls admitted while the Store was unavailable. A counter never falls below zero.
type Adjustment struct {
	Counter string
	Calls   int64
	TTL     time.Duration
}

// Batch contains the counts of a group of calls.
type Batch struct {
	Writer      string // id of the process, or unique to a Once batch
	Number      int64  // increases with every batch of a writer; each number is applied once
	Once        bool   // the only batch of its writer; any process may commit it again
	Finalizes   string // writer of the Once debit that this batch finalizes, or ""
	Debits      []Debit
	Adjustments []Adjustment
	Records     []keys.UsageRecord

	callers  int // number of calls
	debitAt  map[debitKey]int
	adjustAt map[string]int
	recordAt map[recordKey]int
	done     chan struct{} // closed when the Store or this process has decided the debits
}

// Batch numbers of a writer with a Once batch: of the applied batch, and of a void one.
const (
	onceNumber = 1
	voidNumber = 2
)

type debitKey struct {
	counter string
	size    int64
	record  recordKey
}

type recordKey struct {
	prefix, tool string
	day          int64
	outcome      keys.Outcome
}

func keyOf(u keys.UsageRecord) recordKey {
	return recordKey{u.Prefix, u.Tool, u.Day.Unix(), u.Outcome}
}

func newBatch() *Batch {
	return &Batch{
		debitAt: map[debitKey]int{}, adjustAt: map[string]int{}, recordAt: map[recordKey]int{},
		done: make(chan struct{}),
	}
}

// debit adds a request. It returns the index of its Debit and the position within that Debit.
func (b *Batch) debit(d Debit) (index int, position int64) {
	k := debitKey{d.Counter, d.Size, keyOf(d.Record)}
	i, ok := b.debitAt[k]
	if !ok {
		i = len(b.Debits)
		b.debitAt[k] = i
		d.Count, d.Compute = 0, nil
		b.Debits = append(b.Debits, d)
	}
	group := &b.Debits[i]
	group.Count++
	if d.Record.Prefix != "" {
		sum := d.Record.ComputeMS
		if n := len(group.Compute); n > 0 {
			sum += group.Compute[n-1]
		}
		group.Compute = append(group.Compute, sum)
		if d.Record.LastUsed.After(group.Record.LastUsed) {
			group.Record.LastUsed = d.Record.LastUsed
		}
	}
	return i, group.Count - 1
}

func (b *Batch) adjust(counter string, calls int64, ttl time.Duration) {
	i, ok := b.adjustAt[counter]
	if !ok {
		i = len(b.Adjustments)
		b.adjustAt[counter] = i
		b.Adjustments = append(b.Adjustments, Adjustment{Counter: counter, TTL: ttl})
	}
	b.Adjustments[i].Calls += calls
}

func (b *Batch) record(u keys.UsageRecord) {
	k := keyOf(u)
	i, ok := b.recordAt[k]
	if !ok {
		b.recordAt[k] = len(b.Records)
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

// size returns the number of entries that a repeated commit sends.
func (b *Batch) size() int { return len(b.Adjustments) + len(b.Records) }
