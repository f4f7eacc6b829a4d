package usage

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"slipstick/keys"
)

// ErrApplied says that a batch had been applied before.
var ErrApplied = errors.New("the batch was applied before")

// ErrFull says that the Store cannot be reached and the memory for what waits for it is full.
var ErrFull = errors.New("calls cannot be counted at present")

// Timing and bounds.
const (
	commitTimeout = 2 * time.Second // a Book that is slower counts as one that is away
	retryEvery    = 250 * time.Millisecond
	maxHeld       = 100_000 // entries held while the Book cannot be reached
	maxSeen       = 100_000 // counters whose last value is remembered
	manyCallers   = 12      // from so many at once on, calls are waited for
)

// Options set up a Counter.
type Options struct {
	Book Store
	Log  *slog.Logger // slog.Default()
	// Linger is how long a commit waits at most for others of many callers; 1 ms.
	Linger time.Duration
}

// Counter commits counts in groups. It is safe for concurrent use.
type Counter struct {
	book   Store
	log    *slog.Logger
	writer string
	bell   chan struct{}
	quit   chan struct{}
	ended  chan struct{}
	linger time.Duration

	mu     sync.Mutex
	filled *Batch           // what the next commit takes; nil for nothing
	crowd  int              // callers that were under way when the last commit came back
	enough int              // callers that the next commit waits for; 0 while it waits for none
	here   chan struct{}    // told when they are there
	down   bool             // the last commit failed
	local  map[string]int64 // counters kept here while the Book cannot be reached
	seen   map[string]int64 // what the Book last said of counters, to go on from in local
}

// New starts a ledger. Close ends it; the Store stays the caller's to close.
func New(o Options) *Counter {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Linger == 0 {
		o.Linger = time.Millisecond
	}
	l := &Counter{
		book: o.Book, log: o.Log, writer: NewID(), linger: o.Linger, here: make(chan struct{}, 1),
		bell: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
		local: map[string]int64{}, seen: map[string]int64{},
	}
	go l.run()
	return l
}

// Close commits what is there and ends the ledger. Nothing may be counted after it began.
func (l *Counter) Close() {
	close(l.quit)
	<-l.ended
}

// Down reports whether the Store could not be reached lately.
func (l *Counter) Down() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// Decision is the answer to a Take.
type Decision struct {
	Admitted bool
	Used     int64 // of the counter, after this call
}

// Debit counts a call of that many items on a counter, unless it would go over the limit.
func (l *Counter) Debit(ctx context.Context, counter string, limit, items int64, life time.Duration) (Decision, error) {
	return l.DebitAndRecord(ctx, counter, limit, items, life, keys.UsageRecord{})
}

// DebitAndRecord is Take for a call that has been made already: what its key used is recorded in the
// same commit, and only when the call is granted. A use without a prefix records nothing.
func (l *Counter) DebitAndRecord(ctx context.Context, counter string, limit, items int64, life time.Duration, u keys.UsageRecord) (Decision, error) {
	one := Debit{Counter: counter, Limit: limit, Size: items, TTL: life, Record: u}
	l.mu.Lock()
	if l.down {
		defer l.mu.Unlock()
		return l.debitLocally(one)
	}
	b := l.open()
	i, place := b.take(one)
	l.mu.Unlock()

	if err := wait(ctx, b); err != nil {
		return Decision{}, err
	}
	t := &b.Debits[i]
	if t.refused != nil {
		return Decision{}, t.refused
	}
	if place >= t.Granted {
		return Decision{Used: t.Used}, nil
	}
	return Decision{Admitted: true, Used: t.Used - (t.Granted-1-place)*items}, nil
}

// debitLocally decides a call in this process alone. The caller holds the lock.
func (l *Counter) debitLocally(one Debit) (Decision, error) {
	b := l.open()
	if b.size() >= maxHeld {
		return Decision{}, ErrFull
	}
	one.Count, one.Compute = 1, []float64{one.Record.ComputeMS}
	l.decideLocally(&one, b)
	return Decision{Admitted: one.Granted > 0, Used: one.Used}, one.refused
}

// decideLocally decides a take in this process alone. What is granted is added to a batch that will
// bring it to the Store. The caller holds the lock.
func (l *Counter) decideLocally(t *Debit, b *Batch) {
	calls, ok := l.local[t.Counter]
	if !ok && len(l.local) >= maxHeld {
		t.refused = ErrFull
		return
	}
	if !ok {
		calls = l.seen[t.Counter]
	}
	t.Granted = min(t.Count, max(0, (t.Limit-calls)/t.Size))
	t.Used = calls + t.Granted*t.Size
	l.local[t.Counter] = t.Used
	if t.Granted > 0 {
		b.adjust(t.Counter, t.Granted*t.Size, t.TTL)
	}
	if u, ok := t.granted(); ok {
		b.use(u)
	}
}

// Refund takes calls off a counter again.
func (l *Counter) Refund(ctx context.Context, counter string, items int64, life time.Duration) error {
	l.mu.Lock()
	b, err := l.lockOpenBatch()
	if err == nil {
		if calls, ok := l.local[counter]; ok {
			l.local[counter] = max(0, calls-items)
		}
		b.adjust(counter, -items, life)
	}
	return l.unlockAndWait(ctx, b, err)
}

// Record records what a key used. When it returns nil the use is in the Store, or, while that cannot
// be reached, in memory on its way there.
func (l *Counter) Record(ctx context.Context, u keys.UsageRecord) error {
	l.mu.Lock()
	b, err := l.lockOpenBatch()
	if err == nil {
		b.use(u)
	}
	return l.unlockAndWait(ctx, b, err)
}

