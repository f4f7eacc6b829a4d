package worker

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// The worker and a child speak in frames over the child's standard input and output: four
// bytes of length, most significant first, then JSON. A result follows its outcome in a frame
// of its own, as it is, so that megabytes are not encoded twice.

// maxFrame bounds a frame, whatever its length claims.
const maxFrame = 256 << 20

// jobFrame is a frame from the worker: a job, or the wish that the job of that number stop, or end
// soon with what it has. It has a number because the wish may arrive when the next job has begun.
type jobFrame struct {
	Job    *childJob `json:"job,omitempty"`
	Cancel int       `json:"cancel,omitempty"`
	Enough int       `json:"enough,omitempty"`
}

type childJob struct {
	Number    int             `json:"number"`
	Tool      string          `json:"tool"`
	Body      json.RawMessage `json:"body"`
	TimeoutMS int64           `json:"timeout_ms"`
	MaxResult int             `json:"max_result"`
}

// replyFrame is a frame from the child: progress, or one of the ends.
type replyFrame struct {
	Number   int             `json:"number"` // of the job; a late word about an earlier one is dropped
	Progress *tools.Progress `json:"progress,omitempty"`
	Outcome  *childOutcome   `json:"outcome,omitempty"`
	Stopped  bool            `json:"stopped,omitempty"` // as told, or at the deadline
	Panic    string          `json:"panic,omitempty"`   // the child ends after this
	Error    string          `json:"error,omitempty"`   // it could not begin

	// The first frame of a confined child, of number 0.
	Protections []string `json:"protections,omitempty"` // in force
	Unprotected string   `json:"unprotected,omitempty"` // why others are not
}

type childOutcome struct {
	Faults    []schema.FieldError `json:"faults,omitempty"`
	Failure   string              `json:"failure,omitempty"`
	Cause     Cause               `json:"cause,omitempty"`
	ComputeMS float64             `json:"compute_ms"`
	HasResult bool                `json:"has_result,omitempty"` // the next frame is the result
}

func writeFrame(w io.Writer, body []byte) error {
	if len(body) > maxFrame {
		return fmt.Errorf("a frame of %d bytes is too large", len(body))
	}
	frame := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)))
	_, err := w.Write(append(frame, body...))
	return err
}

func writeJSON(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, body)
}

func readFrame(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxFrame {
		return nil, fmt.Errorf("a frame claims %d bytes, which is too much", n)
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
