package api

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"slipstick/keys"
)

// traced begins the span of a tool call, by REST or MCP, as a child of the caller's when the
// request names one (W3C Trace Context), and puts it into the context.
func (s *Server) traced(ctx context.Context, c *fiber.Ctx, tool string) (context.Context, trace.Span) {
	if s.opt.Tracer == nil {
		return ctx, noop.Span{}
	}
	parent := propagation.TraceContext{}.Extract(ctx, requestHeaders{c})
	return s.opt.Tracer.Start(parent, "call "+tool, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("slipstick.tool", tool), attribute.String("slipstick.request_id", idOf(c.Context()))))
}

// failedSpan notes what an error means to the client.
func failedSpan(span trace.Span, err error) {
	if !span.IsRecording() {
		return
	}
	f := failureOf(err)
	span.SetAttributes(attribute.Int("http.response.status_code", f.status))
	if f.status >= 500 {
		span.SetStatus(codes.Error, f.title)
	}
}

// endSpan ends the span of a call that was let in.
func endSpan(span trace.Span, outcome keys.Outcome) {
	if span.IsRecording() { // else the attribute would be made for nothing
		span.SetAttributes(attribute.String("slipstick.outcome", string(outcome)))
	}
	span.End()
}

// requestHeaders lets a propagator read a request.
type requestHeaders struct{ c *fiber.Ctx }

// Get implements propagation.TextMapCarrier. A span outlives the request's buffer.
func (h requestHeaders) Get(key string) string { return strings.Clone(h.c.Get(key)) }

// Set implements propagation.TextMapCarrier; nothing is written to a request.
func (h requestHeaders) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (h requestHeaders) Keys() []string { return []string{"traceparent", "tracestate"} }
