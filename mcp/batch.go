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
	"strconv"
	"strings"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/plot"
	"slipstick/tools"
	"slipstick/worker"
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

// Limits of the answers of batch tools.
const (
	maxPictureRows  = 20_000 // maximum number of rows of a batch that is plotted
	maxPictureBytes = 60_000
	maxRowsPerCall  = 50
	maxRowsBytes    = 48_000
	resourceRows    = 10_000 // number of rows per read of a resource
	// maxShownRows is the number of rows up to which the answer has the rows of a sweep in place of
	// statistics. These tell less of few rows, and need as many characters.
	maxShownRows = 30
)

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

// batchTools returns the batch tools as tools/list describes them.
func batchTools() []listedTool {
	plain := func(kind string) map[string]any { return map[string]any{"type": kind} }
	of := func(kind, description string) map[string]any {
		return map[string]any{"type": kind, "description": description}
	}
	object := func(description string) map[string]any {
		o := of("object", description)
		o["additionalProperties"] = true
		return o
	}
	list := func(kind, description string) map[string]any {
		l := of("array", description)
		l["items"] = plain(kind)
		return l
	}
	schema := func(required string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties,
			"required": []string{required}}
	}
	picture := map[string]any{"type": "string", "enum": []string{"png", "svg", "none"}}
	return []listedTool{{
		Name: batchRunName,
		Description: `Many runs of one tool: sweep, Monte Carlo with yield, goal seek, optimization. ` +
			`Returns rows, answers or statistics, and a plot. Example: {"tool": "link_budget", "mode": "solve", ` +
			`"input": {"tx_dbm": 20, "freq_mhz": 915, "rx_sensitivity_dbm": -130}, ` +
			`"vary": [{"field": "/dist_km", "from": 1, "to": 5000}], "target": {"name": "margin_db", "value": 10}}`,
		InputSchema: schema("tool", map[string]any{
			"tool":  plain("string"),
			"input": object("Input of every run"),
			"vary": list("object",
				`Each {"field": "/dist_km", "values": [1, 2]}, or with "from", "to", "points", `+
					`"scale": "log"; in random modes "tolerance_pct": 5, or "distribution": "normal", "mean", "sigma". `+
					`In netlists also "param:NAME", "element:R1"`),
			"mode": map[string]any{
				"type": "string", "description": "random, lhs and sobol are Monte Carlo modes",
				"enum": []string{
					batch.Grid, batch.Zip, batch.Random, batch.LHS, batch.Sobol, batch.List,
					batch.Solve, batch.Minimize, batch.Maximize,
				},
			},
			"n":    of("integer", "Number of runs of a random mode, maximum of a search"),
			"seed": plain("integer"),
			"collect": list("string", `Results to keep, as "margin_db"; also {"name": "fc", `+
				`"measure": "fc"}, {"name": "top", "vector": "v(out)", "reduce": "max"}`),
			"limits":    object(`For the yield: {"margin_db": {"min": 10}}`),
			"target":    object("Value to reach, for mode solve"),
			"objective": of("string", "Result to minimize or maximize"),
			"dry_run":   of("boolean", "Count and validate the runs only"),
			"plot":      picture,
		}),
		Annotations: readOnly(), Meta: appMeta(),
	}, {
		Name:        batchStatusName,
		Description: "Waits for a batch and returns its statistics and plot, or cancels it.",
		InputSchema: schema("id", map[string]any{
			"id": plain("string"), "cancel": plain("boolean"), "plot": picture,
		}),
		Annotations: map[string]any{"readOnlyHint": false, "destructiveHint": false,
			"idempotentHint": true},
		Meta: appMeta(),
	}, {
		Name:        batchResultsName,
		Description: "At most 50 rows of a batch as CSV, and its statistics.",
		InputSchema: schema("id", map[string]any{
			"id": plain("string"), "from": plain("integer"), "limit": plain("integer"),
		}),
		Annotations: readOnly(),
	}}
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
	answer := x.runBatch
	switch x.params.name {
	case batchStatusName:
		answer = x.batchStatus
	case batchResultsName:
		answer = x.batchResults
	}
	r, err := answer(ctx)
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

// batchRequest holds the arguments of batch_run: the batch request and the options of the answer.
type batchRequest struct {
	body  []byte
	plot  plot.Format // "" for none
	notes []string    // texts that were read as numbers
}

