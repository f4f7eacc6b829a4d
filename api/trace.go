package api

import (
	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traced begins the span of a tool call, as a child of the caller's when the request names one
// (W3C Trace Context), and puts it into the request's context, which the queue passes on.
func (s *Server) traced(c *fiber.Ctx, tool string) (end func(error)) {
	if s.opt.Tracer == nil {
		return func(error) {}
	}
	parent := propagation.TraceContext{}.Extract(c.UserContext(), requestHeaders{c})
	ctx, span := s.opt.Tracer.Start(parent, "call "+tool, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("slipstick.tool", tool), attribute.String("slipstick.request_id", idOf(c.Context()))))
	c.SetUserContext(ctx)
	return func(err error) {
		if err != nil {
			f := failureOf(err)
			span.SetAttributes(attribute.Int("http.response.status_code", f.status))
			if f.status >= 500 {
				span.SetStatus(codes.Error, f.title)
			}
		}
		span.End()
	}
}

// requestHeaders lets a propagator read a request.
type requestHeaders struct{ c *fiber.Ctx }

// Get implements propagation.TextMapCarrier.
func (h requestHeaders) Get(key string) string { return h.c.Get(key) }

// Set implements propagation.TextMapCarrier; nothing is written to a request.
func (h requestHeaders) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (h requestHeaders) Keys() []string { return []string{"traceparent", "tracestate"} }
