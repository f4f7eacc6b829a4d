package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/tools"
)

// Names of the batch tools, which run a calculator many times.
const (
	batchRunName     = "batch_run"
	batchStatusName  = "batch_status"
	batchResultsName = "batch_results"
)

// batchCategory is the value in ?tools= that selects the batch tools.
const batchCategory = "batch"

func batchToolNames() []string { return []string{batchRunName, batchStatusName, batchResultsName} }

func isBatchTool(name string) bool { return slices.Contains(batchToolNames(), name) }

// Poll intervals of a call that waits for a batch.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 500 * time.Millisecond
)

// Batches gives access to the batches of one caller. Its methods return *tools.InputError,
// *tools.NotFoundError, *keys.LimitError, *keys.InvalidKeyError, service.ErrNotFound,
// *worker.BusyError or worker.ErrUnavailable.
type Batches interface {
	// Plan validates a request and returns its plan.
	Plan(body []byte) (*batch.Plan, error)
	// Create creates a batch from a plan. body is the request of the plan.
	Create(ctx context.Context, p *batch.Plan, body []byte) (*service.Batch, error)
	Get(ctx context.Context, id string) (*service.Batch, error)
	Cancel(ctx context.Context, id string) (*service.Batch, error)
	// Rows returns at most limit rows, beginning at the given index. It stops before the first run
	// that has no row yet.
	Rows(ctx context.Context, id string, from, limit int) (*service.Page, error)
}

// batches returns the batches of the caller, or nil if batches are unavailable.
func (x *Call) batches() Batches {
	if x.caller.Batches == nil && x.server.localBatches != nil {
		return x.server.localBatches
	}
	return x.caller.Batches
}

// handleBatch is the mcp-go handler of the batch tools.
func handleBatch(ctx context.Context,
	_ protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	x := callFrom(ctx)
	handle := x.runBatch
	switch x.params.name {
	case batchStatusName:
		handle = x.batchStatus
	case batchResultsName:
		handle = x.batchResults
	}
	r, err := handle(ctx)
	x.cancelled = ctx.Err() != nil
	if err == nil {
		return r, nil
	}
	var denied *keys.InvalidKeyError
	if errors.As(err, &denied) {
		x.denied = err
		return &protocol.CallToolResult{}, nil
	}
	return protocol.NewToolResultError(text.Truncate(x.explainBatch(err), maxErrorText)), nil
}

// runBatch handles batch_run: it creates a batch and waits for it. When ctx ends, runBatch cancels
// the batch because the caller may not know its id.
func (x *Call) runBatch(ctx context.Context) (*protocol.CallToolResult, error) {
	r, err := x.readBatchRequest()
	if err != nil {
		return nil, err
	}
	all := x.batches()
	p, err := all.Plan(r.body)
	if err != nil {
		return nil, err
	}
	if p.Request.DryRun {
		ctx, cancel := context.WithTimeout(ctx, x.server.opt.Wait)
		defer cancel()
		dry, err := p.Check(ctx)
		if err != nil {
			return nil, err
		}
		message := fmt.Sprintf("%d runs, %d of them invalid. Nothing was computed.", dry.RunsTotal,
			dry.RunsInvalid)
		if dry.FirstError != nil {
			message += " First error: " + text.Truncate(dry.FirstError.Error, 500)
		}
		dry.Warnings = append(r.notes, dry.Warnings...)
		if len(dry.Warnings) > 0 {
			message += " Warnings: " + strings.Join(dry.Warnings, "; ")
		}
		return &protocol.CallToolResult{
			Content:           []protocol.Content{protocol.NewTextContent(message)},
			StructuredContent: dry,
		}, nil
	}
	b, err := all.Create(ctx, p, r.body)
	if err != nil {
		return nil, err
	}
	b, err = x.awaitBatch(ctx, b)
	if ctx.Err() != nil {
		_, _ = all.Cancel(context.WithoutCancel(ctx), b.ID) // the batch may already have ended
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return x.showBatch(ctx, b, r.plot, r.notes)
}

// batchStatus handles batch_status: it waits for a batch or cancels it, and returns its state.
func (x *Call) batchStatus(ctx context.Context) (*protocol.CallToolResult, error) {
	id, err := x.batchID()
	if err != nil {
		return nil, err
	}
	format, err := x.plotFormat(member(x.params.arguments, "plot"))
	if err != nil {
		return nil, err
	}
	var b *service.Batch
	switch cancel := member(x.params.arguments, "cancel"); string(cancel) {
	case "true":
		b, err = x.batches().Cancel(ctx, id)
	case "", "false", "null":
		if b, err = x.batches().Get(ctx, id); err == nil {
			b, err = x.awaitBatch(ctx, b)
		}
	default:
		err = tools.Invalid("cancel", "must be true or false, got %s",
			text.Truncate(string(cancel), 40))
	}
	if err != nil {
		return nil, err
	}
	return x.showBatch(ctx, b, format, nil)
}

// batchID parses the argument id.
func (x *Call) batchID() (string, error) {
	raw := member(x.params.arguments, "id")
	id := rawjson.Unquote(raw)
	if !isJobID(id) {
		return "",
			tools.Invalid("id", "must be the id of a batch, 32 digits of 0-9 and a-f, got %s",
				text.Truncate(string(raw), 60))
	}
	return id, nil
}

// summaryWait is the maximum time to wait for the summary after a batch has ended.
const summaryWait = 3 * time.Second

// awaitBatch waits for a batch to end and for its summary, at most Options.Wait, and reports
// progress. With an error it returns the last known state.
func (x *Call) awaitBatch(ctx context.Context, b *service.Batch) (*service.Batch, error) {
	deadline := time.Now().Add(x.server.opt.Wait)
	if b.State.Finished() {
		deadline = time.Now().Add(summaryWait)
	}
	report := x.reporter()
	for pause := firstPoll; b.Summary == nil && time.Now().Before(deadline); pause = min(2*pause,
		lastPoll) {
		if report != nil {
			percent := 100 * float64(b.RunsDone) / float64(max(b.RunsTotal, 1))
			report(tools.Progress{Percent: percent, Phase: fmt.Sprintf("batch %s: %d of %d runs",
				b.ID, b.RunsDone, b.RunsTotal)})
		}
		select {
		case <-ctx.Done():
			return b, ctx.Err()
		case <-time.After(pause):
		}
		next, err := x.batches().Get(ctx, b.ID)
		if err != nil {
			return b, err
		}
		if next.State.Finished() && !b.State.Finished() {
			deadline = time.Now().Add(summaryWait)
		}
		b = next
	}
	return b, nil
}
