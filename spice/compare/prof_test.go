package compare

import (
	"context"
	"os"
	"slipstick/spice"
	"testing"
)

func BenchmarkOne(b *testing.B) {
	t, _ := os.ReadFile("../testdata/compare/" + os.Getenv("C") + ".cir")
	for range b.N {
		if _, err := spice.Simulate(context.Background(), spice.Request{Netlist: string(t), Analysis: "tran"}); err != nil {
			b.Fatal(err)
		}
	}
}
