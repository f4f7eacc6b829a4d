package tools

import (
	"context"
	"runtime"
)

type coresKey struct{}

// WithCores returns a context whose computation may use n cores at once, at least 1.
func WithCores(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, coresKey{}, max(1, n))
}

// Cores returns the number of cores that a computation may use at once: that of WithCores, or all
// of this process. Results must not depend on it.
func Cores(ctx context.Context) int {
	if n, ok := ctx.Value(coresKey{}).(int); ok {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
