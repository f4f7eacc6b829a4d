package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/api/listener"
	"slipstick/result"
	"slipstick/tools"
	"slipstick/worker"
)

// Job is the state of a job in responses.
type Job struct {
	ID         string          `json:"id" pattern:"^[0-9a-f]{32}$" doc:"32 hexadecimal digits"`
	Tool       string          `json:"tool" doc:"The tool's name"`
	Version    string          `json:"version" doc:"The tool's version"`
	State      worker.State    `json:"state" enum:"queued,running,done,refused,failed,cancelled" doc:"queued, then running, then one of the others, which are final"`
	Progress   tools.Progress  `json:"progress" doc:"Progress of the computation"`
	EnqueuedAt *string         `json:"enqueued_at" format:"date-time" doc:"Time of acceptance, or of the request that joined the job"`
	FinishedAt *string         `json:"finished_at" format:"date-time" doc:"Time of completion, not before the caller's request; null until finished"`
	ExpiresAt  *string         `json:"expires_at" format:"date-time" doc:"When the result expires; null until finished"`
	Result     json.RawMessage `json:"result" ref:"Envelope" doc:"Response that POST returns with 200; null until done"`
	Problem    *Problem        `json:"problem" doc:"The problem that POST returns; null unless refused, failed or cancelled"`
	Warnings   []string        `json:"warnings,omitempty" doc:"Remarks on the caller's own request, such as unknown fields; also in the result's warnings. Absent when there are none"`
	Links      []tools.Link    `json:"links" doc:"Related addresses"`
}

// retryJob is the Retry-After of an unfinished job.
const retryJob = 2 * time.Second

// toJob returns the state of a job for a client. warnings are the warnings of the client's own
// request.
func (s *Server) toJob(job worker.Job, requestID string, warnings []string) Job {
	v := Job{
		ID: job.ID, Tool: job.Tool, Version: job.Version, State: job.State, Progress: job.Progress,
		EnqueuedAt: formatTime(job.EnqueuedAt),
		FinishedAt: formatTime(job.FinishedAt), ExpiresAt: formatTime(job.ExpiresAt),
		Warnings: warnings,
		Links: []tools.Link{
			{Rel: "self", Href: jobPath(job.ID)}, {Rel: "tool", Href: "/api/" + job.Tool},
		},
	}
	if p := problemFromJob(job); p != nil {
		p := p.problem(requestID)
		v.Problem = &p
	} else if job.State == worker.Done && job.Outcome.Large == nil {
		v.Result = s.envelopeFor(job).raw(tools.AppendWarnings(job.Outcome.Result, warnings),
			s.opt.Now())
	}
	return v
}

func jobPath(id string) string { return "/api/jobs/" + id }

func formatTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(timeLayout)
	return &s
}

// envelopeFor returns the envelope for the result of a job. It contains the version of the tool
// that computed the result, even if the catalog has another version or lacks the tool.
func (s *Server) envelopeFor(job worker.Job) *envelope {
	chain := tools.Chain{Feeds: []string{}, AcceptsFrom: []string{}}
	if e, err := s.opt.Catalog.FindQueued(job.Tool); err == nil {
		if e.Version == job.Version || job.Version == "" {
			return s.envelopes[e.Name]
		}
		chain = e.Chain
	}
	return envelopeOf(job.Tool, job.Version, chain)
}

// problemFromJob returns the problem of a finished job without a result, or nil.
func problemFromJob(job worker.Job) *problemError {
	switch job.State {
	case worker.Rejected:
		return invalidInputProblem(job.Outcome.FieldErrors)
	case worker.Cancelled:
		return newProblem(jobCancelled, "the job was cancelled")
	case worker.Failed:
		switch job.Outcome.Cause {
		case worker.TimedOut:
			return newProblem(timeLimit, "%s", job.Outcome.Failure)
		case worker.Unavailable:
			return newProblem(unavailable, "%s", job.Outcome.Failure).retryAfter(retryUnavailable)
		}
		return newProblem(jobFailed, "%s", job.Outcome.Failure)
	}
	return nil
}

// accepted writes 202 for an unfinished job.
func (s *Server) accepted(c *fiber.Ctx, job worker.Job, warnings []string) error {
	c.Set(fiber.HeaderLocation, jobPath(job.ID))
	c.Status(fiber.StatusAccepted)
	return s.writeJob(c, job, warnings)
}

