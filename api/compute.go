package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// errGone says that the client left while it was waited for.
var errGone = errors.New("the client hung up")

// compute runs a tool: POST /api/{tool}.
func (s *Server) compute(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	credential := c.Get(headerKey)
	if tool.Heavy == nil {
		return s.computeLight(c, tool, credential)
	}
	pass, err := s.admit(c, tool, credential)
	if err != nil {
		return err
	}
	return s.run(c, tool, pass)
}

// lightCall is a call of a light tool that is being made.
type lightCall struct {
	server *Server
	c      *fiber.Ctx
	tool   *tools.Entry

	result  json.RawMessage
	failure error
}

// run computes.
func (l *lightCall) run(ctx context.Context) (keys.Outcome, time.Duration) {
	var took time.Duration
	if l.result, took, l.failure = l.server.inPlace(ctx, l.c, l.tool); l.failure != nil {
		failedSpan(trace.SpanFromContext(ctx), l.failure)
	}
	return outcomeOf(l.failure), took
}

// computeLight runs a light tool on its sender's account. Nothing is written before the call is
// counted.
func (s *Server) computeLight(c *fiber.Ctx, tool *tools.Entry, credential string) error {
	l := &lightCall{server: s, c: c, tool: tool}
	if err := s.callLight(c, tool, credential, l.run); err != nil {
		return err
	}
	if l.failure != nil {
		return l.failure
	}
	return s.envelopes[tool.Name].write(c, l.result, s.opt.Now())
}

// inPlace computes a light tool. It also gives the computing time.
func (s *Server) inPlace(ctx context.Context, c *fiber.Ctx, tool *tools.Entry) (json.RawMessage, time.Duration, error) {
	if err := checkMediaType(c); err != nil {
		return nil, 0, err
	}
	began := time.Now()
	// The bytes as they came: c.Body() would unpack a compressed body without any limit.
	result, err := s.runTool(ctx, c, tool, c.Request().Body())
	return result, time.Since(began), err
}

// runTool computes a light tool; a panic is an error.
func (s *Server) runTool(ctx context.Context, c *fiber.Ctx, tool *tools.Entry, body []byte) (result json.RawMessage, err error) {
	defer s.guard(c, &err)
	return tool.Run(ctx, body)
}

// run answers an admitted call and says what it came to: to its account, its caller, the
// metrics and the trace.
func (s *Server) run(c *fiber.Ctx, tool *tools.Entry, pass *keys.Reservation) error {
	ctx, span := s.traced(c.UserContext(), c, tool.Name)
	c.SetUserContext(ctx) // the queue passes it on
	began := time.Now()
	var took time.Duration
	var err error
	if tool.Heavy != nil {
		took, err = s.computeHeavy(c, tool, pass)
	} else {
		took, err = s.answerLight(c, tool)
	}
	outcome := outcomeOf(err)
	s.metrics.called(tool.Name, outcome, time.Since(began))
	if err != nil {
		failedSpan(span, err)
	}
	endSpan(span, outcome)
	if e := pass.Commit(c.UserContext(), tool.Name, outcome, took); e != nil && err == nil {
		return e
	}
	s.showAllowance(c.Context(), pass.Allowance, outcome)
	return err
}

// answerLight computes a light tool and writes the answer. It also gives the computing time.
func (s *Server) answerLight(c *fiber.Ctx, tool *tools.Entry) (time.Duration, error) {
	result, took, err := s.inPlace(c.UserContext(), c, tool)
	if err != nil {
		return took, err
	}
	return took, s.envelopes[tool.Name].write(c, result, s.opt.Now())
}

