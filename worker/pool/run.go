package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker/gzipped"
)

// KillGrace is the time between the end of a computation's context and the kill of its process.
const KillGrace = 200 * time.Millisecond

// CauseInternal is the Outcome.Cause of a tool that returned an error other than invalid input.
const CauseInternal = "defect"

// Outcome is the outcome of a computation. Exactly one of Result, Gzipped, FieldErrors and Failure
// is set.
type Outcome struct {
	Result      json.RawMessage
	Gzipped     *gzipped.Result // large result from a child process
	FieldErrors []schema.FieldError
	Failure     string // sentence for the caller
	Cause       string // cause of the failure
	ComputeMS   float64
}

// Call contains the name of a tool and the body of a request.
type Call struct {
	Tool string
	Body []byte
}

// Runner runs computations, one per Run. Run is safe for concurrent use. When ctx ends, Run returns
// the error of ctx or a *RunawayError within a small multiple of KillGrace. After a crash it
// returns a *CrashError. Close ends idle child processes.
type Runner interface {
	Run(ctx context.Context, c Call, report func(tools.Progress)) (Outcome, error)
	Close()
}

// CrashError reports a computation that ended without a result: by a panic, a fatal error or a
// kill.
type CrashError struct{ How string }

// Error implements the error interface.
func (e *CrashError) Error() string { return "the computation crashed: " + e.How }

// RunawayError reports a computation that continues after its context has ended. Ended is closed
// when the computation returns.
type RunawayError struct{ Ended <-chan struct{} }

// Error implements the error interface.
func (e *RunawayError) Error() string { return "the computation did not stop when told to" }

// evaluate runs a tool. It returns an outcome, an error for an unknown tool, the error of the
// context or, after a panic, a *CrashError. It logs the stack of a panic.
func evaluate(
	ctx context.Context, catalog *tools.Catalog, c Call, maxResult int, log *slog.Logger,
) (out Outcome, err error) {
	entry, err := catalog.FindQueued(c.Tool)
	if err != nil {
		return Outcome{}, err
	}
	defer func() {
		if p := recover(); p != nil {
			log.Error("a tool panicked", "tool", c.Tool, "panic", p, "stack", string(debug.Stack()))
			out, err = Outcome{}, &CrashError{How: fmt.Sprintf("panic: %v", p)}
		}
	}()
	begun := time.Now()
	result, err := entry.Run(ctx, c.Body)
	out.ComputeMS = float64(time.Since(begun).Microseconds()) / 1000
	in := tools.AsInputError(err)
	switch {
	case in != nil:
		out.FieldErrors = in.Fields
	case err != nil && ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		log.Error("a tool has a defect", "tool", c.Tool, "error", err)
		out.Cause = CauseInternal
		out.Failure = "The computation met a defect of the tool, which has been logged."
	case len(result) > maxResult:
		out.FieldErrors = []schema.FieldError{{Detail: fmt.Sprintf(
			"the result has %.1f MB, more than the limit of %.1f MB of a job; request fewer points or outputs",
			float64(len(result))/1e6, float64(maxResult)/1e6)}}
	default:
		out.Result = result
	}
	return out, nil
}

// inProcess runs computations in this process. It cannot kill a computation.
type inProcess struct {
	catalog   *tools.Catalog
	maxResult int
	log       *slog.Logger
	share     coreShare
}

// NewInProcess returns a Runner that computes in this process, where a fatal error of a tool ends
// the process. maxResult is the maximum size of a result's JSON in bytes.
func NewInProcess(catalog *tools.Catalog, maxResult int, log *slog.Logger) Runner {
	return &inProcess{catalog: catalog, maxResult: maxResult, log: log}
}

func (p *inProcess) Run(ctx context.Context, c Call, report func(tools.Progress)) (Outcome, error) {
	type end struct {
		out Outcome
		err error
	}
	ended, got := make(chan struct{}), make(chan end, 1)
	go func() {
		defer close(ended)
		ctx := tools.WithCores(tools.WithProgress(ctx, report), p.share.begin())
		defer p.share.end()
		out, err := evaluate(ctx, p.catalog, c, p.maxResult, p.log)
		got <- end{out, err}
	}()
	select {
	case e := <-got:
		return e.out, e.err
	case <-ctx.Done():
	}
	select {
	case e := <-got:
		return e.out, e.err
	case <-time.After(KillGrace):
		return Outcome{}, &RunawayError{ended}
	}
}

func (p *inProcess) Close() {}
