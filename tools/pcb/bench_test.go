package pcb

import (
	"context"
	"testing"
)

// BenchmarkRun measures Run of each synchronous tool for its first example: decoding, validation,
// computation and encoding.
func BenchmarkRun(b *testing.B) {
	for _, tool := range Category().Tools {
		if tool.Heavy != nil {
			continue
		}
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

// BenchmarkChoose measures the search for a voltage divider of preferred values, in the largest
// series (E192).
func BenchmarkChoose(b *testing.B) {
	body := []byte(`{"vin_v": 5, "vout_v": 3.3, "series": "E192", "max_results": 20}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := VoltageDivider.Run(context.Background(), body); err != nil {
			b.Fatal(err)
		}
	}
}
