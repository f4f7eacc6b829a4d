package api

import (
	"mime"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/call"
	"slipstick/tools/schema"
	"slipstick/web"
)

// formWait is the maximum time that a form without JavaScript waits for its job. The response then
// redirects to the page of the job.
const formWait = 20 * time.Second

// readForm returns the values and the page token of a form that was submitted without JavaScript.
func readForm(c *fiber.Ctx) (v web.Values, token string, err error) {
	media, _, _ := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if media != fiber.MIMEApplicationForm {
		return nil, "", newProblem(wrongMediaType, "send the form as %s", fiber.MIMEApplicationForm)
	}
	v = web.Query(string(c.Request().Body()))
	token = v["_token"]
	delete(v, "_token")
	return v, token, nil
}

// runForm calls the tool of a form. It waits for the job for at most wait; the job continues after
// that.
func (s *Server) runForm(
	c *fiber.Ctx, name string, body []byte, wait time.Duration,
) (*call.Result, error) {
	tool, err := s.opt.Catalog.Find(name)
	if err != nil {
		return nil, err
	}
	return s.calls.Run(c.UserContext(), s.pageCaller(c), tool.Tool, body, call.Options{
		Interactive: true, Wait: min(wait, s.opt.Wait), Detached: true, Waiting: watch(c),
	})
}

// describeError sets the HTTP status of an error. It returns the invalid fields or, if there are
// none, a sentence for the page.
func (s *Server) describeError(
	c *fiber.Ctx, err error,
) (fields []schema.FieldError, sentence string) {
	p := s.logProblem(c.Context(), err)
	c.Status(p.status)
	if len(p.fieldErrors) > 0 {
		return p.fieldErrors, ""
	}
	return nil, p.sentenceFor(c)
}

// errorOutcome returns the error in the form that a tool's page displays.
func (s *Server) errorOutcome(c *fiber.Ctx, err error) *web.Outcome {
	fields, sentence := s.describeError(c, err)
	return &web.Outcome{FieldErrors: fields, Problem: sentence}
}
