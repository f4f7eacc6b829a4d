package api

import (
	"bufio"
	"encoding/json"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"slipstick/api/listener"
	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/tools"
)

// lastEventID is the header that a client sends to resume a stream of server-sent events.
const lastEventID = "Last-Event-ID"

// batchEvents handles GET /api/batches/{id}/events: server-sent events "progress", "rows",
// "summary" and "end". An event id is the index after the last row sent; Last-Event-ID resumes the
// stream there.
func (s *Server) batchEvents(c *fiber.Ctx) error {
	id, owner, err := s.batchOf(c)
	if err != nil {
		return err
	}
	if err := s.checkRateUnlessPaid(c, s.limiters.reads, batchReads,
		c.Get(headerKey)); err != nil {
		return err
	}
	var errs tools.FieldErrors
	from := integerParam(&errs, lastEventID, c.Get(lastEventID), 0, 0, batch.MaxRuns)
	if err := errs.Err(); err != nil {
		return err
	}
	return s.streamBatch(c, id, owner, from)
}

// batchEventsForPage handles GET /ui/batches/{id}/events. It sends no rows; the page requests them
// when the batch has ended.
func (s *Server) batchEventsForPage(c *fiber.Ctx) error {
	id, err := s.pageBatch(c)
	if err != nil {
		return err
	}
	return s.streamBatch(c, id, s.pageQuotaKey(c), batch.MaxRuns)
}

// streamBatch writes the events of a batch, with its rows from the given index on.
func (s *Server) streamBatch(c *fiber.Ctx, id, owner string, from int) error {
	if _, err := s.opt.Batches.Get(c.UserContext(), id, owner); err != nil {
		return err
	}
	setEventHeaders(c)
	if c.Method() == fiber.MethodHead {
		return nil
	}
	ctx, stop := listener.WhileConnected(c.UserContext(), c.Context().Conn())
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		// fasthttp owns the connection after this function returns, so the watch must end first.
		defer stop()
		// After an error the stream ends without "end", and the client reconnects.
		_ = s.opt.Batches.Follow(ctx, id, owner, from, func(e service.Event) error {
			if e.Rows != nil {
				from += len(e.Rows.Rows.Runs)
			}
			return writeBatchEvent(w, e, from)
		})
	})
	return nil
}

// writeBatchEvent writes an event, or a comment that keeps the connection open. next is the index
// after the last row sent.
func writeBatchEvent(w *bufio.Writer, e service.Event, next int) error {
	var name string
	var data any
	switch {
	case e.Progress != nil:
		name, data = "progress", e.Progress
	case e.Rows != nil:
		name, data = "rows", e.Rows.Plan.Columns(e.Rows.Rows, e.Rows.Total)
	case e.Summary != nil:
		name, data = "summary", e.Summary
	case e.End != "":
		name, data = "end", map[string]service.State{"state": e.End}
	default:
		_, _ = w.WriteString(": alive\n\n")
		return w.Flush() // also returns earlier write errors
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, _ = w.WriteString("id: " + strconv.Itoa(next) + "\nevent: " + name + "\ndata: ")
	_, _ = w.Write(encoded)
	_, _ = w.WriteString("\n\n")
	return w.Flush()
}
