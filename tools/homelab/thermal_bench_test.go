package homelab

import (
	"context"
	"testing"

	"slipstick/tools"
)

// BenchmarkThermal runs every example of the field solvers through Run. The target is 50 ms and 50
// MB.
func BenchmarkThermal(b *testing.B) {
	for _, tool := range []*tools.Tool{ThermalEnclosure, HeatsinkCFD, PCBThermal} {
		for _, x := range tool.Examples {
			b.Run(tool.Name+"/"+x.Title, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tool.Run(context.Background(), []byte(x.In)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
