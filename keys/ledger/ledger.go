package ledger

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"slipstick/keys"
)

// ErrApplied says that a batch had been applied before.
var ErrApplied = errors.New("the batch was applied before")

// ErrFull says that the Book cannot be reached and the memory for what waits for it is full.
var ErrFull = errors.New("calls cannot be counted at present")

// Timing and bounds.
const (
	commitTimeout = 500 * time.Millisecond
	retryEvery    = 250 * time.Millisecond
	maxHeld       = 100_000 // entries held while the Book cannot be reached
)

// Options set up a Ledger.
type Options struct {
	Book Book
	Log  *slog.Logger // slog.Default()
}

// Ledger commits counts in groups. It is safe for concurrent use.
type Ledger struct {
	book   Book
	log    *slog.Logger
	writer string
	bell   chan struct{}
	quit   chan struct{}
	ended  chan struct{}

	mu     sync.Mutex
	filled *Batch // what the next commit takes; nil for nothing
	down   bool   // the last commit failed
	local  map[string]*localCount
}

// localCount is a counter kept here while the Book cannot be reached.
type localCount struct {
	calls int64
	life  time.Duration
}

// New starts a ledger. Close ends it; the Book stays the caller's to close.
func New(o Options) *Ledger {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	l := &Ledger{
		book: o.Book, log: o.Log, writer: NewID(),
		bell: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
		local: map[string]*localCount{},
	}
	go l.run()
	return l
}

// Close commits what is there and ends the ledger. Nothing may be counted after it began.
func (l *Ledger) Close() {
	close(l.quit)
	<-l.ended
}

// Down reports whether the Book could not be reached lately.
func (l *Ledger) Down() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// Grant is the answer to a Take.
type Grant struct {
	Admitted bool
	Used     int64 // of the counter, after this call
}

// Take counts a call of that many items on a counter, unless it would go over the limit.
func (l *Ledger) Take(ctx context.Context, counter string, limit, items int64, life time.Duration) (Grant, error) {
	l.mu.Lock()
	if l.down {
		defer l.mu.Unlock()
		return l.takeHere(counter, limit, items, life)
	}
	b := l.open()
	i, place := b.take(counter, limit, items, life)
	l.mu.Unlock()

	if err := wait(ctx, b); err != nil {
		return Grant{}, err
	}
	if b.failed {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.takeHere(counter, limit, items, life)
	}
	t := &b.Takes[i]
	if place >= t.Granted {
		return Grant{Used: t.Used}, nil
	}
	return Grant{Admitted: true, Used: t.Used - (t.Granted-1-place)*items}, nil
}

// takeHere counts in this process alone. The caller holds the lock.
func (l *Ledger) takeHere(counter string, limit, items int64, life time.Duration) (Grant, error) {
	c := l.local[counter]
	if c == nil {
		if len(l.local) >= maxHeld {
			return Grant{}, ErrFull
		}
		c = &localCount{life: life}
		l.local[counter] = c
	}
	if c.calls+items > limit {
		return Grant{Used: c.calls}, nil
	}
	c.calls += items
	return Grant{Admitted: true, Used: c.calls}, nil
}

// GiveBack takes calls off a counter again.
func (l *Ledger) GiveBack(ctx context.Context, counter string, items int64, life time.Duration) error {
	return l.add(ctx, func(b *Batch) {
		if c := l.local[counter]; c != nil && c.calls >= items {
			c.calls -= items
			return
		}
		b.adjust(counter, -items, life)
	})
}

// Use records what a key used. When it returns nil the use is in the Book, or, while that cannot
// be reached, in memory on its way there.
func (l *Ledger) Use(ctx context.Context, u keys.Use) error {
	return l.add(ctx, func(b *Batch) { b.use(u) })
}

func (l *Ledger) add(ctx context.Context, put func(*Batch)) error {
	l.mu.Lock()
	b := l.open()
	if l.down && b.size() >= maxHeld {
		l.mu.Unlock()
		return ErrFull
	}
	put(b)
	down := l.down
	l.mu.Unlock()
	if down {
		return nil
	}
	return wait(ctx, b)
}

func wait(ctx context.Context, b *Batch) error {
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// open is the batch that is being filled. The caller holds the lock.
func (l *Ledger) open() *Batch {
	if l.filled == nil {
		l.filled = newBatch()
		select {
		case l.bell <- struct{}{}:
		default:
		}
	}
	return l.filled
}

// run commits one batch after the other.
func (l *Ledger) run() {
	defer close(l.ended)
	for number, stopping := int64(1), false; ; number++ {
		if !stopping {
			select {
			case <-l.bell:
			case <-l.quit:
				stopping = true
			}
		}
		l.mu.Lock()
		b := l.filled
		l.filled = nil
		l.mu.Unlock()
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

// commit brings a batch into the Book. When that fails its callers are told, and what must not be
// lost is tried again, under the same number, until it is there or the ledger ends.
func (l *Ledger) commit(b *Batch) {
	err := l.try(b)
	if err == nil {
		close(b.done)
		return
	}
	l.log.Error("calls are counted in this process only until the counters can be reached again", "error", err)
	l.cut(b)
	again := &Batch{Writer: b.Writer, Number: b.Number, Adjusts: b.Adjusts, Uses: b.Uses}
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

// cut tells the callers of a failed batch, and of the one being filled, to go on without the Book.
// What the latter holds for it is kept, but for the takes.
func (l *Ledger) cut(b *Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	b.failed = true
	close(b.done)
	if next := l.filled; next != nil {
		held := newBatch()
		held.Adjusts, held.adjustAt, held.Uses, held.useAt = next.Adjusts, next.adjustAt, next.Uses, next.useAt
		l.filled = held
		next.failed = true
		close(next.done)
	}
}

func (l *Ledger) try(b *Batch) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	return l.book.Commit(ctx, b)
}

// recover returns to the Book, with what was counted here meanwhile.
func (l *Ledger) recover() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
	for counter, c := range l.local {
		if c.calls > 0 {
			l.open().adjust(counter, c.calls, c.life)
		}
	}
	clear(l.local)
	l.log.Info("the counters can be reached again")
}
