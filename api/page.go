package api

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/internal/text"
	"slipstick/tools"
	"slipstick/web"
)

// pageRoutes registers the pages. It must run last because /:category matches any path of one
// segment.
func (s *Server) pageRoutes() {
	s.app.Get("/", s.home)
	s.app.Get("/static/*", func(c *fiber.Ctx) error { return s.static(c, c.Params("*")) })
	s.app.Get("/favicon.ico", func(c *fiber.Ctx) error { return s.static(c, "icon.svg") })
	s.app.Get("/preview/:tool.png", s.cardImage)
	s.app.Get("/t/:tool", s.toolPage)
	s.app.Post("/t/:tool", s.toolForm)
	for path, name := range map[string]string{"/chain": "chain", "/notebook": "notebook",
		"/keys": "keys", "/docs": "docs", "/mcp/setup": "mcp", "/about": "about"} {
		s.app.Get(path, func(c *fiber.Ctx) error {
			return s.html(c, func(r web.Request) ([]byte, error) { return s.site.Simple(r, name) })
		})
	}
	s.spiceRoutes()
	s.boardRoutes()
	s.app.Get("/jobs/:id", s.jobPage)
	s.app.Get("/ui/tool/:tool", s.fieldsForPage)
	s.app.Post("/ui/sweep/:tool", s.sweepForPage)
	s.app.Get("/:category", s.category)
}

// html writes the page that make returns for this request.
func (s *Server) html(c *fiber.Ctx, make func(web.Request) ([]byte, error)) error {
	return s.htmlFor(c, web.Request{Base: c.BaseURL(), Token: s.pageToken(c)}, make)
}

// htmlFor writes the page that make returns for r, with the headers of every page.
func (s *Server) htmlFor(c *fiber.Ctx, r web.Request,
	make func(web.Request) ([]byte, error)) error {
	body, err := make(r)
	if err != nil {
		return err
	}
	h := &c.Response().Header
	h.SetContentType("text/html; charset=utf-8")
	h.Set(fiber.HeaderContentSecurityPolicy, s.site.Policy(r))
	// without this header browsers send "Origin: null" with forms
	h.Set(fiber.HeaderReferrerPolicy, "same-origin")
	h.Set(fiber.HeaderCacheControl, "no-store") // the page contains a token that expires
	h.Add(fiber.HeaderVary, "Accept-Encoding, Accept")
	c.Response().SetBodyRaw(body)
	return nil
}

// home handles GET /. It writes the catalog page, or an index of URLs for clients that accept only
// JSON.
func (s *Server) home(c *fiber.Ctx) error {
	if accept := c.Get(fiber.HeaderAccept); strings.Contains(accept, "json") &&
		!strings.Contains(accept, "text/html") {
		c.Set(fiber.HeaderVary, fiber.HeaderAccept)
		return s.index(c)
	}
	return s.html(c,
		func(r web.Request) ([]byte, error) {
			return s.site.Catalog(r, "", text.Truncate(c.Query("q"), 100))
		})
}

func (s *Server) category(c *fiber.Ctx) error {
	name := c.Params("category")
	if !s.site.HasCategory(name) {
		return s.missingPage(c)
	}
	return s.html(c, func(r web.Request) ([]byte, error) { return s.site.Catalog(r, name, "") })
}

// missingPage writes the response to a path without a page. The page suggests the tools whose names
// resemble the end of the path.
func (s *Server) missingPage(c *fiber.Ctx) error {
	path := c.Path()
	var near []string
	e, err := s.opt.Catalog.Find(path[strings.LastIndexByte(path, '/')+1:])
	var missing *tools.NotFoundError
	if errors.As(err, &missing) {
		near = missing.Nearest
	} else if err == nil {
		near = []string{e.Name}
	}
	return s.writeNotFound(c, "There is no page "+text.Truncate(path, 80), near)
}

// isMissingPage reports whether err is the answer to a browser that loads a path without a route.
func isMissingPage(c *fiber.Ctx, err error) bool {
	var route *fiber.Error
	isRead := c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead
	return errors.As(err, &route) && route.Code == fiber.StatusNotFound && isRead &&
		acceptsHTML(c) && !strings.HasPrefix(c.Path(), "/api/")
}

// acceptsHTML reports whether the client is a browser that loads a page.
func acceptsHTML(c *fiber.Ctx) bool {
	return strings.Contains(c.Get(fiber.HeaderAccept), "text/html")
}

// writeNotFound writes a 404 response: a page for browsers, a problem document for other clients.
func (s *Server) writeNotFound(c *fiber.Ctx, detail string, nearest []string) error {
	if !acceptsHTML(c) {
		return newProblem(notFound, "%s", detail)
	}
	c.Status(fiber.StatusNotFound)
	return s.html(c,
		func(r web.Request) ([]byte, error) {
			return s.site.Problem(r, "Not found", detail, nearest)
		})
}

