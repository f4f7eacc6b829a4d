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

// headerPageToken is the header that carries the page token.
const headerPageToken = "X-Page-Token"

// pageHeavy is the maximum number of unfinished jobs of the page per address.
const pageHeavy = 2

// The page has no daily limit. Three rules prevent a bypass of the API limit. The browser headers
// must declare a same-origin request. The token must have been issued to the same address within
// the last two hours. A rate limit applies to the page alone.

// pageToken returns the token for a page that is served in the current hour.
func (s *Server) pageToken(c *fiber.Ctx) string {
	return s.tokenAt(s.clientAddress(c.Context()), hourOf(s.opt.Now()))
}

func hourOf(t time.Time) int64 { return t.Unix() / 3600 }

// tokenAt returns the page token for an address in the given hour since the Unix epoch.
func (s *Server) tokenAt(a netip.Addr, hour int64) string {
	mac := hmac.New(sha256.New, s.opt.PageSecret)
	_, _ = mac.Write(binary.BigEndian.AppendUint64([]byte("page token\x00"), uint64(hour)))
	_, _ = mac.Write([]byte(keys.PrefixKey(a)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// admitPage checks the origin, token and rate of a computation requested by the page. token comes
// from the header or the form.
func (s *Server) admitPage(c *fiber.Ctx, token string) error {
	if !sameOrigin(c) {
		return newProblem(
			pageOnly,
			"the request does not come from a page of this service; use POST /api/{tool} instead, which needs no page",
		)
	}
	a, hour := s.clientAddress(c.Context()), hourOf(s.opt.Now())
	current := hmac.Equal([]byte(token), []byte(s.tokenAt(a, hour)))
	before := hmac.Equal([]byte(token), []byte(s.tokenAt(a, hour-1)))
	if !current && !before {
		return newProblem(pageOnly,
			"the page is too old or was loaded from another address; load it again")
	}
	return s.checkRate(s.limiters.page, a, "computations of the page")
}

// pageCaller returns the caller for the page at an address. It has no daily quota.
func (s *Server) pageCaller(c *fiber.Ctx) call.Caller {
	caller := s.caller(c, "")
	caller.Quota = s.pageQuota(c)
	return caller
}

// pageQuota returns the quota reservation for calls of the page at an address.
func (s *Server) pageQuota(c *fiber.Ctx) *call.Exempt {
	return &call.Exempt{
		Tier: keys.Anonymous, QuotaKey: s.pageQuotaKey(c), MaxInFlight: pageHeavy,
		Group: "address:" + keys.PrefixKey(s.clientAddress(c.Context())),
	}
}

// pageQuotaKey returns the quota key of the page at an address.
func (s *Server) pageQuotaKey(c *fiber.Ctx) string {
	return "page:" + keys.PrefixKey(s.clientAddress(c.Context()))
}

// sameOrigin reports whether the browser declares a same-origin request. Browsers omit
// Sec-Fetch-Site over plain HTTP; sameOrigin then compares the Origin with the host.
func sameOrigin(c *fiber.Ctx) bool {
	if site := c.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(c.Get(fiber.HeaderOrigin))
	return err == nil && origin.Host != "" && origin.Host == string(c.Context().Host())
}

// runForPage handles POST /ui/run/{tool}. It responds as POST /api/{tool} does.
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

// freshToken handles GET /ui/token: it returns a new token for a page that has been open for a long
// time.
func (s *Server) freshToken(c *fiber.Ctx) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service")
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, map[string]string{"token": s.pageToken(c)})
}

// jobForPage handles GET /ui/jobs/{id}.
func (s *Server) jobForPage(c *fiber.Ctx) error { return s.showJob(c, s.pageQuotaKey(c)) }

// cancelForPage handles DELETE /ui/jobs/{id}. It detaches the page at this address from a job. The
// job stops when it has no callers.
func (s *Server) cancelForPage(c *fiber.Ctx) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service")
	}
	return s.cancel(c, s.pageQuotaKey(c))
}

// stopEarlyForPage handles POST /ui/jobs/{id}/stop-early. It ends a running job with its best
// result so far. The page must be the only caller because other callers expect the complete result.
func (s *Server) stopEarlyForPage(c *fiber.Ctx) error {
	if !sameOrigin(c) {
		return newProblem(pageOnly, "the request does not come from a page of this service")
	}
	quotaKey := s.pageQuotaKey(c)
	job, err := s.jobAt(c, quotaKey)
	if err != nil {
		return err
	}
	tool, err := s.opt.Catalog.Find(job.Tool)
	if err != nil || tool.Heavy == nil || !tool.Heavy.SupportsEarlyStop {
		return newProblem(badRequest, "%s has no result before its end", job.Tool)
	}
	if job.State.Finished() {
		return s.writeJob(c, job, s.warnings(c, job.ID, quotaKey))
	}
	asked, err := s.opt.Queue.StopEarly(c.UserContext(), job.ID, quotaKey)
	if err != nil {
		return err
	}
	if !asked {
		return newProblem(notYourJob,
			"the job has not begun, was submitted from another address, or somebody else waits for it too")
	}
	return s.writeJob(c, job, s.warnings(c, job.ID, quotaKey))
}

func (s *Server) uiRoutes() {
	s.app.Get("/ui/token", s.freshToken)
	s.app.Post("/ui/run/:tool", s.runForPage)
	s.app.Get("/ui/jobs/:id", s.jobForPage)
	s.app.Get("/ui/jobs/:id/events", s.jobEventsForPage)
	s.app.Delete("/ui/jobs/:id", s.cancelForPage)
	s.app.Post("/ui/jobs/:id/stop-early", s.stopEarlyForPage)
	s.app.Post("/ui/batches", s.createBatchForPage)
	s.app.Get("/ui/batches/:id", s.batchForPage)
	s.app.Get("/ui/batches/:id/results", s.rowsForPage)
	s.app.Get("/ui/batches/:id/events", s.batchEventsForPage)
	s.app.Get("/ui/batches/:id/runs/:index", s.batchRunForPage)
	s.app.Delete("/ui/batches/:id", s.cancelBatchForPage)
}
