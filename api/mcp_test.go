package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"slipstick/keys"
	"slipstick/mcp"
	"slipstick/tools"
	"slipstick/worker"
)

const agentAccept = "Accept: application/json, text/event-stream"

// startAgents starts a server with an MCP endpoint.
func startAgents(t testing.TB, o Options) *running {
	t.Helper()
	o.Catalog = testCatalog(t)
	o.MCP = newAgents(t, o)
	return start(t, o)
}

// newAgents returns an MCP server with the catalog and the queue of o.
func newAgents(t testing.TB, o Options) *mcp.Server {
	t.Helper()
	agents, err := mcp.New(mcp.Options{Catalog: o.Catalog, Queue: o.Queue, Wait: o.Wait,
		Version: o.Version, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agents.Close() })
	return agents
}

// initialize starts a session and returns its id.
func (r *running) initialize(t testing.TB) string {
	t.Helper()
	a := r.post(t, "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, agentAccept)
	session := a.header.Get(headerSession)
	if a.status != 200 || session == "" {
		t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	return session
}

func toolCall(tool, arguments, token string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"` +
		token + `"},"name":"` + tool + `","arguments":` + arguments + `}}`
}

const addCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{"numbers":[1,2]}}}`

// recordingQuota rejects the key "bad", and records the keys of other callers.
type recordingQuota struct {
	mu   sync.Mutex
	seen []string
}

func (g *recordingQuota) Reserve(
	_ context.Context, caller keys.Caller, _ int,
) (*keys.Reservation, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen = append(g.seen, caller.Key)
	if caller.Key == "bad" {
		return nil, newProblem(problemType{"test", 401, "No", ""}, "this key is not known")
	}
	return &keys.Reservation{Tier: keys.Free, Commit: uncounted}, nil
}

func (g *recordingQuota) Run(ctx context.Context, caller keys.Caller, tool string,
	call keys.CallFunc) (keys.CallResult, error) {
	return keys.ReserveAndRun(ctx, g.Reserve, caller, tool, call)
}

func (*recordingQuota) DailyLimit(keys.Tier) int { return 0 }

// TestAgentRequests verifies the status of requests to /mcp with valid and invalid media types,
// sessions, origins, keys and query parameters.
func TestAgentRequests(t *testing.T) {
	quota := &recordingQuota{}
	s := startAgents(t, Options{Quota: quota, PublicURL: "https://calc.example.com",
		Origins: []string{"https://chat.example.com"}})
	session := s.initialize(t)
	with := func(more ...string) []string {
		return append([]string{"Content-Type: application/json", headerSession + ": " + session},
			more...)
	}
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		contains                 string
	}{
		{"a call", "POST", "/mcp", addCall, with(agentAccept), 200, `"structuredContent":{"sum":3`},
		{"any form", "POST", "/mcp", addCall, with("Accept: */*"), 200, "sum: 3"},
		{"JSON only", "POST", "/mcp", addCall, with("Accept: application/json"), 200, "sum: 3"},
		{"forms with qualities", "POST", "/mcp", addCall,
			with("Accept: text/event-stream;q=0.5, application/json;q=0.9"), 200, "sum: 3"},
		{"no form that exists", "POST", "/mcp", addCall, with("Accept: text/html"), 406,
			"text/event-stream"},
		{"a stream only", "POST", "/mcp", addCall, with("Accept: text/event-stream"), 406,
			"application/json"},
		{"JSON not accepted", "POST", "/mcp", addCall,
			with("Accept: application/json;q=0, text/event-stream"), 406, ""},
		{"not JSON", "POST", "/mcp", addCall, []string{"Content-Type: text/plain",
			headerSession + ": " + session, agentAccept}, 415, "application/json"},
		{"compressed", "POST", "/mcp", addCall, with(agentAccept, "Content-Encoding: gzip"), 415,
			"uncompressed"},
		{"no session", "POST", "/mcp", addCall, []string{"Content-Type: application/json",
			agentAccept}, 400, "Mcp-Session-Id"},
		{"unknown session", "POST", "/mcp", addCall, []string{"Content-Type: application/json",
			agentAccept, headerSession + ": nobody"}, 404, "initialize"},
		{"protocol version", "POST", "/mcp", addCall,
			with(agentAccept, headerProtocol+": 2025-06-18"), 200, "sum: 3"},
		{"wrong protocol version", "POST", "/mcp", addCall,
			with(agentAccept, headerProtocol+": 2020-01-01"), 400, "2025-11-25"},
		{"no body", "POST", "/mcp", "", with(agentAccept), 400, "not JSON"},
		{"listening", "GET", "/mcp", "", []string{"Accept: text/event-stream"}, 405, "/mcp.json"},
		{"another method", "PUT", "/mcp", "{}", nil, 405, ""},
		{"a page of another site", "POST", "/mcp", addCall,
			with(agentAccept, "Origin: https://evil.example"), 403, "origin"},
		{"no page at all", "POST", "/mcp", addCall, with(agentAccept, "Origin: null"),
			403, "origin"},
		{"a site that looks alike", "POST", "/mcp", addCall,
			with(agentAccept, "Origin: https://chat.example.com.evil.example"), 403, "origin"},
		{"an allowed page", "POST", "/mcp", addCall,
			with(agentAccept, "Origin: https://chat.example.com"), 200, "sum: 3"},
		{"the service's own page", "POST", "/mcp", addCall,
			with(agentAccept, "Origin: https://calc.example.com"), 200, "sum: 3"},
		{"a page on this machine", "POST", "/mcp", addCall,
			with(agentAccept, "Origin: http://localhost:6274"), 200, "sum: 3"},
		{"ending nothing", "DELETE", "/mcp", "", nil, 400, "Mcp-Session-Id"},
		{"ending what is not there", "DELETE", "/mcp", "", []string{headerSession + ": nobody"},
			404, "session"},
		{"a bad key in the header", "POST", "/mcp", addCall, with(agentAccept, "X-Api-Key: bad"),
			401, "not known"},
		{"a bad key in the address", "POST", "/mcp?key=bad", addCall, with(agentAccept), 401,
			"not known"},
		{"a bad key does not matter to a listing", "POST", "/mcp?key=bad",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, with(agentAccept), 200, `"sum"`},
		{"a good key", "POST", "/mcp?key=good", addCall, with(agentAccept), 200, "sum: 3"},
		{"narrowed", "POST", "/mcp?tools=test", addCall, with(agentAccept), 200, "sum: 3"},
		{"narrowed to others", "POST", "/mcp?tools=rf", addCall, with(agentAccept), 200,
			"narrowed"},
		{"narrowed to nothing", "POST", "/mcp?tools=fslp", addCall, with(agentAccept), 400,
			`unknown \"fslp\"`},
		{"full schemas", "POST", "/mcp?schemas=full",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, with(agentAccept), 200,
			`"outputSchema"`},
		{"a list of two", "POST", "/mcp?mode=search",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, with(agentAccept), 200,
			`"call_tool"`},
		{"an unknown form of schemas", "POST", "/mcp?schemas=short", addCall, with(agentAccept),
			400, "must be compact or full"},
		{"an unknown mode", "POST", "/mcp?mode=find", addCall, with(agentAccept), 400,
			"must be list or search"},
		{"10 MB", "POST", "/mcp", toolCall("sum", `{"numbers":[`+strings.Repeat("1,", 5<<20)+`1]}`,
			""), with(agentAccept), 413, "1048576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.call(t, c.method, c.path, c.body, c.headers...)
			if a.status != c.status || !strings.Contains(a.body, c.contains) {
				t.Errorf("%d, want %d and %q: %s", a.status, c.status, c.contains, a.body)
			}
			if c.status == 405 && !strings.Contains(a.header.Get("Allow"), "POST") {
				t.Errorf("Allow: %q", a.header.Get("Allow"))
			}
		})
	}
	if all := strings.Join(quota.seen, ","); !strings.Contains(all, "bad,bad") ||
		!strings.Contains(all, "good") {
		t.Errorf("keys seen: %s", all)
	}
	if strings.Contains(s.log.String(), "key=") {
		t.Error("the log has a key")
	}
	if a := s.call(t, "DELETE", "/mcp", "", headerSession+": "+session); a.status != 204 {
		t.Errorf("ending the session: %d %s", a.status, a.body)
	}
	if a := s.post(t, "/mcp", addCall, agentAccept, headerSession+": "+session); a.status != 404 {
		t.Errorf("a session that has ended: %d %s", a.status, a.body)
	}
}

