package worker

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"slipstick/tools"
	"slipstick/worker/store"
)

// lostAfter is the number of consecutive polls without a job after which the job counts as lost by
// Redis. A worker that is running the job restores it with the next heartbeat.
const lostAfter = 5

// waiter is a call that waits for a result. Submit adds it and Wait adopts it.
type waiter struct {
	id      string
	token   string
	caller  string
	request *enqueueRequest // request for resubmitting the job; nil if another process submitted it
	got     chan *waitResult

	// Guarded by waiters.mu.
	job     Job       // last known state
	abandon time.Time // time at which the waiter expires unless Wait adopts it; zero while in use
}

type waitResult struct {
	job Job
	err error
}

// delivered reports whether a waiter has received its result.
func (w *waiter) delivered() bool { return len(w.got) > 0 }

// deliver delivers the result to a waiter unless it has one.
func (w *waiter) deliver(a *waitResult) {
	select {
	case w.got <- a:
	default:
	}
}

// subscriber is a call that follows the progress of a job. Its end does not cancel the job.
type subscriber struct {
	id      string
	got     chan *waitResult
	changed chan struct{} // signals a change of job
	job     Job           // guarded by waiters.mu
}

func (w *subscriber) notify() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// waiters holds the waiters and subscribers of a process. It is safe for concurrent use.
type waiters struct {
	process string // prefix of the tokens

	mu            sync.Mutex
	tokens        int
	waiting       map[string]map[*waiter]bool
	watching      map[string]map[*subscriber]bool
	notFoundCount map[string]int // consecutive polls without a job
}

func newWaiters() *waiters {
	return &waiters{
		process: store.Nonce(), waiting: map[string]map[*waiter]bool{},
		watching: map[string]map[*subscriber]bool{}, notFoundCount: map[string]int{},
	}
}

// add adds a waiter of a caller. With a request, the waiter can resubmit the job.
func (t *waiters) add(id, caller string, request *enqueueRequest) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens++
	w := &waiter{
		id: id, token: t.process + ":" + strconv.Itoa(t.tokens), caller: caller,
		request: request, got: make(chan *waitResult, 1), job: Job{ID: id},
	}
	if t.waiting[id] == nil {
		t.waiting[id] = map[*waiter]bool{}
	}
	t.waiting[id][w] = true
	return w
}

// adopt returns a waiter for the job that a Submit of this caller in this process handed over, or
// nil. A waiter of another caller would receive that caller's cancellation. adopt drops a waiter
// whose result may be obsolete because a new run may be in progress. Such results are
// ErrJobNotFound, results that are not reusable, and large results, which may have been evicted.
func (t *waiters) adopt(id, caller string) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiting[id] {
		if w.abandon.IsZero() || w.caller != caller {
			continue
		}
		if w.delivered() {
			a := <-w.got
			if a.err == nil && !a.job.Reusable() || errors.Is(a.err, ErrJobNotFound) ||
				a.job.Outcome.Large != nil {
				delete(t.waiting[id], w)
				continue
			}
			w.got <- a
		}
		w.abandon = time.Time{}
		return w
	}
	if len(t.waiting[id]) == 0 {
		delete(t.waiting, id)
	}
	return nil
}

func (t *waiters) setState(w *waiter, job Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.job = job
}

// handOver makes the waiter available for adoption by a Wait.
func (t *waiters) handOver(w *waiter, job Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.job, w.abandon = job, time.Now().Add(store.WaiterTTL)
}

// known returns the last known state of a waiter's job.
func (t *waiters) known(w *waiter) Job {
	t.mu.Lock()
	defer t.mu.Unlock()
	return w.job
}

func (t *waiters) drop(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting[w.id], w)
	if len(t.waiting[w.id]) == 0 {
		delete(t.waiting, w.id)
	}
}

// subscribe adds a subscriber. The caller must call remove.
func (t *waiters) subscribe(id string) (w *subscriber, remove func()) {
	w = &subscriber{id: id, got: make(chan *waitResult, 1), changed: make(chan struct{}, 1)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watching[id] == nil {
		t.watching[id] = map[*subscriber]bool{}
	}
	t.watching[id][w] = true
	return w, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watching[id], w)
		if len(t.watching[id]) == 0 {
			delete(t.watching, id)
		}
	}
}

// progressOf returns the state and progress of a subscriber's job.
func (t *waiters) progressOf(w *subscriber) (State, tools.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return w.job.State, w.job.Progress
}

// isWatched reports whether a job has waiters or subscribers.
func (t *waiters) isWatched(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.isWatchedLocked(id)
}

// isWatchedLocked is isWatched for callers that hold t.mu.
func (t *waiters) isWatchedLocked(id string) bool {
	return len(t.waiting[id])+len(t.watching[id]) > 0
}

// progressed updates the progress of a running job.
func (t *waiters) progressed(id string, p tools.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiting[id] {
		w.job.State, w.job.Progress = Running, p
	}
	for w := range t.watching[id] {
		w.job.State, w.job.Progress = Running, p
		w.notify()
	}
}

// update updates the state of an unfinished job.
func (t *waiters) update(id string, job Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.notFoundCount, id)
	for w := range t.waiting[id] {
		w.job = job
	}
	for w := range t.watching[id] {
		w.job = job
		w.notify()
	}
}

// deliver delivers a result to all waiters and subscribers of a job.
func (t *waiters) deliver(id string, a waitResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiting[id] {
		w.deliver(&a)
	}
	for w := range t.watching[id] {
		select {
		case w.got <- &a:
		default:
		}
	}
}

// deliverTo delivers a result to the waiters of a caller and returns these waiters. A waiter of a
// Wait that has yet to poll its job is no recipient, because it has no job for the result.
func (t *waiters) deliverTo(
	id, caller string, resultFor func(Job) waitResult,
) (notified []*waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiting[id] {
		polled := w.request != nil || w.job.State != ""
		if w.caller == caller && polled && !w.delivered() {
			a := resultFor(w.job)
			w.deliver(&a)
			notified = append(notified, w)
		}
	}
	return notified
}

// jobs lists the jobs that have waiters or subscribers. It removes expired waiters.
func (t *waiters) jobs() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	ids := make([]string, 0, len(t.waiting)+len(t.watching))
	for id, set := range t.waiting {
		for w := range set {
			if !w.abandon.IsZero() && now.After(w.abandon) {
				delete(set, w)
			}
		}
		if len(set) == 0 {
			delete(t.waiting, id)
			continue
		}
		ids = append(ids, id)
	}
	for id := range t.watching {
		if t.waiting[id] == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// tokensOf returns the tokens of waiters without a result. A waiter with a result must not count
// as a waiter of the next run.
func (t *waiters) tokensOf(id string) (tokens []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiting[id] {
		if !w.delivered() {
			tokens = append(tokens, w.token)
		}
	}
	return tokens
}

// notFound counts a poll that found no job. lost is true after lostAfter such polls. The returned
// waiter can resubmit the job; it is nil if no waiter can.
func (t *waiters) notFound(id string) (lost bool, again *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notFoundCount[id]++
	lost = t.notFoundCount[id] >= lostAfter
	for w := range t.waiting[id] {
		if w.request != nil && w.job.State != "" && !w.delivered() {
			again = w
		}
	}
	if lost || !t.isWatchedLocked(id) {
		delete(t.notFoundCount, id)
	}
	return lost, again
}
