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

// room refuses a job when its queue is full or its caller has enough jobs in flight. On
// success the job counts as the caller's.
func (c *Client) room(ctx context.Context, o *order) error {
	waiting, err := c.rdb.LLen(ctx, pendingKey(queueName(o.pool, o.sub.Class))).Result()
	if err != nil {
		return unavailable(err)
	}
	if waiting >= int64(c.opt.MaxQueued) {
		return &BusyError{c.drainTime(ctx, o.pool, waiting), "the queue is full"}
	}
	if o.sub.Caller == "" {
		return nil
	}
	allowed := c.opt.PerCaller
	if o.sub.AtOnce > 0 {
		allowed = min(allowed, o.sub.AtOnce)
	}
	life := c.opt.QueueTimeout + 3*o.timeout + metaSlack
	ok, err := charge.Run(ctx, c.rdb, []string{callerKey(o.sub.Caller)}, o.id, allowed, life.Milliseconds()).Int()
	if err != nil {
		return unavailable(err)
	}
	if ok == 0 {
		// One of the caller's own jobs must end, and those stand in the queue with the others.
		after := c.drainTime(ctx, o.pool, waiting) / time.Duration(max(1, allowed))
		return &BusyError{max(after, minRetryAfter), "you have " + strconv.Itoa(allowed) + " unfinished jobs, which is as many as one caller may have"}
	}
	return nil
}

// release takes a job off its caller's account. An entry left behind expires.
func (c *Client) release(ctx context.Context, caller, id string) {
	if caller == "" {
		return
	}
	if err := c.rdb.ZRem(ctx, callerKey(caller), id).Err(); err != nil {
		c.opt.Log.Debug("a job stays on its caller's account until it expires", "job", id, "error", err)
	}
}

// drainTime estimates when the jobs now waiting will have been begun: their number times the
// recent time per run, over the slots of the living workers.
func (c *Client) drainTime(ctx context.Context, pool string, waiting int64) time.Duration {
	st, err := c.poolState(ctx, pool)
	if err != nil || st.Average == 0 {
		return 10 * time.Second // nothing is known: no run has ended lately
	}
	d := time.Duration(float64(waiting) * float64(st.Average) / float64(max(1, st.Slots)))
	return min(max(d, minRetryAfter), maxRetryAfter)
}

// PoolState is what is known about a pool of workers.
type PoolState struct {
	Waiting map[Class]int64 // jobs not begun
	Slots   int             // runs the living workers can do at once
	Average time.Duration   // of recent runs; zero when no living worker has done any
}

// Pool tells how a pool is doing.
func (c *Client) Pool(ctx context.Context, pool string) (PoolState, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	st, err := c.poolState(ctx, pool)
	if err != nil {
		return st, unavailable(err)
	}
	st.Waiting = map[Class]int64{}
	for _, class := range []Class{Paid, Free} {
		if st.Waiting[class], err = c.rdb.LLen(ctx, pendingKey(queueName(pool, class))).Result(); err != nil {
			return st, unavailable(err)
		}
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
