package api

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"slipstick/batch"
	"slipstick/call"
	"slipstick/keys"
	"slipstick/tools"
)

// Limits of batches that the page creates. The page has no daily quota, so its batches are small
// and take tokens from the bucket of its rate limit.
const (
	maxPageRuns       = 1000 // runs of a synchronous tool
	maxPageQueuedRuns = 200  // runs of a queued tool
	pageBatchTokens   = 20   // tokens for the largest batch; a smaller batch takes at least 1
	scanRuns          = 33   // default number of points in mode solve
	runsPerScan       = 3    // approximate number of runs per scan point, including refinement
)

// pageRuns returns the number of runs of a plan that counts against the limits of the page. A goal
// seek rarely needs its default maximum number of runs, so pageRuns uses a typical number.
func pageRuns(p *batch.Plan) int {
	if p.Request.Mode != batch.Solve || p.Request.N != nil {
		return p.Runs()
	}
	if points := p.Request.Vary[0].Points; points != nil {
		return runsPerScan * *points
	}
	return runsPerScan * scanRuns
}

// createBatchForPage handles POST /ui/batches. It acts as POST /api/batches without a quota.
func (s *Server) createBatchForPage(c *fiber.Ctx) error {
	if s.opt.Batches == nil {
		return noBatches()
	}
	if err := s.admitPage(c, c.Get(headerPageToken)); err != nil {
		return err
	}
	if err := checkMediaType(c); err != nil {
		return err
	}
	body := s.interactiveBatch(bytes.Clone(c.Request().Body()))
	p, err := s.opt.Batches.Plan(body)
	if err != nil {
		return err
	}
	limit := maxPageRuns
	if p.Tool.Heavy != nil {
		limit = maxPageQueuedRuns
	}
	runs := pageRuns(p)
	if runs > limit {
		return tools.Invalid("vary", "gives %d runs; a page runs at most %d of %s. POST /api/batches and \"slipstick batch\" run more", runs, limit, p.Tool.Name)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	if p.Request.DryRun {
		return writeDryRun(c, p)
	}
	for range pageBatchTokens * runs / limit {
		if err := s.checkRate(s.limiters.page, s.clientAddress(c.Context()),
			"computations of the page"); err != nil {
			return err
		}
	}
	b, err := s.opt.Batches.CreateReserved(c.UserContext(), (*keys.Reservation)(s.pageQuota(c)), p,
		body)
	if err != nil {
		return err
	}
	c.Status(fiber.StatusAccepted)
	return writeJSON(c, b)
}

// interactiveBatch returns the body of a batch request with the input fields that the page adds to
// every call.
func (s *Server) interactiveBatch(body []byte) []byte {
	var fields map[string]json.RawMessage
	var name string
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields["tool"], &name) != nil {
		return body
	}
	tool, err := s.opt.Catalog.Find(name)
	if err != nil || fields["input"] == nil {
		return body
	}
	fields["input"] = tool.InteractiveInput(fields["input"])
	if with, err := json.Marshal(fields); err == nil {
		return with
	}
	return body
}

// pageBatch returns the batch id in the path. It rejects requests that are not same-origin.
func (s *Server) pageBatch(c *fiber.Ctx) (string, error) {
	switch {
	case s.opt.Batches == nil:
		return "", noBatches()
	case !sameOrigin(c):
		return "", newProblem(pageOnly, "the request does not come from a page of this service")
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return strings.Clone(c.Params("id")), nil
}

// batchForPage handles GET /ui/batches/{id}.
func (s *Server) batchForPage(c *fiber.Ctx) error {
	id, err := s.pageBatch(c)
	if err != nil {
		return err
	}
	b, err := s.opt.Batches.Get(c.UserContext(), id, s.pageQuotaKey(c))
	if err != nil {
		return err
	}
	return writeJSON(c, b)
}

// rowsForPage handles GET /ui/batches/{id}/results: it returns all rows before the first missing
// row.
func (s *Server) rowsForPage(c *fiber.Ctx) error {
	id, err := s.pageBatch(c)
	if err != nil {
		return err
	}
	page, err := s.opt.Batches.Rows(c.UserContext(), id, s.pageQuotaKey(c), 0, maxBatchRows, false)
	if err != nil {
		return err
	}
	return writeJSON(c, page.Plan.Columns(page.Rows, page.Total))
}

// cancelBatchForPage handles DELETE /ui/batches/{id}.
func (s *Server) cancelBatchForPage(c *fiber.Ctx) error {
	id, err := s.pageBatch(c)
	if err != nil {
		return err
	}
	b, err := s.opt.Batches.Cancel(c.UserContext(), id, s.pageQuotaKey(c))
	if err != nil {
		return err
	}
	return writeJSON(c, b)
}

// batchRunForPage handles GET /ui/batches/{id}/runs/{index}: it computes a run again.
func (s *Server) batchRunForPage(c *fiber.Ctx) error {
	id, err := s.pageBatch(c)
	if err != nil {
		return err
	}
	index, err := strconv.Atoi(c.Params("index"))
	if err != nil {
		return newProblem(batchNotFound, "the index of a run is an integer")
	}
	if err := s.admitPage(c, c.Get(headerPageToken)); err != nil {
		return err
	}
	tool, input, err := s.opt.Batches.RunInput(c.UserContext(), id, s.pageQuotaKey(c), index)
	if err != nil {
		return err
	}
	o := call.Options{Wait: s.opt.Wait, Waiting: watch(c), Respond: func(r *call.Result) error {
		if r.Job == nil {
			return s.envelopes[tool.Name].write(c, r.JSON, s.opt.Now())
		}
		return s.respond(c, r.Job, r.Warnings)
	}}
	_, err = s.calls.Run(c.UserContext(), s.pageCaller(c), tool, input, o)
	return lostBeforeDelivery(err)
}
