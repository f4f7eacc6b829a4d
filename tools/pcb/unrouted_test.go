package pcb

import "testing"

// TestUnroutedReason verifies that the reason for an open connection names the pad that is closer
// than the clearance. The gap between the pads of a SOIC-8 is 1.27 - 0.6 = 0.67 mm (IPC-7351B).
func TestUnroutedReason(t *testing.T) {
	out := layout(t, []byte(`{"name": "b",
		"components": [{"ref": "U1", "footprint": "SOIC-8"}, {"ref": "R1", "footprint": "R_0805"},
			{"ref": "R2", "footprint": "R_0805"}],
		"nets": [{"name": "A", "pins": ["U1.2", "R1.1"]}, {"name": "B", "pins": ["U1.3", "R2.1"]}],
		"net_classes": [{"name": "wide", "clearance_mm": 0.9, "nets": ["A"]}]}`))
	const want = "no free path: pad U1.2 is 0.67 mm from pad U1.1, and the clearance is 0.9 mm"
	if len(out.Unrouted) != 1 || out.Unrouted[0].Reason != want {
		t.Errorf("%+v", out.Unrouted)
	}
}
