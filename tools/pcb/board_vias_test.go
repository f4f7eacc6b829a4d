package pcb

import (
	"fmt"
	"testing"
)

// TestViasJoinLayers verifies that every via of a board connects copper of two layers. It checks
// the board with the rule check, from its files alone, and with KiCad. The router sets ground vias
// before the pour is known, so one may lie outside it; the first of these boards is such a case.
func TestViasJoinLayers(t *testing.T) {
	boards := map[string]unjudged{}
	for _, c := range []struct {
		parts int
		seed  uint64
		pour  []string
	}{{50, 1, []string{"bottom"}}, {50, 2, []string{"bottom"}}, {30, 3, []string{"top", "bottom"}},
		{30, 1, []string{"top"}}, {20, 5, []string{}}} {
		name := fmt.Sprintf("parts%d-seed%d", c.parts, c.seed)
		out := layout(t, generated(t, c.parts, c.seed, map[string]any{"pour_layers": c.pour}))
		if out.Status != "complete" || out.DRC.ErrorCount > 0 || len(out.Vias) == 0 {
			t.Errorf("%s: %s, %d vias, %v", name, out.Status, len(out.Vias), out.DRC.Violations)
		}
		for _, v := range out.DRC.Violations {
			if v.Rule == "via_dangling" {
				t.Errorf("%s: %s at %g, %g mm", name, v.Message, v.X, v.Y)
			}
		}
		verifyCopper(t, out)
		boards[name] = unjudged{out.Files[name+".kicad_pcb"], out.Rules.EdgeClearance}
	}
	for name, got := range pcbnew(t, boards) {
		if v, u, f := got.counts(); v != 0 || u != 0 || f != 0 {
			t.Errorf("%s: %d violations, %d unconnected, %d footprint errors:\n%s", name, v, u,
				f, got.Report)
		}
	}
}
