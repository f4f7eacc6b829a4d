package pcb

import (
	"fmt"
	"strings"
	"testing"
)

// TestHolesOfParts: a hole without plating is no pad, whether the request or a part makes it. The places
// are those of the contract: USB_C_16P has holes of 0.65 mm at (±2.89, 1.95).
func TestHolesOfParts(t *testing.T) {
	out := layout(t, []byte(`{"components":[{"ref":"J1","footprint":"USB_C_16P"}],"nets":[{"name":"GND","pins":["J1.A1","J1.B1"]}],"width_mm":30,"height_mm":20,
		"placements":[{"ref":"J1","x_mm":15,"y_mm":5}],"mounting_holes":[{"x_mm":25,"y_mm":15,"diameter_mm":2.2}]}`))
	want := []holeOut{{25, 15, 2.2}, {12.11, 6.95, 0.65}, {17.89, 6.95, 0.65}}
	if fmt.Sprint(out.Holes) != fmt.Sprint(want) {
		t.Errorf("holes %v, want %v", out.Holes, want)
	}
	for _, h := range want {
		if line := fmt.Sprintf("X%.6fY%.6f\n", h.X, h.Y); !strings.Contains(out.Files["board-NPTH.drl"], line) {
			t.Errorf("the drill file has no %s", line)
		}
	}
	pads := out.Placements[0].Pads
	if len(pads) != 16 || out.Statistics.PadCount != 16 {
		t.Errorf("%d pads, pad_count %d, want 16", len(pads), out.Statistics.PadCount)
	}
	for _, p := range pads {
		if p.Pad == "" || len(p.Layers) == 0 {
			t.Errorf("pad %q at %g, %g has layers %v", p.Pad, p.X, p.Y, p.Layers)
		}
	}
}
