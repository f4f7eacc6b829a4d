package batch

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"slipstick/internal/text"
	"slipstick/tools"
)

// Limits of a chunk.
const (
	// chunkTime is the time after which a chunk begins no further run, so that other callers get
	// their turn.
	chunkTime  = 250 * time.Millisecond
	chunkGrace = 10 * time.Second // additional time for the plan and the encoding of the rows
	chunkBytes = 1 << 20          // maximum bytes of the values in a chunk's rows
	// yieldGrace is the time that the present run of a queued tool gets when its chunk is stopped
	// early.
	yieldGrace = 250 * time.Millisecond
	// lightPool is the worker pool for chunks of tools that have no pool.
	lightPool = "spice"
)

// chunkFormat is the version of chunkInput and chunkOutput.
const chunkFormat = 3

// chunkInput selects consecutive runs of a batch.
type chunkInput struct {
	// Batch distinguishes the jobs of equal requests, so each can be cancelled separately.
	Batch   string    `json:"batch" maxLength:"64" doc:"Id of the batch"`
	Request object    `json:"request" doc:"Request of the batch"`
	From    int       `json:"from" min:"0" doc:"Index of the first run"`
	Count   int       `json:"count" min:"1" doc:"Number of runs"`
	Points  [][]Value `json:"points" default:"[]" doc:"Values of the varied fields of each run, for a search"`
	// Patient lets the present run finish when the chunk is stopped early.
	Patient bool `json:"patient" default:"false" doc:"Runs are never abandoned"`
}

// chunkOutput contains the rows of the first runs of a chunk.
type chunkOutput struct {
	Rows string `json:"rows" doc:"Encoded rows; none if the first run was abandoned"`
	tools.Warnings
}

// ChunkTools returns a queued tool for every worker pool of a catalog. A chunk tool computes
// consecutive runs of a batch and returns their rows. It begins no further run after chunkTime or
// when it is stopped early. When stopped early, it abandons a run of a queued tool after yieldGrace
// unless it is patient. The version of a chunk tool is a hash of the versions of all tools, so only
// a worker with equal tools computes a chunk.
func ChunkTools(catalog *tools.Catalog) []*tools.Tool {
	limits := map[string]time.Duration{}
	versions := sha256.New()
	fmt.Fprintln(versions, "chunk", chunkFormat)
	var pools []string
	for _, e := range catalog.All() {
		fmt.Fprintf(versions, "%s %s\n", e.Name, e.Version)
		if e.Heavy == nil {
			continue
		}
		if !slices.Contains(pools, e.Heavy.Pool) {
			pools = append(pools, e.Heavy.Pool)
		}
		limits[e.Heavy.Pool] = max(limits[e.Heavy.Pool], e.Heavy.Timeout)
	}
	version := hex.EncodeToString(versions.Sum(nil)[:6])
	chunks := &chunks{catalog: catalog}
	var all []*tools.Tool
	for _, pool := range pools {
		all = append(all, tools.Define(tools.Spec{
			Name: "batch_chunk_" + pool, Title: "Chunk of a batch", Version: version,
			Summary:  "Computes consecutive runs of a batch",
			Method:   "Each run is a call of the batch's tool",
			Sources:  []string{"docs/batches.md"},
			Examples: []tools.Example{{In: "{}"}},
			Heavy: &tools.Heavy{
				Pool: pool, Timeout: chunkTime + limits[pool] + chunkGrace, SupportsEarlyStop: true,
			},
		}, chunks.compute))
	}
	return all
}

// WorkerCatalog returns the tools and services of a catalog and its chunk tools, for use by
// workers. Clients never see chunk tools. It returns the errors of tools.NewCatalog.
func WorkerCatalog(catalog *tools.Catalog) (*tools.Catalog, error) {
	internal := tools.Category{Name: "internal", Title: "Internal", Tools: ChunkTools(catalog)}
	var services []*tools.Tool
	for _, e := range catalog.Services() {
		services = append(services, e.Tool)
	}
	return tools.NewCatalog(append(slices.Clone(catalog.Categories), internal), catalog.Edges,
		services...)
}