// static writes a static file of the page.
func (s *Server) static(c *fiber.Ctx, name string) error {
	file, immutable := s.site.Asset(name)
	if file == nil {
		return newProblem(notFound, "there is no such file")
	}
	caching := "no-cache"
	if immutable {
		caching = "public, max-age=31536000, immutable"
	}
	return s.staticFiles[file].send(c, caching)
}

// cardImage handles GET /preview/{tool}.png: the Open Graph image of a tool.
func (s *Server) cardImage(c *fiber.Ctx) error {
	image, err := s.site.CardImage(c.Params("tool"))
	if err != nil {
		return err
	}
	if image == nil {
		return newProblem(notFound, "there is no such file")
	}
	c.Set(fiber.HeaderContentType, "image/png")
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
	// Pages of other sites show the image in link previews.
	c.Response().Header.SetBytesKV(headerResourcePolicy, resourceCrossOrigin)
	return c.Send(image)
}

func (s *Server) toolPage(c *fiber.Ctx) error { return s.writeToolPage(c, c.Params("tool")) }

// writeToolPage writes the page of a tool. Its values come from the query or from the example that
// the query names.
func (s *Server) writeToolPage(c *fiber.Ctx, name string) error {
	t := s.site.Tool(name)
	if t == nil {
		_, err := s.opt.Catalog.Find(name)
		var missing *tools.NotFoundError
		errors.As(err, &missing)
		return s.writeNotFound(c, missing.Error(), missing.Nearest)
	}
	v := web.Query(string(c.Request().URI().QueryString()))
	// A queued tool occupies a worker, so pages of other sites cannot embed it.
	embed := v["embed"] == "1" && !t.Heavy
	delete(v, "embed")
	if n, err := strconv.Atoi(v["example"]); err == nil && n >= 0 && n < len(t.Examples) {
		v = web.Query(t.Examples[n].Query)
	}
	r := web.Request{Base: c.BaseURL(), Token: s.pageToken(c), Embed: embed}
	return s.htmlFor(c, r, func(r web.Request) ([]byte, error) {
		return s.site.ToolPage(r, t, v, nil, nil)
	})
}

// toolForm handles POST /t/{tool}: a form submitted without JavaScript.
func (s *Server) toolForm(c *fiber.Ctx) error {
	t := s.site.Tool(c.Params("tool"))
	if t == nil {
		return s.toolPage(c)
	}
	v, token, err := readForm(c)
	if err != nil {
		return err
	}
	show := func(mistakes []web.FieldError, out *web.Outcome) error {
		return s.html(c,
			func(r web.Request) ([]byte, error) { return s.site.ToolPage(r, t, v, mistakes, out) })
	}
	if add := v["_add"]; add != "" {
		delete(v, "_add")
		v.AddRow(t, add)
		return show(nil, nil)
	}
	if err := s.admitPage(c, token); err != nil {
		return show(nil, s.errorOutcome(c, err))
	}
	body, mistakes := s.site.Body(t, v)
	if len(mistakes) > 0 {
		c.Status(fiber.StatusBadRequest)
		return show(mistakes, &web.Outcome{})
	}
	result, err := s.runForm(c, t.Name, body, 0)
	if err != nil {
		return show(nil, s.errorOutcome(c, err))
	}
	if job := result.Job; job != nil {
		return c.Redirect("/jobs/"+url.PathEscape(job.ID), fiber.StatusSeeOther)
	}
	return show(nil, &web.Outcome{Result: result.JSON})
}

// sentence returns the problem as a sentence for a page.
func (p *problemError) sentence() string {
	detail := p.detail
	if detail == "" {
		detail = p.doc
	}
	if p.retry > 0 {
		detail += "; try again in " + p.retry.Round(time.Second).String()
	}
	return p.title + ": " + detail
}

// sentenceFor returns sentence, with the request id for server errors. The log contains the cause
// under this id.
func (p *problemError) sentenceFor(c *fiber.Ctx) string {
	if p.status < 500 {
		return p.sentence()
	}
	return strings.TrimSuffix(p.sentence(), ".") + ". Request " + idOf(c.Context()) + "."
}

func (s *Server) jobPage(c *fiber.Ctx) error {
	id := c.Params("id")
	if len(id) != 32 || strings.Trim(id, hexDigits) != "" {
		return s.writeNotFound(c, "A job id has 32 digits of 0-9 and a-f", nil)
	}
	if s.isBoard(c, id) {
		return c.Redirect("/board?job="+id, fiber.StatusSeeOther)
	}
	return s.html(c, func(r web.Request) ([]byte, error) { return s.site.Job(r, id) })
}

// fieldsForPage handles GET /ui/tool/{tool}: it returns the fields, the method and the
// sources of a tool for the JavaScript modules.
func (s *Server) fieldsForPage(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	return writeJSON(c, s.site.Tool(tool.Name).Described())
}
