package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools"
	"slipstick/worker"
)

// BatchList is the response of GET /api/batches: the batches without their summaries, newest first.
type BatchList struct {
	Batches []*service.Batch `json:"batches"`
	Count   int              `json:"count"`
}

// BatchRun is the response of GET /api/batches/{id}/runs/{index}.
type BatchRun struct {
	tools.Envelope
	Input json.RawMessage `json:"input"`
}

// BatchRunJob is the 202 response of GET /api/batches/{id}/runs/{index}: the job of an unfinished
// run.
type BatchRunJob struct {
	Job
	Input json.RawMessage `json:"input"`
}

// Limits and media types of batch requests.
const (
	maxBatchRows = 10_000           // rows per page
	dryRunLimit  = 10 * time.Second // time limit for validating all runs
	csvType      = "text/csv"
	ndjsonType   = "application/x-ndjson"
)

func (s *Server) batchRoutes() {
	s.app.Post("/api/batches", s.idempotent(s.batchOwner, s.createBatch))
	s.app.Get("/api/batches", s.listBatches)
	s.app.Get("/api/batches/:id", s.getBatch)
	s.app.Delete("/api/batches/:id", s.cancelBatch)
	s.app.Get("/api/batches/:id/results", s.batchResults)
	s.app.Get("/api/batches/:id/runs/:index", s.batchRun)
	s.app.Get("/api/batches/:id/events", s.batchEvents)
}

// noBatches returns the problem of a server without batch support.
func noBatches() *problemError {
	return newProblem(unavailable, "this server runs no batches").retryAfter(retryUnavailable)
}

// createBatch handles POST /api/batches. With dry_run it only validates the runs.
func (s *Server) createBatch(c *fiber.Ctx) error {
	if s.opt.Batches == nil {
		return noBatches()
	}
	if err := checkMediaType(c); err != nil {
		return err
	}
	apiKey := c.Get(headerKey)
	if err := s.checkQueuedRate(c, apiKey); err != nil {
		return err
	}
	body := bytes.Clone(c.Request().Body())
	p, err := s.opt.Batches.Plan(body)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	if p.Request.DryRun {
		return writeDryRun(c, p)
	}
	b, allowance, err := s.opt.Batches.Create(c.UserContext(), s.caller(c, apiKey).Caller, p,
		body)
	s.setAllowanceHeaders(c.Context(), dailyPolicy, allowance)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderLocation, "/api/batches/"+b.ID)
	c.Status(fiber.StatusAccepted)
	return writeJSON(c, b)
}

// listBatches handles GET /api/batches: it lists the batches of an API key.
func (s *Server) listBatches(c *fiber.Ctx) error {
	if s.opt.Batches == nil {
		return noBatches()
	}
	if c.Get(headerKey) == "" {
		p := newProblem(badKey,
			"listing batches requires an API key; send it in the header %s", headerKey)
		p.challenge = `ApiKey header="` + headerKey + `"`
		return p
	}
	owner, err := s.batchOwner(c)
	if err != nil {
		return err
	}
	all, err := s.opt.Batches.List(c.UserContext(), owner)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, BatchList{all, len(all)})
}

// batchOwner returns the quota key whose batches the request may read. It is the quota key of the
// API key or, without an API key, of the client address.
func (s *Server) batchOwner(c *fiber.Ctx) (string, error) {
	pass, err := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, c.Get(headerKey)).Caller, 0)
	if err != nil {
		return "", err
	}
	return pass.QuotaKey, nil
}

// batchOf returns the batch id in the path and the quota key of the caller.
func (s *Server) batchOf(c *fiber.Ctx) (id, owner string, err error) {
	if s.opt.Batches == nil {
		return "", "", noBatches()
	}
	id = c.Params("id")
	if len(id) != 32 || strings.Trim(id, hexDigits) != "" {
		return "", "", newProblem(batchNotFound, "a batch id has 32 digits of 0-9 and a-f")
	}
	owner, err = s.batchOwner(c)
	return strings.Clone(id), owner, err
}

// writeDryRun writes the validation result of a batch that is not executed.
func writeDryRun(c *fiber.Ctx, p *batch.Plan) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), dryRunLimit)
	defer cancel()
	dry, err := p.Check(ctx)
	if err != nil {
		return err
	}
	return writeJSON(c, dry)
}

// getBatch handles GET /api/batches/{id}: it returns the state of a batch.
func (s *Server) getBatch(c *fiber.Ctx) error { return s.showBatch(c, s.opt.Batches.Get) }

// cancelBatch handles DELETE /api/batches/{id}.
func (s *Server) cancelBatch(c *fiber.Ctx) error { return s.showBatch(c, s.opt.Batches.Cancel) }

func (s *Server) showBatch(c *fiber.Ctx,
	get func(ctx context.Context, id, owner string) (*service.Batch, error)) error {
	id, owner, err := s.batchOf(c)
	if err != nil {
		return err
	}
	b, err := get(c.UserContext(), id, owner)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	if !b.State.Finished() {
		c.Set(fiber.HeaderRetryAfter, seconds(retryJob))
	}
	return writeJSON(c, b)
}

