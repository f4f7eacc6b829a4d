package pcb

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// bus returns a request for a bus of data nets between two headers with different pin orders, and a
// length group of these nets.
func bus(nets int, tolerance float64) map[string]any {
	var all []any
	var names []string
	for i := range nets {
		name := fmt.Sprintf("D%d", i)
		names = append(names, name)
		all = append(all, map[string]any{"name": name, "pins": []string{
			fmt.Sprintf("J1.%d", i+2), fmt.Sprintf("J2.%d", (i+2)%nets+2)}})
	}
	all = append(all, map[string]any{"name": "GND", "pins": []string{"J1.1", "J2.1"}})
	header := fmt.Sprintf("PinHeader_1x%02d", nets+1)
	return map[string]any{"components": []any{
		map[string]any{"ref": "J1", "footprint": header, "edge": "none"},
		map[string]any{"ref": "J2", "footprint": header, "edge": "none"}},
		"nets": all, "width_mm": 70, "height_mm": 50,
		"placements": []any{map[string]any{"ref": "J1", "x_mm": 8, "y_mm": 25},
			map[string]any{"ref": "J2", "x_mm": 62, "y_mm": 29}},
		"length_groups": []any{map[string]any{"nets": names, "tolerance_mm": tolerance}}}
}

// TestLengthGroups compares the lengths of a group with the tracks and vias in the response, on
// boards 1.6 mm thick. It also verifies that there is a warning if and only if the lengths differ
// by more than the tolerance.
func TestLengthGroups(t *testing.T) {
	for _, c := range []struct {
		nets      int
		tolerance float64
		met       bool
		with      map[string]any
	}{
		{4, 0.2, true, nil},
		{4, 0.2, true, map[string]any{"pour_layers": []string{"top", "bottom"}}},
		{3, 0.05, true, map[string]any{"layers": 4}},
	} {
		q := bus(c.nets, c.tolerance)
		for k, v := range c.with {
			q[k] = v
		}
		out := layout(t, []byte(body(t, q)))
		if out.Status != "complete" || !out.DRC.Passed || len(out.Lengths) != 1 {
			t.Fatalf("%v: %s, %v, %v", c, out.Status, out.DRC.Violations, out.Lengths)
		}
		g := out.Lengths[0]
		lo, hi := math.Inf(1), 0.0
		for i, net := range g.Nets {
			sum := 0.0
			for _, track := range out.Tracks {
				if track.Net == net {
					sum += math.Hypot(track.X2-track.X1, track.Y2-track.Y1)
				}
			}
			for _, via := range out.Vias {
				if via.Net == net {
					sum += 1.6
				}
			}
			if math.Abs(sum-g.Lengths[i]) > 1e-4 {
				t.Errorf("%v: %s has %.4f mm, the result says %.4f", c, net, sum, g.Lengths[i])
			}
			lo, hi = min(lo, sum), max(hi, sum)
		}
		t.Logf("%v: %.3f to %.3f mm, %d vias", c, lo, hi, len(out.Vias))
		if math.Abs(hi-lo-g.Spread) > 1e-4 || (hi-lo <= c.tolerance) != c.met {
			t.Errorf("%v: a spread of %.4f mm, the result says %.4f", c, hi-lo, g.Spread)
		}
		warned := false
		for _, w := range out.Warnings.Warnings {
			warned = warned || strings.HasPrefix(w, "the lengths of the group of D0 differ by")
		}
		if warned == c.met {
			t.Errorf("%v: %v", c, out.Warnings)
		}
	}
}
