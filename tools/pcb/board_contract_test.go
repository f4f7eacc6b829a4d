package pcb

import (
	"fmt"
	"strings"
	"testing"
)

// TestNoRoomAtTheEdge: a part that asks for an edge and is not within 1 mm of it is told, for no rule
// of the rule check covers it.
func TestNoRoomAtTheEdge(t *testing.T) {
	for edge, want := range map[string]string{"left": "stands away from the left edge, where no room was found for it", "none": ""} {
		var parts []string
		for i := range 3 {
			parts = append(parts, fmt.Sprintf(`{"ref":"J%d","footprint":"TerminalBlock_1x02","edge":%q}`, i, edge))
		}
		out := layout(t, []byte(fmt.Sprintf(`{"components":[%s],"nets":[{"name":"A","pins":["J0.1","J1.1","J2.1"]}],"width_mm":40,"height_mm":28}`, strings.Join(parts, ","))))
		told := strings.Join(out.Warnings.Warnings, "; ")
		if strings.Contains(told, "stands away") != (want != "") || !strings.Contains(told, want) { // three of 10.7 mm do not fit along 28 mm
			t.Errorf("edge %s: warnings %q, want %q", edge, told, want)
		}
	}
}

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
