package api

import (
	"bufio"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/api/listener"
	"slipstick/worker"
)

// jobEvents handles GET /api/jobs/{id}/events: server-sent events. Event "job" contains the state
// of the job; "end" reports that the job is finished; "alive" keeps an idle stream open. Every
// stream starts with the current state, so events need no ids.
func (s *Server) jobEvents(c *fiber.Ctx) error {
	apiKey := c.Get(headerKey)
	if err := s.checkRateUnlessPaid(c, s.limiters.reads, "event streams", apiKey); err != nil {
		return err
	}
	return s.streamJob(c, s.quotaKey(c, apiKey))
}

// jobEventsForPage handles GET /ui/jobs/{id}/events.
func (s *Server) jobEventsForPage(c *fiber.Ctx) error { return s.streamJob(c, s.pageQuotaKey(c)) }

// setEventHeaders sets the headers of a stream of server-sent events.
func setEventHeaders(c *fiber.Ctx) {
	h := &c.Response().Header
	h.SetContentType("text/event-stream")
	h.Set(fiber.HeaderCacheControl, "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no") // without this header nginx buffers the events
}

// streamJob writes the events of a job for the caller with the given quota key.
func (s *Server) streamJob(c *fiber.Ctx, quotaKey string) error {
	id, err := s.jobID(c)
	if err != nil {
		return err
	}
	known, err := s.opt.Queue.Get(c.UserContext(), id, quotaKey)
	if err != nil {
		return err
	}
	setEventHeaders(c)
	if c.Method() == fiber.MethodHead {
		return nil
	}
	requestID := strings.Clone(idOf(c.Context()))
	warnings := s.warnings(c, id, quotaKey)
	ctx, stop := listener.WhileConnected(c.UserContext(), c.Context().Conn())
	jobs := make(chan worker.Job)
	ended := make(chan error, 1)
	go func() {
		if known.State.Finished() { // finished for this caller; the job may run for others
			ended <- nil
			return
		}
		ended <- s.opt.Queue.Watch(ctx, id, func(job worker.Job) {
			select {
			case jobs <- job.Since(known.EnqueuedAt):
			case <-ctx.Done():
			}
		})
	}()
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		// fasthttp owns the connection after this function returns, so the watch must end first.
		defer stop()
		s.writeJobEvents(ctx, w, requestID, warnings, jobs, ended)
	})
	return nil
}

// writeJobEvents writes events until the job is finished or the client disconnects.
func (s *Server) writeJobEvents(
	ctx context.Context, w *bufio.Writer, requestID string, warnings []string,
	jobs <-chan worker.Job,
	ended <-chan error,
) {
	alive := time.NewTicker(keepAliveInterval)
	defer alive.Stop()
	for {
		event, data := "alive", []byte("{}")
		last := false
		select {
		case job := <-jobs:
			view, err := json.Marshal(s.toJob(job, requestID, warnings))
			if err != nil {
				return
			}
			event, data = "job", view
		case err := <-ended:
			if err != nil { // the client then requests the job and gets the problem
				return
			}
			event, last = "end", true
		case <-alive.C:
		case <-ctx.Done():
			return
		}
		_, _ = w.WriteString("event: " + event + "\ndata: ")
		_, _ = w.Write(data)
		_, _ = w.WriteString("\n\n")
		if w.Flush() != nil || last { // Flush also returns earlier write errors
			return
		}
	}
}
