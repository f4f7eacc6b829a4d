package general

import (
	"context"
	"testing"
)

// BenchmarkTools runs every tool's first example through Tool.Run, JSON in and JSON out.
func BenchmarkTools(b *testing.B) {
	for _, tool := range Category().Tools {
		body := []byte(tool.Examples[0].In)
		b.Run(tool.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Run(context.Background(), body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
