package api

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/api/listener"
	"slipstick/call"
	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/mcp"
	"slipstick/tools"
)

// Headers of the Model Context Protocol.
const (
	headerSession  = "Mcp-Session-Id"
	headerProtocol = "Mcp-Protocol-Version"
)

// keepAliveInterval is the interval of keep-alive messages on an idle stream.
const keepAliveInterval = 15 * time.Second

// mcpRoutes registers the endpoint for agents.
func (s *Server) mcpRoutes() {
	s.app.Get("/mcp.json", s.mcpAbout)
	s.app.Options("/mcp", s.mcpPreflight)
	s.app.Post("/mcp", s.mcpPost)
	s.app.Delete("/mcp", s.mcpDelete)
	s.app.All("/mcp", mcpOnlyPost)
}

func mcpOnlyPost(c *fiber.Ctx) error {
	c.Set(fiber.HeaderAllow, "POST, DELETE, OPTIONS")
	return newProblem(
		methodNotAllowed,
		"this endpoint is for agents: POST a message of the Model Context Protocol; there is no stream to listen to with GET. /mcp.json says how to connect",
	)
}

// mcpPost handles POST /mcp, which contains one message.
func (s *Server) mcpPost(c *fiber.Ctx) error {
	if err := s.checkOrigin(c); err != nil {
		return err
	}
	accepts, err := acceptable(c.Get(fiber.HeaderAccept))
	if err != nil {
		return err
	}
	if err := checkMediaType(c); err != nil {
		return err
	}
	only, err := mcp.Select(s.opt.Catalog, strings.Clone(c.Query("tools")))
	if err != nil {
		return newProblem(badRequest, "%s", err)
	}
	list, err := mcp.ParseListOptions(c.Query("schemas"), c.Query("mode"))
	if err != nil {
		return newProblem(badRequest, "%s", err)
	}
	results, err := mcp.ParseResultOptions(c.Query("results"), c.Query("images"))
	if err != nil {
		return newProblem(badRequest, "%s", err)
	}
	apiKey := strings.Clone(c.Get(headerKey, c.Query("key")))
	x := s.opt.MCP.Parse(c.UserContext(), mcp.Request{
		// c.Body would decompress the body without a size limit.
		Body: c.Request().Body(), Session: strings.Clone(c.Get(headerSession)),
		Version: strings.Clone(c.Get(headerProtocol)),
		Header:  func(name string) string { return strings.Clone(c.Get(name)) },
		Caller: mcp.Caller{
			Run: func(
				ctx context.Context, tool *tools.Entry, body []byte, o call.Options,
			) (*call.Result, error) {
				return s.mcpCall(ctx, c, tool, apiKey, body, o)
			},
			Base: s.base(c), RequestID: idOf(c.Context()), Only: only, List: list, Results: results,
			Reader:   s.readerOf(c),
			QuotaKey: func() string { return s.quotaKey(c, apiKey) },
			Batches:  s.agentBatches(c, apiKey),
		},
	})
	if x.IsLongRunning() {
		return s.mcpWait(c, x, accepts.events)
	}
	response, err := x.Handle(c.UserContext(), nil)
	if err != nil {
		return err
	}
	if response.Session != "" && apiKey != "" {
		// An invalid key is reported when the client connects and not at its first call.
		_, err := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, apiKey).Caller, 0)
		if invalid := new(keys.InvalidKeyError); errors.As(err, &invalid) {
			return err
		}
	}
	return s.writeResponse(c, response)
}

// mcpCall makes a call with the quota of its caller, as POST /api/{tool} does. It sets headers
// before the response begins because c is not used after a queued call is admitted.
func (s *Server) mcpCall(
	ctx context.Context, c *fiber.Ctx, tool *tools.Entry, apiKey string, body []byte,
	o call.Options,
) (*call.Result, error) {
	o.Admitted = func(r *call.Result) {
		s.refundBurst(c, tool, r.Tier)
		s.setAllowanceHeaders(c.Context(), dailyPolicy, r.Allowance)
	}
	r, err := &call.Result{}, error(nil)
	if tool.Heavy != nil {
		err = s.checkQueuedRate(c, apiKey)
	}
	if err == nil {
		r, err = s.calls.Run(ctx, s.caller(c, apiKey), tool.Tool, body, o)
	}
	var limit *keys.LimitError
	if errors.As(err, &limit) { // the response is a result, not a problem
		s.metrics.countRejection(err)
		s.setRateLimitHeaders(c.Context(), limit)
	}
	return r, err
}

