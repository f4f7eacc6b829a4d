package worker

import (
	"context"
	"slices"

	"slipstick/worker/store"
)

// Jobs of batches yield to all other jobs. asynq serves the queues by weight and never stops a
// running job, so two mechanisms are needed:
//
//   - A worker without a free slot stops one batch run early for each interactive job that waits.
//     The chunk returns the rows that it has, and its coordinator submits the rest.
//   - A permit of a batch takes an interactive job if one waits. The permit of that job later takes
//     the batch job because all permits are equal.

// interactive returns the priorities other than PriorityBatch, highest first.
func interactive() []Priority { return []Priority{PriorityPaid, PriorityFree, PriorityAnonymous} }

// waiting returns the number of interactive jobs of the given pools that wait for a slot.
func (s *Server) waiting(ctx context.Context, pools ...string) (int, error) {
	var queues []string
	for _, name := range pools {
		for _, p := range interactive() {
			queues = append(queues, store.QueueName(name, p))
		}
	}
	return s.store.Waiting(ctx, queues)
}

// yieldSlots stops batch runs early, one per interactive job that waits for a slot.
func (s *Server) yieldSlots() {
	if len(s.slots) < cap(s.slots) {
		return
	}
	var batches []*run
	ending := 0
	for _, r := range s.runs() {
		switch {
		case r.Priority != PriorityBatch:
		case r.stoppedEarly():
			ending++
		default:
			batches = append(batches, r)
		}
	}
	if len(batches) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), store.OpTimeout)
	defer cancel()
	n, err := s.waiting(ctx, s.opt.Pools...)
	if err != nil {
		s.opt.Log.Debug("the waiting jobs are unknown", "error", err)
		return
	}
	for _, r := range batches[:max(0, min(n-ending, len(batches)))] {
		r.signalStopEarly()
	}
}

// dequeue dequeues a job for a permit of a queue. If that queue is empty, or is a batch queue that
// yields, the job comes from another queue of the pool. It returns the task and queue of the job;
// the task is "" if no job is pending.
func (s *Server) dequeue(ctx context.Context, queue string) (task, from string, err error) {
	for _, from := range s.queuesFor(ctx, queue) {
		if task, err = s.store.Dequeue(ctx, from); task != "" || err != nil {
			return task, from, err
		}
	}
	return "", queue, nil
}

// queuesFor returns the queues whose jobs a permit may take, in order. All belong to one pool,
// which is paused as a whole.
func (s *Server) queuesFor(ctx context.Context, queue string) []string {
	for _, name := range s.opt.Pools {
		batches := store.QueueName(name, PriorityBatch)
		switch {
		case queue == batches:
			if n, err := s.waiting(ctx, name); err != nil || n == 0 {
				return []string{queue}
			}
			var first []string
			for _, p := range interactive() {
				first = append(first, store.QueueName(name, p))
			}
			return append(first, queue)
		case slices.ContainsFunc(interactive(), func(p Priority) bool {
			return queue == store.QueueName(name, p)
		}):
			return []string{queue, batches}
		}
	}
	return []string{queue}
}