// TestForeignHost verifies that requests with a foreign Host header are rejected, as protection
// against DNS rebinding.
func TestForeignHost(t *testing.T) {
	s := startAgents(t, Options{PublicURL: "https://calc.example.com"})
	for host, status := range map[string]int{"evil.example": 403, "localhost.evil.example:80": 403,
		"localhost:1234": 400, "127.0.0.1": 400, "[::1]:80": 400, "calc.example.com": 400} {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", s.url+"/mcp",
			strings.NewReader("{}"))
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("%s: %d, want %d", host, res.StatusCode, status)
		}
	}
}

// TestAgentPreflight verifies the CORS preflight of /mcp.
func TestAgentPreflight(t *testing.T) {
	s := startAgents(t, Options{Origins: []string{"https://chat.example.com"}})
	a := s.call(t, "OPTIONS", "/mcp", "", "Origin: https://chat.example.com",
		"Access-Control-Request-Method: POST")
	if a.status != 204 ||
		a.header.Get("Access-Control-Allow-Origin") != "https://chat.example.com" ||
		!strings.Contains(a.header.Get("Access-Control-Allow-Headers"), headerSession) {
		t.Errorf("%d %v", a.status, a.header)
	}
	if a := s.call(t, "OPTIONS", "/mcp", "", "Origin: https://evil.example"); a.status != 403 ||
		a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// TestAgentAbout verifies the content of /mcp.json.
func TestAgentAbout(t *testing.T) {
	s := startAgents(t, Options{Version: "9.9"})
	var about mcp.About
	s.call(t, "GET", "/mcp.json", "").json(t, &about)
	if about.Endpoint != s.url+"/mcp" || about.Version != "9.9" ||
		about.ToolCount != len(s.opt.Catalog.All()) {
		t.Errorf("%+v", about)
	}
	s.call(t, "GET", "/mcp.json?tools=rf", "").json(t, &about)
	if about.ToolCount != len(s.opt.Catalog.Categories[0].Tools) {
		t.Errorf("%d tools", about.ToolCount)
	}
	if a := s.call(t, "GET", "/mcp.json?tools=x", ""); a.status != 400 {
		t.Errorf("%d", a.status)
	}
	if a := start(t, Options{}).call(t, "GET", "/mcp.json", ""); a.status != 404 {
		t.Errorf("without an endpoint: %d", a.status)
	}
}

// TestAgentLimits verifies that /mcp.json has the limits of the service, and that the response to a
// call has the RateLimit headers of POST /api/{tool}.
func TestAgentLimits(t *testing.T) {
	s := startAgents(t, Options{Quota: &fakeQuota{limit: 2}, Now: at(testTime), BodyLimit: 5000})
	var about mcp.About
	s.call(t, "GET", "/mcp.json", "").json(t, &about)
	if !strings.HasPrefix(about.Limits["anonymous"].(string), "2 calls per day") ||
		about.Limits["message_bytes"] != 5000.0 {
		t.Errorf("%v", about.Limits)
	}
	session := s.initialize(t)
	for i, want := range []string{`"day";r=1;t=5400`, `"day";r=0;t=5400`, `"day";r=0;t=5400`} {
		a := s.post(t, "/mcp", addCall, agentAccept, headerSession+": "+session)
		if a.status != 200 || a.header.Get("RateLimit") != want ||
			a.header.Get("RateLimit-Policy") != `"day";q=2;w=86400` {
			t.Errorf("call %d: %d %v", i, a.status, a.header)
		}
		isRejected := i == 2
		if strings.Contains(a.body, `"isError":true`) != isRejected ||
			strings.Contains(a.body, "structuredContent") == isRejected ||
			(a.header.Get("Retry-After") == "5400") != isRejected {
			t.Errorf("call %d: %v %s", i, a.header, a.body)
		}
	}
}

// TestAgentTrace verifies that a call over MCP has the same span as a call over REST.
func TestAgentTrace(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	q := newFakeQueue()
	q.set(worker.Done, worker.Outcome{Result: json.RawMessage(`{"sum":1}`)})
	s := startAgents(t, Options{Tracer: provider.Tracer("test"), Queue: q})
	session := s.initialize(t)
	for i, c := range []struct {
		tool   string
		status codes.Code
	}{{"sum", codes.Unset}, {"slow_sum", codes.Unset}, {"faulty", codes.Error}} {
		s.post(t, "/mcp", toolCall(c.tool, `{"numbers":[1]}`, "t"), agentAccept,
			headerSession+": "+session,
			"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		ended := spans.Ended()
		if len(ended) != i+1 {
			t.Fatalf("%s: %d spans", c.tool, len(ended))
		}
		if got := ended[i]; got.Name() != "call "+c.tool ||
			got.Parent().SpanID().String() != "b7ad6b7169203331" || got.Status().Code != c.status {
			t.Errorf("%s below %s, %+v", got.Name(), got.Parent().SpanID(), got.Status())
		}
	}
}

// progressQueue increases the progress of its job by one percent per interval until the job has
// finished.
type progressQueue struct {
	*fakeQueue
	every time.Duration
}

func (q *progressQueue) Watch(ctx context.Context, id string, progress func(worker.Job)) error {
	for percent := 1.0; ; percent++ {
		job, err := q.Get(ctx, id, "")
		if err != nil || job.State.Finished() {
			return err
		}
		job.Progress = tools.Progress{Phase: "adding", Percent: percent}
		progress(job)
		select {
		case <-time.After(q.every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// openStream sends a call and returns the response while its stream is open.
func (r *running) openStream(t testing.TB, ctx context.Context,
	session, body string) *http.Response {
	t.Helper()
	req, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(headerSession, session)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestProgressStreams verifies that a stream has each progress message in time, then the result,
// then the end. It also verifies that the connection can be reused.
func TestProgressStreams(t *testing.T) {
	q := &progressQueue{newFakeQueue(), 120 * time.Millisecond}
	s := startAgents(t, Options{Queue: q})
	session := s.initialize(t)
	for round := range 2 {
		q.set(worker.Running, worker.Outcome{})
		res := s.openStream(t, t.Context(), session, toolCall("slow_sum", `{"numbers":[1,2]}`, "p"))
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" ||
			res.Header.Get("X-Request-Id") == "" {
			t.Fatalf("%d %v", res.StatusCode, res.Header)
		}
		var data []string
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			payload, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			if data = append(data, payload); len(data) == 5 {
				q.set(worker.Done,
					worker.Outcome{Result: json.RawMessage(`{"sum":3,"warnings":[]}`)})
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if len(data) < 6 || len(data) > 7 {
			t.Fatalf("round %d: %d events: %q", round, len(data), data)
		}
		for i, d := range data[:len(data)-1] {
			if !strings.Contains(d, `"notifications/progress"`) ||
				!strings.Contains(d, fmt.Sprintf(`"progress":%d,`, i+1)) {
				t.Errorf("event %d: %s", i, d)
			}
		}
		if last := data[len(data)-1]; !strings.Contains(last, `"structuredContent":{"sum":3`) {
			t.Errorf("the last event: %s", last)
		}
	}
	// A client that accepts JSON only gets one response.
	q.set(worker.Done, worker.Outcome{Result: json.RawMessage(`{"sum":3,"warnings":[]}`)})
	if a := s.post(t, "/mcp", toolCall("slow_sum", `{"numbers":[1,2]}`, "p"),
		"Accept: application/json", headerSession+": "+session); a.header.Get("Content-Type") !=
		"application/json" || !strings.Contains(a.body, "sum: 3") {
		t.Errorf("%v %s", a.header, a.body)
	}
}

// TestAgentLeaves verifies that the wait for a job ends when the client disconnects, with and
// without a stream.
func TestAgentLeaves(t *testing.T) {
	q := &progressQueue{newFakeQueue(), 120 * time.Millisecond}
	s := startAgents(t, Options{Queue: q})
	session := s.initialize(t)
	for _, token := range []string{`"_meta":{"progressToken":1},`, ""} {
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			req, _ := http.NewRequestWithContext(ctx, "POST", s.url+"/mcp",
				strings.NewReader(
					`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+token+`"name":"slow_sum","arguments":{"numbers":[1]}}}`))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "*/*")
			req.Header.Set(headerSession, session)
			if res, err := (&http.Transport{}).RoundTrip(req); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}()
		time.Sleep(300 * time.Millisecond)
		leave()
		select {
		case <-q.left:
		case <-time.After(3 * time.Second):
			t.Fatalf("with %q the wait goes on", token)
		}
	}
}

// TestAThousandStreams verifies that other calls are served while a thousand streams are open. It
// also verifies that the streams of clients that disconnect release all their resources.
func TestAThousandStreams(t *testing.T) {
	const streams = 1000
	q := &progressQueue{newFakeQueue(), 5 * time.Second}
	q.left = make(chan struct{}, 2*streams)
	s := startAgents(t, Options{Queue: q})
	session := s.initialize(t)
	s.post(t, "/mcp", addCall, agentAccept, headerSession+": "+session)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	var opened sync.WaitGroup
	gate := make(chan struct{}, 50)
	for range streams {
		opened.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			req, _ := http.NewRequestWithContext(ctx, "POST", s.url+"/mcp",
				strings.NewReader(toolCall("slow_sum", `{"numbers":[1,2]}`, "p")))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set(headerSession, session)
			res, err := transport.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil ||
				line != "event: message\n" {
				t.Errorf("%q %v", line, err)
			}
		})
	}
	opened.Wait()
	for range 20 {
		if a := s.post(t, "/mcp", addCall, agentAccept, headerSession+": "+session); a.status !=
			200 || !strings.Contains(a.body, "sum: 3") {
			t.Fatalf("others are not served: %d %s", a.status, a.body)
		}
	}
	leave()
	for i := range streams {
		select {
		case <-q.left:
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of %d waits ended", i, streams)
		}
	}
	// fasthttp keeps its idle workers for some time, so the test counts the project's goroutines
	// alone.
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		buf := make([]byte, 8<<20)
		stacks := string(buf[:runtime.Stack(buf, true)])
		ours := 0
		for _, name := range []string{"mcp.(*Call)", "api.stream(", "api/listener.WhileConnected"} {
			ours += strings.Count(stacks, "slipstick/"+name)
		}
		if ours == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines of calls go on:\n%.3000s", ours, stacks)
		}
	}
}

// TestAgentPanic verifies that a tool that panics returns an error result and keeps the connection
// open.
func TestAgentPanic(t *testing.T) {
	s := startAgents(t, Options{})
	session := s.initialize(t)
	a := s.post(t, "/mcp", toolCall("broken", `{"numbers":[1]}`, ""), agentAccept,
		headerSession+": "+session)
	if a.status != 200 || !strings.Contains(a.body, `"isError":true`) ||
		strings.Contains(a.body, "secret") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
