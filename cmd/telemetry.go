package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"slipstick/internal/buildinfo"
)

// telemetry holds the metrics and traces of a process.
type telemetry struct {
	registry *prometheus.Registry
	tracer   trace.Tracer // nil without an OTLP endpoint
	shutdown func(context.Context) error
	log      *slog.Logger
}

// newTelemetry sets up metrics and traces. It sends traces if the standard variable
// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT names a collector.
func newTelemetry(ctx context.Context, role string, log *slog.Logger) (*telemetry, error) {
	t := &telemetry{registry: prometheus.NewRegistry(), log: log}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" &&
		os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return t, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(
			resource.NewSchemaless(
				semconv.ServiceName("slipstick-"+role),
				semconv.ServiceVersion(buildinfo.Version()),
			),
		),
	)
	t.tracer, t.shutdown = provider.Tracer("slipstick"), provider.Shutdown
	return t, nil
}

// Close sends the remaining traces within at most 5 s.
func (t *telemetry) Close() {
	if t.shutdown == nil {
		return
	}
	bounded, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := t.shutdown(bounded); err != nil {
		t.log.Warn("the last traces were not sent", "error", err)
	}
}
