package worker

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceOf returns the traceparent of a context, or "".
func traceOf(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// startSpan starts the span of a run. Its parent is the request that created the job.
func (s *Server) startSpan(r *run) (end func(State)) {
	if s.opt.Tracer == nil {
		return func(State) {}
	}
	carrier := propagation.MapCarrier{"traceparent": r.Trace}
	parent := propagation.TraceContext{}.Extract(context.Background(), carrier)
	_, span := s.opt.Tracer.Start(parent, "job "+r.Tool, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(
			attribute.String("slipstick.tool", r.Tool), attribute.String("slipstick.job", r.ID),
			attribute.String("slipstick.class", string(r.Priority)),
			attribute.Int("slipstick.run", r.Count)))
	return func(state State) {
		span.SetAttributes(attribute.String("slipstick.state", string(state)))
		if state == Failed {
			span.SetStatus(codes.Error, "the job failed")
		}
		span.End()
	}
}
