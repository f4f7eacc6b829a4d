package worker

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// killGrace is how long a computation may take to stop after it was told to.
const killGrace = 200 * time.Millisecond

// runner runs one computation. When its context ends the runner returns within killGrace or
// little more. A crash is a *crashError.
type runner interface {
	run(ctx context.Context, c call, report func(tools.Progress)) (Outcome, error)
	close()
}

type call struct {
	tool string
	body []byte
}

// crashError says that a computation ended without an answer: a panic, a fatal error, a kill.
type crashError struct{ how string }

func (e *crashError) Error() string { return "the computation crashed: " + e.how }

// runawayError says that a computation goes on though it was told to stop.
type runawayError struct{ ended <-chan struct{} }

func (e *runawayError) Error() string { return "the computation did not stop when told to" }

// evaluate runs a tool and tells the ways it can end apart: an outcome, a crash (a panic,
// whose stack is logged) or the context's error.
func evaluate(ctx context.Context, catalog *tools.Catalog, c call, maxResult int, log *slog.Logger) (out Outcome, err error) {
	entry, err := catalog.Find(c.tool)
	if err != nil {
		return Outcome{}, err
	}
	defer func() {
		if p := recover(); p != nil {
			log.Error("a tool panicked", "tool", c.tool, "panic", p, "stack", string(debug.Stack()))
			out, err = Outcome{}, &crashError{how: fmt.Sprintf("panic: %v", p)}
		}
	}()
	begun := time.Now()
	result, err := entry.Run(ctx, c.body)
	out.ComputeMS = milliseconds(time.Since(begun))
	in := tools.AsInputError(err)
	switch {
	case in != nil:
		out.FieldErrors = in.Fields
	case err != nil && ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		log.Error("a tool has a defect", "tool", c.tool, "error", err)
		out.Cause, out.Failure = Internal, "The computation met a defect of the tool, which has been logged."
	case len(result) > maxResult:
		out.FieldErrors = []schema.FieldError{{Detail: fmt.Sprintf("the result has %.1f MB, more than the %.1f MB a job may answer; ask for fewer points or outputs",
			float64(len(result))/1e6, float64(maxResult)/1e6)}}
	default:
		out.Result = result
	}
	return out, nil
}

// inProcess runs computations in this process. It cannot kill one.
type inProcess struct {
	catalog   *tools.Catalog
	maxResult int
	log       *slog.Logger
}

func (p *inProcess) run(ctx context.Context, c call, report func(tools.Progress)) (Outcome, error) {
	type end struct {
		out Outcome
		err error
	}
	ended, got := make(chan struct{}), make(chan end, 1)
	go func() {
		defer close(ended)
		out, err := evaluate(tools.WithProgress(ctx, report), p.catalog, c, p.maxResult, p.log)
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
	case <-time.After(killGrace):
		return Outcome{}, &runawayError{ended}
	}
}

func (p *inProcess) close() {}
