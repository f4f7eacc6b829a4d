package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"slipstick/internal/text"
	"slipstick/tools"
)

// Run contains the stored values of one run.
type Run struct {
	// Values are the values of the varied fields; nil in mode list.
	Values []Value
	// Collected are the collected values in the order of Plan.Collected; NaN for a missing value.
	Collected []float64
	// Texts are the collected texts in the same order; "" for other values. It is nil if there are
	// none.
	Texts []string
	// Err is the error message of a failed run, otherwise "".
	Err string
}

// IsAt reports whether a run has the values of a point of a search.
func (r Run) IsAt(point []Value) bool {
	return slices.EqualFunc(r.Values, point, func(a, b Value) bool { return bytes.Equal(a, b) })
}

// FailedRun returns a failed run for the given index, for example after a crash of the computation.
// In a search, values must contain the values of the varied fields; otherwise it may be nil.
func (p *Plan) FailedRun(index int, values []Value, err string) Run {
	if values == nil && p.Request.Mode != List {
		values = p.Values(index)
	}
	return p.failedRun(values, err)
}

// failedRun returns a run without results.
func (p *Plan) failedRun(values []Value, err string) Run {
	r := Run{Values: values, Collected: make([]float64, len(p.columns)), Err: err}
	for i := range r.Collected {
		r.Collected[i] = math.NaN()
	}
	return r
}

// Compute computes a run. If the tool rejects the input or exceeds its time limit, Compute returns
// a failed Run. It returns an error if the context ends or the tool is defective.
func (p *Plan) Compute(ctx context.Context, index int) (Run, error) {
	if p.Request.Mode == List {
		return p.compute(ctx, nil, p.Input(index))
	}
	return p.ComputeAt(ctx, p.Values(index))
}

// ComputeAt is Compute for given values of the varied fields.
func (p *Plan) ComputeAt(ctx context.Context, values []Value) (Run, error) {
	return p.compute(ctx, values, p.InputAt(values))
}

func (p *Plan) compute(ctx context.Context, values []Value, input json.RawMessage) (Run, error) {
	run := ctx
	if p.Tool.Heavy != nil {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, p.Tool.Heavy.Timeout)
		defer cancel()
	}
	result, err := p.Tool.Compute(run, input)
	switch {
	case ctx.Err() != nil:
		return Run{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return p.failedRun(values, "time limit reached"), nil
	case err != nil:
		if in := tools.AsInputError(err); in != nil {
			return p.failedRun(values, in.Error()), nil
		}
		return Run{}, err
	}
	r := Run{Values: values, Collected: make([]float64, len(p.columns))}
	for i, c := range p.columns {
		x, word := c.read(result)
		if math.IsInf(x, 0) {
			x = math.NaN() // the reduction exceeded the largest number
		}
		if word != "" && r.Texts == nil {
			r.Texts = make([]string, len(p.columns))
		}
		if r.Collected[i] = x; word != "" {
			r.Texts[i] = text.Truncate(word, textBytes)
		}
	}
	return r, nil
}