// ChunkPool returns the worker pool for chunks of a tool.
func ChunkPool(tool *tools.Tool) string {
	if tool.Heavy != nil {
		return tool.Heavy.Pool
	}
	return lightPool
}

// ChunkBody returns the input of a chunk tool. The chunk has count runs of a batch, the first of
// which has the index from. points are the points of these runs in a search, and nil in other
// modes. A patient chunk abandons no run. The id of the batch is part of the job's identity.
func ChunkBody(id string, request []byte, from, count int, points [][]Value,
	patient bool) ([]byte, error) {
	in := map[string]any{
		"batch": id, "request": json.RawMessage(request), "from": from, "count": count,
	}
	if patient {
		in["patient"] = true
	}
	if points != nil {
		in["points"] = points
	}
	return json.Marshal(in)
}

// ChunkRuns decodes the result of a chunk tool.
func ChunkRuns(result []byte) ([]Run, error) {
	var out chunkOutput
	if err := json.Unmarshal(result, &out); err != nil {
		return nil, err
	}
	packed, err := hex.DecodeString(out.Rows)
	if err != nil {
		return nil, err
	}
	return DecodeRuns(packed)
}

// chunks caches the plan of the last chunk because a worker computes many chunks of one batch.
type chunks struct {
	catalog *tools.Catalog

	mu   sync.Mutex
	text []byte
	plan *Plan
}

func (c *chunks) planOf(request []byte) (*Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plan != nil && bytes.Equal(c.text, request) {
		return c.plan, nil
	}
	r, err := Parse(request)
	if err != nil {
		return nil, err
	}
	p, err := NewPlan(c.catalog, r)
	if err != nil {
		return nil, err
	}
	c.text, c.plan = request, p
	return p, nil
}

func (c *chunks) compute(ctx context.Context, in chunkInput) (chunkOutput, error) {
	plan, err := c.planOf(in.Request)
	if err != nil {
		return chunkOutput{}, err
	}
	if len(in.Points) > 0 && len(in.Points) != in.Count {
		return chunkOutput{}, tools.Invalid("points", "needs %d entries, has %d", in.Count,
			len(in.Points))
	}
	if len(in.Points) == 0 && (plan.Searches() || in.From+in.Count > plan.Runs()) {
		return chunkOutput{}, tools.Invalid("count", "exceeds the runs of the batch")
	}
	begun, size := time.Now(), 0
	var runs []Run
	for i := range in.Count {
		run, err := plan.computeOfChunk(ctx, in, i)
		if errors.Is(err, errAbandoned) {
			break
		}
		if err != nil {
			return chunkOutput{}, err
		}
		runs = append(runs, run)
		if size += run.Size(); size > chunkBytes || time.Since(begun) > chunkTime || stopped(ctx) {
			break
		}
	}
	packed, _, err := EncodeRuns(runs)
	return chunkOutput{Rows: hex.EncodeToString(packed)}, err
}

// errAbandoned is the cause with which the context of an abandoned run is cancelled.
var errAbandoned = errors.New("the run was abandoned for other jobs")

// computeOfChunk computes a run of a chunk. It hides the early-stop signal of the chunk from the
// tool, whose result would otherwise differ from the result of a single call. It returns
// errAbandoned for a run that it abandons.
func (p *Plan) computeOfChunk(ctx context.Context, in chunkInput, i int) (Run, error) {
	compute := func(ctx context.Context) (Run, error) {
		if len(in.Points) > 0 {
			return p.ComputeAt(ctx, in.Points[i])
		}
		return p.Compute(ctx, in.From+i)
	}
	whole := tools.WithStopSignal(ctx, nil)
	if p.Tool.Heavy == nil || in.Patient {
		return compute(whole)
	}
	whole, abandon := context.WithCancelCause(whole)
	defer abandon(nil)
	go func() {
		select {
		case <-whole.Done():
			return
		case <-tools.StopSignal(ctx):
		}
		select {
		case <-whole.Done():
		case <-time.After(yieldGrace):
			abandon(errAbandoned)
		}
	}()
	run, err := compute(whole)
	if err != nil && errors.Is(context.Cause(whole), errAbandoned) {
		err = errAbandoned
	}
	return run, err
}

