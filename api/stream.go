package api

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/gofiber/fiber/v2"

	"slipstick/keys"
	"slipstick/worker"
)

// countedAnswer is the size in bytes from which an answer that is made for one caller is counted
// until it has left: a client may take long to read it.
const countedAnswer = 128 << 10

// readerOf is whose readings are bounded together: an address. Programs on the same machine are
// bounded with all others only.
func (s *Server) readerOf(c *fiber.Ctx) string {
	a := s.clientAddress(c)
	if a.IsLoopback() {
		return ""
	}
	return keys.Group(a).String()
}

// sendEnvelope answers with the envelope of a large result.
func (s *Server) sendEnvelope(c *fiber.Ctx, job *worker.Job) error {
	head, tail := s.envelopeFor(*job).around(s.opt.Now())
	err := s.sendLarge(c, job.Outcome.Large, head, tail)
	var limit *worker.ReadLimitError
	if errors.As(err, &limit) { // the result stays stored for a while
		c.Set(fiber.HeaderLocation, jobPath(job.ID))
	}
	return err
}

// sendJob answers with a job that has a large result.
func (s *Server) sendJob(c *fiber.Ctx, job worker.Job) error {
	view, err := marshal(s.view(job, idOf(c.Context())))
	if err != nil {
		return err
	}
	// Within a string the quotes would be escaped.
	before, after, found := bytes.Cut(view, []byte(`"result":null`))
	if !found {
		return errors.New("the view of a job has no place for the result")
	}
	head, tail := s.envelopeFor(job).around(s.opt.Now())
	if c.Method() != fiber.MethodHead {
		err := s.holdUnlessPaid(c, s.limiters.reads, "requests for large results", c.Get(headerKey))
		if err != nil {
			return err
		}
	}
	head = slices.Concat(before, []byte(`"result":`), head)
	return s.sendLarge(c, job.Outcome.Large, head, append(tail, after...))
}

// sendLarge answers with a large result between two texts. The result is unpacked piece by piece
// as the client reads.
func (s *Server) sendLarge(c *fiber.Ctx, large *worker.LargeResult, head, tail []byte) error {
	size := len(head) + int(large.Size()) + len(tail)
	r := c.Response()
	if c.Method() == fiber.MethodHead {
		r.Header.SetContentTypeBytes(jsonType)
		r.Header.SetContentLength(size)
		r.SkipBody = true
		return nil
	}
	result, err := large.Open(c.UserContext(), s.readerOf(c))
	if err != nil {
		return err
	}
	r.Header.SetContentTypeBytes(jsonType)
	parts := []io.WriterTo{bytes.NewReader(head), result, bytes.NewReader(tail)}
	r.SetBodyStream(&body{parts: parts, release: result.Close}, size)
	return nil
}

// sendCounted answers with bytes made for this caller. They are counted until they have left.
func (s *Server) sendCounted(c *fiber.Ctx, content []byte) error {
	if len(content) <= countedAnswer || c.Method() == fiber.MethodHead {
		c.Response().SetBodyRaw(content)
		return nil
	}
	release, err := s.opt.Reads.Reserve(c.UserContext(), s.readerOf(c), int64(len(content)))
	if err != nil {
		return err
	}
	c.Response().SetBodyStream(&body{
		parts:   []io.WriterTo{bytes.NewReader(content)},
		release: func() error { release(); return nil },
	}, len(content))
	return nil
}

// body is an answer's body in parts. fasthttp writes and then closes it, or only closes it.
type body struct {
	parts   []io.WriterTo
	release func() error
}

var _ io.WriterTo = (*body)(nil)

// WriteTo implements io.WriterTo, which fasthttp prefers to Read.
func (b *body) WriteTo(w io.Writer) (written int64, err error) {
	for _, p := range b.parts {
		n, err := p.WriteTo(w)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// Read implements io.Reader for those who do not know WriteTo.
func (b *body) Read([]byte) (int, error) {
	return 0, errors.New("the body of a large answer is written, not read")
}

// Close gives back what the body holds.
func (b *body) Close() error { return b.release() }
