package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"slipstick/call"
	"slipstick/worker"
)

// series returns the metrics as lines of name, labels and value.
func series(t *testing.T, from prometheus.Gatherer) string {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		for _, m := range f.GetMetric() {
			b.WriteString(strings.TrimPrefix(f.GetName(), "slipstick_"))
			for _, l := range m.GetLabel() {
				b.WriteString(" " + l.GetValue())
			}
			n := m.GetCounter().GetValue()
			if h := m.GetHistogram(); h != nil {
				n = float64(h.GetSampleCount())
			}
			fmt.Fprintf(&b, " %g\n", n)
		}
	}
	return b.String()
}

// TestMetrics verifies that requests are counted by route and status, and calls by tool and
// outcome. It also verifies that unknown paths add no series.
func TestMetrics(t *testing.T) {
	measured := prometheus.NewRegistry()
	s := start(t, Options{Metrics: measured})
	s.post(t, "/api/sum", `{"numbers":[1]}`)
	s.post(t, "/api/sum", `{"numbers":[]}`)
	s.post(t, "/api/faulty", `{"numbers":[1]}`)
	s.post(t, "/api/made_up_name", `{}`)
	s.call(t, "GET", "/made/up", "")
	s.call(t, "GET", "/api/batches/"+testJob, "")
	s.call(t, "GET", "/api/designs/other", "")
	s.call(t, "GET", "/healthz", "")
	const want = `http_requests_total /api/batches 503 1
http_requests_total /api/designs 404 1
http_requests_total /api/{tool} 200 1
http_requests_total /api/{tool} 400 1
http_requests_total /api/{tool} 404 1
http_requests_total /api/{tool} 500 1
http_requests_total /healthz 200 1
http_requests_total other 404 1
tool_seconds computed sum 1
tool_seconds invalid sum 1
tool_seconds unserved faulty 1
`
	if got := series(t, measured); got != want {
		t.Errorf("measured\n%swant\n%s", got, want)
	}
}

// TestEverySurfaceIsObserved verifies that each computation has one observation and one span on
// every interface.
func TestEverySurfaceIsObserved(t *testing.T) {
	measured, spans := prometheus.NewRegistry(), tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	q := newFakeQueue()
	q.set(worker.Done, doneOutcome)
	s := startAgents(t, Options{Metrics: measured, Tracer: provider.Tracer("test"), Queue: q})
	page := []string{"Sec-Fetch-Site: same-origin", headerPageToken + ": " + s.token(t)}
	form := []string{page[0], "Content-Type: application/x-www-form-urlencoded"}
	agent := []string{agentAccept, asJSON, headerSession + ": " + s.initialize(t)}
	page = append(page, asJSON)
	fields := "numbers=1&_token=" + s.token(t)
	sweep := `{"input":{"numbers":[1]},"field":"scale","values":[1,2,-1]}`
	want := map[string]int{}
	for _, c := range []struct {
		path, body    string
		headers       []string
		tool, outcome string
		calls         int
	}{
		{"/api/sum", `{"numbers":[1]}`, []string{asJSON}, "sum", "computed", 1},
		{"/api/slow_sum", `{"numbers":[1]}`, []string{asJSON}, "slow_sum", "computed", 1},
		{"/ui/run/sum", `{"numbers":[1]}`, page, "sum", "computed", 1},
		{"/ui/run/slow_sum", `{"numbers":[1]}`, page, "slow_sum", "computed", 1},
		{"/t/sum", fields, form, "sum", "computed", 1},
		{"/t/slow_sum", fields, form, "slow_sum", "computed", 1},
		{"/t/broken", fields, form, "broken", "unserved", 1},
		{"/mcp", toolCall("sum", `{"numbers":[1]}`, "t"), agent, "sum", "computed", 1},
		{"/mcp", toolCall("slow_sum", `{"numbers":[1]}`, "t"), agent, "slow_sum", "computed", 1},
		{"/ui/sweep/sum", sweep, page, "sum", "computed", 2},
	} {
		before := len(spans.Ended())
		r := s.call(t, "POST", c.path, c.body, c.headers...)
		want[c.outcome+" "+c.tool] += c.calls
		calls := c.calls
		if c.path == "/ui/sweep/sum" { // a further value, -1, is invalid
			want["invalid sum"]++
			calls++
		}
		if n := len(spans.Ended()) - before; n != calls {
			t.Errorf("%s of %s: %d spans, want %d: %d %s", c.path, c.tool, n, calls,
				r.status, r.body)
		}
	}
	got := series(t, measured)
	for labels, n := range want {
		if line := fmt.Sprintf("tool_seconds %s %d\n", labels, n); !strings.Contains(got, line) {
			t.Errorf("without %q:\n%s", line, got)
		}
	}
}

// TestTrace verifies that the span of a call is a child of the caller's span and has the outcome.
func TestTrace(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	s := start(t, Options{Tracer: provider.Tracer("test")})
	s.post(t, "/api/sum", `{"numbers":[1]}`,
		"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	s.post(t, "/api/faulty", `{"numbers":[1]}`)
	ended := spans.Ended()
	if len(ended) != 2 {
		t.Fatalf("%d spans", len(ended))
	}
	if got := ended[0]; got.Name() != "call sum" ||
		got.Parent().SpanID().String() != "b7ad6b7169203331" ||
		got.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("%s below %s of %s", got.Name(), got.Parent().SpanID(),
			got.SpanContext().TraceID())
	}
	if got := ended[1]; got.Parent().IsValid() ||
		got.Status().Description != call.ErrInternal.Error() {
		t.Errorf("the failed call has parent %v and status %+v", got.Parent(), got.Status())
	}
}
