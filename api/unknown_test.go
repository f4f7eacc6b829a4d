package api

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/mcp"
	"slipstick/tools"
	"slipstick/worker"
	"slipstick/worker/queuetest"
)

// startWithWorker serves a queued tool "gated_sum" with a real queue and worker. open lets all runs
// end; runs returns the number of runs.
func startWithWorker(t *testing.T) (s *running, open func(), runs func() int) {
	t.Helper()
	var mu sync.Mutex
	began, gate := 0, make(chan struct{})
	open = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	all := testCatalog(t, testTool("gated_sum", &tools.Heavy{Pool: "test", Timeout: time.Minute},
		func(ctx context.Context, in sumIn) (sumOut, error) {
			mu.Lock()
			began++
			mu.Unlock()
			select {
			case <-gate:
			case <-ctx.Done():
				return sumOut{}, ctx.Err()
			}
			out, err := sum(ctx, in)
			if out.Sum < 0 {
				out.Warn("the sum is negative")
			}
			return out, err
		}))
	rdb, quiet := queuetest.Redis(t), slog.New(slog.DiscardHandler)
	queuetest.Serve(t, worker.ServerOptions{Redis: rdb, Catalog: all, Concurrency: 2})
	q := queuetest.Client(t, worker.ClientOptions{Redis: rdb})
	agents, err := mcp.New(mcp.Options{Catalog: all, Queue: q, Wait: 20 * time.Second, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agents.Close() })
	s = start(t, Options{Catalog: all, Queue: q, MCP: agents, Quota: &fakeQuota{limit: 1000}})
	return s, open, func() int { mu.Lock(); defer mu.Unlock(); return began }
}

type jobReply struct {
	ID       string   `json:"id"`
	State    string   `json:"state"`
	Warnings []string `json:"warnings"`
	Result   *struct {
		Result struct {
			Sum      float64  `json:"sum"`
			Warnings []string `json:"warnings"`
		} `json:"result"`
	} `json:"result"`
}

type sumReply struct {
	Result struct {
		Sum      float64  `json:"sum"`
		Warnings []string `json:"warnings"`
	} `json:"result"`
}

const (
	aboutScale = `unknown field "scal" was ignored; did you mean scale?`
	aboutLayer = `unknown field "layer_count" was ignored`
)

