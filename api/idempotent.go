package api

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/api/idempotency"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	// headerReplayed is the header that marks a stored response to an earlier request.
	headerReplayed = "Idempotent-Replayed"
)

// Minimum and maximum length of an Idempotency-Key in characters. Another client behind the same
// address could use the same short key.
const minIdempotencyKey, maxIdempotencyKey = 16, 128

// retryInProgress is the Retry-After of a request that is in progress.
const retryInProgress = 2 * time.Second

// storedHeaders are the headers of a stored response. The RateLimit headers and the request id are
// excluded because they belong to each request.
var storedHeaders = []string{
	fiber.HeaderContentType, fiber.HeaderCacheControl, fiber.HeaderLocation, fiber.HeaderRetryAfter,
	"Preference-Applied",
}

// idempotent wraps a handler. Requests of one owner with the same Idempotency-Key are executed once
// and get the same response for 24 h. Only successful responses of at most 64 KiB are stored. After
// any other response, a retry executes the request again.
func (s *Server) idempotent(
	ownerOf func(*fiber.Ctx) (string, error), handle fiber.Handler,
) fiber.Handler {
	return func(c *fiber.Ctx) error {
		key, err := idempotencyKey(c)
		if err != nil {
			return err
		}
		if key == "" {
			return handle(c)
		}
		if s.opt.Idempotency == nil {
			return newProblem(unavailable, "this server does not support %s", headerIdempotencyKey)
		}
		owner, err := ownerOf(c)
		if err != nil {
			return err
		}
		content := c.Method() + " " + c.OriginalURL() + "\n" + c.Get(fiber.HeaderAccept) + "\n" +
			string(c.Request().Body())
		request, stored, err := s.opt.Idempotency.Begin(c.UserContext(), owner, key, content)
		switch {
		case errors.Is(err, idempotency.ErrInProgress):
			return newProblem(keyInProgress, "").retryAfter(retryInProgress)
		case errors.Is(err, idempotency.ErrMismatch):
			return newProblem(keyReused, "")
		case err != nil:
			s.opt.Log.Warn("a stored response could not be read", "request_id",
				idOf(c.Context()), "error",
				err)
			return newProblem(unavailable, "stored responses cannot be reached").retryAfter(
				retryUnavailable)
		case stored != nil:
			return replay(c, stored)
		}
		return s.execute(c, request, handle)
	}
}

// idempotencyKey returns the Idempotency-Key of a request, "" for none. The IETF draft requires a
// quoted string, but unquoted keys are common.
func idempotencyKey(c *fiber.Ctx) (string, error) {
	all := c.Request().Header.PeekAll(headerIdempotencyKey)
	if len(all) == 0 {
		return "", nil
	}
	key := strings.Trim(string(all[0]), " ")
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
	}
	invalid := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }
	if n := len(key); len(all) > 1 || n < minIdempotencyKey || n > maxIdempotencyKey ||
		strings.ContainsFunc(key, invalid) {
		p := invalidQuery(
			headerIdempotencyKey,
			"must be one text of 16 to 128 visible ASCII characters without quotes and backslashes, such as a UUID",
		)
		return "", p
	}
	return key, nil
}

// replay writes a stored response.
func replay(c *fiber.Ctx, a *idempotency.Response) error {
	for name, value := range a.Header {
		c.Set(name, value)
	}
	c.Set(headerReplayed, "true")
	c.Status(a.Status)
	c.Response().SetBodyRaw(a.Body)
	return nil
}

// execute handles a new request and stores its response.
func (s *Server) execute(c *fiber.Ctx, request *idempotency.Request, handle fiber.Handler) error {
	ctx := context.WithoutCancel(c.UserContext())
	ended := false
	report := func(err error) {
		ended = true
		if err != nil { // the lock expires on its own
			s.opt.Log.Warn("a response could not be stored", "request_id", idOf(c.Context()),
				"error", err)
		}
	}
	defer func() {
		if !ended { // after a problem or a panic
			report(request.Release(ctx))
		}
	}()
	if err := handle(c); err != nil {
		return err
	}
	r := c.Response()
	// A body with a content coding is not stored because the next client may not accept the coding.
	if r.StatusCode()/100 != 2 || r.IsBodyStream() || len(r.Header.ContentEncoding()) > 0 {
		return nil
	}
	a := idempotency.Response{Status: r.StatusCode(), Header: map[string]string{}, Body: r.Body()}
	for _, name := range storedHeaders {
		if value := r.Header.Peek(name); len(value) > 0 {
			a.Header[name] = string(value)
		}
	}
	report(request.Finish(ctx, a))
	return nil
}

// keyOwner returns the owner of POST /api/keys requests: the JWT subject or, without a JWT, the
// quota key of the client address. A client may send an API key that has expired, so the key is not
// the owner.
func (s *Server) keyOwner(c *fiber.Ctx) (string, error) {
	if len(c.Request().Header.Peek(fiber.HeaderAuthorization)) == 0 {
		pass, err := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, "").Caller, 0)
		if err != nil {
			return "", err
		}
		return pass.QuotaKey, nil
	}
	claims, err := s.verifyJWT(c)
	return "subject " + claims.Subject, err
}
