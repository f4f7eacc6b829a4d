package tools

import (
	"context"
	"math"
)

// Progress is the progress of a long computation.
type Progress struct {
	Phase   string  `json:"phase"`   // for users: "transient", "routing"
	Percent float64 `json:"percent"` // 0 to 100 of the whole
}

type progressKey struct{}

// WithProgress returns a context whose computations report progress to f. The computing goroutine
// calls f, which must return quickly.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Report reports progress to the function of WithProgress, if any. It rounds the percentage to a
// tenth.
func Report(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		p.Percent = math.Round(10*p.Percent) / 10
		f(p)
	}
}

type enoughKey struct{}

// WithStopSignal returns a context whose computation ends soon after stop is closed, with its best
// result so far. Only tools with Heavy.SupportsEarlyStop support it.
func WithStopSignal(ctx context.Context, stop <-chan struct{}) context.Context {
	return context.WithValue(ctx, enoughKey{}, stop)
}

// StopSignal returns the channel of WithStopSignal, or nil. The channel is closed to stop the
// computation early.
func StopSignal(ctx context.Context) <-chan struct{} {
	enough, _ := ctx.Value(enoughKey{}).(<-chan struct{})
	return enough
}
