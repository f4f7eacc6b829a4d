package rf

import (
	"context"
	"testing"

	"slipstick/tools"
)

// BenchmarkRun measures Run of three typical tools: decoding, validation, computation and encoding.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		tool *tools.Tool
		in   string
	}{
		{FSPL, `{"freq_mhz": 915, "dist_km": 5}`},
		{LinkBudget, `{"tx_dbm": 20, "freq_mhz": 915, "dist_km": 5, "tx_gain_dbi": 6, "rx_gain_dbi": 2.15, "rx_sensitivity_dbm": -130}`},
		{Microstrip, `{"height_mm": 1.6, "freq_mhz": 2450}`},
	} {
		b.Run(c.tool.Name, func(b *testing.B) {
			body := []byte(c.in)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.tool.Run(context.Background(), body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