// TestUnknownFieldsOfHeavyTools verifies that every interface of a queued tool reports unknown
// fields to their sender, and not to other callers of the same job.
func TestUnknownFieldsOfHeavyTools(t *testing.T) {
	s, open, runs := startWithWorker(t)
	const path = "/api/gated_sum"
	async := "Prefer: respond-async"
	var mine, yours, none jobReply
	begin := func(to *jobReply, body string, headers ...string) {
		t.Helper()
		r := s.post(t, path, body, append(headers, async)...)
		if r.status != 202 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		r.json(t, to)
	}
	begin(&mine, `{"numbers":[-1,-2],"scal":3}`)
	begin(&yours, `{"numbers":[-1,-2],"layer_count":4}`, "X-Api-Key: good")
	begin(&none, `{"numbers":[-1,-2]}`, "X-Api-Key: paid")
	if mine.ID != yours.ID || mine.ID != none.ID {
		t.Fatal("equal requests are not one job")
	}
	if !slices.Equal(mine.Warnings, []string{aboutScale}) ||
		!slices.Equal(yours.Warnings, []string{aboutLayer}) || len(none.Warnings) > 0 {
		t.Errorf("the 202 responses warn of %q, %q and %q", mine.Warnings, yours.Warnings,
			none.Warnings)
	}
	open()
	const own = "the sum is negative"
	for _, c := range []struct {
		name    string
		headers []string
		want    []string
	}{
		{"mine", nil, []string{own, aboutScale}},
		{"yours", []string{"X-Api-Key: good"}, []string{own, aboutLayer}},
		{"of the caller without such a field", []string{"X-Api-Key: paid"}, []string{own}},
		{"of an unknown caller", []string{"X-Api-Key: unknown"}, []string{own}},
	} {
		var done jobReply
		s.call(t, "GET", "/api/jobs/"+mine.ID, "", append(c.headers, "Prefer: wait=20")...).json(t,
			&done)
		if done.State != "done" || done.Result == nil || done.Result.Result.Sum != -3 ||
			!slices.Equal(done.Result.Result.Warnings, c.want) ||
			!slices.Equal(done.Warnings, c.want[1:]) {
			t.Errorf("the job, %s: %+v, result %+v, want the warnings %q", c.name, done,
				done.Result, c.want)
		}
	}
	for _, c := range []struct {
		body string
		want []string
	}{
		{`{"numbers":[-1,-2],"scal":3}`, []string{own, aboutScale}}, // remembered
		{`{"numbers":[-1,-2]}`, []string{own}},
		{`{"numbers":[1,2],"scal":3,"layer_count":4}`, []string{aboutScale, aboutLayer}},
		{`{"numbers":[1,2]}`, []string{}},
		{`{"numbers":[1,2],"<b>\"]}":1}`, []string{`unknown field "<b>\"]}" was ignored`}},
	} {
		var r sumReply
		s.post(t, path, c.body).json(t, &r)
		if !slices.Equal(r.Result.Warnings, c.want) {
			t.Errorf("%s: %q, want %q", c.body, r.Result.Warnings, c.want)
		}
	}

	t.Run("page", func(t *testing.T) {
		page := []string{asJSON, "Sec-Fetch-Site: same-origin", headerPageToken + ": " + s.token(t)}
		var r sumReply
		s.call(t, "POST", "/ui/run/gated_sum", `{"numbers":[1,2],"scal":3}`, page...).json(t, &r)
		if !slices.Equal(r.Result.Warnings, []string{aboutScale}) {
			t.Errorf("%q", r.Result.Warnings)
		}
		var begun, done jobReply
		a := s.call(t, "POST", "/ui/run/gated_sum", `{"numbers":[1,7],"scal":3}`,
			append(page, async)...)
		if a.status == 202 { // with any other status the job ended within the wait
			a.json(t, &begun)
			s.call(t, "GET", "/ui/jobs/"+begun.ID, "", "Prefer: wait=20").json(t, &done)
			if done.Result == nil || !slices.Equal(done.Result.Result.Warnings,
				[]string{aboutScale}) {
				t.Errorf("%+v", done)
			}
		}
	})
	t.Run("agent", func(t *testing.T) {
		session := s.initialize(t)
		call := func(body string, headers ...string) string {
			t.Helper()
			r := s.post(t, "/mcp", body, append(headers, "Accept: application/json",
				headerSession+": "+session)...)
			if r.status != 200 {
				t.Fatalf("%d %s", r.status, r.body)
			}
			return r.body
		}
		for range 2 { // the first call computes, the second gets the stored result
			if a := call(toolCall("gated_sum", `{"numbers":[4,5],"layer_count":4}`,
				"p")); !strings.Contains(a,
				`"warnings":["unknown field \"layer_count\" was ignored"]`) {
				t.Error(a)
			}
		}
		// A guess is not run, so scale does not take its default.
		if a := call(toolCall("gated_sum", `{"numbers":[4,5],"scal":3}`,
			"p")); !strings.Contains(a, `\"scale\":3`) || !strings.Contains(a, `"isError":true`) {
			t.Error(a)
		}
		if a := call(toolCall("gated_sum", `{"numbers":[4,5]}`, "p")); !strings.Contains(a,
			`"warnings":[]`) {
			t.Error(a)
		}
		read := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"slipstick://jobs/%s"}}`, mine.ID)
		if a := call(read, "X-Api-Key: good"); !strings.Contains(a, "layer_count") ||
			strings.Contains(a, "scal") {
			t.Error(a)
		}
	})
	if n := runs(); n > 5 {
		t.Errorf("%d runs for 5 different computations", n)
	}
}
