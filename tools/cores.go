package tools

import (
	"context"
	"runtime"
)

type coresKey struct{}

// WithCores returns a context whose computation may use n cores concurrently. Values of n below 1
// mean 1.
func WithCores(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, coresKey{}, max(1, n))
}

// Cores returns the number of cores that a computation may use concurrently. It is the number set
// by WithCores, by default GOMAXPROCS. Results must not depend on it.
func Cores(ctx context.Context) int {
	if n, ok := ctx.Value(coresKey{}).(int); ok {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