// checkMediaType refuses a body that does not say it is JSON. A missing body is left to the
// tool, which says what to send.
func checkMediaType(c *fiber.Ctx) error {
	h := &c.Request().Header
	if len(h.ContentEncoding()) > 0 && !bytes.EqualFold(h.ContentEncoding(), []byte("identity")) {
		c.Set(fiber.HeaderAcceptEncoding, "identity")
		return failed(wrongMediaType, "the body has Content-Encoding %q; send it uncompressed", cut(string(h.ContentEncoding()), 60))
	}
	given := h.ContentType()
	if bytes.Equal(given, jsonType) || len(c.Request().Body()) == 0 {
		return nil
	}
	media, _, err := mime.ParseMediaType(string(given))
	if err == nil && (media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")) {
		return nil
	}
	c.Set(fiber.HeaderAccept, "application/json")
	if len(given) == 0 {
		return failed(wrongMediaType, "the body has no Content-Type; send the header Content-Type: application/json")
	}
	return failed(wrongMediaType, "the body has Content-Type %q; send the header Content-Type: application/json", cut(string(given), 100))
}

// computeHeavy hands the computation to the queue and waits as long as the client wants and
// the server allows. The job is passed by its address from here on: thousands of calls may wait,
// and a stack that holds copies of it is twice as large.
func (s *Server) computeHeavy(c *fiber.Ctx, tool *tools.Entry, pass *keys.Reservation) (took time.Duration, err error) {
	defer s.guard(c, &err)
	if err := checkMediaType(c); err != nil {
		return 0, err
	}
	if s.opt.Queue == nil {
		return 0, noQueue()
	}
	want := preferences(&c.Request().Header, s.opt.Wait)
	job, err := s.submit(c, tool, pass, &want)
	if err == nil && !job.State.Finished() && want.wait > 0 {
		err = s.await(c, job, want.wait)
	}
	if err == nil {
		want.applied(c)
		var took time.Duration
		if took, err = s.conclude(c, job, pass.QuotaKey, tool.Unknown(c.Request().Body())); err == nil {
			return took, nil
		}
	}
	return 0, lostBeforeDelivery(err)
}

// lostBeforeDelivery is the failure of a call whose job is gone; other errors stay as they are.
func lostBeforeDelivery(err error) error {
	var dropped *worker.DroppedError
	switch {
	case errors.As(err, &dropped):
		return failed(unavailable, "%s; send it again", dropped).after(retryUnavailable)
	case errors.Is(err, worker.ErrJobNotFound):
		return failed(unavailable, "the job was lost; send it again").after(retryUnavailable)
	}
	return err
}

// submit puts the computation on the queue. It does so whether the client stays or not: a
// submission torn off in the middle could leave a job nobody knows.
func (s *Server) submit(c *fiber.Ctx, tool *tools.Entry, pass *keys.Reservation, want *preference) (*worker.Job, error) {
	sub := submissionOf(pass)
	sub.Detached = want.async || want.wait == 0
	// The body is copied because its buffer is used again for the next request.
	job, err := s.opt.Queue.Submit(c.UserContext(), tool.Tool, bytes.Clone(c.Request().Body()), sub)
	return &job, err
}

// conclude answers a heavy call with what its job has come to, and with the warnings on the
// caller's own request. It also gives the computing time.
func (s *Server) conclude(c *fiber.Ctx, job *worker.Job, caller string, warnings []string) (time.Duration, error) {
	if !job.State.Finished() {
		s.keepWarnings(c, job.ID, caller, warnings)
		return 0, s.accepted(c, *job, warnings)
	}
	took := time.Duration(job.Outcome.ComputeMS * float64(time.Millisecond))
	if f := failureOfJob(*job); f != nil {
		return took, f
	}
	if job.Outcome.Large != nil {
		return took, s.sendEnvelope(c, job, warnings)
	}
	return took, s.envelopeFor(*job).write(c, tools.AppendWarnings(job.Outcome.Result, warnings), s.opt.Now())
}

// await waits for a job until it is finished, the wait is over, or the client leaves (errGone),
// and brings it up to date.
func (s *Server) await(c *fiber.Ctx, job *worker.Job, wait time.Duration) error {
	ctx, stop := whileConnected(c.UserContext(), c.Context().Conn())
	defer stop()
	next, err := s.opt.Queue.Wait(ctx, job.ID, wait)
	*job = next.Since(job.EnqueuedAt)
	if errors.Is(context.Cause(ctx), errGone) {
		return errGone
	}
	return err
}

func noQueue() *failure {
	return failed(unavailable, "this server runs no heavy tools").after(retryUnavailable)
}