// stopped reports whether the computation should stop early.
func stopped(ctx context.Context) bool {
	select {
	case <-tools.StopSignal(ctx):
		return true
	default:
		return false
	}
}

// Size returns the approximate number of bytes of a run in memory. All numbers count with the same
// size, so Plan.RowBytes needs no runs.
func (r *Run) Size() int {
	n := runBytes + len(r.Err) + 8*len(r.Collected)
	for _, text := range r.Texts {
		n += stringBytes + len(text)
	}
	for _, v := range r.Values {
		n += v.size()
	}
	return n
}

// Sizes in memory, as estimated by Size and RowBytes [bytes].
const (
	runBytes    = 64 // a run without its values
	valueBytes  = 24 // a value without its text
	numberBytes = 25 // the longest text of a number
	detailBytes = 24 // maximum size of a shortened error
	stringBytes = 16 // a text without its characters
	textBytes   = 64 // maximum size of a collected text
)

func (v Value) size() int { return valueBytes + max(numberBytes, len(v)) }

// RowBytes returns an upper bound for the total Size of all rows. It assumes that ShortenErrors has
// truncated the errors.
func (p *Plan) RowBytes() int64 {
	runs := int64(p.runs)
	total := runs * int64(runBytes+detailBytes+8*len(p.columns))
	if slices.ContainsFunc(p.columns, func(c column) bool { return c.textual }) {
		total += runs * int64(stringBytes*len(p.columns))
	}
	for _, c := range p.columns {
		if c.textual {
			total += runs * textBytes
		}
	}
	for i := range p.sources {
		var sum, largest int64
		for _, v := range p.sources[i].values {
			sum += int64(v.size())
			largest = max(largest, int64(v.size()))
		}
		switch count := int64(len(p.sources[i].values)); {
		case count == 0:
			total += runs * (valueBytes + numberBytes)
		case p.Searches():
			total += runs * largest
		default: // each value occurs in the same number of runs
			total += sum * (runs / count)
		}
	}
	return total
}

// LongErrors returns the number of bytes that ShortenErrors would remove from runs.
func LongErrors(runs []Run) (n int) {
	for i := range runs {
		n += max(0, len(runs[i].Err)-detailBytes)
	}
	return n
}

// ShortenErrors truncates the errors of runs to the length that Plan.RowBytes assumes.
func ShortenErrors(runs []Run) {
	for i := range runs {
		runs[i].Err = text.Truncate(runs[i].Err, detailBytes)
	}
}

// EncodeRuns encodes runs for storage. size is the approximate number of bytes of the decoded runs.
func EncodeRuns(runs []Run) (packed []byte, size int, err error) {
	for i := range runs {
		size += runs[i].Size()
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, 0, err
	}
	if err := gob.NewEncoder(w).Encode(runs); err != nil {
		return nil, 0, err
	}
	if err := w.Close(); err != nil {
		return nil, 0, err
	}
	return b.Bytes(), size, nil
}

// DecodeRuns decodes the output of EncodeRuns.
func DecodeRuns(packed []byte) (runs []Run, err error) {
	r := flate.NewReader(bytes.NewReader(packed))
	defer r.Close()
	// The limit must exceed chunkBytes because a single run may have any size.
	err = gob.NewDecoder(io.LimitReader(r, 64<<20)).Decode(&runs)
	return runs, err
}
