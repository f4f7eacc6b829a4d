package mesh

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"slipstick/tools"
)

// result runs a tool and decodes its result.
func result[T any](t *testing.T, tool *tools.Tool, in string) T {
	t.Helper()
	raw, err := tool.Run(context.Background(), []byte(in))
	if err != nil {
		t.Fatalf("%s %s: %v", tool.Name, in, err)
	}
	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s %s: %v", tool.Name, in, err)
	}
	return out
}

// near fails unless two numbers agree to a relative or absolute 1e-12 times the scale of want.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.17g, want %.17g", what, got, want)
	}
}

// TestCategory verifies that the category lists the ten mesh tools of the specification in its
// order.
func TestCategory(t *testing.T) {
	want := []string{
		"lora_airtime", "snr_margin", "channel_utilization", "lora_range_estimate",
		"lora_sensitivity",
		"duty_cycle_budget", "meshnet_range", "eirp_compliance", "meshnet_power",
		"lora_param_optimizer",
	}
	var got []string
	for _, tool := range Category().Tools {
		got = append(got, tool.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
