package pcb

import (
	"strings"
	"testing"
)

// TestShield verifies that parts stand between the pads of an Arduino Nano that is fixed on a board
// of its size. A warning says so. A part at a pad of the Arduino is refused.
func TestShield(t *testing.T) {
	shield := func(more string) string {
		return `{"name": "b", "effort": "fast", "width_mm": 20, "height_mm": 45,
			"components": [{"ref": "A1", "footprint": "Arduino_Nano"},
				{"ref": "U1", "footprint": "SOIC-16"}, {"ref": "R1", "footprint": "R_0805"}],
			"placements": [` + more + `{"ref": "A1", "x_mm": 10, "y_mm": 22.5}],
			"nets": [{"name": "A", "pins": ["A1.5", "U1.1"]},
				{"name": "B", "pins": ["U1.2", "R1.1"]}, {"name": "C", "pins": ["A1.9", "R1.2"]}]}`
	}
	out := layout(t, []byte(shield("")))
	stacked := false
	for _, w := range out.Warnings.Warnings {
		stacked = stacked || strings.HasPrefix(w, "A1 covers ") &&
			strings.Contains(w, "a board stacked on it")
	}
	if out.Status != "complete" || !out.DRC.Passed || !stacked {
		t.Errorf("%s, %+v, warnings %q", out.Status, out.DRC.Violations, out.Warnings.Warnings)
	}
	// The rows of pads are 15.24 mm apart.
	_, err := layoutOf([]byte(shield(`{"ref": "R1", "x_mm": 2.38, "y_mm": 22.5}, `)))
	if err == nil || !strings.Contains(err.Error(), "courtyards overlap") {
		t.Errorf("R1 on a pad of A1: %v", err)
	}
}