func (s *Server) writeResponse(c *fiber.Ctx, a mcp.Response) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	if a.Session != "" {
		c.Set(headerSession, a.Session)
	}
	c.Status(a.Status)
	if a.Body != nil {
		c.Response().Header.SetContentTypeBytes(jsonMediaType)
		return s.sendCounted(c, a.Body)
	}
	return nil
}

// mcpWait handles a message that may take seconds. Without progress, the response is JSON. The
// first progress notification turns it into an event stream that ends with the response.
func (s *Server) mcpWait(c *fiber.Ctx, x *mcp.Call, streams bool) error {
	ctx, stop := listener.WhileConnected(c.UserContext(), c.Context().Conn())
	events, final := make(chan []byte), make(chan finalResponse, 1)
	var notify func([]byte)
	if streams {
		notify = func(event []byte) {
			select {
			case events <- event:
			case <-ctx.Done():
			}
		}
	}
	go func() {
		response, err := x.Handle(ctx, notify)
		final <- finalResponse{response, err}
	}()
	select {
	case f := <-final:
		gone := errors.Is(context.Cause(ctx), listener.ErrClientGone)
		stop()
		switch {
		case gone:
			return listener.ErrClientGone
		case f.err != nil:
			return f.err
		}
		return s.writeResponse(c, f.response)
	case first := <-events:
		h := &c.Response().Header
		h.SetContentType("text/event-stream")
		h.Set(fiber.HeaderCacheControl, "no-store")
		h.Set("X-Accel-Buffering", "no")
		c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
			// fasthttp owns the connection after this function returns, so the watch must end
			// first.
			defer stop()
			stream(w, first, events, final)
		})
	}
	return nil
}

type finalResponse struct {
	response mcp.Response
	err      error
}

// stream writes events until the final event is sent or the client disconnects.
func stream(w *bufio.Writer, first []byte, events <-chan []byte, final <-chan finalResponse) {
	alive := time.NewTicker(keepAliveInterval)
	defer alive.Stop()
	for next := first; ; {
		if next != nil {
			_, _ = w.WriteString("event: message\ndata: ")
			_, _ = w.Write(next)
			_, _ = w.WriteString("\n\n")
		} else {
			_, _ = w.WriteString(": still working\n\n")
		}
		if w.Flush() != nil { // Flush also returns earlier write errors
			return
		}
		select {
		case next = <-events:
		case <-alive.C:
			next = nil
		case f := <-final:
			if f.err == nil && f.response.Body != nil {
				_, _ = w.WriteString("event: message\ndata: ")
				_, _ = w.Write(f.response.Body)
				_, _ = w.WriteString("\n\n")
				_ = w.Flush()
			}
			return
		}
	}
}

