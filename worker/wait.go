package worker

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"slipstick/tools"
)

// lostAfter is how many looks in a row must find nothing before a waiter's job counts as lost
// with Redis's memory. A worker still running it writes it back within a beat.
const lostAfter = 5

// waiter is one call that wants a result. Submit makes it, Wait takes it over.
type waiter struct {
	id    string
	token string
	order *enqueueRequest // what this process submitted, to submit it again; nil when others did
	got   chan *answer

	// Guarded by Client.mu.
	job     Job       // as last known
	abandon time.Time // when it goes unless Wait takes it; zero while Submit or Wait has it
}

type answer struct {
	job Job
	err error
}

// subscriber is one call that follows a job's progress. It is no waiter: its leaving cancels nothing.
type subscriber struct {
	id   string
	got  chan *answer
	news chan struct{} // a full channel means: look at job
	job  Job           // guarded by Client.mu
}

// register makes a waiter; with an order it is one that can submit the job again.
func (c *Client) register(id string, o *enqueueRequest) *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	w := &waiter{id: id, token: c.process + ":" + strconv.Itoa(c.tokens), order: o, got: make(chan *answer, 1), job: Job{ID: id}}
	if c.waiting[id] == nil {
		c.waiting[id] = map[*waiter]bool{}
	}
	c.waiting[id][w] = true
	return w
}

// adopt gives a waiter that a Submit of this process left for the job, or nil. One whose Submit
// has not ended is not to be had: that Submit will drop it when it fails or finds a result. Nor is
// one whose answer makes way for a new run, which may be under way, as that for a dropped result does.
func (c *Client) adopt(id string) *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.waiting[id] {
		if w.abandon.IsZero() {
			continue
		}
		if w.delivered() {
			a := <-w.got
			if a.err == nil && !a.job.stands() || errors.Is(a.err, ErrJobNotFound) || a.job.Outcome.Large != nil {
				delete(c.waiting[id], w)
				continue
			}
			w.got <- a
		}
		w.abandon = time.Time{}
		return w
	}
	if len(c.waiting[id]) == 0 {
		delete(c.waiting, id)
	}
	return nil
}

// delivered reports whether a waiter has its answer; what it waited for is over then.
func (w *waiter) delivered() bool { return len(w.got) > 0 }

func (c *Client) setState(w *waiter, job Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.job = job
}

// handOver lets a Wait take the waiter over.
func (c *Client) handOver(w *waiter, job Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.job, w.abandon = job, time.Now().Add(waiterTTL)
}

func (c *Client) known(w *waiter) Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	return w.job
}

func (c *Client) drop(w *waiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting[w.id], w)
	if len(c.waiting[w.id]) == 0 {
		delete(c.waiting, w.id)
	}
}

// Wait implements Queue. Thousands of calls may stand in it, each with its stack, so what needs
// room there, such as a Job, is left to functions that do not wait.
func (c *Client) Wait(ctx context.Context, id string, d time.Duration) (job Job, err error) {
	w, err := c.join(ctx, id)
	if err != nil {
		return job, err
	}
	defer c.drop(w)
	err = c.conclude(ctx, w, w.await(ctx, d), &job)
	return job, err
}

// join gives the waiter of a wait that begins. It has its answer already when the job is finished.
func (c *Client) join(ctx context.Context, id string) (*waiter, error) {
	if w := c.adopt(id); w != nil {
		return w, nil
	}
	w := c.register(id, nil)
	op, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	job, err := c.poll(op, id, w.token)
	switch {
	case err != nil:
		c.drop(w)
		return nil, err
	case job.State.Finished():
		w.deliver(&answer{job: job})
	default:
		c.setState(w, job)
	}
	return w, nil
}

// await waits until there is an answer, ctx ends or the time is over; the answer is nil then.
func (w *waiter) await(ctx context.Context, d time.Duration) *answer {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case a := <-w.got:
		return a
	case <-ctx.Done():
	case <-timer.C:
	}
	return nil
}

// conclude ends a wait with the answer, or without one.
func (c *Client) conclude(ctx context.Context, w *waiter, a *answer, job *Job) (err error) {
	if a != nil {
		if w.order != nil {
			c.cacheResult(a.job, w.order.sub.Caller)
		}
		*job = a.job
		return a.err
	}
	op, done := context.WithTimeout(context.WithoutCancel(ctx), opTimeout)
	defer done()
	if ctx.Err() != nil {
		c.drop(w)
		c.leave(op, w.token, c.known(w))
		return ctx.Err()
	}
	*job = c.detach(op, w)
	return nil
}

// detach ends a bounded wait. The job stays whatever happens here, so trouble with Redis
// is not the caller's concern yet: what was last known is still a fair answer.
func (c *Client) detach(ctx context.Context, w *waiter) Job {
	if err := detachScript.Run(ctx, c.rdb, []string{metaKey(w.id), waitersKey(w.id)}, w.token).Err(); err != nil {
		c.opt.Log.Warn("a job could not be kept", "job", w.id, "error", err)
		return c.known(w)
	}
	job, err := c.poll(ctx, w.id)
	if err != nil {
		return c.known(w)
	}
	return job
}

