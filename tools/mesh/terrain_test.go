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

// freeSpace: ITU-R P.525, with its constant for MHz and km, 20 log10(4π·1e9/c).
func freeSpace(fMHz, km float64) float64 { return 32.44778 + 20*math.Log10(fMHz*km) }

// Each terrain is worse than the one before, and the three tools that take one accept them all.
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

// The usable range is the headline of both range tools, on the page (Primary) and where results
// stand in the order of their fields; the free-space bound comes after it.
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
