package worker

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/tools"
)

type localIn struct {
	Name  string `json:"name" default:"" doc:"Makes a job of its own"`
	Bytes int    `json:"bytes" unit:"1" default:"1" doc:"Length of the text"`
	Wait  bool   `json:"wait" default:"false" doc:"Whether to wait for the test"`
	Panic bool   `json:"panic" default:"false" doc:"Whether to panic"`
}

type localOut struct {
	Text string `json:"text" doc:"Some text"`
	tools.Warnings
}

// newLocal returns a Local and its only tool. Runs with wait end when gate is closed; runs returns
// the number of runs.
func newLocal(t *testing.T,
	opt LocalOptions) (l *Local, tool *tools.Tool, gate chan struct{}, runs func() int) {
	t.Helper()
	gate = make(chan struct{})
	var mu sync.Mutex
	count := 0
	tool = tools.Define(tools.Spec{
		Name: "text", Title: "Text", Summary: "Gives a text", Method: "x", Sources: []string{"x"},
		Heavy:    &tools.Heavy{Pool: "test", Timeout: time.Minute},
		Examples: []tools.Example{{Title: "x", In: `{}`}},
	}, func(ctx context.Context, in localIn) (localOut, error) {
		mu.Lock()
		count++
		mu.Unlock()
		tools.Report(ctx, tools.Progress{Phase: "writing", Percent: 50})
		if in.Panic {
			panic("the secret of the tool")
		}
		if in.Wait {
			select {
			case <-gate:
			case <-ctx.Done():
				return localOut{}, ctx.Err()
			}
		}
		return localOut{Text: strings.Repeat("x", in.Bytes)}, nil
	})
	all, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test",
		Tools: []*tools.Tool{tool}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt.Catalog = all
	l = NewLocal(opt)
	t.Cleanup(l.Close)
	return l, tool, gate, func() int { mu.Lock(); defer mu.Unlock(); return count }
}

func submitLocal(t *testing.T, l *Local, tool *tools.Tool, format string, args ...any) Job {
	t.Helper()
	job, err := l.Submit(t.Context(), tool, body(format, args...), SubmitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// TestLocalResultsAreBounded verifies that results are kept up to ResultBytes, and that the oldest
// are evicted first. It also verifies that a larger result is kept until the next result.
func TestLocalResultsAreBounded(t *testing.T) {
	l, tool, _, runs := newLocal(t, LocalOptions{ResultBytes: 10_000, Concurrency: 1})
	var ids []string
	done := func(name string, bytes int) {
		t.Helper()
		job := submitLocal(t, l, tool, `{"name":%q,"bytes":%d}`, name, bytes)
		job, err := l.Wait(t.Context(), job.ID, "", time.Minute)
		if err != nil || job.State != Done || len(job.Outcome.Result) < bytes {
			t.Fatalf("%v %+v", err, job)
		}
		ids = append(ids, job.ID)
	}
	kept := func() (n int) {
		for _, id := range ids {
			if _, err := l.Get(t.Context(), id, ""); err == nil {
				n++
			} else if !errors.Is(err, ErrJobNotFound) {
				t.Error(err)
			}
		}
		return n
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		done(name, 3000)
	}
	if kept() != 3 || l.bytes > 10_000 {
		t.Errorf("%d are kept, with %d bytes", kept(), l.bytes)
	}
	if _, err := l.Get(t.Context(), ids[1], ""); err == nil {
		t.Error("the oldest is kept")
	}
	before := runs()
	done("e", 3000)
	if runs() != before {
		t.Error("a kept result was computed again")
	}
	done("large", 50_000)
	if ids = ids[len(ids)-1:]; kept() != 1 || len(l.finished) != 1 {
		t.Errorf("%d are kept beside one that is too large", len(l.finished))
	}
	done("small", 10)
	if kept() != 1 || l.bytes > 10_000 || len(l.jobs) != 1 {
		t.Errorf("%d of %d are kept, with %d bytes", kept(), len(l.jobs), l.bytes)
	}
}

// TestLocalJobs verifies that equal requests share a run, a bounded wait keeps the job, and the
// last waiter to leave cancels it. It also verifies that a panic fails the job and that MaxJobs
// bounds the unfinished jobs.
func TestLocalJobs(t *testing.T) {
	l, tool, gate, runs := newLocal(t, LocalOptions{MaxJobs: 3, Concurrency: 2})
	kept := submitLocal(t, l, tool, `{"wait":true}`)
	if job, err := l.Wait(t.Context(), kept.ID, "", time.Millisecond); err != nil ||
		job.State.Finished() {
		t.Fatal(job, err)
	}
	if again := submitLocal(t, l, tool, `{"wait":true,"name":""}`); again.ID != kept.ID {
		t.Error("equal requests are two jobs")
	}
	watched := make(chan error, 1)
	states := make(chan Job, 100)
	go func() { watched <- l.Watch(context.Background(), kept.ID, func(j Job) { states <- j }) }()
	if seen := <-states; seen.State.Finished() { // the job ends after the watch has begun
		t.Error("nothing was watched")
	}

	left := submitLocal(t, l, tool, `{"wait":true,"name":"left"}`)
	leaving, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.Wait(leaving, left.ID, "", time.Minute); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if job, err := l.Wait(t.Context(), left.ID, "", time.Minute); err != nil ||
		job.State != Cancelled {
		t.Error(job.State, err)
	}
	panics := submitLocal(t, l, tool, `{"panic":true}`)
	if job, err := l.Wait(t.Context(), panics.ID, "", time.Minute); err != nil ||
		job.State != Failed ||
		job.Outcome.Cause != Crashed || strings.Contains(job.Outcome.Failure, "secret") {
		t.Errorf("%+v %v", job, err)
	}
	submitLocal(t, l, tool, `{"wait":true,"name":"2"}`)
	third := submitLocal(t, l, tool, `{"wait":true,"name":"3"}`) // this job waits for a slot
	var busy *BusyError
	if _, err := l.Submit(t.Context(), tool, []byte(`{"name":"4"}`),
		SubmitOptions{}); !errors.As(err, &busy) || !busy.OfCaller {
		t.Errorf("a fourth job: %v", err)
	}
	if job, err := l.Cancel(t.Context(), third.ID, ""); err != nil || job.State != Cancelled {
		t.Error(job.State, err)
	}
	close(gate)
	if job, err := l.Wait(t.Context(), kept.ID, "", time.Minute); err != nil || job.State != Done ||
		job.Progress.Percent != 100 {
		t.Errorf("%+v %v", job, err)
	}
	if err := <-watched; err != nil {
		t.Error(err)
	}
	if n := runs(); n > 4 { // some of the cancelled jobs may not have begun
		t.Errorf("%d runs", n)
	}
	if _, err := l.Submit(t.Context(), tool, []byte(`{"bytes":"x"}`),
		SubmitOptions{}); tools.AsInputError(err) == nil {
		t.Error(err)
	}
	l.Close()
	if _, err := l.Submit(t.Context(), tool, []byte(`{"name":"late"}`),
		SubmitOptions{}); err == nil {
		t.Error("a closed queue takes a job")
	}
}
