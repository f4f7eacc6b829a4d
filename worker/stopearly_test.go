package worker

import (
	"context"
	"testing"
)

// TestStopEarly verifies that only the sole caller of a running job can stop it early. It also
// verifies that the result is available under the job's id and that an equal request starts a new
// run.
func TestStopEarly(t *testing.T) {
	for name, edit := range map[string]func(*ServerOptions){"in a child": func(*ServerOptions) {},
		"in process": func(o *ServerOptions) {
			o.Child = nil
		}} {
		t.Run(name, func(t *testing.T) {
			forEachRedis(t, func(t *testing.T, url string) {
				serve(t, url, edit)
				c := client(t, url)
				trace := traceFile(t)
				stopEarly := func(id, caller string, want bool) {
					t.Helper()
					if got, err := c.StopEarly(context.Background(), id, caller); got != want ||
						err != nil {
						t.Errorf("enough for %s: %v, %v", caller, got, err)
					}
				}
				input := body(`{"n": 7, "trace": %q}`, trace)
				job := submit(t, c, "anytime", input, SubmitOptions{Caller: "a", Detached: true})
				inState(t, c, job.ID, Running)
				stopEarly(job.ID, "b", false)
				stopEarly(job.ID, "", false)
				stopEarly(job.ID, "a", true)
				ended := wait(t, c, job.ID, ample)
				wantState(t, ended, Done)
				if !ended.StoppedEarly ||
					string(ended.Outcome.Result) != `{"n":-7,"text":"","warnings":[]}` {
					t.Errorf("%v %s", ended.StoppedEarly, ended.Outcome.Result)
				}
				stopEarly(job.ID, "a", false)
				if again, err := c.Get(context.Background(), job.ID, ""); err != nil ||
					!again.StoppedEarly || again.State != Done {
					t.Errorf("later it is %+v, %v", again, err)
				}

				whole := wait(t, c, submit(t, c, "anytime", input, SubmitOptions{Caller: "b"}).ID,
					ample)
				wantState(t, whole, Done)
				if whole.StoppedEarly ||
					string(whole.Outcome.Result) != `{"n":7,"text":"","warnings":[]}` ||
					traced(trace) != 2 {
					t.Errorf("%v %s after %d runs", whole.StoppedEarly, whole.Outcome.Result,
						traced(trace))
				}

				shared := body(`{"n": 8, "trace": %q}`, traceFile(t))
				both := submit(t, c, "anytime", shared, SubmitOptions{Caller: "a", Detached: true})
				submit(t, c, "anytime", shared, SubmitOptions{Caller: "b", Detached: true})
				inState(t, c, both.ID, Running)
				stopEarly(both.ID, "a", false)
				stopEarly(both.ID, "b", false)
				if _, err := c.Cancel(context.Background(), both.ID, ""); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
