package worker

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestTraceCrossesTheQueue verifies that the span of a run belongs to the trace of the request that
// created the job.
func TestTraceCrossesTheQueue(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		spans := tracetest.NewSpanRecorder()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
		serve(t, url, func(o *ServerOptions) { o.Tracer = tracer })
		c := client(t, url)
		ctx, call := tracer.Start(context.Background(), "call")
		job, err := c.Submit(ctx, tool(t, "echo"), body(`{"n": 7}`), SubmitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, wait(t, c, job.ID, ample), Done)
		eventually(t, ample, "the span of the run to end", func() bool {
			return len(spans.Ended()) == 1
		})
		got := spans.Ended()[0]
		if got.Name() != "job echo" || got.Parent().SpanID() != call.SpanContext().SpanID() ||
			got.SpanContext().TraceID() != call.SpanContext().TraceID() {
			t.Errorf("%s of trace %s is below %s", got.Name(), got.SpanContext().TraceID(),
				got.Parent().SpanID())
		}
	})
}
