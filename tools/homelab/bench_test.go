package homelab

import (
	"context"
	"testing"
)

// BenchmarkRun measures Run of the closed-form tools: decoding, validation, computation and
// encoding. The target is 20 µs and 100 allocations per tool.
func BenchmarkRun(b *testing.B) {
	for _, tool := range Category().Tools[:10] {
		b.Run(tool.Name, func(b *testing.B) {
			body := []byte(tool.Examples[0].In)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Run(context.Background(), body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
