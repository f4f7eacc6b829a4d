package worker

import (
	"context"
	"testing"
	"time"
)

// oneSlot configures a worker with a single slot.
func oneSlot(o *ServerOptions) { o.Concurrency = 1 }

// TestYield verifies that a batch run on the only slot ends early, with a result, when an
// interactive job waits.
func TestYield(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		serve(t, url, oneSlot)
		c := client(t, url)
		chunk := submit(t, c, "anytime", body(`{"n": 7}`), SubmitOptions{Priority: PriorityBatch,
			Detached: true})
		inState(t, c, chunk.ID, Running)
		job := submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Caller: "a"})
		wantState(t, wait(t, c, job.ID, ample), Done)
		ended := wait(t, c, chunk.ID, ample)
		wantState(t, ended, Done)
		if !ended.StoppedEarly ||
			string(ended.Outcome.Result) != `{"n":-7,"text":"","warnings":[]}` {
			t.Errorf("%+v %s", ended, ended.Outcome.Result)
		}
	})
}

// TestYieldOnlyToWaitingJobs verifies that a chunk yields neither to another chunk nor to a job of
// a paused queue, but to a waiting interactive job.
func TestYieldOnlyToWaitingJobs(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		s, err := NewServer(ServerOptions{
			Redis: dial(t, url), Catalog: testCatalog(), Concurrency: 1, Log: testLog(t),
			ShutdownTimeout: time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		defer func() { end(); <-ended }()
		c := client(t, url)
		chunk := submit(t, c, "anytime", body(`{"n": 7}`), SubmitOptions{Priority: PriorityBatch,
			Detached: true})
		inState(t, c, chunk.ID, Running)
		stopped := func() bool {
			s.yieldSlots()
			return s.runs()[0].stoppedEarly()
		}
		submit(t, c, "echo", body(`{"n": 1}`), SubmitOptions{Priority: PriorityBatch,
			Detached: true})
		if err := c.PauseQueue(t.Context(), "test"); err != nil {
			t.Fatal(err)
		}
		submit(t, c, "echo", body(`{"n": 2}`), SubmitOptions{Detached: true})
		if stopped() {
			t.Error("the chunk yields to a paused queue")
		}
		if err := c.ResumeQueue(t.Context(), "test"); err != nil {
			t.Fatal(err)
		}
		if !stopped() {
			t.Error("the chunk does not yield")
		}
	})
}

// TestBatchesAreLast verifies that a free slot runs waiting interactive jobs before batches, and
// that no batch is lost.
func TestBatchesAreLast(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url)
		const n = 30
		var chunks, jobs []string
		for i := range n {
			j := submit(t, c, "noop", body(`{"n": %d}`, i), SubmitOptions{Priority: PriorityBatch,
				Detached: true})
			chunks = append(chunks, j.ID)
		}
		for i := range n {
			j := submit(t, c, "noop", body(`{"n": %d}`, n+i), SubmitOptions{Detached: true})
			jobs = append(jobs, j.ID)
		}
		serve(t, url, oneSlot)
		last, first := time.Time{}, time.Now().Add(time.Hour)
		for _, id := range jobs {
			j := wait(t, c, id, ample)
			if wantState(t, j, Done); j.FinishedAt.After(last) {
				last = j.FinishedAt
			}
		}
		for _, id := range chunks {
			j := wait(t, c, id, ample)
			if wantState(t, j, Done); j.FinishedAt.Before(first) {
				first = j.FinishedAt
			}
		}
		if first.Before(last) {
			t.Errorf("a batch had a slot %v before the last interactive job", last.Sub(first))
		}
	})
}
