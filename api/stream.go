package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/gofiber/fiber/v2"

	"slipstick/internal/rawjson"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// minCounted is the size in bytes above which a response counts as held until it is sent. It
// applies to responses made for one caller, because a slow client may hold them for a long time.
const minCounted = 128 << 10

// readerOf returns the client prefix, which identifies the clients that share a limit of held
// bytes. It returns "" for loopback addresses, to which only the total limit applies.
func (s *Server) readerOf(c *fiber.Ctx) string {
	a := s.clientAddress(c.Context())
	if a.IsLoopback() {
		return ""
	}
	return keys.ClientPrefix(a).String()
}

// sendEnvelope writes the envelope of a large result. If the input is not nil, the envelope
// contains it.
func (s *Server) sendEnvelope(c *fiber.Ctx, job *worker.Job, warnings []string,
	input json.RawMessage) error {
	head, tail := s.envelopeFor(*job).parts(s.opt.Now())
	if input != nil {
		tail = slices.Concat(tail[:len(tail)-1], []byte(`,"input":`), input, []byte("}"))
	}
	err := s.sendLarge(c, job.Outcome.Large, head, tail, warnings)
	var limit *worker.ReadLimitError
	if errors.As(err, &limit) { // the client can fetch the stored result later
		c.Set(fiber.HeaderLocation, jobPath(job.ID))
	}
	return err
}

// sendJob writes a job with a large result.
func (s *Server) sendJob(c *fiber.Ctx, job worker.Job, warnings []string) error {
	view, err := rawjson.Marshal(s.toJob(job, idOf(c.Context()), warnings))
	if err != nil {
		return err
	}
	// Quotes within a string are escaped, so the first match is the member itself.
	before, after, found := bytes.Cut(view, []byte(`"result":null`))
	if !found {
		return errors.New("the view of a job has no place for the result")
	}
	head, tail := s.envelopeFor(job).parts(s.opt.Now())
	head = slices.Concat(before, []byte(`"result":`), head)
	return s.sendLarge(c, job.Outcome.Large, head, append(tail, after...), warnings)
}

// sendLarge writes head, a large result with warnings appended to its list, and tail. A client that
// accepts gzip gets the stored bytes. For others, the result is decompressed while it is sent.
func (s *Server) sendLarge(
	c *fiber.Ctx, large *worker.LargeResult, head, tail []byte, warnings []string,
) error {
	h := &c.Response().Header
	addVary(h, fiber.HeaderAcceptEncoding)
	h.SetContentTypeBytes(jsonMediaType)
	accepts := parseAcceptEncoding(c.Get(fiber.HeaderAcceptEncoding))
	if z := large.Gzipped(); z.Divisible() && accepts.gzip > 0 && accepts.gzip >= accepts.identity {
		h.SetContentEncoding(string(codingGzip))
		end, added := tools.SplitWarnings(z.Tail, warnings)
		head, tail = z.Wrap(head, slices.Concat(end, added, tail))
		from, to := z.Body()
		size := len(head) + to - from + len(tail)
		return s.sendParts(c, size, large.OpenBody, func(r io.WriterTo) []io.WriterTo {
			return []io.WriterTo{bytes.NewReader(head), r, bytes.NewReader(tail)}
		})
	}
	size := len(head) + int(large.Size()) + len(tail) + addedBytes(warnings)
	return s.sendParts(c, size, large.Open, func(r io.WriterTo) []io.WriterTo {
		return []io.WriterTo{
			bytes.NewReader(head), &resultWithWarnings{r, warnings}, bytes.NewReader(tail),
		}
	})
}

// sendParts writes a body that consists of parts, one of which is a large result.
func (s *Server) sendParts(
	c *fiber.Ctx, size int, open func(context.Context, string) (*worker.ResultReader, error),
	parts func(io.WriterTo) []io.WriterTo,
) error {
	r := c.Response()
	if c.Method() == fiber.MethodHead {
		r.Header.SetContentLength(size)
		r.SkipBody = true
		return nil
	}
	result, err := open(c.UserContext(), s.readerOf(c))
	if err != nil {
		return err
	}
	r.SetBodyStream(&body{parts: parts(result), release: result.Close}, size)
	return nil
}

// sendCounted writes a response made for one caller. The Content-Type must be set. The bytes count
// as held until they are sent.
func (s *Server) sendCounted(c *fiber.Ctx, content []byte) error {
	if h := &c.Response().Header; len(content) > minCounted && isCompressible(h.ContentType()) {
		addVary(h, fiber.HeaderAcceptEncoding)
		to := codingFor(c.Request().Header.Peek(fiber.HeaderAcceptEncoding), len(content))
		if to != identity {
			content = s.compressors.compress(to, content)
			h.SetContentEncoding(string(to))
		}
	}
	if len(content) <= minCounted || c.Method() == fiber.MethodHead {
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

// body is a response body in parts. fasthttp writes and then closes it, or only closes it.
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

// Read implements io.Reader for callers that ignore WriteTo. It always returns an error.
func (b *body) Read([]byte) (int, error) {
	return 0, errors.New("the body of a large response is written, not read")
}

// Close releases the held bytes of the body.
func (b *body) Close() error { return b.release() }

// addedBytes returns the number of bytes that warnings add to a result.
func addedBytes(warnings []string) int {
	const empty = "[" + tools.WarningsEnd
	head, tail := tools.SplitWarnings([]byte(empty), warnings)
	return len(head) + len(tail) - len(empty)
}

// resultWithWarnings is the stream of a result with warnings appended to its list.
type resultWithWarnings struct {
	result   io.WriterTo
	warnings []string
}

// WriteTo implements io.WriterTo.
func (r *resultWithWarnings) WriteTo(w io.Writer) (int64, error) {
	if len(r.warnings) == 0 {
		return r.result.WriteTo(w)
	}
	end := &endWriter{w: w}
	n, err := r.result.WriteTo(end)
	if err != nil {
		return n, err
	}
	head, tail := tools.SplitWarnings(end.held, r.warnings)
	written, err := w.Write(slices.Concat(head, tail))
	return n - int64(len(end.held)) + int64(written), err
}

// endWriter forwards all bytes except the last heldBytes, into which the caller inserts warnings.
type endWriter struct {
	w    io.Writer
	held []byte
}

// Write implements io.Writer.
func (e *endWriter) Write(p []byte) (int, error) {
	all := p
	if len(e.held) > 0 {
		if len(p) >= heldBytes {
			if _, err := e.w.Write(e.held); err != nil {
				return 0, err
			}
		} else {
			all = slices.Concat(e.held, p)
		}
	}
	kept := max(0, len(all)-heldBytes)
	if _, err := e.w.Write(all[:kept]); err != nil {
		return 0, err
	}
	e.held = append(e.held[:0:0], all[kept:]...)
	return len(p), nil
}

// heldBytes is the number of bytes that endWriter holds back. They contain the end of the list of
// warnings, which ends a result, and the byte before it.
const heldBytes = len(tools.WarningsEnd) + 1
