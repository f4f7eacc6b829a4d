package usage

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"slipstick/keys"
)

// ErrApplied is the error for a batch whose number the Store has applied.
var ErrApplied = errors.New("the batch was applied before")

// ErrFull is the error while the Store is unavailable and maxHeld entries wait for it.
var ErrFull = errors.New("calls cannot be counted at present")

// Timing and bounds.
const (
	commitTimeout = 2 * time.Second // a slower Store counts as unavailable
	retryEvery    = 250 * time.Millisecond
	maxHeld       = 100_000 // entries in memory while the Store is unavailable
	maxSeen       = 100_000 // counters with a known last value
	manyInFlight  = 12      // calls in flight from which a commit waits for others
)

// Options configure a Counter. Store is required.
type Options struct {
	Store Store
	Log   *slog.Logger // slog.Default()
	// Linger bounds the wait of a commit for other calls; 1 ms.
	Linger time.Duration
}

// Counter commits counts in groups. It is safe for concurrent use.
type Counter struct {
	store  Store
	log    *slog.Logger
	writer string
	wake   chan struct{} // the open batch has its first call
	quit   chan struct{}
	ended  chan struct{}
	linger time.Duration

	mu       sync.Mutex
	open     *Batch           // for the next commit; nil while empty
	inFlight int              // calls at the end of the last commit
	quorum   int              // calls that the next commit waits for; 0 while it waits for none
	reached  chan struct{}    // receives when the open batch has quorum calls
	down     bool             // the last commit failed
	local    map[string]int64 // counters of this process while the Store is unavailable
	seen     map[string]int64 // last values of counters in the Store, the first of local
}

// New returns a Counter, whose commits run until Close. The Store remains the caller's to close.
func New(o Options) *Counter {
	o.Log = cmp.Or(o.Log, slog.Default())
	o.Linger = cmp.Or(o.Linger, time.Millisecond)
	l := &Counter{
		store: o.Store, log: o.Log, writer: NewID(), linger: o.Linger,
		reached: make(chan struct{}, 1),
		wake:    make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
		local: map[string]int64{}, seen: map[string]int64{},
	}
	go l.run()
	return l
}

// Close commits the open batch and ends the Counter. No call may follow.
func (l *Counter) Close() {
	close(l.quit)
	<-l.ended
}

// Down reports whether the last commit failed.
func (l *Counter) Down() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// Decision is the answer to a debit.
type Decision struct {
	Admitted bool
	Used     int64 // of the counter, after this call
}

// Debit debits Size calls from a counter, unless they exceed the limit. If they are admitted, the
// usage of a call that has been made is recorded in the same commit. Count and Compute are ignored.
func (l *Counter) Debit(ctx context.Context, d Debit) (Decision, error) {
	l.mu.Lock()
	if l.down {
		defer l.mu.Unlock()
		return l.debitLocally(d)
	}
	b := l.openBatch()
	i, position := b.debit(d)
	l.mu.Unlock()

	if err := wait(ctx, b); err != nil {
		return Decision{}, err
	}
	group := &b.Debits[i]
	if group.rejected != nil {
		return Decision{}, group.rejected
	}
	if position >= group.Granted {
		return Decision{Used: group.Used}, nil
	}
	return Decision{Admitted: true, Used: group.Used - (group.Granted-1-position)*d.Size}, nil
}

// debitLocally decides a call in this process. It needs l.mu.
func (l *Counter) debitLocally(d Debit) (Decision, error) {
	b := l.openBatch()
	if b.size() >= maxHeld {
		return Decision{}, ErrFull
	}
	d.Count, d.Compute = 1, []float64{d.Record.ComputeMS}
	l.decideLocally(&d, b)
	return Decision{Admitted: d.Granted > 0, Used: d.Used}, d.rejected
}

// decideLocally decides a debit in this process, and adds the granted calls to a later batch. It
// needs l.mu.
func (l *Counter) decideLocally(d *Debit, b *Batch) {
	calls, ok := l.local[d.Counter]
	if !ok && len(l.local) >= maxHeld {
		d.rejected = ErrFull
		return
	}
	if !ok {
		calls = l.seen[d.Counter]
	}
	d.Granted = min(d.Count, max(0, (d.Limit-calls)/d.Size))
	d.Used = calls + d.Granted*d.Size
	l.local[d.Counter] = d.Used
	if d.Granted > 0 {
		b.adjust(d.Counter, d.Granted*d.Size, d.TTL)
	}
	if u, ok := d.granted(); ok {
		b.record(u)
	}
}

// Refund returns calls to a counter.
func (l *Counter) Refund(
	ctx context.Context, counter string, calls int64, ttl time.Duration,
) error {
	l.mu.Lock()
	b, err := l.batchWithRoom()
	if err == nil {
		if used, ok := l.local[counter]; ok {
			l.local[counter] = max(0, used-calls)
		}
		b.adjust(counter, -calls, ttl)
	}
	return l.unlockAndWait(ctx, b, err)
}

