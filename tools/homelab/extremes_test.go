package homelab

import (
	"testing"

	"slipstick/tools/tooltest"
)

// TestExtremeInputs sends extreme inputs to all tools except the solvers of temperature fields,
// which take milliseconds per run.
func TestExtremeInputs(t *testing.T) {
	tooltest.FuzzBounds(t, Category().Tools[:10], 2000, "0.0.0.0/0", "255.255.255.255",
		"10.1.2.3 255.255.255.254", "::/0", "ffff::/127", "1.2.3.4", "x")
}
