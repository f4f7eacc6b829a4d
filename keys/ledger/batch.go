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

	Granted int64 // of Count; filled in by Commit
	Used    int64 // the counter afterwards; filled in by Commit
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
	Uses    []keys.Use

	takeAt   map[takeKey]int
	adjustAt map[string]int
	useAt    map[useKey]int
	done     chan struct{} // closed when it was committed or has failed
	failed   bool
}

type takeKey struct {
	counter string
	size    int64
}

type useKey struct {
	prefix, tool string
	day          int64
	outcome      keys.Outcome
}

func newBatch() *Batch {
	return &Batch{takeAt: map[takeKey]int{}, adjustAt: map[string]int{}, useAt: map[useKey]int{}, done: make(chan struct{})}
}

// take adds a call of the given size and says where it stands: in which Take, and as the how
// manieth of it.
func (b *Batch) take(counter string, limit, size int64, life time.Duration) (entry int, place int64) {
	k := takeKey{counter, size}
	i, ok := b.takeAt[k]
	if !ok {
		i = len(b.Takes)
		b.takeAt[k] = i
		b.Takes = append(b.Takes, Take{Counter: counter, Limit: limit, Size: size, Life: life})
	}
	b.Takes[i].Count++
	return i, b.Takes[i].Count - 1
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

func (b *Batch) use(u keys.Use) {
	k := useKey{u.Prefix, u.Tool, u.Day.Unix(), u.Outcome}
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
