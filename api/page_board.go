package api

import (
	"net/url"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/web"
	"slipstick/worker"
)

// boardRoutes registers the routes of the board page.
func (s *Server) boardRoutes() {
	s.app.Get("/board", s.boardPage)
	s.app.Post("/board", s.boardForm)
	s.app.Get("/board/examples/:name", s.boardExample)
	s.app.Get("/board/files/:id/:name", s.boardFile)
}

// isBoard reports whether a job belongs to the board page.
func (s *Server) isBoard(c *fiber.Ctx, id string) bool {
	if s.opt.Queue == nil {
		return false
	}
	job, err := s.opt.Queue.Get(c.UserContext(), strings.Clone(id), s.pageQuotaKey(c))
	return err == nil && job.Tool == web.BoardTool
}

// boardPage handles GET /board. It shows the values in the query, an example, or the board of a
// job.
func (s *Server) boardPage(c *fiber.Ctx) error {
	v := web.Query(string(c.Request().URI().QueryString()))
	if x, ok := s.site.BoardExample(v["example"]); ok {
		v = x
	}
	id := v["job"]
	delete(v, "job")
	if len(id) != 32 || strings.Trim(id, hexDigits) != "" {
		return s.writeBoardPage(c, v, nil, nil)
	}
	shown := &web.BoardJob{ID: id}
	if s.opt.Queue == nil {
		shown.Problem = noQueue().sentence()
	} else if job, err := s.opt.Queue.Get(c.UserContext(), id, s.pageQuotaKey(c)); err != nil {
		shown.Problem = toProblem(err).sentence()
	} else {
		release, err := s.fillBoardJob(c, shown, job)
		if err != nil {
			shown.Problem = toProblem(err).sentence()
		}
		defer release()
	}
	return s.writeBoardPage(c, v, nil, shown)
}

func (s *Server) writeBoardPage(
	c *fiber.Ctx, v web.Values, mistakes []web.FieldError, job *web.BoardJob,
) error {
	return s.html(c, func(r web.Request) ([]byte, error) {
		return s.site.Board(r, v, mistakes, job)
	})
}

// fillBoardJob copies the state of a job into shown. The caller must call release, which is never
// nil, after it has written the page.
func (s *Server) fillBoardJob(
	c *fiber.Ctx, shown *web.BoardJob, job worker.Job,
) (release func(), err error) {
	release = func() {}
	shown.Running, shown.Percent, shown.Phase = !job.State.Finished(), int(job.Progress.Percent),
		job.Progress.Phase
	if p := problemFromJob(job); p != nil {
		shown.FieldErrors = p.fieldErrors
		if len(p.fieldErrors) == 0 {
			shown.Problem = p.sentence()
		}
	} else if job.State == worker.Done {
		shown.Result, release, err = job.Outcome.Read(c.UserContext(), s.readerOf(c))
	}
	return release, err
}

// boardExample handles GET /board/examples/{name}: it returns an example as form values.
func (s *Server) boardExample(c *fiber.Ctx) error {
	v, ok := s.site.BoardExample(c.Params("name"))
	if !ok {
		return newProblem(notFound, "there is no such example")
	}
	c.Set(fiber.HeaderCacheControl, "no-cache")
	return writeJSON(c, map[string]string{"query": v.Encode()})
}

// boardForm handles POST /board: a form submitted without JavaScript.
func (s *Server) boardForm(c *fiber.Ctx) error {
	v, token, err := readForm(c)
	if err != nil {
		return err
	}
	add := v["_add"]
	delete(v, "_add")
	if add != "" {
		s.site.AddBoardRow(v, add)
		return s.writeBoardPage(c, v, nil, nil)
	}
	fail := func(err error) error {
		job := &web.BoardJob{}
		job.FieldErrors, job.Problem = s.describeError(c, err)
		return s.writeBoardPage(c, v, nil, job)
	}
	if err := s.admitPage(c, token); err != nil {
		return fail(err)
	}
	body, mistakes := s.site.BoardBody(v)
	if len(mistakes) > 0 {
		c.Status(fiber.StatusBadRequest)
		return s.writeBoardPage(c, v, mistakes, nil)
	}
	result, err := s.runForm(c, web.BoardTool, body, formWait)
	if err != nil {
		return fail(err)
	}
	job := result.Job
	if !job.State.Finished() {
		return c.Redirect("/board?job="+url.QueryEscape(job.ID), fiber.StatusSeeOther)
	}
	shown := &web.BoardJob{ID: job.ID}
	release, err := s.fillBoardJob(c, shown, *job)
	defer release()
	if err != nil {
		return fail(err)
	}
	return s.writeBoardPage(c, v, nil, shown)
}

// boardFile handles GET /board/files/{id}/{name}: a file of a finished board, or an archive of all
// files. Browsers display images in a sandbox and download other files.
func (s *Server) boardFile(c *fiber.Ctx) error {
	job, err := s.jobAt(c, s.pageQuotaKey(c))
	if err != nil {
		return err
	}
	if job.Tool != web.BoardTool || job.State != worker.Done {
		return newProblem(notFound, "the job has no files")
	}
	name, err := url.PathUnescape(c.Params("name"))
	if err != nil {
		return newProblem(notFound, "there is no such file")
	}
	raw, release, err := job.Outcome.Read(c.UserContext(), s.readerOf(c))
	if err != nil {
		return err
	}
	defer release()
	content, stem, err := web.BoardFile(raw, name)
	if err != nil {
		return newProblem(notFound, "there is no such file")
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=600")
	switch {
	case stem != "":
		c.Attachment(stem + ".zip")
		c.Set(fiber.HeaderContentType, "application/zip")
	case path.Ext(name) == ".svg" && c.Query("save") == "":
		c.Set(fiber.HeaderContentSecurityPolicy,
			"default-src 'none'; style-src 'unsafe-inline'; sandbox")
		c.Set(fiber.HeaderContentType, "image/svg+xml")
	default:
		c.Attachment(name)
		c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
	}
	return s.sendCounted(c, content)
}
