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
