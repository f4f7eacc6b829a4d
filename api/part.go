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

const (
	pngMediaType  = "image/png"
	textMediaType = "text/plain; charset=utf-8"
)

// getPart handles GET /api/jobs/{id}/{path}, and GET /api/jobs/{id} with a parameter of package
// result. It returns a part of the result, such as nets, files/board.gtl or plot.png. For an
// unfinished job it responds as POST /api/{tool} does, and for a failed job with the problem.
func (s *Server) getPart(c *fiber.Ctx) error {
	apiKey := strings.Clone(c.Get(headerKey))
	if err := s.checkRateUnlessPaid(c, s.limiters.reads, "requests for parts of results",
		apiKey); err != nil {
		return err
	}
	uri := c.Context().URI()
	_, path, _ := strings.Cut(strings.TrimPrefix(string(uri.PathOriginal()), jobPath("")), "/")
	steps, query, err := result.ReadPart(path, string(uri.QueryString()))
	if err != nil {
		return newProblem(badRequest, "%s", err)
	}
	quotaKey := s.quotaKey(c, apiKey)
	job, err := s.jobAt(c, quotaKey)
	if err != nil {
		return err
	}
	if p := problemFromJob(job); p != nil {
		return p
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
	find := func(steps []string) (part []byte, mediaType string, err error) {
		if n := len(steps); n > 0 && result.IsPicture(steps[n-1]) {
			part, err = result.Picture(title, output, raw, steps, query)
			return part, pngMediaType, err
		}
		part, err = result.Select(output, raw, steps, query, jobPath(job.ID))
		if err == nil && part[0] == '"' {
			return []byte(rawjson.Unquote(part)), textMediaType, nil
		}
		return part, string(jsonMediaType), err
	}
	part, mediaType, err := find(steps)
	if errors.Is(err, result.ErrNoPart) && len(steps) == 1 && strings.Contains(steps[0], "/") {
		// Clients generated from the OpenAPI document encode the slashes of a path parameter.
		part, mediaType, err = find(strings.Split(steps[0], "/"))
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
	c.Response().Header.SetContentType(mediaType)
	return s.sendCounted(c, part)
}
