package worker

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Limits of what a caller is told to wait.
const (
	minRetryAfter = time.Second
	maxRetryAfter = 5 * time.Minute
)

// checkCapacity refuses a job when its queue is full, when it would wait longer than MaxWait, or when
// its caller has enough jobs in flight. On success the job counts as the caller's.
func (c *Client) checkCapacity(ctx context.Context, o *enqueueRequest) error {
	waiting, err := c.lengths(ctx, o.pool)
	if err != nil {
		return unavailable(err)
	}
	before := waiting[o.sub.Priority]
	if before >= int64(c.opt.MaxQueueLength) {
		return &BusyError{c.drainTime(ctx, o.pool, o.sub.Priority, waiting), "the queue is full"}
	}
	if before >= shortQueue {
		if wait := c.drainTime(ctx, o.pool, o.sub.Priority, waiting); wait > c.opt.MaxWait {
			return &BusyError{wait - c.opt.MaxWait + minRetryAfter, "a job sent now would wait about " + inWords(wait.Round(time.Second)) + " in the queue, longer than is useful"}
		}
	}
	life := c.opt.QueueTimeout + 3*o.timeout + jobTTLSlack
	entered := false
	if len(o.body) > smallInput {
		retry := max(c.drainTime(ctx, o.pool, o.sub.Priority, waiting)/4, minRetryAfter)
		if entered, err = c.store.inputRoom(ctx, o.id, len(o.body), life, retry); err != nil {
			return err
		}
	}
	allowed := map[string]int{}
	if share := o.share(); share != "" {
		allowed[share] = o.sub.MaxInFlight
	}
	if group := o.sub.group(); group != "" {
		allowed[group] = c.opt.MaxInFlightPerCaller
		if group == o.share() {
			allowed[group] = min(c.opt.MaxInFlightPerCaller, o.sub.MaxInFlight)
		}
	}
	charged := ""
	for caller, most := range allowed {
		ok, err := chargeScript.Run(ctx, c.rdb, []string{callerKey(caller)}, o.id, most, life.Milliseconds()).Int()
		if err == nil && ok == 1 {
			charged = caller
			continue
		}
		c.refundSlots(ctx, o.id, charged)
		if entered { // else the entry is that of an equal job
			c.store.releaseInput(ctx, o.id)
		}
		if err != nil {
			return unavailable(err)
		}
		// One of the caller's own jobs must end, and those stand in the queue with the others.
		after := c.drainTime(ctx, o.pool, o.sub.Priority, waiting) / time.Duration(max(1, most))
		return &BusyError{max(after, minRetryAfter), "you have " + strconv.Itoa(most) + " unfinished jobs, which is as many as one caller may have"}
	}
	return nil
}

// releaseSlot takes a job off the accounts of its callers and of inputs. An entry left behind expires.
func (c *Client) releaseSlot(ctx context.Context, id string, callers ...string) {
	c.store.releaseInput(ctx, id)
	c.refundSlots(ctx, id, callers...)
}

// refundSlots takes a job off the accounts of callers.
func (c *Client) refundSlots(ctx context.Context, id string, callers ...string) {
	for _, caller := range callers {
		if caller == "" {
			continue
		}
		if err := c.rdb.ZRem(ctx, callerKey(caller), id).Err(); err != nil {
			c.opt.Log.Debug("a job stays on its caller's account until it expires", "job", id, "error", err)
		}
	}
}

// shortQueue is the length of a queue below which nobody works out how long it takes.
const shortQueue = 8

// drainTime estimates when the jobs now waiting in a class will have been begun: their number
// times the recent time per run, over the slots of the living workers and the class's share of
// them while other classes have jobs waiting too.
func (c *Client) drainTime(ctx context.Context, pool string, class Priority, waiting map[Priority]int64) time.Duration {
	st, err := c.poolState(ctx, pool)
	if err != nil || st.Average == 0 {
		return 10 * time.Second // nothing is known: no run has ended lately
	}
	rivals := 0
	for k, n := range waiting {
		if n > 0 || k == class {
			rivals += k.weight()
		}
	}
	share := float64(max(1, st.Slots)) * float64(class.weight()) / float64(rivals)
	d := time.Duration(float64(waiting[class]) * float64(st.Average) / share)
	return min(max(d, minRetryAfter), maxRetryAfter)
}

// lengths counts the jobs not begun, by class.
func (c *Client) lengths(ctx context.Context, pool string) (map[Priority]int64, error) {
	counts := map[Priority]*redis.IntCmd{}
	_, err := c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, class := range Priorities() {
			counts[class] = pipe.LLen(ctx, pendingKey(queueName(pool, class)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	waiting := map[Priority]int64{}
	for class, n := range counts {
		waiting[class] = n.Val()
	}
	return waiting, nil
}

// PoolState is what is known about a pool of workers.
type PoolState struct {
	Waiting map[Priority]int64 // jobs not begun
	Slots   int                // runs the living workers can do at once
	Average time.Duration      // of recent runs; zero when no living worker has done any
}

// Pool tells how a pool is doing.
func (c *Client) Pool(ctx context.Context, pool string) (PoolState, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	st, err := c.poolState(ctx, pool)
	if err != nil {
		return st, unavailable(err)
	}
	if st.Waiting, err = c.lengths(ctx, pool); err != nil {
		return st, unavailable(err)
	}
	return st, nil
}

func (c *Client) poolState(ctx context.Context, pool string) (st PoolState, err error) {
	now := strconv.FormatInt(c.opt.Now().UnixMilli(), 10)
	workers, err := c.rdb.ZRangeByScore(ctx, workersKey(pool), &redis.ZRangeBy{Min: now, Max: "+inf"}).Result()
	if err != nil {
		return st, err
	}
	weighted, known := 0.0, 0
	for _, w := range workers {
		part := strings.Split(w, ":") // name, slots, milliseconds
		if len(part) != 3 {
			continue
		}
		slots, err := strconv.Atoi(part[1])
		if err != nil {
			continue
		}
		st.Slots += slots
		if ms, err := strconv.ParseFloat(part[2], 64); err == nil && ms > 0 {
			weighted += ms * float64(slots)
			known += slots
		}
	}
	if known > 0 {
		st.Average = time.Duration(weighted / float64(known) * float64(time.Millisecond))
	}
	return st, nil
}
