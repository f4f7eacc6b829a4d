package batch

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"slipstick/tools/catalog"
)

// TestAnyNumberOfWorkers verifies that the rows do not depend on the number of workers, and that a
// cancelled batch keeps the complete runs.
func TestAnyNumberOfWorkers(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "mode": "lhs", "n": 500, "input": {"dist_km": 1}, "vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 1, "max": 9}]}`)
	var texts []string
	for _, workers := range []int{1, 7} {
		last := 0
		runs, err := p.Execute(t.Context(), workers, func(done int) { last = done })
		if err != nil || last != 500 {
			t.Fatalf("%v, progress %d", err, last)
		}
		var b bytes.Buffer
		if err := p.WriteCSV(&b, Rows{Runs: runs}, true); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
	}
	if texts[0] != texts[1] {
		t.Error("the rows differ")
	}
	ctx, cancel := context.WithCancel(t.Context())
	runs, err := p.Execute(ctx, 2, func(done int) {
		if done == 100 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(runs) == 500 {
		t.Errorf("%v after %d runs", err, len(runs))
	}
	for i, r := range runs {
		if r.Values == nil {
			t.Fatalf("run %d is not complete", i)
		}
	}
}

// BenchmarkExecute measures the cost of a run of a synchronous tool in a batch.
func BenchmarkExecute(b *testing.B) {
	r, err := Parse([]byte(`{"tool": "fspl", "mode": "random", "n": 10000, "input": {"dist_km": 1}, "vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 1, "max": 9}]}`))
	if err != nil {
		b.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(all, r)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Execute(b.Context(), 2, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10000, "us/run")
}
