package pcb

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"slipstick/tools"
)

// result formats a request body with args, runs a tool and returns its result.
func result(t *testing.T, tool *tools.Tool, body string, args ...any) map[string]any {
	t.Helper()
	raw, err := tool.Run(context.Background(), fmt.Appendf(nil, body, args...))
	if err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(body, args...), err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// number returns a numeric field of a result.
func number(t *testing.T, out map[string]any, field string) float64 {
	t.Helper()
	x, ok := out[field].(float64)
	if !ok {
		t.Fatalf("%s is %v, not a number", field, out[field])
	}
	return x
}

// same verifies that two values agree within rounding.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s: got %.17g, want %.17g", what, got, want)
	}
}
