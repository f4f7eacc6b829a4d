package usage

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"runtime"
	"sync"
	"time"

	"slipstick/keys"
)

// ErrApplied is returned for a batch number that the Store has already applied.
var ErrApplied = errors.New("the batch was applied before")

// ErrFull is returned if the Store is unavailable and maxHeld entries are waiting for it.
var ErrFull = errors.New("calls cannot be counted at present")

// Time limits and bounds of a Counter.
const (
	commitTimeout = 2 * time.Second // time after which the Store counts as unavailable
	retryEvery    = 250 * time.Millisecond
	maxHeld       = 100_000 // entries held in memory while the Store is unavailable
	maxSeen       = 100_000 // maximum number of counters whose last value is remembered
	manyInFlight  = 12      // minimum number of calls in flight at which a commit waits
)

// Options configures a Counter. Store is required.
type Options struct {
	Store Store
	Log   *slog.Logger // default slog.Default()
	// Linger is the maximum time that a commit waits for other calls; default 1 ms.
	Linger time.Duration
}

// Counter commits counts in groups. It is safe for concurrent use.
type Counter struct {
	store  Store
	log    *slog.Logger
	writer string
	wake   chan struct{} // signals that the open batch has its first call
	quit   chan struct{}
	ended  chan struct{}
	linger time.Duration

	mu       sync.Mutex
	open     *Batch           // collects entries for the next commit; nil if empty
	inFlight int              // calls in flight at the end of the last commit
	quorum   int              // number of calls for which the next commit waits; 0 for none
	reached  chan struct{}    // signals that the open batch contains quorum calls
	down     bool             // the last commit failed
	local    map[string]int64 // counter values in this process while the Store is unavailable
	seen     map[string]int64 // last known values of counters, the base of local
}

// New returns a Counter, whose commits run until Close. The caller closes the Store.
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

// Close commits the open batch and stops the Counter. No call may follow.
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

// Decision is the result of a debit.
type Decision struct {
	Admitted bool
	Used     int64 // value of the counter after this call
}

// Debit debits d.Size calls from a counter unless they exceed the limit. If the call was already
// executed, d.Record is its usage, and the same commit records it if the call is admitted. Debit
// ignores d.Count and d.Compute.
func (l *Counter) Debit(ctx context.Context, d Debit) (Decision, error) {
	l.mu.Lock()
	if l.down {
		defer l.mu.Unlock()
		return l.debitLocally(d)
	}
	b := l.openBatch()
	i, position := b.debit(d)
	l.mu.Unlock()

	if err := awaitCommit(ctx, b); err != nil {
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

// debitLocally decides a debit in this process. The caller must hold l.mu.
func (l *Counter) debitLocally(d Debit) (Decision, error) {
	b := l.openBatch()
	if b.size() >= maxHeld {
		return Decision{}, ErrFull
	}
	d.Count, d.Compute = 1, []float64{d.Record.ComputeMS}
	l.decideLocally(&d, b)
	return Decision{Admitted: d.Granted > 0, Used: d.Used}, d.rejected
}

// decideLocally decides a debit in this process and adds the granted calls to a later batch. The
// caller must hold l.mu.
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

// DebitOnce is Debit for a debit that has its own writer and no record. The Store applies it at
// most once. DebitOnce returns ErrApplied if the debit was already made or is void. After any other
// error the Store is unavailable, and it is unknown whether the debit was made.
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

// Void reports whether the Once batch of a writer was applied. If it was not, Void makes it void,
// and DebitOnce returns ErrApplied for that writer.
func (l *Counter) Void(ctx context.Context, writer string) (made bool, err error) {
	return l.store.Void(ctx, writer)
}

// Apply applies a batch of adjustments and records that has its own writer. The batch is applied
// once, regardless of how often Apply is called. Apply returns nil if it was already applied.
func (l *Counter) Apply(ctx context.Context, b *Batch) error {
	b.Number, b.Once = onceNumber, true
	if err := l.store.Commit(ctx, b); err != nil && !errors.Is(err, ErrApplied) {
		return err
	}
	return nil
}

// Record records the usage of a call. After it returns nil, the record is in the Store or, if the
// Store is unavailable, in memory.
func (l *Counter) Record(ctx context.Context, u keys.UsageRecord) error {
	l.mu.Lock()
	b, err := l.batchWithRoom()
	if err == nil {
		b.record(u)
	}
	return l.unlockAndWait(ctx, b, err)
}

// batchWithRoom returns the open batch, or ErrFull. The caller must hold l.mu.
func (l *Counter) batchWithRoom() (*Batch, error) {
	b := l.openBatch()
	if l.down && b.size() >= maxHeld {
		return b, ErrFull
	}
	return b, nil
}

// unlockAndWait unlocks l.mu and waits for the commit unless the Store is unavailable.
func (l *Counter) unlockAndWait(ctx context.Context, b *Batch, err error) error {
	down := l.down
	l.mu.Unlock()
	if down || err != nil {
		return err
	}
	return awaitCommit(ctx, b)
}

// awaitCommit returns when a batch is committed, or with the error of ctx.
func awaitCommit(ctx context.Context, b *Batch) error {
	ended := ctx.Done()
	if ended == nil { // a shortcut for the usual case, which needs no select
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

// openBatch returns the open batch and counts another call in it. The caller must hold l.mu.
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

// run commits batches one at a time.
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

// gather closes the open batch and returns it, or nil if there is none. A commit costs about the
// same for one call as for a hundred, so gather lets runnable goroutines run first. With many calls
// in flight, it waits for half of them; the others keep the processors busy during the commit. An
// idle process commits without delay.
func (l *Counter) gather() *Batch {
	for before, waited := -1, false; ; {
		l.mu.Lock()
		b := l.open
		// true if no goroutine has added a call since the last pass
		settled := b != nil && b.callers == before
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

// waitForQuorum waits until the open batch contains quorum calls. It waits at most linger because
// calls may have ended.
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

// commit commits a batch to the Store. After an error, this process decides the debits of the
// batch. It resends the adjustments and records under the same number until they are stored or the
// Counter is closed.
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

// committed remembers the counter values of a batch and the number of calls in flight.
func (l *Counter) committed(b *Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight = b.callers
	if l.open != nil {
		l.inFlight += l.open.callers
	}
	l.see(b)
}

// see remembers the counter values of a batch. The caller must hold l.mu.
func (l *Counter) see(b *Batch) {
	if len(l.seen) > maxSeen {
		clear(l.seen)
	}
	for i := range b.Debits {
		l.seen[b.Debits[i].Counter] = b.Debits[i].Used
	}
}

// failOver decides the debits of a failed batch and of the open batch in this process. Their
// adjustments join the failed batch under its number. If the Store has applied that number and only
// its reply was lost, they are not applied twice.
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

// recover resumes counting in the Store. The open batch contains the local counts of this process.
// Until the Store has them, another outage must continue from the local values.
func (l *Counter) recover() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
	maps.Copy(l.seen, l.local)
	clear(l.local)
	l.log.Info("the counters are available again")
}
