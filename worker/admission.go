package worker

import (
	"context"
	"strconv"
	"time"

	"slipstick/worker/store"
)

// Minimum and maximum of Retry-After.
const (
	minRetryAfter = time.Second
	maxRetryAfter = 5 * time.Minute
)

// refundTimeout is the time limit for returning the slots and the input bytes of a job that is not
// admitted. It also applies after the context of the submission has ended.
const refundTimeout = time.Second

// shortQueue is the queue length below which the wait is not estimated.
const shortQueue = 8

// takeCapacity takes the slots and the input bytes of a new job. waiting contains the lengths of
// the queues of its pool by priority. takeCapacity returns a *BusyError if the queue is full or the
// estimated wait exceeds MaxWait. It does the same if the inputs exceed their budget or a caller
// has no free slot.
func (c *Client) takeCapacity(
	ctx context.Context, o *enqueueRequest, waiting map[Priority]int64,
) error {
	drainTime := func() time.Duration { return c.drainTime(ctx, o.Pool, o.Priority, waiting) }
	if err := c.checkQueue(o.Priority, waiting[o.Priority], drainTime); err != nil {
		return err
	}
	entered := false
	if len(o.Input) > store.SmallInput {
		var err error
		entered, err = c.store.TakeInput(ctx, o.ID, len(o.Input), o.Timeout,
			func() time.Duration { return max(drainTime()/4, minRetryAfter) })
		if err != nil {
			return err
		}
	}
	var taken []string
	for _, l := range c.slotLimits(o) {
		isNew, err := c.takeSlot(ctx, o, l, drainTime)
		if err == nil {
			if isNew { // otherwise the slot belongs to an equal job
				taken = append(taken, l.caller)
			}
			continue
		}
		refund, cancel := context.WithTimeout(context.WithoutCancel(ctx), refundTimeout)
		defer cancel()
		c.store.RefundSlots(refund, o.ID, taken...)
		if entered { // otherwise the entry belongs to an equal job
			c.store.ReleaseInput(refund, o.ID)
		}
		return err
	}
	return nil
}

// checkQueue returns a *BusyError if a queue of the given length takes no further job.
func (c *Client) checkQueue(p Priority, length int64, drainTime func() time.Duration) error {
	if length >= int64(c.opt.MaxQueueLength) {
		return &BusyError{RetryAfter: drainTime(), Reason: "the queue is full"}
	}
	if length < shortQueue || p == PriorityBatch { // no caller waits for a batch
		return nil
	}
	wait := drainTime()
	if wait <= c.opt.MaxWait {
		return nil
	}
	return &BusyError{
		RetryAfter: wait - c.opt.MaxWait + minRetryAfter,
		Reason: "a job sent now would wait about " +
			formatDuration(wait.Round(time.Second)) + " in the queue, longer than is useful",
	}
}

// takeSlot takes a slot for a job. isNew is false if an equal job has already taken it. takeSlot
// returns a *BusyError if the caller has no free slot.
func (c *Client) takeSlot(
	ctx context.Context, o *enqueueRequest, l slotLimit, drainTime func() time.Duration,
) (isNew bool, err error) {
	ok, isNew, err := c.store.TakeSlot(ctx, l.caller, o.ID, l.most, o.Timeout)
	if err != nil || ok {
		return isNew, err
	}
	// A slot becomes free when a job of the caller ends, and these jobs wait in the same queue.
	after := drainTime() / time.Duration(max(1, l.most))
	return false, &BusyError{
		OfCaller: true, RetryAfter: max(after, minRetryAfter),
		Reason: "you have " + strconv.Itoa(l.most) +
			" unfinished jobs, which is as many as one caller may have",
	}
}

// slotLimit is the maximum number of slots of a caller.
type slotLimit struct {
	caller string
	most   int
}

// slotLimits returns the callers that need a slot for a job, and their maximum numbers of slots.
// The chunks of a batch need no slots because the batch coordinator limits their number by the
// slots of the workers.
func (c *Client) slotLimits(o *enqueueRequest) (limits []slotLimit) {
	if o.Priority == PriorityBatch {
		return nil
	}
	if o.Share != "" && o.Share != o.Group {
		limits = append(limits, slotLimit{o.Share, o.maxInFlight})
	}
	if o.Group != "" {
		most := c.opt.MaxInFlightPerCaller
		if o.Group == o.Share {
			most = min(most, o.maxInFlight)
		}
		limits = append(limits, slotLimit{o.Group, most})
	}
	return limits
}

// drainTime estimates the time until all waiting jobs of a priority have begun. It multiplies their
// number by the average run time. It divides the product by the slots of the living workers, and by
// the weight of the priority relative to all priorities with waiting jobs.
func (c *Client) drainTime(
	ctx context.Context, pool string, p Priority, waiting map[Priority]int64,
) time.Duration {
	st, err := c.store.Workers(ctx, pool)
	if err != nil || st.Average == 0 {
		return 10 * time.Second // used if no recent run is known
	}
	weights := 0
	for other, n := range waiting {
		if n > 0 || other == p {
			weights += other.Weight()
		}
	}
	share := float64(max(1, st.Slots)) * float64(p.Weight()) / float64(weights)
	d := time.Duration(float64(waiting[p]) * float64(st.Average) / share)
	return min(max(d, minRetryAfter), maxRetryAfter)
}