// readBatchRequest parses the arguments of batch_run. It adds the interactive inputs of the tool,
// as a call of the tool does.
func (x *Call) readBatchRequest() (r batchRequest, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(x.params.arguments, &fields) != nil || fields == nil {
		return r, tools.Invalid("", "the arguments must be an object")
	}
	if r.plot, err = x.plotFormat(fields["plot"]); err != nil {
		return r, err
	}
	delete(fields, "plot")
	entry, err := x.server.opt.Catalog.Find(rawjson.Unquote(fields["tool"]))
	if err == nil && fields["input"] != nil {
		if !x.allowsBatchOf(entry.Name) {
			return r,
				tools.Invalid("tool",
					"%s is not among those this connection was narrowed to by ?tools=", entry.Name)
		}
		fields["input"] = entry.InteractiveInput(fields["input"])
	}
	known := err == nil
	if r.body, err = rawjson.Marshal(fields); err == nil && known {
		r.body, r.notes = batch.ReadQuantities(entry.Tool, r.body)
	}
	return r, err
}

// allowsBatchOf reports whether ?tools= allows the caller to run batches of a tool. A list that
// names only batch tools allows every tool.
func (x *Call) allowsBatchOf(tool string) bool {
	for name := range x.caller.Only {
		if !isBatchTool(name) {
			return x.caller.Only.has(tool)
		}
	}
	return true
}

// plotFormat parses the argument plot. "none" yields "". The default is PNG, or none for a caller
// that wants no pictures.
func (x *Call) plotFormat(raw json.RawMessage) (plot.Format, error) {
	switch name := rawjson.Unquote(raw); {
	case (raw == nil || string(raw) == "null") && x.caller.Answers.NoImages:
		return "", nil
	case raw == nil || string(raw) == "null" || name == string(plot.PNG):
		return plot.PNG, nil
	case name == string(plot.SVG):
		return plot.SVG, nil
	case name == "none":
		return "", nil
	}
	return "", tools.Invalid("plot", "must be png, svg or none, got %s",
		text.Truncate(string(raw), 40))
}

// runBatch answers batch_run: it creates a batch and waits for it. When ctx ends, runBatch cancels
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

// batchStatus answers batch_status: it waits for a batch or cancels it, and returns its state.
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

// shownBatch is the structured result of batch_run and batch_status.
type shownBatch struct {
	service.Batch
	// Rows are the rows of a sweep with few runs, by column.
	Rows json.RawMessage `json:"rows,omitempty"`
}

// showBatch returns the state of a batch. If the batch has ended, the result also contains a plot
// and, depending on the batch, its few rows, the outcome of its search, or its statistics. notes
// are warnings about the request.
func (x *Call) showBatch(ctx context.Context, b *service.Batch, format plot.Format,
	notes []string) (*protocol.CallToolResult, error) {
	var text bytes.Buffer
	shown := shownBatch{Batch: *b}
	shown.Warnings = append(slices.Clone(notes), b.Warnings...)
	describeState(&text, &shown.Batch)
	r := &protocol.CallToolResult{}
	if !b.State.Finished() {
		if b.EtaS != nil {
			fmt.Fprintf(&text, "About %.0f s are left. ", *b.EtaS)
		}
		fmt.Fprintf(&text, "Call %s with this id to go on waiting.\n", batchStatusName)
	} else {
		page, err := x.batches().Rows(ctx, b.ID, 0, maxPictureRows+1)
		if err != nil {
			return nil, err
		}
		if err := describeRows(&text, &shown, page); err != nil {
			return nil, err
		}
		if shown.Rows == nil {
			if err := x.describeRuns(&text, page, b.Summary); err != nil {
				return nil, err
			}
		}
		shown.Summary = shortSummary(b.Summary, shown.Rows != nil || page.Plan.Searches())
		if picture := x.batchPicture(page, format); picture != nil {
			r.Content = append(r.Content, *picture)
		}
		if shown.Rows == nil {
			fmt.Fprintf(&text, "%s has the rows.\n", batchResultsName)
		}
	}
	r.Content = append([]protocol.Content{protocol.NewTextContent(text.String())}, r.Content...)
	r.StructuredContent = shown
	return r, nil
}

