package quota

import (
	"context"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/keystest"
	"slipstick/keys/usage"
)

// instantStore is a Store without latency, so that the benchmark measures only the Limiter.
type instantStore struct{ usage.Store }

func (instantStore) Commit(_ context.Context, b *usage.Batch) error {
	for i := range b.Debits {
		b.Debits[i].Granted, b.Debits[i].Used = b.Debits[i].Count, b.Debits[i].Count
	}
	return nil
}

// BenchmarkRun measures a synchronous call without computation, with 64 callers at once and a Store
// without latency.
func BenchmarkRun(b *testing.B) {
	service := keystest.NewService(b)
	l := usage.New(usage.Options{Store: instantStore{}})
	b.Cleanup(l.Close)
	g := New(Options{Keys: service, Counter: l, Limits: map[keys.Tier]int{keys.Anonymous: 1 << 40,
		keys.Free: 1 << 40}})
	nothing := func(context.Context) (keys.Outcome, time.Duration) {
		return keys.Computed, time.Microsecond
	}
	for _, tier := range []keys.Tier{keys.Developer, keys.Free, keys.Anonymous} {
		b.Run(string(tier), func(b *testing.B) {
			caller := from("203.0.113.7")
			if tier != keys.Anonymous {
				var err error
				if caller.Key, _, err = service.Issue(b.Context(),
					keys.IssueParams{Tier: tier}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.SetParallelism(32)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if _, err := g.Run(context.Background(), caller, "fspl", nothing); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
