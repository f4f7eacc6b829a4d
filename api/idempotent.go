package api

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/api/idempotency"
	"slipstick/keys"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	// headerReplayed is true in an answer that was stored for an earlier request.
	headerReplayed = "Idempotent-Replayed"
)

// Lengths in characters of an Idempotency-Key. A short one could be that of another client behind
// the same address.
const minIdempotencyKey, maxIdempotencyKey = 16, 128

// retryInProgress is the Retry-After of a request that is in progress.
const retryInProgress = 2 * time.Second

// storedHeaders are the headers of a stored answer. Those of limits and of the request id belong to
// each request.
var storedHeaders = []string{
	fiber.HeaderContentType, fiber.HeaderCacheControl, fiber.HeaderLocation, fiber.HeaderRetryAfter,
	"Preference-Applied",
}

// idempotent wraps a handler: requests of one owner with the same Idempotency-Key have the effect
// of one, and the same answer for 24 h. Only answers without a problem are stored, up to 64 KiB;
// after others the request is executed again.
func (s *Server) idempotent(
	owner func(*fiber.Ctx) (string, error), handle fiber.Handler,
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
		who, err := owner(c)
		if err != nil {
			return err
		}
		content := c.Method() + " " + c.OriginalURL() + "\n" + c.Get(fiber.HeaderAccept) + "\n" +
			string(c.Request().Body())
		request, stored, err := s.opt.Idempotency.Begin(c.UserContext(), who, key, content)
		switch {
		case errors.Is(err, idempotency.ErrInProgress):
			return newProblem(keyInProgress, "").retryAfter(retryInProgress)
		case errors.Is(err, idempotency.ErrMismatch):
			return newProblem(keyReused, "")
		case err != nil:
			s.opt.Log.Warn("a stored answer could not be read", "request_id",
				idOf(c.Context()), "error",
				err)
			return newProblem(unavailable, "stored answers cannot be reached").retryAfter(
				retryUnavailable)
		case stored != nil:
			return replay(c, stored)
		}
		return s.execute(c, request, handle)
	}
}

// idempotencyKey returns the key of a request, "" for none. The draft makes it a quoted string; a
// bare one is common.
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
		f := invalidQuery(
			headerIdempotencyKey,
			"must be one text of 16 to 128 visible ASCII characters without quotes and backslashes, such as a UUID",
		)
		return "", f
	}
	return key, nil
}

// replay writes a stored answer.
func replay(c *fiber.Ctx, a *idempotency.Answer) error {
	for name, value := range a.Header {
		c.Set(name, value)
	}
	c.Set(headerReplayed, "true")
	c.Status(a.Status)
	c.Response().SetBodyRaw(a.Body)
	return nil
}

// execute handles a request that has begun, and stores its answer.
func (s *Server) execute(c *fiber.Ctx, request *idempotency.Request, handle fiber.Handler) error {
	ctx := context.WithoutCancel(c.UserContext())
	ended := false
	report := func(err error) {
		ended = true
		if err != nil { // the lock expires by itself
			s.opt.Log.Warn("an answer could not be stored", "request_id", idOf(c.Context()),
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
	// A body in a content coding is not stored: the next client may not accept it.
	if r.StatusCode()/100 != 2 || r.IsBodyStream() || len(r.Header.ContentEncoding()) > 0 {
		return nil
	}
	a := idempotency.Answer{Status: r.StatusCode(), Header: map[string]string{}, Body: r.Body()}
	for _, name := range storedHeaders {
		if value := r.Header.Peek(name); len(value) > 0 {
			a.Header[name] = string(value)
		}
	}
	report(request.Finish(ctx, a))
	return nil
}

// keyOwner names the sender of POST /api/keys: the subject of the JWT, else the address.
func (s *Server) keyOwner(c *fiber.Ctx) (string, error) {
	if len(c.Request().Header.Peek(fiber.HeaderAuthorization)) == 0 {
		return "address " + keys.ClientPrefix(s.clientAddress(c.Context())).String(), nil
	}
	who, err := s.verifyJWT(c)
	return "subject " + who.Subject, err
}
