package call

import (
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"slipstick/keys"
)

func newSeconds() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "slipstick_tool_seconds",
		Help:    "Time from an admitted call of a tool to its response, waiting for a job included.",
		Buckets: prometheus.ExponentialBuckets(25e-6, 4, 11),
	}, []string{"tool", "outcome"})
}

// startSpan starts the span of the call and puts it into the context of the computation. If the
// request carries a span context of the client, that span is the parent. end sets the outcome and
// the status, and ends the span.
func (c *invocation) startSpan() (end func(admitted bool, err error)) {
	parent := c.ctx
	if c.caller.Trace != nil {
		parent = propagation.TraceContext{}.Extract(parent, c.caller.Trace)
	}
	ctx, span := c.opt.Tracer.Start(parent, "call "+c.tool.Name,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			attribute.String("slipstick.tool", c.tool.Name),
			attribute.String("slipstick.request_id", strings.Clone(c.caller.RequestID))))
	c.ctx = ctx
	return func(admitted bool, err error) {
		if admitted {
			span.SetAttributes(attribute.String("slipstick.outcome", string(c.result.Outcome)))
		}
		failed := admitted && c.result.Outcome == keys.ServerError
		if err != nil && (failed || errors.Is(err, keys.ErrUnavailable)) {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}