// describeRows writes the rows of a sweep and its yield, and stores the rows in shown. It does
// nothing for other batches, and for rows that are too many or too large.
func describeRows(text *bytes.Buffer, shown *shownBatch, page *service.Page) error {
	n := len(page.Rows.Runs)
	if !page.Plan.Sweeps() || n == 0 || n > maxShownRows {
		return nil
	}
	var table bytes.Buffer
	omitted, err := page.Plan.WriteTable(&table, page.Rows)
	if err != nil || table.Len() > maxRowsBytes {
		return err
	}
	text.WriteByte('\n')
	text.Write(table.Bytes())
	shown.Rows = page.Plan.FilledColumns(page.Rows)
	if len(page.Plan.Request.Collect) > 0 && len(omitted) > 0 {
		fmt.Fprintf(text, "Empty in every row: %s\n", strings.Join(omitted, ", "))
	}
	if shown.Summary == nil {
		return nil
	}
	var s batch.Summary
	if err := json.Unmarshal(shown.Summary, &s); err != nil {
		return err
	}
	return page.Plan.WriteAnswers(text, &s)
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
		return page.Plan.WriteAnswers(b, &s)
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

// batchResults answers batch_results: rows as CSV, the index to continue at, the statistics, and a
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

// batchExample is an example of a valid batch request.
const batchExample = `{"tool":"fspl","input":{"freq_mhz":915},` +
	`"vary":[{"field":"/dist_km","from":1,"to":100,"points":20,"scale":"log"}]}`

// correctedBatch returns the last part of the error text of batch_run: a corrected request or, if
// that is unknown, a valid example.
func (x *Call) correctedBatch() string {
	var fields map[string]json.RawMessage
	if x.params.name != batchRunName || json.Unmarshal(x.params.arguments, &fields) != nil {
		return ""
	}
	delete(fields, "plot")
	if tool := x.server.opt.Catalog.FindWritten(rawjson.Unquote(fields["tool"])); tool != nil {
		fields["tool"] = json.RawMessage(strconv.Quote(tool.Name))
	}
	title, arguments := "A valid call", json.RawMessage(batchExample)
	if _, given := fields["input"]; !given && bytes.HasPrefix(fields["inputs"], []byte("{")) {
		fields["input"] = fields["inputs"]
		delete(fields, "inputs")
	}
	if body, err := rawjson.Marshal(fields); err == nil {
		if i, ok := tools.InterpretAs(batch.Schema(), body); ok {
			body = i.Input
		}
		body = withPointers(body)
		if _, err := x.batches().Plan(body); err == nil && len(body) <= maxCorrected {
			title, arguments = "Corrected call", body
		}
	}
	return "\n" + title + `: {"name":"` + batchRunName + `","arguments":` + string(arguments) + "}"
}

// withPointers returns a batch request whose varied fields are JSON pointers: "/dist_km" for
// "dist_km".
func withPointers(body []byte) []byte {
	var fields map[string]json.RawMessage
	var vary []map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields["vary"], &vary) != nil {
		return body
	}
	for _, v := range vary {
		if name := rawjson.Unquote(v["field"]); name != "" && !strings.ContainsAny(name, "/:") {
			v["field"], _ = rawjson.Marshal("/" + name) // marshaling a string cannot fail
		}
	}
	changed, err := rawjson.Marshal(vary)
	if err != nil {
		return body
	}
	fields["vary"] = changed
	if changed, err = rawjson.Marshal(fields); err != nil {
		return body
	}
	return changed
}

// explainBatch returns the cause and the remedy of an error.
func (x *Call) explainBatch(err error) string {
	var unknown *tools.NotFoundError
	var limit *keys.LimitError
	var busy *worker.BusyError
	switch input := tools.AsInputError(err); {
	case input != nil:
		var b strings.Builder
		fmt.Fprintf(&b, "Invalid input of %s:\n", x.params.name)
		for _, f := range input.Fields {
			b.WriteString("- " + text.Truncate(f.Sentence(), 1000) + "\n")
		}
		b.WriteString("Correct these fields and call again.")
		return b.String() + x.correctedBatch()
	case errors.As(err, &unknown):
		return unknownTool(unknown) + x.correctedBatch()
	case errors.As(err, &limit), errors.As(err, &busy), errors.Is(err, worker.ErrUnavailable),
		errors.Is(err, context.Canceled):
		return x.explain(err).text
	case errors.Is(err, service.ErrNotFound):
		return err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "the runs could not be validated in time; ask for fewer"
	}
	x.server.opt.Log.Error("unexpected error", "request_id", x.caller.RequestID, "tool",
		x.params.name, "error", err)
	return call.ErrInternal.Error()
}