// writeJob writes the state of a job, or the file of its result that the client prefers. A GET of a
// large result counts against a rate limit.
func (s *Server) writeJob(c *fiber.Ctx, job worker.Job, warnings []string) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	if !job.State.Finished() {
		c.Set(fiber.HeaderRetryAfter, seconds(retryJob))
	}
	if job.Outcome.Large != nil && c.Method() != fiber.MethodHead {
		err := s.checkRateUnlessPaid(c, s.limiters.reads, "requests for large results",
			c.Get(headerKey))
		if err != nil {
			return err
		}
	}
	if file := s.jobFile(c, &job); file != nil {
		if sent, err := s.sendFile(c, &job, file); sent || err != nil {
			return err
		}
		if mediaWeights(c.Get(fiber.HeaderAccept))["application/json"] == 0 {
			return newProblem(notAcceptable, "the result is not stored as %s; submit the request "+
				"with this Accept, or read the job as application/json", file.MediaType)
		}
	}
	if job.Outcome.Large != nil {
		return s.sendJob(c, job, warnings)
	}
	return writeJSON(c, s.toJob(job, idOf(c.Context()), warnings))
}

// getJob handles GET /api/jobs/{id}. With Prefer: wait=N it waits for the job to finish. With a
// parameter of package result it returns a part of the result.
func (s *Server) getJob(c *fiber.Ctx) error {
	if slices.ContainsFunc(result.Parameters(), func(p string) bool {
		return c.Context().QueryArgs().Has(p)
	}) {
		return s.getPart(c)
	}
	return s.showJob(c, s.quotaKey(c, c.Get(headerKey)))
}

// quotaKey returns the quota key of the caller. A job may be read without a valid key; the quota
// key is then "".
func (s *Server) quotaKey(c *fiber.Ctx, apiKey string) string {
	pass, err := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, apiKey).Caller, 0)
	if err != nil {
		return ""
	}
	return pass.QuotaKey
}

// showJob writes the state of a job for the caller with the given quota key.
func (s *Server) showJob(c *fiber.Ctx, quotaKey string) error {
	job, err := s.jobAt(c, quotaKey)
	if err != nil {
		return err
	}
	want := preferences(&c.Request().Header, s.opt.Wait)
	if len(want.asked) > 0 && want.wait > 0 && !job.State.Finished() {
		if err = s.await(c, &job, quotaKey, want.wait); err != nil {
			return err
		}
		want.applied(c)
	}
	return s.writeJob(c, job, s.warnings(c, job.ID, quotaKey))
}

// await updates the job when it finishes, when the caller leaves it, when the wait ends, or when
// the client disconnects (listener.ErrClientGone).
func (s *Server) await(
	c *fiber.Ctx, job *worker.Job, quotaKey string, wait time.Duration,
) error {
	ctx, stop := listener.WhileConnected(c.UserContext(), c.Context().Conn())
	defer stop()
	next, err := s.opt.Queue.Wait(ctx, job.ID, quotaKey, wait)
	*job = next.Since(job.EnqueuedAt)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// warnings returns the warnings of the caller's own request for a job.
func (s *Server) warnings(c *fiber.Ctx, id, quotaKey string) []string {
	warnings, err := s.opt.Queue.Warnings(c.UserContext(), id, quotaKey)
	if err != nil {
		s.opt.Log.Warn("warnings on a request could not be read", "request_id",
			idOf(c.Context()), "job",
			id, "error", err)
	}
	return warnings
}

// cancelJob handles DELETE /api/jobs/{id}. It does not change a finished job.
func (s *Server) cancelJob(c *fiber.Ctx) error {
	// authentication only
	pass, err := s.opt.Quota.Reserve(c.UserContext(), s.caller(c, c.Get(headerKey)).Caller, 0)
	if err != nil {
		return err
	}
	return s.cancel(c, pass.QuotaKey)
}

// cancel detaches a caller from a job that it submitted or joined. Equal requests of several
// callers share a job and its id, so the id alone gives no right to cancel. The job stops when its
// last caller leaves. For this caller it is cancelled in any case.
func (s *Server) cancel(c *fiber.Ctx, quotaKey string) error {
	job, err := s.jobAt(c, quotaKey)
	if err == nil && !job.State.Finished() {
		job, err = s.opt.Queue.Cancel(c.UserContext(), job.ID, quotaKey)
	}
	if errors.Is(err, worker.ErrNotCaller) {
		return newProblem(
			notYourJob,
			"the job was submitted with another key or from another address; it ends by itself when nobody waits for it",
		)
	}
	if err != nil {
		return err
	}
	return s.writeJob(c, job, s.warnings(c, job.ID, quotaKey))
}

// jobAt returns the job with the id in the path, in its state for the caller with the given quota
// key.
func (s *Server) jobAt(c *fiber.Ctx, quotaKey string) (job worker.Job, err error) {
	id, err := s.jobID(c)
	if err == nil {
		job, err = s.opt.Queue.Get(c.UserContext(), id, quotaKey)
	}
	return job, err
}

// jobID returns the validated id in the path. It copies the id because Fiber reuses the buffer.
func (s *Server) jobID(c *fiber.Ctx) (string, error) {
	if s.opt.Queue == nil {
		return "", noQueue()
	}
	id := c.Params("id")
	if len(id) != 32 || strings.Trim(id, hexDigits) != "" {
		return "", newProblem(jobNotFound, "a job id has 32 digits of 0-9 and a-f")
	}
	return strings.Clone(id), nil
}