// batchResults handles GET /api/batches/{id}/results: it returns a page of the rows of a batch.
func (s *Server) batchResults(c *fiber.Ctx) error {
	id, owner, err := s.batchOf(c)
	if err != nil {
		return err
	}
	if err := s.checkRateUnlessPaid(c, s.limiters.reads, batchReads,
		c.Get(headerKey)); err != nil {
		return err
	}
	from, limit, partial, err := rowsQuery(c)
	if err != nil {
		return err
	}
	media := c.Accepts(fiber.MIMEApplicationJSON, csvType, ndjsonType)
	if media == "" {
		return newProblem(notAcceptable,
			"rows are application/json, text/csv or application/x-ndjson")
	}
	page, err := s.opt.Batches.Rows(c.UserContext(), id, owner, from, limit, partial)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Vary(fiber.HeaderAccept)
	if n := len(page.Rows.Indexes); n > 0 && page.Rows.Indexes[n-1]+1 < page.Total {
		q := url.Values{
			"from": {strconv.Itoa(page.Rows.Indexes[n-1] + 1)}, "limit": {strconv.Itoa(limit)},
		}
		if partial {
			q.Set("partial", "true")
		}
		setNext(c, "/api/batches/"+id+"/results", q)
	}
	var rows bytes.Buffer
	switch media {
	case csvType:
		err = page.Plan.WriteCSV(&rows, page.Rows, true)
	case ndjsonType:
		err = page.Plan.WriteNDJSON(&rows, page.Rows)
	default:
		columns, err := rawjson.Marshal(page.Plan.Columns(page.Rows, page.Total))
		if err != nil {
			return err
		}
		c.Response().Header.SetContentTypeBytes(jsonMediaType)
		return s.sendCounted(c, columns)
	}
	if err != nil {
		return err
	}
	if media == csvType {
		media += "; charset=utf-8"
	}
	c.Set(fiber.HeaderContentType, media)
	return s.sendCounted(c, rows.Bytes())
}

// batchReads names the events of the rate limit for rows and events of batches.
const batchReads = "requests for results"

// rowsQuery parses the query parameters of a request for rows.
func rowsQuery(c *fiber.Ctx) (from, limit int, partial bool, err error) {
	var errs tools.FieldErrors
	for name := range c.Queries() {
		if !slices.Contains([]string{"from", "limit", "partial"}, name) {
			errs.Add(text.Truncate(name, maxField),
				"is unknown; the parameters are from, limit and partial")
		}
	}
	from = integerParam(&errs, "from", c.Query("from"), 0, 0, batch.MaxRuns)
	limit = integerParam(&errs, "limit", c.Query("limit"), maxBatchRows, 1, maxBatchRows)
	switch raw := c.Query("partial"); raw {
	case "", "false":
	case "true":
		partial = true
	default:
		errs.AddValue("partial", text.Truncate(raw, maxField), "must be true or false")
	}
	return from, limit, partial, errs.Err()
}

// integerParam parses an integer in a query parameter or a header. An empty text yields
// defaultValue. A text that is no integer within the limits adds a field error.
func integerParam(
	errs *tools.FieldErrors, name, raw string, defaultValue, minimum, maximum int,
) int {
	if raw == "" {
		return defaultValue
	}
	n, err := strconv.Atoi(raw)
	if err != nil || n < minimum || n > maximum {
		errs.AddValue(name, text.Truncate(raw, maxField),
			"must be an integer from %d to %d", minimum, maximum)
	}
	return n
}

// batchRun handles GET /api/batches/{id}/runs/{index}: it computes a run again. The request counts
// as a call of the tool.
func (s *Server) batchRun(c *fiber.Ctx) error {
	id, owner, err := s.batchOf(c)
	if err != nil {
		return err
	}
	index, err := strconv.Atoi(c.Params("index"))
	if err != nil {
		return newProblem(batchNotFound, "the index of a run is an integer")
	}
	tool, input, err := s.opt.Batches.RunInput(c.UserContext(), id, owner, index)
	if err != nil {
		return err
	}
	caller, o := s.caller(c, c.Get(headerKey)), call.Options{}
	if tool.Heavy != nil {
		if err := s.checkQueuedRate(c, caller.Key); err != nil {
			return err
		}
		o.Wait, o.Waiting = s.opt.Wait, watch(c)
	}
	o.Respond = func(r *call.Result) error {
		switch {
		case r.Job == nil:
			return s.writeRun(c, tool, r.JSON, input)
		case !r.Job.State.Finished():
			c.Set(fiber.HeaderLocation, jobPath(r.Job.ID))
			c.Set(fiber.HeaderCacheControl, "no-store")
			c.Set(fiber.HeaderRetryAfter, seconds(retryJob))
			c.Status(fiber.StatusAccepted)
			return writeJSON(c, BatchRunJob{s.toJob(*r.Job, idOf(c.Context()), r.Warnings), input})
		case r.Job.Outcome.Large != nil: // the result is streamed
			return s.sendEnvelope(c, r.Job, r.Warnings, input)
		}
		return s.writeRun(c, tool, tools.AppendWarnings(r.Job.Outcome.Result, r.Warnings), input)
	}
	r, err := s.calls.Run(c.UserContext(), caller, tool, input, o)
	s.setAllowanceHeaders(c.Context(), dailyPolicy, r.Allowance)
	return lostBeforeDelivery(err)
}

// writeRun writes the envelope of a run together with its input.
func (s *Server) writeRun(c *fiber.Ctx, tool *tools.Tool, result, input json.RawMessage) error {
	e, err := s.opt.Catalog.Find(tool.Name)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return writeJSON(c, BatchRun{e.Envelope(result, s.opt.Now()), input})
}

var _ service.Queue = (*worker.Client)(nil)
