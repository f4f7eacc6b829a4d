package api

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"slipstick/api/listener"
	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/internal/rawjson"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker"
)

// newProblem returns a problem of the given type. If format is empty, the detail is the
// documentation of the type.
func newProblem(kind problemType, format string, args ...any) *problemError {
	return &problemError{problemType: kind, detail: fmt.Sprintf(format, args...)}
}

// writeProblem writes the problem document of err. It is the only place that turns errors into
// responses.
func (s *Server) writeProblem(ctx *fasthttp.RequestCtx, err error) {
	if errors.Is(err, listener.ErrClientGone) {
		ctx.Response.ResetBody()
		ctx.SetStatusCode(statusGone) // for the log only; the client has disconnected
		return
	}
	p := s.withCorrected(ctx, s.logProblem(ctx, err))
	h := &ctx.Response.Header
	if p.challenge != "" {
		h.Set(fasthttp.HeaderWWWAuthenticate, p.challenge)
	}
	if p.accepts[0] != "" {
		h.Set(p.accepts[0], p.accepts[1])
	}
	if p.limit != nil {
		s.setRateLimitHeaders(ctx, p.limit)
	}
	if p.retry > 0 {
		h.Set(fasthttp.HeaderRetryAfter, seconds(p.retry))
	}
	h.Set(fasthttp.HeaderCacheControl, "no-store")
	h.Set(fasthttp.HeaderLink, "<"+p.uri()+`>; rel="help"`)
	h.Del(fasthttp.HeaderContentEncoding) // set by the response that the problem replaces
	body, err := rawjson.Marshal(p.problem(idOf(ctx)))
	if err != nil { // the value of a field error was not valid JSON
		p.fieldErrors = nil
		body, _ = rawjson.Marshal(p.problem(idOf(ctx)))
	}
	ctx.SetStatusCode(p.status)
	h.SetContentTypeBytes(problemMediaType)
	ctx.Response.SetBodyRaw(body)
}

// logProblem returns the problem of err. It counts a rejection by a limit and logs the causes that
// the response must not contain.
func (s *Server) logProblem(ctx *fasthttp.RequestCtx, err error) *problemError {
	s.metrics.countRejection(err)
	p := toProblem(err)
	wrapped := p != err //nolint:errorlint // compares identities to log wrapped errors
	if p.problemType == internal && wrapped && !errors.Is(err, call.ErrInternal) {
		s.opt.Log.Error("unexpected error", "request_id", idOf(ctx), "path", redactedPath(ctx),
			"error", err)
	}
	if errors.Is(err, keys.ErrUnavailable) {
		s.opt.Log.Warn("no access to keys", "request_id", idOf(ctx), "error", err)
	} else if errors.Is(err, worker.ErrUnavailable) {
		s.opt.Log.Warn("no access to jobs or batches", "request_id", idOf(ctx), "error", err)
	}
	return p
}

// toProblem returns the problem of an error. An unknown error is internal: its text is logged but
// not sent.
func toProblem(err error) *problemError {
	var (
		p       *problemError
		missing *tools.NotFoundError
		full    *worker.BusyError
		route   *fiber.Error
		key     *keys.InvalidKeyError
		token   *keys.InvalidTokenError
		limit   *keys.LimitError
		dropped *worker.DroppedError
		reads   *worker.ReadLimitError
		ended   *call.JobError
	)
	switch {
	case errors.As(err, &p):
		return p
	case tools.AsInputError(err) != nil:
		return invalidInputProblem(tools.AsInputError(err).Fields)
	case errors.As(err, &ended):
		return problemFromJob(*ended.Job)
	case errors.As(err, &missing):
		return newProblem(toolNotFound, "%s", missing)
	case errors.As(err, &key):
		p = newProblem(badKey, "%s", key.Reason)
		p.challenge = `ApiKey header="` + headerKey + `"`
		return p
	case errors.As(err, &token):
		return invalidTokenProblem(token)
	case errors.Is(err, keys.ErrKeyNotFound):
		return newProblem(
			keyNotFound,
			"you have no active key that begins with these characters; the path takes the first %d characters of a key",
			keys.PrefixLength,
		)
	case errors.Is(err, keys.ErrTooManyKeys):
		return newProblem(
			tooManyKeys,
			"you have %d active keys, which is as many as one may have; revoke one with DELETE /api/keys/{prefix}, or wait until one expires",
			keys.MaxActiveKeys,
		)
	case errors.Is(err, keys.ErrUnavailable):
		return newProblem(unavailable, "%s", keys.ErrUnavailable).retryAfter(retryUnavailable)
	case errors.As(err, &limit):
		return limitProblem(limit)
	case errors.As(err, &full) && full.OfCaller:
		return newProblem(tooManyRequests, "%s", full).retryAfter(full.RetryAfter)
	case errors.As(err, &full):
		return newProblem(busy, "%s", full).retryAfter(full.RetryAfter)
	case errors.Is(err, call.ErrNoQueue):
		return noQueue()
	case errors.Is(err, service.ErrNoDatabase):
		return newProblem(unavailable, "%s", service.ErrNoDatabase).retryAfter(retryUnavailable)
	case errors.Is(err, worker.ErrUnavailable):
		return newProblem(unavailable, "%s", worker.ErrUnavailable).retryAfter(retryUnavailable)
	case errors.As(err, &reads) && reads.OfReader:
		return newProblem(limitReached, "%s", reads).retryAfter(reads.RetryAfter)
	case errors.As(err, &reads):
		return newProblem(busy, "%s", reads).retryAfter(reads.RetryAfter)
	case errors.As(err, &dropped):
		return newProblem(resultDropped, "%s", dropped)
	case errors.Is(err, service.ErrNotFound):
		return newProblem(batchNotFound, "%s", service.ErrNotFound)
	case errors.Is(err, service.ErrNoRun):
		return newProblem(batchNotFound, "%s", service.ErrNoRun)
	case errors.Is(err, worker.ErrJobNotFound):
		return newProblem(jobNotFound, "%s", worker.ErrJobNotFound)
	case errors.Is(err, context.DeadlineExceeded):
		return newProblem(timeLimit, "")
	case errors.As(err, &route) && route.Code == fiber.StatusNotFound:
		return newProblem(notFound, "")
	case errors.As(err, &route) && route.Code == fiber.StatusMethodNotAllowed:
		return newProblem(methodNotAllowed, "")
	}
	return newProblem(internal, "")
}

// invalidInputProblem returns the problem of invalid fields. Its detail names each field.
func invalidInputProblem(errs []schema.FieldError) *problemError {
	p := newProblem(invalidInput, "%s", &tools.InputError{Fields: errs})
	p.fieldErrors = errs
	return p
}

// retryUnavailable is the Retry-After value for an unavailable dependency.
const retryUnavailable = 5 * time.Second

// seconds formats a duration for Retry-After in whole seconds, rounded up, at least 1.
func seconds(d time.Duration) string {
	return strconv.FormatInt(wholeSeconds(d), 10)
}

// writeJSON writes v as JSON without HTML escaping. This is safe because the nosniff header, which
// all responses have, keeps browsers from interpreting them as HTML. The status is 200 unless the
// caller has set it.
func writeJSON(c *fiber.Ctx, v any) error {
	body, err := rawjson.Marshal(v)
	if err != nil {
		return err
	}
	c.Response().Header.SetContentTypeBytes(jsonMediaType)
	c.Response().SetBodyRaw(body)
	return nil
}