// DebitOnce is Debit for a debit with its own writer and no record: it is made in the Store once.
// Errors: ErrApplied for a debit that was made or void; others when the Store is unavailable, and
// it is unknown whether the debit was made.
func (l *Counter) DebitOnce(ctx context.Context, writer string, d Debit) (Decision, error) {
	d.Count, d.Record = 1, keys.UsageRecord{}
	b := &Batch{Writer: writer, Number: onceNumber, Once: true, Debits: []Debit{d}}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	if err := l.store.Commit(ctx, b); err != nil {
		return Decision{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.see(b)
	return Decision{Admitted: b.Debits[0].Granted > 0, Used: b.Debits[0].Used}, nil
}

// Void reports whether the debit of a writer was made. If it was not, it is void: DebitOnce returns
// ErrApplied.
func (l *Counter) Void(ctx context.Context, writer string) (made bool, err error) {
	return l.store.Void(ctx, writer)
}

// Apply applies a batch of adjustments and records that has a writer of its own, so that it is
// applied once however often it is tried. It returns nil for a batch that was applied before.
func (l *Counter) Apply(ctx context.Context, b *Batch) error {
	b.Number, b.Once = onceNumber, true
	if err := l.store.Commit(ctx, b); err != nil && !errors.Is(err, ErrApplied) {
		return err
	}
	return nil
}

// Record records the usage of a call. When it returns nil the record is in the Store, or in memory
// while the Store is unavailable.
func (l *Counter) Record(ctx context.Context, u keys.UsageRecord) error {
	l.mu.Lock()
	b, err := l.batchWithRoom()
	if err == nil {
		b.record(u)
	}
	return l.unlockAndWait(ctx, b, err)
}

// batchWithRoom returns the open batch, or ErrFull. It needs l.mu.
func (l *Counter) batchWithRoom() (*Batch, error) {
	b := l.openBatch()
	if l.down && b.size() >= maxHeld {
		return b, ErrFull
	}
	return b, nil
}

// unlockAndWait unlocks l.mu, then waits for the commit unless the Store is unavailable.
func (l *Counter) unlockAndWait(ctx context.Context, b *Batch, err error) error {
	down := l.down
	l.mu.Unlock()
	if down || err != nil {
		return err
	}
	return wait(ctx, b)
}

func wait(ctx context.Context, b *Batch) error {
	ended := ctx.Done()
	if ended == nil { // the usual case saves a select
		<-b.done
		return nil
	}
	select {
	case <-b.done:
		return nil
	case <-ended:
		return ctx.Err()
	}
}

// openBatch returns the open batch for one more call. It needs l.mu.
func (l *Counter) openBatch() *Batch {
	if l.open == nil {
		l.open = newBatch()
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	l.open.callers++
	if l.open.callers == l.quorum {
		l.quorum = 0
		l.reached <- struct{}{}
	}
	return l.open
}

// run commits one batch after the other.
func (l *Counter) run() {
	defer close(l.ended)
	for number, stopping := int64(1), false; ; number++ {
		if !stopping {
			select {
			case <-l.wake:
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

// gather closes the open batch and returns it; nil for none. A commit costs about the same for one
// call and for a hundred, so that runnable goroutines run first. With many calls in flight gather
// waits for half of them; the others keep the processors busy during the commit. An idle process
// commits without delay.
func (l *Counter) gather() *Batch {
	for before, waited := -1, false; ; {
		l.mu.Lock()
		b := l.open
		settled := b != nil && b.callers == before // no goroutine has added a call
		few := settled && !waited && l.inFlight >= manyInFlight && b.callers < l.inFlight/2
		if b == nil || settled && !few {
			l.open = nil
			l.mu.Unlock()
			return b
		}
		before = b.callers
		if few {
			l.quorum, waited = l.inFlight/2, true
			l.mu.Unlock()
			l.waitForQuorum()
			continue
		}
		l.mu.Unlock()
		runtime.Gosched()
	}
}

// waitForQuorum waits until the open batch has quorum calls, for linger at most: calls may have
// ended.
func (l *Counter) waitForQuorum() {
	timer := time.NewTimer(l.linger)
	defer timer.Stop()
	select {
	case <-l.reached:
		return
	case <-timer.C:
	case <-l.quit:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quorum == 0 { // the quorum was reached in the meantime
		<-l.reached
	}
	l.quorum = 0
}

// commit commits a batch to the Store. After an error this process decides its debits, and the
// adjustments and records are sent again, under the same number, until they are stored or Close.
func (l *Counter) commit(b *Batch) {
	err := l.try(b)
	if err == nil {
		l.committed(b)
		close(b.done)
		return
	}
	l.log.Error(
		"the counters are unavailable: calls are counted in this process until they are not",
		"error", err)
	l.failOver(b)
	again := &Batch{
		Writer: b.Writer, Number: b.Number, Adjustments: b.Adjustments, Records: b.Records,
	}
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
	l.log.Error("usage was lost: the process ends while the counters are unavailable",
		"entries", again.size(), "error", err)
}

// committed keeps the values of the counters of a batch, and the number of calls in flight.
func (l *Counter) committed(b *Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight = b.callers
	if l.open != nil {
		l.inFlight += l.open.callers
	}
	l.see(b)
}

// see keeps the values of the counters of a batch. It needs l.mu.
func (l *Counter) see(b *Batch) {
	if len(l.seen) > maxSeen {
		clear(l.seen)
	}
	for i := range b.Debits {
		l.seen[b.Debits[i].Counter] = b.Debits[i].Used
	}
}

// failOver decides the debits of a failed batch and of the open one in this process. Their
// adjustments become part of the failed batch and of its number: if the Store has applied it and
// the answer was lost, they are not added again.
func (l *Counter) failOver(b *Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down, l.inFlight = true, 0
	for i := range b.Debits {
		l.decideLocally(&b.Debits[i], b)
	}
	close(b.done)
	if next := l.open; next != nil {
		held := newBatch()
		held.Adjustments, held.adjustAt = next.Adjustments, next.adjustAt
		held.Records, held.recordAt = next.Records, next.recordAt
		for i := range next.Debits {
			l.decideLocally(&next.Debits[i], held)
		}
		l.open = held
		close(next.done)
	}
}

func (l *Counter) try(b *Batch) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	return l.store.Commit(ctx, b)
}

// recover counts in the Store again. The open batch contains the counts of this process.
func (l *Counter) recover() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
	clear(l.local)
	l.log.Info("the counters are available again")
}
