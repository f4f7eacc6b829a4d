package api

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"slipstick/api/listener"
	"slipstick/internal/text"
	"slipstick/keys"
)

// statusGone is the logged status of a client that disconnected before its response (as in nginx).
const statusGone = 499

// Header names and values as byte slices, because they are set on every response.
var (
	headerRequestID             = []byte("X-Request-Id")
	headerContentTypeOptions    = []byte("X-Content-Type-Options")
	noSniff                     = []byte("nosniff")
	headerReferrerPolicy        = []byte("Referrer-Policy")
	noReferrer                  = []byte("no-referrer")
	headerContentSecurityPolicy = []byte("Content-Security-Policy")
	noContentSources            = []byte("default-src 'none'; frame-ancestors 'none'")
	headerResourcePolicy        = []byte("Cross-Origin-Resource-Policy")
	resourceSameOrigin          = []byte("same-origin")
	resourceCrossOrigin         = []byte("cross-origin")
	headerAllowOrigin           = []byte("Access-Control-Allow-Origin")
	anyOrigin                   = []byte("*")
	headerExposeHeaders         = []byte("Access-Control-Expose-Headers")
	exposedHeaders              = []byte(
		"X-Request-Id, Location, Retry-After, Preference-Applied, ETag, RateLimit, RateLimit-Policy, Link, Idempotent-Replayed, Slipstick-Warnings",
	)
	apiPath          = []byte("/api")
	keysPath         = []byte("/api/keys")
	jsonMediaType    = []byte("application/json")
	problemMediaType = []byte("application/problem+json")
)

// serve handles every request with valid framing.
func (s *Server) serve(ctx *fasthttp.RequestCtx) {
	setCommonHeaders(ctx)
	defer s.logAndRecover(ctx)
	err := s.checkRate(s.limiters.any, s.clientAddress(ctx), "requests")
	switch method := string(ctx.Method()); {
	case err != nil:
		s.writeProblem(ctx, err)
	case method == "OPTIONS" && bytes.HasPrefix(ctx.Path(), apiPath):
		preflight(ctx)
	case slices.Contains(fiber.DefaultMethods, method):
		s.route(ctx)
	default: // Fiber would respond to unknown methods with plain text
		ctx.Response.Header.Set("Allow", "GET, HEAD, POST, DELETE, OPTIONS")
		s.writeProblem(ctx, fiber.ErrMethodNotAllowed)
	}
	s.compressResponse(ctx)
}

// setCommonHeaders sets the request id and the security headers of every response.
func setCommonHeaders(ctx *fasthttp.RequestCtx) {
	h := &ctx.Response.Header
	var id [idLength]byte
	h.SetCanonical(headerRequestID,
		requestID(id[:0], ctx.Request.Header.PeekBytes(headerRequestID)))
	h.SetCanonical(headerContentTypeOptions, noSniff)
	h.SetCanonical(headerReferrerPolicy, noReferrer)
	// This policy applies to a response opened in a browser. Pages set a different one.
	h.SetCanonical(headerContentSecurityPolicy, noContentSources)
	resource := resourceSameOrigin
	if allowsAnyOrigin(ctx.Path()) {
		resource = resourceCrossOrigin
		h.SetCanonical(headerAllowOrigin, anyOrigin)
		h.SetCanonical(headerExposeHeaders, exposedHeaders)
	}
	h.SetCanonical(headerResourcePolicy, resource)
}

// allowsAnyOrigin reports whether pages of any origin may read a path (CORS). Paths below /api are
// public because clients send keys explicitly and no cookies. The paths of keys are excluded: a
// page must not obtain keys on behalf of its visitor.
func allowsAnyOrigin(path []byte) bool {
	return bytes.HasPrefix(path, apiPath) && !bytes.HasPrefix(path, keysPath)
}

const hexDigits = "0123456789abcdef"

const idLength = 16 // length of generated ids

// idCharacters are the characters that are valid in a request id from a client.
const idCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-"

// requestID returns the client's id if it has 8 to 64 valid characters. The id then identifies the
// request across services. Otherwise requestID appends a random id to id.
func requestID(id, sent []byte) []byte {
	if n := len(sent); n >= 8 && n <= 64 && len(bytes.Trim(sent, idCharacters)) == 0 {
		return sent
	}
	for i, r := 0, rand.Uint64(); i < idLength; i, r = i+1, r>>4 {
		id = append(id, hexDigits[r&15])
	}
	return id
}

func idOf(
	ctx *fasthttp.RequestCtx,
) string {
	return string(ctx.Response.Header.PeekBytes(headerRequestID))
}

