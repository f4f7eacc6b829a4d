package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/urfave/cli/v3"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"slipstick/internal/buildinfo"
)

func adminFlag() cli.Flag {
	return &cli.StringFlag{Name: "admin-addr", Usage: "private address for /metrics, /debug/pprof, /healthz and /readyz; none by default", Sources: cli.EnvVars("SLIPSTICK_ADMIN_ADDR")}
}

// instruments are what a process measures itself with.
type instruments struct {
	registry *prometheus.Registry
	tracer   trace.Tracer // nil: no OTLP endpoint is configured
	end      func()       // sends what is left of the traces
}

// newInstruments makes them. Traces are sent when the standard variable
// OTEL_EXPORTER_OTLP_ENDPOINT (or its _TRACES_ form) names a collector.
func newInstruments(ctx context.Context, role string, getenv func(string) string, log *slog.Logger) (*instruments, error) {
	i := &instruments{registry: prometheus.NewRegistry(), end: func() {}}
	i.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return i, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(semconv.ServiceName("slipstick-"+role), semconv.ServiceVersion(buildinfo.Version()))))
	i.tracer = provider.Tracer("slipstick")
	i.end = func() {
		bounded, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		if err := provider.Shutdown(bounded); err != nil {
			log.Warn("the last traces were not sent", "error", err)
		}
	}
	return i, nil
}

// serveAdmin answers on the private address until ctx ends; at once, when there is none.
func serveAdmin(ctx context.Context, cmd *cli.Command, i *instruments, ready func(context.Context) error, log *slog.Logger) error {
	if cmd.String("admin-addr") == "" {
		return nil
	}
	listener, err := listen(ctx, cmd.String("admin-addr"))
	if err != nil {
		return fmt.Errorf("--admin-addr: %w", err)
	}
	server := &http.Server{Handler: adminHandler(i, ready), ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	log.Info("metrics and profiles", "address", baseURL(listener.Addr()))
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func adminHandler(i *instruments, ready func(context.Context) error) http.Handler {
	mux := http.NewServeMux()
	// What one collector cannot read must not hide the others.
	mux.Handle("GET /metrics", promhttp.HandlerFor(i.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, Timeout: 10 * time.Second}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
