package slipstick

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// CreateBatch starts a batch; docs/batches.md describes the request. It ignores DryRun. Retries
// after a lost connection do not create a second batch.
func (c *Client) CreateBatch(ctx context.Context, r BatchRequest) (*Batch, error) {
	r.DryRun = nil
	return createBatch[Batch](ctx, c, r)
}

// DryRunBatch validates the input of every run, without computing or counting any.
func (c *Client) DryRunBatch(ctx context.Context, r BatchRequest) (*DryRun, error) {
	r.DryRun = new(true)
	return createBatch[DryRun](ctx, c, r)
}

func createBatch[T any](ctx context.Context, c *Client, r BatchRequest) (*T, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return request[T](ctx, c, "POST", "/api/batches", body, "Idempotency-Key", rand.Text())
}

// Batch returns the state of a batch.
func (c *Client) Batch(ctx context.Context, id string) (*Batch, error) {
	return request[Batch](ctx, c, "GET", batchPath(id), nil)
}

// CancelBatch cancels a batch and returns its state. The rows of finished runs remain available.
func (c *Client) CancelBatch(ctx context.Context, id string) (*Batch, error) {
	return request[Batch](ctx, c, "DELETE", batchPath(id), nil)
}

// Finished reports whether the batch has ended and its summary is available.
func (b *Batch) Finished() bool {
	return b.State != "queued" && b.State != "running" && b.Summary != nil
}

// WaitBatch waits for the end of a batch and calls progress, unless it is nil, with each state that
// it polls. If ctx ends, the batch continues; CancelBatch cancels it.
func (c *Client) WaitBatch(ctx context.Context, id string, progress func(Batch)) (*Batch, error) {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		b, err := c.Batch(ctx, id)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(*b)
		}
		if b.Finished() {
			return b, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return b, err
		}
	}
}

// Rows contains the finished runs of a batch by column: index, the varied fields, the collected
// names and error.
type Rows struct {
	Columns map[string][]any
	Count   int // number of rows
	Total   int // number of runs of the batch
}

// Floats returns a column of numbers. The value is NaN for a run without one. Floats returns an
// error for an unknown column, and for a value that is not a number.
func (r *Rows) Floats(column string) ([]float64, error) {
	values, ok := r.Columns[column]
	if !ok {
		return nil, fmt.Errorf("slipstick: no column %q, only %q", column,
			slices.Sorted(maps.Keys(r.Columns)))
	}
	out := make([]float64, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			out[i] = v
		case nil:
			out[i] = math.NaN()
		default:
			return nil, fmt.Errorf("slipstick: row %d of column %q is not a number", i, column)
		}
	}
	return out, nil
}

// pageRows is the number of rows per request.
const pageRows = 10_000

// BatchRows returns the rows of all runs before the first unfinished run.
func (c *Client) BatchRows(ctx context.Context, id string) (*Rows, error) {
	all := &Rows{Columns: map[string][]any{}}
	for {
		q := url.Values{"from": {strconv.Itoa(all.Count)}, "limit": {strconv.Itoa(pageRows)}}
		page, err := request[Columns](ctx, c, "GET", batchPath(id)+"/results?"+q.Encode(), nil)
		if err != nil {
			return nil, err
		}
		var columns map[string][]any
		if err := json.Unmarshal(page.Columns, &columns); err != nil {
			return nil, err
		}
		for name, values := range columns {
			all.Columns[name] = append(all.Columns[name], values...)
		}
		all.Count, all.Total = all.Count+page.Count, page.Total
		if page.Count == 0 || all.Count >= all.Total {
			return all, nil
		}
	}
}

// BatchRun computes a run again and returns its input and full result.
func (c *Client) BatchRun(ctx context.Context, id string, index int) (*BatchRun, error) {
	for {
		res, err := c.send(ctx, "GET", batchPath(id)+"/runs/"+strconv.Itoa(index), nil)
		if err != nil {
			return nil, err
		}
		if res.StatusCode != http.StatusAccepted {
			defer res.Body.Close()
			return decode[BatchRun](res)
		}
		// The job of the run has the result but not the input, so the run is requested again.
		if _, err := c.finish(ctx, res, nil); err != nil {
			return nil, err
		}
	}
}

// BatchEvents returns the events of a batch until its end: progress, rows, summary, end.
// docs/batches.md describes their data. An error ends the iteration.
func (c *Client) BatchEvents(ctx context.Context, id string) iter.Seq2[Event, error] {
	return c.events(ctx, batchPath(id)+"/events")
}

func batchPath(id string) string { return "/api/batches/" + url.PathEscape(id) }