func preflight(ctx *fasthttp.RequestCtx) {
	ctx.SetStatusCode(fasthttp.StatusNoContent)
	if !allowsAnyOrigin(ctx.Path()) {
		return
	}
	h := &ctx.Response.Header
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	h.Set("Access-Control-Allow-Headers",
		"Content-Type, X-Api-Key, X-Request-Id, Prefer, If-None-Match, Idempotency-Key, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "86400")
}

// logAndRecover recovers from a panic and logs the request. After a panic the response is a 500
// problem that contains only the request id.
func (s *Server) logAndRecover(ctx *fasthttp.RequestCtx) {
	if p := recover(); p != nil {
		s.writeProblem(ctx, s.panicked(ctx, p))
	}
	// The check follows the response so that it also closes connections whose request began before
	// the drain.
	if s.draining.Load() {
		ctx.SetConnectionClose()
	}
	status := strconv.Itoa(ctx.Response.StatusCode())
	s.metrics.requests.WithLabelValues(routeOf(ctx.Path()), status).Inc()
	s.logAccess(ctx, time.Since(ctx.Time()), true)
}

// panicked logs a panic and returns the problem "internal". It resets the response except for the
// common headers and the request id.
func (s *Server) panicked(ctx *fasthttp.RequestCtx, panicked any) error {
	id := idOf(ctx)
	s.opt.Log.Error("panic", "request_id", id, "panic", panicked, "stack", string(debug.Stack()))
	ctx.Response.Reset()
	setCommonHeaders(ctx)
	ctx.Response.Header.SetCanonical(headerRequestID, []byte(id))
	return newProblem(internal, "")
}

// slow is the minimum duration of a successful request that is logged at level Info.
const slow = time.Second

// unread is the duration of a request that was not read completely; its start is unknown.
const unread = time.Duration(-1)

// logAccess logs a request with the address and the key prefix of its caller. Without valid
// headers, method and path are unknown. Fast successful requests are logged at Debug, which costs a
// busy server at Info only a level check. Slow requests, 202 and 4xx except 429 are logged at Info,
// 5xx at Warn.
func (s *Server) logAccess(ctx *fasthttp.RequestCtx, took time.Duration, validHeaders bool) {
	status, level := ctx.Response.StatusCode(), slog.LevelDebug
	switch {
	case status >= 500:
		level = slog.LevelWarn
	case status == fasthttp.StatusTooManyRequests: // a flood must not fill the log
	case status >= 400 || status == fasthttp.StatusAccepted || took >= slow:
		level = slog.LevelInfo
	}
	if !s.opt.Log.Enabled(context.Background(), level) {
		return
	}
	path := redactedPath(ctx)
	attrs := []slog.Attr{slog.String("request_id", idOf(ctx))}
	if validHeaders {
		attrs = append(attrs, slog.String("method", string(ctx.Method())),
			slog.String("path", path))
	}
	attrs = append(attrs, slog.Int("status", status))
	if took != unread {
		attrs = append(attrs, slog.Float64("ms", float64(took.Microseconds())/1e3))
	}
	attrs = append(attrs, slog.String("client", keys.PrefixKey(s.clientAddress(ctx))))
	if prefix := keys.Prefix(string(ctx.Request.Header.Peek(headerKey))); prefix != "" {
		attrs = append(attrs, slog.String("key", prefix))
	}
	if !ctx.Response.IsBodyStream() { // Body would block until the stream ends
		attrs = append(attrs, slog.Int("bytes", len(ctx.Response.Body())))
	}
	if name, ok := strings.CutPrefix(path, "/api/"); ok && s.envelopes[name] != nil {
		attrs = append(attrs, slog.String("tool", name))
	}
	s.opt.Log.LogAttrs(context.Background(), level, "request", attrs...)
}

// redactedPath returns the path for the log. It omits the query, which may contain a key, and
// reduces keys in the path to their prefix.
func redactedPath(ctx *fasthttp.RequestCtx) string {
	return keys.Redact(text.Truncate(string(ctx.Path()), 200))
}

// writeUnreadable writes the problem of a request that fasthttp could not parse.
func (s *Server) writeUnreadable(ctx *fasthttp.RequestCtx, err error) {
	misframed := listener.FramingError(&ctx.Request.Header, err)
	ctx.Response.SkipBody = errors.Is(err, fasthttp.ErrBodyTooLarge) && ctx.IsHead()
	validHeaders := misframed == nil && errors.Is(err, fasthttp.ErrBodyTooLarge)
	if !validHeaders {
		// Path and id are unreliable unless the body exceeded the limit; its headers were valid.
		ctx.Request.Reset()
	}
	setCommonHeaders(ctx)
	timeout, small := interface{ Timeout() bool }(nil), (*fasthttp.ErrSmallBuffer)(nil)
	switch {
	case misframed != nil:
		s.writeProblem(ctx, newProblem(badRequest, "%s", misframed))
	case errors.As(err, &small):
		s.writeProblem(ctx,
			newProblem(headersTooLarge, "the request line and headers are longer than %d bytes",
				maxHeader))
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		s.writeProblem(ctx, newProblem(bodyTooLarge, "the body is larger than %d bytes",
			s.opt.BodyLimit))
	case errors.As(err, &timeout) && timeout.Timeout():
		s.writeProblem(ctx,
			newProblem(requestTimeout, "the request did not arrive within %s", s.opt.ReadTimeout))
	default:
		s.writeProblem(ctx, newProblem(badRequest, "this is not a valid HTTP request"))
	}
	if c, ok := ctx.Conn().(*listener.Conn); ok {
		c.Linger()
	}
	s.logAccess(ctx, unread, validHeaders)
}
