package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/netip"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/call"
	"slipstick/keys"
)

// headerPageToken carries the page's token.
const headerPageToken = "X-Page-Token"

// pageHeavy is how many heavy jobs the page may have unfinished for one address.
const pageHeavy = 2

// The page computes without the daily limit. So that this is not a way round it, its requests
// must come from a page of this origin, as browsers vouch, carry the token that was put into the
// page for the same address within the last two hours, and keep to a burst of their own.

// pageToken is what a page that is sent now shows when it computes.
func (s *Server) pageToken(c *fiber.Ctx) string {
	return s.tokenAt(s.clientAddress(c.Context()), hourOf(s.opt.Now()))
}

func hourOf(t time.Time) int64 { return t.Unix() / 3600 }

// tokenAt is the token of an address and an hour.
func (s *Server) tokenAt(a netip.Addr, hour int64) string {
	mac := hmac.New(sha256.New, s.opt.PageSecret)
	_, _ = mac.Write(binary.BigEndian.AppendUint64([]byte("page token\x00"), uint64(hour)))
	_, _ = mac.Write([]byte(keys.PrefixKey(a)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// admitPage lets a computation of the page in. token is what the page showed, in its header or,
// where scripts are off, in its form.
func (s *Server) admitPage(c *fiber.Ctx, token string) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service; use POST /api/{tool} instead, which needs no page")
	}
	a, hour := s.clientAddress(c.Context()), hourOf(s.opt.Now())
	current := hmac.Equal([]byte(token), []byte(s.tokenAt(a, hour)))
	before := hmac.Equal([]byte(token), []byte(s.tokenAt(a, hour-1)))
	if !current && !before {
		return newProblem(pageOnly, "the page is too old or was loaded from another address; load it again")
	}
	return s.checkRate(s.limiters.page, a, "computations of the page")
}

// pageCaller is the page at an address, whose calls are not counted.
func (s *Server) pageCaller(c *fiber.Ctx) call.Caller {
	who := s.caller(c, "")
	who.Quota = &call.Exempt{
		Tier: keys.Anonymous, QuotaKey: s.pageQuotaKey(c), Group: "address:" + keys.PrefixKey(who.Address),
		MaxInFlight: pageHeavy,
	}
	return who
}

// pageQuotaKey names the account of the page at an address.
func (s *Server) pageQuotaKey(c *fiber.Ctx) string {
	return "page:" + keys.PrefixKey(s.clientAddress(c.Context()))
}

// sameOrigin reports whether a browser says that a page of ours sent the request. Browsers send
// Sec-Fetch-Site everywhere but over plain HTTP, where the Origin has to do.
func sameOrigin(c *fiber.Ctx) bool {
	if site := c.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(c.Get(fiber.HeaderOrigin))
	return err == nil && origin.Host != "" && origin.Host == string(c.Context().Host())
}

// runForPage computes for the page: POST /ui/run/{tool}. It answers as POST /api/{tool} does.
func (s *Server) runForPage(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	if err := s.admitPage(c, c.Get(headerPageToken)); err != nil {
		return err
	}
	return s.run(c, tool, s.pageCaller(c), call.Options{Interactive: true})
}

// freshToken gives a page that stayed open a new token: GET /ui/token.
func (s *Server) freshToken(c *fiber.Ctx) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service")
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, map[string]string{"token": s.pageToken(c)})
}

// jobForPage tells the page where a job stands: GET /ui/jobs/{id}.
func (s *Server) jobForPage(c *fiber.Ctx) error { return s.answerJob(c, s.pageQuotaKey(c)) }

// cancelForPage takes the page at this address from a job, which stops when that was its last
// caller: DELETE /ui/jobs/{id}.
func (s *Server) cancelForPage(c *fiber.Ctx) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service")
	}
	return s.cancel(c, s.pageQuotaKey(c))
}

// stopEarlyForPage ends a running job with the best it has: POST /ui/jobs/{id}/enough. Only a job that
// nobody but the page at this address waits for: others were promised the whole of it.
func (s *Server) stopEarlyForPage(c *fiber.Ctx) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service")
	}
	job, err := s.jobAt(c, s.pageQuotaKey(c))
	if err != nil {
		return err
	}
	who := s.pageQuotaKey(c)
	tool, err := s.opt.Catalog.Find(job.Tool)
	if err != nil || tool.Heavy == nil || !tool.Heavy.SupportsEarlyStop {
		return newProblem(badRequest, "%s has no result before its end", job.Tool)
	}
	if job.State.Finished() {
		return s.writeJob(c, job, s.warnings(c, job.ID, who))
	}
	asked, err := s.opt.Queue.StopEarly(c.UserContext(), job.ID, who)
	if err != nil {
		return err
	}
	if !asked {
		return newProblem(notYourJob, "the job has not begun, was submitted from another address, or somebody else waits for it too")
	}
	return s.writeJob(c, job, s.warnings(c, job.ID, who))
}

func (s *Server) uiRoutes() {
	s.app.Get("/ui/token", s.freshToken)
	s.app.Post("/ui/run/:tool", s.runForPage)
	s.app.Get("/ui/jobs/:id", s.jobForPage)
	s.app.Get("/ui/jobs/:id/events", s.jobEvents)
	s.app.Delete("/ui/jobs/:id", s.cancelForPage)
	s.app.Post("/ui/jobs/:id/enough", s.stopEarlyForPage)
}
