package pcb

import (
	"fmt"
	"strings"
	"testing"
)

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

// TestOneUnreachablePad verifies that one pad within the clearance of its neighbour leaves only its
// own connection open. The gap between the pads of a pin header is 2.54 - 1.7 = 0.84 mm.
func TestOneUnreachablePad(t *testing.T) {
	out := layout(t, []byte(`{"name": "b", "width_mm": 40, "height_mm": 30, "pour_layers": [],
		"net_classes": [{"name": "hv", "clearance_mm": 3, "nets": ["HV"]}],
		"components": [{"ref": "J1", "footprint": "PinHeader_1x03"},
			{"ref": "R1", "footprint": "R_0805"}, {"ref": "R2", "footprint": "R_0805"},
			{"ref": "R3", "footprint": "R_0805"}],
		"placements": [{"ref": "J1", "x_mm": 30, "y_mm": 15}, {"ref": "R1", "x_mm": 8, "y_mm": 8},
			{"ref": "R2", "x_mm": 8, "y_mm": 15}, {"ref": "R3", "x_mm": 8, "y_mm": 22}],
		"nets": [{"name": "HV", "pins": ["J1.2"]},
			{"name": "SIG", "pins": ["J1.1", "R1.1", "R2.1", "R3.1"]}]}`))
	const want = "pad J1.1 is 0.84 mm from pad J1.2, and the clearance is 3 mm"
	if len(out.Unrouted) != 1 || !strings.HasSuffix(out.Unrouted[0].Reason, want) {
		t.Errorf("%+v", out.Unrouted)
	}
}

// TestOverlappingPads verifies that the reason for an open connection states by how much pads of
// two nets overlap. Three squares fit the area of the board but not its sides.
func TestOverlappingPads(t *testing.T) {
	out := layout(t, []byte(`{"name": "b", "width_mm": 19, "height_mm": 19, "pour_layers": [],
		"effort": "fast", "components": [{"ref": "U1", "footprint": "TQFP-32"},
			{"ref": "U2", "footprint": "TQFP-32"}, {"ref": "U3", "footprint": "TQFP-32"}],
		"nets": [{"name": "A", "pins": ["U1.1", "U2.1", "U3.1"]},
			{"name": "B", "pins": ["U1.9", "U2.9", "U3.9"]},
			{"name": "C", "pins": ["U1.17", "U2.17", "U3.17"]}]}`))
	text := fmt.Sprintf("%+v", out.Unrouted)
	if !strings.Contains(text, " overlaps pad U") || strings.Contains(text, " -0.") {
		t.Error(text)
	}
}

// TestUnroutedNeck verifies that the reason for an open connection of a wide net names the neck
// length, with which the board is complete. By IPC-2221, 3 A need a track of 1.37 mm. It does not
// fit between the pins of the outer rows, which leave 2.54 - 1.7 = 0.84 mm.
func TestUnroutedNeck(t *testing.T) {
	board := func(neck string) pcbLayoutOut {
		return layout(t, []byte(`{"name": "b", "width_mm": 60, "height_mm": 24, "effort": "fast",
			"pour_layers": [], `+neck+`
			"components": [{"ref": "J1", "footprint": "PinHeader_2x08"},
				{"ref": "J2", "footprint": "PinHeader_2x08"}],
			"placements": [{"ref": "J1", "x_mm": 5, "y_mm": 12},
				{"ref": "J2", "x_mm": 55, "y_mm": 12}],
			"nets": [{"name": "P7", "pins": ["J1.7", "J2.8"], "current_a": 3}]}`))
	}
	const want = "no free path: blocked by pads, keepouts, holes or the board edge; the track of " +
		"1.368 mm may narrow to 0.25 mm only within neck_length_mm (3 mm) of a pad"
	if out := board(""); len(out.Unrouted) != 1 || out.Unrouted[0].Reason != want {
		t.Errorf("%+v", out.Unrouted)
	}
	if out := board(`"neck_length_mm": 4.5, `); len(out.Unrouted) != 0 {
		t.Errorf("with a longer neck: %+v", out.Unrouted)
	}
}

// TestUnroutedFinePitch verifies that the reason for an open connection states the widest track
// that can leave a pad. Pads of 0.2 mm at a pitch of 0.4 mm leave 2·(0.4 - 0.1 - 0.2) = 0.2 mm.
func TestUnroutedFinePitch(t *testing.T) {
	pads := ""
	for i := range 5 {
		pads += fmt.Sprintf(`,{"pad": "%d", "x_mm": %g, "y_mm": 0, "width_mm": 0.2, "height_mm": 0.9}`,
			i+1, 0.4*float64(i))
	}
	out := layout(t, []byte(`{"name": "b", "effort": "fast", "pour_layers": [],
		"custom_footprints": [{"name": "FINE", "pads": [`+pads[1:]+`]}],
		"components": [{"ref": "U1", "footprint": "FINE"}, {"ref": "R1", "footprint": "R_0805"},
			{"ref": "R2", "footprint": "R_0805"}],
		"nets": [{"name": "A", "pins": ["U1.2", "R1.1"]}, {"name": "B", "pins": ["U1.3", "R1.2"]},
			{"name": "C", "pins": ["U1.4", "R2.1"]}]}`))
	const want = "no track can leave pad U1.3 without breaking a clearance: " +
		"tracks of at most 0.2 mm can leave pad U1.3 beside pad U1."
	if len(out.Unrouted) != 3 || !strings.Contains(out.Unrouted[1].Reason, want) {
		t.Errorf("%+v", out.Unrouted)
	}
}
