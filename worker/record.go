package worker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"slipstick/tools/schema"
)

// A record is a finished job as Redis keeps it: one byte of state, which scripts read; one
// byte of encoding; then, gzipped or not, a line of JSON and the result as it was. The result
// is not inside the JSON because encoding five megabytes again costs more than storing them.

// compressAbove is the size in bytes from which a record is compressed.
const compressAbove = 4096

// failedByte is known to the store script, doneByte and refusedByte to the admit script.
const (
	failedByte  = 'f'
	doneByte    = 'd'
	earlyByte   = 'e' // done, but ended by Enough
	refusedByte = 'r'
)

type recordHead struct {
	Tool      string         `json:"tool"`
	Version   string         `json:"version"`
	Enqueued  time.Time      `json:"enqueued"`
	Finished  time.Time      `json:"finished"`
	Expires   time.Time      `json:"expires"`
	Faults    []schema.Fault `json:"faults,omitempty"`
	Failure   string         `json:"failure,omitempty"`
	Cause     Cause          `json:"cause,omitempty"`
	ComputeMS float64        `json:"compute_ms"`
}

func stateByte(j Job) byte {
	switch {
	case j.State == Done && j.Early:
		return earlyByte
	case j.State == Done:
		return doneByte
	case j.State == Refused:
		return refusedByte
	case j.State == Cancelled:
		return 'c'
	}
	return failedByte
}

// pack makes the record of a finished job.
func pack(j Job) ([]byte, error) {
	head, err := json.Marshal(recordHead{
		Tool: j.Tool, Version: j.Version, Enqueued: j.EnqueuedAt, Finished: j.FinishedAt, Expires: j.ExpiresAt,
		Faults: j.Outcome.Faults, Failure: j.Outcome.Failure, Cause: j.Outcome.Cause, ComputeMS: j.Outcome.ComputeMS,
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte(stateByte(j))
	var w io.Writer = &b
	var z *gzip.Writer
	if len(head)+len(j.Outcome.Result) > compressAbove {
		b.WriteByte('z')
		if z, err = gzip.NewWriterLevel(&b, gzip.BestSpeed); err != nil {
			return nil, err
		}
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

// unpack reads a record.
func unpack(id string, record []byte) (Job, error) {
	if len(record) < 2 {
		return Job{}, errors.New("a stored result is cut short")
	}
	j := Job{ID: id}
	switch record[0] {
	case doneByte:
		j.State = Done
	case earlyByte:
		j.State, j.Early = Done, true
	case refusedByte:
		j.State = Refused
	case 'c':
		j.State = Cancelled
	case failedByte:
		j.State = Failed
	default:
		return Job{}, fmt.Errorf("a stored result has the unknown state %q", record[0])
	}
	body := record[2:]
	if record[1] == 'z' {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return Job{}, err
		}
		if body, err = io.ReadAll(z); err != nil {
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
	j.Tool, j.Version = head.Tool, head.Version
	j.EnqueuedAt, j.FinishedAt, j.ExpiresAt = head.Enqueued, head.Finished, head.Expires
	j.Outcome = Outcome{Faults: head.Faults, Failure: head.Failure, Cause: head.Cause, ComputeMS: head.ComputeMS}
	if len(result) > 0 {
		j.Outcome.Result = bytes.Clone(result)
	}
	if j.State == Done {
		j.Progress.Percent = 100
	}
	return j, nil
}
