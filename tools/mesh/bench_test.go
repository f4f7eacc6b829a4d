package mesh

import (
	"context"
	"testing"
)

// BenchmarkRun measures Run of each tool for its first example: decoding, validation, computation
// and encoding.
func BenchmarkRun(b *testing.B) {
	for _, tool := range Category().Tools {
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
