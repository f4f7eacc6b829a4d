package mesh

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/propagation"
)

// freeSpace returns the loss of ITU-R P.525, with its constant for MHz and km, 20 log10(4π·1e9/c).
func freeSpace(fMHz, km float64) float64 { return 32.44778 + 20*math.Log10(fMHz*km) }

// TestTerrainComplete verifies that each terrain has a higher loss than the previous one. It also
// verifies that the three tools with a terrain input accept all of them.
func TestTerrainComplete(t *testing.T) {
	order := []string{"open", "suburban", "urban", "dense_urban", "indoor"}
	for i, terrain := range order {
		if i > 0 && propagation.TerrainLossDB(terrain) <= propagation.TerrainLossDB(order[i-1]) {
			t.Errorf("%s is no worse than %s", terrain, order[i-1])
		}
	}
	for _, enum := range [][]string{
		LoraRangeEstimate.Input.Field("terrain").Enum, MeshnetRange.Input.Field("terrain").Enum,
		LoraParamOptimizer.Input.Field("terrain").Enum,
	} {
		if !slices.Equal(enum, order) {
			t.Errorf("accepted %v, want %v", enum, order)
		}
	}
}

// TestUsableRangeComesFirst verifies that the usable range is the primary result of both range
// tools and precedes the one by the free-space slope.
func TestUsableRangeComesFirst(t *testing.T) {
	for _, tool := range []*tools.Tool{MeshnetRange, LoraRangeEstimate} {
		if len(tool.Primary) == 0 || tool.Primary[0] != "planned_range_km" {
			t.Errorf("%s shows %v first", tool.Name, tool.Primary)
		}
		if first := tool.Output.Fields[0].Name; first != "planned_range_km" {
			t.Errorf("%s begins with %s", tool.Name, first)
		}
		raw, err := tool.Run(context.Background(), []byte(`{}`))
		if err != nil || !strings.HasPrefix(string(raw), `{"planned_range_km":`) {
			t.Errorf("%s: %s, %v", tool.Name, raw, err)
		}
	}
}
