package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"slipstick/tools/schema"
	"slipstick/worker/gzipped"
)

// A record is a finished job in Redis: a state byte, which scripts read, an encoding byte and a
// payload, which may be gzipped. The payload is a line of JSON and the unchanged result. The result
// is outside the JSON because encoding five megabytes again costs more than storing them.
//
// The record of a large result has a different form, so its head can be read alone. The state byte
// is an upper-case letter and the line of JSON is not compressed. The process that computed the
// result gzips it (package gzipped). Scripts return the first headBytes; readresult.go sends the
// rest unchanged or decompresses it as a stream.

// compressAbove is the size in bytes above which a record is compressed.
const compressAbove = 4096

// headBytes is the number of bytes of a large record that scripts return. The line of JSON is
// shorter than this.
const headBytes = "4096"

// State bytes. Scripts contain them as literals. failedByte is in storeScript, doneByte and
// rejectedByte are in admitScript. The bytes of large results are in admitScript, lookupScript and
// dropScript, and droppedByte is in dropScript.
const (
	failedByte     = 'f'
	doneByte       = 'd'
	earlyByte      = 'e' // done, but stopped early
	rejectedByte   = 'r'
	largeByte      = 'D' // done, with a large result
	largeEarlyByte = 'E'
	droppedByte    = 'x' // done, but the result was evicted
)

type recordHead struct {
	Tool        string              `json:"tool"`
	Version     string              `json:"version"`
	Enqueued    time.Time           `json:"enqueued"`
	Finished    time.Time           `json:"finished"`
	Expires     time.Time           `json:"expires"`
	FieldErrors []schema.FieldError `json:"faults,omitempty"`
	Failure     string              `json:"failure,omitempty"`
	Cause       Cause               `json:"cause,omitempty"`
	ComputeMS   float64             `json:"compute_ms"`
	Bytes       int64               `json:"bytes,omitempty"` // of a large result, not compressed
	Gzipped     *gzipped.Result     `json:"gzip,omitempty"`  // of a large result; nil before 1.1
}

func (h *recordHead) job(id string) Job {
	return Job{
		ID: id, Tool: h.Tool, Version: h.Version,
		EnqueuedAt: h.Enqueued, FinishedAt: h.Finished, ExpiresAt: h.Expires,
		Outcome: Outcome{
			FieldErrors: h.FieldErrors, Failure: h.Failure, Cause: h.Cause, ComputeMS: h.ComputeMS,
		},
	}
}

func stateByte(j Job) byte {
	switch {
	case j.State == Done && j.StoppedEarly:
		return earlyByte
	case j.State == Done:
		return doneByte
	case j.State == Rejected:
		return rejectedByte
	case j.State == Cancelled:
		return 'c'
	}
	return failedByte
}

// codec encodes and decodes records. It reuses encoders and decoders, because allocating them takes
// longer than compressing a small result. It is safe for concurrent use.
type codec struct {
	large            *gzipped.Compressor
	writers, readers sync.Pool // *gzip.Writer, *gzip.Reader
}

func newCodec() *codec {
	c := &codec{large: gzipped.NewCompressor()}
	c.writers.New = func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // cannot fail: the level is valid
		return z
	}
	c.readers.New = func() any { return new(gzip.Reader) }
	return c
}

// pack encodes the record of a finished job.
func (c *codec) pack(j Job) ([]byte, error) {
	h := recordHead{
		Tool: j.Tool, Version: j.Version,
		Enqueued: j.EnqueuedAt, Finished: j.FinishedAt, Expires: j.ExpiresAt,
		FieldErrors: j.Outcome.FieldErrors, Failure: j.Outcome.Failure, Cause: j.Outcome.Cause,
		ComputeMS: j.Outcome.ComputeMS,
	}
	if j.State == Done && (j.Outcome.Gzipped != nil || len(j.Outcome.Result) > gzipped.Above) {
		return c.packLarge(j, h)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte(stateByte(j))
	var w io.Writer = &b
	var z *gzip.Writer
	if len(head)+len(j.Outcome.Result) > compressAbove {
		b.WriteByte('z')
		z = c.writers.Get().(*gzip.Writer)
		defer c.writers.Put(z)
		z.Reset(&b)
		w = z
	} else {
		b.WriteByte('p')
	}
	for _, part := range [][]byte{head, {'\n'}, j.Outcome.Result} {
		if _, err := w.Write(part); err != nil {
			return nil, err
		}
	}
	if z != nil {
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// packLarge encodes the record of a job with a large result.
func (c *codec) packLarge(j Job, h recordHead) ([]byte, error) {
	h.Gzipped = j.Outcome.Gzipped
	if h.Gzipped == nil {
		var err error
		if h.Gzipped, err = c.large.Compress(j.Outcome.Result, 1); err != nil {
			return nil, err
		}
	}
	h.Bytes = h.Gzipped.Size
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	state := byte(largeByte)
	if j.StoppedEarly {
		state = largeEarlyByte
	}
	return slices.Concat([]byte{state, 'g'}, head, []byte{'\n'}, h.Gzipped.Data), nil
}

// isLarge reports whether a record, or its head, has the form of a large result.
func isLarge(record []byte) bool {
	return len(record) > 0 && (record[0] == largeByte || record[0] == largeEarlyByte)
}

// unpackHead decodes the head of a large record. It also returns the offset and description of the
// gzipped result.
func unpackHead(id string, record []byte) (j Job, offset int, z gzipped.Result, err error) {
	end := bytes.IndexByte(record, '\n')
	if len(record) < 2 || record[1] != 'g' || end < 0 {
		return j, 0, z, errors.New("a stored large result has no head")
	}
	var head recordHead
	if err := json.Unmarshal(record[2:end], &head); err != nil {
		return j, 0, z, err
	}
	if head.Gzipped != nil {
		z = *head.Gzipped
	}
	z.Size = head.Bytes
	j = head.job(id)
	j.State, j.StoppedEarly = Done, record[0] == largeEarlyByte
	j.Progress.Percent = 100
	return j, end + 1, z, nil
}

// unpack decodes a record. If the result was evicted, it returns a *DroppedError.
func (c *codec) unpack(id string, record []byte) (Job, error) {
	if len(record) < 2 {
		return Job{}, errors.New("a stored result is cut short")
	}
	state, early := State(""), false
	switch record[0] {
	case doneByte:
		state = Done
	case earlyByte:
		state, early = Done, true
	case rejectedByte:
		state = Rejected
	case 'c':
		state = Cancelled
	case failedByte:
		state = Failed
	case droppedByte:
		return Job{}, &DroppedError{Reason: DropReason(record[1:])}
	default:
		return Job{}, fmt.Errorf("a stored result has the unknown state %q", record[0])
	}
	body := record[2:]
	if record[1] == 'z' {
		z := c.readers.Get().(*gzip.Reader)
		defer c.readers.Put(z)
		err := z.Reset(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(z)
		}
		if err != nil {
			return Job{}, err
		}
	}
	line, result, found := bytes.Cut(body, []byte{'\n'})
	if !found {
		return Job{}, errors.New("a stored result has no head")
	}
	var head recordHead
	if err := json.Unmarshal(line, &head); err != nil {
		return Job{}, err
	}
	j := head.job(id)
	j.State, j.StoppedEarly = state, early
	if len(result) > 0 {
		j.Outcome.Result = bytes.Clone(result)
	}
	if j.State == Done {
		j.Progress.Percent = 100
	}
	return j, nil
}
