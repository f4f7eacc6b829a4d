package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/plot"
)

// Limits of the responses of batch tools.
const (
	maxPictureRows  = 20_000 // maximum number of rows of a batch that is plotted
	maxPictureBytes = 60_000
	maxRowsPerCall  = 50
	maxRowsBytes    = 48_000
	resourceRows    = 10_000 // number of rows per read of a resource
	// maxShownRows is the number of rows up to which the response has the rows of a sweep in place
	// of statistics. These tell less of few rows, and need as many characters.
	maxShownRows = 30
)

// shownBatch is the structured result of batch_run and batch_status.
type shownBatch struct {
	service.Batch
	// Rows are the rows of a sweep with few runs, by column.
	Rows json.RawMessage `json:"rows,omitempty"`
}

// showBatch returns the state of a batch. If the batch has ended, the result also contains a plot
// and its few rows, the outcome of its search, or its statistics. notes are warnings about the
// request.
func (x *Call) showBatch(ctx context.Context, b *service.Batch, format plot.Format,
	notes []string) (*protocol.CallToolResult, error) {
	var out bytes.Buffer
	shown := shownBatch{Batch: *b}
	shown.Warnings = append(slices.Clone(notes), b.Warnings...)
	describeState(&out, &shown.Batch)
	r := &protocol.CallToolResult{}
	if !b.State.Finished() {
		if b.EtaS != nil {
			fmt.Fprintf(&out, "About %.0f s are left. ", *b.EtaS)
		}
		fmt.Fprintf(&out, "Call %s with this id to go on waiting.\n", batchStatusName)
	} else {
		page, err := x.batches().Rows(ctx, b.ID, 0, maxPictureRows+1)
		if err != nil {
			return nil, err
		}
		if err := describeRows(&out, &shown, page); err != nil {
			return nil, err
		}
		if shown.Rows == nil {
			if err := x.describeRuns(&out, page, b.Summary); err != nil {
				return nil, err
			}
		}
		shown.Summary = shortSummary(b.Summary, shown.Rows != nil || page.Plan.Searches())
		if picture := x.batchPicture(page, format); picture != nil {
			r.Content = append(r.Content, *picture)
		}
		if shown.Rows == nil {
			fmt.Fprintf(&out, "%s has the rows.\n", batchResultsName)
		}
	}
	r.Content = append([]protocol.Content{protocol.NewTextContent(out.String())}, r.Content...)
	r.StructuredContent = shown
	return r, nil
}

// describeState writes the state of a batch, the numbers of its runs, and its error.
func describeState(out *bytes.Buffer, b *service.Batch) {
	fmt.Fprintf(out, "Batch %s is %s: %d of %d runs, %d failed.\n", b.ID, b.State, b.RunsDone,
		b.RunsTotal, b.RunsFailed)
	if b.Error != "" {
		fmt.Fprintf(out, "It could not go on: %s\n", b.Error)
	}
	for _, warning := range b.Warnings {
		fmt.Fprintf(out, "Warning: %s\n", text.Truncate(warning, 500))
	}
}

// describeRows writes the rows of a sweep and its yield, and stores the rows in shown. It does
// nothing for other batches, and for rows that are too many or too large.
func describeRows(out *bytes.Buffer, shown *shownBatch, page *service.Page) error {
	n := len(page.Rows.Runs)
	if !page.Plan.Sweeps() || n == 0 || n > maxShownRows {
		return nil
	}
	var table bytes.Buffer
	omitted, err := page.Plan.WriteTable(&table, page.Rows)
	if err != nil || table.Len() > maxRowsBytes {
		return err
	}
	out.WriteByte('\n')
	out.Write(table.Bytes())
	shown.Rows = page.Plan.FilledColumns(page.Rows)
	if len(page.Plan.Request.Collect) > 0 && len(omitted) > 0 {
		fmt.Fprintf(out, "Empty in every row: %s\n", strings.Join(omitted, ", "))
	}
	if shown.Summary == nil {
		return nil
	}
	var s batch.Summary
	if err := json.Unmarshal(shown.Summary, &s); err != nil {
		return err
	}
	return page.Plan.WriteAnalysis(out, &s)
}

// describeRuns writes the first error of the runs, and their statistics or the outcome of a search.
func (x *Call) describeRuns(b *bytes.Buffer, page *service.Page, summary json.RawMessage) error {
	for _, run := range page.Rows.Runs {
		if run.Err != "" {
			fmt.Fprintf(b, "First error: %s\n", text.Truncate(run.Err, 500))
			break
		}
	}
	if summary == nil {
		return nil // the summary is not yet computed
	}
	var s batch.Summary
	if err := json.Unmarshal(summary, &s); err != nil {
		return err
	}
	if page.Plan.Searches() {
		return page.Plan.WriteAnalysis(b, &s)
	}
	b.WriteByte('\n')
	return page.Plan.WriteSummary(b, &s)
}

// shortSummary removes from a summary the histograms, because the plot shows them, and the columns
// without any value. It removes all statistics if withoutColumns is set.
func shortSummary(summary json.RawMessage, withoutColumns bool) json.RawMessage {
	var whole map[string]json.RawMessage
	var columns map[string]map[string]json.RawMessage
	if json.Unmarshal(summary, &whole) != nil || json.Unmarshal(whole["columns"], &columns) != nil {
		return summary
	}
	maps.DeleteFunc(columns, func(_ string, c map[string]json.RawMessage) bool {
		delete(c, "histogram")
		return withoutColumns || string(c["count"]) == "0"
	})
	short, err := rawjson.Marshal(columns)
	if err != nil {
		return summary
	}
	whole["columns"] = short
	if short, err = rawjson.Marshal(whole); err != nil {
		return summary
	}
	return short
}

// batchPicture plots a batch. It returns nil if the batch has no data to plot or too many rows.
func (x *Call) batchPicture(page *service.Page, format plot.Format) *protocol.ImageContent {
	if format == "" || len(page.Rows.Runs) == 0 || len(page.Rows.Runs) > maxPictureRows {
		return nil
	}
	var b bytes.Buffer
	err := plot.Write(&b, page.Plan.Figure(page.Rows.Runs, ""), format)
	if err != nil || b.Len() > maxPictureBytes {
		if err != nil && !errors.Is(err, plot.ErrEmpty) {
			x.server.opt.Log.Warn("a batch could not be drawn", "request_id", x.caller.RequestID,
				"error", err)
		}
		return nil
	}
	media := map[plot.Format]string{plot.PNG: "image/png", plot.SVG: "image/svg+xml"}[format]
	picture := protocol.NewImageContent(base64.StdEncoding.EncodeToString(b.Bytes()), media)
	return &picture
}
