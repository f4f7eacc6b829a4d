package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"slipstick/api/idempotency"
	"slipstick/api/listener"
	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/keys"
	"slipstick/mcp"
	"slipstick/tools"
	"slipstick/web"
	"slipstick/worker"
)

// Options configures a Server. Only Catalog is required.
type Options struct {
	Catalog *tools.Catalog
	Queue   worker.Queue // nil: queued tools return 503
	// Batches runs batches. If it is nil, the batch paths return 503. The caller must call
	// Service.Run, which coordinates the batches.
	Batches *service.Service
	// Idempotency stores the responses to requests with an Idempotency-Key. If it is nil, such
	// requests return 503.
	Idempotency *idempotency.Store

	Wait      time.Duration // maximum wait of a POST for a queued tool; default 25 s
	BodyLimit int           // maximum size of a request body in bytes; default 1 MiB
	// ReadTimeout is the time limit for receiving a request; default 15 s. IdleTimeout closes a
	// connection without requests; default 75 s. WriteTimeout is the time limit for sending a piece
	// of 64 KiB; default 30 s. A stream may last longer.
	ReadTimeout, IdleTimeout, WriteTimeout time.Duration
	Connections                            int // maximum number of open connections; default 12000
	// AddressConnections is the maximum number of open connections per address; default 1024.
	// Trusted proxies and loopback addresses are exempt.
	AddressConnections int

	// DrainDelay is the time during which a stopping server still accepts connections; default 0.
	// /readyz already reports the drain to load balancers then. Drain is the time limit for
	// requests in flight after that; default Wait plus 5 s.
	DrainDelay, Drain time.Duration

	Log     *slog.Logger     // default slog.Default()
	Now     func() time.Time // default time.Now
	Version string           // version of the program; default "dev"
	Ready   []Check          // readiness checks of /readyz in addition to the check of the queue

	// Quota authenticates callers and debits calls. If it is nil, calls are neither limited nor
	// counted.
	Quota keys.Quota
	// Keys issues, lists and revokes keys; if it is nil, the key paths return 503. Tokens verifies
	// JWTs; if it is nil, no JWT is valid. IssuanceLimiter limits free keys per address; nil means
	// no limit.
	Keys            *keys.Service
	Tokens          keys.Verifier
	IssuanceLimiter keys.IssuanceLimiter

	// MaxComponents returns the maximum number of circuit components of a tier. If it is nil or
	// returns 0, the default of the tool applies.
	MaxComponents func(keys.Tier) int

	// Reads limits the memory that large responses hold. It must be the limiter of the queue
	// client, if that has one. The default is a limiter with default budgets.
	Reads *worker.ReadLimiter

	Proxies Proxies // networks trusted for X-Forwarded-For; default none
	Bursts  Bursts  // rate limits per address
	// PageSecret signs the page tokens. Instances behind one address need the same secret. It is
	// random by default.
	PageSecret []byte

	Metrics prometheus.Registerer // nil disables metrics
	Tracer  trace.Tracer          // nil disables traces

	// MCP serves agents at /mcp. If it is nil, the path does not exist.
	MCP *mcp.Server
	// PublicURL is the base URL in links, such as https://calc.example.com. If it is "", the Host
	// of the request is used.
	PublicURL string
	// Origins are the web origins whose pages may use /mcp, in addition to the service itself. "*"
	// allows all.
	Origins []string
}

