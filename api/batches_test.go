package api

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/keys"
	"slipstick/keys/keystest"
	"slipstick/keys/quota"
	"slipstick/keys/usage"
	"slipstick/tools"
	"slipstick/worker"
	"slipstick/worker/queuetest"
)

// batchServer is a server with API keys, a quota, and workers on an embedded Redis.
type batchServer struct {
	*running
	keys *keys.Service
	book usage.Store
}

func startBatches(t *testing.T, limits map[keys.Tier]int, edit ...func(*Options)) *batchServer {
	t.Helper()
	rdb := queuetest.Redis(t)
	c := testCatalog(t, testTool("wordy_sum", &tools.Heavy{Pool: "test", Timeout: time.Minute},
		func(ctx context.Context, in sumIn) (sumOut, error) {
			out, err := sum(ctx, in)
			out.Warn("%s", strings.Repeat("x", 3*largeResult))
			return out, err
		}))
	all, err := batch.WorkerCatalog(c)
	if err != nil {
		t.Fatal(err)
	}
	queuetest.Serve(t, worker.ServerOptions{Redis: rdb, Catalog: all, Concurrency: 2})
	queue := queuetest.Client(t, worker.ClientOptions{Redis: rdb})
	book := usage.NewRedis(rdb)
	keyService := keystest.NewService(t)
	counts := usage.New(usage.Options{Store: book})
	t.Cleanup(counts.Close)
	limiter := quota.New(quota.Options{Keys: keyService, Counter: counts, Limits: limits})
	batches, err := service.New(service.Options{
		Redis: rdb, Catalog: c, Queue: queue, Quota: limiter,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); batches.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	o := Options{
		Catalog: c, Queue: queue, Batches: batches, Quota: limiter, Keys: keyService,
		MCP: newAgents(t, Options{Catalog: c}),
	}
	for _, e := range edit {
		e(&o)
	}
	return &batchServer{start(t, o), keyService, book}
}

func (s *batchServer) issue(t *testing.T, tier keys.Tier) string {
	t.Helper()
	key, _, err := s.keys.Issue(t.Context(), keys.IssueParams{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	return "X-Api-Key: " + key
}

// finish creates a batch and waits for its summary.
func (s *batchServer) finish(t *testing.T, body string, headers ...string) service.Batch {
	t.Helper()
	r := s.post(t, "/api/batches", body, headers...)
	var b service.Batch
	if r.json(t, &b); r.status != 202 || r.header.Get("Location") != "/api/batches/"+b.ID {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for until := time.Now().Add(time.Minute); b.Summary == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("no end of %+v", b)
		}
		s.call(t, "GET", "/api/batches/"+b.ID, "", headers...).json(t, &b)
	}
	return b
}

const contractExample = `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}]}`

// TestBatches compares the responses about a batch in every form, including a recomputed run, with
// the examples of the contract.
func TestBatches(t *testing.T) {
	s := startBatches(t, nil)
	b := s.finish(t, contractExample)
	if b.State != service.Done || b.RunsDone != 3 || b.RunsTotal != 3 || b.RunsFailed != 0 ||
		b.ExpiresAt == nil {
		t.Errorf("%+v", b)
	}
	var rows struct {
		Columns map[string][]any
		From    int
		Count   int
		Total   int
	}
	path := "/api/batches/" + b.ID
	s.call(t, "GET", path+"/results", "").json(t, &rows)
	for i, want := range []float64{91.676, 111.676, 131.676} { // ITU-R P.525-4, equation 4
		if got := rows.Columns["fspl_db"][i].(float64); math.Abs(got-want) > 5e-4 {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	if rows.Count != 3 || rows.Total != 3 || fmt.Sprint(rows.Columns["/dist_km"]) != "[1 10 100]" {
		t.Errorf("%+v", rows)
	}
	r := s.call(t, "GET", path+"/results?from=1&limit=1", "", "Accept: text/csv")
	if !strings.HasPrefix(r.body, "index,/dist_km,") || !strings.Contains(r.body, "\n1,10,") ||
		strings.Count(r.body, "\n") != 2 ||
		r.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("CSV: %v %s", r.header, r.body)
	}
	r = s.call(t, "GET", path+"/results", "", "Accept: application/x-ndjson")
	if strings.Count(r.body, "\n") != 3 || !strings.HasPrefix(r.body, `{"index":0,"/dist_km":1,`) {
		t.Errorf("NDJSON: %s", r.body)
	}
	var again struct {
		Result struct {
			Loss float64 `json:"fspl_db"`
		}
		Input map[string]float64
		Tool  string
	}
	s.call(t, "GET", path+"/runs/1", "").json(t, &again)
	if again.Tool != "fspl" || again.Input["dist_km"] != 10 ||
		math.Abs(again.Result.Loss-111.676) > 5e-4 {
		t.Errorf("%+v", again)
	}
	solve := s.finish(t, `{"tool": "link_budget", "mode": "solve", "input": {"tx_dbm": 20, "freq_mhz": 915, "rx_sensitivity_dbm": -130}, "vary": [{"field": "/dist_km", "from": 1, "to": 5000}], "target": {"name": "margin_db", "value": 10}}`)
	var summary struct {
		Roots []struct{ Input map[string]float64 }
	}
	if err := json.Unmarshal(solve.Summary, &summary); err != nil || len(summary.Roots) != 1 ||
		math.Abs(summary.Roots[0].Input["/dist_km"]-427.8) > 0.1 {
		t.Errorf("%s %v", solve.Summary, err)
	}
	if solve.RunsTotal != solve.RunsDone {
		t.Errorf("%+v", solve)
	}
	queued := s.finish(t, `{"tool": "slow_sum", "mode": "list", "inputs": [{"numbers": [1]}, {"numbers": []}, {"numbers": [2, 3]}]}`)
	if queued.RunsDone != 3 || queued.RunsFailed != 1 {
		t.Errorf("%+v", queued)
	}
	r = s.call(t, "GET", "/api/batches/"+queued.ID+"/runs/2", "")
	if r.status != 200 || !strings.Contains(r.body, `"sum":5`) ||
		!strings.Contains(r.body, `"input":{"numbers":[2,3]}`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	large := s.finish(t, `{"tool": "wordy_sum", "mode": "list", "inputs": [{"numbers": [2, 3]}]}`)
	var run struct {
		Result struct{ Sum float64 }
		Input  struct{ Numbers []float64 }
		Chain  *tools.Chain
	}
	r = s.call(t, "GET", "/api/batches/"+large.ID+"/runs/0", "")
	r.json(t, &run)
	if run.Result.Sum != 5 || len(run.Input.Numbers) != 2 || run.Chain == nil ||
		len(r.body) < 3*largeResult {
		t.Errorf("%d %+v", len(r.body), run)
	}
	if r := s.call(t, "GET", "/api/batch_chunk_test", ""); r.status != 404 {
		t.Errorf("a chunk tool is public: %s", r.body)
	}
}

// TestBatchRunWaits verifies that the response for a run that exceeds the wait contains its job and
// input.
func TestBatchRunWaits(t *testing.T) {
	s := startBatches(t, nil, func(o *Options) { o.Wait = time.Millisecond })
	b := s.finish(t, `{"tool": "slow_sum", "mode": "list", "inputs": [{"numbers": [1]}]}`)
	if err := s.opt.Queue.(*worker.Client).PauseQueue(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	r := s.call(t, "GET", "/api/batches/"+b.ID+"/runs/0", "")
	var job BatchRunJob
	r.json(t, &job)
	if r.status != 202 || string(job.Input) != `{"numbers":[1]}` || job.State != worker.Queued ||
		r.header.Get("Location") != "/api/jobs/"+job.ID || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
}

// TestBatchProblems verifies the status and the detail of the problem for each kind of rejected
// request.
func TestBatchProblems(t *testing.T) {
	s := startBatches(t, nil)
	b := s.finish(t, contractExample)
	for _, c := range []struct {
		method, path, body string
		status             int
		detail             string
	}{
		{"POST", "/api/batches", `{}`, 400, "tool"},
		{"POST", "/api/batches", `{"tool": "fslp"}`, 404, "fspl"},
		{"POST", "/api/batches", `{"tool": "fspl", "vary": [{"field": "/dist", "values": [1]}]}`,
			400, "dist_km"},
		{"POST", "/api/batches",
			`{"tool": "fspl", "n": 5, "vary": [{"field": "/dist_km", "values": [1]}]}`,
			400, "grid"},
		{"POST", "/api/batches", `{"tool": "fspl", "x": 5}`, 400, "x"},
		{"POST", "/api/batches", `[`, 400, ""},
		{"GET", "/api/batches/xyz", "", 404, "32 digits"},
		{"GET", "/api/batches/" + testJob, "", 404, "no such batch"},
		{"DELETE", "/api/batches/" + testJob, "", 404, "no such batch"},
		{"GET", "/api/batches/" + b.ID + "/results?limit=0", "", 400, "from 1 to 10000"},
		{"GET", "/api/batches/" + b.ID + "/results?from=x", "", 400, "integer"},
		{"GET", "/api/batches/" + b.ID + "/results?limt=1", "", 400, "limt: is unknown"},
		{"GET", "/api/batches/" + b.ID + "/results?partial=1", "", 400, "true or false"},
		{"GET", "/api/batches/" + b.ID + "/runs/3", "", 404, "no run with this index"},
		{"GET", "/api/batches/" + b.ID + "/runs/-1", "", 404, "no run with this index"},
		{"GET", "/api/batches/" + b.ID + "/runs/x", "", 404, "integer"},
		{"GET", "/api/batches", "", 401, "API key"},
	} {
		r := s.post(t, c.path, c.body)
		if c.method != "POST" {
			r = s.call(t, c.method, c.path, "")
		}
		var p Problem
		if r.json(t, &p); r.status != c.status || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, r.status, r.body)
		}
	}
	if r := s.call(t, "GET", "/api/batches/"+b.ID+"/results", "",
		"Accept: image/png"); r.status != 406 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := start(t, Options{}).post(t, "/api/batches", contractExample); r.status != 503 {
		t.Errorf("without batches: %d %s", r.status, r.body)
	}
}

// TestBatchCaller verifies that only the caller of a batch can read and cancel it.
func TestBatchCaller(t *testing.T) {
	s := startBatches(t, nil)
	mine, other := s.issue(t, keys.Free), s.issue(t, keys.Agent)
	b := s.finish(t, contractExample, mine)
	for _, path := range []string{"", "/results", "/runs/0"} {
		for _, header := range [][]string{{other}, nil} {
			if r := s.call(t, "GET", "/api/batches/"+b.ID+path, "", header...); r.status != 404 {
				t.Errorf("%q with %q: %d", path, header, r.status)
			}
		}
		if r := s.call(t, "GET", "/api/batches/"+b.ID+path, "", mine); r.status != 200 {
			t.Errorf("%q: %d %s", path, r.status, r.body)
		}
	}
	if r := s.call(t, "DELETE", "/api/batches/"+b.ID, "", other); r.status != 404 {
		t.Errorf("%d %s", r.status, r.body)
	}
	var list BatchList
	if s.call(t, "GET", "/api/batches", "", mine).json(t, &list); list.Count != 1 ||
		list.Batches[0].ID != b.ID {
		t.Errorf("%+v", list)
	}
	if s.call(t, "GET", "/api/batches", "", other).json(t, &list); list.Count != 0 {
		t.Errorf("%+v", list)
	}
}

// TestBatchQuota verifies that an accepted batch debits its runs and that runs that did not take
// place are refunded. It also verifies that the rejection of a larger batch contains the number of
// remaining calls.
func TestBatchQuota(t *testing.T) {
	s := startBatches(t, map[keys.Tier]int{keys.Anonymous: 100, keys.Free: 300})
	free, paid := s.issue(t, keys.Free), s.issue(t, keys.Agent)
	left := func(headers ...string) string {
		t.Helper()
		r := s.post(t, "/api/sum", `{"numbers": [1]}`, headers...)
		_, rest, _ := strings.Cut(r.header.Get("RateLimit"), ";r=")
		n, _, _ := strings.Cut(rest, ";")
		return n
	}
	s.finish(t, contractExample)
	if n := left(); n != "96" { // 100 calls less 3 runs and the call of left
		t.Errorf("%s calls are left", n)
	}
	r := s.post(t, "/api/batches", strings.Replace(contractExample, `"points": 3`,
		`"points": 97`, 1))
	if r.status != 429 ||
		!strings.Contains(r.body,
			"has 96 of its 100 calls of today left, and this request needs 97") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.post(t, "/api/batches", strings.Replace(contractExample, `"tool"`,
		`"dry_run": true, "tool"`, 1)); r.status != 200 ||
		!strings.Contains(r.body, `"runs_total":3,"runs_invalid":0`) {
		t.Errorf("dry run: %d %s", r.status, r.body)
	}
	if n := left(); n != "95" {
		t.Errorf("%s calls are left after a rejected batch and a dry run", n)
	}
	best := `{"tool": "fspl", "input": {"freq_mhz": 915}, "mode": "solve", "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3}], "target": {"name": "fspl_db", "value": 120}}`
	b := s.finish(t, best, free)
	if n := left(free); n != fmt.Sprint(300-b.RunsDone-1) {
		t.Errorf("%s calls are left after %d runs", n, b.RunsDone)
	}
	s.finish(t, `{"tool": "sum", "mode": "list", "inputs": [{"numbers": [1]}, {"numbers": []}, {"numbers": [2]}]}`, paid)
	id := usage.NewID()
	if err := s.book.Rotate(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	records, err := s.book.ReadBatch(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]int64{}
	for _, u := range records {
		used[u.Tool+" "+string(u.Outcome)] += u.Calls
	}
	want := fmt.Sprint(map[string]int64{"fspl computed": int64(b.RunsDone), "sum computed": 3,
		"sum invalid": 1})
	if fmt.Sprint(used) != want {
		t.Errorf("recorded %v, want %s", used, want)
	}
}

// TestBatchRowsHeld verifies that pages of rows in every form count as held bytes until they are
// sent. This bounds the memory that slow clients occupy.
func TestBatchRowsHeld(t *testing.T) {
	s := startBatches(t, nil)
	key := s.issue(t, keys.Free)
	id := s.finish(t, strings.Replace(contractExample, `"points": 3`, `"points": 5000`, 1), key).ID
	release, err := s.opt.Reads.Reserve(t.Context(), "", 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, media := range []string{"application/json", "text/csv", "application/x-ndjson"} {
		r := s.call(t, "GET", "/api/batches/"+id+"/results", "", key, "Accept: "+media,
			"Accept-Encoding: identity")
		if r.status < 400 || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, %d bytes", media, r.status, len(r.body))
		}
	}
}

// TestBatchInput verifies that a batch with an invalid base input, or with a field twice, is
// rejected with pointers into the request. It also verifies that a batch keeps the warnings about
// unknown fields.
func TestBatchInput(t *testing.T) {
	s := startBatches(t, nil)
	const vary = `"vary": [{"field": "/dist_km", "values": [1, -2]}]}`
	for input, pointers := range map[string][]string{
		`{"freq_mhz": "abc", "model": "nope"}`: {"/input/freq_mhz", "/input/model"},
		`{"freq_mhz": 1, "freq_mhz": 2}`:       {"/input/freq_mhz"},
	} {
		r := s.post(t, "/api/batches", `{"tool": "fspl", "input": `+input+`, `+vary)
		for _, pointer := range pointers {
			if r.status != 400 || !strings.Contains(r.body, `"pointer":"`+pointer+`"`) {
				t.Errorf("%s: %d %s, want %s", input, r.status, r.body, pointer)
			}
		}
	}
	const unknown = `{"tool": "fspl", "input": {"freq_mhz": 9, "foo": 1}, `
	const warning = `"warnings":["unknown field \"foo\" was ignored`
	b := s.finish(t, unknown+vary)
	if len(b.Warnings) != 1 || !strings.Contains(string(b.Summary),
		`"first_error":{"index":1,"error":"dist_km: must be`) {
		t.Errorf("warnings %q, summary %s", b.Warnings, b.Summary)
	}
	r := s.post(t, "/api/batches", unknown+`"dry_run": true, `+vary)
	if r.status != 200 || !strings.Contains(r.body, warning) ||
		!strings.Contains(r.body, `"first_error":{"index":1,`) {
		t.Errorf("dry run: %d %s", r.status, r.body)
	}
}
