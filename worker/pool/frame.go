package pool

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker/gzipped"
)

// A frame consists of a big-endian 32-bit length and a body, usually JSON. A result follows its
// outcome in a separate frame, so megabytes are not encoded twice. The child compresses a large
// result if the parent requests it; later processes only forward the bytes.

// maxFrame is the maximum length of a frame in bytes.
const maxFrame = 256 << 20

// jobFrame is a frame from the parent: a job, or the number of a job to cancel or stop early. Jobs
// are numbered because such a frame may arrive after the next job has begun.
type jobFrame struct {
	Job       *childJob `json:"job,omitempty"`
	Cancel    int       `json:"cancel,omitempty"`
	StopEarly int       `json:"stop_early,omitempty"`
}

type childJob struct {
	Number    int             `json:"number"`
	Tool      string          `json:"tool"`
	Body      json.RawMessage `json:"body"`
	TimeoutMS int64           `json:"timeout_ms"`
	MaxResult int             `json:"max_result"`
	Gzip      bool            `json:"gzip,omitempty"` // the parent reads Gzipped
	Cores     int             `json:"cores"`          // number that the computation may use at once
}

// replyFrame is a frame from the child: progress, or the outcome of a job.
type replyFrame struct {
	Number   int             `json:"number"` // of the job; frames of earlier jobs are dropped
	Progress *tools.Progress `json:"progress,omitempty"`
	Outcome  *childOutcome   `json:"outcome,omitempty"`
	Stopped  bool            `json:"stopped,omitempty"` // cancelled, or at the deadline
	Panic    string          `json:"panic,omitempty"`   // the child ends after this
	Error    string          `json:"error,omitempty"`   // the job could not begin

	// Only in the first frame of a confined child, whose Number is 0.
	Protections []string `json:"protections,omitempty"` // in force
	Unprotected string   `json:"unprotected,omitempty"` // errors of the protections not in force
}

type childOutcome struct {
	FieldErrors []schema.FieldError `json:"field_errors,omitempty"`
	Failure     string              `json:"failure,omitempty"`
	Cause       string              `json:"cause,omitempty"`
	ComputeMS   float64             `json:"compute_ms"`
	HasResult   bool                `json:"has_result,omitempty"` // the next frame is the result
	Gzipped     *gzipped.Result     `json:"gzipped,omitempty"`    // the result is compressed
}

// writeFrame writes a frame. w should be buffered, because length and body are separate writes.
func writeFrame(w io.Writer, body []byte) error {
	length, err := lengthOf(body)
	if err != nil {
		return err
	}
	if _, err := w.Write(length); err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// lengthOf returns the encoded length of a frame's body, or an error above maxFrame.
func lengthOf(body []byte) ([]byte, error) {
	if len(body) > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes is too large", len(body))
	}
	return binary.BigEndian.AppendUint32(nil, uint32(len(body))), nil
}

// writeJSON writes a frame in a single write.
func writeJSON(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	length, err := lengthOf(body)
	if err != nil {
		return err
	}
	_, err = w.Write(append(length, body...))
	return err
}

func readFrame(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes is too large", n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return body, err
}

func readJSON(r io.Reader, v any) error {
	body, err := readFrame(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}