// Watch implements Queue. The first call tells how things stand at the beginning.
func (c *Client) Watch(ctx context.Context, id string, progress func(Job)) error {
	w := &subscriber{id: id, got: make(chan *answer, 1), news: make(chan struct{}, 1)}
	c.mu.Lock()
	if c.watching[id] == nil {
		c.watching[id] = map[*subscriber]bool{}
	}
	c.watching[id][w] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watching[id], w)
		if len(c.watching[id]) == 0 {
			delete(c.watching, id)
		}
	}()
	last, err := c.Get(ctx, id, "")
	if err != nil || last.State.Finished() {
		return err
	}
	progress(last)
	for {
		select {
		case a := <-w.got:
			return a.err
		case <-ctx.Done():
			return ctx.Err()
		case <-w.news:
			c.mu.Lock()
			state, p := w.job.State, w.job.Progress
			c.mu.Unlock()
			// A look and a message may cross; progress does not go back for that.
			older := state == last.State && p.Phase == last.Progress.Phase && p.Percent < last.Progress.Percent
			if !older && (state != last.State || p != last.Progress) {
				last.State, last.Progress = state, p
				progress(last)
			}
		}
	}
}

// listen hands messages to those they concern. Messages are hints; one that is lost is made
// good by recheck.
func (c *Client) listen() {
	for m := range c.pubsub.Channel() {
		id, rest, _ := strings.Cut(m.Payload, " ")
		if m.Channel == progressChannel {
			c.progressed(id, readProgress(rest))
			continue
		}
		if m.Channel == leftChannel {
			c.ended.Go(func() { c.callerLeft(id, rest) })
			continue
		}
		if c.hasSubscribers(id) {
			c.ended.Go(func() { c.check(id) })
		}
	}
}

// callerLeft ends the waits of a caller who left a job that goes on for others. A message that
// is lost costs nothing: the wait then ends with the result.
func (c *Client) callerLeft(id, caller string) {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	var left []*waiter
	c.mu.Lock()
	for w := range c.waiting[id] {
		if w.order != nil && w.order.sub.Caller == caller && !w.delivered() {
			w.deliver(&answer{job: c.cancelledFor(w.job, w.job.EnqueuedAt, c.opt.Now())})
			left = append(left, w)
		}
	}
	c.mu.Unlock()
	for _, w := range left { // the job may have no other waiter
		c.leave(ctx, w.token, c.known(w))
	}
}

func (c *Client) hasSubscribers(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isWatched(id)
}

// isWatched needs c.mu.
func (c *Client) isWatched(id string) bool { return len(c.waiting[id])+len(c.watching[id]) > 0 }

// progressed notes that a job runs and how far it has come.
func (c *Client) progressed(id string, p tools.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.waiting[id] {
		w.job.State, w.job.Progress = Running, p
	}
	for w := range c.watching[id] {
		w.job.State, w.job.Progress = Running, p
		w.wake()
	}
}

func (w *subscriber) wake() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// recheck looks at every job somebody waits for, once a second: it keeps the waiters' tokens
// alive, finds results whose message was lost and revives jobs whose worker died.
func (c *Client) recheck() {
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-tick.C:
		}
		for _, id := range c.watchedJobs() {
			if !c.check(id) {
				break // Redis is away: the others would only wait for the same timeout
			}
		}
	}
}

// watchedJobs lists the jobs somebody waits for, and drops waiters nobody took over.
func (c *Client) watchedJobs() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	ids := make([]string, 0, len(c.waiting)+len(c.watching))
	for id, set := range c.waiting {
		for w := range set {
			if !w.abandon.IsZero() && now.After(w.abandon) {
				delete(set, w)
			}
		}
		if len(set) == 0 {
			delete(c.waiting, id)
			continue
		}
		ids = append(ids, id)
	}
	for id := range c.watching {
		if c.waiting[id] == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// check looks at one job for all of this process that wait for it. It is false when Redis
// could not be asked.
func (c *Client) check(id string) bool {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	c.mu.Lock()
	var tokens []string
	for w := range c.waiting[id] {
		if !w.delivered() { // else it would count as a waiter of the next run
			tokens = append(tokens, w.token)
		}
	}
	c.mu.Unlock()
	job, err := c.poll(ctx, id, tokens...)
	switch {
	case err == nil && job.State.Finished():
		c.deliver(id, answer{job: job})
	case err == nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.notFoundCount, id)
		for w := range c.waiting[id] {
			w.job = job
		}
		for w := range c.watching[id] {
			w.job = job
			w.wake()
		}
	case errors.Is(err, ErrJobNotFound):
		return c.confirmAbsent(ctx, id)
	case errors.Is(err, ErrJobNotFound): // dropped before it was read
		c.deliver(id, answer{err: err})
	default:
		c.opt.Log.Debug("a job could not be looked up", "job", id, "error", err)
		return false
	}
	return true
}

// deliver gives the answer to everybody of this process.
func (c *Client) deliver(id string, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.waiting[id] {
		w.deliver(&a)
	}
	for w := range c.watching[id] {
		select {
		case w.got <- &a:
		default:
		}
	}
}

// deliver gives a waiter its answer, unless it has one.
func (w *waiter) deliver(a *answer) {
	select {
	case w.got <- a:
	default:
	}
}

// confirmAbsent counts looks that found neither job nor result, and in the end places the job again
// when this process submitted it.
func (c *Client) confirmAbsent(ctx context.Context, id string) bool {
	c.mu.Lock()
	c.notFoundCount[id]++
	lost := c.notFoundCount[id] >= lostAfter
	var again *waiter
	for w := range c.waiting[id] {
		if w.order != nil && w.job.State != "" && !w.delivered() {
			again = w
		}
	}
	if lost || !c.isWatched(id) {
		delete(c.notFoundCount, id)
	}
	c.mu.Unlock()
	switch {
	case !lost:
	case again == nil:
		c.deliver(id, answer{err: ErrJobNotFound})
	default:
		c.opt.Log.Warn("Redis has lost a job; it is submitted again", "job", id)
		job, _, err := c.enqueueOrJoin(ctx, again.order, again.token)
		if err != nil {
			return false
		}
		if job.State.Finished() {
			c.deliver(id, answer{job: job})
		}
	}
	return true
}