func (o Options) withDefaults() Options {
	o.Wait = cmp.Or(o.Wait, 25*time.Second)
	o.BodyLimit = cmp.Or(o.BodyLimit, 1<<20)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 15*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 75*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.Connections = cmp.Or(o.Connections, 12000)
	o.AddressConnections = cmp.Or(o.AddressConnections, 1024)
	o.Drain = cmp.Or(o.Drain, o.Wait+5*time.Second)
	o.Version = cmp.Or(o.Version, "dev")
	o.Bursts = o.Bursts.withDefaults()
	if o.PageSecret == nil {
		o.PageSecret = make([]byte, 32)
		_, _ = rand.Read(o.PageSecret) // never fails: the runtime crashes the program instead
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Quota == nil {
		o.Quota = &call.Exempt{Tier: keys.Anonymous}
	}
	if o.Reads == nil {
		o.Reads = worker.NewReadLimiter(worker.ReadBudgets{})
	}
	return o
}

// maxHeader is the size in bytes of the read buffer. It limits the request line and headers; an API
// key, a JWT and browser cookies fit.
const maxHeader = 8 << 10

// reserved are the names below /api that no tool may have. Each has a metric label of its own.
var reserved = []string{"jobs", "docs", "keys", "batches", "designs"}

// Server serves the HTTP API. Create it with New. It is safe for concurrent use.
type Server struct {
	opt       Options
	calls     *call.Runner
	app       *fiber.App
	route     fasthttp.RequestHandler
	envelopes map[string]*envelope
	documents documents
	// staticFiles are the static files of the page with their compressed copies.
	staticFiles map[*web.Asset]*document
	compressors *compressors
	// pageCompressors compress HTML.
	pageCompressors *compressors
	limiters        limiters
	metrics         metrics
	site            *web.Site
	draining        atomic.Bool
	failing         sync.Map // names of checks whose last run failed
}

// New returns a Server. It returns an error if the catalog is missing, a tool has a reserved name
// or cannot be described, or a metric is already registered.
func New(o Options) (*Server, error) {
	if o.Catalog == nil {
		return nil, errors.New("api: a catalog is needed")
	}
	s := &Server{opt: o.withDefaults(), envelopes: map[string]*envelope{}}
	for _, name := range reserved {
		if _, err := s.opt.Catalog.Find(name); err == nil {
			return nil, fmt.Errorf("api: the tool name %s is reserved for a path", name)
		}
	}
	for _, e := range append(s.opt.Catalog.Services(), s.opt.Catalog.All()...) {
		s.envelopes[e.Name] = newEnvelope(e)
	}
	s.limiters = newLimiters(s.opt.Bursts)
	var err error
	if s.documents, err = s.buildDocuments(); err != nil {
		return nil, err
	}
	if s.metrics, err = newMetrics(s.opt.Metrics); err != nil {
		return nil, err
	}
	s.calls, err = call.NewRunner(call.RunnerOptions{
		Quota: s.opt.Quota, Queue: s.opt.Queue, Log: s.opt.Log,
		Metrics: s.opt.Metrics, Tracer: s.opt.Tracer, SizeLimit: s.opt.MaxComponents,
	})
	if err != nil {
		return nil, err
	}
	if s.site, err = web.New(s.opt.Catalog, s.opt.Version); err != nil {
		return nil, err
	}
	s.compressors = newCompressors(gzip.BestSpeed)
	s.pageCompressors = newCompressors(pageLevel)
	compressors := newCompressors(gzip.BestCompression)
	s.staticFiles = map[*web.Asset]*document{}
	for file := range s.site.Assets() {
		s.staticFiles[file] = compressors.newDocument(file.Body, file.Type)
	}
	s.app = fiber.New(fiber.Config{
		Network:       "tcp", // Fiber's default is tcp4
		CaseSensitive: true,
		BodyLimit:     s.opt.BodyLimit,
		Concurrency:   s.opt.Connections + spareConnections,
		ReadTimeout:   s.opt.ReadTimeout,
		IdleTimeout:   s.opt.IdleTimeout,
		// a timeout would cut streams; listener.Conn limits each write instead
		WriteTimeout:                 0,
		ReadBufferSize:               maxHeader,
		ReduceMemoryUsage:            true, // an idle connection then holds no buffer
		DisableStartupMessage:        true,
		DisablePreParseMultipartForm: true, // forms are rejected, not stored in temporary files
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			if isMissingPage(c, err) {
				err = s.missingPage(c)
			}
			if err != nil {
				s.writeProblem(c.Context(), err)
			}
			return nil
		},
	})
	s.routes()
	s.route = s.app.Handler()
	fast := s.app.Server()
	fast.Handler = s.serve
	fast.ErrorHandler = s.writeUnreadable
	fast.HeaderReceived = listener.HeaderReceived(s.opt.BodyLimit)
	fast.ConnState = listener.TrackState
	return s, nil
}

func (s *Server) routes() {
	s.app.Get("/healthz", s.health)
	s.app.Get("/readyz", s.ready)
	s.app.Get("/problems", s.problems)
	s.app.Get("/problems/:kind", s.problem)

	s.app.Get("/api", s.list)
	s.app.Get("/api/docs", s.docs)
	// Without this route, POST would look for a tool of that name.
	s.app.All("/api/docs", notAllowed("GET, HEAD"))
	s.app.Get("/api/jobs/:id", s.getJob)
	s.app.Get("/api/jobs/:id/events", s.jobEvents)
	s.app.Delete("/api/jobs/:id", s.cancelJob)
	s.app.Get("/api/jobs/:id/*", s.getPart)
	s.app.Post("/api/keys", s.idempotent(s.keyOwner, s.issueKey))
	s.app.Get("/api/keys", s.listKeys)
	s.app.Delete("/api/keys/:prefix", s.revokeKey)
	s.app.Get("/api/keys/:prefix/usage", s.keyUsage)
	s.batchRoutes()
	s.app.Post(designsPath, s.service(designsService))
	s.app.Get("/api/:tool", s.metadata)
	s.app.Post("/api/:tool", s.compute)
	s.uiRoutes()
	if s.opt.MCP != nil {
		s.mcpRoutes()
	}
	s.pageRoutes()
}

func notAllowed(allow string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderAllow, allow)
		return fiber.ErrMethodNotAllowed
	}
}

// index writes the URLs of the service.
func (s *Server) index(c *fiber.Ctx) error {
	return writeJSON(c, map[string]any{
		"name": "Slipstick", "version": s.opt.Version,
		"tools": "/api", "docs": "/api/docs", "problems": "/problems", "health": "/healthz",
		"ready": "/readyz",
	})
}

// Listen serves on a TCP address until ctx ends, then drains. See Serve.
func (s *Server) Listen(ctx context.Context, addr string) error {
	ln, err := listener.Listen(ctx, addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve serves on ln, which should come from listener.Listen, until ctx ends. It then continues for
// Options.DrainDelay, stops accepting and waits at most Options.Drain for the requests in flight.
// It returns nil if all of them finished. Serve may be called only once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	limited := listener.New(ln, s.listenerOptions())
	ended := make(chan error, 1)
	go func() { ended <- s.app.Server().Serve(limited) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.DrainDelay+s.opt.Drain)
	defer cancel()
	s.opt.Log.Info("api is draining", "delay", s.opt.DrainDelay.String(),
		"limit", (s.opt.DrainDelay + s.opt.Drain).String())
	s.draining.Store(true)
	limited.Drain(bounded, s.opt.DrainDelay)
	err := s.app.ShutdownWithContext(bounded)
	<-ended
	if err != nil {
		return fmt.Errorf("requests were cut off after %s of draining: %w", s.opt.Drain, err)
	}
	s.opt.Log.Info("api stopped")
	return nil
}

// Test handles one request without a network, for tests. The timeout is in milliseconds, 1000 by
// default; -1 disables it.
func (s *Server) Test(req *http.Request, timeout ...int) (*http.Response, error) {
	return s.app.Test(req, timeout...)
}
