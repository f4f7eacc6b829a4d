package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/internal/text"
	"slipstick/tools"
)

// batchResults handles batch_results: rows as CSV, the index to continue at, the statistics, and a
// link to all rows.
func (x *Call) batchResults(ctx context.Context) (*protocol.CallToolResult, error) {
	id, err := x.batchID()
	if err != nil {
		return nil, err
	}
	from, err := x.integerArgument("from", 0, 0, batch.MaxRuns)
	if err != nil {
		return nil, err
	}
	limit, err := x.integerArgument("limit", maxRowsPerCall, 1, maxRowsPerCall)
	if err != nil {
		return nil, err
	}
	state, err := x.batches().Get(ctx, id)
	if err != nil {
		return nil, err
	}
	page, err := x.batches().Rows(ctx, id, from, limit)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	runs, next := page.Rows.Runs, from
	for i := range runs {
		before := b.Len()
		row := batch.Rows{From: from + i, Runs: runs[i : i+1]}
		if err := page.Plan.WriteCSV(&b, row, i == 0); err != nil {
			return nil, err
		}
		if i > 0 && b.Len() > maxRowsBytes {
			b.Truncate(before)
			break
		}
		next = from + i + 1
	}
	switch {
	case next == from:
		fmt.Fprintf(&b, "No rows from %d on; the batch has %d runs.\n", from, page.Total)
	case next < page.Total:
		fmt.Fprintf(&b, "\nRows %d to %d of %d; the next begin with {\"from\": %d}.\n", from,
			next-1, page.Total, next)
	default:
		fmt.Fprintf(&b, "\nRows %d to %d, the last of %d.\n", from, next-1, page.Total)
	}
	describeState(&b, state)
	if err := x.describeRuns(&b, page, state.Summary); err != nil {
		return nil, err
	}
	r := protocol.NewToolResultText(b.String())
	r.Content = append(r.Content, protocol.NewResourceLink(batchScheme+id, "batch", "All rows",
		csvMediaType))
	return r, nil
}

// integerArgument parses an integer argument and checks that low ≤ n ≤ high. For a missing or null
// argument it returns the given default.
func (x *Call) integerArgument(name string, otherwise, low, high int) (int, error) {
	raw := member(x.params.arguments, name)
	if raw == nil || string(raw) == "null" {
		return otherwise, nil
	}
	var n int
	if json.Unmarshal(raw, &n) != nil || n < low || n > high {
		return 0, tools.Invalid(name, "must be a whole number from %d to %d, got %s", low, high,
			text.Truncate(string(raw), 40))
	}
	return n, nil
}

// readBatch returns the resource of a batch: its rows as CSV, up to the first missing row.
func (s *Server) readBatch(
	ctx context.Context, r protocol.ReadResourceRequest,
) ([]protocol.ResourceContents, error) {
	x, id := callFrom(ctx), strings.TrimPrefix(r.Params.URI, batchScheme)
	if x.batches() == nil || !isJobID(id) {
		return nil, resourceNotFound(ctx, service.ErrNotFound.Error())
	}
	var b bytes.Buffer
	for from := 0; ; {
		page, err := x.batches().Rows(ctx, id, from, resourceRows)
		if errors.Is(err, service.ErrNotFound) {
			return nil, resourceNotFound(ctx, err.Error())
		}
		if err != nil {
			x.rpcErr = &rpcError{Code: protocol.INTERNAL_ERROR, Message: x.explainBatch(err)}
			return nil, err
		}
		if err := page.Plan.WriteCSV(&b, page.Rows, from == 0); err != nil {
			return nil, err
		}
		if b.Len() > maxResourceBytes {
			return nil, invalidResource(ctx, fmt.Errorf(
				"the rows have more than %.0f MB: read them with %s, or GET /api/batches/%s/results",
				maxResourceBytes/1e6, batchResultsName, id))
		}
		from += len(page.Rows.Runs)
		if len(page.Rows.Runs) == 0 || from >= page.Total {
			break
		}
	}
	return []protocol.ResourceContents{protocol.TextResourceContents{
		URI: r.Params.URI, MIMEType: csvMediaType, Text: b.String(),
	}}, nil
}
