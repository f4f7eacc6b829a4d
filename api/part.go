package api

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/internal/rawjson"
	"slipstick/result"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// getPart handles GET /api/jobs/{id}/{path}, and GET /api/jobs/{id} with a parameter of package
// result. It returns a part of the result, such as nets, files/board.gtl or plot.png. For an
// unfinished job it responds as POST /api/{tool} does, and for a failed job with the problem.
func (s *Server) getPart(c *fiber.Ctx) error {
	credential := strings.Clone(c.Get(headerKey))
	if err := s.checkRateUnlessPaid(c, s.limiters.reads, "requests for parts of results",
		credential); err != nil {
		return err
	}
	uri := c.Context().URI()
	_, path, _ := strings.Cut(strings.TrimPrefix(string(uri.PathOriginal()), jobPath("")), "/")
	steps, query, err := result.ReadPart(path, string(uri.QueryString()))
	if err != nil {
		return newProblem(badRequest, "%s", err)
	}
	quotaKey := s.quotaKey(c, credential)
	job, err := s.jobAt(c, quotaKey)
	if err != nil {
		return err
	}
	if f := problemFromJob(job); f != nil {
		return f
	}
	if !job.State.Finished() {
		return s.accepted(c, job, nil)
	}
	raw, release, err := job.Outcome.Read(c.UserContext(), s.readerOf(c))
	defer release()
	if err != nil {
		return err
	}
	raw = tools.AppendWarnings(raw, s.warnings(c, job.ID, quotaKey))
	var output *schema.Node
	title := job.Tool
	if e, err := s.opt.Catalog.FindQueued(job.Tool); err == nil {
		output, title = e.Output, e.Title
	}
	var part []byte
	if n := len(steps); n > 0 && result.IsPicture(steps[n-1]) {
		c.Type("png")
		part, err = result.Picture(title, output, raw, steps, query)
	} else if part, err = result.Select(output, raw, steps, query, jobPath(job.ID)); err == nil {
		if part[0] == '"' {
			part = []byte(rawjson.Unquote(part))
			c.Response().Header.SetContentType("text/plain; charset=utf-8")
		} else {
			c.Response().Header.SetContentTypeBytes(jsonMediaType)
		}
	}
	var invalid *result.QueryError
	switch {
	case errors.As(err, &invalid):
		return newProblem(badRequest, "%s", err)
	case errors.Is(err, result.ErrNoPart):
		return newProblem(notFound, "%s", err)
	case err != nil:
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return s.sendCounted(c, part)
}
