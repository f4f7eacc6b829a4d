package api

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/web"
)

// spiceRoutes registers the routes of the simulator page.
func (s *Server) spiceRoutes() {
	s.app.Get("/spice", s.spicePage)
	s.app.Post("/spice", s.spiceForm)
	s.app.Get("/spice/examples/:name", s.spiceExample)
}

// spicePage handles GET /spice. It shows the netlist in the query, the named example, or the first
// example.
func (s *Server) spicePage(c *fiber.Ctx) error {
	v := web.Query(string(c.Request().URI().QueryString()))
	if text, ok := s.site.NetlistExample(v["example"]); ok {
		v["netlist"] = text
	}
	return s.html(c, func(r web.Request) ([]byte, error) { return s.site.Spice(r, v, nil, nil) })
}

// spiceExample handles GET /spice/examples/{name}: it returns the text of an example.
func (s *Server) spiceExample(c *fiber.Ctx) error {
	text, ok := s.site.NetlistExample(strings.TrimSuffix(c.Params("name"), ".cir"))
	if !ok {
		return newProblem(notFound, "there is no such example")
	}
	c.Set(fiber.HeaderCacheControl, "no-cache")
	return c.Type("txt", "utf-8").SendString(text)
}

// spiceForm handles POST /spice: a form submitted without JavaScript.
func (s *Server) spiceForm(c *fiber.Ctx) error {
	v, token, err := readForm(c)
	if err != nil {
		return err
	}
	show := func(mistakes []web.FieldError, out *web.Outcome) error {
		return s.html(c, func(r web.Request) ([]byte, error) {
			return s.site.Spice(r, v, mistakes, out)
		})
	}
	if err := s.admitPage(c, token); err != nil {
		return show(nil, s.errorOutcome(c, err))
	}
	body, mistakes := s.site.SpiceBody(v)
	if len(mistakes) > 0 {
		c.Status(fiber.StatusBadRequest)
		return show(mistakes, nil)
	}
	result, err := s.runForm(c, web.SpiceTool, body, formWait)
	if err != nil {
		return show(nil, s.errorOutcome(c, err))
	}
	job := result.Job
	if !job.State.Finished() {
		return c.Redirect("/jobs/"+url.PathEscape(job.ID), fiber.StatusSeeOther)
	}
	raw, release, err := job.Outcome.Read(c.UserContext(), s.readerOf(c))
	if err != nil {
		return show(nil, s.errorOutcome(c, err))
	}
	defer release()
	return show(nil, &web.Outcome{Result: raw})
}
