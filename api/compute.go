package api

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/api/listener"
	"slipstick/call"
	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// headerKey is the request header that carries an API key.
const headerKey = "X-Api-Key"

// compute handles POST /api/{tool}: it runs a tool.
func (s *Server) compute(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	if tool.Heavy == nil { // a pure function needs no Idempotency-Key
		return s.run(c, tool, s.caller(c, c.Get(headerKey)), call.Options{})
	}
	return s.queued(c, tool)
}

// queued runs a queued tool for POST /api/{tool}.
func (s *Server) queued(c *fiber.Ctx, tool *tools.Entry) error {
	return s.idempotent(s.batchOwner, func(c *fiber.Ctx) error {
		caller := s.caller(c, c.Get(headerKey))
		if err := s.checkQueuedRate(c, caller.Key); err != nil {
			return err
		}
		return s.run(c, tool, caller, call.Options{})
	})(c)
}

// Name and path of the service that routes designs.
const (
	designsService = "route_design"
	designsPath    = "/api/designs/route"
)

// service returns the handler of a service in the catalog.
func (s *Server) service(name string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		e, err := s.opt.Catalog.FindQueued(name)
		if err != nil {
			return err
		}
		return s.queued(c, e)
	}
}

// caller returns the caller of a request. apiKey is the API key that the endpoint read from a
// header or parameter.
func (s *Server) caller(c *fiber.Ctx, apiKey string) call.Caller {
	return call.Caller{
		Caller:    keys.Caller{Key: apiKey, Address: s.clientAddress(c.Context())},
		RequestID: idOf(c.Context()), Trace: requestHeaders{c},
	}
}

// run calls a tool and writes the response.
func (s *Server) run(c *fiber.Ctx, tool *tools.Entry, caller call.Caller, o call.Options) error {
	o.Invalid = checkMediaType(c)
	if tool.Heavy != nil {
		return s.runQueued(c, tool, caller, o)
	}
	// c.Body would decompress the body without a size limit.
	r, err := s.calls.Run(c.UserContext(), caller, tool.Tool, c.Request().Body(), o)
	s.refundBurst(c, tool, r.Tier)
	s.setAllowanceHeaders(c.Context(), dailyPolicy, r.Allowance)
	if err != nil {
		return err
	}
	if prefersCSV(c) {
		return s.writeCSV(c, tool, r.JSON)
	}
	return s.envelopes[tool.Name].write(c, r.JSON, s.opt.Now())
}

// runQueued calls a queued tool and writes the response. It waits for the time that the client
// requested, at most Options.Wait.
func (s *Server) runQueued(
	c *fiber.Ctx, tool *tools.Entry, caller call.Caller, o call.Options,
) error {
	want := preferences(&c.Request().Header, s.opt.Wait)
	o.Wait, o.Detached = want.wait, want.async
	// With an Idempotency-Key the client may disconnect and retry, so the call continues.
	if len(c.Request().Header.Peek(headerIdempotencyKey)) == 0 {
		o.Waiting = watch(c)
	}
	o.Admitted = func(r *call.Result) { s.refundBurst(c, tool, r.Tier) }
	o.Respond = func(r *call.Result) error { return s.respond(c, r.Job, r.Warnings) }
	body := c.Request().Body()
	if file := acceptedFile(c.Get(fiber.HeaderAccept), tool.Tool); file != nil && o.Invalid == nil {
		body, o.Invalid = withFormat(body, file)
		if name := c.Query(tableParameter); name != "" && o.Invalid == nil {
			o.Invalid = tools.InvalidValue(tableParameter, text.Truncate(name, 60),
				"%s has no tables to select; vectors selects the columns of its CSV", tool.Name)
		}
	}
	r, err := s.calls.Run(c.UserContext(), caller, tool.Tool, body, o)
	s.setAllowanceHeaders(c.Context(), dailyPolicy, r.Allowance)
	if r.Job != nil {
		want.applied(c)
	}
	return lostBeforeDelivery(err)
}

// respond writes the result of a finished job with 200, or the job with 202.
func (s *Server) respond(c *fiber.Ctx, job *worker.Job, warnings []string) error {
	if file := s.jobFile(c, job); file != nil {
		if sent, err := s.sendFile(c, job, file); sent || err != nil {
			return err
		}
	}
	switch {
	case !job.State.Finished():
		return s.accepted(c, *job, warnings)
	case job.Outcome.Large != nil:
		return s.sendEnvelope(c, job, warnings, nil)
	}
	result := tools.AppendWarnings(job.Outcome.Result, warnings)
	return s.envelopeFor(*job).write(c, result, s.opt.Now())
}

// watch returns a function that ends the wait for a job when the client disconnects
// (listener.ErrClientGone).
func watch(c *fiber.Ctx) func(context.Context, string) (context.Context, func()) {
	return func(ctx context.Context, _ string) (context.Context, func()) {
		return listener.WhileConnected(ctx, c.Context().Conn())
	}
}

// checkMediaType rejects a body that is not declared as JSON or has a content coding. An empty body
// is valid here because the tool then reports its required fields.
func checkMediaType(c *fiber.Ctx) error {
	h := &c.Request().Header
	if len(h.ContentEncoding()) > 0 && !bytes.EqualFold(h.ContentEncoding(), []byte("identity")) {
		return newProblem(wrongMediaType, "the body has Content-Encoding %q; send it uncompressed",
			text.Truncate(string(h.ContentEncoding()), 60)).withAccept(fiber.HeaderAcceptEncoding,
			"identity")
	}
	raw := h.ContentType()
	if bytes.Equal(raw, jsonMediaType) || len(c.Request().Body()) == 0 {
		return nil
	}
	media, _, err := mime.ParseMediaType(string(raw))
	if err == nil &&
		(media == "application/json" || strings.HasPrefix(media, "application/") &&
			strings.HasSuffix(media, "+json")) {
		return nil
	}
	p := newProblem(wrongMediaType,
		"the body has Content-Type %q; send the header Content-Type: application/json",
		text.Truncate(string(raw), 100))
	if len(raw) == 0 {
		p.detail = "the body has no Content-Type; send the header Content-Type: application/json"
	}
	return p.withAccept(fiber.HeaderAccept, "application/json")
}

// lostBeforeDelivery returns the problem of a call whose job no longer exists. It returns other
// errors unchanged.
func lostBeforeDelivery(err error) error {
	var dropped *worker.DroppedError
	switch {
	case errors.As(err, &dropped):
		return newProblem(unavailable, "%s; send it again", dropped).retryAfter(retryUnavailable)
	case errors.Is(err, worker.ErrJobNotFound):
		return newProblem(unavailable, "the job was lost; send it again").retryAfter(
			retryUnavailable)
	}
	return err
}

// noQueue returns the problem of a server without a queue.
func noQueue() *problemError {
	return newProblem(unavailable, "%s", call.ErrNoQueue).retryAfter(retryUnavailable)
}
