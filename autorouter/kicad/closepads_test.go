package kicad

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// closePads is the text of a board with two rows of four pads. Pads of one row are 0.65 mm apart
// and 0.45 mm wide, as those of an MSOP-8. The format verb stands for the list of net classes.
func closePads(classes string) string {
	text := `(kicad_pcb (version 20171130) (general (thickness 1.6))
  (layers (0 "F.Cu" signal) (31 "B.Cu" signal) (44 "Edge.Cuts" user))
  (setup (trace_min 0.2)) (net 0 "")`
	for i := range 4 {
		text += fmt.Sprintf(` (net %d "N%d")`, i+1, i+1)
	}
	text += classes
	for i, name := range []string{"U1", "U2"} {
		text += fmt.Sprintf(` (module MSOP (layer F.Cu) (at 109.179 %d) (fp_text reference %s (at 0 0) (layer F.SilkS))`,
			105+8*i, name)
		for k := range 4 {
			text += fmt.Sprintf(` (pad %d smd rect (at %g 0) (size 0.45 1.45) (layers F.Cu F.Mask) (net %d N%d))`,
				k+1, 0.65*float64(k), k+1, k+1)
		}
		text += ")"
	}
	return text + ` (gr_line (start 100 100) (end 120 100) (layer Edge.Cuts) (width 0.1))
  (gr_line (start 120 100) (end 120 118) (layer Edge.Cuts) (width 0.1))
  (gr_line (start 120 118) (end 100 118) (layer Edge.Cuts) (width 0.1))
  (gr_line (start 100 118) (end 100 100) (layer Edge.Cuts) (width 0.1)))`
}

// TestClosePads verifies that nets whose class requires a larger clearance than the pads of a part
// have are connected with the distance of the pads. A warning names them, and other boards keep the
// clearance. Tracks of 0.2 mm in the middle of these two pads have the 0.4 mm of their class.
// Tracks from the grid nodes next to the middle do not.
func TestClosePads(t *testing.T) {
	const class = ` (net_class Default "" (clearance 0.2) (trace_width 0.25) (via_dia 0.6) (via_drill 0.3))
  (net_class Heavy "" (clearance %g) (trace_width 0.7) (via_dia 1.6) (via_drill 1) (add_net N1) (add_net N2))`
	for _, c := range []struct {
		clearance float64
		warned    bool
	}{{0.4, true}, {0.3, false}, {0.2, false}} {
		d := read(t, closePads(fmt.Sprintf(class, c.clearance)), "")
		r, err := d.Route(context.Background(), Options{}, placed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Open) > 0 || len(r.RoutingViolations) > 0 {
			t.Errorf("clearance %g mm: open %v, violations %v", c.clearance, r.Open,
				r.RoutingViolations)
		}
		warned := strings.Contains(strings.Join(r.Board.Warnings, "\n"), "pads of U1, U2 are closer")
		if warned != c.warned {
			t.Errorf("clearance %g mm: warnings %q", c.clearance, r.Board.Warnings)
		}
	}
}

// TestLimitClosePads verifies the limits of the four pads, 0.2 mm apart: pads next to a pad of the
// class Heavy get one. It is the distance of the pads, at least minLimit.
func TestLimitClosePads(t *testing.T) {
	b := boardOf(t, closePads(` (net_class Default "" (clearance 0.2) (trace_width 0.25) (via_dia 0.6) (via_drill 0.3))
  (net_class Heavy "" (clearance 0.4) (trace_width 0.7) (via_dia 1.6) (via_drill 1) (add_net N1))`),
		"", Options{})
	for _, c := range []struct{ minLimit, want float64 }{{0.127, 0.2}, {0.3, 0.3}, {0.4, 0}} {
		parts, names := limitClosePads(b.Board, board.MM(0.2), board.MM(c.minLimit))
		if (len(names) == 2) != (c.want > 0) {
			t.Errorf("minLimit %g mm: parts %v", c.minLimit, names)
		}
		for k, pad := range parts[0].Pads {
			want := board.MM(c.want)
			if k > 1 {
				want = 0
			}
			if pad.ClearanceLimit < want-1 || pad.ClearanceLimit > want {
				t.Errorf("minLimit %g mm, pad %d: %d nm, want %d", c.minLimit, k+1,
					pad.ClearanceLimit, want)
			}
			if b.Parts[0].Pads[k].ClearanceLimit != 0 {
				t.Error("the pads of the board have changed")
			}
		}
	}
}
