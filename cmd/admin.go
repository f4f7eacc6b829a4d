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

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serveAdmin serves metrics, health checks and profiles on the private address until ctx ends. It
// returns immediately if addr is "".
func serveAdmin(
	ctx context.Context,
	addr string,
	t *telemetry,
	ready func(context.Context) error,
	log *slog.Logger,
) error {
	if addr == "" {
		return nil
	}
	listener, err := listen(ctx, "--admin-addr", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           adminHandler(t, ready),
		ReadHeaderTimeout: 5 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	log.Info("metrics and profiles", "address", baseURL(listener.Addr()))
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func adminHandler(t *telemetry, ready func(context.Context) error) http.Handler {
	mux := http.NewServeMux()
	// An error in one collector must not hide the metrics of the others.
	mux.Handle(
		"GET /metrics",
		promhttp.HandlerFor(
			t.registry,
			promhttp.HandlerOpts{
				ErrorHandling: promhttp.ContinueOnError,
				Timeout:       10 * time.Second,
			},
		),
	)
	mux.HandleFunc(
		"GET /healthz",
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") },
	)
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
