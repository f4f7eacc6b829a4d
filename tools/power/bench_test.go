package power

import (
	"context"
	"testing"
)

func BenchmarkTools(b *testing.B) {
	for _, tool := range Category().Tools {
		b.Run(tool.Name, func(b *testing.B) {
			in := []byte(tool.Examples[0].In)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Run(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
