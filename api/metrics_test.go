package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// series writes what was counted as lines of name, label values and count.
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

// TestMetrics: requests are counted by route and status, calls by tool and outcome, and what a
// client makes up never becomes a series of its own.
func TestMetrics(t *testing.T) {
	measured := prometheus.NewRegistry()
	s := start(t, Options{Metrics: measured})
	s.post(t, "/api/sum", `{"numbers":[1]}`)
	s.post(t, "/api/sum", `{"numbers":[]}`)
	s.post(t, "/api/faulty", `{"numbers":[1]}`)
	s.post(t, "/api/made_up_name", `{}`)
	s.call(t, "GET", "/made/up", "")
	s.call(t, "GET", "/healthz", "")
	const want = `http_requests_total /api/{tool} 200 1
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

// TestTrace: a call's span is a child of the caller's, and says how the call ended.
func TestTrace(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	s := start(t, Options{Tracer: provider.Tracer("test")})
	s.post(t, "/api/sum", `{"numbers":[1]}`, "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	s.post(t, "/api/faulty", `{"numbers":[1]}`)
	ended := spans.Ended()
	if len(ended) != 2 {
		t.Fatalf("%d spans", len(ended))
	}
	if got := ended[0]; got.Name() != "call sum" || got.Parent().SpanID().String() != "b7ad6b7169203331" || got.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("%s below %s of %s", got.Name(), got.Parent().SpanID(), got.SpanContext().TraceID())
	}
	if got := ended[1]; got.Parent().IsValid() || got.Status().Description != "Internal error" {
		t.Errorf("the failed call has parent %v and status %+v", got.Parent(), got.Status())
	}
}