// lockOpenBatch is the batch that is being filled, when there is room in it. The caller holds the lock.
func (l *Counter) lockOpenBatch() (*Batch, error) {
	b := l.open()
	if l.down && b.size() >= maxHeld {
		return b, ErrFull
	}
	return b, nil
}

// unlockAndWait gives the lock free, and waits for the Store when it can be reached.
func (l *Counter) unlockAndWait(ctx context.Context, b *Batch, err error) error {
	down := l.down
	l.mu.Unlock()
	if down || err != nil {
		return err
	}
	return wait(ctx, b)
}

func wait(ctx context.Context, b *Batch) error {
	gone := ctx.Done()
	if gone == nil { // the usual one; it spares a select
		<-b.done
		return nil
	}
	select {
	case <-b.done:
		return nil
	case <-gone:
		return ctx.Err()
	}
}

// open is the batch that is being filled. The caller holds the lock.
func (l *Counter) open() *Batch {
	if l.filled == nil {
		l.filled = newBatch()
		select {
		case l.bell <- struct{}{}:
		default:
		}
	}
	l.filled.callers++
	if l.filled.callers == l.enough {
		l.enough = 0
		l.here <- struct{}{}
	}
	return l.filled
}

// run commits one batch after the other.
func (l *Counter) run() {
	defer close(l.ended)
	for number, stopping := int64(1), false; ; number++ {
		if !stopping {
			select {
			case <-l.bell:
			case <-l.quit:
				stopping = true
			}
		}
		b := l.gather()
		if b == nil {
			if stopping {
				return
			}
			continue
		}
		b.Writer, b.Number = l.writer, number
		l.commit(b)
	}
}

// gather takes the batch that was being filled; nil for none. A commit costs much the same whether
// it holds one call or a hundred, so calls that can run at once are let run first, and where many
// callers are under way, half of them are waited for: a busy process makes few large commits, and
// an idle one, which has none such, commits without delay.
func (l *Counter) gather() *Batch {
	for before, waited := -1, false; ; {
		l.mu.Lock()
		b := l.filled
		still := b != nil && b.callers == before // all that could run have run
		few := still && !waited && l.crowd >= manyCallers && b.callers < half(l.crowd)
		if b == nil || still && !few {
			l.filled = nil
			l.mu.Unlock()
			return b
		}
		before = b.callers
		if few {
			l.enough, waited = half(l.crowd), true
			l.mu.Unlock()
			l.waitForCallers()
			continue
		}
		l.mu.Unlock()
		runtime.Gosched()
	}
}

// half is how many of a crowd a commit waits for. The others keep the processors busy while it is
// on its way.
func half(crowd int) int { return crowd / 2 }

// waitForCallers waits until enough callers are there, but not for long: they may have gone.
func (l *Counter) waitForCallers() {
	patience := time.NewTimer(l.linger)
	defer patience.Stop()
	select {
	case <-l.here:
		return
	case <-patience.C:
	case <-l.quit:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.enough == 0 { // they came at the last moment
		<-l.here
	}
	l.enough = 0
}

// commit brings a batch into the Store. When that fails its callers are told, and what must not be
// lost is tried again, under the same number, until it is there or the ledger ends.
func (l *Counter) commit(b *Batch) {
	err := l.try(b)
	if err == nil {
		l.committed(b)
		close(b.done)
		return
	}
	l.log.Error("calls are counted in this process only until the counters can be reached again", "error", err)
	l.failOver(b)
	again := &Batch{Writer: b.Writer, Number: b.Number, Adjustments: b.Adjustments, Records: b.Records}
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for last := false; !last; {
		select {
		case <-retry.C:
		case <-l.quit:
			last = true
		}
		if err = l.try(again); err == nil || errors.Is(err, ErrApplied) {
			l.recover()
			return
		}
	}
	l.log.Error("usage was lost: the process ends and the counters cannot be reached", "entries", again.size(), "error", err)
}

// committed keeps what the Store said of the counters of a batch, and how many callers there are.
func (l *Counter) committed(b *Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.crowd = b.callers
	if l.filled != nil {
		l.crowd += l.filled.callers
	}
	if len(l.seen) > maxSeen {
		clear(l.seen)
	}
	for i := range b.Debits {
		l.seen[b.Debits[i].Counter] = b.Debits[i].Used
	}
}

// failOver decides the takes of a failed batch, and of the one being filled, without the Store, and lets
// their callers go on. What the Store must know of them stays in the batch, so that it is not added
// when the Store has applied the batch although its answer was lost.
func (l *Counter) failOver(b *Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down, l.crowd = true, 0
	for i := range b.Debits {
		l.decideLocally(&b.Debits[i], b)
	}
	close(b.done)
	if next := l.filled; next != nil {
		held := newBatch()
		held.Adjustments, held.adjustAt, held.Records, held.useAt = next.Adjustments, next.adjustAt, next.Records, next.useAt
		for i := range next.Debits {
			l.decideLocally(&next.Debits[i], held)
		}
		l.filled = held
		close(next.done)
	}
}

func (l *Counter) try(b *Batch) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	return l.book.Commit(ctx, b)
}

// recover returns to the Store. What was counted here meanwhile is in the batch being filled.
func (l *Counter) recover() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
	clear(l.local)
	l.log.Info("the counters can be reached again")
}
