package tools

import "context"

// Progress is how far a long computation has come.
type Progress struct {
	Phase   string  `json:"phase"`   // a word or two for people: "transient", "routing"
	Percent float64 `json:"percent"` // 0 to 100 of the whole
}

type progressKey struct{}

// WithProgress returns a context whose computations report to f. f is called from the
// computing goroutine and must be quick.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Report passes progress to whoever listens, if anybody does.
func Report(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		f(p)
	}
}

type enoughKey struct{}

// WithStopSignal returns a context whose computation ends soon after enough is closed, with the best
// result it has by then, if it is one that can (Heavy.SupportsEarlyStop).
func WithStopSignal(ctx context.Context, enough <-chan struct{}) context.Context {
	return context.WithValue(ctx, enoughKey{}, enough)
}

// StopSignal is closed when whoever asked for the computation takes what there is; nil, which is never,
// when nobody can say so.
func StopSignal(ctx context.Context) <-chan struct{} {
	enough, _ := ctx.Value(enoughKey{}).(<-chan struct{})
	return enough
}
