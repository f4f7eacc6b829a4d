package worker

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceField of the job hash carries the trace that the job's first caller is part of.
const traceField = "trace"

// traceOf writes the trace that a context is part of as a traceparent; empty for none.
func traceOf(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// traced begins the span of a run, below the call that placed the job.
func (s *Server) traced(r *run, tool string) (end func(State)) {
	if s.opt.Tracer == nil {
		return func(State) {}
	}
	parent := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": r.fields[traceField]})
	_, span := s.opt.Tracer.Start(parent, "job "+tool, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		attribute.String("slipstick.tool", tool), attribute.String("slipstick.job", r.id),
		attribute.String("slipstick.class", r.fields["class"]), attribute.Int("slipstick.run", r.count)))
	return func(state State) {
		span.SetAttributes(attribute.String("slipstick.state", string(state)))
		if state == Failed {
			span.SetStatus(codes.Error, "the job failed")
		}
		span.End()
	}
}
