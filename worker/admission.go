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

// shortQueue is the queue length below which the wait is not estimated.
const shortQueue = 8

// takeCapacity takes the slots and the input bytes of a new job. waiting contains the lengths of
// the queues of its pool by priority. takeCapacity returns a *BusyError if the queue is full or the
// estimated wait exceeds MaxWait. It does the same if the inputs exceed their budget or a caller
// has no free slot.
func (c *Client) takeCapacity(
	ctx context.Context, o *enqueueRequest, waiting map[Priority]int64,
) (err error) {
	drainTime := func() time.Duration { return c.drainTime(ctx, o.Pool, o.Priority, waiting) }
	length := waiting[o.Priority]
	if length >= int64(c.opt.MaxQueueLength) {
		return &BusyError{RetryAfter: drainTime(), Reason: "the queue is full"}
	}
	if length >= shortQueue && o.Priority != PriorityBatch { // no caller waits for a batch
		if w := drainTime(); w > c.opt.MaxWait {
			return &BusyError{
				RetryAfter: w - c.opt.MaxWait + minRetryAfter,
				Reason: "a job sent now would wait about " + formatDuration(w.Round(time.Second)) +
					" in the queue, longer than is useful",
			}
		}
	}
	entered := false
	if len(o.Input) > store.SmallInput {
		entered, err = c.store.TakeInput(ctx, o.ID, len(o.Input), o.Timeout,
			func() time.Duration { return max(drainTime()/4, minRetryAfter) })
		if err != nil {
			return err
		}
	}
	taken := ""
	for caller, most := range c.slotLimits(o) {
		ok, err := c.store.TakeSlot(ctx, caller, o.ID, most, o.Timeout)
		if err == nil && ok {
			taken = caller
			continue
		}
		c.store.RefundSlots(ctx, o.ID, taken)
		if entered { // otherwise the entry belongs to an equal job
			c.store.ReleaseInput(ctx, o.ID)
		}
		if err != nil {
			return err
		}
		// A slot becomes free when one of the caller's jobs ends, and these jobs wait in the same
		// queue.
		after := drainTime() / time.Duration(max(1, most))
		return &BusyError{
			RetryAfter: max(after, minRetryAfter),
			Reason: "you have " + strconv.Itoa(most) +
				" unfinished jobs, which is as many as one caller may have",
		}
	}
	return nil
}

// slotLimits returns the callers that need a slot for a job, and their maximum numbers of slots.
// The chunks of a batch need no slots because the batch coordinator limits their number by the
// slots of the workers.
func (c *Client) slotLimits(o *enqueueRequest) map[string]int {
	limits := map[string]int{}
	if o.Priority == PriorityBatch {
		return limits
	}
	if o.Share != "" {
		limits[o.Share] = o.maxInFlight
	}
	if o.Group != "" {
		limits[o.Group] = c.opt.MaxInFlightPerCaller
		if o.Group == o.Share {
			limits[o.Group] = min(c.opt.MaxInFlightPerCaller, o.maxInFlight)
		}
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