// mcpDelete handles DELETE /mcp, which ends a session.
func (s *Server) mcpDelete(c *fiber.Ctx) error {
	if err := s.checkOrigin(c); err != nil {
		return err
	}
	if protocol.IsModernProtocol(c.Get(headerProtocol)) {
		return mcpOnlyPost(c)
	}
	session := strings.Clone(c.Get(headerSession))
	if session == "" {
		return newProblem(badRequest,
			"the header Mcp-Session-Id is missing: which session shall end?")
	}
	if !s.opt.MCP.End(c.UserContext(), session) {
		return newProblem(notFound, "there is no such session, or it has ended")
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// acceptedForms holds the media types that a client accepts in addition to JSON.
type acceptedForms struct{ events bool }

// acceptable parses the Accept header. The protocol requires both media types. A client that
// accepts only JSON is served without progress notifications. A client that does not accept JSON
// gets a problem.
func acceptable(accept string) (a acceptedForms, err error) {
	if accept == "application/json, text/event-stream" { // value that nearly all clients send
		return acceptedForms{events: true}, nil
	}
	json := accept == ""
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, _ := strings.Cut(part, ";")
		if q := strings.ReplaceAll(parameters, " ", ""); q == "q=0" ||
			strings.HasPrefix(q, "q=0.0") {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "*/*":
			json, a.events = true, true
		case "application/json", "application/*":
			json = true
		case "text/event-stream", "text/*":
			a.events = true
		}
	}
	if !json {
		return a, newProblem(
			notAcceptable,
			"responses are application/json, and text/event-stream where there is progress; send Accept: application/json, text/event-stream",
		)
	}
	return a, nil
}

// checkOrigin rejects requests from web pages of other origins. A page in a local browser must not
// reach a service on the loopback interface (DNS rebinding). No page may reach a service that does
// not list its origin. Clients other than browsers send no Origin. For an allowed origin,
// checkOrigin sets the CORS headers.
func (s *Server) checkOrigin(c *fiber.Ctx) error {
	host := hostOf(string(c.Request().Host()))
	local, _ := c.Context().LocalAddr().(*net.TCPAddr)
	if local != nil && local.IP.IsLoopback() && !loopback(host) && !s.publicHost(host) {
		return newProblem(
			forbidden,
			"the Host %q is not a name of this machine; behind a proxy on the same machine, set --public-url to the URL that clients use",
			text.Truncate(host, 100),
		)
	}
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" {
		return nil
	}
	if !s.allowedOrigin(origin, host) {
		return newProblem(forbidden,
			"pages of the origin %q may not use this endpoint; --mcp-origins allows more",
			text.Truncate(origin, 100))
	}
	c.Set(fiber.HeaderAccessControlAllowOrigin, strings.Clone(origin))
	c.Set(fiber.HeaderVary, fiber.HeaderOrigin)
	c.Set(fiber.HeaderAccessControlExposeHeaders,
		headerSession+", X-Request-Id, Retry-After, RateLimit, RateLimit-Policy")
	return nil
}

func (s *Server) allowedOrigin(origin, host string) bool {
	if slices.Contains(s.opt.Origins, origin) || slices.Contains(s.opt.Origins, "*") {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	from := u.Hostname()
	return strings.EqualFold(from, host) || s.publicHost(from) || loopback(from) && loopback(host)
}

func (s *Server) publicHost(host string) bool {
	u, err := url.Parse(s.opt.PublicURL)
	return err == nil && u.Host != "" && strings.EqualFold(u.Hostname(), host)
}

// hostOf returns the host of "host:port".
func hostOf(hostport string) string {
	if !strings.Contains(hostport, ":") {
		return hostport
	}
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// mcpPreflight handles OPTIONS /mcp, the CORS preflight.
func (s *Server) mcpPreflight(c *fiber.Ctx) error {
	if err := s.checkOrigin(c); err != nil {
		return err
	}
	c.Set(fiber.HeaderAccessControlAllowMethods, "POST, DELETE")
	c.Set(
		fiber.HeaderAccessControlAllowHeaders,
		"Content-Type, Accept, X-Api-Key, X-Request-Id, "+headerSession+", "+headerProtocol+", "+protocol.HeaderMethod+", "+protocol.HeaderName,
	)
	c.Set(fiber.HeaderAccessControlMaxAge, "86400")
	c.Status(fiber.StatusNoContent)
	return nil
}

// mcpAbout handles GET /mcp.json, which describes how to connect.
func (s *Server) mcpAbout(c *fiber.Ctx) error {
	only, err := mcp.Select(s.opt.Catalog, strings.Clone(c.Query("tools")))
	if err != nil {
		return newProblem(badRequest, "%s", err)
	}
	// The response contains the host name that this client used.
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
	return writeJSON(c, s.opt.MCP.About(s.base(c), only, mcp.Limits{
		Anonymous: s.opt.Quota.DailyLimit(keys.Anonymous),
		FreeKey:   s.opt.Quota.DailyLimit(keys.Free), MessageBytes: s.opt.BodyLimit,
	}))
}

// base returns the base URL of the service as the client sees it.
func (s *Server) base(c *fiber.Ctx) string {
	if s.opt.PublicURL != "" {
		return strings.TrimSuffix(s.opt.PublicURL, "/")
	}
	scheme := "http://"
	if c.Get(fiber.HeaderXForwardedProto) == "https" { // a forged value affects only its sender
		scheme = "https://"
	}
	return scheme + string(c.Request().Host())
}
